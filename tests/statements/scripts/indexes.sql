-- script: a unique index is a key
CREATE TABLE t(i INT, j INT, s VARCHAR);
INSERT INTO t VALUES (1, 1, 'a'), (2, 1, 'b'), (NULL, 2, 'c'), (NULL, 2, 'd');
-- both refuse
CREATE UNIQUE INDEX u ON t(j);
CREATE UNIQUE INDEX u ON t(i);
-- both refuse
INSERT INTO t VALUES (1, 5, 'e');
-- both refuse
INSERT INTO t VALUES (7, 5, 'e'), (7, 6, 'f');
INSERT INTO t VALUES (NULL, 5, 'e');
-- both refuse
UPDATE t SET i = 2 WHERE i = 1;
UPDATE t SET i = 3 WHERE i = 1;
INSERT INTO t VALUES (2, 9, 'x'), (4, 9, 'y') ON CONFLICT DO NOTHING;
INSERT INTO t VALUES (2, 9, 'x') ON CONFLICT (i) DO UPDATE SET j = excluded.j;
INSERT OR REPLACE INTO t VALUES (2, 8, 'z');
MERGE INTO t USING (VALUES (3, 7)) n(i, j) ON t.j = n.j WHEN MATCHED THEN UPDATE SET j = n.j;
-- both refuse
MERGE INTO t USING (VALUES (3, 7)) n(i, j) ON t.j = n.j WHEN NOT MATCHED THEN INSERT (i, j) VALUES (n.i, n.j);
FROM t ORDER BY ALL;
CREATE UNIQUE INDEX v ON t(i, s);
-- both refuse
INSERT OR REPLACE INTO t VALUES (2, 8, 'z');
INSERT INTO t VALUES (2, 8, 'z') ON CONFLICT (s, i) DO NOTHING;
-- both refuse
CREATE TABLE f(i INT REFERENCES t(i));
SELECT constraint_type FROM duckdb_constraints();
SELECT column_name, key FROM (DESCRIBE t);
DROP INDEX u;
-- both refuse
DROP INDEX u;
INSERT INTO t VALUES (2, 0, 'other');
-- both refuse
INSERT INTO t VALUES (2, 0, 'other');
DROP INDEX v CASCADE;
INSERT INTO t VALUES (2, 0, 'other');
SELECT count(*) FROM t WHERE i = 2;

-- script: unique indexes over generated columns, in transactions, of temporary tables
CREATE TABLE g(i INT, h AS (i % 10));
CREATE UNIQUE INDEX gh ON g(h);
INSERT INTO g VALUES (1), (2);
-- both refuse
INSERT INTO g VALUES (11);
-- both refuse
UPDATE g SET i = 12 WHERE i = 1;
FROM g ORDER BY i;
CREATE TABLE p(a INT);
BEGIN;
CREATE UNIQUE INDEX pa ON p(a);
INSERT INTO p VALUES (1);
ROLLBACK;
INSERT INTO p VALUES (1), (1);
SELECT count(*) FROM duckdb_indexes() WHERE table_name = 'p';
TRUNCATE p;
CREATE UNIQUE INDEX pa ON p(a);
CREATE OR REPLACE TABLE p(a INT);
INSERT INTO p VALUES (1), (1);
CREATE TEMP TABLE q(a INT);
CREATE UNIQUE INDEX pa ON q USING ART (q.a DESC NULLS LAST);
INSERT INTO q VALUES (1);
-- both refuse
INSERT INTO q SELECT 1;

-- script: names of indexes, and what they may be over
CREATE SCHEMA o;
CREATE TABLE o.t(i INT, "a b" VARCHAR, l INT[]);
CREATE TABLE t(i INT, j INT);
CREATE INDEX x ON o.t(i, "a b");
CREATE INDEX x ON t(i);
CREATE INDEX y ON t((i + 1), J, abs(j));
CREATE UNIQUE INDEX CONCURRENTLY "Z z" ON t(i, j);
-- both refuse
CREATE INDEX X ON t(j);
-- both refuse
CREATE UNIQUE INDEX x ON t(j);
-- runs on both
CREATE INDEX IF NOT EXISTS x ON t(j);
SELECT schema_name, index_name, table_name, is_unique, is_primary, expressions, sql FROM duckdb_indexes() ORDER BY ALL;
SELECT table_name, index_count FROM duckdb_tables() ORDER BY ALL;
COMMENT ON INDEX o.x IS 'a remark';
SELECT index_name, comment FROM duckdb_indexes() ORDER BY ALL;
-- both refuse
COMMENT ON INDEX nope IS 'a remark';
-- both refuse
CREATE INDEX n ON t(nope);
-- both refuse
CREATE INDEX n ON t(sum(i));
-- both refuse
CREATE INDEX n ON t(row_number() OVER ());
-- both refuse
CREATE INDEX n ON t((SELECT 1));
-- both refuse
CREATE INDEX n ON t(5);
-- both refuse
CREATE INDEX n ON t(i + random());
-- both refuse
CREATE INDEX n ON t(rowid);
-- both refuse
CREATE INDEX n ON o.t(l);
-- both refuse
CREATE INDEX n ON t USING btree (i);
-- both refuse
CREATE INDEX n ON t();
CREATE VIEW w AS SELECT 1 AS a;
-- both refuse
CREATE INDEX n ON w(a);
-- tqp refuses
CREATE UNIQUE INDEX n ON t((i + 1));
DROP INDEX IF EXISTS o.nope;
-- both refuse
DROP INDEX o.nope;
DROP INDEX o.x;
DROP INDEX main.x;
DROP TABLE t;
SELECT count(*) FROM duckdb_indexes();

-- script: a table with an index keeps its name and columns
CREATE TABLE t(i INT, j INT, k INT);
CREATE INDEX x ON t(j);
-- both refuse
ALTER TABLE t RENAME k TO l;
-- both refuse
ALTER TABLE t RENAME TO u;
-- both refuse
ALTER TABLE t DROP COLUMN i;
-- both refuse
ALTER TABLE t DROP COLUMN k;
-- both refuse
ALTER TABLE t ALTER k TYPE BIGINT;
-- both refuse
ALTER TABLE t ALTER k SET NOT NULL;
-- both refuse
ALTER TABLE t ADD PRIMARY KEY (i);
ALTER TABLE t DROP COLUMN IF EXISTS nope;
ALTER TABLE t ADD COLUMN l INT DEFAULT 5;
ALTER TABLE t ALTER k SET DEFAULT 3;
DROP INDEX x;
ALTER TABLE t RENAME j TO m;
DESCRIBE t;

-- script: a row that changes in a column of an index is put there anew
CREATE TABLE p(i INT PRIMARY KEY, j INT, k INT);
CREATE TABLE f(i INT REFERENCES p(i));
INSERT INTO p VALUES (1, 1, 1);
INSERT INTO f VALUES (1);
UPDATE p SET j = 2;
CREATE INDEX x ON p(j);
UPDATE p SET k = 2;
-- both refuse
UPDATE p SET j = 3;
FROM p;
