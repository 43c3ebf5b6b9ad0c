"""Families: one operator each, over cardinality, skew, type and number of keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from benchmarks.workloads.workload import Query, Workload

__all__ = ["GROUPS", "JOINS", "ORDER"]

_FEW: Final = {"few": tuple(range(1, 95))}

_GROUP_TABLE: Final = """
    SELECT i AS id, pick(i, 1, 10)::INTEGER AS k10, pick(i, 2, 1000)::INTEGER AS k1000, pick(i, 3, 100000)::INTEGER AS k100000,
        pick(i, 4, greatest(10, {rows} // 3))::INTEGER AS many, wide(pick(i, 5, greatest(10, {rows} // 3))) AS wide,
        tail(i, 6, 1000000)::INTEGER AS tailed, i // 4 AS ascending, 'group ' || pick(i, 7, 10) AS text10,
        'group ' || pick(i, 8, 1000) AS text1000, 'group ' || pick(i, 9, greatest(10, {rows} // 3)) AS text_many,
        DATE '2020-01-01' + pick(i, 10, 2000)::INTEGER AS day, (pick(i, 11, 5000) / 100)::DECIMAL(9, 2) AS money,
        CASE WHEN pick(i, 12, 20) > 0 THEN pick(i, 13, 100)::INTEGER END AS v, pick(i, 14, 100)::INTEGER AS w, share(i, 15) AS x
    FROM range({rows}) AS r(i)"""


def _groups() -> Iterator[Query]:
    keys = (
        "k10",
        "k1000",
        "k100000",
        "many",
        "wide",
        "tailed",
        "ascending",
        "text10",
        "text1000",
        "text_many",
        "day",
        "money",
    )
    for key in keys:
        text = f"SELECT {key}, sum(v), sum(money), count(*) FROM t WHERE w >= {{few}} // 10 GROUP BY {key} ORDER BY {key} LIMIT 20"
        yield Query(f"by {key}", text, _FEW)
    several = (
        "k10, text10",
        "k1000, k10",
        "k100000, text1000",
        "many, day",
        "wide, many",
        "text1000, day, k10",
        "k10, text10, k1000, day, w",
    )
    for key in several:
        text = f"SELECT {key}, sum(v), avg(x), count(*) FROM t WHERE w >= {{few}} // 10 GROUP BY {key} ORDER BY {key} LIMIT 20"
        yield Query(f"by {key}", text, _FEW)
    for key in ("k10", "k1000", "many"):
        text = f"SELECT {key}, count(DISTINCT wide), count(DISTINCT v) FROM t WHERE w >= {{few}} // 10 GROUP BY {key} ORDER BY {key} LIMIT 20"
        yield Query(f"distinct by {key}", text, _FEW)
    yield Query(
        "no key", "SELECT sum(v), avg(x), min(day), max(money), count(DISTINCT k100000) FROM t WHERE w > {few}", _FEW
    )
    yield Query(
        "spread",
        "SELECT k1000, stddev_samp(x), min(x), max(x), sum(x * w) FROM t WHERE w <> {few} GROUP BY k1000 ORDER BY k1000",
        _FEW,
    )
    yield Query(
        "having",
        "SELECT many, sum(w) AS s FROM t GROUP BY many HAVING sum(w) > 300 + {few} ORDER BY s DESC, many LIMIT 20",
        _FEW,
    )
    yield Query(
        "rows that differ", "SELECT count(*) FROM (SELECT DISTINCT k1000, day, text10 FROM t WHERE w <> {few})", _FEW
    )


_JOIN_TABLES: Final = {
    "t": """
        SELECT i AS id, pick(i, 1, 100)::INTEGER AS s, pick(i, 2, 20000)::INTEGER AS m,
            pick(i, 3, greatest(100, {rows} // 4) * 2)::INTEGER AS l, wide(pick(i, 4, greatest(100, {rows} // 4))) AS wide,
            tail(i, 5, 20000)::INTEGER AS tailed, 'key ' || pick(i, 6, 20000) AS text, pick(i, 7, 500)::INTEGER AS a,
            pick(i, 8, 500)::INTEGER AS b, pick(i, 9, 100)::INTEGER AS w FROM range({rows}) AS r(i)""",
    "small": "SELECT i::INTEGER AS s, 'name ' || i AS name, pick(i, 1, 100)::INTEGER AS v FROM range(100) AS r(i)",
    "middle": """
        SELECT i::INTEGER AS m, 'key ' || i AS text, pick(i, 1, 100)::INTEGER AS v FROM range(20000) AS r(i)""",
    "large": """
        SELECT i::INTEGER AS l, wide(i) AS wide, pick(i, 1, 100)::INTEGER AS v
        FROM range(greatest(100, {rows} // 4)) AS r(i)""",
    "pairs": """
        SELECT (i % 500)::INTEGER AS a, (i // 500)::INTEGER AS b, pick(i, 1, 100)::INTEGER AS v FROM range(125000) AS r(i)""",
    "several": """
        SELECT pick(i, 1, 20000)::INTEGER AS m, pick(i, 2, 100)::INTEGER AS v FROM range(80000) AS r(i)""",
}


def _joins() -> Iterator[Query]:
    for table, key in (
        ("small", "s"),
        ("middle", "m"),
        ("large", "l"),
        ("large", "wide"),
        ("middle", "text"),
        ("pairs", "a, b"),
        ("several", "m"),
    ):
        yield Query(
            f"{table} by {key}",
            f"SELECT count(*), sum(t.w), sum(d.v) FROM t JOIN {table} AS d USING ({key}) WHERE d.v <> {{few}}",
            _FEW,
        )
        yield Query(
            f"few of {table} by {key}",
            f"SELECT count(*), sum(t.w) FROM t JOIN {table} AS d USING ({key}) WHERE d.v = {{few}}",
            _FEW,
        )
    yield Query(
        "skewed", "SELECT count(*), sum(d.v) FROM t JOIN middle AS d ON t.tailed = d.m WHERE d.v <> {few}", _FEW
    )
    yield Query(
        "skewed both",
        "SELECT count(*), sum(d.v) FROM t JOIN several AS d ON t.tailed = d.m WHERE d.v < {few} AND t.w < 20",
        _FEW,
    )
    for kind in ("EXISTS", "NOT EXISTS"):
        for table, key in (("large", "l"), ("several", "m"), ("large", "wide")):
            text = f"SELECT count(*), sum(w) FROM t WHERE {kind} (SELECT 1 FROM {table} AS d WHERE d.{key} = t.{key} AND d.v < {{few}})"
            yield Query(f"{kind.lower()} in {table} by {key}", text, _FEW)
    yield Query(
        "exists in pairs",
        "SELECT count(*) FROM t WHERE EXISTS (SELECT 1 FROM pairs AS d WHERE d.a = t.a AND d.b = t.b AND d.v < {few})",
        _FEW,
    )
    yield Query("not in", "SELECT count(*) FROM t WHERE m NOT IN (SELECT m FROM several WHERE v < {few})", _FEW)
    yield Query(
        "left", "SELECT count(*), count(d.v), sum(d.v) FROM t LEFT JOIN large AS d ON t.l = d.l AND d.v < {few}", _FEW
    )
    yield Query(
        "full",
        "SELECT count(*), count(t.id), count(d.v) FROM t FULL JOIN large AS d ON t.l = d.l AND t.w < {few}",
        _FEW,
    )
    yield Query(
        "chain",
        "SELECT s.name, sum(p.v + l.v) FROM t JOIN small AS s USING (s) JOIN large AS l USING (l) JOIN pairs AS p USING (a, b) WHERE s.v < {few} GROUP BY s.name ORDER BY s.name",
        _FEW,
    )
    yield Query(
        "ranges", "SELECT count(*) FROM t JOIN small AS d ON t.w BETWEEN d.v AND d.v + 1 WHERE t.m < {few} * 100", _FEW
    )


def _orders() -> Iterator[Query]:
    where = "FROM t WHERE w >= {few} // 10"
    yield Query(
        "sort whole", f"SELECT sum(r) FROM (SELECT row_number() OVER (ORDER BY wide, id) * (id % 3) AS r {where})", _FEW
    )
    for name, by in (
        ("wide", "wide, id"),
        ("double", "x DESC, id"),
        ("text", "text_many, id"),
        ("three keys", "k10, day DESC, money, id"),
    ):
        yield Query(f"top by {name}", f"SELECT id, v {where} ORDER BY {by} LIMIT 100", _FEW)
        yield Query(f"sort by {name}", f"SELECT id, v {where} ORDER BY {by}", _FEW)
    for key in ("k10", "k1000", "many"):
        windows = {
            "row_number": f"row_number() OVER (PARTITION BY {key} ORDER BY x, id)",
            "running sum": f"sum(w) OVER (PARTITION BY {key} ORDER BY day, id)",
            "total": f"sum(w) OVER (PARTITION BY {key})",
            "lag": f"w - lag(w) OVER (PARTITION BY {key} ORDER BY day, id)",
        }
        for name, window in windows.items():
            yield Query(f"{name} by {key}", f"SELECT sum(r * (id % 7)) FROM (SELECT id, {window} AS r {where})", _FEW)
    yield Query(
        "rank",
        f"SELECT max(r), sum(r) FROM (SELECT rank() OVER (PARTITION BY k1000 ORDER BY money) AS r {where})",
        _FEW,
    )
    yield Query(
        "frame",
        f"SELECT sum(r) FROM (SELECT max(w) OVER (PARTITION BY k1000 ORDER BY id ROWS BETWEEN 5 PRECEDING AND 5 FOLLOWING) AS r {where})",
        _FEW,
    )
    yield Query(
        "first three of each",
        f"SELECT sum(id) FROM (SELECT id, row_number() OVER (PARTITION BY k1000 ORDER BY x DESC, id) AS r {where}) WHERE r <= 3",
        _FEW,
    )
    yield Query(
        "first of many",
        f"SELECT sum(id) FROM (SELECT id, row_number() OVER (PARTITION BY many ORDER BY x DESC, id) AS r {where}) WHERE r = 1",
        _FEW,
    )


GROUPS: Final = Workload(
    "groups",
    "GROUP BY and DISTINCT by cardinality, skew, type and number of keys",
    {"t": _GROUP_TABLE},
    tuple(_groups()),
)
JOINS: Final = Workload("joins", "joins by size, skew, type, kind and number of keys", _JOIN_TABLES, tuple(_joins()))
ORDER: Final = Workload("order", "sorts, top rows and windows", {"t": _GROUP_TABLE}, tuple(_orders()))
