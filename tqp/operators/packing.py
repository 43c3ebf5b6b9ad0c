"""How rows lie in records: the fields of keys, and of what aggregates take (`tqp.operators.records`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from tqp.data.column import Column, Layout
from tqp.data.layout import Bounds, Encoding
from tqp.errors import InternalError
from tqp.functions.aggregates import aggregate_of
from tqp.functions.aggregates.accumulator import full_range
from tqp.functions.aggregates.registry import Totals
from tqp.ir.expr import AggregateCall
from tqp.ir.plan import Aggregate
from tqp.kernels.records import Field, put_, values
from tqp.operators.keys import GroupLayout
from tqp.operators.layouts import Layouts
from tqp.operators.states import Arguments

__all__ = [
    "Packing",
    "Taken",
    "Value",
    "check_key",
    "column_of",
    "key_tensors",
    "packing_of",
    "packing_of_keys",
    "put",
    "read",
]

_LEAST: Final = -(2**63)
_SUMMED: Final = 2**31
"""No greater values are summed as they lie in records: 2**31 of them stay within 64 bits."""


@dataclass(frozen=True, slots=True)
class Value:
    """What is in a record of one column: where its values are, and the bit that says whether there is one. `is_real`: a float.

    Of a key NULL is 0, or has a bit of its own; `largest` is the greatest magnitude of what is summed.
    """

    field: Field | None
    present: Field | None
    is_real: bool = False
    largest: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """What an aggregate takes of a record: a `total` that is counted or summed, or all its arguments."""

    total: Value | None
    args: tuple[tuple[Layout, Value], ...] = ()

    @property
    def values(self) -> tuple[Value, ...]:
        """What is put into records, an argument after the other."""
        return tuple([value for _, value in self.args]) if self.total is None else (self.total,)

    def check(self, columns: Sequence[Column]) -> None:
        """InternalError where arguments are other than was announced: they would not be what is read."""
        for column, value in zip(columns, self.values, strict=False):
            if column.valid is not None and value.present is None:
                raise InternalError("an aggregate's argument was announced without NULL")
        for column, (layout, _) in zip(columns, self.args, strict=False):
            if column.dictionary is not layout.dictionary or column.encoding is not layout.encoding:
                raise InternalError(f"an aggregate's argument was announced as {layout}, and is {column.layout}")


@dataclass(frozen=True, slots=True, eq=False)
class Packing:
    """Where all is: keys, and what the aggregates that take rows take, in records of `width` words; keys in those of `masks`.

    `widths` are the dtypes of what is put there.
    """

    keys: list[Value]
    taken: list[Taken]
    masks: list[int]
    width: int
    widths: frozenset[torch.dtype]

    @property
    def sums_reals(self) -> bool:
        """Whether floats are summed as they lie in records."""
        return any(one.total is not None and one.total.is_real for one in self.taken)


class _Room:
    """The words of a record, as far as they are given away, and the dtypes of what is put there."""

    def __init__(self) -> None:
        self.used: list[int] = []
        self.widths: set[torch.dtype] = {torch.bool}

    def field(self, bits: int, low: int) -> Field:
        """So many bits of the first word that has them left."""
        for word, used in enumerate(self.used):
            if used + bits <= 64:
                self.used[word] += bits
                return Field(word, used, bits, low)
        self.used.append(bits)
        return Field(len(self.used) - 1, 0, bits, low)

    def bit(self) -> Field:
        """One bit."""
        return self.field(1, 0)

    @property
    def masks(self) -> list[int]:
        """The bits of each word that are given away."""
        return [(1 << used) - 1 if used < 64 else -1 for used in self.used]


def packing_of(plan: Aggregate, arguments: Arguments, keys: GroupLayout, layouts: Layouts, most: int) -> Packing | None:
    """None where records of up to `most` words do not hold what the aggregation needs of a row."""
    room = _Room()
    own = [_key_value(layout, room) for layout in keys.layouts]
    masks = room.masks
    found = [_taken(plan.aggregates[place], layouts, room) for place in arguments.own]
    known = [key for key in own if key is not None]
    taken = [one for one in found if one is not None]
    if len(known) < len(own) or len(taken) < len(found) or len(room.used) > most:
        return None
    return Packing(known, taken, masks, len(room.used), frozenset(room.widths))


def packing_of_keys(keys: GroupLayout, most: int) -> Packing | None:
    """`packing_of` where nothing but the keys is needed."""
    room = _Room()
    own = [_key_value(layout, room) for layout in keys.layouts]
    known = [key for key in own if key is not None]
    if len(known) < len(own) or len(room.used) > most:
        return None
    return Packing(known, [], room.masks, len(room.used), frozenset(room.widths))


def _taken(call: AggregateCall, layouts: Layouts, room: _Room) -> Taken | None:
    if not call.args:
        return Taken(Value(None, None)) if call.filter is None else None
    layout = layouts.of_expr(call.args[0], settled=True)
    nullable = layout.is_nullable or call.filter is not None
    totals = aggregate_of(call).totals
    if totals is Totals.COUNTS:
        return Taken(Value(None, room.bit() if nullable else None))
    if totals is Totals.SUMS and _is_summed(layout):
        return Taken(_value(layout, nullable, room))
    args: list[tuple[Layout, Value]] = []
    for arg in call.args:
        layout = layouts.of_expr(arg, settled=True)
        value = _value(layout, layout.is_nullable or call.filter is not None, room)
        if value is None:
            return None
        args.append((layout, value))
    return Taken(None, tuple(args))


def _is_summed(layout: Layout) -> bool:
    if layout.encoding is Encoding.FLAT and layout.width.is_floating_point:
        return True
    bounds = _bounds(layout)
    return bounds is not None and max(map(abs, bounds)) <= _SUMMED


def _bounds(layout: Layout) -> Bounds | None:
    """What values there may be; None where they are no integers of one word."""
    if layout.encoding not in (Encoding.FLAT, Encoding.CODES) or layout.width.is_floating_point:
        return None
    if layout.encoding is Encoding.CODES and layout.dictionary is None:
        return None
    return (0, 1) if layout.width is torch.bool else layout.bounds or full_range(layout.width)


def _key_value(layout: Layout, room: _Room) -> Value | None:
    bounds = _bounds(layout)
    if bounds is None:
        return None
    room.widths.add(layout.width)
    low, high = bounds
    nullable = layout.is_nullable
    bits = max((high - low + nullable).bit_length(), 1)
    if bits > 63 or low - nullable < _LEAST:
        # NULL has a bit of its own, and the whole word is the value.
        return Value(room.field(64, 0), room.bit() if nullable else None)
    return Value(room.field(bits, low - nullable), None)


def _value(layout: Layout, nullable: bool, room: _Room) -> Value | None:
    if layout.encoding is Encoding.FLAT and layout.width.is_floating_point:
        room.widths.add(torch.int64)
        return Value(room.field(64, 0), room.bit() if nullable else None, is_real=True)
    bounds = _bounds(layout)
    if bounds is None:
        return None
    room.widths.add(layout.width)
    low, high = bounds
    present = room.bit() if nullable else None
    bits = max((high - low).bit_length(), 1)
    field = room.field(64, 0) if bits > 63 else room.field(bits, low)
    return Value(field, present, largest=max(map(abs, bounds)))


def check_key(key: Column, layout: Layout) -> None:
    """InternalError where a key is other than was announced: it would not fit its field."""
    own, announced = key.bounds, layout.bounds
    is_outside = own is not None and announced is not None and not (announced[0] <= own[0] and own[1] <= announced[1])
    if is_outside or key.dictionary is not layout.dictionary or layout.is_nullable < (key.valid is not None):
        raise InternalError(f"a grouping key was announced as {layout}, and is {key.layout}")


def put(records: Tensor, value: Value, column: Column) -> None:
    """Put a column (n,) into its fields of records (n, width)."""
    if value.field is not None:
        data = column.data
        if value.is_real:
            data = data.double().view(torch.int64)
        put_(records, value.field, data, column.valid)
    if value.present is not None:
        everywhere = torch.ones((), dtype=torch.bool, device=column.device)
        put_(records, value.present, everywhere.expand(len(column)) if column.valid is None else column.valid, None)


def read(records: Tensor, layout: Layout, value: Value) -> list[Tensor]:
    """The tensors of an argument, from records (n, width): values, and whether there are, if there may be none."""
    assert value.field is not None
    found = values(records, value.field)
    found = (found.view(torch.float64) if value.is_real else found).to(layout.width)
    return [found] if value.present is None else [found, values(records, value.present) > 0]


def key_tensors(words: Tensor, layout: Layout, value: Value) -> list[Tensor]:
    """The tensors of a key column of groups with these words (g, masks): values, and whether there are, if there may be none."""
    assert value.field is not None
    found = values(words, value.field)
    if value.present is not None:
        return [found.to(layout.width), values(words, value.present) > 0]
    if layout.is_nullable:
        least = value.field.low + 1
        return [found.clamp(min=least).to(layout.width), found >= least]
    return [found.to(layout.width)]


def column_of(tensors: Iterator[Tensor], layout: Layout, nullable: bool) -> Column:
    """The column of the next tensors."""
    data = next(tensors)
    valid = next(tensors) if nullable else None
    return Column(data, layout.dtype, valid, layout.dictionary, layout.bounds, layout.encoding)
