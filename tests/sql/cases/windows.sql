SELECT id, row_number() OVER (ORDER BY id) FROM emp;
SELECT id, row_number() OVER (PARTITION BY dept ORDER BY id DESC) AS r FROM emp;
SELECT id, rank() OVER (ORDER BY dept), dense_rank() OVER (ORDER BY dept) FROM emp;
SELECT id, rank() OVER (ORDER BY salary DESC NULLS FIRST) AS r, dense_rank() OVER (ORDER BY salary DESC) AS d FROM emp;
SELECT id, percent_rank() OVER (PARTITION BY dept ORDER BY salary), cume_dist() OVER (PARTITION BY dept ORDER BY salary) FROM emp;
SELECT id, rank() OVER (ORDER BY score), rank() OVER (ORDER BY score DESC) FROM emp;
SELECT id, rank() OVER (), dense_rank() OVER (), percent_rank() OVER (), cume_dist() OVER () FROM emp;
SELECT id, ntile(3) OVER (ORDER BY id), ntile(100) OVER (ORDER BY id), ntile(1) OVER (ORDER BY id DESC) FROM emp;
SELECT id, ntile(2) OVER (PARTITION BY dept ORDER BY id), ntile(NULL) OVER (ORDER BY id), ntile(id) OVER (ORDER BY id) FROM emp;
SELECT id, sum(salary) OVER (PARTITION BY dept), count(*) OVER (PARTITION BY dept), avg(salary) OVER () FROM emp;
SELECT id, sum(id) OVER (), min(name) OVER (PARTITION BY active), max(hired) OVER (PARTITION BY dept) FROM emp;
SELECT id, stddev(salary) OVER (PARTITION BY dept), bool_and(active) OVER (PARTITION BY dept), count(DISTINCT name) OVER () FROM emp;
SELECT id, salary / sum(salary) OVER () AS share, salary - avg(salary) OVER (PARTITION BY dept) AS off FROM emp;
SELECT id, sum(salary) OVER (ORDER BY id), count(salary) OVER (ORDER BY id), avg(salary) OVER (ORDER BY id) FROM emp;
SELECT id, sum(id) OVER (ORDER BY dept), count(*) OVER (ORDER BY dept), max(id) OVER (ORDER BY dept DESC) FROM emp;
SELECT id, min(salary) OVER (ORDER BY id), max(salary) OVER (ORDER BY id), min(name) OVER (ORDER BY id), max(name) OVER (ORDER BY id DESC) FROM emp;
SELECT id, min(score) OVER (ORDER BY id), max(score) OVER (ORDER BY id), sum(score) OVER (ORDER BY id), avg(score) OVER (ORDER BY id) FROM emp;
SELECT id, sum(score) OVER (ORDER BY id ROWS 1 PRECEDING), max(score) OVER (ORDER BY id ROWS 1 PRECEDING), min(score) OVER (ORDER BY id DESC ROWS 1 PRECEDING) FROM emp;
SELECT id, stddev(salary) OVER (ORDER BY id ROWS 2 PRECEDING), var_pop(score) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING) FROM emp WHERE id <> 7;
SELECT id, stddev_pop(id) OVER (ORDER BY id), var_samp(salary) OVER (PARTITION BY dept ORDER BY id) FROM emp;
SELECT id, bool_and(active) OVER (ORDER BY id), bool_or(active) OVER (ORDER BY id DESC ROWS 1 PRECEDING) FROM emp;
SELECT id, min(active) OVER (ORDER BY id), max(active) OVER (ORDER BY id), min(hired) OVER (ORDER BY id ROWS 2 PRECEDING) FROM emp;
SELECT id, count(*) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING), sum(id) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) FROM emp;
SELECT id, count(*) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING), sum(id) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM emp;
SELECT id, sum(id) OVER (PARTITION BY dept ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM emp;
SELECT id, sum(id) OVER (ORDER BY id ROWS id PRECEDING), sum(id) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND id FOLLOWING) FROM emp;
SELECT id, count(*) OVER (ORDER BY id ROWS 9223372036854775807 PRECEDING), count(*) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 9223372036854775807 FOLLOWING) FROM emp;
SELECT id, count(*) OVER (ORDER BY id ROWS BETWEEN 9223372036854775807 FOLLOWING AND 9223372036854775807 FOLLOWING) FROM emp;
SELECT id, sum(id) OVER (ORDER BY dept GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING), count(*) OVER (ORDER BY dept GROUPS CURRENT ROW) FROM emp;
SELECT id, sum(id) OVER (ORDER BY dept DESC GROUPS BETWEEN 1 FOLLOWING AND 2 FOLLOWING), sum(id) OVER (ORDER BY dept GROUPS BETWEEN 2 PRECEDING AND 1 PRECEDING) FROM emp;
SELECT id, sum(id) OVER (PARTITION BY active ORDER BY dept GROUPS BETWEEN 5 PRECEDING AND CURRENT ROW) FROM emp;
SELECT id, sum(id) OVER (ORDER BY dept RANGE BETWEEN 10 PRECEDING AND CURRENT ROW), count(*) OVER (ORDER BY dept RANGE BETWEEN 10 PRECEDING AND 10 FOLLOWING) FROM emp;
SELECT id, count(*) OVER (ORDER BY dept DESC RANGE BETWEEN 10 PRECEDING AND 5 PRECEDING), count(*) OVER (ORDER BY dept NULLS FIRST RANGE BETWEEN UNBOUNDED PRECEDING AND 5 PRECEDING) FROM emp;
SELECT id, count(*) OVER (ORDER BY dept DESC NULLS FIRST RANGE BETWEEN CURRENT ROW AND 15 FOLLOWING), count(*) OVER (ORDER BY dept RANGE BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) FROM emp;
SELECT id, count(*) OVER (ORDER BY salary RANGE BETWEEN 4000 PRECEDING AND 0.5 FOLLOWING), sum(salary) OVER (ORDER BY salary DESC RANGE BETWEEN 2765.44 PRECEDING AND CURRENT ROW) FROM emp;
SELECT id, count(*) OVER (ORDER BY score RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING), count(*) OVER (ORDER BY score DESC RANGE BETWEEN 0.5 PRECEDING AND CURRENT ROW) FROM emp;
SELECT id, count(*) OVER (ORDER BY hired RANGE BETWEEN INTERVAL 1 YEAR PRECEDING AND CURRENT ROW), count(*) OVER (ORDER BY hired DESC RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND INTERVAL 1 MONTH FOLLOWING) FROM emp;
SELECT id, count(*) OVER (ORDER BY hired RANGE BETWEEN 1 PRECEDING AND CURRENT ROW), count(*) OVER (PARTITION BY dept ORDER BY hired RANGE BETWEEN 400 PRECEDING AND 400 FOLLOWING) FROM emp;
SELECT id, count(*) OVER (ORDER BY moment RANGE BETWEEN INTERVAL '1 day' PRECEDING AND CURRENT ROW) FROM events;
SELECT id, sum(amount) OVER (ORDER BY id), max(amount) OVER (ORDER BY id ROWS 1 PRECEDING), min(kind) OVER (ORDER BY id ROWS 2 PRECEDING) FROM events;
SELECT id, count(*) OVER (ORDER BY dept RANGE BETWEEN id PRECEDING AND CURRENT ROW) FROM emp;
SELECT id, count(*) OVER (ORDER BY dept, id RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING), sum(id) OVER (RANGE CURRENT ROW) FROM emp;
SELECT id, count(*) OVER (ORDER BY dept ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), sum(id) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM emp;
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING EXCLUDE CURRENT ROW) FROM emp;
SELECT id, sum(id) OVER (ORDER BY dept, salary ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE GROUP) FROM emp;
SELECT id, sum(id) OVER (ORDER BY dept GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE TIES), min(id) OVER (ORDER BY dept GROUPS BETWEEN 1 FOLLOWING AND 2 FOLLOWING EXCLUDE GROUP) FROM emp;
SELECT id, max(score) OVER (ORDER BY dept GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE GROUP), avg(score) OVER (ORDER BY dept RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES) FROM emp WHERE id <> 7;
SELECT id, first_value(name) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW), last_value(name) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW), nth_value(id, 2) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) FROM emp;
SELECT id, lag(name) OVER (ORDER BY id), lead(name) OVER (ORDER BY id), lag(salary, 2) OVER (PARTITION BY dept ORDER BY id) FROM emp;
SELECT id, lag(salary, 1, 0) OVER (ORDER BY id), lead(salary, 3, id) OVER (ORDER BY id), lag(name, 1, 'none') OVER (PARTITION BY dept ORDER BY id) FROM emp;
SELECT id, lag(id, -1) OVER (ORDER BY id), lead(id, -2) OVER (ORDER BY id), lag(id, 0) OVER (ORDER BY id), lag(id, id - 3) OVER (ORDER BY id), lag(id, NULL) OVER (ORDER BY id), lag(id, NULL, 5) OVER (ORDER BY id) FROM emp;
SELECT id, lag(id, 9223372036854775807) OVER (ORDER BY id), lead(id, -9223372036854775808) OVER (ORDER BY id), lag(id, 1, 99.5) OVER (ORDER BY id) FROM emp;
SELECT id, lag(salary IGNORE NULLS) OVER (ORDER BY id), lead(salary IGNORE NULLS) OVER (ORDER BY id), lag(score, 2 IGNORE NULLS) OVER (PARTITION BY dept ORDER BY id) FROM emp;
SELECT id, lag(boss, 0 IGNORE NULLS) OVER (ORDER BY id), lag(name, -1 IGNORE NULLS) OVER (ORDER BY id), lead(name, 2, 'end' IGNORE NULLS) OVER (ORDER BY id), lag(name RESPECT NULLS) OVER (ORDER BY id) FROM emp;
SELECT id, first_value(name) OVER (ORDER BY id), last_value(name) OVER (ORDER BY id), nth_value(name, 2) OVER (ORDER BY id) FROM emp;
SELECT id, first_value(salary) OVER (PARTITION BY dept ORDER BY id), last_value(salary) OVER (PARTITION BY dept ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM emp;
SELECT id, first_value(name IGNORE NULLS) OVER (ORDER BY id DESC), last_value(salary IGNORE NULLS) OVER (ORDER BY id), nth_value(salary, 3 IGNORE NULLS) OVER (ORDER BY id) FROM emp;
SELECT id, nth_value(id, 0) OVER (ORDER BY id), nth_value(id, -1) OVER (ORDER BY id), nth_value(id, NULL) OVER (ORDER BY id), nth_value(id, id) OVER (ORDER BY id DESC) FROM emp;
SELECT id, first_value(hired) OVER (ORDER BY id ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING), last_value(score) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING) FROM emp;
SELECT id, first(name) OVER (ORDER BY id), last(salary) OVER (ORDER BY id), any_value(boss) OVER (ORDER BY id), any_value(boss) OVER (ORDER BY id ROWS 1 PRECEDING) FROM emp;
SELECT id, sum(id) FILTER (WHERE active) OVER (ORDER BY id), count(*) FILTER (WHERE dept = 10) OVER (ORDER BY id), count(*) FILTER (WHERE dept = 10) OVER (), any_value(id) FILTER (WHERE dept = 20) OVER (ORDER BY id) FROM emp;
SELECT id, avg(salary) FILTER (WHERE active) OVER (PARTITION BY dept), sum(DISTINCT salary) OVER (PARTITION BY dept), count(DISTINCT dept) FILTER (WHERE active) OVER () FROM emp;
SELECT sum(v) OVER (ORDER BY v ROWS UNBOUNDED PRECEDING) FROM (SELECT DISTINCT v FROM n) q;
SELECT k, v, sum(v) OVER (PARTITION BY k), count(v) OVER (PARTITION BY k), count(*) OVER (PARTITION BY k, v), rank() OVER (PARTITION BY k ORDER BY v) FROM n;
SELECT row_number() OVER (ORDER BY v), sum(d) OVER (ORDER BY k), lag(v) OVER (PARTITION BY k ORDER BY d), min(v) OVER () FROM empty;
SELECT count(*) OVER (), sum(d) OVER (ORDER BY k ROWS 1 PRECEDING) FROM empty WHERE k > 3;
SELECT row_number() OVER () AS r, sum(1) OVER () AS s, percent_rank() OVER () AS p, lag(1) OVER () AS l;
SELECT sum(z) OVER (ORDER BY id), min(z) OVER (ORDER BY id), avg(z) OVER (ORDER BY id ROWS 2 PRECEDING) FROM big;
SELECT sum(x) OVER (ORDER BY id ROWS 1 PRECEDING), max(x) OVER (ORDER BY id ROWS 1 PRECEDING), min(x) OVER (ORDER BY id), avg(x) OVER (ORDER BY id) FROM big;
SELECT sum(z::HUGEINT * z) OVER (ORDER BY id ROWS 1 PRECEDING), sum(y) OVER (ORDER BY id), lag(x) OVER (ORDER BY id), first_value(x) OVER (ORDER BY id DESC) FROM big;
SELECT id, sum(salary) OVER w, row_number() OVER w FROM emp WINDOW w AS (PARTITION BY dept ORDER BY id);
SELECT id, sum(id) OVER (w ORDER BY id), sum(id) OVER (w), count(*) OVER v, sum(id) OVER (v ROWS 1 PRECEDING) FROM emp WINDOW w AS (PARTITION BY dept), v AS (w ORDER BY id DESC);
SELECT dept, sum(sum(salary)) OVER (ORDER BY dept), rank() OVER (ORDER BY sum(salary) DESC), count(*) OVER () FROM emp GROUP BY dept;
SELECT dept, sum(salary) AS s, sum(salary) / sum(sum(salary)) OVER () AS share, lag(count(*)) OVER (ORDER BY dept) FROM emp GROUP BY dept ORDER BY rank() OVER (ORDER BY sum(salary)), dept;
SELECT sum(sum(salary)) OVER () FROM emp;
SELECT dept, count(*) OVER () FROM emp GROUP BY ALL;
SELECT dept % 20 AS r, max(dept % 20) OVER (), row_number() OVER (ORDER BY dept % 20) FROM emp GROUP BY dept % 20;
SELECT dept, count(*), rank() OVER w FROM emp GROUP BY dept WINDOW w AS (ORDER BY count(*) DESC, dept);
SELECT dept, sum(salary) FROM emp GROUP BY dept HAVING count(*) > 1 QUALIFY row_number() OVER (ORDER BY sum(salary)) <= 2;
SELECT id, dept FROM emp QUALIFY row_number() OVER (PARTITION BY dept ORDER BY salary DESC, id) = 1;
SELECT id, row_number() OVER (ORDER BY salary DESC, id) AS r FROM emp QUALIFY r <= 3 ORDER BY r;
SELECT id, sum(id) OVER (PARTITION BY dept) AS s FROM emp WHERE id > 1 QUALIFY s > 3 AND id < 8;
SELECT DISTINCT count(*) OVER (PARTITION BY dept) FROM emp;
SELECT id FROM emp ORDER BY row_number() OVER (ORDER BY salary DESC, id);
SELECT id, sum(id) OVER (ORDER BY id) AS run FROM emp ORDER BY run DESC LIMIT 3;
SELECT id, row_number() OVER (ORDER BY id DESC) AS r, r + 1 AS next FROM emp;
SELECT id + 1 AS r, row_number() OVER (ORDER BY r DESC) FROM emp;
SELECT * FROM (SELECT id, dept, row_number() OVER (PARTITION BY dept ORDER BY id) AS r FROM emp) q WHERE dept = 10 AND r > 1;
SELECT * FROM (SELECT *, rank() OVER (PARTITION BY dept ORDER BY salary DESC) AS r, sum(salary) OVER (PARTITION BY active) AS s FROM emp) q WHERE dept > 10 AND active;
SELECT e.id, d.title, rank() OVER (PARTITION BY d.city ORDER BY e.salary DESC, e.id) FROM emp e JOIN dept d ON e.dept = d.id;
SELECT id, CASE WHEN row_number() OVER (ORDER BY id) % 2 = 0 THEN lag(id) OVER (ORDER BY id) ELSE -1 END AS c FROM emp;
SELECT id, sum(salary * 2 + id) OVER (ORDER BY id), max(upper(name)) OVER (PARTITION BY dept), sum(CASE WHEN active THEN 1 END) OVER (ORDER BY id) FROM emp;
SELECT id, rank() OVER (ORDER BY upper(name)), count(*) OVER (PARTITION BY dept IS NULL, extract(year FROM hired)) FROM emp;
SELECT id, count(*) OVER (PARTITION BY score), count(*) OVER (PARTITION BY name, active), count(*) OVER (PARTITION BY hired) FROM emp;
SELECT id, rank() OVER (PARTITION BY 1 ORDER BY 'x'), count(*) OVER (ORDER BY 1) FROM emp;
SELECT id, (SELECT max(r) FROM (SELECT row_number() OVER (ORDER BY b.id) AS r FROM emp b WHERE b.boss = e.id) q) AS m FROM emp e;
SELECT id FROM emp e WHERE id IN (SELECT q.id FROM (SELECT b.id, row_number() OVER (PARTITION BY b.dept ORDER BY b.id) AS r FROM emp b) q WHERE r = 1);
SELECT id FROM emp e WHERE EXISTS (SELECT 1 FROM (SELECT sum(b.id) OVER (ORDER BY b.id) AS s FROM emp b WHERE b.boss = e.boss) q WHERE s > 5);
SELECT id, sum(id) OVER (ORDER BY (SELECT max(k) FROM n), id), lag((SELECT count(*) FROM n) + id) OVER (ORDER BY id) FROM emp;
SELECT id, row_number() OVER (ORDER BY id) FROM emp UNION ALL SELECT k, count(*) OVER (PARTITION BY k) FROM n;
WITH r AS (SELECT id, row_number() OVER (ORDER BY id) AS i FROM emp) SELECT a.id, b.id FROM r a JOIN r b ON a.i = b.i + 1;
SELECT max(r) FROM (SELECT row_number() OVER (ORDER BY id) AS r, sum(id) OVER (PARTITION BY dept) AS unused FROM emp) q;
SELECT id, row_number() OVER (ORDER BY dept, id), sum(id) OVER (ORDER BY dept), rank() OVER (PARTITION BY active ORDER BY dept) FROM emp;
SELECT sum(r) FROM (SELECT row_number() OVER () AS r FROM (SELECT id FROM emp ORDER BY id DESC LIMIT 3) q) p;
SELECT id, row_number() OVER () AS r FROM (SELECT id FROM emp ORDER BY id DESC LIMIT 5) q;
SELECT lag(NULL) OVER (ORDER BY id), first_value(NULL) OVER (ORDER BY id), count(NULL) OVER (ORDER BY id), max(NULL) OVER (ORDER BY id) FROM emp;
SELECT dept, sum(salary), rank() OVER (ORDER BY sum(salary)) FROM emp GROUP BY ROLLUP (dept);
SELECT dept, active, grouping(dept) + grouping(active) AS depth, count(*) AS c, rank() OVER (PARTITION BY grouping(dept) + grouping(active), CASE WHEN grouping(active) = 0 THEN dept END ORDER BY count(*) DESC) AS r FROM emp GROUP BY ROLLUP (dept, active) ORDER BY depth DESC, CASE WHEN depth = 0 THEN dept END, r, active;
SELECT dept, active, sum(sum(salary)) OVER () AS s, count(*) FILTER (WHERE active) OVER (PARTITION BY dept) FROM emp GROUP BY CUBE (dept, active) HAVING count(*) > 0;
SELECT dept % 20 AS m, 1 + lag(count(*), 1, 0) OVER w AS l FROM emp GROUP BY GROUPING SETS ((dept % 20), ()) WINDOW w AS (ORDER BY count(*), dept % 20) QUALIFY row_number() OVER w <= 3 ORDER BY l, m LIMIT 2;
SELECT DISTINCT count(*) OVER () FROM emp GROUP BY ROLLUP (dept);
SELECT dept, row_number() OVER (ORDER BY dept, sum(id)) AS r FROM emp e WHERE id > (SELECT min(k) FROM n) GROUP BY ROLLUP (dept) QUALIFY r > 1;
SELECT id, lag(INTERVAL 1 DAY * id) OVER (ORDER BY id), rank() OVER (ORDER BY INTERVAL 1 DAY * (id % 3)) FROM emp;
SELECT id, lag(moment, 1, TIMESTAMP '2020-01-01') OVER (ORDER BY id), max(moment) OVER (ORDER BY id) FROM events;
SELECT id, sum(5::HUGEINT) OVER (ORDER BY id), max(5) OVER (ORDER BY id), lag('x') OVER (ORDER BY id), lag(name, 1, id::VARCHAR) OVER (ORDER BY id) FROM emp;
SELECT id, count(*) OVER (ORDER BY id + 0.5 RANGE BETWEEN 1.25 PRECEDING AND CURRENT ROW), sum(id) OVER (ORDER BY id ROWS '2' PRECEDING), count(*) OVER (ROWS 1.5 PRECEDING) FROM emp;
SELECT id, count(*) OVER (ORDER BY x RANGE BETWEEN 1 PRECEDING AND CURRENT ROW), count(*) OVER (ORDER BY z RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM big;
SELECT id FROM emp WHERE (SELECT count(*) OVER () FROM dept LIMIT 1) = 5;
SELECT id, lag(id) OVER (ORDER BY id) IS DISTINCT FROM 3, NOT (rank() OVER (ORDER BY id) > 2) FROM emp;
-- both refuse
SELECT row_number() OVER (ORDER BY ALL) FROM emp;
-- both refuse
SELECT id FROM emp WHERE row_number() OVER () = 1;
-- both refuse
SELECT dept FROM emp GROUP BY row_number() OVER ();
-- both refuse
SELECT dept FROM emp GROUP BY dept HAVING row_number() OVER () = 1;
-- both refuse
SELECT sum(row_number() OVER ()) FROM emp;
-- both refuse
SELECT sum(row_number() OVER ()) OVER () FROM emp;
-- both refuse
SELECT dept, row_number() OVER (ORDER BY id) FROM emp GROUP BY dept;
-- both refuse
SELECT row_number() FROM emp;
-- both refuse
SELECT lag(id) FROM emp;
-- both refuse
SELECT upper(name) OVER () FROM emp;
-- both refuse
SELECT lag(id, 1, 2, 3) OVER () FROM emp;
-- both refuse
SELECT row_number(1) OVER () FROM emp;
-- both refuse
SELECT nth_value(id) OVER () FROM emp;
-- both refuse
SELECT sum(id) OVER nope FROM emp;
-- both refuse
SELECT sum(id) OVER w FROM emp WINDOW w AS (ORDER BY id), w AS (ORDER BY name);
-- both refuse
SELECT sum(id) OVER (w ORDER BY name) FROM emp WINDOW w AS (ORDER BY id);
-- both refuse
SELECT sum(id) OVER (w ROWS 1 PRECEDING) FROM emp WINDOW w AS (ORDER BY id ROWS 2 PRECEDING);
-- both refuse
SELECT sum(id) OVER v FROM emp WINDOW v AS (w ORDER BY id), w AS (PARTITION BY dept);
-- both refuse
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 1 PRECEDING) FROM emp;
-- both refuse
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW) FROM emp;
-- both refuse
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED PRECEDING) FROM emp;
-- both refuse
SELECT sum(id) OVER (ORDER BY id ROWS -1 PRECEDING) FROM emp;
-- both refuse
SELECT sum(id) OVER (ORDER BY id ROWS NULL PRECEDING) FROM emp;
-- both refuse
SELECT sum(id) OVER (ORDER BY id ROWS id - 2 PRECEDING) FROM emp;
-- both refuse
SELECT sum(id) OVER (ORDER BY id RANGE BETWEEN -1 PRECEDING AND CURRENT ROW) FROM emp;
-- both refuse
SELECT sum(id) OVER (ORDER BY id RANGE BETWEEN id - 3 PRECEDING AND CURRENT ROW) FROM emp;
-- both refuse
SELECT sum(id) OVER (ORDER BY id, dept RANGE 1 PRECEDING) FROM emp;
-- both refuse
SELECT sum(id) OVER (RANGE 1 PRECEDING) FROM emp;
-- both refuse
SELECT sum(id) OVER (ORDER BY name RANGE 1 PRECEDING) FROM emp;
-- both refuse
SELECT ntile(0) OVER (ORDER BY id) FROM emp;
-- both refuse
SELECT ntile(id - 2) OVER (ORDER BY id) FROM emp;
-- both refuse
SELECT sum(id IGNORE NULLS) OVER () FROM emp;
-- both refuse
SELECT row_number() FILTER (WHERE active) OVER () FROM emp;
-- both refuse
SELECT id FROM emp QUALIFY id = 1;
-- both refuse
SELECT dept, id + count(*) OVER (PARTITION BY dept) FROM emp GROUP BY ALL;
-- both refuse
SELECT id FROM emp QUALIFY row_number() OVER (ORDER BY id) = (SELECT row_number() OVER () FROM nope);
SELECT id, min(INTERVAL 1 DAY * id) OVER (ORDER BY id) FROM emp;
SELECT max(INTERVAL 1 DAY * id) FROM emp;
SELECT dept, sum(salary), rank() OVER (ORDER BY sum(salary)) FROM emp GROUP BY ROLLUP (1);
-- both refuse
SELECT fill(NULL) OVER (ORDER BY 1);
-- both refuse
SELECT fill(1) OVER (ORDER BY NULL);

