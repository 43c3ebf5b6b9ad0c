"""One compiled function serves all constants of its classes, and every answer is DuckDB's."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import pyarrow as pa
import pytest
import torch

import tqp
from tests.runtime.constants import CASES, DAY, check
from tqp.runtime import compile as compiled

pytestmark = pytest.mark.host_only("compiles for the CPU")


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
        program = relation.bound_query._planned._program
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
