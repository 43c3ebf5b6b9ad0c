-- script: scalar

CREATE MACRO f(a, b := 5) AS a + b;
SELECT f(1);
SELECT f(1, 2), f(1, b := 3), f(a := 1), f(b := 3, a := 1);
-- both refuse
SELECT f();
-- both refuse
SELECT f(1, 2, 3);
-- both refuse
SELECT f(1, c := 3);
-- both refuse
SELECT f(b := 3, 1);
SELECT f(1) * 2, f(1) AS q, F(2), f(1 + 1);
-- both refuse
CREATE MACRO f(a) AS a;
CREATE MACRO IF NOT EXISTS f(a) AS a;
CREATE OR REPLACE MACRO f(a) AS a * 10, (a, b) AS a * b;
SELECT f(1), f(2, 3);
DROP MACRO f;
-- both refuse
SELECT f(1);
DROP FUNCTION IF EXISTS f;
-- both refuse
DROP MACRO f;
CREATE FUNCTION g(x) AS x || '!';
SELECT g('a'), main.g('b') AS b;
DROP FUNCTION g;
CREATE MACRO m() AS 42;
SELECT m(), m() + m();
CREATE MACRO n(x := 1, y := 2) AS x * 10 + y;
SELECT n(), n(5), n(y := 7), n(5, 6);
CREATE MACRO "s p"(x) AS x;
SELECT "s p"(4) AS four;
CREATE TEMP MACRO tt(x) AS -x;
SELECT tt(1), tt(-1), tt(1 + 2);
CREATE MACRO neg(x) AS x * 2;
SELECT neg(1 + 2);
CREATE MACRO h(x, y) AS CASE WHEN x > y THEN x ELSE y END;
SELECT h(3, 4), h(y := 3, x := 9);
CREATE MACRO j(x) AS x IN (1, 2, 3);
SELECT j(2), j(5);

-- script: of columns and aggregates

CREATE TABLE t AS SELECT * FROM (VALUES (1, 2, 'a'), (3, 4, 'b'), (3, 6, NULL)) v(a, b, s);
CREATE MACRO ag(x) AS sum(x) / count(*);
SELECT ag(a) FROM t;
SELECT a, ag(b) FROM t GROUP BY a ORDER BY a;
CREATE MACRO inc(x) AS x + 1;
SELECT inc(a), count(*) FROM t GROUP BY inc(a) ORDER BY inc(a);
SELECT a AS k, inc(a) FROM t GROUP BY ALL ORDER BY ALL;
SELECT count(*) FROM t GROUP BY inc(a) HAVING inc(a) > 2;
SELECT DISTINCT inc(a) FROM t ORDER BY 1;
SELECT inc(t.b) FROM t WHERE inc(a) = 4 ORDER BY inc(b) DESC;
SELECT inc(inc(a)) FROM t ORDER BY 1;
CREATE MACRO m(x) AS (SELECT sum(a) + x FROM t);
SELECT m(5);
CREATE MACRO w(x) AS row_number() OVER (ORDER BY x);
SELECT w(b) FROM t ORDER BY 1;
SELECT inc((SELECT max(b) FROM t));
SELECT (SELECT inc(max(a)) FROM t WHERE b < o.b) FROM t o ORDER BY 1;
CREATE MACRO g(s) AS upper(s) || lower(s);
SELECT g(s) FROM t ORDER BY s;
-- both refuse
SELECT inc(DISTINCT a) FROM t;
-- both refuse
SELECT inc(a) OVER () FROM t;
-- both refuse
SELECT inc(a) FILTER (a > 0) FROM t;

-- script: that hide functions

SELECT lower('A'), abs(-1);
CREATE MACRO lower(x) AS 'mine';
SELECT lower('A');
CREATE MACRO abs(x) AS x + 1000;
SELECT abs(-1), abs(abs(-1));
CREATE TABLE t AS SELECT 1 AS a;
CREATE MACRO sum(x) AS 5;
SELECT sum(a) FROM t;
DROP MACRO lower;
SELECT lower('A'), upper('a');
-- both refuse
DROP MACRO lower;

-- script: what is no macro

