"""A plan serves a query with other constants if it would have become the same, and then the answer is what it would have been."""

from __future__ import annotations

import datetime
import math
import random
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch

import tqp
from tests.sql.case_tables import TABLES
from tests.sql.constants import with_aliases, with_constants_mixed, with_other_constants
from tests.sql.test_cases import statements
from tpch import data, parameters
from tqp.errors import BindError, QueryTimeoutError, TqpError
from tqp.ir.expr import Literal
from tqp.runtime import executor
from tqp.session.plan_cache import REUSE
from tqp.types import VARCHAR


@pytest.fixture
def con() -> Iterator[tqp.Connection]:
    with tqp.connect(threads=1) as connection:
        connection.register(
            "t",
            pa.table({
                "a": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
                "small": pa.array([1, 2, 3, 4, 5, -1, -2, -3, None, 0], pa.int8()),
                "s": ["x", "y", "x%", "a_b", "ab", "", "z", "Z", None, "1"],
                "d": pa.array([datetime.date(1994, 1, day) for day in range(1, 11)]),
                "f": [0.5, -0.0, 0.0, math.nan, math.inf, -1.5, 2.5, 3.0, None, 1e300],
                "m": pa.array([Decimal(n) / 100 for n in range(-5, 5)], pa.decimal128(9, 2)),
                "v": pa.FixedSizeListArray.from_arrays(pa.array(np.arange(30), pa.float32()), 3),
            }),
        )  # fmt: skip
        yield connection


def anew(con: tqp.Connection) -> tqp.Connection:
    """A connection with the same tables that plans every text anew."""
    other = tqp.connect(threads=1, disabled_rules=[REUSE])
    for name in con.tables():
        other.register(name, con.table(name).arrow())
    return other


def answer(con: tqp.Connection, text: str, params: Any = None, timeout: float | None = None) -> object:
    """Names, types and rows in no order, or the error as it is shown."""
    try:
        relation = con.sql(text, params, timeout=timeout)
        rows = sorted([shown(value) for value in row] for row in relation.fetchall())
        return relation.columns, list(map(str, relation.types)), rows
    except TqpError as error:
        return type(error), str(error)


def shown(value: object) -> str:
    # Sums of floats depend on the order of rows, which a plan for other constants may choose otherwise.
    return f"{value:.9g}" if isinstance(value, float) else repr(value)


def is_reused(con: tqp.Connection, text: str, params: Any = None) -> bool:
    """Whether the query runs by the plan of another one; its answer is that of a plan of its own."""
    query = con.sql(text, params).bound_query
    assert answer(con, text, params) == answer(anew(con), text, params)
    return query.is_reused


