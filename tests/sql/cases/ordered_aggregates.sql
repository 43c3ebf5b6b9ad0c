-- texts put together
SELECT string_agg(w, ',' ORDER BY w) FROM m;
SELECT k, string_agg(w, '-' ORDER BY w DESC) FROM m GROUP BY k;
SELECT string_agg(w ORDER BY w), group_concat(w, ';' ORDER BY w, k DESC), listagg(w, '' ORDER BY k NULLS FIRST, w) FROM m;
SELECT string_agg(name, ', ' ORDER BY hired DESC NULLS LAST, id), string_agg(id, '+' ORDER BY id), string_agg(salary, ' ' ORDER BY id) FROM emp;
SELECT dept, string_agg(name, ', ' ORDER BY id) FILTER (WHERE salary > 1000), count(*), sum(id), min(name) FROM emp GROUP BY dept;
SELECT string_agg(DISTINCT w, ',' ORDER BY w), string_agg(DISTINCT w, ',' ORDER BY w DESC NULLS FIRST) FROM m;
SELECT dept, string_agg(DISTINCT name, '/' ORDER BY name DESC) FROM emp GROUP BY dept;
SELECT string_agg(v, ','), string_agg(k, ',') FROM empty;
SELECT k, string_agg(v, ',') FROM empty GROUP BY k;
SELECT string_agg(NULL), string_agg(NULL, ','), string_agg('a', NULL), string_agg('', ''), string_agg(1, 'x') FROM n;
SELECT string_agg(w, upper('x') || 'y' ORDER BY w) FROM m;
SELECT string_agg(active, '' ORDER BY id), string_agg(hired, ' ' ORDER BY id), string_agg(to_days(id), ',' ORDER BY id) FROM emp;
SELECT dept, active, string_agg(name, ',' ORDER BY name) FROM emp GROUP BY CUBE (dept, active);
SELECT string_agg(name || id, ',' ORDER BY id) FROM emp WHERE id > 2;
SELECT string_agg(w, ',' ORDER BY w) AS s FROM m GROUP BY k HAVING string_agg(w, ',' ORDER BY w) > 'a' ORDER BY s;
-- both refuse
SELECT string_agg(DISTINCT w, ',' ORDER BY k) FROM m;
-- both refuse
SELECT string_agg(w, w) FROM m;
-- both refuse
SELECT string_agg(w, 1) FROM m;
-- both refuse
SELECT string_agg(w, ',', ';') FROM m;
-- both refuse
SELECT string_agg(w, ',') WITHIN GROUP (ORDER BY w) FROM m;
-- the value of a row
SELECT first(name ORDER BY id), last(name ORDER BY id), first(name ORDER BY id DESC), last(name ORDER BY id DESC) FROM emp;
SELECT dept, first(name ORDER BY hired, id), last(name ORDER BY hired DESC NULLS FIRST, id), first(id ORDER BY name DESC) FROM emp GROUP BY dept;
SELECT arbitrary(name ORDER BY id DESC), any_value(name ORDER BY id DESC), any_value(salary ORDER BY id) FILTER (WHERE id > 3), first(boss ORDER BY id), any_value(boss ORDER BY id) FROM emp;
SELECT first(x), arbitrary(x), last(x) FROM (VALUES (NULL), (1), (2), (NULL)) t(x);
SELECT first(k), last(v), arbitrary(d), last(v ORDER BY k) FROM empty;
SELECT first(DISTINCT name ORDER BY name), last(DISTINCT name ORDER BY name) FROM emp;
SELECT last(id ORDER BY salary), last(id ORDER BY score, id), first(id ORDER BY score DESC, id DESC) FROM emp;
SELECT first(score ORDER BY to_days(id) DESC), last(w ORDER BY v, id), first(v ORDER BY id) FROM emp JOIN vec USING (id);
SELECT first(x ORDER BY y), last(x ORDER BY y) FROM (VALUES (1, 170141183460469231731687303715884105727::HUGEINT), (2, -5), (3, 170141183460469231731687303715884105726)) t(x, y);
SELECT dept, active, last(name ORDER BY id), first(salary ORDER BY id DESC) FILTER (WHERE id <> 8) FROM emp GROUP BY ROLLUP (dept, active);
-- of several rows with the same key that which comes first in an order
SELECT arg_min(id, dept ORDER BY id DESC), arg_max(id, dept ORDER BY id), arg_max(name, salary ORDER BY id DESC) FROM emp;
SELECT dept, arg_min(id, salary ORDER BY id DESC), max_by(name, active ORDER BY name) FROM emp GROUP BY dept;
SELECT arg_min(name, to_days(id)), arg_max(name, to_days(id)), max_by(id, to_months(dept) ORDER BY id) FROM emp;
-- NULLs beside the least and greatest key
SELECT arg_min_null(a, b), arg_max_null(a, b), arg_min_nulls_last(a, b), arg_max_nulls_last(a, b), arg_min(a, b) FROM (VALUES ('x', NULL), (NULL, 1), ('z', 2), (NULL, 3)) t(a, b);
SELECT arg_min_nulls_last(a, b), arg_max_nulls_last(a, b), arg_min_null(a, b) FROM (VALUES (1, NULL::INTEGER), (NULL, NULL)) t(a, b);
SELECT dept, arg_min_null(boss, id), arg_max_null(name, id), arg_min_nulls_last(id, score ORDER BY id), arg_max_nulls_last(id, score ORDER BY id DESC) FROM emp GROUP BY dept;
SELECT arg_min_null(id, k) FILTER (WHERE k > 1) FROM (SELECT k AS id, k FROM m);
SELECT arg_min_null(v, k), arg_max_nulls_last(k, v) FROM empty;
-- both refuse
SELECT arg_min_null(id) FROM emp;
-- the least and greatest interval
SELECT min(to_days(id)), max(to_days(id)), max(hired - DATE '2020-01-01') FROM emp;
SELECT dept, min(to_hours(id)), max(to_months(id)) FILTER (WHERE id > 2), max(DISTINCT to_days(boss)) FROM emp GROUP BY dept;
SELECT min(x), max(x) FROM (VALUES (INTERVAL 1 MONTH), (INTERVAL 30 DAY), (INTERVAL 29 DAY), (NULL)) t(x);
SELECT min(x), max(x) FROM (VALUES (INTERVAL 30 DAY), (INTERVAL 1 MONTH)) t(x);
SELECT dept, min(to_days(id)) FROM emp GROUP BY CUBE (dept);
SELECT id, min(to_days(dept)) OVER (ORDER BY id) AS a, max(to_days(dept)) OVER (PARTITION BY active) AS b FROM emp;

