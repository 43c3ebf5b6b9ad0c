SELECT hired + INTERVAL 1 MONTH, hired - INTERVAL 1 DAY, hired + 7, hired - 7 FROM emp;
SELECT hired + INTERVAL '1' YEAR, hired - INTERVAL '2' YEAR FROM emp;
SELECT hired - DATE '2020-01-01', DATE '2020-01-01' - hired FROM emp;
SELECT extract(year FROM hired), extract(month FROM hired), extract(day FROM hired) FROM emp;
SELECT extract(quarter FROM day), extract(dow FROM day), extract(doy FROM day), extract(week FROM day) FROM events;
SELECT year(day), month(day), day(day) FROM events;
SELECT extract(hour FROM moment), extract(minute FROM moment), extract(second FROM moment) FROM events;
SELECT date_trunc('month', day), date_trunc('year', day), date_trunc('quarter', day) FROM events;
SELECT date_trunc('hour', moment), date_trunc('day', moment), date_trunc('week', moment) FROM events;
SELECT date_part('year', moment), date_part('epoch', moment) FROM events;
SELECT last_day(day) FROM events;
SELECT id FROM emp WHERE hired >= DATE '2020-01-01' AND hired < DATE '2020-01-01' + INTERVAL 3 MONTH;
SELECT id FROM emp WHERE hired BETWEEN '2019-01-01' AND '2020-12-31';
SELECT id FROM emp WHERE hired = '2020-02-29';
SELECT id FROM emp WHERE extract(year FROM hired) IN (2018, 2020);
SELECT moment + INTERVAL 1 HOUR, moment - INTERVAL 90 MINUTE FROM events;
SELECT moment > day, moment = day, day < TIMESTAMP '2024-02-29 12:00:00' FROM events;
SELECT moment - TIMESTAMP '2024-01-01 00:00:00' FROM events;
SELECT date_diff('day', day, DATE '2024-03-01'), date_diff('month', day, DATE '2024-03-01') FROM events;
SELECT date_add(day, INTERVAL 1 DAY) FROM events;
SELECT DATE '2024-01-31' + INTERVAL 1 MONTH, DATE '2024-03-31' - INTERVAL 1 MONTH;
SELECT DATE '1998-12-01' - INTERVAL '90' DAY;
SELECT INTERVAL 1 YEAR + INTERVAL 2 DAY, INTERVAL '3' MONTH * 2;
SELECT min(moment), max(moment), count(DISTINCT day) FROM events;
SELECT extract(year FROM day) AS y, extract(month FROM day) AS m, count(*) FROM events GROUP BY y, m;
SELECT a.id, b.id FROM events a JOIN events b ON a.day = b.moment::DATE;
SELECT strftime(day, '%Y-%m') FROM events;
SELECT make_date(2024, 2, 29);
SELECT dayname(day), monthname(day) FROM events;
SELECT greatest(day, DATE '2000-01-01'), coalesce(day, DATE '1999-09-09') FROM events;
-- both refuse
SELECT DATE '2023-02-29';
-- types without a cast: NULL has one all the same
SELECT CAST(v AS DATE), TRY_CAST(k AS TIME), TRY_CAST(true AS INTERVAL) FROM n WHERE v IS NULL AND k = 1;
SELECT NULL::INTEGER AS x UNION SELECT DATE '2020-01-01';
SELECT id AS x FROM emp WHERE id > 99 UNION ALL SELECT TIME '12:00:00';
-- both refuse
SELECT CAST(k AS DATE) FROM n;
-- both refuse
SELECT TIME '12:00:00' AS x UNION ALL SELECT 1e0;

