"""A person who plays: shown what a bot would be told, and asked by number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kawuxing.bots.bot import Bot, MatchInfo, Turn
from kawuxing.bots.sight import Sight, add, kinds_in, tiles_left
from kawuxing.cli.board import TileConsole, board_lines
from kawuxing.cli.narration import Narrator
from kawuxing.cli.record_text import TILES_LEGEND, tiles_text
from kawuxing.engine.actions import Action, ActionType
from kawuxing.engine.events import Event
from kawuxing.engine.shapes import waits
from kawuxing.engine.tiles import TEXT

_HELP: Final = f"""\
  {TILES_LEGEND}
  A complete hand is four sets and a pair; a set is three or four alike, or three in sequence of one suit. Seven pairs
  are complete, too, by most rules. No sequence can be made of another seat's discard.
  Reveal a ready hand and it stays as it is, for all to see: a win counts double, and discarding to it is expensive.
  In the list of seats * is whose turn it is, + your tile just drawn; points are those of the match.
  Answer with the number of an action; q leaves the match. `kawuxing rules show {{preset}}` prints the rules."""


class LeftError(Exception):
    """The person leaves, or there is nobody to ask any more."""


class Person(Bot):
    """Asks on standard input; shows on a console what this seat may see, and nothing else."""

    def __init__(self, match: MatchInfo, *, console: TileConsole, names: Sequence[str], preset: str) -> None:
        """Sit down; ``names`` are those of the entrants, ``preset`` the name of the rules."""
        super().__init__(match)
        self._console = console
        self._names = names
        self._preset = preset
        self._narrator = Narrator(match.rules, names)

    def observe(self, event: Event) -> None:
        """Tell what happened."""
        for line in self._narrator.tell(event):
            self._console.say(line)

    def choose(self, turn: Turn) -> Action:
        """Ask until the answer is the number of an action. Raises LeftError on q and at the end of the input."""
        self._show(turn)
        numbered = {str(number): action for number, action in enumerate(turn.legal, 1)}
        while True:
            answer = self._console.ask(f"1 to {len(turn.legal)}, ? or q: ")
            if answer is None or answer == "q":
                raise LeftError
            if answer in numbered:
                return numbered[answer]
            if answer == "?":
                self._console.say(_HELP.format(preset=self._preset))
            elif answer:
                self._console.say(f"  {answer!r} is no action: expected a number from 1 to {len(turn.legal)}, ? or q")

    def _show(self, turn: Turn) -> None:
        seen = turn.observation
        self._console.say()
        for line in board_lines(seen, self._names, {seen.seat: seen}):
            self._console.say(line)
        sight = Sight(self.match.rules, seen)
        for number, action in enumerate(turn.legal, 1):
            self._console.say(f"{number:4}  {self._text(action, sight)}")

    def _text(self, action: Action, sight: Sight) -> str:
        """Return an action in words, with the waits that a discard leaves."""
        if action.tile < 0:
            return action.type.value.lower()
        tile = TEXT[action.tile]
        if action.type not in {ActionType.DISCARD, ActionType.REVEAL}:
            return f"{action.type.value.lower().replace('_', ' ')} {tile}"
        text = f"discard {tile}" if action.type is ActionType.DISCARD else f"reveal and discard {tile}"
        if action.face_down:
            text += f", {tiles_text(action.face_down)} face down"
        mask = waits(self.match.rules, add(sight.concealed, action.tile, -1), sight.melds)
        if not mask:
            return text
        left = tiles_left(mask, sight.unseen)
        return f"{text}: waits on {tiles_text(kinds_in(mask))}, {left} unseen"
