-- NULL logic
SELECT active, NOT active, active AND NULL, active OR NULL, active AND true, active OR false FROM emp;
SELECT k, v, k = v, k <> v, k < v, k IS NULL, v IS NOT NULL FROM n;
SELECT k, k IS DISTINCT FROM 1, k IS NOT DISTINCT FROM NULL FROM n;
SELECT id FROM emp WHERE salary > 1000 AND NOT active;
SELECT id FROM emp WHERE NOT (salary > 1000 OR active);
SELECT id FROM emp WHERE active;
SELECT id FROM emp WHERE active IS NULL OR active = false;
SELECT id FROM emp WHERE NULL;
SELECT k FROM n WHERE k IN (1, 3, NULL);
SELECT k FROM n WHERE k NOT IN (1, 3);
SELECT k FROM n WHERE k NOT IN (1, NULL);
SELECT id FROM emp WHERE salary BETWEEN 0 AND 4000;
SELECT id FROM emp WHERE salary NOT BETWEEN 0 AND 4000;
SELECT id FROM emp WHERE name BETWEEN 'B' AND 'a';
-- case and friends
SELECT id, CASE WHEN salary > 4000 THEN 'high' WHEN salary > 0 THEN 'low' END FROM emp;
SELECT id, CASE dept WHEN 10 THEN 'ten' WHEN 20 THEN 'twenty' ELSE 'other' END FROM emp;
SELECT id, CASE WHEN active THEN salary ELSE 0 END FROM emp;
SELECT id, CASE WHEN active THEN id ELSE score END FROM emp;
SELECT id, CASE WHEN id = 1 THEN NULL ELSE name END FROM emp;
SELECT coalesce(name, 'none'), coalesce(salary, 0), coalesce(dept, boss, -1) FROM emp;
SELECT nullif(dept, 10), nullif(name, 'Ada') FROM emp;
SELECT greatest(id, dept), least(id, dept), greatest(id, boss, 3) FROM emp;
SELECT if(salary > 0, 'plus', 'minus') FROM emp;
SELECT ifnull(city, 'unknown') FROM dept;
-- arithmetic
SELECT id + 1, id - 10, id * id, id / 3, id // 3, id % 3, -id FROM emp;
SELECT -7 // 2, -7 % 2, 7 // -2, 7 % -2, 7.5 % 2, -7 / 2;
SELECT salary + 1, salary - 0.5, salary * 2, salary * salary, salary / 3 FROM emp;
SELECT salary * 1.05, salary * (1 - 0.1), salary * id FROM emp;
SELECT score + 1, score * 2, score / 0, score - score FROM emp;
SELECT id / 0, salary / 0, id % nullif(0, 0), id // nullif(0, 0) FROM emp;
SELECT abs(salary), abs(score), abs(-id) FROM emp;
SELECT round(salary, 1), round(salary), round(score), floor(score), ceil(score) FROM emp;
SELECT round(y, 0), floor(y), ceil(y) FROM big;
SELECT sqrt(abs(id)), power(id, 2), exp(0), ln(id), log10(id) FROM emp;
SELECT sign(salary), sign(id - 4) FROM emp;
SELECT x + x, x - 1, -x FROM big WHERE id <> 1 AND id <> 2;
SELECT y * 3, y + y, y * y FROM big WHERE id IN (3, 6);
SELECT y * 1000::DECIMAL(10, 0) FROM big WHERE id IN (3, 6);
SELECT z::HUGEINT * 4, z::HUGEINT + z FROM big;
SELECT x > 0, x = 0.0001, y >= 2.5, x < y FROM big;
SELECT 1 + 1, 1.5 + 1, 1.5 * 1.5, 1 / 3, 1e3 + 1, 0.1 + 0.2;
SELECT 9223372036854775807, 9223372036854775808, 12345678901234567890.12345;
SELECT 99999999999999999999999999999999999999::HUGEINT;
-- both refuse
SELECT z + z + z FROM big;
-- both refuse
SELECT id::TINYINT * 100::TINYINT FROM emp;
-- both refuse
SELECT x * x FROM big;
-- both refuse
SELECT id % 0 FROM emp;
-- both refuse
SELECT id // 0 FROM emp;
-- both refuse
SELECT y * 1000::DECIMAL(10, 0) FROM big;
-- text
SELECT repeat(w, 2) FROM m;
SELECT name, upper(name), lower(name), length(name) FROM emp;
SELECT title, upper(title), lower(title), length(title), reverse(title) FROM dept;
SELECT name || '!' || emp.id, concat(name, '-', city) FROM emp LEFT JOIN dept ON emp.dept = dept.id;
SELECT substring(title, 2, 3), substring(title FROM 3), left(title, 2), right(title, 2) FROM dept;
SELECT trim('  x '), ltrim('  x '), rtrim('  x '), replace('banana', 'an', 'AN');
SELECT title, strpos(title, 'e'), position('s' IN title) FROM dept;
SELECT kind, starts_with(kind, 'open'), contains(kind, 'clo'), kind LIKE 'open%' FROM events;
SELECT name FROM emp WHERE name LIKE '%d%';
SELECT name FROM emp WHERE name NOT LIKE 'A%';
SELECT name FROM emp WHERE name ILIKE '%D%';
SELECT kind FROM events WHERE kind LIKE 'open\_%' ESCAPE '\';
SELECT kind FROM events WHERE kind LIKE '%!%' ESCAPE '!';
SELECT kind FROM events WHERE kind LIKE '____';
SELECT title FROM dept WHERE title LIKE '_rger';
SELECT name FROM emp WHERE name LIKE '%a' OR name LIKE 'E_e';
SELECT w, w LIKE w, w LIKE '' FROM m;
SELECT name < 'D', name = 'Ada', name >= 'bob' FROM emp;
SELECT e.name || d.title FROM emp e JOIN dept d ON e.dept = d.id WHERE e.name || d.title LIKE '%aR%';
SELECT regexp_matches(title, '^[A-R]'), regexp_replace(title, '[aeiou]', '_') FROM dept;
-- casts
SELECT id::DOUBLE, id::VARCHAR, id::DECIMAL(10, 2), id::BIGINT, id::SMALLINT FROM emp;
SELECT salary::INTEGER, salary::DOUBLE, salary::VARCHAR, salary::DECIMAL(12, 1) FROM emp;
SELECT score::INTEGER FROM emp WHERE id < 7;
SELECT score::VARCHAR, active::VARCHAR, active::INTEGER, hired::VARCHAR FROM emp;
SELECT '42'::INTEGER, '-1.5'::DOUBLE, '1.25'::DECIMAL(4, 1), '2020-02-29'::DATE, 'true'::BOOLEAN;
SELECT CAST(0.5 AS INTEGER), CAST(1.5 AS INTEGER), CAST(2.5 AS INTEGER), CAST(-0.5 AS INTEGER), 2.5::DOUBLE::INTEGER;
SELECT TRY_CAST('x' AS INTEGER), TRY_CAST('7' AS INTEGER), TRY_CAST(w AS INTEGER) FROM m;
SELECT x::DOUBLE, y::BIGINT, x::VARCHAR FROM big;
SELECT moment::DATE, day::TIMESTAMP, moment::VARCHAR FROM events;
-- both refuse
SELECT w::INTEGER FROM m;
-- both refuse
SELECT id::TINYINT FROM (VALUES (1000)) t (id);
-- typed literals bind tighter than what follows
SELECT TIMESTAMP '2024-01-05 13:00:00'::DATE, DATE '2024-01-01'::VARCHAR, TIMESTAMP '2024-01-05 13:00:00'::TIME;
SELECT TIME '12:00:00'::VARCHAR, BOOLEAN 'true'::INT, NUMERIC(4,1) '1.55'::VARCHAR, INTEGER '5'::VARCHAR || 'a';
SELECT TIMESTAMP WITHOUT TIME ZONE '2024-01-05 13:00:00'::DATE, DOUBLE PRECISION '1.5'::INT, INTERVAL '1' DAY::VARCHAR;
SELECT CASE WHEN true THEN DATE '2024-01-01'::VARCHAR END, (DATE '2024-01-01')::VARCHAR, DATE '2024-01-01' + 1;
SELECT date::VARCHAR FROM (SELECT DATE '2024-01-31'::TIMESTAMP AS date);
-- both refuse
SELECT -INTEGER '5'::VARCHAR;
-- the order of operators
SELECT 'a' || 5 & 3, 5 & 3 || 'a', 1 || 3 << 2, 'a' || 1 + 2 || 'b', 2 * 3 || + 3 >> 2, 'a' || 5 | 2 & 3 = 'a7';
SELECT ~4 & 3, (~4) * 3, 3 * (~4), ~4::INT, 1 + 3 & ~4, (3 & ~4) | 1, 'a' || ~4;
SELECT 1 = 2 IS NULL, 1 < 2 BETWEEN false AND true, NOT 1 = 2, NOT 1 IS NULL, 1 IS DISTINCT FROM 2 = false, -2 ** 2, 2 ** 3 ** 2;
SELECT id FROM emp WHERE name || 'x' LIKE 'A' || '%' AND id BETWEEN 0 + 1 AND 2 * 4 = true;
-- Types by other names and with digits.
SELECT moment::TIMESTAMP(4), moment::TIMESTAMP(5), moment::DATETIME(6), moment::TIMESTAMP_US FROM events;
SELECT 5::FLOAT(24), 5::FLOAT(25), 5::UINT8, 5::UINT16, 5::UINT32, 5::UINT64, 5::INTEGRAL, 5::INT1, 5::LONG, 5::DEC(5, 2);
-- both refuse
SELECT 5::DECIMAL(39, 1);
-- both refuse
SELECT 5::DECIMAL(5, 6);
-- both refuse
SELECT 5::DECIMAL(0, 0);
-- both refuse
SELECT 5::FLOAT(54);
-- numbers without digits on a side of the point
SELECT .5, -.5 + 1., 5. * .25, id * .5 FROM emp WHERE id > .5;
SELECT .5 + 1e3+1, .5e1+1, .25e-1-.5;
-- text literals as numbers and instants, where a function has one type for its argument
SELECT to_microseconds('3'), to_milliseconds('1.5'), to_seconds('3'), to_minutes('1.5'), to_hours('3');
-- both refuse
SELECT to_days('3');
-- both refuse
SELECT to_centuries('3');
SELECT make_date('2020', '1.5', id), make_time('3', '1', '1.5'), make_timestamp('2020', 1, '3', 4, '5', '6.5') FROM emp;
SELECT left(name, '2'), right(name, '1.5'), repeat(name, '2'), lpad(name, '5', 'x'), substring(name, '2', '1'), split_part(name, 'd', '1'), chr('65') FROM emp;
SELECT sqrt('3'), log('2', id), log2('3'), pow(id, '2'), pow('2', '3'), atan2('1', score), sin('1.5'), radians('3'), round(score, '1'), round(salary, '1'), gcd('6', id), lcm(id, '4') FROM emp WHERE id < 7;
SELECT id - '3', v - '3', '3' - v, v + '3', d - '1.5', '1.5' + d, f * '3', '2' * id, id / '4', id // '3', '17' % id, d % '2', d // '1.5', id & '3', '5' | v, xor(id, '3'), id << '2', INTERVAL 1 DAY / '3' FROM (SELECT 5 AS id, 7::BIGINT AS v, 5.25 AS d, 1.5::FLOAT AS f) q;
SELECT date_diff('month', '2020-01-05', hired), date_sub('day', hired, '2020-01-05'), age('2020-01-05', hired), stddev('3') FROM emp GROUP BY ALL;
-- both refuse
SELECT id + '3' FROM emp;
-- both refuse
SELECT '3' - id FROM emp;
-- both refuse
SELECT v * '3' FROM n;
-- both refuse
SELECT score * '3' FROM emp;
-- both refuse
SELECT '3' / id FROM emp;
-- both refuse
SELECT to_hours('x');
-- both refuse
SELECT sqrt(name) FROM emp;
-- both refuse
SELECT date_diff('day', '2020-01-05', '2020-01-06');
-- NULL alone is a BIGINT; a NULL among the arguments is the answer, whatever the others are
SELECT NULL + NULL, NULL - NULL, NULL * NULL, NULL // NULL, NULL % NULL, -NULL, ~NULL, NULL & NULL, NULL << NULL;
SELECT lpad(name, 5, NULL), strptime(name, NULL), date_sub('era', hired, NULL) FROM emp;

