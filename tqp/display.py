"""Rows as an aligned text table or an HTML table."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, Final

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
    widths = [max(len(line[place]) for line in (*heads, *cells)) for place in range(len(names))]
    right = [kind.is_numeric for kind in types]

    def line(values: Sequence[str], to_right: Sequence[bool]) -> str:
        padded = (
            value.rjust(width) if flush else value.ljust(width)
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
    text = "".join(character if character.isprintable() else " " for character in text)
    return text if len(text) <= _CELL else text[: _CELL - 1] + "…"
