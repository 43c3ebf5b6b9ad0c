"""PREDICT in queries, compared with the same query on DuckDB over columns that hold what the model itself answered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import tqp
from tests.predict.handmade import Shift, handmade
from tqp.errors import BindError, ModelError, TqpError
from tqp.models import estimators
from tqp.models.model import Model

ROWS = 3000
REGIONS = np.array(["north", "south", "east", "west", "far east"])


def customers() -> pd.DataFrame:
    random = np.random.default_rng(7)
    return pd.DataFrame({
        "id": np.arange(ROWS),
        "age": random.integers(18, 90, ROWS),
        "income": random.normal(50_000, 20_000, ROWS).round(2),
        "region": REGIONS[random.integers(0, 5, ROWS)],
        "visits": random.integers(0, 6, ROWS),
    })  # fmt: skip


def trained() -> dict[str, Any]:
    frame = customers()
    random = np.random.default_rng(8)
    score = (frame.age - 50) / 20 + (frame.income - 50_000) / 30_000 + (frame.region == "east") * 1.5
    churned = score + random.normal(0, 0.5, ROWS) > 0.4
    mixed = ColumnTransformer([
        ("numbers", StandardScaler(), ["age", "income"]),
        ("text", OneHotEncoder(handle_unknown="ignore"), ["region"]),
    ])  # fmt: skip
    labels = np.where(churned, "yes", "no")
    return {
        "churn": Pipeline([("prepare", mixed), ("model", LogisticRegression())]).fit(
            frame[["age", "income", "region"]], labels
        ),
        "tier": DecisionTreeClassifier(max_depth=4, random_state=0).fit(
            frame[["age", "visits"]], np.clip(frame.age // 25 + (frame.visits > 2), 0, 3)
        ),
        "spend": LinearRegression().fit(frame[["age", "income"]], frame.income * 0.1 + frame.age),
    }


MODELS = trained()
FEATURES = {name: list(model.feature_names_in_) for name, model in MODELS.items()}


class Both:
    """A query on tqp with PREDICT and on DuckDB with the column that holds the model's own answers."""

    def __init__(self, backend: str) -> None:
        self.tqp = tqp.connect(threads=1)
        self.duckdb = duckdb.connect(config={"threads": 1})
        # The encoder of regions says what a missing one is; the library as a whole is not asked.
        self.may_miss = {"region"} if backend == "tensor" else set()
        for name, model in MODELS.items():
            self.tqp.register_model(name, model, backend=backend)

    def table(self, name: str, frame: pd.DataFrame) -> None:
        self.tqp.register(name, pa.Table.from_pandas(frame, preserve_index=False))
        answers = frame.copy()
        for model, estimator in MODELS.items():
            if not set(FEATURES[model]) <= set(frame.columns):
                continue
            inputs = frame[FEATURES[model]]
            known = inputs.drop(columns=self.may_miss & set(inputs)).notna().all(axis=1)
            if known.any():
                answers.loc[known, f"p_{model}"] = estimator.predict(inputs[known])
            else:
                answers[f"p_{model}"] = None
            if model == "churn" and known.any():
                answers.loc[known, "proba"] = estimator.predict_proba(inputs[known])[:, 1]
        self.duckdb.register(name, pa.Table.from_pandas(answers, preserve_index=False))

    def __call__(self, sql: str) -> list[tuple[Any, ...]]:
        calls = {f"p_{name}": f"PREDICT({name}, {', '.join(inputs)})" for name, inputs in FEATURES.items()}
        calls["proba"] = "PREDICT_PROBA(churn, age, income, region)['yes']"
        wanted = self.duckdb.sql(sql.format(**{name: name for name in calls})).fetchall()
        got = self.tqp.sql(sql.format(**calls)).fetchall()
        ordered = "ORDER BY" in sql
        rows = (got, wanted) if ordered else (sorted(got, key=repr), sorted(wanted, key=repr))
        assert len(got) == len(wanted)
        for mine, theirs in zip(*rows, strict=True):
            assert list(mine) == [pytest.approx(x, rel=1e-9) if isinstance(x, float) else x for x in theirs]
        return got


