-- script: made and dropped

CREATE SCHEMA s;
-- both refuse
CREATE SCHEMA s;
CREATE SCHEMA IF NOT EXISTS s;
CREATE OR REPLACE SCHEMA s;
-- both refuse
CREATE OR REPLACE SCHEMA IF NOT EXISTS s;
-- both refuse
CREATE SCHEMA main;
CREATE SCHEMA memory.s2;
-- both refuse
CREATE SCHEMA nobody.s3;
-- both refuse
CREATE SCHEMA a.b.c;
-- both refuse
CREATE TEMP SCHEMA s4;
-- both refuse
CREATE SCHEMA s5 AUTHORIZATION me;
-- tqp refuses
CREATE SCHEMA temp;
-- tqp refuses
CREATE SCHEMA memory;
-- both refuse
DROP SCHEMA main;
-- both refuse
DROP SCHEMA nobody;
DROP SCHEMA IF EXISTS nobody;
SHOW SCHEMAS;
SELECT catalog_name, schema_name FROM information_schema.schemata WHERE catalog_name = 'memory' ORDER BY ALL;
SELECT database_name, schema_name, internal, sql FROM duckdb_schemas() WHERE database_name IN ('memory', 'temp') ORDER BY ALL;
CREATE TABLE s.t AS SELECT 1 AS a;
CREATE TYPE s.mood AS ENUM ('sad', 'ok');
CREATE TABLE main.uses(m s.mood);
-- both refuse
DROP SCHEMA s;
-- both refuse
CREATE OR REPLACE SCHEMA s;
-- both refuse
DROP SCHEMA s RESTRICT;
DROP SCHEMA s CASCADE;
-- both refuse
FROM s.t;
-- both refuse
FROM uses;
-- both refuse
CREATE TABLE s.t(x INTEGER);
-- both refuse
CREATE VIEW s.v AS SELECT 1 AS a;
-- both refuse
CREATE TYPE s.mood AS INTEGER;
DROP SCHEMA memory.s2;
SHOW SCHEMAS;

-- script: names behind their schema

CREATE SCHEMA s;
CREATE SCHEMA "My S";
CREATE TABLE s.t AS SELECT 1 AS a;
CREATE TABLE memory.s.t2(x INTEGER);
CREATE TABLE "my s".t(x INTEGER);
-- both refuse
CREATE TEMP TABLE s.tt(x INTEGER);
-- both refuse
CREATE TABLE s.t(x INTEGER);
CREATE TABLE IF NOT EXISTS s.t(x INTEGER);
CREATE VIEW s.v AS SELECT * FROM s.t;
CREATE TYPE s.mood AS ENUM ('sad', 'ok');
SELECT 'ok'::s.mood, 'ok'::memory.s.mood, s.mood 'sad', ['ok']::s.mood[];
-- both refuse
SELECT 'ok'::mood;
FROM S.T;
FROM memory.s.t;
-- both refuse
FROM t;
-- both refuse
FROM main.t;
SELECT s.t.a, t.a, memory.s.t.a FROM s.t WHERE s.t.a = 1 GROUP BY s.t.a;
-- both refuse
SELECT main.t.a FROM s.t;
INSERT INTO s.t VALUES (2);
FROM s.v ORDER BY a;
UPDATE s.t SET a = 5 WHERE a = 2;
DELETE FROM s.t WHERE a = 5;
INSERT INTO memory.s.t SELECT 7;
FROM s.t ORDER BY a;
DESCRIBE s.t;
SHOW s.t;
SUMMARIZE s.t;
PRAGMA table_info('s.t');
PRAGMA table_info("My S".t);
SHOW TABLES;
SHOW TABLES FROM s;
SHOW TABLES FROM memory.s;
-- both refuse
SHOW TABLES FROM nobody;
SHOW ALL TABLES;
SELECT table_catalog, table_schema, table_name, table_type FROM information_schema.tables ORDER BY ALL;
SELECT table_schema, table_name, column_name FROM information_schema.columns ORDER BY ALL;
SELECT database_name, schema_name, table_name FROM duckdb_tables() ORDER BY ALL;
SELECT schema_name, type_name FROM duckdb_types() WHERE NOT internal;
CREATE TABLE main.t AS SELECT 10 AS a, 20 AS b;
SELECT s.t.a, main.t.a, b FROM s.t, main.t ORDER BY ALL;
-- both refuse
SELECT t.a FROM s.t, main.t;
SELECT x.a FROM s.t x JOIN main.t y ON x.a < y.a ORDER BY ALL;
SELECT * FROM s.t JOIN main.t USING (a);
PRAGMA table_info('t');
TRUNCATE s.t;
DROP VIEW s.v;
DROP TABLE s.t;
-- both refuse
DROP TABLE s.t;
FROM t;
DROP TYPE s.mood;
-- both refuse
SELECT 'ok'::s.mood;

