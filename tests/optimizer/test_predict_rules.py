"""Rules that know predictions: the plan before and after, and the same rows with and without each rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from torch import Tensor

import tqp
from tests.predict.handmade import Shift, handmade
from tqp.errors import TqpError
from tqp.ir.check import check
from tqp.ir.expr import Predict
from tqp.ir.plan import Join, Plan, Project, Scan
from tqp.ir.visit import expressions, walk, walk_plan
from tqp.models.features import Feature
from tqp.optimizer import RULES, optimize
from tqp.verify.compare import compare

OWN = (
    "predict_inputs", "predict_late", "predict_once", "predict_low", "predict_together", "predict_distinct", "fold_encoders",
    "join_elimination",
)  # fmt: skip
ITEMS, ORDERS, PEOPLE = 4000, 200, 20


def tables() -> dict[str, pa.Table]:
    random = np.random.default_rng(3)
    order = random.integers(0, ORDERS, ITEMS)
    sparse = [None if place % 10 == 0 else int(value) for place, value in enumerate(order)]
    return {
        "items": pa.table({
            "oid": order, "hole": pa.array(sparse, pa.int64()), "far": order + 5, "a": random.normal(size=ITEMS),
            "b": random.integers(0, 9, ITEMS), "q": random.integers(0, 100, ITEMS),
        }),
        "orders": pa.table({
            "oid": np.arange(ORDERS), "c": random.normal(size=ORDERS), "day": random.integers(0, 365, ORDERS),
            "pid": random.integers(0, PEOPLE, ORDERS), "twice": np.arange(ORDERS) // 2,
        }),
        "people": pa.table({
            "pid": np.arange(PEOPLE), "name": [f"n{place}" for place in range(PEOPLE)],
            "x": random.normal(size=PEOPLE), "y": random.normal(size=PEOPLE), "z": random.normal(size=PEOPLE),
        }),
    }  # fmt: skip


def connection(*without: str) -> tqp.Connection:
    made = tqp.connect(threads=1, disabled_rules=without)
    for name, table in tables().items():
        made.register(name, table)
    return made.register_model("m", handmade())


@pytest.fixture(scope="module")
def sides() -> Iterator[dict[str, tqp.Connection]]:
    made = {"": connection(), "all": connection(*OWN), **{rule: connection(rule) for rule in OWN}}
    yield made
    for con in made.values():
        con.close()


def best(con: tqp.Connection, sql: str) -> Plan:
    plan = optimize(con.sql(sql).plan, disabled=con.settings.disabled_rules)
    check(plan, subqueries=False)
    return plan


def predictions(plan: Plan) -> list[Predict]:
    exprs = [part for node in walk_plan(plan) for expr in expressions(node) for part in walk(expr)]
    return [part for part in exprs if isinstance(part, Predict)]


def under(plan: Plan) -> list[Plan]:
    """What the Projects that predict stand on."""
    return [
        node.input
        for node in walk_plan(plan)
        if isinstance(node, Project) and any(isinstance(expr, Predict) for expr in node.exprs)
    ]


def scanned(plan: Plan) -> list[str]:
    return [node.source.name for node in walk_plan(plan) if isinstance(node, Scan)]


FROM = "FROM items i JOIN orders o ON i.oid = o.oid"
QUERIES = (
    "SELECT PREDICT(m, a, b, q), PREDICT(m, a, b, q) FROM items WHERE PREDICT(m, a, b, q) = 'no' AND q < 50",
    "SELECT a FROM items ORDER BY PREDICT(m, a, b, q), PREDICT_PROBA(m, a, b, q)[1], oid, a LIMIT 9",
    "SELECT PREDICT(m, a, b, q) AS p, count(*), sum(q) FROM items GROUP BY p HAVING PREDICT(m, 1, 1, 0) = 'yes'",
    "SELECT p, q FROM (SELECT PREDICT(m, a, b, q) AS p, a AS x, q, b FROM items) s WHERE p = 'no' AND PREDICT(m, x, b, q) = p",
    "SELECT PREDICT(m, CASE WHEN PREDICT(m, a, b, q) = 'no' THEN 1 ELSE -1 END, b, day) " + FROM,
    "SELECT PREDICT(m, x, y, z), count(*) " + FROM + " JOIN people p ON p.pid = o.pid GROUP BY 1",
    "SELECT count(*) " + FROM + " WHERE PREDICT(m, a, b, q) = 'no' AND day < 20",
    "SELECT count(*), min(PREDICT(m, a, b, c)) " + FROM + " WHERE PREDICT(m, a, b, c) = PREDICT(m, c, b, day)",
    "SELECT count(*), max(PREDICT_PROBA(m, c, day, day)[2]) FROM items i LEFT JOIN orders o ON i.far = o.oid",
    "SELECT count(*) FROM items i LEFT JOIN orders o ON i.far = o.oid AND PREDICT(m, a, b, c) = 'yes' WHERE o.oid IS NULL",
    "SELECT count(*) FROM items i FULL JOIN orders o ON i.far = o.oid AND PREDICT(m, c, 1, 0) = 'yes'",
    "SELECT count(*) FROM items WHERE oid NOT IN (SELECT oid FROM orders WHERE PREDICT(m, c, 1, 0) = 'yes')",
    "SELECT count(*) FROM items i WHERE EXISTS (SELECT 1 FROM orders o WHERE o.oid = i.oid AND PREDICT(m, c, 1, a) = 'yes')",
    "WITH s AS (SELECT oid, PREDICT(m, a, b, q) AS p FROM items) SELECT u.p, v.p, count(*) FROM s u JOIN s v USING (oid) "
    "GROUP BY ALL",
    "SELECT PREDICT(m, a, b, q) AS p FROM items UNION SELECT PREDICT(m, c, 1, day) FROM orders",
    "SELECT sum(q) " + FROM,
    "SELECT sum(q) " + FROM + " JOIN people p ON p.pid = o.pid",
    "SELECT sum(q) FROM items i JOIN orders o ON i.hole = o.oid",
    "SELECT sum(q) FROM items i JOIN orders o ON i.far = o.oid",
    "SELECT sum(q) FROM items i JOIN orders o ON i.oid = o.twice",
    "SELECT sum(q) FROM items i LEFT JOIN orders o ON i.hole = o.oid AND o.day < 50",
    "SELECT sum(q) FROM items i LEFT JOIN orders o ON i.oid = o.twice",
    "SELECT sum(q) " + FROM + " WHERE o.day < 100",
    "SELECT count(*) FROM orders o JOIN items i ON i.oid = o.oid WHERE q < 3",
    "SELECT PREDICT_PROBA(m, a, b, q)[2], PREDICT(m, a, b, q), PREDICT_PROBA(m, a, b, q), PREDICT_PROBA(m, a, b, q)[1] FROM items",
    "SELECT avg(PREDICT_PROBA(m, a, b, q)[1]), min(PREDICT_PROBA(m, a, b, q)[2]), sum(q) FROM items "
    "WHERE PREDICT(m, a, b, q) = 'no' AND q < 50",
    "SELECT PREDICT(m, a, b, q), max(a) FROM items WHERE PREDICT_PROBA(m, a, b, q)[1] < 0.9 AND b < 8 GROUP BY ALL",
    "SELECT PREDICT(m, b, 1, q), PREDICT_PROBA(m, b, 1, q)[1], count(*) FROM items WHERE PREDICT(m, b, 1, q) = 'no' GROUP BY ALL",
    "SELECT PREDICT(m, c, 1, day), PREDICT_PROBA(m, c, 1, day)[1] FROM items i LEFT JOIN orders o ON i.far = o.oid WHERE q < 9",
    "SELECT PREDICT(m, b + 1, 1, q) AS p, PREDICT_PROBA(m, k, 1, q)[1] FROM (SELECT b + 1 AS k, b, q FROM items) s WHERE p = 'no'",
    "SELECT oid, rank() OVER (PARTITION BY PREDICT(m, a, b, q) ORDER BY a) AS r, max(PREDICT(m, a, b, q)) OVER () FROM items "
    "WHERE PREDICT(m, a, b, q) = 'no' QUALIFY r < 9",
)  # fmt: skip


@pytest.mark.parametrize("sql", QUERIES)
def test_same_rows_without_each_rule(sides: dict[str, tqp.Connection], sql: str) -> None:
    answers = {name: sorted(map(repr, con.sql(sql).fetchall())) for name, con in sides.items()}
    for con in sides.values():
        best(con, sql)
    assert all(answer == answers["all"] for answer in answers.values())


def test_the_rules_have_switches() -> None:
    assert set(OWN) <= {name for name, _ in RULES}


@pytest.mark.parametrize("sql", (QUERIES[0], QUERIES[3]))
def test_the_same_prediction_is_computed_once(sides: dict[str, tqp.Connection], sql: str) -> None:
    assert len(predictions(best(sides["predict_once"], sql))) > len(predictions(best(sides[""], sql)))
    outputs = [call.output for call in predictions(best(sides[""], sql))]
    assert len(outputs) == len(set(outputs))


def test_cheap_conditions_come_first(sides: dict[str, tqp.Connection]) -> None:
    *shown, rules = sides[""].sql(QUERIES[0]).explain().splitlines()
    order = [line.split()[0] for line in shown]
    assert order == ["Project", "Filter", "Project", "Filter", "Scan"]
    assert "q < 50" in shown[3]
    assert {"predict_late", "predict_once"} <= set(rules.removeprefix("-- rules: ").split(", "))
    (place,) = under(best(sides["predict_late"], QUERIES[0]))
    assert isinstance(place, Scan)


def test_below_the_join_that_multiplies_the_rows(sides: dict[str, tqp.Connection]) -> None:
    sql = QUERIES[5]
    (low,), (high,) = under(best(sides[""], sql)), under(best(sides["predict_low"], sql))
    assert isinstance(low, Scan)
    assert low.source.name == "people"
    assert isinstance(high, Join)


def test_above_the_join_that_drops_rows(sides: dict[str, tqp.Connection]) -> None:
    (above,), (below,) = under(best(sides[""], QUERIES[6])), under(best(sides["predict_low"], QUERIES[6]))
    assert isinstance(above, Join)
    assert isinstance(below, Scan)


def test_not_below_a_join_that_pads(sides: dict[str, tqp.Connection]) -> None:
    (place,) = under(best(sides[""], QUERIES[8]))
    assert isinstance(place, Join)


def test_inputs_that_do_not_matter_are_not_read(sides: dict[str, tqp.Connection]) -> None:
    plan = best(sides[""], "SELECT PREDICT(m, a, b, q) FROM items")
    (scan,) = [node for node in walk_plan(plan) if isinstance(node, Scan)]
    assert scan.columns == ("a", "q")
    plan = best(sides["predict_inputs"], "SELECT PREDICT(m, a, b, q) FROM items")
    (scan,) = [node for node in walk_plan(plan) if isinstance(node, Scan)]
    assert scan.columns == ("a", "b", "q")


@pytest.mark.parametrize(
    ("sql", "tables"),
    [(QUERIES[15], ["items"]), (QUERIES[16], ["items"]), (QUERIES[20], ["items"]), (QUERIES[23], ["items"]),
     ("SELECT PREDICT(m, a, c, q) " + FROM, ["items"]),
     ("SELECT sum(DISTINCT q) FROM (SELECT * " + FROM + " ORDER BY c LIMIT 5) s", ["items", "orders"]),
     *((QUERIES[place], ["items", "orders"]) for place in (17, 18, 19, 21, 22))],
)  # fmt: skip
def test_joins_that_change_nothing_go(sides: dict[str, tqp.Connection], sql: str, tables: list[str]) -> None:
    assert sorted(scanned(best(sides[""], sql))) == tables
    assert len(scanned(best(sides["join_elimination"], sql))) > 1


class Counted(Shift):
    """Knows how often it ran, and over how many rows."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[int] = []

    def value(self, features: Sequence[Feature]) -> Tensor:
        self.rows.append(len(found := super().value(features)))
        return found

    def probabilities(self, features: Sequence[Feature]) -> Tensor | None:
        self.rows.append(-1)
        return super().probabilities(features)

    def both(self, features: Sequence[Feature]) -> tuple[Tensor, Tensor | None]:
        self.rows.append(len(found := super().value(features)))
        return found, super().probabilities(features)


