"""Filter, project and aggregate of a pipeline as one compiled function.

Where a pipeline only filters and projects before it aggregates into few groups, all its rows but the last few are one
straight-line tensor function: masks instead of compaction, one masked reduction a group and aggregate. `torch.compile`'s
back end turns it into loops over the columns without temporaries. Sums run block by block, so that those of small numbers
stay in 32 bits. The function is traced once from the same evaluator that runs eagerly, so both give the same answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor
from torch.fx.experimental.proxy_tensor import make_fx

from tqp.data.column import Column
from tqp.functions.aggregates import Totals, aggregate_of
from tqp.functions.aggregates.counts import Count
from tqp.functions.aggregates.sums import Average, Sum
from tqp.kernels.operation import NotTraceable, tracing
from tqp.locks import Lock
from tqp.operators.aggregate import AggregateSink, DirectAggregation, KeylessAggregation
from tqp.operators.batch import Batch
from tqp.operators.evaluate import Evaluator, truth
from tqp.operators.filter import FilterStage, ProjectStage
from tqp.operators.operator import PreparedSink, Run
from tqp.operators.results import Result
from tqp.operators.scan import TableSource
from tqp.operators.states import Arguments, States
from tqp.physical.pipeline import Pipeline

__all__ = ["FusedAggregation", "compiled_bytes", "fuse"]

_INT64_MAX = 2**63 - 1
_BLOCK = 2**18
"""Rows whose sums of magnitude below 2**13 fit 32 bits."""
_COMPILING = Lock()
"""Held by the one thread that traces, as the tracer keeps to no thread."""
_MADE: WeakKeyDictionary[Pipeline, FusedAggregation | NotTraceable] = WeakKeyDictionary()
"""What became of the pipelines of programs that are still there, between their runs."""


def fuse(pipeline: Pipeline, run: Run, eager: PreparedSink[Any, Result]) -> FusedAggregation:
    """The pipeline's aggregation as a compiled function of its rows; NotTraceable where its shape does not allow it.

    `eager` is the pipeline's prepared sink, which takes the rows that do not fill a block. Compiled, or refused, once a
    pipeline.
    """
    with _COMPILING:
        made = _MADE.get(pipeline)
        if made is None:
            try:
                made = _fused(pipeline, run, eager)
            except NotTraceable as refusal:
                made = refusal.with_traceback(None)
            _MADE[pipeline] = made
    if isinstance(made, NotTraceable):
        raise NotTraceable(*made.args)
    return made


def compiled_bytes(pipeline: Pipeline) -> int | None:
    """Bytes that the pipeline's compiled function keeps; None where it has none."""
    made = _MADE.get(pipeline)
    return made.nbytes if isinstance(made, FusedAggregation) else None


def _fused(pipeline: Pipeline, run: Run, eager: PreparedSink[Any, Result]) -> FusedAggregation:
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
    rows = pipeline.source.rows(run) // _BLOCK * _BLOCK
    if rows == 0:
        raise NotTraceable(f"fewer than {_BLOCK:,} rows")
    columns = {symbol: column.slice(0, rows) for symbol, column in pipeline.source.columns.items()}
    if not columns or any(column.has_elements for column in columns.values()):
        raise NotTraceable("a column holds more than a number a row")
    return FusedAggregation(_Masked(pipeline, eager, run.evaluator), columns, rows, run.settings.threads)


