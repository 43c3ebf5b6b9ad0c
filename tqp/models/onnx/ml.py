"""Operators of `ai.onnx.ml` before and beside trees: scalers, imputers, encoders, linear models.

They answer as onnxruntime does; where that is at odds with the specification (transforms of a single score), they are refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tqp.kernels import waits
from tqp.models.onnx.math import matmul
from tqp.models.onnx.operators import Node, Run, operator
from tqp.models.onnx.shapes import beside, selected, text_at
from tqp.models.onnx.values import Indexed, Parts, Unsupported, Value, by_code, dense, ints, width

__all__ = ["labelled", "labels_of", "post_transform"]

ML = "ai.onnx.ml"
Scores = Callable[[Tensor], Tensor]


def floats(values: Sequence[float]) -> Tensor:
    """Attributes as a float32 tensor on the host."""
    return torch.tensor(values, dtype=torch.float32, device="cpu")


def post_transform(name: str) -> Scores:
    """What a node does with scores (n, k), k > 1."""
    functions: dict[str, Scores] = {
        "NONE": lambda x: x, "LOGISTIC": torch.sigmoid, "SOFTMAX": lambda x: torch.softmax(x, dim=1),
        "SOFTMAX_ZERO": _softmax_zero, "PROBIT": probit,
    }  # fmt: skip
    if name not in functions:
        raise Unsupported(f"post_transform {name!r}")
    return functions[name]


def _softmax_zero(scores: Tensor) -> Tensor:
    top = scores.amax(1, keepdim=True)
    weights = torch.where(scores.abs() > 1e-7, (scores - top).exp(), scores * (-top).exp())
    return weights / weights.sum(1, keepdim=True)


def probit(values: Tensor) -> Tensor:
    """The approximation of the inverse normal distribution that onnxruntime computes; NaN outside of 0..1."""
    x = 2 * values - 1
    log = torch.log((1 - x) * (1 + x))
    first = 2 / (math.pi * 0.147) + 0.5 * log
    return math.sqrt(2) * torch.where(x < 0, -1.0, 1.0) * (-first + (first * first - log / 0.147).sqrt()).sqrt()


def labels_of(node: Node) -> Tensor | np.ndarray[Any, Any]:
    """The labels of a classifier's node, as a table."""
    for name in ("classlabels_ints", "classlabels_int64s"):
        numbers = node.attribute(name)
        if numbers:
            return torch.tensor(numbers, dtype=torch.int64, device="cpu")
    texts = node.attribute("classlabels_strings")
    node.require(bool(texts), "without labels")
    return np.array(texts, dtype=object)


def labelled(index: Tensor, labels: Tensor | np.ndarray[Any, Any]) -> Indexed:
    """The label of each row."""
    return Indexed(index, labels.to(index.device) if isinstance(labels, Tensor) else labels)


def _numbers(x: Value) -> Value:
    """float32 where the value is not floating."""
    match x:
        case Tensor():
            return x if x.is_floating_point() else x.to(torch.float32)
        case Indexed(codes, Tensor() as table):
            return Indexed(codes, table if table.is_floating_point() else table.to(torch.float32))
        case Parts():
            return Parts(tuple(_numbers(part) for part in x.parts))  # type: ignore[misc]
        case _:
            raise Unsupported("a model on rows of text")


def _linear(node: Node, count: int) -> Callable[[Any], Tensor]:
    """Scores (n, count) float32."""
    weights = floats(node.attribute("coefficients")).reshape(count, -1).t().contiguous()
    intercepts = node.attribute("intercepts")
    bias = floats(intercepts) if intercepts else None
    if bias is not None and len(bias) not in (1, count):
        raise Unsupported(f"{node.name} with {len(bias)} intercepts")
    on: dict[torch.device, tuple[Tensor, Tensor | None]] = {}

    def scores(x: Any) -> Tensor:
        x = _numbers(x)
        product_device = _device(x)
        if product_device not in on:
            on[product_device] = weights.to(product_device), None if bias is None else bias.to(product_device)
        here, shift = on[product_device]
        product = matmul(_single(x), here)
        return product if shift is None else product + shift

    return scores


