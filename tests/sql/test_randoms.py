"""random() and uuid(): what holds of them whatever they draw."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import duckdb
import pytest

import tqp
from tqp.errors import BindError, ExecutionError, UnsupportedError


@pytest.fixture
def con() -> Iterator[tqp.Connection]:
    with tqp.connect(threads=2) as made:
        made.register("t", {"x": list(range(1000))})
        yield made


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT min(r) >= 0, max(r) < 1, abs(avg(r) - 0.5) < 0.1, count(DISTINCT r) FROM (SELECT random() AS r FROM t)",
         [(True, True, True, 1000)]),
        ("SELECT sum((random() = random())::INTEGER) FROM t", [(0,)]),
        ("SELECT sum((a = b)::INTEGER) = count(*), count(*) > 300 FROM (SELECT r AS a, r AS b FROM (SELECT random() AS r FROM t) "
         "WHERE r < 0.5 ORDER BY r)", [(True, True)]),
        ("SELECT count(*) BETWEEN 20 AND 300 FROM t WHERE random() < 0.1", [(True,)]),
        ("WITH c AS (SELECT x, random() AS r FROM t) SELECT count(*) FROM c AS a JOIN c AS b ON a.x = b.x AND a.r = b.r", [(1000,)]),
        ("SELECT count(*) FROM (SELECT random() > 0.5 AS k FROM t GROUP BY k)", [(2,)]),
        ("SELECT sum(random()) BETWEEN 300 AND 700, count(*) FILTER (random() < 0.5) > 300 FROM t", [(True, True)]),
        ("SELECT count(DISTINCT r) FROM (VALUES (random()), (random())) AS v(r)", [(2,)]),
        ("SELECT count(DISTINCT u), min(uuid_extract_version(u)), max(uuid_extract_version(u)) FROM (SELECT uuid() AS u FROM t)",
         [(1000, 4, 4)]),
        ("SELECT count(DISTINCT u), min(uuid_extract_version(u)), bool_and(uuid_extract_timestamp(u) <= now()) "
         "FROM (SELECT uuidv7() AS u FROM t)", [(1000, 7, True)]),
        ("SELECT count(DISTINCT (SELECT random())) FROM t", [(1,)]),
        ("WITH RECURSIVE r(n, x) AS (SELECT 1, random() UNION ALL SELECT n + 1, x FROM r WHERE n < 4) "
         "SELECT count(*), count(DISTINCT x), count(DISTINCT random()) FROM r", [(4, 1, 4)]),
        ("WITH RECURSIVE c AS (SELECT random() AS v), r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r, c WHERE n < 4 AND v < 1) "
         "SELECT count(*) FROM r", [(4,)]),
        ("SELECT typeof(random()), typeof(gen_random_uuid()), typeof(uuidv4())", [("DOUBLE", "UUID", "UUID")]),
    ],
)  # fmt: skip
def test_what_is_certain(con: tqp.Connection, query: str, expected: list[tuple[object, ...]]) -> None:
    assert con.sql(query).fetchall() == expected


def test_each_query_draws_anew_by_the_same_plan(con: tqp.Connection) -> None:
    query = "SELECT x, random() FROM t ORDER BY random() LIMIT 5"
    first = con.sql(query).fetchall()
    reused = con._plans.reused
    assert con.sql(query).fetchall() != first
    assert con._plans.reused == reused + 1


def test_a_relation_draws_once(con: tqp.Connection) -> None:
    relation = con.sql("SELECT random() AS r, uuid() AS u FROM t")
    assert relation.fetchall() == relation.fetchall()
    ((found,),) = con.sql("SELECT uuid()").fetchall()
    assert isinstance(found, UUID) and found.version == 4 and found.variant == "specified in RFC 4122"


@pytest.mark.parametrize("kind", ["", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI"])
def test_conditions_of_joins_draw_for_each_pair(kind: str) -> None:
    con = tqp.connect()
    join = f"FROM range(60) a(x) {kind} JOIN range(60) b(y) ON {{}}"
    columns = "x, NULL" if kind in ("SEMI", "ANTI") else "x, y"
    for never in ("random() >= 1", "uuid() IS NULL"):
        expected = con.sql(f"SELECT {columns} {join.format('false')}").fetchall()
        assert sorted(con.sql(f"SELECT {columns} {join.format(never)}").fetchall(), key=str) == sorted(
            expected, key=str
        )
    equal = con.sql(f"SELECT count(*) {join.format('x = y AND random() < 1')}").fetchone()
    assert equal == con.sql(f"SELECT count(*) {join.format('x = y')}").fetchone()
    if kind not in ("SEMI", "ANTI"):
        drawn = con.sql(f"SELECT {columns} {join.format('random() < 0.5')}").fetchall()
        # Of 3,600 pairs about half; by no row of one side alone.
        assert 1600 < len(drawn) < 2000 and len(set(drawn)) == len(drawn)
        for place in (0, 1):
            assert len({row[place] for row in drawn}) == 60
            assert all(10 < sum(row[place] == one for row in drawn) < 50 for one in range(60))


def test_where_there_is_no_row_it_is_refused(con: tqp.Connection) -> None:
    with pytest.raises(UnsupportedError, match="not supported here"):
        con.sql("SELECT 1 FROM t AS a ASOF JOIN t AS b ON a.x >= b.x AND random() < 0.5")
    with pytest.raises(BindError, match="no arguments"):
        con.sql("SELECT random(1)")


SEEDED = [
    "SELECT random()",
    "SELECT random() FROM range(3)",
    "SELECT random(), random() AS b, random() + 1 FROM range(3)",
    "SELECT count(*), min(r), max(r), min(r) FILTER (i = 250_000) FROM (SELECT i, random() AS r FROM range(300_000) t(i))",
    "SELECT i FROM range(100) t(i) ORDER BY random() LIMIT 5",
    "SELECT i FROM range(100) t(i) WHERE random() < 0.1",
    "SELECT setseed(-0.25), random()",
    "SELECT random()",
    "SELECT setseed(i / 10) FROM range(8) t(i)",
    "SELECT random()",
    "SELECT setseed(NULL)",
    "SELECT setseed('0.5')",
    "SELECT random()",
]


def test_after_setseed_they_are_those_of_duckdb(con: tqp.Connection) -> None:
    """As one thread of DuckDB draws them."""
    with duckdb.connect(config={"threads": 1}) as peer:
        for _ in range(2):
            for query in ("SELECT setseed(0.42)", *SEEDED):
                mine, other = con.sql(query), peer.sql(query)
                assert mine.columns == other.columns
                assert mine.fetchall() == other.fetchall(), query


def test_after_setseed_all_that_is_drawn_comes_again(con: tqp.Connection) -> None:
    query = "SELECT x, random(), uuid(), gen_random_uuid() FROM t ORDER BY random() LIMIT 20"
    found = []
    for _ in range(2):
        con.sql("SELECT setseed(0.3)").fetchall()
        found.append([con.sql(query).fetchall() for _ in range(2)])
    assert found[0] == found[1] and found[0][0] != found[0][1]


def test_a_relation_with_setseed_sets_it_once(con: tqp.Connection) -> None:
    begun = con.sql("SELECT setseed(0.3)")
    begun.fetchall()
    first = con.sql("SELECT random()").fetchall()
    begun.fetchall()
    assert con.sql("SELECT random()").fetchall() != first


@pytest.mark.parametrize("seed", ["1.5", "-1.01", "'nan'::DOUBLE", "'infinity'::DOUBLE"])
def test_seeds_out_of_range(con: tqp.Connection, seed: str) -> None:
    with pytest.raises(ExecutionError, match="SETSEED accepts seed values between -1.0 and 1.0, inclusive"):
        con.sql(f"SELECT setseed({seed})").fetchall()


@pytest.mark.parametrize("call", ["setseed()", "setseed(1, 2)", "setseed(DATE '2020-01-01')", "setseed([1])"])
def test_what_setseed_takes(con: tqp.Connection, call: str) -> None:
    with pytest.raises(BindError, match="setseed takes"):
        con.sql(f"SELECT {call}")


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("WITH RECURSIVE r(n, x) AS (SELECT 1, 0.5 UNION ALL SELECT n + 1, random() FROM r WHERE n < 4) FROM r", "step of a recursive"),
        ("WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT n + 1 FROM r WHERE n < 4 AND random() < 2) FROM r", "step of a recursive"),
        ("WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL (WITH c AS (SELECT n, uuid() AS u FROM r) SELECT n + 1 FROM c WHERE n < 4)) "
         "FROM r", "step of a recursive"),
        ("SELECT (SELECT random() + x) FROM t", "in a subquery beside columns"),
        ("SELECT x FROM t WHERE EXISTS (FROM range(3) s(y) WHERE y = x AND random() < 0.5)", "in a subquery beside columns"),
        ("SELECT r FROM t, LATERAL (SELECT random() + x AS r)", "in a subquery beside columns"),
    ],
)  # fmt: skip
def test_where_rows_come_again_it_is_refused(con: tqp.Connection, query: str, reason: str) -> None:
    with pytest.raises(UnsupportedError, match=reason):
        con.sql(query).fetchall()
