-- script: bound where they are used

CREATE TABLE s AS SELECT 1 AS x, 2 AS y;
CREATE VIEW w AS SELECT * FROM s;
FROM w;
CREATE OR REPLACE TABLE s AS SELECT 1 AS x, 2 AS y, 3 AS z;
FROM w;
INSERT INTO s VALUES (4, 5, 6);
FROM w ORDER BY ALL;
CREATE VIEW ww(a, b) AS FROM w;
FROM ww ORDER BY ALL;
SELECT sum(a) FROM ww JOIN w ON ww.a = w.x;
SELECT (SELECT max(a) FROM ww) + x FROM w ORDER BY 1;
WITH s AS (SELECT 7 AS x) SELECT * FROM w ORDER BY ALL;
DROP TABLE s;
-- both refuse
FROM w;
-- both refuse
FROM ww;
CREATE TABLE s AS SELECT 'new' AS x;
FROM w;
-- both refuse
FROM ww;
DESCRIBE w;
CREATE OR REPLACE VIEW w AS SELECT upper(x) FROM s;
FROM w;

-- script: what is no view

-- both refuse
CREATE VIEW bad AS SELECT nope;
-- both refuse
CREATE VIEW bad AS SELECT * FROM nope;
-- both refuse
CREATE VIEW bad AS SELEC 1;
-- both refuse
CREATE VIEW bad;
-- both refuse
CREATE VIEW rec AS SELECT * FROM rec;
-- both refuse
CREATE VIEW more(a, b, c) AS SELECT 1;
CREATE VIEW two(a, a) AS SELECT 1, 2;
FROM two;
CREATE VIEW names AS SELECT 1 AS a, 2 AS a;
FROM names;
-- both refuse
CREATE OR REPLACE VIEW IF NOT EXISTS v AS SELECT 1;
CREATE VIEW v AS SELECT 1 AS a;
CREATE OR REPLACE VIEW v AS SELECT a FROM v;
-- both refuse
FROM v;
CREATE OR REPLACE VIEW v AS SELECT 5 AS a;
FROM v;
-- both refuse
CREATE VIEW temp.tv AS SELECT 1;
CREATE TEMP VIEW tv AS SELECT 2 AS t;
FROM tv;
FROM temp.tv;
-- both refuse
FROM memory.main.tv;

-- script: names of columns

CREATE VIEW v AS SELECT 1 + 1, abs(-3), 'x' || 'y', CASE WHEN true THEN 1 END;
FROM v;
CREATE VIEW u(first) AS FROM v;
FROM u;
SELECT v.* FROM v;
SELECT first FROM u;
CREATE VIEW o AS SELECT * FROM (VALUES (3), (1), (2)) t(a) ORDER BY a DESC LIMIT 2;
SELECT sum(a) FROM o;
