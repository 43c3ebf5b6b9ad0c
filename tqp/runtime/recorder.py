"""Writes down what torch and the kernels do, as lines of Python code."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, is_dataclass
from inspect import CO_VARARGS
from pathlib import Path
from types import EllipsisType, FrameType
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from tqp.kernels import operation
from tqp.runtime.spelling import KERNELS, MARK, Names, comment, temporary, torch_call

__all__ = ["Line", "Recorder", "described"]

_FILES = str(KERNELS)
_SILENT = {
    "__get__", "__len__", "size", "dim", "numpy", "stride", "element_size", "numel", "is_floating_point", "data_ptr",
    "item", "tolist",
}  # fmt: skip
_IN_PLACE = {f"__i{name}__" for name in ("add", "sub", "mul", "and", "or", "xor", "truediv", "floordiv", "mod")}


@dataclass(eq=False)
class Line:
    """One line of code: what it assigns, and the tensor whose memory it changes."""

    text: str
    targets: tuple[str, ...] = ()
    shape: str = ""
    changes: Tensor | None = None
    is_comment: bool = False
    several: bool = False

    def __str__(self) -> str:
        if self.is_comment:
            return comment(self.text)
        if not self.targets:
            return self.text
        # A tuple of one is taken apart, too.
        targets = ", ".join(self.targets) + ("," if self.several and len(self.targets) == 1 else "")
        return f"{targets} = {self.text}  {comment(self.shape)}"


class Recorder(TorchFunctionMode):
    """Writes down what happens while it records.

    `names` are those of what is there before, tensors by address and other objects by identity. `arguments` are the objects
    among them, and constants, that were read so far, by their names.
    """

    def __init__(self, names: Mapping[int, str], taken: Names) -> None:
        super().__init__()
        self.arguments: dict[str, object] = {}
        self.lines: list[Line] = []
        self._outside = names
        self._taken = taken
        self._known: dict[int, str] = {}
        self._keep: list[Any] = []
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
        self.lines.append(Line(text, is_comment=True))

    def found(self, value: object) -> str | None:
        """The name of what a pipeline leaves; None of a constant for all rows that nothing recorded made."""
        name = self._known.get(id(value))
        if name is not None or not isinstance(value, Tensor) or value.numel() == 0:
            return name
        for other in reversed(self._keep):
            if isinstance(other, Tensor) and other.data_ptr() == value.data_ptr() and other.shape == value.shape:
                return self._known[id(other)]
        # The elements of a constant list may be all that there is: nothing is done to them.
        is_there = value.data_ptr() in self._outside or (value.dim() and value.stride(0))
        return self._input(value) if is_there else None

    def live(self, needed: set[str]) -> list[Line]:
        """The lines whose result is read later or returned, and those that change memory that is."""
        kept: list[Line] = []
        places: dict[str, set[int]] = defaultdict(set)
        for value in self._keep:
            if isinstance(value, Tensor):
                places[self._known[id(value)]].add(_memory(value))
        memory = {place for name in needed for place in places[name]}
        for line in reversed(self.lines):
            changed = line.changes is not None and (
                _memory(line.changes) in memory or not MARK.fullmatch(self._known.get(id(line.changes), ""))
            )
            if line.is_comment or changed or any(target in needed for target in line.targets):
                kept.append(line)
                if not line.is_comment:
                    for name in MARK.findall(line.text):
                        needed.add(name)
                        memory |= places[name]
        while kept and kept[0].is_comment:
            kept.pop(0)
        return kept[::-1]

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        listed = not self._calls and name not in _SILENT
        # Before the call, as what it changes in place may be an input nobody has named yet.
        call = self._torch_call(func, name, args, kwargs) if listed else ""
        if listed and args and isinstance(args[0], Tensor) and _changes(name):
            self._keep_state(args[0])
        result = func(*args, **kwargs)
        if not listed:
            return result
        if name == "__setitem__":
            self.lines.append(Line(call, changes=args[0]))
        elif args and result is args[0]:
            if _changes(name):
                self.lines.append(Line(call, changes=args[0]))
        elif name == "__getitem__" and result.shape == args[0].shape and result.data_ptr() == args[0].data_ptr():
            self._alias(result, self._show(args[0]))
        else:
            self._line(call, result)
        return result

    def _torch_call(self, func: Any, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        if name == "__setitem__":
            return f"{self._show(args[0])}[{self._place(args[1])}] = {self._show(args[2])}"
        if name == "__getitem__":
            return torch_call(func, name, [self._show(args[0]), self._place(args[1])], [])
        return torch_call(func, name, [self._show(arg) for arg in args], self._keywords(kwargs))

    def _profile(self, frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if not code.co_filename.startswith(_FILES) or code.co_name.startswith("<") or event not in ("call", "return"):
            return
        if event == "call":
            self._calls.append("" if self._calls else self._kernel_call(frame))
            return
        if self._calls:
            call = self._calls.pop()
            if not self._calls and argument is not None:
                self._line(call, argument)

    def _kernel_call(self, frame: FrameType) -> str:
        code, local = frame.f_code, frame.f_locals
        if code.co_filename == operation.__file__ and code.co_name == "call":
            shown = [*map(self._show, local["args"]), *self._keywords(local["kwargs"])]
            return f"{local['name']}({', '.join(shown)})"
        names = code.co_varnames
        count = code.co_argcount
        shown = [self._show(local.get(name)) for name in names[:count]]
        after = count + code.co_kwonlyargcount
        if code.co_flags & CO_VARARGS:
            shown += map(self._show, local[names[after]])
        shown += [f"{name}={self._show(local.get(name))}" for name in names[count:after]]
        if names and names[0] == "self":
            return f"{shown[0]}.{code.co_name}({', '.join(shown[1:])})"
        return f"{Path(code.co_filename).stem}.{code.co_name}({', '.join(shown)})"

    def _line(self, call: str, result: Any) -> None:
        several = isinstance(result, tuple | list)
        items = result if several else (result,)
        tensors = [item for item in items if isinstance(item, Tensor)]
        if is_dataclass(result) and not isinstance(result, type):
            self._count += 1
            self._alias(result, temporary(self._count))
            self.lines.append(Line(call, (temporary(self._count),), type(result).__name__))
        elif tensors:
            targets = tuple(self._name(item) for item in items)
            self.lines.append(Line(call, targets, described(tensors[0]), several=several))

    def _name(self, value: Any) -> str:
        if not isinstance(value, Tensor):
            return "_"
        self._count += 1
        self._alias(value, temporary(self._count))
        return temporary(self._count)

    def _alias(self, value: object, name: str) -> None:
        self._known[id(value)] = name
        self._keep.append(value)

    def _show(self, value: Any) -> str:
        match value:
            case Tensor():
                return self._known.get(id(value)) or self._input(value)
            case list():
                return f"[{', '.join(map(self._show, value))}]"
            case tuple():
                inner = ", ".join(map(self._show, value))
                return f"({inner},)" if len(value) == 1 else f"({inner})"
            case slice():
                return f"slice({', '.join(map(self._show, (value.start, value.stop, value.step)))})"
            case torch.device():
                return f'"{value}"'
            case float():
                return repr(value) if abs(value) < float("inf") else f'float("{value}")'
            case EllipsisType():
                return "..."
            case str() | int() | None | torch.dtype():
                return repr(value)
            case _:
                return self._known.get(id(value)) or self._object(value)

    def _place(self, value: Any) -> str:
        """What stands between the brackets of a subscript."""
        if isinstance(value, tuple) and value:
            return ", ".join(map(self._place, value)) + ("," if len(value) == 1 else "")
        if isinstance(value, slice):
            start, stop, step = (
                "" if part is None else self._show(part) for part in (value.start, value.stop, value.step)
            )
            return f"{start}:{stop}" + (f":{step}" if step else "")
        return self._show(value)

    def _object(self, value: Any) -> str:
        kind = type(value).__name__
        return self._argument(
            value, self._outside.get(id(value)) or self._taken.take(f"{kind.lower()}_{len(self.arguments)}")
        )

    def _input(self, value: Tensor) -> str:
        name = self._outside.get(value.data_ptr()) if value.numel() else None
        if name is None or name in self.arguments:
            name = self._taken.take(f"{name or 'constant'}_{len(self.arguments)}")
        return self._argument(value, name)

    def _argument(self, value: object, name: str) -> str:
        self._alias(value, name)
        self.arguments[name] = value
        return name

    def _keep_state(self, value: Tensor) -> None:
        """What an argument held before the program changes it, for those who call the function."""
        name = self._known[id(value)]
        if self.arguments.get(name) is value:
            self.arguments[name] = value.clone()

    def _keywords(self, kwargs: Mapping[str, Any]) -> list[str]:
        return [f"{key}={self._show(value)}" for key, value in kwargs.items()]


def _changes(name: str) -> bool:
    """Whether a torch function of that name changes its first argument."""
    return name == "__setitem__" or (name.endswith("_") and not name.startswith("__")) or name in _IN_PLACE


def _memory(tensor: Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def described(tensor: Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"
