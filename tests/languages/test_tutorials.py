"""Every tutorial in docs/bots leads from an empty folder to the first match, and all of them to the same one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.languages.tutorials import PAGES, blocks, follow

OTHERS = ("cpp.md", "go.md", "java.md", "rust.md", "typescript.md")


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    "page", ["python.md", "any-language.md", *(pytest.param(page, marks=pytest.mark.languages) for page in OTHERS)]
)
def test_a_tutorial_leads_to_the_first_match(tmp_path: Path, page: str) -> None:
    """Doing what a page says prints the leaderboard and the digest that README.md shows, then the first match."""
    (shown,) = [block["body"] for block in blocks("README.md")]

    printed = follow(page, tmp_path)

    assert shown in printed
    assert "\nhand 0, dealer mine\n" in printed


def test_every_tutorial_is_followed() -> None:
    """No page begins as a tutorial does that the test above does not know."""
    tutorials = {page.name for page in PAGES.glob("*.md") if page.read_text("utf-8").startswith("# The first bot in ")}

    assert {"python.md", "any-language.md", *OTHERS} == tutorials


def test_the_entrance_leads_to_every_page() -> None:
    """README.md has a link to each page beside it."""
    entrance = (PAGES / "README.md").read_text("utf-8")
    pages = sorted(page.name for page in PAGES.glob("*.md") if page.name != "README.md")

    assert [] == [page for page in pages if f"]({page})" not in entrance]
