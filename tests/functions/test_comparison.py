"""Comparisons and IN against DuckDB."""

from __future__ import annotations

import math
import random
from typing import Any

import pyarrow as pa
import pytest
import torch

from tests.functions.oracle import CPU, Case, call, column, evaluate, python
from tests.functions.test_arithmetic import TYPES, WIDTHS, numbers
from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.errors import BindError
from tqp.functions.bind import bind
from tqp.ir.expr import ColumnRef, Expr, Literal
from tqp.types import BIGINT, BOOLEAN, DATE, DOUBLE, HUGEINT, INTEGER, INTERVAL, TINYINT, VARCHAR, DType, decimal

OPERATORS = {
    "eq": "=", "neq": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">=",
    "nullsafeeq": "is not distinct from", "nullsafeneq": "is distinct from",
}  # fmt: skip


def check(case: Case, sql: str, expr: Expr) -> None:
    theirs = case.duckdb(sql)
    assert theirs is not None, sql
    for bounds, width in WIDTHS:
        ours = case.tqp(expr, bounds=bounds, width=width)
        assert ours == theirs[1], (sql, case, ours, theirs, bounds, width)


@pytest.mark.parametrize("op", OPERATORS)
def test_numbers(op: str) -> None:
    generator = random.Random(op)
    for left in TYPES:
        for right in TYPES:
            size = generator.choice(["small", "middle"])
            values = {"a": (left, numbers(left, 6, generator, size)), "b": (right, numbers(right, 6, generator, size))}
            case = Case(values)
            check(case, f"a {OPERATORS[op]} b", call(op, case.ref("a"), case.ref("b")))


@pytest.mark.parametrize("op", OPERATORS)
def test_wide(op: str) -> None:
    values = [10**30, -(10**30), 0, 1, -1, 2**64, None]
    pairs = [(x, y) for x in values for y in values]
    case = Case({"a": (HUGEINT, [x for x, _ in pairs]), "b": (HUGEINT, [y for _, y in pairs])})
    check(case, f"a {OPERATORS[op]} b", call(op, case.ref("a"), case.ref("b")))


@pytest.mark.parametrize("op", OPERATORS)
def test_nan_is_the_greatest(op: str) -> None:
    values = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.5, None]
    pairs = [(x, y) for x in values for y in values]
    case = Case({"a": (DOUBLE, [x for x, _ in pairs]), "b": (DOUBLE, [y for _, y in pairs])})
    check(case, f"a {OPERATORS[op]} b", call(op, case.ref("a"), case.ref("b")))
    for constant in (math.nan, 1.5):
        check(case, f"a {OPERATORS[op]} '{constant}'::double", call(op, case.ref("a"), Literal(constant, DOUBLE)))
        check(case, f"'{constant}'::double {OPERATORS[op]} a", call(op, Literal(constant, DOUBLE), case.ref("a")))


@pytest.mark.parametrize("op", OPERATORS)
def test_constants_of_any_size(op: str) -> None:
    case = Case({"a": (TINYINT, [1, 100, -128, 127, None])})
    for constant in (0, 127, 128, 300, -129, 10**10, 10**25):
        dtype = INTEGER if constant < 2**31 else BIGINT if constant < 2**63 else HUGEINT
        check(case, f"a {OPERATORS[op]} {constant}", call(op, case.ref("a"), Literal(constant, dtype)))
        check(case, f"{constant} {OPERATORS[op]} a", call(op, Literal(constant, dtype), case.ref("a")))
    check(case, f"a {OPERATORS[op]} 1.5", call(op, case.ref("a"), Literal(15, decimal(2, 1))))
    check(case, f"a {OPERATORS[op]} '1'", call(op, case.ref("a"), Literal("1", VARCHAR)))
    check(case, f"a {OPERATORS[op]} null", call(op, case.ref("a"), Literal(None, INTEGER)))


TEXTS = ["", "a", "ab", "b", "é", "z", "~", "😀", "Z", None]


