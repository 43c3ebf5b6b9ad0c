"""An ONNX graph as a `Model`: its inputs by column, what its outputs mean, and who runs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

import numpy as np
import torch
from torch import Tensor

from tqp.errors import ModelError
from tqp.kernels import waits
from tqp.models.features import Coded, Feature, Numeric, Text
from tqp.models.labels import Meaning, chances_of, gives_chances, labels_of_scores
from tqp.models.model import Input, Model, Predictor
from tqp.models.onnx.columns import Origins
from tqp.models.onnx.failing import never_fails
from tqp.models.onnx.graph import Graph, Slot, read
from tqp.models.onnx.host import HostGraph
from tqp.models.onnx.meaning import Outputs, outputs_of, shape_of
from tqp.models.onnx.ml import flat_labels
from tqp.models.onnx.program import Program
from tqp.models.onnx.values import Indexed, Parts, Unsupported, Value, dense
from tqp.types import BIGINT, BOOLEAN, DOUBLE

__all__ = ["GraphPredictor", "import_onnx"]


_LOWEST: Final = -(2**63)


class Runner(Protocol):
    """Who runs a graph."""

    def run(self, inputs: Mapping[str, Value], outputs: Sequence[str], device: torch.device) -> list[Value]: ...


def import_onnx(
    name: str,
    model: Any,
    inputs: Sequence[str] | None = None,
    output: Any = None,
    method: str | None = None,
    backend: str = "auto",
    nulls: str = "auto",
) -> Model:
    """The model of a file or ModelProto.

    `output` names an output of the graph, or says its place; as a list, the labels of one that gives scores (n, labels), one
    score of two labels, or places of labels; as a mapping both. The graph runs as tensor operations;
    with `backend="auto"` onnxruntime runs it where an operator is none, "host" asks for that, "tensor"
    forbids it. Raises ModelError.
    """
    if method not in (None, "predict"):
        raise ModelError(f"method={method!r} is for estimators", hint="output= chooses an output of an ONNX graph")
    graph = read(name, model)
    slots = _widths(name, graph, inputs)
    arity = _arity(name, slots, inputs)
    runner, why = _runner(name, graph, backend)
    try:
        return _made(name, graph, slots, arity, runner, why, output, nulls)
    except Unsupported as error:
        # Some things show only when rows flow.
        runner, why = _on_host(name, graph, backend, error)
        return _made(name, graph, slots, arity, runner, why, output, nulls)


def _runner(name: str, graph: Graph, backend: str) -> tuple[Runner, str]:
    if backend == "host":
        return HostGraph(graph), "onnxruntime on the host"
    try:
        return Program(graph), ""
    except Unsupported as error:
        return _on_host(name, graph, backend, error)


def _on_host(name: str, graph: Graph, backend: str, error: Unsupported) -> tuple[Runner, str]:
    if backend != "auto":
        raise ModelError(
            f"model {name!r} has no tensor program: {error.what} is not a tensor operation here",
            hint='backend="host" runs it with onnxruntime on the CPU' if backend == "tensor" else None,
        ) from error
    try:
        return HostGraph(graph), f"onnxruntime on the host, because {error.what} is not a tensor operation here"
    except ModelError as missing:
        raise ModelError(
            f"model {name!r} has no tensor program: {error.what} is not a tensor operation here; {missing.message}",
            hint=missing.hint,
        ) from error


def _widths(name: str, graph: Graph, inputs: Sequence[str] | None) -> list[Slot]:
    """The inputs with the number of their columns; one alone that does not say it has those that are named."""
    slots = graph.inputs
    open_ = [slot for slot in slots if slot.columns is None and not slot.is_flat]
    if not open_:
        return slots
    if len(slots) > 1 or inputs is None:
        raise ModelError(
            f"model {name!r} does not say how many columns its input {open_[0].name} has", hint="name them: inputs=[…]"
        )
    return [Slot(slots[0].name, slots[0].dtype, len(inputs), False)]


def _arity(name: str, slots: list[Slot], inputs: Sequence[str] | None) -> tuple[Input, ...]:
    """One input a column: called as the graph's input, or x1, x2, … where the graph has one of several columns."""
    found: list[Input] = []
    for slot in slots:
        count = slot.columns or 1
        prefix = "x" if len(slots) == 1 else f"{slot.name}_"
        names = [slot.name] if count == 1 and len(slots) > 1 else [f"{prefix}{place}" for place in range(1, count + 1)]
        dtype = slot.dtype
        is_whole = dtype is not None and not dtype.is_floating_point and dtype is not torch.bool
        found += [Input(column, dtype is None, is_whole=is_whole) for column in names]
    if inputs is None:
        return tuple(found)
    if len(inputs) != len(found):
        raise ModelError(f"model {name!r} takes {len(found)} columns, not {len(inputs)} (inputs={list(inputs)})")
    return tuple(replace(input_, name=column) for column, input_ in zip(inputs, found, strict=True))


