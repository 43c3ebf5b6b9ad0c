"""Tree ensembles of `ai.onnx.ml` in the project's own form, with onnxruntime's comparisons and transforms.

Values are compared and added as float32, as float64 where both rows and thresholds are; NaN takes the false branch unless the
node tracks missing values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tqp.models.features import Coded, Numeric
from tqp.models.onnx.ml import ML, labelled, labels_of, post_transform
from tqp.models.onnx.operators import Node, Run, operator
from tqp.models.onnx.values import Indexed, Unsupported, Value, columns
from tqp.models.trees.ensemble import LEAF, Ensemble, Tree, below, ensemble
from tqp.models.trees.kernels import Kernel, choose

__all__ = ["Forest", "forest_of"]

_MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER")
_AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")
_POSTS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """The trees of a node: a branch is a number of the arrays (true, false), a leaf the weights of its targets."""

    features: list[int]
    modes: list[str]
    values: list[float]
    members: dict[int, list[float]]
    true: list[int]
    false: list[int]
    missing_true: list[int]
    leaves: dict[int, list[tuple[int, float]]]
    roots: list[int]
    outputs: int
    is_double: bool

    def ensemble(self, dtype: torch.dtype, absent: float | None) -> Ensemble:
        """The trees for rows of the dtype; with `absent` every tree gives outputs of its own, `absent` where it has none."""
        trees, targets = [], []
        single = absent is None and all(len(weights) == 1 for weights in self.leaves.values())
        for root in self.roots:
            nodes = self._reached(root)
            ids = {target for node, _, _ in nodes for target, _ in self.leaves.get(node, ())}
            single = single and len(ids) == 1
            targets.append(ids)
        for root in self.roots:
            trees.append(self._tree(self._reached(root), dtype, single, absent))
        starts = [
            min(ids) if single else (0 if absent is None else number * self.outputs)
            for number, ids in enumerate(targets)
        ]
        outputs = self.outputs if absent is None else self.outputs * len(self.roots)
        return ensemble(
            trees,
            features=max(self.features, default=0) + 1,
            dtype=dtype,
            base=np.zeros(outputs),
            sums=dtype,
            target=starts,
        )

    def _reached(self, root: int) -> list[tuple[int, int, int]]:
        """The nodes of a tree, its root first, each with the places of its true and false branch in this list.

        A leaf may be reached in several ways and is then there several times.
        """
        order: list[tuple[int, int, int]] = []
        waiting, seen, free = [root], set(), 1
        while waiting:
            node = waiting.pop(0)
            if self.modes[node] == "LEAF":
                order.append((node, LEAF, LEAF))
                continue
            if node in seen:
                raise Unsupported("an ensemble whose branches meet or turn back")
            seen.add(node)
            order.append((node, free, free + 1))
            waiting += [self.true[node], self.false[node]]
            free += 2
        return order

    def _tree(self, nodes: list[tuple[int, int, int]], dtype: torch.dtype, single: bool, absent: float | None) -> Tree:
        count, width = len(nodes), 1 if single else self.outputs
        feature, left, right = (np.full(count, LEAF, dtype=np.int64) for _ in range(3))
        threshold, missing = np.zeros(count), np.zeros(count, dtype=bool)
        leaf = np.zeros((count, width))
        sets = {}
        for place, (node, yes, no) in enumerate(nodes):
            mode = self.modes[node]
            if mode == "LEAF":
                leaf[place] = absent or 0.0
                for target, weight in self.leaves.get(node, ()):
                    column = 0 if single else target
                    leaf[place, column] = weight if leaf[place, column] == absent else leaf[place, column] + weight
                continue
            feature[place] = self.features[node]
            tracks = bool(self.missing_true[node])
            value = float(torch.tensor(self.values[node], dtype=dtype, device="cpu"))
            swapped = mode in ("BRANCH_GTE", "BRANCH_GT", "BRANCH_NEQ")
            left[place], right[place] = (no, yes) if swapped else (yes, no)
            threshold[place] = below(value, dtype) if mode in ("BRANCH_LT", "BRANCH_GTE") else value
            # NaN differs from every number.
            missing[place] = mode != "BRANCH_NEQ" and tracks != swapped
            if mode in ("BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER"):
                points = np.unique(np.asarray(self.members.get(node, [value]), dtype=np.float64))
                sets[place] = np.stack([below(points, dtype), points], axis=1)
            elif mode not in _MODES:
                raise Unsupported(f"the branch mode {mode}")
        return Tree(feature, threshold, left, right, leaf, missing, sets)


def _numbers(values: Any) -> list[Any]:
    return (
        [] if values is None else values.reshape(-1).tolist() if isinstance(values, Tensor) else list(values)
    )  # host: NumPy


def forest_of(node: Node) -> Forest:
    """The trees of a node; Unsupported or ValueError where they are none."""
    return _flat(node) if node.kind == "TreeEnsemble" else _listed(node)


def _listed(node: Node) -> Forest:
    """Nodes by tree and number, leaves' weights in lists of their own."""
    read = node.attribute
    kind = "class" if node.kind == "TreeEnsembleClassifier" else "target"
    tensor = read("nodes_values_as_tensor")
    values = _numbers(tensor if tensor is not None else read("nodes_values"))
    weight_tensor = read(f"{kind}_weights_as_tensor")
    weights = _numbers(weight_tensor if weight_tensor is not None else read(f"{kind}_weights"))
    node.ignore("nodes_hitrates", "nodes_hitrates_as_tensor")
    ids = list(zip(read("nodes_treeids"), read("nodes_nodeids"), strict=True))
    place = {key: number for number, key in enumerate(ids)}
    if len(place) != len(ids):
        raise Unsupported("an ensemble that numbers two nodes alike")
    modes = list(read("nodes_modes"))
    true, false = list(read("nodes_truenodeids")), list(read("nodes_falsenodeids"))
    inner = [number for number, mode in enumerate(modes) if mode != "LEAF"]
    children = {place[ids[number][0], child[number]] for number in inner for child in (true, false)}
    leaves: dict[int, list[tuple[int, float]]] = {number: [] for number, mode in enumerate(modes) if mode == "LEAF"}
    rows = zip(read(f"{kind}_treeids"), read(f"{kind}_nodeids"), read(f"{kind}_ids"), weights, strict=True)
    for tree, leaf, target, weight in rows:
        if place[tree, leaf] in leaves:
            leaves[place[tree, leaf]].append((target, weight))
    labels = len(labels_of(node)) if kind == "class" else read("n_targets", 1)
    missing = read("nodes_missing_value_tracks_true") or [0] * len(ids)
    return Forest(
        list(read("nodes_featureids")), modes, values or [0.0] * len(ids), {},
        [place.get((ids[n][0], child), n) for n, child in enumerate(true)],
        [place.get((ids[n][0], child), n) for n, child in enumerate(false)],
        list(missing), leaves, [number for number in range(len(ids)) if number not in children], labels,
        tensor is not None and tensor.dtype is torch.float64,
    )  # fmt: skip


