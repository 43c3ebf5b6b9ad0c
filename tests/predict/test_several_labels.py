"""Classifiers of several outputs: the labels of each, texts as well as numbers, on the host as in a tensor program."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import tqp
from tqp.errors import BindError, ModelError

pytestmark = pytest.mark.filterwarnings("ignore")

RANDOM = np.random.default_rng(0)
ROWS = RANDOM.normal(size=(60, 2))
THREE = RANDOM.integers(0, 3, 60)
TEXTS = np.column_stack([np.where(ROWS[:, 0] > 0, "hot", "cold"), np.asarray(["a", "b", "ccc"])[THREE]])
TARGETS = {
    "texts": (TEXTS, "VARCHAR[2]"),
    "objects": (TEXTS.astype(object), "VARCHAR[2]"),
    "integers": (np.column_stack([THREE, 2**60 + THREE]), "BIGINT[2]"),
    "truths": (np.column_stack([THREE > 1, ROWS[:, 0] > 0]), "BOOLEAN[2]"),
    "numbers": (np.column_stack([THREE * 2.0, THREE - 1.0]), "DOUBLE[2]"),
}
MODELS = {
    "one model an output": MultiOutputClassifier(LogisticRegression()),
    "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
    "forest": RandomForestClassifier(5, random_state=0),
    "extra trees": ExtraTreesClassifier(5, random_state=0),
    "neighbours": KNeighborsClassifier(3),
    "weighted neighbours": KNeighborsClassifier(weights="distance"),
    "pipeline": make_pipeline(StandardScaler(), RandomForestClassifier(2, random_state=0)),
    "search": GridSearchCV(make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0)), {}, cv=2),
}


def connected(model: Any, **options: Any) -> tqp.Connection:
    con = tqp.connect(threads=1)
    con.register("t", {"id": np.arange(60), "a": ROWS[:, 0], "b": ROWS[:, 1]})
    return con.register_model("m", model, inputs=["a", "b"], **options)


@pytest.mark.parametrize("backend", ["tensor", "host"])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", MODELS)
def test_labels_of_several_outputs(name: str, target: str, backend: str) -> None:
    wanted, kind = TARGETS[target]
    model = pickle.loads(pickle.dumps(MODELS[name])).fit(ROWS, wanted)
    expected = model.predict(ROWS).tolist()
    with connected(model, backend=backend) as con:
        found = con.sql("SELECT PREDICT(m, a, b), PREDICT(m, a, b)[2], PREDICT(m, a, b)[1 + id % 2] FROM t ORDER BY id")
        assert str(found.types[0]) == kind
        assert found.fetchall() == [(tuple(both), both[1], both[place % 2]) for place, both in enumerate(expected)]
        table = con.sql("SELECT predicted_1, predicted_2 FROM ML.PREDICT(MODEL m, TABLE t) ORDER BY id").fetchall()
        assert table == list(map(tuple, expected))


def test_where_texts_of_several_outputs_stand() -> None:
    model = MultiOutputClassifier(LogisticRegression()).fit(ROWS, TEXTS)
    first, second = model.predict(ROWS).T
    for backend in ("tensor", "host"):
        with connected(model, backend=backend) as con:
            groups = con.sql("SELECT PREDICT(m, a, b)[1] AS k, count(*) FROM t GROUP BY k ORDER BY k").fetchall()
            assert groups == [(str(label), int((first == label).sum())) for label in sorted(set(first))]
            kept = con.sql("SELECT id FROM t WHERE PREDICT(m, a, b)[2] = 'b' ORDER BY id").fetchall()
            assert kept == [(place,) for place in np.flatnonzero(second == "b").tolist()]
            assert con.sql("SELECT PREDICT(m, a, b) FROM t WHERE id < 0").fetchall() == []
            known = tuple(model.predict([[1.0, 2.0]])[0].tolist())
            assert con.sql("SELECT PREDICT(m, 1, 2), PREDICT(m, 1, 2)[2]").fetchall() == [(known, known[1])]
            with pytest.raises(BindError, match="gives no probabilities"):
                con.sql("SELECT PREDICT_PROBA(m, a, b) FROM t")
            with pytest.raises(BindError, match="places of m's values are 1 to 2"):
                con.sql("SELECT PREDICT(m, a, b)[3] FROM t")
            shown = con.sql("SELECT PREDICT(m, a, b) FROM t").explain()
            assert "PREDICT(m, a, b)[2]" in shown and "PROBA" not in shown


def test_a_row_without_arguments_has_no_labels() -> None:
    with connected(MultiOutputClassifier(LogisticRegression()).fit(ROWS, TEXTS)) as con:
        rows = con.sql(
            "SELECT PREDICT(m, nullif(id, 1), b), PREDICT(m, nullif(id, 1), b)[1] FROM t ORDER BY id"
        ).fetchall()
        assert rows[1] == (None, None)
        assert all(both is not None and both[0] == one for both, one in rows[:1] + rows[2:])
        assert con.sql("SELECT PREDICT(m, NULL, 1), PREDICT(m, NULL, 1)[2]").fetchall() == [(None, None)]


def test_texts_make_texts_of_numbers_beside_them() -> None:
    # As in the array of texts that the library makes of both.
    mixed = np.empty((60, 2), dtype=object)
    mixed[:, 0], mixed[:, 1] = TEXTS[:, 0], THREE
    with connected(DummyClassifier().fit(ROWS, mixed), backend="host") as con:
        found = con.sql("SELECT DISTINCT PREDICT(m, a, b) FROM t")
        assert str(found.types[0]) == "VARCHAR[2]"
        assert found.fetchall() == [tuple([tuple(DummyClassifier().fit(ROWS, mixed).predict(ROWS)[0].tolist())])]


def test_one_output_in_a_list_of_outputs_is_a_label() -> None:
    model = MultiOutputClassifier(LogisticRegression()).fit(ROWS, TEXTS[:, :1])
    for backend in ("tensor", "host"):
        with connected(model, backend=backend) as con:
            found = con.sql("SELECT PREDICT(m, a, b) FROM t ORDER BY id")
            assert str(found.types[0]) == "VARCHAR"
            assert found.fetchall() == [tuple(row) for row in model.predict(ROWS).tolist()]


class _Others:
    """Answers another label for large rows, and says which labels it gives to all."""

    n_features_in_ = 2
    classes_ = [np.asarray(["p", "q"]), np.asarray(["p", "q"])]  # noqa: RUF012

    def predict(self, rows: Any) -> Any:
        rows = np.asarray(rows, dtype=float)
        return np.where(rows > 1e6, "r", np.where(rows > 0, "p", "q"))


def test_a_label_that_nobody_named_is_an_error() -> None:
    with connected(_Others(), backend="host", check={"a": [1.0, -1.0], "b": [2.0, 1.0]}) as con:
        assert con.sql("SELECT PREDICT(m, 1, -1)").fetchall() == [(("p", "q"),)]
        with pytest.raises(ModelError, match="gives the label 'r', which classes_ does not have"):
            con.sql("SELECT PREDICT(m, 1, 10000000)").fetchall()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", MODELS)
def test_probabilities_of_several_outputs_are_side_by_side(name: str, target: str) -> None:
    model = pickle.loads(pickle.dumps(MODELS[name])).fit(ROWS, TARGETS[target][0])
    wanted = np.hstack(model.predict_proba(ROWS))
    for backend in ("tensor", "host"):
        with connected(model, backend=backend, method="predict_proba") as con:
            found = con.sql("SELECT PREDICT(m, a, b), PREDICT(m, a, b)[2] FROM t ORDER BY id")
            assert [str(dtype) for dtype in found.types] == [f"DOUBLE[{wanted.shape[1]}]", "DOUBLE"]
            whole, second = zip(*found.fetchall(), strict=True)
            np.testing.assert_allclose(whole, wanted, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(second, wanted[:, 1], rtol=1e-9, atol=1e-12)


def test_one_output_in_a_list_of_outputs_has_its_probabilities() -> None:
    model = MultiOutputClassifier(LogisticRegression()).fit(ROWS, TEXTS[:, :1])
    for backend in ("tensor", "host"):
        with connected(model, backend=backend, method="predict_proba") as con:
            found = [both for (both,) in con.sql("SELECT PREDICT(m, a, b) FROM t ORDER BY id").fetchall()]
            np.testing.assert_allclose(found, model.predict_proba(ROWS)[0], rtol=1e-9)


def test_outputs_without_probabilities_give_none() -> None:
    model = MultiOutputClassifier(LinearSVC()).fit(ROWS, TEXTS)
    for backend in ("tensor", "host"):
        with pytest.raises(ModelError, match="predict_proba"):
            connected(model, backend=backend, method="predict_proba")
