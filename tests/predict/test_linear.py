"""Linear models answer as their originals, and by columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn import linear_model as linear
from sklearn.compose import ColumnTransformer
from sklearn.cross_decomposition import PLSRegression
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC, LinearSVR

from tests.predict.frames import agree, features, imported
from tqp.errors import ModelError
from tqp.models import linear as sums
from tqp.models.estimators import import_model
from tqp.models.features import Coded, Numeric

IRIS, WINE, CANCER, DIABETES = (
    load(return_X_y=True, as_frame=True) for load in (load_iris, load_wine, load_breast_cancer, load_diabetes)
)
rng = np.random.default_rng(0)


def mixed(rows: int = 400, seed: int = 0) -> pd.DataFrame:
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame({
        "age": draw.normal(40, 10, rows), "city": draw.choice(["rome", "oslo", "bern", "zürich", ""], rows),
        "pay": draw.normal(1e6, 2e5, rows), "rank": draw.integers(0, 5, rows), "open": draw.random(rows) > 0.5,
    })  # fmt: skip
    frame.loc[::7, "age"] = np.nan
    frame.loc[::11, "city"] = None
    return frame


def prepared(model: Any) -> Any:
    numbers = Pipeline([("fill", SimpleImputer(strategy="median")), ("scale", StandardScaler())])
    text = Pipeline(
        [("fill", SimpleImputer(strategy="most_frequent")), ("hot", OneHotEncoder(handle_unknown="ignore"))]
    )
    columns = [("numbers", numbers, ["age", "pay"]), ("text", text, ["city"]), ("gone", "drop", ["rank"])]
    return make_pipeline(ColumnTransformer(columns, remainder="passthrough"), model)


@pytest.mark.parametrize(
    "model",
    [
        linear.LinearRegression(), linear.LinearRegression(fit_intercept=False), linear.Ridge(), linear.RidgeCV(),
        linear.Lasso(0.5), linear.ElasticNet(0.1), linear.Lars(), linear.LassoLars(0.1), linear.LassoLarsIC(),
        linear.BayesianRidge(), linear.ARDRegression(), linear.HuberRegressor(max_iter=500), linear.SGDRegressor(),
        linear.QuantileRegressor(), linear.OrthogonalMatchingPursuit(), linear.TheilSenRegressor(max_subpopulation=50),
        linear.PoissonRegressor(), linear.GammaRegressor(), linear.TweedieRegressor(power=1.5, link="log"),
        linear.TweedieRegressor(power=0), LinearSVR(), PLSRegression(3), linear.RANSACRegressor(random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)  # fmt: skip
def test_regressors(model: Any) -> None:
    agree(model.fit(*DIABETES), DIABETES[0], tolerance=1e-11)


@pytest.mark.parametrize(
    "model", [linear.LinearRegression(), linear.Ridge(), linear.MultiTaskLasso(), PLSRegression(2)]
)
def test_several_outputs(model: Any) -> None:
    model.fit(DIABETES[0], np.column_stack([DIABETES[1], DIABETES[0]["bmi"] * 7, -DIABETES[1]]))
    assert agree(model, DIABETES[0]).outputs == 3


@pytest.mark.parametrize(
    "model",
    [
        linear.LogisticRegression(max_iter=50), linear.LogisticRegression(solver="liblinear"), linear.RidgeClassifier(),
        linear.LogisticRegressionCV(Cs=2, cv=2, max_iter=50), linear.SGDClassifier(), linear.Perceptron(),
        linear.SGDClassifier(loss="log_loss"), linear.SGDClassifier(loss="modified_huber"), LinearSVC(),
        LinearDiscriminantAnalysis(), linear.RidgeClassifierCV(),
    ],
    ids=lambda model: type(model).__name__,
)  # fmt: skip
@pytest.mark.parametrize("data", [IRIS, WINE, CANCER], ids=["iris", "wine", "cancer"])
@pytest.mark.filterwarnings("ignore")
def test_classifiers(model: Any, data: Any) -> None:
    scaled = pd.DataFrame(StandardScaler().fit_transform(data[0]), columns=data[0].columns)
    names = [
        "no",
        "yes",
        "yes" if getattr(model, "solver", "") == "liblinear" else "perhaps",
    ]  # liblinear knows two classes
    labels = np.asarray(names)[data[1]]
    agree(model.fit(scaled, labels), scaled)
    if hasattr(model, "decision_function"):
        agree(model, scaled, method="decision_function")


@pytest.mark.parametrize(
    "model",
    [linear.LogisticRegression(), linear.LinearRegression(), linear.RidgeClassifier(), linear.Lasso(1.0)],
    ids=lambda model: type(model).__name__,
)
def test_pipelines_of_mixed_columns(model: Any) -> None:
    frame = mixed()
    target = (frame["pay"] > 1e6).astype(int) + (frame["city"] == "oslo")
    pipeline = prepared(model).fit(frame, target)
    new = mixed(300, 1)
    new.loc[3:9, "city"] = "atlantis"
    new.loc[5, "pay"], new.loc[6, "pay"], new.loc[7, "age"] = 1e18, 1e-300, -1e18
    made = agree(pipeline, new)
    assert [argument.is_text for argument in made.inputs] == [False, True, False, False, False]
    assert 3 not in made.used_inputs()


def test_columns_without_weight_are_not_used() -> None:
    model = linear.Lasso(2.0).fit(*DIABETES)
    made = imported(model)
    assert made.used_inputs() == set(np.flatnonzero(model.coef_))
    assert 0 < len(made.used_inputs()) < 10


def test_inputs_of_a_frame_an_array_or_given() -> None:
    assert [argument.name for argument in imported(linear.Ridge().fit(*IRIS)).inputs] == list(IRIS[0].columns)
    bare = linear.Ridge().fit(IRIS[0].to_numpy(), IRIS[1])
    assert [argument.name for argument in imported(bare).inputs] == ["x1", "x2", "x3", "x4"]
    assert import_model("m", bare, inputs=["a", "b", "c", "d"]).inputs[2].name == "c"
    with pytest.raises(ModelError, match="has 4 inputs, and inputs= names 2"):
        import_model("m", bare, inputs=["a", "b"])


def test_a_table_of_many_categories_is_summed_once() -> None:
    names = np.asarray([f"item {number}" for number in range(1500)])
    frame = pd.DataFrame({"item": names[rng.integers(0, 1500, 4000)]})
    target = np.asarray([hash(item) % 97 for item in frame["item"]], dtype=np.float64)
    pipeline = make_pipeline(OneHotEncoder(), linear.Ridge(0.1)).fit(frame, target)
    model = agree(pipeline, frame)
    hot = model.features(features(frame, model))
    assert len({id(feature.codes) for feature in hot if isinstance(feature, Coded)}) == 1
    assert sum(feature.values.untyped_storage().nbytes() == hot[0].values.untyped_storage().nbytes() for feature in hot)  # type: ignore[union-attr]


def test_a_wide_sum_is_a_product() -> None:
    weights = rng.normal(size=(sums._OUTPUTS + 3, 9))
    weights[:, 4] = 0
    columns = torch.from_numpy(rng.normal(size=(9, 40_000)))
    found = sums.Weights(weights, np.arange(7.0)).scores([Numeric(column) for column in columns])
    torch.testing.assert_close(found, torch.from_numpy(weights) @ columns + torch.arange(7.0)[:, None])


def test_what_is_not_understood_is_refused() -> None:
    class Louder(linear.Ridge):
        def predict(self, rows: Any) -> Any:
            return 2 * super().predict(rows)

    class Renamed(linear.Ridge):
        """No change."""

    with pytest.raises(ModelError, match="Louder has methods of its own: predict"):
        imported(Louder().fit(*IRIS))
    agree(Renamed().fit(*IRIS), IRIS[0])
    with pytest.raises(ModelError, match="not fitted"):
        imported(linear.Ridge())
    with pytest.raises(ModelError, match="method='fit' is not known"):
        imported(linear.Ridge().fit(*IRIS), "fit")
    with pytest.raises(ModelError, match="object is not supported as a model"):
        import_model("m", object(), inputs=["a"])
