"""The expressions that a node of a plan holds, in a fixed order, and the node with others in their places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from tqp.ir.expr import AggregateCall, Expr, SortKey
from tqp.ir.plan import (
    Aggregate,
    AsofJoin,
    DependentJoin,
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
from tqp.ir.window import Frame, FrameBound, WindowCall

__all__ = ["call_expressions", "held", "with_expressions"]


def held(plan: Plan) -> tuple[Expr, ...]:
    """The expressions that the node itself holds, not its inputs'."""
    match plan:
        case Filter():
            return (plan.predicate,)
        case Project():
            return plan.exprs
        case Join():
            pairs = tuple(side for pair in plan.keys for side in pair)
            return pairs if plan.residual is None else (*pairs, plan.residual)
        case Aggregate() | GroupingSets() | Recursion():
            return tuple(expr for call in plan.aggregates for expr in call_expressions(call))
        case Sort() | TopN():
            return tuple(key.expr for key in plan.keys)
        case Window():
            calls = tuple(expr for call in plan.calls for expr in _window_expressions(call))
            return (*plan.partition_by, *(key.expr for key in plan.order_by), *calls)
        case Values():
            return tuple(expr for row in plan.rows for expr in row)
        case Generate():
            return plan.args
        case Pivot():
            return plan.fills
        case DependentJoin():
            return () if plan.condition is None else (plan.condition,)
        case AsofJoin():
            return (*(side for pair in plan.keys for side in pair), *plan.order)
        case NearestJoin():
            keys = tuple(key.expr for key in plan.order)
            return keys if plan.condition is None else (*keys, plan.condition)
        case Scan() | Shared() | Limit() | SetOp() | Working():
            return ()
        case _:
            assert_never(plan)


def with_expressions(plan: Plan, exprs: tuple[Expr, ...]) -> Plan:
    """The same node with `expressions(plan)` replaced, one for one."""
    match plan:
        case Filter():
            return Filter(plan.input, exprs[0])
        case Project():
            return Project(plan.input, plan.fields, exprs)
        case Join():
            count = 2 * len(plan.keys)
            keys = tuple(zip(exprs[:count:2], exprs[1:count:2], strict=True))
            residual = None if plan.residual is None else exprs[-1]
            return Join(plan.kind, plan.left, plan.right, keys, residual, plan.mark, plan.null_aware)
        case Aggregate():
            rest = iter(exprs)
            calls = tuple(_with_call_expressions(call, rest) for call in plan.aggregates)
            return Aggregate(plan.input, plan.keys, plan.fields, calls)
        case GroupingSets():
            rest = iter(exprs)
            calls = tuple(_with_call_expressions(call, rest) for call in plan.aggregates)
            return GroupingSets(plan.input, plan.keys, plan.sets, plan.marked, calls, plan.fields)
        case Sort():
            return Sort(plan.input, _with_key_expressions(plan.keys, iter(exprs)))
        case TopN():
            return TopN(plan.input, _with_key_expressions(plan.keys, iter(exprs)), plan.limit, plan.offset)
        case Window():
            rest = iter(exprs)
            partition = tuple(next(rest) for _ in plan.partition_by)
            order = _with_key_expressions(plan.order_by, rest)
            window_calls = tuple(_with_window_expressions(call, rest) for call in plan.calls)
            return Window(plan.input, partition, order, plan.fields, window_calls, plan.most)
        case Values():
            rest = iter(exprs)
            return Values(plan.fields, tuple(tuple(next(rest) for _ in row) for row in plan.rows))
        case Generate():
            return replace(plan, args=exprs)
        case Pivot():
            return replace(plan, fills=exprs)
        case DependentJoin():
            return plan if plan.condition is None else replace(plan, condition=exprs[0])
        case AsofJoin():
            return replace(
                plan, keys=tuple(zip(exprs[:-2:2], exprs[1:-2:2], strict=True)), order=(exprs[-2], exprs[-1])
            )
        case NearestJoin():
            rest = iter(exprs)
            order = _with_key_expressions(plan.order, rest)
            return replace(plan, order=order, condition=None if plan.condition is None else next(rest))
        case Recursion():
            rest = iter(exprs)
            return replace(plan, aggregates=tuple(_with_call_expressions(call, rest) for call in plan.aggregates))
        case Scan() | Shared() | Limit() | SetOp() | Working():
            return plan
        case _:
            assert_never(plan)


def call_expressions(call: AggregateCall) -> tuple[Expr, ...]:
    """What an aggregate reads: its arguments, its FILTER if it has one, the keys of its ORDER BY."""
    extra = () if call.filter is None else (call.filter,)
    return (*call.args, *extra, *(key.expr for key in call.order))


def _with_call_expressions(call: AggregateCall, rest: Iterator[Expr]) -> AggregateCall:
    args = tuple(next(rest) for _ in call.args)
    condition = None if call.filter is None else next(rest)
    return AggregateCall(
        call.function, args, call.type, call.distinct, condition, _with_key_expressions(call.order, rest)
    )


def _window_expressions(call: WindowCall) -> tuple[Expr, ...]:
    frame = () if call.frame is None else call.frame.expressions()
    return (*call_expressions(call.call), *frame)


def _with_window_expressions(call: WindowCall, rest: Iterator[Expr]) -> WindowCall:
    inner, frame = _with_call_expressions(call.call, rest), call.frame
    if frame is not None:
        ends = [FrameBound(b.side, None if b.offset is None else next(rest)) for b in (frame.start, frame.end)]
        frame = Frame(frame.unit, ends[0], ends[1], frame.exclude, None if frame.key is None else next(rest))
    return WindowCall(inner, frame, call.ignore_nulls)


def _with_key_expressions(keys: tuple[SortKey, ...], rest: Iterator[Expr]) -> tuple[SortKey, ...]:
    return tuple(SortKey(next(rest), key.descending, key.nulls_first) for key in keys)
