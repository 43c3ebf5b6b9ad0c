"""Estimators and pipelines as skl2onnx writes them, in queries, against onnxruntime and against themselves."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import skl2onnx
from skl2onnx.common.data_types import (
    DoubleTensorType,
    FloatTensorType,
    Int64TensorType,
    StringTensorType,
)
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC, OneClassSVM
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import tqp
from tests.predict.onnx_graphs import asked
from tqp.errors import TqpError

OPSET = {"": 18, "ai.onnx.ml": 3}
RANDOM = np.random.default_rng(0)
ROWS = RANDOM.normal(size=(300, 4)).astype(np.float32)
ROWS[:, 2] = np.round(ROWS[:, 2] * 2)
NAMES = [f"x{place}" for place in range(1, 5)]
BINARY = (ROWS[:, 0] + ROWS[:, 1] > 0).astype(int)
THREE = np.array(["low", "mid", "top"])[np.digitize(ROWS[:, 0] + 0.2 * ROWS[:, 2], [-0.5, 0.5])]
VALUE = (np.abs(ROWS[:, 0]) + 0.5 * ROWS[:, 1] ** 2).astype(np.float64)

CLASSIFIERS = [
    LogisticRegression(), RidgeClassifier(), SGDClassifier(random_state=0), LinearSVC(), DecisionTreeClassifier(max_depth=4),
    RandomForestClassifier(7, max_depth=5, random_state=0), ExtraTreesClassifier(5, random_state=0),
    GradientBoostingClassifier(n_estimators=6), AdaBoostClassifier(n_estimators=4), BaggingClassifier(n_estimators=3),
    VotingClassifier([("a", LogisticRegression()), ("b", GaussianNB())], voting="soft", flatten_transform=False),
    SVC(), SVC(kernel="poly"), NuSVC(kernel="sigmoid", nu=0.1), SVC(probability=True), GaussianNB(), BernoulliNB(),
    MLPClassifier((6,), max_iter=30), CalibratedClassifierCV(LogisticRegression(), cv=2),
    make_pipeline(StandardScaler(), PCA(2), LogisticRegression()),
    make_pipeline(PolynomialFeatures(2), MinMaxScaler(), LogisticRegression()),
    make_pipeline(StandardScaler(), RandomForestClassifier(5, max_depth=6, random_state=0)),
]  # fmt: skip
REGRESSORS = [
    LinearRegression(), PoissonRegressor(), DecisionTreeRegressor(), RandomForestRegressor(6, max_depth=8, random_state=0),
    GradientBoostingRegressor(n_estimators=8), AdaBoostRegressor(n_estimators=4, random_state=0), SVR(),
    MLPRegressor(hidden_layer_sizes=(6,), max_iter=30),
    make_pipeline(Normalizer(), LinearRegression()), make_pipeline(RobustScaler(), Binarizer(), LinearRegression()),
    make_pipeline(StandardScaler(), DecisionTreeRegressor(max_depth=6)),
]  # fmt: skip


def name_of(estimator: Any) -> str:
    steps = [step for _, step in estimator.steps] if hasattr(estimator, "steps") else [estimator]
    return ">".join(type(step).__name__ for step in steps)


def fitted(estimator: Any, target: Any) -> tuple[Any, Any]:
    """The estimator, and what skl2onnx writes for it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator.fit(ROWS, target)
        return estimator, skl2onnx.to_onnx(estimator, ROWS[:1], target_opset=OPSET)


def probes() -> Any:
    """Rows like the training rows, then far beyond them."""
    near = np.random.default_rng(7).normal(size=(400, 4)).astype(np.float32)
    near[:, 2] = np.round(near[:, 2] * 2)
    near[::50] *= 100
    return near


def queried(model: Any, rows: Any, select: str, **options: Any) -> pd.DataFrame:
    with tqp.connect(threads=1) as con:
        con.register("t", pa.table({name: rows[:, place] for place, name in enumerate(NAMES)}))
        con.register_model("m", model, **options)
        found: pd.DataFrame = con.sql(f"SELECT {select} FROM t").df()
        return found


def matrix_of(answer: Any) -> Any:
    """Probabilities of onnxruntime as a matrix."""
    return np.array([list(row.values()) for row in answer]) if isinstance(answer, list) else answer


