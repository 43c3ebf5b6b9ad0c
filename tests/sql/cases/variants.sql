-- values of every type, as VARIANT and back
SELECT 1::VARIANT, 'a'::VARIANT, [1, 2.5, NULL]::VARIANT, NULL::VARIANT, true::VARIANT, 'x'::BLOB::VARIANT, {'b': 1, 'a': 'x'}::VARIANT;
SELECT 1::TINYINT::VARIANT, 1::HUGEINT::VARIANT, 200::UTINYINT::VARIANT, 1.5::FLOAT::VARIANT, 1.50::DECIMAL(5, 2)::VARIANT, '101'::BIT::VARIANT::VARCHAR;
SELECT DATE '2020-01-02'::VARIANT, TIMESTAMP '2020-01-02 03:04:05.6'::VARIANT, TIME '01:02:03'::VARIANT, ((INTERVAL 3 DAY)::VARIANT)::VARCHAR;
SELECT UUID 'ff000000-0000-0000-0000-000000000001'::VARIANT, 'a'::ENUM('a', 'b')::VARIANT, map{'a': 1}::VARIANT, row(1, 'x')::VARIANT;
SELECT '{"b": 1, "a": [1, 2.5, null, -3, 1e20, "x", true, {}, 12345678901234567890123, 0.1]}'::JSON::VARIANT, 'null'::JSON::VARIANT;
SELECT x::VARIANT, typeof(x::VARIANT), x::VARIANT IS NULL FROM (VALUES ([1, 2]), (NULL), ([NULL])) t(x);
SELECT x::VARIANT::VARCHAR, x::VARIANT::JSON FROM (VALUES ({'b': 1, 'a': 'x'}), (NULL), ({'b': NULL, 'a': ''})) t(x);
SELECT ['it''s', 'a,b', '', ' x', 'null', 'NULL', '[x', '"q"', 'a\b', '1']::VARIANT::VARCHAR, {'it''s': 1, 'a b': 2}::VARIANT::VARCHAR;
SELECT [DATE '2020-01-01'::VARIANT, TIMESTAMP '2020-01-01', TIME '01:02:03', INTERVAL 1 DAY, '101'::BIT, true, 'nan'::FLOAT, 'inf'::DOUBLE]::VARIANT::VARCHAR;
SELECT [DATE '2020-01-01'::VARIANT, TIMESTAMP '2020-01-01', true, 'nan'::FLOAT, 0.1::FLOAT, 0.1::DOUBLE, 1e20::DOUBLE, 1.50, 0.5::DECIMAL(1, 1), '\x01'::BLOB]::VARIANT::JSON;
SELECT to_json(v), json_object('a', v), [v]::VARCHAR, {'a': v}::VARCHAR FROM (VALUES (1::VARIANT), (['x y']), (NULL), ({'k': 'it''s'})) t(v);
SELECT 1.5::VARIANT::INTEGER, 2.5::DOUBLE::VARIANT::BIGINT, true::VARIANT::INTEGER, ' 42 '::VARIANT::INTEGER, DATE '2020-01-01'::VARIANT::TIMESTAMP, '2020-01-01'::VARIANT::DATE, 'ab'::VARIANT::BLOB;
SELECT TRY_CAST(x AS INTEGER), TRY_CAST(x AS INTEGER[]), TRY_CAST(x AS DATE), TRY_CAST(x AS BOOLEAN) FROM (VALUES (1::VARIANT), ('x'), (NULL), ('7'), ([1]), ('[7]'), (DATE '2020-02-02')) t(x);
SELECT TRY_CAST(x AS STRUCT(a INTEGER)), TRY_CAST(x AS STRUCT(A VARCHAR, c DATE)) FROM (VALUES ({'a': 1}::VARIANT), ('x'), (NULL), ('{a: 7}'), ([1]), ({'a': 'x', 'b': 2})) t(x);
SELECT TRY_CAST(['x', '1']::VARIANT AS INTEGER[]), TRY_CAST([1, 2]::VARIANT AS INTEGER[3]), [1, 2]::VARIANT::INTEGER[2], [[1], [2, 3]]::VARIANT::INTEGER[][], [1, 'x'::VARIANT, NULL]::VARIANT::VARCHAR[];
SELECT map{'a': 1, 'b': 2}::VARIANT::MAP(VARCHAR, INTEGER), [{'key': 1, 'value': 2}]::VARIANT::MAP(INTEGER, VARCHAR), {'a': [1, 2]}::VARIANT::STRUCT(a VARIANT[]), {'a': [1]}::VARIANT::STRUCT(a JSON);
-- both refuse
SELECT 'x'::VARIANT::INTEGER;
-- both refuse
SELECT 300::VARIANT::UTINYINT;
-- both refuse
SELECT 1::VARIANT::DATE;
-- both refuse
SELECT {'a': 'x'}::VARIANT::STRUCT(a INTEGER);
-- both refuse
SELECT [1, 2]::VARIANT::STRUCT(a INTEGER, b INTEGER);
-- both refuse
SELECT {'a': 1}::VARIANT::MAP(VARCHAR, INTEGER);
-- both refuse
SELECT [1]::VARIANT::INTEGER;
-- both refuse
SELECT 'x'::VARIANT::VARIANT[];
-- what is in a variant
SELECT v.a, v.b.c, v['b']['c'], v.b.c[1], v.b.c[2], v.b.c[9], v.nope, v[1], v.A, (v).a FROM (SELECT {'a': 1, 'b': {'c': [7, 8]}}::VARIANT v);
SELECT t.v.b.c, typeof(v.b), variant_extract(v, 'a'), variant_extract(v, 1), variant_extract(v, NULL) FROM (SELECT {'a': 1, 'b': {'c': [7, 8]}}::VARIANT v) t;
SELECT v.x, v[2], v.x::INTEGER + 1, v.x = 1 FROM (VALUES ({'x': 1}::VARIANT), ([5, 6]), (3), (NULL), ({'x': NULL})) t(v);
SELECT variant_extract({'a.b': 1, 'a': {'b': 2}}::VARIANT, 'a.b'), variant_extract('x', 'a');
SELECT variant_typeof(v), variant_type(v), variant_keys(v), variant_array_length(v), variant_exists(v, 'a') FROM (VALUES (1::VARIANT), (NULL), ([1, 2]), ({'b': 1, 'a': NULL}), (1.5), (true), (DATE '2020-01-01'), ('x'), ('{}'::JSON::VARIANT)) t(v);
SELECT variant_type(v, 'a'), variant_keys(v, 'a'), variant_array_length(v, 'a'), variant_extract_string(v, 'a') FROM (VALUES ({'a': 1}::VARIANT), ({'a': NULL}), ({'a': [1, 'y'::VARIANT]}), ({'a': {'b': 'q"'}}), ({'b': 1}), (NULL), ({'a': 'plain'}), ({'a': 0.1::FLOAT})) t(v);
SELECT variant_contains(v, 1::VARIANT), variant_contains(v, [1]::VARIANT), variant_contains(v, {'a': 1}::VARIANT), variant_contains(v, [NULL]::VARIANT) FROM (VALUES (1::VARIANT), ([1::BIGINT, NULL]), ({'a': 1.0, 'b': [3]}), ([[{'a': 1}]]), (NULL), (1::DOUBLE)) t(v);
SELECT variant_normalize({'b': 1, 'a': 2}::VARIANT), variant_typeof(variant_normalize(1.50::VARIANT));
-- both refuse
SELECT v[0] FROM (SELECT [1]::VARIANT v);
-- both refuse
SELECT v[i] FROM (SELECT [1]::VARIANT v, 1 i);
-- both refuse
SELECT variant_keys({'a': 1});
-- both refuse
SELECT variant_typeof(1);
-- how variants compare
SELECT hex(variant_comparator([NULL::INTEGER, 1, -1, 0, 100.0, -0.50, 0.001]::VARIANT)), hex(variant_comparator([1.5::FLOAT, 0.1::FLOAT, 'nan', 'inf', '-inf', -1.5, 0.0, -0.0]::VARIANT));
SELECT hex(variant_comparator('aé'::VARIANT)), hex(variant_comparator('\x00\x01a'::BLOB::VARIANT)), hex(variant_comparator('101'::BIT::VARIANT)), hex(variant_comparator(UUID 'ff000000-0000-0000-0000-000000000001'::VARIANT));
SELECT hex(variant_comparator(TIMESTAMP '1960-01-02 03:04:05.6'::VARIANT)), hex(variant_comparator('2020-01-02'::TIMESTAMP_NS::VARIANT)), hex(variant_comparator(DATE '2020-01-02'::VARIANT)), hex(variant_comparator(TIMESTAMP 'infinity'::VARIANT));
SELECT hex(variant_comparator((INTERVAL '-3 days 40 hours 14 months')::VARIANT)), hex(variant_comparator({'b': 1, 'a': 'x'}::VARIANT)), hex(variant_comparator([true, false]::VARIANT)), hex(variant_comparator(TIME '01:02:03.5'::VARIANT));
SELECT 1::VARIANT = 1::BIGINT::VARIANT, 1::VARIANT = 1.0, 1::VARIANT = 1::DOUBLE, 1::VARIANT = 'x', '1'::VARIANT = 1, NULL::VARIANT = 1, 1::VARIANT IS DISTINCT FROM NULL, 1::VARIANT < 'a'::VARIANT;
SELECT (INTERVAL 30 DAY)::VARIANT = (INTERVAL 1 MONTH)::VARIANT, DATE '2020-01-01'::VARIANT = TIMESTAMP '2020-01-01', {'a': 1, 'b': 2}::VARIANT = {'b': 2::BIGINT, 'a': 1.0}::VARIANT, 'a'::VARIANT = 'a'::BLOB::VARIANT;
SELECT i FROM (VALUES (1, 1::VARIANT), (2, 1::BIGINT), (3, 'a'), (4, NULL), (5, [1]), (6, true), (7, 2.5), (8, -1), (9, DATE '2020-01-01'), (10, {'a': 1}), (11, 1.5::DOUBLE)) t(i, v) ORDER BY v, i;
SELECT i FROM (VALUES (1, 1::VARIANT), (2, 1::BIGINT), (3, 'a'), (4, NULL), (5, [1]), (6, true), (7, 2.5)) t(i, v) ORDER BY v DESC NULLS FIRST, i DESC LIMIT 4;
SELECT v, count(*), sum(i) FROM (VALUES (1, 1::VARIANT), (2, 1::BIGINT), (3, 'a'), (4, NULL), (5, [1]), (6, 1.0), (7, NULL)) t(i, v) GROUP BY v ORDER BY v;
SELECT DISTINCT v FROM (VALUES (1::VARIANT), (1::BIGINT), ('a'), (NULL), ([1]), ([1.0])) t(v);
SELECT DISTINCT ON (v) v, i FROM (VALUES (1::VARIANT, 1), (1::BIGINT, 2), ('a', 3)) t(v, i) ORDER BY v, i;
SELECT count(*), count(v), count(DISTINCT v), min(v), max(v), first(v), last(v), list(v) FROM (VALUES (1::VARIANT), (1::BIGINT), ('a'), (NULL), ([1]), (true), (2.5)) t(v);
SELECT arg_min(i, v), arg_max(i, v), arg_max(v, i), min(v) FILTER (i > 1) FROM (VALUES (1, 2::VARIANT), (2, 'a'), (3, 1), (4, NULL)) t(i, v);
SELECT a.v, b.v FROM (VALUES (1::VARIANT), ('a'), (NULL)) a(v) JOIN (VALUES (1::BIGINT::VARIANT), ('b'), (NULL)) b(v) ON a.v = b.v;
SELECT v FROM (VALUES (1::VARIANT), ('a')) a(v) JOIN (VALUES (1::BIGINT::VARIANT), ('b')) b(v) USING (v);
SELECT v, v IN (1, 'z', 2.5), v BETWEEN 1 AND 'b', v IN (SELECT 1::BIGINT), v = ANY(SELECT 'a'::VARIANT) FROM (VALUES (1::VARIANT), ('a'), (NULL), ([1]), (2.5)) t(v);
SELECT v FROM (VALUES (1::VARIANT), ('a')) a(v) WHERE NOT EXISTS (SELECT 1 FROM (VALUES (1::BIGINT::VARIANT)) b(w) WHERE a.v = b.w);
SELECT v, row_number() OVER (PARTITION BY v ORDER BY i), rank() OVER (ORDER BY v), lag(v) OVER (ORDER BY v, i) FROM (VALUES (1, 1::VARIANT), (2, 1::BIGINT), (3, 'a'), (4, NULL)) t(i, v) ORDER BY v, i;
SELECT coalesce(v, 7), CASE WHEN v = 1 THEN v ELSE 'other' END, ifnull(v, [1]), nullif(v, 1), greatest(v, 2), least(v, 'b') FROM (VALUES (1::VARIANT), ('a'), (NULL)) t(v);
SELECT 1::VARIANT UNION ALL SELECT 2.5 UNION ALL SELECT 'x' UNION ALL SELECT NULL;
SELECT v, i FROM (VALUES (1::VARIANT, 1), ('a', 2)) t(v, i) UNION SELECT 1::BIGINT, 1 UNION SELECT 1::BIGINT, 2;
SELECT [1::VARIANT] = [1::BIGINT::VARIANT], {'a': 1::VARIANT} = {'a': 1.0::VARIANT}, list_contains([1::VARIANT, 'x'], 1::BIGINT::VARIANT), list_position([1::VARIANT, 'x'], 'x'::VARIANT), list_sort([2::VARIANT, 'a', 1]);
SELECT x, count(*) FROM (VALUES ([1::VARIANT]), ([1::BIGINT::VARIANT]), (['a'::VARIANT])) t(x) GROUP BY x ORDER BY x;
SELECT unnest([1::VARIANT, 'x', [2]]), unnest([3, 4]::VARIANT::VARIANT[]);
SELECT hash(1::VARIANT) = hash(1.0::VARIANT), hash(1::VARIANT) = hash(2::VARIANT);
SELECT true::VARIANT AND true, NOT true::VARIANT, CASE WHEN true::VARIANT THEN 1 END;
SELECT variant_group_array(x), variant_typeof(variant_group_array(x)) FROM (VALUES (1), (2), (NULL)) t(x);
SELECT g, variant_group_array(x), variant_group_object(k, x::VARIANT) FROM (VALUES (1, 'a', 1.5), (2, 'b', NULL), (1, 'it''s "q"', 2)) t(g, k, x) GROUP BY g ORDER BY g;
SELECT variant_group_array(x), variant_group_object('a', x::VARIANT) FROM (VALUES (1)) t(x) WHERE false;
SELECT json_group_array(v), json_group_object(k, v) FROM (VALUES ('a', 1::VARIANT), ('b', [1, NULL]), ('c', NULL)) t(k, v);
SELECT min_by(i, v), max_by(i, v), arg_min(v, i) FROM (VALUES (1, 10::VARIANT), (2, 9), (3, 'a')) t(i, v);
-- both refuse
SELECT variant_group_object('a', v) FROM (VALUES (1::VARIANT), (2)) t(v);
-- both refuse
SELECT variant_group_object(1, v) FROM (VALUES (1::VARIANT)) t(v);
SELECT list_max([10::VARIANT, 9]);
SELECT list_aggregate([10::VARIANT, 9], 'min');
SELECT mode(v) FROM (VALUES (1::VARIANT)) t(v);
SELECT list(DISTINCT v) FROM (VALUES (1::VARIANT)) t(v);
SELECT v FROM (VALUES (1::VARIANT), ('x'), (NULL), (2)) t(v) EXCEPT SELECT * FROM (VALUES (1::BIGINT::VARIANT), (NULL)) u(w);
SELECT v FROM (VALUES (1::VARIANT), (1), ('x'), (NULL), (2)) t(v) INTERSECT ALL SELECT * FROM (VALUES (1::BIGINT::VARIANT), (NULL), (1)) u(w);
SELECT v, count(*), grouping(v) FROM (VALUES (1::VARIANT), (1::BIGINT), ('x'), (NULL)) t(v) GROUP BY ROLLUP (v) ORDER BY 2, 3, 1;
SELECT variant_exists(v, '') AS a, variant_type(v, '') AS b, variant_keys(v, '') AS c, variant_array_length(v, '') AS d, variant_extract_string(v, '') AS e
FROM (VALUES (1::VARIANT), ('x'::VARIANT), ([1, 2]::VARIANT), ({'a': {'b': 1}}::VARIANT), (NULL)) AS t(v) ORDER BY v;
-- set operations: rows whose variants are equal
SELECT v FROM (VALUES (1, 1::VARIANT), (2, 1::BIGINT), (3, 'x'), (4, NULL), (5, 2.5), (6, 1), (7, {'a': 1}), (8, NULL)) t(i, v) INTERSECT SELECT v FROM (VALUES (1, 1::BIGINT::VARIANT), (1, 1), (2, 'x'), (4, NULL), (9, {'a': 1::BIGINT}), (9, 99)) u(i, v) ORDER BY 1;
SELECT v, i FROM (VALUES (1, 1::BIGINT::VARIANT), (1, 1), (2, 'x'), (4, NULL), (9, {'a': 1::BIGINT}), (9, 99)) u(i, v) INTERSECT SELECT v, i FROM (VALUES (1, 1::VARIANT), (2, 1::BIGINT), (3, 'x'), (4, NULL), (5, 2.5), (6, 1), (7, {'a': 1}), (8, NULL)) t(i, v) ORDER BY ALL;
SELECT v FROM (VALUES (1, 1::VARIANT), (2, 1::BIGINT), (3, 'x'), (4, NULL), (5, 2.5), (6, 1), (7, {'a': 1}), (8, NULL)) t(i, v) EXCEPT SELECT v FROM (VALUES (1, 1::BIGINT::VARIANT), (1, 1), (2, 'x'), (4, NULL), (9, {'a': 1::BIGINT}), (9, 99)) u(i, v) ORDER BY 1;
SELECT v, i FROM (VALUES (1, 1::BIGINT::VARIANT), (1, 1), (2, 'x'), (4, NULL), (9, {'a': 1::BIGINT}), (9, 99)) u(i, v) EXCEPT SELECT v, i FROM (VALUES (1, 1::VARIANT), (2, 1::BIGINT), (3, 'x'), (4, NULL), (5, 2.5), (6, 1), (7, {'a': 1}), (8, NULL)) t(i, v) ORDER BY ALL;
SELECT v FROM (VALUES (1, 1::VARIANT), (2, 1::BIGINT), (3, 'x'), (4, NULL), (5, 2.5), (6, 1), (7, {'a': 1}), (8, NULL)) t(i, v) INTERSECT ALL SELECT v FROM (VALUES (1, 1::BIGINT::VARIANT), (1, 1), (2, 'x'), (4, NULL), (9, {'a': 1::BIGINT}), (9, 99)) u(i, v) ORDER BY 1;
SELECT v, i FROM (VALUES (1, 1::BIGINT::VARIANT), (1, 1), (2, 'x'), (4, NULL), (9, {'a': 1::BIGINT}), (9, 99)) u(i, v) INTERSECT ALL SELECT v, i FROM (VALUES (1, 1::VARIANT), (2, 1::BIGINT), (3, 'x'), (4, NULL), (5, 2.5), (6, 1), (7, {'a': 1}), (8, NULL)) t(i, v) ORDER BY ALL;
SELECT v FROM (VALUES (1, 1::VARIANT), (2, 1::BIGINT), (3, 'x'), (4, NULL), (5, 2.5), (6, 1), (7, {'a': 1}), (8, NULL)) t(i, v) EXCEPT ALL SELECT v FROM (VALUES (1, 1::BIGINT::VARIANT), (1, 1), (2, 'x'), (4, NULL), (9, {'a': 1::BIGINT}), (9, 99)) u(i, v) ORDER BY 1;
SELECT v, i FROM (VALUES (1, 1::BIGINT::VARIANT), (1, 1), (2, 'x'), (4, NULL), (9, {'a': 1::BIGINT}), (9, 99)) u(i, v) EXCEPT ALL SELECT v, i FROM (VALUES (1, 1::VARIANT), (2, 1::BIGINT), (3, 'x'), (4, NULL), (5, 2.5), (6, 1), (7, {'a': 1}), (8, NULL)) t(i, v) ORDER BY ALL;
SELECT count(*) FROM (SELECT v FROM (VALUES (1, 1::VARIANT), (2, 1::BIGINT), (3, 'x'), (4, NULL), (5, 2.5), (6, 1), (7, {'a': 1}), (8, NULL)) t(i, v) EXCEPT SELECT v FROM (VALUES (1, 1::BIGINT::VARIANT), (1, 1), (2, 'x'), (4, NULL), (9, {'a': 1::BIGINT}), (9, 99)) u(i, v) WHERE false);
SELECT v FROM (VALUES (1, 1::VARIANT), (2, 1::BIGINT), (3, 'x'), (4, NULL), (5, 2.5), (6, 1), (7, {'a': 1}), (8, NULL)) t(i, v) EXCEPT SELECT 1 INTERSECT SELECT 1::BIGINT::VARIANT ORDER BY 1;
-- grouping sets by variants
SELECT v, count(*), grouping(v), v IS NULL, min(v)::VARCHAR FROM (VALUES (1, 1::VARIANT), (2, 1::BIGINT), (3, 'x'), (4, NULL), (5, 2.5), (6, 1), (7, {'a': 1}), (8, NULL)) t(i, v) GROUP BY GROUPING SETS ((v), ()) ORDER BY ALL;
SELECT v, count(*), grouping(v), v IS NULL, min(v)::VARCHAR FROM (VALUES (1, 1::VARIANT), (2, 1::BIGINT), (3, 'x'), (4, NULL), (5, 2.5), (6, 1), (7, {'a': 1}), (8, NULL)) t(i, v) GROUP BY CUBE (v, i % 2) ORDER BY ALL;
SELECT v, count(*), grouping(v), v IS NULL, min(v)::VARCHAR FROM (VALUES (1, 1::VARIANT), (2, 1::BIGINT), (3, 'x'), (4, NULL), (5, 2.5), (6, 1), (7, {'a': 1}), (8, NULL)) t(i, v) GROUP BY ROLLUP (i % 2, v) ORDER BY ALL;
SELECT v, count(*), grouping(v), v IS NULL, min(v)::VARCHAR FROM (VALUES (1, 1::VARIANT), (2, 1::BIGINT), (3, 'x'), (4, NULL), (5, 2.5), (6, 1), (7, {'a': 1}), (8, NULL)) t(i, v) GROUP BY GROUPING SETS ((v), (v), (i)) ORDER BY ALL;
SELECT v::VARCHAR, sum(i) FROM (VALUES (1, 1::VARIANT), (2, 1::BIGINT), (3, 'x'), (4, NULL), (5, 2.5), (6, 1), (7, {'a': 1}), (8, NULL)) t(i, v) GROUP BY ROLLUP (v) HAVING count(*) > 1 ORDER BY ALL;
-- implicit casts: to the type of the number beside it, else the first of BIGINT, DOUBLE and VARCHAR that a function takes
SELECT v + 1::TINYINT, v - 1::TINYINT, v * 1::TINYINT, v / 1::TINYINT, v // 1::TINYINT, v % 1::TINYINT, 1::TINYINT + v, 1::TINYINT - v, typeof(v + 1::TINYINT), typeof(v / 1::TINYINT) FROM (VALUES (7::VARIANT), (NULL), ('3'), (2.7)) t(v);
SELECT v + 1, v - 1, v * 1, v / 1, v // 1, v % 1, 1 + v, 1 - v, typeof(v + 1), typeof(v / 1) FROM (VALUES (7::VARIANT), (NULL), ('3'), (2.7)) t(v);
SELECT v + 1::BIGINT, v - 1::BIGINT, v * 1::BIGINT, v / 1::BIGINT, v // 1::BIGINT, v % 1::BIGINT, 1::BIGINT + v, 1::BIGINT - v, typeof(v + 1::BIGINT), typeof(v / 1::BIGINT) FROM (VALUES (7::VARIANT), (NULL), ('3'), (2.7)) t(v);
SELECT v + 1::HUGEINT, v - 1::HUGEINT, v * 1::HUGEINT, v / 1::HUGEINT, v // 1::HUGEINT, v % 1::HUGEINT, 1::HUGEINT + v, 1::HUGEINT - v, typeof(v + 1::HUGEINT), typeof(v / 1::HUGEINT) FROM (VALUES (7::VARIANT), (NULL), ('3'), (2.7)) t(v);
SELECT v + 2.5::FLOAT, v - 2.5::FLOAT, v * 2.5::FLOAT, v / 2.5::FLOAT, v // 2.5::FLOAT, v % 2.5::FLOAT, 2.5::FLOAT + v, 2.5::FLOAT - v, typeof(v + 2.5::FLOAT), typeof(v / 2.5::FLOAT) FROM (VALUES (7::VARIANT), (NULL), ('3'), (2.7)) t(v);
SELECT v + 2.5::DOUBLE, v - 2.5::DOUBLE, v * 2.5::DOUBLE, v / 2.5::DOUBLE, v // 2.5::DOUBLE, v % 2.5::DOUBLE, 2.5::DOUBLE + v, 2.5::DOUBLE - v, typeof(v + 2.5::DOUBLE), typeof(v / 2.5::DOUBLE) FROM (VALUES (7::VARIANT), (NULL), ('3'), (2.7)) t(v);
SELECT v + NULL, v - NULL, v * NULL, v / NULL, v // NULL, v % NULL, NULL + v, NULL - v, typeof(v + NULL), typeof(v / NULL) FROM (VALUES (7::VARIANT), (NULL), ('3'), (2.7)) t(v);
SELECT v + 1::UTINYINT, v - 2::UTINYINT, v * 1::UTINYINT, v / 1::UTINYINT, v // 1::UTINYINT, v % 1::UTINYINT, 1::UTINYINT + v, 9::UTINYINT - v, typeof(v + 1::UTINYINT), typeof(v / 1::UTINYINT) FROM (VALUES (7::VARIANT), (NULL), ('3'), (2.7)) t(v);
SELECT v + v, -v, v + v + 1, 1 + v * 2, v << 1, v & 3, ~v, typeof(v << 1::TINYINT) FROM (SELECT 2::VARIANT AS v UNION ALL SELECT 5) t;
SELECT v.a + 1, abs(v.a), round(v.b), ceil(v.b), sqrt(v.b), upper(v.c), v.c LIKE 'x%', substring(v.c, 2, 1), repeat('a', v.a), chr(v.a), make_date(v.a, 1, 1) FROM (SELECT {'a': 65, 'b': 2.2, 'c': 'xyz'}::VARIANT AS v);
SELECT sum(v), avg(v), stddev(v), product(v), bit_and(v), sum(DISTINCT v), typeof(sum(v)), typeof(avg(v)), count(v), string_agg(v, ','), listagg(v, ','), group_concat(v), max(v, 2), min(v, 1), corr(v, i) FROM (VALUES (1, 2::VARIANT), (2, '3'), (3, NULL), (4, 2::BIGINT)) t(i, v);
SELECT i, sum(v) OVER (ORDER BY i), avg(v) OVER () FROM (VALUES (1, 2::VARIANT), (2, '3'), (3, NULL)) t(i, v) ORDER BY i;
-- both refuse
SELECT 1::VARIANT + 2.5;
-- both refuse
SELECT 1::VARIANT + true;
-- both refuse
SELECT 1::VARIANT + INTERVAL 1 DAY;
-- both refuse
SELECT 'x'::VARIANT + 1;
-- both refuse
SELECT abs('x'::VARIANT);
-- both refuse
SELECT md5(1::VARIANT);
-- both refuse
SELECT year(DATE '2020-01-01'::VARIANT);
-- aggregates and functions of lists that count or order values: counts and keys of maps tell types apart, orders do not
SELECT mode(v), variant_typeof(mode(v)), approx_count_distinct(v), count(DISTINCT v) FROM (VALUES (1::VARIANT), (2::BIGINT), (2::INTEGER), ('a'), (2::BIGINT), (NULL)) t(v);
SELECT quantile_disc(v, 0.5), quantile_disc(v, [0.1, 0.9]), median(v), approx_top_k(v, 1) FROM (VALUES (1::VARIANT), (2), (2), (3), (NULL)) t(v);
SELECT histogram(v), list_transform(map_keys(histogram(v)), lambda x: variant_typeof(x)) FROM (VALUES (10::VARIANT), (9::BIGINT), (9::BIGINT), ('a'), ({'b': 1, 'a': 2}), ({'a': 2, 'b': 1}), (NULL)) t(v);
SELECT round(entropy(v), 9), round(entropy(DISTINCT v), 9), round(entropy([v]), 9), len(map_keys(histogram(v))), len(map_keys(histogram(DISTINCT v))), len(map_keys(histogram([v]))), approx_count_distinct([v]) FROM (VALUES (1::VARIANT), (1::BIGINT), (1::BIGINT), (3), (NULL)) t(v);
SELECT list(DISTINCT v ORDER BY v), string_agg(DISTINCT v, ',' ORDER BY v), sum(DISTINCT v), max(DISTINCT v), min(DISTINCT v), first(DISTINCT v ORDER BY v) FROM (VALUES (1::VARIANT), (1::BIGINT), (3), (3), (2), (NULL)) t(v);
SELECT k, mode(v), median(v), list(DISTINCT v), list(DISTINCT v) FILTER (k > 1), arg_min(DISTINCT v, k) FROM (VALUES (1, 1::VARIANT), (1, 1), (2, 'x'), (3, NULL)) t(k, v) GROUP BY k ORDER BY k;
SELECT list_min(l), list_max(l), variant_typeof(list_min(l)), variant_typeof(list_max(l)), list_mode(l), list_unique(l), len(list_distinct(l)), list_aggregate(l, 'approx_count_distinct'), round(list_entropy(l), 9), list_aggregate(l, 'approx_top_k', 1) FROM (VALUES ([1::VARIANT, 1, 3::BIGINT, 3, 10, 10::HUGEINT, NULL]), ([]), (NULL), ([NULL])) t(l);
SELECT list_histogram([10::VARIANT, 9, 9]), list_median([1::VARIANT, 2, 3]), list_sum([1::VARIANT, 2]), list_string_agg([1::VARIANT, 'x']), list_bool_and([true::VARIANT]), list_mad([1::VARIANT, 2]);
SELECT list_transform(list_intersect([1::VARIANT, 1::BIGINT], [1::HUGEINT::VARIANT, 1::BIGINT]), lambda x: variant_typeof(x)), list_has_any([1::VARIANT], [1::BIGINT::VARIANT]), list_has_all([1::VARIANT], [1::BIGINT::VARIANT]);
SELECT mode() WITHIN GROUP (ORDER BY v DESC), percentile_disc(0.5) WITHIN GROUP (ORDER BY v), percentile_disc(0.5) WITHIN GROUP (ORDER BY v DESC), mad(v), quantile_cont(v, 0.5) FROM (VALUES (1::VARIANT), (2), (5)) t(v);
SELECT k, mode(v) OVER (ORDER BY k ROWS 2 PRECEDING), median(v) OVER (ORDER BY k), quantile_disc(v, 0.5) OVER (ORDER BY k), histogram(v) OVER (ORDER BY k), approx_top_k(v, 1) OVER (ORDER BY k), count(DISTINCT v) OVER (ORDER BY k), string_agg(DISTINCT v, ',') OVER (ORDER BY k) FROM (VALUES (1, 1::VARIANT), (2, 3), (3, 1), (4, NULL)) t(k, v) ORDER BY k;
SELECT map([1::VARIANT, 1::BIGINT], ['a', 'b'])[1::BIGINT::VARIANT], map([1::VARIANT], [2])[1::BIGINT::VARIANT], map_concat(map([1::VARIANT], [1]), map([1::BIGINT::VARIANT], [2]));
-- both refuse
SELECT map([1::VARIANT, 1], [1, 2]);
-- tqp refuses
SELECT histogram(v, [1::VARIANT]) FROM (VALUES (1::VARIANT)) t(v);
-- tqp refuses
SELECT histogram_exact(v, [1::VARIANT]) FROM (VALUES (1::VARIANT)) t(v);
-- objects of one member without a name, and those that have none of a struct's names
SELECT '{"a":[1],"b":{"":{"":"x y"}}}'::JSON::VARIANT::VARCHAR, '{"":null}'::JSON::VARIANT::VARCHAR, '{"":1,"b":2}'::JSON::VARIANT::VARCHAR;
SELECT '{"":"it''s"}'::JSON::VARIANT::VARCHAR, '[{"":{}}]'::JSON::VARIANT::VARCHAR;
SELECT '{"b":1,"c":2}'::JSON::VARIANT::STRUCT(c INT, a INT), '{"B":1}'::JSON::VARIANT::STRUCT(b INT);
SELECT TRY_CAST(v AS STRUCT(a INT)) FROM (VALUES ({'a':1,'c':3}::VARIANT), ({'b':1}::VARIANT)) t(v);
SELECT TRY_CAST('{"a":{"c":1}}'::JSON::VARIANT AS STRUCT(a STRUCT(b INT))), TRY_CAST('[{"a":1}, {"b":2}]'::JSON::VARIANT AS STRUCT(a INT)[]);
-- both refuse
SELECT v::STRUCT(a INT) FROM (VALUES ({'a':1}::VARIANT), ({'b':1}::VARIANT)) t(v);
-- both refuse
SELECT '{}'::JSON::VARIANT::STRUCT(b INT);