REUSED = [
    ("SELECT quantile_cont(a, 0.25) AS c FROM t", "SELECT quantile_cont(a, 0.75) AS c FROM t"),
    ("SELECT quantile_disc(a, 0.25) AS c FROM t", "SELECT quantile_disc(a, 0.90) AS c FROM t"),
    ("SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY a DESC) AS c FROM t",
     "SELECT percentile_cont(0.10) WITHIN GROUP (ORDER BY a DESC) AS c FROM t"),
    ("SELECT string_agg(s, ',' ORDER BY a) AS c FROM t", "SELECT string_agg(s, ' and ' ORDER BY a) AS c FROM t"),
    ("SELECT len(max(a, 2)) AS c FROM t", "SELECT len(max(a, 3)) AS c FROM t"),
    ("SELECT a FROM t WHERE a > 3", "SELECT a FROM t WHERE a > 700"),
    ("SELECT a FROM t WHERE a > 3", "SELECT a -- with a remark\n FROM t WHERE a > 7"),
    ("SELECT a FROM t WHERE a = 3 OR a = 4", "SELECT a FROM t WHERE a = 7 OR a = 9"),
    ("SELECT a FROM t WHERE a > -3", "SELECT a FROM t WHERE a > -1"),
    ("SELECT a FROM t WHERE a BETWEEN 3 AND 5", "SELECT a FROM t WHERE a BETWEEN 9 AND 2"),
    ("SELECT a FROM t WHERE a IN (3, 4, 5)", "SELECT a FROM t WHERE a IN (9, 8, 11)"),
    ("SELECT a FROM t WHERE s = 'x'", "SELECT a FROM t WHERE s = 'it''s'"),
    ("SELECT a FROM t WHERE s LIKE 'x%'", "SELECT a FROM t WHERE s LIKE '%_b'"),
    ("SELECT a FROM t WHERE small < 3", "SELECT a FROM t WHERE small < 5"),
    ("SELECT a FROM t WHERE m < 0.02", "SELECT a FROM t WHERE m < 0.04"),
    ("SELECT a FROM t WHERE m BETWEEN 0.02 - 0.01 AND 0.02 + 0.01", "SELECT a FROM t WHERE m BETWEEN 0.03 - 0.05 AND 0.03 + 0.05"),
    ("SELECT a FROM t WHERE d < date '1994-01-05'", "SELECT a FROM t WHERE d < date '1994-01-09'"),
    ("SELECT a FROM t WHERE d < '1994-01-05'", "SELECT a FROM t WHERE d < '1994-01-03'"),
    ("SELECT a FROM t WHERE d < '1994-01-05'::DATE", "SELECT a FROM t WHERE d < '1994-01-03'::DATE"),
    (
        "SELECT a FROM t WHERE d < date '1993-01-05' + interval '1' year",
        "SELECT a FROM t WHERE d < date '1992-01-07' + interval '2' year",
    ),
    (
        "SELECT a FROM t WHERE d < date '1994-01-20' - interval 15 day",
        "SELECT a FROM t WHERE d < date '1994-01-20' - interval 12 day",
    ),
    ("SELECT CASE WHEN a > 3 THEN 10 ELSE 20 END AS c FROM t", "SELECT CASE WHEN a > 4 THEN 11 ELSE 21 END AS c FROM t"),
    ("SELECT sum(a * 3) AS c FROM t GROUP BY a > 5", "SELECT sum(a * 4) AS c FROM t GROUP BY a > 6"),
    ("SELECT a + 1 AS c, count(*) FROM t GROUP BY a + 1", "SELECT a + 2 AS c, count(*) FROM t GROUP BY a + 2"),
    ("SELECT count(*) FROM t WHERE a > (SELECT min(a) + 3 AS c FROM t)", "SELECT count(*) FROM t WHERE a > (SELECT min(a) + 5 AS c FROM t)"),
    ("SELECT * FROM (VALUES (1, 'a')) q (x, y)", "SELECT * FROM (VALUES (5, 'b')) q (x, y)"),
    ("SELECT substring(s, 1, 2) AS c FROM t", "SELECT substring(s, 2, 3) AS c FROM t"),
    # Equal or not, where nothing compares them.
    ("SELECT a FROM t WHERE a = 3 OR small = 3", "SELECT a FROM t WHERE a = 3 OR small = 4"),
    ("SELECT a FROM t WHERE a = 3 OR small = 4", "SELECT a FROM t WHERE a = 4 OR small = 4"),
    ("SELECT sum(small + 1), sum(small + 2) FROM t WHERE a <> 1", "SELECT sum(small + 1), sum(small + 2) FROM t WHERE a <> 2"),
    ("SELECT sum(small + 1) AS c, sum(small + 2) AS d FROM t WHERE a <> 1", "SELECT sum(small + 3) AS c, sum(small + 4) AS d FROM t WHERE a <> 5"),
    ("SELECT a % 2 AS c, a % 2 AS g FROM t GROUP BY CUBE (c, g)", "SELECT a % 3 AS c, a % 3 AS g FROM t GROUP BY CUBE (c, g)"),
    ("SELECT s, stddev(a) AS c FROM t WHERE a < 7 GROUP BY s", "SELECT s, stddev(a) AS c FROM t WHERE a < 9 GROUP BY s"),
    ("SELECT var_pop(small) AS c FROM t WHERE small IN (1, 2, 3)", "SELECT var_pop(small) AS c FROM t WHERE small IN (4, 5, 0)"),
    ("SELECT sum(small + 1) AS c, sum(small + 2) AS d FROM t WHERE small > 1", "SELECT sum(small + 1) AS c, sum(small + 2) AS d FROM t WHERE small > 3"),
    ("SELECT a + 3 AS c FROM t WHERE a BETWEEN 3 AND 7", "SELECT a + 9 AS c FROM t WHERE a BETWEEN 4 AND 9"),
]  # fmt: skip