@pytest.mark.parametrize(
    ("sql", "alone"),
    [
        ("SELECT avg(PREDICT_PROBA(m, a, b, q)[1]), min(PREDICT_PROBA(m, a, b, q)[2]) FROM items WHERE PREDICT(m, a, b, q) = 'no'", 2),
        ("SELECT PREDICT(m, a, b, q), count(*) FROM items WHERE PREDICT_PROBA(m, a, b, q)[1] > 0.1 GROUP BY 1", 2),
        ("SELECT PREDICT_PROBA(m, a, b, q), PREDICT(m, a, b, q) FROM items", 2),
    ],
)  # fmt: skip
def test_label_and_probabilities_together(sql: str, alone: int) -> None:
    answers = []
    for without, runs in (((), 1), (("predict_together",), alone)):
        model = Counted()
        with connection(*without) as con:
            con.register_model("m", handmade(model))
            answers.append(con.sql(sql).arrow())
            explained = con.sql(sql).explain()
        assert len(model.rows) == runs
        assert ("predict_together" in explained) == (not without)
    assert compare(*answers, strict=False, rel_tol=1e-12) is None


def test_label_and_probabilities_of_many_blocks() -> None:
    rows = 2**17 + 5
    random = np.random.default_rng(0)
    table = pa.table(
        {"a": pa.array(random.normal(size=rows), mask=random.random(rows) < 0.01), "c": random.normal(size=rows)}
    )
    model = Counted()
    with tqp.connect(threads=1) as con:
        con.register("t", table)
        con.register_model("m", handmade(model))
        sql = "SELECT PREDICT(m, a, 1, c) AS p, PREDICT_PROBA(m, a, 1, c)[2] > 0.5 AS q, count(*) FROM t GROUP BY ALL ORDER BY ALL"
        answer = con.sql(sql).fetchall()
    nulls = table["a"].null_count
    yes = int((np.asarray(table["a"].fill_null(-99)) - np.asarray(table["c"]) > 0.1).sum())
    assert answer == [("no", False, rows - nulls - yes), ("yes", True, yes), (None, None, nulls)]
    assert sum(model.rows) == rows


