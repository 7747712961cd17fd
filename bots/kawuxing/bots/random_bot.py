"""``random``: any legal action, each as likely as the others."""

from __future__ import annotations

from kawuxing.bots.bot import Bot, Turn
from kawuxing.engine.actions import Action


class RandomBot(Bot):
    """Plays uniformly at random, the same for the same bot_seed: the zero of every ranking."""

    def choose(self, turn: Turn) -> Action:
        """Return any legal action."""
        return turn.random.choice(turn.legal)
