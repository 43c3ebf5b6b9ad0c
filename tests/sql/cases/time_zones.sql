-- TIMESTAMP WITH TIME ZONE by the clocks of a zone; `test_time_zones` runs these in several zones.
SELECT TIMESTAMP '2021-03-28 02:30:00'::TIMESTAMPTZ, TIMESTAMP '2021-10-31 02:30:00'::TIMESTAMPTZ, '2021-10-31 02:30:00'::TIMESTAMPTZ, DATE '2021-07-01'::TIMESTAMPTZ;
SELECT (moment::TIMESTAMPTZ)::VARCHAR, (day::TIMESTAMPTZ)::VARCHAR, moment::TIMESTAMPTZ::DATE, moment::TIMESTAMPTZ::TIMESTAMP FROM events;
SELECT TIMESTAMPTZ '1500-01-01 00:00:00+00'::VARCHAR, TIMESTAMPTZ '0044-03-15 (BC) 00:00:00+00'::VARCHAR, TIMESTAMPTZ '290000-07-01 00:00:00+00'::VARCHAR, 'infinity'::TIMESTAMPTZ::VARCHAR, '-infinity'::TIMESTAMPTZ::DATE::VARCHAR;
SELECT TIMESTAMP '290308-07-01 (BC) 00:00:00'::TIMESTAMPTZ::VARCHAR;
SELECT extract(epoch FROM t), extract(timezone FROM t), timezone_hour(t), timezone_minute(t), julian(t), timezone(t), year(t), hour(t), week(t), dayname(t), monthname(t), last_day(t), days_in_month(t), nanosecond(t), isodow(t), yearweek(t), date_part('hour', t) FROM (SELECT moment::TIMESTAMPTZ t FROM events);
SELECT date_diff('hour', a, b), date_diff('day', a, b), date_diff('week', a, b), date_diff('month', a, b), date_sub('day', a, b), date_sub('hour', a, b), date_sub('month', a, b), date_sub('week', a, b), datediff('year', a, b), date_diff('decade', a, b), date_diff('quarter', a, b), date_diff('isoyear', a, b), date_diff('microsecond', a, b) FROM (VALUES (TIMESTAMPTZ '2021-10-30 12:00:00+00', TIMESTAMPTZ '2021-10-31 12:00:00+00'), (TIMESTAMPTZ '2021-10-30 22:30:00+00', TIMESTAMPTZ '2021-10-31 22:30:00+00'), (TIMESTAMPTZ '2021-10-31 00:30:00+00', TIMESTAMPTZ '2021-10-31 01:30:00+00'), (TIMESTAMPTZ '2021-03-27 12:00:00+00', TIMESTAMPTZ '2021-03-28 11:30:00+00'), (TIMESTAMPTZ '2021-03-28 11:30:00+00', TIMESTAMPTZ '2020-02-29 12:00:00+00'), (NULL, TIMESTAMPTZ '2020-02-29 12:00:00+00'), ('infinity', TIMESTAMPTZ '2020-02-29 12:00:00+00')) v(a, b);
SELECT (t + INTERVAL '1 month')::VARCHAR, (t + INTERVAL '24 hours')::VARCHAR, (t + INTERVAL '1 day 1 hour')::VARCHAR, (t - INTERVAL '1 day')::VARCHAR, (t - INTERVAL '1 month 1 hour')::VARCHAR, (t + INTERVAL '1 month -1 day 3 hours')::VARCHAR, (INTERVAL '1 year' + t)::VARCHAR, (t - INTERVAL '1 month 1 day')::VARCHAR FROM (VALUES (TIMESTAMPTZ '2021-03-27 12:00:00+00'), (TIMESTAMPTZ '2021-03-27 01:30:00+00'), (TIMESTAMPTZ '2021-10-30 00:30:00+00'), (TIMESTAMPTZ '2021-03-31 00:30:00+00'), (TIMESTAMPTZ '2021-03-28 00:30:00+00'), (NULL), ('-infinity')) v(t);
SELECT a - b, age(a, b), b - a, age(b, a) FROM (VALUES (TIMESTAMPTZ '2021-03-28 12:00:00+00', TIMESTAMPTZ '2021-03-27 12:00:00+00'), (TIMESTAMPTZ '2021-05-28 11:00:00+00', TIMESTAMPTZ '2021-03-27 12:00:00+00'), (TIMESTAMPTZ '2021-03-27 11:00:00+00', TIMESTAMPTZ '2021-05-27 12:00:00+00'), (TIMESTAMPTZ '2021-03-01 00:00:00+00', TIMESTAMPTZ '2020-02-29 00:00:00+00'), (NULL, TIMESTAMPTZ '2020-02-29 00:00:00+00')) v(a, b);
SELECT strftime(t, '%Y-%m-%d %H:%M:%S %Z %z|%j %U %A %p %I %f %c'), strftime('%x %z', t) FROM (VALUES (TIMESTAMPTZ '2021-05-28 11:00:00+00'), (TIMESTAMPTZ '1880-05-28 11:00:00+00'), (NULL), ('infinity')) v(t);
SELECT make_timestamptz(2021,3,28,2,30,0)::VARCHAR, make_timestamptz(2021,13,40,2,30,0)::VARCHAR, make_timestamptz(2021,3,28,2,30,0,'America/New_York')::VARCHAR, make_timestamptz(2021,3,28,25,61,61.5)::VARCHAR, make_timestamptz(2021,0,0,-1,0,0)::VARCHAR, to_timestamp(0)::VARCHAR;
SELECT time_bucket(INTERVAL '1 day', t)::VARCHAR, time_bucket(INTERVAL '1 month', t)::VARCHAR, time_bucket(INTERVAL '7 days', t)::VARCHAR, time_bucket(INTERVAL '1 day', t, INTERVAL '1 hour')::VARCHAR, time_bucket(INTERVAL '1 day', t, TIMESTAMPTZ '2021-01-01 05:00:00+00')::VARCHAR FROM (VALUES (TIMESTAMPTZ '2021-07-01 23:00:00+00'), (TIMESTAMPTZ '1921-07-01 23:00:00+00')) v(t);
SELECT (TIMESTAMP '2021-03-28 02:30:00' AT TIME ZONE 'Europe/Berlin')::VARCHAR, (TIMESTAMP '2021-03-28 02:30:00' AT TIME ZONE 'europe/berlin')::VARCHAR, (TIMESTAMP '2021-03-28 02:30:00' AT TIME ZONE 'PST')::VARCHAR, (TIMESTAMP '2021-03-28 02:30:00' AT TIME ZONE NULL)::VARCHAR, TIMESTAMPTZ '2021-03-28 02:30:00+00' AT TIME ZONE 'America/New_York', timezone('Asia/Kolkata', TIMESTAMPTZ '2020-01-01 00:00:00+00');
-- both refuse
SELECT TIMESTAMP '2021-03-28 02:30:00' AT TIME ZONE 'nowhere';
-- both refuse
SELECT TIMESTAMP '2021-03-28 02:30:00' AT TIME ZONE '+02:00';
-- both refuse
SELECT '2021-03-28 01:00:00' AT TIME ZONE 'America/New_York';
-- both refuse
SELECT TIME '02:30:00' AT TIME ZONE 'America/New_York';
-- both refuse
SELECT timezone(INTERVAL '1 hour', TIMESTAMPTZ '2021-03-28 02:30:00+00');
SELECT moment AT TIME ZONE z, (moment AT TIME ZONE z) AT TIME ZONE 'UTC' FROM events, (VALUES ('Asia/Tokyo'), ('America/New_York'), (NULL), ('utc')) v(z);
SELECT TIMESTAMPTZ '2021-03-28 02:30:00+00' = TIMESTAMP '2021-03-28 04:30:00', DATE '2021-03-28' < TIMESTAMPTZ '2021-03-27 23:30:00+00';
SELECT ('2021-03-28 02:30:00 America/New_York'::TIMESTAMPTZ)::VARCHAR, ('2021-03-28 12:30:00 EST'::TIMESTAMPTZ)::VARCHAR, ('2021-03-28'::TIMESTAMPTZ)::VARCHAR, '2021-03-28 12:30:00 America/New_York'::TIMESTAMP, '2021-03-28 12:30:00+02'::TIMESTAMP, '2021-03-28 12:30:00+02'::DATE, '2021-03-28 12:30:00 Nowhere'::TIMESTAMP, '2021-03-28 12:30:00 EST'::DATE;
-- both refuse
SELECT '2021-03-28 12:30:00 Nowhere'::TIMESTAMPTZ;
SELECT TRY_CAST(x AS TIMESTAMPTZ)::VARCHAR, TRY_CAST(x AS TIMESTAMP) FROM (VALUES ('2021-03-28 12:30:00 Nowhere'), ('2021-03-28 12:30:00America/New_York'), ('2021-03-28 12:30:00  EST '), ('2021-03-28 EST'), ('2021-03-28 +02'), ('2021-03-28 12:30:00 Etc/GMT+2'), ('2021-03-28 12:30 EST'), ('2021-03-28T12:30:00EST'), ('2021-03-28 12:30:00 z'), ('2021-03-28 12:30:00 utc'), ('2021-03-28 02:30:00'), ('2021-10-31 02:30:00'), ('2021-07-31'), ('infinity'), (NULL), ('2021-03-28 12:30:00 -0330'), ('2021-03-28 12:30:00+2'), ('2021-03-28 12:30:00-03:30:15')) v(x);
-- both refuse
SELECT '2021-07-28 12:30:00'::TIMESTAMPTZ::TIME;
SELECT count(*) FROM events WHERE moment::TIMESTAMPTZ < '2024-02-29 23:59:59.999999';
SELECT id FROM events WHERE moment::TIMESTAMPTZ IN ('2024-02-29 00:00:00', TIMESTAMPTZ '1970-01-01 00:00:01');
SELECT max(t)::VARCHAR, min(t)::VARCHAR, count(DISTINCT t) FROM (SELECT moment::TIMESTAMPTZ t FROM events);
SELECT t, sum(1) OVER (ORDER BY t RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW) FROM (SELECT moment::TIMESTAMPTZ t FROM events);
WITH c AS (SELECT moment::TIMESTAMPTZ t FROM events) SELECT a.t, hour(b.t) FROM c a JOIN c b ON a.t = b.t;
SELECT moment::TIMESTAMPTZ AS t, (SELECT hour(max(e.moment)::TIMESTAMPTZ) FROM events e) FROM events;
SELECT strptime('2020-01-01 10:00:00 +02:00', '%Y-%m-%d %H:%M:%S %z')::VARCHAR;
SELECT now()::DATE = current_date, localtimestamp = now()::TIMESTAMP, age(TIMESTAMPTZ '2020-01-01 00:00:00+00') > INTERVAL 1 YEAR, extract(hour FROM now()) = extract(hour FROM localtimestamp);
SELECT moment::TIMESTAMPTZ t, concat(moment::TIMESTAMPTZ, 'x'), moment::TIMESTAMPTZ || '!' FROM events;
SELECT coalesce(moment::TIMESTAMPTZ, day, '2020-01-01') , greatest(moment::TIMESTAMPTZ, day), CASE WHEN id = 1 THEN day ELSE moment::TIMESTAMPTZ END FROM events;
SELECT moment::TIMESTAMPTZ t FROM events UNION ALL SELECT day FROM events;
SELECT DATE '2021-03-28' + INTERVAL 1 DAY > TIMESTAMPTZ '2021-03-28 22:30:00+00';
SELECT TIMESTAMP '290308-01-01 (BC)' AT TIME ZONE 'Asia/Tokyo';
-- both refuse
SELECT TIMESTAMPTZ '294247-01-10 04:00:00+00' + INTERVAL 1 DAY;
SELECT date_trunc('day', t)::VARCHAR, date_trunc('week', t)::VARCHAR, date_trunc('month', t)::VARCHAR, date_trunc('decade', t)::VARCHAR, date_trunc('second', t)::VARCHAR FROM (VALUES (TIMESTAMPTZ '2021-03-28 12:00:00+00'), (TIMESTAMPTZ '2021-03-31 22:30:00+00'), (NULL), ('infinity')) v(t);
SELECT date_trunc('hour', TIMESTAMPTZ '2021-10-31 00:30:00+00')::VARCHAR;
SELECT (t + INTERVAL '1 day')::VARCHAR FROM (VALUES (TIMESTAMPTZ '2021-03-27 12:00:00+00'), (TIMESTAMPTZ '2021-03-27 01:30:00+00'), (TIMESTAMPTZ '2021-10-30 00:30:00+00'), (TIMESTAMPTZ '2021-10-30 01:30:00+00')) v(t);
SELECT DATE '2021-03-28' AT TIME ZONE 'America/New_York';
SELECT strptime('2020-01-01 10:00:00 America/New_York', '%Y-%m-%d %H:%M:%S %Z')::VARCHAR, strptime('2021-03-28 02:30   PST', '%Y-%m-%d %H:%M %Z')::VARCHAR, strptime('2020-01-01 utc', '%Y-%m-%d %Z')::VARCHAR, strptime('2020-01-01 +02 UTC', '%Y-%m-%d %z %Z')::VARCHAR, try_strptime(NULL, '%Z');
-- both refuse
SELECT strptime('2020-01-01 Nowhere', '%Y-%m-%d %Z');
-- both refuse
SELECT strptime('2020-01-01 ', '%Y-%m-%d %Z');
-- instants within lists, structs and maps, and series of them
SELECT ['2021-07-01 12:00:00+00'::TIMESTAMPTZ, NULL]::VARCHAR, {'a': '2021-07-01 12:00:00+00'::TIMESTAMPTZ}::VARCHAR;
SELECT '[2021-07-01, 2021-12-31 23:00:00]'::TIMESTAMPTZ[]::VARCHAR, TRY_CAST('[x, 2021-07-01]' AS TIMESTAMPTZ[])::VARCHAR;
SELECT '{a: 2021-07-01}'::STRUCT(a TIMESTAMPTZ)::VARCHAR, '{k=2021-07-01}'::MAP(VARCHAR, TIMESTAMPTZ)::VARCHAR;
SELECT list(x)::TIMESTAMPTZ[]::VARCHAR, list(x::VARCHAR)::TIMESTAMPTZ[]::VARCHAR FROM (VALUES (TIMESTAMP '2021-07-01'), (NULL)) t(x);
SELECT list(x)::TIMESTAMP[], list(x)::DATE[], array_to_string(list(x), ', ') FROM (VALUES (TIMESTAMPTZ '2021-07-01 22:30:00+00'), (NULL)) t(x);
SELECT list_transform([TIMESTAMPTZ '2021-07-01 22:30:00+00'], lambda x: x::VARCHAR || hour(x)), [x::DATE for x in ['2021-07-01 22:30:00+00'::TIMESTAMPTZ]];
SELECT list_transform(['2021-07-01 22:30:00'], lambda x: epoch(x::TIMESTAMPTZ)), [[TIMESTAMPTZ '2021-07-01 22:30:00+00']]::VARCHAR;
SELECT range(TIMESTAMPTZ '2021-03-12', TIMESTAMPTZ '2021-03-16', INTERVAL 1 DAY)::VARCHAR;
SELECT range(TIMESTAMPTZ '2021-03-12', TIMESTAMPTZ '2021-03-16', INTERVAL 0 DAY)::VARCHAR;
SELECT generate_series(TIMESTAMPTZ '2021-03-27 01:30:00', TIMESTAMPTZ '2021-03-29', INTERVAL 6 HOUR)::VARCHAR;
SELECT x::VARCHAR FROM generate_series(TIMESTAMPTZ '2021-01-31', TIMESTAMPTZ '2021-12-31', INTERVAL 1 MONTH) t(x);
SELECT x::VARCHAR FROM range(TIMESTAMPTZ '2021-11-10', TIMESTAMPTZ '2021-10-25', INTERVAL '-1 day') t(x);
SELECT id, x::VARCHAR FROM (VALUES (1, DATE '2021-03-13'), (2, NULL), (3, DATE '2021-10-30')) v(id, d), range(d::TIMESTAMPTZ, d + INTERVAL 3 DAY, INTERVAL 1 DAY) t(x) ORDER BY ALL;
-- periods by the clocks of a zone, and of hours from when these show 2000-01-03
SELECT time_bucket(INTERVAL '1 day', t, 'Europe/Berlin')::VARCHAR, time_bucket(INTERVAL '3 days', t, 'America/New_York')::VARCHAR, time_bucket(INTERVAL '1 month', t, 'Europe/Berlin')::VARCHAR, time_bucket(INTERVAL '7 hours', t, 'Europe/Berlin')::VARCHAR, time_bucket(INTERVAL '36 hours', t, z)::VARCHAR, time_bucket('1 week', t, z)::VARCHAR FROM (VALUES (TIMESTAMPTZ '2020-03-29 00:30:00+00', 'Asia/Kolkata'), (TIMESTAMPTZ '1850-06-06 10:10:10.5+00', 'America/St_Johns'), (NULL, 'UTC'), (TIMESTAMPTZ '2020-10-25 00:30:00+00', NULL), (TIMESTAMPTZ 'infinity', 'UTC')) v(t, z);
SELECT time_bucket(INTERVAL '1 day 2 hours', t, NULL::VARCHAR)::VARCHAR, time_bucket(NULL, t, 'Europe/Berlin')::VARCHAR FROM (VALUES (TIMESTAMPTZ '2020-03-29 00:30:00+00')) v(t);
-- both refuse
SELECT time_bucket(INTERVAL '1 day 2 hours', TIMESTAMPTZ '2020-03-29 00:30:00+00')::VARCHAR;
-- both refuse
SELECT time_bucket(INTERVAL '1 day 2 hours', TIMESTAMPTZ '2020-03-29 00:30:00+00', 'Europe/Berlin')::VARCHAR;
-- both refuse
SELECT time_bucket(INTERVAL '1 day', TIMESTAMPTZ '2020-03-29 00:30:00+00', 'nowhere')::VARCHAR;
-- both refuse
SELECT time_bucket(INTERVAL '1 day', TIMESTAMP '2020-03-29 00:30:00', 'Europe/Berlin');
-- parts of dates that differ by row
SELECT date_trunc(m, t)::VARCHAR, date_part(m, t), date_diff(m, t, TIMESTAMPTZ '2021-07-01 05:06:07+00'), date_sub(m, t, TIMESTAMPTZ '2021-07-01 05:06:07+00') FROM (VALUES ('month', TIMESTAMPTZ '2020-03-31 23:30:00+00'), ('day', TIMESTAMPTZ '2020-10-25 00:30:00+00'), ('hour', TIMESTAMPTZ '2020-03-29 05:30:00+00'), ('year', NULL), (NULL, TIMESTAMPTZ '2020-03-29 05:30:00+00')) v(m, t);
SELECT m, date_part(m, TIMESTAMPTZ '2020-12-31 23:30:00+00') FROM (VALUES ('timezone'), ('timezone_hour'), ('timezone_minute'), ('epoch'), ('hour'), ('year')) v(m);
SELECT x::VARCHAR, (x + INTERVAL 1 MONTH)::VARCHAR, extract(hour FROM x), extract(timezone FROM x), strftime(x, '%H %n %Z'), x::TIMESTAMP_NS::VARCHAR, x::DATE, x::TIMESTAMP, [x]::VARCHAR, '2020-07-01 00:00:00.123456789'::TIMESTAMPTZ_NS::VARCHAR, x::VARCHAR::TIMESTAMPTZ_NS = x, x::TIMESTAMP_NS::TIMESTAMPTZ_NS = x, to_json(x) FROM (VALUES (TIMESTAMPTZ_NS '2020-07-01 23:30:00.123456789+00'), ('2020-01-01 00:00:00.000000001+00'), ('infinity'), (NULL)) t(x);
-- days that clocks skip are none, and ages are what calendars show
SELECT time_bucket(INTERVAL '1 week', t, 'Pacific/Apia')::VARCHAR, time_bucket(INTERVAL '10 days', t, 'Pacific/Apia')::VARCHAR, time_bucket(INTERVAL '2 weeks', t, 'Pacific/Kwajalein')::VARCHAR, time_bucket(INTERVAL '1 month', t, 'Pacific/Apia')::VARCHAR FROM (VALUES (TIMESTAMPTZ '2041-11-17 13:46:44+00'), (TIMESTAMPTZ '2011-12-30 09:59:59+00'), (TIMESTAMPTZ '2011-12-30 10:00:00+00'), (TIMESTAMPTZ '1973-01-10 11:25:48+00'), (NULL), ('infinity')) v(t);
SELECT age(a, b)::VARCHAR, age(b, a)::VARCHAR, (a - b)::VARCHAR, (b - a)::VARCHAR, date_diff('week', a, b), date_sub('isoyear', a, b), date_diff('isoyear', a, b) FROM (VALUES (TIMESTAMPTZ '1955-05-21 11:56:26.863576+00', TIMESTAMPTZ '1954-07-27 11:59:46.907571+00'), (TIMESTAMPTZ '2007-01-31 16:00:04+00', TIMESTAMPTZ '2008-08-29 12:23:33+00'), (TIMESTAMPTZ '1977-10-29 22:00:23+00', TIMESTAMPTZ '1979-02-20 18:44:44+00'), (TIMESTAMPTZ '1962-07-05 11:26:32+00', TIMESTAMPTZ '1964-07-04 16:07:24+00')) v(a, b);
SELECT {'a': t}::JSON, to_json([t]), to_json(MAP {1: t}), json_array([t], 1), json_object('a', {'b': t}), array_to_json([t]), row_to_json({'b': t}), union_value(a := t)::VARCHAR, to_json(union_value(a := t)), [t]::UNION(a INT, b TIMESTAMPTZ)[]::VARCHAR FROM (VALUES (TIMESTAMPTZ '2021-05-28 11:00:00+00'), (NULL)) v(t) ORDER BY t;
SELECT json_group_array(t), json_group_array([t]), json_group_object(k, t) FROM (VALUES (TIMESTAMPTZ '2021-05-28 11:00:00+00', 'a'), ('2021-01-01 00:00:00+00', 'b')) v(t, k) WHERE k = 'a';
SELECT '{"a": "2021-05-28 11:00:00"}'::JSON::STRUCT(a TIMESTAMPTZ), '["2021-05-28 11:00:00"]'::JSON::TIMESTAMPTZ[], TIMESTAMP '2021-05-28 11:00:00'::UNION(a TIMESTAMPTZ, b VARCHAR)::VARCHAR;
SELECT moment::TIMESTAMPTZ::VARIANT::VARCHAR, moment::TIMESTAMPTZ::VARIANT::TIMESTAMP, moment::TIMESTAMPTZ::VARIANT::DATE, moment::TIMESTAMPTZ::VARIANT::JSON, moment::VARIANT::TIMESTAMPTZ, moment::TIMESTAMPTZ::VARIANT::TIMESTAMPTZ FROM events;
SELECT [v]::VARCHAR, {'a': v}::VARCHAR, [v]::VARIANT::VARCHAR, variant_extract_string({'a': v}::VARIANT, 'a'), '2021-07-01 12:00:00'::VARIANT::TIMESTAMPTZ = v FROM (SELECT TIMESTAMPTZ '2021-07-01 12:00:00+00'::VARIANT AS v);
SELECT {'a': TIMESTAMP '2021-07-01 12:00:00'}::VARIANT::STRUCT(a TIMESTAMPTZ), [TIMESTAMPTZ '2021-07-01 12:00:00+00']::VARIANT::TIMESTAMP[], TRY_CAST('x'::VARIANT AS TIMESTAMPTZ), hex(variant_comparator(TIMESTAMPTZ '2021-07-01 12:00:00+00'::VARIANT));
SELECT time_bucket(INTERVAL 1 MONTH, s AT TIME ZONE 'UTC', 'Asia/Kolkata') AS a, time_bucket(INTERVAL 1 DAY, s AT TIME ZONE 'UTC', 'Asia/Kolkata') AS b,
    time_bucket(INTERVAL 1 HOUR, n AT TIME ZONE 'UTC', 'Europe/Berlin') AS c
