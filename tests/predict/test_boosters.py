"""XGBoost, LightGBM, CatBoost and treelite models as tensor programs, against the libraries' own predictions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import catboost
import lightgbm
import numpy as np
import pandas
import pyarrow as pa
import pytest
import threadpoolctl
import torch
import treelite
import xgboost

import tqp
from tests.predict.inputs import Rows, hostile, labels, numeric, training, trees_of
from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.errors import ModelError
from tqp.models.boosters.splits import lightgbm_splits, xgboost_splits
from tqp.models.features import Feature, Numeric, Text
from tqp.models.registry import Imported, import_predictor
from tqp.models.trees.kernels import BitVector, Traversal
from tqp.types import VARCHAR

ROWS = training(missing=0.05)
CLEAN = np.nan_to_num(ROWS)
VALUE = CLEAN[:, 0] * CLEAN[:, 1] + np.sin(CLEAN[:, 3] * 3) + (CLEAN[:, 2] > 1)
CLASS = np.digitize(VALUE, [-0.7, 0.9])
BINARY = (VALUE > 0).astype(int)
CATEGORIES = np.random.default_rng(5).integers(0, 9, len(ROWS))


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    with threadpoolctl.threadpool_limits(1):
        yield


def same_values(imported: Imported, rows: Rows, expected: Any, rtol: float) -> None:
    found = imported.predictor.value(numeric(rows)).numpy()
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol)


def same_classes(imported: Imported, estimator: Any, rows: Rows, rtol: float) -> None:
    found = labels(imported.classes, imported.predictor.value(numeric(rows)))
    assert np.array_equal(found, np.asarray(estimator.predict(rows)).reshape(-1))
    chances = imported.predictor.probabilities(numeric(rows))
    assert chances is not None
    np.testing.assert_allclose(chances.numpy(), estimator.predict_proba(rows), rtol=rtol, atol=rtol / 10)


def with_categories(rows: Rows, place: int, seed: int = 4) -> Rows:
    """The rows with codes 0..10 (9 and 10 are in no training data), 2.5 and negative ones in one column."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, 11, len(rows)).astype(float)
    codes[::17], codes[::19], codes[::23], codes[::29] = 2.5, -1.0, np.nan, -0.5
    changed = rows.copy()
    changed[:, place] = codes
    return changed


XGB_VALUES = ["reg:squarederror", "reg:logistic", "count:poisson", "reg:gamma", "reg:tweedie", "reg:absoluteerror",
              "reg:quantileerror", "reg:pseudohubererror", "reg:squaredlogerror", "survival:cox"]  # fmt: skip


@pytest.mark.parametrize("objective", XGB_VALUES)
def test_xgboost_regression(objective: str) -> None:
    target = 1 / (1 + np.exp(-VALUE))
    extra = {"quantile_alpha": [0.2, 0.7]} if objective == "reg:quantileerror" else {}
    estimator = xgboost.XGBRegressor(n_estimators=12, max_depth=4, objective=objective, n_jobs=1, **extra)
    estimator.fit(ROWS, target)
    imported = import_predictor(estimator, 5)
    assert imported.takes_missing
    rows = hostile(trees_of(imported.predictor))
    same_values(imported, rows, estimator.predict(rows), 1e-5)
    bare = import_predictor(estimator.get_booster(), 5)
    same_values(bare, rows, estimator.get_booster().predict(xgboost.DMatrix(rows)), 1e-5)


