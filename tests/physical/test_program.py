"""Programs as data: what is compiled with them, and what their runs no longer do."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

import tqp
from tpch import parameters
from tqp.errors import TqpError
from tqp.operators.steps import Compiler
from tqp.physical.planner import lower
from tqp.physical.program import Program
from tqp.physical.target import Target
from tqp.runtime import executor


@pytest.fixture(scope="module")
def con() -> Iterator[tqp.Connection]:
    with tqp.connect(threads=1) as connection:
        numbers = range(1000)
        texts = [f"{n % 7}" if n % 3 else None for n in numbers]
        connection.register("t", pa.table({"k": [n % 10 for n in numbers], "v": list(numbers), "s": texts}))
        connection.register("u", pa.table({"k": [1, 2, 3, 4, 4], "name": ["a", "b", None, "d", "e"]}))
        yield connection


@pytest.fixture(scope="module")
def tpch(tpch_dir) -> Iterator[tqp.Connection]:
    with tqp.connect(threads=1) as connection:
        for path in sorted(tpch_dir(0.01).glob("*.parquet")):
            connection.register(path.stem, str(path))
        yield connection


def program(con: tqp.Connection, query: str) -> Program:
    return lower(con.sql(query)._query.optimized, Target.of(con.settings))


QUERIES = [
    "SELECT v + 1 AS w FROM t WHERE k > 3 AND s LIKE '1%'",
    "SELECT coalesce(CAST(s AS INTEGER), v / (k - 3)), CASE WHEN k <> 3 THEN CAST(s AS INTEGER) // (k - 3) END FROM t",
    "SELECT k, sum(v + 1) FILTER (WHERE v > 7), avg(v + 1), count(DISTINCT s), first(s ORDER BY v + 2) FROM t GROUP BY k",
    "SELECT k, s, sum(v * 2), grouping(k) FROM t GROUP BY CUBE (k, s)",
    "SELECT sum(v + 1) OVER (PARTITION BY k % 3 ORDER BY v - 1 ROWS 3 PRECEDING), lag(v * 2) OVER (ORDER BY k) FROM t",
    "SELECT max(s) FILTER (WHERE k > 2) OVER (PARTITION BY k), first_value(v) FILTER (WHERE v > 3) OVER (ORDER BY v) FROM t",
    "SELECT name FROM t JOIN u ON t.k = u.k + 1 AND v > u.k * 2 WHERE upper(name) <> 'A' ORDER BY v + t.k DESC LIMIT 3",
    "SELECT v FROM t WHERE k NOT IN (SELECT k + 1 FROM u WHERE name IS NOT NULL)",
    "SELECT k IN (SELECT k + 1 FROM u WHERE u.k > t.v) FROM t",
    "SELECT * FROM t FULL JOIN u ON v + 1 = u.k",
    "SELECT a + 1 FROM (VALUES (1, 'x'), (2 + 3, upper('y'))) x(a, b) UNION SELECT k FROM t",
]


def check_run(con: tqp.Connection, query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No run of the query makes a step."""
    lowered = program(con, query)
    with monkeypatch.context() as patch:

        def refuse(self: Compiler, *args: object) -> None:
            raise AssertionError("a run compiles")

        patch.setattr(Compiler, "_meet", refuse)
        first = executor.run(lowered, con.settings)
        second = executor.run(lowered, con.settings)
    assert first.rows == second.rows


@pytest.mark.parametrize("query", QUERIES)
def test_no_expression_is_compiled_in_a_run(con: tqp.Connection, query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_run(con, query, monkeypatch)


@pytest.mark.parametrize("number", parameters.QUERIES)
def test_no_expression_is_compiled_in_a_run_of_tpch(
    tpch: tqp.Connection, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_run(tpch, parameters.query(number, sf=0.01), monkeypatch)


def test_a_closed_compiler_refuses_what_is_new(con: tqp.Connection) -> None:
    one, other = program(con, "SELECT v + 1 FROM t"), program(con, "SELECT v + 2 FROM t")
    (wanted,) = [exprs for pipeline in other.pipelines for o in pipeline.operators for exprs in o.expressions]
    with pytest.raises(TqpError, match="was not compiled with its program"):
        one.steps.compile(wanted)
