"""Runs the ``kawuxing`` command as a user does: as a process of its own, in a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

KAWUXING = str(Path(sys.executable).parent / "kawuxing")

TOURNAMENT = """
name = "Cup"
seed = "a practice seed"

[match]
hands = {hands}

[schedule]
deals = {deals}

[run]
concurrency = 4
"""
BOT = """
[[bots]]
name = "{name}"
command = ["kawuxing-bot", "random"]
"""


def tournament(*, bots: int = 3, hands: int = 1, deals: int = 1) -> str:
    """Return the text of a tournament.toml between random bots."""
    names = [f"bot-{number}" for number in range(bots)]
    return TOURNAMENT.format(hands=hands, deals=deals) + "".join(BOT.format(name=name) for name in names)


@dataclass(slots=True)
class Arena:
    """A folder with a tournament.toml and a home."""

    folder: Path
    env: dict[str, str] = field(default_factory=dict)

    @property
    def config(self) -> Path:
        """The tournament.toml."""
        return self.folder / "tournament.toml"

    @property
    def home(self) -> Path:
        """The arena's home folder."""
        return self.folder / "home"

    @property
    def exported(self) -> Path:
        """The folder that a run of the default tournament leaves."""
        return self.home / "tournaments" / "cup"

    def write(self, text: str) -> Path:
        """Write the tournament.toml."""
        self.config.write_text(text, "utf-8")
        return self.config

    def start(self, *arguments: str | Path) -> subprocess.Popen[str]:
        """Start the command and return at once."""
        return subprocess.Popen(
            [KAWUXING, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            cwd=self.folder,
            env=self._environment(),
        )

    def command(self, *arguments: str | Path, code: int = 0, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        """Run the command to its end and expect its exit code."""
        with self.start(*arguments) as process:
            try:
                out, error = process.communicate(timeout=timeout)
            except BaseException:
                process.kill()
                raise
        assert code == process.returncode, f"exit code {process.returncode}\n{out}\n{error}"
        assert "Traceback" not in error, error
        return subprocess.CompletedProcess(process.args, process.returncode, out, error)

    def json(self, *arguments: str | Path, code: int = 0) -> Any:
        """Run the command with --json and return what it prints."""
        return json.loads(self.command(*arguments, "--json", code=code).stdout)

    def run_arguments(self) -> list[str | Path]:
        """Return the arguments that run the tournament."""
        return ["run", self.config, "--home", self.home]

    def _environment(self) -> Mapping[str, str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("KAWUXING_")}
        return {**clean, **self.env}
