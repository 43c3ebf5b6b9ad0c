"""EXPLAIN "program": the tensor program as torch code, as it really ran.

The program is executed with one worker while two observers write down what happens: a `TorchFunctionMode` sees each torch
operation, a profile hook sees each call into `tqp.kernels`, which is listed as one line in place of the operations inside
it. Each pipeline becomes a function of the tensors it reads; of its batches only the first is listed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode, resolve_name

from tqp.config import Settings
from tqp.physical.pipeline import Pipeline, PreparedStage, Program, Run
from tqp.physical.scan import ResultSource, TableSource
from tqp.runtime.trace import Trace

__all__ = ["program_text"]

_KERNELS = str(Path(__file__).parents[1] / "kernels")
_OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "eq": "==", "ne": "!=", "floordiv": "//", "mod": "%", "truediv": "/", "iand": "&", "iadd": "+",
}  # fmt: skip
_SILENT = {"__get__", "size", "dim", "__len__", "numpy", "stride", "element_size", "numel", "is_floating_point"}


def program_text(program: Program, settings: Settings) -> str:
    """Run the program once with one worker and list it as Python code, a function a pipeline."""
    from tqp.runtime.executor import run

    listing = _Listing()
    run(program, replace(settings, threads=1), listing)
    return listing.text()


class _Listing(Trace):
    """A trace that writes code."""

    def __init__(self) -> None:
        super().__init__()
        self._functions: list[str] = []
        self._recorder: _Recorder | None = None

    def watch(self, pipeline: Pipeline, stages: list[PreparedStage]) -> list[PreparedStage]:
        return stages

    @contextmanager
    def first_batch(self, pipeline: Pipeline, state: Run) -> Iterator[None]:
        recorder = _Recorder(_names(pipeline, state))
        with recorder.recording():
            yield
        self._functions.append(recorder.function(pipeline))

    def text(self) -> str:
        head = "import torch\nfrom tqp.kernels import group, join, reduce, rows, sort, text, wide\n"
        return "\n\n".join([head, *self._functions])


def _names(pipeline: Pipeline, state: Run) -> dict[int, str]:
    """Names of the tensors of the source's columns, by address."""
    columns = {}
    if isinstance(pipeline.source, TableSource):
        columns = pipeline.source.columns()
    elif isinstance(pipeline.source, ResultSource):
        columns = dict(state.relation(pipeline.source.slot).columns)
    names = {}
    for symbol, column in columns.items():
        names[column.data.data_ptr()] = symbol
        if column.valid is not None:
            names[column.valid.data_ptr()] = f"{symbol}_valid"
    return names


class _Recorder(TorchFunctionMode):
    def __init__(self, names: dict[int, str]) -> None:
        super().__init__()
        self._columns = names
        self._known: dict[int, str] = {}
        self._keep: list[Any] = []
        self._inputs: dict[str, str] = {}
        self._lines: list[str] = []
        self._depth = 0
        self._count = 0

    @contextmanager
    def recording(self) -> Iterator[None]:
        with self:
            sys.setprofile(self._profile)
            try:
                yield
            finally:
                sys.setprofile(None)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if self._depth == 0:
            name = getattr(func, "__name__", "")
            if name not in _SILENT:
                self._line(_torch_call(func, name, [self._show(a) for a in args], self._keywords(kwargs)), result)
        return result

    def _profile(self, frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if not code.co_filename.startswith(_KERNELS) or code.co_name.startswith("<") or event not in ("call", "return"):
            return
        if event == "call":
            self._depth += 1
            return
        self._depth -= 1
        if self._depth == 0 and argument is not None:
            names = code.co_varnames[: code.co_argcount]
            values = [frame.f_locals.get(name) for name in names]
            module = Path(code.co_filename).stem
            if names and names[0] == "self":
                call = f"{self._show(values[0])}.{code.co_name}({', '.join(map(self._show, values[1:]))})"
            else:
                call = f"{module}.{code.co_name}({', '.join(map(self._show, values))})"
            self._line(call, argument)

    def _line(self, call: str, result: Any) -> None:
        if isinstance(result, tuple | list) and any(isinstance(item, Tensor) for item in result):
            target = ", ".join(self._name(item) for item in result)
        elif isinstance(result, Tensor):
            target = self._name(result)
        else:
            return
        self._lines.append(f"    {target} = {call}{_shapes(result)}")

    def _name(self, value: Any) -> str:
        if not isinstance(value, Tensor):
            return "_"
        self._count += 1
        name = f"t{self._count}"
        self._known[id(value)] = name
        self._keep.append(value)
        return name

    def _show(self, value: Any) -> str:
        if isinstance(value, Tensor):
            if id(value) not in self._known:
                self._input(value)
            return self._known[id(value)]
        if isinstance(value, list | tuple):
            inner = ", ".join(map(self._show, value))
            return f"[{inner}]" if isinstance(value, list) else f"({inner},)"
        if isinstance(value, torch.dtype | torch.device | int | float | str | bool | slice | None.__class__):
            return repr(value) if isinstance(value, str) else str(value)
        name = type(value).__name__.lower()
        self._inputs.setdefault(name, f"a {type(value).__name__}")
        return name

    def _input(self, value: Tensor) -> None:
        name = self._columns.get(value.data_ptr()) if value.numel() else None
        if name is None or name in self._inputs:
            name = f"{name or 'c'}_{len(self._inputs)}"
        self._known[id(value)] = name
        self._keep.append(value)
        self._inputs[name] = f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"

    def _keywords(self, kwargs: dict[str, Any] | None) -> list[str]:
        return [f"{key}={self._show(value)}" for key, value in (kwargs or {}).items()]

    def function(self, pipeline: Pipeline) -> str:
        stages = [stage.describe() for stage in pipeline.stages]
        doc = "".join(f"    # {line}\n" for line in (pipeline.source.describe(), *stages, pipeline.sink.describe()))
        inputs = "".join(f"\n    {name},  # {kind}" for name, kind in self._inputs.items())
        signature = f"({inputs}\n)" if inputs else "()"
        body = "\n".join(self._lines) or "    pass"
        return f"def pipeline_{pipeline.slot}{signature}:\n{doc}{body}"


def _torch_call(func: Any, name: str, args: list[str], keywords: list[str]) -> str:
    plain = name.strip("_")
    if name.startswith("__r") and plain[1:] in _OPERATORS and len(args) == 2:
        return f"{args[1]} {_OPERATORS[plain[1:]]} {args[0]}"
    if name.startswith("__") and plain in _OPERATORS and len(args) == 2:
        return f"{args[0]} {_OPERATORS[plain]} {args[1]}"
    if name == "__invert__":
        return f"~{args[0]}"
    if name == "__getitem__":
        return f"{args[0]}[{args[1]}]"
    full = resolve_name(func) or name
    if full.startswith("torch.Tensor.") and args:
        return f"{args[0]}.{name}({', '.join([*args[1:], *keywords])})"
    return f"{full}({', '.join([*args, *keywords])})"


def _shapes(result: Any) -> str:
    first = result if isinstance(result, Tensor) else next(item for item in result if isinstance(item, Tensor))
    return f"  # {str(first.dtype).removeprefix('torch.')}{list(first.shape)}"
