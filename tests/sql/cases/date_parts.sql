-- a part is a value: of a column, an expression, a subquery, the argument of a lambda; and a name is a column
SELECT date_trunc(m, ts), datetrunc(m, d), date_trunc(m, i), date_part(m, ts), datepart(m, d) FROM (VALUES ('month', TIMESTAMP '2024-05-17 13:14:15.678', DATE '2024-05-17', INTERVAL '1 year 2 months 3 days'), ('Y', '2021-02-03 04:05:06', '2021-02-03', '5 days'), (NULL, '2021-02-03 04:05:06', NULL, NULL), ('day', NULL, '2021-02-03', '5 days')) v(m, ts, d, i);
SELECT date_diff(m, ts, TIMESTAMP '2025-01-01'), datediff(m, d, DATE '2025-01-01'), date_sub(m, ts, TIMESTAMP '2025-01-01'), datesub(m, d, DATE '2025-01-01') FROM (VALUES ('month', TIMESTAMP '2024-05-17 13:14:15.678', DATE '2024-05-17'), ('w', '2021-02-03 04:05:06', '2021-02-03'), (NULL, '2021-02-03 04:05:06', NULL), ('day', NULL, '2021-02-03')) v(m, ts, d);
SELECT date_part(m, i) FROM (VALUES ('month', INTERVAL '1 year 2 months 3 days'), ('epoch', '5 days'), ('s', '5 seconds')) v(m, i);
SELECT m, date_part(m, TIMESTAMP '2024-05-17 13:14:15.678'), date_part(m, DATE '2024-05-17') FROM (VALUES ('millennium'), ('c'), ('dec'), ('y'), ('isoyear'), ('quarter'), ('month'), ('yearweek'), ('week'), ('d'), ('dow'), ('isodow'), ('doy'), ('julian'), ('era'), ('hour'), ('minute'), ('second'), ('ms'), ('us'), ('epoch')) v(m);
SELECT m, date_trunc(m, TIMESTAMP '2024-05-17 13:14:15.678'), date_trunc(m, DATE '2024-05-17') FROM (VALUES ('millennium'), ('c'), ('dec'), ('y'), ('isoyear'), ('quarter'), ('month'), ('yearweek'), ('week'), ('d'), ('dow'), ('isodow'), ('doy'), ('julian'), ('hour'), ('minute'), ('second'), ('ms'), ('us'), ('epoch')) v(m);
SELECT m, date_part(m, TIME '13:14:15.5'), date_diff(m, TIME '13:14:15.5', TIME '23:10:00') FROM (VALUES ('hour'), ('min'), ('epoch'), ('ms')) v(m);
SELECT date_trunc((SELECT 'month'), moment), date_part((SELECT max('year')), moment), date_diff((SELECT 'day'), day, DATE '2024-05-17') FROM events;
SELECT date_trunc(lower('MONTH'), moment), date_part('mon' || 'th', moment), date_part('epo' || 'ch', moment), date_diff('da' || 'y', day, DATE '2024-05-17') FROM events;
SELECT list_transform(['month', 'year', NULL], lambda x: date_trunc(x, moment)), list_transform(['month', 'epoch'], lambda x: date_part(x, moment)), list_transform(['month', 'd'], lambda x: date_diff(x, DATE '2020-01-01', day)), list_transform([day], lambda x: date_trunc('month', x)) FROM events;
SELECT date_trunc(month, ts), date_trunc("month", ts), date_part(month, ts), date_trunc(v.month, v.ts), extract(month FROM ts) FROM (VALUES ('year', TIMESTAMP '2020-03-04')) v(month, ts);
SELECT date_trunc(s.m, ts), date_trunc(s['m'], ts) FROM (VALUES ({'m': 'year'}, TIMESTAMP '2020-03-04')) v(s, ts);
SELECT date_trunc(e, d), date_part(e, d), date_diff(e, d, DATE '2024-01-01') FROM (VALUES ('month'::ENUM('day', 'month'), DATE '2020-02-03')) v(e, d);
SELECT date_trunc(NULL, day), date_part(NULL, day), date_diff(NULL, day, day), date_trunc(NULL::VARCHAR, moment), date_sub(NULL, day, day) FROM events;
SELECT m, count(*) FROM (VALUES ('month', DATE '2020-02-03'), ('year', '2020-07-08'), ('month', '2020-02-28')) v(m, d) GROUP BY m, date_trunc(m, d) ORDER BY ALL;
SELECT date_part(m, d), date_trunc(m, d), date_diff(m, d, d) FROM (VALUES ('nonsense', NULL::DATE)) v(m, d);
SELECT date_part(m, d) FROM (VALUES ('timezone', NULL::DATE)) v(m, d);
SELECT date_part(['year', 'mon' || 'th'], day), date_part(['year', 'month']::VARCHAR[], moment), date_part(list_value('Y', 'epoch'), day), date_part(['timezone', 'day'], day), date_part(array_value('year', 'day'), moment) FROM events;
SELECT date_part(['timezone'], d) FROM (VALUES (DATE 'infinity'), ('2020-01-01'), (NULL)) v(d);
-- both refuse
SELECT date_trunc(m, d) FROM (VALUES ('nonsense', DATE '2020-01-01')) v(m, d);
-- both refuse
SELECT date_part(m, d) FROM (VALUES ('timezone', DATE '2020-01-01')) v(m, d);
-- both refuse
SELECT date_part(m, t) FROM (VALUES ('year', TIME '10:00:00')) v(m, t);
-- both refuse
SELECT date_diff(m, t, t) FROM (VALUES ('year', TIME '10:00:00')) v(m, t);
-- both refuse
SELECT date_trunc(m, d) FROM (VALUES ('era', TIMESTAMP '2020-01-01')) v(m, d);
-- both refuse
SELECT date_part(['year', m], d) FROM (VALUES ('month', DATE '2020-01-01')) v(m, d);
-- both refuse
SELECT date_trunc(month, TIMESTAMP '2020-03-04');
-- both refuse
SELECT date_trunc(1, day) FROM events;
-- both refuse
SELECT date_part([], day) FROM events;
-- no argument is left out
-- both refuse
SELECT date_trunc('month', day, day) FROM events;
-- both refuse
SELECT date_diff('month', day, day, day) FROM events;
-- both refuse
SELECT last_day(day, 'month') FROM events;
-- both refuse
SELECT any_value(day, moment) FROM events;
-- both refuse
SELECT mod(1, 2, 3);
-- both refuse
SELECT epoch_ms(1, 2);
-- both refuse
SELECT log2(1, 2);
-- both refuse
SELECT ceil(1.5, 1);
-- both refuse
SELECT lpad('a', 3, 'b', 'c');
-- both refuse
SELECT map([1], [2], [3]);
-- both refuse
SELECT range(1, 2, 3, 4);
-- both refuse
SELECT uuid(1);
-- both refuse
SELECT strftime(day, '%Y', 'x') FROM events;
-- both refuse
SELECT regexp_replace('a', 'b', 'c', 'g', 'x');
-- but where a table's columns have names like arguments
SELECT a, mod.b FROM (VALUES (1, 2, 3)) AS mod(a, b, c);
WITH date_trunc(a, b) AS (SELECT 1, 2) SELECT * FROM date_trunc;
