-- what a path finds
SELECT '{"a": {"b": [1, 2.50]}}'->'a', '{"a": {"b": [1, 2.50]}}'->'$.a.b[1]', '{"a": [5, 6]}'->'a'->1, '[5, 6]'->0, '[5, 6]'->-1;
SELECT '{"a": "x\u00e9\n\"\/y"}'->'a', '{"a": "x\u00e9\n\"\/y"}'->>'a', '{"a": null}'->'a', '{"a": null}'->>'a', '{"a": 1}'->'b';
SELECT '{"a": {"b": 1}}'->'a'->>'b' AS x, '{"a": 1}'->>'a' = '1' AS y, '{"a": 1}'->>'a' || 'x' AS z, ('{"a": 7}'->>'a')::INTEGER + 1 AS w;
SELECT json_extract('{"a.b": 1, "a": {"b": 2}}', 'a.b'), json_extract('{"a.b": 1, "a": {"b": 2}}', '$.a.b'), json_extract('{"a.b": 1}', '$."a.b"');
SELECT json_extract('{"a": {"b": [1, 2]}}', '/a/b/1'), json_extract('{"a": [1]}', '/a/-1'), json_extract('{"1": 2, "x/y": 3, "": 4}', '/1'), json_extract('{"x/y": 3}', '/x~1y'), json_extract('{"": 4}', '/');
SELECT json_extract('[1, 2, 3]', '$[#-1]'), json_extract('[1, 2, 3]', '$[-3]'), json_extract('[1]', '$[#]'), json_extract('[1]', '$[7]'), json_extract('[[1, 2]]', '$[0][1]');
SELECT json_extract('[5, 6]', '[0]'), json_extract('[5]', '0'), json_extract('{"0": 1}', 0), json_extract('{"a": 1}', ''), json_extract('{"a": 1}', '$');
SELECT json_extract('{"a": 1, "a": 2}', 'a'), json_extract_path('{"a": "x"}', 'a'), json_extract_path_text('{"a": "x"}', 'a'), json_extract_string('{"a": [1, 2.50]}', 'a');
SELECT json_value('{"b": "x"}', '$.b'), json_value('{"c": {}}', 'c'), json_value('{"c": 1.50}', 'c'), json_value('[true, [1]]', 0), json_value('[null]', 0);
SELECT json_extract(NULL, 'a'), json_extract('{}', NULL), NULL::VARCHAR->'a', '{"a": 1}'->>NULL;
-- both refuse
SELECT '{"a": 1}'->'a' = '1';
-- both refuse
SELECT json_extract('{"a": 1}', '$a');
-- both refuse
SELECT json_extract('{"a": 1}', '$.');
-- both refuse
SELECT json_extract('{"a": 1', 'a');
-- both refuse
SELECT json_extract('', 'a');
-- both refuse
SELECT json_extract('{}');
-- both refuse
SELECT json_exists('[1]', 0);
-- how values are written
SELECT json('[1e20, 1e21, 1.5e21, 1e-5, 1e-6, 1e-7, 1.5e-7, 123456789012345680000.0, 1234567890123456789012.0, 0.000001234, 1e100, 1.0, 5e-324]');
SELECT json('[0, -0, -0.0, 0.1e1, 2.50, 12345678901234567890123, 1E400, 18446744073709551615, 18446744073709551616, -9223372036854775808, -9223372036854775809, 1.7976931348623157e308, 100, 12.5e1]');
SELECT json('["\u0001\u001f\u007f\u2028\ud83d\ude00\/\\u001f\b\f\n\r\t"]'), json(' { "a" : [ ] , "b" : { } } '), json('[NaN, Infinity, -Infinity]');
SELECT json_pretty('{"a": [1, {"b": 2.50}], "c": {}, "d": []}'), json_pretty('[]'), json_pretty('1');
SELECT json_normalize('[1.0, {"b": 1, "a": [2e5, -0], "é": 1, "Z": null}]'), json_strip_nulls('{"a": [null, {"b": null}], "c": {"d": null}}');
-- nested as deep as DuckDB is asked for here
SELECT json_array_length(repeat('[', 300) || repeat(']', 300)) AS n, json_valid(repeat('[', 300) || repeat(']', 300)) AS v, json_contains(repeat('[', 299) || '1' || repeat(']', 299), '1') AS c, length(json_pretty(repeat('[', 299) || repeat(']', 299))) AS p;
-- what is JSON
SELECT json_valid('{"a": 1}'), json_valid('[1, 2,]'), json_valid('{"a": "x,]",}'), json_valid('[1,,]'), json_valid('[,]'), json_valid('{,}'), json_valid('{"a":,}'), json_valid('[",]",]');
SELECT json_valid('01'), json_valid('"\x"'), json_valid('nul'), json_valid(''), json_valid(' '), json_valid('1e999'), json_valid('"\ud800"'), json_valid('1.'), json_valid('.5'), json_valid('+1'), json_valid('1,'), json_valid(NULL);
SELECT json_valid('/*x*/1'), json_valid('{a: 1}'), json_valid('[1 2]'), json_valid('True'), json_valid('"' || chr(9) || '"'), json_valid('{"a": 1} x'), json_valid(chr(160) || '1');
SELECT (' {"a" : 1} '::JSON)::VARCHAR AS kept, TRY_CAST('x' AS JSON) AS failed, (JSON '[1]')->0 AS typed, (1::JSON)::VARCHAR AS number, (true::JSON)::VARCHAR AS truth, NULL::JSON AS nothing;
SELECT json('{"a" : 1 }'), '[1, 2]'::JSON, TRY_CAST('[1' AS JSON), JSON '{"a": 1}';
-- both refuse
SELECT 'x'::JSON;
-- both refuse
SELECT json('[1');
-- both refuse
SELECT json_pretty('x');
-- what is asked of it
SELECT json_type('{"a": 1}'), json_type('[1]'), json_type('1'), json_type('-1'), json_type('-0'), json_type('1.5'), json_type('"x"'), json_type('true'), json_type('null'), json_type('12345678901234567890123'), json_type('NaN');
SELECT json_type('{"a": [1]}', 'a'), json_type('{"a": [1]}', '$.a[0]'), json_type('{"a": 1}', 'b'), json_type(NULL::VARCHAR);
SELECT json_array_length('[1, 2]'), json_array_length('{"a": 1}'), json_array_length('{"a": [1]}', 'a'), json_array_length('{"a": [1]}', 'b'), json_array_length('null');
SELECT json_keys('{"a": 1, "b": 2, "a": 3}'), json_keys('[1]'), json_keys('{"a": {"c": 1}}', 'a'), json_keys('{"a": 1}', 'b'), json_keys('null');
SELECT json_exists('{"a": null}', 'a'), json_exists('{"a": 1}', 'b'), json_exists('[1]', '$[0]'), json_exists('{"a": {"b": 1}}', '/a/b');
SELECT json_contains('{"a": [1, 2]}', '1'), json_contains('{"a": [1, 2]}', '{"a": [1]}'), json_contains('[1, 2]', '[2, 1]'), json_contains('[1.0]', '1'), json_contains('[1]', 'true'), json_contains('[1]', '"1"');
SELECT json_contains('{"k": [[1]]}', '{"k": [1]}'), json_contains('[[1, 2], [3]]', '[3]'), json_contains('{"a": 1, "a": 2}', '{"a": 2}'), json_contains('[]', '[]'), json_contains('{"a": {"x": 1}}', '{"a": {}}'), json_contains('[0]', '-0');
SELECT json_contains('{"a": 1, "a": 2}', '{"a": 1, "a": 2}'), json_contains('{"k": {"a": 1, "a": 2}}', '{"k": {"a": 1, "a": 2}}'), json_contains('[{"a": 1, "a": 2}]', '{"a": 2, "a": 1}');
-- both refuse
SELECT json_contains('[1', '1');
-- both refuse
SELECT json_type('[1');
-- of columns
SELECT id, doc->>'name' AS name, (doc->>'salary')::DECIMAL(10,2) AS salary, doc->'tags'->>0 AS tag FROM (SELECT id, '{"name": "' || name || '", "salary": ' || coalesce(salary::VARCHAR, 'null') || ', "tags": [' || id || ']}' AS doc FROM emp);
SELECT doc->>'d' AS d, count(*) AS n, count(doc->'x') AS x FROM (SELECT '{"d": ' || dept || CASE WHEN active THEN ', "x": 1}' ELSE '}' END AS doc FROM emp) GROUP BY 1 ORDER BY 1;
SELECT id, json_extract('[10, 20, 30]', id) AS x, json_extract_string('{"Ada": 1, "bob": "B"}', name) AS y, json_valid(name) AS v FROM emp;
SELECT name FROM emp WHERE json_exists('{"Ada": 1, "Eve": null}', name);
SELECT json_keys('{"' || name || '": 1}') AS k, json_array_length('[' || id || ', 1]') AS n, json_type('[' || id || ']', '$[0]') AS t FROM emp;
SELECT v->>'a' FROM empty;
SELECT json_valid(v) AS valid, json_keys(v) AS keys, json_extract(v, 'a') AS a FROM empty;
-- both refuse
SELECT name->>'a' FROM emp;
-- an arrow among the arguments of a function, which reads like a lambda
SELECT count(j->'a') AS n, max(j->'a'->>'b') AS m, max(j->'a'->'b') AS o FROM (SELECT '{"a": {"b": 1}}' AS j);
SELECT upper(j->'a') AS u, coalesce(j->'x', '"q"') AS c, length(j->'$.a.b') AS l FROM (SELECT '{"a": {"b": 1}}' AS j);
-- both refuse
SELECT upper(lambda j: 'a') FROM (SELECT '{}' AS j);

