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
from typing import Final, Generic, TypeVar

import torch
from torch import Tensor

from tqp.data.column import Column, empty
from tqp.errors import InternalError
from tqp.functions.aggregates.counts import Count
from tqp.functions.aggregates.sums import Average, Sum
from tqp.interrupt import checkpoint
from tqp.ir.plan import Aggregate
from tqp.kernels.records import can_group, divide, number, sums
from tqp.kernels.reduce import count
from tqp.operators.choice import Choice
from tqp.operators.failing import Failing
from tqp.operators.keys import GroupLayout, group_rows
from tqp.operators.layouts import Layouts
from tqp.operators.meeting import ascends
from tqp.operators.operator import Operator, Run
from tqp.operators.packing import Packing, check_key, column_of, key_tensors, packing_of, packing_of_keys, put, read
from tqp.operators.states import Arguments, Groups, States

__all__ = ["Divided", "Dividing", "RecordGroups", "Records"]

Made = TypeVar("Made")

_INT64_MAX: Final = 2**63 - 1
_SHARE_BITS: Final = 4, 9
"""As few shares as this, or as many."""


@dataclass(frozen=True, slots=True, eq=False)
class Divided:
    """The records (n, width) of the batch of that number, share by share, and where each share begins, and the last one ends."""

    index: int
    records: Tensor
    starts: list[int]