def _device(x: Any) -> torch.device:
    match x:
        case Indexed():
            return x.codes.device
        case Parts():
            return _device(x.parts[0])
        case _:
            found: torch.device = x.device
            return found


def _single(x: Any) -> Any:
    match x:
        case Tensor():
            return (x if x.ndim == 2 else x.reshape(1, -1)).to(torch.float32)
        case Indexed():
            return Indexed(x.codes, x.table.to(torch.float32))  # type: ignore[union-attr]
        case _:
            return Parts(tuple(_single(part) for part in x.parts))


@operator("LinearRegressor", domain=ML, acts="values")
def _linear_regressor(node: Node) -> Run:
    targets = node.attribute("targets", 1)
    post = node.attribute("post_transform", "NONE")
    node.require(targets > 1 or post in ("NONE", "PROBIT"), f"with post_transform {post} of one target")
    transform, scores = post_transform(post), _linear(node, targets)
    return lambda x: transform(scores(x))


@operator("LinearClassifier", domain=ML, acts="values")
def _linear_classifier(node: Node) -> Run:
    labels, post = labels_of(node), node.attribute("post_transform", "NONE")
    node.ignore("multi_class")
    count = max(len(node.attribute("intercepts") or ()), 1)
    node.require(
        count == len(labels) or count == 1 and len(labels) == 2, f"with {count} scores of {len(labels)} labels"
    )
    node.require(count > 1 or post != "PROBIT", "with post_transform PROBIT of one score")
    transform, scores = post_transform(post), _linear(node, count)

    def classify(x: Any) -> tuple[Value, Value]:
        raw = scores(x)
        if count > 1:
            return labelled(raw.argmax(1), labels), transform(raw)
        score = raw[:, 0]
        other = torch.sigmoid(-score) if post == "LOGISTIC" else 1 - score
        score_out = torch.sigmoid(score) if post == "LOGISTIC" else score
        return labelled((score > 0).long(), labels), torch.stack([other, score_out], dim=1)

    return classify


def _each(x: Any, change: Callable[[Tensor, int, int], Tensor]) -> Value:
    """`change` of the columns start..stop-1, part by part; on the table where rows share one."""

    def part_of(part: Any, start: int, stop: int) -> Any:
        if isinstance(part, Indexed) and part.codes.ndim == 1 and isinstance(part.table, Tensor):
            return Indexed(part.codes, change(part.table, start, stop))
        return change(dense(part), start, stop)

    if not isinstance(x, Parts):
        return part_of(x, 0, _last(x))  # type: ignore[no-any-return]
    made: list[Any] = []
    start = 0
    for part in x.parts:
        stop = start + width(part)
        made.append(part_of(part, start, stop))
        start = stop
    return Parts(tuple(made))


def _last(x: Any) -> int:
    return width(x) if isinstance(x, Indexed) else int(x.shape[-1])


@operator("Scaler", domain=ML, acts="values")
def _scaler(node: Node) -> Run:
    offset, scale = floats(node.attribute("offset") or [0.0]), floats(node.attribute("scale") or [1.0])

    def change(x: Tensor, start: int, stop: int) -> Tensor:
        minus = (offset if len(offset) == 1 else offset[start:stop]).to(x.device)
        times = (scale if len(scale) == 1 else scale[start:stop]).to(x.device)
        return (x.to(torch.float32) - minus) * times

    return lambda x: _each(x, change)


@operator("Imputer", domain=ML, acts="values")
def _imputer(node: Node) -> Run:
    decimals, integers = node.attribute("imputed_value_floats"), node.attribute("imputed_value_int64s")
    missing, number = node.attribute("replaced_value_float", 0.0), node.attribute("replaced_value_int64", 0)
    node.require(bool(decimals) != bool(integers), "without values to put")
    fill = floats(decimals) if decimals else torch.tensor(integers, dtype=torch.int64, device="cpu")
    sought = missing if decimals else number

    def change(x: Tensor, start: int, stop: int) -> Tensor:
        values = (fill if len(fill) == 1 else fill[start:stop]).to(x.device, x.dtype)
        where = x.isnan() if isinstance(sought, float) and math.isnan(sought) else x == sought
        return torch.where(where, values, x)

    return lambda x: _each(x, change)


