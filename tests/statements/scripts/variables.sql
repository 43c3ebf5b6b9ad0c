-- script: values under names
SET VARIABLE x = 1;
SELECT getvariable('x') AS a, getvariable('X') AS b, getvariable('nope') AS c, typeof(getvariable('x')) AS t, typeof(getvariable('nope')) AS n;
SELECT getvariable('x'), getvariable('x') + 1 FROM range(2);
SET VARIABLE x = 'a' || 'b';
SELECT getvariable('x') AS a, typeof(getvariable('x')) AS t;
SET VARIABLE x TO 3;
SET VARIABLE y = getvariable('x') * 2;
SELECT getvariable('x') + getvariable('y') AS s;
SET VARIABLE "A b" = 4;
SELECT getvariable('a B') AS v;
SET VARIABLE s = (SELECT sum(a) FROM range(4) t(a));
SELECT a, getvariable('s') AS s FROM range(9) t(a) WHERE a >= getvariable('s') ORDER BY a;
SELECT a FROM range(5) t(a) ORDER BY a LIMIT getvariable('y');
SELECT * FROM range(getvariable('x'));
SELECT getvariable('x') AS g, count(*) AS n FROM range(3) GROUP BY 1;
SELECT getvariable(NULL) AS v;
RESET VARIABLE x;
SELECT getvariable('x') AS v, typeof(getvariable('x')) AS t;
RESET VARIABLE nope;
SET VARIABLE word = a;
SELECT getvariable('word') AS w;

-- script: types
SET VARIABLE v = 1.50;
SELECT getvariable('v') AS v, typeof(getvariable('v')) AS t;
SET VARIABLE v = 0.1::DOUBLE + 0.2::DOUBLE;
SELECT getvariable('v') AS v, typeof(getvariable('v')) AS t;
SET VARIABLE v = 0.1::FLOAT;
SELECT getvariable('v') AS v, typeof(getvariable('v')) AS t;
SET VARIABLE v = 'nan'::DOUBLE;
SELECT getvariable('v') AS v;
SET VARIABLE v = 170141183460469231731687303715884105727;
SELECT getvariable('v')::VARCHAR AS v, typeof(getvariable('v')) AS t;
SET VARIABLE v = DATE '2020-01-01';
SELECT getvariable('v') + 1 AS v, typeof(getvariable('v')) AS t;
SET VARIABLE v = TIMESTAMP_NS '2020-01-01 00:00:00.123456789';
SELECT getvariable('v') AS v, typeof(getvariable('v')) AS t;
SET VARIABLE v = INTERVAL '1 month 2 days 3 seconds';
SELECT DATE '2020-01-31' + getvariable('v') AS v, typeof(getvariable('v')) AS t;
SET VARIABLE v = 'it''s a "text"';
SELECT getvariable('v') AS v;
SET VARIABLE v = '\x00\xFFa'::BLOB;
SELECT getvariable('v') AS v, typeof(getvariable('v')) AS t;
SET VARIABLE v = true;
SELECT getvariable('v') AS v, typeof(getvariable('v')) AS t;
SET VARIABLE v = NULL;
SELECT getvariable('v') AS v, typeof(getvariable('v')) AS t;
SET VARIABLE v = NULL::INTEGER;
SELECT getvariable('v') AS v, typeof(getvariable('v')) AS t;
SET VARIABLE v = 'b'::ENUM('a', 'b');
SELECT getvariable('v') AS v, typeof(getvariable('v')) AS t;
SET VARIABLE v = [1, NULL, 3];
SELECT getvariable('v') AS v, getvariable('v')[3] AS e, typeof(getvariable('v')) AS t;
SELECT unnest(getvariable('v')) AS u ORDER BY u;
SET VARIABLE v = (SELECT list(a ORDER BY a) FROM range(4) t(a));
SELECT count(*) AS n FROM range(9) t(a) WHERE a IN (SELECT unnest(getvariable('v')));
SET VARIABLE v = {'a': 1, 'b': ['x, y', NULL, 'it''s']};
SELECT getvariable('v').b AS b, typeof(getvariable('v')) AS t;
SET VARIABLE v = MAP {'k': 1.5};
SELECT getvariable('v')['k'] AS k, typeof(getvariable('v')) AS t;
SET VARIABLE v = [{'m': MAP {'a b': [1, NULL]}, 'n': NULL}, NULL];
SELECT getvariable('v')[1].m['a b'] AS m, getvariable('v')[2] IS NULL AS n, typeof(getvariable('v')) AS t;
SET VARIABLE v = MAP {1: 'x'};
SELECT getvariable('v')[1] AS k, typeof(getvariable('v')) AS t;
SET VARIABLE v = [1.5, 2.5]::FLOAT[2];
SELECT getvariable('v') AS v, typeof(getvariable('v')) AS t;
SET VARIABLE v = [];
SELECT getvariable('v') AS v, len(getvariable('v')) AS n;