ANEW = [
    ("another type", "SELECT a FROM t WHERE a > 3", "SELECT a FROM t WHERE a > 3000000000"),
    ("another scale", "SELECT a FROM t WHERE m > 0.5", "SELECT a FROM t WHERE m > 0.25"),
    ("a number that was text", "SELECT a FROM t WHERE a > 3", "SELECT a FROM t WHERE a > '3'"),
    ("other words", "SELECT a FROM t WHERE a > 3", "SELECT a FROM t WHERE a >= 3"),
    ("constants that were found equal", "SELECT a FROM t WHERE a = 3 OR a = 3", "SELECT a FROM t WHERE a = 3 OR a = 4"),
    ("constants that become equal", "SELECT a FROM t WHERE a = 3 OR a = 4", "SELECT a FROM t WHERE a = 4 OR a = 4"),
    ("what becomes equal in a longer one", "SELECT a FROM t WHERE (a + 2) * 5 = 35 OR (a + 3) * 5 = 45", "SELECT a FROM t WHERE (a + 3) * 5 = 35 OR (a + 3) * 5 = 45"),
    ("keys that become equal", "SELECT a % 2 AS c, count(*) FROM t GROUP BY GROUPING SETS ((a % 2), (a % 3))", "SELECT a % 2 AS c, count(*) FROM t GROUP BY GROUPING SETS ((a % 2), (a % 2))"),
    ("keys that become equal, of two columns", "SELECT f >= 2.5e0 AS c, f >= '3' AS g FROM t GROUP BY CUBE (c, g)", "SELECT f >= 2.5e0 AS c, f >= '2.5' AS g FROM t GROUP BY CUBE (c, g)"),
    ("keys that are equal in other words", "SELECT f + '1' AS c FROM t GROUP BY CUBE (f + '1', f + '1')", "SELECT f + '1' AS c FROM t GROUP BY CUBE (f + '1', f + '1.0')"),
    ("columns that become equal", "SELECT a FROM t WHERE a IN (SELECT 1 UNION SELECT 2)", "SELECT a FROM t WHERE a IN (SELECT 2 UNION SELECT 2)"),
    ("a limit", "SELECT a FROM t ORDER BY a LIMIT 3", "SELECT a FROM t ORDER BY a LIMIT 4"),
    ("an offset", "SELECT a FROM t ORDER BY a LIMIT 3 OFFSET 1", "SELECT a FROM t ORDER BY a LIMIT 3 OFFSET 2"),
    ("a column's number in ORDER BY", "SELECT a, -a AS b FROM t ORDER BY 1", "SELECT a, -a AS b FROM t ORDER BY 2"),
    ("a column's number in GROUP BY", "SELECT a, f AS g FROM t GROUP BY 1, 2", "SELECT a, f AS g FROM t GROUP BY 2, 1"),
    ("a column's name", "SELECT a + 1 FROM t", "SELECT a + 2 FROM t"),
    ("the name of a subquery's column", "SELECT * FROM (SELECT a + 1 FROM t)", "SELECT * FROM (SELECT a + 2 FROM t)"),
    ("a type's size", "SELECT a::DECIMAL(9,2) AS c FROM t", "SELECT a::DECIMAL(9,3) AS c FROM t"),
    ("an element's place", "SELECT v[1] AS c FROM t", "SELECT v[2] AS c FROM t"),
    ("a written array", "SELECT a FROM t ORDER BY array_distance(v, [1.5, 2.5, 3.5]::FLOAT[3])", "SELECT a FROM t ORDER BY array_distance(v, [9.5, 2.5, 3.5]::FLOAT[3])"),
    ("the width that a constant fits", "SELECT small + 100 AS c FROM t", "SELECT small + 1000 AS c FROM t"),
    ("a comparison that no row passes", "SELECT a FROM t WHERE 1 < 2 AND a > 5", "SELECT a FROM t WHERE 3 < 2 AND a > 5"),
    ("a midnight", "SELECT a FROM t WHERE d < timestamp '1994-01-05'", "SELECT a FROM t WHERE d < timestamp '1994-01-05 12:00:00'"),
    ("a frame", "SELECT sum(a) OVER (ORDER BY a ROWS 1 PRECEDING) AS c FROM t", "SELECT sum(a) OVER (ORDER BY a ROWS 2 PRECEDING) AS c FROM t"),
    ("digits", "SELECT round(m, 1) AS c FROM t", "SELECT round(m, 0) AS c FROM t"),
    ("a place in a window", "SELECT nth_value(a, 2) OVER (ORDER BY a) FROM t", "SELECT nth_value(a, 3) OVER (ORDER BY a) FROM t"),
    ("a regular expression", "SELECT a FROM t WHERE regexp_matches(s, 'x')", "SELECT a FROM t WHERE regexp_matches(s, 'b')"),
    ("the letters of one", "SELECT regexp_replace(s, 'x', 'y', 'g') AS c FROM t", "SELECT regexp_replace(s, 'x', 'y', 'i') AS c FROM t"),
    ("an escape", "SELECT a FROM t WHERE s LIKE 'a!_b' ESCAPE '!'", "SELECT a FROM t WHERE s LIKE 'a!_b' ESCAPE 'a'"),
    ("a date part", "SELECT date_part('year', d) AS c FROM t", "SELECT date_part('day', d) AS c FROM t"),
    ("a constant truth", "SELECT a FROM t WHERE 1::BOOLEAN", "SELECT a FROM t WHERE 0::BOOLEAN"),
    ("a CASE without rows", "SELECT CASE WHEN 2 > 1 THEN a ELSE 3 END AS c FROM t", "SELECT CASE WHEN 1 > 2 THEN a ELSE 3 END AS c FROM t"),
    ("a narrowed comparison", "SELECT a FROM t WHERE small::INTEGER > 3", "SELECT a FROM t WHERE small::INTEGER > 300"),
]  # fmt: skip

