SELECT * FROM n ORDER BY k, v;
SELECT * FROM n ORDER BY k DESC, v;
SELECT * FROM n ORDER BY k NULLS FIRST, v NULLS LAST;
SELECT * FROM n ORDER BY k DESC NULLS LAST, v DESC NULLS FIRST;
SELECT name FROM emp ORDER BY name;
SELECT name FROM emp ORDER BY name DESC;
SELECT score FROM emp ORDER BY score;
SELECT score FROM emp ORDER BY score DESC NULLS LAST;
SELECT id, salary FROM emp ORDER BY salary, id;
SELECT id, hired FROM emp ORDER BY hired DESC, id DESC;
SELECT active, id FROM emp ORDER BY active, id;
SELECT title FROM dept ORDER BY title;
SELECT x FROM big ORDER BY x;
SELECT y, id FROM big ORDER BY y DESC, id;
SELECT z FROM big ORDER BY z NULLS FIRST;
SELECT id, moment FROM events ORDER BY moment;
SELECT kind, id FROM events ORDER BY kind, id DESC;
SELECT amount FROM events ORDER BY amount;
SELECT id FROM emp ORDER BY salary * -1, id;
SELECT id AS i FROM emp ORDER BY i DESC;
SELECT id, dept FROM emp ORDER BY 2, 1;
SELECT dept, count(*) AS c FROM emp GROUP BY dept ORDER BY c DESC, dept;
SELECT dept FROM emp GROUP BY dept ORDER BY count(*), dept;
SELECT dept, sum(salary) FROM emp GROUP BY dept ORDER BY sum(salary) DESC NULLS LAST, dept;
SELECT length(name) AS l, name FROM emp ORDER BY l, name;
SELECT * FROM n ORDER BY ALL;
SELECT id FROM emp ORDER BY lower(name), id;
SELECT e.id FROM emp e JOIN dept d ON e.dept = d.id ORDER BY d.title, e.id DESC;
SELECT DISTINCT dept FROM emp ORDER BY dept DESC;
-- limit
SELECT id FROM emp ORDER BY id LIMIT 3;
SELECT id FROM emp ORDER BY id LIMIT 3 OFFSET 2;
SELECT id FROM emp ORDER BY id OFFSET 6;
SELECT id FROM emp ORDER BY id LIMIT 0;
SELECT id FROM emp ORDER BY id LIMIT 100;
SELECT id FROM emp ORDER BY id LIMIT 5 OFFSET 100;
SELECT id FROM emp ORDER BY salary DESC, id LIMIT 3;
SELECT id, salary FROM emp ORDER BY salary DESC NULLS LAST LIMIT 2;
SELECT name FROM emp ORDER BY name NULLS FIRST LIMIT 2;
SELECT count(*) FROM (SELECT * FROM emp LIMIT 3) q;
SELECT dept, sum(salary) AS s FROM emp GROUP BY dept ORDER BY s DESC NULLS LAST LIMIT 2;
SELECT max(id) FROM (SELECT id FROM emp ORDER BY salary, id LIMIT 4) q;
SELECT id FROM emp WHERE id IN (SELECT id FROM emp ORDER BY id DESC LIMIT 2);
SELECT k FROM empty ORDER BY k LIMIT 5;
SELECT e.id, (SELECT b.id FROM emp b WHERE b.boss = e.id ORDER BY b.id LIMIT 1) FROM emp e;
SELECT k FROM n LIMIT 4;
SELECT v FROM n ORDER BY v DESC LIMIT 1;
SELECT x FROM big ORDER BY x DESC NULLS LAST LIMIT 2;
SELECT id FROM emp ORDER BY score DESC, id LIMIT 4;

