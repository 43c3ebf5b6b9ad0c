-- one definition, several readers
WITH w AS (SELECT a.k FROM n a JOIN n b ON a.k = b.k) SELECT count(*) FROM w p, w q;
WITH w AS (SELECT k FROM n a JOIN n b USING (k)) SELECT count(*), sum(p.k) FROM w p, w q;
WITH w AS (SELECT a.k, b.v FROM n a LEFT JOIN n b ON a.k = b.k) SELECT count(*), sum(p.v), sum(q.k) FROM w p, w q;
WITH w AS (SELECT k, count(*) AS c FROM n GROUP BY k) SELECT p.k, p.c, q.c FROM w p, w q WHERE p.k = q.k;
WITH w AS (SELECT k, count(*) AS c FROM n GROUP BY k) SELECT p.k, q.k FROM w p LEFT JOIN w q ON p.k = q.k + 1;
WITH w AS (SELECT DISTINCT k FROM n) SELECT p.k, q.k FROM w p FULL JOIN w q ON p.k = q.k + 1;
WITH w AS (SELECT k FROM n WHERE v > 0) SELECT count(*) FROM w p, w q, w r;
WITH w AS (SELECT k, v FROM n UNION SELECT k, k FROM m) SELECT k, v FROM w WHERE (k, v) IN (SELECT k + 1, v FROM w) OR k = 1;
WITH w AS (SELECT n.k, m.w FROM n JOIN m ON n.k = m.k) SELECT k FROM w EXCEPT ALL SELECT k FROM w WHERE w = 'a';
WITH w AS (SELECT a.k FROM n a JOIN m b ON a.k = b.k), u AS (SELECT p.k, q.k AS l FROM w p, w q) SELECT count(*) FROM u a JOIN u b ON a.k = b.l;
WITH w AS (SELECT k, row_number() OVER (ORDER BY k, v) AS r FROM n) SELECT p.k, q.k FROM w p JOIN w q ON p.r + 1 = q.r;
WITH w AS (SELECT dept, sum(salary) AS s FROM emp GROUP BY dept) SELECT dept FROM w WHERE s = (SELECT max(s) FROM w);
WITH w AS (SELECT dept, sum(salary) AS s FROM emp GROUP BY dept) SELECT a.s FROM w a, w b WHERE a.dept = 10 AND b.dept = 20;
WITH w AS (SELECT dept, max(salary) AS s FROM emp GROUP BY dept) SELECT a.s FROM w a JOIN w b ON a.dept < b.dept AND b.s > 0 WHERE a.dept > 10;
WITH w AS (SELECT * FROM emp ORDER BY salary DESC NULLS LAST, id LIMIT 3) SELECT count(*), min(b.id) FROM w a, w b WHERE a.id <> b.id;
WITH w AS (SELECT 1 AS x), v AS (SELECT a.x + b.x AS x FROM w a, w b) SELECT a.x + b.x FROM v a, v b;
WITH w AS (SELECT k FROM empty) SELECT count(*), (SELECT count(*) FROM w) FROM w p FULL JOIN w q ON p.k = q.k;
SELECT e.id FROM emp e WHERE EXISTS (WITH w AS (SELECT d.id FROM dept d WHERE d.id = e.dept) SELECT 1 FROM w a JOIN w b ON a.id = b.id);
SELECT e.id, (WITH w AS (SELECT b.salary AS s FROM emp b WHERE b.dept = e.dept) SELECT max(p.s) - min(q.s) FROM w p, w q) FROM emp e;
-- one subquery, several places
SELECT (SELECT max(salary) FROM emp), (SELECT max(salary) FROM emp) + 1, id FROM emp WHERE salary < (SELECT max(salary) FROM emp);
SELECT dept, (SELECT count(*) FROM dept) FROM emp GROUP BY dept HAVING count(*) < (SELECT count(*) FROM dept) ORDER BY (SELECT count(*) FROM dept), dept;
SELECT e.id FROM emp e WHERE (SELECT count(*) FROM emp b WHERE b.boss = e.id) > 0 ORDER BY (SELECT count(*) FROM emp b WHERE b.boss = e.id), e.id;
SELECT CASE WHEN k IN (SELECT k FROM m) THEN 1 WHEN v IN (SELECT k FROM m) THEN 2 END, k IN (SELECT k FROM m) FROM n;
SELECT CASE (SELECT min(k) FROM m) WHEN 1 THEN 'a' WHEN 2 THEN 'b' END FROM n WHERE k BETWEEN (SELECT min(k) FROM m) AND (SELECT min(k) FROM m) + 1;
SELECT a.id FROM emp a JOIN dept d ON a.dept = d.id AND a.id > (SELECT min(k) FROM n) WHERE a.id > (SELECT min(k) FROM n);
-- aggregates of equal inputs
SELECT (SELECT count(*) FROM emp WHERE salary > 10), (SELECT max(salary) FROM emp WHERE salary > 10), (SELECT min(id) FROM emp);
SELECT CASE WHEN (SELECT count(*) FROM n WHERE k > 1) > 1 THEN (SELECT sum(v) FROM n WHERE k > 1) ELSE (SELECT avg(v) FROM n WHERE k > 1) END;
SELECT a.dept, a.s, b.m FROM (SELECT dept, sum(salary) AS s FROM emp GROUP BY dept) a JOIN (SELECT dept, max(salary) AS m FROM emp GROUP BY dept) b ON a.dept = b.dept WHERE a.s > 10 AND b.m < 1000;
SELECT a.dept, b.n FROM (SELECT dept, count(*) AS n FROM emp GROUP BY dept) a FULL JOIN (SELECT dept, count(*) AS n FROM emp GROUP BY dept) b ON a.n = b.dept;
SELECT a.k, a.n, b.n FROM (SELECT k, count(DISTINCT v) AS n FROM n GROUP BY k) a, (SELECT k, count(DISTINCT v) FILTER (WHERE v > 1) AS n FROM n GROUP BY k) b WHERE a.k = b.k OR a.n = b.n;
SELECT k, (SELECT max(w) FROM m WHERE m.k = n.k), (SELECT min(w) FROM m WHERE m.k = n.k), (SELECT count(*) FROM m WHERE m.k = n.k) FROM n;
-- aggregates by fewer keys, of those by more
SELECT dept, sum(salary) * 100 / (SELECT sum(salary) FROM emp WHERE id > 1) FROM emp WHERE id > 1 GROUP BY dept;
SELECT dept, boss, sum(id), count(*), min(name) FROM emp GROUP BY dept, boss UNION ALL SELECT dept, NULL, sum(id), count(*), min(name) FROM emp GROUP BY dept UNION ALL SELECT NULL, NULL, sum(id), count(*), min(name) FROM emp;
SELECT dept, count(boss), max(score) FROM emp WHERE id > 100 GROUP BY dept UNION ALL SELECT NULL, count(boss), max(score) FROM emp WHERE id > 100;
SELECT dept, bool_and(active), bool_or(active) FROM emp GROUP BY dept UNION ALL SELECT NULL, bool_and(active), bool_or(active) FROM emp;
SELECT dept, count(*) FILTER (WHERE id > 2), sum(salary) FILTER (WHERE active) FROM emp GROUP BY dept UNION ALL SELECT NULL, count(*) FILTER (WHERE id > 2), sum(salary) FILTER (WHERE active) FROM emp;
SELECT dept, sum(score), avg(id) FROM emp GROUP BY dept UNION ALL SELECT NULL, sum(score), avg(id) FROM emp;
SELECT dept, count(DISTINCT boss), sum(DISTINCT id) FROM emp GROUP BY dept UNION ALL SELECT NULL, count(DISTINCT boss), sum(DISTINCT id) FROM emp;
SELECT a.dept, a.s, b.s FROM (SELECT dept, sum(id) AS s FROM emp GROUP BY dept) a, (SELECT sum(id) AS s FROM emp) b WHERE a.dept = 10;
SELECT a.dept, a.s, b.n, c.m FROM (SELECT dept, boss, sum(id) AS s FROM emp GROUP BY dept, boss) a, (SELECT count(*) AS n FROM emp) b, (SELECT dept, max(id) AS m FROM emp GROUP BY dept) c WHERE a.s < c.m;
SELECT k, sum(v) FROM n GROUP BY k HAVING sum(v) > (SELECT sum(v) * 0.1 FROM n);
SELECT year(hired) AS y, sum(salary), (SELECT sum(salary) FROM emp) FROM emp GROUP BY year(hired);
SELECT dept % 3 AS d, boss, count(*), max(name) FROM emp GROUP BY dept % 3, boss UNION ALL SELECT dept % 3, NULL, count(*), max(name) FROM emp GROUP BY dept % 3 UNION ALL SELECT boss, NULL, sum(id), min(name) FROM emp GROUP BY boss;
SELECT a.k, a.n, b.s FROM (SELECT upper(name) AS k, dept, count(*) AS n FROM emp GROUP BY upper(name), dept) a, (SELECT sum(id + 1) FILTER (WHERE salary > 1) AS s FROM emp) b;
SELECT a.k, a.n, b.s FROM (SELECT k, count(*) AS n FROM (SELECT k + 1 AS k FROM n) GROUP BY k) a, (SELECT sum(v) AS s FROM n) b;
-- the same joins in several places
SELECT (SELECT count(*) FROM emp e JOIN dept d ON e.dept = d.id WHERE e.id > 1 AND d.title > 'a'), (SELECT max(e.id) FROM emp e JOIN dept d ON e.dept = d.id WHERE e.id > 1 AND d.title < 'x');
SELECT d.title, sum(e.id) FROM emp e JOIN dept d ON e.dept = d.id WHERE e.id > 1 GROUP BY d.title UNION ALL SELECT e.name, avg(e.salary) FROM emp e JOIN dept d ON e.dept = d.id WHERE e.id > 1 GROUP BY e.name;
SELECT a.title, b.name FROM (SELECT d.title, e.id FROM emp e LEFT JOIN dept d ON e.dept = d.id WHERE e.salary > 5) a JOIN (SELECT e.name, e.id FROM emp e LEFT JOIN dept d ON e.dept = d.id WHERE e.salary > 7) b ON a.id = b.id;
SELECT e.id FROM emp e JOIN dept d ON e.dept = d.id WHERE e.id IN (SELECT e.boss FROM emp e JOIN dept d ON e.dept = d.id) UNION ALL SELECT d.id FROM emp e JOIN dept d ON e.dept = d.id;
SELECT x.k, y.v FROM (SELECT n.k, m.w FROM n, m WHERE n.k = m.k) x, (SELECT m.w, n.v FROM n, m WHERE n.k = m.k AND n.v > 1) y WHERE x.w = y.w;
-- conditions on constants of branches, and what an OR says of keys
SELECT k, c FROM (SELECT k, 'n' AS c FROM n UNION ALL SELECT k, 'm' FROM m) WHERE c = 'm';
SELECT k, c FROM (SELECT k, 'n' AS c FROM n UNION SELECT k, 'm' FROM m) WHERE c IN ('x', 'y');
SELECT count(*), max(c) FROM (SELECT k, NULL::VARCHAR AS c FROM n UNION ALL SELECT k, w FROM m) WHERE c IS NULL OR c > 'a';
SELECT dept, s FROM (SELECT dept, sum(salary) AS s FROM emp GROUP BY dept) WHERE (dept = 10 AND s > 5) OR dept = 20;
SELECT dept, id, r FROM (SELECT dept, id, rank() OVER (PARTITION BY dept ORDER BY salary) AS r FROM emp) WHERE (dept = 10 AND r = 1) OR (dept = 20 AND r < 3);
SELECT e.id, d.title FROM emp e LEFT JOIN dept d ON e.dept = d.id WHERE (e.dept = 10 AND d.title > 'a') OR (e.dept = 20 AND d.title IS NULL);
WITH w AS (SELECT dept, 'a' AS side, sum(salary) AS s FROM emp GROUP BY dept UNION ALL SELECT dept, 'b', count(*) FROM emp GROUP BY dept) SELECT x.dept, x.s, y.s FROM w x JOIN w y USING (dept) WHERE x.side = 'a' AND y.side = 'b' AND (x.dept = 10 OR y.s > 1);
SELECT e.id FROM emp e LEFT JOIN (SELECT id FROM dept WHERE 1 = 2) d ON e.dept = d.id WHERE e.id NOT IN (SELECT id FROM dept WHERE false);
