"""Queries over what models predict: tqp predicts within the query, DuckDB reads what the libraries said."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn import ensemble, linear_model, neural_network, tree
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from tests.fuzz.check import Pair
from tests.fuzz.data import RandomTable, tame_table
from tests.fuzz.queries import Queries
from tests.fuzz.report import Report, judge
from tests.limits import limit

_QUERIES = 8
_WORDS = ("red", "blue", "", "Öl")
FEATURES = ("a", "n", "w")
_KINDS = {"a": "float", "n": "int", "w": "text", "y0": "int", "y1": "text", "y2": "float"}


def predicted(seed: int) -> Report:
    """Queries of random shape over a view with three predictions: a number of a class, a text, and the value of a leaf."""
    rng = random.Random(seed)
    gaps = rng.random() < 0.3
    rows = feature_rows(rng, rng.choice((0, 1, 9, 25)), gaps)
    models = fitted_models(rng, gaps)
    answers = {f"y{place}": _answers(model, rows) for place, model in enumerate(models)}
    table = RandomTable("p", rows.append_column("k", pa.array(range(len(rows)), pa.int32())), {**_KINDS, "k": "int"})
    other = tame_table(rng, "r0")
    report = Report()
    with pytest.MonkeyPatch.context() as patch:
        limit(
            patch,
            predict_below=rng.choice((0.0, 1.0)),
            predicted_rows=rng.choice((None, 3)),
            tree_loops=rng.random() < 0.5,
        )
        pair = Pair([other], strict=False)
        pair.duckdb.register(table.name, pa.table({**_by_name(table.data), **answers}))
        for connection in pair.connections:
            connection.register("base", table.data)
            calls = []
            for place, model in enumerate(models):
                connection.register_model(f"m{place}", model)
                calls.append(f"PREDICT(m{place}, {', '.join(FEATURES)}) AS y{place}")
            connection.register(table.name, connection.sql(f"SELECT *, {', '.join(calls)} FROM base"))
        made = Queries(rng, [table, other])
        for _ in range(_QUERIES):
            judge(report, pair, made.query(), f"predicted, seed {seed}")
        pair.close()
    return report


def _by_name(table: pa.Table) -> dict[str, Any]:
    return dict(zip(table.column_names, table.columns, strict=True))


def feature_rows(rng: random.Random, rows: int, gaps: bool) -> pa.Table:
    """What models are asked about: small numbers and few words, some of them missing where models take that."""

    def drawn(values: list[Any]) -> list[Any]:
        return [None if gaps and rng.random() < 0.2 else value for value in values]

    return pa.table({
        "a": pa.array(drawn([rng.randint(-8, 16) / 4 for _ in range(rows)]), pa.float64()),
        "n": pa.array(drawn([rng.randint(-3, 6) for _ in range(rows)]), pa.int32()),
        "w": pa.array([rng.choice(_WORDS) for _ in range(rows)], pa.string()),
    })  # fmt: skip


def fitted_models(rng: random.Random, gaps: bool) -> list[Any]:
    """Fitted models of a whole number, a text and a number; where values may be missing, of a kind that takes that."""
    seen = _frame(feature_rows(rng, 60, gaps))
    score = seen["a"].fillna(0.5) * rng.choice((1, -2)) + seen["n"].fillna(1) * (seen["w"] == "red") + rng.random()
    cuts = pd.cut(score, rng.choice((2, 3)), labels=False)
    trees: list[Any] = [
        tree.DecisionTreeClassifier(max_depth=rng.randint(1, 5), random_state=0),
        ensemble.RandomForestClassifier(3, max_depth=3, random_state=0),
    ]
    others = [linear_model.LogisticRegression(), neural_network.MLPClassifier((4,), max_iter=20, random_state=0)]
    first, second = (rng.choice(trees if gaps else trees + others) for _ in range(2))
    third = tree.DecisionTreeRegressor(max_depth=rng.randint(1, 4), random_state=0)
    targets = cuts.astype(int), cuts.map({0: "low", 1: "mid", 2: "high"}), (score * 4).round() / 4
    return [_fitted(model, seen, target) for model, target in zip((first, second, third), targets, strict=True)]


def _fitted(model: Any, seen: pd.DataFrame, target: pd.Series) -> Any:
    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["w"]), remainder="passthrough"
    )
    scaled = [StandardScaler()] if isinstance(model, neural_network.MLPClassifier) else []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make_pipeline(encoder, *scaled, clone(model)).fit(seen, target)


def _answers(model: Any, rows: pa.Table) -> pa.Array:
    """What the library says of the rows."""
    frame = _frame(rows)
    if len(rows):
        found = model.predict(frame)
    else:
        found = model.predict(_frame(feature_rows(random.Random(0), 1, False)))[:0]
    kind = pa.string() if found.dtype == object or found.dtype.kind == "U" else None
    return pa.array(found.tolist() if kind else np.asarray(found), kind)


def _frame(rows: pa.Table) -> pd.DataFrame:
    """Columns of the types that pandas has without missing values: floats, and objects of text."""
    frame = rows.select(FEATURES).to_pandas()
    return frame.astype({"a": float, "n": float, "w": object})
