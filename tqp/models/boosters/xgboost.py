"""Importers of XGBoost models, from their JSON form. The library compares and sums in float32, tree after tree."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tqp.errors import ModelError
from tqp.models.registry import Imported, importer
from tqp.models.trees.ensemble import LEAF, Ensemble, Floats, Tree, below, categories_left, ensemble
from tqp.models.trees.predictor import Link, TreePredictor, argmax_of, identity, mapped, softmax

__all__ = ["frame_categories", "xgboost_booster"]

_LOGISTIC = ("binary:logistic", "reg:logistic")
_EXPONENTIAL = ("count:poisson", "reg:gamma", "reg:tweedie", "survival:cox", "survival:aft")
_IDENTITY = (
    "reg:squarederror", "reg:squaredlogerror", "reg:absoluteerror", "reg:quantileerror", "reg:pseudohubererror",
    "reg:linear", "binary:logitraw", "rank:ndcg", "rank:map", "rank:pairwise",
)  # fmt: skip


def _sigmoid(scores: Tensor) -> Tensor:
    # As the library computes it, so that a probability of exactly one half stays one.
    return 1 / ((-scores).exp() + (1.0 + 1e-16))


def _probability(objective: str) -> Link:
    """The value that `Booster.predict` gives for the objective."""
    if objective in _LOGISTIC:
        return mapped(identity(), "logistic", _sigmoid)
    if objective in _EXPONENTIAL:
        return mapped(identity(), "exponential of a boosted sum", torch.exp)
    if objective in _IDENTITY:
        return identity("boosted sum")
    if objective == "binary:hinge":
        return mapped(identity(), "hinge", lambda scores: (scores > 0).to(scores.dtype))
    if objective == "multi:softprob":
        return Link("softmax", lambda scores: torch.softmax(scores.t(), dim=1))
    if objective == "multi:softmax":
        return Link("softmax", lambda scores: argmax_of(scores).to(scores.dtype))
    raise ModelError(f"an XGBoost model with objective={objective!r} is not supported")


def _labelled(objective: str) -> Link:
    """Class index and probabilities as `XGBClassifier` gives them."""
    if objective.startswith("multi:"):
        return softmax()
    chance = _probability(objective).value

    def probabilities(scores: Tensor) -> Tensor:
        positive = chance(scores)
        return torch.stack([1.0 - positive, positive], dim=1)

    return Link("logistic" if objective in _LOGISTIC else objective, lambda s: (chance(s) > 0.5).long(), probabilities)


@importer("XGBModel")
def xgboost_model(estimator: Any, features: int) -> Imported:
    """The scikit-learn classes: regressors, rankers, classifiers, random forests; up to the best iteration."""
    if not (estimator.missing is None or math.isnan(estimator.missing)):
        raise ModelError(f"{type(estimator).__name__} with missing={estimator.missing!r} is not supported")
    try:
        rounds = int(estimator.best_iteration) + 1
    except AttributeError:
        rounds = None
    trees, objective, names = _read(estimator.get_booster(), features, rounds)
    if not hasattr(estimator, "n_classes_"):
        link = _probability(objective)
        return Imported(TreePredictor(trees, link, names), None, True, trees.outputs)
    classes = tuple(range(int(estimator.n_classes_)))
    if trees.outputs != (1 if len(classes) == 2 and not objective.startswith("multi:") else len(classes)):
        raise ModelError(
            f"{type(estimator).__name__} with {trees.outputs} outputs for {len(classes)} classes is not supported",
            hint="one model for each label",
        )
    return Imported(TreePredictor(trees, _labelled(objective), names), classes, True, kind="classifier")


def xgboost_booster(estimator: Any, features: int) -> Imported:
    """A bare `xgboost.Booster`: what its `predict` gives, from all its trees."""
    trees, objective, names = _read(estimator, features, None)
    link = _probability(objective)
    return Imported(TreePredictor(trees, link, names), None, True, 1 if objective == "multi:softmax" else trees.outputs)


def _read(booster: Any, features: int, rounds: int | None) -> tuple[Ensemble, str, dict[int, list[str]]]:
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]
    kind = learner["gradient_booster"]["name"]
    if kind not in ("gbtree", "dart"):
        raise ModelError(
            f"an XGBoost model with booster={kind!r} is not supported", hint='gbtree or dart, or backend="host"'
        )
    model = learner["gradient_booster"].get("gbtree", learner["gradient_booster"])["model"]
    count = len(model["trees"])
    if rounds is not None:
        count = model["iteration_indptr"][rounds]
    weights = learner["gradient_booster"].get("weight_drop") or [1.0] * count
    names = {place: known for place, known in frame_categories(learner).items() if place < features}
    trees = [
        _tree(tree, np.float32(weight), names) for tree, weight in zip(model["trees"][:count], weights, strict=False)
    ]
    parameters = learner["learner_model_param"]
    outputs = max(1, int(parameters["num_class"]), int(parameters.get("num_target", "1")))
    objective = learner["objective"]["name"]
    joined = ensemble(
        trees,
        features=features,
        dtype=torch.float32,
        sums=torch.float32,
        base=_base(parameters["base_score"], objective, outputs),
        target=model["tree_info"][:count],
    )
    texts = {place: [str(name) for name in known] for place, known in names.items() if isinstance(known[0], str)}
    return joined, objective, texts


def _base(written: str, objective: str, outputs: int) -> Floats:
    """The scores before the first tree: the base score, moved to the side of the link where trees are summed."""
    values = np.array([float(part) for part in written.strip("[]").split(",")], dtype=np.float32)
    if objective in _LOGISTIC:
        values = -np.log(np.float32(1) / values - np.float32(1))
    elif objective in _EXPONENTIAL:
        values = np.log(values)
    return np.broadcast_to(values.astype(np.float64), (outputs,)).copy()


# XGBoost's numbers of the types that a frame's categories may have; its own predict asks for the same type again.
_INTEGERS: Final = {9: np.int8, 10: np.uint8, 11: np.int16, 13: np.int32, 15: np.int64}


def frame_categories(learner: dict[str, Any]) -> dict[int, Any]:
    """The categories of data frame columns by place: a list of strings or an array of integers, in the order of their codes."""
    booster = learner["gradient_booster"]
    encoders = (booster.get("gbtree", booster).get("model", {}).get("cats") or {}).get("enc") or []
    known: dict[int, Any] = {}
    for place, encoder in enumerate(encoders):
        values, offsets = encoder["values"], encoder.get("offsets")
        if not values:
            continue
        if offsets:
            data = bytes(value & 255 for value in values)
            known[place] = [data[start:stop].decode() for start, stop in pairwise(offsets)]
        else:
            known[place] = np.array(values, _INTEGERS.get(encoder.get("type"), np.int64))
    return known


def _tree(tree: dict[str, Any], weight: np.float32, names: dict[int, Any]) -> Tree:
    left = np.asarray(tree["left_children"], dtype=np.int64)
    right = np.asarray(tree["right_children"], dtype=np.int64)
    inner = left >= 0
    conditions = np.asarray(tree["split_conditions"], dtype=np.float32)
    width = max(1, int(tree["tree_param"]["size_leaf_vector"]))
    leaf: npt.NDArray[np.float32] = conditions[:, None]
    if width > 1:
        # A leaf's right child is the number of its vector of values.
        vectors = tree.get("leaf_weights")
        if vectors is None:
            leaf = np.asarray(tree["base_weights"], dtype=np.float32).reshape(-1, width)
        else:
            table = np.asarray(vectors, dtype=np.float32).reshape(-1, width)
            leaf = table[np.where(inner, 0, right)]
    missing = np.asarray(tree["default_left"]).astype(bool)
    feature = np.where(inner, np.asarray(tree["split_indices"], dtype=np.int64), LEAF)
    sets: dict[int, Floats] = {}
    for node, start, size in zip(
        tree["categories_nodes"], tree["categories_segments"], tree["categories_sizes"], strict=True
    ):
        # The listed categories go right, so the children change places.
        sets[node] = _interval(tree["categories"][start : start + size], names.get(int(feature[node])))
        left[node], right[node] = right[node], left[node]
        missing[node] = not missing[node]
    return Tree(
        feature=feature,
        threshold=below(np.where(inner, conditions, np.float32(0)), torch.float32),
        left=left,
        right=right,
        leaf=np.where(inner[:, None], np.float32(0), leaf * weight).astype(np.float64),
        missing_left=missing,
        sets=sets,
    )


def _interval(codes: Sequence[int], known: list[Any] | None) -> Floats:
    if known is None:
        return categories_left(codes, torch.float32, truncate=True)
    if isinstance(known[0], str):
        return categories_left(codes, torch.float32, truncate=False)
    values = [float(np.float32(known[code])) for code in codes]
    return categories_left(values, torch.float32, truncate=False)
