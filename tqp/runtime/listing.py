"""EXPLAIN "program": the tensor program as torch code, as it really ran.

The program is executed eagerly with one worker while two observers write down what happens: a `TorchFunctionMode` sees each
torch operation, a profile hook sees each call into `tqp.kernels`, which is listed as one line in place of the operations
inside it. Each pipeline becomes a function of the tensors it reads, named by their columns, which returns what later
pipelines read. Of its batches only the first is listed; lines whose result nothing reads are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from torch import Tensor

from tqp.config import Settings
from tqp.data.column import Column
from tqp.operators.build import Built, Members
from tqp.operators.operator import PreparedSink, PreparedStage, Relation, Run
from tqp.operators.probe import ProbeStage
from tqp.operators.scan import ResultSource, TableSource
from tqp.physical.program import Pipeline, Program
from tqp.runtime.recorder import Recorder, described
from tqp.runtime.spelling import KERNELS, Names, comment, numbered, returning
from tqp.runtime.trace import Trace, WatchedSink

__all__ = ["Listed", "listed", "module", "program_text"]


@dataclass(frozen=True)
class Listed:
    """One pipeline as a function, and what the run that was listed gave it and got from it, by name."""

    name: str
    source: str
    arguments: dict[str, object]
    results: dict[str, object]
    batches: int


def program_text(program: Program, settings: Settings) -> str:
    """Run the program once and list it as Python code, a function a pipeline."""
    return module(listed(program, settings))


def module(functions: Sequence[Listed]) -> str:
    """The functions with the imports that they need."""
    body = "\n\n\n".join(function.source for function in functions)
    kernels = sorted(path.stem for path in KERNELS.glob("*.py") if re.search(rf"(?<![\w.]){path.stem}\.", body))
    imports = "import torch" + (f"\nfrom tqp.kernels import {', '.join(kernels)}" if kernels else "")
    return f"{imports}\n\n\n{body}"


def listed(program: Program, settings: Settings) -> list[Listed]:
    """Run the program once and list its pipelines."""
    from tqp.runtime.executor import run

    listing = _Listing()
    run(program, replace(settings, threads=1, backend="eager"), listing)
    return listing.functions


class _Listing(Trace):
    """A trace that writes code."""

    def __init__(self) -> None:
        super().__init__()
        self.functions: list[Listed] = []
        self._recorder = Recorder({}, Names())

    def watch(self, pipeline: Pipeline, stages: list[PreparedStage]) -> list[PreparedStage]:
        return stages

    def watch_sink(self, pipeline: Pipeline, state: Run, sink: PreparedSink, compiled: int) -> PreparedSink:
        taken = Names()
        self._recorder = Recorder(_names(pipeline, state, taken), taken)
        return _RecordedSink(sink, self._recorder)

    @contextmanager
    def first_batch(self, pipeline: Pipeline, state: Run) -> Iterator[None]:
        with self._recorder.recording():
            yield

    def end(self, pipeline: Pipeline, state: Run, rows: int, batches: int, workers: int) -> None:
        self.functions.append(_function(self._recorder, pipeline, state.results[pipeline.slot], batches))


class _RecordedSink(WatchedSink):
    def __init__(self, inner: PreparedSink, recorder: Recorder) -> None:
        super().__init__(inner)
        self._recorder = recorder

    def local(self) -> object:
        with self._recorder.recording():
            return super().local()

    def finish(self, locals: list[object]) -> object:
        self._recorder.comment("after the last batch")
        with self._recorder.recording():
            return super().finish(locals)


def _names(pipeline: Pipeline, state: Run, taken: Names) -> dict[int, str]:
    """Names of the tensors that a pipeline reads, by address, and of its lookups, by identity."""
    columns: dict[str, Column] = {}
    names: dict[int, str] = {}
    if isinstance(pipeline.source, TableSource):
        columns.update(pipeline.source.columns())
    elif isinstance(pipeline.source, ResultSource):
        columns.update(pipeline.source.whole(state))
    elif id(pipeline.source) in state.combined:
        columns.update(state.combined[id(pipeline.source)].columns)
    for place, stage in enumerate(pipeline.stages):
        if isinstance(stage, ProbeStage):
            built = stage.build.get(state)
            columns.update(built.columns)
            names[id(built.lookup)] = taken.take(f"lookup_{place}")
            if built.alive is not None:
                names[built.alive.data_ptr()] = taken.take(f"alive_{place}")
    for slot, result in state.results.items():
        if isinstance(result, Members):
            names[result.bitmap.data_ptr()] = taken.take(f"bitmap_{slot}")
    # Columns before their validity: what is called as the validity of another keeps its name.
    for suffix in ("", "_valid"):
        for symbol, column in columns.items():
            tensor = column.valid if suffix else column.data
            if tensor is not None and tensor.numel():
                names[tensor.data_ptr()] = taken.take(symbol + suffix)
    return names


def _function(recorder: Recorder, pipeline: Pipeline, result: object, batches: int) -> Listed:
    """What was recorded as a function."""
    results = dict(_outputs(result))
    found = {key: recorder.found(value) for key, value in results.items()}
    outputs = {key: name for key, name in found.items() if name is not None}
    lines = recorder.live(set(outputs.values()))
    steps = [stage.describe() for stage in pipeline.stages]
    text = [f"    {comment(line)}" for line in (pipeline.source.describe(), *steps, pipeline.sink.describe())]
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
    name = f"pipeline_{pipeline.slot}"
    source = numbered(f"def {name}({inputs}{chr(10) if inputs else ''}):\n" + "\n".join(text))
    return Listed(name, source, read, {key: results[key] for key in outputs}, batches)


def _kind(value: object) -> str:
    return described(value) if isinstance(value, Tensor) else type(value).__name__


def _outputs(result: object) -> Iterator[tuple[str, object]]:
    """What a pipeline leaves, by keys that differ."""
    keys = Names(())
    if isinstance(result, Tensor):
        yield "alive", result
    if isinstance(result, Members):
        yield "bitmap", result.bitmap
    if isinstance(result, Relation | Built):
        symbols = {symbol: keys.unique(symbol) for symbol in result.columns}
        for symbol, column in result.columns.items():
            yield symbols[symbol], column.data
            if column.valid is not None:
                yield keys.unique(f"{symbol}_valid"), column.valid
    if isinstance(result, Built) and result.lookup is not None:
        yield keys.unique("lookup"), result.lookup
