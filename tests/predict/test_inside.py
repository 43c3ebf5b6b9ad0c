"""Every estimator inside every model of models, around and after columns that are selected by their names.

Fitted on a frame, reloaded from a pickle, and registered both ways: each answers as its own `predict`, in the type of its
own answers, or is refused with an error of tqp's.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression, RANSACRegressor, Ridge
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
)
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier, MultiOutputRegressor, RegressorChain
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators

import tqp
from tests.shares import is_in_share
from tqp.errors import ModelError
from tqp.models.check.samples import hints

pytestmark = pytest.mark.filterwarnings("ignore")

ALL = "TQP_ALL_MODELS" in os.environ
"""Else one of nine, the slow ones among them: all take half an hour."""
ROWS = 60
RANDOM = np.random.default_rng(0)
FRAME = pd.DataFrame({
    "a": RANDOM.normal(size=ROWS).round(3), "c": RANDOM.choice(["red", "blue", "green"], ROWS),
    "b": RANDOM.integers(0, 5, ROWS).astype(float), "d": RANDOM.random(ROWS).round(3),
})  # fmt: skip
IS_RED = (FRAME["c"] == "red").to_numpy()
TRUTH = (FRAME["a"] + IS_RED > 0.2).to_numpy()
TWO = np.where(TRUTH, "yes", "no")
THREE = np.asarray(["x", "y", "z"])[np.digitize(FRAME["a"] + FRAME["d"], [-0.3, 0.8])]
NUMBER = (FRAME["a"] * 2 + FRAME["b"] + IS_RED + 5).to_numpy()
LABELS = np.column_stack([TRUTH, THREE == "x"])
NUMBERS = np.column_stack([NUMBER, -NUMBER])

Meta = tuple[Callable[[Any], Any], Any]


def around(model: Any) -> Any:
    columns = [
        ("numbers", MinMaxScaler(), ["a", "b"]),
        ("text", OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["c"]),
    ]
    return Pipeline([("columns", ColumnTransformer(columns)), ("model", model)])


SECOND = [("second", around(LogisticRegression()))]
CLASSIFIERS: dict[str, Meta] = {
    "itself": (lambda m: m, THREE),
    "search": (lambda m: GridSearchCV(m, {}, cv=2), THREE),
    "random search": (lambda m: RandomizedSearchCV(m, {}, cv=2, n_iter=1), TRUTH),
    "halving search": (lambda m: HalvingGridSearchCV(m, {}, cv=2, min_resources=40), TWO),
    "votes": (lambda m: VotingClassifier([("first", m), *SECOND]), THREE),
    "vote of probabilities": (lambda m: VotingClassifier([("first", m), *SECOND], voting="soft"), TWO),
    "stack": (lambda m: StackingClassifier([("first", m), *SECOND], cv=2), THREE),
    "bag": (lambda m: BaggingClassifier(m, 2, random_state=0), TWO),
    "calibrated": (lambda m: CalibratedClassifierCV(m, cv=2), TWO),
    "one against the rest": (OneVsRestClassifier, THREE),
    "one against one": (OneVsOneClassifier, THREE),
    "codes": (lambda m: OutputCodeClassifier(m, random_state=0), THREE),
    "fixed threshold": (lambda m: FixedThresholdClassifier(m, threshold=0.4), TRUTH.astype(int)),
    "tuned threshold": (lambda m: TunedThresholdClassifierCV(m, cv=2), TWO),
    "several outputs": (MultiOutputClassifier, LABELS),
    "several texts": (MultiOutputClassifier, np.where(LABELS, "yes", "no")),
    "several numbers": (MultiOutputClassifier, LABELS.astype(int)),
    "chain": (ClassifierChain, LABELS.astype(int)),
    "self-training": (SelfTrainingClassifier, TWO),
    "boosted": (lambda m: AdaBoostClassifier(m, n_estimators=2, random_state=0), TWO),
    "of chosen features": (lambda m: RFE(m, n_features_to_select=2), TWO),
    "of one class": (lambda m: m, np.full(ROWS, "yes")),
    "of several labels": (lambda m: m, LABELS.astype(int)),
    "of several texts": (lambda m: m, np.where(LABELS, "yes", "no").astype(object)),
}
REGRESSORS: dict[str, Meta] = {
    "itself": (lambda m: m, NUMBER),
    "search": (lambda m: GridSearchCV(m, {}, cv=2), NUMBER),
    "vote": (lambda m: VotingRegressor([("first", m), ("second", around(Ridge()))]), NUMBER),
    "stack": (lambda m: StackingRegressor([("first", m), ("second", around(Ridge()))], cv=2), NUMBER),
    "bag": (lambda m: BaggingRegressor(m, 2, random_state=0), NUMBER),
    "transformed target": (lambda m: TransformedTargetRegressor(m, func=np.log1p, inverse_func=np.expm1), NUMBER),
    "several outputs": (MultiOutputRegressor, NUMBERS),
    "chain": (RegressorChain, NUMBERS),
    "boosted": (lambda m: AdaBoostRegressor(m, n_estimators=2, random_state=0), NUMBER),
    "of inliers": (lambda m: RANSACRegressor(m, min_samples=20, random_state=0), NUMBER),
    "of chosen features": (lambda m: RFE(m, n_features_to_select=2), NUMBER),
    "of several numbers": (lambda m: m, NUMBERS),
    "of whole numbers": (lambda m: m, NUMBER.round().astype(int)),
}


def estimators(kind: str) -> list[Any]:
    """Every estimator of the kind that needs no arguments, small."""
    made = []
    for _, cls in all_estimators(kind):
        try:
            estimator = cls()
        except TypeError:
            continue
        small = {"n_estimators": 3, "max_iter": 50, "random_state": 0, "cv": 2}
        made.append(estimator.set_params(**{k: v for k, v in small.items() if k in estimator.get_params()}))
    return made


def cases() -> list[Any]:
    found = []
    for kind, metas in (("classifier", CLASSIFIERS), ("regressor", REGRESSORS)):
        for estimator in estimators(kind):
            for name, (wrap, target) in metas.items():
                text = f"{type(estimator).__name__}, {name}"
                if not (ALL or is_in_share(text, 9)):
                    continue
                marks = () if is_in_share(text, 90) else pytest.mark.slow
                found.append(pytest.param(estimator, wrap, target, id=text, marks=marks))
    return found


@pytest.mark.parametrize(("estimator", "wrap", "target"), cases())
def test_inside(estimator: Any, wrap: Callable[[Any], Any], target: Any) -> None:
    forms = (lambda: wrap(around(clone(estimator))), lambda: around(wrap(clone(estimator))))
    fitted = 0
    for form in forms:
        try:
            model = pickle.loads(pickle.dumps(form().fit(FRAME, target)))
            wanted = np.asarray(model.predict(FRAME))
        except Exception:
            # Not every estimator goes into every other.
            continue
        fitted += 1
        for backend in ("auto", "host"):
            require_same(model, wanted, backend)
    if not fitted:
        pytest.skip("scikit-learn does not fit it")


def require_same(model: Any, wanted: Any, backend: str) -> None:
    with tqp.connect(threads=1) as con:
        con.register("t", FRAME.assign(id=np.arange(ROWS)))
        try:
            con.register_model("m", model, backend=backend)
        except ModelError:
            assert backend == "auto", "the library itself can always be asked"
            return
        found = con.sql("SELECT PREDICT(m, a, c, b, d) AS p FROM t ORDER BY id")
        rows = np.asarray([p for (p,) in found.fetchall()])
        wanted = wanted[:, 0] if wanted.ndim == 2 and wanted.shape[1] == 1 else wanted
        kind = {"b": "BOOLEAN", "i": "BIGINT", "f": "DOUBLE"}.get(wanted.dtype.kind, "VARCHAR")
        assert rows.shape == wanted.shape
        assert str(found.types[0]).partition("[")[0] == kind
        if wanted.dtype.kind == "f":
            np.testing.assert_allclose(rows, wanted, rtol=1e-5, atol=1e-7)
        else:
            np.testing.assert_array_equal(rows, wanted)


def test_text_beside_numbers() -> None:
    frame = FRAME.assign(words=[" ".join(RANDOM.choice(["old", "new", "big", "cat"], 3)) for _ in range(ROWS)])
    columns = ColumnTransformer([("words", TfidfVectorizer(), "words"), ("numbers", MinMaxScaler(), ["a", "b"])])
    model = Pipeline([("columns", columns), ("model", DecisionTreeClassifier(max_depth=3, random_state=0))])
    for fitted in (model.fit(frame, TWO), GridSearchCV(model, {}, cv=2).fit(frame, TWO)):
        with tqp.connect(threads=1) as con:
            con.register("t", frame.assign(id=np.arange(ROWS))).register_model("m", fitted)
            found = con.sql("SELECT PREDICT(m, *), PREDICT_PROBA(m, *) FROM t ORDER BY id")
            labels, chances = zip(*found.fetchall(), strict=True)
            assert list(labels) == fitted.predict(frame).tolist()
            np.testing.assert_allclose(chances, fitted.predict_proba(frame), rtol=1e-12)
            assert "words on the host, once per distinct value" in found.explain()
            assert con.sql("SELECT PREDICT(m, 1, NULL, 2, 3, 'old')").fetchall() != [(None,)]
            assert con.sql("SELECT PREDICT(m, 1, 'red', 2, 3, NULL)").fetchall() == [(None,)]


def test_columns_that_are_dropped_are_not_read_on_the_host_either() -> None:
    first = Pipeline(
        [("columns", ColumnTransformer([("one", MinMaxScaler(), ["a"])])), ("model", LogisticRegression())]
    )
    passed = StackingClassifier([("first", first)], LogisticRegression(), cv=2, passthrough=True)
    numbers = FRAME[["a", "b", "d"]]
    columns = ColumnTransformer([("numbers", MinMaxScaler(), ["a", "b"])])
    model = Pipeline([("columns", columns), ("model", LogisticRegression())])
    bag = BaggingClassifier(LogisticRegression(), 2, max_features=1, random_state=0).fit(numbers, TWO)
    with tqp.connect(threads=1) as con:
        con.register("t", FRAME).register_model("m", GridSearchCV(model, {}, cv=2).fit(FRAME, TWO), backend="host")
        con.register_model("bag", bag, backend="host")
        found = con.sql("SELECT PREDICT(m, a, c, b, NULL), PREDICT(bag, a, b, NULL) FROM t").fetchall()
        assert found == [(label, None) for label in model.fit(FRAME, TWO).predict(FRAME)]
    assert passed.passthrough and all(hint.is_read for hint in hints(passed.fit(numbers, TWO), 3))


class Own:
    """A model of no library."""

    n_features_in_ = 2

    def __init__(self, answer: Callable[[Any], Any]) -> None:
        self._answer = answer

    def predict(self, rows: Any) -> Any:
        return self._answer(np.asarray(rows))


@pytest.mark.parametrize(
    ("answer", "kind", "first"),
    [
        (lambda x: x[:, 0] > 0, "BOOLEAN", True), (lambda x: (x[:, 0] > 0).tolist(), "BOOLEAN", True),
        (lambda x: x[:, 0].astype(int) + 2**60, "BIGINT", 2**60 + 3), (lambda x: x[:, :1] / 2, "DOUBLE", 1.5),
        (lambda x: x[:, [0, 1, 0]], "DOUBLE[3]", (3.0, -1.0, 3.0)), (lambda x: x > 0, "BOOLEAN[2]", (True, False)),
        (lambda x: pd.DataFrame(x.astype(np.int32)), "BIGINT[2]", (3, -1)),
        (lambda x: np.asarray([bool(v > 0) for v in x[:, 0]], dtype=object), "BOOLEAN", True),
    ],
)  # fmt: skip
def test_answers_keep_their_kind_and_number(answer: Any, kind: str, first: Any) -> None:
    with tqp.connect(threads=1) as con:
        con.register("t", pd.DataFrame({"x": [3.0, -3.0], "y": [-1.0, 1.0]}))
        con.register_model("m", Own(answer), backend="host")
        found = con.sql("SELECT PREDICT(m, x, y) FROM t WHERE x > 0")
        assert (str(found.types[0]), found.fetchall()) == (kind, [(first,)])
        table = con.sql("SELECT * FROM ML.PREDICT(MODEL m, (SELECT x AS x1, y AS x2 FROM t WHERE x > 0))").fetchall()
        assert table[0][2:] == (first if isinstance(first, tuple) else (first,))
        if isinstance(first, tuple):
            query = "SELECT PREDICT(m, x, y)[2], PREDICT(m, NULL, y), PREDICT(m, x, y)[k] FROM t, (VALUES (1)) k(k) WHERE x > 0"
            assert con.sql(query).fetchall() == [(first[1], None, first[0])]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (lambda x: np.where(x[:, 0] > 0, "p", "q"), "gives values of type"),
        (lambda x: np.where(x > 0, "p", "q"), "gives several labels of type .*U1"),
        (lambda x: x[:1], r"fails on all rows made up to check it: .* with an array \(1, 2\)"),
        (lambda x: 1 / 0, "fails on all rows made up to check it: division by zero"),
    ],
)
def test_answers_that_are_no_column(answer: Any, why: str) -> None:
    with tqp.connect() as con, pytest.raises(ModelError, match=why):
        con.register_model("m", Own(answer), backend="host")


def test_an_answer_of_another_kind_later_is_an_error() -> None:
    with tqp.connect(threads=1) as con:
        con.register_model("m", Own(lambda x: x[:, 0] / 2 if x.max() > 99 else x[:, 0] > 0), backend="host")
        con.register_model("n", Own(lambda x: x if x.max() > 99 else x[:, 0]), backend="host")
        assert con.sql("SELECT PREDICT(m, 1, 2), PREDICT(n, 1, 2)").fetchall() == [(True, 1.0)]
        with pytest.raises(ModelError, match="gives DOUBLE now, and gave BOOLEAN"):
            con.sql("SELECT PREDICT(m, 100, 2)").fetchall()
        with pytest.raises(ModelError, match="gave 2 numbers a row, not 1"):
            con.sql("SELECT PREDICT(n, 100, 2)").fetchall()


def test_probabilities_of_several_outputs_are_one_array() -> None:
    rows = FRAME[["a", "b"]].to_numpy()
    model = MultiOutputClassifier(LogisticRegression()).fit(rows, LABELS)
    with tqp.connect(threads=1) as con:
        con.register("t", FRAME.assign(id=np.arange(ROWS)))
        con.register_model("m", model, method="predict_proba", backend="host").register_model("labels", model)
        found = con.sql("SELECT PREDICT(m, a, b) FROM t ORDER BY id")
        assert str(found.types[0]) == "DOUBLE[4]"
        np.testing.assert_allclose([p for (p,) in found.fetchall()], np.hstack(model.predict_proba(rows)), rtol=1e-12)
        labels = con.sql("SELECT PREDICT(labels, a, b) FROM t ORDER BY id")
        assert str(labels.types[0]) == "BOOLEAN[2]"
        np.testing.assert_array_equal([p for (p,) in labels.fetchall()], model.predict(rows))
        with pytest.raises(tqp.errors.BindError, match="gives no probabilities"):
            con.sql("SELECT PREDICT_PROBA(labels, a, b) FROM t")


def test_what_cannot_be_read_is_an_error_of_tqp() -> None:
    broken = LogisticRegression().fit(FRAME[["a", "b"]], TRUTH)
    broken.coef_ = "lost"
    with tqp.connect() as con, pytest.raises(ModelError, match="the LogisticRegression cannot be read"):
        con.register_model("m", broken)