-- both refuse
SELECT isnull(1, 2);
-- the one quotient of 64-bit numbers that takes more
SELECT x // y FROM (VALUES (-9223372036854775808::HUGEINT, -1::HUGEINT), (-9223372036854775808, 1), (7, -1)) t(x, y);
SELECT divide(a & b, c) FROM (VALUES (1::USMALLINT, 3::TINYINT, 2::UBIGINT), (6, 3, 1)) t(a, b, c);
-- divisors so small that the quotient is no DOUBLE
SELECT 1 % x, 1e300 % x, x % 3 FROM (VALUES (5e-324::DOUBLE), (1e-300), (-5e-324), (2.5), (1e300), (0.3), (-7), (1e17), (3)) t(x);
-- ~ is of the sums and products behind it
SELECT ~4 * 3, ~id + 2, ~id * 2 - 1, ~(id) // 2 FROM emp;
SELECT 3 & ~4 | 1, ~id + 2 & 3, 1 & 2 & ~id + 3 & 4 FROM emp;
SELECT ~ ~id + 1, ~id || 'a', ~id + 1 = 2, ~id::BIGINT + 1 FROM emp;

-- of FLOATs there is no -0.0 left, of DOUBLEs there is
SELECT gamma(least(x, 1)), greatest(x, -1)::VARCHAR, least(x)::VARCHAR, max(least(1, x + id)) OVER (), greatest(x::DOUBLE, -1)::VARCHAR FROM (VALUES ('-0.0'::REAL, 1::REAL), ('nan', NULL), (NULL, 2), (2, -1)) t(x, id);
-- names of functions in quotes: what has a syntax alone is none
SELECT "list"(1), "unnest"([1]), "array_agg"(1), "First"(1), "count"(*), "SUM"(1), "mean"(1), "string_agg"('a', ',');
SELECT "substr"('abc', 1), "len"('a'), "power"(1, 2), "ceiling"(1.5), "ltrim"(' a'), "rtrim"('a '), "instr"('abc', 'b'), "strftime"(DATE '2020-01-01', '%Y'), "range"(1), "generate_series"(1, 1), "struct_extract"({'a': 1}, 'a'), "ifnull"(NULL, 1), "try"(1), "nullif"(1, 2), "trim"(' a');
SELECT "row_number"() OVER (), "lag"(1) OVER (), "first_value"(1) OVER (), "today"() IS NULL FROM "unnest"([1]);
-- both refuse
SELECT "extract"('year', DATE '2020-01-01');
-- both refuse
SELECT "coalesce"(NULL, 1);
-- both refuse
SELECT "grouping"(id) FROM emp GROUP BY id;
-- both refuse
SELECT "columns"('id') FROM emp;
-- both refuse
SELECT "array"(1);
-- both refuse
SELECT "exists"((SELECT 1));
