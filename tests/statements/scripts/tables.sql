-- script: columns, NOT NULL and defaults

CREATE TABLE t(i INTEGER, s VARCHAR NOT NULL, d DECIMAL(5,2) DEFAULT 1.5);
DESCRIBE t;
FROM t;
-- both refuse
CREATE TABLE t(i INTEGER);
-- both refuse
CREATE TABLE T(x INTEGER);
CREATE TABLE IF NOT EXISTS t AS SELECT 1;
-- both refuse
CREATE OR REPLACE TABLE IF NOT EXISTS t AS SELECT 1;
INSERT INTO t VALUES (1, 'a', DEFAULT);
INSERT INTO t(s) VALUES ('x'), (5);
-- both refuse
INSERT INTO t(i) VALUES (1);
-- both refuse
INSERT INTO t DEFAULT VALUES;
FROM t ORDER BY ALL;
SELECT sum(i), count(*), max(s) FROM t;
CREATE TABLE p(i INTEGER NULL, j INTEGER NOT NULL DEFAULT 5, k INTEGER DEFAULT 5 NOT NULL, l INTEGER DEFAULT (1 + 1), m VARCHAR DEFAULT NULL);
DESCRIBE p;
INSERT INTO p(i) VALUES (7), (NULL);
INSERT INTO p DEFAULT VALUES;
FROM p;
-- both refuse
INSERT INTO p(j) VALUES (NULL);
FROM p;

-- script: what is no column

-- both refuse
CREATE TABLE t(i INTEGER, I VARCHAR);
-- both refuse
CREATE TABLE t();
-- both refuse
CREATE TABLE t(i);
-- both refuse
CREATE TABLE t(i NOPE);
-- both refuse
CREATE TABLE t(i INTEGER) AS SELECT 1;
-- both refuse
CREATE TABLE t(i INTEGER DEFAULT nope);
-- both refuse
CREATE TABLE t(i INTEGER DEFAULT (SELECT 1));
-- both refuse
CREATE TABLE t(i INTEGER DEFAULT nofunction(1));
-- both refuse
CREATE TABLE t(i INTEGER DEFAULT sum(1));
-- both refuse
CREATE TABLE t(i INTEGER DEFAULT row_number() OVER ());
-- both refuse
CREATE TABLE table(i INTEGER);
-- both refuse
CREATE TABLE t(select INTEGER);
-- both refuse
CREATE TABLE t;
-- both refuse
CREATE TABLE t(i INTEGER) nonsense;
-- both refuse
CREATE TABLE t(i INTEGER NOT);
-- both refuse
FROM t;
CREATE TABLE t(i INTEGER,);
FROM t;
CREATE TABLE d(i INTEGER DEFAULT 'x');
-- both refuse
INSERT INTO d DEFAULT VALUES;
FROM d;
CREATE TABLE "a b"("x y" INT);
INSERT INTO "a b" VALUES (1);
FROM "a b";
SELECT "x y" FROM "A B";

-- script: types

CREATE TABLE t(b TINYINT, d DATE, v VARCHAR(10), o BOOLEAN, ts TIMESTAMP, iv INTERVAL, dc DEC(3,1), db DOUBLE PRECISION, h HUGEINT, u UBIGINT, ti TIME, tz TIMESTAMP WITH TIME ZONE, f FLOAT[3], r REAL);
DESCRIBE t;
-- both refuse
INSERT INTO t(b) VALUES (300);
-- both refuse
INSERT INTO t(b) SELECT 300;
-- both refuse
INSERT INTO t(d) VALUES (5);
-- both refuse
INSERT INTO t(d) SELECT 5;
INSERT INTO t(d) VALUES ('2020-01-01'), (TIMESTAMP '2020-01-02 03:04:05');
INSERT INTO t(v) VALUES (1), ('x'), (1.5), (DATE '2020-01-01'), (true);
INSERT INTO t(o) VALUES (1), ('t'), (0.5);
INSERT INTO t(ts) SELECT DATE '2020-01-01';
INSERT INTO t(iv) VALUES ('1 day');
-- both refuse
INSERT INTO t(iv) VALUES (5);
-- both refuse
INSERT INTO t(dc) VALUES (99.99);
-- both refuse
INSERT INTO t(dc) VALUES (100);
INSERT INTO t(dc) VALUES (1.26), (1.24);
INSERT INTO t(db) VALUES ('1e5'), (5);
INSERT INTO t(b) VALUES (1), (2 + 2), ((SELECT 7));
-- both refuse
INSERT INTO t(b) VALUES (v);
INSERT INTO t(h, u) VALUES (170141183460469231731687303715884105727, 18446744073709551615);
INSERT INTO t(f) VALUES ([1, 2, 3]);
INSERT INTO t(dc) SELECT 1.26::DOUBLE;
INSERT INTO t(b) SELECT 2.5;
INSERT INTO t(b) SELECT 2.5::DOUBLE;
INSERT INTO t(b) VALUES (1.5), (2.5), (true);
-- both refuse
INSERT INTO t(o) SELECT 'x';
-- both refuse
INSERT INTO t(o) SELECT DATE '2020-01-01';
-- both refuse
INSERT INTO t(ts) SELECT 1;
SELECT b, d, v, o, ts, iv, dc, db FROM t ORDER BY ALL;
SELECT h::VARCHAR, u, ti, r FROM t ORDER BY ALL;

