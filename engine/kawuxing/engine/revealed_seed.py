"""The revealed seed of a tournament, ``seed.json``: with it anybody can check that no wall was chosen."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, Self

from kawuxing.engine import wall
from kawuxing.engine.errors import InvalidRecordError, UnsupportedRecordError
from kawuxing.engine.record import RecordHeader

FORMAT: Final = "kawuxing-seed/1"
MAX_MATCHES: Final = 1_000_000
WALLS: Final = ("fresh", "duplicate")


def check_format(file: str, found: object, expected: str) -> None:
    """Check what a file says its format is.

    Raises UnsupportedRecordError if it is the expected format in another version, InvalidRecordError if it is another
    format or none.
    """
    if found == expected:
        return
    message = f"{file}: format is {found!r}: expected {expected!r}"
    family = expected.rpartition("/")[0] + "/"
    if isinstance(found, str) and found.startswith(family):
        raise UnsupportedRecordError(message)
    raise InvalidRecordError(message)


@dataclass(frozen=True, slots=True)
class RevealedSeed:
    """All that every wall of a tournament follows from."""

    tournament: str
    master_seed: bytes
    public_entropy: str
    walls: str
    """``fresh``: every match has its own walls; ``duplicate``: the matches of a deal share them."""
    matches: int
    """The length of the schedule."""
    deals: int
    """How many deals it has; every deal has the same number of matches."""

    @property
    def commitment(self) -> str:
        """SHA-256, in hex, of the master seed: what was published before the first match."""
        return wall.commitment(self.master_seed)

    def match_id(self, index: int) -> str:
        """Return the id of the match at ``index`` in the schedule."""
        return wall.match_id(self._key, index)

    def deal_seed(self, index: int) -> bytes:
        """Return the seed of the walls of the match at ``index`` in the schedule."""
        if self.walls == "duplicate":
            return wall.duplicate_deal_seed(self._key, index // (self.matches // self.deals))
        return wall.fresh_deal_seed(self._key, index)

    def index_of(self, match_id: str) -> int:
        """Return the place of a match in the schedule.

        Raises InvalidRecordError if no match of this tournament has that id.
        """
        for index in range(self.matches):
            if self.match_id(index) == match_id:
                return index
        raise InvalidRecordError(
            f"match {match_id} is none of the {self.matches} matches of tournament {self.tournament!r} by its seed"
        )

    def check_header(self, header: RecordHeader) -> None:
        """Check that a record belongs to this tournament and committed to this seed. Raises InvalidRecordError."""
        for name, found, expected in (
            ("tournament", header.tournament, self.tournament),
            ("commitment", header.commitment, self.commitment),
        ):
            if found != expected:
                raise InvalidRecordError(f"header: {name} is {found!r}, but the seed's is {expected!r}")

    def to_json(self) -> dict[str, Any]:
        """Return the contents of seed.json."""
        return {
            "format": FORMAT,
            "tournament": self.tournament,
            "commitment": self.commitment,
            "master_seed": self.master_seed.hex(),
            "public_entropy": self.public_entropy,
            "walls": self.walls,
            "matches": self.matches,
            "deals": self.deals,
        }

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Return what the bytes of a seed.json say.

        Raises InvalidRecordError, naming the field, its value and what was expected, or UnsupportedRecordError for
        another format.
        """
        try:
            fields = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise InvalidRecordError(f"seed.json is not JSON: {error}") from error
        if not isinstance(fields, dict):
            raise InvalidRecordError("seed.json is not a JSON object")
        check_format("seed.json", fields.get("format"), FORMAT)
        seed = cls(
            tournament=_text(fields, "tournament"),
            master_seed=_master_seed(fields),
            public_entropy=_text(fields, "public_entropy"),
            walls=_text(fields, "walls"),
            matches=_count(fields, "matches"),
            deals=_count(fields, "deals"),
        )
        if seed.walls not in WALLS:
            raise InvalidRecordError(f"seed.json: walls is {seed.walls!r}: expected one of {', '.join(WALLS)}")
        if seed.matches % seed.deals:
            raise InvalidRecordError(f"seed.json: deals is {seed.deals}: expected a divisor of matches, {seed.matches}")
        if fields.get("commitment") != seed.commitment:
            raise InvalidRecordError(
                f"seed.json: commitment is {fields.get('commitment')!r}: the master seed's SHA-256 is {seed.commitment}"
            )
        return seed

    @property
    def _key(self) -> bytes:
        return wall.tournament_key(self.master_seed, self.public_entropy)


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise InvalidRecordError(f"seed.json: {name} is {value!r}: expected a text")
    return value


def _master_seed(fields: dict[str, Any]) -> bytes:
    text = _text(fields, "master_seed")
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        seed = b""
    if len(seed) != wall.SEED_BYTES:
        raise InvalidRecordError(f"seed.json: master_seed is {text!r}: expected {wall.SEED_BYTES} bytes in hex")
    return seed


def _count(fields: dict[str, Any], name: str) -> int:
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_MATCHES:
        raise InvalidRecordError(f"seed.json: {name} is {value!r}: expected a whole number from 1 to {MAX_MATCHES}")
    return value