@pytest.mark.parametrize("settings", [
    {"booster": "dart", "rate_drop": 0.5}, {"max_depth": 7}, {"multi_strategy": "multi_output_tree"}, {},
    {"num_parallel_tree": 3}, {"base_score": 0.3, "grow_policy": "lossguide", "max_leaves": 20},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("outputs", [1, 2])
def test_xgboost_trees(settings: dict[str, Any], outputs: int) -> None:
    target = VALUE if outputs == 1 else np.stack([VALUE, CLEAN[:, 3]], axis=1)
    estimator = xgboost.XGBRegressor(n_estimators=10, n_jobs=1, **settings).fit(ROWS, target)
    imported = import_predictor(estimator, 5)
    rows = hostile(trees_of(imported.predictor))
    same_values(imported, rows, estimator.predict(rows), 1e-5)


@pytest.mark.parametrize("settings", [
    {"objective": "binary:logistic"}, {"objective": "binary:logitraw"}, {"objective": "binary:hinge"},
    {"objective": "multi:softprob"}, {"objective": "multi:softmax"}, {"booster": "dart", "rate_drop": 0.4},
], ids=str)  # fmt: skip
def test_xgboost_classifier(settings: dict[str, Any]) -> None:
    target = BINARY if settings.get("objective", "").startswith("binary") else CLASS
    estimator = xgboost.XGBClassifier(n_estimators=10, max_depth=4, n_jobs=1, **settings).fit(ROWS, target)
    imported = import_predictor(estimator, 5)
    rows = hostile(trees_of(imported.predictor))
    same_classes(imported, estimator, rows, 1e-5)
    expected = estimator.get_booster().predict(xgboost.DMatrix(rows))
    same_values(import_predictor(estimator.get_booster(), 5), rows, expected, 1e-5)


def test_xgboost_sums_as_the_library() -> None:
    """Bit for bit: labels of ties are the library's."""
    estimator = xgboost.XGBRegressor(n_estimators=60, max_depth=5, n_jobs=1).fit(ROWS, VALUE)
    imported = import_predictor(estimator, 5)
    rows = hostile(trees_of(imported.predictor))
    assert np.array_equal(imported.predictor.value(numeric(rows)).numpy(), estimator.predict(rows))


def test_xgboost_forest_ranker_and_early_stopping() -> None:
    forest = xgboost.XGBRFClassifier(n_estimators=10, max_depth=4, n_jobs=1).fit(ROWS, CLASS)
    imported = import_predictor(forest, 5)
    same_classes(imported, forest, hostile(trees_of(imported.predictor)), 1e-5)
    ranker = xgboost.XGBRanker(n_estimators=5, n_jobs=1).fit(ROWS, CLASS, qid=np.arange(len(ROWS)) // 20)
    same_values(import_predictor(ranker, 5), ROWS, ranker.predict(ROWS), 1e-5)
    stopped = xgboost.XGBRegressor(n_estimators=60, early_stopping_rounds=3, learning_rate=0.9, n_jobs=1)
    stopped.fit(ROWS[:300], VALUE[:300], eval_set=[(ROWS[300:], VALUE[300:])], verbose=False)
    assert stopped.best_iteration + 1 < stopped.get_booster().num_boosted_rounds()
    same_values(import_predictor(stopped, 5), ROWS, stopped.predict(ROWS), 1e-5)


@pytest.mark.parametrize("one_hot", [2, 100])
def test_xgboost_categories(one_hot: int) -> None:
    rows = ROWS.copy()
    rows[:, 3] = CATEGORIES
    kinds = ["q", "q", "q", "c", "q"]
    estimator = xgboost.XGBRegressor(
        n_estimators=10, max_depth=4, enable_categorical=True, feature_types=kinds, max_cat_to_onehot=one_hot, n_jobs=1
    ).fit(rows, VALUE + CATEGORIES % 4)
    imported = import_predictor(estimator, 5)
    trees = trees_of(imported.predictor)
    assert trees.sets
    tested = with_categories(hostile(trees), 3)
    same_values(imported, tested, estimator.predict(tested), 1e-5)
    for kernel in (BitVector(trees, "and", ""), Traversal(trees, "")):
        assert np.array_equal(kernel.scores(numeric(tested))[0].numpy(), estimator.predict(tested))


def frame(rows: Rows, codes: Any, names: list[Any]) -> tuple[Any, list[Feature]]:
    """A data frame with a category column, and the same as features with a text column (NULL for code -1)."""
    table = pandas.DataFrame(rows, columns=list("abcde"))
    table["d"] = pandas.Categorical.from_codes(codes, names)
    features = numeric(rows)
    if isinstance(names[0], str):
        texts = [*reversed(names), "never seen"]
        dictionary = Dictionary(pa.array(texts, pa.large_string()), is_sorted=False)
        where = torch.tensor(len(names) - 1 - codes, dtype=torch.int16)
        valid = torch.tensor(codes >= 0)
        features[3] = Text(Column(where.where(valid, 0), VARCHAR, valid, dictionary))
    else:
        numbers = np.asarray(names, dtype=float)[codes]
        features[3] = Numeric(torch.tensor(np.where(codes >= 0, numbers, np.nan)))
    return table, features


@pytest.mark.parametrize("library", ["lightgbm", "xgboost", "sklearn"])
@pytest.mark.parametrize("names", [list("vwxyzabcd"), [3, 5, 8, 13, 21, 34, 55, 89, 144]], ids=["text", "numbers"])
def test_category_columns_of_a_data_frame(library: str, names: list[Any]) -> None:
    table, _ = frame(ROWS, CATEGORIES, names)
    if library == "lightgbm":
        estimator = lightgbm.LGBMRegressor(n_estimators=10, verbose=-1, min_child_samples=5, n_jobs=1)
    elif library == "xgboost":
        estimator = xgboost.XGBRegressor(n_estimators=10, enable_categorical=True, max_cat_to_onehot=2, n_jobs=1)
    else:
        from sklearn.ensemble import HistGradientBoostingRegressor

        estimator = HistGradientBoostingRegressor(max_iter=10, categorical_features="from_dtype", min_samples_leaf=5)
    estimator.fit(table, VALUE + CATEGORIES % 4)
    imported = import_predictor(estimator, 5)
    assert trees_of(imported.predictor).sets
    rows = hostile(trees_of(imported.predictor))
    codes = np.random.default_rng(0).integers(-1, 9, len(rows))
    tested, features = frame(rows, codes, names)
    np.testing.assert_allclose(
        imported.predictor.value(features).numpy(),
        estimator.predict(tested),
        rtol=1e-5 if library == "xgboost" else 1e-12,
    )


LIGHT = {"n_estimators": 10, "verbose": -1, "min_child_samples": 5, "n_jobs": 1}


@pytest.mark.parametrize("settings", [
    {}, {"objective": "poisson"}, {"objective": "gamma"}, {"objective": "tweedie"}, {"objective": "regression_l1"},
    {"objective": "quantile"}, {"objective": "huber"}, {"objective": "cross_entropy"}, {"reg_sqrt": True},
    {"objective": "cross_entropy_lambda"}, {"boosting_type": "dart"}, {"num_leaves": 90, "min_child_samples": 2},
    {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}, {"use_missing": False},
    {"zero_as_missing": True}, {"extra_trees": True},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("missing", [False, True])
def test_lightgbm_regression(settings: dict[str, Any], missing: bool) -> None:
    target = 1 / (1 + np.exp(-VALUE))
    rows = ROWS if missing else CLEAN
    estimator = lightgbm.LGBMRegressor(**LIGHT | settings).fit(rows, target)
    imported = import_predictor(estimator, 5)
    tested = hostile(trees_of(imported.predictor))
    same_values(imported, tested, estimator.predict(tested), 1e-12)
    same_values(import_predictor(estimator.booster_, 5), tested, estimator.booster_.predict(tested), 1e-12)


@pytest.mark.parametrize("settings", [
    {}, {"sigmoid": 2.5}, {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.6},
    {"objective": "multiclassova"},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("target", [np.where(BINARY, "b", "a"), CLASS], ids=["binary", "three"])
def test_lightgbm_classifier(settings: dict[str, Any], target: Any) -> None:
    if settings.get("objective") == "multiclassova":
        target = CLASS
    estimator = lightgbm.LGBMClassifier(**LIGHT | settings).fit(ROWS, target)
    imported = import_predictor(estimator, 5)
    same_classes(imported, estimator, hostile(trees_of(imported.predictor)), 1e-12)


def test_lightgbm_categories_and_ranker() -> None:
    rows = ROWS.copy()
    rows[:, 3] = CATEGORIES
    settings = LIGHT | {"min_data_per_group": 5, "cat_smooth": 1}
    estimator = lightgbm.LGBMRegressor(**settings).fit(rows, VALUE + CATEGORIES % 4, categorical_feature=[3])
    imported = import_predictor(estimator, 5)
    assert trees_of(imported.predictor).sets
    tested = with_categories(hostile(trees_of(imported.predictor)), 3)
    same_values(imported, tested, estimator.predict(tested), 1e-12)
    ranker = lightgbm.LGBMRanker(**LIGHT).fit(ROWS, CLASS, group=[20] * 20)
    same_values(import_predictor(ranker, 5), ROWS, ranker.predict(ROWS), 1e-12)


@pytest.mark.parametrize("settings", [
    {}, {"depth": 9}, {"grow_policy": "Depthwise"}, {"grow_policy": "Lossguide", "max_leaves": 20},
    {"loss_function": "Poisson"}, {"loss_function": "MAE"}, {"nan_mode": "Max"}, {"loss_function": "MultiRMSE"},
], ids=str)  # fmt: skip
def test_catboost_regression(settings: dict[str, Any], tmp_path: Path) -> None:
    base = {"iterations": 8, "depth": 4, "verbose": 0, "thread_count": 1, "train_dir": str(tmp_path)}
    target = np.abs(VALUE) if settings.get("loss_function") != "MultiRMSE" else np.stack([VALUE, -VALUE], axis=1)
    estimator = catboost.CatBoostRegressor(**base | settings).fit(ROWS, target)
    imported = import_predictor(estimator, 5)
    rows = hostile(trees_of(imported.predictor))
    same_values(imported, rows, estimator.predict(rows), 1e-9)


@pytest.mark.parametrize("loss", ["Logloss", "CrossEntropy", "MultiClass", "MultiClassOneVsAll"])
def test_catboost_classifier(loss: str, tmp_path: Path) -> None:
    target = CLASS if loss.startswith("Multi") else BINARY
    estimator = catboost.CatBoostClassifier(
        iterations=8, depth=4, loss_function=loss, verbose=0, thread_count=1, train_dir=str(tmp_path)
    ).fit(ROWS, target)
    imported = import_predictor(estimator, 5)
    assert "oblivious" in imported.predictor.describe()
    same_classes(imported, estimator, hostile(trees_of(imported.predictor)), 1e-9)


@pytest.mark.parametrize("source", ["xgboost", "lightgbm", "forest", "classifier"])
def test_treelite(source: str) -> None:
    if source == "xgboost":
        estimator = xgboost.XGBClassifier(n_estimators=6, max_depth=4, n_jobs=1).fit(ROWS, CLASS)
        model = treelite.frontend.from_xgboost(estimator.get_booster())
    elif source == "lightgbm":
        estimator = lightgbm.LGBMClassifier(**LIGHT).fit(ROWS, BINARY)
        model = treelite.frontend.from_lightgbm(estimator.booster_)
    else:
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        if source == "forest":
            model = treelite.sklearn.import_model(RandomForestRegressor(6, max_depth=4).fit(CLEAN, VALUE))
        else:
            model = treelite.sklearn.import_model(RandomForestClassifier(6, max_depth=4).fit(CLEAN, CLASS))
    imported = import_predictor(model, 5)
    dtype = np.float32 if source == "xgboost" else np.float64
    rows = hostile(trees_of(imported.predictor)).astype(dtype)
    expected = treelite.gtil.predict(model, rows, nthread=1)
    found = imported.predictor.value(numeric(rows)).numpy()
    np.testing.assert_allclose(found.reshape(len(rows), -1), expected.reshape(len(rows), -1), rtol=1e-5, atol=1e-6)


def test_what_is_not_understood_is_refused(tmp_path: Path) -> None:
    linear = xgboost.XGBRegressor(booster="gblinear", n_estimators=2, n_jobs=1).fit(CLEAN, VALUE)
    with pytest.raises(ModelError, match="booster='gblinear'"):
        import_predictor(linear, 5)
    marked = xgboost.XGBRegressor(missing=-1.0, n_estimators=2, n_jobs=1).fit(CLEAN, VALUE)
    with pytest.raises(ModelError, match="XGBRegressor with missing=-1"):
        import_predictor(marked, 5)
    leaves = lightgbm.LGBMRegressor(linear_tree=True, **LIGHT).fit(CLEAN, VALUE)
    with pytest.raises(ModelError, match="linear_tree"):
        import_predictor(leaves, 5)
    words = [[str(code), value] for code, value in zip(CATEGORIES, VALUE, strict=True)]
    texts = catboost.CatBoostRegressor(iterations=2, verbose=0, cat_features=[0], train_dir=str(tmp_path))
    with pytest.raises(ModelError, match="categorical features"):
        import_predictor(texts.fit(words, VALUE), 2)


def test_boosters_are_checked_without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thresholds for the rows on which a model is tried come from the model itself; they are those of the libraries' tables."""
    rows = np.nan_to_num(with_categories(ROWS, 4))
    light = lightgbm.train(
        {"objective": "binary", "verbose": -1, "num_threads": 1},
        lightgbm.Dataset(rows, BINARY, categorical_feature=[4]),
        5,
    )
    deep = xgboost.train({"objective": "binary:logistic", "nthread": 1}, xgboost.DMatrix(rows, BINARY), 5)
    dart = xgboost.train({"booster": "dart", "nthread": 1}, xgboost.DMatrix(rows, BINARY), 3)
    table = light.trees_to_dataframe()
    names = light.feature_name()
    numbers = table[table.decision_type == "<="]
    expected = sorted(zip(map(names.index, numbers.split_feature), numbers.threshold.astype(float), strict=True))
    assert sorted(lightgbm_splits(light)) == expected and 4 not in dict(expected)
    for booster in (deep, dart):
        table = booster.trees_to_dataframe()
        table = table[table.Feature != "Leaf"]
        found = sorted(xgboost_splits(booster))
        assert [place for place, _ in found] == sorted(int(name[1:]) for name in table.Feature)
        np.testing.assert_allclose(sorted(value for _, value in found), sorted(table.Split), rtol=1e-6)
    assert not list(xgboost_splits(xgboost.train({"booster": "gblinear"}, xgboost.DMatrix(rows, BINARY), 1)))
    monkeypatch.setattr(lightgbm.basic, "PANDAS_INSTALLED", False)
    con = tqp.connect(threads=1)
    for name, model in (("light", light), ("deep", deep)):
        con.register_model(name, model, inputs=[f"c{place}" for place in range(rows.shape[1])])


def test_bare_boosters_of_a_matrix_know_how_many_inputs_they_have() -> None:
    """They have no names of inputs: LightGBM makes up Column_0, Column_1, …, and XGBoost none."""
    rows, con = CLEAN[:, :3], tqp.connect(threads=1)
    light = lightgbm.train({"verbose": -1, "num_threads": 1}, lightgbm.Dataset(rows, VALUE), 2)
    deep = xgboost.train({"nthread": 1}, xgboost.DMatrix(rows, VALUE), 2)
    con.register("t", {"a": rows[:5, 0], "b": rows[:5, 1], "c": rows[:5, 2]})
    for name, model, expected in (
        ("light", light, light.predict(rows[:5])),
        ("deep", deep, deep.predict(xgboost.DMatrix(rows[:5]))),
    ):
        con.register_model(name, model)
        found = con.sql(f"SELECT PREDICT({name}, a, b, c) AS p FROM t").fetchnumpy()["p"]
        np.testing.assert_allclose(found, expected, rtol=1e-6)