-- Infinite, far and BC dates: their text, parts, moves, differences and order.
SELECT 'infinity'::DATE;
SELECT 'infinity'::DATE::VARCHAR, '-infinity'::DATE::VARCHAR, 'infinity'::TIMESTAMP::VARCHAR, '-infinity'::TIMESTAMP::VARCHAR, 'inf'::DATE::VARCHAR;
SELECT '-infinity'::TIMESTAMP;
SELECT '0044-03-15 (BC)'::DATE;
SELECT '0044-03-15 (BC)'::DATE::VARCHAR;
SELECT '0044-03-15 (BC) 10:00:00'::TIMESTAMP::VARCHAR;
SELECT '0044-03-15 (BC)'::DATE + 1;
SELECT '294000-01-01'::TIMESTAMP;
SELECT '294000-01-01'::TIMESTAMP::VARCHAR;
SELECT '5881580-07-10'::DATE::VARCHAR;
SELECT '5877642-06-25 (BC)'::DATE::VARCHAR;
SELECT '294247-01-10 04:00:54.775806'::TIMESTAMP::VARCHAR;
SELECT '290309-12-22 (BC) 00:00:00'::TIMESTAMP::VARCHAR;
SELECT year('infinity'::DATE), month('-infinity'::TIMESTAMP), date_part('epoch', 'infinity'::DATE);
SELECT date_part('julian', 'infinity'::DATE), date_part('century', '-infinity'::DATE);
SELECT dayname('infinity'::DATE), monthname('infinity'::TIMESTAMP), last_day('infinity'::DATE);
SELECT date_trunc('year', 'infinity'::DATE)::varchar, date_trunc('year', '-infinity'::TIMESTAMP)::varchar, date_trunc('second', '-infinity'::TIMESTAMP)::varchar;
SELECT ('infinity'::DATE + 1)::varchar;
SELECT ('infinity'::DATE - 1)::varchar;
SELECT ('infinity'::DATE + interval '1 day')::varchar, ('-infinity'::TIMESTAMP - interval '1 month')::varchar;
SELECT 'infinity'::DATE - '-infinity'::DATE;
SELECT 'infinity'::DATE - date '2020-01-01';
SELECT 'infinity'::DATE > date '2020-01-01', '-infinity'::DATE < date '2020-01-01', 'infinity'::DATE = 'infinity'::TIMESTAMP, '-infinity'::TIMESTAMP = '-infinity'::DATE;
SELECT 'infinity'::DATE::TIMESTAMP::VARCHAR, '-infinity'::TIMESTAMP::DATE::VARCHAR;
SELECT isfinite('infinity'::DATE), isinf('infinity'::DATE), isfinite('-infinity'::TIMESTAMP), isinf('-infinity'::TIMESTAMP), isinf(date '2020-01-01');
SELECT max(x)::varchar, min(x)::varchar, count(x) FROM (VALUES ('infinity'::DATE), (date '2020-01-01'), ('-infinity'::DATE)) t(x);
SELECT x::varchar FROM (VALUES ('infinity'::TIMESTAMP), (timestamp '2020-01-01'), ('-infinity'::TIMESTAMP), (NULL)) t(x) ORDER BY x;
SELECT date_diff('day', 'infinity'::DATE, date '2020-01-01'), date_sub('month', 'infinity'::DATE, date '2020-01-01');
SELECT date_diff('day', date '2020-01-01', 'infinity'::DATE);
SELECT date_diff('year', date '2020-01-01', '-infinity'::TIMESTAMP);
SELECT age('infinity'::TIMESTAMP, timestamp '2020-01-01');
SELECT strftime('infinity'::DATE, '%Y'), strftime('-infinity'::TIMESTAMP, '%Y');
SELECT epoch('infinity'::TIMESTAMP), epoch_ms('infinity'::TIMESTAMP);
SELECT epoch_us('infinity'::TIMESTAMP);
SELECT epoch_ns('infinity'::TIMESTAMP);
SELECT extract(hour from 'infinity'::TIMESTAMP);
SELECT greatest('infinity'::DATE, date '2020-01-01')::VARCHAR;
SELECT TRY_CAST('infinity' AS DATE)::VARCHAR;
SELECT make_date(2000000, 1, 1)::VARCHAR;
SELECT make_date(5881580, 7, 10)::VARCHAR;
SELECT make_date(-44, 3, 15)::VARCHAR;
SELECT make_date(0, 1, 1)::VARCHAR;
SELECT make_timestamp(9223372036854775806)::VARCHAR;
SELECT (date '5881580-07-09' + 1)::VARCHAR;
SELECT (date '-5877641-06-26')::VARCHAR;
SELECT year(date '0044-03-15 (BC)'), century(date '0044-03-15 (BC)'), millennium(date '0044-03-15 (BC)'), decade(date '0044-03-15 (BC)'), era(date '0044-03-15 (BC)'), isoyear(date '0044-03-15 (BC)'), yearweek(date '0044-03-15 (BC)');
SELECT date_trunc('century', date '0044-03-15 (BC)')::varchar, date_trunc('decade', date '0044-03-15 (BC)')::varchar, date_trunc('millennium', date '0044-03-15 (BC)')::varchar;
SELECT 'Infinity'::DATE::VARCHAR;
SELECT ' infinity'::DATE::VARCHAR;
SELECT 'infinity '::DATE::VARCHAR;
SELECT '-Infinity'::TIMESTAMP::VARCHAR;
SELECT ' infinity '::TIMESTAMP::VARCHAR;
SELECT 'infinity'::TIMESTAMP - interval '1 day';
SELECT 'infinity'::DATE + time '10:00';
SELECT ('infinity'::DATE + 2147483647)::varchar;
SELECT (1 + 'infinity'::DATE)::varchar;
SELECT date_add('infinity'::DATE, interval '1 month')::varchar;
SELECT last_day('infinity'::TIMESTAMP)::varchar;
SELECT strftime('infinity'::TIMESTAMP, 'x%Y');
SELECT datesub('day', 'infinity'::TIMESTAMP, timestamp '2020-01-01');
SELECT date_diff('hour', 'infinity'::TIMESTAMP, timestamp '2020-01-01');
SELECT make_timestamp(-9223372022400000000)::varchar;
SELECT 'infinity'::DATE IN (date '2020-01-01', 'infinity'::DATE);
SELECT count(DISTINCT x) FROM (VALUES ('infinity'::DATE), ('infinity'), ('-infinity')) t(x);
SELECT sum(x - date '2020-01-01') FROM (VALUES ('infinity'::DATE), (date '2020-01-02')) t(x);
SELECT a.x::varchar FROM (VALUES ('infinity'::DATE), (date '2020-01-02')) a(x) JOIN (VALUES ('infinity'::DATE)) b(x) ON a.x = b.x;
SELECT day FROM events WHERE day < 'infinity'::TIMESTAMP AND day > '-infinity';
SELECT day::varchar FROM events WHERE day < 'infinity';
SELECT x::varchar FROM (VALUES ('infinity'::DATE), (date '2020-01-02')) a(x) WHERE x > timestamp '2020-01-05';
SELECT x::varchar FROM (VALUES ('infinity'::DATE), (date '2020-01-02')) a(x) WHERE x = 'infinity'::TIMESTAMP;
SELECT x::varchar FROM (VALUES ('infinity'::DATE), (date '2020-01-02')) a(x) WHERE x >= 'infinity'::TIMESTAMP;
SELECT x::varchar FROM (VALUES ('infinity'::DATE), (date '2020-01-02')) a(x) WHERE year(x) = 2020 OR year(x) IS NULL;
SELECT x::varchar FROM (VALUES ('infinity'::DATE), (date '2020-01-02')) a(x) WHERE x + interval '1 day' > timestamp '2021-01-01';
-- both refuse
SELECT 'Infinity'::DATE::VARCHAR, ' infinity '::DATE::VARCHAR, '+infinity'::TIMESTAMP::VARCHAR;
-- both refuse
SELECT '5881580-07-11'::DATE::VARCHAR;
-- both refuse
SELECT '5877642-06-24 (BC)'::DATE::VARCHAR;
-- both refuse
SELECT '294247-01-10 04:00:54.775807'::TIMESTAMP::VARCHAR;
-- both refuse
SELECT 'infinity'::TIMESTAMP - timestamp '2020-01-01';
-- both refuse
SELECT 'infinity'::TIMESTAMP - 'infinity'::TIMESTAMP;
-- both refuse
SELECT 'infinity'::TIMESTAMP::TIME;
-- both refuse
SELECT 'infinity'::TIME;
-- both refuse
SELECT make_date(5881580, 7, 11)::VARCHAR;
-- both refuse
SELECT make_timestamp(9223372036854775807)::VARCHAR;
-- both refuse
SELECT make_timestamp(-9223372036854775807)::VARCHAR;
-- both refuse
SELECT date '5881580-07-10' + 1;
-- both refuse
SELECT (timestamp '294247-01-10 04:00:54' + interval '1 day')::VARCHAR;
-- both refuse
SELECT '+infinity'::DATE::VARCHAR;
-- both refuse
SELECT 'infinityx'::DATE::VARCHAR;
-- both refuse
SELECT ('infinity'::TIMESTAMP - timestamp '2020-01-01')::varchar;
-- both refuse
SELECT (timestamp '2020-01-01' - '-infinity'::TIMESTAMP)::varchar;
-- both refuse
SELECT ('infinity'::DATE - timestamp '2020-01-01')::varchar;
-- both refuse
SELECT ('infinity'::TIMESTAMP::TIME)::varchar;
-- both refuse
SELECT isnan('infinity'::DATE);
SELECT make_date(5881580, 7, 10)::VARCHAR, make_date(-5877641, 6, 25)::VARCHAR, make_time(24, 0, 0), make_timestamp(2000, 1, 1, 24, 0, 0);
SELECT make_timestamp(294247, 1, 10, 4, 0, 54.775806)::VARCHAR, make_date(2020 + id, 1, id) FROM emp;
-- both refuse
SELECT make_date(-9223372036854775808 + id - id, 1, 1) FROM emp;
-- both refuse
SELECT make_date(5881580, 7, 11);
-- both refuse
SELECT make_timestamp(300000, 1, 1, 0, 0, id) FROM emp;
-- both refuse
SELECT make_timestamp(294247, 1, 10, 5, 0, 0);
-- Formats: every specifier that is read or written.
SELECT try_strptime(x, '%Y %j') FROM (VALUES ('2024 032'), ('2024 366'), ('2023 366'), ('2024 0'), ('2024 367'), ('24 1')) t(x);
SELECT try_strptime('2024-03 032', '%Y-%m %j'), try_strptime('2024 032 05', '%Y %j %d'), try_strptime('24 060', '%y %j');
SELECT x, try_strptime(x, '%I:%M %p'), try_strptime(x, '%H:%M %p') FROM (VALUES ('12:30 AM'), ('12:30 pm'), ('01:30 PM'), ('13:30 PM'),
('00:30 AM'), ('11:59 PM')) t(x);
SELECT x, try_strptime(x, '%I'), try_strptime(x, '%H'), try_strptime(x, '%-d') FROM (VALUES ('12'), ('1'), ('0'), ('13'), ('31')) t(x);
SELECT try_strptime('PM', '%p'), try_strptime('2024  05', '%Y %m'), try_strptime('2024 05', '%Y   %m'), try_strptime('07:08:09', '%T');
SELECT try_strptime('2024 1 2023', '%Y %m %Y'), try_strptime('May', '%h'), try_strptime('10%', '%d%%'), strptime('epoch', '%d');
SELECT strptime('infinity', '%Y')::VARCHAR, strptime('-infinity', '%Y')::VARCHAR;
SELECT strftime(day, '%Y %y %m %b %h %B %d %j %a %A %w %u %U %W %V %G %x %c %%'), strftime(moment, '%H %I %M %S %f %g %p %X %T %z'), strftime(moment, '%Z|')
FROM events;
SELECT strftime(d, '%Y %G %x %-d.%-m. %-H:%-I:%-M:%-S %-j %-y')
FROM (VALUES (DATE '0044-03-05 (BC)'), (DATE '0005-01-02 (BC)'), (DATE '10191-11-03'), (DATE '0099-01-01')) t(d);
-- both refuse
SELECT strftime(day, '%-Y') FROM events;
-- both refuse
SELECT strptime('May', '%-b');
-- both refuse
SELECT strptime('', '');
SELECT strptime('2024-05-06 +02', '%Y-%m-%d %z');
SELECT strptime('1.123456789', '%S.%n');
SELECT strptime('2024 19 1', '%G %V %u');
-- counted far out: dates that are no timestamps, and what leaves 64 bits
SELECT date_diff('minute', DATE '5874897-12-31', d), date_diff('hour', d, DATE '5877642-06-25 (BC)'), date_diff('epoch', d, DATE '5874897-12-31'), date_diff('second', DATE '0044-03-15 (BC)', d) FROM (VALUES (DATE '9999-12-31'), (DATE '0001-01-01'), (DATE '5874897-12-31'), (DATE '-infinity'), (NULL)) q (d);
SELECT date_diff('second', a, b), datediff('hour', a, b) FROM (SELECT DATE '5874897-12-31' AS a, day AS b FROM events) q;
SELECT date_sub('day', DATE '9999-12-31', d), date_diff('microsecond', DATE '0044-03-15 (BC)', d), date_diff('century', d, DATE '0044-03-15 (BC)') FROM (VALUES (DATE '1970-01-01'), (DATE '0001-01-01'), (DATE 'infinity'), (NULL)) q (d);
SELECT date_sub('day', DATE '5874897-12-31', DATE 'infinity'), date_diff('millisecond', DATE '5874897-12-31', NULL::DATE), date_diff('era', day, NULL::DATE), date_sub('timezone', day, NULL::DATE) FROM events;
-- both refuse
SELECT date_sub('day', day, DATE '5874897-12-31') FROM events;
-- both refuse
SELECT date_diff('microsecond', TIMESTAMP '294247-01-10 04:00:54.775806', t) FROM (VALUES (TIMESTAMP '290309-12-22 (BC) 00:00:00'), (NULL)) q (t);
-- both refuse
SELECT date_sub('era', day, DATE '2020-01-01') FROM events;
-- both refuse
SELECT date_diff('day', t, TIME '12:00:00') FROM (VALUES (TIME '01:00:00')) q (t);
-- both refuse
SELECT date_sub('year', t, TIME '12:00:00') FROM (VALUES (TIME '01:00:00')) q (t);
-- both refuse
SELECT date_trunc('month', t) FROM (VALUES (TIMESTAMP '290309-12-22 (BC) 00:00:00'), (NULL)) q (t);
-- both refuse
SELECT date_trunc('year', d) FROM (VALUES (DATE '290309-12-22 (BC)'), (NULL)) q (d);
-- both refuse
SELECT epoch_ms(t) FROM (VALUES (TIMESTAMP '294247-01-10 04:00:54.775806'), (NULL)) q (t);
SELECT date_trunc('month', t), date_trunc('millennium', t), epoch_ms(t) FROM (VALUES (TIMESTAMP '290308-01-22 (BC) 00:00:00'), (TIMESTAMP '0044-03-15 (BC) 00:00:00'), (NULL)) q (t);
-- seconds of a time: the nearest whole ones and a rest, which may be 60
SELECT make_time(3, 1, s), make_timestamp(2020, 1, 1, 3, 1, s) FROM (VALUES (5e-7), (1.6), (2.5e-6), (59.9999999), (60.0000001), (60.5), (60.99), (NULL::DOUBLE)) q (s);
SELECT make_time(23, 59, s)::VARCHAR, make_timestamp(2020, 1, 1, 23, 59, s) FROM (VALUES (60::DOUBLE), (60.0000004), (59.5)) q (s);
SELECT make_time(24, 0, s)::VARCHAR FROM (VALUES (4e-7), (0)) q (s);
-- both refuse
SELECT make_time(3, 1, s) FROM (VALUES (61::DOUBLE)) q (s);
-- both refuse
SELECT make_time(3, 1, s) FROM (VALUES (-1e-320)) q (s);
-- both refuse
SELECT make_time(3, 1, s) FROM (VALUES (-5e-7)) q (s);
-- both refuse
SELECT make_time(23, 59, s) FROM (VALUES (60.0000006)) q (s);
-- both refuse
SELECT make_time(24, 0, s) FROM (VALUES (6e-7)) q (s);
-- beside an instant NULL is what moves it
SELECT hired + NULL, NULL + hired, hired - NULL, NULL - hired FROM emp;
SELECT moment - NULL, moment + NULL, NULL - moment FROM events;
SELECT TIME '10:00:00' - NULL, DATE '2020-01-01' - NULL, INTERVAL 1 DAY - NULL;
-- from a constant that is not NULL to days that may be
SELECT date_diff('day', make_date(2020, 1, 1), d) FROM (VALUES (DATE '2020-02-03'), (NULL), (DATE '2019-12-31')) t(d);
SELECT date_diff('day', make_date(2020, 1, 1), d) FROM (VALUES (DATE '2020-02-03'), (DATE 'infinity')) t(d);
-- the width of a date moved by a constant is the same on every device
SELECT CAST(date_trunc('month', hired) + INTERVAL '1 month' - INTERVAL '1 day' AS DATE) AS d, count(*) FROM emp GROUP BY d;
-- After the seconds of a time a zone may stand, which changes nothing.
SELECT s, TRY_CAST(s AS TIME) AS t FROM (VALUES ('12:12:34:564:56'), ('12:12:34x'), ('12:12:345'), ('12:12:34 PM'), ('12:12:34.5:6'), ('12:12:34+25'), ('12:12:34+02'), ('12:12:34 -02:30'), ('12:12:34Z'), ('12:12:34.5Z '), ('12:12:34+2'), ('12:12:34+16'), ('12:12:34+0230'), ('12:12:34 UTC'), ('12:12Z'), ('12:12:34+'), ('12:12:'), ('12:'), ('12:1'), ('12'), ('12:x'), ('12:12:x'), ('12:12 x'), ('12:12x'), ('12:123'), ('123:12'), ('12:61:00'), ('12:12:61x'), ('24:00:00x'), ('12:12:34.123456789x'), ('-1:12'), (' 1:2:3 '), ('2024-01-01 12:12:34x'), ('12: '), ('12:12: '), ('')) AS v(s);
-- a month before one time of a day may come after a month before a later day
SELECT t - INTERVAL '1 month' AS m, t + INTERVAL '1 year' AS y FROM (VALUES (TIMESTAMP '2020-03-29 23:30:00'), ('2020-03-31 00:00:00'), ('2020-02-29 01:00:00'), ('2020-02-28 12:00:00')) v(t) WHERE t - INTERVAL '1 month' < TIMESTAMP '2020-02-29 10:00:00';
-- several parts at once
SELECT date_part(['year', 'month'], DATE '2020-03-01'), date_part(['epoch'], TIMESTAMP '2020-03-01'), datepart(['hour'], TIME '01:02:03');
SELECT date_part(['year', 'Month'], hired), date_part(['days'], INTERVAL '3 days') FROM emp;
-- both refuse
SELECT date_part([], DATE '2020-01-01');
-- both refuse
SELECT date_part(['nosuch'], DATE '2020-01-01');
-- both refuse
SELECT date_part(['year', 'YEAR'], DATE '2020-01-01');
-- a list of formats
SELECT a, strptime(a, ['%d.%m.%Y', '%Y-%m-%d']), try_strptime(a, ['%d.%m.%Y', '%Y']) FROM (VALUES ('01.02.2024'), ('2024-03-04'), (NULL)) t(a);
SELECT strptime('2024-01-02', ['%Y-%m-%d', NULL]), strptime('NULL', ['%Y', NULL]), strptime('2024', ['%Y'||'', '%m']), strptime('2024', ['%Y']);
SELECT strptime('x', NULL::VARCHAR[]), strptime(NULL, ['%Y']), try_strptime('x', ['%Y', '%m']), typeof(strptime('2024', ['%Y', '%Y %n']));
SELECT id, strptime((SELECT max(e.id)::VARCHAR FROM emp e WHERE e.id < emp.id), ['%m', '%d']) AS s FROM emp ORDER BY id;
-- both refuse
SELECT strptime('x', ['%d.%m.%Y', '%Y-%m-%d']);
-- both refuse
SELECT strptime('2024', []);
-- both refuse
SELECT strptime('2024', ['%Y', 'q%Q']);
-- both refuse
SELECT strptime('2024', f) FROM (VALUES (['%Y'])) t(f);
-- both refuse
SELECT strptime('2024', [2024]);
-- both refuse
SELECT try_strptime('2024', ['%Y'], 1);
SELECT TRY_CAST(x AS TIMESTAMP), TRY_CAST(x AS TIMESTAMPTZ)::TIMESTAMP, TRY_CAST(x AS TIMESTAMP_NS), TRY_CAST(x AS TIMESTAMP_S) FROM (VALUES (DATE '2020-02-29'), (NULL)) v(x);
-- years before the first; there is none of number 0
SELECT x, TRY_CAST(x AS DATE) IS NULL, TRY_CAST(x AS TIMESTAMP) IS NULL, TRY_CAST(x AS TIMESTAMPTZ) IS NULL, TRY_CAST(x AS TIMESTAMP_S) IS NULL, year(TRY_CAST(x AS DATE)) FROM (VALUES ('0000-01-01 (BC)'), ('0001-01-01 (BC)'), ('0000-01-01'), ('-0001-01-01'), ('-0001-01-01 (BC)'), ('-0-01-01 (BC)'), ('0044-03-15 (bc)'), ('0044-03-15(BC)'), ('0044-03-15  (BC)'), ('0044-03-15	(Bc)'), ('0044-03-15 (BC) 10:00:00'), ('0000-03-15 (BC) 10:00:00')) t(x);
-- both refuse
SELECT DATE '0000-12-31 (BC)';
-- both refuse
SELECT '0000-12-31 (BC)'::TIMESTAMP;
-- products and quotients of intervals round what goes to the unit below
SELECT INTERVAL '1 year 2 months 3 days 4 hours' / -2.75, INTERVAL '3 years 3 months -232 days' * -1.5609852568116112, INTERVAL '1 year 376 days' * 1.0510441838784876, INTERVAL '1 year 1 month -24 hours' / 3, INTERVAL '-3 years -2 months' / 3;
SELECT (to_months(m) * f)::VARCHAR, ((to_months(m) + to_days(m)) / f)::VARCHAR FROM (VALUES (7, 0.3), (11, -1.7), (-13, 2.5), (1, 7.0), (NULL, 1.5)) t(m, f);
SELECT w, TRY_CAST(w AS DATE), TRY_CAST(w AS TIMESTAMP), TRY_CAST(w AS TIMESTAMP_S), TRY_CAST(w AS TIMESTAMP_NS)::VARCHAR, TRY_CAST(w AS TIME) FROM (VALUES ('inf'), ('inf '), (' inf'), ('-inf '), ('infinity '), (' -Infinity'), ('epoch'), (' Epoch '), ('2020-01-02'), ('2020-01-02 ')) v(w);
-- an empty format is none
SELECT strftime(hired, 'None'), strptime(strftime(hired, '%Y'), '%Y') FROM emp WHERE id = 1;
-- both refuse
SELECT strftime(hired, '') FROM emp;
-- both refuse
SELECT strptime('None', '');
-- both refuse
SELECT strptime(name, '') FROM emp WHERE id < 0;
-- both refuse
SELECT try_strptime(NULL, '');
-- date as a function
SELECT date('2020-01-01'), date(hired), (hired).date(), ('2020-02-03').date(), "date"(NULL) FROM emp WHERE id = 1;
SELECT count(*), date(hired) FROM emp GROUP BY date(hired) ORDER BY 2;
-- both refuse
SELECT date();
-- both refuse
SELECT date(hired, 1) FROM emp;
-- both refuse
SELECT date(1);
