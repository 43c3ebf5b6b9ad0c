-- script: values of generated columns

CREATE TABLE t(a INTEGER, b AS (a + 1), c BIGINT GENERATED ALWAYS AS (b * d) VIRTUAL, d INTEGER DEFAULT 7, e VARCHAR AS (A) NULL);
DESCRIBE t;
INSERT INTO t VALUES (1, 10);
INSERT INTO t(a) VALUES (2), (DEFAULT);
INSERT INTO t DEFAULT VALUES;
INSERT INTO t BY NAME SELECT 4 AS d, 5 AS a;
INSERT INTO t SELECT a, d FROM t WHERE b = 2 RETURNING *, c + 1;
FROM t;
SELECT rowid, * FROM t WHERE c > 15 ORDER BY c;
-- both refuse
INSERT INTO t VALUES (1, 2, 3);
-- both refuse
INSERT INTO t(a, b) VALUES (1, 2);
-- both refuse
INSERT INTO t(a, b) VALUES (1, DEFAULT);
-- both refuse
INSERT INTO t BY NAME SELECT 1 AS a, 2 AS b;
SELECT column_name, column_default, is_generated, generation_expression, is_nullable FROM duckdb_columns() WHERE table_name = 't' ORDER BY column_index;
SELECT column_name, column_default, is_generated, generation_expression FROM information_schema.columns WHERE table_name = 't' ORDER BY ordinal_position;
PRAGMA table_info(t);
CREATE VIEW v AS SELECT c, b FROM t;
CREATE TABLE copied AS FROM t;
INSERT INTO t VALUES (100, 1);
FROM v;
INSERT INTO copied SELECT * FROM t;
FROM copied;
PREPARE more AS INSERT INTO t VALUES ($1, 2);
EXECUTE more(50);
WITH made AS (INSERT INTO t VALUES (60, 2) RETURNING b, c) FROM made;
SELECT c, count(*), sum(b) FROM t GROUP BY c;
TRUNCATE t;
INSERT INTO t VALUES (3, 3);
FROM t;

-- script: types of generated columns

CREATE TYPE mood AS ENUM ('ok', 'sad');
CREATE TABLE t(a INTEGER, b AS (CASE WHEN a > 3 THEN 'ok' ELSE 'sad' END), c DECIMAL(10, 2) AS (a / 3), d AS (a::DOUBLE / 3), e AS ([a, a + 1]), f AS ({'x': a}), g DATE AS (make_date(a, 1, 1)), h AS (a::VARCHAR::BLOB), i AS (to_days(a)), j AS (NULL), k AS (1), l AS (b::mood), m AS (map()), n AS (f['x']));
DESCRIBE t;
INSERT INTO t SELECT 2000 + range FROM range(100);
INSERT INTO t VALUES (NULL);
FROM t;
SELECT typeof(COLUMNS(*)) FROM t LIMIT 1;
UPDATE t SET a = a + 1 WHERE a < 2050;
FROM t;
-- both refuse
DROP TYPE mood;
CREATE TABLE collated(g AS (x), x VARCHAR COLLATE NOCASE, h VARCHAR AS (x || 'q'));
INSERT INTO collated VALUES ('s'), ('S');
SELECT count(*) FROM collated GROUP BY g;
SELECT count(*) FROM collated GROUP BY h;
CREATE TABLE text(word VARCHAR, is_true BOOLEAN AS (word));
INSERT INTO text VALUES ('true'), ('f');
-- both refuse
INSERT INTO text VALUES ('string');
FROM text;

-- script: generated columns that read others

CREATE TABLE t(a AS (b), b AS (c), c INTEGER, d AS (a + c), "e e" AS ("D" * 2), f AS ("e e" + 1));
INSERT INTO t VALUES (3), (NULL);
FROM t;
UPDATE t SET c = c + 1 RETURNING *;
-- both refuse
CREATE TABLE u(a INTEGER, b AS (b + 1));
-- both refuse
CREATE TABLE u(a INTEGER, b AS (c), c AS (b));
-- both refuse
CREATE TABLE u(a AS (d), b AS (a), c AS (b), d AS (c), x INTEGER);
-- both refuse
FROM u;

-- script: UPDATE of what generated columns read

CREATE TABLE t(a INTEGER, b AS (a + 1), c AS (b * 2), d INTEGER, e AS (d));
INSERT INTO t VALUES (1, 10), (2, 20), (3, NULL);
UPDATE t SET a = b * 10 WHERE c > 4;
FROM t;
UPDATE t SET d = c WHERE b = 2 RETURNING c, d, e;
UPDATE t SET (a, d) = (d, a);
FROM t;
UPDATE t AS x SET a = o.e + 100 FROM t AS o WHERE o.b = x.b RETURNING *;
UPDATE t SET a = DEFAULT WHERE e = 31;
FROM t;
-- both refuse
UPDATE t SET b = 3;
-- both refuse
UPDATE t SET b = DEFAULT;
-- both refuse
UPDATE t SET (a, b) = (1, 2);
BEGIN;
UPDATE t SET a = 0;
ROLLBACK;
FROM t;
DELETE FROM t WHERE b IS NULL RETURNING e;
FROM t;

