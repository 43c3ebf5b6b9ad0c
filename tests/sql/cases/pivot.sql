-- PIVOT by the values there are
PIVOT emp ON dept USING count(*);
PIVOT emp ON dept USING sum(id) GROUP BY active;
PIVOT emp ON dept USING sum(id), max(salary) GROUP BY active;
PIVOT emp ON dept USING sum(id) AS s, max(salary) AS m GROUP BY active;
PIVOT emp ON dept USING sum(id) AS s GROUP BY active, boss;
PIVOT n ON k USING sum(v);
PIVOT n ON k;
PIVOT n ON k USING count(*), sum(v);
PIVOT n ON k USING sum(v) + 1;
PIVOT n ON k USING sum(v) + 1, 2 * count(*) AS twice, max(v);
PIVOT n ON k USING coalesce(sum(v), 0);
PIVOT n ON k USING count(DISTINCT v);
PIVOT emp ON dept, active USING sum(id) GROUP BY name;
PIVOT emp ON dept || '_' || active USING sum(id) GROUP BY boss;
PIVOT emp ON id % 2 USING sum(id) GROUP BY boss;
PIVOT (SELECT dept, active, id FROM emp) ON active USING sum(id) ORDER BY dept LIMIT 2;
PIVOT emp USING sum(id) GROUP BY dept;
PIVOT emp USING sum(id);
PIVOT emp GROUP BY dept;
PIVOT_WIDER emp ON dept USING sum(id) GROUP BY active;
PIVOT emp ON hired USING count(*) GROUP BY active;
PIVOT emp ON salary USING count(*) GROUP BY active;
PIVOT emp ON score USING count(*) GROUP BY active;
PIVOT emp ON name USING max(id) GROUP BY active ORDER BY ALL;
PIVOT big ON z % 5 - 3 USING count(*);
PIVOT (SELECT id - 5 AS c FROM emp) ON c USING count(*);
PIVOT events ON moment USING count(*) GROUP BY kind;
PIVOT empty ON k USING sum(d);
PIVOT emp ON dept USING sum(id) GROUP BY dept;
PIVOT emp ON dept USING max(dept) GROUP BY active;
SELECT * FROM (PIVOT n ON k USING sum(v));
SELECT * FROM (PIVOT n ON k USING sum(v)) AS p(a, b, c);
WITH p AS (PIVOT n ON k USING sum(v)) SELECT "1" + "2" AS s FROM p;
WITH q AS (FROM n) PIVOT q ON k USING sum(v);
PIVOT n ON k USING sum(v) UNION ALL SELECT 1, 2, 3, 4;
(PIVOT n ON k USING sum(v)) UNION ALL (PIVOT n ON k USING sum(v));
SELECT "10" FROM (PIVOT emp ON dept USING sum(id) GROUP BY active);
SELECT count(*) FROM (PIVOT emp ON dept USING sum(id) GROUP BY active);
SELECT active FROM (PIVOT emp ON dept USING sum(id) GROUP BY active, boss);
SELECT "20_b", boss FROM (PIVOT emp ON dept USING sum(id) AS a, count(*) AS b GROUP BY active, boss) WHERE active;
SELECT * FROM (PIVOT emp ON dept USING count(*) GROUP BY active) WHERE "10" = 0 OR active IS NULL;
SELECT sum("10"), max("20") FROM (PIVOT emp ON dept USING sum(id) GROUP BY boss) WHERE boss > 1;
SELECT p.boss, e.name, "10" FROM (PIVOT emp ON dept USING count(*) GROUP BY boss) p JOIN emp e ON e.id = p.boss;
SELECT a.boss, a."10", b."20" FROM (PIVOT emp ON dept USING sum(id) GROUP BY boss) a JOIN (PIVOT emp ON dept USING max(id) GROUP BY boss) b USING (boss);
PIVOT emp ON dept USING list(id ORDER BY id) GROUP BY active;
PIVOT emp ON dept USING max(name) GROUP BY active;
PIVOT emp ON dept USING max(name) || '!' AS m, coalesce(max(name), 'none') AS n, count(*) > 1 AS more GROUP BY active;
PIVOT emp ON dept USING first({'n': name, 'i': id} ORDER BY id) GROUP BY active;
PIVOT emp ON dept, boss USING count(*) GROUP BY active;
PIVOT n ON [k] USING sum(v);
PIVOT n ON {'k': k} USING sum(v);
PIVOT n ON k / 2 USING sum(v);
PIVOT (SELECT k::UTINYINT AS k, v FROM n) ON k USING sum(v);
PIVOT (SELECT k::HUGEINT * 100000000000000000000 AS k, v FROM n) ON k USING sum(v);
PIVOT emp ON id USING max(name), min(salary) GROUP BY dept, active;
-- PIVOT by given values, which are compared as texts
PIVOT emp ON dept IN (NULL AS none, 10 AS ten, '10' AS tien) USING sum(id) GROUP BY active;
PIVOT emp ON dept IN (10 AS a, '10' AS b), active IN (true, false AS no, 'false' AS non) USING sum(id), count(*) AS c GROUP BY boss;
PIVOT emp ON dept IN (10 AS a, 20 AS a) USING sum(id) GROUP BY active;
PIVOT emp ON dept IN (30, 'x') USING sum(id), count(*) AS c GROUP BY active;
PIVOT emp ON salary IN ('4000.0', '4000.00') USING count(*);
PIVOT emp ON dept IN (10, 20) USING sum(id) GROUP BY active;
PIVOT emp ON dept IN (20, 10, NULL) USING sum(id) GROUP BY active;
PIVOT emp ON dept IN ('10', '20') USING sum(id) GROUP BY active;
PIVOT emp ON dept IN (10, 20), active USING sum(id) GROUP BY name;
PIVOT n ON k IN (1 AS one, 2) USING sum(v);
PIVOT n ON k IN (1.0, 2) USING sum(v);
PIVOT emp ON salary IN (4000, 4000.00) USING sum(id) GROUP BY active;
PIVOT emp ON active IN (true, 'FALSE', 'false') USING sum(id) GROUP BY dept;
PIVOT emp ON name IN ('Ada', 'bob') USING sum(id), sum(boss) AS b GROUP BY dept;
PIVOT emp ON dept IN (10) USING max(id) - 1 GROUP BY active;
PIVOT empty ON k IN (1) USING count(*) GROUP BY v;
PIVOT (SELECT k, d FROM empty) ON k IN (1) USING sum(d);
PIVOT (SELECT k, d FROM empty) ON k IN (1) USING count(*);
SELECT * FROM n PIVOT (sum(v) FOR k IN (1, 2, 3));
SELECT * FROM n PIVOT (sum(v) FOR k IN (1 AS one, 2 AS two));
SELECT * FROM n PIVOT (sum(v) FOR k IN ('a', 2, v));
SELECT * FROM emp PIVOT (sum(id) AS total, count(*) AS c FOR dept IN (10, 20) GROUP BY active);
SELECT * FROM emp PIVOT (sum(id), count(*) FOR dept IN (10, 20) GROUP BY active);
SELECT * FROM emp PIVOT (sum(id) FOR dept IN (10, 20) active IN (true, false) GROUP BY name);
SELECT p.* FROM n PIVOT (sum(v) FOR k IN (1, 2)) AS p(x, y);
SELECT * FROM (SELECT k, v FROM n) x PIVOT (sum(v) FOR k IN (1, 2)) WHERE "1" > 0;
SELECT * FROM n PIVOT (sum(v) FOR k IN (1, 2)), m;
SELECT * FROM n PIVOT (sum(v) FOR k IN (1, 2)) JOIN m ON true;
SELECT * FROM n JOIN m USING (k) PIVOT (sum(v) FOR k IN (1, 2));
SELECT * FROM n, m PIVOT (count(*) FOR k IN (1, 2));
SELECT * FROM n PIVOT (sum(v) FOR k IN (1, 2) GROUP BY v);
SELECT * FROM m PIVOT (max(k) FOR w IN ('a', 'b', 'nosuch'));
SELECT * FROM m PIVOT (count(*) FOR w IN ('a', 'b', 'nosuch'));
SELECT * FROM m PIVOT (max(k) + 1 FOR w IN ('a', 'b', 'nosuch'));
SELECT * FROM emp PIVOT (max(id) FOR dept IN (10, 20)) ORDER BY ALL LIMIT 3;
SELECT * FROM emp PIVOT (avg(id) AS a FOR hired IN (DATE '2020-02-29' AS leap, '2019-01-31') GROUP BY dept);
SELECT * FROM range(5) t(i) PIVOT (sum(i) FOR i IN (1, 2));
-- both refuse
PIVOT emp ON dept IN (10, 10) USING sum(id) GROUP BY active;
-- both refuse
PIVOT emp ON dept IN (10 AS a, 10 AS b) USING sum(id) GROUP BY active;
-- both refuse
PIVOT emp ON dept IN (NULL AS a, NULL AS b) USING sum(id) GROUP BY active;
-- both refuse
PIVOT n ON k USING 1;
-- both refuse
PIVOT n ON k USING v;
-- both refuse
PIVOT emp ON dept IN (10) USING sum(id) AS x, max(id) - min(id) GROUP BY active;
-- both refuse
PIVOT emp ON dept IN (10) USING sum(id) OVER () GROUP BY active;
-- both refuse
PIVOT emp ON dept IN (10) USING (SELECT 1) GROUP BY active;
-- both refuse
PIVOT emp ON nosuch USING sum(id);
-- both refuse
PIVOT emp ON dept USING sum(nosuch);
-- both refuse
PIVOT emp ON dept USING sum(id) GROUP BY nosuch;
-- both refuse
PIVOT emp ON dept USING sum(id) GROUP BY active + 0;
-- both refuse
PIVOT emp ON dept USING sum(id) GROUP BY 1;
-- both refuse
PIVOT emp ON (dept, active) IN ((10, true), (20, false)) USING sum(id) GROUP BY name;
-- both refuse
PIVOT emp ON active GROUP BY dept USING count(*);
-- both refuse
SELECT * FROM n PIVOT (sum(v) FOR k IN (SELECT DISTINCT k FROM n));
-- both refuse
SELECT * FROM n PIVOT (sum(v) FOR k IN ());
-- both refuse
SELECT * FROM n PIVOT (sum(v) FOR k IN (1 + 1, 2));
-- both refuse
SELECT * FROM n PIVOT (sum(v));
-- both refuse
SELECT * FROM n PIVOT (sum(v) FOR k IN (*));
-- both refuse
SELECT n.* FROM n PIVOT (sum(v) FOR k IN (1, 2));
-- UNPIVOT
UNPIVOT dept ON title, city INTO NAME n VALUE v;
UNPIVOT dept ON title, city;
UNPIVOT dept ON id, budget INTO NAME what VALUE amount;
UNPIVOT n ON COLUMNS(* EXCLUDE (k)) INTO NAME n VALUE x;
UNPIVOT n ON * INTO NAME n VALUE x;
UNPIVOT n ON COLUMNS('v') INTO NAME n VALUE x;
UNPIVOT n ON k AS kk, v INTO NAME n VALUE x;
UNPIVOT dept ON (id, budget) AS first INTO NAME what VALUE a, b;
UNPIVOT dept ON (id, budget), (budget, id) INTO NAME what VALUE a, b;
UNPIVOT emp ON (name, id) AS first, (name, boss) AS second INTO NAME what VALUE a, b;
UNPIVOT (SELECT id, budget FROM dept) ON * INTO NAME n VALUE v;
UNPIVOT dept ON id::VARCHAR, title INTO NAME n VALUE v;
UNPIVOT dept ON upper(title) AS u, city INTO NAME n VALUE v;
UNPIVOT dept ON title || 'x' INTO NAME n VALUE v;
UNPIVOT dept ON title, city INTO NAME n VALUE v ORDER BY n, v LIMIT 3;
UNPIVOT dept ON title, title INTO NAME n VALUE v;
UNPIVOT n ON k, v INTO NAME v VALUE k;
UNPIVOT emp ON dept, score INTO NAME n VALUE v;
UNPIVOT emp ON dept, salary INTO NAME n VALUE v;
UNPIVOT emp ON dept, active INTO NAME n VALUE v;
UNPIVOT empty ON k INTO NAME n VALUE x;
PIVOT_LONGER dept ON title, city INTO NAME n VALUE v;
SELECT n, sum(v) FROM (UNPIVOT (SELECT id, budget FROM dept) ON id, budget INTO NAME n VALUE v) GROUP BY n;
SELECT * FROM dept UNPIVOT (v FOR n IN (title, city));
SELECT * FROM dept UNPIVOT INCLUDE NULLS (v FOR n IN (title, city));
SELECT * FROM dept UNPIVOT EXCLUDE NULLS (v FOR n IN (title AS t, city AS c));
SELECT * FROM dept UNPIVOT (v FOR n IN (title AS 't', city));
SELECT * FROM emp UNPIVOT ((a, b) FOR what IN ((name, id), (name, boss)));
SELECT * FROM emp UNPIVOT ((a, b) FOR what IN ((name, id) AS x, (name, boss) AS y)) AS u;
SELECT u.n FROM dept UNPIVOT (v FOR n IN (title, city)) AS u;
FROM (SELECT id, budget FROM dept) UNPIVOT (v FOR n IN (*));
FROM n JOIN m USING (k) UNPIVOT (x FOR c IN (k, v));
-- both refuse
UNPIVOT dept ON id, title;
-- both refuse
UNPIVOT dept ON COLUMNS('t') INTO NAME n VALUE v;
-- both refuse
UNPIVOT dept ON (id, budget), (budget, id) INTO NAME what VALUE a;
-- both refuse
UNPIVOT dept ON title INTO NAME n VALUE v, w;
-- both refuse
UNPIVOT dept ON id + budget INTO NAME n VALUE v;
-- both refuse
UNPIVOT dept ON nosuch INTO NAME n VALUE v;
-- both refuse
UNPIVOT emp ON hired, name INTO NAME n VALUE v;
-- both refuse
UNPIVOT dept INCLUDE NULLS ON title, city INTO NAME n VALUE v;
-- behind what the grammar does not follow
PIVOT (SELECT k, v FROM n WHERE list_contains([x FOR x IN [1, 2]], k)) ON k USING sum(v);
-- ON a row
PIVOT (FROM (VALUES (1, 'x', 10), (3, NULL, 20), (1, 'x', 5)) t(a, b, c)) ON (a, b) USING sum(c), count(*);
PIVOT (FROM (VALUES (1, 'x', 10, 0), (3, 'y', 20, 1), (1, 'x', 5, 1)) t(a, b, c, d)) ON (a, b), d USING sum(c);
PIVOT (FROM (VALUES (1, 'x', 10), (3, 'y', 20)) t(a, b, c)) ON (a, b) USING sum(c) GROUP BY c;
FROM (VALUES (1, 'x', 10), (3, 'y', 20), (1, 'x', 5)) t(a, b, c) PIVOT (sum(c) FOR (a, b) IN ((1, 'x'), (3, 'y')));
UNPIVOT emp ON salary pay, boss AS head, id INTO NAME n VALUE v;
UNPIVOT emp ON (name, id) pair, (name, boss) other INTO NAME what VALUE a, b;