WRONG = [
    ("SELECT a FROM t WHERE d < date '1994-01-05'", "SELECT a\nFROM t WHERE d < date '1994-02-30'"),
    ("SELECT a FROM t WHERE d < '1994-01-05'", "SELECT a FROM t WHERE   d < 'x'"),
    ("SELECT a FROM t WHERE d < date '1994-01-05' + interval '1' year", "SELECT a FROM t WHERE d < date '1994-01-05' + interval 'x' year"),
    ("SELECT a FROM t ORDER BY 1", "SELECT a FROM t ORDER BY 2"),
    ("SELECT a FROM t GROUP BY a ORDER BY a LIMIT 1", "SELECT a FROM t GROUP BY a ORDER BY a LIMIT 1.5"),
    ("SELECT a FROM t WHERE s = 'x'", "SELECT a FROM t WHERE s = 'x"),
    ("SELECT a >> 1 AS c FROM t", "SELECT a > > 2 AS c FROM t"),
    ("SELECT a + 1 AS c FROM t GROUP BY a + 1", "SELECT a + 1 AS c FROM t GROUP BY a + 2"),
    ("SELECT (a + 2)::TINYINT AS c FROM t", "SELECT (a + 127)::TINYINT AS c FROM t"),
    ("SELECT a FROM t WHERE regexp_matches(s, 'x')", "SELECT a FROM t WHERE regexp_matches(s, '(x')"),
    ("SELECT round(m, 1) AS c FROM t", "SELECT round(m, 100) AS c FROM t"),
    ("SELECT quantile_cont(a, 0.25) AS c FROM t", "SELECT quantile_cont(a, 1.25) AS c FROM t"),
    ("SELECT max(a, 2) AS c FROM t", "SELECT max(a, 0) AS c FROM t"),
    ("SELECT sum(a) OVER (ORDER BY a ROWS 1 PRECEDING) AS c FROM t", "SELECT sum(a) OVER (ORDER BY a ROWS -1 PRECEDING) AS c FROM t"),
    ("SELECT a::DECIMAL(9,2) AS c FROM t", "SELECT a::DECIMAL(99,2) AS c FROM t"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "then"), REUSED)
def test_a_plan_serves_other_constants(con: tqp.Connection, first: str, then: str) -> None:
    con.sql(first).fetchall()
    assert is_reused(con, then)


@pytest.mark.parametrize(("first", "then"), [pytest.param(*pair, id=what) for what, *pair in ANEW])
def test_a_plan_that_would_become_another_one_does_not_serve(con: tqp.Connection, first: str, then: str) -> None:
    con.sql(first).fetchall()
    assert not is_reused(con, then)


@pytest.mark.parametrize(("first", "then"), WRONG)
def test_errors_are_those_of_the_text(con: tqp.Connection, first: str, then: str) -> None:
    con.sql(first).fetchall()
    assert answer(con, then) == answer(anew(con), then)
    # And what was refused left no trace.
    con.sql(first).fetchall()
    assert answer(con, then) == answer(anew(con), then)


