"""The oracle answers in plain data what the rules make of a hand, and says what is wrong with a question."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kawuxing.engine.errors import KawuxingError
from kawuxing.engine.hand import Hand
from kawuxing.engine.oracle import Query, answer_line, play_query, score_query
from kawuxing.engine.rules import RuleSet, load_preset, preset_names
from kawuxing.engine.testing import LivelyPlay, arranged_wall
from kawuxing.engine.tiles import TEXT, parse_kinds

MELDS = {"k": "exposed_kong", "c": "concealed_kong", "a": "added_kong", "": "pung"}
NO_TILES: list[str] = []


def tiles(text: str) -> list[str]:
    return [TEXT[kind] for kind in parse_kinds(text)]


def question(rules: Any, concealed: str, melds: str = "", winning_tile: str = "", **more: Any) -> dict[str, Any]:
    """Return a question about tiles with the winning tile, melds like ``"5z 6zk"``: k, c, a mark the sorts of kong."""
    sets = [[MELDS[meld[2:]], meld[:2]] for meld in melds.split()]
    asked = {"rules": rules, "concealed": tiles(concealed + winning_tile), "melds": sets, **more}
    return asked | ({"winning_tile": winning_tile} if winning_tile else {})


EXAMPLES: list[tuple[str, str, str, list[str], tuple[int, list[str]], tuple[int, list[str]]]] = [
    ("4p5p5p6p", "1s 2s 3s", "5p", [], (2, ["middle_five"]), (2, ["middle_five"])),
    (
        "9s",
        "5z 6z 7zk 1p",
        "9s",
        ["self_draw", "kong_draw", "revealed"],
        (256, ["all_pungs", "big_three_dragons", "kong_draw", "reveal", "single_tile_hand"]),
        (128, ["big_three_dragons", "kong_draw", "reveal", "single_tile_hand"]),
    ),
    (
        "9s",
        "5z 6z 7z 1p",
        "9s",
        [],
        (64, ["all_pungs", "big_three_dragons", "single_tile_hand"]),
        (32, ["big_three_dragons", "single_tile_hand"]),
    ),
    (
        "1111222233445p",
        "",
        "5p",
        ["self_draw", "revealed"],
        (128, ["double_dragon_seven_pairs", "full_flush", "reveal"]),
        (128, ["double_dragon_seven_pairs", "full_flush", "reveal"]),
    ),
    (
        "4555678999p",
        "1pc",
        "5p",
        ["self_draw", "kong_draw", "revealed"],
        (128, ["concealed_four", "full_flush", "kong_draw", "middle_five", "reveal"]),
        (128, ["concealed_four", "full_flush", "kong_draw", "middle_five", "reveal"]),
    ),
    (
        "1122334456677p",
        "",
        "5p",
        ["self_draw"],
        (16, ["full_flush", "seven_pairs"]),
        (16, ["full_flush", "seven_pairs"]),
    ),
    (
        "1122334455566p",
        "",
        "5p",
        ["self_draw"],
        # Two readings are worth 32: the sorted list that comes first is told.
        (32, ["concealed_four", "full_flush", "middle_five"]),
        (32, ["dragon_seven_pairs", "full_flush"]),
    ),
    ("1233345p 777888s", "", "3p", [], (4, ["concealed_four"]), (1, [])),
    ("12s 55678p 777z", "3s", "3s", [], (2, ["exposed_four"]), (2, ["exposed_four"])),
    ("46s 55678p 777z", "1s", "5s", ["rob_kong"], (4, ["middle_five", "rob_kong"]), (4, ["middle_five", "rob_kong"])),
]


@pytest.mark.parametrize(("concealed", "melds", "tile", "flags", "xiangyang", "hubei"), EXAMPLES)
def test_worked_examples(
    concealed: str,
    melds: str,
    tile: str,
    flags: list[str],
    xiangyang: tuple[int, list[str]],
    hubei: tuple[int, list[str]],
) -> None:
    """The examples of RULES §10 in both columns: the total, and the patterns sorted."""
    for rules, (total, patterns) in (("xiangyang", xiangyang), ("hubei", hubei)):
        asked = question(rules, concealed, melds, tile, flags=flags)
        assert {"total": total, "patterns": patterns} == score_query(asked)


def test_options_change_a_preset() -> None:
    """An object names a preset, the default if none, and sets any option; the total is the one after the cap."""
    hand = ("9s", "5z 6z 7z 1p", "9s")

    assert 8 == score_query(question({"preset": "hubei", "cap": 8}, *hand))["total"]
    assert 32 == score_query(question({"preset": "hubei"}, *hand))["total"]
    assert 64 == score_query(question({}, *hand))["total"]


def test_face_down_pungs_break_a_flush() -> None:
    """The flag hidden_pungs says that one was kept face down (RULES §5)."""
    asked = question("hubei", "4555678999p", "1pc", "5p", flags=["self_draw", "revealed", "hidden_pungs"])

    assert {"total": 16, "patterns": ["concealed_four", "middle_five", "reveal"]} == score_query(asked)


def test_three_suit_scoring() -> None:
    """The preset three-suit lists its one largest pattern and what doubles it (RULES §9): 5 × 2 × 2."""
    asked = question("three-suit", "46m 123m 789m 99m", "1m", "5m", flags=["self_draw"])

    assert {"total": 20, "patterns": ["full_flush", "gap_wait", "self_draw"]} == score_query(asked)


def test_incomplete_hand() -> None:
    """A hand that is not complete has no total; by max_suits, three suits are too many."""
    assert {"complete": False} == score_query(question("hubei", "46p 123s 789s 555z 66z", "", "7z"))
    assert {"complete": False} == score_query(question("three-suit", "23p 456p 99p", "1s 2m", "4p"))


@pytest.mark.parametrize(
    ("concealed", "melds", "waits"),
    [
        ("46p 123s 456s 789s 77z", "", ["5p"]),
        ("23p 456s 99s", "1p 5zk", ["1p", "4p"]),
        ("99p 11s 234s 567s 777z", "", ["9p", "1s"]),
        ("3333p", "1s 2s 3s", NO_TILES),
        ("147p 258s 369s 5567z", "", NO_TILES),
    ],
)
def test_waits(concealed: str, melds: str, waits: list[str]) -> None:
    """Without a winning tile: what would complete the hand, in kind order, but for a kind held four times."""
    assert {"waits": waits} == score_query(question("xiangyang", concealed, melds, waits=True))


FOUR_PUNGS = "1p 2p 3p 4p"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ([], "the question is []: expected a JSON object"),
        ({"concealed": []}, "field 'rules' is missing"),
        ({"rules": "hubei"}, "field 'concealed' is missing"),
        ({"rules": "hubei", "concealed": [], "hand": 1}, 'field "hand" is unknown; the fields are rules, concealed'),
        ({"rules": 3, "concealed": []}, "rules is 3: expected a preset's name, or an object of a preset and options"),
        ({"rules": {"preset": []}, "concealed": []}, "rules.preset is []: expected a preset's name"),
        ({"rules": "moon", "concealed": []}, "preset 'moon' is unknown; the presets are "),
        ({"rules": {"base": 0}, "concealed": []}, "rule option 'base' is 0: expected a whole number from 1 to 1000"),
        ({"rules": {"moon": 0}, "concealed": []}, "rule option 'moon' is unknown: expected one of the 35 "),
        ({"rules": "hubei", "concealed": "1p"}, 'concealed is "1p": expected a list of tiles'),
        ({"rules": "hubei", "concealed": ["1p", "1z"]}, 'concealed[1] is "1z": expected a tile, such as 5p'),
        ({"rules": "hubei", "concealed": [["1p"]]}, 'concealed[0] is ["1p"]: expected a tile, such as 5p'),
        ({"rules": "hubei", "concealed": [], "waits": 1}, "waits is 1: expected true or false"),
        ({"rules": "hubei", "concealed": [], "melds": [["chow", "1p"]]}, 'melds[0] is ["chow", "1p"]: expected one of'),
        ({"rules": "hubei", "concealed": [], "melds": [["pung", "0p"]]}, 'melds[0][1] is "0p": expected a tile'),
        (question("hubei", "", FOUR_PUNGS + " 5p"), "melds has 5 items: expected at most 4"),
        (question("hubei", "1s", FOUR_PUNGS), "concealed has 1 tiles: expected 2 beside 4 melds"),
        (question("hubei", "11s", FOUR_PUNGS, waits=True), "concealed has 2 tiles: expected 1 beside 4 melds"),
        (
            question("hubei", "1m", FOUR_PUNGS, "1s"),
            "concealed and melds have 1 of 1m: expected at most 0 by the rules",
        ),
        (
            question("hubei", "1p", FOUR_PUNGS, "1p"),
            "concealed and melds have 5 of 1p: expected at most 4 by the rules",
        ),
        (question("hubei", "11s", FOUR_PUNGS), "field 'winning_tile' is missing"),
        (
            question("hubei", "11s", FOUR_PUNGS) | {"winning_tile": "2s"},
            'winning_tile is "2s": expected one of the concealed tiles',
        ),
        (question("hubei", "1s", FOUR_PUNGS, "1s", flags="revealed"), 'flags is "revealed": expected a list of flags'),
        (question("hubei", "1s", FOUR_PUNGS, "1s", flags=["won"]), 'flags[0] is "won": expected one of self_draw, '),
    ],
)
def test_senseless_questions_about_scores(asked: Any, message: str) -> None:
    """The error names the field, what it is and what was expected."""
    with pytest.raises(KawuxingError) as caught:
        score_query(asked)
    assert str(caught.value).startswith(message)


CHAIN = ["999s 555z 1379p 157s", "9s 444p 248s 1357s 15p", "666s 1379p 28s 677z 5s"]
"""Seat 0 can kong a 9s and then, when it draws one, its 5z; seat 2 can kong a 6s."""
CHAIN_DECISIONS = [
    {"1": "DISCARD 9s"},
    {"0": "DIRECT_KONG 9s"},
    {"0": "CONCEALED_KONG 5z"},
    {"0": "DISCARD 6s"},
    {"2": "DIRECT_KONG 6s"},
]


def played(
    rules: str, hands: list[str], decisions: list[dict[str, str]], dealer: int = 0, **wall: str
) -> dict[str, Any]:
    laid = [TEXT[kind] for kind in arranged_wall(load_preset(rules), hands, **wall)]
    return play_query({"rules": rules, "wall": laid, "dealer": dealer, "decisions": decisions})


@pytest.mark.parametrize(("rules", "points"), [("xiangyang", [2, -6, 4]), ("hubei", [10, -30, 20])])
def test_chain_of_the_worked_example(rules: str, points: list[int]) -> None:
    """RULES §10: (2, -2, 0), (8, -4, -4), then (-8, 0, 8), in units of base; the hand is not over."""
    state = played(rules, CHAIN, CHAIN_DECISIONS, dealer=1, draws="8p", replacements="5z 6s 2p")

    assert points == state["points"]
    assert {"done": False, "exhausted": False, "winners": []} == {
        name: state[name] for name in state if name not in ("asked", "points")
    }
    assert [["1"], ["0"], ["0"], ["0"], ["2"], ["2"]] == [list(asked) for asked in state["asked"]]
    assert {"0": ["DIRECT_KONG 9s", "PASS", "PUNG 9s"]} == state["asked"][1]
    assert "CONCEALED_KONG 5z" == state["asked"][2]["0"][0]


def test_asked_lists_are_sorted_as_text() -> None:
    """Not in the engine's order of actions and kinds, which other programs do not know."""
    asked = played("hubei", ["1199s 111p 258p 567z"], [], draws="9p")["asked"]

    assert [
        {"0": [f"DISCARD {tile}" for tile in ("1p", "1s", "2p", "5p", "5z", "6z", "7z", "8p", "9p", "9s")]}
    ] == asked


