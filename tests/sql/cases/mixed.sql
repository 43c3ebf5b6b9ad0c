SELECT 42;
SELECT 42 AS answer, NULL AS nothing, 'text' AS t, true AS b;
SELECT * FROM emp;
SELECT * FROM empty;
SELECT emp.*, 1 AS one FROM emp WHERE id = 1;
SELECT * EXCLUDE (score, active) FROM emp;
SELECT * REPLACE (id * 2 AS id) FROM dept;
SELECT id AS a, a + 1 AS b FROM emp;
SELECT id AS a FROM emp WHERE a > 5;
SELECT "id", "Name" FROM emp;
FROM n;
FROM n SELECT k WHERE v > 5;
SELECT 1 FROM emp;
SELECT k AS "order", v AS "Select" FROM n;
SELECT d.title, count(e.id) AS c, sum(e.salary) AS s FROM dept d LEFT JOIN emp e ON e.dept = d.id GROUP BY d.title ORDER BY c DESC, d.title;
SELECT d.city, avg(e.salary) FROM emp e JOIN dept d ON e.dept = d.id WHERE e.hired > DATE '2019-01-01' GROUP BY d.city HAVING count(*) > 0;
SELECT e.name FROM emp e JOIN (SELECT dept, max(salary) AS top FROM emp GROUP BY dept) q ON e.dept = q.dept AND e.salary = q.top;
SELECT count(*) FROM emp e WHERE e.dept IN (SELECT id FROM dept) AND EXISTS (SELECT 1 FROM n WHERE n.k = e.id);
SELECT sum(CASE WHEN d.city = 'Oslo' THEN e.salary ELSE 0 END) / sum(e.salary) FROM emp e LEFT JOIN dept d ON e.dept = d.id;
SELECT upper(city) AS c, count(*) FROM dept GROUP BY upper(city) ORDER BY c NULLS FIRST;
SELECT a.id, b.id FROM emp a, emp b, dept d WHERE a.dept = d.id AND b.dept = d.id AND a.id < b.id;
SELECT n.k, sum(length(m.w)) FROM n JOIN m ON n.k = m.k GROUP BY n.k HAVING sum(length(m.w)) > 1 ORDER BY n.k;
SELECT sum(q.c) FROM (SELECT e.dept, count(*) AS c FROM emp e JOIN dept d ON e.dept = d.id GROUP BY e.dept) q;
WITH t AS (SELECT dept, avg(salary) AS a FROM emp GROUP BY dept) SELECT e.id FROM emp e JOIN t ON e.dept = t.dept WHERE e.salary > t.a OR t.a IS NULL;
SELECT e.id FROM emp e LEFT JOIN dept d ON e.dept = d.id WHERE coalesce(d.city, 'x') <> 'Oslo';
-- both refuse
SELECT nope FROM emp;
-- both refuse
SELECT id FROM emp JOIN dept ON emp.dept = dept.id;
-- both refuse
SELECT * FROM no_such_table;
-- both refuse
SELECT name + 1 FROM emp;
-- both refuse
SELECT FROM WHERE;
-- * LIKE
SELECT * LIKE 'b%' FROM emp;
SELECT * ILIKE 'B%', 1 AS one FROM emp;
SELECT * NOT LIKE '%e%' FROM emp;
SELECT * NOT ILIKE '%E_' FROM emp;
SELECT emp.* LIKE '%a%', dept.* ILIKE 'I_' FROM emp JOIN dept ON emp.dept = dept.id;
SELECT * EXCLUDE (id) ILIKE 'I%' FROM dept JOIN (SELECT id AS idle FROM emp) e ON e.idle < 3;
-- both refuse
SELECT * LIKE 'x%' FROM emp;
-- both refuse
SELECT * LIKE name FROM emp;
-- both refuse
SELECT * REPLACE (1 AS id) LIKE 'i%' FROM emp;

-- A literal takes the type of the rows of VALUES before it; a text that was cast keeps its type.
VALUES (3), ('42');
VALUES (3), ('4.5'), (NULL);
VALUES (1, NULL), (NULL, 'a'), ('3', 'b');
VALUES (1::TINYINT), (300), (2::SMALLINT);
VALUES (1), ('1'), (2.5);
VALUES (true), ('f');
-- both refuse
VALUES (3), ('x');
-- both refuse
VALUES ('42'), (3);
-- both refuse
VALUES (3), ('42'::VARCHAR);
-- both refuse
VALUES (true), (2.5);
-- both refuse
SELECT coalesce(id, '42'::VARCHAR) FROM emp;
SELECT nullif(1, '1'), nullif('1', 1), nullif('42'::VARCHAR, 42), nullif(id, 2.0), nullif(active, 1.0), nullif('2019-01-31', hired)
FROM emp;
SELECT true = 0.5, active = 1e0, active IN (1.0, 2.5), 1.0 <> active FROM emp;
-- both refuse
SELECT active > 0.5 FROM emp;
-- both refuse
SELECT active IN (SELECT score FROM emp) FROM emp;
-- both refuse
SELECT id IN (SELECT name FROM emp) FROM emp;
SELECT concat_ws(NULL, name), concat_ws(NULL, 'a', 'b'), concat_ws(name, 'a', id), concat_ws(',', NULL, 'a') FROM emp;
-- both refuse
SELECT concat_ws(name) FROM emp;
-- a literal takes the type of what it meets first; ELSE comes before THEN
SELECT CASE WHEN id = 1 THEN 0 WHEN id = 2 THEN id::UBIGINT END, CASE WHEN id = 1 THEN id::TINYINT WHEN id = 2 THEN 0 END FROM emp;
SELECT CASE WHEN id = 1 THEN 0 WHEN id = 2 THEN 1 ELSE id::TINYINT END, CASE id WHEN 1 THEN 300 WHEN 2 THEN id::USMALLINT ELSE NULL END, if(id = 1, 0, id::TINYINT) FROM emp;
SELECT coalesce(NULL, 0, id::TINYINT), coalesce(0, id::TINYINT, NULL), coalesce(0, 1, id::TINYINT), coalesce(id::TINYINT, 1, 0), greatest(NULL, 5, id::UBIGINT), least(id::UBIGINT, 5, '1') FROM emp;
SELECT CASE WHEN id = 1 THEN DATE '2020-01-01' WHEN id = 2 THEN '2020-01-02' END, CASE WHEN id = 1 THEN NULL WHEN id = 2 THEN '7' ELSE id END FROM emp;
-- both refuse
SELECT CASE WHEN id = 1 THEN '1' WHEN id = 2 THEN id END FROM emp;
-- both refuse
SELECT coalesce(NULL, '1', id) FROM emp;
-- both refuse
SELECT least('1', '2', id) FROM emp;
SELECT coalesce(-(1), 1::TINYINT), coalesce(- -1, 1::TINYINT), -(-2147483648), -(9223372036854775808), -(-9223372036854775808), -(5::TINYINT), -(-(1));
