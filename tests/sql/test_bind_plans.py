"""What plans the binder makes."""

from __future__ import annotations

import pytest

from tests.sql.tables import SOURCES, plan_of
from tqp.errors import BindError
from tqp.ir.expr import Call, ColumnRef, Exists, InSubquery, Literal, ScalarSubquery
from tqp.ir.plan import Aggregate, Filter, GroupingSets, Join, Limit, Plan, Project, Scan, SetOp, Shared, Sort, Values
from tqp.ir.visit import expressions, free_symbols, subplans, walk, walk_plan
from tqp.sql import bind
from tqp.types import BIGINT, BOOLEAN, DATE, INTEGER, NULL, TIMESTAMP, VARCHAR


def nodes(plan: Plan, kind: type) -> list:
    return [node for node in walk_plan(plan) if isinstance(node, kind)]


def every_plan(plan: Plan) -> list[Plan]:
    found, stack = [], [plan]
    while stack:
        for node in walk_plan(stack.pop()):
            found.append(node)
            stack += [inner for expr in expressions(node) for inner in subplans(expr)]
    return found


def predicate(condition: str) -> object:
    return nodes(plan_of(f"select a from t where {condition}"), Filter)[0].predicate


def test_a_second_occurrence_of_a_table_has_symbols_of_its_own() -> None:
    plan = plan_of("select t1.a, t2.a from t t1, t t2")
    first, second = nodes(plan, Scan)
    assert first.fields[0].symbol == "a" and second.fields[0].symbol == "a_2"
    assert {f.symbol for f in first.fields}.isdisjoint(f.symbol for f in second.fields)


def test_a_column_shown_twice_has_two_symbols() -> None:
    plan = plan_of("select a, a from t")
    assert [f.name for f in plan.schema] == ["a", "a"]
    assert len({f.symbol for f in plan.schema}) == 2


def test_the_on_condition_is_the_residual() -> None:
    join = nodes(plan_of("select 1 from t left join u on t.a = u.a and t.b > u.c"), Join)[0]
    assert join.kind == "left" and join.keys == () and join.residual.function == "and"


def test_a_comma_join_is_a_cross_join() -> None:
    join = nodes(plan_of("select 1 from t, u"), Join)[0]
    assert join.kind == "inner" and join.residual is None


def test_grouping_by_an_expression_computes_it_below() -> None:
    plan = plan_of("select a + 1, sum(b * 2) from t group by a + 1 having sum(b * 2) > 3")
    aggregate = nodes(plan, Aggregate)[0]
    assert len(aggregate.aggregates) == 1, "equal calls are one"
    assert isinstance(aggregate.input, Project) and aggregate.keys[0] not in {
        f.symbol for f in nodes(plan, Scan)[0].fields
    }


def test_having_is_a_filter_over_the_groups() -> None:
    plan = plan_of("select a from t group by a having count(*) > 1")
    assert isinstance(nodes(plan, Filter)[0].input, Aggregate)


def test_order_by_what_is_not_selected_is_projected_away() -> None:
    plan = plan_of("select a from t order by b desc limit 5 offset 2")
    assert [f.name for f in plan.schema] == ["a"]
    limit = nodes(plan, Limit)[0]
    assert (limit.limit, limit.offset) == (5, 2) and isinstance(limit.input, Sort)
    key = limit.input.keys[0]
    assert key.expr == ColumnRef("b", BIGINT) and key.descending and not key.nulls_first


def test_sort_keys_are_columns() -> None:
    sort = nodes(plan_of("select a from t order by a + b, -a"), Sort)[0]
    assert all(isinstance(key.expr, ColumnRef) for key in sort.keys)


def test_distinct_groups_by_all_columns() -> None:
    aggregate = nodes(plan_of("select distinct a, b from t"), Aggregate)[0]
    assert aggregate.keys == ("a", "b") and aggregate.aggregates == ()


def test_a_query_without_from_reads_one_row() -> None:
    assert nodes(plan_of("select 1"), Values)[0].rows == ((),)


def test_references_to_with_share_one_plan_under_symbols_of_their_own() -> None:
    plan = plan_of(
        "with q as (select a, count(*) as n from t group by a) select x.n, y.n from q x, q y where x.a = y.a"
    )
    left, right = nodes(plan, Join)[0].children
    assert isinstance(left, Shared) and isinstance(right, Shared)
    assert left.definition is right.definition
    assert {f.symbol for f in left.schema}.isdisjoint(f.symbol for f in right.schema)


def test_a_view_is_a_definition_of_its_own() -> None:
    view = plan_of("select a, b from t where a > (select max(c) from u where u.a = t.a)")
    plan = plan_of("select t.a, v.a, w.b from t, v, v w where t.a = v.a", views={"v": view})
    assert [node.definition is view for node in nodes(plan, Shared)] == [True, True]
    assert len({field.symbol for node in nodes(plan, Shared) for field in node.schema}) == 4
    assert not free_symbols(plan)


def test_correlated_subqueries_refer_outwards_by_symbol() -> None:
    expr = predicate("exists (select 1 from u where u.a = t.a and c in (select b from t t2 where t2.s = t.s))")
    assert isinstance(expr, Exists)
    assert free_symbols(expr.plan) == {"a", "s"}


def test_subqueries_as_values_and_in_lists() -> None:
    assert isinstance(predicate("a = (select max(c) from u)").args[1], ScalarSubquery)
    inside = predicate("a not in (select c from u)")
    assert inside.function == "not" and isinstance(inside.args[0], InSubquery)
    rows = predicate("(a, b) in (select a, c from u)")
    assert isinstance(rows, InSubquery) and len(rows.operands) == 2
    assert [o.dtype for o in rows.operands] == [f.dtype for f in rows.plan.schema]


