"""Long lists of constants, which are read from the words of a text at once: types, names, answers and errors as one by one."""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import tqp
from tqp.errors import TqpError
from tqp.io.constants import ConstantTable
from tqp.ir.plan import Scan
from tqp.ir.show import show
from tqp.sql import gathering

_TABLE = pa.table({
    "tiny": pa.array([1, 2, None, 100, -3, 0, 7], pa.int8()),
    "whole": pa.array([1, 2, None, 40000, -3, 0, 70000], pa.int32()),
    "big": pa.array([1, 2, None, 2**40, -3, 0, 2**62], pa.int64()),
    "positive": pa.array([1, 2, None, 2**63, 3, 0, 2**64 - 1], pa.uint64()),
    "real": pa.array([1.5, 2.0, None, float("nan"), -0.0, 0.25, 1e300]),
    "single": pa.array([1.5, 0.1, None, float("nan"), -0.0, 0.25, 7], pa.float32()),
    "money": pa.array([Decimal(one) / 100 if one is not None else None for one in (150, 200, None, 25, -300, 0, 725)], pa.decimal128(12, 2)),
    "word": pa.array(["1", "a", None, "x'y", "", "2020-01-02", "7"]),
    "day": pa.array([0, 18263, None, 18264, -1, 1, 18293], pa.date32()),
    "moment": pa.array([0, 10**15, None, 1, 2, 3, 4], pa.timestamp("us")),
    "truth": pa.array([True, False, None, True, False, True, None]),
})  # fmt: skip


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[tqp.Connection, duckdb.DuckDBPyConnection]]:
    ours, theirs = tqp.connect(threads=1), duckdb.connect()
    ours.register("t", _TABLE)
    theirs.register("t", _TABLE)
    yield ours, theirs
    ours.close()
    theirs.close()


def _found(connection: Any, text: str) -> Any:
    """Names, types and rows; or that it is an error."""
    try:
        answer = connection.sql(text)
        rows = sorted(map(repr, answer.fetchall()))
    except (TqpError, duckdb.Error):
        return "error"
    return list(answer.columns), [str(one).replace('"', "") for one in answer.types], rows


def _constants(turn: random.Random, kind: str, count: int) -> list[str]:
    def one() -> str:
        match kind:
            case "small":
                return str(turn.randrange(-130, 300))
            case "whole":
                return str(turn.choice([turn.randrange(1 - 2**31, 2**31), turn.randrange(100), 1 - 2**31, 2**31 - 1]))
            case "big":
                return str(turn.choice([turn.randrange(-(2**63), 2**63), 7, 2**31, 2**63 - 1, 1 - 2**63]))
            case "huge":
                return str(turn.choice([turn.randrange(2**80), 2**63, 2**64, 1]))
            case "decimal":
                return turn.choice(
                    ["1.5", "0.25", "-3.00", "7.250", ".5", "2.", "12345.678901", str(turn.randrange(10**6) / 100)]
                )
            case "mixed":
                return turn.choice(["1", "2.50", "-3", "1e0", "0.1", "300", "1.5e-1", "-0.0", "99999999999"])
            case "word":
                return turn.choice(["'a'", "'x''y'", "''", "'7'", "'é'", f"'{turn.randrange(1000)}'"])
            case "day":
                return turn.choice(
                    ["'1970-01-01'", "'2020-01-02'", f"'2020-02-{turn.randrange(1, 29):02}'", "'1969-12-31'"]
                )
            case "truth":
                return turn.choice(["true", "FALSE"])
            case _:
                return turn.choice(["1", "'a'", "NULL", "true"])

    nulls = turn.choice([0.0, 0.0, 0.05])
    return [turn.choice(["NULL", "null"]) if turn.random() < nulls else one() for _ in range(count)]


