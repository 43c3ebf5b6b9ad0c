-- between two values
SELECT median(v), median(k) FROM n;
SELECT dept, median(salary), median(score), median(id), median(hired) FROM emp GROUP BY dept;
SELECT quantile_cont(v, 0.25), quantile_cont(v, 1), quantile_cont(v, 0), quantile_cont(v, -0.25), quantile_cont(v, 1e-1) FROM n;
SELECT dept, quantile_cont(salary, 0.3), quantile_cont(score, 0.9), quantile_cont(id, 1/3), quantile_cont(hired, 0.123) FROM emp GROUP BY dept;
SELECT median(moment), quantile_cont(moment, 0.3), quantile_cont(day, 0.77), median(amount), quantile_cont(amount, 0.2), median(moment::TIME), quantile_cont(moment::TIME, 0.61), median(moment::TIMESTAMPTZ) FROM events;
SELECT kind, median(moment), quantile_cont(amount, 0.4), quantile_cont(day, -0.4) FROM events GROUP BY kind;
SELECT median(x), median(y), median(z), quantile_cont(x, 0.3), quantile_cont(y, 0.35), quantile_cont(z, 0.9) FROM big;
SELECT median(huge), median(least), median(small), median(none), median(nothing), median(word) FROM flat;
SELECT median(x), quantile_cont(x, 0.3), quantile_cont(x, 0.8) FROM (VALUES ('nan'::DOUBLE), (1), ('-inf'), (-0.0), ('inf')) t(x);
SELECT median(x) FROM (VALUES (99999999999999999999999999999999999999::DECIMAL(38,0)), (99999999999999999999999999999999999998)) t(x);
SELECT median(x), quantile_cont(x, 0.1) FROM (VALUES (1.5::FLOAT), (2.25), (7)) t(x);
SELECT median(x), median(x::UTINYINT), median(x::UBIGINT), median(x::HUGEINT) FROM (VALUES (1::TINYINT), (2), (4), (4)) t(x);
SELECT median(NULL), mad(NULL), quantile_cont(NULL, 0.5);
SELECT median(k), quantile_cont(d, 0.5), quantile_disc(v, 0.5), mad(k), mode(v), entropy(v), approx_quantile(k, 0.5), reservoir_quantile(d, 0.5) FROM empty;
SELECT k, median(d), mad(d), mode(v) FROM empty GROUP BY k;
-- one of the values
SELECT median(name), median(active), quantile_disc(name, 0.3), quantile_disc(hired, 0.5), quantile_disc(salary, 0.25), quantile_disc(score, 0.75), quantile_disc(active, 0.5) FROM emp;
SELECT dept, median(name), quantile_disc(name, 0.9), quantile(id, 0.5), quantile(name, -0.5) FROM emp GROUP BY dept;
SELECT quantile_disc(x, 0.3), quantile_disc(x, 0.7), quantile_disc(x, 7e-1), quantile_disc(x, 0.1), quantile_disc(x, 0.1::DOUBLE), quantile_disc(x, 0.3::FLOAT), quantile_disc(x, -0.3), quantile_disc(x, 0), quantile_disc(x, 1) FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) t(x);
SELECT quantile_disc(to_days(id), 0.4), median(to_months(id)) FROM emp;
SELECT median(DISTINCT v), quantile_disc(DISTINCT v, 0.5), quantile_cont(DISTINCT v, 0.3) FILTER (WHERE v > 0), mad(DISTINCT v), entropy(DISTINCT v), mode(DISTINCT v ORDER BY v) FROM n;
SELECT dept, active, median(salary), quantile_disc(name, 0.5), mad(id), entropy(name) FROM emp GROUP BY GROUPING SETS ((dept), (active), (dept, active), ());
SELECT median(salary) AS a, sum(id) AS b FROM emp GROUP BY dept HAVING median(id) > 2 ORDER BY median(id), b;
-- in an order
SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY v), percentile_disc(0.25) WITHIN GROUP (ORDER BY v DESC), percentile_cont(0.25) WITHIN GROUP (ORDER BY v DESC) FROM n;
SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY id) FILTER (WHERE id > 3) FROM emp;
SELECT quantile_cont(v, 0.25 ORDER BY v DESC), quantile_cont(v, 0.25 ORDER BY k), quantile_cont(v, 0.25 ORDER BY k DESC), quantile(v, 0.25 ORDER BY v DESC), quantile_cont(v, 0.3 ORDER BY v DESC, k), median(v ORDER BY v DESC) FROM n;
SELECT quantile_cont(0.25 ORDER BY v), quantile_disc(0.25 ORDER BY v DESC) FROM n;
SELECT mode(v ORDER BY v), mode(v ORDER BY v DESC), mode(k ORDER BY v, k), mode() WITHIN GROUP (ORDER BY k), mode() WITHIN GROUP (ORDER BY k DESC) FROM n;
SELECT dept, mode(salary ORDER BY id), mode(name ORDER BY id DESC), mode(score ORDER BY id), mode(hired ORDER BY id) FROM emp GROUP BY dept;
SELECT mode(x) FROM (VALUES (1), (2), (2), (NULL), (NULL), (NULL)) t(x);
SELECT mode(x) FROM (VALUES (0.0::DOUBLE), (-0.0), ('nan'), ('nan'), ('nan')) t(x);
-- both refuse
SELECT percentile_cont(-0.25) WITHIN GROUP (ORDER BY v) FROM n;
-- both refuse
SELECT quantile_cont(v, -0.25 ORDER BY v) FROM n;
-- both refuse
SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY v, k) FROM n;
-- both refuse
SELECT percentile_cont(DISTINCT 0.25) WITHIN GROUP (ORDER BY v) FROM n;
-- both refuse
SELECT percentile_cont(v, 0.25) FROM n;
-- both refuse
SELECT quantile(0.25) WITHIN GROUP (ORDER BY v) FROM n;
-- both refuse
SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY v) OVER () FROM n;
-- both refuse
SELECT mode(k) WITHIN GROUP (ORDER BY v) FROM n;
-- both refuse
SELECT mode() FROM n;
-- both refuse
SELECT quantile_cont(v, 1.5) FROM n;
-- both refuse
SELECT quantile_cont(v, NULL) FROM n;
-- both refuse
SELECT quantile_cont(v, k) FROM n;
-- both refuse
SELECT quantile_cont(v, '0.5') FROM n;
-- both refuse
SELECT quantile_disc(v) FROM n;
-- both refuse
SELECT quantile_cont(name, 0.5) FROM emp;
-- both refuse
SELECT quantile_cont(active, 0.5) FROM emp;
-- both refuse
SELECT median(v, 2) FROM n;
-- both refuse
SELECT mad(name) FROM emp;
-- distances from the median
SELECT mad(v), mad(k) FROM n;
SELECT dept, mad(salary), mad(score), mad(id), mad(hired) FROM emp GROUP BY dept;
SELECT mad(moment), mad(day), mad(amount), mad(moment::TIME) FROM events;
SELECT mad(x), mad(y), mad(z) FROM (SELECT x / 10 AS x, y, z FROM big);
SELECT mad(x) FROM (VALUES ('nan'::DOUBLE), (1), (2)) t(x);
SELECT mad(x), mad(x::HUGEINT) FROM (VALUES ((-128)::TINYINT), (127), (5)) t(x);
-- how much a value tells
SELECT entropy(v), entropy(k), entropy(DISTINCT v), entropy(NULL) FROM n;
SELECT dept, entropy(name), entropy(salary), entropy(id) FILTER (WHERE id > 100) FROM emp GROUP BY dept;
SELECT entropy(x) FROM (VALUES (0.0::DOUBLE), (-0.0), ('nan'), ('nan')) t(x);
-- both refuse
SELECT entropy(1, 2);
-- quantiles that DuckDB estimates: of these values both are exact
SELECT reservoir_quantile(x, 0.3), reservoir_quantile(x, 0.99), reservoir_quantile(x, 0.5, 100), reservoir_quantile(x::FLOAT, 0.5), reservoir_quantile(x::DECIMAL(9,2), 0.7) FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) t(x);
SELECT approx_quantile(x, 0.5), approx_quantile(x, 0), approx_quantile(x, 1), approx_quantile(x::DOUBLE, 0.5), approx_quantile(x::DATE, 0.5), approx_quantile(x::DECIMAL(9,1), 0.5), approx_quantile(x::UINTEGER, 0.5), approx_quantile(x::UBIGINT, 1) FROM (SELECT x::INTEGER AS x FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8)) t(x)) WHERE false;
SELECT approx_quantile(x, 0.5), approx_quantile(x::FLOAT, 0.5), approx_quantile(x::UINTEGER, 0.5), approx_quantile(x::TINYINT, 0.5), approx_quantile(x::UBIGINT, 1), reservoir_quantile(x::UBIGINT, 1), reservoir_quantile(x::UTINYINT, 1), approx_quantile(NULL, 0.5) FROM (VALUES (0)) t(x);
SELECT approx_quantile(x, 0.5), approx_quantile(x, 0), approx_quantile(x, 1), approx_quantile(x::DECIMAL(9,1), 0.5), approx_quantile(DATE '2020-01-01' + x, 0.5) FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8)) t(x);
-- both refuse
SELECT approx_quantile(v, -0.5) FROM n;
-- both refuse
SELECT approx_quantile(name, 0.5) FROM emp;
-- both refuse
SELECT reservoir_quantile(v, 0.5, 0) FROM n;
-- both refuse
SELECT reservoir_quantile(v, 0.5, k) FROM n;
-- both refuse
SELECT reservoir_quantile(hired, 0.5) FROM emp;
-- from above
SELECT quantile_cont(v, [0.1, 0.5] ORDER BY v DESC), quantile_disc(v, [0.1, 0.5, 0.3] ORDER BY v DESC), quantile_disc([0.1, 0.5] ORDER BY v DESC) FROM n;
SELECT percentile_cont([0.1, 0.5, 0, 1]) WITHIN GROUP (ORDER BY v DESC), percentile_disc([0, 0.5]) WITHIN GROUP (ORDER BY v DESC), percentile_disc([0]) WITHIN GROUP (ORDER BY v DESC) FROM n;
SELECT dept, quantile_disc(id, [0.25, 0.75] ORDER BY id DESC), percentile_cont([0.5::DOUBLE]) WITHIN GROUP (ORDER BY score DESC) FROM emp GROUP BY dept;
SELECT quantile_disc(v, 0 ORDER BY v DESC), quantile_disc(v, 0.0 ORDER BY v DESC), quantile_cont(v, 0::DOUBLE ORDER BY v DESC) FROM n;
SELECT percentile_disc(0) WITHIN GROUP (ORDER BY v DESC), percentile_cont(0.0) WITHIN GROUP (ORDER BY v DESC), percentile_cont(1) WITHIN GROUP (ORDER BY v DESC) FROM n;
SELECT quantile_disc(v, [0, -0.1]), quantile_cont(v, [-1, 0, -0.5]) FROM n;
SELECT quantile_cont(k, [0.1, 0.5] ORDER BY k DESC), quantile_disc(v, [0, 0.5] ORDER BY v DESC) FROM empty;
-- both refuse
SELECT quantile_disc(v, [0.1, 1.5] ORDER BY v DESC) FROM n;
-- both refuse
SELECT quantile_disc(v, [0.1, NULL] ORDER BY v DESC) FROM n;
-- both refuse
SELECT quantile_disc(v, [-0.1] ORDER BY v DESC) FROM n;
-- both refuse
SELECT quantile_disc(NULL, [3.2]) FROM n;
-- both refuse
SELECT quantile_disc(v, [0.2, -0.1]) FROM n WHERE false;
-- both refuse
SELECT quantile_cont(k, [NULL]) FROM empty;
-- values further apart than 128 bits, or 64, count
SELECT g, median(d), quantile_cont(d, 0.25), quantile_cont(d, [0.001, 0.5]), mad(d), approx_quantile(d, 0.5) FROM (VALUES (1, '99999999999999999999999999999999999999'::DECIMAL(38, 0), '-9223372036854775808'::BIGINT), (1, '-99999999999999999999999999999999999999'::DECIMAL(38, 0), 9223372036854775807), (2, 6, 7), (2, 7, 7), (3, NULL, NULL)) far(g, d, b) GROUP BY g ORDER BY g;
SELECT g, median(b), quantile_cont(b, 0.25), mad(b), approx_quantile(b, 0.5) FROM (VALUES (1, '99999999999999999999999999999999999999'::DECIMAL(38, 0), '-9223372036854775808'::BIGINT), (1, '-99999999999999999999999999999999999999'::DECIMAL(38, 0), 9223372036854775807), (2, 6, 7), (2, 7, 7), (3, NULL, NULL)) far(g, d, b) GROUP BY g ORDER BY g;
-- no fractions
SELECT quantile_cont(v, []), quantile_disc(v, []), quantile(k, []), quantile_cont(v::DOUBLE, []), quantile_cont(v, []::DOUBLE[]), quantile_disc(k::VARCHAR, []) FROM n;
SELECT k, quantile_cont(v, []), quantile_cont(DATE '2020-01-01' + k, []) FROM n GROUP BY k ORDER BY k;
SELECT quantile_cont(v, []), quantile_disc(v, []) FROM n WHERE k > 9;
SELECT k, quantile_cont(v, []) OVER (ORDER BY k) FROM n;
-- a computed list of fractions, of values that descend
SELECT k, quantile_disc(v, list_reverse([0.1, 0.0, 1]) ORDER BY v DESC), quantile_cont(v, list_reverse([0.1, 0.25]) ORDER BY v DESC), quantile_disc(v, [0, 0.5][1:1] ORDER BY v DESC), quantile_cont(v, [x / 4 for x in [0.0, 0.0]] ORDER BY v DESC) FROM n GROUP BY k;
SELECT percentile_cont(list_reverse([0.1, 0.5])) WITHIN GROUP (ORDER BY v DESC), percentile_disc([x / 10::DOUBLE for x in [1, 5]]) WITHIN GROUP (ORDER BY v DESC) FROM n;
-- both refuse
SELECT quantile_disc(v, list_reverse([-0.25, 0.0]) ORDER BY v DESC) FROM n;
-- both refuse
SELECT quantile_disc(v, list_reverse([NULL, 0.5]) ORDER BY v DESC) FROM n;
-- between instants and numbers that are far apart
SELECT median(v)::VARCHAR, quantile_cont(v, 0.25)::VARCHAR, quantile_cont(v, 0.9)::VARCHAR, quantile_cont(v, -0.9)::VARCHAR, quantile_cont(v, -0.2)::VARCHAR, quantile_cont(v, 0)::VARCHAR, quantile_cont(v, 1)::VARCHAR FROM (VALUES ('290309-12-22 (BC) 00:00:00'::TIMESTAMP), ('294247-01-10 04:00:54.775806'::TIMESTAMP)) t(v);
SELECT median(v)::VARCHAR FROM (VALUES ('1677-09-22'::TIMESTAMP_NS), ('2262-04-11 23:47:16.854775806'::TIMESTAMP_NS)) t(v);
SELECT quantile_cont(v, 0.25)::VARCHAR, quantile_cont(v, 0.9)::VARCHAR FROM (VALUES ('1677-09-22'::TIMESTAMP_NS), ('2262-04-11 23:47:16.854775806'::TIMESTAMP_NS)) t(v);
SELECT median(v)::VARCHAR, quantile_cont(v, 0.25)::VARCHAR, quantile_cont(v, 0.9)::VARCHAR, quantile_cont(v, 0)::VARCHAR, quantile_cont(v, 1)::VARCHAR FROM (VALUES ('-infinity'::TIMESTAMP), ('infinity'::TIMESTAMP)) t(v);
SELECT median(v)::VARCHAR, quantile_cont(v, 0.25)::VARCHAR, quantile_cont(v, 0.9)::VARCHAR FROM (VALUES ('-infinity'::DATE), ('2020-01-01'::DATE), ('infinity')) t(v);
SELECT median(v), quantile_cont(v, 0.25), quantile_cont(v, 0.9) FROM (VALUES ('-3.4028235e38'::FLOAT), ('3.4028235e38'::FLOAT)) t(v);
SELECT i, median(v) OVER (ORDER BY i)::VARCHAR FROM (VALUES (1, '290309-12-22 (BC) 00:00:00'::TIMESTAMP), (2, '294247-01-10 04:00:54.775806')) t(i, v) ORDER BY i;
SELECT mad(v)::VARCHAR FROM (VALUES ('290309-12-22 (BC) 00:00:00'::TIMESTAMP), ('294247-01-10 04:00:54.775806'::TIMESTAMP)) t(v);
-- both refuse
SELECT mad(v)::VARCHAR FROM (VALUES ('290309-12-22 (BC) 00:00:00'::TIMESTAMP), ('290309-12-22 (BC) 00:00:00'), ('294247-01-10 04:00:54.775806')) t(v);
-- both refuse
SELECT mad(v) OVER (ORDER BY i) FROM (VALUES (1, '290309-12-22 (BC) 00:00:00'::TIMESTAMP), (2, '290309-12-22 (BC) 00:00:00'), (3, '294247-01-10 04:00:54.775806')) t(i, v);
