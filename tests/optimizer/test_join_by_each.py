"""Joins by one of several keys: each key finds its pairs, and the answers are DuckDB's with the rule and without."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

import tqp
from tests.engines import Engines

RULE = "join_by_each"


def tables() -> dict[str, pa.Table]:
    def rows(count: int, x: int, y: int, holes: tuple[int, int]) -> pa.Table:
        return pa.table({
            "v": range(count),
            "x": [None if i % holes[0] == 0 else i * x % 97 for i in range(count)],
            "y": [None if i % holes[1] == 0 else i * y % 409 for i in range(count)],
        })  # fmt: skip

    return {"a": rows(420, 7919, 104729, (17, 13)), "b": rows(380, 7907, 104723, (19, 11))}


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    made = Engines(tables())
    yield made
    made.close()


@pytest.fixture(scope="module")
def without() -> Iterator[tqp.Connection]:
    con = tqp.connect(threads=1, disabled_rules=[RULE])
    for name, table in tables().items():
        con.register(name, table)
    yield con
    con.close()


def check(engines: Engines, without: tqp.Connection, query: str, fires: bool) -> None:
    engines(query)
    assert (f" {RULE}" in engines.tqp.sql(query).explain()) == fires
    assert sorted(engines.tqp.sql(query).fetchall(), key=repr) == sorted(without.sql(query).fetchall(), key=repr)


@pytest.mark.parametrize("kind", ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN"])
@pytest.mark.parametrize(
    "condition",
    [
        "a.x = b.x OR a.y = b.y",
        "a.x = b.x OR a.x = b.y",
        "a.x = b.x OR a.y = b.y OR a.v = b.v + 1",
        "(a.x = b.x OR a.y = b.y) AND b.v > 100",
        "(a.x = b.x OR a.y = b.y) AND a.v > 100",
        "(a.x = b.x OR a.y = b.y) AND a.v < b.v",
        "a.x = b.x AND a.v < b.v OR a.y = b.y AND a.v % 3 <> 0",
        "a.x IS NOT DISTINCT FROM b.x OR a.y = b.y",
    ],
)
def test_each_key_finds_its_pairs(engines: Engines, without: tqp.Connection, kind: str, condition: str) -> None:
    shown = "a.v, b.v" if kind.split()[0] not in ("SEMI", "ANTI") else "a.v, a.x"
    check(engines, without, f"SELECT {shown} FROM a {kind} b ON {condition}", fires=True)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*), sum(a.v * b.v) FROM a, b WHERE a.x = b.x OR a.y = b.y",
        "SELECT v FROM a WHERE EXISTS (FROM b WHERE a.x = b.x OR a.y = b.y)",
        "SELECT v FROM a WHERE NOT EXISTS (FROM b WHERE a.x = b.x OR a.y = b.y AND b.v > 3)",
        "SELECT a.v, b.v, c.v FROM a JOIN b ON a.x = b.x OR a.y = b.y LEFT JOIN b c ON a.x = c.y OR c.v = b.v",
        "WITH q AS (SELECT a.v AS o, b.v AS p FROM a JOIN b ON a.x = b.x OR a.y = b.y) SELECT q.o, r.p FROM q JOIN q r ON q.p = r.o",
        "SELECT a.v, a2.v FROM a JOIN a a2 ON a.x = a2.y OR a.y = a2.x",
        "SELECT * FROM a FULL JOIN b ON a.x = b.x OR a.y = b.y FULL JOIN a c ON b.x = c.y OR c.v = b.v",
        "SELECT * FROM a FULL JOIN b ON (a.x = b.x OR a.y = b.y) AND a.v + b.v < 0",
        # Marks of EXISTS are never NULL; those of IN and NOT IN are, where a NULL is among what is looked in.
        "SELECT v, EXISTS (FROM b WHERE a.x = b.x OR a.y = b.y) FROM a",
        "SELECT v FROM a WHERE v > 400 OR NOT EXISTS (FROM b WHERE a.x = b.x OR a.y = b.y AND b.v > 3)",
        "SELECT v, x IN (SELECT b.x FROM b WHERE a.x = b.v OR a.y = b.y) FROM a",
        "SELECT v, x NOT IN (SELECT b.x FROM b WHERE a.x = b.v OR a.y = b.y) FROM a",
        "SELECT v FROM a WHERE x NOT IN (SELECT b.x FROM b WHERE a.x = b.v OR a.y = b.y)",
        "SELECT v FROM a WHERE v < 9 OR x NOT IN (SELECT b.x FROM b WHERE a.x = b.v OR a.y = b.y)",
    ],
)
def test_within_other_plans(engines: Engines, without: tqp.Connection, query: str) -> None:
    check(engines, without, query, fires=True)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a.v, b.v FROM a JOIN b ON a.x = b.x OR a.v + b.v = 7",
        "SELECT a.v, b.v FROM a JOIN b ON (a.x = b.x OR a.y = b.y) AND a.v = b.v",
        "SELECT p.v, b.v FROM (FROM a LIMIT 20) p JOIN b ON p.x = b.x OR p.y = b.y",
    ],
)
def test_where_another_way_is_there_or_nothing_is_gained(engines: Engines, without: tqp.Connection, query: str) -> None:
    check(engines, without, query, fires=False)


def test_constants_of_another_text(engines: Engines) -> None:
    for most in (50, 200, 10):
        engines(f"SELECT a.v, b.v FROM a LEFT JOIN b ON (a.x = b.x OR a.y = b.y) AND b.v > {most}")
