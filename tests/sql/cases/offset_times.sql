-- TIME WITH TIME ZONE
SELECT x::VARCHAR, typeof(x), x::TIME, x::VARCHAR::TIMETZ = x, hour(x), minute(x), second(x), microsecond(x), millisecond(x), nanosecond(x), epoch(x), epoch_us(x), epoch_ms(x), epoch_ns(x), extract(timezone FROM x), extract(timezone_hour FROM x), extract(timezone_minute FROM x), date_part(['hour', 'timezone'], x), to_json(x), [x]::VARCHAR FROM (VALUES (TIMETZ '10:20:30.5+02:30'), ('00:00:00-15:59:59'), ('24:00:00+01'), ('10:00:00'), ('1:2:3.1234567 +15:59:59'), (' 10:20:00 Z '), ('10:20'), ('10:00:00+0230'), (NULL)) t(x);
SELECT (x + INTERVAL 1 HOUR)::VARCHAR, (INTERVAL '30 hours 1 month' + x)::VARCHAR, (x - INTERVAL '10 minutes')::VARCHAR, typeof(x + INTERVAL 1 DAY), (DATE '2020-01-01' + x)::VARCHAR, typeof(x + DATE '2020-01-01') FROM (VALUES (TIMETZ '23:30:00+02'), ('24:00:00-01:30'), ('00:00:00+15'), (NULL)) t(x);
SELECT x::VARCHAR AS x FROM (VALUES (TIMETZ '23:59:59.999999+02'), ('23:59:59.999999+03'), ('00:00:00+03'), ('00:00:00-15:59:59'), ('00:00:00+15:59:59'), ('22:59:59.999999+01'), ('24:00:00+00'), (NULL)) t(x) ORDER BY t.x, 1;
SELECT TIMETZ '10:00:00+02' = TIMETZ '09:00:00+01', TIMETZ '10:00:00+02' < TIMETZ '09:00:00+01', TIMETZ '10:00:00+02' BETWEEN TIMETZ '09:00:00+02' AND '11:00:00+02', greatest(TIMETZ '10:00:00+02', TIMETZ '10:00:00+03')::VARCHAR, TIMETZ '10:00:00+02' IN ('10:00:00+02', '09:00:00+01'), TIMETZ '10:00:00+02' IS DISTINCT FROM TIMETZ '09:00:00+01';
SELECT min(x)::VARCHAR, max(x)::VARCHAR, count(DISTINCT x), mode(x)::VARCHAR, list(x ORDER BY x)::VARCHAR[], quantile_disc(x, 0.5)::VARCHAR FROM (VALUES (TIMETZ '10:00:00+02'), ('09:00:00+01'), ('10:00:00+02'), (NULL)) t(x);
SELECT x::VARCHAR AS x, count(*), min(y) FROM (VALUES (TIMETZ '10:00:00+02', 1), ('09:00:00+01', 2), ('10:00:00+02', 3), (NULL, 4)) t(x, y) GROUP BY t.x;
SELECT a.x::VARCHAR, b.y FROM (VALUES (TIMETZ '10:00:00+02'), ('09:00:00+01'), (NULL)) a(x) LEFT JOIN (VALUES (TIMETZ '10:00:00+02', 1), ('08:00:00+00', 2)) b(x, y) ON a.x = b.x;
SELECT TIME '10:00:00'::TIMETZ::VARCHAR, TIMESTAMPTZ '2020-01-01 10:00:00+02'::TIMETZ::VARCHAR, TIMESTAMP '2020-01-01 10:00:00'::TIMETZ::VARCHAR, TRY_CAST('abc' AS TIMETZ), TRY_CAST('10:00:00+16' AS TIMETZ), TRY_CAST('24:00:01+02' AS TIMETZ), TIME WITH TIME ZONE '10:00:00+01'::VARCHAR, lag(x) OVER (ORDER BY x)::VARCHAR FROM (VALUES (TIMETZ '10:00:00+02'), ('10:00:00+01')) t(x);
-- both refuse
SELECT TIMETZ '10:00:00+16';
-- both refuse
SELECT '10:00+01'::TIMETZ;
-- both refuse
SELECT '10:00:00 UTC'::TIMETZ;
-- both refuse
SELECT TIMETZ '10:00:00+02' - TIMETZ '09:00:00+02';
-- both refuse
SELECT strftime(TIMETZ '10:00:00+02', '%H');
-- both refuse
SELECT date_trunc('hour', TIMETZ '10:00:00+02');
-- both refuse
SELECT coalesce(TIMETZ '10:00:00+02', TIME '10:00:00');
-- both refuse
SELECT extract(day FROM TIMETZ '10:00:00+02');
-- both refuse
SELECT TIMETZ '10:00:00+02'::TIMESTAMP;
-- both refuse
SELECT DATE '2020-01-01'::TIMETZ;
-- between two times, and averages: in UTC
SELECT g, avg(x), median(x), quantile_cont(x, 0.25), quantile_cont(x, [0.1, 0.9])::VARCHAR, quantile_cont(x, 0.3 ORDER BY x DESC), quantile_disc(x, 0.25) FROM (VALUES (1, '23:00:00-10'::TIMETZ), (1, '23:31:00-10'), (1, '01:00:00+01'), (1, '02:00:00.000003+03'), (2, NULL), (3, '10:00:00+02'), (3, '10:00:00+02'), (4, '10:00:00+02'), (4, '11:00:00+03'), (5, '00:00:00+15:59:59')) t(g, x) GROUP BY g;
SELECT x, avg(x) OVER (ORDER BY x ROWS 1 PRECEDING), median(x) OVER (ORDER BY x), avg(DISTINCT x) OVER () FROM (VALUES ('00:30:00+10'::TIMETZ), ('00:00:00.000001+10'), (NULL), ('10:00:00+01')) t(x);
SELECT i, timezone(i, x), x AT TIME ZONE i, typeof(timezone(i, x)) FROM (VALUES (INTERVAL 2 HOUR, '10:00:00+02'::TIMETZ), (INTERVAL '-5:30', '23:00:00+02'), (INTERVAL '1 day 3 months', '10:00:00+02'), (INTERVAL '-1.5 seconds', '00:00:00+00'), (INTERVAL '-15:59:59', '10:00:00+02'), (NULL, '10:00:00+02'), (INTERVAL 3 HOUR, NULL)) t(i, x);
-- both refuse
SELECT timezone(INTERVAL 20 HOUR, '10:00:00+02'::TIMETZ);
-- both refuse
SELECT timezone(INTERVAL 2 HOUR, TIMESTAMP '2020-01-01');
