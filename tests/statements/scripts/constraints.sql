-- script: CHECK

CREATE TABLE t(a INT CHECK (a > 0), b INT, CHECK (a < b), CONSTRAINT small CHECK (b < 100 AND length(b::VARCHAR) < 3));
INSERT INTO t VALUES (1, 2), (3, 4), (NULL, NULL), (NULL, 5), (5, NULL);
-- both refuse
INSERT INTO t VALUES (0, 2);
-- both refuse
INSERT INTO t VALUES (1, 2), (3, 1);
-- both refuse
INSERT INTO t VALUES (1, 100);
-- both refuse
UPDATE t SET a = b;
UPDATE t SET b = b + 1;
-- both refuse
UPDATE t SET a = -a WHERE a = 1;
INSERT INTO t SELECT i, i + 1 FROM range(1, 5) r(i);
FROM t;
CREATE TABLE c(x VARCHAR CHECK (x IN ('a', 'b')), y INT CHECK (y));
INSERT INTO c VALUES ('a', 1), (NULL, NULL);
-- both refuse
INSERT INTO c VALUES ('c', 1);
-- both refuse
INSERT INTO c VALUES ('a', 0);
-- both refuse
CREATE TABLE bad(a INT CHECK (nope > 0));
-- both refuse
CREATE TABLE bad(a INT CHECK ((SELECT true)));
-- both refuse
CREATE TABLE bad(a INT CHECK (sum(a) > 0));
CREATE TABLE bad(a INT, CHECK (bad.a > 0));
-- both refuse
INSERT INTO bad VALUES (0);
INSERT INTO bad VALUES (1);
FROM c;
ALTER TABLE bad RENAME COLUMN a TO z;

-- script: PRIMARY KEY and UNIQUE

CREATE TABLE t(a INT PRIMARY KEY, b VARCHAR UNIQUE, c INT);
INSERT INTO t VALUES (1, 'x', 1), (2, 'y', 1), (3, NULL, 1), (4, NULL, 2);
-- both refuse
INSERT INTO t VALUES (1, 'z', 1);
-- both refuse
INSERT INTO t VALUES (5, 'y', 1);
-- both refuse
INSERT INTO t VALUES (5, 'p', 1), (5, 'q', 1);
-- both refuse
INSERT INTO t VALUES (5, 'p', 1), (6, 'p', 1);
-- both refuse
INSERT INTO t VALUES (NULL, 'p', 1);
INSERT INTO t VALUES (5, 'p', 1), (6, NULL, 1);
FROM t;
-- both refuse
UPDATE t SET a = 1 WHERE a = 2;
-- both refuse
UPDATE t SET a = NULL WHERE a = 2;
-- both refuse
UPDATE t SET b = 'x' WHERE a = 3;
UPDATE t SET c = c + 1;
UPDATE t SET b = 'new' WHERE a = 3;
DELETE FROM t WHERE a = 1;
INSERT INTO t VALUES (1, 'x', 5);
FROM t;
DESCRIBE t;
CREATE TABLE k(a INT, b VARCHAR, c DATE, PRIMARY KEY (a, b), UNIQUE (c, a));
INSERT INTO k VALUES (1, 'x', NULL), (1, 'y', NULL), (2, 'x', '2020-01-01');
-- both refuse
INSERT INTO k VALUES (1, 'x', NULL);
-- both refuse
INSERT INTO k VALUES (1, NULL, NULL);
-- both refuse
INSERT INTO k VALUES (2, 'z', '2020-01-01');
INSERT INTO k VALUES (3, 'z', '2020-01-01');
FROM k;
-- both refuse
ALTER TABLE k DROP COLUMN c;
ALTER TABLE k ADD COLUMN d INT DEFAULT 4;
-- both refuse
INSERT INTO k(a, b) VALUES (1, 'x');
-- both refuse
CREATE TABLE bad(a INT PRIMARY KEY, b INT PRIMARY KEY);
-- both refuse
CREATE TABLE bad(a INT, PRIMARY KEY (nope));
-- both refuse
CREATE TABLE bad(a INT, PRIMARY KEY (a, a));
-- both refuse
CREATE TABLE bad(a INT[] PRIMARY KEY);
CREATE TABLE bad(PRIMARY KEY (a), a INT);
CREATE TABLE d(a DOUBLE UNIQUE, h HUGEINT UNIQUE, n DECIMAL(9,2) UNIQUE, s TIMESTAMP UNIQUE);
INSERT INTO d VALUES (0.5, 1, 1.5, '2020-01-01'), ('nan', 2, 2.5, '2020-01-02');
-- both refuse
INSERT INTO d(a) VALUES ('nan');
-- both refuse
INSERT INTO d(h) VALUES (2);
-- both refuse
INSERT INTO d(n) VALUES (1.5);
-- both refuse
INSERT INTO d(s) VALUES ('2020-01-02');
FROM d;
TRUNCATE t;
INSERT INTO t VALUES (1, 'x', 5);
BEGIN;
DELETE FROM t;
INSERT INTO t VALUES (2, 'x', 5);
COMMIT;
FROM t;

