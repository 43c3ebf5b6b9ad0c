"""Casts among numbers against DuckDB, and casts of literals."""

from __future__ import annotations

import math
import random

import pytest
import torch

from tests.functions.oracle import Case, same, stored
from tests.functions.test_arithmetic import TYPES, WIDTHS, numbers
from tqp.errors import ExecutionError
from tqp.functions.casts.cast import cast
from tqp.functions.fold import fold_cast
from tqp.ir.expr import Cast, Literal
from tqp.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    HUGEINT,
    INTEGER,
    TIMESTAMP,
    UBIGINT,
    VARCHAR,
    DType,
    decimal,
)  # fmt: skip

FLOATS = [0.5, 1.5, 2.5, -0.5, -1.5, 127.4, 127.5, -128.5, 255.5, 1e10, -1e10, 2.0**63, -(2.0**63), 1e20, 3e38, 99.995,
          0.125, -0.125, 1e-9, math.inf, -math.inf, math.nan, 0.0, None]  # fmt: skip


def check(have: DType, to: DType, values: list[object], *, safe: bool) -> None:
    case = Case({"a": (have, values)})
    theirs = case.duckdb(f"{'try_cast' if safe else 'cast'}(a as {to})")
    for bounds, width in WIDTHS:
        try:
            ours = case.tqp(Cast(case.ref("a"), to, safe), bounds=bounds, width=width)
        except ExecutionError:
            assert theirs is None, (have, to, values, theirs)
            continue
        assert theirs is not None, (have, to, values, ours)
        expected = [stored(value, to) for value in theirs[1]]
        assert all(map(same, ours, expected)), (have, to, values, ours, expected, bounds, width)


@pytest.mark.parametrize("safe", [True, False])
@pytest.mark.parametrize("size", ["small", "middle", "extreme"])
def test_numbers(size: str, safe: bool) -> None:
    generator = random.Random(f"{size} {safe}")
    for have in TYPES:
        for to in [*TYPES, BOOLEAN]:
            if have != to:
                check(have, to, numbers(have, 6 if safe else 2, generator, size), safe=safe)


@pytest.mark.parametrize("have", [FLOAT, DOUBLE])
def test_floats(have: DType) -> None:
    for to in [*TYPES, BOOLEAN, decimal(4, 2)]:
        if have != to:
            check(have, to, list(FLOATS), safe=True)


def test_boolean() -> None:
    for to in [*TYPES, decimal(1, 1), decimal(4, 4)]:
        check(BOOLEAN, to, [True, False, None], safe=True)


def test_rounding_half_away() -> None:
    values = [*range(-260, 260, 5), None]
    for scale in (0, 1):
        check(decimal(6, 2), decimal(6, scale), list(values), safe=True)
    check(decimal(6, 2), INTEGER, list(values), safe=True)
    check(decimal(38, 2), decimal(30, 1), [15, -15, 10**30 + 5, -(10**30) - 5], safe=True)


def test_null_rows_do_not_fail() -> None:
    case = Case({"a": (INTEGER, [1, None])})
    assert case.tqp(Cast(case.ref("a"), decimal(1, 0)), bounds=False, width=torch.int32) == [1, None]


def test_only_the_type_changes() -> None:
    from tests.functions.oracle import column

    narrow = column([1, 2], INTEGER)
    wide = cast(narrow, decimal(38, 0), False)
    assert wide.data is narrow.data and wide.bounds == (1, 2)


@pytest.mark.parametrize(
    ("value", "have", "to", "expected"),
    [
        (125, decimal(3, 2), decimal(3, 1), 13), (-125, decimal(3, 2), decimal(3, 1), -13), (5, INTEGER, decimal(3, 2), 500),
        (50, INTEGER, decimal(2, 1), None), (None, INTEGER, VARCHAR, "NULL"), ("1.5", VARCHAR, decimal(4, 2), 150),
        ("7", VARCHAR, INTEGER, 7), ("x", VARCHAR, INTEGER, None), ("1970-01-02", VARCHAR, DATE, 1),
        ("1970-02-30", VARCHAR, DATE, None), (1, DATE, TIMESTAMP, 86_400_000_000), (150, decimal(4, 2), DOUBLE, 1.5),
        (0, INTEGER, BOOLEAN, False),
    ],
)  # fmt: skip
def test_fold(value: object, have: DType, to: DType, expected: object) -> None:
    folded = fold_cast(Literal(value, have), to)  # type: ignore[arg-type]
    if expected == "NULL":
        assert folded == Literal(None, to)
    elif expected is None:
        assert folded is None
    else:
        assert folded == Literal(expected, to)  # type: ignore[arg-type]


@pytest.mark.parametrize("have", [BIGINT, UBIGINT, HUGEINT, decimal(18, 0)])
@pytest.mark.parametrize("number", [2**63 - 1, 2**53 + 1, 10**18 - 1])
def test_one_large_number_to_text(have: DType, number: int) -> None:
    if not have.is_decimal or number < 10**18:
        check(have, VARCHAR, [number], safe=False)
        check(have, VARCHAR, [number, None, number - 1, number], safe=False)
