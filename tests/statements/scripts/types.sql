-- script: an ENUM

CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
-- both refuse
CREATE TYPE mood AS ENUM ('a');
CREATE TYPE IF NOT EXISTS mood AS INTEGER;
CREATE OR REPLACE TYPE mood AS ENUM ('sad', 'ok', 'happy', 'mad');
CREATE OR REPLACE TYPE mood AS ENUM ('sad', 'ok', 'happy');
-- both refuse
CREATE OR REPLACE TYPE IF NOT EXISTS mood AS INTEGER;
SELECT 'sad'::mood, typeof('sad'::mood), CAST('sad' AS mood), try_cast('x' AS MOOD), 'ok'::"Mood", 'ok'::main.mood, 'ok'::memory.main.mood, 'ok'::memory.mood;
-- both refuse
SELECT 'x'::mood;
-- both refuse
SELECT 'sad'::moood;
-- both refuse
SELECT 'sad'::sch.mood;
-- both refuse
SELECT 'sad'::mood(3);
SELECT enum_range(NULL::mood), enum_first(NULL::mood), enum_last(NULL::mood), enum_code('ok'::mood), enum_range_boundary('sad'::mood, 'ok'::mood);
SELECT mood 'happy', MOOD 'ok' < mood 'happy', main.mood 'sad', "mood" 'sad' AS quoted, mood 'sad'::VARCHAR || '!', [mood 'sad'], {'x': mood 'sad'};
SELECT mood[] '[sad, ok]', mood[2] '[sad,ok]';
-- both refuse
SELECT mood 'nobody';
SELECT x, mood 'sad' FROM (VALUES (1)) t(x) WHERE mood 'sad' < 'ok' AND mood 'ok' IN ('ok') AND x::mood IS NULL = false ORDER BY mood 'sad';
SELECT 1 mood;
SELECT mood FROM (SELECT 1 mood);
SELECT CASE WHEN mood 'sad' > 'ok' THEN 1 ELSE 2 END, mood 'ok' BETWEEN 'sad' AND 'happy';
SELECT x::mood, count(*) FROM (VALUES ('sad'), ('happy'), ('sad')) t(x) GROUP BY 1 ORDER BY 1 DESC;
SELECT list_transform(['sad'], lambda x: x::mood), from_json('{"a": "sad"}', '{"a": "mood"}'), '{"a": "ok"}'::JSON::STRUCT(a mood);
-- both refuse
SELECT from_json('{"a": "sad"}', '{"a": "moood"}');
SELECT ['ok']::mood[], ['ok']::mood ARRAY, ['ok', 'sad']::mood ARRAY[2], [['ok']]::mood[1][], CAST(['ok'] AS mood ARRAY), [1]::INTEGER ARRAY, {'a': 'ok'}::STRUCT(a mood), MAP {'ok': 1}::MAP(mood, INTEGER);
-- both refuse
SELECT 1::INTEGER ARRAY;
SET VARIABLE now = mood 'ok';
SELECT getvariable('now'), typeof(getvariable('now'));
DROP TYPE mood;
-- both refuse
SELECT 'sad'::mood;
-- both refuse
DROP TYPE mood;
DROP TYPE IF EXISTS mood;

-- script: an ENUM of what a query finds

CREATE TABLE s(x VARCHAR);
INSERT INTO s VALUES ('b'), ('a'), (NULL), ('b'), ('');
CREATE TYPE e1 AS ENUM (SELECT x FROM s);
SELECT enum_range(NULL::e1), typeof(NULL::e1);
CREATE TYPE e2 AS ENUM (SELECT DISTINCT x FROM s WHERE x IS NOT NULL ORDER BY x DESC);
SELECT enum_range(NULL::e2);
CREATE TYPE e3 AS ENUM (SELECT 2 UNION ALL SELECT 1);
SELECT enum_range(NULL::e3), '2'::e3 < '1'::e3;
CREATE TYPE e4 AS ENUM (VALUES ('z'), ('y'));
CREATE TYPE e5 AS ENUM (FROM s);
CREATE TYPE e6 AS ENUM (WITH a AS (SELECT 'it''s') FROM a);
SELECT enum_range(NULL::e4), enum_range(NULL::e5), typeof(NULL::e6), 'it''s'::e6;
-- both refuse
CREATE TYPE e7 AS ENUM (SELECT x, x FROM s);
-- both refuse
CREATE TYPE e7 AS ENUM (SELECT x FROM nowhere);
-- both refuse
CREATE TYPE e7 AS ENUM ('a', 'a');
-- both refuse
CREATE TYPE e7 AS ENUM (1, 2);
-- both refuse
CREATE TYPE e7 AS ENUM ('a', NULL);
-- both refuse
CREATE TYPE e7 AS ENUM (x);
-- both refuse
CREATE TYPE e7 AS ENUM ('a' || 'b');
-- both refuse
CREATE TYPE e7 AS ENUM;
-- both refuse
CREATE TABLE none(x ENUM());
-- both refuse
SELECT NULL::ENUM();