-- script: ON CONFLICT and MERGE with generated columns

CREATE TABLE p(w AS (upper(v)), c INTEGER PRIMARY KEY, k AS (c % 2), v VARCHAR DEFAULT 'none');
INSERT INTO p VALUES (1, 'a'), (2, 'b');
INSERT INTO p VALUES (1, 'z'), (3, 'c') ON CONFLICT (c) DO UPDATE SET v = excluded.v || p.w RETURNING *;
INSERT OR REPLACE INTO p VALUES (2, 'new'), (4, 'more');
INSERT OR REPLACE INTO p(c) VALUES (2);
INSERT OR IGNORE INTO p VALUES (2, 'not'), (5, 'yes') RETURNING *;
FROM p;
-- both refuse
INSERT INTO p VALUES (1, 'z') ON CONFLICT DO UPDATE SET w = 'x';
MERGE INTO p USING (VALUES (1, 'm'), (9, 'n')) s(c, v) USING (c) WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT VALUES (s.c, s.v) RETURNING merge_action, *;
MERGE INTO p USING (VALUES (1, 'm1'), (10, 'n')) s(c, v) USING (c) WHEN MATCHED THEN UPDATE SET c = s.c + 100, v = p.w WHEN NOT MATCHED THEN INSERT (v, c) VALUES (s.v, s.c) WHEN NOT MATCHED BY SOURCE AND k = 0 THEN DELETE;
MERGE INTO p USING (VALUES (101, 'o'), (20, 'q')) s(c, v) USING (c) WHEN MATCHED THEN UPDATE WHEN NOT MATCHED THEN INSERT;
MERGE INTO p USING (SELECT 'by' AS v, 30 AS c) s USING (c) WHEN NOT MATCHED THEN INSERT BY NAME;
MERGE INTO p USING (SELECT 31 AS c) s USING (c) WHEN NOT MATCHED THEN INSERT (c) VALUES (s.c);
FROM p;
-- both refuse
MERGE INTO p USING (SELECT 1 AS c) s USING (c) WHEN NOT MATCHED THEN INSERT (c, w) VALUES (40, 'x');
-- both refuse
MERGE INTO p USING (SELECT 1 AS c, 'x' AS w) s USING (c) WHEN NOT MATCHED THEN INSERT BY NAME;
-- both refuse
MERGE INTO p USING (SELECT 30 AS c) s USING (c) WHEN MATCHED THEN UPDATE SET w = 'x';

-- script: constraints beside generated columns

CREATE TABLE t(g AS (x), h AS (x + 1) CHECK (x > 5), x INTEGER NOT NULL UNIQUE);
INSERT INTO t VALUES (6);
-- both refuse
INSERT INTO t VALUES (3);
-- both refuse
INSERT INTO t VALUES (6);
-- both refuse
INSERT INTO t VALUES (NULL);
UPDATE t SET x = 7;
FROM t;
-- both refuse
ALTER TABLE t ADD UNIQUE (g);
-- both refuse
CREATE TABLE u(a INTEGER, b AS (a) NOT NULL);
-- both refuse
CREATE TABLE u(a INTEGER, b AS (a) CHECK (b > 3));
-- both refuse
CREATE TABLE u(a INTEGER, b AS (a), CHECK (b > a));
-- both refuse
CREATE TABLE u(a INTEGER, b AS (a) UNIQUE);
-- both refuse
CREATE TABLE u(a INTEGER, b AS (a), PRIMARY KEY (b));
-- both refuse
CREATE TABLE u(a INTEGER, b INTEGER AS (a) DEFAULT 4);
-- both refuse
CREATE TABLE u(a VARCHAR, b VARCHAR AS (a) COLLATE NOCASE);
-- both refuse
FROM u;

-- script: ALTER of tables with generated columns