def _made(
    name: str,
    graph: Graph,
    slots: list[Slot],
    arity: tuple[Input, ...],
    runner: Runner,
    why: str,
    output: Any,
    nulls: str,
) -> Model:
    rows = _blank_rows(slots)
    trial = _trial(name, graph, rows, runner)
    meaning = outputs_of(name, graph, trial, output)
    places: dict[str, list[int]] = {}
    for slot in slots:
        start = sum(map(len, places.values()))
        places[slot.name] = list(range(start, start + (slot.columns or 1)))
    origins = Origins(graph, places)
    shape = shape_of(trial[meaning.answer])
    kind = GraphProbabilities if meaning.probabilities else GraphPredictor
    predictor = kind(graph, slots, runner, meaning, origins, why, _can_fail(slots, rows, runner, meaning))
    dtype = DOUBLE
    if meaning.classes is None and not dense(trial[meaning.answer]).is_floating_point():
        dtype = BOOLEAN if dense(trial[meaning.answer]).dtype is torch.bool else BIGINT
    outputs = shape[1] if meaning.classes is None and len(shape) == 2 else 1
    # Integers and texts of a graph have no missing value.
    dtypes = [slot.dtype for slot in slots for _ in places[slot.name]]
    able = {place for place, kind in enumerate(dtypes) if kind is not None and kind.is_floating_point}
    taken = able if nulls == "missing" else able & origins.take_missing()
    inputs = tuple(replace(input_, takes_missing=place in taken) for place, input_ in enumerate(arity))
    return Model(
        name, inputs, (), predictor, meaning.classes, dtype, bool(taken), "onnx", outputs,
        kind="classifier" if meaning.classes is not None else "regressor",
    )  # fmt: skip


def _blank_rows(slots: list[Slot]) -> dict[str, Value]:
    """The graph's inputs for two rows of zeros and empty texts, on the host."""
    host = torch.device("cpu")
    count = sum(slot.columns or 1 for slot in slots)
    features = [Numeric(torch.zeros(2, dtype=torch.float64, device=host)) for _ in range(count)]
    return {slot.name: value for slot, value in zip(slots, _gathered(slots, features, blank=True), strict=True)}


def _trial(name: str, graph: Graph, rows: dict[str, Value], runner: Runner) -> dict[str, Value]:
    """All outputs for a few rows, to see their shapes."""
    try:
        answers = runner.run(rows, graph.outputs, torch.device("cpu"))
    except ModelError:
        raise
    except Exception as error:
        if isinstance(runner, Program):
            raise Unsupported(f"the graph on two rows ({type(error).__name__}: {error})") from error
        raise ModelError(f"model {name!r} fails on two rows of zeros: {error}") from error
    return dict(zip(graph.outputs, answers, strict=True))


