-- Grouping sets: several groupings of one input, computed together.
SELECT dept, active, count(*), sum(salary), min(hired), max(name), avg(score), grouping(dept, active) FROM emp GROUP BY CUBE (dept, active);
SELECT dept, active, stddev(id), var_pop(id), bool_and(active), count(score) FROM emp GROUP BY ROLLUP (dept, active, boss);
SELECT dept, count(DISTINCT salary), sum(DISTINCT id), count(DISTINCT name) FILTER (WHERE id > 2) FROM emp GROUP BY ROLLUP (dept, boss);
SELECT dept, count(*) FILTER (WHERE id > 2), sum(id) FILTER (WHERE active) FROM emp GROUP BY GROUPING SETS ((dept), (), (boss), (dept));
SELECT dept + 1 AS k, dept, sum(dept) FROM emp GROUP BY ROLLUP (dept + 1, dept);
SELECT dept, dept, dept + 0, count(*) FROM emp GROUP BY ROLLUP (dept);
SELECT DISTINCT grouping(dept) FROM emp GROUP BY CUBE (dept, boss);
SELECT dept, sum(id) FROM emp GROUP BY ROLLUP (dept) HAVING grouping(dept) = 0 ORDER BY dept;
SELECT dept, sum(id) FROM emp GROUP BY ROLLUP (dept) HAVING dept = 10;
SELECT * FROM (SELECT dept, boss, sum(id) AS s FROM emp GROUP BY dept, ROLLUP (boss)) WHERE dept = 10 AND s > 0;
SELECT * FROM (SELECT dept, boss, sum(id) AS s FROM emp GROUP BY ROLLUP (dept, boss)) WHERE dept = 10 OR boss IS NULL;
SELECT dept, boss FROM emp GROUP BY ROLLUP (dept, boss) ORDER BY grouping(dept), sum(id), dept, boss;
SELECT dept, boss, sum(id), rank() OVER (PARTITION BY grouping(dept, boss) ORDER BY sum(id) DESC, dept, boss) FROM emp GROUP BY ROLLUP (dept, boss);
SELECT dept, sum(id) FROM emp GROUP BY ROLLUP (1) QUALIFY row_number() OVER (ORDER BY dept, grouping(dept)) < 3;
SELECT count(*) FROM emp GROUP BY GROUPING SETS (());
SELECT dept, sum(id), count(*), max(name) FROM emp WHERE id > 100 GROUP BY ROLLUP (dept);
SELECT dept, sum(id) FROM emp WHERE id > 100 GROUP BY GROUPING SETS ((dept), (boss));
SELECT dept, count(DISTINCT id) FROM emp WHERE id > 100 GROUP BY GROUPING SETS ((dept), (), ());
-- other names
SELECT o.id, (SELECT max(s) FROM (SELECT dept, sum(id) AS s FROM emp e WHERE e.boss = o.id GROUP BY ROLLUP (dept)) q) FROM emp o;
-- other names
SELECT o.id, (SELECT count(*) FROM (SELECT dept, sum(id) AS s FROM emp e WHERE e.boss > o.id GROUP BY CUBE (dept, active)) q) FROM emp o;
SELECT first(id ORDER BY salary, id), dept FROM emp GROUP BY ROLLUP (dept);
SELECT dept, count(*) + grouping(dept), CASE WHEN grouping(dept) = 1 THEN 'all' ELSE dept::VARCHAR END FROM emp GROUP BY ROLLUP (dept);
SELECT e.dept, d.title, count(*) FROM emp e JOIN dept d ON e.dept = d.id GROUP BY ROLLUP (e.dept, d.title);
SELECT upper(name), lower(name), max(name) FROM emp GROUP BY CUBE (upper(name), lower(name));
SELECT dept FROM (SELECT dept, boss, count(*) AS n FROM emp GROUP BY CUBE (dept, boss)) WHERE n > 1 GROUP BY dept;
WITH g AS (SELECT dept, boss, count(*) AS n FROM emp GROUP BY CUBE (dept, boss)) SELECT count(*) FROM g p JOIN g q ON p.dept = q.dept;
SELECT dept, EXISTS (SELECT 1 FROM emp e WHERE e.boss = emp.dept) FROM emp GROUP BY ROLLUP (dept);
SELECT dept, boss, active, count(*) FROM emp GROUP BY dept, CUBE (boss, active), ROLLUP (dept, active);
SELECT dept AS k, count(*) FROM emp GROUP BY CUBE (k) ORDER BY k NULLS FIRST, 2;
SELECT grouping(dept) FROM emp GROUP BY dept;
-- conditions that leave some of the sets
SELECT dept, boss, sum(id), grouping(dept, boss) FROM emp GROUP BY CUBE (dept, boss) HAVING grouping(dept, boss) IN (1, 2);
SELECT dept, boss, sum(id) FROM emp GROUP BY CUBE (dept, boss) HAVING grouping(dept) = 0 AND grouping(boss) = 0 AND sum(id) > 1;
SELECT dept, boss, sum(id) FROM emp GROUP BY CUBE (dept, boss) HAVING grouping(dept, boss) > 3;
SELECT dept, boss, sum(id) FROM emp GROUP BY CUBE (dept, boss) HAVING grouping(dept) = 1 OR dept = 10;
SELECT dept, boss, sum(id) FROM emp GROUP BY CUBE (dept, boss) HAVING dept IS NULL;
SELECT dept, boss, sum(id) FROM emp GROUP BY CUBE (dept, boss) HAVING dept IS NOT NULL AND boss + 1 > 2;
SELECT dept, boss, count(*) FROM emp GROUP BY ROLLUP (dept, boss) HAVING grouping(boss) = 1 AND grouping(dept) = 1;
SELECT count(*), sum(id), grouping(dept) FROM emp WHERE id > 100 GROUP BY ROLLUP (dept) HAVING grouping(dept) = 1;
SELECT dept, count(*) FROM emp GROUP BY GROUPING SETS ((dept), (), ()) HAVING grouping(dept) >= 1;
SELECT dept, dept, boss, count(DISTINCT id) FROM emp GROUP BY CUBE (dept, boss) HAVING coalesce(dept, 0) = 0 AND boss IS NULL;
SELECT * FROM (SELECT dept, boss, grouping(dept, boss) AS g, sum(salary) AS s FROM emp GROUP BY CUBE (dept, boss)) WHERE g = 1 AND s > 10;
SELECT dept, boss, CASE WHEN grouping(boss) = 1 THEN 'sum' ELSE 'one' END FROM emp GROUP BY ROLLUP (dept, boss) HAVING CASE WHEN grouping(boss) = 1 THEN dept = 10 ELSE boss > 1 END;
SELECT grouping(dept), dept, sum(id) FROM emp GROUP BY GROUPING SETS ((dept));
-- keys of equal values, each of which may be absent by itself
SELECT salary >= -1.5e0, salary >= '-1.5' AS k, count(*) FROM emp GROUP BY CUBE (1, k);
SELECT dept AS x, dept AS y, count(*) FROM emp GROUP BY CUBE (1, 2);
SELECT dept AS x, dept AS y, dept + 1, count(*) FROM emp GROUP BY CUBE (y, x);
SELECT score + 1e0 AS x, score + '1' AS y, score + 1 AS z, count(*) FROM emp GROUP BY ROLLUP (x, y, z);
SELECT dept AS x, dept AS y, dept, sum(id) FROM emp GROUP BY GROUPING SETS ((x, y), (dept), (x, dept), ());
SELECT dept AS x, count(*) FROM emp GROUP BY CUBE (dept, emp.dept);
SELECT dept AS x, count(*) FROM emp GROUP BY CUBE (dept, DEPT, (x), X);
SELECT dept + 1 AS x, count(*) FROM emp GROUP BY CUBE (dept + 1, (DEPT) + (1));
SELECT score + '1' AS x, count(*) FROM emp GROUP BY CUBE (score + '1', score + '01');
SELECT dept AS x, count(*) FROM emp GROUP BY CUBE (1, x);
SELECT dept AS x, count(*) FROM emp GROUP BY dept, ROLLUP (x);
SELECT *, dept, count(*) FROM (SELECT dept, boss FROM emp) GROUP BY CUBE (1, 2, 3);
SELECT dept AS x, dept AS y, grouping(x), grouping(y), grouping(dept), sum(y), count(DISTINCT x) FROM emp GROUP BY CUBE (x, y);
SELECT dept + 1 AS x, dept + 1 AS y, x * 2, y * 2, (dept + 1) * 2 FROM emp GROUP BY CUBE (x, y);
SELECT dept + 1 AS x, dept + 1 AS y, x * 2, y * 2, (dept + 1) * 2 FROM emp GROUP BY CUBE (2, 1);
SELECT dept AS x, dept AS y, sum(id) FROM emp GROUP BY CUBE (x, y) HAVING x IS NULL AND y IS NOT NULL;
SELECT dept AS x, dept AS y FROM emp GROUP BY CUBE (x, y) ORDER BY -x NULLS FIRST, y NULLS LAST;
SELECT dept AS x, dept AS y FROM emp GROUP BY CUBE (y, x) ORDER BY dept NULLS FIRST, x LIMIT 3;
SELECT dept AS x, dept AS y, row_number() OVER (PARTITION BY x ORDER BY y NULLS FIRST, grouping(y)) FROM emp GROUP BY CUBE (x, y) QUALIFY x IS NULL OR y > 10;
SELECT DISTINCT dept AS x, dept AS y FROM emp GROUP BY ROLLUP (x, y);
SELECT (SELECT max(e.id) FROM emp e WHERE e.dept = emp.dept) AS x, (SELECT max(e.id) FROM emp e WHERE e.dept = emp.dept) AS y, count(*) FROM emp GROUP BY CUBE (x, y, x);
-- other names
SELECT id, (SELECT count(y) FROM (SELECT o.id AS x, o.id AS y FROM emp GROUP BY CUBE (1, 2)) WHERE x IS NULL) FROM emp o;
SELECT 'a' AS x, 'a' AS y, NULL AS z, NULL AS n, count(*) FROM emp WHERE id > 100 GROUP BY CUBE (1, 2, 3, 4);
-- both refuse
SELECT grouping(boss) FROM emp GROUP BY ROLLUP (dept);
-- both refuse
SELECT boss FROM emp GROUP BY ROLLUP (dept);
-- both refuse
SELECT 1 FROM (SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d) GROUP BY CUBE (a, b, c, d), CUBE (a, b, c, d), CUBE (a, b, c, d), CUBE (a, b, c, d);
