SELECT * FROM range(5);
SELECT * FROM range(2,5);
SELECT * FROM range(5,2,-1);
-- both refuse
SELECT * FROM range(1,5,0);
SELECT * FROM range(NULL);
SELECT * FROM range(1,NULL);
SELECT * FROM generate_series(3);
SELECT * FROM generate_series(1,9,3) t;
SELECT * FROM generate_series(1,9,3) t(x);
SELECT t.generate_series FROM generate_series(1,9,3) t;
SELECT range FROM range(3);
SELECT range.range FROM range(3);
-- both refuse
SELECT * FROM range(1.5);
SELECT * FROM range('3');
-- both refuse
SELECT * FROM range(3::hugeint);
SELECT * FROM range(9223372036854775807, 9223372036854775807);
SELECT * FROM generate_series(9223372036854775806, 9223372036854775807);
SELECT * FROM generate_series(-9223372036854775807, -9223372036854775808, -1);
SELECT * FROM range(-9223372036854775808, 9223372036854775807, 9223372036854775807);
SELECT * FROM generate_series(9223372036854775807, -9223372036854775808, -9223372036854775807);
SELECT * FROM generate_series(9223372036854775807, -9223372036854775807-1, -9223372036854775808);
SELECT count(*) FROM range(DATE '2020-01-01', DATE '2020-02-01', INTERVAL 1 DAY);
SELECT * FROM range(DATE '2020-01-01', DATE '2020-02-01', INTERVAL 1 MONTH);
SELECT * FROM generate_series(DATE '2020-01-31', DATE '2020-05-01', INTERVAL 1 MONTH);
SELECT * FROM generate_series(DATE '2020-01-15', DATE '2021-05-15', INTERVAL 1 MONTH);
SELECT * FROM range(DATE '2020-01-15', DATE '2021-05-15', INTERVAL 1 MONTH);
SELECT * FROM range(DATE '2020-01-15', DATE '2021-05-14', INTERVAL 1 MONTH);
SELECT * FROM generate_series(DATE '2021-05-15', DATE '2020-01-15', INTERVAL '-1 MONTH');
SELECT * FROM range(DATE '2021-05-15', DATE '2020-01-15', INTERVAL '-2 MONTH');
SELECT * FROM generate_series(TIMESTAMP '2020-01-31', TIMESTAMP '2020-05-01', INTERVAL '1 MONTH 1 DAY');
-- both refuse
SELECT * FROM generate_series(TIMESTAMP '2020-01-31', TIMESTAMP '2020-05-01', INTERVAL '1 MONTH -1 DAY');
-- both refuse
SELECT * FROM generate_series(TIMESTAMP '2020-01-31', TIMESTAMP '2020-05-01', INTERVAL '0 DAY');
SELECT * FROM generate_series(TIMESTAMP '2020-05-31', TIMESTAMP '2020-01-01', INTERVAL '-1 MONTH');
SELECT * FROM range(TIMESTAMP '2020-05-01 10:00', TIMESTAMP '2020-05-01 12:00', INTERVAL '7 minutes 3 microseconds');
-- both refuse
SELECT * FROM range(TIMESTAMP '2020-01-31', TIMESTAMP '2020-05-01');
-- both refuse
SELECT * FROM range(DATE '2020-01-31');
SELECT * FROM range(NULL::TIMESTAMP, TIMESTAMP '2020-05-01', INTERVAL '1 MONTH');
-- both refuse
SELECT * FROM range(TIMESTAMP 'infinity', TIMESTAMP '2020-05-01', INTERVAL '1 MONTH');
-- both refuse
SELECT * FROM range();
SELECT * FROM range(1) WITH ORDINALITY;
SELECT * FROM range(5) WITH ORDINALITY AS t(a,b);
SELECT * FROM range(2) WITH ORDINALITY t;
SELECT * FROM range(2) t(a,b);
SELECT * FROM repeat(1, 3);
SELECT * FROM repeat('x', 0);
SELECT * FROM repeat('', 2);
-- both refuse
SELECT * FROM repeat('x', -1);
-- both refuse
SELECT * FROM repeat('x', NULL);
SELECT * FROM repeat(1+1, 2) t(a);
SELECT * FROM repeat_row(1, 'a', num_rows=2);
-- both refuse
SELECT * FROM repeat_row(1, 'a');
-- both refuse
SELECT * FROM repeat_row(num_rows=2);
-- both refuse
SELECT * FROM repeat_row(1, num_rows=NULL);
SELECT * FROM range(3) t WHERE t > 1;
SELECT * FROM range(3) t WHERE range > 1;
SELECT range, t FROM range(3) t;
SELECT a.range, b.range FROM range(2) a, range(2) b;
SELECT * FROM range(2) a, range(2) b;
SELECT * FROM range(2) a JOIN range(2) b ON a.range=b.range;
SELECT * FROM range(2) a JOIN range(2) b USING (range);
SELECT * FROM range(2) t(x) NATURAL JOIN range(3) s(x);
SELECT t.* FROM range(2) t;
SELECT * FROM (VALUES (1),(2)) t(n) LEFT JOIN range(n-1) r(x) ON true;
SELECT * FROM (VALUES (1),(2)) t(n) JOIN range(n) r(x) ON x>0;
SELECT * FROM (VALUES (1),(2)) t(n) LEFT JOIN range(n) r(x) ON x>0;
-- both refuse
SELECT * FROM (VALUES (1),(2)) t(n) RIGHT JOIN range(n) r(x) ON x>0;
-- both refuse
SELECT * FROM (VALUES (1),(2)) t(n) FULL JOIN range(n) r(x) ON x>0;
-- both refuse
SELECT * FROM (VALUES (1,0),(2,1)) t(n,s), range(1,5,s);
SELECT * FROM range((SELECT 3));
SELECT * FROM range((SELECT max(x) FROM (VALUES (3)) t(x)));
SELECT * FROM range(least(3,4));
SELECT (SELECT sum(range) FROM range(t.n)) AS s FROM (VALUES (2),(3)) t(n);
SELECT * FROM (VALUES (2)) t(n) CROSS JOIN range(n);
-- both refuse
SELECT * FROM (SELECT n+1 AS m) s, (VALUES (2)) t(n);
SELECT sum(r) FROM range(100) r LIMIT 3;
SELECT * FROM range(10) r WHERE r IN (SELECT x FROM range(r) s(x));
SELECT r%3 AS k, count(*) FROM range(100000) r GROUP BY all;
SELECT r FROM range(10000) r ORDER BY r DESC LIMIT 3;
SELECT * FROM range(3) r(a) UNION ALL SELECT * FROM range(2);
SELECT * FROM range(100000000000000) LIMIT 3;
SELECT r * 2 AS x FROM range(10, 1, -3) r LIMIT 2 OFFSET 1;
SELECT id, r FROM emp, range(id % 4) r(r);
SELECT id, r FROM emp LEFT JOIN range(id % 3) r(r) ON true;
SELECT id, r, ordinality FROM emp LEFT JOIN range(id % 3) WITH ORDINALITY r(r) ON true;
SELECT id, r FROM emp LEFT JOIN range(dept) r(r) ON r < 3;
SELECT id, r::DATE AS d FROM emp, generate_series(hired, hired + 40, INTERVAL 1 MONTH) s(r);
SELECT id, count(*) AS n FROM emp, range(hired, DATE '2025-01-01', INTERVAL '1 month 3 days') GROUP BY id;
SELECT k, count(*) FROM (SELECT r % 7 AS k FROM range(1000) r) GROUP BY k;
SELECT * FROM range(3) a, range(a.range) b, range(b.range) c;
SELECT * FROM (SELECT 3 AS n UNION ALL SELECT 2), range(n);
SELECT * FROM range('2020-01-01'::TIMESTAMP_NS, '2020-01-03'::TIMESTAMP_NS, INTERVAL 1 DAY);
SELECT * FROM generate_series('2020-01-31'::TIMESTAMP_S, '2020-05-03'::TIMESTAMP, INTERVAL 1 MONTH);
SELECT * FROM (VALUES ('2020-01-01'::TIMESTAMP_MS)) t(x), range(x, x + INTERVAL 3 DAY, INTERVAL 1 DAY);

