-- BIT: casts, order, keys
SELECT '10101'::BIT::BLOB, 'a'::BLOB::BIT, 5::INTEGER::BIT, 5::TINYINT::BIT, (-1)::SMALLINT::BIT, true::BIT, '101'::BIT::INTEGER, 1.5::DOUBLE::BIT, 1.5::FLOAT::BIT, 5::HUGEINT::BIT, typeof('1'::BIT), BIT '101', '101'::BITSTRING, ''::BIT;
SELECT 5::UTINYINT::BIT, '00000101'::BIT::TINYINT, '11111111'::BIT::TINYINT, '11111111'::BIT::UTINYINT, '11111111'::BIT::SMALLINT, '1'::BIT::BOOLEAN, '0'::BIT::BOOLEAN, '101'::BIT::BOOLEAN, '101'::BIT::DOUBLE, '10101'::BIT::HUGEINT, repeat('1', 128)::BIT::HUGEINT, repeat('1', 64)::BIT::BIGINT, 3::UBIGINT::BIT, '10101'::BIT::UHUGEINT, x'05f5'::BLOB::BIT;
SELECT x::BIT, x::SMALLINT::BIT, x::DOUBLE::BIT, x::FLOAT::BIT, x::HUGEINT::BIT, x::BIT::INTEGER = x, x::DOUBLE::BIT::DOUBLE = x, x::BIT::VARCHAR FROM (VALUES (1), (-5), (NULL), (300), (0)) t(x);
SELECT s, TRY_CAST(s AS BIT), TRY_CAST(TRY_CAST(s AS BIT) AS TINYINT) FROM (VALUES ('101'), ('102'), (' 1'), ('000000001'), (NULL), ('11111111')) t(s);
SELECT b FROM (VALUES ('10101'::BIT), ('1'), ('0'), ('00000000'), ('11111111'), ('000000001'), ('01'), (NULL)) t(b) ORDER BY b;
SELECT b, count(*), row_number() OVER (ORDER BY b DESC) FROM (VALUES ('10'::BIT), ('10'), ('1'), (NULL)) t(b) GROUP BY b;
SELECT a.b, c.x FROM (VALUES ('10'::BIT), ('1'), (NULL)) a(b) LEFT JOIN (VALUES ('10'::BIT, 1), ('01', 2)) c(b, x) ON a.b = c.b;
SELECT '10101'::BIT = '10101', '10101'::BIT < '11'::BIT, '101'::BIT < '1010'::BIT, '11111111'::BIT > '0000000001'::BIT, '1'::BIT > '00000000'::BIT, '10101'::BIT BETWEEN '1' AND '11', '1'::BIT IN ('1', '0'), '1'::BIT IS DISTINCT FROM '0'::BIT, greatest('1'::BIT, '0'::BIT), typeof(coalesce('1'::BIT, '101'));
-- BIT: functions and operators
SELECT bit_count('10101'::BIT), bit_length('10101'::BIT), length('10101'::BIT), octet_length('10101'::BIT), get_bit('10101'::BIT, 1), set_bit('10101'::BIT, 1, 1), bit_position('010'::BIT, '110101011'::BIT), bit_position('111'::BIT, '110101011'::BIT), bitstring('1010', 8), bitstring('1010'::BIT, 8), bitstring('1010', 4), bit_count(5), bit_length('abc');
SELECT '10101'::BIT & '10001'::BIT, '10101'::BIT | '10001'::BIT, xor('10101'::BIT, '10001'::BIT), ~'10101'::BIT, '10101'::BIT << 2, '10101'::BIT >> 2, '10101'::BIT << 10, '10101'::BIT >> 0, '10101'::BIT || '111'::BIT, concat('10101'::BIT, 'a');
SELECT b & '111', b | m, ~b, bit_count(b), b << 1, b >> n, b::VARCHAR, length(b), get_bit(b, n), set_bit(b, n, 1), b::INTEGER, b::BLOB, bit_position('1', b), bitstring(b, 6) FROM (VALUES ('101'::BIT, '010'::BIT, 2), ('000', '111', 0), (NULL, '111', 1)) t(b, m, n);
SELECT bit_count(NULL::BIT), get_bit('101'::BIT, NULL), bitstring(NULL, 5), set_bit(NULL, 1, 1);
SELECT ['1'::BIT]::VARCHAR, {'a': '1'::BIT}::VARCHAR, to_json('101'::BIT), '[1,101]'::BIT[]::VARCHAR[], list_sort(['101'::BIT, '1', '0'])::VARCHAR[];
-- BIT: aggregates
SELECT bit_and(b), bit_or(b), bit_xor(b), min(b), max(b), count(DISTINCT b), mode(b), list(b ORDER BY b)::VARCHAR[], first(b ORDER BY b) FROM (VALUES ('10101'::BIT), ('11111'), ('00011'), (NULL)) t(b);
SELECT g, bit_and(b), bit_or(b), bit_xor(b), bitstring_agg(x, 0, 7), bitstring_agg(DISTINCT x, -1, 7), bitstring_agg(x, 0, 10) FILTER (x > 1) FROM (VALUES (1, '10'::BIT, 1), (1, '11', 3), (2, '1', 5), (3, NULL, NULL)) t(g, b, x) GROUP BY g;
SELECT bitstring_agg(x, -3, 3), typeof(bitstring_agg(x, -3, 3)), bitstring_agg(x::HUGEINT, -3, 3) FROM (VALUES (1), (-3)) t(x);
SELECT x, bitstring_agg(x, 0, 10) OVER (ORDER BY x), bit_or(b) OVER (ORDER BY x), first_value(b) OVER (ORDER BY b), lag(b) OVER (ORDER BY x) FROM (VALUES (1, '01'::BIT), (3, '10')) t(x, b);
SELECT bitstring_agg(x, 0, 5), bit_and(x::BIT) FROM (VALUES (1)) t(x) WHERE false;
-- both refuse
SELECT '102'::BIT;
-- both refuse
SELECT '000000001'::BIT::TINYINT;
-- both refuse
SELECT 1.5::DECIMAL(3, 1)::BIT;
-- both refuse
SELECT DATE '2020-01-01'::BIT;
-- both refuse
SELECT ''::BLOB::BIT;
-- both refuse
SELECT bitstring('1010', 3);
-- both refuse
SELECT get_bit('10101'::BIT, 5);
-- both refuse
SELECT set_bit('10101'::BIT, 1, 2);
-- both refuse
SELECT '10101'::BIT & '1000'::BIT;
-- both refuse
SELECT '10101'::BIT << -1;
-- both refuse
SELECT coalesce('1'::BIT, 5);
-- both refuse
SELECT bitstring_agg(x, 2, 10) FROM (VALUES (1), (3)) t(x);
-- both refuse
SELECT bitstring_agg(x) FROM (VALUES (1), (3)) t(x);
-- both refuse
SELECT upper('101'::BIT);
-- both refuse
SELECT sum('1'::BIT);
-- both refuse
SELECT bit_and(b) FROM (VALUES ('10'::BIT), ('1')) t(b);
