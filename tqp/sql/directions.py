"""The order that is meant where a text does not say it: by the settings `default_order` and `default_null_order`.

The parser forgets NULLS LAST, which is what DuckDB does by default; so the words are marked before it reads them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from tqp.config import DefaultOrder

__all__ = ["direction", "with_marks", "without_marks"]

_MARK: Final = ("WITH", "FILL")
"""Words that the parser takes behind NULLS LAST, of another dialect."""


def with_marks(tokens: Sequence[Token]) -> list[Token]:
    """The words with a mark behind each NULLS LAST."""
    result: list[Token] = []
    before = ""
    for token in tokens:
        result.append(token)
        word = token.text.upper()
        if word == "LAST" and before == "NULLS" and token.token_type != TokenType.STRING:
            at = (token.line, token.col, token.start, token.end)
            result += [Token(TokenType.WITH, _MARK[0], *at), Token(TokenType.VAR, _MARK[1], *at)]
        before = word
    return result


def without_marks(tree: exp.Expr) -> None:
    """Keep in the keys of ORDER BY which of them say NULLS LAST."""
    for key in tree.find_all(exp.Ordered):
        if key.args.get("with_fill") is not None:
            key.set("with_fill", None)
            key.set("nulls_last", True)


def direction(order: DefaultOrder, key: exp.Expr) -> tuple[bool, bool]:
    """Whether a key of ORDER BY descends, and whether its NULLs come first."""
    descends = key.args.get("desc")
    descending = order.descending if descends is None else bool(descends)
    if key.args.get("nulls_first") or key.args.get("nulls_last"):
        return descending, bool(key.args.get("nulls_first"))
    return descending, order.nulls_first(descending)