@operator("Binarizer", domain=ML, acts="elements")
def _binarizer(node: Node) -> Run:
    threshold = node.attribute("threshold", 0.0)
    return lambda x: (x > threshold).to(x.dtype)


@operator("Normalizer", domain=ML, acts="rows")
def _normalizer(node: Node) -> Run:
    norm = node.attribute("norm", "MAX")

    def normal(x: Tensor) -> Tensor:
        x = x.to(torch.float32)
        if norm == "L2":
            size = (x * x).sum(-1, keepdim=True).sqrt()
        else:
            size = x.abs().sum(-1, keepdim=True) if norm == "L1" else x.amax(-1, keepdim=True)
        return torch.where(size == 0, x, x / size)

    node.require(norm in ("MAX", "L1", "L2"), f"with norm {norm}")
    return normal


@operator("ArrayFeatureExtractor", domain=ML, acts="values")
def _extract(node: Node) -> Run:
    def extract(x: Any, places: Any) -> Value:
        at = dense(places).to(torch.int64)
        if isinstance(x, np.ndarray):
            if x.ndim != 1:
                raise Unsupported("ArrayFeatureExtractor of a matrix of text")
            return text_at(x, at.reshape(1, -1))
        if isinstance(x, Tensor) and (x.ndim != 2 or 1 not in node.constants):
            flat = x.to(at.device).index_select(x.ndim - 1, at.reshape(-1))
            return flat.reshape(*(x.shape[:-1] if x.ndim > 1 else (1,)), -1)
        if 1 not in node.constants:
            raise Unsupported("ArrayFeatureExtractor at computed places of rows of text")
        return selected(x, ints(node.constants[1]))

    return extract


@operator("FeatureVectorizer", domain=ML, acts="values")
def _vectorizer(node: Node) -> Run:
    node.ignore("inputdimensions")

    def matrix(x: Any) -> Value:
        value: Value = _numbers(x)
        return value if not isinstance(value, Tensor) or value.ndim == 2 else value.reshape(-1, 1)

    return lambda *values: beside([matrix(value) for value in values])


def _number_lookup(keys: Sequence[float], values: Tensor, default: Any) -> Callable[[Tensor], Tensor]:
    """Values of numeric keys by binary search; NaN is a key that equals itself."""
    order = sorted(range(len(keys)), key=lambda place: (keys[place] != keys[place], keys[place]))
    exact = any(isinstance(key, int) for key in keys)
    ordered = torch.tensor([keys[p] for p in order], dtype=torch.int64 if exact else torch.float64, device="cpu")
    results = values[torch.tensor(order, dtype=torch.int64, device="cpu")]
    results = torch.cat([results, torch.tensor([default], dtype=values.dtype, device="cpu")])

    def look(x: Tensor) -> Tensor:
        here = ordered.to(x.device)
        sought = x.to(here.dtype).contiguous()
        at = torch.searchsorted(here, sought).clamp(max=len(ordered) - 1)
        found = here[at]
        same = (found == sought) | (
            found.isnan() & sought.isnan() if not exact else torch.zeros_like(found, dtype=torch.bool)
        )
        return results.to(x.device)[torch.where(same, at, len(ordered))]

    return look


@operator("LabelEncoder", domain=ML, acts="elements", text=True)
def _label_encoder(node: Node) -> Run:
    read = node.attribute
    if node.version < 2:
        texts = list(read("classes_strings") or [])
        return _encoder(
            node, texts, list(range(len(texts))), read("default_int64", -1), read("default_string", "_Unused")
        )
    keys = [
        *_listed(read("keys_strings")),
        *_listed(read("keys_int64s")),
        *_listed(read("keys_floats")),
        *_listed(read("keys_tensor")),
    ]
    found = {kind: _listed(read(f"values_{kind}")) for kind in ("strings", "int64s", "floats", "tensor")}
    defaults = {
        "strings": read("default_string", "_Unused"), "int64s": read("default_int64", -1),
        "floats": read("default_float", -0.0), "tensor": _listed(read("default_tensor")),
    }  # fmt: skip
    kind = next((kind for kind, values in found.items() if values), None)
    node.require(kind is not None and len(found[kind]) == len(keys), "without keys and values")
    assert kind is not None
    default = defaults[kind]
    if kind == "tensor":
        default = default[0] if default else ("_Unused" if isinstance(found[kind][0], str) else -1)
    tensor = read("values_tensor")
    dtype = tensor.dtype if isinstance(tensor, Tensor) else {"int64s": torch.int64, "floats": torch.float32}.get(kind)
    values = found[kind]
    if node.version < 4:
        # NaN is a key that finds itself from then on.
        values = [value for key, value in zip(keys, values, strict=True) if key == key]
        keys = [key for key in keys if key == key]
    return _mapper(keys, values, default, dtype)


