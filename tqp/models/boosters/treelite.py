"""Importer of `treelite.Model`, from its JSON form: what `treelite.gtil.predict` gives."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tqp.errors import ModelError
from tqp.models.registry import Imported, importer
from tqp.models.trees.ensemble import LEAF, Floats, Tree, below, categories_left, ensemble
from tqp.models.trees.predictor import Link, TreePredictor, identity, mapped


@importer("Model")
def treelite_model(estimator: Any, features: int) -> Imported:
    """A model of one target. Its comparisons and sums have the dtype of its thresholds and leaves."""
    model = json.loads(estimator.dump_as_json(pretty_print=False))
    if model["num_target"] != 1:
        raise ModelError(f"a treelite model with num_target={model['num_target']} is not supported")
    dtype = {"float32": torch.float32, "float64": torch.float64}[model["threshold_type"]]
    outputs = int(model["num_class"][0])
    count = len(model["trees"])
    width = int(np.prod(model["leaf_vector_shape"]))
    trees = ensemble(
        [_tree(tree["nodes"], dtype, width) for tree in model["trees"]],
        features=features,
        dtype=dtype,
        sums={"float32": torch.float32, "float64": torch.float64}[model["leaf_output_type"]],
        base=np.zeros(outputs),
        target=[max(0, place) for place in model["class_id"]] if width == 1 else None,
    )
    base = torch.tensor(model["base_scores"], dtype=torch.float64, device="cpu")
    divisor = count // outputs if width == 1 and outputs > 1 else count

    def scored(scores: Tensor) -> Tensor:
        mean = scores / divisor if model["average_tree_output"] else scores
        return mean + base.to(scores.device, scores.dtype)[:, None]

    return Imported(TreePredictor(trees, mapped(_link(model), model["postprocessor"], scored)), None, True, outputs)


def _link(model: dict[str, Any]) -> Link:
    name = model["postprocessor"]
    alpha, ratio = float(model["sigmoid_alpha"]), float(model["ratio_c"])
    if name in ("identity", "identity_multiclass"):
        return identity()
    if name in ("sigmoid", "multiclass_ova"):
        return mapped(identity(), name, lambda scores: torch.sigmoid(alpha * scores))
    if name == "exponential":
        return mapped(identity(), name, torch.exp)
    if name == "exponential_standard_ratio":
        return mapped(identity(), name, lambda scores: torch.exp2(-scores / ratio))
    if name == "logarithm_one_plus_exp":
        return mapped(identity(), name, lambda scores: scores.exp().log1p())
    if name == "signed_square":
        return mapped(identity(), name, lambda scores: scores * scores.abs())
    if name == "hinge":
        return mapped(identity(), name, lambda scores: (scores > 0).to(scores.dtype))
    if name == "softmax":
        return Link(name, lambda scores: torch.softmax(scores.t(), dim=1))
    raise ModelError(f"a treelite model with postprocessor={name!r} is not supported")


def _tree(nodes: list[dict[str, Any]], dtype: torch.dtype, width: int) -> Tree:
    number = {node["node_id"]: place for place, node in enumerate(nodes)}
    size = len(nodes)
    feature = np.full(size, LEAF, dtype=np.int64)
    threshold, leaf = np.zeros(size), np.zeros((size, width))
    missing = np.zeros(size, dtype=bool)
    left, right = np.arange(size), np.arange(size)
    sets: dict[int, Floats] = {}
    for place, node in enumerate(nodes):
        if "split_feature_id" not in node:
            leaf[place] = node.get("leaf_vector", node.get("leaf_value"))
            continue
        feature[place] = node["split_feature_id"]
        missing[place] = node["default_left"]
        yes, no = number[node["left_child"]], number[node["right_child"]]
        swapped = False
        if "category_list" in node:
            sets[place] = categories_left(node["category_list"], dtype, truncate=True)
            swapped = bool(node["category_list_right_child"])
        else:
            swapped = node["comparison_op"] in (">", ">=")
            value = float(node["threshold"])
            if node["comparison_op"] not in ("<", "<=", ">", ">="):
                raise ModelError(f"a treelite model with comparison_op={node['comparison_op']!r} is not supported")
            threshold[place] = below(value, dtype) if node["comparison_op"] in ("<", ">=") else value
        left[place], right[place] = (no, yes) if swapped else (yes, no)
        missing[place] ^= swapped
    return Tree(feature, threshold, left, right, leaf, missing, sets)
