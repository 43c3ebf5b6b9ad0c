"""Which stages of a pipeline over a large table may keep few of its rows: what value indexes are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tqp.ir.expr import ColumnRef, Expr, Predict
from tqp.ir.visit import symbols, walk
from tqp.limits import Limits
from tqp.operators.aggregate import AggregateSink
from tqp.operators.filter import FilterStage, ProjectStage
from tqp.operators.keyfilters import KeyFilterStage
from tqp.operators.membership import MembershipStage
from tqp.operators.operator import Sink
from tqp.operators.probe import ProbeStage
from tqp.operators.reduced import ByCondition, ByKeys, ReducedSource, Reducer
from tqp.operators.results import Result
from tqp.operators.scan import TableSource
from tqp.physical.pipeline import Stream
from tqp.types import DType

__all__ = ["reduced"]


def reduced(stream: Stream, sink: Sink[Result], limits: Limits) -> Stream:
    """The same rows, read by an index where a run finds that few are enough.

    In the batches of a scan where the sink computes with floats, which are rounded batch by batch.
    """
    source = stream.source
    if type(source) is not TableSource or limits.indexed_rows is None or source.scan.source.rows < limits.indexed_rows:
        return stream
    reducers = tuple(_reducers(stream, source, limits))
    if not reducers:
        return stream
    rounds = any(expr.dtype.is_float for exprs in sink.expressions for expr in exprs)
    has_groups = not isinstance(sink, AggregateSink) or bool(sink.plan.keys)
    return replace(stream, source=ReducedSource(source.scan, reducers, rounds, has_groups))


def _reducers(stream: Stream, source: TableSource, limits: Limits) -> Iterator[Reducer]:
    scan = source.scan
    names = {
        field.symbol: column
        for field, column in zip(scan.fields, scan.columns, strict=True)
        if _is_bounded(field.dtype) or field.dtype.is_coded
    }
    for stage in stream.stages:
        match stage:
            case FilterStage() if source.scan.source.rows >= limits.ranged_rows:
                yield from _conditions(stage, names)
            case ProjectStage():
                for field, expr in zip(stage.fields, stage.exprs, strict=True):
                    if isinstance(expr, ColumnRef) and expr.symbol in names:
                        names[field.symbol] = names[expr.symbol]
            case ProbeStage(track=True):
                # It counts which rows came.
                return
            case ProbeStage(kind="inner" | "semi") | MembershipStage(kind="semi"):
                for place, key in enumerate(stage.keys):
                    if isinstance(key, ColumnRef) and key.symbol in names and _is_bounded(key.dtype):
                        yield ByKeys(stage, place, names[key.symbol])
            case KeyFilterStage(key=ColumnRef() as key, is_below=True) if key.symbol in names and _is_bounded(
                key.dtype
            ):
                yield ByKeys(stage, 0, names[key.symbol])
            case _:
                pass


def _conditions(stage: FilterStage, names: dict[str, str]) -> Iterator[Reducer]:
    """Of each column all that a filter asks of it alone."""
    alone: dict[str, list[Expr]] = {}
    for condition in stage.conditions:
        (symbol, *others) = symbols(condition) or ("",)
        if not others and symbol in names and not _predicts(condition):
            alone.setdefault(symbol, []).append(condition)
    for symbol, conditions in alone.items():
        yield ByCondition(tuple(conditions), symbol, names[symbol])


def _is_bounded(dtype: DType) -> bool:
    return dtype.is_ordinal


def _predicts(condition: Expr) -> bool:
    return any(isinstance(node, Predict) for node in walk(condition))
