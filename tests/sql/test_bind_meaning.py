"""Bound plans mean what DuckDB computes: evaluated row by row by a reference interpreter, on tables with NULLs."""

from __future__ import annotations

from collections import Counter

import duckdb
import pytest

from tests.optimizer.interpret import Memory, listed
from tqp.sql import bind
from tqp.types import INTEGER

ROWS = {
    "t": [(1, 10, 1), (2, 20, None), (2, None, 3), (None, 5, 1), (4, 40, 2), (4, 10, 2)],
    "u": [(1, 7), (2, None), (5, 9), (None, 3), (2, 8)],
}
COLUMNS = {"t": ("a", "b", "c"), "u": ("a", "e")}
TABLES = {
    name: Memory(name, tuple((column, INTEGER) for column in COLUMNS[name]), [tuple(row) for row in rows])
    for name, rows in ROWS.items()
}

QUERIES = """
select a, b from t where b > 5 and not a = 2
select a, count(*), count(b), sum(b), min(c), count(distinct b) from t group by a
select a, sum(b) filter (where c = 1) from t group by a having count(*) > 1 or a is null
select t.a, t.b, u.e from t join u on t.a = u.a and t.b > u.e
select t.a, u.a, e from t left join u on t.a = u.a
select t.a, u.a, e from t right join u on t.a = u.a and e > 7
select t.a, u.a, e from t full join u on t.a = u.a and t.b > 15
select a, b, e from t full join u using (a)
select a, b, e from t right join u using (a)
select a, t.a, u.a from t left join u using (a)
select * from t natural join u
select a, b from t semi join u using (a)
select a, b from t anti join u on t.a = u.a
select a from t where a in (select a from u)
select a from t where a not in (select a from u)
select a from t where a not in (select a from u where a is not null)
select a from t where exists (select 1 from u where u.a = t.a and u.e > t.c)
select a, (select max(e) from u where u.a = t.a) from t
select a from t where b > (select min(b) from t t2 where t2.c = t.c)
select a, a > any (select a from u), a > all (select e from u), a <> all (select a from u) from t
select a, a < all (select e from u where e is not null), a = any (select e from u where false) from t
select a, b, (a, b) in (select a, e from u) from t
select (a, b) = (2, null), (a, b) <> (2, null), (a, b) in ((1, 10), (2, null)) from t
select distinct a, c from t
select a from t union select a from u
select a from t union all select e from u
select a from t intersect select a from u
select a from t except select a from u
select a from t except all select a from u
select a, b from t union all by name select e as b, a as z from u
with q as (select a, count(*) as n from t group by a) select x.a, y.n from q x, q y where x.n = y.n
with q(k, m) as (select a, max(b) from t group by a) select k from q where m = (select max(m) from q)
select case a when 1 then 10 when null then 20 else a end, case when b > 10 then 1 end from t
select a between 2 and 3, a not between 2 and 3, a in (1, null), a is not distinct from c, coalesce(a, b) from t
select a is null, (a = 2) is true, (a = 2) is not false from t
select a, b, count(*), grouping(a, b) from t group by rollup (a, b)
select a, c, sum(b) from t group by cube (a, c)
select a, c, sum(b) from t group by grouping sets ((a, c), (c), ())
select a, count(*) as n from t group by grouping sets ((a), ()) having count(*) > 1
select 0 - a as a, b from t where a > 1
select a + 1 as d, d * 2 from t where d > 2
select count(*) from t where false
select count(*), max(a) from t having count(*) > 100
select x.a, y.b from (select a, b from t where c = 1) x, (select b from t) y where x.b = y.b
select s.n from (select count(*) as n from t group by a) s where s.n > (select count(*) from u where e = s.n)
values (1, 2), (3, null), (1, 2)
select * from (values (1, 2), (3, 4)) v(p, q) where p > 1
select a from t where (select count(*) from u where u.a = t.a) > 1
select a from t where a in (select u.a from u where u.e in (select c + 6 from t t2 where t2.a = t.a))
""".strip().split("\n")

ORDERED = """
select a, b from t order by a, b desc
select a, b from t order by a desc nulls first, b nulls first
select 0 - a as a, b from t order by a, b
select a, b from t order by a + 0, b
select a from t order by b desc, c limit 3
select a, b from t order by b, a limit 2 offset 2
select a, sum(b) from t group by a order by sum(b) desc, a
select a, count(*) from t group by a order by max(c), 2, 1
select a, b from t order by all desc
select a as k from t union all select e from u order by k desc limit 4
select a from t union select e from u order by 1
select a, c, sum(b) as s from t group by rollup (a, c) order by a, c, s
select b from t order by (select max(e) from u where u.a = t.a), b
""".strip().split("\n")


@pytest.fixture(scope="module")
def duck() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    for name, rows in ROWS.items():
        connection.execute(f"CREATE TABLE {name} ({', '.join(f'{column} INTEGER' for column in COLUMNS[name])})")
        connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    return connection


@pytest.mark.parametrize("text", QUERIES)
def test_rows_are_those_of_duckdb(duck: duckdb.DuckDBPyConnection, text: str) -> None:
    assert Counter(listed(bind(text, TABLES.get).plan)) == Counter(duck.execute(text).fetchall())


@pytest.mark.parametrize("text", ORDERED)
def test_rows_come_in_the_order_of_duckdb(duck: duckdb.DuckDBPyConnection, text: str) -> None:
    assert listed(bind(text, TABLES.get).plan) == duck.execute(text).fetchall()
