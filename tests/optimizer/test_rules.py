"""One rule at a time: the plan before, the plan after."""

from __future__ import annotations

import pytest

from tests.optimizer.build import col, group, join, lit, op, pick, project, scan, table, where, window
from tests.optimizer.interpret import Memory, run
from tqp.errors import InternalError
from tqp.ir.check import check
from tqp.ir.expr import Call, Cast, Exists, Expr, Literal, ScalarSubquery, SortKey
from tqp.ir.plan import Field, Filter, Join, JoinKind, Limit, Plan, Project, Scan, SetOp, Sort, TopN, Values, Window
from tqp.ir.show import show, show_expr
from tqp.ir.visit import walk, walk_plan
from tqp.optimizer import optimize
from tqp.optimizer.cardinality import estimate
from tqp.optimizer.facts import never_null, unique_keys
from tqp.optimizer.rules.dependencies import reduce_group_keys
from tqp.optimizer.rules.existence import compare_extremes
from tqp.optimizer.rules.join_order import order_joins
from tqp.optimizer.rules.limits import push_limits
from tqp.optimizer.rules.merge import merge
from tqp.optimizer.rules.prune import prune
from tqp.optimizer.rules.pushdown import push_down
from tqp.optimizer.rules.simplify import simplify_expr
from tqp.types import BIGINT, BOOLEAN, DATE, INTERVAL, TIMESTAMP, VARCHAR, decimal

SMALL = table("small", "k a b", *((i, i % 3, i % 2) for i in range(10)))
BIG = table("big", "k f v", *((i, i % 10, i % 7) for i in range(100)))


def s() -> Scan:
    return scan(SMALL, "s")


def b(prefix: str = "b") -> Scan:
    return scan(BIG, prefix)


def lines(plan: Plan) -> list[str]:
    return show(plan).splitlines()


def nodes(plan: Plan, kind: type) -> int:
    return sum(isinstance(node, kind) for node in walk_plan(plan))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (op("and", op("eq", "x", 1), op("and", op("eq", "y", 2), Literal(True, BOOLEAN))), "x = 1 AND y = 2"),
        (op("or", op("and", op("eq", "x", "y"), op("lt", "x", 1)), op("and", op("eq", "x", "y"), op("gt", "x", 5))),
         "x = y AND (x < 1 OR x > 5)"),
        (op("or", op("eq", "x", "y"), op("and", op("eq", "x", "y"), op("gt", "x", 5))), "x = y"),
        (op("or", op("eq", "x", 1), op("in", "x", 2, 3), op("lt", "y", 1)), "x IN (1, 2, 3) OR y < 1"),
        (op("not", op("not", op("is_null", "x"))), "x IS NULL"),
        (op("not", op("or", op("lt", "x", 1), op("is_null", "y"))), "x >= 1 AND NOT y IS NULL"),
        (op("lt", 3, "x"), "x > 3"),
        (op("gt", op("add", 1, 2), 2), "TRUE"),
        (op("eq", "x", lit(None)), "NULL"),
        (op("and", op("eq", "x", 1), op("lt", 2, 1)), "FALSE"),
        (op("and", op("eq", "x", 1), op("in", 5, 2, 3)), "FALSE"),
        (op("in", 5, 2, lit(None)), "NULL"),
        (op("in", 5, 2, 5, lit(None)), "TRUE"),
        (op("in", 5, 2, "x"), "5 IN (2, x)"),
    ],
)  # fmt: skip
def test_simplify(before: Expr, after: str) -> None:
    assert show_expr(simplify_expr(before)) == after


def test_calendar_folds_and_the_cast_of_the_column_goes() -> None:
    shipped = Field("d", "d", DATE).ref
    bound = Call("sub", (Literal(10561, DATE), Literal((1, 90, 0), INTERVAL)), TIMESTAMP)
    folded = simplify_expr(Call("lte", (Cast(shipped, TIMESTAMP), bound), BOOLEAN))
    assert show_expr(folded) == "d <= DATE '1998-08-03'"


