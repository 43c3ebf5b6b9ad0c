"""Are batches what was announced? Every one that reaches a sink is compared with the layouts that were known before it."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import torch

from tqp.data.column import Column, Layout
from tqp.data.dictionary import Dictionary
from tqp.data.layout import Encoding
from tqp.errors import InternalError
from tqp.ir.expr import Expr
from tqp.ir.show import show_expr
from tqp.operators.batch import Batch, Key
from tqp.operators.layouts import Layouts
from tqp.operators.operator import PreparedSink, Run
from tqp.operators.results import Result
from tqp.physical.program import Pipeline
from tqp.runtime.observe import Observer
from tqp.runtime.trace import WatchedSink

__all__ = ["Announced", "difference"]


_MANY = 2**14
"""Dictionaries of tests have no more entries."""


def _roughly(announced: Layout) -> Layout:
    """What holds of text, integers and times that are perhaps computed for entries of a dictionary, and perhaps for rows."""
    dtype = announced.dtype
    if not (dtype.is_text or dtype.is_exact or dtype.is_temporal):
        return announced
    return replace(announced, width=torch.int64, dictionary=None, bounds=None, is_measured=True)


def difference(announced: Layout, column: Column) -> str | None:
    """What of a batch's column is not as it was announced; None where all is."""
    found = column.layout
    if found.dtype != announced.dtype:
        return f"its type is {found.dtype}"
    if found.is_nullable and not announced.is_nullable:
        return "it has NULLs"
    if found.is_constant and not announced.is_constant and not announced.is_measured:
        return "it is constant"
    if announced.dictionary is not None and not _same(found.dictionary, announced.dictionary):
        return "its dictionary is another"
    if found.encoding is not announced.encoding and not (announced.is_measured and announced.encoding is Encoding.WIDE):
        return f"its encoding is {found.encoding}"
    is_narrower = announced.is_measured and found.width.itemsize <= announced.width.itemsize
    if found.width != announced.width and not is_narrower:
        return f"its width is {found.width}"
    if announced.bounds is not None and not _within(column, announced.bounds):
        return f"its bounds are {found.bounds}"
    return None


def _same(found: Dictionary | None, announced: Dictionary) -> bool:
    """Whether codes mean the same in both. What is computed of constants has one each time that it is computed."""
    return found is announced or found is not None and found.values.equals(announced.values)


def _within(column: Column, bounds: tuple[int, int]) -> bool:
    found = column.bounds
    if found is None:
        # Kernels read some constants on the CPU only, where that is no wait; what follows from these is true elsewhere, too.
        data = column.data.cpu() if column.valid is None else column.data.cpu()[column.valid.cpu()]
        if data.numel() == 0 or column.is_wide:
            return True
        found = int(data.min()), int(data.max())
    return bounds[0] <= found[0] and found[1] <= bounds[1]


class Announced(Observer):
    """Raises InternalError at the first column of a batch that is not what it was announced as.

    What is compared is what the batch had to compute or gather by the time that the sink is done with it.
    """

    def __init__(self) -> None:
        self._pipeline: Pipeline | None = None

    def around(self, pipeline: Pipeline, run: Run) -> AbstractContextManager[None]:
        self._pipeline = pipeline
        return nullcontext()

    def sink(
        self, run: Run, sink: PreparedSink[Any, Result], layouts: Layouts, compiled: int
    ) -> PreparedSink[Any, Result]:
        assert self._pipeline is not None
        compiled_exprs = [expr for group in self._pipeline.sink.expressions for expr in group]
        roots = {run.evaluator.compile((expr,)).roots[0]: expr for expr in compiled_exprs}
        return _Checked(sink, self._pipeline, layouts, roots, run.limits.entries_at_once)


class _Checked(WatchedSink):
    """`roots`: the expressions of the sink, by where batches have their values."""

    def __init__(
        self,
        inner: PreparedSink[Any, Result],
        pipeline: Pipeline,
        layouts: Layouts,
        roots: dict[Key, Expr],
        entries_at_once: int,
    ) -> None:
        super().__init__(inner)
        self._roots = roots
        self._pipeline = pipeline
        self._layouts = layouts
        self._entries_at_once = entries_at_once
        self._lock = threading.Lock()

    def consume(self, local: Any, batch: Batch) -> None:
        super().consume(local, batch)
        with self._lock:
            for key, column in batch.values.items():
                # What nobody asked to be settled may have been computed for the rows where entries are many.
                settled = self._entries_at_once >= _MANY or self._layouts.is_settled(key)
                if isinstance(key, str):
                    announced = self._layouts.of(key, settled)
                    self._check(key, announced if settled else _roughly(announced), column)
                elif key in self._roots:
                    expr = self._roots[key]
                    announced = self._layouts.of_expr(expr, settled)
                    self._check(show_expr(expr), announced if settled else _roughly(announced), column)

    def _check(self, name: str, announced: Layout, column: Column) -> None:
        wrong = difference(announced, column)
        if wrong is not None:
            steps = "\n".join(operator.describe() for operator in self._pipeline.operators)
            raise InternalError(f"{name} was announced as {announced}, but {wrong}: {column.layout}\n{steps}")
