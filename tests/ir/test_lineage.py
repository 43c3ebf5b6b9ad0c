"""Lineage: which node made a column, and what its stored statistics then say of it in every row of a plan."""

from __future__ import annotations

import pytest

from tests.optimizer.build import col, group, join, op, project, scan, table, where, window
from tests.optimizer.interpret import listed
from tests.optimizer.random_plans import Generator, numbers
from tqp.ir.expr import ColumnRef, Expr
from tqp.ir.lineage import lineage, pads, stored_statistics
from tqp.ir.plan import Aggregate, Field, Join, JoinKind, Limit, Plan, Scan, SetOp, Shared, Sort, Window
from tqp.ir.show import show
from tqp.optimizer.facts import never_null, unique_keys
from tqp.optimizer.ranges import range_of
from tqp.types import BIGINT

R = table("r", "k a", (1, 10), (2, 20), (3, None))
S = table("s", "k a", (4, 40))


def end(plan: Plan, expr: Expr) -> tuple[Plan, Expr]:
    *_, last = lineage(plan, expr)
    return last


def test_a_column_comes_from_its_scan() -> None:
    shared = Shared(project(scan(R, "x"), z="x.a"), ("z",), (Field("p.z", "z", BIGINT),))
    joined = join("left", where(shared, op("gt", "p.z", 1)), scan(S, "y"), op("eq", "p.z", "y.k"))
    grouped = group(window(Limit(Sort(joined, ()), 3, 0), n=("rank", None)), "p.z", "y.a", m=("max", "n"))
    for symbol, name, column in (("p.z", "x", "a"), ("y.a", "y", "a")):
        node, origin = end(grouped, col(symbol))
        assert isinstance(node, Scan) and origin == col(f"{name}.{column}")
        assert stored_statistics(grouped, col(symbol)) == node.source.statistics(column)
    assert isinstance(end(grouped, col("m"))[0], Aggregate)
    assert isinstance(end(grouped.input, col("n"))[0], Window)
    assert stored_statistics(grouped, col("m")) is None
    assert stored_statistics(grouped, col("unknown")) is None


def test_an_expression_is_followed_as_a_whole() -> None:
    plan = where(project(scan(R, "x"), s=op("add", "x.k", "x.a"), k="x.k"), op("gt", "s", 0))
    assert end(plan, op("mul", "s", "k")) == (scan(R, "x"), op("mul", op("add", "x.k", "x.a"), "x.k"))
    assert stored_statistics(plan, col("s")) is None, "no column, but computed of two"
    both = join("inner", scan(R, "x"), scan(S, "y"))
    assert end(both, op("add", "x.k", "y.k")) == (both, op("add", "x.k", "y.k")), "of two inputs, so of neither"


def test_a_set_operation_makes_its_columns() -> None:
    union = SetOp("union", True, (scan(R, "x"), scan(S, "y")), (Field("k", "k", BIGINT), Field("a", "a", BIGINT)))
    assert end(where(union, op("gt", "k", 1)), col("k")) == (union, col("k"))
    assert stored_statistics(union, col("k")) is None


@pytest.mark.parametrize(
    ("kind", "left", "right"),
    [
        ("inner", False, False),
        ("left", False, True),
        ("right", True, False),
        ("full", True, True),
        ("single", False, True),
    ],
)
def test_padding(kind: JoinKind, left: bool, right: bool) -> None:
    joined = Join(kind, scan(R, "x"), scan(S, "y"), ((col("x.k"), col("y.k")),))
    assert (pads(joined, col("x.a")), pads(joined, col("y.a"))) == (left, right)


@pytest.mark.parametrize("windows", [False, True])
def test_what_is_proven_holds(windows: bool) -> None:
    """Statistics, ranges, never NULL and unique keys of random plans against the rows that they have."""
    proven = 0
    for seed in range(300):
        plan = Generator(seed, windows).plan(3)
        rows = [dict(zip((field.symbol for field in plan.schema), row, strict=True)) for row in listed(plan)]
        note = f"seed {seed}\n{show(plan)}"
        for symbol in numbers(plan):
            ref = ColumnRef(symbol, BIGINT)
            values = [row[symbol] for row in rows]
            some = [value for value in values if value is not None]
            facts, limits = stored_statistics(plan, ref), range_of(plan, ref)
            if facts is not None and some:
                assert facts.minimum is not None and facts.maximum is not None, note
                assert facts.minimum <= min(some) and max(some) <= facts.maximum, note
                proven += 1
            assert all(limits.low <= value <= limits.high for value in some), note
            if limits.never_null or never_null(plan, ref):
                assert len(some) == len(values), note
        for key in unique_keys(plan):
            assert len({tuple(row[symbol] for symbol in sorted(key)) for row in rows}) == len(rows), note
    assert proven > 300, "most columns of most plans are stored ones"