-- script: insert by position and by name

CREATE TABLE t(b TINYINT, v VARCHAR DEFAULT 'd');
INSERT INTO t VALUES (1, 'a'), ('2', 3);
INSERT INTO t(b, v) VALUES (DEFAULT, DEFAULT), (4, DEFAULT);
INSERT INTO t(v) VALUES ((DEFAULT));
-- both refuse
INSERT INTO t(v) VALUES (DEFAULT || 'x');
-- both refuse
INSERT INTO t(v) SELECT DEFAULT;
INSERT INTO t(V) VALUES ('caps');
INSERT INTO t BY NAME SELECT 'x' AS V, 1 AS b;
INSERT INTO t BY NAME SELECT 7 AS b;
INSERT INTO t BY NAME (SELECT 8 AS b);
-- both refuse
INSERT INTO t BY NAME SELECT 1 AS nope;
-- both refuse
INSERT INTO t BY NAME SELECT 1 AS b, 2 AS b;
-- both refuse
INSERT INTO t BY NAME VALUES (1);
-- both refuse
INSERT INTO t (b) BY NAME SELECT 1 AS b;
INSERT INTO t BY POSITION SELECT 3, 'p';
-- both refuse
INSERT INTO t(b, b) VALUES (1, 2);
-- both refuse
INSERT INTO t(z) VALUES (1);
-- both refuse
INSERT INTO t VALUES (1);
-- both refuse
INSERT INTO t VALUES (1, 'a', 2);
-- both refuse
INSERT INTO t(b, v) VALUES (1);
-- both refuse
INSERT INTO t VALUES (1, 'a'), (2);
-- both refuse
INSERT INTO t() VALUES ();
-- both refuse
INSERT INTO t;
-- both refuse
INSERT INTO t VALUES;
-- both refuse
INSERT t VALUES (1, 'a');
INSERT INTO t AS q VALUES (9, 'as');
INSERT INTO main.t VALUES (10, 'main');
-- both refuse
INSERT INTO nope.t VALUES (1, 'a');
-- both refuse
INSERT INTO nope VALUES (1);
INSERT INTO t(b) (VALUES (1), ('2'));
INSERT INTO t(v) (VALUES (1), ('x'));
-- both refuse
INSERT INTO t(v) SELECT * FROM (VALUES (1), ('x'));
INSERT INTO t(b) VALUES ('1') ORDER BY 1;
INSERT INTO t(v) VALUES (1), ('x') ORDER BY 1;
-- both refuse
INSERT INTO t(v) WITH q AS (SELECT 1) VALUES (3), ('y');
WITH q AS (SELECT 5 AS b) INSERT INTO t(b) SELECT * FROM q;
INSERT INTO t(b) WITH q AS (SELECT 6 AS b) SELECT * FROM q;
INSERT INTO t TABLE t;
INSERT INTO t (FROM t);
INSERT INTO t FROM t WHERE b > 3;
INSERT INTO t SELECT b, v FROM t WHERE false;
SELECT b, v, count(*) FROM t GROUP BY ALL ORDER BY ALL;
INSERT INTO t VALUES (1, 'a') RETURNING *;
-- both refuse
INSERT INTO t VALUES (1, 'a') ON CONFLICT DO NOTHING;
-- both refuse
INSERT OR REPLACE INTO t VALUES (1, 'a');
SELECT count(*) FROM t;

-- script: returning

