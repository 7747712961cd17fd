"""Bots that misbehave, each in one way, to try an arena with: ``kawuxing-bot misbehaving-NAME``.

Apart from its vice each plays like ``random``, so that its games are as reproducible as its vice. All speak the
protocol with bytes, without the kit, which would not let them. docs/misbehaving.md says what becomes of each.
"""

from __future__ import annotations

from typing import Final

VICES: Final = {
    "never-sits-down": ("streams", "NeverSitsDown", "joins, and goes to no table"),
    "never-answers": ("answers", "NeverAnswers", "reads every question and leaves it open"),
    "answers-late": ("answers", "AnswersLate", "answers a question when the next one comes"),
    "out-of-range": ("answers", "OutOfRange", "answers an index behind the last legal action"),
    "answers-twice": ("answers", "AnswersTwice", "answers every question twice"),
    "floods": ("messages", "Floods", "answers a question ten thousand times"),
    "sends-garbage": ("messages", "SendsGarbage", "sends bytes that are no message"),
    "sends-too-much": ("messages", "SendsTooMuch", "sends 100 kB for an answer, over the arena's own limit"),
    "sends-10-mb": (
        "messages",
        "SendsTenMegabytes",
        "sends 10 MB for an answer, and a good one when asked again",
    ),
    "closes-stream": ("streams", "ClosesStream", "closes its stream at a question and stays away"),
    "reconnects": ("streams", "Reconnects", "hangs up at every question and answers when asked again"),
    "dies": ("streams", "Dies", "its process ends at a question"),
    "joins-twice": ("streams", "JoinsTwice", "signs in twice, and sits down twice at every table"),
    "never-reads": ("unread", "NeverReads", "lets the arena write nothing to it, and reads nothing"),
}
"""By name: the module in this package, the class, and what the bot does."""
