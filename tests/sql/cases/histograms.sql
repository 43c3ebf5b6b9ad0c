-- histograms of bins
SELECT histogram(x, [5,1,3,3]) FROM (VALUES (1),(2),(3),(4),(6),(NULL)) t(x);
SELECT histogram(x, []) FROM (VALUES (1),(2)) t(x);
-- both refuse
SELECT histogram(x, NULL) FROM (VALUES (1),(2)) t(x);
-- both refuse
SELECT histogram(x, [1, NULL]) FROM (VALUES (1),(2)) t(x);
SELECT histogram(x, [1, 2]) FROM (VALUES (NULL::INT)) t(x);
SELECT g, histogram(x, [1, 2]), histogram_exact(x, [3]) FROM (VALUES (NULL::INT,1), (3,2), (2,3), (1,3)) t(x,g) GROUP BY g ORDER BY g;
SELECT g, histogram(x, b), histogram_exact(x, b) FROM (VALUES (1,[1,2],1),(2,[5],1),(3,[7],2)) t(x,b,g) GROUP BY g ORDER BY g;
-- both refuse
SELECT g, histogram(x, b) FROM (VALUES (1,NULL,1),(2,[5],1),(3,[7],2)) t(x,b,g) GROUP BY g ORDER BY g;
SELECT histogram(x, b) FROM (VALUES (NULL,[1,NULL]),(2,[3])) t(x,b);
SELECT histogram(x, b) FROM (VALUES (1,[1]),(2,NULL)) t(x,b);
SELECT histogram(x, [1.5, 2.5]) FROM (VALUES (1),(2),(3)) t(x);
SELECT histogram(x::DOUBLE, [1, 2]) FROM (VALUES (1),(2),(3)) t(x);
SELECT histogram_exact('-inf'::DOUBLE, [1.0::DOUBLE]), histogram('-inf'::DOUBLE, [1.0::DOUBLE]), histogram(-0.0::DOUBLE, [0.0::DOUBLE]), histogram_exact(-0.0::DOUBLE, [0.0::DOUBLE]);
SELECT histogram(x, ['b', 'd']), histogram_exact(x, ['b', 'd']) FROM (VALUES ('a'),('b'),('c'),('e')) t(x);
SELECT histogram(x, [DATE '2020-01-01']), histogram(x, [TIMESTAMP '2020-01-01']) FROM (VALUES (DATE '2020-01-01'), (DATE '2021-01-01')) t(x);
SELECT histogram(x, [TIMESTAMP '2020-01-01']) FROM (VALUES (TIMESTAMP '2020-01-01'), (TIMESTAMP '2021-01-01')) t(x);
SELECT histogram(x, [TIME '10:00']) FROM (VALUES (TIME '10:00'), (TIME '11:00')) t(x);
SELECT histogram(x, [false]), histogram(x, [true]), histogram_exact(x, [true]) FROM (VALUES (true), (false)) t(x);
SELECT histogram(x, [INTERVAL 1 day]) FROM (VALUES (INTERVAL 1 day), (INTERVAL 1 month)) t(x);
SELECT histogram(x, [[1]]), histogram_exact(x, [[1]]) FROM (VALUES ([1]), ([2]), ([0])) t(x);
SELECT histogram(x, [{'a':1}]), histogram_exact(x, [{'a':1}]) FROM (VALUES ({'a':1}), ({'a':2}), ({'a':0})) t(x);
SELECT histogram(x, ['\x01'::BLOB]) FROM (VALUES ('\x00'::BLOB), ('\x02'::BLOB)) t(x);
SELECT histogram(x, [300]) FROM (VALUES (1::TINYINT), (3::TINYINT)) t(x);
-- both refuse
SELECT histogram(x, ['1']) FROM (VALUES (1), (3)) t(x);
-- both refuse
SELECT histogram(x, 3) FROM (VALUES (1), (3)) t(x);
SELECT histogram(DISTINCT x, [2]), histogram(x, [2] ORDER BY x), histogram(x, [2]) FILTER (WHERE x > 1) FROM (VALUES (1), (1), (3)) t(x);
SELECT x, histogram(x, [2]) OVER (ORDER BY x), histogram_exact(x, [1]) OVER (ORDER BY x ROWS 1 PRECEDING) FROM (VALUES (1), (1), (3)) t(x);
SELECT histogram(x, range(0, 5, 2)) FROM (VALUES (1), (1), (3)) t(x);
SELECT histogram(NULL, [1]);
SELECT histogram(x, [1]::INTEGER[1]) FROM (VALUES (1), (1), (3)) t(x);
SELECT histogram('b'::ENUM('a','b'), ['a']);
SELECT histogram([1,2]::INTEGER[2], [[1,1]]);
SELECT histogram(MAP{1:2}, [MAP{1:1}]);
-- both refuse
SELECT histogram_exact(x, [2147483647]) FROM (VALUES (1), (2147483647)) t(x);
-- both refuse
SELECT histogram('b', ['']);
-- what stands for the values in no bin
SELECT is_histogram_other_bin(5), is_histogram_other_bin(2147483647), is_histogram_other_bin(NULL::INT), is_histogram_other_bin('');
SELECT is_histogram_other_bin('inf'::DOUBLE), is_histogram_other_bin('nan'::DOUBLE), is_histogram_other_bin(DATE 'infinity'), is_histogram_other_bin(TIMESTAMP 'infinity'), is_histogram_other_bin(true);
SELECT is_histogram_other_bin(127::TINYINT), is_histogram_other_bin(99.99::DECIMAL(4,2)), is_histogram_other_bin(9223372036854775807), is_histogram_other_bin([1]), is_histogram_other_bin({'a': NULL}), is_histogram_other_bin([]::INT[]);
SELECT is_histogram_other_bin(TIME '24:00:00'), is_histogram_other_bin(INTERVAL 1 day), is_histogram_other_bin('-inf'::DOUBLE), is_histogram_other_bin(NULL);
SELECT is_histogram_other_bin([1]::INTEGER[1]), is_histogram_other_bin(170141183460469231731687303715884105727::HUGEINT), is_histogram_other_bin({'a':NULL, 'b':1}), is_histogram_other_bin(MAP{1:2});
SELECT is_histogram_other_bin(x) FROM (VALUES (1),(2147483647),(NULL)) t(x);
-- both refuse
SELECT is_histogram_other_bin(5, 6);
-- of lists
SELECT list_histogram([NULL]);
SELECT list_histogram([1,1,2]), list_aggregate([1,1,2], 'histogram'), list_histogram(['a','b','a']);
SELECT list_aggregate([1,2,5], 'quantile', 0.5), list_aggregate([1,2,5], 'min', 2), list_aggregate([1,2,5], 'histogram', [2]), list_aggregate([1,2,5], 'histogram_exact', [2]);
SELECT list_min([[2],[1],[3]]), list_max([[2],[1],[3]]), list_min([INTERVAL 1 day, INTERVAL 1 hour]), list_aggregate([3,1,2], 'arg_min', 1);
SELECT list_aggregate(l, 'string_agg', '|') FROM (VALUES (['a','b']), (NULL), ([]), (['c', NULL])) t(l);
SELECT list_aggregate(l, 'first'), list_any_value(l), list_last(l), list_sum(l), list_avg(l), list_count(l), list_mode(l), list_median(l) FROM (VALUES ([NULL,1,2]), (NULL), ([]), ([3, NULL])) t(l);
-- both refuse
SELECT list_aggregate([1,2,5], 'quantile');
SELECT histogram('nan'::DOUBLE, [1.0::DOUBLE,2]), histogram_exact('nan'::DOUBLE, [1.0::DOUBLE,2]);
SELECT histogram(5::UBIGINT, [1])::VARCHAR, histogram(5::FLOAT, [1]), histogram(5::USMALLINT, [1]), histogram(2.5::DECIMAL(3,1), [1.55]);
SELECT dept, histogram(salary, [3000, 4000]), histogram_exact(name, ['ann', 'bob']), histogram(score, [1, 2, 3]) FROM emp GROUP BY dept;
SELECT histogram(k, [1]), histogram_exact(k, [1]) FROM empty;
-- points of a line
SELECT lttb(x, y, 3) FROM (VALUES (1::DOUBLE, 'nan'::DOUBLE), (2, 1), (3, 'nan'), (4, 5), (5, 'inf')) t(x,y);
SELECT lttb(x, y, 4) FROM (VALUES (1::DOUBLE, 0::DOUBLE), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7,0)) t(x,y);
SELECT lttb(i::DOUBLE, sin(i)::DOUBLE, 5 ORDER BY i) FROM range(40) t(i);
SELECT i%3, lttb(i::DOUBLE, sin(i)::FLOAT, 5 ORDER BY i), lttb(i, cos(i), 2 ORDER BY i), lttb(i, cos(i), 30 ORDER BY i) FROM range(40) t(i) GROUP BY 1;
SELECT lttb(DATE '2020-01-01' + i::INT, i*i%7, 4 ORDER BY i) FILTER (WHERE i > 3), lttb(DISTINCT TIMESTAMP '2020-01-01', 1::FLOAT, 4) FROM range(40) t(i);
SELECT lttb(x, 5::DOUBLE, 10000000000) FROM (VALUES (1::DOUBLE)) t(x);
SELECT lttb(x, 5::DOUBLE, 3) FROM (VALUES (NULL::DOUBLE)) t(x);
SELECT lttb(x, 5::DOUBLE, 3) FROM (VALUES (1::DOUBLE)) t(x) WHERE false;
-- both refuse
SELECT lttb(x, 5::DOUBLE, 1) FROM (VALUES (1::DOUBLE)) t(x);
-- both refuse
SELECT lttb(x, 5::DOUBLE, NULL) FROM (VALUES (1::DOUBLE)) t(x);
-- both refuse
SELECT lttb(x, 5::DOUBLE, x::INT) FROM (VALUES (1::DOUBLE)) t(x);
SELECT lttb(x, y, 3) OVER (ORDER BY x ROWS 4 PRECEDING) FROM (VALUES (1.0::DOUBLE, 1.0::DOUBLE), (2, 1), (3, 2), (4, 8), (5, 1)) t(x,y);
SELECT lttb(TIMESTAMP '2020-01-01', 1::FLOAT, 3), lttb(TIMESTAMP_S '2020-01-01', 1::INT, '3');
-- both refuse
SELECT lttb('1', 1::DOUBLE, 3);
-- both refuse
SELECT lttb(TIME '10:00', 1::DOUBLE, 3);
SELECT dept, lttb(id, score, 2 ORDER BY id) FROM emp GROUP BY dept;
SELECT lttb(k, k, 2) FROM empty;
SELECT b, is_histogram_other_bin(b), is_histogram_other_bin(i), is_histogram_other_bin(u) FROM (VALUES (true, 1, MAP {1: 1}), (NULL, NULL, NULL)) t(b, i, u);
-- bins of one width
SELECT equi_width_bins(0, 10, 2, true), equi_width_bins(0, 10, 3, false), equi_width_bins(1::TINYINT, 100::TINYINT, 3, false), equi_width_bins(1, 100::SMALLINT, 3, false);
SELECT equi_width_bins(1.5, 100.25, 3, false), equi_width_bins(1.5, 5, 3, true), equi_width_bins(1, 5.5, 3, true), equi_width_bins(1::FLOAT, 2.5::FLOAT, 4, false), equi_width_bins(1::HUGEINT, 5::HUGEINT, 4, false);
SELECT equi_width_bins('1', 5, 3, false), equi_width_bins(1, '5', '3', 'true'), equi_width_bins(1, NULL::INT, 3, false), equi_width_bins(5, 5, 3, true), equi_width_bins(0, 1, 10000, true);
SELECT equi_width_bins(-17, 23, 7, true), equi_width_bins(-17, -3, 7, false), equi_width_bins(-9223372036854775808, 9223372036854775807, 4, true), equi_width_bins(-1e308::DOUBLE, 1e308, 3, true), equi_width_bins(0, 1e-300::DOUBLE, 3, true), equi_width_bins(0, 5e-324::DOUBLE, 3, false);
SELECT equi_width_bins(DATE '2020-01-01', DATE '2020-12-31', 4, true), equi_width_bins(DATE '2020-01-01', TIMESTAMP '2020-02-01', 3, true), equi_width_bins(TIMESTAMP '290000-01-01', TIMESTAMP '294246-01-01', 3, true)::VARCHAR;
SELECT equi_width_bins(TIMESTAMP '2020-01-31 10:20:30.5', TIMESTAMP '2020-05-31 23:59:59', n, true), equi_width_bins(TIMESTAMP '2020-01-31 10:20:30.5', TIMESTAMP '2020-01-31 10:20:59', n, true) FROM (VALUES (1), (3), (50)) t(n);
SELECT equi_width_bins(a, b, n, x) FROM (VALUES (1,2,3,true), (3,9,2,false), (NULL,2,1,true), (1,NULL,2,true), (1,30,NULL,true), (1,30,2,NULL)) t(a, b, n, x);
-- both refuse
SELECT equi_width_bins(5, 1, 3, true);
-- both refuse
SELECT equi_width_bins(1, 5, 0, true);
-- both refuse
SELECT equi_width_bins('inf'::DOUBLE, 'nan'::DOUBLE, 2, true);
-- both refuse
SELECT equi_width_bins(TIME '10:00', TIME '12:00', 4, false);
-- both refuse
SELECT equi_width_bins(100::TINYINT, 127::TINYINT, 3, true);
-- both refuse
SELECT equi_width_bins(1, 5, 3.4, false);
-- of a table
FROM histogram(emp, id);
FROM histogram(emp, salary, bin_count := 4);
FROM histogram('emp', name);
FROM histogram_values(emp, id * 1.5::DOUBLE);
FROM histogram_values(emp, hired, 3, 'equi-width');
SELECT h.bin, count FROM histogram(emp, dept, technique := 'equi-height', bin_count => 2) h WHERE count > 1;
SELECT x FROM histogram_values(emp, id + 1) AS h(x, y);
WITH c AS (SELECT salary AS s FROM emp WHERE id > 2) FROM histogram(c, CASE WHEN s > 10 THEN s END);
FROM histogram_values(emp, id::HUGEINT) UNION ALL FROM histogram_values(emp, id::DECIMAL(9, 2));
SELECT (SELECT count(*) FROM histogram_values(emp, active)), (SELECT count(*) FROM histogram(emp, NULL::INT));
-- both refuse
FROM histogram(emp, id, technique := 'any');
-- both refuse
FROM histogram(emp, emp.id);
-- both refuse
FROM histogram(emp, name, technique := 'equi-width');
-- both refuse
FROM histogram(emp);
-- both refuse
FROM histogram(emp, max(id));
-- both refuse
FROM histogram(emp, id, bin_count := 5, 'equi-width');
