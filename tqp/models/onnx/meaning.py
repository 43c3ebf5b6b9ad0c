"""What the outputs of a graph mean: which is the answer, which the probabilities, and the labels that they stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import Tensor

from tqp.errors import ModelError
from tqp.models.labels import Meaning, choice_of
from tqp.models.onnx.graph import Graph
from tqp.models.onnx.values import Indexed, Parts, Value, dense

__all__ = ["Outputs", "outputs_of", "shape_of"]


@dataclass(frozen=True, slots=True)
class Outputs:
    """Which output is the answer, which the probabilities, and what they stand for; `scores` where `output=` names the labels."""

    answer: str
    classes: tuple[object, ...] | None = None
    probabilities: str | None = None
    scores: Meaning | None = None


def outputs_of(name: str, graph: Graph, trial: dict[str, Value], output: Any) -> Outputs:
    """The meaning of the outputs, of which `trial` has the values for two rows; `output` as in `import_onnx`."""
    shapes = {key: shape_of(value) for key, value in trial.items()}
    choice = choice_of(output)
    part = _output_called(name, graph, choice.part)
    if choice.labels is not None:
        return _scored(name, graph, trial, shapes, part, choice.labels)
    if part is not None:
        _require_rows(name, part, shapes[part])
        classes = _classes(graph, trial, part) if _is_column(shapes[part]) else None
        return Outputs(part, classes)
    floats = [key for key in graph.outputs if not _is_text(trial[key]) and dense(trial[key]).is_floating_point()]
    for key in graph.outputs:
        classes = _classes(graph, trial, key) if _is_column(shapes[key]) else None
        if classes is None:
            continue
        matrices = [other for other in floats if other != key and shapes[other] == (2, len(classes))]
        for other in matrices:
            zipped = graph.zipped.get(other)
            if zipped is not None and set(zipped) == set(classes):
                classes = zipped
        return Outputs(key, classes, matrices[0] if matrices else None)
    first = graph.outputs[0]
    _require_rows(name, first, shapes[first])
    if _is_text(trial[first]):
        raise ModelError(
            f"the labels of model {name!r} are not known", hint="output=[…] lists them, or names another output"
        )
    return Outputs(first)


def _output_called(name: str, graph: Graph, part: str | int | None) -> str | None:
    """The output of a name or at a place; ModelError where there is none."""
    if part is None or part in graph.outputs:
        return part
    if isinstance(part, int) and -len(graph.outputs) <= part < len(graph.outputs):
        return graph.outputs[part]
    raise ModelError(f"model {name!r} has no output {part}", hint=f"its outputs are {', '.join(graph.outputs)}")


def _scored(
    name: str,
    graph: Graph,
    trial: dict[str, Value],
    shapes: dict[str, tuple[int, ...]],
    part: str | None,
    labels: tuple[object, ...],
) -> Outputs:
    """The output that tells the labels: scores for each, else one for two of them, else places. What they mean, rows show later."""
    numbers = [key for key in graph.outputs if part in (None, key) and not _is_text(trial[key])]
    floats = [key for key in numbers if dense(trial[key]).is_floating_point()]
    fitting = [key for key in floats if shapes[key] == (2, len(labels))]
    if len(labels) == 2:
        fitting += [key for key in floats if _is_column(shapes[key])]
    fitting += [key for key in numbers if key not in floats and _is_column(shapes[key])]
    if not fitting:
        shown = ", ".join(f"{key} {shapes[key][1:]}" for key in graph.outputs)
        raise ModelError(f"model {name!r} has no output of scores for {len(labels)} labels: {shown}")
    return Outputs(fitting[0], labels, scores="scores")


def _is_text(value: Value) -> bool:
    if isinstance(value, Parts):
        return any(map(_is_text, value.parts))
    return isinstance(value, np.ndarray) or isinstance(value, Indexed) and not isinstance(value.table, Tensor)


def _require_rows(name: str, output: str, shape: tuple[int, ...]) -> None:
    if len(shape) not in (1, 2) or shape[0] != 2:
        raise ModelError(f"output {output} of model {name!r} has the shape {shape} for two rows, not (2,) or (2, k)")


def _is_column(shape: tuple[int, ...]) -> bool:
    return shape in ((2,), (2, 1))


def _classes(graph: Graph, trial: dict[str, Value], output: str) -> tuple[object, ...] | None:
    """The labels that an output can be, from the node that makes them."""
    name = output
    while (node := graph.maker(name)) is not None:
        for attribute in ("classlabels_int64s", "classlabels_ints", "classlabels_strings"):
            if node.attributes.get(attribute):
                return tuple(node.attributes[attribute])
        if node.kind in ("ArrayFeatureExtractor", "Gather") and 1 not in node.constants:
            table = node.constants.get(0)
            if table is None and (maker := graph.maker(node.inputs[0])) is not None:
                table = maker.attributes.get("value") if maker.kind == "Constant" else None
            return None if table is None else tuple(_plain(table))
        if node.kind in ("Identity", "Cast", "Reshape", "Squeeze", "Unsqueeze", "Flatten"):
            name = node.inputs[0]
        elif node.kind == "ArgMax" and node.inputs[0] in trial and shape_of(trial[node.inputs[0]])[1:]:
            return tuple(range(shape_of(trial[node.inputs[0]])[1]))
        else:
            return None
    return None


def _plain(table: Any) -> list[object]:
    flat = table.reshape(-1).tolist()  # host: a constant
    return [int(item) if isinstance(item, float) and item.is_integer() else item for item in flat]


def shape_of(value: Value) -> tuple[int, ...]:
    """The shape of a value for rows."""
    if isinstance(value, Indexed):
        return (*value.codes.shape, *value.table.shape[1:])
    return tuple(dense(value).shape if isinstance(value, Parts) else value.shape)
