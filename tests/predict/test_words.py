"""Vectorizers of words beside other columns: a number for each string and sum of a linear model, the library itself for others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, OneHotEncoder, PolynomialFeatures
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import tqp
from tqp.errors import ModelError

pytestmark = pytest.mark.filterwarnings("ignore")

RANDOM = np.random.default_rng(0)
ROWS = 90


def _texts(most: int) -> list[str]:
    return [" ".join(RANDOM.choice(["old", "new", "big", "cat"], RANDOM.integers(1, most))) for _ in range(ROWS)]


FRAME = pd.DataFrame({
    "a": RANDOM.normal(size=ROWS), "title": _texts(3), "kind": RANDOM.choice(["red", "blue"], ROWS),
    "words": _texts(6), "b": RANDOM.normal(size=ROWS),
})  # fmt: skip
TWO = np.where(FRAME["a"] > 0, "yes", "no")
THREE = RANDOM.integers(0, 3, ROWS)
NUMBER = np.exp(FRAME["a"].to_numpy() / 3)

COLUMNS = ColumnTransformer(
    [
        ("words", TfidfVectorizer(), "words"), ("numbers", MinMaxScaler(), ["a"]),
        ("titles", CountVectorizer(ngram_range=(1, 2)), "title"), ("kinds", OneHotEncoder(), ["kind"]), ("none", "drop", ["b"]),
    ],
)  # fmt: skip
WEIGHTED = ColumnTransformer(
    [("numbers", MinMaxScaler(), ["a"]), ("hashed", make_pipeline(HashingVectorizer(n_features=32), MaxAbsScaler()), "words")],
    transformer_weights={"hashed": 0.5, "numbers": 2}, remainder="drop",
)  # fmt: skip
REDUCED = ColumnTransformer(
    [("reduced", make_pipeline(TfidfVectorizer(), TruncatedSVD(2, random_state=0)), "words")], remainder="passthrough"
)
MODELS = {
    "two classes": (LogisticRegression(), TWO),
    "three classes": (LogisticRegression(), THREE),
    "labels alone": (RidgeClassifier(), TWO),
    "linear machine": (LinearSVC(), THREE),
    "descent": (SGDClassifier(loss="modified_huber", random_state=0), TWO),
    "number": (LinearRegression(), NUMBER),
    "numbers": (Ridge(), np.column_stack([NUMBER, -NUMBER])),
    "generalized": (PoissonRegressor(), NUMBER),
    "network": (MLPClassifier((5, 3), max_iter=20, random_state=0), THREE),
    "network of a number": (MLPRegressor(hidden_layer_sizes=(5,), max_iter=20, random_state=0), NUMBER),
    "counts": (MultinomialNB(), THREE),
}


def agree(model: Any, frame: pd.DataFrame) -> tqp.Relation:
    """PREDICT and PREDICT_PROBA give what the model's own methods give."""
    con = tqp.connect(threads=1)
    con.register("t", frame.assign(id=np.arange(len(frame)))).register_model("m", model)
    found = con.sql("SELECT PREDICT(m, *) FROM t ORDER BY id")
    wanted = model.predict(frame)
    answers = np.asarray([answer for (answer,) in found.fetchall()])
    if wanted.dtype.kind == "f":
        np.testing.assert_allclose(answers, wanted, rtol=1e-9)
    else:
        np.testing.assert_array_equal(answers, wanted)
    if hasattr(model, "predict_proba"):
        rows = con.sql("SELECT PREDICT_PROBA(m, *) FROM t ORDER BY id").fetchall()
        np.testing.assert_allclose([row for (row,) in rows], model.predict_proba(frame), rtol=1e-9, atol=1e-12)
    return found


@pytest.mark.parametrize("columns", [COLUMNS, WEIGHTED, REDUCED], ids=["columns", "weighted", "reduced"])
@pytest.mark.parametrize("name", MODELS)
def test_words_before_weighted_sums(name: str, columns: Any) -> None:
    estimator, target = MODELS[name]
    frame = FRAME[["a", "words", "b"]] if columns is REDUCED else FRAME
    if name == "counts" and columns is not COLUMNS:
        pytest.skip("counts are not negative")
    model = make_pipeline(clone(columns), clone(estimator)).fit(frame, target)
    if name == "two classes":
        model[-1].sparsify()
    shown = agree(model, frame).explain()
    assert "words on the host, once per distinct value" in shown and "predict on the host" not in shown


