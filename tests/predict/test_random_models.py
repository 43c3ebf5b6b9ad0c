"""Random pipelines on random frames answer in SQL as in Python, on rows that they were not fitted on, with NULLs too."""

from __future__ import annotations

import warnings
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn import ensemble, linear_model, naive_bayes, neural_network, preprocessing, svm, tree
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, make_pipeline

import tqp
from tqp.errors import ModelError

NUMBERS, TEXTS = ("a", "b", "count", "flag"), ("color", "size")
SEEDS = 40
FEW = 20


def frame(random: Random, rows: int, *, gaps: float = 0.0, unknown: bool = False) -> pd.DataFrame:
    numpy = np.random.default_rng(random.randrange(2**32))
    colors = ["red", "green", "blue", "", "Öl", *(["new", "zzz"] if unknown else [])]
    table = pd.DataFrame({
        "a": numpy.normal(size=rows), "b": np.exp(3 * numpy.normal(size=rows)), "count": numpy.integers(-3, 9, rows).astype(float),
        "flag": numpy.integers(0, 2, rows).astype(float), "color": numpy.choice(colors, rows), "size": numpy.choice(["s", "m", "l"], rows),
    }).astype({"color": object, "size": object})  # fmt: skip
    if unknown:
        extreme = numpy.choice([1e18, -1e18, 1e-300, 0.0, -0.0], rows)
        table["b"] = np.where(numpy.random(rows) < 0.1, extreme, table["b"])
    return table.mask(numpy.random(table.shape) < gaps) if gaps else table


def numeric_step(random: Random) -> Any:
    choices = [
        "passthrough", preprocessing.StandardScaler(), preprocessing.MinMaxScaler(clip=random.random() < 0.5),
        preprocessing.MaxAbsScaler(), preprocessing.RobustScaler(), preprocessing.PowerTransformer(),
        preprocessing.QuantileTransformer(n_quantiles=20), preprocessing.KBinsDiscretizer(n_bins=4, encode=random.choice(["onehot", "ordinal"])),
        preprocessing.PolynomialFeatures(degree=2, interaction_only=random.random() < 0.5), PCA(2),
        preprocessing.FunctionTransformer(np.arctan), preprocessing.Normalizer(),
        FeatureUnion([("p", PCA(1)), ("s", preprocessing.StandardScaler())]),
    ]  # fmt: skip
    imputer = SimpleImputer(
        strategy=random.choice(["mean", "median", "most_frequent"]), add_indicator=random.random() < 0.5
    )
    chosen = random.choice(choices)
    return make_pipeline(imputer, chosen) if random.random() < 0.7 else chosen


def text_step(random: Random) -> Any:
    onehot = {"handle_unknown": random.choice(["ignore", "infrequent_if_exist"])}
    return random.choice([
        preprocessing.OneHotEncoder(**onehot), preprocessing.OneHotEncoder(**onehot, drop=random.choice(["first", "if_binary"])),
        preprocessing.OneHotEncoder(**onehot, min_frequency=random.choice([20, 0.2])), preprocessing.OneHotEncoder(**onehot, max_categories=3),
        preprocessing.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2),
        preprocessing.TargetEncoder(random_state=0), make_pipeline(SimpleImputer(strategy="most_frequent"), preprocessing.OneHotEncoder(**onehot)),
    ])  # fmt: skip


def classifier(random: Random) -> Any:
    return random.choice([
        linear_model.LogisticRegression(), linear_model.SGDClassifier(loss="modified_huber", random_state=0), svm.SVC(),
        svm.SVC(kernel="poly", degree=2), svm.LinearSVC(), naive_bayes.GaussianNB(),
        tree.DecisionTreeClassifier(max_depth=5, random_state=0), ensemble.RandomForestClassifier(8, max_depth=4, random_state=0),
        ensemble.GradientBoostingClassifier(n_estimators=8, random_state=0), ensemble.HistGradientBoostingClassifier(max_iter=8, random_state=0),
        ensemble.ExtraTreesClassifier(6, random_state=0), ensemble.AdaBoostClassifier(n_estimators=4, random_state=0),
        neural_network.MLPClassifier((5,), max_iter=30, random_state=0), ensemble.BaggingClassifier(n_estimators=3, random_state=0),
        ensemble.VotingClassifier([("l", linear_model.LogisticRegression()), ("t", tree.DecisionTreeClassifier(max_depth=3, random_state=0))], voting="soft"),
    ])  # fmt: skip