CREATE TABLE t(a INTEGER, b AS (A + 1), c AS (b || 'q'), d INTEGER, e AS (struct_pack(a := a, "b c" := d)));
INSERT INTO t VALUES (1, 10), (2, 20);
ALTER TABLE t RENAME a TO "select";
INSERT INTO t VALUES (3, 30);
ALTER TABLE t RENAME b TO "My Col";
ALTER TABLE t RENAME c TO c;
UPDATE t SET "select" = 9 WHERE "My Col" = 2;
FROM t;
SELECT column_default FROM duckdb_columns() WHERE table_name = 't' AND column_name IN ('My Col', 'c') ORDER BY column_index;
-- both refuse
ALTER TABLE t DROP "select";
-- both refuse
ALTER TABLE t ALTER "select" TYPE BIGINT;
-- both refuse
ALTER TABLE t ALTER "My Col" TYPE BIGINT;
-- both refuse
ALTER TABLE t ALTER c TYPE VARCHAR USING 'x';
-- both refuse
ALTER TABLE t ALTER c SET DEFAULT 'x';
-- both refuse
ALTER TABLE t ALTER c DROP DEFAULT;
-- both refuse
ALTER TABLE t ALTER c SET NOT NULL;
ALTER TABLE t ALTER c DROP NOT NULL;
-- both refuse
ALTER TABLE t RENAME c TO d;
-- both refuse
ALTER TABLE t ADD COLUMN f AS (d);
-- both refuse
ALTER TABLE t ADD COLUMN f INTEGER GENERATED ALWAYS AS (d) VIRTUAL;
ALTER TABLE t ADD COLUMN f INTEGER DEFAULT 5;
ALTER TABLE t ALTER "select" SET DEFAULT 77;
INSERT INTO t(d) VALUES (40);
FROM t;
ALTER TABLE t DROP e;
ALTER TABLE t ALTER d TYPE BIGINT;
FROM t;
ALTER TABLE t DROP "My Col" CASCADE;
FROM t;
ALTER TABLE t RENAME TO u;
INSERT INTO u VALUES (4, 50, 6);
FROM u;
CREATE TABLE chain(x INTEGER, y INTEGER, a AS (x), b AS (a), c AS (y), d AS (b + c));
INSERT INTO chain VALUES (1, 2);
ALTER TABLE chain DROP x CASCADE;
FROM chain;
-- both refuse
ALTER TABLE chain DROP y CASCADE;
FROM chain;

-- script: what generated columns cannot be

-- both refuse
CREATE TABLE t(a INTEGER, b AS (a) STORED);
-- both refuse
CREATE TABLE t(b AS (1));
-- both refuse
CREATE TABLE t(a INTEGER, b AS (nope));
-- both refuse
CREATE TABLE t(a INTEGER, b AS (rowid));
-- both refuse
CREATE TABLE t(a INTEGER, b AS (t.a));
-- both refuse
CREATE TABLE t(a STRUCT(x INTEGER), b AS (a.x));
-- both refuse
CREATE TABLE t(a INTEGER, b AS (no_such_function(a)));
-- both refuse
CREATE TABLE t(a INTEGER, b AS (sum(a)));
-- both refuse
CREATE TABLE t(a INTEGER, b AS (row_number() OVER ()));
-- both refuse
CREATE TABLE t(a INTEGER, b AS ((SELECT 1)));
-- both refuse
CREATE TABLE t(a INTEGER, b AS (a IN (SELECT 1)));
-- both refuse
CREATE TABLE t(a INTEGER, b AS (unnest([a])));
-- both refuse
CREATE TABLE t(a INTEGER, b AS (*));
-- both refuse
CREATE TABLE t(a INTEGER[], b AS (list_transform(a, lambda x: x + 1)));
-- both refuse
CREATE TABLE t(a INTEGER, b AS (current_date));
-- both refuse
CREATE TABLE t(a INTEGER, b AS (a, a));
-- both refuse
CREATE TABLE t(a INTEGER, b AS ());
-- both refuse
CREATE TABLE t(a INTEGER, b AS (a FROM t));
-- both refuse
CREATE TABLE t(a INTEGER, b AS (a ORDER BY a));
-- both refuse
CREATE TABLE t(a INTEGER, b AS (a) AS x);
-- both refuse
CREATE TABLE t(a INTEGER, b AS a + 1);
-- both refuse
CREATE TABLE t(a INTEGER, b GENERATED AS (a));
-- both refuse
CREATE TABLE t(a INTEGER, b INTEGER GENERATED BY DEFAULT AS (a));
-- both refuse
CREATE TABLE t(a INTEGER, b INTEGER DEFAULT 4 AS (a));
-- both refuse
CREATE TABLE t(a INTEGER, A AS (3));
-- both refuse
CREATE TABLE t(a, b AS (3));
-- both refuse
CREATE TABLE t(a INTEGER, b AS (a)) AS SELECT 1;
-- both refuse
CREATE TABLE t(b VARCHAR AS (a + 1), a INTEGER, c AS (b + 1));
-- both refuse
FROM t;

-- script: what generated columns cannot depend on

-- tqp refuses
CREATE TABLE t(a INTEGER, b AS (a + random()));
-- tqp refuses
CREATE TABLE t(a INTEGER, b AS (uuid()));
-- tqp refuses
CREATE TABLE t(a INTEGER, b AS (now()));
-- tqp refuses
CREATE TABLE t(a INTEGER, b AS (getvariable('x')));
-- tqp refuses
CREATE TABLE t(a INTEGER, b AS (current_setting('threads')));
-- tqp refuses
CREATE TABLE t(a TIMESTAMP WITH TIME ZONE, b AS (a::DATE));
-- tqp refuses
CREATE TABLE t(a VARCHAR, b TIMESTAMP WITH TIME ZONE AS (a));
CREATE SEQUENCE s;
-- tqp refuses
CREATE TABLE t(a INTEGER, b AS (nextval('s')));
CREATE MACRO m(x) AS x + 1;
-- tqp refuses
CREATE TABLE t(a INTEGER, b AS (m(a)));
-- both refuse
FROM t;
