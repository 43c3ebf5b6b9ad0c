"""scikit-learn's trees as tensor programs: equal labels, values within 1e-12, on rows that hug the thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import threadpoolctl
import torch
from sklearn import ensemble, tree

from tests.predict.inputs import coded, hostile, labels, numeric, training, trees_of
from tqp.errors import ModelError
from tqp.kernels.loops.loop import mode
from tqp.models.features import Elements
from tqp.models.registry import Imported, import_predictor
from tqp.models.trees import kernels
from tqp.models.trees.ensemble import LEAF, Tree, prune
from tqp.models.trees.ensemble import ensemble as joined
from tqp.models.trees.kernels import BitVector, Blocks, Traversal, choose
from tqp.models.trees.predictor import TreePredictor
from tqp.models.trees.rows import Rows

ROWS = training()
VALUE = ROWS[:, 0] * ROWS[:, 1] + np.sin(ROWS[:, 3] * 3) + (ROWS[:, 2] > 1)
CLASS = np.digitize(VALUE, [-0.7, 0.9])
BINARY = np.where(VALUE > 0, "yes", "no")

CLASSIFIERS = [
    tree.DecisionTreeClassifier(random_state=0),
    tree.ExtraTreeClassifier(max_depth=4, random_state=0),
    ensemble.RandomForestClassifier(12, max_depth=5, random_state=0),
    ensemble.RandomForestClassifier(10, random_state=0),
    ensemble.ExtraTreesClassifier(10, max_leaf_nodes=30, random_state=0),
    ensemble.GradientBoostingClassifier(n_estimators=10, random_state=0),
    ensemble.GradientBoostingClassifier(n_estimators=10, init="zero", max_depth=1, random_state=0),
    ensemble.HistGradientBoostingClassifier(max_iter=10, min_samples_leaf=5),
    ensemble.AdaBoostClassifier(n_estimators=10, random_state=0),
    ensemble.AdaBoostClassifier(tree.DecisionTreeClassifier(max_depth=3), n_estimators=10, random_state=0),
]
REGRESSORS = [
    tree.DecisionTreeRegressor(max_depth=7),
    tree.DecisionTreeRegressor(random_state=0),
    ensemble.RandomForestRegressor(10, max_depth=6, random_state=0),
    ensemble.ExtraTreesRegressor(10, random_state=0),
    ensemble.GradientBoostingRegressor(n_estimators=15, random_state=0),
    ensemble.GradientBoostingRegressor(n_estimators=15, loss="quantile", max_depth=8, random_state=0),
    ensemble.HistGradientBoostingRegressor(max_iter=15, min_samples_leaf=5),
    ensemble.HistGradientBoostingRegressor(max_iter=15, max_leaf_nodes=None, max_depth=9, min_samples_leaf=2),
    ensemble.AdaBoostRegressor(n_estimators=8, random_state=0),
]


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    with threadpoolctl.threadpool_limits(1):
        yield


def named(estimator: Any) -> str:
    return str(estimator).replace("\n", "").replace(" ", "")


def same_classes(imported: Imported, estimator: Any, rows: np.ndarray) -> None:
    # tree_.predict wants what the estimator's own validation makes.
    found = imported.predictor.value(numeric(rows))
    assert np.array_equal(labels(imported.classes, found), estimator.predict(rows))
    chances = imported.predictor.probabilities(numeric(rows))
    assert chances is not None
    np.testing.assert_allclose(chances.numpy(), estimator.predict_proba(rows), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("target", [CLASS, BINARY], ids=["three", "binary"])
@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=named)
def test_classifier(estimator: Any, target: np.ndarray) -> None:
    estimator.fit(ROWS, target)
    imported = import_predictor(estimator, ROWS.shape[1])
    same_classes(imported, estimator, hostile(trees_of(imported.predictor), missing=imported.takes_missing))
    assert imported.predictor.describe()


@pytest.mark.parametrize("estimator", REGRESSORS, ids=named)
def test_regressor(estimator: Any) -> None:
    estimator.fit(ROWS, VALUE)
    imported = import_predictor(estimator, ROWS.shape[1])
    rows = hostile(trees_of(imported.predictor), missing=imported.takes_missing)
    found = imported.predictor.value(numeric(rows))
    np.testing.assert_allclose(found.numpy(), estimator.predict(rows), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("width", [np.float32, np.float64])
@pytest.mark.parametrize("estimator", REGRESSORS, ids=named)
def test_rows_of_a_matrix(estimator: Any, width: Any) -> None:
    estimator.fit(ROWS, VALUE)
    imported = import_predictor(estimator, ROWS.shape[1])
    trees = trees_of(imported.predictor)
    rows = torch.from_numpy(hostile(trees, missing=True).astype(width))
    found = Rows(trees).scores(rows)
    assert torch.equal(found, Blocks(trees).scores(Elements(rows)))
    assert torch.equal(found, choose(trees).scores(Elements(rows)))


def test_a_matrix_of_many_features_is_followed_row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).normal(size=(3000, 40)).astype(np.float32)
    model = tree.DecisionTreeRegressor(random_state=0).fit(rows[:300], rows[:300] @ np.arange(40))
    imported = import_predictor(model, 40)
    monkeypatch.setattr(Blocks, "scores", lambda *_: pytest.fail("cells were found"))
    found = imported.predictor.value(Elements(torch.from_numpy(rows)))
    np.testing.assert_array_equal(found.numpy(), model.predict(rows))


def test_exponential_loss_and_many_outputs() -> None:
    estimator = ensemble.GradientBoostingClassifier(loss="exponential", n_estimators=8).fit(ROWS, BINARY)
    imported = import_predictor(estimator, 5)
    same_classes(imported, estimator, hostile(trees_of(imported.predictor), missing=False))
    two = np.stack([VALUE, -(VALUE**2)], axis=1)
    forest = ensemble.RandomForestRegressor(5, max_depth=4, random_state=0).fit(ROWS, two)
    imported = import_predictor(forest, 5)
    assert imported.outputs == 2
    np.testing.assert_allclose(imported.predictor.value(numeric(ROWS)).numpy(), forest.predict(ROWS), rtol=1e-12)


@pytest.mark.parametrize("loss", ["poisson", "gamma", "absolute_error"])
def test_links_of_histogram_boosting(loss: str) -> None:
    estimator = ensemble.HistGradientBoostingRegressor(loss=loss, max_iter=8).fit(ROWS, np.abs(VALUE) + 0.1)
    imported = import_predictor(estimator, 5)
    rows = hostile(trees_of(imported.predictor))
    np.testing.assert_allclose(imported.predictor.value(numeric(rows)).numpy(), estimator.predict(rows), rtol=1e-12)


@pytest.mark.parametrize("kind", ["tree", "forest", "boosting"])
def test_missing_values_in_training(kind: str) -> None:
    rows = training(missing=0.2)
    estimator = {
        "tree": tree.DecisionTreeClassifier(max_depth=6, random_state=0),
        "forest": ensemble.RandomForestClassifier(9, random_state=0),
        "boosting": ensemble.HistGradientBoostingClassifier(max_iter=8, min_samples_leaf=5),
    }[kind].fit(rows, CLASS)
    imported = import_predictor(estimator, 5)
    assert imported.takes_missing
    same_classes(imported, estimator, hostile(trees_of(imported.predictor)))


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_categories_of_histogram_boosting(missing: float) -> None:
    """Categories are 3, 10, 17, …; the library moves their column to the front and renumbers them."""
    random = np.random.default_rng(0)
    rows = training()
    rows[:, 3] = random.integers(0, 12, len(rows)) * 7 + 3
    rows[random.random(len(rows)) < missing, 3] = np.nan
    value = np.nan_to_num(rows[:, 3]) % 5 + rows[:, 0]
    estimator = ensemble.HistGradientBoostingRegressor(max_iter=15, categorical_features=[3, 1], min_samples_leaf=4)
    estimator.fit(rows, value)
    imported = import_predictor(estimator, 5)
    trees = trees_of(imported.predictor)
    assert trees.sets
    tested = hostile(trees)
    tested[:, 3] = np.where(random.random(len(tested)) < 0.7, random.integers(0, 14, len(tested)) * 7 + 3, tested[:, 3])
    np.testing.assert_allclose(imported.predictor.value(numeric(tested)).numpy(), estimator.predict(tested), rtol=1e-12)
    for kernel in (Traversal(trees, ""), BitVector(trees, "and", ""), Blocks(trees)):
        found = kernel.scores(numeric(tested))[0]
        np.testing.assert_allclose(found.numpy(), estimator.predict(tested), rtol=1e-12)


@pytest.mark.parametrize("features", [1.0, 0.6])
def test_isolation_forest(features: float) -> None:
    from tqp.models.sklearn.trees import anomaly_scores

    estimator = ensemble.IsolationForest(
        n_estimators=15, max_samples=64, max_features=features, contamination=0.1, random_state=0
    )
    estimator.fit(ROWS)
    imported = import_predictor(estimator, 5)
    rows = hostile(trees_of(imported.predictor))
    assert np.array_equal(labels(imported.classes, imported.predictor.value(numeric(rows))), estimator.predict(rows))
    scores = anomaly_scores(estimator, 5).predictor.value(numeric(rows))
    np.testing.assert_allclose(scores.numpy(), estimator.score_samples(rows), rtol=1e-12)


@pytest.mark.parametrize("limit", [None, 12, 7])
def test_bits_on_top_of_traversal(limit: int | None) -> None:
    """Trees of more than 64 leaves, with missing values and sets of categories in both parts."""
    rows = training(missing=0.1)
    rows[:, 3] = np.random.default_rng(0).integers(0, 30, len(rows))
    estimator = ensemble.HistGradientBoostingRegressor(
        max_iter=6, max_leaf_nodes=None, max_depth=limit, min_samples_leaf=1, categorical_features=[3]
    ).fit(rows, VALUE + rows[:, 3] % 7)
    trees = trees_of(import_predictor(estimator, 5).predictor)
    assert trees.leaves().max() > 64
    tested = hostile(trees, 4000)
    tested[:, 3] = np.random.default_rng(1).integers(-1, 33, len(tested))
    found = Traversal(trees, "", bits=True).scores(numeric(tested))
    assert torch.equal(found, Traversal(trees, "").scores(numeric(tested)))
    assert torch.equal(found, Blocks(trees).scores(numeric(tested)))
    np.testing.assert_allclose(found[0].numpy(), estimator.predict(tested), rtol=1e-12)


@pytest.mark.parametrize("depth", [2, 3, 4, 5, 6])
def test_kernels_agree_bit_by_bit(depth: int) -> None:
    """Every word size and the traversal, over several groups of trees, more than one block, numeric and coded rows."""
    estimator = ensemble.RandomForestRegressor(140, max_depth=depth, random_state=0).fit(ROWS, VALUE)
    trees = trees_of(import_predictor(estimator, 5).predictor)
    rows = np.tile(hostile(trees, 3000), (12, 1))
    walk, bits, blocks = Traversal(trees, ""), BitVector(trees, "and", ""), Blocks(trees)
    expected = estimator.predict(rows) * 140
    for features, wanted in (
        (numeric(rows), expected),
        (numeric(rows[:3]), expected[:3]),
        (numeric(rows[:0]), expected[:0]),
    ):
        found = bits.scores(features)
        assert torch.equal(found, walk.scores(features))
        assert torch.equal(found, Traversal(trees, "", bits=True).scores(features))
        assert torch.equal(found, blocks.scores(features))
        np.testing.assert_allclose(found[0].numpy(), wanted, rtol=1e-12)
    features, table = coded(rows)
    found = bits.scores(features)
    assert torch.equal(found, walk.scores(features))
    assert torch.equal(found, blocks.scores(features))
    np.testing.assert_allclose(found[0].numpy(), estimator.predict(table) * 140, rtol=1e-12)


def test_a_tree_without_splits() -> None:
    estimator = tree.DecisionTreeRegressor().fit(ROWS, np.full(len(ROWS), 2.5))
    imported = import_predictor(estimator, 5)
    assert imported.predictor.used() == frozenset()
    assert imported.predictor.value(numeric(ROWS)).tolist() == [2.5] * len(ROWS)


def test_used_features() -> None:
    estimator = tree.DecisionTreeRegressor(max_depth=1).fit(ROWS, ROWS[:, 3])
    assert import_predictor(estimator, 5).predictor.used() == frozenset({3})


@pytest.mark.parametrize("boosted", [False, True])
def test_prune_keeps_the_answer(boosted: bool) -> None:
    rows = ROWS.copy()
    rows[:, 3] = np.random.default_rng(0).integers(0, 9, len(rows))
    estimator = (
        ensemble.HistGradientBoostingRegressor(max_iter=10, categorical_features=[3], min_samples_leaf=4)
        if boosted
        else ensemble.RandomForestRegressor(10, random_state=0)
    ).fit(rows, VALUE + rows[:, 3] % 3)
    predictor = import_predictor(estimator, 5).predictor
    assert isinstance(predictor, TreePredictor)
    bounds = {0: (-0.25, 0.4), 3: (2.0, 2.0), 2: (1.0, np.inf)}
    tested = hostile(predictor.trees, 6000, missing=False)
    tested[:, 3] = 2
    inside = (tested[:, 0] >= -0.25) & (tested[:, 0] <= 0.4) & (tested[:, 2] >= 1)
    shorter = predictor.prune(bounds, torch.inf)
    assert len(shorter.trees.feature) < 0.7 * len(predictor.trees.feature)
    assert 3 not in shorter.used()
    assert torch.equal(shorter.value(numeric(tested[inside])), predictor.value(numeric(tested[inside])))
    assert prune(predictor.trees, {}) is predictor.trees
    everything = predictor.prune({place: (0.0, 0.0) for place in range(5)}, torch.inf)
    assert everything.used() == frozenset()


def test_what_is_not_understood_is_refused() -> None:
    start = tree.DecisionTreeRegressor(max_depth=1)
    boosting = ensemble.GradientBoostingRegressor(n_estimators=3, init=start).fit(ROWS, VALUE)
    with pytest.raises(ModelError, match="GradientBoostingRegressor with init="):
        import_predictor(boosting, 5)


def test_blocks_beside_numbers_and_far_away() -> None:
    """Infinities, both zeros and missing values; more thresholds of a feature than a byte has ranks; trees of many outputs."""
    random = np.random.default_rng(0)
    rows = random.normal(size=(3000, 3))
    target = np.stack([rows[:, 0] * rows[:, 1], np.sin(9 * rows[:, 2]), rows[:, 1] > 0], axis=1)
    estimator = ensemble.RandomForestRegressor(7, random_state=0).fit(rows, target)
    trees = trees_of(import_predictor(estimator, 3).predictor)
    assert min(map(len, trees.cuts().values())) > 300
    tested = hostile(trees, 2500)
    tested = np.where(
        random.random(tested.shape) < 0.1, random.choice([np.inf, -np.inf, 0.0, -0.0], tested.shape), tested
    )
    for count in (0, 1, 2500):
        found = Blocks(trees).scores(numeric(tested[:count]))
        assert torch.equal(found, Traversal(trees, "").scores(numeric(tested[:count])))
    known = np.isfinite(tested).all(axis=1)
    np.testing.assert_allclose(found.numpy().T[known] / 7, estimator.predict(tested[known]), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("depth", range(1, 11))
def test_blocks_of_equal_levels(depth: int) -> None:
    """Trees whose levels have one split each, as deep as the bits of a state and deeper."""
    random = np.random.default_rng(depth)
    inner = 2**depth - 1
    level = np.floor(np.log2(np.arange(1, inner + 1))).astype(int)
    nodes = np.arange(2 * inner + 1)
    made = [
        Tree(
            feature=np.append(random.integers(0, 3, depth)[level], np.full(inner + 1, LEAF)),
            threshold=np.append(random.normal(size=depth)[level], np.zeros(inner + 1)),
            left=np.where(nodes < inner, 2 * nodes + 1, nodes),
            right=np.where(nodes < inner, 2 * nodes + 2, nodes),
            leaf=random.normal(size=(2 * inner + 1, 1)),
            missing_left=np.append((random.random(depth) < 0.5)[level], np.zeros(inner + 1, bool)),
        )
        for _ in range(5)
    ]
    trees = joined(made, features=3, dtype=torch.float32, base=[0.5])
    tested = numeric(hostile(trees, 1100))
    assert torch.equal(Blocks(trees).scores(tested), Traversal(trees, "").scores(tested))
    assert ("oblivious" in Blocks(trees).why) == (3 < depth <= 8)


@pytest.mark.host_only("a loop")
@pytest.mark.skipif(mode() == "off", reason="needs Numba")
def test_a_loop_where_it_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    trees = trees_of(import_predictor(CLASSIFIERS[2].fit(ROWS, CLASS), 5).predictor)
    kernel = choose(trees)
    monkeypatch.setattr(BitVector, "scores", lambda self, features: pytest.fail("tensor operations ran"))
    found = kernel.scores(numeric(ROWS))
    assert kernel.why.startswith("a loop: ")
    monkeypatch.undo()
    monkeypatch.setattr(kernels, "is_compiled", lambda rows, sums: False)
    monkeypatch.setattr(kernels, "mode", lambda: "off")
    monkeypatch.setattr(Blocks, "scores", lambda self, features: pytest.fail("the loop ran"))
    assert torch.equal(kernel.scores(numeric(ROWS)), found)
    assert kernel.why.startswith("bit vector: ")
