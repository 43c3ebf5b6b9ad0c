-- functions by their other names, hash of nested values, rows with nested values in IN (subquery), fields of subqueries
SELECT [1]+[2];
SELECT add([1],[2]);
SELECT add([1],[2],[3]);
SELECT [1]+NULL;
SELECT add(['a']);
SELECT apply([1, 2], lambda x: x + 1);
SELECT filter([3, 4, 5], lambda x: x > 4);
SELECT reduce([1,2], lambda a, b: a + b);
SELECT reduce([1,2], lambda a, b: a + b, 10);
SELECT array_apply([1, 2], lambda x: x + 1), list_apply([1], lambda x: x), array_filter([1], lambda x: true), array_reduce([1, 2], lambda a, b: a + b);
SELECT generate_subscripts([4, 5], 1);
SELECT generate_subscripts(l, 1) FROM (VALUES ([1,2]), ([]), (NULL), ([3])) t(l);
SELECT cardinality([1, 2]), cardinality([1]::INT[1]), cardinality(NULL), cardinality(MAP{1: 2});
-- both refuse
SELECT cardinality('a');
SELECT cardinality(map()), typeof(map()), map()::VARCHAR;
SELECT make_date({'year': 2020, 'month': 2, 'day': 3});
SELECT make_date(x) FROM (VALUES ({'year':2020,'month':2,'day':3}),(NULL)) t(x);
SELECT list_histogram([1,1,2]);
SELECT list_histogram(['a', NULL, 'a']);
SELECT array_unique([1,1]), array_where([1,2],[true,false]), array_select([1,2],[2]), array_zip([1],[2]);
SELECT array_grade_up([3,1,2]), grade_up([3,1,2]);
SELECT array_resize([1],3,0), array_reverse([1,2]), array_reverse_sort([1,3,2]);
SELECT list_approx_count_distinct([1,2,2]), list_any_value([NULL,1]), list_mode([1,1,2]);
SELECT array_intersect([1,2],[2]), array_has_any([1],[1]), array_has_all([1],[1]);
SELECT list_string_agg(['a','b']), list_bit_and([1,3]), list_bool_or([true,false]), list_product([2,3]);
SELECT list_cosine_distance([1,2]::FLOAT[2],[2,3]), list_cosine_similarity([1.0,2.0],[2.0,3.0]);
SELECT list_distance([1.0,2.0],[2.0,3.0]), list_inner_product([1.0],[2.0]);
SELECT [1.0, 2.0] <-> [2.0, 3.0], [1, 2]::FLOAT[2] <=> [2, 3];
SELECT array_to_string([1,2], ','), array_to_string_comma_default([1,2]), array_to_string_comma_default(['a', 'b'], '-');
-- both refuse
SELECT struct_keys({'a': 1}), struct_values({'a': 1, 'b': 'x'}), struct_contains({'a': 1}, 1), struct_position((1, 2), 2);
SELECT map_from_entries([(1, 2)]), map_entries(MAP{1: 2}), map_concat(MAP{1: 2}, MAP{3: 4}), element_at(MAP{1: 2}, 1);
SELECT array_length([[1, 2], [3]]), array_length([1, 2], 1), len([1]), length([1, 2]);
SELECT list_zip([1, 2], ['a']), list_zip([1, 2], ['a'], true);
SELECT unnest([1, 2]), unnest(['a', 'b', 'c']);
SELECT list_value(), list_value(1), list_pack(1, 2);
SELECT contains([1, 2], 1), list_has([1], 1), array_contains([1], 1);
SELECT repeat([1], 2), repeat('a', 2);
SELECT list_prepend(1, [2]), array_push_front([2], 1), array_push_back([2], 3), array_append([1], 2), array_prepend(1, [2]);
SELECT array_pop_back([1, 2]), array_pop_front([1, 2]);
SELECT list_concat(NULL, NULL);
SELECT least([1], [2]), greatest([1], [2]), least({'a': 1}, {'a': 2});
SELECT nullif([1], [1]), coalesce(NULL, [1]), ifnull(NULL, [1]), if(true, [1], [2]);
SELECT hash([1, 2]);
SELECT md5([1]::VARCHAR);
SELECT json_array_length('[1]');
SELECT 1 = ANY({'a': 1});
SELECT 1 IN (1, 2), 1 IN [1, 2], (1, 2) IN ((1, 2), (3, 4));
SELECT (1, [2]) IN (SELECT 1, [2]);
SELECT ([1], 2) IN (SELECT [1], 2);
SELECT (1, NULL) IN (SELECT 1, [2]);
SELECT 1 = ANY(SELECT 1), [1] = ANY(SELECT [1]);
-- both refuse
SELECT 1 = ANY((1, 2));
-- both refuse
SELECT 1 = ANY(MAP{1: 2});
-- both refuse
SELECT 1 IN {'a': 1};
-- both refuse
SELECT list_transform([1, 2], lambda x: (SELECT max(v) FROM range(3) t(v)) + x);
SELECT x.y FROM (SELECT {'y': 1} AS x);
SELECT (SELECT {'y': 1}).y, ([{'y': 1}])[1].y;
-- both refuse
SELECT row(1, 2).element1;
SELECT struct_extract((1, 2), 1);
SELECT {'a': 1}.a;
SELECT [1, 2][1:2:1], [1,2,3][:2], [1,2,3][2:], [1,2,3][-2:], 'abc'[2:];
SELECT list_slice([1,2,3], 1, 3, 2), array_slice([1,2,3], -2, NULL), [1,2,3][NULL:2];
-- both refuse
SELECT [1, 2, 3][1:-1:2], [1,2,3][:-1:2], [1,2,3][-:1:-1];
SELECT hash([1, 2]), hash([]), hash([NULL]), hash(NULL::INTEGER[]), hash({'a': 1, 'b': 'x'}), hash(MAP{'k': [1, 2]}), hash([1, 2]::INTEGER[2]);
SELECT hash(1, [1], []), hash([1], 1), hash(1, NULL::STRUCT(a INTEGER, b INTEGER)), hash(NULL::STRUCT(a INTEGER, b INTEGER)), hash(1, NULL::INTEGER[2]);
SELECT hash([[1], [], NULL, [2, 3]]), hash([{'a': 1, 'b': NULL}, NULL]), hash(1, [{'a': 1, 'b': NULL}, NULL]), hash([[1,2],[3,4]]::INTEGER[2][2]);
SELECT hash(l), hash(s), hash(l, s), hash(id, l) FROM (VALUES (1, [1, NULL], {'a': 'x', 'b': [1]}), (2, [], {'a': NULL, 'b': NULL}), (3, NULL, NULL), (4, [4, 5, 6, 7], {'a': 'y', 'b': [2, 3]})) t(id, l, s);
SELECT hash(l) FROM (VALUES ([1.5, NULL]), (NULL)) t(l);
SELECT hash(v) FROM (VALUES ([1, 2]::FLOAT[2]), (NULL)) t(v);
SELECT hash(['a', 'bc', NULL]), hash([DATE '2020-01-01']), hash([true]), hash([1.5::DECIMAL(20,2)]), hash(NULL, [NULL]);
SELECT (a, l) IN (SELECT b, m FROM (VALUES (1, [1]), (2, NULL), (NULL, [3])) u(b, m)) FROM (VALUES (1, [1]), (1, [2]), (2, [1]), (3, [3]), (NULL, [1]), (1, NULL), (9, NULL)) t(a, l);
SELECT (a, l) NOT IN (SELECT 1, [1] WHERE false) FROM (VALUES (1, [1]), (NULL, NULL)) t(a, l);
SELECT a FROM (VALUES (1, [1]), (1, [2])) t(a, l) WHERE (a, l) IN (SELECT 1, [2]);
SELECT (2, NULL) IN (SELECT 1, 2), (1, NULL) IN (SELECT 1, 2);
SELECT 1 = ANY({'a': NULL}), 2 > ANY({'a': 1}), 1 <> ALL({'a': 1}), 1 = ANY(s) FROM (VALUES ({'x': 1}), ({'x': 2}), (NULL)) t(s);
-- both refuse
SELECT 1 = ANY({'a': 1, 'b': 2});
SELECT (SELECT {'y': [1, 2]}).y, (SELECT {'y': 1} WHERE false).y, (SELECT s FROM (VALUES ({'q': 5})) t(s)).q;
SELECT x, (SELECT {'y': x}).y FROM range(3) t(x);
SELECT (SELECT [1, 2])[1], (SELECT MAP{1: 2})[1];
SELECT sum(x) FILTER (WHERE x > 1), list(x) FILTER (x > 1), count(*) FILTER (WHERE true) FROM range(4) t(x);
SELECT list_sum([1]) AS filter, 1 AS apply, 2 AS reduce;
SELECT generate_subscripts([4, 5], 1) AS i, unnest([4, 5]) AS v;
SELECT generate_subscripts([], 1);
SELECT typeof({'Ab': 1}), typeof({'key': 1, 'value': 2, 'k': 3}), typeof({'a b': 1, 'é': 1, 'select': 1}), typeof(map_entries(MAP{1: 2}));
SELECT {'key': 1}, {'year': 1, 'x': {'null': 2}};
SELECT '{"null": 1}'::STRUCT("null" INTEGER);
SELECT typeof('{"null": 1}'::STRUCT("null" INTEGER));

