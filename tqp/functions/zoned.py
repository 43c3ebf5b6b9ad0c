"""TIMESTAMP WITH TIME ZONE by the clocks of a zone: AT TIME ZONE, and what functions and casts are in the session's zone.

A plan names its zone: `in_zone` makes of each call and cast that depends on it one that has the zone's name as its first
argument. A function of what clocks show (`Function.by_clock`) becomes the same one of TIMESTAMP; the others have kernels in
`zoned_kernels`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import Final

from tqp.errors import UnsupportedError
from tqp.functions.casts.parsing import parse_one
from tqp.functions.registry import find
from tqp.functions.time_zones import zone_named
from tqp.functions.units import part_name
from tqp.ir.expr import Call, Cast, Expr, LambdaCall, Literal
from tqp.ir.inputs import decide, derived
from tqp.ir.visit import rewrite
from tqp.kernels.calendar import INFINITE_INSTANT
from tqp.types import (
    INTERVAL,
    JSON,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NS,
    TIMESTAMPTZ,
    TIMESTAMPTZ_NS,
    TIMETZ,
    VARCHAR,
    VARIANT,
    DType,
    Kind,
)

__all__ = ["has_instants", "holds_instants", "in_zone", "series_in_zone"]

_Rule = Callable[[Call, Literal], "Expr | None"]
_RULES: Final[dict[str, _Rule]] = {}


def _rule(*names: str) -> Callable[[_Rule], _Rule]:
    """Register what calls of TIMESTAMPTZ are in a zone, from the call and the zone's name."""

    def register(rule: _Rule) -> _Rule:
        _RULES.update(dict.fromkeys(names, rule))
        return rule

    return register


@cache
def holds_instants(dtype: DType) -> bool:
    """Whether the type is TIMESTAMPTZ, of nanoseconds as well, or TIMETZ, or has one in it, as a VARIANT may."""
    parts = dtype.children if dtype.element is None else (dtype.element,)
    return _is_zoned(dtype) or dtype in (TIMETZ, VARIANT) or any(map(holds_instants, parts))


def _is_zoned(dtype: DType) -> bool:
    return dtype.in_microseconds == TIMESTAMPTZ


def has_instants(exprs: Iterable[Expr]) -> bool:
    """Whether the value of one of the expressions, or of a part of one, has a TIMESTAMPTZ or a TIMETZ in it."""
    pending = list(exprs)
    met: set[int] = set()
    while pending:
        node = pending.pop()
        if id(node) in met:
            continue
        met.add(id(node))
        if holds_instants(node.dtype):
            return True
        pending += node.children
        if isinstance(node, LambdaCall) and node.body is not None:
            pending.append(node.body)
    return False


def in_zone(expr: Expr, name: str) -> Expr | None:
    """What a call or cast is in the zone of that name, its arguments rewritten already; None where that is the same."""
    if isinstance(expr, LambdaCall) and expr.body is not None:
        return replace(expr, body=rewrite(expr.body, lambda node: in_zone(node, name)))
    if not isinstance(expr, Call | Cast) or not any(holds_instants(node.dtype) for node in (expr, *expr.children)):
        return None
    zone = Literal(name, VARCHAR)
    if isinstance(expr, Cast):
        return _cast(expr, zone)
    if not any(_is_zoned(node.dtype) or node.dtype.is_nested for node in (expr, *expr.args)) or TIMETZ in [
        arg.dtype for arg in expr.args
    ]:
        return None
    rule = _RULES.get(expr.function)
    if rule is not None:
        return rule(expr, zone)
    return _by_clock(expr, zone) if find(expr.function).by_clock else None


def _is_utc(zone: Literal) -> bool:
    return zone_named(str(zone.value)).is_utc


# Casts --------------------------------------------------------------------------------------------------------------


