-- script: numbers of a sequence

CREATE SEQUENCE s;
-- both refuse
CREATE SEQUENCE s;
CREATE SEQUENCE IF NOT EXISTS s;
SELECT nextval('s');
CREATE OR REPLACE SEQUENCE s;
-- both refuse
SELECT currval('s');
SELECT nextval('s') AS n;
SELECT currval('s'), currval('"s"'), currval('main.s');
SELECT nextval('s'), nextval('S');
SELECT nextval(NULL), currval(NULL);
SELECT i, nextval('s') AS n FROM range(5) t(i) WHERE i > 1 ORDER BY i DESC;
VALUES (nextval('s')), (nextval('s'));
SELECT currval('s');
SELECT max(n), count(DISTINCT n) FROM (SELECT nextval('s') AS n FROM range(3000));
-- both refuse
SELECT nextval('t');
-- both refuse
SELECT nextval('a.b.c.s');
-- both refuse
SELECT nextval('"s');
SELECT nextval('' || 's') > 3000;
-- both refuse
SELECT nextval(1 + 1);
-- tqp refuses
SELECT nextval(a) FROM (VALUES ('s')) v(a);
DROP SEQUENCE s;
-- both refuse
DROP SEQUENCE s;
DROP SEQUENCE IF EXISTS s;
-- both refuse
SELECT nextval('s');

-- script: ends, steps and cycles

CREATE SEQUENCE up MINVALUE 3 MAXVALUE 5 START WITH 4 CYCLE;
SELECT nextval('up') FROM range(8);
SELECT currval('up');
SELECT nextval('up');
CREATE SEQUENCE down INCREMENT BY -2 MINVALUE -6 MAXVALUE 0;
SELECT nextval('down') FROM range(4);
-- both refuse
SELECT nextval('down');
SELECT currval('down');
CREATE SEQUENCE round INCREMENT -1 MINVALUE -2 CYCLE;
SELECT nextval('round') FROM range(5);
CREATE SEQUENCE last START 9223372036854775806;
SELECT nextval('last') FROM range(2);
-- both refuse
SELECT nextval('last');
CREATE TEMP SEQUENCE temporary INCREMENT 5 NO MAXVALUE NO CYCLE;
SELECT nextval('temporary'), nextval('temp.temporary');
-- both refuse
CREATE SEQUENCE a INCREMENT 0;
-- both refuse
CREATE SEQUENCE a MINVALUE 7 MAXVALUE 5;
-- both refuse
CREATE SEQUENCE a MAXVALUE 5 START 6;
-- both refuse
CREATE SEQUENCE a START -1;
-- both refuse
CREATE SEQUENCE a NO MAXVALUE MAXVALUE 2;
-- both refuse
CREATE SEQUENCE a START 13 START WITH 3;

-- script: defaults that draw

CREATE SEQUENCE s START 10;
CREATE TABLE t(id INTEGER DEFAULT nextval('s'), name VARCHAR);
INSERT INTO t(name) VALUES ('a'), ('b');
INSERT INTO t VALUES (1, 'c'), (DEFAULT, 'd');
INSERT INTO t(name) SELECT 'e' || i FROM range(3) r(i);
FROM t;
-- both refuse
DROP SEQUENCE s;
DROP TABLE t;
DROP SEQUENCE s;

-- script: a sequence of a transaction

CREATE SEQUENCE s;
BEGIN;
CREATE SEQUENCE other;
SELECT nextval('s'), nextval('other');
ROLLBACK;
-- both refuse
SELECT nextval('other');
SELECT nextval('s') > 1;
CREATE VIEW v AS SELECT nextval('s') > 0 AS above FROM range(2);
FROM v;

-- script: what sequences there are

CREATE SEQUENCE a;
CREATE TEMP SEQUENCE t;
CREATE SCHEMA other;
CREATE SEQUENCE other.b INCREMENT -2 START 3 MAXVALUE 10 MINVALUE -5 CYCLE;
SELECT nextval('other.b'), nextval('other.b') AS again, nextval('t');
SELECT database_name, schema_name, sequence_name, comment, "temporary", start_value, min_value, max_value, increment_by, "cycle", last_value, sql FROM duckdb_sequences() ORDER BY ALL;

-- script: a sequence goes with the tables that draw from it