@pytest.mark.parametrize("target", [BINARY, THREE], ids=["two", "three"])
@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=name_of)
def test_classifiers(estimator: Any, target: Any) -> None:
    estimator, model = fitted(estimator, target)
    rows = probes()
    has_chances = hasattr(estimator, "predict_proba")
    last = len(estimator.classes_)
    chances = ", ".join(f"PREDICT_PROBA(m, *)[{place}] AS p{place}" for place in range(1, last + 1))
    found = queried(model, rows, f"PREDICT(m, *) AS label{', ' + chances if has_chances else ''}", backend="tensor")
    labels, scores = asked(model, {model.graph.input[0].name: rows})
    wanted = matrix_of(scores)
    ties = np.zeros(len(rows), dtype=bool)
    if has_chances:
        # Far out, sums of squares in float32 lose the digits that a difference of them needs.
        near = np.arange(len(rows)) % 50 > 0
        mine = found.filter(like="p").to_numpy()
        np.testing.assert_allclose(mine[near], wanted[near], atol=2e-5)
        np.testing.assert_allclose(mine, wanted, atol=2e-3)
        ordered = np.sort(wanted, axis=1)
        ties = ordered[:, -1] - ordered[:, -2] < 1e-5
    assert (found.label.to_numpy() == labels)[~ties].all()
    if not has_chances:
        with pytest.raises(TqpError, match="gives no probabilities"):
            queried(model, rows, "PREDICT_PROBA(m, *)[1]")
    agrees = found.label.to_numpy() == estimator.predict(rows)
    assert agrees.mean() > 0.98


@pytest.mark.parametrize("estimator", REGRESSORS, ids=name_of)
def test_regressors(estimator: Any) -> None:
    estimator, model = fitted(estimator, VALUE)
    rows = probes()
    found = queried(model, rows, "PREDICT(m, *) AS value", backend="tensor").value.to_numpy()
    (wanted,) = asked(model, {model.graph.input[0].name: rows})
    np.testing.assert_allclose(found, wanted[:, 0], rtol=1e-4, atol=1e-4)
    own = estimator.predict(rows)
    assert (np.abs(found - own) <= 1e-3 * (1 + np.abs(own))).mean() > 0.98


@pytest.mark.parametrize(
    "estimator", [KMeans(3, n_init=1, random_state=0), IsolationForest(n_estimators=8), OneClassSVM()], ids=name_of
)
def test_clusters_and_outliers(estimator: Any) -> None:
    estimator, model = fitted(estimator, None)
    rows = probes()
    found = queried(model, rows, "PREDICT(m, *) AS value", backend="tensor").value.to_numpy()
    answers = asked(model, {model.graph.input[0].name: rows})
    assert found.dtype == np.int64
    assert (found == answers[0].ravel()).all()
    scores = queried(
        model, rows, "PREDICT(m, *)[1] AS s" if answers[1].shape[1] > 1 else "PREDICT(m, *) AS s", output="scores"
    )
    np.testing.assert_allclose(scores.s, answers[1][:, 0], rtol=1e-4, atol=1e-4)


def test_neighbours_run_on_the_host_and_explain_says_so() -> None:
    for estimator, target in ((KNeighborsClassifier(), THREE), (KNeighborsRegressor(), VALUE)):
        fitted_, model = fitted(estimator, target)
        rows = probes()
        with tqp.connect() as con:
            con.register("t", pa.table({name: rows[:, place] for place, name in enumerate(NAMES)}))
            con.register_model("m", model)
            query = con.sql("SELECT PREDICT(m, *) AS p FROM t")
            assert "onnxruntime on the host, because operator Scan is not a tensor operation here" in query.explain()
            found = query.df().p.to_numpy()
            own = fitted_.predict(rows)
            assert (found == own).mean() > 0.98 if target is THREE else np.allclose(found, own, rtol=1e-3)
            with pytest.raises(TqpError, match="no tensor program: operator Scan"):
                con.register_model("m2", model, backend="tensor")


def test_several_targets() -> None:
    estimator, model = fitted(RandomForestRegressor(4, max_depth=5, random_state=0), np.stack([VALUE, -VALUE], axis=1))
    rows = probes()
    found = queried(model, rows, "PREDICT(m, *)[1] AS a, PREDICT(m, *)[2] AS b")
    np.testing.assert_allclose(found.to_numpy(), estimator.predict(rows), rtol=1e-4, atol=1e-4)