def _cast(expr: Cast, zone: Literal) -> Expr | None:
    arg, to = expr.arg, expr.type
    if to == VARIANT or arg.dtype == VARIANT and to == JSON:
        # What becomes a VARIANT stays what it is, and as in DuckDB its JSON is that in UTC.
        return None
    if arg.dtype == VARIANT or arg.dtype.is_nested or to.is_nested:
        name = "try_nested_in_zone" if expr.safe else "nested_in_zone"
        return None if _is_utc(zone) else Call(name, (zone, arg), to)
    if _is_zoned(to) and arg.dtype == JSON and not _is_utc(zone):
        text = Call("json_extract_string", (arg, Literal("$", VARCHAR)), VARCHAR)
        return _cast(Cast(text, to, expr.safe), zone)
    if _is_zoned(to) and arg.dtype == VARCHAR:
        folded = derived(_read, arg, rest=(zone.value, to)) if isinstance(arg, Literal) else None
        if folded is not None or _is_utc(zone):
            return folded
        return Call("try_instant_in_zone" if expr.safe else "instant_in_zone", (zone, arg), to)
    if to.kind is Kind.DATE and arg.dtype == TIMESTAMPTZ_NS:
        # As the day on the clock, which a cast to microseconds may round to the next.
        return Cast(Call("timezone", (zone, arg), TIMESTAMP), to, expr.safe)
    if TIMETZ in (arg.dtype, to):
        return None if _is_utc(zone) or to == VARCHAR else _cast_time(expr, zone)
    if _is_utc(zone) or (_is_zoned(to) and _is_zoned(arg.dtype)):
        return None
    if _is_zoned(to):
        shown = TIMESTAMP_NS if to.counts_nanoseconds else TIMESTAMP
        return _instant_of(arg if arg.dtype == shown else Cast(arg, shown, expr.safe), zone)
    if to.is_text:
        text = Call("text_in_zone", (zone, arg), VARCHAR)
        return text if to == VARCHAR else Call("to_json", (text,), to)
    if to == TIMESTAMP or to.kind is Kind.DATE or to.is_other_unit:
        if not _is_zoned(arg.dtype):
            return None
        local = _shown(arg, zone)
        return local if to == local.dtype else Cast(local, to, expr.safe)
    return None


def _cast_time(expr: Cast, zone: Literal) -> Expr | None:
    """A cast to TIMETZ where an offset is that of the zone, at an instant; without one it is that of today."""
    if expr.arg.dtype == VARCHAR and not (isinstance(expr.arg, Literal) and expr.arg.is_null):
        return Call("try_time_with_offset" if expr.safe else "time_with_offset", (expr.arg,), TIMETZ)
    if _is_zoned(expr.arg.dtype):
        return Call("time_in_zone", (zone, Cast(expr.arg, TIMESTAMPTZ, expr.safe)), TIMETZ)
    if expr.arg.dtype == TIME:
        raise UnsupportedError(
            "a TIME has an offset in UTC alone", hint="write its offset in a text, or SET TimeZone = 'UTC'"
        )
    return None


def _read(text: Literal, zone: str, dtype: DType) -> Literal | None:
    if text.value is None:
        return Literal(None, dtype)
    found = parse_one(str(text.value), dtype, zone_named(zone))
    return None if found is None else Literal(found, dtype)


def _shown(expr: Expr, zone: Literal) -> Expr:
    """The TIMESTAMP that clocks show at a TIMESTAMPTZ, of nanoseconds if that one is."""
    return Call("timezone", (zone, expr), TIMESTAMP_NS if expr.dtype.counts_nanoseconds else TIMESTAMP)


def _instant_of(expr: Expr, zone: Literal) -> Expr:
    """The TIMESTAMPTZ at which clocks show a TIMESTAMP, of nanoseconds if that one is."""
    if expr.dtype.counts_nanoseconds:
        return Call("timezone", (zone, expr), TIMESTAMPTZ_NS)
    folded = derived(_instant_literal, expr, rest=(zone.value,)) if isinstance(expr, Literal) else None
    return Call("timezone", (zone, expr), TIMESTAMPTZ) if folded is None else folded


def _instant_literal(literal: Literal, zone: str) -> Literal | None:
    if not isinstance(literal.value, int) or abs(literal.value) == INFINITE_INSTANT:
        return Literal(literal.value, TIMESTAMPTZ)
    found = zone_named(zone).instant(literal.value)
    return None if found is None else Literal(found, TIMESTAMPTZ)


# Calls --------------------------------------------------------------------------------------------------------------


