-- bits
SELECT bit_and(id), bit_or(id), bit_xor(id), bit_xor(dept) FROM emp;
SELECT dept, bit_and(id), bit_or(id), bit_xor(id), bit_or(DISTINCT boss) FROM emp GROUP BY dept;
SELECT bit_and(k), bit_or(k), bit_xor(k) FROM empty;
SELECT bit_and(x), bit_or(x), bit_xor(x) FROM (VALUES (-1::HUGEINT), (12345678901234567890123456789012345678), (NULL)) t(x);
SELECT bit_and(x), bit_or(x), bit_xor(x) FROM (VALUES (18446744073709551615::UBIGINT), (9223372036854775808), (1)) t(x);
SELECT bit_and(x), bit_or(x), bit_xor(x) FROM (VALUES ((-128)::TINYINT), (127), (NULL)) t(x);
SELECT bit_and(1::UTINYINT), bit_or(1::SMALLINT), bit_xor(NULL), bit_or(3 ORDER BY 1);
SELECT id, bit_or(id) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS a, bit_xor(id) OVER (ORDER BY id) AS b, bit_and(id) OVER (PARTITION BY dept) AS c FROM emp;
-- both refuse
SELECT bit_and(1.5);
-- both refuse
SELECT bit_or(true);
-- both refuse
SELECT bit_xor(name) FROM emp;
-- how many are true: NULL of none
SELECT count_if(active), countif(salary > 4000), count_if(NULL), count_if('true') FROM emp;
SELECT dept, count_if(salary > 4000), count_if(score IS NULL) FILTER (id > 2), count_if(DISTINCT active) FROM emp GROUP BY dept;
SELECT count_if(k > 0) FROM empty;
SELECT id, count_if(active) OVER (ORDER BY id) AS a, count_if(active) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS b FROM emp;
-- both refuse
SELECT count_if(1);
-- both refuse
SELECT count_if(1.5);
-- products
SELECT product(id), product(score), product(DISTINCT dept), product(1.5::DECIMAL(4,2)), product(NULL) FROM emp;
SELECT dept, product(salary), geomean(salary), geometric_mean(score) FROM emp GROUP BY dept;
SELECT product(k), geomean(d) FROM empty;
SELECT product(x), geomean(x) FROM (VALUES (0.0::DOUBLE), (2)) t(x);
SELECT product(x), geomean(x) FROM (VALUES (-1.0::DOUBLE), (2), ('nan')) t(x);
SELECT id, product(id) OVER (ORDER BY id) AS a, geomean(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS b FROM emp;
-- both refuse
SELECT product(name) FROM emp;
-- pairs
SELECT covar_pop(score, salary), covar_samp(score, salary), corr(score, salary), corr(salary, id) FROM emp;
SELECT dept, covar_pop(score, id), covar_samp(score, id), corr(score, id) FROM emp GROUP BY dept;
SELECT regr_count(score, id), regr_avgx(score, id), regr_avgy(score, id), regr_sxx(score, id), regr_syy(score, id), regr_sxy(score, id) FROM emp;
SELECT regr_slope(score, id), regr_intercept(score, id), regr_r2(score, id) FROM emp;
SELECT dept, regr_count(score, id), regr_slope(score, id), regr_intercept(score, id), regr_r2(score, id), regr_sxx(score, id) FROM emp GROUP BY dept;
SELECT covar_pop(k, d), covar_samp(k, d), corr(k, d), regr_count(k, d), regr_slope(k, d), regr_r2(k, d), regr_sxx(k, d), regr_avgx(k, d) FROM empty;
SELECT covar_pop(1, 2), covar_samp(1, 2), corr(1, 2), regr_slope(1, 2), regr_r2(1, 2), regr_count(1, NULL), regr_sxx(1, 2), regr_intercept(1, 2);
SELECT regr_r2(y, x), regr_slope(y, x), corr(y, x), regr_intercept(y, x) FROM (VALUES (1, 2), (1, 3)) t(y, x);
SELECT regr_r2(y, x), regr_slope(y, x), corr(y, x), regr_intercept(y, x) FROM (VALUES (1, 2), (3, 2)) t(y, x);
SELECT id, corr(score, id) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS a, regr_count(score, id) OVER (ORDER BY id) AS b, covar_pop(score, id) OVER (PARTITION BY dept) AS c FROM emp;
SELECT dept, active, regr_count(score, id), corr(score, id), bit_or(id), product(id) FROM emp GROUP BY ROLLUP (dept, active);
SELECT regr_avgx(y, x), regr_avgy(y, x), regr_r2(y, y), regr_slope(x, y) FROM (VALUES (0.1::DOUBLE, '-inf'::DOUBLE), (0.1, 1), (0.1, 2)) t(y, x);
-- both refuse
SELECT corr(id) FROM emp;
-- both refuse
SELECT corr(name, id) FROM emp;
-- the row of the least or greatest key; a NULL in either leaves the row out
SELECT arg_min(name, id), arg_max(name, salary), min_by(id, hired), max_by(salary, id), arg_min(score, id), argmax(active, id) FROM emp;
SELECT dept, arg_min(name, id), arg_max(name, id), arg_max(id, name), min_by(salary, id) FILTER (id > 2) FROM emp GROUP BY dept;
SELECT arg_min(x, y) FROM (VALUES (NULL, 1), (2, 5), (3, NULL)) t(x, y);
SELECT arg_min(x, y), arg_max(x, y) FROM (VALUES (1, 'nan'::DOUBLE), (2, 5), (3, '-inf')) t(x, y);
SELECT arg_min(k, v), arg_max(v, k) FROM empty;
SELECT arg_min(DISTINCT id, hired), arg_max(id, id) FROM emp;
SELECT arg_max(v, id), arg_min(w, id) FROM vec;
SELECT id, arg_min(name, id) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS a, arg_max(id, name) OVER (ORDER BY id) AS b, max_by(name, id) OVER (PARTITION BY dept) AS c FROM emp;
SELECT dept, active, arg_min(name, id), max_by(id, name) FROM emp GROUP BY CUBE (dept, active);
-- both refuse
SELECT arg_min(id) FROM emp;
-- Keys that are expressions of other keys; 0.0 and -0.0 are equal, but 1 / x of them is not, nor are a month and 30 days the same.
SELECT id, id - 1, id * 2 AS twice, count(*) FROM emp GROUP BY ALL;
SELECT id - 1, count(*) FROM emp GROUP BY id, id - 1, dept;
SELECT name, upper(name), name || '?', 3 AS three, sum(salary) FROM emp GROUP BY ALL;
SELECT x, 1 / x, count(*) FROM (VALUES (0.0::DOUBLE), (-0.0::DOUBLE), (0.0::DOUBLE), (2)) t(x) GROUP BY x, 1 / x ORDER BY ALL;
SELECT count(*) FROM (SELECT x, x::VARCHAR AS y FROM (VALUES (INTERVAL 1 MONTH), (INTERVAL 30 DAY)) t(x) GROUP BY x, x::VARCHAR);
-- DISTINCT aggregates beside others.
SELECT dept, count(DISTINCT boss), sum(DISTINCT salary), count(*), sum(salary), avg(DISTINCT score) FROM emp GROUP BY dept;
SELECT count(DISTINCT name), count(DISTINCT hired), sum(DISTINCT id) FILTER (active), count(name) FROM emp;
SELECT score, count(DISTINCT name) FILTER (id > 2), min(DISTINCT hired) FROM emp GROUP BY score;
SELECT count(DISTINCT v), sum(DISTINCT k) FROM empty;
SELECT k, count(DISTINCT v) FROM empty GROUP BY k;
-- Sums of a column and constants.
SELECT sum(id + 1), sum(id + 2), sum(id - 3), sum(id) FROM emp;
SELECT active, sum(dept + 1), sum(2 + dept), sum(dept) FROM emp GROUP BY active;
SELECT sum(z + 1), sum(z - 1) FROM big;
-- averages of intervals: months, days and microseconds by themselves
SELECT avg(x), mean(x) FROM (VALUES (INTERVAL '-25 months 7 days -5 microseconds'), (INTERVAL '0 days'), (INTERVAL '40 days'), (NULL)) t(x);
SELECT g, avg(x), avg(DISTINCT x), avg(x) FILTER (g > 1) FROM (VALUES (INTERVAL '25 months 7 days 5 microseconds', 1), (INTERVAL '0 days', 1), (INTERVAL '40 days', 2), (INTERVAL '-1 month 29 hours', 1), (NULL, 3)) t(x, g) GROUP BY g;
SELECT x, avg(x) OVER (ORDER BY x ROWS 1 PRECEDING), avg(x) OVER (), avg(x) OVER (ORDER BY x) FROM (VALUES (INTERVAL '1 month'), (INTERVAL '31 days'), (INTERVAL '1 day'), (NULL)) t(x);
SELECT avg(x) FROM (VALUES (INTERVAL '1 month')) t(x) WHERE false;
SELECT avg(to_days(id) + to_months(id % 3)), avg(age(hired, DATE '2000-01-01'::TIMESTAMP)) FROM emp;
SELECT dept, avg(to_days(id) - to_hours(id * 7)), avg(DISTINCT to_months(id)) FROM emp GROUP BY dept;
SELECT dept, active, avg(to_days(id) + to_microseconds(id)) FROM emp GROUP BY ROLLUP (dept, active);
SELECT list_avg([INTERVAL 1 day, INTERVAL 1 month]), avg(TIMESTAMP_S '2020-01-01'), avg(TIMESTAMP_NS '2020-01-01'), avg(TIME '10:00');
-- both refuse
SELECT avg(x) FROM (VALUES (INTERVAL '2147483647 months'), (INTERVAL '1 month')) t(x);
-- both refuse
SELECT avg(to_microseconds(x)) FROM (VALUES (9223372036854775807), (9223372036854775807)) t(x);
-- both refuse
SELECT sum(INTERVAL '3 days');

-- Bits of narrow and wide numbers side by side, with groups of NULL alone
SELECT i % 700 AS g, bit_and(x), bit_or(x), bit_xor(x), bit_and(h), bit_or(h), bit_xor(h), bit_or(w) FILTER (WHERE i % 3 = 0) FROM (SELECT i, w, CASE WHEN i % 700 > 5 AND i % 7 > 0 THEN (i * 7919 % 65537 - 30000)::INTEGER END AS x, CASE WHEN i % 2 = 0 THEN (i * 1000003)::HUGEINT * 1000000000000 * (1 - i % 3) END AS h FROM (SELECT i, (i % 251 - 128)::TINYINT AS w FROM range(20000) t(i))) GROUP BY g ORDER BY g;

-- Careful sums and products of many rows, with NULL, and of groups of NULL alone
SELECT g, round(fsum(x), 6), favg(y), product(z), fsum(y) FILTER (g % 2 = 0) FROM (SELECT i % 600 AS g, (i % 977) * 1e10 - i AS x, CASE WHEN i % 600 > 4 AND i % 3 > 0 THEN 1.0 + i % 7 END AS y, CASE WHEN i % 600 > 4 THEN 1 + (i % 2) END AS z FROM range(20000) t(i)) GROUP BY g ORDER BY g;
SELECT arg_max(i, k), arg_min(i, k), arg_max(i, -k) FROM (VALUES (1, 9223372036854775807), (2, -9223372036854775807), (3, NULL)) t(i, k);
SELECT g, arg_min(i, k), arg_max(i, k), first(i ORDER BY k, i), last(i ORDER BY k, i) FROM (SELECT i, i % 3 AS g, 9223372036854775807 - (i % 3) AS k FROM range(5000) t(i)) GROUP BY g ORDER BY g;
-- how many rows of several: as the first row says, which must not be NULL; a text of a number
SELECT min(v, x) FROM (VALUES (5, 2), (3, NULL), (4, 1)) t(v, x);
SELECT min(v, x), arg_max(v, v, x) FROM (VALUES (NULL, NULL), (3, 2), (4, 1)) t(v, x);
SELECT min(k, '2'), max(k, NULL) FILTER (WHERE k > 9), approx_top_k(w, NULL) FILTER (WHERE w > 'z') FROM m;
SELECT min(k, NULL), arg_min(k, v, NULL) FROM empty;
-- both refuse
SELECT min(k, NULL) FROM n;
-- both refuse
SELECT arg_max(k, v, NULL::BIGINT) FROM n;
-- both refuse
SELECT min(v, x) FROM (VALUES (5, NULL), (3, 2)) t(v, x);
-- both refuse
SELECT approx_top_k(k, NULL) FROM n;
-- both refuse
SELECT max(k, NULL) OVER () FROM n;
-- averages of decimals in their own type
SELECT dept, decimal_average(salary), decimal_average(DISTINCT salary), decimal_average(salary) FILTER (WHERE id > 3) FROM emp GROUP BY dept;
SELECT g, decimal_average(x), decimal_average(x::DECIMAL(38, 1)) FROM (VALUES (1, 1.5::DECIMAL(18, 1)), (1, 1.6), (2, -1.5), (2, -1.6), (3, NULL), (4, 1.0), (4, 1.1), (4, 1.1)) v(g, x) GROUP BY g;
SELECT id, decimal_average(salary) OVER (ORDER BY id ROWS 1 PRECEDING) FROM emp;
-- both refuse
SELECT decimal_average(id) FROM emp;
