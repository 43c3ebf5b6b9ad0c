"""The analytic language beyond sums and joins: quantiles, texts put together, DISTINCT, sets of groups, windows, expressions.

The name of a query begins with its family.
"""

from __future__ import annotations

from typing import Final

from benchmarks.workloads.workload import Query, Workload

__all__ = ["LANGUAGE"]

_FEW: Final = {"few": tuple(range(1, 95))}

_TABLE: Final = """
    SELECT i AS id, pick(i, 1, 10)::INTEGER AS k10, pick(i, 2, 1000)::INTEGER AS k1000, pick(i, 3, 100000)::INTEGER AS k100000,
        'group ' || pick(i, 4, 10) AS text10, 'word ' || pick(i, 5, 1000) AS text1000,
        'user' || pick(i, 6, greatest(10, {rows} // 10)) || '@host' || pick(i, 7, 50) || '.example' AS address,
        DATE '2020-01-01' + pick(i, 8, 2000)::INTEGER AS day, (pick(i, 9, 5000) / 100)::DECIMAL(9, 2) AS money,
        CASE WHEN pick(i, 10, 20) > 0 THEN pick(i, 11, 100)::INTEGER END AS v, pick(i, 12, 100)::INTEGER AS w,
        pick(i, 13, 1000000)::INTEGER AS n, share(i, 14) AS x, share(i, 15) AS y,
        '{{"id": ' || i || ', "user": "user' || pick(i, 6, greatest(10, {rows} // 10)) || '", "at": {{"kind": ' || pick(i, 16, 20)
            || ', "share": ' || round(share(i, 17), 3) || '}}, "tags": ["tag ' || pick(i, 18, 30) || '", "' || pick(i, 19, 5)
            || '"]}}' AS doc
    FROM range({rows}) AS r(i)"""

