"""One wide table of clicks: a hundred columns, long-tailed keys, addresses and phrases."""

from __future__ import annotations

from typing import Final

from benchmarks.workloads.workload import Query, Workload

__all__ = ["EVENTS"]

_MEASURES: Final = 76
_SUMS: Final = ", ".join(f"sum(width + {extra})" for extra in range(60))

_TABLES: Final = {
    "hits": """
        SELECT i AS event_id, TIMESTAMP '2024-01-01' + to_seconds(i * 5184000 // {rows}) AS moment,
            (TIMESTAMP '2024-01-01' + to_seconds(i * 5184000 // {rows}))::DATE AS day,
            wide(tail(i, 1, greatest(10, {rows} // 6))) AS user_id, i // 7 AS visit,
            tail(i, 2, 5000)::INTEGER AS region, ['de', 'us', 'fr', 'in', 'br', 'jp', 'cn', 'it'][1 + tail(i, 3, 8)] AS country,
            tail(i, 4, 90)::SMALLINT AS system, ['Fox', 'Chrome', 'Safari', 'Edge'][1 + tail(i, 5, 4)] AS browser,
            CASE WHEN pick(i, 6, 20) = 0 THEN 'Phone ' || tail(i, 7, 160) ELSE '' END AS phone,
            'https://' || ['shop', 'news', 'mail', 'maps'][1 + tail(i, 8, 4)] || '.example.com/' || tail(i, 9, greatest(10, {rows} // 4))
                || CASE WHEN pick(i, 10, 9) = 0 THEN '?q=' || pick(i, 11, 1000) ELSE '' END AS url,
            CASE WHEN pick(i, 12, 3) > 0 THEN 'https://www.' || ['find', 'seek', 'friend'][1 + tail(i, 13, 3)] || tail(i, 14, 900)
                || '.example.org/page/' || tail(i, 15, greatest(10, {rows} // 9)) ELSE '' END AS referrer,
            'Title ' || tail(i, 16, 30000) || ' | ' || ['Shop', 'News', 'Maps'][1 + pick(i, 17, 3)] AS title,
            CASE WHEN pick(i, 18, 8) = 0 THEN ['red', 'old', 'fast', 'cheap', 'best'][1 + tail(i, 19, 5)] || ' '
                || ['car', 'house', 'phone', 'shoes', 'flight'][1 + tail(i, 20, 5)] || ' ' || tail(i, 21, greatest(10, {rows} // 30))
                ELSE '' END AS phrase,
            tail(i, 22, 100)::SMALLINT AS engine, CASE WHEN pick(i, 23, 60) = 0 THEN pick(i, 24, 18)::SMALLINT ELSE 0::SMALLINT END
                AS campaign,
            (400 + tail(i, 25, 2200))::SMALLINT AS width, (300 + tail(i, 26, 1200))::SMALLINT AS height,
            pick(i, 27, 3) = 0 AS is_mobile, pick(i, 28, 10) = 0 AS is_refresh, (hash(i, 29) % 4294967296)::BIGINT AS address,
            tail(i, 30, 600)::INTEGER AS seconds, """
    + ", ".join(
        f"{'tail' if place % 3 else 'pick'}(i, {100 + place}, {(2, 10, 300, 30000)[place % 4]})::{'SMALLINT' if place % 2 else 'INTEGER'} AS m{place}"
        for place in range(_MEASURES)
    )
    + """
        FROM range({rows}) AS r(i)""",
}

_DAYS: Final = tuple(f"2024-01-{day:02}" for day in range(1, 31))
_REGIONS: Final = tuple(range(40))

