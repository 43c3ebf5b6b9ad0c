"""What a graph knows of each of its inputs: which columns can change the answer, where trees split them, their categories."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from torch import Tensor

from tqp.models.check.samples import Hint
from tqp.models.onnx.graph import Graph
from tqp.models.onnx.operators import Node
from tqp.models.onnx.trees import Forest, forest_of

__all__ = ["Origins"]

_TREES = ("TreeEnsemble", "TreeEnsembleRegressor", "TreeEnsembleClassifier")
_SAME = ("Identity", "Cast", "Imputer", "Binarizer", "Dropout", "LabelEncoder", "CategoryMapper")
_KEYED = ("Binarizer", "LabelEncoder", "CategoryMapper")
_SHOWN = 300


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of a value: which input it is, after (input - shift) * factor; `is_filled`: NaN has been replaced."""

    place: int
    shift: float = 0.0
    factor: float = 1.0
    is_filled: bool = False


Columns = list[_Column | None]


class Origins:
    """From the values of a graph back to its inputs."""

    def __init__(self, graph: Graph, inputs: dict[str, list[int]]) -> None:
        self._graph = graph
        self._inputs = inputs
        self._columns: dict[str, Columns] = {name: [_Column(p) for p in places] for name, places in inputs.items()}
        for node in graph.nodes:
            found = self._through(node)
            if found is not None:
                self._columns[node.outputs[0]] = found

    def _through(self, node: Node) -> Columns | None:
        """The columns of a node's result, None where they are not those of its inputs."""
        first = self._columns.get(node.inputs[0]) if node.inputs else None
        if node.kind == "Concat" and node.attributes.get("axis") in (1, -1):
            parts = [self._columns.get(name) for name in node.inputs]
            return [column for part in parts for column in part or ()] if None not in parts else None
        if first is None:
            return None
        if node.kind == "Imputer" and _seeks_missing(node):
            return [column and replace(column, is_filled=True) for column in first]
        if node.kind in _SAME:
            return first
        if node.kind in ("ArrayFeatureExtractor", "Gather"):
            chosen = node.constants.get(1)
            if not isinstance(chosen, Tensor) or node.kind == "Gather" and node.attributes.get("axis") not in (1, -1):
                return None
            return [first[place] for place in chosen.reshape(-1).tolist()]  # host: a constant
        if node.kind == "Scaler":
            offset, scale = (
                list(node.attributes.get(name) or [default]) for name, default in (("offset", 0.0), ("scale", 1.0))
            )
            return [
                column and replace(column, shift=offset[p % len(offset)], factor=scale[p % len(scale)])
                for p, column in enumerate(first)
            ]
        return None

    def reads(self, outputs: Sequence[str]) -> frozenset[int]:
        """The places of the inputs that can change the outputs."""
        every: dict[str, set[int] | None] = dict.fromkeys(outputs)
        for node in reversed(self._graph.nodes):
            if not any(name in every for name in node.outputs):
                continue
            wanted = every.get(node.outputs[0])
            for place, name in enumerate(node.inputs):
                self._demand(every, name, self._asked(node, place, wanted))
        found: set[int] = set()
        for name, places in self._inputs.items():
            if name in every:
                wanted = every[name]
                found |= {place for at, place in enumerate(places) if wanted is None or at in wanted}
        return frozenset(found)

    def _asked(self, node: Node, place: int, wanted: set[int] | None) -> set[int] | None:
        """The columns of an input that the wanted columns of a result depend on; None for all."""
        if node.kind in _TREES and place == 0:
            forest = forest_of(node)
            return {feature for feature, mode in zip(forest.features, forest.modes, strict=True) if mode != "LEAF"}
        width = len(self._columns.get(node.inputs[place], ()))
        if node.outputs[0] not in self._columns or not width:
            return None
        if node.kind in ("ArrayFeatureExtractor", "Gather") and place == 0:
            chosen = node.constants[1].reshape(-1).tolist()  # type: ignore[union-attr]  # host: a constant
            return {at % width for number, at in enumerate(chosen) if wanted is None or number in wanted}
        if wanted is None:
            return None
        if node.kind == "Concat":
            start = sum(len(self._columns[name]) for name in node.inputs[:place])
            return {at - start for at in wanted if start <= at < start + width}
        return wanted

    @staticmethod
    def _demand(every: dict[str, set[int] | None], name: str, asked: set[int] | None) -> None:
        before = every.get(name, set())
        every[name] = None if before is None or asked is None else before | asked

    def take_missing(self) -> frozenset[int]:
        """The inputs whose NaN meets nothing but nodes that know what to do with it."""
        taken: set[int] = set()
        refused: set[int] = set()
        for node in self._graph.nodes:
            for name in node.inputs:
                open_ = {column.place for column in self._columns.get(name, ()) if column and not column.is_filled}
                if _seeks_missing(node):
                    taken |= open_
                elif node.outputs[0] not in self._columns or node.kind in _KEYED:
                    refused |= open_
        return frozenset(taken - refused)

    def hints(self, count: int) -> list[Hint]:
        """Values of interest of each input."""
        found = [Hint() for _ in range(count)]
        for node in self._graph.nodes:
            columns = self._columns.get(node.inputs[0]) if node.inputs else None
            if columns is None:
                continue
            for place, column in enumerate(columns):
                if column is not None:
                    _note(found[column.place], node, place, column)
            if node.kind in _TREES:
                _split(found, columns, forest_of(node))
        return found


def _note(hint: Hint, node: Node, place: int, column: _Column) -> None:
    read = node.attributes.get
    if node.kind == "Scaler":
        offset, scale = read("offset") or [0.0], read("scale") or [1.0]
        factor = scale[place % len(scale)]
        if hint.scale is None and factor:
            hint.scale = float(offset[place % len(offset)]), abs(1 / factor)
    for name in ("cats_strings", "cats_int64s", "keys_strings", "keys_int64s", "keys_floats", "keys_tensor"):
        known: Any = read(name)
        if known is not None and len(known) and hint.categories is None:
            hint.categories = (
                known.tolist() if isinstance(known, Tensor | np.ndarray) else list(known)
            )  # host: a constant


def _split(found: list[Hint], columns: Columns, forest: Forest) -> None:
    for node, mode in enumerate(forest.modes):
        column = columns[forest.features[node]] if mode != "LEAF" and forest.features[node] < len(columns) else None
        if column is None or not column.factor:
            continue
        hint = found[column.place]
        for value in forest.members.get(node, [forest.values[node]]):
            if math.isfinite(value) and len(hint.values) < _SHOWN:
                hint.values.append(value / column.factor + column.shift)


def _seeks_missing(node: Node) -> bool:
    """Whether a node knows what to do with NaN."""
    if node.kind == "Imputer":
        return math.isnan(node.attributes.get("replaced_value_float", 0.0))
    return node.kind in _TREES and any(node.attributes.get("nodes_missing_value_tracks_true") or ())
