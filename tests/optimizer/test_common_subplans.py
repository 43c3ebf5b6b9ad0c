"""What several places of a query compute of equal inputs: coarser aggregates of finer ones, equal joins once."""

from __future__ import annotations

from math import inf

import pytest

import tqp
from tests.optimizer.build import group, join, lit, op, project, scan, table, where
from tests.optimizer.interpret import run
from tests.optimizer.random_plans import Generator
from tqp.functions.aggregates import find_aggregate, names
from tqp.functions.names import is_named
from tqp.ir.check import check
from tqp.ir.plan import Aggregate, Field, Filter, Join, Plan, Scan, SetOp, Shared
from tqp.ir.symbols import Uniqueness
from tqp.ir.visit import definitions, walk_plan
from tqp.optimizer import optimize
from tqp.optimizer.driver import RULES
from tqp.optimizer.rules import common_joins
from tqp.optimizer.rules.common_joins import share_joins
from tqp.optimizer.rules.roll_up import roll_up
from tqp.types import BIGINT

R = table("r", "k a b", (1, 1, 5), (2, 1, None), (3, 2, 7), (4, None, 7), (5, 2, 7))


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Joins are shared however many rows they keep."""
    monkeypatch.setattr(common_joins, "_READ", 0)
    monkeypatch.setattr(common_joins, "_KEPT", inf)


def union(*parts: Plan) -> Plan:
    plan = parts[0]
    for place, part in enumerate(parts[1:]):
        fields = tuple(Field(f"u{place}.{f.symbol}", f.name, BIGINT) for f in plan.schema)
        plan = SetOp("union", True, (plan, part), fields)
    return plan


def some(prefix: str, keys: str = "", least: int = 1) -> Plan:
    """Counts and sums by some keys of the same rows; other keys are NULL."""
    source = where(scan(R, prefix), op("gt", f"{prefix}.k", least))
    chosen = [f"{prefix}.{key}" for key in keys]
    grouped = group(source, *chosen, **{f"{prefix}.n": ("count", f"{prefix}.b"), f"{prefix}.s": ("sum", f"{prefix}.b")})
    shown = {f"{prefix}.x{key}": f"{prefix}.{key}" if key in keys else lit(None) for key in "ab"}
    return project(grouped, **shown, **{f"{prefix}.y": f"{prefix}.n", f"{prefix}.z": f"{prefix}.s"})


def aggregates(plan: Plan) -> list[Aggregate]:
    return [node for tree in (*definitions(plan), plan) for node in walk_plan(tree) if isinstance(node, Aggregate)]


def test_coarser_aggregates_read_the_groups_of_finer_ones() -> None:
    plan = union(some("x", "ab"), some("y", "a"), some("z"))
    rolled = roll_up(plan)
    check(rolled)
    Uniqueness().check(rolled, "roll_up")
    assert sum(isinstance(node, Scan) for tree in (*definitions(rolled), rolled) for node in walk_plan(tree)) == 1
    assert {len(node.keys) for node in aggregates(rolled) if isinstance(node.input, Shared)} == {0, 1}
    assert run(rolled) == run(plan) == run(optimize(plan))


def test_keys_may_be_computed() -> None:
    def by(prefix: str, *keys: str) -> Plan:
        source = scan(R, prefix)
        kept = {f.symbol: f.symbol for f in source.schema}
        computed = project(source, **kept, **{f"{prefix}.p": op("add", f"{prefix}.k", 1)})
        return group(computed, *(f"{prefix}.{key}" for key in keys), **{f"{prefix}.s": ("sum", f"{prefix}.b")})

    plan = Join(
        "inner", Join("inner", by("x", "p", "a"), by("y", "p")), group(scan(R, "z"), m=("max", op("add", "z.b", "z.k")))
    )
    rolled = roll_up(plan)
    check(rolled)
    assert sum(isinstance(node, Scan) for tree in (*definitions(rolled), rolled) for node in walk_plan(tree)) == 1
    assert run(rolled) == run(plan) == run(optimize(plan))


@pytest.mark.parametrize("other", [some("y", "", 2), group(scan(R, "y"), m=("avg", "y.b")), some("y", "b")])
def test_what_differs_or_does_not_add_up_stays(other: Plan) -> None:
    plan = Join("inner", some("x", "a"), other)
    assert roll_up(plan) == plan


def test_who_wants_few_groups_is_not_made_to_compute_all() -> None:
    total = some("y")
    for narrow in (
        where(some("x", "a"), op("eq", "x.xa", 1)),
        join("inner", some("x", "a"), scan(R, "w"), op("eq", "x.xa", "w.a")),
    ):
        plan = Join("inner", narrow, total)
        assert roll_up(plan) == plan
    plan = Join("inner", where(some("x", "a"), op("gt", "x.z", 1)), total)
    assert roll_up(plan) != plan and run(roll_up(plan)) == run(plan)


def pairs(prefix: str, *parts: tuple[str, int]) -> Plan:
    joined = join("inner", scan(R, f"{prefix}1"), scan(R, f"{prefix}2"), op("eq", f"{prefix}1.k", f"{prefix}2.a"))
    return where(joined, *(op("gte", f"{prefix}{column}", value) for column, value in parts))


def test_equal_joins_are_one_under_their_common_conditions(always: None) -> None:
    left = group(pairs("x", ("1.k", 1), ("2.b", 6)), "x1.a", xn=("count_star", None))
    right = group(pairs("y", ("1.k", 1), ("2.k", 2)), "y2.b", yn=("count_star", None))
    plan = Join("inner", left, right)
    shared = share_joins(plan)
    check(shared)
    (definition,) = definitions(shared)
    assert isinstance(definition, Filter) and isinstance(definition.input, Join), "what both ask for is asked once"
    readers = [node for node in walk_plan(shared) if isinstance(node, Shared)]
    assert len(readers) == 2 and not any(isinstance(node, Scan) for node in walk_plan(shared))
    assert run(shared) == run(plan) == run(optimize(plan))


def test_joins_are_shared_where_few_of_many_rows_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Join("inner", *(group(pairs(p, ("1.k", 1)), f"{p}1.a", **{f"{p}n": ("count_star", None)}) for p in "xy"))
    assert share_joins(plan) == plan, "so few rows are read again"
    monkeypatch.setattr(common_joins, "_READ", 0)
    assert share_joins(plan) == plan, "most rows are kept"
    monkeypatch.setattr(common_joins, "_KEPT", 1.0)
    assert share_joins(plan) != plan


def test_a_region_of_joins_is_not_cut(always: None) -> None:
    more = join("inner", pairs("x", ("1.k", 1)), scan(R, "z"), op("eq", "x1.k", "z.k"))
    plan = Join("inner", group(more, n=("count_star", None)), group(pairs("y", ("1.k", 1)), m=("count_star", None)))
    assert share_joins(plan) == plan


def test_random_plans_with_copies(always: None) -> None:
    shared = rolled = 0
    for seed in range(250):
        plan = Generator(seed, copies=True).plan(4)
        expected, current = run(plan), plan
        for name, rule in RULES:
            before = current
            try:
                current = rule(current)
            except tqp.UnsupportedError:
                break
            shared += rule is share_joins and current != before
            rolled += rule is roll_up and current != before
            check(current, subqueries=name in ("share", "simplify", "normalize"))
            assert current.schema == plan.schema and run(current) == expected, (seed, name)
    assert shared > 5 and rolled > 2, (shared, rolled)


def test_aggregates_of_parts() -> None:
    values = [3, None, -2, 7, 0, None, 5, 5]
    parts = [values[:3], values[3:4], values[4:], [None]]
    checked = 0
    for name in sorted(names()):
        function = find_aggregate(name)
        if function is None or function.of_parts is None or not is_named(name):
            continue
        checked += 1
        truth = function.name.startswith("bool")
        call = f"{name}({'' if function.counts_rows else 'v > 1' if truth else 'v'})"
        with tqp.connect(threads=1) as con:
            con.register(
                "t", {"g": [g for g, part in enumerate(parts) for _ in part], "v": [v for part in parts for v in part]}
            )
            ((whole,),) = con.sql(f"SELECT {call.replace('count_star', 'count')} FROM t").fetchall()
            total = f"SELECT {function.of_parts}(x) FROM (SELECT {call.replace('count_star', 'count')} AS x FROM t GROUP BY g)"
            assert con.sql(total).fetchall() == [(whole,)], name
    assert checked >= 7


def test_switches() -> None:
    text = "SELECT k, sum(v) FROM n GROUP BY k HAVING sum(v) > (SELECT sum(v) * 0.1 FROM n)"
    found = []
    for disabled in ([], ["roll_up"]):
        with tqp.connect(disabled_rules=disabled) as con:
            con.register("n", {"k": [1, 1, 2, 3], "v": [10, 5, 1, 7]})
            relation = con.sql(text)
            found.append((len(definitions(relation._query.optimized)), sorted(relation.fetchall())))
    assert [count for count, _ in found] == [1, 0] and found[0][1] == found[1][1]


def test_other_constants_are_not_taken_for_equal_ones(always: None) -> None:
    """A plan that was made for two equal constants serves no two that differ."""
    rows = {"k": [1, 2, 3, 4], "v": [10, 20, 30, 40]}
    total = "SELECT k, sum(v), (SELECT sum(v) FROM n WHERE k > {}) FROM n WHERE k > {} GROUP BY k"
    joined = (
        "SELECT (SELECT count(*) FROM n a JOIN n b USING (k) WHERE a.v > {}), "
        "(SELECT max(b.v) FROM n a JOIN n b USING (k) WHERE a.v > {})"
    )
    with tqp.connect() as con:
        con.register("n", rows)
        for text in (total, joined):
            for pair in ((1, 1), (1, 2), (2, 2), (3, 1), (25, 15), (0, 0)):
                alone = tqp.connect(disabled_rules=["share_aggregates", "roll_up", "share_joins", "reuse_plans"])
                alone.register("n", rows)
                query = text.format(*pair)
                assert sorted(con.sql(query).fetchall()) == sorted(alone.sql(query).fetchall()), query
