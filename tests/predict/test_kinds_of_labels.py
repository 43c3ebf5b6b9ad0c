"""Labels of all kinds that classifiers take: their type in SQL, the order of their probabilities, and those that are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from catboost import CatBoostClassifier
from lightgbm import LGBMClassifier
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import AdaBoostClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import tqp
from tqp.errors import BindError, ModelError

pytestmark = pytest.mark.filterwarnings("ignore")

RANDOM = np.random.default_rng(0)
ROWS = RANDOM.normal(size=(60, 2))
TWO, THREE = (ROWS[:, 0] > 0).astype(int), np.digitize(ROWS[:, 0], [-0.5, 0.5])
LARGE = 2**60
LABELS: dict[str, tuple[Any, str]] = {
    "whole numbers beyond 2^53": (np.asarray([LARGE + 1, LARGE, -LARGE - 1])[THREE], "BIGINT"),
    "small ones": (np.asarray([1, -1], dtype=np.int8)[TWO], "BIGINT"), "objects of them": (np.asarray([LARGE, LARGE + 1], dtype=object)[TWO], "BIGINT"),
    "truths": (TWO > 0, "BOOLEAN"), "objects of truths": ((TWO > 0).astype(object), "BOOLEAN"),
    "texts in no order": (np.asarray(["z", "b", "a"])[THREE], "VARCHAR"), "odd texts": (np.asarray(["", "ß", "日"])[THREE], "VARCHAR"),
    "texts of numbers": (np.asarray(["10", "9"])[TWO], "VARCHAR"), "categories": (pd.Categorical(np.asarray(["low", "high"])[TWO]), "VARCHAR"),
    "fractions": (np.asarray([0.0, 1.0])[TWO], "DOUBLE"), "one text": (np.full(60, "only"), "VARCHAR"), "one number": (np.full(60, 7), "BIGINT"),
}  # fmt: skip
MODELS: dict[str, Callable[[], Any]] = {
    "linear": LogisticRegression, "ridge": RidgeClassifier, "tree": lambda: DecisionTreeClassifier(max_depth=2),
    "histograms": lambda: HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=2), "neighbours": lambda: KNeighborsClassifier(3),
    "bayes": GaussianNB, "boosted": lambda: AdaBoostClassifier(n_estimators=2), "dummy": DummyClassifier,
    "lightgbm": lambda: LGBMClassifier(n_estimators=3, verbose=-1, min_child_samples=3),
    "catboost": lambda: CatBoostClassifier(iterations=3, verbose=0, allow_writing_files=False),
}  # fmt: skip


def connected(model: Any, backend: str) -> tqp.Connection:
    con = tqp.connect(threads=1)
    con.register("t", {"id": np.arange(60), "a": ROWS[:, 0], "b": ROWS[:, 1]})
    return con.register_model("m", model, inputs=["a", "b"], backend=backend)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", LABELS)
def test_labels_are_those_of_the_model(kind: str, name: str) -> None:
    labels, dtype = LABELS[kind]
    model = MODELS[name]()
    try:
        wanted = np.asarray(model.fit(ROWS, labels).predict(ROWS)).reshape(-1).tolist()
    except Exception:
        pytest.skip("the library does not fit it")
    chances = model.predict_proba(ROWS) if hasattr(model, "predict_proba") else None
    for backend in ("auto", "host"):
        with connected(model, backend) as con:
            found = con.sql("SELECT PREDICT(m, a, b) FROM t ORDER BY id")
            rows = [label for (label,) in found.fetchall()]
            assert rows == wanted and type(rows[0]) is type(wanted[0])
            assert str(found.types[0]) == {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE"}.get(
                type(wanted[0]), "VARCHAR"
            )
            assert str(found.types[0]) == dtype or name == "catboost"
            if chances is None or chances.shape[1] != len(model.classes_):
                # Fitted on one class, some give the probabilities of two.
                with pytest.raises(BindError, match="gives no probabilities"):
                    con.sql("SELECT PREDICT_PROBA(m, a, b) FROM t")
                continue
            last = len(model.classes_)
            asked = con.sql(
                f"SELECT PREDICT_PROBA(m, a, b), PREDICT_PROBA(m, a, b)[{last}] FROM t ORDER BY id"
            ).fetchall()
            np.testing.assert_allclose([every for every, _ in asked], chances, atol=1e-6)
            np.testing.assert_allclose([one for _, one in asked], chances[:, -1], atol=1e-6)
            table = con.sql("SELECT * FROM ML.PREDICT(MODEL m, TABLE t) ORDER BY id")
            assert table.columns[3:] == [
                "predicted_label",
                *(f"prob_{label}" for label in np.asarray(model.classes_).tolist()),
            ]


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        (np.asarray(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"), "2020-01-01 of model 'm' is a date"),
        (np.asarray([1, 2], dtype="timedelta64[D]"), "is a timedelta"), (np.asarray([b"n", b"y"]), "b'n' of model 'm' is a bytes"),
        (np.asarray([2**63, 2**63 + 2**12], dtype=np.uint64), "9223372036854775808 of model 'm' is no BIGINT"),
    ],
)  # fmt: skip
def test_other_labels_are_refused_when_they_are_registered(labels: Any, why: str) -> None:
    for model in (DecisionTreeClassifier(max_depth=2), KNeighborsClassifier(3)):
        model.fit(ROWS, labels[TWO])
        for backend in ("auto", "host"):
            with pytest.raises(ModelError, match=why):
                connected(model, backend)
