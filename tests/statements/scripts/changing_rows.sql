-- script: UPDATE

CREATE TABLE t AS SELECT i::INTEGER AS a, i * 2 AS b, 'n' || i AS c FROM range(5) r(i);
UPDATE t SET b = a + 10 WHERE a < 2;
FROM t;
UPDATE t SET a = b, b = a;
FROM t;
UPDATE t SET c = NULL WHERE a = 10;
UPDATE t SET c = coalesce(c, 'none') || '!', b = NULL WHERE c IS NULL OR c = 'n3' RETURNING *;
UPDATE t SET b = 7 WHERE a > 100;
UPDATE t SET b = 7 WHERE NULL;
UPDATE t SET b = (SELECT max(x.a) FROM t x WHERE x.a < t.a);
FROM t;
UPDATE t SET b = (SELECT count(*) FROM t) WHERE a IN (SELECT a FROM t WHERE a % 2 = 0) AND EXISTS (SELECT 1 FROM t u WHERE u.a > t.a);
FROM t;
UPDATE t AS x SET b = x.a * 2 WHERE x.a = 4 RETURNING x.a, b + 1 AS more, c;
-- both refuse
UPDATE t x SET b = t.a;
UPDATE main.t SET b = 1 WHERE main.t.a = 4;
UPDATE memory.main.t SET b = 1 WHERE t.a = 4;
UPDATE t SET "B" = 5, "c" = 'q', WHERE a IS NOT DISTINCT FROM 4 RETURNING b IS DISTINCT FROM 5 AS x;
UPDATE t SET (a, b) = (a + 1, 7) WHERE a = 4;
UPDATE t SET (a, b) = ROW(a + 1, 8), (c) = 'z' WHERE a = 5;
UPDATE t SET (a, b) = 9 WHERE a = 6;
FROM t;
-- both refuse
UPDATE t SET (a, b) = (1, 2, 3);
-- both refuse
UPDATE t SET (a, b) = (SELECT 1, 2);
-- both refuse
UPDATE t SET b = 1, b = 2;
-- both refuse
UPDATE t SET x.b = 1;
-- both refuse
UPDATE t SET nope = 1;
-- both refuse
UPDATE t SET rowid = 1;
-- both refuse
UPDATE t SET b = nope;
-- both refuse
UPDATE t SET b = sum(a);
-- both refuse
UPDATE t SET b = row_number() OVER ();
-- both refuse
UPDATE t SET b = unnest([1, 2]);
-- both refuse
UPDATE t SET b = *;
-- both refuse
UPDATE t SET b = COLUMNS('a');
-- both refuse
UPDATE t SET b = a AS x;
-- both refuse
UPDATE t SET b = 1 ORDER BY a;
-- both refuse
UPDATE t SET b = 1 WHERE a = 1 GROUP BY a;
-- both refuse
UPDATE t SET b = 1 WHERE count(*) > 1;
-- both refuse
UPDATE t SET b = 1 UNION SELECT 1;
-- both refuse
UPDATE t SET b = DISTINCT 1;
-- both refuse
UPDATE t SET;
-- both refuse
UPDATE t SET b;
-- both refuse
UPDATE t SET b = 1 RETURNING sum(a);
-- both refuse
UPDATE t SET b = 1 RETURNING (SELECT 1);
-- both refuse
UPDATE t SET b = 1 RETURNING nope;
-- both refuse
UPDATE t SET b = 1 RETURNING rowid;
-- both refuse
UPDATE t AS q(x) SET b = 1;
-- both refuse
UPDATE nowhere SET b = 1;
FROM t;

-- script: UPDATE with others

