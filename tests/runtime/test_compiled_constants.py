"""One compiled function serves all constants of its classes, and every answer is DuckDB's."""

from __future__ import annotations

import datetime
import gc
import weakref
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import torch

import tqp
from tqp.runtime import compile as compiled

pytestmark = pytest.mark.host_only("compiles for the CPU")

ROWS = 2**18 + 1000
WORDS = ["", "apple", "apricot", "banana", "cherry", "damson", "Elder", "fig"]


@pytest.fixture(scope="module")
def table() -> pa.Table:
    random = np.random.default_rng(11)
    rows = np.arange(ROWS)

    def column(values: Any, every: int, dtype: pa.DataType | None = None) -> pa.Array:
        return pa.array(values, dtype, mask=None if every == 0 else rows % every == 0)

    floats = random.integers(-80, 80, ROWS) / 8
    floats[rows % 37 == 0] = np.nan
    return pa.table({
        "t": column(random.integers(-120, 120, ROWS).astype("int8"), 0),
        "i": column(random.integers(-30_000, 30_000, ROWS).astype("int32"), 19),
        "b": column(random.integers(-(2**40), 2**40, ROWS), 23),
        "m": column([Decimal(int(n)).scaleb(-2) for n in random.integers(-9999, 9999, ROWS)], 31, pa.decimal128(12, 2)),
        "d": column(random.integers(8000, 10_000, ROWS).astype("datetime64[D]"), 17),
        "s": column(random.integers(10**15, 10**15 + 10**12, ROWS).astype("datetime64[us]"), 0),
        "f": column(floats, 13),
        "o": column(random.integers(0, 2, ROWS) == 1, 7),
        "w": column(random.choice(np.array(WORDS), ROWS), 11),
        "g": column(random.integers(0, 4, ROWS).astype("int8"), 0),
    })  # fmt: skip


@pytest.fixture(scope="module")
def oracle(table: pa.Table) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1}) as con:
        con.register("arrow", table)
        con.execute("CREATE TABLE t AS FROM arrow")
        yield con


