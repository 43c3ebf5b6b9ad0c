"""ONNX graphs whose rows see each other, what scores mean, and numbers that a graph does not take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from onnx import TensorProto, helper

import tqp
from tests.predict.onnx_graphs import graph
from tqp.errors import ModelError

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
ROWS = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
ONE = {"axis": np.array([1])}
BACKENDS = ("auto", "host")


def node(kind: str, inputs: str, outputs: str = "y", **attributes: Any) -> Any:
    return helper.make_node(kind, inputs.split(), outputs.split(), **attributes)


def floats(*nodes: Any, constants: dict[str, Any] | None = None) -> Any:
    return graph(nodes, {"x": (FLOAT, [None, 4])}, {"y": FLOAT}, constants)


@pytest.fixture
def con() -> tqp.Connection:
    return tqp.connect(threads=1).register("t", {"x": ROWS, "id": np.arange(5)})


MIXING = {
    "order": floats(node("CumSum", "x zero"), constants={"zero": np.int64(0)}),
    "first": floats(node("Gather", "x zero", "f", axis=0), node("Sub", "x f"), constants={"zero": np.array([0])}),
    "mean": floats(node("ReduceMean", "x axis", "m"), node("Sub", "x m"), constants={"axis": np.array([0])}),
    "number": floats(node("Shape", "x", "s"), node("Cast", "s", "f", to=FLOAT), node("ReduceSum", "f", "n", keepdims=0), node("Add", "x n")),
    "gaps": floats(
        node("IsNaN", "x", "n"), node("Where", "n zero x", "f"), node("ReduceMax", "f axis", "m"), node("Where", "n m x"),
        constants={"zero": np.float32(0), "axis": np.array([0])},
    ),
    "chance": floats(node("RandomNormalLike", "x", "r"), node("Add", "x r")),
}  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("case", MIXING)
def test_rows_that_see_each_other_are_refused(con: tqp.Connection, case: str, backend: str) -> None:
    with pytest.raises(ModelError, match="answer for a row depends on the rows beside it"):
        con.register_model("m", MIXING[case], backend=backend)


SOFT = torch.from_numpy(ROWS).softmax(1).tolist()
SUM = torch.from_numpy(ROWS).sum(1)
TWO = torch.stack([1 - SUM.sigmoid(), SUM.sigmoid()], 1).tolist()
FOUR = ["a", "b", "c", "d"]
SCORES = {
    "logits": (floats(node("Identity", "x")), FOUR, SOFT),
    "logarithms": (floats(node("LogSoftmax", "x", axis=1)), FOUR, SOFT),
    "probabilities": (floats(node("Softmax", "x", axis=1)), FOUR, SOFT),
    "clipped": (floats(node("Softmax", "x", "s", axis=1), node("Max", "s c"), constants={"c": np.float32(0)}), FOUR, SOFT),
    "by hand": (
        floats(node("Exp", "x", "e"), node("ReduceSum", "e axis", "s"), node("Div", "e s"), constants=ONE), FOUR,
        SOFT,
    ),
    "one logit": (floats(node("ReduceSum", "x axis"), constants=ONE), FOUR[:2], TWO),
    "one probability": (floats(node("ReduceSum", "x axis", "s"), node("Sigmoid", "s"), constants=ONE), FOUR[:2], TWO),
    "several sigmoids": (floats(node("Sigmoid", "x")), FOUR, None),
}  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("case", SCORES)
def test_probabilities_are_taken_once(con: tqp.Connection, case: str, backend: str) -> None:
    model, labels, chances = SCORES[case]
    if case == "by hand":
        con.register_model(
            "m", model, output=labels, backend=backend, check={f"x{n}": ROWS[:, n - 1] for n in range(1, 5)}
        )
    else:
        con.register_model("m", model, output=labels, backend=backend)
    found = con.sql("SELECT PREDICT(m, x) FROM t ORDER BY id").fetchall()
    best = ROWS.argmax(1) if len(labels) == 4 else (SUM > 0).long().numpy()
    assert found == [(labels[place],) for place in best]
    if chances is None:
        with pytest.raises(tqp.errors.BindError, match="gives no probabilities"):
            con.sql("SELECT PREDICT_PROBA(m, x) FROM t")
    else:
        rows = con.sql("SELECT PREDICT_PROBA(m, x) FROM t ORDER BY id").fetchall()
        np.testing.assert_allclose([row for (row,) in rows], chances, atol=1e-6)


def test_an_output_by_name_or_place_and_its_labels(con: tqp.Connection) -> None:
    outputs = {"y": FLOAT, "z": FLOAT, "best": INT64}
    nodes = (node("Relu", "x"), node("Neg", "x", "z"), node("ArgMax", "z", "best", axis=1, keepdims=0))
    model = graph(nodes, {"x": (FLOAT, [None, 4])}, outputs)
    for chosen in ("z", 1, -2):
        con.register_model("m", model, output=chosen)
        rows = con.sql("SELECT PREDICT(m, x) FROM t ORDER BY id").fetchall()
        np.testing.assert_array_equal([row for (row,) in rows], -ROWS)
    for output in ({"z": FOUR}, {1: FOUR}, {"best": FOUR}):
        con.register_model("m", model, output=output)
        rows = con.sql("SELECT PREDICT(m, x) FROM t ORDER BY id").fetchall()
        assert rows == [(FOUR[place],) for place in ROWS.argmin(1)]
    for output, text in (
        ("q", "no output q"),
        (3, "no output 3"),
        ({"z": ["a", "b"]}, "no output of scores for 2 labels"),
    ):
        with pytest.raises(ModelError, match=text):
            con.register_model("m", model, output=output)


@pytest.mark.parametrize("backend", BACKENDS)
def test_truths_are_booleans(con: tqp.Connection, backend: str) -> None:
    con.register_model(
        "m", graph([node("IsNaN", "x")], {"x": (FLOAT, [None, 1])}, {"y": TensorProto.BOOL}), backend=backend
    )
    found = con.sql("SELECT PREDICT(m, 1)")
    assert (str(found.types[0]), found.fetchall()) == ("BOOLEAN", [(False,)])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (TensorProto.INT32, 2**31 - 1, 2**31), (TensorProto.UINT8, 255, -1), (TensorProto.INT8, -128, 128),
        (INT64, 2**53 + 1, 1e19), (INT64, -(2**53) - 1, 0.5), (TensorProto.INT16, 7, 1e300),
    ],
)  # fmt: skip
def test_integers_are_neither_wrapped_nor_rounded(
    con: tqp.Connection, kind: int, good: int, bad: Any, backend: str
) -> None:
    model = graph([node("Cast", "x", to=INT64)], {"x": (kind, [None, 1])}, {"y": INT64})
    con.register_model("m", model, backend=backend)
    assert con.sql("SELECT PREDICT(m, ?)", [good]).fetchall() == [(good,)]
    con.register("w", {"v": [bad, bad]})
    with pytest.raises(ModelError, match="an input of the graph takes"):
        con.sql("SELECT PREDICT(m, v) FROM w").fetchall()
    found = con.sql("SELECT PREDICT(m, CASE WHEN v <> v THEN v END) FROM w").fetchall()
    assert found == [(None,), (None,)]
