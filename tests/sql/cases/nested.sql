-- Lists, structs and maps.
WITH t AS (
  SELECT id, CASE WHEN id = 3 THEN NULL WHEN id = 2 THEN [] ELSE [id, NULL, id + 1] END AS l,
    CASE WHEN id = 4 THEN NULL ELSE {'a': id, 'b': CASE WHEN id > 1 THEN 'x' || id END} END AS s
  FROM (VALUES (1), (2), (3), (4)) v(id)
) SELECT id, l, s, l[1], l[-1], l[2], l[9], l[0], s.a, s.b, s['a'], t.s.b, len(l) FROM t ORDER BY id;
SELECT [1, 2], [], [NULL], [[1], [], NULL], {'a': 1, 'B': 'x'}, (1, 'a'), row(2, 3), list_value(1, 2), list_pack(1);
SELECT struct_pack(a := 1, b := [1.5]), ({'a': {'b': 2}}).a.b, {'a': {'b': 2}}['a']['b'], row(5, 6)[2];
SELECT MAP {'k': 1, 'z': 2}, MAP {'k': 1}['k'], MAP {'k': 1}['q'], MAP([1, 2], ['x', 'y'])[2], MAP {} IS NULL;
-- both refuse
SELECT MAP([1, 1], [2, 3]);
-- both refuse
SELECT MAP([1, 2], [3]);
-- both refuse
SELECT MAP([NULL], [3]);
-- both refuse
SELECT ({'a': 1}).b;
-- both refuse
SELECT {'a': 1, 'A': 2};
SELECT l, count(*) FROM (VALUES ([1, 2]), ([1]), (NULL), ([NULL]), ([]), ([1, 2])) t(l) GROUP BY l ORDER BY l;
SELECT l FROM (VALUES ([1, 2]), ([1]), (NULL), ([NULL]), ([]), ([1, 2]), ([2])) t(l) ORDER BY l DESC NULLS FIRST;
SELECT DISTINCT s FROM (VALUES ({'a': 1, 'b': 'x'}), ({'a': NULL, 'b': 'x'}), ({'a': 1, 'b': 'x'}), (NULL)) t(s);
SELECT [1, 2] < [1, 3], [1] < [1, NULL], [1, 2] < [1, NULL], [NULL] = [NULL], [1, 2] <> [1, 2], [2] >= [1, 9], [] = [];
SELECT {'a': 1} < {'a': NULL}, {'a': 1, 'b': 2} = {'b': 2, 'a': 1}, {'a': 1} = {'b': 1}, (1, 2) = (1, 2);
SELECT a.id, b.id FROM (VALUES (1, ['x', 'y']), (2, []), (3, NULL)) a(id, l)
  JOIN (VALUES (1, ['x', 'y']), (2, ['y']), (3, []), (4, NULL)) b(id, l) ON a.l = b.l ORDER BY ALL;
SELECT a.id, b.id FROM (VALUES (1, ['x', 'y'], 7), (2, [], 7)) a(id, l, k)
  LEFT JOIN (VALUES (1, ['x', 'y'], 7), (2, ['y'], 7), (3, [], 8)) b(id, l, k) ON a.l = b.l AND a.k = b.k ORDER BY ALL;
SELECT id FROM (VALUES (1, [1, 2]), (2, []), (3, NULL)) t(id, l) WHERE l IN ([1, 2], []) ORDER BY id;
SELECT id, CASE WHEN id > 1 THEN l ELSE [9] END, coalesce(l, [0]), nullif(l, []) FROM (VALUES (1, [1, 2]), (2, []), (3, NULL)) t(id, l) ORDER BY id;
SELECT [1]::DOUBLE[], ['1', '2']::INTEGER[], {'a': 1}::STRUCT(a VARCHAR, b INTEGER), (1, 2)::STRUCT(x INTEGER, y VARCHAR);
SELECT TRY_CAST(['a', '1'] AS INTEGER[]), MAP {'a': 1}::MAP(VARCHAR, DOUBLE), [[1], [2]]::VARCHAR[][];
-- both refuse
SELECT ['a']::INTEGER[];
-- both refuse
SELECT {'a': 1}::STRUCT(b INTEGER);
SELECT [1, NULL]::VARCHAR, ['a b', 'c,d', '', NULL, 'q''r', 'null', ' x']::VARCHAR, {'a': 'x y', 'b': NULL}::VARCHAR;
SELECT MAP {'a': [1]}::VARCHAR, {'a b': 1}::VARCHAR, (1, 'x')::VARCHAR, [{'a': 1}]::VARCHAR, NULL::INTEGER[]::VARCHAR;
SELECT [1, 2] UNION ALL SELECT [] UNION ALL SELECT NULL;
SELECT [1, 2] UNION SELECT [1, 2] UNION SELECT [2] ORDER BY 1;
SELECT l FROM (VALUES ([1]), ([2])) t(l) INTERSECT SELECT [2];
SELECT l FROM (VALUES ([1]), ([2])) t(l) EXCEPT SELECT [2];
SELECT id, lag(l) OVER (ORDER BY id), first_value(l) OVER (PARTITION BY l ORDER BY id), rank() OVER (ORDER BY l)
  FROM (VALUES (1, [1, 2]), (2, [0]), (3, NULL), (4, [1, 2])) t(id, l) ORDER BY id;
