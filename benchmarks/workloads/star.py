"""A chain of shops: sales in two channels, returns, and the tables that describe them; reports as analysts write them."""

from __future__ import annotations

from typing import Final

from benchmarks.workloads.workload import Query, Workload

__all__ = ["STAR"]

_TABLES: Final = {
    "dates": """
        SELECT i::INTEGER AS day_id, d AS day, year(d)::INTEGER AS year, quarter(d)::INTEGER AS quarter,
            month(d)::INTEGER AS month, (year(d) * 12 + month(d) - 24253)::INTEGER AS month_number,
            (i // 7)::INTEGER AS week, dayname(d) AS weekday, month(d) = 12 AND day(d) > 20 AS is_holiday
        FROM (SELECT i, DATE '2021-01-01' + i::INTEGER AS d FROM range(1826) AS r(i))""",
    "stores": """
        SELECT i::INTEGER AS store_id, 'Store ' || i AS name, 'City ' || pick(i, 1, 40) AS city,
            ['North', 'East', 'South', 'West', 'Centre'][1 + pick(i, 2, 5)] AS region,
            (200 + pick(i, 3, 4000))::INTEGER AS floor_space
        FROM range(120) AS r(i)""",
    "items": """
        SELECT i::INTEGER AS item_id, 'Item ' || i || ' ' || pick(i, 1, 97) AS name, 'Brand ' || tail(i, 2, 400) AS brand,
            'Class ' || pick(i, 3, 60) AS class,
            ['Books', 'Music', 'Sports', 'Garden', 'Shoes', 'Toys', 'Food', 'Tools', 'Jewels', 'Paper'][1 + pick(i, 3, 60) // 6]
                AS category,
            ['red', 'green', 'blue', 'white', 'black', 'grey', 'brown'][1 + pick(i, 4, 7)] AS colour,
            (1 + pick(i, 5, 30000) / 100)::DECIMAL(7, 2) AS list_price
        FROM range(greatest(100, least({rows} // 50, 100000))) AS r(i)""",
    "customers": """
        SELECT i::INTEGER AS customer_id, 'Customer ' || i AS name, (1935 + pick(i, 1, 72))::INTEGER AS birth_year,
            ['home', 'office', 'school', 'club'][1 + pick(i, 2, 4)] AS segment, 'City ' || pick(i, 3, 300) AS city,
            ['North', 'East', 'South', 'West', 'Centre'][1 + pick(i, 4, 5)] AS region
        FROM range(greatest(100, {rows} // 20)) AS r(i)""",
    "promotions": """
        SELECT i::INTEGER AS promotion_id, ['mail', 'radio', 'screen', 'none'][1 + pick(i, 1, 4)] AS channel,
            (pick(i, 2, 40) / 100)::DECIMAL(3, 2) AS discount
        FROM range(300) AS r(i)""",
    "sales": """
        SELECT ticket, day_id, item_id, customer_id, store_id, promotion_id, quantity, price,
            (price * quantity)::DECIMAL(9, 2) AS paid, (price * quantity * (0.4 + 0.5 * share(i, 8)))::DECIMAL(9, 2) AS cost
        FROM (
            SELECT i, i // 8 AS ticket, (pick(i // 8, 1, 1826))::INTEGER AS day_id,
                tail(i, 2, greatest(100, least({rows} // 50, 100000)))::INTEGER AS item_id,
                CASE WHEN pick(i // 8, 3, 50) > 0 THEN tail(i // 8, 4, greatest(100, {rows} // 20))::INTEGER END AS customer_id,
                pick(i // 8, 5, 120)::INTEGER AS store_id,
                CASE WHEN pick(i, 6, 5) < 2 THEN pick(i, 7, 300)::INTEGER END AS promotion_id,
                (1 + pick(i, 9, 20))::INTEGER AS quantity, (1 + pick(i, 10, 20000) / 100)::DECIMAL(7, 2) AS price
            FROM range({rows}) AS r(i))""",
    "web_sales": """
        SELECT i // 4 AS order_id, day_id, (day_id + pick(i, 2, 90))::INTEGER AS ship_day_id,
            tail(i, 3, greatest(100, least({rows} // 50, 100000)))::INTEGER AS item_id,
            tail(i // 4, 4, greatest(100, {rows} // 20))::INTEGER AS customer_id,
            (1 + pick(i, 5, 10))::INTEGER AS quantity, (1 + pick(i, 6, 50000) / 100)::DECIMAL(9, 2) AS paid
        FROM (SELECT i, pick(i // 4, 1, 1736)::INTEGER AS day_id FROM range({rows} // 3) AS r(i))""",
    "returns": """
        SELECT ticket, item_id, (day_id + pick(ticket, 1, 60))::INTEGER AS day_id, customer_id, store_id,
            (1 + pick(ticket, 2, quantity))::INTEGER AS quantity, (paid * 0.9)::DECIMAL(9, 2) AS amount
        FROM sales WHERE pick(ticket * 31 + item_id, 3, 10) = 0""",
}