-- What a lambda asks of the row fails only where an element asks for it.
SELECT list_filter(l, lambda x: s::INTEGER > 1) FROM (VALUES ('a', []::INTEGER[]), ('b', NULL), ('3', [1])) t(s, l);
SELECT list_transform(l, lambda x: CASE WHEN x > 5 THEN s::INTEGER + 1 ELSE 0 END) FROM (VALUES ('a', [1]), ('3', [9, NULL])) t(s, l);
SELECT list_reduce(l, lambda a, b: a + s::INTEGER) FROM (VALUES ('a', [1]), ('3', [1, 2])) t(s, l);
SELECT list_reduce(l, lambda a, b: a + s::INTEGER, 3) FROM (VALUES ('a', []::INTEGER[]), ('3', [1, 2])) t(s, l);
SELECT list_transform([1, 2], lambda x: list_transform(l, lambda y: s::INTEGER * x)) FROM (VALUES ('a', []::INTEGER[]), ('3', [1, 2])) t(s, l);
SELECT list_transform([]::INTEGER[], lambda x: 'a'::INTEGER), list_filter([], lambda x: 'a'::INTEGER > 1);
SELECT list_transform(l, lambda x: list_transform([s], lambda y: y || x::VARCHAR || upper(s))) FROM (VALUES ('a', [1]), ('b', [])) t(s, l);
-- both refuse
SELECT list_transform(l, lambda x: CASE WHEN x > 5 THEN s::INTEGER END) FROM (VALUES ('a', [9]), ('3', [1])) t(s, l);
-- both refuse
SELECT list_transform([1, 2], lambda x: (SELECT 1));
-- both refuse
SELECT list_filter([1, 2], lambda x: EXISTS (SELECT 1));
-- both refuse
SELECT [unnest([1]) FOR x IN [1, 2]];
-- both refuse
SELECT list_transform([1], lambda x: unnest([x]));
-- both refuse
SELECT list_transform([1], lambda x: sum(x));
-- both refuse
SELECT list_transform([1], lambda x: sum(i + x)) FROM range(3) t(i);
SELECT list_transform([1], lambda x: sum(i) + x), list_transform([1, 2], lambda x: count(*)) FROM range(3) t(i);
SELECT list_transform([1], lambda x: max(i) OVER () + x) FROM range(3) t(i);
-- NULL as a key, keys of maps behind a point, values that are none
SELECT struct_extract({'a':1}, NULL), struct_extract(row(1,2), NULL::BIGINT), ({'a':1})[NULL], array_length(NULL), array_length(NULL, 1);
SELECT MAP{'a': 1}.a, MAP{'a': 1}.b, MAP{'a': NULL}.a, m.a FROM (SELECT MAP{'a': 5} AS m);
SELECT map_extract(MAP{1::TINYINT:1}, 1000), map_extract(MAP{1::BIGINT:1}, 1::TINYINT);
-- both refuse
SELECT MAP{1: 1}.b;
-- both refuse
SELECT map_extract(MAP{'a':1}, 1);
-- both refuse
SELECT list_resize([], 42, 42);
-- both refuse
SELECT replace_type(42, 42, NULL);
SELECT struct_contains(row(1,'x'), DATE '2024-01-01'), struct_contains(row(1,'x'), 'x'), struct_contains(row(1,'x'), 1.0), struct_contains(row(1,2), '1'), contains(row(1,'x'), [1]), struct_position(row(1,'x'), DATE '2024-01-01'), struct_position(row('1', 1), 1);
SELECT list_reduce([1,2], lambda x, y: x || y, 'z'), list_reduce([DATE '2020-01-01'], lambda x, y: x + 1, 5), list_reduce([1,2], lambda x, y: list_append(x, y), []::INT[]), list_reduce([[1],[2,3]], lambda x, y: x + len(y), 0), list_reduce([1,2,3], lambda x, y: x + y, DATE '2024-01-01');
SELECT list_reduce([1,2], lambda x, y: {'n': x.n + 1, 's': x.s + y}, {'n': 0, 's': 0}), list_reduce([1.5,2], lambda x, y: x * y, 1), list_reduce([1,2], lambda x, y: y > x, true);
SELECT list_reduce(l, lambda x, y: x || y, s) FROM (VALUES ([1,2],'a'),([],'b'),(NULL,'c'),([3],NULL)) t(l,s);
SELECT concat_ws(',', [1,2], 3, ['a','b']), concat_ws(',', [1,NULL,2], NULL, [NULL]), concat_ws(',', []), concat_ws(NULL, [1,2]), concat_ws(',', {'a':1}, MAP{1:2}, [1,2]::INT[2]), concat_ws('-', NULL::INT[], 1);
SELECT concat_ws(',', l, x) FROM (VALUES ([1,2],'a'),(NULL,'b'),([],NULL),([NULL],'c')) t(l,x);
-- both refuse
SELECT concat_ws(',', [[1,2],[3]]);
-- both refuse
SELECT list_aggregate([1], 'min', NULL);
-- both refuse
SELECT list_aggregate([1], 'max', NULL::INT);
SELECT typeof(range(NULL, 1)), typeof(range(NULL, NULL, NULL)), typeof(generate_series(NULL, 'a')), typeof(range(NULL, NULL::DATE, NULL)), typeof(list_grade_up(NULL)), typeof(grade_up(NULL, 'DESC')), range(NULL, 1);
-- both refuse
SELECT list_sort(NULL, 1);
-- both refuse
SELECT list_grade_up([1], 'DESC', 2);
-- both refuse
SELECT ARRAY[x FOR x IN [1, 2]];
SELECT ARRAY[1, 2,] AS a, ARRAY[] AS b, ARRAY[ARRAY[1], [2]] AS c, [x FOR x IN ARRAY[1, 2]] AS d;
