"""Arithmetic against DuckDB: types, values, NULLs and overflow, for every storage width."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch

from tests.functions.oracle import Case, call, same, stored
from tqp.errors import ExecutionError
from tqp.types import (
    BIGINT,
    DOUBLE,
    FLOAT,
    HUGEINT,
    INTEGER,
    SMALLINT,
    TINYINT,
    UBIGINT,
    UINTEGER,
    USMALLINT,
    UTINYINT,
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
