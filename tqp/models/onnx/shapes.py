"""ONNX operators that arrange: shapes, slices, gathers, joins, choices. Shapes and positions are known on the host."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from tqp.kernels import waits
from tqp.models.onnx.math import cast_type
from tqp.models.onnx.operators import Node, Run, operator
from tqp.models.onnx.values import (
    Indexed,
    Parts,
    Strings,
    Unsupported,
    Value,
    by_code,
    by_row,
    columns,
    dense,
    ints,
    width,
)

__all__ = ["beside", "host", "selected", "sizes"]


def host(values: list[int]) -> Tensor:
    """Integers on the host, where shapes are computed."""
    return torch.tensor(values, dtype=torch.int64, device="cpu")


@operator("Shape", acts="values")
def _shape(node: Node) -> Run:
    start, end = node.attribute("start", 0), node.attribute("end")
    return lambda x: host(sizes(x)[start:end])


def sizes(x: Value) -> list[int]:
    """The sizes of a value of numbers, or of coded texts."""
    match x:
        case Indexed():
            return [*x.codes.shape, *x.table.shape[1:]]
        case Parts():
            return [sizes(x.parts[0])[0], width(x)]
        case _:
            return list(x.shape)


@operator("Size", acts="values")
def _size(node: Node) -> Run:
    return lambda x: host(sizes(x)).prod()


@operator("Constant")
def _constant(node: Node) -> Run:
    kinds = {
        "value": None, "value_float": torch.float32, "value_floats": torch.float32, "value_int": torch.int64,
        "value_ints": torch.int64,
    }  # fmt: skip
    for name, dtype in kinds.items():
        found = node.attribute(name)
        if found is not None:
            value = found if dtype is None else torch.tensor(found, dtype=dtype, device="cpu")
            return lambda: value
    raise Unsupported(f"Constant of {', '.join(node.attributes)}")


@operator("ConstantOfShape", host=(0,))
def _filled(node: Node) -> Run:
    value = node.attribute("value")
    fill = torch.zeros(1, dtype=torch.float32, device="cpu") if value is None else value.reshape(1)
    return lambda shape: fill.expand(ints(shape))


@operator("Reshape", acts="codes", host=(1,))
def _reshape(node: Node) -> Run:
    written, zero = node.attribute("shape"), node.attribute("allowzero", 0)

    def reshape(x: Tensor, shape: Tensor | None = None) -> Tensor:
        sizes = written if shape is None else ints(shape)
        if not zero:
            sizes = [x.shape[place] if size == 0 else size for place, size in enumerate(sizes)]
        return x.reshape(sizes)

    return reshape


@operator("Flatten", acts="codes")
def _flatten(node: Node) -> Run:
    axis = node.attribute("axis", 1)

    def flatten(x: Tensor) -> Tensor:
        first = axis % x.ndim if axis < 0 else axis
        rows = 1
        for size in x.shape[:first]:
            rows *= size
        return x.reshape(rows, -1)

    return flatten


@operator("Squeeze", acts="codes", host=(1,))
def _squeeze(node: Node) -> Run:
    written = node.attribute("axes")

    def squeeze(x: Tensor, axes: Tensor | None = None) -> Tensor:
        chosen = written if axes is None else ints(axes)
        if chosen is None:
            # The rows stay even where there is one alone.
            chosen = [axis for axis in range(1, x.ndim) if x.shape[axis] == 1]
        return x.squeeze(tuple(chosen))

    return squeeze


@operator("Unsqueeze", acts="codes", host=(1,))
def _unsqueeze(node: Node) -> Run:
    written = node.attribute("axes")

    def unsqueeze(x: Tensor, axes: Tensor | None = None) -> Tensor:
        chosen = written if axes is None else ints(axes)
        for axis in sorted(axis % (x.ndim + len(chosen)) for axis in chosen):
            x = x.unsqueeze(axis)
        return x

    return unsqueeze


@operator("Transpose", acts="codes")
def _transpose(node: Node) -> Run:
    order = node.attribute("perm")
    return lambda x: x.permute(order or list(range(x.ndim))[::-1])


@operator("Expand", acts="codes", host=(1,))
def _expand(node: Node) -> Run:
    return lambda x, shape: x.expand(np.broadcast_shapes(x.shape, tuple(ints(shape))))


@operator("Tile", acts="codes", host=(1,))
def _tile(node: Node) -> Run:
    node.require(node.version >= 6, "before opset 6")
    return lambda x, repeats: x.repeat(ints(repeats))


def beside(values: list[Any]) -> Value:
    """Matrices side by side, kept as parts."""
    parts: list[Any] = []
    for value in values:
        if isinstance(value, Indexed):
            found = by_row(value)
            parts += [found] if found is not None and found.table.ndim == 2 else columns(value)
        else:
            parts += value.parts if isinstance(value, Parts) else [value]
    return Parts(tuple(parts))


@operator("Concat", acts="values")
def _concat(node: Node) -> Run:
    axis = node.attribute("axis", 1 if node.version < 4 else None)

    def concat(*values: Any) -> Value:
        is_coded = any(isinstance(value, Indexed | Parts) for value in values)
        if is_coded and axis in (1, -1) and all(map(_is_matrix, values)):
            return beside(list(values))
        return torch.cat([dense(value) for value in values], dim=axis)

    return concat


def _is_matrix(value: Any) -> bool:
    return not isinstance(value, np.ndarray) and len(sizes(value)) == 2


def selected(x: Any, places: list[int]) -> Value:
    """Columns of a matrix."""
    if isinstance(x, Tensor):
        return x.index_select(1, torch.tensor(places, dtype=torch.int64, device=x.device))
    found = columns(x)
    chosen = [found[place] for place in places]
    return chosen[0] if len(chosen) == 1 else Parts(tuple(chosen))


def text_at(table: Strings, codes: Tensor) -> Indexed:
    """The texts of a constant list at computed places."""
    return Indexed(codes, table.reshape(-1))


@operator("Gather", acts="values")
def _gather(node: Node) -> Run:
    axis = node.attribute("axis", 0)

    def gather(x: Any, places: Any) -> Value:
        at = dense(places).to(torch.int64)
        if isinstance(x, np.ndarray):
            if x.ndim != 1:
                raise Unsupported("Gather of a matrix of text")
            return text_at(x, torch.where(at < 0, at + len(x), at))
        if isinstance(x, Indexed):
            flat = by_code(x)
            if flat is not None:
                return Indexed(_gathered(flat.codes, at, axis), flat.table)
        if isinstance(x, Parts) and axis in (1, -1) and at.ndim == 1 and 1 in node.constants:
            return selected(x, [place % width(x) for place in ints(node.constants[1])])
        return _gathered(dense(x), at, axis)

    return gather


def _gathered(x: Tensor, places: Tensor, axis: int) -> Tensor:
    dim = axis % x.ndim
    places = places.to(x.device)
    flat = torch.where(places < 0, places + x.shape[dim], places).reshape(-1)
    return x.index_select(dim, flat).reshape(*x.shape[:dim], *places.shape, *x.shape[dim + 1 :])


@operator("GatherElements")
def _gather_elements(node: Node) -> Run:
    axis = node.attribute("axis", 0)

    def gather(x: Tensor, places: Tensor) -> Tensor:
        return torch.gather(x, axis, torch.where(places < 0, places + x.shape[axis], places).to(torch.int64))

    return gather


@operator("GatherND")
def _gather_nd(node: Node) -> Run:
    batch = node.attribute("batch_dims", 0)

    def gather(x: Tensor, places: Tensor) -> Tensor:
        at = list(places.to(torch.int64).unbind(-1))
        before: list[Tensor] = []
        for axis in range(batch):
            shape = [1] * at[0].ndim
            shape[axis] = -1
            before.append(torch.arange(x.shape[axis], device=x.device).reshape(shape))
        return x[(*before, *at)]

    return gather


@operator("Slice", acts="codes", host=(1, 2, 3, 4))
def _slice(node: Node) -> Run:
    written = tuple(node.attribute(name) for name in ("starts", "ends", "axes"))

    def cut(x: Tensor, *bounds: Tensor | None) -> Tensor:
        starts, ends, axes = written
        steps = None
        if bounds:
            given = [None if bound is None else ints(bound) for bound in bounds] + [None, None]
            starts, ends, axes, steps = given[:4]
        for place, (start, end) in enumerate(zip(starts, ends, strict=True)):
            axis = axes[place] if axes else place
            chosen = range(x.shape[axis])[
                slice(start, _end(end, steps[place] if steps else 1), steps[place] if steps else 1)
            ]
            if chosen == range(x.shape[axis]):
                continue
            x = x.index_select(axis, torch.tensor(list(chosen), dtype=torch.int64, device=x.device))
        return x

    return cut


def _end(end: int, step: int) -> int | None:
    # Going backwards, an end before the first element includes it.
    return None if step < 0 and end < -(2**30) else end


@operator("Split", acts="values", host=(1,))
def _split(node: Node) -> Run:
    axis, written, count = node.attribute("axis", 0), node.attribute("split"), node.attribute("num_outputs")
    pieces = count or len(node.outputs)

    def split(x: Any, lengths: Tensor | None = None) -> tuple[Value, ...]:
        shape = sizes(x)
        total = shape[axis]
        chosen = written if lengths is None else ints(lengths)
        if chosen is None:
            each = -(-total // pieces)
            chosen = [min(each, total - each * place) for place in range(pieces)]
        starts = [sum(chosen[:place]) for place in range(len(chosen))]
        if not isinstance(x, Tensor) and len(shape) == 2 and axis in (1, -1):
            return tuple(selected(x, list(range(a, a + n))) for a, n in zip(starts, chosen, strict=True))
        tensor = dense(x)
        return tuple(tensor.narrow(axis, a, n) for a, n in zip(starts, chosen, strict=True))

    return split


@operator("Where", acts="values")
def _where(node: Node) -> Run:
    def where(condition: Any, a: Any, b: Any) -> Value:
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
            if a.size != 1 or b.size != 1:
                raise Unsupported("Where between lists of text")
            table = np.array([b.item(), a.item()], dtype=object)  # host: NumPy
            return Indexed(dense(condition).to(torch.int32), table)
        return torch.where(dense(condition), dense(a), dense(b))

    return where


@operator("OneHot", host=(1,))
def _one_hot(node: Node) -> Run:
    axis = node.attribute("axis", -1)

    def one_hot(places: Tensor, depth: Tensor, values: Tensor) -> Tensor:
        (count,) = ints(depth)
        at = places.to(torch.int64)
        at = torch.where(at < 0, at + count, at)
        every = torch.arange(count, device=places.device)
        dim = axis % (places.ndim + 1)
        shape = [1] * (places.ndim + 1)
        shape[dim] = count
        return torch.where(at.unsqueeze(dim) == every.reshape(shape), values[1], values[0])

    return one_hot


@operator("Trilu", host=(1,))
def _trilu(node: Node) -> Run:
    function = torch.triu if node.attribute("upper", 1) else torch.tril
    return lambda x, k=None: function(x, 0 if k is None else ints(k)[0])


@operator("Range")
def _range(node: Node) -> Run:
    def count(start: Tensor, limit: Tensor, delta: Tensor) -> Tensor:
        first, end, step = (
            waits.values(value.reshape(-1)[0], "how long a range is") for value in (start, limit, delta)
        )
        return torch.arange(first, end, step, dtype=start.dtype, device=start.device)

    return count


@operator("EyeLike")
def _eye(node: Node) -> Run:
    k, number = node.attribute("k", 0), node.attribute("dtype")

    def eye(x: Tensor) -> Tensor:
        dtype = x.dtype if number is None else cast_type(number)
        return torch.ones(x.shape, dtype=dtype, device=x.device).tril(k).triu(k)

    return eye