def _flat(node: Node) -> Forest:
    """The form of `TreeEnsemble`: branches and leaves in arrays of their own; leaves come after the branches here."""
    read = node.attribute
    node.ignore("nodes_hitrates")
    splits = read("nodes_splits")
    modes = [_MODES[mode] for mode in _numbers(read("nodes_modes"))]
    count = len(modes)
    targets, weights = read("leaf_targetids"), _numbers(read("leaf_weights"))

    def child(ids: list[int], is_leaf: list[int]) -> list[int]:
        return [place + count if leaf else place for place, leaf in zip(ids, is_leaf, strict=True)]

    members: dict[int, list[float]] = {}
    groups: list[list[float]] = [[]]
    for value in _numbers(read("membership_values")):
        if value != value:
            groups.append([])
        else:
            groups[-1].append(value)
    for number, place in enumerate(n for n, mode in enumerate(modes) if mode == "BRANCH_MEMBER"):
        members[place] = groups[number]
    leaves = {count + n: [(target, weight)] for n, (target, weight) in enumerate(zip(targets, weights, strict=True))}
    true, false = (child(read(f"nodes_{side}nodeids"), read(f"nodes_{side}leafs")) for side in ("true", "false"))
    roots = list(read("tree_roots"))
    # A tree of one leaf is written as a branch of which both ways lead to it.
    for place, root in enumerate(roots):
        if true[root] == false[root] and true[root] >= count:
            roots[place] = true[root]
    return Forest(
        [*read("nodes_featureids"), *([0] * len(leaves))], modes + ["LEAF"] * len(leaves),
        _numbers(splits) + [0.0] * len(leaves), members, true + [0] * len(leaves), false + [0] * len(leaves),
        list(read("nodes_missing_value_tracks_true") or [0] * count) + [0] * len(leaves), leaves, roots,
        read("n_targets", 1), splits.dtype is torch.float64,
    )  # fmt: skip


class _Kernels:
    """The scores (outputs, n) of a forest, with a kernel for each dtype of comparison."""

    def __init__(self, forest: Forest, aggregate: str, base: list[float]) -> None:
        if aggregate not in _AGGREGATES:
            raise Unsupported(f"the aggregate function {aggregate}")
        self._forest, self._aggregate = forest, aggregate
        self._base = base
        self._absent = {"MIN": np.inf, "MAX": -np.inf}.get(aggregate)
        self._kernels: dict[torch.dtype, Kernel] = {}
        self.kernel(torch.float64 if forest.is_double else torch.float32)

    def kernel(self, dtype: torch.dtype) -> Kernel:
        if dtype not in self._kernels:
            self._kernels[dtype] = choose(self._forest.ensemble(dtype, self._absent))
        return self._kernels[dtype]

    def __call__(self, x: Any) -> Tensor:
        features = [_feature(column) for column in columns(x)]
        is_double = all(feature.values.dtype is torch.float64 for feature in features)
        scores = self.kernel(torch.float64 if is_double else torch.float32).scores(features)
        if self._absent is not None:
            scores = scores.reshape(len(self._forest.roots), self._forest.outputs, -1)
            scores = scores.amin(0) if self._absent > 0 else scores.amax(0)
            scores = torch.where(scores == self._absent, 0.0, scores)
        elif self._aggregate == "AVERAGE":
            scores = scores / len(self._forest.roots)
        if self._base:
            scores = scores + torch.tensor(self._base, dtype=scores.dtype, device=scores.device)[:, None]
        return scores


