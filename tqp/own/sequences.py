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
from tqp.types import BIGINT, DType

__all__ = ["NEXT_ROW", "Order", "Sequence", "of_numbered_row"]

NEXT_ROW: Final = "row nextval"
"""The name of a call of nextval until rows are numbered. It is no identifier: SQL does not call it."""

_KEPT_RUNS: Final = 4096
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
    _next: int = 0
    _runs: OrderedDict[int, int] = field(default_factory=OrderedDict)
    """The first numbers of runs, by their keys."""
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
    return MadeName("nextval", name.function)
