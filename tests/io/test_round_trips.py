"""Every SQL type out to every library and back: exact values, the types of docs/types.md, and DuckDB's answers.

One table: for each type some values in SQL and in Python, and the type that each library gives it. From it come the
columns without NULL, with NULLs, all NULL, and of no rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import numpy as np
import pandas as pd
import pytest

import tqp
from tqp.errors import ExecutionError

DOCS = Path(__file__).parents[2] / "docs" / "types.md"


@dataclass(frozen=True)
class Case:
    """Values of a SQL type, and what it is in each library: `pandas` without and with NULLs."""

    sql: str
    texts: tuple[str, ...]
    values: tuple[Any, ...]
    pandas: tuple[str, str]
    polars: str
    arrow: str
    numpy: str
    torch: str
    python: type

    @property
    def name(self) -> str:
        return f"{self.sql} {self.texts[0][:12]}"


def integers(sql: str, bits: int, signed: bool, torch: str) -> Case:
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    values = (low, high, 0, *((2**53 + 1,) if bits == 64 else ()))
    kind = f"{'' if signed else 'u'}int{bits}"
    nullable = f"{'' if signed else 'U'}Int{bits}"
    texts = tuple(f"'{value}'" for value in values)
    return Case(sql, texts, values, (kind, nullable), nullable, kind, kind, torch, int)


def temporal(sql: str, texts: str, values: tuple[Any, ...], *kinds: str, python: type) -> Case:
    pandas, polars, arrow, numpy, torch = kinds
    return Case(sql, tuple(f"'{text}'" for text in texts.split("|")), values, (pandas, pandas), polars, arrow, numpy, torch, python)  # fmt: skip


HUGE = 2**127 - 1
HUGE_IN_POLARS = "Decimal(precision=38, scale=0)"
CASES = [
    Case("BOOLEAN", ("true", "false"), (True, False), ("bool", "boolean"), "Boolean", "bool", "bool", "bool", bool),
    integers("TINYINT", 8, True, "int8"),
    integers("SMALLINT", 16, True, "int16"),
    integers("INTEGER", 32, True, "int32"),
    integers("BIGINT", 64, True, "int64"),
    integers("UTINYINT", 8, False, "uint8"),
    integers("USMALLINT", 16, False, "int32"),
    integers("UINTEGER", 32, False, "int64"),
    integers("UBIGINT", 64, False, "int64"),
    Case("HUGEINT", ("'-5'", "'9007199254740993'"), (-5, 2**53 + 1), ("int64", "Int64"), HUGE_IN_POLARS,
         "decimal128(38, 0)", "object", "int64", int),
    Case("HUGEINT", (f"'{10**38 - 1}'", f"'{1 - 10**38}'"), (10**38 - 1, 1 - 10**38), ("object", "object"), HUGE_IN_POLARS,
         "decimal128(38, 0)", "object", "int64", int),
    Case("HUGEINT", (f"'{HUGE}'", f"'{-HUGE - 1}'", "'0'"), (HUGE, -HUGE - 1, 0), ("object", "object"), "ExecutionError",
         "ExecutionError", "object", "int64", int),
    Case("FLOAT", ("'nan'", "'inf'", "'-inf'", "'-0.0'", "'3.4028234e38'", "'0.1'"),
         (math.nan, math.inf, -math.inf, -0.0, 3.4028234663852886e38, 0.10000000149011612), ("float32", "float32"),
         "Float32", "float", "float32", "float32", float),
    Case("DOUBLE", ("'nan'", "'inf'", "'-inf'", "'-0.0'", "'1.7976931348623157e308'", "'5e-324'"),
         (math.nan, math.inf, -math.inf, -0.0, 1.7976931348623157e308, 5e-324), ("float64", "float64"),
         "Float64", "double", "float64", "float64", float),
    *[
        Case(f"DECIMAL({digits},{scale})", (f"'{'9' * (digits - scale)}.{'9' * scale}'", "'0'", "'-0.1'"),
             (Decimal((0, (9,) * digits, -scale)), Decimal((0, (0,), -scale)), Decimal((1, (1,), -1))),
             (f"decimal128({digits}, {scale})[pyarrow]",) * 2, f"Decimal(precision={digits}, scale={scale})",
             f"decimal128({digits}, {scale})", "object", "int64", Decimal)
        for digits, scale in ((4, 2), (9, 1), (18, 3), (19, 5), (38, 10), (38, 37))
    ],
    Case("VARCHAR", ("''", "'a'", "'ä€😀'", "'x''y'", "'NULL'"), ("", "a", "ä€😀", "x'y", "NULL"), ("str", "str"),
         "String", "string", "object", "int32", str),
    Case("BLOB", ("''", "'a'", r"'\xFF\x00'", r"'\x5C\x27'"), (b"", b"a", b"\xff\x00", b"\\'"), ("object", "object"), "Binary", "binary",
         "object", "int32", bytes),
    Case("UUID", ("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "'00000000-0000-0000-0000-000000000000'"),
         (UUID("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"), UUID(int=0)), ("object", "object"), "String", "string", "object", "int64", UUID),
    Case("ENUM('b', 'a')", ("'b'", "'a'"), ("b", "a"), ("category", "category"), "Categorical",
         "dictionary<values=string, indices=uint8, ordered=0>", "object", "int64", str),
    temporal("DATE", "0001-01-01|1969-12-31|2020-02-29|9999-12-31",
             (date(1, 1, 1), date(1969, 12, 31), date(2020, 2, 29), date(9999, 12, 31)),
             "datetime64[us]", "Date", "date32[day]", "datetime64[D]", "int32", python=date),
    temporal("DATE", "0044-03-15 (BC)|20000-01-01|290000-01-01", ("0044-03-15 (BC)", "20000-01-01", "290000-01-01"),
             "datetime64[us]", "Date", "date32[day]", "datetime64[D]", "int32", python=str),
    temporal("DATE", "5877642-06-25 (BC)|5881580-07-10", ("5877642-06-25 (BC)", "5881580-07-10"),
             "ExecutionError", "Date", "date32[day]", "datetime64[D]", "int32", python=str),
    temporal("TIME", "00:00:00|23:59:59.999999|12:30:00", (time(0), time(23, 59, 59, 999_999), time(12, 30)),
             "object", "Time", "time64[us]", "object", "int64", python=time),
    temporal("TIME", "24:00:00", ("24:00:00",), "object", "ExecutionError", "time64[us]", "object", "int64", python=str),
    temporal("TIMESTAMP", "0001-01-01 00:00:00|1969-12-31 23:59:59.999999|9999-12-31 23:59:59.999999",
             (datetime(1, 1, 1), datetime(1969, 12, 31, 23, 59, 59, 999_999), datetime.max), "datetime64[us]",
             "Datetime(time_unit='us', time_zone=None)", "timestamp[us]", "datetime64[us]", "int64", python=datetime),
    temporal("TIMESTAMP", "0044-03-15 (BC) 01:02:03|20000-01-01 00:00:00.5|294247-01-10 04:00:54.775806",
             ("0044-03-15 (BC) 01:02:03", "20000-01-01 00:00:00.5", "294247-01-10 04:00:54.775806"), "datetime64[us]",
             "Datetime(time_unit='us', time_zone=None)", "timestamp[us]", "datetime64[us]", "int64", python=str),
    temporal("TIMESTAMPTZ", "2020-01-01 02:00:00+02|1969-12-31 23:59:59.999999+00",
             (datetime(2020, 1, 1, tzinfo=UTC), datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)),
             "datetime64[us, UTC]", "Datetime(time_unit='us', time_zone='UTC')", "timestamp[us, tz=UTC]",
             "datetime64[us]", "int64", python=datetime),
    temporal("INTERVAL", "1 month 2 days 3 seconds|0 seconds|-5 years 1 microsecond",
             (timedelta(32, 3), timedelta(), timedelta(-1800, 0, 1)), "timedelta64[us]", "Duration(time_unit='us')",
             "month_day_nano_interval", "timedelta64[us]", "int64", python=timedelta),
    *[
        Case(f"{element}[2]", (f"[{low}, {high}]", "[1, 0]"), ((kind(low), kind(high)), (kind(1), kind(0))),
             ("object", "object"), f"Array({polars}, shape=(2,))", f"fixed_size_list<{child}: {arrow}>[2]", numpy,
             tensor, tuple)
        for element, low, high, kind, polars, arrow, child, numpy, tensor in (
            ("FLOAT", -1.5, 2.0**100, float, "Float32", "float", "", "float32", "float32"),
            ("DOUBLE", 5e-324, 1e308, float, "Float64", "double", "", "float64", "float64"),
            ("TINYINT", -127, 127, int, "Int8", "int8", "", "int8", "int8"),
            ("BIGINT", -(2**63) + 1, 2**63 - 1, int, "Int64", "int64", "", "int64", "int64"),
            ("UINTEGER", 0, 2**32 - 1, int, "UInt32", "uint32", "", "uint32", "int64"),
        )
    ],
]  # fmt: skip

NULLS: dict[str, Callable[[tuple[Any, ...], Any], tuple[Any, ...]]] = {
    "none": lambda values, null: values,
    "some": lambda values, null: (null, *values, null),
    "all": lambda values, null: (null, null),
    "no rows": lambda values, null: (),
}
LIBRARIES = ("pandas", "polars", "arrow", "numpy", "torch")


@pytest.fixture(scope="module")
def oracle() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        yield connection


def _query(case: Case, nulls: str) -> tuple[str, tuple[Any, ...]]:
    texts, expected = NULLS[nulls](case.texts, "NULL"), NULLS[nulls](case.values, None)
    rows = ", ".join(f"({place}, {text}::{case.sql})" for place, text in enumerate(texts or case.texts))
    where = "" if texts else " WHERE i < 0"
    return f"SELECT x FROM (VALUES {rows}) v(i, x){where} ORDER BY i", expected


def _out(relation: tqp.Relation, library: str) -> tuple[Any, str]:
    """The object that the library gets, and the type of its column."""
    match library:
        case "pandas":
            frame = relation.df()
            return frame, str(frame["x"].dtype)
        case "polars":
            polars = relation.pl()
            return polars, repr(polars["x"].dtype)
        case "arrow":
            return relation.arrow(), str(relation.arrow().schema.field("x").type)
        case "numpy":
            return relation.numpy(), str(relation.numpy()["x"].dtype)
        case _:
            return relation.torch(), str(relation.torch()["x"].data.dtype).removeprefix("torch.")


def _same(found: Any, expected: Any) -> bool:
    """Equal, of one type, and NaN and the sign of zero too."""
    if isinstance(expected, tuple) and isinstance(found, list) and all(isinstance(value, int) for value in expected):
        # An array of integers comes back from pandas as a list.
        found = tuple(found)
    if isinstance(expected, tuple) and isinstance(found, tuple):
        return len(found) == len(expected) and all(map(_same, found, expected))
    if isinstance(expected, float) and isinstance(found, float):
        return repr(found) == repr(expected)
    return type(found) is type(expected) and found == expected


def _compare(found: list[Any], expected: tuple[Any, ...]) -> None:
    assert len(found) == len(expected)
    for row, (left, right) in enumerate(zip(found, expected, strict=True)):
        assert _same(left, right), f"row {row}: {left!r} instead of {right!r}"


TABLE = [pytest.param(case, nulls, id=f"{case.name} {nulls}") for case in CASES for nulls in NULLS]


@pytest.mark.parametrize(("case", "nulls"), TABLE)
def test_python_gets_the_values_and_those_that_duckdb_gives(
    case: Case, nulls: str, oracle: duckdb.DuckDBPyConnection
) -> None:
    query, expected = _query(case, nulls)
    found = [row[0] for row in tqp.connect(threads=1).sql(query).fetchall()]
    _compare(found, expected)
    assert all(isinstance(value, case.python) for value in found if value is not None)
    if case.sql != "TIMESTAMPTZ":
        # DuckDB needs pytz to hand them out.
        _compare([row[0] for row in oracle.sql(query).fetchall()], expected)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(("case", "nulls"), TABLE)
def test_round_trip(case: Case, nulls: str, library: str) -> None:
    query, expected = _query(case, nulls)
    con = tqp.connect(threads=1)
    relation = con.sql(query)
    known = any(value is not None for value in expected)
    kind = case.pandas[nulls in ("some", "all")] if library == "pandas" else getattr(case, library)
    if kind == "ExecutionError" and known:
        with pytest.raises(ExecutionError, match=r"cast it to|use fetchall"):
            _out(relation, library)
        return
    handed, found = _out(relation, library)
    if (known or case.pandas[0] != "object" or case.sql != "HUGEINT") and kind != "ExecutionError":
        assert found == kind
    back = con.register("back", handed).sql("SELECT x FROM back")
    expected = _read_back(case, library, expected)
    if library in ("numpy", "pandas") and not known and kind in ("object", "ExecutionError"):
        # Objects that are all NULL have no type.
        assert [row[0] for row in back.fetchall()] == list(expected)
        return
    _compare([row[0] for row in back.fetchall()], expected)
    objects = kind == "object" and library in ("numpy", "pandas")
    if not (objects and (case.values == ("24:00:00",) or max(map(_size, case.values)) < 2**63)):
        kind = {"TIMESTAMPTZ": "TIMESTAMP WITH TIME ZONE"}.get(_changed(case, library), _changed(case, library))
        assert str(back.types[0]) == kind


def _size(value: Any) -> int:
    return abs(value) if isinstance(value, int) else 2**64


def _read_back(case: Case, library: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values as the way through a library leaves them."""
    changed = _changed(case, library)
    if library == "pandas" and case.python is float:
        return tuple(None if value is None or value != value else value for value in values)
    if changed == "TIMESTAMP" and case.sql == "DATE":
        known = {
            date: lambda value: datetime(value.year, value.month, value.day),
            str: lambda value: f"{value} 00:00:00",
        }
        return tuple(None if value is None else known[type(value)](value) for value in values)
    if changed == "TIMESTAMP" and case.sql == "TIMESTAMPTZ":
        return tuple(None if value is None else value.replace(tzinfo=None) for value in values)
    if changed == "DECIMAL(38,0)" and case.sql == "HUGEINT":
        return tuple(None if value is None else Decimal(value) for value in values)
    if changed == "VARCHAR" and case.sql == "UUID":
        return tuple(None if value is None else str(value) for value in values)
    return values


