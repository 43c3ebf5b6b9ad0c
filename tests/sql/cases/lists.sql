-- Functions of lists, and lambdas.
SELECT [1,2,3][NULL:2];
SELECT [1,2,3][0:2],[1,2,3][2:1],[1,2,3][-9:2],[1,2,3][1:99],[1,2,3][-2:-1],[1,2,3][-1:0],[1,2,3][0:0],[1,2,3][:0], [1,2,3][:-5],[1,2,3][4:9],[1,2,3][-2:2];
SELECT [1,2,3][3:1:-1];
SELECT [1,2,3,4][:-:-1];
SELECT [1,2,3,4][:-:2],[1,2,3,4][2:-:2], [1,2,3,4][4:1:-2];
-- both refuse
SELECT list_slice([1,2,3,4],1,4,0);
SELECT list_slice([1,2,3,4],4,1,-2), list_slice([1,2,3,4],-1,-4,-1), list_slice([1,2,3,4],1,-1,3);
SELECT list_resize([1,2],3), list_resize([1,2],1), list_resize([1,2],4,0), list_resize([1,2],NULL), list_reverse([1,NULL,2]);
-- both refuse
SELECT list_resize([1,2],-1);
SELECT list_resize([true], 3), list_resize([true,false],4,true), list_resize([NULL::BOOLEAN],2), list_resize([[true]],2);
SELECT i, list_resize(b, i) FROM (VALUES (3, [true]), (2, NULL), (1, []), (4, [false, NULL])) t(i, b) ORDER BY i;
-- Places and steps at the ends of 64 bits.
SELECT i, list_slice(l, 9223372036854775807, b), list_slice(l, b, 9223372036854775807), list_slice(l, 9223372036854775807, b, 1), list_slice(l, b, 9223372036854775807, -1), list_slice(l, 1, 3, 9223372036854775807), list_slice(l, -1, 1, b), list_slice(l, 3, 1, -9223372036854775807) FROM (VALUES (1, [1, 2, NULL], '-9223372036854775808'::BIGINT), (2, NULL, '-9223372036854775808'::BIGINT), (3, [], '-9223372036854775808'::BIGINT), (4, [5], '-9223372036854775808'::BIGINT)) t(i, l, b) ORDER BY i;
SELECT list_zip([1,2],['a']), list_zip([1,2],['a'],true), list_zip([1],NULL), list_where([1,2,3],[true,false,true]);
SELECT list_select([1,2,3],[3,1,9]), list_select([1,2,3],[-1,0]), list_intersect([1,2,2,NULL],[2,NULL]), list_zip([1],[2],[3]);
SELECT list_where([1,2,3],[true]), list_where([1],[true,true]);
SELECT [1]||[2.5], list_concat([1],NULL), list_concat(NULL,NULL), list_concat([1],[2],[3]);
SELECT list_has_all([1,2],NULL), [1,2] @> [1], [1]<@[1,2], [1]&&[1], array_pop_back([1,2]), array_pop_front([1,2]);
SELECT list_has_any([NULL],[NULL]), list_has_all([],[NULL]), list_has_all([1],[]),list_has_any([1,NULL],[NULL]), list_intersect([NULL],[NULL]);
SELECT list_transform([1,2],lambda x: x+1), list_transform([1,2],lambda x, i: x*i), list_filter([1,2,3],lambda x: x>1), list_filter([1,2,3],lambda x,i: i>1);
SELECT list_reduce([1,2,3],lambda a,b: a+b), list_reduce([1,2,3],lambda a,b,i: a+b+i), list_reduce([1,2,3],lambda a,b: a+b, 10);
SELECT [x+1 for x in [1,2,3] if x>1], list_transform(NULL::INT[],lambda x: x);
SELECT [x for x, i in [5,6] if i=1], list_reduce([]::INT[],lambda a,b:a+b,7);
SELECT list_position([1,2],'2');
-- both refuse
SELECT list_contains(['1'],1);
SELECT list_append([1],2.5), list_append(NULL::INT[],NULL), list_prepend('a',['b']);
SELECT array_to_string([1,2],'-'), array_to_string(['a',NULL,'b'],'-'), array_to_string(NULL::INT[],','), array_to_string([[1],[2]],',');
SELECT repeat([1,2],2), repeat(NULL::INT[],2), list_reverse(NULL::INT[]), list_sort(['b','a',NULL],'ASC','NULLS FIRST'), list_sort([[2],[1]]), list_grade_up([3,1,2],'DESC');
SELECT list_reverse_sort([1,NULL,2],'NULLS FIRST');
SELECT list_aggregate([1,2],'sum'), list_sum([1,2]), list_avg([1,2]), list_min([2,1]), list_max(['a','b']), list_count([1,NULL]), list_first([NULL,1]), list_any_value([NULL,1]), list_last([1,NULL]), list_sum([]), list_count([]), list_count(NULL::INT[]), list_string_agg(['a','b']), list_median([1,2]), list_bool_and([true,false]);
-- both refuse
SELECT list_aggregate([1,2],'nope');
SELECT list_unique([NULL]), len([1]), length(['a','b']), list_count([NULL]), list_sort([3,NULL,1],'DESC'), list_distinct([1,1]);
SELECT list_transform([[1,2],[3]], lambda x: list_transform(x, lambda y: y + len(x)));
SELECT i, list_transform(l, lambda x: x + i), list_filter(l, lambda x: x > i), [x * 2 for x in l if x is not null] FROM (VALUES (1, [1, 2], {'a': 1, 'b': 'x'}, ['a', 'b']), (2, [], {'a': NULL, 'b': 'y'}, ['c']), (3, NULL, NULL, []), (4, [3, NULL], {'a': 4, 'b': NULL}, NULL)) t(i, l, s, n) ORDER BY i;
SELECT i, list_reduce(l, lambda a, b: coalesce(a,0) + coalesce(b,0), 0), list_sort(n), list_contains(n, 'a'), flatten([n, n]), n || ['z'] FROM (VALUES (1, [1, 2], {'a': 1, 'b': 'x'}, ['a', 'b']), (2, [], {'a': NULL, 'b': 'y'}, ['c']), (3, NULL, NULL, []), (4, [3, NULL], {'a': 4, 'b': NULL}, NULL)) t(i, l, s, n) ORDER BY i;
SELECT list_transform(n, lambda x: upper(x) || i), list_aggregate(l, 'max'), list_sum(l) FROM (VALUES (1, [1, 2], {'a': 1, 'b': 'x'}, ['a', 'b']), (2, [], {'a': NULL, 'b': 'y'}, ['c']), (3, NULL, NULL, []), (4, [3, NULL], {'a': 4, 'b': NULL}, NULL)) t(i, l, s, n) ORDER BY i;
SELECT list_transform([1,0,2], lambda x: CASE WHEN x = 0 THEN NULL ELSE 10 // x END), list_transform(l, lambda x: s.a + x) FROM (VALUES (1, [1, 2], {'a': 1, 'b': 'x'}, ['a', 'b']), (2, [], {'a': NULL, 'b': 'y'}, ['c']), (3, NULL, NULL, []), (4, [3, NULL], {'a': 4, 'b': NULL}, NULL)) t(i, l, s, n) ORDER BY i;
-- both refuse
SELECT list_transform([1,2], x -> x+1);
SELECT list_transform(['a','b'], lambda x: x || '!'), list_transform([{'a':1}], lambda s: s.a);
SELECT list_extract([1,2],1), contains([1,2],2), array_length([1,2]), array_pop_back([]), [1]||NULL::INTEGER[], [1,2][1:], repeat(['a'],2), repeat('a',2), contains('abc','b');
SELECT i, list_position(n, 'b'), list_position(l, NULL), list_has_any(n, ['a', 'c']), list_has_all(l, [1]), list_intersect(n, ['b', 'c', 'b']), list_unique(l) FROM (VALUES (1, [1, 2], {'a': 1, 'b': 'x'}, ['a', 'b']), (2, [], {'a': NULL, 'b': 'y'}, ['c']), (3, NULL, NULL, []), (4, [3, NULL], {'a': 4, 'b': NULL}, NULL)) t(i, l, s, n) ORDER BY i;
SELECT i, l[i:], n[1:1], list_slice(l, 1, i), list_resize(l, i), list_reverse(n), list_zip(l, n), list_grade_up(l) FROM (VALUES (1, [1, 2], {'a': 1, 'b': 'x'}, ['a', 'b']), (2, [], {'a': NULL, 'b': 'y'}, ['c']), (3, NULL, NULL, []), (4, [3, NULL], {'a': 4, 'b': NULL}, NULL)) t(i, l, s, n) ORDER BY i;
SELECT i, list_append(l, i), list_prepend('q', n), list_concat(n, n, ['z']), list_sort(list_distinct(n)), array_to_string(n, '-') FROM (VALUES (1, [1, 2], {'a': 1, 'b': 'x'}, ['a', 'b']), (2, [], {'a': NULL, 'b': 'y'}, ['c']), (3, NULL, NULL, []), (4, [3, NULL], {'a': 4, 'b': NULL}, NULL)) t(i, l, s, n) ORDER BY i;
SELECT i, list_transform(l, lambda x, j: x * 10 + j + i), list_filter(n, lambda x: x > 'a'), list_reduce(n, lambda a, b: a || b, '-') FROM (VALUES (1, [1, 2], {'a': 1, 'b': 'x'}, ['a', 'b']), (2, [], {'a': NULL, 'b': 'y'}, ['c']), (3, NULL, NULL, []), (4, [3, NULL], {'a': 4, 'b': NULL}, NULL)) t(i, l, s, n) ORDER BY i;
SELECT sum(len(l)), max(list_sum(l)) FROM (VALUES (1, [1, 2], {'a': 1, 'b': 'x'}, ['a', 'b']), (2, [], {'a': NULL, 'b': 'y'}, ['c']), (3, NULL, NULL, []), (4, [3, NULL], {'a': 4, 'b': NULL}, NULL)) t(i, l, s, n) WHERE list_contains(n, 'a') OR len(n) = 0;
SELECT list_sum(l) AS k, count(*) FROM (VALUES (1, [1, 2], {'a': 1, 'b': 'x'}, ['a', 'b']), (2, [], {'a': NULL, 'b': 'y'}, ['c']), (3, NULL, NULL, []), (4, [3, NULL], {'a': 4, 'b': NULL}, NULL)) t(i, l, s, n) GROUP BY k ORDER BY ALL;
SELECT range(TIMESTAMP '2020-01-01', TIMESTAMP '2020-01-03', s), generate_series(TIMESTAMP '2020-01-01', TIMESTAMP '2020-01-03', s) FROM (VALUES (INTERVAL 0 DAY), (INTERVAL 1 DAY), (NULL), (INTERVAL '-1 month')) t(s);
SELECT range(TIMESTAMP '2020-01-01', TIMESTAMP '2020-01-03', INTERVAL 0 DAY), generate_series(DATE '2020-01-01', DATE '2020-01-01', INTERVAL 0 MONTH), range(1, 5, 0);
SELECT range(i), generate_series(1, i, 2), list_transform(range(i), lambda x: x * x) FROM (VALUES (1, [1, 2], {'a': 1, 'b': 'x'}, ['a', 'b']), (2, [], {'a': NULL, 'b': 'y'}, ['c']), (3, NULL, NULL, []), (4, [3, NULL], {'a': 4, 'b': NULL}, NULL)) t(i, l, s, n) ORDER BY i;
SELECT list_concat(l, m), list_concat(l), array_cat(l, NULL, m), l || m FROM (VALUES ([1], [2]), (NULL, NULL), (NULL, [1]), ([], NULL)) t(l, m);
SELECT array_to_string(l, '-'), array_to_string(l, ''), array_to_string(l, NULL) FROM (VALUES ([1, 2]), ([]), ([NULL]), (NULL), ([3, NULL])) t(l);
-- both refuse
SELECT array_to_string([1, 2], name) FROM emp;
-- how lists, structs and maps are written says nothing of what stands beside them
SELECT 1 + 2 || '3' || {'a': 4 - 1 || 'x'}::VARCHAR, [x + 1 FOR x IN [1, 2] || [3] IF x > 1 AND true], [x FOR x, i IN [4, 5] IF i = 1 OR x = 4];
SELECT MAP {1 + 2: 3 OR true,}, MAP([1], [2]), ARRAY(SELECT 1 UNION ALL SELECT 2 ORDER BY 1) AS l, {'a': 1,};
WITH w AS (SELECT NULL::STRUCT(a INTEGER, b MAP(VARCHAR, DATE[])) AS a, {'b': 1} AS b) UNPIVOT (SELECT 1 AS c0, 2 AS c1 FROM w) ON c0, c1 INTO NAME n VALUE v;
-- both refuse
SELECT {1: 2};
-- both refuse
SELECT {left: 2};
-- both refuse
SELECT MAP {'a': 1: 2};
-- both refuse
SELECT [x, x FOR x IN [1, 2]];
-- both refuse
SELECT [x FOR x IN [1, 2],];
-- both refuse
SELECT [x FOR x IN [1, 2] IF];
-- both refuse
SELECT ARRAY(1);
-- both refuse
SELECT NULL::STRUCT(a INTEGER b);
-- a number keeps its type in a list of its own, which is joined then
SELECT list_append([1::SMALLINT], 0), list_prepend(0, [1::SMALLINT]), array_push_back([1::TINYINT], 7::SMALLINT), array_push_front([1::BIGINT], 0), list_resize([1::SMALLINT], 2, 0);
-- both refuse
SELECT list_append([DATE '2020-01-01'], '2020-01-02');
-- by their short names
SELECT apply([1, 2], lambda x: x + 1), filter([1, 2], lambda x: x > 1), reduce([1, 2, 3], lambda x, y: x + y), aggregate([1, 2], 'sum');
SELECT sum(id) FILTER (WHERE id > 1), count(*) FILTER (id > 1) FROM emp;
SELECT id, list_reduce([id, dept], lambda a, b: a * 10 + b), list_reduce([id, NULL, dept], lambda a, b, i: coalesce(a, 0) + coalesce(b, i)) FROM emp ORDER BY id;
SELECT id, list_reduce(l, lambda a, b: a + b + id), list_reverse(l), list_distinct([l[1], l[1]]) FROM (SELECT id, CASE WHEN id % 3 > 0 THEN [id, 2, 3] END AS l FROM emp) ORDER BY id;
SELECT id, list_reduce(l, lambda a, b: a + b), list_sort(l), list_sum(l) FROM (SELECT id, [id, 5, 1][2:] AS l FROM emp) ORDER BY id;
SELECT l, count(*) FROM (VALUES ([-5, NULL]), ([-5, NULL]), ([NULL, -5]), ([-5]), ([]), (NULL), ([7, -5]), ([-5, 7]), ([NULL]), ([])) t(l) GROUP BY l ORDER BY l;
SELECT l, count(*) FROM (VALUES ([-5, NULL]), ([1099511627776]), ([-5, NULL]), ([NULL, 3]), ([1099511627776, -1099511627776])) t(l) GROUP BY l ORDER BY l DESC;
SELECT b, w, count(*) FROM (VALUES ([true, NULL], ['b', 'a']), ([true], ['b']), ([false], [NULL, 'a']), ([true, NULL], ['b', 'a'])) t(b, w) GROUP BY ALL ORDER BY b DESC, w;
SELECT l < r, l = r, l IS DISTINCT FROM r, greatest(l, r) FROM (VALUES ([1, 2], [1, 3]), ([1], [1, NULL]), ([NULL], [9]), ([-100, 4], [-100, 4])) t(l, r);
-- the place of an element is that in the whole list
SELECT [x + y for x, y in [1, 2, 3] if y > 1], [y for x, y in ['a', NULL, 'b'] if x IS NOT NULL], [[y + b for a, b in [1, 2] if b > 1] for x, y in [7, 8] if y > 1];
SELECT z, [x || y::VARCHAR || z for x, y in l if y > 1 AND z = 'q'] FROM (VALUES (['a', 'b', NULL, 'c'], 'q'), (NULL, 'q'), ([], 'q'), (['a', 'b'], 'r'), (['a', 'b'], NULL)) t(l, z);
-- of NULL, whose elements have no type
SELECT list_transform(NULL, lambda x: x + 1), list_filter(NULL, lambda x: x > 1), list_reduce(NULL, lambda x, y: x + y), list_reduce(NULL, lambda x, y: x + y, 5);
SELECT typeof([x + 1 for x in NULL]), typeof([x for x in NULL if x > 1]), [x + i for x, i in NULL if i > 1], [x for x in NULL::INTEGER[] if x > 1];
-- both refuse
SELECT list_transform(NULL, lambda x: foo);
-- a lambda that is called
SELECT invoke(lambda x: x + 1, id), invoke(lambda x, y: x || y || x, name, '-'), invoke(lambda x: list_transform([1, 2], lambda y: y + x), dept) FROM emp;
-- both refuse
SELECT invoke(lambda x: x + 1);
-- both refuse
SELECT invoke(5);
-- names behind the colon of a slice; where it begins and ends without a word depends on each row's step
SELECT l[:e], l[b:e], l[b:], l[:e:s], l[:-:s], l[b:-:s], l[1 : - : s], l[:-:b] FROM (VALUES ([1, 2, 3, 4, 5], 1, 3, -2), ([1, 4, 5, 6], 3, 1, -1), ([7], -4, -1, 2), (NULL, 1, 1, 1), ([1, 2], 1, 2, NULL)) t(l, b, e, s);
SELECT x[:e], x[:t.e], x[:length(x) - 1], l[:[1, 2][1]], l[:CASE WHEN e > 2 THEN 1 ELSE 2 END] FROM (VALUES ('héllo', 3, [1, 2, 3])) t(x, e, l);