@pytest.mark.parametrize(
    ("function", "value", "after"),
    [("lt", 245, "q < 25"), ("lte", 245, "q <= 24"), ("gt", 245, "q > 24"), ("gte", 245, "q >= 25"),
     ("eq", 240, "q = 24"), ("eq", 245, "CAST(q AS DECIMAL(20,1)) = 24.5"), ("lt", -245, "q < -24")],
)  # fmt: skip
def test_comparison_of_a_widened_column(function: str, value: int, after: str) -> None:
    column = Cast(Field("q", "q", decimal(15, 0)).ref, decimal(20, 1))
    compared = Call(function, (column, Literal(value, decimal(20, 1))), BOOLEAN)
    assert show_expr(simplify_expr(compared)) == after


def test_a_chain_of_texts_is_one_call() -> None:
    def joined(*args: Expr) -> Call:
        return Call("dpipe", args, VARCHAR)

    a, b, c, d = (Field(name, name, VARCHAR).ref for name in "abcd")
    assert simplify_expr(joined(joined(joined(a, b), c), joined(d, a))) == joined(a, b, c, d, a)
    doubled: Expr = a
    for _ in range(20):
        doubled = joined(doubled, doubled)
    flat = simplify_expr(doubled)
    assert isinstance(flat, Call) and len(flat.args) <= 64, "what many share has no copy for each"


def test_predicates_reach_both_sides_of_an_equality() -> None:
    plan = where(join("inner", s(), b()), op("eq", "s.k", "b.f"), op("gt", "s.k", 4), op("eq", "b.v", 1))
    assert lines(push_down(plan)) == [
        "Join inner on s.k = b.f",
        "  Filter s.k > 4",
        "    Scan small [s.k := k, s.a := a, s.b := b]",
        "  Filter b.v = 1 AND b.f > 4",
        "    Scan big [b.k := k, b.f := f, b.v := v]",
    ]


def test_an_or_over_both_sides_filters_each() -> None:
    one, other = op("and", op("eq", "s.a", 1), op("eq", "b.v", 2)), op("and", op("eq", "s.a", 2), op("eq", "b.v", 1))
    either = op("or", one, other)
    pushed = show(push_down(where(join("inner", s(), b(), op("eq", "s.k", "b.f")), either)))
    assert "Filter s.a IN (1, 2)" in pushed
    assert "Filter b.v IN (2, 1)" in pushed


def test_what_an_or_says_of_the_keys_goes_below_a_grouping() -> None:
    grouped = group(scan(SMALL, "s"), "s.a", n=("count_star", None))
    one, other = op("and", op("eq", "s.a", 1), op("gt", "n", 2)), op("eq", "s.a", 2)
    assert lines(push_down(where(grouped, op("or", one, other)))) == [
        "Filter s.a = 1 AND n > 2 OR s.a = 2",
        "  Aggregate by [s.a] [n := count_star()]",
        "    Filter s.a IN (1, 2)",
        "      Scan small [s.k := k, s.a := a, s.b := b]",
    ]


def test_a_constant_of_a_side_decides_its_rows() -> None:
    sides = [
        project(scan(SMALL, name), **{f"{name}.a": f"{name}.a", name: lit(place)}) for place, name in enumerate("st")
    ]
    both = SetOp("union", True, tuple(sides), (Field("a", "a", BIGINT), Field("side", "side", BIGINT)))
    one = push_down(where(both, op("eq", "side", 1), op("gt", "a", 1)))
    assert (
        nodes(one, Scan) == 1
        and "t.a > 1" in show(one)
        and run(one) == run(where(both, op("eq", "side", 1), op("gt", "a", 1)))
    )
    neither = push_down(join("inner", where(both, op("eq", "side", 2)), b(), op("eq", "a", "b.v")))
    assert isinstance(neither, Values) and not neither.rows


@pytest.mark.parametrize(("levels", "adds"), [(2, 2), (3, 2), (20, 2)])
def test_a_condition_goes_below_a_few_levels_of_computed_columns(levels: int, adds: int) -> None:
    plan: Plan = pick(s(), "s.k")
    for level in range(levels):
        plan = project(plan, **{f"c{level}": op("add", f"c{level - 1}" if level else "s.k", 1)})
    plan = where(plan, op("lt", f"c{levels - 1}", 10))
    pushed = push_down(plan)
    (condition,) = [node.predicate for node in walk_plan(pushed) if isinstance(node, Filter)]
    assert sum(isinstance(part, Call) and part.function == "add" for part in walk(condition)) == adds
    assert run(pushed) == run(plan)


