"""Stored integers in other units: DECIMAL to another scale, to and from floats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.layout import Bounds, clipped, narrowest
from tqp.functions import exact
from tqp.functions.fold import round_half_away
from tqp.kernels import quotients, wide
from tqp.types import DType, integer_range

__all__ = ["from_float", "rescale", "shift_down", "to_float"]


def rescale(column: Column, dtype: DType, digits: int) -> tuple[Column, Tensor | None]:
    """The integers times 10**digits (rounded half away from zero where digits < 0), and where `dtype` cannot hold them.

    The mask is None where bounds prove that all fit; it ignores NULLs, and the numbers under it mean nothing.
    """
    column = exact.narrowed(column)
    low, high = exact.limits(column)
    allowed = integer_range(dtype)
    if digits < 0:
        column = shift_down(column, -digits, dtype)
        return _in_range(column, allowed)
    unit = 10**digits
    if digits == 0:
        return _in_range(replace(column, dtype=dtype, valid=None, bounds=(low, high)), allowed)
    bounds = low * unit, high * unit
    if allowed[0] <= bounds[0] and bounds[1] <= allowed[1]:
        width = narrowest(*bounds)
        if width is None:
            limbs = wide.mul(exact.as_wide(column), wide.scalar(unit, column.device))
            return exact.wide_column(limbs, dtype, bounds), None
        if bounds == (0, 0):
            # The unit itself may need a wider dtype than numbers that are all zero, or fit none.
            return Column(torch.zeros_like(column.data), dtype, None, None, bounds), None
        width = narrowest(min(bounds[0], 0), max(bounds[1], unit)) or width
        return Column(exact.widened(column.data, width) * unit, dtype, None, None, bounds), None
    # Compare before multiplying, so that what is multiplied cannot overflow.
    own = -((-allowed[0]) // unit), allowed[1] // unit
    inside, bad = _in_range(column, own)
    if bad is None:
        return rescale(inside, dtype, digits)
    zero = torch.zeros((), dtype=inside.data.dtype, device=inside.device)
    data = torch.where(bad[..., None] if inside.is_wide else bad, zero, inside.data)
    bounds = max(low, min(own[0], 0)), min(high, max(own[1], 0))
    bounds = min(bounds[0], 0), max(bounds[1], 0)
    if inside.is_wide:
        inside = exact.wide_column(data, column.dtype, bounds)
    else:
        inside = Column(data, column.dtype, None, None, bounds)
    result, _ = rescale(inside, dtype, digits)
    return result, bad


def _in_range(column: Column, allowed: Bounds) -> tuple[Column, Tensor | None]:
    """The column, with bounds cut to `allowed`, and where its numbers are outside (None: nowhere)."""
    low, high = exact.limits(column)
    if allowed[0] <= low and high <= allowed[1]:
        return column, None
    data = column.data
    if column.is_wide:
        floor, ceiling = wide.scalar(allowed[0], data.device), wide.scalar(min(allowed[1], 2**127 - 1), data.device)
        bad = wide.lt(data, floor) | wide.lt(ceiling, data)
    else:
        bad = torch.zeros((), dtype=torch.bool, device=data.device).expand(data.shape)
        if low < allowed[0]:
            bad = bad | (data < allowed[0] if high >= allowed[0] else torch.ones_like(bad))
        if high > allowed[1]:
            bad = bad | (data > allowed[1] if low <= allowed[1] else torch.ones_like(bad))
    cut = clipped((low, high), allowed)
    if column.is_wide:
        return exact.wide_column(data, column.dtype, cut), bad
    return Column(data, column.dtype, None, None, (low, high) if narrowest(*cut) is None else cut), bad


def shift_down(column: Column, digits: int, dtype: DType, *, mode: str = "round") -> Column:
    """The integers divided by 10**digits: `round` half away from zero, `even` half to even, `trunc` toward zero, `floor`,
    or `ceil`.

    No check of the range of `dtype`; bounds are exact.
    """
    column = exact.narrowed(column)
    low, high = exact.limits(column)
    unit = 10**digits
    step = _STEPS[mode]
    bounds = step(low, unit), step(high, unit)
    if column.is_wide:
        return exact.wide_column(_shift_wide(column.data, digits, mode), dtype, bounds)
    width = narrowest(min(low - unit, 0), max(high + unit, 0))
    if width is None:
        return exact.wide_column(_shift_wide(exact.as_wide(column), digits, mode), dtype, bounds)
    data = exact.widened(column.data, width)
    if mode == "round":
        # Toward zero after half a unit was added away from zero.
        data = torch.div(data + torch.sign(data) * (unit // 2), unit, rounding_mode="trunc")
    elif mode == "even":
        quotient = torch.div(data, unit, rounding_mode="trunc")
        # The distance to the quotient, beside that to the next number away from zero.
        near = (data - quotient * unit).abs()
        moved = (unit - near < near) | ((unit - near == near) & (quotient & 1).bool())
        data = quotient + torch.sign(data) * moved
    elif mode == "ceil":
        data = -torch.div(-data, unit, rounding_mode="floor")
    else:
        data = torch.div(data, unit, rounding_mode=mode)
    return Column(data, dtype, None, None, bounds)


def divided_to_even(dividends: Tensor, divisors: Tensor) -> Tensor:
    """Wide integers by ones that are not 0, to the nearest whole number, halves to the even one."""
    quotient, rest, _ = wide.divmod_checked(dividends, divisors)
    left = wide.abs_checked(rest)[0]
    beyond = wide.compare(left, wide.sub(wide.abs_checked(divisors)[0], left))
    moved = (beyond > 0) | ((beyond == 0) & (quotient[..., 1] & 1).bool())
    away = wide.compare(dividends, wide.scalar(0, dividends.device)) * wide.compare(
        divisors, wide.scalar(0, divisors.device)
    )
    return wide.add(quotient, wide.from_narrow(torch.where(moved, away.long(), 0)))


def round_half_even(value: int, unit: int) -> int:
    """value / unit, rounded to the nearest whole number, halves to the even one."""
    whole, rest = divmod(abs(value), unit)
    whole += 2 * rest > unit or (2 * rest == unit and whole % 2 == 1)
    return -whole if value < 0 else whole


_STEPS: dict[str, Callable[[int, int], int]] = {
    "round": round_half_away,
    "even": round_half_even,
    "trunc": lambda value, unit: -(-value // unit) if value < 0 else value // unit,
    "floor": lambda value, unit: value // unit,
    "ceil": lambda value, unit: -(-value // unit),
}


def _shift_wide(limbs: Tensor, digits: int, mode: str) -> Tensor:
    if mode == "round":
        return wide.rescale_down(limbs, digits)
    quotient, remainder, _ = wide.divmod_checked(limbs, 10**digits)
    if mode == "even":
        near, _ = wide.abs_checked(remainder)
        far = wide.sub(wide.scalar(10**digits, limbs.device), near)
        moved = wide.lt(far, near) | (wide.eq(far, near) & (quotient[..., 1] & 1).bool())
        return wide.add(quotient, wide.from_narrow(wide.compare(limbs, wide.scalar(0, limbs.device)) * moved))
    if mode == "trunc":
        return quotient
    zero = wide.scalar(0, limbs.device)
    moved = wide.lt(remainder, zero) if mode == "floor" else wide.lt(zero, remainder)
    change = wide.from_narrow(moved)
    return wide.sub(quotient, change) if mode == "floor" else wide.add(quotient, change)


def to_float(column: Column, dtype: torch.dtype) -> Tensor:
    """The numbers that the integers stand for, rounded once."""
    column = exact.narrowed(column)
    scale = column.dtype.scale
    if column.is_wide:
        return quotients.wide_to_float(column.data, scale, dtype)
    low, high = exact.limits(column)
    return quotients.narrow_to_float(column.data, scale, max(-low, high), dtype)


def from_float(values: Tensor, dtype: DType) -> tuple[Column, Tensor]:
    """Floats as scaled integers of `dtype`, and where they do not fit; integers round half to even, DECIMAL half away."""
    low, high = integer_range(dtype)
    scaled = values.double()
    if dtype.is_decimal:
        scaled = scaled * 10.0**dtype.scale
        whole = scaled.trunc()
        whole = whole + torch.sign(scaled) * ((scaled - whole).abs() >= 0.5)
        bad = ~(whole.abs() < 10.0**dtype.precision)
    else:
        whole = scaled.round()
        bad = ~((whole >= float(low)) & (whole < float(high + 1)))
    whole = torch.where(bad, 0.0, whole)
    width = narrowest(low, high)
    if width is None:
        limbs, _ = wide.from_float64(whole)
        return exact.wide_column(limbs, dtype, (low, high)), bad
    return Column(whole.to(width), dtype), bad
