"""Scans that read few rows by value indexes: when these are made and used, for what, and what they cost."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tqp
from tests.limits import limit
from tqp.kernels.loops.loop import mode
from tqp.runtime import rowloops

ROWS = 20_000
USED = "index on"


def facts(seed: int = 1) -> pa.Table:
    rng = np.random.default_rng(seed)
    days = rng.integers(0, 900, ROWS)
    key = rng.integers(0, 1000, ROWS)
    return pa.table({
        "id": rng.permutation(ROWS) * 2,
        "k": key,
        "maybe": pa.array(key, mask=rng.random(ROWS) < 0.1),
        "day": pa.array(days.astype("int32"), pa.date32()),
        "word": pa.array([f"w{number:03}" for number in key]),
        "x": rng.random(ROWS) * 1e6,
        "price": pa.array([Decimal(int(number)) / 4 for number in rng.integers(0, 400, ROWS)], pa.decimal128(9, 2)),
    })  # fmt: skip


def few() -> pa.Table:
    return pa.table({"k": [17, 40, 500, 998, 2000, None], "name": ["a", "b", "a", "c", "d", "e"]})


@pytest.fixture
def con(monkeypatch: pytest.MonkeyPatch) -> Iterator[tqp.Connection]:
    limit(monkeypatch, indexed_rows=1000, ranged_rows=1000, reduced_rows=1000)
    with tqp.connect(threads=1) as connection:
        connection.register("facts", facts())
        connection.register("few", few())
        yield connection


def indexes(con: tqp.Connection) -> set[str]:
    return {key for kind, key, *_ in con.cache().fetchall() if kind == "index"}


def chosen(con: tqp.Connection, query: str, params: list[object] | None = None) -> list[str]:
    """What EXPLAIN says, after a run, of the rows that scans read."""
    lines = (line.strip() for line in con.sql(query, params).explain(True).splitlines())
    return [line for line in lines if line.startswith((USED, "all rows:"))]


QUERIES = [
    "SELECT id, x FROM facts WHERE k = 17",
    "SELECT id, x FROM facts WHERE k IN (17, 900, 5000)",
    "SELECT sum(x), avg(x), stddev(id), count(*) FROM facts WHERE day >= '1971-01-01' AND day < '1971-01-15'",
    "SELECT id FROM facts WHERE maybe BETWEEN 10 AND 20 AND id % 3 = 0",
    "SELECT id, word FROM facts WHERE word LIKE 'w01%'",
    "SELECT count(*), sum(x) FROM facts JOIN few USING (k)",
    "SELECT id, x FROM facts JOIN (SELECT k, id % 7 AS r FROM facts WHERE id < 50) o ON facts.k = o.k AND facts.id % 7 = o.r",
    "SELECT id FROM facts f WHERE (k, day) IN (SELECT k, day FROM facts WHERE id < 90)",
    "SELECT id FROM facts f WHERE (maybe, id) IN (SELECT k, id FROM facts WHERE id < 90)",
    "SELECT f.id FROM facts f JOIN facts g ON f.k = g.k AND f.word = g.word AND f.x > g.x WHERE g.id < 50",
    "SELECT name, id, x FROM facts f JOIN few ON f.maybe = few.k AND f.id > 50",
    "SELECT id, x FROM facts WHERE k IN (SELECT k FROM few)",
    "SELECT id, x FROM facts f WHERE EXISTS (FROM few WHERE few.k = f.k AND few.k < f.id)",
    "SELECT g.id, h.x FROM facts g JOIN few ON g.k = few.k JOIN facts h ON h.id = g.id",
    "SELECT few.k, count(f.id) FROM few LEFT JOIN facts f ON few.k = f.k GROUP BY ALL",
    "SELECT id FROM facts WHERE k = 17 LIMIT 3",
    "SELECT k FROM facts WHERE id IN (4, 400, NULL, 1000000000) AND id < 1000",
    "SELECT k FROM facts WHERE DATE '1971-02-03' = day AND word > 'w5'",
    "SELECT k FROM facts WHERE price = 17.25",
]


@pytest.mark.parametrize("query", QUERIES)
def test_the_second_query_reads_few_rows_and_answers_alike(con: tqp.Connection, query: str) -> None:
    """Sums of floats included: rows come in the order and the batches of a scan."""
    con.settings = replace(con.settings, batch_rows=3000)
    before = con.sql(query).arrow()
    assert any("1 did" in line or USED in line for line in chosen(con, query))
    con.sql(query).arrow()
    assert any(line.startswith(USED) and "it is there" in line for line in chosen(con, query))
    assert con.sql(query).arrow().equals(before)
    assert con.verify(query)


def test_what_explain_says(con: tqp.Connection) -> None:
    query = "SELECT count(*) FROM facts WHERE k = 17"
    assert chosen(con, query) == [
        "all rows: no index on facts.k: it is made when 2 queries asked for it, and 1 did",
    ]
    has = f"{count_of(con, 17)} of 20,000 for k = 17"
    assert chosen(con, query) == [
        f"index on k: the index on facts.k has {has}; it was made, as 2 queries asked for it",
    ]
    assert chosen(con, query) == [f"index on k: the index on facts.k has {has}; it is there"]
    assert "all rows | index on k" in con.sql(query).explain("steps")


def count_of(con: tqp.Connection, key: int) -> int:
    return con.sql(f"SELECT sum(CASE WHEN k = {key} THEN 1 END) FROM facts").fetchall()[0][0]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) FROM facts WHERE k > 17",  # many
        "SELECT count(*) FROM facts WHERE k = id",  # of two columns
        "SELECT count(*) FROM facts WHERE maybe IS NULL",  # it keeps NULL
        "SELECT count(*) FROM facts WHERE coalesce(maybe, 17) = 17",
        "SELECT count(*) FROM facts LEFT JOIN few USING (k)",  # of all rows
        "SELECT count(*) FROM facts WHERE k NOT IN (SELECT k FROM few WHERE k IS NOT NULL)",
        "SELECT count(*) FROM facts FULL JOIN few ON facts.k = few.k",
        "SELECT count(*) FROM facts JOIN (SELECT DISTINCT k FROM facts) o USING (k)",  # with most keys
        "SELECT count(*) FROM facts WHERE x = 17",  # not bounded
        "SELECT count(*) FROM facts WHERE id BETWEEN 10 AND 20",  # to ask all values takes as long as to ask all rows
    ],
)
def test_what_keeps_many_rows_asks_for_nothing(con: tqp.Connection, query: str) -> None:
    for _ in range(3):
        assert chosen(con, query) == []
    assert not indexes(con) - {"facts.id"}
    assert con.verify(query)


def test_other_constants_ask_for_the_same_index(con: tqp.Connection) -> None:
    """A plan that is used again, for parameters and for constants, gains from an index that came later."""
    query = "SELECT count(*), sum(id) FROM facts WHERE k = ?"
    con.sql(query, [3]).fetchall()
    con.sql(query, [4]).fetchall()
    assert indexes(con) == {"facts.k"}
    assert "it is there" in chosen(con, query, [5])[0]
    assert con.verify(query, [5])
    assert "it is there" in chosen(con, "SELECT count(*), sum(id) FROM facts WHERE k = 6")[0]


def test_one_query_counts_once(con: tqp.Connection) -> None:
    con.sql("SELECT (SELECT count(*) FROM facts WHERE k = 3), (SELECT sum(id) FROM facts WHERE k = 4)").fetchall()
    assert not indexes(con)


def test_the_best_of_several(con: tqp.Connection) -> None:
    """The smallest share of values is asked for; another that is there serves until then."""
    both = "SELECT count(*) FROM facts WHERE k = 17 AND day < '1970-02-01'"
    for _ in range(3):
        con.sql("SELECT count(*) FROM facts WHERE day < '1970-02-01'").fetchall()
    assert chosen(con, both)[0].startswith("index on day: ")
    assert chosen(con, both)[0].startswith("index on k: ")
    assert con.verify(both)


def test_values_that_occur_often_are_scanned(con: tqp.Connection) -> None:
    """Their share of the values is small, that of the rows is not: only the index knows."""
    con.register("skewed", {"k": np.where(np.arange(ROWS) % 2, 500, np.arange(ROWS) % 1000)})
    query = "SELECT count(*) FROM skewed WHERE k = 500"
    for _ in range(2):
        con.sql(query).fetchall()
    assert re.fullmatch(
        r"all rows: the index on skewed\.k has 10,\d+ of 20,000 for k = 500, which are many", chosen(con, query)[0]
    )
    assert con.verify(query)


@pytest.mark.parametrize(
    ("condition", "is_answered"),
    [
        ("k = 17", True),
        ("day < '1970-02-01' AND day > '1970-01-05'", True),
        ("maybe BETWEEN 10 AND 20", True),
        ("word LIKE 'w01%'", True),
        ("k = 17 AND x > 500000", True),  # of one of two
        ("k IN (17, 18) AND k % 2 = 0", False),  # by the first alone
    ],
)
def test_what_an_index_answers_is_not_asked_again(con: tqp.Connection, condition: str, is_answered: bool) -> None:
    query = f"SELECT count(*), sum(id) FROM facts WHERE {condition}"
    for _ in range(2):
        con.sql(query).fetchall()
    told = con.sql(query).explain(True)
    assert "it is there" in told
    assert ("some hold already" in told) is is_answered
    assert con.verify(query)


def test_a_condition_that_fails_for_a_value_that_no_row_has(con: tqp.Connection) -> None:
    con.register("gaps", {"k": np.arange(ROWS) * 2 % 1000, "x": np.arange(ROWS)})
    query = "SELECT count(*) FROM gaps WHERE CAST(substr('0x2x4x6x8', k % 10 + 1, 1) AS INTEGER) = 4 AND k < 10"
    for _ in range(3):
        assert con.verify(query)


@pytest.mark.parametrize("least", [-(2**63), 2**63 - 900])
def test_values_next_to_the_ends_of_64_bits(con: tqp.Connection, least: int) -> None:
    con.register("ends", {"k": np.arange(ROWS) % 900 + least, "x": np.arange(ROWS)})
    query = f"SELECT sum(x) FROM ends WHERE k > {least + 880} AND k % 2 = 0"
    for _ in range(3):
        assert con.verify(query)
    assert any(line.startswith(USED) for line in chosen(con, query))


def test_without_the_limit_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, indexed_rows=None)
    with tqp.connect(threads=1) as connection:
        connection.register("facts", facts())
        for _ in range(3):
            assert chosen(connection, QUERIES[0]) == []
        assert not indexes(connection)


def ask(con: tqp.Connection, column: str, times: int = 2) -> None:
    for _ in range(times):
        con.sql(f"SELECT count(*) FROM facts WHERE {column} = 17").fetchall()


def test_the_least_recently_used_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, indexed_rows=1000, ranged_rows=1000, index_bytes=2 * 4 * (ROWS + 1003))
    with tqp.connect(threads=1) as connection:
        connection.register("facts", facts())
        ask(connection, "k")
        ask(connection, "maybe")
        assert indexes(connection) == {"facts.k", "facts.maybe"}
        ask(connection, "k", times=1)
        connection.register("more", facts(2))
        connection.sql("SELECT count(*) FROM more WHERE k = 17").fetchall()
        connection.sql("SELECT count(*) FROM more WHERE k = 17").fetchall()
        assert indexes(connection) == {"facts.k", "more.k"}
        ask(connection, "maybe", times=1)
        assert indexes(connection) == {"facts.k", "more.k"}, "what made room is asked for anew"
        ask(connection, "id")
        assert indexes(connection) == {"facts.k", "more.k"}
        query = "SELECT count(*) FROM facts WHERE id = 17"
        assert "it would take 240,004 bytes, and 168,024 are allowed" in chosen(connection, query)[0]
        assert connection.verify(query)


def test_a_memory_limit_bounds_them() -> None:
    with pytest.MonkeyPatch.context() as patch:
        limit(patch, indexed_rows=1000, ranged_rows=1000)
        with tqp.connect(threads=1, memory_limit=50_000) as connection:
            connection.register("facts", facts())
            ask(connection, "k")
            assert not indexes(connection)


def test_they_are_listed_and_let_go(con: tqp.Connection) -> None:
    ask(con, "k")
    found = {(kind, key): size for kind, key, size, *_ in con.cache().fetchall()}
    assert found["index", "facts.k"] == 4 * (ROWS + 1002)
    con.clear_cache()
    assert not indexes(con)
    ask(con, "k", times=1)
    assert not indexes(con)


def test_new_rows_have_no_index(con: tqp.Connection, tmp_path: Path) -> None:
    path = tmp_path / "facts.parquet"
    query = f"SELECT count(*), sum(id) FROM '{path}' WHERE k = 17"
    for seed in (3, 4):
        pq.write_table(facts(seed), path)
        # What was written just now would be looked at again.
        os.utime(path, (seed * 1e6, seed * 1e6))
        assert "1 did" in chosen(con, query)[0]
        con.sql(query).fetchall()
        assert "it is there" in chosen(con, query)[0]
        assert con.verify(query)
    ask(con, "k")
    con.register("facts", facts(5))
    assert "1 did" in chosen(con, "SELECT count(*) FROM facts WHERE k = 17")[0]
    assert con.verify("SELECT count(*), sum(id) FROM facts WHERE k = 17")


@pytest.mark.host_only("loops run on the CPU")
def test_loops_leave_few_rows_to_the_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipeline that became a loop over all rows runs without it where an index has the few, which more queries ask for."""
    limit(monkeypatch, indexed_rows=1000, ranged_rows=1000, looped_rows=1000, looped_after=0, late_asks=4)
    monkeypatch.setattr(rowloops, "_TRACED_ROWS", 1000)
    with tqp.connect(threads=1) as connection:
        connection.register("facts", facts())
        query = "SELECT count(*), sum(id) FROM facts WHERE k = 17"
        for _ in range(4):
            lines = connection.sql(query).explain(True)
            assert mode() == "off" or "index on k has" not in lines
            connection.sql(query).fetchall()
        lines = connection.sql(query).explain(True)
        assert "index on k" in lines and "do not pass the steps below" not in lines
        assert connection.verify(query)


