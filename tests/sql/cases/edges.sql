-- a residual that reads the columns it may make NULL
SELECT a.id, b.salary FROM emp a LEFT JOIN emp b ON a.id = b.id AND b.salary = b.id * 4500.25;
SELECT a.id, b.dept FROM emp a LEFT JOIN emp b ON a.id = b.id AND a.dept * 2 = b.dept;
SELECT b.dept FROM emp a RIGHT JOIN (SELECT id + 0 AS id, dept FROM emp) b ON a.id = b.id AND a.dept * 2 = b.dept;
-- keys of 64 bits and of 128
SELECT count(*) FROM (SELECT count(*) AS c FROM m) a JOIN (SELECT x / 10000 * 0 + 7 AS y, x FROM big) b ON a.c = b.y;
SELECT big.id, n.v FROM big JOIN (SELECT DISTINCT v::DECIMAL(38, 4) AS v FROM n) n ON big.x = n.v - n.v + 0.0001;
SELECT big.id FROM big LEFT JOIN (SELECT count(*)::DECIMAL(38, 4) AS c FROM n) n ON big.x = n.c;
SELECT c FROM (SELECT count(*)::DECIMAL(38, 4) AS c FROM n) n LEFT JOIN big ON big.x = n.c;
-- instants that fit few bits
SELECT moment::DATE, extract(hour FROM moment), date_trunc('day', moment) FROM events WHERE moment IS NULL;
SELECT t::DATE, month(t), minute(t), date_trunc('hour', t), date_trunc('year', t) FROM (VALUES (NULL::TIMESTAMP), (NULL)) q (t);
SELECT t::DATE, hour(t), date_trunc('minute', t) FROM (VALUES (TIMESTAMP '1970-01-01'), (TIMESTAMP '1970-01-01 00:00:00.000100')) q (t);
-- a constant condition
SELECT min(CASE WHEN true THEN dept END), max(CASE WHEN false THEN 1 ELSE boss END) FROM emp;
-- text and numbers of text as keys and extremes
SELECT length(id::VARCHAR) AS l, count(*) FROM emp GROUP BY l;
SELECT DISTINCT (id::VARCHAR || '1')::BIGINT FROM emp;
SELECT DISTINCT TRY_CAST(score::VARCHAR AS DECIMAL(9, 2)) FROM emp;
-- errors of values that no row has
SELECT w::INTEGER FROM (SELECT CASE WHEN id = 3 THEN '7' ELSE title END AS w, id FROM dept) q WHERE id <> id;
SELECT title::INTEGER FROM dept WHERE title = 'none of them';
SELECT coalesce(id, (title::INTEGER)) FROM dept WHERE id IS NOT NULL;
-- both refuse
SELECT coalesce(id, (title::INTEGER)) FROM dept;
-- overflow
SELECT round(z, -1), trunc(z, -2) FROM big WHERE id = 3;
-- both refuse
SELECT round((9223372036854775807 - id), -1) FROM emp;
-- both refuse
SELECT round(127::TINYINT, -1);
SELECT round(k, (v - 10)::INTEGER) FROM n WHERE v = 10;
-- both refuse
SELECT to_days(id * 1000000000) FROM emp;
-- both refuse
SELECT to_years(z) FROM big;
-- both refuse
SELECT to_hours(z) FROM big;
-- both refuse
SELECT to_seconds(1e300 * score) FROM emp;
-- both refuse
SELECT INTERVAL 2000000000 DAYS * id FROM emp;
-- both refuse
SELECT to_days(2000000000) + to_days(2000000000);
-- both refuse
SELECT to_microseconds(9000000000000000000) + to_microseconds(9000000000000000000);
-- both refuse
SELECT INTERVAL '2000000000 days' * 1e300;
-- both refuse
SELECT hired + 2147483647 FROM emp;
-- both refuse
SELECT epoch_ns(TIMESTAMP '9999-12-31');
-- both refuse
SELECT DATE '5874897-12-31' + TIME '00:00:00';
-- both refuse
SELECT gcd(z * 2, 0) FROM big WHERE id = 2;
SELECT gcd(id, -4), lcm(id, -4), gcd(-9223372036854775808, 9223372036854775807) FROM emp;
SELECT isfinite(hired), isinf(hired), isfinite(hired::TIMESTAMP) FROM emp;
SELECT u & 1, u | 1, xor(u, 1), ~u, u >> 1, u >> 70 FROM (VALUES (18446744073709551615::UBIGINT), (0), (NULL)) q (u);
SELECT h & 7, h | 7, xor(h, 7), ~h, h >> 3, h >> 100, h << 0 FROM (SELECT 9999999999999999999999999999999999999::HUGEINT AS h);
SELECT h & 7, h | 7, xor(h, 7), ~h, h >> 3, h >> 100 FROM (SELECT (-5)::HUGEINT * 18446744073709551616 AS h);
SELECT 1::UBIGINT << 63, 5::HUGEINT << 100, 0 << 40, -1 >> 31, -1 >> 40;
-- both refuse
SELECT 3::UBIGINT << 63;
SELECT reverse('👨‍👩‍👧a'), reverse('e' || chr(769) || 'x');
SELECT TRY_CAST('2024-02-29' AS TIME), TRY_CAST('2024-02-30' AS TIME), TRY_CAST('5' AS INTERVAL), TRY_CAST('1 2' AS INTERVAL);
SELECT TRY_CAST(w AS INTERVAL) FROM (VALUES ('2024-02-29'), ('1 day 12:34:56'), ('9 days 3')) q (w);
SELECT strftime(TIMESTAMP '-0011-01-01 00:00:00', '%y %-y');
SELECT INTERVAL '-1' MICROSECOND * 3::UBIGINT;
-- types and positions
SELECT * FROM (VALUES (3::UTINYINT), (1), (0)) q (c);
SELECT * FROM (VALUES (3::UTINYINT), (1000)) q (c);
SELECT CASE WHEN active THEN dept END, dept FROM emp GROUP BY GROUPING SETS (active, 1, dept, ());
-- both refuse
SELECT dept FROM emp GROUP BY -1;
-- both refuse
SELECT dept FROM emp GROUP BY (-1);
-- first keeps NULLs, min and max see all batches
SELECT first(v) FILTER (WHERE k = 1) FROM (SELECT * FROM n ORDER BY v NULLS FIRST LIMIT 9) q;
SELECT k, first(v) FILTER (WHERE v IS NULL OR v < 21) FROM (SELECT k, v FROM n ORDER BY v NULLS FIRST LIMIT 9) q GROUP BY k;
SELECT count(*) FILTER (WHERE k = 1), first(v) FILTER (WHERE v > 20), max(v) FROM n;
SELECT CASE WHEN id > 0 THEN 1 ELSE 1 // 0 END, CASE WHEN id < 0 THEN 1 // 0 END FROM emp;
SELECT lpad(w, 3, '*'), rpad(w, 3, '*'), lpad('é', 3, '🙂'), rpad('abc', 2, 'x'), lpad('abc', 0, 'x') FROM m;
SELECT * FROM (VALUES (0.0::DOUBLE), ('nan')) a (x) JOIN (VALUES (-0.0::DOUBLE), ('nan')) b (y) ON x = y;
SELECT k FROM n WHERE k = ALL (SELECT k FROM empty);
SELECT k, n.k, m.k, count(*) FROM n FULL JOIN m USING (k) GROUP BY ALL;
SELECT k, (SELECT count(*) FROM m WHERE m.k = n.k HAVING count(*) = 0) FROM n;
SELECT try_strptime('18575-12-27', '%Y-%m-%d'), try_strptime('-5-12-27', '%Y-%m-%d'), try_strptime('185-12-27', '%Y-%m-%d');
-- comparisons round nothing
SELECT 3.6::DECIMAL(38,1) <= 3.5999::DECIMAL(38,6), 3.6::DECIMAL(38,1) IN (3.5999::DECIMAL(38,6)), nullif(3.6::DECIMAL(38,1), 3.5999::DECIMAL(38,6));
SELECT x FROM (VALUES (3.6::DECIMAL(38,1))) a (x) JOIN (VALUES (3.600001::DECIMAL(38,6))) b (y) ON x = y;
-- both refuse
SELECT x >= 1.0000001::DECIMAL(38,35) FROM big;
SELECT to_days(-2147483648), lcm(-9223372036854775808, 0);
SELECT try_strptime('10001-01-02', '%Y-%m-%d'), strptime('24-01-02', '%Y-%m-%d');
SELECT * FROM (VALUES (2), (3::UTINYINT)) q (c);
-- both refuse
SELECT date_trunc('day', DATE '5874897-12-31' - id) FROM emp;
-- both refuse
SELECT date_sub('hour', DATE '5874897-12-31' - id, hired) FROM emp;
-- both refuse
SELECT sum(x) FROM (VALUES (99999999999999999999999999999999999999::DECIMAL(38,0)), (1::DECIMAL(38,0))) q (x);
SELECT sum(x) FROM (VALUES (99999999999999999999999999999999999998::DECIMAL(38,0)), (1::DECIMAL(38,0))) q (x);
SELECT a - b FROM (VALUES (TIMESTAMP '294246-01-01', TIMESTAMP '1970-01-01'), (NULL, TIMESTAMP '1000-01-01')) q (a, b);
-- keys and bounds of columns that are empty, all NULL or constant
SELECT count(*) FROM empty GROUP BY -k;
SELECT count(*), min(-k) FROM (SELECT k::UTINYINT AS k FROM empty) GROUP BY k - 100::UTINYINT;
SELECT nothing - 100::UINTEGER AS x, count(*) FROM flat GROUP BY x;
SELECT -nothing AS x, abs(none), count(*) FROM flat GROUP BY ALL;
SELECT DISTINCT least, none FROM flat;
SELECT least, least + 1, -none, count(*) FROM flat GROUP BY GROUPING SETS ((least, none), (none), ());
SELECT k FROM n ANTI JOIN flat ON n.k = huge;
SELECT k FROM n SEMI JOIN flat ON n.k = huge;
SELECT id FROM flat WHERE huge IN (SELECT huge FROM flat) AND none NOT IN (SELECT huge FROM flat);
SELECT a.id, b.id FROM flat a JOIN flat b ON a.huge = b.huge AND a.small = b.small AND a.least = b.least;
(SELECT NULL AS x) UNION ALL (SELECT 1180591620717411303424) UNION ALL (SELECT -1);
(SELECT nullif(id::HUGEINT + 18446744073709551615, huge)::HUGEINT AS x FROM flat) INTERSECT (SELECT -1 AS x);
SELECT min(CASE WHEN true THEN 1180591620717411303424 END), max(CASE WHEN false THEN 1.5 END) FROM n;

