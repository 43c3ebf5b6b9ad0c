"""Arithmetic on exact numbers: narrow where bounds allow, checked where they do not, never wrapping silently.

Each operation works out the interval of its result from the operands' bounds. If the interval fits 64 bits it is
plain tensor arithmetic in the narrowest dtype that holds operands and result; else the rows' real extremes decide
whether that suffices, and if not it is done in 128 bits. A result outside the SQL type raises ExecutionError; rows that
are NULL never do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.layout import Bounds, Encoding, clipped, narrowest
from tqp.errors import ExecutionError
from tqp.functions.measured import by_values
from tqp.kernels import waits, wide
from tqp.types import DType, Kind, integer_range, stored_range

__all__ = [
    "as_wide", "combine", "extremes", "first_bad", "limits", "narrowed", "negated", "number", "operand", "overflow",
    "refuse_zero", "value_at", "wide_column", "widened",
]  # fmt: skip

_INT64 = (-(2**63), 2**63 - 1)
_INTERNAL = {
    Kind.TINYINT: "INT8", Kind.SMALLINT: "INT16", Kind.INTEGER: "INT32", Kind.BIGINT: "INT64", Kind.HUGEINT: "INT128",
    Kind.UTINYINT: "UINT8", Kind.USMALLINT: "UINT16", Kind.UINTEGER: "UINT32", Kind.UBIGINT: "UINT64", Kind.UHUGEINT: "UINT128",
}  # fmt: skip

_PLAIN: dict[str, Callable[[Tensor, Tensor | int], Tensor]] = {"add": torch.add, "sub": torch.sub, "mul": torch.mul}
_WIDE: dict[str, Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]] = {
    "add": wide.add_checked, "sub": wide.sub_checked, "mul": wide.mul_checked,
}  # fmt: skip
_WORDS = {"add": ("addition", "+"), "sub": ("subtraction", "-"), "mul": ("multiplication", "*")}


def limits(column: Column) -> Bounds:
    """Limits of a column of stored integers: its bounds, else those of its SQL type and its width."""
    if column.bounds is not None:
        return column.bounds
    return _limits_of(column.dtype, None if column.is_wide else column.data.dtype)


@lru_cache(256)
def _limits_of(dtype: DType, width: torch.dtype | None) -> Bounds:
    """Limits of a type that is stored in integers of that width, or in two limbs."""
    low, high = stored_range(dtype) if dtype.is_ordinal else _INT64
    if width is None:
        return low, high
    info = torch.iinfo(width)
    return max(low, info.min), min(high, info.max)


def extremes(column: Column) -> Bounds:
    """The real least and greatest integer of a narrow column, rows that are NULL included.

    Of no rows the limits of the dtype: columns without rows stand for all batches when layouts are found.
    """
    if column.data.numel() == 0:
        by_values()
        info = torch.iinfo(column.data.dtype)
        return info.min, info.max
    return waits.limits(column.data, "the width of the arithmetic depends on the values")


def number(column: Column) -> int | None:
    """The integer of a constant that is known without looking at the device."""
    if column.is_constant and column.bounds is not None and column.bounds[0] == column.bounds[1]:
        return column.bounds[0]
    return None


def narrowed(column: Column) -> Column:
    """A wide column whose bounds fit 64 bits as a narrow one; others unchanged."""
    if column.is_wide and narrowest(*limits(column)) is not None:
        return replace(column, data=column.data[..., 1], bounds=limits(column), encoding=Encoding.FLAT)
    return column


def as_wide(column: Column) -> Tensor:
    """The integers as (..., 2) limbs."""
    return column.data if column.is_wide else wide.from_narrow(column.data)


def operand(column: Column) -> Tensor | int:
    """The integers as the other side of an operation wants them: a Python int where they are a known constant."""
    known = number(column) if column.is_constant else None
    return column.data if known is None else known


def widened(data: Tensor, width: torch.dtype) -> Tensor:
    """`data` in a dtype that is at least as wide as `width`."""
    return data.to(width) if data.dtype.itemsize < width.itemsize else data


def first_bad(bad: Tensor, args: tuple[Column, ...]) -> int | None:
    """The first row where `bad` is true and no argument is NULL (0 for constants); None if there is none."""
    for arg in args:
        if arg.valid is not None:
            bad = bad & arg.valid
    if waits.none(bad, "a value out of range is an error"):
        return None
    return 0 if bad.ndim == 0 else waits.number(bad.to(torch.uint8).argmax(), "the row for a message")


def refuse_zero(zero: Tensor, dividend: Column, divisor: Column) -> None:
    """ExecutionError where `zero` says that the divisor is 0, unless one of the two is NULL there."""
    if first_bad(zero, (dividend, divisor)) is not None:
        raise ExecutionError("division by zero", hint="write NULLIF(divisor, 0) to get NULL instead")


def value_at(column: Column, row: int) -> int:
    """One stored integer, for a message."""
    data = column.data if column.is_constant else column.data[row]
    if column.is_wide:
        return wide.to_python(data.reshape(1, 2))[0]
    return waits.number(data, "the value for a message")


def combine(op: str, a: Column, b: Column, out: DType) -> Column:
    """a `op` b on the stored integers, for `op` add, sub or mul; ExecutionError where `out` does not hold the result.

    DECIMAL operands of add and sub are of one scale. Cost: one pass where bounds prove that nothing overflows.
    """
    if a.is_wide or b.is_wide:
        a, b = narrowed(a), narrowed(b)
    own_a, own_b = a.bounds or limits(a), b.bounds or limits(b)
    bounds = _interval(op, own_a, own_b)
    allowed = integer_range(out) if out.is_exact else _INT64
    if narrowest(*bounds) is None and not (a.is_wide or b.is_wide):
        own_a, own_b = _real(a), _real(b)
        bounds = _interval(op, own_a, own_b)
    width = narrowest(*_hull(own_a, own_b, bounds))
    if width is None or a.is_wide or b.is_wide:
        return _combine_wide(op, a, b, out, bounds, allowed)
    result = _plain(op, a, b, width)
    bad = _beyond(result, bounds, allowed)
    if bad is not None:
        row = first_bad(bad, (a, b))
        if row is not None:
            raise overflow(op, a, b, out, row)
        bounds = clipped(bounds, allowed)
    return Column(result, out, None, None, bounds)


def _beyond(result: Tensor, bounds: Bounds, allowed: Bounds) -> Tensor | None:
    """Where a result that lies within `bounds` is not within `allowed`; None where the bounds prove that it is."""
    below = result < allowed[0] if bounds[0] < allowed[0] else None
    above = result > allowed[1] if bounds[1] > allowed[1] else None
    return below if above is None else above if below is None else below | above


def _real(column: Column) -> Bounds:
    known = number(column)
    return extremes(column) if known is None else (known, known)


def _hull(a: Bounds, b: Bounds, c: Bounds) -> Bounds:
    return min(a[0], b[0], c[0]), max(a[1], b[1], c[1])


def _interval(op: str, a: Bounds, b: Bounds) -> Bounds:
    if op == "add":
        return a[0] + b[0], a[1] + b[1]
    if op == "sub":
        return a[0] - b[1], a[1] - b[0]
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def _plain(op: str, a: Column, b: Column, width: torch.dtype) -> Tensor:
    """Tensor arithmetic in at least `width`; a Python scalar or 0-dim tensor takes the dtype of the other side."""
    x, y = operand(a), operand(b)
    if isinstance(x, int) and isinstance(y, int):
        x = a.data
    if isinstance(x, int):
        assert isinstance(y, Tensor)
        y = widened(y, width)
        return x - y if op == "sub" else _PLAIN[op](y, x)
    if isinstance(y, int) or y.ndim < x.ndim:
        x = widened(x, width)
    elif x.ndim < y.ndim:
        y = widened(y, width)
    elif torch.promote_types(x.dtype, y.dtype).itemsize < width.itemsize:
        x = x.to(width)
    return _PLAIN[op](x, y)


def _combine_wide(op: str, a: Column, b: Column, out: DType, bounds: Bounds, allowed: Bounds) -> Column:
    if op == "mul" and not a.is_wide and not b.is_wide:
        result = wide.mul_narrow(a.data, b.data)
        bad = torch.zeros((), dtype=torch.bool, device=result.device)
    else:
        result, bad = _WIDE[op](as_wide(a), as_wide(b))
    if bounds[0] < allowed[0] or bounds[1] > allowed[1]:
        low, high = wide.scalar(allowed[0], result.device), wide.scalar(min(allowed[1], 2**127 - 1), result.device)
        row = first_bad(bad | wide.lt(result, low) | wide.lt(high, result), (a, b))
        if row is not None:
            raise overflow(op, a, b, out, row)
        bounds = clipped(bounds, allowed)
    return wide_column(result, out, bounds)


def wide_column(limbs: Tensor, out: DType, bounds: Bounds) -> Column:
    """The column of (..., 2) limbs: narrow where the bounds fit 64 bits."""
    if narrowest(*bounds) is None:
        return Column(limbs, out, None, None, bounds, Encoding.WIDE)
    return Column(limbs[..., 1], out, None, None, bounds)


def negated(a: Column, out: DType) -> Column:
    """-a; ExecutionError where `out` does not hold it."""
    a = narrowed(a)
    low, high = limits(a)
    allowed = integer_range(out)
    bounds = clipped((-high, -low), allowed)
    if a.is_wide:
        result, bad = wide.neg_checked(a.data)
        if -high < allowed[0] or -low > allowed[1]:
            floor = wide.scalar(allowed[0], result.device)
            _refuse(bad | wide.lt(result, floor), a)
        return wide_column(result, out, bounds)
    if -low > allowed[1]:
        _refuse(a.data < -allowed[1], a)
    if -high < allowed[0]:
        _refuse(a.data > -allowed[0], a)
    if narrowest(low, -low) is None:
        return wide_column(wide.neg(as_wide(a)), out, bounds)
    width = narrowest(min(low, -high), max(high, -low))
    assert width is not None
    return Column(-widened(a.data, width), out, None, None, bounds)


def _refuse(bad: Tensor, a: Column) -> None:
    if first_bad(bad, (a,)) is not None:
        raise ExecutionError("Overflow in negation of numeric value!", hint="cast the operand to a wider type")


def overflow(op: str, a: Column, b: Column, out: DType, row: int) -> ExecutionError:
    """The error of a result that its type does not hold."""
    word, sign = _WORDS[op]
    left, right = value_at(a, row), value_at(b, row)
    if out.is_decimal:
        return ExecutionError(
            f"Overflow in {word} of DECIMAL({out.precision}) ({left} {sign} {right})!",
            hint="add an explicit cast to a bigger DECIMAL, to one of smaller scale, or to DOUBLE",
        )
    name = _INTERNAL.get(out.kind, out.kind.value)
    return ExecutionError(
        f"Overflow in {word} of {name} ({left} {sign} {right})!", hint="cast an operand to a wider type"
    )
