-- lists, structs, maps and arrays from text: quotes, NULL, nesting, and what is none
SELECT '[1, 2]'::INTEGER[];
SELECT '[ 1 ,2 ]'::INTEGER[];
SELECT ' [1] '::INTEGER[];
SELECT '[]'::INTEGER[];
SELECT '[ ]'::INTEGER[];
-- both refuse
SELECT '[1,]'::INTEGER[];
-- both refuse
SELECT '[,1]'::INTEGER[];
SELECT '[1 2]'::VARCHAR[];
SELECT '[NULL, null, Null, "NULL", ''NULL'']'::VARCHAR[];
SELECT '[NULL]'::INTEGER[];
SELECT '[a b, "c,d", ''e]'', f\,g, "h\"i", j"k"l]'::VARCHAR[];
SELECT '[ ]'::VARCHAR[];
SELECT '[,]'::VARCHAR[];
SELECT '["",  a  , "  b "]'::VARCHAR[];
SELECT '[[1,2],[3],[],NULL]'::INTEGER[][];
SELECT '[{a:1},{''a'':2}]'::STRUCT(a INTEGER)[];
SELECT '[[a,b],"[c]"]'::VARCHAR[];
SELECT '[(a,b), {x,y}]'::VARCHAR[];
SELECT '{a:1}'::STRUCT(a INTEGER);
SELECT '{"a": 1, ''b'': x}'::STRUCT(a INTEGER, b VARCHAR);
SELECT '{b: 1}'::STRUCT(a INTEGER, b VARCHAR);
-- both refuse
SELECT '{c: 1}'::STRUCT(a INTEGER, b VARCHAR);
-- both refuse
SELECT '{A: 1}'::STRUCT(a INTEGER);
SELECT '{}'::STRUCT(a INTEGER);
SELECT '{a: }'::STRUCT(a VARCHAR);
SELECT '{a: NULL}'::STRUCT(a VARCHAR);
-- both refuse
SELECT '{a: 1, a: 2}'::STRUCT(a INTEGER);
-- both refuse
SELECT '{a: 1,}'::STRUCT(a INTEGER);
SELECT '(1, x)'::STRUCT(a INTEGER, b VARCHAR);
SELECT '(1)'::STRUCT(a INTEGER, b VARCHAR);
-- both refuse
SELECT '{a=1}'::STRUCT(a INTEGER);
SELECT '{a b: 1}'::STRUCT("a b" INTEGER);
SELECT '{a: {b: 1}}'::STRUCT(a STRUCT(b INTEGER));
SELECT '{a: [1,2], b: "q:r"}'::STRUCT(a INTEGER[], b VARCHAR);
SELECT '{a: q:r}'::STRUCT(a VARCHAR);
SELECT '{a=1}'::MAP(VARCHAR, INTEGER);
SELECT '{a=1, b = NULL}'::MAP(VARCHAR, INTEGER);
SELECT '{}'::MAP(VARCHAR, INTEGER);
-- both refuse
SELECT '{NULL=1}'::MAP(VARCHAR, INTEGER);
-- both refuse
SELECT '{a=1,a=2}'::MAP(VARCHAR, INTEGER);
-- both refuse
SELECT '{a:1}'::MAP(VARCHAR, INTEGER);
-- both refuse
SELECT '{"a=b"=1, c\=d=2}'::MAP(VARCHAR, INTEGER);
SELECT '{[1]={x=y}}'::MAP(INTEGER[], MAP(VARCHAR,VARCHAR));
SELECT '{a=b=c}'::MAP(VARCHAR, VARCHAR);
-- both refuse
SELECT 'x'::INTEGER[];
SELECT TRY_CAST('x' AS INTEGER[]);
SELECT TRY_CAST('[x, 1]' AS INTEGER[]);
SELECT TRY_CAST('{a: x}' AS STRUCT(a INTEGER));
SELECT TRY_CAST('{a=x}' AS MAP(VARCHAR,INTEGER));
SELECT TRY_CAST('{x=1}' AS MAP(INTEGER,INTEGER));
-- both refuse
SELECT '[x]'::INTEGER[];
SELECT '[1,2]'::INTEGER[2];
-- both refuse
SELECT '[1,2]'::INTEGER[3];
SELECT TRY_CAST('[1,2]' AS INTEGER[3]);
-- both refuse
SELECT '[1'::INTEGER[];
-- both refuse
SELECT '[1]]'::INTEGER[];
-- both refuse
SELECT '["a]'::VARCHAR[];
-- both refuse
SELECT '[a"]'::VARCHAR[];
SELECT '[''a'' b]'::VARCHAR[];
SELECT '["a""b"]'::VARCHAR[];
SELECT '[a\\b, \n, \"]'::VARCHAR[];
SELECT '["a\\b\n"]'::VARCHAR[];
SELECT '[''it''''s'']'::VARCHAR[];
-- both refuse
SELECT ''::INTEGER[];
SELECT NULL::VARCHAR::INTEGER[];
SELECT '{"a": "x"}'::STRUCT(a VARCHAR);
SELECT '[\ a\ ]'::VARCHAR[];
SELECT '["a",]'::VARCHAR[];
-- both refuse
SELECT '{a:1} x'::STRUCT(a INTEGER);
-- both refuse
SELECT '["NULL"]'::INTEGER[];
SELECT '["1"]'::INTEGER[];
SELECT '["[1,2]"]'::INTEGER[][];
SELECT '[{a: "b"}]'::VARCHAR[];
SELECT '{a: "b" }'::STRUCT(a VARCHAR);
-- both refuse
SELECT '{''a'''': 1}'::STRUCT("a'" INTEGER);
-- both refuse
SELECT '{a:1, b}'::STRUCT(a INTEGER);
-- both refuse
SELECT '{:1}'::STRUCT(a INTEGER);
SELECT '{=1}'::MAP(VARCHAR,INTEGER);
SELECT '{a=}'::MAP(VARCHAR,VARCHAR);
-- both refuse
SELECT '{a=1,}'::MAP(VARCHAR,VARCHAR);
-- both refuse
SELECT '{,}'::MAP(VARCHAR,VARCHAR);
-- both refuse
SELECT '{a}'::MAP(VARCHAR,VARCHAR);
SELECT '[a[1]b]'::VARCHAR[];
-- both refuse
SELECT '[a, (b]'::VARCHAR[];
SELECT '[(1, x)]'::STRUCT(a INTEGER, b VARCHAR)[];
SELECT TRY_CAST('{a=1,a=2}' AS MAP(VARCHAR, INTEGER));
SELECT TRY_CAST('[[x],[1]]' AS INTEGER[][]);
SELECT TRY_CAST('[x,[1]]' AS INTEGER[][]);
SELECT TRY_CAST('{a: x}' AS STRUCT(a INTEGER[]));
SELECT TRY_CAST('{b: x}' AS STRUCT(a INTEGER[]));
SELECT TRY_CAST('{b: x}' AS MAP(INTEGER, INTEGER));
SELECT '[["]"]]'::VARCHAR[];
SELECT '[["a]"]]'::VARCHAR[][];
SELECT '[["a,b]", ''c''], ["\"", "\\"]]'::VARCHAR[][];
SELECT '{''a"b'': 1}'::STRUCT("a""b" INTEGER);
SELECT '{"a\"b": 1}'::STRUCT("a""b" INTEGER);
SELECT '{a\"b: 1}'::STRUCT("a""b" INTEGER);
SELECT '{a[: 1}'::STRUCT("a[" INTEGER);
SELECT '{a\\: 1}'::STRUCT("a\\" INTEGER);
-- both refuse
SELECT '(1,2,3)'::STRUCT(a INTEGER, b INTEGER);
SELECT '(,)'::STRUCT(a VARCHAR, b VARCHAR);
SELECT '()'::STRUCT(a VARCHAR, b VARCHAR);
SELECT '( )'::STRUCT(a VARCHAR, b VARCHAR);
SELECT '(NULL,"NULL")'::STRUCT(a VARCHAR, b VARCHAR);
SELECT '{[a,b]={c: d}}'::MAP(VARCHAR[], STRUCT(c VARCHAR));
SELECT '{ }'::MAP(VARCHAR, INTEGER);
SELECT '{a,b=1}'::MAP(VARCHAR, INTEGER);
-- both refuse
SELECT '{'::MAP(VARCHAR, INTEGER);
-- both refuse
SELECT '['::INTEGER[];
SELECT '[2020-01-01, infinity, NULL]'::DATE[];
SELECT '[2020-01-01 10:00:00]'::TIMESTAMP[];
SELECT '[1.5, 2.25]'::DECIMAL(5,1)[];
SELECT '[true, f]'::BOOLEAN[];
SELECT '[1 day, 2 months]'::INTERVAL[];
SELECT '[\x41, b]'::BLOB[];
SELECT ['[1]', '[2,3]', NULL]::INTEGER[][];
SELECT [1] = '[1]';
SELECT x::INTEGER[] FROM (VALUES ('[1]'), (NULL), ('[]'), ('[1,NULL,3]'), ('[1]')) t(x);
SELECT TRY_CAST(x AS INTEGER[]) FROM (VALUES ('[1]'), (NULL), ('[]'), ('[1,y,3]'), ('z')) t(x);
SELECT x::INTEGER[] FROM (VALUES ('[1]'), (NULL), ('zzz')) t(x) WHERE x <> 'zzz';
SELECT unnest(x::INTEGER[]) FROM (VALUES ('[1, 2]'), (NULL), ('[3]')) t(x);
-- both refuse
SELECT len(x::INTEGER[]), x::INTEGER[][1], (x::INTEGER[])[1] FROM (VALUES ('[1, 2]'), (NULL), ('[3]')) t(x);
SELECT '{a: 1, b: [1, 2]}'::STRUCT(a INTEGER, b INTEGER[]).b;
SELECT ['a', NULL]::VARCHAR::VARCHAR[];
SELECT {'a': 'it''s', 'b': NULL}::VARCHAR::STRUCT(a VARCHAR, b INTEGER);
SELECT MAP{'a b': [1], 'c=d': [2, NULL]}::VARCHAR::MAP(VARCHAR, INTEGER[]);
-- both refuse
SELECT ''::STRUCT(a INTEGER);
SELECT '{a: 1, b: 2}'::STRUCT(a INTEGER, b INTEGER, c DATE);
-- both refuse
SELECT 'x' || '[1]'::INTEGER[];
SELECT list_concat('[1]'::INTEGER[], [2]);
SELECT '[1]'::INTEGER[] || [2];
SELECT NULL::INTEGER[];
SELECT CAST(NULL AS VARCHAR)::STRUCT(a INTEGER);
SELECT '[  a  b  ,	c ]'::VARCHAR[];
SELECT '[é, "ü,ö"]'::VARCHAR[];
SELECT '["\é"]'::VARCHAR[];
SELECT '{a : 1 , b :x y }'::STRUCT(a INTEGER, b VARCHAR);
SELECT '{ "a"b: 1}'::STRUCT("ab" INTEGER);
-- both refuse
SELECT '{null: 1}'::STRUCT("null" INTEGER);
SELECT '["2020-01-01"]'::DATE[];
SELECT '[1]'::INTEGER[]::VARCHAR;
SELECT '[1,2]'::DOUBLE[2];
SELECT TRY_CAST('[1,2,3]' AS DOUBLE[2]);
SELECT '[1,2]'::FLOAT[2] <-> '[1,3]'::FLOAT[2];
SELECT '[ok, sad]'::ENUM('ok','sad')[];
SELECT '[8d8d8d8d-0000-0000-0000-000000000001]'::UUID[];
SELECT '(1,)'::STRUCT(a VARCHAR, b VARCHAR);
SELECT '(,1)'::STRUCT(a VARCHAR, b VARCHAR);
SELECT '(,,)'::STRUCT(a VARCHAR, b VARCHAR, c VARCHAR);
SELECT '(,,)'::STRUCT(a VARCHAR, b VARCHAR, c VARCHAR, d VARCHAR);
SELECT '(1,,3)'::STRUCT(a VARCHAR, b VARCHAR, c VARCHAR, d VARCHAR);
SELECT '(1,2,)'::STRUCT(a VARCHAR, b VARCHAR);
SELECT '{a: ,b: 1}'::STRUCT(a VARCHAR, b VARCHAR);
SELECT TRY_CAST(MAP{'1':1,'01':2} AS MAP(INTEGER,INTEGER));
-- both refuse
SELECT CAST(MAP{'1':1,'01':2} AS MAP(INTEGER,INTEGER));
SELECT TRY_CAST(MAP{'1':1,'x':2} AS MAP(INTEGER,INTEGER));
SELECT '[x["a"]y"z"]'::VARCHAR[];
SELECT '["a"[b"c"]''d'']'::VARCHAR[];
SELECT '[a\\"b, c\\\"d, \\\\]'::VARCHAR[];
SELECT '[{a\"b}]'::VARCHAR[];
SELECT '[{a: ["x\"]"]}]'::STRUCT(a VARCHAR[])[];
SELECT '["{"]'::VARCHAR[];
SELECT '[(a]b)]'::VARCHAR[];
SELECT '[a}b]'::VARCHAR[];
SELECT '[''\\'']'::VARCHAR[];
SELECT '{''a{'': 1}'::STRUCT("a{" INTEGER);
SELECT '[[1], {a: "x"}, ("y")]'::VARCHAR[];
SELECT '{(a,b)=[c, {d=e}], "x"={}}'::MAP(VARCHAR, VARCHAR);
-- both refuse
SELECT '[1,2'::VARCHAR[];
-- both refuse
SELECT '[''a'::VARCHAR[];
SELECT '[[["deep"]]]'::VARCHAR[][][];
SELECT '[[["de\"ep"]]]'::VARCHAR[][][];
-- both refuse
SELECT '["["]'::VARCHAR[][];
SELECT '["[a]"]'::VARCHAR[][];
SELECT '[''[a, "b c"]'']'::VARCHAR[][];
-- nested values as text: quotes around what would be read otherwise
SELECT [TIMESTAMP '2020-01-01']::VARCHAR;
SELECT [TIME '10:00:00', NULL]::VARCHAR;
SELECT [DATE '2020-01-01', '0044-01-01 (BC)'::DATE]::VARCHAR;
SELECT [INTERVAL 1 DAY, INTERVAL '1:00:00']::VARCHAR;
SELECT ['a b'::BLOB, '\x00'::BLOB, 'x,y'::BLOB]::VARCHAR;
SELECT ['8d8d8d8d-0000-0000-0000-000000000001'::UUID]::VARCHAR;
SELECT ['a b', 'c,d']::ENUM('a b','c,d')[]::VARCHAR;
SELECT [[TIMESTAMP '2020-01-01']]::VARCHAR;
SELECT {'a': {'b': TIME '10:00:00'}, 'c': ['x:y']}::VARCHAR;
SELECT MAP{TIMESTAMP '2020-01-01': TIME '10:00:00'}::VARCHAR;
SELECT MAP{'a:b': ['x y'], 'c': [' z']}::VARCHAR;
SELECT [1.5, -2.0]::VARCHAR;
SELECT [true]::VARCHAR;
SELECT (1, TIME '10:00:00')::VARCHAR;
SELECT [TIMESTAMP '2020-01-01']::VARCHAR[];
SELECT array_to_string([TIMESTAMP '2020-01-01'], ',');
SELECT [['a,b'], ['NULL']]::VARCHAR;
SELECT ['{}', '()', '=', ':']::VARCHAR;
SELECT ['it''s', 'a"b', 'c\d', 'e''f\']::VARCHAR;
SELECT {'a b': 1, 'c''d': 2, 'e:f': 3}::VARCHAR;
-- both refuse
SELECT concat([TIMESTAMP '2020-01-01'], 'x');
-- both refuse
SELECT [1, 2] || 'x';
SELECT format('{}', [TIME '10:00:00']);
SELECT [NULL, 'null', '']::VARCHAR;
SELECT ['null'::ENUM('null')]::VARCHAR;
SELECT MAP{'': 1, 'null': 2}::VARCHAR;
SELECT [TIMESTAMP 'infinity']::VARCHAR;
SELECT [1::FLOAT, 1.5::FLOAT]::FLOAT[2]::VARCHAR;
