"""Names under which calls go through the parser that has nodes of its own for what they are called."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final
from urllib.parse import quote, unquote

from sqlglot.tokenizer_core import Token, TokenType

__all__ = [
    "DEFAULT_CELL",
    "PLUS",
    "SPREAD",
    "called_apart",
    "is_stand_in",
    "macro_called",
    "qualified_apart",
    "with_default_cells",
]

_MACRO: Final = "tqp_macro__"
_SYNTAX: Final = frozenset({"DATE", "IFNULL", "TRY"})
"""Calls that DuckDB's parser makes syntax of, in quotes, too."""

DEFAULT_CELL: Final = "tqp_default__"
"""What DEFAULT in VALUES is called, which is a name to no parser."""

SPREAD: Final = "tqp_spread__"
"""What stands before the name of a function whose only argument is `*COLUMNS(…)`, where the parser would miss others."""

PLUS: Final = "tqp_plus__"
"""What `+` before an operand is called: the parser would leave it out."""


def is_stand_in(name: str) -> bool:
    """Whether a name is one of these."""
    return name.startswith((_MACRO, DEFAULT_CELL, SPREAD, PLUS))


def with_default_cells(tokens: Sequence[Token]) -> list[Token]:
    """The words of INSERT's VALUES with names for DEFAULT."""
    return [
        Token(TokenType.IDENTIFIER, DEFAULT_CELL, token.line, token.col, token.start, token.end)
        if token.token_type == TokenType.DEFAULT
        else token
        for token in tokens
    ]


def _of_macro(name: str) -> str:
    return _MACRO + quote(name)


def macro_called(name: str) -> str | None:
    """The macro that a call of this name is of; None where it is of none."""
    return unquote(name.removeprefix(_MACRO)) if name.startswith(_MACRO) else None


def qualified_apart(tokens: Sequence[Token], names: Collection[str]) -> list[Token]:
    """The words with calls of macros behind their schemas as one word each, which the parser does not know.

    It would take `s.f(x)` for `f(s, x)`.
    """
    result: list[Token] = []
    for place, token in enumerate(tokens):
        result.append(token)
        if place + 1 == len(tokens) or tokens[place + 1].token_type != TokenType.L_PAREN:
            continue
        length = 1
        while length + 2 <= len(result) and result[-length - 1].token_type == TokenType.DOT:
            length += 2
        name = "".join(part.text for part in result[-length:])
        if length > 1 and name.lower() in names:
            first = result[-length]
            made = Token(TokenType.VAR, _of_macro(name), first.line, first.col, first.start, token.end)
            result[-length:] = [made]
    return result


def called_apart(tokens: Sequence[Token], names: Collection[str]) -> list[Token]:
    """The words with calls of macros of these names (in lower case) under names that the parser does not know."""
    result: list[Token] = []
    for place, token in enumerate(tokens):
        is_call = place + 1 < len(tokens) and tokens[place + 1].token_type == TokenType.L_PAREN
        if not is_call or token.text.lower() not in names or token.token_type == TokenType.STRING or _is_syntax(token):
            result.append(token)
            continue
        result.append(Token(TokenType.VAR, _of_macro(token.text), token.line, token.col, token.start, token.end))
    return result


def _is_syntax(name: Token) -> bool:
    """Whether a call by this word is syntax, which no macro hides."""
    called = name.text.upper()
    return called in _SYNTAX or called == "COALESCE" and name.token_type != TokenType.IDENTIFIER