-- queries as text, tables by name
FROM query('SELECT 1 AS a UNION ALL SELECT 2');
FROM query('SELECT ' || '1 AS a') q(b);
FROM query('FROM emp') WHERE id>2;
FROM query_table('emp');
FROM query_table(emp);
FROM query_table(['dept','dept']);
FROM query_table(['dept','emp'], true);
-- both refuse
FROM query_table([dept, emp], by_name := true);
-- both refuse
FROM query_table('nosuch');
-- both refuse
FROM query('');
-- both refuse
FROM query('SELECT 1; SELECT 2');
-- both refuse
FROM query('CREATE TABLE x(a INT)');
-- rows of which nobody reads a column
SELECT count(*) FROM generate_series(1, 5000000);
SELECT count(*) AS n, 5 AS five FROM range(1000000);
SELECT 'x' AS x FROM range(4) LIMIT 2;
SELECT count(*) FROM range(5) a, range(7) b;
SELECT count(*) FROM range(DATE '2020-01-01', DATE '2021-01-01', INTERVAL 1 DAY);
SELECT count(*) FROM (SELECT i FROM range(100) t(i) LIMIT 7 OFFSET 2);
SELECT count(*) FROM generate_series(3, 1);
SELECT count(*), max(n) FROM unnest([3, 4]) WITH ORDINALITY t(v, n);
