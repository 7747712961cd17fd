"""`kawuxing play`: a person plays against bots, at a terminal or by a script."""

from __future__ import annotations

import io
import re
import signal
import subprocess
from datetime import timedelta

import pytest
from tests.cli.terminal import KAWUXING, Terminal

from kawuxing.bots.bot import Clock, MatchInfo, Turn, decision_random
from kawuxing.cli.board import TileConsole
from kawuxing.cli.person import Person
from kawuxing.engine.hand import Hand
from kawuxing.engine.observation import observe
from kawuxing.engine.rules import RuleSet, load_preset
from kawuxing.engine.testing import arranged_wall

PROMPT = "? or q: "
COLOURED = "\x1b["


def play(answers: str, *arguments: str, code: int = 0) -> str:
    """Return what is printed when these answers are given, one a line."""
    ran = subprocess.run(
        [KAWUXING, "play", *arguments], input=answers, capture_output=True, text=True, timeout=120, check=False
    )
    assert (code, "") == (ran.returncode, ran.stderr)
    return ran.stdout


def test_a_match_can_be_played_to_its_end() -> None:
    """Whatever is answered with 1, the hands end, are explained, and the result is printed."""
    shown = play("1\n" * 500, "--seed", "a", "--hands", "2", "--bots", "careful,greedy")

    assert "you, careful, greedy: 2 hands by the rules xiangyang, seed a" == shown.splitlines()[0]
    assert 2 == shown.count("  hand: ")
    assert 2 == len(re.findall(r"^hand \d, dealer ", shown, re.MULTILINE))
    assert 3 == len(re.findall(r"^  \d\. \S+ +[+-]\d+ points, \d wins?$", shown, re.MULTILINE))
    assert COLOURED not in shown


def test_the_same_seed_and_answers_give_the_same_match() -> None:
    """And another seed another."""
    first, second, other = (play("2\n" * 300, "--seed", seed, "--hands", "1") for seed in ("a", "a", "b"))

    assert first == second
    assert first != other


def test_without_a_seed_the_walls_are_new_and_can_be_had_again() -> None:
    """The seed is printed."""
    shown = play("q\n")
    seed = shown.splitlines()[0].rpartition("seed ")[2]

    assert shown == play("q\n", "--seed", seed)
    assert shown != play("q\n")


def test_the_person_is_shown_what_its_seat_may_see_and_no_more() -> None:
    """Before the hand is over the others' tiles are neither dealt nor drawn in the open."""
    shown = play("1\n", "--seed", "a", "--seat", "1")
    before = shown.partition(PROMPT)[0]

    assert "  careful draws a tile (44 left)" in before.splitlines()
    assert re.search(r"^. you +\+0  [1-9]+[psz]", before, re.MULTILINE)
    assert re.search(r"^. careful +\+0  13 tiles", before, re.MULTILINE)
    assert not re.search(r"^. (careful|greedy) +(\+0)? +[1-9]+[psz]", before, re.MULTILINE)


def test_a_win_is_explained() -> None:
    """By its patterns with their multipliers, and by who pays how much; and the points so far are told."""
    shown = play("1\n" * 500, "--seed", "a", "--hands", "4")

    assert re.search(r"wins? on \d[psz] .*\n    score: .* makes ×\d+\n    to pay by .*\n    win: you [+-]\d+, ", shown)
    assert 4 == len(re.findall(r"^  hand: you [+-]\d+, .*; match: you [+-]\d+, ", shown, re.MULTILINE))


def asked(rules: RuleSet, concealed: str, draw: str) -> Turn:
    """Return what seat 0 is asked that was dealt these tiles and drew another."""
    hand = Hand(rules, arranged_wall(rules, [concealed], draws=draw), 0)
    hand.start()
    return Turn(
        observation=observe(hand, 0),
        legal=hand.pending()[0],
        random=decision_random(b"", 0),
        decision_id=0,
        time_left=timedelta(1),
    )


def sit_down(rules: RuleSet) -> Person:
    """Return a person at a table with these rules."""
    long = timedelta(1)
    match = MatchInfo(
        match_id="m",
        rules=rules,
        entrant=0,
        entrants=3,
        hands=1,
        clock=Clock(long, long, long, long),
        max_faults=1,
        bot_seed=b"",
        commitment="",
    )
    return Person(match, console=TileConsole(), names=["you", "b", "c"], preset="any")