FROM (VALUES (TIMESTAMP_S '2020-02-05 00:00:00', TIMESTAMP_NS '2020-02-05 00:30:00.123456789'), (NULL, NULL)) AS t(s, n);
-- whole months are those that can be added to the first instant, also backwards and over days that are skipped, of milliseconds
SELECT a, b, date_sub('month', a, b), date_sub('month', b, a), date_sub('quarter', b, a), date_sub('year', a, b), date_sub('day', a, b), date_sub('hour', a, b) FROM (VALUES (TIMESTAMPTZ '2010-02-28 16:00:00+00', TIMESTAMPTZ '2010-03-29 10:00:00+00'), ('2010-02-28 16:00:00+00', '2010-05-31 13:00:00+00'), ('2011-06-30 13:00:00+00', '2011-12-31 05:00:00+00'), ('2011-06-29 13:00:00+00', '2011-12-30 05:00:00+00'), ('2012-02-29 10:00:00+00', '2013-02-28 10:00:00+00'), ('2012-01-05 10:00:00.0005+00', '2012-02-05 10:00:00.0001+00'), ('1964-01-05 10:00:00.0005+00', '1964-01-06 10:00:00.0001+00'), (NULL, '2012-01-01 00:00:00+00'), ('2012-01-01 00:00:00+00', 'infinity')) v(a, b);
-- periods by the clocks of zones that differ by row
SELECT time_bucket(INTERVAL '1 day', t, z)::VARCHAR, time_bucket(INTERVAL '1 week', t, z)::VARCHAR, time_bucket(INTERVAL '1 month', t, z)::VARCHAR FROM (VALUES (TIMESTAMPTZ '2011-12-29 11:00:00+00', 'Pacific/Apia'), ('2012-01-05 11:00:00+00', 'Pacific/Apia'), ('2012-01-01 11:00:00+00', 'Europe/Berlin'), ('2012-01-01 11:00:00+00', NULL), (NULL, 'UTC'), ('infinity', 'UTC')) v(t, z);
-- a format before an instant writes what clocks show in UTC
SELECT strftime('%x %X %z|%Z', t), strftime(t, '%x %X %z|%Z'), strftime('%H %n', t::TIMESTAMPTZ_NS) FROM (VALUES (TIMESTAMPTZ '2011-12-30 09:59:59+00'), ('2011-12-30 10:00:00+00'), (NULL), ('infinity')) v(t);