@pytest.fixture(scope="module")
def con(table: pa.Table) -> Iterator[tqp.Connection]:
    with tqp.connect(threads=2, backend="compile") as con:
        con.register("t", table)
        yield con


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How often something was compiled. What was traced runs as it is: compilers are not what is tested."""
    traced: list[object] = []

    def compile(function: object, **options: object) -> object:
        traced.append(function)
        return function

    monkeypatch.setattr(torch, "compile", compile)
    return lambda: len(traced)


DAY = datetime.date(1995, 3, 5)
CASES: list[tuple[str, list[list[Any]], int]] = [
    ("t < ?", [[5], [100], [-120], [127], [-128], [0]], 1),
    # Of 8 bits as the column, and of more.
    ("t <= ?", [[127], [128], [32_767], [-129], [1000]], 2),
    ("t = ?", [[5], [100], [200], [-300]], 2),
    ("i BETWEEN ? AND ?", [[5, 100], [-400, 30_000], [-30_000, 29_000], [127, 128], [9, 3]], 1),
    ("i <> ?", [[5], [100], [-32_768], [32_767], [2**20], [2**31 - 1]], 1),
    # Parameters beyond 32 bits have another type, and so another plan.
    ("b >= ?", [[5], [2**31 - 1], [-(2**31)], [2**31], [-(2**40)], [2**63 - 1], [-(2**63)]], 2),
    ("b > ?", [[2**64], [2**70], [2**100]], 1),
    ("b > ?", [[-(2**63) - 1], [-(2**69)], [-(2**120)]], 1),
    ("m > ?", [[Decimal("0.01")], [Decimal("9.99")], [Decimal("-5.00")], [Decimal("1.27")], [Decimal("1.28")]], 1),
    # Another scale is another type.
    ("m > ?", [[Decimal("0.1")], [Decimal("0.001")], [Decimal("0.002")], [Decimal("3.999")]], 2),
    ("m = ?", [[3], [4], [99], [100_000]], 1),
    ("d <= ?", [[DAY], [DAY.replace(1992)], [DAY.replace(1970)], [DAY.replace(2200)]], 1),
    ("d >= ? AND d < ? + INTERVAL 1 YEAR", [[DAY, DAY], [DAY.replace(1993)] * 2, [DAY.replace(1994)] * 2], 1),
    ("s >= ?", [[datetime.datetime(2001, 9, 9)], [datetime.datetime(2001, 9, 12, 3)], [datetime.datetime(1, 1, 1)]], 1),
    ("f < ?", [[1.5], [-3.25], [float("inf")], [float("nan")], [0.0], [-0.0]], 1),
    ("f = ?", [[1.5], [float("nan")], [float("-inf")]], 1),
    ("f >= ? OR f < ?", [[1.5, -2.0], [float("nan"), 0.5], [0.25, float("nan")]], 1),
    ("w = ?", [["fig"], ["apple"], ["no such"], [""]], 1),
    ("w <> ?", [["fig"], ["apple"], ["no such"], [""]], 1),
    ("w < ? AND i > ?", [["fig", 3], ["b", 200], ["zebra", -5], ["", 127]], 1),
    ("w LIKE ?", [["a%"], ["%n%"], ["no such"], ["_ig"], ["%"]], 1),
    ("w IN (?, ?)", [["fig", "apple"], ["no such", "fig"], ["neither", "nor"]], 1),
    ("w || ? = 'figs'", [["s"], ["gs"], ["x"]], 1),
    ("t IN (?, ?, ?)", [[1, 2, 3], [5, 50, -7], [100, 101, 90]], 1),
    ("i IS DISTINCT FROM ?", [[5], [100], [-20_000]], 1),
    ("i = ? OR d = ?", [[5, DAY], [-7, DAY.replace(1994)]], 1),
    ("coalesce(t < ?, false)", [[None], [None], [5], [6]], 2),
    ("w = ? OR i > ?", [[None, 5], ["fig", 6], [None, 7]], 2),
]  # fmt: skip


def check(con: tqp.Connection, oracle: duckdb.DuckDBPyConnection, sql: str, values: list[Any]) -> None:
    theirs = oracle.execute(sql, values)
    assert con.sql(sql, values).fetchall() == theirs.fetchall(), (sql, values)


@pytest.mark.parametrize(("condition", "given", "compilations"), CASES)
def test_filters(
    con: tqp.Connection,
    oracle: duckdb.DuckDBPyConnection,
    count: Callable[[], int],
    condition: str,
    given: list[list[Any]],
    compilations: int,
) -> None:
    for values in given:
        sql = "SELECT g, count(*), sum(t), sum(m), count(b) FROM t WHERE {} GROUP BY g ORDER BY g"
        check(con, oracle, sql.format(condition), values)
    assert count() == compilations


@pytest.mark.parametrize(
    ("query", "given", "compilations"),
    [
        ("SELECT sum(CASE WHEN w LIKE ? THEN m ELSE 0 END), count(*) FROM t", [["a%"], ["%n%"], ["no"]], 1),
        ("SELECT t > ? AS k, count(*), sum(m) FROM t GROUP BY k ORDER BY k", [[3], [-70], [100]], 1),
        ("SELECT w = ? AS k, count(*), sum(m) FROM t GROUP BY k ORDER BY k", [["fig"], ["no"], ["apple"]], 1),
        ("SELECT count(*) FILTER (i > ?), sum(b) FILTER (w < ?) FROM t", [[3, "b"], [-70, "no"], [10**5, ""]], 1),
        ("SELECT avg(f) FROM t WHERE NOT isnan(f) AND (f > ? AND o) = ?", [[1.5, True], [2.5, True]], 1),
        # What a sum adds up has bounds, by which it is summed.
        ("SELECT sum(t::BIGINT * ?) FROM t", [[3], [100], [30_000]], 3),
        ("SELECT g + ? AS k, count(*) FROM t GROUP BY k ORDER BY k", [[3], [100], [3]], 2),
        ("SELECT round(m, 1), count(*) FROM t WHERE m < ? GROUP BY ALL ORDER BY ALL", [[1], [2]], 0),
    ],
)  # fmt: skip
def test_results(
    con: tqp.Connection,
    oracle: duckdb.DuckDBPyConnection,
    count: Callable[[], int],
    query: str,
    given: list[list[Any]],
    compilations: int,
) -> None:
    for values in given:
        check(con, oracle, query, values)
    assert count() == compilations


def test_classes_are_kept_side_by_side(
    con: tqp.Connection, oracle: duckdb.DuckDBPyConnection, count: Callable[[], int]
) -> None:
    """Eight beside those of programs that are still kept; that which no new program took for the longest time goes first."""
    query = "SELECT sum(t::BIGINT * ?) FROM t WHERE o"
    for factor in range(10, 18):
        check(con, oracle, query, [factor])
    assert count() == 8
    for turn, factor in enumerate((10, 18, 10, 12)):
        check(con, oracle, f"{query} -- {turn}", [factor])
    assert count() == 9
    check(con, oracle, f"{query} -- again", [11])
    assert count() == 10


def test_what_other_constants_gave_is_let_go(con: tqp.Connection, count: Callable[[], int]) -> None:
    query = "SELECT count(*) FROM t WHERE w = ? AND t > ?"
    programs = []
    for number in range(5):
        relation = con.sql(query, ["fig", number])
        relation.fetchall()
        program = relation.query._planned._program
        assert program is not None
        (pipeline, *_) = program.pipelines
        assert compiled.compiled_bytes(pipeline)
        programs.append(weakref.ref(program.steps))
    held = compiled.compiled_bytes(pipeline)
    assert count() == 1 and held
    del relation, program
    con.clear_cache()
    gc.collect()
    assert [steps() for steps in programs[1:]] == [None] * 4
    again = compiled.compiled_bytes(pipeline)
    assert again is None or again < held


def test_the_real_compiler(con: tqp.Connection, oracle: duckdb.DuckDBPyConnection) -> None:
    query = "SELECT g, sum(m), count(*) FROM t WHERE i > ? AND d < ? AND f <= ? AND w <> ? GROUP BY g ORDER BY g"
    check(con, oracle, query, [5, DAY, 1.5, "fig"])
    check(con, oracle, query, [-2000, DAY.replace(1994), float("nan"), "no such"])
