"""Table functions beside rows: in pieces of any size, by any number of workers, the answers are DuckDB's."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pyarrow as pa
import pytest
import torch

import tqp
from tests.limits import limit
from tqp.data.column import Column
from tqp.errors import ExecutionError
from tqp.operators.batch import Batch, Later
from tqp.operators.generate import GenerateStage
from tqp.types import BIGINT

ROWS = 90
LISTS = [None if i % 11 == 5 else [None if (i + j) % 13 == 0 else i * j for j in range(i % 5)] for i in range(ROWS)]
TABLE = pa.table(
    {
        "i": pa.array(range(ROWS), pa.int64()),
        "n": pa.array([None if i % 7 == 3 else i % 5 - 1 for i in range(ROWS)], pa.int32()),
        "m": pa.array([i % 4 for i in range(ROWS)], pa.int16()),
        "far": pa.array([(1 if i % 2 else -1) * (2**62 + i) for i in range(ROWS)], pa.int64()),
        "l": pa.array(LISTS, pa.list_(pa.int64())),
        "t": pa.array([None if one is None else [f"t{x}" for x in one] for one in LISTS], pa.list_(pa.string())),
    }
)
QUERIES = (
    "SELECT i, r FROM t, range(n) AS x(r)",
    "SELECT (SELECT min(5) FROM range(4, 2, 2) AS a(x) LEFT JOIN range(x % 5) AS b(r) ON true WHERE NULL IS DISTINCT FROM 1) FROM t",
    "SELECT sum(r), count(*) FROM t, range(n) AS x(r)",
    "SELECT i, r FROM t, range(n, m) AS x(r)",
    "SELECT i, r FROM t, range(m, n) AS x(r)",
    "SELECT i, r FROM t, generate_series(n, m) AS x(r)",
    "SELECT i, r FROM t, generate_series(1, n) AS x(r)",
    "SELECT i, r FROM t, range(n, 9, 3) AS x(r)",
    "SELECT i, r FROM t, generate_series(m, 9, 2) AS x(r)",
    "SELECT i, r FROM t, range(m, n, -1) AS x(r)",
    "SELECT i, r FROM t, generate_series(6, n, -3) AS x(r)",
    "SELECT i, r FROM t, range(m, 9, n) AS x(r) WHERE n <> 0",
    "SELECT i, r FROM t, range(far, far + n) AS x(r)",
    "SELECT i, r FROM t, range(far, 4611686018427387980) AS x(r) WHERE far > 0",
    "SELECT i, r FROM t, range(-far, far, 4611686018427387904) AS x(r)",
    "SELECT i, r FROM t, range(NULL, n) AS x(r)",
    "SELECT i, r FROM t, range(3) AS x(r) WHERE i < 9",
    "SELECT i, r, o FROM t, range(n, m + 2) WITH ORDINALITY AS x(r, o)",
    "SELECT i, r FROM t LEFT JOIN range(n) AS x(r) ON true",
    "SELECT i, r, o FROM t LEFT JOIN range(1, n) WITH ORDINALITY AS x(r, o) ON true",
    "SELECT i, a, b FROM t, range(n) AS x(a), range(a, m) AS y(b)",
    "SELECT i, e FROM t, unnest(l) AS u(e)",
    "SELECT e FROM t, unnest(l) AS u(e) WHERE e % 2 = 0",
    "SELECT i, e FROM t, unnest(l) AS u(e) WHERE i % 3 > 0",
    "SELECT i, e FROM (SELECT * FROM t WHERE i % 3 > 0), unnest(l) AS u(e)",
    "SELECT i, e FROM (SELECT * FROM t ORDER BY i DESC LIMIT 50), unnest(l) AS u(e)",
    "SELECT i, e FROM (SELECT a.i, b.l FROM t AS a JOIN t AS b ON a.m = b.i), unnest(l) AS u(e)",
    "SELECT i, e FROM t, unnest(t) AS u(e)",
    "SELECT i, e, o FROM t, unnest(l) WITH ORDINALITY AS u(e, o)",
    "SELECT i, e FROM t LEFT JOIN unnest(l) AS u(e) ON true",
    "SELECT i, e FROM t LEFT JOIN unnest(t) AS u(e) ON e > 't5'",
    "SELECT i, unnest(l) AS a, unnest(t) AS b, unnest([m, n]) AS c FROM t",
    "SELECT i, unnest([n, m, i]) AS e FROM t",
    "SELECT e, count(*) FROM (SELECT unnest([n, m]) AS e FROM t WHERE i > 4) GROUP BY e",
    "SELECT m, sum(e) FROM (SELECT m, list(n) AS k FROM t GROUP BY m), unnest(k) AS u(e) GROUP BY m",
    "SELECT m, e FROM (SELECT m, list(n) AS k FROM t GROUP BY m ORDER BY m DESC), unnest(k[2:4]) AS u(e)",
    "SELECT i, e.a FROM (SELECT i, [{'a': n, 'b': i}, NULL] AS s FROM t), unnest(s) AS u(e)",
    "SELECT i, e FROM t, unnest(NULL::BIGINT[]) AS u(e)",
    "SELECT i, e FROM t, unnest([1, 2]) AS u(e) WHERE i > 80",
    "SELECT i, list_sum(range(n, m + 3)) AS s, generate_series(m, n, -2) AS d FROM t",
)


@pytest.fixture(params=[(1, 1), (1, 3), (2, 7), (2, 2**17), (1, None)])
def engines(request: pytest.FixtureRequest) -> Iterator[tuple[tqp.Connection, duckdb.DuckDBPyConnection]]:
    threads, size = request.param
    with pytest.MonkeyPatch.context() as patch, tqp.connect(threads=threads) as con, duckdb.connect() as oracle:
        limit(patch, generated_rows=size, batch_rows=40, smallest_batch=20)
        con.register("t", TABLE)
        oracle.register("t", TABLE)
        yield con, oracle


def test_as_duckdb(engines: tuple[tqp.Connection, duckdb.DuckDBPyConnection]) -> None:
    con, oracle = engines
    for query in QUERIES:
        found, wanted = con.sql(query).fetchall(), oracle.execute(query).fetchall()
        assert sorted(map(str, found)) == sorted(map(str, wanted)), query


def test_rows_of_a_row_keep_their_order(engines: tuple[tqp.Connection, duckdb.DuckDBPyConnection]) -> None:
    con, _ = engines
    found = con.sql("SELECT i, r FROM t, range(m) AS x(r)").fetchall()
    assert found == [(i, r) for i in range(ROWS) for r in range(i % 4)]
    assert con.sql("SELECT i, r FROM t, range(m) AS x(r) LIMIT 4").fetchall() == [(1, 0), (2, 0), (2, 1), (3, 0)]


@pytest.mark.host_only("an accelerator takes all at once")
def test_no_piece_is_larger_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, generated_rows=7)
    sizes: list[int] = []
    one = GenerateStage._given
    monkeypatch.setattr(GenerateStage, "_given", lambda *args: sizes.append(args[-1].count) or one(*args))
    with tqp.connect(threads=1) as con:
        con.register("t", TABLE)
        (total,) = con.sql("SELECT count(*) FROM t, range(m) AS x(r)").fetchall()[0]
    assert sum(sizes) == total and set(sizes[:-1]) == {7} and 0 < sizes[-1] <= 7


@pytest.mark.host_only("an accelerator takes all at once")
@pytest.mark.parametrize(
    ("query", "batches"),
    [
        ("SELECT m, sum(e) FROM (SELECT m, list(i) AS k FROM t GROUP BY m), unnest(k) AS u(e) GROUP BY m", 4),
        ("SELECT m, sum(e) FROM (SELECT m, sum(i) AS k FROM t GROUP BY m), range(m) AS u(e) GROUP BY m", 1),
    ],
)
def test_few_rows_with_long_lists_are_several_batches(
    query: str, batches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, smallest_batch=20)
    with tqp.connect(threads=2) as con:
        con.register("t", TABLE)
        con.execute("SET batch_rows = 25")
        assert f", {batches} batch" in con.sql(query).explain(True).split("\npipeline 1: ")[1].split("\n")[0]


@pytest.mark.host_only("an accelerator takes all at once")
def test_lists_of_values_are_made_in_small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, listed_batch=10, smallest_batch=20)
    with tqp.connect(threads=2) as con:
        con.register("t", TABLE)
        for query, batches in (("SELECT list_sort([i, m]) FROM t", 9), ("SELECT list_sort(l) FROM t", 4)):
            assert f", {batches} batches, " in con.sql(query).explain(True)
        assert len(con.sql("SELECT [i, m], [n] FROM t").fetchall()) == ROWS


def test_rows_that_nobody_reads_are_not_computed() -> None:
    device = torch.device("cpu")
    asked: list[int] = []

    def rows() -> torch.Tensor:
        asked.append(1)
        return torch.tensor([0, 0, 2], dtype=torch.int32, device=device)

    column = Column(torch.tensor([5, 6, 7], device=device), BIGINT)
    repeated = Batch.of({"a": column}, 3).repeat(Later(3, rows))
    assert repeated.rows == 3 and not asked
    chosen = repeated.choose(torch.tensor([2, 1], device=device))
    assert not asked
    assert chosen.column("a").data.tolist() == [7, 5] and repeated.column("a").data.tolist() == [5, 5, 7]
    assert asked == [1]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM (VALUES (1), (2), (3), (4)) t(a), range(4611686018427387904 + a - a) LIMIT 5",
        "SELECT count(*) FROM (VALUES (1), (2), (3), (4)) t(a) LEFT JOIN LATERAL (SELECT unnest(range(4611686018427387904 + a - a))) ON true",
        "SELECT range(4611686018427387904 + a - a)[3] FROM (VALUES (1), (2), (3), (4)) t(a)",
        "SELECT range(4611686018427387904 + a - a)[3] FROM (VALUES (1)) t(a)",
        "SELECT list_resize([a], 4611686018427387904 + a - a)[3] FROM (VALUES (1), (2), (3), (4)) t(a)",
        "SELECT len(repeat([a, a, a, a], 4611686018427387904 + a - a)) FROM (VALUES (1), (2)) t(a)",
    ],
)
@pytest.mark.parametrize("batch_rows", [1, 3, 100])
def test_more_rows_than_64_bits_count_are_refused(query: str, batch_rows: int) -> None:
    """Four rows with 2**62 each are none modulo 2**64."""
    with tqp.connect(threads=2) as con:
        con.execute(f"SET batch_rows = {batch_rows}")
        with pytest.raises(ExecutionError, match="rows or elements|more than"):
            con.sql(query).fetchall()


def test_rows_that_nobody_reads_are_counted_alone() -> None:
    """A series of 24 GB of numbers, of which no column is asked for."""
    with tqp.connect(threads=1, memory_limit="1GB") as con:
        assert con.sql("SELECT count(*) FROM generate_series(1, 3000000000)").fetchall() == [(3_000_000_000,)]