def test_reveal_names_what_stays_face_down() -> None:
    """``REVEAL t`` shows everything; the kinds kept face down stand behind the discard."""
    (asked,) = played("hubei", ["999s 666s 12345p 55z"], [], draws="7z")["asked"]

    reveals = [text for text in asked["0"] if text.startswith("REVEAL 7z")]
    assert ["REVEAL 7z", "REVEAL 7z 6s", "REVEAL 7z 6s 9s", "REVEAL 7z 9s"] == reveals


def test_won_hand() -> None:
    """The winners with their totals, patterns and tile; the winner deals next; done is not said."""
    hands = ["5p 147s 258s 369s 567z", "46p 123s 456s 789s 77z"]
    state = played("xiangyang", hands, [{"0": "DISCARD 5p"}, {"1": "WIN"}], draws="9p")

    assert [{"1": ["PASS", "WIN"]}] == state["asked"][1:]
    del state["asked"]
    assert {
        "points": [-2, 2, 0],
        "next_dealer": 1,
        "exhausted": False,
        "winners": [{"seat": 1, "total": 2, "patterns": ["middle_five"], "tile": "5p"}],
    } == state


def test_several_seats_asked_at_once() -> None:
    """One entry has them all, and one decision answers for them all; with two winners the payer deals next."""
    hands = ["5p 147s 258s 369s 567z", "46p 123s 456s 789s 77z", "46p 123s 456s 789s 66z"]
    state = played("xiangyang", hands, [{"0": "DISCARD 5p"}, {"2": "WIN", "1": "WIN"}], draws="9p")

    assert [{"1": ["PASS", "WIN"], "2": ["PASS", "WIN"]}] == state["asked"][1:]
    assert [1, 2] == [winner["seat"] for winner in state["winners"]]
    assert ([-4, 2, 2], 0) == (state["points"], state["next_dealer"])


