"""One match: asks the seats, applies their answers, and hears when all of them are gone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Final

from kawuxing.engine.actions import Action
from kawuxing.engine.events import Event, HandEnded, HandStarted
from kawuxing.engine.faults import Fault
from kawuxing.engine.match import Answer
from kawuxing.engine.record import Record, RecordedEntrant, RecordedMatch, RecordHeader
from kawuxing.engine.wall import shuffled_wall
from kawuxing.runner.event_log import EventLog
from kawuxing.runner.evidence import EvidenceLog
from kawuxing.runner.lag import LagMonitor
from kawuxing.runner.seat import Seat, Stream
from kawuxing.runner.spec import MatchSpec, Played
from kawuxing.runner.status import Refusal
from kawuxing.runner.timers import Timers

DROP_WINDOW: Final = 1.0
"""When all seats drop within so many seconds, the cause is not the bots'."""


class TableVoidError(Exception):
    """The attempt does not count, through no bot's fault; the text is the reason."""


class Table:
    """A match between bots that come and go. To be used from its event loop only."""

    def __init__(self, spec: MatchSpec, timers: Timers, lag: LagMonitor) -> None:
        """Lay the table for a match; nobody sits at it yet.

        Raises ValueError, naming the field, if the record could not name what ``spec`` names.
        """
        header = RecordHeader(
            tournament=spec.tournament,
            match_id=spec.match_id,
            hands=spec.hands,
            max_faults=spec.max_faults,
            entrants=tuple(RecordedEntrant(entrant.name, entrant.version) for entrant in spec.entrants),
            rules=spec.rules,
            commitment=spec.commitment,
        )
        self._recorded = RecordedMatch(header, spec.wall_of or partial(shuffled_wall, spec.rules, spec.deal_seed))
        self._house = spec.house
        self._log = EventLog(len(spec.entrants))
        self._evidence = EvidenceLog(spec)
        self._void_when_all_drop = spec.void_when_all_drop
        self._timers = timers
        self._lag = lag
        self._lag_before = lag.total(timers.time())
        self._everybody = asyncio.Event()
        self._answers: dict[int, Answer] = {}
        self._asked = 0
        self._pending: Mapping[int, tuple[Action, ...]] = {}
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.seats = tuple(
            Seat(
                spec,
                entrant,
                match=self._recorded.match,
                log=self._log,
                evidence=self._evidence,
                timers=timers,
                lag=lag,
                answered=self._answered,
            )
            for entrant in range(len(spec.entrants))
        )
        """By entrant."""

    def attach(self, entrant: int, stream: Stream, *, snapshot: bool) -> Refusal | None:
        """Let a stream that said Hello take an entrant's seat, or return why not."""
        refusal = self.seats[entrant].attach(stream, snapshot=snapshot)
        if not self._absent():
            self._everybody.set()
        return refusal

    def detach(self, entrant: int, stream: Stream, refusal: Refusal | None) -> None:
        """Take note that a stream has ended, with ``refusal`` if that was the bot's own doing."""
        self.seats[entrant].detach(stream, refusal)
        drops = [seat.dropped_at for seat in self.seats if seat.dropped_at is not None]
        if self._void_when_all_drop and len(drops) == len(self.seats) and max(drops) - min(drops) <= DROP_WINDOW:
            self.void("all bots were disconnected at once")

    async def gather(self, join_time: timedelta) -> tuple[int, ...]:
        """Wait until every bot has sat down; return the entrants that did not within ``join_time``."""
        try:
            async with asyncio.timeout(join_time.total_seconds()):
                await self._everybody.wait()
        except TimeoutError:
            return self._absent()
        return ()

    async def play(self) -> Played:
        """Play the match to its end; the bots are not told yet that it is over.

        Raises TableVoidError if the attempt cannot count.
        """
        self._advance(self._recorded.start)
        await self._over
        return self._played(self._recorded.finish())

    def void(self, reason: str) -> None:
        """Make :meth:`play`, if it is still at it, raise TableVoidError."""
        self._end(TableVoidError(reason))

    def close(self, last_words: Sequence[bytes]) -> None:
        """Say the last word to every bot that is here: MatchEnd or MatchVoided, by entrant."""
        for seat, frame in zip(self.seats, last_words, strict=True):
            seat.close(frame)

    def _absent(self) -> tuple[int, ...]:
        """Return the entrants whose bots have never sat down."""
        return tuple(
            entrant for entrant, seat in enumerate(self.seats) if not seat.joined and entrant not in self._house
        )

    def _advance(self, move: Callable[[], list[Event]]) -> None:
        """Make a move and ask for the next ones. The answers come to :meth:`_answered`; only the end wakes ``play``."""
        if self._over.done():
            return
        try:
            self._tell(move())
            if self._recorded.match.finished:
                self._end(None)
            else:
                self._ask()
        except Exception as error:  # noqa: BLE001
            # Raised by play, and not in the reader of the bot whose answer came last.
            self._end(error)

    def _ask(self) -> None:
        match = self._recorded.match
        self._pending = self._recorded.pending()
        self._answers.clear()
        self._asked = 0
        for entrant, legal in self._pending.items():
            if match.forfeited(entrant):
                self._answers[entrant] = Answer(match.default_of(entrant))
            elif entrant in self._house:
                self._answers[entrant] = Answer(self._house[entrant](match.hand, match.seat_of(entrant), legal))
            elif self.seats[entrant].take_charge(legal):
                self._answers[entrant] = Answer(match.default_of(entrant), Fault.PROTOCOL_ERROR)
            else:
                self._asked += 1
                self.seats[entrant].ask(legal)
        if not self._asked:
            # Without a question there is nothing to wait for; but the other matches want their turn.
            asyncio.get_running_loop().call_soon(self._advance, self._apply)

    def _answered(self, entrant: int, action: Action | None, fault: Fault | None) -> None:
        chosen = self._recorded.match.default_of(entrant) if action is None else action
        self._answers[entrant] = Answer(chosen, fault)
        self._asked -= 1
        if not self._asked:
            self._advance(self._apply)

    def _apply(self) -> list[Event]:
        # The record must not depend on who answered first.
        return self._recorded.apply({entrant: self._answers[entrant] for entrant in self._pending})

    def _end(self, error: Exception | None) -> None:
        if self._over.done():
            return
        if error is None:
            self._over.set_result(None)
        else:
            self._over.set_exception(error)
            # Whoever awaits it still gets it; an attempt that ends otherwise need not.
            self._over.exception()

    def _tell(self, events: list[Event]) -> None:
        for event in events:
            self._log.append(event)
            if isinstance(event, HandStarted):
                self._evidence.hand = event.hand
            elif isinstance(event, HandEnded):
                for seat in self.seats:
                    seat.hand_ended()

    def _played(self, record: Record) -> Played:
        lag = self._lag.total(self._timers.time()) - self._lag_before
        return Played(record, self._evidence.times(), self._evidence.evidence(lag))
