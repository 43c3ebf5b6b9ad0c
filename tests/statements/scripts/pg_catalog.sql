-- script: what tools for Postgres ask
CREATE SCHEMA s2;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE s2.age AS INTEGER;
CREATE TABLE many (j smallint, k integer NOT NULL, l bigint DEFAULT 7, i real, z double precision, m DECIMAL(4, 1), p DECIMAL(37, 2), q varchar, r bytea, s date, t time, u timestamp, v mood, w integer[], x timestamptz, y uuid, a UTINYINT, b STRUCT(c INTEGER), d JSON);
CREATE SEQUENCE seq;
CREATE VIEW s2.v1 AS SELECT 42 AS n;
CREATE INDEX many_k ON many (k);
SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg_%' ORDER BY nspname;
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE pg_catalog.pg_table_is_visible(c.oid) AND n.nspname = 'main' AND c.relkind IN ('r', 'p');
SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE relkind = 'S' AND n.nspname = 'main';
SELECT c.relname, pg_get_viewdef(c.oid) AS def FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 's2' AND c.relkind IN ('v', 'm');
SELECT count(c.oid) FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relname = 'many' AND c.relkind IN ('r', 'v', 'm', 'f', 'p');
SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid) FROM pg_catalog.pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef) AS "default", a.attnotnull, a.atttypid, a.atttypmod FROM pg_catalog.pg_attribute a WHERE a.attrelid = (SELECT min(oid) FROM pg_class WHERE relname = 'many') AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum;
SELECT i.relname, ix.indisunique, ix.indexprs, a.attname, a.attnum, am.amname FROM pg_class t JOIN pg_index ix ON t.oid = ix.indrelid JOIN pg_class i ON i.oid = ix.indexrelid LEFT OUTER JOIN pg_attribute a ON t.oid = a.attrelid LEFT OUTER JOIN pg_am am ON i.relam = am.oid WHERE t.relkind IN ('r', 'v', 'f', 'm') AND NOT ix.indisprimary ORDER BY t.relname, i.relname, a.attnum;
SELECT t.typname AS "name", pg_catalog.pg_type_is_visible(t.oid) AS visible, n.nspname AS "schema", e.enumlabel AS label, e.enumsortorder FROM pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace LEFT JOIN pg_catalog.pg_enum e ON t.oid = e.enumtypid WHERE t.typtype = 'e' AND t.oid IS NOT NULL ORDER BY ALL;
SELECT t.typname AS "name", pg_catalog.format_type(t.typbasetype, t.typtypmod) AS attype FROM pg_catalog.pg_type t WHERE t.typtype = 'd';
SELECT typname, typlen, typcategory FROM pg_type WHERE oid IS NULL AND typname NOT IN ('geometry', 'type') ORDER BY ALL;
SELECT oid, typname, typlen, typcategory, format_type(oid, -1), format_type(oid, 4002) FROM pg_type WHERE oid < 10000 ORDER BY oid;
SELECT format_type(23, NULL), format_type(NULL, 1), format_type(99999, -1), format_type(1043, 0);
SELECT map_to_pg_oid('bool'), map_to_pg_oid('x'), map_type_id_to_pg_oid(10), map_type_id_to_pg_oid(NULL), pg_catalog.format_pg_type('double', NULL), format_pg_type('enum', 'Mood');
SELECT format_type(max(atttypid), -1) FROM pg_attribute WHERE attname = 'k';
SELECT attname FROM pg_attribute WHERE format_type(atttypid, atttypmod) = 'numeric(4,1)';
SELECT pg_postmaster_start_time() <= now(), pg_conf_load_time() <= now();
-- both refuse
SELECT pg_get_viewdef();
-- both refuse
SELECT format_type(23);

