"""Every kind of estimator answers as its original: near and far rows, huge and tiny ones, and missing values."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn import ensemble, naive_bayes, neighbors, preprocessing, svm, tree
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.feature_selection import SelectFromModel, SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.multioutput import MultiOutputRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

import tqp
from tests.predict.frames import agree, features, imported
from tests.predict.handmade import handmade
from tqp.errors import ExecutionError, ModelError
from tqp.models.check.validation import validate
from tqp.models.model import Model
from tqp.models.registration import prepare

pytestmark = pytest.mark.filterwarnings("ignore")

rng = np.random.default_rng(5)


def table(rows: int) -> Any:
    made = rng.normal(size=(rows, 6)) * [1, 10, 100, 1, 1, 0.1] + [0, 5, -50, 2, 0, 0]
    made[:, 3], made[:, 4] = rng.integers(0, 5, rows), rng.integers(-3, 4, rows)
    return made


X = table(300)
GAPS = X.copy()
GAPS[::7, 0] = np.nan
VALUE = X[:, 0] * 3 + X[:, 1] + np.sin(X[:, 2])
THREE = np.asarray(["no", "yes", "perhaps"])[np.digitize(X[:, 0] + X[:, 1] / 10 + X[:, 3] / 3, [0.3, 1.6])]
TWO = np.where(THREE == "no", "no", "yes")
NEAR = table(60)
NEAR[:20], NEAR[20:40] = X[:20], np.nextafter(X[20:40], np.inf)
FAR = np.zeros((7, 6))
FAR[0, 1], FAR[1, 2], FAR[2], FAR[3], FAR[4, 5] = 1e18, -1e18, 1e-300, -1e-300, 1e12
ALL = np.vstack([NEAR, FAR])
CODES, MORE_CODES = (rng.integers(0, 4, (rows, 6)).astype(np.float64) for rows in (300, 60))


def scaled(model: Any) -> Any:
    return make_pipeline(StandardScaler(), model)


def fitted(model: Any, rows: Any, target: Any, tried: Any, tolerance: float = 1e-11, method: str | None = None) -> None:
    """The model agrees, is not changed by its import, and takes missing values where the library does."""
    model.fit(rows, target)
    before = pickle.dumps(model)
    imported(model, method)
    assert pickle.dumps(model) == before
    made = agree(model, tried, tolerance=tolerance, method=method)
    if method is None and hasattr(model, "decision_function") and hasattr(model, "classes_"):
        agree(model, tried, tolerance=1e-9, method="decision_function")
    ask = getattr(model, method or "predict" if hasattr(model, "predict") else "transform")
    accepted = []
    for place in sorted(made.used_inputs()):
        gap = tried[:3].copy()
        gap[1, place] = np.nan
        try:
            ask(gap)
        except ValueError:
            accepted.append(False)
        else:
            accepted.append(True)
    assert [made.takes_missing and made.inputs[place].takes_missing for place in sorted(made.used_inputs())] == accepted
    if made.takes_missing and all(accepted):
        agree(model, np.where(rng.random(tried.shape) < 0.1, np.nan, tried), tolerance=tolerance, method=method)


def _takes_all(made: Model) -> bool:
    return made.takes_missing and all(made.inputs[place].takes_missing for place in made.used_inputs())


def named(item: Any) -> str:
    return str(item).replace("\n", "").replace(" ", "")[:80]


CLASSIFIERS = [
    *(scaled(svm.SVC(kernel=kernel)) for kernel in ("linear", "poly", "rbf", "sigmoid")),
    scaled(svm.NuSVC()), scaled(svm.SVC(probability=True, random_state=0)), scaled(svm.SVC(break_ties=True)),
    scaled(svm.SVC(decision_function_shape="ovo")), naive_bayes.GaussianNB(), naive_bayes.BernoulliNB(),
    neighbors.KNeighborsClassifier(), neighbors.KNeighborsClassifier(p=1, weights="distance"),
    neighbors.KNeighborsClassifier(algorithm="brute"), neighbors.KNeighborsClassifier(p=3), neighbors.NearestCentroid(),
    neighbors.NearestCentroid(metric="manhattan"), neighbors.NearestCentroid(priors="empirical", shrink_threshold=0.2),
    scaled(MLPClassifier((8, 5), max_iter=30, random_state=0)), LinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(reg_param=0.1), tree.DecisionTreeClassifier(),
    ensemble.RandomForestClassifier(7), ensemble.ExtraTreesClassifier(7),
    ensemble.GradientBoostingClassifier(n_estimators=7), ensemble.HistGradientBoostingClassifier(max_iter=7),
    ensemble.AdaBoostClassifier(n_estimators=5), ensemble.BaggingClassifier(tree.DecisionTreeClassifier(), 3),
    ensemble.BaggingClassifier(scaled(LogisticRegression()), 3, max_features=0.5),
    OneVsRestClassifier(scaled(LogisticRegression())), OneVsOneClassifier(scaled(LogisticRegression())),
]  # fmt: skip


@pytest.mark.parametrize("target", [TWO, THREE, THREE == "no"], ids=["two", "three", "bool"])
@pytest.mark.parametrize("model", CLASSIFIERS, ids=named)
def test_classifiers(model: Any, target: Any) -> None:
    near = "KNeighbors" in str(model) or "Centroid" in str(model)
    fitted(model, X, target, NEAR if near else ALL)


@pytest.mark.parametrize(
    "model",
    [
        naive_bayes.MultinomialNB(), naive_bayes.ComplementNB(), naive_bayes.ComplementNB(norm=True),
        naive_bayes.CategoricalNB(),
    ],
    ids=named,
)  # fmt: skip
@pytest.mark.parametrize("target", [TWO, THREE], ids=["two", "three"])
def test_naive_bayes_of_counts(model: Any, target: Any) -> None:
    fitted(model, CODES, target, MORE_CODES)
    prepare("m", model)


@pytest.mark.parametrize("model", [tree.DecisionTreeClassifier(), ensemble.RandomForestClassifier(7)], ids=named)
def test_trees_fitted_with_gaps(model: Any) -> None:
    fitted(model, GAPS, THREE, ALL)


@pytest.mark.parametrize(
    "model",
    [
        FixedThresholdClassifier(scaled(LogisticRegression()), threshold=0.3, pos_label="yes"),
        FixedThresholdClassifier(scaled(LogisticRegression()), threshold=0.3, pos_label="no"),
        FixedThresholdClassifier(scaled(svm.LinearSVC()), threshold=0.3, pos_label="no"),
        FixedThresholdClassifier(scaled(LogisticRegression()), response_method="decision_function"),
        TunedThresholdClassifierCV(scaled(LogisticRegression()), cv=2),
    ],
    ids=named,
)
def test_other_thresholds(model: Any) -> None:
    fitted(model, X, TWO, NEAR)


REGRESSORS = [
    *(scaled(svm.SVR(kernel=kernel)) for kernel in ("linear", "poly", "rbf", "sigmoid")), scaled(svm.NuSVR()),
    neighbors.KNeighborsRegressor(), neighbors.KNeighborsRegressor(7, weights="distance"),
    scaled(MLPRegressor(hidden_layer_sizes=(8, 5), activation="tanh", max_iter=30, random_state=0)), KMeans(4, n_init=1),
    ensemble.IsolationForest(n_estimators=10), scaled(svm.OneClassSVM()), tree.DecisionTreeRegressor(),
    ensemble.RandomForestRegressor(7), ensemble.GradientBoostingRegressor(n_estimators=7),
    ensemble.HistGradientBoostingRegressor(max_iter=7), ensemble.AdaBoostRegressor(n_estimators=5),
]  # fmt: skip


@pytest.mark.parametrize("model", REGRESSORS, ids=named)
def test_regressors(model: Any) -> None:
    fitted(model, X, VALUE, NEAR if "KNeighbors" in str(model) else ALL)


@pytest.mark.parametrize(
    "model",
    [
        tree.DecisionTreeRegressor(), ensemble.RandomForestRegressor(7), Ridge(), neighbors.KNeighborsRegressor(3),
        MultiOutputRegressor(ensemble.GradientBoostingRegressor(n_estimators=3)),
    ],
    ids=named,
)  # fmt: skip
def test_several_outputs(model: Any) -> None:
    fitted(model, X, np.column_stack([VALUE, X[:, 0]]), NEAR)


STEPS = [
    StandardScaler(), preprocessing.MinMaxScaler(clip=True), preprocessing.MaxAbsScaler(), preprocessing.RobustScaler(),
    SimpleImputer(), SimpleImputer(add_indicator=True), preprocessing.KBinsDiscretizer(5, strategy="uniform"),
    preprocessing.KBinsDiscretizer(4, encode="ordinal", strategy="kmeans"), preprocessing.PolynomialFeatures(2),
    PCA(3), PCA(3, whiten=True), preprocessing.Normalizer(), preprocessing.Binarizer(threshold=0.1),
    preprocessing.PowerTransformer(), preprocessing.QuantileTransformer(n_quantiles=50),
    preprocessing.QuantileTransformer(n_quantiles=50, output_distribution="normal"),
    preprocessing.FunctionTransformer(np.tanh), preprocessing.FunctionTransformer(np.tanh, validate=True),
    SelectKBest(k=3), SelectFromModel(Lasso(0.5)), make_union(StandardScaler(), PCA(2)),
]  # fmt: skip


@pytest.mark.parametrize("step", STEPS, ids=named)
def test_steps(step: Any) -> None:
    rows = GAPS if isinstance(step, SimpleImputer) else X
    fitted(step, rows, VALUE, ALL, method="transform")
    fitted(make_pipeline(step, tree.DecisionTreeRegressor(max_depth=4)), rows, VALUE, ALL)


def words(rows: int, extra: tuple[str, ...] = (), gaps: float = 0.0) -> pd.DataFrame:
    common = rng.choice(["x", "yy", "z", "", "w", "v"], rows, p=[0.5, 0.3, 0.1, 0.05, 0.03, 0.02])
    frame = pd.DataFrame({"a": rng.choice(["a", "b", "cc", "d", *extra], rows), "b": common})
    return frame.where(rng.random(frame.shape) >= gaps)


ENCODERS = [
    *(
        OneHotEncoder(drop=drop, min_frequency=least, handle_unknown=unknown)
        for drop in (None, "first", "if_binary")
        for least in (None, 30)
        for unknown in ("error", "ignore", "infrequent_if_exist")
    ),
    OneHotEncoder(max_categories=2), OneHotEncoder(max_categories=3, handle_unknown="infrequent_if_exist"),
    OrdinalEncoder(), OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
    OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan), OrdinalEncoder(encoded_missing_value=-5),
    OrdinalEncoder(max_categories=3, handle_unknown="use_encoded_value", unknown_value=77, encoded_missing_value=99),
    preprocessing.TargetEncoder(smooth=2.0),
    make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")),
    make_pipeline(SimpleImputer(strategy="most_frequent"), OrdinalEncoder()),
]  # fmt: skip


@pytest.mark.parametrize("gaps", [0.0, 0.1])
@pytest.mark.parametrize("encoder", ENCODERS, ids=named)
def test_encoders(encoder: Any, gaps: float) -> None:
    rows = words(400, gaps=gaps)
    target = (rows["a"] == "a") * 3.0 + (rows["b"] == "x") + rng.normal(size=400) * 0.1
    encoder.fit(rows, target)
    made = imported(encoder, "transform")
    for tried in (words(100), words(100, ("new", "zzz")), words(100, gaps=0.2)):
        missing = bool(tried.isna().any(axis=None))
        try:
            encoder.transform(tried)
        except ValueError:
            assert not missing or not _takes_all(made)
            if not missing:
                with pytest.raises(ExecutionError, match="knows no category"):
                    made.value(features(tried, made))
            continue
        assert not missing or _takes_all(made)
        agree(encoder, tried, method="transform")


def test_missing_values_handed_on_to_a_model_that_refuses_them_raise() -> None:
    strict = make_pipeline(OneHotEncoder(), Ridge()).fit(words(300), rng.normal(size=300))
    made = prepare("m", strict, nulls="missing")
    made.value(features(words(50), made))
    with pytest.raises(ExecutionError, match="takes no missing values in a, and a row has one"):
        made.value(features(words(50, gaps=0.3), made))
    numbers = prepare("m", Ridge().fit(X, VALUE), nulls="missing")
    with pytest.raises(ExecutionError, match="takes no missing values in x1"):
        numbers.value(features(GAPS, numbers))


def test_an_imputer_of_some_inputs_does_not_speak_for_the_others() -> None:
    union = make_union(SimpleImputer(), preprocessing.FunctionTransformer())
    assert not imported(make_pipeline(union, Ridge()).fit(X, VALUE)).takes_missing
    assert _takes_all(imported(make_pipeline(SimpleImputer(), Ridge()).fit(X, VALUE)))


def test_null_in_an_input_that_is_imputed_and_in_one_that_is_not() -> None:
    part = ColumnTransformer([("filled", SimpleImputer(), ["a"]), ("plain", "passthrough", ["b"])])
    frame = pd.DataFrame({"a": [1.0, 2.0, np.nan, 5.0], "b": [0.0, 1.0, 4.0, 2.0]})
    model = make_pipeline(part, Ridge()).fit(frame, [1.0, 2.0, 3.0, 4.0])
    with tqp.connect() as con:
        con.register("t", pa.table({"a": [3.0, None, 1.0, None], "b": [1.0, 2.0, None, None]}))
        found = con.register_model("m", model).sql("SELECT PREDICT(m, a, b) FROM t").fetchall()
    known = pd.DataFrame({"a": [3.0, np.nan], "b": [1.0, 2.0]})
    np.testing.assert_allclose([row[0] for row in found[:2]], model.predict(known), rtol=1e-12)
    assert [row[0] for row in found[2:]] == [None, None]


def test_a_model_that_fails_on_every_sample_is_refused() -> None:
    class Picky:
        def predict(self, rows: Any) -> Any:
            raise ValueError("no such row")

    with pytest.raises(ModelError, match="fails on all rows made up to check it: no such row"):
        validate(handmade(), Picky(), None, None)


def test_detectors_have_no_probabilities() -> None:
    assert not prepare("m", ensemble.IsolationForest(n_estimators=3).fit(X)).has_probabilities