@pytest.mark.skipif(mode() == "off", reason="needs Numba")
@pytest.mark.parametrize("keys", ["", "GROUP BY k % 10"])
@pytest.mark.host_only("loops run on the CPU")
def test_a_loop_over_all_rows_is_as_fast_as_an_index_of_many(monkeypatch: pytest.MonkeyPatch, keys: str) -> None:
    """Which are fewer where the loop has no groups. Without the loop the index has them."""
    limit(monkeypatch, indexed_rows=1000, ranged_rows=1000, looped_rows=1000, looped_after=0, late_asks=2)
    monkeypatch.setattr(rowloops, "_TRACED_ROWS", 1000)
    with tqp.connect(threads=1) as connection:
        connection.register("facts", facts())
        for most, loop in ((30, not keys), (80, True)):
            for aggregate, is_looped in (("sum(id)", loop), ("count(DISTINCT x)", False)):
                query = f"SELECT {aggregate} FROM facts WHERE k < {most} {keys}"
                for _ in range(3):
                    connection.sql(query).fetchall()
                (line,) = chosen(connection, query)
                assert line.startswith("all rows: " if is_looped else "index on k: ")
                assert ("one compiled loop reads all rows" in line) is is_looped
                assert connection.verify(query)


def test_an_index_of_many_rows_is_made_when_more_queries_ask(con: tqp.Connection) -> None:
    query = "SELECT id, x FROM facts WHERE k < 100 ORDER BY id"
    for asked in range(1, 8):
        assert chosen(con, query) == [
            f"all rows: no index on facts.k: it is made when 8 queries asked for it, and {asked} did"
        ]
    assert "it was made" in chosen(con, query)[0]
    assert con.verify(query)