def people(count: int = 400) -> pd.DataFrame:
    random = np.random.default_rng(4)
    frame = pd.DataFrame({
        "age": random.integers(18, 90, count), "pay": random.normal(50_000, 15_000, count).round(2),
        "city": random.choice(["rome", "oslo", "são paulo", ""], count), "level": random.choice(["low", "mid", "high"], count),
    })  # fmt: skip
    frame.loc[::9, "pay"] = np.nan
    return frame


def mixed(frame: pd.DataFrame) -> tuple[Any, Any]:
    """A pipeline over numbers and texts, and its graph with an input a column."""
    columns = ColumnTransformer([
        ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["pay"]),
        ("age", StandardScaler(), ["age"]),
        ("text", OneHotEncoder(handle_unknown="ignore"), ["city"]),
        ("rank", OrdinalEncoder(categories=[["low", "mid", "high"]]), ["level"]),
    ])  # fmt: skip
    target = np.where(frame.age + frame.pay.fillna(0) / 1000 + 20 * (frame.city == "oslo") > 100, "yes", "no")
    pipeline = make_pipeline(columns, LogisticRegression()).fit(frame, target)
    kinds = [
        ("age", Int64TensorType([None, 1])), ("pay", FloatTensorType([None, 1])), ("city", StringTensorType([None, 1])),
        ("level", StringTensorType([None, 1])),
    ]  # fmt: skip
    return pipeline, skl2onnx.to_onnx(pipeline, initial_types=kinds, target_opset=OPSET)


def test_a_pipeline_of_numbers_and_texts() -> None:
    frame = people()
    pipeline, model = mixed(people())
    frame.loc[5, "city"] = "nowhere"
    with tqp.connect() as con:
        con.register("people", pa.Table.from_pandas(frame, preserve_index=False))
        con.register_model("m", model, backend="tensor")
        found = con.sql("SELECT PREDICT(m, *) AS label, PREDICT_PROBA(m, *)['yes'] AS p FROM people").df()
        assert found.label.tolist() == pipeline.predict(frame).tolist()
        np.testing.assert_allclose(found.p, pipeline.predict_proba(frame)[:, 1], atol=1e-5)
        con.register_model("host", model, backend="host")
        again = con.sql("SELECT PREDICT(host, *) AS label, PREDICT_PROBA(host, *)['yes'] AS p FROM people").df()
        assert again.label.tolist() == found.label.tolist()
        np.testing.assert_allclose(again.p, found.p, atol=1e-5)
        grouped = con.sql("SELECT level, PREDICT(m, 40, 60000, 'oslo', level) AS p FROM people GROUP BY ALL ORDER BY 1")
        assert grouped.columns == ["level", "p"]
        assert len(grouped.fetchall()) == 3


def test_missing_values() -> None:
    frame = people(50)
    _, model = mixed(people())
    table = pa.table({
        "age": [30, None, 30], "pay": [None, 60000.0, 1.0], "city": ["oslo", "oslo", None], "level": ["low"] * 3,
    })  # fmt: skip
    with tqp.connect() as con:
        con.register("people", pa.Table.from_pandas(frame, preserve_index=False)).register("t", table)
        con.register_model("imputes", model)
        con.register_model("strict", model, nulls="null")
        # The graph fills pay alone: age is an integer, city a text, and neither has a missing value.
        assert [row[0] is None for row in con.sql("SELECT PREDICT(imputes, *) FROM t").fetchall()] == [
            False,
            True,
            True,
        ]
        assert con.sql("SELECT PREDICT(strict, *) FROM t").fetchall() == [(None,)] * 3
        linear = fitted(LinearRegression(), VALUE)[1]
        con.register_model("linear", linear)
        answers = con.sql("SELECT PREDICT(linear, 1, NULL, 2, 3), PREDICT(linear, 1, 'nan'::DOUBLE, 2, 3)").fetchall()
        assert answers == [(None, None)]


def test_doubles_stay_doubles() -> None:
    estimator = LinearRegression().fit(ROWS.astype(np.float64), VALUE)
    model = skl2onnx.to_onnx(estimator, initial_types=[("X", DoubleTensorType([None, 4]))], target_opset=OPSET)
    rows = probes().astype(np.float64)
    found = queried(model, rows, "PREDICT(m, *) AS value").value
    (wanted,) = asked(model, {"X": rows})
    np.testing.assert_allclose(found, wanted[:, 0], rtol=1e-5, atol=1e-6)
