"""A text as words, in which numbers and strings are told by their types: what is planned once for all values of them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from tqp.ir.expr import Literal
from tqp.ir.inputs import Input
from tqp.sql.computed import ComputedCells
from tqp.sql.dialect import dialect_named
from tqp.sql.gathering import Constants, gathered
from tqp.sql.shapes import shaped
from tqp.sql.words import words

__all__ = ["Followed", "Written", "named_parameters", "written"]

# The parser looks at some literals: at those in a subscript, in a type, in the arguments of functions for which it has code.
# What stands right in one of these it only hands on.
_FOLLOWED: Final = (
    exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.IntDiv, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.And, exp.Or,
    exp.Not, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Between, exp.In, exp.Like, exp.ILike, exp.Escape, exp.Cast, exp.TryCast,
    exp.Interval, exp.Case, exp.If, exp.Alias, exp.Tuple, exp.Coalesce, exp.Substring, exp.Abs, exp.Sum, exp.Avg,
    exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseLeftShift, exp.BitwiseRightShift, exp.DPipe, exp.PropertyEQ,
    exp.Anonymous, exp.Order, exp.PercentileCont, exp.PercentileDisc, exp.Max, exp.Min,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Written:
    """A text of DuckDB's dialect as `tokens`.

    `shape` is all that they say except for the values of `literals`; texts of one shape have as many, of the same types. `places`:
    the number of the literal that a word gives, by the offset of its first character.
    """

    tokens: list[Token]
    shape: Hashable
    literals: tuple[Literal, ...]
    places: Mapping[int, int]
    lists: Mapping[int, Constants | ComputedCells] = field(default_factory=dict)


def written(text: str, gathers: bool = True) -> Written | None:
    """The words of the text; None where it cannot be split into any. `gathers`: long lists of constants are one word each."""
    try:
        tokens = words(dialect_named("duckdb"), text)
    except SqlglotError:
        return None
    lists: Mapping[int, Constants | ComputedCells] = {}
    if gathers:
        together = gathered(tokens, text)
        tokens, lists = together.tokens, together.lists
    shape: list[Hashable] = []
    values: list[Literal] = []
    starts: list[int] = []
    for tokens_between, found in _apart(tokens, lists):
        words_between = shaped(tokens_between)
        shape += words_between.shape
        values += words_between.literals
        starts += words_between.starts
        if found is not None:
            shape.append(found.written)
    places = {start: place for place, start in enumerate(starts)}
    return Written(tokens, tuple(shape), tuple(values), places, lists)


def _apart(
    tokens: list[Token], lists: Mapping[int, Constants | ComputedCells]
) -> Iterator[tuple[list[Token], Constants | ComputedCells | None]]:
    """The words before each of the lists with it, and those behind the last."""
    begin = place = 0
    while lists and place < len(tokens):
        found = lists.get(tokens[place].start)
        if found is None:
            place += 1
            continue
        yield tokens[begin:place], found
        while place < len(tokens) and tokens[place].start <= found.end:
            place += 1
        begin = place
    yield tokens[begin:], None


def named_parameters(text: str) -> list[str]:
    """The names of the parameters `$name` in the last statement of the text, in order; none where it cannot be split into words."""
    try:
        tokens = words(dialect_named("duckdb"), text)
    except SqlglotError:
        return []
    while tokens and tokens[-1].token_type == TokenType.SEMICOLON:
        tokens.pop()
    ends = [place for place, token in enumerate(tokens) if token.token_type == TokenType.SEMICOLON]
    last = tokens[ends[-1] + 1 :] if ends else tokens
    names = [
        following.text
        for token, following in pairwise(last)
        if token.token_type == TokenType.PARAMETER and token.text == "$" and following.start == token.end + 1
    ]
    return list(dict.fromkeys(name for name in names if not name.isdigit()))


class Followed:
    """Which literal of a syntax tree is which of the `inputs`, known by their offsets in the text, as far as that is certain.

    `handed`: the offsets of those that the parser hands on as arguments of calls, too.
    """

    def __init__(self, inputs: Mapping[int, Input], handed: Collection[int] = ()) -> None:
        self._inputs = inputs
        self._handed = handed
        self._met: set[int] = set()
        self._looked_at: set[int] = set()

    def __call__(self, node: exp.Literal) -> Input | None:
        """The input that the literal of the tree is; None where it is none, or one that the parser may have looked at."""
        meta = node._meta
        start = meta["start"] if meta and "start" in meta else -1
        if start not in self._inputs:
            return None
        above = node.parent
        while isinstance(above, exp.Paren | exp.Neg):
            above = above.parent
        if not isinstance(above, _FOLLOWED) and not (start in self._handed and isinstance(above, exp.Func)):
            self._looked_at.add(start)
            return None
        self._met.add(start)
        return self._inputs[start]

    @property
    def lost(self) -> set[int]:
        """The offsets of those that were not found in the tree, once all of it was seen."""
        return self._looked_at | (self._inputs.keys() - self._met)

    def fix_others(self) -> None:
        """Once all of the tree was seen: the plan builds on the values of the words that were not found in it."""
        for start in self.lost:
            self._inputs[start].fix()
