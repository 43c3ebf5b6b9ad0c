"""Whatever is handed to register_model, it is a model or an error of tqp that says something, and the connection goes on."""

from __future__ import annotations

import copy
import functools
import io
import pickle
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pandas as pd
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from torch import Tensor, nn

import tqp
from tqp.errors import TqpError

pytestmark = pytest.mark.filterwarnings("ignore")

ROWS = np.abs(np.random.default_rng(0).normal(size=(40, 3))) + 0.1
LABELS = (ROWS[:, 0] > 0.8).astype(int)


class Refusing:
    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"no {name}")


class RefusingProperty:
    @property
    def predict(self) -> Any:
        raise ValueError("no")


class Predicting:
    n_features_in_ = 2

    def __init__(self, answer: Callable[[Any], Any]) -> None:
        self.predict = answer


class Encoding:
    def __init__(self, answer: Callable[[Any], Any]) -> None:
        self.encode = answer


class Answering(nn.Module):
    def __init__(self, answer: Callable[[Tensor], Any]) -> None:
        super().__init__()
        self.answer = answer

    def forward(self, x: Tensor) -> Any:
        return self.answer(x)

    def __repr__(self) -> str:
        raise ValueError("no text")


def _raises(error: BaseException) -> Callable[..., Any]:
    def function(*args: Any) -> Any:
        raise error

    return function


def _hooked(answer: Any) -> nn.Module:
    module = nn.Linear(2, 1)
    module.register_forward_hook(lambda module, given, found: answer)
    return module


async def _waits(a: Tensor) -> Tensor:
    return a


def _yields(a: Tensor) -> Iterator[Tensor]:
    yield a


ODD: dict[str, Any] = {
    "none": None, "number": 3, "bytes": b"onnx", "list": [1], "dictionary": {}, "set": set(), "ellipsis": ..., "type": int,
    "class": LogisticRegression, "module class": nn.Linear, "exception": ValueError("x"), "file": io.BytesIO(b"onnx"),
    "frame": pd.DataFrame({"a": [1]}), "array": ROWS, "tensor": torch.zeros(3), "parameter": nn.Parameter(torch.zeros(2)),
    "state": nn.Linear(2, 1).state_dict(), "optimizer": torch.optim.SGD(nn.Linear(2, 1).parameters(), lr=1),
    "no file": "nothing.onnx", "no ending": "nothing", "path": Path("nothing.onnx"),
    "unfitted": LogisticRegression(), "unfitted pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
    "unfitted words": CountVectorizer(), "unfitted encoder": OneHotEncoder(),
    "refusing": Refusing(), "refusing property": RefusingProperty(),
    "predicts none": Predicting(lambda rows: None), "predicts one": Predicting(lambda rows: [1]),
    "predicts objects": Predicting(lambda rows: np.array([object()] * len(rows))), "predict raises": Predicting(_raises(KeyError("no"))),
    "encodes none": Encoding(lambda texts: None), "encodes objects": Encoding(lambda texts: [object() for _ in texts]),
    "encodes unlike": Encoding(lambda texts: [[1, 2], [3]]), "encode stops": Encoding(_raises(StopIteration())),
    "on meta": nn.Linear(2, 1, device="meta"), "lazy": nn.LazyLinear(1), "many": nn.ModuleList([nn.Linear(2, 1)]), "empty": nn.Sequential(),
    "recurrent": nn.LSTM(2, 3), "loss": nn.CrossEntropyLoss(), "embedding": nn.Embedding(4, 2), "hook of none": _hooked(None),
    "hook of text": _hooked("text"), "raises": Answering(_raises(KeyError("no"))), "stops": Answering(_raises(StopIteration())),
    "complex": Answering(lambda x: x.to(torch.complex64)), "sparse": Answering(lambda x: x.to_sparse()), "nested": Answering(lambda x: [[x, [x]]]),
    "scalar": Answering(lambda x: x.sum()), "three": Answering(lambda x: x[:, :, None].expand(-1, -1, 2)), "no columns": Answering(lambda x: x[:, :0]),
    "short": Answering(lambda x: x[:1]), "text": Answering(lambda x: "a"), "numpy": Answering(lambda x: x.numpy()), "lists": Answering(lambda x: x.tolist()),
    "bytes of floats": Answering(lambda x: x.to(torch.float8_e4m3fn)), "no argument": lambda: 1, "any arguments": lambda *a, **k: 3, "builtin": len,
    "ufunc": np.sin, "partial": functools.partial(lambda a, b: a), "coroutine": _waits, "generator": _yields,
}  # fmt: skip
OPTIONS: list[dict[str, Any]] = [
    {}, {"backend": "host"}, {"backend": "tensor"}, {"inputs": ["a", "b"]}, {"inputs": {"a": str, "b": float}}, {"inputs": {"v": "FLOAT[2]"}},
    {"output": ["n", "y"]}, {"method": "transform"}, {"inputs": ["a"], "output": "logits"}, {"nulls": "missing"}, {"side_effects": True},
]  # fmt: skip
ODD_OPTIONS: list[dict[str, Any]] = [
    {"inputs": 3}, {"inputs": "ab"}, {"inputs": [1, 2]}, {"inputs": []}, {"inputs": ["a", "a"]}, {"inputs": [None]}, {"inputs": {"a": None}},
    {"inputs": {1: float}}, {"inputs": {"a": "NOPE"}}, {"inputs": {"x1": "DATE", "x2": "JSON", "x3": str}}, {"output": 3.5}, {"output": []},
    {"output": [1, "a"]}, {"output": {"a": 1}}, {"output": {}}, {"output": [None, None]}, {"output": ["a", "a"]}, {"output": object()},
    {"method": 3}, {"method": ""}, {"method": "fit"}, {"backend": "gpu"}, {"backend": None}, {"nulls": "x"}, {"nulls": None}, {"side_effects": "yes"},
    {"check": 3}, {"check": {}}, {"check": "text"}, {"check": pd.DataFrame()}, {"check": {"x1": [1]}}, {"check": np.zeros((0, 3))},
    {"check": [[1, 2, 3]]}, {"check": {"x1": ["a"], "x2": ["b"], "x3": ["c"]}}, {"check": {"x1": [1, 2], "x2": [1], "x3": [1]}},
    {"check": {"x1": [[1, 2]], "x2": [[1, 2]], "x3": [[1, 2]]}}, {"check": {"x1": 1, "x2": 1, "x3": 1}},
]  # fmt: skip


