"""A traced function of whole columns, written as a loop over their rows.

What the tracer gives is a graph of tensor operations. Those whose result has a number a row become statements on numbers; those
that no column is in are computed beforehand, once a run. What has another shape, or an operation that is not in `OPERATIONS`,
is refused with NotTraceable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

import torch
from torch import Tensor
from torch.fx import GraphModule, Node

from tqp.kernels.operation import NotTraceable

__all__ = ["INTEGRAL", "NUMBERS", "OPERATIONS", "Rowwise", "Statement", "cast", "literal"]

_aten = torch.ops.aten

NUMBERS: Final = {
    torch.bool, torch.int8, torch.int16, torch.int32, torch.int64, torch.float32, torch.float64,
}  # fmt: skip

Written = Callable[..., str]


def _trunc(a: str, b: str) -> str:
    """The quotient without its fraction: Python's rounds down."""
    return f"({a} // {b} + (1 if ({a} < 0) != ({b} < 0) and {a} % {b} != 0 else 0))"


def _divided(a: str, b: str, rounding_mode: str = "") -> str:
    if rounding_mode == "floor":
        return f"({a} // {b})"
    return _trunc(a, b) if rounding_mode == "trunc" else f"({a} / {b})"


def _clamped(x: str, low: str = "None", high: str = "None", min: str = "None", max: str = "None") -> str:
    low, high = (min if low == "None" else low), (max if high == "None" else high)
    x = x if low == "None" else f"({x} if {x} > {low} else {low})"
    return x if high == "None" else f"({x} if {x} < {high} else {high})"


def _infix(sign: str) -> Written:
    return lambda a, b: f"({a} {sign} {b})"


OPERATIONS: Final[dict[Any, Written]] = {
    _aten.add: _infix("+"), _aten.sub: _infix("-"), _aten.mul: _infix("*"), _aten.rsub: lambda a, b: f"({b} - {a})",
    _aten.eq: _infix("=="), _aten.ne: _infix("!="), _aten.lt: _infix("<"), _aten.le: _infix("<="), _aten.gt: _infix(">"),
    _aten.ge: _infix(">="), _aten.bitwise_and: _infix("&"), _aten.bitwise_or: _infix("|"), _aten.bitwise_xor: _infix("^"),
    _aten.logical_and: lambda a, b: f"({a} and {b})", _aten.logical_or: lambda a, b: f"({a} or {b})",
    _aten.logical_not: lambda a: f"(not {a})",
    _aten.__lshift__: _infix("<<"), _aten.__rshift__: _infix(">>"), _aten.bitwise_left_shift: _infix("<<"),
    _aten.bitwise_right_shift: _infix(">>"), _aten.neg: lambda a: f"(-{a})", _aten.abs: lambda a: f"abs({a})",
    _aten.where: lambda a, b, c: f"({b} if {a} else {c})", _aten.div: _divided, _aten.floor_divide: _infix("//"),
    _aten.remainder: _infix("%"), _aten.fmod: lambda a, b: f"({a} - {_trunc(a, b)} * {b})", _aten.clamp: _clamped,
    _aten.clamp_min: _clamped, _aten.minimum: lambda a, b: f"min({a}, {b})", _aten.maximum: lambda a, b: f"max({a}, {b})",
    _aten.isnan: lambda a: f"({a} != {a})",
}  # fmt: skip
"""Operations on numbers, as Python writes them."""

_LOOKS: Final = {_aten.index_select, _aten.index}
"""They look into a table."""

_SAME: Final = {_aten.expand, _aten.view, _aten.reshape, _aten.alias, _aten.detach, _aten.clone, _aten._to_copy}
"""They give the numbers that they get, of another dtype perhaps."""

INTEGRAL: Final = {_aten.fmod, _aten.remainder, _aten.floor_divide, _aten.minimum, _aten.maximum, _aten.clamp}
"""They treat NaN and signs of zero as Python does not: written for integers alone."""


