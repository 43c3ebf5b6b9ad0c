"""ONNX files and graphs as models: inputs, outputs, what is refused, and who runs them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pyarrow as pa
import pytest
from onnx import TensorProto as T
from onnx import helper, numpy_helper

import tqp
from tests.predict.onnx_graphs import ML, asked, graph, one
from tqp.errors import BindError, ModelError
from tqp.models.onnx import host as onnx_host
from tqp.models.onnx import ml as onnx_ml
from tqp.models.registration import prepare

RANDOM = np.random.default_rng(1)
ROWS = RANDOM.normal(size=(50, 3)).astype(np.float32)
TABLE = pa.table({name: ROWS[:, place] for place, name in enumerate("abc")})


def network(outputs: int = 2, *, last: str | None = None, columns: Any = 3) -> Any:
    """A small network of the kind that torch exports."""
    random = np.random.default_rng(2)
    constants = {
        "w1": random.normal(size=(5, 3)).astype(np.float32), "b1": random.normal(size=5).astype(np.float32),
        "w2": random.normal(size=(outputs, 5)).astype(np.float32), "b2": random.normal(size=outputs).astype(np.float32),
    }  # fmt: skip
    nodes = [
        helper.make_node("Gemm", ["x", "w1", "b1"], ["h"], transB=1),
        helper.make_node("Relu", ["h"], ["r"]),
        helper.make_node("Gemm", ["r", "w2", "b2"], ["y" if last is None else "z"], transB=1),
    ]
    if last is not None:
        nodes.append(helper.make_node(last, ["z"], ["y"]))
    return graph(nodes, {"x": (T.FLOAT, ["rows", columns])}, {"y": T.FLOAT}, constants)


@pytest.fixture
def con() -> Any:
    with tqp.connect() as made:
        yield made.register("t", TABLE)


def test_a_file_of_a_network(con: Any, tmp_path: Path) -> None:
    path = tmp_path / "net.ONNX"
    model = network()
    onnx.save(model, path)
    con.register_model("text", str(path)).register_model("path", path, inputs=["a", "b", "c"])
    found = con.sql("SELECT PREDICT(path, *)[1] AS p, PREDICT(text, a, b, c)[2] AS q FROM t").df()
    (wanted,) = asked(model, {"x": ROWS})
    np.testing.assert_allclose(found.to_numpy(), wanted, rtol=1e-5, atol=1e-6)
    assert "ONNX graph of 3 nodes as tensor operations" in con.sql("SELECT PREDICT(path, *)[1] FROM t").explain()


def test_labels_of_scores(con: Any) -> None:
    labels = ["u", "v", "w"]
    for last in (None, "Softmax"):
        model = network(3, last=last)
        con.register_model("m", model, inputs=["a", "b", "c"], output=labels)
        found = con.sql("SELECT PREDICT(m, *) AS p, PREDICT_PROBA(m, *)['v'] AS v FROM t").df()
        (scores,) = asked(model, {"x": ROWS})
        chances = scores if last else np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
        assert found.p.tolist() == [labels[place] for place in scores.argmax(1)]
        np.testing.assert_allclose(found.v, chances[:, 1], rtol=1e-4)
    with pytest.raises(ModelError, match="no output of scores for 2 labels"):
        con.register_model("m", network(3), output=["u", "v"])


def test_one_value_and_integers_and_a_chosen_output(con: Any) -> None:
    con.register_model("single", network(1), inputs=["a", "b", "c"])
    assert [str(kind) for kind in con.sql("SELECT PREDICT(single, *) FROM t").types] == ["DOUBLE"]
    nodes = [
        helper.make_node("ArgMin", ["x"], ["place"], axis=1, keepdims=0),
        helper.make_node("Neg", ["x"], ["minus"]),
    ]
    model = graph(nodes, {"x": (T.FLOAT, [None, 3])}, {"place": T.INT64, "minus": T.FLOAT})
    con.register_model("least", model, inputs=["a", "b", "c"]).register_model("minus", model, output="minus")
    found = con.sql("SELECT PREDICT(least, *) AS p, PREDICT(minus, a, b, c)[3] AS m FROM t")
    assert [str(kind) for kind in found.types] == ["BIGINT", "DOUBLE"]
    assert found.df().p.tolist() == ROWS.argmin(1).tolist()
    np.testing.assert_allclose(found.df().m, -ROWS[:, 2])
    with pytest.raises(ModelError, match="no output neg"):
        con.register_model("m", model, output="neg")


def test_the_place_of_the_greatest_score_is_a_label(con: Any) -> None:
    nodes = [helper.make_node("Softmax", ["x"], ["p"], axis=1), helper.make_node("ArgMax", ["p"], ["label"], axis=1)]
    con.register_model("m", graph(nodes, {"x": (T.FLOAT, [None, 3])}, {"label": T.INT64, "p": T.FLOAT}))
    found = con.sql("SELECT PREDICT(m, a, b, c) AS label, PREDICT_PROBA(m, a, b, c)[1] AS p FROM t").df()
    assert found.label.tolist() == ROWS.argmax(1).tolist()


def test_columns_that_nothing_reads_are_not_read(con: Any) -> None:
    nodes = [
        helper.make_node("ArrayFeatureExtractor", ["x", "chosen"], ["two"], domain=ML),
        helper.make_node("Scaler", ["two"], ["scaled"], domain=ML, offset=[1.0, 0.0], scale=[2.0, 1.0]),
        helper.make_node("TreeEnsembleRegressor", ["scaled"], ["y"], domain=ML, n_targets=1, nodes_treeids=[0, 0, 0],
                         nodes_nodeids=[0, 1, 2], nodes_featureids=[1, 0, 0], nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"],
                         nodes_values=[0.5, 0.0, 0.0], nodes_truenodeids=[1, 0, 0], nodes_falsenodeids=[2, 0, 0],
                         target_treeids=[0, 0], target_nodeids=[1, 2], target_ids=[0, 0], target_weights=[1.0, 2.0]),
    ]  # fmt: skip
    model = graph(nodes, {"x": (T.FLOAT, [None, 3])}, {"y": T.FLOAT}, {"chosen": np.array([2, 0])})
    con.register_model("m", model, inputs=["a", "b", "c"])
    assert "reads 1 of 3 inputs: a" in con.sql("SELECT PREDICT(m, *) FROM t").explain()
    assert con.sql("SELECT PREDICT(m, *) AS p FROM t").df().p.tolist() == [1.0 if x <= 0.5 else 2.0 for x in ROWS[:, 0]]
    assert 0.5 in prepare("m", model).predictor.origins.hints(3)[0].values


def test_a_missing_value_counts_where_the_graph_knows_it(con: Any) -> None:
    tree = {
        "nodes_treeids": [0] * 3, "nodes_nodeids": [0, 1, 2], "nodes_featureids": [0] * 3, "nodes_values": [0.5, 0.0, 0.0],
        "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"], "nodes_truenodeids": [1, 0, 0], "nodes_falsenodeids": [2, 0, 0],
        "target_treeids": [0, 0], "target_nodeids": [1, 2], "target_ids": [0, 0], "target_weights": [1.0, 2.0],
    }  # fmt: skip
    tracked = helper.make_node("TreeEnsembleRegressor", ["a"], ["first"], domain=ML, n_targets=1,
                               nodes_missing_value_tracks_true=[1, 0, 0], **tree)  # fmt: skip
    untracked = helper.make_node("TreeEnsembleRegressor", ["b"], ["second"], domain=ML, n_targets=1, **tree)
    nodes = [tracked, untracked, helper.make_node("Add", ["first", "second"], ["y"])]
    model = graph(nodes, {"a": (T.FLOAT, [None, 1]), "b": (T.FLOAT, [None, 1])}, {"y": T.FLOAT})
    con.register("n", pa.table({"a": [0.0, None, None, 1.0], "b": [0.0, 1.0, None, None]}))
    con.register_model("m_auto", model).register_model("m_missing", model, nulls="missing")
    con.register_model("m_null", model, nulls="null").register_model("m_host", model, backend="host")
    for name, wanted in (
        ("auto", [2.0, 3.0, None, None]), ("missing", [2.0, 3.0, 3.0, 4.0]), ("null", [2.0, None, None, None]),
        ("host", [2.0, 3.0, None, None]),
    ):  # fmt: skip
        assert [row[0] for row in con.sql(f"SELECT PREDICT(m_{name}, *) FROM n").fetchall()] == wanted
    assert con.sql("SELECT PREDICT(m_auto, *) FROM n WHERE a > 5").fetchall() == []


def test_columns_as_inputs_of_their_own(con: Any) -> None:
    nodes = [
        helper.make_node("LabelEncoder", ["word"], ["number"], domain=ML, keys_strings=["one", "two"], values_floats=[1.0, 2.0],
                         default_float=-1.0),
        helper.make_node("Cast", ["flag"], ["truth"], to=T.FLOAT),
        helper.make_node("Cast", ["count"], ["counted"], to=T.FLOAT),
        helper.make_node("Sum", ["number", "truth", "counted", "vector"], ["y"]),
    ]  # fmt: skip
    kinds = {
        "word": (T.STRING, [None]),
        "flag": (T.BOOL, [None]),
        "count": (T.INT64, [None]),
        "vector": (T.FLOAT, [None]),
    }
    model = graph(nodes, kinds, {"y": T.FLOAT})
    con.register("w", pa.table({
        "word": ["one", "two", "three", None], "flag": [True, False, True, True], "count": [10, 20, 30, 40],
        "vector": [0.5, 0.25, 0.0, 0.0],
    }))  # fmt: skip
    con.register_model("m", model, backend="tensor")
    assert con.sql("SELECT PREDICT(m, *) FROM w").fetchall() == [(12.5,), (22.25,), (30.0,), (None,)]
    assert con.sql("SELECT PREDICT(m, 'two', true, 1, 0)").fetchall() == [(4.0,)]
    with pytest.raises(ModelError, match="takes integers, not decimals"):
        con.sql("SELECT PREDICT(m, word, flag, count + 0.5, vector) FROM w").fetchall()
    con.register_model("m", model, backend="host")
    assert con.sql("SELECT PREDICT(m, *) FROM w").fetchall() == [(12.5,), (22.25,), (30.0,), (None,)]


def test_an_encoder_looks_at_a_dictionary_and_not_at_rows(con: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    right = onnx_ml._mapper

    def counting(*args: Any) -> Any:
        run = right(*args)

        def counted(x: Any) -> Any:
            seen.append(len(x))
            return run(x)

        return counted

    monkeypatch.setattr(onnx_ml, "_mapper", counting)
    words = np.array([["b"], ["a"]], dtype=object)
    model = one("LabelEncoder", [words], domain=ML, keys_strings=["a", "b"], values_floats=[1.0, 2.0])
    con.register_model("m", model)
    con.register("w", pa.table({"x1": ["a", "b", "c"] * 1000, "n": np.arange(3000)}))
    seen.clear()
    found = con.sql("SELECT x1, PREDICT(m, x1) AS p, count(*) FROM w GROUP BY ALL ORDER BY 1").fetchall()
    assert found == [("a", 1.0, 1000), ("b", 2.0, 1000), ("c", 0.0, 1000)]
    assert max(seen) < 10


UNKNOWN = [helper.make_node("Hardmax", ["x"], ["y"])]


def test_the_host_is_visible(con: Any) -> None:
    model = graph(UNKNOWN, {"x": (T.FLOAT, [None, 3])}, {"y": T.FLOAT})
    con.register_model("m", model, inputs=["a", "b", "c"])
    query = con.sql("SELECT PREDICT(m, *)[1] FROM t")
    assert "onnxruntime on the host, because operator Hardmax is not a tensor operation here" in query.explain()
    assert [row[0] for row in query.fetchall()] == (ROWS.argmax(1) == 0).tolist()
    with pytest.raises(ModelError, match="no tensor program: operator Hardmax is not") as raised:
        con.register_model("other", model, backend="tensor")
    assert 'backend="host"' in str(raised.value)
    con.register_model("m", network(), inputs=["a", "b", "c"], backend="host")
    assert "onnxruntime on the host" in con.sql("SELECT PREDICT(m, *)[1] FROM t").explain()


def test_an_attribute_that_is_not_known_is_named(con: Any) -> None:
    node = helper.make_node("Cast", ["x"], ["y"], to=T.FLOAT16)
    half = graph(
        [node, helper.make_node("Cast", ["y"], ["z"], to=T.FLOAT)], {"x": (T.FLOAT, [None, 2])}, {"z": T.FLOAT}
    )
    con.register_model("half", half, backend="tensor")
    with pytest.raises(ModelError, match=r"LinearRegressor with post_transform LOGISTIC of one target is not a tensor"):
        con.register_model("m", one("LinearRegressor", [ROWS], domain=ML, coefficients=[1.0, 2, 3], post_transform="LOGISTIC"),
                           backend="tensor")  # fmt: skip


def test_without_the_packages(con: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(
        ModelError, match="operator Hardmax is not a tensor operation here; onnxruntime is not inst"
    ) as raised:
        con.register_model("m", graph(UNKNOWN, {"x": (T.FLOAT, [None, 3])}, {"y": T.FLOAT}))
    assert 'pip install "tensor-query-processor[onnx]"' in str(raised.value)
    with pytest.raises(ModelError, match="onnxruntime is not installed"):
        con.register_model("m", network(), backend="host")
    con.register_model("m", network(), inputs=["a", "b", "c"])  # checked by the reference evaluator
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ModelError, match="onnx is not installed"):
        con.register_model("m", "model.onnx")


def test_a_program_that_differs_is_refused(con: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    right = onnx_host.HostGraph.run

    def wrong(self: Any, inputs: Any, outputs: Any, device: Any) -> Any:
        return [answer + 0.1 for answer in right(self, inputs, outputs, device)]

    monkeypatch.setattr(onnx_host.HostGraph, "run", wrong)
    with pytest.raises(ModelError, match=r"differs from onnxruntime on 500 of 500 rows:\n  x1=.*instead of"):
        con.register_model("m", network())
    assert con.sql("SELECT count(*) FROM t").fetchall() == [(50,)]


def test_rows_that_depend_on_each_other_are_refused(con: Any) -> None:
    nodes = [helper.make_node("ReduceMean", ["x", "axis"], ["mean"]), helper.make_node("Sub", ["x", "mean"], ["y"])]
    model = graph(nodes, {"x": (T.FLOAT, [None, 3])}, {"y": T.FLOAT}, {"axis": np.array([0])})
    for backend in ("tensor", "host"):
        with pytest.raises(ModelError, match="the answer for a row depends on the rows beside it"):
            con.register_model("m", model, backend=backend)


def test_a_sample_of_ones_own(con: Any) -> None:
    con.register_model("m", network(), inputs=["a", "b", "c"], check=TABLE.to_pandas())
    con.register_model("m", network(), check=ROWS)
    with pytest.raises(ModelError, match="the sample has no column c"):
        con.register_model("m", network(), inputs=["a", "b", "c"], check={"a": [1], "b": [2]})


def broken(folder: Path) -> list[tuple[Any, dict[str, Any], str]]:
    """(model, options, message) of what cannot be registered."""
    (folder / "empty.onnx").write_bytes(b"")
    (folder / "text.onnx").write_text("this is no model")
    onnx.save(network(), folder / "whole.onnx")
    (folder / "half.onnx").write_bytes((folder / "whole.onnx").read_bytes()[:90])
    unknown = graph([helper.make_node("Relu", ["nowhere"], ["y"])], {"x": (T.FLOAT, [None, 3])}, {"y": T.FLOAT})
    fixed = graph([helper.make_node("Relu", ["x"], ["y"])], {"x": (T.FLOAT, [4, 3])}, {"y": T.FLOAT})
    image = graph([helper.make_node("Relu", ["x"], ["y"])], {"x": (T.FLOAT, [None, 3, 8, 8])}, {"y": T.FLOAT})
    total = graph(
        [helper.make_node("ReduceSum", ["x"], ["y"], keepdims=0)], {"x": (T.FLOAT, [None, 3])}, {"y": T.FLOAT}
    )
    custom = graph(
        [helper.make_node("Magic", ["x"], ["y"], domain="my.own")], {"x": (T.FLOAT, [None, 3])}, {"y": T.FLOAT}
    )
    custom.opset_import.append(helper.make_opsetid("my.own", 1))
    return [
        (folder / "absent.onnx", {}, "there is no file"), (folder, {}, "is a path"), ("model.pkl", {}, "but .onnx"),
        (folder / "empty.onnx", {}, "not a valid ONNX|not an ONNX"), (folder / "text.onnx", {}, "not an ONNX model"),
        (folder / "half.onnx", {}, "not an ONNX model|not a valid"), (unknown, {}, "not a valid ONNX model"),
        (network(), {"inputs": ["a", "b"]}, "takes 3 columns, not 2"), (network(columns="k"), {}, "how many columns"),
        (network(columns="k"), {"inputs": ["a"]}, "fails on two rows|graph itself"), (fixed, {}, "exactly 4 rows"),
        (image, {}, "has 4 dimensions"), (total, {}, "has the shape"), (network(), {"method": "transform"}, "for estimators"),
        (custom, {}, "operator my.own.Magic is not a tensor operation here; onnxruntime does not take the graph"),
        (network(), {"backend": "gpu"}, "choose auto, tensor, host"),
    ]  # fmt: skip


def test_what_is_no_model_is_refused_and_the_connection_lives_on(con: Any, tmp_path: Path) -> None:
    for model, options, message in broken(tmp_path):
        with pytest.raises(ModelError, match=message):
            con.register_model("m", model, **options)
        assert con.models() == []
    assert con.sql("SELECT count(*) FROM t").fetchall() == [(50,)]


def test_arguments_are_checked_when_a_query_is_bound(con: Any) -> None:
    words = np.array([["b"], ["a"]], dtype=object)
    con.register_model("net", network())
    con.register_model("text", one("LabelEncoder", [words], domain=ML, keys_strings=["a"], values_floats=[1.0]))
    for sql, message in (
        ("SELECT PREDICT(net, a)[1] FROM t", "takes 3 arguments, not 1"),
        ("SELECT PREDICT(net, a, b, 'x')[1] FROM t", "is a number, not VARCHAR"),
        ("SELECT PREDICT(text, a) FROM t", "is text, not FLOAT"),
        ("SELECT PREDICT(net, a, b, c)[3] FROM t", "1 to 2"),
    ):
        with pytest.raises(BindError, match=message):
            con.sql(sql)


def test_tensors_beside_the_file(con: Any, tmp_path: Path) -> None:
    onnx.save(network(), tmp_path / "net.onnx", save_as_external_data=True, location="net.data", size_threshold=0)
    con.register_model("m", tmp_path / "net.onnx", inputs=["a", "b", "c"])
    (wanted,) = asked(network(), {"x": ROWS})
    np.testing.assert_allclose(
        con.sql("SELECT PREDICT(m, *)[1] AS p FROM t").df().p, wanted[:, 0], rtol=1e-5, atol=1e-6
    )
    proto = onnx.load(tmp_path / "net.onnx", load_external_data=False)
    with pytest.raises(ModelError, match="keeps tensors in other files"):
        con.register_model("m", proto)
    for where in ("../net.data", str(tmp_path / "net.data")):
        for tensor in proto.graph.initializer:
            next(entry for entry in tensor.external_data if entry.key == "location").value = where
        folder = tmp_path / "inner"
        folder.mkdir(exist_ok=True)
        (folder / "net.onnx").write_bytes(proto.SerializeToString())
        with pytest.raises(ModelError, match="outside of its folder"):
            con.register_model("m", folder / "net.onnx")
    (tmp_path / "net.data").unlink()
    with pytest.raises(ModelError, match="does not exist"):
        con.register_model("m", tmp_path / "net.onnx")


def test_the_graph_handed_in_stays_as_it_is() -> None:
    model = network()
    before = model.SerializeToString()
    prepare("m", model)
    assert model.SerializeToString() == before


def test_functions_in_the_file_are_part_of_the_graph(con: Any) -> None:
    twice = helper.make_function(
        "mine", "Twice", ["v"], ["w"], [helper.make_node("Add", ["v", "v"], ["w"])], [helper.make_opsetid("", 18)]
    )
    made = helper.make_graph(
        [helper.make_node("Twice", ["x"], ["y"], domain="mine")], "g",
        [helper.make_tensor_value_info("x", T.FLOAT, [None, 3])], [helper.make_tensor_value_info("y", T.FLOAT, [None, 3])],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("mine", 1)]
    model = helper.make_model(made, functions=[twice], opset_imports=opsets, ir_version=9)
    con.register_model("m", model, inputs=["a", "b", "c"], backend="tensor")
    np.testing.assert_allclose(con.sql("SELECT PREDICT(m, *)[2] AS p FROM t").df().p, 2 * ROWS[:, 1])


def test_constants_are_computed_once() -> None:
    nodes = [helper.make_node("Exp", ["c"], ["e"]), helper.make_node("Mul", ["x", "e"], ["y"])]
    model = graph(nodes, {"x": (T.FLOAT, [None, 3])}, {"y": T.FLOAT}, {"c": np.ones((1, 3), np.float32)})
    predictor: Any = prepare("m", model).predictor
    assert [step.node.kind for step in predictor.runner._plan(("y",))] == ["Mul"]
    assert numpy_helper.to_array(model.graph.initializer[0]).tolist() == [[1, 1, 1]]