-- script: other constraints, and what says them

CREATE TABLE k(PRIMARY KEY (a, b), a INT, b VARCHAR, CONSTRAINT later CHECK (c > '2020-01-01'), c DATE, CHECK (a < 100 AND k.a > "b"[1:0].length() - 1), UNIQUE (c, a),);
DESCRIBE k;
INSERT INTO k VALUES (1, 'a', NULL), (1, 'b', '2021-01-01');
SELECT table_name, constraint_index, constraint_type, constraint_column_indexes, constraint_column_names, referenced_table, referenced_column_names FROM duckdb_constraints() WHERE constraint_index <> 2;
SELECT table_name, has_primary_key, check_constraint_count FROM duckdb_tables();
ALTER TABLE k RENAME a TO "z z";
DESCRIBE k;
-- both refuse
INSERT INTO k VALUES (100, 'a', NULL);
-- both refuse
INSERT INTO k VALUES (1, 'a', NULL);
INSERT INTO k VALUES (2, 'a', NULL);
-- both refuse
ALTER TABLE k ALTER b DROP NOT NULL;
-- both refuse
ALTER TABLE k ALTER b TYPE BIGINT;
ALTER TABLE k RENAME TO kk;
-- both refuse
INSERT INTO kk VALUES (1, 'a', NULL);
-- both refuse
INSERT INTO kk VALUES (1, 'c', '2019-01-01');
CREATE TABLE ck(a INT CHECK (a > 0), b INT);
-- both refuse
ALTER TABLE ck ALTER a TYPE BIGINT;
ALTER TABLE ck DROP COLUMN a;
INSERT INTO ck VALUES (1);
FROM ck;
CREATE TABLE plain(a INT, b INT, c INT);
INSERT INTO plain VALUES (1, 1, NULL), (2, 1, 5);
-- both refuse
ALTER TABLE plain ADD PRIMARY KEY (b);
ALTER TABLE plain ADD CONSTRAINT x UNIQUE (c);
-- both refuse
ALTER TABLE plain ADD PRIMARY KEY (c);
ALTER TABLE plain ADD PRIMARY KEY (a);
-- both refuse
ALTER TABLE plain ADD PRIMARY KEY (b);
-- both refuse
ALTER TABLE plain ADD UNIQUE (nope);
-- both refuse
ALTER TABLE plain ADD UNIQUE (C);
-- both refuse
ALTER TABLE plain ADD CONSTRAINT y UNIQUE (c);
-- both refuse
INSERT INTO plain VALUES (1, 1, 6);
-- both refuse
INSERT INTO plain VALUES (3, 1, 5);
-- both refuse
INSERT INTO plain VALUES (NULL, 1, NULL);
FROM plain;
DESCRIBE plain;
CREATE TABLE keys (a INTEGER PRIMARY KEY, b INTEGER UNIQUE);
-- both refuse
ALTER TABLE keys ADD UNIQUE (b);
ALTER TABLE keys ADD UNIQUE (a);
ALTER TABLE keys ADD UNIQUE (a, b);
ALTER TABLE keys ADD UNIQUE (b, a);
-- both refuse
ALTER TABLE keys ADD UNIQUE (a);

-- script: COMMENT ON

