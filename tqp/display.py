"""Rows as people read them: in a box on a terminal, as an HTML table in a notebook, as a table of Markdown.

All take values as text, None for NULL. What would break a line or hide in it is written as an escape (`\\n`, `\\x1b`, `\\u202e`).
"""

from __future__ import annotations

import os
import re
import sys
from bisect import bisect_right
from collections.abc import Sequence
from html import escape
from typing import Final
from unicodedata import category

from wcwidth import iter_graphemes, wcswidth

from tqp.keywords import text_constant
from tqp.types import DType, Kind

__all__ = ["html_table", "markdown_table", "terminal_width", "text_table"]

_NARROW: Final = 20
"""Columns of text become so narrow, and no narrower, before columns are left out."""
_NO_TERMINAL: Final = 120
_HTML_COLUMNS: Final = 30
_HTML_CELL: Final = 200
_ESCAPED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_JOINERS: Final = frozenset("\u200c\u200d") | {chr(code) for code in range(0xE0020, 0xE0080)}
"""Letters that show as nothing, and change those around them: families of emoji, flags, Indic and Persian letters."""
_CUT_KINDS: Final = frozenset({Kind.VARCHAR, Kind.JSON, Kind.BLOB, Kind.BIT, Kind.BIGNUM, Kind.ENUM, Kind.VARIANT})
"""Values of these are cut, and nested ones; part of a number or date would be another one."""
_MARKS: Final = re.compile(r"[\\`*|\[\]~]|(?<![^\W_])_|_(?![^\W_])")
"""What Markdown would take for more than a letter; a low line is none within a word."""

Rows = Sequence[Sequence[str | None]]


def terminal_width() -> int:
    """The places in a line of the terminal that standard output is; 120 where it is none."""
    try:
        if sys.stdout.isatty():
            return os.get_terminal_size(sys.stdout.fileno()).columns or _NO_TERMINAL
    except (AttributeError, OSError, ValueError):
        pass  # standard output is an object of somebody's own
    return _NO_TERMINAL


def text_table(
    names: Sequence[str],
    types: Sequence[DType],
    rows: Rows,
    total: int | None,
    width: int | None = None,
    cell: int = 40,
) -> str:
    """The rows (the first of `total`, None: of more than these) in a box under names and types; numbers to the right.

    The box takes `width` places of a terminal at most, None for as many as it needs: first columns of text are made narrower, then
    columns are left out in the middle. Texts longer than `cell` places are cut. NULL is `NULL`, the text of that name `'NULL'`.
    """
    if not names:
        return _count(total, len(rows))
    heads = [[_plain(name, cell), _plain(str(kind), cell)] for name, kind in zip(names, types, strict=True)]
    columns = [[_cell(row[place], cell) for row in rows] for place in range(len(names))]
    wholes, leasts = [], []
    for head, column, kind in zip(heads, columns, types, strict=True):
        whole = max(_width(text) for text in (*head, *column))
        wholes.append(whole)
        is_cut = kind.kind in _CUT_KINDS or kind.is_nested or kind.is_array
        leasts.append(1 if is_cut else max((_width(text) for text in column), default=1))
    places, widths = _arranged(wholes, leasts, width)
    lines: list[list[str]] = [[] for _ in range(2 + len(rows))]
    for place, room in zip(places, widths, strict=True):
        texts = ["…"] * len(lines) if place is None else [*heads[place], *columns[place]]
        is_right = place is not None and types[place].is_numeric
        for line, text in zip(lines, texts, strict=True):
            line.append(_padded(_cut(text, room), room, is_right))

    def rule(left: str, middle: str, end: str) -> str:
        return left + middle.join("─" * (room + 2) for room in widths) + end

    boxed = [f"│ {' │ '.join(line)} │" for line in lines]
    box = [rule("┌", "┬", "┐"), *boxed[:2], rule("├", "┼", "┤"), *boxed[2:], rule("└", "┴", "┘")]
    return "\n".join([*box, _count(total, len(rows), len(names), sum(place is not None for place in places))])