-- # constants

SELECT last(1 ORDER BY -1), last(1 ORDER BY (1)), last(1 ORDER BY 1 + 1.5);
-- both refuse
SELECT last(1 ORDER BY -1.5e0);
-- both refuse
SELECT last(1 ORDER BY (-1.5));
-- both refuse
SELECT last(x ORDER BY ('a')) FROM (VALUES (1), (2)) t(x);
-- both refuse
SELECT last(x ORDER BY (NULL)) FROM (VALUES (1), (2)) t(x);
-- both refuse
SELECT mode(7 ORDER BY x) FROM (VALUES (1), (2)) t(x);
-- both refuse
SELECT mode([1, 2] ORDER BY x) FROM (VALUES (1), (2)) t(x);
-- both refuse
SELECT mode(-0.5 ORDER BY x) FROM (VALUES (1), (2)) t(x);
-- tqp refuses
SELECT mode(1 - 1 ORDER BY x) FROM (VALUES (1), (2)) t(x);
SELECT mode(0.5 ORDER BY x), mode(1 ORDER BY x DESC), mode(NULL ORDER BY x), mode(true ORDER BY x), mode([0, 0.5] ORDER BY x) FROM (VALUES (1), (2)) t(x);
SELECT mode(0.5 ORDER BY x), mode(5 ORDER BY x, x) FROM (VALUES (1), (2)) t(x) WHERE x > 1;
-- aggregates of one column that different rows take part in
SELECT list(boss ORDER BY id), string_agg(boss, ',' ORDER BY id), arg_min(boss, score, 2 ORDER BY id), median(boss) FROM emp;
SELECT list(DISTINCT boss ORDER BY boss), string_agg(DISTINCT boss, ',' ORDER BY boss) FROM emp;
SELECT dept, list(boss), string_agg(boss, ','), string_agg(boss, NULL), string_agg(boss, '-') FROM (FROM emp ORDER BY id) GROUP BY dept ORDER BY dept;
-- several rows, those without a key behind all others
SELECT arg_min_nulls_last(a, b, 3), arg_max_nulls_last(a, b, 3), arg_min_nulls_last(a, b, 9), arg_max_nulls_last(b, a, 9) FROM (VALUES (1, 1), (4, 2), (NULL, 3), (5, NULL)) t(a, b);
SELECT dept, arg_min_nulls_last(name, id, 2), arg_max_nulls_last(id, hired, 3 ORDER BY id), arg_min_nulls_last(boss, score, id ORDER BY id) FROM emp GROUP BY dept;
SELECT id, arg_min_nulls_last(boss, id, 2) OVER (ORDER BY id), arg_max_nulls_last([id], {'a': id}, 2) OVER (ORDER BY id) FROM emp;
SELECT arg_min_nulls_last(id, id, 2), arg_min_nulls_last(id, id, 2) FILTER (WHERE false) FROM emp WHERE id > 1000;
-- both refuse
SELECT arg_min_nulls_last(id, id, 0) FROM emp;
-- both refuse
SELECT arg_max_nulls_last(id, id, NULL) FROM emp;
