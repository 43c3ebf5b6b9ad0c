-- Functions of maps and structs.
select map_from_entries([{'k':1,'v':'x'}]), typeof(map_from_entries([(1,'x')]));
select map_concat(map([1,2],['a','b']),map([2,3],['c','d'])), map_concat(map([1],[2]),NULL), map_concat(NULL, NULL);
select map_extract(MAP{'a':1},'a'), map_extract(MAP{'a':1},'z'), element_at(MAP{'a':1},'a'), typeof(element_at(MAP{'a':1},'a')), map_extract(NULL::MAP(VARCHAR,INT),'a'), map_extract(MAP{'a':NULL},'a');
select map_contains(MAP{'a':1},'a'), map_contains_value(MAP{'a':1},1), map_contains_entry(MAP{'a':1},'a',1);
-- both refuse
select map_keys(NULL::MAP(INT,INT)), cardinality(NULL::MAP(INT,INT)), len(MAP{'a':1});
select struct_insert({'a':1}, b := 2), struct_update({'a':1,'c':3}, a := 2, d := 4), struct_concat({'a':1},{'b':2}), struct_keys({'a':1}), struct_values({'a':1,'b':'x'}), struct_values({'a':1,'b':2});
select struct_contains(row(3,3,0),3), struct_has(row(1,2),5), struct_position(row(1,2),2), struct_indexof(row(1,2),7), typeof(struct_position(row(1,2),2)), typeof(struct_values({'a':1,'b':'x'}));
-- both refuse
select s.*, t.s.* from (values ({'a':1,'b':2})) t(s);
-- both refuse
select struct_contains({'a':1},1);
-- both refuse
select struct_insert({'a':1}, a := 2);
select row(1,NULL) = row(1,NULL), struct_contains(row(1,NULL),NULL), struct_position(row(1,NULL),NULL);
-- both refuse
select struct_keys(row(1,2));
select s.* exclude(a) from (values ({'a':1,'b':2})) t(s);
select s.* from (values ({'a':1,'b':2})) t(s);
select s.* exclude(a) from (values ({'a':1,'b':2})) t(s);
select s.* replace (5 as a) from (values ({'a':1,'b':2})) t(s);
select t.* from (values ({'a':1,'b':2})) t(s);
-- both refuse
select z.* from (values ({'a':1,'b':2})) t(s);
SELECT i, map_keys(m), map_values(m), cardinality(m), map_extract(m, 'a'), element_at(m, 'b'), m['a'], map_contains(m, 'b') FROM (VALUES (1, MAP {'a': 1, 'b': NULL}, {'x': 1, 'y': 'p'}), (2, MAP {}, {'x': NULL, 'y': 'q'}), (3, NULL, NULL)) t(i, m, s) ORDER BY i;
SELECT i, map_concat(m, MAP {'a': 9, 'z': i}), map_from_entries([(i, 'v')]) FROM (VALUES (1, MAP {'a': 1, 'b': NULL}, {'x': 1, 'y': 'p'}), (2, MAP {}, {'x': NULL, 'y': 'q'}), (3, NULL, NULL)) t(i, m, s) ORDER BY i;
SELECT i, struct_insert(s, z := i), struct_update(s, x := i), struct_concat(s, {'k': i}), struct_keys(s), struct_values(s) FROM (VALUES (1, MAP {'a': 1, 'b': NULL}, {'x': 1, 'y': 'p'}), (2, MAP {}, {'x': NULL, 'y': 'q'}), (3, NULL, NULL)) t(i, m, s) ORDER BY i;
SELECT m, count(*) FROM (VALUES (1, MAP {'a': 1, 'b': NULL}, {'x': 1, 'y': 'p'}), (2, MAP {}, {'x': NULL, 'y': 'q'}), (3, NULL, NULL)) t(i, m, s) GROUP BY m ORDER BY ALL;
SELECT s.*, i FROM (VALUES (1, MAP {'a': 1, 'b': NULL}, {'x': 1, 'y': 'p'}), (2, MAP {}, {'x': NULL, 'y': 'q'}), (3, NULL, NULL)) t(i, m, s) ORDER BY i;
SELECT i FROM (VALUES (1, MAP {'a': 1, 'b': NULL}, {'x': 1, 'y': 'p'}), (2, MAP {}, {'x': NULL, 'y': 'q'}), (3, NULL, NULL)) t(i, m, s) WHERE s.x = 1 OR m['a'] IS NULL ORDER BY i;
SELECT i, struct_position(row(i, 2), 2), struct_contains(row(i, 5), 5) FROM (VALUES (1, MAP {'a': 1, 'b': NULL}, {'x': 1, 'y': 'p'}), (2, MAP {}, {'x': NULL, 'y': 'q'}), (3, NULL, NULL)) t(i, m, s) ORDER BY i;
SELECT list_any_value([NULL, 3, 1]), list_first([NULL, 2]);
select map_extract(m, k), element_at(m, k), map_extract_value(m, k), m[k] from (values (MAP {'a': 1}, 'a'), (NULL, 'a'), (MAP {'a': 1}, NULL), (NULL, NULL), (MAP {'': 7}, '')) t(m, k);
select map_concat(MAP {'a': 1}, NULL, MAP {'c': 1}), map_concat(MAP {}, MAP {'a': 1}), map_concat(MAP {'a': 1}, MAP {});
-- both refuse
select map_concat(MAP {'a': 1}, MAP {'b': 2::BIGINT});
-- both refuse
select map_concat(MAP {'a': NULL}, MAP {'b': 1});
select map_extract_value(map(['key'], ['val']), 'key') as v, regexp_extract_all('Ab', '(.)a', 1)[1] as w;
SELECT typeof(struct_keys(NULL)), struct_keys(NULL), struct_values(NULL);
-- beside no list, `||` joins the texts
SELECT 'a' || {'x': id}, {'x': id} || {'y': 2}, MAP {1: id} || 'a', MAP {1: 2} || MAP {2: 3}, {'x': id} || NULL, {'x': 1} || id FROM emp;
-- both refuse
SELECT [1] || {'x': 1};
-- both refuse
SELECT [{'x': 1}] || {'x': 1};
-- the fields of a struct as the entries of a map
SELECT s::MAP(VARCHAR, INTEGER), (s::MAP(VARCHAR, INTEGER))['a'], cardinality(s::MAP(VARCHAR, BIGINT)) FROM (VALUES ({'a': 1, 'b': 2}), (NULL), ({'a': NULL, 'b': 5})) v(s);
SELECT {'a': x, 'b': 'z'}::MAP(VARCHAR, VARCHAR), TRY_CAST({'a': x, 'b': 'z'} AS MAP(VARCHAR, INTEGER)), {'1': x, '2': NULL}::MAP(INTEGER, DOUBLE), [{'a': x}, NULL]::MAP(VARCHAR, INTEGER)[], {'s': {'a': x}}::STRUCT(s MAP(VARCHAR, INTEGER)) FROM range(3) t(x);
SELECT s::MAP(VARCHAR, INTEGER) FROM (VALUES ({'a': 1})) v(s) WHERE false;
SELECT TRY_CAST([[1], [2, 3], NULL] AS INTEGER[]), TRY_CAST([1, 2] AS STRUCT(b INTEGER)[]), TRY_CAST(MAP {'a': [1]} AS MAP(VARCHAR, INTEGER)), TRY_CAST({'a': [1]} AS STRUCT(a INTEGER)), TRY_CAST({'a': [1, 2], 'b': 5} AS MAP(VARCHAR, VARCHAR[]));
SELECT TRY_CAST(x AS MAP(INTEGER, VARCHAR)) FROM (VALUES ('{"a": 1, "2": 2}'::JSON), ('{"1": 1, "2": 3}'), (NULL), ('[]'), ('{}')) v(x);
SELECT x::UUID, x::UUID::UHUGEINT FROM (VALUES (5::UHUGEINT), (NULL)) v(x);
-- both refuse
SELECT row(1, 2)::MAP(VARCHAR, INTEGER);
-- both refuse
SELECT TRY_CAST(row(1, 2) AS MAP(VARCHAR, INTEGER));
-- both refuse
SELECT TRY_CAST({'1': 1, 'b': 3} AS MAP(INTEGER, INTEGER));
-- both refuse
SELECT TRY_CAST([{'a': 1}] AS STRUCT(b INTEGER)[]);
-- a field by no name
SELECT array_extract({'a': 1, 'b': 'x'}, 'b'), array_extract({'a': 1}, NULL) IS NULL, array_extract((1, 2), 2), array_extract({'a': 1}, NULL::VARCHAR) IS NULL, array_extract((1, 2), NULL) IS NULL;
-- both refuse
SELECT list_extract({'a': 1}, 'a');
-- both refuse
SELECT array_extract({'a': 1}, 1);
-- structs without fields
SELECT struct_pack();
SELECT {}, typeof({});
SELECT '{}'::STRUCT, NULL::STRUCT, typeof(NULL::STRUCT), ' { } '::STRUCT;
SELECT [struct_pack()], map {'a': struct_pack()}, map([{}], [1]), array_value({}, {}), union_value(a := {}), {'a': {}, 'b': [{}]}, {'a': {}}.a;
SELECT {} = {}, {} < {}, {} <= {}, {} IS NULL, {} IS DISTINCT FROM NULL, {} IN ({}, NULL), {'a': {}} = {'a': {}}, hash({}) = hash({}), nullif({}, {}), greatest({}, {}), greatest({}, NULL), coalesce(NULL, {});
SELECT hash({}), hash({'a': {}}), hash([{}]), hash({'a': 1, 'b': {}}), hash({'b': {}, 'a': 1}), hash([{}, {}]), hash({'a': {}, 'b': {}});
SELECT s, count(*), count(s), count(DISTINCT s), min(s), mode(s), list(s), histogram(s) FROM (VALUES ({}), ({}), (NULL)) t(s) GROUP BY s ORDER BY s;
SELECT count(*), count(s), count(DISTINCT s), min(s), max(s), mode(s), list(s), histogram(s), first(s), any_value(s), arg_min(s, s), approx_count_distinct(s), entropy(s), quantile_disc(s, 0.5), min(s, 1) FROM (VALUES ({}), ({}), (NULL)) t(s);
SELECT a.s, b.s FROM (VALUES ({}), (NULL)) a(s) JOIN (VALUES ({}), ({}), (NULL)) b(s) USING (s);
SELECT a.s FROM (VALUES ({}), (NULL)) a(s) WHERE s IN (SELECT {});
SELECT DISTINCT s FROM (VALUES ({}), ({}), (NULL)) t(s) ORDER BY 1;
SELECT s FROM (VALUES ({}), ({}), (NULL)) t(s) EXCEPT SELECT {} ORDER BY 1;
SELECT s, row_number() OVER (PARTITION BY s), rank() OVER (ORDER BY s), lag(s) OVER (ORDER BY s), first_value(s) OVER (ORDER BY s) FROM (VALUES ({}), ({}), (NULL)) t(s) ORDER BY ALL;
SELECT s::VARCHAR, s::JSON, to_json(s), s::VARIANT, [s]::VARCHAR, json_object('a', s), format('{}', s), s::VARIANT::STRUCT, s::JSON::STRUCT, concat(s, 'x') FROM (VALUES ({}), ({}), (NULL)) t(s);
SELECT TRY_CAST(x AS STRUCT) FROM (VALUES ('{}'), ('{a: 1}'), ('x'), (NULL)) t(x);
SELECT TRY_CAST(x AS STRUCT) FROM (VALUES ('{}'::JSON), ('{"a": 1}'), ('[1]'), (NULL)) t(x);
SELECT TRY_CAST(x AS STRUCT) FROM (VALUES ({}::VARIANT), (1), (NULL)) t(x);
SELECT struct_keys({}), struct_keys(NULL::STRUCT), struct_has({}, 'a'), struct_contains({}, 1), struct_position({}, 1), struct_insert({}, a := 1), struct_update({}, a := 1), struct_concat({}, {}), struct_concat({}, {'a': 1}), typeof(struct_concat({}, {}));
SELECT list_sort([{}, NULL, {}]), list_distinct([{}, {}]), list_contains([{}], {}), list_position([NULL, {}], {}), [{}] || [{}], len([{}, NULL]), list_slice([{}, {}], 1, 1), flatten([[{}], [{}]]), list_aggregate([{}, NULL], 'count'), list_transform([{}], lambda x: x), list_filter([{}, NULL], lambda x: x IS NOT NULL), list_unique([{}, {}]), list_reverse([{}, NULL]), list_zip([{}], [1]), list_resize([{}], 2), list_intersect([{}], [{}]), list_has_any([{}], [{}]);
SELECT unnest([{}, NULL]), map_keys(map([{}], [1])), map_values(map([1], [{}])), map([{}], [1])[{}], map_entries(map([1], [{}])), element_at(map([1], [{}]), 1);
-- tqp refuses
SELECT row();
-- tqp refuses
SELECT struct_values({});
-- both refuse
SELECT {'a': 1}::STRUCT;
-- both refuse
SELECT {}::STRUCT(a INTEGER);
-- both refuse
SELECT {}.a;
-- both refuse
SELECT struct_extract({}, 'a');
-- both refuse
SELECT struct_extract_at({}, 1);
-- both refuse
SELECT unnest({});
-- both refuse
SELECT {} = {'a': 1};
-- both refuse
SELECT [{}, {'a': 1}];
SELECT CASE WHEN i = 1 THEN {} END, i FROM range(3) t(i);
SELECT {}::VARCHAR || 'x', variant_typeof({}::VARIANT), array_value({}, {})::VARCHAR, union_value(a := {})::VARCHAR;
SELECT s FROM (SELECT {} AS s, i FROM range(3) t(i)) WHERE i > 0;
WITH RECURSIVE t(s, i) AS (SELECT {}, 1 UNION SELECT s, i % 3 + 1 FROM t) SELECT * FROM t ORDER BY i;
SELECT s.a FROM (VALUES ({'a': {}}), (NULL)) t(s);
PIVOT (SELECT {} AS s, 1 AS a) ON a USING first(s);
SELECT '{"a":{}}'::JSON->'a', from_json('{"a":{}}', '{"a":"JSON"}');
SELECT * FROM (VALUES ({}, 1)) a(s, i) LEFT JOIN (VALUES (2, {})) b(i, s) USING (i);
SELECT arg_max(s, i), string_agg(s, ','), max(s) OVER () FROM (VALUES ({}, 1)) a(s, i) GROUP BY s;
SELECT list(s ORDER BY s) , sum(i) FROM (VALUES ({}, 1), ({}, 2)) a(s, i) GROUP BY [s];
SELECT unnest([{}]), unnest({'a': {}});
-- both refuse
SELECT unnest({'a': {}}, recursive := true);
-- both refuse
SELECT struct_update({a: 1}, a := 2, A := 3);
-- both refuse
SELECT struct_insert({a: 1}, b := 2, B := 3);
-- no key is NULL, and the map is computed all the same
SELECT m[NULL], map_extract_value(m, NULL) FROM (VALUES (MAP([1, 2], [10, NULL])), (NULL)) t(m);
-- both refuse
SELECT m[NULL] FROM (SELECT MAP([NULL, NULL], [10, 9]) AS m) t;
