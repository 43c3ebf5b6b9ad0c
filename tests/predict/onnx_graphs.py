"""Small ONNX graphs, and what onnxruntime answers for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper

from tqp.models.onnx.graph import read
from tqp.models.onnx.program import Program
from tqp.models.onnx.values import Indexed, Parts, Value, dense

Array = np.ndarray[Any, Any]

KINDS = {
    "float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE, "int64": TensorProto.INT64, "int32": TensorProto.INT32,
    "bool": TensorProto.BOOL, "object": TensorProto.STRING,
}  # fmt: skip
ML = "ai.onnx.ml"


def graph(
    nodes: Sequence[Any], inputs: dict[str, tuple[Any, list[Any]]], outputs: dict[str, int],
    constants: dict[str, Array] | None = None, *, opset: int = 18, ml: int = 3,
) -> Any:  # fmt: skip
    """A model; inputs as (element type, shape)."""
    made = helper.make_graph(
        list(nodes), "g",
        [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in inputs.items()],
        [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs.items()],
        [numpy_helper.from_array(value, name) for name, value in (constants or {}).items()],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid(ML, ml)]
    return helper.make_model(made, opset_imports=opsets, ir_version=9)


def flat(array: Array) -> Array:
    """Rows as a graph takes them: with more than two dimensions they are flattened, and the graph shapes them again."""
    return array if array.ndim < 3 else array.reshape(len(array), -1)


def one(
    kind: str, rows: Sequence[Array], constants: Sequence[Any] = (), *, outputs: Sequence[int] = (TensorProto.FLOAT,),
    domain: str = "", opset: int = 18, ml: int = 3, **attributes: Any,
) -> Any:  # fmt: skip
    """A model of one node: inputs of the rows' types, then constants (None for one left out)."""
    inputs = {f"x{n}": (KINDS[str(array.dtype)], [None, *flat(array).shape[1:]]) for n, array in enumerate(rows)}
    known = {f"c{n}": np.asarray(value) for n, value in enumerate(constants) if value is not None}
    cubes = {f"x{n}": list(array.shape[1:]) for n, array in enumerate(rows) if array.ndim > 2}
    shaped = [helper.make_node("Reshape", [name, f"s{name}"], [f"cube{name}"]) for name in cubes]
    known |= {f"s{name}": np.array([-1, *sizes]) for name, sizes in cubes.items()}
    names = [
        *(f"cube{name}" if name in cubes else name for name in inputs),
        *(f"c{n}" if value is not None else "" for n, value in enumerate(constants)),
    ]
    results = {f"y{n}": output for n, output in enumerate(outputs)}
    node = helper.make_node(kind, names, list(results), domain=domain, **attributes)
    return graph([*shaped, node], inputs, results, known, opset=opset, ml=ml)


def asked(model: Any, feeds: dict[str, Array]) -> list[Array]:
    """What onnxruntime answers."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    answers: list[Array] = session.run(None, feeds)
    return answers


def answered(model: Any, feeds: dict[str, Array], *, coded: bool = False) -> list[Array]:
    """What the tensor program answers; with `coded` each input is a table of its own rows, turned around."""
    made = read("m", model)
    inputs = {name: value_of(array, coded) for name, array in feeds.items()}
    return [array_of(value) for value in Program(made).run(inputs, made.outputs, torch.device("cpu"))]


def value_of(array: Array, coded: bool) -> Value:
    if array.dtype == object:
        if array.ndim == 2 and array.shape[1] > 1:
            return Parts(tuple(value_of(column[:, None], coded) for column in array.T))  # type: ignore[arg-type]
        known = sorted(set(array.ravel().tolist()))
        codes = torch.tensor([known.index(text) for text in array.ravel().tolist()], dtype=torch.int32)
        table = np.array(known, dtype=object)
        return Indexed(codes, table[:, None]) if array.ndim == 2 else Indexed(codes, table)
    tensor = torch.tensor(array)
    if not coded:
        return tensor
    codes = torch.arange(len(array) - 1, -1, -1, dtype=torch.int32)
    if array.ndim == 2 and array.shape[1] > 1:
        return Parts(tuple(Indexed(codes, column[:, None].flip(0)) for column in tensor.unbind(1)))
    return Indexed(codes, tensor.flip(0))


def array_of(value: Value) -> Array:
    if isinstance(value, Indexed) and isinstance(value.table, np.ndarray):
        found: Array = value.table[value.codes.numpy()]
        return found.reshape(*value.codes.shape, *value.table.shape[1:])
    if (
        isinstance(value, Parts)
        and isinstance(value.parts[0], Indexed)
        and isinstance(value.parts[0].table, np.ndarray)
    ):
        return np.concatenate([array_of(part) for part in value.parts], axis=1)
    return np.asarray(value) if isinstance(value, np.ndarray) else dense(value).numpy()


def same(found: Sequence[Array], wanted: Sequence[Array], tolerance: float = 1e-5) -> None:
    """Shapes, types and values are equal."""
    assert len(found) == len(wanted)
    for mine, theirs in zip(found, wanted, strict=True):
        assert mine.shape == theirs.shape
        if theirs.dtype.kind in "OUS":
            assert mine.tolist() == theirs.tolist()
            continue
        assert mine.dtype == theirs.dtype
        np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=1e-6)