def test_words_within_models_of_models() -> None:
    model = make_pipeline(COLUMNS, LogisticRegression())
    for whole in (GridSearchCV(model, {}, cv=2), CalibratedClassifierCV(model, cv=2)):
        assert "predict on the host" not in agree(whole.fit(FRAME, TWO), FRAME).explain()


OTHERS = {
    "forest": RandomForestClassifier(3, random_state=0), "kernel": SVC(), "presence": BernoulliNB(), "scaled": make_pipeline(MaxAbsScaler(), Ridge()),
    "chosen": make_pipeline(SelectKBest(k=5), DecisionTreeClassifier(max_depth=4, random_state=0)), "neighbours": KNeighborsClassifier(3),
    "reduced": make_pipeline(TruncatedSVD(3, random_state=0), GaussianNB()), "squared": make_pipeline(PolynomialFeatures(2), LogisticRegression()),
    "votes": VotingClassifier([("a", DecisionTreeClassifier(max_depth=2, random_state=0)), ("b", LogisticRegression())], voting="soft"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_few_words_are_features_of_other_models(name: str) -> None:
    fitted = make_pipeline(clone(COLUMNS), clone(OTHERS[name])).fit(FRAME, THREE)
    shown = agree(fitted, FRAME).explain()
    assert "words on the host, once per distinct value" in shown and "predict on the host" not in shown


@pytest.mark.parametrize("name", OTHERS)
def test_many_words_before_other_models_are_the_librarys(name: str) -> None:
    many = ColumnTransformer(
        [("words", HashingVectorizer(n_features=200), "words"), ("numbers", MinMaxScaler(), ["a"])]
    )
    fitted = make_pipeline(many, clone(OTHERS[name])).fit(FRAME, THREE)
    shown = agree(fitted, FRAME).explain()
    assert "predict on the host, because HashingVectorizer makes 200 numbers of a text, more than 128" in shown
    with tqp.connect() as con, pytest.raises(ModelError, match="makes 200 numbers of a text"):
        con.register_model("m", fitted, backend="tensor")


def test_words_that_are_reduced_in_their_column() -> None:
    words = make_pipeline(HashingVectorizer(n_features=200), TruncatedSVD(3, random_state=0))
    columns = ColumnTransformer(
        [("words", words, "words"), ("kinds", OneHotEncoder(), ["kind"]), ("numbers", "passthrough", ["a"])]
    )
    fitted = make_pipeline(columns, RandomForestClassifier(5, random_state=0)).fit(FRAME, TWO)
    assert (
        "3 numbers of HashingVectorizer's words on the host, once per distinct value" in agree(fitted, FRAME).explain()
    )


def test_the_library_is_asked_where_the_program_differs() -> None:
    # All rows have neighbours at the same distance, of which the library takes any.
    columns = ColumnTransformer(
        [("words", CountVectorizer(binary=True), "title"), ("kinds", OneHotEncoder(), ["kind"])]
    )
    fitted = make_pipeline(columns, KNeighborsClassifier(2, algorithm="kd_tree")).fit(FRAME, THREE)
    assert (
        "on the host, because the tensor program of model m differs from the model on" in agree(fitted, FRAME).explain()
    )


def test_what_is_missing_and_what_is_new() -> None:
    model = make_pipeline(COLUMNS, LogisticRegression()).fit(FRAME, TWO)
    before = model[-1].coef_.copy()
    with tqp.connect(threads=1) as con:
        con.register("t", FRAME).register_model("m", model)
        rows = con.sql(
            "SELECT PREDICT(m, a, title, kind, nullif(words, words), b), PREDICT(m, NULL, title, kind, words, b) FROM t"
        )
        assert set(rows.fetchall()) == {(None, None)}
        assert con.sql("SELECT PREDICT(m, a, title, kind, words, b) FROM t WHERE a > 99").fetchall() == []
        strange = FRAME.head(1).assign(words="nobody knows", title="")
        asked = "SELECT PREDICT_PROBA(m, a, '', kind, 'nobody knows', b) FROM t LIMIT 1"
        np.testing.assert_allclose(con.sql(asked).fetchone()[0], model.predict_proba(strange)[0], rtol=1e-12)
    np.testing.assert_array_equal(model[-1].coef_, before)
