-- scalar
SELECT (SELECT max(salary) FROM emp);
SELECT name, salary - (SELECT avg(id) FROM emp) FROM emp;
SELECT name FROM emp WHERE salary = (SELECT max(salary) FROM emp);
SELECT name FROM emp WHERE salary > (SELECT avg(salary) FROM emp);
SELECT name FROM emp WHERE salary > (SELECT d FROM empty);
SELECT (SELECT k FROM empty), (SELECT count(*) FROM empty);
SELECT e.name, (SELECT title FROM dept d WHERE d.id = e.dept) FROM emp e;
SELECT e.name, (SELECT count(*) FROM emp b WHERE b.boss = e.id) FROM emp e;
SELECT e.name, (SELECT sum(salary) FROM emp b WHERE b.boss = e.id) FROM emp e;
SELECT e.name FROM emp e WHERE e.salary = (SELECT max(b.salary) FROM emp b WHERE b.dept = e.dept);
SELECT e.name FROM emp e WHERE e.salary >= (SELECT avg(b.salary) FROM emp b WHERE b.dept = e.dept);
SELECT e.id FROM emp e WHERE (SELECT count(*) FROM emp b WHERE b.boss = e.id) = 0;
SELECT e.id FROM emp e WHERE (SELECT count(*) FROM emp b WHERE b.boss = e.id AND b.salary > e.salary) < 1;
SELECT k, (SELECT min(w) FROM m WHERE m.k > n.k) FROM n;
SELECT k, coalesce((SELECT max(w) FROM m WHERE m.k = n.k), '-') FROM n;
SELECT dept, sum(salary) FROM emp GROUP BY dept HAVING sum(salary) > (SELECT avg(salary) FROM emp);
SELECT dept, count(*) FROM emp e GROUP BY dept HAVING count(*) > (SELECT count(*) FROM dept d WHERE d.id = e.dept);
SELECT CASE WHEN (SELECT count(*) FROM n) > 3 THEN 'many' ELSE 'few' END;
-- both refuse
SELECT (SELECT id FROM emp);
-- both refuse
SELECT e.id, (SELECT b.id FROM emp b WHERE b.boss = e.id) FROM emp e;
-- exists
SELECT name FROM emp e WHERE EXISTS (SELECT * FROM dept d WHERE d.id = e.dept);
SELECT name FROM emp e WHERE NOT EXISTS (SELECT * FROM dept d WHERE d.id = e.dept);
SELECT title FROM dept d WHERE EXISTS (SELECT 1 FROM emp e WHERE e.dept = d.id AND e.salary > 1000);
SELECT title FROM dept d WHERE NOT EXISTS (SELECT 1 FROM emp e WHERE e.dept = d.id AND e.salary > 1000);
SELECT k FROM n WHERE EXISTS (SELECT 1 FROM m WHERE m.k > n.k);
SELECT k FROM n WHERE NOT EXISTS (SELECT 1 FROM m WHERE m.k = n.k AND m.w <> 'a');
SELECT id FROM emp a WHERE EXISTS (SELECT 1 FROM emp b WHERE b.dept = a.dept AND b.id <> a.id);
SELECT count(*) FROM n WHERE EXISTS (SELECT * FROM empty);
SELECT count(*) FROM n WHERE NOT EXISTS (SELECT * FROM empty);
SELECT count(*) FROM n WHERE EXISTS (SELECT * FROM m);
SELECT k, EXISTS (SELECT 1 FROM m WHERE m.k = n.k) FROM n;
SELECT name FROM emp e WHERE EXISTS (SELECT 1 FROM dept d WHERE d.id = e.dept) OR e.salary < 0;
SELECT name FROM emp e WHERE EXISTS (SELECT 1 FROM n WHERE n.k = e.id) AND NOT EXISTS (SELECT 1 FROM m WHERE m.k = e.id);
-- in
SELECT k FROM n WHERE k IN (SELECT k FROM m);
SELECT k FROM n WHERE k NOT IN (SELECT k FROM m);
SELECT k FROM n WHERE k NOT IN (SELECT k FROM m WHERE k IS NOT NULL);
SELECT k FROM n WHERE k IN (SELECT k FROM empty);
SELECT k FROM n WHERE k NOT IN (SELECT k FROM empty);
SELECT k, k IN (SELECT k FROM m) FROM n;
SELECT k, k NOT IN (SELECT k FROM m) FROM n;
SELECT k, k IN (SELECT k FROM m WHERE k IS NOT NULL) FROM n;
SELECT k, k IN (SELECT k FROM empty) FROM n;
SELECT k FROM n WHERE (k IN (SELECT k FROM m)) IS NULL;
SELECT name FROM emp WHERE dept IN (SELECT id FROM dept WHERE city = 'Oslo');
SELECT name FROM emp e WHERE e.id IN (SELECT b.boss FROM emp b WHERE b.dept = e.dept);
SELECT name FROM emp e WHERE e.id NOT IN (SELECT b.boss FROM emp b WHERE b.dept = e.dept);
SELECT name FROM emp e WHERE e.id NOT IN (SELECT b.boss FROM emp b WHERE b.dept = e.dept AND b.boss IS NOT NULL);
SELECT k FROM n WHERE v IN (SELECT max(v) FROM n GROUP BY k);
SELECT k FROM n WHERE k IN (SELECT k FROM m) OR v = 5;
SELECT k FROM n WHERE NOT (k IN (SELECT k FROM m) AND v = 10);
SELECT id FROM emp WHERE id IN (SELECT boss FROM emp WHERE id IN (SELECT k FROM n));
SELECT (k, v) IN (SELECT k, v FROM n) FROM n;
SELECT k FROM n WHERE k = ANY (SELECT k FROM m);
SELECT k FROM n WHERE k > ALL (SELECT k FROM m WHERE k < 3);
SELECT k FROM n WHERE k < ANY (SELECT k FROM m);
-- from
SELECT q.k, q.c FROM (SELECT k, count(*) AS c FROM n GROUP BY k) q WHERE q.c > 1;
SELECT a.k, a.c, b.c FROM (SELECT k, count(*) c FROM n GROUP BY k) a JOIN (SELECT k, count(*) c FROM m GROUP BY k) b ON a.k = b.k;
SELECT x, y FROM (SELECT k, v FROM n) q (x, y) WHERE y > 5;
SELECT * FROM (SELECT * FROM (SELECT k AS a FROM n) p WHERE a > 1) q WHERE a < 4;
SELECT * FROM (VALUES (1, 'a'), (2, NULL), (NULL, 'c')) t (i, s);
SELECT i + 1, s FROM (VALUES (1, 'a'), (2, 'b')) t (i, s) WHERE i > 1;
SELECT n.k, t.s FROM n JOIN (VALUES (1, 'one'), (2, 'two')) t (i, s) ON n.k = t.i;
-- with
WITH q AS (SELECT k, v FROM n WHERE k > 1) SELECT * FROM q;
WITH q AS (SELECT k, sum(v) AS s FROM n GROUP BY k) SELECT a.k, b.s FROM q a JOIN q b ON a.k = b.k;
WITH q (a, b) AS (SELECT k, v FROM n) SELECT a, max(b) FROM q GROUP BY a;
WITH p AS (SELECT 1 AS x), q AS (SELECT x + 1 AS y FROM p) SELECT x, y FROM p, q;
WITH n AS (SELECT 42 AS k) SELECT k FROM n;
WITH q AS (SELECT k, v FROM n) SELECT * FROM q WHERE v = (SELECT max(v) FROM q);
WITH q AS (SELECT DISTINCT dept FROM emp) SELECT count(*) FROM q WHERE dept IN (SELECT id FROM dept);
SELECT * FROM (WITH q AS (SELECT k FROM m) SELECT k, count(*) FROM q GROUP BY k) r;
SELECT id FROM emp e WHERE id IN (SELECT b.id FROM emp b WHERE b.boss = e.boss ORDER BY b.id LIMIT 2);
SELECT id, (SELECT sum(s) FROM (SELECT b.salary AS s FROM emp b WHERE b.dept = e.dept ORDER BY b.salary DESC, b.id LIMIT 2 OFFSET 1) q) FROM emp e;

