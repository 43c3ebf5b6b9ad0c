-- TIMESTAMP_S, TIMESTAMP_MS and TIMESTAMP_NS: what keeps its unit, and what is done with microseconds.
SELECT TIMESTAMP_S '2020-01-01 10:11:12.6', TIMESTAMP_MS '2020-01-01 10:11:12.6789', TIMESTAMP_NS '2020-01-01 10:11:12.123456789', TIMESTAMP_NS '2020-01-01 10:11:12.1234567899', TIMESTAMP_NS '1960-01-01 10:11:12.1234567';
SELECT TIMESTAMP_S '2020-01-01 10:11:12' + INTERVAL 1 DAY, TIMESTAMP_NS '2020-01-01 10:11:12.123456789' + INTERVAL 1 DAY, TIMESTAMP_NS '2020-01-01 10:11:12.123456789' - TIMESTAMP_NS '2020-01-01 10:11:12.123456788', TIMESTAMP_MS '2020-01-01' - TIMESTAMP_S '2019-01-01', TIMESTAMP_S '2020-01-01' - INTERVAL 1 HOUR;
SELECT TIMESTAMP_S '2020-01-01' = TIMESTAMP '2020-01-01', TIMESTAMP_S '2020-01-01' < '2020-01-01 00:00:00.5', TIMESTAMP_S '2020-01-01' < DATE '2020-01-02', TIMESTAMP_NS '2020-01-01' > TIMESTAMP_MS '2019-01-01', TIMESTAMP_S '2020-01-01' <= TIMESTAMPTZ '2020-01-01 00:00:00+00';
SELECT coalesce(TIMESTAMP_S '2020-01-01', TIMESTAMP '2020-01-01'), coalesce(TIMESTAMP_S '2020-01-01', TIMESTAMP_MS '2020-01-01'), coalesce(TIMESTAMP_NS '2020-01-01', TIMESTAMP '2020-01-01'), coalesce(TIMESTAMP_NS '2020-01-01', DATE '2020-01-01'), coalesce(TIMESTAMP_S '2020-01-01', DATE '2020-01-01'), coalesce(TIMESTAMP_S '2020-01-01', TIMESTAMPTZ '2020-01-01 00:00:00+00');
-- both refuse
SELECT coalesce(TIMESTAMP_NS '2020-01-01', TIMESTAMPTZ '2020-01-01 00:00:00+00');
-- both refuse
SELECT coalesce(TIMESTAMP_S '2020-01-01', TIME '00:00:00');
SELECT year(s), hour(ms), microsecond(ns), nanosecond(ns), nanosecond(ms), epoch(ns), epoch_ns(ns), epoch_us(ns), epoch_ns(s), date_trunc('day', s), date_trunc('hour', ns), dayname(ns), last_day(s), strftime(ms, '%c %f'), time_bucket(INTERVAL 1 DAY, ns), date_diff('day', s, ns), age(s, ns), isfinite(s), isinf(ns), julian(ms), extract(epoch FROM s) FROM (SELECT moment::TIMESTAMP_S s, moment::TIMESTAMP_MS ms, moment::TIMESTAMP_NS ns FROM events);
SELECT moment::TIMESTAMP_S, moment::TIMESTAMP_MS, moment::TIMESTAMP_NS, day::TIMESTAMP_S, day::TIMESTAMP_NS FROM events;
SELECT s::TIMESTAMP, ms::TIMESTAMP, ns::TIMESTAMP, s::TIMESTAMP_NS, ms::TIMESTAMP_S, ns::TIMESTAMP_MS, s::DATE, ns::DATE, s::TIME, ns::TIME, s::TIMESTAMPTZ, ns::TIMESTAMPTZ, s::VARCHAR, ms::VARCHAR, ns::VARCHAR, s::TIMESTAMP_MS FROM (SELECT moment::TIMESTAMP_S s, moment::TIMESTAMP_MS ms, moment::TIMESTAMP_NS ns FROM events);
SELECT make_timestamp_ns(-9223372036854775806)::VARCHAR, make_timestamp_ns(0), make_timestamp_ns(v) FROM n;
-- both refuse
SELECT make_timestamp_ns(9223372036854775807);
-- both refuse
SELECT (TIMESTAMP_NS '1960-01-01 10:00:00.123456789')::TIMESTAMP_S;
SELECT TRY_CAST(TIMESTAMP_NS '1960-01-01 10:00:00.123456789' AS TIMESTAMP_S);
-- both refuse
SELECT (TIMESTAMP '1600-01-01 10:00:00.0005')::TIMESTAMP_NS;
SELECT TRY_CAST(TIMESTAMP '1600-01-01 10:00:00.0005' AS TIMESTAMP_NS), TRY_CAST('x' AS TIMESTAMP_S), TRY_CAST(1 AS TIMESTAMP_S), TRY_CAST('1600-01-01' AS TIMESTAMP_NS);
-- both refuse
SELECT 1::TIMESTAMP_S;
-- both refuse
SELECT TIME '10:00:00'::TIMESTAMP_S;
-- both refuse
SELECT '1600-01-01'::TIMESTAMP_NS;
-- both refuse
SELECT TIMESTAMP_S '300000-01-01';
SELECT (TIMESTAMP_S 'infinity')::VARCHAR, (TIMESTAMP_NS '-infinity')::VARCHAR, (TIMESTAMP_NS 'infinity')::TIMESTAMP::VARCHAR, ('infinity'::TIMESTAMP::TIMESTAMP_NS)::VARCHAR, isfinite(TIMESTAMP_NS 'infinity'), isinf(TIMESTAMP_S 'infinity'), ('infinity'::DATE::TIMESTAMP_MS)::VARCHAR, (TIMESTAMP_S 'infinity')::DATE::VARCHAR;
SELECT '2020-01-01'::TIMESTAMP(0), '2020-01-01'::TIMESTAMP(2), '2020-01-01'::TIMESTAMP(6), '2020-01-01'::TIMESTAMP(7), '2020-01-01'::TIMESTAMP(9);
SELECT max(s), min(ns), count(DISTINCT ms), first(s ORDER BY s) FROM (SELECT moment::TIMESTAMP_S s, moment::TIMESTAMP_MS ms, moment::TIMESTAMP_NS ns FROM events);
SELECT s, count(*) FROM (SELECT moment::TIMESTAMP_S s FROM events) GROUP BY s ORDER BY s;
SELECT a.s, b.ns FROM (SELECT moment::TIMESTAMP_S s FROM events) a JOIN (SELECT moment::TIMESTAMP_NS ns FROM events) b ON a.s = b.ns;
SELECT id FROM events WHERE moment::TIMESTAMP_S >= '2024-01-01' AND moment::TIMESTAMP_NS < TIMESTAMP '2024-12-01';
SELECT id FROM events WHERE moment::TIMESTAMP_S IN ('2024-02-29', TIMESTAMP '1970-01-01 00:00:01');
SELECT moment::TIMESTAMP_S FROM events UNION ALL SELECT day FROM events;
SELECT moment::TIMESTAMP_NS FROM events UNION SELECT moment FROM events;
SELECT greatest(TIMESTAMP_S '2020-01-01', TIMESTAMP_NS '2019-01-02'), CASE WHEN true THEN TIMESTAMP_S '2020-01-01' ELSE TIMESTAMP_MS '2020-01-01' END, nullif(TIMESTAMP_S '2020-01-01', TIMESTAMP '2020-01-01'), least(TIMESTAMP_MS '2020-01-01', DATE '2020-01-01');
SELECT lag(s) OVER (ORDER BY s), sum(1) OVER (ORDER BY s RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW) FROM (SELECT moment::TIMESTAMP_S s FROM events);
SELECT concat(moment::TIMESTAMP_NS, '!'), moment::TIMESTAMP_S || '?' FROM events;
SELECT TIMESTAMP_S '2020-01-01 12:00:00' - DATE '2020-01-01', DATE '2020-01-01' - TIMESTAMP_NS '2019-01-01';
SELECT [moment::TIMESTAMP_S], {'a': moment::TIMESTAMP_NS} FROM events;
SELECT (TIMESTAMP '1960-01-01 10:00:00.5')::TIMESTAMP_S, (TIMESTAMP '1960-01-01 10:00:00.0005')::TIMESTAMP_MS, '1960-01-01 10:00:00.5'::TIMESTAMP_S;
SELECT strptime('1992-01-01 08:38:40.123456', '%Y-%m-%d %H:%M:%S.%f')::TIMESTAMP_NS;
SELECT day = moment::TIMESTAMP_S, day < moment::TIMESTAMP_NS FROM events;
SELECT TIMESTAMP_NS '2020-01-01' AT TIME ZONE 'UTC';
SELECT '2024-01-01 01:02:03.987654'::TIMESTAMP(0);
SELECT '2024-01-01 01:02:03.987654'::TIMESTAMP(1);
SELECT moment::TIMESTAMP(3) FROM events;
SELECT moment::TIMESTAMP(7) FROM events;
SELECT moment::TIMESTAMP(9) FROM events;
SELECT moment::TIMESTAMP_S FROM events;
SELECT moment::TIMESTAMP_MS FROM events;
SELECT moment::TIMESTAMP_NS FROM events;
SELECT strptime('1992-01-01 08:38:40.123456789', '%Y-%m-%d %H:%M:%S.%n'), strptime('1.5', '%S.%n'), try_strptime('x', '%n'), try_strptime('2300-01-01 1', '%Y-%m-%d %n');
-- both refuse
SELECT strptime('2300-01-01 1', '%Y-%m-%d %n');
-- tqp refuses
SELECT strptime('1.5 +01', '%S.%n %z');
-- nanoseconds are kept: parts round them down, moves keep them and the type, averages have them
SELECT strftime(x, '%n %f %g %S %d %Y'), extract(year FROM x), extract(day FROM x), extract(second FROM x), extract(microsecond FROM x), microsecond(x), millisecond(x), nanosecond(x), epoch(x), epoch_us(x), epoch_ns(x), date_part(['year', 'second', 'epoch'], x) FROM (VALUES (TIMESTAMP_NS '2023-12-31 23:59:59.999999999'), ('1969-12-31 23:59:59.999999999'), ('1959-12-31 23:59:59.9999995'), ('infinity'), (NULL)) t(x);
SELECT (x + INTERVAL 1 DAY)::VARCHAR, (x - INTERVAL 1 MONTH)::VARCHAR, (INTERVAL '1 microsecond' + x)::VARCHAR, (x - i)::VARCHAR, typeof(x + i), typeof(x - INTERVAL 1 HOUR), date_add(x, i)::VARCHAR FROM (VALUES (TIMESTAMP_NS '2024-03-31 23:59:59.999999999', INTERVAL '1 month 1 microsecond'), ('1969-12-31 23:59:59.999999999', INTERVAL '-3 days'), ('infinity', INTERVAL '1 day'), ('-infinity', NULL), (NULL, INTERVAL '1 day')) t(x, i);
-- both refuse
SELECT TIMESTAMP_NS '2262-04-11 00:00:00' + INTERVAL 1 YEAR;
SELECT avg(x)::VARCHAR, typeof(avg(x)), mad(x), quantile_cont(x, 1), typeof(quantile_cont(x, 1)), quantile_disc(x, 0.5)::VARCHAR FROM (VALUES (TIMESTAMP_NS '2023-12-31 23:59:59.999999999'), ('1969-12-31 23:59:59.999999999'), ('1959-12-31 23:59:59.9999995')) t(x);
SELECT avg(x)::VARCHAR, typeof(avg(x)), avg(s)::VARCHAR, typeof(avg(s)) FROM (VALUES (TIMESTAMP_MS '2023-12-31 23:59:59.999', TIMESTAMP_S '2020-01-01'), ('1969-12-31 23:59:59.998', '2020-01-02')) t(x, s);
-- TIMESTAMPTZ_NS
SELECT x::VARCHAR, typeof(x), x::TIMESTAMP_NS::VARCHAR, x::TIMESTAMPTZ, x::DATE, x::TIMESTAMP, x::TIMESTAMP_MS, x::TIMESTAMP_S, (x + INTERVAL 1 DAY)::VARCHAR, typeof(x + INTERVAL 1 DAY), (x - INTERVAL 1 MONTH)::VARCHAR, extract(hour FROM x), extract(day FROM x), nanosecond(x), epoch_ns(x), strftime(x, '%n'), date_trunc('day', x), time_bucket(INTERVAL 1 DAY, x) FROM (VALUES (TIMESTAMPTZ_NS '2023-12-31 23:59:59.123456789+02'), ('2023-12-31 23:59:59.999999'), ('1960-01-01 00:00:00.000000001'), (NULL)) t(x);
SELECT (x AT TIME ZONE 'America/New_York')::VARCHAR, typeof(x AT TIME ZONE 'UTC'), (x::TIMESTAMP_NS AT TIME ZONE 'America/New_York')::VARCHAR, typeof(x::TIMESTAMP_NS AT TIME ZONE 'UTC'), (x::TIMESTAMP_MS AT TIME ZONE 'Europe/Berlin')::VARCHAR, typeof(DATE '2020-07-01' AT TIME ZONE 'Europe/Berlin'), DATE '2020-07-01' AT TIME ZONE 'Europe/Berlin' FROM (VALUES (TIMESTAMPTZ_NS '2023-12-31 23:59:59.999999999'), ('2020-07-01 12:00:00.000000001'), (NULL)) t(x);
SELECT max(x)::VARCHAR, min(x)::VARCHAR, count(DISTINCT x), avg(x)::VARCHAR, typeof(avg(x)), [x::VARCHAR FOR x IN list(x ORDER BY x)] FROM (VALUES (TIMESTAMPTZ_NS '2023-12-31 23:59:59.999999999'), ('2023-12-31 23:59:59.999999998'), ('2023-12-31 23:59:59.999999999'), (NULL)) t(x);
SELECT typeof(coalesce(x, TIMESTAMPTZ '2000-01-01')), x > TIMESTAMPTZ '2023-12-31 23:59:59.999999', x = TIMESTAMP '2020-01-01', x BETWEEN DATE '2020-01-01' AND TIMESTAMPTZ '2024-01-01', typeof(coalesce(x, TIMESTAMP_S '2000-01-01')) FROM (VALUES (TIMESTAMPTZ_NS '2023-12-31 23:59:59.999999999'), (TIMESTAMPTZ_NS '2020-01-01'), (NULL)) t(x);
SELECT a.x::VARCHAR, b.y FROM (VALUES (TIMESTAMPTZ_NS '2023-12-31 23:59:59.999999999'), ('2020-01-01')) a(x) JOIN (VALUES (TIMESTAMPTZ_NS '2023-12-31 23:59:59.999999999', 1), (TIMESTAMPTZ_NS '2023-12-31 23:59:59.999999998', 2)) b(x, y) ON a.x = b.x;
SELECT '2023-12-31 23:59:59.999999999'::TIMESTAMPTZ_NS::VARCHAR, TRY_CAST('x' AS TIMESTAMPTZ_NS), TRY_CAST('2500-01-01' AS TIMESTAMPTZ_NS), [x]::VARCHAR, {'a': x}::VARCHAR, x::VARCHAR::TIMESTAMPTZ_NS = x, to_json(x), UINT8 '5' FROM (VALUES (TIMESTAMPTZ_NS '2023-12-31 23:59:59.999999999')) t(x);
-- both refuse
SELECT coalesce(TIMESTAMPTZ_NS '2023-12-31', TIMESTAMP_NS '2020-01-01');
-- both refuse
SELECT TIMESTAMPTZ_NS '2500-01-01';
-- both refuse
SELECT TIMESTAMPTZ_NS '2020-01-01'::TIME;
-- TIME_NS
SELECT x::VARCHAR, typeof(x), x::TIME, x::VARCHAR::TIME_NS = x, hour(x), minute(x), second(x), microsecond(x), millisecond(x), nanosecond(x), epoch(x), epoch_us(x), epoch_ns(x), extract(second FROM x), date_part(['hour', 'microsecond'], x), extract(timezone FROM x), to_json(x), [x]::VARCHAR FROM (VALUES (TIME_NS '12:34:56.123456789'), ('00:00:00.0000000019'), ('23:59:59.9999999'), ('24:00:00'), ('2020-01-01 10:20:30.5'), (NULL)) t(x);
SELECT min(x)::VARCHAR, max(x)::VARCHAR, count(DISTINCT x), median(x)::VARCHAR, quantile_disc(x, 0.5)::VARCHAR, avg(x)::VARCHAR, typeof(avg(x)), mode(x)::VARCHAR, list(x ORDER BY x DESC)::VARCHAR[] FROM (VALUES (TIME_NS '12:34:56.123456789'), ('12:34:56.123456789'), ('12:34:56.123456788'), (NULL)) t(x);
SELECT x::TIME_NS::VARCHAR, TRY_CAST(x AS TIME_NS)::VARCHAR, x::TIME::TIME_NS::VARCHAR FROM (VALUES (TIMESTAMP_NS '2023-12-31 23:59:59.999999999'), ('1969-12-31 23:59:59.999999999'), ('1959-12-31 00:00:00.000000001'), (NULL)) t(x);
SELECT TRY_CAST('25:00:00' AS TIME_NS), TRY_CAST(s AS TIME_NS)::VARCHAR, TIME_NS '10:00:00' = '10:00:00', TIME_NS '10:00:00' < TIME_NS '10:00:00.000000001', typeof(coalesce(TIME_NS '10:00:00', '10:00:00')) FROM (VALUES ('1:2:3'), ('24:00:00.000000001'), ('x'), ('10:20')) t(s);
SELECT a.x::VARCHAR, y, count(*) OVER (PARTITION BY a.x) FROM (VALUES (TIME_NS '12:34:56.123456789'), ('01:00:00'), ('01:00:00'), (NULL)) a(x) LEFT JOIN (VALUES (TIME_NS '12:34:56.123456789', 1), (TIME_NS '12:34:56.123456788', 2)) b(x, y) ON a.x = b.x ORDER BY a.x NULLS FIRST;
SELECT hour(TIME '24:00:00'), extract(hour FROM x), extract(minute FROM x) FROM (VALUES (TIME '24:00:00'), ('23:59:59')) t(x);
-- both refuse
SELECT TIME_NS '10:00:00' + INTERVAL 1 HOUR;
-- both refuse
SELECT TIMESTAMP_NS 'infinity'::TIME_NS;
-- both refuse
SELECT TIME_NS '25:00:00';
-- both refuse
SELECT TIMESTAMP '2020-01-01'::TIME_NS;
-- both refuse
SELECT strftime(TIME_NS '10:00:00', '%n');
-- both refuse
SELECT extract(day FROM TIME_NS '10:00:00');
-- between two instants, to the nanosecond
SELECT median(x)::VARCHAR, median(x::TIMESTAMPTZ_NS)::VARCHAR, quantile_cont(x::TIMESTAMPTZ_NS, 0.3)::VARCHAR, quantile_cont(x::TIMESTAMPTZ_NS, -0.3)::VARCHAR, list_aggregate(list(x), 'median')::VARCHAR FROM (VALUES (TIMESTAMP_NS '2020-02-28 17:45:07.000000001'), ('2020-02-28 17:45:08.000001000')) t(x);
SELECT median(x)::VARCHAR, median(x::TIMESTAMPTZ_NS)::VARCHAR FROM (VALUES (TIMESTAMP_NS '1960-02-28 17:45:07.000000004'), ('1960-02-28 17:45:07.000000001')) t(x);
SELECT median(x)::VARCHAR FROM (VALUES (TIME_NS '10:00:00.000000001'), ('10:00:01')) t(x);
-- both refuse
SELECT quantile_cont(TIME_NS '10:00:00', 0.5);
-- both refuse
SELECT mad('2020-01-01'::TIMESTAMPTZ_NS);
