"""Relations with several readers: each symbol is made once, each definition computed once, for what its readers want."""

from __future__ import annotations

import pytest

import tqp
from tests.optimizer.build import group, join, op, project, scan, table, where
from tests.optimizer.interpret import run
from tqp.errors import InternalError, UnsupportedError
from tqp.ir.check import check
from tqp.ir.expr import ScalarSubquery
from tqp.ir.plan import Aggregate, Field, Filter, Join, Plan, Scan, Shared
from tqp.ir.symbols import Uniqueness, all_symbols
from tqp.ir.visit import definitions, walk_plan
from tqp.optimizer import optimize
from tqp.optimizer.rules import share as rule
from tqp.optimizer.rules.common_aggregates import share_aggregates
from tqp.physical.planner import lower

R = table("r", "k a b", (1, 1, 5), (2, 1, None), (3, 2, 7), (4, None, 7))


def reference(definition: Plan, prefix: str) -> Shared:
    fields = tuple(Field(f"{prefix}.{f.symbol}", f.name, f.dtype) for f in definition.schema)
    return Shared(definition, tuple(f.symbol for f in definition.schema), fields)


def pairs() -> Plan:
    return join("inner", scan(R, "x"), scan(R, "y"), op("eq", "x.a", "y.a"))


def counted() -> Plan:
    return group(scan(R, "x"), "x.a", "x.b", n=("count_star", None))


def test_two_makers_of_a_symbol_are_found() -> None:
    twice = Join("inner", pairs(), pairs())
    with pytest.raises(InternalError, match=r"after merge: x\.a, .* made in two inputs of a Join"):
        Uniqueness().check(twice, "merge")
    inside = where(scan(R, "x"), op("eq", "x.k", ScalarSubquery(project(group(scan(R, "x"), m=("max", "x.k")), z="m"))))
    with pytest.raises(InternalError, match="in two inputs of a Filter"):
        Uniqueness().check(inside, "merge")
    Uniqueness().check(Join("inner", reference(pairs(), "p"), reference(pairs(), "q")), "merge")


def test_what_two_read_is_computed_once() -> None:
    shared = pairs()
    plan = join("inner", reference(shared, "p"), reference(shared, "q"), op("eq", "p.x.k", "q.y.k"))
    best = optimize(plan)
    check(best, subqueries=False)
    assert len(definitions(best)) == 1 and run(best) == run(plan)
    assert len(lower(best).pipelines) == 4, "two for the definition, one to build its second use, one for the answer"


def test_what_one_reads_is_part_of_its_plan() -> None:
    plan = join("inner", reference(pairs(), "p"), scan(R, "z"), op("eq", "p.x.k", "z.k"))
    best = optimize(plan)
    assert not definitions(best) and run(best) == run(plan)


def test_a_filtered_table_is_read_again() -> None:
    cheap = where(scan(R, "x"), op("gt", "x.b", 5))
    plan = join("inner", reference(cheap, "p"), reference(cheap, "q"), op("eq", "p.x.k", "q.x.k"))
    best = optimize(plan)
    assert not definitions(best) and run(best) == run(plan)
    first, second = (all_symbols(node) for node in walk_plan(best) if isinstance(node, Scan))
    assert first.isdisjoint(second)


def test_a_definition_computes_what_its_readers_want() -> None:
    shared = counted()
    sides = [where(reference(shared, side), op("eq", f"{side}.x.a", value)) for side, value in (("p", 1), ("q", 2))]
    plan = project(Join("inner", *sides), first="p.n", second="q.n")
    best = optimize(plan)
    (definition,) = definitions(best)
    assert [f.name for f in definition.schema] == ["a", "n"]
    (below,) = [node for node in walk_plan(definition) if isinstance(node, Aggregate)]
    assert isinstance(below.input, Filter), "rows that no reader lets through are gone before they are grouped"
    assert run(best) == run(plan)


def test_one_reader_of_all_rows_keeps_them() -> None:
    shared = counted()
    sides = (where(reference(shared, "p"), op("eq", "p.x.a", 1)), reference(shared, "q"))
    plan = Join("inner", *sides)
    best = optimize(plan)
    (definition,) = definitions(best)
    assert not any(isinstance(node, Filter) for node in walk_plan(definition)) and run(best) == run(plan)


