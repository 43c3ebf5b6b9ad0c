-- # Queries
-- SELECT without FROM
SELECT 1 AS a, 'b' AS b;
-- FROM before SELECT
FROM (VALUES (1, 2), (3, 4)) t(a, b) SELECT a + b;
-- FROM alone
FROM (VALUES (1, 2)) t(a, b);
-- VALUES as a statement
VALUES (1, 'a'), (2, NULL);
-- WHERE
SELECT a FROM (VALUES (1), (2)) t(a) WHERE a > 1;
-- GROUP BY
SELECT a, count(*) FROM (VALUES (1), (1)) t(a) GROUP BY a;
-- GROUP BY ALL
SELECT a, count(*) FROM (VALUES (1), (1)) t(a) GROUP BY ALL;
-- GROUP BY by number
SELECT a + 1, count(*) FROM (VALUES (1), (1)) t(a) GROUP BY 1;
-- columns of FROM by number, #1
SELECT #2, #1 + 1 FROM (VALUES (1, 2)) t(a, b) ORDER BY #1;
-- GROUPING SETS
SELECT a, b, count(*) FROM (VALUES (1, 2)) t(a, b) GROUP BY GROUPING SETS ((a), (b), ()) ORDER BY ALL;
-- ROLLUP
SELECT a, count(*) FROM (VALUES (1)) t(a) GROUP BY ROLLUP (a) ORDER BY ALL;
-- CUBE
SELECT a, b, count(*) FROM (VALUES (1, 2)) t(a, b) GROUP BY CUBE (a, b) ORDER BY ALL;
-- GROUPING()
SELECT a, grouping(a) FROM (VALUES (1)) t(a) GROUP BY ROLLUP (a) ORDER BY ALL;
-- HAVING
SELECT a FROM (VALUES (1), (1), (2)) t(a) GROUP BY a HAVING count(*) > 1;
-- QUALIFY
SELECT a FROM (VALUES (1), (2)) t(a) QUALIFY row_number() OVER (ORDER BY a DESC) = 1;
-- WINDOW
SELECT sum(a) OVER w FROM (VALUES (1), (2)) t(a) WINDOW w AS (ORDER BY a) ORDER BY a;
-- ORDER BY
SELECT a FROM (VALUES (1), (NULL), (2)) t(a) ORDER BY a DESC NULLS LAST;
-- ORDER BY ALL
SELECT a FROM (VALUES (2), (1)) t(a) ORDER BY ALL;
-- LIMIT and OFFSET
SELECT a FROM (VALUES (1), (2), (3)) t(a) ORDER BY a LIMIT 1 OFFSET 1;
-- LIMIT in percent
SELECT a FROM (VALUES (1), (2), (3), (4)) t(a) ORDER BY a LIMIT 50%;
-- FETCH FIRST
SELECT a FROM (VALUES (1), (2)) t(a) ORDER BY a FETCH FIRST 1 ROW ONLY;
-- DISTINCT
SELECT DISTINCT a FROM (VALUES (1), (1)) t(a);
-- DISTINCT ON
SELECT DISTINCT ON (a) a, b FROM (VALUES (1, 2), (1, 3)) t(a, b) ORDER BY a, b DESC;
-- UNION, EXCEPT, INTERSECT
SELECT 1 UNION SELECT 2 EXCEPT SELECT 2 INTERSECT SELECT 2;
-- UNION ALL, EXCEPT ALL, INTERSECT ALL
(SELECT 1 UNION ALL SELECT 1) EXCEPT ALL (SELECT 1 INTERSECT ALL SELECT 1);
-- UNION BY NAME
SELECT 1 AS a UNION ALL BY NAME SELECT 2 AS b, 3 AS a ORDER BY ALL;
-- WITH
WITH t AS (SELECT 1 AS a) SELECT a FROM t;
-- WITH … AS MATERIALIZED
WITH t AS MATERIALIZED (SELECT 1 AS a), u AS NOT MATERIALIZED (SELECT 2 AS a) SELECT t.a, u.a FROM t, u;
-- WITH RECURSIVE
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 4) SELECT n FROM t ORDER BY n;
-- WITH RECURSIVE … USING KEY
WITH RECURSIVE t(k, n) USING KEY (k) AS (SELECT 1, 1 UNION SELECT k, n + 1 FROM t WHERE n < 4) SELECT k, n FROM t;
-- aliases of SELECT in WHERE, GROUP BY and HAVING
SELECT a + 1 AS b FROM (VALUES (1), (2)) t(a) WHERE b > 2;
-- # The SELECT list
-- *
SELECT * FROM (VALUES (1, 2)) t(a, b);
-- t.*
SELECT t.* FROM (VALUES (1, 2)) t(a, b);
-- * EXCLUDE
SELECT * EXCLUDE (a) FROM (VALUES (1, 2)) t(a, b);
-- * REPLACE
SELECT * REPLACE (a + 1 AS a) FROM (VALUES (1, 2)) t(a, b);
-- * RENAME
SELECT * RENAME (a AS c) FROM (VALUES (1, 2)) t(a, b);
-- * LIKE
SELECT * LIKE 'a%' FROM (VALUES (1, 2)) t(a, b);
-- COLUMNS(*)
SELECT COLUMNS(*) + 1 FROM (VALUES (1, 2)) t(a, b);
-- COLUMNS of a regular expression
SELECT COLUMNS('a.*') FROM (VALUES (1, 2)) t(ab, b);
-- COLUMNS of a lambda
SELECT COLUMNS(lambda c: c LIKE 'a%') FROM (VALUES (1, 2)) t(ab, b);
-- *COLUMNS(…) as arguments
SELECT coalesce(*COLUMNS(*)) FROM (VALUES (NULL, 2)) t(a, b);
-- prefix aliases, a: 1
SELECT a: 1, b: 2;
-- # FROM
-- INNER, LEFT, RIGHT, FULL, CROSS JOIN
SELECT t.a, u.a FROM (VALUES (1)) t(a) FULL JOIN (VALUES (2)) u(a) ON t.a = u.a ORDER BY ALL;
-- JOIN … USING
SELECT a FROM (VALUES (1)) t(a) JOIN (VALUES (1)) u(a) USING (a);
-- NATURAL JOIN
SELECT a FROM (VALUES (1)) t(a) NATURAL JOIN (VALUES (1)) u(a);
-- SEMI JOIN and ANTI JOIN
SELECT a FROM (VALUES (1), (2)) t(a) SEMI JOIN (VALUES (1)) u(a) USING (a);
-- ASOF JOIN
SELECT t.a, u.a FROM (VALUES (5)) t(a) ASOF JOIN (VALUES (1), (4)) u(a) ON t.a >= u.a;
-- POSITIONAL JOIN
SELECT t.a, u.a FROM (VALUES (1)) t(a) POSITIONAL JOIN (VALUES (2)) u(a);
-- LATERAL
SELECT a, b FROM (VALUES (1)) t(a), LATERAL (SELECT a + 1 AS b) u;
-- subqueries in FROM
SELECT a FROM (SELECT 1 AS a) t;
-- VALUES in FROM
SELECT a FROM (VALUES (1)) t(a);
-- range and generate_series
SELECT * FROM range(3) ORDER BY 1;
-- range of another table's columns
SELECT a, r FROM (VALUES (2)) t(a), range(a) u(r) ORDER BY ALL;
-- unnest in FROM
SELECT u FROM unnest([1, 2]) t(u);
-- unnest in SELECT
SELECT unnest([1, 2]);
-- unnest, recursive
SELECT unnest([[1, 2], [3]], recursive := true);
-- TABLESAMPLE
SELECT count(*) FROM range(10) TABLESAMPLE reservoir(3 ROWS);
-- USING SAMPLE
SELECT count(*) FROM (FROM range(10) USING SAMPLE 3 ROWS);
-- PIVOT
FROM (PIVOT (VALUES (1, 'x', 5), (1, 'y', 6)) t(a, b, c) ON b IN ('x', 'y') USING sum(c));
-- PIVOT without IN
PIVOT (SELECT * FROM (VALUES (1, 'x', 5), (1, 'y', 6)) t(a, b, c)) ON b USING sum(c);
-- UNPIVOT
UNPIVOT (SELECT 1 AS a, 2 AS b) ON a, b INTO NAME n VALUE v;
-- JOIN … NEAREST
SELECT q.a, b.a FROM (VALUES (1), (5)) AS q(a) JOIN (VALUES (2), (4), (9)) AS b(a) NEAREST 1 BY DISTANCE abs(q.a - b.a) ORDER BY ALL;
-- # Expressions
-- arithmetic: + - * / // % ** ^
SELECT 7 + 2, 7 - 2, 7 * 2, 7 / 2, 7 // 2, 7 % 2, 7 ** 2, 7 ^ 2;
-- bits: & | ~ << >>
SELECT 7 & 2, 7 | 8, ~7, 1 << 3, 8 >> 1;
-- comparisons and IS DISTINCT FROM
SELECT 1 < 2, 1 <> 2, 1 == 1, 1 IS DISTINCT FROM NULL, 1 IS NOT DISTINCT FROM NULL;
-- AND, OR, NOT, IS TRUE
SELECT true AND NULL, true OR NULL, NOT false, true IS TRUE, NULL IS NOT FALSE;
-- BETWEEN, IN
SELECT 1 BETWEEN 0 AND 2, 1 IN (1, 2), 3 NOT IN (1, 2);
-- IN of a list
SELECT 1 IN [1, 2];
-- CASE
SELECT CASE WHEN 1 = 1 THEN 'a' ELSE 'b' END, CASE 2 WHEN 1 THEN 'a' END;
-- CAST, ::, TRY_CAST
SELECT CAST('1' AS INTEGER), '2'::BIGINT, TRY_CAST('x' AS INTEGER);
-- TRY
SELECT TRY(ln(-1));
-- typed constants
SELECT DATE '2024-01-01', TIMESTAMP '2024-01-01 00:00:00', INTERVAL '1' DAY;
-- scalar subqueries, EXISTS, IN, ANY, ALL
SELECT (SELECT 1), EXISTS (SELECT 1), 1 IN (SELECT 1), 1 < ANY (SELECT 2), 1 < ALL (SELECT 2);
-- correlated subqueries
SELECT (SELECT max(b) FROM (VALUES (1), (2)) u(b) WHERE b <= a) FROM (VALUES (1)) t(a);
-- ARRAY of a subquery
SELECT ARRAY(SELECT 1 UNION ALL SELECT 1);
-- || of text
SELECT 'a' || 'b';
-- LIKE, ILIKE, SIMILAR TO, GLOB
SELECT 'abc' LIKE 'a%', 'abc' ILIKE 'A%', 'abc' SIMILAR TO 'a.*', 'abc' GLOB 'a*';
-- LIKE … ESCAPE
SELECT 'a%c' LIKE 'a$%c' ESCAPE '$';
-- ~ and !~
SELECT 'abc' ~ 'a.*', 'abc' !~ 'b';
-- ^@
SELECT 'abc' ^@ 'a';
-- COLLATE
SELECT 'a' COLLATE NOCASE = 'A';
-- text[from:to]
SELECT 'DuckDB'[2:3], 'DuckDB'[2], 'DuckDB'[-2:];
-- lists [1, 2]
SELECT [1, 2], ['a', NULL], []::INTEGER[];
-- l[i] and l[from:to]
SELECT [4, 5, 6][2], [4, 5, 6][2:3], [4, 5, 6][-1];
-- list comprehensions
SELECT [x + 1 FOR x IN [1, 2, 3] IF x > 1];
-- lambdas
SELECT list_transform([1, 2], lambda x: x + 1);
-- structs
SELECT {'a': 1, 'b': 'x'}, ROW(1, 2);
-- struct fields
SELECT s.a, s['b'] FROM (SELECT {'a': 1, 'b': 'x'} AS s);
-- s.*
SELECT s.* FROM (SELECT {'a': 1, 'b': 'x'} AS s);
-- maps
SELECT MAP {'a': 1}, MAP {'a': 1}['a'];
-- JSON -> and ->>
SELECT '{"a": [1]}'::JSON -> 'a', '{"a": [1]}'::JSON ->> '$.a[0]';
-- method chains, x.f()
SELECT 'abc'.upper();
-- AT TIME ZONE
SELECT TIMESTAMP '2024-01-01 00:00:00' AT TIME ZONE 'UTC';
-- EXTRACT, SUBSTRING … FROM, POSITION, TRIM, OVERLAY
SELECT extract(year FROM DATE '2024-01-01'), substring('abc' FROM 2 FOR 1), position('b' IN 'abc'), trim(BOTH 'x' FROM 'xax'), overlay('abc' PLACING 'x' FROM 2);
-- parameters
PREPARE p AS SELECT $1 + 1; EXECUTE p(1);
-- postfix !
SELECT 4!;
-- # Aggregates and windows
-- DISTINCT
SELECT count(DISTINCT a), sum(DISTINCT a) FROM (VALUES (1), (1)) t(a);
-- FILTER
SELECT sum(a) FILTER (WHERE a > 1) FROM (VALUES (1), (2)) t(a);
-- ORDER BY
SELECT string_agg(a, ',' ORDER BY a DESC) FROM (VALUES ('a'), ('b')) t(a);
-- WITHIN GROUP
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a) FROM (VALUES (1), (2)) t(a);
-- OVER with PARTITION BY and ORDER BY
SELECT sum(b) OVER (PARTITION BY a ORDER BY b) FROM (VALUES (1, 2), (1, 3)) t(a, b) ORDER BY b;
-- ROWS, RANGE and GROUPS frames
SELECT sum(a) OVER (ORDER BY a ROWS 1 PRECEDING), sum(a) OVER (ORDER BY a RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING), sum(a) OVER (ORDER BY a GROUPS CURRENT ROW) FROM (VALUES (1), (2)) t(a) ORDER BY a;
-- EXCLUDE
SELECT sum(a) OVER (ORDER BY a ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) FROM (VALUES (1), (2)) t(a) ORDER BY a;
-- IGNORE NULLS
SELECT last_value(a IGNORE NULLS) OVER (ORDER BY b ROWS UNBOUNDED PRECEDING) FROM (VALUES (1, 1), (NULL, 2)) t(a, b) ORDER BY b;
-- DISTINCT over a frame
SELECT count(DISTINCT a) OVER (ORDER BY b) FROM (VALUES (1, 1), (1, 2)) t(a, b) ORDER BY b;
-- FILTER over a window
SELECT sum(a) FILTER (WHERE a > 1) OVER (ORDER BY a) FROM (VALUES (1), (2)) t(a) ORDER BY a;
-- ORDER BY in a window function's arguments
SELECT first_value(a ORDER BY a DESC) OVER (ORDER BY b) FROM (VALUES (1, 1), (2, 2)) t(a, b) ORDER BY b;
-- windows over groups
SELECT a, sum(count(*)) OVER () FROM (VALUES (1), (2)) t(a) GROUP BY a ORDER BY a;
-- # Types
-- integers: TINYINT to HUGEINT, UTINYINT to UBIGINT
SELECT 1::TINYINT, 1::SMALLINT, 1::INTEGER, 1::BIGINT, 1::HUGEINT, 1::UTINYINT, 1::USMALLINT, 1::UINTEGER, 1::UBIGINT;
-- UHUGEINT
SELECT 1::UHUGEINT;
-- DECIMAL
SELECT 1.25::DECIMAL(4, 2), 1.5::DECIMAL(38, 10);
-- FLOAT, DOUBLE
SELECT 1.5::FLOAT, 1.5::DOUBLE, 'nan'::DOUBLE, 'inf'::FLOAT;
-- BOOLEAN
SELECT true, 'f'::BOOLEAN;
-- VARCHAR
SELECT 'a'::VARCHAR, 'b'::TEXT, 'c'::VARCHAR(3);
-- BLOB
SELECT '\xAA'::BLOB;
-- UUID
SELECT '019482e4-1441-7aad-8127-eec99573b0a0'::UUID;
-- ENUM
SELECT 'b'::ENUM('b', 'a') > 'a'::ENUM('b', 'a');
-- DATE, TIME, TIMESTAMP
SELECT DATE '2024-01-01', TIME '01:02:03', TIMESTAMP '2024-01-01 01:02:03';
-- TIMESTAMP_S, TIMESTAMP_MS, TIMESTAMP_NS
SELECT TIMESTAMP_S '2024-01-01 01:02:03', TIMESTAMP_MS '2024-01-01 01:02:03', TIMESTAMP_NS '2024-01-01 01:02:03';
-- TIMESTAMP WITH TIME ZONE
SELECT TIMESTAMPTZ '2024-01-01 01:02:03+01';
-- TIME WITH TIME ZONE
SELECT TIMETZ '01:02:03+01';
-- INTERVAL
SELECT INTERVAL 3 DAY, INTERVAL '1 month 2 days';
-- LIST
SELECT [1, 2]::BIGINT[];
-- ARRAY
SELECT [1, 2]::FLOAT[2];
-- STRUCT
SELECT {'a': 1}::STRUCT(a BIGINT);
-- MAP
SELECT MAP {'a': 1}::MAP(VARCHAR, BIGINT);
-- UNION
SELECT union_value(k := 1);
-- UNION, casts
SELECT u, u.name, union_tag(u) FROM (VALUES (1::UNION(number INTEGER, name VARCHAR)), ('one')) AS t(u) ORDER BY u;
-- VARIANT
SELECT v, v::INTEGER, variant_typeof(v) FROM (VALUES (1::VARIANT), ('2'::VARIANT)) AS t(v) ORDER BY v;
-- BIT
SELECT '101'::BIT;
-- BIGNUM
SELECT '123'::BIGNUM;
-- JSON
SELECT '{"a": 1}'::JSON;
-- # Statements
-- CREATE TABLE AS
CREATE TABLE made AS SELECT 1 AS a; SELECT a FROM made;
-- CREATE OR REPLACE TEMP TABLE AS
CREATE OR REPLACE TEMP TABLE made AS SELECT 1 AS a; SELECT a FROM made;
-- CREATE TABLE with columns
CREATE TABLE made (a INTEGER, b VARCHAR); SELECT count(*) FROM made;
-- INSERT INTO … VALUES
CREATE TABLE made (a INTEGER, b VARCHAR); INSERT INTO made VALUES (1, 'x'); SELECT * FROM made;
-- INSERT INTO … SELECT
CREATE TABLE made (a INTEGER, b VARCHAR); INSERT INTO made (a) SELECT 1; SELECT * FROM made;
-- INSERT INTO … BY NAME
CREATE TABLE made (a INTEGER, b VARCHAR); INSERT INTO made BY NAME SELECT 'x' AS b; SELECT * FROM made;
-- CREATE VIEW
CREATE VIEW made AS SELECT 1 AS a; SELECT a FROM made;
-- CREATE MACRO
CREATE MACRO plus(a, b := 1) AS a + b; SELECT plus(1), plus(1, b := 5);
-- CREATE MACRO … AS TABLE
CREATE MACRO rows_of(n) AS TABLE SELECT n AS a; SELECT * FROM rows_of(2);
-- DROP
CREATE TABLE made AS SELECT 1 AS a; DROP TABLE made; DROP VIEW IF EXISTS made;
-- DESCRIBE
DESCRIBE SELECT 1 AS a;
-- SHOW TABLES
CREATE TABLE made AS SELECT 1 AS a; SHOW TABLES;
-- SUMMARIZE (rows differ)
SUMMARIZE SELECT 1 AS a;
-- EXPLAIN (rows differ)
EXPLAIN SELECT 1;
-- EXPLAIN ANALYZE (rows differ)
EXPLAIN ANALYZE SELECT 1;
-- SET and RESET
SET threads = 1; RESET threads;
-- SET VARIABLE, getvariable, RESET VARIABLE
SET VARIABLE made = 5; RESET VARIABLE other; SELECT getvariable('made') + 1;
-- PREPARE, EXECUTE, DEALLOCATE
PREPARE made AS SELECT ? + ?; EXECUTE made(1, 2);
-- BEGIN, COMMIT, ROLLBACK
BEGIN; CREATE TABLE made AS SELECT 1 AS a; COMMIT; SELECT a FROM made;
-- TRUNCATE
CREATE TABLE made AS SELECT 1 AS a; TRUNCATE made; SELECT count(*) FROM made;
-- several statements in one text
SELECT 1; SELECT 2;
-- information_schema
CREATE TABLE made AS SELECT 1 AS a; SELECT table_name FROM information_schema.tables;
-- information_schema of constraints
CREATE TABLE made(a INTEGER PRIMARY KEY); SELECT constraint_type, column_name FROM information_schema.table_constraints JOIN information_schema.key_column_usage USING (constraint_name);
-- FOREIGN KEY, REFERENCES
CREATE TABLE made(a INTEGER PRIMARY KEY); CREATE TABLE other(b INTEGER REFERENCES made, FOREIGN KEY (b) REFERENCES made(a)); INSERT INTO made VALUES (1); INSERT INTO other VALUES (1); FROM other;
-- INSERT … RETURNING
CREATE TABLE made AS SELECT 1 AS a; INSERT INTO made VALUES (2) RETURNING a + 1;
-- WITH … INSERT
CREATE TABLE made AS SELECT 1 AS a; WITH more AS (SELECT 2 AS a) INSERT INTO made FROM more; SELECT a FROM made;
-- INSERT … ON CONFLICT
CREATE TABLE made (a INTEGER PRIMARY KEY); INSERT INTO made VALUES (1), (1) ON CONFLICT DO NOTHING; SELECT a FROM made;
-- UPDATE
CREATE TABLE made AS SELECT 1 AS a; UPDATE made SET a = 2; SELECT a FROM made;
-- DELETE
CREATE TABLE made AS SELECT 1 AS a; DELETE FROM made WHERE a = 1; SELECT a FROM made;
-- MERGE INTO
CREATE TABLE made AS SELECT 1 AS a; MERGE INTO made USING (SELECT 2 AS a) AS more USING (a) WHEN NOT MATCHED THEN INSERT; SELECT a FROM made;
-- ALTER TABLE
CREATE TABLE made AS SELECT 1 AS a; ALTER TABLE made ADD COLUMN b INTEGER; SELECT a, b FROM made;
-- ALTER VIEW
CREATE VIEW made AS SELECT 1 AS a; ALTER VIEW made RENAME TO other; SELECT a FROM other;
-- CREATE TABLE … PRIMARY KEY, UNIQUE
CREATE TABLE made (a INTEGER PRIMARY KEY, b INTEGER UNIQUE); SELECT count(*) FROM made;
-- CREATE TABLE … CHECK
CREATE TABLE made (a INTEGER CHECK (a > 0)); SELECT count(*) FROM made;
-- CREATE TABLE … GENERATED ALWAYS
CREATE TABLE made (a INTEGER, b INTEGER GENERATED ALWAYS AS (a + 1)); INSERT INTO made VALUES (1); SELECT a, b FROM made;
-- CREATE TYPE
CREATE TYPE mood AS ENUM ('sad', 'happy'); SELECT 'sad'::mood < 'happy'::mood;
-- CREATE SCHEMA
CREATE SCHEMA other; CREATE TABLE other.made AS SELECT 1 AS a; SELECT a FROM other.made;
-- CREATE SEQUENCE
CREATE SEQUENCE numbers; SELECT nextval('numbers');
-- CREATE INDEX, DROP INDEX
CREATE TABLE made AS SELECT 1 AS a; CREATE INDEX index_of_a ON made (a); DROP INDEX index_of_a;
-- COMMENT ON
CREATE TABLE made AS SELECT 1 AS a; COMMENT ON TABLE made IS 'a table'; SELECT a FROM made;
-- ATTACH, DETACH
ATTACH ':memory:' AS other; CREATE TABLE other.made AS SELECT 1 AS a; SELECT a FROM other.made; DETACH other;
-- USE
USE memory;
-- CALL
CALL range(3);
-- PRAGMA (rows differ)
PRAGMA version;
-- LOAD, INSTALL
LOAD json;
-- CHECKPOINT, VACUUM, ANALYZE
CHECKPOINT; VACUUM; ANALYZE;
-- SHOW DATABASES
SHOW DATABASES;
-- EXPLAIN with options (rows differ)
EXPLAIN (FORMAT json) SELECT 1;