def test_inputs_without_rows_leave_a_union_of_the_others() -> None:
    three = [project(scan(SMALL, name), **{f"{name}.a": f"{name}.a", name: lit(at)}) for at, name in enumerate("stu")]
    union = SetOp("union", True, tuple(three), (Field("a", "a", BIGINT), Field("side", "side", BIGINT)))
    two = push_down(where(union, op("neq", "side", 1)))
    assert isinstance(two, SetOp) and len(two.inputs) == nodes(two, Scan) == 2
    assert run(two) == run(where(union, op("neq", "side", 1)))


@pytest.mark.parametrize(
    ("outer", "inner", "inputs"),
    [("all", "all", 3), ("distinct", "distinct", 3), ("distinct", "all", 3), ("all", "distinct", 2)],
)
def test_a_union_within_a_union(outer: str, inner: str, inputs: int) -> None:
    one, two, three = (pick(scan(SMALL, name), f"{name}.a") for name in "stu")
    within = SetOp("union", inner == "all", (two, three), (Field("w", "w", BIGINT),))
    union = SetOp("union", outer == "all", (one, within), (Field("a", "a", BIGINT),))
    merged = merge(union)
    assert isinstance(merged, SetOp) and len(merged.inputs) == inputs
    assert run(merged) == run(union)


@pytest.mark.parametrize(
    ("kind", "predicate", "result"),
    [("left", op("eq", "b.v", 1), "inner"), ("left", op("is_null", "b.v"), "left"),
     ("full", op("eq", "b.v", 1), "left"),
     ("full", op("eq", "s.a", 1), "left"), ("full", op("eq", "s.a", "b.v"), "inner"),
     ("left", op("not", op("is_null", "b.v")), "inner"), ("left", op("eq", op("coalesce", "b.v", 1), 1), "left")],
)  # fmt: skip
def test_outer_joins_become_inner(kind: str, predicate: Expr, result: str) -> None:
    plan = where(join(kind, s(), b(), op("eq", "s.k", "b.f")), predicate)  # type: ignore[arg-type]
    pushed = push_down(plan)
    assert [node.kind for node in walk_plan(pushed) if isinstance(node, Join)] == [result]
    assert run(pushed) == run(plan)


def test_the_large_side_probes() -> None:
    ordered = order_joins(push_down(join("inner", s(), b(), op("eq", "s.k", "b.f"))))
    assert lines(ordered)[1] == "  Join inner on b.f = s.k"


def test_no_cross_product_where_conditions_connect() -> None:
    larger = table("larger", "k f v", *((i, i % 10, i % 7) for i in range(25)))
    parts = [scan(SMALL, "s"), scan(larger, "b1"), scan(SMALL, "t"), scan(larger, "b2")]
    crossed: Plan = parts[0]
    for part in (parts[2], parts[1], parts[3]):
        crossed = join("inner", crossed, part)
    plan = where(crossed, op("eq", "b1.f", "s.k"), op("eq", "b1.f", "t.k"), op("eq", "b2.k", "b1.k"))
    ordered = order_joins(push_down(plan))
    assert all(node.keys for node in walk_plan(ordered) if isinstance(node, Join))
    assert run(ordered) == run(plan)


def test_many_joins_are_ordered_greedily() -> None:
    plan: Plan = scan(SMALL, "t0")
    for number in range(1, 16):
        plan = join("inner", plan, scan(SMALL, f"t{number}"), op("eq", "t0.k", f"t{number}.k"))
    plan = join("semi", plan, b(), op("eq", "t3.k", "b.f"))
    best = optimize(plan)
    assert nodes(best, Join) == 16
    assert run(best) == run(push_down(plan))


def test_determined_group_keys_become_aggregates() -> None:
    joined = join("inner", b(), s(), op("eq", "b.f", "s.k"))
    plan = group(joined, "s.a", "b.f", "s.b", n=("sum", "b.v"))
    reduced = reduce_group_keys(push_down(plan))
    assert lines(reduced)[1].startswith("  Aggregate by [b.f] [s.a~1 := any_value(s.a), s.b~1 := any_value(s.b)")
    assert run(reduced) == run(plan)
    assert reduced.schema == plan.schema


