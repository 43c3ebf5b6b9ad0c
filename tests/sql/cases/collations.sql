-- comparisons
SELECT 'a' COLLATE NOCASE = 'A', 'a' = 'A' COLLATE NOCASE, 'hëllo' COLLATE NOACCENT = 'hello', 'hëllo' COLLATE NOCASE.NOACCENT = 'HELLO', 'hëllo' COLLATE "NOACCENT.NOCASE.NFC" = 'HELLO';
SELECT 'a' COLLATE POSIX = 'A', 'a' COLLATE C = 'A', 'a' COLLATE icu_noaccent = 'á', 'a' COLLATE NOCASE COLLATE NOACCENT = 'A';
SELECT 'a' COLLATE NOCASE < 'B', 'a' COLLATE NOCASE >= 'B', 'a' COLLATE NOCASE IS DISTINCT FROM 'A', nullif('a' COLLATE NOCASE, 'A'), CASE 'a' COLLATE NOCASE WHEN 'A' THEN 1 ELSE 2 END;
SELECT 'ß' COLLATE NOCASE = 'SS', 'İ' COLLATE NOCASE = 'i', 'Σ' COLLATE NOCASE = 'ς', 'é' COLLATE NFC = 'é';
SELECT ('A', 'B') = ('a' COLLATE NOCASE, 'B');
-- both refuse
SELECT '{"a":1}'::JSON COLLATE NOCASE = '{"A":1}';
SELECT k, w FROM m WHERE w COLLATE NOCASE BETWEEN 'A' AND 'Q' OR w BETWEEN 'X' COLLATE NOCASE AND 'ZZ' ORDER BY ALL;
SELECT x FROM (VALUES ('b'), ('A'), ('a'), (NULL)) t(x) WHERE x COLLATE NOCASE NOT IN ('a', 'c') OR x COLLATE NOCASE IS NULL;
SELECT x, x COLLATE NOCASE IN (SELECT 'A'), x COLLATE NOCASE = ANY (SELECT 'B'), x COLLATE NOCASE > ALL (SELECT 'A') FROM (VALUES ('b'), ('A'), ('a'), (NULL)) t(x);
-- functions look for text by it, or keep it
SELECT x COLLATE NOCASE LIKE 'A%', x LIKE 'A%' COLLATE NOCASE, x COLLATE NOCASE NOT LIKE 'A', x COLLATE NOCASE LIKE 'A!%' ESCAPE '!', contains(x COLLATE NOCASE, 'A'), starts_with(x COLLATE NOCASE, 'A'), prefix(x COLLATE NOCASE, 'A'), ends_with(x COLLATE NOCASE, 'A'), strpos(x COLLATE NOCASE, 'A'), x COLLATE NOCASE ^@ 'A', x COLLATE NOCASE GLOB 'A*', regexp_matches(x COLLATE NOCASE, 'A') FROM (VALUES ('b'), ('A'), ('ab'), (NULL)) t(x);
SELECT upper('a' COLLATE NOCASE) = 'a', trim('a' COLLATE NOCASE) = 'A', ('a' COLLATE NOCASE) || 'b' = 'AB', coalesce('a' COLLATE NOCASE, 'b') = 'A', ('a' COLLATE NOCASE)::VARCHAR = 'A', replace('a' COLLATE NOCASE, 'A', 'x'), split_part('aXb' COLLATE NOCASE, 'x', 1), greatest('a' COLLATE NOCASE, 'B'), length('a' COLLATE NOCASE), hash('a' COLLATE NOCASE) = hash('A'), typeof('a' COLLATE NOCASE), CAST('1' COLLATE NOCASE AS INTEGER);
-- order
SELECT x FROM (VALUES ('b'), ('A'), ('a'), ('B'), (NULL)) t(x) ORDER BY x COLLATE NOCASE DESC, x;
SELECT x COLLATE NOCASE FROM (VALUES ('b', 1), ('A', 2), ('a', 3), ('B', 4), ('c', 5)) t(x, y) ORDER BY 1 DESC, y;
SELECT x COLLATE NOCASE AS z, y FROM (VALUES ('b', 1), ('A', 2), ('a', 3), ('B', 4), ('c', 5)) t(x, y) ORDER BY z, y DESC;
SELECT x COLLATE NOCASE AS z, y FROM (VALUES ('b', 1), ('A', 2), ('a', 3), ('B', 4), ('c', 5)) t(x, y) ORDER BY ALL;
SELECT x FROM (VALUES ('ä'), ('z'), ('a')) t(x) ORDER BY x COLLATE NOACCENT, x LIMIT 2;
SELECT string_agg(x, ',' ORDER BY x COLLATE NOCASE, x) FROM (VALUES ('b'), ('A'), ('a'), ('B')) t(x);
SELECT row_number() OVER (PARTITION BY x COLLATE NOCASE ORDER BY x), rank() OVER (ORDER BY x COLLATE NOCASE), x FROM (VALUES ('b'), ('A'), ('a'), ('B')) t(x) ORDER BY ALL;
-- groups: of texts that are alike the first
SELECT x COLLATE NOCASE, count(*) FROM (VALUES ('b'), ('A'), ('a'), ('B'), (NULL)) t(x) GROUP BY x COLLATE NOCASE ORDER BY 1;
SELECT x COLLATE NOCASE AS y, count(*) FROM (VALUES ('b'), ('A'), ('a'), ('B'), (NULL)) t(x) GROUP BY y ORDER BY y DESC;
SELECT x COLLATE NOCASE AS y, z, count(*) FROM (VALUES ('b', 1), ('A', 1), ('a', 2), ('B', 1)) t(x, z) GROUP BY 1, z ORDER BY ALL;
SELECT x COLLATE NOCASE AS y, count(*) FROM (VALUES ('b'), ('A'), ('a')) t(x) GROUP BY ALL ORDER BY count(*), y;
SELECT x COLLATE NOCASE FROM (VALUES ('b'), ('A'), ('a'), ('B')) t(x) GROUP BY x COLLATE NOCASE HAVING x COLLATE NOCASE = 'a';
SELECT min(x COLLATE NOCASE) = 'a', upper(x COLLATE NOCASE) || '!' FROM (VALUES ('b'), ('A'), ('a'), ('B')) t(x) GROUP BY x COLLATE NOCASE ORDER BY 1, 2;
-- both refuse
SELECT x FROM (VALUES ('b'), ('A')) t(x) GROUP BY x COLLATE NOCASE;
SELECT DISTINCT x COLLATE NOCASE AS z FROM (VALUES ('b'), ('A'), ('a'), ('B'), (NULL), (NULL)) t(x) ORDER BY z DESC;
SELECT DISTINCT x COLLATE NOCASE AS z, y % 2 FROM (VALUES ('b', 1), ('A', 2), ('a', 4), ('B', 4), ('A', 5)) t(x, y) ORDER BY ALL;
SELECT DISTINCT ON (x COLLATE NOCASE) x FROM (VALUES ('b'), ('A'), ('a'), ('B')) t(x) ORDER BY x;
SELECT count(DISTINCT x COLLATE NOCASE), min(x COLLATE NOCASE), max(x COLLATE NOCASE), count(x COLLATE NOCASE), first(x COLLATE NOCASE), string_agg(x COLLATE NOCASE, '') FROM (VALUES ('b'), ('A'), ('a'), ('B')) t(x);
SELECT y, min(x COLLATE NOCASE) OVER (ORDER BY y), max(x COLLATE NOCASE) OVER (), count(DISTINCT x COLLATE NOCASE) OVER (), first_value(x COLLATE NOCASE) OVER (ORDER BY y), lag(x COLLATE NOCASE) OVER (ORDER BY y) FROM (VALUES ('b', 1), ('A', 2), ('a', 3), ('B', 4), ('c', 5)) t(x, y) ORDER BY y;
-- joins
SELECT t.x, u.x FROM (VALUES ('b'), ('A'), ('a'), (NULL)) t(x) LEFT JOIN (VALUES ('a'), ('Á')) u(x) ON t.x COLLATE NOCASE.NOACCENT = u.x ORDER BY ALL;
SELECT count(*) FROM emp a JOIN emp b ON a.name COLLATE NOCASE = upper(b.name);
-- both refuse
SELECT 'a' COLLATE NOCASE = 'A' COLLATE NOACCENT;
-- both refuse
SELECT 'a' COLLATE no_such = 'A';
-- both refuse
SELECT 'a' COLLATE BINARY = 'A';
-- both refuse
SELECT 1 COLLATE NOCASE;
-- both refuse
SELECT NULL COLLATE NOCASE;
-- tqp refuses
SELECT 'a' COLLATE de = 'A';
-- tqp refuses
SELECT x = 'A' FROM (SELECT 'a' COLLATE NOCASE AS x);
-- tqp refuses
SELECT 'a' COLLATE NOCASE UNION SELECT 'A';
-- tqp refuses
SELECT ['a' COLLATE NOCASE] = ['A'];
-- tqp refuses
SELECT x COLLATE NOCASE, count(*) FROM (VALUES ('b'), ('B')) t(x) GROUP BY ROLLUP (x COLLATE NOCASE);
-- tqp refuses
SELECT mode(x COLLATE NOCASE) FROM (VALUES ('b'), ('B')) t(x);
-- by keys with a collation
SELECT arg_min(id, name COLLATE NOCASE), max_by(id, name COLLATE NOCASE.NOACCENT), arg_max_nulls_last(id, name COLLATE NOCASE), arg_min_null(id, name COLLATE NOACCENT), arg_max(name COLLATE NOCASE, id) = upper(arg_max(name, id)) FROM emp;
SELECT i, arg_max(i, s COLLATE NOCASE) OVER (ORDER BY i), arg_min(s COLLATE NOCASE, i) OVER (ORDER BY i) = 'a' FROM (VALUES (1,'A'), (2,'a'), (3,'b'), (4,'B'), (5,NULL)) c(i, s);