-- script: constraints and comments in pg_catalog
CREATE TABLE parent (id INTEGER PRIMARY KEY, "name" VARCHAR NOT NULL UNIQUE, k1 INTEGER, k2 VARCHAR, UNIQUE (k1, k2));
CREATE TABLE child (v DECIMAL(5,2) DEFAULT 1.5 CHECK (v > 0), parent_id INTEGER REFERENCES parent (id), a INTEGER NOT NULL, b VARCHAR, CHECK (a > 0 AND b <> ''), FOREIGN KEY (a, b) REFERENCES parent (k1, k2));
FROM duckdb_constraints() SELECT * EXCLUDE (database_oid, schema_oid, table_oid);
SELECT c.relname, contype, conname, conkey, conbin, pg_get_constraintdef(r.oid), pg_catalog.pg_get_constraintdef(r.oid, true) FROM pg_constraint r JOIN pg_class c ON c.oid = r.conrelid JOIN pg_namespace n ON n.oid = r.connamespace ORDER BY r.oid % 1000000;
SELECT conname FROM pg_constraint WHERE pg_get_constraintdef(oid) LIKE 'FOREIGN%' ORDER BY ALL;
COMMENT ON TABLE parent IS 'people';
COMMENT ON COLUMN parent."name" IS 'their names';
SELECT c.relname, d.objsubid, d.description FROM pg_description d JOIN pg_class c ON c.oid = d.objoid JOIN pg_database b ON b.oid = d.classoid WHERE description IS NOT NULL ORDER BY ALL;
DROP TABLE child;
ALTER TABLE parent RENAME TO ancestor;
SELECT relname, relnatts, relchecks, relhaspkey, relhasindex, reltuples FROM pg_class WHERE relkind = 'r' ORDER BY ALL;

-- script: an oid is the same after changes
CREATE TABLE t (i INTEGER);
CREATE SCHEMA s;
CREATE TABLE seen AS SELECT oid AS o, relname FROM pg_class WHERE relname = 't';
INSERT INTO t VALUES (1);
ALTER TABLE t ADD COLUMN j INTEGER;
ALTER TABLE t RENAME TO u;
SELECT c.relname, seen.relname FROM pg_class c JOIN seen ON c.oid = o;
CREATE TABLE spaces AS SELECT oid AS o FROM pg_namespace WHERE nspname = 's';
CREATE SCHEMA r;
SELECT nspname FROM pg_namespace JOIN spaces ON oid = o;

-- script: what depends
CREATE TYPE mood AS ENUM ('sad');
CREATE TYPE two AS STRUCT (a mood);
CREATE SEQUENCE sq;
CREATE TABLE t (i INTEGER DEFAULT nextval('sq'), m mood);
CREATE TABLE p (i INTEGER PRIMARY KEY);
CREATE TABLE c (j INTEGER REFERENCES p (i));
CREATE INDEX ix ON t (i);
WITH named AS (SELECT oid, relname AS n FROM pg_class WHERE relkind <> 'v' UNION ALL SELECT oid, typname FROM pg_type WHERE typtype = 'e' AND oid IS NOT NULL UNION ALL SELECT type_oid, type_name FROM duckdb_types() WHERE logical_type = 'STRUCT' AND NOT internal) SELECT a.n, b.n, deptype, classid, refclassid, objsubid, refobjsubid FROM pg_depend JOIN named a ON a.oid = objid JOIN named b ON b.oid = refobjid ORDER BY ALL;
SELECT count(*) FROM duckdb_dependencies();

-- script: statements that are prepared
CREATE TABLE t (a INTEGER);
PREPARE p1 AS SELECT 42 AS x, 'a' AS y;
PREPARE p2 AS SELECT 21, $1, $2;
PREPARE p3 AS SELECT $name, $other, $name;
PREPARE p4 AS FROM range(3);
PREPARE p5 AS DELETE FROM t;
FROM pg_prepared_statements ORDER BY name;
DEALLOCATE p1;
SELECT name, parameter_types, result_types FROM duckdb_prepared_statements() ORDER BY name;

-- script: names of tables that every connection has
CREATE TABLE t (i INTEGER);
SELECT tablename FROM pg_tables;
SELECT tablename FROM system.pg_catalog.pg_tables;
SELECT tablename FROM "PG_TABLES";
SELECT table_name FROM system.information_schema.tables;
SELECT table_name FROM main.duckdb_tables;
SELECT table_name FROM system.main.duckdb_tables;
SELECT name FROM sqlite_schema;
SELECT name FROM sqlite_temp_master;
SELECT pg_class.relname, pg_catalog.pg_class.relkind FROM pg_catalog.pg_class WHERE relkind = 'r';
DESCRIBE pg_catalog.pg_tables;
SHOW pg_tables;
SELECT column_name FROM (DESCRIBE pg_views);
SELECT name FROM pragma_database_list;
SELECT DISTINCT schemaname FROM pg_views ORDER BY ALL;
CREATE TABLE pg_tables (mine INTEGER);
FROM pg_tables;
-- both refuse
FROM pg_catalog.duckdb_tables;
-- both refuse
FROM information_schema.pg_tables;
-- both refuse
FROM memory.pg_catalog.pg_tables;
-- both refuse
FROM pg_class();

