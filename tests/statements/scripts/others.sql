-- script: information_schema

CREATE TABLE t(a INTEGER NOT NULL DEFAULT 1, b DECIMAL(5,2), s VARCHAR, f DOUBLE, ts TIMESTAMP, r REAL, h HUGEINT, u UTINYINT, l FLOAT[2], bo BOOLEAN);
CREATE VIEW v(x) AS SELECT a FROM t;
CREATE TEMP TABLE q AS SELECT 1 AS z;
SELECT * FROM information_schema.tables;
SELECT * FROM information_schema.columns ORDER BY table_name, ordinal_position;
SELECT count(*) AS n FROM information_schema.tables i JOIN information_schema.columns c USING (table_name);
SELECT table_name FROM information_schema.tables WHERE table_type = 'VIEW';
SELECT database_name, schema_name, table_name, temporary, estimated_size, column_count FROM duckdb_tables();
SELECT view_name, column_count FROM duckdb_views() WHERE NOT internal;
SELECT table_name, column_name, column_index, is_nullable, data_type, numeric_precision FROM duckdb_columns() WHERE NOT internal ORDER BY ALL;
CREATE MACRO f(a, b := 2) AS a + b;
CREATE MACRO g(a) AS TABLE SELECT a AS b;
SELECT function_name, function_type, parameters, macro_definition FROM duckdb_functions() WHERE NOT internal ORDER BY ALL;
CREATE TABLE dt(a DATE DEFAULT date '2020-01-01', b DOUBLE DEFAULT 1.5::double, e TIMESTAMP DEFAULT TIMESTAMP '2020-01-01', i INTEGER DEFAULT 1+1);
DESCRIBE dt;
SELECT column_default FROM information_schema.columns WHERE table_name = 'dt';
SELECT DISTINCT function_type FROM duckdb_functions() WHERE function_name IN ('abs', 'sum', 'row_number') ORDER BY ALL;
DROP TABLE t;
CREATE TABLE nul AS SELECT NULL AS a;
SELECT data_type FROM information_schema.columns WHERE table_name = 'nul';
SELECT table_name, table_type FROM information_schema.tables;
SELECT d.name FROM duckdb_settings() AS d WHERE d.name = 'threads';
-- both refuse
SELECT * FROM duckdb_tables(1);
DESCRIBE information_schema.tables;

-- script: describe and show

CREATE TABLE t AS SELECT 1 AS a, 'x' AS s;
CREATE VIEW v AS SELECT DATE '2020-01-01' AS d;
DESCRIBE t;
DESC t;
SHOW t;
DESCRIBE v;
DESCRIBE SELECT 1 AS a, 'x', 1.5, NULL, [1.0, 2.0]::FLOAT[2] AS v;
DESCRIBE (SELECT 1);
DESCRIBE FROM t;
-- both refuse
DESCRIBE nope;
-- both refuse
DESCRIBE SELECT nope;
-- both refuse
SHOW nope;
SHOW TABLES;
SHOW TABLES FROM main;
-- both refuse
SHOW COLUMNS FROM t;
DESCRIBE TABLE t;
-- both refuse
EXPLAIN nonsense;
-- runs on both
EXPLAIN SELECT * FROM t;
-- runs on both
EXPLAIN ANALYZE SELECT * FROM t;
-- both refuse
EXPLAIN SELECT nope FROM t;
SHOW ALL TABLES;
DESCRIBE;
-- both refuse
SHOW ALL TABLES nonsense;
-- runs on both
EXPLAIN CREATE TABLE q AS SELECT 1;
-- runs on both
EXPLAIN INSERT INTO t FROM t;
-- runs on both
EXPLAIN WITH x AS (SELECT 1 AS k) UPDATE t SET a = k FROM x;
-- runs on both
EXPLAIN DELETE FROM t WHERE a = 1;
-- both refuse
EXPLAIN DELETE FROM t WHERE nope = 1;
-- tqp refuses
EXPLAIN ANALYZE DELETE FROM t;
-- tqp refuses
EXPLAIN CREATE TABLE q(a INTEGER);
FROM t;

-- script: describe columns of tables

