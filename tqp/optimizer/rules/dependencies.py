"""Group by fewer columns: a key that the other keys determine is computed of these, or becomes an `any_value` aggregate.

GROUP BY k, a, b with k -> a, b is GROUP BY k with any_value(a), any_value(b): each group has one value of a and one of b. Where
a is an expression of k, as in GROUP BY k, k - 1, it is computed for the groups, not for the rows.
"""

from __future__ import annotations

from tqp.ir import words
from tqp.ir.expr import AggregateCall, ColumnRef, Expr
from tqp.ir.plan import Aggregate, Field, Plan, Project
from tqp.ir.visit import rename, rewrite_plan, symbols
from tqp.optimizer.facts import closure, dependencies, equal_are_same
from tqp.optimizer.fresh import Symbols

__all__ = ["reduce_group_keys"]


def reduce_group_keys(plan: Plan) -> Plan:
    """The plan with every GROUP BY reduced to keys of which none determines another."""
    names = Symbols(plan)
    return rewrite_plan(plan, lambda node: _reduce(node, names) if isinstance(node, Aggregate) else None)


def _reduce(node: Aggregate, names: Symbols) -> Plan | None:
    if len(node.keys) < 2:
        return None
    rules = dependencies(node.input)
    if not rules:
        return None
    by_symbol = {field.symbol: field for field in node.input.schema}
    kept = list(node.keys)
    # Text costs most to group by, so it goes first; integers last.
    for key in sorted(node.keys, key=lambda symbol: _grouping_cost(by_symbol[symbol])):
        rest = frozenset(kept) - {key}
        if rest and key in closure(rest, rules):
            kept.remove(key)
    if len(kept) == len(node.keys):
        return None
    computed = _computed(node, kept)
    dropped = [by_symbol[key] for key in node.keys if key not in kept and key not in computed]
    firsts = {field.symbol: Field(names.fresh(field.symbol), field.name, field.dtype) for field in dropped}
    calls = tuple(AggregateCall(words.ANY_VALUE, (field.ref,), field.dtype) for field in dropped)
    grouped = Aggregate(node.input, tuple(kept), (*firsts.values(), *node.fields), (*calls, *node.aggregates))
    found = computed | {symbol: field.ref for symbol, field in firsts.items()}
    exprs = tuple(found.get(f.symbol) or ColumnRef(f.symbol, f.dtype) for f in node.schema)
    # The dropped keys' own symbols name the result again: above this Project nothing else produces them.
    return Project(grouped, node.schema, exprs)


def _computed(node: Aggregate, kept: list[str]) -> dict[str, Expr]:
    """The other keys that are expressions of the kept ones, of which equal values are the same."""
    if not isinstance(node.input, Project):
        return {}
    made = {field.symbol: expr for field, expr in zip(node.input.fields, node.input.exprs, strict=True)}
    below: dict[str, Expr] = {}
    for key in kept:
        expr = made[key]
        if isinstance(expr, ColumnRef) and equal_are_same(expr):
            below[expr.symbol] = ColumnRef(key, expr.dtype)
    others = {key: made[key] for key in node.keys if key not in kept}
    return {key: rename(expr, below) for key, expr in others.items() if symbols(expr) <= below.keys()}


def _grouping_cost(field: Field) -> int:
    if field.dtype.is_coded:
        return 0
    return 2 if field.dtype.is_integer else 1