-- After a set operation: by the names of either side, by an expression that a side shows, over the output's own names.
SELECT id FROM emp UNION SELECT k FROM n ORDER BY n.k;
SELECT id FROM emp UNION SELECT k FROM n ORDER BY emp.id DESC NULLS LAST;
SELECT id FROM emp UNION SELECT k FROM n ORDER BY id + 1;
SELECT id + 1 FROM emp UNION SELECT k + 1 FROM n ORDER BY k + 1 DESC;
SELECT id AS a, dept FROM emp UNION SELECT k, v FROM n ORDER BY id, v;
SELECT x.* FROM n x UNION SELECT y.* FROM n y ORDER BY y.v, x.k;
SELECT id AS dept, dept AS id FROM emp UNION ALL SELECT k, v FROM n ORDER BY id, dept;
SELECT upper(name) FROM emp UNION SELECT title FROM dept ORDER BY upper(name) DESC;
SELECT dept, count(*) FROM emp GROUP BY dept UNION ALL SELECT 1, 2 ORDER BY count(*), dept;
SELECT id FROM emp UNION ALL SELECT k FROM n ORDER BY -id, 1 LIMIT 3;
SELECT 1 AS a UNION SELECT 2 ORDER BY (SELECT 1), a DESC;
VALUES (3), (1), (2) ORDER BY -col0;
(SELECT id, name FROM emp) ORDER BY salary, id;
(SELECT id FROM emp LIMIT 2) ORDER BY id + 1;
SELECT dept, count(*) c FROM emp GROUP BY ROLLUP (dept) ORDER BY -c, dept;
-- both refuse
SELECT id FROM emp UNION SELECT k FROM n ORDER BY k + 1;
SELECT k, 1 AS one FROM n GROUP BY k ORDER BY 2, 1;
SELECT k, 'x' AS x, count(*) FROM n GROUP BY k ORDER BY x DESC, k NULLS FIRST LIMIT 2;

-- # numbers of columns in parentheses and with signs; constants

SELECT x, -x FROM (VALUES (1), (2)) t(x) ORDER BY (2);
SELECT x, -x FROM (VALUES (1), (2)) t(x) ORDER BY - -2;
SELECT x, -x FROM (VALUES (1), (2)) t(x) ORDER BY ((-(-2))) DESC;
SELECT x FROM (VALUES (1), (2)) t(x) UNION ALL SELECT 3 ORDER BY (1) DESC;
-- both refuse
SELECT x FROM (VALUES (1), (2)) t(x) ORDER BY -1;
-- both refuse
SELECT x FROM (VALUES (1), (2)) t(x) ORDER BY -0;
-- both refuse
SELECT x FROM (VALUES (1), (2)) t(x) ORDER BY -1.5;
-- both refuse
SELECT x FROM (VALUES (1), (2)) t(x) ORDER BY ('a');
-- both refuse
SELECT x FROM (VALUES (1), (2)) t(x) ORDER BY NULL;
-- both refuse
SELECT x FROM (VALUES (1), (2)) t(x) UNION ALL SELECT 3 ORDER BY true;
-- both refuse
SELECT x FROM (VALUES (1), (2)) t(x) UNION ALL SELECT 3 ORDER BY (-1);
-- what the parser does not make one constant of orders by it
SELECT count(*) FROM (SELECT x FROM (VALUES (1), (2)) t(x) ORDER BY -NULL) s;
-- of equal aliases the last one is meant, in a set operation the first
SELECT id AS a, -id AS a FROM emp ORDER BY a;
SELECT id AS a, -id AS a FROM emp ORDER BY a + 1;
SELECT id AS a, -id AS A, 0 AS b FROM emp ORDER BY b, a;
SELECT -id AS id, id FROM emp ORDER BY id;
SELECT id AS a, -id AS a FROM emp WHERE a < -2;
SELECT id AS a, -id AS a, a + 1 AS b FROM emp;
SELECT id AS a, -id AS a, row_number() OVER (ORDER BY a) AS r FROM emp;
SELECT id AS a, -id AS a FROM emp QUALIFY row_number() OVER (ORDER BY a) = 1;
SELECT sum(id) AS a, -1 AS a FROM emp HAVING a > 0;
SELECT DISTINCT ON (a) id AS a, id % 2 AS a FROM emp ORDER BY a, id;
SELECT id % 2 AS a, id % 3 AS a, count(*) FROM emp GROUP BY a, id % 2 ORDER BY ALL;
SELECT COLUMNS(['id', 'dept']) AS a FROM emp ORDER BY a, id;
(SELECT id AS a, -id AS a FROM emp) ORDER BY a;
(SELECT id AS a, -id AS a FROM emp ORDER BY id LIMIT 2) ORDER BY a;
SELECT id AS a, -id AS a FROM emp UNION ALL SELECT 5, 6 ORDER BY a;
SELECT * FROM (SELECT id AS a, -id AS a FROM emp) ORDER BY a;
-- both refuse
SELECT id AS a, a + 1 AS b, -id AS a FROM emp;
-- both refuse
SELECT id AS a, 1 AS a, count(*) FROM emp GROUP BY a;