def _changed(case: Case, library: str) -> str:
    """The SQL type of a column that has been in a library."""
    if case.sql == "HUGEINT" and library == "pandas" and case.pandas[0] == "int64":
        return "BIGINT"
    if library == "pandas" and "INT" in case.sql and "[" in case.sql:
        return case.sql.partition("[")[0] + "[]"
    return {
        ("ENUM('b', 'a')", "arrow"): "VARCHAR", ("ENUM('b', 'a')", "polars"): "VARCHAR", ("ENUM('b', 'a')", "numpy"): "VARCHAR",
        ("UUID", "arrow"): "VARCHAR", ("UUID", "polars"): "VARCHAR", ("TIME", "polars"): "TIME_NS",
        ("DATE", "pandas"): "TIMESTAMP", ("TIMESTAMPTZ", "numpy"): "TIMESTAMP", ("HUGEINT", "arrow"): "DECIMAL(38,0)", ("HUGEINT", "polars"): "DECIMAL(38,0)",
    }.get((case.sql, library), case.sql)  # fmt: skip


PANDAS_AS_DUCKDB = [case for case in CASES if not case.sql.startswith(("DECIMAL", "HUGEINT"))]


@pytest.mark.parametrize("nulls", NULLS)
@pytest.mark.parametrize("case", PANDAS_AS_DUCKDB, ids=lambda case: case.name)
def test_frames_are_as_duckdbs(case: Case, nulls: str, oracle: duckdb.DuckDBPyConnection) -> None:
    query, expected = _query(case, nulls)
    try:
        theirs = oracle.sql(query).df()
    except (duckdb.Error, NotImplementedError):
        assert case.pandas[0] == "ExecutionError"
        return
    frame = tqp.connect(threads=1).sql(query).df()
    if any(value is not None for value in expected) and "24:00:00" not in expected:
        assert frame["x"].dtype == theirs["x"].dtype
    for ours, other in zip(frame["x"], theirs["x"], strict=True):
        assert np.all(pd.isna(ours)) == np.all(pd.isna(other))
        assert np.all(pd.isna(ours)) or np.array_equal(ours, other) or ours == other


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_duckdb_reads_the_same_in_what_comes_out(case: Case, library: str, oracle: duckdb.DuckDBPyConnection) -> None:
    if "ExecutionError" in (case.pandas[0] if library == "pandas" else getattr(case, library)):
        return
    query, _ = _query(case, "some")
    handed, _ = _out(tqp.connect(threads=1).sql(query), library)
    oracle.register("handed", handed)
    mine = tqp.connect(threads=1).register("handed", handed).sql("SELECT x FROM handed").fetchall()
    theirs = [row[0] for row in oracle.sql("SELECT x FROM handed").fetchall()]
    _compare([row[0] for row in mine], tuple(tuple(value) if isinstance(value, list) else value for value in theirs))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_docs_name_every_type(case: Case) -> None:
    table = DOCS.read_text().partition("## In")[0]
    lines = [line.split("|") for line in table.splitlines() if line.startswith("| ")]
    name = case.sql.replace("[2]", "[n]").partition("(")[0]
    row = next((cells for cells in lines if name in cells[1] or (name.endswith("[n]") and "[n]" in cells[1])), None)
    assert row is not None
    polars = case.polars.partition("(")[0].strip("0123456789")
    assert case.polars == "ExecutionError" or polars in row[3]
