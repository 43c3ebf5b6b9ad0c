SELECT count(*) FROM emp;
SELECT count(*), count(salary), count(name), count(DISTINCT name) FROM emp;
SELECT sum(salary), avg(salary), min(salary), max(salary) FROM emp;
SELECT sum(id), avg(id), min(id), max(id) FROM emp;
SELECT min(name), max(name) FROM emp;
SELECT min(hired), max(hired) FROM emp;
SELECT min(score), max(score), count(score) FROM emp;
SELECT sum(score) FROM emp WHERE id < 7;
SELECT count(*), sum(k), min(v), max(d), avg(d) FROM empty;
SELECT k, count(*) FROM empty GROUP BY k;
SELECT dept, count(*) FROM emp GROUP BY dept;
SELECT dept, sum(salary), avg(salary), count(salary) FROM emp GROUP BY dept;
SELECT dept, min(name), max(hired) FROM emp GROUP BY dept;
SELECT k, sum(v), count(v), avg(v), min(v), max(v) FROM n GROUP BY k;
SELECT k, v, count(*) FROM n GROUP BY k, v;
SELECT name, count(*) FROM emp GROUP BY name;
SELECT active, dept, count(*) FROM emp GROUP BY active, dept;
SELECT score, count(*) FROM emp GROUP BY score;
SELECT salary, count(*) FROM emp GROUP BY salary;
SELECT hired, count(*) FROM emp GROUP BY hired;
SELECT extract(year FROM hired) AS y, count(*) FROM emp GROUP BY y;
SELECT dept % 20 AS r, sum(id) FROM emp GROUP BY 1;
SELECT dept, boss, sum(id) FROM emp GROUP BY ALL;
SELECT 'a', count(*) FROM emp WHERE false GROUP BY ALL;
SELECT 1 FROM emp WHERE (SELECT left('b', 1) FROM emp WHERE false);
SELECT 'a', 1 FROM emp GROUP BY ALL;
SELECT 'a', dept, count(*) FROM emp WHERE false GROUP BY ALL;
SELECT 'a', count(*) OVER () FROM emp GROUP BY ALL;
SELECT dept, count(*) AS c, c + 1 AS d, d * 2 AS e FROM emp GROUP BY ALL;
SELECT dept, 'x' AS k, count(*) AS c, c || k AS d FROM emp GROUP BY ALL;
SELECT dept, count(*) OVER () AS c, c + 1 AS d FROM emp GROUP BY ALL;
SELECT count(*) AS id, id + 1 AS d, dept FROM emp GROUP BY ALL;
SELECT dept AS k, k || 'x' AS m, count(*) FROM emp GROUP BY ALL;
SELECT lower('A') AS a, sum(id) FROM emp WHERE false GROUP BY ALL HAVING count(*) = 0;
SELECT coalesce(1, id), count(*) FROM emp WHERE false GROUP BY ALL;
SELECT dept FROM emp GROUP BY dept HAVING count(*) > 1;
SELECT dept, sum(salary) AS s FROM emp GROUP BY dept HAVING s > 4000;
SELECT dept, count(*) FROM emp GROUP BY dept HAVING min(name) < 'C';
SELECT sum(salary) FROM emp HAVING count(*) > 100;
SELECT sum(salary) FROM emp HAVING count(*) > 1;
SELECT dept, count(DISTINCT boss), count(DISTINCT name) FROM emp GROUP BY dept;
SELECT count(DISTINCT k), count(DISTINCT v), sum(DISTINCT v), avg(DISTINCT v) FROM n;
SELECT k, sum(DISTINCT v), count(DISTINCT v) FROM n GROUP BY k;
SELECT count(DISTINCT salary), count(DISTINCT hired), count(DISTINCT score) FROM emp;
SELECT sum(salary) FILTER (WHERE active), count(*) FILTER (WHERE dept = 10) FROM emp;
SELECT dept, sum(salary) FILTER (WHERE active) FROM emp GROUP BY dept;
SELECT sum(CASE WHEN active THEN 1 ELSE 0 END), sum(CASE WHEN active THEN salary END) FROM emp;
SELECT bool_and(active), bool_or(active) FROM emp;
SELECT dept, bool_and(active), bool_or(active) FROM emp GROUP BY dept;
SELECT stddev_samp(v), stddev_pop(v), var_samp(v), var_pop(v) FROM n;
SELECT k, stddev_samp(v), var_pop(v) FROM n GROUP BY k;
SELECT sum(salary * id), sum(salary + 1), avg(salary - id) FROM emp;
SELECT max(salary) - min(salary), sum(id) / count(*) FROM emp;
SELECT dept, sum(salary) / sum(id), 100.0 * count(*) / 8 FROM emp GROUP BY dept;
SELECT count(*) + 1, -sum(id), abs(min(salary)) FROM emp;
SELECT sum(s), max(c) FROM (SELECT dept, sum(salary) AS s, count(*) AS c FROM emp GROUP BY dept) q;
SELECT c, count(*) FROM (SELECT dept, count(*) AS c FROM emp GROUP BY dept) q GROUP BY c;
SELECT DISTINCT dept FROM emp;
SELECT DISTINCT k, v FROM n;
SELECT DISTINCT name, salary FROM emp;
SELECT DISTINCT sum(v) FROM n GROUP BY k;
SELECT DISTINCT * FROM m;
SELECT DISTINCT v FROM empty;
SELECT dept, active, count(*) FROM emp GROUP BY ROLLUP (dept, active);
SELECT dept, active, sum(salary) FROM emp GROUP BY CUBE (dept, active);
SELECT dept, active, count(*) FROM emp GROUP BY GROUPING SETS ((dept), (active), ());
SELECT sum(z::HUGEINT), min(z), max(z) FROM big;
SELECT sum(z) FROM big;
SELECT sum(y), avg(y), min(y), max(y) FROM big;
SELECT sum(x), count(x), avg(x) FROM big WHERE id <> 1;
SELECT any_value(city) FROM dept WHERE city = 'Oslo';
SELECT title, upper(title) FROM dept GROUP BY title;
SELECT kind, sum(amount), avg(amount), min(moment), max(day) FROM events GROUP BY kind;
-- both refuse
SELECT name, count(*) FROM emp GROUP BY dept;
-- both refuse
SELECT sum(name) FROM emp;
-- both refuse
SELECT dept FROM emp WHERE sum(salary) > 1 GROUP BY dept;
SELECT sum(x), min(x), max(x), count(x) FROM big WHERE id <> 1;
-- ORDER BY inside an aggregate
SELECT any_value(id ORDER BY id DESC), first(id ORDER BY id DESC), sum(id ORDER BY id DESC), max(id ORDER BY id) FROM emp;
SELECT any_value(boss ORDER BY id) , first(boss ORDER BY id), first(boss ORDER BY id DESC) FROM emp;
SELECT dept, any_value(boss ORDER BY id DESC), first(score ORDER BY id) FROM emp GROUP BY dept;
SELECT any_value(boss ORDER BY id DESC) FILTER (WHERE id < 5), any_value(boss ORDER BY id) FILTER (WHERE id > 90) FROM emp;
SELECT first(title ORDER BY id) FROM dept WHERE id IS NOT NULL;
SELECT first(DISTINCT id ORDER BY id DESC) FROM emp;
-- both refuse
SELECT sum(DISTINCT id ORDER BY dept) FROM emp;
SELECT k, 5 + 0 AS c, max(v) FROM n GROUP BY 5 + 0, k, 5 + 0;
SELECT k % 2 AS c, count(*) FROM n GROUP BY k % 2, k % 2, k;
SELECT k % 2 AS c, count(*) FROM n GROUP BY GROUPING SETS ((k % 2, k % 2), ());
-- averages of decimals with many digits: the count times the power of ten is no float32
SELECT avg(x), avg(y), sum(x) FROM (VALUES (0.1234567891, 1.5), (0.9876543211, 2.5), (3.1415926535, NULL), (2.7182818284, 4), (1.4142135623, 5), (1.7320508075, 6), (0.5772156649, 7)) t(x, y);
SELECT k, avg(x), avg(x * 100000000.00) FROM (SELECT i % 3 AS k, (i * 1234567 % 99991 * 0.01)::DECIMAL(12,2) AS x FROM range(1000) t(i)) GROUP BY k ORDER BY k;
SELECT k, avg(x) OVER (PARTITION BY k ORDER BY i ROWS 7 PRECEDING) AS a FROM (SELECT i, i % 3 AS k, (i * 1234567 % 99991 * 0.000000001)::DECIMAL(18,10) AS x FROM range(100) t(i)) ORDER BY i;
-- GROUP BY ALL groups by what HAVING reads of rows, too
SELECT dept, count(*) FROM emp GROUP BY ALL HAVING active ORDER BY ALL;
SELECT dept FROM emp GROUP BY ALL HAVING id + 1 > 2 ORDER BY ALL;
SELECT id + 1 FROM emp GROUP BY ALL HAVING id + 1 > 2 ORDER BY ALL;
SELECT sum(salary) AS s FROM emp GROUP BY ALL HAVING s > 0 AND dept > 1 ORDER BY ALL;
SELECT sum(salary) FROM emp GROUP BY ALL HAVING sum(id) > 0;
SELECT sum(k), (SELECT sum(d) FROM (VALUES (3)) u(d) GROUP BY ALL HAVING n.k > 1) FROM n GROUP BY k ORDER BY ALL;
-- both refuse
SELECT dept FROM emp GROUP BY ALL HAVING EXISTS (SELECT 1 WHERE id = 2);
-- both refuse
SELECT sum(salary) FROM emp GROUP BY ALL ORDER BY dept;
-- both refuse
SELECT sum(salary) FROM emp HAVING dept > 1;
