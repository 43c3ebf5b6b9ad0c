"""Queries as deep and as long as programs write them: run as DuckDB runs them, or refused before anything overflows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest

from tests.engines import Engines
from tqp.errors import UnsupportedError
from tqp.sql.parse import parse

TABLES = {
    "t": pa.table(
        {
            "a": pa.array([1, 2, 3, None, 0], pa.int64()),
            "b": pa.array([1, 2, None, 4, 5], pa.int64()),
            "r": [1.0, 2.0, None, 0.0, 5.0],
            "s": ["x", "y", None, "z", ""],
        }
    )
}


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    made = Engines(TABLES)
    yield made
    made.close()


def chained(first: str, step: str, count: int, rest: str = "") -> str:
    """CTEs c0 .. c<count>, each over the one before."""
    steps = ", ".join(f"c{i} AS ({step.format(below=f'c{i - 1}', i=i)})" for i in range(1, count))
    return f"WITH c0 AS ({first}), {steps} SELECT * FROM c{count - 1} {rest}"


LONG: dict[str, Callable[[int], str]] = {
    "sum": lambda n: f"SELECT {'+'.join(['a'] * n)} FROM t",
    "sum in an aggregate": lambda n: f"SELECT sum({'+'.join(['a'] * n)}) FROM t",
    "sum in a condition": lambda n: f"SELECT a FROM t WHERE {'+'.join(['a'] * n)} > 3",
    "text": lambda n: f"SELECT {'||'.join(['s'] * n)} FROM t",
    "and": lambda n: f"SELECT a FROM t WHERE {' AND '.join(f'(a <> {i + 10} OR b = {i})' for i in range(n))}",
    "or": lambda n: f"SELECT {' OR '.join(f'a = {i}' for i in range(n))} FROM t",
    "case": lambda n: f"SELECT CASE {' '.join(f'WHEN a = {i} THEN {i}' for i in range(n))} END FROM t",
    "in": lambda n: f"SELECT a FROM t WHERE a IN ({', '.join(map(str, range(n)))})",
    "arguments": lambda n: f"SELECT coalesce({', '.join(['a'] * n)}) FROM t",
    "columns": lambda n: f"SELECT {', '.join(f'a + {i} AS c{i}' for i in range(n))} FROM t",
    "union all": lambda n: " UNION ALL ".join(["SELECT a FROM t"] * n),
    "except": lambda n: " EXCEPT ".join(["SELECT a FROM t"] * n),
    "ctes": lambda n: chained("SELECT a FROM t", "SELECT a + 1 AS a FROM {below}", n),
    "filtered ctes": lambda n: chained("SELECT a FROM t", "SELECT a FROM {below} WHERE a <> {i} + 100", n),
    "grouped ctes": lambda n: chained("SELECT a FROM t", "SELECT a, count(*) AS c FROM {below} GROUP BY a", n),
    "left joins": lambda n: (
        "SELECT count(*) FROM t t0 " + " ".join(f"LEFT JOIN t t{i} ON t{i}.a = t{i - 1}.a" for i in range(1, n))
    ),
}  # fmt: skip

DEEP: dict[str, Callable[[int], str]] = {
    "parentheses": lambda n: f"SELECT {'(' * n}a{')' * n} FROM t",
    "sums in parentheses": lambda n: f"SELECT {'(1 + ' * n}a{')' * n} FROM t",
    "functions": lambda n: f"SELECT {'abs(' * n}a{')' * n} FROM t",
    "case": lambda n: f"SELECT {''.join(f'CASE WHEN a = {i} THEN {i} ELSE ' for i in range(n))}0{' END' * n} FROM t",
    "not": lambda n: f"SELECT a FROM t WHERE {'NOT ' * n}(a = 1)",
    "minus": lambda n: f"SELECT {'- ' * n}a FROM t",
    "casts": lambda n: f"SELECT a{'::BIGINT::INTEGER' * (n // 2)} FROM t",
    "derived tables": lambda n: f"SELECT a FROM {'(SELECT a + 1 AS a FROM ' * n}t{')' * n}",
    "scalar subqueries": lambda n: f"SELECT {'(SELECT ' * n}1{')' * n}",
    "in": lambda n: f"SELECT a FROM t WHERE {'a IN (SELECT a FROM t WHERE ' * n}true{')' * n}",
    "exists": lambda n: (
        "SELECT a FROM t WHERE "
        + "".join(f"EXISTS (SELECT 1 FROM t t{i + 1} WHERE t{i + 1}.a = t{i or ''}.a AND " for i in range(n))
        + f"true{')' * n}"
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", LONG)
def test_long_queries_run(engines: Engines, shape: str) -> None:
    engines(LONG[shape](150 if shape in ("grouped ctes", "left joins") else 300))


@pytest.mark.parametrize("shape", ["sum", "sum in an aggregate", "text", "in", "case"])
def test_chains_longer_than_duckdb_takes_run(engines: Engines, shape: str) -> None:
    rows = engines.tqp.sql(LONG[shape](5000)).fetchall()
    assert len(rows) == len(engines.tqp.sql(LONG[shape](10)).fetchall())


@pytest.mark.parametrize("shape", DEEP)
def test_deep_queries_run(engines: Engines, shape: str) -> None:
    subqueries = shape in ("scalar subqueries", "in", "exists")
    engines(DEEP[shape](60 if subqueries else 250))


@pytest.mark.parametrize("shape", [shape for shape in DEEP if shape != "casts"])
def test_deeper_ones_are_refused(engines: Engines, shape: str) -> None:
    with pytest.raises(UnsupportedError, match="nested too deeply"):
        engines.tqp.sql(DEEP[shape](20_000))


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM " + "(SELECT * FROM " * 30_000 + "t" + ")" * 30_000,
        "SELECT * FROM " + "(t JOIN " * 30_000 + "t" + ")" * 30_000,
        "SELECT * FROM t " + "JOIN t " * 30_000 + "ON a " * 30_000,
        "SELECT a::" + "STRUCT(a " * 30_000 + "INT" + ")" * 30_000,
    ],
    ids=["derived tables", "joins in parentheses", "joins to the right", "types"],
)
def test_the_parser_never_runs_out_of_stack(text: str) -> None:
    with pytest.raises(UnsupportedError, match="nested too deeply"):
        parse(text)


def test_a_caller_deep_in_its_own_calls(engines: Engines) -> None:
    def below(levels: int) -> None:
        if levels:
            below(levels - 1)
        else:
            engines(f"SELECT {'(1 + ' * 40}a{')' * 40} FROM t")

    below(600)


def test_names_of_long_expressions_are_those_of_duckdb(engines: Engines) -> None:
    for text in ("SELECT " + "+".join(["a"] * 300) + " FROM t", "SELECT " + "abs(" * 200 + "a" + ")" * 200 + " FROM t"):
        assert engines.tqp.sql(text).columns == engines.duckdb.sql(text).columns


def test_aliases_of_aliases(engines: Engines) -> None:
    """Each alias is bound once, however many others build on it."""
    doubled = ", ".join(f"x{i} + x{i} AS x{i + 1}" for i in range(30))
    # DuckDB binds each use of an alias anew, and does not come back from this one.
    rows = engines.tqp.sql(f"SELECT r AS x0, {doubled} FROM t WHERE a = 1").fetchall()
    assert rows == [tuple(2.0**power for power in range(31))]
    engines.tqp.sql(f"SELECT a AS x0, {doubled.replace('x30', 'y')} FROM t WHERE y = 0 AND x29 = 0")
    engines.tqp.sql(f"SELECT sum(a) AS x0, {doubled} FROM t HAVING x30 > 0")
    engines(f"SELECT a AS c0, {', '.join(f'c{i} + 1 AS c{i + 1}' for i in range(200))} FROM t")
    engines("SELECT a + 1 AS b, b + 1 AS c, c + b AS d FROM t WHERE c > 2 GROUP BY ALL")
    with pytest.raises(UnsupportedError, match="build on each other's aliases"):
        engines.tqp.sql(f"SELECT a AS c0, {', '.join(f'c{i} + 1 AS c{i + 1}' for i in range(2_000))} FROM t")
    with pytest.raises(UnsupportedError, match="used too often"):
        engines.tqp.sql(f"SELECT (SELECT max(a) FROM t) AS x0, {doubled} FROM t")


@pytest.mark.parametrize("steps", [30, 100, pytest.param(500, marks=pytest.mark.slow)])
def test_doubled_columns(engines: Engines, steps: int) -> None:
    """Projections that build on each other stay as large as they are written, in rules, in texts and when they run."""
    first, step = "SELECT r AS x FROM t WHERE a = 0", "SELECT x + x AS x FROM {below}"
    engines(chained(first, step, steps))
    relation = engines.tqp.sql(chained(first, step, steps, "WHERE x = 0"))
    assert relation.fetchall() == []
    assert len(str(relation.explain())) < 10_000 + steps * (steps + 60)


def test_many_joins(engines: Engines) -> None:
    for chain in (True, False):
        joins = " ".join(f"JOIN t t{i} ON t{i}.a = t{i - 1 if chain else 0}.a" for i in range(1, 60))
        engines(f"SELECT count(*) FROM t t0 {joins}")
