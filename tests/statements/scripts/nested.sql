-- script: lists, structs and maps in tables

CREATE TABLE t(i INTEGER, l INTEGER[], s STRUCT(a INTEGER, b VARCHAR), m MAP(VARCHAR, INTEGER));
INSERT INTO t VALUES (1, [1, 2, 3], {'a': 1, 'b': 'x'}, MAP {'k': 1});
INSERT INTO t VALUES (2, [], {'a': NULL, 'b': 'y'}, MAP {}), (3, NULL, NULL, NULL);
INSERT INTO t(l) VALUES ([4, NULL]);
-- both refuse
INSERT INTO t(l) VALUES (['x']);
INSERT INTO t(l) VALUES (['7']);
SELECT i, l, s.a, s.b FROM t ORDER BY ALL;
CREATE TABLE u AS SELECT l, s FROM t WHERE i = 1;
INSERT INTO u SELECT l, s FROM t WHERE i = 2;
CREATE TABLE x(v VARCHAR);
INSERT INTO x VALUES ([]), ([1, 2]), ([NULL, 7]);
SELECT []::VARCHAR AS v UNION ALL FROM x ORDER BY ALL;
FROM u ORDER BY ALL;
SELECT l[1], len(l) FROM t ORDER BY ALL;

-- script: UNIONs in tables

CREATE TABLE t(u UNION(num INTEGER, str VARCHAR) NOT NULL, k INTEGER);
INSERT INTO t VALUES (1, 1), ('two', 2), (union_value(str := 'three'), 3), (union_value(num := NULL), 4);
INSERT INTO t SELECT 7::TINYINT, 5;
-- both refuse
INSERT INTO t VALUES (NULL, 6);
-- both refuse
INSERT INTO t VALUES (1.5, 6);
-- both refuse
INSERT INTO t SELECT true, 6;
SELECT u, union_tag(u), k FROM t ORDER BY k;
DESCRIBE t;
CREATE TABLE d(u UNION(a INTEGER, b VARCHAR) DEFAULT 5, k INTEGER);
INSERT INTO d(k) VALUES (1);
INSERT INTO d BY NAME SELECT 2 AS k, 'x' AS u;
INSERT INTO d VALUES (NULL, 3), (union_value(b := NULL), 4);
SELECT u, union_tag(u), u IS NULL FROM d ORDER BY k;
CREATE TABLE c AS SELECT u FROM t WHERE k < 3;
-- both refuse
INSERT INTO c SELECT u FROM d WHERE k = 1;
INSERT INTO c SELECT union_value(num := 9);
FROM c ORDER BY ALL;
CREATE VIEW v AS SELECT u.num AS n FROM t;
SELECT sum(n) FROM v;
CREATE MACRO f(x) AS x::UNION(a INTEGER, b VARCHAR);
SELECT f(1), f('x'), union_tag(f('x'));
SET VARIABLE x = (SELECT list(u ORDER BY k) FROM t);
SELECT getvariable('x'), typeof(getvariable('x')), union_tag(getvariable('x')[4]);
SET VARIABLE x = MAP {union_value("a b" := 1): [2]};
SELECT getvariable('x'), typeof(getvariable('x'));
SET VARIABLE x = MAP {[1]: {'a': 1}};
SELECT getvariable('x'), typeof(getvariable('x'));
PREPARE p AS SELECT k FROM t WHERE u = $1;
EXECUTE p('two');
EXECUTE p(7);