-- A subquery of nothing but NULL.
SELECT 'x' IN (SELECT NULL), '42' IN (SELECT NULL), 3 NOT IN (SELECT NULL), NULL IN (SELECT NULL), 'x' IN (SELECT NULL WHERE false);
SELECT id FROM emp WHERE id <> ANY (SELECT k FROM n) AND dept IN (SELECT NULL FROM n);
SELECT id FROM emp WHERE id <> ANY (SELECT k FROM n) OR dept IN (SELECT NULL FROM n UNION SELECT 10);
SELECT id, (id, dept) IN (SELECT NULL, 10), (id, name) NOT IN (SELECT NULL, NULL), name IN (SELECT NULL FROM n) FROM emp;

-- An aggregate belongs to the query that its columns are of, and makes that one group its rows.
SELECT (SELECT max(o.id)) FROM emp o;
SELECT (SELECT sum(o.id) + d.id FROM dept d WHERE d.id = 10), count(*) FROM emp o;
SELECT (SELECT (SELECT max(d.id) + max(o.id)) FROM dept d) FROM emp o;
SELECT (SELECT sum(n.v + max(o.id)) FROM n) FROM emp o;
SELECT (SELECT max(x) FROM (SELECT max(o.id) AS x) q) FROM emp o;
SELECT (SELECT 1 FROM n WHERE max(o.id) > 100 LIMIT 1), count(*) FROM emp o;
SELECT (SELECT max(o.id + n.k) FROM n) FROM emp o;
SELECT (SELECT count(*)), (SELECT sum(1)) FROM emp o;
SELECT (SELECT count(DISTINCT o.dept)), (SELECT max(o.id) FILTER (WHERE o.dept = 10)) FROM emp o;
SELECT (SELECT max(e.k)), (SELECT count(e.k)) FROM empty e;
SELECT dept, (SELECT max(o.id) FROM dept d WHERE d.id = o.dept) FROM emp o GROUP BY dept;
SELECT dept FROM emp o GROUP BY dept HAVING EXISTS (SELECT 1 FROM n WHERE n.k = max(o.id));
SELECT dept FROM emp o GROUP BY dept ORDER BY (SELECT sum(n.v) FROM n WHERE n.k < max(o.id)), dept;
SELECT dept, row_number() OVER (ORDER BY (SELECT max(o.id))), sum((SELECT max(o.id))) OVER () FROM emp o GROUP BY dept;
SELECT dept, (SELECT sum(n.k) + max(o.id) FROM n WHERE n.k < o.dept) FROM emp o GROUP BY ROLLUP (dept);
SELECT max(o.id) IN (SELECT max(o.id)), 1 IN (SELECT max(o.id) - 7) FROM emp o;
-- both refuse
SELECT id, (SELECT max(o.id)) FROM emp o;
-- both refuse
SELECT (SELECT max(o.id) FROM n WHERE n.k = o.id) FROM emp o;
-- both refuse
SELECT * FROM emp o WHERE id = (SELECT max(o.id));
-- both refuse
SELECT (SELECT max(o.id) FROM dept) FROM emp o;
-- both refuse
SELECT (SELECT sum(max(o.id)) FROM n) FROM emp o;
-- both refuse
SELECT o.dept, (SELECT o.id) FROM emp o GROUP BY o.dept;
-- both refuse
SELECT grouping(dept) FROM emp;
-- A key that is a column of the query around, and one that is a subquery.
SELECT (SELECT count(*) FROM n GROUP BY o.id), (SELECT sum(v) FROM n WHERE n.k = o.id GROUP BY n.k, o.dept) FROM emp o;
SELECT (SELECT o.dept + sum(v) FROM n WHERE n.k = o.id GROUP BY o.dept) FROM emp o;
SELECT EXISTS (SELECT 1 FROM n GROUP BY o.dept HAVING count(*) > o.id), (SELECT x.id FROM (SELECT o.id) x) FROM emp o;
SELECT (SELECT max(d.budget) FROM dept d WHERE d.id = o.dept) k, count(*) FROM emp o GROUP BY k;
SELECT (SELECT max(d.budget) FROM dept d WHERE d.id = o.dept) k, count(*) FROM emp o GROUP BY 1;
SELECT (SELECT max(d.budget) FROM dept d WHERE d.id = o.dept) + 1, count(*) FROM emp o
GROUP BY (SELECT max(d.budget) FROM dept d WHERE d.id = o.dept) + 1;
-- a column of the query around, beside a relation that is read twice
WITH w AS (SELECT k, max(v) AS v FROM n GROUP BY k) SELECT a.v FROM w a WHERE (SELECT count(*) FROM m JOIN w b ON b.k = m.k WHERE a.k NOT IN (SELECT c.k FROM w c WHERE c.v > 10)) > 0;
WITH w AS (SELECT k, max(v) AS v FROM n GROUP BY k) SELECT a.k, (SELECT count(*) FROM w b WHERE a.k IN (SELECT c.k FROM w c WHERE c.v > 10)) FROM w a;
-- values of subqueries that only meet one another, over a cross product
SELECT a.k FROM n a, m b WHERE (SELECT max(v) FROM n) > (SELECT count(*) FROM m);
SELECT a.k FROM n a CROSS JOIN m b WHERE (SELECT max(v) FROM n) < (SELECT count(*) FROM m) OR a.v NOT IN (SELECT k FROM m WHERE k > 5);
SELECT count(*) FROM n a JOIN m b ON a.k = b.k WHERE (SELECT max(v) FROM n) > (SELECT count(*) FROM m) AND (SELECT min(v) FROM n) < (SELECT max(v) FROM n);
-- a key that every row has, and a condition beside it
SELECT x, x IN (SELECT y FROM (VALUES (1), (2)) u(y) WHERE y + x > 2) AS found FROM (VALUES (1), (2)) t(x);
SELECT x FROM (VALUES (1), (2)) t(x) WHERE x IN (SELECT y FROM (VALUES (1), (2)) u(y) WHERE y + x > 2) OR NULL;
-- nothing to look up in, and a condition beside the key
SELECT x, x IN (SELECT y FROM (VALUES (1), (2)) u(y) WHERE y > 5 AND y + x > 2) AS found FROM (VALUES (1), (2), (NULL)) t(x);
-- only whether a key is there counts: keys that repeat, far apart, NULL, none, of other types and dictionaries
SELECT id, boss IN (SELECT nullif(k, 2) FROM n) AS x, boss NOT IN (SELECT k * 100000000000 FROM n) AS y FROM emp ORDER BY id;
SELECT id, boss IN (SELECT id FROM dept) AS x, boss NOT IN (SELECT id FROM dept WHERE id > 100) AS y FROM emp ORDER BY id;
SELECT id FROM emp WHERE boss NOT IN (SELECT id FROM dept) ORDER BY id;
SELECT id, name IN (SELECT title FROM dept UNION ALL SELECT upper(name) FROM emp) AS x FROM emp ORDER BY id;
SELECT id, (boss, dept) IN (SELECT k, v FROM n) AS x, (boss, 1.5) NOT IN (SELECT k, v + 0.5 FROM n) AS y FROM emp ORDER BY id;
SELECT id, score IN (SELECT budget FROM dept) AS x, hired IN (SELECT day FROM events) AS y, salary IN (SELECT k FROM empty) AS z FROM emp ORDER BY id;
SELECT id FROM dept WHERE id IN (SELECT k // 2 FROM n GROUP BY k, v HAVING count(*) < 2) ORDER BY id;
SELECT id FROM dept d WHERE EXISTS (SELECT 1 FROM (SELECT k, v, count(*) AS c FROM n GROUP BY k, v HAVING count(*) < 2) s WHERE s.k = d.id AND s.c = 1) ORDER BY id;
-- An alias of the SELECT list comes before a column of a query around it.
SELECT b, (SELECT max(z) FROM (SELECT g AS b, sum(n) AS z FROM (VALUES (1, 10), (2, 20), (1, 30)) t(g, n) GROUP BY b)) AS m FROM (VALUES (7), (8)) o(b) ORDER BY b;
SELECT b, (SELECT count(*) FROM (SELECT g AS b FROM (VALUES (1), (9)) t(g) WHERE b > 5)) AS m, (SELECT count(*) FROM (SELECT g AS b FROM (VALUES (1), (9)) t(g) WHERE o.b > 7)) AS k FROM (VALUES (7), (8)) o(b) ORDER BY b;
SELECT b, (SELECT list(x ORDER BY x) FROM (SELECT n AS b, b AS x FROM (VALUES (1), (9)) t(n))) AS m FROM (VALUES (7), (8)) o(b) ORDER BY b;
SELECT b, (SELECT list(b) FROM (SELECT g AS b, count(*) FROM (VALUES (1), (9), (9)) t(g) GROUP BY g HAVING b > 1)) AS m FROM (VALUES (7), (8)) o(b) ORDER BY b;
SELECT b, (SELECT list(b) FROM (SELECT g AS b FROM (VALUES (3), (1)) t(g) QUALIFY row_number() OVER (ORDER BY b) = 1)) AS m FROM (VALUES (7), (8)) o(b) ORDER BY b;
SELECT b, (SELECT list(k ORDER BY k) FROM (SELECT g AS b, count(*) AS k FROM (VALUES (1), (9), (9)) t(g) GROUP BY GROUPING SETS ((b), ()))) AS m, (SELECT list(k ORDER BY k) FROM (SELECT g AS b, count(*) AS k FROM (VALUES (1), (9), (9)) t(g) GROUP BY ALL)) AS l FROM (VALUES (7), (8)) o(b) ORDER BY b;
SELECT b, (SELECT sum(g) FROM (VALUES (1), (9)) t(g) GROUP BY b) AS m, (SELECT list(g ORDER BY g) FROM (SELECT DISTINCT ON (b) g AS b, n AS g FROM (VALUES (1, 10), (2, 20), (1, 30)) t(g, n) ORDER BY n)) AS l FROM (VALUES (7), (8)) o(b) ORDER BY b;
-- A subquery reads the aliases of the SELECT around it.
SELECT k + 1 AS x, (SELECT x) AS y, (SELECT alias.x + (SELECT x)) AS z FROM n;
SELECT k + 1 AS k, (SELECT k) AS y, (SELECT max(id) FROM emp e WHERE e.id <> k) AS z FROM n;
SELECT k + 1 AS x, (SELECT max(id) FROM emp WHERE id < x) AS y, (SELECT z FROM (SELECT x * 2 AS z)) AS w FROM n;
SELECT k + 1 AS x FROM n WHERE EXISTS (SELECT 1 FROM emp WHERE id = x) OR k IN (SELECT x) OR (SELECT x) IS NULL;
SELECT k + 1 AS x, x IN (SELECT x + 1), x >= ALL (SELECT x), ARRAY(SELECT x), (WITH c AS (SELECT x AS y) SELECT y FROM c) FROM n;
SELECT k AS x, count(*) AS c, (SELECT c + 1) AS d, (SELECT x) AS e FROM n GROUP BY x HAVING (SELECT x) > 1;
SELECT k % 2 AS x, sum(v)::INT AS s, (SELECT s + x) FROM n GROUP BY x;
SELECT k AS x, sum((SELECT x)) OVER (ORDER BY x, v), count(*) FILTER ((SELECT x) > 1) OVER () FROM n;
SELECT k + 1 AS x FROM n ORDER BY (SELECT x) DESC NULLS LAST;
SELECT k + 1 AS x FROM n ORDER BY (SELECT -x) NULLS FIRST;
SELECT DISTINCT ON ((SELECT x)) k + 1 AS x FROM n ORDER BY (SELECT x);
SELECT (SELECT z FROM (SELECT 3 AS k, (SELECT k) AS z)) AS m FROM n;
SELECT (SELECT z FROM (SELECT 3 AS x, (SELECT k) AS z)) AS m FROM n;
SELECT x, (SELECT list(z ORDER BY z) FROM (SELECT g AS x, (SELECT x) AS z FROM (VALUES (1), (9)) t(g))) AS m FROM (VALUES (7), (8)) o(x);
-- both refuse
SELECT (SELECT x), 1 AS x;
-- both refuse
SELECT random() AS x, (SELECT x);
-- both refuse
SELECT (SELECT 1) AS x, (SELECT x);
-- both refuse
SELECT k, row_number() OVER (ORDER BY k) AS r, (SELECT r) FROM n;
-- both refuse
SELECT k, sum(v) AS s FROM n GROUP BY k HAVING (SELECT s) > 1;
-- both refuse
SELECT k + 1 AS x FROM n GROUP BY (SELECT x);
-- It reads expressions by which rows are grouped.
SELECT k % 2 AS x, (SELECT k % 2), (SELECT sum(v)::INT + k % 2), (SELECT max(id) FROM emp WHERE id > k % 2) FROM n GROUP BY k % 2;
SELECT k % 2 AS x FROM n GROUP BY k % 2 HAVING EXISTS (SELECT 1 FROM emp WHERE id = k % 2);
SELECT k % 2 AS x, count(*), (SELECT k % 2) FROM n GROUP BY ROLLUP (k % 2);
SELECT k % 2 AS x, k % 2 IN (SELECT id - (k % 2) FROM emp WHERE id > 1) FROM n GROUP BY k % 2;
-- both refuse
SELECT k % 2, (SELECT k) FROM n GROUP BY k % 2;
-- conditions that share a subquery after they were taken apart
SELECT a.k FROM n a WHERE NOT ((a.k IN (SELECT z.k FROM n z)) IN (true, a.k = 1));
SELECT a.k FROM n a WHERE CASE WHEN a.k IN (SELECT z.k FROM m z) THEN 'x' ELSE 'y' END NOT IN ('x', a.v::VARCHAR);
SELECT a.k FROM n a WHERE (SELECT max(b.k) FROM m b WHERE b.k < a.k) NOT IN (1, a.v, a.k, 3);
SELECT a.k FROM n a WHERE NOT (EXISTS (SELECT 1 FROM m b WHERE b.k = a.k) IN (a.v = 10, a.k = 4));
SELECT a.k, b.k FROM n a FULL JOIN m b ON NOT ((a.k IN (SELECT e.id FROM emp e WHERE e.id <= b.k)) IN (true, a.k = b.k));
SELECT a.k, b.k FROM n a LEFT JOIN m b ON (SELECT max(e.id) FROM emp e WHERE e.id <= a.k) NOT IN (b.k, 3);
SELECT count(*) FILTER (WHERE NOT ((k IN (SELECT k FROM m)) IN (true, k = 1))), CASE WHEN max(k) NOT IN (SELECT k FROM m WHERE k < 4) THEN 1 END FROM n;
-- names beyond the columns of a WITH
WITH q(a, b) AS (SELECT 1) FROM q;
WITH q(a, b) AS MATERIALIZED (VALUES (1), (2)) SELECT sum(a) FROM q;
-- both refuse
WITH q(a, b) AS (SELECT 1) SELECT b FROM q;
-- both refuse
SELECT * FROM (SELECT 1) q(a, b);
