-- BIGNUM: casts
SELECT '12'::BIGNUM, '+12'::BIGNUM, '-0'::BIGNUM, '000123'::BIGNUM, '1.5'::BIGNUM, '-1.5'::BIGNUM, '-2.4999'::BIGNUM, '.5'::BIGNUM, '5.'::BIGNUM, '99.9'::BIGNUM, '7'::VARINT, typeof('7'::VARINT);
SELECT repeat('9', 5000)::BIGNUM, ('-1' || repeat('0', 5000))::BIGNUM::VARCHAR, (repeat('9', 5000) || '.5')::BIGNUM::VARCHAR;
SELECT x::BIGNUM, y::BIGNUM, z::BIGNUM FROM (VALUES (1::TINYINT, 2::HUGEINT, 170141183460469231731687303715884105727::UHUGEINT), (-128, -170141183460469231731687303715884105728, 0), (NULL, NULL, NULL)) t(x, y, z);
SELECT x::BIGNUM, y::BIGNUM FROM (VALUES (1.5::FLOAT, 2.5::DOUBLE), (-0.3, -0.5), (NULL, 1e20), (3e38, -1e308), (0, '-0'::DOUBLE)) t(x, y);
SELECT x::UTINYINT, x::SMALLINT, x::UBIGINT, x::HUGEINT, x::UHUGEINT, x::DOUBLE, x::VARCHAR FROM (VALUES (200::BIGNUM), (NULL)) t(x);
SELECT 9007199254740993::BIGNUM::DOUBLE, 9007199254740995::BIGNUM::DOUBLE, 123456789012345678901234567890::BIGNUM::DOUBLE, repeat('9', 308)::BIGNUM::DOUBLE, '9'::ENUM('9')::BIGNUM;
SELECT TRY_CAST(x AS BIGNUM) FROM (VALUES ('1'), ('a'), (''), (NULL), (' 1'), ('1 '), ('1e5'), ('1_0'), ('++1'), ('+'), ('.'), ('1.a'), ('1.5.5')) t(x);
SELECT TRY_CAST(x AS BIGNUM), TRY_CAST(1.5 AS BIGNUM), TRY_CAST(5::BIGNUM AS FLOAT), TRY_CAST(true AS BIGNUM) FROM (VALUES ('inf'::DOUBLE), ('nan'), (1.5)) t(x);
SELECT TRY_CAST(x AS TINYINT), TRY_CAST(x AS UTINYINT), TRY_CAST(x AS HUGEINT), TRY_CAST(x AS DOUBLE) FROM (VALUES ('300'::BIGNUM), ('-1'), (NULL), ('5'), (('1' || repeat('0', 400))::BIGNUM), (('-1' || repeat('0', 40))::BIGNUM)) t(x);
-- BIGNUM: constants and the types that values have together
SELECT 340282366920938463463374607431768211456 AS a, typeof(-170141183460469231731687303715884105729), typeof(340282366920938463463374607431768211456), typeof(-170141183460469231731687303715884105728), -340282366920938463463374607431768211457 AS b;
SELECT '5'::BIGNUM = 5, 5::BIGNUM = '5', 5::BIGNUM = 5.5::FLOAT, 5::BIGNUM < 5.5::DOUBLE, 5::BIGNUM IN (5, 6), 5::BIGNUM IN ('5'), 5::BIGNUM BETWEEN 1 AND 10, 340282366920938463463374607431768211456 > 5, 0::BIGNUM = '-0'::BIGNUM;
SELECT x IS DISTINCT FROM 2, x IS NOT DISTINCT FROM 2::BIGNUM, coalesce(x, 3), nullif(x, 5), greatest(x, 2, '7'), least(3, x), CASE WHEN x > 1 THEN x ELSE 2 END, typeof(coalesce(x, 1.5::DOUBLE)), typeof([x, 1.5::FLOAT]) FROM (VALUES (NULL::BIGNUM), (5), (-5)) t(x);
SELECT x, typeof(x) FROM (VALUES (1::BIGNUM), ('5'), (2.5::FLOAT)) t(x);
SELECT 1::BIGNUM AS x UNION ALL SELECT '7' UNION ALL SELECT 2;
SELECT 1::BIGNUM AS x UNION ALL SELECT 2.5::DOUBLE;
SELECT 5::UNION(a BIGNUM, b VARCHAR), union_tag(5::UNION(a BIGNUM, b DOUBLE)), union_tag(5::UNION(a HUGEINT, b BIGNUM)), union_tag(5.5::FLOAT::UNION(a BIGNUM, b VARCHAR)), union_tag(5::BIGNUM::UNION(a VARCHAR, b DOUBLE));
-- BIGNUM: order and keys
SELECT x FROM (VALUES ('1'::BIGNUM), ('-1'), ('300'), ('-300'), ('70000'), ('-70000'), (NULL), ('0'), ('-123456789012345678901234567890'), ('255'), ('256'), ('-255'), ('-256'), (('1' || repeat('0', 700))::BIGNUM)) t(x) ORDER BY x;
SELECT x, count(*) FROM (VALUES ('1'::BIGNUM), ('01'), ('+1'), (NULL), ('2')) t(x) GROUP BY x;
SELECT DISTINCT x FROM (VALUES ('1'::BIGNUM), ('01'), (NULL), (NULL)) t(x);
SELECT a.x, b.y FROM (VALUES (1::BIGNUM), (2), (NULL)) a(x) LEFT JOIN (VALUES (1, 'a'), (3, 'b'), (NULL, 'c')) b(x, y) ON a.x = b.x;
SELECT x FROM (VALUES ('1'::BIGNUM), ('5'), (NULL)) t(x) WHERE x IN (SELECT y FROM (VALUES (1), (2)) s(y));
SELECT 1::BIGNUM AS a INTERSECT SELECT 1;
SELECT hash(x) FROM (VALUES (5::BIGNUM), (NULL), (-5), (('1' || repeat('0', 50))::BIGNUM)) t(x);
-- BIGNUM: operators and functions
SELECT x + 1, 1 - x, x - x, -x, x + NULL, x + 1.5::FLOAT, '2' - x FROM (VALUES (1::BIGNUM), (NULL), ('-123456789012345678901234567890123456789012345')) t(x);
SELECT x * 2, x / 2, x // 3, x % 3, x + 1.5, x - 1.5::DOUBLE, x ** 2, +x, abs(x), sqrt(x), round(x), sign(x), isnan(x) FROM (VALUES (16::BIGNUM), (NULL)) t(x);
SELECT hex(x), to_hex(x), bin(x), to_binary(x) FROM (VALUES (255::BIGNUM), (-256), (NULL), (0), (('1' || repeat('0', 40))::BIGNUM)) t(x);
SELECT 5::BIGNUM || 'a', concat(5::BIGNUM, 6), format('{}', 5::BIGNUM), printf('%s', 5::BIGNUM), concat_ws(',', 5::BIGNUM, 6), INTERVAL 1 DAY * 2::BIGNUM;
SELECT to_json(x), to_json({'a': x}), x::JSON FROM (VALUES (5::BIGNUM), (NULL), (('1' || repeat('0', 50))::BIGNUM)) t(x);
SELECT x::VARIANT::VARCHAR, variant_typeof(x::VARIANT), x::VARIANT::BIGNUM, x::VARIANT = 5 FROM (VALUES (5::BIGNUM), (NULL), (('1' || repeat('0', 50))::BIGNUM)) t(x);
SELECT list_sort([3::BIGNUM, -1, NULL]), list_sum([1::BIGNUM, 2]), list_max([1::BIGNUM, 2]), list_contains([1::BIGNUM], 1), '[1, 2]'::BIGNUM[], '{"a": 5}'::STRUCT(a BIGNUM), [1, 2]::BIGNUM[], [1::BIGNUM]::INTEGER[], MAP {1::BIGNUM: 'a'}[1], [1, 2]::BIGNUM[2]::VARCHAR, typeof([1, 2]::BIGNUM[2]);
WITH RECURSIVE r(x, n) AS (SELECT 1::BIGNUM, 1 UNION ALL SELECT x + x, n + 1 FROM r WHERE n < 200) SELECT max(x) AS x FROM r;
-- BIGNUM: aggregates and windows
SELECT g, sum(x), avg(x), min(x), max(x), count(x), count(DISTINCT x), sum(DISTINCT x), sum(x) FILTER (x > 5), list(x ORDER BY x), first(x ORDER BY x DESC), arg_max(g, x) FROM (VALUES (1, 5::BIGNUM), (1, 6), (1, 6), (2, NULL), (3, ('-' || repeat('9', 60))::BIGNUM)) t(g, x) GROUP BY g;
SELECT quantile_disc(x, 0.5), quantile_cont(x, 0.5), median(x), mode(x), min(x, 2), product(x) FROM (VALUES (5::BIGNUM), (7), (9), (9)) t(x);
SELECT sum(x), sum(x) FILTER (false), typeof(sum(x)) FROM (SELECT 1::BIGNUM AS x WHERE false);
SELECT sum(('1' || repeat('0', i::INTEGER))::BIGNUM) FROM range(60) t(i);
SELECT x, sum(x) OVER (ORDER BY x), lag(x) OVER (ORDER BY x), rank() OVER (ORDER BY x DESC), max(x) OVER (ORDER BY x DESC), sum(x) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), avg(x) OVER () FROM (VALUES (1::BIGNUM), (5), (-3)) t(x);
-- both refuse
SELECT '  12  '::BIGNUM;
-- both refuse
SELECT '1e5'::BIGNUM;
-- both refuse
SELECT ''::BIGNUM;
-- both refuse
SELECT 'nan'::DOUBLE::BIGNUM;
-- both refuse
SELECT 1.5::DECIMAL(4, 1)::BIGNUM;
-- both refuse
SELECT 1::BIGNUM::DECIMAL(4, 1);
-- both refuse
SELECT 1::BIGNUM::FLOAT;
-- both refuse
SELECT 1::BIGNUM::BOOLEAN;
-- both refuse
SELECT true::BIGNUM;
-- both refuse
SELECT 1::BIGNUM::BLOB;
-- both refuse
SELECT DATE '2020-01-01'::BIGNUM;
-- both refuse
SELECT 300::BIGNUM::TINYINT;
-- both refuse
SELECT ('1' || repeat('0', 40))::BIGNUM::HUGEINT;
-- both refuse
SELECT ('1' || repeat('0', 400))::BIGNUM::DOUBLE;
-- both refuse
SELECT 5::BIGNUM = 5.0;
-- both refuse
SELECT 5::BIGNUM = true;
-- both refuse
SELECT 5::BIGNUM < 6.5;
-- both refuse
SELECT coalesce(1::BIGNUM, 1.5);
-- both refuse
SELECT greatest(1::BIGNUM, 1.5);
-- both refuse
SELECT 1::BIGNUM + true;
-- both refuse
SELECT 2::BIGNUM & 3;
-- both refuse
SELECT ~(2::BIGNUM);
-- both refuse
SELECT length(1::BIGNUM);
-- both refuse
SELECT 1::BIGNUM LIKE '1';
-- both refuse
SELECT NOT 1::BIGNUM;
-- both refuse
SELECT 1::BIGNUM UNION ALL SELECT 1.5;
-- both refuse
SELECT 1::BIGNUM UNION ALL SELECT DATE '2020-01-01';
-- both refuse
SELECT bit_and(x) FROM (VALUES (1::BIGNUM)) t(x);
-- both refuse
SELECT 1::BIGNUM(5);
-- both refuse
SELECT range(1::BIGNUM);
