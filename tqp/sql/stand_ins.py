"""Names under which calls go through the parser that has nodes of its own for what they are called."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

__all__ = ["DEFAULT_CELL", "MACRO_PREFIX", "PLUS", "SPREAD", "called_apart", "is_stand_in", "with_default_cells"]

MACRO_PREFIX: Final = "tqp_macro__"

DEFAULT_CELL: Final = "tqp_default__"
"""What DEFAULT in VALUES is called, which is a name to no parser."""

SPREAD: Final = "tqp_spread__"
"""What stands before the name of a function whose only argument is `*COLUMNS(…)`, where the parser would miss others."""

PLUS: Final = "tqp_plus__"
"""What `+` before an operand is called: the parser would leave it out."""


def is_stand_in(name: str) -> bool:
    """Whether a name is one of these."""
    return name.startswith((MACRO_PREFIX, DEFAULT_CELL, SPREAD, PLUS))


def with_default_cells(tokens: Sequence[Token]) -> list[Token]:
    """The words of INSERT's VALUES with names for DEFAULT."""
    return [
        Token(TokenType.IDENTIFIER, DEFAULT_CELL, token.line, token.col, token.start, token.end)
        if token.token_type == TokenType.DEFAULT
        else token
        for token in tokens
    ]


def called_apart(tokens: Sequence[Token], names: Collection[str]) -> list[Token]:
    """The words with calls of macros of these names (in lower case) under names that the parser does not know."""
    result: list[Token] = []
    for place, token in enumerate(tokens):
        is_call = place + 1 < len(tokens) and tokens[place + 1].token_type == TokenType.L_PAREN
        if not is_call or token.text.lower() not in names or token.token_type == TokenType.STRING:
            result.append(token)
            continue
        if len(result) > 1 and result[-1].token_type == TokenType.DOT and result[-2].text.lower() == "main":
            del result[-2:]
        result.append(Token(TokenType.VAR, MACRO_PREFIX + token.text, token.line, token.col, token.start, token.end))
    return result
