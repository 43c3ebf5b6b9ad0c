-- script: what was done stays with commit, and is undone with rollback
CREATE TABLE t(a INTEGER NOT NULL, b VARCHAR DEFAULT 'none');
INSERT INTO t VALUES (1, 'x'), (2, 'y');
BEGIN;
TRUNCATE t;
FROM t;
INSERT INTO t(a) VALUES (3);
CREATE TABLE u AS FROM t;
CREATE VIEW v AS SELECT a + 1 AS n FROM t;
CREATE MACRO twice(x) AS x * 2;
SELECT n, twice(n) AS m, b FROM v, u;
SELECT table_name FROM information_schema.tables ORDER BY table_name;
COMMIT;
FROM t;
SELECT n, twice(n) AS m, b FROM v, u;
BEGIN TRANSACTION;
DROP VIEW v;
INSERT INTO t VALUES (4, NULL);
CREATE OR REPLACE TABLE u AS SELECT 9 AS z;
DROP MACRO twice;
CREATE MACRO twice(x) AS x + x + 1;
SELECT twice(z) AS z FROM u;
ROLLBACK;
SELECT n, twice(n) AS m, b FROM v, u;
FROM t ORDER BY a;

-- script: one text
CREATE TABLE t(a INTEGER NOT NULL);
BEGIN; INSERT INTO t VALUES (1); INSERT INTO t SELECT a + 1 FROM t; COMMIT;
FROM t ORDER BY a;
BEGIN; TRUNCATE t; ROLLBACK; FROM t ORDER BY a;
BEGIN; DROP TABLE t; CREATE TABLE t AS SELECT 'x' AS s; COMMIT; FROM t;

-- script: all words
BEGIN WORK;
COMMIT WORK;
BEGIN TRANSACTION;
END TRANSACTION;
START TRANSACTION;
ROLLBACK TRANSACTION;
START WORK;
ABORT WORK;
START;
END WORK;
BEGIN READ WRITE;
ABORT TRANSACTION;
BEGIN TRANSACTION READ ONLY;
END;
-- both refuse
BEGIN ISOLATION LEVEL SERIALIZABLE;
-- both refuse
BEGIN DEFERRED;
-- both refuse
COMMIT AND CHAIN;

-- script: what there is none of, and none within another one
-- both refuse
COMMIT;
-- both refuse
ROLLBACK;
CREATE TABLE t(a INTEGER);
BEGIN;
INSERT INTO t VALUES (1);
-- both refuse
BEGIN;
-- both refuse
FROM t;
ROLLBACK;
FROM t;

-- script: an error leaves nothing to do but to end it
CREATE TABLE t(a INTEGER NOT NULL);
INSERT INTO t VALUES (7);
BEGIN;
TRUNCATE t;
-- both refuse
INSERT INTO t VALUES (NULL);
-- both refuse
FROM t;
-- both refuse
INSERT INTO t VALUES (1);
-- both refuse
TRUNCATE t;
-- both refuse
SET threads = 1;
COMMIT;
FROM t;
BEGIN;
TRUNCATE t;
-- both refuse
SELEC 1;
-- both refuse
FROM t;
ROLLBACK;
BEGIN;
TRUNCATE t;
-- both refuse
SELECT nope FROM t;
ABORT;
-- both refuse
BEGIN; TRUNCATE t; INSERT INTO t VALUES ('x'); COMMIT;
-- both refuse
SELECT 1;
ROLLBACK;
FROM t;

-- script: read only
CREATE TABLE t(a INTEGER);
BEGIN READ ONLY;
FROM t;
CREATE TEMP TABLE u AS SELECT 1 AS a;
CREATE TEMP VIEW v AS SELECT a + 1 AS b FROM u;
CREATE TEMP MACRO m() AS 3;
SELECT b + m() AS c FROM v;
COMMIT;
FROM v;
BEGIN READ ONLY;
-- both refuse
INSERT INTO t VALUES (1);
ROLLBACK;
BEGIN READ ONLY;
-- both refuse
CREATE TABLE w AS SELECT 1;
ROLLBACK;
BEGIN READ ONLY;
-- both refuse
CREATE MACRO n() AS 3;
ROLLBACK;
BEGIN READ ONLY;
-- both refuse
DROP TABLE t;
ROLLBACK;
BEGIN READ ONLY;
-- both refuse
TRUNCATE t;
ROLLBACK;
FROM t;

-- script: settings are not of it
BEGIN;
SET threads = 2;
ROLLBACK;
SELECT current_setting('threads')::INTEGER AS n;
