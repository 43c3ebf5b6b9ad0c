"""Expressions are DAGs: what a walk, a rule or a text does with a shared node, it does once."""

from __future__ import annotations

from tqp.functions.bind import bind
from tqp.ir.expr import Call, ColumnRef, Expr
from tqp.ir.show import show_expr
from tqp.ir.visit import fold, postorder, rename, rewrite, symbols, walk
from tqp.optimizer.predicates import rejects_nulls
from tqp.optimizer.rules.simplify import simplify_expr
from tqp.types import BIGINT, DOUBLE

STEPS = 200


def doubled(symbol: str, steps: int = STEPS) -> Expr:
    """2**steps times a column, each step the sum of the one before with itself."""
    expr: Expr = ColumnRef(symbol, DOUBLE)
    for _ in range(steps):
        expr = Call("add", (expr, expr), DOUBLE)
    return expr


def test_a_walk_meets_a_shared_node_once() -> None:
    expr = doubled("a")
    assert len(list(walk(expr))) == STEPS + 1
    order = postorder(expr)
    assert len(order) == STEPS + 1 and order[-1] is expr and isinstance(order[0], ColumnRef)
    assert symbols(expr) == {"a"}
    assert fold(expr, lambda node, below: 1 + max(below, default=0)) == STEPS + 1


def test_rewriting_keeps_sharing() -> None:
    met = []

    def rule(node: Expr) -> Expr | None:
        met.append(node)
        return ColumnRef("b", DOUBLE) if isinstance(node, ColumnRef) else None

    moved = rewrite(doubled("a"), rule)
    assert len(met) == STEPS + 1
    assert len(list(walk(moved))) == STEPS + 1
    assert moved == doubled("b") and moved != doubled("a")
    assert rename(doubled("a"), {"a": ColumnRef("b", DOUBLE)}) == moved
    assert simplify_expr(doubled("a")) == doubled("a")


def test_deep_expressions_compare() -> None:
    one, other = doubled("a", 5_000), doubled("a", 5_000)
    assert one == other and hash(one) == hash(other)
    assert one != doubled("b", 5_000)


def test_predicates_over_shared_nodes() -> None:
    positive = bind("gt", doubled("a"), ColumnRef("b", DOUBLE))
    assert rejects_nulls(positive, frozenset({"a"}))
    assert not rejects_nulls(positive, frozenset({"c"}))


def test_what_rejects_nulls() -> None:
    a, b = ColumnRef("a", BIGINT), ColumnRef("b", BIGINT)
    null, other = bind("is_null", a), bind("gt", b, b)
    padded = frozenset({"a"})
    assert not rejects_nulls(null, padded)
    assert rejects_nulls(bind("not", null), padded)
    assert not rejects_nulls(bind("not", bind("not", null)), padded)
    assert rejects_nulls(Call("and", (other, bind("not", null)), null.dtype), padded)
    assert not rejects_nulls(Call("or", (other, bind("not", null)), null.dtype), padded)
    assert rejects_nulls(Call("or", (bind("gt", a, b), bind("not", null)), null.dtype), padded)
    assert not rejects_nulls(bind("not", bind("is_null", b)), padded)


def test_texts_are_bounded() -> None:
    assert show_expr(doubled("a", 2)) == "a + a + (a + a)"
    assert len(show_expr(doubled("a"))) < 10_000