-- script: ENUM without labels

CREATE TYPE e AS ENUM ();
CREATE TYPE f AS ENUM (SELECT 'x' WHERE false);
CREATE TABLE t(e e, f f);
DESCRIBE t;
SELECT e::VARCHAR, e = 'a', e || 'x', e IN ('a', 'b'), coalesce(e, f), [e] FROM t;
INSERT INTO t VALUES (NULL, NULL);
-- both refuse
INSERT INTO t VALUES ('a', NULL);
SELECT e, e::VARCHAR, e = 'a', e || 'x', e IN ('a', 'b'), [e], enum_code(e), try_cast('a' AS e) FROM t;
SELECT max(e), count(DISTINCT e), list(f) FROM t;
SELECT e, count(*), typeof(e) FROM t GROUP BY e;
SELECT a.e FROM t a JOIN t b USING (e) UNION SELECT f FROM t ORDER BY ALL;
SELECT enum_first(NULL::e), enum_last(NULL::e), enum_range(NULL::e);
-- both refuse
SELECT 'a'::e;
CREATE TYPE g AS ENUM ('a');
SELECT e::g, e::VARCHAR::g FROM t;

-- script: other types

CREATE TYPE age AS INTEGER;
CREATE TYPE money AS DECIMAL(4, 2);
CREATE TYPE name AS VARCHAR(10);
CREATE TYPE moment AS TIMESTAMP WITH TIME ZONE;
CREATE TYPE two AS STRUCT(a INTEGER, b age);
CREATE TYPE either AS UNION(num INTEGER, str VARCHAR);
CREATE TYPE twice AS two;
CREATE TYPE many AS two[];
CREATE TYPE pair AS age[2];
CREATE TYPE dict AS MAP(VARCHAR, two);
CREATE TYPE deep AS STRUCT(a INTEGER, b pair)[];
SELECT 5::age, typeof(5::age), '7'::age + 1, age '8', 1::money, typeof(1::money), typeof(NULL::name), typeof(NULL::moment);
SELECT {'a': 1, 'b': 2}::two, row(1, 2)::two, [row(1, 2)]::many, typeof(NULL::twice), typeof(NULL::many), typeof(NULL::pair), typeof(NULL::dict), typeof(NULL::deep);
SELECT 1::either, typeof('a'::either), union_tag('a'::either), ('a'::either).str;
-- both refuse
SELECT 1::age(3);
-- both refuse
CREATE TYPE other AS nothing;
-- both refuse
CREATE TYPE self AS self[];
-- both refuse
CREATE TYPE integer AS ENUM ('a');
-- both refuse
CREATE TYPE varchar AS INTEGER;
-- both refuse
CREATE TYPE "decimal" AS INTEGER;
-- both refuse
CREATE TYPE x5 AS INTEGER DEFAULT 1;
-- both refuse
CREATE TYPE x5 AS;
-- both refuse
CREATE TYPE x5;
-- both refuse
CREATE TYPE a AS INTEGER, b AS INTEGER;
SELECT database_name, schema_name, type_name, type_size, logical_type, type_category, internal, labels FROM duckdb_types() WHERE NOT internal ORDER BY type_name;

-- script: names that mean something else to others

CREATE TYPE "My Type" AS ENUM ('u');
CREATE TYPE object AS ENUM ('u');
CREATE TYPE "we""ird" AS ENUM ('u');
CREATE TYPE range AS ENUM ('u');
SELECT 'u'::"my type", typeof('u'::"My Type"), "My Type" 'u', main."My Type" 'u', object 'u', 'u'::main.object, 'u'::object, "we""ird" 'u', 'u'::range;
SELECT ['u']::"my type"[], 'u'::"object", ['u']::object[];
CREATE TABLE t(a object, b "My Type"[], c STRUCT(d object));
INSERT INTO t VALUES ('u', ['u'], {'d': 'u'});
DESCRIBE t;
FROM t;

-- script: the types of columns

CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE age AS INTEGER;
CREATE TYPE rec AS STRUCT(a INTEGER, m mood);
CREATE TABLE p(a age, m mood, l mood[], s STRUCT(m mood), k MAP(mood, age), f mood[2]);
DESCRIBE p;
INSERT INTO p VALUES (1, 'sad', ['ok', 'happy'], {'m': 'ok'}, MAP {'sad': 3}, ['ok', 'ok']);
FROM p;
-- both refuse
INSERT INTO p(m) VALUES ('nobody');
SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'p' ORDER BY ordinal_position;
-- both refuse
DROP TYPE mood;
-- both refuse
DROP TYPE age RESTRICT;
-- both refuse
CREATE OR REPLACE TYPE mood AS ENUM ('sad');
CREATE TABLE q(m mood NOT NULL DEFAULT 'ok', k mood DEFAULT 'sad'::mood, j mood DEFAULT mood 'sad', r rec DEFAULT row(1, 'ok'), x INTEGER);
INSERT INTO q(x) VALUES (1);
FROM q;
SELECT column_name, column_default FROM information_schema.columns WHERE table_name = 'q' ORDER BY ordinal_position;
DROP TABLE p;
DROP TYPE age;
-- both refuse
DROP TYPE rec;
DROP TABLE q;
CREATE TABLE made AS SELECT 'sad'::mood AS m, row(1, 'ok')::rec AS r;
-- both refuse
DROP TYPE mood;
DROP TYPE rec;
DROP TYPE mood;
FROM made;

-- script: what uses a type goes with it

CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TYPE rec AS STRUCT(m mood);
CREATE TYPE recs AS rec[];
CREATE TABLE t(r recs);
CREATE TABLE u(x INTEGER);
CREATE VIEW v AS SELECT 'sad'::mood AS m;
-- both refuse
DROP TYPE rec;
DROP TYPE mood CASCADE;
-- both refuse
FROM t;
-- both refuse
SELECT NULL::recs;
-- both refuse
FROM v;
FROM u;
CREATE TYPE mood AS ENUM ('sad', 'x');
FROM v;
CREATE OR REPLACE TYPE mood AS ENUM ('sad', 'y');
FROM v;

-- script: views, macros and prepared statements

CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE VIEW v AS SELECT mood 'sad' AS m, 'ok'::mood AS n;
CREATE MACRO f(x) AS x::mood;
CREATE MACRO g(x mood) AS x;
CREATE MACRO h() AS mood 'ok';
CREATE MACRO tm() AS TABLE SELECT mood 'ok' AS x;
PREPARE p AS SELECT $1::mood, mood 'ok';
FROM v, tm();
SELECT f('sad'), typeof(f('ok')), h(), g('sad'::mood);
EXECUTE p('ok');
-- both refuse
EXECUTE p('nobody');
CREATE OR REPLACE TYPE mood AS ENUM ('ok', 'sad', 'new');
SELECT f('new'), typeof(f('ok')), enum_code(h());
FROM v WHERE n < m;

-- script: temporary types

CREATE TYPE e AS ENUM ('a');
CREATE TEMP TYPE e AS ENUM ('zz');
SELECT enum_range(NULL::e), enum_range(NULL::main.e), enum_range(NULL::temp.e), enum_range(NULL::memory.e);
CREATE TEMP TYPE other AS ENUM ('x');
CREATE TEMP TABLE t(x other);
-- both refuse
DROP TYPE other;
-- both refuse
CREATE TYPE temp.wrong AS INTEGER;
CREATE TYPE memory.main.x1 AS INTEGER;
-- both refuse
CREATE TYPE nowhere.x4 AS INTEGER;
SELECT database_name, type_name, internal FROM duckdb_types() WHERE NOT internal ORDER BY ALL;
DROP TYPE e;
SELECT enum_range(NULL::e);
DROP TYPE main.e;
-- both refuse
SELECT enum_range(NULL::e);

-- script: transactions

CREATE TYPE a AS INTEGER;
BEGIN;
DROP TYPE a;
CREATE TYPE b AS ENUM ('q');
SELECT 'q'::b;
ROLLBACK;
SELECT 3::a;
-- both refuse
SELECT 'q'::b;
BEGIN;
CREATE TYPE c AS ENUM ('q');
CREATE TABLE t(c c);
COMMIT;
SELECT 'q'::c;
-- both refuse
DROP TYPE c;
BEGIN TRANSACTION READ ONLY;
-- both refuse
CREATE TYPE d AS INTEGER;
ROLLBACK;