_SHAPES: Final = {
    "quantiles: no key": "SELECT median(x), quantile_cont(n, 0.9), quantile_disc(money, 0.1) FROM t WHERE w <> {few}",
    "quantiles: several of one value": """
        SELECT k1000, quantile_cont(x, 0.1), median(x), quantile_cont(x, 0.9) FROM t WHERE w <> {few} GROUP BY k1000
        ORDER BY k1000 LIMIT 20""",
    "quantiles: few groups": "SELECT k10, median(x), median(n) FROM t WHERE w <> {few} GROUP BY k10 ORDER BY k10",
    "quantiles: many groups": """
        SELECT k100000, median(n), quantile_disc(day, 0.25) FROM t WHERE w <> {few} GROUP BY k100000 ORDER BY k100000 LIMIT 20""",
    "quantiles: distances": "SELECT k1000, mad(n) FROM t WHERE w <> {few} GROUP BY k1000 ORDER BY k1000 LIMIT 20",
    "quantiles: mode": "SELECT k10, mode(v * 1000 + k10) FROM t WHERE v = w AND w <> {few} GROUP BY k10 ORDER BY k10",
    "quantiles: entropy": "SELECT k1000, entropy(v) FROM t WHERE w <> {few} GROUP BY k1000 ORDER BY k1000 LIMIT 20",
    "quantiles: histograms": "SELECT k10, histogram(v) FROM t WHERE w <> {few} GROUP BY k10 ORDER BY k10",
    "texts: few groups": """
        SELECT k10, length(string_agg(text1000, ',')) FROM t WHERE w < {few} // 2 GROUP BY k10 ORDER BY k10""",
    "texts: many groups": """
        SELECT k100000, string_agg(text10, ',' ORDER BY id) FROM t WHERE w <> {few} GROUP BY k100000 ORDER BY k100000 LIMIT 20""",
    "texts: in another order": """
        SELECT k1000, md FROM (SELECT k1000, string_agg(text10, ';' ORDER BY n DESC, id) AS md FROM t WHERE w < {few} // 3
        GROUP BY k1000) ORDER BY k1000 LIMIT 20""",
    "texts: distinct": """
        SELECT k1000, string_agg(DISTINCT text10, ',' ORDER BY text10) FROM t WHERE w <> {few} GROUP BY k1000 ORDER BY k1000
        LIMIT 20""",
    "rows: first in an order": """
        SELECT k100000, first(n ORDER BY x), last(money ORDER BY day, id), arg_max(id, y) FROM t WHERE w <> {few} GROUP BY k100000
        ORDER BY k100000 LIMIT 20""",
    "rows: least and greatest": """
        SELECT k1000, arg_min(address, x), arg_max(n, y), arg_min(day, x) FROM t WHERE w <> {few} GROUP BY k1000 ORDER BY k1000
        LIMIT 20""",
    "rows: several greatest": """
        SELECT k1000, arg_max(id, x, 3), max(n, 3) FROM t WHERE w <> {few} GROUP BY k1000 ORDER BY k1000 LIMIT 20""",
    "distinct: counts": """
        SELECT k1000, count(DISTINCT n), count(DISTINCT v), count(DISTINCT text1000) FROM t WHERE w <> {few} GROUP BY k1000
        ORDER BY k1000 LIMIT 20""",
    "distinct: sums": "SELECT k10, sum(DISTINCT n), avg(DISTINCT money) FROM t WHERE w <> {few} GROUP BY k10 ORDER BY k10",
    "distinct: filtered": """
        SELECT count(DISTINCT n) FILTER (WHERE w < {few}), count(DISTINCT n) FILTER (WHERE w >= {few}), count(DISTINCT address) FROM t""",
    "sets: rollup": """
        SELECT day, k10, text10, sum(money), count(*), avg(x) FROM t WHERE w <> {few} GROUP BY ROLLUP (day, k10, text10)
        ORDER BY ALL LIMIT 20""",
    "sets: cube": """
        SELECT k10, text10, w, sum(v), max(money) FROM t WHERE w <> {few} GROUP BY CUBE (k10, text10, w) ORDER BY ALL LIMIT 20""",
    "sets: of several keys": """
        SELECT k10, text10, k1000, sum(n), grouping(k10, text10) FROM t WHERE w <> {few}
        GROUP BY GROUPING SETS ((k10, text10), (k1000), (k10, k1000), ()) ORDER BY ALL LIMIT 20""",
    "sets: of medians": """
        SELECT k10, text10, median(x) FROM t WHERE w <> {few} GROUP BY GROUPING SETS ((k10), (text10), ()) ORDER BY ALL""",
    "statistics": """
        SELECT k1000, corr(x, y), regr_slope(y, n), stddev(x), var_pop(money), skewness(x), kurtosis(y) FROM t WHERE w <> {few}
        GROUP BY k1000 ORDER BY k1000 LIMIT 20""",
    "statistics: bits": """
        SELECT k1000, bit_and(n), bit_or(n), bit_xor(n), bool_and(v > 3), count_if(x < y) FROM t WHERE w <> {few} GROUP BY k1000
        ORDER BY k1000 LIMIT 20""",
    "statistics: careful": """
        SELECT k1000, fsum(x), favg(y), product(1 + x / 100000) FROM t WHERE w <> {few} GROUP BY k1000 ORDER BY k1000 LIMIT 20""",
    "windows: ranks": """
        SELECT sum(r), sum(d), count(*) FROM (SELECT rank() OVER p AS r, dense_rank() OVER p AS d FROM t WHERE w <> {few}
        WINDOW p AS (PARTITION BY k1000 ORDER BY day))""",
    "windows: shares of rows": """
        SELECT sum(a), sum(b), sum(c) FROM (SELECT ntile(10) OVER p AS a, percent_rank() OVER p AS b, cume_dist() OVER p AS c FROM t
        WHERE w <> {few} WINDOW p AS (PARTITION BY k1000 ORDER BY n, id))""",
    "windows: values": """
        SELECT sum(a), sum(b), sum(c) FROM (SELECT first_value(n) OVER p AS a, last_value(n) OVER p AS b, nth_value(n, 3) OVER p AS c
        FROM t WHERE w <> {few} WINDOW p AS (PARTITION BY k1000 ORDER BY day, id))""",
    "windows: by days": """
        SELECT sum(a) FROM (SELECT sum(n) OVER (PARTITION BY k1000 ORDER BY day RANGE BETWEEN INTERVAL 30 DAYS PRECEDING AND CURRENT ROW)
        AS a FROM t WHERE w <> {few})""",
    "windows: by peers": """
        SELECT sum(a) FROM (SELECT sum(n) OVER (PARTITION BY k1000 ORDER BY day GROUPS BETWEEN 3 PRECEDING AND CURRENT ROW) AS a
        FROM t WHERE w <> {few})""",
    "windows: neighbours": """
        SELECT sum(n - a), count(b) FROM (SELECT n, lag(n) OVER p AS a, lead(v, 3) OVER p AS b FROM t WHERE w <> {few}
        WINDOW p AS (PARTITION BY k1000 ORDER BY id))""",
    "windows: running": """
        SELECT max(s), min(s), sum(c) FROM (SELECT sum(n) OVER p AS s, count(v) OVER p AS c FROM t WHERE w <> {few}
        WINDOW p AS (PARTITION BY k10 ORDER BY day, id))""",
    "windows: moving": """
        SELECT sum(a), max(b) FROM (SELECT avg(x) OVER p AS a, max(n) OVER p AS b FROM t WHERE w <> {few}
        WINDOW p AS (PARTITION BY k1000 ORDER BY id ROWS BETWEEN 10 PRECEDING AND 10 FOLLOWING))""",
    "windows: moving median": """
        SELECT sum(a) FROM (SELECT median(n) OVER (PARTITION BY k1000 ORDER BY id ROWS BETWEEN 5 PRECEDING AND 5 FOLLOWING) AS a
        FROM t WHERE w < {few} // 4)""",
    "windows: moving distinct": """
        SELECT sum(a) FROM (SELECT count(DISTINCT v) OVER (PARTITION BY k1000 ORDER BY id ROWS BETWEEN 20 PRECEDING AND CURRENT ROW)
        AS a FROM t WHERE w < {few} // 4)""",
    "windows: shares of groups": """
        SELECT k10, sum(money / s) FROM (SELECT k10, money, sum(money) OVER (PARTITION BY k100000) AS s FROM t WHERE w <> {few})
        WHERE s > 0 GROUP BY k10 ORDER BY k10""",
    "windows: top of groups": """
        SELECT k1000, id, n FROM t WHERE w <> {few} QUALIFY row_number() OVER (PARTITION BY k1000 ORDER BY n DESC, id) <= 2
        ORDER BY k1000, n DESC, id LIMIT 40""",
    "regex: matches": "SELECT count(*) FROM t WHERE regexp_matches(address, '^user[0-9]*{few}@host[1-3]')",
    "regex: whole texts": """
        SELECT count(*) FROM t WHERE regexp_full_match(address, 'user[0-9]*{few}@host[0-9]+\\.example')""",
    "regex: all matches": """
        SELECT n, count(*) FROM (SELECT len(regexp_extract_all(address, '[0-9]+')) AS n FROM t WHERE w < {few}) GROUP BY n ORDER BY n""",
    "regex: everywhere": """
        SELECT regexp_replace(address, '[0-9]', '', 'g') AS h, count(*) FROM t WHERE w < {few} GROUP BY h ORDER BY h""",
    "regex: pieces": """
        SELECT string_split(address, '@')[2] AS h, count(*) FROM t WHERE w <> {few} GROUP BY h ORDER BY h LIMIT 20""",
    "regex: extract": """
        SELECT regexp_extract(address, '@(host[0-9]+)', 1) AS h, count(*), sum(n) FROM t WHERE w <> {few} GROUP BY h ORDER BY h""",
    "regex: replace": """
        SELECT regexp_replace(text1000, '[0-9]$', '#') AS h, count(*) FROM t WHERE w <> {few} GROUP BY h ORDER BY h LIMIT 20""",
    "json: members": """
        SELECT doc->'at'->>'kind' AS kind, count(*), sum((doc->>'id')::BIGINT) FROM t WHERE w < {few} GROUP BY kind ORDER BY kind""",
    "json: paths": """
        SELECT json_extract(doc, '$.tags[1]') AS tag, sum(json_extract(doc, '$.at.share')::DOUBLE) FROM t WHERE w < {few} GROUP BY tag
        ORDER BY tag""",
    "json: made": """
        SELECT count(DISTINCT json_object('kind', k10, 'text', text10, 'more', [w])), max(to_json(w)) FROM t WHERE w < {few}""",
    "lists: made and taken apart": """
        SELECT k1000, sum(e) FROM (SELECT k1000, unnest(l) AS e FROM (SELECT k1000, list(n) AS l FROM t WHERE w <> {few}
        GROUP BY k1000)) GROUP BY k1000 ORDER BY k1000 LIMIT 20""",
    "lists: of a row": "SELECT sum(len(l)), sum(l[2]), count(*) FROM (SELECT [v, w, n] AS l FROM t WHERE w <> {few})",
    "lists: taken apart in FROM": """
        SELECT k10, sum(e) FROM (SELECT k10, list(v) AS l FROM t WHERE w <> {few} GROUP BY k10, w) AS g, unnest(g.l) AS u(e)
        GROUP BY k10 ORDER BY k10""",
    "lists: columns as rows": """
        SELECT e, count(*) FROM (SELECT unnest([v, w, k10]) AS e FROM t WHERE w <> {few}) GROUP BY e ORDER BY e""",
    "lists: long ones": """
        SELECT k1000, list_sum(l), list_max(l), len(l), list_avg(l) FROM (SELECT k1000, list(n) AS l FROM t WHERE w <> {few}
        GROUP BY k1000) ORDER BY k1000 LIMIT 20""",
    "lists: long ones filtered": """
        SELECT k1000, list_sum(list_filter(l, lambda x: x % 2 = 0)), list_sum([x + {few} for x in l]) FROM (SELECT k1000, list(n) AS l
        FROM t WHERE w <> {few} GROUP BY k1000) ORDER BY k1000 LIMIT 20""",
    "lists: distinct": """
        SELECT k1000, len(list_distinct(l)), list_sort(l)[1], list_contains(l, 5) FROM (SELECT k1000, list(k10) AS l FROM t
        WHERE w <> {few} GROUP BY k1000) ORDER BY k1000 LIMIT 20""",
    "lists: reduced": "SELECT sum(list_reduce([v, w, k10], lambda a, b: a + b)) FROM t WHERE w < {few}",
    "lists: in an order": """
        SELECT k100000, list(n ORDER BY id)[1:3] AS l FROM t WHERE w <> {few} GROUP BY k100000 ORDER BY k100000 LIMIT 20""",
    "lists: lambdas": """
        SELECT sum(list_sum(list_transform(l, lambda x: x * 2 + {few}))) FROM (SELECT list_filter([v, w, k10], lambda x: x > 5) AS l
        FROM t WHERE w < {few})""",
    "lists: sorted and searched": """
        SELECT count(*) FROM (SELECT list_sort([n, w, v]) AS l FROM t WHERE w <> {few}) WHERE list_contains(l, {few}) OR l[1] > 50""",
    "lists: as keys": "SELECT l, count(*) FROM (SELECT [k10, v] AS l FROM t WHERE w <> {few}) GROUP BY l ORDER BY l LIMIT 20",
    "structs: as keys": """
        SELECT s, count(*), sum(n) FROM (SELECT {{'a': k10, 'b': text10}} AS s, n FROM t WHERE w <> {few}) GROUP BY s ORDER BY s""",
    "structs: fields": """
        SELECT s.b, sum(s.a) FROM (SELECT {{'a': n, 'b': k10}} AS s FROM t WHERE w <> {few}) GROUP BY s.b ORDER BY s.b""",
    "maps: by key": "SELECT sum(m['a']), count(*) FROM (SELECT MAP {{'a': n, 'b': w}} AS m FROM t WHERE w <> {few})",
    "joins: by one of two keys": """
        SELECT count(*), sum(a.w + b.v) FROM (SELECT id, k100000, w FROM t WHERE id % 50 = {few} % 50) AS a
        JOIN (SELECT id, k100000, v FROM t WHERE id % 40 = 7) AS b ON a.id = b.id + 1 OR a.k100000 = b.k100000""",
    "lateral: ranges": "SELECT sum(i) FROM (SELECT k10 FROM t WHERE w <> {few}) AS g, range(g.k10) AS r(i)",
    "lateral: counts": """
        SELECT sum(c) FROM (SELECT DISTINCT k1000 FROM t WHERE w <> {few}) AS g, LATERAL (SELECT count(*) AS c FROM t
        WHERE t.k1000 = g.k1000 AND t.v > 50)""",
    "asof: prices": """
        WITH prices AS (SELECT k10, id * 7 % 1000003 AS moment, max(n) AS price FROM t WHERE w < {few} // 5 GROUP BY ALL)
        SELECT t.k10, sum(price), count(*) FROM t ASOF JOIN prices p ON t.k10 = p.k10 AND t.n >= p.moment WHERE t.w <> {few}
        GROUP BY t.k10 ORDER BY t.k10""",
    "recursive: reachability": """
        WITH RECURSIVE edges AS (SELECT k100000 AS a, n % 100000 AS b FROM t WHERE w < 20),
        reached(a) AS (SELECT {few} UNION SELECT b FROM reached JOIN edges USING (a)) SELECT count(*), sum(a) FROM reached""",
    "recursive: a large graph": """
        WITH RECURSIVE reached(a) AS (SELECT {few} UNION SELECT n % 100000 FROM reached JOIN t ON k100000 = a)
        SELECT count(*), sum(a) FROM reached""",
    "recursive: depths": """
        WITH RECURSIVE reached(a, depth) AS (SELECT {few}, 0 UNION SELECT n % 100000, depth + 1 FROM reached JOIN t ON k100000 = a
        WHERE depth < 3 AND w < 30) SELECT depth, count(*), sum(a) FROM reached GROUP BY depth ORDER BY depth""",
    "pivot: what there is": """
        FROM (PIVOT (SELECT k10, 'm' || (w % 12) AS month, money FROM t WHERE w <> {few}) ON month USING sum(money), count(*)
        GROUP BY k10) ORDER BY k10""",
    "pivot: months": """
        FROM (PIVOT (SELECT k10, w % 12 AS month, money FROM t WHERE w <> {few}) ON month IN (0, 1, 2, 3, 4, 5) USING sum(money)
        GROUP BY k10) ORDER BY k10""",
    "pivot: and back": """
        SELECT name, sum(value) FROM (UNPIVOT (SELECT v, w, k10 FROM t WHERE w <> {few}) ON v, w, k10 INTO NAME name VALUE value)
        GROUP BY name ORDER BY name""",
    "distinct: on": "SELECT sum(n) FROM (SELECT DISTINCT ON (k1000) n FROM t WHERE w <> {few} ORDER BY k1000, id)",
}  # fmt: skip

LANGUAGE: Final = Workload(
    "language",
    "the analytic language: a query for each family and shape",
    {"t": _TABLE},
    [Query(name, text, _FEW) for name, text in _SHAPES.items()],
)
