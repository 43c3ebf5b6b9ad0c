"""Filter, project and aggregate of a pipeline as one compiled function.

Where a pipeline only filters and projects before it aggregates into few groups, all its rows but the last few are one
straight-line tensor function (`tqp.runtime.masked`). `torch.compile`'s back end turns it into loops over the columns without
temporaries. The function is traced from the same evaluator that runs eagerly, so both give the same answers. It serves
all runs that give it constants of the same classes (`tqp.runtime.given`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

import torch
from torch import Tensor
from torch.fx.experimental.proxy_tensor import make_fx

from tqp.data.column import Column
from tqp.errors import ExecutionError
from tqp.functions.aggregates import aggregate_of
from tqp.kernels.operation import NotTraceable, tracing
from tqp.locks import Lock
from tqp.operators.aggregate import AggregateSink
from tqp.operators.filter import FilterStage, ProjectStage
from tqp.operators.operator import PreparedSink, Run
from tqp.operators.results import Result
from tqp.operators.scan import TableSource
from tqp.operators.slots import DirectAggregation, KeylessAggregation
from tqp.operators.states import States
from tqp.operators.steps import Compiler
from tqp.physical.pipeline import Pipeline
from tqp.runtime.given import Given, Rehearsal
from tqp.runtime.masked import FewGroups, Masked

__all__ = ["FusedAggregation", "compiled_bytes", "fuse"]

Made = TypeVar("Made")

_MOST_CODES: Final = 8
"""Functions that are kept for one pipeline, each for constants of other classes."""
_READS: Final = 64
"""Tensors that may be read for one value of a compiled function."""
_COMPILING = Lock()
"""Held by the one thread that traces, as the tracer keeps to no thread."""
_MADE: WeakKeyDictionary[Pipeline, _Codes] = WeakKeyDictionary()
"""What became of the pipelines of programs that are still there, between their runs."""


@dataclass(frozen=True, slots=True, eq=False)
class FusedAggregation:
    """A compiled function, what a run gives it, and the rows from the start of the source that it takes."""

    code: _Code
    given: list[Tensor]

    @property
    def rows(self) -> int:
        return self.code.rows

    def consume(self, local: States) -> None:
        """Aggregate the first `rows` rows of the source into a local state of the eager sink."""
        self.code.run(self.given, local)


def fuse(pipeline: Pipeline, run: Run, eager: PreparedSink[Any, Result]) -> FusedAggregation:
    """The pipeline's aggregation as a compiled function of its rows; NotTraceable where its shape does not allow it.

    `eager` is the pipeline's prepared sink, which takes the rows that do not fill a block. Nothing is done twice for the
    program of a run; one with other constants goes through the pipeline once without rows, and compiles where that says so.
    """
    with _COMPILING:
        codes = _MADE.get(pipeline)
        if codes is None:
            codes = _MADE[pipeline] = _Codes()
        made = codes.of(pipeline, run, eager)
    if isinstance(made, NotTraceable):
        raise NotTraceable(*made.args)
    return made


def compiled_bytes(pipeline: Pipeline) -> int | None:
    """Bytes that the pipeline's compiled functions keep; None where it has none."""
    codes = _MADE.get(pipeline)
    return None if codes is None else codes.nbytes


class _Codes:
    """The functions that were compiled for a pipeline, or why none could be; and which of them the constants of a program take."""

    def __init__(self) -> None:
        self._stored: _Stored | None = None
        self._codes: dict[Hashable, _Code | NotTraceable] = {}
        self._taken: WeakKeyDictionary[Compiler, FusedAggregation | NotTraceable] = WeakKeyDictionary()

    @property
    def nbytes(self) -> int | None:
        """Bytes of the columns that were widened for them, and of what they are given; None where there is none."""
        taken = [one for one in self._taken.values() if isinstance(one, FusedAggregation)]
        if self._stored is None or not taken:
            return None
        return self._stored.nbytes + sum(tensor.nbytes for one in taken for tensor in one.given)

    def of(self, pipeline: Pipeline, run: Run, eager: PreparedSink[Any, Result]) -> FusedAggregation | NotTraceable:
        """What the run takes."""
        compiler = run.evaluator.compiler
        found = self._taken.get(compiler)
        if found is None:
            found = _refusing(lambda: self._fused(pipeline, run, eager))
            self._taken[compiler] = found
        return found

    def _fused(self, pipeline: Pipeline, run: Run, eager: PreparedSink[Any, Result]) -> FusedAggregation | NotTraceable:
        source, eager = _parts(pipeline, run, eager)
        if self._stored is None:
            self._stored = _Stored.of(source, run)
        stored = self._stored
        given = _given(pipeline, run, eager, stored)
        groups = tuple(layout.key for layout in eager.layout.layouts) if isinstance(eager, DirectAggregation) else None
        key = given.key, groups
        code = self._codes.pop(key, None)
        if code is None:
            code = _refusing(lambda: _Code(pipeline, run, eager, stored, given))
        self._codes[key] = code
        if len(self._codes) > _MOST_CODES:
            del self._codes[next(iter(self._codes))]
        return code if isinstance(code, NotTraceable) else FusedAggregation(code, given.tensors)


