-- script: rows that have partners, and rows that lack them

CREATE TABLE p(a INT PRIMARY KEY, b INT UNIQUE, c VARCHAR);
CREATE TABLE c1(x INT REFERENCES p, y INT REFERENCES p(b), note VARCHAR);
CREATE TABLE c2(x INT, y INT, FOREIGN KEY (x) REFERENCES P("A"));
INSERT INTO p VALUES (1, 10, 'a'), (2, 20, 'b'), (3, NULL, 'c');
INSERT INTO c1 VALUES (1, 10, 'k'), (NULL, NULL, 'l'), (2, NULL, 'm');
-- both refuse
INSERT INTO c1 VALUES (4, 10, 'n');
-- both refuse
INSERT INTO c1 VALUES (1, 11, 'n');
-- both refuse
INSERT INTO c1 SELECT 1, 10, 'n' UNION ALL SELECT 9, 10, 'n';
-- both refuse
INSERT INTO c1 VALUES (1, 10, 'n'), (88, NULL, 'n') RETURNING x;
FROM c1;
-- both refuse
DELETE FROM p WHERE a = 2;
-- both refuse
DELETE FROM p RETURNING a;
DELETE FROM p WHERE a = 3;
-- both refuse
UPDATE p SET a = 5 WHERE a = 1;
-- both refuse
UPDATE p SET a = 1 WHERE a = 1;
-- both refuse
UPDATE p SET b = 21 WHERE a = 2;
UPDATE p SET c = 'z' WHERE a = 1;
-- both refuse
UPDATE c1 SET x = 7 WHERE x = 1;
-- both refuse
UPDATE c1 SET x = 7 WHERE x = 1 RETURNING x;
UPDATE c1 SET note = 'q' WHERE x = 1;
UPDATE c1 SET x = 2 WHERE x = 1;
UPDATE c1 SET x = NULL WHERE x = 2;
DELETE FROM p WHERE a = 2;
-- both refuse
TRUNCATE p;
-- both refuse
DROP TABLE p;
-- both refuse
DROP TABLE p CASCADE;
-- both refuse
CREATE OR REPLACE TABLE p(a INT);
-- both refuse
CREATE OR REPLACE TABLE p AS SELECT 1 AS a;
DELETE FROM c1;
TRUNCATE p;
-- both refuse
DROP TABLE p;
DROP TABLE c1;
-- both refuse
DROP TABLE p;
CREATE OR REPLACE TABLE c2(x INT);
DROP TABLE p;

-- script: other statements that put rows there

CREATE TABLE p(a INT PRIMARY KEY, b INT UNIQUE, c INT);
CREATE TABLE c(x INT REFERENCES p, n INT UNIQUE);
INSERT INTO p VALUES (1, 10, 100), (2, 20, 200);
INSERT INTO c VALUES (1, 1);
INSERT INTO p VALUES (1, 10, 113) ON CONFLICT (a) DO UPDATE SET c = excluded.c;
-- both refuse
INSERT INTO p VALUES (1, 10, 113) ON CONFLICT (a) DO UPDATE SET b = excluded.b;
INSERT INTO p VALUES (2, 20, 213), (3, 30, 300) ON CONFLICT (a) DO UPDATE SET b = excluded.b;
INSERT INTO p VALUES (1, 10, 0) ON CONFLICT DO NOTHING;
-- both refuse
INSERT INTO c VALUES (9, 1), (9, 2) ON CONFLICT DO NOTHING;
INSERT INTO c VALUES (9, 1), (2, 2) ON CONFLICT DO NOTHING;
-- both refuse
INSERT INTO c VALUES (9, 1) ON CONFLICT (n) DO UPDATE SET x = excluded.x;
INSERT INTO c VALUES (2, 1) ON CONFLICT (n) DO UPDATE SET x = excluded.x;
-- both refuse
INSERT OR REPLACE INTO c VALUES (7, 7);
INSERT OR REPLACE INTO c VALUES (1, 1);
FROM c;
FROM p;
-- both refuse
MERGE INTO c USING (SELECT 5 AS k) s ON c.x = s.k WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.k);
MERGE INTO c USING (SELECT 3 AS k) s ON c.x = s.k WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.k);
-- both refuse
MERGE INTO p USING (SELECT 1 AS k) s ON p.a = s.k WHEN MATCHED THEN DELETE;
-- both refuse
MERGE INTO p USING (SELECT 1 AS k) s ON p.a = s.k WHEN MATCHED THEN UPDATE SET a = 8;
MERGE INTO p USING (SELECT 1 AS k) s ON p.a = s.k WHEN MATCHED THEN UPDATE SET c = 8;
-- both refuse
MERGE INTO c USING (SELECT 1 AS k) s ON c.x = s.k WHEN MATCHED THEN UPDATE SET x = 8;
MERGE INTO c USING (SELECT 1 AS k) s ON c.x = s.k WHEN MATCHED THEN UPDATE SET x = 3;
FROM c;
FROM p;

