"""Rows as an aligned text table or an HTML table."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, Final
from unicodedata import combining, east_asian_width

from tqp.types import DType

__all__ = ["html_table", "text_table"]

_CELL: Final = 40
"""Longer values are cut."""

Rows = Sequence[tuple[Any, ...]]


def text_table(names: Sequence[str], types: Sequence[DType], rows: Rows, total: int) -> str:
    """The rows (the first of `total`) in a box under names and types; numbers to the right."""
    heads = [[_cut(name) for name in names], [str(kind) for kind in types]]
    cells = [[_cell(value) for value in row] for row in rows]
    if not names:
        return _count(total, len(rows))
    widths = [max(_width(line[place]) for line in (*heads, *cells)) for place in range(len(names))]
    right = [kind.is_numeric for kind in types]

    def line(values: Sequence[str], to_right: Sequence[bool]) -> str:
        padded = (
            " " * (width - _width(value)) * flush + value + " " * (width - _width(value)) * (not flush)
            for value, width, flush in zip(values, widths, to_right, strict=True)
        )
        return f"│ {' │ '.join(padded)} │"

    def rule(left: str, middle: str, end: str) -> str:
        return left + middle.join("─" * (width + 2) for width in widths) + end

    lines = [rule("┌", "┬", "┐"), *(line(head, right) for head in heads), rule("├", "┼", "┤")]
    lines += [line(row, right) for row in cells]
    return "\n".join([*lines, rule("└", "┴", "┘"), _count(total, len(rows))])


def html_table(names: Sequence[str], types: Sequence[DType], rows: Rows, total: int) -> str:
    """The rows (the first of `total`) as an HTML table."""
    head = "".join(f"<th>{escape(name)}<br><small>{kind}</small></th>" for name, kind in zip(names, types, strict=True))
    body = "".join(f"<tr>{''.join(f'<td>{escape(_cell(value))}</td>' for value in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{_count(total, len(rows))}</p>"


def _count(total: int, shown: int) -> str:
    rows = f"{total:,} row{'' if total == 1 else 's'}"
    return rows if shown == total else f"{rows} ({shown:,} shown)"


def _cell(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return _cut(f"[{', '.join(map(str, value))}]")
    return _cut(str(value))


def _cut(text: str) -> str:
    """The text on one line of at most `_CELL` places of a terminal; what does not print is a space."""
    shown = "".join(character if character.isprintable() else " " for character in text[: 4 * _CELL])
    if len(shown) == len(text) and _width(shown) <= _CELL:
        return shown
    while _width(shown) > _CELL - 1:
        shown = shown[:-1]
    return shown + "…"


def _width(text: str) -> int:
    """How many places of a terminal the text takes: two for East Asian wide letters, none for marks upon the one before."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)