@pytest.mark.parametrize("ending", ["LIMIT 3", "ORDER BY k, id LIMIT 3"])
def test_many_rows_are_scanned_where_the_first_may_be_enough(con: tqp.Connection, ending: str) -> None:
    query = f"SELECT id FROM facts WHERE k < 100 {ending}"
    for _ in range(3):
        assert (chosen(con, query) == []) is (ending == "LIMIT 3")


STORED_KEYS = [
    "SELECT k FROM few WHERE k NOT IN (SELECT k FROM facts)",
    "SELECT k FROM few WHERE k NOT IN (SELECT maybe FROM facts)",
    "SELECT k, k IN (SELECT maybe AS m FROM facts) FROM few",
    "SELECT name FROM few WHERE EXISTS (FROM facts WHERE facts.k = few.k)",
    "SELECT name FROM few ANTI JOIN facts ON 'w' || lpad(few.k::VARCHAR, 3, '0') = facts.word",
]


@pytest.mark.parametrize("query", STORED_KEYS)
def test_which_values_a_column_has_is_kept(con: tqp.Connection, query: str) -> None:
    """As a bitmap, once a query has found out, for all kinds of joins that ask for it alone."""
    before = con.sql(query).arrow()
    assert len(indexes(con)) == 1
    shown = con.sql(query).explain(True)
    assert "kept with the table: an earlier query has found those of facts." in shown
    assert "scan facts" not in shown
    assert con.sql(query).arrow().equals(before)
    assert con.verify(query)
    con.register("facts", facts(7))
    assert "kept with the table" not in con.sql(query).explain(True)
    assert con.verify(query)


def test_values_of_some_rows_are_not_kept(con: tqp.Connection) -> None:
    for query in (
        "FROM few WHERE k NOT IN (SELECT k FROM facts WHERE id > 100)",
        "FROM few WHERE k IN (SELECT k + 1 FROM facts)",
    ):
        con.sql(query).fetchall()
        assert not indexes(con)
        assert "kept with the table" not in con.sql(query).explain(True)
        assert con.verify(query)


def test_kept_values_need_room(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, indexed_rows=1000, ranged_rows=1000, index_bytes=999)
    with tqp.connect(threads=1) as connection:
        connection.register("facts", facts())
        connection.register("few", few())
        connection.sql(STORED_KEYS[0]).fetchall()
        assert not indexes(connection)
        limit(monkeypatch, index_bytes=1000)
        connection.sql(STORED_KEYS[0] + " AND k > 3").fetchall()
        assert indexes(connection) == {"facts.k"}
