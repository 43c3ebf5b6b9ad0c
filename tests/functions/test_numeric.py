"""Mathematical functions against DuckDB."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from tests.functions.oracle import Case, call
from tests.functions.test_arithmetic import TYPES, check, numbers
from tqp.errors import BindError, UnsupportedError
from tqp.ir.expr import Literal
from tqp.types import BIGINT, DATE, DOUBLE, FLOAT, INTEGER, decimal

FLOATS = [0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -2.5, 0.15, 2.675, 1234.5678, 1e20, -1e300, 0.49999999999999994, math.inf,
          -math.inf, math.nan, None]  # fmt: skip


@pytest.mark.parametrize("name", ["abs", "sign", "round", "floor", "ceil", "trunc"])
@pytest.mark.parametrize("size", ["small", "middle", "extreme"])
def test_every_number(name: str, size: str) -> None:
    generator = random.Random(f"{name}{size}")
    for dtype in TYPES:
        case = Case({"a": (dtype, numbers(dtype, 5, generator, size))})
        check(case, f"{name}(a)", lambda: call(name, case.ref("a")))


@pytest.mark.parametrize("name", ["abs", "sign", "round", "floor", "ceil", "trunc", "isnan", "isinf", "isfinite"])
@pytest.mark.parametrize("dtype", [FLOAT, DOUBLE])
def test_floats(name: str, dtype: Any) -> None:
    case = Case({"a": (dtype, [value if dtype == DOUBLE or abs(value or 0) < 1e30 else None for value in FLOATS])})
    check(case, f"{name}(a)", lambda: call(name, case.ref("a")))


@pytest.mark.parametrize("name", ["round", "round_even", "trunc"])
@pytest.mark.parametrize("digits", [-3, -1, 0, 1, 2, 5])
def test_digits(name: str, digits: int) -> None:
    generator = random.Random(digits)
    for dtype in (INTEGER, BIGINT, FLOAT, DOUBLE, decimal(9, 2), decimal(18, 6), decimal(38, 4)):
        values = FLOATS if dtype == DOUBLE else numbers(dtype, 8, generator, "middle")
        if dtype == DOUBLE and name == "trunc":
            values = [value for value in values if value is None or abs(value) < 1e19]
        case = Case({"a": (dtype, values)})
        check(case, f"{name}(a, {digits})", lambda: call(name, case.ref("a"), Literal(digits, INTEGER)))


@pytest.mark.parametrize("name", ["round", "round_even"])
def test_halves_that_are_none(name: str) -> None:
    # What is beside a half by less than the product shows, and numbers whose product has an error.
    generator = random.Random(7)
    values = [float(f"{generator.randrange(-99999, 99999)}.{generator.randrange(9999)}5") for _ in range(2000)]
    values += [generator.uniform(-1, 1) * 10.0 ** generator.randrange(-20, 25) for _ in range(1000)]
    case = Case({"a": (DOUBLE, values)})
    for digits in (1, 2, 3, 4, 7, -1):
        check(case, f"{name}(a, {digits})", lambda places=digits: call(name, case.ref("a"), Literal(places, INTEGER)))


def test_digits_by_row() -> None:
    case = Case({"a": (DOUBLE, [1.25, 12.5, 155.0, None]), "b": (INTEGER, [1, 0, -1, 2])})
    check(case, "round(a, b)", lambda: call("round", case.ref("a"), case.ref("b")))
    case = Case({"a": (INTEGER, [125, 12, 155, None]), "b": (INTEGER, [-1, 0, -2, 2])})
    check(case, "round(a, b)", lambda: call("round", case.ref("a"), case.ref("b")))
    with pytest.raises(UnsupportedError):
        call("round", Literal(15, decimal(3, 1)), case.ref("b"))


@pytest.mark.parametrize(
    "name",
    [
        "sqrt", "cbrt", "ln", "log2", "log10", "log", "exp", "sin", "cos", "tan", "asin", "acos", "atan", "cot",
        "degrees", "radians", "sinh", "cosh", "tanh",
    ],
)  # fmt: skip
def test_real_functions(name: str) -> None:
    case = Case({"a": (DOUBLE, [0.25, 1.0, 2.5, 0.9, None, 0.0 if name != "cot" else 1.0, -0.5, math.inf, math.nan])})
    if name in ("sin", "cos", "tan", "cot"):
        case.columns["a"][1][7] = 3.0
    theirs = case.duckdb(f"{name}(a)")
    assert theirs is not None
    for ours, expected in zip(case.tqp(call(name, case.ref("a")), bounds=True, width=None), theirs[1], strict=True):
        assert (ours is None) == (expected is None)
        if expected is not None:
            assert (
                ours == expected
                or (math.isnan(ours) and math.isnan(expected))
                or math.isclose(ours, expected, rel_tol=1e-14)
            )


def test_two_arguments() -> None:
    case = Case({"a": (DOUBLE, [2.0, 9.0, -8.0, 0.0, None]), "b": (DOUBLE, [3.0, 0.5, 2.0, 1.0, 1.0])})
    check(case, "pow(a, b)", lambda: call("pow", case.ref("a"), case.ref("b")))
    check(case, "atan2(a, b)", lambda: call("atan2", case.ref("a"), case.ref("b")))
    case = Case({"a": (INTEGER, [12, -12, 0, 0, None]), "b": (INTEGER, [18, 8, 5, 0, 1])})
    check(case, "gcd(a, b)", lambda: call("gcd", case.ref("a"), case.ref("b")))
    check(case, "lcm(a, b)", lambda: call("lcm", case.ref("a"), case.ref("b")))


def test_only_numbers() -> None:
    with pytest.raises(BindError):
        call("sqrt", Literal(1, DATE))
    with pytest.raises(BindError):
        call("abs")
