"""Window calls: found in expressions, collected, and replaced by the columns that `Window` plans will give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast as typed

from sqlglot import exp

from tqp.errors import BindError, UnsupportedError
from tqp.functions.aggregates import bind_aggregate, find_aggregate
from tqp.functions.windows import bind_window, find_window, window_by_syntax
from tqp.ir import words
from tqp.ir.expr import AggregateCall, Expr, Literal, SortKey
from tqp.ir.window import Exclusion, Frame, FrameBound, Side, Unit, WindowCall
from tqp.sql.aggregate import arguments, function_name, kept, sort_key
from tqp.sql.collations import aggregated, key_of
from tqp.sql.expr import ExprBinder, handles
from tqp.sql.names import display, inner_name
from tqp.sql.operators import call as bind_call
from tqp.sql.operators import cast, unify
from tqp.types import BIGINT, BOOLEAN, INTERVAL

__all__ = ["has_window"]

# What these aggregates are called where a window calls them: they pick a row of the frame.
_PICKING = {"first": "first_value", "last": "last_value"}


def has_window(node: exp.Expr | None) -> bool:
    """Whether a window call stands in the expression, subqueries aside."""
    if node is None:
        return False
    return any(isinstance(part, exp.Window) for part in node.walk(prune=lambda part: isinstance(part, exp.Query)))


@handles(exp.Window)
def _window(binder: ExprBinder, node: exp.Window) -> Expr:
    windows = binder.windows
    if windows is None:
        raise binder.context.error(
            node, f"{binder.clause} cannot contain the window function {display(node, binder.context.text)}"
        )
    over = node.args.get("over")
    if over != "OVER":
        raise UnsupportedError(f"{over} is not supported")
    whole = windows.complete(node)
    inner = replace(binder, windows=None, unnests=None, clause="a window", aliases_first=False)
    partition = tuple(inner.bind(part) for part in whole.args.get("partition_by") or ())
    ordering = whole.args.get("order")
    items = ordering.expressions if ordering is not None else []
    for item in items:
        if isinstance(item.this, exp.Var):
            raise binder.context.error(node, f"ORDER BY {item.this.name} has no meaning in a window")
    order = keys = tuple(sort_key(inner, item) for item in items)
    # A constant neither parts rows nor orders them.
    partition = tuple(key_of(part) for part in dict.fromkeys(partition) if not isinstance(part, Literal))
    order = tuple(key for key in order if not isinstance(key.expr, Literal))
    frame = _frame(inner, whole.args.get("spec"), order)
    call = _call(inner, node.this, frame, keys)
    binder.context.calls(call.call, node.this)
    return windows.add((partition, order), call, inner_name(node.this, binder.context.text))


@handles(exp.RowNumber)
def _without_over(binder: ExprBinder, node: exp.Expr) -> Expr:
    raise binder.context.error(node, "row_number() needs OVER (…)")


def _call(binder: ExprBinder, node: exp.Expr, frame: Frame, keys: tuple[SortKey, ...]) -> WindowCall:
    """The function with its modifiers around it, over a window in the order of `keys`."""
    ignore_nulls, says_nulls, keep = False, 0, None
    while isinstance(node, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
        if isinstance(node, exp.Filter):
            keep = kept(binder, node.expression.this)
        else:
            says_nulls += 1
        ignore_nulls |= isinstance(node, exp.IgnoreNulls)
        node = node.this
    if isinstance(node, exp.WithinGroup):
        raise binder.context.error(node, "WITHIN GROUP does not go with OVER", hint="quantile_cont(x, fraction) does")
    args, distinct, order = arguments(binder, node)
    inner = tuple(order)
    name = _name(node)
    aggregate = find_aggregate(name)
    called = _PICKING.get(name if aggregate is None else aggregate.name, name)
    function = find_window(called)
    # The parser says IGNORE NULLS of each any_value itself.
    says_nulls -= isinstance(node, exp.AnyValue)
    if says_nulls > 0 and not (function is not None and function.ignores_nulls):
        raise binder.context.error(node, f"{name} knows neither IGNORE NULLS nor RESPECT NULLS")
    if function is not None:
        for is_there, what in (
            (distinct, "DISTINCT"),
            (keep is not None, "FILTER"),
            (bool(order) and not function.orders, "ORDER BY"),
            (bool(order) and not function.picks and frame.exclude != "no others", "EXCLUDE with ORDER BY"),
        ):
            if is_there:
                raise binder.context.error(node, f"{name} takes no {what}")
    elif aggregate is not None and aggregate.name == words.ANY_VALUE:
        # A window has an order: any value is the first one that is not NULL.
        called, ignore_nulls = _PICKING[words.FIRST], True
        function = find_window(called)
    if function is not None:
        if function.takes_key:
            args.append(_only_key(binder, node, order, keys))
        call = bind_window(called, tuple(args), filter=keep, order=inner)
        return WindowCall(call, frame if function.picks or inner else None, ignore_nulls)
    follows_order = aggregate is not None and not aggregate.order_free
    if distinct and follows_order and any(key.expr not in args for key in order):
        raise UnsupportedError("an aggregate with DISTINCT can only be ordered by its arguments")
    return WindowCall(_aggregate(name, node, args, distinct, keep, inner), frame)


def _only_key(binder: ExprBinder, node: exp.Expr, inner: list[SortKey], outer: tuple[SortKey, ...]) -> Expr:
    """The expression that orders the rows for a function which computes with it."""
    keys = inner or outer
    if len(keys) != 1:
        raise binder.context.error(node, f"{_name(node)} needs exactly one ORDER BY expression")
    return keys[0].expr


def _name(node: exp.Expr) -> str:
    """The name of the function that a syntax node calls."""
    function = None if isinstance(node, exp.Anonymous) else window_by_syntax(node.key)
    return function_name(node) if function is None else function.name


def _aggregate(
    name: str, node: exp.Expr, args: Sequence[Expr], distinct: bool, keep: Expr | None, order: tuple[SortKey, ...]
) -> AggregateCall:
    if name == "count" and not args:
        name = "count_star"
    known = find_aggregate(name)
    if known is None and not isinstance(node, exp.AggFunc):
        return bind_window(name, tuple(args))
    if name == "count_star" and keep is not None:
        name, args = "count", (Literal(True, BOOLEAN),)
    name, args = aggregated(name, args, distinct)
    if known is not None and known.order_free:
        order = ()  # with OVER that of a quantile says nothing
    return bind_aggregate(name, tuple(args), distinct=distinct, filter=keep, order=order)


_SIDES: dict[str, Side] = {"PRECEDING": "preceding", "FOLLOWING": "following"}
_RANK: dict[Side, int] = {
    "unbounded preceding": 0, "preceding": 1, "current row": 2, "following": 3, "unbounded following": 4,
}  # fmt: skip


def _frame(binder: ExprBinder, node: exp.Expr | None, order: tuple[SortKey, ...]) -> Frame:
    """The frame as written, or the standard's: up to the last row equal to this one."""
    if node is None:
        return _settled(Frame("range", FrameBound("unbounded preceding"), FrameBound("current row")), order)
    unit = typed(Unit, str(node.args["kind"]).lower())
    start_side = _side(node, "start")
    end_side = _side(node, "end") if node.args.get("end") is not None else "current row"
    for side, bad, which in ((start_side, "unbounded following", "start"), (end_side, "unbounded preceding", "end")):
        if side == bad:
            raise BindError(f"a frame cannot {which} with {bad.upper()}")
    if _RANK[start_side] > _RANK[end_side]:
        raise BindError(f"a frame from {start_side.upper()} cannot end with {end_side.upper()}")
    exclude = typed(Exclusion, node.args["exclude"].name.lower()) if node.args.get("exclude") else "no others"
    offsets = [
        _offset(binder, node.args[end], unit, side) if side in ("preceding", "following") else None
        for end, side in (("start", start_side), ("end", end_side))
    ]
    key = None
    if unit == "range" and any(offset is not None for offset in offsets):
        offsets, key = _edges(offsets, (start_side, end_side), order)
    bounds = [FrameBound(side, offset) for side, offset in zip((start_side, end_side), offsets, strict=True)]
    return _settled(Frame(unit, bounds[0], bounds[1], exclude, key), order)