def test_comparison_with_any_other_than_equality_asks_for_existence() -> None:
    expr = predicate("a < any (select c from u)")
    assert all(isinstance(c, Exists) for c in expr.conditions)
    assert [v.value for v in (*expr.values, expr.default)] == [True, None, False]


def test_text_constants_take_the_type_they_meet() -> None:
    assert predicate("d < '1970-01-11'").args[1] == Literal(10, DATE)
    assert predicate("'3' = a").args[0] == Literal(3, INTEGER)
    assert predicate("d in ('1970-01-02', '1970-01-03')").args[1:] == (Literal(1, DATE), Literal(2, DATE))
    assert predicate("m > '0.5'").args[1].value == 50


def test_dates_and_intervals_are_computed_while_binding() -> None:
    plan = plan_of("select date '2020-01-31' + interval '1' month, date '1998-12-01' - interval '90' day")
    assert isinstance(plan, Project)
    first, second = plan.exprs
    day = 86_400_000_000
    assert first == Literal(18_321 * day, TIMESTAMP) and second == Literal(10_471 * day, TIMESTAMP)


def test_a_date_column_meets_a_computed_midnight_as_a_date() -> None:
    expr = predicate("d <= date '1998-12-01' - interval '90' day")
    assert expr.args == (ColumnRef("d", DATE), Literal(10_471, DATE))


def test_constants_take_the_decimal_they_are_added_to_without_a_cast() -> None:
    expr = plan_of("select 1 - m from t").exprs[0]
    assert all(type(node).__name__ != "Cast" for node in walk(expr))


def test_set_operations_unify_types() -> None:
    plan = plan_of("select a, null from t union all select b, 'x' from t")
    assert isinstance(plan, SetOp) and plan.all
    assert [f.dtype for f in plan.schema] == [BIGINT, VARCHAR]
    for side in plan.children:
        assert [f.dtype for f in side.schema] == [BIGINT, VARCHAR]


def test_long_chains_do_not_overflow() -> None:
    ors = " or ".join(f"a = {n}" for n in range(3000))
    assert len(predicate(ors).args) == 3000
    sums = " + ".join(["a"] * 2000)
    assert plan_of(f"select {sums} as s from t").schema[0].name == "s"
    assert plan_of(f"select {sums} from t").schema[0].name.startswith("((")
    unions = " union all ".join(["select a from t"] * 400)
    assert [len(node.inputs) for node in nodes(plan_of(unions), SetOp)] == [400]


@pytest.mark.parametrize(
    ("text", "params", "values"),
    [
        ("a = ? and b = ?", [1, 2], [1, 2]),
        ("a = $2 and b = $1", [1, 2], [2, 1]),
        ("a = $one and b = $two", {"one": 1, "two": 2}, [1, 2]),
    ],
)
def test_parameters(text: str, params: object, values: list[int]) -> None:
    expr = nodes(plan_of(f"select a from t where {text}", params), Filter)[0].predicate
    assert [part.args[1].value for part in expr.args] == values


def test_question_marks_count_in_the_order_of_the_text() -> None:
    plan = plan_of("select ? as p from t where a = ? limit ?", [1, 2, 3])
    assert nodes(plan, Limit)[0].limit == 3
    assert nodes(plan, Filter)[0].predicate.args[1].value == 2
    assert nodes(plan, Project)[0].exprs == (Literal(1, INTEGER),)


@pytest.mark.parametrize("params", [None, [], [1, 2], {"p": 1}])
def test_a_wrong_number_of_parameters_is_refused(params: object) -> None:
    with pytest.raises(BindError, match="parameter"):
        plan_of("select a from t where a = ?", params)


def test_files_are_looked_up_by_path() -> None:
    asked: list[str] = []

    def lookup(name: str) -> object:
        asked.append(name)
        return SOURCES["u"]

    plan = bind("select y.a, z.a from 'dir/y.parquet', read_csv('z.csv') z, s.t2", lookup).plan
    assert [getattr(name, "paths", name) for name in asked] == ["dir/y.parquet", ("z.csv",), "s.t2"] and len(
        plan.schema
    ) == 2


def test_every_symbol_is_produced_once() -> None:
    plan = plan_of(
        "select a, (select max(c) from u where u.a = t.a) as top from t where a between (select min(c) from u) and 5 "
        "group by a order by top"
    )
    made: list[str] = []
    for node in every_plan(plan):
        if isinstance(node, Scan | Values | Aggregate | SetOp):
            made += [field.symbol for field in node.fields]
        elif isinstance(node, Project):
            kept = {expr.symbol for expr in node.exprs if isinstance(expr, ColumnRef)}
            made += [field.symbol for field in node.fields if field.symbol not in kept]
    assert len(made) == len(set(made))


def test_grouping_sets_are_one_node() -> None:
    plan = plan_of("select a, b, grouping(a, b), count(*) from t group by rollup (a, b), rollup (b)")
    (node,) = nodes(plan, GroupingSets)
    assert len(nodes(plan, Scan)) == 1
    assert len(node.keys) == 2 and node.marked == ((0, 1),)
    assert node.sets == ((0, 1), (0, 1), (0, 1), (0,), (1,), ())


def test_null_and_true_are_typed() -> None:
    plan = plan_of("select null, true")
    assert [f.dtype for f in plan.schema] == [NULL, BOOLEAN]
    assert isinstance(plan.exprs[0], Literal) and not isinstance(plan.exprs[0], Call)
