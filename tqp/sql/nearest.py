"""NEAREST: each row with those of the joined table that rank first for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from sqlglot import exp

from tqp.errors import ParseError
from tqp.ir.expr import Expr, SortKey
from tqp.ir.outside import outer_symbols
from tqp.ir.plan import DependentJoin, Field, Filter, Limit, NearestJoin, Plan, Sort
from tqp.sql.collations import sort_key_of
from tqp.sql.context import Context
from tqp.sql.expr import ExprBinder
from tqp.sql.grammar.nearest import Clause, clause_of
from tqp.sql.literals import is_constant
from tqp.sql.operators import call
from tqp.sql.ordering import ordinal
from tqp.sql.scope import Cte, Relation, Scope, distinct_names

__all__ = ["clause_of", "nearest_join"]

_KINDS: dict[tuple[str, str], Literal["inner", "left"]] = {
    ("", ""): "inner",
    ("", "INNER"): "inner",
    ("LEFT", ""): "left",
    ("LEFT", "OUTER"): "left",
}
_LARGEST = 2**63 - 1


def nearest_join(
    context: Context,
    node: exp.Join,
    clause: Clause,
    left: tuple[Plan, Scope],
    right: tuple[Plan, Scope],
    around: Scope,
    ctes: Mapping[str, Cte],
) -> tuple[Plan, Scope]:
    """JOIN … NEAREST and the columns that it brings; `around` has those of the items before the joined one.

    As in DuckDB it is a query of the joined item's rows with WHERE and ORDER BY the ranking: names are those of the item first, a
    number is one of its columns, and rows without a rank are left out.
    """
    if (node.side, node.kind) not in _KINDS:
        words = node.side or node.kind
        raise ParseError(f"NEAREST BY only supports INNER and LEFT OUTER joins, not {words}", text=context.text)
    kind = _KINDS[node.side, node.kind]
    limit = _limit(context, clause)
    (plan, scope), (right_plan, right_scope) = left, right
    columns = right_scope.columns()
    order, skips_null = _order(context, clause, right_scope, columns, around, ctes)
    joined: Plan
    if not outer_symbols(right_plan).isdisjoint(column.symbol for column in plan.schema):
        rows = Filter(right_plan, call("not", call("is_null", order.expr))) if skips_null else right_plan
        joined = DependentJoin(kind, plan, Limit(Sort(rows, (order,)), limit))
    else:
        joined = NearestJoin(kind, plan, right_plan, (order,), limit, None, skips_null, clause.approximate)
    found = distinct_names(tuple(replace(column, name=name) for name, column in columns))
    one = right_scope.relations[0] if len(right_scope.relations) == 1 else Relation("", ())
    beside = Scope(right_scope.parent, [Relation(one.name, found, is_optional=kind == "left")])
    return joined, scope.extended(beside)


def _limit(context: Context, clause: Clause) -> int:
    text = clause.rows.replace("_", "")
    if not text.isdigit() or len(text) > 20 or not 1 <= int(text) <= _LARGEST:
        raise ParseError(f'NEAREST expects a positive integer literal, got "{clause.rows}"', text=context.text)
    return int(text)


def _order(
    context: Context,
    clause: Clause,
    scope: Scope,
    columns: list[tuple[str, Field]],
    around: Scope,
    ctes: Mapping[str, Cte],
) -> tuple[SortKey, bool]:
    """The order of the rows, and whether those without a rank are left out."""
    place = ordinal(context, clause.ranking, len(columns), "ORDER BY")
    value: Expr
    if place is not None:
        value = columns[place][1].ref
    elif is_constant(clause.ranking):
        raise context.error(clause.ranking, "NEAREST by a constant ranks nothing", hint="name a column or its number")
    else:
        value = ExprBinder(context, replace(scope, parent=around), ctes, "WHERE").bind(clause.ranking)
    return sort_key_of(SortKey(value, clause.descending)), place is None
