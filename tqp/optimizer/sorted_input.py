"""Sorts below what takes rows in their order: the order as keys of those who follow it, where the Sort itself cannot stay."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from tqp.functions.aggregates import aggregate_of
from tqp.ir.expr import AggregateCall, SortKey
from tqp.ir.plan import (
    Aggregate,
    AsofJoin,
    DependentJoin,
    Field,
    Filter,
    Generate,
    GroupingSets,
    Join,
    Limit,
    NearestJoin,
    Pivot,
    Plan,
    Project,
    Recursion,
    Scan,
    SetOp,
    Shared,
    Sort,
    TopN,
    Values,
    Window,
    Working,
)
from tqp.ir.visit import rewrite_plan
from tqp.optimizer.fresh import Symbols
from tqp.stack import deep

__all__ = ["ordered_calls", "without_sort"]


def ordered_calls(plan: Plan, names: Symbols) -> Plan:
    """The plan in which aggregates that follow the order of a Sort below them say that order themselves."""

    def rule(node: Plan) -> Plan | None:
        if not isinstance(node, Aggregate) or not any(map(_follows_order, node.aggregates)):
            return None
        below, keys = without_sort(node.input, names)
        calls = [
            replace(call, order=(*call.order, *keys)) if _follows_order(call) else call for call in node.aggregates
        ]
        return replace(node, input=below, aggregates=tuple(calls)) if keys else None

    return rewrite_plan(plan, rule)


def _follows_order(call: AggregateCall) -> bool:
    return not aggregate_of(call).order_free


@deep
def without_sort(plan: Plan, names: Symbols) -> tuple[Plan, tuple[SortKey, ...]]:
    """The plan without its top Sort, and the keys of that in terms of the plan's columns; none where there is no Sort."""
    match plan:
        case Sort():
            return plan.input, plan.keys
        case Filter():
            below, keys = without_sort(plan.input, names)
            return (Filter(below, plan.predicate), keys) if keys else (plan, ())
        case Project():
            below, keys = without_sort(plan.input, names)
            extra = tuple((Field(names.fresh("key"), "key", k.expr.dtype), k.expr) for k in keys)
            fields = (*plan.fields, *(field for field, _ in extra))
            exprs = (*plan.exprs, *(expr for _, expr in extra))
            moved = (
                SortKey(field.ref, key.descending, key.nulls_first) for (field, _), key in zip(extra, keys, strict=True)
            )
            return Project(below, fields, exprs), tuple(moved)
        case (
            Scan() | Values() | Shared() | Join() | Aggregate() | GroupingSets() | Window() | Limit() | TopN() | SetOp()
            | AsofJoin() | NearestJoin() | DependentJoin() | Generate() | Recursion() | Pivot() | Working()
        ):  # fmt: skip
            return plan, ()
        case _:
            assert_never(plan)
