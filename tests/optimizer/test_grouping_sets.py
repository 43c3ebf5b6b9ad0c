"""Which grouping sets a plan keeps: conditions on GROUPING(…) and on absent keys leave some out, and one alone is a plain GROUP BY."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import tqp
from tqp.ir.plan import Aggregate, Filter, GroupingSets, Plan, Scan
from tqp.ir.visit import walk_plan
from tqp.physical.finest import finest_sets


@pytest.fixture
def con() -> Iterator[tqp.Connection]:
    with tqp.connect(threads=1) as made:
        made.register("t", {"a": [1, 1, 2, None], "b": [5, None, 5, 7], "v": [1, 2, 3, 4]})
        yield made


def optimized(con: tqp.Connection, text: str) -> Plan:
    return con.sql(text)._query.optimized


@pytest.mark.parametrize(
    ("having", "sets"),
    [
        ("grouping(a) = 1", [(), (1,)]),
        ("grouping(a, b) BETWEEN 1 AND 2", [(0,), (1,)]),
        ("a > 1", [(0,), (0, 1)]),
        ("a IS NULL", [(), (0,), (0, 1), (1,)]),
        ("grouping(a) = 0 OR b = 5", [(0,), (0, 1), (1,)]),
        ("sum(v) > 1", [(), (0,), (0, 1), (1,)]),
    ],
)
def test_sets_that_are_asked_for(con: tqp.Connection, having: str, sets: list[tuple[int, ...]]) -> None:
    plan = optimized(con, f"SELECT a, b, sum(v) FROM t GROUP BY CUBE (a, b) HAVING {having}")
    (node,) = [node for node in walk_plan(plan) if isinstance(node, GroupingSets)]
    assert sorted(node.sets) == sets


def test_conditions_on_keys_of_the_sets_that_are_left_sink(con: tqp.Connection) -> None:
    plan = optimized(con, "SELECT a, b, sum(v) FROM t GROUP BY ROLLUP (a, b) HAVING a = 1")
    (condition,) = [node for node in walk_plan(plan) if isinstance(node, Filter)]
    assert isinstance(condition.input, Scan)


def test_marks_that_decide_nothing_more_are_not_asked_again(con: tqp.Connection) -> None:
    plan = optimized(con, "SELECT a, b, sum(v) FROM t GROUP BY CUBE (a, b) HAVING grouping(a) = 1")
    assert not any(isinstance(node, Filter) for node in walk_plan(plan))


@pytest.mark.parametrize("having", ["grouping(a, b) = 0", "a > 0 AND b > 0", "grouping(a) = 1 AND grouping(b) = 1"])
def test_one_set_alone_is_a_plain_aggregation(con: tqp.Connection, having: str) -> None:
    plan = optimized(con, f"SELECT a, b, sum(v), grouping(a) FROM t GROUP BY CUBE (a, b) HAVING {having}")
    assert sum(isinstance(node, Aggregate) for node in walk_plan(plan)) == 1
    assert not any(isinstance(node, GroupingSets) for node in walk_plan(plan))


@pytest.mark.parametrize(
    ("sets", "groups", "expected"),
    [
        ([(0, 1), (0,), ()], 1000.0, ((0, 1),)),
        ([(0,), (1,)], 10.0, ((0, 1),)),
        ([(0,), (1,)], 1000.0, ((0,), (1,))),
        ([(0,), (1,), (0,), ()], 1000.0, ((0,), (1,))),
        ([()], 1.0, ((),)),
    ],
)
def test_finest_sets(
    con: tqp.Connection, sets: list[tuple[int, ...]], groups: float, expected: tuple[tuple[int, ...], ...]
) -> None:
    plan = optimized(con, "SELECT a, b, sum(v) FROM t GROUP BY CUBE (a, b)")
    (node,) = [node for node in walk_plan(plan) if isinstance(node, GroupingSets)]
    made = GroupingSets(node.input, node.keys, tuple(sets), (), node.aggregates, node.fields)

    def rows(plan: Plan) -> float:
        return groups if isinstance(plan, Aggregate) else 1000.0

    assert finest_sets(made, rows, 0.125)[0] == expected


@pytest.mark.parametrize(
    ("calls", "sets"),
    [
        ("count(DISTINCT few), sum(v), sum(DISTINCT few)", 8),
        ("count(DISTINCT few), count(DISTINCT few + 1)", 12),
        ("count(DISTINCT v)", 4),
        ("count(DISTINCT few), first(v)", 4),
        ("count(few)", 4),
    ],
)
def test_distinct_values_are_sets_where_they_repeat(calls: str, sets: int) -> None:
    rows = list(range(1000))
    with tqp.connect(threads=1) as con:
        con.register(
            "t", {"a": [v % 3 for v in rows], "b": [v % 2 for v in rows], "few": [v % 5 for v in rows], "v": rows}
        )
        text = f"SELECT a, b, {calls} FROM t GROUP BY CUBE (a, b)"
        (node,) = [node for node in walk_plan(optimized(con, text)) if isinstance(node, GroupingSets)]
        assert len(node.sets) == sets
        assert any(call.distinct for call in node.aggregates) == ("DISTINCT" in calls and sets == 4)
    with tqp.connect(threads=1, disabled_rules=["distinct_sets"]) as con:
        con.register("t", {"a": [1, 1], "b": [1, 1], "few": [1, 1], "v": [1, 1]})
        (node,) = [node for node in walk_plan(optimized(con, text)) if isinstance(node, GroupingSets)]
        assert len(node.sets) == 4