_KINDS = ("small", "whole", "big", "huge", "decimal", "mixed", "word", "day", "truth", "any")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists of a few constants are read as long ones are, for one by one long ones take their time."""
    monkeypatch.setattr(gathering, "_FEWEST", 6)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("seed", range(8))
def test_answers_are_those_of_duckdb(both: tuple[Any, Any], seed: int) -> None:
    ours, theirs = both
    turn = random.Random(seed)
    for column in turn.sample(_TABLE.column_names, 4):
        for kind in turn.sample(_KINDS, 4):
            items = ", ".join(_constants(turn, kind, turn.randrange(6, 16)))
            test = turn.choice(["IN ({})", "NOT IN ({})", "= ANY([{}])"]).format(items)
            for text in (f"SELECT {column} {test} AS x FROM t", f"SELECT count(*) FROM t WHERE {column} {test}"):
                expected = _found(theirs, text)
                if expected != "error":
                    assert _found(ours, text) == expected, text
    for _ in range(4):
        kinds = [turn.choice(_KINDS) for _ in range(turn.randrange(1, 5))]
        rows = turn.randrange(6, 20)
        columns = [_constants(turn, kind, rows) for kind in kinds]
        values = ", ".join(f"({', '.join(row)})" for row in zip(*columns, strict=True))
        for text in (f"VALUES {values}", f"SELECT * FROM (VALUES {values}) AS v"):
            expected = _found(theirs, text)
            if expected != "error":
                assert _found(ours, text) == expected, text


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("seed", range(4))
def test_answers_and_errors_are_those_of_constants_one_by_one(
    both: tuple[Any, Any], seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, _ = both
    turn = random.Random(100 + seed)
    texts = []
    for column in turn.sample(_TABLE.column_names, 3):
        for kind in turn.sample(_KINDS, 3):
            texts.append(f"SELECT {column} IN ({', '.join(_constants(turn, kind, 8))}) FROM t")
            texts.append(f"SELECT {column} + 1 IN ({', '.join(_constants(turn, kind, 8))}) AS x FROM t")
    for kind in _KINDS:
        values = ", ".join(
            f"({one}, {other})"
            for one, other in zip(_constants(turn, kind, 8), _constants(turn, "small", 8), strict=True)
        )
        texts.append(f"FROM (VALUES {values}) AS v(a, b) SELECT max(a), sum(b)")

    def asked() -> list[Any]:
        found = []
        for text in texts:
            try:
                answer = ours.sql(text)
                found.append((answer.columns, list(map(str, answer.types)), sorted(map(repr, answer.fetchall()))))
            except TqpError as error:
                found.append(str(error))
        return found

    together = asked()
    ours._plans.clear()
    monkeypatch.setattr(gathering, "_FEWEST", 10**9)
    assert asked() == together


def test_they_are_one_list_and_one_table(both: tuple[Any, Any]) -> None:
    ours, theirs = both
    items = ", ".join(map(str, range(0, 2000, 2)))
    plan = ours.sql(f"SELECT count(*) FROM t WHERE whole IN ({items})")._query.optimized
    assert "IN (0, 2, 4" in show(plan) and "of 1000)" in show(plan)
    values = ", ".join(f"({one}, 'name {one % 7}', {one / 4})" for one in range(2000))
    text = f"SELECT b, count(*), sum(c) FROM (VALUES {values}) AS v(a, b, c) GROUP BY b"
    assert _found(ours, text) == _found(theirs, text)
    scans = [node for node in _nodes(ours.sql(text)._query.optimized) if isinstance(node, Scan)]
    assert [type(scan.source) for scan in scans] == [ConstantTable]


def _nodes(plan: Any) -> Iterator[Any]:
    yield plan
    for child in plan.children:
        yield from _nodes(child)


def test_a_plan_takes_its_constants_along(both: tuple[Any, Any]) -> None:
    ours, _ = both
    values = ", ".join(f"({one})" for one in range(500))
    plan = ours.sql(f"SELECT sum(col0) FROM (VALUES {values}) AS v")._query.optimized
    again = pickle.loads(pickle.dumps(plan))
    assert show(again) == show(plan)


def test_blocks_without_a_member_are_left_out() -> None:
    con = tqp.connect(threads=1)
    con.register("u", pa.table({"a": pa.array(range(300_000))}))
    items = ", ".join(map(str, [*range(-400, 100), *range(200_000, 200_300)]))
    answer = con.sql(f"SELECT count(*), min(a), max(a) FROM u WHERE a IN ({items})")
    assert answer.fetchall() == [(400, 0, 200_299)]
    assert "blocks" in answer.explain(True), answer.explain(True)


def test_other_constants_are_another_query(both: tuple[Any, Any]) -> None:
    ours, _ = both
    some, others = (", ".join(map(str, range(start, start + 300))) for start in (0, 1000))
    assert ours.sql(f"SELECT count(*) FROM t WHERE whole IN ({some})").fetchall() == [(3,)]
    assert ours.sql(f"SELECT count(*) FROM t WHERE whole IN ({others})").fetchall() == [(0,)]


def test_rows_are_inserted_as_one_by_one() -> None:
    ours, theirs = tqp.connect(threads=1), duckdb.connect()
    values = ", ".join(
        f"({one}, 'name {one % 7}', '2020-01-{one % 28 + 1:02}', {one}.5, {'NULL' if one % 3 else one})"
        for one in range(400)
    )
    for connection in (ours, theirs):
        connection.execute("CREATE TABLE s (a BIGINT, b VARCHAR, c DATE, d DOUBLE, e VARCHAR)")
        connection.execute(f"INSERT INTO s VALUES {values}")
    assert _found(ours, "FROM s") == _found(theirs, "FROM s")
    with pytest.raises(TqpError, match="2020-13-01"):
        ours.execute(f"INSERT INTO s VALUES {values}, (1, 'a', '2020-13-01', 1.5, NULL)")
    with pytest.raises(TqpError, match="columns"):
        ours.execute("INSERT INTO s VALUES " + ", ".join(f"({one}, 2)" for one in range(400)))


@pytest.mark.usefixtures("few")
def test_a_pivot_takes_a_long_list(both: tuple[Any, Any]) -> None:
    ours, theirs = both
    items = ", ".join(map(str, range(9)))
    text = f"SELECT * FROM (SELECT whole, tiny FROM t) PIVOT (sum(whole) FOR tiny IN ({items}))"
    assert _found(ours, text) == _found(theirs, text)