def _refusing(make: Callable[[], Made]) -> Made | NotTraceable:
    """What `make` gives, or its refusal, without what that was raised in, which is not to be kept."""
    try:
        return make()
    except NotTraceable as refusal:
        return NotTraceable(*refusal.args)


def _parts(pipeline: Pipeline, run: Run, eager: PreparedSink[Any, Result]) -> tuple[TableSource, FewGroups]:
    """Source and sink of a pipeline that can be one function; NotTraceable of others."""
    if not isinstance(pipeline.sink, AggregateSink) or not isinstance(eager, KeylessAggregation | DirectAggregation):
        raise NotTraceable("it does not end in an aggregation by few groups")
    most = run.limits.masked_groups
    if isinstance(eager, DirectAggregation) and eager.size > most:
        raise NotTraceable(f"{eager.size} groups, more than {most}")
    if not isinstance(pipeline.source, TableSource):
        raise NotTraceable("it does not read a stored table")
    if not all(isinstance(stage, FilterStage | ProjectStage) for stage in pipeline.stages):
        raise NotTraceable("it joins")
    for call in pipeline.sink.plan.aggregates:
        if aggregate_of(call).totals is None:
            raise NotTraceable(f"{call.function} is not compiled")
    return pipeline.source, eager


def _given(pipeline: Pipeline, run: Run, eager: FewGroups, stored: _Stored) -> Given:
    """What the run gives to the pipeline beside rows."""
    rehearsal = Rehearsal(run.evaluator)
    try:
        Masked(pipeline, eager, rehearsal, run.limits.summed_rows).values(
            stored.over([tensor[:0] for tensor in stored.tensors]), 0
        )
    except ExecutionError as error:
        raise NotTraceable(f"it fails for any row: {error}") from error
    return rehearsal.given()


@dataclass(frozen=True, slots=True, eq=False)
class _Stored:
    """The first `rows` rows of a source's columns, and the tensors that compiled functions read in their place.

    Kept with the program: stored columns do not change, and 16-bit ones are widened but once.
    """

    columns: dict[str, Column]
    tensors: list[Tensor]
    rows: int

    @staticmethod
    def of(source: TableSource, run: Run) -> _Stored:
        block = run.limits.summed_rows
        rows = source.rows(run) // block * block
        if rows == 0:
            raise NotTraceable(f"fewer than {block:,} rows")
        columns = {symbol: column.slice(0, rows) for symbol, column in source.columns.items()}
        if not columns or any(column.has_elements for column in columns.values()):
            raise NotTraceable("a column holds more than a number a row")
        return _Stored(columns, _tensors(columns.values()), rows)

    @property
    def nbytes(self) -> int:
        """Bytes of the tensors that are not the columns' own."""
        own = [column.data for column in self.columns.values()] + [column.valid for column in self.columns.values()]
        return sum(new.nbytes for new in self.tensors if all(new is not tensor for tensor in own))

    def over(self, tensors: Sequence[Tensor]) -> dict[str, Column]:
        """The columns on other tensors, in the order of these."""
        rest = iter(tensors)
        columns = {}
        for symbol, column in self.columns.items():
            data = next(rest)
            columns[symbol] = replace(column, data=data, valid=None if column.valid is None else next(rest))
        return columns


def _tensors(columns: Iterable[Column]) -> list[Tensor]:
    found = []
    for column in columns:
        # The compiler does not vectorise loops that read 16-bit integers.
        found.append(column.data.int() if column.data.dtype == torch.int16 else column.data)
        if column.valid is not None:
            found.append(column.valid)
    return found


class _Code:
    """A compiled function of a pipeline's columns and of what a run gives beside them."""

    def __init__(self, pipeline: Pipeline, run: Run, eager: FewGroups, stored: _Stored, given: Given) -> None:
        self.rows = stored.rows
        self._tensors = stored.tensors
        evaluator, block, count = run.evaluator, run.limits.summed_rows, len(stored.tensors)

        def partials(tensors: Sequence[Tensor], rows: int) -> list[Tensor]:
            masked = Masked(pipeline, eager, given.evaluator(evaluator, tensors[count:]), block)
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
