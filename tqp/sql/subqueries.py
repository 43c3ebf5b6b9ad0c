"""Subqueries: queries that stand in an expression, and what they may read of the query around them."""

from __future__ import annotations

from functools import partial

from sqlglot import exp

from tqp.ir.expr import ColumnRef, Expr
from tqp.ir.plan import Plan
from tqp.ir.visit import subplans, symbols, walk
from tqp.sql.expr import ExprBinder
from tqp.sql.query import bind_query
from tqp.sql.randoms import draws
from tqp.sql.scope import Scope

__all__ = ["bind_subquery"]


def bind_subquery(binder: ExprBinder, query: exp.Expr) -> Plan:
    """The plan of a subquery, which may read the columns that an expression beside it reads, and its aliases."""
    around = binder.scope
    if binder.aliases and binder.whole is None:
        outputs = {target.symbol for target in binder.aliases.values() if isinstance(target, ColumnRef)}
        outputs -= binder.scope.symbols()
        around = Scope(around, aliases=partial(_alias, binder), outputs=outputs)
    return bind_query(binder.context, query, around, binder.ctes)


def _alias(binder: ExprBinder, node: exp.Column) -> Expr | None:
    """What a name in a subquery means as an alias around it; BindError for one whose value is not the row's alone."""
    found = binder.alias(node)
    if found is None:
        return None
    why = None
    if any(map(draws, walk(found))):
        why = "which draws a value"
    elif any(True for _ in subplans(found)):
        why = "which has a subquery itself"
    elif binder.windows is not None and not binder.windows.symbols.isdisjoint(symbols(found)):
        why = "which has a window function"
    elif binder.clause == "HAVING" and binder.aggregates and not binder.aggregates.symbols.isdisjoint(symbols(found)):
        why = "which has an aggregate, in HAVING"
    if why is not None:
        hint = "compute it in a subquery in FROM"
        raise binder.context.error(node, f"a subquery cannot read the alias {node.name}, {why}", hint=hint)
    return found
