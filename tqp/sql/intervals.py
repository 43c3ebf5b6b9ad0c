"""INTERVAL literals and expressions: `INTERVAL '1 day'`, `INTERVAL 3 DAYS`, `INTERVAL (x) DAY`."""

from __future__ import annotations

import math

from sqlglot import exp

from tqp.functions.casts.intervals import Span, in_range, interval_of, span_of
from tqp.functions.fold import fold_cast
from tqp.functions.units import INTERVAL_UNITS, MICROS_OF, PARTS
from tqp.ir.expr import Expr, Literal
from tqp.ir.inputs import derived
from tqp.sql.expr import ExprBinder, handles
from tqp.sql.operators import call, cast
from tqp.types import DOUBLE, INTERVAL, integer_range

__all__: list[str] = []


@handles(exp.Interval)
def _interval(binder: ExprBinder, node: exp.Interval) -> Expr:
    value, named = binder.bind(node.this), node.args.get("unit")
    if isinstance(named, exp.IntervalSpan):
        raise binder.context.error(node, f"INTERVAL of {named.sql()} is not known", hint="name one unit")
    if isinstance(value, Literal) and value.is_null:
        return Literal(None, INTERVAL)
    if named is None:
        return _of_text(binder, node, value)
    part = PARTS.get(named.name.lower(), "")
    unit = INTERVAL_UNITS.get(part)
    if unit is None:
        known = ", ".join(INTERVAL_UNITS)
        raise binder.context.error(node, f"INTERVAL has no unit {named.name}", hint=f"the units are {known}")
    amount = fold_cast(value, DOUBLE) if isinstance(value, Literal) else None
    if isinstance(value, Literal) and amount is not None and not amount.is_null:
        span = derived(_constant, amount, rest=(part,))
        if span is None:
            raise binder.context.error(node, f"an interval of {amount.value!r} {part} units is out of range")
        return span
    count = cast(value, DOUBLE)
    return call(unit.maker, count if unit.counted is None else cast(call("trunc", count), unit.counted))


def _of_text(binder: ExprBinder, node: exp.Expr, value: Expr) -> Expr:
    if not isinstance(value, Literal) or not value.dtype.is_text:
        return cast(value, INTERVAL)
    span = derived(_read, value)
    if span is None:
        raise binder.context.error(node, f"{value.value!r} is no interval", hint="write '3 days 04:05:06', say")
    return span


def _read(literal: Literal) -> Literal | None:
    assert isinstance(literal.value, str)
    span = interval_of(literal.value)
    return None if span is None else Literal(span, INTERVAL)


def _constant(literal: Literal, part: str) -> Literal | None:
    """So many units; None where a field would overflow."""
    amount, unit = literal.value, INTERVAL_UNITS[part]
    assert isinstance(amount, float)
    if not math.isfinite(amount):
        return None
    if unit.counted is None:
        # In double precision, as DuckDB does it: far out a second is no whole number of microseconds.
        span: Span | None = (0, 0, round(amount * MICROS_OF[part]))
    else:
        low, high = integer_range(unit.counted)
        count = math.trunc(amount)
        span = span_of(part, count) if low <= count <= high else None
    return Literal(span, INTERVAL) if span is not None and in_range(span) else None
