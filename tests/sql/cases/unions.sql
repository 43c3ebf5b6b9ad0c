-- UNION: casts to and from one
SELECT 'x'::UNION(a INT, b VARCHAR), typeof('x'::UNION(a INT, b VARCHAR)), CAST(1 AS UNION(a INT, b VARCHAR)), 1::UNION(a INT, b VARCHAR)::VARCHAR, union_tag(1::UNION(a INT, b VARCHAR)), typeof(union_tag(1::UNION(a INT, b VARCHAR)));
SELECT union_value(k := 1), typeof(union_value(k := 1)), union_value("A b" := 1), typeof(union_value("A b" := 1)), union_value(k := NULL::INT) IS NULL, union_tag(union_value(k := NULL::INT));
SELECT NULL::UNION(a INT, b VARCHAR), NULL::UNION(a INT, b VARCHAR) IS NULL, union_tag(NULL::UNION(a INT, b VARCHAR)), NULL::INT::UNION(a INT, b VARCHAR), NULL::INT::UNION(a INT, b VARCHAR) IS NULL, union_tag(NULL::INT::UNION(a INT, b VARCHAR));
SELECT union_extract(1::UNION(a INT, b VARCHAR), 'a'), union_extract(1::UNION(a INT, b VARCHAR), 'B'), (1::UNION(a INT, b VARCHAR)).a, union_value("A b" := 1)."a B";
SELECT union_tag(1::UNION(a BIGINT, b TINYINT)), union_tag(1::TINYINT::UNION(a INT, b BIGINT)), union_tag(1::UTINYINT::UNION(a SMALLINT, b INT, c HUGEINT)), union_tag(1.5::UNION(a DOUBLE, b FLOAT)), union_tag(1.5::FLOAT::UNION(a DOUBLE, b DECIMAL(4, 1)));
SELECT union_tag(1.5::UNION(a DECIMAL(9, 4), b DOUBLE)), 1.5::UNION(a DECIMAL(9, 4), b DOUBLE), union_tag(DATE '2020-01-01'::UNION(a TIMESTAMP, b TIMESTAMP_NS, c TIMESTAMPTZ)), union_tag('x'::UNION(a JSON, b VARCHAR)), union_tag('x'::ENUM('x')::UNION(a VARCHAR, b INT));
SELECT union_tag([1]::UNION(a INT, b INT[])), union_tag([1]::UNION(a BIGINT[], b VARCHAR[])), union_tag({'a': 1}::UNION(p STRUCT(a BIGINT), q STRUCT(b INT))), union_tag(MAP {'a': 1}::UNION(p MAP(VARCHAR, BIGINT), q INT)), union_tag(1::UNION(a UNION(b INT, c VARCHAR), d DOUBLE)), 'x'::UNION(a UNION(b INT, c VARCHAR), d DOUBLE);
SELECT 1::UNION(i INT)::UNION(i BIGINT, v VARCHAR), union_tag(1::UNION(i INT, v VARCHAR)::UNION(v VARCHAR, i INT)), union_value(I := '7')::UNION(v DATE, i INT), typeof(union_value(I := '7')::UNION(v DATE, i INT));
SELECT TRY_CAST(1.5 AS UNION(a DATE, b VARCHAR)), TRY_CAST('x' AS UNION(a DATE, b VARCHAR)), TRY_CAST(1 AS UNION(a INT, b INT)), TRY_CAST(union_value(a := 'x') AS UNION(a INT)), union_tag(TRY_CAST(union_value(a := 'x') AS UNION(a INT))), TRY_CAST(union_value(a := 1) AS UNION(b INT)), TRY_CAST('y'::ENUM('x', 'y') AS UNION(e ENUM('x'), i INT)) IS NULL;
SELECT {'a': 1}::STRUCT(a UNION(a INT, b VARCHAR)), [1, 2]::UNION(a INT, b VARCHAR)[], [1, NULL]::UNION(a INT, b VARCHAR)[], row(1)::STRUCT(a UNION(a INT, b VARCHAR)), MAP {'a': 1}::MAP(VARCHAR, UNION(a INT, b VARCHAR));
SELECT struct_pack(x := 0::UTINYINT, a := 1, b := NULL::VARCHAR)::UNION(a INT, b VARCHAR), struct_pack(x := 1::UTINYINT, a := NULL::INT, b := 'x')::UNION(a INT, b VARCHAR), struct_pack(x := 0::UTINYINT, a := '7', b := NULL::VARCHAR)::UNION(a INT, b VARCHAR), struct_pack(x := NULL::UTINYINT, a := NULL::INT, b := NULL::VARCHAR)::UNION(a INT, b VARCHAR) IS NULL;
SELECT i, struct_pack(x := i, a := CASE WHEN i = 0 THEN 5 END, b := CASE WHEN i = 1 THEN 'x' END)::UNION(a INT, b VARCHAR) AS u, union_tag(u) FROM (VALUES (0::UTINYINT), (1), (NULL)) v(i) ORDER BY i;
SELECT x::UNION(a INT, b VARCHAR) AS u, union_tag(u), u IS NULL FROM (VALUES (1), (NULL)) v(x) ORDER BY x;
SELECT union_value(a := x), union_tag(union_value(a := x)), union_value(a := x).a FROM (VALUES (1), (NULL)) v(x) ORDER BY x;
SELECT ['x, y', 'it''s', '', 'null', NULL]::UNION(a VARCHAR)[]::VARCHAR, {'a': union_value(a := 'x, y')}::VARCHAR, [union_value(a := DATE '2020-01-01')]::VARCHAR, [union_value(a := ['x, y', 'z'])]::VARCHAR, union_value(a := ['x, y', 'z'])::VARCHAR, union_value(a := {'k': 'x, y'})::VARCHAR, MAP {union_value(a := 'x y'): union_value(b := 'x y')}::VARCHAR;
SELECT union_value(a := union_value(b := NULL::INT))::VARCHAR, union_value(a := NULL::UNION(b INT))::VARCHAR, [union_value(a := NULL::INT), NULL]::VARCHAR;
SELECT hash(1::UNION(a INT, b VARCHAR)), hash('x'::UNION(a INT, b VARCHAR)), hash(NULL::UNION(a INT, b VARCHAR)), hash([1::UNION(a INT, b VARCHAR)]);
-- both refuse
SELECT 1.5::UNION(a INT, b VARCHAR);
-- both refuse
SELECT true::UNION(a INT, b VARCHAR);
-- both refuse
SELECT [1]::UNION(a INT, b VARCHAR);
-- both refuse
SELECT DATE '2020-01-01'::UNION(a INT, b VARCHAR);
-- both refuse
SELECT 1::BIGINT::UNION(a INT, b VARCHAR);
-- both refuse
SELECT 1::UNION(a INT, b INT);
-- both refuse
SELECT '1'::UNION(a INT, b DOUBLE);
-- both refuse
SELECT 1::UNION(a TINYINT, b VARCHAR);
-- both refuse
SELECT 1::UNION(a INT, b VARCHAR)::UNION(a INT);
-- both refuse
SELECT 1::UNION(a INT, b VARCHAR)::INT;
-- both refuse
SELECT 'x'::UNION(a INT, b VARCHAR)::INT;
-- both refuse
SELECT 1::UNION(a INT, b VARCHAR)::BLOB;
-- both refuse
SELECT union_value(a := 'x')::UNION(a INT);
-- both refuse
SELECT union_value(a := 1, b := 2);
-- both refuse
SELECT union_value(1);
-- both refuse
SELECT union_value();
-- both refuse
SELECT union_extract(1::UNION(a INT, b VARCHAR), 'c');
-- both refuse
SELECT union_extract(u) FROM (SELECT union_value(a := 1) u);
-- both refuse
SELECT u.c FROM (SELECT 1::UNION(a INT, b VARCHAR) u);
-- both refuse
SELECT u['a'] FROM (SELECT 1::UNION(a INT, b VARCHAR) u);
-- both refuse
SELECT u[1] FROM (SELECT 1::UNION(a INT, b VARCHAR) u);
-- both refuse
SELECT struct_extract(1::UNION(a INT, b VARCHAR), 'a');
-- both refuse
SELECT union_tag(1);
-- both refuse
SELECT NULL::UNION(a INT, A VARCHAR);
-- both refuse
SELECT NULL::UNION(INT, VARCHAR);
-- both refuse
SELECT NULL::UNION;
-- both refuse
SELECT NULL::UNION();
-- both refuse
SELECT struct_pack(x := 0::UTINYINT, a := 1, b := 'x')::UNION(a INT, b VARCHAR);
-- both refuse
SELECT struct_pack(x := 2::UTINYINT, a := 1, b := NULL::VARCHAR)::UNION(a INT, b VARCHAR);
-- both refuse
SELECT struct_pack(x := 1::UTINYINT, a := 1, b := NULL::VARCHAR)::UNION(a INT, b VARCHAR);
-- JSON of one, and one of JSON
SELECT to_json(1::UNION(a INT, b VARCHAR)), to_json('x'::UNION(a INT, b VARCHAR)), to_json({'a': 1::UNION(a INT, b VARCHAR)}), to_json(NULL::UNION(a INT, b VARCHAR)), to_json(NULL::INT::UNION(a INT, b VARCHAR)), 1::UNION(a INT, b VARCHAR)::JSON, [1::UNION(a INT, b VARCHAR), 'x']::JSON;
SELECT '{"a": 5}'::JSON::UNION(a INT, b VARCHAR), '{"b": 5}'::JSON::UNION(a INT, b VARCHAR), '{"b": "x"}'::JSON::UNION(a INT, b VARCHAR), '{"a": null}'::JSON::UNION(a INT, b VARCHAR) IS NULL, 'null'::JSON::UNION(a INT, b VARCHAR) IS NULL, union_tag('{"a": null}'::JSON::UNION(a INT, b VARCHAR));
SELECT TRY_CAST('{"zz": 5}'::JSON AS UNION(a INT, b VARCHAR)), TRY_CAST('[5]'::JSON AS UNION(a INT, b VARCHAR)), TRY_CAST('{"a": "x"}'::JSON AS UNION(a INT, b VARCHAR)), TRY_CAST('{}'::JSON AS UNION(a INT, b VARCHAR));
SELECT from_json('[{"a": 1}, {"b": "x"}, null, {"b": null}]', '["UNION(a INT, b VARCHAR)"]'), json_transform('{"u": {"zz": 1}}', '{"u": "UNION(a INT, b VARCHAR)"}'), json_transform('{"u": 5}', '{"u": "UNION(a INT, b VARCHAR)"}');
-- both refuse
SELECT '1'::JSON::UNION(a INT, b VARCHAR);
-- both refuse
SELECT '{}'::JSON::UNION(a INT, b VARCHAR);
-- both refuse
SELECT '{"A": 5}'::JSON::UNION(a INT, b VARCHAR);
-- both refuse
SELECT '{"a": 5, "b": "x"}'::JSON::UNION(a INT, b VARCHAR);
-- both refuse
SELECT '{"a": "x"}'::JSON::UNION(a INT, b VARCHAR);
-- compared, and in the order of members
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT * FROM t ORDER BY k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u FROM t ORDER BY u;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u FROM t ORDER BY u DESC;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u, union_tag(u), u IS NULL FROM t ORDER BY u NULLS FIRST, k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT k, u = 1, u <> 1, u < 1, u >= 1, u = 'two', u < 'two', u > 'two', u = union_value(num := NULL::INT), u < union_value(str := NULL::VARCHAR) FROM t ORDER BY k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT k, u = k, u = k::SMALLINT, u = 'two'::VARCHAR, u = union_value(zzz := 1), u = union_value(num := 'x'), u = NULL FROM t ORDER BY k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT k, u IS DISTINCT FROM 1, u IS NOT DISTINCT FROM union_value(num := NULL::INT), u BETWEEN 1 AND 'u', u IN (1, 'two'), u NOT IN (1, 'two'), u IN (union_value(num := NULL::INT), 'two'), u IN (1), (u = 1) IS NULL FROM t ORDER BY k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT k FROM t WHERE NOT (u = 'two') ORDER BY k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT k FROM t WHERE u <> 1 OR u > 'two' ORDER BY k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT count(*) FROM t WHERE (u = 1) IS NULL;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT {'a': u} = {'a': 1}, [u] = [1], list_contains([u], 1), list_position([u, 'a'], 'a'), list_contains([u], union_value(num := NULL::INT)) FROM t ORDER BY k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT k, CASE u WHEN 1 THEN 'a' WHEN union_value(num := NULL::INT) THEN 'b' ELSE 'c' END, nullif(u, 1), greatest(u, 1), least(u, 'a') FROM t ORDER BY k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT union_tag(u) = 'num', union_tag(u) > 'num', union_tag(u)::VARCHAR, enum_code(union_tag(u)) FROM t ORDER BY k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT x = y, x < y, x <> y FROM (VALUES (union_value(s := union_value(p := NULL::INT)), union_value(s := union_value(p := 1))), (union_value(s := union_value(p := 1)), union_value(s := union_value(p := 1)))) v(x, y);
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT x = y, x < y, x <> y FROM (VALUES (union_value(s := {'a': NULL::INT}), union_value(s := {'a': 1})), (union_value(s := {'a': 1}), union_value(s := {'a': 1}))) v(x, y);
-- both refuse
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u = k::BIGINT FROM t;
-- both refuse
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u = 1.5 FROM t;
-- both refuse
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u < 1.5 FROM t;
-- both refuse
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u = true FROM t;
-- both refuse
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u = [1] FROM t;
-- both refuse
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u IN (1, 5000000000) FROM t;
-- both refuse
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u IN (1.5) FROM t;
-- both refuse
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u + 1 FROM t;
-- both refuse
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT upper(u) FROM t;
-- both refuse
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT sum(u) FROM t;
-- both refuse
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u LIKE 't%' FROM t;
-- both refuse
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u.* FROM t;
-- both refuse
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT unnest(u) FROM t;
-- both refuse
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u.num.x FROM t;
-- both refuse
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT md5(u) FROM t;
-- both refuse
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT coalesce(u, 1.5) FROM t;
-- both refuse
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT CASE WHEN k = 1 THEN u ELSE k::BIGINT END FROM t;
-- both refuse
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u FROM t UNION ALL SELECT 1.5;
-- types that meet
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT coalesce(u, 5), coalesce(u, 'x'), ifnull(u, k), if(k = 1, u, 'z'), CASE WHEN k = 1 THEN 'x' ELSE u END FROM t ORDER BY k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT typeof(x) FROM (SELECT u AS x FROM t UNION ALL SELECT union_value(zzz := 'x')) LIMIT 1;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT typeof(x) FROM (SELECT u AS x FROM t UNION ALL SELECT union_value(NUM := 2::BIGINT)) LIMIT 1;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT typeof(x) FROM (SELECT u AS x FROM t UNION ALL SELECT union_value(num := 'x')) LIMIT 1;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT typeof([u, 'x']), typeof([union_value(a := 1), union_value(b := 'x')]), typeof(CASE WHEN true THEN union_value(a := 1) ELSE union_value(b := 'x') END), typeof([union_value(a := 1), NULL]), typeof(coalesce(NULL, u)) FROM t LIMIT 1;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u FROM t UNION SELECT 3 ORDER BY 1;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u FROM t EXCEPT SELECT 'two' ORDER BY 1;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u FROM t INTERSECT SELECT 1;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT x, typeof(x) FROM (SELECT 1::TINYINT AS x UNION ALL SELECT union_value(a := 1));
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT x, typeof(x) FROM (VALUES (1), (union_value(a := 1)), (NULL)) v(x) ORDER BY 1;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT 'x'::VARCHAR AS u UNION ALL SELECT u FROM t ORDER BY 1 LIMIT 3;
-- both refuse
SELECT 'x' AS x UNION ALL SELECT union_value(a := 1);
-- both refuse
SELECT [1.5, union_value(a := 1)];
-- both refuse
SELECT * FROM (VALUES (1), (union_value(a := 1)), ('a')) v(x);
-- groups, joins, windows, lists
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u, count(*) FROM t GROUP BY u ORDER BY u;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT DISTINCT u FROM t ORDER BY u DESC;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT DISTINCT ON (u) u, k FROM t ORDER BY u, k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u, count(*) FROM t GROUP BY ROLLUP (u) ORDER BY 1, 2;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT min(u), max(u), count(u), count(DISTINCT u), first(u), arg_min(u, k), arg_max(k, u), mode(u), max_by(u, k), min(u, 2) FROM t WHERE k < 4 OR k > 5;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT union_tag(u) AS tag, count(*), sum(u.num), count(u.str), min(u) FROM t GROUP BY tag ORDER BY tag;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT list(u ORDER BY k), typeof(list(u)), string_agg(u, ',' ORDER BY k), array_agg(u ORDER BY u, k), approx_count_distinct(u) FROM t;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT a.k, b.k FROM t a JOIN t b ON a.u = b.u ORDER BY ALL;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT a.k, b.k FROM t a LEFT JOIN t b ON a.u = b.u AND a.k < b.k ORDER BY ALL;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT a.k, b.k FROM t a JOIN t b USING (u) ORDER BY ALL;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT a.k, b.k FROM t a JOIN t b ON a.u IS NOT DISTINCT FROM b.u ORDER BY ALL;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT a.k, b.k FROM t a JOIN t b ON a.u <= b.u AND a.k < b.k ORDER BY ALL;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT a.k, x FROM t a JOIN (VALUES (1), (4)) v(x) ON a.u = v.x ORDER BY ALL;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT k, u IN (SELECT u FROM t WHERE k < 3), u IN (SELECT u FROM t), u = ANY (SELECT u FROM t WHERE k > 5) FROM t ORDER BY k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT k FROM t WHERE u IN (SELECT k FROM t) ORDER BY k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT k FROM t a WHERE EXISTS (FROM t b WHERE b.u = a.u AND b.k <> a.k) ORDER BY k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT k FROM t WHERE u NOT IN (SELECT u FROM t WHERE k < 3) ORDER BY k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT k, row_number() OVER (PARTITION BY u ORDER BY k), lag(u) OVER (ORDER BY k), first_value(u) OVER (ORDER BY u, k), rank() OVER (ORDER BY u), max(u) OVER (ORDER BY k) FROM t ORDER BY k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT unnest(list(u ORDER BY k)) FROM t;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT k, unnest([u, 5]) FROM t ORDER BY k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT k, [x FOR x IN [u, 5]], list_transform([u], lambda x: x.num), list_filter([u, 7], lambda x: x.num = 7), list_sort([u, 'a', 0, NULL]) FROM t ORDER BY k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT {'u': u}, {'u': u}.u.num, struct_pack(u), unnest([{'a': u, 'b': 1}], recursive := true) FROM t ORDER BY k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT map([u], [k]) FROM t WHERE k < 3 ORDER BY k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u::VARCHAR, u::UNION(str VARCHAR, num BIGINT, x DATE), u || 'x', concat(u, 'x'), format('{}', u), length(u::VARCHAR), u.num + 1, t.u.num, union_extract(u, 'str'), columns('u')::VARCHAR FROM t ORDER BY k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT to_json(u), u::JSON, json_object('a', u), json_array(u), to_json([u]) FROM t ORDER BY k;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT count(*) FILTER (u = 1), count(*) FILTER (u.str = 'two'), any_value(u) FILTER (k = 3), (SELECT u FROM t LIMIT 1) FROM t;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u FROM t ORDER BY u LIMIT 3;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT u, k FROM t ORDER BY u DESC NULLS LAST, k LIMIT 4;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT k FROM t WHERE u IS NULL;
WITH t AS (SELECT * FROM (VALUES (1::UNION(num INT, str VARCHAR), 1), ('two', 2), (union_value(str := 'three'), 3), (NULL, 4), (union_value(num := NULL), 5), (1, 6), ('two', 7), (union_value(str := NULL), 8)) v(u, k)) SELECT a.k, b.k FROM t a ASOF JOIN t b ON a.u = b.u AND a.k >= b.k ORDER BY ALL;
SELECT max(u), min(u), count(DISTINCT u) FROM (SELECT i::INT::UNION(a INT, b VARCHAR) AS u FROM range(3000) r(i) UNION ALL SELECT 'q');
SELECT u, count(*) FROM (SELECT (i % 7)::INT::UNION(a INT, b VARCHAR) AS u FROM range(3000) r(i) UNION ALL SELECT (i % 3)::VARCHAR FROM range(3000) r(i)) GROUP BY u ORDER BY u;
WITH w AS (SELECT CASE WHEN i % 2 = 0 THEN (i % 50)::INT::UNION(a INT, b VARCHAR) ELSE (i % 40)::VARCHAR END AS u, i FROM range(400) r(i)) SELECT count(*), sum(x.i), sum(y.i) FROM w x JOIN w y ON x.u = y.u;
SELECT a.s, b.s FROM (VALUES ({'x': 1}, 1), ({'x': 2}, 2)) a(s, k) ASOF JOIN (VALUES ({'x': 1}, 1), ({'x': 2}, 0)) b(s, k) ON a.s = b.s AND a.k >= b.k ORDER BY ALL;
SELECT a.k, b.k FROM (VALUES ({'x': 1}, 1), ({'x': 3}, 2)) a(s, k) ASOF JOIN (VALUES ({'x': 1}, 1), ({'x': 2}, 2)) b(s, k) ON a.s >= b.s ORDER BY ALL;