def _settled(frame: Frame, order: tuple[SortKey, ...]) -> Frame:
    """Without ORDER BY all rows are equal: CURRENT ROW, but under ROWS, means all of them."""
    if order or frame.unit == "rows":
        return frame
    start, end = frame.start, frame.end
    if start.side == "current row":
        start = FrameBound("unbounded preceding")
    if end.side == "current row":
        end = FrameBound("unbounded following")
    return replace(frame, start=start, end=end)


def _side(node: exp.Expr, end: str) -> Side:
    value, side = node.args[end], (node.args.get(f"{end}_side") or "").upper()
    if value == "CURRENT ROW":
        return "current row"
    if side not in _SIDES:
        raise BindError("a frame's offset needs PRECEDING or FOLLOWING")
    if value == "UNBOUNDED":
        return "unbounded preceding" if side == "PRECEDING" else "unbounded following"
    return _SIDES[side]


def _offset(binder: ExprBinder, node: exp.Expr, unit: Unit, side: Side) -> Expr:
    value = binder.bind(node)
    if isinstance(value, Literal) and value.value is None:
        raise binder.context.error(node, f"{unit.upper()} NULL {side.upper()} has no meaning")
    negative = isinstance(value, Literal) and (
        any(part < 0 for part in value.value)
        if isinstance(value.value, tuple)
        else isinstance(value.value, int | float) and value.value < 0
    )
    if negative:
        raise binder.context.error(node, f"the offset of {unit.upper()} {side.upper()} cannot be negative")
    if unit == "range":
        return value
    if not (value.dtype.is_numeric or isinstance(value, Literal)) or value.dtype == INTERVAL:
        raise binder.context.error(node, f"{unit.upper()} counts in whole numbers, not in {value.dtype}")
    return cast(value, BIGINT)


def _edges(
    offsets: list[Expr | None], sides: tuple[Side, Side], order: tuple[SortKey, ...]
) -> tuple[list[Expr | None], Expr]:
    """The values at which a RANGE frame starts and ends, and the sort key, all of one type."""
    if len(order) != 1:
        raise BindError("RANGE with an offset needs exactly one ORDER BY expression")
    (key,) = order
    edges = []
    for offset, side in zip(offsets, sides, strict=True):
        if offset is not None:
            edges.append(bind_call("sub" if (side == "preceding") != key.descending else "add", key.expr, offset))
    compared, *rest = unify([key.expr, *edges], "RANGE")
    found = iter(rest)
    return [None if offset is None else next(found) for offset in offsets], compared
