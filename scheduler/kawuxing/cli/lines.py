"""Lists for people: a line for each thing, under a line of names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def text_lines(names: Sequence[str], rows: Sequence[Sequence[str]], *, right: int) -> Iterator[str]:
    """Yield the names and then each row, aligned; the column at index ``right`` to the right, as numbers are."""
    lines = [names, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (
            cell.rjust(width) if column == right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()