-- script: several columns, and several tables

CREATE TABLE p(a INT, b VARCHAR, PRIMARY KEY (a, b));
CREATE TABLE c(x INT, y VARCHAR UNIQUE, CONSTRAINT both_of FOREIGN KEY (x, y) REFERENCES p(a, b));
CREATE TABLE d(z VARCHAR REFERENCES c(y), w INT);
INSERT INTO p VALUES (1, 'a'), (1, 'b');
INSERT INTO c VALUES (1, 'a'), (1, NULL), (NULL, 'q'), (5, NULL);
-- both refuse
INSERT INTO c VALUES (2, 'b');
-- both refuse
INSERT INTO c VALUES (1, 'b'), (7, 'c');
-- both refuse
DELETE FROM p WHERE b = 'a';
DELETE FROM p WHERE b = 'b';
INSERT INTO d VALUES ('a', 1), ('q', 2), (NULL, 3);
-- both refuse
DELETE FROM c WHERE y = 'q';
-- both refuse
UPDATE c SET x = NULL WHERE y = 'a';
UPDATE d SET z = 'a';
DELETE FROM c WHERE y = 'q';
FROM c;
FROM d;

-- script: a table that refers to itself

CREATE TABLE t(id INT PRIMARY KEY, parent INT REFERENCES t, note VARCHAR);
INSERT INTO t VALUES (1, NULL, '');
INSERT INTO t VALUES (2, 1, '');
INSERT INTO t VALUES (3, 2, '');
-- both refuse
INSERT INTO t VALUES (4, 4, '');
-- both refuse
INSERT INTO t VALUES (5, 6, ''), (6, 5, '');
-- both refuse
INSERT INTO t VALUES (4, 3, ''), (5, 4, '');
-- both refuse
UPDATE t SET parent = 3 WHERE id = 3;
UPDATE t SET parent = 1 WHERE id = 3;
UPDATE t SET parent = 2 WHERE id = 3;
-- both refuse
UPDATE t SET parent = NULL WHERE id = 2;
UPDATE t SET note = 'd' WHERE id = 2;
UPDATE t SET id = 30 WHERE id = 3;
-- both refuse
DELETE FROM t WHERE id >= 2;
-- both refuse
TRUNCATE t;
DELETE FROM t WHERE id = 30;
FROM t;
ALTER TABLE t ADD COLUMN z INT;
-- both refuse
ALTER TABLE t RENAME COLUMN parent TO father;
-- both refuse
ALTER TABLE t RENAME COLUMN id TO number;
ALTER TABLE t RENAME TO u;

-- script: what a foreign key may say

CREATE TABLE p(a INT PRIMARY KEY, b INT, UNIQUE (a, b));
-- both refuse
CREATE TABLE e(x INT REFERENCES nowhere);
-- both refuse
CREATE TABLE e(x INT REFERENCES p(b));
-- both refuse
CREATE TABLE e(x INT REFERENCES p(nope));
-- both refuse
CREATE TABLE e(x INT, y INT, FOREIGN KEY (x, y) REFERENCES p);
-- both refuse
CREATE TABLE e(x INT, y INT, FOREIGN KEY (x, y) REFERENCES p(b, a));
-- both refuse
CREATE TABLE e(x INT, y INT, FOREIGN KEY (x) REFERENCES p(a, b));
-- both refuse
CREATE TABLE e(x INT, y INT, FOREIGN KEY (x, x) REFERENCES p(a, b));
-- both refuse
CREATE TABLE e(x VARCHAR REFERENCES p);
-- both refuse
CREATE TABLE e(x BIGINT REFERENCES p);
-- both refuse
CREATE TABLE e(x INT REFERENCES p ON DELETE CASCADE);
-- both refuse
CREATE TABLE e(x INT, FOREIGN KEY (x) REFERENCES p ON UPDATE SET NULL);
-- both refuse
CREATE TABLE e(x INT REFERENCES p MATCH FULL);
-- both refuse
CREATE TABLE e(x INT REFERENCES p DEFERRABLE);
-- both refuse
CREATE TABLE e(x INT FOREIGN KEY REFERENCES p);
-- both refuse
CREATE TABLE e(x INT, REFERENCES p);
-- both refuse
CREATE TABLE e(x INT, FOREIGN KEY (nope) REFERENCES p);
-- both refuse
CREATE TABLE e(x INT REFERENCES e);
-- both refuse
CREATE TABLE e(x INT PRIMARY KEY, y INT REFERENCES e(y));
-- both refuse
CREATE TABLE e(x INT, g INT GENERATED ALWAYS AS (x + 1), FOREIGN KEY (g) REFERENCES p);
CREATE VIEW v AS SELECT 1 AS a;
-- both refuse
CREATE TABLE e(x INT REFERENCES v);
-- both refuse
CREATE TABLE e(x INT REFERENCES v(a));
CREATE TEMP TABLE tp(a INT PRIMARY KEY);
-- both refuse
CREATE TABLE e(x INT REFERENCES tp);
-- both refuse
CREATE TEMP TABLE e(x INT REFERENCES p);
CREATE TEMP TABLE e(x INT REFERENCES tp);
CREATE TABLE e1(x INT REFERENCES p ON DELETE RESTRICT ON UPDATE NO ACTION);
CREATE TABLE e2(x INT, y INT, FOREIGN KEY (x, y) REFERENCES p(a, b));
CREATE TABLE e3(x INT REFERENCES p(a) REFERENCES main.p(a));
CREATE SCHEMA s;
-- both refuse
CREATE TABLE s.e(x INT REFERENCES p);
-- both refuse
CREATE TABLE s.e(x INT REFERENCES main.p);
CREATE TABLE s.p2(a INT PRIMARY KEY);
CREATE TABLE s.e(x INT REFERENCES p2);
CREATE TABLE s.e1(x INT REFERENCES s.p2);
-- both refuse
CREATE TABLE e4(x INT REFERENCES s.p2);
-- both refuse
DROP SCHEMA s;
DROP SCHEMA s CASCADE;
FROM information_schema.table_constraints;
FROM information_schema.key_column_usage;
FROM information_schema.referential_constraints;
FROM information_schema.constraint_column_usage;
FROM information_schema.constraint_table_usage;
FROM information_schema.check_constraints;

