"""Mathematical functions of numbers: roots, logarithms, powers, angles."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.layout import clipped, narrowest
from tqp.errors import BindError, ExecutionError
from tqp.functions import exact
from tqp.functions.instants import infinite
from tqp.functions.registry import Args, Signature, TypeRule, scalar
from tqp.functions.unify import untyped
from tqp.ir.expr import Expr
from tqp.kernels import wide
from tqp.kernels.nan import signed_nan
from tqp.kernels.remainder import remainder
from tqp.kernels.roots import square_root
from tqp.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    NULL,
    TIMESTAMP,
    TIMESTAMPTZ,
    TINYINT,
    DType,
    integer_range,
)  # fmt: skip

__all__ = ["absolute", "number", "real", "require_arguments"]


def _not_a_number(name: str, dtype: DType) -> NoReturn:
    raise BindError(f"{name} takes a number, not {dtype}", hint="write CAST(... AS DOUBLE)")


def number(name: str, expr: Expr) -> DType:
    """The numeric type of an argument of the function `name`, BIGINT for NULL; BindError where it has none."""
    if expr.dtype == NULL:
        return BIGINT
    if not expr.dtype.is_numeric:
        _not_a_number(name, expr.dtype)
    return expr.dtype


def require_arguments(name: str, args: tuple[Expr, ...], least: int, most: int) -> None:
    """BindError where the function `name` has fewer than `least` or more than `most` arguments."""
    if not least <= len(args) <= most:
        wanted = str(least) if least == most else f"{least} to {most}"
        raise BindError(f"{name} takes {wanted} arguments, not {len(args)}")


def _doubles(name: str, arguments: int = 1) -> TypeRule:
    def types(args: tuple[Expr, ...]) -> Signature:
        require_arguments(name, args, arguments, arguments)
        for arg in untyped(args):
            number(name, arg)
        return (DOUBLE,) * arguments, DOUBLE

    return types


def real(*names: str) -> Callable[[Callable[..., Tensor]], Callable[..., Tensor]]:
    """Register a function of one float64 tensor."""

    def register(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
        @scalar(*names, types=_doubles(names[0]))
        def kernel(args: Args, out: DType) -> Column:
            return Column(function(args[0].data), out)

        return function

    return register


for _names, _function in (
    ("ln", torch.log), ("log2", torch.log2), ("log10", torch.log10), ("exp", torch.exp),
    ("sin", torch.sin), ("cos", torch.cos), ("tan", torch.tan), ("atan", torch.atan), ("tanh", torch.tanh),
    ("asinh", torch.asinh), ("acosh", torch.acosh), ("degrees", torch.rad2deg), ("radians", torch.deg2rad),
    ("lgamma", torch.lgamma),
):  # fmt: skip
    real(_names)(_function)


def _real_signed(name: str, function: Callable[[Tensor], Tensor], sign: int) -> None:
    real(name)(lambda x: signed_nan(function(x), x, sign=sign))


for _name, _made, _of_nan in (
    ("sqrt", square_root, -1), ("asin", torch.asin, 1), ("acos", torch.acos, 1), ("sinh", torch.sinh, -1),
    ("cosh", torch.cosh, -1), ("atanh", torch.atanh, -1),
):  # fmt: skip
    _real_signed(_name, _made, _of_nan)


@real("cot")
def _cot(x: Tensor) -> Tensor:
    return 1.0 / torch.tan(x)


@real("cbrt")
def _cbrt(x: Tensor) -> Tensor:
    return torch.copysign(x.abs().pow(1.0 / 3.0), x)


@scalar("pow", "power", types=_doubles("pow", 2))
def _pow(args: Args, out: DType) -> Column:
    x, y = args[0].data, args[1].data
    return Column(signed_nan(torch.pow(x, y), x, y), out)


@scalar("atan2", types=_doubles("atan2", 2))
def _atan2(args: Args, out: DType) -> Column:
    y, x = args[0].data, args[1].data
    return Column(signed_nan(torch.atan2(y, x), y, x), out)


def _float_types(args: tuple[Expr, ...]) -> Signature:
    """FLOAT where one is, and none is DOUBLE."""
    require_arguments("fmod", args, 2, 2)
    kinds = [number("fmod", arg) for arg in untyped(args)]
    out = FLOAT if FLOAT in kinds and DOUBLE not in kinds else DOUBLE
    return (out, out), out


@scalar("fmod", types=_float_types)
def _fmod(args: Args, out: DType) -> Column:
    """The rest of a division rounded down: it has the sign of the divisor."""
    x, y = args[0].data, args[1].data
    rest = remainder(x, y)
    # A zero has no sign.
    return Column(signed_nan(torch.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest + 0.0), x, y), out)


def _log_types(args: tuple[Expr, ...]) -> Signature:
    require_arguments("log", args, 1, 2)
    for arg in untyped(args):
        number("log", arg)
    return (DOUBLE,) * len(args), DOUBLE


@scalar("log", types=_log_types)
def _log(args: Args, out: DType) -> Column:
    """log(x) to base 10, or log(base, x)."""
    if len(args) == 1:
        return Column(torch.log10(args[0].data), out)
    return Column(torch.log10(args[1].data) / torch.log10(args[0].data), out)


# Sign ---------------------------------------------------------------------------------------------------------------


def _same(name: str) -> TypeRule:
    def types(args: tuple[Expr, ...]) -> Signature:
        require_arguments(name, args, 1, 1)
        dtype = number(name, args[0])
        return (dtype,), dtype

    return types


@scalar("plus", types=_same("+"), total=True)
def _plus(args: Args, out: DType) -> Column:
    return args[0]


@scalar("abs", types=_same("abs"))
def _abs(args: Args, out: DType) -> Column:
    return absolute(args[0], out)


def absolute(column: Column, out: DType) -> Column:
    """The numbers without their signs; ExecutionError where that is beyond an exact type."""
    a = exact.narrowed(column) if out.is_exact else column
    if not out.is_exact:
        return Column(a.data.abs(), out)
    low, high = exact.limits(a)
    if low >= 0:
        return a
    allowed = integer_range(out)[1]
    bounds = clipped((max(0, -high), max(high, -low)), (0, allowed))
    if -low > allowed:
        bad = wide.abs_checked(a.data)[1] if a.is_wide else a.data < -allowed
        if exact.first_bad(bad, (a,)) is not None:
            raise ExecutionError(f"Overflow on abs({low})", hint="cast the operand to a wider type")
    if a.is_wide:
        return exact.wide_column(wide.abs_checked(a.data)[0], out, bounds)
    width = narrowest(low, max(high, -low))
    if width is None and -low > allowed:
        width = a.data.dtype
    if width is None:
        return exact.wide_column(wide.abs_checked(exact.as_wide(a))[0], out, bounds)
    return Column(exact.widened(a.data, width).abs(), out, None, None, bounds)


def _sign_types(args: tuple[Expr, ...]) -> Signature:
    require_arguments("sign", args, 1, 1)
    return (number("sign", args[0]),), TINYINT


@scalar("sign", types=_sign_types)
def _sign(args: Args, out: DType) -> Column:
    """-1, 0 or 1; 0 for NaN."""
    a = args[0]
    if a.dtype.is_exact and a.is_wide:
        zero = wide.scalar(0, a.device)
        return Column(wide.compare(a.data, zero), out, None, None, (-1, 1))
    return Column((a.data > 0).to(torch.int8) - (a.data < 0).to(torch.int8), out, None, None, (-1, 1))


# Tests and whole numbers --------------------------------------------------------------------------------------------


def _float_test(*names: str, on_instants: bool | None = None) -> Callable[[Callable[[Tensor], Tensor]], None]:
    def types(args: tuple[Expr, ...]) -> Signature:
        require_arguments(names[0], args, 1, 1)
        if on_instants is not None and (args[0].dtype in (DATE, TIMESTAMP, TIMESTAMPTZ) or args[0].dtype.is_other_unit):
            return (args[0].dtype,), BOOLEAN
        dtype = number(names[0], args[0])
        return (FLOAT if dtype == FLOAT else DOUBLE,), BOOLEAN

    def register(function: Callable[[Tensor], Tensor]) -> None:
        @scalar(*names, types=types)
        def kernel(args: Args, out: DType) -> Column:
            data = args[0].data
            if on_instants is not None and not data.is_floating_point():
                where = infinite(args[0])
                data = torch.zeros_like(data, dtype=torch.bool) if where is None else where
                return Column(~data if on_instants else data, out)
            return Column(function(data), out)

    return register


_float_test("isnan")(torch.isnan)
_float_test("isinf", on_instants=False)(torch.isinf)
_float_test("isfinite", on_instants=True)(torch.isfinite)