def test_many_classes_stay_above_a_filter() -> None:
    """Their probabilities would be computed for rows that are dropped."""
    model = replace(handmade(), classes=tuple("abcdefghij"))
    with connection() as con:
        con.register_model("m", model)
        plan = best(con, "SELECT PREDICT_PROBA(m, a, b, q)[1] FROM items WHERE PREDICT(m, a, b, q) = 'a'")
        assert all(call.label is None for call in predictions(plan))
        plan = best(con, "SELECT PREDICT_PROBA(m, a, b, q)[1], PREDICT(m, a, b, q) FROM items")
        assert all(call.label is not None for call in predictions(plan))


FAILING = (
    "SELECT PREDICT({m}, kind) AS p FROM items JOIN known USING (id)",
    "SELECT PREDICT({m}, kind) AS p FROM items JOIN known USING (id) WHERE PREDICT({m}, kind) >= 0",
    "SELECT PREDICT({m}, kind) AS p FROM items JOIN known USING (id) JOIN many USING (id)",
    "SELECT PREDICT({m}, kind) AS p FROM items WHERE id IN (SELECT id FROM known) AND PREDICT({m}, kind) >= 0",
    "SELECT max(PREDICT({m}, kind)) AS p FROM items JOIN known USING (id) JOIN many USING (id) GROUP BY items.id",
    "SELECT items.id, sum(PREDICT({m}, kind)) AS p FROM items JOIN many USING (id) JOIN known USING (id) GROUP BY ALL",
    "SELECT PREDICT({m}, kind) AS p FROM (SELECT * FROM items WHERE kind <> 'odd') s JOIN many USING (id)",
    "SELECT PREDICT({m}, kind) AS p FROM known LEFT JOIN items USING (id) LEFT JOIN many USING (id)",
)  # fmt: skip


