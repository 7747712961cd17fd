"""Transitions of whole tournaments."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session, col, insert, select, update

from kawuxing.scheduler.store.encoding import bots_to_json
from kawuxing.scheduler.store.errors import CommitmentChangedError, TournamentChangedError, UnknownTournamentError
from kawuxing.scheduler.store.models import EntrantRow, MatchRow, Row, TournamentRow
from kawuxing.scheduler.store.values import MatchState, NewTournament, TournamentState

_ROWS_AT_ONCE = 10_000
_FINAL = (TournamentState.FINISHED, TournamentState.INCOMPLETE)
_LEFT_TO_PLAY = (MatchState.PENDING, MatchState.OFFERED, MatchState.PLAYING)


def tournament_row(session: Session, tournament: str) -> TournamentRow:
    """Return the tournament's row. Raises UnknownTournamentError."""
    row = session.get(TournamentRow, tournament)
    if row is None:
        raise UnknownTournamentError(tournament)
    return row


def create(session: Session, new: NewTournament, now: datetime) -> bool:
    """Create the tournament with its schedule, or check that it is the same as the one that is there."""
    row = session.get(TournamentRow, new.id)
    if row is not None:
        if row.config_digest != new.config_digest:
            raise TournamentChangedError(new.id, row.config)
        if row.commitment != new.commitment:
            raise CommitmentChangedError(new.id, row.commitment, new.commitment)
        # The digest leaves out how a tournament is run, which the workers read here.
        row.config = new.config
        return False
    session.add(
        TournamentRow(
            id=new.id,
            name=new.name,
            config=new.config,
            config_digest=new.config_digest,
            practice=new.practice,
            commitment=new.commitment,
            state=TournamentState.CREATED,
            matches=len(new.matches),
            created_at=now,
        )
    )
    session.flush()
    session.add_all(
        EntrantRow(
            tournament=new.id, bot=bot, position=position, strikes=0, struck_at=None, absent_since=now, withdrawn=None
        )
        for position, bot in enumerate(new.bots)
    )
    for start in range(0, len(new.matches), _ROWS_AT_ONCE):
        # Past the object mapper, which takes twice as long over a long schedule.
        session.connection().execute(
            insert(Row.metadata.tables["match"]),
            [
                {
                    "tournament": new.id,
                    "schedule_index": match.index,
                    "deal": match.deal,
                    "match_id": match.match_id,
                    "bots": bots_to_json(match.bots),
                    "state": MatchState.PENDING,
                    "attempt": 0,
                    "voids": 0,
                }
                for match in new.matches[start : start + _ROWS_AT_ONCE]
            ],
        )
    return True


def begin_run(session: Session, tournament: str, now: datetime) -> bool:
    """Go to running unless the tournament is over."""
    row = tournament_row(session, tournament)
    if row.state in _FINAL:
        return False
    row.state = TournamentState.RUNNING
    session.execute(update(EntrantRow).where(col(EntrantRow.tournament) == tournament).values(absent_since=now))
    return True


def finish(session: Session, tournament: str) -> TournamentState | None:
    """End the tournament if nothing is left to play."""
    row = tournament_row(session, tournament)
    if row.state not in _FINAL:
        if _any_match(session, tournament, _LEFT_TO_PLAY):
            return None
        failed = _any_match(session, tournament, (MatchState.FAILED,))
        row.state = TournamentState.INCOMPLETE if failed else TournamentState.FINISHED
    return TournamentState(row.state)


def _any_match(session: Session, tournament: str, states: tuple[MatchState, ...]) -> bool:
    query = select(MatchRow.id).where(MatchRow.tournament == tournament, col(MatchRow.state).in_(states)).limit(1)
    return session.exec(query).first() is not None