-- both refuse
CREATE MACRO p(x, x) AS x;
-- both refuse
CREATE MACRO d(a := 1, b) AS a;
-- both refuse
CREATE MACRO h(a) AS a + b;
-- both refuse
CREATE MACRO d(x) AS t.x;
-- both refuse
CREATE MACRO rec(x) AS rec(x);
-- both refuse
CREATE MACRO bad(x) AS nofunction(x);
-- both refuse
CREATE MACRO bad(x) AS;
-- both refuse
CREATE MACRO bad(x);
-- both refuse
CREATE MACRO o(a, b := a) AS a + b;
-- both refuse
CREATE MACRO q(*x) AS 1;
-- both refuse
CREATE MACRO bad(x) AS x +;
-- both refuse
CREATE MACRO bad(x) AS TABLE SELECT nope FROM nowhere;
-- both refuse
CREATE MACRO nope.z(a) AS a;
-- both refuse
CREATE MACRO bad(x) AS x AS y;
-- both refuse
SELECT bad(1);

-- script: table

CREATE TABLE t AS SELECT 1 AS x, 2 AS y;
CREATE MACRO tm(x) AS TABLE SELECT x, y, x + y AS s FROM t;
FROM tm(10);
SELECT * FROM tm(x := 3) AS q(z);
-- both refuse
SELECT tm.s FROM tm(4);
-- both refuse
FROM tm();
-- both refuse
FROM tm(1, 2);
-- both refuse
SELECT tm(1);
CREATE MACRO tn(z) AS TABLE SELECT z FROM t;
FROM tn(10);
FROM tn(1 + 1);
CREATE MACRO c(n) AS TABLE SELECT * FROM t ORDER BY y LIMIT n;
FROM c(1);
FROM c(0);
CREATE MACRO wh(n) AS TABLE FROM t WHERE x >= n;
FROM wh(0);
FROM wh(n := 2);
CREATE MACRO un(x) AS TABLE SELECT 1 AS a UNION ALL SELECT x;
FROM un(3) ORDER BY a;
SELECT sum(a) FROM un(3) u JOIN t ON u.a = t.x;
CREATE MACRO cte(x) AS TABLE WITH c AS (SELECT x AS v) SELECT v + x AS r FROM c;
FROM cte(2);
CREATE MACRO star() AS TABLE SELECT * FROM t;
SELECT * FROM star();
INSERT INTO t VALUES (5, 6);
SELECT * FROM star() ORDER BY ALL;
-- both refuse
CREATE MACRO un(x) AS TABLE SELECT x;
DROP MACRO TABLE un;
-- both refuse
FROM un(1);
CREATE MACRO b(a) AS a;
CREATE MACRO b(a) AS TABLE SELECT a AS x;
SELECT b(1);
FROM b(1);
DROP FUNCTION b;
-- both refuse
FROM f(1);

-- script: that call macros

CREATE MACRO dd(a := 1 + 1) AS a * 2;
SELECT dd();
SELECT dd(dd(3));
CREATE MACRO nest(x) AS dd(x) + dd(1);
SELECT nest(5);
CREATE OR REPLACE MACRO dd(a := 0) AS a * 3;
SELECT nest(5);
CREATE MACRO tt(n) AS TABLE SELECT dd(n) AS r;
FROM tt(5);
CREATE VIEW v AS SELECT nest(2) AS n;
FROM v;
DROP MACRO dd;
-- both refuse
SELECT nest(5);
-- both refuse
FROM v;

-- script: lambdas in a definition
CREATE TABLE t AS SELECT 5 AS x, 10 AS i, {'a': 7} AS s;
CREATE MACRO f(y) AS list_transform([1, 2], lambda x, i: x + y + i);
SELECT f(x + i), f(t.x), f(3) FROM t;
CREATE MACRO g(x) AS [x + 1 for x in [1, 2]];
SELECT g(5), g(x) FROM t;
CREATE MACRO h(y) AS list_transform([{'a': 1}], lambda S: s.a + y + {'s': s.a}.s);
SELECT h(s.a) FROM t;
CREATE MACRO k(y) AS list_transform([10], lambda x: list_transform([x], lambda i: f(x)[1] + y + i));
SELECT k(x), k(x + i), k(f(x)[1]) FROM t;
CREATE MACRO l(y) AS [x + y + i for x, i in [4, 5, 6] if i > 1 AND y > 0];
SELECT l(x + i) FROM t;
CREATE MACRO m(l, y) AS list_transform(l, lambda x: x + y);
SELECT m([1, NULL], x), m([i], x) FROM t;
CREATE MACRO n(s) AS struct_extract(s, 'a');
SELECT n(s), n({'a': 'b'}) FROM t;
-- both refuse
CREATE MACRO o(l) AS nofunction(l, lambda x: x + 1);

