-- script: bound where they are used

CREATE TABLE s AS SELECT 1 AS x, 2 AS y;
CREATE VIEW w AS SELECT * FROM s;
FROM w;
CREATE OR REPLACE TABLE s AS SELECT 1 AS x, 2 AS y, 3 AS z;
FROM w;
INSERT INTO s VALUES (4, 5, 6);
FROM w ORDER BY ALL;
CREATE VIEW ww(a, b) AS FROM w;
FROM ww ORDER BY ALL;
SELECT sum(a) FROM ww JOIN w ON ww.a = w.x;
SELECT (SELECT max(a) FROM ww) + x FROM w ORDER BY 1;
WITH s AS (SELECT 7 AS x) SELECT * FROM w ORDER BY ALL;
DROP TABLE s;
-- both refuse
FROM w;
-- both refuse
FROM ww;
CREATE TABLE s AS SELECT 'new' AS x;
FROM w;
-- both refuse
FROM ww;
DESCRIBE w;
CREATE OR REPLACE VIEW w AS SELECT upper(x) FROM s;
FROM w;

-- script: what is no view

-- both refuse
CREATE VIEW bad AS SELECT nope;
-- both refuse
CREATE VIEW bad AS SELECT * FROM nope;
-- both refuse
CREATE VIEW bad AS SELEC 1;
-- both refuse
CREATE VIEW bad;
-- both refuse
CREATE VIEW rec AS SELECT * FROM rec;
-- both refuse
CREATE VIEW more(a, b, c) AS SELECT 1;
CREATE VIEW two(a, a) AS SELECT 1, 2;
FROM two;
CREATE VIEW names AS SELECT 1 AS a, 2 AS a;
FROM names;
-- both refuse
CREATE OR REPLACE VIEW IF NOT EXISTS v AS SELECT 1;
CREATE VIEW v AS SELECT 1 AS a;
CREATE OR REPLACE VIEW v AS SELECT a FROM v;
-- both refuse
FROM v;
CREATE OR REPLACE VIEW v AS SELECT 5 AS a;
FROM v;
-- both refuse
CREATE VIEW temp.tv AS SELECT 1;
CREATE TEMP VIEW tv AS SELECT 2 AS t;
FROM tv;
FROM temp.tv;
-- both refuse
FROM memory.main.tv;

-- script: names of columns

CREATE VIEW v AS SELECT 1 + 1, abs(-3), 'x' || 'y', CASE WHEN true THEN 1 END;
FROM v;
CREATE VIEW u(first) AS FROM v;
FROM u;
SELECT v.* FROM v;
SELECT first FROM u;
CREATE VIEW o AS SELECT * FROM (VALUES (3), (1), (2)) t(a) ORDER BY a DESC LIMIT 2;
SELECT sum(a) FROM o;

-- script: secure ones

CREATE TABLE t AS SELECT 1 AS i, 10 AS j UNION ALL SELECT 2, 20;
CREATE SECURE VIEW v AS SELECT * FROM t;
FROM v WHERE i = 2;
CREATE SECURE VIEW w(a, "b c") AS SELECT i, j FROM v;
CREATE OR REPLACE SECURE VIEW v AS SELECT i, j FROM t;
CREATE SECURE VIEW IF NOT EXISTS v AS SELECT 42;
CREATE TEMP SECURE VIEW x AS SELECT a FROM w;
SELECT x.a, w."b c" FROM x JOIN w USING (a) ORDER BY 1;
ALTER VIEW v RENAME TO "v 2";
SELECT view_name, sql FROM duckdb_views() WHERE NOT internal ORDER BY 1;
-- both refuse
CREATE SECURE TEMP VIEW y AS SELECT 1;
-- both refuse
CREATE SECURE TABLE y AS SELECT 1;
-- both refuse
CREATE OR REPLACE SECURE VIEW IF NOT EXISTS v AS SELECT 1;

-- script: recursive ones

