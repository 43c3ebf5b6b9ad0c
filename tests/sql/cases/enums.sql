-- in the order of the labels
SELECT * FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m;
SELECT id FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m ORDER BY e DESC NULLS LAST, id;
SELECT e, count(*), min(id) FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m GROUP BY e ORDER BY e;
SELECT min(e), max(e), count(e), count(DISTINCT e), arg_min(id, e), arg_max(e, id) FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m WHERE id IN (1, 2, 3);
SELECT n % 2 AS k, min(e), max(e) FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m GROUP BY k ORDER BY k NULLS LAST;
SELECT id, e < 'b'::ENUM('b', 'a', 'c'), e = 'b'::ENUM('b', 'a', 'c'), greatest(e, 'b'::ENUM('b', 'a', 'c')), e BETWEEN 'b'::ENUM('b', 'a', 'c') AND 'a'::ENUM('b', 'a', 'c') FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m;
SELECT id, lag(e) OVER w, max(e) OVER w, rank() OVER (ORDER BY e), first_value(e) OVER (PARTITION BY n % 2 ORDER BY id) FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m WINDOW w AS (ORDER BY id);
SELECT DISTINCT e FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m ORDER BY e;
SELECT e FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m INTERSECT SELECT 'b'::ENUM('b', 'a', 'c');
SELECT l.id, r.id FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m JOIN (SELECT 4 AS id, 'b'::ENUM('b', 'a', 'c') AS e) r ON m.e = r.e JOIN (SELECT 1 AS id) l ON true;
SELECT e, s, count(*) FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m GROUP BY ROLLUP (e, s) ORDER BY e, s, 3;
SELECT id, coalesce(e, 'b'::ENUM('b', 'a', 'c')), nullif(e, 'a'), CASE WHEN id > 2 THEN e END FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m;
-- text beside anything else
SELECT id FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m WHERE e = 'a';
SELECT id FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m WHERE e = 'z' OR e IN ('c', 'z');
SELECT id, e < 'b', e < f, e = f, e < s, e IS DISTINCT FROM 'a', e BETWEEN 'a' AND 'b' FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m;
SELECT id, coalesce(e, 'b'), coalesce(e, 'z'), coalesce(e, f), CASE WHEN id > 2 THEN e ELSE 'z' END, greatest(e, 'b'), least(e, f) FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m;
SELECT e FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m UNION SELECT f FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m;
SELECT e FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m UNION ALL SELECT 'z';
SELECT * FROM (VALUES ('a'::ENUM('b', 'a', 'c')), ('b'), ('c')) t (e) ORDER BY e;
SELECT id, upper(e), length(e), e || 'x', concat(e, '-'), e LIKE 'a%', replace(e, 'a', 'z'), substring(e, 1, 1), md5(e), regexp_matches(e, 'a|b') FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m;
SELECT l.id, r.id FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m JOIN (SELECT 1 AS id) l ON true JOIN emp r ON m.e = lower(r.name);
SELECT id FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m WHERE e IN (SELECT 'b' UNION SELECT 'z');
SELECT 'z' IN (SELECT 'a'::ENUM('b', 'a')), 'a' IN (SELECT 'a'::ENUM('b', 'a'));
-- cast
SELECT 'a'::ENUM('b', 'a', 'c'), 'x''y'::ENUM('x''y'), '5'::ENUM('5', '6')::INTEGER, '2020-01-01'::ENUM('2020-01-01')::DATE, 'a'::ENUM('b', 'a', 'c')::BLOB, NULL::ENUM('b', 'a', 'c');
SELECT id, e::VARCHAR, e::ENUM('b', 'a', 'c'), TRY_CAST(e AS ENUM('a', 'x')), TRY_CAST(s AS ENUM('a', 'b')), TRY_CAST(id AS ENUM('1')) FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m;
-- functions
SELECT id, enum_code(e), enum_first(e), enum_last(e) FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m;
SELECT enum_first(NULL::ENUM('b', 'a', 'c')), enum_last(NULL::ENUM('b', 'a', 'c')), enum_code(NULL::ENUM('b', 'a', 'c')), sum(enum_code(e)) FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m;
SELECT enum_range(NULL::ENUM('b', 'a', 'c')), enum_range_boundary('b'::ENUM('b', 'a', 'c'), 'a'::ENUM('b', 'a', 'c')), enum_range_boundary(NULL, 'a'::ENUM('b', 'a', 'c')), enum_range_boundary('a'::ENUM('b', 'a', 'c'), NULL);
-- both refuse
SELECT e::ENUM('a', 'x') FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m;
-- both refuse
SELECT s::ENUM('a', 'b') FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m;
-- both refuse
SELECT 'z'::ENUM('b', 'a', 'c');
-- both refuse
SELECT 1::ENUM('b', 'a', 'c');
-- both refuse
SELECT 'a'::ENUM('a', 'a');
-- both refuse
SELECT 'a'::ENUM('a', NULL);
-- both refuse
SELECT sum(e) FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m;
-- both refuse
SELECT e + 1 FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m;
-- both refuse
SELECT e::INTEGER FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m;
-- both refuse
SELECT enum_code(s) FROM (SELECT id, v AS n, s, s::ENUM('b', 'a', 'c') AS e, CASE WHEN id < 5 THEN s END::ENUM('c', 'b', 'a') AS f FROM (VALUES (0, 1, 'b'), (1, 2, 'a'), (2, 3, 'c'), (3, 4, NULL), (4, 5, 'b'), (5, 6, 'a'), (6, NULL, 'c')) w (id, v, s)) m;
-- both refuse
SELECT enum_first('a');