def _can_fail(slots: list[Slot], rows: dict[str, Value], runner: Runner, meaning: Outputs) -> bool:
    """Whether a row may be an error: to a library, to an input that takes whole numbers, or to an operator."""
    takes_whole = any(
        slot.dtype is not None and not slot.dtype.is_floating_point and slot.dtype is not torch.bool for slot in slots
    )
    if takes_whole or not isinstance(runner, Program):
        return True
    asked = [meaning.answer, *([meaning.probabilities] if meaning.probabilities else [])]
    return not never_fails(runner, rows, asked, torch.device("cpu"))


def _gathered(slots: list[Slot], features: Sequence[Feature], blank: bool = False) -> list[Value]:
    """The graph's inputs of the features; with `blank` texts are empty."""
    values: list[Value] = []
    start = 0
    for slot in slots:
        stop = start + (slot.columns or 1)
        parts = tuple(_column(feature, slot.dtype, blank) for feature in features[start:stop])
        start = stop
        first = parts[0]
        if slot.is_flat:
            values.append(Indexed(first.codes, first.table.reshape(-1)) if isinstance(first, Indexed) else first[:, 0])
        elif len(parts) > 1 and all(isinstance(part, Tensor) for part in parts):
            values.append(Parts(parts))
        else:
            values.append(first if len(parts) == 1 else Parts(parts))
    return values


def _column(feature: Feature, dtype: torch.dtype | None, blank: bool) -> Tensor | Indexed:
    """A column (n, 1) of the dtype, or codes of a table (k, 1); for text the table's last entry is a missing one."""
    match feature:
        case Numeric(values) if blank and dtype is None:
            return Indexed(torch.zeros_like(values, dtype=torch.int32), np.array([[""]], dtype=object))
        case Text(column):
            assert column.dictionary is not None
            texts = column.dictionary.values.to_pylist()
            codes = column.data.to(torch.int32)
            if column.valid is not None:
                codes = codes.masked_fill(~column.valid, len(texts))
            return Indexed(codes, np.array([*texts, None], dtype=object).reshape(-1, 1))
        case Coded(codes, values):
            return Indexed(codes, _typed(values, dtype, codes)[:, None])
        case Numeric(values):
            return _typed(values, dtype, None)[:, None]


def _typed(values: Tensor, dtype: torch.dtype | None, codes: Tensor | None) -> Tensor:
    """Numbers as a graph takes them; ModelError for others than it takes. What is missing has no prediction."""
    assert dtype is not None
    if dtype.is_floating_point or dtype is torch.bool:
        return values.to(dtype)
    whole = values.nan_to_num(0.0, 0.0, 0.0)
    _refuse(whole != whole.trunc(), codes, "integers, not decimals", "cast it AS BIGINT")
    kind = torch.iinfo(dtype)
    low, high = max(kind.min, _LOWEST), min(kind.max, -_LOWEST - 1)
    if whole.is_floating_point() or dtype is not torch.int64:
        shown = f"{str(dtype).removeprefix('torch.')}, from {low} to {high}"
        _refuse((whole < low) | (whole > high), codes, shown, "cast it to that type")
    return whole.to(dtype)


def _refuse(odd: Tensor, codes: Tensor | None, takes: str, hint: str) -> None:
    odd = odd if codes is None else odd.index_select(0, codes)
    if waits.truth(odd.any(), "other numbers than a graph takes are an error"):
        raise ModelError(f"an input of the graph takes {takes}", hint=hint)


