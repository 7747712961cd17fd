"""``kawuxing check-bot``, as authors and organisers run it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kawuxing.runner.check.report import TITLES

CHECK = [sys.executable, "-c", "from kawuxing.cli.main import main; main()", "check-bot"]
BOT = str(Path(sys.executable).with_name("kawuxing-bot"))


def run(*arguments: str | Path, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    env = os.environ | variables
    return subprocess.run(
        [*CHECK, *arguments], capture_output=True, text=True, cwd=cwd, env=env, timeout=120, check=False
    )


def test_a_good_bot_is_admitted(tmp_path: Path) -> None:
    """Exit code 0, the table on stdout, progress on stderr, and nothing left behind."""
    ran = run("--rules", "xiangyang", "--", "kawuxing-bot", "greedy", cwd=tmp_path)

    assert 0 == ran.returncode
    assert "kawuxing-bot greedy: admitted\n22 passed; " in ran.stdout
    assert list(TITLES) == re.findall(r"^([a-z-]+) +passed ", ran.stdout, re.MULTILINE)
    assert ran.stdout.endswith("\n\nkawuxing-bot greedy: admitted\n")
    assert re.search(r"^ +\d+\.\d s  playing a first match$", ran.stderr, re.MULTILINE)
    assert [] == list(tmp_path.iterdir())


def test_a_bad_bot_is_not_admitted_and_the_report_says_why(tmp_path: Path) -> None:
    """Exit code 1; JSON for programs; with --save every message and the bot's log."""
    ran = run(
        "--rules", "hubei", "--json", "--save", "kept", "--", "kawuxing-bot", "misbehaving-out-of-range", cwd=tmp_path
    )

    report = json.loads(ran.stdout)
    assert 1 == ran.returncode
    assert report["admitted"] is False
    failed = [check for check in report["checks"] if check["verdict"] == "failed"]
    assert ["legal"] == [check["id"] for check in failed]
    assert "ILLEGAL_CHOICE" in failed[0]["why"]
    assert any("decision" in entry.get("message", {}) for entry in failed[0]["exchange"])
    kept = tmp_path / "kept"
    assert report == json.loads((kept / "report.json").read_text("utf-8"))
    exchanges = json.loads((kept / "exchanges.json").read_text("utf-8"))
    assert ["lobby", "hubei/whole-0"] == list(exchanges)
    assert "match_end" in exchanges["hubei/whole-0"][-2]["message"]
    assert (kept / "candidate.log").exists()


def test_people_are_shown_what_was_said(tmp_path: Path) -> None:
    """The last messages around the failure, a line each, and the end of the bot's log."""
    program = "print('\\x1b[2J my bot', flush=True); raise SystemExit('no arena for me')"
    ran = run("--wait", "1", "--", sys.executable, "-c", program, cwd=tmp_path)

    assert 1 == ran.returncode
    assert "NOT ADMITTED" in ran.stdout
    assert "join, failed: no Join came through in 1 s; its process ended: exit code 1" in ran.stdout
    assert "no arena for me" in ran.stdout
    assert "\x1b" not in ran.stdout
    assert r"\x1b[2J my bot" in ran.stdout


def test_the_report_fits_the_terminal_and_ends_with_what_failed(tmp_path: Path) -> None:
    """Messages are cut and figures wrapped at the width; no message is shown twice; the last lines are the verdict."""
    command = ["kawuxing-bot", "misbehaving-out-of-range"]
    ran = run("--rules", "hubei", "--", *command, cwd=tmp_path, COLUMNS="110")

    lines = ran.stdout.splitlines()
    table = lines[lines.index("") + 1 :]
    assert max(map(len, table[: table.index("")])) <= 110
    said = [line for line in lines if re.match(r" +\d+\.\d{4} s  ", line)]
    assert 110 == max(map(len, said))
    assert len(said) == len(set(said))
    assert "1 match in" in lines[1]
    assert "kawuxing-bot misbehaving-out-of-range: NOT ADMITTED" == lines[-2]
    assert lines[-1].startswith("legal, failed: match whole-0 by hubei: decision 5: ILLEGAL_CHOICE")