SELECT any_value(l), count(DISTINCT l), count(l) FROM (VALUES ([1]), (NULL), ([1])) t(l);
SELECT k, l, count(*) FROM (VALUES (1, ['a']), (1, ['a']), (2, ['b', NULL]), (2, NULL)) t(k, l) GROUP BY ROLLUP (k, l) ORDER BY ALL;
-- comparisons with the elements of a list, and IN without parentheses, which is a call of contains
SELECT id, id = ANY(l), id <> ALL(l), id <= ALL(l), NOT id > ANY(l), id IN l, id NOT IN l, id = SOME(l)
  FROM (VALUES (1, [1, 2]), (2, [NULL]), (3, NULL), (NULL, [1]), (NULL, []), (2, [2, NULL])) t(id, l) ORDER BY id, l;
SELECT 1 = ANY([2, NULL]), 1 <> ALL([2, NULL]), 1 = ANY([]), 1 = ANY(NULL), NULL = ANY([]::INTEGER[]), NULL = ANY(NULL::INTEGER[]);
SELECT 1 IN [2, NULL], 1 IN (2, NULL), NULL IN [NULL], 3 NOT IN [2, NULL], 1 IN NULL::INTEGER[], 1 IN NULL, 1 IN [], '1' IN [1, 2];
SELECT 1.5 = ANY([1, 2]), '1' = ANY([1]), [1] = ANY([[1]]), (1, 2) = ANY([(1, 2)]), 1 = ANY([1, 2]::INTEGER[2]), 1 IN [1.5, 1];
SELECT 1 IN MAP {1: 2}, contains(MAP {1: NULL}, 2), 'a' IN 'abc', 'x' IN ['x', 'y'][2:2], [x for x in [1, 2] if x in [2]];
SELECT x FROM range(5) t(x) WHERE x IN [1, 2] OR x <> ALL([0, 1, 2, 3]) ORDER BY x;
SELECT sum(x) = ANY(list(x)), max(x) IN list(x) FROM range(3) t(x);
SELECT (SELECT max(x) m FROM range(3) t(x)) = ANY([1, 2]) AS it;
SELECT id = ANY(CASE WHEN id > 1 THEN [id] END), id > ALL([id - 1, NULL]) FROM (VALUES (1), (2)) t(id) ORDER BY id;
-- both refuse
SELECT 1 = ANY(['1']);
-- both refuse
SELECT DATE '2020-01-01' = ANY(['2020-01-01']);
-- both refuse
SELECT 1 = ANY('a');
-- both refuse
SELECT 1 IN ([1, 2]);
-- both refuse
SELECT x IN y FROM (VALUES (1, 2)) t(x, y);
-- extremes of nested values, over groups, frames and with a number of rows
SELECT k, min(l), max(l), min(s), max(s), min(m), max(m), min(DISTINCT l), arg_min(k, l), arg_max(l, s), arg_max(k, m, 2), max(l, 2)
  FROM (VALUES (1, [1, 2], {'a': 1}, MAP {1: 'x'}), (1, [NULL], {'a': NULL}, MAP {}), (2, NULL, NULL, NULL),
    (1, [], {'a': 0}, MAP {0: NULL}), (3, [3], {'a': 3}, NULL)) t(k, l, s, m) GROUP BY k ORDER BY k;
SELECT x, max([x % 3, x]) OVER (ORDER BY x ROWS BETWEEN 2 PRECEDING AND CURRENT ROW), min({'a': -x}) OVER (ORDER BY x),
  arg_max(x, [x % 3]) OVER (ORDER BY x ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) FROM range(6) t(x) ORDER BY x;
