"""An ONNX file read and checked: inputs, nodes, constants. Nothing of it is evaluated, and nothing outside its folder is read."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tqp.errors import ModelError
from tqp.models.onnx.math import TEXT, cast_type
from tqp.models.onnx.operators import Node
from tqp.models.onnx.values import Unsupported, Value

__all__ = ["Graph", "Slot", "is_onnx", "package", "read"]


@dataclass(frozen=True, slots=True)
class Slot:
    """An input of a graph: a vector (n,) where `is_flat`, else a matrix (n, columns), None where the graph does not say.

    `dtype` is None for text.
    """

    name: str
    dtype: torch.dtype | None
    columns: int | None
    is_flat: bool


@dataclass(eq=False)
class Graph:
    """A graph in order of execution. `data` is the model as bytes, without ZipMap; `zipped` the labels of its maps by output."""

    inputs: list[Slot]
    outputs: list[str]
    nodes: list[Node]
    constants: dict[str, Value]
    data: bytes
    zipped: dict[str, tuple[object, ...]] = field(default_factory=dict)
    unreadable: str | None = None

    def maker(self, name: str) -> Node | None:
        """The node that computes a value."""
        return next((node for node in self.nodes if name in node.outputs), None)


def package(name: str) -> Any:
    """`onnx` or `onnxruntime`; ModelError that says how to install it."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise ModelError(f"{name} is not installed", hint='pip install "tensor-query-processor[onnx]"') from None


def is_onnx(model: Any) -> bool:
    """Whether the object is the path of an .onnx file or an `onnx.ModelProto`."""
    if isinstance(model, str | PathLike):
        return os.fspath(model).lower().endswith(".onnx") if isinstance(os.fspath(model), str) else False
    return type(model).__name__ == "ModelProto" and type(model).__module__.partition(".")[0] == "onnx"


def read(name: str, model: Any) -> Graph:
    """The graph of a file or a ModelProto, which stays as it is. ModelError where it is none."""
    onnx = package("onnx")
    proto = _loaded(onnx, name, model) if isinstance(model, str | PathLike) else _copied(onnx, name, model)
    try:
        onnx.checker.check_model(_with_shapes(onnx, proto))
    except Exception as error:
        raise ModelError(f"model {name!r} is not a valid ONNX model: {str(error).strip().splitlines()[0]}") from error
    if proto.functions:
        proto = package("onnx.inliner").inline_local_functions(proto)
    zipped = _unzip(onnx, proto.graph)
    versions: dict[str, int] = {}
    for entry in proto.opset_import:
        domain = "" if entry.domain == "ai.onnx" else entry.domain
        versions[domain] = max(entry.version, versions.get(domain, 0))
    graph = Graph([], [output.name for output in proto.graph.output], [], {}, proto.SerializeToString(), zipped)
    try:
        graph.constants = {tensor.name: _tensor(onnx, tensor) for tensor in proto.graph.initializer}
        if proto.graph.sparse_initializer:
            raise Unsupported("a sparse constant")
        graph.nodes = [_node(onnx, node, versions) for node in proto.graph.node]
        for node in graph.nodes:
            node.constants = {n: graph.constants[name] for n, name in enumerate(node.inputs) if name in graph.constants}
    except Unsupported as error:
        graph.unreadable = error.what
    known = {tensor.name for tensor in proto.graph.initializer}
    graph.inputs = [_slot(name, item) for item in proto.graph.input if item.name not in known]
    if not graph.inputs:
        raise ModelError(f"model {name!r} has no inputs")
    return graph


def _loaded(onnx: Any, name: str, path: str | PathLike[str]) -> Any:
    file = Path(path)
    if not file.is_file():
        raise ModelError(f"model {name!r}: there is no file {os.fspath(path)}")
    try:
        proto = onnx.load_model(str(file), load_external_data=False)
    except Exception as error:
        raise ModelError(f"{os.fspath(path)} is not an ONNX model ({type(error).__name__})") from error
    folder = file.resolve().parent
    for tensor in onnx.external_data_helper._get_all_tensors(proto):
        if not onnx.external_data_helper.uses_external_data(tensor):
            continue
        where = next((entry.value for entry in tensor.external_data if entry.key == "location"), "")
        target = (folder / where).resolve()
        if Path(where).is_absolute() or not target.is_relative_to(folder):
            raise ModelError(f"{os.fspath(path)} keeps tensor {tensor.name} outside of its folder: {where}")
        if not target.is_file():
            raise ModelError(f"{os.fspath(path)} keeps tensor {tensor.name} in {where}, which does not exist")
    try:
        onnx.load_external_data_for_model(proto, str(folder))
    except Exception as error:
        raise ModelError(f"the tensors beside {os.fspath(path)} cannot be read: {error}") from error
    return proto


