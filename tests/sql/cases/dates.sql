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
