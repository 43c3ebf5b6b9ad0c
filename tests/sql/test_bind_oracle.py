"""Result columns, by name and type, are those of DuckDB; what DuckDB refuses is refused."""

from __future__ import annotations

import duckdb
import pytest

from tests.sql.tables import columns_of, oracle
from tqp.errors import BindError

QUERIES = """
select count(*), sum(a), count(distinct a), sum(a) filter (where b > 1) from t
select a + 1, a + 1 * 2, (a + 1) * 2, -a, -1, a / b, a // b, a % b, x || 'q' from t
select extract(year from d), year(d), date_part('year', d), substring(x from 1 for 2), substr(x, 1, 2) from t
select cast(a as bigint), a::decimal(3,2), try_cast(x as int), a::double / b, cast('1' as int) from t
select case when a = 1 then 2 else 3 end, case a when 1 then 2 end from t
select a is null, a is not null, a <> 1, not bo, a in (1, 2), a not in (1, 2) from t
select a between 1 and 2, a not between 1 and 2, x like 'a%', x not like 'a', x ilike 'a' from t
select coalesce(a, 1), nullif(a, 1), if(bo, 1, 2), greatest(a, 1.5) from t
select 1, 'x', date '2020-01-01', timestamp '2020-01-01', interval '3' month, true, 1.5, 0.05, 1e3, 999999999999
select 99999999999999999999, -9223372036854775808, -2147483648, 9223372036854775808, 100.00, 1.
select (select 1), exists (select 1), a in (select 1) from t
select a not in (select 1), a = any (select 1), a > all (select 1) from t
select a is distinct from b, a is not distinct from b, bo is true, bo is not true from t
select t.a, T.A, "A", t.a + 1, T.A + 1 from t
select interval '1 day 2:03:04', interval '-1 month', interval '1.5 months', interval '90 days'
select d - interval '90' day, d + interval '90 days' as e, d + 1, d - d from t
select case when true then cast(1 as tinyint) else 1 end, case when true then cast(1 as decimal(3,2)) else 100 end
select case when true then 1 else 2.5 end, case when true then 1 else 2.5e0 end from t
select case when a = 1 then 1 else '2' end from t
select coalesce(m, 0), coalesce(s, 1), case when bo then m else 0 end from t
select m * m, m * (1 - m), sum(m * (1 - m)), avg(m) from t group by all
select a, b + 1 as a from t
select * from (select a, b + 1 as a from t) q
select a from t union all select x from t
select 1 union select 'x'
select a from t union select b from t order by b
select a as z from t union all select c from u order by z limit 3
select * from t t1, t t2
select * from t join u using (a)
select u.* from t join u using (a)
select * from t natural join u
select * from t right join u using (a)
select * from t full join u using (a)
select a, t.a, u.a from t full join u using (a)
select * from t t1 left join u u1 on t1.a = u1.a where u1.c is null
select t.a from t semi join u on t.a = u.a
select t.a from t anti join u using (a)
select t.a from t join (u join t t2 on u.a = t2.a) on t.a = u.a
with q(z, w) as (select a, b from t), r as (select z from q) select q.*, r.z from q, r
values (1, 'a'), (2, null)
select * from (values (1, 2.5), (3, 4)) v
select * from (values (1, 2), (3, 4)) v(p)
select a from t union all by name select c from u
select * exclude (a, b), a from t
select * replace (a + 1 as a) from t
select t.* exclude (a) from t join u using (a)
select a + 1 as c, c + 1 as e from t where c = 2
select a, sum(b) as b from t group by a having b > 1
select -a as a, count(*) from t group by a
select a + 1 as z, count(*) from t group by z order by z + 1
select a, sum(b) from t group by 1 order by 2 desc nulls first
select a, sum(b) / count(*) from t group by all having count(*) > 1 order by sum(m)
select 'x' as k group by k
select count(*) from t group by ()
select 1 from t having true
select a from t where (a, b) in (select a, c from u) or (a, b) in ((1, 2), (3, 4))
select -(1), -(-1), - -1, -(1.5), -(-(-(2))), -(0), 1 - -1, -(-a), -(a + 1) from t
select case when bo then 0 when bo then a::utinyint end as x, coalesce(null, 0, a::tinyint) as y, coalesce(0, a::tinyint) as z from t
select x in (1, 2), x = 1, a in ('1', '2'), d < '1994-01-01' from t
select main.t.a from t
from t
select a from t group by rollup (a, b)
select a, b, count(*) from t group by grouping sets ((a, b), (a), ()) order by a, b
select a, grouping(a), sum(b) as s from t group by cube (a, d) having sum(b) > 1 order by s desc
select row_number() over (partition by a, b order by d desc, m nulls first), sum(m) over (), avg(a) over w from t window w as (order by b)
select percent_rank() over (), cume_dist() over (), ntile(2) over (order by a), count(*) over (partition by a), rank() over (order by a) from t
select sum(a) filter (where bo) over (rows between unbounded preceding and 2 following exclude ties), sum(bo) over (order by a) from t
select sum(m) over (order by b groups between 1 preceding and 1 following), count(a) over (range between current row and unbounded following) from t
select lag(x, 2, 'none') over (order by a), lead(m ignore nulls) over (order by a), first(d) over (order by a), any_value(x) over (order by a) from t
select first_value(d) over (order by a), nth_value(m, 2) over (order by a), min(x) over (), sum(a) over (w order by b) from t window w as (partition by d)
select a, sum(sum(b)) over (order by a) + 1, count(distinct a) over () from t group by a qualify rank() over (order by sum(b)) < 3
select a, rank() over (partition by grouping(a) order by sum(b) desc) from t group by rollup (a)
""".strip().split("\n")

