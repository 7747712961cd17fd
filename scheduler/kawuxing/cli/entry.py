"""Where `kawuxing` and `kawuxing-bot` begin, so that Ctrl-C ends them quietly while they still import all the rest."""

from __future__ import annotations

import os
import signal
import sys
from typing import Final

_INTERRUPTED: Final = 130


def kawuxing() -> None:
    """Run the command line; exit with a code of :class:`kawuxing.cli.exits.Exit`."""
    before = signal.getsignal(signal.SIGINT)
    _leave_at_ctrl_c()
    from kawuxing.cli.main import main

    signal.signal(signal.SIGINT, before)
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


def kawuxing_bot() -> None:
    """Run a shipped bot, which takes the signals over when it begins to play."""
    _leave_at_ctrl_c()
    from kawuxing.bots.main import main

    main()


def _leave_at_ctrl_c() -> None:
    """Have Ctrl-C end the process, unless it is ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # An exception would be shown, or lost, wherever in the imports it happens to be raised.
        signal.signal(signal.SIGINT, lambda *_: os._exit(_INTERRUPTED))