def test_a_remote_bot_is_told_where_to_connect(tmp_path: Path) -> None:
    """Address and token come first on stderr; a bot that uses them is checked like any other."""
    process = subprocess.Popen(
        [*CHECK, "--rules", "xiangyang", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert process.stderr is not None
    variables = dict(re.findall(r"(KAWUXING_\w+)=(\S+)", process.stderr.readline()))
    bot = subprocess.Popen([BOT, "random", "--capacity", "3"], env=variables, cwd=tmp_path)
    out, _ = process.communicate(timeout=120)

    assert 0 == bot.wait(20)
    assert 0 == process.returncode
    verdicts = {check["id"]: check["verdict"] for check in json.loads(out)["checks"]}
    assert "not run" == verdicts.pop("process-restart")
    assert "not run" == verdicts.pop("log")
    assert "not run" == verdicts.pop("memory")
    assert {"passed"} == set(verdicts.values())


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
    ids=str,
)
def test_a_signal_stops_the_check_and_leaves_nothing_behind(tmp_path: Path, number: signal.Signals, code: int) -> None:
    """No folder and no process of the bot, whatever it does when it is told to end."""
    (tmp_path / "temporary").mkdir()
    pid = tmp_path / "pid"
    os.mkfifo(pid)
    program = f"trap '' TERM HUP INT; echo $$ > {pid}; while :; do sleep 1; done"
    process = subprocess.Popen(
        [*CHECK, "--", "sh", "-c", program],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"TMPDIR": str(tmp_path / "temporary")},
    )
    bot = int(pid.read_text("ascii"))
    process.send_signal(number)
    _, told = process.communicate(timeout=60)

    assert code == process.returncode
    assert told.endswith("stopped; nothing was concluded\n")
    assert [] == list((tmp_path / "temporary").iterdir())
    with pytest.raises(ProcessLookupError):
        os.kill(bot, 0)


def test_only_what_this_check_wrote_is_kept(tmp_path: Path) -> None:
    """Files of an earlier, longer check are gone; others stay."""
    kept = tmp_path / "kept"
    kept.mkdir()
    for name in ("report.json", "exchanges.json", "candidate.log", "candidate.log.old", "notes.txt"):
        (kept / name).write_text("of yesterday")
    ran = run("--wait", "1", "--save", kept, "--", sys.executable, "-c", "import time; time.sleep(60)", cwd=tmp_path)

    assert 1 == ran.returncode
    assert {"report.json", "exchanges.json", "candidate.log", "_supervisor.log", "notes.txt"} == {
        path.name for path in kept.iterdir()
    }
    assert ["notes.txt"] == [path.name for path in kept.iterdir() if path.read_text("utf-8") == "of yesterday"]


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--rules", "nowhere"], 2, "preset 'nowhere' is unknown"),
        (["--capacity", "65", "--", "x"], 2, "equal to 64"),
        (["--capacity", "inf", "--", "x"], 2, "'--capacity': Input should be a valid integer"),
        (["--wait", "nan"], 2, "'--wait': Input should be a valid integer"),
        (["--wait", "inf"], 2, "'--wait': Input should be a valid integer"),
        (["--wait", "1e300"], 2, "'--wait': Input should be a valid integer"),
        (["--wait", "9" * 300], 2, "less than or equal to 604800"),
        (["--wait", "-1"], 2, "greater than or equal to 1"),
        (["--listen", "here"], 2, "listen is 'here': expected host:port"),
        (["--listen", ":99999"], 2, "listen is ':99999': expected host:port"),
        (["--listen", "0.0.0.0:0"], 2, "or --insecure if the network can be trusted"),
        (["--listen", "192.0.2.1:7300", "--insecure"], 4, "cannot listen on 192.0.2.1:7300"),
        (["--save", b"\xff", "--", "kawuxing-bot"], 2, r"argument '\udcff': expected UTF-8"),
        (["--json", "--", "kawuxing-bot", b"\xff"], 2, r"argument '\udcff': expected UTF-8"),
        (["--", "no-such-program"], 4, "no program 'no-such-program'"),
        (["--save", "/proc/nowhere", "--", "kawuxing-bot"], 4, "expected a folder that can be written"),
    ],
    ids=lambda value: " ".join(map(str, value))[:40] if isinstance(value, list) else None,
)
def test_what_cannot_be_checked_says_so(tmp_path: Path, arguments: list[str | bytes], code: int, told: str) -> None:
    """A mistake on the command line, or something that this machine does not have; nothing is left of the attempt."""
    ran = run(*map(os.fsdecode, arguments), cwd=tmp_path)

    assert code == ran.returncode
    assert told in " ".join(re.sub("[│╭╮╰╯─]", " ", ran.stderr).split())
    assert "Traceback" not in ran.stderr
    assert [] == list(tmp_path.iterdir())
    if "--json" in arguments:
        assert code == json.loads(ran.stdout)["exit_code"]
