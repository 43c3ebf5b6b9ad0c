"""Filter, project and aggregate of a pipeline as one compiled function.

Where a pipeline only filters and projects before it aggregates into few groups, all its rows but the last few are one
straight-line tensor function (`tqp.runtime.masked`). `torch.compile`'s back end turns it into loops over the columns without
temporaries. The function is traced from the same evaluator that runs eagerly, so both give the same answers. It serves
all runs that give it constants of the same classes (`tqp.runtime.given`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakKeyDictionary

import torch
from torch import Tensor
from torch.fx.experimental.proxy_tensor import make_fx

from tqp.kernels.operation import NotTraceable, tracing
from tqp.operators.operator import PreparedSink, Run
from tqp.operators.results import Result
from tqp.operators.scan import TableSource
from tqp.operators.slots import DirectAggregation
from tqp.operators.states import States
from tqp.physical.pipeline import Pipeline
from tqp.runtime.codes import COMPILING, Codes, Parts, Share, StoredColumns, source_of
from tqp.runtime.masked import FewGroups

__all__ = ["FusedAggregation", "compiled_bytes", "fuse"]

_READS: Final = 64
"""Tensors that may be read for one value of a compiled function."""
_MADE: Final[WeakKeyDictionary[Pipeline, Codes[_Code]]] = WeakKeyDictionary()
"""What became of the pipelines of programs that are still there, between their runs."""


@dataclass(frozen=True, slots=True, eq=False)
class FusedAggregation:
    """A compiled function, what a run gives it, and the rows from the start of the source that it takes."""

    code: _Code
    given: list[Tensor]

    @property
    def rows(self) -> int:
        return self.code.rows

    def locals(
        self, sink: PreparedSink[Any, Result], size: int, share: Share, took: Callable[[int], None]
    ) -> list[Any]:
        """The eager sink's state of the first `rows` rows of the source; the function has threads of its own.

        `took` hears of rows that were taken.
        """
        local = sink.local()
        self.code.run(self.given, local)
        took(self.rows)
        return [local]


def fuse(pipeline: Pipeline, run: Run, eager: FewGroups | None) -> FusedAggregation:
    """The pipeline's aggregation as a compiled function of its rows; NotTraceable where its shape does not allow it.

    `eager` is the pipeline's prepared sink, which takes the rows that do not fill a block.
    """
    source_of(pipeline)
    if eager is None:
        raise NotTraceable("it does not end in an aggregation by few groups")
    most = run.limits.masked_groups
    if isinstance(eager, DirectAggregation) and eager.size > most:
        raise NotTraceable(f"{eager.size} groups, more than {most}")
    with COMPILING:
        codes = _MADE.get(pipeline)
        if codes is None:
            codes = _MADE[pipeline] = Codes(_blocks, _Code)
        return FusedAggregation(*codes.of(pipeline, run, eager))


def compiled_bytes(pipeline: Pipeline) -> int | None:
    """Bytes that the pipeline's compiled functions keep; None where it has none."""
    codes = _MADE.get(pipeline)
    return None if codes is None else codes.nbytes


def _blocks(source: TableSource, run: Run) -> StoredColumns:
    """The rows that fill whole blocks."""
    block = run.limits.summed_rows
    rows = source.rows(run) // block * block
    if rows == 0:
        raise NotTraceable(f"fewer than {block:,} rows")
    # The compiler does not vectorise loops that read 16-bit integers; they are widened but once.
    return StoredColumns.of(source, rows, lambda data: data.int() if data.dtype == torch.int16 else data)


class _Code:
    """A compiled function of a pipeline's columns and of what a run gives beside them."""

    def __init__(self, parts: Parts) -> None:
        stored, given, run = parts.stored, parts.given, parts.run
        self.rows = stored.rows
        self._tensors = stored.tensors
        block, count = run.limits.summed_rows, len(stored.tensors)

        def partials(tensors: Sequence[Tensor], rows: int) -> list[Tensor]:
            masked = parts.masked(tensors[count:], block)
            results, self._shape = masked.partials(stored.over(tensors[:count]), rows)
            return results

        with torch.no_grad(), tracing():
            # Once without the tracer: what is remembered of dictionaries is no part of a function.
            partials([*(tensor[:block] for tensor in stored.tensors), *given.tensors], block)
            traced = make_fx(lambda *tensors: partials(tensors, stored.rows))(*stored.tensors, *given.tensors)
            # Constants are reads, too: of so many the compiler would store what is computed of them, in a pass of its own.
            reads = {"realize_reads_threshold": _READS, "realize_acc_reads_threshold": _READS}
            self._compiled: Callable[..., list[Tensor]] = torch.compile(
                traced, dynamic=False, options={"cpp.threads": run.settings.threads, **reads}
            )

    def run(self, given: Sequence[Tensor], local: States) -> None:
        """Aggregate the rows into a local state of the eager sink."""
        results = self._compiled(*self._tensors, *given)
        states = States(local.plan, local.groups, local.arguments)
        self._shape.put(states, results, self.rows)
        local.merge(states, None)
