-- a table's name as a value: its rows as structs
SELECT d FROM dept d;
SELECT n FROM n;
SELECT e.id, d FROM emp e LEFT JOIN dept d ON e.dept = d.id ORDER BY e.id;
SELECT d, count(*) FROM emp e JOIN dept d ON e.dept = d.id GROUP BY d ORDER BY d;
SELECT count(d), count(DISTINCT d), max(d), min(d) FROM dept d;
SELECT (d).id, d = d, d IS NULL, d::VARCHAR FROM dept d ORDER BY d;
SELECT list(d ORDER BY d) FROM dept d;
SELECT DISTINCT n FROM n ORDER BY n;
SELECT {'whole': d, 'part': d.id} FROM dept d;
SELECT d.id FROM dept d WHERE d IN (SELECT d FROM dept d WHERE d.id > 10) ORDER BY 1;
SELECT (SELECT d) FROM dept d;
SELECT d.id, (SELECT max(e) FROM emp e WHERE e.dept = d.id).id FROM dept d ORDER BY 1;
SELECT main.dept FROM dept;
SELECT q FROM (SELECT 1 AS a, 2 AS b) q;
SELECT q FROM range(2) q(x);
SELECT d, row_number() OVER (ORDER BY d DESC) FROM dept d;
-- a column of that name is meant first
SELECT id FROM (SELECT 1 AS id, 2 AS other) id;
SELECT r FROM range(3) r;
-- both refuse
SELECT d FROM dept d GROUP BY d.id;
-- both refuse
SELECT dept.dept FROM dept;
-- less than, behind a type in parentheses
SELECT NULL::STRUCT(a INT) < {'a': 1}, {'a': 1}::STRUCT(a INT) < {'a': 2} AND true, NOT {'a': 1}::STRUCT(a INT)::STRUCT(a INT) < {'a': 2} AS b;
SELECT NULL::MAP(INT, INT) < MAP {1: 2}, -2::DECIMAL(4, 1) < 3;
-- by their first parts that differ
SELECT (1,2) < (1,3), (1,NULL) < (1,3), (1,2) >= (1,2.5), ('a', 1) > ('b', 1), ((1,2),3) < ((1,3),0), (1, DATE '2020-01-01') < (1, DATE '2020-01-02'), (1, (SELECT 5)) < (1, (SELECT 6));
SELECT (a,b) < (2, 'b'), (a, b) >= (1, b), (b, a) > ('a', NULL), (a, NULL) <= (a, 1), (a, b) IS DISTINCT FROM (2, NULL) FROM (VALUES (1,'a'),(2,'a'),(2,'c'),(NULL,'x'),(2,NULL)) t(a,b) ORDER BY a, b;
-- both refuse
SELECT (1,2) < (1,2,3);
-- both refuse
SELECT (1,'a') < (1,2);