@pytest.mark.parametrize(
    ("text", "first", "then", "reused"),
    [
        ("SELECT a FROM t WHERE a > ?", [3], [7], True),
        ("SELECT a FROM t WHERE a > $1 AND a < $2", [3, 9], [2, 8], True),
        ("SELECT a FROM t WHERE a > $low", {"low": 3}, {"low": 7}, True),
        ("SELECT a FROM t WHERE a > ?", [3], [3_000_000_000], False),
        ("SELECT a FROM t WHERE a > ?", [3], [None], False),
        ("SELECT a FROM t WHERE a > ?", [None], [3], False),
        ("SELECT a FROM t WHERE a > ?", [3], [2.5], False),
        ("SELECT a FROM t WHERE a > ?", [3], ["5"], False),
        ("SELECT a FROM t WHERE (a > 3) = ?", [True], [False], False),
        ("SELECT a FROM t WHERE s = ?", ["x"], ["y"], True),
        ("SELECT a FROM t WHERE d = ?", [datetime.date(1994, 1, 1)], [datetime.date(1994, 1, 3)], True),
        ("SELECT a FROM t WHERE f = ?", [0.5], [math.nan], True),
        ("SELECT a, f * ? AS c FROM t", [0.0], [-0.0], True),
        ("SELECT a FROM t WHERE f > ?", [math.inf], [-1.5], True),
        ("SELECT a FROM t WHERE m > ?", [Decimal("0.01")], [Decimal("0.03")], True),
        ("SELECT a FROM t WHERE m > ?", [Decimal("0.01")], [Decimal("0.003")], False),
        ("SELECT a FROM t ORDER BY a LIMIT ?", [3], [4], False),
        ("SELECT ? AS c FROM t", [3], [4], True),
        ("SELECT ? + 1 FROM t", [3], [4], True),
        ("SELECT a FROM t ORDER BY array_distance(v, ?), a LIMIT 2", [[1.0, 2.0, 3.0]], [[9.0, 9.5, 0.0]], True),
        ("SELECT a FROM t ORDER BY array_distance(v, ?), a LIMIT 2", [[1.0, 2.0, 3.0]], [[9, 9, 0]], False),
        ("SELECT a FROM t ORDER BY array_distance(v, ?), a LIMIT 2", [np.zeros(3, "f4")], [np.ones(3, "f4")], True),
        ("SELECT a FROM t WHERE a + ? > 5 AND a + ? > 6", [1, 1], [1, 2], False),
        ("SELECT a FROM t WHERE a + ? > 5 AND a + ? > 6", [1, 1], [2, 2], True),
        ("SELECT a FROM t WHERE a + ? > 5 AND a + ? > 6", [1, 2], [3, 3], False),
        ("SELECT a FROM t WHERE a + ? > 5 AND a + ? > 6", [1, 2], [3, 4], True),
        ("SELECT a + $1 AS c, count(*) FROM t GROUP BY a + $2", [1, 1], [2, 2], True),
    ],
)  # fmt: skip
def test_parameters(con: tqp.Connection, text: str, first: Any, then: Any, reused: bool) -> None:
    con.sql(text, first).fetchall()
    assert is_reused(con, text, then) == reused


def test_parameters_that_were_equal_and_no_longer_are(con: tqp.Connection) -> None:
    text = "SELECT a + $1 AS c, count(*) FROM t GROUP BY a + $2"
    con.sql(text, [1, 1]).fetchall()
    error = answer(con, text, [1, 2])
    assert error == answer(anew(con), text, [1, 2]) and error[0] is BindError  # type: ignore[index]


def test_what_a_lambda_asks_of_the_row_is_that_of_the_run(con: tqp.Connection) -> None:
    """Where it fails for a row, it is computed for the elements: by a second program, of the same inputs."""
    text = "SELECT list_transform([a], lambda x: CASE WHEN x > 5 THEN (a - $1)::UTINYINT + $2 ELSE 0 END) FROM t"
    for given in ([3, 3], [1, 1], [3, 4], [8, 8]):
        assert answer(con, text, given) == answer(anew(con), text, given)


def test_facts_of_stored_columns_are_asked_again(con: tqp.Connection) -> None:
    con.register_model("double", lambda x: 2.0 * x, inputs={"x": float})
    text = "SELECT a, PREDICT(double, a) AS p FROM t WHERE a > 3 AND a < 700"
    con.sql(text).fetchall()
    assert answer(con, text.replace("3", "8")) == (["a", "p"], ["BIGINT", "DOUBLE"], [["10", "20"], ["9", "18"]])