-- script: where they are used
SET VARIABLE x = 3;
CREATE MACRO m() AS getvariable('x');
CREATE VIEW v AS SELECT getvariable('x') AS g;
SELECT m() AS m, g FROM v;
SET VARIABLE x = 77;
SELECT m() AS m, g FROM v;
SET VARIABLE x = 'text';
SELECT m() AS m, g FROM v;
SET VARIABLE x = 5;
CREATE TABLE t(a INTEGER DEFAULT getvariable('x'));
INSERT INTO t DEFAULT VALUES;
FROM t;
BEGIN;
SET VARIABLE x = 6;
ROLLBACK;
SELECT getvariable('x') AS x;
FROM duckdb_variables();
SET VARIABLE n = NULL;
SELECT name, value, type FROM duckdb_variables() ORDER BY name;

-- script: what is wrong
-- both refuse
SET VARIABLE x;
-- both refuse
SET VARIABLE x = ;
-- both refuse
SET VARIABLE x = 1, y = 2;
-- both refuse
SET VARIABLE t.x = 3;
-- both refuse
SET SESSION VARIABLE x = 1;
-- both refuse
SET VARIABLE x = (SELECT a FROM range(4) t(a));
-- both refuse
SET VARIABLE x = a + 1;
-- both refuse
SET VARIABLE;
-- both refuse
RESET VARIABLE;
-- both refuse
SELECT getvariable();
-- both refuse
SELECT getvariable(1);
-- both refuse
SELECT getvariable(a) FROM (VALUES ('x')) t(a);

-- script: prepared statements
PREPARE p AS SELECT $1 + 1 AS b;
EXECUTE p(3);
EXECUTE p(3.5);
EXECUTE p(NULL);
EXECUTE P(1 + 2);
PREPARE p AS SELECT 2 AS two;
EXECUTE p;
EXECUTE p();
DEALLOCATE p;
-- both refuse
EXECUTE p;
DEALLOCATE nope;
PREPARE q AS SELECT ? + ? AS s;
EXECUTE q(1, 2);
-- both refuse
EXECUTE q(1);
-- both refuse
EXECUTE q(1, 2, 3);
-- both refuse
EXECUTE q;
PREPARE n AS SELECT $a || $b AS s;
EXECUTE n(a := 'x', b := 'y');
-- both refuse
EXECUTE n('x', 'y');
CREATE TABLE t(a INTEGER, b VARCHAR);
PREPARE i AS INSERT INTO t VALUES ($1, $2);
EXECUTE i(1, 'x');
EXECUTE i(2, lower('Y'));
FROM t ORDER BY a;
-- both refuse
EXECUTE i((SELECT 3), 'z');
-- both refuse
EXECUTE i(a, 'z');
PREPARE s AS SELECT * FROM t WHERE a > ?;
EXECUTE s(1);
DROP TABLE t;
-- both refuse
EXECUTE s(1);
CREATE TABLE t(c VARCHAR);
-- both refuse
EXECUTE s(1);
CREATE OR REPLACE TABLE t AS SELECT 9 AS a, 8 AS z;
EXECUTE s(1);
PREPARE w AS WITH c AS (SELECT $1 AS z) FROM c;
EXECUTE w(DATE '2020-01-01');
EXECUTE w('k');
PREPARE x AS SELECT 1 AS a; SELECT 2 AS b;
EXECUTE x;
DEALLOCATE PREPARE x;
-- both refuse
EXECUTE x;
-- both refuse
PREPARE y AS PREPARE z AS SELECT 1;
-- both refuse
PREPARE y AS CREATE TABLE zz AS SELECT 1 AS a;
-- both refuse
PREPARE y AS SET threads = 2;
-- both refuse
PREPARE y AS BEGIN;
-- both refuse
PREPARE y(INTEGER) AS SELECT $1;
-- both refuse
PREPARE y SELECT 1;
-- both refuse
DEALLOCATE ALL;
-- both refuse
EXECUTE q(1, 2) q(3);

-- script: parameters of one kind

PREPARE by_place AS SELECT $1 AS a, ? AS b;
PREPARE by_name AS SELECT $a AS a, $b AS b, '$1' AS c;
-- both refuse
PREPARE mixed AS SELECT $1, $a;
-- both refuse
PREPARE mixed AS SELECT ?, $a;
EXECUTE by_name(b := 1, a := 'x');
-- both refuse
SELECT current_schemas('true');

-- script: listed
SET VARIABLE x = 1;
CREATE TABLE variables(i INTEGER);
SHOW VARIABLES;
DESCRIBE VARIABLES;
DESC VARIABLES;
SHOW variables;
SELECT * FROM (SHOW VARIABLES);
DESCRIBE SCHEMAS;
DESCRIBE DATABASES;