-- A sign behind an exponent begins a new word.
SELECT 1e308+1e308, -1e308-1e308, 1e3+1e3+2, 1e0-id, 1e-3-2, 1e+3+1e-3-1e3*2, '1e3+1' FROM emp;
SELECT score FROM emp WHERE score < 1e308+1e308 AND 1e308+1e308 > 5;
SELECT 'nan'::DOUBLE::VARCHAR, (-('nan'::DOUBLE))::VARCHAR, '-nan'::DOUBLE::VARCHAR, (1e308+1e308-(1e308+1e308))::VARCHAR;
SELECT (-score)::VARCHAR, score::VARCHAR FROM emp;
-- Digits that no number has.
SELECT round(123, -1000), round(123::BIGINT, -1000), round(123.45, -1000), round(123.45e0, -1000), round(-1.5::FLOAT, -309);
SELECT round(123.5, 2147483647), round(123.5e0, 2147483647), round(123.5e0, -2147483648), trunc(5.5e0, -1000), trunc(5.5, -1000);
SELECT round(score, -400), round(score, -308), trunc(score, -309), round('inf'::DOUBLE, -309), round('nan'::DOUBLE, -400) FROM emp;
SELECT id, round(x, -30), round(x, -33), trunc(x, -31), round(y, -16), round(z, -19), trunc(z, -18) FROM big;
SELECT round(NULL), round(NULL, 1), round(1, NULL), trunc(NULL), floor(NULL), round(1.5, NULL) IS NULL;
SELECT * FROM flat WHERE word IN (SELECT e.v || f.word FROM empty e RIGHT JOIN flat f ON false);
SELECT max(v || 'x') AS x, count(*) FROM (SELECT NULL::VARCHAR AS v FROM flat) GROUP BY v || 'x' ORDER BY 1;
-- one value has no variance, whatever it is
SELECT var_pop(x), stddev_pop(x), var_samp(x) FROM (VALUES ('nan'::DOUBLE)) t(x);
SELECT g, var_pop(x), stddev_pop(x) OVER () FROM (VALUES (1, 'inf'::DOUBLE)) t(g, x) GROUP BY g, x;
SELECT var_pop(x) OVER (ORDER BY k ROWS CURRENT ROW), stddev_pop(x) OVER (ORDER BY k) FROM (VALUES (1, 'nan'::DOUBLE), (2, 1.5)) t(k, x);
SELECT stddev(x) = 0, var_pop(x) = 0 FROM (SELECT 0.1::DOUBLE AS x FROM n a, n b);
SELECT stddev(x), var_pop(x), stddev(x) OVER () FROM (SELECT 1e308::DOUBLE AS x FROM n a, n b) GROUP BY x;
SELECT g, stddev(x), var_samp(x) FROM (VALUES (1, 1e308::DOUBLE), (1, 1.1e308), (1, 1.2e308), (2, -1.7e308), (2, -1.7e308), (3, 1e200), (3, NULL), (3, 1e201)) t(g, x) GROUP BY g;
SELECT k, var_pop(x) OVER (ORDER BY k ROWS 1 PRECEDING), stddev(x) OVER (ORDER BY k) FROM (VALUES (1, 'inf'::DOUBLE), (2, 1), (3, 1), (4, '-inf'), (5, NULL), (6, '-inf'), (7, 'nan')) t(k, x);
SELECT g, var_pop(x) FROM (VALUES (1, 1e200::DOUBLE), (1, 'inf'), (2, 'inf'), (2, 'inf'), (3, 0), (3, 'nan'), (4, '-inf'), (4, 'inf')) t(g, x) GROUP BY g;
SELECT var_pop(x) OVER (ORDER BY k ROWS 6 PRECEDING), stddev(x) OVER (ORDER BY k ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING) FROM (SELECT 0.1::DOUBLE AS x, row_number() OVER () AS k FROM n a, n b);
-- the sign of a NaN shows in its text
SELECT left((acos(x))::VARCHAR, 4), left((asin(x))::VARCHAR, 4), left((sqrt(x))::VARCHAR, 4), left((atanh(x))::VARCHAR, 4), left((sinh(x))::VARCHAR, 4), left((cosh(x))::VARCHAR, 4), left((pow(x, 0.5))::VARCHAR, 4), left((x % 2)::VARCHAR, 4), left((2 % x)::VARCHAR, 4), left((atan2(x, 1))::VARCHAR, 4) FROM (VALUES (2e0), (-2e0), ('nan'::DOUBLE), ('-nan'::DOUBLE), ('inf'::DOUBLE), ('-inf'::DOUBLE), (NULL), (-0.5e0), (0e0)) v(x), n a, n b;
SELECT concat_ws('/', acos(score), sqrt(-score)), stddev(w) OVER (PARTITION BY g) || 'x' FROM emp, (VALUES (1, 'inf'::DOUBLE), (1, '-inf'), (2, 'nan'), (2, '1')) t(g, w);
SELECT extract(YEAR FROM NULL::DATE), date_part('hour', NULL::TIME) + 1, extract(EPOCH FROM NULL::TIMESTAMP), year(NULL::DATE), extract(YEAR FROM CASE WHEN false THEN hired END) FROM emp;
-- GROUP BY an integer beyond BIGINT is GROUP BY a constant
SELECT count(*) FROM emp GROUP BY 9223372036854775808;
SELECT dept, count(*) FROM emp GROUP BY ROLLUP (dept, -9223372036854775809);
SELECT count(*) FROM emp GROUP BY 170141183460469231731687303715884105727, (dept);
-- both refuse
SELECT count(*) FROM emp GROUP BY 9223372036854775807;
-- both refuse
SELECT count(*) FROM emp GROUP BY -9223372036854775808;
-- both refuse
SELECT id FROM emp ORDER BY 9223372036854775808;
-- WITH that nobody reads is not bound, but its names are known to differ
WITH c AS (SELECT nope FROM nowhere GROUP BY 'é', 2) SELECT 1;
-- both refuse
WITH c AS (SELECT 1), C AS (SELECT 2) SELECT 3;
-- an interval divided by zero
-- both refuse
SELECT INTERVAL 1 DAY / id FROM (VALUES (1.5::DOUBLE), (0)) t(id);
SELECT INTERVAL 1 DAY / id FROM (VALUES (1.5::DOUBLE), (NULL)) t(id);
-- a condition that fails for some rows does so for those alone that the conditions before it left
SELECT x FROM (VALUES ('1'), ('a'), ('2')) t(x) WHERE x <> 'a' AND x::INT > 0;
-- both refuse
SELECT x FROM (VALUES ('1'), ('a'), ('2')) t(x) WHERE x <> '1' AND x::INT > 0;
SELECT -0.0::DOUBLE, 1 / -0.0::DOUBLE IS NULL, true, NULL::BOOLEAN, NULL::DOUBLE, INTERVAL 3 DAYS, 99999999999999999999999999999999999999;
-- an interval is multiplied by 32 bits of a BIGINT
SELECT INTERVAL '1' MICROSECOND * -2147483648, INTERVAL '1' MICROSECOND * 3000000000::HUGEINT;
-- both refuse
SELECT INTERVAL '1' MICROSECOND * 2147483648;
-- both refuse
SELECT INTERVAL 0 DAYS * (id + 2147483647::BIGINT) FROM emp WHERE id > 0;
-- the day before the least one
-- both refuse
SELECT d - 2147483646 FROM (VALUES (DATE '1969-12-31')) t(d);
-- dates that may be no timestamps by their bounds
SELECT date_trunc('millisecond', d + k), date_trunc('day', d + k), date_trunc('month', d + k), date_trunc('decade', d + k) FROM (VALUES (DATE '2000-01-01', 5), (DATE '1999-12-31', -7), (NULL, 2147000000), (NULL, -2147000000), (DATE '5000-01-01', NULL)) t(d, k);
SELECT date_trunc('day', d), date_trunc('month', d) FROM (VALUES (DATE '200000-01-01'), ('260000-12-31 (BC)')) t(d);
SELECT date_trunc('month', m), date_trunc('century', m) FROM (VALUES (TIMESTAMP '250000-12-22 (BC) 00:00:01'), ('2024-02-29 12:00:00')) t(m);
-- types of what is made of NULL
SELECT abs(NULL) AS a, sum(NULL) AS s, sum(DISTINCT x) AS d, avg(NULL) AS v, round(NULL) AS r, sign(NULL) AS g, floor(NULL) AS f FROM (SELECT NULL AS x FROM emp) t;
SELECT abs(x) FROM (SELECT NULL AS x FROM emp) t UNION SELECT salary FROM emp;
SELECT sum(x) OVER () FROM (SELECT NULL AS x FROM emp) t;
-- the text around the parts of a format is read as it stands, the names of days and months in any case
SELECT try_strptime(s, 'A'), try_strptime(s, 'x%d Y'), try_strptime(s, '%B %d'), try_strptime(s, '%a %d') FROM (VALUES ('a'), ('A'), (' A '), ('x5 Y'), ('X5 Y'), ('mAY 5'), ('MON 3'), ('inf'), ('')) t(s);
SELECT '1e39'::FLOAT, '-1e39'::FLOAT, TRY_CAST('1e39' AS FLOAT), '1e400'::DOUBLE;
-- of negative texts an unsigned number is but -0, -00 and so on
SELECT s, TRY_CAST(s AS UTINYINT), TRY_CAST(s AS UBIGINT), TRY_CAST(s AS UHUGEINT), TRY_CAST(s AS TINYINT) FROM (VALUES ('-0'), ('-00'), (' -0'), ('-0 '), ('-0_0'), ('-0.'), ('-.0'), ('-0.0'), ('-0e1'), ('-0x0'), ('+0.0'), ('-0.4'), ('-1e-400')) t(s);
-- both refuse
SELECT '-0.0'::UTINYINT;
-- both refuse
SELECT s::UINT16 FROM (VALUES ('-0.0')) t(s);
-- single underscores stand between digits
SELECT s, TRY_CAST(s AS INTEGER), TRY_CAST(s AS UINTEGER), TRY_CAST(s AS DECIMAL(9, 2)), TRY_CAST(s AS DOUBLE) FROM (VALUES ('1_'), ('1__0'), ('1_.5'), ('1.5_'), ('1.5_0'), ('1.5__0'), ('1._5'), ('_1'), ('1_000_000'), ('0x1_'), ('0x_1'), ('0x1_1'), ('0x1__1'), ('1_e5'), ('1.5_e1')) t(s);
-- A decimal as a float is the nearest one, whatever its digits; an average divides once.
SELECT 0.41000000000000003::DOUBLE, x::DOUBLE, (-x)::DOUBLE, x::FLOAT, x * 1e0, sqrt(x) FROM (VALUES (0.41000000000000003::DECIMAL(18,17)), (0.99999999999999997), (NULL)) t(x);
SELECT x::DOUBLE, x::FLOAT, (-x)::DOUBLE FROM (VALUES (12345678901234567890123456789012345678::DECIMAL(38,0)), (16777217), (9007199254740993), (0)) t(x);
SELECT x::DOUBLE, x::FLOAT, x::HUGEINT::FLOAT, x::HUGEINT::DOUBLE FROM (VALUES (16777217.0000000001::DECIMAL(38,10)), (9007199254740993.0000000001), (0.3000000001), (NULL)) t(x);
SELECT x::DOUBLE, x::FLOAT FROM (VALUES (0.00000000000000000000000000000000000001::DECIMAL(38,38)), (0.41000000000000003)) t(x);
SELECT 0.00000000000000000000000000000000000003::DOUBLE, 0.00000000000000000000000007::DOUBLE, 16777217.0000000001::FLOAT, 16777217.01::DECIMAL(18,2)::FLOAT;
SELECT avg(x), avg(x / 10) FROM (VALUES (33333.33::DECIMAL(9,2)), (0.01), (70000.07), (17.17), (3.14), (2.71), (0.05)) t(x);
SELECT w, TRY_CAST(w AS DOUBLE), TRY_CAST(w AS FLOAT) FROM (VALUES ('+-1'), ('-+1'), ('++1'), ('+-1.5e3'), ('+-inf'), ('+ 1'), ('١'), ('1' || chr(160)), (chr(12288) || '1'), (' 1 '), ('1' || chr(28)), ('1_0'), ('1__0'), ('nan ')) v(w);
-- constants of which a cast may make NULL, beside others
SELECT coalesce(TRY_CAST(m AS INTEGER), n)::VARCHAR, coalesce(TRY_CAST(m AS TINYINT), n::TINYINT)::VARCHAR, coalesce(TRY_CAST(m AS DECIMAL(18, 6)), n)::VARCHAR, coalesce(TRY_CAST(m AS BIGINT), n) + 1 FROM (SELECT 7.0::DOUBLE AS m, 3 AS n);
SELECT CASE WHEN m > 5 THEN TRY_CAST(m AS INTEGER) ELSE 3 END::VARCHAR, coalesce(NULL::INTEGER, 3)::VARCHAR, CASE WHEN m > 9 THEN 3 END::VARCHAR FROM (SELECT 7.0::DOUBLE AS m);
SELECT coalesce(TRY_CAST((SELECT 5e11::DOUBLE) AS DECIMAL(18, 6)), (SELECT 1::DECIMAL(18, 6)))::VARCHAR, greatest(TRY_CAST(m AS INTEGER), 3)::VARCHAR, [TRY_CAST(m AS INTEGER), 3]::VARCHAR FROM (SELECT 7.0::DOUBLE AS m);
-- members next to the ends of 64 bits
SELECT x, x IN (-9223372036854775808, -9223372036854775806, -9223372036854775804, -9223372036854775802, -9223372036854775800, -9223372036854775798, -9223372036854775796, -9223372036854775794, -9223372036854775792) AS a, x IN (9223372036854775807, 9223372036854775805, 9223372036854775803, 9223372036854775801, 9223372036854775799, 9223372036854775797, 9223372036854775795, 9223372036854775793, 9223372036854775791) AS b, x * 1::HUGEINT NOT IN (-9223372036854775808, -9223372036854775806, -9223372036854775804, -9223372036854775802, -9223372036854775800, -9223372036854775798, -9223372036854775796, -9223372036854775794, -9223372036854775792) AS c FROM (VALUES (-9223372036854775808), (9223372036854775807), (NULL), (-9223372036854775804), (9223372036854775803), (9223372036854775804), (0)) t(x);
SELECT x FROM (VALUES (-9223372036854775808), (-9223372036854775807), (-9223372036854775804)) t(x) WHERE x IN (-9223372036854775808, -9223372036854775806, -9223372036854775804, -9223372036854775802, -9223372036854775800, -9223372036854775798, -9223372036854775796, -9223372036854775794, -9223372036854775792);
-- single _ between the digits of an exponent
SELECT '1_2e1_0'::BIGINT, '1_2.5e0_1'::DECIMAL(18, 2), '1e+0_1'::DOUBLE, '1e0_0'::FLOAT;
SELECT s, TRY_CAST(s AS BIGINT), TRY_CAST(s AS DECIMAL(9, 2)), TRY_CAST(s AS DOUBLE) FROM (VALUES ('1e1_'), ('1e_1'), ('1e1__0'), ('1e0_2')) t(s);
