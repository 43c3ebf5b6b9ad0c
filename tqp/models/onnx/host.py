"""An ONNX graph run by onnxruntime on the CPU: the visible host operator, and the oracle of registration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tqp.errors import ModelError, with_article
from tqp.kernels import waits
from tqp.models.onnx.graph import Graph, package
from tqp.models.onnx.values import Indexed, Parts, Value, columns, dense

__all__ = ["HostGraph", "evaluator"]

_MISSING = "\ufdd0"
_RUNTIME = "onnxruntime runs on the host"
"""A missing text: no character, so no category either."""


class HostGraph:
    """A graph in a session of onnxruntime, one thread a call. ModelError where it is not installed or refuses the graph."""

    def __init__(self, graph: Graph) -> None:
        runtime = package("onnxruntime")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        try:
            self._session = runtime.InferenceSession(graph.data, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise ModelError(f"onnxruntime does not take the graph: {_first_line(error)}") from error

    def run(self, inputs: Mapping[str, Value], outputs: Sequence[str], device: torch.device) -> list[Value]:
        """The values of some outputs; texts as codes."""
        feeds = {name: arrayed(value) for name, value in inputs.items()}
        answers = self._session.run(list(outputs), feeds)
        return [_value(answer, device) for answer in answers]


class _Reference:
    """The reference evaluator of the onnx package."""

    def __init__(self, graph: Graph) -> None:
        onnx = package("onnx")
        from importlib import import_module

        reference = import_module("onnx.reference")
        self._evaluator = reference.ReferenceEvaluator(onnx.ModelProto.FromString(graph.data))

    def run(self, inputs: Mapping[str, Value], outputs: Sequence[str], device: torch.device) -> list[Value]:
        answers = self._evaluator.run(list(outputs), {name: arrayed(value) for name, value in inputs.items()})
        return [_value(np.asarray(answer), device) for answer in answers]


def evaluator(graph: Graph) -> tuple[Any, str] | None:
    """What says how the graph should answer: onnxruntime, else the reference evaluator, else nothing; and its name."""
    try:
        return HostGraph(graph), "onnxruntime"
    except ModelError:
        pass
    try:
        return _Reference(graph), "the reference evaluator of onnx"
    except Exception:
        return None


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def arrayed(value: Value) -> np.ndarray[Any, Any]:
    """A graph's input as NumPy array."""
    if isinstance(value, Parts):
        if isinstance(first := value.parts[0], Indexed) and not isinstance(first.table, Tensor):
            return np.concatenate([arrayed(column) for column in columns(value)], axis=1)
        return arrayed(dense(value))
    if isinstance(value, Indexed) and not isinstance(value.table, Tensor):
        table = np.array([_MISSING if text is None else text for text in value.table.ravel()], dtype=object)
        places = waits.array(value.codes, _RUNTIME)
        texts: np.ndarray[Any, Any] = table[places].reshape(*value.codes.shape, *value.table.shape[1:])
        return texts
    array: np.ndarray[Any, Any] = waits.array(dense(value).contiguous(), _RUNTIME)
    return array


def _value(answer: Any, device: torch.device) -> Value:
    if not isinstance(answer, np.ndarray):
        raise ModelError(
            f"an output is {with_article(type(answer).__name__)}, not a tensor", hint="output= chooses another one"
        )
    if answer.dtype.kind in "OUS":
        table, codes = np.unique(answer.astype(str).ravel(), return_inverse=True)
        return Indexed(torch.from_numpy(codes.reshape(answer.shape)).to(device), table.astype(object))
    return torch.from_numpy(np.ascontiguousarray(answer)).to(device)
