"""A text as words, in which numbers and strings are told by their types: what is planned once for all values of them."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from tqp.errors import TqpError
from tqp.ir.expr import Literal
from tqp.ir.inputs import Input
from tqp.sql import literals
from tqp.sql.dialect import dialect_named
from tqp.sql.gathering import Constants, gathered
from tqp.sql.words import words
from tqp.types import VARCHAR

__all__ = ["Followed", "Written", "named_parameters", "written"]

_PLAIN: Final = re.compile(r"\d+(\.\d+)?")
"""Numbers that the tokenizer, the parser and SQL all read alike."""

_LITERALS: Final = frozenset({TokenType.STRING, TokenType.NUMBER})

_NOT_BEFORE: Final = frozenset({TokenType.PARAMETER, TokenType.DOT, TokenType.PLACEHOLDER})
"""A number after one of these is part of a name or of another number."""

# The parser looks at some literals: at those in a subscript, in a type, in the arguments of functions for which it has code.
# What stands right in one of these it only hands on.
_FOLLOWED: Final = (
    exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.IntDiv, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.And, exp.Or,
    exp.Not, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Between, exp.In, exp.Like, exp.ILike, exp.Escape, exp.Cast, exp.TryCast,
    exp.Interval, exp.Case, exp.If, exp.Alias, exp.Tuple, exp.Coalesce, exp.Substring, exp.Abs, exp.Sum, exp.Avg,
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
    lists: Mapping[int, Constants] = field(default_factory=dict)


def written(text: str, gathers: bool = True) -> Written | None:
    """The words of the text; None where it cannot be split into any. `gathers`: long lists of constants are one word each."""
    try:
        tokens = words(dialect_named("duckdb"), text)
    except SqlglotError:
        return None
    lists: Mapping[int, Constants] = {}
    if gathers:
        together = gathered(tokens, text)
        tokens, lists = together.tokens, together.lists
    shape: list[Hashable] = []
    values: list[Literal] = []
    places: dict[int, int] = {}
    before, end = None, -1
    for token in tokens:
        kind, word = token.token_type, token.text
        if lists and token.start in lists:
            shape.append(lists[token.start].written)
            before, end = kind, token.end
            continue
        literal = _literal(kind, word) if kind in _LITERALS and before not in _NOT_BEFORE else None
        if literal is None:
            # The tokenizer has two words for >>, which are an operator where nothing is between them.
            shape.append((kind, word, kind == before and token.start == end + 1))
        before, end = kind, token.end
        if literal is None:
            continue
        places[token.start] = len(values)
        values.append(literal)
        shape.append(literal.type)
    return Written(tokens, tuple(shape), tuple(values), places, lists)


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


def _literal(kind: TokenType, word: str) -> Literal | None:
    """The literal that a string or a number is, if it is one that the parser hands on as it stands."""
    if kind == TokenType.STRING:
        return Literal(word, VARCHAR)
    if _PLAIN.fullmatch(word) is None:
        return None
    try:
        return literals.number(word)
    except TqpError:
        return None


class Followed:
    """Which literal of a syntax tree is which of the `inputs` that a text gives, as far as that is certain."""

    def __init__(self, text: Written, inputs: Sequence[Input]) -> None:
        self._places = text.places
        self._inputs = inputs
        self._met: set[int] = set()
        self._lost: set[int] = set()

    def __call__(self, node: exp.Literal) -> Input | None:
        """The input that the literal of the tree is; None where it is none, or one that the parser may have looked at."""
        meta = node._meta
        start = meta["start"] if meta and "start" in meta else -1
        number = self._places.get(start)
        if number is None:
            return None
        above = node.parent
        while isinstance(above, exp.Paren | exp.Neg):
            above = above.parent
        if not isinstance(above, _FOLLOWED):
            self._lost.add(number)
            return None
        self._met.add(start)
        return self._inputs[number]

    def fix_others(self) -> None:
        """Once all of the tree was seen: the plan builds on the values of the words that were not found in it."""
        lost = self._lost.union(number for start, number in self._places.items() if start not in self._met)
        for number in lost:
            self._inputs[number].fix()
