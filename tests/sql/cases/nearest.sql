WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i, j FROM q JOIN b NEAREST BY DISTANCE abs(x - y) ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT * FROM q JOIN b NEAREST 2 BY DISTANCE abs(x - y) ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT * FROM q LEFT JOIN b EXACT NEAREST 2 BY DISTANCE abs(x - y) ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i, b.* FROM q LEFT OUTER JOIN b APPROX NEAREST 3 BY SIMILARITY abs(x - y) ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT count(*), count(x), sum(y) FROM q INNER JOIN b NEAREST 1_000 BY DISTANCE abs(q.x - b.y);
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT count(*) FROM q JOIN b NEAREST 9223372036854775807 BY DISTANCE y;
-- The ranking may read one side alone, or neither.
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i, j FROM q JOIN b NEAREST 2 BY SIMILARITY y ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i, count(*) FROM q LEFT JOIN b NEAREST 2 BY DISTANCE x GROUP BY i ORDER BY ALL;
-- A number is a column of the joined table, and its NULLs come last.
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i, y FROM q JOIN b NEAREST 5 BY DISTANCE 2 ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20)), b(j, y) AS (VALUES (1, 11), (2, 19))
SELECT i, j FROM q JOIN b NEAREST BY DISTANCE 1 + 1;
-- Names are those of the joined table first, then those before it; it may read these itself.
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, 5)), b(i, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT q.i, b.i FROM q JOIN b NEAREST BY SIMILARITY i ORDER BY ALL;
WITH q(i, g, x) AS (VALUES (1, 1, 10), (2, 2, 20), (3, NULL, 5)), b(g, y) AS (VALUES (1, 11), (1, 19), (2, NULL), (2, 26), (2, 100), (NULL, 3))
SELECT i, y FROM q JOIN (SELECT * FROM b WHERE b.g = q.g) b NEAREST 2 BY DISTANCE abs(q.x - b.y) ORDER BY ALL;
WITH q(i, g, x) AS (VALUES (1, 1, 10), (2, 2, 20), (3, NULL, 5)), b(g, y) AS (VALUES (1, 11), (1, 19), (2, NULL), (2, 26), (2, 100), (NULL, 3))
SELECT i, b.* FROM q LEFT JOIN LATERAL (SELECT * FROM b WHERE b.g = q.g AND y < 50) b NEAREST 2 BY DISTANCE abs(q.x - b.y) ORDER BY ALL;
WITH q(i, g, x) AS (VALUES (1, 1, 10), (2, 2, 20), (3, NULL, 5)), b(g, y) AS (VALUES (1, 11), (1, 19), (2, NULL), (2, 26), (2, 100), (NULL, 3))
SELECT i, y FROM q LEFT JOIN (SELECT * FROM b WHERE b.g IS NOT DISTINCT FROM q.g AND b.y > q.x) b NEAREST 1 BY DISTANCE y - x ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL))
SELECT i, r FROM q JOIN range(30) t(r) NEAREST 2 BY DISTANCE abs(r * 7 - x) ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL))
SELECT i, r FROM q JOIN range(x) t(r) NEAREST 2 BY SIMILARITY r ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL))
SELECT i, col0 FROM q JOIN (VALUES (11), (20), (32)) NEAREST 2 BY DISTANCE abs(col0 - q.x) ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT q.i, id_1 FROM q JOIN (SELECT j AS id, j + 1 AS id, y FROM b) NEAREST 2 BY DISTANCE abs(y - q.x) ORDER BY ALL;
-- It has one name, or none where it is several tables.
WITH q(i, x) AS (VALUES (1, 10), (2, 20)), b(j, y) AS (VALUES (1, 11), (2, 19), (4, 26))
SELECT * FROM q JOIN (b JOIN q o ON o.x < b.y) NEAREST 2 BY DISTANCE abs(b.y - 2 * o.x - q.x) ORDER BY ALL;
-- both refuse
WITH q(i, x) AS (VALUES (1, 10), (2, 20)), b(j, y) AS (VALUES (1, 11), (2, 19), (4, 26))
SELECT b.y FROM q JOIN (b JOIN q o ON o.x < b.y) NEAREST 2 BY DISTANCE abs(b.y - 2 * o.x - q.x);
WITH q(i, x) AS (VALUES (1, 10), (2, 20)), b(j, y) AS (VALUES (1, 11), (2, 19), (4, 26))
SELECT * FROM q JOIN b JOIN q o ON o.x < b.y NEAREST 2 BY DISTANCE abs(b.y - 2 * o.x - q.x) ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20)), b(j, y) AS (VALUES (1, 11), (2, 19), (4, 26))
SELECT * FROM q JOIN b NEAREST 2 BY DISTANCE abs(y - x) JOIN b c NEAREST BY DISTANCE abs(c.y - b.y - 3 + i) ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20)), b(j, y) AS (VALUES (1, 11), (2, 19), (4, 26))
SELECT * FROM q JOIN b NEAREST 2 BY DISTANCE abs(y - x) JOIN b c ON c.y > b.y ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20)), b(j, y) AS (VALUES (1, 11), (2, 19), (4, 26))
SELECT q.i, o.i, j FROM q, q o JOIN b NEAREST BY DISTANCE abs(y - q.x - o.x) ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20)), b(j, y) AS (VALUES (1, 11), (2, 19), (4, 26))
SELECT i, j FROM q JOIN b nearest NEAREST BY DISTANCE abs(nearest.y - x) ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20)), b(j, y) AS (VALUES (1, 11), (2, 19), (4, 26))
SELECT i, j FROM q JOIN b AS approx APPROX NEAREST BY DISTANCE abs(approx.y - x) ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20)), b(j, y) AS (VALUES (1, 11), (2, 19), (4, 26))
SELECT i, j FROM q JOIN b exact EXACT NEAREST BY DISTANCE abs(exact.y - x) ORDER BY ALL;
WITH nearest(approx, exact, distance, similarity) AS (VALUES (1, 2, 3, 4)) SELECT approx, exact, distance, similarity FROM nearest;
WITH q(i, x) AS (VALUES (1, 10), (2, 20)), b(j, y) AS (VALUES (1, 11), (2, 19), (4, 26)) SELECT count(*) FROM q JOIN b nearest ON true;
WITH q(i, x) AS (VALUES (1, 10), (2, 20)), b(j, y) AS (VALUES (1, 11), (2, 19), (4, 26)) SELECT count(*) FROM q JOIN b approx(a) ON true, b exact;
-- Conditions above it.
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i, j FROM q LEFT JOIN b NEAREST 2 BY DISTANCE abs(x - y) WHERE i > 1 AND j < 4 ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i, j FROM q LEFT JOIN b NEAREST 2 BY DISTANCE abs(x - y) WHERE j IS NULL ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i, j FROM q LEFT JOIN (SELECT * FROM b WHERE false) b NEAREST 2 BY DISTANCE abs(x - y) ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i, j FROM q JOIN (SELECT * FROM b WHERE y < 20) b NEAREST 2 BY DISTANCE abs(x - y) ORDER BY ALL;
-- Other types.
WITH q(i, s) AS (VALUES (1, 'abc'), (2, 'xyz'), (3, NULL)), b(t) AS (VALUES ('abd'), ('xxx'), (NULL), ('y'))
SELECT i, t FROM q JOIN b NEAREST 2 BY DISTANCE levenshtein(s, t) * 100 + ascii(t) ORDER BY ALL;
WITH q(i, s) AS (VALUES (1, 'abc'), (2, 'xyz'), (3, NULL)), b(t) AS (VALUES ('abd'), ('xxx'), (NULL), ('y'))
SELECT i, t FROM q JOIN b NEAREST 2 BY SIMILARITY t || s ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 1.5), (2, 'nan'::DOUBLE), (3, NULL)), b(j, y) AS (VALUES (1, 1.0), (2, 'nan'::DOUBLE), (3, NULL), (4, 'inf'::DOUBLE), (5, -2.0))
SELECT i, j FROM q JOIN b NEAREST 3 BY SIMILARITY x + y * j ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 1.5), (2, 'nan'::DOUBLE), (3, NULL)), b(j, y) AS (VALUES (1, 1.0), (2, 'nan'::DOUBLE), (3, NULL), (4, 'inf'::DOUBLE), (5, -2.0))
SELECT i, j FROM q JOIN b NEAREST 3 BY DISTANCE CASE WHEN i = 2 THEN j ELSE x + y END ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26))
SELECT i, j FROM q JOIN b NEAREST 2 BY SIMILARITY [abs(x - y), NULL] ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, DATE '2024-01-10'), (2, DATE '2024-02-01')), b(j, y) AS (VALUES (1, DATE '2024-01-11'), (2, NULL), (3, DATE '2024-03-01'))
SELECT i, j FROM q JOIN b NEAREST 2 BY DISTANCE abs(x - y) ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10::DECIMAL(38, 2)), (2, 20)), b(j, y) AS (VALUES (1, 11::HUGEINT), (2, NULL), (3, 17))
SELECT i, j FROM q JOIN b NEAREST 2 BY DISTANCE abs(x - y) ORDER BY ALL;
WITH q(i, v) AS (VALUES (1, [1, 0, 0]::FLOAT[3]), (2, [0, 1, 0]), (3, NULL), (4, [0, 0, 0])), b(j, w) AS (VALUES (1, [.9, .1, .1]::FLOAT[3]), (2, [.8, .2, 0]), (3, NULL), (4, [.1, .9, .1]), (5, [0, .7, .2]))
SELECT i, j FROM q JOIN b NEAREST 2 BY DISTANCE array_distance(v, w) ORDER BY ALL;
WITH q(i, v) AS (VALUES (1, [1, 0, 0]::FLOAT[3]), (2, [0, 1, 0]), (3, NULL), (4, [0, 0, 0])), b(j, w) AS (VALUES (1, [.9, .1, .1]::FLOAT[3]), (2, [.8, .2, 0]), (3, NULL), (4, [.1, .9, .1]), (5, [0, .7, .2]))
SELECT i, j FROM q LEFT JOIN b NEAREST 2 BY SIMILARITY array_cosine_similarity(v, w) WHERE i < 4 ORDER BY ALL;
WITH q(i, v) AS (VALUES (1, [1, 0, 0]::DOUBLE[3]), (2, [0, 1, 0]), (3, NULL), (4, [0, 1, 1])), b(j, w) AS (VALUES (1, [.9, .1, .1]::DOUBLE[3]), (2, [.8, .2, 0]), (3, NULL), (4, [.1, .9, .1]), (5, [0, .7, .2]))
SELECT i, j FROM q LEFT JOIN b NEAREST 2 BY DISTANCE array_negative_inner_product(v, w) ORDER BY ALL;
WITH q(i, v) AS (VALUES (1, [1, 0, 0]::DOUBLE[3]), (2, [0, 1, 0]), (3, NULL), (4, [0, 1, 1])), b(j, w) AS (VALUES (1, [.9, .1, .1]::DOUBLE[3]), (2, [.8, .2, 0]), (3, NULL), (4, [.1, .9, .1]), (5, [0, .7, .2]))
SELECT i, j FROM q JOIN b NEAREST 2 BY DISTANCE 1 - array_cosine_similarity(v, w) ORDER BY ALL;
-- Subqueries within the ranking, and around the join.
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i, j FROM q JOIN b NEAREST 2 BY DISTANCE abs((SELECT max(x) FROM q) - y) ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i, j FROM q JOIN b NEAREST 2 BY DISTANCE (SELECT count(*) FROM b o WHERE o.y < b.y) + (SELECT count(*) FROM b o WHERE o.y < q.x) ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i, (SELECT max(j) FROM (SELECT q.x AS x) z JOIN b NEAREST 1 BY DISTANCE abs(z.x - b.y)) FROM q ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i, (SELECT sum(j) FROM (SELECT 1) z LEFT JOIN b APPROX NEAREST 2 BY SIMILARITY abs(q.x - b.y)) FROM q ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i, (SELECT count(*) FROM q o JOIN b t(k) NEAREST 2 BY DISTANCE abs(o.x - y) WHERE k > q.i) FROM q ORDER BY ALL;
WITH q(i, g, x) AS (VALUES (1, 1, 10), (2, 1, 20), (3, 2, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i, j FROM q LEFT JOIN b NEAREST 2 BY DISTANCE abs((SELECT sum(z.x + b.y) FROM q z WHERE z.g = q.g AND z.x < b.y) - y) ORDER BY ALL;
-- The first rows by an order that reads the rows before them: the same.
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i, l.* FROM q, LATERAL (SELECT j, abs(x - y) AS d FROM b WHERE y IS NOT NULL ORDER BY d, j DESC LIMIT 2) l WHERE i < 3 ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i, l.* FROM q, LATERAL (SELECT j, abs(x - y) AS d FROM b ORDER BY d NULLS FIRST, j LIMIT 2) l ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i, l.* FROM q LEFT JOIN LATERAL (SELECT j, 7 AS c, i + 1 AS n FROM b WHERE y > x ORDER BY y - x DESC LIMIT 2) l ON true ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i, l.* FROM q JOIN LATERAL (SELECT j, y FROM b WHERE y > x ORDER BY y - x LIMIT 2) l ON l.j > i + 1 ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i, l.* FROM q LEFT JOIN LATERAL (SELECT j, y FROM b WHERE y > x ORDER BY y - x LIMIT 2) l ON l.j > i + 3 ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i, (SELECT j FROM b WHERE y <> x ORDER BY abs(x - y) LIMIT 1), (SELECT coalesce(j, 0) + x FROM b WHERE y < x ORDER BY x - y LIMIT 1) FROM q ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i FROM q WHERE 2 = (SELECT j FROM b ORDER BY abs(x - y) LIMIT 1) ORDER BY ALL;
WITH q(i, x) AS (VALUES (1, 10), (2, 20), (3, NULL)), b(j, y) AS (VALUES (1, 11), (2, 19), (3, NULL), (4, 26), (5, 100))
SELECT i, l.* FROM q, LATERAL (SELECT j, y FROM b WHERE y IS NOT NULL ORDER BY abs(x - y), j LIMIT 2 OFFSET 1) l WHERE x IS NOT NULL ORDER BY ALL;
-- both refuse
SELECT * FROM (SELECT 1 AS x) q RIGHT JOIN (SELECT 2 AS y) b NEAREST BY DISTANCE x - y;
-- both refuse
SELECT * FROM (SELECT 1 AS x) q FULL JOIN (SELECT 2 AS y) b NEAREST BY DISTANCE x - y;
-- both refuse
SELECT * FROM (SELECT 1 AS x) q SEMI JOIN (SELECT 2 AS y) b NEAREST BY DISTANCE x - y;
-- both refuse
SELECT * FROM (SELECT 1 AS x) q ANTI JOIN (SELECT 2 AS y) b NEAREST BY DISTANCE x - y;
-- both refuse
SELECT * FROM (SELECT 1 AS x) q ASOF JOIN (SELECT 2 AS y) b NEAREST BY DISTANCE x - y;
-- both refuse
SELECT * FROM (SELECT 1 AS x) q CROSS JOIN (SELECT 2 AS y) b NEAREST BY DISTANCE x - y;
-- both refuse
SELECT * FROM (SELECT 1 AS x) q NATURAL JOIN (SELECT 2 AS y) b NEAREST BY DISTANCE x - y;
-- both refuse
SELECT * FROM (SELECT 1 AS x) q, (SELECT 2 AS y) b NEAREST BY DISTANCE x - y;
-- both refuse
SELECT * FROM (SELECT 1 AS x) q JOIN (SELECT 2 AS y) b NEAREST 0 BY DISTANCE x - y;
-- both refuse
SELECT * FROM (SELECT 1 AS x) q JOIN (SELECT 2 AS y) b NEAREST 1.5 BY DISTANCE x - y;
-- both refuse
SELECT * FROM (SELECT 1 AS x) q JOIN (SELECT 2 AS y) b NEAREST 9223372036854775808 BY DISTANCE x - y;
-- both refuse
SELECT * FROM (SELECT 1 AS x) q JOIN (SELECT 2 AS y) b NEAREST -1 BY DISTANCE x - y;
-- both refuse
SELECT * FROM (SELECT 1 AS x) q JOIN (SELECT 2 AS y) b NEAREST 1 BY x - y;
-- both refuse
SELECT * FROM (SELECT 1 AS x) q JOIN (SELECT 2 AS y) b NEAREST 1 DISTANCE x - y;
-- both refuse
SELECT * FROM (SELECT 1 AS x) q JOIN (SELECT 2 AS y) b NEAREST BY DISTANCE x - y DESC;
-- both refuse
SELECT * FROM (SELECT 1 AS x) q JOIN (SELECT 2 AS y) b NEAREST BY DISTANCE x - y ON true;
-- both refuse
SELECT * FROM (SELECT 1 AS x) q JOIN (SELECT 2 AS y) b ON true NEAREST BY DISTANCE x - y;
-- both refuse
SELECT * FROM (SELECT 1 AS x) q JOIN b: (SELECT 2 AS y) NEAREST BY DISTANCE x - y;
-- both refuse
SELECT * FROM (SELECT 1 AS x) q JOIN (SELECT 2 AS y) b NEAREST BY DISTANCE 3;
-- both refuse
SELECT * FROM (SELECT 1 AS x) q JOIN (SELECT 2 AS y) b NEAREST BY DISTANCE 'a';
-- both refuse
SELECT * FROM (SELECT 1 AS x) q JOIN (SELECT 2 AS y) b NEAREST BY DISTANCE count(*);
-- both refuse
SELECT * FROM (SELECT 1 AS x) q JOIN (SELECT 2 AS y) b NEAREST BY DISTANCE row_number() OVER ();
-- both refuse
SELECT * FROM (SELECT 1 AS x) q JOIN (SELECT 2 AS y) b NEAREST BY DISTANCE z;
