-- Periods, parts and makers of dates, times and intervals.
SELECT isfinite(DATE '2020-01-01'), isfinite('infinity'::DATE), isfinite('infinity'::TIMESTAMP), isinf('-infinity'::DATE), isinf('infinity'::TIMESTAMPTZ), isinf(moment) FROM events;
SELECT isfinite(NULL::DATE), isinf(NULL::TIMESTAMP);
-- both refuse
SELECT isfinite('2020-01-01');
SELECT time_bucket(INTERVAL '1 month', day) FROM events;
SELECT time_bucket(INTERVAL '3 months', moment) FROM events;
SELECT time_bucket(INTERVAL '1 day', moment), time_bucket(INTERVAL '7 days', day), time_bucket(INTERVAL '15 minutes', moment) FROM events;
SELECT time_bucket(INTERVAL '15 minutes', moment, INTERVAL '5 minutes') FROM events;
SELECT time_bucket(INTERVAL '15 minutes', moment, TIMESTAMP '2020-01-01 00:07:00') FROM events;
SELECT time_bucket(INTERVAL '2 months', day, DATE '2020-02-10') FROM events;
SELECT time_bucket(INTERVAL '2 months', day, INTERVAL '1 month 3 days') FROM events;
SELECT time_bucket(INTERVAL '15 minutes', TIME '10:22:11'), time_bucket(INTERVAL '15 minutes', TIME '10:22:11', TIME '00:05:00'), time_bucket(INTERVAL '15 minutes', TIME '10:22:11', INTERVAL '5 minutes');
-- both refuse
SELECT time_bucket(INTERVAL '1 month 1 day', DATE '2020-01-01');
-- both refuse
SELECT time_bucket(INTERVAL '-1 day', DATE '2020-01-01');
-- both refuse
SELECT time_bucket(INTERVAL '0 day', DATE '2020-01-01');
SELECT time_bucket(INTERVAL '1 hour', DATE '2020-01-01');
SELECT time_bucket(INTERVAL '1 day', 'infinity'::DATE);
SELECT time_bucket(INTERVAL '1 day', 'infinity'::TIMESTAMP);
-- both refuse
SELECT date_bin(INTERVAL '15 minutes', moment, TIMESTAMP '2020-01-01') FROM events;
SELECT days_in_month(day), days_in_month(moment) FROM events;
SELECT make_timestamp(1667810584123456), make_timestamp_ms(1667810584123), make_date(19000);
SELECT make_timestamp(v) FROM n;
SELECT make_timestamptz(2020, 1, 2, 3, 4, 5.5), make_timestamptz(1667810584123456);
SELECT make_time(1, 2, 3.25), make_timestamp(2020, 1, 2, 3, 4, 5.678);
SELECT v, make_time(v, 0, 1.5), make_time(v, v, 0), make_timestamp(2020, 1, 2, v, 30, 0), make_timestamp(2020, 1, v, 3, 30, 0) FROM range(1, 4) t (v);
SELECT epoch_ms(701222400000), epoch_ms(TIMESTAMP '2021-08-03 11:59:44.123456'), epoch_ms(DATE '2021-08-03'), epoch_ms(INTERVAL '1 month 2 days 3 ms'), epoch_ms(TIME '01:02:03');
SELECT epoch_us(INTERVAL '1 month 2 days 3 ms'), epoch_ns(INTERVAL '1 month 2 days 3 ms'), epoch(INTERVAL '13 months 2 days 3 ms'), epoch_us(TIME '01:02:03'), epoch_ns(DATE '2020-01-01');
SELECT nanosecond(moment), nanosecond(day), nanosecond(TIME '01:02:03.123456'), nanosecond(INTERVAL '1.5 seconds') FROM events;
-- both refuse
SELECT extract(nanosecond FROM moment), date_part('nanoseconds', moment) FROM events;
SELECT timezone(moment), timezone_hour(moment), timezone_minute(moment) FROM events;
-- both refuse
SELECT timezone(INTERVAL '1 day'), timezone_hour(TIME '00:00:00');
SELECT normalized_interval(INTERVAL '40 days 30 hours'), normalized_interval(INTERVAL '1 month -40 days');
-- both refuse
SELECT week(INTERVAL '1 year'), dayofweek(INTERVAL '1 day'), yearweek(INTERVAL '1 year'), era(INTERVAL '1 year'), isoyear(INTERVAL '1 year');
-- both refuse
SELECT dayofweek(INTERVAL '1 day');
-- both refuse
SELECT isodow(INTERVAL '1 day');
-- both refuse
SELECT yearweek(INTERVAL '1 year');
-- both refuse
SELECT era(INTERVAL '1 year');
SELECT century(INTERVAL '101 years'), quarter(INTERVAL '5 months'), decade(INTERVAL '25 years'), second(INTERVAL '61 s'), millisecond(INTERVAL '61.5 s'), microsecond(INTERVAL '61.5 s');
SELECT hour(TIME '01:02:03'), minute(TIME '01:02:03'), epoch(TIME '01:02:03'), second(DATE '2020-01-01'), microsecond(TIME '01:02:03.5');
SELECT datediff('week', day, moment), date_diff('quarter', day, DATE '2025-01-01'), datesub('month', day, DATE '2025-01-01'), datesub('hour', moment, TIMESTAMP '2025-01-01') FROM events;
SELECT date_diff('decade', day, DATE '2025-01-01'), date_diff('millisecond', moment, TIMESTAMP '2025-01-01'), date_diff('isoyear', day, DATE '2025-01-01'), date_diff('yearweek', day, DATE '2025-01-01') FROM events;
-- both refuse
SELECT date_diff('day', TIME '01:00:00', TIME '02:00:00');
SELECT date_diff('minute', TIME '01:00:00', TIME '02:00:00'), date_sub('second', TIME '01:00:00', TIME '02:00:00');
SELECT datetrunc('month', day), datetrunc('isoyear', moment), datetrunc('millennium', day), datetrunc('month', INTERVAL '100 days 14 months') FROM events;
SELECT INTERVAL '1 day' + DATE '2020-01-01', INTERVAL '1 hour' + TIME '23:30:00', TIME '23:30:00' - INTERVAL '25 hours', 5 + DATE '2020-01-01';
SELECT INTERVAL '1 month' * 2.5, 2 * INTERVAL '1 day', INTERVAL '1 month' / 3, INTERVAL '7 days' / 2, 0.5 * INTERVAL '1 year', -INTERVAL '1 day 2 hours';
-- both refuse
SELECT INTERVAL '1 month' / 0;
SELECT INTERVAL '1 month' = INTERVAL '30 days', INTERVAL '1 day' < INTERVAL '25 hours', INTERVAL '12 months' > INTERVAL '360 days';
-- both refuse
SELECT INTERVAL '1 year 2 months', INTERVAL '1-2' YEAR;
SELECT INTERVAL 1 DECADE, INTERVAL 2 CENTURIES, INTERVAL 1 MILLENNIUM, INTERVAL 3 QUARTERS, INTERVAL 2 WEEKS, INTERVAL '3' MILLISECONDS, INTERVAL 4 MICROSECONDS;
-- both refuse
SELECT INTERVAL '2 years 3 months' YEAR TO MONTH;
-- both refuse
SELECT INTERVAL '1 2:03' DAY TO MINUTE;
SELECT INTERVAL '1y', INTERVAL '5 mins', INTERVAL '1 day ago', INTERVAL '-1 day', INTERVAL '04:05:06.789';
SELECT greatest(DATE '2020-01-01', TIMESTAMP '2020-01-02'), least(TIME '01:00:00', TIME '02:00:00'), greatest(INTERVAL '1 day', INTERVAL '2 hours'), least(day, DATE '2000-01-01') FROM events;
SELECT strftime(moment, '%a|%A|%w|%u|%d|%-d|%b|%h|%B|%m|%-m|%y|%-y|%Y|%G|%H|%-H|%I|%-I|%p|%M|%-M|%S|%-S|%g|%f|%Z|%z|%j|%-j|%U|%W|%V|%c|%x|%X|%%') FROM events;
-- both refuse
SELECT strftime(moment, '%D');
SELECT time_bucket(INTERVAL '7 hours', t), time_bucket(INTERVAL '7 hours', t, TIME '03:00:00'), time_bucket(INTERVAL '7 hours', t, INTERVAL '1 month 3 hours'), time_bucket(INTERVAL '1 month', t), time_bucket('2 days', t), time_bucket(INTERVAL '5 hours', t, INTERVAL '-3 hours') FROM (VALUES (TIME '10:00:00'), (TIME '01:00:00'), (TIME '05:00:00'), (TIME '24:00:00'), (NULL)) v(t);
-- both refuse
SELECT time_bucket('1 day', DATE '2020-01-05', '2020-01-01');
SELECT time_bucket('7 days', TIMESTAMP '2020-01-05', DATE '2020-01-01'), time_bucket('7 days', DATE '2020-01-05', TIMESTAMP '2020-01-01 03:00:00');
-- both refuse
SELECT time_bucket('7 days', DATE '2020-01-05', NULL);
SELECT time_bucket(NULL, DATE '2020-01-05');
-- both refuse
SELECT time_bucket('7 days', NULL);
SELECT time_bucket(INTERVAL '1 day', d, 'infinity'::DATE), time_bucket(INTERVAL '1 day', d, DATE '2020-01-01'), time_bucket(INTERVAL '1 month', d::TIMESTAMP, INTERVAL '1 day'), time_bucket(INTERVAL '4 months', d, INTERVAL '5 hours') , time_bucket(INTERVAL '4 days', d, INTERVAL '5 hours'), time_bucket(INTERVAL '3 hours', d, INTERVAL '1 hour') FROM (VALUES ('infinity'::DATE), ('-infinity'::DATE), (DATE '2020-01-05'), (DATE '1920-12-31'), (NULL)) v(d);
SELECT time_bucket(INTERVAL '1 day' * id, day) FROM events;
-- both refuse
SELECT time_bucket(INTERVAL '1 day' * (id - 1), day) FROM events;
SELECT time_bucket(CASE WHEN id % 2 = 0 THEN INTERVAL '3 months' ELSE INTERVAL '36 hours' END, moment), time_bucket(CASE WHEN id % 2 = 0 THEN INTERVAL '3 months' ELSE INTERVAL '36 hours' END, day), time_bucket(CASE WHEN id % 2 = 0 THEN INTERVAL '3 months' ELSE INTERVAL '36 hours' END, moment, INTERVAL '5 days'), time_bucket(CASE WHEN id % 2 = 0 THEN INTERVAL '3 months' ELSE INTERVAL '36 hours' END, moment, day) FROM events;
SELECT time_bucket(INTERVAL '1 day', TIMESTAMP '290309-12-22 (BC) 00:00:00');
-- both refuse
SELECT time_bucket(INTERVAL '1000 years', TIMESTAMP '290309-12-22 (BC) 00:00:00');
-- both refuse
SELECT time_bucket(INTERVAL '2000000000 days', TIMESTAMP '2020-12-22 00:00:00');
SELECT time_bucket(INTERVAL '100000000 days', TIMESTAMP '1920-12-22 00:00:00');
-- both refuse
SELECT time_bucket(INTERVAL '1 day', DATE '5877642-06-25 (BC)');
-- both refuse
SELECT time_bucket(INTERVAL '1 month', DATE '5877642-06-25 (BC)');
SELECT time_bucket(INTERVAL '1 year', DATE '5881580-07-10');
SELECT time_bucket(INTERVAL '7 days', moment::TIMESTAMPTZ, INTERVAL '1 hour'), time_bucket(INTERVAL '7 days', moment::TIMESTAMPTZ, TIMESTAMPTZ '2020-01-01 00:00:00+00') FROM events;
-- both refuse
SELECT time_bucket(day, day), day FROM events;
-- both refuse
SELECT time_bucket(events.day, INTERVAL 1 DAY) FROM events;
SELECT time_bucket(INTERVAL 1 DAY, events.day, events.moment) FROM events;
-- both refuse
SELECT date_bin(INTERVAL 1 DAY, day, day) FROM events;
SELECT normalized_interval(INTERVAL '1 month -40 days'), normalized_interval(INTERVAL '-1 month 40 days 100 hours'), normalized_interval(INTERVAL '40 days -50 hours'), normalized_interval(INTERVAL '-100 hours'), normalized_interval(INTERVAL '1 month -1 hours'), normalized_interval(INTERVAL '2147483647 days 2400000 hours'), normalized_interval(INTERVAL '2147483647 months 2147483647 days'), normalized_interval(NULL);
SELECT normalized_interval(INTERVAL '-2147483647 months -2147483647 days'), normalized_interval(INTERVAL '2147483640 months 2147483647 days');
SELECT normalized_interval('1 day');
SELECT epoch_ms(INTERVAL '-1 month 2 days -3.7 ms'), epoch_ms(TIME '00:00:00.000500'), epoch_ms(TIMESTAMP '2021-08-03 11:59:44.123500'), epoch_ns(INTERVAL '14 months');
-- both refuse
SELECT epoch_ns(INTERVAL '2000000 months');
-- both refuse
SELECT epoch_us(INTERVAL '2000000000 days');
SELECT epoch_us('infinity'::TIMESTAMP), epoch_us('-infinity'::DATE), epoch_ns('infinity'::DATE);
SELECT make_date(2147483647), make_date(NULL), make_date(-2147483647), make_date(v::INTEGER) FROM n;
-- both refuse
SELECT make_date(100000000000);
SELECT make_date(-2147483647 - 1);
-- both refuse
SELECT make_date('1');
-- both refuse
SELECT make_date(v) FROM n;
SELECT make_timestamp_ms(9223372036854775), make_timestamp_ms(NULL), make_timestamp_ms(-9223372022400000);
-- both refuse
SELECT make_timestamp_ms(9223372036854776);
-- both refuse
SELECT make_timestamp(9223372036854775807);
SELECT make_timestamp(9223372036854775806);
-- both refuse
SELECT make_timestamp(-9223372036854775807);
-- both refuse
SELECT make_timestamptz(9223372036854775807);
SELECT make_timestamptz(v) FROM n;
SELECT make_timestamptz('5');
-- both refuse
SELECT days_in_month('2020-02-01');
SELECT days_in_month(NULL);
SELECT timezone_hour(moment::TIMESTAMPTZ), timezone_minute(TIME '01:00:00'), timezone_hour('infinity'::TIMESTAMP) FROM events;
-- both refuse
SELECT timezone_hour(day) FROM events;
-- both refuse
SELECT date_add(DATE '2020-01-01', v) FROM n;
SELECT date_add(DATE '2020-01-01', v::INTEGER) FROM n;
SELECT date_add(DATE '2020-01-01', INTERVAL 1 DAY), date_add(TIME '01:00:00', INTERVAL 1 HOUR), date_add(DATE '2020-01-01', TIME '01:00:00');
SELECT date_add(1, 2);
SELECT date_add(INTERVAL 1 DAY, DATE '2020-01-01');

