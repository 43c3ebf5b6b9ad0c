"""Importers of LightGBM models, from `dump_model()`. The library compares and sums in float64, tree after tree."""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np
import torch

from tqp.errors import ModelError
from tqp.models.registry import Imported, importer
from tqp.models.trees.ensemble import LEAF, Ensemble, Floats, Tree, below, categories_left, ensemble
from tqp.models.trees.predictor import Link, TreePredictor, argmax_of, identity, logistic, mapped, softmax

__all__ = ["frame_categories", "lightgbm_booster"]

_ZERO = float(np.float32(1e-35))  # the library reads what is not further from zero as zero
_IDENTITY = ("regression", "regression_l1", "huber", "fair", "quantile", "mape", "lambdarank", "rank_xendcg", "custom")
_EXPONENTIAL = ("poisson", "gamma", "tweedie")
_WAYS: Final = 10_000
"""How many ways are looked at to find the columns of categories."""


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
    names = frame_categories(booster)
    trees = ensemble(
        [_tree(info["tree_structure"], names) for info in dump["tree_info"]],
        features=features,
        dtype=torch.float64,
        base=np.zeros(width),
        target=[place % width for place in range(len(dump["tree_info"]))],
    )
    texts = {place: known for place, known in names.items() if known and isinstance(known[0], str)}
    return trees, (words[0], parameters), texts


def frame_categories(booster: Any) -> dict[int, list[Any]]:
    """The categories of data frame columns by place: strings or numbers, in the order of their codes.

    The model lists them without their columns: those of pandas' type category, of which it splits the unordered ones by sets of
    codes and the ordered ones by a limit of their code. Columns are told by what was seen of their values.
    """
    dump = booster.dump_model(num_iteration=1)
    stored: list[list[Any]] = dump.get("pandas_categorical") or []
    if not stored:
        return {}
    infos = [dump["feature_infos"].get(name, {}) for name in dump["feature_names"]]
    written = re.search(r"\[categorical_feature: ([\d,]*)\]", booster.model_to_string(num_iteration=1))
    sets = [int(place) for place in written[1].split(",") if place] if written else []
    if len(sets) == len(stored):
        return dict(zip(sets, stored, strict=True))
    fits = [[place for place, info in enumerate(infos) if _fits(info, len(known), place in sets)] for known in stored]
    found = [one for one in _in_order(fits) if set(sets) <= set(one)]
    if len(found) != 1:
        raise ModelError(
            f"which columns have the {len(stored)} categories of a LightGBM model does not show in it",
            hint="train with unordered categories: frame[name].cat.as_unordered()",
        )
    names = dict(zip(found[0], stored, strict=True))
    odd = [
        place for place, known in names.items() if place not in sets and not all(isinstance(one, str) for one in known)
    ]
    if odd:
        raise ModelError(
            f"a LightGBM model with ordered categories of numbers in {dump['feature_names'][odd[0]]} is not supported",
            hint="train with the numbers themselves, or with text",
        )
    return names


def _fits(info: dict[str, Any], categories: int, is_set: bool) -> bool:
    """Whether a feature may have been the codes of so many categories; nothing is known of one that is constant."""
    if not info:
        return True
    low, high = info["min_value"], info["max_value"]
    return bool(low >= (-1 if is_set else 0) and high < categories and low == int(low) and high == int(high))


def _in_order(options: list[list[int]]) -> list[tuple[int, ...]]:
    """The ways to choose one place of each list so that they ascend, of many some."""
    found: list[tuple[int, ...]] = [()]
    for places in options:
        found = [(*one, place) for one in found for place in places if not one or place > one[-1]][:_WAYS]
    return found


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
