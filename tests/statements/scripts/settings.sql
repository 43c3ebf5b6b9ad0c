-- script: integer_division is how a text is read, which definitions keep
SET integer_division = true;
SELECT 7/2, 7.5/2.0, -7/2, 7::HUGEINT/2, 7/2.5::FLOAT, 7.5::DECIMAL(10,2)/2::DECIMAL(5,1), '7/2' AS t, divide(7, 2) /* 7/2 */;
CREATE TABLE g (a INTEGER, b INTEGER AS (a / 2), c INTEGER DEFAULT 7 / 2);
CREATE VIEW v AS SELECT a / 2 AS q FROM g;
CREATE MACRO m(a) AS a / 2;
PREPARE p AS SELECT $1 / 2;
INSERT INTO g (a) VALUES (7);
FROM g;
FROM v;
SELECT m(7);
-- both refuse
SELECT 7 / 0;
-- both refuse
SELECT '7' / '2';
SET integer_division = false;
FROM g;
FROM v;
SELECT m(7), 7 / 2;
EXECUTE p(7);
INSERT INTO g (a) VALUES (9);
FROM g;
SELECT current_setting('integer_division'), current_setting('error_on_division_by_zero');

-- script: divisions by zero
CREATE TABLE t AS FROM (VALUES (7, 0), (6, 3), (NULL, 0), (1, NULL)) AS t(x, y);
SET ieee_floating_point_ops = false;
-- both refuse
SELECT x / y FROM t;
-- both refuse
SELECT list_transform([1, 0], lambda x: ln(x));
-- both refuse
SELECT sum(1 / y) OVER () FROM t;
-- both refuse
SELECT (SELECT sqrt(x - 7)) FROM t;
-- both refuse
SELECT INTERVAL 1 DAY / y FROM t;
SELECT x / y FROM t WHERE x IS NULL OR y <> 0;
SELECT CASE WHEN y > 0 THEN x / y END, TRY(ln(y)), TRY(x % y) FROM t;
SET error_on_division_by_zero = false;
SELECT x / y, x // y, x % y, divide(x, y), mod(x, y), fmod(x, y), INTERVAL 1 DAY / y FROM t;
SELECT x::DECIMAL(9,2) / y, x::DECIMAL(9,2) // y, x::DECIMAL(9,2) % y, x::HUGEINT % y FROM t;
CREATE VIEW v AS SELECT x / y AS q, x // y AS i FROM t;
FROM v;
-- both refuse
SELECT ln(y) FROM t;
RESET ieee_floating_point_ops;
FROM v;
SELECT x / y, x // y, x % y, x::DOUBLE // y, ln(y) FROM t;
RESET error_on_division_by_zero;
-- both refuse
FROM v;

-- script: a subquery of several rows as a value
CREATE TABLE t AS FROM (VALUES (3, 1), (1, 1), (2, 2)) AS t(x, k);
-- both refuse
SELECT (SELECT x FROM t);
SET scalar_subquery_error_on_multiple_rows = false;
SELECT (SELECT x FROM t), (SELECT x FROM t ORDER BY x), (SELECT max(x) FROM t), (SELECT x FROM t WHERE x > 5);
SELECT k FROM t WHERE x = (SELECT x FROM t ORDER BY x DESC);
SELECT k, (SELECT a.k * 2 FROM t b WHERE b.k = a.k) FROM t a ORDER BY ALL;
SET scalar_subquery_error_on_multiple_rows = true;
-- both refuse
SELECT (SELECT x FROM t);

-- script: the version that files would be for
SET storage_compatibility_version = 'v0.10.2';
SELECT current_setting('storage_compatibility_version');
-- both refuse
SET storage_compatibility_version = 'v9';
-- both refuse
SET SESSION storage_compatibility_version = 'latest';
RESET storage_compatibility_version;
SELECT current_setting('storage_compatibility_version');

-- script: lambdas with an arrow
-- both refuse
SELECT list_transform([1, 2], x -> x + 1);
SET lambda_syntax = 'ENABLE_SINGLE_ARROW';
SELECT list_transform([1, 2], x -> x + 1), list_transform([1], (X) -> NOT x > 1), list_transform([1, 2], (x, i) -> x * i), list_reduce([1, 2], (a, b) -> a + b);
SELECT list_filter([1, 2, NULL], x -> x > 1 AND x < k), list_transform([[1]], x -> list_transform(x, y -> y + k)), list_transform(['a'], "x y" -> "x y" || 'b'), invoke(x -> 'a', k) FROM (SELECT 5 AS k);
SELECT list_transform(['{"a": 1}'::JSON], x -> (x -> 'a')), list_transform(['{"a": 1}'::JSON], lambda x: x -> 'a'), json_array(j -> 'a') FROM (SELECT '{"a": 2}'::JSON AS j);
SELECT COLUMNS(c -> c LIKE 'a%') FROM (SELECT 1 AS a, 2 AS b);
CREATE MACRO m(l) AS list_transform(l, x -> x + 1);
SELECT m([1]), current_setting('lambda_syntax');
-- both refuse
SELECT list_transform(['{"a": 1}'::JSON], x -> x -> 'a');
-- both refuse
SELECT list_transform([1], 'x' -> 1);
-- both refuse
SELECT list_transform([1], 5 -> 1);
-- both refuse
SET lambda_syntax = 'ARROW';
RESET lambda_syntax;
-- both refuse
SELECT list_transform([1, 2], x -> x + 1);
SET lambda_syntax = 'disable_single_arrow';
SELECT current_setting('lambda_syntax'), list_transform([1], lambda x: x);