CREATE TABLE t(a INTEGER, b VARCHAR DEFAULT 'd');
INSERT INTO t(a) VALUES (1), (2) RETURNING *;
INSERT INTO t(a) VALUES (3) RETURNING a + 1 AS x, upper(b), t.a;
-- both refuse
INSERT INTO t(a) VALUES (1) RETURNING nope;
-- both refuse
INSERT INTO t(a) VALUES (1) RETURNING a AS x, x + 1;
INSERT INTO t(a) VALUES (1) RETURNING a AS b, b || 'x' AS y;
-- both refuse
INSERT INTO t(a) VALUES (1) RETURNING sum(a);
-- both refuse
INSERT INTO t(a) VALUES (1) RETURNING (SELECT 1);
-- both refuse
INSERT INTO t(a) VALUES (1) RETURNING row_number() OVER ();
-- both refuse
INSERT INTO t(b) VALUES ('x') RETURNING CAST(b AS INTEGER);
-- both refuse
INSERT INTO t(a) VALUES (1) RETURNING DISTINCT a;
-- both refuse
INSERT INTO t(a) VALUES (1) RETURNING a UNION SELECT 1;
-- both refuse
INSERT INTO t(a) VALUES (1) RETURNING;
INSERT INTO t(a) VALUES (1) RETURNING t.*, a AS z,;
INSERT INTO t BY NAME SELECT 4 AS a RETURNING *;
INSERT INTO t DEFAULT VALUES RETURNING *;
INSERT INTO t SELECT a + 10, b FROM t RETURNING a;
FROM t ORDER BY ALL;

-- script: of a query

CREATE TABLE s AS SELECT 1 AS x, 'a' AS y UNION ALL SELECT 2, NULL;
CREATE TABLE w AS SELECT 1, 1 AS a, 2 AS a;
FROM w;
CREATE TABLE n(a, b) AS SELECT 1, 2, 3;
FROM n;
-- both refuse
CREATE TABLE n2(a, a) AS SELECT 1, 2;
-- both refuse
CREATE TABLE n3(a, b, c) AS SELECT 1, 2;
CREATE TABLE e AS SELECT * FROM s WITH NO DATA;
FROM e;
DESCRIBE e;
CREATE TABLE e2 AS FROM s WITH DATA;
FROM e2;
CREATE TABLE v AS VALUES (1, 'x'), (2, 'y');
FROM v;
CREATE TABLE c AS TABLE s;
CREATE TABLE p AS (SELECT 1 AS one);
FROM p;
-- both refuse
CREATE TABLE q AS 5;
-- both refuse
CREATE TABLE q AS SELEC 1;
-- both refuse
CREATE TABLE q AS SELECT nope;
-- both refuse
CREATE TABLE IF NOT EXISTS s AS SELECT nope;
CREATE OR REPLACE TABLE s AS SELECT x + 1 AS x, y FROM s;
FROM s ORDER BY x;
-- both refuse
CREATE OR REPLACE TABLE s AS SELECT 1 // (x - 2) AS z, CASE WHEN x = 3 THEN CAST(y || 'x' AS INTEGER) ELSE CAST('q' AS INTEGER) END FROM s;
FROM s ORDER BY x;
CREATE TABLE nul AS SELECT NULL AS a;
DESCRIBE nul;
-- both refuse
INSERT INTO nul VALUES (1);
-- both refuse
INSERT INTO nul VALUES (NULL), ('x');
-- both refuse
INSERT INTO nul SELECT 1.5;
INSERT INTO nul VALUES (NULL);
FROM nul;
SELECT s.x, e2.y FROM s JOIN e2 USING (x) ORDER BY ALL;
INSERT INTO s SELECT x, y FROM s;
SELECT count(*), count(y), sum(x) FROM s;
INSERT INTO s VALUES (40, 'zz'), (-40, 'aa');
SELECT min(x), max(x), min(y), max(y), count(DISTINCT y) FROM s;
SELECT x FROM s WHERE y = 'zz';
SELECT y FROM s WHERE x < 0;

-- script: temporary

CREATE TEMP TABLE t AS SELECT 1 AS a;
CREATE TABLE t AS SELECT 2 AS a;
FROM t;
FROM main.t;
FROM temp.t;
FROM memory.main.t;
INSERT INTO t VALUES (5);
FROM t;
SHOW TABLES;
DROP TABLE t;
FROM t;
DROP TABLE t;
-- both refuse
FROM t;
-- both refuse
CREATE TABLE temp.q AS SELECT 1;
CREATE TABLE main.q2 AS SELECT 1 AS z;
FROM q2;
-- both refuse
CREATE TABLE nope.q3 AS SELECT 1;
-- both refuse
CREATE TEMP TABLE memory.main.x AS SELECT 1;
CREATE TEMPORARY TABLE main.y AS SELECT 1 AS yy;
FROM temp.y;
DROP TABLE main.q2;
-- both refuse
DROP TABLE q2;

-- script: names that are taken

