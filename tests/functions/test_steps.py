"""Dates and intervals under + - * / against DuckDB."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

import pytest

from tests.functions.oracle import CPU, call, evaluate, python
from tests.functions.oracle import _connection as duck
from tqp.data.column import Column, constant
from tqp.errors import BindError
from tqp.ir.expr import ColumnRef, Expr, Literal
from tqp.types import BIGINT, DATE, DOUBLE, INTEGER, INTERVAL, TIME, TIMESTAMP, decimal

DAY = 86_400_000_000
VALUES = {
    "d": (18292, DATE, "date '2020-01-31'"), "e": (18000, DATE, "date '2019-04-14'"),
    "s": (18292 * DAY + 36_000_000_000, TIMESTAMP, "timestamp '2020-01-31 10:00'"),
    "t": (36_000_000_000, TIME, "time '10:00'"), "v": ((1, 2, 3_000_000), INTERVAL, "interval '1 month 2 days 3 seconds'"),
    "i": (3, INTEGER, "3::int"), "b": (3, BIGINT, "3::bigint"), "x": (2.5, DOUBLE, "2.5::double"),
    "n": (25, decimal(3, 1), "2.5"),
}  # fmt: skip
OPERATORS = {"+": "add", "-": "sub", "*": "mul", "/": "div"}


def columns() -> dict[str, Column]:
    made = {}
    for name, (value, dtype, _) in VALUES.items():
        made[name] = constant(value, dtype, CPU).expand(2)
    return made


def stored(value: Any) -> Any:
    match value:
        case datetime():
            return round((value - datetime(1970, 1, 1)) / timedelta(microseconds=1))
        case date():
            return (value - date(1970, 1, 1)).days
        case time():
            return (value.hour * 3600 + value.minute * 60 + value.second) * 10**6 + value.microsecond
    return value


@pytest.mark.parametrize(
    "sql",
    [
        "d + i", "i + d", "d - i", "d - e", "d + v", "v + d", "d - v", "s + v", "s - v", "s - s", "s - d", "d - s", "t + v",
        "t - v", "v + v", "v - v", "v * i", "i * v", "v * b", "v * x", "v * n", "v / i", "v / x", "d + t", "t + d",
    ],
)  # fmt: skip
def test_operators(sql: str) -> None:
    left, sign, right = sql.split()
    text = f"({VALUES[left][2]}) {sign} ({VALUES[right][2]})"
    kind, value, months, days, micros = duck.execute(
        f"with q as (select {text} r) select typeof(r), r,"
        + (" datepart('year', r) * 12 + datepart('month', r), datepart('day', r),"
           " datepart('hour', r) * 3600000000 + datepart('minute', r) * 60000000 + datepart('microsecond', r)"
           if _is_interval(left, sign, right) else " 0, 0, 0") + " from q"
    ).fetchone() or ()  # fmt: skip
    refs: list[Expr] = [ColumnRef(name, VALUES[name][1]) for name in (left, right)]
    literals: list[Expr] = [Literal(VALUES[name][0], VALUES[name][1]) for name in (left, right)]  # type: ignore[arg-type]
    for args in (refs, literals, [refs[0], literals[1]], [literals[0], refs[1]]):
        expr = call(OPERATORS[sign], *args)
        assert str(expr.dtype) == kind
        expected = (months, days, micros) if kind == "INTERVAL" else stored(value)
        assert python(evaluate(expr, columns()), 2) == [expected, expected], sql


def _is_interval(left: str, sign: str, right: str) -> bool:
    return (
        "v" in (left, right)
        and not {left, right} & set("dst")
        or {left, right} & {"s"} == {"s"}
        and sign == "-"
        and (right != "v")
    )


@pytest.mark.parametrize("sql", ["s + i", "d * i", "d + b", "d + x", "d + d", "t - t", "i - d"])
def test_what_has_no_meaning(sql: str) -> None:
    left, sign, right = sql.split()
    with pytest.raises(BindError):
        call(OPERATORS[sign], *(ColumnRef(name, VALUES[name][1]) for name in (left, right)))