@pytest.fixture(scope="module", params=["tensor", "host"])
def both(request: pytest.FixtureRequest) -> Iterator[Both]:
    made = Both(request.param)
    made.table("customers", customers())
    orders = pd.DataFrame({"order_id": np.arange(9000), "customer": np.arange(9000) * 7 % ROWS, "price": 3.5})
    made.table("orders", orders)
    holes = customers().head(200)
    holes["age"] = holes["age"].astype("Int64").mask(holes["age"] % 7 == 0)
    holes["region"] = holes["region"].mask(holes["id"] % 11 == 0)
    made.table("holes", holes)
    made.table("empty", customers().head(0).astype({"region": "object"}))
    yield made
    made.tqp.close()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id, {p_churn}, {p_tier} FROM customers",
        "SELECT id, {proba}, {p_spend} FROM customers WHERE id < 100",
        "SELECT count(*) FROM customers WHERE {p_churn} = 'yes' AND age > 40",
        "SELECT {p_churn} AS p, count(*), avg(income), max({p_spend}) FROM customers GROUP BY p ORDER BY p",
        "SELECT {p_tier} AS p, sum(visits) FROM customers GROUP BY {p_tier} HAVING {p_tier} > 0 ORDER BY p DESC",
        "SELECT region, count(*) FILTER (WHERE {p_churn} = 'yes') FROM customers GROUP BY region ORDER BY 1",
        "SELECT id FROM customers WHERE visits = 3 ORDER BY {p_spend} DESC, id LIMIT 10",
        "SELECT id, CASE WHEN {p_churn} = 'yes' THEN {p_spend} ELSE -1 END AS v FROM customers",
        "SELECT p, count(*) FROM (SELECT {p_churn} AS p, age FROM customers) AS s WHERE age < 60 AND p = 'no' GROUP BY p",
        "SELECT max(price) FROM orders WHERE customer IN (SELECT id FROM customers WHERE {p_churn} = 'yes')",
        "SELECT {p_churn} AS p, count(*), sum(price) FROM orders JOIN customers ON customer = id GROUP BY p ORDER BY p",
        "SELECT o.order_id FROM orders o LEFT JOIN customers c ON customer = id AND {p_tier} = 2 WHERE c.id IS NULL",
        "SELECT id FROM customers WHERE {p_spend} > (SELECT avg({p_spend}) FROM customers)",
        "WITH s AS (SELECT id, {p_tier} AS tier FROM customers) SELECT a.tier, count(*) FROM s a JOIN s b USING (tier) "
        "WHERE a.id < 20 GROUP BY a.tier",
        "SELECT DISTINCT {p_churn}, {p_tier} FROM customers",
        "SELECT id, {p_churn}, {proba} FROM holes",
        "SELECT {p_churn} AS p, count(*) FROM holes GROUP BY p",
        "SELECT id, {p_churn}, {p_tier} FROM empty",
        "SELECT count(*), max({p_spend}) FROM empty WHERE {p_tier} = 1",
        "SELECT id, {p_churn} FROM customers WHERE id < 5 UNION ALL SELECT id, {p_churn} FROM customers WHERE age = 20",
    ],
)  # fmt: skip
def test_as_duckdb_over_the_models_own_answers(both: Both, sql: str) -> None:
    both(sql)


def test_columns_are_found_by_name(both: Both) -> None:
    expected = both.tqp.sql("SELECT PREDICT(churn, age, income, region) FROM customers").fetchall()
    for form in (
        "PREDICT(churn)", "PREDICT(churn, *)", "PREDICT(churn, customers.*)", "predict('churn', *)",
        "PREDICT(churn, region := region, income := income, age := age)",
    ):  # fmt: skip
        assert both.tqp.sql(f"SELECT {form} FROM customers").fetchall() == expected


def test_probabilities_by_place_and_label(both: Both) -> None:
    sql = "SELECT PREDICT_PROBA(churn, *)[1] + PREDICT_PROBA(churn, *)['yes'] AS one FROM customers"
    assert {round(value, 12) for (value,) in both.tqp.sql(sql).fetchall()} == {1.0}