CREATE SCHEMA other;
CREATE SEQUENCE s;
CREATE SEQUENCE other.s;
CREATE TABLE t(i INTEGER DEFAULT nextval('s'), j INTEGER);
CREATE TABLE other.u(i INTEGER DEFAULT nextval('other.s'), k INTEGER DEFAULT nextval('other.s'));
CREATE TEMP TABLE v(i INTEGER DEFAULT 3 + nextval('s'));
CREATE TABLE w(i INTEGER);
-- both refuse
DROP SEQUENCE other.s RESTRICT;
DROP SEQUENCE other.s CASCADE;
SELECT table_name FROM duckdb_tables() ORDER BY ALL;
BEGIN;
DROP SEQUENCE s CASCADE;
SELECT table_name FROM duckdb_tables() ORDER BY ALL;
ROLLBACK;
INSERT INTO t(j) VALUES (1);
SELECT table_name FROM duckdb_tables() ORDER BY ALL;
DROP SEQUENCE s CASCADE;
-- both refuse
FROM t;
FROM v;
SELECT table_name FROM duckdb_tables() ORDER BY ALL;
CREATE SEQUENCE s;
SELECT nextval('s');

-- script: sequences that are set

CREATE SEQUENCE s;
SELECT setval('s', 10) AS n;
SELECT currval('s'), last_value FROM duckdb_sequences();
SELECT nextval('s');
SELECT setval('s', 30, false);
SELECT currval('s'), last_value FROM duckdb_sequences();
SELECT nextval('s');
SELECT setval('s', i) FROM (VALUES (5), (NULL), (3)) t(i);
SELECT nextval('s');
SELECT setval('s', 7, NULL), setval('s', NULL), setval(NULL, 7);
SELECT nextval('s');
SELECT setval('s', '40');
SELECT nextval('s');
-- both refuse
SELECT setval('s', 0);
-- both refuse
SELECT setval('s', i) FROM range(3) t(i);
-- both refuse
SELECT setval('s', 1.5);
-- both refuse
SELECT setval('s', 2, 1);
-- both refuse
SELECT setval('s');
-- both refuse
SELECT setval('t', 1);
-- both refuse
SELECT setval(a, 1) FROM (VALUES ('s')) v(a);
SELECT nextval('s');
CREATE SEQUENCE unset;
SELECT setval('unset', 30, false);
-- both refuse
SELECT currval('unset');
SELECT nextval('unset');
CREATE SEQUENCE cycling MINVALUE 2 MAXVALUE 5 CYCLE;
SELECT setval('cycling', 5);
SELECT nextval('cycling');
CREATE SEQUENCE falling INCREMENT BY -2 MINVALUE -9 MAXVALUE 9 START WITH 9;
SELECT setval('falling', -8);
-- both refuse
SELECT nextval('falling');
SELECT setval('falling', 3, false);
SELECT nextval('falling') FROM range(3);

-- script: numbers in lists that become rows, and in operands of CASE
CREATE SEQUENCE a;
CREATE SEQUENCE b;
SELECT unnest([nextval('a')]) FROM range(3);
SELECT unnest([nextval('a'), 5]) FROM range(3);
SELECT unnest(range(nextval('b'))) FROM range(3);
SELECT currval('a'), currval('b');
SELECT unnest([nextval('a'), nextval('a')]), unnest([nextval('b')]) FROM range(2);
SELECT nextval('a'), unnest([nextval('a'), nextval('a')]) FROM range(2);
SELECT currval('a'), currval('b');
SELECT unnest([1, 2]) + nextval('b') FROM range(2);
SELECT currval('b');
CREATE SEQUENCE c;
SELECT CASE sum(nextval('c')) OVER () + random() * 0 WHEN 3 THEN 'a' WHEN 4 THEN 'b' WHEN 5 THEN 'c' END FROM range(1);
SELECT currval('c');
SELECT sum(nextval('c')) OVER (), CASE sum(nextval('c')) OVER () WHEN 7 THEN 'a' WHEN 9 THEN 'b' END FROM range(2);
SELECT currval('c');
CREATE SEQUENCE d;
SELECT CASE unnest([nextval('d')]) + random() * 0 WHEN 1 THEN 'a' WHEN 2 THEN 'b' WHEN 3 THEN 'c' END FROM range(3);
SELECT currval('d');
CREATE SEQUENCE e;
CREATE MACRO operand() AS unnest(range(nextval('e'))) + random() * 0;
SELECT count(*), count(*) FILTER (WHERE result = 'a') FROM (SELECT CASE operand() WHEN 0 THEN 'a' WHEN 1 THEN 'b' END AS result FROM range(1));
SELECT currval('e');
SELECT CASE unnest([1, 2, 3]) WHEN 1 THEN 'x' WHEN 2 THEN 'y' END, unnest([7, 8]);
SELECT CASE row_number() OVER (ORDER BY range) WHEN 1 THEN 'x' WHEN 2 THEN 'y' END FROM range(3);
