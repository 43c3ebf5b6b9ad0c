-- distances
WITH t(a, b) AS (VALUES ('duck', 'luck'), ('kitten', 'sitting'), ('', 'abc'), ('ü', 'u'), ('ca', 'abc'), (NULL, 'x'), ('x', NULL), ('same', 'same'))
SELECT a, b, levenshtein(a, b), editdist3(b, a), damerau_levenshtein(a, b), levenshtein(a, 'duck'), damerau_levenshtein('kitten', b) FROM t;
WITH t(a, b) AS (VALUES ('duck', 'luck'), ('ü', 'ab'), ('a', 'b'), (NULL, 'x'), ('aaaaaaaaab', 'aaaaaaaaac'), ('same', 'same'))
SELECT a, b, hamming(a, b), mismatches(b, a), jaccard(a, b) FROM t WHERE length(a) = length(b) AND a <> '' AND b <> '';
WITH t(a, b) AS (VALUES ('duck', 'duckdb'), ('', ''), ('a', ''), ('ü', 'u'), ('martha', 'marhta'), ('dixon', 'dicksonx'), (NULL, 'x'), ('aaaaaaaaab', 'aaaaaaaaac'))
SELECT a, b, jaro_similarity(a, b), jaro_winkler_similarity(a, b), jaro_similarity(a, b, 0.9), jaro_winkler_similarity(a, b, 0.93), jaro_similarity(a, 'duck', 2.0) FROM t;
SELECT jaro_similarity(a, b, c) FROM (VALUES ('duck', 'duckdb', 0.5), ('duck', 'duckdb', 0.95), ('duck', 'duckdb', NULL)) t(a, b, c);
-- both refuse
SELECT hamming('a', 'ab');
-- both refuse
SELECT hamming('', '');
-- both refuse
SELECT jaccard('', 'a');
-- both refuse
SELECT levenshtein(1, 2);
-- format and printf
SELECT format('{} {}', 'a', 1), format('{1} {0}', 'a', 'b'), format('{{}}'), format('x'), format('{}', NULL), format(NULL, 1), format('{}', 1, 2);
SELECT format('{:d}|{:5}|{:<5}|{:^5}|{:>5}|{:+}|{: }|{:05}|{:*^7}|{:=+6}', 42, 42, 42, 42, 42, 42, 42, 42, 42, 42);
SELECT format('{:x}|{:X}|{:#x}|{:o}|{:#o}|{:b}|{:#B}|{:x}', 255, 255, 255, 8, 8, 5, 5, -255);
SELECT format('{:,}|{:,d}|{:t.}|{:_}|{:,10}|{:,010}|{:,.2f}|{:t.}', 1234567, -1234567, 1234567, 1234567, 12345, 12345, 1234567.891, 1234.5::DOUBLE);
SELECT format('{}|{:f}|{:.2f}|{:e}|{:g}|{:10.3f}|{:E}|{:.3}|{:a}', x, x, x, x, x, x, x, x, x) FROM (VALUES (1.5::DOUBLE), (-0.00001), (1e16), (0), (1234567.5), (NULL)) t(x);
SELECT format('{}|{:>6}|{:<6}|{:f}|{:+}', x, x, x, x, x) FROM (VALUES ('nan'::DOUBLE), ('inf'), ('-inf')) t(x);
SELECT format('{:5}|{:>5}|{:^5}|{:*<5}|{:.2}|{:5.1s}', 'üb', 'b', 'b', 'b', 'abc', 'abc'), format('{} {:6} {:d} {:>6}', true, false, true, true);
SELECT format('{:>{}}', 7, 5), format('{0:>{1}.{2}f}', 1.2345, 8, 2), format('{:.{}f}', 1.2345, 2);
SELECT format('{}', DATE '2020-01-01'), format('{}', INTERVAL 1 DAY), format('{}', 1.50::DECIMAL(5, 2)), format('{}', 0.1::FLOAT), format('{:d}', 170141183460469231731687303715884105727);
SELECT format(f, x) FROM (VALUES ('{:,}', 12345), ('{}', NULL), ('{:x}', 255), (NULL, 1)) t(f, x);
SELECT format('{:,}', sum(x)) FROM (VALUES (123456789), (987654321)) t(x);
SELECT format('{}: {:.1f}', name, salary) FROM emp;
SELECT printf('%d %i %5d|%-5d|%05d %+d % d %x %X %#x %o %c %u', 1, 1, 1, 1, 1, 1, 1, 255, 255, 255, 8, 65, 7), printf('%%');
SELECT printf('%s|%10s|%-10s|%.2s', 'a', 'b', 'c', 'def'), printf('%f %.2f %e %g %10.3f %E %a', 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5);
SELECT printf('%2$s %1$s', 'a', 'b'), printf('%*d|%.*f', 5, 3, 2, 1.2345), printf('%*d|', -5, 3), printf('%ld %lld %hd', 1, 2, 3), printf('%.3d', 5);
SELECT printf('%,d|%,10d|%''d|%_d|%,.2f', 1234567, 12345, 12345, 12345, 12345.678), printf('%s %d %s', true, true, DATE '2020-01-01');
SELECT printf('%x|%o|%u', -1, -1, -1), printf('%x', (-1)::HUGEINT), printf('%5s|', 'ü'), printf('%8f|%-8.1f|', 'nan'::DOUBLE, 1.5);
SELECT printf('%s has %d', name, id) FROM emp;
SELECT format('{:>4}|{:.1f}|{{}}|{:d}|{}|{}', dept, score, id, active, name), printf('%2$-6s|%1$5.2f|%2$s', score, name) FROM emp;
SELECT format('{}|{:f}', x, x), printf('%s|%x', y, z) FROM (VALUES (0.0::DOUBLE, NULL, 1::HUGEINT), (-0.0, 'a', -1), ('nan', 'b', 170141183460469231731687303715884105727)) t(x, y, z);
SELECT printf('%hd %s', x, y) FROM (VALUES (1, 'a'), (99999, NULL), (2, 'b')) t(x, y);
-- both refuse
SELECT format('{:x}|{}', name, id) FROM emp;
-- both refuse
SELECT format('{} {}', 1);
-- both refuse
SELECT format('{0} {}', 'a', 'b');
-- both refuse
SELECT format('{');
-- both refuse
SELECT format('}');
-- both refuse
SELECT format('{:d}', 'a');
-- both refuse
SELECT format('{:s}', 1);
-- both refuse
SELECT format('{:d}', 1.5);
-- both refuse
SELECT format('{:.3d}', 5);
-- both refuse
SELECT format(1);
-- both refuse
SELECT printf('%d', 'a');
-- both refuse
SELECT printf('%f', 1);
-- both refuse
SELECT printf('%s', 1);
-- both refuse
SELECT printf('%d');
-- sizes, bases and bars
SELECT x, format_bytes(x), formatReadableSize(x), formatReadableDecimalSize(x), pg_size_pretty(x) FROM (VALUES (0::BIGINT), (1), (-1), (999), (1000), (1023), (1024), (1536), (16000), (9223372036854775807), (NULL)) t(x);
SELECT parse_formatted_bytes(x) FROM (VALUES ('16 KiB'), ('16KB'), ('1.5 MB'), ('  1 bytes'), ('1 byte'), ('1.55 kib'), ('5 T'), (NULL)) t(x);
SELECT x, hex(x), bin(x), to_hex(x), to_binary(x) FROM (VALUES (0), (42), (-1), (NULL), (-300)) t(x);
SELECT hex('Aa'), bin('Aa'), hex(''), to_hex('ü'), hex(NULL), hex((-5)::TINYINT), hex(18446744073709551615::UBIGINT), hex((-1)::HUGEINT), bin(255::UTINYINT);
SELECT to_base(42, 16, 5), to_base(0, 2), to_base(35, 36), to_base(35, 2, NULL), to_base(9223372036854775807, 36), to_base(0, 2, 0);
SELECT x, bar(x, 0, 20, 10), bar(x, 20, 0, 10), bar(5, 0, x), bar(x, 0, 20) FROM (VALUES (5.0::DOUBLE), (5.3), (-5), (25), ('nan'), ('inf'), (NULL)) t(x);
-- both refuse
SELECT parse_formatted_bytes('12');
-- both refuse
SELECT parse_formatted_bytes('x');
-- both refuse
SELECT parse_formatted_bytes('-1 KB');
-- both refuse
SELECT parse_formatted_bytes('99999999999 TB');
-- both refuse
SELECT to_base(-1, 2);
-- both refuse
SELECT to_base(35, 37);
-- both refuse
SELECT to_base(35, 2, 100);
-- both refuse
SELECT bar(5, 0, 20, 0.5);
-- both refuse
SELECT bar(5, 0, 20, 2000);
-- both refuse
SELECT hex(true);
-- digests
SELECT md5(name), sha1(name), sha256(name), md5_number_lower(name), md5_number_upper(name) FROM emp;
SELECT sha256('ü'), sha1(''), sha256(NULL);
-- both refuse
SELECT sha1(1);
-- paths
SELECT x, parse_filename(x), parse_filename(x, true), parse_dirname(x), parse_dirpath(x) FROM (VALUES ('path/to/file.tar.gz'), ('/a/b.c'), (''), ('/'), ('//'), ('a/'), ('/a'), ('a\b/c.d'), ('.hidden'), ('a.'), (NULL)) t(x);
SELECT x, s, parse_filename(x, s), parse_dirname(x, s), parse_dirpath(x, s), parse_filename(x, true, s) FROM (VALUES ('a\b/c.d', 'system'), ('a\b/c.d', 'forward_slash'), ('a\b/c.d', 'backslash'), ('a\b/c.d', 'both_slash'), ('a\b/c.d', 'nope'), ('a\b/c.d', NULL), (NULL, 'system')) t(x, s);
SELECT parse_filename(x, y) FROM (VALUES ('a/b.c', true), ('a/b.c', false), ('a/b.c', NULL), (NULL, true)) t(x, y);
SELECT parse_filename('a/b.c', 'true'), parse_filename('a/b.c', 'true', 'system'), parse_filename('a/b.c', NULL), parse_dirname('a/b', NULL);
SELECT path_join('dir', 'sub', 'file'), path_join('a/', 'b'), path_join('', 'b'), path_join('a', ''), path_join('a', NULL, 'b'), path_join('a', '..', 'b'), path_join('a', 'b/'), path_join('../'), path_join('..', '..', 'a'), path_join('/..', 'a'), path_join('', '');
SELECT path_join('s3://x/y', '../c'), path_join('S3://X/y', 'z'), path_join('file:///a', 'b'), path_join('C:\a', 'b'), path_join('//a', 'b'), path_join('a/b/../', 'c/');
-- both refuse
SELECT path_join('a', '/b');
-- both refuse
SELECT path_join('a', 's3://b');
-- characters
SELECT x, strip_accents(x), nfc_normalize(x), length_grapheme(x), left_grapheme(x, 1), left_grapheme(x, -1), right_grapheme(x, 1), right_grapheme(x, -1), substring_grapheme(x, 2), substring_grapheme(x, 1, 1), substring_grapheme(x, -2, 1)
FROM (VALUES ('mühleisen Łódź ø ﬁ'), ('🤦🏼‍♂️🤦🏽‍♀️x'), ('🇦🇧🇨'), ('각힣ᆨ'), ('क्षि'), (''), (NULL), ('plain')) t(x);
SELECT overlay('hello' PLACING 'xyz' FROM 2 FOR 3), overlay('hello' PLACING 'xyz' FROM 2), overlay('hello', 'xyz', -2, 3), overlay('hello', 'xyz', 0), overlay('hello', 'xyz', 10), overlay('hello', 'xyz', 2, -1), overlay('hello', 'xyz', 2, 100), overlay('héllo', 'xyz', 2, 1), overlay('hello', 'xyz', 2, NULL);
SELECT overlay(name, 'x', id, 1) FROM emp;
SELECT url_encode('a b/ü~-_.+é'), url_decode('a%20b+%C3%BC%zz%4'), url_decode('%2520'), url_encode(''), url_encode(NULL);
SELECT hive_partition_component('a b', 'é/%_'), hive_partition_component('p', NULL), hive_partition_component('p', ''),
    hive_partition_component('p', '__HIVE_DEFAULT_PARTITION__'), hive_partition_component(NULL, [1, 2]);
