-- whole numbers
SELECT n, gcd(n, 12), lcm(n, 6), gcd(n, 0), gcd(0, n) FROM raw WHERE abs(n::HUGEINT) < 1000;
SELECT u, gcd(u, 15), gcd(u, id::UBIGINT), lcm(id::UBIGINT, 6), gcd(n::HUGEINT, 36), lcm(id::HUGEINT, -4) FROM raw;
SELECT gcd(170141183460469231731687303715884105727, 2), gcd(5::HUGEINT, 15), gcd(-5::HUGEINT, -15), gcd(0::HUGEINT, 0), lcm(0::HUGEINT, 5);
SELECT gcd(12345678901234567890123456789, 98765432109876543210), lcm(12345678901234567890::HUGEINT, 98765432109876543210);
SELECT lcm(-9223372036854775808, 0), lcm(0, -9223372036854775808), gcd(-9223372036854775808, 6), lcm(-9223372036854775808::HUGEINT, 1);
-- both refuse
SELECT lcm(-9223372036854775808, 1);
-- both refuse
SELECT lcm(3037000500, 3037000501);
-- both refuse
SELECT lcm(170141183460469231731687303715884105727, 2);
-- both refuse
SELECT gcd(-9223372036854775808, 0);
-- both refuse
SELECT gcd(1.5, 2);
SELECT id, factorial(id), factorial(id + 25) FROM raw;
SELECT factorial(0), factorial(33), factorial(NULL), factorial('3'), factorial(5::TINYINT);
-- both refuse
SELECT factorial(34);
-- both refuse
SELECT factorial(-id) FROM raw;
-- both refuse
SELECT factorial(2.5);
SELECT id, binom(id, 2), binom(id + 100, id), binom(7, id) FROM raw;
SELECT binom(5, 6), binom(0, 0), binom(100, 50), binom(128, 64), binom(130, 65), binom(2147483647, 2), binom(2147483647, 2147483646), binom(NULL, 1);
-- both refuse
SELECT binom(131, 65);
-- both refuse
SELECT binom(2147483647, 1073741824);
-- both refuse
SELECT binom(-5, 2);
-- both refuse
SELECT binom(5, -1);
SELECT id, bit_count(id), bit_count(n), bit_count(-id), bit_count(id::UTINYINT), bit_count((-id)::SMALLINT), bit_count(u::HUGEINT) FROM raw;
SELECT bit_count(-1), typeof(bit_count(1::UBIGINT)), bit_count(-1::TINYINT), bit_count(255::UTINYINT), bit_count(18446744073709551615), bit_count(-1::HUGEINT), bit_count(NULL);
SELECT bit_count(4294967295::UINTEGER), bit_count(-9223372036854775808), bit_count(9223372036854775807), bit_count(170141183460469231731687303715884105727);
-- both refuse
SELECT bit_count(1.5);
-- operators as functions
SELECT id, add(id, 2), add(n, NULL), add(salary, 1), add(id), subtract(id, 2), subtract(id), multiply(id, 3), divide(id, 2), xor(id, 3), mod(id, 3) FROM (SELECT id, v AS n, salary FROM emp, (VALUES (1)) t (v)) q;
SELECT add(DATE '2020-01-01', 3), subtract(DATE '2020-01-02', DATE '2020-01-01'), multiply(INTERVAL 1 DAY, 3), subtract(INTERVAL 1 DAY), multiply(1.5, 2), add(1.5::DOUBLE);
SELECT add(k, v), subtract(k, v), multiply(k, v) FROM n;
-- both refuse
SELECT add(1, 2, 3);
-- both refuse
SELECT add(DATE '2020-01-01');
-- both refuse
SELECT subtract(1::UTINYINT);
SELECT id, fdiv(id, 2), fdiv(-id, 3), fmod(id, 3), fmod(-id, 3), fmod(id::DOUBLE, -2.5), fdiv(salary, 7), fmod(score, 2) FROM emp;
SELECT fdiv(7, 0), fdiv(0, 0), fmod(7, 0), fmod(-0.0, 2), fdiv(NULL, 1), fdiv(5::HUGEINT, 2), fmod(5.5, 2);
-- digits
SELECT round_even(24.5, 0), round_even(25.5, 0), round_even(24.55, 1), round_even(-24.5, 0), roundbankers(2.675, 2), round_even(12345.678, -2);
SELECT round_even(25, -1), round_even(35, -1), round_even(15::TINYINT, -1), round_even(125::TINYINT, -1), round_even(1::BIGINT, -40), round_even(NULL, 1), round_even(25, NULL);
SELECT round_even(1e0, 2), round_even('inf'::DOUBLE, 1), round_even(2.5::FLOAT, 0), round_even(-2.5::DOUBLE, 0), round_even(0.25::DOUBLE, 1), round_even(1250::DOUBLE, -2);
SELECT salary, round_even(salary, 1), round_even(salary, 0), round_even(salary, -1), round_even(salary, -3), round_even(score, 1), round_even(id, -1) FROM emp;
SELECT x, round_even(x, 2), round_even(x, 0), round_even(x, -3), round_even(y, 1), round_even(y, -2) FROM big;
SELECT round_even(5::UTINYINT, 0), round_even(15::UBIGINT, -1), round_even(5::HUGEINT, -1);
-- both refuse
SELECT round_even(127::TINYINT, -1);
-- both refuse
SELECT round_even(2.5);
SELECT round(155::DECIMAL(5, 0), -2), round(155::DECIMAL(38, 0), -2), round(99::DECIMAL(2, 0), -1), round(99::DECIMAL(2, 0), -2), round(99::DECIMAL(2, 0), -3);
SELECT round(155.5, -2), round(99.9::DECIMAL(3, 1), -3), trunc(155::DECIMAL(5, 0), -1), trunc(155.55, -1), round_even(99::DECIMAL(2, 0), -1), round(155::DECIMAL(5, 0), 3);
SELECT round(salary::DECIMAL(8, 0), -2), trunc(salary::DECIMAL(8, 0), -2), sum(round(salary::DECIMAL(8, 0), -2)) OVER () FROM emp;
-- floating point
SELECT signbit(-1), signbit(-0.0), signbit(-0e0), signbit('nan'::DOUBLE), signbit(-1::FLOAT), signbit(score), score FROM emp;
SELECT nextafter(1::FLOAT, 2::FLOAT), nextafter(1, 2), nextafter(1.0, 0), nextafter(1, 'inf'::DOUBLE), nextafter(0, 1), nextafter(1::FLOAT, 2::DOUBLE), nextafter('nan'::DOUBLE, 1);
SELECT score, even(score), even(id), even(salary), nextafter(score, 0) FROM emp;
SELECT even(2.9), even(-2.9), even(3), even(4), even(0.5), even(-0.0), even('inf'::DOUBLE), even('nan'::DOUBLE), even(1e300), even(NULL), even(-0e0), even(5e-324);
SELECT gamma(0), gamma(-0e0), gamma(-1), gamma(171), gamma(172), gamma('inf'), gamma('-inf'), gamma('nan'), gamma(1e-310), gamma(5), gamma(NULL);
SELECT gamma(id), abs(gamma(id + 0.5) / exp(lgamma(id + 0.5)) - 1) < 1e-12, abs(gamma(0.5) - 1.772453850905516) < 1e-15, abs(gamma(-2.5) + 0.9453087204829419) < 1e-14 FROM emp;
SELECT lgamma(0), lgamma(-1), lgamma('inf'), isnan(gamma(-3)), abs(gamma(170.5) / 5.5690003396923e305 - 1) < 1e-12;
-- both refuse
SELECT nextafter('a', 1);
-- both refuse
SELECT signbit(DATE '2020-01-01');
SELECT decode('a\xA0b'::BLOB, 'ignore');
SELECT fdiv(1, 2::FLOAT), fmod(5::FLOAT, 3), fdiv(1::FLOAT, 2::DOUBLE), fmod(score::FLOAT, 2) FROM emp;
-- UHUGEINT
SELECT id, id::UHUGEINT, u::UHUGEINT, id::UHUGEINT + 3, id::UHUGEINT * 3, id::UHUGEINT // 2, id::UHUGEINT % 3, id::UHUGEINT / 2 FROM raw;
SELECT 5::UHUGEINT + 3::HUGEINT, 5::UHUGEINT + 3::INTEGER, 5::UHUGEINT + 3::UBIGINT, 5::UHUGEINT + 3.5, 5::UHUGEINT + 3e0, 5::UHUGEINT - 3, 5::UHUGEINT ** 2;
SELECT abs(id::UHUGEINT), sign(id::UHUGEINT), id::UHUGEINT & 3, id::UHUGEINT | 8, xor(id::UHUGEINT, 3), id::UHUGEINT << 2, id::UHUGEINT >> 1 FROM raw;
SELECT hex(u::UHUGEINT), bin(id::UHUGEINT), to_hex(id::UHUGEINT), to_binary(id::UHUGEINT), trunc(id::UHUGEINT), trunc(id::UHUGEINT, -1), round(id::UHUGEINT), floor(id::UHUGEINT) FROM raw;
SELECT sum(u::UHUGEINT), avg(id::UHUGEINT), min(u::UHUGEINT), max(u::UHUGEINT), count(DISTINCT u::UHUGEINT), bit_and(id::UHUGEINT), bit_or(id::UHUGEINT), bit_xor(id::UHUGEINT), stddev(id::UHUGEINT), product(id::UHUGEINT) FROM raw;
SELECT u::UHUGEINT AS x, count(*) FROM raw GROUP BY x ORDER BY x DESC NULLS LAST;
SELECT coalesce(5::UHUGEINT, 3::HUGEINT), coalesce(5::UHUGEINT, 3), coalesce(5::UHUGEINT, 3::BIGINT), greatest(5::UHUGEINT, 3::HUGEINT), 5::UHUGEINT = 5::HUGEINT, 5::UHUGEINT = -5, 5::UHUGEINT < 5.5;
SELECT 5::UHUGEINT::INTEGER, 5::UHUGEINT::DOUBLE, 5::UHUGEINT::DECIMAL(10, 2), 5::UHUGEINT::VARCHAR, 5.6::UHUGEINT, 5.6e0::UHUGEINT, '5'::UHUGEINT, '5.6'::UHUGEINT, true::UHUGEINT, 5::UHUGEINT::BOOLEAN, 99999999999999999999999999999999999999::UHUGEINT;
SELECT add(5::UHUGEINT, 3::UHUGEINT), mod(5::UHUGEINT, 3::UHUGEINT), divide(5::UHUGEINT, 3::UHUGEINT), multiply(5::UHUGEINT, 3::UHUGEINT), subtract(5::UHUGEINT, 3::UHUGEINT), add(5::UHUGEINT), 5::UHUGEINT + NULL;
SELECT l.id, r.id FROM raw l JOIN raw r ON l.u::UHUGEINT = r.id::UHUGEINT;
-- both refuse
SELECT (-5)::UHUGEINT;
-- both refuse
SELECT 5::UHUGEINT - 7::UHUGEINT;
-- both refuse
SELECT -(5::UHUGEINT);
-- both refuse
SELECT bit_count(5::UHUGEINT);
-- both refuse
SELECT to_base(5::UHUGEINT, 2);
-- tqp refuses
SELECT ~(5::UHUGEINT);