-- script: a default that calls a macro
CREATE MACRO f(x) AS x + 1;
CREATE MACRO g(a, b := f(f(10))) AS a + b;
SELECT g(1), g(1, b := f(3)), g(1, 2);

-- script: fields of a parameter
CREATE MACRO f(s, t) AS s.a + T.a;
SELECT f(x, x), f(x, {'a': 100}), f({'a': 1}, x) AS g FROM (VALUES ({'a': 5}), (NULL), ({'a': NULL})) v(x) ORDER BY ALL;
CREATE MACRO g(s) AS s.a.b;
SELECT g({'a': {'b': 7}});
-- both refuse
SELECT g({'a': 1});
CREATE MACRO h(t) AS (SELECT t.x FROM (SELECT 3 AS x) t);
SELECT h({'x': 1});
CREATE MACRO k(s) AS list_transform([1], lambda s: s + 1)[1] + s.a;
SELECT k({'a': 1});
-- both refuse
CREATE MACRO l(s) AS t.s;

-- script: definitions that take the same arguments

CREATE MACRO f(a, b, m := 1) AS (a + b) * m, (a, b, c, d := 1) AS (a + b + c) / d;
-- both refuse
SELECT f(1, 2, 3);
SELECT f(1, 2), f(1, 2, c := 3), f(1, 2, m := 3), f(1, 2, 3, 4);
CREATE MACRO rows_of(a) AS TABLE (SELECT a AS one), (a, b := 2) AS TABLE (SELECT a + b AS two);
-- both refuse
FROM rows_of(1);
FROM rows_of(1, 2);

-- script: a comma within the query of a definition, and behind it

CREATE TABLE q AS SELECT 7 AS b;
CREATE MACRO one(a) AS TABLE SELECT a, (a, 1) AS y, (a) AS z;
FROM one(3);
CREATE MACRO two(a) AS TABLE SELECT a FROM q, (SELECT 2) AS y;
FROM two(3);
CREATE MACRO three(a) AS TABLE SELECT (a, b) AS pair FROM q WHERE b = 7, (a, c) AS TABLE SELECT a, (a, c) AS pair;
FROM three(3);
FROM three(3, 4);
CREATE MACRO four(a) AS TABLE SELECT a LIMIT 1, (a, c) AS TABLE (SELECT c), () AS TABLE SELECT (1, 2) AS TABLE;
FROM four(3), four(3, 4), four();
-- both refuse
CREATE MACRO five(a) AS TABLE SELECT a, (a, c) AS TABLE SELECT c;
-- both refuse
CREATE MACRO five(a) AS TABLE FROM q, (a, c) AS TABLE SELECT c;
-- both refuse
CREATE MACRO five(a) AS TABLE SELECT a ORDER BY a, (a, c) AS TABLE SELECT c;

-- script: calls that are syntax

CREATE MACRO "try"(x) AS 9;
CREATE MACRO ifnull(a, b) AS 8;
CREATE MACRO date(a) AS 5;
CREATE MACRO "coalesce"(a, b) AS 7;
CREATE SCHEMA s;
CREATE MACRO s.coalesce(a, b) AS 6;
SELECT date('2020-01-01'), try(1), "try"(1), ifnull(NULL, 2), "ifnull"(NULL, 2), (NULL).ifnull(3), (1).try();
SELECT coalesce(NULL, 2), "coalesce"(NULL, 2), s.coalesce(NULL, 2), (NULL::INTEGER).coalesce(3);

-- script: what is not there within a lambda

-- both refuse
CREATE MACRO m(l) AS list_transform(l, lambda x: nope(x));
-- both refuse
CREATE MACRO m(l) AS list_filter(l, lambda x: x::nope > 1);
-- both refuse
CREATE MACRO m(l, y) AS list_transform(l, lambda x: x || y 's');
CREATE MACRO m(l, y) AS list_transform(l, lambda x: x || y);
SELECT m(['a', NULL], 'b'), m(NULL::VARCHAR[], 'b');