-- many texts: found as slices of them, or read one by one where those would be written otherwise
SELECT j, j->'$.a', j->>'$.a', json_value(j, '$.a'), j->>'$.a.b', j->>'$.a[1]', json_exists(j, 'a') FROM (VALUES ('{"a":1}'), ('{"a": "x y"}'), ('{"a":"q\"\n\u00e9"}'), ('{"a":null}'), ('{"a":[1, 2.50]}'), ('{"a":[1,"ü"]}'), ('{"a":{"b":"ü","c":1e3}}'), ('{"a":{"b":{}}}'), ('{"b":1}'), ('[{"a":1}]'), ('"a"'), (NULL), ('{"a":true,"a":false}'), ('{"\u0061":1}'), ('{"a":-0}'), ('{"a":0.10}'), ('{"a":12345678901234567890}'), ('{"a":1E400}'), ('{"a":[],}'), (' { "a" : { "b" : 1 } } ')) t(j);
SELECT j->0, j->>1, j->'$[1]', j->'$[#-1]', j->>-1, j->'/1', j->'$' FROM (VALUES ('[1, "a", {"x": [ 2 ]}]'), ('[[1,2],"b"]'), ('[]'), ('{"1": 2}'), (NULL)) t(j);
SELECT id, ('{"name": "' || name || '", "pay": ' || salary::VARCHAR || ', "tags": ["' || dept::VARCHAR || '"]}')->>'pay', ('{"name": "' || name || '"}')->'name' FROM emp;
SELECT CASE WHEN j LIKE '{%' THEN j->>'a' ELSE j END FROM (VALUES ('{"a":1}'), ('no json'), ('{"a":"\\"}')) t(j);
-- both refuse
SELECT j->>'a' FROM (VALUES ('{"a":1}'), ('{"a":1')) t(j);
-- both refuse
SELECT j->>'a' FROM (VALUES ('{"a":1}'), ('{"a":01}'), ('{}')) t(j);
-- a quoted name with a quote or a backslash in it
SELECT j->'$."a\"b"', j->'$."c\\d"', j->'$."\a"' FROM (VALUES ('{"a\"b": 1, "c\\d": 2, "a": 3}'), ('{"a": 3}')) t(j);
-- both refuse
SELECT '{"a": 1}'->'$."a\"';

