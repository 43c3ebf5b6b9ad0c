-- WITH RECURSIVE … USING KEY: a row for each key, kept up from step to step
WITH RECURSIVE edges(a,b,w) AS (VALUES (1,2,5),(1,3,1),(3,2,1),(2,4,1),(4,1,1),(3,4,9)), t(a,d) USING KEY (a) AS (SELECT 1, 0 UNION SELECT e.b, t.d+e.w FROM t JOIN edges e ON e.a=t.a LEFT JOIN recurring.t r ON r.a=e.b WHERE r.d IS NULL OR t.d+e.w<r.d) SELECT * FROM t ORDER BY ALL;
WITH RECURSIVE edges(a,b,w) AS (VALUES (1,2,5),(1,3,1),(3,2,1),(2,4,1),(4,1,1),(3,4,9)), t(a,d) USING KEY (a) AS (SELECT 1, 0 UNION ALL SELECT e.b, t.d+e.w FROM t JOIN edges e ON e.a=t.a LEFT JOIN recurring.t r ON r.a=e.b WHERE r.d IS NULL OR t.d+e.w<r.d) SELECT * FROM t ORDER BY ALL;
WITH RECURSIVE edges(a,b,w) AS (VALUES (1,2,5),(1,3,1),(3,2,1),(2,4,1),(4,1,1),(3,4,9)), t(a,d) USING KEY (a, min(d)) AS (SELECT 1, 0 UNION SELECT e.b, t.d+e.w FROM t JOIN edges e ON e.a=t.a) SELECT * FROM t ORDER BY ALL;
WITH RECURSIVE t(a,d) USING KEY (a) AS (SELECT 1, 0 UNION SELECT a, d+1 FROM t WHERE d<5) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a) AS (SELECT * FROM (VALUES (1,1),(1,2),(2,7)) v UNION SELECT a, d+1 FROM t WHERE d<5) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a) AS (SELECT * FROM (VALUES (1,1),(1,2),(2,7)) v UNION ALL SELECT a, d+1 FROM t WHERE d<5) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a) AS (SELECT 1, 0 UNION SELECT a, 0 FROM t) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a, max(d)) AS (SELECT 1, 0 UNION SELECT a, 0 FROM t) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a) AS (SELECT 1, 0) SELECT * FROM t;
-- both refuse
WITH RECURSIVE t(a,d) USING KEY (x) AS (SELECT 1, 0 UNION SELECT a,d from t) SELECT * FROM t;
WITH t(a,d) USING KEY (a) AS (SELECT 1, 0 UNION SELECT 2,3) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a) AS (SELECT 1, 0 UNION SELECT 1,3) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a, sum(d)) AS (SELECT 1, 0 UNION ALL SELECT 1,3) SELECT * FROM t;
WITH RECURSIVE t(a,d,s) USING KEY (a, max(d), sum(s)) AS (SELECT 1, 0, 1 UNION SELECT a, d+1, s+1 FROM t where d<4) SELECT * FROM t;
WITH RECURSIVE t(a,d,s) USING KEY (a, max(d), min(s)) AS (SELECT 1, 0, 1 UNION SELECT a, d+1, s+1 FROM t where d<4) SELECT * FROM t;
WITH RECURSIVE t(a,d,s) USING KEY (a, max(d) AS d) AS (SELECT 1, 0, 1 UNION SELECT a, d+1, s+1 FROM t where d<4) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a, min(d)) AS (SELECT 1, 5 UNION SELECT a, d+1 FROM t where d<9) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a, min(d)) AS (SELECT 1, 5 UNION ALL SELECT a, d+1 FROM t where d<9) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a, arg_max(d,a)) AS (SELECT 1, 5 UNION ALL SELECT a, d+1 FROM t where d<9) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a, list(d)) AS (SELECT 1, 5 UNION ALL SELECT a, d+1 FROM t where d<9) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a, first(d)) AS (SELECT 1, 5 UNION ALL SELECT a+d%2, d+1 FROM t where d<9) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a, last(d)) AS (SELECT 1, 5 UNION SELECT a+d%2, d+1 FROM t where d<9) SELECT * FROM t;
-- both refuse
WITH RECURSIVE t(a,d) USING KEY (min(d)) AS (SELECT 1, 5 UNION ALL SELECT a, d+1 FROM t where d<9) SELECT * FROM t;
-- both refuse
WITH RECURSIVE t(a,d) USING KEY () AS (SELECT 1, 5 UNION ALL SELECT a, d+1 FROM t where d<9) SELECT * FROM t;
-- both refuse
WITH RECURSIVE t(a,d) USING KEY (1) AS (SELECT 1, 5 UNION ALL SELECT a, d+1 FROM t where d<9) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (t.a) AS (SELECT 1, 5 UNION ALL SELECT a, d+1 FROM t where d<9) SELECT * FROM t;
-- both refuse
WITH RECURSIVE t(a,d) USING KEY (a+1) AS (SELECT 1, 5 UNION ALL SELECT a, d+1 FROM t where d<9) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a,d) AS (SELECT 1, 5 UNION ALL SELECT a, d+1 FROM t where d<9) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a,d) AS (SELECT 1, 5 UNION SELECT a, least(d+1,9) FROM t ) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a) AS (SELECT NULL::int, 5 UNION SELECT a, d+1 FROM t where d<9) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a) AS (SELECT * FROM (VALUES (1,5),(NULL,3),(7,NULL)) v UNION SELECT a, d+1 FROM t where d<9) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a) AS (SELECT * FROM (VALUES (1::double,'a'),(NULL,'b'),('nan','c')) v UNION SELECT a, d||'x' FROM t where length(d)<4) SELECT * FROM t;
WITH RECURSIVE t(a,d,y) USING KEY (a,sum(d)) AS (SELECT 1, 5, '' UNION SELECT a, 1, typeof(d)||d FROM t where d<9) SELECT * FROM t;
WITH RECURSIVE t(a,d,y) USING KEY (a,avg(d)) AS (SELECT 1, 5, '' UNION SELECT a, 1, typeof(d)||d FROM t where d>3) SELECT * FROM t;
WITH RECURSIVE t(a,d,y) USING KEY (a,list(d)) AS (SELECT 1, 5, '' UNION SELECT a, 1, typeof(y)||len(y) FROM t where len(y)<6) SELECT * FROM t;
WITH RECURSIVE t(a,d,y) USING KEY (a, count(*) as y, min(d)) AS (SELECT 1, 5, 0 UNION SELECT a, d-1, y+1 FROM t where y<3) SELECT a,d,y FROM t;
WITH RECURSIVE t(a,d,y) USING KEY (a, max(d+1) as y, min(d)) AS (SELECT 1, 5, 0 UNION SELECT a, d-1, y+1 FROM t where y<3) SELECT a,d,y FROM t;
-- both refuse
WITH RECURSIVE t(a,d,y) USING KEY (a, max(d+1), min(d)) AS (SELECT 1, 5, 0 UNION SELECT a, d-1, y+1 FROM t where y<3) SELECT a,d,y FROM t;
-- both refuse
WITH RECURSIVE t(a,d,y) USING KEY (a, max(d) FILTER (d>1), min(y)) AS (SELECT 1, 5, 0 UNION SELECT a, d-1, y+1 FROM t where y<3) SELECT a,d,y FROM t;
-- both refuse
WITH RECURSIVE t(a,d,y) USING KEY (a, count(distinct d), min(y)) AS (SELECT 1, 5, 0 UNION SELECT a, d-1, y+1 FROM t where y<3) SELECT a,d,y FROM t;
-- both refuse
WITH RECURSIVE t(a,d,y) USING KEY (a, max(d), min(d)) AS (SELECT 1, 5, 0 UNION SELECT a, d-1, y+1 FROM t where y<3) SELECT a,d,y FROM t;
-- both refuse
WITH RECURSIVE t(a,d,y) USING KEY (a, max(a), min(d)) AS (SELECT 1, 5, 0 UNION SELECT a, d-1, y+1 FROM t where y<3) SELECT a,d,y FROM t;
-- both refuse
WITH RECURSIVE t(a,d,y) USING KEY (a, abs(d)) AS (SELECT 1, 5, 0 UNION SELECT a, d-1, y+1 FROM t where y<3) SELECT a,d,y FROM t;
WITH RECURSIVE t(a,d) USING KEY (a) AS (SELECT 1, 5 UNION ALL SELECT a+1, d FROM recurring.t WHERE a<3 and (select count(*) from recurring.t)<3) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a) AS (SELECT 1, 5 UNION SELECT a+1, d FROM recurring.t WHERE a<3) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a) AS (SELECT 1, 5 UNION SELECT a, d+1 FROM t WHERE d<9) SELECT * FROM t LIMIT 1;
WITH RECURSIVE t(a,d) USING KEY (a,a) AS (SELECT 1, 5 UNION SELECT a+1, d FROM t WHERE a<3) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a,sum(d)) AS (SELECT * FROM (VALUES (1,5),(1,6)) v UNION SELECT a,0 from t ) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a) AS (SELECT 1,1 WHERE false UNION SELECT a+1,d from t ) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a) AS (SELECT 'x', [1] UNION SELECT a||'y', list_append(d,2) from t where len(a)<4) SELECT * FROM t;
WITH RECURSIVE t(a,d) USING KEY (a) AS (SELECT [1], {'q':1} UNION SELECT list_append(a,2), {'q':d.q+1} from t where len(a)<4) SELECT * FROM t;
-- both refuse
WITH RECURSIVE edges(a,b,w) AS (VALUES (1,2,5),(1,3,1),(3,2,1),(2,4,1),(4,1,1),(3,4,9)), t(a,b,d) USING KEY (a,b) AS (SELECT a,b,w FROM edges e UNION SELECT x.a, y.b, x.d+y.w FROM t x JOIN edges e y ON x.b=y.a LEFT JOIN recurring.t r ON r.a=x.a AND r.b=y.b WHERE coalesce(r.d > x.d+y.w, true)) SELECT * FROM t ORDER BY ALL;
-- both refuse
WITH RECURSIVE edges(a,b,w) AS (VALUES (1,2,5),(1,3,1),(3,2,1),(2,4,1),(4,1,1),(3,4,9)), t(a,b,d) USING KEY (a,b,min(d)) AS (SELECT a,b,w FROM edges e UNION SELECT x.a, y.b, x.d+y.w FROM t x JOIN edges e y ON x.b=y.a) SELECT * FROM t ORDER BY ALL;
WITH RECURSIVE edges(a,b) AS (SELECT r % 97, (r * 31) % 101 FROM range(400) t(r)), t(a,d) USING KEY (a, min(d)) AS (SELECT 1, 0 UNION SELECT e.b, t.d+1 FROM t JOIN edges e ON e.a=t.a) SELECT * FROM t;
WITH RECURSIVE edges(a,b) AS (SELECT r % 97, (r * 31) % 101 FROM range(400) t(r)), t(a) AS (SELECT a FROM edges UNION SELECT a FROM t), c(a,g) USING KEY (a, min(g)) AS (SELECT a, a FROM t UNION SELECT e.b, c.g FROM c JOIN edges e ON e.a=c.a) SELECT g, count(*) FROM c GROUP BY g;
WITH RECURSIVE t(id, total, names) USING KEY (id, sum(total), string_agg(names, '+')) AS (SELECT id, 1, name FROM emp UNION ALL SELECT e.boss, 1, t.names FROM t JOIN emp e ON e.id = t.id WHERE e.boss IS NOT NULL) SELECT id, total, length(names) FROM t;
WITH RECURSIVE t(dept, n, m) USING KEY (dept, max(n), any_value(m)) AS (SELECT dept, id, NULL::INTEGER FROM emp UNION SELECT dept, n+1, n FROM t WHERE n < 20) SELECT dept, n FROM t;
WITH RECURSIVE t(n, d) USING KEY (n) AS (SELECT 1::HUGEINT, DATE '2020-01-01' UNION SELECT n+1, d+1 FROM t WHERE n < 4) SELECT * FROM t;
WITH RECURSIVE t(n, d) USING KEY (n) AS (SELECT DATE '2020-01-01', 1.5::DECIMAL(9,2) UNION SELECT n+1, d+1 FROM t WHERE d < 4) SELECT * FROM t;
WITH RECURSIVE t(n, d) USING KEY (n, max(d)) AS (SELECT 9000000000000000000, 1 UNION SELECT n-9000000000000000000, d+1 FROM t WHERE n > 0) SELECT * FROM t;
WITH t(a, d) USING KEY (a) AS (SELECT 1, 0 UNION SELECT 1, 3) SELECT * FROM t;
WITH RECURSIVE t(a, d) USING KEY (a) AS MATERIALIZED (SELECT 1, 0 UNION ALL SELECT a+1, d FROM t WHERE a < 3), u(b) USING KEY (b) AS (SELECT a FROM t UNION SELECT b+10 FROM u WHERE b < 30) SELECT count(*), sum(a), sum(b), max(d) FROM t, u;
-- both refuse
WITH RECURSIVE t(n, d) USING KEY (t) AS (SELECT 1, 2 UNION SELECT n + 1, d FROM t WHERE n < 4) SELECT * FROM t;
