"""Models trained on frames with columns of pandas' type category, called with text: exact, also for what they do not know."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import catboost
import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, TargetEncoder

import tqp
from tqp.errors import ModelError

RANDOM = np.random.default_rng(0)
ROWS = 300
FRAME = pd.DataFrame({
    "color": pd.Categorical(RANDOM.choice(["red", "green", "blue", "dark"], ROWS)),
    "x": RANDOM.normal(size=ROWS),
    "size": pd.Categorical(RANDOM.choice(["S", "M", "L"], ROWS), categories=["S", "M", "L"], ordered=True),
})  # fmt: skip
VALUE = FRAME.color.isin(["red", "dark"]) * 2.0 + (FRAME["size"] == "L") + FRAME.x / 2
CLASS = (VALUE > 1.2).astype(int)
HOLES = FRAME.assign(color=FRAME.color.where(FRAME.index % 7 > 0), x=FRAME.x.where(FRAME.index % 11 > 0))
LIGHT = {"n_estimators": 8, "verbose": -1, "n_jobs": 1}
XGB = {"n_estimators": 8, "enable_categorical": True, "n_jobs": 1}
ENCODED = (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan), ["color", "size"])

MODELS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "XGBRegressor": lambda frame: xgboost.XGBRegressor(**XGB).fit(frame, VALUE),
    "XGBClassifier, a category each": lambda frame: xgboost.XGBClassifier(**XGB, max_cat_to_onehot=9).fit(frame, CLASS),
    "xgboost.Booster": lambda frame: xgboost.train(
        {"nthread": 1}, xgboost.DMatrix(frame, VALUE, enable_categorical=True), 8
    ),
    "LGBMRegressor": lambda frame: lightgbm.LGBMRegressor(**LIGHT).fit(frame, VALUE),
    "LGBMClassifier": lambda frame: lightgbm.LGBMClassifier(**LIGHT).fit(frame, CLASS),
    "lightgbm.Booster": lambda frame: lightgbm.train({"verbose": -1, "num_threads": 1}, lightgbm.Dataset(frame, VALUE), 8),
    "HistGradientBoosting": lambda frame: HistGradientBoostingRegressor(max_iter=8, categorical_features="from_dtype").fit(
        frame, VALUE
    ),
    "OrdinalEncoder": lambda frame: make_pipeline(
        make_column_transformer(ENCODED, remainder="passthrough"),
        HistGradientBoostingClassifier(max_iter=8, categorical_features=[0, 1]),
    ).fit(frame, CLASS),
    "TargetEncoder": lambda frame: make_pipeline(
        make_column_transformer((TargetEncoder(), ["color", "size"]), remainder="passthrough"),
        HistGradientBoostingRegressor(max_iter=8),
    ).fit(frame, VALUE),
}  # fmt: skip


def _odd() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows with what no model knows, as texts, and as the categories of the training frame."""
    texts = FRAME.head(8).assign(
        color=["purple", "red", None, "blue", "Red", "", "dark", "green"],
        size=["S", "L", "L", "XL", None, "M", "", "S"],
    )
    known = {name: pd.Categorical(texts[name], FRAME[name].cat.categories) for name in ("color", "size")}
    return texts, texts.assign(**known)


def _own(label: str, model: Any, frame: pd.DataFrame) -> np.ndarray[Any, Any]:
    rows = xgboost.DMatrix(frame, enable_categorical=True) if label == "xgboost.Booster" else frame
    return np.asarray(model.predict(rows), dtype=np.float64).ravel()


@pytest.mark.parametrize("label", MODELS)
@pytest.mark.parametrize("trained", [FRAME, HOLES], ids=["complete", "with missing values"])
def test_texts_are_the_categories_of_the_model(label: str, trained: pd.DataFrame) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MODELS[label](trained)
        con = tqp.connect(threads=1).register_model("m", model)
        texts, categories = _odd()
        if label == "TargetEncoder":
            # It takes other texts for another kind of what is unknown than missing ones, and knows no categories by their dtype.
            categories = texts
        frames = [(trained, trained), (trained.astype({"color": object, "size": object}), trained), (texts, categories)]
        for given, own in frames:
            found = con.register("t", given).sql("SELECT PREDICT(m, *) AS y FROM t").df()["y"]
            np.testing.assert_allclose(found.to_numpy(np.float64), _own(label, model, own), rtol=1e-5, atol=1e-6)


def test_ordered_categories_are_told_from_integers_or_refused() -> None:
    flagged = FRAME.assign(flag=RANDOM.integers(0, 3, ROWS))
    sure = flagged.assign(flag=flagged.flag * 10)
    tqp.connect(threads=1).register_model("m", lightgbm.LGBMRegressor(**LIGHT).fit(sure, VALUE))
    with pytest.raises(ModelError, match="(?s)does not show.*as_unordered"):
        tqp.connect(threads=1).register_model("m", lightgbm.LGBMRegressor(**LIGHT).fit(flagged, VALUE))


def test_catboost_has_its_own_predict_on_the_host() -> None:
    texts = FRAME.astype({"color": object, "size": object})
    model = catboost.CatBoostRegressor(iterations=8, verbose=0, thread_count=1, cat_features=["color", "size"])
    model.fit(texts, VALUE)
    con = tqp.connect(threads=1)
    with pytest.raises(ModelError, match='(?s)categorical features.*backend="host"'):
        con.register_model("m", model)
    con.register_model("m", model, backend="host").register("t", texts)
    found = con.sql("SELECT PREDICT(m, *) AS y FROM t").df()["y"]
    np.testing.assert_allclose(found, model.predict(texts), rtol=1e-12)
    assert con.sql("SELECT PREDICT(m, NULL::VARCHAR, 1.0, 'S')").fetchall() == [(None,)]


@pytest.mark.parametrize("kind", ["int8", "int32", "int64"])
@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_categories_that_are_integers(library: str, kind: str) -> None:
    """Of the type that they had: XGBoost's own predict, which the model is checked against, asks for it."""
    codes = (VALUE > 1).to_numpy() * 10 + (FRAME.index % 3) * 20
    frame = pd.DataFrame({"k": pd.Categorical(codes.to_numpy().astype(kind)), "x": FRAME.x})
    estimator = xgboost.XGBRegressor(**XGB) if library == "xgboost" else lightgbm.LGBMRegressor(**LIGHT)
    model = estimator.fit(frame, VALUE)
    con = tqp.connect(threads=1)
    con.register("rows", frame.assign(place=range(len(frame))))
    con.register_model("m", model)
    found = con.sql("SELECT PREDICT(m, k, x) AS p FROM rows ORDER BY place").numpy()["p"]
    np.testing.assert_allclose(found, model.predict(frame), rtol=1e-5)