-- A name alone is read as in quotes, where a quote and a backslash may be escaped; one with quotes in it is a pointer.
SELECT '{"a\\b": 1, "a\\\\b": 2}' ->> s FROM (VALUES ('a\b'), ('a\\b')) t(s);
SELECT '{"a": {"x\"y": 3, "q\\": 4}}' ->> '$.a."x\"y"', '{"a": {"q\\": 4}}' ->> '$.a."q\\"', '{"x\\y": 5}' ->> '$."x\y"';
SELECT '{"a/\"": 1, "a": {"\"": 2}}' ->> s FROM (VALUES ('a/"'), ('"'), ('a')) t(s);
-- both refuse
SELECT '{"a\\": 3}' ->> 'a\';
-- both refuse
SELECT '[1]' ->> s FROM (VALUES ('a'), ('\')) t(s);
-- texts of one shape, and others among them
SELECT id, d->'a' AS a, d->>'a' AS s, d->'b' AS b, d->'b'->1 AS e, d->>'$.b[2].c' AS c FROM (VALUES (1, '{"a": 1, "b": [1, 2, {"c": "x"}]}'), (2, '{"a": "two", "b": [null, true, {"c": -3.5}]}'), (3, '{"a": null, "b": ["\u00e9", "a\"b", {"c": "é"}]}'), (4, '{"a": 1e3, "b": [1, 2.50, {"c": 1}]}'), (5, '{"a": {}, "b": [1, 2, {"c": 1}]}'), (6, '{"a": "long enough for several words", "b": [1, 2, {"c": "x"}], "z": 1}'), (7, NULL), (8, '{"b": 1}'), (9, '{"a": "", "b": ["", "", {"c": ""}]}'), (10, '{"a": 1, "b": [1, 2, {"c": "x"}]}')) AS t(id, d) ORDER BY id;
SELECT d->'at'->>'kind' AS kind, count(*) AS n, sum((d->>'id')::BIGINT) AS s, max(d->'tags') AS t FROM (SELECT '{"id": ' || i || ', "at": {"kind": ' || i % 3 || ', "x": "' || repeat('x', (i % 20)::INTEGER) || '"}, "tags": ["t' || i % 7 || '" , "é"]}' AS d FROM range(500) AS r(i)) GROUP BY kind ORDER BY kind;
-- both refuse
SELECT d->'a' FROM (VALUES ('{"a": 1}'), ('{"a": 2}'), ('{"a": 3}x')) AS t(d);
-- both refuse
SELECT d->'a' FROM (VALUES ('{"a": 1}'), ('{"a": 2}'), ('{"a": 03}')) AS t(d);
-- both refuse
SELECT d->'a' FROM (VALUES ('{"a": 1}'), ('{"a": 2}'), ('{"a": nul }')) AS t(d);
-- paths one after the other
SELECT id, d->'a'->'b'->1 AS x, d->'a'->>'b' AS y, d->'$.a'->>'$.b[0]' AS z, json_value(d->'a', 'c') AS v, d->'/a'->>'c' AS p, d->'a'->'b'->>-1 AS l, d->'a'->>'$.*' AS w, json_extract_path(d, 'a')->'c' AS q FROM (VALUES (1, '{"a": {"b": [1, 2], "c": "x"}}'), (2, '{"a": {"b": "é\u00e9", "c": null}}'), (3, '{"a": [1]}'), (4, '{"a": null}'), (5, NULL), (6, '{}'), (7, '{"a": {"c": {}, "b": [{}, [1e3]]}}')) AS t(id, d) ORDER BY id;
SELECT '{"a": {"b": [1, 2]}}'->'a'->'b'->0 AS x, ('{"a": {"b": [1, 2]}}'::JSON).a.b[1] AS y, '{"a": {"b": 1}}'->'a'->>NULL AS n;
-- both refuse
SELECT d->'a'->'b' FROM (VALUES ('{"a": {"b": 1}}'), ('{"a": {"b": 1}')) AS t(d);
-- whether texts of a column are JSON, and their shortest form
SELECT id, json_valid(d) AS v, TRY_CAST(d AS JSON) AS j, json(CASE WHEN json_valid(d) THEN d END) AS m FROM (VALUES (1, '{"a": 1, "b": [true ]}'), (2, '{"a": 2, "b": [false ]}'), (3, '{"a": 1, "b": [true }'), (4, ' [1e3, "\u00e9\ud83d\ude00", 2.50,]'), (5, NULL), (6, ''), (7, '{"a": 01, "b": [true ]}'), (8, '{"a": "\x", "b": [true ]}'), (9, 'null'), (10, '{"a": -0, "b": [null ]}')) AS t(id, d) ORDER BY id;
SELECT count(*) AS n, sum(json_valid(d)::INTEGER) AS v, count(DISTINCT TRY_CAST(d AS JSON)) AS j FROM (SELECT CASE WHEN i % 7 = 3 THEN '{"i": ' || i ELSE '{"i": ' || i || ', "l": [' || i % 3 || ', "x"]}' END AS d FROM range(200) AS r(i));
-- both refuse
SELECT d::JSON FROM (VALUES ('{"a": 1}'), ('{"a": 2}'), ('{"a": 1]')) AS t(d);
-- both refuse
SELECT json(d) FROM (VALUES ('{"a": 1}'), ('{"a": 2}'), ('{"a": }')) AS t(d);
-- what lies at paths in texts of a column, and whether something does
SELECT id, json_type(d) AS r, json_type(d, 'a') AS a, json_type(d, '$.b[1]') AS b, json_type(d, '$.b[#-1]') AS l, json_exists(d, 'a') AS e, json_exists(d, '$.b[1]') AS f, json_exists(d, '$.b[*]') AS w FROM (VALUES (1, '{"a": 1, "b": [1, "x"]}'), (2, '{"a": -1, "b": [1, 2.5]}'), (3, '{"a": null, "b": [1, true]}'), (4, '{"a": {}, "b": [1, [2]]}'), (5, '{"a": 1e3, "b": ["\u00e9", "\n"]}'), (6, '[1]'), (7, '-5'), (8, NULL), (9, '{"a": -0, "b": [12345678901234567890, -9223372036854775809]}'), (10, '"x"'), (11, '{"a": 0.5}')) AS t(id, d) ORDER BY id;
SELECT json_type(d, 'i') AS t, json_exists(d, 'x') AS e, count(*) AS n FROM (SELECT '{"i": ' || CASE i % 4 WHEN 0 THEN '-' || (i + 1) WHEN 1 THEN '"' || i || '"' ELSE i::VARCHAR END || CASE WHEN i % 5 = 0 THEN ', "x": null' ELSE '' END || '}' AS d FROM range(400) AS r(i)) GROUP BY ALL ORDER BY ALL;
-- both refuse
SELECT json_type(d) FROM (VALUES ('{"a": 1}'), ('{"a": 2}'), ('{"a": }')) AS t(d);
-- both refuse
SELECT json_exists(d, 'b') FROM (VALUES ('{"a": 1}'), ('{"a": 2}'), ('{"a": }')) AS t(d);
-- a name behind a point is written into a path
SELECT j."x\\", j."x\y", j."a.b", j."$", j."*", j."a/b~" FROM (SELECT '{"x\\": 1, "x\\y": 2, "a.b": 3, "$": 4, "*": 5, "a/b~": 6}'::JSON AS j);
SELECT j."x\""y" FROM (SELECT '{"x\"y": 1, "x": 2}'::JSON AS j);
-- both refuse
SELECT j."x\" FROM (SELECT '{"x\\": 1}'::JSON AS j);
-- both refuse
SELECT j."x""y" FROM (SELECT '{"x\"y": 1}'::JSON AS j);
-- ** is the value and all that lies in it; at the end all that lies in it
SELECT json_extract(j, '$.**'), json_extract(j, '$.**.b'), json_extract(j, '$.a.**.b'), json_extract(j, '$.**.*'), json_extract(j, '$.**[1]'), json_extract(j, '$.**[*]') FROM (SELECT '{"a":{"b":1,"c":{"b":[2,3]}},"d":[4,{"b":5}]}' AS j);
SELECT json_extract(j, '$.**..b'), json_extract(j, '$.**.**.b'), json_extract(j, '$.*.**'), json_extract_string(j, '$.**."b"'), json_exists(j, '$.**.c') FROM (SELECT '{"a":{"b":1,"c":{"b":[2,3]}}}' AS j);
-- both refuse
SELECT json_extract('{"a":1}', '$.***');
-- both refuse
SELECT json_extract('{"a":1}', '$..**');
-- both refuse
SELECT json_extract('{"a":1}', '$.**a');
-- an arrow takes what || makes behind it
SELECT j->'a' || 'x', j->'a'->'b' || 'c', j->s || 'x' || 1 + 2, j->('a') || 'x', j->'a'::VARCHAR || 'x', lower(j->'a' || 'x') FROM (SELECT '{"ax": 1, "ax3": 2, "a": {"bc": 3}}'::JSON AS j, 'a' AS s);
SELECT NOT j->'b', NOT j->'b' || 'x', j->'a'->>'b' || 'c', j->>'a' || 'x', CASE WHEN j->'b' || 'x' THEN 1 END FROM (SELECT '{"a": {"b": 3}, "b": true, "bx": false}'::JSON AS j);
-- both refuse
SELECT j->'a' || 'x' = '1' FROM (SELECT '{"ax": 1}'::JSON AS j);
-- both refuse
SELECT json_transform('{"": "a"}', '{"": "VARCHAR"}');
-- both refuse
SELECT from_json_strict('{"a": [{"": 1}]}', '{"a": [{"": "INT"}]}');

-- What is no number, or not finite, in any spelling.
SELECT t, json_valid(t) FROM (VALUES ('NaN'), ('nan'), ('nAn'), ('-nan'), ('inf'), ('-INF'), ('Infinity'), ('-infinity'), ('+inf'),
    ('infin'), ('nano'), ('1nan'), ('nan1'), ('--nan'), ('-'), ('[nan,inf]'), ('{"nan":inf,}'), ('[nan inf]'), ('{nan:1}')) v(t);
SELECT json('[ nan , -Inf]'), json('"nan"'), '[nan,-inf]'->1, '[nan,-inf]'->>0, json_type('[inf]', '$[0]'), json_structure('[nan]'),
       json_keys('{"a":nan}'), json_array_length('[nan,inf]'), json_merge_patch('{"a":nan}', '{"b":-inf}'), json_normalize('{"b":NAN}');
SELECT json_transform(t, '{"a": "DOUBLE", "b": "VARCHAR"}') FROM (VALUES ('{"a":nan,"b":inf}'), ('{"a":-INFINITY,"b":"nan"}')) v(t);
SELECT json_extract(t, '$.a'), t->>'$.b' FROM (VALUES ('{"a":"x nan \" inf","b":nan}'), ('{"b":1,"a":[-inf]}')) v(t);
