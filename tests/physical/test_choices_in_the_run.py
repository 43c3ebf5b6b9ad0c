"""Joins whose algorithm is chosen when the rows of one side are there."""

from __future__ import annotations

import re

import pytest

import tqp
from tests.engines import Engines
from tests.physical.chosen import choices

BUILD, KEYS = "rows materialised and indexed", "keys alone"

HAVING = [
    "SELECT l.few, s.n FROM lines l JOIN (SELECT id, count(*) AS n FROM lines GROUP BY id HAVING sum(few) {}) s ON l.id = s.id",
    "SELECT l.few, s.n FROM lines l JOIN (SELECT id, count(*) AS n FROM lines GROUP BY id HAVING sum(few) {}) s "
    "ON l.id = s.id AND l.item > s.n * 1000 WHERE l.few <> 2 AND l.wide > 5",
    "SELECT k, s.k2, sum(n) FROM (SELECT id + 1 AS k2, count(*) AS n FROM lines GROUP BY 1 HAVING sum(few) {}) s "
    "JOIN (SELECT id AS k, few FROM lines WHERE few < 4) l ON l.k = s.k2 GROUP BY ALL",
    "SELECT l.few, c.who FROM lines l JOIN orders c ON c.id = l.id JOIN "
    "(SELECT id, row_number() OVER (ORDER BY id) AS r FROM lines QUALIFY r * 4 {}) s ON l.id = s.id",
    # Behind a shared definition.
    "WITH s AS (SELECT id, count(*) AS n FROM lines GROUP BY id HAVING sum(few) {}) "
    "SELECT l.few, s.n FROM lines l JOIN s ON l.id = s.id WHERE s.n <= (SELECT max(n) FROM s)",
    "WITH g AS (SELECT id, count(*) AS n, sum(few) AS f FROM lines GROUP BY id) "
    "SELECT l.few, s.n FROM lines l JOIN g s ON l.id = s.id WHERE s.f {} AND s.n <= (SELECT max(n) FROM g)",
    # Semi joins.
    "SELECT few, wide FROM lines WHERE id IN (SELECT id FROM lines GROUP BY id HAVING sum(few) {})",
    "SELECT few, wide FROM lines WHERE wide > 5 AND id IN (SELECT id + 1 FROM lines GROUP BY id + 1 HAVING sum(few) {})",
    "SELECT few FROM lines l WHERE EXISTS (SELECT 1 FROM (SELECT id, count(*) AS n FROM lines GROUP BY id HAVING sum(few) {}) s "
    "WHERE s.id = l.id AND s.n > l.few)",
    "SELECT l.few, l.wide, o.who FROM lines l JOIN orders o USING (id) "
    "WHERE (id, few) IN (SELECT id, max(few) FROM lines GROUP BY id HAVING sum(few) {})",
    # Semi joins whose right side has some key more than once: it is made distinct first.
    "SELECT few, wide FROM lines WHERE id IN (SELECT (id + 1) // 2 FROM lines GROUP BY id HAVING sum(few) {})",
    "SELECT few, wide FROM lines WHERE id IN (SELECT nullif(id // 2, 3) FROM lines QUALIFY row_number() OVER (ORDER BY id) * 4 {})",
    "SELECT few FROM lines l WHERE EXISTS (SELECT 1 FROM (SELECT id, few, count(*) AS n FROM lines GROUP BY ALL HAVING max(id) {}) s "
    "WHERE s.id = l.id AND s.n = l.few)",
    # The side that may be small is the left one.
    "SELECT s.id, s.n FROM (SELECT id, count(*) AS n FROM lines GROUP BY id HAVING sum(few) {}) s "
    "WHERE EXISTS (SELECT 1 FROM lines l WHERE l.id = s.id AND l.few = 1)",
    "SELECT s.id, s.n FROM (SELECT id, count(*) AS n FROM lines GROUP BY id HAVING sum(few) {}) s "
    "WHERE NOT EXISTS (SELECT 1 FROM lines l WHERE l.id = s.id AND l.few = 1 AND l.item % 3 <> s.n % 2)",
    "SELECT s.id, l.item FROM (SELECT id, count(*) AS n FROM lines GROUP BY id HAVING sum(few) {}) s "
    "LEFT JOIN (SELECT id, item FROM lines WHERE few = 1) l ON l.id = s.id",
    "SELECT who, count(*) FROM orders WHERE id IN (SELECT nullif(id, 7) FROM lines GROUP BY 1 HAVING sum(few) {}) GROUP BY who",
]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("query", HAVING)
def test_a_join_is_chosen_when_its_rows_are_there(con: tqp.Connection, query: str, threads: int) -> None:
    """Both ways give DuckDB's answer; few rows of a HAVING look others up, many are built."""
    tables = {name: con.table(name).arrow() for name in ("lines", "orders")}
    both = Engines(tables, threads=threads)
    ways = []
    for having in ("> 1000000", "< 3", ">= 0"):
        both(query.format(having))
        found = choices(con, query.format(having))
        ways.append([one.chosen for one in found if " came, and fewer than " in one.reason])
    both.close()
    nothing, few, many = ways
    assert nothing == few and many in ([BUILD], [KEYS])
    assert ("SHARED" if query.startswith("WITH") else "") in con.sql(query.format("< 3")).explain().upper()
    assert [way.startswith("index on ") for way in few] == [True]