def test_a_repeated_subquery_runs_once() -> None:
    greatest = ScalarSubquery(project(group(scan(R, "y"), m=("max", "y.b")), z="m"))
    plan = where(scan(R, "x"), op("and", op("lte", "x.k", greatest), op("lte", greatest, op("add", "x.b", 2))))
    best = optimize(plan)
    (definition,) = definitions(best)
    assert sum(isinstance(node, Aggregate) for node in (*walk_plan(best), *walk_plan(definition))) == 1
    assert run(best) == run(plan)


def test_aggregates_of_equal_inputs_are_one() -> None:
    def some(prefix: str, **calls: tuple[str, str | None]) -> Plan:
        return group(where(scan(R, prefix), op("gt", f"{prefix}.k", 1)), f"{prefix}.a", **calls)

    left, right = (
        some("x", m=("max", "x.k"), n=("count_star", None)),
        some("y", c=("count_star", None), s=("sum", "y.b")),
    )
    plan = join("inner", left, right, op("eq", "x.a", "y.a"))
    shared = share_aggregates(plan)
    (definition,) = definitions(shared)
    assert isinstance(definition, Aggregate) and [call.function for call in definition.aggregates] == [
        "max",
        "count_star",
        "sum",
    ]
    assert run(shared) == run(plan) == run(optimize(plan))
    for prefix in ("x", "y"):
        other = group(where(scan(R, "z"), op("gt", "z.k", 2)), "z.a", m=("max", "z.k"))
        apart = join("inner", some(prefix, n=("count_star", None)), other, op("eq", f"{prefix}.a", "z.a"))
        assert share_aggregates(apart) == apart, "another condition"


def test_aggregates_within_shared_ones_are_shared_with_others() -> None:
    con = tqp.connect()
    con.register("r", {"a": [1, 1, 2, None], "b": [5, None, 7, 7]})
    inner = "(SELECT a, count(*) AS n FROM r GROUP BY a)"
    outer = f"(SELECT n, {{}}(a) AS c FROM {inner} GROUP BY n)"
    text = f"SELECT * FROM {outer.format('sum')} x JOIN {outer.format('max')} y USING (n) JOIN {inner} z USING (n)"
    relation = con.sql(text)
    best = relation._query.optimized
    trees = (*definitions(best), best)
    assert len(trees) == 3 and sum(isinstance(node, Aggregate) for tree in trees for node in walk_plan(tree)) == 2
    assert sorted(relation.fetchall(), key=str) == [(1, 2, 2, 2), (1, 2, 2, None), (2, 1, 1, 1)]
    without = tqp.connect(disabled_rules=["share_aggregates"])
    without.register("r", {"a": [1, 1, 2, None], "b": [5, None, 7, 7]})
    assert not definitions(without.sql(text)._query.optimized)


@pytest.mark.parametrize(
    "step, expected",
    [
        ("SELECT a.x + b.x AS x FROM {0} a, {0} b", [(1, 2**25)]),
        ("SELECT x FROM {0} EXCEPT SELECT x + 1 FROM {0}", [(1, 1)]),
    ],
)
def test_doubling_stays_linear(step: str, expected: list[tuple[int, int]]) -> None:
    steps = [f"a{i} AS ({step.format(f'a{i - 1}')})" for i in range(1, 26)]
    text = f"WITH a0 AS (SELECT 1 AS x), {', '.join(steps)} SELECT count(*), min(x) FROM a25"
    relation = tqp.connect().sql(text)
    assert len(definitions(relation._query.optimized)) <= 25
    assert len(lower(relation._query.optimized).pipelines) < 200
    assert relation.fetchall() == expected


def test_too_many_copies_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule, "_MOST_SYMBOLS", 40)
    con = tqp.connect()
    con.register("r", {"k": [1, 2, 3]})
    text = "WITH w AS (SELECT k FROM r) SELECT count(*) FROM " + ", ".join(f"w w{i}" for i in range(60))
    with pytest.raises(UnsupportedError, match="refers to so many relations"):
        con.sql(text).fetchall()
    assert con.sql("SELECT count(*) FROM r").fetchall() == [(3,)]


def test_views_and_self_are_read_several_times() -> None:
    con = tqp.connect()
    con.register("x", {"k": [1, 1, 2, 3]})
    relation = con.sql("SELECT a.k FROM x a JOIN x b ON a.k = b.k")
    con.register("w", relation)
    for text, source in (("SELECT count(*) FROM w p, w q", con), ("SELECT count(*) FROM self p, self q", relation)):
        assert source.sql(text).fetchall() == [(36,)]
    assert con.sql("SELECT count(*) FROM w p, w q WHERE p.k = 1 AND q.k = 2").fetchall() == [(4,)]
