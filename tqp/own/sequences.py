"""Sequences: numbers that are given out once, in rising or falling order, and the functions nextval and currval of one."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

import torch

from tqp.data.column import Column
from tqp.errors import ExecutionError
from tqp.functions import exact
from tqp.functions.measured import by_values
from tqp.functions.registry import Args, Function
from tqp.ir.own import MadeName, OwnName
from tqp.kernels import waits
from tqp.kernels.operation import refuse_tracing
from tqp.locks import Lock
from tqp.oids import new_oid
from tqp.types import BIGINT, BOOLEAN, DType

__all__ = ["NEXT_ROW", "Order", "Sequence", "of_numbered_row"]

NEXT_ROW: Final = "row nextval"
"""The name of a call of nextval, and of others that are told of each row, until rows are numbered. It is no identifier: SQL does
not call it."""

_KEPT_RUNS: Final = 4096
_SET = "what a sequence is set to"
_HOW_MANY = "a sequence is asked for how many rows"


@dataclass(frozen=True, slots=True)
class Order:
    """Which a sequence gives: from `start` in steps of `increment`, within `least` and `most`, and again where it `cycles`."""

    start: int = 1
    increment: int = 1
    least: int = 1
    most: int = 2**63 - 1
    cycles: bool = False

    @property
    def again(self) -> int:
        """Where a cycle begins anew."""
        return self.least if self.increment > 0 else self.most

    def left(self, first: int) -> int:
        """How many numbers there are from that one to the end."""
        return max(0, ((self.most if self.increment > 0 else self.least) - first) // self.increment + 1)


@dataclass(slots=True, eq=False)
class Sequence:
    """A sequence: `last` is what was given out last, None before the first. Safe to use from several threads.

    A query draws as many numbers as its step has rows, at once, when that runs first; a run that is done again has the same.
    """

    name: str
    order: Order
    last: int | None = None
    oid: int = field(default_factory=new_oid)
    _next: int = 0
    _runs: OrderedDict[int, int] = field(default_factory=OrderedDict)
    """The first numbers of runs, by their keys."""
    _set_by: OrderedDict[int, int] = field(default_factory=OrderedDict)
    """The rows that set it, by the keys of their runs."""
    _lock: Lock = field(default_factory=Lock)
    _function: Function = field(init=False)

    def __post_init__(self) -> None:
        self._next = self.order.start
        self._function = Function("nextval", lambda args: ((BIGINT,) * 3, BIGINT), self._next_values, each_row=True)

    @property
    def state(self) -> tuple[int | None, int]:
        """What was given out last, and what comes next, at one time."""
        with self._lock:
            return self.last, self._next

    def drawn(self, key: int, count: int) -> int:
        """The first of so many numbers, which are given out for the run of that key; ExecutionError where there are fewer."""
        order = self.order
        with self._lock:
            if key in self._runs:
                return self._runs[key]
            first, left = self._next, order.left(self._next)
            given = count if order.cycles else min(count, left)
            if given:
                self.last = self._at(first, left, given - 1)
                self._next = self._at(first, left, given) if order.cycles else first + given * order.increment
            if given < count:
                end, most = ("maximum", order.most) if order.increment > 0 else ("minimum", order.least)
                raise ExecutionError(f"nextval: reached {end} value of sequence {self.name} ({most})")
            self._runs[key] = first
            if len(self._runs) > _KEPT_RUNS:
                self._runs.popitem(last=False)
            return first

    def _at(self, first: int, left: int, place: int) -> int:
        """The number at that place of those that begin with `first`, of which `left` come before a cycle."""
        order = self.order
        if place < left:
            return first + place * order.increment
        return order.again + (place - left) % order.left(order.again) * order.increment

    def next_row(self) -> OwnName:
        """What a call of nextval is bound to until its row has a number: of the key of the run."""
        return MadeName(NEXT_ROW, self._function)

    def setting(self) -> OwnName:
        """What a call of setval is bound to until its row has a number: of a value, whether it is given out, a key of the run."""
        types = (BIGINT, BIGINT, BIGINT, BOOLEAN, BIGINT)
        return MadeName(NEXT_ROW, Function("setval", lambda args: (types, BIGINT), self._set_values, each_row=True))

    def _set_values(self, args: Args, out: DType) -> Column:
        """The values of the rows of these numbers, the last of which is what the sequence gives next, or before that."""
        numbers, _, said, given_out, key = (exact.narrowed(arg) if arg.dtype == BIGINT else arg for arg in args)
        refuse_tracing("what a sequence is set to is not part of a compiled function")
        rows = numbers.data.shape
        value = said.data.long().expand(rows)
        columns = [value, given_out.data.expand(rows)]
        columns += [one.valid.expand(rows) for one in (said, given_out) if one.valid is not None]
        rest = zip(*(waits.values(one.reshape(-1), _SET) for one in columns), strict=True)
        set_by = [(row, number, given) for row, (number, given, *known) in enumerate(rest) if all(known)]
        order = self.order
        for _, number, _ in set_by:
            if not order.least <= number <= order.most:
                raise ExecutionError(
                    f'setval: value {number} is out of bounds for sequence "{self.name}" ({order.least}..{order.most})'
                )
        if set_by:
            row, number, given = set_by[-1]
            place, run = waits.several([numbers.data.reshape(-1)[row], key.data.long().reshape(-1)[0]], _SET)
            self._set(run, place, number, given)
        return Column(value, out)

    def _set(self, run: int, place: int, number: int, is_given: bool) -> None:
        """Go on from `number`, as the row of that place asks, unless a later one of its run did, or it did itself before."""
        order = self.order
        with self._lock:
            if self._set_by.get(run, 0) >= place:
                return
            self._set_by[run] = place
            if len(self._set_by) > _KEPT_RUNS:
                self._set_by.popitem(last=False)
            self._next = number
            if is_given:
                self.last = number
                self._next = self._at(number, order.left(number), 1) if order.cycles else number + order.increment

    def current_value(self, device: torch.device) -> OwnName:
        """The function of no arguments that gives `last`."""

        def kernel(args: Args, out: DType) -> Column:
            if self.last is None:
                raise ExecutionError(
                    f"currval: sequence {self.name} is not yet defined in this session", hint="nextval defines it"
                )
            return Column(torch.tensor(self.last, dtype=torch.int64, device=device), out)

        return MadeName("currval", Function("currval", lambda args: ((), BIGINT), kernel, each_row=True))

    def _next_values(self, args: Args, out: DType) -> Column:
        """The number of each row (n,), from those of the rows, from 1, how many there are, and the key of the run."""
        numbers, total, key = (exact.narrowed(arg).data.long() for arg in args)
        refuse_tracing("what a sequence gives is not part of a compiled function")
        if not numbers.numel():
            by_values()
            return Column(numbers, out)
        count, run = waits.several([total.reshape(-1)[0], key.reshape(-1)[0]], _HOW_MANY)
        order, first = self.order, self.drawn(run, count)
        places, left = numbers - 1, order.left(first)
        if count <= left:
            return Column(first + places * order.increment, out)
        later = order.again + (places - left) % order.left(order.again) * order.increment
        # What lies beyond the end is left out, however it wraps.
        return Column(torch.where(places < left, first + places * order.increment, later), out)


def of_numbered_row(name: str) -> OwnName:
    """The function of a row's number, how many rows there are, and the key of the run, that a call before was bound to."""
    assert isinstance(name, OwnName)
    return MadeName(name.function.name, name.function)
