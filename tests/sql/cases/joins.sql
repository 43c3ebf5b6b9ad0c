-- inner
SELECT e.name, d.title FROM emp e JOIN dept d ON e.dept = d.id;
SELECT e.name, d.title FROM emp e, dept d WHERE e.dept = d.id AND d.city = 'Oslo';
SELECT n.k, n.v, m.w FROM n JOIN m ON n.k = m.k;
SELECT n.k, m.w FROM n JOIN m USING (k);
SELECT * FROM n NATURAL JOIN m;
SELECT count(*) FROM n JOIN m ON n.k = m.k AND n.v > 10;
SELECT a.k, b.v FROM n a JOIN n b ON a.k = b.k AND a.v = b.v;
SELECT a.id, b.id FROM emp a JOIN emp b ON a.boss = b.id;
SELECT a.name, b.name, c.name FROM emp a JOIN emp b ON a.boss = b.id JOIN emp c ON b.boss = c.id;
SELECT n.k FROM n JOIN m ON n.k IS NOT DISTINCT FROM m.k;
SELECT e.id, d.id FROM emp e JOIN dept d ON e.dept = d.id AND e.salary > 1000 AND d.budget > 1000;
SELECT e.id, d.id FROM emp e JOIN dept d ON e.dept + 10 = d.id;
SELECT e.name FROM emp e JOIN m ON lower(substring(e.name, 1, 1)) = m.w;
SELECT * FROM n JOIN empty ON n.k = empty.k;
SELECT * FROM empty JOIN n ON n.k = empty.k;
SELECT count(*) FROM emp JOIN emp b ON true;
-- cross and non-equi
SELECT n.k, m.k FROM n CROSS JOIN m;
SELECT count(*), sum(n.k), sum(m.k) FROM n, m;
SELECT n.k, m.k FROM n JOIN m ON n.k < m.k;
SELECT a.id, b.id FROM emp a JOIN emp b ON a.salary > b.salary;
SELECT a.id, b.id FROM emp a JOIN emp b ON a.dept = b.dept AND a.id < b.id;
SELECT a.id, b.id FROM emp a JOIN emp b ON a.dept = b.dept OR a.boss = b.boss;
SELECT a.id, e.id FROM events a JOIN events e ON a.day BETWEEN e.day AND e.day + INTERVAL 1 YEAR;
SELECT a.id, b.id FROM emp a JOIN emp b ON a.id <> b.id AND a.name = b.name;
SELECT count(*) FROM n CROSS JOIN empty;
-- outer
SELECT e.name, d.title FROM emp e LEFT JOIN dept d ON e.dept = d.id;
SELECT e.name, d.title FROM emp e RIGHT JOIN dept d ON e.dept = d.id;
SELECT e.name, d.title FROM emp e FULL JOIN dept d ON e.dept = d.id;
SELECT n.k, n.v, m.w FROM n LEFT JOIN m ON n.k = m.k;
SELECT n.k, n.v, m.w FROM n RIGHT JOIN m ON n.k = m.k;
SELECT n.k, n.v, m.k, m.w FROM n FULL JOIN m ON n.k = m.k;
SELECT n.k, m.w FROM n LEFT JOIN m ON n.k = m.k AND m.w = 'b';
SELECT n.k, m.w FROM n LEFT JOIN m ON n.k = m.k WHERE m.w = 'b';
SELECT n.k, m.w FROM n LEFT JOIN m ON n.k = m.k WHERE m.k IS NULL;
SELECT n.k, m.w FROM n LEFT JOIN m ON n.k = m.k AND n.v > 10;
SELECT n.k, m.k FROM n LEFT JOIN m ON n.k < m.k;
SELECT n.k, m.k FROM n RIGHT JOIN m ON n.k < m.k;
SELECT n.k, m.k FROM n FULL JOIN m ON n.k = m.k AND n.v > 10 AND m.w <> 'a';
SELECT n.k, empty.v FROM n LEFT JOIN empty ON n.k = empty.k;
SELECT n.k, empty.v FROM empty RIGHT JOIN n ON n.k = empty.k;
SELECT n.k, empty.v FROM empty FULL JOIN n ON n.k = empty.k;
SELECT e.id, d.title, b.name FROM emp e LEFT JOIN dept d ON e.dept = d.id LEFT JOIN emp b ON e.boss = b.id;
SELECT d.id, count(e.id), count(*) FROM dept d LEFT JOIN emp e ON e.dept = d.id GROUP BY d.id;
SELECT k, w, v FROM n FULL JOIN m USING (k);
SELECT coalesce(d.title, 'none') AS t, sum(e.salary) FROM emp e LEFT JOIN dept d ON e.dept = d.id GROUP BY t;
SELECT n.k FROM n LEFT JOIN m ON true WHERE m.w = 'e';
SELECT n.k, m.w FROM n LEFT JOIN m ON false;
-- semi and anti
SELECT * FROM n SEMI JOIN m ON n.k = m.k;
SELECT * FROM n ANTI JOIN m ON n.k = m.k;
SELECT * FROM emp e SEMI JOIN emp b ON e.id = b.boss AND b.salary > 0;
-- a comma binds weaker than JOIN
SELECT * FROM n a, n b RIGHT JOIN m c ON b.k = c.k;
SELECT a.k, b.k, c.k FROM n a, n b FULL JOIN m c ON b.k = c.k, m d;
FROM n a, n b RIGHT JOIN m c USING (k);
SELECT k FROM n a, n b RIGHT JOIN m c USING (k);
SELECT a.k FROM n a CROSS JOIN n b RIGHT JOIN m c ON a.k = c.k AND b.k = 1;
SELECT count(*) FROM n a, n b JOIN m c ON b.k = c.k AND a.k = 1;
SELECT a.k, b.k, c.w FROM n a, n b LEFT JOIN m c ON b.k = c.k AND a.k = 1;
SELECT a.k, b.k FROM n a, n b SEMI JOIN m c ON b.k = c.k AND a.k = 1;
SELECT a.k, b.k FROM n a, n b ANTI JOIN m c ON b.k = c.k AND a.k = 1;
SELECT count(*) FROM n a, m b JOIN m c ON c.k = b.k AND v = 10;
SELECT count(*) FROM n a, n b LEFT JOIN m c ON c.k = b.k AND EXISTS (SELECT 1 FROM m z WHERE z.k = a.k);
SELECT (SELECT count(*) FROM n x, n y RIGHT JOIN m z ON y.k = z.k WHERE x.k = a.k) FROM n a;
SELECT * FROM n a NATURAL JOIN m b, n c NATURAL JOIN m d;
-- merged columns of several joins
SELECT count(*) FROM n a JOIN n b USING (k), n c JOIN n d USING (k);
SELECT * FROM n a JOIN n b USING (k), n c JOIN n d USING (k);
SELECT * FROM (n a JOIN n b USING (k)) JOIN (n c JOIN n d USING (k)) USING (k);
SELECT k FROM n a JOIN n b USING (k) JOIN n c ON true;
SELECT k, c.k FROM n a FULL JOIN m b USING (k), n c;
SELECT count(*) FROM n a, n b JOIN m USING (k);
SELECT count(*) FROM n a, n b NATURAL JOIN m;
-- both refuse
SELECT k FROM n a JOIN n b USING (k), n c JOIN n d USING (k);
-- both refuse
SELECT count(*) FROM n a CROSS JOIN n b JOIN m USING (k);
-- both refuse
SELECT a.k FROM n a JOIN n b ON a.k = b.k AND m.k = 1, m;
-- a relation read twice, whose readers meet in one join
WITH w AS (SELECT k * 2 AS c, v FROM n) SELECT a.c, b.c, b.v FROM w a LEFT JOIN w b ON a.c <> b.c;
WITH w AS MATERIALIZED (SELECT max(v) AS c, 1 AS one FROM n GROUP BY k) SELECT a.c, b.c FROM w a, w b WHERE a.c > b.c;
WITH w (c) AS ((SELECT k FROM n) UNION ALL (SELECT max(k) FROM m)) SELECT a.c, b.c, d.c FROM w a FULL JOIN w b ON a.c < b.c LEFT JOIN w d ON b.c = d.c;
-- numbers of two limbs beside rows without a partner
SELECT a.x, b.y FROM (SELECT 1180591620717411303424 AS x) a FULL JOIN (SELECT 1 AS y WHERE false) b ON 1 = 1;
SELECT a.x, b.x FROM (VALUES (1180591620717411303424), (2)) a(x) FULL JOIN (VALUES (3::HUGEINT), (2)) b(x) ON a.x = b.x;
-- joins by ranges: a value within two columns of the other side, two columns around a value, and what else holds beside
SELECT a.k, b.k, b.w FROM n a JOIN m b ON a.k BETWEEN b.k - 1 AND b.k + 1 ORDER BY ALL;
SELECT a.k, b.k FROM n a LEFT JOIN m b ON b.k > a.k AND b.k <= a.k + 2 AND a.v <> length(b.w) * 10 ORDER BY ALL;
SELECT a.k FROM n a WHERE NOT EXISTS (SELECT 1 FROM m b WHERE b.k < a.k) ORDER BY ALL;
SELECT a.k, b.k FROM n a FULL JOIN m b ON a.k < length(b.w) + b.k AND a.v > b.k ORDER BY ALL;
SELECT a.k FROM n, n a RIGHT JOIN m b ON a.k = b.k AND n.k = 1;
SELECT a.k FROM n, n a FULL JOIN m b ON a.k = b.k AND EXISTS (SELECT 1 FROM m z WHERE z.k = n.k);
-- subqueries in ON that read both sides
SELECT * FROM n a JOIN m b ON a.k IN (SELECT id // 10 FROM dept WHERE id > b.k);
SELECT * FROM n a LEFT JOIN m b ON a.k IN (SELECT id // 10 FROM dept WHERE budget > b.k * 1000);
SELECT * FROM n a RIGHT JOIN m b ON a.k IN (SELECT id // 10 FROM dept WHERE budget > b.k * 1000);
SELECT * FROM n a FULL JOIN m b ON a.k IN (SELECT id // 10 FROM dept WHERE budget > b.k * 1000);
SELECT * FROM n a SEMI JOIN m b ON a.k NOT IN (SELECT id // 10 FROM dept WHERE budget > b.k * 1000);
SELECT * FROM n a ANTI JOIN m b ON a.k IN (SELECT id // 10 FROM dept WHERE budget > b.k * 1000);
SELECT * FROM n a FULL JOIN m b ON a.k = b.k AND (a.v = 10 OR EXISTS (SELECT 1 FROM emp e WHERE e.boss = a.k AND e.id > b.k + 1));
SELECT * FROM n a LEFT JOIN m b ON a.k = b.k AND NOT EXISTS (SELECT 1 FROM emp e WHERE e.boss = a.k AND e.name < b.w);
SELECT * FROM n a FULL JOIN m b ON (SELECT count(*) FROM emp e WHERE e.id BETWEEN a.k AND b.k) > 1;
SELECT * FROM n a FULL JOIN m b ON (SELECT max(e.id) FROM emp e WHERE e.id < a.k) = b.k AND (SELECT min(e.id) FROM emp e WHERE e.id > b.k) = a.k;
SELECT * FROM n a ANTI JOIN m b ON (SELECT a.k = b.k);
SELECT * FROM n a LEFT JOIN m b ON a.k > ALL (SELECT e.id FROM emp e WHERE e.boss = b.k);
SELECT * FROM empty a FULL JOIN m b ON a.k IN (SELECT id FROM dept WHERE budget > b.k);
SELECT * FROM m b FULL JOIN empty a ON a.k IN (SELECT id FROM dept WHERE budget > b.k);
SELECT * FROM n a LEFT JOIN m b ON EXISTS (SELECT 1 FROM emp WHERE id = a.k + 1) AND EXISTS (SELECT 1 FROM emp WHERE id = b.k) AND EXISTS (SELECT 1 FROM emp WHERE id = a.k + b.k);
SELECT d.id, (SELECT count(b.k) FROM n a FULL JOIN m b ON a.k IN (SELECT id FROM emp e WHERE e.dept = d.id AND e.id < b.k)) FROM dept d;
SELECT d.id, (SELECT sum(a.v) FROM n a ANTI JOIN m b ON a.k IN (SELECT id FROM emp e WHERE e.dept = d.id AND e.id < b.k)) FROM dept d;
SELECT a.k, b.w, c.title FROM n a FULL JOIN m b ON a.k = (SELECT max(k) FROM n WHERE n.k <= b.k AND n.v > a.v) LEFT JOIN dept c ON c.id IN (SELECT e.dept FROM emp e WHERE e.id = a.k AND e.name > b.w);
-- tables of one name, as long as each name means one column
SELECT count(*) FROM n, n;
SELECT count(*) FROM n x JOIN n x USING (k);
SELECT count(*) FROM n NATURAL JOIN n;
SELECT x, y FROM (SELECT 1 AS x) q, (SELECT 2 AS y) q;
SELECT q.x, q.y, (SELECT q.x + 1) AS z FROM (SELECT 1 AS x) q JOIN (SELECT 2 AS y) q ON q.x < q.y;
SELECT * FROM (SELECT 1 AS x) q, (SELECT 2 AS y) q;
SELECT w FROM n, m n WHERE n.v = 20;
-- both refuse
SELECT n.k FROM n, n;
-- both refuse
SELECT k FROM n, n;
-- both refuse
SELECT * FROM n, n;
-- both refuse
SELECT n.* FROM n, m n;
-- both refuse
SELECT n FROM n, m n;
-- both refuse
SELECT count(n.*) FROM n, n;
-- both refuse
SELECT count(*) FROM n JOIN n ON n.k = n.k;
-- a join in parentheses whose first item is a query, under an alias
SELECT a, a_1, b FROM ((SELECT 1 AS a) u JOIN (SELECT 2 AS a, 3 AS b) v ON true) t;
SELECT u.a FROM ((SELECT 1 AS a) u JOIN emp ON u.a = emp.id);
-- the name of a column is that which its table has
SELECT alias(Id), alias(e.NAME), alias(x) FROM emp AS e, (SELECT 1 AS X) WHERE id = 1;
