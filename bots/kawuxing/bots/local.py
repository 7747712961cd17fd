"""One match in this process, without a server or a clock: for tests, training and tuning."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Final, NoReturn

from kawuxing.bots.arguments import deal_seed_of, factories, instance, rule_set, shown_answer
from kawuxing.bots.bot import Bot, BotFactory, Clock, MatchInfo, Turn
from kawuxing.bots.player import Player
from kawuxing.engine.actions import Action
from kawuxing.engine.errors import IllegalAnswerError
from kawuxing.engine.events import Event, HandStarted
from kawuxing.engine.match import Answer, MatchResult
from kawuxing.engine.observation import NOBODY, redact
from kawuxing.engine.record import Record, RecordedEntrant, RecordedMatch, RecordHeader
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.wall import bot_seed, commitment, shuffled_wall

MAX_FAULTS: Final = 1
"""Faults with which an entrant forfeits. At home there are none: what would be one raises."""

_NAME: Final = "local"
_AGES: Final = timedelta(days=1)
_UNLIMITED: Final = Clock(bank=_AGES, increment=_AGES, move_max=_AGES, start=_AGES)


class LocalMatch:
    """One match between bots, and *guests*: entrants whose questions the caller answers, for training.

    Iterating yields each question to a guest; answer it before the next. Guests that may claim the same tile are asked
    one after the other, and none sees what another answered. Bots play by themselves in between. ::

        for turn in match:
            match.answer(turn.random.choice(turn.legal))
        print(match.record.result)

    Bots and guests see what bots would see over the network, and have all the time in the world. Bots that are
    coroutines share an event loop, which is the match's own and ends with it. In a program that has a loop of its own,
    a notebook too, play in a thread: ``await asyncio.to_thread(match.play)``.
    """

    def __init__(self, header: RecordHeader, bots: Sequence[BotFactory | None], *, deal_seed: bytes) -> None:
        """Seat ``bots[i]`` as entrant i, None for a guest, on the walls of the deal seed (32 bytes).

        Raises ValueError if there are not as many as the rule set has entrants, or the deal seed is none; what a bot's
        constructor raises goes to the caller.
        """
        rules = instance("header", header, RecordHeader).rules
        bots = factories(rules, bots, guests=True)
        deal_seed = deal_seed_of(deal_seed)
        self._match = RecordedMatch(header, lambda hand: shuffled_wall(rules, deal_seed, hand))
        self._guests = frozenset(entrant for entrant, make_bot in enumerate(bots) if make_bot is None)
        self._players = [
            Player(
                make_bot or _Guest,
                MatchInfo(
                    match_id=header.match_id,
                    rules=rules,
                    entrant=entrant,
                    entrants=rules.entrants,
                    hands=header.hands,
                    clock=_UNLIMITED,
                    max_faults=header.max_faults,
                    bot_seed=bot_seed(deal_seed, entrant),
                    commitment=header.commitment,
                ),
            )
            for entrant, make_bot in enumerate(bots)
        ]
        self._seats = [NOBODY] * len(bots)
        self._asked = [0] * len(bots)
        self._answers: dict[int, Answer] = {}
        self._open: tuple[int, Turn] | None = None
        self._turns = self._questions()

    def __iter__(self) -> Iterator[Turn]:
        """Return the one iterator of this match: it goes on where it was left.

        It raises what a bot raises, and IllegalAnswerError if a bot chose what is not legal, or the question before
        was not answered.
        """
        return self._turns

    def answer(self, action: Action) -> None:
        """Answer the question that was yielded last.

        Raises IllegalAnswerError, changing nothing, if there is none or the action is not one of its legal ones.
        """
        if self._open is None:
            raise IllegalAnswerError(f"answer {shown_answer(action, ())}: no question is open")
        entrant, turn = self._open
        if action not in turn.legal:
            raise IllegalAnswerError(
                f"entrant {entrant} answers {shown_answer(action, turn.legal)}: "
                f"expected one of {', '.join(map(str, turn.legal))}"
            )
        self._answers[entrant] = Answer(action)
        self._open = None

    def play(self) -> Record:
        """Play a match without guests to its end, and return its record.

        Raises as the iterator does, and IllegalAnswerError if there is a guest, whom nobody answers for.
        """
        for turn in self:
            raise IllegalAnswerError(f"decision {turn.decision_id} of a guest: expected bots alone")
        return self.record

    @property
    def record(self) -> Record:
        """The record of the whole match, with its result. Raises ValueError before the match is finished."""
        return self._match.finish()

    def _questions(self) -> Iterator[Turn]:
        self._tell(self._match.start())
        # Not asyncio.run for each question: it takes longer than most bots.
        loop = asyncio.new_event_loop()
        # Not only at the end of this block: of what the collector finds in a cycle, the loop may come first, and warn.
        close = weakref.finalize(self, loop.close)
        try:
            while asked := loop.run_until_complete(self._play_to_guests()):
                for entrant, turn in asked.items():
                    self._open = entrant, turn
                    yield turn
                    if self._open is not None:
                        raise IllegalAnswerError(f"decision {turn.decision_id} of entrant {entrant} was not answered")
        finally:
            close()

    async def _play_to_guests(self) -> Mapping[int, Turn]:
        """Play on until guests are asked, and return their questions by entrant; none when the match is over."""
        while pending := self._match.pending():
            if not self._answers:
                guests: dict[int, Turn] = {}
                for entrant, legal in pending.items():
                    turn = self._turn(entrant, legal)
                    if entrant in self._guests:
                        guests[entrant] = turn
                    else:
                        self._answers[entrant] = Answer(await self._ask(entrant, turn))
                if guests:
                    return guests
            answers, self._answers = self._answers, {}
            self._tell(self._match.apply(answers))
        await _end_other_tasks()
        return {}

    async def _ask(self, entrant: int, turn: Turn) -> Action:
        try:
            return await self._players[entrant].choose(turn)
        except Exception as error:
            error.add_note(f"asked as entrant {entrant}: decision {turn.decision_id}, in hand {turn.observation.hand}")
            raise

    def _turn(self, entrant: int, legal: tuple[Action, ...]) -> Turn:
        turn = self._players[entrant].turn(self._asked[entrant], legal, _AGES)
        self._asked[entrant] += 1
        return turn

    def _tell(self, events: Iterable[Event]) -> None:
        for event in events:
            if isinstance(event, HandStarted):
                self._seats = [NOBODY] * len(self._players)
                for seat, entrant in enumerate(event.entrants):
                    self._seats[entrant] = seat
            for player, seat in zip(self._players, self._seats, strict=True):
                seen = redact(event, seat)
                player.fold(seen)
                player.bot.observe(seen)


class _Guest(Bot):
    """Stands where the caller answers."""

    def choose(self, turn: Turn) -> NoReturn:
        raise NotImplementedError(f"decision {turn.decision_id} belongs to the caller")


async def _end_other_tasks() -> None:
    """Cancel what bots have left running."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def play_match(rules: RuleSet, bots: Sequence[BotFactory], *, hands: int, deal_seed: bytes) -> MatchResult:
    """Play a whole match, entrant i by ``bots[i]``, on the walls of the deal seed (32 bytes), and return its result.

    Bots see what they would see over the network and have all the time in the world. What they raise goes to the
    caller.

    Raises ValueError if there are not as many bots as the rule set has entrants, or a number or the deal seed is none;
    IllegalAnswerError if a bot chooses what is not legal.
    """
    rules = rule_set(rules)
    header = RecordHeader(
        tournament=_NAME,
        match_id=_NAME,
        hands=hands,
        max_faults=MAX_FAULTS,
        entrants=tuple(RecordedEntrant(f"entrant-{entrant}") for entrant in range(rules.entrants)),
        rules=rules,
        commitment=commitment(deal_seed_of(deal_seed)),
    )
    return LocalMatch(header, bots, deal_seed=deal_seed).play().result