def test_a_plan_serves_after_it_has_run_and_not_before(con: tqp.Connection) -> None:
    lazy = con.sql("SELECT a FROM t WHERE a > 3")
    assert not con.sql("SELECT a FROM t WHERE a > 8").bound_query.is_reused
    assert len(lazy.fetchall()) == 7
    assert con.sql("SELECT a FROM t WHERE a > 9").fetchall() == [(10,)]
    assert con.sql("SELECT a FROM t WHERE a > 9").bound_query.is_reused


def test_explain_says_so_and_shows_the_constants_that_run(con: tqp.Connection) -> None:
    first = con.sql("SELECT a FROM t WHERE a > 3")
    first.fetchall()
    then = con.sql("SELECT a FROM t WHERE a > 4")
    said = "plan: that of the same query with other constants"
    assert said not in first.explain() and said in then.explain() and said in then.explain(True)
    assert "a > 4" in then.explain() and "a > 3" in first.explain()
    assert "gt(a, 4)" in then.explain("program")
    assert then.verify()


def test_a_view_and_a_relation_are_what_they_were_made_of(con: tqp.Connection) -> None:
    def over(limit: int) -> tqp.Relation:
        return con.sql(f"SELECT a FROM t WHERE a > {limit}")

    for limit in (3, 8, 5):
        relation = over(limit)
        assert relation.sql("SELECT min(a) AS c FROM self WHERE a <> 0").fetchall() == [(limit + 1,)]
        con.register("view", over(limit))
        assert con.sql("SELECT min(a) AS c FROM view WHERE a <> 99").fetchall() == [(limit + 1,)]
        assert con.sql(f"SELECT min(a) AS c FROM view WHERE a <> {limit + 1}").fetchall() == [(limit + 2,)]


def test_another_table_of_the_name_is_planned_for(con: tqp.Connection) -> None:
    con.sql("SELECT a FROM t WHERE a > 3").fetchall()
    con.register("t", {"a": np.array([1000, 2000])})
    assert con.sql("SELECT a FROM t WHERE a > 1500").fetchall() == [(2000,)]
    assert con._plans.reused == 0


def test_plans_for_few_variants_are_kept(con: tqp.Connection) -> None:
    for limit in [*range(1, 9), 8, 7, 6, 5]:
        text = f"SELECT a FROM t WHERE a > {limit} ORDER BY a LIMIT {limit}"
        assert len(con.sql(text).fetchall()) == min(10 - limit, limit)
    (plans,) = con._plans._shapes.values()
    assert len(plans) == 4
    kept = [key for kind, key, *_ in con.cache().fetchall() if kind == "plan"]
    assert len(kept) == len(set(kept)) == 8
    con.clear_cache()
    assert not con._plans._shapes and not con._plans.queries()


def test_a_program_is_shared_but_for_its_constants(con: tqp.Connection) -> None:
    text = (
        "SELECT count(*) FROM t JOIN (SELECT s, max(a) AS a FROM t GROUP BY s) u USING (a) WHERE f > 0.1 AND t.s = 'x'"
    )
    first, then = con.sql(text), con.sql(text)
    first.fetchall()
    then = con.sql(text.replace("'x'", "'y'"))
    assert then.fetchall() != first.fetchall() and then.bound_query.is_reused
    ours, theirs = first.bound_query._planned._program, then.bound_query._planned._program
    assert ours is not None and theirs is not None and len(ours.pipelines) == len(theirs.pipelines) > 1
    assert all(one is other for one, other in zip(ours.pipelines, theirs.pipelines, strict=True))
    assert ours.steps.constants != theirs.steps.constants
    assert str(Literal("y", VARCHAR)) in str(theirs.steps.constants)
    assert then.explain("steps") == anew(con).sql(text.replace("'x'", "'y'")).explain("steps")


