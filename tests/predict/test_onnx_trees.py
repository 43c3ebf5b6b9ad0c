"""Tree ensembles of ONNX: all branch modes, transforms and aggregates, on thresholds and beside them, against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto as T
from onnx import numpy_helper

from tests.predict.onnx_graphs import ML, Array, answered, asked, one, same
from tqp.errors import ModelError

SPLITS = np.array([-1.5, -0.3, 0.0, 0.1, 0.7, 2.0])
MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]


def rows(dtype: type = np.float32, missing: bool = True) -> Array:
    """Thresholds, their neighbours, zeros of both signs, infinities, missing values."""
    random = np.random.default_rng(5)
    near = SPLITS.astype(np.float32).astype(dtype)
    points = np.concatenate(
        [near, np.nextafter(near, dtype(9)), np.nextafter(near, dtype(-9)), [-0.0, 1e30, -1e30, np.inf]]
    )
    found = random.choice(points, (400, 3)).astype(dtype)
    if missing:
        found[random.random(found.shape) < 0.1] = np.nan
    return found


def grown(modes: list[str], *, trees: int = 5, depth: int = 3, seed: int = 0, tracks: bool = True) -> dict[str, Any]:
    """Complete trees with random splits: the attributes of their nodes."""
    random = np.random.default_rng(seed)
    nodes: dict[str, list[Any]] = {
        f"nodes_{name}": [] for name in
        ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids", "missing_value_tracks_true")
    }  # fmt: skip
    for tree in range(trees):
        for node in range(2 ** (depth + 1) - 1):
            is_leaf = node >= 2**depth - 1
            found = [
                tree, node, int(random.integers(0, 3)), "LEAF" if is_leaf else str(random.choice(modes)),
                0.0 if is_leaf else float(random.choice(SPLITS)), 0 if is_leaf else 2 * node + 1, 0 if is_leaf else 2 * node + 2,
                int(tracks and not is_leaf and random.random() < 0.5),
            ]  # fmt: skip
            for values, value in zip(nodes.values(), found, strict=True):
                values.append(value)
    return nodes


def weighed(nodes: dict[str, Any], kind: str, targets: int, *, positive: bool = False, seed: int = 1) -> dict[str, Any]:
    """Weights of each leaf, for all targets."""
    random = np.random.default_rng(seed)
    leaves = [(t, n) for t, n, mode in zip(nodes["nodes_treeids"], nodes["nodes_nodeids"], nodes["nodes_modes"], strict=True)
              if mode == "LEAF"]  # fmt: skip
    cells = [(tree, node, target) for tree, node in leaves for target in range(targets)]
    weights = random.random(len(cells)) if positive else random.normal(size=len(cells))
    return {
        f"{kind}_treeids": [cell[0] for cell in cells], f"{kind}_nodeids": [cell[1] for cell in cells],
        f"{kind}_ids": [cell[2] for cell in cells], f"{kind}_weights": [float(np.float32(weight)) for weight in weights],
    }  # fmt: skip


@pytest.mark.parametrize("modes", [[mode] for mode in MODES] + [MODES], ids=lambda modes: "+".join(modes)[:20])
@pytest.mark.parametrize("depth", [3, 7])
def test_branch_modes(modes: list[str], depth: int) -> None:
    nodes = grown(modes, depth=depth)
    model = one("TreeEnsembleRegressor", [rows()], domain=ML, n_targets=1, **nodes, **weighed(nodes, "target", 1))
    for coded in (False, True):
        same(answered(model, {"x0": rows()}, coded=coded), asked(model, {"x0": rows()}))


@pytest.mark.parametrize("aggregate", ["SUM", "AVERAGE", "MIN", "MAX"])
@pytest.mark.parametrize("targets", [1, 3])
@pytest.mark.parametrize("based", [False, True])
def test_aggregates(aggregate: str, targets: int, based: bool) -> None:
    nodes = grown(["BRANCH_LEQ"])
    options = {"base_values": [0.5, -1.0, 2.0][:targets]} if based else {}
    weights = weighed(nodes, "target", targets)
    model = one("TreeEnsembleRegressor", [rows()], domain=ML, n_targets=targets, aggregate_function=aggregate,
                **nodes, **weights, **options)  # fmt: skip
    same(answered(model, {"x0": rows()}), asked(model, {"x0": rows()}))


@pytest.mark.parametrize("post", ["NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"])
@pytest.mark.parametrize("based", [False, True])
def test_transforms_of_several_targets(post: str, based: bool) -> None:
    nodes = grown(["BRANCH_LT"])
    options: dict[str, Any] = {"base_values": [0.5, -1.0, 2.0]} if based else {}
    options |= {"post_transform": post, "domain": ML}
    regressor = one("TreeEnsembleRegressor", [rows()], n_targets=3, **nodes, **weighed(nodes, "target", 3), **options)
    classifier = one("TreeEnsembleClassifier", [rows()], classlabels_strings=["p", "q", "r"], outputs=[T.STRING, T.FLOAT],
                     **nodes, **weighed(nodes, "class", 3), **options)  # fmt: skip
    for model in (regressor, classifier):
        same(answered(model, {"x0": rows()}), asked(model, {"x0": rows()}))


def test_probit() -> None:
    nodes = grown(["BRANCH_LEQ"], trees=1)
    model = one("TreeEnsembleRegressor", [rows()], domain=ML, n_targets=1, post_transform="PROBIT", **nodes,
                **weighed(nodes, "target", 1, positive=True))  # fmt: skip
    same(answered(model, {"x0": rows()}), asked(model, {"x0": rows()}), 1e-4)


@pytest.mark.parametrize("post", ["NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"])
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("based", [False, True])
def test_two_classes_from_one_score(post: str, positive: bool, place: int, based: bool) -> None:
    nodes = grown(["BRANCH_LEQ"], trees=1 if positive else 4)
    weights = weighed(nodes, "class", 1, positive=positive)
    weights["class_ids"] = [place] * len(weights["class_ids"])
    options = {"base_values": [0.25]} if based else {}
    model = one("TreeEnsembleClassifier", [rows()], domain=ML, classlabels_int64s=[4, 9], outputs=[T.INT64, T.FLOAT],
                post_transform=post, **nodes, **weights, **options)  # fmt: skip
    if based and place == 1:
        with pytest.raises(ModelError, match="with several base values"):
            answered(model, {"x0": rows()})
        return
    same(answered(model, {"x0": rows()}), asked(model, {"x0": rows()}))


@pytest.mark.parametrize("post", ["NONE", "LOGISTIC", "SOFTMAX"])
def test_two_classes_of_opposite_scores(post: str) -> None:
    nodes = grown(["BRANCH_GT"])
    weights = weighed(nodes, "class", 2)
    weights["class_weights"] = [
        sign * abs(w) for w in weights["class_weights"][::2] for sign in (-np.sign(w), np.sign(w))
    ]
    options: dict[str, Any] = {"domain": ML, "post_transform": post, "outputs": [T.INT64, T.FLOAT], **nodes, **weights}
    model = one("TreeEnsembleClassifier", [rows()], classlabels_int64s=[0, 1], **options)
    same(answered(model, {"x0": rows()}), asked(model, {"x0": rows()}))
    # For other labels, and for weights that are no opposites, onnxruntime does not give the label of the greatest score.
    options["class_weights"] = [*options["class_weights"][:-1], 5.0]
    for labels, changed in (([3, 4], weights), ([0, 1], options)):
        with pytest.raises(ModelError, match="of 2 classes with weights of 2"):
            odd = options | {"class_weights": changed["class_weights"], "classlabels_int64s": labels}
            answered(one("TreeEnsembleClassifier", [rows()], **odd), {"x0": rows()})


def test_rows_of_float64_and_integers() -> None:
    nodes = grown(["BRANCH_LEQ", "BRANCH_LT"])
    found = rows(np.float64)
    regressor = one("TreeEnsembleRegressor", [found], domain=ML, n_targets=1, **nodes, **weighed(nodes, "target", 1))
    same(answered(regressor, {"x0": found}), asked(regressor, {"x0": found}))
    whole = np.round(np.nan_to_num(np.clip(found, -5, 5))).astype(np.int64)
    classifier = one("TreeEnsembleClassifier", [whole], domain=ML, classlabels_int64s=[1, 2, 3],
                     outputs=[T.INT64, T.FLOAT], **nodes, **weighed(nodes, "class", 3))  # fmt: skip
    same(answered(classifier, {"x0": whole}), asked(classifier, {"x0": whole}))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("post", [0, 1, 3])
def test_version_5(kind: type, post: int) -> None:
    random = np.random.default_rng(2)
    modes = np.array([0, 1, 2, 3, 4, 5, 6, 6, 0], np.uint8)
    leaves = 11
    found = np.where(random.random((400, 3)) < 0.5, random.integers(0, 5, (400, 3)), rows(kind)).astype(kind)
    model = one(
        "TreeEnsemble", [found], domain=ML, ml=5, n_targets=3, post_transform=post, aggregate_function=1,
        outputs=[T.FLOAT if kind is np.float32 else T.DOUBLE], tree_roots=[0, 5],
        nodes_modes=numpy_helper.from_array(modes),
        nodes_featureids=[0, 1, 2, 0, 1, 2, 0, 1, 2],
        nodes_splits=numpy_helper.from_array(random.choice(SPLITS, 9).astype(kind)),
        membership_values=numpy_helper.from_array(np.array([1.0, 2.0, np.nan, 3.0, np.nan], kind)),
        nodes_truenodeids=[1, 3, 0, 2, 4, 6, 7, 7, 9], nodes_trueleafs=[0, 0, 1, 1, 1, 0, 0, 1, 1],
        nodes_falsenodeids=[2, 4, 1, 3, 5, 6, 8, 8, 10], nodes_falseleafs=[0, 0, 1, 1, 1, 1, 0, 1, 1],
        nodes_missing_value_tracks_true=[1, 0, 1, 0, 1, 0, 1, 0, 1],
        leaf_targetids=[place % 3 for place in range(leaves)],
        leaf_weights=numpy_helper.from_array(random.normal(size=leaves).astype(kind)),
    )  # fmt: skip
    if post == 1:
        with pytest.raises(ModelError, match="which onnxruntime takes for the other one"):
            answered(model, {"x0": found})
        return
    same(answered(model, {"x0": found}), asked(model, {"x0": found}))


@pytest.mark.parametrize("broken", ["circle", "shared", "mode", "twice"])
def test_what_is_no_tree(broken: str) -> None:
    nodes = grown(["BRANCH_LEQ"], trees=1, depth=2)
    weights = weighed(nodes, "target", 1)
    if broken == "circle":
        nodes["nodes_truenodeids"][1] = 1
    elif broken == "shared":
        nodes["nodes_truenodeids"][0] = nodes["nodes_falsenodeids"][0]
    elif broken == "mode":
        nodes["nodes_modes"][0] = "BRANCH_MAYBE"
    else:
        nodes["nodes_nodeids"][1] = 2
    model = one("TreeEnsembleRegressor", [rows()], domain=ML, n_targets=1, **nodes, **weights)
    with pytest.raises(ModelError, match="branches meet|branch mode|numbers two nodes"):
        answered(model, {"x0": rows()})