def test_group_keys_that_are_expressions_of_others_are_computed_for_the_groups() -> None:
    below = project(b(), k="b.f", less=op("sub", "b.f", 1), twice=op("add", "b.f", op("mul", "b.f", 2)), v="b.v")
    plan = group(below, "less", "k", "twice", n=("sum", "v"))
    reduced = reduce_group_keys(plan)
    assert lines(reduced)[0].startswith("Project [less := k - 1, k, twice := k + k * 2, n]")
    assert lines(reduced)[1].startswith("  Aggregate by [k] [n := sum(v)]")
    assert run(reduced) == run(plan)
    assert reduced.schema == plan.schema


def test_existence_of_another_row_by_extremes() -> None:
    condition = op("and", op("eq", "b.f", "c.f"), op("neq", "c.v", "b.v"))
    for kind in ("semi", "anti"):
        plan = push_down(join(kind, b(), b("c"), condition))  # type: ignore[arg-type]
        better = compare_extremes(plan)
        assert "Aggregate by [key~1] [min~1 := min(value~1), max~1 := max(value~1)]" in show(better)
        assert run(better) == run(plan)


def test_aggregates_compute_only_what_is_asked() -> None:
    huge = Memory("huge", BIG.schema, [(i, i % 100, i % 7) for i in range(1000)])
    average = group(where(scan(huge, "h"), op("eq", "h.f", "s.k")), m=("max", "h.v"))
    plan = where(s(), op("eq", "s.a", 2), op("lt", ScalarSubquery(average), 100))
    best = optimize(plan)
    assert "Join semi on h.f = s.k~1" in show(best)
    assert run(best) == run(plan)


def test_pruned_scans() -> None:
    plan = pick(join("inner", s(), b(), op("eq", "s.k", "b.f")), "b.v")
    assert [node.columns for node in walk_plan(prune(plan)) if isinstance(node, Scan)] == [("k",), ("f", "v")]


def test_counting_reads_one_column() -> None:
    assert lines(prune(group(s(), n=("count_star", None))))[-1] == "  Scan small [s.k := k]"


def test_sort_below_an_aggregate_goes() -> None:
    by = (SortKey(col("s.k")),)
    assert nodes(prune(group(Sort(s(), by), n=("sum", "s.a"))), Sort) == 0
    assert nodes(prune(group(Sort(s(), by), n=("first", "s.a"))), Sort) == 1
    assert nodes(prune(group(Limit(Sort(s(), by), 3), n=("sum", "s.a"))), Sort) == 1


def test_limits() -> None:
    sorted_ = Sort(s(), (SortKey(col("s.k"), descending=True),))
    plan = Limit(pick(Limit(sorted_, 5, 1), "s.a"), 10, 2)
    assert lines(push_limits(plan)) == [
        "Project [s.a]",
        "  TopN 3 offset 3 by [s.k DESC]",
        "    Scan small [s.k := k, s.a := a, s.b := b]",
    ]
    assert isinstance(push_limits(plan).children[0], TopN)


@pytest.mark.parametrize(("kind", "rows"), [("semi", 1), ("anti", 1), ("mark", 1), ("single", 2)])
def test_existence_needs_one_row(kind: JoinKind, rows: int) -> None:
    mark = "m" if kind == "mark" else None
    asked = push_limits(Join(kind, b(), pick(s(), "s.a"), mark=mark))
    assert isinstance(asked.children[1], Project) and asked.children[1].children[0] == Limit(s(), rows)
    assert push_limits(asked) == asked
    keyed = Join(kind, b(), s(), ((col("b.k"), col("s.k")),), mark=mark)
    assert push_limits(keyed) == keyed


def test_merged_projections() -> None:
    below = project(s(), x=op("add", "s.k", 1), y="s.a")
    assert nodes(merge(project(below, z=op("mul", "x", 2), w="y")), Project) == 1
    assert nodes(merge(project(below, z=op("mul", "x", "x"))), Project) == 2
    assert merge(pick(s(), "s.k", "s.a", "s.b")) == s()