CREATE TABLE t AS SELECT 1 AS a;
CREATE VIEW v AS SELECT 2 AS b;
-- both refuse
CREATE VIEW t AS SELECT 1;
-- both refuse
CREATE TABLE v AS SELECT 1;
-- both refuse
CREATE OR REPLACE VIEW t AS SELECT 1;
-- both refuse
CREATE OR REPLACE TABLE v AS SELECT 1;
CREATE VIEW IF NOT EXISTS t AS SELECT 1;
CREATE TABLE IF NOT EXISTS v AS SELECT 1;
-- both refuse
DROP TABLE v;
-- both refuse
DROP VIEW t;
-- both refuse
DROP VIEW IF EXISTS t;
DROP TABLE IF EXISTS nope;
DROP VIEW IF EXISTS nope;
-- both refuse
DROP TABLE nope;
-- both refuse
DROP VIEW nope;
-- both refuse
DROP TABLE t, v;
-- both refuse
DROP t;
-- both refuse
DROP TABLE;
-- both refuse
INSERT INTO v VALUES (1);
FROM t;
FROM v;
DROP TABLE t CASCADE;
DROP VIEW v RESTRICT;
-- both refuse
FROM t;
-- both refuse
FROM v;

-- script: names with points

CREATE TABLE "a.b" AS SELECT 1 AS x;
SELECT "a.b".x FROM "a.b";
SELECT * FROM main."a.b";
SELECT "a.b".x FROM memory.main."a.b";
CREATE TEMP TABLE "a.b" AS SELECT 5 AS z;
FROM "a.b";
FROM temp."a.b";
FROM memory.main."a.b";
DROP TABLE temp."a.b";
SELECT * FROM "a.b", (SELECT 2 AS y) AS a;
-- both refuse
SELECT a.x FROM "a.b";
CREATE TABLE "c.parquet" AS SELECT 1 AS x;
SELECT "c.parquet".x FROM "c.parquet";
-- both refuse
SELECT c.x FROM "c.parquet";
SELECT duckdb_tables.table_name FROM duckdb_tables() ORDER BY 1;

-- script: TRUNCATE

CREATE TABLE t(i INTEGER NOT NULL DEFAULT 3, s VARCHAR);
INSERT INTO t VALUES (1, 'x'), (2, 'y');
CREATE VIEW v AS SELECT count(*) AS n FROM t;
TRUNCATE t;
FROM t;
DESCRIBE t;
FROM v;
TRUNCATE TABLE main.t;
INSERT INTO t(s) VALUES ('z');
FROM t;
-- both refuse
INSERT INTO t VALUES (NULL, 'z');
CREATE TEMP TABLE t(a INTEGER);
INSERT INTO t VALUES (1), (2), (3);
TRUNCATE t AS u;
TRUNCATE t u RESTRICT;
-- both refuse
TRUNCATE t u CASCADE;
TRUNCATE t u;
FROM memory.main.t;
-- both refuse
TRUNCATE v;
-- both refuse
TRUNCATE nowhere;
-- both refuse
TRUNCATE TABLE IF EXISTS t;
-- both refuse
TRUNCATE t CASCADE;
TRUNCATE t RESTRICT;
-- both refuse
TRUNCATE t WHERE a = 1;
-- both refuse
TRUNCATE;

-- script: numbers of rows
CREATE TABLE t(a INTEGER, b VARCHAR DEFAULT 'x');
SELECT rowid FROM t;
INSERT INTO t VALUES (1,'a'), (2,NULL);
INSERT INTO t VALUES (5,'a');
SELECT rowid, a, typeof(rowid) AS y FROM t ORDER BY a;
SELECT t.rowid FROM t WHERE rowid = 1;
SELECT max(rowid) FROM t;
SELECT rowid, * FROM t ORDER BY rowid DESC;
SELECT x.rowid FROM t x JOIN t y USING (a) ORDER BY 1;
SELECT a FROM t WHERE rowid IN (SELECT max(rowid) FROM t GROUP BY b) ORDER BY a;
SELECT COLUMNS(*) FROM t ORDER BY a;
FROM t ORDER BY a;
DESCRIBE t;
SELECT count(rowid), rowid + 1 AS n FROM t GROUP BY rowid ORDER BY n;
SELECT row_number() OVER (ORDER BY rowid DESC) AS n, a FROM t ORDER BY n;
SELECT ROWID, "RowId" FROM t ORDER BY 1;
-- both refuse
SELECT rowid FROM (SELECT * FROM t);
-- both refuse
SELECT rowid FROM t x, t y;
-- both refuse
INSERT INTO t VALUES (22,'z') RETURNING rowid;
CREATE VIEW v AS FROM t;
-- both refuse
SELECT rowid FROM v;
INSERT INTO t SELECT rowid, b FROM t;
SELECT rowid, * FROM t ORDER BY rowid;
TRUNCATE t;
SELECT rowid FROM t;
CREATE TABLE u(rowid INTEGER);
INSERT INTO u VALUES (7);
SELECT rowid FROM u;
FROM u;

