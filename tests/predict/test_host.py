"""Models that run in their library: all numbers that a method gives, for a row as for many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import tqp
from tqp.errors import ModelError

ROWS = np.random.default_rng(0).normal(size=(40, 2))
PAIRS = np.stack([ROWS[:, 0], -ROWS[:, 1]], 1)
CLASSES = np.arange(40) % 3

CASES = {
    "linear": (LinearRegression().fit(ROWS, PAIRS), "predict"),
    "one column": (LinearRegression().fit(ROWS, PAIRS[:, :1]), "predict"),
    "forest": (RandomForestRegressor(3, random_state=0).fit(ROWS, PAIRS), "predict"),
    "probabilities": (LogisticRegression().fit(ROWS, CLASSES), "predict_proba"),
    "logarithms": (LogisticRegression().fit(ROWS, CLASSES), "predict_log_proba"),
    "decisions": (LogisticRegression().fit(ROWS, CLASSES), "decision_function"),
    "one decision": (LogisticRegression().fit(ROWS, CLASSES > 1), "decision_function"),
    "densities": (KernelDensity().fit(ROWS), "score_samples"),
    "mixture": (GaussianMixture(2, random_state=0).fit(ROWS), "predict_proba"),
    "scaled": (StandardScaler().fit(ROWS), "transform"),
    "sparse": (OneHotEncoder(handle_unknown="ignore").fit(np.round(ROWS)), "transform"),
}


@pytest.mark.parametrize("case", CASES)
def test_all_numbers_of_a_method_are_given(case: str) -> None:
    model, method = CASES[case]
    expected = getattr(model, method)(ROWS)
    expected = expected.toarray() if hasattr(expected, "toarray") else expected
    expected = expected.reshape(len(ROWS), -1)
    with tqp.connect(threads=1) as con:
        con.register("t", {"id": np.arange(40), "a": ROWS[:, 0], "b": ROWS[:, 1]})
        con.register_model("m", model, inputs=["a", "b"], method=method, backend="host")
        found = con.sql("SELECT PREDICT(m, a, b) AS p FROM t ORDER BY id")
        width = expected.shape[1]
        assert str(found.types[0]) == ("DOUBLE" if width == 1 else f"DOUBLE[{width}]")
        np.testing.assert_allclose(found.numpy()["p"].reshape(len(ROWS), -1), expected)
        if width > 1:
            one = con.sql("SELECT PREDICT(m, a, b)[2] AS p FROM t ORDER BY id").numpy()["p"]
            np.testing.assert_allclose(one, expected[:, 1])
            rows = con.sql("SELECT PREDICT(m, a, NULLIF(id, 1)) FROM t WHERE id < 3 ORDER BY id").fetchall()
            assert rows[1] == (None,) and len(rows[2][0]) == width


def test_an_answer_of_another_width_is_an_error() -> None:
    class Growing:
        def predict(self, rows: Any) -> Any:
            return np.ones((len(rows), 2 if len(rows) > 10 else 3))

    with tqp.connect(threads=1) as con:
        con.register_model("m", Growing(), inputs=["a"], backend="host")
        with pytest.raises(ModelError, match="gave 3 numbers a row, not 2"):
            con.sql("SELECT PREDICT(m, 1)").fetchall()


def test_an_answer_that_is_no_row_of_numbers_is_refused() -> None:
    class Cube:
        def predict(self, rows: Any) -> Any:
            return np.ones((len(rows), 2, 2))

    with tqp.connect(threads=1) as con, pytest.raises(ModelError, match=r"answers 50 rows with an array \(50, 2, 2\)"):
        con.register_model("m", Cube(), inputs=["a"], backend="host")
