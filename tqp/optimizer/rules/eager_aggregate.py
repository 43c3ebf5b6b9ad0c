"""Aggregate before a join whose other side has one row per group.

Aggregate(L JOIN R ON l = r by u, ...) with u unique in L and aggregates over R is L JOIN Aggregate(R by r) ON l = r: every
group is the partners of one row of L. For LEFT JOIN a row without partners counts 0 (count(*): 1); the other aggregates
are NULL there as they are over the one padding row. Not where an argument has a value in that row (`coalesce(r.x, 1)`), nor
with a residual, which is no condition on R's groups.
"""

from __future__ import annotations

from typing import Final

from tqp.functions.aggregates import aggregate_of
from tqp.functions.bind import bind
from tqp.ir import words
from tqp.ir.expr import AggregateCall, ColumnRef, Expr, Literal
from tqp.ir.plan import Aggregate, Field, Join, Plan, Project
from tqp.ir.visit import rewrite_plan, symbols
from tqp.optimizer.cardinality import Estimator
from tqp.optimizer.facts import unique_keys
from tqp.optimizer.fresh import Symbols
from tqp.optimizer.predicates import is_null, rejects_nulls

__all__ = ["aggregate_early"]

_JOINED: Final = 0.5
"""At least this share of the aggregated side's rows must find a partner, else groups are made for nothing."""


def aggregate_early(plan: Plan) -> Plan:
    """The plan with such aggregates below their joins, where that makes the join smaller."""
    estimator = Estimator()
    names: list[Symbols] = []

    def rule(node: Plan) -> Plan | None:
        if not isinstance(node, Aggregate) or not isinstance(node.input, Join):
            return None
        join = node.input
        if join.kind not in ("inner", "left") or join.residual is not None or not join.keys:
            return None
        if not names:
            names.append(Symbols(plan))
        for flipped in (False, True) if join.kind == "inner" else (False,):
            found = _push(node, _flip(join) if flipped else join, names[0], estimator)
            if found is not None:
                return found
        return None

    return rewrite_plan(plan, rule)


def _flip(join: Join) -> Join:
    return Join("inner", join.right, join.left, tuple((right, left) for left, right in join.keys))


def _push(node: Aggregate, join: Join, names: Symbols, estimator: Estimator) -> Plan | None:
    ours = {field.symbol for field in join.left.schema}
    theirs = {field.symbol: field for field in join.right.schema}
    if not any(key <= set(node.keys) for key in unique_keys(join.left)) or not set(node.keys) <= ours:
        return None
    by = [key.symbol for _, key in join.keys if isinstance(key, ColumnRef)]
    if len(by) < len(join.keys) or len(set(by)) < len(by):
        return None
    rows = estimator.rows(join.right)
    if estimator.rows(join) < _JOINED * rows or rows < 2 * estimator.rows(Aggregate(join.right, tuple(by), (), ())):
        return None
    fields: list[Field] = []
    calls: list[AggregateCall] = []
    exprs: list[Expr] = [ColumnRef(field.symbol, field.dtype) for field in node.schema[: len(node.keys)]]
    for field, call in zip(node.fields, node.aggregates, strict=True):
        read = _read(call)
        if aggregate_of(call).idempotent and read <= ours and call.filter is None:
            exprs.append(call.args[0])
            continue
        if not read <= theirs.keys():
            return None
        partial = Field(names.fresh(field.symbol), field.name, field.dtype)
        fields.append(partial)
        calls.append(call)
        value = _for_missing(join, call, partial, frozenset(theirs))
        if value is None:
            return None
        exprs.append(value)
    grouped = Aggregate(join.right, tuple(by), tuple(fields), tuple(calls))
    return Project(Join(join.kind, join.left, grouped, join.keys), node.schema, tuple(exprs))


def _read(call: AggregateCall) -> frozenset[str]:
    parts = (*call.args, *(key.expr for key in call.order), *(() if call.filter is None else (call.filter,)))
    return frozenset[str]().union(*map(symbols, parts))


def _for_missing(join: Join, call: AggregateCall, partial: Field, padded: frozenset[str]) -> Expr | None:
    """The aggregate's value, also for a left row without partners; None where it cannot be had from `partial`.

    Such a row has one padding row, with NULL in all columns `padded`. Nothing may be made of it but NULL, or it counts.
    """
    if join.kind == "inner":
        return partial.ref
    function, missing = aggregate_of(call), aggregate_of(call).empty
    if call.filter is None or not rejects_nulls(call.filter, padded):
        if function.counts_rows and call.filter is None:
            missing = 1
        elif not any(is_null(arg, padded) for arg in call.args):
            return None
    return partial.ref if missing is None else bind(words.COALESCE, partial.ref, Literal(missing, partial.dtype))
