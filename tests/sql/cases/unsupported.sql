-- clauses that nothing reads
-- tqp refuses
SELECT * FROM dept JOIN BY (TYPE single) m ON dept.id = m.k;
-- tqp refuses
SELECT NOT k IS NULL || 'x' FROM n WHERE k > 100;
-- tqp refuses
SELECT w LIKE w ESCAPE w FROM m WHERE false;
-- matches of no characters, and groups that a match may leave out
-- tqp refuses
SELECT regexp_extract_all(w, 'b*') FROM m;
-- tqp refuses
SELECT string_split_regex(w, ' ?') FROM m;
-- tqp refuses
SELECT regexp_extract_all(w, '(a)|(b)', 1) FROM m;
-- tqp refuses
SELECT regexp_extract_all(w, '(a)(b)?', 2) FROM m;