@pytest.mark.host_only("compiles for the CPU")
def test_compiled_functions_serve_other_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    compiler = torch.compile
    monkeypatch.setattr(torch, "compile", lambda *args, **options: compiled.append(args) or compiler(*args, **options))
    with tqp.connect(threads=1, backend="compile") as con:
        con.register("big", {"a": np.arange(2**18, dtype=np.int16) % 100})
        for limit in (5, 90, 5, 7):
            expected = sum(a for a in range(100) if a > limit) * (2**18 // 100)
            (found,) = con.sql(f"SELECT sum(a) FROM big WHERE a > {limit} AND a < 10000").fetchall()
            assert abs(int(found[0]) - expected) < 100 * 100
        assert con._plans.reused == 2 and len(compiled) == 1


def test_it_can_be_turned_off(con: tqp.Connection) -> None:
    other = anew(con)
    for limit in (3, 4):
        other.sql(f"SELECT a FROM t WHERE a > {limit}").fetchall()
    assert other._plans.reused == 0
    with pytest.raises(BindError):
        tqp.connect(disabled_rules=["reuse_plan"])


def test_many_threads(con: tqp.Connection) -> None:
    def run(limit: int) -> bool:
        return con.sql(f"SELECT a FROM t WHERE a > {limit % 10} AND s <> '#{limit}'").fetchall() == [
            (a,) for a in range(limit % 10 + 1, 11) if a != 9
        ]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(run, range(300)))
    assert con._plans.reused > 200


@pytest.mark.parametrize("backend", ["eager", "compile"])
def test_every_query_of_tpch_serves_other_parameters(backend: str) -> None:
    con, plain = tqp.connect(threads=1, backend=backend), tqp.connect(threads=1, disabled_rules=[REUSE])
    for name, path in data.files(0.01).items():
        con.register(name, path)
        plain.register(name, path)
    for number in parameters.QUERIES:
        before = con._plans.reused
        for seed in range(4 if backend == "eager" else 2):
            text = parameters.query(number, sf=0.01, seed=seed)
            assert answer(con, text) == answer(plain, text), (number, seed)
        # Sizes and quantities of Q16 and Q19 may be equal to each other.
        assert con._plans.reused > before or number in (16, 19)


@pytest.mark.parametrize(
    ("seed", "count"), [(22, 60), pytest.param(23, 240, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_the_case_files_with_other_constants(seed: int, count: int) -> None:
    rng = random.Random(seed)
    con, plain = tqp.connect(threads=1), tqp.connect(threads=1, disabled_rules=[REUSE])
    for name, table in TABLES.items():
        con.register(name, table)
        plain.register(name, table)
    # A sample without a seed is another one each time.
    repeatable = [statement for statement in statements() if not re.search(r"\bUSING SAMPLE|\bTABLESAMPLE", statement)]
    for statement in rng.sample(repeatable, count):
        text = statement.rstrip().rstrip(";")
        text = with_aliases(text) if rng.random() < 0.7 else text
        others = [with_other_constants(text, rng, faithful=rng.random() < 0.8) for _ in range(3)]
        for variant in (text, *others, with_constants_mixed(others[-1], rng), with_constants_mixed(text, rng)):
            expected = answer(plain, variant, timeout=5)
            if expected == (QueryTimeoutError, expected[1]):  # type: ignore[index]
                continue
            assert answer(con, variant, timeout=50) == expected, variant
    assert con._plans.reused > count / 7


def test_a_parameter_that_equals_a_literal_need_not_do_so_again(con: tqp.Connection) -> None:
    query = "SELECT min($p), count(DISTINCT 'x') FROM t HAVING count(DISTINCT 'x') > 0"
    for given in ("a", "x", "b", "x"):
        assert con.sql(query, {"p": given}).fetchall() == [(given, 1)]


def test_equal_calls_of_inputs_that_differ(con: tqp.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of no rows the aggregate asks for its argument by itself, which the program knows by the first of the two."""
    # Who compares layouts asks for it before.
    monkeypatch.setattr(executor, "EVERYWHERE", [])
    days = "median(DATE '2020-02-29' + {}), median('A')"
    query = f"SELECT {days.format('$p')} FROM t UNION ALL SELECT {days.format('$q')} FROM t WHERE $r AND 5 NOT IN (1, 2, NULL)"
    for p, q in ((1, 1), (2, 2), (1, 2)):
        found = con.sql(query, {"p": p, "q": q, "r": True}).fetchall()
        assert found == [(datetime.datetime(2020, 3, p), "A"), (None, None)]


def test_a_great_many_inputs_beside_each_other_are_not_compared(con: tqp.Connection) -> None:
    """Each with each, to serve others, would take longer than another plan."""
    reused = con._plans.reused
    for more in (0, 5):
        rows = ", ".join(f"([{one + more}])" for one in range(250))
        assert con.sql(f"SELECT sum(b[1]) FROM (VALUES {rows}) t(b)").fetchall() == [(sum(range(250)) + 250 * more,)]
    assert con._plans.reused == reused