@pytest.mark.parametrize(
    ("sql", "read"),
    [("SELECT * FROM ML.PREDICT(MODEL churn, TABLE customers)", "duckdb"),
     ("SELECT * FROM ML.PREDICT(MODEL churn, (SELECT * FROM customers)) AS p", "duckdb"),
     ("SELECT * FROM ML.PREDICT(MODEL churn, TABLE customers)", "bigquery"),
     ("SELECT d.*, p.* FROM PREDICT(MODEL = churn, DATA = customers AS d) WITH (label text) AS p", "tsql")],
)  # fmt: skip
def test_table_form(both: Both, sql: str, read: str) -> None:
    table = both.tqp.sql(sql, read=read)
    assert table.columns == ["id", "age", "income", "region", "visits", "predicted_label", "prob_no", "prob_yes"]
    frame = customers()
    got = table.df()
    assert got.predicted_label.tolist() == MODELS["churn"].predict(frame[FEATURES["churn"]]).tolist()
    assert np.allclose(got.prob_yes, MODELS["churn"].predict_proba(frame[FEATURES["churn"]])[:, 1])


def test_types_of_predictions(both: Both) -> None:
    table = both.tqp.sql("SELECT PREDICT(churn, *), PREDICT(tier, *), PREDICT(spend, *) FROM customers")
    assert [str(dtype) for dtype in table.types] == ["VARCHAR", "BIGINT", "DOUBLE"]


def test_a_variable_is_a_model() -> None:
    people = pa.table({"age": [20, 80], "income": [1.0, 2.0]})
    regression = MODELS["spend"]
    assert people.num_rows == 2
    (first,), _ = tqp.connect().sql("SELECT PREDICT(regression, age, income) FROM people").fetchall()
    assert first == pytest.approx(regression.predict(pd.DataFrame({"age": [20], "income": [1.0]}))[0])


@pytest.mark.parametrize(
    ("sql", "error", "text"),
    [
        ("SELECT PREDICT(chrun, *) FROM customers", BindError, r"no model chrun \(line 1, column 16\)"),
        ("SELECT PREDICT(chrun, *) FROM customers", BindError, "did you mean churn"),
        ("SELECT PREDICT(churn, age) FROM customers", BindError, "takes 3 arguments, not 1"),
        ("SELECT PREDICT(churn) FROM orders", BindError, "reads age, income, region"),
        ("SELECT PREDICT(churn, age, region, income) FROM customers", BindError, "income of churn is a number, not VARCHAR"),
        ("SELECT PREDICT(churn, age, income, id) FROM customers", BindError, "region of churn is text, not BIGINT"),
        ("SELECT PREDICT(tier, DATE '2020-01-01', visits) FROM customers", BindError, "is a number, not DATE"),
        ("SELECT PREDICT(churn, age := 1, wage := 2) FROM customers", BindError, "has no input wage"),
        ("SELECT PREDICT(churn, age := 1) FROM customers", BindError, "needs income, region too"),
        ("SELECT PREDICT(churn, age := 1, income) FROM customers", BindError, "cannot be mixed"),
        ("SELECT PREDICT(churn, *, age) FROM customers", BindError, "nothing may stand beside it"),
        ("SELECT PREDICT_PROBA(churn, *)[3] FROM customers", BindError, "1 to 2"),
        ("SELECT PREDICT_PROBA(churn, *)['maybe'] FROM customers", BindError, "no class 'maybe'"),
        ("SELECT PREDICT_PROBA(spend, *)[1] FROM customers", BindError, "gives no probabilities"),
        ("SELECT PREDICT(churn, *)[1] FROM customers", BindError, "which has no subscript"),
        ("SELECT PREDICT() FROM customers", BindError, "needs a model"),
        ("SELECT PREDICT(1, age) FROM customers", BindError, "not the name of a model"),
        ("SELECT * FROM ML.PREDICT(MODEL churn, TABLE nobody)", BindError, "no table nobody"),
        ("SELECT * FROM ML.PREDICT(MODEL churn)", BindError, "takes a model and a table"),
        ("SELECT PREDICT(churn, *), age FROM customers GROUP BY 1", BindError, "neither grouped"),
    ],
)  # fmt: skip
def test_errors_say_where_and_leave_the_connection_alive(both: Both, sql: str, error: type, text: str) -> None:
    with pytest.raises(error, match=text):
        both.tqp.sql(sql)
    assert both.tqp.sql("SELECT count(PREDICT(tier, *)) FROM customers").fetchall() == [(ROWS,)]