SELECT min([1, 2]::INTEGER[2]), max([x, 1]::FLOAT[2]) FROM range(3) t(x);
-- a field of a struct that has the name of a column
SELECT struct_pack(x), struct_pack(t.x, b := 2), struct_pack(X) FROM range(2) t(x) ORDER BY 1;
SELECT struct_pack(T.A) FROM (SELECT 1 AS x) t("a");
SELECT (SELECT struct_pack(t.x)) FROM range(2) t(x) ORDER BY 1;
-- both refuse
SELECT struct_pack(x + 1) FROM range(2) t(x);
-- both refuse
SELECT struct_pack(1);
-- both refuse
SELECT struct_pack(s.a) FROM (SELECT {'a': 1} AS s) t;
-- the list of what a query gives
SELECT ARRAY(SELECT 1) AS a;
SELECT ARRAY(SELECT x FROM range(3) t(x) ORDER BY x DESC) AS a;
SELECT ARRAY(SELECT x FROM range(3) t(x) ORDER BY -x) AS a;
SELECT ARRAY(SELECT x FROM range(3) t(x) WHERE false) AS a;
SELECT ARRAY(SELECT NULL) AS a;
SELECT y, ARRAY(SELECT x FROM range(3) t(x) WHERE x < y) AS a FROM range(3) u(y) ORDER BY y;
SELECT y, ARRAY(SELECT x FROM range(5) t(x) WHERE x < y ORDER BY x % 2, x DESC) AS a FROM range(5) u(y) ORDER BY y;
SELECT y, ARRAY(SELECT x FROM range(5) t(x) WHERE x < y ORDER BY x % 2, x DESC LIMIT 2) AS a FROM range(5) u(y) ORDER BY y;
SELECT ARRAY(VALUES (1),(2)) AS a;
SELECT ARRAY(SELECT 1 UNION ALL SELECT 2) AS a;
SELECT ARRAY(SELECT x FROM range(9) t(x) ORDER BY x DESC LIMIT 2) AS a;
SELECT ARRAY(SELECT DISTINCT x % 3 FROM range(9) t(x) ORDER BY 1 DESC) AS a;
SELECT ARRAY(SELECT [x] FROM range(2) t(x) ORDER BY x) AS a, ARRAY(SELECT {'a': x} FROM range(2) t(x) ORDER BY x) AS b;
SELECT 2 IN ARRAY(SELECT x FROM range(4) t(x)) AS n;
SELECT ARRAY(SELECT sum(x) FROM range(4) t(x) GROUP BY x % 2 ORDER BY max(x)) AS n;
SELECT ARRAY(SELECT x FROM (VALUES (1), (NULL), (3)) t(x) ORDER BY x NULLS FIRST) AS n;
SELECT (SELECT ARRAY[1,2]) AS a, ARRAY[1] AS b, [1][1] AS c;
SELECT k, ARRAY(SELECT s FROM (VALUES (1,'b'),(1,'a'),(2,'c')) t(j, s) WHERE j = k ORDER BY s) AS a FROM (VALUES (1),(2),(3)) v(k) ORDER BY k;
SELECT k FROM (VALUES (1),(2),(3)) v(k) WHERE len(ARRAY(SELECT s FROM (VALUES (1,'b'),(1,'a'),(2,'c')) t(j, s) WHERE j = k)) < 2 ORDER BY k;
SELECT ARRAY((SELECT 1)) AS a, list_pack(1), len(ARRAY(SELECT x FROM range(4) t(x))) AS n;
-- both refuse
SELECT ARRAY(SELECT 1, 2);
-- nested values in IN (subquery)
SELECT [1] IN (SELECT [1]) AS a, [1] NOT IN (SELECT [2]) AS b, [1] IN (SELECT NULL::INTEGER[]) AS c, NULL::INTEGER[] IN (SELECT [1] WHERE false) AS d, NULL::INTEGER[] IN (SELECT [1]) AS e;
SELECT id, l IN (SELECT m FROM (VALUES ([1, 2]), ([3])) u(m)) AS a FROM (VALUES (1, [1, 2]), (2, []), (3, NULL), (4, [NULL])) t(id, l) ORDER BY id;
SELECT id, l NOT IN (SELECT m FROM (VALUES ([1, 2]), (NULL), ([NULL])) u(m)) AS a FROM (VALUES (1, [1, 2]), (2, []), (3, NULL), (4, [NULL])) t(id, l) ORDER BY id;
SELECT id FROM (VALUES (1, {'a': 1}), (2, {'a': NULL}), (3, NULL)) t(id, s) WHERE s IN (SELECT {'a': x} FROM range(2) u(x)) ORDER BY id;
SELECT id FROM (VALUES (1, {'a': 1}), (2, {'a': NULL}), (3, NULL)) t(id, s) WHERE s NOT IN (SELECT {'a': x} FROM range(2) u(x)) ORDER BY id;
SELECT id, s IN (SELECT {'a': x} FROM range(4) u(x) WHERE x < id) AS a FROM (VALUES (1, {'a': 1}), (2, {'a': 1}), (3, NULL)) t(id, s) ORDER BY id;
SELECT id, m IN (SELECT MAP {x: 1} FROM range(4) u(x)) AS a FROM (VALUES (1, MAP {1: 1}), (2, MAP {})) t(id, m) ORDER BY id;
SELECT [1.5] IN (SELECT [1]) AS a, [1] IN (SELECT [1.0]) AS b;
SELECT [1] = ANY(SELECT [x] FROM range(3) t(x)) AS a, [7] <> ALL(SELECT [x] FROM range(3) t(x)) AS b;
SELECT [1, 2]::INTEGER[2] IN (SELECT [1, 2]::INTEGER[2]) AS a;
-- both refuse
SELECT 1 IN (SELECT [1]);
-- both refuse
SELECT [1] IN (SELECT ['a']);
-- both refuse
SELECT [1] IN (SELECT [1], 2);
SELECT ([1], 2) IN (SELECT [1], 2);
-- what is in nested values is compared, and put together, as columns of a set operation are
SELECT [k] = [s], [k] <> [s], [k] IS NOT DISTINCT FROM [s], {'a': s} = {'a': k, 'b': 1}, nullif({'a': '2'}, {'a': k}), CASE [k] WHEN [s] THEN 1 END, [s] IN ([1], [2]), [s] = [DATE '2020-01-01'] FROM (VALUES (1, '1'), (2, 'x'), (NULL, '3')) t(k, s);
SELECT MAP {'a': 1} = MAP {1: 'a'}, {'a': [1]} = {'a': ['1']}, [[1]] = [['x']];
SELECT [1] AS l, {'a': 1} AS r UNION ALL SELECT ['a'], {'a': 'x'} UNION ALL SELECT '[2]', '{a: 3}';
SELECT count(*) FROM (VALUES (1), (2)) a(k) JOIN (VALUES ('1'), ('3')) b(s) ON [k] = [s];
-- both refuse
SELECT [1] < ['a'];
-- both refuse
SELECT greatest([1], ['a']);
-- both refuse
SELECT [1] = {'a': 1};
-- comparisons by the first value that differs, NULL within being the greatest, of all pairs
SELECT a.i, b.i, a.l < b.l, a.l <= b.l, a.l > b.l, a.l >= b.l, a.l = b.l FROM (VALUES (1, [1, 2]), (2, [1]), (3, []), (4, NULL), (5, [NULL]), (6, [1, NULL]), (7, [1, 2, 0]), (8, [2])) a(i, l), (VALUES (1, [1, 2]), (2, [1]), (3, []), (4, NULL), (5, [NULL]), (6, [1, NULL]), (7, [1, 2, 0]), (8, [2])) b(i, l) ORDER BY ALL;
SELECT a.i, b.i, a.l < b.l, a.l >= b.l FROM (VALUES (1, [['a'], []]), (2, [['a', NULL]]), (3, [NULL]), (4, [[NULL]]), (5, [['b']]), (6, [['a'], NULL])) a(i, l), (VALUES (1, [['a'], []]), (2, [['a', NULL]]), (3, [NULL]), (4, [[NULL]]), (5, [['b']]), (6, [['a'], NULL])) b(i, l) ORDER BY ALL;
SELECT a.i, b.i, a.s < b.s, a.s >= b.s FROM (VALUES (1, {'x': 1, 'y': ['a']}), (2, {'x': NULL, 'y': ['a']}), (3, {'x': 1, 'y': NULL}), (4, NULL), (5, {'x': 1, 'y': []})) a(i, s), (VALUES (1, {'x': 1, 'y': ['a']}), (2, {'x': NULL, 'y': ['a']}), (3, {'x': 1, 'y': NULL}), (4, NULL), (5, {'x': 1, 'y': []})) b(i, s) ORDER BY ALL;
SELECT a.i, b.i, a.l < b.l, a.l >= b.l FROM (VALUES (1, ['nan'::DOUBLE]), (2, [1e300]), (3, [-0.0::DOUBLE]), (4, [0.0::DOUBLE, 1]), (5, [NULL::DOUBLE])) a(i, l), (VALUES (1, ['nan'::DOUBLE]), (2, [1e300]), (3, [-0.0::DOUBLE]), (4, [0.0::DOUBLE, 1]), (5, [NULL::DOUBLE])) b(i, l) ORDER BY ALL;
SELECT MAP{'a': 1} < MAP{'a': 2}, MAP{'b': 1} > MAP{'a': 2}, [MAP{1: NULL}] > [MAP{1: 5}], [1, 2] < NULL, [{'a': INTERVAL 1 MONTH}] <= [{'a': INTERVAL 30 DAY}];
SELECT i FROM (VALUES (1, [1, 2]), (2, [1, 3]), (3, NULL), (4, []), (5, [NULL])) t(i, l) WHERE l > [1, 2] OR l < [1] ORDER BY i;
SELECT l FROM (VALUES ([9000000000000000000, 1]), ([9000000000000000000]), ([-9000000000000000000, 5, 7]), ([0, 0, 0, 0, 0, 0, 0, 0, 0, 1]), ([]), (NULL), ([NULL, 1])) t(l) ORDER BY l;
SELECT l, count(*) FROM (VALUES ([9000000000000000000, 1]), ([9000000000000000000, 1]), ([-9000000000000000000, 5, 7]), ([0, 0]), ([]), ([])) t(l) GROUP BY l ORDER BY l DESC;
SELECT [x, 1] > [1, x] FROM range(3) t(x);
-- lists of subqueries, what no key finds, columns called map
SELECT [(SELECT 1)], [(SELECT 1), (SELECT 2)], [(SELECT a FROM range(0) t(a))], [(SELECT NULL)], [(FROM (VALUES (1)))] AS l, ARRAY[(SELECT 1)] AS m;
SELECT id, [(SELECT max(e.id) FROM emp e WHERE e.id < emp.id)] AS l, ARRAY(SELECT e.id FROM emp e WHERE e.id < emp.id ORDER BY 1) AS m FROM emp ORDER BY id;
SELECT MAP {}[1], MAP {}['a'], MAP {}[NULL], element_at(MAP {}, 'a'), map_extract(MAP {}, id), map_contains(MAP {}, 'a') FROM emp;
SELECT map, map + 1 AS b, t.map FROM (SELECT 1 AS map) t WHERE map = 1;
-- both refuse
SELECT map + 1 AS b, map FROM (SELECT [1] AS map);
SELECT map[1], map(map, map), MAP {'a': map}, map.map FROM (SELECT [1, 2] AS map) map;
SELECT count(*), map FROM (SELECT 1 AS map) JOIN (SELECT 1 AS map) m USING (map) GROUP BY map HAVING map > 0 ORDER BY map;
WITH map AS (SELECT {'a': 1} AS map) SELECT map.map.a, map FROM map;
-- NULL without a type, where a struct, a list or a map is meant
SELECT x.a, x.a.b, x['a'], x[1], x[1:2], x[1:2:1], struct_extract(x, 'a'), struct_extract(x, 1), struct_extract_at(x, 1) FROM (SELECT NULL AS x FROM n);
SELECT (NULL).a, (NULL)['a'], (NULL)[1:], struct_extract(NULL, 'a'), struct_contains(NULL, 1), struct_position(NULL, 1), typeof(x.a) FROM (SELECT NULL AS x);
SELECT map(NULL, NULL), map([1], NULL), map(NULL, [1]), map(x, x), map([k], x), typeof(map([1], NULL)) FROM (SELECT NULL AS x, k FROM n);
SELECT map_keys(x), map_values(x), map_entries(x), cardinality(x), map_extract(x, k), element_at(x, k), map_extract_value(x, k), map_from_entries(x) FROM (SELECT NULL AS x, k FROM n);
SELECT map_contains(x, k), map_contains_value(x, k), map_contains_entry(x, k, k) FROM (SELECT NULL AS x, k FROM n);
SELECT x.a IS NULL AS y, max(x.b), count(*) FROM (SELECT NULL AS x, k FROM n) WHERE x.c IS NULL GROUP BY y, x.d ORDER BY x.d;
-- one type instead of another, at any depth
SELECT replace_type({'a': id, 'b': [id]}, NULL::INTEGER, NULL::BIGINT), replace_type([dept], NULL::INTEGER, NULL::VARCHAR), replace_type(MAP {id: name}, NULL::INTEGER, NULL::BIGINT), replace_type(id, NULL::INTEGER, NULL::DOUBLE), replace_type(name, NULL::INTEGER, NULL::DOUBLE) FROM emp;
