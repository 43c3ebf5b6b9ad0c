"""Every ONNX operator as a graph of one node, on rows and on tables of rows, against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto as T
from onnx import helper, numpy_helper

from tests.predict.onnx_graphs import ML, answered, asked, flat, graph, one, same
from tqp.models.onnx.operators import known

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(7, 4)).astype(np.float32)
Y = RANDOM.normal(size=(7, 4)).astype(np.float32)
POSITIVE = np.abs(X) + np.float32(0.1)
ODD = np.array([[np.nan, np.inf, -np.inf, 0.0], [-0.0, 1e30, -1e30, 1e-40], [2.5, 3.5, -2.5, 0.5]], np.float32)
WHOLE = RANDOM.integers(-9, 9, (7, 4))
TRUTH = X > 0
CUBE = RANDOM.normal(size=(5, 2, 3)).astype(np.float32)
ROW = np.array([[1.0, -2.0, 0.5, 3.0]], np.float32)
LONG, FLAG, REAL, DOUBLE = T.INT64, T.BOOL, T.FLOAT, T.DOUBLE


def ints(*values: int) -> Any:
    return np.array(values, np.int64)


Case = tuple[str, list[Any], list[Any], dict[str, Any]]

CASES: list[Case] = [
    *[(kind, [X], [], {}) for kind in "Identity Exp Abs Neg Floor Ceil Round Sign Relu Tanh Erf Sigmoid Softplus Softsign "
      "LeakyRelu Elu Selu HardSigmoid Softmax LogSoftmax Sin Cos Celu ThresholdedRelu Flatten Transpose Dropout".split()],
    *[(kind, [POSITIVE], [], {}) for kind in ("Sqrt", "Log", "Reciprocal")],
    *[(kind, [ODD], [], {}) for kind in ("Round", "Sign", "Abs", "Floor", "Neg", "Sqrt", "Exp")],
    *[(kind, [ODD], [], {"outputs": [FLAG]}) for kind in ("IsNaN", "IsInf")],
    ("IsInf", [ODD], [], {"outputs": [FLAG], "detect_negative": 0}),
    ("Gelu", [X], [], {"opset": 20}), ("Gelu", [X], [], {"opset": 20, "approximate": "tanh"}),
    *[(kind, [X, Y], [], {}) for kind in ("Add", "Sub", "Mul", "Div", "Min", "Max", "Sum", "Mean")],
    *[(kind, [X], [ROW], {}) for kind in ("Add", "Sub", "Mul", "Div", "Min", "Max")],
    *[(kind, [X], [np.float32(2)], {}) for kind in ("Add", "Sub", "Mul", "Div", "Pow")],
    *[(kind, [WHOLE, WHOLE[::-1].copy()], [], {"outputs": [LONG]}) for kind in ("Add", "Mul", "Sub", "Max")],
    ("Div", [WHOLE], [ints(4)], {"outputs": [LONG]}), ("Mod", [WHOLE], [ints(4)], {"outputs": [LONG]}),
    ("Mod", [X], [np.float32(0.7)], {"fmod": 1}), ("Pow", [WHOLE], [ints(2)], {"outputs": [LONG]}),
    ("Pow", [X], [ints(3)], {}), ("Mul", [X], [np.ones((1, 1, 1), np.float32)], {}),
    *[(kind, [X, Y], [], {"outputs": [FLAG]}) for kind in ("Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Equal")],
    *[(kind, [TRUTH, TRUTH[::-1].copy()], [], {"outputs": [FLAG]}) for kind in ("And", "Or", "Xor")],
    ("Not", [TRUTH], [], {"outputs": [FLAG]}), ("Where", [TRUTH, X, Y], [], {}),
    ("Cast", [X], [], {"to": LONG, "outputs": [LONG]}), ("Cast", [X], [], {"to": FLAG, "outputs": [FLAG]}),
    ("Cast", [WHOLE], [], {"to": DOUBLE, "outputs": [DOUBLE]}), ("Cast", [TRUTH], [], {"to": REAL}),
    ("CastLike", [WHOLE, X], [], {}),
    ("Clip", [X], [np.float32(-0.5), np.float32(0.7)], {}), ("Clip", [X], [None, np.float32(0.7)], {}),
    ("Clip", [X], [], {"min": -0.5, "max": 0.5, "opset": 7}), ("Clip", [X], [], {"min": 0.5, "opset": 7}),
    ("LeakyRelu", [X], [], {"alpha": 0.3}), ("Elu", [X], [], {"alpha": 0.3}), ("HardSigmoid", [X], [], {"alpha": 0.5}),
    *[(kind, [X], [], {"axis": axis, "opset": opset}) for kind in ("Softmax", "LogSoftmax")
      for axis, opset in ((1, 18), (-1, 13), (1, 11))],
    ("Softmax", [CUBE], [], {"opset": 11}), ("Softmax", [CUBE], [], {"axis": 1}),
    *[(kind, [POSITIVE], [ints(1)], {}) for kind in
      ("ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp",
       "ReduceLogSum", "ReduceSum")],
    *[(kind, [POSITIVE], [], {"axes": [-1], "keepdims": 0, "opset": 12}) for kind in
      ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceProd", "ReduceLogSumExp")],
    ("ReduceSum", [CUBE], [ints(1, 2)], {}), ("ReduceProd", [CUBE], [ints(2, 1)], {"keepdims": 0}),
    ("ReduceSum", [WHOLE], [ints(1)], {"outputs": [LONG]}), ("ReduceMean", [X], [], {}),
    ("ReduceSum", [X], [], {"noop_with_empty_axes": 1}),
    *[(kind, [np.round(X)], [], {"axis": 1, "outputs": [LONG]}) for kind in ("ArgMax", "ArgMin")],
    ("ArgMax", [np.round(X)], [], {"axis": 1, "keepdims": 0, "outputs": [LONG]}),
    ("ArgMax", [np.round(X)], [], {"axis": 1, "select_last_index": 1, "outputs": [LONG]}),
    ("TopK", [np.round(X)], [ints(2)], {"outputs": [REAL, LONG]}),
    ("TopK", [np.round(X)], [ints(3)], {"largest": 0, "axis": 1, "outputs": [REAL, LONG]}),
    ("TopK", [X], [], {"k": 2, "opset": 9, "outputs": [REAL, LONG]}),
    ("CumSum", [X], [np.array(1)], {}), ("CumSum", [X], [np.array(1)], {"exclusive": 1}),
    ("CumSum", [X], [np.array(1)], {"reverse": 1, "exclusive": 1}),
    ("LayerNormalization", [X], [ROW[0], ROW[0]], {}), ("LayerNormalization", [CUBE], [ROW[0, :3]], {"epsilon": 0.1}),
    ("BatchNormalization", [X], [ROW[0], ROW[0], ROW[0], np.abs(ROW[0])], {}),
    ("BatchNormalization", [CUBE], [ROW[0, :2], ROW[0, :2], ROW[0, :2], np.abs(ROW[0, :2])], {"epsilon": 0.1}),
    ("MatMul", [X], [RANDOM.normal(size=(4, 3)).astype(np.float32)], {}),
    ("MatMul", [CUBE], [RANDOM.normal(size=(3, 3)).astype(np.float32)], {}),
    ("Gemm", [X], [RANDOM.normal(size=(4, 3)).astype(np.float32), np.ones(3, np.float32)], {"alpha": 0.5, "beta": 2.0}),
    ("Gemm", [X], [RANDOM.normal(size=(3, 4)).astype(np.float32)], {"transB": 1}),
    ("Einsum", [X], [RANDOM.normal(size=(4, 3)).astype(np.float32)], {"equation": "nf,fk->nk"}),
    ("Reshape", [X], [ints(-1, 2, 2)], {}), ("Reshape", [X], [ints(0, -1)], {}), ("Reshape", [X[:, :1]], [ints(-1)], {}),
    ("Flatten", [CUBE], [], {}), ("Flatten", [CUBE], [], {"axis": 2}), ("Flatten", [X[:, 0]], [], {}),
    ("Squeeze", [X[:, :1]], [ints(1)], {}), ("Squeeze", [X[:, :1]], [], {"axes": [1], "opset": 11}),
    ("Unsqueeze", [X], [ints(0, 3)], {}), ("Unsqueeze", [X], [], {"axes": [1], "opset": 11}),
    ("Transpose", [CUBE], [], {"perm": [0, 2, 1]}), ("Transpose", [CUBE], [], {}),
    ("Concat", [X, Y], [], {"axis": 1}), ("Concat", [X, Y[:, :1]], [], {"axis": -1}), ("Concat", [CUBE, CUBE], [], {"axis": 2}),
    ("Split", [X], [ints(1, 3)], {"axis": 1, "outputs": [REAL, REAL]}),
    ("Split", [X], [], {"axis": 1, "num_outputs": 2, "outputs": [REAL, REAL]}),
    ("Split", [X], [], {"axis": 1, "split": [3, 1], "opset": 11, "outputs": [REAL, REAL]}),
    ("Slice", [X], [ints(1), ints(3), ints(1)], {}), ("Slice", [X], [ints(-1), ints(-9), ints(1), ints(-2)], {}),
    ("Slice", [X], [ints(-1), ints(-(2**63)), ints(1), ints(-1)], {}),
    ("Slice", [X], [], {"starts": [1], "ends": [99], "axes": [1], "opset": 9}), ("Slice", [CUBE], [ints(0, 1), ints(9, 2)], {}),
    ("Gather", [X], [ints(2, 0, -1)], {"axis": 1}), ("Gather", [X], [np.array(1)], {"axis": 1}),
    ("Gather", [X], [ints(2, 0).reshape(1, 2)], {"axis": 1}),
    ("GatherElements", [X], [np.tile(ints(1, -1), (7, 1))], {"axis": 1}),
    ("GatherND", [X], [np.stack([np.arange(7), np.arange(7) % 4], 1)], {}),
    ("GatherND", [X], [(np.arange(7) % 4)[:, None]], {"batch_dims": 1}),
    ("Shape", [X], [], {"outputs": [LONG]}), ("Shape", [CUBE], [], {"start": 1, "outputs": [LONG]}),
    ("Size", [X], [], {"outputs": [LONG]}), ("Expand", [X[:, :1]], [ints(1, 3)], {}), ("Tile", [X], [ints(1, 2)], {}),
    ("OneHot", [WHOLE[:, 0]], [np.array(9), np.array([-1.0, 2.0], np.float32)], {}),
    ("OneHot", [WHOLE[:, :1]], [np.array(9), np.array([0.0, 1.0], np.float32)], {"axis": 1}),
    ("Trilu", [CUBE], [], {}), ("Trilu", [CUBE], [np.array(1)], {"upper": 0}), ("EyeLike", [X], [], {}),
    *[("Scaler", [x], [], {"domain": ML, "offset": [1.0, 2.0, 3.0, 4.0], "scale": [0.5, 2.0, -1.0, 0.0]})
      for x in (X, WHOLE)],
    ("Scaler", [X], [], {"domain": ML, "offset": [1.0], "scale": [0.5]}),
    *[("Normalizer", [np.concatenate([X, 0 * X[:2]])], [], {"domain": ML, "norm": norm}) for norm in ("MAX", "L1", "L2")],
    ("Normalizer", [-POSITIVE], [], {"domain": ML, "norm": "MAX"}), ("Normalizer", [-POSITIVE], [], {"domain": ML, "norm": "L1"}),
    ("Imputer", [ODD], [], {"domain": ML, "imputed_value_floats": [1.0, 2, 3, 4], "replaced_value_float": float("nan")}),
    ("Imputer", [ODD], [], {"domain": ML, "imputed_value_floats": [7.0], "replaced_value_float": 0.0}),
    ("Imputer", [WHOLE], [], {"domain": ML, "imputed_value_int64s": [7], "replaced_value_int64": 1, "outputs": [LONG]}),
    ("Binarizer", [X], [], {"domain": ML, "threshold": 0.3}),
    ("ArrayFeatureExtractor", [X], [ints(2, 0)], {"domain": ML}), ("ArrayFeatureExtractor", [X], [ints(3)], {"domain": ML}),
    ("FeatureVectorizer", [X, Y[:, :2]], [], {"domain": ML, "inputdimensions": [4, 2]}),
    ("OneHotEncoder", [WHOLE[:, :2]], [], {"domain": ML, "cats_int64s": [-3, 5, 1, 0]}),
    ("OneHotEncoder", [WHOLE[:, 0]], [], {"domain": ML, "cats_int64s": [-3, 5, 1, 0]}),
    ("LabelEncoder", [WHOLE], [], {"domain": ML, "keys_int64s": [5, 1, -3], "values_floats": [0.5, 1.5, 2.5], "default_float": 9.0}),
    ("LabelEncoder", [WHOLE], [], {"domain": ML, "keys_int64s": [5, 1], "values_int64s": [4, 3], "outputs": [LONG]}),
    *[("LabelEncoder", [ODD], [], {
        "domain": ML, "keys_floats": [2.5, float("nan"), -2.5], "values_floats": [1.0, 2.0, 3.0], "ml": version,
    }) for version in (2, 4)],
]  # fmt: skip


def name_of(case: Case) -> str:
    return (
        f"{case[0]}-{'-'.join(f'{key}={value}' for key, value in case[3].items() if key not in ('outputs', 'domain'))}"[
            :70
        ]
    )


@pytest.mark.parametrize("coded", [False, True], ids=["rows", "table"])
@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_operator_answers_as_onnxruntime(case: Case, coded: bool) -> None:
    kind, rows, constants, options = case
    model = one(kind, rows, constants, **options)
    feeds = {f"x{number}": flat(array) for number, array in enumerate(rows)}
    same(answered(model, feeds, coded=coded), asked(model, feeds))


WORDS = np.array([["b", "a"], ["", "zzz"], ["é", "b"], ["a", "c"], ["b", "b"]], dtype=object)
ENCODERS: list[tuple[str, Any, dict[str, Any]]] = [
    ("LabelEncoder", WORDS, {"keys_strings": ["a", "b", "é"], "values_int64s": [4, 2, 9], "default_int64": 7, "outputs": [LONG]}),
    ("LabelEncoder", WORDS[:, :1], {"keys_strings": ["a", ""], "values_floats": [0.5, 2], "default_float": -1.5}),
    ("LabelEncoder", WORDS[:, 0], {"keys_strings": ["a", ""], "values_strings": ["x", "y"], "outputs": [T.STRING]}),
    ("LabelEncoder", WORDS[:, :1], {
        "ml": 4, "keys_tensor": numpy_helper.from_array(np.array(["a", "b"], object)),
        "values_tensor": numpy_helper.from_array(ints(3, 4)), "default_tensor": numpy_helper.from_array(ints(-5)),
        "outputs": [LONG],
    }),
    ("LabelEncoder", WORDS, {"ml": 1, "classes_strings": ["a", "b"], "default_int64": -7, "outputs": [LONG]}),
    ("OneHotEncoder", WORDS, {"cats_strings": ["b", "a", "é"]}),
    ("OneHotEncoder", WORDS[:, :1], {"cats_strings": ["b", "a", "é"]}),
    ("OneHotEncoder", WORDS[:, 0], {"cats_strings": ["b"]}),
    ("CategoryMapper", WORDS, {"cats_strings": ["b", "a"], "cats_int64s": [5, 6], "default_int64": -9, "outputs": [LONG]}),
    ("ArrayFeatureExtractor", WORDS, {"constants": [ints(1, 0)], "outputs": [T.STRING]}),
]  # fmt: skip


@pytest.mark.parametrize("case", ENCODERS, ids=lambda case: str(case[0]))
def test_encoders_of_text(case: tuple[str, Any, dict[str, Any]]) -> None:
    kind, rows, options = case
    options = dict(options)
    model = one(kind, [rows], options.pop("constants", []), domain=ML, **options)
    same(answered(model, {"x0": rows}), asked(model, {"x0": rows}))


def test_text_beside_text_and_cast_and_compared() -> None:
    nodes = [
        helper.make_node("Concat", ["a", "b"], ["both"], axis=1),
        helper.make_node("ArrayFeatureExtractor", ["both", "second"], ["again"], domain=ML),
        helper.make_node("Equal", ["again", "sought"], ["same"]),
        helper.make_node("Cast", ["digits"], ["number"], to=T.FLOAT),
        helper.make_node("Where", ["same", "yes", "no"], ["word"]),
        helper.make_node("Gather", ["words", "place"], ["found"]),
    ]
    texts = {"sought": ["b"], "yes": ["yes"], "no": ["no"], "words": ["p", "q", "r"]}
    constants = {name: np.array(value, object) for name, value in texts.items()} | {"second": ints(1)}
    shape = [None, 1]
    inputs = {"a": (T.STRING, shape), "b": (T.STRING, shape), "digits": (T.STRING, shape), "place": (T.INT64, [None])}
    outputs = {"same": T.BOOL, "number": T.FLOAT, "word": T.STRING, "found": T.STRING, "again": T.STRING}
    model = graph(nodes, inputs, outputs, constants, opset=19)
    feeds = {
        "a": WORDS[:, :1], "b": WORDS[:, 1:], "digits": np.array([["1"], ["-2.5"], ["1e3"], ["7"], ["0"]], object),
        "place": ints(0, -1, 2, 1, 1),
    }  # fmt: skip
    same(answered(model, feeds), asked(model, feeds))


def test_numbers_to_texts_where_rows_share_a_table() -> None:
    model = one(
        "LabelEncoder",
        [WHOLE[:, :1]],
        domain=ML,
        keys_int64s=[5, 1],
        values_strings=["five", "one"],
        outputs=[T.STRING],
    )
    same(answered(model, {"x0": WHOLE[:, :1]}, coded=True), asked(model, {"x0": WHOLE[:, :1]}))


@pytest.mark.parametrize("post", ["NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT"])
def test_linear_models(post: str) -> None:
    rows = X if post != "PROBIT" else np.abs(X) * np.float32(0.05) + np.float32(0.02)
    settings = {"domain": ML, "post_transform": post}
    many = [0.3, 0.1, 0.2, 0.0, 0.5, -0.1, 0.2, 0.1, 0.0, 0.4, 0.3, 0.2]
    models = [
        one("LinearRegressor", [rows], coefficients=many, intercepts=[0.1, 0.2, 0.3], targets=3, **settings),
        one("LinearClassifier", [rows], coefficients=many, intercepts=[0.1, 0.2, 0.3], classlabels_ints=[7, 3, 5],
            outputs=[LONG, REAL], **settings),
        one("LinearClassifier", [rows], coefficients=many[:8], intercepts=[0.1, 0.2], classlabels_strings=["p", "q"],
            outputs=[T.STRING, REAL], **settings),
    ]  # fmt: skip
    if post != "PROBIT":
        single = {"coefficients": [1.0, -1, 0.5, 2], "intercepts": [0.1], "classlabels_ints": [4, 9]}
        models.append(one("LinearClassifier", [rows], outputs=[LONG, REAL], **single, **settings))
    if post in ("NONE", "PROBIT"):
        models.append(one("LinearRegressor", [rows], coefficients=many[:4], **settings))
    for model in models:
        for coded in (False, True):
            same(answered(model, {"x0": rows}, coded=coded), asked(model, {"x0": rows}))


@pytest.mark.parametrize("kernel", ["LINEAR", "POLY", "RBF", "SIGMOID"])
def test_support_vectors(kernel: str) -> None:
    vectors = RANDOM.normal(size=(6, 4)).astype(np.float32)
    settings = {
        "domain": ML,
        "kernel_type": kernel,
        "kernel_params": [0.3, 0.2, 2.0],
        "support_vectors": vectors.ravel().tolist(),
    }
    weights = RANDOM.normal(size=12).tolist()
    three = {
        "vectors_per_class": [2, 3, 1],
        "coefficients": weights,
        "rho": [0.1, -0.2, 0.3],
        "classlabels_ints": [3, 1, 2],
    }
    chances = {"prob_a": [-1.0, -0.5, -2.0], "prob_b": [0.1, 0.2, -0.1]}
    two = {"vectors_per_class": [2, 4], "coefficients": weights[:6], "rho": [0.1], "classlabels_strings": ["n", "p"]}
    for options, kinds in ((three, [LONG, REAL]), (three | chances, [LONG, REAL]), (two, [T.STRING, REAL])):
        model = one("SVMClassifier", [X], outputs=kinds, **settings, **options)
        same(answered(model, {"x0": X}), asked(model, {"x0": X}))
    model = one("SVMRegressor", [X], n_supports=6, coefficients=weights[:6], rho=[0.4], **settings)
    same(answered(model, {"x0": X}), asked(model, {"x0": X}))


def test_shapes_are_computed_on_the_host() -> None:
    nodes = [
        helper.make_node("Shape", ["x"], ["shape"]),
        helper.make_node("Gather", ["shape", "zero"], ["rows"]),
        helper.make_node("Concat", ["rows", "three"], ["wanted"], axis=0),
        helper.make_node(
            "ConstantOfShape", ["wanted"], ["ones"], value=numpy_helper.from_array(np.ones(1, np.float32))
        ),
        helper.make_node("Constant", [], ["limit"], value_int=3),
        helper.make_node("Constant", [], ["step"], value_int=1),
        helper.make_node("Constant", [], ["start"], value=numpy_helper.from_array(np.array(0))),
        helper.make_node("Range", ["start", "limit", "step"], ["range"]),
        helper.make_node("Cast", ["range"], ["decimal"], to=T.FLOAT),
        helper.make_node("Mul", ["ones", "decimal"], ["y"]),
    ]
    model = graph(nodes, {"x": (T.FLOAT, [None, 4])}, {"y": T.FLOAT}, {"zero": ints(0), "three": ints(3)})
    same(answered(model, {"x": X}), asked(model, {"x": X}))


def test_every_operator_is_tested() -> None:
    tested = {case[0] if case[3].get("domain") is None else f"{ML}.{case[0]}" for case in CASES}
    tested |= {f"{ML}.{case[0]}" for case in ENCODERS}
    elsewhere = {"Constant", "ConstantOfShape", "Range", *(f"{ML}.{name}" for name in (
        "LinearRegressor", "LinearClassifier", "SVMRegressor", "SVMClassifier", "TreeEnsemble", "TreeEnsembleRegressor",
        "TreeEnsembleClassifier", "CastMap", "DictVectorizer", "ZipMap",
    ))}  # fmt: skip
    assert set(known()) - tested - elsewhere == set()