CREATE TABLE s(x INT, y INT);
CREATE VIEW w AS FROM s;
COMMENT ON TABLE s IS 'hello';
COMMENT ON COLUMN s.x IS 'col';
COMMENT ON COLUMN main.s.y IS 'it''s';
-- both refuse
COMMENT ON TABLE nope IS 'hello';
-- both refuse
COMMENT ON COLUMN s.nope IS 'col';
COMMENT ON VIEW w IS 'view';
-- both refuse
COMMENT ON TABLE s IS 5;
SELECT table_name, comment FROM duckdb_tables();
SELECT column_name, comment FROM duckdb_columns() WHERE table_name = 's';
SELECT view_name, comment FROM duckdb_views() WHERE NOT internal;
INSERT INTO s VALUES (1, 2);
UPDATE s SET x = 2;
ALTER TABLE s RENAME x TO z;
SELECT column_name, comment FROM duckdb_columns() WHERE table_name = 's';
COMMENT ON TABLE s IS NULL;
SELECT table_name, comment FROM duckdb_tables();

-- script: ON CONFLICT

CREATE TABLE t(k INT PRIMARY KEY, v INT, w VARCHAR DEFAULT 'd');
INSERT INTO t VALUES (1, 10, 'a'), (2, 20, 'b');
INSERT INTO t VALUES (1, 11, 'x'), (3, 30, 'c') ON CONFLICT DO NOTHING;
INSERT INTO t VALUES (4, 11, 'x'), (4, 30, 'c') ON CONFLICT DO NOTHING;
INSERT INTO t VALUES (1, 11, 'x'), (5, 50, 'e') ON CONFLICT DO UPDATE SET v = excluded.v RETURNING *;
INSERT INTO t VALUES (1, 1, 'x') ON CONFLICT DO UPDATE SET v = v + excluded.v;
INSERT INTO t VALUES (1, 1, 'x') ON CONFLICT DO UPDATE SET v = t.v + excluded.v, w = EXCLUDED.w;
INSERT INTO t AS q VALUES (1, 1, 'x') ON CONFLICT DO UPDATE SET v = q.v + excluded.v;
-- both refuse
INSERT INTO t AS q VALUES (1, 1, 'x') ON CONFLICT DO UPDATE SET v = t.v + excluded.v;
INSERT INTO t VALUES (1, 1, 'x') ON CONFLICT (k) DO UPDATE SET v = 0 WHERE t.v > 1000;
INSERT INTO t VALUES (1, 1, 'x') ON CONFLICT (k) DO UPDATE SET v = 0 WHERE t.v > 1000 RETURNING *;
-- both refuse
INSERT INTO t VALUES (1, 1, 'x') ON CONFLICT (v) DO NOTHING;
INSERT INTO t VALUES (6, 1, 'x'), (6, 2, 'y') ON CONFLICT DO UPDATE SET v = excluded.v;
INSERT INTO t VALUES (1, 1, 'x'), (1, 2, 'y') ON CONFLICT DO UPDATE SET v = excluded.v;
FROM t;
INSERT OR REPLACE INTO t VALUES (1, 99, 'rep'), (7, 7, 'new');
INSERT OR REPLACE INTO t(k, v) VALUES (2, 98);
INSERT OR IGNORE INTO t VALUES (1, 1, 'ign'), (8, 8, 'new');
FROM t;
INSERT OR REPLACE INTO t VALUES (9, 1, 'p'), (9, 2, 'q');
INSERT OR REPLACE INTO t VALUES (1, 1, 'p'), (1, 2, 'q');
FROM t WHERE k IN (1, 9);
INSERT INTO t BY NAME SELECT 1 AS k, 5 AS v ON CONFLICT DO UPDATE SET v = excluded.v;
INSERT INTO t SELECT 1, 2, 'z' ON CONFLICT (k) DO UPDATE SET k = excluded.k;
-- both refuse
INSERT INTO t SELECT 1, 2, 'z' ON CONFLICT (k) DO UPDATE SET k = 2;
INSERT INTO t VALUES (1, 2, 'z') ON CONFLICT (k) DO UPDATE SET v = NULL, w = DEFAULT;
FROM t WHERE k = 1;
-- both refuse
INSERT INTO t VALUES (1, 2, 'z') ON CONFLICT (k) DO UPDATE SET nope = 1;
-- both refuse
INSERT INTO t VALUES (1, 2, 'z') ON CONFLICT (k) DO UPDATE SET v = nope;
INSERT INTO t VALUES (1, 2, 'z') ON CONFLICT (k) DO UPDATE SET (v, w) = (1, 'two');
-- both refuse
INSERT INTO t VALUES (1, 2, 'z') ON CONFLICT DO UPDATE;
-- both refuse
INSERT OR REPLACE INTO t VALUES (1, 2, 'z') ON CONFLICT DO NOTHING;
-- both refuse
INSERT OR ABORT INTO t VALUES (1, 2, 'z');
CREATE TABLE u(a INT UNIQUE, b INT UNIQUE, c INT);
INSERT INTO u VALUES (1, 1, 1), (NULL, 2, 2), (3, NULL, 3);
INSERT INTO u VALUES (1, 9, 9), (9, 1, 9), (NULL, 8, 9), (NULL, 7, 7), (NULL, NULL, 0) ON CONFLICT DO NOTHING;
-- both refuse
INSERT INTO u VALUES (1, 100, 9) ON CONFLICT DO UPDATE SET c = 5;
INSERT INTO u VALUES (1, 100, 9) ON CONFLICT (a) DO UPDATE SET c = 5, b = excluded.b;
-- both refuse
INSERT INTO u VALUES (50, 2, 9) ON CONFLICT (a) DO UPDATE SET c = 5;
-- both refuse
INSERT INTO u VALUES (50, 2, 9) ON CONFLICT (a) DO NOTHING;
-- both refuse
INSERT OR REPLACE INTO u VALUES (1, 2, 3);
INSERT INTO u VALUES (60, 61, 9), (60, 62, 9), (61, 61, 9) ON CONFLICT DO NOTHING;
FROM u;
CREATE TABLE p(a INT);
-- both refuse
INSERT INTO p VALUES (1) ON CONFLICT DO NOTHING;
-- both refuse
INSERT OR IGNORE INTO p VALUES (1);
-- both refuse
INSERT OR REPLACE INTO p VALUES (1);
CREATE TABLE two(a INT, b VARCHAR, c INT, PRIMARY KEY (a, b));
INSERT INTO two VALUES (1, 'x', 1), (1, 'y', 2);
INSERT INTO two VALUES (1, 'x', 5), (2, 'x', 6) ON CONFLICT (b, a) DO UPDATE SET c = two.c * 100 + excluded.c;
-- both refuse
INSERT INTO two VALUES (1, 'x', 5) ON CONFLICT (a) DO NOTHING;
INSERT INTO two VALUES (1, 'x', 5) ON CONFLICT (a, b) DO NOTHING RETURNING *;
FROM two;
WITH q AS (SELECT 1 AS a, 'x' AS b, 1 AS c) INSERT INTO two FROM q ON CONFLICT DO UPDATE SET c = excluded.c;
-- tqp refuses
INSERT INTO t VALUES (1, 2, 'z') ON CONFLICT (k) WHERE k > 0 DO NOTHING;

