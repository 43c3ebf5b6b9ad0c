"""Keys of joins and groups as integers.

A key column becomes one or more *digits* (integer tensors): text its code, the same for equal strings, floats an
order-preserving image, numbers of two limbs two digits, intervals one normalised span. `JoinCodec` learns from the build
side how digits make one integer code and applies the same to probe rows; `GroupLayout` does so for grouping keys,
NULL being a value of its own there.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from math import prod
from weakref import WeakKeyDictionary

import pyarrow.compute as pc
import torch
from torch import Tensor

from tqp.data.column import Column, Layout
from tqp.data.copies import placed
from tqp.data.dictionary import Dictionary
from tqp.data.layout import Bounds, Encoding
from tqp.errors import InternalError
from tqp.functions.align import concat
from tqp.functions.order import digits, order_digits, value_digits
from tqp.ir.expr import SortKey
from tqp.kernels import sort, waits, wide
from tqp.kernels.group import group_ids, group_ids_multi
from tqp.kernels.hashing import mixed
from tqp.kernels.rows import offsets, within
from tqp.limits import Limits
from tqp.types import BIGINT

__all__ = [
    "GroupLayout",
    "JoinCodec",
    "all_valid",
    "group_rows",
    "order_keys",
]

# What 64 bits hold, which no device changes.
_LARGEST = 2**62
_LEAST = -(2**63) + 1
_NARROW = 2**30
"""Codes of so many are packed in 32 bits where the digits are of no more."""
_SAMPLE = 2**12
"""Rows that tell whether a key has many values or few."""


def order_keys(column: Column, key: SortKey) -> list[Tensor]:
    """Integer tensors (n,) whose ascending lexicographic order is the key's, among these rows."""
    return order_digits(column, key.descending, key.nulls_first)


def all_valid(columns: Sequence[Column]) -> Tensor | None:
    """Rows in which no column is NULL; None where none has a NULL."""
    mask = None
    for column in columns:
        if column.valid is not None:
            mask = column.valid if mask is None else mask & column.valid
    return mask


@dataclass(frozen=True, slots=True, eq=False)
class _Digit:
    """One digit of the code: value - low."""

    low: int
    size: int

    def apply(self, digit: Tensor, narrow: bool) -> tuple[Tensor, Tensor]:
        """Codes (n,) and whether each lies in the range; int32 if they may be `narrow` and so is the digit, else int64."""
        codes = offsets(digit if narrow else digit.long(), self.low)
        return codes, within(codes, self.size)