def _by_clock(call: Call, zone: Literal) -> Expr | None:
    if _is_utc(zone):
        return None
    args = tuple(_shown(arg, zone) if _is_zoned(arg.dtype) else arg for arg in call.args)
    if call.type != TIMESTAMPTZ:
        return Call(call.function, args, call.type)
    return _instant_of(Call(call.function, args, TIMESTAMP), zone)


@_rule("extract", "date_part", "datepart")
def _extract(call: Call, zone: Literal) -> Expr | None:
    part = decide(_part, call.args[0]) if isinstance(call.args[0], Literal) else ""
    if part.startswith("timezone"):
        return Call("offset_in_zone", (zone, Literal(part, VARCHAR), call.args[1]), call.type)
    return None if part == "epoch" else _by_clock(call, zone)


def _part(name: Literal) -> str:
    return part_name(str(name.value))


@_rule("timezone_hour", "timezone_minute", "timezone")
def _offset_part(call: Call, zone: Literal) -> Expr | None:
    if len(call.args) > 1:
        return None
    return Call("offset_in_zone", (zone, Literal(call.function, VARCHAR), call.args[0]), call.type)


@_rule("add", "sub")
def _moved(call: Call, zone: Literal) -> Expr | None:
    left, right = call.args
    if INTERVAL not in (left.dtype, right.dtype):
        return Call("sub_in_zone", (zone, left, right), INTERVAL)
    if left.dtype == INTERVAL:
        left, right = right, left
    if call.function == "sub":
        right = Call("neg", (right,), INTERVAL)
    return Call("add_in_zone", (zone, left, right), left.dtype)


@_rule("datediff")
def _datediff(call: Call, zone: Literal) -> Expr:
    end, start, *part = call.args
    return Call("date_diff_in_zone", (zone, part[0] if part else Literal("day", VARCHAR), start, end), call.type)


@_rule("date_diff")
def _date_diff(call: Call, zone: Literal) -> Expr:
    return Call("date_diff_in_zone", (zone, *call.args), call.type)


@_rule("date_sub", "datesub")
def _date_sub(call: Call, zone: Literal) -> Expr:
    return Call("date_sub_in_zone", (zone, *call.args), call.type)


@_rule("age")
def _age(call: Call, zone: Literal) -> Expr:
    return Call("age_in_zone", (zone, *call.args), call.type)


@_rule("timetostr", "strftime")
def _strftime(call: Call, zone: Literal) -> Expr:
    if _is_zoned(call.args[1].dtype):
        # The format first is that of a TIMESTAMP, which as in DuckDB is what clocks show in UTC.
        in_utc = TIMESTAMP_NS if call.args[1].dtype.counts_nanoseconds else TIMESTAMP
        return Call(call.function, (call.args[0], Cast(call.args[1], in_utc)), call.type)
    return Call("strftime_in_zone", (zone, *call.args), call.type)


@_rule("to_json", "json_quote", "json_array", "json_object", "array_to_json", "row_to_json")
def _json(call: Call, zone: Literal) -> Expr | None:
    if _is_utc(zone):
        return None
    return Call(call.function, tuple([_spoken(arg, zone) for arg in call.args]), call.type)


def _spoken(arg: Expr, zone: Literal) -> Expr:
    """What JSON is made of: the text of an instant, the JSON of what has some in it."""
    if _is_zoned(arg.dtype):
        return Call("text_in_zone", (zone, arg), VARCHAR)
    is_nested = arg.dtype.is_nested and holds_instants(arg.dtype)
    return Call("nested_in_zone", (zone, arg), JSON) if is_nested else arg


@_rule("make_timestamptz")
def _made(call: Call, zone: Literal) -> Expr | None:
    return Call(call.function, (*call.args, zone), call.type) if len(call.args) == 6 else None


@_rule("range", "generate_series")
def _series(call: Call, zone: Literal) -> Expr | None:
    args = series_in_zone(call.args, str(zone.value))
    return None if args is None else Call(call.function, args, call.type)


def series_in_zone(args: tuple[Expr, ...], name: str) -> tuple[Expr, ...] | None:
    """The arguments of a series of instants in the zone of that name, which stands first; None where it is the same."""
    zone = Literal(name, VARCHAR)
    return (zone, *args) if args[0].dtype == TIMESTAMPTZ and not _is_utc(zone) else None