def html_table(names: Sequence[str], types: Sequence[DType], rows: Rows, total: int | None) -> str:
    """The rows (the first of `total`, None: of more) as an HTML table; of many columns those in the middle are left out."""
    places: list[int | None] = list(range(len(names)))
    if len(places) > _HTML_COLUMNS:
        places[_HTML_COLUMNS // 2 : len(names) - _HTML_COLUMNS // 2] = [None]
    rights = [place is not None and types[place].is_numeric for place in places]
    styles = [f' style="text-align:{"right" if right else "left"};white-space:pre"' for right in rights]

    def cell(row: Sequence[str | None], place: int | None) -> str:
        if place is None:
            return "…"
        value = row[place]
        return '<em style="opacity:0.5">NULL</em>' if value is None else escape(_plain(value, _HTML_CELL))

    def head(place: int | None) -> str:
        if place is None:
            return "…"
        return f"{escape(_plain(names[place], _HTML_CELL))}<br><small>{escape(_plain(str(types[place]), _HTML_CELL))}</small>"

    heads = "".join(f"<th{style}>{head(place)}</th>" for place, style in zip(places, styles, strict=True))
    body = "".join(
        f"<tr>{''.join(f'<td{style}>{cell(row, place)}</td>' for place, style in zip(places, styles, strict=True))}</tr>"
        for row in rows
    )
    count = _count(total, len(rows), len(names), sum(place is not None for place in places))
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table><p>{count}</p>"


def markdown_table(names: Sequence[str], types: Sequence[DType], rows: Rows) -> str:
    """The rows as a table of Markdown, nothing cut; NULL is `NULL`, the text of that name `'NULL'`."""

    def line(texts: Sequence[str]) -> str:
        return f"| {' | '.join(texts)} |"

    def inner(text: str) -> str:
        # A line break is the one thing in a cell that only HTML can say.
        marked = _MARKS.sub(r"\\\g<0>", escape(text, quote=False))
        return "<br>".join(_plain(part) for part in marked.replace("\r\n", "\n").split("\n"))

    rule = ["---:" if kind.is_numeric else ":---" for kind in types]
    body = [line(["NULL" if value is None else inner(_told_from_null(value)) for value in row]) for row in rows]
    return "\n".join([line([inner(name) for name in names]), line(rule), *body])


def _count(total: int | None, shown: int, columns: int = 0, shown_columns: int = 0) -> str:
    if total is None:
        count = f"the first {shown:,} rows; the others are not read"
    else:
        count = f"{total:,} row{'' if total == 1 else 's'}" + (f" ({shown:,} shown)" if shown < total else "")
    return count if shown_columns == columns else f"{count}, {columns:,} columns ({shown_columns:,} shown)"


def _arranged(wholes: list[int], leasts: list[int], width: int | None) -> tuple[list[int | None], list[int]]:
    """Which columns are shown, None for those left out, and how wide each of them is.

    `wholes` are the widths with nothing cut, `leasts` those that they never go below.
    """

    def widths(shown: Sequence[int | None], limit: int) -> list[int]:
        return [1 if place is None else max(leasts[place], min(wholes[place], limit)) for place in shown]

    def taken(shown: Sequence[int | None], limit: int) -> int:
        return sum(widths(shown, limit)) + 3 * len(shown) + 1

    shown: list[int | None] = list(range(len(wholes)))
    widest = max(wholes)
    if width is None or taken(shown, widest) <= width:
        return shown, wholes
    if taken(shown, _NARROW) > width and len(shown) > 1:
        # From both ends inwards, as long as there is room beside the mark of those that are left out.
        left, right = 1, 0
        while left + right + 1 < len(wholes):
            more = (left + 1, right) if right >= left else (left, right + 1)
            if taken(_ends(len(wholes), *more), _NARROW) > width:
                break
            left, right = more
        shown = _ends(len(wholes), left, right)
    # What is left of the room goes to the columns that are cut, to each as much.
    limit = bisect_right(range(1, widest + 1), width, key=lambda limit: taken(shown, limit))
    return shown, widths(shown, max(limit, 1))


def _ends(count: int, left: int, right: int) -> list[int | None]:
    return [*range(left), None, *range(count - right, count)]


def _cell(value: str | None, room: int) -> str:
    return "NULL" if value is None else _plain(_told_from_null(value), room)


def _told_from_null(text: str) -> str:
    """The text, or as SQL quotes it where it would be read as NULL, or as the quotes of such a text."""
    return text_constant(text) if text.strip("'") == "NULL" else text


def _plain(text: str, room: int | None = None) -> str:
    """The text on one line, what does not print as escapes; cut to `room` places where that is given."""
    # Marks may stand on a letter without end.
    beginning = text if room is None else text[: 4 * room]
    shown = beginning if beginning.isprintable() else "".join(map(_shown, beginning))
    return shown if room is None else _cut(shown, room, has_more=len(beginning) < len(text))


def _shown(char: str) -> str:
    if char.isprintable() or char in _JOINERS or category(char) == "Zs":
        return char
    code = ord(char)
    return _ESCAPED.get(char) or (
        f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
    )


def _cut(text: str, room: int, has_more: bool = False) -> str:
    """The text in `room` places at most, with a mark where it was cut; `has_more`: it is the beginning of another one."""
    if not has_more and _width(text) <= room:
        return text
    found, taken = [], -1
    for cluster in iter_graphemes(f" {text}"):
        taken += wcswidth(cluster)
        if taken > room - 1:
            break
        found.append(cluster)
    return "".join(found)[1:] + "…"


def _padded(text: str, room: int, is_right: bool) -> str:
    blanks = " " * (room - _width(text))
    return blanks + text if is_right else text + blanks


def _width(text: str) -> int:
    """How many places of a terminal the text takes behind a blank, cluster by cluster as the letters are drawn."""
    if text.isascii():
        return len(text)
    # A mark that begins the text stands upon the blank before it.
    return sum(wcswidth(cluster) for cluster in iter_graphemes(f" {text}")) - 1