class _Masked:
    """The pipeline's computation on a whole batch with masks in place of row choices."""

    def __init__(self, pipeline: Pipeline, eager: KeylessAggregation | DirectAggregation, evaluator: Evaluator) -> None:
        assert isinstance(pipeline.sink, AggregateSink)
        self.stages = [stage for stage in pipeline.stages if isinstance(stage, FilterStage | ProjectStage)]
        self.plan = pipeline.sink.plan
        self.arguments = Arguments(evaluator, self.plan)
        self.own = States(self.plan, 0, self.arguments).own
        self.calls = [self.plan.aggregates[place] for place in self.own]
        self.eager = eager
        self.evaluator = evaluator
        self.groups = eager.size if isinstance(eager, DirectAggregation) else 1
        self.limits: list[int] = []
        self.nullable: list[bool] = []

    def batch(self, columns: Mapping[str, Column], rows: int) -> tuple[Batch, Tensor | None]:
        """The batch with all symbols defined, and the mask of the rows that pass every filter."""
        batch = Batch.of(columns, rows)
        mask: Tensor | None = None
        for stage in self.stages:
            if isinstance(stage, ProjectStage):
                batch = batch.define(stage.definitions(self.evaluator))
                continue
            for condition in stage.conditions:
                passed = truth(self.evaluator.evaluate(condition, batch)).expand(rows)
                mask = passed if mask is None else mask & passed
        return batch, mask

    def partials(self, columns: Mapping[str, Column], rows: int) -> list[Tensor]:
        """(groups,) each: the rows of every group; then, an aggregate after the other, counts if NULLs are about, and sums."""
        batch, mask = self.batch(columns, rows)
        device = self.evaluator.device
        if mask is None:
            mask = torch.ones(rows, dtype=torch.bool, device=device)
        members = [mask]
        if isinstance(self.eager, DirectAggregation):
            keys = [batch.column(symbol).expand(rows) for symbol in self.plan.keys]
            codes = self.eager.layout.encode(keys).to(torch.int32)
            members = [mask & (codes == number) for number in range(self.groups)]
        results = [_stacked([_block_sums(member, 1) for member in members])]
        self.limits, self.nullable = [], []
        for call, args in zip(self.calls, self.arguments.filtered(batch, self.own), strict=True):
            self.nullable.append(False)
            self.limits.append(0)
            if not args:
                continue
            (column,) = args
            chosen = members
            if column.valid is not None:
                self.nullable[-1] = True
                chosen = [member & column.valid for member in members]
                results.append(_stacked([_block_sums(member, 1) for member in chosen]))
            if aggregate_of(call).totals is Totals.SUMS:
                size = _size(column, rows)
                self.limits[-1] = 0 if size is None else size * rows
                values = _widened(column.data, size)
                results.append(_stacked([_block_sums(torch.where(member, values, 0), size) for member in chosen]))
        return results

    def states(self, results: Sequence[Tensor], rows: int) -> States:
        """The states that the partial results of one batch stand for."""
        states = States(self.plan, self.groups, self.arguments)
        parts = iter(results)
        states.seen = next(parts)
        states.rows = rows
        pairs = zip(self.calls, states.states, self.nullable, self.limits, strict=True)
        for call, accumulator, nullable, limit in pairs:
            count = next(parts) if nullable else None
            if isinstance(accumulator, Average):
                accumulator.put(call.args[0].dtype, next(parts), count, limit)
            elif isinstance(accumulator, Sum):
                accumulator.put(next(parts), count, limit)
            elif isinstance(accumulator, Count):
                accumulator.put(None, count, limit)
        return states


def _size(column: Column, rows: int) -> int | None:
    """The largest magnitude of an exact column; None of floats."""
    if column.dtype.is_float:
        return None
    if column.bounds is None or column.is_wide:
        raise NotTraceable("numbers without bounds are summed")
    size = max(map(abs, column.bounds))
    if size * rows > _INT64_MAX:
        raise NotTraceable("a sum may leave 64 bits")
    return size


def _sum_dtype(size: int | None) -> torch.dtype:
    """The dtype in which a block of values of that magnitude is summed."""
    if size is None:
        return torch.float64
    return torch.int32 if size * _BLOCK < 2**31 else torch.int64


def _widened(values: Tensor, size: int | None) -> Tensor:
    # Once, ahead of the masks: else every masked reduction would convert for itself.
    return values.to(_sum_dtype(size))


def _block_sums(values: Tensor, size: int | None) -> Tensor:
    """Sums (blocks,) of a column's blocks."""
    return values.view(-1, _BLOCK).sum(1, dtype=_sum_dtype(size))


def _stacked(sums: Sequence[Tensor]) -> Tensor:
    """Totals (groups,) of the groups' block sums."""
    wide = torch.float64 if sums[0].dtype.is_floating_point else torch.int64
    return torch.stack([part.to(wide) for part in sums]).sum(1)


class FusedAggregation:
    """The compiled function and the rows from the start of the source that it takes."""

    def __init__(self, masked: _Masked, columns: Mapping[str, Column], rows: int, threads: int) -> None:
        self._masked = masked
        self.rows = rows
        # Kept with the program: stored columns do not change, and 16-bit ones are widened but once.
        self._tensors = tensors = _tensors(columns.values())
        self._widened = [new for new in tensors if all(new is not column.data for column in columns.values())]
        layout = dict(columns)
        with torch.no_grad(), tracing():
            # Once without the tracer: what is computed on dictionary entries becomes constants.
            first = _columns(layout, [tensor[:_BLOCK] for tensor in tensors])
            masked.partials(first, _BLOCK)
            traced = make_fx(lambda *args: masked.partials(_columns(layout, args), rows))(*tensors)
            self._compiled: Callable[..., list[Tensor]] = torch.compile(
                traced, dynamic=False, options={"cpp.threads": threads}
            )

    @property
    def nbytes(self) -> int:
        """Bytes of the columns that were widened for it."""
        return sum(tensor.nbytes for tensor in self._widened)

    def consume(self, local: States) -> None:
        """Aggregate the first `rows` rows of the source into a local state of the eager sink."""
        results = self._compiled(*self._tensors)
        local.merge(self._masked.states(results, self.rows), None)


def _tensors(columns: Iterable[Column]) -> list[Tensor]:
    found = []
    for column in columns:
        # The compiler does not vectorise loops that read 16-bit integers.
        found.append(column.data.int() if column.data.dtype == torch.int16 else column.data)
        if column.valid is not None:
            found.append(column.valid)
    return found


def _columns(layout: Mapping[str, Column], tensors: Sequence[Tensor]) -> dict[str, Column]:
    rest = iter(tensors)
    columns = {}
    for symbol, column in layout.items():
        data = next(rest)
        columns[symbol] = replace(column, data=data, valid=None if column.valid is None else next(rest))
    return columns