def _listed(values: Any) -> list[Any]:
    if values is None:
        return []
    return values.reshape(-1).tolist() if isinstance(values, Tensor | np.ndarray) else list(values)  # host: a constant


def _encoder(node: Node, texts: list[str], numbers: list[int], unknown: int, unknown_text: str) -> Run:
    """Texts to numbers and numbers to texts, as the rows are."""
    forth, back = _mapper(texts, numbers, unknown, torch.int64), _mapper(numbers, texts, unknown_text, None)
    return lambda x: back(x) if isinstance(x, Tensor) else forth(x)


def _mapper(keys: list[Any], values: list[Any], default: Any, dtype: torch.dtype | None) -> Run:
    """Equal keys to values, else the default; texts where `dtype` is None."""
    if isinstance(keys[0], str):
        pairs: dict[str, Any] = {}
        for key, value in zip(keys, values, strict=True):
            pairs.setdefault(key, value)

        def of_texts(x: Any) -> Any:
            if isinstance(x, Tensor):
                raise Unsupported("an encoder of texts on numbers")
            made = [pairs.get(text, default) for text in x.ravel()]
            if dtype is None:
                return np.array(made, dtype=object).reshape(x.shape)
            return torch.tensor(made, dtype=dtype, device="cpu").reshape(x.shape)

        return of_texts
    if dtype is not None:
        return _number_lookup(keys, torch.tensor(values, dtype=dtype, device="cpu"), default)
    places = _number_lookup(keys, torch.arange(len(values), device="cpu"), len(values))
    table = np.array([*values, default], dtype=object)
    return lambda x: table[waits.array(places(x), "texts are on the host")]


@operator("CategoryMapper", domain=ML, acts="elements", text=True)
def _category_mapper(node: Node) -> Run:
    texts, numbers = list(node.attribute("cats_strings")), list(node.attribute("cats_int64s"))
    return _encoder(
        node, texts, numbers, node.attribute("default_int64", -1), node.attribute("default_string", "_Unused")
    )


@operator("OneHotEncoder", domain=ML, acts="rows", text=True)
def _one_hot(node: Node) -> Run:
    numbers, texts = node.attribute("cats_int64s"), node.attribute("cats_strings")
    node.require(bool(node.attribute("zeros", 1)), "with zeros=0, which fails on an unknown category")
    known = list(texts or numbers)
    count = len(known)
    number_of = _mapper(known, list(range(count)), count, torch.int64)

    def encode(x: Any) -> Tensor:
        if isinstance(x, Tensor):
            # Rows of decimals are cut to integers before they are compared.
            x = x.to(torch.int64)
        places: Tensor = number_of(x)
        return (places.unsqueeze(-1) == torch.arange(count, device=places.device)).to(torch.float32)

    return encode


@operator("CastMap", "DictVectorizer", domain=ML)
def _maps(node: Node) -> Run:
    raise Unsupported(f"operator {node.name} (rows that are maps)")


@operator("ZipMap", domain=ML, acts="values")
def _zip_map(node: Node) -> Run:
    node.ignore("classlabels_int64s", "classlabels_strings")
    return lambda x: x


def flat_labels(value: Value) -> Value:
    """Labels as (n,): tensor, or codes of a table."""
    if isinstance(value, Parts):
        value = value.parts[0] if len(value.parts) == 1 else dense(value)
    if isinstance(value, Indexed):
        flat = by_code(value)
        return dense(value).reshape(-1) if flat is None else Indexed(flat.codes.reshape(-1), flat.table)
    return value.reshape(-1)
