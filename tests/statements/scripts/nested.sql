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
