"""ONNX operators that compute: element by element, over an axis, products of matrices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from tqp.models.onnx.operators import Node, Run, operator
from tqp.models.onnx.values import Indexed, Parts, Unsupported, dense, ints, width

__all__ = ["TEXT", "cast_type", "matmul"]

_TYPES = {
    1: torch.float32, 2: torch.uint8, 3: torch.int8, 5: torch.int16, 6: torch.int32, 7: torch.int64, 9: torch.bool,
    10: torch.float16, 11: torch.float64, 16: torch.bfloat16,
}  # fmt: skip
TEXT = 8


def cast_type(number: int) -> torch.dtype:
    """The dtype behind a number of ONNX's TensorProto.DataType."""
    if number not in _TYPES:
        raise Unsupported(f"the element type {number}")
    return _TYPES[number]


def _simple(names: str, function: Callable[..., Any], acts: Any = "elements") -> None:
    def make(node: Node) -> Run:
        return function

    operator(*names.split(), acts=acts)(make)


def _sign(x: Tensor) -> Tensor:
    # NaN stays NaN.
    return torch.where(x == x, torch.sign(x), x) if x.is_floating_point() else torch.sign(x)


for _names, _function in (
    ("Add", torch.add), ("Sub", torch.sub), ("Mul", torch.mul), ("Sqrt", torch.sqrt), ("Exp", torch.exp), ("Log", torch.log),
    ("Abs", torch.abs), ("Neg", torch.neg), ("Floor", torch.floor), ("Ceil", torch.ceil), ("Round", torch.round),
    ("Sign", _sign), ("Reciprocal", torch.reciprocal), ("Relu", torch.relu), ("Tanh", torch.tanh), ("Erf", torch.erf),
    ("Sigmoid", torch.sigmoid), ("Softsign", F.softsign), ("Greater", torch.gt), ("GreaterOrEqual", torch.ge),
    ("Less", torch.lt), ("LessOrEqual", torch.le), ("Not", torch.logical_not), ("And", torch.logical_and),
    ("Or", torch.logical_or), ("Xor", torch.logical_xor), ("IsNaN", torch.isnan), ("Sin", torch.sin), ("Cos", torch.cos),
    ("Softplus", lambda x: torch.logaddexp(x, torch.zeros_like(x))),
):  # fmt: skip
    _simple(_names, _function)


@operator("Identity", acts="values")
def _identity(node: Node) -> Run:
    return lambda x: x


@operator("Equal", acts="elements", text=True)
def _equal(node: Node) -> Run:
    def equal(a: Any, b: Any) -> Tensor:
        if isinstance(a, Tensor) and isinstance(b, Tensor):
            return torch.eq(a, b)
        if isinstance(a, Tensor) or isinstance(b, Tensor):
            raise Unsupported("Equal of text and numbers")
        return torch.from_numpy((a == b).astype(bool))

    return equal


@operator("Div", acts="elements")
def _div(node: Node) -> Run:
    return lambda a, b: torch.div(a, b, rounding_mode=None if a.is_floating_point() else "trunc")


@operator("Mod", acts="elements")
def _mod(node: Node) -> Run:
    function = torch.fmod if node.attribute("fmod", 0) else torch.remainder
    return lambda a, b: function(a, b)


@operator("Pow", acts="elements")
def _pow(node: Node) -> Run:
    return lambda a, b: torch.pow(a, b.to(a.dtype) if a.is_floating_point() else b).to(a.dtype)


@operator("Cast", acts="elements", text=True)
def _cast(node: Node) -> Run:
    number = node.attribute("to")
    node.ignore("saturate", "round_mode")
    if isinstance(number, str):
        raise Unsupported("Cast with a type in words")
    return _to_text if number == TEXT else _caster(cast_type(number))


def _caster(dtype: torch.dtype) -> Run:
    def cast(x: Any) -> Tensor:
        if isinstance(x, Tensor):
            return x.to(dtype)
        if not dtype.is_floating_point:
            return torch.tensor([int(text) for text in x.ravel()], dtype=dtype, device="cpu").reshape(x.shape)
        numbers = [math.nan if text is None else float(text) for text in x.ravel()]
        return torch.tensor(numbers, dtype=dtype, device="cpu").reshape(x.shape)

    return cast


def _to_text(x: Any) -> Any:
    if isinstance(x, Tensor):
        raise Unsupported("Cast of numbers to text")
    return x


@operator("CastLike", acts="elements")
def _cast_like(node: Node) -> Run:
    node.ignore("saturate", "round_mode")
    return lambda x, like: x.to(like.dtype)


@operator("Min", "Max", "Sum", "Mean", acts="elements")
def _together(node: Node) -> Run:
    function: Callable[[Tensor, Tensor], Tensor] = {"Min": torch.minimum, "Max": torch.maximum}.get(
        node.kind, torch.add
    )

    def run(*values: Tensor) -> Tensor:
        total = values[0]
        for value in values[1:]:
            total = function(total, value)
        return total / len(values) if node.kind == "Mean" else total

    return run


