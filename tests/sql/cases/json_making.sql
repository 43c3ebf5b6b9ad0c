-- JSON of values
SELECT to_json(5), to_json(1.5), to_json(1.50::DECIMAL(5,2)), to_json(1e20::DOUBLE), to_json(0.1::FLOAT), to_json('nan'::DOUBLE), to_json(DATE '2020-01-01'), to_json(INTERVAL 1 day), to_json(true), to_json('x'), to_json(NULL);
SELECT to_json('infinity'::DOUBLE), to_json(1e300), to_json(-0.0::DOUBLE), to_json(1e-7::DOUBLE), to_json(1::DOUBLE), to_json(170141183460469231731687303715884105727::HUGEINT), to_json(12345678901234567890123.45::DECIMAL(38,2)), to_json(5::UBIGINT);
SELECT to_json(1.1::FLOAT), to_json(16777216::FLOAT), to_json(1e10::FLOAT), to_json(0.00::DECIMAL(5,2)), to_json(1.10::DECIMAL(5,2)), to_json(100::DECIMAL(5,0)), to_json('inf'::FLOAT), to_json(DATE 'infinity'), to_json('');
SELECT to_json(1.5::DECIMAL(18,1)), to_json(1.5::DECIMAL(19,1)), to_json(123456789012345678.5::DECIMAL(38,1)), to_json(-0.5::DECIMAL(38,1)), to_json(0.5::DECIMAL(38,38)), to_json(3::DECIMAL(38,0)), to_json(0.1::DECIMAL(1,1)) AS x;
SELECT to_json(1e15), to_json(1e16::DOUBLE), to_json(123456789.125::DOUBLE), to_json(1e21::DOUBLE), to_json(1e22::DOUBLE), to_json(0.00001::DOUBLE), to_json(0.000001::DOUBLE), to_json(5e-324::DOUBLE), to_json(1.7976931348623157e308::DOUBLE), to_json('-inf'::DOUBLE);
SELECT to_json('a"b\n'||chr(10)), to_json('\x01'::BLOB), to_json('ab'::BLOB), to_json(uuid '550e8400-e29b-41d4-a716-446655440000'), to_json(TIME '12:00:00'), to_json(TIMESTAMP '2020-01-01 10:00:00.5'), to_json('a'::ENUM('a','b')), to_json(chr(31)||chr(127)||chr(8232)||'/');
SELECT to_json([1,NULL,2]), to_json({'a': 1, 'b': NULL}), to_json(MAP {'k': 1}), to_json(MAP {1: 'x'}), to_json([1,2]::FLOAT[2]), to_json([]), to_json(row(1,'x')), to_json([['a'],[]]), to_json(NULL::INTEGER[]), to_json({'a"b': 1, 'c d': 2}), to_json([NULL::INTEGER[]]), to_json(struct_pack(a := [{'x': 1}, NULL]));
SELECT to_json({'a': '{"x": 1}'::JSON, 'b': '{"x": 1}'}), to_json('{"a" : 1}'::JSON), json_quote('{"a" : 1}'::JSON), to_json(MAP{'{"x" : 1}'::JSON: 2}), to_json(MAP{[1]: 2}), to_json(MAP{'a"': 2}), to_json(MAP{DATE '2020-01-01': NULL}), to_json(struct_pack(a := NULL::STRUCT(b INTEGER)));
SELECT row_to_json({'a': 1}), array_to_json([1,2]), array_to_json([1,2]::FLOAT[2]), json_quote('x'), json_quote([1]), row_to_json(NULL), array_to_json(NULL), json_quote(NULL), array_to_json(['{"a" : 1}'::JSON]);
SELECT json_array(), json_array(1,'x',NULL,[1],'{"a" : 1}'::JSON), json_object(), json_object('a', 1, 'b', 'x'), json_object('a', NULL), json_object('a', 1, 'a', 2), json_object('a"', [1], 'b', {'c': 1.5}), json_array('{"a" : 1}'), json_array(NULL::VARCHAR), json_array([1], NULL::INTEGER[]);
-- both refuse
SELECT to_json(1, 2);
-- both refuse
SELECT to_json();
-- both refuse
SELECT row_to_json([1]);
-- both refuse
SELECT array_to_json(5);
-- both refuse
SELECT array_to_json(MAP{1:2});
-- both refuse
SELECT row_to_json(MAP{1:2});
-- both refuse
SELECT json_object('a');
-- both refuse
SELECT json_object(NULL, 1);
-- both refuse
SELECT json_object(1, 1);
-- both refuse
SELECT json_object('a'::JSON, 1);
-- both refuse
SELECT json_object(word, 1) FROM docs;
-- of columns
SELECT to_json(id) AS a, to_json(name) AS b, to_json(salary) AS c, to_json(hired) AS d, to_json(score) AS e, to_json(active) AS f FROM emp;
SELECT to_json({'id': id, 'n': name, 'pay': [salary, 1.5], 's': score}) AS a, to_json([name, upper(name)]) AS b, to_json(MAP{coalesce(name, '?'): hired}) AS c FROM emp;
SELECT json_array(id, name, hired) AS a, json_object('id', id, coalesce(name, ''), score) AS b, json_object('pay', salary, 'on', active, 'x', 1) AS c FROM emp;
SELECT to_json(list(name ORDER BY id)) AS l, to_json({'d': dept, 'n': count(*)}) AS s FROM emp GROUP BY dept ORDER BY dept;
SELECT json_array(j, v) AS a, json_object('id', id, 'j', j, 'v', v) AS b, to_json(j) AS c, json_array([j]) AS d FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
SELECT to_json(j) AS a, to_json(v) AS b, json_array(id, j) AS c, to_json([v]) AS d, json_object('a', v) AS e, to_json({'a': [id]}) AS f FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t WHERE id > 9;
SELECT to_json(v) AS a, json_array(v, k) AS b, json_object('k', k) AS c, to_json(d) AS d FROM empty;
SELECT (to_json({'a': [id, 1]})->'a'->0)::INTEGER + 1 AS x, to_json({'a': [id, 1]})->>'$.a[1]' AS y FROM emp WHERE json_array(id, 1) <> '[3,1]' ORDER BY x;
SELECT count(*) AS n, json_array(dept, active) AS k FROM emp GROUP BY k ORDER BY k;
SELECT [1]->0, {'a': 1}->>'a', json_keys({'a': 1}), json_array_length([1,2]), json_contains([1,2], '1'), json_valid(['x']), json_pretty([1]);
-- both refuse
SELECT 5->'a';
-- both refuse
SELECT json_valid(5);
-- both refuse
SELECT json_type(5);
-- both refuse
SELECT json_contains('[1,2]'::JSON, 1);
-- many paths
SELECT json_extract('[1,2]', ['$[0]', '$[7]']), json_extract_string('["a",null]', ['$[0]', '$[1]', '$[7]']), json_value('["a",[1]]', ['$[0]', '$[1]', '$[7]']), json_exists('["a",[1]]', ['$[0]', '$[7]']), json_type('["a",[1]]', ['$[0]', '$[1]', '$[7]']), json_keys('[{"a":1},5]', ['$[0]', '$[1]', '$[7]']), json_array_length('[{"a":1},[5]]', ['$[0]', '$[1]', '$[7]']);
SELECT json_extract('[1,2]', NULL::VARCHAR[]), json_extract(NULL, ['$[0]']), json_extract('[1,2]', []), '[1,2]'->['$[0]'], '[1,2]'->>['$[0]'];
-- both refuse
SELECT json_extract('[1,2]', ['$[0]', NULL]);
-- both refuse
SELECT json_extract('[1,2]', ['$[*]']);
-- both refuse
SELECT json_extract('[1,2]', [0, 1]);
-- both refuse
SELECT json_extract('[1,2]', [v]) FROM (VALUES ('$[0]')) t(v);
-- both refuse
SELECT json_extract('[1,2]', v) FROM (VALUES (['$[0]'])) t(v);
-- both refuse
SELECT json_extract('[1,2]', v) FROM (VALUES ('$[*]')) t(v);
SELECT id, j->'$[*]' AS x, j->['$[0]', 'a'] AS y, j->>['$.a', '$.c'] AS z, json_type(j, ['$', '$.a']) AS w, json_keys(j, ['$', '$.a']) AS k, json_array_length(j, ['$', '$.a']) AS l, json_exists(j, ['a']) AS e FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
-- wildcards
SELECT json_extract('[1,[2,3],{"a":4}]', '$[*]'), json_extract('{"a":1,"b":[2]}', '$.*'), json_extract('{"a":1,"b":{"a":2,"c":[{"a":3}]}}', '$..a'), json_extract('[1]', '$.*'), json_extract('{}', '$[*]'), json_extract(NULL::JSON, '$[*]');
SELECT json_extract('[[1,2],[3]]', '$[*][*]'), json_extract('[[1,2],[3]]', '$[*][0]'), json_extract('{"a":[{"b":1},{"b":2},{"c":3}]}', '$.a[*].b'), json_extract('{"a":{"x":1},"b":{"x":2}}', '$.*.x'), json_extract('[1,2]', '$..[0]'), json_extract('{"a":[1,{"b":[2,3]}]}', '$..[0]'), json_extract('{"a":[1,{"b":[2,3]}]}', '$..[*]'), json_extract('{"a":[1,{"b":[2,3]}]}', '$..*');
SELECT json_extract('{"a":{"a":{"a":1}}}', '$..a'), json_extract('{"a":{"a":{"a":1}}}', '$..a.a'), json_extract('[{"x":{"y":1}},{"y":2}]', '$..y'), json_extract('{"b":{"c":1},"c":2}', '$..c'), json_extract('{"b":{"x":{"c":5}}}', '$..b..c'), json_extract('{"b":{"x":{"c":5}}}', '$.b..c'), json_extract('{"a b":{"x":{"c":5}}}', '$.."a b"');
SELECT json_extract_string('["a",null,[1]]', '$[*]'), json_value('["a",null,[1]]', '$[*]'), json_exists('[1,2]', '$[*]'), json_exists('[]', '$[*]'), json_type('[1,"x",null]', '$[*]'), json_keys('[{"a":1},5]', '$[*]'), json_array_length('[[1,2],5]', '$[*]');
SELECT typeof(json_exists('[1,2]', '$[*]')), typeof(json_keys('[{"a":1},5]', '$[*]')), typeof(json_array_length('[[1,2],5]', '$[*]')), typeof('[1,2]'->'$[*]'), '[1,2]'->>'$[*]';
SELECT json_extract('{"a":1}', '$.*.b'), json_extract('{"a*":1}', '$.a*'), json_extract('{"*":1}', '$."*"'), json_extract('{"a":[1,2]}', '$.a[#]'), json_extract('[1,2,3]', '$[*]'::VARCHAR), json_extract('[[1,2]]', '$[0][*]'), json_extract('[[1,2]]', '/0/*'), json_extract('[1,2]', '*'), json_extract('[1,2]', '[*]'), json_extract('{"a":{"b":1},"c":{"b":2}}', '$.**.b');
-- both refuse
SELECT json_extract('{"b":1}', '$..');
-- both refuse
SELECT json_extract('{"x":{"y":1}}', '$."x"y');
-- both refuse
SELECT json_extract('[1]', '$.[0]');
-- both refuse
SELECT json_extract('{"*":1}', '$.*x');
SELECT id, j->>'$.*' AS x, json_extract(j, '$..b') AS y, len(j->'$[*]') AS n, json_keys(j, '$.*') AS k, json_exists(j, '$[*]') AS e FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
SELECT json_extract(j, '$[*]') AS a, json_keys(j, '$.*') AS b, json_array_length(j, ['$', 'a']) AS c FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t WHERE id > 9;
SELECT unnest(j->'$[*]') AS e FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;

