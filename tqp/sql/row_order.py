"""What the text of a query says of the order of its rows, and how many of them it leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from tqp.sql.dialect import dialect_named
from tqp.sql.parse import parse
from tqp.sql.words import words

__all__ = ["row_order", "without_limit"]

_OPENING: Final = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
_CLOSING: Final = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})
_LIMITING: Final = frozenset({TokenType.LIMIT, TokenType.OFFSET, TokenType.FETCH})


def row_order(text: str, names: Sequence[str]) -> tuple[list[int] | None, bool]:
    """Positions of the output columns that the outermost ORDER BY sorts by, and whether they are all that it sorts by.

    `names` are those of the output. The positions stop at the first key that is no output column, since from there on the order
    cannot be seen; None where there is no ORDER BY.
    """
    query = parse(text)
    while isinstance(query, exp.Subquery) and not query.args.get("order"):
        query = query.this
    order = query.args.get("order")
    if order is None:
        return None, True
    outputs = query.selects if isinstance(query, exp.Select) else []
    if any(output.is_star for output in outputs) or len(outputs) != len(names):
        outputs = []
    found: list[int] = []
    for key in order.expressions:
        if isinstance(key.this, exp.Column | exp.Var) and key.this.name.upper() == "ALL":
            return [*found, *range(len(names))], True
        place = _output_place(key.this, outputs, names)
        if place is None:
            return found, False
        found.append(place)
    return found, True


def without_limit(text: str) -> str | None:
    """The query without its outermost LIMIT and OFFSET, as it is written; None where it has neither."""
    query = parse(text)
    clauses = [query.args.get(name) for name in ("limit", "offset")]
    count = sum(clause is not None for clause in clauses)
    if not count:
        return None
    begins, depth = [], 0
    for token in words(dialect_named("duckdb"), text):
        depth += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
        if depth == 0 and token.token_type in _LIMITING:
            begins.append(token.start)
    return text[: begins[-count]]


def _output_place(key: exp.Expr, outputs: Sequence[exp.Expr], names: Sequence[str]) -> int | None:
    if isinstance(key, exp.Literal) and key.is_int:
        return int(key.this) - 1
    same = [place for place, output in enumerate(outputs) if output.unalias() == key]
    if isinstance(key, exp.Column):
        named = [place for place, name in enumerate(names) if name.lower() == key.name.lower()]
        if not key.table and named:
            aliased = [place for place, output in enumerate(outputs) if output.alias.lower() == key.name.lower()]
            return aliased[-1] if aliased else named[0]
        same = same or (named if len(named) == 1 and not outputs else [])
    return same[0] if same else None
