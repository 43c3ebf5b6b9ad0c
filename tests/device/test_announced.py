"""Models and exports wait for a device where `tqp.kernels.waits` says so, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import CategoricalNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC

import tqp
from tests.device.record import recording

ROWS = 300


@pytest.fixture(scope="module")
def con() -> Iterator[tqp.Connection]:
    rng = np.random.default_rng(3)
    table = pa.table({
        "a": rng.integers(0, 9, ROWS).astype(float), "b": rng.normal(size=ROWS), "c": rng.choice(["x", "y", "z"], ROWS),
        "d": pa.array([None if n % 7 == 0 else n for n in range(ROWS)]), "n": [f"{n % 20}" for n in range(ROWS)],
    })  # fmt: skip
    with tqp.connect(device="sim", threads=1) as connection:
        connection.register("t", table)
        yield connection


def _fitted(estimator: Any, columns: list[str], con: tqp.Connection) -> Any:
    frame = con.table("t").df()
    target = (frame["b"] > 0).to_numpy()
    values = frame[columns] if "c" in columns else frame[columns].to_numpy()
    return estimator.fit(values, target)


MODELS: dict[str, tuple[Callable[[], Any], list[str], dict[str, Any]]] = {
    "pipeline": (
        lambda: make_pipeline(
            make_column_transformer((OneHotEncoder(), ["c"]), (StandardScaler(), ["a", "b"])), LogisticRegression()
        ),
        ["a", "b", "c"],
        {},
    ),
    "ordinal": (
        lambda: make_pipeline(
            make_column_transformer((OrdinalEncoder(), ["c"]), remainder="passthrough"),
            GradientBoostingClassifier(n_estimators=5),
        ),
        ["a", "b", "c"],
        {},
    ),
    "forest": (lambda: RandomForestClassifier(5), ["a", "b"], {}),
    "neighbours": (lambda: KNeighborsClassifier(3), ["a", "b"], {}),
    "svm": (lambda: SVC(), ["a", "b"], {}),
    "bayes": (lambda: CategoricalNB(), ["a"], {}),
    "perceptron": (lambda: MLPClassifier((8,), max_iter=20), ["a", "b"], {}),
    "library": (lambda: RandomForestClassifier(5), ["a", "b"], {"backend": "host"}),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_predictions(con: tqp.Connection, name: str) -> None:
    make, columns, options = MODELS[name]
    estimator = _fitted(make(), columns, con)
    con.register_model(name, estimator, **options)
    query = f"SELECT count(*) FROM t WHERE PREDICT({name}, {', '.join(columns)})"
    frame = con.table("t").df()
    answer = estimator.predict(frame[columns] if "c" in columns else frame[columns].to_numpy())
    with recording() as record:
        assert con.sql(query).fetchall() == [(int(answer.sum()),)]
    assert record.launches and not [(event.name, event.place) for event in record.unannounced]


def test_a_model_of_text(con: tqp.Connection) -> None:
    con.register_model(
        "length", lambda texts: np.asarray([len(text) for text in texts], dtype=float), inputs={"n": str}
    )
    with recording() as record:
        assert con.sql("SELECT sum(PREDICT(length, n)) FROM t WHERE n <> '3'").fetchall() == [(435.0,)]
    assert not [(event.name, event.place) for event in record.unannounced]


@pytest.mark.parametrize("method", ["arrow", "df", "pl", "numpy", "torch", "fetchall", "fetchone", "show"])
def test_exports(con: tqp.Connection, method: str) -> None:
    relation = con.sql(
        "SELECT *, DATE '2020-01-01' + d::INT AS day, d::DECIMAL(30, 2) * 1e15::DECIMAL(20, 0) AS wide FROM t"
    )
    with recording() as record:
        getattr(relation, method)()
    assert not [(event.name, event.place) for event in record.unannounced]


def test_results_as_tensors_wait_once_for_their_masks(con: tqp.Connection) -> None:
    relation = con.sql("SELECT a + d AS x, b * d AS y, d + 1 AS z, coalesce(d, 0) AS w FROM t WHERE d > 5")
    assert len(relation) == 252
    with recording() as record:
        columns = relation.torch()
    assert len(record.waits) <= 1 and all(isinstance(column, torch.Tensor) for column in columns.values())
