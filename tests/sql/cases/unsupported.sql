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
SELECT first(title ORDER BY id) FROM dept WHERE id IS NOT NULL;
-- tqp refuses
SELECT min(to_days(id)) FROM emp;
-- tqp refuses
SELECT range FROM range(5);
-- tqp refuses
SELECT e.name, q.c FROM emp e, LATERAL (SELECT count(*) AS c FROM emp b WHERE b.boss = e.id) q;
