-- casts to JSON
SELECT '1'::JSON, typeof('1'::JSON), '"x"'::JSON::VARCHAR, ' 1 '::JSON, '1'::JSON::JSON, [1,2]::VARCHAR::JSON, try_cast([1] AS JSON), (NULL::JSON)::VARCHAR;
SELECT 5::JSON, 1.5::JSON, 1.50::DECIMAL(5,2)::JSON, 1e20::DOUBLE::JSON, 0.1::FLOAT::JSON, 'nan'::DOUBLE::JSON, DATE '2020-01-01'::JSON, true::JSON, (INTERVAL 1 day)::JSON, 'ab'::BLOB::JSON, 'a'::ENUM('a')::JSON;
SELECT ['x']::JSON, {'a': 'x'}::JSON, ['[1]']::JSON, MAP{'a': '1'}::JSON, {'a': '{"x" : 1}'::JSON}::JSON, [1,2]::FLOAT[2]::JSON, row(1, 'x')::JSON;
-- both refuse
SELECT date '2020-01-01'::VARCHAR::JSON;
-- both refuse
SELECT word::JSON FROM docs;
SELECT TRY_CAST(word AS JSON) AS j, TRY_CAST(word AS JSON)::VARCHAR AS s, typeof(TRY_CAST(word AS JSON)) AS t FROM docs;
SELECT id::JSON AS a, salary::JSON AS b, hired::JSON AS c, score::JSON AS d, active::JSON AS e FROM emp;
SELECT moment::TIMESTAMPTZ::JSON AS a, to_json(moment::TIMESTAMPTZ) AS b, to_json(moment) AS c, json_array(moment::TIMESTAMPTZ) AS d FROM events;
-- casts of JSON
SELECT '"5"'::JSON::INTEGER, '5'::JSON::INTEGER, 'null'::JSON::INTEGER, '5.7'::JSON::INTEGER, 'true'::JSON::INTEGER, '2.5'::JSON::INTEGER, '3.5'::JSON::INTEGER, '1e2'::JSON::INTEGER, '" 5 "'::JSON::INTEGER, TRY_CAST('"0.5"'::JSON AS INTEGER), TRY_CAST('"1e2"'::JSON AS INTEGER);
SELECT '"2020-01-01"'::JSON::DATE, '"2020-01-01 10:00:00"'::JSON::TIMESTAMP, '"x"'::JSON::BLOB, '1.25'::JSON::DECIMAL(4,1), '"1.25"'::JSON::DECIMAL(4,1), '"12:00:00"'::JSON::TIME, '"1 day"'::JSON::INTERVAL, '"550e8400-e29b-41d4-a716-446655440000"'::JSON::UUID, '"a"'::JSON::ENUM('a','b');
SELECT '1'::JSON::BOOLEAN, '"true"'::JSON::BOOLEAN, '0.5'::JSON::BOOLEAN, '0'::JSON::BOOLEAN, 'true'::JSON::DOUBLE, '"1.5"'::JSON::FLOAT, '16777217'::JSON::FLOAT, '1'::JSON::HUGEINT, '12345678901234567890123'::JSON::HUGEINT, '1.1e30'::JSON::HUGEINT;
SELECT '0.1000000000000000055511151231257827'::JSON::DECIMAL(38,30), '1e20'::JSON::DECIMAL(38,0), '2.675'::JSON::DECIMAL(10,2), '1e-3'::JSON::DECIMAL(10,4), '-5'::JSON::DECIMAL(4,1), 'true'::JSON::DECIMAL(4,1);
SELECT '[1, "2", null, true]'::JSON::INTEGER[], '["a", 1, null, {"x":  1}]'::JSON::VARCHAR[], '{"a": 1, "b": [1]}'::JSON::STRUCT(a INTEGER, b VARCHAR), '[1,2,3]'::JSON::FLOAT[3], '[[1],[2,3],null]'::JSON::INTEGER[][], '[1,"a",{"x": [ ]}]'::JSON::JSON[];
SELECT '{"a": 1, "c": 3}'::JSON::MAP(VARCHAR, INTEGER), '{"1": 2}'::JSON::MAP(INTEGER, INTEGER), '{"a": null}'::JSON::MAP(VARCHAR, INTEGER), '{"a": [{"b": 1}, null]}'::JSON::STRUCT(a STRUCT(b INTEGER)[]), '{"b": 1, "a": 2}'::JSON::STRUCT(a INTEGER, b INTEGER), 'null'::JSON::STRUCT(a INTEGER), '[]'::JSON::INTEGER[], '{}'::JSON::MAP(VARCHAR, INTEGER);
-- both refuse
SELECT '{"a": 1}'::JSON::STRUCT(a INTEGER, c INTEGER);
-- both refuse
SELECT '{"A": 1}'::JSON::STRUCT(a INTEGER);
-- both refuse
SELECT '{"a": 1, "z": 1}'::JSON::STRUCT(a INTEGER);
-- both refuse
SELECT '{"a": 1, "a": 1}'::JSON::STRUCT(a INTEGER);
-- both refuse
SELECT '[1, 2]'::JSON::STRUCT(a INTEGER);
-- both refuse
SELECT '[1, 2]'::JSON::INTEGER;
-- both refuse
SELECT '"x"'::JSON::INTEGER;
-- both refuse
SELECT '1000'::JSON::TINYINT;
-- both refuse
SELECT '1e39'::JSON::FLOAT;
-- both refuse
SELECT '-1'::JSON::UTINYINT;
-- both refuse
SELECT '5'::JSON::DATE;
-- both refuse
SELECT '5'::JSON::ENUM('5');
-- both refuse
SELECT '5'::JSON::UUID;
-- both refuse
SELECT '"x"'::JSON::BOOLEAN;
-- both refuse
SELECT '[1,2]'::JSON::FLOAT[3];
-- both refuse
SELECT '{"a": 1, "a": 2}'::JSON::MAP(VARCHAR, INTEGER);
-- both refuse
SELECT '{"x": 1}'::JSON::MAP(INTEGER, INTEGER);
SELECT TRY_CAST('{"x": 1}'::JSON AS MAP(INTEGER, INTEGER));
SELECT TRY_CAST('{"a": 1}'::JSON AS INTEGER[]), TRY_CAST('[1, "x"]'::JSON AS INTEGER[]), TRY_CAST('"x"'::JSON AS INTEGER), TRY_CAST('1000'::JSON AS TINYINT), TRY_CAST('[1]'::JSON AS FLOAT[2]), TRY_CAST('{"z": 1}'::JSON AS STRUCT(a INTEGER)), TRY_CAST('{"a":1,"a":2}'::JSON AS MAP(VARCHAR,INTEGER));
SELECT TRY_CAST(j AS STRUCT(a INTEGER)) AS a, TRY_CAST(j AS INTEGER[]) AS b, TRY_CAST(j AS INTEGER) AS c, TRY_CAST(j AS VARCHAR[]) AS d, TRY_CAST(j AS MAP(VARCHAR, JSON)) AS e, TRY_CAST(j AS DATE) AS f, TRY_CAST(j AS DOUBLE[2]) AS g FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
-- both refuse
SELECT j::INTEGER FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
SELECT j::INTEGER[] AS l, list_sum(j::INTEGER[]) AS s FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t WHERE id in (2, 3, 6, 7);
SELECT j::STRUCT(a INTEGER) AS s, (j::STRUCT(a INTEGER)).a + 1 AS a FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t WHERE id in (1, 3, 6);
SELECT j::INTEGER[] AS a, j::STRUCT(a INTEGER) AS b, j::DATE AS c, to_json(j) AS d, j::VARCHAR AS e, [j]::JSON AS f FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t WHERE id > 9;
SELECT '"2020-07-01 12:00:00"'::JSON::TIMESTAMPTZ::VARCHAR AS a, '"2020-07-01 12:00:00+02"'::JSON::TIMESTAMPTZ::VARCHAR AS b;
-- a column of JSON
SELECT j, typeof(j), j is null, length(j), upper(j), j like '%a%', j || '!' FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
SELECT j, count(*) AS n, count(j) AS c FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t GROUP BY j ORDER BY j;
SELECT distinct j FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t ORDER BY j desc;
SELECT min(j), max(j), count(distinct j), typeof(min(j)), typeof(first(j)), typeof(list(j)), typeof(arg_min(j, id)), typeof(mode(j)), typeof(string_agg(j, ',')) FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
SELECT t.id, b.id FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t JOIN (SELECT id, doc::JSON AS j FROM docs) b ON t.j = b.j WHERE t.id < b.id;
SELECT count(*) FROM docs x join (SELECT doc::JSON AS doc FROM docs) y USING (doc);
SELECT id, lag(j) over (ORDER BY id) AS a, lag(j, 1, '1') over (ORDER BY id) AS b, first_value(j) over (ORDER BY id) AS c FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
SELECT [j, '1', NULL] AS l, {'a': j} AS s, MAP{'k': j} AS m, typeof([j, '1']) AS t, typeof({'a': j}) AS u FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
SELECT [j]::VARCHAR AS a, {'a': j}::VARCHAR AS b, MAP{j: j}::VARCHAR AS c FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t WHERE j is not null;
SELECT ['{"x": 1}'::JSON, '[1]'::JSON]::VARCHAR, {'a': '"s"'::JSON, 'b': '1'::JSON, 'c': '[1]'::JSON}::VARCHAR, [['"x"'::JSON]]::VARCHAR, ['"a b"'::JSON, NULL, 'null'::JSON]::VARCHAR, {'a': ['"s"'::JSON]}::VARCHAR;
SELECT unnest([j, '[2]']) AS e, typeof(unnest([j])) AS t FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t WHERE id < 3;
SELECT x, typeof(x) FROM (SELECT j AS x FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t UNION ALL SELECT 5) ORDER BY x;
SELECT x FROM (SELECT '1' AS x UNION ALL SELECT j FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t) ORDER BY x;
-- both refuse
SELECT x FROM (SELECT v AS x FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t UNION ALL SELECT j FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t);
SELECT CASE WHEN id = 1 THEN j WHEN id = 2 THEN '[]' END AS a, coalesce(j, '0') AS b, coalesce(j, 5) AS c, ifnull(j, [1]) AS d, typeof(if(id = 1, j, '1')) AS e, nullif(j, '[1, 2]') AS f FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
SELECT CASE WHEN id < 9 THEN j ELSE v END FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
SELECT typeof(coalesce('5'::JSON, DATE '2020-01-01')), typeof(coalesce('5'::JSON, 1.5)), typeof(coalesce('5'::JSON, 'a'::ENUM('a'))), greatest('5'::JSON, 6), coalesce('5'::JSON, DATE '2020-01-01');
SELECT j = '{"a": 1}' AS a, j = '"s"'::JSON AS b, j < '[' || '2]' AS c, j is distinct FROM '1' AS d, j in ('1', '[1, 2]') AS e FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t WHERE v is not null and v <> 'q' or id = 1;
SELECT '[1]'::JSON = [1], '"2020-01-01"'::JSON = DATE '2020-01-01', '5'::JSON = 5.0, '5'::JSON in (5, 6), '5'::JSON between 1 and 7, '"a"'::JSON = 'a'::ENUM('a');
-- both refuse
SELECT j = 'x' FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
-- both refuse
SELECT j = v FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
-- both refuse
SELECT j = 5 FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
-- both refuse
SELECT j + 1 FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
-- both refuse
SELECT sum(j) FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
-- both refuse
SELECT abs(j) FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
-- both refuse
SELECT not j FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
SELECT hash(j) = hash(j::VARCHAR) AS h, md5(j) = md5(doc) AS m FROM (SELECT doc, doc::JSON AS j FROM docs) t;
-- both refuse
SELECT stddev(NULL::JSON);
-- members of a column of JSON
SELECT j.a, j['a'], j[0], (j).a, t.j.a.b, j[-1] FROM (SELECT id, doc::JSON AS j, word AS v FROM docs) t;
SELECT ('{"a.b":2}'::JSON)['a.b'] AS x, ('{"a":2}'::JSON)['$.a'] AS y, ('[1,2,3]'::JSON)[-1] AS z, ('{"a/b": {"~": 3}}'::JSON)['a/b']['~'] AS w, ('"abc"'::JSON)[1:2] AS u, ('{"a b": 1}'::JSON)."a b" AS q;
SELECT array_extract('[1,2]'::JSON, 1), list_extract('"abc"'::JSON, 1);
-- strings are read strictly
-- both refuse
SELECT '"1e2"'::JSON::INTEGER;
-- both refuse
SELECT '"+5"'::JSON::INTEGER;
-- both refuse
SELECT '" 5 "'::JSON::DOUBLE;
-- both refuse
SELECT '"1_000"'::JSON::INTEGER;
-- both refuse
SELECT '"1"'::JSON::BOOLEAN;
SELECT '"1e2"'::JSON::DOUBLE, '" 5.25 "'::JSON::DECIMAL(4,1), '"t"'::JSON::BOOLEAN, '" 2020-01-01 "'::JSON::DATE, '"2020-01-01"'::JSON::TIMESTAMP, '"0x10"'::JSON::INTEGER;
-- casts of columns of JSON, whose texts are read side by side; some of them in other ways
SELECT id, j::DOUBLE AS d, j::FLOAT AS f, j::DECIMAL(12, 3) AS e, j::BIGINT AS i, TRY_CAST(j AS BOOLEAN) AS b FROM (VALUES (1, '1'), (2, '-2.5'), (3, 'null'), (4, '1e2'), (5, '"7"'), (6, 'true'), (7, NULL), (8, ' 12 '), (9, '0.1'), (10, '123456789.125'), (11, '-0'), (12, '-0.0'), (13, '3.5'), (14, '1.0')) AS t(id, s), LATERAL (SELECT s::JSON AS j) ORDER BY id;
SELECT id, TRY_CAST(j AS TINYINT) AS t, TRY_CAST(j AS UBIGINT) AS u, TRY_CAST(j AS HUGEINT) AS h, TRY_CAST(j AS DECIMAL(4, 2)) AS d, TRY_CAST(j AS FLOAT) AS f FROM (VALUES (1, '1'), (2, '-2'), (3, '300'), (4, '12345678901234567890'), (5, '99'), (6, '100'), (7, '[1]'), (8, '"x"'), (9, '2.005'), (10, NULL), (11, '123456789012345678'), (12, '7'), (13, '8'), (14, '9')) AS t(id, s), LATERAL (SELECT s::JSON AS j) ORDER BY id;
SELECT id, j::DATE AS d, TRY_CAST(j AS TIMESTAMP) AS t FROM (VALUES (1, '"2020-01-02"'), (2, 'null'), (3, NULL), (4, '"1999-12-31"'), (5, '"2020\u002d02-03"')) AS t(id, s), LATERAL (SELECT s::JSON AS j) ORDER BY id;
SELECT sum((d->'a')::DOUBLE) AS x, sum(TRY_CAST(d->'a' AS INTEGER)) AS y, max((d->'b')::BOOLEAN) AS z FROM (SELECT '{"a": ' || i || CASE WHEN i % 3 = 0 THEN '.25' ELSE '' END || ', "b" : ' || CASE i % 5 WHEN 0 THEN 'null' WHEN 1 THEN 'true' ELSE 'false' END || '}' AS d FROM range(300) AS r(i));
SELECT json_transform(j, '"DOUBLE"') AS d, json_transform(j, '"INTEGER"') AS i, json_transform(j, '"DATE"') AS t FROM (VALUES ('1'), ('"2020-01-02"'), ('2.5'), ('null'), ('7'), ('{}')) AS t(j);
-- both refuse
SELECT j::INTEGER FROM (SELECT s::JSON AS j FROM (VALUES ('1'), ('2'), ('3000000000')) AS t(s));
-- both refuse
SELECT j::DOUBLE FROM (SELECT s::JSON AS j FROM (VALUES ('1'), ('2'), ('[3]')) AS t(s));
-- both refuse
SELECT j::BOOLEAN FROM (SELECT s::JSON AS j FROM (VALUES ('true'), ('false'), ('"x"')) AS t(s));
-- both refuse
SELECT j::DATE FROM (SELECT s::JSON AS j FROM (VALUES ('"2020-01-01"'), ('"2020-01-02"'), ('"x"')) AS t(s));
-- a text as a list of JSON is read as JSON
SELECT '[1, {"a": 2, "b" : [1,  2]}, [3,  4], "x", null, 1.50, 1e5, "\u00e9" , true]'::JSON[], '[]'::JSON[], ('[[1], 2]'::JSON[])[1];
SELECT x::JSON[] FROM (VALUES ('[1, {"a": 2}]'), (NULL), ('["a\nb", {"x": 12345678901234567890123}]')) t(x);
SELECT TRY_CAST('[1, {a: 2}]' AS JSON[]), TRY_CAST('[x]' AS JSON[]), TRY_CAST('{"a": 2}' AS JSON[]), TRY_CAST('null' AS JSON[]);
-- both refuse
SELECT '{"a": 2}'::JSON[];
-- both refuse
SELECT '[x]'::JSON[];
