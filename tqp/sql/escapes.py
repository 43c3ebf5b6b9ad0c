"""The ESCAPE of LIKE, which may be any operand: the parser reads a text constant alone.

It goes through the parser as an operator that DuckDB does not have, between what LIKE gives and the escape.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from tqp.sql.words import token_at

__all__ = ["with_escapes_apart", "with_escapes_in_place"]

_LIKE: Final = frozenset({TokenType.LIKE, TokenType.ILIKE, TokenType.GLOB, TokenType.SIMILAR_TO})
_OPENING: Final = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
_CLOSING: Final = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})
_APART: Final = frozenset({TokenType.COMMA, TokenType.FROM, TokenType.JOIN, TokenType.ALIAS, TokenType.SEMICOLON})
"""Behind these the word may be a name again."""
_ENDING: Final = _CLOSING | {
    TokenType.STRING, TokenType.NUMBER, TokenType.VAR, TokenType.IDENTIFIER, TokenType.NULL, TokenType.END,
    TokenType.TRUE, TokenType.FALSE,
}  # fmt: skip
"""The last word of a pattern; behind any other the word is a name."""


def with_escapes_apart(tokens: Sequence[Token]) -> list[Token]:
    """The words with an operator in place of the ESCAPE of each LIKE."""
    result = list(tokens)
    open_likes = [0]
    for place, token in enumerate(tokens):
        kind = token.token_type
        if kind in _OPENING:
            open_likes.append(0)
        elif kind in _CLOSING and len(open_likes) > 1:
            open_likes.pop()
        elif kind in _LIKE:
            open_likes[-1] = place
        elif kind in _APART:
            open_likes[-1] = 0
        elif kind == TokenType.ESCAPE and open_likes[-1] and place > open_likes[-1] + 1:
            before = tokens[place - 1].token_type
            if before in _ENDING or before == TokenType.ESCAPE:
                result[place] = token_at(TokenType.HASH_DASH, token.text, token)
                open_likes[-1] = 0
    return result


def with_escapes_in_place(tree: exp.Expr) -> None:
    """Make that operator an ESCAPE again."""
    for node in list(tree.find_all(exp.JSONBDeleteAtPath)):
        like = node.this
        # The parser puts a NOT LIKE in parentheses.
        like = like.this if isinstance(like, exp.Paren) else like
        node.replace(exp.Escape(this=like, expression=node.expression))