-- A DECIMAL of 16 digits and more is written with all of its places.
SELECT to_json(d::DECIMAL(15, 4)), to_json(d::DECIMAL(16, 4)), to_json({'k': d}), json_array(d, 1), json_object('k', d)
FROM (VALUES (99999999999999.9999::DECIMAL(18, 4)), (0.4), (NULL), (-3)) t(d) WHERE d IS NULL OR d < 100;
SELECT json_group_array(d) FROM (VALUES (99999999999999.9999::DECIMAL(18, 4)), (0.4)) t(d) GROUP BY d;
-- once a distinct combination, or row by row
SELECT count(DISTINCT json_object('k', i % 3, 'l', [i % 2, i % 5], 'n', CASE WHEN i % 7 > 0 THEN i % 4 END)) AS few, count(DISTINCT json_object('i', i, 'j', i % 2)) AS many, min(json_array(i % 3, 'a"b', NULL, [NULL, i % 2])) AS low, max(to_json({'a': i % 4, 'b': {'c': [i % 3 = 0]}})) AS high FROM range(300) AS r(i);
SELECT json_array(i, CASE WHEN i % 2 = 0 THEN 'even' END, [i, i + 1]) AS a, json_object('k' || i % 2, [['x', k], [k, 'y']], 'z', NULL) AS o FROM (SELECT i, CASE WHEN i % 3 > 0 THEN 'k' || i % 3 END AS k FROM range(8) AS r(i)) ORDER BY i;
SELECT to_json(l) AS l, json_array(l, m) AS a, json_object('l', l) AS o FROM (VALUES (1, [1, 2], [[]]), (2, [3, NULL], NULL), (3, [4, 5], [[]]), (4, NULL, [[]])) AS t(i, l, m) ORDER BY i;
SELECT to_json(l) AS l, json_array(l) AS a FROM (VALUES (1, []::INTEGER[]), (2, NULL), (3, [])) AS t(i, l) ORDER BY i;
SELECT to_json(l) AS l, json_array(l, s) AS a FROM (VALUES (1, [1], {'a': [1, 2], 'b': 'x'}), (2, [1, 2], {'a': [3], 'b': NULL}), (3, [], NULL)) AS t(i, l, s) ORDER BY i;
SELECT json_array([i, 1], {'a': 1}, [], 'x') AS a, json_array([1, 2], NULL, {'a': [NULL]}) AS c, json_object('a', [i]) AS o FROM range(3) AS r(i) WHERE i > 5;
SELECT json_array(range(i % 2 + 20)) = json_array(range(20)) AS same, count(*) AS n FROM range(100) AS r(i) GROUP BY same ORDER BY same;
SELECT json_object(k, v) AS o, count(*) AS n FROM (SELECT 'k' || i % 2 AS k, i % 3 AS v FROM range(60) AS r(i)) GROUP BY o ORDER BY o;
SELECT json_array(s, i) AS a, to_json(s) AS j, json_object(s, NULL) AS o FROM (VALUES (1, 'a"b\c'), (2, '\"'), (3, ''), (4, '"'), (5, 'é\\')) AS t(i, s) ORDER BY i;
SELECT json_array(s, i) AS a, to_json(s) AS j FROM (VALUES (1, 'a"b\c'), (2, chr(10) || '"'), (3, NULL), (4, chr(31) || '\')) AS t(i, s) ORDER BY i;
-- of many combinations few are there
SELECT count(DISTINCT json_array(a, b, c)) AS n, min(json_array(c, b, a)) AS low, max(json_object('a', a, 'n', b)) AS high FROM (SELECT i % 30 AS a, CASE WHEN i % 30 > 3 THEN i % 30 END AS b, 'c' || i % 5 AS c FROM range(2000) AS r(i));