-- strptime: what day follows of which parts, blanks, digits, offsets.
SELECT strptime('2020', '%Y');
-- both refuse
SELECT strptime('69 53', '%y %V');
SELECT strptime('60 3', '%j %w');
SELECT strptime('6 1', '%w %j');
SELECT strptime('7 2', '%u %m');
SELECT strptime('2020 31 2020', '%Y %d %G');
SELECT strptime('69 12 1', '%y %m %V');
SELECT strptime('69 Mar 1999', '%y %b %Y');
SELECT strptime('2 1 20', '%m %V %y');
SELECT strptime('15 1 53', '%d %u %W');
-- both refuse
SELECT strptime('60 2020 Mar', '%j %G %b');
SELECT strptime('1 3 15', '%U %w %d');
-- both refuse
SELECT strptime('10 53 1999', '%W %U %G');
SELECT strptime('0 1 1', '%w %d %u');
SELECT strptime('1999 2 7', '%G %m %u');
SELECT strptime('1 1999 60', '%V %Y %j');
-- both refuse
SELECT strptime('53 1999 0', '%V %G %W');
SELECT strptime('1 2020 69', '%u %G %y');
SELECT strptime('Mar 10 2', '%b %U %m');
SELECT strptime('15 60 12 10', '%d %j %m %V');
-- both refuse
SELECT strptime('60 1 1999 Mar', '%j %u %G %b');
-- both refuse
SELECT strptime('1 2020 10 7 31', '%W %G %V %u %d');
SELECT strptime('1 60 0 2', '%d %j %W %m');
SELECT strptime('1 10 0 2', '%d %V %U %m');
SELECT strptime('12 0 1999 0', '%m %W %Y %w');
SELECT strptime('1 1 60 1999 1', '%d %W %j %Y %U');
-- both refuse
SELECT strptime('0 69 10 7', '%w %y %V %u');
SELECT strptime('Mar 1 31 10 0', '%b %j %d %U %w');
SELECT strptime('2020 Mar 0 7', '%G %b %w %u');
SELECT strptime('1 Mar 2 7 0', '%V %b %m %u %W');
SELECT strptime('12 2020 2020 1', '%m %Y %G %j');
SELECT strptime('53 2 1 0', '%V %m %W %w');
-- both refuse
SELECT strptime('60 1999 1 53 Mar', '%j %G %V %U %b');
SELECT strptime('6 12 Mar 53', '%w %m %b %V');
-- both refuse
SELECT strptime('69 1999 0 0 2020', '%y %Y %w %U %G');
SELECT strptime('10 31 Mar 7', '%U %d %b %u');
SELECT strptime('53 1999 7 31 53', '%W %Y %u %d %U');
SELECT strptime('1 20 Mar 31 3', '%W %y %b %d %w');
-- both refuse
SELECT strptime('20200101', '%Y %m%d');
SELECT try_strptime('20200101', '%Y %m%d');
-- both refuse
SELECT strptime('2020 0101', '%Y%m%d');
SELECT try_strptime('2020 0101', '%Y%m%d');
-- both refuse
SELECT strptime('202', '%Y%m');
SELECT try_strptime('202', '%Y%m');
-- both refuse
SELECT strptime('12020', '%Y');
SELECT try_strptime('12020', '%Y');
SELECT strptime('2020-01-01 +02', '%Y-%m-%d %z');
SELECT try_strptime('2020-01-01 +02', '%Y-%m-%d %z');
SELECT strptime('2020-01-01 +0230', '%Y-%m-%d %z');
SELECT try_strptime('2020-01-01 +0230', '%Y-%m-%d %z');
SELECT strptime('2020-01-01 -02:30:15', '%Y-%m-%d %z');
SELECT try_strptime('2020-01-01 -02:30:15', '%Y-%m-%d %z');
-- both refuse
SELECT strptime('2020-01-01 Z', '%Y-%m-%d %z');
SELECT try_strptime('2020-01-01 Z', '%Y-%m-%d %z');
-- both refuse
SELECT strptime('2020-01-01 -2', '%Y-%m-%d %z');
SELECT try_strptime('2020-01-01 -2', '%Y-%m-%d %z');
SELECT strptime('2020-01-01 1.5', '%Y-%m-%d %S.%f');
SELECT try_strptime('2020-01-01 1.5', '%Y-%m-%d %S.%f');
-- both refuse
SELECT strptime('2020-01-01 1.1234567', '%Y-%m-%d %S.%f');
SELECT try_strptime('2020-01-01 1.1234567', '%Y-%m-%d %S.%f');
-- both refuse
SELECT strptime('', ' ');
SELECT try_strptime('', ' ');
-- both refuse
SELECT strptime('2020', '%Y ');
SELECT try_strptime('2020', '%Y ');
SELECT strptime('2020 ', '%Y');
SELECT try_strptime('2020 ', '%Y');
-- both refuse
SELECT strptime(' 2020', ' %Y');
SELECT try_strptime(' 2020', ' %Y');
SELECT strptime(' 2020', '%Y');
SELECT try_strptime(' 2020', '%Y');
-- both refuse
SELECT strptime('A2020', 'a%Y');
SELECT try_strptime('A2020', 'a%Y');
SELECT strptime('2020%', '%Y%%');
SELECT try_strptime('2020%', '%Y%%');
-- both refuse
SELECT strptime('12/31/20', '%D');
-- both refuse
SELECT try_strptime('12/31/20', '%D');
-- both refuse
SELECT strptime('2020-02-30', '%Y-%m-%d');
SELECT try_strptime('2020-02-30', '%Y-%m-%d');
SELECT strptime(' infinity ', '%Y');
-- both refuse
SELECT strptime('inf', '%Y');
SELECT try_strptime('inf', '%Y');
-- both refuse
SELECT strptime('13 pm', '%H %p');
SELECT try_strptime('13 pm', '%H %p');
SELECT strptime('0 am', '%H %p');
SELECT try_strptime('0 am', '%H %p');
SELECT strptime('12 PM', '%I %p');
SELECT try_strptime('12 PM', '%I %p');
-- both refuse
SELECT strptime('0 PM', '%I %p');
SELECT try_strptime('0 PM', '%I %p');
-- both refuse
SELECT strptime('2020 2020', '%G %G');
SELECT try_strptime('2020 2020', '%G %G');
SELECT strptime('1 2', '%d %d');
SELECT try_strptime('1 2', '%d %d');
SELECT strptime('2020  x  1', '%Y x %d');
SELECT try_strptime('2020  x  1', '%Y x %d');
SELECT strptime('99', '%y');
SELECT try_strptime('99', '%y');
SELECT strptime('monday 1', '%A %d');
SELECT try_strptime('monday 1', '%A %d');
SELECT strptime('mon 1', '%a %d');
SELECT try_strptime('mon 1', '%a %d');
-- both refuse
SELECT strptime('Monda 1', '%A %d');
SELECT try_strptime('Monda 1', '%A %d');
SELECT strptime('march', '%B');
SELECT try_strptime('march', '%B');
SELECT strptime('2020-1-1 +02', '%Y-%-m-%-d %z');
SELECT try_strptime('2020-1-1 +02', '%Y-%-m-%-d %z');
-- both refuse
SELECT strptime('10:00:60', '%X');
SELECT try_strptime('10:00:60', '%X');
SELECT strptime('epoch', '%z');
-- both refuse
SELECT strptime('9999 366', '%Y %j');
SELECT try_strptime('9999 366', '%Y %j');
SELECT strptime('0 1', '%Y %j');
SELECT try_strptime('0 1', '%Y %j');
SELECT timezone(day) FROM events WHERE id = 99;
SELECT timezone_hour(d), timezone(d), timezone_minute(d) FROM (VALUES (NULL::DATE), ('infinity')) v(d);
-- both refuse
SELECT timezone_minute(day) FROM events;
SELECT date_add(hired, 3), date_add(id, 2) FROM emp;
-- the year before 1 is 0 and -1
SELECT y, make_timestamptz(y, 2, 29, 1, 1, 1.0)::VARCHAR, make_timestamptz(y, 2, 1, 1, 1, 1.0, 'UTC')::VARCHAR FROM (VALUES (-32767), (-2000), (-5), (-4), (-1), (0), (1)) t(y) ORDER BY y;
-- the parts of an instant are INTEGERs
SELECT make_timestamptz(1, 1, 3, 3, 3, 2147483647.4), make_timestamptz(1, 1, 1, 2147483647, 0, 0), make_timestamptz(1, 40000, 1, 0, 0, 0), make_timestamptz(294000, 1, 1, 0, 0, 2147483647);
-- both refuse
SELECT make_timestamptz(1, 1, 3, 3, 3, -12219292800);
-- both refuse
SELECT make_timestamptz(1, 1, 3, 3, 3, 2147483647.5::DOUBLE);
-- both refuse
SELECT make_timestamptz(1, 1, 3, 3, 3000000000, 1);
-- both refuse
SELECT make_timestamptz(1, 1, 2147483647, 0, 0, 0);
-- units in the name of the type, which mean nothing
SELECT '5 days'::INTERVAL DAY TO SECOND, CAST('1' AS INTERVAL DAYS), CAST('1' AS INTERVAL YEAR TO MONTH), CAST('1' AS INTERVAL HOURS TO MINUTES);
SELECT CAST(['1'] AS INTERVAL MINUTE TO SECOND[]), '1'::INTERVAL YEAR + DATE '2020-01-01', TRY_CAST('x' AS INTERVAL WEEK);
-- both refuse
SELECT CAST('1' AS INTERVAL YEAR TO DAY);
-- both refuse
SELECT CAST('1' AS INTERVAL MONTH TO YEAR);
-- both refuse
SELECT INTERVAL '1' DAY TO SECOND;
SELECT INTERVAL '2 mseconds 1 msecond 3 useconds', date_part('msecond', TIME '01:02:03.5'), date_trunc('mseconds', TIMESTAMP '2020-01-01 01:02:03.4567'), extract(msecond FROM INTERVAL '3 seconds');
