"""EXPLAIN "program": the tensor program as torch code, as it really ran.

The program is executed eagerly with one worker while two observers write down what happens: a `TorchFunctionMode` sees each
torch operation, a profile hook sees each call into `tqp.kernels`, which is listed as one line in place of the operations
inside it. Each pipeline becomes a function of the tensors it reads, named by their columns, which returns what later
pipelines read. Of its batches only the first is listed; lines whose result nothing reads are left out.
"""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, is_dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode, resolve_name

from tqp.column import Column
from tqp.config import Settings
from tqp.physical.build import Built, Members
from tqp.physical.pipeline import Pipeline, PreparedSink, PreparedStage, Program, Relation, Run
from tqp.physical.probe import ProbeStage
from tqp.physical.scan import ResultSource, TableSource
from tqp.runtime.trace import Trace, WatchedSink

__all__ = ["program_text"]

_KERNELS = str(Path(__file__).parents[1] / "kernels")
_OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "eq": "==", "ne": "!=", "floordiv": "//", "mod": "%", "truediv": "/",
}  # fmt: skip
_SILENT = {
    "__get__", "__len__", "size", "dim", "numpy", "stride", "element_size", "numel", "is_floating_point", "data_ptr",
    "item", "tolist",
}  # fmt: skip
_WIDTH = 120
_TEMPORARY = re.compile(r"\bt\d+\b")


def program_text(program: Program, settings: Settings) -> str:
    """Run the program once and list it as Python code, a function a pipeline."""
    from tqp.runtime.executor import run

    listing = _Listing()
    run(program, replace(settings, threads=1, backend="eager"), listing)
    return listing.text()


class _Listing(Trace):
    """A trace that writes code."""

    def __init__(self) -> None:
        super().__init__()
        self._functions: list[str] = []
        self._recorder = _Recorder({})

    def watch(self, pipeline: Pipeline, stages: list[PreparedStage]) -> list[PreparedStage]:
        return stages

    def watch_sink(self, pipeline: Pipeline, state: Run, sink: PreparedSink, compiled: int) -> PreparedSink:
        self._recorder = _Recorder(_names(pipeline, state))
        return _RecordedSink(sink, self._recorder)

    @contextmanager
    def first_batch(self, pipeline: Pipeline, state: Run) -> Iterator[None]:
        with self._recorder.recording():
            yield

    def end(self, pipeline: Pipeline, state: Run, rows: int, batches: int, workers: int) -> None:
        self._functions.append(self._recorder.function(pipeline, state.results[pipeline.slot], batches))

    def text(self) -> str:
        body = "\n\n\n".join(self._functions)
        kernels = sorted(path.stem for path in Path(_KERNELS).glob("*.py") if f" {path.stem}." in body)
        imports = "import torch" + (f"\nfrom tqp.kernels import {', '.join(kernels)}" if kernels else "")
        return f"{imports}\n\n\n{body}"


class _RecordedSink(WatchedSink):
    def __init__(self, inner: PreparedSink, recorder: _Recorder) -> None:
        super().__init__(inner)
        self._recorder = recorder

    def local(self) -> object:
        with self._recorder.recording():
            return super().local()

    def finish(self, locals: list[object]) -> object:
        self._recorder.comment("after the last batch")
        with self._recorder.recording():
            return super().finish(locals)


def _names(pipeline: Pipeline, state: Run) -> dict[int, str]:
    """Names of the tensors that a pipeline reads, by address, and of its lookups, by identity."""
    named: dict[str, Column] = {}
    names: dict[int, str] = {}
    if isinstance(pipeline.source, TableSource):
        named.update(pipeline.source.columns())
    elif isinstance(pipeline.source, ResultSource):
        named.update(pipeline.source.whole(state))
    for place, stage in enumerate(pipeline.stages):
        if isinstance(stage, ProbeStage):
            built = stage.build.get(state)
            named.update(built.columns)
            names[id(built.lookup)] = f"lookup_{place}"
            if built.alive is not None:
                names[built.alive.data_ptr()] = f"alive_{place}"
    for slot, result in state.results.items():
        if isinstance(result, Members):
            names[result.bitmap.data_ptr()] = f"bitmap_{slot}"
    for symbol, column in named.items():
        for tensor, suffix in ((column.data, ""), (column.valid, "_valid")):
            if tensor is not None and tensor.numel():
                names[tensor.data_ptr()] = _identifier(symbol) + suffix
    return names


def _identifier(symbol: str) -> str:
    text = re.sub(r"\W", "_", symbol)
    return text if text.isidentifier() and not keyword.iskeyword(text) else f"c_{text}"


@dataclass(eq=False)
class _Line:
    """One line of code: what it assigns, and the tensor it reads or changes."""

    text: str
    targets: tuple[str, ...] = ()
    shape: str = ""
    changes: str | None = None
    is_comment: bool = False