@operator("Clip", acts="elements")
def _clip(node: Node) -> Run:
    if node.version < 11:
        low, high = node.attribute("min", -torch.inf), node.attribute("max", torch.inf)
        return lambda x: x.clamp(low, high)

    def clip(x: Tensor, low: Tensor | None = None, high: Tensor | None = None) -> Tensor:
        x = x if low is None else torch.maximum(x, low)
        return x if high is None else torch.minimum(x, high)

    return clip


@operator("LeakyRelu", "Elu", "Selu", "HardSigmoid", "Gelu", "ThresholdedRelu", "Celu", acts="elements")
def _activation(node: Node) -> Run:
    read = node.attribute
    match node.kind:
        case "LeakyRelu":
            slope = read("alpha", 0.01)
            return lambda x: torch.where(x < 0, x * slope, x)
        case "Elu":
            alpha = read("alpha", 1.0)
            return lambda x: torch.where(x < 0, alpha * torch.expm1(x), x)
        case "Celu":
            alpha = read("alpha", 1.0)
            return lambda x: F.celu(x, alpha)
        case "Selu":
            alpha, gamma = read("alpha", 1.6732632423543772), read("gamma", 1.0507009873554805)
            return lambda x: gamma * torch.where(x <= 0, alpha * torch.expm1(x), x)
        case "HardSigmoid":
            alpha, beta = read("alpha", 0.2), read("beta", 0.5)
            return lambda x: (x * alpha + beta).clamp(0, 1)
        case "ThresholdedRelu":
            alpha = read("alpha", 1.0)
            return lambda x: torch.where(x > alpha, x, torch.zeros_like(x))
        case _:
            approximate = read("approximate", "none")
            return lambda x: F.gelu(x, approximate=approximate)


@operator("IsInf", acts="elements")
def _is_inf(node: Node) -> Run:
    up, down = node.attribute("detect_positive", 1), node.attribute("detect_negative", 1)
    return lambda x: x.isinf() & ((x > 0) & bool(up) | (x < 0) & bool(down))


@operator("Dropout", acts="elements")
def _dropout(node: Node) -> Run:
    node.ignore("ratio", "seed", "is_test", "consumed_inputs")
    node.require(len(node.outputs) == 1, "with a mask")
    if len(node.inputs) > 2 and node.inputs[2]:
        node.require(not dense(node.constant(2)).any(), "in training")  # host: a constant
    return lambda x, *rest: x


@operator("Softmax", "LogSoftmax", acts="rows")
def _softmax(node: Node) -> Run:
    function = torch.softmax if node.kind == "Softmax" else torch.log_softmax
    if node.version >= 13:
        axis = node.attribute("axis", -1)
        return lambda x: function(x, dim=axis)
    first = node.attribute("axis", 1)

    def flattened(x: Tensor) -> Tensor:
        rows = math.prod(x.shape[: first % x.ndim])
        return function(x.reshape(rows, -1), dim=1).reshape(x.shape)

    return flattened


_REDUCTIONS: dict[str, Callable[[Tensor, list[int], bool], Tensor]] = {
    "ReduceSum": lambda x, axes, keep: x.sum(axes, keepdim=keep, dtype=x.dtype),
    "ReduceMean": lambda x, axes, keep: x.mean(axes, keepdim=keep),
    "ReduceMax": lambda x, axes, keep: x.amax(axes, keepdim=keep),
    "ReduceMin": lambda x, axes, keep: x.amin(axes, keepdim=keep),
    "ReduceProd": lambda x, axes, keep: _product(x, axes, keep),
    "ReduceL1": lambda x, axes, keep: x.abs().sum(axes, keepdim=keep, dtype=x.dtype),
    "ReduceL2": lambda x, axes, keep: (x * x).sum(axes, keepdim=keep).sqrt(),
    "ReduceSumSquare": lambda x, axes, keep: (x * x).sum(axes, keepdim=keep, dtype=x.dtype),
    "ReduceLogSum": lambda x, axes, keep: x.sum(axes, keepdim=keep).log(),
    "ReduceLogSumExp": lambda x, axes, keep: x.logsumexp(axes, keepdim=keep),
}


def _product(x: Tensor, axes: list[int], keep: bool) -> Tensor:
    for axis in sorted((axis % x.ndim for axis in axes), reverse=True):
        x = x.prod(axis, keepdim=keep, dtype=x.dtype)
    return x


@operator(*_REDUCTIONS, acts="rows", host=(1,))
def _reduce(node: Node) -> Run:
    function = _REDUCTIONS[node.kind]
    written = node.attribute("axes")
    keep = bool(node.attribute("keepdims", 1))
    no_operation = bool(node.attribute("noop_with_empty_axes", 0))

    def reduce(x: Tensor, axes: Tensor | None = None) -> Tensor:
        chosen = written if axes is None else ints(axes)
        if not chosen and no_operation:
            return x
        return function(x, chosen or list(range(x.ndim)), keep)

    return reduce


