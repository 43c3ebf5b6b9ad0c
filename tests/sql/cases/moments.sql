-- The current date and time: what is certain of them.
SELECT ago(INTERVAL '1 day') < now(), now() = current_timestamp, today() = current_date, current_date = now()::DATE, get_current_timestamp() = transaction_timestamp();
SELECT current_localtimestamp() <= now()::TIMESTAMP, current_localtime() >= TIME '00:00:00', age(now()) IS NULL, age(TIMESTAMP '2000-01-01') > INTERVAL '20 years';
-- both refuse
SELECT now(1);
SELECT age(DATE '2020-01-01') > INTERVAL 1 YEAR, age(now()::TIMESTAMP) IS NULL, ago('1 day') < now(), age(NULL);
SELECT today() = current_date() FROM events WHERE day < current_date;
SELECT count(*) FROM events WHERE moment < now();
SELECT now() - now(), now()::DATE = today(), extract(year FROM now()) >= 2024;
SELECT typeof(current_time), typeof(get_current_time()), current_time = get_current_time(), current_time::TIME = localtime;