def unsorted(values: list[Any]) -> Column:
    """A column whose dictionary is neither sorted nor free of repetitions."""
    strings = [value or "" for value in values]
    valid = torch.tensor([value is not None for value in values], device=CPU)
    codes = torch.arange(len(values), dtype=torch.int32, device=CPU)
    return Column(codes, VARCHAR, valid, Dictionary(pa.array(strings, pa.large_string()), is_sorted=False))


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("make", [lambda values: column(values, VARCHAR), unsorted])
def test_text(op: str, make: Any) -> None:
    pairs = [(x, y) for x in TEXTS for y in TEXTS]
    case = Case({"a": (VARCHAR, [x for x, _ in pairs]), "b": (VARCHAR, [y for _, y in pairs])})
    columns = {name: make(values) for name, (_, values) in case.columns.items()}
    both = case.duckdb(f"a {OPERATORS[op]} b")
    assert both is not None
    assert python(evaluate(call(op, case.ref("a"), case.ref("b")), columns), case.rows) == both[1]
    shared = {"a": columns["a"], "b": columns["a"].take(torch.arange(case.rows - 1, -1, -1, device=CPU))}
    case = Case({"a": case.columns["a"], "b": (VARCHAR, case.columns["a"][1][::-1])})
    both = case.duckdb(f"a {OPERATORS[op]} b")
    assert both is not None
    assert python(evaluate(call(op, case.ref("a"), case.ref("b")), shared), case.rows) == both[1]
    for constant in ("", "aa", "b", "zz", "\U0001f601"):
        for sql, args in (
            (f"a {OPERATORS[op]} '{constant}'", (case.ref("a"), Literal(constant, VARCHAR))),
            (f"'{constant}' {OPERATORS[op]} a", (Literal(constant, VARCHAR), case.ref("a"))),
        ):
            theirs = case.duckdb(sql)
            assert theirs is not None
            assert python(evaluate(call(op, *args), columns), case.rows) == theirs[1], sql


def test_intervals() -> None:
    values = [(0, 30, 0), (1, 0, 0), (0, 31, 0), (0, 0, 86_400_000_000), (0, 1, 0), (1, -1, 0), (0, 29, 0)]
    for x in values:
        for y in values:
            for op in ("eq", "lt", "lte", "gt", "gte", "neq"):
                sides = [f"to_months({m}) + to_days({d}) + to_microseconds({u})" for m, d, u in (x, y)]
                theirs = Case({"a": (INTEGER, [1])}).duckdb(f"({sides[0]}) {OPERATORS[op]} ({sides[1]})")
                assert theirs is not None
                expr = call(op, Literal(x, INTERVAL), Literal(y, INTERVAL))
                assert python(evaluate(expr, {}), 1) == theirs[1], (x, y, op)


def literals(values: list[Any], dtype: DType) -> list[Expr]:
    return [Literal(value, dtype) for value in values]


@pytest.mark.parametrize(
    "options",
    [
        [1], [1, 2, 3, 4], [1, 5, 9], [1, None], [300], [None], [*range(0, 90, 7)], [*range(-1000, 1000, 31)],
        [-(10**6), 0, 1, 5, 6, 8, 10**6, 10**7],
    ],
)  # fmt: skip
def test_in_integers(options: list[Any]) -> None:
    values = [1, 5, 7, 35, 300, -8, 0, 10**6, None]
    sql = f"a in ({', '.join('null' if o is None else str(o) for o in options)})"
    for dtype in (INTEGER, BIGINT, decimal(12, 0), HUGEINT):
        case = Case({"a": (dtype, values)})
        check(case, sql, call("in", case.ref("a"), *literals(options, INTEGER)))
    case = Case({"a": (HUGEINT, [1, 10**30, None])})
    check(case, sql, call("in", case.ref("a"), *literals(options, INTEGER)))


@pytest.mark.parametrize("make", [lambda values: column(values, VARCHAR), unsorted])
def test_in_texts(make: Any) -> None:
    case = Case({"a": (VARCHAR, TEXTS)})
    for options in (["a"], ["a", "é", "nowhere"], ["nowhere"], ["a", None]):
        expr = call("in", case.ref("a"), *literals(options, VARCHAR))
        theirs = case.duckdb(f"a in ({', '.join('null' if o is None else repr(o) for o in options)})")
        assert theirs is not None
        assert python(evaluate(expr, {"a": make(TEXTS)}), case.rows) == theirs[1]


def test_in_mixed() -> None:
    case = Case({"a": (INTEGER, [1, 2, None]), "b": (INTEGER, [1, None, 3])})
    check(case, "a in (b, 2)", call("in", case.ref("a"), case.ref("b"), Literal(2, INTEGER)))
    check(case, "a in (b)", call("in", case.ref("a"), case.ref("b")))
    check(case, "a in (1, 2.5)", call("in", case.ref("a"), Literal(1, INTEGER), Literal(25, decimal(2, 1))))
    check(case, "a in ('1', '2')", call("in", case.ref("a"), *literals(["1", "2"], VARCHAR)))
    case = Case({"a": (DOUBLE, [1.5, math.nan, None])})
    check(case, "a in (1.5, 'nan')", call("in", case.ref("a"), *literals([1.5, math.nan], DOUBLE)))


def test_constant_text_becomes_the_columns_type() -> None:
    expr = bind("eq", ColumnRef("a", DATE), Literal("1970-01-02", VARCHAR))
    assert expr.children[1] == Literal(1, DATE)


def test_what_cannot_be_compared() -> None:
    with pytest.raises(BindError):
        bind("eq", ColumnRef("a", DATE), Literal(1, INTEGER))
    with pytest.raises(BindError):
        bind("lt", ColumnRef("a", INTERVAL), ColumnRef("b", BOOLEAN))
