"""The program around a bot: command line, environment, signals, logs and exit codes. grpc is imported only to play."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final, NoReturn

from kawuxing.bots.arguments import instance, shown
from kawuxing.bots.bot import BotFactory
from kawuxing.bots.errors import BotKitError, CredentialsError, from_authors_code

if TYPE_CHECKING:
    from kawuxing.bots.lobby import Connection

MAX_CAPACITY: Final = 64
MAX_PORT: Final = 65535
_MAX_MATCHES: Final = 1_000_000_000
_CLIENT_LENGTH: Final = 128
EXIT_CODES: Final = """\
exit codes: 0 the tournament is over, the bot was withdrawn or stopped by a signal, or it has played its matches;
1 the bot's own constructor failed; 2 address, token or another setting is wrong; 3 arena and kit do not
understand each other."""


def serve(make_bot: BotFactory, arguments: Sequence[str] | None = None) -> NoReturn:
    """Play whatever the arena assigns, then end the process: the whole ``main`` of a bot.

    ``arguments`` default to the command line; what they do not say is read from the environment variables
    KAWUXING_ADDRESS, KAWUXING_TOKEN, KAWUXING_CAPACITY and KAWUXING_MATCHES. The exit code says how it ended:
    see ``--help``. Call it once, from the main thread.

    Raises ValueError if ``make_bot`` cannot be called, or an argument is no text.
    """
    if not callable(make_bot):
        raise ValueError(f"make_bot is {shown(make_bot)}: expected a Bot class")  # noqa: TRY004  (as all of the kit)
    for number, argument in enumerate(arguments or ()):
        instance(f"arguments[{number}]", argument, str)
    options = argument_parser(sys.argv[0]).parse_args(arguments)
    sys.exit(run(make_bot, options, os.environ))


def argument_parser(program: str) -> argparse.ArgumentParser:
    """Return the parser of the options that every bot takes."""
    parser = argparse.ArgumentParser(
        prog=os.path.basename(program),  # noqa: PTH119  (a name, not a path)
        description="A bot for a Kawuxing arena.",
        epilog=EXIT_CODES,
    )
    add_options(parser)
    return parser


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that every bot takes."""
    parser.add_argument("--address", metavar="HOST:PORT", help="the arena (default: $KAWUXING_ADDRESS)")
    parser.add_argument("--token", help="the bot's token; better kept in $KAWUXING_TOKEN, out of process lists")
    parser.add_argument("--capacity", metavar="N", help=f"matches at once, 1 to {MAX_CAPACITY} (default: 1)")
    parser.add_argument(
        "--matches", metavar="N", help="play so many matches, then stop (default: as many as there are)"
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="log what happens, not only what goes wrong")