-- The empty text, names as the table has them, expressions of COLUMNS
PIVOT (VALUES ('', 'a', 1), ('b', '', 2), (NULL, '''', 3), ('''''', 'x', 4)) t(k, k2, v) ON k USING sum(v);
PIVOT (VALUES ('', 'a', 1), ('b', '', 2), (NULL, '''', 3), ('''''', 'x', 4)) t(k, k2, v) ON k USING sum(v) AS s, max(v) AS m;
PIVOT (VALUES ('', 'a', 1), ('b', '', 2), ('c', '''', 3)) t(k, k2, v) ON k, k2 USING sum(v);
SELECT * FROM (VALUES ('', 1), ('b', 2)) t(k, v) PIVOT (sum(v) FOR k IN ('', 'b' AS x));
UNPIVOT (SELECT 1 AS "Id", 2 AS "Jan", 3 AS feb) ON jan, FEB;
UNPIVOT (SELECT 1 AS "Id", 2 AS "Jan", 3 AS feb) ON (jan, FEB) INTO NAME n VALUE a, b;
UNPIVOT (SELECT 1 AS "Id", 2 AS "Jan", 3 AS feb) ON jan + 1, jan AS "JAN", feb::BIGINT;
UNPIVOT (SELECT 1 AS "Id", 2 AS "Jan", 3 AS feb) ON COLUMNS(*)::VARCHAR;
UNPIVOT (SELECT 1 AS "Id", 2 AS "Jan", 3 AS feb) ON COLUMNS(* EXCLUDE id)::VARCHAR || 'x', id::VARCHAR;
UNPIVOT (SELECT 1 AS "Id", 2 AS "Jan", 3 AS feb) ON coalesce(COLUMNS('.*n'), 1) AS q;
SELECT * FROM (SELECT 1 AS "Id", 2 AS "Jan", 3 AS feb) UNPIVOT (v FOR m IN (COLUMNS(*)::VARCHAR));
SELECT * FROM (SELECT 1 AS "Id", 2 AS "Jan", 3 AS feb) UNPIVOT (v FOR m IN (jan, FEB));
-- numbers are names of columns
UNPIVOT (SELECT 'NL' AS c, 1 AS "2000", 2 AS "2010") ON 2000, 2010;
UNPIVOT (SELECT 'NL' AS c, 1 AS "2000", 2 AS "2010") ON 2000 AS y, 2010 INTO NAME n VALUE v;
UNPIVOT (SELECT 'NL' AS c, 1 AS "2000", 2 AS "2010") ON (2000, 2010) INTO NAME n VALUE v, w;
FROM (SELECT 'NL' AS c, 1 AS "2000", 2 AS "2010") UNPIVOT (p FOR y IN (2000, 2010));
-- both refuse
UNPIVOT (SELECT 'NL' AS c, 1 AS "2000") ON 2001;
-- both refuse
PIVOT n ON NULL USING sum(v);
-- both refuse
PIVOT n ON 'k' USING sum(v);

-- rows: the statement compares their text, the clause their values
PIVOT (FROM (VALUES (1, 'x', NULL, 1), (1, 'x', 'NULL', 2), (2, 'x, y', 'z', 4), (2, '', '', 16), (2, NULL, NULL, 32)) v(k, a, b, n)) ON (a, b) IN ('(x, NULL)', '(x, ''NULL'')' AS text, '(''x, y'', z)', '('''', '''')', 'x_z', NULL) USING sum(n), count(*) GROUP BY k;
FROM (VALUES (1, 'x', NULL, 1), (1, 'x', 'NULL', 2), (2, 'x, y', 'z', 4), (1, 'x', 'y, z', 8), (2, '', '', 16), (2, NULL, NULL, 32), (2, '', 'b', 64), (2, 'a', '', 128)) v(k, a, b, n) PIVOT (sum(n) FOR (a, b) IN (('x', NULL), ('x', 'NULL') AS text, ('x, y', 'z'), row('x', 'y, z'), ('', ''), (NULL, NULL), ('', 'b'), ('a', '')));
FROM (VALUES (1, 'x', TIME '10:00:00', 1)) v(k, a, b, n) PIVOT (sum(n) FOR (a, b) IN ('(x, 10:00:00)', 'x_y'));
-- both refuse
FROM (VALUES ('x', 'y', 1)) v(a, b, n) PIVOT (sum(n) FOR (a, b) IN (('x', 'y'), 'x'));
FROM (VALUES (DATE '2020-01-01', TIME '10:00:00', 1), (DATE '2020-01-02', TIME '10:00:00', 2)) v(a, b, n) PIVOT (sum(n) AS s, count(*) FOR (a, b) IN ((DATE '2020-01-01', TIME '10:00:00'), ('2020-01-02', '10:00:00')) n IN (1, 2));
-- both refuse
FROM (VALUES ('x', 'y', 1)) v(a, b, n) PIVOT (sum(n) FOR (a, b) IN (('x', 'y', 'z')));
-- both refuse
FROM (VALUES ('x', 'y', 1)) v(a, b, n) PIVOT (sum(n) FOR a IN (('x', 'y')));
-- both refuse
FROM (VALUES ('x', 'y', 1)) v(a, b, n) PIVOT (sum(n) FOR (a, b) IN (('x', 'y'), ('x', 'y')));
-- both refuse
PIVOT (VALUES ('x', 'y', 1)) v(a, b, n) ON a IN (('x', 'y')) USING sum(n);
-- both refuse
PIVOT (VALUES ('x', 'y', 1)) v(a, b, n) ON (a, b) IN (row('x', 'y')) USING sum(n);
-- conditions: IN behind an operator is one, that behind a value says which become columns
PIVOT (VALUES ('x', 'y', 1), ('z', 'y', 2), (NULL, 'y', 3)) v(a, b, n) ON a || b IN ('xy', 'q') USING sum(n);
PIVOT (VALUES ('x', 'y', 1), ('z', 'y', 2), (NULL, 'y', 3)) v(a, b, n) ON (a || b) IN ('xy', 'q' AS w), n + 1 IN (b.length() + 2), -n IN (-1) USING count(*);
PIVOT (VALUES ('x', 'y', 1), ('z', 'y', 2), (NULL, 'y', 3)) v(a, b, n) ON NOT a IN ('x') USING sum(n);
PIVOT (VALUES ('x', 'y', 1), ('z', 'y', 2), (NULL, 'y', 3)) v(a, b, n) ON a NOT IN (b, 'z'), n BETWEEN 1 AND 2 AND b = 'y', a IS NULL USING count(*);
-- both refuse
PIVOT (VALUES ('x', 'y', 1)) v(a, b, n) ON a || b IN ('xy' AS w) USING sum(n);
-- both refuse
PIVOT (VALUES ('x', 'y', 1)) v(a, b, n) ON a IN ('x') AND b = 'y' USING sum(n);
-- both refuse
PIVOT (VALUES ('x', 'y', 1)) v(a, b, n) ON EXISTS (SELECT 1) USING sum(n);
-- rows are counted by the name of their table
PIVOT (VALUES ('x', 'y', 1), ('z', 'y', 2), (NULL, 'y', 3)) v(a, b, n) ON a USING count(v.*), count(V.*) + 1 AS more;
FROM (VALUES ('x', 'y', 1), ('z', 'y', 2), (NULL, 'y', 3)) v(a, b, n) PIVOT (count(v.*) FOR a IN ('x', 'q') GROUP BY b) AS p;
-- both refuse
PIVOT (VALUES ('x', 'y', 1)) v(a, b, n) ON a USING count(u.*);
-- tqp refuses
PIVOT (VALUES ('x', 'y', 1)) v(a, b, n) ON a USING max(COLUMNS('b|n'));
-- tqp refuses
PIVOT (VALUES ('x', 'y', 1)) v(a, b, n) ON (a, b) IN ((x, y)) USING sum(n);
-- joins: the statements work on all that is joined, and so does the clause behind a join
PIVOT n JOIN m USING (k) ON w USING sum(v);
PIVOT n LEFT JOIN m USING (k) ON w USING sum(v) GROUP BY k;
PIVOT n AS a JOIN m AS b ON a.k = b.k ON w USING sum(v) GROUP BY v;
PIVOT n JOIN m ON n.k = m.k AND m.k IN (1, 2) ON w IN ('b', 'q') USING sum(v) GROUP BY v;
PIVOT n CROSS JOIN m ON w USING sum(v) GROUP BY v;
PIVOT n NATURAL JOIN m ON w USING sum(v) GROUP BY v;
PIVOT n POSITIONAL JOIN m ON w USING sum(v) GROUP BY v;
PIVOT n SEMI JOIN m USING (k) ON k USING sum(v);
PIVOT n JOIN m USING (k) JOIN range(3) r(k) USING (k) ON w;
PIVOT n JOIN LATERAL (SELECT n.k + 1 AS z) ON true ON z USING sum(v) GROUP BY v;
PIVOT n JOIN m USING (k) USING sum(v);
PIVOT n JOIN m USING (k) GROUP BY w;
PIVOT n JOIN (PIVOT m ON w) USING (k) ON v USING count(*) GROUP BY a;
PIVOT n JOIN m USING (k) PIVOT (sum(v) FOR w IN ('a')) ON a USING count(*);
WITH q AS (PIVOT n JOIN m USING (k) ON w USING sum(v) GROUP BY k) SELECT count(*) FROM q JOIN q AS r USING (k);
UNPIVOT n JOIN m USING (k) ON v, k;
UNPIVOT n JOIN m ON n.k = m.k ON v INTO NAME called VALUE x;
UNPIVOT n CROSS JOIN m ON w;
UNPIVOT n JOIN m USING (k) ON COLUMNS('v|k');
FROM (n JOIN m USING (k)) PIVOT (sum(v) FOR w IN ('a', 'b') GROUP BY k) AS p;
FROM (n JOIN m USING (k)) UNPIVOT (x FOR called IN (v)) AS p JOIN m USING (k);
FROM n CROSS JOIN m UNPIVOT (x FOR called IN (v));
FROM n NATURAL JOIN m UNPIVOT (x FOR called IN (v));
FROM n CROSS JOIN m PIVOT (sum(v) FOR w IN ('a', 'b') GROUP BY v) p JOIN n USING (v);
FROM n CROSS JOIN (m UNPIVOT (x FOR called IN (w)));
FROM n, m UNPIVOT (x FOR called IN (w));
WITH q AS (FROM n CROSS JOIN m UNPIVOT (x FOR called IN (v))) FROM q JOIN q AS r USING (x) WHERE x = 20;
-- both refuse
PIVOT n JOIN m ON n.k = m.k ON w USING sum(v);
-- both refuse
PIVOT n, m ON w USING sum(v);
-- both refuse
UNPIVOT n JOIN m ON n.k = m.k ON k;
-- both refuse
UNPIVOT n JOIN m ON n.k = m.k ON k_1;
-- both refuse
FROM n, m UNPIVOT (x FOR called IN (v));
-- both refuse
PIVOT n JOIN m ON w USING sum(v);
FROM (SELECT 1 AS a, 2 AS b) UNPIVOT ((n) FOR p IN ((a), b));
FROM (SELECT 1 AS a, NULL AS b) UNPIVOT INCLUDE NULLS (("n x") FOR "p q" IN (("a") AS x, ((b)) AS 'B b'));
-- both refuse
FROM (SELECT 1 AS a, 2 AS b) UNPIVOT ((n) FOR p IN ((a, b)));
-- both refuse
FROM (SELECT 1 AS a, 2 AS b) UNPIVOT ((n + 1) FOR p IN (a, b));
