"""The current date and time, which are one moment for all of a query: an input of its plan, so that a later query has its own."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from tqp.errors import BindError
from tqp.functions.offset_times import stored_time
from tqp.functions.registry import expect
from tqp.functions.time_zones import zone_named
from tqp.ir.expr import Expr, Literal
from tqp.ir.inputs import derived
from tqp.kernels.calendar import DAY, SECOND
from tqp.sql.expr import ExprBinder, handles, named
from tqp.sql.operators import call, cast
from tqp.types import DATE, INTERVAL, TIME, TIMESTAMP, TIMESTAMPTZ, TIMETZ

__all__: list[str] = []


def _date(moment: Literal, zone: str) -> Literal:
    return Literal(_shown(moment, zone) // DAY, DATE)


def _midnight(moment: Literal, zone: str) -> Literal:
    return Literal(_shown(moment, zone) // DAY * DAY, TIMESTAMP)


def _time(moment: Literal, zone: str) -> Literal:
    return Literal(_shown(moment, zone) % DAY, TIME)


def _time_with_offset(moment: Literal, zone: str) -> Literal:
    assert isinstance(moment.value, int)
    shown = _shown(moment, zone)
    return Literal(stored_time(shown % DAY, (shown - moment.value) // SECOND), TIMETZ)


def _timestamp(moment: Literal, zone: str) -> Literal:
    return Literal(_shown(moment, zone), TIMESTAMP)


def _shown(moment: Literal, zone: str) -> int:
    assert isinstance(moment.value, int)
    return zone_named(zone).shown(moment.value)


def _moment(binder: ExprBinder) -> Literal:
    binder.context.is_dated = True
    return binder.context.session.moment


def _of(binder: ExprBinder, part: Callable[[Literal, str], Literal]) -> Literal:
    return derived(part, _moment(binder), rest=(binder.context.session.time_zone,))


@handles(exp.CurrentDate)
def _current_date(binder: ExprBinder, node: exp.CurrentDate) -> Expr:
    return _of(binder, _date)


@handles(exp.CurrentTimestamp)
def _current_timestamp(binder: ExprBinder, node: exp.CurrentTimestamp) -> Expr:
    if _is_call(node):
        raise BindError("there is no function current_timestamp", hint="write it without parentheses, or now()")
    return _moment(binder)


@handles(exp.Localtimestamp, exp.Localtime)
def _local(binder: ExprBinder, node: exp.Expr) -> Expr:
    if _is_call(node) and not _written(binder, node).startswith("current_"):
        raise BindError(f"there is no function {_written(binder, node)}", hint="write it without parentheses")
    return _of(binder, _time if isinstance(node, exp.Localtime) else _timestamp)


@handles(exp.CurrentTime)
def _current_time(binder: ExprBinder, node: exp.CurrentTime) -> Expr:
    if _is_call(node) and _written(binder, node) == "current_time":
        raise BindError("there is no function current_time", hint="write it without parentheses, or get_current_time()")
    return _of(binder, _time_with_offset)


@named("current_localtime")
def _current_localtime(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    _no_arguments(node)
    return _of(binder, _time)


def _now(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    _no_arguments(node)
    return _moment(binder)


for _name in ("now", "get_current_timestamp", "transaction_timestamp"):
    named(_name)(_now)


@named("age")
def _age(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    """Of one instant: since then until midnight today."""
    args = [binder.bind(arg) for arg in node.expressions]
    if len(args) == 1:
        today = _of(binder, _midnight)
        args.insert(0, cast(today, TIMESTAMPTZ) if args[0].dtype == TIMESTAMPTZ else today)
    return call("age", *args)


@named("ago")
def _ago(binder: ExprBinder, node: exp.Anonymous) -> Expr:
    args = [binder.bind(arg) for arg in node.expressions]
    expect(args, 1, "ago")
    return call("sub", _moment(binder), cast(args[0], INTERVAL))


def _no_arguments(node: exp.Anonymous) -> None:
    expect(node.expressions, 0, node.name.lower())


def _is_call(node: exp.Expr) -> bool:
    """With parentheses it has a place in the text."""
    return bool(node._meta and "start" in node._meta)


def _written(binder: ExprBinder, node: exp.Expr) -> str:
    return binder.context.text[node._meta["start"] : node._meta["end"] + 1].lower() if node._meta else ""