def test_explain_names_model_kernel_and_inputs(both: Both) -> None:
    shown = both.tqp.sql("SELECT PREDICT(churn, *) FROM customers WHERE PREDICT(churn, *) = 'yes'").explain()
    assert shown.count("PREDICT(churn, ") == 1
    assert "reads 3 of 3 inputs: age, income, region" in shown


def test_a_module_answers_as_itself_and_stays_as_it_is() -> None:
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Dropout(0.5), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    assert network.training
    frame = customers()
    with tqp.connect() as con:
        con.register("customers", pa.Table.from_pandas(frame)).register_model("net", network, inputs=["age", "visits"])
        got = con.sql("SELECT PREDICT(net, *) AS p FROM customers")
        assert [str(dtype) for dtype in got.types] == ["FLOAT"]
        assert network.training
        matrix = torch.tensor(frame[["age", "visits"]].to_numpy(), dtype=torch.float32)
        expected = network.eval()(matrix).detach()[:, 0].numpy()
        assert np.allclose(got.df().p, expected, rtol=1e-5)
        with torch.no_grad():
            next(network.parameters()).mul_(2)
        expected = network.eval()(matrix).detach()[:, 0].numpy()
        network.train()
        assert np.allclose(con.sql("SELECT PREDICT(net, *) AS p FROM customers").df().p, expected, rtol=1e-5)
        assert network.training and all(part.training for part in network)


