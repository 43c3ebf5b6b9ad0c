-- aggregates over frames that have no way of their own there
SELECT id, median(salary) OVER (ORDER BY id) AS a, median(score) OVER (PARTITION BY dept ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS b, quantile_disc(name, 0.3) OVER (ORDER BY id ROWS 2 PRECEDING) AS c FROM emp;
SELECT id, median(salary) OVER (PARTITION BY dept) AS a, mode(name ORDER BY id) OVER (PARTITION BY active) AS b, string_agg(name, ',' ORDER BY id) OVER (PARTITION BY dept) AS c FROM emp;
SELECT id, string_agg(name, ',') OVER (ORDER BY id) AS a, string_agg(name, ',') OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) AS b, string_agg(name, '-' ORDER BY id DESC) OVER (ORDER BY id) AS c FROM emp;
SELECT id, count(DISTINCT dept) OVER (ORDER BY id) AS a, sum(DISTINCT salary) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) AS b, avg(DISTINCT boss) OVER (PARTITION BY active ORDER BY id) AS c FROM emp;
SELECT id, count(DISTINCT dept) FILTER (WHERE salary > 0) OVER (ORDER BY id) AS a, string_agg(DISTINCT name, ',' ORDER BY name) OVER (ORDER BY id) AS b FROM emp;
SELECT id, count(DISTINCT dept) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING EXCLUDE CURRENT ROW) AS a, median(id) OVER (ORDER BY dept NULLS LAST RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE GROUP) AS b, string_agg(name, ',') OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 3 FOLLOWING EXCLUDE TIES) AS c FROM emp;
SELECT id, mad(salary) OVER (ORDER BY id) AS a, entropy(name) OVER (ORDER BY id) AS b, mode(dept) OVER (ORDER BY id) AS c, quantile_cont(hired, 0.3) OVER (ORDER BY id) AS d FROM emp;
SELECT id, first_value(name ORDER BY salary, id) OVER (ORDER BY id) AS a, last_value(name ORDER BY salary, id) OVER (ORDER BY id) AS b, first(name ORDER BY id DESC) OVER (ORDER BY id) AS c, any_value(boss ORDER BY id) OVER (ORDER BY id) AS d FROM emp;
SELECT id, arg_min_null(boss, dept) OVER (ORDER BY id) AS a, arg_max(name, salary ORDER BY id DESC) OVER (ORDER BY id) AS b, arg_max_nulls_last(id, salary) OVER (PARTITION BY active ORDER BY id) AS c FROM emp;
SELECT id, bool_and(active) OVER (ORDER BY id) AS a, bool_or(active) OVER (ORDER BY id ROWS 1 PRECEDING) AS b, bit_xor(DISTINCT dept) OVER (ORDER BY id) AS c, product(DISTINCT id) OVER (ORDER BY id ROWS 2 PRECEDING) AS d FROM emp;
SELECT id, sum(salary ORDER BY id) OVER (ORDER BY id) AS a, quantile_cont(id, 0.25 ORDER BY id DESC) OVER (ORDER BY id) AS b, first_value(boss ORDER BY id DESC IGNORE NULLS) OVER (ORDER BY id) AS c FROM emp;
SELECT sum(k ORDER BY v) OVER () FROM n;
SELECT median(k) OVER (ORDER BY v) FROM empty;
SELECT k, v, median(v) OVER (PARTITION BY k ORDER BY v NULLS FIRST RANGE BETWEEN 5 PRECEDING AND 5 FOLLOWING) AS a FROM n;
-- tqp refuses
SELECT string_agg(DISTINCT name, ',' ORDER BY id) OVER (ORDER BY id) FROM emp;
-- both refuse
SELECT first_value(DISTINCT name) OVER (ORDER BY id) FROM emp;
-- frames as ranges of rows: what comes most often, distances from the median, lists
SELECT id, mode(dept) OVER w AS a, mode(name) OVER w AS b, mad(salary) OVER w AS c, mad(score) OVER w AS d, list(dept) OVER w AS e FROM emp WINDOW w AS (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING);
SELECT id, mode(dept) OVER w AS a, mad(id) OVER w AS b, list(name) OVER w AS c, mad(hired) OVER w AS d FROM emp WINDOW w AS (PARTITION BY active ORDER BY id);
SELECT id, mode(boss) FILTER (id <> 3) OVER w AS a, mad(boss) FILTER (id <> 3) OVER w AS b, list(boss) FILTER (id <> 3) OVER w AS c FROM emp WINDOW w AS (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW);
SELECT id, mode(dept) OVER w AS a, mad(id) OVER w AS b, list(id) OVER w AS c, string_agg(name, '-') OVER w AS d FROM emp WINDOW w AS (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING EXCLUDE CURRENT ROW);
SELECT id, mode(dept) OVER w AS a, mad(id) OVER w AS b, list(id) OVER w AS c, string_agg(name, '-') OVER w AS d FROM emp WINDOW w AS (ORDER BY id ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING);
SELECT id, list(id ORDER BY id DESC) OVER w AS a, list(DISTINCT dept ORDER BY dept) OVER w AS b, mode(dept ORDER BY dept DESC) OVER w AS c, mad(DISTINCT dept) OVER w AS d FROM emp WINDOW w AS (ORDER BY id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW);
SELECT k, mad(x) OVER (ORDER BY k ROWS 2 PRECEDING) AS a, mad(y) OVER (ORDER BY k ROWS 2 PRECEDING) AS b FROM (VALUES (1, 1.0::DOUBLE, 1.5), (2, 'inf', 2.25), (3, 'nan', NULL), (4, 2, 9.75), (5, '-inf', 3.5), (6, 7, 12345678901234567890.5)) t(k, x, y);
SELECT k, mode(x) OVER (ORDER BY k ROWS 2 PRECEDING) AS a, list(x) OVER (ORDER BY k RANGE 1 PRECEDING) AS b FROM (VALUES (1, [1, 2]), (2, [2]), (3, NULL), (4, [2]), (5, [1, 2])) t(k, x);
SELECT k, list(x) OVER (ORDER BY k ROWS 2 PRECEDING)[2] AS a, len(list(x) OVER (ORDER BY k)) AS b, list_sum(list(k) OVER (ORDER BY k)) AS c FROM (VALUES (1, {'a': 1}), (2, NULL), (3, {'a': 3})) t(k, x);
SELECT k, mad(x) OVER (ORDER BY k ROWS UNBOUNDED PRECEDING) AS a, mad(x) OVER (ORDER BY k ROWS 9 PRECEDING) AS b, mad(x::DOUBLE) OVER (ORDER BY k ROWS 6 PRECEDING) AS c, mad(x::DECIMAL(9, 2)) OVER (ORDER BY k ROWS BETWEEN 4 PRECEDING AND 4 FOLLOWING EXCLUDE GROUP) AS d FROM (SELECT i AS k, i * i * 7919 % 101 AS x FROM range(60) t(i));
SELECT k, mode(x) OVER (PARTITION BY k % 3 ORDER BY k) AS a, list(x) OVER (PARTITION BY k % 3 ORDER BY k ROWS 1 PRECEDING) AS b FROM (SELECT i AS k, i * 7 % 2 AS x FROM range(1, 40) t(i)) QUALIFY a + len(b) > 0 AND k % 2 = 1 AND k < 3;
-- a frame's sum of more than 38 digits
-- both refuse
SELECT sum(d) OVER (ORDER BY g) FROM (VALUES (1, '90000000000000000000000000000000000000'::DECIMAL(38, 0)), (2, '60000000000000000000000000000000000000')) t(g, d);
SELECT g, sum(d) OVER (ORDER BY g ROWS CURRENT ROW), sum(d) FILTER (g = 1) OVER (ORDER BY g), avg(d) OVER (ORDER BY g) FROM (VALUES (1, '90000000000000000000000000000000000000'::DECIMAL(38, 0)), (2, '60000000000000000000000000000000000000'), (3, NULL)) t(g, d) ORDER BY g;
