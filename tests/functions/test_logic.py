"""AND, OR, NOT, tests for NULL, COALESCE, NULLIF, GREATEST and LEAST against DuckDB."""

from __future__ import annotations

import itertools
import math

import pytest

from tests.functions.oracle import Case, call, column, evaluate, python, stored
from tests.functions.test_arithmetic import WIDTHS
from tqp.errors import BindError
from tqp.functions.bind import bind
from tqp.ir.expr import ColumnRef, Expr, Literal
from tqp.types import BIGINT, BOOLEAN, DATE, DOUBLE, HUGEINT, INTEGER, NULL, TINYINT, VARCHAR, decimal

TRIPLES = list(itertools.product([True, False, None], repeat=3))
LOGIC = Case({name: (BOOLEAN, [triple[i] for triple in TRIPLES]) for i, name in enumerate("abc")})


def check(case: Case, sql: str, expr: Expr) -> None:
    theirs = case.duckdb(sql)
    assert theirs is not None, sql
    assert str(expr.dtype) == theirs[0].replace('"', "")
    expected = [stored(value, expr.dtype) for value in theirs[1]]
    for bounds, width in WIDTHS:
        ours = case.tqp(expr, bounds=bounds, width=width)
        assert str(ours) == str(expected), (sql, ours, expected)


def test_kleene() -> None:
    a, b, c = (LOGIC.ref(name) for name in "abc")
    check(LOGIC, "a and b", call("and", a, b))
    check(LOGIC, "a and b and c", call("and", a, b, c))
    check(LOGIC, "a or b or c", call("or", a, b, c))
    check(LOGIC, "not a", call("not", a))
    check(LOGIC, "a is null", call("is_null", a))
    check(LOGIC, "a is true", call("is_true", a))
    check(LOGIC, "a is false", call("is_false", a))
    for constant in (True, False, None):
        literal = Literal(constant, BOOLEAN)
        check(LOGIC, f"a and {constant or 'false' if constant is not None else 'null'}", call("and", a, literal))
        check(LOGIC, f"{constant or 'false' if constant is not None else 'null'} or a", call("or", literal, a))


def test_numbers_are_conditions() -> None:
    case = Case({"a": (INTEGER, [0, 1, 2, None])})
    check(case, "not a", call("not", case.ref("a")))
    check(case, "a and true", call("and", case.ref("a"), Literal(True, BOOLEAN)))


def test_no_nulls_cost_nothing() -> None:
    columns = {"a": column([True, False], BOOLEAN), "b": column([True, True], BOOLEAN)}
    result = evaluate(call("and", ColumnRef("a", BOOLEAN), ColumnRef("b", BOOLEAN)), columns)
    assert result.valid is None
    assert evaluate(call("is_null", ColumnRef("a", BOOLEAN)), columns).is_constant


MIXED = Case({
    "i": (INTEGER, [1, None, 3, None]), "b": (BIGINT, [None, 5, 2**40, None]), "t": (TINYINT, [7, None, None, 1]),
    "d": (decimal(6, 2), [150, None, -275, None]), "x": (DOUBLE, [0.5, math.nan, None, None]),
    "s": (VARCHAR, ["b", None, "a", None]), "r": (VARCHAR, ["a", "z", None, None]), "h": (HUGEINT, [10**25, 1, None, None]),
})  # fmt: skip


@pytest.mark.parametrize("name", ["coalesce", "greatest", "least"])
def test_choices(name: str) -> None:
    i, b, t, d, x, s, r, h = (MIXED.ref(column) for column in "ibtdxsrh")
    for args, sql in (
        ((i, b), "i, b"), ((i, d), "i, d"), ((i, Literal(9, INTEGER)), "i, 9"), ((t, Literal(9, INTEGER)), "t, 9"),
        ((t, Literal(900, INTEGER)), "t, 900"), ((s, r), "s, r"), ((s, Literal("k", VARCHAR)), "s, 'k'"),
        ((i, x), "i, x"), ((i, b, d), "i, b, d"), ((Literal(None, NULL), i), "null, i"), ((h, i), "h, i"),
        ((i, h, b), "i, h, b"), ((i, Literal("5", VARCHAR)), "i, '5'"), ((x, Literal(math.nan, DOUBLE)), "x, 'nan'"),
        ((Literal(2, INTEGER), i), "2, i"), ((Literal(None, INTEGER), Literal(4, INTEGER), i), "null::int, 4::int, i"),
    ):  # fmt: skip
        check(MIXED, f"{name}({sql})", call(name, *args))


def test_nullif() -> None:
    i, d, s, r = (MIXED.ref(column) for column in "idsr")
    one, text = Literal(1, INTEGER), Literal("b", VARCHAR)
    for args, sql in (
        ((i, one), "i, 1"), ((d, Literal(15, decimal(2, 1))), "d, 1.5"), ((i, d), "i, d"), ((s, r), "s, r"),
        ((s, text), "s, 'b'"), ((one, i), "1, i"), ((i, Literal(None, INTEGER)), "i, null"),
    ):  # fmt: skip
        check(MIXED, f"nullif({sql})", call("nullif", *args))


def test_what_cannot_be_mixed() -> None:
    with pytest.raises(BindError):
        bind("coalesce", ColumnRef("a", DATE), ColumnRef("b", INTEGER))
    with pytest.raises(BindError):
        bind("and", ColumnRef("a", DATE), Literal(True, BOOLEAN))


def test_constants_stay_constant() -> None:
    expr = call("coalesce", Literal(None, INTEGER), Literal(2, INTEGER))
    assert python(evaluate(expr, {}), 2) == [2, 2]
