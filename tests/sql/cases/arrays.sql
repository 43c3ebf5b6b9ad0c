-- values
SELECT * FROM vec;
SELECT id, v FROM vec WHERE id > 2;
SELECT [1.0, 2.0]::FLOAT[2], [1, -2, 3]::DOUBLE[3], [1.5, 2.5, -2.5]::INTEGER[3];
SELECT CAST([1, 2] AS FLOAT[2]) AS a, ARRAY[1, 2]::FLOAT[2] AS b;
SELECT array_value(1, 2), array_value(1.5::FLOAT, 2), array_value(1, 2.5, 1e3);
SELECT array_value(1.5, 2.25)::DOUBLE[2];
SELECT [id, id + 1]::FLOAT[2], array_value(id, k, 1) AS a FROM vec WHERE k > 0;
SELECT [v[1], k, 0.5]::DOUBLE[3] FROM vec WHERE k > 0 AND v IS NOT NULL;
SELECT NULL::FLOAT[3], TRY_CAST([1, 2] AS FLOAT[3]);
SELECT v::DOUBLE[3], w::FLOAT[3], n::FLOAT[3], n::BIGINT[3] FROM vec WHERE id <> 6;
SELECT [1, 300]::SMALLINT[2], TRY_CAST(n AS TINYINT[3]) FROM vec;
SELECT TRY_CAST(v AS SMALLINT[3]) FROM vec WHERE id < 4;
-- elements
SELECT v[1], v[3], v[0], v[4], v[-1], v[-3], v[-4] FROM vec;
SELECT v[id], w[k], n[id - 3], v[NULL] IS NULL FROM vec;
SELECT array_extract(v, 2), list_extract(n, 1), list_element(w, -1) FROM vec;
SELECT n[1] + n[2] * n[3], v[1 + 1] FROM vec;
SELECT id FROM vec WHERE n[1] = 1 AND v[2] > 1;
SELECT sum(n[1]), avg(w[3]), max(v[2]) FROM vec;
SELECT ([1, 2, 3]::INTEGER[3])[2], array_value(5, 6)[2];
SELECT len(v), length(w), array_length(n), array_length(v, 1) FROM vec;
SELECT v['1'], n['-1'] FROM vec;
SELECT [1, 2][1], len([1, 2]), [5::FLOAT, 6][-1];
-- vectors
SELECT array_inner_product(v, v), array_dot_product(w, w), array_negative_inner_product(v, v) FROM vec;
SELECT array_negative_dot_product(v, w), array_distance(v, w), array_distance(w, w) FROM vec;
SELECT array_cosine_similarity(v, v), array_cosine_similarity(w, w), array_cosine_distance(v, w) FROM vec;
SELECT array_cosine_similarity(v, [1, 2, 3]::FLOAT[3]), array_cosine_distance(w, [0.5, -1, 2]::FLOAT[3]) FROM vec;
SELECT array_inner_product([0.5, -1, 2]::FLOAT[3], v), array_distance([0.5, -1, 2]::FLOAT[3], v) FROM vec;
SELECT array_inner_product(v, n), array_inner_product(w, n), array_distance(v, n) FROM vec;
SELECT array_inner_product(v, array_value(1.5, 2.5, 3)), array_inner_product(v, NULL) FROM vec;
SELECT array_cosine_similarity([1, 2]::FLOAT[2], [0, 0]::FLOAT[2]), array_cosine_similarity([0, 0]::DOUBLE[2], [0, 0]::DOUBLE[2]);
SELECT array_cosine_similarity([1e30, 4]::FLOAT[2], [1e30, 4]::FLOAT[2]);
SELECT array_cosine_similarity([1e200, 1]::DOUBLE[2], [1e200, 2]::DOUBLE[2]);
SELECT array_cosine_similarity([1e-30, 1e-30]::FLOAT[2], [1e-30, 2e-30]::FLOAT[2]);
SELECT array_cosine_similarity([1, 0]::FLOAT[2], [0, 1]::FLOAT[2]), array_cosine_similarity([1, 0]::FLOAT[2], [-2, 0]::FLOAT[2]);
SELECT array_distance([1e30, 1]::FLOAT[2], [0, 2]::FLOAT[2]);
SELECT array_cross_product([1, 2, 3]::DOUBLE[3], [2, -3, 4]::DOUBLE[3]);
SELECT array_cross_product(v, [2, -3, 4]::FLOAT[3]) FROM vec WHERE id < 4;
SELECT list_inner_product(v, v), list_cosine_similarity(v, w), list_distance(v, [1.0, 2.0, 4.0]) FROM vec WHERE id = 1;
SELECT v <-> v, v <=> w, v <-> [1.0, 2.0, 4.0], n <-> n, list_distance(n, v) FROM vec WHERE id = 1;
SELECT list_cosine_distance(v, w), list_negative_inner_product(n, n), list_dot_product(w, w) FROM vec WHERE id = 5;
SELECT list_distance([1, 2], [3, 4]), list_inner_product([1.0, 2.0], [3.0, 4.0]);
-- comparisons
SELECT v = v, v <> v, v IS DISTINCT FROM NULL, v IS NOT DISTINCT FROM w FROM vec;
SELECT v = w, v < w, v <= w, v > w, v >= w, v <> w FROM vec;
SELECT v = [1, 2, 3], v < [1, 2, 4]::FLOAT[3], n >= [1, 2, 3] FROM vec;
SELECT id FROM vec WHERE v IN ([1, 2, 3]::FLOAT[3], [0, 0, 0]::FLOAT[3]);
SELECT v IS NULL, v IS NOT NULL, coalesce(v, [9, 9, 9]::FLOAT[3]) FROM vec;
SELECT coalesce(v, w), nullif(v, [1, 2, 3]::FLOAT[3]), greatest(v, [1, 2, 2]::FLOAT[3]) FROM vec;
SELECT CASE WHEN id = 1 THEN v WHEN id = 2 THEN w END FROM vec;
SELECT CASE WHEN id < 3 THEN v ELSE [9, 9, 9] END, CASE WHEN id < 0 THEN v END FROM vec;
SELECT CASE WHEN k IS NOT NULL THEN [k, 1]::FLOAT[2] END FROM vec;
-- rows
SELECT v, count(*), sum(id) FROM vec GROUP BY v;
SELECT n, k, count(*) FROM vec GROUP BY n, k;
SELECT DISTINCT v FROM vec;
SELECT DISTINCT n, k FROM vec;
SELECT count(v), count(DISTINCT v), count(DISTINCT n) FROM vec;
SELECT k, count(DISTINCT n) FROM vec GROUP BY k;
SELECT v FROM vec UNION ALL SELECT w FROM vec;
SELECT v FROM vec UNION SELECT w FROM vec;
SELECT v FROM vec UNION ALL SELECT [1.5, 2, 3];
SELECT v FROM vec UNION ALL SELECT NULL;
SELECT n FROM vec INTERSECT SELECT [1, 2, 3]::INTEGER[3];
SELECT n FROM vec EXCEPT SELECT [1, 2, 3]::INTEGER[3];
SELECT id, n FROM vec ORDER BY n, id;
SELECT id, v FROM vec ORDER BY v DESC NULLS LAST, id;
SELECT id, w FROM vec ORDER BY id DESC LIMIT 3;
SELECT w FROM vec LIMIT 0;
SELECT any_value(n) FROM vec WHERE id IN (1, 5);
SELECT k, any_value(w[1] * 0), max(id) FROM vec WHERE k = 3 GROUP BY k;
SELECT first(v) FROM vec WHERE id = 3;
SELECT k, any_value(n) FROM vec WHERE id IN (1, 3, 5) GROUP BY k;
SELECT a.id, b.id, b.v FROM vec a JOIN vec b ON a.id = b.k;
SELECT a.id, b.v, b.w FROM vec a LEFT JOIN vec b ON a.id = b.k + 3;
SELECT a.id, b.v FROM vec a RIGHT JOIN vec b ON a.id = b.k + 5;
SELECT a.v, b.v FROM vec a FULL JOIN vec b ON a.id = b.k + 5;
SELECT a.id, b.id FROM vec a JOIN vec b ON a.v = b.v AND a.id < b.id;
SELECT a.id, b.id FROM vec a, vec b WHERE a.n = b.n;
SELECT a.id, b.id FROM vec a LEFT JOIN vec b ON a.v = b.v AND a.id <> b.id;
SELECT id FROM vec a WHERE EXISTS (SELECT 1 FROM vec b WHERE a.n = b.n AND a.id <> b.id);
SELECT id, (SELECT v FROM q WHERE qid = 1) FROM vec;
SELECT id, array_distance(v, (SELECT v FROM q WHERE qid = 2)) FROM vec;
SELECT id, qid, array_inner_product(vec.v, q.v), array_distance(vec.v, q.v) FROM vec, q WHERE id < 6;
SELECT * FROM (VALUES ([1, 2]::FLOAT[2]), ([3, 4]::FLOAT[2]), (NULL)) t(a);
WITH s AS (SELECT id, array_cosine_similarity(v, [1, 1, 1]::FLOAT[3]) AS c FROM vec) SELECT * FROM s WHERE c > 0.5;
-- nearest
SELECT id FROM vec ORDER BY array_cosine_similarity(w, [1, 2, 3]::DOUBLE[3]) DESC, id LIMIT 3;
SELECT id, array_distance(w, [1, 2, 3]::DOUBLE[3]) AS d FROM vec ORDER BY d, id LIMIT 4;
SELECT id FROM vec ORDER BY array_inner_product(v, [1, 0, 0]::FLOAT[3]) DESC NULLS LAST, id LIMIT 4 OFFSET 1;
SELECT id, v FROM vec ORDER BY array_inner_product(v, [1, 0, 0]::FLOAT[3]) NULLS FIRST, id LIMIT 2;
-- both refuse
SELECT array_inner_product(v, [1.5, 2.5]::FLOAT[2]) FROM vec;
-- both refuse
SELECT v::FLOAT[2] FROM vec;
-- both refuse
SELECT [1, 2]::FLOAT[3];
-- both refuse
SELECT v = [1, 2] FROM vec;
-- both refuse
SELECT array_inner_product(n, n) FROM vec;
-- both refuse
SELECT array_inner_product(id, v) FROM vec;
-- both refuse
SELECT v + 1 FROM vec;
-- both refuse
SELECT v[1.5] FROM vec;
-- both refuse
SELECT []::FLOAT[0];
-- both refuse
SELECT v::SMALLINT[3] FROM vec;
-- both refuse
SELECT [1, 300]::TINYINT[2];
-- both refuse
SELECT list_distance(v, [1.0, 2.0]) FROM vec WHERE id = 1;
-- both refuse
SELECT v FROM vec UNION SELECT id FROM vec;
SELECT [1, 2];
SELECT array_value(1.5, 2.5);
SELECT [1.5, 2.5][1];
-- tqp refuses
SELECT [1, NULL]::FLOAT[2];
SELECT ['a', 'b']::VARCHAR[2];
SELECT [[1, 2]]::INTEGER[2][1];
SELECT v::FLOAT[] FROM vec;
SELECT v::VARCHAR FROM vec;
SELECT v[1:2] FROM vec;
SELECT min(v), max(w) FROM vec;
SELECT id FROM vec WHERE v IN (SELECT v FROM q);
SELECT '[1, 2]'::FLOAT[2];
SELECT list_sum(v) FROM vec;
-- both refuse
SELECT TRY_CAST(NULL AS SMALLINT[100001]);
-- both refuse
SELECT NULL::FLOAT[2147483647];
-- arrays of text, dates, decimals, structs and arrays, which are lists of one length
SELECT array_value('abc');
SELECT array_value('abc', NULL, 'd');
SELECT typeof(array_value('abc', 'd')), typeof(array_value(DATE '2020-01-01')), typeof(array_value(1.5, 2.25)), typeof(array_value(true));
SELECT ['a', 'b']::VARCHAR[2];
-- both refuse
SELECT ['a', 'b']::VARCHAR[3];
SELECT TRY_CAST(['a', 'b'] AS VARCHAR[3]);
SELECT ['a', NULL]::VARCHAR[2];
SELECT NULL::VARCHAR[2];
SELECT [[1, 2], [3, 4]]::INTEGER[2][2];
SELECT [[1, 2], [3, 4]]::INTEGER[2][];
-- both refuse
SELECT [[1, 2], [3, 4, 5]]::INTEGER[2][];
SELECT [[1, 2], NULL]::INTEGER[2][2];
SELECT '[[1,2],[3,4]]'::INTEGER[2][2];
SELECT '[a, b]'::VARCHAR[2];
-- both refuse
SELECT '[a, b]'::VARCHAR[3];
SELECT TRY_CAST('[a, b]' AS VARCHAR[3]);
SELECT array_value('a', 'b')[1], array_value('a', 'b')[-1], array_value('a','b')[3];
SELECT len(array_value('a', 'b')), array_length(array_value('a', 'b'));
SELECT array_value('a', 'b') = array_value('a', 'b'), array_value('a', 'b') < array_value('b', 'a');
SELECT array_value('a', 'b')::VARCHAR[];
SELECT array_value('a', 'b')::VARCHAR;
SELECT array_value('1', '2')::INTEGER[2];
SELECT array_value('1', '2')::INTEGER[];
SELECT array_value(1, 2)::VARCHAR[2];
-- both refuse
SELECT array_value(1, 2)::VARCHAR[3];
SELECT list_contains(array_value('a', 'b'), 'a'), list_position(array_value('a', 'b'), 'b');
SELECT list_concat(array_value('a'), ['b']);
SELECT array_value('a') || ['b'];
SELECT array_value('a') || array_value('b', 'c');
SELECT list_sort(array_value('b', 'a'));
SELECT list_transform(array_value('b', 'a'), lambda x: x || '!');
SELECT list_filter(array_value('b', 'a'), lambda x: x > 'a');
SELECT unnest(array_value('b', 'a'));
SELECT array_value([1,2]::INTEGER[2], [3,4]::INTEGER[2]);
SELECT array_value([1], [2, 3]);
SELECT array_value({'a': 1}, {'a': 2});
SELECT array_value(TIMESTAMP '2020-01-01')::VARCHAR;
SELECT array_value(true, false)[1];
SELECT array_value('a', 'b')[1:1];
SELECT array_to_string(array_value('a', 'b'), '-');
SELECT x FROM (VALUES (['a','b']::VARCHAR[2]), (NULL), (['a','a'])) t(x) ORDER BY x;
SELECT x, count(*) FROM (VALUES (['a','b']::VARCHAR[2]), (NULL), (['a','b'])) t(x) GROUP BY x ORDER BY x;
SELECT [array_value('a')];
SELECT {'a': array_value('x', 'y')};
SELECT MAP{'k': array_value('x', 'y')};
SELECT array_value(1.5, 2.5) UNION ALL SELECT array_value(3, 4);
-- both refuse
SELECT array_value('a') UNION ALL SELECT ['b', 'c'];
-- both refuse
SELECT array_value('a') UNION ALL SELECT array_value('b', 'c');
SELECT coalesce(NULL, array_value('a'));
SELECT array_value('a') = ['a'];
-- both refuse
SELECT array_value('a') = ['a', 'b'];
SELECT array_value(1, 2) = [1, 2];
SELECT array_value(1, 2) IN ([1, 2]);
SELECT x::VARCHAR[2] FROM (VALUES (['a','b']), (NULL)) t(x);
-- both refuse
SELECT x::VARCHAR[2] FROM (VALUES (['a','b']), (['c'])) t(x);
SELECT TRY_CAST(x AS VARCHAR[2]) FROM (VALUES (['a','b']), (['c'])) t(x);
SELECT x::INTEGER[2]::VARCHAR[2] FROM (VALUES ([1,2]), (NULL)) t(x);
SELECT array_value(1.5, 2.5)::DOUBLE[2];
SELECT array_distance(array_value(1.5, 2.5)::DOUBLE[2], array_value(1.0, 2.0)::DOUBLE[2]);
SELECT list(x) FROM (VALUES (['a','b']::VARCHAR[2]), (NULL)) t(x);
SELECT min(x), max(x), first(x ORDER BY x), count(DISTINCT x) FROM (VALUES (['a','b']::VARCHAR[2]), (NULL), (['a', 'c'])) t(x);
-- both refuse
SELECT ['1', 'x']::INTEGER[2];
SELECT TRY_CAST(['1', 'x'] AS DATE[2]);
-- both refuse
SELECT [1]::INTEGER[0];
-- both refuse
SELECT 'x'::VARCHAR[1];
-- both refuse
SELECT array_value();
SELECT typeof([[1]]::INTEGER[1][1]), typeof([['a']]::VARCHAR[1][]);
SELECT flatten([['a'], ['b']]::VARCHAR[1][2]);
SELECT flatten([[1, 2], [3, 4]]::INTEGER[2][2]);
SELECT array_value('a')::VARCHAR[1] IS NULL, array_value('a') IS NOT DISTINCT FROM array_value('a');
SELECT ([[1, 2], [3, 4]]::INTEGER[2][2])[2][1];
SELECT [[1, 2], [3, 4]]::DOUBLE[2][2]::VARCHAR;
SELECT a.x FROM (VALUES (['a']::VARCHAR[1])) a(x) JOIN (VALUES (['a']::VARCHAR[1]), (['b'])) b(x) ON a.x = b.x;
-- both refuse
SELECT array_value('a', 'b')::DATE[2];
SELECT list_aggregate(array_value('a', 'b'), 'max'), list_max(array_value(1.5, 2.5));
-- both refuse
SELECT array_value(1, 2.5), array_value('a', 1);
SELECT x FROM (SELECT array_value('b', 'c') AS x) WHERE x IN (SELECT ['b', 'c']::VARCHAR[2]);
SELECT array_value(INTERVAL 1 DAY), array_value(NULL), typeof(array_value(NULL));
SELECT list_reverse(array_value('a', 'b')), list_slice(array_value('a','b'), 1, 1), list_append(array_value('a'), 'b');
SELECT array_has(array_value('a', 'b'), 'a'), array_has_any(array_value('a', 'b'), ['a']);
SELECT hash(1) = hash(1), array_value('a', 'b') <> array_value('a', 'c');
SELECT {'a': [1, 2]::INTEGER[2]}::STRUCT(a VARCHAR[2]);
-- both refuse
SELECT {'a': [1, 2]}::STRUCT(a INTEGER[3]);
SELECT row(1, array_value('a'));
SELECT NULL::INTEGER[2][2], [NULL]::INTEGER[2][1];
SELECT array_value('a'::VARCHAR(3));
-- both refuse
SELECT reverse(array_value('a', 'b')), array_value(1, 2) < array_value(2, 1);
-- flatten, and types of NULL within others
SELECT flatten([['a'], ['b']]::VARCHAR[1][2]);
SELECT flatten([[1, 2], [3, 4]]::INTEGER[2][2]);
SELECT flatten([[1, 2], [3, 4]]::INTEGER[2][]);
SELECT flatten(NULL), flatten([]), flatten([NULL]), flatten([[], NULL, [1]]);
-- both refuse
SELECT flatten([1]);
SELECT typeof([]), typeof(NULL), typeof({'a': NULL}), typeof([[]]), typeof(MAP{}), typeof([NULL]);
-- arrays and JSON
SELECT '[1,2]'::JSON::INTEGER[];
SELECT '["a", null]'::JSON::VARCHAR[];
SELECT '{"a": 1}'::JSON::STRUCT(a INTEGER);
SELECT '["2020-01-01"]'::JSON::DATE[];
SELECT ['[1]'::JSON]::VARCHAR[];
SELECT ['{"a": 1}'::JSON]::VARCHAR;
SELECT '[1,2]'::JSON::INTEGER[2];
SELECT '["a","b"]'::JSON::VARCHAR[2];
SELECT [1,2]::JSON, ['a']::VARCHAR[1]::JSON, array_value('a', 'b')::JSON, to_json(array_value('a','b'));
SELECT '[[1,2]]'::JSON::INTEGER[2][1];
SELECT ['1', '2']::JSON[];
SELECT hash('[1]'::JSON);
-- both refuse
SELECT '["a"]'::JSON::VARCHAR[2];
SELECT TRY_CAST('["a"]'::JSON AS VARCHAR[2]);
-- concat_ws: arrays are text
SELECT concat_ws('-', v, 'x'), concat_ws('-', v, 'x', ['b', NULL]), concat_ws('-', [v], v) FROM (SELECT ['a', NULL, 'c']::VARCHAR[3] AS v);
SELECT concat_ws('-', v, v) FROM (SELECT [[1], [2, 3]]::INTEGER[][2] AS v);
-- concat_ws: of lists the elements, with a separator of the row's own
SELECT concat_ws(s, n), concat_ws(s, n, 'x', n), concat_ws('+', n) FROM (VALUES ('-', [1, NULL, 2]), (NULL, [1]), (',', NULL), ('', [NULL]), ('..', [])) t(s, n);
