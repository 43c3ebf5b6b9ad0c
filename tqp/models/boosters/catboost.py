"""Importers of CatBoost models, from their JSON form. The library compares float32 with `>` and sums in float64."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from tqp.errors import ModelError
from tqp.models.registry import Imported, importer
from tqp.models.trees.ensemble import LEAF, Ensemble, Tree, at_most, ensemble
from tqp.models.trees.predictor import Link, TreePredictor, argmax_of, identity, logistic, mapped, softmax

_BINARY = ("Logloss", "CrossEntropy", "Focal")


@importer("CatBoost")
def catboost_model(estimator: Any, features: int) -> Imported:
    """Classifiers by label and probability; regressors, rankers and bare models by the value of their `predict`."""
    for kind, places in (
        ("text", estimator.get_text_feature_indices()),
        ("embedding", estimator.get_embedding_feature_indices()),
    ):
        if len(places):
            raise _other_features(f"{kind}_features")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        estimator.save_model(str(path), format="json")
        model = json.loads(path.read_text())
    trees = _read(model, features)
    loss = str(estimator.get_all_params().get("loss_function", "")).partition(":")[0]
    kind = type(estimator).__name__
    if loss == "RMSEWithUncertainty":
        raise ModelError(f"{kind} with loss_function={loss!r} is not supported")
    # A bare model, which has no such attribute, gives the sums whatever it was trained for.
    estimates = getattr(estimator, "_estimator_type", None)
    if estimates != "classifier":
        link = identity("boosted sum")
        if estimates == "regressor" and loss in ("Poisson", "Tweedie"):
            link = mapped(link, "exponential of a boosted sum", torch.exp)
        return Imported(TreePredictor(trees, link), None, True, trees.outputs)
    if loss in _BINARY:
        link = logistic()
    elif loss == "MultiClass":
        link = softmax()
    elif loss == "MultiClassOneVsAll":
        link = Link("logistic", argmax_of, lambda scores: torch.sigmoid(scores.t()))
    else:
        raise ModelError(f"{kind} with loss_function={loss!r} is not supported")
    threshold = estimator.get_probability_threshold() if loss in _BINARY else 0.5
    if threshold is not None and threshold != 0.5:
        raise ModelError(f"{kind} with a probability threshold of {threshold} is not supported", hint="0.5")
    classes = tuple(np.asarray(estimator.classes_).tolist())  # host: NumPy
    return Imported(TreePredictor(trees, link), classes, True, kind="classifier")


def _read(model: dict[str, Any], features: int) -> Ensemble:
    information = model["features_info"]
    for other in ("categorical_features", "text_features", "embedding_features"):
        if information.get(other):
            raise _other_features(other)
    places = {feature["feature_index"]: feature["flat_feature_index"] for feature in information["float_features"]}
    # A missing value is the smallest or the greatest; as it is, it is not greater than a border either.
    last = {
        feature["feature_index"]: feature["nan_value_treatment"] == "AsTrue"
        for feature in information["float_features"]
    }
    scale, bias = model["scale_and_bias"]
    base = np.atleast_1d(np.asarray(bias, dtype=np.float64))
    if "oblivious_trees" in model:
        trees = [_oblivious(tree, places, last, len(base), scale) for tree in model["oblivious_trees"]]
    else:
        trees = [_nested(tree, places, last, len(base), scale) for tree in model["trees"]]
    return ensemble(trees, features=features, dtype=torch.float32, base=base)


def _other_features(kind: str) -> ModelError:
    return ModelError(
        f"a CatBoost model with {kind.replace('_', ' ')} is not supported",
        hint='an encoder of scikit-learn before it makes numbers of them; backend="host" calls its own predict on the CPU',
    )


def _place(split: dict[str, Any], places: dict[int, int]) -> int:
    if split["split_type"] != "FloatFeature":
        raise ModelError(f"a CatBoost model with a split of type {split['split_type']} is not supported")
    return places[split["float_feature_index"]]


def _oblivious(tree: dict[str, Any], places: dict[int, int], last: dict[int, bool], width: int, scale: float) -> Tree:
    """One split a level; split d gives bit d of the leaf number, so the last split is the root."""
    splits = tree["splits"] or []
    inner = 2 ** len(splits) - 1
    level = np.floor(np.log2(np.arange(1, inner + 1))).astype(np.int64)
    nodes = np.arange(2 * inner + 1)
    leaves = np.zeros(inner + 1)
    split = [splits[len(splits) - 1 - depth] for depth in level.tolist()]  # host: NumPy
    borders = at_most([part["border"] for part in split], torch.float32)
    return Tree(
        feature=np.concatenate([np.asarray([_place(part, places) for part in split], dtype=np.int64), leaves + LEAF]),
        threshold=np.concatenate([borders, leaves]),
        left=np.where(nodes < inner, 2 * nodes + 1, nodes),
        right=np.where(nodes < inner, 2 * nodes + 2, nodes),
        leaf=np.concatenate([np.zeros((inner, width)), np.reshape(tree["leaf_values"], (-1, width)) * scale]),
        missing_left=np.asarray([not last[part["float_feature_index"]] for part in split] + [False] * (inner + 1)),
    )


def _nested(tree: dict[str, Any], places: dict[int, int], last: dict[int, bool], width: int, scale: float) -> Tree:
    nodes: list[dict[str, Any]] = [tree]
    left: list[int] = []
    for place, node in enumerate(nodes):  # grows while it is read
        if "split" in node:
            left.append(len(nodes))
            nodes += [node["left"], node["right"]]
        else:
            left.append(place)
    inner = np.asarray(["split" in node for node in nodes])
    splits = [node.get("split", {"border": 0.0}) for node in nodes]
    leaf: npt.NDArray[np.float64] = np.zeros((len(nodes), width))
    for place, node in enumerate(nodes):
        if not inner[place]:
            leaf[place] = np.asarray(node["value"]) * scale
    return Tree(
        feature=np.asarray([_place(part, places) if go else LEAF for part, go in zip(splits, inner, strict=True)]),
        threshold=at_most([part["border"] for part in splits], torch.float32),
        left=np.asarray(left, dtype=np.int64),
        right=np.asarray(left, dtype=np.int64) + inner,
        leaf=leaf,
        missing_left=np.asarray(
            [go and not last[part["float_feature_index"]] for part, go in zip(splits, inner, strict=True)], dtype=bool
        ),
    )
