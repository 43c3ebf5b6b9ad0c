"""What torch does to columns of a few rows, as statements of Python on the numbers of one row.

A function of columns is run once on rows that stand for all; each call of torch whose result has a number a row becomes a
statement. Python's integers have no width: a statement whose result may leave its dtype is checked, and `Unusual` raised where it
does. So a row is computed as torch computes it, or not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from tqp.kernels.operation import NotTraceable
from tqp.runtime.rowwise import INTEGRAL, NUMBERS, OPERATIONS, literal

__all__ = ["RowTrace", "Unusual"]

_aten = torch.ops.aten

_KNOWN_BY: Final = {
    "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "truediv": "div", "floordiv": "floor_divide",
    "true_divide": "div", "mod": "remainder", "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift", "radd": "add",
    "rmul": "mul", "rand": "bitwise_and", "ror": "bitwise_or", "invert": "bitwise_not", "absolute": "abs", "clip": "clamp",
    "less": "lt", "greater": "gt", "less_equal": "le", "greater_equal": "ge", "not_equal": "ne", "subtract": "sub",
    "multiply": "mul",
}  # fmt: skip
"""Operators, and other names of functions."""

_SAME: Final = {
    "to", "type", "long", "int", "short", "char", "double", "bool", "clone", "contiguous", "detach", "expand", "expand_as",
    "reshape", "view", "alias",
}  # fmt: skip
"""They give the numbers that they get, of another dtype perhaps."""

_UNIFORM: Final = {"ones", "ones_like", "zeros", "zeros_like", "full", "full_like"}
"""They give one number for all rows."""

_ARITHMETIC: Final = {"add", "sub", "rsub", "mul", "neg", "abs", "div", "floor_divide", "remainder", "fmod"}

_LOOKS: Final = {"index_select", "getitem"}

_MAY_LEAVE: Final = {
    "add", "sub", "rsub", "mul", "neg", "abs", "bitwise_left_shift", "__lshift__", "floor_divide", "div", *_SAME,
}  # fmt: skip
"""Their results may not fit the dtype that torch gives them."""

_TOLD: Final = {
    "__get__", "__len__", "size", "dim", "stride", "numel", "element_size", "is_floating_point", "is_contiguous", "data_ptr",
    "nelement", "get_device", "is_complex", "is_signed",
}  # fmt: skip
"""They tell the form of a tensor, which all rows share."""


class Unusual(Exception):
    """A row takes another course than the traced one, or its numbers leave the dtypes of that."""


@dataclass(frozen=True, slots=True)
class _Number:
    """A statement: the name of its number, what computes it, the names that this reads, and what it must not leave."""

    name: str
    text: str
    reads: tuple[str, ...]
    limits: tuple[int, int] | None = None


class RowTrace(TorchFunctionMode):
    """Notes statements while it is entered; `rows` is how many rows stand for all, which is the length of no other tensor.

    `tables` are what statements look into, by name.
    """

    def __init__(self, rows: int) -> None:
        super().__init__()
        self.tables: dict[str, memoryview] = {}
        self._rows = rows
        self._names: dict[int, str | None] = {}
        self._numbers: dict[str, _Number] = {}
        self._table_names: dict[int, str] = {}
        # What has a name by its identity must stay.
        self._kept: list[Any] = []

    def given(self, tensor: Tensor, text: str) -> None:
        """The numbers of `tensor` (rows,) are what an expression of Python gives for a row."""
        self._note(tensor, text, ())

    def text(self, tensor: Tensor) -> str:
        """What gives the number of a row of `tensor`, once the statements that it `needs` ran."""
        if id(tensor) not in self._names and tuple(tensor.shape) != (self._rows,):
            return self._constant(tensor)
        name = self._names.get(id(tensor))
        if name is None:
            raise NotTraceable("a number is made of rows in a way that is not written row by row")
        return name

    def needs(self, tensors: Sequence[Tensor], done: set[str]) -> list[str]:
        """Lines that compute the numbers of some tensors, in order, but for those that are `done`, which they then are."""
        needed: set[str] = set()
        waiting = [self.text(one) for one in tensors]
        while waiting:
            name = waiting.pop()
            if name in self._numbers and name not in needed and name not in done:
                needed.add(name)
                waiting += self._numbers[name].reads
        done |= needed
        lines = []
        for name, one in self._numbers.items():
            if name in needed:
                lines.append(f"{name} = {one.text}")
                if one.limits is not None:
                    low, high = one.limits
                    lines += [f"if not {low} <= {name} <= {high}:", "    raise Unusual"]
        return lines

    def table(self, tensor: Tensor) -> str:
        """The name of a tensor (n,) on the CPU whose numbers are read one by one."""
        name = self._table_names.get(id(tensor))
        if name is None:
            if tensor.dtype not in NUMBERS or tensor.ndim != 1 or not tensor.is_cpu:
                raise NotTraceable("a table of other than numbers is looked into")
            name = self._table_names[id(tensor)] = f"table_{len(self._table_names)}"
            self._kept.append(tensor)
            self.tables[name] = tensor.contiguous().numpy().data  # host: on the CPU
        return name

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        name = getattr(func, "__name__", "")
        reads_rows = any(id(one) in self._names for one in _tensors((args, kwargs)))
        if not isinstance(result, Tensor):
            made = _tensors(result)
            if reads_rows and not made and name not in _TOLD:
                raise NotTraceable(f"{name} asks for the values of rows")
            for one in made if reads_rows else ():
                self._forget(one)
        elif args and result is args[0]:
            if name.strip("_") not in _SAME and (reads_rows or tuple(result.shape) == (self._rows,)):
                raise NotTraceable(f"{name} changes rows in place")
        elif reads_rows or tuple(result.shape) == (self._rows,):
            self._call(func, name, args, kwargs, result)
        return result

    def _call(self, func: Any, name: str, args: Sequence[Any], kwargs: dict[str, Any], result: Tensor) -> None:
        """Note what a call does, or that its result cannot be told of one row."""
        bare = name.strip("_")
        known = _KNOWN_BY.get(bare, bare)
        text = None
        if tuple(result.shape) == (self._rows,) and result.dtype in NUMBERS and "out" not in kwargs:
            text = self._written(func, known, args, kwargs, result)
        if text is None:
            self._forget(result)
            return
        reads = tuple([self.text(one) for one in _tensors((args, kwargs)) if self._names.get(id(one)) is not None])
        limits = None
        if known in _MAY_LEAVE and not result.dtype.is_floating_point and result.dtype is not torch.bool:
            limits = self._limits(known, args, result)
        self._note(result, text, reads, limits)

    def _limits(self, known: str, args: Sequence[Any], result: Tensor) -> tuple[int, int] | None:
        """What the integers of a result must not leave, where they might."""
        source = args[0] if args else None
        if known in _SAME and isinstance(source, Tensor) and source.dtype.itemsize <= result.dtype.itemsize:
            return None
        info = torch.iinfo(result.dtype)
        return info.min, info.max

    def _written(
        self, func: Any, known: str, args: Sequence[Any], kwargs: dict[str, Any], result: Tensor
    ) -> str | None:
        if known in _UNIFORM or (known == "expand" and args[0].numel() == 1 and id(args[0]) not in self._names):
            return literal(result[0].item())  # host: on the CPU
        tensors = _tensors((args, kwargs))
        if any(self._names.get(id(one), "") is None for one in tensors):
            return None
        if known in _LOOKS:
            return self._looked_up(args, kwargs)
        if known in _SAME:
            reads_bits = known == "view" and args[0].dtype is not result.dtype
            return None if reads_bits else self._same(args[0], result.dtype)
        if known == "where" and len(args) == 3:
            condition, one, other = args if func is torch.where else (args[1], args[0], args[2])
            return self._either(condition, one, other, result)
        if known == "masked_fill" and len(args) == 3:
            return self._either(args[1], args[2], args[0], result)
        return self._computed(known, args, kwargs, result)

    def _either(self, condition: Tensor, one: Any, other: Any, result: Tensor) -> str | None:
        texts = [self._operand(value, result.dtype.is_floating_point) for value in (one, other)]
        if condition.dtype is not torch.bool or None in texts:
            return None
        return f"({texts[0]} if {self.text(condition)} else {texts[1]})"

    def _computed(self, known: str, args: Sequence[Any], kwargs: dict[str, Any], result: Tensor) -> str | None:
        is_float = any(one.dtype.is_floating_point for one in _tensors((args, kwargs)))
        if known == "bitwise_not":
            (text,) = (self._operand(one, False) for one in args)
            return None if text is None else f"(not {text})" if result.dtype is torch.bool else f"(~{text})"
        operation = getattr(_aten, known, None) or getattr(_aten, f"__{known}__", None)
        if operation not in OPERATIONS or "alpha" in kwargs or (operation in INTEGRAL and is_float):
            return None
        if known in _ARITHMETIC and result.dtype is torch.bool:
            return None
        if torch.float32 in (result.dtype, *(one.dtype for one in _tensors((args, kwargs)))):
            return None  # Python's numbers have 64 bits
        texts = [self._operand(one, is_float) for one in args]
        named = {key: self._operand(one, is_float) for key, one in kwargs.items() if key != "rounding_mode"}
        if None in texts or None in named.values():
            return None
        if kwargs.get("rounding_mode") is not None:
            if is_float:
                return None
            named["rounding_mode"] = kwargs["rounding_mode"]
        return OPERATIONS[operation](*texts, **named)

    def _operand(self, value: Any, is_float: bool) -> str | None:
        """An argument as text, of a kind with the other ones: what torch would convert first has none."""
        if isinstance(value, Tensor):
            return None if is_float and not value.dtype.is_floating_point else self.text(value)
        if value is None or isinstance(value, bool):
            return literal(value)
        if not isinstance(value, int | float) or (isinstance(value, float) and not is_float):
            return None
        return literal(float(value) if is_float else value)

    def _same(self, source: Tensor, dtype: torch.dtype) -> str | None:
        if tuple(source.shape) != (self._rows,):
            return None
        text, before = self.text(source), source.dtype
        if before is dtype or (before is torch.float32 and dtype is torch.float64):
            return text
        if dtype is torch.bool:
            return f"({text} != 0)"
        if dtype is torch.float64:
            return f"float({text})"
        if before.is_floating_point or dtype.is_floating_point:
            return None
        return f"(+{text})"

    def _looked_up(self, args: Sequence[Any], kwargs: dict[str, Any]) -> str | None:
        """A look into a table that is the same for all rows."""
        table, place = args[0], args[-1]
        if kwargs or not isinstance(place, Tensor) or id(place) not in self._names or id(table) in self._names:
            return None
        if table.ndim != 1 or table.dtype not in NUMBERS or place.dtype is torch.bool:
            return None
        return f"{self.table(table)}[{self.text(place)}]"

    def _note(self, tensor: Tensor, text: str, reads: tuple[str, ...], limits: tuple[int, int] | None = None) -> None:
        name = f"x{len(self._numbers)}"
        self._numbers[name] = _Number(name, text, reads, limits)
        self._names[id(tensor)] = name
        self._kept.append(tensor)

    def _forget(self, tensor: Tensor) -> None:
        """It is made of rows, and nothing is known of it."""
        self._names[id(tensor)] = None
        self._kept.append(tensor)

    def _constant(self, tensor: Tensor) -> str:
        if tensor.ndim or tensor.dtype not in NUMBERS:
            raise NotTraceable("a constant is no number")
        return literal(tensor.item())  # host: on the CPU


def _tensors(value: Any) -> list[Tensor]:
    """The tensors among arguments."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [one for part in value for one in _tensors(part)] if isinstance(value, list | tuple) else []
