-- Subqueries that read arrays, lists and structs around them: equal and NULL ones are rows of their own.
WITH q(i, v) AS (VALUES (1, [1, 0]::FLOAT[2]), (2, [0, 1]), (3, NULL), (4, [1, 0])), b(j, w) AS (VALUES (1, [1, 1]::FLOAT[2]), (2, [0, 3]), (3, NULL), (4, [2, 0]))
SELECT i, (SELECT avg(array_distance(v, w)) FROM b) FROM q ORDER BY ALL;
WITH q(i, v) AS (VALUES (1, [1, 0]::FLOAT[2]), (2, [0, 1]), (3, NULL), (4, [1, 0])), b(j, w) AS (VALUES (1, [1, 1]::FLOAT[2]), (2, [0, 3]), (3, NULL), (4, [2, 0]))
SELECT i, (SELECT count(*) FROM b WHERE array_distance(v, w) < 2), (SELECT max(j) FROM b WHERE j > i AND array_distance(v, w) > 1) FROM q ORDER BY ALL;
WITH q(i, v) AS (VALUES (1, [1, 0]::FLOAT[2]), (2, [0, 1]), (3, NULL), (4, [1, 0])), b(j, w) AS (VALUES (1, [1, 1]::FLOAT[2]), (2, [0, 3]), (3, NULL), (4, [2, 0]))
SELECT i, l.* FROM q LEFT JOIN LATERAL (SELECT j % 2 AS g, sum(array_distance(v, w)) AS s, min(v[1] + j) AS m FROM b WHERE j > i GROUP BY g HAVING min(array_distance(v, w)) > 1) l ON l.s > 1 ORDER BY ALL;
WITH q(i, v) AS (VALUES (1, [1, 0]::FLOAT[2]), (2, [0, 1]), (3, NULL), (4, [1, 0])), b(j, w) AS (VALUES (1, [1, 1]::FLOAT[2]), (2, [0, 3]), (3, NULL), (4, [2, 0]))
SELECT i, l.* FROM q, LATERAL (SELECT j, array_distance(v, w) AS d FROM b WHERE w IS NOT NULL ORDER BY d, j LIMIT 1 OFFSET 1) l WHERE v IS NOT NULL ORDER BY ALL;
WITH q(i, v) AS (VALUES (1, [1, 0]::FLOAT[2]), (2, [0, 1]), (3, NULL), (4, [1, 0])), b(j, w) AS (VALUES (1, [1, 1]::FLOAT[2]), (2, [0, 3]), (3, NULL), (4, [2, 0]))
SELECT i, l.* FROM q, LATERAL (SELECT j, rank() OVER (ORDER BY array_distance(v, w)) AS r, first_value(v) OVER (ORDER BY j) AS f FROM b) l ORDER BY ALL;
WITH q(i, v) AS (VALUES (1, [1, 0]::FLOAT[2]), (2, [0, 1]), (3, NULL), (4, [1, 0])), b(j, w) AS (VALUES (1, [1, 1]::FLOAT[2]), (2, [0, 3]), (3, NULL), (4, [2, 0]))
SELECT i FROM q WHERE EXISTS (SELECT 1 FROM b GROUP BY j % 2 HAVING sum(array_distance(v, w)) > 3) AND i NOT IN (SELECT max(j) + array_distance(v, v) FROM b GROUP BY j % 2 HAVING count(array_distance(v, w)) > 1) ORDER BY ALL;
WITH q(i, v) AS (VALUES (1, [1, 0]::FLOAT[2]), (2, [0, 1]), (3, NULL), (4, [1, 0])), b(j, w) AS (VALUES (1, [1, 1]::FLOAT[2]), (2, [0, 3]), (3, NULL), (4, [2, 0]))
SELECT i, i IN (SELECT sum(j) + count(array_distance(v, w)) FROM b GROUP BY j % 2) AS a, EXISTS (SELECT v UNION SELECT w FROM b WHERE j = i OFFSET 1) AS c FROM q ORDER BY ALL;
WITH q(i, v) AS (VALUES (1, [1, 0]), (2, [0, 1]), (3, NULL), (4, [1, 0])), b(j) AS (VALUES (1), (2), (0), (NULL))
SELECT i, (SELECT sum(list_sum(v) + j) FROM b), (SELECT string_agg(j ORDER BY j) FROM (SELECT j FROM b UNION ALL SELECT v[1]) z(j) WHERE list_contains(v, j)) FROM q ORDER BY ALL;
WITH q(i, v) AS (VALUES (1, {'a': 1, 'b': 'x'}), (2, {'a': 2, 'b': 'y'}), (3, NULL), (4, {'a': 1, 'b': 'x'})), b(j) AS (VALUES (1), (2), (0), (NULL))
SELECT i, (SELECT sum(v.a * j) FROM b), (SELECT count(*) FROM (SELECT j FROM b WHERE j < v.a LIMIT 1)), (SELECT v.b FROM b GROUP BY j HAVING j = v.a) FROM q ORDER BY ALL;
WITH q(i, v) AS (VALUES (1, [1, 0]), (2, [0, 1]), (3, NULL), (4, [1, 0])), b(j) AS (VALUES (1), (2), (0))
SELECT i, (SELECT max(s) FROM (SELECT (SELECT sum(c.j + b.j + list_sum(v)) FROM b c WHERE c.j <> b.j) AS s FROM b)) FROM q ORDER BY ALL;
WITH q(i, v) AS (VALUES (1, [1, 0]), (2, [0, 1]), (3, NULL), (4, [1, 0])), b(j) AS (VALUES (1), (2), (0))
SELECT q.i, r.i FROM q JOIN q r ON q.i < r.i AND (SELECT sum(list_sum(q.v) * j + list_sum(r.v)) FROM b) > 3 ORDER BY ALL;
WITH q(i, v) AS (VALUES (1, [1, 0]), (2, [0, 1]), (3, NULL), (4, [1, 0]))
SELECT i, (WITH RECURSIVE t(n) AS (SELECT list_sum(v) UNION ALL SELECT n + 1 FROM t WHERE n < 3 + v[1]) SELECT sum(n) FROM t) FROM q ORDER BY ALL;
