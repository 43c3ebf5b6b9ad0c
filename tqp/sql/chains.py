"""Chains of the same UNION, which are one set operation of many queries."""

from __future__ import annotations

from sqlglot import exp

from tqp.sql.ordering import is_bare

__all__ = ["chain"]


def chain(node: exp.SetOperation) -> tuple[exp.Expr, list[exp.SetOperation]]:
    """The first query of the chain that ends with the node, and its steps, each of which adds a query.

    As in DuckDB the chain goes on as long as the left side is the same UNION, ALL or not, BY NAME or not, without brackets.
    INTERSECT and EXCEPT are steps by themselves.
    """
    steps = [node]
    first: exp.Expr = node.this
    while (
        isinstance(node, exp.Union) and isinstance(first, exp.Union) and is_bare(first) and _kind(first) == _kind(node)
    ):
        steps.append(first)
        first = first.this
    return first, steps[::-1]


def _kind(union: exp.Union) -> tuple[bool, bool]:
    return bool(union.args.get("distinct")), bool(union.args.get("by_name"))