def test_estimates() -> None:
    assert estimate(b()) == 100
    assert estimate(where(b(), op("lt", "b.k", 50))) == pytest.approx(50, rel=0.05)
    assert estimate(where(b(), op("eq", "b.f", 3))) == pytest.approx(10)
    assert estimate(push_down(join("inner", b(), s(), op("eq", "b.f", "s.k")))) == pytest.approx(100)
    assert estimate(group(b(), "b.f", n=("count_star", None))) == pytest.approx(10)
    assert estimate(group(where(b(), op("in", "b.f", 3, 4)), "b.f", n=("count_star", None))) == pytest.approx(2)
    fields = (Field("f", "f", BIGINT), Field("v", "v", BIGINT))
    united = SetOp("union", True, (pick(b(), "b.f", "b.v"), project(s(), **{"s.k": "s.k", "one": lit(1)})), fields)
    assert estimate(group(united, "f", n=("count_star", None))) == pytest.approx(20)
    assert estimate(group(united, "v", n=("count_star", None))) == pytest.approx(8)


def test_rules_can_be_left_out() -> None:
    plan = where(s(), Exists(where(b(), op("eq", "b.f", "s.k"))))
    assert optimize(plan, disabled=frozenset({"decorrelate"})).schema == plan.schema
    kept = optimize(plan, disabled=frozenset({"order_joins", "prune", "prune_again"}))
    assert run(kept) == run(plan)


@pytest.mark.parametrize(
    "broken",
    [Filter(s(), op("eq", "t.z", 1)), Filter(s(), Call("eq", (Field("s.k", "k", BOOLEAN).ref, lit(1)), BOOLEAN)),
     Filter(s(), col("s.k")), join("inner", s(), s()), Project(s(), (Field("s.k", "k", BIGINT),), (lit(1),))],
)  # fmt: skip
def test_broken_plans_are_found(broken: Plan) -> None:
    with pytest.raises(InternalError, match="broken plan"):
        check(broken)


def test_filters_on_what_a_window_partitions_by_go_below_it() -> None:
    inner = window(b(), ("b.k", "b.f"), ("b.v",), r=("rank", None))
    plan = where(
        window(inner, ("b.f",), (), t=("sum", "b.v")), op("eq", "b.f", 3), op("lt", "b.k", 50), op("lt", "r", 2)
    )
    pushed = push_down(plan)
    assert run(pushed) == run(plan)
    assert lines(pushed) == [
        "Filter b.k < 50 AND r < 2",
        "  Window over (PARTITION BY b.f) [t := sum(b.v)]",
        "    Window over (PARTITION BY b.k, b.f ORDER BY b.v) [r := rank()]",
        "      Filter b.f = 3",
        "        Scan big [b.k := k, b.f := f, b.v := v]",
    ]


def test_unread_window_calls_go() -> None:
    plan = window(window(b(), ("b.f",), (), s=("sum", "b.v")), ("b.k",), (), t=("sum", "b.v"), n=("count", "b.f"))
    assert lines(prune(pick(plan, "n"))) == [
        "Project [n]",
        "  Window over (PARTITION BY b.k) [n := count(b.f)]",
        "    Scan big [b.k := k, b.f := f]",
    ]
    assert nodes(prune(pick(plan, "b.v")), Window) == 0


def test_a_window_keeps_the_order_that_it_numbers_by() -> None:
    ordered = Sort(b(), (SortKey(col("b.v")),))
    assert nodes(prune(group(window(ordered, (), (), r=("rank", None)), s=("sum", "r"))), Sort) == 1


def test_a_window_keeps_estimates_and_unique_keys() -> None:
    plan = window(b(), ("b.f",), (), t=("sum", "b.v"))
    assert estimate(plan) == estimate(b())
    assert unique_keys(plan) == unique_keys(b())
    assert not never_null(plan, col("t")) and never_null(plan, col("b.k"))
    assert never_null(window(b(), (), (), r=("rank", None)), col("r"))


@pytest.mark.parametrize(
    ("condition", "rows"), [(("eq", 1), 10), (("lte", 3), 30), (("lt", 3), 20), (("lte", 90), 100)]
)
def test_estimate_of_the_first_rows_of_partitions(condition: tuple[str, int], rows: int) -> None:
    plan = window(b(), ("b.f",), ("b.v",), i=("row_number", None))
    assert estimate(where(plan, op(condition[0], "i", condition[1]))) == rows
