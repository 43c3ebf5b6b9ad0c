"""Boosters of all objectives, from their own files and from pickles, as tensor programs and on the host."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import catboost
import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost

import tqp
from tests.shares import is_in_share

pytestmark = pytest.mark.filterwarnings("ignore")

RANDOM = np.random.default_rng(0)
FRAME = pd.DataFrame(RANDOM.normal(size=(80, 3)), columns=["a", "b", "c"])
TRUTH = (FRAME["a"] > 0).astype(int)
THREE = np.digitize(FRAME["a"], [-0.5, 0.5])
NUMBER = FRAME["a"] * 2 + FRAME["b"]
LARGE = NUMBER.abs() + 1
XGBOOST = {
    "binary:logistic": TRUTH, "binary:logitraw": TRUTH, "binary:hinge": TRUTH, "multi:softprob": THREE, "multi:softmax": THREE, "rank:pairwise": TRUTH,
    "count:poisson": TRUTH, "reg:squarederror": NUMBER, "reg:absoluteerror": NUMBER, "reg:quantileerror": NUMBER, "reg:gamma": LARGE, "reg:tweedie": LARGE,
    "survival:cox": LARGE,
}  # fmt: skip
LIGHTGBM = {
    "binary": TRUTH, "cross_entropy": TRUTH, "cross_entropy_lambda": TRUTH, "multiclass": THREE, "multiclassova": THREE, "lambdarank": TRUTH, "poisson": TRUTH,
    "regression": NUMBER, "regression_l1": NUMBER, "huber": NUMBER, "quantile": NUMBER, "mape": NUMBER, "gamma": LARGE, "tweedie": LARGE,
}  # fmt: skip
CATBOOST = {
    "Logloss": TRUTH, "CrossEntropy": TRUTH, "MultiClass": THREE, "MultiClassOneVsAll": THREE, "Poisson": TRUTH, "RMSE": NUMBER, "MAE": NUMBER,
    "Quantile:alpha=0.3": NUMBER, "MultiQuantile:alpha=0.2,0.8": NUMBER, "Tweedie:variance_power=1.5": LARGE,
    "MultiRMSE": np.column_stack([NUMBER, -NUMBER]),
}  # fmt: skip


def agree(models: list[Any], predict: Callable[[Any], Any]) -> None:
    for model in models:
        wanted = np.asarray(predict(model))
        wanted = wanted[:, 0] if wanted.ndim == 2 and wanted.shape[1] == 1 else wanted
        for backend in ("tensor", "host"):
            with tqp.connect(threads=1) as con:
                con.register("t", FRAME.assign(id=np.arange(80))).register_model(
                    "m", model, ["a", "b", "c"], backend=backend
                )
                found = np.asarray([p for (p,) in con.sql("SELECT PREDICT(m, a, b, c) FROM t ORDER BY id").fetchall()])
            assert found.shape == wanted.shape
            np.testing.assert_allclose(found.astype(float), wanted.astype(float), rtol=1e-4, atol=1e-5)


def cases(objectives: dict[str, Any], kinds: list[str]) -> list[Any]:
    named = [(f"{objective}, {kind}", objective, kind) for objective in objectives for kind in kinds]
    return [
        pytest.param(o, kind, id=text, marks=() if is_in_share(text, 3) else pytest.mark.slow)
        for text, o, kind in named
    ]


@pytest.mark.parametrize(("objective", "kind"), cases(XGBOOST, ["gbtree", "dart"]))
def test_xgboost(objective: str, kind: str, tmp_path: Path) -> None:
    options = {"objective": objective, "booster": kind, "max_depth": 3}
    options |= {"num_class": 3} if "multi" in objective else {}
    options |= {"quantile_alpha": [0.2, 0.8]} if "quantile" in objective else {}
    booster = xgboost.train(options, xgboost.DMatrix(FRAME, XGBOOST[objective]), 4)
    models = [booster, pickle.loads(pickle.dumps(booster))]
    for ending in ("json", "ubj"):
        booster.save_model(tmp_path / f"m.{ending}")
        models.append(xgboost.Booster(model_file=tmp_path / f"m.{ending}"))
    agree(models, lambda model: model.predict(xgboost.DMatrix(FRAME)))


@pytest.mark.parametrize(("objective", "kind"), cases(LIGHTGBM, ["gbdt", "dart", "rf"]))
def test_lightgbm(objective: str, kind: str, tmp_path: Path) -> None:
    options = {
        "objective": objective,
        "boosting": kind,
        "verbose": -1,
        "min_data_in_leaf": 3,
        "num_class": 3 if "multi" in objective else 1,
    }
    options |= {"bagging_freq": 1, "bagging_fraction": 0.7} if kind == "rf" else {}
    rows = lightgbm.Dataset(FRAME, LIGHTGBM[objective], group=[40, 40] if "rank" in objective else None)
    try:
        booster = lightgbm.train(options, rows, 4)
    except lightgbm.basic.LightGBMError:
        pytest.skip("LightGBM does not fit it")
    booster.save_model(tmp_path / "m.txt")
    text = lightgbm.Booster(model_str=booster.model_to_string())
    agree(
        [booster, pickle.loads(pickle.dumps(booster)), lightgbm.Booster(model_file=tmp_path / "m.txt"), text],
        lambda model: model.predict(FRAME),
    )


@pytest.mark.parametrize(("objective", "kind"), cases(CATBOOST, ["SymmetricTree", "Depthwise", "Lossguide"]))
def test_catboost(objective: str, kind: str, tmp_path: Path) -> None:
    is_classifier = objective in ("Logloss", "CrossEntropy", "MultiClass", "MultiClassOneVsAll")
    make = catboost.CatBoostClassifier if is_classifier else catboost.CatBoostRegressor
    options = {
        "loss_function": objective,
        "iterations": 4,
        "depth": 3,
        "verbose": 0,
        "allow_writing_files": False,
        "grow_policy": kind,
    }
    try:
        model = make(**options).fit(FRAME, CATBOOST[objective])
    except catboost.CatBoostError:
        pytest.skip("CatBoost does not fit it")
    models = [model, pickle.loads(pickle.dumps(model))]
    for form in ("cbm", "json"):
        try:
            model.save_model(str(tmp_path / f"m.{form}"), format=form)
        except catboost.CatBoostError:
            continue
        models += [kind_().load_model(str(tmp_path / f"m.{form}"), format=form) for kind_ in (make, catboost.CatBoost)]
    agree(models, lambda model: model.predict(FRAME))