class _Recorder(TorchFunctionMode):
    """Writes down what happens while it records."""

    def __init__(self, names: Mapping[int, str]) -> None:
        super().__init__()
        self._outside = names
        self._known: dict[int, str] = {}
        self._keep: list[Any] = []
        self._inputs: dict[str, str] = {}
        self._lines: list[_Line] = []
        self._calls: list[str] = []
        self._count = 0

    @contextmanager
    def recording(self) -> Iterator[None]:
        with self:
            sys.setprofile(self._profile)
            try:
                yield
            finally:
                sys.setprofile(None)

    def comment(self, text: str) -> None:
        self._lines.append(_Line(text, is_comment=True))

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        listed = not self._calls and name not in _SILENT
        # Before the call, as what it changes in place may be an input nobody has named yet.
        call = _torch_call(func, name, [self._show(a) for a in args], self._keywords(kwargs)) if listed else ""
        result = func(*args, **kwargs)
        if not listed:
            return result
        if name == "__setitem__":
            target, place, value = map(self._show, args)
            self._lines.append(_Line(f"{target}[{place.strip('()')}] = {value}", changes=target))
        elif args and result is args[0]:
            if name.endswith("_"):
                self._lines.append(_Line(call, changes=self._show(args[0])))
        elif name == "__getitem__" and result.shape == args[0].shape and result.data_ptr() == args[0].data_ptr():
            self._alias(result, self._show(args[0]))
        else:
            self._line(call, result)
        return result

    def _profile(self, frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if not code.co_filename.startswith(_KERNELS) or code.co_name.startswith("<") or event not in ("call", "return"):
            return
        if event == "call":
            self._calls.append("" if self._calls else self._kernel_call(frame))
            return
        if self._calls:
            call = self._calls.pop()
            if not self._calls and argument is not None:
                self._line(call, argument)

    def _kernel_call(self, frame: FrameType) -> str:
        code = frame.f_code
        names = code.co_varnames[: code.co_argcount]
        values = [frame.f_locals.get(name) for name in names]
        if names and names[0] == "self":
            return f"{self._show(values[0])}.{code.co_name}({', '.join(map(self._show, values[1:]))})"
        return f"{Path(code.co_filename).stem}.{_public_name(frame)}({', '.join(map(self._show, values))})"

    def _line(self, call: str, result: Any) -> None:
        items = result if isinstance(result, tuple | list) else (result,)
        tensors = [item for item in items if isinstance(item, Tensor)]
        if is_dataclass(result) and not isinstance(result, type):
            self._count += 1
            self._alias(result, f"t{self._count}")
            self._lines.append(_Line(call, (f"t{self._count}",), type(result).__name__))
        elif tensors:
            targets = tuple(self._name(item) for item in items)
            self._lines.append(_Line(call, targets, _described(tensors[0])))

    def _name(self, value: Any) -> str:
        if not isinstance(value, Tensor):
            return "_"
        self._count += 1
        self._alias(value, f"t{self._count}")
        return f"t{self._count}"

    def _alias(self, value: object, name: str) -> None:
        self._known[id(value)] = name
        self._keep.append(value)

    def _show(self, value: Any) -> str:
        match value:
            case Tensor():
                if id(value) not in self._known:
                    self._input(value)
                return self._known[id(value)]
            case list():
                return f"[{', '.join(map(self._show, value))}]"
            case tuple():
                inner = ", ".join(map(self._show, value))
                return f"({inner},)" if len(value) == 1 else f"({inner})"
            case slice():
                start, stop, step = (
                    "" if part is None else self._show(part) for part in (value.start, value.stop, value.step)
                )
                return f"{start}:{stop}" + (f":{step}" if step else "")
            case torch.device():
                return f'"{value}"'
            case float():
                return repr(value) if abs(value) < float("inf") else f'float("{value}")'
            case str() | int() | None | torch.dtype():
                return repr(value)
            case _:
                return self._object(value)

    def _object(self, value: Any) -> str:
        if id(value) not in self._known:
            name = self._outside.get(id(value)) or f"{type(value).__name__.lower()}_{len(self._inputs)}"
            self._alias(value, name)
            self._inputs[name] = type(value).__name__
        return self._known[id(value)]

    def _input(self, value: Tensor) -> None:
        name = self._outside.get(value.data_ptr()) if value.numel() else None
        if name is None or name in self._inputs:
            name = f"{name or 'constant'}_{len(self._inputs)}"
        self._alias(value, name)
        self._inputs[name] = _described(value)

    def _keywords(self, kwargs: Mapping[str, Any]) -> list[str]:
        return [f"{key}={self._show(value)}" for key, value in kwargs.items()]

    def function(self, pipeline: Pipeline, result: object, batches: int) -> str:
        """What was recorded as a function."""
        returned = {key: self._found(tensor) for key, tensor in _outputs(result)}
        outputs = {key: name for key, name in returned.items() if name is not None}
        lines = self._live(set(outputs.values()))
        steps = [stage.describe() for stage in pipeline.stages]
        head = [pipeline.source.describe(), *steps, pipeline.sink.describe()]
        text = [f"    # {line}" for line in head]
        if batches > 1:
            text.append(f"    # the first of {batches} batches; the others go the same way")
        text += [f"    {self._code(line)}" for line in lines]
        if outputs:
            text.append(_return([f'"{key}": {name}' for key, name in outputs.items()]))
        elif not any(not line.is_comment for line in lines):
            text.append("    pass")
        body = _renumbered("\n".join(text))
        used = {name: kind for name, kind in self._inputs.items() if re.search(rf"\b{re.escape(name)}\b", body)}
        inputs = "".join(f"\n    {name},  # {kind}" for name, kind in used.items())
        return f"def pipeline_{pipeline.slot}({inputs}{chr(10) if inputs else ''}):\n{body}"

    def _found(self, tensor: object) -> str | None:
        """The name of what a pipeline leaves; None where nothing recorded made it."""
        name = self._known.get(id(tensor))
        if name is not None or not isinstance(tensor, Tensor) or tensor.numel() == 0:
            return name
        for other in reversed(self._keep):
            if isinstance(other, Tensor) and other.data_ptr() == tensor.data_ptr() and other.shape == tensor.shape:
                return self._known[id(other)]
        return self._outside.get(tensor.data_ptr())

    def _live(self, needed: set[str]) -> list[_Line]:
        """The lines whose result is read later or returned, and those that change a tensor that is."""
        kept: list[_Line] = []
        for line in reversed(self._lines):
            changed = line.changes is not None and (line.changes in needed or not _TEMPORARY.fullmatch(line.changes))
            if line.is_comment or changed or any(target in needed for target in line.targets):
                kept.append(line)
                if not line.is_comment:
                    needed.update(_TEMPORARY.findall(line.text))
        while kept and kept[0].is_comment:
            kept.pop(0)
        return kept[::-1]

    def _code(self, line: _Line) -> str:
        if line.is_comment:
            return f"# {line.text}"
        if not line.targets:
            return line.text
        return f"{', '.join(line.targets)} = {line.text}  # {line.shape}"


def _public_name(frame: FrameType) -> str:
    """What the function of a frame is called in its module, also if another function made it."""
    code = frame.f_code
    if "<locals>" in code.co_qualname:
        for name, value in frame.f_globals.items():
            cells = getattr(value, "__closure__", None) or ()
            free = [frame.f_locals.get(variable) for variable in code.co_freevars]
            if getattr(value, "__code__", None) is code and [cell.cell_contents for cell in cells] == free:
                return name
    return code.co_name


def _outputs(result: object) -> Iterator[tuple[str, object]]:
    """What a pipeline leaves, by name."""
    if isinstance(result, Tensor):
        yield "alive", result
    if isinstance(result, Members):
        yield "bitmap", result.bitmap
    if isinstance(result, Relation | Built):
        for symbol, column in result.columns.items():
            yield symbol, column.data
            if column.valid is not None:
                yield f"{symbol}_valid", column.valid
    if isinstance(result, Built) and result.lookup is not None:
        yield "lookup", result.lookup


def _return(pairs: list[str]) -> str:
    line = f"    return {{{', '.join(pairs)}}}"
    if len(line) <= _WIDTH:
        return line
    return "\n".join(["    return {", *(f"        {pair}," for pair in pairs), "    }"])


def _renumbered(text: str) -> str:
    """Temporaries t1, t2, … in the order in which they occur."""
    numbers: dict[str, str] = {}
    return _TEMPORARY.sub(lambda found: numbers.setdefault(found[0], f"t{len(numbers) + 1}"), text)


def _torch_call(func: Any, name: str, args: list[str], keywords: list[str]) -> str:
    plain = name.strip("_")
    if name.startswith("__r") and plain[1:] in _OPERATORS and len(args) == 2:
        return f"{args[1]} {_OPERATORS[plain[1:]]} {args[0]}"
    if name.startswith("__") and plain in _OPERATORS and len(args) == 2:
        return f"{args[0]} {_OPERATORS[plain]} {args[1]}"
    if name.startswith("__i") and plain[1:] in _OPERATORS and len(args) == 2:
        return f"{args[0]} {_OPERATORS[plain[1:]]}= {args[1]}"
    if name == "__invert__":
        return f"~{args[0]}"
    if name == "__getitem__":
        return f"{args[0]}[{args[1].strip('()')}]"
    full = resolve_name(func) or name
    if full.startswith("torch.Tensor.") and args:
        return f"{args[0]}.{name}({', '.join([*args[1:], *keywords])})"
    return f"{full}({', '.join([*args, *keywords])})"


def _described(tensor: Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"
