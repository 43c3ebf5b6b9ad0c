"""Filter, project and aggregate of a pipeline as one compiled function.

Where a pipeline only filters and projects before it aggregates into few groups, a whole batch is one straight-line tensor
function: masks instead of compaction, one masked reduction a group and aggregate. `torch.compile`'s back end turns it
into a single loop over the batch without temporaries. The function is traced once from the same evaluator that runs eagerly,
so both give the same answers; the last, shorter batch runs eagerly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import torch
from torch import Tensor
from torch.fx.experimental.proxy_tensor import make_fx

from tqp.column import Column
from tqp.errors import InternalError
from tqp.functions.aggregates import Average, Count, Sum
from tqp.kernels.host import tracing
from tqp.physical.aggregate import AggregateSink, DirectAggregation, KeylessAggregation, States, arguments
from tqp.physical.batch import Batch
from tqp.physical.evaluate import Evaluator, truth
from tqp.physical.filter import FilterStage, ProjectStage
from tqp.physical.pipeline import Pipeline, Run
from tqp.physical.scan import TableSource

__all__ = ["FusedAggregation", "fuse"]

_GROUPS = 16
"""More groups than this are cheaper by scatter-add than by one masked reduction each."""

_SUMS = frozenset({"sum", "avg", "mean"})
_COUNTS = frozenset({"count", "count_star"})
_INT64_MAX = 2**63 - 1


def fuse(
    pipeline: Pipeline, run: Run, eager: KeylessAggregation | DirectAggregation
) -> FusedAggregation | None:
    """The pipeline's aggregation as a compiled function of a full batch; None where its shape does not allow it.

    `eager` is the pipeline's prepared sink, which takes over for shorter batches. Compiled once a pipeline.
    """
    if pipeline.fused is not None:
        assert isinstance(pipeline.fused, FusedAggregation)
        return pipeline.fused
    size = run.settings.batch_rows
    if not isinstance(pipeline.sink, AggregateSink) or not isinstance(pipeline.source, TableSource):
        return None
    if pipeline.source.rows(run) < size or not all(isinstance(s, FilterStage | ProjectStage) for s in pipeline.stages):
        return None
    if isinstance(eager, DirectAggregation) and eager.size > _GROUPS:
        return None
    if not all(call.function in _SUMS or call.function in _COUNTS for call in pipeline.sink.plan.aggregates):
        return None
    example = pipeline.source.batch(run, 0, size, 0)
    columns = {item.symbol: example.column(item.symbol) for item in pipeline.source.scan.fields}
    if not columns or any(column.data.ndim != 1 for column in columns.values()):
        return None
    try:
        pipeline.fused = FusedAggregation(_Masked(pipeline, eager, run.evaluator), columns, size)
    except InternalError:
        return None
    return pipeline.fused


class _Masked:
    """The pipeline's computation on a whole batch with masks in place of row choices."""

    def __init__(
        self, pipeline: Pipeline, eager: KeylessAggregation | DirectAggregation, evaluator: Evaluator
    ) -> None:
        assert isinstance(pipeline.sink, AggregateSink)
        self.stages = [stage for stage in pipeline.stages if isinstance(stage, FilterStage | ProjectStage)]
        self.plan = pipeline.sink.plan
        self.calls = [call for call, _ in States(self.plan, 0, evaluator).states]
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
        results = [torch.stack([member.sum() for member in members])]
        self.limits, self.nullable = [], []
        for call in self.calls:
            if not call.args:
                self.nullable.append(False)
                self.limits.append(0)
                continue
            (column,) = arguments(self.evaluator, call, batch)
            self.nullable.append(column.valid is not None)
            chosen = members
            if column.valid is not None:
                chosen = [member & column.valid for member in members]
                results.append(torch.stack([member.sum() for member in chosen]))
            if call.function in _SUMS:
                self.limits.append(_limit(column, rows))
                results.append(torch.stack([_masked_sum(column, member) for member in chosen]))
            else:
                self.limits.append(0)
        return results

    def states(self, results: Sequence[Tensor], rows: int) -> States:
        """The states that the partial results of one batch stand for."""
        states = States(self.plan, self.groups, self.evaluator)
        parts = iter(results)
        states.seen = next(parts)
        states.rows = rows
        for (call, accumulator), nullable, limit in zip(states.states, self.nullable, self.limits, strict=True):
            count = next(parts) if nullable else None
            if isinstance(accumulator, Average):
                accumulator.put(call.args[0].dtype, next(parts), count, limit)
            elif isinstance(accumulator, Sum):
                accumulator.put(next(parts), count, limit)
            elif isinstance(accumulator, Count):
                accumulator.put(None, count, limit)
        return states


def _limit(column: Column, rows: int) -> int:
    if column.dtype.is_float:
        return 0
    if column.bounds is None or column.data.ndim != 1:
        raise InternalError("cannot be fused: a sum may leave 64 bits")
    limit = max(map(abs, column.bounds)) * rows
    if limit > _INT64_MAX:
        raise InternalError("cannot be fused: a sum may leave 64 bits")
    return limit


def _masked_sum(column: Column, member: Tensor) -> Tensor:
    wide = torch.float64 if column.dtype.is_float else torch.int64
    return torch.where(member, column.data, 0).sum(dtype=wide)


class FusedAggregation:
    """A prepared sink that takes whole batches of the source: full ones compiled, others through the eager stages."""

    def __init__(self, masked: _Masked, columns: Mapping[str, Column], size: int) -> None:
        self._masked = masked
        self._size = size
        self._symbols = tuple(columns)
        tensors = _tensors(columns.values())
        layout = dict(columns)
        with torch.no_grad(), tracing():
            # Once without the tracer: what is computed on dictionary entries becomes constants.
            masked.partials(_columns(layout, tensors), size)
            traced = make_fx(lambda *args: masked.partials(_columns(layout, args), size))(*tensors)
            self._compiled: Callable[..., list[Tensor]] = torch.compile(
                traced, dynamic=False, options={"cpp.threads": 1}
            )
            self._compiled(*tensors)

    def takes(self, batch: Batch) -> bool:
        """Whether the batch has the compiled function's length."""
        return batch.rows == self._size

    def consume_source(self, local: object, batch: Batch) -> None:
        """A full batch as the source gave it."""
        assert isinstance(local, States)
        columns = [batch.column(symbol) for symbol in self._symbols]
        results = self._compiled(*_tensors(columns))
        local.merge(self._masked.states(results, batch.rows), None)


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
