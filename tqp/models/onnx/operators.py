"""The registry of ONNX operators as functions of tensors; they stand in `onnx_math`, `onnx_shapes`, `onnx_ml`, `onnx_trees`, …

An operator is a function from a node of the graph to the function that runs it::

    @operator("LeakyRelu", acts="elements")
    def leaky(node: Node) -> Run:
        slope = node.attribute("alpha", 0.01)
        return lambda x: torch.where(x < 0, x * slope, x)

An attribute that it does not read is refused, so that nothing of a graph is ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import torch
from torch import Tensor

from tqp.models.onnx.values import Indexed, Parts, Unsupported, Value, by_code, by_row, dense, width

__all__ = ["Node", "Run", "known", "operator", "prepared"]

Run = Callable[..., Any]
Acts = Literal["tensors", "elements", "rows", "codes", "values"]


@dataclass(eq=False)
class Node:
    """A node of a graph: `kind` its operator, `version` of the operators' domain, `constants` the known inputs by place."""

    kind: str
    domain: str
    version: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any]
    constants: dict[int, Value] = field(default_factory=dict)
    _read: set[str] = field(default_factory=set)

    @property
    def name(self) -> str:
        """The operator with its domain, if that is not ONNX's own."""
        return f"{self.domain}.{self.kind}" if self.domain else self.kind

    def attribute(self, name: str, default: Any = None) -> Any:
        """The attribute's value: number, text, list, or NumPy array of a tensor."""
        self._read.add(name)
        return self.attributes.get(name, default)

    def ignore(self, *names: str) -> None:
        """Attributes that cannot change the answer."""
        self._read.update(names)

    def constant(self, place: int) -> Any:
        """The input at the place, which has to be known."""
        if place not in self.constants:
            raise Unsupported(f"{self.name} with an input {place + 1} that is not constant")
        return self.constants[place]

    def require(self, holds: bool, what: str) -> None:
        """Refuse the node unless it holds."""
        if not holds:
            raise Unsupported(f"{self.name} {what}")

    def unread(self) -> list[str]:
        return sorted(set(self.attributes) - self._read)


@dataclass(frozen=True)
class _Operator:
    make: Callable[[Node], Run]
    acts: Acts
    text: bool
    host: frozenset[int]


_OPERATORS: dict[tuple[str, str], _Operator] = {}


def operator(
    *names: str, domain: str = "", acts: Acts = "tensors", text: bool = False, host: tuple[int, ...] = ()
) -> Callable[[Callable[[Node], Run]], Callable[[Node], Run]]:
    """Register what makes the function of a node.

    `acts` says how the function deals with rows that share a table: "tensors" gets them gathered; "elements" works on
    each element alone and "rows" on each row alone (both get the table in place of the rows); "codes" moves elements of its
    first input around (and gets the codes); "values" takes them as they are. `text`: it takes texts. `host`: inputs
    that are read on the host (shapes, axes).
    """

    def register(function: Callable[[Node], Run]) -> Callable[[Node], Run]:
        for name in names:
            _OPERATORS[domain, name] = _Operator(function, acts, text, frozenset(host))
        return function

    return register


def known() -> Iterator[str]:
    """The names of all operators, for tests and documentation."""
    return (f"{domain}.{name}" if domain else name for domain, name in _OPERATORS)


def prepared(node: Node) -> tuple[Run, frozenset[int]]:
    """The function of a node on values, called with the inputs and whether each is constant; its inputs on the host."""
    found = _OPERATORS.get((node.domain, node.kind))
    if found is None:
        raise Unsupported(f"operator {node.name}")
    run = found.make(node)
    if node.unread():
        raise Unsupported(f"{node.name} with {', '.join(node.unread())}")
    act = _ACTS[found.acts]
    return (lambda args, constant: act(run, args, constant, found.text)), found.host


def _tensors(run: Run, args: list[Any], constant: list[bool], text: bool) -> Any:
    return run(*[None if arg is None else dense(arg) for arg in args])


def _values(run: Run, args: list[Any], constant: list[bool], text: bool) -> Any:
    return run(*args)


def _codes(run: Run, args: list[Any], constant: list[bool], text: bool) -> Any:
    if isinstance(args[0], Parts) and len(args[0].parts) == 1:
        args = [args[0].parts[0], *args[1:]]
    if isinstance(args[0], Indexed):
        flat = by_code(args[0])
        if flat is not None:
            table = flat.table
            result = run(flat.codes, *args[1:])
            return tuple(Indexed(x, table) for x in result) if isinstance(result, tuple) else Indexed(result, table)
    return _tensors(run, args, constant, text)


def _rows(run: Run, args: list[Any], constant: list[bool], text: bool) -> Any:
    if text and isinstance(args[0], Parts) and len(args) == 1:
        # An encoder takes column by column.
        return torch.cat([dense(_rows(run, [part], constant, text)) for part in args[0].parts], dim=1)
    places = [place for place, arg in enumerate(args) if isinstance(arg, Indexed | Parts)]
    if len(places) != 1 or not isinstance(args[places[0]], Indexed):
        return _tensors(run, args, constant, text)
    place = places[0]
    others = [(arg, fixed) for at, (arg, fixed) in enumerate(zip(args, constant, strict=True)) if at != place]
    forms = [by_row(args[place]), by_code(args[place])]
    for number, form in enumerate(forms):
        if form is None or not (isinstance(form.table, Tensor) or text):
            continue
        if number == 1 and (isinstance(form.table, Tensor) or any(arg is not None for arg, _ in others)):
            continue
        if not all(arg is None or fixed and _spreads(arg, form.table.ndim) for arg, fixed in others):
            continue
        result = run(*[form.table if at == place else arg for at, arg in enumerate(args)])
        many = result if isinstance(result, tuple) else (result,)
        if all(item.ndim and item.shape[0] == form.table.shape[0] for item in many):
            # Tables of what texts become are made on the host.
            device = form.codes.device
            made = tuple(Indexed(form.codes, item.to(device) if isinstance(item, Tensor) else item) for item in many)
            return made if isinstance(result, tuple) else made[0]
    return _tensors(run, args, constant, text)


def _spreads(constant: Any, dimensions: int) -> bool:
    """Whether a constant is the same for every row of a value of so many dimensions."""
    return bool(constant.ndim < dimensions or constant.ndim == dimensions > 0 and constant.shape[0] == 1)


def _elements(run: Run, args: list[Any], constant: list[bool], text: bool) -> Any:
    parted = [place for place, arg in enumerate(args) if isinstance(arg, Parts)]
    if len(parted) != 1:
        return _rows(run, args, constant, text)
    place, total = parted[0], width(args[parted[0]])
    fitting = [
        at == place or arg is None or fixed and _spreads(arg, 2) and arg.ndim < 3
        for at, (arg, fixed) in enumerate(zip(args, constant, strict=True))
    ]
    if not all(fitting):
        return _rows(run, args, constant, text)
    made: list[Any] = []
    start = 0
    for part in args[place].parts:
        stop = start + width(part)
        cut = [
            part
            if at == place
            else arg
            if arg is None or arg.ndim == 0 or arg.shape[-1] != total
            else arg[..., start:stop]
            for at, arg in enumerate(args)
        ]
        made.append(_rows(run, cut, constant, text))
        start = stop
    return Parts(tuple(made))


_ACTS: dict[str, Callable[[Run, list[Any], list[bool], bool], Any]] = {
    "tensors": _tensors, "elements": _elements, "rows": _rows, "codes": _codes, "values": _values,
}  # fmt: skip
