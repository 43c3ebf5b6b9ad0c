"""The random numbers of a connection after setseed: from DuckDB's generator, which gives each call of a query a seed of its own."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

import torch

from tqp.data.column import Column
from tqp.errors import ExecutionError
from tqp.functions import exact
from tqp.functions.registry import Args, Function
from tqp.ir.own import MadeName, OwnName
from tqp.kernels import waits
from tqp.kernels.operation import refuse_tracing
from tqp.kernels.pcg import Pcg
from tqp.locks import Lock
from tqp.own.sequences import NEXT_ROW
from tqp.types import BIGINT, DOUBLE, NULL, DType

__all__ = ["Randoms"]

_KEPT_RUNS: Final = 4096
_LARGEST: Final = 2**31 - 1
_WHY: Final = "the seed that setseed says"


class Randoms:
    """Seeds for the calls of random() and uuid(), once somebody has said the first one. Safe to use from several threads.

    A run that is done again has the same.
    """

    def __init__(self) -> None:
        self._generator: Pcg | None = None
        self._runs: OrderedDict[int, list[int]] = OrderedDict()
        self._begun: OrderedDict[int, int] = OrderedDict()
        """How many rows of a run of setseed came, by its key: the last one decides."""
        self._lock = Lock()
        types = (BIGINT, BIGINT, DOUBLE, BIGINT)
        self._function = Function("setseed", lambda args: (types, NULL), self._set, strict=False, each_row=True)

    @property
    def is_seeded(self) -> bool:
        """Whether there was a setseed."""
        return self._generator is not None

    def seed(self, key: int, place: int) -> int:
        """The seed, a signed number of 64 bits, of the call of that place in the query of that key."""
        with self._lock:
            assert self._generator is not None
            seeds = self._runs.setdefault(key, [])
            while len(seeds) <= place:
                bits = self._generator.next()
                seeds.append(bits - 2**64 if bits >= 2**63 else bits)
            if len(self._runs) > _KEPT_RUNS:
                self._runs.popitem(last=False)
            return seeds[place]

    def setseed(self) -> OwnName:
        """What a call of setseed is bound to until its row has a number: of the seed and the key of the run."""
        return MadeName(NEXT_ROW, self._function)

    def _set(self, args: Args, out: DType) -> Column:
        """NULLs for the rows of these numbers, which begin the generator anew: the last one that is no NULL."""
        numbers, _, said, key = args
        refuse_tracing("setseed is not part of a compiled function")
        rows = exact.narrowed(numbers).data
        nothing = torch.zeros(rows.shape, dtype=torch.bool, device=rows.device)
        count = rows.numel()
        values: list[float] = waits.values(said.data.expand(rows.shape).reshape(-1), _WHY) if count else []
        there = said.valid
        known: list[bool] = (
            [True] * count if there is None else waits.values(there.expand(rows.shape).reshape(-1), _WHY)
        )
        given = [(place, value) for place, (value, is_one) in enumerate(zip(values, known, strict=False)) if is_one]
        if any(not -1.0 <= value <= 1.0 for _, value in given):
            raise ExecutionError("SETSEED accepts seed values between -1.0 and 1.0, inclusive")
        if given:
            place, value = given[-1]
            number, run = waits.several([rows.reshape(-1)[place], exact.narrowed(key).data.long().reshape(-1)[0]], _WHY)
            self._begin(run, number, Pcg(int((value + 1.0) * _LARGEST)))
        return Column(nothing, out, nothing)

    def _begin(self, run: int, number: int, generator: Pcg) -> None:
        with self._lock:
            if number > self._begun.get(run, 0):
                self._begun[run] = number
                self._generator = generator
            if len(self._begun) > _KEPT_RUNS:
                self._begun.popitem(last=False)
