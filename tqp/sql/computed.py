"""Long lists of which some cells are computed: the words of one cell of each form, and the literals of the others.

Two cells of a column have the same form where their words differ in the values of literals alone (`shaped`). The parser is given
some of the rows, in which each form stands once; `tqp.sql.templates` binds these cells for all others of their forms.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlglot.tokenizer_core import Token

from tqp.ir.expr import Literal
from tqp.ir.inputs import Input, Inputs
from tqp.sql.calls_parsed import hands_on
from tqp.sql.shapes import shaped

__all__ = ["CELL", "ROW", "ComputedCells", "ComputedColumn", "Form", "Templates", "computed_cells"]

_CELLS_A_FORM: Final = 8
"""Of so many cells one may have a form of its own: with more forms, there is little to gain."""
_DEEPEST: Final = 16
_PLAIN: Final = r"[^()\[\],?V]"
"""The letter of a word that is no bracket, no comma, no `?`, which the parser numbers, and begins no query."""


def _nested() -> str:
    inside = rf"(?:{_PLAIN}|,)*+"
    for _ in range(_DEEPEST):
        inside = rf"(?:{_PLAIN}|,|[(\[]{inside}[)\]])*+"
    return inside


CELL: Final = rf"(?:{_PLAIN}|[(\[]{_nested()}[)\]])++"
"""The letters of one cell, whose brackets are closed; letters as in `tqp.sql.gathering`."""
ROW: Final = rf"\({CELL}(?:,{CELL})*+\)"
_CELL: Final = re.compile(CELL)
_ROW: Final = re.compile(ROW)
_KINDS: Final = {"N": "N", "-N": "M", "S": "S", "T": "T", "F": "F", "K": "K"}


@dataclass(eq=False, slots=True)
class Form:
    """Cells of one column with the same words but for their literals, by the numbers of their `rows`.

    The first of them stands in the tree, in the row of number `kept` there; `starts`: where its literals begin. `literals` are
    those of each cell, `words` what these are in the text. `hands_on`: the parser looks at none that is an argument of a call.
    """

    kept: int
    starts: tuple[int, ...]
    hands_on: bool
    rows: list[int] = field(default_factory=list)
    literals: list[tuple[Literal, ...]] = field(default_factory=list)
    words: list[tuple[str, ...]] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class ComputedColumn:
    """The cells of a column: constants by the numbers of their `rows`, with `kinds` and `texts` as in `Constants`, and the forms of
    the others."""

    rows: list[int] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    forms: list[Form] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class ComputedCells:
    """So many rows of cells, some of them computed. `written`: all of them in the text, by which they are told from others, up to
    the offset `end`."""

    columns: Sequence[ComputedColumn]
    rows: int
    written: str
    end: int


class Templates:
    """The forms of such cells with inputs for the literals of their first cells, on whose values what is bound builds knowingly."""

    def __init__(self, cells: ComputedCells) -> None:
        self.cells = cells
        self.opened = {form: Inputs() for column in cells.columns for form in column.forms}
        self.inputs: dict[int, Input] = {}
        """By the offsets of their first characters."""
        self.handed = {start for form in self.opened if form.hands_on for start in form.starts}
        """The offsets of those that the parser hands on in calls, too."""
        for form, inputs in self.opened.items():
            self.inputs.update(zip(form.starts, inputs.given(form.literals[0]), strict=True))


def computed_cells(
    tokens: Sequence[Token], letters: str, span: tuple[int, int], are_rows: bool, text: str, fewest: int
) -> tuple[ComputedCells, list[Token]] | None:
    """The cells of the words in that span, and the words of the rows that the parser is to see, behind a comma.

    `are_rows`: they are rows in parentheses, else cells alone. None of fewer cells than `fewest`, of rows of different lengths, and
    of too many forms.
    """
    first, last = span
    found = _ROW.finditer(letters, first, last) if are_rows else _CELL.finditer(letters, first, last)
    spans = [one.span() for one in found]
    width = sum(1 for _ in _cells(letters, spans[0], are_rows))
    most = len(spans) * width // _CELLS_A_FORM
    if len(spans) * width < fewest or len(spans) < 2:
        return None
    columns = [ComputedColumn() for _ in range(width)]
    known: list[dict[Hashable, Form]] = [{} for _ in columns]
    forms, kept = 0, list[int]()
    for row, own in enumerate(spans):
        place = -1
        for place, (start, stop) in enumerate(_cells(letters, own, are_rows)):
            if place == width:
                return None
            column, kind = columns[place], _KINDS.get(letters[start:stop])
            if kind is not None:
                column.rows.append(row)
                column.kinds.append(kind)
                column.texts.append(tokens[stop - 1].text)
                continue
            words = shaped(tokens[start:stop])
            form = known[place].get(words.shape)
            if form is None:
                forms += 1
                if forms > most:
                    return None
                if not kept or kept[-1] != row:
                    kept.append(row)
                form = known[place][words.shape] = Form(len(kept) - 1, words.starts, hands_on(tokens[start:stop]))
                column.forms.append(form)
            form.rows.append(row)
            form.literals.append(words.literals)
            form.words.append(words.words)
        if place + 1 != width:
            return None
    if not kept:
        return None
    written = text[tokens[first].start : tokens[last - 1].end + 1]
    comma = tokens[spans[0][1]]
    left = [word for row in kept for word in (comma, *tokens[slice(*spans[row])])]
    return ComputedCells(columns, len(spans), written, tokens[last - 1].end), left


def _cells(letters: str, row: tuple[int, int], in_parentheses: bool) -> Iterator[tuple[int, int]]:
    start, stop = row
    return (cell.span() for cell in _CELL.finditer(letters, start + in_parentheses, stop - in_parentheses))
