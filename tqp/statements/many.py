"""One statement for many sets of parameters: an INSERT of several rows in place of several of one row each."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import Final

__all__ = ["Chunk", "chunks"]

_ROWS: Final = 200
"""So many rows a statement: longer texts gain little."""
_ONE_ROW: Final = re.compile(
    r"""(?P<head>\s*INSERT\s+INTO\s+[\w."]+\s*(?:\([\w\s,"]*\)\s*)?VALUES\s*)(?P<row>\(\s*\?(?:\s*,\s*\?)*\s*\))\s*;?\s*""",
    re.IGNORECASE,
)
_PLAIN: Final = frozenset(
    {bool, int, float, str, bytes, Decimal, datetime.date, datetime.datetime, datetime.time, datetime.timedelta}
)
"""Values whose types are one where several rows of them stand below each other."""

Given = Sequence[object] | Mapping[str, object]
Chunk = tuple[str, Given, Sequence[Given]]


def chunks(text: str, rows: Iterable[Given]) -> Iterator[Chunk]:
    """A statement and its parameters for the next rows, and the sets of parameters of these rows: one or several.

    Several rows go into one statement where it is an INSERT of nothing but parameters, and each column has values of one type.
    """
    found = _ONE_ROW.fullmatch(text)
    if found is None:
        yield from ((text, row, (row,)) for row in rows)
        return
    width = found["row"].count("?")
    pending = iter(rows)
    while taken := list(islice(pending, _ROWS)):
        several = _joined(taken, width) if len(taken) > 1 else None
        if several is None:
            yield from ((text, row, (row,)) for row in taken)
        else:
            yield found["head"] + ", ".join([found["row"]] * len(taken)), several, taken


def _joined(rows: Sequence[Given], width: int) -> list[object] | None:
    """The values of all rows after one another; None where a statement of all of them may not mean the same."""
    lists = [row for row in rows if isinstance(row, list | tuple) and len(row) == width]
    if len(lists) < len(rows):
        return None
    for column in zip(*lists, strict=True):
        kinds = set(map(type, column)) - {type(None)}
        if len(kinds) > 1 or not kinds <= _PLAIN:
            return None
    return [value for row in lists for value in row]
