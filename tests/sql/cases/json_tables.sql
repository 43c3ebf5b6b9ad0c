-- json_each and json_tree
SELECT * FROM json_each('{"a": 1, "b": [1, null], "c": {"x": "y"}}');
SELECT * FROM json_tree('{"a": 1, "b": [1, null], "c": {"x": "y"}}');
SELECT * FROM json_each('[10, "x", -5, 1.50, true, null, {}]');
SELECT * FROM json_each('5') UNION ALL SELECT * FROM json_each('null') UNION ALL SELECT * FROM json_tree('5') UNION ALL SELECT * FROM json_tree('[]');
SELECT * FROM json_each(NULL);
SELECT * FROM json_each('[]');
SELECT count(*) FROM json_each('{"a": 1}', NULL);
SELECT * FROM json_each('{"a": {"b": [1,2]}}', '$.a.b');
SELECT * FROM json_tree('{"z": [1, {"y": 2}], "a": {"b": [1,2]}}', '$.a');
SELECT * FROM json_tree('{"z": [1, {"y": 2}], "a": {"b": [10,20]}}', '$.a.b[1]');
SELECT * FROM json_each('{"a": {"b": [10,20]}}', '$.a.b[0]');
SELECT * FROM json_each('{"a": {"b": [1,2]}}', 'a');
SELECT * FROM json_each('{"a": 1}', '$.z');
SELECT * FROM json_tree('[[1], [2, 3]]', '$[-1]');
SELECT fullkey, path FROM json_tree('{"a\"q": [7], "b.c": {"d": 1}, "_x": 1, "A9": 2, "a-b": 3, "": 4, "é": 5, "1x": 6, "a_b": [[7]]}');
SELECT fullkey, path FROM json_tree('{"a": [7, [8]]}', '$.a[#-1]');
SELECT fullkey, path FROM json_tree('{"a b": [7, [8]]}', '$."a b"');
SELECT fullkey, path FROM json_tree('{"a b": [7, [8]]}', 'a b');
SELECT * FROM json_each({'a': 1});
SELECT * FROM json_each(['x', 'y']);
SELECT * FROM json_each('{"a": 1, "a": 2}'::JSON);
SELECT typeof(key), typeof(value), typeof(type), typeof(atom), typeof(id), typeof(parent), typeof(fullkey), typeof(path) FROM json_each('[1]');
SELECT k, v FROM json_each('{"a": 1}') x(k, v);
SELECT x.key, x.value::INTEGER + 1 AS v FROM json_each('{"a": 1}') x;
SELECT d.id, e.key, e.value, e.type, e.atom, e.id AS i, e.fullkey FROM docs d, json_each(d.doc) e ORDER BY d.id, e.id;
SELECT d.id, e.key, e.value, e.parent, e.path FROM docs d, json_tree(d.doc::JSON) e ORDER BY d.id, e.id;
SELECT d.id, e.key, e.value FROM docs d left join json_each(d.doc) e on true ORDER BY d.id, e.id;
SELECT d.id, (SELECT count(*) FROM json_each(d.doc)) AS n, (SELECT max(e.value) FROM json_tree(d.doc) e) AS m FROM docs d ORDER BY d.id;
SELECT p, fullkey FROM (VALUES ('{"a": [1]}', '$.a'), ('{"a": [1]}', '$'), (NULL, '$'), ('[1]', NULL), ('[1]', '$.a')) t(d, p), json_tree(t.d, t.p) ORDER BY all;
SELECT e.key, count(*) AS n FROM docs, json_each(doc) e GROUP BY e.key ORDER BY e.key;
SELECT d.id, e.value FROM docs d, json_each(d.doc) e WHERE d.id > 9;
-- both refuse
SELECT * FROM json_each('{"a": {"b": [1,2]}}', '/a/b');
-- both refuse
SELECT * FROM json_each('[1]', '$[*]');
-- both refuse
SELECT * FROM json_each('[1]', '');
-- both refuse
SELECT * FROM json_each('[1]', 0);
-- both refuse
SELECT * FROM json_each('x');
-- both refuse
SELECT * FROM json_each(5);
-- both refuse
SELECT * FROM json_each();
-- both refuse
SELECT * FROM json_each('[1]', '$', 5);
-- both refuse
SELECT json_each('[1]');
-- the columns that * leaves out
SELECT json, root, rowid, key FROM json_each('{"a":  [1, 2], "b": null}');
SELECT *, rowid FROM json_tree('{"a":  [1, 2]}', '$.a') t(x) WHERE t.rowid > 0 AND root = '$.a';
SELECT json, root, rowid FROM json_each('{"a":  [1, 2]}', 'a') WITH ORDINALITY;
SELECT e.json, e.rowid, key FROM (VALUES ('{"a": 1}'), ('[3, 4]'), (NULL)) v(j), json_each(v.j) e;
SELECT * FROM (SELECT max(rowid), any_value(json) FROM json_each('[1, 2]')) JOIN json_each('[1]') ON true;
SELECT count(*) FROM json_each('[1, 2]') a JOIN json_each('[1]') b USING (rowid);
-- both refuse
SELECT COLUMNS('json') FROM json_each('[1]');
-- both refuse
SELECT j FROM json_each('[5]') t(key, value, type, atom, id, parent, fullkey, path, j);