_YEARS: Final = (2021, 2022, 2023, 2024)
_MONTHS: Final = tuple(range(1, 44))
_PARTS: Final = tuple(range(11, 99, 2))

_QUERIES: Final = (
    Query("rollup", """
        SELECT category, class, brand, sum(quantity) AS pieces, sum(paid) AS revenue, grouping(category, class, brand) AS level
        FROM sales JOIN dates USING (day_id) JOIN items USING (item_id)
        WHERE month_number BETWEEN {month} AND {month} + 6
        GROUP BY ROLLUP (category, class, brand) ORDER BY level DESC, revenue DESC, category, class, brand LIMIT 100
        """, {"month": _MONTHS}),
    Query("cube", """
        SELECT c.region, segment, weekday, sum(paid - cost) AS profit, count(*) AS n
        FROM sales JOIN dates USING (day_id) JOIN customers AS c USING (customer_id)
        WHERE quantity > {few} GROUP BY CUBE (c.region, segment, weekday) ORDER BY ALL
        """, {"few": tuple(range(1, 19))}),
    Query("year over year", """
        WITH weekly AS (
            SELECT store_id, year, week % 52 AS week, sum(paid) AS revenue
            FROM sales JOIN dates USING (day_id) WHERE quantity <= {most} GROUP BY ALL)
        SELECT s.name, a.week, a.revenue, b.revenue AS later, b.revenue / a.revenue AS growth
        FROM weekly AS a JOIN weekly AS b ON a.store_id = b.store_id AND a.week = b.week AND b.year = a.year + 1
            JOIN stores AS s ON s.store_id = a.store_id
        WHERE a.year = 2022 ORDER BY s.name, a.week, growth LIMIT 100
        """, {"most": tuple(range(3, 21))}),
    Query("totals of both channels, four times", """
        WITH totals AS (
            SELECT customer_id, year, 's' AS channel, sum(paid) AS total
            FROM sales JOIN dates USING (day_id) WHERE customer_id % 100 < {part} GROUP BY customer_id, year
            UNION ALL
            SELECT customer_id, year, 'w' AS channel, sum(paid) AS total
            FROM web_sales JOIN dates USING (day_id) WHERE customer_id % 100 < {part} GROUP BY customer_id, year)
        SELECT c.name, s1.total AS first, s2.total AS second
        FROM totals AS s1 JOIN totals AS s2 USING (customer_id) JOIN totals AS w1 USING (customer_id)
            JOIN totals AS w2 USING (customer_id) JOIN customers AS c USING (customer_id)
        WHERE s1.channel = 's' AND s2.channel = 's' AND w1.channel = 'w' AND w2.channel = 'w'
            AND s1.year = 2022 AND s2.year = 2023 AND w1.year = 2022 AND w2.year = 2023
            AND s1.total > 0 AND w1.total > 0 AND w2.total / w1.total > s2.total / s1.total
        ORDER BY c.name LIMIT 100
        """, {"part": _PARTS}),
    Query("share of its class", """
        SELECT class, i.item_id, sum(paid) AS revenue, sum(paid) * 100 / sum(sum(paid)) OVER (PARTITION BY class) AS share
        FROM web_sales JOIN items AS i USING (item_id) JOIN dates USING (day_id)
        WHERE category IN ('Books', 'Toys', 'Sports') AND month_number BETWEEN {month} AND {month} + 3
        GROUP BY class, i.item_id ORDER BY class, share DESC, i.item_id LIMIT 100
        """, {"month": _MONTHS}),
    Query("best brands of each region", """
        SELECT * FROM (
            SELECT region, brand, sum(paid) AS revenue, rank() OVER (PARTITION BY region ORDER BY sum(paid) DESC) AS place
            FROM sales JOIN stores USING (store_id) JOIN items USING (item_id) WHERE quantity <> {few}
            GROUP BY region, brand)
        WHERE place <= 10 ORDER BY region, place, brand
        """, {"few": tuple(range(1, 20))}),
    Query("moving average by month", """
        SELECT category, month_number, sum(paid) AS revenue,
            avg(sum(paid)) OVER (PARTITION BY category ORDER BY month_number ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS smooth,
            lag(sum(paid)) OVER (PARTITION BY category ORDER BY month_number) AS before
        FROM sales JOIN dates USING (day_id) JOIN items USING (item_id) WHERE list_price > {price}
        GROUP BY category, month_number ORDER BY category, month_number
        """, {"price": tuple(range(1, 80))}),
    Query("return more than others of the store", """
        WITH back AS (
            SELECT customer_id, store_id, sum(amount) AS total FROM returns JOIN dates USING (day_id) WHERE year = {year} + 0
            AND returns.quantity <= {most} GROUP BY customer_id, store_id)
        SELECT c.name FROM back AS a JOIN customers AS c USING (customer_id) JOIN stores AS s USING (store_id)
        WHERE s.region = 'North'
            AND a.total > (SELECT avg(total) * 1.2 FROM back AS b WHERE b.store_id = a.store_id)
        ORDER BY c.name LIMIT 100
        """, {"year": _YEARS, "most": tuple(range(3, 21))}),
    Query("channels side by side", """
        SELECT channel, id, sum(revenue) AS revenue, sum(back) AS back FROM (
            SELECT 'store' AS channel, store_id AS id, paid AS revenue, 0.00 AS back FROM sales JOIN dates USING (day_id)
            WHERE month_number = {month}
            UNION ALL
            SELECT 'store', store_id, 0.00, amount FROM returns JOIN dates USING (day_id) WHERE month_number = {month}
            UNION ALL
            SELECT 'web', item_id % 100, paid, 0.00 FROM web_sales JOIN dates USING (day_id) WHERE month_number = {month})
        GROUP BY ROLLUP (channel, id) ORDER BY ALL LIMIT 200
        """, {"month": _MONTHS}),
    Query("buyers in both channels", """
        SELECT count(*) FROM (
            SELECT customer_id, day FROM sales JOIN dates USING (day_id) WHERE month_number BETWEEN {month} AND {month} + 11
            INTERSECT
            SELECT customer_id, day FROM web_sales JOIN dates USING (day_id) WHERE month_number BETWEEN {month} AND {month} + 11)
        """, {"month": _MONTHS}),
    Query("weekdays as columns", """
        SELECT s.name, week, sum(CASE WHEN weekday = 'Sunday' THEN paid END) AS sunday,
            sum(CASE WHEN weekday = 'Monday' THEN paid END) AS monday, sum(CASE WHEN weekday = 'Tuesday' THEN paid END) AS tuesday,
            sum(CASE WHEN weekday = 'Friday' THEN paid END) AS friday, sum(CASE WHEN weekday = 'Saturday' THEN paid END) AS saturday
        FROM sales JOIN dates USING (day_id) JOIN stores AS s USING (store_id)
        WHERE month_number BETWEEN {month} AND {month} + 2 GROUP BY s.name, week ORDER BY s.name, week LIMIT 100
        """, {"month": _MONTHS}),
    Query("active in a shop and in the web", """
        SELECT segment, birth_year // 10 AS decade, count(*) AS n FROM customers AS c
        WHERE EXISTS (SELECT 1 FROM sales AS s JOIN dates AS d USING (day_id)
                WHERE s.customer_id = c.customer_id AND d.month_number BETWEEN {month} AND {month} + 3)
            AND NOT EXISTS (SELECT 1 FROM returns AS r WHERE r.customer_id = c.customer_id)
            AND customer_id IN (SELECT customer_id FROM web_sales)
        GROUP BY ALL ORDER BY ALL
        """, {"month": _MONTHS}),
    Query("distinct customers", """
        SELECT region, month_number, count(DISTINCT customer_id) AS customers, count(DISTINCT item_id) AS items
        FROM sales JOIN dates USING (day_id) JOIN stores USING (store_id) WHERE quantity > {few}
        GROUP BY region, month_number ORDER BY region, month_number
        """, {"few": tuple(range(1, 12))}),
    Query("how soon things come back", """
        SELECT st.name, sum(CASE WHEN r.day_id - s.day_id <= 15 THEN 1 ELSE 0 END) AS soon,
            sum(CASE WHEN r.day_id - s.day_id > 15 AND r.day_id - s.day_id <= 45 THEN 1 ELSE 0 END) AS later,
            sum(CASE WHEN r.day_id - s.day_id > 45 THEN 1 ELSE 0 END) AS late
        FROM sales AS s JOIN returns AS r ON s.ticket = r.ticket AND s.item_id = r.item_id
            JOIN stores AS st ON st.store_id = s.store_id JOIN dates AS d ON d.day_id = r.day_id
        WHERE d.month_number BETWEEN {month} AND {month} + 5 GROUP BY st.name ORDER BY st.name
        """, {"month": _MONTHS}),
    Query("top three of each store", """
        SELECT * FROM (
            SELECT store_id, item_id, sum(quantity) AS pieces,
                row_number() OVER (PARTITION BY store_id ORDER BY sum(quantity) DESC, item_id) AS place
            FROM sales WHERE day_id BETWEEN {day} AND {day} + 365 GROUP BY store_id, item_id)
        WHERE place <= 3 ORDER BY store_id, place
        """, {"day": tuple(range(5, 1400, 5))}),
    Query("promoted share", """
        SELECT promoted, total, promoted / total * 100 AS share FROM
            (SELECT sum(paid) AS promoted FROM sales JOIN promotions USING (promotion_id) JOIN dates USING (day_id)
             WHERE channel IN ('mail', 'radio') AND month_number = {month}) AS a,
            (SELECT sum(paid) AS total FROM sales JOIN dates USING (day_id) WHERE month_number = {month}) AS b
        """, {"month": _MONTHS}),
    Query("large baskets", """
        SELECT c.name, ticket, n FROM (
            SELECT ticket, customer_id, count(*) AS n, sum(quantity) AS pieces
            FROM sales JOIN dates USING (day_id) JOIN stores USING (store_id)
            WHERE is_holiday AND region IN ('North', 'West') GROUP BY ticket, customer_id HAVING sum(quantity) > {pieces}) AS b
            JOIN customers AS c USING (customer_id)
        ORDER BY n DESC, c.name, ticket LIMIT 100
        """, {"pieces": tuple(range(50, 120))}),
    Query("uneven items", """
        SELECT item_id, month_number, stddev_samp(quantity) AS spread, avg(quantity) AS mean
        FROM sales JOIN dates USING (day_id) WHERE year = 2023 GROUP BY item_id, month_number
        HAVING avg(quantity) > {few} AND count(*) > 3 AND stddev_samp(quantity) / avg(quantity) > 0.6
        ORDER BY item_id, month_number LIMIT 100
        """, {"few": tuple(range(1, 12))}),
    Query("bands by scalar subqueries", """
        SELECT CASE WHEN (SELECT count(*) FROM sales WHERE quantity BETWEEN 1 AND 5) > {many}
                THEN (SELECT avg(paid) FROM sales WHERE quantity BETWEEN 1 AND 5)
                ELSE (SELECT avg(cost) FROM sales WHERE quantity BETWEEN 1 AND 5) END AS low,
            CASE WHEN (SELECT count(*) FROM sales WHERE quantity BETWEEN 6 AND 10) > {many}
                THEN (SELECT avg(paid) FROM sales WHERE quantity BETWEEN 6 AND 10)
                ELSE (SELECT avg(cost) FROM sales WHERE quantity BETWEEN 6 AND 10) END AS high
        """, {"many": tuple(range(100, 2000, 50))}),
    Query("cohorts", """
        WITH first AS (
            SELECT customer_id, min(month_number) AS cohort FROM web_sales JOIN dates USING (day_id) GROUP BY customer_id)
        SELECT cohort, month_number - cohort AS age, count(DISTINCT customer_id) AS customers, sum(paid) AS revenue
        FROM web_sales JOIN dates USING (day_id) JOIN first USING (customer_id)
        WHERE month_number - cohort < {ages} GROUP BY ALL ORDER BY ALL
        """, {"ages": tuple(range(6, 40))}),
)  # fmt: skip

STAR: Final = Workload("star", "reports on a star schema; rows are sales", _TABLES, _QUERIES)
