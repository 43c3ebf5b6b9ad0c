-- stored, compared, grouped, joined
SELECT * FROM raw;
SELECT b, count(*) FROM raw GROUP BY b ORDER BY b;
SELECT id FROM raw ORDER BY b DESC NULLS LAST, id;
SELECT min(b), max(b), count(b), count(DISTINCT b), min(c), max(c) FROM raw;
SELECT c, min(b), max(b), any_value(c) FROM raw GROUP BY c ORDER BY c;
SELECT arg_min(b, id), arg_max(id, b) FROM raw;
SELECT l.id, r.id FROM raw l JOIN raw r ON l.b = r.b;
SELECT l.id, r.id FROM raw l LEFT JOIN raw r ON l.b = r.c;
SELECT id FROM raw WHERE b = 'abc';
SELECT id FROM raw WHERE b > '\x00' AND b <= 'z';
SELECT id FROM raw WHERE b BETWEEN 'a' AND x'FF00';
SELECT id FROM raw WHERE b IN ('abc', '\xFF\x00', 'no');
SELECT id FROM raw WHERE b NOT IN ('abc', '\xFF\x00');
SELECT id FROM raw WHERE b IN (SELECT c FROM raw);
SELECT id, b < c, b = c, b IS DISTINCT FROM c, b IS NULL FROM raw;
SELECT b FROM raw UNION SELECT c FROM raw;
SELECT b FROM raw INTERSECT SELECT 'abc'::BLOB;
SELECT b FROM raw EXCEPT SELECT c FROM raw;
SELECT DISTINCT b, c FROM raw;
SELECT id, first_value(b) OVER w, lag(b) OVER w, max(b) OVER w, rank() OVER (ORDER BY b) FROM raw WINDOW w AS (ORDER BY id);
SELECT id, row_number() OVER (PARTITION BY b ORDER BY id) FROM raw;
SELECT coalesce(b, 'q'), nullif(b, 'abc'), CASE WHEN id = 1 THEN b ELSE 'k' END, greatest(b, 'b'), least(b, c, 'b'::BLOB) FROM raw;
SELECT b, sum(n) FROM raw WHERE n < 1000 GROUP BY ROLLUP (b) ORDER BY b, 2;
SELECT id, (SELECT max(r.b) FROM raw r WHERE r.c = raw.c) FROM raw;
SELECT * FROM (VALUES ('a'::BLOB, 1), ('\x00', 2)) v (x, y) ORDER BY x;
-- written, cast
SELECT x'00fF', X'' AS nothing, blob 'ab', 'a\x41b'::BLOB, 'ab'::BYTEA, 'ab'::VARBINARY, CAST('ab' AS BINARY);
SELECT x'aB', X'0a' || x'ff';
SELECT x'41'::VARCHAR, '\xAB'::BLOB::VARCHAR::BLOB = x'AB', NULL::BLOB;
SELECT id, b::VARCHAR, TRY_CAST(s AS BLOB) FROM raw;
SELECT s::BLOB FROM raw WHERE id < 7;
SELECT TRY_CAST(n AS BLOB), TRY_CAST(b AS INTEGER), TRY_CAST('\x' AS BLOB) FROM raw;
-- both refuse
SELECT s::BLOB FROM raw;
-- both refuse
SELECT 1::BLOB;
-- both refuse
SELECT b::INTEGER FROM raw;
-- both refuse
SELECT '\xZZ'::BLOB;
-- both refuse
SELECT x'ABC';
-- both refuse
SELECT b = 1 FROM raw;
-- both refuse
SELECT b FROM raw WHERE b = s;
-- both refuse
SELECT coalesce(b, s) FROM raw;
-- functions
SELECT id, encode(s), decode(encode(s)), octet_length(b), octet_length(c) FROM raw;
SELECT id, decode(b, 'replace') FROM raw;
SELECT decode(b) FROM raw WHERE id IN (1, 4, 6, 8);
SELECT decode('\xFF\xFE'::BLOB, 'replace'), decode('\xED\xA0\x80'::BLOB, 'replace'), decode('\xC0\x80'::BLOB, 'replace');
SELECT id, md5(b), sha1(b), sha256(b), md5(s), sha1(s), sha256(s) FROM raw;
SELECT id, to_base64(b), base64(c), from_base64(to_base64(b)) FROM raw;
SELECT from_base64('YWJj'), from_base64('YQ=='), from_base64(''), to_base64('abc');
SELECT id, b || b, b || 'd', b || s, repeat(b, 2), repeat(b, id), repeat(s, id), repeat('ab'::BLOB, -1) FROM raw;
SELECT id, concat(b, 'x'), concat_ws('-', b, s) FROM raw;
SELECT id, hex(b), hex(s), bin(b::VARCHAR), unhex(hex(b)) = b FROM raw;
SELECT id, hex(n), hex(u), hex(n::HUGEINT), hex(id::TINYINT), bin(n), bin(u), bin(n::HUGEINT), to_hex(n), to_binary(id) FROM raw;
SELECT unhex('6'), unhex(''), from_hex('aBc'), unbin('101'), from_binary('101010101'), unbin('');
SELECT hex(0), hex(255), hex(-1), hex(18446744073709551615), hex(170141183460469231731687303715884105727), bin(0), hex(''), hex(NULL);
SELECT to_base(id, 2), to_base(id, 36, 5), to_base(u::BIGINT, 7), to_base(id * 1000, 7, id) FROM raw WHERE id < 6;
SELECT to_base(0, 2), to_base(10, 2, 64), to_base(9223372036854775807, 2), to_base('35', 36), to_base(NULL, 2);
-- both refuse
SELECT decode(b) FROM raw;
-- both refuse
SELECT decode(b, 'what') FROM raw;
-- both refuse
SELECT unhex('zz');
-- both refuse
SELECT unhex(s) FROM raw;
-- both refuse
SELECT unbin('2');
-- both refuse
SELECT from_base64('!!!!');
-- both refuse
SELECT from_base64('YWJ');
-- both refuse
SELECT to_base(-1, 2);
-- both refuse
SELECT to_base(10, 1);
-- both refuse
SELECT to_base(10, 37);
-- both refuse
SELECT to_base(10, 2, 65);
-- both refuse
SELECT hex(1.5);
-- both refuse
SELECT md5(1);
-- both refuse
SELECT length(b) FROM raw;
-- both refuse
SELECT upper(b) FROM raw;
-- both refuse
SELECT b LIKE 'a%' FROM raw;
-- both refuse
SELECT encode(b) FROM raw;
-- both refuse
SELECT encode(s, 'latin1') FROM raw;
-- both refuse
SELECT sha256(s, 'x') FROM raw;
-- both refuse
SELECT octet_length(s) FROM raw;
-- both refuse
SELECT b + 1 FROM raw;
-- both refuse
SELECT from_base64('YW=j');
-- floats are rounded; a sign stands before the digits
SELECT x, hex(x), bin(x), to_hex(x::FLOAT), to_binary(x) FROM (VALUES (0.5::DOUBLE), (1.5), (2.5), (-2.6), (-0.4), (255), (-4096), (1e20), (NULL)) t(x);
SELECT hex(1e300), hex(-1e38::FLOAT), bin(1.5::FLOAT);
-- both refuse
SELECT hex('inf'::DOUBLE);
-- both refuse
SELECT bin(1.5);