@pytest.fixture(scope="module")
def failing() -> Iterator[tqp.Connection]:
    def strict(texts: list[str]) -> list[float]:
        if "odd" in texts:
            raise ValueError("odd")
        return [len(text) for text in texts]

    items = pd.DataFrame({"id": np.arange(300), "kind": ["a", "bb", "odd"] * 100})
    known = items[items["kind"] != "odd"][["id"]]
    fitted = items[["kind"]][items["kind"] != "odd"]
    encoded = make_pipeline(OneHotEncoder(), LinearRegression()).fit(fitted, fitted["kind"].str.len())
    with tqp.connect(threads=1) as con:
        con.register("items", items).register("known", known).register(
            "many", pd.DataFrame({"id": np.arange(300).repeat(4)})
        )
        con.register_model("strict", strict, inputs={"kind": str})
        con.register_model("encoded", encoded).register_model("hosted", encoded, backend="host")
        con.register_model("codes", OrdinalEncoder().fit(fitted))
        con.register_model("sure", torch.nn.Linear(1, 1), inputs=["id"])
        con.register_model("unsure", torch.nn.Sequential(torch.nn.Embedding(300, 2)), inputs={"id": int})
        yield con


@pytest.mark.parametrize("model", ["strict", "encoded", "hosted", "codes"])
@pytest.mark.parametrize("sql", FAILING)
def test_what_can_fail_is_asked_for_no_row_that_is_left_out(failing: tqp.Connection, sql: str, model: str) -> None:
    found = failing.sql(sql.format(m=model)).fetchall()
    assert found and all(row[-1] is not None for row in found)
    with pytest.raises(TqpError):
        failing.sql(f"SELECT PREDICT({model}, kind) FROM items").fetchall()


def test_what_can_fail_goes_below_a_join_that_keeps_its_rows(failing: tqp.Connection) -> None:
    sql = "SELECT PREDICT(encoded, kind) FROM items LEFT JOIN many USING (id)"
    (place,) = under(best(failing, sql))
    assert isinstance(place, Scan)
    sql = "SELECT PREDICT(encoded, kind) FROM items JOIN many USING (id)"
    (place,) = under(best(failing, sql))
    assert isinstance(place, Join)


def test_a_module_goes_below_a_join_that_drops_rows_where_it_cannot_fail(failing: tqp.Connection) -> None:
    (place,) = under(best(failing, "SELECT PREDICT(sure, id) FROM items JOIN many USING (id)"))
    assert isinstance(place, Scan)
    (place,) = under(best(failing, "SELECT PREDICT(unsure, id) FROM items JOIN many USING (id)"))
    assert isinstance(place, Join)