-- script: ALTER of tables that refer to others

CREATE TABLE p(a INT PRIMARY KEY, b INT UNIQUE, c VARCHAR);
CREATE TABLE c(x INT REFERENCES p, y INT);
INSERT INTO p VALUES (1, 1, 'x');
INSERT INTO c VALUES (1, 1);
-- both refuse
ALTER TABLE p DROP COLUMN c;
-- both refuse
ALTER TABLE p RENAME TO q;
-- both refuse
ALTER TABLE p RENAME COLUMN c TO d;
-- both refuse
ALTER TABLE p RENAME COLUMN a TO d;
-- both refuse
ALTER TABLE p ALTER c TYPE BLOB;
-- both refuse
ALTER TABLE p ALTER c SET NOT NULL;
-- both refuse
ALTER TABLE p ADD UNIQUE (c);
ALTER TABLE p ADD COLUMN z INT;
ALTER TABLE p ALTER c SET DEFAULT 'k';
COMMENT ON TABLE p IS 'parents';
-- both refuse
ALTER TABLE c RENAME COLUMN x TO z;
-- both refuse
ALTER TABLE c DROP COLUMN x;
-- both refuse
ALTER TABLE c ALTER x TYPE BIGINT;
ALTER TABLE c RENAME COLUMN y TO z;
ALTER TABLE c ADD UNIQUE (x);
-- both refuse
ALTER TABLE c ADD FOREIGN KEY (z) REFERENCES p;
-- both refuse
ALTER TABLE c ADD COLUMN w INT REFERENCES p;
-- both refuse
ALTER TABLE c DROP CONSTRAINT c_x_a_fkey;
FROM duckdb_keywords();
FROM information_schema.character_sets;

-- script: foreign keys in a transaction

CREATE TABLE p(a INT PRIMARY KEY);
CREATE TABLE c(x INT REFERENCES p);
BEGIN;
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1);
DELETE FROM c;
DELETE FROM p;
COMMIT;
FROM p;
BEGIN;
INSERT INTO p VALUES (5);
INSERT INTO c VALUES (5);
-- both refuse
DELETE FROM p WHERE a = 5;
ROLLBACK;
BEGIN;
CREATE TABLE k(x INT PRIMARY KEY);
CREATE TABLE l(x INT REFERENCES k);
INSERT INTO k VALUES (1);
INSERT INTO l VALUES (1);
COMMIT;
-- both refuse
DROP TABLE k;
FROM l;

-- script: keys of other types

CREATE TABLE p(a DECIMAL(5, 2) PRIMARY KEY, v VARCHAR UNIQUE, e DOUBLE UNIQUE, d DATE UNIQUE);
-- both refuse
CREATE TABLE c(x DECIMAL(6, 2) REFERENCES p);
CREATE TABLE c(x DECIMAL(5, 2) REFERENCES p, y VARCHAR REFERENCES p(v), z DOUBLE REFERENCES p(e), d DATE REFERENCES p(d));
INSERT INTO p VALUES (1.5, 'x', 'nan', '2020-01-01'), (2.5, '', 0, NULL);
INSERT INTO c VALUES (1.5, 'x', 'nan', '2020-01-01'), (2.5, '', 0, NULL);
-- both refuse
INSERT INTO c VALUES (1.6, NULL, NULL, NULL);
-- both refuse
INSERT INTO c VALUES (NULL, 'X', NULL, NULL);
-- both refuse
INSERT INTO c VALUES (NULL, NULL, 1.5, NULL);
-- both refuse
INSERT INTO c VALUES (NULL, NULL, NULL, '2020-01-02');
-- both refuse
DELETE FROM p WHERE e = 'nan';
FROM c;
