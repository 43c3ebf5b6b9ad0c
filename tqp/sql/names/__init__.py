"""What a result column is called when it has no alias: the expression as DuckDB would print it."""

from __future__ import annotations

from sqlglot import exp

from tqp.sql.names import conditions, nested, queries, values, windows
from tqp.sql.names.printer import Printer
from tqp.sql.parse import parse_strictly
from tqp.sql.unread import peeked, unnoticed

__all__ = ["display", "displayed", "inner_name"]

# Imported so that they register how their syntax is shown.
assert all(module.__name__ for module in (conditions, nested, queries, values, windows))


def display(node: exp.Expr, text: str) -> str:
    """The name of a result column that is this expression; `text` is the query it stands in."""
    with unnoticed(node):
        return Printer(text, _text_of).show(node)


def displayed(text: str) -> str:
    """An expression that is written in a definition as DuckDB shows it."""
    query = f"SELECT {text}"
    return display(parse_strictly(query)[0].expressions[0], query)


def inner_name(node: exp.Expr, text: str) -> str:
    """The same for a column that no result has: the plan does not build on the values of literals, which it may have others of."""
    with unnoticed(node):
        return Printer(text, peeked).show(node)


def _text_of(node: exp.Literal) -> str:
    return str(node.this)
