-- aggregates that make JSON
SELECT json_group_array(id), json_group_array(name), json_group_array(salary), json_group_array(hired), json_group_object(id, name), json_group_object(coalesce(name, '?'), score) FROM emp;
SELECT dept, json_group_array(name) AS a, json_group_object(id, active) AS o, count(*) AS n FROM emp GROUP BY dept ORDER BY dept;
SELECT json_group_array(j), json_group_object(id, j), json_group_array(v), typeof(json_group_array(j)) FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
SELECT id % 2 AS k, json_group_array(v), json_group_object(id, v), json_group_structure(j), json_group_structure(v) FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t GROUP BY k ORDER BY k;
SELECT json_group_array(v), json_group_object(v, id), json_group_structure(j) FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t WHERE id > 9;
SELECT json_group_array(NULL), json_group_array([id, NULL]), json_group_array({'a': id, 'b': word}), json_group_array(5) FROM docs;
SELECT json_group_structure(j), json_group_structure(id), json_group_structure(v), json_group_structure([v]), json_group_structure(NULL::JSON) FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
SELECT json_group_structure(x) AS s FROM (VALUES ('{"a":1}'::JSON), ('{"b":[1]}'), (NULL), ('{"b":["x"],"a":-1}'), ('{}'), ('null')) v(x);
SELECT json_group_structure(x) AS s FROM (VALUES ('{}'::JSON), ('{}')) v(x);
SELECT json_group_structure(x) AS s FROM (VALUES ('{}'::JSON), ('1')) v(x);
SELECT id, json_group_array(id) over (ORDER BY id) AS a, json_group_array(v) over (partition by id % 2 ORDER BY id rows between 1 preceding and current row) AS b, json_group_object(id, v) over (ORDER BY id desc) AS c FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t ORDER BY id;
SELECT json_group_array(x)->'$[*]' AS l, json_array_length(json_group_array(x)) AS n FROM (SELECT unnest([1, 2, 3]) AS x);
SELECT k, json_group_array(v) AS a FROM empty GROUP BY k;
SELECT json_group_array(v) AS a FROM empty;
SELECT json_group_array(dept) AS a FROM (SELECT dept FROM emp ORDER BY id desc);
-- both refuse
SELECT d, json_group_array(n ORDER BY n) FROM (SELECT dept AS d, name AS n FROM emp) GROUP BY d;
-- both refuse
SELECT json_group_array(distinct dept) FROM emp;
-- both refuse
SELECT json_group_array(id) filter (id > 2) FROM emp;
-- both refuse
SELECT json_group_object(NULL, 1);
-- both refuse
SELECT json_group_object(name, id) FROM emp;
-- both refuse
SELECT json_group_array();
-- both refuse
SELECT json_group_object(1);
-- both refuse
SELECT json_group_array(1, 2);
