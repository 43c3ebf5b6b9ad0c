"""Whether some row may be an error to a graph, told by its operators and by which of their inputs come from rows.

Arithmetic, products, activations, reductions and ensembles take all numbers. Look-ups, whole divisors, and shapes or positions
that are computed of rows may be errors. An operator that is not named here may be one for any number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from tqp.models.onnx.operators import Node
from tqp.models.onnx.program import Program, Step
from tqp.models.onnx.shapes import sizes
from tqp.models.onnx.values import Indexed, Parts, Value

__all__ = ["LOOK_UPS", "NEVER", "WHOLE", "never_fails"]

_ML: Final = "ai.onnx.ml"
NEVER: Final = frozenset(
    (
        "Abs Add And ArgMax ArgMin BatchNormalization Cast CastLike Ceil Celu Clip Concat Constant ConstantOfShape Cos "
        "CumSum Dropout Einsum Elu Equal Erf Exp Expand EyeLike Flatten Floor Gelu Gemm Greater GreaterOrEqual "
        "HardSigmoid Identity IsInf IsNaN LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax MatMul Max Mean "
        "Min Mul Neg Not OneHot Or Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean "
        "ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu Reshape Round Selu Shape Sigmoid Sign Sin Size Slice "
        "Softmax Softplus Softsign Split Sqrt Squeeze Sub Sum Tanh ThresholdedRelu Tile TopK Transpose Trilu Unsqueeze "
        "Where Xor"
    ).split()
) | {
    f"{_ML}.{kind}"
    for kind in (
        "Binarizer CategoryMapper FeatureVectorizer Imputer LabelEncoder LinearClassifier LinearRegressor Normalizer "
        "OneHotEncoder SVMClassifier SVMRegressor Scaler TreeEnsemble TreeEnsembleClassifier TreeEnsembleRegressor "
        "ZipMap"
    ).split()
}
"""Operators that are no error for any numbers of these shapes; Cast of texts is one for what is no number."""
WHOLE: Final = frozenset(("Div", "Mod", "Pow"))
"""Those that are errors for whole second operands alone: zeros, and negative exponents."""
LOOK_UPS: Final = frozenset(("Gather", "GatherElements", "GatherND", f"{_ML}.ArrayFeatureExtractor"))
"""Those whose second input says places: errors for places that are not there."""
_PASSING: Final = frozenset("Identity Cast Reshape Squeeze Unsqueeze Flatten Transpose".split())
"""Those that leave numbers as they are."""
_MEASURING: Final = frozenset(("Shape", "Size"))
"""Those that look at no number of a row."""


def never_fails(program: Program, inputs: Mapping[str, Value], outputs: Sequence[str], device: torch.device) -> bool:
    """Whether no row is an error to the outputs; False where that is not known. `inputs` are a few rows that it takes."""
    of_rows = set(inputs)
    below: dict[str, int] = {}
    for step, known, made in program.walk(inputs, outputs, device):
        node = step.node
        mine = {place for place, name in enumerate(node.inputs) if name in of_rows}
        if not mine:
            continue
        values = [
            known[name] if name in known else program.constant(name, device) if name else None for name in node.inputs
        ]
        if not _is_sure(step, mine, values, below):
            return False
        if node.name not in _MEASURING:
            of_rows.update(made)
        below |= _bounds(node, values, below)
    return True


def _bounds(node: Node, values: Sequence[Any], below: Mapping[str, int]) -> dict[str, int]:
    """The number that whole outputs of a node stay below, where that is known; none is negative."""
    if node.name in ("ArgMax", "ArgMin"):
        return {node.outputs[0]: sizes(values[0])[node.attributes.get("axis", 0)]}
    if node.name == "TopK":
        return {node.outputs[1]: sizes(values[0])[node.attributes.get("axis", -1)]}
    if node.name in _PASSING and node.inputs[0] in below:
        return {node.outputs[0]: below[node.inputs[0]]}
    return {}


def _is_sure(step: Step, mine: set[int], values: Sequence[Any], below: Mapping[str, int]) -> bool:
    """Whether a node is no error for any numbers in the inputs at the places `mine`."""
    node = step.node
    if mine & step.host:
        return False
    if node.name in LOOK_UPS:
        return 1 not in mine or _is_there(node, mine, values, below)
    if node.name in WHOLE:
        return 1 not in mine or _is_float(values[1])
    return node.name in NEVER and not (node.name == "Cast" and _is_text(values[0]))


def _is_there(node: Node, mine: set[int], values: Sequence[Any], below: Mapping[str, int]) -> bool:
    """Whether places of rows are always places of what is looked up, however many rows there are."""
    if node.name == "GatherND" or node.inputs[1] not in below:
        return False
    shape = list(values[0].shape) if isinstance(values[0], np.ndarray) else sizes(values[0])
    axis = -1 if node.domain else node.attributes.get("axis", 0)
    is_rows = 0 in mine and axis % len(shape) == 0
    return not is_rows and below[node.inputs[1]] <= shape[axis]


def _is_text(value: Value) -> bool:
    match value:
        case Parts(parts):
            return any(map(_is_text, parts))
        case Indexed():
            return not isinstance(value.table, Tensor)
        case _:
            return not isinstance(value, Tensor)


def _is_float(value: Value) -> bool:
    match value:
        case Parts(parts):
            return all(map(_is_float, parts))
        case Indexed():
            return isinstance(value.table, Tensor) and value.table.is_floating_point()
        case _:
            return isinstance(value, Tensor) and value.is_floating_point()