@pytest.mark.parametrize("preset", preset_names())
def test_whole_hands_of_every_preset(preset: str) -> None:
    """What was asked is what the hand asked, to the end; every beginning of the decisions is told as not done."""
    rules = load_preset(preset)
    for seed in range(8):
        lively = LivelyPlay(seed)
        wall = lively.wall(rules)
        hand = Hand(rules, wall, seed % rules.seats)
        hand.start()
        decisions, asked = [], []
        while pending := hand.pending():
            asked.append({str(seat): sorted(map(str, legal)) for seat, legal in pending.items()})
            answers = lively.answers(hand)
            decisions.append({str(seat): str(action) for seat, action in answers.items()})
            hand.apply(answers)
        query = {"rules": preset, "wall": [TEXT[kind] for kind in wall], "dealer": seed % rules.seats}
        whole = play_query(query | {"decisions": decisions})
        half = play_query(query | {"decisions": decisions[: len(decisions) // 2]})

        assert hand.outcome is not None
        assert asked == whole["asked"]
        assert [seat.points for seat in hand.table.seats] == whole["points"]
        assert [*hand.outcome.winners] == [winner["seat"] for winner in whole["winners"]]
        assert (not hand.outcome.winners) is whole["exhausted"]
        assert 0 <= whole["next_dealer"] < rules.seats
        assert "done" not in whole
        assert False is half["done"]
        assert asked[: len(decisions) // 2 + 1] == half["asked"]


def test_senseless_questions_about_play(xiangyang: RuleSet) -> None:
    """A wall that is none, a dealer that is none, and decisions that are not legal are named by their place."""
    wall = [TEXT[kind] for kind in arranged_wall(xiangyang, CHAIN, draws="8p", replacements="5z 6s")]
    good: dict[str, Any] = {"rules": "xiangyang", "wall": wall, "dealer": 1, "decisions": []}
    changes: list[tuple[dict[str, Any], str]] = [
        ({"wall": wall[1:]}, "wall of 83 tiles has 3 of 9s: expected 4 by the rules"),
        ({"wall": ["1m", *wall[1:]]}, "wall of 84 tiles has 1 of 1m: expected 0 by the rules"),
        ({"wall": [1, *wall[1:]]}, "wall[0] is 1: expected a tile, such as 5p"),
        ({"dealer": 3}, "dealer is 3: expected a seat from 0 to 2"),
        ({"dealer": True}, "dealer is true: expected a seat from 0 to 2"),
        ({"decisions": {}}, "decisions is {}: expected a list of objects, seat to action"),
        ({"decisions": ["WIN"]}, 'decisions[0] is "WIN": expected an object, seat to action'),
        ({"decisions": [{"east": "WIN"}]}, "decisions[0]: seat is \"east\": expected a seat, such as '0'"),
        ({"decisions": [{"1": 5}]}, "decisions[0]['1'] is 5: expected an action, such as 'DISCARD 6p'"),
        ({"decisions": [{"1": "CHOW 5p"}]}, "decisions[0]['1']: action 'CHOW 5p': "),
        ({"decisions": [{"1": "WIN"}]}, "decisions[0]: seat 1 answers WIN: expected one of DISCARD"),
        (
            {"decisions": [{"1": "DISCARD 9s"}, {"2": "PASS"}]},
            "decisions[1]: answers from seats [2]: expected them from [0]",
        ),
        ({"moon": 1}, 'field "moon" is unknown; the fields are rules, wall, dealer, decisions'),
    ]
    for change, message in changes:
        with pytest.raises(KawuxingError) as caught:
            play_query(good | change)
        assert str(caught.value).startswith(message)


def test_decisions_after_the_end_are_refused() -> None:
    """Nobody is asked any more."""
    hands = ["5p 147s 258s 369s 567z", "46p 123s 456s 789s 77z"]
    decisions = [{"0": "DISCARD 5p"}, {"1": "WIN"}, {"2": "PASS"}]
    with pytest.raises(KawuxingError, match=r"^decisions\[2\]: answers from seats \[2\]: nobody is asked$"):
        played("xiangyang", hands, decisions, draws="9p")


@pytest.mark.parametrize("query", [score_query, play_query])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"\n", "the line is empty: expected a question, a JSON object"),
        (b" \t\r\n", "the line is empty: expected a question, a JSON object"),
        (b'{"rules":"hubei","rules":"hubei"}', 'field "rules" is there twice in an object: expected it once'),
        (b'{"rules":{"cap":8,"base":1,"cap":8}}', 'field "cap" is there twice in an object: expected it once'),
        (b'{"decisions":[{"0":"PASS","0":"WIN"}]}', 'field "0" is there twice in an object: expected it once'),
        (b'{"dealer":NaN}', "the line has NaN, which is no JSON: expected a number"),
        (b'{"dealer":-Infinity}', "the line has -Infinity, which is no JSON: expected a number"),
        (b'{"rules":', "the line is not JSON: Expecting value in column 10"),
        (b'{"rules":"\xff"}', "the line is not UTF-8: invalid start byte in byte 11"),
        (b"[" * 100_000, "the line is nested too deeply: expected a question"),
        (b"9" * 5000, "the line cannot be read: Exceeds the limit"),
        (b"null", "the question is null: expected a JSON object"),
    ],
)
def test_bad_lines(query: Query, line: bytes, message: str) -> None:
    """Whatever a line holds, it is answered, by the error and the line's number."""
    answer = json.loads(answer_line(line, 7, query))

    assert ["error", "line"] == list(answer)
    assert answer["error"].startswith(message)
    assert 7 == answer["line"]