_EVERYWHERE: Final = {
    _aten.ones: 1, _aten.ones_like: 1, _aten.zeros: 0, _aten.zeros_like: 0, _aten.full: None, _aten.full_like: None,
}  # fmt: skip
"""They give one number for all rows; None: their second argument."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One number of a row: its name, how it is computed, the names of those that this reads, and whether it looks into a table."""

    name: str
    text: str
    reads: frozenset[str]
    looks: bool


class Rowwise:
    """What a traced function does for a row, and what it knows before there is one.

    `traced` is a function of `columns` columns (`rows`,), and then of tensors of other shapes, that gives a list of columns; `rows`
    is a number that no other size has. `statements` are in order; `results` are expressions, one for each column that it gives.
    Columns are called column_0, column_1, …, their numbers are read at `row`; `constants` are called constant_0, constant_1, …,
    those that are one number being of the dtypes in `numbers`.
    """

    def __init__(self, traced: GraphModule, rows: int, columns: int) -> None:
        self.statements: list[Statement] = []
        self._traced = traced
        self._rows = rows
        self._constants: dict[Node, str] = {}
        self._texts: dict[Node, str] = {}
        self._given = [node for node in traced.graph.nodes if node.op == "placeholder"]
        self._own = {node: place for place, node in enumerate(self._given[:columns])}
        self._is_row: dict[Node, bool] = {}
        for node in traced.graph.nodes:
            if node.op != "output":
                self._is_row[node] = self._reads_rows(node)
        (output,) = traced.graph.find_nodes(op="output")
        (results,) = output.args
        assert isinstance(results, list | tuple)
        for node in traced.graph.nodes:
            if self._is_row.get(node, False):
                self._write(node)
        self.results: list[str] = [self._text(node) for node in results]

    @property
    def constants(self) -> list[torch.dtype | type]:
        """What each constant is: the dtype of a row of numbers, or int, float, bool for one."""
        return [_kind(node.meta["val"]) for node in self._constants]

    @property
    def numbers(self) -> list[torch.dtype | None]:
        """The dtype of each constant that is one number; None of the others."""
        values = [node.meta["val"] for node in self._constants]
        return [None if value.ndim else value.dtype for value in values]

    def values(self, given: Sequence[Tensor]) -> Iterator[Any]:
        """The constants where the function is given these tensors after its columns."""
        others = self._given[len(self._own) :]
        known: dict[Node, Any] = dict(zip(others, given, strict=True))
        for node in self._constants:
            value = self._value(node, known)
            if value.ndim:
                yield value.contiguous().numpy()
            else:
                yield value.item()  # host: constants are on the CPU

    def _value(self, node: Node, known: dict[Node, Any]) -> Any:
        if node not in known:
            if node.op == "get_attr":
                known[node] = getattr(self._traced, str(node.target))
            else:
                assert callable(node.target)
                args = torch.fx.node.map_arg(node.args, lambda one: self._value(one, known))
                kwargs = torch.fx.node.map_arg(node.kwargs, lambda one: self._value(one, known))
                value = node.target(*args, **kwargs)
                # In place or not: what is known of others stays.
                known[node] = value.clone() if isinstance(value, Tensor) else value
        return known[node]

    def _reads_rows(self, node: Node) -> bool:
        """Whether it gives a number a row. NotTraceable for what it gives otherwise of columns."""
        if node in self._own:
            return True
        value = node.meta.get("val")
        if node.op == "get_attr" and value is None:
            value = node.meta["val"] = getattr(self._traced, str(node.target))
        is_row = isinstance(value, Tensor) and tuple(value.shape) == (self._rows,)
        if is_row and node.op != "call_function":
            raise NotTraceable("a constant is as long as the trace")
        if not is_row and any(self._is_row[one] for one in node.all_input_nodes):
            raise NotTraceable(f"{node.target} gives other than a number a row")
        return is_row

    def _write(self, node: Node) -> None:
        dtype = node.meta["val"].dtype
        if dtype not in NUMBERS:
            raise NotTraceable(f"{dtype} is not compiled row by row")
        text = f"column_{self._own[node]}[row]" if node in self._own else self._expression(node, dtype)
        looks = isinstance(node.target, torch._ops.OpOverload) and node.target.overloadpacket in _LOOKS
        reads = frozenset([self._texts[one] for one in node.all_input_nodes if self._is_row[one]])
        self._texts[node] = f"x{len(self.statements)}"
        self.statements.append(Statement(self._texts[node], text, reads, looks))

    def _expression(self, node: Node, dtype: torch.dtype) -> str:
        assert isinstance(node.target, torch._ops.OpOverload)
        operation = node.target.overloadpacket
        if operation in _LOOKS:
            return self._looked_up(node)
        if operation in _EVERYWHERE:
            fill = _EVERYWHERE[operation]
            return cast(literal(node.args[1] if fill is None else fill), dtype)
        if operation in _SAME:
            (source, *_) = node.args
            text = self._text(source)
            return cast(text, dtype) if dtype is not _dtype(source) else text
        if operation is _aten.bitwise_not:
            text = self._text(node.args[0])
            return f"(not {text})" if dtype is torch.bool else f"(~{text})"
        if operation not in OPERATIONS:
            raise NotTraceable(f"{operation} is not compiled row by row")
        if operation in INTEGRAL and dtype.is_floating_point:
            raise NotTraceable(f"{operation} of floats is not compiled row by row")
        if "alpha" in node.kwargs:
            raise NotTraceable(f"{operation} with a factor is not compiled row by row")
        args = [self._text(one) for one in node.args]
        named = {key: value if isinstance(value, str) else self._text(value) for key, value in node.kwargs.items()}
        text = OPERATIONS[operation](*args, **named)
        # Numba computes in 64 bits, of truth values too, where torch keeps to the width of its operands.
        return text if dtype in (torch.int64, torch.float64) else cast(text, dtype)

    def _looked_up(self, node: Node) -> str:
        """A look into a table of constants."""
        table, place = node.args[0], node.args[-1]
        if isinstance(place, list | tuple):
            (place,) = place
        assert isinstance(table, Node)
        if self._is_row[table] or not isinstance(place, Node) or not self._is_row[place]:
            raise NotTraceable("a look-up in a column is not compiled row by row")
        if table.meta["val"].ndim != 1 or table.meta["val"].dtype not in NUMBERS:
            raise NotTraceable("a look-up of other than numbers is not compiled row by row")
        # As unsigned: Python counts negative places from the end, of which this has none.
        where = f"np.uint64({self._text(place)})" if node.target is _aten.index_select.default else self._text(place)
        return f"{self._constant(table)}[{where}]"

    def _text(self, value: Any) -> str:
        if not isinstance(value, Node):
            return literal(value)
        return self._texts[value] if self._is_row[value] else self._constant(value)

    def _constant(self, node: Node) -> str:
        if node not in self._constants:
            value = node.meta.get("val")
            if not isinstance(value, Tensor) or value.ndim > 1 or value.dtype not in NUMBERS:
                raise NotTraceable(f"{node.target} is no constant of one dimension")
            self._constants[node] = f"constant_{len(self._constants)}"
        return self._constants[node]


def _kind(value: Tensor) -> torch.dtype | type:
    if value.ndim:
        return value.dtype
    return bool if value.dtype is torch.bool else float if value.dtype.is_floating_point else int


def _dtype(value: Any) -> torch.dtype | None:
    return value.meta["val"].dtype if isinstance(value, Node) and "val" in value.meta else None


def literal(value: Any) -> str:
    """A number, truth value or None of the traced function."""
    return repr(value) if not isinstance(value, float) or isfinite(value) else f'float("{value}")'


def cast(text: str, dtype: torch.dtype) -> str:
    """A number as one of a dtype."""
    if dtype is torch.bool:
        return f"({text} != 0)"
    return f"np.{str(dtype).removeprefix('torch.')}({text})"
