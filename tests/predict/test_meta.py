"""Models of models answer as their originals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, PowerTransformer, StandardScaler
from sklearn.svm import SVC, LinearSVC

from tests.predict.frames import agree, imported
from tests.predict.test_linear import CANCER, DIABETES, IRIS, WINE, mixed, prepared
from tqp.errors import ModelError
from tqp.models.combined import numbers_of
from tqp.models.known import import_trusted

pytestmark = pytest.mark.filterwarnings("ignore")

LABELS = np.asarray(["red", "green", "blue"])


def logistic() -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression())


# Probabilities that are 1 to the last bit would be told apart by a steep calibration curve: their noise is the library's.
BROAD = make_pipeline(StandardScaler(), GaussianNB(var_smoothing=20.0))
MEMBERS = [("a", logistic()), ("b", GaussianNB()), ("c", RandomForestClassifier(5, random_state=0))]
HARD = [*MEMBERS, ("d", RidgeClassifier())]
NUMBERS = [
    ("a", Ridge()),
    ("b", RandomForestRegressor(5, random_state=0)),
    ("c", make_pipeline(MinMaxScaler(), Ridge())),
]


@pytest.mark.parametrize(
    "model",
    [
        VotingClassifier(MEMBERS, voting="soft"), VotingClassifier(MEMBERS, voting="soft", weights=[3, 1, 0.5]),
        VotingClassifier(HARD), VotingClassifier(HARD, weights=[1, 2, 3, 1]),
        StackingClassifier(HARD, cv=2), StackingClassifier(MEMBERS, cv=2, passthrough=True),
        StackingClassifier(MEMBERS, logistic(), cv=2, stack_method="predict"),
        StackingClassifier([("a", SVC()), ("b", GradientBoostingClassifier(n_estimators=3))], cv=2),
        BaggingClassifier(logistic(), 4, random_state=0), BaggingClassifier(RidgeClassifier(), 4, random_state=0),
        BaggingClassifier(LogisticRegression(), 4, max_features=0.5, max_samples=9, random_state=1),
        CalibratedClassifierCV(LinearSVC(), cv=2), CalibratedClassifierCV(BROAD, cv=2, method="isotonic"),
        CalibratedClassifierCV(logistic(), cv=2, ensemble=False, method="isotonic"),
        CalibratedClassifierCV(GradientBoostingClassifier(n_estimators=3), cv=2),
        CalibratedClassifierCV(logistic(), cv=2, method="temperature"),
        CalibratedClassifierCV(BROAD, cv=2, method="temperature"),
        OneVsRestClassifier(logistic()), OneVsRestClassifier(GaussianNB()), OneVsRestClassifier(LinearSVC()),
        OneVsOneClassifier(LinearSVC()), OneVsOneClassifier(GaussianNB()),
        GridSearchCV(logistic(), {"logisticregression__C": [0.1, 1]}, cv=2),
        make_pipeline(StandardScaler(), GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, cv=2)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("data", [IRIS, WINE, CANCER], ids=["iris", "wine", "cancer"])
def test_classifiers(model: Any, data: Any) -> None:
    rows, labels = data[0].iloc[::2], LABELS[data[1]][::2]
    made = agree(model.fit(rows, labels), rows, tolerance=1e-11)
    assert made.kind == "classifier"


@pytest.mark.parametrize(
    "model",
    [
        VotingRegressor(NUMBERS), VotingRegressor(NUMBERS, weights=[1, 2, 0.1]), StackingRegressor(NUMBERS, cv=2),
        StackingRegressor(NUMBERS, Ridge(), cv=2, passthrough=True), BaggingRegressor(Ridge(), 4, random_state=0),
        BaggingRegressor(Ridge(), 4, max_features=3, random_state=0),
        TransformedTargetRegressor(Ridge(), func=np.log1p, inverse_func=np.expm1),
        TransformedTargetRegressor(Ridge(), transformer=StandardScaler()),
        TransformedTargetRegressor(Ridge(), transformer=MinMaxScaler()), TransformedTargetRegressor(LinearRegression()),
    ],
)  # fmt: skip
def test_regressors(model: Any) -> None:
    agree(model.fit(*DIABETES), DIABETES[0], tolerance=1e-11)


def test_one_model_an_output() -> None:
    targets = np.column_stack([DIABETES[1], DIABETES[0]["bmi"]])
    assert agree(MultiOutputRegressor(Ridge()).fit(DIABETES[0], targets), DIABETES[0]).outputs == 2
    model = MultiOutputClassifier(GaussianNB()).fit(IRIS[0], np.column_stack([IRIS[1], 7 - IRIS[1]]))
    made = imported(model)
    from tests.predict.frames import features

    np.testing.assert_array_equal(made.value(features(IRIS[0], made)).numpy(), model.predict(IRIS[0]))


def test_mixed_columns_within_members() -> None:
    frame = mixed()
    target = (frame["pay"] > 1e6).astype(int)
    model = VotingClassifier([("a", prepared(LogisticRegression())), ("b", prepared(GaussianNB()))], voting="soft")
    made = agree(model.fit(frame, target), mixed(200, 3), tolerance=1e-11)
    assert [argument.is_text for argument in made.inputs] == [False, True, False, False, False]


def test_what_is_not_understood_is_refused() -> None:
    target = TransformedTargetRegressor(Ridge(), transformer=PowerTransformer()).fit(*DIABETES)
    with pytest.raises(ModelError, match="TransformedTargetRegressor with a PowerTransformer"):
        imported(target)
    odd = FunctionTransformer(lambda x: x + 1)
    with pytest.raises(ModelError, match="FunctionTransformer: func=<lambda> is not known"):
        imported(make_pipeline(odd, Ridge()).fit(*DIABETES))
    labels = MultiOutputClassifier(GaussianNB()).fit(IRIS[0], np.column_stack([LABELS[IRIS[1]]] * 2))
    with pytest.raises(ModelError, match="labels that are text"):
        numbers_of(labels, import_trusted(labels, IRIS[0].shape[1]))