def test_functions_scores_and_exported_programs() -> None:
    def double(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return 2 * a + b

    layer = torch.nn.Linear(2, 3)
    rows = torch.export.Dim("rows", min=2)
    program = torch.export.export(layer, (torch.zeros(4, 2),), dynamic_shapes=({0: rows},))
    table = pa.table({"a": [1.0, 2.0, None], "b": [5, 6, 7]})
    with tqp.connect() as con:
        con.register("t", table).register_model("f", double)
        con.register_model("scores", layer, inputs=["a", "b"], output=["x", "y", "z"])
        con.register_model("raw", program, inputs=["a", "b"])
        assert con.sql("SELECT PREDICT(f, a, b), PREDICT(f, *) FROM t").fetchall() == [(7, 7), (10, 10), (None, None)]
        scores = layer(torch.tensor([[1.0, 5.0], [2.0, 6.0]])).detach()
        got = con.sql("SELECT PREDICT(scores, *), PREDICT_PROBA(scores, *)['y'], PREDICT(raw, *)[3] FROM t").fetchall()
        assert [row[0] for row in got] == ["xyz"[int(place)] for place in scores.argmax(1)] + [None]
        assert [row[1] for row in got[:2]] == pytest.approx(scores.double().softmax(1)[:, 1].tolist())
        assert [row[2] for row in got[:2]] == pytest.approx(scores[:, 2].tolist())
        whole = con.sql("SELECT PREDICT(raw, *) FROM t")
        assert str(whole.types[0]) == "FLOAT[3]"
        assert whole.fetchall() == [*((pytest.approx(tuple(row)),) for row in scores.tolist()), (None,)]


def test_what_is_no_model() -> None:
    with tqp.connect() as con:
        con.register("t", pa.table({"a": [1]}))
        for value, text in (("model.pkl", "is a path"), (torch.nn.ReLU(), "inputs of a ReLU are not known")):
            with pytest.raises(ModelError, match=text):
                con.register_model("m", value)
        with pytest.raises(ModelError, match="choose auto, tensor, host"):
            con.register_model("m", MODELS["tier"], backend="gpu")
        with pytest.raises(ModelError, match="fails on 48 rows"):
            con.register_model("m", torch.nn.Linear(3, 1), inputs=["a", "b"])
        assert con.models() == []
        assert con.sql("SELECT a FROM t").fetchall() == [(1,)]


def test_an_object_of_no_library_is_no_model() -> None:
    with tqp.connect() as con, pytest.raises(ModelError):
        con.register_model("m", object())


def test_null_policies() -> None:
    table = pa.table({"a": [1.0, None], "b": [1, 2], "c": [0.0, 0.0]})
    with tqp.connect() as con:
        con.register("t", table)
        con.register_model("strict", handmade(), nulls="null").register_model("missing", handmade(), nulls="missing")
        got = con.sql("SELECT PREDICT(strict, *), PREDICT_PROBA(missing, *)[1] FROM t").fetchall()
        assert got[1][0] is None
        assert got[1][1] != got[1][1]


def test_a_model_that_fails_is_a_model_error() -> None:
    class Broken(Shift):
        def value(self, features: Any) -> Any:
            raise ValueError("no such thing")

    with tqp.connect() as con:
        con.register("t", pa.table({"a": [1.0], "b": [1], "c": [0.0]}))
        con.register_model("broken", handmade(Broken()))
        with pytest.raises(ModelError, match="model broken failed: ValueError: no such thing"):
            con.sql("SELECT PREDICT(broken, *) FROM t").fetchall()
        assert con.sql("SELECT a FROM t").fetchall() == [(1.0,)]


def test_inputs_of_few_values_are_predicted_once_each() -> None:
    seen: list[int] = []

    class Counting(Shift):
        def value(self, features: Any) -> Any:
            result = super().value(features)
            seen.append(len(result))
            return result

    table = pa.table({"a": pa.array(np.arange(5000) % 4), "b": [1] * 5000, "c": pa.array(np.arange(5000) % 3)})
    with tqp.connect() as con:
        con.register("t", table).register_model("m", handmade(Counting()))
        got = con.sql("SELECT a, c, PREDICT(m, *), count(*) FROM t GROUP BY ALL ORDER BY 1, 2").fetchall()
    assert seen == [12]
    assert [(a, c, p) for a, c, p, _ in got] == [
        (a, c, "yes" if a - c > 0.1 else "no") for a in range(4) for c in range(3)
    ]


def test_a_differing_program_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    right = estimators.import_model

    def wrong(*args: Any, **options: Any) -> Model:
        made = right(*args, **options)
        assert isinstance(made, Model)
        return Model(made.name, made.inputs, (), Shift(0.0), made.classes, kind="classifier")

    monkeypatch.setattr(estimators, "import_model", wrong)
    fitted = LogisticRegression().fit(np.array([[0.0, 0, 0], [1, 1, 1], [2, 2, 0]]), [0, 1, 1])
    with pytest.raises(ModelError, match="differs from the model on .* rows:\n  x1="):
        tqp.connect().register_model("m", fitted)


def test_models_are_forgotten() -> None:
    with tqp.connect() as con:
        con.register("t", pa.table({"a": [1.0], "b": [1], "c": [0.0]})).register_model("m", handmade())
        assert con.models() == ["m"]
        assert con.sql("SELECT PREDICT(M, *) FROM t").fetchall() == [("yes",)]
        con.unregister_model("m")
        with pytest.raises(TqpError, match="no model m"):
            con.sql("SELECT PREDICT(m, *) FROM t")
        with pytest.raises(TqpError, match="no model 'm' is registered"):
            con.unregister_model("m")


def test_a_library_on_the_host_is_not_asked_about_missing_values() -> None:
    model = MODELS["churn"]
    known = customers().head(4)
    with tqp.connect() as con:
        con.register_model("churn", model, backend="host")
        con.register(
            "t",
            pa.table({
                "age": [known.age[0], None, known.age[2], known.age[3]],
                "income": pa.array([known.income[0], 1.0, float("nan"), known.income[3]]),
                "region": [known.region[0], "east", "west", None],
            }),
        )  # fmt: skip
        call = "PREDICT(churn, age, income, region)"
        labels = con.sql(f"SELECT {call} FROM t").fetchall()
        assert [row[0] for row in labels] == [model.predict(known[FEATURES["churn"]].head(1))[0], None, None, None]
        assert con.sql(
            f"SELECT {call}, PREDICT_PROBA(churn, age, income, region) FROM t WHERE age IS NULL"
        ).fetchall() == [(None, None)]
        proba = con.sql("SELECT PREDICT_PROBA(churn, age, income, region)[2] FROM t").fetchall()
        assert proba[0][0] == pytest.approx(model.predict_proba(known[FEATURES["churn"]].head(1))[0, 1])
        assert proba[1:] == [(None,)] * 3


def test_a_misspelt_variable_is_named() -> None:
    spending = MODELS["spend"]
    with tqp.connect() as con, pytest.raises(BindError) as caught:
        con.sql("SELECT PREDICT(spendnig, 1, 2)")
    assert caught.value.hint == "did you mean spending?"
    assert spending is not None
