"""What a bot's author is told while the arena runs and by the organiser afterwards, and that nobody else is."""

from __future__ import annotations

import json
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from tests.e2e.arena import Arena
from tests.e2e.quick import QuickCommand
from tests.e2e.test_remote_bot import add, remote_bot, running

from kawuxing.cli.exits import Exit

TOURNAMENT: Final = """
name = "Cup"
seed = "a practice seed"

[match]
hands = 4

[[bots]]
name = "errs"
command = ["sh", "-c", "echo $KAWUXING_TOKEN > {folder}/token; echo $SAYS; exec kawuxing-bot {vice}"]
env = {{ SAYS = "said by errs" }}

[[bots]]
name = "guest"
remote = true

[[bots]]
name = "other"
command = ["sh", "-c", "echo $SAYS; exec kawuxing-bot random"]
env = {{ SAYS = "said by other" }}
"""
OF_OTHERS: Final = {"errs": ("guest", "other"), "guest": ("errs", "other", "said by", "choice is")}
"""What must not be in a bot's report."""


@dataclass(frozen=True, slots=True)
class Reported:
    """A tournament of which authors were told after its first match, and whose arena is gone."""

    arena: Arena
    address: str
    tokens: dict[str, str]
    told: dict[str, str]
    """By author: the JSON that `kawuxing report` printed while the tournament was played."""
    refused: tuple[int, str]
    """Exit code and words for a wrong token."""


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Reported:
    """Play it: without the guest, who leaves after one match and comes back, nothing is played."""
    arena = Arena(tmp_path_factory.mktemp("reported"))
    arena.write(TOURNAMENT.format(folder=arena.folder, vice="misbehaving-out-of-range"))
    guest = add(arena, "guest")
    with running(arena) as (run, address):

        def ask(token: str, code: int = 0) -> tuple[str, str]:
            arena.env = {"KAWUXING_ADDRESS": address, "KAWUXING_TOKEN": token}
            done = arena.command("report", "--json", code=code)
            return done.stdout, done.stderr

        with remote_bot(address, guest, "--matches", "1") as bot:
            assert 0 == bot.wait(60)
        tokens = {"guest": guest, "errs": (arena.folder / "token").read_text().strip()}
        told = {name: ask(token)[0] for name, token in tokens.items()}
        refused = ask("a token that nobody has", Exit.BAD_INPUT)[1]
        with remote_bot(address, guest, "--capacity", "4"):
            run.communicate(timeout=120)
    assert 0 == run.returncode
    arena.env = {}
    return Reported(arena, address, tokens, told, (Exit.BAD_INPUT, refused))


def by_organiser(reported: Reported, bot: str) -> Any:
    """Return the one report that the organiser gets for a bot."""
    (report,) = reported.arena.json("bot", "report", bot, "--home", reported.arena.home)
    return report


def mode(path: Path) -> str:
    return f"{stat.S_IMODE(path.stat().st_mode):04o}"


def test_an_author_is_told_of_the_own_bot_while_the_arena_runs(reported: Reported) -> None:
    """Each fault with the match, hand and decision, what was asked and what was wrong; times; what it printed."""
    (errs,) = json.loads(reported.told["errs"])
    (guest,) = json.loads(reported.told["guest"])
    ids = {match["match"] for match in reported.arena.json("matches", "--home", reported.arena.home)}

    assert [("errs", 1, {"ILLEGAL_CHOICE": 3}), ("guest", 1, {})] == [
        (told["bot"], told["matches"]["done"], told["fault_counts"]) for told in (errs, guest)
    ]
    assert 3 == len(errs["faults"])
    for fault in errs["faults"]:
        legal = len(fault["legal_actions"])
        assert f"choice is {legal}: expected 0 to {legal - 1}" == fault["detail"]
        assert {"match", "hand", "decision_id", "fault", "legal_actions", "detail"} == fault.keys()
    assert {slow["match"] for slow in errs["slowest"]} == {slow["match"] for slow in guest["slowest"]}
    assert {slow["match"] for slow in errs["slowest"]} < ids
    assert errs["slowest"] == sorted(errs["slowest"], key=lambda slow: -slow["milliseconds"])
    assert errs["slowest"][0]["milliseconds"] == errs["decision_times"]["longest_ms"]
    assert "said by errs" in errs["log"]
    assert ("", []) == (guest["log"], guest["faults"])


