-- tqp refuses
SELECT median(v), median(k) FROM n;
-- tqp refuses
SELECT dept, median(salary) FROM emp GROUP BY dept;
-- tqp refuses
SELECT quantile_cont(v, 0.25) FROM n;
-- tqp refuses
SELECT string_agg(w, ',' ORDER BY w) FROM m;
-- tqp refuses
SELECT k, string_agg(w, '-' ORDER BY w DESC) FROM m GROUP BY k;
-- tqp refuses
SELECT min(to_days(id)) FROM emp;
-- tqp refuses
SELECT range FROM range(5);
-- tqp refuses
SELECT e.name, q.c FROM emp e, LATERAL (SELECT count(*) AS c FROM emp b WHERE b.boss = e.id) q;
-- clauses that nothing reads
-- tqp refuses
SELECT * FROM vec a JOIN vec b NEAREST 2 BY DISTANCE array_distance(a.v, b.v);
-- tqp refuses
SELECT * FROM dept JOIN BY (TYPE single) m ON dept.id = m.k;
-- tqp refuses
WITH RECURSIVE t(a, b) USING KEY (a) AS (SELECT 1, 2) SELECT * FROM t;
-- tqp refuses
SELECT * FROM emp TABLESAMPLE 100%;
-- tqp refuses
SELECT sum(k ORDER BY v) OVER () FROM n;
-- tqp refuses
SELECT a.k FROM n, n a RIGHT JOIN m b ON a.k = b.k AND n.k = 1;
-- tqp refuses
SELECT a.k FROM n, n a FULL JOIN m b ON a.k = b.k AND EXISTS (SELECT 1 FROM m z WHERE z.k = n.k);
-- tqp refuses
SELECT ~4 * 3;
-- tqp refuses
SELECT 3 & ~4 | 1;
-- tqp refuses
SELECT 3 * ~4;
-- tqp refuses
SELECT '2024-01-01 01:02:03.987654'::TIMESTAMP(0);
-- tqp refuses
SELECT '2024-01-01 01:02:03.987654'::TIMESTAMP(1);
-- tqp refuses
SELECT moment::TIMESTAMP(3) FROM events;
-- tqp refuses
SELECT moment::TIMESTAMP(7) FROM events;
-- tqp refuses
SELECT moment::TIMESTAMP(9) FROM events;
-- tqp refuses
SELECT moment::TIMESTAMP_S FROM events;
-- tqp refuses
SELECT moment::TIMESTAMP_MS FROM events;
-- tqp refuses
SELECT moment::TIMESTAMP_NS FROM events;
-- tqp refuses
SELECT NOT k IS NULL || 'x' FROM n WHERE k > 100;
-- tqp refuses
SELECT date_add(hired, 3) FROM emp;
-- tqp refuses
SELECT epoch_ms(INTERVAL 1 DAY);