REFUSED = """
select nosuch from t
select t.nosuch from t
select z.a from t
select a from nosuch
select a from t, u
select t.a from t t2
select sum(a) from t where sum(a) > 1
select sum(sum(a)) from t
select a, max(b) from t
select a + b from t group by a
select a as b, sum(b) from t group by b
select a, b from t union select a from u
select (select a, c from u) from t
select a from t order by 'a'
select a from t order by 2
select a from t a, t a
select -x from t
select x + 1 from t
select case when a = 1 then 1 else x end from t
select sum(a) s, s + 1 from t
select * from t join u using (c)
select a from t having true
select * exclude (nosuch) from t
select *
select count(a, b) from t
select a from t where row_number() over () = 1
select a from t group by row_number() over ()
select a from t group by a having sum(a) over () > 1
select sum(row_number() over ()) from t
select sum(sum(a) over ()) over () from t
select a, sum(b) over () from t group by a
select row_number(), a from t
select lag(a) from t
select row_number() filter (where bo) over () from t
select first_value(distinct a) over () from t
select sum(a ignore nulls) over () from t
select a from t qualify a = 1
select sum(a) over (order by a, b range 1 preceding) from t
select sum(a) over (order by x range 1 preceding) from t
select sum(a) over (order by a rows between current row and 1 preceding) from t
select sum(a) over (order by all) from t
values (1, 2), (3)
""".strip().split("\n")


@pytest.fixture(scope="module")
def duck() -> duckdb.DuckDBPyConnection:
    return oracle()


@pytest.mark.parametrize("text", QUERIES)
def test_names_and_types_are_those_of_duckdb(duck: duckdb.DuckDBPyConnection, text: str) -> None:
    expected = [(row[0], str(row[1])) for row in duck.execute(f"describe {text}").fetchall()]
    assert columns_of(text) == expected


@pytest.mark.parametrize("text", REFUSED)
def test_what_duckdb_refuses_is_refused_with_a_place(duck: duckdb.DuckDBPyConnection, text: str) -> None:
    with pytest.raises(duckdb.Error):
        duck.execute(text).fetchall()
    with pytest.raises(BindError) as caught:
        columns_of(text)
    assert caught.value.location is not None
    assert "^" in str(caught.value)