CREATE TABLE w(a INTEGER NOT NULL DEFAULT 5, b VARCHAR);
CREATE TABLE u(a INTEGER NOT NULL);
CREATE VIEW v AS SELECT a AS x, b FROM w;
DESCRIBE v;
DESCRIBE SELECT a AS x FROM w;
DESCRIBE SELECT a + 1 AS x FROM w;
DESCRIBE SELECT w.a FROM w JOIN u USING (a);
DESCRIBE SELECT u.a FROM w LEFT JOIN u ON true;
DESCRIBE SELECT a FROM (SELECT a FROM w);
DESCRIBE SELECT a FROM w GROUP BY a;
DESCRIBE SELECT a FROM w UNION ALL SELECT a FROM w;
DESCRIBE SELECT a FROM w ORDER BY a LIMIT 1;
DESCRIBE SELECT max(a) AS a FROM w;
DESCRIBE SELECT x FROM v;
CREATE TABLE z AS SELECT a FROM w;
DESCRIBE z;
DESCRIBE SELECT a FROM w WHERE a > 1 QUALIFY row_number() OVER () = 1;

-- script: in FROM

CREATE TABLE t(a INTEGER, b VARCHAR);
CREATE VIEW v AS FROM t;
SELECT column_name FROM (DESCRIBE t) ORDER BY 1;
FROM (DESCRIBE SELECT 1 AS a, 'x' AS b);
DESCRIBE DESCRIBE t;
DESCRIBE SHOW TABLES;
SELECT column_name FROM (DESC SUMMARIZE t) ORDER BY ALL;
SELECT column_name, column_type FROM (SUMMARIZE DESCRIBE DESCRIBE t) ORDER BY ALL;
WITH d AS (SHOW DESCRIBE SELECT 1 AS a, 2 AS b) SELECT count(*) AS n FROM d;
SELECT count(*) AS n FROM (SHOW TABLES) s WHERE s.name = 't';
SELECT d.column_name, s.name FROM (DESCRIBE t) AS d, (SHOW TABLES) AS s ORDER BY ALL;
SELECT column_name, min FROM (SUMMARIZE SELECT 1 AS a UNION ALL SELECT 2);
CREATE TABLE names AS SELECT column_name FROM (DESCRIBE v);
FROM names ORDER BY ALL;
INSERT INTO names SELECT name FROM (SHOW TABLES);
FROM names ORDER BY ALL;
-- both refuse
FROM (DESCRIBE nope);
-- both refuse
FROM (SHOW nope);
-- both refuse
FROM (DESCRIBE t;
SELECT (1) AS describe_1;
-- tqp refuses
CREATE VIEW w AS FROM (DESCRIBE t);
-- both refuse
FROM w;

-- script: what has no middle

SUMMARIZE SELECT 'a' AS s, true AS b UNION ALL SELECT 'b', false;
SUMMARIZE SELECT i FROM (VALUES (INTERVAL 1 DAY), (INTERVAL 3 DAYS)) v(i);
SUMMARIZE SELECT t FROM (VALUES ('10:00:00+00'::TIMETZ), ('10:00:00+00'::TIMETZ)) v(t);
SUMMARIZE SELECT 1 AS n, 'a' AS s;
CREATE TABLE kept AS FROM (SUMMARIZE SELECT 'a' AS s);
DESCRIBE kept;

-- script: several in one text

SELECT 1 AS a
; SELECT 2 AS b;
-- both refuse
CREATE TABLE u(i INTEGER)
; INSERT INTO u VALUES (1)
; INSERT INTO u VALUES ('x')
; INSERT INTO u VALUES (3);
FROM u;
INSERT INTO u VALUES (2)
; FROM u ORDER BY i;
SELECT ';' AS semicolon -- ; a comment
; SELECT 'a;b' AS s /* ; */;
SELECT 1 AS one;;;
; SELECT 2 AS two;
CREATE VIEW w AS FROM u
; SELECT count(*) FROM w;
-- both refuse
CREATE TABLE z AS SELECT 1 AS a
; SELEC 2;
FROM z;

-- script: settings

SET threads = 2;
SELECT current_setting('threads');
SET threads TO 1;
-- tqp refuses
SELECT current_setting('thr' || 'eads') AS t;
SET threads = 1 + 1;
SHOW threads;
-- both refuse
SET nope = 3;
-- both refuse
SELECT current_setting('nope');
-- both refuse
SET threads = 1, 2;
-- both refuse
SET threads = unnest([1, 2]);
-- both refuse
SET threads = 'x';
-- both refuse
SET threads = 0;
-- both refuse
RESET nope;
-- both refuse
SET SESSION threads = 2;
SET GLOBAL threads = 2;
PRAGMA threads = 1;
SELECT current_setting('threads');
SET memory_limit = '1GB';
SELECT current_setting('memory_limit');
-- both refuse
SET memory_limit = 'x';
-- both refuse
SET threads;
-- both refuse
SET;
-- both refuse
RESET;
-- both refuse
SELECT current_setting(s) FROM (SELECT 'threads' AS s);
-- tqp refuses
SET LOCAL threads = 1;

-- script: what tqp does not have

CREATE TABLE t AS SELECT 1 AS a;
-- tqp refuses
ATTACH ':memory:' AS x;
FROM t;

-- script: a temporary table of what describes another

CREATE TABLE t(a INTEGER, b VARCHAR);
CREATE OR REPLACE TEMP TABLE x AS SELECT column_name FROM (DESCRIBE t);
FROM x;
CREATE OR REPLACE TEMPORARY TABLE x AS SELECT column_type FROM (DESCRIBE t);
FROM x;
DESCRIBE (SELECT column_type FROM (DESCRIBE t));
SELECT column_name FROM (DESCRIBE (SELECT "null", key FROM (DESCRIBE (SELECT b FROM t))));
SELECT y.column_name, z.column_type FROM (DESCRIBE (SELECT b FROM t)) y, (DESCRIBE (SELECT a FROM t)) z;
-- both refuse
SELECT * FROM (DESCRIBE (SELECT nope FROM (DESCRIBE t)));

-- script: what has nothing to do
CREATE TABLE t(a INTEGER NOT NULL, "B c" VARCHAR DEFAULT 'x');
LOAD json;
LOAD 'parquet';
CHECKPOINT;
FORCE CHECKPOINT;
CHECKPOINT memory;
-- both refuse
CHECKPOINT nope;
VACUUM;
VACUUM ANALYZE;
VACUUM t;
VACUUM t(a);
ANALYZE;
ANALYZE t;
-- both refuse
VACUUM nope;
-- both refuse
VACUUM FULL;
USE memory;
USE main;
USE memory.main;
-- both refuse
USE nope;
-- both refuse
USE memory.nope;
SET preserve_insertion_order = false;
SELECT current_setting('preserve_insertion_order') AS p;
RESET preserve_insertion_order;
SELECT current_setting('preserve_insertion_order') AS p;
CREATE INDEX i ON t(a);
CREATE INDEX IF NOT EXISTS j ON t USING ART ("B c", a);
CREATE INDEX k ON t((a + 1));
-- both refuse
CREATE INDEX l ON t(nope);
-- both refuse
CREATE INDEX l ON nope(a);
-- both refuse
CREATE INDEX ON t(a);
DROP INDEX i;
DROP INDEX IF EXISTS nope;
-- tqp refuses
LOAD spatial;
FROM t;

-- script: pragmas that answer
CREATE TABLE t(a INTEGER NOT NULL, b VARCHAR DEFAULT 'x', c DECIMAL(5,2) DEFAULT 1+1);
CREATE VIEW v AS SELECT a + 1 AS q, b FROM t;
PRAGMA show_tables;
PRAGMA show_tables_expanded;
PRAGMA table_info('t');
PRAGMA table_info(main.v);
PRAGMA show_databases;
SHOW DATABASES;
SHOW SCHEMAS;
SELECT name, file FROM (SELECT database_name AS name, path AS file FROM duckdb_databases()) ORDER BY name;
SELECT database_name, schema_name FROM duckdb_schemas() WHERE schema_name = 'main' ORDER BY ALL;
PRAGMA disable_progress_bar;
SELECT current_setting('enable_progress_bar') AS p;
PRAGMA enable_progress_bar;
SELECT current_setting('enable_progress_bar') AS p;
SELECT library_version = version() AS v FROM pragma_version();
-- both refuse
PRAGMA table_info('nope');
-- both refuse
PRAGMA table_info;
-- both refuse
PRAGMA nope;
