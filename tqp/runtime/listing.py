"""EXPLAIN "program": the tensor program as torch code, as it really ran.

The program is executed eagerly with one worker while two observers write down what happens: a `TorchFunctionMode` sees each
torch operation, a profile hook sees each call into `tqp.kernels`, which is listed as one line in place of the operations
inside it. Each pipeline becomes a function of the tensors it reads, named by their columns, which returns what later
pipelines read. Those that run again and again, in a recursion, are listed as they ran first, and say so. Its input is one batch,
unless that is very large: then the first batch is listed. Lines whose result nothing reads are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from typing import Any

from torch import Tensor

from tqp.data.column import Column
from tqp.operators.layouts import Layouts
from tqp.operators.operator import PreparedSink, Run
from tqp.operators.results import Result
from tqp.physical.pipeline import Pipeline
from tqp.runtime.observe import Consume, Observer, Work
from tqp.runtime.recorder import Recorder, described
from tqp.runtime.spelling import KERNELS, Names, comment, numbered, returning
from tqp.runtime.trace import WatchedSink

__all__ = ["Listed", "Listing", "module"]


@dataclass(frozen=True)
class Listed:
    """One pipeline as a function, and what the run that was listed gave it and got from it, by name."""

    name: str
    source: str
    arguments: dict[str, object]
    results: dict[str, object]
    batches: int


def module(functions: Sequence[Listed]) -> str:
    """The functions with the imports that they need."""
    body = "\n\n\n".join(function.source for function in functions)
    kernels = sorted(_kernels().intersection(re.findall(r"(?<![\w.])(\w+)\.", body)))
    imports = "import torch" + (f"\nfrom tqp.kernels import {', '.join(kernels)}" if kernels else "")
    return f"{imports}\n\n\n{body}"


@cache
def _kernels() -> frozenset[str]:
    """The names of the modules of kernels."""
    return frozenset(path.stem for path in KERNELS.glob("*.py"))


class Listing(Observer):
    """Writes a program down as code while it runs with one worker."""

    def __init__(self) -> None:
        self.functions: list[Listed] = []
        self._pipeline: Pipeline | None = None
        self._recorder = Recorder({}, Names())
        self._is_first = True

    def around(self, pipeline: Pipeline, run: Run) -> AbstractContextManager[None]:
        self._pipeline = pipeline
        self._is_first = True
        return nullcontext()

    def sink(
        self, run: Run, sink: PreparedSink[Any, Result], layouts: Layouts, compiled: int
    ) -> PreparedSink[Any, Result]:
        assert self._pipeline is not None
        taken = Names()
        self._recorder = Recorder(_names(self._pipeline, run, taken), taken)
        return _RecordedSink(sink, self._recorder)

    def consume(self, consume: Consume) -> Consume:
        def recorded(local: Any) -> bool:
            if not self._is_first:
                return consume(local)
            self._is_first = False
            with self._recorder.recording():
                return consume(local)

        return recorded

    def end(self, run: Run, result: Result, work: Work) -> None:
        assert self._pipeline is not None
        self.functions.append(_function(self._recorder, self._pipeline, result, work.batches))


class _RecordedSink(WatchedSink):
    def __init__(self, inner: PreparedSink[Any, Result], recorder: Recorder) -> None:
        super().__init__(inner)
        self._recorder = recorder

    def local(self) -> Any:
        with self._recorder.recording():
            return super().local()

    def finish(self, locals: list[Any]) -> Result:
        self._recorder.comment("after the last batch")
        with self._recorder.recording():
            return super().finish(locals)


def _names(pipeline: Pipeline, run: Run, taken: Names) -> dict[int, str]:
    """Names of the tensors that a pipeline reads, by address, and of its lookups, by identity."""
    columns: list[tuple[str, Column]] = []
    names: dict[int, str] = {}
    inputs = [(place, one) for place, operator in enumerate(pipeline.operators, -1) for one in operator.inputs(run)]
    # Once each: the sink of a full join reads what its probe does.
    once = {id(result): (place, result) for place, result in reversed(inputs)}
    for place, result in reversed(once.values()):
        for name, part in result.parts():
            if isinstance(part, Column):
                columns.append((name, part))
            else:
                address = part.data_ptr() if isinstance(part, Tensor) else id(part)
                names[address] = taken.take(f"{name}_{max(place, 0)}")
    # Columns before their validity: what is called as the validity of another keeps its name.
    for suffix in ("", "_valid"):
        for symbol, column in columns:
            tensor = column.valid if suffix else column.data
            if tensor is not None and tensor.numel():
                names[tensor.data_ptr()] = taken.take(symbol + suffix)
    return names


def _function(recorder: Recorder, pipeline: Pipeline, result: Result, batches: int) -> Listed:
    """What was recorded as a function."""
    results = dict(_outputs(result))
    found = {key: recorder.found(value) for key, value in results.items()}
    outputs = {key: name for key, name in found.items() if name is not None}
    lines = recorder.live(set(outputs.values()))
    steps = [stage.describe() for stage in pipeline.stages]
    text = [f"    {comment(line)}" for line in (pipeline.source.describe(), *steps, pipeline.sink.describe())]
    if pipeline.again is not None:
        text.append(
            f"    {comment(f'the first time; pipelines {pipeline.again} to {pipeline.writes} run again while rows come')}"
        )
    if batches > 1:
        text.append(f"    {comment(f'the first of {batches} batches; the others go the same way')}")
    text += [f"    {line}" for line in lines]
    if outputs:
        text.append(returning(list(outputs.items())))
    elif all(line.is_comment for line in lines):
        text.append("    pass")
    code = "\n".join([*(line.text for line in lines if not line.is_comment), *outputs.values()])
    read = {name: value for name, value in recorder.arguments.items() if re.search(rf"(?<![\w.]){name}\b", code)}
    inputs = "".join(f"\n    {name},  {comment(_kind(value))}" for name, value in read.items())
    name = f"pipeline_{pipeline.writes}"
    source = numbered(f"def {name}({inputs}{chr(10) if inputs else ''}):\n" + "\n".join(text))
    return Listed(name, source, read, {key: results[key] for key in outputs}, batches)


def _kind(value: object) -> str:
    return described(value) if isinstance(value, Tensor) else type(value).__name__


def _outputs(result: Result) -> Iterator[tuple[str, object]]:
    """What a pipeline leaves, by keys that differ; columns have their symbols."""
    keys = Names(())
    parts = [(keys.unique(name), name, part) for name, part in result.parts()]
    for key, name, part in parts:
        if not isinstance(part, Column):
            yield key, part
            continue
        yield key, part.data
        if part.valid is not None:
            yield keys.unique(f"{name}_valid"), part.valid
