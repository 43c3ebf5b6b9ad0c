"""USING KEY (a, max(b)): the parser knows names there alone, so that what else stands there is parsed as a query before it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from tqp.errors import ParseError
from tqp.sql.words import closing, token_at

__all__ = ["with_keys_apart", "with_keys_in_place"]

_APART: Final = "tqp_keys_of_the_next"
"""The name of a query under WITH whose columns are the keys of the one behind it."""


def with_keys_apart(tokens: Sequence[Token]) -> tuple[list[Token], bool]:
    """The words with the keys of `t(…) USING KEY (…) AS (…)` in a query of their own before it, and whether there were any.

    `with_keys_in_place` puts them back in the tree. ParseError where no key stands there.
    """
    result = list(tokens)
    found = False
    for place in range(len(tokens) - 1, 1, -1):
        if not _is_key(tokens, place):
            continue
        begin = _name_before(tokens, place - 1)
        end = closing(tokens, place + 1)
        if begin is None or end is None:
            continue
        found = True
        at = tokens[place]
        keys = result[place + 2 : end]
        if not keys:
            raise ParseError("syntax error: USING KEY names no key", hint="as in USING KEY (a, max(b))")
        made = [
            token_at(TokenType.VAR, _APART, at), token_at(TokenType.ALIAS, "AS", at), token_at(TokenType.L_PAREN, "(", at),
            token_at(TokenType.SELECT, "SELECT", at), *keys, token_at(TokenType.R_PAREN, ")", at),
            token_at(TokenType.COMMA, ",", at),
        ]  # fmt: skip
        name = token_at(TokenType.VAR, _APART, at)
        result = [*result[:begin], *made, *result[begin : place + 2], name, *result[end:]]
    return result, found


def with_keys_in_place(tree: exp.Expr) -> None:
    """The keys as those of the query that they were written for: columns, calls, and calls under an alias."""
    for node in list(tree.find_all(exp.With)):
        queries = list(node.expressions)
        for keys, query in pairwise(queries):
            if keys.alias == _APART:
                query.set("key_expressions", keys.this.expressions)
        node.set("expressions", [query for query in queries if query.alias != _APART])


def _is_key(tokens: Sequence[Token], place: int) -> bool:
    """Whether the word there is the KEY of USING KEY."""
    return (
        tokens[place].text.upper() == "KEY"
        and tokens[place - 1].token_type == TokenType.USING
        and place + 1 < len(tokens)
        and tokens[place + 1].token_type == TokenType.L_PAREN
    )


def _name_before(tokens: Sequence[Token], place: int) -> int | None:
    """Where the name stands behind which, with or without column names, the word at `place` does."""
    place -= 1
    if place >= 0 and tokens[place].token_type == TokenType.R_PAREN:
        depth = 0
        while place >= 0:
            depth += (tokens[place].token_type == TokenType.R_PAREN) - (tokens[place].token_type == TokenType.L_PAREN)
            place -= 1
            if depth == 0:
                break
    return place if place >= 1 else None
