"""Importers of scikit-learn's trees, forests, boosted trees and isolation forests.

The library compares features as float32, except histogram gradient boosting, and sums in float64, tree after tree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from tqp.errors import ModelError
from tqp.models.registry import Imported, importer
from tqp.models.several import chosen, texts_of_labels
from tqp.models.trees.ensemble import LEAF, Floats, Tree, at_most, categories_left, ensemble, outside
from tqp.models.trees.predictor import (
    Link,
    TreePredictor,
    argmax_of,
    identity,
    logistic,
    mapped,
    rows,
    softmax,
)

__all__ = ["anomaly_scores"]


def refuse(estimator: object, parameter: str, hint: str | None = None) -> ModelError:
    """The error for a part of a model that has no tensor program."""
    return ModelError(f"{type(estimator).__name__} with {parameter} is not supported", hint=hint)


def _tree(fitted: Any, leaf: Floats | None = None, places: npt.NDArray[np.int64] | None = None) -> Tree:
    """A `sklearn.tree._tree.Tree`; `leaf` (nodes, width) replaces its values, `places` its feature numbers."""
    inner = fitted.children_left >= 0
    feature = np.where(inner, fitted.feature, 0).astype(np.int64)
    if places is not None:
        feature = np.asarray(places, dtype=np.int64)[feature]
    return Tree(
        feature=np.where(inner, feature, LEAF),
        threshold=at_most(np.where(inner, fitted.threshold, 0.0), torch.float32),
        left=fitted.children_left.astype(np.int64),
        right=fitted.children_right.astype(np.int64),
        leaf=_values(fitted) if leaf is None else leaf,
        missing_left=fitted.missing_go_to_left.astype(bool),
    )


def _values(fitted: Any) -> Floats:
    return np.asarray(fitted.value, dtype=np.float64).reshape(fitted.node_count, -1)


def _labels(estimator: Any) -> tuple[object, ...]:
    classes = estimator.classes_
    if isinstance(classes, list):
        raise refuse(
            estimator, f"{len(classes)} classification outputs", 'one model for each output, or backend="host"'
        )
    return tuple(classes.tolist())  # host: NumPy


def _takes_missing(estimator: Any) -> bool:
    return bool(estimator.__sklearn_tags__().input_tags.allow_nan)


def _members(estimator: Any) -> list[Any]:
    """The fitted `Tree` objects of a forest, or of a single tree."""
    return [member.tree_ for member in getattr(estimator, "estimators_", [estimator])]


def _mean(count: int) -> Callable[[Tensor], Tensor]:
    return lambda scores: scores / count


@importer(
    "DecisionTreeClassifier", "ExtraTreeClassifier", "RandomForestClassifier", "ExtraTreesClassifier"
)  # fmt: skip
def classifier(estimator: Any, features: int) -> Imported:
    """Trees whose leaves hold class shares; a forest averages them."""
    if isinstance(estimator.classes_, list):
        return _several_labels(estimator, features)
    classes = _labels(estimator)
    members = _members(estimator)
    trees = ensemble(
        [_tree(member) for member in members],
        features=features,
        dtype=torch.float32,
        base=np.zeros(len(classes)),
    )
    shares = Link("class shares", argmax_of, lambda scores: scores.t().contiguous())
    link = mapped(shares, "mean of class shares", _mean(len(members))) if len(members) > 1 else shares
    return Imported(TreePredictor(trees, link), classes, _takes_missing(estimator), kind="classifier")


def _several_labels(estimator: Any, features: int) -> Imported:
    """Leaves hold the class shares of one output after the other, each of which chooses its greatest."""
    classes, members = estimator.classes_, _members(estimator)
    sizes = list(map(len, classes))
    # The library stores as many shares for each output as the one of most classes has.
    shares = [
        np.concatenate([member.value[:, place, :size] for place, size in enumerate(sizes)], axis=1)
        for member in members
    ]
    trees = ensemble(
        [_tree(member, leaf) for member, leaf in zip(members, shares, strict=True)],
        features=features,
        dtype=torch.float32,
        base=np.zeros(sum(sizes)),
    )
    answer, labels = chosen(classes), texts_of_labels(classes)
    link = Link(
        "class shares of each output",
        lambda scores: answer([argmax_of(one) for one in torch.split(scores, sizes)]),
        lambda scores: scores.t().contiguous(),
    )
    if len(members) > 1:
        link = mapped(link, "mean of class shares of each output", _mean(len(members)))
    predictor = TreePredictor(trees, link)
    return Imported(predictor, None, _takes_missing(estimator), len(sizes), labels=labels, shares=sum(sizes))


@importer("DecisionTreeRegressor", "ExtraTreeRegressor", "RandomForestRegressor", "ExtraTreesRegressor")
def regressor(estimator: Any, features: int) -> Imported:
    """Trees whose leaves hold one value for each output; a forest averages them."""
    members = _members(estimator)
    outputs = int(estimator.n_outputs_)
    trees = ensemble(
        [_tree(member) for member in members],
        features=features,
        dtype=torch.float32,
        base=np.zeros(outputs),
    )
    link = mapped(identity(), "mean", _mean(len(members))) if len(members) > 1 else identity()
    return Imported(TreePredictor(trees, link), None, _takes_missing(estimator), outputs)


@importer("GradientBoostingClassifier", "GradientBoostingRegressor")
def gradient_boosting(estimator: Any, features: int) -> Imported:
    """Scaled sums of trees, one a class and stage."""
    stages, width = estimator.estimators_.shape
    trees = ensemble(
        [
            _tree(member.tree_, estimator.learning_rate * _values(member.tree_))
            for stage in estimator.estimators_
            for member in stage
        ],
        features=features,
        dtype=torch.float32,
        base=_start(estimator, features, width),
        target=list(range(width)) * stages,
    )
    if not hasattr(estimator, "classes_"):
        return Imported(TreePredictor(trees, identity("boosted sum")), None, _takes_missing(estimator))
    link = softmax() if width > 1 else logistic(2.0 if estimator.loss == "exponential" else 1.0, at_zero=1)
    return Imported(TreePredictor(trees, link), _labels(estimator), _takes_missing(estimator), kind="classifier")


def _start(estimator: Any, features: int, width: int) -> Floats:
    """The scores before the first tree, which must not depend on the row."""
    start = estimator.init_
    if isinstance(start, str) and start == "zero":
        return np.zeros(width)
    kind = type(start).__name__
    if kind not in ("DummyClassifier", "DummyRegressor") or getattr(start, "strategy", "") in ("stratified", "uniform"):
        raise refuse(estimator, f"init={start!r}", "init=None or init='zero'")
    # The library's own function makes the scores; a dummy gives every row the same.
    scores = estimator._raw_predict_init(np.zeros((1, features), dtype=np.float32))
    return np.asarray(scores[0], dtype=np.float64)


@importer("HistGradientBoostingClassifier", "HistGradientBoostingRegressor")
def histogram_boosting(estimator: Any, features: int) -> Imported:
    """Sums of trees that compare float64, with missing values and sets of categories."""
    places, categories = _categories(estimator, features)
    width = estimator.n_trees_per_iteration_
    trees = ensemble(
        [_histogram_tree(tree, places, categories) for stage in estimator._predictors for tree in stage],
        features=features,
        dtype=torch.float64,
        base=np.asarray(estimator._baseline_prediction, dtype=np.float64).reshape(-1),
        target=list(range(width)) * len(estimator._predictors),
    )
    names = {place: known for place, known in categories.items() if known and isinstance(known[0], str)}
    if hasattr(estimator, "classes_"):
        link = softmax() if width > 1 else logistic()
        return Imported(TreePredictor(trees, link, names), _labels(estimator), True, kind="classifier")
    inverse = type(estimator._loss.link).__name__
    if inverse == "IdentityLink":
        link = identity("boosted sum")
    elif inverse == "LogLink":
        link = mapped(identity(), "exponential of a boosted sum", torch.exp)
    else:
        raise refuse(estimator, f"loss={estimator.loss!r}")
    return Imported(TreePredictor(trees, link, names), None, True)


def _categories(estimator: Any, features: int) -> tuple[npt.NDArray[np.int64], dict[int, list[Any]]]:
    """The place of each column the trees know, and the categories (strings or numbers) of the categorical places."""
    is_categorical = estimator.is_categorical_
    if is_categorical is None:
        return np.arange(features), {}
    first, rest = np.flatnonzero(is_categorical), np.flatnonzero(~np.asarray(is_categorical))
    known: dict[int, list[Any]] = {}
    encoder = estimator._preprocessor.named_transformers_["encoder"]
    for place, values in zip(first.tolist(), encoder.categories_, strict=True):  # host: NumPy
        # The encoder lists a missing category last; rows with it are missing.
        known[place] = [value for value in values.tolist() if value is not None and value == value]  # host: NumPy
        if not all(isinstance(value, str) for value in known[place]):
            known[place] = [float(value) for value in known[place]]
    return np.concatenate([first, rest]), known


def _histogram_tree(fitted: Any, places: npt.NDArray[np.int64], categories: dict[int, list[Any]]) -> Tree:
    nodes = fitted.nodes
    inner = nodes["is_leaf"] == 0
    feature = np.where(inner, places[np.where(inner, nodes["feature_idx"], 0)], LEAF)
    sets: dict[int, Floats] = {}
    for node in np.flatnonzero(inner & (nodes["is_categorical"] != 0)).tolist():  # host: NumPy
        words = fitted.raw_left_cat_bitsets[int(nodes["bitset_idx"][node])]
        known = categories[int(feature[node])]
        codes = range(len(known)) if known and isinstance(known[0], str) else known
        in_set = [bool(int(words[code // 32]) >> (code % 32) & 1) for code in range(len(known))]
        # An unknown category goes where missing values go.
        if nodes["missing_go_to_left"][node]:
            right = [float(code) for code, inside in zip(codes, in_set, strict=True) if not inside]
            sets[node] = outside(categories_left(right, torch.float64, truncate=False))
        else:
            left = [float(code) for code, inside in zip(codes, in_set, strict=True) if inside]
            sets[node] = categories_left(left, torch.float64, truncate=False)
    return Tree(
        feature=feature,
        threshold=nodes["num_threshold"].astype(np.float64),
        left=nodes["left"].astype(np.int64),
        right=nodes["right"].astype(np.int64),
        leaf=nodes["value"].astype(np.float64)[:, None],
        missing_left=nodes["missing_go_to_left"].astype(bool),
        sets=sets,
    )


@importer("IsolationForest")
def isolation_forest(estimator: Any, features: int) -> Imported:
    """`predict`: labels -1 (outlier) and 1."""
    predictor, score = _isolation(estimator, features)
    offset = float(estimator.offset_)
    link = Link("isolation label", lambda scores: (score(scores) - offset >= 0).long())
    return Imported(TreePredictor(predictor.trees, link), (-1, 1), _takes_missing(estimator), kind="classifier")


def anomaly_scores(estimator: Any, features: int) -> Imported:
    """`score_samples` of an IsolationForest as a regressor: the lower, the more abnormal."""
    return Imported(_isolation(estimator, features)[0], None, _takes_missing(estimator))


def _isolation(estimator: Any, features: int) -> tuple[TreePredictor, Callable[[Tensor], Tensor]]:
    lengths = zip(estimator._decision_path_lengths, estimator._average_path_length_per_tree, strict=True)
    members = zip(estimator.estimators_, estimator.estimators_features_, lengths, strict=True)
    trees = ensemble(
        [_tree(tree.tree_, (path + average - 1.0)[:, None], places) for tree, places, (path, average) in members],
        features=features,
        dtype=torch.float32,
        base=[0.0],
    )
    # As the library: expected depth of a search among so many samples, for all trees together.
    samples = float(estimator._max_samples)
    expected = 0.0 if samples <= 1 else 1.0
    if samples > 2:
        expected = 2.0 * (np.log(samples - 1.0) + np.euler_gamma) - 2.0 * (samples - 1.0) / samples
    depth = len(estimator.estimators_) * expected

    def score(scores: Tensor) -> Tensor:
        return -torch.exp2(-(scores[0] / depth if depth else torch.ones_like(scores[0])))

    return TreePredictor(trees, Link("isolation score", score)), score


@importer("AdaBoostClassifier")
def adaboost_classifier(estimator: Any, features: int) -> Imported:
    """Weighted votes of classification trees."""
    classes = _labels(estimator)
    count = len(classes)
    voters = []
    for member, weight in zip(estimator.estimators_, estimator.estimator_weights_, strict=False):
        if not hasattr(member, "tree_") or not np.array_equal(member.classes_, estimator.classes_):
            raise refuse(estimator, f"estimator={member!r}", "decision trees that know all classes")
        choice = _values(member.tree_).argmax(axis=1)
        chosen = choice[:, None] == np.arange(count)
        # Of a single label all rows are, and its votes tell nothing apart.
        voters.append(_tree(member.tree_, np.where(chosen, weight, -1 / max(count - 1, 1) * weight)))
    trees = ensemble(voters, features=features, dtype=torch.float32, base=np.zeros(count))
    total = float(estimator.estimator_weights_.sum())  # host: NumPy

    def decision(scores: Tensor) -> Tensor:
        votes = scores / total
        return (votes[1] - votes[0])[None] if count == 2 else votes

    if count == 2:
        link = mapped(logistic(), "weighted votes", decision)
    else:
        link = Link(
            "weighted votes",
            lambda scores: argmax_of(decision(scores)),
            lambda scores: torch.softmax(decision(scores).t() / max(count - 1, 1), dim=1),
        )
    return Imported(TreePredictor(trees, link), classes, _takes_missing(estimator), kind="classifier")


@importer("AdaBoostRegressor")
def adaboost_regressor(estimator: Any, features: int) -> Imported:
    """The weighted median of regression trees: an output a tree, and the median as link."""
    members = list(estimator.estimators_)
    for member in members:
        if not hasattr(member, "tree_"):
            raise refuse(estimator, f"estimator={member!r}", "decision trees")
    trees = ensemble(
        [_tree(member.tree_) for member in members],
        features=features,
        dtype=torch.float32,
        base=np.zeros(len(members)),
        target=list(range(len(members))),
    )
    weights = torch.tensor(estimator.estimator_weights_[: len(members)], dtype=torch.float64, device="cpu")

    def median(scores: Tensor) -> Tensor:
        ordered, place = rows(scores).reshape(-1, len(members)).sort(dim=1, stable=True)
        shares = weights.to(scores.device)[place].cumsum(dim=1)
        middle = (shares >= 0.5 * shares[:, -1:]).to(torch.uint8).argmax(dim=1, keepdim=True)
        return ordered.gather(1, middle)[:, 0]

    return Imported(TreePredictor(trees, Link("weighted median", median)), None, _takes_missing(estimator))
