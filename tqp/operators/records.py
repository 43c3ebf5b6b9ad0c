"""Groups of many different keys: rows become records, which are divided by their keys and grouped share by share.

A record holds the keys of a row and what its aggregates add up, bit by bit, so that most rows are a word or two. It is written
once, to the share of its key; a share's groups stay in a core's cache while they are summed. Within a group rows stay in the order
of the source, so that sums of floats do not depend on who divides.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from typing import Final, TypeVar

import torch
from torch import Tensor

from tqp.data.column import Column, Layout, empty
from tqp.data.layout import Bounds, Encoding
from tqp.errors import InternalError
from tqp.functions.aggregates import aggregate_of
from tqp.functions.aggregates.accumulator import full_range
from tqp.functions.aggregates.counts import Count
from tqp.functions.aggregates.registry import Totals
from tqp.functions.aggregates.sums import Average, Sum
from tqp.interrupt import checkpoint
from tqp.ir.plan import Aggregate
from tqp.kernels.records import Field, can_group, divide, number, put_, sums, values
from tqp.kernels.reduce import count
from tqp.operators.choice import Choice
from tqp.operators.keys import GroupLayout, group_rows
from tqp.operators.layouts import Layouts
from tqp.operators.operator import Operator, Run
from tqp.operators.states import Arguments, Groups, States

__all__ = ["Divided", "Dividing", "RecordGroups"]

Made = TypeVar("Made")

_INT64_MAX: Final = 2**63 - 1
_MOST_WORDS: Final = 8
"""Longer records are moved for longer than batches are grouped."""
_SUMMED: Final = 2**31
"""No greater values are summed: 2**31 of them stay within 64 bits."""
_RECORDS: Final = 2**15
"""About so many records have a share."""
_SHARE_BITS: Final = 4, 9
"""As few shares as this, or as many."""


@dataclass(frozen=True, slots=True, eq=False)
class Divided:
    """The records (n, width) of the batch of that number, share by share, and where each share begins, and the last one ends."""

    index: int
    records: Tensor
    starts: list[int]


@dataclass(frozen=True, slots=True)
class _Value:
    """What is in a record of one column: where its values are, and the bit that says whether there is one. `is_real`: a float.

    Of a key NULL is 0, or has a bit of its own; `largest` is the greatest magnitude of what is summed.
    """

    field: Field | None
    present: Field | None
    is_real: bool = False
    largest: int = 0


class _Room:
    """The words of a record, as far as they are given away."""

    def __init__(self) -> None:
        self.used: list[int] = []

    def field(self, bits: int, low: int) -> Field:
        """So many bits of the first word that has them left."""
        for word, used in enumerate(self.used):
            if used + bits <= 64:
                self.used[word] += bits
                return Field(word, used, bits, low)
        self.used.append(bits)
        return Field(len(self.used) - 1, 0, bits, low)


class RecordGroups:
    """How the rows of an aggregation lie in records, and what becomes of these."""

    def __init__(
        self, plan: Aggregate, arguments: Arguments, keys: GroupLayout, run: Run, fields: _Fields, rows: float
    ) -> None:
        self._plan = plan
        self._arguments = arguments
        self._keys = keys
        self._run = run
        self._fields = fields
        least, most = _SHARE_BITS
        self._bits = min(max(int(rows / _RECORDS).bit_length(), least), most)

    @staticmethod
    def of(
        plan: Aggregate, arguments: Arguments, keys: GroupLayout, layouts: Layouts, run: Run, rows: float
    ) -> RecordGroups | None:
        """For about so many rows; None where records do not hold what the aggregation needs of a row."""
        fields = _fields(plan, arguments, keys, layouts)
        return None if fields is None else RecordGroups(plan, arguments, keys, run, fields, rows)

    def is_ready(self, rows: int) -> bool:
        """Whether the loops that do it for so many rows are compiled."""
        if self._run.device.type != "cpu":
            return False
        widths = {layout.width for layout in self._keys.layouts} | self._fields.widths | {torch.bool}
        return can_group(rows, widths, any(value.is_real for value in self._fields.values))

    def divided(self, index: int, keys: Sequence[Column], args: Sequence[tuple[Column, ...]], rows: int) -> Divided:
        """The rows of batch number `index`, with their keys and the arguments of the aggregates that take rows."""
        fields = self._fields
        records = torch.zeros((rows, fields.width), dtype=torch.int64, device=self._run.device)
        for key, layout, value in zip(keys, self._keys.layouts, fields.keys, strict=True):
            key = key.canonical()
            _check(key, layout)
            _put(records, value, key)
        for columns, value in zip(args, fields.values, strict=True):
            if columns:
                if columns[0].valid is not None and value.present is None:
                    raise InternalError("an aggregate's argument was announced without NULL")
                _put(records, value, columns[0].expand(rows))
        found, sizes = divide(records, fields.masks, self._bits)
        return Divided(index, found, list(accumulate(sizes, initial=0)))

    def grouped(self, pieces: list[Divided], then: Callable[[Groups], Made]) -> list[Made]:
        """What `then` gives for the groups of some shares each; workers do that side by side."""
        run, shares = self._run, 1 << self._bits
        pieces = sorted(pieces, key=lambda piece: piece.index)
        tasks = min(run.limits.shares_a_worker * run.threads, shares)
        cuts = [shares * task // tasks for task in range(tasks + 1)]
        return run.side_by_side([
            partial(self._share, pieces, first, last, then) for first, last in pairwise(cuts)
        ])  # fmt: skip

    def _share(self, pieces: list[Divided], first: int, last: int, then: Callable[[Groups], Made]) -> Made:
        parts: list[list[Tensor]] = []
        rows = 0
        for share in range(first, last):
            checkpoint()
            records = torch.cat([one.records[one.starts[share] : one.starts[share + 1]] for one in pieces])
            if records.shape[0]:
                rows += records.shape[0]
                parts.append(self._summed(records))
        if not parts:
            keys = [empty(layout, self._run.device) for layout in self._keys.layouts]
            return then((keys, States(self._plan, 0, self._arguments)))
        left = iter([torch.cat(column) for column in zip(*parts, strict=True)])
        keys = [_column(left, layout) for layout in self._keys.layouts]
        seen = next(left)
        states = States(self._plan, seen.shape[0], self._arguments)
        states.seen, states.rows = seen, rows
        self._fill(states, left, rows)
        return then((keys, states))

    def _summed(self, records: Tensor) -> list[Tensor]:
        """Of the groups of a share: the tensors of their keys, while these are in the core's cache; how many records each has; of
        each value a count, if need be, and a sum."""
        ids, words = number(records, self._fields.masks, self._bits)
        groups = words.shape[0]
        found = [
            part for layout, key in zip(self._keys.layouts, self._fields.keys, strict=True) for part in _key(words, layout, key)
        ]  # fmt: skip
        found.append(count(ids, groups))
        for value in self._fields.values:
            if value.present is not None:
                found.append(sums(records, ids, groups, value.present, None, False))
            if value.field is not None:
                found.append(sums(records, ids, groups, value.field, value.present, value.is_real))
        return found

    def _fill(self, states: States, rest: Iterator[Tensor], rows: int) -> None:
        """Let fresh states be those counts and sums, of so many rows."""
        own = self._arguments.own
        for place, accumulator, value in zip(own, states.states, self._fields.values, strict=True):
            counted = None if value.present is None else next(rest)
            if value.largest * rows > _INT64_MAX:
                raise InternalError(f"{rows} rows of one share are more than 64 bits sum")
            if isinstance(accumulator, Average):
                accumulator.put(self._plan.aggregates[place].args[0].dtype, next(rest), counted, value.largest * rows)
            elif isinstance(accumulator, Sum):
                accumulator.put(next(rest), counted, value.largest * rows)
            elif isinstance(accumulator, Count):
                accumulator.put(None, counted, 0)


class Dividing:
    """Whether rows with these keys are divided by them, as `records` would: decided once, by some rows of the first batch.

    `owner` notes what is done for `subject`, and why.
    """

    def __init__(
        self, subject: str, run: Run, owner: Operator, layout: GroupLayout, records: RecordGroups | None
    ) -> None:
        self._subject = subject
        self._run = run
        self._owner = owner
        self._layout = layout
        self.records = None if run.limits.divided_above is None else records
        self._deciding = threading.Lock()
        self._is_decided = self.records is None

    def by(self, keys: Sequence[Column], rows: int) -> RecordGroups | None:
        """What divides the rows of a batch with these keys (rows,); None: they are not."""
        if not self._is_decided:
            with self._deciding:
                if not self._is_decided:
                    self._decide(keys, rows)
        return self.records

    def _decide(self, keys: Sequence[Column], rows: int) -> None:
        limits = self._run.limits
        least, above = limits.merged_at_once, limits.divided_above
        if rows < least or above is None or self.records is None or not self.records.is_ready(rows):
            self.records = None
        else:
            found = group_rows([key.slice(0, least) for key in keys], self._layout)[2]
            chosen, other = ("rows divided by key", "batches grouped")[:: 1 if found > above * least else -1]
            choice = Choice(self._subject, chosen, (other,), f"{found:,} of {least:,} rows differ")
            self._run.note(self._owner, *self._run.notes(self._owner), choice)
            if found <= above * least:
                self.records = None
        self._is_decided = True


@dataclass(frozen=True, slots=True, eq=False)
class _Fields:
    """Where all is: `keys` and `values` (of the aggregates that take rows) in records of `width` words, keys in those of `masks`.

    `widths` are the dtypes of what is summed.
    """

    keys: list[_Value]
    values: list[_Value]
    masks: list[int]
    width: int
    widths: frozenset[torch.dtype]


def _fields(plan: Aggregate, arguments: Arguments, keys: GroupLayout, layouts: Layouts) -> _Fields | None:
    room = _Room()
    own: list[_Value] = []
    for layout in keys.layouts:
        key = _key_value(layout, room)
        if key is None:
            return None
        own.append(key)
    masks = [(1 << used) - 1 if used < 64 else -1 for used in room.used]
    found: list[_Value] = []
    widths: set[torch.dtype] = set()
    for place in arguments.own:
        call = plan.aggregates[place]
        value = _Value(None, None)
        totals = aggregate_of(call).totals
        if totals is None or (call.filter is not None and not call.args):
            return None
        if call.args:
            layout = layouts.of_expr(call.args[0], settled=True)
            nullable = layout.is_nullable or call.filter is not None
            summed = _summed_value(layout, nullable, room) if totals is Totals.SUMS else None
            if totals is Totals.SUMS and summed is None:
                return None
            value = summed or _Value(None, room.field(1, 0) if nullable else None)
            if summed is not None:
                widths.add(torch.int64 if summed.is_real else layout.width)
        found.append(value)
    if len(room.used) > _MOST_WORDS:
        return None
    return _Fields(own, found, masks, len(room.used), frozenset(widths))


def _bounds(layout: Layout) -> Bounds | None:
    """What values there may be; None where they are no integers of one word."""
    if layout.encoding not in (Encoding.FLAT, Encoding.CODES) or layout.width.is_floating_point:
        return None
    return (0, 1) if layout.width is torch.bool else layout.bounds or full_range(layout.width)


def _key_value(layout: Layout, room: _Room) -> _Value | None:
    bounds = _bounds(layout)
    if bounds is None:
        return None
    low, high = bounds
    nullable = layout.is_nullable
    bits = max((high - low + nullable).bit_length(), 1)
    if bits > 63:
        # NULL has a bit of its own, and the whole word is the value.
        return _Value(room.field(64, 0), room.field(1, 0) if nullable else None)
    return _Value(room.field(bits, low - nullable), None)


def _summed_value(layout: Layout, nullable: bool, room: _Room) -> _Value | None:
    present = room.field(1, 0) if nullable else None
    if layout.encoding is Encoding.FLAT and layout.width.is_floating_point:
        return _Value(room.field(64, 0), present, is_real=True)
    bounds = _bounds(layout)
    if bounds is None or max(map(abs, bounds)) > _SUMMED:
        return None
    low, high = bounds
    return _Value(room.field(max((high - low).bit_length(), 1), low), present, largest=max(map(abs, bounds)))


def _check(key: Column, layout: Layout) -> None:
    """InternalError where a key is other than was announced: it would not fit its field."""
    own, announced = key.bounds, layout.bounds
    is_outside = own is not None and announced is not None and not (announced[0] <= own[0] and own[1] <= announced[1])
    if is_outside or key.dictionary is not layout.dictionary or layout.is_nullable < (key.valid is not None):
        raise InternalError(f"a grouping key was announced as {layout}, and is {key.layout}")


def _put(records: Tensor, value: _Value, column: Column) -> None:
    if value.field is not None:
        data = column.data
        if value.is_real:
            data = data.double().view(torch.int64)
        put_(records, value.field, data, column.valid)
    if value.present is not None:
        everywhere = torch.ones((), dtype=torch.bool, device=column.device)
        put_(records, value.present, everywhere.expand(len(column)) if column.valid is None else column.valid, None)


def _key(words: Tensor, layout: Layout, value: _Value) -> list[Tensor]:
    """The tensors of a key column of groups with these words (g, masks): values, and whether there are, if there may be none."""
    assert value.field is not None
    found = values(words, value.field)
    if value.present is not None:
        return [found.to(layout.width), values(words, value.present) > 0]
    if layout.is_nullable:
        least = value.field.low + 1
        return [found.clamp(min=least).to(layout.width), found >= least]
    return [found.to(layout.width)]


def _column(tensors: Iterator[Tensor], layout: Layout) -> Column:
    """The column of a key."""
    data = next(tensors)
    valid = next(tensors) if layout.is_nullable else None
    return Column(data, layout.dtype, valid, layout.dictionary, layout.bounds, layout.encoding)