-- script: a row that is not put there may have NULL

CREATE TABLE n(k INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER);
INSERT INTO n VALUES (1, 1, 1);
INSERT INTO n VALUES (1, NULL, 5) ON CONFLICT DO UPDATE SET b = excluded.b;
INSERT INTO n VALUES (1, NULL, 6) ON CONFLICT DO NOTHING;
-- both refuse
INSERT INTO n VALUES (2, NULL, 5) ON CONFLICT DO UPDATE SET b = excluded.b;
-- both refuse
INSERT INTO n VALUES (NULL, 1, 5) ON CONFLICT DO NOTHING;
-- both refuse
INSERT INTO n VALUES (1, NULL, 5) ON CONFLICT DO UPDATE SET a = excluded.a;
FROM n;

-- script: other names of columns in CHECK

CREATE TABLE t(a INTEGER, s STRUCT(a INTEGER), l INTEGER[], CHECK (a < 10 AND t.a > 0 AND struct_pack(a := a).a < 9 AND s.a > 0 AND ({a: t.a}::STRUCT(a INTEGER))['a'] <> 5 AND len(l) < a));
ALTER TABLE t RENAME a TO "b b";
ALTER TABLE t RENAME s TO c;
ALTER TABLE t RENAME l TO a;
INSERT INTO t VALUES (3, {'a': 1}, [1, 4]);
-- both refuse
INSERT INTO t VALUES (9, {'a': 1}, []);
-- both refuse
INSERT INTO t VALUES (3, {'a': 0}, []);
-- both refuse
INSERT INTO t VALUES (5, {'a': 1}, []);
-- both refuse
INSERT INTO t VALUES (3, {'a': 1}, [4, 5, 6]);
FROM t;