def _feature(column: Tensor | Indexed) -> Numeric | Coded:
    if isinstance(column, Tensor):
        return Numeric(_floating(column[:, 0]))
    if not isinstance(column.table, Tensor):
        raise Unsupported("trees on rows of text")
    return Coded(column.codes.to(torch.int32), _floating(column.table[:, 0]))


def _floating(values: Tensor) -> Tensor:
    return values if values.dtype is torch.float64 else values.to(torch.float32)


def _base(node: Node) -> list[float]:
    tensor = node.attribute("base_values_as_tensor")
    return _numbers(tensor if tensor is not None else node.attribute("base_values"))


@operator("TreeEnsembleRegressor", "TreeEnsemble", domain=ML, acts="values")
def _regressor(node: Node) -> Run:
    forest = forest_of(node)
    aggregate, post = node.attribute("aggregate_function", "SUM"), node.attribute("post_transform", "NONE")
    aggregate = _AGGREGATES[aggregate] if isinstance(aggregate, int) else aggregate
    post = _POSTS[post] if isinstance(post, int) else post
    is_clear = node.kind != "TreeEnsemble" or post not in ("SOFTMAX", "LOGISTIC")
    node.require(
        is_clear, f"with post_transform {post}, which onnxruntime takes for the other one of SOFTMAX and LOGISTIC"
    )
    base = _base(node)
    node.require(len(base) in (0, forest.outputs), f"with {len(base)} base values of {forest.outputs} targets")
    node.require(forest.outputs > 1 or post in ("NONE", "PROBIT"), f"with post_transform {post} of one target")
    transform, kernels = post_transform(post), _Kernels(forest, aggregate, base)

    def regress(x: Any) -> Tensor:
        scores = transform(kernels(x).t().contiguous())
        return scores if node.kind == "TreeEnsemble" else scores.to(torch.float32)

    return regress


@operator("TreeEnsembleClassifier", domain=ML, acts="values")
def _classifier(node: Node) -> Run:
    forest, labels, post = forest_of(node), labels_of(node), node.attribute("post_transform", "NONE")
    base = _base(node)
    transform = post_transform(post)
    ids = {target for weights in forest.leaves.values() for target, _ in weights}
    count = len(labels)
    is_single = count == 2 and len(ids) == 1
    if is_single:
        node.require(len(base) < 2 and (not base or ids == {0}), "of one score with several base values")
        node.require(post != "PROBIT", "with post_transform PROBIT of one score")
        place = ids.pop()
        shift = [*base, 0.0] if base else []
        kernels = _Kernels(forest, "SUM", shift)
        positive = all(weight >= 0 for weights in forest.leaves.values() for _, weight in weights)
        return _single_score(kernels, place, 0.5 if positive else 0.0, post, transform, labels)
    is_mirrored = (
        count == 2 and not base and isinstance(labels, Tensor) and labels.tolist() == [0, 1]
    )  # host: a constant
    is_mirrored = is_mirrored and all(_mirrored(weights) for weights in forest.leaves.values())
    node.require(count > 2 or is_mirrored, f"of {count} classes with weights of {len(ids)}")
    node.require(len(base) in (0, count), f"with {len(base)} base values of {count} classes")
    kernels = _Kernels(forest, "SUM", base)

    def classify(x: Any) -> tuple[Value, Value]:
        scores = kernels(x).t().contiguous()
        return labelled(scores.argmax(1), labels), transform(scores).to(torch.float32)

    return classify


def _mirrored(weights: list[tuple[int, float]]) -> bool:
    """Whether a leaf's weights of two classes differ in their sign alone: then the greatest score is the positive one."""
    by_class = dict(weights)
    return len(weights) == len(by_class) == 2 and by_class.get(0) == -by_class.get(1, 0.0)


def _single_score(
    kernels: _Kernels, place: int, limit: float, post: str, transform: Callable[[Tensor], Tensor], labels: Any
) -> Run:
    """Two classes from one score: of the second one, or (at place 0) for both."""

    def classify(x: Any) -> tuple[Value, Value]:
        scores = kernels(x)
        score = scores[place]
        if place == 1:
            both = transform(torch.stack([torch.zeros_like(score), score], dim=1))
        elif post == "LOGISTIC":
            both = torch.sigmoid(torch.stack([-score, score], dim=1))
        else:
            both = torch.stack([1 - score if limit else -score, score], dim=1)
        return labelled((score > limit).long(), labels), both.to(torch.float32)

    return classify
