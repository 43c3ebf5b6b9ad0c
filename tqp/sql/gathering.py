"""Long lists of constants, read straight from the words of a text: no syntax node, and no expression, for each.

`gathered` puts one word in the place of a list behind IN or `= ANY`, or of the rows of VALUES, and keeps what stood there as
`Constants`. Where some are computed, these are `ComputedCells`, and behind the word stand rows with one cell of each form. The
parser makes a literal of that word, which `in_place` gives way to a `ConstantsNode`. Who knows no such node raises `Scattered`, and
the text is bound once more with its cells one by one: so errors, and whatever else is rare, are as they are for short lists.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from tqp.sql.computed import CELL, ROW, ComputedCells, Templates, computed_cells

__all__ = ["FEWEST_LETTERS", "Constants", "ConstantsNode", "Gathered", "Scattered", "gathered", "in_place"]

_FEWEST: Final = 256
"""Of fewer constants a plan is kept that serves others."""

FEWEST_LETTERS: Final = 2 * _FEWEST
"""A shorter text has no such list."""
_LETTERS: Final = {
    TokenType.NUMBER: "N", TokenType.STRING: "S", TokenType.NULL: "K", TokenType.TRUE: "T", TokenType.FALSE: "F",
    TokenType.DASH: "-", TokenType.COMMA: ",", TokenType.L_PAREN: "(", TokenType.R_PAREN: ")", TokenType.IN: "I",
    TokenType.VALUES: "V", TokenType.SELECT: "V", TokenType.L_BRACKET: "[", TokenType.R_BRACKET: "]", TokenType.L_BRACE: "[",
    TokenType.R_BRACE: "]", TokenType.PLACEHOLDER: "?", TokenType.QDCOLON: "?",
    TokenType.EQ: "=", TokenType.ANY: "Y", TokenType.SOME: "Y", TokenType.ARRAY: "A",
}  # fmt: skip
_CONSTANT: Final = "(?:-?N|[SKTF])"
_ROW: Final = rf"\({_CONSTANT}(?:,{_CONSTANT})*+\)"
_AMONG: Final = r"(?:I\(|=Y\(A?\[)"
"""`IN (`, `= ANY([`, `= ANY(ARRAY[`."""
_LISTS: Final = re.compile(
    rf"{_AMONG}(?P<items>{_CONSTANT}(?:,{_CONSTANT})*+)[)\]]|V(?P<rows>{_ROW}(?:,{_ROW})*+)(?!,)"
    rf"|{_AMONG}(?!\({CELL},)(?P<cells>{CELL}(?:,{CELL})*+)[)\]]|V(?P<computed>{ROW}(?:,{ROW})*+)(?!,)"
)
"""Of rows behind IN each is a comparison of its own."""
_CELLS: Final = re.compile("-?N|[SKTF]")


class Scattered(Exception):
    """The constants of a text are to be bound one by one."""


@dataclass(frozen=True, slots=True)
class Constants:
    """Rows of `width` constants as they are written: of each, row by row, its `kind` and its word.

    A kind is a letter: a Number, a number behind a Minus, a String, T(rue), F(alse) or NULL (K).
    """

    kinds: str
    texts: Sequence[str]
    width: int
    written: str
    """All of them in the text, by which they are told from others."""
    end: int
    """The offset of their last character."""


ConstantsNode = exp.PseudoType
"""What stands in the tree for `Constants`, or before the cells that `Templates` are of, its argument `this`: a kind of node that no
query has, for the parser's kinds are compiled and can have none below them."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """Words of a text in which one stands for, or before, each of the `lists`, known by the offset of its first character."""

    tokens: list[Token]
    lists: Mapping[int, Constants | ComputedCells]


def gathered(tokens: list[Token], text: str) -> Gathered:
    """The words with their long lists of constants and computed cells put together; these words where there is none."""
    if len(tokens) < _FEWEST:
        return Gathered(tokens, {})
    letters = "".join([_LETTERS.get(token.token_type, ".") for token in tokens])
    result: list[Token] = []
    lists: dict[int, Constants | ComputedCells] = {}
    place = end = 0
    while (found := _LISTS.search(letters, place)) is not None:
        kind = found.lastgroup
        assert kind is not None
        first, last = found.span(kind)
        # There may be lists within a list.
        place = found.start() + 1
        are_rows = kind in ("rows", "computed")
        kept: list[Token] = []
        made: Constants | ComputedCells | None
        if kind in ("items", "rows"):
            made = _constants(tokens[first:last], found[kind], text)
        else:
            computed = computed_cells(tokens, letters, (first, last), are_rows, text, _FEWEST)
            made, kept = (None, []) if computed is None else computed
        if made is None:
            continue
        # The rows of VALUES are one row of one word, before others. Words are told by their offsets: it has one that none else has.
        inside = int(are_rows)
        start = kept[0] if kept else tokens[first + inside]
        lists[start.start] = made
        result += tokens[end : first + inside]
        result.append(Token(TokenType.NUMBER, "1", start.line, start.col, start.start, start.end))
        end = last - inside
        if kept:
            result += [tokens[last - 1]] * inside + kept[: len(kept) - inside]
        place = last
    return Gathered([*result, *tokens[end:]], lists) if lists else Gathered(tokens, {})


def _constants(tokens: Sequence[Token], letters: str, text: str) -> Constants | None:
    """The constants that the words are; None of few, and of rows of different lengths."""
    cells = _CELLS.findall(letters)
    rows = letters.replace("-", "").split("),(")
    widths = {len(row.strip("()")) for row in rows}
    if len(cells) < _FEWEST or len(widths) > 1:
        return None
    texts = [token.text for token, letter in zip(tokens, letters, strict=True) if letter in "NSKTF"]
    kinds = "".join(["M" if cell == "-N" else cell for cell in cells])
    width = 1 if letters[0] != "(" else len(cells) // len(rows)
    end = tokens[-1].end
    return Constants(kinds, texts, width, text[tokens[0].start : end + 1], end)


def in_place(tree: exp.Expr, lists: Mapping[int, Constants | ComputedCells]) -> list[Templates]:
    """Put the lists where their words stand in the tree; `Scattered` where one does not stand as it was taken to.

    Gives the templates that computed cells are made of.
    """
    made: list[Templates] = []
    if not lists:
        return made
    left = dict(lists)
    for node in [node for node in tree.walk() if isinstance(node, exp.In | exp.Values | exp.Array)]:
        word = node.expressions[0] if node.expressions else None
        if isinstance(word, exp.Tuple) and len(word.expressions) == 1:
            word = word.expressions[0]
        meta = word._meta if isinstance(word, exp.Literal) else None
        found = left.pop(meta["start"], None) if meta and "start" in meta else None
        if found is None:
            continue
        cells = node.expressions[1:]
        if isinstance(node.parent, exp.Pivot) or isinstance(found, Constants) and cells:
            raise Scattered
        if isinstance(found, Constants):
            node.set("expressions", [ConstantsNode(this=found)])
        else:
            made.append(Templates(found))
            node.set("expressions", [ConstantsNode(this=made[-1]), *cells])
    if left:
        raise Scattered
    return made
