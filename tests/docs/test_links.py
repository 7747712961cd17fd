"""Links from page to page lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = (
    *(ROOT.glob("*.md")),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "bots" / "examples").glob("*/README.md"),
)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def text_of(page: Path) -> str:
    return BLOCK.sub("", page.read_text("utf-8"))


def anchors(page: Path) -> set[str]:
    """Return what the headings of a page are called in links, as GitHub makes it."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text_of(page))}


@pytest.mark.parametrize("page", sorted(PAGES), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    """Each file that a page links to exists, and so does the heading."""
    broken = []
    for path, anchor in LINK.findall(text_of(page)):
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(f"{path}#{anchor}")
    assert [] == broken
