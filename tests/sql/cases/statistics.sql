-- shapes of distributions
SELECT skewness(salary), kurtosis(salary), kurtosis_pop(salary), skewness(id), kurtosis(id), kurtosis_pop(id), sem(id), sem(salary) FROM emp;
SELECT dept, skewness(id), kurtosis_pop(salary), sem(salary), kurtosis(id) FROM emp GROUP BY dept;
SELECT skewness(k), kurtosis(d), kurtosis_pop(k), sem(d), fsum(k), favg(d), approx_count_distinct(v) FROM empty;
SELECT skewness(x), kurtosis(x), kurtosis_pop(x), sem(x) FROM (VALUES (1)) t(x);
SELECT skewness(x), kurtosis(x), kurtosis_pop(x), sem(x) FROM (VALUES (1), (3)) t(x);
SELECT skewness(x), kurtosis(x), kurtosis_pop(x), sem(x) FROM (VALUES (1), (3), (8)) t(x);
SELECT skewness(x), kurtosis(x), kurtosis_pop(x), sem(x) FROM (VALUES (3), (3), (3), (3)) t(x);
SELECT skewness(x) FILTER (WHERE x > 2), kurtosis(DISTINCT x), sem(DISTINCT x) FROM (VALUES (1), (3), (3), (9), (20), (21)) t(x);
SELECT dept, active, skewness(salary), kurtosis_pop(id), sem(id) FROM emp GROUP BY CUBE (dept, active);
SELECT id, skewness(id * id) OVER (ORDER BY id) AS a, kurtosis(id * id) OVER (ORDER BY id ROWS 4 PRECEDING) AS b, kurtosis_pop(salary) OVER (PARTITION BY active) AS c, sem(salary) OVER (ORDER BY id) AS d FROM emp;
SELECT sem(x) FROM (VALUES (3), ('inf'::DOUBLE), (3)) t(x);
-- both refuse
SELECT skewness(x) FROM (VALUES (3), ('inf'::DOUBLE), (3), (3)) t(x);
-- both refuse
SELECT kurtosis(x) FROM (VALUES (3), ('nan'::DOUBLE), (3), (3)) t(x);
-- both refuse
SELECT skewness(name) FROM emp;
-- both refuse
SELECT sem(true);
-- sums that carry along what is lost
SELECT fsum(score) FILTER (WHERE id < 7), favg(salary), kahan_sum(id), sumkahan(id), fsum(DISTINCT dept), favg(NULL) FROM emp;
SELECT dept, fsum(salary), favg(id) FROM emp GROUP BY dept;
SELECT fsum(x), favg(x) FROM (VALUES (1e16::DOUBLE), (1), (1), (-1e16)) t(x);
SELECT fsum(x), favg(x) FROM (VALUES ('inf'::DOUBLE), (1)) t(x);
SELECT id, fsum(salary) OVER (ORDER BY id) AS a, favg(salary) OVER (ORDER BY id ROWS 2 PRECEDING) AS b FROM emp;
-- both refuse
SELECT fsum(name) FROM emp;
-- with weights
SELECT weighted_avg(salary, id), wavg(id, score) FROM emp WHERE id < 7;
SELECT dept, weighted_avg(salary, boss) FROM emp GROUP BY dept;
SELECT weighted_avg(v, w) FROM (VALUES (1, 2), (NULL, 3), (4, NULL), (5, 1)) t(v, w);
SELECT weighted_avg(v, w) FROM (VALUES (1, 0)) t(v, w);
SELECT weighted_avg(k, d) FROM empty;
-- both refuse
SELECT weighted_avg(id, 2) FILTER (WHERE id > 3) FROM emp;
-- both refuse
SELECT weighted_avg(DISTINCT id, 2) FROM emp;
-- both refuse
SELECT geomean(id) FILTER (WHERE id > 3) FROM emp;
-- both refuse
SELECT weighted_avg(id) FROM emp;
-- averages of instants
SELECT avg(moment), avg(day), avg(moment::TIME), mean(moment) FROM events;
SELECT kind, avg(moment), avg(day), avg(moment::TIME) FILTER (WHERE id > 2) FROM events GROUP BY kind;
SELECT avg(x) FROM (VALUES (TIMESTAMP '1969-12-31 23:59:59.999999'), (TIMESTAMP '1969-12-31 23:59:59.999998')) t(x);
SELECT avg(x) FROM (VALUES (TIMESTAMP '294246-01-01'), (TIMESTAMP '290246-01-01'), (TIMESTAMP '290000-01-01')) t(x);
SELECT avg(DISTINCT hired), avg(hired) FILTER (WHERE false) FROM emp;
SELECT id, avg(hired) OVER (ORDER BY id) AS a, avg(hired) OVER (PARTITION BY dept) AS b, avg(DISTINCT hired) OVER (ORDER BY id) AS c FROM emp;
SELECT dept, active, avg(hired) FROM emp GROUP BY ROLLUP (dept, active);
-- both refuse
SELECT avg(name) FROM emp;
-- how many values differ, of few of them
SELECT approx_count_distinct(dept), approx_count_distinct(name), approx_count_distinct(salary), approx_count_distinct(score), approx_count_distinct(NULL) FROM emp;
SELECT active, approx_count_distinct(dept), approx_count_distinct(name) FILTER (WHERE id > 2) FROM emp GROUP BY active;
SELECT approx_count_distinct(x), approx_count_distinct(y) FROM big;
SELECT id, approx_count_distinct(dept) OVER (ORDER BY id) AS a, approx_count_distinct(name) OVER (PARTITION BY active) AS b FROM emp;
SELECT dept, active, approx_count_distinct(name) FROM emp GROUP BY CUBE (dept, active);
-- both refuse
SELECT approx_count_distinct(1, 2);