class GraphPredictor(Predictor):
    """A graph whose answer is one of its outputs."""

    def __init__(
        self, graph: Graph, slots: list[Slot], runner: Runner, meaning: Outputs, origins: Origins, why: str,
        can_fail: bool,
    ) -> None:  # fmt: skip
        self.can_fail = can_fail
        self.graph, self.slots, self.runner, self.meaning, self.origins = graph, slots, runner, meaning, origins
        self.on_host = why
        self._used: frozenset[int] | None = None

    def outputs(self, features: Sequence[Feature], names: Sequence[str], runner: Runner | None = None) -> list[Value]:
        """Outputs of the graph for rows, by the runner of the model or another one."""
        device = _device(features[0])
        inputs = dict(zip((slot.name for slot in self.slots), _gathered(self.slots, features), strict=True))
        return (runner or self.runner).run(inputs, names, device)

    def meaning_scores(self, scores: Meaning) -> GraphPredictor:
        """The predictor of the same labels by what their scores mean."""
        chances = self.meaning.answer if gives_chances(scores) else None
        return self.of(replace(self.meaning, scores=scores, probabilities=chances))

    def of(self, meaning: Outputs) -> GraphPredictor:
        """The predictor of the same graph by what other outputs mean."""
        kind = GraphProbabilities if meaning.probabilities else GraphPredictor
        can_fail = self.can_fail or meaning.scores == "index"
        return kind(self.graph, self.slots, self.runner, meaning, self.origins, self.on_host, can_fail)

    def value(self, features: Sequence[Feature]) -> Tensor:
        (answer,) = self.outputs(features, [self.meaning.answer])
        return self.meant(answer)

    def meant(self, answer: Value) -> Tensor:
        """An answer of the graph as `Predictor.value`."""
        classes = self.meaning.classes
        if self.meaning.scores is not None and classes is not None:
            return labels_of_scores(self.column(answer), self.meaning.scores, len(classes))
        if classes is not None:
            return _index(flat_labels(answer), classes)
        return self.column(answer)

    def column(self, answer: Value) -> Tensor:
        """An answer of the graph as (n,), or as (n, k) with several numbers a row."""
        result = dense(answer)
        return result.reshape(len(result)) if result.ndim == 2 and result.shape[1] == 1 else result

    def used(self) -> frozenset[int]:
        if self._used is None:
            if self.on_host:
                self._used = frozenset(range(sum(slot.columns or 1 for slot in self.slots)))
            else:
                names = [self.meaning.answer, *([self.meaning.probabilities] if self.meaning.probabilities else [])]
                self._used = self.origins.reads(names)
        return self._used

    def describe(self) -> str:
        count = len(self.graph.nodes)
        return self.on_host or f"ONNX graph of {count} node{'s' * (count > 1)} as tensor operations"


class GraphProbabilities(GraphPredictor):
    """A graph that gives class probabilities, or scores to make them of."""

    def probabilities(self, features: Sequence[Feature]) -> Tensor | None:
        assert self.meaning.probabilities is not None
        (answer,) = self.outputs(features, [self.meaning.probabilities])
        return self.probable(answer)

    def probable(self, answer: Value) -> Tensor:
        """An answer of the graph as `Predictor.probabilities`."""
        if self.meaning.scores is not None:
            return chances_of(self.column(answer), self.meaning.scores)
        return dense(answer).to(torch.float64)


def _device(feature: Feature) -> torch.device:
    match feature:
        case Text(column):
            return column.device
        case Coded(codes, _):
            return codes.device
        case Numeric(values):
            return values.device


def _index(labels: Value, classes: tuple[object, ...]) -> Tensor:
    """The class index of each label (n,)."""
    if isinstance(labels, Indexed):
        known = {label: place for place, label in enumerate(classes)}
        # Entries of the table that no row has may be other texts.
        table = labels.table.tolist()  # host: NumPy
        places = torch.tensor([known.get(label, 0) for label in table], dtype=torch.int64, device=labels.codes.device)
        return places.index_select(0, labels.codes)
    numbers = dense(labels)
    ordered = sorted(range(len(classes)), key=lambda place: classes[place])  # type: ignore[arg-type,return-value]
    keys = torch.tensor([classes[place] for place in ordered], dtype=torch.int64, device=numbers.device)
    places = torch.tensor(ordered, dtype=torch.int64, device=numbers.device)
    return places[torch.searchsorted(keys, numbers.to(torch.int64).contiguous()).clamp(max=len(classes) - 1)]
