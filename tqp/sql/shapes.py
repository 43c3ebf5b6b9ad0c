"""Words of a text without the values of their literals: what all texts of one shape say."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from tqp.errors import TqpError
from tqp.ir.expr import Literal
from tqp.sql import literals
from tqp.types import VARCHAR

__all__ = ["Shaped", "shaped"]

_PLAIN: Final = re.compile(r"\d+(\.\d+)?")
"""Numbers that the tokenizer, the parser and SQL all read alike."""

_LITERALS: Final = frozenset({TokenType.STRING, TokenType.NUMBER})

_NOT_BEFORE: Final = frozenset({TokenType.PARAMETER, TokenType.DOT, TokenType.PLACEHOLDER})
"""A number after one of these is part of a name or of another number."""


@dataclass(frozen=True, slots=True)
class Shaped:
    """Some words: `shape` is all that they say except for the values of `literals`; words of one shape have as many, of the same
    types. `starts`: the offset of the first character of each literal; `words`: what it is in the text."""

    shape: tuple[Hashable, ...]
    literals: tuple[Literal, ...]
    starts: tuple[int, ...]
    words: tuple[str, ...]


def shaped(tokens: Sequence[Token]) -> Shaped:
    """The shape of the words, and their literals."""
    shape: list[Hashable] = []
    values: list[Literal] = []
    starts: list[int] = []
    said: list[str] = []
    before, end = None, -1
    for token in tokens:
        kind, word = token.token_type, token.text
        literal = _literal(kind, word) if kind in _LITERALS and before not in _NOT_BEFORE else None
        if literal is None:
            # The tokenizer has two words for >>, which are an operator where nothing is between them.
            shape.append((kind, word, kind == before and token.start == end + 1))
        else:
            shape.append(literal.type)
            values.append(literal)
            starts.append(token.start)
            said.append(word)
        before, end = kind, token.end
    return Shaped(tuple(shape), tuple(values), tuple(starts), tuple(said))


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