class Records:
    """How rows with these keys lie in records, and how these are divided by the keys; for about so many `rows`."""

    def __init__(self, keys: GroupLayout, run: Run, packing: Packing, rows: float) -> None:
        self._keys = keys
        self._run = run
        self._packing = packing
        least, most = _SHARE_BITS
        self._bits = min(max(int(rows / run.limits.divided_rows).bit_length(), least), most)

    @property
    def width(self) -> int:
        """How many key columns there are."""
        return len(self._keys.layouts)

    @staticmethod
    def of_keys(keys: GroupLayout, run: Run, rows: float) -> Records | None:
        """For about so many rows of which nothing but the keys is needed; None of so few that they are one batch, and where records
        do not hold the keys."""
        packing = None if rows < run.limits.smallest_batch else packing_of_keys(keys, run.limits.record_words)
        return None if packing is None else Records(keys, run, packing, rows)

    def is_ready(self, rows: int) -> bool:
        """Whether the loops that do it for so many rows are compiled."""
        if self._run.device.type != "cpu":
            return False
        return can_group(rows, self._packing.widths, self._packing.sums_reals)

    def divided(self, index: int, keys: Sequence[Column], args: Sequence[tuple[Column, ...]], rows: int) -> Divided:
        """The rows of batch number `index`, with their keys and the arguments of the aggregates that take rows."""
        packing = self._packing
        records = torch.zeros((rows, packing.width), dtype=torch.int64, device=self._run.device)
        for key, layout, value in zip(keys, self._keys.layouts, packing.keys, strict=True):
            key = key.canonical()
            check_key(key, layout)
            put(records, value, key)
        for columns, taken in zip(args, packing.taken, strict=True):
            taken.check(columns)
            for column, value in zip(columns, taken.values, strict=False):
                put(records, value, column.expand(rows))
        found, sizes = divide(records, packing.masks, self._bits)
        return Divided(index, found, list(accumulate(sizes, initial=0)))

    def by_share(self, pieces: Sequence[Divided], work: Callable[[range, int], Made]) -> list[Made]:
        """What `work` gives for some of 2**bits shares each, which are told to it with `bits`; workers do that side by side.

        Where fewer rows came than the shares were made for, some that lie side by side are one.
        """
        run = self._run
        rows = sum(piece.starts[-1] for piece in pieces)
        bits = min((rows // run.limits.divided_rows).bit_length(), self._bits)
        shares = 1 << bits
        tasks = min(run.limits.shares_a_worker * run.threads, shares)
        cuts = [shares * task // tasks for task in range(tasks + 1)]
        return run.side_by_side([partial(work, range(first, last), bits) for first, last in pairwise(cuts)])

    def together(self, pieces: Sequence[Divided], share: int, bits: int) -> Tensor:
        """The records (n, width) of one of 2**bits shares, each of which is one or more of those of the pieces."""
        checkpoint()
        first, last = self._ends(share, bits)
        return torch.cat([one.records[one.starts[first] : one.starts[last]] for one in pieces])

    def rows(self, pieces: Sequence[Divided], share: int, bits: int) -> int:
        """How many records of these pieces are in one of 2**bits shares."""
        first, last = self._ends(share, bits)
        return sum(one.starts[last] - one.starts[first] for one in pieces)

    def _ends(self, share: int, bits: int) -> tuple[int, int]:
        """The first of the pieces' shares that belong to one of 2**bits shares, and the one after the last."""
        joined = self._bits - bits
        return share << joined, (share + 1) << joined

    def numbered(self, records: Tensor, bits: int) -> tuple[Tensor, Tensor]:
        """The number (n,) int32 of the key of each record of one of 2**bits shares, n > 0, and the words (g, …) of the keys."""
        return number(records, self._packing.masks, bits)

    def key_tensors(self, words: Tensor, most: int | None = None) -> list[Tensor]:
        """The tensors of the key columns, or the first `most` of them, of groups with these words (g, …): of each its values, and
        which there are."""
        found: list[Tensor] = []
        for layout, key in zip(self._keys.layouts[:most], self._packing.keys, strict=False):
            found += key_tensors(words, layout, key)
        return found

    def key_columns(self, tensors: Iterator[Tensor], most: int | None = None) -> list[Column]:
        """The key columns of `key_tensors`, which are the next ones."""
        return [column_of(tensors, layout, layout.is_nullable) for layout in self._keys.layouts[:most]]

    def distinct(self, pieces: Sequence[Divided], most: int | None = None) -> list[tuple[int, list[Column]]]:
        """The different keys of some shares each: how many, and their columns, or the first `most` of these."""
        return self.by_share(pieces, partial(self._distinct, sorted(pieces, key=lambda piece: piece.index), most))

    def _distinct(
        self, pieces: Sequence[Divided], most: int | None, shares: range, bits: int
    ) -> tuple[int, list[Column]]:
        groups = 0
        parts: list[list[Tensor]] = []
        for share in shares:
            records = self.together(pieces, share, bits)
            if records.shape[0]:
                words = self.numbered(records, bits)[1]
                groups += words.shape[0]
                parts.append(self.key_tensors(words, most))
        if not parts:
            return 0, [empty(layout, self._run.device) for layout in self._keys.layouts[:most]]
        return groups, self.key_columns(iter([torch.cat(column) for column in zip(*parts, strict=True)]), most)


OfRows = TypeVar("OfRows", bound=Records)


class RecordGroups(Records):
    """How the rows of an aggregation lie in records, and what becomes of these."""

    def __init__(
        self, plan: Aggregate, arguments: Arguments, keys: GroupLayout, run: Run, packing: Packing, rows: float
    ) -> None:
        super().__init__(keys, run, packing, rows)
        self._plan = plan
        self._arguments = arguments

    @staticmethod
    def of(
        plan: Aggregate, arguments: Arguments, keys: GroupLayout, layouts: Layouts, run: Run, rows: float
    ) -> RecordGroups | None:
        """For about so many rows; None of so few that they are one batch, and where records do not hold all that is needed."""
        if rows < run.limits.smallest_batch:
            return None
        packing = packing_of(plan, arguments, keys, layouts, run.limits.record_words)
        return None if packing is None else RecordGroups(plan, arguments, keys, run, packing, rows)

    def grouped(self, pieces: list[Divided], then: Callable[[Groups], Made]) -> list[Made]:
        """What `then` gives for the groups of some shares each; workers do that side by side."""
        pieces = sorted(pieces, key=lambda piece: piece.index)
        return self.by_share(pieces, partial(self._shares, pieces, then))

    def _shares(self, pieces: list[Divided], then: Callable[[Groups], Made], shares: range, bits: int) -> Made:
        """What `then` gives for the groups of some of 2**bits shares."""
        parts: list[list[Tensor]] = []
        rows = groups = 0
        for share in shares:
            records = self.together(pieces, share, bits)
            if records.shape[0]:
                rows += records.shape[0]
                parts.append(self._summed(records, bits, groups))
                groups += parts[-1][-1].shape[0]
        if not parts:
            keys = [empty(layout, self._run.device) for layout in self._keys.layouts]
            return then((keys, States(self._plan, 0, self._arguments)))
        *columns, seen = [torch.cat(column) for column in zip(*parts, strict=True)]
        left = iter(columns)
        keys = self.key_columns(left)
        states = States(self._plan, groups, self._arguments)
        self._fill(states, left, rows)
        states.seen, states.rows = seen, rows
        return then((keys, states))

    def _summed(self, records: Tensor, bits: int, before: int) -> list[Tensor]:
        """The tensors of the keys of the groups of one of 2**bits shares, numbered from `before` on, while they are in cache.

        Then of each total a count, if need be, and a sum; of other aggregates the groups and arguments of their rows; last how many
        rows the groups have.
        """
        ids, words = self.numbered(records, bits)
        groups = words.shape[0]
        found = self.key_tensors(words)
        for taken in self._packing.taken:
            total = taken.total
            if total is None:
                found.append(ids.long().add_(before))
                for layout, value in taken.args:
                    found += read(records, layout, value)
                continue
            if total.present is not None:
                found.append(sums(records, ids, groups, total.present, None, False))
            if total.field is not None:
                found.append(sums(records, ids, groups, total.field, total.present, total.is_real))
        return [*found, count(ids, groups)]

    def _fill(self, states: States, rest: Iterator[Tensor], rows: int) -> None:
        """Let fresh states be those of so many rows, from what is left of what `_summed` gives."""
        own = self._arguments.own
        for place, accumulator, taken in zip(own, states.states, self._packing.taken, strict=True):
            total = taken.total
            if total is None:
                ids = next(rest)
                args = tuple([column_of(rest, layout, value.present is not None) for layout, value in taken.args])
                with Failing(self._plan.aggregates[place]):
                    accumulator.update(args, ids, rows, states.seen)
                continue
            counted = None if total.present is None else next(rest)
            if total.largest * rows > _INT64_MAX:
                raise InternalError(f"{rows} rows of some shares are more than 64 bits sum")
            if isinstance(accumulator, Average):
                accumulator.put(self._plan.aggregates[place].args[0].dtype, next(rest), counted, total.largest * rows)
            elif isinstance(accumulator, Sum):
                accumulator.put(next(rest), counted, total.largest * rows)
            elif isinstance(accumulator, Count):
                accumulator.put(None, counted, 0)


class Dividing(Generic[OfRows]):
    """Whether rows with these keys are divided by them, as `records` would: decided once, by some rows of the first batch.

    `owner` notes what is done for `subject`, and why.
    """

    def __init__(self, subject: str, run: Run, owner: Operator, layout: GroupLayout, records: OfRows | None) -> None:
        self._subject = subject
        self._run = run
        self._owner = owner
        self._layout = layout
        self.records = None if run.limits.divided_above is None else records
        self._deciding = threading.Lock()
        self._is_decided = self.records is None

    def by(self, keys: Sequence[Column], rows: int) -> OfRows | None:
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
        elif limits.meeting_share and ascends([key.slice(0, least) for key in keys]):
            # Groups of batches are likely to be done but where these meet.
            self.records = None
        else:
            found = group_rows([key.slice(0, least) for key in keys], self._layout)[2]
            chosen, other = ("rows divided by key", "batches grouped")[:: 1 if found > above * least else -1]
            choice = Choice(self._subject, chosen, (other,), f"{found:,} of {least:,} rows differ")
            self._run.note(self._owner, *self._run.notes(self._owner), choice)
            if found <= above * least:
                self.records = None
        self._is_decided = True