def _tells_apart(digit: Tensor, size: int, most: int) -> bool:
    """Whether a value of a digit (n,) of a range of `size` has no more than about `most` rows, as far as a sample tells."""
    rows = digit.shape[0]
    if rows > most * size:
        return False
    if rows <= most * _SAMPLE:
        return True
    sample: Tensor = waits.unique(digit[:: rows // _SAMPLE], "how many values a key has")
    return 2 * sample.shape[0] > _SAMPLE


class JoinCodec:
    """How the key columns of a build side make one integer, and the probe side's the same.

    `low`, `high` bound the build side's codes. A single integer key is its own code. Several digits whose combined range is
    too wide for a table are looked up by the one *leading* digit that fits one and has few rows of each value; the others,
    `checks`, are compared after the lookup (no check without rows: nothing is found). Else all are packed or, where 64 bits do
    not hold that, hashed, and all are checks. `limits` say how large a table may be.
    """

    def __init__(self, columns: Sequence[Column], limits: Limits) -> None:
        self._dictionaries = [column.dictionary for column in columns]
        self._wide = [column.is_wide for column in columns]
        known = [_known(column) if column.dtype.has_children else None for column in columns]
        self._values = [None if one is None else one[0] for one in known]
        columns = [column if one is None else one[1] for column, one in zip(columns, known, strict=True)]
        # An index that stays with its table is probed by dictionaries that it must not keep alive.
        self._translations: list[WeakKeyDictionary[Dictionary, Tensor]] = [WeakKeyDictionary() for _ in columns]
        parts = [part for column in columns for part in digits(column.canonical())]
        self.is_plain = len(parts) == 1
        self._has_digit_each = len(parts) == len(columns)
        self._digits: list[_Digit] = []
        self._leading: int | None = None
        self._is_hashed = False
        self.checks: list[Tensor] = []
        if self.is_plain:
            digit, bounds = parts[0]
            self.low, self.high = bounds or _measure([digit])[0]
            self.codes = digit
            return
        measured = iter(_measure([digit for digit, bounds in parts if bounds is None]))
        ranges = [next(measured) if bounds is None else bounds for _, bounds in parts]
        sizes = [(low, high - low + 1) for low, high in ranges]
        combined = prod(size for _, size in sizes)
        rows = parts[0][0].shape[0]
        largest = limits.lookup_table(rows)
        fitting = [place for place, (_, size) in enumerate(sizes) if size <= largest]
        lead = max(fitting, key=lambda place: sizes[place][1], default=None)
        if combined > largest and lead is not None and _tells_apart(parts[lead][0], sizes[lead][1], limits.pairs_a_row):
            self._leading = lead
            self.low, self.high = sizes[lead][0], sum(sizes[lead]) - 1
            self.codes = parts[lead][0]
            if rows:
                self.checks = [digit for place, (digit, _) in enumerate(parts) if place != lead]
            return
        if combined >= _LARGEST:
            self._is_hashed = True
            self.low, self.high = torch.iinfo(torch.int64).min, torch.iinfo(torch.int64).max
            self.checks = [digit for digit, _ in parts] if rows else []
            self.codes = mixed([digit for digit, _ in parts])
            return
        # What packing the probe side's digits gives beyond the range may wrap: those rows are known to match nothing.
        self._narrow = combined <= _NARROW
        codes: Tensor | None = None
        total = 1
        for (digit, _), (low, size) in zip(parts, sizes, strict=True):
            step = _Digit(low, size)
            code, _ = step.apply(digit, self._narrow) if digit.shape[0] else (digit.long(), digit)
            codes = code if codes is None else codes * size + code
            total *= size
            self._digits.append(step)
        self.low, self.high = 0, total - 1
        assert codes is not None
        self.codes = codes

    @property
    def key(self) -> Hashable | None:
        """The same of two codecs that encode rows by the same few numbers; None where values of the build side tell codes."""
        if any(known is not None for known in (*self._dictionaries, *self._values)) or self._is_hashed:
            return None
        digits = tuple([(digit.low, digit.size) for digit in self._digits])
        return tuple(self._wide), self._leading, digits

    def values(self, place: int, codes: Tensor) -> Tensor | None:
        """The digits of key number `place` in codes (m,), or of all rows of the build side; None where neither tells them."""
        if self.is_plain:
            return codes
        if not self._has_digit_each:
            return None
        if self._leading is not None:
            if place == self._leading:
                return codes
            return self.checks[place - (place > self._leading)] if self.checks else None
        if self._is_hashed:
            return self.checks[place] if self.checks else None
        step = self._digits[place]
        return codes.long() // prod(one.size for one in self._digits[place + 1 :]) % step.size + step.low

    def encode(self, columns: Sequence[Column]) -> tuple[Tensor, Tensor | None, list[Tensor]]:
        """Probe codes (n,), None or a mask of the rows that can match at all, and the digits to compare with `checks`."""
        if self.is_plain:
            column = self._translate(0, columns[0])
            return digits(column)[0][0], column.valid, []
        translated = [self._translate(place, column) for place, column in enumerate(columns)]
        ok = all_valid(translated)
        parts = [part for column in translated for part in digits(column)]
        if self._is_hashed:
            every = [digit for digit, _ in parts]
            return mixed(every), ok, every if self.checks else []
        if self._leading is not None:
            rest = [digit for place, (digit, _) in enumerate(parts) if place != self._leading]
            return parts[self._leading][0], ok, rest if self.checks else []
        codes: Tensor | None = None
        for (digit, _), step in zip(parts, self._digits, strict=True):
            code, inside = step.apply(digit, self._narrow)
            ok = inside if ok is None else ok & inside
            codes = code if codes is None else codes * step.size + code
        assert codes is not None
        return codes, ok, []

    def encode_one(self, place: int, column: Column) -> tuple[Tensor, Tensor | None]:
        """Digits (n,) of key number `place` alone, which has one each, and None or a mask of the rows that can match at all."""
        column = self._translate(place, column)
        ((digit, _),) = digits(column)
        return digit, column.valid

    def _translate(self, place: int, column: Column) -> Column:
        """A column in the build side's layout; values unknown there become NULL.

        That is the codes of its dictionary, or as many limbs; of nested values the number that equal ones have there.
        """
        values = self._values[place]
        if values is not None:
            return _numbered(values, column)
        if column.is_wide != self._wide[place]:
            return _as_wide(column) if self._wide[place] else _as_narrow(column)
        target = self._dictionaries[place]
        own = column.dictionary
        if target is None or own is None or own is target:
            return column.canonical()
        lookup = self._translations[place].get(own)
        if lookup is None:
            # Of strings that come twice the first, whose code is canonical.
            codes = pc.index_in(own.values, target.values).fill_null(-1).to_numpy(zero_copy_only=False)
            lookup = placed(torch.from_numpy(codes.astype("int32")), column.device)
            self._translations[place][own] = lookup
        if lookup.shape[0] == 0:
            return replace(
                column, data=torch.zeros_like(column.data), valid=torch.zeros_like(column.data, dtype=torch.bool)
            )
        codes = lookup.index_select(0, column.data.int())
        found = codes >= 0
        valid = found if column.valid is None else found & column.valid
        return replace(column, data=codes.clamp(min=0), valid=valid, dictionary=target, bounds=target.bounds)


def _known(column: Column) -> tuple[Column, Column]:
    """The distinct values of a nested column (n,), and the column as the number of each row's value."""
    ids, firsts, count = group_ids_multi(value_digits(column))
    return column.take(firsts), Column(ids, BIGINT, column.valid, None, (0, max(count - 1, 0)))


def _numbered(values: Column, column: Column) -> Column:
    """A nested column as the numbers of its values among distinct `values` (g,); NULL where it is none of them."""
    count = len(values)
    ids, firsts, _ = group_ids_multi(value_digits(concat([values, column], [count, len(column)])))
    # The first row of a value that is known is its number.
    numbers = firsts.index_select(0, ids[count:])
    found = numbers < count
    valid = found if column.valid is None else found & column.valid
    return Column(numbers.clamp(max=max(count - 1, 0)), BIGINT, valid, None, (0, max(count - 1, 0)))


def _as_wide(column: Column) -> Column:
    return replace(column, data=wide.from_narrow(column.data), bounds=None, encoding=Encoding.WIDE)


def _as_narrow(column: Column) -> Column:
    fits = column.data[:, 0] == column.data[:, 1] >> 63
    valid = fits if column.valid is None else column.valid & fits
    return replace(column, data=column.data[:, 1], valid=valid, bounds=None, encoding=Encoding.FLAT)


def _measure(digits: Sequence[Tensor]) -> list[Bounds]:
    """The limits of digits (n,), all read at one wait; 0 and 0 where there are no rows."""
    if not digits or digits[0].shape[0] == 0:
        return [(0, 0)] * len(digits)
    return sort.ranges(digits)


@dataclass(frozen=True, slots=True, eq=False)
class _Slot:
    """One grouping digit in the packed code: its range and, if the column has NULLs, code 0 for NULL."""

    low: int
    size: int
    nullable: bool

    def codes(self, digit: Tensor, narrow: bool) -> Tensor:
        """The codes (n,) of a digit's values, of int32 if they may be `narrow` and so is the digit, of its own width, or int64."""
        first = self.low - self.nullable
        limits = torch.iinfo(digit.dtype)
        if not narrow and first and limits.min <= first <= limits.max and self.size <= limits.max:
            # Subtracted before they are widened: the width holds what comes of it, and wraps around nowhere.
            return digit - first
        return offsets(digit if narrow else digit.long(), first)

    def holds(self, bounds: Bounds) -> bool:
        return self.low <= bounds[0] and bounds[1] < self.low + self.size - self.nullable


class GroupLayout:
    """Packs grouping keys into one code in 0..size-1 and back; `size` is None where they do not fit.

    Made from the layouts of the key columns, which hold for all batches.
    """

    def __init__(self, layouts: Sequence[Layout]) -> None:
        self.layouts = [layout.canonical() for layout in layouts]
        slots: list[_Slot] = []
        fits = True
        for layout in self.layouts:
            bounds = (0, 1) if layout.width == torch.bool else layout.bounds
            nullable = layout.is_nullable
            # Next to the end of 64 bits there is no room for the step from a value to its code.
            if layout.encoding.dimensions or bounds is None or bounds[0] <= _LEAST:
                fits = False
                break
            slots.append(_Slot(bounds[0], bounds[1] - bounds[0] + 1 + nullable, nullable))
        self._slots = slots
        total = prod(slot.size for slot in slots) if fits else _LARGEST
        self.size = total if total < _LARGEST else None

    def encode(self, columns: Sequence[Column], narrow: bool = False) -> Tensor:
        """Codes (n,): int32 where several keys, with `narrow` also one, are made into that, else int64."""
        codes: Tensor | None = None
        narrow = self.size is not None and self.size <= _NARROW and (narrow or len(self._slots) > 1)
        canonical = [column.canonical() for column in columns]
        for column, layout, slot in zip(canonical, self.layouts, self._slots, strict=True):
            digit = digits(column)[0][0]
            is_outside = column.bounds is not None and not slot.holds(column.bounds)
            if is_outside or column.dictionary is not layout.dictionary or slot.nullable < (column.valid is not None):
                raise InternalError(f"a grouping key was announced as {layout}, and is {column.layout}")
            digit = slot.codes(digit, narrow)
            if column.valid is not None:
                digit = torch.where(column.valid, digit, torch.zeros((), dtype=digit.dtype, device=digit.device))
            digit = digit if narrow else digit.long()
            codes = digit if codes is None else codes * slot.size + digit
        assert codes is not None
        return codes

    def decode(self, codes: Tensor) -> list[Column]:
        """The key columns of the codes (g,) int64."""
        result: list[Column] = []
        for layout, slot in zip(reversed(self.layouts), reversed(self._slots), strict=True):
            digit = codes % slot.size
            codes = codes // slot.size
            valid = digit > 0 if slot.nullable else None
            values = digit + (slot.low - slot.nullable)
            if slot.nullable:
                values = values.clamp(min=slot.low)
            data = values.to(layout.width)
            result.append(Column(data, layout.dtype, valid, layout.dictionary, layout.bounds, layout.encoding))
        return result[::-1]


def group_rows(keys: Sequence[Column], layout: GroupLayout | None) -> tuple[Tensor, Tensor, int]:
    """Group ids (n,) of the rows, the first row of each group, the number of groups."""
    if layout is not None and layout.size is not None:
        return group_ids(layout.encode(keys))
    return group_ids_multi([part for column in keys for part in value_digits(column)])