@pytest.fixture(scope="module")
def con() -> Iterator[tqp.Connection]:
    with tqp.connect(threads=1) as made:
        made.register("t", {"a": [1.0, 2.0]}).register_model("kept", lambda a: a * 2)
        yield made


def _registered(con: tqp.Connection, model: Any, **options: Any) -> None:
    """It is a model, or an error of tqp with words; in either case the connection answers."""
    try:
        con.register_model("m", model, **options)
    except TqpError as error:
        assert error.message.strip()
    assert con.sql("SELECT sum(PREDICT(kept, a)) FROM t").fetchall() == [(6.0,)]


@pytest.mark.parametrize("name", ODD)
def test_objects_that_are_no_models(name: str, con: tqp.Connection) -> None:
    for options in OPTIONS:
        _registered(con, ODD[name], **options)


@pytest.mark.parametrize("options", ODD_OPTIONS, ids=lambda one: next(iter(one)))
def test_options_that_mean_nothing(options: dict[str, Any], con: tqp.Connection) -> None:
    models = (
        LogisticRegression().fit(ROWS, LABELS),
        nn.Linear(3, 2),
        lambda a: a,
        lambda texts: [len(t) for t in texts],
    )
    for model in models:
        _registered(con, model, **options)


@pytest.mark.parametrize("name", [None, 3, "", b"m", "a b", "x" * 300, "m\0"], ids=repr)
def test_names_of_models(name: Any, con: tqp.Connection) -> None:
    try:
        con.register_model(name, nn.Linear(2, 1))
    except TqpError as error:
        assert error.message.strip()
    assert "kept" in con.models()


FITTED: list[Any] = [
    LogisticRegression(), LinearRegression(), RandomForestClassifier(2), HistGradientBoostingClassifier(max_iter=2), KNeighborsClassifier(3),
    MLPClassifier((3,), max_iter=3), SVC(), GaussianNB(), KMeans(2, n_init=1), StandardScaler(), PCA(2),
]  # fmt: skip


@pytest.mark.parametrize("estimator", FITTED, ids=lambda one: type(one).__name__)
def test_attributes_that_are_missing_or_odd(estimator: Any, con: tqp.Connection) -> None:
    estimator.fit(ROWS, LABELS)
    for attribute in [name for name in vars(estimator) if name.endswith("_")]:
        for value in (None, "text", np.zeros((2, 2, 2)), []):
            changed = copy.deepcopy(estimator)
            setattr(changed, attribute, value)
            _registered(con, changed)
        changed = copy.deepcopy(estimator)
        delattr(changed, attribute)
        _registered(con, changed)


def test_files_that_are_no_graphs(con: tqp.Connection, tmp_path: Path) -> None:
    weights = numpy_helper.from_array(np.ones((2, 3), np.float32), "w")
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("Softmax", ["h"], ["p"], axis=1)]
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [None, width]) for name, width in (("x", 2), ("p", 3))
    ]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], [weights])
    model: onnx.ModelProto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    whole = model.SerializeToString()
    drawn = random.Random(0)
    changed = []
    for _ in range(60):
        some = bytearray(whole)
        some[drawn.randrange(len(some))] = drawn.randrange(256)
        changed.append(bytes(some))
    others = [b"", b"PK\3\4", pickle.dumps(LogisticRegression()), drawn.randbytes(500)]
    file = tmp_path / "m.onnx"
    for content in (*[whole[:stop] for stop in range(0, len(whole), 7)], *changed, *others):
        file.write_bytes(content)
        _registered(con, file)
    file.write_bytes(whole)
    con.register_model("m", file)