-- script: where names are looked for

SELECT current_schema(), current_schemas(true), current_schemas(false), current_setting('search_path'), current_setting('schema');
CREATE SCHEMA s;
CREATE TABLE mt AS SELECT 'main' AS x;
CREATE TABLE both_have AS SELECT 'main' AS x;
CREATE TABLE s.both_have AS SELECT 's' AS x;
CREATE TYPE s.mood AS ENUM ('sad', 'ok');
FROM both_have;
USE s;
SELECT current_schema(), current_schemas(true), current_schemas(false), current_setting('search_path'), current_setting('schema');
FROM both_have;
FROM mt;
FROM main.both_have;
FROM memory.both_have;
SELECT mood 'ok';
CREATE TABLE own AS SELECT 1 AS x;
CREATE VIEW main.vv AS FROM own;
SELECT s.own.x, own.x FROM own;
-- both refuse
SELECT main.own.x FROM own;
SHOW TABLES;
SHOW TABLES FROM main;
CREATE TEMP TABLE own AS SELECT 5 AS tempx;
FROM own;
FROM s.own;
DROP TABLE own;
FROM own;
USE main;
-- both refuse
FROM own;
-- both refuse
FROM vv;
FROM s.own;
USE memory.s;
SELECT current_schema(), current_database(), current_setting('search_path');
FROM memory.own;
-- both refuse
FROM memory.mt;
USE memory;
SELECT current_schema();
-- both refuse
USE nobody;
-- both refuse
USE nobody.s;
SET schema = 's';
FROM own;
SET schema = 'memory.s';
SELECT current_schema();
-- both refuse
SET schema = 'main,s';
-- both refuse
SET schema = 'nobody';
RESET schema;
SELECT current_schema();
SET search_path = 'main,s';
SELECT current_schema(), current_schemas(true), current_schemas(false), current_setting('search_path');
FROM both_have;
FROM own;
CREATE TABLE there(x INTEGER);
SET search_path = 's,main';
FROM both_have;
-- both refuse
SET search_path = 's,nobody';
RESET search_path;
SELECT table_schema, table_name FROM information_schema.tables ORDER BY ALL;
USE s;
DROP SCHEMA s CASCADE;
SELECT current_schema();
CREATE TABLE after_all(x INTEGER);
SELECT table_schema, table_name FROM information_schema.tables ORDER BY ALL;

-- script: macros

CREATE SCHEMA s;
CREATE SCHEMA "My S";
CREATE MACRO s.m(x) AS x + 1;
CREATE MACRO s.tm(n) AS TABLE SELECT n AS q;
CREATE MACRO "My S".m(x) AS x + 100;
CREATE MACRO other(x) AS s.m(x) * 2;
SELECT s.m(2), memory.s.m(3), S.M(4) + s.m(s.m(1)), "My S".m(5), other(1), main.other(2);
FROM s.tm(3);
FROM memory.s.tm(4);
SELECT (SELECT q FROM s.tm(5)) AS q, s.m(x) FROM (SELECT 7 AS x) s;
-- both refuse
SELECT m(2);
-- both refuse
FROM tm(2);
-- both refuse
CREATE MACRO s.m(x) AS x;
CREATE OR REPLACE MACRO s.m(x) AS x + 10;
CREATE MACRO m(x) AS x + 1000;
SELECT m(1), s.m(1), main.m(1);
USE s;
SELECT m(1), main.m(1), current_schema();
FROM tm(6);
CREATE MACRO made(x) AS -x;
USE main;
-- both refuse
SELECT made(1);
SELECT s.made(1);
CREATE TEMP MACRO m(x) AS x + 5000;
SELECT m(1), temp.m(1), memory.m(1), memory.main.m(1);
DROP MACRO m;
SELECT m(1);
-- both refuse
CREATE MACRO nobody.m(x) AS x;
-- both refuse
DROP SCHEMA s;
DROP MACRO s.made;
DROP MACRO TABLE s.tm;
-- both refuse
DROP MACRO s.nobody;
SELECT schema_name, function_name FROM duckdb_functions() WHERE function_type = 'macro' AND NOT internal ORDER BY ALL;
CREATE VIEW v AS SELECT s.m(1) AS a;
FROM v;
DROP SCHEMA s CASCADE;
-- both refuse
SELECT s.m(1);
-- both refuse
FROM v;

