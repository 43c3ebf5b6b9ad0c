"""`rewrite_query`: a plan with its subqueries becomes another one; what does not change stays the same object."""

from __future__ import annotations

from dataclasses import replace

from tests.optimizer.build import col, lit, op, pick, scan, table, where
from tqp.ir.expr import ColumnRef, Exists, Expr, ScalarSubquery
from tqp.ir.plan import Field, Filter, Join, Limit, Plan, Scan, Shared
from tqp.ir.visit import blind_hash, definitions, rewrite_query, shares, subplans, walk_query
from tqp.types import BIGINT

R = table("r", "k a", (1, 1))
S = table("s", "k a", (2, 2))


def over_s(node: Plan) -> Plan | None:
    return replace(node, source=S) if isinstance(node, Scan) else None


def sources(plan: Plan) -> list[str]:
    return [node.source.name for node in walk_query(plan) if isinstance(node, Scan)]


def nested(depth: int) -> Plan:
    plan: Plan = scan(R, "x0")
    for level in range(1, depth):
        plan = where(scan(R, f"x{level}"), Exists(plan))
    return plan


def test_subqueries_are_rewritten_too() -> None:
    scalar = ScalarSubquery(pick(scan(R, "y"), "y.k"))
    plan = where(scan(R, "x"), op("eq", "x.k", scalar), Exists(nested(3)))
    assert sources(plan) == ["r"] * 5
    assert sources(rewrite_query(plan, over_s)) == ["s"] * 5


def test_subqueries_nest_deep() -> None:
    assert sources(rewrite_query(nested(2_000), over_s)) == ["s"] * 2_000


def test_what_stays_is_the_same_object() -> None:
    plan = where(scan(R, "x"), op("eq", "x.k", 1), Exists(nested(3)))
    assert rewrite_query(plan, lambda node: None) is plan
    assert rewrite_query(plan, lambda node: None, within=lambda expr: None) is plan


def test_a_rule_sees_nodes_whose_expressions_are_done() -> None:
    seen: list[Expr] = []

    def rule(node: Plan) -> None:
        if isinstance(node, Filter):
            seen.append(node.predicate)

    def within(expr: Expr) -> Expr | None:
        return lit(7) if isinstance(expr, ColumnRef) else None

    inner = where(scan(R, "y"), op("eq", "y.k", 1))
    rewrite_query(where(scan(R, "x"), op("eq", "x.k", ScalarSubquery(inner))), rule, within=within)
    assert seen[0] == op("eq", 7, 1)
    assert seen[1] == op("eq", 7, ScalarSubquery(where(scan(R, "y"), op("eq", 7, 1))))


def test_a_definition_is_not_entered() -> None:
    definition = scan(R, "x")
    shared = Shared(definition, ("x.k",), (Field("p.k", "k", col("x.k").dtype),))
    plan = where(shared, Exists(shared))
    assert rewrite_query(plan, over_s) is plan
    moved = rewrite_query(plan, lambda node: replace(node, definition=scan(S, "x")) if node is shared else None)
    assert [node.definition.source.name for node in walk_query(moved) if isinstance(node, Shared)] == ["s", "s"]  # type: ignore[attr-defined]


def test_conditions_apart_meet_a_shared_subquery_twice() -> None:
    exists = Exists(scan(R, "y"))
    plan = where(scan(R, "x"), op("and", exists, op("eq", "x.k", 1)), exists)
    given: list[Plan] = []

    def subquery(inner: Plan) -> Plan:
        given.append(Limit(inner, len(given), 0))
        return given[-1]

    together = rewrite_query(plan, lambda node: None, subquery=subquery)
    assert isinstance(together, Filter) and set(subplans(together.predicate)) == {given[0]} and len(given) == 1
    given.clear()
    apart = rewrite_query(plan, lambda node: None, subquery=subquery, apart=True)
    assert isinstance(apart, Filter) and subplans(apart.predicate) == tuple(given) and len(given) == 2


def test_what_shares_nothing_is_not_entered() -> None:
    column = Field("d", "d", BIGINT)
    shared = Shared(scan(R, "z"), ("z.k",), (column,))
    plain, reads = (
        where(scan(R, "x"), Exists(nested(3))),
        where(scan(R, "y"), Exists(where(shared, op("eq", "d", lit(1))))),
    )
    assert not shares(plain) and shares(reads) and shares(shared)
    both = Join("inner", plain, reads)
    assert shares(both) and definitions(both) == (shared.definition,) == definitions(both)
    met: list[Plan] = []
    rewrite_query(both, lambda node: met.append(node), enters=shares)
    assert met and all(map(shares, met))


def test_a_hash_without_names() -> None:
    one, two = op("eq", op("add", "x.k", lit(1)), "x.a"), op("eq", op("add", "y.a", lit(1)), "y.k")
    assert one != two and blind_hash(one) == blind_hash(two)
    for other in (
        op("eq", op("add", "x.k", lit(2)), "x.a"),
        op("eq", op("sub", "x.k", lit(1)), "x.a"),
        op("lt", "x.k", "x.a"),
    ):
        assert blind_hash(other) != blind_hash(one)
    assert blind_hash(Exists(scan(R, "x"))) == blind_hash(Exists(scan(S, "y")))
