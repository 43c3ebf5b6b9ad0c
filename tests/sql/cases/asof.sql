WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF JOIN b ON a.k = b.k AND a.t>= b.t ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF LEFT JOIN b ON a.k = b.k AND a.t>= b.t ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF RIGHT JOIN b ON a.k = b.k AND a.t>= b.t ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF FULL JOIN b ON a.k = b.k AND a.t>= b.t ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i FROM a ASOF SEMI JOIN b ON a.k = b.k AND a.t>= b.t ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i FROM a ASOF ANTI JOIN b ON a.k = b.k AND a.t>= b.t ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF JOIN b ON a.k = b.k AND a.t > b.t ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF JOIN b ON a.k = b.k AND a.t<= b.t ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF JOIN b ON a.k = b.k AND a.t < b.t ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF JOIN b ON a.k = b.k AND b.t <= a.t ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF JOIN b ON a.t>= b.t ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF JOIN b ON a.k = b.k AND a.t>= b.t AND j > 101 ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF JOIN b ON a.k = b.k AND a.t>= b.t AND i <> j ORDER BY ALL;
-- both refuse
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF JOIN b ON a.k = b.k AND a.t>= b.t AND i > j ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF LEFT JOIN b ON a.k = b.k AND a.t>= b.t AND j > 101 ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF LEFT JOIN b ON a.k = b.k AND a.t>= b.t AND j + i > 103 ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF LEFT JOIN b ON a.k = b.k AND a.t>= b.t AND i > 1 ORDER BY ALL;
-- both refuse
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF JOIN b ON a.k = b.k ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF JOIN b ON a.k IS NOT DISTINCT FROM b.k AND a.t>= b.t ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT * FROM a ASOF JOIN b USING (k, t) ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT * FROM a ASOF LEFT JOIN b USING (k, t) ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT * FROM a ASOF JOIN b USING (t) ORDER BY ALL;
-- both refuse
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT * FROM a NATURAL ASOF JOIN b ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF JOIN b ON a.k+1= b.k AND a.t*2>= b.t-1 ORDER BY ALL;
-- both refuse
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF JOIN b ON a.k = b.k AND a.t>= b.t AND a.i >= b.j ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF JOIN b ON a.k <> b.k AND a.t>= b.t ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF JOIN b ON a.k = b.k AND a.t::DOUBLE>= b.t::VARCHAR::DOUBLE ORDER BY ALL;
-- both refuse
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF JOIN b ON a.k = b.k AND a.t <> b.t ORDER BY ALL;
-- both refuse
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF JOIN b ON TRUE ORDER BY ALL;
-- both refuse
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF CROSS JOIN b ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF JOIN b ON (a.k = b.k OR a.k = 1) AND a.t>= b.t ORDER BY ALL;
-- both refuse
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF JOIN b ON a.k = b.k AND a.t BETWEEN b.t AND b.t ORDER BY ALL;
SELECT x, y FROM (VALUES ('b'),('c')) l(x) ASOF JOIN (VALUES ('a'),('bb')) r(y) ON x >= y;
SELECT x, y FROM (VALUES (1.5::DOUBLE),('nan'::DOUBLE),(NULL)) l(x) ASOF LEFT JOIN (VALUES (1.0::DOUBLE),('nan'::DOUBLE)) r(y) ON x >= y;
SELECT x, y FROM (VALUES (TRUE)) l(x) ASOF JOIN (VALUES (FALSE)) r(y) ON x >= y;
SELECT x, y FROM (VALUES (1.5)) l(x) ASOF JOIN (VALUES (1)) r(y) ON x >= y;
SELECT x, y FROM (VALUES (DATE '2020-01-02')) l(x) ASOF JOIN (VALUES (TIMESTAMP '2020-01-01 10:00')) r(y) ON x >= y;
-- both refuse
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF JOIN b ON b.k = a.k AND 5 >= b.t ORDER BY ALL;
-- both refuse
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF JOIN b ON a.k = b.k AND a.t >= 5 ORDER BY ALL;
WITH a(k, t, i) AS (VALUES (1, 10, 1), (1, 20, 2), (2, 5, 3), (2, NULL, 4), (NULL, 7, 5), (3, 1, 6)),
    b(k, t, j) AS (VALUES (1, 5, 100), (1, 10, 101), (1, 25, 103), (2, 6, 104), (NULL, 7, 105), (2, NULL, 106))
