-- set, insert, replace, remove
SELECT json_set('{"a": 1}', '$.a', '2'), json_set('{"a": 1}', '$.b', '2'), json_set('[1,2]', '$[0]', '9'), json_set('[1,2]', '$[5]', '9'), json_set('{"a": {"b": 1}}', '$.a.b', '"x"'), json_set('{"a": 1}', '$.b.c', '2'), json_set('{"a": 1}', '$', '2'), json_set('{"a": 1}', 'a', '2'), json_set('{"a": 1}', '/a', '2');
SELECT json_set('[1,2]', '$[2]', '9'), json_set('[1,2]', '$[#]', '9'), json_set('[1,2]', '$[-1]', '9'), json_set('[1,2]', '$[#-1]', '9'), json_set('[1,2]', '$[-3]', '9'), json_set('[1,2]', '$[0].a', '9'), json_set('{"a":[1]}', '$.a[1]', '9'), json_set('{}', '$.a[0]', '9'), json_set('{}', '$.a.b.c', '9'), json_set('{"a":1}', '$.a.b', '9'), json_set('[]', '$[0][0]', '9');
SELECT json_set('{"a":null}', '$.a.b', '9'), json_set('[1]', '$[1].a', '9'), json_set('5', '$.a', '9'), json_set('5', '$[0]', '9'), json_set('{}', '$.a[1]', '9'), json_set('{"a":1}', '', '2'), json_set('{"a":1}', '/', '2'), json_set('{"a":1}', 'b.c', '2'), json_set('{"a":[1]}', '/a/0', '2'), json_set('{"a":[1]}', '/a/1', '2'), json_set('{"a":[1]}', '/b/0', '2'), json_set('{"a":1,"b":2,"a":3}', '$.a', '9'), json_set('[1]', '/-', '2'), json_set('{"a":[1]}', '/a/5', '2'), json_set(' [1, 2.50 ] ', '$[0]', ' 3.50 ');
SELECT json_insert('{"a": 1}', '$.a', '2'), json_insert('{"a": 1}', '$.b', '2'), json_insert('[1,2]', '$[0]', '9'), json_insert('[1,2]', '$[2]', '9'), json_insert('[1]', '$', '2'), json_insert('[1,2]', '$[-1]', '9'), json_insert('{}', '$.a.b', '9'), json_insert('{"a":{}}', '$.a.b', '9'), json_insert('[1]', '$[#]', '9'), json_insert('[1]', '$[5]', '9'), json_insert('{"a":null}', '$.a', '9'), json_insert('[]', '$[#-1]', '9');
SELECT json_replace('{"a": 1}', '$.a', '2'), json_replace('{"a": 1}', '$.b', '2'), json_replace('[1,2]', '$[2]', '9'), json_replace('[1]', '$', '2'), json_replace('{"a":{"b":1}}', '$.a.b', '9'), json_replace('[1]', '$[#]', '9'), json_replace('[1]', '$[#-1]', '9'), json_replace('{"a":1,"a":2}', '$.a', '9'), json_replace('5', '$', 'null'), json_replace('[[1]]', '$[0][0]', '{"x" : 2.50}');
SELECT json_remove('{"a": 1}', '$.a'), json_remove('{"a": 1}', '$.b'), json_remove('[1,2]', '$[0]'), json_remove('[1,2]', '$[2]'), json_remove('[1]', '$'), json_remove('{"a":1,"a":2}', '$.a'), json_remove('[[1,2]]', '$[0][-1]'), json_remove('[1,2]', '$[#-1]'), json_remove('{"a":{"b":1,"c":2}}', '$.a.b'), json_remove('[1,2]', '/0'), json_remove('[1,2]', 'a'), json_remove('{"a":1}', ''), json_remove('[1,2]', '$[#]'), json_remove('5', '$.a'), json_remove([1,2], '$[0]');
SELECT json_set({'a': 1}, '$.b', [1]::JSON), json_set([1], '$[0]', to_json('x')), json_set('[1]', '$[0]', {'a': 1}), json_set('{"a": 1}', NULL, '2'), json_set(NULL, '$.a', '2'), json_set('{"a": 1}', '$.a', NULL), json_remove('{"a":1}', NULL), typeof(json_remove('[1]', '$'));
-- both refuse
SELECT json_set('{"a":1}', '$.', '2');
-- both refuse
SELECT json_set('{"a":1}', '$.*', '2');
-- both refuse
SELECT json_remove('{"a":1}', '$[*]');
-- both refuse
SELECT json_set('{"a":1}', p, '2') FROM (VALUES ('$.*')) v(p);
-- both refuse
SELECT json_set('[1]', 0, '2');
-- both refuse
SELECT json_set('{"a": 1}', '$.a', 2);
-- both refuse
SELECT json_set('{"a": 1}', '$.a', 'x');
-- both refuse
SELECT json_set('x', '$', '1');
-- both refuse
SELECT json_remove('{"a": 1}');
-- both refuse
SELECT json_remove('{"a": 1, "b": 2}', ['$.a', '$.b']);
SELECT id, json_set(j, '$.a', '2') AS a, json_insert(j, '$[2]', to_json(id)) AS b, json_replace(j, '$.a', j) AS c, json_remove(j, '$[0]') AS d, json_remove(j, '$.a.b') AS e FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
SELECT json_set(j, '$.a', '2') AS a, json_remove(j, '$.a') AS b FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t WHERE id > 9;
SELECT json_set('{"a": 1, "b": 2}', p, '3') AS a, json_remove('{"a": 1, "b": 2}', p) AS b FROM (VALUES ('$.a'), ('$.b'), ('c'), (NULL)) v(p);
-- merging
SELECT json_merge_patch('{"a": 1}', '{"b": 2}', '{"a": null}'), json_merge_patch('{"a": 1}', NULL), json_merge_patch(NULL, '{"a": 1}'), json_merge_patch('1', '{"a": null, "b": 2}'), json_merge_patch('{"a": {"b": 1, "c": 2}}', '{"a": {"b": null, "d": 3}}'), json_merge_patch('{"a": 1}', NULL, '{"c": 1}'), json_merge_patch(NULL, NULL), json_merge_patch('{"a": 1}', '[1]'), json_merge_patch('{"a": 1}', 'null');
SELECT json_merge_patch('{"a": null, "b": {"c": null}}', '{"d": {"e": null, "f": 1}}'), json_merge_patch('{"a":1, "a":2, "b":3}', '{"a": 7}'), json_merge_patch('{"a":1,"b":2}', '{"b":5, "a":4, "c":{"x":null}}'), json_merge_patch('{"a": 1}', '{"a": 2, "a": 3}'), json_merge_patch('{"a":1}', '{"a":{"b":null}}'), json_merge_patch('{"a":{"b":1}}', '{"a":5}'), json_merge_patch('{"a":{"z":null,"b":1}}', '{"a":{"c":2}}'), json_merge_patch('[1]', '{"a":null}'), json_merge_patch('null','{"a":1}');
SELECT json_merge_patch('{"a":1}', '5', '{"b":null,"c":1}'), json_merge_patch('{"a":{"x":1},"b":1}', '{"b":2}', '{"a":{"y":2}}'), json_merge_patch('{"a":[{"x":null}]}', '{"b":[{"y":null}]}'), json_merge_patch('{"a":1.50}', '{"b": 2.50}'), json_merge_patch('1', ' 2.50 '), json_merge_patch('{"b":1}', '{"b":{"c":null,"d":{"e":null}}}'), json_merge_patch(NULL, '{"a":null}'), json_merge_patch({'a': 1}, '{"b":1}', MAP{'c': 2});
SELECT json_deep_merge('{"a": [1], "b": {"c": 1}}', '{"a": [2], "b": {"d": 2}}'), json_deep_merge('{"a": 1}', '{"a": null}'), json_deep_merge('[1]', '[2]'), json_deep_merge('1','2'), json_deep_merge('{"a": 1}', '[2]'), json_deep_merge('{"a":1}', NULL), json_deep_merge(NULL, '{"a":1}'), json_deep_merge('{"a": [1, {"x": 1}], "b": {"c": 1}}', '{"a": [2], "b": {"d": 2}}', '{"b": 5}'), json_deep_merge('{"a":1,"a":2}','{"a":3}'), json_deep_merge('{"a":{"x":1}}','{"a":[1]}');
SELECT json_deep_merge('null', '{"a":1}'), json_deep_merge('{"a":1}', 'null'), json_deep_merge('{"a": {"x":1}}', '{"a": {"x": null, "y": {"z": null}}}'), json_deep_merge('null', 'null'), json_deep_merge('{"a":1,"b":2,"a":3}', '{"b":5,"a":6}'), json_deep_merge('{"a":1}', '{"a":2,"a":3}'), json_deep_merge('5', '{"a":null}'), json_deep_merge(NULL, NULL), json_deep_merge('{"a":1}', NULL, '{"b":2}'), json_deep_merge('{"b":{"c":1}}', '{"b":{"c":{"d":null}}}'), json_deep_merge('{}', '{"a":null}'), json_deep_merge('{"a":1,"b":2,"c":3}', '{"c":null,"a":null,"b":9}'), json_deep_merge('{"x":{"a":null}}', '{"x":{"b":1}}');
SELECT json_merge_patch_diff('{"a": 1, "b": 2}', '{"a": 1, "b": 3, "c": 4}'), json_merge_patch_diff('{"a": 1, "b": 2}', '{"a": 5}'), json_merge_patch_diff('1','2'), json_merge_patch_diff('1','1'), json_merge_patch_diff('{"a": {"x": 1, "y": 2}}', '{"a": {"x": 1, "z": 2}}'), json_merge_patch_diff('[1]','[1]'), json_merge_patch_diff('{}', '[1]'), json_merge_patch_diff(NULL, '1'), json_merge_patch_diff('1', NULL), json_merge_patch_diff('{"a": 1}', '{"a": null}'), json_merge_patch_diff('{"a":{"b":1}}', '{"a":{"b":1}}'), json_merge_patch_diff('{"a": 1}', '{"a": 1.0}');
SELECT json_merge_patch_diff('{"a":1,"a":2}', '{"a":1}'), json_merge_patch_diff('{"a":1}', '{"a":1,"a":2}'), json_merge_patch_diff('{"a":5}', '{"a":{"b":1}}'), json_merge_patch_diff('{"a":{}}', '{"a":{"b":null}}'), json_merge_patch_diff('{"b":1,"a":2}', '{"a":2,"b":1}'), json_merge_patch_diff('[1,2]', '[2,1]'), json_merge_patch_diff('{"a":[{"x":1}]}', '{"a":[{"x":2}]}'), json_merge_patch_diff('{"a":{"b":{"c":1}}}', '{"a":{"b":{}}}'), json_merge_patch_diff('{"a":1,"b":2,"c":3}', '{"c":4,"d":5,"a":1}'), json_merge_patch_diff('{"a":[{"x":1,"y":2}]}', '{"a":[{"y":2,"x":1}]}'), json_merge_patch_diff(NULL,NULL), json_merge_patch_diff('{"a":1}', '{"a":{"b":null}}');
-- both refuse
SELECT json_merge_patch('{"a": 1}');
-- both refuse
SELECT json_merge_patch('{"a": 1}', 5);
-- both refuse
SELECT json_deep_merge('{"a":1');
-- both refuse
SELECT json_merge_patch('{', '{}');
-- both refuse
SELECT json_merge_patch_diff('{}', '{}', '{}');
SELECT a.id, b.id, json_merge_patch(a.j, b.j) AS m, json_deep_merge(a.j, b.j, '{"z": 1}') AS d, json_merge_patch_diff(a.j, b.j) AS p FROM (SELECT id, doc::JSON AS j FROM docs) a, (SELECT id, doc::JSON AS j FROM docs) b WHERE a.id < 6 and b.id > 2 ORDER BY all;
-- structure
SELECT json_structure('{"a": 1, "b": [1, 2.5, "x"], "c": null, "d": {"e": true}, "f": -1, "g": [], "h": "2020-01-01"}'), json_structure('null'), json_structure('1'), json_structure('-1'), json_structure('1.5'), json_structure('"x"'), json_structure('true'), json_structure('{}'), json_structure('[]'), json_structure(NULL), json_structure({'a': 1});
SELECT json_structure('[1, -1]'), json_structure('[1, 1.5]'), json_structure('[1, "x"]'), json_structure('[{"a": 1}, {"b": 2}]'), json_structure('[[1],["x"]]'), json_structure('[1, true]'), json_structure('[null]'), json_structure('[1,null]'), json_structure('[{"a":1},[1]]'), json_structure('[1, [1]]'), json_structure('[{"a":1}, 1]'), json_structure('[{}, {"a": 1}]'), json_structure('[[], [1]]'), json_structure('[{}]'), json_structure('[{}, 1]'), json_structure('[[],null]');
SELECT json_structure('18446744073709551615'), json_structure('[18446744073709551615, -1]'), json_structure('12345678901234567890123'), json_structure('[-1, 1.5]'), json_structure('[-1, 18446744073709551615, 1.5]'), json_structure('[true, 1.5]'), json_structure('[{"a":1,"b":{"c":1}},{"b":{"d":"x"},"a":-1}]'), json_structure('{"a":1,"a":"x"}'), json_structure('{"a\"b": 1}'), json_structure('[null, {"a":null}, {"a":[1]}]'), json_structure('[{"a":[]},{"a":[1]},{"a":["x"]}]');
SELECT json_structure(j) AS s, typeof(json_structure(j)) AS t FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
-- both refuse
SELECT json_structure(5);
-- reading by a structure
SELECT json_transform('{"a": 1, "b": [1,"2"], "c": {"d": "x"}}', '{"a": "INTEGER", "b": ["BIGINT"], "c": {"d": "VARCHAR", "e": "DATE"}}'), json_transform('{"a": 1}', '"JSON"'), json_transform('{"a": 1}', '{"a": "JSON"}'), json_transform('[1]', '["DOUBLE"]'), json_transform('{"a": 1}', '{"b": "INTEGER"}'), json_transform('5', '"INTEGER"'), json_transform('{"a": 1}', '["INTEGER"]'), json_transform({'a': 5}, '{"a": "DOUBLE"}');
SELECT json_transform('{"a": "x"}', '{"a": "INTEGER"}'), json_transform('{"a": [1]}', '{"a": "INTEGER"}'), json_transform('[1, "x"]', '["INTEGER"]'), json_transform('{"a": 1}', '"MAP(VARCHAR, INTEGER)"'), json_transform('{"a": 1}', '"STRUCT(a INTEGER)"'), json_transform('[1]', '"INTEGER[]"'), json_transform('1.25', '"DECIMAL(5,1)"'), json_transform('{"a": 1}', '{"A": "INTEGER"}'), json_transform('{"A": 1, "a": 2}', '{"a": "INTEGER"}'), json_transform('{"a":1,"a":2}', '{"a": "INTEGER"}');
SELECT json_transform('"5"', '"INTEGER"'), json_transform('true', '"INTEGER"'), json_transform('1.7', '"INTEGER"'), json_transform('1e30', '"INTEGER"'), json_transform('5', '"BOOLEAN"'), json_transform('"t"', '"BOOLEAN"'), json_transform('"1"', '"BOOLEAN"'), json_transform('5', '"VARCHAR"'), json_transform('true', '"VARCHAR"'), json_transform('[1, 2]', '"VARCHAR"'), json_transform('null', '"VARCHAR"'), json_transform('1.50', '"VARCHAR"'), json_transform('"+5"', '"INTEGER"'), json_transform('"1_000"', '"INTEGER"'), json_transform('" 5 "', '"DOUBLE"');
SELECT json_transform('5', '"DATE"'), json_transform('"2020-01-01"', '"DATE"'), json_transform('"x"', '"DATE"'), json_transform('"12:00:00"', '"TIME"'), json_transform('"1 day"', '"INTERVAL"'), json_transform('"2020-01-01T10:00:00Z"', '"TIMESTAMP"'), json_transform('"\u00e9"', '"BLOB"'), json_transform('"x"','"UUID"'), json_transform('0', '"BOOLEAN"'), json_transform('"0.5"', '"INTEGER"'), json_transform('"1e2"', '"INTEGER"'), json_transform('{"a": 1}', '{"a": "ENUM(''1'')"}');
SELECT json_transform('-0.5', '"UINTEGER"'), json_transform('300', '"TINYINT"'), json_transform('9223372036854775808', '"BIGINT"'), json_transform('9223372036854775808', '"HUGEINT"'), json_transform('1e400', '"DOUBLE"'), json_transform('1e39', '"FLOAT"'), json_transform('NaN', '"DOUBLE"'), json_transform('12345.6', '"DECIMAL(4,1)"'), json_transform('12.345678901234567890', '"DECIMAL(38,18)"'), json_transform('true','"DATE"'), json_transform('{"a": 1}', '"BLOB"');
SELECT json_transform_strict('{"a": null}', '{"a": "INTEGER"}'), json_transform_strict('null', '{"a": "INTEGER"}'), json_transform_strict('5', '"INTEGER"'), json_transform_strict('{"a": 1, "z": 2}', '{"a": "INTEGER"}'), from_json('{"a": 1}', '{"a": "INTEGER"}'), from_json_strict('{"a": 1}', '{"a": "INTEGER"}'), typeof(from_json('{"a": 1}', '{"a": "UBIGINT", "b": ["DATE"]}'));
SELECT json_transform(j, '{"a": "INTEGER"}') AS a, json_transform(j, '["INTEGER"]') AS b, json_transform(j, '"VARCHAR"') AS c, json_transform(j, '{"a": {"b": ["BIGINT"]}, "c": "DECIMAL(4,1)"}') AS d, (json_transform(j, '{"a": {"b": ["BIGINT"]}}')).a.b[1] AS e FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
SELECT json_transform(j, '{"a": "INTEGER"}') AS a, json_transform(j, '["INTEGER"]') AS b, json_transform_strict(j, '"DATE"') AS c FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t WHERE id > 9;
SELECT sum((json_transform(doc, '{"a": "INTEGER"}')).a) AS s FROM docs WHERE id < 4;
-- both refuse
SELECT json_transform_strict('{"a": "x"}', '{"a": "INTEGER"}');
-- both refuse
SELECT json_transform_strict('{"a": 1}', '{"b": "INTEGER"}');
-- both refuse
SELECT json_transform_strict('[1]', '{"a": "INTEGER"}');
-- both refuse
SELECT json_transform_strict('{"a":1,"a":2}', '{"a":"INTEGER"}');
-- both refuse
SELECT json_transform_strict('"1e2"', '"INTEGER"');
-- both refuse
SELECT json_transform('{"a": 1}', v) FROM (VALUES ('"JSON"')) v(v);
-- both refuse
SELECT json_transform('{"a": 1}', 'x');
-- both refuse
SELECT json_transform('{"a": 1}', '{"a": "NOTYPE"}');
-- both refuse
SELECT json_transform('{"a": 1}', '["INTEGER", "INTEGER"]');
-- both refuse
SELECT json_transform('{"a": 1}', '{"a": 5}');
-- both refuse
SELECT json_transform('{"a": 1}', '{}');
-- both refuse
SELECT json_transform('{"a": 1}', '[]');
-- both refuse
SELECT json_transform('{"a": 1}', 'null');
-- both refuse
SELECT json_transform('{"a": 1}', '{"a": "INTEGER", "A": "INTEGER"}');
-- both refuse
SELECT json_transform('{"a": 1}', {'a': 'INTEGER'});
-- both refuse
SELECT json_transform('{"a": 1}', '{"a": ""}');
-- both refuse
SELECT json_transform('{"a": 1}', '{"a": "INTEGER"}', 1);
-- both refuse
SELECT json_transform(5, '"INTEGER"');

