"""Rounding of numbers: to whole ones, and to digits behind the point or before it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce

import torch
from torch import Tensor

from tqp.data.column import Column, constant
from tqp.errors import BindError, ExecutionError, UnsupportedError
from tqp.functions import decimals, exact
from tqp.functions.bind import coerce
from tqp.functions.numeric import number, require_arguments
from tqp.functions.promotion import MAX_PRECISION
from tqp.functions.registry import Args, Signature, TypeRule, scalar
from tqp.functions.unify import is_text_literal
from tqp.ir.expr import Expr, Literal
from tqp.kernels import products, waits
from tqp.types import BIGINT, DOUBLE, HUGEINT, INTEGER, NULL, UBIGINT, UHUGEINT, DType, decimal, integer_range

__all__ = ["half_away"]


def _digits(name: str, args: tuple[Expr, ...]) -> int | None:
    """The literal second argument of round and trunc (0 if left out); None where it is NULL or no literal."""
    if len(args) == 1:
        return 0
    digits = coerce(args[1], INTEGER) if is_text_literal(args[1]) else args[1]
    if not (digits.dtype.is_integer or digits.dtype == NULL):
        raise BindError(f"the digits of {name} are an integer, not {digits.dtype}")
    return _literal_int(digits)


def _literal_int(expr: Expr) -> int | None:
    if isinstance(expr, Literal) and isinstance(expr.value, int):
        return expr.value
    # A negative constant may come as the negation of one.
    inner = expr.children
    if getattr(expr, "function", None) == "neg" and inner:
        found = _literal_int(inner[0])
        return None if found is None else -found
    return None


def _round_types(name: str, integers_to: DType | None = None) -> TypeRule:
    def types(args: tuple[Expr, ...]) -> Signature:
        require_arguments(name, args, 2 if name == "round_even" else 1, 1 if name in ("ceil", "floor") else 2)
        dtype = BIGINT if args[0].dtype == NULL else number(name, args[0])
        digits = _digits(name, args)
        rest = (INTEGER,) * (len(args) - 1)
        if rest and args[1].dtype == NULL:
            return (dtype, NULL), NULL if dtype.is_decimal else dtype
        if dtype.is_decimal:
            if digits is None:
                raise UnsupportedError(
                    f"{name} of a DECIMAL takes a constant number of digits", hint="cast the number to DOUBLE"
                )
            return (dtype, *rest), _rounded(name, dtype, digits)
        if dtype.is_integer and integers_to is not None:
            return (integers_to,), integers_to
        if name in ("round", "round_even") and dtype.is_integer and integer_range(dtype)[0] == 0:
            # There is no round of unsigned integers but after the cast that + and - do, too.
            dtype = DOUBLE if dtype == UHUGEINT else HUGEINT if dtype == UBIGINT else BIGINT
        return (dtype, *rest), dtype

    return types


_NAMES = {"ceil": ("ceil", "ceiling"), "trunc": ("trunc", "truncate"), "round_even": ("round_even", "roundbankers")}


def _rounded(name: str, dtype: DType, digits: int) -> DType:
    """The type of a DECIMAL with so many digits behind the point; without any, rounding up may take one more before it."""
    grows = name != "trunc" and dtype.scale == 0 and 0 < -digits <= dtype.precision < MAX_PRECISION
    return decimal(dtype.precision + grows, min(max(digits, 0), dtype.scale))


def _rounding(name: str, mode: str, on_floats: Callable[[Tensor], Tensor], integers_to: DType | None = None) -> None:
    names = _NAMES.get(name, (name,))

    @scalar(*names, types=_round_types(name, integers_to))
    def kernel(args: Args, out: DType) -> Column:
        if len(args) == 2 and args[1].dtype == NULL:
            return constant(None, out, args[0].device)
        if out.is_exact:
            digits = 0 if len(args) == 1 else exact.number(args[1])
            return _round_exact(args[0], digits, out, mode) if digits is not None else _round_integers(args, out, mode)
        if len(args) == 1:
            return Column(on_floats(args[0].data), out)
        return Column(_at_digits(args[0].data, args[1].data, on_floats, keeps=name == "trunc"), out)


def _round_exact(a: Column, digits: int, out: DType, mode: str) -> Column:
    """A DECIMAL or integer to `digits` digits behind the point (before it, where negative)."""
    drop = a.dtype.scale - digits
    if drop <= 0:
        return replace(a, dtype=out, valid=None, bounds=exact.limits(a))
    if drop > 38:
        return Column(torch.zeros_like(a.data), out, None, None, (0, 0)) if not a.is_wide else _zeros(a, out)
    result = decimals.shift_down(a, drop, out, mode=mode)
    if digits >= 0:
        return result
    back, bad = decimals.rescale(result, out if out.is_integer else decimal(38, 0), -digits)
    if bad is not None and exact.first_bad(bad, (a,)) is not None:
        raise ExecutionError(f"overflow in {mode} to {digits} digits of {out}", hint="cast the number to a wider type")
    return replace(back, dtype=out)


def _zeros(a: Column, out: DType) -> Column:
    return Column(torch.zeros_like(a.data[..., 0]), out, None, None, (0, 0))


def _round_integers(args: Args, out: DType, mode: str) -> Column:
    """Integers to digits that differ by row: by way of each number of digits before the point."""
    a, digits = args
    a = exact.narrowed(a)
    if a.is_wide:
        return _round_wide(a, digits, out, mode)
    result = a.data.long()
    valids = [arg.valid for arg in args if arg.valid is not None]
    valid = reduce(torch.logical_and, valids) if valids else None
    for drop in range(1, 20):
        meant = digits.data == -drop
        chosen = meant if valid is None else meant & valid
        column = _round_exact(Column(a.data, a.dtype, chosen, None, a.bounds), -drop, out, mode)
        result = torch.where(meant, exact.narrowed(column).data, result)
    return Column(torch.where(digits.data < -19, 0, result), out)


def _round_wide(a: Column, digits: Column, out: DType, mode: str) -> Column:
    """Integers beyond 64 bits to digits that differ by row: by way of each number of digits that there is."""
    zero = torch.zeros_like(a.data)
    result = torch.where((digits.data < 0)[..., None], zero, a.data)
    asked = [arg.valid for arg in (a, digits) if arg.valid is not None]
    for drop in sorted(set(waits.numbers(-digits.data.flatten().clamp(-39, 0), "to how many digits"))):
        if not 0 < drop < 39:
            continue
        chosen = reduce(torch.logical_and, asked, digits.data == -drop)
        column = _round_exact(replace(a, data=torch.where(chosen[..., None], a.data, zero)), -drop, out, mode)
        result = torch.where(chosen[..., None], exact.as_wide(column), result)
    return exact.wide_column(result, out, integer_range(out))


def half_away(x: Tensor) -> Tensor:
    """Floats rounded to whole numbers, halves away from zero; NaN and infinities stay what they are."""
    whole = x.trunc()
    # The difference is exact, unlike x + 0.5.
    return torch.where((x - whole).abs() >= 0.5, whole + torch.sign(x), whole)


def _at_digits(x: Tensor, digits: Tensor, on_floats: Callable[[Tensor], Tensor], *, keeps: bool) -> Tensor:
    """Round where the unit is 10**-digits, as DuckDB does: scale, round, scale back; x itself where that overflows.

    Where the unit itself is beyond DOUBLE, a finite x becomes 0, unless it `keeps` its value: of numbers that are cut off, which
    are so as scaled. To the nearest one what is beside a half only by the error of the product goes where the half does not.
    """
    values = x.double()
    power = torch.pow(10.0, digits.double().abs())
    scaled = values * power
    whole = on_floats(scaled)
    if not keeps:
        beside = products.error(values, power, scaled)
        is_half = (scaled - scaled.trunc()).abs() == 0.5
        whole = torch.where(is_half & (beside > 0), scaled.ceil(), whole)
        whole = torch.where(is_half & (beside < 0), scaled.floor(), whole)
    behind = whole / power
    before = on_floats(values / power) * power
    behind = torch.where(torch.isfinite(behind), behind, values)
    before = torch.where(torch.isfinite(before), before, values)
    if not keeps:
        before = torch.where(torch.isinf(power) & torch.isfinite(values), 0.0, before)
    return torch.where(digits < 0, before, behind).to(x.dtype)


_rounding("round", "round", half_away)
_rounding("round_even", "even", torch.round)
_rounding("trunc", "trunc", torch.trunc)
_rounding("floor", "floor", torch.floor, DOUBLE)
_rounding("ceil", "ceil", torch.ceil, DOUBLE)
