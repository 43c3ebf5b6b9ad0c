"""Importers of LightGBM models, from `dump_model()`. The library compares and sums in float64, tree after tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tqp.errors import ModelError
from tqp.models.registry import Imported, importer
from tqp.models.trees.ensemble import LEAF, Ensemble, Floats, Tree, below, categories_left, ensemble
from tqp.models.trees.predictor import Link, TreePredictor, argmax_of, identity, logistic, mapped, softmax

__all__ = ["lightgbm_booster"]

_ZERO = float(np.float32(1e-35))  # the library reads what is not further from zero as zero
_IDENTITY = ("regression", "regression_l1", "huber", "fair", "quantile", "mape", "lambdarank", "rank_xendcg", "custom")
_EXPONENTIAL = ("poisson", "gamma", "tweedie")


@importer("LGBMModel")
def lightgbm_model(estimator: Any, features: int) -> Imported:
    """The scikit-learn classes; up to the best iteration."""
    trees, objective, names = _read(estimator.booster_, features)
    if not hasattr(estimator, "classes_"):
        return _imported(trees, _value(objective), names)
    classes = tuple(np.asarray(estimator.classes_).tolist())  # host: NumPy
    kind, parameters = objective
    sharpness = float(parameters.get("sigmoid", "1"))
    if kind in ("binary", "cross_entropy"):
        # The library's label is that of the greater probability, the first where they are equal.
        link = logistic(sharpness)
    elif kind == "multiclass":
        link = softmax()
    elif kind == "multiclassova":
        link = Link("logistic", argmax_of, lambda scores: torch.sigmoid(sharpness * scores.t()))
    else:
        raise ModelError(f"{type(estimator).__name__} with objective={kind!r} is not supported")
    return Imported(TreePredictor(trees, _averaged(link, objective), names), classes, True, kind="classifier")


def lightgbm_booster(estimator: Any, features: int) -> Imported:
    """A bare `lightgbm.Booster`: what its `predict` gives."""
    trees, objective, names = _read(estimator, features)
    return _imported(trees, _value(objective), names)


def _imported(trees: Ensemble, link: Link, names: dict[int, list[str]]) -> Imported:
    return Imported(TreePredictor(trees, link, names), None, True, trees.outputs)


def _value(objective: tuple[str, dict[str, str]]) -> Link:
    """The value that `Booster.predict` gives for the objective."""
    kind, parameters = objective
    sharpness = float(parameters.get("sigmoid", "1"))
    if kind in _IDENTITY:
        link = identity("boosted sum")
        if "sqrt" in parameters:
            link = mapped(link, "signed square of a boosted sum", lambda scores: scores * scores.abs())
    elif kind in _EXPONENTIAL:
        link = mapped(identity(), "exponential of a boosted sum", torch.exp)
    elif kind in ("binary", "multiclassova", "cross_entropy"):
        link = mapped(identity(), "logistic", lambda scores: torch.sigmoid(sharpness * scores))
    elif kind == "cross_entropy_lambda":
        link = mapped(identity(), "softplus", lambda scores: scores.exp().log1p())
    elif kind == "multiclass":
        link = Link("softmax", lambda scores: torch.softmax(scores.t(), dim=1))
    else:
        raise ModelError(f"a LightGBM model with objective={kind!r} is not supported")
    return _averaged(link, objective)


def _averaged(link: Link, objective: tuple[str, dict[str, str]]) -> Link:
    rounds = int(objective[1].get("average over", "0"))
    return mapped(link, f"mean, {link.name}", lambda scores: scores / rounds) if rounds else link


def _read(booster: Any, features: int) -> tuple[Ensemble, tuple[str, dict[str, str]], dict[int, list[str]]]:
    dump = booster.dump_model()
    words = dump.get("objective", "custom").split()
    parameters = {word.partition(":")[0]: word.partition(":")[2] for word in words[1:]}
    width = int(dump["num_tree_per_iteration"])
    if dump["average_output"]:
        parameters["average over"] = str(len(dump["tree_info"]) // width)
    names = _categories(dump)
    trees = ensemble(
        [_tree(info["tree_structure"], names) for info in dump["tree_info"]],
        features=features,
        dtype=torch.float64,
        base=np.zeros(width),
        target=[place % width for place in range(len(dump["tree_info"]))],
    )
    texts = {place: known for place, known in names.items() if known and isinstance(known[0], str)}
    return trees, (words[0], parameters), texts


def _categories(dump: dict[str, Any]) -> dict[int, list[Any]]:
    """The categories of data frame columns by place: strings or numbers, in the order of their codes."""
    stored = dump.get("pandas_categorical") or []
    if not stored:
        return {}
    infos = dump["feature_infos"]
    places = [place for place, name in enumerate(dump["feature_names"]) if infos.get(name, {}).get("values")]
    if len(places) != len(stored):
        raise ModelError(
            f"a LightGBM model with pandas_categorical of {len(stored)} columns, of which {len(places)} are in the model, "
            "is not supported",
            hint="train without category columns that are constant or without splits",
        )
    return dict(zip(places, stored, strict=True))


def _tree(structure: dict[str, Any], names: dict[int, list[Any]]) -> Tree:
    nodes: list[dict[str, Any]] = [structure]
    children: list[tuple[int, int]] = []
    for place, node in enumerate(nodes):  # grows while it is read
        if "left_child" not in node:
            children.append((place, place))
            if "leaf_coeff" in node:
                raise ModelError("a LightGBM model with linear_tree=True is not supported")
            continue
        children.append((len(nodes), len(nodes) + 1))
        nodes += [node["left_child"], node["right_child"]]
    feature = np.full(len(nodes), LEAF, dtype=np.int64)
    threshold, leaf = np.zeros(len(nodes)), np.zeros((len(nodes), 1))
    missing = np.zeros(len(nodes), dtype=bool)
    sets: dict[int, Floats] = {}
    for place, node in enumerate(nodes):
        if "left_child" not in node:
            leaf[place] = node["leaf_value"]
            continue
        feature[place] = node["split_feature"]
        if node["decision_type"] == "==":
            codes = [int(code) for code in node["threshold"].split("||")]
            sets[place] = _codes_left(codes, names.get(node["split_feature"]))
        elif node["decision_type"] == "<=":
            threshold[place], missing[place] = _numeric(node)
            if node["missing_type"] == "Zero":
                sets[place] = _zero_missing(threshold[place], missing[place])
        else:
            raise ModelError(f"a LightGBM model with decision_type={node['decision_type']!r} is not supported")
    left, right = np.asarray(children, dtype=np.int64).T
    return Tree(feature, threshold, left, right, leaf, missing, sets)


def _numeric(node: dict[str, Any]) -> tuple[float, bool]:
    """Threshold and whether missing values go left."""
    value = float(node["threshold"])
    if abs(value) >= 1e300:  # an infinite threshold is dumped so
        value = float(np.copysign(np.inf, value))
    if -_ZERO <= value < 0:
        value = float(below(-_ZERO, torch.float64))
    elif 0 <= value < _ZERO:
        value = _ZERO
    if node["missing_type"] == "None":
        return value, value >= 0  # a missing value counts as zero
    return value, bool(node["default_left"])


def _zero_missing(threshold: float, left: bool) -> Floats:
    """The intervals of a split for which zero is missing, too."""
    low = float(below(-_ZERO, torch.float64))
    if left:
        parts = [(-np.inf, threshold), (low, _ZERO)] if threshold < low else [(-np.inf, max(threshold, _ZERO))]
    elif threshold <= low:
        parts = [(-np.inf, threshold)]
    else:
        parts = [(-np.inf, low), (_ZERO, threshold)] if threshold > _ZERO else [(-np.inf, low)]
    return np.asarray(parts, dtype=np.float64)


def _codes_left(codes: list[int], known: list[Any] | None) -> Floats:
    if known is None:
        intervals = categories_left(codes, torch.float64, truncate=True)
        if 0 in codes:
            intervals[0, 0] = -1.0  # whatever truncates to zero
        return intervals
    if isinstance(known[0], str):
        return categories_left(codes, torch.float64, truncate=False)
    return categories_left([float(known[code]) for code in codes if code < len(known)], torch.float64, truncate=False)
