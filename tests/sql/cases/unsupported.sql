-- clauses that nothing reads
-- tqp refuses
SELECT * FROM dept JOIN BY (TYPE single) m ON dept.id = m.k;
-- tqp refuses
SELECT NOT k IS NULL || 'x' FROM n WHERE k > 100;
-- a group that a match may leave out, or that holds nothing in it
-- tqp refuses
SELECT regexp_extract_all(w, '(a*)|(b)', 1) FROM m;
-- aggregates that belong to the query whose constant alias they read
-- tqp refuses
SELECT 1 AS x, (SELECT sum(x)) FROM emp;
