"""Existence of an unequal row by minimum and maximum, so that the build side has one row per key.

EXISTS (r.k = l.k AND r.x <> l.x) holds where min(r.x) or max(r.x) of the key's rows differs from l.x; with r.x < l.x
where min(r.x) < l.x, and so on. For semi and anti joins with keys whose residual is a single such comparison.
"""

from __future__ import annotations

from typing import Final

from tqp.ir import words
from tqp.ir.expr import AggregateCall, Call, ColumnRef, Expr
from tqp.ir.plan import Aggregate, Field, Join, Plan, Project
from tqp.ir.visit import rewrite_plan, symbols
from tqp.optimizer.cardinality import estimate
from tqp.optimizer.facts import covers, unique_keys
from tqp.optimizer.fresh import Symbols
from tqp.optimizer.literals import mirrored
from tqp.types import BOOLEAN

__all__ = ["compare_extremes"]

_FEW: Final = 4

# Right side <op> left side, and the aggregates of the right side that decide it.
_DECIDED_BY: Final = {
    words.NEQ: (words.MIN, words.MAX), words.LT: (words.MIN,), words.LTE: (words.MIN,), words.GT: (words.MAX,),
    words.GTE: (words.MAX,),
}  # fmt: skip


def compare_extremes(plan: Plan) -> Plan:
    """The plan with every such join over one row per key."""
    names: list[Symbols] = []

    def rule(node: Plan) -> Plan | None:
        if not isinstance(node, Join) or node.kind not in ("semi", "anti") or node.null_aware or not node.keys:
            return None
        if not names:
            names.append(Symbols(plan))
        return _reduce(node, names[0])

    return rewrite_plan(plan, rule)


def _reduce(node: Join, names: Symbols) -> Plan | None:
    compared = _comparison(node)
    if compared is None or covers(unique_keys(node.right), (key for _, key in node.keys)):
        return None
    if _FEW * estimate(node.left) < estimate(node.right):
        # Comparing the few pairs that the left rows meet costs less than aggregating the right side.
        return None
    function, inner, outer = compared
    keys = [Field(names.fresh("key"), "key", key.dtype) for _, key in node.keys]
    value = Field(names.fresh("value"), "value", inner.dtype)
    source = Project(node.right, (*keys, value), (*(key for _, key in node.keys), inner))
    extremes = [(name, Field(names.fresh(name), name, inner.dtype)) for name in _DECIDED_BY[function]]
    calls = tuple(AggregateCall(name, (value.ref,), inner.dtype) for name, _ in extremes)
    groups = Aggregate(source, tuple(key.symbol for key in keys), tuple(field for _, field in extremes), calls)
    tests = tuple(Call(function, (field.ref, outer), BOOLEAN) for _, field in extremes)
    residual = tests[0] if len(tests) == 1 else Call(words.OR, tests, BOOLEAN)
    pairs = tuple((left, key.ref) for (left, _), key in zip(node.keys, keys, strict=True))
    return Join(node.kind, node.left, groups, pairs, residual)


def _comparison(node: Join) -> tuple[str, Expr, Expr] | None:
    """(function, right side, left side) of the residual, with the right side's expression first."""
    part = node.residual
    if not isinstance(part, Call) or part.function not in _DECIDED_BY:
        return None
    right = {field.symbol for field in node.right.schema}
    a, b = part.args
    for function, inner, outer in ((part.function, a, b), (mirrored(part.function), b, a)):
        if symbols(inner) and symbols(inner) <= right and not symbols(outer) & right and isinstance(inner, ColumnRef):
            return function, inner, outer
    return None