@pytest.mark.parametrize(
    "query",
    [
        # A row might be found twice, by other rows.
        "SELECT few FROM lines l WHERE EXISTS (SELECT 1 FROM (SELECT few AS k, item, count(*) FROM lines GROUP BY ALL HAVING sum(few) < 3) s "
        "WHERE s.k = l.id AND (s.item + l.item) % 7 = 1)",
        # All rows are read anyway.
        "SELECT few FROM lines WHERE id NOT IN (SELECT id FROM lines GROUP BY id HAVING sum(few) < 3)",
        "SELECT few, id IN (SELECT id FROM lines GROUP BY id HAVING sum(few) < 3) FROM lines",
        "SELECT l.few, s.n FROM lines l LEFT JOIN (SELECT id, count(*) AS n FROM lines GROUP BY id HAVING sum(few) < 3) s USING (id)",
    ],
)
def test_joins_that_read_their_left_side_as_a_whole(con: tqp.Connection, query: str) -> None:
    assert not [one for one in choices(con, query) if " came, and fewer than " in one.reason]
    both = Engines({"lines": con.table("lines").arrow()})
    both(query)
    both.close()


@pytest.mark.parametrize(
    ("query", "way"),
    [
        # The estimate says that few come, and so it is; or it was wrong.
        ("SELECT few FROM lines WHERE id IN (SELECT item // 2 FROM lines WHERE item < 100)", "index on lines.id"),
        (
            "SELECT few FROM lines WHERE id IN (SELECT item // 2 FROM lines WHERE few * 2 = item % 10 AND few < 9)",
            "keys alone",
        ),
        ("SELECT few FROM lines WHERE id IN (SELECT item FROM lines WHERE few < 9)", None),
    ],
)
def test_a_semi_join_looks_up_what_few_rows_need(con: tqp.Connection, query: str, way: str | None) -> None:
    found = [one for one in choices(con, query) if " came, and fewer than " in one.reason]
    assert [one.chosen for one in found] == ([] if way is None else [way]), found
    tables = {name: con.table(name).arrow() for name in ("lines", "picked")}
    both = Engines(tables)
    both(query)
    both.close()


def test_keys_are_made_distinct_only_where_few_of_them_look_up(con: tqp.Connection) -> None:
    """Few: they are grouped; many: they are kept in a bitmap, and nobody groups them."""
    query = "SELECT few FROM lines WHERE id IN (SELECT (id + 1) // 2 FROM lines GROUP BY id HAVING sum(few) {})"
    texts = [con.sql(query.format(having)).explain(True) for having in ("< 3", ">= 0")]
    assert ["set of keys" in text for text in texts] == [False, True]
    assert ["aggregate by key 0" in text for text in texts] == [True, False]
    steps = con.sql(query.format("< 3")).explain("steps")
    assert re.search(r"not if fewer than 625 rows .*\n.*\n", steps) and "not if at least 625 rows lie in" in steps


def test_a_build_that_nobody_needs_is_not_made(con: tqp.Connection) -> None:
    steps = [re.findall("build on", con.sql(HAVING[0].format(having)).explain(True)) for having in ("< 3", ">= 0")]
    assert steps == [[], ["build on"]]
