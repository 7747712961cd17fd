"""Which document every preset is drawn from, and which of its options are this project's choice (RULES §§2-9).

For people; nothing plays by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

SOURCES: Final[Mapping[str, str]] = {
    "S0": "an untitled text on the rules of central Hubei that begins 首先声明",
    "S1": "卡五星麻将游戏规则",
    "S2": "卡五星遊戲規則",
    "S3": "卡五星麻将简介",
    "S4": "襄阳卡五星的牌型及计分方式",
}
"""The documents by the number that RULES cites them by, with their titles."""

CHOSEN: Final = "chosen"
"""The source of what the preset's document is silent on or can be read two ways: RULES marks it so."""


@dataclass(frozen=True, slots=True)
class PresetText:
    """What one preset is."""

    chinese: str
    """Its name."""
    english: str
    """One phrase."""
    source: str
    """The document, one of SOURCES."""
    played_in: str = ""
    """The places that the document names, empty if it names none."""
    chosen: frozenset[str] = frozenset()
    """The options whose values RULES marks as chosen."""
    variant_of: str | None = None
    """The preset of the table in RULES §9 of which this is a variant."""

    def source_of(self, option: str) -> str:
        """Return where the preset's value of this option comes from: the document, or CHOSEN."""
        return CHOSEN if option in self.chosen else self.source


_XIANGYANG: Final = "Xiangyang 襄阳"
_SHIYAN: Final = "Shiyan 十堰"
_CENTRAL_HUBEI: Final = "central Hubei 湖北中部"
_XIANGYANG_CHOSEN: Final = frozenset({"concealed_kong_after_pung", "next_dealer"})
_CLASSIC_CHOSEN: Final = frozenset({"single_tile_adds_all_pungs"})

PRESET_TEXTS: Final[Mapping[str, PresetText]] = {
    "xiangyang": PresetText(
        "襄阳",
        "the default; no cap, and who discards to a revealed hand pays for all",
        "S4",
        _XIANGYANG,
        _XIANGYANG_CHOSEN,
    ),
    "standard": PresetText(
        "标准",
        "like xiangyang, but the dealer stays after an exhausted hand",
        "S2",
        chosen=frozenset({"concealed_kong_after_pung", "single_tile_adds_all_pungs"}),
    ),
    "classic": PresetText(
        "经典", "fours in a flush count, a missed win allows a bigger one", "S1", chosen=_CLASSIC_CHOSEN
    ),
    "hubei": PresetText(
        "湖北", "base 5, a minimum of ×2 on discards, a ban on tiles revealed seats wait on", "S0", _CENTRAL_HUBEI
    ),
    "three-suit": PresetText(
        "三门",
        "108 tiles without dragons, no reveal, its own scoring",
        "S3",
        f"Suizhou 随州, {_XIANGYANG}, {_SHIYAN}",
        frozenset({"multiple_winners", "concealed_kong_pays", "added_kong_pays", "direct_kong_pays"}),
    ),
    "zaoyang": PresetText(
        "枣阳",
        "capped at 8, two quadruples in seven pairs at 16",
        "S1",
        f"Zaoyang 枣阳, {_XIANGYANG}",
        _CLASSIC_CHOSEN,
        variant_of="classic",
    ),
    "shiyan": PresetText("十堰", "capped at 8 without exemption", "S1", _SHIYAN, _CLASSIC_CHOSEN, variant_of="classic"),
    "hubei-capped": PresetText("湖北封顶", "capped as zaoyang is", "S0", _CENTRAL_HUBEI, variant_of="hubei"),
    "xiangyang-min2": PresetText(
        "襄阳两番起胡", "a minimum of ×2 on discards", "S4", _XIANGYANG, _XIANGYANG_CHOSEN, variant_of="xiangyang"
    ),
    "sit-out": PresetText(
        "坐醒",
        "four entrants of whom three play, capped",
        "S4",
        chosen=frozenset({"concealed_kong_after_pung", "cap"}),
        variant_of="xiangyang",
    ),
    "four-seat": PresetText(
        "四人",
        "four seats, 120 tiles in three suits and dragons",
        "S0",
        chosen=frozenset({"next_dealer"}),
        variant_of="hubei",
    ),
}
"""The texts of every preset: those of the table in RULES §9 in its order, then their variants."""