CREATE RECURSIVE VIEW r(n) AS SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3;
FROM r ORDER BY n;
CREATE OR REPLACE TEMP RECURSIVE VIEW "r v"("n a",value,year,name,data)
AS (SELECT 1,2,3,4,5 UNION ALL SELECT "n a"+1,2,3,4,5 FROM "r v" WHERE "n a" < 3);
FROM "r v" ORDER BY ALL;
CREATE SECURE RECURSIVE VIEW s(n) AS WITH k AS (SELECT 1 AS a) SELECT a FROM k UNION SELECT n + 1 FROM s WHERE n < 3;
SELECT sum(n) FROM s;
CREATE RECURSIVE VIEW once(n) AS SELECT 1 AS k;
FROM once;
CREATE RECURSIVE VIEW IF NOT EXISTS once(n) AS SELECT 2 AS k;
FROM once;
-- both refuse
CREATE RECURSIVE VIEW u AS SELECT 1 AS n UNION ALL SELECT n + 1 FROM u WHERE n < 3;
-- both refuse
CREATE RECURSIVE VIEW u(n, m) AS SELECT 1 UNION ALL SELECT n + 1 FROM u WHERE n < 3;
-- both refuse
CREATE RECURSIVE VIEW u(n) AS SELECT x UNION ALL SELECT n + 1 FROM u WHERE n < 3;
-- both refuse
CREATE RECURSIVE SECURE VIEW u(n) AS SELECT 1;
-- both refuse
CREATE RECURSIVE TABLE u(n) AS SELECT 1;

-- script: the columns of a PIVOT in a definition are written, or those of an ENUM
CREATE TABLE s AS SELECT 1 AS a, 2 AS b, 3 AS c;
CREATE TYPE e AS ENUM ('1', '2', 'z');
CREATE TYPE "an e" AS ENUM ('1', '3');
CREATE TYPE i AS INTEGER;
CREATE VIEW v AS PIVOT s ON a IN e, c IN "an e" USING sum(b);
FROM v;
SELECT * FROM s PIVOT (sum(b) AS n, max(b) FOR a IN E GROUP BY c);
CREATE VIEW w AS WITH p AS (PIVOT s ON a IN (1) USING sum(b)) SELECT * FROM p;
CREATE VIEW u AS UNPIVOT s ON a, b;
CREATE MACRO m() AS TABLE PIVOT s ON a IN (1, 2) USING sum(b);
FROM m();
-- both refuse
CREATE VIEW x AS PIVOT s ON a USING sum(b);
-- both refuse
CREATE VIEW x AS SELECT * FROM (PIVOT s ON a IN (1), c USING sum(b));
-- both refuse
CREATE VIEW x AS WITH p AS (PIVOT s ON a) SELECT * FROM p;
-- both refuse
CREATE MACRO x() AS TABLE PIVOT s ON a USING sum(b);
-- both refuse
CREATE MACRO x(q) AS (SELECT max(n) FROM (PIVOT s ON a USING sum(b) GROUP BY c) t(y, n));
-- both refuse
PIVOT s ON a IN i USING sum(b);
-- both refuse
PIVOT s ON a IN nothing USING sum(b);

-- script: what describes the connection, by its name alone

CREATE SCHEMA "My S";
CREATE TABLE "My S".t (a INTEGER PRIMARY KEY, b INTEGER CHECK (b > 1));
CREATE VIEW "My S".v AS SELECT 42 AS x;
CREATE TEMP VIEW tv AS SELECT 1 AS y;
SELECT database_name, schema_name, view_name, temporary, sql FROM duckdb_views ORDER BY ALL;
SELECT view_definition FROM information_schema.views WHERE table_name = 'v';
SELECT database_name, schema_name, table_name, column_name FROM duckdb_columns ORDER BY ALL;
SELECT tables.table_name, column_name FROM duckdb_columns JOIN duckdb_tables tables USING (table_name) ORDER BY ALL;
SELECT table_name, constraint_text FROM duckdb_constraints ORDER BY ALL;
SELECT database_name FROM duckdb_databases;
SELECT database_name, schema_name FROM duckdb_schemas ORDER BY ALL;
SELECT count(*) > 20 FROM duckdb_types;
-- both refuse
FROM duckdb_settings;
-- both refuse
FROM duckdb_functions;
CREATE TABLE duckdb_tables (i INTEGER);
FROM duckdb_tables;