def _copied(onnx: Any, name: str, model: Any) -> Any:
    proto = onnx.ModelProto()
    proto.CopyFrom(model)
    if any(map(onnx.external_data_helper.uses_external_data, onnx.external_data_helper._get_all_tensors(proto))):
        raise ModelError(f"model {name!r} keeps tensors in other files", hint="register the path of its file")
    return proto


def _with_shapes(onnx: Any, proto: Any) -> Any:
    """The model with a shape for every output, which the checker asks for and nothing else does."""
    if all(item.type.tensor_type.HasField("shape") for item in proto.graph.output):
        return proto
    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    for item in copy.graph.output:
        if item.type.HasField("tensor_type") and not item.type.tensor_type.HasField("shape"):
            item.type.tensor_type.shape.dim.add()
    return copy


def _unzip(onnx: Any, graph: Any) -> dict[str, tuple[object, ...]]:
    """Take the ZipMaps out of a graph, so that probabilities stay matrices; the labels of their columns by output."""
    labels: dict[str, tuple[object, ...]] = {}
    for node in [node for node in graph.node if node.op_type == "ZipMap" and node.domain == "ai.onnx.ml"]:
        output = next((item for item in graph.output if item.name == node.output[0]), None)
        if output is None:
            continue
        for attribute in node.attribute:
            found = onnx.helper.get_attribute_value(attribute)
            labels[output.name] = tuple(item.decode() if isinstance(item, bytes) else item for item in found)
        output.type.CopyFrom(onnx.helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, None))
        identity = onnx.helper.make_node("Identity", [node.input[0]], [node.output[0]])
        place = list(graph.node).index(node)
        graph.node.remove(node)
        graph.node.insert(place, identity)
    return labels


def _node(onnx: Any, node: Any, versions: dict[str, int]) -> Node:
    domain = "" if node.domain == "ai.onnx" else node.domain
    attributes = {attribute.name: _attribute(onnx, attribute) for attribute in node.attribute}
    return Node(node.op_type, domain, versions.get(domain, 1), tuple(node.input), tuple(node.output), attributes)


def _attribute(onnx: Any, attribute: Any) -> Any:
    if attribute.type in (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS):
        return None  # of control flow, which has no tensor program
    found = onnx.helper.get_attribute_value(attribute)
    if isinstance(found, onnx.TensorProto):
        return _tensor(onnx, found)
    if isinstance(found, bytes):
        return found.decode()
    if isinstance(found, int | float):
        return found
    return [item.decode() if isinstance(item, bytes) else item for item in found]


def _tensor(onnx: Any, tensor: Any) -> Value:
    array = onnx.numpy_helper.to_array(tensor)
    if tensor.data_type == TEXT:
        texts = [
            item.decode() if isinstance(item, bytes) else str(item) for item in array.ravel().tolist()
        ]  # host: NumPy
        return np.array(texts, dtype=object).reshape(array.shape)
    return torch.from_numpy(np.array(array)).to(cast_type(tensor.data_type))


def _slot(name: str, item: Any) -> Slot:
    if not item.type.HasField("tensor_type"):
        raise ModelError(f"input {item.name} of model {name!r} is no tensor", hint="export it with tensors as inputs")
    kind = item.type.tensor_type
    sizes = [dim.dim_value if dim.HasField("dim_value") else None for dim in kind.shape.dim]
    if kind.HasField("shape") and len(sizes) not in (1, 2):
        raise ModelError(
            f"input {item.name} of model {name!r} has {len(sizes)} dimensions", hint="rows of columns have 2"
        )
    if sizes and sizes[0]:
        raise ModelError(
            f"input {item.name} of model {name!r} takes exactly {sizes[0]} rows",
            hint="export it with a dynamic first axis",
        )
    try:
        dtype = None if kind.elem_type == TEXT else cast_type(kind.elem_type)
    except Unsupported as error:
        raise ModelError(f"input {item.name} of model {name!r}: {error.message}") from error
    return Slot(item.name, dtype, sizes[1] if len(sizes) == 2 else None, len(sizes) == 1)
