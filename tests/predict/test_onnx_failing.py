"""Which ONNX graphs can be an error for a row: told by their operators, each of which is tried with odd numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from onnx import TensorProto, helper
from skl2onnx import to_onnx
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeRegressor

import tqp
from tests.predict.onnx_graphs import graph, one
from tests.predict.test_onnx_operators import CASES, Case, name_of
from tqp.errors import ModelError
from tqp.models.onnx.failing import LOOK_UPS, NEVER, WHOLE
from tqp.models.onnx.graph import read
from tqp.models.onnx.operators import known
from tqp.models.onnx.program import Program

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
ODD = [0, 1, -1, np.nan, np.inf, -np.inf, 1e300, -1e300, 2.0**31, -(2.0**63), 0.5]
OTHERS = {"Range", "ai.onnx.ml.CastMap", "ai.onnx.ml.DictVectorizer"}
"""Those that may be an error for any number, and those that are no tensor operations."""


def test_every_operator_is_told_apart() -> None:
    names = {name for name in known() if not name.startswith("com.")}
    assert names == NEVER | WHOLE | LOOK_UPS | OTHERS
    assert not NEVER & (WHOLE | LOOK_UPS)


def _odd(rows: np.ndarray[Any, Any], seed: int) -> torch.Tensor:
    drawn = torch.from_numpy(np.random.default_rng(seed).choice(ODD, rows.shape))
    whole = drawn.nan_to_num(7).clamp(-(2.0**62), 2.0**62)
    return (drawn if rows.dtype.kind == "f" else whole).to(torch.from_numpy(rows).dtype)


@pytest.mark.parametrize("case", [case for case in CASES if case[0] not in WHOLE | LOOK_UPS], ids=name_of)
def test_operators_that_are_named_take_all_numbers(case: Case) -> None:
    kind, rows, constants, options = case
    model = one(kind, rows, constants, **options)
    program = Program(read("m", model))
    for seed in range(5):
        inputs = {
            f"x{place}": _odd(array.reshape(len(array), -1) if array.ndim > 2 else array, seed)
            for place, array in enumerate(rows)
        }
        assert len(program.run(inputs, [output.name for output in model.graph.output], torch.device("cpu")))


def _can_fail(model: Any, **options: Any) -> bool:
    with tqp.connect(threads=1) as con:
        con.register_model("m", model, **options)
        found = con.catalog.model("m")
        assert found is not None
        return found.can_fail


def _graph(*nodes: tuple[str, str, str, dict[str, Any]], kind: int = FLOAT, out: int = FLOAT, **constants: Any) -> Any:
    made = [helper.make_node(name, ins.split(), outs.split(), **options) for name, ins, outs, options in nodes]
    return graph(
        made, {"x": (kind, [None, 3])}, {"y": out}, {name: np.asarray(value) for name, value in constants.items()}
    )


BEST = ("ArgMax", "x", "at", {"axis": 1, "keepdims": 0})
PLACES = ("Cast", "x", "at", {"to": INT64})
TABLE = np.arange(3, dtype=np.float32)
SURE = {
    "arithmetic": _graph(("Mul", "x x", "z", {}), ("Exp", "z", "y", {})),
    "division": _graph(("Div", "x x", "y", {})),
    "by a constant": _graph(("Cast", "x", "i", {"to": INT64}), ("Div", "i two", "y", {}), out=INT64, two=np.array([2])),
    "columns": _graph(("Gather", "x at", "y", {"axis": 1}), at=np.array([2, 0])),
    "shape": _graph(("Shape", "x", "s", {}), ("Slice", "s zero one", "n", {}), ("Concat", "n rest", "to", {"axis": 0}), ("Reshape", "x to", "y", {}), zero=np.array([0]), one=np.array([1]), rest=np.array([3])),
    "greatest": _graph(BEST, ("Gather", "table at", "y", {"axis": 0}), table=TABLE),
    "within the row": _graph(("ArgMax", "x", "at", {"axis": 1, "keepdims": 1}), ("GatherElements", "x at", "y", {"axis": 1})),
    "largest": _graph(("TopK", "x k", "v at", {"axis": 1}), ("Gather", "table at", "y", {"axis": 0}), k=np.array([2]), table=TABLE),
}  # fmt: skip
UNSURE = {
    "whole division": _graph(PLACES, ("Add", "at one", "b", {}), ("Div", "one b", "y", {}), out=INT64, one=np.array([1])),
    "looked up": _graph(PLACES, ("Clip", "at zero two", "b", {}), ("Gather", "table b", "y", {"axis": 0}), zero=np.int64(0), two=np.int64(2), table=TABLE),
    "elements": _graph(PLACES, ("Clip", "at zero two", "b", {}), ("GatherElements", "x b", "y", {"axis": 1}), zero=np.int64(0), two=np.int64(2)),
    "table that is too short": _graph(BEST, ("Mul", "at zero", "b", {}), ("Gather", "table b", "y", {"axis": 0}), table=TABLE[:2], zero=np.int64(0)),
    "whole numbers": _graph(("Cast", "x", "y", {"to": FLOAT}), kind=INT64),
}  # fmt: skip


@pytest.mark.parametrize("name", SURE)
def test_graphs_that_are_no_error(name: str) -> None:
    assert not _can_fail(SURE[name])
    assert _can_fail(SURE[name], backend="host")


@pytest.mark.parametrize("name", UNSURE)
def test_graphs_that_may_be_one(name: str) -> None:
    assert _can_fail(UNSURE[name], check={f"x{place}": [1.0, 2.0, 2.0, 1.0] for place in (1, 2, 3)})


ROWS = np.random.default_rng(0).normal(size=(80, 3)).astype(np.float32)
SAYS = np.where(ROWS[:, 0] > 0, "yes", "no")


@pytest.mark.parametrize(
    ("model", "target"),
    [
        (LogisticRegression(), SAYS), (make_pipeline(StandardScaler(), LogisticRegression()), SAYS == "yes"), (SVC(), SAYS),
        (RandomForestClassifier(3, max_depth=3), SAYS), (GradientBoostingClassifier(n_estimators=3), SAYS),
        (DecisionTreeRegressor(max_depth=3), ROWS[:, 1]), (MLPRegressor(hidden_layer_sizes=(4,), max_iter=20), ROWS[:, 1]),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_converted_models_are_no_error(model: Any, target: Any) -> None:
    model.fit(ROWS, target)
    options = {
        id(step): {"zipmap": False}
        for step in (model, getattr(model, "steps", [[0, model]])[-1][1])
        if hasattr(step, "classes_")
    }
    assert not _can_fail(to_onnx(model, ROWS[:1], options=options))


def test_a_row_that_a_join_drops_is_not_looked_up() -> None:
    with tqp.connect(threads=1) as con:
        con.register("t", {"id": [0, 1, 2], "a": [1.0, 9.0, 2.0]}).register("kept", {"id": [0, 2, 2, 2, 2, 2]})
        nodes = [helper.make_node("Cast", ["x"], ["at"], to=INT64), helper.make_node("Gather", ["table", "at"], ["y"])]
        model = graph(nodes, {"x": (FLOAT, [None, 1])}, {"y": FLOAT}, {"table": TABLE})
        con.register_model("m", model, check={"x1": [0.0, 1.0, 2.0, 1.0]})
        assert len(con.sql("SELECT PREDICT(m, a) FROM t JOIN kept USING (id)").fetchall()) == 6
        with pytest.raises(ModelError):
            con.sql("SELECT PREDICT(m, a) FROM t").fetchall()
