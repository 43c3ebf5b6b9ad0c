-- DISTINCT over frames
SELECT id, count(DISTINCT salary) OVER (ORDER BY id), sum(DISTINCT salary) OVER (PARTITION BY dept ORDER BY id), avg(DISTINCT id % 3) OVER (ORDER BY id DESC) FROM emp;
SELECT id, count(DISTINCT dept) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING), sum(DISTINCT dept) OVER (ORDER BY id ROWS 2 PRECEDING) FROM emp;
SELECT id, count(DISTINCT name) OVER (ORDER BY dept), count(DISTINCT active) OVER (ORDER BY hired RANGE BETWEEN INTERVAL 1 YEAR PRECEDING AND CURRENT ROW) FROM emp;
SELECT id, sum(DISTINCT score) OVER (ORDER BY id ROWS 3 PRECEDING), stddev(DISTINCT salary) OVER (ORDER BY id ROWS BETWEEN 4 PRECEDING AND 1 PRECEDING), max(DISTINCT name) OVER (ORDER BY id ROWS 2 PRECEDING) FROM emp WHERE id <> 7;
SELECT id, sum(DISTINCT dept) OVER (ORDER BY id ROWS BETWEEN id % 4 PRECEDING AND id % 3 FOLLOWING), avg(DISTINCT score) OVER (ORDER BY id ROWS BETWEEN id % 4 PRECEDING AND 5 - id % 3 FOLLOWING) FROM emp WHERE id <> 7;
SELECT id, count(DISTINCT salary) FILTER (WHERE active) OVER (ORDER BY id ROWS 3 PRECEDING), sum(DISTINCT dept) FILTER (WHERE id > 2) OVER (ORDER BY id) FROM emp;
SELECT id, count(DISTINCT salary) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING EXCLUDE CURRENT ROW), sum(DISTINCT dept) OVER (ORDER BY salary GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE GROUP), sum(DISTINCT salary) OVER (ORDER BY dept ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES) FROM emp;
SELECT id, bit_xor(DISTINCT dept) OVER (ORDER BY id ROWS 4 PRECEDING), bool_and(DISTINCT active) OVER (ORDER BY id), product(DISTINCT dept) OVER (ORDER BY id ROWS 3 PRECEDING) FROM emp;
SELECT id, sum(DISTINCT z) OVER (ORDER BY id ROWS 1 PRECEDING), sum(DISTINCT x) OVER (ORDER BY id), count(DISTINCT y) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM big;
SELECT count(DISTINCT v) OVER (ORDER BY k ROWS 1 PRECEDING), sum(DISTINCT d) OVER (ORDER BY k) FROM empty;
SELECT id FROM emp QUALIFY count(DISTINCT dept) OVER (ORDER BY id) > 2;
SELECT sum(DISTINCT k ORDER BY k) OVER (ORDER BY v), count(DISTINCT k ORDER BY v) OVER (ORDER BY v) FROM n;
-- quantiles over frames
SELECT id, median(salary) OVER (ORDER BY id), median(score) OVER (ORDER BY id ROWS 2 PRECEDING), median(hired) OVER (PARTITION BY active ORDER BY id), median(name) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING) FROM emp;
SELECT id, quantile_cont(salary, 0.3) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING), quantile_disc(name, 0.75) OVER (ORDER BY id), quantile_cont(id, [0.25, 0.5, 1]) OVER (ORDER BY dept) FROM emp;
SELECT id, median(id) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING EXCLUDE CURRENT ROW), quantile_disc(id, 0.9) OVER (ORDER BY dept GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE TIES), median(salary) FILTER (WHERE active) OVER (ORDER BY id ROWS 3 PRECEDING), median(DISTINCT dept) OVER (ORDER BY id) FROM emp;
SELECT id, median(salary) FILTER (WHERE id > 99) OVER (ORDER BY id), quantile_disc(x, 0.5) OVER (ORDER BY id), median(z) OVER (ORDER BY id DESC ROWS 1 PRECEDING) FROM big, (SELECT 1 AS salary) q;
SELECT median(k) OVER (ORDER BY k), quantile_cont(d, 0.5) OVER (ORDER BY k ROWS 1 PRECEDING) FROM empty;
-- ORDER BY inside
SELECT id, rank(ORDER BY salary) OVER (ORDER BY id), row_number(ORDER BY salary DESC, id) OVER (PARTITION BY dept), percent_rank(ORDER BY salary) OVER (ORDER BY id), cume_dist(ORDER BY salary DESC) OVER (ORDER BY id) FROM emp;
SELECT id, rank(ORDER BY score) OVER (ORDER BY id ROWS 3 PRECEDING), row_number(ORDER BY name, id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING), rank(ORDER BY name) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING) FROM emp;
SELECT id, percent_rank(ORDER BY name) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING), cume_dist(ORDER BY name) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) FROM emp;
SELECT id, ntile(2 ORDER BY id DESC) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING), ntile(3 ORDER BY salary, id) OVER (), ntile(2 ORDER BY id DESC) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING) FROM emp;
SELECT id, first_value(name ORDER BY salary, id) OVER (ORDER BY id), last_value(name ORDER BY salary, id) OVER (ORDER BY id ROWS 3 PRECEDING), nth_value(name, 2 ORDER BY salary DESC, id) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING) FROM emp;
SELECT id, first_value(salary ORDER BY name, id IGNORE NULLS) OVER (ORDER BY id ROWS 2 PRECEDING), last_value(score ORDER BY name, id IGNORE NULLS) OVER (ORDER BY id), nth_value(name, 2 ORDER BY salary, id IGNORE NULLS) OVER (ORDER BY id) FROM emp;
SELECT id, first_value(id ORDER BY salary DESC, id) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING EXCLUDE CURRENT ROW), nth_value(id, id % 3 ORDER BY salary, id) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING EXCLUDE TIES) FROM emp;
SELECT id, any_value(boss ORDER BY salary, id) OVER (ORDER BY id ROWS 3 PRECEDING), first(name ORDER BY id DESC) OVER (), last(name ORDER BY salary, id) OVER (PARTITION BY active) FROM emp;
SELECT id, lead(name ORDER BY salary, id) OVER (ORDER BY id), lag(name, 1, 'none' ORDER BY salary, id) OVER (ORDER BY id ROWS 3 PRECEDING), lag(name, 2 ORDER BY id DESC) OVER (PARTITION BY active) FROM emp;
SELECT id, lead(salary, id % 3, -1 ORDER BY name, id IGNORE NULLS) OVER (ORDER BY id), lag(id, NULL ORDER BY name, id) OVER (), lead(id, -1 ORDER BY name, id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING) FROM emp;
SELECT id, sum(salary ORDER BY id) OVER (ORDER BY id), max(name ORDER BY id DESC) OVER () FROM emp;
SELECT id, rank(ORDER BY 1) OVER (ORDER BY id), percent_rank(ORDER BY 'x') OVER (), first_value(id ORDER BY 2, id DESC) OVER () FROM emp;
SELECT rank(ORDER BY d) OVER (ORDER BY k), first_value(v ORDER BY d) OVER (), lag(v, 1, 'x' ORDER BY d) OVER (), fill(d ORDER BY k) OVER () FROM empty;
SELECT * FROM (SELECT id, row_number(ORDER BY salary, id) OVER (ORDER BY id ROWS 2 PRECEDING) AS r FROM emp) q WHERE r <= 1;
-- fill
SELECT id, fill(salary) OVER (ORDER BY id), fill(hired) OVER (ORDER BY id), fill(score) OVER (ORDER BY id DESC), fill(dept) OVER (PARTITION BY active ORDER BY id) FROM emp;
SELECT id, fill(dept ORDER BY id) OVER (), fill(boss ORDER BY -id) OVER (ORDER BY salary, id), fill(id) OVER (ORDER BY id) FROM emp;
SELECT x, fill(v) OVER (ORDER BY x), fill(v) OVER (ORDER BY x DESC), fill(v ORDER BY x) OVER (ORDER BY -x), fill(v) OVER (ORDER BY x ROWS 1 PRECEDING) FROM (VALUES (0, NULL), (1, 10), (2, NULL), (3, 4), (3.5, NULL), (9, NULL), (NULL, NULL)) t(x, v);
SELECT x, fill(v::TINYINT) OVER (ORDER BY x), fill(v::HUGEINT) OVER (ORDER BY x), fill(v::DECIMAL(8, 2)) OVER (ORDER BY x), fill(v::DECIMAL(30, 2)) OVER (ORDER BY x), fill(v::FLOAT) OVER (ORDER BY x), fill(v::UBIGINT) OVER (ORDER BY x) FROM (VALUES (0, NULL), (1, 1), (2, 127), (2.25, NULL), (9, NULL)) t(x, v);
SELECT x, fill(v) OVER (ORDER BY x) FROM (VALUES (1.0::DOUBLE, 1.0::DOUBLE), (2, NULL), (3, 'nan'), (4, 'inf'), (5, 3), (6, NULL), ('nan', NULL), ('inf', NULL), ('-inf', NULL), (NULL, NULL)) t(x, v);
SELECT x, fill(v) OVER (ORDER BY x) FROM (VALUES (1, NULL), (2, 7), (3, NULL)) t(x, v);
SELECT x, fill(v) OVER (PARTITION BY x % 2 ORDER BY x) FROM (VALUES (1, NULL), (2, NULL), (3, 5), (4, NULL), (5, 1), (7, NULL)) t(x, v);
SELECT x, fill(v) OVER (ORDER BY x) FROM (VALUES (DATE '2020-01-01', TIMESTAMP '2020-01-01 10:00:00'), ('2020-01-03', NULL), ('2020-01-09', '2020-01-02 11:00:00'), ('infinity', NULL), ('2020-02-01', NULL)) t(x, v);
SELECT x, fill(v) OVER (ORDER BY x) FROM (VALUES (1, TIME '10:00'), (2, NULL), (3, TIME '11:00'), (9, NULL)) t(x, v);
SELECT x, fill(v) OVER (ORDER BY x) FROM (VALUES (0, DATE 'infinity'), (1, NULL), (2, '2020-01-01'), (3, '2020-02-01'), (4, NULL), (-1, NULL)) t(x, v);
-- frames that begin with GROUPS
SELECT id, sum(id) OVER (GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW), sum(id) OVER (groups UNBOUNDED PRECEDING), count(*) OVER w FROM emp WINDOW w AS (GROUPS CURRENT ROW);
SELECT id, sum(id) OVER (groups) FROM emp WINDOW groups AS (ORDER BY id);
SELECT id, sum(id) OVER (ROWS CURRENT ROW EXCLUDE CURRENT ROW), sum(id) OVER (RANGE CURRENT ROW EXCLUDE NO OTHERS) FROM emp;
-- windows over grouping sets
SELECT dept, grouping(dept), rank() OVER (PARTITION BY grouping(dept) ORDER BY sum(salary)), sum(count(*)) OVER () FROM emp GROUP BY ROLLUP (dept);
SELECT dept, active, row_number() OVER (PARTITION BY grouping(dept, active) ORDER BY sum(id), dept, active), count(DISTINCT dept) OVER (ORDER BY sum(id), dept, active) FROM emp GROUP BY CUBE (dept, active);
SELECT dept, lag(sum(id)) OVER w, first_value(dept ORDER BY sum(id), dept) OVER w FROM emp GROUP BY GROUPING SETS ((dept), ()) WINDOW w AS (ORDER BY grouping(dept), dept);
-- what DuckDB refuses
-- both refuse
SELECT dense_rank(ORDER BY id) OVER (ORDER BY id) FROM emp;
-- both refuse
SELECT rank(ORDER BY id) OVER (ORDER BY id ROWS 1 PRECEDING EXCLUDE CURRENT ROW) FROM emp;
-- both refuse
SELECT lag(id ORDER BY -id) OVER (ORDER BY id ROWS 1 PRECEDING EXCLUDE TIES) FROM emp;
-- both refuse
SELECT first_value(id) FILTER (WHERE active) OVER (ORDER BY id) FROM emp;
-- both refuse
SELECT first_value(DISTINCT id) OVER (ORDER BY id) FROM emp;
-- both refuse
SELECT sum(id RESPECT NULLS) OVER (ORDER BY id) FROM emp;
-- both refuse
SELECT any_value(id IGNORE NULLS) OVER (ORDER BY id) FROM emp;
-- both refuse
SELECT fill(id IGNORE NULLS) OVER (ORDER BY id) FROM emp;
-- both refuse
SELECT fill(id) OVER (ORDER BY id, dept) FROM emp;
-- both refuse
SELECT fill(id) OVER () FROM emp;
-- both refuse
SELECT fill(id ORDER BY id, dept) OVER () FROM emp;
-- both refuse
SELECT fill(name) OVER (ORDER BY id) FROM emp;
-- both refuse
SELECT fill(id) OVER (ORDER BY name) FROM emp;
-- both refuse
SELECT fill(id, 2) OVER (ORDER BY id) FROM emp;
-- both refuse
SELECT fill(id) FROM emp;
-- both refuse
SELECT sum(id) OVER (groups ORDER BY id) FROM emp WINDOW groups AS (PARTITION BY dept);
-- both refuse
SELECT sum(id) OVER (GROUPS) FROM emp;

-- A row behind those of its frame is in the tile of the last of them.
SELECT i, ntile(3 ORDER BY -i) OVER (ORDER BY i ROWS BETWEEN 2 FOLLOWING AND 5 FOLLOWING),
  ntile(9 ORDER BY i) OVER (ORDER BY i ROWS BETWEEN 5 PRECEDING AND 2 PRECEDING) FROM range(9) t(i);