SELECT hive_partition_component('k', v) FROM (VALUES (DATE '2024-01-15'), (NULL)) t(v);
-- both refuse
SELECT url_decode('%FF');
-- both refuse
SELECT overlay('hello' PLACING 'xyz');
-- both refuse
SELECT overlay('hello', 'xyz');
-- LIKE with an ESCAPE
SELECT like_escape(x, p, e), ilike_escape(x, p, e), not_like_escape(x, p, e), not_ilike_escape(x, p, e) FROM (VALUES ('a%c', 'a$%c', '$'), ('a%c', 'A#%c', '#'), ('abc', 'a%%', ''), (NULL, 'a', 'b'), ('x', NULL, '$')) t(x, p, e);
SELECT 'abc' ^@ 'a', 'abc' ^@ name FROM emp;
-- both refuse
SELECT like_escape('a', 'a', 'xx');
-- both refuse
SELECT like_escape('a', 'a');
-- both refuse
SELECT 'abc' LIKE ANY ('x%', 'a%');
-- both refuse
SELECT 'abc' LIKE ALL (SELECT 'a%');
-- parts of texts by subscripts
SELECT 'DuckDB'[2:3], 'DuckDB'[2], 'DuckDB'[-2:], 'DuckDB'[:3], 'DuckDB'[0], 'DuckDB'[100], 'DuckDB'[0:2], 'DuckDB'[-100:2], 'DuckDB'[3:2], 'DuckDB'[:], 'DuckDB'[NULL], 'DuckDB'[NULL:2], 'DuckDB'[2:NULL], 'DuckDB'[-1], 'DuckDB'['2'];
SELECT s[a:b], s[a], s[2:], s[:-2], s[-1], array_extract(s, a), list_extract(s, a), list_element(s, a), array_slice(s, a, b), list_slice(s, a, b) FROM (VALUES ('DuckDB', 1, 2), ('üñ日', -2, -1), ('x', 0, 100), ('abc', NULL, 1), (NULL, 3, -2), ('abc', 3, -2)) t(s, a, b);
SELECT name[1:2], name[-1] FROM emp WHERE name[1] > 'B';
-- both refuse
SELECT 'DuckDB'[1:6:2];
-- both refuse
SELECT 'DuckDB'[2.6];
-- types, names and the session
SELECT typeof('abc'), typeof(1), typeof(NULL), typeof([1, 2]), typeof(1.5), typeof({'a': 1}), typeof(now()), typeof(DATE '2020-01-01'), typeof(MAP {'a': 1}), pg_typeof(1), pg_typeof([1]);
SELECT typeof(sum(id)), typeof(avg(salary)) FROM emp;
SELECT DISTINCT typeof(name), typeof(salary), typeof(hired) FROM emp;
SELECT alias(42 + 1), alias('a'), alias(id) FROM emp WHERE id = 1;
SELECT alias(1) AS x;
SELECT can_cast_implicitly(1::INTEGER, 1::BIGINT), can_cast_implicitly(1::BIGINT, NULL::INTEGER), can_cast_implicitly('a', 1), can_cast_implicitly(1, 'a'), can_cast_implicitly(NULL, 1), can_cast_implicitly(1::INTEGER, 1.5::DECIMAL(4, 1)), can_cast_implicitly(1.5::DOUBLE, 1.5::FLOAT), can_cast_implicitly(DATE '2020-01-01', TIMESTAMP '2020-01-01'), can_cast_implicitly(true, 1), can_cast_implicitly(1::UINTEGER, 1::BIGINT);
SELECT current_database(), current_catalog(), current_catalog, current_schema(), current_schema, current_user, current_user(), user, user(), session_user, current_role;
SELECT version();
SELECT user, current_role FROM (VALUES (1, 2)) t(user, current_role);
-- both refuse
SELECT typeof(1, 2);
-- what tools for Postgres ask
SELECT has_any_column_privilege('t', 'x'), has_database_privilege('t', 'x'), has_foreign_data_wrapper_privilege('t', 'x'), has_function_privilege('t', 'x'), has_language_privilege('t', 'x'), has_schema_privilege('t', 'x');
SELECT has_sequence_privilege('u', 't', 'x'), has_server_privilege('u', 't', 'x'), has_table_privilege(nothing, 't', 'x'), has_tablespace_privilege('u', 't', 'x'), has_column_privilege('t', 'c', 'x'), has_column_privilege('u', 't', 'c', 'x'), pg_has_role('u', 'x');
SELECT id FROM emp WHERE has_table_privilege(name, 'SELECT') AND pg_table_is_visible(id) ORDER BY id;
SELECT pg_collation_is_visible(1), pg_conversion_is_visible(1), pg_function_is_visible(1), pg_opclass_is_visible(1), pg_operator_is_visible(1), pg_opfamily_is_visible(1), pg_type_is_visible(NULL);
SELECT pg_ts_config_is_visible(1), pg_ts_dict_is_visible(1), pg_ts_parser_is_visible(1), pg_ts_template_is_visible(1), pg_is_other_temp_schema(1), pg_my_temp_schema(), typeof(pg_my_temp_schema());
SELECT col_description(1, 2), obj_description(1, 'x'), shobj_description(1, 'x'), inet_client_addr(), inet_client_port(), inet_server_addr(), inet_server_port();
SELECT pg_catalog.pg_table_is_visible(1), system.pg_catalog.pg_typeof(1), pg_catalog.current_schema(), main.has_table_privilege('t', 'x'), system.main.abs(-1);
-- both refuse
SELECT pg_catalog.abs(-1);
-- both refuse
SELECT has_table_privilege('t');
-- both refuse
SELECT pg_type_is_visible();
-- what fails, and what does not
SELECT id, CASE WHEN id > 0 THEN id ELSE error('negative') END, coalesce(id, error('none')), assert_true(id > 0), assert_true(true, 'x'), error(NULL) FROM emp;
SELECT error('x') FROM emp WHERE id > 1000;
SELECT constant_or_null(42, boss), constant_or_null('a', 1, boss), constant_or_null(42, NULL), constant_or_null(NULL, 1) FROM emp;
SELECT TRY('a'::INT), TRY(1), TRY(1 / 0), TRY(1 % 0), TRY(127::TINYINT + 1::TINYINT);
SELECT a, TRY(a::INT + 1), TRY(a::DATE) FROM (VALUES ('1'), ('x'), (NULL), ('7'), ('2020-01-01')) t(a);
SELECT a, TRY(coalesce(a::INT, 0)) FROM (VALUES ('1'), ('x'), (NULL), ('7'), ('2020-01-01')) t(a);
SELECT a, coalesce(TRY(a::INT), -1) FROM (VALUES ('1'), ('x'), (NULL), ('7'), ('2020-01-01')) t(a);
SELECT a, TRY((a || b)::INT), TRY(((1 // b) * 100)::TINYINT), TRY(CASE WHEN b > 1 THEN a END::INT) FROM (VALUES ('1', 0), ('x', 1), (NULL, 2), ('7', 3), ('9', NULL)) t(a, b);
SELECT a, TRY(10 % a), TRY(10 % a) IS NULL, TRY(chr(a)), TRY(a::TINYINT * 100::TINYINT), TRY(10 // a + TRY(10 % (a - 1))) FROM (VALUES (65), (0), (1), (-5), (NULL), (2), (0)) t(a);
SELECT a FROM (VALUES (1), (0), (3), (NULL)) t(a) WHERE TRY(10 % a) > 0;
SELECT sum(TRY(a::INT)), count(TRY(a::INT)) FROM (VALUES ('1'), ('x')) t(a);
-- both refuse
SELECT error('x');
-- both refuse
SELECT assert_true(id > 1) FROM emp;
-- both refuse
SELECT assert_true(NULL);
-- both refuse
SELECT CASE WHEN id > 1 THEN id ELSE error('one') END FROM emp;
-- both refuse
SELECT constant_or_null(id, boss) FROM emp;
-- both refuse
SELECT TRY(error('x'));
-- both refuse
SELECT TRY((SELECT 1));
-- both refuse
SELECT TRY(sum(id)) FROM emp;
-- hashes
SELECT hash(1), hash('a'), hash(NULL), hash(1, 2), hash(1::BIGINT), hash(1::DOUBLE), hash(-0.0::DOUBLE), hash('nan'::DOUBLE), hash(1::FLOAT), hash('nan'::FLOAT), hash('abcdefghijklmnop'), hash(DATE '1970-01-02'), hash(-1), hash((-1)::TINYINT), hash((-1)::HUGEINT), hash(170141183460469231731687303715884105727::HUGEINT), hash(true), hash(''), hash(1.0), hash(-1.5::DECIMAL(4, 1)), hash(-1.5::DECIMAL(18, 1)), hash(1.5::DECIMAL(38, 1)), hash('a', 'b'), hash(NULL, 2), hash(TIME '00:00:01'), hash(TIMESTAMP '1970-01-01 00:00:01'), hash(INTERVAL 1 DAY), hash(INTERVAL '-1 month 2 days 3 seconds'), hash(INTERVAL '1 month -40 days 25 hours'), hash(18446744073709551615::UBIGINT), hash(4294967295::UINTEGER), hash('\xAA'::BLOB);
SELECT id, hash(id), hash(name), hash(salary), hash(score), hash(active), hash(hired), hash(id, name, dept) FROM emp;
SELECT hash(name) % 4 AS part, count(*) FROM emp GROUP BY part ORDER BY part;
-- both refuse
SELECT hash();
-- lists of parts
SELECT s, p, string_split(s, p), split(s, '-'), str_split(s, ''), string_to_array(s, '--') FROM (VALUES ('a-b', '-'), (NULL, '-'), ('a--b-', NULL), ('üb', ''), ('', ''), (NULL, NULL), ('aaa', 'aa')) t(s, p);
SELECT string_split('a-b', '-'), string_split(NULL, '-'), string_split('a', NULL), string_split('', '-');
SELECT len(string_split(name, 'a')), string_split(name, 'a')[1], list_sort(string_split(name, 'a')) FROM emp;
SELECT string_split(w, 'a') AS parts, count(*) FROM m GROUP BY parts ORDER BY parts;
SELECT s, p, string_split_regex(s, p), str_split_regex(s, '[,;]'), regexp_split_to_array(s, '\s+') FROM (VALUES ('a,b;c', ','), (NULL, 'a'), ('', 'x'), ('x y  z', 'y'), ('abc', NULL)) t(s, p);
SELECT string_split_regex('hello world; 42', ';? '), string_split_regex('üñ', ''), string_split_regex('AxB', 'X', 'i'), string_split_regex('aab', '^a'), string_split_regex('ab ab', '\bab'), string_split_regex('aab', 'a$|b');
SELECT s, p, regexp_extract_all(s, p), regexp_extract_all(s, '([a-z])([a-z])', 2), regexp_extract_all(s, '[a-z]+', 0, 'i') FROM (VALUES ('ab cd', '[ac]'), (NULL, 'x'), ('', 'a'), ('12', '[0-9]'), ('aa', NULL)) t(s, p);
SELECT regexp_extract_all('Peter: 33, Paul:14', '(\w+):\s*(\d+)', 2), regexp_extract_all('abc', 'x'), regexp_extract_all('aaa', '^a'), regexp_extract_all('a(b', '\('), regexp_extract_all('ab ac', '(a)(b|c)', 2), regexp_extract_all('xaby', '(?i)(A)b+', 1), regexp_extract_all(chr(57344) || 'a' || chr(57345), '.'), regexp_extract_all('abc', '(b)', NULL);
SELECT regexp_extract('2023-04-15', '(\d+)-(\d+)-(\d+)', ['y', 'm', 'd']), regexp_extract('x', '(\d+)-(\d+)', ['y', 'm']), regexp_extract(NULL, '(\d+)', ['y']);
SELECT regexp_extract(s, '([A-Z]+)(\d+)', ['letters', 'digits'], 'i') FROM (VALUES ('ab1'), (NULL), ('zz')) t(s);
SELECT s, p, parse_path(s), parse_path(s, p) FROM (VALUES ('path/to/file.csv', 'system'), ('/path//to/', NULL), (NULL, NULL), ('', 'system'), ('a\b/c', 'backslash'), ('\a\b', 'both_slash'), ('/', 'forward_slash')) t(s, p);
-- both refuse
SELECT regexp_extract_all('abc', '(b)', 5);
-- both refuse
SELECT regexp_extract('12', '(\d+)', ['y', 'z']);
-- both refuse
SELECT string_split(1, 2);
-- both refuse
SELECT string_split_regex('a b', '(');
SELECT current_query(), 1;
SELECT current_query(), 2;
SELECT length(current_query()), current_schemas(true), current_schemas(false), current_schemas(NULL) FROM emp;
-- both refuse
SELECT current_query(1);
-- both refuse
SELECT current_schemas(1);
-- both refuse
SELECT current_schemas(id > 1) FROM emp;

-- one piece of a text that is divided
SELECT s, string_split(s, ',')[1], string_split(s, ',')[2], string_split(s, ',')[-1], string_split(s, ',')[0], string_split(s, ',')[9], string_split(s, ',')[-9] FROM (VALUES ('a,b,c'), (NULL), (''), (','), (',,'), ('é,ü'), ('none')) t(s);
SELECT s, str_split(s, 'aa')[1], split(s, 'aa')[2], string_to_array(s, 'aa')[-2], list_extract(string_split(s, 'é'), 2) FROM (VALUES ('aaa'), ('aaaa'), ('baab'), ('xéyé'), (NULL)) t(s);
SELECT s, string_split(s, '')[1], string_split(s, '')[-1], string_split(s, NULL)[1], string_split(s, ',')[NULL::BIGINT] FROM (VALUES ('ab'), (''), (NULL)) t(s);
SELECT s, p, k, string_split(s, p)[k], string_split(s, '-')[k] FROM (VALUES ('a-b', '-', 2), ('a-b', NULL, 1), ('a,b', ',', -1), (NULL, '-', 1), ('a', '', 0), ('a-b', '-', NULL)) t(s, p, k);
SELECT string_split('a-b-c', '-')[2], string_split(NULL, '-')[1], string_split('a-b', '-')[5];
SELECT string_split(name, 'a')[2] AS x, count(*) FROM emp GROUP BY x ORDER BY x;
SELECT count(*) FROM emp WHERE string_split(name, 'a')[2] IS NULL;
-- the length of a type is a number
SELECT 'abc'::VARCHAR(2), 'abc'::CHAR(1), CAST('abc' AS TEXT(1));
-- both refuse
SELECT 'a'::VARCHAR('x'::DATE);
-- places and lengths beyond those of texts
SELECT substring(w, 4294967295), substring(w, -4294967295), substring(w, 1, 4294967295), left(w, -5000000000), right(w, 5000000000), right(w, -5000000000) FROM m;
SELECT left(v, 5000000000), substring(v, 5000000000), substring(v, k, 5000000000), v[5000000000] FROM empty;
-- both refuse
SELECT substring(w, 4294967296) FROM m;
-- both refuse
SELECT substring(w, k - 5000000000) FROM m;
-- both refuse
SELECT substring(w, 1, 4294967296) FROM m;
-- both refuse
SELECT substring(w, k, -4294967297) FROM m;
-- both refuse
SELECT substring_grapheme(w, 5000000000) FROM m;
-- both refuse
SELECT left(w, k + 5000000000) FROM m;
-- both refuse
SELECT left_grapheme(w, 5000000000) FROM m;
-- both refuse
SELECT w[5000000000] FROM m;
-- both refuse
SELECT array_extract(w, -5000000000) FROM m;
-- characters differ, not bytes
SELECT a, b, levenshtein(a, b), damerau_levenshtein(a, b), editdist3(a, b), jaro_similarity(a, b), jaro_winkler_similarity(a, b), jaro_winkler_similarity(a, b, 0.8) FROM (VALUES ('ä', 'a'), ('äö', 'a'), ('日本語', '日本'), ('日本語', '本日語'), ('naïve', 'naive'), ('', 'é'), ('', ''), ('🦆a', '🦆b'), ('duckdb', 'ddückb'), (NULL, 'ä'), ('abcdefghijklmnopqrstuvwxyz', 'zyxwvutsrqponmlkjihgfedcbaä'), ('e' || chr(769), 'é')) v(a, b);
SELECT a, b, jaccard(a, b) FROM (VALUES ('ä', 'a'), ('äö', 'aä'), ('日本語', '日本'), ('naïve', 'naive'), ('aaa', 'aaaä'), ('äää', 'ä'), ('duckdb', 'ddückb'), (NULL, 'ä')) v(a, b);
SELECT a, b, hamming(a, b), mismatches(a, b) FROM (VALUES ('ä', 'a'), ('日本語', '本日語'), ('naïve', 'naive'), ('🦆a', '🦆b'), (NULL, 'ä')) v(a, b);
-- both refuse
SELECT hamming('ä', 'ab');
-- both refuse
SELECT jaccard('', 'ä');
-- a point without digits is a precision of 0
SELECT printf('%.f', 12345.6), printf('%.e', 12345.6), printf('%,.f', 1234567.5), printf('%.s|', 'abc'), printf('%.d', 0), printf('%.d', 5), printf('%8.f|', 2.5), printf('%.x', 255), printf('%-8.f|', 2.5), printf('%c', 65);
-- all matches as structs, with a name for each of the first groups
SELECT regexp_extract_all(s, '([a-z])([0-9])', ['x', 'y']), regexp_extract_all(s, '([a-z])([0-9])', ['x'], 'i'), regexp_extract_all(s, '([a-z])([0-9])', ['x', 'y'])[1].y FROM (VALUES ('a1b2'), (''), (NULL), ('zz'), ('A1')) v(s);
-- both refuse
SELECT regexp_extract_all('a1', '([a-z])([0-9])', ['x', 'y', 'z']);
-- texts between dollars whose tag is no plain word
SELECT $🦆$du ck$🦆$, length($ü$x　x$ü$), $🦆a1$ b $🦆a1$;
SELECT "position"('abc', 'b') AS a, "position"('b', 'abc') AS b, position('b' IN 'abc') AS c;
SELECT "Position"(x, y) FROM (VALUES ('abc', 'c'), ('c', 'abc'), (NULL, 'c')) AS t(x, y);
SELECT repeat(NULL, 3), repeat(NULL, NULL), typeof(repeat(NULL, 3)), typeof(repeat('a', NULL)), typeof(repeat(NULL::VARCHAR, 2));