-- script: texts that make tables, views and indexes anew
CREATE SCHEMA sc;
CREATE TYPE mood AS ENUM ('a', 'b');
CREATE TABLE t2(a INTEGER PRIMARY KEY, b VARCHAR NOT NULL DEFAULT 'x');
CREATE TABLE t3(a INTEGER REFERENCES t2(a), "B b" INTEGER AS (a + 1), s STRUCT(x INTEGER, "y y" VARCHAR[]), CHECK (a < 5));
CREATE TABLE t5(a INT UNIQUE CHECK (a > 1), b INT CONSTRAINT k CHECK (b > a), UNIQUE (a, b), PRIMARY KEY (b), FOREIGN KEY (b) REFERENCES t2);
CREATE TABLE "6"("CHECK" mood, "Aa" VARCHAR COLLATE NOCASE DEFAULT 'it''s' NOT NULL, n NUMERIC DEFAULT 3+4, UNIQUE ("Aa"));
CREATE TEMP TABLE t8(a TIMESTAMP DEFAULT now(), b INT[] DEFAULT [1,2]);
CREATE TABLE sc.t9(a INT);
CREATE VIEW v1 AS SELECT "a" AS x FROM t5 WHERE a > 3 AND b IN (1,2) ORDER BY 1;
CREATE VIEW v2(p) AS FROM t5;
CREATE VIEW sc.v3 AS WITH q AS (SELECT 1 AS a) SELECT q.a, count(*) FROM q JOIN t5 USING (a) GROUP BY ALL HAVING count(*) > 1 LIMIT 3;
CREATE VIEW v4 AS SELECT 1 UNION ALL SELECT 2;
CREATE INDEX "i 1" ON sc.t9(a, (a + 1));
SELECT table_name, sql FROM duckdb_tables() ORDER BY ALL;
SELECT view_name, sql FROM duckdb_views() WHERE NOT internal ORDER BY ALL;
SELECT index_name, sql FROM duckdb_indexes();
SELECT * FROM sqlite_master ORDER BY ALL;
ALTER TABLE t8 ADD COLUMN z VARCHAR DEFAULT 'q';
SELECT sql FROM sqlite_master WHERE name = 't8';

-- script: the columns of one table or view, as a table
CREATE TABLE t2(a INTEGER PRIMARY KEY, b VARCHAR NOT NULL DEFAULT 'x' UNIQUE, c INT AS (a + 1));
CREATE VIEW v AS SELECT a, NULL AS n FROM t2;
CREATE SCHEMA sc;
CREATE TABLE sc.t7(a INT DEFAULT 3 + 4, "select" INT NULL UNIQUE);
CREATE TABLE "x y"(a INT, b INT, PRIMARY KEY (b, a));
FROM pragma_table_info('T2');
FROM pragma_table_info(t2);
FROM pragma_table_info('sc.t7');
FROM pragma_table_info(sc.t7);
FROM pragma_table_info('"x y"');
FROM pragma_table_info('v');
FROM pragma_show('t2');
FROM pragma_show("x y");
PRAGMA table_info('t2');
PRAGMA table_info("x y");
CALL pragma_table_info('v');
SELECT p.name, pk FROM pragma_table_info('t2') AS p WHERE p.notnull;
SELECT count(DISTINCT pragma_table_info.name) FROM pragma_table_info('v');
ALTER TABLE "x y" ADD COLUMN c INT;
FROM pragma_table_info('x y');
-- both refuse
FROM pragma_table_info('nothing');
-- both refuse
FROM pragma_table_info();
-- both refuse
FROM pragma_show(5);
-- both refuse
PRAGMA table_info(nothing);

-- script: a clause of a column twice

-- both refuse
CREATE TABLE t(a INTEGER DEFAULT 1 DEFAULT 2);
-- both refuse
CREATE TABLE t(a INTEGER DEFAULT 1 NOT NULL DEFAULT 1);
-- both refuse
CREATE TABLE t(a VARCHAR COLLATE NOCASE COLLATE NOCASE);
CREATE TABLE t(a VARCHAR COLLATE NOCASE NOT NULL DEFAULT 'x' NOT NULL CHECK (a <> 'y') CHECK (a <> 'z'));
INSERT INTO t VALUES (DEFAULT);
-- both refuse
ALTER TABLE t ADD COLUMN b INTEGER DEFAULT 1 DEFAULT 2;
FROM t;
