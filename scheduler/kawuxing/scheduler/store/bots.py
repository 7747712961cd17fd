"""Registered bots and their tokens, of which only hashes are kept."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime

from sqlmodel import Session, select

from kawuxing.scheduler.store.errors import BotExistsError, UnknownBotError
from kawuxing.scheduler.store.models import BotRow

_TOKEN_BYTES = 32


def add(session: Session, name: str, now: datetime) -> str:
    """Register a remote bot and return its token. Raises BotExistsError."""
    row = session.get(BotRow, name)
    if row is not None:
        raise BotExistsError(name, remote=row.remote)
    token, token_hash = _new_token()
    session.add(BotRow(name=name, token_hash=token_hash, remote=True, created_at=now))
    return token


def launched(session: Session, name: str, now: datetime) -> str:
    """Register a launched bot or give it a new token; return the token. Raises BotExistsError for a remote bot."""
    row = session.get(BotRow, name)
    token, token_hash = _new_token()
    if row is None:
        session.add(BotRow(name=name, token_hash=token_hash, remote=False, created_at=now))
    elif row.remote:
        raise BotExistsError(name, remote=True)
    else:
        row.token_hash = token_hash
    return token


def rotate(session: Session, name: str) -> str:
    """Replace a bot's token and return the new one. Raises UnknownBotError."""
    token, token_hash = _new_token()
    _row(session, name).token_hash = token_hash
    return token


def remove(session: Session, name: str) -> None:
    """Forget a registration. Raises UnknownBotError."""
    session.delete(_row(session, name))


def authenticate(session: Session, token: str) -> str | None:
    """Return whose token this is."""
    return session.exec(select(BotRow.name).where(BotRow.token_hash == _hash(token))).one_or_none()


def _row(session: Session, name: str) -> BotRow:
    row = session.get(BotRow, name)
    if row is None:
        raise UnknownBotError(name)
    return row


def _new_token() -> tuple[str, str]:
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    return token, _hash(token)


def _hash(token: str) -> str:
    # A token is 32 random bytes, which no dictionary holds: a slow, salted hash would protect nothing more.
    return hashlib.sha256(token.encode()).hexdigest()
