"""PREDICT on a batch: columns to a model's features, and its answer to a column.

Where the inputs can take few combinations together (dictionary codes, booleans, bounded integers), the model runs once
for each combination and rows gather.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.data.layout import ELEMENTS, narrowest
from tqp.device import limits_on, within
from tqp.errors import ModelError, TqpError
from tqp.interrupt import checkpoint
from tqp.ir.expr import Expr, Predict
from tqp.kernels import waits
from tqp.kernels.operation import refuse_tracing
from tqp.kernels.rows import select
from tqp.limits import Limits
from tqp.models.features import Coded, Elements, Feature, Numeric, dense
from tqp.models.model import Model, Sharing
from tqp.models.text import TextPredictor
from tqp.operators.model_inputs import Reading, counted_from, integer_limits
from tqp.types import BOOLEAN, DOUBLE, INTEGER, DType, Kind, array

__all__ = ["describe", "found_with", "one_of", "predict", "reads_strings", "whole"]

_SHOWN: Final = 8


def predict(
    expr: Predict, args: Sequence[Column], rows: int, device: torch.device, limits: Limits
) -> dict[Expr, Column]:
    """The prediction for `rows` rows, as a column of the expression's type, and others that came with it.

    `args` are columns of that many rows or constants. The others: all values of a row come together. NULL where
    an argument is NULL (or NaN) and the model takes no missing values. `limits` of the program say how much is done at once, by
    the model, too. ModelError where the model fails.
    """
    model = expr.model
    assert isinstance(model, Model)
    refuse_tracing("a model is not part of a compiled function")
    if rows == 0:
        return {expr: _blank(expr, model, torch.zeros(0, dtype=torch.bool, device=device))}
    try:
        with within(limits):
            return _of_rows(expr, model, args, rows, device)
    except TqpError:
        raise
    except Exception as error:
        raise ModelError(f"model {model.name} failed: {type(error).__name__}: {error}") from error


def _of_rows(
    expr: Predict, model: Model, args: Sequence[Column], rows: int, device: torch.device
) -> dict[Expr, Column]:
    """Once for constants, once for each combination of few values, or block by block."""
    reading = Reading(expr, model)
    if all(arg.is_constant for arg in args):
        one = _predicted(reading, expr, model, args, 1, device)[expr]
        return {expr: one.map(lambda tensor: tensor[0])}
    combined = _combined(args, rows, limits_on(device)) if expr.distinct else None
    if combined is None:
        return _by_blocks(reading, expr, model, args, rows, device)
    codes, entries, count = combined
    if model.can_fail:
        codes, entries, count = _met(codes, entries, count)
    found = _predicted(reading, expr, model, entries, count, device)
    return {one: found[one].take(codes) for one in (found_with(expr) if expr.label is not None else (expr,))}


def _by_blocks(
    reading: Reading, expr: Predict, model: Model, args: Sequence[Column], rows: int, device: torch.device
) -> dict[Expr, Column]:
    """As many rows at a time as the limits say."""
    most = _rows_together(args, limits_on(device))
    if most is None or rows <= most:
        return _predicted(reading, expr, model, args, rows, device)
    wanted = tuple([one for one in found_with(expr) if one != expr or whole(one) == one])
    parts: list[dict[Expr, Column]] = []
    for start in range(0, rows, most):
        checkpoint()
        stop = min(start + most, rows)
        block = [arg if arg.is_constant else arg.slice(start, stop) for arg in args]
        parts.append(_predicted(reading, expr, model, block, stop - start, device))
    joined: dict[Expr, Column] = {one: _joined([part[one] for part in parts]) for one in wanted}
    return {**joined, expr: one_of(joined[whole(expr)], expr)}


def _rows_together(args: Sequence[Column], limits: Limits) -> int | None:
    """How many rows are predicted together: fewer of wide arrays."""
    if limits.predicted_rows is None or limits.predicted_numbers is None:
        return None
    width = sum(arg.dtype.size for arg in args if arg.dtype.is_array)
    return min(limits.predicted_rows, max(1, limits.predicted_numbers // max(width, 1)))


def _joined(parts: Sequence[Column]) -> Column:
    """Answers of one model, which have the same type and labels, one after the other."""
    valid = None
    if any(part.valid is not None for part in parts):
        valid = torch.cat([_all_known(p) if p.valid is None else p.valid for p in parts])
    return replace(parts[0], data=torch.cat([part.data for part in parts]), valid=valid)


def _all_known(part: Column) -> Tensor:
    return torch.ones(len(part), dtype=torch.bool, device=part.device)


def _predicted(
    reading: Reading, expr: Predict, model: Model, args: Sequence[Column], rows: int, device: torch.device
) -> dict[Expr, Column]:
    inputs, valid = reading.features(args, rows, device)
    is_careful = model.framework == "host" or model.can_fail
    if is_careful and valid is not None and not waits.truth(valid.all(), "a model that can fail gets known rows alone"):
        return _of_known(reading, expr, model, args, valid)
    features = model.features(inputs)
    if not expr.folded and not isinstance(features, Elements):
        features = [Numeric(dense(feature)) if isinstance(feature, Coded) else feature for feature in features]
    predictor = model.predictor
    if expr.label is not None:
        return _label_and_probabilities(expr, model, features, valid)
    if expr.output == "value" and not expr.type.is_array:
        return {expr: _answer(predictor.value(features), expr, model, valid)}
    values = predictor.value(features) if model.classes is None else predictor.probabilities(features)
    outputs = model.outputs if model.classes is None else len(model.classes)
    if values is None or values.shape != (rows, outputs):
        raise ModelError(f"model {model.name} does not give {outputs} values a row")
    return _several(values, expr, valid)


def _label_and_probabilities(
    expr: Predict, model: Model, features: Sequence[Feature], valid: Tensor | None
) -> dict[Expr, Column]:
    assert isinstance(model.predictor, Sharing)
    label, together = found_with(expr)[-2:]
    index, chances = model.predictor.both(features)
    assert chances is not None
    return {label: _answer(index, label, model, valid), **_several(chances, expr if expr != label else together, valid)}


def _of_known(
    reading: Reading, expr: Predict, model: Model, args: Sequence[Column], valid: Tensor
) -> dict[Expr, Column]:
    """Only the rows whose arguments are all there are handed to what may fail for the others."""
    kept = select(valid)
    if len(kept) == 0:
        return {one: _blank(one, model, valid) for one in found_with(expr)}
    found = _predicted(
        reading, expr, model, [arg.expand(len(valid)).take(kept) for arg in args], len(kept), valid.device
    )
    place = (valid.cumsum(0) - 1).clamp_(min=0)
    return {output: column.take(place).with_valid(valid) for output, column in found.items()}


def _blank(expr: Predict, model: Model, valid: Tensor) -> Column:
    """An answer for rows none of which has one: `valid` (n,) is False throughout."""
    rows, device = len(valid), valid.device
    if expr.type.element is not None:
        numbers = torch.zeros((rows, expr.type.size), dtype=ELEMENTS[expr.type.element], device=device)
        return Column(numbers, expr.type, valid)
    return _answer(torch.zeros(rows, dtype=torch.float64, device=device), expr, model, valid)


def _several(values: Tensor, expr: Predict, valid: Tensor | None) -> dict[Expr, Column]:
    """All values of a row (n, k) as an array, and the one that is asked for."""
    together = whole(expr)
    assert together.type.element is not None
    column = Column(values.to(ELEMENTS[together.type.element]), together.type, valid)
    return {together: column, expr: one_of(column, expr)}


def whole(expr: Predict) -> Predict:
    """The prediction of all values of a row, of one of which, or of all, `expr` is."""
    model = expr.model
    assert isinstance(model, Model)
    if isinstance(expr.output, str):
        return expr
    if model.labels is not None:
        return replace(expr, output="value", type=array(INTEGER, model.outputs))
    if model.classes is None:
        return replace(expr, output="value", type=array(expr.type, model.outputs))
    return replace(expr, output="probabilities", type=array(expr.type, len(model.classes)))


def found_with(expr: Predict) -> tuple[Predict, ...]:
    """What a call of `predict` finds: `expr`, all values of a row, and with `label` the label and then all probabilities."""
    if expr.label is None:
        return tuple(dict.fromkeys((expr, whole(expr))))
    model = expr.model
    assert isinstance(model, Model) and model.classes is not None
    label = replace(expr, output="value", type=expr.label)
    together = replace(expr, output="probabilities", type=array(DOUBLE, len(model.classes)))
    return (label, together) if expr in (label, together) else (expr, label, together)


def one_of(together: Column, expr: Predict) -> Column:
    """Of all values of a row those that `expr` asks for."""
    if isinstance(expr.output, str):
        return together
    model = expr.model
    assert isinstance(model, Model)
    one = Column(together.data[..., expr.output], expr.type if model.labels is None else INTEGER, together.valid)
    if model.labels is None:
        return one
    rows = one.expand(1) if one.is_constant else one
    labels = _labels(rows.data, model.labels[expr.output], expr.type, rows.valid)
    return labels.map(lambda tensor: tensor[0]) if one.is_constant else labels


def _combined(args: Sequence[Column], rows: int, limits: Limits) -> tuple[Tensor, list[Column], int] | None:
    """One code a row for all arguments together, the arguments of every code, and how many there are.

    None where the arguments are not of few values, no more combinations than `limits` say.
    """
    limit = min(limits.combinations, rows // limits.rows_a_combination)
    total = 1
    sizes: list[tuple[int, int, int]] = []
    for arg in args:
        if arg.is_constant:
            sizes.append((0, 0, 1))
            continue
        bounds = integer_limits(arg)
        if bounds is None or arg.has_elements:
            return None
        size = bounds[1] - bounds[0] + 1 + (arg.valid is not None)
        total *= size
        if total > limit:
            return None
        sizes.append((*bounds, size))
    device = next(arg.device for arg in args if not arg.is_constant)
    codes: Tensor | None = None
    every = torch.arange(total, dtype=torch.int32, device=device)
    entries: list[Column] = []
    step = total
    for arg, (low, high, size) in zip(args, sizes, strict=True):
        if arg.is_constant:
            entries.append(arg)
            continue
        step //= size
        place = counted_from(arg, low)
        if arg.valid is not None:
            place = torch.where(arg.valid, place, size - 1)
        codes = place * step if codes is None else codes + place * step
        numbers = every.div(step, rounding_mode="floor").remainder(size)
        valid = None if arg.valid is None else numbers < size - 1
        data = (numbers.clamp(max=high - low).to(torch.int64) + low).to(arg.data.dtype)
        entries.append(replace(arg, data=data, valid=valid))
    assert codes is not None
    return codes, entries, total


def _met(codes: Tensor, entries: Sequence[Column], count: int) -> tuple[Tensor, list[Column], int]:
    """Of the combinations those that some row has: the others may be what the model fails for."""
    met = waits.unique(codes, "a model that can fail is asked for what is there alone")
    places = torch.zeros(count, dtype=torch.int32, device=codes.device)
    places[met.long()] = torch.arange(len(met), dtype=torch.int32, device=codes.device)
    return places.index_select(0, codes), [e if e.is_constant else e.take(met) for e in entries], len(met)


def _answer(values: Tensor, expr: Predict, model: Model, valid: Tensor | None) -> Column:
    """What `Predictor.value` gave, as a column of labels or numbers."""
    if model.labels is not None and not isinstance(expr.output, str):
        return _labels(values.to(torch.int64), model.labels[expr.output], expr.type, valid)
    if model.classes is None or expr.output != "value":
        return _number(values, expr.type, valid)
    return _labels(values.to(torch.int64), model.classes, expr.type, valid)


def _number(values: Tensor, dtype: DType, valid: Tensor | None) -> Column:
    if values.ndim == 2:
        if values.shape[1] != 1:
            raise ModelError(f"the model gives {values.shape[1]} values a row, not one")
        values = values[:, 0]
    if dtype == BOOLEAN:
        return Column(values != 0, dtype, valid)
    if dtype.is_integer:
        return Column(values.to(torch.int64), dtype, valid)
    return Column(values.to(torch.float32 if dtype.kind is Kind.FLOAT else torch.float64), dtype, valid)


def _labels(index: Tensor, classes: tuple[object, ...], dtype: DType, valid: Tensor | None) -> Column:
    device = index.device
    if dtype.is_text:
        labels = [str(label) for label in classes]
        ordered = sorted(set(labels), key=lambda label: label.encode())
        ranks = torch.tensor([ordered.index(label) for label in labels], dtype=torch.int32, device=device)
        dictionary = Dictionary(pa.array(ordered, pa.large_string()), is_sorted=True)
        return Column(ranks.index_select(0, index), dtype, valid, dictionary, (0, len(ordered) - 1))
    if dtype == BOOLEAN:
        table = torch.tensor([bool(label) for label in classes], dtype=torch.bool, device=device)
        return Column(table.index_select(0, index), dtype, valid)
    numbers = np.asarray(classes)
    plain = numbers.tolist()  # host: NumPy, no tensor
    if dtype.is_float:
        table = torch.tensor(plain, dtype=torch.float64, device=device)
        return Column(table.index_select(0, index), dtype, valid)
    bounds = int(numbers.min()), int(numbers.max())  # host: NumPy, no tensor
    table = torch.tensor(plain, dtype=narrowest(*bounds) or torch.int64, device=device)
    return Column(table.index_select(0, index), dtype, valid, None, bounds)


def reads_strings(expr: Predict) -> bool:
    """Whether the model is asked string by string."""
    return isinstance(expr.model, Model) and isinstance(expr.model.predictor, TextPredictor)


def describe(expr: Predict) -> str:
    """The model of a prediction, its kernel, and which inputs it reads, for EXPLAIN."""
    model = expr.model
    assert isinstance(model, Model)
    names = [model.inputs[place].name for place in expr.places]
    reads = ", ".join(names) if len(names) <= _SHOWN else f"{', '.join(names[:_SHOWN])}, …"
    steps = [transform.describe() for transform in model.transforms]
    kernel = " > ".join([*steps, model.predictor.describe()])
    return f"{model.name}: {kernel}; reads {len(names)} of {len(model.inputs)} inputs{': ' if names else ''}{reads}"