@operator("ArgMax", "ArgMin", acts="rows")
def _arg(node: Node) -> Run:
    function = torch.argmax if node.kind == "ArgMax" else torch.argmin
    axis, keep = node.attribute("axis", 0), bool(node.attribute("keepdims", 1))
    is_last = node.attribute("select_last_index", 0)

    def place(x: Tensor) -> Tensor:
        if not is_last:
            return function(x, dim=axis, keepdim=keep)
        from_end: Tensor = x.shape[axis] - 1 - function(x.flip(axis), dim=axis, keepdim=keep)
        return from_end

    return place


@operator("TopK", acts="rows", host=(1,))
def _top(node: Node) -> Run:
    axis, largest = node.attribute("axis", -1), bool(node.attribute("largest", 1))
    node.ignore("sorted")
    written = node.attribute("k")

    def top(x: Tensor, k: Tensor | None = None) -> tuple[Tensor, Tensor]:
        count = written if k is None else ints(k)[0]
        values, places = torch.sort(x, dim=axis, descending=largest, stable=True)
        return values.narrow(axis, 0, count), places.narrow(axis, 0, count)

    return top


@operator("CumSum", acts="rows", host=(1,))
def _cumsum(node: Node) -> Run:
    exclusive, reverse = node.attribute("exclusive", 0), node.attribute("reverse", 0)

    def cumsum(x: Tensor, axis: Tensor) -> Tensor:
        (dim,) = ints(axis)
        x = x.flip(dim) if reverse else x
        total = x.cumsum(dim, dtype=x.dtype)
        total = total - x if exclusive else total
        return total.flip(dim) if reverse else total

    return cumsum


@operator("LayerNormalization", acts="rows")
def _layer_norm(node: Node) -> Run:
    axis, epsilon = node.attribute("axis", -1), node.attribute("epsilon", 1e-5)
    node.ignore("stash_type")
    node.require(len(node.outputs) == 1, "with its mean as output")

    def norm(x: Tensor, scale: Tensor, bias: Tensor | None = None) -> Tensor:
        axes = list(range(axis % x.ndim, x.ndim))
        centered = x - x.mean(axes, keepdim=True)
        normal: Tensor = centered / (centered.square().mean(axes, keepdim=True) + epsilon).sqrt() * scale
        return normal if bias is None else normal + bias

    return norm


@operator("BatchNormalization")
def _batch_norm(node: Node) -> Run:
    epsilon = node.attribute("epsilon", 1e-5)
    node.ignore("momentum", "is_test", "consumed_inputs")
    node.require(not node.attribute("training_mode", 0) and len(node.outputs) == 1, "in training")
    node.require(bool(node.attribute("spatial", 1)), "with spatial=0")

    def norm(x: Tensor, scale: Tensor, bias: Tensor, mean: Tensor, variance: Tensor) -> Tensor:
        shape = [1, -1] + [1] * (x.ndim - 2)
        factor: Tensor = scale / (variance + epsilon).sqrt()
        return (x - mean.reshape(shape)) * factor.reshape(shape) + bias.reshape(shape)

    return norm


@operator("Einsum")
def _einsum(node: Node) -> Run:
    equation = node.attribute("equation")
    return lambda *operands: torch.einsum(equation, *operands)


def matmul(x: Any, weights: Tensor) -> Tensor:
    """A matrix times constant weights (m, k): each part by its weights, tables before their rows are gathered."""
    if isinstance(x, Parts) and weights.ndim == 2:
        total, start = None, 0
        for part in x.parts:
            stop = start + width(part)
            product = matmul(part, weights[start:stop])
            total = product if total is None else total.add_(product)
            start = stop
        assert total is not None
        return total
    if (
        isinstance(x, Indexed)
        and isinstance(x.table, Tensor)
        and x.codes.ndim == 1
        and x.table.ndim == weights.ndim == 2
    ):
        return torch.matmul(x.table, weights).index_select(0, x.codes)
    return torch.matmul(dense(x), weights)


@operator("MatMul", acts="values")
def _matmul(node: Node) -> Run:
    return lambda a, b: matmul(a, dense(b))


@operator("Gemm", acts="values")
def _gemm(node: Node) -> Run:
    alpha, beta = node.attribute("alpha", 1.0), node.attribute("beta", 1.0)
    flip_a, flip_b = node.attribute("transA", 0), node.attribute("transB", 0)

    def gemm(a: Any, b: Any, c: Any = None) -> Tensor:
        weights = dense(b).t() if flip_b else dense(b)
        product = matmul(dense(a).t() if flip_a else a, weights)
        product = product if alpha == 1 else product * alpha
        return product if c is None else product + (dense(c) if beta == 1 else dense(c) * beta)

    return gemm