-- script: sequences

CREATE SCHEMA s;
CREATE SEQUENCE s.q START 5;
CREATE SEQUENCE q;
SELECT nextval('s.q'), nextval('memory.s.q'), nextval('q');
USE s;
SELECT nextval('q'), nextval('main.q');
CREATE SEQUENCE made;
USE main;
-- both refuse
SELECT nextval('made');
SELECT nextval('s.made');
-- both refuse
CREATE SEQUENCE nobody.q;
DROP SEQUENCE s.made;
-- both refuse
DROP SCHEMA s;
DROP SCHEMA s CASCADE;
-- both refuse
SELECT nextval('s.q');
SELECT nextval('q');

-- script: in transactions

BEGIN;
CREATE SCHEMA tr;
CREATE TABLE tr.x AS SELECT 1 AS a;
FROM tr.x;
ROLLBACK;
-- both refuse
FROM tr.x;
BEGIN;
CREATE SCHEMA tr;
CREATE TABLE tr.x AS SELECT 1 AS a;
INSERT INTO tr.x VALUES (2);
COMMIT;
FROM tr.x ORDER BY a;
BEGIN;
USE tr;
ROLLBACK;
SELECT current_schema();
BEGIN;
DROP SCHEMA tr CASCADE;
-- both refuse
FROM tr.x;
ROLLBACK;
FROM tr.x ORDER BY a;
BEGIN TRANSACTION READ ONLY;
-- both refuse
CREATE SCHEMA other;
ROLLBACK;

-- script: keys and changes of tables in schemas

CREATE SCHEMA s;
CREATE TYPE s.mood AS ENUM ('a', 'b');
CREATE TABLE t AS SELECT 10 AS x;
CREATE TABLE s.t(x INTEGER PRIMARY KEY, m s.mood DEFAULT 'a', CHECK (x > 0));
INSERT INTO s.t(x) VALUES (1);
-- both refuse
INSERT INTO s.t(x) VALUES (1);
INSERT INTO s.t(x) VALUES (1), (2) ON CONFLICT (x) DO UPDATE SET m = 'b';
FROM s.t ORDER BY x;
SELECT schema_name, table_name, constraint_type, constraint_text FROM duckdb_constraints() ORDER BY ALL;
PRAGMA table_info('s.t');
ALTER TABLE s.t ADD COLUMN y INTEGER DEFAULT 7;
ALTER TABLE s.t RENAME TO u;
-- both refuse
FROM s.t;
FROM s.u ORDER BY x;
FROM t;
CREATE VIEW s.v AS FROM s.u;
ALTER VIEW s.v RENAME TO w;
FROM s.w ORDER BY x;
COMMENT ON TABLE s.u IS 'hello';
SELECT schema_name, table_name, comment FROM duckdb_tables() ORDER BY ALL;
USE s;
ALTER TABLE u RENAME TO t;
SELECT t.x, s.t.y FROM t ORDER BY x;
UPDATE t SET y = 1 WHERE x = 1;
DELETE FROM t WHERE s.t.x = 2;
FROM s.t;
FROM main.t;

-- script: schemas with dots in their names, and fields behind tables behind schemas
CREATE SCHEMA "d.e.f";
CREATE TABLE "d.e.f".t(x INT, c STRUCT(f STRUCT(g INT)));
INSERT INTO "d.e.f".t VALUES (1, {'f': {'g': 3}});
SELECT "d.e.f".t.x, memory."d.e.f".t.x FROM memory."d.e.f".t;
SELECT "d.e.f".t.c.f.g, "d.e.f".t.c.f, t.c.f.g, c.f.g, memory."d.e.f".t.c.f.g FROM "d.e.f".t;
CREATE VIEW "d.e.f"."v.v" AS SELECT 1 AS a;
FROM "d.e.f"."v.v";
DESCRIBE "d.e.f".t;
DESCRIBE memory."d.e.f"."v.v";
CREATE MACRO "d.e.f".m(a) AS a + 1;
SELECT "d.e.f".m(1);
CREATE TYPE "d.e.f".y AS ENUM ('a');
SELECT 'a'::"d.e.f".y;
-- both refuse
SELECT "d.e.f".t.c.nope FROM "d.e.f".t;
-- both refuse
SELECT "d.e.f".nope.c.f FROM "d.e.f".t;
-- both refuse
SELECT nope.t.c.f FROM "d.e.f".t;
-- both refuse
FROM "d.e".t;
DROP SCHEMA "d.e.f" CASCADE;