SELECT i, j FROM a ASOF JOIN b ON a.k = b.k AND a.t>= b.t WHERE j > 101 ORDER BY ALL;
SELECT e.id, s.id FROM emp e ASOF JOIN (SELECT id * 3 - 1 AS id FROM emp) s ON e.id >= s.id;
SELECT e.id, s.x FROM emp e ASOF LEFT JOIN (SELECT dept, id * 7 % 5 + 0.5 AS x FROM emp WHERE id % 3 = 0) s ON e.dept = s.dept AND e.id > s.x;
SELECT e.id, s.n FROM emp e ASOF LEFT JOIN (SELECT DISTINCT name AS n FROM emp) s ON e.name < s.n;
SELECT e.id, s.d FROM emp e ASOF LEFT JOIN (SELECT DISTINCT name AS n, hired AS d FROM emp WHERE id < 5) s ON e.name = s.n AND e.hired >= s.d;
SELECT count(*), sum(x) FROM range(1000) t(i) ASOF JOIN (SELECT r * 7 AS x FROM range(100) r) s ON i >= x;
SELECT k, count(*), sum(s.v), sum(x) FROM (SELECT i AS v, i % 5 AS k FROM range(3000) t(i)) l ASOF LEFT JOIN (SELECT r * 11 AS v, r AS x, r % 7 AS k FROM range(300) r) s USING (k, v) GROUP BY k;
SELECT count(*), sum(l.v - s.v) FROM (SELECT (i * 7919) % 3001 AS v, i % 5 AS k FROM range(3000) t(i)) l ASOF JOIN (SELECT (r * 104729) % 3001 AS v, r % 7 AS k FROM range(1000) r) s ON l.k = s.k AND l.v <= s.v;
SELECT l.x, s.y FROM (VALUES (1::HUGEINT << 70), (5::HUGEINT)) l(x) ASOF LEFT JOIN (VALUES (1::HUGEINT << 69), (9::HUGEINT)) s(y) ON x >= y;
SELECT l.x, s.y FROM (VALUES (9223372036854775807), (-9223372036854775808)) l(x) ASOF LEFT JOIN (VALUES (9223372036854775807), (-9223372036854775808)) s(y) ON x > y;
SELECT l.x, s.y FROM (VALUES (1), (2)) l(x) ASOF LEFT JOIN (SELECT 1 AS y WHERE false) s ON x > y;
SELECT e.id FROM emp e WHERE e.id IN (SELECT s.y FROM (VALUES (3), (8)) l(x) ASOF JOIN (VALUES (1), (5), (7)) s(y) ON x >= y);
SELECT e.id, (SELECT max(y) FROM (SELECT e.id AS x) l ASOF JOIN (VALUES (1), (5), (7)) s(y) ON x >= y) AS m FROM emp e;
SELECT a.x, s.y FROM (VALUES (3), (8)) a(x), (SELECT y FROM (SELECT a.x + 1 AS z) l ASOF JOIN (VALUES (1), (5), (9)) r(y) ON z >= y) s;
-- subqueries in the condition
SELECT * FROM (VALUES (1, 2, 10), (3, 4, 20), (1, 2, 5)) t(a, b, c) ASOF JOIN (VALUES (1, 9)) u(a, c) ON t.a = u.a AND t.c >= u.c AND t.c > (SELECT 6);
SELECT * FROM (VALUES (1, 2, 10), (3, 4, 20), (1, 2, 5)) t(a, b, c) ASOF JOIN (VALUES (1, 9)) u(a, c) ON t.a = u.a AND t.c >= (SELECT u.c);
SELECT * FROM (VALUES (1, 2, 10), (3, 4, 20), (1, 2, 5)) t(a, b, c) ASOF JOIN (VALUES (1, 9)) u(a, c) ON t.a = (SELECT max(1)) AND t.c >= u.c;
SELECT * FROM (VALUES (1, 2, 10), (3, 4, 20), (1, 2, 5)) t(a, b, c) ASOF JOIN (VALUES (1, 9)) u(a, c) ON t.a = u.a AND t.c + (SELECT 1) >= u.c;
SELECT * FROM (VALUES (1, 2, 10), (3, 4, 20), (1, 2, 5)) t(a, b, c) ASOF LEFT JOIN (VALUES (1, 9), (1, 3)) u(a, c) ON t.a = u.a AND t.c >= u.c AND t.b IN (SELECT 2) AND u.c IN (SELECT 9) ORDER BY ALL;
SELECT * FROM (VALUES (1, 2, 10), (3, 4, 20), (1, 2, 5)) t(a, b, c) ASOF LEFT JOIN (VALUES (1, 9), (1, 3)) u(a, c) ON t.a = u.a AND t.c >= u.c AND EXISTS (SELECT 1 WHERE t.b = 2) ORDER BY ALL;
SELECT * FROM (VALUES (1, 2, 10), (3, 4, 20), (1, 2, 5)) t(a, b, c) ASOF JOIN (VALUES (1, 9), (1, 3)) u(a, c) ON t.a = u.a AND t.c >= u.c AND t.b + u.c > (SELECT 5) ORDER BY ALL;