@pytest.mark.parametrize("author", OF_OTHERS)
def test_an_author_is_told_nothing_of_others(reported: Reported, author: str) -> None:
    """Neither their names nor what they printed, nor how they erred; a token opens one bot's report alone."""
    assert [] == [text for text in OF_OTHERS[author] if text in reported.told[author]]
    assert [] == [token for token in reported.tokens.values() if token in reported.told[author]]


def test_a_wrong_token_opens_nothing(reported: Reported) -> None:
    """It is refused as in the lobby."""
    code, said = reported.refused

    assert Exit.BAD_INPUT == code
    refused = "refuses: the token is unknown to this arena: ask its organiser for one"
    assert f"error: the arena at {reported.address} {refused}\n" == said


def test_the_organiser_gets_the_same_report_when_the_arena_is_gone(reported: Reported) -> None:
    """It has what the author was told before, and what came later; the author is told that nobody answers."""
    (before,) = json.loads(reported.told["errs"])
    report = by_organiser(reported, "errs")

    assert before.keys() == report.keys()
    assert {"done": 6, "pending": 0, "playing": 0, "cancelled": 0, "failed": 0} == report["matches"]
    assert before["faults"] == report["faults"][:3]
    assert 18 == report["fault_counts"]["ILLEGAL_CHOICE"] == len(report["faults"])
    assert "said by errs" in report["log"]
    assert "said by other" in by_organiser(reported, "other")["log"]
    gone = reported.arena.command("report", "--address", reported.address, "--token", "x", code=Exit.ENVIRONMENT)
    assert gone.stderr.startswith(f"error: no arena answers at {reported.address}: ")


def test_nothing_for_authors_is_published(reported: Reported) -> None:
    """The exported folder tells kinds and numbers of faults; no evidence, no slow decisions, no log, no environment."""
    published = b"".join(path.read_bytes() for path in reported.arena.exported.rglob("*") if path.is_file())

    assert b"ILLEGAL_CHOICE" in published
    assert [] == [text for text in (b"choice is", b"said by", b"slowest") if text in published]
    slow = [str(decision["milliseconds"]).encode() for decision in by_organiser(reported, "errs")["slowest"]]
    # One may stand there by chance, as a rounded median.
    assert not all(time in published for time in slow)


def test_what_is_for_authors_is_shut_off_from_other_users(reported: Reported) -> None:
    """Folders 0700, files 0600; each bot's log holds what that bot printed."""
    home = reported.arena.home

    assert ["0700"] * 3 == [mode(folder) for folder in (home, home / "logs", home / "logs" / "cup")]
    assert {"0600"} == {mode(path) for path in (*(home / "logs").rglob("*.log*"), *home.glob("arena.db*"))}
    assert {"errs.log": ["errs"], "other.log": ["other"], "_supervisor.log": []} == {
        path.name: [name for name in ("errs", "guest", "other") if f"said by {name}" in path.read_text()]
        for path in (home / "logs" / "cup").iterdir()
    }


def test_a_report_for_people(reported: Reported, quick: QuickCommand) -> None:
    """What the JSON has, in lines."""
    said = quick("bot", "report", "errs", "--home", reported.arena.home, cwd=reported.arena.folder)
    lines = said.out.splitlines()
    fault = by_organiser(reported, "errs")["faults"][0]

    assert (Exit.DONE, "errs in cup", "matches: 6 done") == (said.code, *lines[:2])
    assert "faults: 18 ILLEGAL_CHOICE" in lines
    at = lines.index("its faults:") + 2
    told = (fault["match"], fault["hand"], fault["decision_id"], fault["fault"])
    assert " ".join(map(str, told)) == " ".join(lines[at].split())
    assert f"  {fault['detail']}" == lines[at + 1]
    assert f"  legal were: {', '.join(fault['legal_actions'])}" == lines[at + 2]
    assert "the slowest decisions:" in lines
    assert "  said by errs" in lines


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nobody",), "error: bot 'nobody' is entered in no tournament here: expected a bot that is\n"),
        (("errs", "--tournament", "cap"), "error: --tournament is 'cap': expected cup\n"),
    ],
)
def test_a_report_that_there_is_not(
    reported: Reported, quick: QuickCommand, arguments: tuple[str, ...], told: str
) -> None:
    """The name is told with what was expected."""
    said = quick("bot", "report", *arguments, "--home", reported.arena.home, cwd=reported.arena.folder)

    assert (Exit.BAD_INPUT, "", told) == (said.code, said.out, said.error)
