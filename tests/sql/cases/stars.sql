-- EXCLUDE, REPLACE, RENAME
SELECT * EXCLUDE id FROM emp;
SELECT * EXCLUDE (emp.id, dept.id) FROM emp JOIN dept ON emp.dept = dept.id;
SELECT * EXCLUDE (k) FROM n JOIN m USING (k);
SELECT * EXCLUDE (n.k) FROM n JOIN m USING (k);
SELECT * EXCLUDE (m.k) FROM n JOIN m USING (k);
SELECT * EXCLUDE (k) FROM n JOIN m ON n.k = m.k;
SELECT n.* EXCLUDE (n.k) FROM n;
SELECT * REPLACE (id * 2 AS id, upper(name) AS name) FROM emp;
SELECT emp.* EXCLUDE (id) REPLACE (dept + 1 AS dept) FROM emp;
SELECT * REPLACE (x.k + 1 AS K) FROM n x;
SELECT * RENAME (id AS number) FROM emp;
SELECT * EXCLUDE (dept) RENAME (emp.id AS number) FROM emp;
SELECT * RENAME (k AS a, k AS b) FROM n;
SELECT * EXCLUDE (k) AS z FROM n;
SELECT n.* AS z FROM n;
-- both refuse
SELECT * EXCLUDE (nosuch) FROM emp;
-- both refuse
SELECT * EXCLUDE (n.nosuch) FROM n;
-- both refuse
SELECT * EXCLUDE (k, k) FROM n;
-- both refuse
SELECT * EXCLUDE (k, v) FROM n;
-- both refuse
SELECT * REPLACE (1 AS k, 2 AS k) FROM n;
-- both refuse
SELECT * REPLACE (k AS nosuch) FROM n;
-- both refuse
SELECT * REPLACE (COLUMNS(*) + 1 AS k) FROM n;
-- both refuse
SELECT * EXCLUDE (id) REPLACE (1 AS id) FROM emp;
-- both refuse
SELECT * EXCLUDE (k) RENAME (k AS a) FROM n;
-- both refuse
SELECT * REPLACE (1 AS k) RENAME (k AS z) FROM n;
-- patterns for names
SELECT * LIKE '%a%' FROM emp;
SELECT * NOT ILIKE '%A%' FROM emp;
SELECT * LIKE 'i%' ESCAPE '!' FROM emp;
SELECT * GLOB 'b*' FROM emp;
SELECT * NOT GLOB 'b*' FROM emp;
-- both refuse
SELECT * SIMILAR TO 'a' FROM emp;
SELECT * SIMILAR TO 'a.*' FROM emp;
SELECT * NOT SIMILAR TO 'a' FROM emp;
SELECT * ~ 'a' FROM emp;
SELECT * !~ 'a' FROM emp;
SELECT * ~~~ '*a*' FROM emp;
SELECT emp.* ILIKE '%A%' FROM emp;
SELECT * EXCLUDE (name) LIKE '%a%' FROM emp;
SELECT * LIKE '%' AS x FROM n;
-- both refuse
SELECT * LIKE 'nosuch' FROM n;
-- both refuse
SELECT * GLOB 'K' FROM n;
-- both refuse
SELECT * LIKE NULL FROM n;
-- both refuse
SELECT * LIKE 5 FROM n;
-- both refuse
SELECT * LIKE 'k' || '' FROM n;
-- both refuse
SELECT * REPLACE (k + 1 AS k) LIKE 'k' FROM n;
-- both refuse
SELECT * RENAME (k AS z) LIKE 'z' FROM n;
-- both refuse
SELECT * + 1 FROM n;
-- both refuse
SELECT * ILIKE 'I%' AND true FROM emp;
-- COLUMNS by a regular expression, names, a lambda
SELECT COLUMNS('.*a.*') FROM emp;
SELECT COLUMNS('^(id|boss)$') FROM emp;
SELECT COLUMNS('(?i)K') FROM n;
SELECT COLUMNS('k' || '') FROM n;
SELECT COLUMNS(*) FROM emp;
SELECT COLUMNS(* EXCLUDE (id)) FROM emp;
SELECT COLUMNS(n.* EXCLUDE (k)) FROM n;
SELECT COLUMNS(* REPLACE (k + 1 AS k)) FROM n;
SELECT COLUMNS(* RENAME (k AS z)) FROM n;
SELECT max(COLUMNS(* REPLACE (k + 100 AS k))) FROM n;
SELECT max(COLUMNS(* RENAME (k AS z))) FROM n;
SELECT COLUMNS(lambda c: c LIKE '%a%') FROM emp;
SELECT COLUMNS(lambda c: length(c)) FROM n;
SELECT COLUMNS(lambda c, i: i > 1) FROM n;
SELECT COLUMNS(['name', 'ID']) FROM emp;
SELECT COLUMNS(['v', 'k', 'k']) FROM n;
SELECT COLUMNS('k') FROM n JOIN m USING (k);
SELECT COLUMNS(*) FROM n JOIN m ON n.k = m.k;
SELECT n.k, COLUMNS('w') FROM n JOIN m ON n.k = m.k;
SELECT COLUMNS(*) FROM n, m;
-- both refuse
SELECT COLUMNS('nosuch') FROM n;
-- both refuse
SELECT COLUMNS(['nosuch']) FROM n;
-- both refuse
SELECT COLUMNS([]) FROM n;
-- both refuse
SELECT COLUMNS(1) FROM n;
-- both refuse
SELECT COLUMNS(NULL) FROM n;
-- both refuse
SELECT COLUMNS(k) FROM n;
-- both refuse
SELECT COLUMNS(lambda c: v > 1) FROM n;
-- both refuse
SELECT COLUMNS(lambda c: c) FROM n;
-- both refuse
SELECT COLUMNS(lambda c: c = 'K') FROM n;
-- both refuse
SELECT COLUMNS(c -> c LIKE '%a%') FROM emp;
-- both refuse
SELECT COLUMNS(COLUMNS(*)) FROM n;
-- both refuse
SELECT COLUMNS(*);
-- both refuse
SELECT (SELECT COLUMNS(*)) FROM n;
-- expressions around COLUMNS
SELECT min(COLUMNS(*)), max(COLUMNS(*)) FROM n;
SELECT COLUMNS(*) + COLUMNS(*) FROM n;
SELECT COLUMNS(*)::VARCHAR FROM n;
SELECT CASE WHEN COLUMNS(*) > 1 THEN 'a' END FROM n;
SELECT sum(COLUMNS(*)) OVER () FROM n;
SELECT count(COLUMNS(*)) FILTER (WHERE COLUMNS(*) > 10) FROM n;
SELECT count(DISTINCT COLUMNS(*)) FROM n;
SELECT 10 IN (COLUMNS(*)) FROM n;
SELECT COLUMNS(['k', 'v']), count(*) FROM n GROUP BY ALL;
SELECT COLUMNS('k') AS a, a + 1 FROM n;
SELECT x FROM (SELECT COLUMNS('k') + 1 FROM n) t(x);
SELECT (SELECT max(COLUMNS(*)) FROM (SELECT n.k)) AS x FROM n;
SELECT 1 + COLUMNS(*) FROM n UNION ALL SELECT 1, 2;
SELECT min(COLUMNS(*)) AS least, max(COLUMNS(*)) AS most FROM n;
SELECT COLUMNS('(.)') AS 'col_\1' FROM n;
SELECT min(COLUMNS('(\w)\w*')) AS "min_\0_\1" FROM emp;
SELECT COLUMNS('n?(a)') AS "\0-\1" FROM emp;
SELECT COLUMNS('k') AS "\2" FROM n;
SELECT COLUMNS('k') AS "\\" FROM n;
SELECT COLUMNS(['name']) AS "x\0" FROM emp;
SELECT id AS "a\0" FROM emp;
SELECT * AS "a\0" FROM n;
SELECT count(*) FILTER (WHERE COLUMNS(*) > 1) AS c, count(COLUMNS(*)) FILTER (WHERE COLUMNS('v') > 1) FROM n;
SELECT COLUMNS('k') AS x FROM n WHERE x > 2 ORDER BY x;
-- both refuse
SELECT COLUMNS('k') + COLUMNS('v') FROM n;
-- both refuse
SELECT min(COLUMNS(*)) AS "min_\1" FROM n;
-- both refuse
SELECT COLUMNS('k') AS "a\x" FROM n;
-- both refuse
SELECT COLUMNS('k') AS "a\" FROM n;
-- COLUMNS in other clauses
SELECT * FROM n WHERE COLUMNS(*) > 1;
SELECT * FROM n WHERE COLUMNS(*) IS NOT NULL AND k > 1;
SELECT * FROM n WHERE NOT (COLUMNS(*) > 1);
SELECT k FROM n WHERE (COLUMNS(*) > 1 AND COLUMNS('v') > 20);
SELECT k FROM n WHERE COLUMNS('v') > 20 OR COLUMNS('v') < 0;
SELECT * FROM n ORDER BY COLUMNS('v'), k;
SELECT * FROM n ORDER BY COLUMNS(*) DESC;
SELECT * FROM emp ORDER BY * DESC;
SELECT k, v FROM n ORDER BY * EXCLUDE (k), 1;
SELECT k, v FROM n ORDER BY n.*, v LIMIT 2;
SELECT dept FROM emp GROUP BY *;
SELECT DISTINCT ON (COLUMNS('k')) k FROM n;
-- both refuse
SELECT k FROM n GROUP BY COLUMNS('k');
-- both refuse
SELECT k FROM n GROUP BY k HAVING COLUMNS('k') > 1;
-- both refuse
SELECT k FROM n QUALIFY row_number() OVER (ORDER BY v) = COLUMNS('k');
-- both refuse
SELECT * FROM n JOIN m ON COLUMNS(n.*) = m.k;
-- both refuse
VALUES (COLUMNS(*));
-- all columns between the arguments of a call
SELECT coalesce(*COLUMNS(*)) AS c FROM n;
SELECT coalesce(*COLUMNS(['k', 'v'])) + 1 AS c, COLUMNS(*) FROM n;
SELECT coalesce(UNPACK(COLUMNS(*))) AS c FROM n;
SELECT greatest(*COLUMNS(*), 3) AS c, concat_ws('-', *COLUMNS(*)) AS s FROM n;
SELECT sum(*COLUMNS('v')) AS s, max(greatest(*COLUMNS(*))) AS m FROM n;
SELECT k FROM n WHERE 10 IN (*COLUMNS(*)) OR greatest(*COLUMNS(*)) > 20;
-- both refuse
SELECT *COLUMNS(*) FROM n;
-- both refuse
SELECT UNPACK(COLUMNS(*)) FROM n;
-- both refuse
SELECT greatest(*COLUMNS('v'), *COLUMNS('k')) FROM n;
-- both refuse
SELECT coalesce(*) FROM n;
-- rows of a table as structs
SELECT n FROM n ORDER BY n;
SELECT x, x.k FROM n x WHERE x IS NOT NULL;
SELECT max(n), min(n), list(n ORDER BY k, v), count(DISTINCT n) FROM n;
SELECT n, count(*) FROM n GROUP BY n;
SELECT n = n, typeof(n), struct_extract(n, 'k') FROM n;
SELECT u FROM n AS u(a, b);
SELECT m FROM n LEFT JOIN m ON n.k = m.k;
SELECT (SELECT n) FROM n;
SELECT n AS k, k FROM n;
WITH c AS (SELECT 1 AS a) SELECT c FROM c;
SELECT u FROM (VALUES (1, 2)) u;
SELECT u FROM range(3) u;
-- both refuse
SELECT n FROM n x;
-- both refuse
SELECT upper(n) FROM n;
-- both refuse
SELECT n FROM n GROUP BY k;
-- count(t.*)
SELECT count(n.*), count(*) FROM n;
SELECT count(n.*), count(m.*) FROM n LEFT JOIN m ON n.k = m.k;
SELECT count(n.*), count(m.*) FROM n RIGHT JOIN m USING (k);
SELECT count(n.*), count(m.*) FROM n FULL JOIN m USING (k);
SELECT count(n.*) FILTER (WHERE v > 1), count(n.*) OVER () FROM n GROUP BY v;
SELECT count(n.*) FROM (VALUES (NULL), (1)) n(k);
-- both refuse
SELECT count(nosuch.*) FROM n;
-- both refuse
SELECT count(DISTINCT n.*) FROM n;
-- both refuse
SELECT count(n.* EXCLUDE (k)) FROM n;
-- both refuse
SELECT max(n.*) FROM n;
-- both refuse
SELECT count(n.*, 1) FROM n;
-- *COLUMNS(…) as the only argument
SELECT pow(*COLUMNS('k|v')) AS p, atan2(*COLUMNS('k|v')) AS a FROM n;
SELECT starts_with(*COLUMNS(*)) AS s, regexp_matches(*COLUMNS(*)) AS r FROM (SELECT 'abc' AS a, 'a' AS b);
SELECT arg_max(*COLUMNS('k|v')) AS a, covar_pop(*COLUMNS('k|v')) AS c FROM n;
-- both refuse
SELECT pow(*COLUMNS('k')) FROM n;
-- a column that USING merged is that of the first table
SELECT * RENAME (a.k AS x) FROM n a FULL JOIN n b USING (k);
SELECT * RENAME (b.k AS x) FROM n a RIGHT JOIN n b USING (k);
-- the rows of what has the column
SELECT count(s.*), count(t.*) FROM (VALUES ({'a': 1}), (NULL), ({'a': NULL})) t(s);
SELECT count(x.*) FROM n LEFT JOIN (SELECT 2 AS k, 7 AS x) t USING (k);
-- both refuse
SELECT count(nope.*) FROM n;
-- in parentheses
SELECT (*), ((d.*)) FROM dept d;
SELECT (*) AS x, (* EXCLUDE (id)), (d.* REPLACE (id + 1 AS id)), (* LIKE 'i%') FROM dept d;
SELECT DISTINCT (*) FROM (SELECT id FROM dept) ORDER BY (*) DESC;
SELECT count((*)), EXISTS (SELECT (*) FROM emp), max((id)) FROM dept;
SELECT id, count(*) FROM (SELECT id FROM dept) GROUP BY (*) ORDER BY ALL;
-- both refuse
SELECT (*) + 1 FROM dept;
-- both refuse
SELECT (*, 1) FROM dept;
-- both refuse
SELECT (*)::VARCHAR FROM dept;
-- both refuse
SELECT id FROM dept WHERE (*);
-- a star may leave no columns where others do
SELECT d.* EXCLUDE (id, label), e.id FROM (VALUES (1, 2)) d(id, label), emp e WHERE e.id < 3 ORDER BY 1;
SELECT 1 AS one, sum(COLUMNS(* EXCLUDE (id, label))) + 1 FROM (VALUES (1, 2), (3, 4)) d(id, label);
SELECT DISTINCT 1, * EXCLUDE (id, label) FROM (VALUES (1, 2), (3, 4)) d(id, label);
-- both refuse
SELECT d.* EXCLUDE (id, label), * EXCLUDE (id, label) FROM (VALUES (1, 2)) d(id, label);
-- both refuse
SELECT coalesce(1, *COLUMNS(* EXCLUDE (id, label))) FROM (VALUES (1, 2), (3, 4)) d(id, label);
-- both refuse
SELECT * FROM (SELECT 1 AS id) d NATURAL JOIN (SELECT 1 AS id) d;
-- both refuse
SELECT * FROM (SELECT 1 AS id) d JOIN (SELECT 1 AS id) d USING (id);
-- both refuse
SELECT id FROM emp WHERE COLUMNS(* EXCLUDE (id, dept, boss, name, salary, hired, score, active)) > 1;
