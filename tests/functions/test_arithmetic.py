"""Arithmetic against DuckDB: types, values, NULLs and overflow, for every storage width."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch

from tests.functions.oracle import Case, call, same, stored
from tqp.errors import BindError, ExecutionError
from tqp.ir.expr import Literal
from tqp.types import (
    BIGINT,
    DOUBLE,
    FLOAT,
    HUGEINT,
    INTEGER,
    NULL,
    SMALLINT,
    TINYINT,
    UBIGINT,
    UINTEGER,
    USMALLINT,
    UTINYINT,
    VARCHAR,
    DType,
    decimal,
    integer_range,
)  # fmt: skip

OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "intdiv": "//", "mod": "%"}
TYPES = [
    TINYINT, SMALLINT, INTEGER, BIGINT, HUGEINT, UTINYINT, USMALLINT, UINTEGER, UBIGINT, FLOAT, DOUBLE,
    decimal(4, 1), decimal(15, 2), decimal(18, 6), decimal(30, 5), decimal(38, 10),
]  # fmt: skip
WIDTHS = [(True, None), (False, None), (True, torch.int64), (False, torch.int32)]


def numbers(dtype: DType, rows: int, generator: random.Random, size: str) -> list[Any]:
    if dtype.is_float:
        return [None if generator.random() < 0.2 else float(generator.randint(-99, 99)) / 4 for _ in range(rows)]
    low, high = integer_range(dtype)
    if size == "small":
        low, high = max(low, -12), min(high, 12)
    if size == "middle":
        low, high = max(low, -(10**9)), min(high, 10**9)
    picked = [generator.choice([low, high, generator.randint(low, high)]) for _ in range(rows)]
    return [None if generator.random() < 0.2 else value for value in picked]


def check(case: Case, sql: str, expr_of: Any) -> None:
    theirs = case.duckdb(sql)
    for bounds, width in WIDTHS:
        try:
            expr = expr_of()
            ours = case.tqp(expr, bounds=bounds, width=width)
        except ExecutionError as error:
            assert theirs is None, (sql, case, str(error), theirs)
            continue
        assert theirs is not None, (sql, case, ours)
        assert str(expr.dtype) == theirs[0], sql
        expected = [stored(value, expr.dtype) for value in theirs[1]]
        assert all(map(same, ours, expected)), (sql, case, ours, expected, bounds, width)


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("size", ["small", "middle", "extreme"])
def test_operators(op: str, size: str) -> None:
    generator = random.Random(f"{op} {size}")
    for left in TYPES:
        for right in TYPES:
            if op == "mul" and left.scale + right.scale > 38:
                continue
            values = {"a": (left, numbers(left, 3, generator, size)), "b": (right, numbers(right, 3, generator, size))}
            case = Case(values)
            check(case, f"a {OPERATORS[op]} b", lambda: call(op, case.ref("a"), case.ref("b")))


@pytest.mark.parametrize(
    ("sql", "op", "left", "right"),
    [
        ("100 - b", "sub", Literal(100, INTEGER), None), ("1 - b", "sub", Literal(1, INTEGER), None),
        ("b * 2", "mul", None, Literal(2, INTEGER)), ("b + 0.125", "add", None, Literal(125, decimal(4, 3))),
        ("b + null", "add", None, Literal(None, NULL)), ("b % 7", "mod", None, Literal(7, INTEGER)),
        ("b // 7", "intdiv", None, Literal(7, INTEGER)), ("b / 7", "div", None, Literal(7, INTEGER)),
        ("b * 1000000", "mul", None, Literal(1000000, INTEGER)), ("b * 0.5", "mul", None, Literal(5, decimal(2, 1))),
    ],
)  # fmt: skip
def test_constants(sql: str, op: str, left: Any, right: Any) -> None:
    generator = random.Random(sql)
    for dtype in TYPES:
        if dtype.is_decimal and "null" in sql:
            continue  # DuckDB gives up the type there
        for size in ("small", "middle"):
            case = Case({"b": (dtype, numbers(dtype, 5, generator, size))})
            check(case, sql, lambda: call(op, left or case.ref("b"), right or case.ref("b")))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", ["small", "middle", "extreme"])
def test_negation(dtype: DType, size: str) -> None:
    case = Case({"a": (dtype, numbers(dtype, 5, random.Random(f"{dtype}{size}"), size))})
    check(case, "-a", lambda: call("neg", case.ref("a")))


@pytest.mark.parametrize(("op", "sql"), [("bitwiseand", "a & b"), ("bitwiseor", "a | b"), ("bitwisexor", "xor(a, b)")])
def test_bits(op: str, sql: str) -> None:
    generator = random.Random(op)
    for left, right in ((TINYINT, TINYINT), (TINYINT, BIGINT), (INTEGER, SMALLINT), (UTINYINT, UTINYINT)):
        rows = {
            "a": (left, numbers(left, 9, generator, "extreme")),
            "b": (right, numbers(right, 9, generator, "extreme")),
        }
        case = Case(rows)
        check(case, sql, lambda: call(op, case.ref("a"), case.ref("b")))
        check(case, "~a", lambda: call("bitwisenot", case.ref("a")))


def test_shifts() -> None:
    case = Case({"a": (INTEGER, [1, 5, 0, None, 2**20]), "b": (INTEGER, [3, 28, 40, 1, 2])})
    check(case, "a << b", lambda: call("bitwiseleftshift", case.ref("a"), case.ref("b")))
    check(case, "a >> b", lambda: call("bitwiserightshift", case.ref("a"), case.ref("b")))
    case = Case({"a": (INTEGER, [1]), "b": (INTEGER, [31])})
    check(case, "a << b", lambda: call("bitwiseleftshift", case.ref("a"), case.ref("b")))


def test_bounds_keep_arithmetic_narrow() -> None:
    case = Case({"price": (decimal(15, 2), [90000, 10494950]), "discount": (decimal(15, 2), [0, 10])})
    from tests.functions.oracle import column, evaluate

    columns = {name: column(values, dtype) for name, (dtype, values) in case.columns.items()}
    expr = call("mul", case.ref("price"), call("sub", Literal(1, INTEGER), case.ref("discount")))
    result = evaluate(expr, columns)
    assert result.data.dtype == torch.int32 and result.bounds == (90000 * 90, 10494950 * 100)


@pytest.mark.parametrize(
    ("op", "left", "right", "message"),
    [
        ("mul", (2**62, BIGINT), (4, BIGINT), r"multiplication of INT64 \(4611686018427387904 \* 4\)"),
        ("add", (2**31 - 1, INTEGER), (1, INTEGER), r"addition of INT32 \(2147483647 \+ 1\)"),
        ("sub", (0, UTINYINT), (1, UTINYINT), r"subtraction of UINT8 \(0 - 1\)"),
        ("mod", (1, INTEGER), (0, INTEGER), "division by zero"),
    ],
)
def test_messages(op: str, left: Any, right: Any, message: str) -> None:
    case = Case({"a": (left[1], [None, left[0]]), "b": (right[1], [None, right[0]])})
    with pytest.raises(ExecutionError, match=message):
        case.tqp(call(op, case.ref("a"), case.ref("b")), bounds=True, width=None)


def test_what_does_not_add_up() -> None:
    case = Case({"a": (VARCHAR, ["x"]), "b": (INTEGER, [1])})
    with pytest.raises(BindError):
        call("add", case.ref("a"), case.ref("b"))
    with pytest.raises(BindError):
        call("mul", Literal(1, decimal(38, 20)), Literal(1, decimal(38, 20)))
