"""The window sink: many batches, shared sorts, its lines in explain()."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator

import pyarrow as pa
import pytest

import tqp
from tests.engines import Engines
from tests.limits import limit

ROWS = 200_000


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    rng = random.Random(1)
    table = pa.table({
        "id": pa.array(rng.sample(range(ROWS), ROWS), pa.int32()),
        "g": pa.array([rng.choice((None, *range(50))) for _ in range(ROWS)], pa.int64()),
        "x": pa.array([rng.choice((None, 2**61, -(2**61), *range(9))) for _ in range(ROWS)], pa.int64()),
        "s": pa.array([rng.choice((None, "a", "ä", "zebra")) for _ in range(ROWS)], pa.string()),
    })  # fmt: skip
    made = Engines(threads=4)
    made.register("t", table)
    yield made
    made.close()


@pytest.mark.parametrize(
    "call",
    [
        "row_number() OVER (PARTITION BY g ORDER BY id)",
        "sum(x) OVER (PARTITION BY g ORDER BY id)",
        "max(s) OVER (PARTITION BY g ORDER BY id ROWS 100 PRECEDING)",
        "lag(s, 3 IGNORE NULLS) OVER (PARTITION BY s, g ORDER BY id)",
        "count(*) OVER (ORDER BY id RANGE BETWEEN 70000 PRECEDING AND 3 FOLLOWING EXCLUDE GROUP)",
        "min(x) OVER (PARTITION BY s)",
        "rank() OVER (ORDER BY x DESC, s)",
    ],
)
def test_many_batches(engines: Engines, call: str) -> None:
    engines(f"SELECT id, {call} AS c FROM t WHERE id % 3 > 0")


@pytest.mark.parametrize(
    ("calls", "sorts"),
    [
        ("row_number() OVER (ORDER BY id), sum(id) OVER (ORDER BY id), rank() OVER (ORDER BY id, x)", 1),
        ("rank() OVER (PARTITION BY g ORDER BY x), lag(x) OVER (PARTITION BY g ORDER BY x, id), count(*) OVER (PARTITION BY g)", 1),
        ("rank() OVER (PARTITION BY g ORDER BY x), rank() OVER (PARTITION BY s ORDER BY x)", 2),
        ("rank() OVER (ORDER BY x), rank() OVER (ORDER BY x DESC)", 2),
        ("sum(x) OVER (PARTITION BY g), min(s) OVER ()", 0),
    ],
)  # fmt: skip
def test_sorts_are_shared(engines: Engines, calls: str, sorts: int) -> None:
    text = engines.tqp.sql(f"SELECT id, {calls} FROM t").explain(True)
    assert f"{sorts} sort{'' if sorts == 1 else 's'}" in text
    engines(f"SELECT id, {calls.replace('lag(x)', 'lag(id)')} FROM t WHERE id < 1000")


@pytest.mark.host_only("an accelerator has one worker")
@pytest.mark.parametrize(
    ("calls", "pieces"),
    [
        ("row_number() OVER (PARTITION BY g ORDER BY id), count(*) OVER (PARTITION BY g)", 4),
        ("rank() OVER (PARTITION BY s IS NULL ORDER BY id)", 2),
        ("rank() OVER (ORDER BY id)", 1),
        ("sum(id) OVER (PARTITION BY g)", 1),
    ],
)
def test_partitions_are_shared_out(engines: Engines, calls: str, pieces: int, monkeypatch: pytest.MonkeyPatch) -> None:
    query = f"SELECT id, {calls} FROM t"
    limit(monkeypatch, window_rows=2**10)
    engines(query)
    text = engines.tqp.sql(query).explain(True)
    assert (f"in {pieces} pieces" in text) == (pieces > 1) and ("pieces" in text) == (pieces > 1)
    with tqp.connect(threads=1) as alone:
        alone.register("t", engines.tqp.sql("FROM t").arrow())
        assert "pieces" not in alone.sql(query).explain(True)


@pytest.mark.parametrize(
    ("call", "kept", "most"),
    [
        ("row_number() OVER (PARTITION BY g ORDER BY x DESC NULLS LAST, id)", "r <= 3", 3),
        ("row_number() OVER (PARTITION BY g ORDER BY x, s DESC, id)", "r = 1", 1),
        ("row_number() OVER (PARTITION BY g, s ORDER BY id DESC)", "r < 3 AND id > 1000 AND r < 40", 2),
        ("rank() OVER (PARTITION BY g ORDER BY id // 100 DESC)", "r BETWEEN 2 AND 5", 5),
        ("rank() OVER (ORDER BY id)", "10 >= r", 10),
        ("rank() OVER (PARTITION BY g)", "r <= 3", None),
        ("row_number() OVER ()", "r <= 3", None),
        ("row_number() OVER (PARTITION BY id // 3 ORDER BY id)", "r <= 1", 1),
        ("row_number() OVER (PARTITION BY g ORDER BY id)", "r <= 0", 1),
        ("row_number() OVER (PARTITION BY g ORDER BY id)", "r >= 3990", None),
        ("row_number() OVER (PARTITION BY g ORDER BY id)", "r <= 3 OR id < 5", None),
        ("row_number() OVER (PARTITION BY g ORDER BY id)", "r <= 1000", None),
        ("dense_rank() OVER (PARTITION BY g ORDER BY s)", "r <= 1", None),
        (
            "count(*) OVER (PARTITION BY g ORDER BY id) AS n, row_number() OVER (PARTITION BY g ORDER BY id)",
            "r <= 1",
            None,
        ),
    ],
)
def test_the_first_rows_of_partitions(engines: Engines, call: str, kept: str, most: int | None) -> None:
    """A window of which few rows are read leaves the others out: in each batch, and of all together."""
    query = f"SELECT * FROM (SELECT id, x, {call} AS r FROM t WHERE id % 5 > 0) WHERE {kept}"
    answer = engines(query)
    plan = engines.tqp.sql(query).explain()
    assert ("first" in plan) == (most is not None)
    if most is not None:
        assert f"first {most} of each partition" in plan and "first_rows" in plan
    with tqp.connect(threads=2, disabled_rules=("first_rows",)) as without:
        without.register("t", engines.tqp.sql("FROM t").arrow())
        assert "first" not in without.sql(query).explain()
        assert sorted(without.sql(query).fetchall(), key=str) == sorted(
            map(tuple, map(dict.values, answer.to_pylist())), key=str
        )


@pytest.mark.parametrize("order", ["", "ORDER BY g, s", "ORDER BY s, id", "ORDER BY x, g, id DESC"])
def test_distinct_on_many_batches(monkeypatch: pytest.MonkeyPatch, engines: Engines, order: str) -> None:
    """Each batch keeps its first row of each combination, in the order of the rows where no other one says more."""
    limit(monkeypatch, smallest_batch=1000, batch_rows=2**14)
    query = f"SELECT DISTINCT ON (g, s) * FROM t {order}"
    assert "first 1 of each partition" in engines.tqp.sql(query).explain()
    engines(query)


NUMBERED = "(SELECT *, row_number() OVER () AS r, row_number() OVER () + 1 AS next FROM t)"


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT r, next, id FROM {NUMBERED} ORDER BY r",
        f"SELECT id, r FROM {NUMBERED} WHERE id BETWEEN 100 AND 120 OR id % 1000 = 3",
        f"SELECT id, r FROM {NUMBERED} WHERE r > 150000 AND r % 3 = 1",
        f"SELECT id, r FROM {NUMBERED} ORDER BY id DESC LIMIT 20",
        f"SELECT count(*), sum(r) FROM {NUMBERED}",
        f"SELECT g, min(r), max(r) FROM {NUMBERED} GROUP BY g",
        f"SELECT a.id, b.r FROM {NUMBERED} a JOIN {NUMBERED} b ON a.r = b.next WHERE a.id < 50",
        "SELECT id, row_number() OVER () AS r, sum(id) OVER (PARTITION BY g) FROM t",
        "SELECT id, row_number() OVER () AS r FROM (SELECT id FROM t WHERE id % 7 = 2)",
        "SELECT *, row_number() OVER () FROM (SELECT g, row_number() OVER () AS r FROM t WHERE s = 'a') WHERE r % 2 = 1",
        "SELECT r FROM (SELECT row_number() OVER () AS r FROM (SELECT id FROM t LIMIT 5) UNION ALL SELECT -1)",
        "SELECT row_number() OVER () FROM t WHERE id < 0",
    ],
)
def test_numbers_of_rows(monkeypatch: pytest.MonkeyPatch, engines: Engines, query: str) -> None:
    """Rows as they come are numbered by their source, in many batches, whatever blocks of them are left out."""
    limit(monkeypatch, smallest_batch=1000, batch_rows=2**14)
    with tqp.connect(threads=2) as con:
        con.register("t", engines.tqp.sql("FROM t").arrow())
        relation = con.sql(query)
        assert ", numbered as " in relation.explain(True)
        assert sorted(relation.fetchall(), key=str) == sorted(engines.duckdb.sql(query).fetchall(), key=str)


def test_first_rows_spare_what_comes_after(engines: Engines) -> None:
    """Few rows of each batch are gathered, and half of them where partitions are small."""
    few = "SELECT id FROM t QUALIFY row_number() OVER (PARTITION BY g ORDER BY id) <= 3"
    text = engines.tqp.sql(few).explain(True)
    assert int(text.split("1 sort of ")[1].split(" ")[0].replace(",", "")) <= 3 * 51
    pairs = "SELECT id FROM t QUALIFY row_number() OVER (PARTITION BY id // 10 ORDER BY id) = 1"
    text = engines.tqp.sql(pairs).explain(True)
    assert int(text.split("1 sort of ")[1].split(" ")[0].replace(",", "")) == ROWS // 10


def test_a_window_that_reads_another_comes_after_it(engines: Engines) -> None:
    engines(
        "SELECT id, sum(r) OVER (PARTITION BY r ORDER BY id) AS c, r FROM"
        " (SELECT id, row_number() OVER (PARTITION BY g ORDER BY id) AS r FROM t WHERE id < 5000) q"
    )


def test_the_program_lists_kernels() -> None:
    with tqp.connect(threads=1) as con:
        con.register("t", pa.table({"k": [1, 2, 1], "v": [1.5, 2.5, None]}))
        relation = con.sql(
            "SELECT row_number() OVER w, sum(v) OVER w, sum(k) OVER (ORDER BY v ROWS 1 PRECEDING), "
            "lag(v) OVER w FROM t WINDOW w AS (PARTITION BY k ORDER BY v)"
        )
        text = relation.explain("program")
    ast.parse(text)
    for kernel in (
        "argsort(",
        "window.runs(",
        "window.row_number(",
        "window.frame_float_sum(",
        "window.frame_sum(",
        "moved(",
    ):
        assert kernel in text
    # Nothing comes in but the columns.
    function = next(node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    assert {argument.arg for argument in function.args.args} == {"k", "v", "v_valid"}


def test_errors_of_values() -> None:
    with tqp.connect(threads=1) as con:
        con.register("t", pa.table({"k": [1, 2, None]}))
        for call, message in (
            ("ntile(k - 1) OVER ()", "ntile"),
            ("sum(k) OVER (ORDER BY k ROWS k PRECEDING)", "offset"),
            ("sum(k) OVER (ORDER BY k RANGE BETWEEN k - 2 PRECEDING AND CURRENT ROW)", "RANGE PRECEDING is negative"),
        ):
            with pytest.raises(tqp.errors.ExecutionError, match=message):
                con.sql(f"SELECT {call} FROM t").fetchall()
