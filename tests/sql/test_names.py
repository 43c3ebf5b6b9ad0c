"""Result columns without an alias are called as DuckDB calls them, whatever their expressions are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engines import Engines
from tqp.keywords import KEYWORDS

TABLE = """CREATE TABLE t(a INTEGER, name VARCHAR, day DATE, value DOUBLE, l INTEGER[], s STRUCT(x INTEGER, key VARCHAR),
ts TIMESTAMP, "My Col" INTEGER, b BOOLEAN)"""

EXPRESSIONS = r"""
name
"name"
"My Col"
(a)
(t.a)
((t."A"))
(t.s.x)
"My Col" + 1
name || 'x'
upper(name)
day + 1
day + INTERVAL 1 DAY
DATE '2024-01-01'
TIMESTAMP '2024-01-01'
INTERVAL '1' DAY
INTERVAL 2 HOURS
CAST(a AS DECIMAL(10,2))
a::VARCHAR
a::DOUBLE::INT
TRY_CAST(name AS INTEGER)
CAST(l AS BIGINT[])
CAST(s AS STRUCT(x BIGINT, key VARCHAR))
a IN (1,2,3)
a NOT IN (1,2)
a BETWEEN 1 AND 2
a NOT BETWEEN 1 AND 2
NOT b
NOT a = 1
a = 1 AND b OR a > 2
a = 1 AND b AND a > 2
a IS NULL
a IS NOT NULL
a IS DISTINCT FROM 1
a IS NOT DISTINCT FROM 1
b IS TRUE
b IS NOT TRUE
b IS FALSE
name LIKE 'a%'
name NOT LIKE 'a%'
name ILIKE 'a%'
name LIKE 'a%' ESCAPE '$'
name SIMILAR TO 'a.*'
name NOT SIMILAR TO 'a.*'
name ~ 'a'
name GLOB 'a*'
CASE WHEN a = 1 THEN 'x' ELSE 'y' END
CASE a WHEN 1 THEN 'x' WHEN 2 THEN 'y' END
CASE WHEN a > 1 THEN 1 END
if(a > 1, 1, 2)
coalesce(a, 1)
nullif(a, 1)
ifnull(a, 1)
-a
- 1
-(-1)
~a
@a
a ** 2
a ^ 2
pow(a, 2)
a // 2
a / 2
a % 2
mod(a, 2)
a & 1
a | 1
a << 1
a >> 1
xor(a, 1)
1.5
1e3
1e-7
100000000000
99999999999999999999
'text'
'it''s'
NULL
true
TRUE
[1,2,3]
['a', name]
[]
{'a': 1, 'b': name}
{'a b': 1}
ROW(1, 2)
(1, 2)
MAP {'a': 1}
MAP([1],[2])
l[1]
l[1:2]
l[:2]
l[1:]
l[-1]
l[1:3:2]
s.x
s['x']
s.key
t.s.x
t.a
(s).x
name[1]
name[1:2]
substring(name, 1, 2)
substring(name FROM 1 FOR 2)
substring(name FROM 2)
position('a' IN name)
trim(name)
trim(BOTH 'x' FROM name)
trim(LEADING 'x' FROM name)
trim('x' FROM name)
overlay(name PLACING 'x' FROM 2)
overlay(name PLACING 'x' FROM 2 FOR 1)
extract(year FROM day)
extract('year' FROM day)
date_part('year', day)
year(day)
date_trunc('month', day)
date_diff('day', day, day)
datediff('day', day, day)
date_add(day, INTERVAL 1 DAY)
date_sub('day', day, day)
strftime(day, '%Y')
strptime(name, '%Y')
current_date
current_timestamp
now()
today()
localtimestamp
current_user
current_schema
current_schema()
count(*)
count(a)
count(DISTINCT a)
count()
sum(a)
sum(a + 1)
sum(DISTINCT a)
avg(value) FILTER (WHERE a > 1)
avg(value) FILTER (a > 1)
string_agg(name, ',')
string_agg(name, ',' ORDER BY a)
string_agg(name, ',' ORDER BY a DESC)
string_agg(DISTINCT name, ',' ORDER BY name NULLS FIRST)
listagg(name, ',')
group_concat(name)
array_agg(a ORDER BY a DESC NULLS LAST)
list(a)
first(a)
any_value(a)
arg_max(a, value)
max_by(a, value)
median(a)
quantile(a, 0.5)
quantile_cont(a, 0.5)
quantile_cont(a, [0.1, 0.5])
percentile_cont(0.5) WITHIN GROUP (ORDER BY a)
percentile_disc(0.5) WITHIN GROUP (ORDER BY a DESC)
mode(a)
mode() WITHIN GROUP (ORDER BY a)
approx_quantile(a, 0.5)
stddev(a)
stddev_samp(a)
var_pop(a)
variance(a)
bool_and(b)
count_if(b)
countif(b)
sum(a) OVER ()
sum(a) OVER (PARTITION BY name)
sum(a) OVER (PARTITION BY name ORDER BY a)
sum(a) OVER (PARTITION BY name ORDER BY a DESC NULLS LAST)
sum(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)
sum(a) OVER (ORDER BY a ROWS UNBOUNDED PRECEDING)
sum(a) OVER (ORDER BY a RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
sum(a) OVER (ORDER BY a ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
sum(a) OVER (ORDER BY a GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES)
row_number() OVER (ORDER BY a)
rank() OVER (ORDER BY a, value DESC)
lag(a) OVER (ORDER BY a)
lag(a, 1, 0) OVER (ORDER BY a)
lead(a IGNORE NULLS) OVER (ORDER BY a)
first_value(a) OVER (ORDER BY a)
nth_value(a, 2) OVER (ORDER BY a)
ntile(4) OVER (ORDER BY a)
sum(a) FILTER (WHERE b) OVER (ORDER BY a)
list_transform(l, lambda x: x + 1)
list_transform(l, lambda x, i: x + i)
list_filter(l, lambda x: x > 1)
list_reduce(l, lambda x, y: x + y)
[x * 2 for x in l]
[x for x in l if x > 1]
list_value(1, 2)
struct_pack(a := 1)
list_contains(l, 1)
len(l)
array_length(l)
concat(name, 'a', 1)
concat_ws(',', name, 'a')
regexp_matches(name, 'a')
regexp_replace(name, 'a', 'b', 'g')
regexp_extract(name, '(a)', 1)
format('{}', a)
printf('%d', a)
round(value, 2)
round(value)
ceil(value)
ceiling(value)
floor(value)
greatest(a, 1)
least(a, 1)
abs(a)
sqrt(a)
ln(value)
log(value)
log(2, value)
log10(value)
exp(value)
typeof(a)
alias(a)
a = 1
a <> 1
a != 1
a == 1
a < 1
a <= 1
(a + 1) * 2
a + 1 * 2
a - 1 - 2
a - (1 - 2)
1 + 2 + a
a AND b
a::BOOLEAN AND b
'2024-01-01'::DATE
'1'::INTEGER
DATE '2024-01-01' - DATE '2023-01-01'
TIME '10:00:00'
TIMESTAMPTZ '2024-01-01 00:00:00+00'
'a'::BLOB
'\xAA'::BLOB
UUID '47183823-2574-4bfd-b411-99ed177d3e43'
1::HUGEINT
1::UTINYINT
1.5::FLOAT
0.1::DECIMAL(4,2)
make_date(2024, 1, 1)
to_days(1)
epoch_ms(ts)
ts AT TIME ZONE 'UTC'
timezone('UTC', ts)
time_bucket(INTERVAL '1 day', ts)
sum(a) / count(*)
sum(a) * 1.0 / count(*)
sum(CASE WHEN b THEN 1 ELSE 0 END)
a::INT4
CAST(a AS TEXT)
CAST(a AS INT)
CAST(a AS STRING)
CAST(day AS TIMESTAMP)
CAST(ts AS DATE)
CAST(a AS REAL)
CAST(a AS NUMERIC)
CAST(a AS DECIMAL)
CAST(a AS FLOAT)
CAST(name AS ENUM('a','b'))
l || [1]
[1] || l
l @> [1]
l && [1]
l <@ [1]
name ^@ 'a'
starts_with(name, 'a')
prefix(name, 'a')
contains(name, 'a')
a IS NULL AND b IS NOT NULL
NOT (a = 1 AND b)
(a, name) = (1, 'x')
(a, name) IN ((1, 'x'))
isnan(value)
value::INTEGER % 2 = 0
$$dollar$$
e'a\nb'
1_000
0xFF
.5
5.
-5.5
cast(NULL as INTEGER)
NULL::INTEGER
interval 1 year
interval '1 year 2 months'
interval (a) day
day - interval '1' month
age(ts, ts)
age(ts)
"""

QUERIES = """
SELECT (SELECT max(a) FROM t)
SELECT (SELECT 1)
SELECT EXISTS (SELECT 1)
SELECT NOT EXISTS (SELECT 1 FROM t)
SELECT a IN (SELECT a FROM t) FROM t
SELECT a NOT IN (SELECT a FROM t) FROM t
SELECT a = ANY (SELECT a FROM t) FROM t
SELECT a > ALL (SELECT a FROM t) FROM t
SELECT ARRAY(SELECT a FROM t)
SELECT (SELECT max(value) FROM t u WHERE u.a = t.a) FROM t
SELECT a, count(*) FROM t GROUP BY a
SELECT grouping(a), grouping_id(a) FROM t GROUP BY ROLLUP(a)
SELECT unnest(l) FROM t
SELECT unnest([1,2])
SELECT generate_series(1, 3)
SELECT range(3)
SELECT t.* FROM t
SELECT x.a FROM t AS x
SELECT 1 AS "select", 2 AS b
"""


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    made = Engines()
    made.tqp.sql(TABLE)
    made.duckdb.execute(TABLE)
    yield made
    made.close()


def _require_same(engines: Engines, query: str) -> None:
    assert engines.tqp.sql(query).columns == engines.duckdb.sql(query).columns


@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
def test_an_expression(engines: Engines, expression: str) -> None:
    _require_same(engines, f"SELECT {expression} FROM t")


@pytest.mark.parametrize("query", QUERIES.strip().splitlines())
def test_a_query(engines: Engines, query: str) -> None:
    _require_same(engines, query)


def test_keywords_are_those_of_duckdb(engines: Engines) -> None:
    found = engines.duckdb.sql("SELECT upper(keyword_name) FROM duckdb_keywords()").fetchall()
    assert {word for (word,) in found} == KEYWORDS