-- A name alone is the name as it stands.
SELECT json_set('{"x\\y": 3}', p, '4') FROM (VALUES ('x\y'), ('x\\y'), ('x"y'), ('\')) t(p);

-- [#-0] is behind the last element where something is changed, the first one where something is read.
SELECT json_set('[1,2]', '$[#-0]', '9'), json_insert('[1,2]', '$[#-0]', '9'), json_replace('[1,2]', '$[#-00]', '9'),
       json_remove('[1,2]', '$[#-0]'), json_set('[[1]]', '$[#-1][#-0]', '9'), json_set('{}', '$.a[#-0]', '9');
SELECT json_extract('[1,2]', '$[#-0]'), json_exists('[1,2]', '$[#-0]'), json_exists('[]', '$[#-0]'), json_extract('[1]', '$[#]');
SELECT json_set('[1,2]', p, '9') FROM (VALUES ('$[#-0]'), ('$[0]'), ('$[#]'), ('$[9223372036854775808]')) t(p);
SELECT json_extract('[1,2]', '$[9999999999999999999]'), json_extract('[1,2]', '$[#-9999999999999999999]'),
       json_extract('[1,2]', '$[0000000000000000001]');
-- both refuse
SELECT json_extract('[1,2]', '$[00000000000000000001]');
-- both refuse
SELECT json_extract('[1,2]', '$[10000000000000000000]');
-- both refuse
SELECT json_extract('[1,2]', '$.a[#-10000000000000000000]');
-- both refuse
SELECT json_remove('[1,2]', p) FROM (VALUES ('$[#-18446744073709551617]')) t(p);
