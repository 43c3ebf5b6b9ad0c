-- lists of the values of a group
SELECT list(v ORDER BY v), array_agg(k ORDER BY v DESC NULLS FIRST, k), list(DISTINCT k ORDER BY k DESC), list(v ORDER BY v) FILTER (WHERE v > 5) FROM n;
SELECT dept, list(name ORDER BY id), list(salary ORDER BY id DESC), list(DISTINCT active ORDER BY active), list(hired ORDER BY id), count(*) FROM emp GROUP BY dept;
SELECT list(v), list(k) FILTER (WHERE false), array_agg(d) FROM empty;
SELECT k, list(v) FROM empty GROUP BY k;
SELECT list(NULL), list(1) FILTER (WHERE false);
SELECT k, list(NULL) FROM (VALUES (1), (2), (1), (1)) AS t(k) GROUP BY k;
SELECT list([id, dept] ORDER BY id), list({'a': name, 'b': id} ORDER BY id) FROM emp;
SELECT dept, active, list(id ORDER BY id) FROM emp GROUP BY CUBE (dept, active);
SELECT id, list(name ORDER BY id) OVER (PARTITION BY dept) AS a, list(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS b, list(DISTINCT dept ORDER BY dept) OVER (ORDER BY id) AS c FROM emp;
SELECT list(x ORDER BY x)[1], len(list(x)) FROM (SELECT id AS x FROM emp WHERE id > 3);
SELECT id, l FROM (SELECT dept AS id, list(salary ORDER BY id) AS l FROM emp GROUP BY dept) ORDER BY l, id;
-- both refuse
SELECT list(DISTINCT v ORDER BY k) FROM n;
-- both refuse
SELECT list(v, k) FROM n;
-- several of the least and greatest
SELECT min(v, 2), max(v, 3), min(k, 100), max(name, 2) FROM n, (SELECT max(name) AS name FROM emp);
SELECT dept, min(id, 2), max(salary, 2), arg_min(name, id, 2), arg_max(id, salary, 1), max(hired, 2) FROM emp GROUP BY dept;
SELECT min(x, 2), arg_min(y, x, 2), arg_max(y, x, 2) FROM (VALUES (3, 'a'), (1, NULL), (2, 'c'), (NULL, 'd')) t(x, y);
SELECT min(k, 2), arg_max(k, v, 2) FROM empty;
SELECT max(x, 2), min(x, 2) FROM (VALUES ('nan'::DOUBLE), (1), ('-inf'), (NULL)) t(x);
SELECT id, max(salary, 2) OVER (ORDER BY id) AS a FROM emp;
-- both refuse
SELECT min(v, 0) FROM n;
-- both refuse
SELECT min(v, 2.5) FROM n;
-- both refuse
SELECT arg_min_null(v, k, 2) FROM n;
-- how often values come
SELECT histogram(v), histogram(k) FROM n;
SELECT dept, histogram(name), histogram(active), histogram(score) FILTER (WHERE id > 1) FROM emp GROUP BY dept;
SELECT histogram(v) FROM empty;
SELECT approx_top_k(x, 2), approx_top_k(x, 1) FROM (VALUES (3), (3), (1), (1), (1), (2)) t(x);
SELECT approx_top_k(k, 2) FROM empty;
-- both refuse
SELECT approx_top_k(v, 0) FROM n;
-- lists of fractions
SELECT quantile_cont(v, [0.25, 0.5, 0.9]), quantile_disc(v, [0.1, 0.3, 0.7]), quantile(k, [0.5]), quantile_cont(v, [-0.25, -0.5]) FROM n;
SELECT dept, quantile_cont(salary, [0.5, 0.25]), quantile_disc(name, [0, 1]) FROM emp GROUP BY dept;
SELECT percentile_cont([0.25, 0.5]) WITHIN GROUP (ORDER BY v), reservoir_quantile(v, [0.5, 1]) FROM n;
SELECT quantile_cont(k, [0.5]), quantile_disc(v, [0.1]) FROM empty;
-- both refuse
SELECT quantile_cont(v, [0.1, 1.5]) FROM n;
-- both refuse
SELECT quantile_cont(v, [0.1, NULL]) FROM n;
-- both refuse
SELECT quantile_disc(v, [0.1, -0.9]) FROM n;
-- of nested values
SELECT min(x), max(x), median(x), quantile_disc(x, 0.1), mode(x ORDER BY x), first(x ORDER BY x DESC), entropy(x), count(DISTINCT x), arg_min(x, x) FROM (VALUES ([1, 2]), ([2]), ([2]), (NULL)) t(x);
SELECT min(x), max(x), arg_max(y, x), arg_min(x, y) FROM (VALUES ({'a': 1, 'b': 'x'}, 1), ({'a': 1, 'b': 'w'}, 2)) t(x, y);
SELECT approx_count_distinct(x), approx_count_distinct(DISTINCT x), approx_count_distinct(x) FILTER (x > [1, 2]) FROM (VALUES ([1, 2]), ([2]), (NULL), ([2])) t(x);
SELECT g, approx_count_distinct(x), approx_count_distinct(y) FROM (VALUES ({'a': 1}, MAP {1: 2}, 1), ({'a': 1}, MAP {1: 3}, 1), (NULL, NULL, 2)) t(x, y, g) GROUP BY g;
SELECT g, approx_count_distinct(x) OVER (ORDER BY g), approx_count_distinct(x) OVER (ORDER BY g ROWS 1 PRECEDING) FROM (VALUES ([1, 2], 1), ([2], 2), ([2], 3), (NULL, 4)) t(x, g);
SELECT histogram(x), entropy(x), approx_top_k(x, 1), list(DISTINCT x ORDER BY x) FROM (VALUES ([1, 2]), ([2]), ([2]), (NULL)) t(x);
-- both refuse
SELECT list(v ORDER BY 'a') FROM n;
-- both refuse
SELECT string_agg(w, ',' ORDER BY NULL) FROM m;
-- both refuse
SELECT sum(v ORDER BY 1.5) FROM n;
SELECT count(*), len(list(v ORDER BY 1)), len(list(v ORDER BY DATE '2020-01-01')) FROM n;
-- products and distances of lists of any size
SELECT list_dot_product(x, y), list_inner_product(x, y), list_negative_inner_product(x, y), list_distance(x, y), list_cosine_similarity(x, y), list_cosine_distance(x, y), x <-> y, x <=> y FROM (VALUES ([1, 2], [3, 4]), ([1.5, 2, 3], [1, 1, 1]), ([], []), (NULL, [1]), ([1], NULL), ([0, 0], [1, 2]), ([1e200, 1], [1e200, 2])) t(x, y);
SELECT list_dot_product(x, y), list_distance(x, y), list_dot_product(x, z), list_cosine_similarity(x, x) FROM (VALUES ([1, 2]::FLOAT[], [3, 4]::FLOAT[], [1.5, 2]::DOUBLE[]), ([7]::FLOAT[], [-1]::FLOAT[], [0.1]::DOUBLE[])) t(x, y, z);
SELECT list_dot_product(x, x), list_cosine_similarity(x, x) FROM (VALUES ([]::INTEGER[]), (NULL)) t(x) WHERE false;
SELECT a.i, b.i, list_distance(a.x, b.x) FROM (VALUES (1, [1, 2]), (2, [3, 4]), (3, NULL)) a(i, x) JOIN (VALUES (1, [1, 2]), (2, [5, 5])) b(i, x) ON a.i >= b.i ORDER BY 1, 2;
SELECT list_dot_product(range(x), range(x)), list_distance([x, x], range(2)) FROM range(5) t(x);
SELECT list_cosine_similarity([], l), list_cosine_distance(l, []), list_distance([], l), list_inner_product([], l), list_negative_inner_product(l, []) FROM (VALUES (NULL::DOUBLE[]), ([]), (NULL)) t(l);
SELECT list_cosine_similarity([], l), list_distance([]::FLOAT[], l), list_distance([1, NULL], l), list_distance([1, 2], l) FROM (SELECT NULL::FLOAT[] AS l);
SELECT list_cosine_similarity([], []), list_distance([], NULL), list_inner_product(NULL, []), list_distance([NULL], NULL::FLOAT[2]), list_distance([1, 2, 3], NULL::FLOAT[2]), list_distance([], NULL::FLOAT[2]);
SELECT list_distance([], l), list_distance([1, 2], l), list_distance([NULL], l) FROM (VALUES ([1])) t(l) WHERE false;
-- both refuse
SELECT list_distance([], l) FROM (VALUES (NULL::INTEGER[]), ([1])) t(l);
-- both refuse
SELECT list_distance([1, NULL], l) FROM (VALUES (NULL::INTEGER[]), ([1, 2])) t(l);
-- both refuse
SELECT list_distance([1, 2], [1, 2, 3]);
-- both refuse
SELECT list_distance([1, 2], v) FROM (SELECT [1, 2, 3]::FLOAT[3] AS v);
-- both refuse
SELECT list_distance([], ['a']);
-- both refuse
SELECT array_distance([]::FLOAT[], [1]::FLOAT[1]);
-- both refuse
SELECT list_dot_product(x, y) FROM (VALUES ([1, 2], [3, 4, 5])) t(x, y);
-- both refuse
SELECT list_dot_product(x, y) FROM (VALUES ([1, NULL], [3, 4])) t(x, y);
-- both refuse
SELECT list_dot_product(x, y) FROM (VALUES ([1, 2], [NULL, 4])) t(x, y);
-- both refuse
SELECT list_dot_product(x, y) FROM (VALUES (['a'], ['b'])) t(x, y);
-- both refuse
SELECT array_dot_product(x, y) FROM (VALUES ([1, 2], [3, 4])) t(x, y);
-- a histogram of NULL
SELECT histogram(NULL), typeof(histogram(NULL)), cardinality(histogram(NULL)), map_keys(histogram(NULL)) FROM emp;
SELECT id > 1, histogram(x) FROM (SELECT id, NULL AS x FROM emp) GROUP BY 1;
-- of no list at all
SELECT list_sum(NULL), list_bit_and(NULL), list_avg(NULL), list_count(NULL), list_aggregate(NULL, 'string_agg', ','), typeof(list_sum(NULL)), typeof(list_sum(NULL::INTEGER[]));
SELECT list_sum(x), list_histogram(x), list_max(x) FROM (SELECT NULL AS x FROM range(3));
