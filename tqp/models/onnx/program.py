"""A graph as a program of tensor operations: its nodes in order, constants folded, on the device of the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from tqp.errors import ModelError
from tqp.models.onnx import ml as onnx_ml
from tqp.models.onnx import shapes as onnx_shapes
from tqp.models.onnx import svm as onnx_svm
from tqp.models.onnx import trees as onnx_trees
from tqp.models.onnx.graph import Graph
from tqp.models.onnx.operators import Node, Run, prepared
from tqp.models.onnx.values import Unsupported, Value

__all__ = ["Program", "Step", "families"]

families = (onnx_ml, onnx_shapes, onnx_svm, onnx_trees)


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A node as it runs; `host` are the places of inputs that are read on the host."""

    node: Node
    run: Run
    host: frozenset[int]


class Program:
    """The graph's nodes as tensor operations; Unsupported names the first one that is none."""

    def __init__(self, graph: Graph) -> None:
        if graph.unreadable is not None:
            raise Unsupported(graph.unreadable)
        self._constants = dict(graph.constants)
        self._on: dict[tuple[str, torch.device], Value] = {}
        self._plans: dict[tuple[str, ...], list[Step]] = {}
        self._steps: list[Step] = []
        for node in graph.nodes:
            node.constants = {
                place: self._constants[name] for place, name in enumerate(node.inputs) if name in self._constants
            }
            try:
                step = Step(node, *prepared(node))
            except ModelError:
                raise
            except Exception as error:
                raise Unsupported(f"{node.name} as it is written ({type(error).__name__}: {error})") from error
            if all(not name or name in self._constants for name in node.inputs):
                self._constants |= _call(step, {}, self, torch.device("cpu"))
            else:
                self._steps.append(step)

    def run(self, inputs: Mapping[str, Value], outputs: Sequence[str], device: torch.device) -> list[Value]:
        """The values of some outputs for rows on the device."""
        known: dict[str, Value] = dict(inputs)
        with torch.no_grad():
            steps = self._plan(tuple(outputs))
            last = {name: place for place, step in enumerate(steps) for name in step.node.inputs}
            for place, step in enumerate(steps):
                known |= _call(step, known, self, device)
                for name in step.node.inputs:
                    if last[name] == place and name not in outputs:
                        known.pop(name, None)
        return [known[name] if name in known else self.constant(name, device) for name in outputs]

    def walk(
        self, inputs: Mapping[str, Value], outputs: Sequence[str], device: torch.device
    ) -> Iterator[tuple[Step, Mapping[str, Value], Mapping[str, Value]]]:
        """The steps that the outputs need, each with what is known before it and what it makes of rows on the device."""
        known: dict[str, Value] = dict(inputs)
        for step in self._plan(tuple(outputs)):
            with torch.no_grad():
                made = _call(step, known, self, device)
            yield step, known, made
            known |= made

    def _plan(self, outputs: tuple[str, ...]) -> list[Step]:
        """The steps that the outputs need."""
        if outputs not in self._plans:
            needed, chosen = set(outputs), []
            for step in reversed(self._steps):
                if needed & set(step.node.outputs):
                    chosen.append(step)
                    needed |= set(step.node.inputs)
            self._plans[outputs] = chosen[::-1]
        return self._plans[outputs]

    def is_constant(self, name: str) -> bool:
        return name in self._constants

    def constant(self, name: str, device: torch.device) -> Value:
        """A constant on a device."""
        value = self._constants[name]
        if not isinstance(value, Tensor) or value.device == device:
            return value
        if (name, device) not in self._on:
            self._on[name, device] = value.to(device)
        return self._on[name, device]


def _call(step: Step, known: Mapping[str, Value], program: Program, device: torch.device) -> dict[str, Value]:
    node = step.node
    computed = [known[name] for name in node.inputs if name in known]
    # What depends on shapes alone is computed on the host, as shapes are.
    is_shape = all(isinstance(value, Tensor) and value.device.type == "cpu" for value in computed)
    here = torch.device("cpu") if is_shape else device
    args: list[Any] = []
    constant: list[bool] = []
    for place, name in enumerate(node.inputs):
        constant.append(not name or program.is_constant(name))
        if not name:
            args.append(None)
        elif name in known:
            value = known[name]
            stays = place in step.host or not isinstance(value, Tensor)
            args.append(value if stays else value.to(here))  # type: ignore[union-attr]
        else:
            args.append(program.constant(name, torch.device("cpu") if place in step.host else here))
    result = step.run(args, constant)
    results = result if isinstance(result, tuple) else (result,)
    return dict(zip(node.outputs, results, strict=False))