@pytest.mark.parametrize(
    ("preset", "concealed", "told"),
    [
        ("xiangyang", "46p 123s 456s 789s 77z", "reveal and discard 8p: waits on 5p, 4 unseen"),
        ("hubei", "46p 111s 456s 789s 77z", "reveal and discard 8p, 1s face down: waits on 5p, 4 unseen"),
    ],
)
def test_a_discard_that_leaves_the_hand_ready_is_told_with_its_waits(
    preset: str, concealed: str, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And so is the reveal with it, with the pungs that it keeps face down."""
    rules = load_preset(preset)
    turn = asked(rules, concealed, "8p")
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n"))

    assert turn.legal[0] == sit_down(rules).choose(turn)
    lines = [line[6:] for line in capsys.readouterr().out.splitlines()]
    assert "discard 8p: waits on 5p, 4 unseen" in lines
    assert told in lines


def test_what_is_no_answer_is_asked_again() -> None:
    """A number that is not there, a word, an empty line; and ? explains."""
    shown = play("0\n99\nnonsense\n\n?\n\xb2\nq\n", "--seed", "a", "--rules", "hubei")

    assert ["'0'", "'99'", "'nonsense'", "'²'"] == re.findall(
        r"^  ('.*') is no action: expected a number from 1 to", shown, re.MULTILINE
    )
    assert 7 == shown.count(PROMPT)
    assert "tiles: 1-9m characters" in shown
    assert "`kawuxing rules show hubei` prints the rules" in shown
    assert "you left the match" == shown.splitlines()[-1]


def test_what_is_no_text_is_no_answer_either() -> None:
    """Whatever the encoding is."""
    ran = subprocess.run([KAWUXING, "play"], input=b"\xff\xfe\nq\n", capture_output=True, timeout=60, check=False)

    assert (0, b"") == (ran.returncode, ran.stderr)
    assert 2 == ran.stdout.decode().count(PROMPT)


def test_the_end_of_the_input_leaves_the_match() -> None:
    """As q does."""
    assert "you left the match" == play("1\n").splitlines()[-1]


@pytest.mark.parametrize(
    ("preset", "others"),
    [
        ("four-seat", "careful, greedy, random"),
        ("sit-out", "careful, greedy, random"),
        ("three-suit", "careful, greedy"),
    ],
)
def test_every_rule_set_can_be_played(preset: str, others: str) -> None:
    """With as many bots as it has other entrants, to the end."""
    shown = play("1\n" * 2000, "--rules", preset, "--hands", "2", "--seed", "a")

    assert f"you, {others}: 2 hands by the rules {preset}, seed a" == shown.splitlines()[0]
    assert "result" in shown.splitlines()


def test_two_bots_of_one_name_are_told_apart() -> None:
    """By a number."""
    shown = play("q\n", "--bots", "greedy,greedy", "--seat", "2", "--seed", "a")

    assert "greedy-1, greedy-2, you: 4 hands by the rules xiangyang, seed a" == shown.splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--rules", "riichi"], "error: preset 'riichi' is unknown; the presets are"),
        (
            ["--bots", "careful,clever"],
            "error: --bots: 'clever' is no shipped bot: expected some of",
        ),
        (["--bots", "careful"], "error: --bots names 1: expected 2 for these rules"),
        (["--seat", "3"], "error: --seat is 3: expected 0 to 2"),
        (["--seat", "-1"], "error: --seat is -1: expected 0 to 2"),
        (["--hands", "0"], "greater than or equal to 1"),
    ],
)
def test_options_that_cannot_be_are_told(arguments: list[str], said: str) -> None:
    """With exit code 2, before anything is played."""
    ran = subprocess.run([KAWUXING, "play", *arguments], capture_output=True, text=True, timeout=60, check=False)

    assert (2, "") == (ran.returncode, ran.stdout)
    assert said in ran.stderr


def test_at_a_terminal_tiles_have_the_colours_of_their_suits() -> None:
    """And what is typed there is not shown twice."""
    with Terminal("play", "--seed", "a") as terminal:
        assert COLOURED in terminal.wait_for(PROMPT)
        terminal.type("1")
        assert 1 == len(re.findall(r"^1\r?$", terminal.wait_for("you discard").replace(COLOURED, ""), re.MULTILINE))
        terminal.wait_for(PROMPT)
        terminal.type("q")
        code, shown = terminal.end()

    assert 0 == code
    assert "you left the match" in shown


def test_ctrl_c_ends_it_at_once() -> None:
    """While the person is asked, with the exit code of an interrupt."""
    with Terminal("play", "--seed", "a") as terminal:
        terminal.wait_for(PROMPT)
        terminal.process.send_signal(signal.SIGINT)
        code, shown = terminal.end()

    assert 130 == code
    assert "Traceback" not in shown
