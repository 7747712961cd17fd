"""A hand told event by event as it is played, with how its payments come about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kawuxing.cli.record_text import event_lines, tiles_text
from kawuxing.engine.events import Event, HandEnded, HandRevealed, HandStarted, HandWon
from kawuxing.engine.payments import payer_factor
from kawuxing.engine.rules import RuleSet
from kawuxing.engine.scoring import multipliers


class Narrator:
    """Tells the events of a match, redacted or not, in their order."""

    def __init__(self, rules: RuleSet, names: Sequence[str]) -> None:
        """Begin before the first hand; ``names`` are those of the entrants."""
        self._rules = rules
        self._names = list(names)
        self._seats: list[str] = []
        self._revealed: set[int] = set()

    def tell(self, event: Event) -> Iterator[str]:
        """Yield the lines of the next event."""
        if isinstance(event, HandStarted):
            self._seats = [self._names[entrant] for entrant in event.entrants]
            self._revealed.clear()
        elif isinstance(event, HandRevealed):
            self._revealed.add(event.seat)
        elif isinstance(event, HandEnded):
            for name, kinds in zip(self._seats, event.concealed, strict=True):
                yield f"  at the end: {name} {tiles_text(kinds)}"
        yield from event_lines(event, self._seats, self._names)
        if isinstance(event, HandWon):
            yield f"    {self._score(event)}"
            yield f"    {self._payment(event)}"

    def _score(self, won: HandWon) -> str:
        """Return how the patterns make the total (RULES §4)."""
        factors = {str(pattern): factor for pattern, factor in multipliers(self._rules).items()}
        product, parts = 1, []
        for pattern in won.patterns:
            product *= factors[pattern]
            parts.append(f"{pattern} ×{factors[pattern]}")
        capped = f", capped at ×{won.total}" if product > won.total else ""
        return f"score: {', '.join(parts) or 'no pattern'} makes ×{product}{capped}"

    def _payment(self, won: HandWon) -> str:
        """Return who pays how much for a win, and why (RULES §6)."""
        rules = self._rules
        amount, text = won.total, str(won.total)
        if won.source != won.seat:
            if payer_factor(rules, payer_revealed=won.source in self._revealed) > 1:
                amount *= 2
                text += " × 2 since the payer is revealed"
            if rules.revealed_winner_takes_all_shares and won.seat in self._revealed:
                amount *= rules.seats - 1
                text += f" × {rules.seats - 1} since the winner is revealed: the payer pays for all"
        if rules.base > 1:
            amount *= rules.base
            text += f" × base {rules.base}"
        payer = "every other seat" if won.source == won.seat else self._seats[won.source]
        return f"to pay by {payer}: {text}" + ("" if text == str(amount) else f" = {amount}")
