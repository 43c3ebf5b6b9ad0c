"""Date and time functions against DuckDB, on random instants from 400 BC to AD 12000 with NULLs."""

from __future__ import annotations

import random

import duckdb
import pyarrow as pa
import pytest
import torch

import tqp.functions.formats  # noqa: F401
from tests.functions.columns import integers, texts, values
from tqp.data.column import Column, constant
from tqp.errors import BindError, ExecutionError, UnsupportedError
from tqp.functions.bind import bind
from tqp.functions.casts.instants import cast_temporal
from tqp.functions.casts.text import cast_text
from tqp.functions.instants import add_interval, date_difference
from tqp.functions.registry import find
from tqp.ir.expr import ColumnRef, Literal
from tqp.types import BIGINT, DATE, DOUBLE, INTEGER, INTERVAL, TIME, TIMESTAMP, TIMESTAMPTZ, VARCHAR, DType, Kind

CPU = torch.device("cpu")
DAY = 86_400_000_000
SQL_OF = {DATE: "(DATE '1970-01-01' + {}::INTEGER)", TIMESTAMP: "make_timestamp({}::BIGINT)",
          TIME: "(TIME '00:00:00' + to_microseconds({}::BIGINT))"}  # fmt: skip


def draw(dtype: DType, count: int, seed: int, near: bool = False) -> list[int | None]:
    rng = random.Random(seed)
    low, high = (8000, 10000) if near else (-865_000, 3_660_000)
    unit = 1 if dtype == DATE else DAY
    if dtype == TIME:
        return [None, 0, DAY - 1, *(rng.randrange(DAY) for _ in range(count - 3))]
    edges = [low, high, 0, -1, -719_162, -719_163, 10_956, 10_957]
    data = [None, *((low if near else edge) * unit for edge in edges)]
    while len(data) < count:
        value = rng.randrange(low * unit, high * unit)
        data.append(value if rng.random() < 0.5 or dtype == DATE else value // 1_000_000 * 1_000_000)
    return data


def evaluate(name: str, *args: Column | str | float) -> Column:
    columns, exprs = [], []
    for position, arg in enumerate(args):
        if isinstance(arg, Column):
            columns.append(arg)
            exprs.append(ColumnRef(f"c{position}", arg.dtype))
        else:
            dtype = VARCHAR if isinstance(arg, str) else DOUBLE if isinstance(arg, float) else BIGINT
            columns.append(constant(arg, dtype, CPU))
            exprs.append(Literal(arg, dtype))
    call = bind(name, *exprs)
    wanted, _ = find(name).types(tuple(exprs))
    columns = [
        cast_temporal(column, dtype, False) if column.dtype != dtype and column.dtype.is_temporal else column
        for column, dtype in zip(columns, wanted, strict=True)
    ]
    result = find(name).kernel(columns, call.dtype)
    assert result.dtype == call.dtype
    for column in columns:
        if column.valid is not None:
            result = result.with_valid(column.valid if result.valid is None else result.valid & column.valid)
    if result.bounds is not None and not result.dtype.is_text:
        assert all(result.bounds[0] <= x <= result.bounds[1] for x in values(result) if x is not None)
    return result


def stored(column: Column) -> list:
    if column.dtype.kind is Kind.INTERVAL:
        return values(cast_text(column, VARCHAR, False))
    return values(column)


def oracle(sql: str, result: DType, **columns: tuple[list, DType]) -> list:
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    arrays = {name: pa.array(data, pa.int64()) for name, (data, _) in columns.items()}
    rows = len(next(iter(arrays.values())))
    connection.register("t", pa.table({**arrays, "i": range(rows)}))
    for name, (_, dtype) in columns.items():
        sql = sql.replace(f"${name}", SQL_OF[dtype].format(name) if dtype in SQL_OF else f"{name}::{dtype}")
    if result == DATE:
        sql = f"date_diff('day', DATE '1970-01-01', {sql})"
    elif result.is_temporal:
        sql = f"epoch_us({sql})"
    elif result == INTERVAL:
        sql = f"({sql})::VARCHAR"
    return [row[0] for row in connection.execute(f"SELECT {sql} FROM t ORDER BY i").fetchall()]


DATE_PARTS = ["year", "month", "day", "quarter", "decade", "century", "millennium", "week", "dow", "isodow", "doy",
              "era", "yearweek", "isoyear", "julian", "epoch"]  # fmt: skip
CLOCK_PARTS = ["hour", "minute", "second", "millisecond", "microsecond"]


@pytest.mark.parametrize("part", DATE_PARTS + CLOCK_PARTS)
@pytest.mark.parametrize("dtype", [DATE, TIMESTAMP])
@pytest.mark.parametrize("near", [True, False])
def test_extract(part, dtype, near):
    data = draw(dtype, 3000, 0, near)
    got = evaluate("extract", part.upper(), integers(data, dtype))
    assert values(got) == oracle(f"extract({part} FROM $a)", got.dtype, a=(data, dtype))
    unbounded = Column(torch.tensor([x or 0 for x in data]), dtype, integers(data, dtype).valid)
    assert values(evaluate("date_part", part, unbounded)) == values(got)


@pytest.mark.parametrize("part", [*CLOCK_PARTS, "epoch"])
def test_extract_from_time(part):
    data = draw(TIME, 300, 0)
    got = evaluate("extract", part, integers(data, TIME))
    assert values(got) == oracle(f"extract({part} FROM $a)", got.dtype, a=(data, TIME))


INTERVALS = [
    [14, 3, 14706500000],
    [-14, 0, -5],
    [0, -1, -3600000000],
    [0, 0, 0],
    [150000, 40, 10**12],
    [-7, 400, 61_500_000],
]


@pytest.mark.parametrize(
    "part", ["year", "month", "day", "quarter", "decade", "century", "millennium", "epoch", *CLOCK_PARTS]
)
def test_parts_of_intervals(part):
    make = "(to_months(a) + to_days(b) + to_microseconds(c))"
    table = "(SELECT ?::INTEGER a, ?::INTEGER b, ?::BIGINT c)"
    column = Column(torch.tensor(INTERVALS), INTERVAL)
    expected = [
        duckdb.execute(f"SELECT extract({part} FROM {make}) FROM {table}", row).fetchall()[0][0] for row in INTERVALS
    ]
    assert values(evaluate("extract", part, column)) == expected
    if part != "epoch":
        sql = f"SELECT date_trunc('{part}', {make})::VARCHAR FROM {table}"
        expected = [duckdb.execute(sql, row).fetchall()[0][0] for row in INTERVALS]
        assert stored(evaluate("date_trunc", part, column)) == expected


@pytest.mark.parametrize("name", ["year", "month", "day", "hour", "minute", "second", "quarter", "week", "weekofyear",
                                  "dayofyear", "dayofmonth", "dayofweek", "weekday", "century", "era", "yearweek"])  # fmt: skip
def test_parts_as_functions(name):
    data = draw(TIMESTAMP, 100, 1)
    assert values(evaluate(name, integers(data, TIMESTAMP))) == oracle(f"{name}($a)", BIGINT, a=(data, TIMESTAMP))


@pytest.mark.parametrize("part", [*DATE_PARTS[:8], "isoyear", *CLOCK_PARTS])
@pytest.mark.parametrize("dtype", [DATE, TIMESTAMP])
@pytest.mark.parametrize("near", [True, False])
def test_date_trunc(part, dtype, near):
    data = draw(dtype, 3000, 2, near)
    got = evaluate("timestamptrunc", integers(data, dtype), part)
    assert values(got) == oracle(f"date_trunc('{part}', $a)", TIMESTAMP, a=(data, dtype))
    assert values(evaluate("date_trunc", part, integers(data, dtype))) == values(got)


@pytest.mark.parametrize("part", [*DATE_PARTS[:8], "isoyear", *CLOCK_PARTS])
@pytest.mark.parametrize("dtype", [DATE, TIMESTAMP])
def test_differences_in_parts(part, dtype):
    a, b = draw(dtype, 600, 3), draw(dtype, 600, 4)
    b[300:] = [x if x is None else x + random.Random(i).randint(-60, 60) * (1 if dtype == DATE else DAY // 3)
               for i, x in enumerate(a[300:])]  # fmt: skip
    ca, cb = integers(a, dtype), integers(b, dtype)
    columns = {"a": (a, dtype), "b": (b, dtype)}
    assert values(evaluate("datediff", cb, ca, part)) == oracle(f"date_diff('{part}', $a, $b)", BIGINT, **columns)
    assert values(evaluate("date_diff", part, ca, cb)) == values(evaluate("datediff", cb, ca, part))
    assert values(evaluate("date_sub", part, ca, cb)) == oracle(f"date_sub('{part}', $a, $b)", BIGINT, **columns)


def test_difference_operators_and_age():
    a, b = draw(TIMESTAMP, 500, 5), draw(TIMESTAMP, 500, 6)
    b[250:] = [x if x is None else x + random.Random(i).randint(-60, 60) * DAY // 3 for i, x in enumerate(a[250:])]
    ca, cb = integers(a, TIMESTAMP), integers(b, TIMESTAMP)
    columns = {"a": (a, TIMESTAMP), "b": (b, TIMESTAMP)}
    assert stored(date_difference(ca, cb)) == oracle("$a - $b", INTERVAL, **columns)
    assert stored(evaluate("age", ca, cb)) == oracle("age($a, $b)", INTERVAL, **columns)
    a, b = draw(DATE, 100, 5), draw(DATE, 100, 6)
    got = date_difference(integers(a, DATE), integers(b, DATE))
    assert got.dtype == BIGINT and values(got) == oracle("$a - $b", BIGINT, a=(a, DATE), b=(b, DATE))


@pytest.mark.parametrize(
    "interval", [(1, 0, 0), (-11, 0, 0), (0, 90, 0), (1, 1, 3_600_000_000), (-13, 5, -1), (1200, 0, 0)]
)
@pytest.mark.parametrize("dtype", [DATE, TIMESTAMP, TIME])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("near", [True, False])
def test_add_interval(interval, dtype, sign, near):
    data = draw(dtype, 3000, 7, near)
    column = integers(data, dtype)
    months, days, micros = interval
    sql = f"$a {'+' if sign == 1 else '-'} (to_months({months}) + to_days({days}) + to_microseconds({micros}))"
    out = TIME if dtype == TIME else TIMESTAMP
    expected = oracle(sql, out, a=(data, dtype))
    got = add_interval(column, constant(interval, INTERVAL, CPU), sign)
    assert got.dtype == out and values(got) == expected
    if got.bounds is not None:
        assert all(got.bounds[0] <= x <= got.bounds[1] for x in values(got) if x is not None)
    assert values(add_interval(column, constant(interval, INTERVAL, CPU).expand(len(data)), sign)) == expected


def test_casts_between_instants():
    data = draw(TIMESTAMP, 200, 8)
    column = integers(data, TIMESTAMP)
    assert values(cast_temporal(column, DATE, False)) == oracle("$a::DATE", DATE, a=(data, TIMESTAMP))
    assert values(cast_temporal(column, TIME, False)) == oracle("$a::TIME", TIME, a=(data, TIMESTAMP))
    assert values(cast_temporal(column, TIMESTAMPTZ, False)) == data
    days = draw(DATE, 200, 9)
    cast = cast_temporal(integers(days, DATE), TIMESTAMP, False)
    assert values(cast) == oracle("$a::TIMESTAMP", TIMESTAMP, a=(days, DATE))
    assert values(cast_temporal(cast, DATE, False)) == days
    with pytest.raises(ExecutionError, match="no cast"):
        cast_temporal(column, INTEGER, False)
    assert values(cast_temporal(column, INTEGER, True)) == [None] * len(column)
    far = integers([2**31 - 2, 0], DATE)
    assert values(cast_temporal(far, TIMESTAMP, True)) == [None, 0]
    with pytest.raises(ExecutionError, match="range"):
        cast_temporal(far, TIMESTAMP, False)


def test_names_ends_and_makers():
    days = draw(DATE, 200, 10)
    column = integers(days, DATE)
    for name, sql in (("dayname", "dayname($a)"), ("monthname", "monthname($a)")):
        assert values(evaluate(name, column)) == oracle(sql, VARCHAR, a=(days, DATE))
    assert values(evaluate("lastday", column)) == oracle("last_day($a)", DATE, a=(days, DATE))
    parts = [evaluate(part, column) for part in ("year", "month", "day")]
    assert values(evaluate("datefromparts", *parts)) == days
    assert evaluate("timestampfromparts", 1995, 1, 2, 3, 4, 5.6).data.item() == 789015845600000
    assert evaluate("timefromparts", 1, 2, 3.4).data.item() == 3723400000
    with pytest.raises(ExecutionError, match="date out of range"):
        evaluate("datefromparts", 1995, 2, 29)
    for name, amount, text in (("to_years", 2, "2 years"), ("to_seconds", 1.5, "00:00:01.5"), ("todays", 3, "3 days"),
                               ("to_hours", 3, "03:00:00"), ("to_weeks", 2, "14 days"), ("to_centuries", 1, "100 years")):  # fmt: skip
        made = evaluate(name, amount)
        assert made.is_constant and stored(made.expand(1)) == [text]


def test_epochs():
    data = draw(TIMESTAMP, 100, 11)
    column = integers(data, TIMESTAMP)
    assert values(evaluate("epoch_us", column)) == data
    assert values(evaluate("unixtotime", column, 3)) == oracle("epoch_ms($a)", BIGINT, a=(data, TIMESTAMP))
    assert values(evaluate("timetounix", column)) == oracle("epoch($a)", DOUBLE, a=(data, TIMESTAMP))
    made = evaluate("unixtotime", integers([1000, -1]), 3)
    assert made.dtype == TIMESTAMP and values(made) == [1_000_000, -1000]
    assert evaluate("unixtotime", 1.5).dtype == TIMESTAMPTZ


def test_no_rows():
    assert values(evaluate("extract", "year", integers([], DATE))) == []
    assert values(evaluate("date_trunc", "month", integers([], TIMESTAMP))) == []


def test_refusals():
    column = ColumnRef("a", DATE)
    with pytest.raises(BindError, match="no date part 'bogus'"):
        bind("extract", Literal("bogus", VARCHAR), column)
    with pytest.raises(BindError, match="VARCHAR"):
        bind("year", ColumnRef("b", VARCHAR))
    with pytest.raises(BindError, match="TIME"):
        bind("extract", Literal("year", VARCHAR), ColumnRef("b", TIME))
    with pytest.raises(UnsupportedError, match="literal"):
        bind("date_trunc", ColumnRef("b", VARCHAR), column)


FORMATS = [
    "%Y-%m-%d %H:%M:%S",
    "%a %A %b %B %j %y %w %u %p %I %f %%",
    "%-d.%-m. %-H %-I %-M %-S %-j",
    "%G-%V %U %W %g",
    "x",
]


@pytest.mark.parametrize("pattern", FORMATS)
@pytest.mark.parametrize("dtype", [DATE, TIMESTAMP])
def test_strftime(pattern, dtype):
    data = [x for x in draw(dtype, 300, 12) if x is None or x > -719_162 * (1 if dtype == DATE else DAY)]
    got = evaluate("timetostr", integers(data, dtype), pattern)
    assert values(got) == oracle(f"strftime($a, '{pattern}')", VARCHAR, a=(data, dtype))
    assert values(evaluate("timetostr", pattern, integers(data, dtype))) == values(got)


@pytest.mark.parametrize(("text", "pattern"), [
    ("1995-01-02 03:04:05.678", "%Y-%m-%d %H:%M:%S.%f"), ("2 Jan 1995", "%d %b %Y"), ("12/31/95", "%m/%d/%y"),
    ("1995-1-2", "%Y-%m-%d"), ("1995", "%Y"), ("03 PM", "%I %p"), ("March 3 1995", "%B %d %Y"), ("x", "%Y"),
    (" 1995-01-02 ", "%Y-%m-%d"), ("1995-01-02x", "%Y-%m-%d"), ("Mon 1995-01-02", "%a %Y-%m-%d"), ("1995 032", "%Y %j"),
    ("1995-02-30", "%Y-%m-%d"), ("01/02/03", "%d/%m/%y"),
])  # fmt: skip
def test_strptime(text, pattern):
    expected = duckdb.execute("SELECT epoch_us(try_strptime(?::VARCHAR, ?::VARCHAR))", [text, pattern]).fetchall()[0][0]
    assert values(evaluate("try_strptime", texts([text, None]), pattern)) == [expected, None]
    if expected is None:
        with pytest.raises(ExecutionError, match="not in the format"):
            evaluate("strtotime", texts([text]), pattern)
