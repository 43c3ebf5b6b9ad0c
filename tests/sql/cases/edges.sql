-- a residual that reads the columns it may make NULL
SELECT a.id, b.salary FROM emp a LEFT JOIN emp b ON a.id = b.id AND b.salary = b.id * 4500.25;
SELECT a.id, b.dept FROM emp a LEFT JOIN emp b ON a.id = b.id AND a.dept * 2 = b.dept;
SELECT b.dept FROM emp a RIGHT JOIN (SELECT id + 0 AS id, dept FROM emp) b ON a.id = b.id AND a.dept * 2 = b.dept;
-- keys of 64 bits and of 128
SELECT count(*) FROM (SELECT count(*) AS c FROM m) a JOIN (SELECT x / 10000 * 0 + 7 AS y, x FROM big) b ON a.c = b.y;
SELECT big.id, n.v FROM big JOIN (SELECT DISTINCT v::DECIMAL(38, 4) AS v FROM n) n ON big.x = n.v - n.v + 0.0001;
SELECT big.id FROM big LEFT JOIN (SELECT count(*)::DECIMAL(38, 4) AS c FROM n) n ON big.x = n.c;
SELECT c FROM (SELECT count(*)::DECIMAL(38, 4) AS c FROM n) n LEFT JOIN big ON big.x = n.c;
-- instants that fit few bits
SELECT moment::DATE, extract(hour FROM moment), date_trunc('day', moment) FROM events WHERE moment IS NULL;
SELECT t::DATE, month(t), minute(t), date_trunc('hour', t), date_trunc('year', t) FROM (VALUES (NULL::TIMESTAMP), (NULL)) q (t);
SELECT t::DATE, hour(t), date_trunc('minute', t) FROM (VALUES (TIMESTAMP '1970-01-01'), (TIMESTAMP '1970-01-01 00:00:00.000100')) q (t);
-- a constant condition
SELECT min(CASE WHEN true THEN dept END), max(CASE WHEN false THEN 1 ELSE boss END) FROM emp;
