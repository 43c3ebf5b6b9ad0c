"""Trees cut to what a query knows: the same answers, fewer leaves, and what must not be concluded."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler

import tqp
from tqp.ir.expr import Predict
from tqp.ir.visit import expressions, walk, walk_plan
from tqp.models.model import Model
from tqp.models.trees import predictor as tree_predictor
from tqp.models.trees.predictor import TreePredictor
from tqp.optimizer import optimize

ROWS = 3000


def frame() -> pd.DataFrame:
    random = np.random.default_rng(1)
    return pd.DataFrame({
        "age": random.integers(18, 90, ROWS),
        "pay": random.gamma(2.0, 1500.0, ROWS).round(2),
        "plan": random.choice(["free", "basic", "pro"], ROWS),
        "score": random.normal(size=ROWS),
    })  # fmt: skip


@cache
def models() -> dict[str, Any]:
    data = frame()
    target = (data["pay"] / 1000 + (data["plan"] == "pro") * 2 + data["score"] + data["age"] % 7 / 3).to_numpy()

    def encoded(texts: Any, numbers: Any = "passthrough") -> Any:
        return ColumnTransformer([("numbers", numbers, ["age", "pay", "score"]), ("texts", texts, ["plan"])])

    label = np.where(target > 4, "high", "low")
    forest = RandomForestRegressor(20, max_depth=6, random_state=0)
    boosting = HistGradientBoostingClassifier(max_iter=30, random_state=0)
    holes = data.mask(np.random.default_rng(0).random(data.shape) < 0.1)
    return {
        "forest": make_pipeline(encoded(OneHotEncoder(), StandardScaler()), forest).fit(data, target),
        "boosting": make_pipeline(encoded(OrdinalEncoder()), boosting).fit(data, label),
        "holes": make_pipeline(
            encoded(OrdinalEncoder(encoded_missing_value=-1)), HistGradientBoostingClassifier(max_iter=30, random_state=0)
        ).fit(holes, label),
        "odd": make_pipeline(
            encoded(OneHotEncoder(), FunctionTransformer(np.abs)), RandomForestRegressor(9, max_depth=6, random_state=0)
        ).fit(data, target),
    }  # fmt: skip


def connection(*without: str) -> tqp.Connection:
    made = tqp.connect(threads=1, disabled_rules=without)
    data = frame()
    made.register("people", data)
    holes = data.astype(object).mask(np.random.default_rng(2).random(data.shape) < 0.1)
    made.register("holes", holes.astype({"age": "float64", "pay": "float64", "score": "float64"}))
    for name, model in models().items():
        made.register_model(name, model)
    return made


@pytest.fixture(scope="module")
def sides() -> Iterator[tuple[tqp.Connection, tqp.Connection]]:
    with pytest.MonkeyPatch.context() as patch:
        # However few the rows, whatever can go goes.
        patch.setattr(tree_predictor, "_LEAF", -1.0)
        both = connection(), connection("prune_trees")
        yield both
        for con in both:
            con.close()


def leaves(con: tqp.Connection, sql: str) -> int:
    """Leaves of the model in a query."""
    plan = optimize(con.sql(sql).plan, disabled=con.settings.disabled_rules)
    calls = [part for node in walk_plan(plan) for expr in expressions(node) for part in walk(expr)]
    models = {id(call.model): call.model for call in calls if isinstance(call, Predict)}
    assert len(models) == 1
    (model,) = models.values()
    assert isinstance(model, Model) and isinstance(model.predictor, TreePredictor)
    return int(model.predictor.trees.leaves().sum())


CONDITIONS = (
    "age < 30", "30 > age", "pay BETWEEN 1000.5 AND 2500 AND age >= 60", "plan = 'free'", "plan IN ('pro', 'basic') AND score < 0",
    "plan = 'pro' AND age = 44", "score > 1.5", "age IN (20, 21, 90)", "CAST(age AS DOUBLE) <= 25.5",
)  # fmt: skip


@pytest.mark.parametrize("name", ["forest", "boosting", "odd"])
@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("table", ["people", "holes"])
def test_same_answers(sides: tuple[tqp.Connection, tqp.Connection], name: str, condition: str, table: str) -> None:
    sql = f"SELECT PREDICT({name}, *) AS p, age, pay, plan, score FROM {table} WHERE {condition} ORDER BY ALL"
    pruned, whole = (con.sql(sql).arrow().to_pandas() for con in sides)
    assert len(whole) > 0
    pd.testing.assert_frame_equal(pruned, whole, rtol=1e-14, atol=0)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_same_answers_with_missing_values(sides: tuple[tqp.Connection, tqp.Connection], condition: str) -> None:
    sql = f"SELECT PREDICT_PROBA(holes, *)[1] AS p, age, pay, plan, score FROM holes WHERE {condition} ORDER BY ALL"
    pruned, whole = (con.sql(sql).arrow().to_pandas() for con in sides)
    assert len(whole) > 0
    pd.testing.assert_frame_equal(pruned, whole, rtol=1e-14, atol=0)


@pytest.mark.parametrize("name", ["forest", "boosting", "holes"])
@pytest.mark.parametrize(
    "condition", ["age < 30", "plan = 'free'", "plan IN ('pro', 'free')", "score < -1", "CAST(age AS DOUBLE) <= 25.5"]
)
def test_leaves_go(sides: tuple[tqp.Connection, tqp.Connection], name: str, condition: str) -> None:
    sql = f"SELECT PREDICT({name}, *) FROM people WHERE {condition}"
    pruned, whole = (leaves(con, sql) for con in sides)
    assert pruned < whole
    assert f"pruned from {whole:,} to {pruned:,} leaves" in sides[0].sql(sql).explain()
    assert "prune_trees" in sides[0].sql(sql).explain()


@pytest.mark.parametrize(
    ("model", "table", "condition"),
    [
        # NaN is greater than 1 and goes where missing values go; so do rows where only one side of OR holds.
        ("holes", "holes", "score > 1"),
        ("holes", "holes", "age < 30 OR plan = 'free'"),
        # |x| does not rise with x.
        ("odd", "holes", "score < -1"),
        ("forest", "holes", "NOT age IS NULL"),
    ],
)
def test_leaves_stay(sides: tuple[tqp.Connection, tqp.Connection], model: str, table: str, condition: str) -> None:
    sql = f"SELECT PREDICT({model}, *) FROM {table} WHERE {condition}"
    assert leaves(sides[0], sql) == leaves(sides[1], sql)


def test_expressions_projections_and_joins_are_followed(sides: tuple[tqp.Connection, tqp.Connection]) -> None:
    inner = "SELECT age + 1 AS older, pay, plan, score FROM people WHERE age + 1 < 30"
    sql = f"SELECT PREDICT(boosting, older, pay, plan, score) FROM ({inner}) s"
    assert leaves(sides[0], sql) < leaves(sides[1], sql)
    joined = (
        "FROM (SELECT * FROM people WHERE age < 30) a LEFT JOIN (SELECT * FROM people WHERE pay < 9) b ON a.age = b.age"
    )
    left, padded = (f"SELECT PREDICT(boosting, {side}.age, {side}.pay, {side}.plan, {side}.score), a.pay + b.pay {joined}"
                    for side in "ab")  # fmt: skip
    assert leaves(sides[0], left) < leaves(sides[1], left)
    assert leaves(sides[0], padded) == leaves(sides[1], padded)


def test_a_text_that_is_not_read_may_be_anything(sides: tuple[tqp.Connection, tqp.Connection]) -> None:
    # The encoder refuses unknown categories; cut to one plan, the trees ask for none.
    sql = "SELECT count(PREDICT(forest, age, pay, 'free' || substr(plan, 9), score)) FROM people WHERE plan = 'free'"
    assert all(con.sql(sql).fetchall()[0][0] > 0 for con in sides)


def test_few_rows_are_not_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_predictor, "_LEAF", 8000.0)
    with connection() as con:
        assert "pruned" not in con.sql("SELECT PREDICT(forest, *) FROM people WHERE age < 30").explain()