-- a constant without arguments meets columns, lists, conditions
SELECT pi(), -pi(), pi() + id, abs(gamma(0.5) - sqrt(pi())) < 1e-15, round(degrees(pi()), 6) FROM emp;
SELECT [pi(), 1.5e0], least(pi(), id), pi() IN (1e0, 2e0), CASE WHEN id > 2 THEN pi() ELSE id END FROM emp;
SELECT id FROM emp WHERE id > pi();
SELECT sum(id) FILTER (id > pi()), max(pi()), count(DISTINCT pi()) FROM emp;
SELECT pi() AS p, count(*) FROM emp GROUP BY p, pi() * id > 5 ORDER BY 2;
-- both refuse
SELECT pi(1);
-- the rest of a division rounded down: of floats it is exact, and no zero has a sign
SELECT x, y, fmod(x, y), fmod(x::FLOAT, y::FLOAT), fmod(x, y)::VARCHAR FROM (VALUES (1.5::DOUBLE, 0.1::DOUBLE), (-1.5, 0.4), (1.5, -0.4), (1, 0), ('inf', 2), (2, 'inf'), (5.5, '-inf'), (-5.5, 'inf'), ('nan', 1), (1e30, 1e-5), (0, 2), ('-0.0', 2), (0, -2), (-4, 2), (4, -2), (NULL, 1), ('-0.0', -2), ('-inf', 2)) v(x, y);
SELECT fmod(1.5, 0.1), fmod(7, 2), fmod(7, NULL), fmod(x, '5'), fmod(1::FLOAT, 2), fmod(1.5::FLOAT, 0.1), fmod(x::HUGEINT, 3), fmod(x, x::DECIMAL(5, 2)) FROM range(3) t(x);
-- digits that differ by row, of numbers beyond 64 bits
SELECT x::VARCHAR, d, round(x, d)::VARCHAR, trunc(x, d)::VARCHAR, round_even(x, d)::VARCHAR FROM (VALUES (1250::HUGEINT, -2), (170141183460469231731687303715884105727, -2), (5, 0), (-170141183460469231731687303715884105727, -1000), (-70141183460469231731687303715884105727, -38), (7, 3), (NULL, -2), (7, NULL), (-17014118346046923173168730371588410550, -2), (12345678901234567890123, -19)) v(x, d);
SELECT x, d, round(x, d), trunc(x, d), round_even(x, d) FROM (VALUES (1234::UBIGINT, -2), (18446744073709551615, -2), (18446744073709551615, -18), (18446744073709551615, -20), (NULL, -1)) v(x, d);
SELECT TRY(round(x, d))::VARCHAR, TRY(round(x, -1))::VARCHAR FROM (VALUES (1234::HUGEINT, -2), (170141183460469231731687303715884105727, -1), (5, 0), (170141183460469231731687303715884105727, -2)) v(x, d);
-- halves that are none: 0.15 is less than it looks
SELECT x, round(x, 1), round(x, 2), round(x, 3), round_even(x, 1), round_even(x, 2), trunc(x, 2), round(x::FLOAT, 1) FROM (VALUES (0.15::DOUBLE), (2.675), (1.005), (466.45), (-334.275), (72887.15), (19761.3295), (0.5), (2.5), ('inf'), ('nan'), (-0.04), (NULL)) v(x);
-- quotients of decimals, exact and to the nearest, halves to the even one
SELECT decimal_division(a, b), decimal_division(b, 3), decimal_division(7, a) FROM (VALUES (1.00::DECIMAL(9, 2), 8.0::DECIMAL(4, 1)), (-7.25, 3.3), (NULL, 1), (1, NULL), (0.01, -999.9), (9999999.99, 0.1)) v(a, b);
SELECT decimal_division(1, 3), decimal_division(2.0, 3.0), decimal_division(-2.0, 3.0), decimal_division(1.5, NULL);
-- both refuse
SELECT decimal_division(1.5, 0);
-- both refuse
SELECT decimal_division(1.5::DECIMAL(38, 10), 2::DECIMAL(38, 5));
-- both refuse
SELECT decimal_division(1.5::DOUBLE, 2);
-- the least number and -1, digits of a quotient
SELECT (-128)::TINYINT % (-1)::TINYINT, mod((-9223372036854775808)::BIGINT, (-1)::BIGINT), (-170141183460469231731687303715884105728)::HUGEINT % (-1)::HUGEINT;
SELECT a % b FROM (VALUES ((-2147483648)::INT, (-1)::INT), (7, -1), (NULL, -1)) t(a, b);
-- both refuse
SELECT (-128)::TINYINT // (-1)::TINYINT;
SELECT decimal_division(1.25, 3.5, 2), decimal_division(1.25::DECIMAL(9,3), 3.5::DECIMAL(12,2), 20), decimal_division(1, 3, 5), decimal_division(-7.5::DECIMAL(9,3), 1.26::DECIMAL(9,3), 0), decimal_division(1.25, 3.5, NULL);
-- both refuse
SELECT decimal_division(1.25, 3.5, -1);
SELECT TRY_CAST(s AS INTEGER), TRY_CAST(s AS HUGEINT), TRY_CAST(s AS DECIMAL(9, 2)) FROM (VALUES ('1e-32768'), ('1e-32769'), ('0e32768'), ('15123456789e-32768'), ('0.09223e5'), ('1e0000002'), (repeat('1', 120) || 'e-119')) AS t(s);
-- both refuse
SELECT '1e-100000'::INTEGER;