def run(make_bot: BotFactory, options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Play as the options and the environment say and return the exit code, after saying on stderr what went wrong."""
    name = getattr(make_bot, "__name__", type(make_bot).__name__)
    return run_client(partial(_play, make_bot), name, options, environment)


def run_client(
    play: Callable[[Connection], Coroutine[Any, Any, None]],
    name: str,
    options: argparse.Namespace,
    environment: Mapping[str, str],
) -> int:
    """Do as :func:`run` with any client that plays on a connection; ``name`` tells the arena which one it is."""
    quieten_grpc()
    try:
        connection = parse_connection(options, environment, name)
        _configure_logs(verbose=options.verbose)
        return _run_until_signal(play(connection))
    except BotKitError as error:
        sys.stderr.write(f"error: {error}\n")
        if error.__cause__ is not None:
            import traceback  # noqa: PLC0415  (only a failing bot needs it)

            traceback.print_exception(from_authors_code(error.__cause__))
        return error.exit_code


def quieten_grpc() -> None:
    """Let gRPC's core tell of errors alone, unless the environment says otherwise. Of use before grpc is imported."""
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")


def parse_connection(options: argparse.Namespace, environment: Mapping[str, str], name: str) -> Connection:
    """Return where, as whom and how much to play.

    Raises CredentialsError, naming the setting, its value and what was expected.
    """
    from kawuxing.bots.lobby import Connection  # noqa: PLC0415  (imports grpc)

    return Connection(
        address=parse_address(_setting(options.address, environment, "address")),
        token=parse_token(_setting(options.token, environment, "token")),
        capacity=_number(options.capacity, environment, "capacity", default=1, limit=MAX_CAPACITY),
        matches=_number(options.matches, environment, "matches", default=0, limit=_MAX_MATCHES),
        client=f"kawuxing-python/{version('kawuxing')} {name}"[:_CLIENT_LENGTH],
    )


def _setting(value: str | None, environment: Mapping[str, str], name: str) -> str:
    found = value or environment.get(_variable(name), "")
    if not found:
        raise CredentialsError(f"no {name}: give --{name} or set {_variable(name)}")
    return found


def _number(value: str | None, environment: Mapping[str, str], name: str, *, default: int, limit: int) -> int:
    text = value or environment.get(_variable(name), "")
    if not text:
        return default
    if text.isascii() and text.isdigit() and 1 <= int(text) <= limit:
        return int(text)
    raise CredentialsError(f"{name} is {text!r}: expected a whole number from 1 to {limit}")


def _variable(name: str) -> str:
    return f"KAWUXING_{name.upper()}"


def parse_address(text: str) -> str:
    """Return the address of an arena. Raises CredentialsError, saying what was expected, if it is not ``host:port``."""
    host, colon, port = text.rpartition(":")
    if host and colon and port.isascii() and port.isdigit() and 1 <= int(port) <= MAX_PORT and "/" not in host:
        return text
    raise CredentialsError(f"address is {text!r}: expected host:port, such as 127.0.0.1:7700")


def parse_token(text: str) -> str:
    """Return the token of a bot. Raises CredentialsError if it cannot be one; it does not show it."""
    if text.isascii() and text.isprintable():
        return text
    raise CredentialsError("the token is not printable ASCII: expected it as `kawuxing bot add` printed it")


async def _play(make_bot: BotFactory, connection: Connection) -> None:
    from kawuxing.bots.dialogue import BotDialogue  # noqa: PLC0415  (imports protobuf)
    from kawuxing.bots.lobby import LobbyClient  # noqa: PLC0415  (imports grpc)

    await LobbyClient(connection, partial(BotDialogue, make_bot)).run()


def _run_until_signal(playing: Coroutine[Any, Any, None]) -> int:
    """Run to the end, or to SIGINT, SIGTERM or a terminal that is closed, which end it just as cleanly.

    The second of them does not wait for a bot that is thinking.
    """

    async def until_signal() -> None:
        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(playing)

        def end(_: int, __: object) -> None:
            loop.call_soon_threadsafe(task.cancel)
            for each in handled:
                signal.signal(each, signal.SIG_DFL)

        handled: list[signal.Signals] = []
        if sys.platform != "win32":
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                # Who starts it with nohup means it.
                if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                    handled.append(number)
                    # Not the loop's own handlers: they wait until the bot has answered.
                    signal.signal(number, end)
        await asyncio.wait((task,))
        # There is nothing left to cancel.
        for each in handled:
            signal.signal(each, signal.SIG_DFL)
        if not task.cancelled():
            task.result()

    if sys.platform == "win32":
        asyncio.run(until_signal())
    else:
        import uvloop  # noqa: PLC0415  (only to play)

        uvloop.run(until_signal())
    return 0


def _configure_logs(*, verbose: bool) -> None:
    """Log to stderr, unless the bot's program has configured structlog itself."""
    import logging  # noqa: PLC0415  (only to play)

    import structlog  # noqa: PLC0415  (only to play)

    if structlog.is_configured():
        return
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
            ),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO if verbose else logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
