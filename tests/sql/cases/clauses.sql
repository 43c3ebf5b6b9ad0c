-- FROM first, and alone
FROM emp;
FROM emp SELECT name, id WHERE id > 3;
FROM emp SELECT dept, count() GROUP BY dept;
FROM emp ORDER BY id LIMIT 2;
SELECT * FROM (FROM emp WHERE id < 3);
(FROM emp) UNION ALL (FROM emp);
FROM t: emp SELECT t.id;
SELECT a: id, name FROM e: emp;
SELECT id, name, FROM emp,;
-- VALUES
VALUES (1, 'a'), (2, 'b');
VALUES (3), (1), (2) ORDER BY 1 DESC OFFSET 1;
VALUES (1), (2) INTERSECT SELECT 2;
SELECT * FROM VALUES (1, 2), (3, 4) t(a, b);
WITH t(a, b) AS (VALUES (1, 2), (3, 4)) SELECT a + b FROM t;
WITH t(x) AS (VALUES (1), (2)) VALUES ((SELECT max(x) FROM t)), (7) ORDER BY 1 LIMIT 1;
SELECT (VALUES (42));
SELECT * FROM emp WHERE id IN (VALUES (1), (3));
SELECT * FROM emp WHERE (id, dept) IN (VALUES (1, 10), (3, 20));
SELECT * FROM emp WHERE id NOT IN (VALUES (1), (NULL));
SELECT * FROM emp WHERE id IN (VALUES (dept), (1));
SELECT id IN (VALUES (2), (4)) AS y FROM emp;
SELECT id FROM emp WHERE id = ANY (VALUES (1), (2));
-- both refuse
SELECT * FROM emp WHERE id IN (VALUES (1, 2));
-- both refuse
VALUES (1, 2), (3);
-- FETCH FIRST
SELECT id FROM emp ORDER BY id FETCH FIRST 3 ROWS ONLY;
SELECT id FROM emp ORDER BY id FETCH FIRST ROW ONLY;
SELECT id FROM emp ORDER BY id OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY;
SELECT id FROM emp ORDER BY id FETCH FIRST 2 + 1 ROWS ONLY;
SELECT id FROM emp ORDER BY id FETCH FIRST (SELECT 2) ROWS ONLY OFFSET 1;
SELECT id FROM emp ORDER BY id FETCH FIRST NULL ROWS ONLY;
-- both refuse
SELECT id FROM emp ORDER BY id FETCH FIRST 3 ROWS WITH TIES;
-- both refuse
SELECT id FROM emp ORDER BY id FETCH FIRST 30 PERCENT ROWS ONLY;
-- both refuse
SELECT id FROM emp ORDER BY id LIMIT 3 FETCH FIRST 2 ROWS ONLY;
-- both refuse
SELECT id FROM emp ORDER BY id FETCH FIRST -1 ROWS ONLY;
-- LIMIT and OFFSET that are computed
SELECT id FROM emp ORDER BY id LIMIT 1 + 2;
SELECT id FROM emp ORDER BY id LIMIT 3 % 2;
SELECT id FROM emp ORDER BY id LIMIT greatest(1, 2) + 1 OFFSET 1.5;
SELECT id FROM emp ORDER BY id LIMIT '3';
SELECT id FROM emp ORDER BY id LIMIT 2.5;
SELECT id FROM emp ORDER BY id LIMIT -0.4;
SELECT id FROM emp ORDER BY id LIMIT true;
SELECT id FROM emp ORDER BY id LIMIT ALL;
SELECT id FROM emp ORDER BY id LIMIT NULL OFFSET NULL;
SELECT id FROM emp ORDER BY id LIMIT (SELECT count(*) // 2 FROM emp);
SELECT id FROM emp ORDER BY salary DESC NULLS LAST, id LIMIT (SELECT 3) OFFSET (SELECT min(id) FROM emp);
SELECT id FROM emp ORDER BY id LIMIT (SELECT k FROM n WHERE k > 100);
SELECT id FROM emp ORDER BY id LIMIT (SELECT 2.5);
SELECT id FROM emp ORDER BY id LIMIT (SELECT 3.5);
SELECT id FROM emp ORDER BY id LIMIT (SELECT '2') OFFSET (SELECT NULL);
SELECT * FROM (SELECT id FROM emp ORDER BY -id LIMIT (SELECT 3)) ORDER BY id LIMIT 50%;
(SELECT id FROM emp ORDER BY id LIMIT 50%) UNION ALL (SELECT k FROM n ORDER BY k LIMIT (SELECT 1));
SELECT max(id) FROM (SELECT id FROM emp ORDER BY id LIMIT (SELECT 4));
SELECT id, id IN (SELECT k FROM n ORDER BY k LIMIT (SELECT 4)) AS x FROM emp;
-- both refuse
SELECT id FROM emp LIMIT -1;
-- both refuse
SELECT id FROM emp LIMIT -0.6;
-- both refuse
SELECT id FROM emp LIMIT 'a';
-- both refuse
SELECT id FROM emp LIMIT DATE '2020-01-01';
-- both refuse
SELECT id FROM emp LIMIT id;
-- both refuse
SELECT id FROM emp LIMIT count(*);
-- both refuse
SELECT id FROM emp LIMIT (SELECT -1);
-- both refuse
SELECT id FROM emp OFFSET (SELECT -1);
-- both refuse
SELECT id FROM emp LIMIT (SELECT 'x');
-- both refuse
SELECT id FROM emp LIMIT (SELECT k FROM n WHERE k > 1);
-- both refuse
SELECT id FROM emp LIMIT (SELECT 2, 3);
-- both refuse
SELECT id FROM emp LIMIT 9223372036854775808;
-- both refuse
SELECT id FROM emp UNION SELECT k FROM n LIMIT (SELECT 2);
VALUES (1), (2) ORDER BY 1 LIMIT (SELECT 1);
-- LIMIT in percent
SELECT id FROM emp ORDER BY id LIMIT 50%;
SELECT id FROM emp ORDER BY id LIMIT 33.4 PERCENT;
SELECT id FROM emp ORDER BY id LIMIT 37.5% OFFSET 2;
SELECT id FROM emp ORDER BY id LIMIT 50% OFFSET 6;
SELECT id FROM emp ORDER BY id LIMIT (20 + 5)%;
SELECT id FROM emp ORDER BY id LIMIT 3 + 70 %;
SELECT id FROM emp ORDER BY id LIMIT '20'%;
SELECT id FROM emp ORDER BY id LIMIT NULL%;
SELECT id FROM emp ORDER BY id LIMIT (SELECT 25)%;
SELECT id FROM emp ORDER BY id LIMIT (SELECT NULL)% OFFSET (SELECT 1);
SELECT id FROM emp UNION ALL SELECT k FROM n ORDER BY 1 LIMIT 40%;
SELECT count(*) FROM (SELECT * FROM emp a, emp b, emp c LIMIT 29%);
SELECT k FROM empty LIMIT 50%;
-- both refuse
SELECT id FROM emp LIMIT 101%;
-- both refuse
SELECT id FROM emp LIMIT -1%;
-- both refuse
SELECT id FROM emp LIMIT 'nan'::DOUBLE%;
-- both refuse
SELECT id FROM emp LIMIT (SELECT 125)%;
-- both refuse
SELECT id FROM emp LIMIT (SELECT -1)%;
-- DISTINCT ON
SELECT DISTINCT ON (dept) dept, id, name FROM emp ORDER BY dept, id;
SELECT DISTINCT ON (dept) * FROM emp ORDER BY salary DESC, id;
SELECT DISTINCT ON (dept) dept, id FROM emp ORDER BY dept DESC, id DESC;
SELECT DISTINCT ON (dept) dept, id FROM (FROM emp ORDER BY id) ORDER BY dept;
SELECT DISTINCT ON (dept, active) dept, active, id FROM emp ORDER BY dept, active, id DESC;
SELECT DISTINCT ON ((dept, active), id) dept, active, id FROM emp ORDER BY id;
SELECT DISTINCT ON (dept + 1) id FROM emp ORDER BY id LIMIT 3;
SELECT DISTINCT ON (1) dept, id FROM emp ORDER BY id;
SELECT DISTINCT ON (x) dept AS x, id FROM emp ORDER BY id;
SELECT DISTINCT ON (id) dept AS id FROM emp ORDER BY 1;
SELECT DISTINCT ON (dept, dept) dept, min(id) OVER (PARTITION BY dept) m FROM emp ORDER BY m, dept;
SELECT DISTINCT ON (dept) max(id) FROM emp GROUP BY dept, active ORDER BY max(id);
SELECT DISTINCT ON (row_number() OVER (ORDER BY id) % 2) id FROM emp ORDER BY id;
SELECT DISTINCT ON ((SELECT 1)) id FROM emp ORDER BY id;
SELECT DISTINCT ON (dept) id, id FROM emp ORDER BY id;
SELECT DISTINCT ON (v) k, v FROM n ORDER BY v NULLS FIRST, k DESC NULLS LAST;
SELECT DISTINCT ON (k) k, v FROM n ORDER BY k, v DESC NULLS LAST LIMIT 50%;
SELECT count(*) FROM (SELECT DISTINCT ON (dept) * FROM emp);
SELECT a.id FROM emp a JOIN (SELECT DISTINCT ON (dept) id FROM emp ORDER BY dept, id DESC) b ON a.id = b.id;
-- both refuse
SELECT DISTINCT ON ('a') id FROM emp;
-- both refuse
SELECT DISTINCT ON (5) id FROM emp;
-- both refuse
SELECT DISTINCT ON () id FROM emp;
-- DISTINCT in the order of what it does not select
SELECT DISTINCT dept FROM emp WHERE id < 4 ORDER BY id;
SELECT DISTINCT dept FROM emp WHERE id < 4 ORDER BY id + 1 DESC LIMIT 1;
SELECT DISTINCT active, dept FROM emp ORDER BY dept + 1, active;
SELECT DISTINCT dept, dept FROM emp ORDER BY dept;
-- any word is a name behind AS
SELECT 1 AS SELECT, 2 AS NOT, 3 AS case, 4 AS from, 5 AS all, 6 AS values, 7 AS and;
-- VALUES with a name
SELECT * FROM VALUES (1), (2) t(b);
SELECT * FROM (VALUES (1)), (VALUES (2)) t;
-- both refuse
SELECT * FROM (VALUES (1), (2) t(b)) u(a);
-- both refuse
SELECT t.b FROM (VALUES (1), (2) AS t(b));
-- both refuse
FROM 'emp' ('emp');
SELECT * FROM (VALUES (1), (2) ORDER BY 1 DESC) t(l);
SELECT * FROM (VALUES (1), (3), (2) ORDER BY 1 DESC LIMIT 1);
SELECT l + 1 FROM (VALUES (1), (2) LIMIT 1 OFFSET 1) t(l), (VALUES (5)) u(v);
SELECT 2 IN (VALUES (1), (2) ORDER BY 1) AS a, (VALUES (1), (2) ORDER BY 1 DESC LIMIT 1) AS b;
-- words of statements and of other dialects are names
SELECT id xor, t.drop, rlike.force FROM (SELECT id, name AS drop FROM emp) t, (SELECT 1 force) rlike ORDER BY xor LIMIT 3;
WITH alter AS (SELECT id AS grant FROM emp) SELECT grant + 1 AS revoke, alter.grant FROM alter ORDER BY alter.grant LIMIT 3;
-- both refuse
SELECT 1 FROM emp WHERE grouping(id) = 1;
-- both refuse
SELECT grouping(id) FROM emp;
-- a comma behind the last
SELECT id FROM emp ORDER BY id DESC, LIMIT 2;
WITH a AS (SELECT id, FROM emp), SELECT id, count(*), FROM a GROUP BY id, ORDER BY id, OFFSET 2;
-- both refuse
SELECT * REPLACE (1 AS id) RENAME FOLLOWING (id AS z) FROM emp;
-- both refuse
SELECT COLUMNS(* RENAME (id AS)) FROM emp;
-- a name before a table, and none behind it then
SELECT a.x, b.col0 FROM a: (SELECT 1 AS x), b: (VALUES (2));
-- both refuse
FROM a: (SELECT 1 AS x) b;
SELECT a.x, b.* FROM a: (SELECT 1 AS x), b: range(2);
-- both refuse
SELECT 5::FLOAT();
-- columns of FROM by number
SELECT #2, #1 FROM emp;
SELECT #2 AS n, n || '!' FROM emp;
SELECT #1 + 1, #1::VARCHAR FROM emp WHERE #1 > 2;
SELECT #5, #1 FROM emp a JOIN emp b USING (id) ORDER BY ALL;
SELECT sum(#1), #3 FROM emp GROUP BY #3 ORDER BY ALL;
SELECT name, id FROM emp ORDER BY #2 DESC;
SELECT name, row_number() OVER (ORDER BY #1) FROM emp;
SELECT list(#1 ORDER BY #2) FROM emp;
SELECT DISTINCT ON (#2) name, dept FROM emp ORDER BY #2, #1;
SELECT (SELECT #1 FROM (VALUES (7)) t(x)) FROM emp LIMIT 1;
SELECT # 1 FROM emp UNION ALL SELECT 3 ORDER BY #1 LIMIT 2;
-- both refuse
SELECT #99 FROM emp;
-- both refuse
SELECT #0 FROM emp;
-- both refuse
SELECT #1;
-- both refuse
SELECT (SELECT #1) FROM emp;
-- both refuse
SELECT name FROM emp ORDER BY #2;
-- both refuse
SELECT #1.a FROM emp;
-- both refuse
SELECT #-1 FROM emp;
-- an alias is a whole key of GROUP BY
SELECT 1 AS k, count(*) FROM m GROUP BY (k);
SELECT k % 2 AS a, a + 1 AS b, count(*) FROM n GROUP BY ALL ORDER BY ALL;
SELECT k % 2 AS a, a + 1 AS b, count(*) FROM n GROUP BY a ORDER BY ALL;
SELECT 1 AS v, count(*) FROM n GROUP BY v + 1;
-- both refuse
SELECT 1 AS x FROM n GROUP BY x + 1;
-- both refuse
SELECT k AS x, max(v) FROM n GROUP BY k, x IS NULL;
-- both refuse
SELECT k % 2 AS a, a AS b, count(*) FROM n GROUP BY b, a;
-- both refuse
SELECT k % 2 AS a, a + 1 AS b, count(*) FROM n GROUP BY 1, 2;
-- both refuse
SELECT 1 AS x, count(*) FROM n GROUP BY GROUPING SETS ((x + 1), ());
-- both refuse
SELECT (SELECT 5 AS x FROM n GROUP BY x + 1 LIMIT 1) FROM (SELECT 1 AS x);
-- `alias.x` is an alias of the SELECT list, whatever columns are called so
SELECT k + 1 AS k, alias.k + 2 AS y, "alias".K FROM n;
SELECT k % 2 AS k, count(*) AS c FROM n GROUP BY alias.k HAVING alias.c > 1 ORDER BY alias.k;
SELECT v + 10 AS v FROM n WHERE alias.v > 20;
SELECT -k AS k FROM n ORDER BY -alias.k;
SELECT k, row_number() OVER (ORDER BY k, v) AS r FROM n QUALIFY alias.r = 2;
SELECT k AS a, sum(alias.a) OVER () FROM n;
SELECT alias.k AS x, alias.x FROM n alias;
SELECT alias.x, alias.b FROM (SELECT {'x': 1, 'b': 3} AS alias, 2 AS b);
-- both refuse
SELECT alias.x FROM n;
-- both refuse
SELECT alias.x + 1 AS y, k AS x FROM n;
-- both refuse
SELECT alias.k AS x FROM n ORDER BY alias.x;
-- both refuse
SELECT DISTINCT ON (true) k FROM n;
-- both refuse
SELECT DISTINCT ON (k, NULL) k FROM n;
-- GROUP BY t.* is GROUP BY ALL
SELECT v, count(*) FROM n GROUP BY n.*;
SELECT count(*) FROM n GROUP BY n.*;
-- both refuse
SELECT v, count(*) FROM n GROUP BY n.*, v;
-- a table under another name has no schema
-- both refuse
SELECT main.x.k FROM main.n x;
-- both refuse
SELECT main.x FROM main.n x;
-- both refuse
WITH q AS (SELECT 1 AS a) SELECT main.q.a FROM q;
-- both refuse
SELECT other.main.n.k FROM n;
-- COLUMNS in a FILTER holds for all columns, wherever the aggregate stands
SELECT k, sum(v) FILTER (WHERE COLUMNS(*) IS NOT NULL) AS s FROM n GROUP BY k HAVING count(*) FILTER (WHERE COLUMNS(*) > 0) > 0 ORDER BY sum(v) FILTER (WHERE COLUMNS(*) IS NOT NULL);
SELECT DISTINCT ON (count(v) FILTER (WHERE COLUMNS('k|v') > 1)) count(v) FILTER (WHERE COLUMNS('k|v') > 1) AS c FROM n GROUP BY k;
SELECT k, v FROM n QUALIFY sum(v) FILTER (WHERE COLUMNS(*) IS NOT NULL) OVER (PARTITION BY k) > 10;
SELECT (SELECT sum(k) FILTER (WHERE COLUMNS(*) IS NOT NULL) FROM m) AS z, sum(v) FILTER (WHERE COLUMNS(*) IS NOT NULL) AS y FROM n;
-- a column in parentheses has its own name
SELECT id FROM (SELECT (emp.id) FROM emp) ORDER BY id;
SELECT (emp.dept), count(*) FROM emp GROUP BY ALL ORDER BY dept;
-- a list of names may repeat one, or name another column: the later one gets a number
SELECT * FROM (SELECT 1 AS a, 2 AS b) t(x, x);
SELECT x_1, x FROM (VALUES (1, 2)) t(x, x);
SELECT b, b_1 FROM (SELECT 1 AS a, 2 AS b) t(b);
SELECT * FROM (SELECT 1 AS a, 2 AS a, 3 AS x) t(x);
SELECT id, id_1 FROM emp t(x, id, id) ORDER BY 1 LIMIT 2;
SELECT id_1 FROM (emp u JOIN emp v ON u.id = v.dept) t;
WITH c(x, x) AS (SELECT 1, 2) SELECT x_1, * FROM c;
WITH c(b) AS (SELECT 1 AS a, 2 AS b) SELECT * FROM c;
SELECT * FROM (SELECT id, dept, name FROM emp) UNPIVOT (v FOR n IN (id, dept)) p(x, x, x);