-- A window in brackets builds on a named one, which has no frame but that of a window without one.
SELECT id, sum(id) OVER (w ROWS 1 PRECEDING), sum(id) OVER (w), sum(id) OVER (v ROWS 1 PRECEDING), sum(id) OVER v, sum(id) OVER u FROM emp WINDOW w AS (ORDER BY id), v AS (ORDER BY id RANGE UNBOUNDED PRECEDING), u AS (v);
SELECT id, sum(id) OVER (w ORDER BY id), sum(id) OVER (v PARTITION BY dept) FROM emp WINDOW w AS (PARTITION BY dept), v AS (ORDER BY id);
-- both refuse
SELECT sum(id) OVER (w) FROM emp WINDOW w AS (ORDER BY id ROWS 1 PRECEDING);
-- both refuse
SELECT sum(id) OVER (w ORDER BY id) FROM emp WINDOW w AS (GROUPS 1 PRECEDING);
-- both refuse
SELECT sum(id) OVER v FROM emp WINDOW w AS (ORDER BY id ROWS 1 PRECEDING), v AS (w);
-- both refuse
SELECT sum(id) OVER (w PARTITION BY dept) FROM emp WINDOW w AS (PARTITION BY dept);
-- both refuse
SELECT sum(id) OVER (w ORDER BY id) FROM emp WINDOW w AS (ORDER BY id DESC);
-- no window that another one adds to has the name of a word of frames
SELECT sum(id) OVER rows, sum(id) OVER (partition) FROM emp WINDOW rows AS (ORDER BY id), partition AS (PARTITION BY dept);
-- both refuse
SELECT sum(id) OVER (groups ROWS 1 PRECEDING) FROM emp WINDOW groups AS (ORDER BY id);
-- both refuse
SELECT sum(id) OVER ("partition" ORDER BY id) FROM emp WINDOW "partition" AS (PARTITION BY dept);
