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
SELECT upper('a' COLLATE NOCASE) = 'a', trim('a' COLLATE NOCASE) = 'A', ('a' COLLATE NOCASE) || 'b' = 'AB', coalesce('a' COLLATE NOCASE, 'b') = 'A', ('a' COLLATE NOCASE)::VARCHAR = 'A', replace('a' COLLATE NOCASE, 'A', 'x'), split_part('aXb' COLLATE NOCASE, 'x', 1), greatest('a' COLLATE NOCASE, 'B'), length('a' COLLATE NOCASE), hash('a' COLLATE NOCASE) = hash('A' COLLATE NOCASE), typeof('a' COLLATE NOCASE), CAST('1' COLLATE NOCASE AS INTEGER);
-- order
SELECT x FROM (VALUES ('b'), ('A'), ('a'), ('B'), (NULL)) t(x) ORDER BY x COLLATE NOCASE DESC, x;
SELECT x COLLATE NOCASE FROM (VALUES ('b', 1), ('A', 2), ('a', 3), ('B', 4), ('c', 5)) t(x, y) ORDER BY 1 DESC, y;
SELECT x COLLATE NOCASE AS z, y FROM (VALUES ('b', 1), ('A', 2), ('a', 3), ('B', 4), ('c', 5)) t(x, y) ORDER BY z, y DESC;
SELECT x COLLATE NOCASE AS z, y FROM (VALUES ('b', 1), ('A', 2), ('a', 3), ('B', 4), ('c', 5)) t(x, y) ORDER BY ALL;
SELECT x FROM (VALUES ('ä'), ('z'), ('a')) t(x) ORDER BY x COLLATE NOACCENT, x LIMIT 2;
SELECT string_agg(x, ',' ORDER BY x COLLATE NOCASE, x) FROM (VALUES ('b'), ('A'), ('a'), ('B')) t(x);
SELECT row_number() OVER (PARTITION BY x COLLATE NOCASE ORDER BY x), rank() OVER (ORDER BY x COLLATE NOCASE), x FROM (VALUES ('b'), ('A'), ('a'), ('B')) t(x) ORDER BY ALL;
-- what is named and collated goes by the number or the name of a column
SELECT x AS i, i AS x FROM (VALUES ('b', 1), ('A', 2), ('C', 3)) t(x, i) ORDER BY i COLLATE NOCASE;
SELECT x FROM (VALUES ('b', 1), ('A', 2), ('C', 3)) t(x, i) ORDER BY 1 COLLATE NOCASE DESC;
SELECT x FROM (VALUES ('b', 1), ('A', 2), ('C', 3)) t(x, i) ORDER BY #1 COLLATE NOCASE;
SELECT x AS y FROM (VALUES ('b'), ('A')) t(x) UNION ALL SELECT 'C' ORDER BY y COLLATE NOCASE;
SELECT x AS y FROM (VALUES ('b'), ('A')) t(x) UNION ALL SELECT 'C' ORDER BY 1 COLLATE NOCASE DESC;
SELECT upper(x) AS y, x FROM (VALUES ('b'), ('A'), ('c')) t(x) ORDER BY lower(x) COLLATE NOCASE DESC, y COLLATE C;
-- both refuse
SELECT i FROM (VALUES ('b', 1)) t(x, i) ORDER BY i COLLATE NOCASE;
-- both refuse
SELECT x FROM (VALUES ('b', 1)) t(x, i) ORDER BY 'a' COLLATE NOCASE;
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
-- queries within queries keep it
SELECT mode(x ORDER BY x) FROM (VALUES ('b' COLLATE NOCASE,1),('B',3)) v(x,i);
SELECT * FROM (VALUES ('b' COLLATE NOCASE,1),('C',2),('B',3)) v(x,i) ORDER BY x DESC NULLS FIRST, i DESC;
WITH c(x) AS (VALUES ('b' COLLATE NOCASE),('B'),('A')) SELECT x, (SELECT count(*) FROM c d WHERE d.x=c.x) FROM c ORDER BY x;
WITH c(x) AS (VALUES ('b' COLLATE NOCASE),('B'),('A')) SELECT x FROM c WHERE EXISTS(SELECT 1 FROM c d WHERE d.x>c.x) ORDER BY x;
WITH c(x) AS (VALUES ('b' COLLATE NOCASE),('B'),('A')) SELECT x FROM c WHERE x NOT IN (SELECT x FROM c WHERE x='a') ORDER BY x;
WITH c(x) AS (VALUES ('b' COLLATE NOCASE),('B'),('A')) SELECT * FROM c WHERE x = (SELECT max(x) FROM c) ORDER BY x;
WITH c(x) AS (VALUES ('b' COLLATE NOCASE),('B'),('A')) SELECT x FROM c, LATERAL (SELECT c.x = 'B' AS y) WHERE y ORDER BY x;
WITH c(x) AS (VALUES ('b' COLLATE NOCASE),('B'),('A')) SELECT DISTINCT upper(x) FROM c ORDER BY 1;
WITH c(x) AS (VALUES ('b' COLLATE NOCASE),('B'),('A')) SELECT upper(x), count(*) FROM c GROUP BY 1 ORDER BY 1;
WITH c(x) AS (VALUES ('b' COLLATE NOCASE),('B'),('A')) SELECT substr(x,1,1) AS y, count(*) FROM c GROUP BY y HAVING y >= 'B' ORDER BY y;
WITH c(x,i) AS (VALUES ('b' COLLATE NOCASE,1),('B',2),('A',3)) SELECT * FROM c PIVOT (sum(i) FOR x IN ('B','a'));
WITH c(x,i) AS (VALUES ('b' COLLATE NOCASE,1),('B',2),('A',3)) SELECT * FROM (PIVOT c ON x USING sum(i));
WITH c(x,i) AS (VALUES ('b' COLLATE NOCASE,1),('B',2),('A',3)) SELECT x, i FROM c WHERE x IN ('B', 'zz') AND i IN (1,2) ORDER BY i;
WITH c(x) AS (VALUES ('é' COLLATE NOACCENT),('e'),('É'),('f')) SELECT x, count(*) FROM c GROUP BY x ORDER BY x;
WITH c(x) AS (VALUES ('é' COLLATE NOCASE.noaccent),('e'),('É'),('f')) SELECT x, count(*) FROM c GROUP BY x ORDER BY x;
WITH c(x) AS (VALUES ('é' COLLATE NFC),('é'),('É')) SELECT x, count(*) FROM c GROUP BY x ORDER BY x;
WITH c(x) AS (VALUES ('é' COLLATE NFC.nocase.noaccent),('é'),('É'),('E')) SELECT count(DISTINCT x) FROM c;
WITH c(x) AS (VALUES ('İ' COLLATE NOCASE.noaccent),('i'),('I'),('ı')) SELECT x, count(*) FROM c GROUP BY x ORDER BY ALL;
SELECT * FROM (SELECT 'a' COLLATE NOCASE AS x) WHERE x = 'A' AND x IN (SELECT 'A') AND EXISTS (SELECT 1 WHERE x = 'A');
SELECT x || 'z' = 'AZ' FROM (SELECT 'a' COLLATE NOCASE AS x);
SELECT max(x) FILTER (WHERE x = 'B') FROM (VALUES ('b' COLLATE NOCASE),('C')) v(x);
SELECT * FROM (SELECT x FROM (SELECT 'a' COLLATE NOCASE AS x) LIMIT 1) WHERE x = 'A';
SELECT * FROM (SELECT x FROM (SELECT 'a' COLLATE NOCASE AS x) ORDER BY x LIMIT 1) WHERE x = 'A';
SELECT CASE x WHEN 'A' THEN 1 ELSE 2 END FROM (VALUES ('a' COLLATE NOCASE)) t(x);
SELECT x = 'A' FROM (SELECT coalesce(NULL, 'a' COLLATE NOCASE) AS x);
SELECT x = 'A' FROM (SELECT CASE WHEN TRUE THEN 'a' ELSE 'b' COLLATE NOCASE END AS x);
SELECT x = 'A', y = 'A' FROM (SELECT if(TRUE, 'a' COLLATE NOCASE, 'b') AS x, ifnull('a' COLLATE NOCASE,'b') AS y);
SELECT columns(*) = 'A' FROM (SELECT 'a' COLLATE NOCASE AS x, 'a' AS y);
SELECT x = 'A' FROM (FROM (VALUES ('a' COLLATE NOCASE)) t(x));
SELECT x < 'B', x > 'A', x <= 'A', x <> 'A' FROM (VALUES ('a' COLLATE NOCASE)) t(x);
SELECT 'a' COLLATE NOCASE = 'A' AND 'b' = 'B' COLLATE NOCASE;
SELECT 'a' COLLATE NOCASE = NULL, NULL = 'a' COLLATE NOCASE, ('' COLLATE NOCASE) = '', ('' COLLATE NOCASE) < 'a';
SELECT x FROM (VALUES ('a' COLLATE NOCASE, 1)) t(x,i) GROUP BY x, i HAVING count(*) = 1 AND x = 'A';
SELECT any_value(i) FROM (VALUES ('a' COLLATE NOCASE, 1)) t(x,i) GROUP BY lower(x) HAVING lower(x) = 'A';
SELECT x FROM (VALUES ('b' COLLATE NOCASE),('A'),('c')) t(x) ORDER BY x LIMIT 2;
SELECT x FROM (VALUES ('b' COLLATE NOCASE),('A'),('B'),('c')) t(x) ORDER BY x DESC LIMIT 2 OFFSET 1;
SELECT top.x FROM (SELECT x, i FROM (VALUES ('b' COLLATE NOCASE,1),('A',2),('B',3)) t(x,i) ORDER BY x DESC, i LIMIT 2) top ORDER BY i;
-- joins of such queries
WITH c(x,i) AS (VALUES ('b' COLLATE NOCASE,1),('B',2),('A',3)), d(y) AS (VALUES ('a'),('c')) SELECT * FROM c FULL JOIN d ON x=y ORDER BY ALL;
WITH c(x,i) AS (VALUES ('b' COLLATE NOCASE,1),('B',2),('A',3)), d(x) AS (VALUES ('a'),('c')) SELECT * FROM c LEFT JOIN d USING (x) ORDER BY ALL;
WITH c(x,i) AS (VALUES ('b' COLLATE NOCASE,1),('B',2),('A',3)), d(x) AS (VALUES ('a'),('c')) SELECT count(*) FROM c NATURAL JOIN d WHERE x = 'A';
WITH c(x,i) AS (VALUES ('b' COLLATE NOCASE,1),('B',2),('A',3)), d(x,j) AS (VALUES ('a',1),('c',2)) SELECT * FROM c ASOF JOIN d ON c.x=d.x AND c.i >= d.j;
WITH c(x,i) AS (VALUES ('b' COLLATE NOCASE,1),('B',2),('A',3)), d(x,j) AS (VALUES ('a',1),('c',2)) SELECT * FROM c SEMI JOIN d USING (x);
WITH c(x,i) AS (VALUES ('b' COLLATE NOCASE,1),('B',2),('A',3)), d(x,j) AS (VALUES ('a',1),('c',2)) SELECT * FROM c ANTI JOIN d USING (x) ORDER BY i;
WITH c(x,i) AS (VALUES ('b' COLLATE NOCASE,1),('B',2),('A',3)) SELECT a.i, b.i FROM c a JOIN c b ON a.x = b.x AND a.i < b.i OR a.x > b.x ORDER BY ALL;
-- windows
SELECT x, count(*) OVER (PARTITION BY x ORDER BY i) FROM (VALUES ('b' COLLATE NOCASE,1),('C',2),('B',3)) v(x,i) ORDER BY i;
WITH c(x,i) AS (VALUES ('b' COLLATE NOCASE,1),('B',2),('A',3)) SELECT * FROM c QUALIFY row_number() OVER (PARTITION BY x ORDER BY i DESC) = 1 ORDER BY i;
SELECT x, lag(x) OVER (ORDER BY x) = 'B' FROM (VALUES ('b' COLLATE NOCASE),('C')) v(x);
SELECT x, sum(i) OVER (PARTITION BY x), rank() OVER (ORDER BY x), percent_rank() OVER (ORDER BY x), cume_dist() OVER (ORDER BY x), first_value(i) OVER (PARTITION BY x ORDER BY i DESC), nth_value(x,2) OVER (ORDER BY x, i) FROM (VALUES ('b' COLLATE NOCASE,1),('A',2),('B',3)) t(x,i) ORDER BY i;
SELECT x, count(*) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), count(*) OVER (ORDER BY x GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW), count(*) OVER (ORDER BY x RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM (VALUES ('b' COLLATE NOCASE,1),('A',2),('B',3)) t(x,i) ORDER BY x, i;
-- set operations: of rows that are alike the first
WITH c(x,i) AS (VALUES ('b' COLLATE NOCASE,1),('B',2),('A',3)) SELECT x, sum(i) FROM c GROUP BY x UNION ALL SELECT 'z', 1 ORDER BY 1;
WITH c(x,i) AS (VALUES ('b' COLLATE NOCASE,1),('B',2),('A',3)) SELECT x FROM c UNION SELECT upper(x) FROM c ORDER BY 1;
WITH c(x,i) AS (VALUES ('b' COLLATE NOCASE,1),('B',2),('A',3)) SELECT x,i FROM c INTERSECT SELECT upper(x),i FROM c ORDER BY i;
WITH c(x,i) AS (VALUES ('b' COLLATE NOCASE,1),('B',2),('A',3)) SELECT x FROM c EXCEPT ALL SELECT 'b' ORDER BY 1;
WITH c(x,i) AS (VALUES ({'k':'b' COLLATE NOCASE},1),({'k':'B'},2),({'k':'A'},3)) SELECT x FROM c INTERSECT SELECT {'k':'b'};
SELECT count(*) FROM (SELECT 'a' COLLATE NOCASE AS x UNION ALL SELECT 'B') t JOIN (SELECT 'A' AS x UNION ALL SELECT 'b') u ON t.x = u.x WHERE t.x > 'A';
SELECT x FROM (VALUES ('a' COLLATE NOCASE)) t(x) WHERE x = 'A' UNION ALL SELECT 'q';
-- grouping sets
WITH c(x,i) AS (VALUES ('b' COLLATE NOCASE,1),('B',2),('A',3)) SELECT x, i, sum(i) FROM c GROUP BY GROUPING SETS ((x),(x,i),()) ORDER BY ALL;
WITH c(x,i) AS (VALUES ('b' COLLATE NOCASE,1),('B',2),(NULL,3)) SELECT x, grouping(x), count(*) FROM c GROUP BY CUBE(x,i) ORDER BY ALL;
WITH c(x,i) AS (VALUES ('b' COLLATE NOCASE,1),('B',2),(NULL,3)) SELECT upper(x) y, grouping(y), count(*) FROM c GROUP BY ROLLUP(y) HAVING y IS NULL OR y = 'b' ORDER BY ALL;
WITH c(x,i) AS (VALUES ('b' COLLATE NOCASE,1),('B',2),(NULL,3)) SELECT x, x FROM c GROUP BY ROLLUP(x, x) ORDER BY ALL;
WITH c(x,i) AS (VALUES ('b' COLLATE NOCASE,1),('B',2),(NULL,3)) SELECT coalesce(x,'all') FROM c GROUP BY ROLLUP(x) ORDER BY ALL;
WITH c(x,i) AS (VALUES ({'k':['b' COLLATE NOCASE,'c']},1),({'k':['B','C']},2),({'k':['A']},3),(NULL,4),({'k':NULL},5)) SELECT x, count(*) FROM c GROUP BY ROLLUP(x) ORDER BY x;
-- in lists, structs and maps
WITH c(x,i) AS (VALUES ('b' COLLATE NOCASE,1),('B',2),('A',3)) SELECT x, x BETWEEN 'a' AND 'B', x LIKE 'B%', x = ANY(['B']), x IN ('B','q'), x IS NOT DISTINCT FROM 'a' FROM c ORDER BY i;
WITH c(x,i) AS (VALUES (['b' COLLATE NOCASE],1),(['B'],2),(['A'],3),(NULL,4)) SELECT x, count(*) FROM c GROUP BY x ORDER BY x;
WITH c(x,i) AS (VALUES ({'k':'b' COLLATE NOCASE},1),({'k':'B'},2),({'k':'A'},3),(NULL,4),({'k':NULL},5)) SELECT x, count(*) FROM c GROUP BY x ORDER BY x;
WITH c(x,i) AS (VALUES ([{'k':'b' COLLATE NOCASE,'n':1}],1),([{'k':'B','n':1}],2),([{'k':'B','n':2}],3),(NULL,4),([NULL],5),([],6)) SELECT x, count(*) FROM c GROUP BY x ORDER BY x;
WITH c(x,i) AS (VALUES ({'k':'b' COLLATE NOCASE},1),({'k':'B'},2),({'k':'A'},3)) SELECT a.i,b.i FROM c a JOIN c b ON a.x=b.x ORDER BY ALL;
WITH c(x,i) AS (VALUES ({'k':'b' COLLATE NOCASE},1),({'k':'B'},2),({'k':'A'},3)) SELECT x.k, x.k = 'B' FROM c ORDER BY i;
WITH c(x,i) AS (VALUES ({'k':'b' COLLATE NOCASE},1),({'k':'B'},2),({'k':'A'},3)) SELECT DISTINCT ON (x) i FROM c ORDER BY i;
WITH c(x,i) AS (VALUES ('b' COLLATE NOCASE,1),('B',2),('A',3)) SELECT list(x), list_sort(list(x)), list_contains(list(x),'a'), list(x)[1] = 'B', array_agg(x ORDER BY x, i) FROM c;
WITH c(l) AS (VALUES (['b' COLLATE NOCASE,'C',NULL,'B','a'])) SELECT list_sort(l), list_sort(l,'desc'), list_sort(l,'desc','nulls first'), list_reverse_sort(l), list_grade_up(l), list_min(l), list_max(l), list_position(l,'c'), l[3], list_aggregate(l,'max') FROM c;
WITH c(l) AS (VALUES (['b' COLLATE NOCASE,'C',NULL,'B','a'])) SELECT unnest(l) AS u FROM c ORDER BY u, u COLLATE c;
WITH c(l) AS (VALUES (['b' COLLATE NOCASE,'C',NULL,'B','a'])) SELECT u, count(*) FROM (SELECT unnest(l) AS u FROM c) GROUP BY u ORDER BY u;
WITH c(l) AS (VALUES (['b' COLLATE NOCASE,'C',NULL,'B','a'])) SELECT list_has_any(l,['A']), list_has_all(l,['A','c']), l && ['A'], l @> ['A'], ['A'] <@ l, list_contains(l, NULL), 'A' IN l FROM c;
WITH c(m) AS (VALUES (map {'k': 'v' COLLATE NOCASE})) SELECT m['k'] = 'V', map_values(m)[1] = 'V', map_entries(m)[1].value = 'V', element_at(m,'k')[1]='V' FROM c;
SELECT x = ['A'], x[1] = 'A' FROM (SELECT ['a','b' COLLATE NOCASE][1:1] AS x);
SELECT x = 'A' FROM (SELECT unnest(['a' COLLATE NOCASE]) AS x);
SELECT t = {'x':'A'} FROM (SELECT 'a' COLLATE NOCASE AS x) t;
SELECT ROW(x) = ROW('A'), (x,1) = ('A',1), (x,1) IN (('A',1)), (x,1) IN (SELECT 'A',1), struct_pack(k := x) = {'k':'A'} FROM (SELECT 'a' COLLATE NOCASE AS x);
SELECT array_value('a' COLLATE NOCASE,'b') = array_value('A','B');
-- aggregates of distinct values, and those that compare none
SELECT entropy(DISTINCT x), mode(DISTINCT x), median(DISTINCT x), quantile_disc(DISTINCT x,0.5), approx_count_distinct(DISTINCT x) FROM (VALUES ('b' COLLATE NOCASE,1),('C',2),('B',3)) v(x,i);
SELECT list(DISTINCT x ORDER BY x DESC), array_agg(DISTINCT x ORDER BY x) FILTER (WHERE i>1) FROM (VALUES ('b' COLLATE NOCASE,1),('C',2),('B',3),(NULL,4)) v(x,i);
SELECT i % 2, string_agg(DISTINCT x, '|' ORDER BY x), count(DISTINCT x) FROM (VALUES ('b' COLLATE NOCASE,1),('C',2),('B',3),(NULL,4),('c',4),('b',2)) v(x,i) GROUP BY i % 2 ORDER BY 1;
SELECT list(DISTINCT [x]) FROM (VALUES ('b' COLLATE NOCASE,1),('B',3)) v(x,i);
SELECT list(DISTINCT {'k':x}), count(DISTINCT {'k':x}), min({'k':x}) FROM (VALUES ('b' COLLATE NOCASE,1),('B',3)) v(x,i);
SELECT string_agg(DISTINCT x, ',') FROM (VALUES ('b' COLLATE NOCASE)) v(x) WHERE x = 'zzz';
SELECT mode() WITHIN GROUP (ORDER BY x) , percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM (VALUES ('b' COLLATE NOCASE),('C'),('A')) v(x);
-- both refuse
SELECT greatest('a' COLLATE NOCASE, 'B' COLLATE NOACCENT);
-- both refuse
SELECT 'b' IN ('B' COLLATE NOCASE, 'c' COLLATE NOACCENT);
-- both refuse
SELECT concat('b' COLLATE NOCASE, 'c' COLLATE NOACCENT);
-- both refuse
SELECT list_contains(['a' COLLATE NOACCENT], 'A' COLLATE NOCASE);
-- both refuse
SELECT x = 'A' COLLATE NOACCENT FROM (SELECT 'a' COLLATE NOCASE AS x);
-- by keys with a collation
SELECT arg_min(id, name COLLATE NOCASE), max_by(id, name COLLATE NOCASE.NOACCENT), arg_max_nulls_last(id, name COLLATE NOCASE), arg_min_null(id, name COLLATE NOACCENT), arg_max(name COLLATE NOCASE, id) = upper(arg_max(name, id)) FROM emp;
SELECT i, arg_max(i, s COLLATE NOCASE) OVER (ORDER BY i), arg_min(s COLLATE NOCASE, i) OVER (ORDER BY i) = 'a' FROM (VALUES (1,'A'), (2,'a'), (3,'b'), (4,'B'), (5,NULL)) c(i, s);