-- script: comments on all kinds
CREATE SCHEMA s;
CREATE SEQUENCE s.seq;
CREATE TYPE age AS INTEGER;
CREATE TABLE t (a age);
CREATE MACRO two(a) AS a + 2;
CREATE MACRO rows_of(a) AS TABLE SELECT a AS a;
CREATE VIEW v (x, y) AS SELECT a, a + 1 FROM t;
COMMENT ON SEQUENCE s.seq IS 'numbers';
COMMENT ON TYPE age IS 'years';
COMMENT ON MACRO two IS 'a macro';
COMMENT ON FUNCTION two IS 'two more';
COMMENT ON MACRO TABLE rows_of IS 'a table';
COMMENT ON COLUMN v.x IS 'a column';
COMMENT ON COLUMN v.Y IS 'another';
COMMENT ON COLUMN v.y IS NULL;
SELECT objsubid, description FROM pg_description WHERE description IS NOT NULL ORDER BY ALL;
SELECT column_name, comment FROM duckdb_columns() WHERE table_name = 'v' ORDER BY column_index;
BEGIN;
COMMENT ON SEQUENCE s.seq IS 'other numbers';
SELECT comment FROM duckdb_sequences();
ROLLBACK;
SELECT comment FROM duckdb_sequences();
COMMENT ON SEQUENCE s.seq IS NULL;
SELECT comment FROM duckdb_sequences();
CREATE OR REPLACE MACRO two(a) AS a + 2;
SELECT function_name, comment FROM duckdb_functions() WHERE NOT internal ORDER BY ALL;
SELECT two(1);
-- both refuse
COMMENT ON SEQUENCE nothing IS 'x';
-- both refuse
COMMENT ON TYPE nothing IS 'x';
-- both refuse
COMMENT ON MACRO rows_of IS 'x';
-- both refuse
COMMENT ON COLUMN v.z IS 'x';
-- both refuse
COMMENT ON SCHEMA s IS 'x';

-- script: columns of views that every connection has
FROM pragma_table_info('information_schema.tables');
FROM pragma_show('pg_class');
FROM pragma_table_info('pg_catalog.pg_namespace');
FROM pragma_table_info('duckdb_tables');
PRAGMA table_info('sqlite_master');
SHOW TABLES FROM information_schema;
SHOW TABLES FROM pg_catalog;
SHOW search_path;
SHOW THREADS;
CREATE TABLE threads (i INTEGER);
SHOW threads;
SET show_behavior = 'setting';
SHOW threads;
SHOW (SELECT 1 AS a);
SHOW TABLES;
-- both refuse
SHOW pg_am;
SET show_behavior = 'TABLE';
SHOW threads;
-- both refuse
SHOW worker_threads;
-- both refuse
SET show_behavior = 'x';
RESET show_behavior;
SHOW worker_threads;
-- both refuse
CREATE SCHEMA information_schema;
-- both refuse
CREATE SCHEMA pg_catalog;
-- both refuse
DROP SCHEMA pg_catalog;
-- both refuse
CREATE MACRO information_schema.f(a) AS a;
-- both refuse
INSERT INTO pg_am VALUES (1);
SET integer_division = true;
CREATE TABLE t (d DECIMAL(5, 2));
SELECT format_type(atttypid, atttypmod) FROM pg_attribute JOIN pg_class ON attrelid = oid WHERE relname = 't';

-- script: foreign keys of a schema
CREATE SCHEMA s;
CREATE TABLE s.dept (id INTEGER PRIMARY KEY);
CREATE TABLE s.emp (dept INTEGER REFERENCES s.dept (id), "x y" INTEGER, FOREIGN KEY ("x y") REFERENCES s.dept);
SELECT constraint_text, referenced_table FROM duckdb_constraints() ORDER BY ALL;
SELECT sql FROM duckdb_tables() ORDER BY ALL;
