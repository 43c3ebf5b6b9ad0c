-- rows and the columns of a query: equal where all parts are, NULL where one leaves it open
SELECT k, v, (k, v) IN (SELECT k, v FROM n WHERE k < 3) AS a, (k, v) NOT IN (SELECT k, v FROM n WHERE v > 9) AS b FROM n;
SELECT (k, v) = ANY (SELECT k, v FROM n WHERE k < 3), (k, v) <> ALL (SELECT k, v FROM n WHERE v > 9) FROM n;
SELECT row(k, v) IN (SELECT k, v FROM n WHERE k > 1), ((k, v)) = SOME (SELECT * FROM n WHERE v IS NULL), (row(k, v)) IN (SELECT 1, 10) FROM n;
SELECT (k, v) <> ANY (SELECT k, v FROM n WHERE k = 2), (k, v) = ALL (SELECT k, v FROM n WHERE v = 20) FROM n;
SELECT (k, v) <> ANY (SELECT 1, NULL), (k, v) = ALL (SELECT NULL, 10), (k, v) <> ANY (SELECT 1, 2 WHERE false), (k, v) = ALL (SELECT 1, 2 WHERE false) FROM n;
SELECT k, v FROM n WHERE (k, v) = ANY (SELECT k, v FROM n WHERE v > 9);
SELECT k, v FROM n WHERE (k, v) = ALL (SELECT k, v FROM n WHERE v = 20);
SELECT k, v FROM n WHERE (k, v) <> ALL (SELECT k, v FROM n WHERE v > 9);
SELECT (k, 'a') IN (SELECT k, w FROM m), (k, v, k) IN (SELECT 1, 10, 1) FROM n;
SELECT row(k) IN (SELECT k FROM m), row(k) = ANY (SELECT k FROM m WHERE k IS NOT NULL), row(k) <> ALL (SELECT k FROM m) FROM n;
-- in order as structs are: no NULL leaves it open
SELECT k, v, (k, v) < ANY (SELECT 2, 20) AS a, (k, v) <= ANY (SELECT 2, NULL) AS b, (k, v) > ANY (SELECT NULL, 2) AS c, (k, v) >= ANY (SELECT NULL, NULL) AS d FROM n;
SELECT k, v, (k, v) < ALL (SELECT k, v FROM n WHERE k = 2) AS a, (k, v) >= ALL (SELECT k, v FROM n) AS b, (k, v) > ALL (SELECT 1, 2 WHERE false) AS c FROM n;
SELECT k, v FROM n WHERE (k, v) >= ANY (SELECT k, v FROM n WHERE k = 2);
SELECT k, v FROM n WHERE (k, v) < ALL (SELECT k, v FROM n WHERE k > 1);
SELECT (1, 2) < ANY (SELECT 1.5, 2), (1, 'b') > ALL (SELECT 1, 'a'), (NULL, NULL) < ANY (SELECT 1, 2), row(1, 2) < ANY (SELECT 1, 3);
SELECT row(k) < ANY (SELECT row(k) FROM m WHERE k < 3), row(k) < row(3) FROM n;
-- a query of one column that has rows
SELECT k, v, (k, v) IN (SELECT (k, v) FROM n WHERE k < 3) AS a, (k, v) = ANY (SELECT (k, v) FROM n WHERE v IS NULL) AS b, (k, v) <> ALL (SELECT row(k, v) FROM n WHERE k = 1) AS c FROM n;
SELECT k, v, (k, v) <> ANY (SELECT (k, v) FROM n WHERE k = 2) AS a, (k, v) = ALL (SELECT (NULL, 10)) AS b, (k, v) < ANY (SELECT (k, v) FROM n WHERE k = 2) AS c FROM n;
SELECT k, v FROM n WHERE (k, v) NOT IN (SELECT (k, v) FROM n WHERE v > 9);
-- values that are rows, of fields without names
SELECT u, u IN (SELECT k, v FROM n WHERE k < 3) AS a, u <> ANY (SELECT k, v FROM n WHERE k = 2) AS b, u < ANY (SELECT k, v FROM n WHERE k = 2) AS c FROM (SELECT (k, v) AS u FROM n UNION ALL SELECT NULL);
SELECT u, u IN (SELECT (k, v) FROM n WHERE k < 3) AS a, u <> ANY (SELECT (k, v) FROM n WHERE k = 2) AS b, u = ALL (SELECT (k, v) FROM n WHERE v = 20) AS c FROM (SELECT (k, v) AS u FROM n UNION ALL SELECT NULL);
SELECT s IN (SELECT (k, v) FROM n WHERE k < 3), s <> ANY (SELECT {'k': k, 'v': v} FROM n WHERE k = 2), s > ALL (SELECT {'k': k, 'v': v} FROM n WHERE k = 2) FROM (SELECT {'k': k, 'v': v} AS s FROM n);
SELECT (k, [v]) IN (SELECT k, [v] FROM n WHERE k < 3), (k, [v]) <> ANY (SELECT 1, [10]), (k, [v]) < ANY (SELECT 1, [20]) FROM n;
-- VALUES
SELECT k, (k, v) IN (VALUES (1, 10), (2, 20)), (k, v) = ANY (VALUES (1, 10), (2, 20)), (k, v) < ALL (VALUES (1, 11), (2, 20)), k IN (VALUES (1), (2)), k > ALL (VALUES (1), (2)) FROM n;
-- in the clauses of a query
SELECT (k, v) IN (SELECT k, v FROM n WHERE k < 3) AS a, count(*) FROM n GROUP BY a ORDER BY a;
SELECT a.k, b.k FROM n a LEFT JOIN m b ON (a.k, b.k) IN (SELECT k, k FROM n WHERE k > 1);
SELECT k, max(v) FROM n GROUP BY k HAVING (k, max(v)) >= ANY (SELECT 2, 20);
-- both refuse
SELECT (k, v, 1) IN (SELECT k, v FROM n) FROM n;
-- both refuse
SELECT (k, v) < ANY (SELECT k FROM n) FROM n;
-- both refuse
SELECT (k, v) IN (SELECT (k, v, 1) FROM n) FROM n;
-- both refuse
SELECT (k, v) IN (SELECT {'k': k, 'v': v} FROM n) FROM n;
-- both refuse
SELECT {'k': k, 'v': v} IN (SELECT k, v FROM n) FROM n;
-- both refuse
SELECT row(k) < ANY (SELECT k FROM m) FROM n;
-- both refuse
SELECT k < ANY (SELECT k, v FROM n) FROM n;
-- both refuse
SELECT (1, 2) IN (SELECT 1, '2');
-- the type TUPLE
SELECT '(1, x)'::TUPLE(INTEGER, VARCHAR), typeof(NULL::TUPLE(INTEGER, VARCHAR));
SELECT (1, 2)::TUPLE(BIGINT, VARCHAR), {'a': 1}::TUPLE(INTEGER), CAST([(1, 2)] AS TUPLE(BIGINT, VARCHAR)[]);
SELECT typeof(NULL::TUPLE(INTEGER[], TUPLE(DATE))), typeof(NULL::TUPLE(DECIMAL(5, 2), TIMESTAMP WITH TIME ZONE)[3]), typeof(NULL::MAP(INTEGER, TUPLE(DOUBLE)));
SELECT TRY_CAST(x AS TUPLE(INTEGER, VARCHAR)) FROM (VALUES ('(1, a)'), ('(NULL, NULL)'), ('x'), (NULL)) t(x);
SELECT NULL::TUPLE(ENUM('a', 'b'), STRUCT(a INTEGER, b UNION(x INTEGER)), VARCHAR(5)) AS x;
SELECT (1, 'x')::TUPLE(INTEGER, VARCHAR) = (1, 'x'), (1, 'x')::TUPLE(INTEGER, VARCHAR) < (2, 'a');
-- both refuse
SELECT (1, 2)::TUPLE(INTEGER);
-- both refuse
SELECT NULL::TUPLE;
-- both refuse
SELECT NULL::TUPLE(a INTEGER);
-- both refuse
SELECT NULL::STRUCT(INTEGER, VARCHAR);
-- both refuse
SELECT NULL::TUPLE();
SELECT ((1, 2)::TUPLE(INTEGER, VARCHAR))[1], struct_extract((1, 2)::TUPLE(INTEGER, VARCHAR), 2);
SELECT x::TUPLE(int, TEXT), CAST(x AS TUPLE(DOUBLE PRECISION, INTEGER[])) FROM (SELECT NULL AS x);
