"""Comparisons by which a join without equal keys finds ranges of its build side's rows, sorted by what is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from torch import Tensor

from tqp.data.column import Column
from tqp.functions.order import digits
from tqp.ir import words
from tqp.ir.conditions import conjuncts
from tqp.ir.expr import Call, Expr
from tqp.ir.visit import symbols
from tqp.kernels import bands, wide
from tqp.kernels.rows import select
from tqp.operators.keys import all_valid
from tqp.types import DType, Kind

__all__ = ["Band", "bands_of", "ranges", "sort_by_bands"]

_MIRRORED: Final = {words.LT: words.GT, words.LTE: words.GTE, words.GT: words.LT, words.GTE: words.LTE}
_DIGITS: Final = 18
"""Decimals of more may take two limbs."""


@dataclass(frozen=True, slots=True)
class Band:
    """`theirs` (of the build side) compared with `ours`: `comparison` is one of <, <=, > and >= by its word."""

    theirs: Expr
    comparison: str
    ours: Expr

    @property
    def is_least(self) -> bool:
        """Whether rows match from their value downwards."""
        return self.comparison in (words.GT, words.GTE)

    @property
    def is_closed(self) -> bool:
        """Whether a row matches its own value."""
        return self.comparison in (words.LTE, words.GTE)


def bands_of(
    residual: Expr | None, left: frozenset[str], right: frozenset[str]
) -> tuple[tuple[Band, ...], tuple[Expr, ...]]:
    """The bands among the conditions of a join of sides with these symbols, and the other conditions.

    A value that is compared from below and from above comes first: rows are sorted by it.
    """
    found: list[Band] = []
    others: list[Expr] = []
    for part in () if residual is None else conjuncts(residual):
        band = _band(part, left, right)
        if band is None:
            others.append(part)
        else:
            found.append(band)
    sides = [(band.theirs, band.is_least) for band in found]
    found.sort(key=lambda band: (band.theirs, not band.is_least) not in sides)
    return tuple(found), tuple(others)


def _band(part: Expr, left: frozenset[str], right: frozenset[str]) -> Band | None:
    if not isinstance(part, Call) or part.function not in _MIRRORED:
        return None
    one, other = part.args
    if one.dtype != other.dtype or not _has_order(one.dtype):
        return None
    reads = symbols(one), symbols(other)
    if not all(reads):
        return None
    if reads[0] <= right and reads[1] <= left:
        return Band(one, part.function, other)
    return Band(other, _MIRRORED[part.function], one) if reads[0] <= left and reads[1] <= right else None


def _has_order(dtype: DType) -> bool:
    """Whether values are one integer, or have an image that is one, in their order."""
    if dtype.kind is Kind.DECIMAL:
        return dtype.precision <= _DIGITS
    return (dtype.is_ordinal and dtype.kind not in (Kind.HUGEINT, Kind.UHUGEINT, Kind.UUID)) or dtype.is_float


def sort_by_bands(own: Sequence[Band], values: Sequence[Column]) -> bands.SortedBands:
    """Build rows sorted by the `values` (m,) of the bands; rows with a NULL, which match nothing, are left out."""
    valid, rows = all_valid(values), None
    if valid is not None:
        rows = select(valid)
        values = [column.take(rows) for column in values]
    return bands.sorted_bands([_number(column) for column in values], [band.is_least for band in own], rows)


def ranges(own: Sequence[Band], there: bands.SortedBands, values: Sequence[Column]) -> tuple[Tensor, Tensor]:
    """(starts (n,), counts (n,)) of the places of `there` whose rows may match the `values` (n,) of the probe side."""
    comparisons = [(band.is_least, band.is_closed) for band in own]
    return bands.ranges(there, [_number(column) for column in values], comparisons, all_valid(values))


def _number(column: Column) -> Tensor:
    """(n,) int64 in the order of the values."""
    if column.dtype.kind is Kind.UBIGINT:  # of one limb or of two, by the column
        return wide.unsigned_order(column.data[:, 1] if column.is_wide else column.data.long())
    ((digit, _),) = digits(column)
    return digit