CREATE TABLE t AS SELECT i::INTEGER AS a, i * 2 AS b FROM range(6) r(i);
CREATE TABLE u(k INTEGER, v BIGINT);
INSERT INTO u VALUES (1, 100), (2, 200), (9, 900), (NULL, 1);
UPDATE t SET b = u.v FROM u WHERE t.a = u.k RETURNING *;
FROM t;
UPDATE t x SET b = s.v + w.v FROM u s JOIN u w ON s.k = w.k LEFT JOIN u z ON z.k = w.k + 100 WHERE x.a = s.k AND z.k IS NULL;
FROM t;
UPDATE t SET b = v FROM (SELECT k + 1 AS k, v FROM u) s, range(1) r(i) WHERE a = k;
FROM t;
UPDATE t SET b = 3 FROM range(3) q(a), range(2) w(a) WHERE t.a = q.a;
UPDATE t SET b = 4 FROM range(3) q(a) RIGHT JOIN range(4) w(a) ON (q.a = w.a) WHERE t.a = w.a;
FROM t;
UPDATE t SET b = x.b FROM t x WHERE x.a = 5;
FROM t;
WITH q AS (SELECT 2 AS k), z(p) AS (SELECT 77) UPDATE t SET b = z.p FROM q, z WHERE a = q.k RETURNING *;
WITH RECURSIVE q AS (SELECT 1 AS k UNION ALL SELECT k + 1 FROM q WHERE k < 3) UPDATE t SET b = -b WHERE a IN (FROM q);
FROM t;
-- both refuse
UPDATE t SET b = s.v FROM (SELECT t.a AS k, 5 AS v) s WHERE t.a = s.k;
-- both refuse
UPDATE t SET b = s.v FROM LATERAL (SELECT t.a AS k, 5 AS v) s WHERE t.a = s.k;
-- both refuse
UPDATE t SET b = 3 FROM range(3) q(a) JOIN range(3) w(a) ON (q.a = t.a);
-- both refuse
UPDATE t SET b = 3 FROM t WHERE t.a = 3;
-- both refuse
UPDATE t SET b = u.v FROM u WHERE t.a = u.k RETURNING u.v;

-- script: types, NOT NULL and DEFAULT in UPDATE

CREATE TABLE n(a TINYINT NOT NULL, b INTEGER DEFAULT 7, d DECIMAL(6,2), s STRUCT(x INTEGER, y VARCHAR), l INTEGER[], m MAP(VARCHAR, INTEGER), e DATE, v VARCHAR);
INSERT INTO n VALUES (1, 2, 3, {x: 1, y: 'p'}, [1, 2], MAP {'k': 1}, '2020-01-02', 'one'), (2, 2, NULL, NULL, NULL, NULL, NULL, NULL), (3, NULL, -1.5, {x: NULL, y: NULL}, [], MAP {}, '1999-12-31', '');
-- both refuse
UPDATE n SET a = NULL;
UPDATE n SET a = NULL WHERE a = 9;
-- both refuse
UPDATE n SET a = DEFAULT;
-- both refuse
UPDATE n SET a = 300;
-- both refuse
UPDATE n SET b = DEFAULT + 1;
UPDATE n SET b = DEFAULT, d = DEFAULT WHERE a = 3;
UPDATE n SET b = '15', d = '2.345', e = '2021-03-04', v = 12 WHERE a = 1;
FROM n;
UPDATE n SET b = 1.5, d = 9999.994, v = true WHERE a = 2;
FROM n;
-- both refuse
UPDATE n SET d = 10000;
-- both refuse
UPDATE n SET e = 'nonsense';
UPDATE n SET s = {x: a, y: v}, l = [a, b], m = MAP {v: b};
FROM n;
UPDATE n SET s = struct_update(s, x := 99), l = list_append(l, 5) WHERE a = 1;
-- both refuse
UPDATE n SET s.x = 3;
-- both refuse
UPDATE n SET l[1] = 3;
-- both refuse
UPDATE n SET l = 3;
UPDATE n SET l = list_transform(l, lambda z: z * a), v = s.y;
FROM n;
UPDATE n SET v = repeat(coalesce(v, 'x'), 3), a = -a;
FROM n;
SELECT min(a), max(a), typeof(any_value(a)) FROM n;

-- script: DELETE