_QUERIES: Final = (
    Query("count of a rare value", "SELECT count(*) FROM hits WHERE campaign = {one}", {"one": tuple(range(1, 18))}),
    Query("three aggregates", "SELECT sum(campaign), count(*), avg(width) FROM hits WHERE m0 < 2 + {no}", {"no": tuple(range(30))}),
    Query("average of a wide key", "SELECT avg(user_id) FROM hits WHERE region >= {region}", {"region": _REGIONS}),
    Query("distinct users", "SELECT count(DISTINCT user_id) FROM hits WHERE region >= {region}", {"region": _REGIONS}),
    Query("distinct phrases", "SELECT count(DISTINCT phrase) FROM hits WHERE region >= {region}", {"region": _REGIONS}),
    Query("campaigns", """
        SELECT campaign, count(*) AS n FROM hits WHERE campaign <> 0 AND region >= {region} GROUP BY campaign ORDER BY n DESC, campaign
        """, {"region": _REGIONS}),
    Query("regions by users", """
        SELECT region, count(DISTINCT user_id) AS users FROM hits WHERE day >= '{day}' GROUP BY region ORDER BY users DESC, region LIMIT 10
        """, {"day": _DAYS}),
    Query("regions in four figures", """
        SELECT region, sum(campaign), count(*) AS n, avg(width), count(DISTINCT user_id) FROM hits WHERE day >= '{day}'
        GROUP BY region ORDER BY n DESC, region LIMIT 10
        """, {"day": _DAYS}),
    Query("phones by users", """
        SELECT phone, count(DISTINCT user_id) AS users FROM hits WHERE phone <> '' AND day >= '{day}' GROUP BY phone
        ORDER BY users DESC, phone LIMIT 10
        """, {"day": _DAYS}),
    Query("top phrases", """
        SELECT phrase, count(*) AS n FROM hits WHERE phrase <> '' AND day >= '{day}' GROUP BY phrase ORDER BY n DESC, phrase LIMIT 10
        """, {"day": _DAYS}),
    Query("phrases by engine", """
        SELECT engine, phrase, count(*) AS n FROM hits WHERE phrase <> '' AND day >= '{day}' GROUP BY engine, phrase
        ORDER BY n DESC, engine, phrase LIMIT 10
        """, {"day": _DAYS}),
    Query("top users", """
        SELECT user_id, count(*) AS n FROM hits WHERE m2 <> {no} GROUP BY user_id ORDER BY n DESC, user_id LIMIT 10
        """, {"no": tuple(range(250))}),
    Query("users and phrases", """
        SELECT user_id, phrase, count(*) AS n FROM hits WHERE m2 <> {no} GROUP BY user_id, phrase
        ORDER BY n DESC, user_id, phrase LIMIT 10
        """, {"no": tuple(range(250))}),
    Query("users, minutes and phrases", """
        SELECT user_id, extract(minute FROM moment) AS minute, phrase, count(*) AS n FROM hits WHERE m2 <> {no}
        GROUP BY user_id, minute, phrase ORDER BY n DESC, user_id, minute, phrase LIMIT 10
        """, {"no": tuple(range(250))}),
    Query("one event", "SELECT user_id, moment FROM hits WHERE event_id = {event} ORDER BY moment", {"event": tuple(range(90))}),
    Query("addresses like", "SELECT count(*) FROM hits WHERE url LIKE '%{part}%'", {"part": tuple(range(10, 99))}),
    Query("phrases of addresses like", """
        SELECT phrase, min(url), count(*) AS n FROM hits WHERE url LIKE '%shop%{part}%' AND phrase <> '' GROUP BY phrase
        ORDER BY n DESC, phrase LIMIT 10
        """, {"part": tuple(range(1, 90))}),
    Query("titles like, addresses not", """
        SELECT phrase, min(url), min(title), count(*) AS n, count(DISTINCT user_id) FROM hits
        WHERE title LIKE '%{part}%News%' AND url NOT LIKE '%.shop.%' AND phrase <> '' GROUP BY phrase ORDER BY n DESC, phrase LIMIT 10
        """, {"part": tuple(range(1, 90))}),
    Query("all columns of a few rows", "SELECT * FROM hits WHERE url LIKE '%maps%{part}%' ORDER BY moment, event_id LIMIT 10", {
        "part": tuple(range(10, 99))}),
    Query("phrases by time", """
        SELECT phrase FROM hits WHERE phrase <> '' AND region >= {region} ORDER BY moment, phrase LIMIT 10
        """, {"region": _REGIONS}),
    Query("hosts of referrers", """
        SELECT regexp_replace(referrer, '^https?://(?:www\\.)?([^/]+)/.*$', '\\1') AS host, avg(length(referrer)) AS size,
            count(*) AS n, min(referrer) FROM hits WHERE referrer <> '' AND day >= '{day}'
        GROUP BY host HAVING count(*) > 20 ORDER BY size DESC, host LIMIT 25
        """, {"day": _DAYS}),
    Query("sixty sums", f"SELECT {_SUMS} FROM hits WHERE m1 <> {{no}}", {"no": tuple(range(9))}),
    Query("visits by engine and address", """
        SELECT engine, address, count(*) AS n, sum(is_refresh::INTEGER), avg(width) FROM hits WHERE phrase <> '' AND region >= {region}
        GROUP BY engine, address ORDER BY n DESC, engine, address LIMIT 10
        """, {"region": _REGIONS}),
    Query("groups of one", """
        SELECT event_id, address, count(*) AS n, sum(is_refresh::INTEGER), avg(width) FROM hits WHERE region >= {region}
        GROUP BY event_id, address ORDER BY n DESC, event_id LIMIT 10
        """, {"region": _REGIONS}),
    Query("top addresses", """
        SELECT 1, url, count(*) AS n FROM hits WHERE region >= {region} GROUP BY 1, url ORDER BY n DESC, url LIMIT 10
        """, {"region": _REGIONS}),
    Query("keys that follow from one", """
        SELECT address, address - 1, address - 2, address - 3, count(*) AS n FROM hits WHERE region >= {region}
        GROUP BY address, address - 1, address - 2, address - 3 ORDER BY n DESC, address LIMIT 10
        """, {"region": _REGIONS}),
    Query("pages of a week", """
        SELECT title, count(*) AS views FROM hits WHERE day >= DATE '{day}' AND day < DATE '{day}' + 7 AND NOT is_refresh AND title <> ''
        GROUP BY title ORDER BY views DESC, title LIMIT 10
        """, {"day": _DAYS}),
    Query("kinds of visits", """
        SELECT engine, campaign, CASE WHEN engine = 0 AND campaign = 0 THEN referrer ELSE '' END AS source, url AS target, count(*) AS n
        FROM hits WHERE day >= DATE '{day}' AND day < DATE '{day}' + 14 GROUP BY ALL ORDER BY n DESC, engine, campaign, source, target LIMIT 10
        """, {"day": _DAYS}),
    Query("minutes of a day", """
        SELECT date_trunc('minute', moment) AS minute, count(*) AS views FROM hits WHERE day = '{day}' AND NOT is_refresh
        GROUP BY minute ORDER BY minute LIMIT 10 OFFSET 100
        """, {"day": _DAYS}),
    Query("sessions", """
        SELECT visit, min(moment) AS began, max(moment) - min(moment) AS took, count(*) AS n FROM hits WHERE country = 'de' AND m2 <> {no}
        GROUP BY visit HAVING count(*) > 2 ORDER BY took DESC, visit LIMIT 10
        """, {"no": tuple(range(250))}),
)  # fmt: skip

EVENTS: Final = Workload("events", "a table of a hundred columns; rows are clicks", _TABLES, _QUERIES)
