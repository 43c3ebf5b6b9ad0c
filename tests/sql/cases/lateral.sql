SELECT * FROM (VALUES (1),(2)) t(n), range(t.n);
SELECT * FROM (VALUES (1),(2)) t(n), range(n) r(x);
SELECT * FROM (VALUES (1),(NULL)) t(n), range(n);
SELECT * FROM (VALUES (1)) t(n), range(n, 5, NULL);
-- both refuse
SELECT * FROM (VALUES (1)) t(n), repeat('x', n);
-- both refuse
SELECT * FROM (VALUES ('2')) t(n), range(n);
-- both refuse
SELECT * FROM (VALUES (2.0)) t(n), range(n);
SELECT * FROM (VALUES (DATE '2020-01-01')) t(n), range(n, n+2, INTERVAL 1 DAY);
SELECT * FROM (VALUES (DATE '2020-01-01'),(DATE '2019-11-30')) t(n), range(n, DATE '2020-03-01', INTERVAL 1 MONTH) WITH ORDINALITY;
SELECT * FROM LATERAL range(3);
SELECT * FROM (VALUES (2)) t(n), LATERAL range(n);
SELECT * FROM (VALUES (2)) t(n) CROSS JOIN LATERAL (SELECT n+1 AS m);
SELECT * FROM (VALUES (2)) t(n), (SELECT n+1 AS m);
SELECT * FROM (VALUES (2)) t(n) JOIN (SELECT n+1 AS m) s ON m > n;
SELECT * FROM (VALUES (2)) t(n) LEFT JOIN (SELECT n+1 AS m WHERE n > 5) s ON m > n;
-- both refuse
SELECT * FROM (VALUES (2)) t(n) RIGHT JOIN (SELECT n+1 AS m) s ON m > n;
-- both refuse
SELECT * FROM (VALUES (2)) t(n) LEFT JOIN LATERAL (SELECT n+1 AS m) s;
-- both refuse
SELECT * FROM (VALUES (2)) t(n) SEMI JOIN (SELECT n+1 AS m) s ON m > n;
-- both refuse
SELECT * FROM (VALUES (2)) t(n) FULL JOIN LATERAL (SELECT n+1 AS m) s ON true;
SELECT * FROM (VALUES (2)) t(n), (SELECT * FROM (SELECT n + 1 AS m) u, (SELECT n+m AS k) v) w;
SELECT * FROM (VALUES (2)) t(n), (VALUES (n), (n+1)) v(x);
SELECT * FROM (VALUES (2)) t(n), (SELECT n AS m) s, (SELECT m+n AS k) u;
-- both refuse
SELECT * FROM (VALUES (2)) t(n) JOIN (SELECT n AS m) s USING (m);
SELECT * FROM (VALUES (1),(2)) t(n), (SELECT * FROM (VALUES (1),(2),(3)) u(x) WHERE x >= n ORDER BY x LIMIT 1);
SELECT * FROM (VALUES (1),(2)) t(n), (SELECT sum(x) FROM (VALUES (1),(2),(3)) u(x) WHERE x > n+1);
SELECT * FROM (VALUES (1),(2),(5)) t(n), (SELECT count(*) AS c FROM (VALUES (1),(2),(3)) u(x) WHERE x > n+1);
SELECT * FROM (VALUES (1),(2),(5)) t(n) LEFT JOIN (SELECT count(*) AS c FROM (VALUES (1),(2),(3)) u(x) WHERE x > n+1) ON c > 0;
SELECT * FROM (VALUES (1),(2),(5)) t(n) LEFT JOIN (SELECT count(*) AS c FROM (VALUES (1),(2),(3)) u(x) WHERE x > n+1) ON true;
SELECT * FROM (VALUES (1),(2),(5)) t(n) LEFT JOIN LATERAL (SELECT x FROM (VALUES (1),(2),(3)) u(x) WHERE x > n ORDER BY x DESC LIMIT 2) s ON true;
SELECT * FROM (VALUES (1),(NULL)) t(n) LEFT JOIN LATERAL (SELECT coalesce(x,7) AS y FROM (SELECT n AS x) u) s ON true;
SELECT * FROM (VALUES (1),(0)) t(n) LEFT JOIN LATERAL (SELECT coalesce(r,7) AS y FROM range(n) r) s ON true;
SELECT * FROM (VALUES (1),(0)) t(n) LEFT JOIN LATERAL (SELECT r AS y, n FROM range(n) r) s ON true;
WITH c AS (SELECT 1 AS a) SELECT * FROM c, (WITH d AS (SELECT a+1 AS b) SELECT * FROM d) s;
WITH c AS (SELECT 1 AS a) SELECT * FROM c, (WITH d AS (SELECT a+1 AS b) SELECT d.b, e.b FROM d, d e) s;
SELECT * FROM (VALUES (1),(2)) t(n), (SELECT * FROM (VALUES (1,5),(2,6),(2,7)) u(k,v) WHERE k = n) s;
SELECT t.n, s.* FROM (VALUES (1),(2),(3)) t(n), (SELECT k, sum(v) sv FROM (VALUES (1,5),(2,6),(2,7)) u(k,v) WHERE k >= n GROUP BY k) s;
SELECT * FROM (VALUES (1),(2)) a(x), (VALUES (1),(3)) b(y) RIGHT JOIN (VALUES (2),(3)) c(z) ON z = y AND x = 1;
SELECT * FROM (VALUES (1),(2)) a(x), (VALUES (1),(3)) b(y) FULL JOIN (VALUES (2),(3)) c(z) ON z = y AND x = 1;
SELECT x FROM range(3) a(x), LATERAL (SELECT x AS y FROM (VALUES (a.x)) v(z)) s;
SELECT e.id, s.name FROM emp e, LATERAL (SELECT name FROM emp o WHERE o.dept = e.dept AND o.id > e.id ORDER BY o.id LIMIT 2) s;
SELECT e.id, s.* FROM emp e LEFT JOIN LATERAL (SELECT max(o.salary) AS most, count(*) AS n FROM emp o WHERE o.boss = e.id) s ON true;
SELECT e.id, s.n FROM emp e LEFT JOIN LATERAL (SELECT count(*) AS n FROM emp o WHERE o.boss = e.id) s ON s.n > 1;
SELECT e.id, s.x, t.y FROM emp e, (SELECT e.id + 1 AS x) s, (SELECT s.x * e.id AS y) t WHERE t.y < 30;
SELECT e.id, s.r FROM emp e, (SELECT o.id, row_number() OVER (ORDER BY o.id) AS r FROM emp o WHERE o.dept = e.dept) s WHERE s.r = 2;
SELECT e.id, s.c FROM emp e, (SELECT DISTINCT o.dept AS c FROM emp o WHERE o.boss = e.id UNION SELECT e.dept) s;
SELECT e.id, s.c FROM emp e, (SELECT (SELECT count(*) FROM emp i WHERE i.boss = o.id AND i.id > e.id) AS c FROM emp o WHERE o.dept = e.dept) s;
SELECT e.id, (SELECT max(s.x) FROM (SELECT e.id + o.id AS x) s) AS m FROM emp e, emp o WHERE o.id < 3;
SELECT * FROM (VALUES (1), (2), (NULL)) t(a), (SELECT u.b FROM (VALUES (1), (NULL)) u(b) WHERE u.b IS NOT DISTINCT FROM t.a) s;
SELECT e.id FROM emp e WHERE EXISTS (SELECT 1 FROM (SELECT e.dept AS d) s JOIN emp o ON o.dept = s.d WHERE o.id <> e.id);
SELECT a.x, s.y, s.z FROM (VALUES (1), (2)) a(x), (SELECT * FROM (VALUES (1), (3)) b(y) FULL JOIN (VALUES (2), (3)) c(z) ON z = y AND x = 1) s;
SELECT a.x, s.n FROM (VALUES (1), (2), (NULL)) a(x), (SELECT count(*) AS n FROM (VALUES (1), (NULL)) b(y) FULL JOIN (VALUES (2), (NULL)) c(z) ON z = y + x) s;
-- aggregates that follow the order of a subquery
SELECT d.id, (SELECT list(name) FROM (SELECT name FROM emp e WHERE e.dept = d.id ORDER BY name)) FROM dept d ORDER BY 1;
SELECT d.id, (SELECT string_agg(name) FROM (SELECT name, id FROM emp e WHERE e.dept = d.id ORDER BY salary DESC, id) WHERE id > 1) FROM dept d ORDER BY 1;
SELECT d.id, l.* FROM dept d, LATERAL (SELECT first(n), last(n), list(n || '!') FROM (SELECT name AS n FROM emp e WHERE e.dept >= d.id ORDER BY id DESC)) l ORDER BY 1;
SELECT d.id, (SELECT list(x ORDER BY length(x)) FROM (SELECT name AS x FROM emp e WHERE e.dept = d.id ORDER BY name DESC)) FROM dept d ORDER BY 1;
SELECT r.i, (SELECT list(k) FROM (SELECT DISTINCT v % 3 AS k FROM n WHERE n.k > r.i ORDER BY k DESC)) FROM range(3) r(i) ORDER BY 1;
-- names of subqueries with LATERAL and unnest in FROM
SELECT (SELECT x FROM (SELECT 1) AS z(y), LATERAL (SELECT y + 1) AS w(x)), (SELECT x FROM (SELECT 1 AS y) z, LATERAL (SELECT y + 1 AS x) w);
SELECT (SELECT x FROM (SELECT 1) AS z(y) JOIN LATERAL (SELECT y + 1) AS w(x) ON true), (SELECT x FROM (SELECT 1) AS z(y) CROSS JOIN LATERAL (SELECT y + 1) AS w(x)), (SELECT x FROM (SELECT 1) AS z(y) LEFT JOIN LATERAL (SELECT y + 1 WHERE y > 1) AS w(x) ON true);
SELECT (SELECT count(*) FROM emp a, unnest([a.id]) u(x)), (SELECT max(x) FROM (SELECT [1, 2] AS l) a, LATERAL unnest(l) u(x)), (SELECT sum(x) FROM unnest([1, 2]) u(x)), (SELECT count(*) FROM emp e LEFT JOIN unnest([1]) u(x) ON u.x = e.id);
