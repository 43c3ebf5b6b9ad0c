"""Encoders that give sparse matrices, before models that were fitted on them: XGBoost takes what is not stored as missing."""

from __future__ import annotations

from typing import Any

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, MaxAbsScaler, OneHotEncoder
from sklearn.svm import SVC, SVR, NuSVC, OneClassSVM
from sklearn.tree import DecisionTreeClassifier

import tqp

pytestmark = pytest.mark.filterwarnings("ignore")

RANDOM = np.random.default_rng(0)
ROWS = 200
FRAME = pd.DataFrame({
    "kind": RANDOM.choice([f"k{place}" for place in range(30)], ROWS), "colour": RANDOM.choice(["red", "blue"], ROWS),
    "a": RANDOM.normal(size=ROWS).round(1), "b": RANDOM.integers(0, 3, ROWS).astype(float),
})  # fmt: skip
TARGET = ((FRAME["a"] > 0) + FRAME["b"] + (FRAME["colour"] == "red") > 1.5).astype(int).to_numpy()
ENCODED = ColumnTransformer(
    [("kinds", OneHotEncoder(handle_unknown="ignore"), ["kind", "colour"]), ("numbers", "passthrough", ["a", "b"])]
)
BINNED = ColumnTransformer(
    [("kinds", OneHotEncoder(), ["kind"]), ("bins", KBinsDiscretizer(10), ["a"]), ("numbers", "passthrough", ["b"])]
)
BEFORE: dict[str, Any] = {
    "encoded": ENCODED, "binned": BINNED, "scaled": make_pipeline(ENCODED, MaxAbsScaler()),
    "dense": ColumnTransformer(ENCODED.transformers, sparse_threshold=0), "reduced": make_pipeline(ENCODED, TruncatedSVD(5, random_state=0)),
}  # fmt: skip
MODELS: dict[str, Any] = {
    "kernel": SVC(), "linear kernel": SVC(kernel="linear"), "share": NuSVC(nu=0.2), "of numbers": SVR(), "one class": OneClassSVM(nu=0.2),
    "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
}  # fmt: skip


def agree(model: Any) -> None:
    wanted = model.fit(FRAME, TARGET).predict(FRAME)
    with tqp.connect(threads=1) as con:
        con.register("t", FRAME.assign(id=np.arange(ROWS))).register_model("m", model, backend="tensor")
        found = con.sql("SELECT PREDICT(m, kind, colour, a, b) FROM t ORDER BY id").fetchall()
        np.testing.assert_allclose(np.asarray([answer for (answer,) in found], dtype=float), wanted, rtol=1e-5)


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("name", MODELS)
def test_models_fitted_on_sparse_rows(name: str, before: str) -> None:
    agree(make_pipeline(clone(BEFORE[before]), clone(MODELS[name])))


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("name", ["XGBClassifier", "XGBRegressor", "XGBRFClassifier"])
def test_zeros_of_sparse_rows_are_missing_to_xgboost(name: str, before: str) -> None:
    agree(make_pipeline(clone(BEFORE[before]), getattr(xgboost, name)(n_estimators=5, max_depth=3)))


@pytest.mark.parametrize("before", BEFORE)
def test_zeros_of_sparse_rows_are_zeros_to_lightgbm(before: str) -> None:
    agree(
        make_pipeline(clone(BEFORE[before]), lightgbm.LGBMClassifier(n_estimators=5, verbose=-1, min_child_samples=5))
    )
