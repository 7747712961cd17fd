"""``kawuxing play``: a person takes a seat in the terminal, against shipped bots."""

from __future__ import annotations

import secrets
import signal
from functools import partial
from typing import Annotated, NoReturn

import typer

from kawuxing.cli.exits import Exit
from kawuxing.engine.errors import KawuxingError
from kawuxing.engine.rules import DEFAULT_PRESET

_MOST_HANDS = 100
_RIVALS = ("careful", "greedy", "random")
"""Who plays if nobody is named."""


class PlayOptionError(KawuxingError):
    """An option of ``kawuxing play`` that names what there is not."""


def play(
    *,
    rules: Annotated[
        str, typer.Option("--rules", help="A preset, one of those that `kawuxing rules list` prints.", metavar="PRESET")
    ] = DEFAULT_PRESET,
    bots: Annotated[
        str | None,
        typer.Option(
            "--bots",
            help="The others, in seat order.",
            metavar="NAME,NAME…",
            show_default="careful,greedy and, where four play, random",
        ),
    ] = None,
    hands: Annotated[int, typer.Option("--hands", help="How many hands.", min=1, max=_MOST_HANDS)] = 4,
    seed: Annotated[
        str | None,
        typer.Option(
            "--seed", help="The same text gives the same walls.", metavar="TEXT", show_default="another each time"
        ),
    ] = None,
    seat: Annotated[int, typer.Option("--seat", help="Your seat in the first hand, from 0, which deals first.")] = 0,
) -> None:
    """Play in the terminal against shipped bots: the actions are numbered, ? helps, q leaves."""
    from kawuxing.bots.bot import BotFactory
    from kawuxing.bots.local import play_match
    from kawuxing.bots.main import shipped_bot
    from kawuxing.cli.board import TileConsole
    from kawuxing.cli.person import LeftError, Person
    from kawuxing.cli.record_text import YOU, result_lines
    from kawuxing.engine.rules import load_preset
    from kawuxing.engine.wall import practice_seed

    rule_set = load_preset(rules)
    rivals = _rivals(bots, rule_set.entrants - 1)
    if not 0 <= seat < rule_set.entrants:
        raise PlayOptionError(f"--seat is {seat}: expected 0 to {rule_set.entrants - 1}")
    names = _numbered(rivals)
    names.insert(seat, YOU)
    text = secrets.token_hex(4) if seed is None else seed
    console = TileConsole()
    console.say(f"{', '.join(names)}: {_hands(hands)} by the rules {rules}, seed {text}")
    everybody: list[BotFactory] = list(map(shipped_bot, rivals))
    everybody.insert(seat, partial(Person, console=console, names=names, preset=rules))
    # asyncio's own handler would wait until the person has answered.
    signal.signal(signal.SIGINT, _interrupt)
    try:
        result = play_match(rule_set, everybody, hands=hands, deal_seed=practice_seed(text))
    except LeftError:
        console.say("you left the match")
        return
    except KeyboardInterrupt:
        console.say()
        raise typer.Exit(Exit.INTERRUPTED) from None
    for line in result_lines(result, names):
        console.say(line)


def _interrupt(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _rivals(bots: str | None, count: int) -> list[str]:
    from kawuxing.bots.main import SHIPPED

    if bots is None:
        return list(_RIVALS[:count])
    rivals = bots.split(",")
    for name in rivals:
        if name not in SHIPPED:
            raise PlayOptionError(f"--bots: {name!r} is no shipped bot: expected some of {', '.join(SHIPPED)}")
    if len(rivals) != count:
        raise PlayOptionError(f"--bots names {len(rivals)}: expected {count} for these rules")
    return rivals


def _numbered(names: list[str]) -> list[str]:
    """Return the names with a number where one comes more than once."""
    return [
        f"{name}-{names[: index + 1].count(name)}" if names.count(name) > 1 else name
        for index, name in enumerate(names)
    ]


def _hands(hands: int) -> str:
    return "1 hand" if hands == 1 else f"{hands} hands"