CREATE TABLE t AS SELECT i::INTEGER AS a, i * 2 AS b, [i, i] AS l FROM range(8) r(i);
INSERT INTO t VALUES (NULL, 1, NULL), (100, NULL, []);
DELETE FROM t WHERE a = 3;
DELETE FROM t WHERE a > 5 RETURNING *;
DELETE FROM t WHERE b > 1000 RETURNING a;
DELETE FROM t WHERE NULL;
FROM t;
DELETE FROM t WHERE b;
DELETE FROM t x WHERE x.a IN (SELECT min(a) FROM t) RETURNING x.a, l[1] AS first;
FROM t;
INSERT INTO t SELECT i, i, [i] FROM range(20, 26) r(i);
DELETE FROM t USING (VALUES (20), (20), (21)) s(k) WHERE t.a = k RETURNING *;
DELETE FROM t a USING t b WHERE a.a < b.a AND b.a = 23;
FROM t;
WITH q AS (SELECT 24 AS k) DELETE FROM t USING q WHERE a = q.k;
WITH q AS (SELECT 24 AS k) DELETE FROM t WHERE a IN (FROM q);
FROM t;
-- both refuse
DELETE FROM t USING t WHERE t.a = 3;
-- both refuse
DELETE FROM t USING (SELECT t.a AS k) s WHERE t.a = s.k;
-- both refuse
DELETE FROM t RETURNING sum(a);
-- both refuse
DELETE FROM t RETURNING a AS z, z + 1;
-- both refuse
DELETE FROM t x WHERE t.a = 1;
-- both refuse
DELETE FROM t ORDER BY a LIMIT 1;
-- both refuse
DELETE FROM t WHERE;
-- both refuse
DELETE t;
-- both refuse
DELETE FROM t WHERE sum(a) > 1;
-- both refuse
DELETE FROM t WHERE nope;
-- both refuse
DELETE FROM nowhere;
FROM t;
DELETE FROM t;
FROM t;
INSERT INTO t VALUES (1, 2, [3]);
FROM t;
CREATE VIEW v AS FROM t;
-- both refuse
DELETE FROM v;
-- both refuse
UPDATE v SET a = 1;
TRUNCATE t;
DELETE FROM t RETURNING *;

-- script: rowid, and a column of its name

CREATE TABLE t AS SELECT i AS a FROM range(4) r(i);
UPDATE t SET a = 10 WHERE rowid = 2;
DELETE FROM t WHERE rowid = 0 OR a = 3;
FROM t;
CREATE TABLE r(rowid INTEGER, x VARCHAR);
INSERT INTO r VALUES (7, 'a'), (8, 'b'), (9, NULL);
DELETE FROM r WHERE rowid = 8;
UPDATE r SET x = x || 'z', rowid = rowid + 1 RETURNING rowid, x;
FROM r;

-- script: statements that change rows in WITH, PREPARE and transactions

CREATE TABLE t AS SELECT i AS a, i AS b FROM range(6) r(i);
CREATE TABLE log(a BIGINT, b BIGINT);
WITH d AS (DELETE FROM t WHERE a < 2 RETURNING *) INSERT INTO log FROM d;
WITH d AS (UPDATE t SET b = b * 10 WHERE a > 3 RETURNING a, b) SELECT sum(b), count(*) FROM d;
-- both refuse
WITH d AS (DELETE FROM t WHERE nope RETURNING *) SELECT 1;
WITH update AS (SELECT 1 AS delete) SELECT delete FROM update;
FROM log;
PREPARE p AS UPDATE t SET b = $1 WHERE a = $2;
EXECUTE p(5, 3);
PREPARE q AS DELETE FROM t WHERE a = ?;
EXECUTE q(2);
FROM t;
BEGIN;
DELETE FROM t;
UPDATE log SET b = 0;
FROM log;
ROLLBACK;
FROM t;
FROM log;
BEGIN TRANSACTION READ ONLY;
-- both refuse
DELETE FROM t;
ROLLBACK;
BEGIN;
UPDATE t SET b = a;
DELETE FROM t WHERE a = 3;
COMMIT;
FROM t;