def regressor(random: Random) -> Any:
    return random.choice([
        linear_model.LinearRegression(), linear_model.Lasso(0.1), linear_model.HuberRegressor(), svm.SVR(), tree.DecisionTreeRegressor(max_depth=5, random_state=0),
        ensemble.RandomForestRegressor(8, max_depth=4, random_state=0), ensemble.HistGradientBoostingRegressor(max_iter=8, random_state=0),
        ensemble.StackingRegressor([("r", linear_model.Ridge()), ("t", tree.DecisionTreeRegressor(max_depth=3, random_state=0))], cv=2),
        neural_network.MLPRegressor((5,), max_iter=30, random_state=0), ensemble.IsolationForest(n_estimators=10, random_state=0),
    ])  # fmt: skip


def build(random: Random) -> tuple[Any, bool]:
    numbers = random.sample(NUMBERS, random.randint(1, 4))
    cut = random.randint(0, len(numbers))
    parts = [("texts", text_step(random), random.sample(TEXTS, random.randint(1, 2)))]
    parts += [
        (name, numeric_step(random), own) for name, own in (("one", numbers[:cut]), ("two", numbers[cut:])) if own
    ]
    random.shuffle(parts)
    encoder = ColumnTransformer(parts, sparse_threshold=0)
    labels = random.random() < 0.6
    scaler = [preprocessing.StandardScaler()] if random.random() < 0.5 else []
    return make_pipeline(encoder, *scaler, classifier(random) if labels else regressor(random)), labels


def fitted(random: Random) -> Any:
    """A model by chance, None where scikit-learn does not fit it."""
    model, labels = build(random)
    data = frame(random, 300)
    score = (
        data["a"] + (data["color"] == "red") * 2 + np.log(data["b"]) * 0.3 + (data["size"] == "l") * data["count"] * 0.4
    )
    target = pd.cut(score, 3, labels=["low", "mid", "top"]).astype(str) if labels else score
    try:
        return model.fit(data, target)
    except ValueError:
        return None


def answers(model: Any, rows: pd.DataFrame, proba: bool) -> list[Any]:
    """The model's own answer for each row, None where it refuses the row."""
    found: list[Any] = []
    for place in range(len(rows)):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found.append((model.predict_proba if proba else model.predict)(rows.iloc[[place]])[0])
        except ValueError:
            found.append(None)
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "seed", [*range(FEW), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(FEW, SEEDS)), 196, 228, 274]
)
def test_random_pipeline(seed: int) -> None:
    random = Random(seed)
    model = None
    while model is None:
        model = fitted(random)
    rows = pd.concat([frame(random, 40, unknown=True), frame(random, 20, gaps=0.15)], ignore_index=True)
    with tqp.connect(threads=1) as con:
        con.register("t", pa.Table.from_pandas(rows.assign(id=range(len(rows))), preserve_index=False))
        try:
            con.register_model("m", model)
        except ModelError as error:
            pytest.fail(f"{model}: {error}")
        compare(con, model, rows, "PREDICT(m, *)", False)
        if hasattr(model, "predict_proba"):
            compare(con, model, rows, "PREDICT_PROBA(m, *)", True)


def compare(con: tqp.Connection, model: Any, rows: pd.DataFrame, call: str, proba: bool) -> None:
    found = [row[0] for row in con.sql(f"SELECT {call} FROM t ORDER BY id").fetchall()]
    for place, (mine, theirs) in enumerate(zip(found, answers(model, rows, proba), strict=True)):
        where = f"row {place}: {rows.iloc[place].to_dict()}"
        missing = rows.iloc[place].isna().any()
        if theirs is None:
            # The library refuses a row for a missing value that cannot change the answer, and for a power that overflows.
            assert missing or abs(rows["b"][place]) >= 1e18, where
        elif mine is None:
            assert missing, where
        elif isinstance(theirs, str):
            assert mine == theirs, where
        else:
            np.testing.assert_allclose(mine, theirs, rtol=1e-7, atol=1e-7, err_msg=where)
