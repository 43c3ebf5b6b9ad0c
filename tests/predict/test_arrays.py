"""Models and arrays: predictions of several values, arrays as inputs, and models that read text."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from sklearn import linear_model
from sklearn import tree as tree_models

import tqp
from tqp.errors import BindError, ExecutionError, ModelError

HOST = torch.device("cpu")


def _rows(count: int, size: int, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).normal(size=(count, size)).astype(np.float32)


class Counted:
    """A text encoder that counts the strings it is asked for."""

    def __init__(self, dtype: torch.dtype = torch.float32) -> None:
        self.asked: list[str] = []
        self._dtype = dtype
        self._lock = threading.Lock()

    def encode(self, texts: list[str]) -> torch.Tensor:
        assert isinstance(texts, list)
        with self._lock:
            self.asked += texts
        rows = [[len(text), text.count("a"), 1.0] for text in texts]
        return torch.tensor(rows, dtype=self._dtype, device=HOST).reshape(len(texts), 3)


@pytest.fixture
def con() -> tqp.Connection:
    made = tqp.connect(threads=2)
    texts = ["aa", "b", None, "aa", "abc", "b"]
    made.register("t", pa.table({"id": range(6), "s": texts, "x": [1.0, 2.0, 3.0, None, 5.0, 6.0]}))
    return made


def test_probabilities_are_an_array_wherever_a_value_is() -> None:
    rows = _rows(300, 2)
    model = linear_model.LogisticRegression().fit(rows, np.arange(300) % 3)
    with tqp.connect(threads=1) as con:
        con.register("t", {"id": np.arange(300), "a": rows[:, 0], "b": rows[:, 1]}).register_model("m", model)
        expected = model.predict_proba(rows)
        whole = con.sql("SELECT PREDICT_PROBA(m, a, b) AS p FROM t ORDER BY id")
        assert str(whole.types[0]) == "DOUBLE[3]"
        np.testing.assert_allclose(whole.numpy()["p"], expected, rtol=1e-6)
        query = """
            SELECT p[1], p[-1], p[id % 3 + 1], len(p), PREDICT_PROBA(m, a, b)[2], PREDICT_PROBA(m, a, b)[-1],
                PREDICT_PROBA(m, a, b)[id % 3 + 1]
            FROM (SELECT *, PREDICT_PROBA(m, a, b) AS p FROM t) ORDER BY id
        """
        found = np.array(con.sql(query).fetchall())
        by_id = expected[np.arange(300), np.arange(300) % 3]
        shown = [expected[:, 0], expected[:, 2], by_id, np.full(300, 3), expected[:, 1], expected[:, 2], by_id]
        np.testing.assert_allclose(found, np.stack(shown, 1), rtol=1e-6)
        assert con.sql("SELECT count(*) FROM t WHERE len(PREDICT_PROBA(m, a, b)) = 3").fetchall() == [(300,)]
        assert con.sql("SELECT PREDICT_PROBA(m, a, b) FROM t WHERE id < 0").fetchall() == []
        ((constant,),) = con.sql("SELECT PREDICT_PROBA(m, 1, 2)").fetchall()
        assert constant == pytest.approx(tuple(model.predict_proba([[1, 2]])[0]))
        with pytest.raises(BindError, match="1 to 3"):
            con.sql("SELECT PREDICT_PROBA(m, a, b)[4] FROM t")


def test_probabilities_and_one_of_them_are_predicted_together() -> None:
    calls = []

    def scores(a: torch.Tensor) -> torch.Tensor:
        calls.append(a.shape[0])
        return torch.cat([a, -a], dim=1)

    with tqp.connect(threads=1) as con:
        con.register("t", {"a": _rows(50, 1)[:, 0]}).register_model("m", scores, output=["x", "y"])
        calls.clear()
        rows = con.sql("SELECT PREDICT_PROBA(m, a), PREDICT_PROBA(m, a)['y'], PREDICT_PROBA(m, a)[1] FROM t").fetchall()
        assert calls == [50]
        assert all(whole == (first, second) for whole, second, first in rows)


@pytest.mark.parametrize(("dtype", "shown"), [(torch.float32, "FLOAT[4]"), (torch.float64, "DOUBLE[4]")])
def test_several_results_are_arrays_of_their_own_type(con: tqp.Connection, dtype: torch.dtype, shown: str) -> None:
    con.register_model("m", lambda x: (x * torch.arange(4, device=x.device)).to(dtype))
    found = con.sql("SELECT PREDICT(m, x), PREDICT(m, x)[3] FROM t ORDER BY id")
    assert [str(kind) for kind in found.types] == [shown, shown.removesuffix("[4]")]
    assert found.fetchall()[1] == ((0.0, 2.0, 4.0, 6.0), 4.0)
    assert found.fetchall()[3] == (None, None)


def test_an_array_feeds_a_model_of_as_many_features() -> None:
    rows = _rows(200, 5)
    target = rows @ np.arange(5) + 1
    many = np.stack([target, -target], 1)
    with tqp.connect(threads=1) as con:
        con.register("t", {"id": np.arange(200), "v": rows, "w": rows[:, :4], "last": rows[:, 4]})
        con.register_model("m", linear_model.LinearRegression().fit(rows, target))
        found = con.sql(
            "SELECT PREDICT(m, v), PREDICT(m, w, last), PREDICT(m, v::DOUBLE[5]) FROM t ORDER BY id"
        ).fetchall()
        np.testing.assert_allclose(np.array(found), np.stack([target] * 3, 1), rtol=1e-4, atol=1e-4)
        con.register_model("two", linear_model.LinearRegression().fit(rows, many))
        both = con.sql("SELECT PREDICT(two, v) AS p FROM t ORDER BY id")
        assert str(both.types[0]) == "DOUBLE[2]"
        np.testing.assert_allclose(both.numpy()["p"], many, rtol=1e-4, atol=1e-4)
        assert con.sql("SELECT PREDICT(m, NULL::FLOAT[5])").fetchall() == [(None,)]
        with pytest.raises(BindError, match="takes 5 arguments"):
            con.sql("SELECT PREDICT(m, w) FROM t")


def test_features_that_cannot_matter_do_no_harm_in_an_array() -> None:
    rows = _rows(100, 3)
    tree = tree_models.DecisionTreeRegressor(max_depth=1).fit(rows, rows[:, 1])
    with tqp.connect(threads=1) as con:
        con.register("t", {"v": rows}).register_model("m", tree)
        found = con.sql("SELECT PREDICT(m, v) = PREDICT(m, v[1], v[2], v[3]) AS same FROM t GROUP BY same")
        assert found.fetchall() == [(True,)]


def test_arrays_are_declared_as_inputs_of_torch_models() -> None:
    rows = _rows(20, 4)
    layer = torch.nn.Linear(4, 2)

    def score(v: torch.Tensor, q: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        assert v.shape[1] == q.shape[1] == 4 and bias.ndim == 1
        return (v * q).sum(1) + bias

    def tokens(ids: torch.Tensor) -> torch.Tensor:
        assert ids.dtype is torch.int64
        return ids.sum(1).double()

    class Pair(torch.nn.Module):
        def forward(self, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
            return left[:, 0] - right[:, 0]

    with tqp.connect(threads=1) as con:
        con.register("t", {"id": np.arange(20), "v": rows, "k": np.arange(40, dtype=np.int32).reshape(20, 2)})
        con.register_model("layer", layer, inputs={"v": "FLOAT[4]"}).register_model("plain", layer)
        con.register_model("score", score, inputs={"v": "FLOAT[4]", "q": "FLOAT[4]", "bias": float})
        con.register_model("tokens", tokens, inputs={"ids": "INTEGER[2]"})
        con.register_model("pair", Pair(), inputs={"left": "float[4]", "right": "float[4]"})
        expected = layer(torch.from_numpy(rows)).detach().numpy()
        np.testing.assert_allclose(con.sql("SELECT PREDICT(layer, v) AS p FROM t").numpy()["p"], expected, rtol=1e-5)
        np.testing.assert_allclose(con.sql("SELECT PREDICT(plain, v) AS p FROM t").numpy()["p"], expected, rtol=1e-5)
        got = con.sql("SELECT PREDICT(score, v, [1, 2, 3, 4], id) AS p FROM t").numpy()["p"]
        np.testing.assert_allclose(got, rows @ [1, 2, 3, 4] + np.arange(20), rtol=1e-4)
        assert con.sql("SELECT PREDICT(tokens, k) FROM t WHERE id = 3").fetchall() == [(13.0,)]
        assert con.sql("SELECT PREDICT(pair, v, v) AS p FROM t").numpy()["p"].tolist() == [0.0] * 20
        for text, error in (
            ("SELECT PREDICT(layer, k) FROM t", "cannot become FLOAT"),
            ("SELECT PREDICT(layer, id) FROM t", "is an array"),
            ("SELECT PREDICT(layer, v, v) FROM t", "takes 1 arguments"),
        ):
            with pytest.raises(BindError, match=error):
                con.sql(text)


@pytest.mark.parametrize(
    "inputs", [{"x": "FLOAT"[:2]}, {"x": "FLOAT[0]"}, {"x": "DECIMAL[3]"}, {"x": None}, {"x": "VARCHAR[2]"}]
)
def test_what_inputs_cannot_say(inputs: dict[str, Any]) -> None:
    with tqp.connect() as con, pytest.raises(ModelError, match="no kind of input"):
        con.register_model("m", torch.nn.Linear(3, 1), inputs=inputs)


def test_an_encoder_is_asked_once_for_each_string(con: tqp.Connection) -> None:
    model = Counted()
    con.register_model("embed", model)
    model.asked.clear()
    found = con.sql("SELECT PREDICT(embed, s), PREDICT(embed, s)[2], PREDICT(embed, upper(s))[1] FROM t ORDER BY id")
    assert str(found.types[0]) == "FLOAT[3]"
    assert found.fetchall() == [
        ((2.0, 2.0, 1.0), 2.0, 2.0), ((1.0, 0.0, 1.0), 0.0, 1.0), (None, None, None), ((2.0, 2.0, 1.0), 2.0, 2.0),
        ((3.0, 1.0, 1.0), 1.0, 3.0), ((1.0, 0.0, 1.0), 0.0, 1.0),
    ]  # fmt: skip
    assert sorted(model.asked) == ["AA", "ABC", "B", "aa", "abc", "b"]
    con.sql("SELECT sum(PREDICT(embed, s)[1]) FROM t").fetchall()
    assert len(model.asked) == 6, "a second query asks nothing"
    assert "once per distinct value" in con.sql("SELECT PREDICT(embed, s) FROM t").explain()


def test_only_strings_that_occur_are_asked_for() -> None:
    model = Counted(torch.float64)
    words = [f"word {number % 5000}" for number in range(20_000)]
    with tqp.connect(threads=2) as con:
        con.register("t", pa.table({"id": range(20_000), "s": words})).register_model("embed", model)
        model.asked.clear()
        found = con.sql("SELECT PREDICT(embed, s) FROM t WHERE id IN (7, 8, 5007)")
        assert str(found.types[0]) == "DOUBLE[3]" and found.fetchall() == [((6.0, 0.0, 1.0),)] * 3
        assert sorted(model.asked) == ["word 7", "word 8"]
        con.sql("SELECT sum(PREDICT(embed, s)[1]) FROM t").fetchall()
        assert len(model.asked) == len(set(model.asked)) == 5000


def test_near_unique_text_is_asked_for_once_too() -> None:
    model = Counted()
    words = [f"{number % 110_000} text" for number in range(150_000)]
    with tqp.connect(threads=2) as con:
        con.register("t", pa.table({"s": words})).register_model("embed", model)
        model.asked.clear()
        total = con.sql("SELECT sum(PREDICT(embed, s)[1]) FROM t").fetchall()
        assert total == [(float(sum(map(len, words))),)]
        assert len(model.asked) == len(set(words))


def test_nearest_texts(con: tqp.Connection) -> None:
    con.register_model("embed", Counted())
    query = """
        SELECT s FROM t WHERE s IS NOT NULL GROUP BY s
        ORDER BY array_distance(PREDICT(embed, s), PREDICT(embed, $q)), s LIMIT 2
    """
    assert con.sql(query, {"q": "aaa"}).fetchall() == [("aa",), ("abc",)]
    vector = torch.tensor([2.0, 2.0, 1.0], device=HOST)
    assert con.sql("SELECT id FROM t WHERE PREDICT(embed, s) = ? ORDER BY 1", [vector]).fetchall() == [(0,), (3,)]


def test_functions_of_a_list_of_strings(con: tqp.Connection) -> None:
    con.register_model("size", lambda texts: [len(text) for text in texts], inputs={"text": str})
    con.register_model("wide", lambda texts: np.ones((len(texts), 2), np.float16), inputs={"s": "text"})
    found = con.sql("SELECT PREDICT(size, s), PREDICT(wide, *) FROM t WHERE id < 3 ORDER BY id")
    assert [str(kind) for kind in found.types] == ["DOUBLE", "FLOAT[2]"]
    assert found.fetchall() == [(2.0, (1.0, 1.0)), (1.0, (1.0, 1.0)), (None, None)]
    assert con.sql(
        "SELECT PREDICT(size, NULL), PREDICT(size, 'four'), PREDICT(wide, '') FROM t LIMIT 1"
    ).fetchall() == [(None, 4.0, (1.0, 1.0))]
    assert con.sql("SELECT PREDICT(wide, s) FROM t WHERE s IS NULL").fetchall() == [(None,)]
    assert con.sql("SELECT PREDICT(wide, s) FROM t WHERE id < 0").fetchall() == []
    with pytest.raises(BindError, match="is text, not"):
        con.sql("SELECT PREDICT(size, id) FROM t")


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (lambda texts: ["no"] * len(texts), "not numbers"), (lambda texts: [1.0], r"\(1,\) for 2 strings"),
        (lambda texts: np.ones((len(texts), 2, 2)), r"not \(n,\) or \(n, d\)"), (lambda texts: 1 / 0, "fails on a list"),
        (lambda texts: np.ones((len(texts), 0)), "gives no numbers"), (torch.nn.Linear(1, 1), "takes no text"),
    ],
)  # fmt: skip
def test_what_is_no_text_model(model: Any, why: str) -> None:
    with tqp.connect() as con, pytest.raises(ModelError, match=why):
        con.register_model("m", model, inputs={"text": str})


def test_a_model_that_fails_later_says_so(con: tqp.Connection) -> None:
    def fragile(texts: list[str]) -> list[float]:
        return [1.0 / (3 - len(text)) for text in texts]

    con.register_model("m", fragile, inputs={"text": str})
    with pytest.raises(ModelError, match="m failed: ZeroDivisionError"):
        con.sql("SELECT PREDICT(m, s) FROM t").fetchall()
    assert con.sql("SELECT PREDICT(m, s) FROM t WHERE id = 0").fetchall() == [(1.0,)]


def test_text_pipelines_of_scikit_learn(con: tqp.Connection) -> None:
    from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.pipeline import make_pipeline

    texts = ["good film", "bad film", "good good", "awful", "fine film", "bad"]
    labels = ["yes", "no", "yes", "no", "yes", "no"]
    con.register("r", pa.table({"id": range(7), "text": [*texts, None]}))
    likes = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(texts, labels)
    score = make_pipeline(HashingVectorizer(n_features=16), Ridge()).fit(texts, range(6))
    words = CountVectorizer().fit(texts)
    con.register_model("likes", likes).register_model("score", score).register_model("words", words)
    query = "SELECT PREDICT(likes, text), PREDICT_PROBA(likes, text), PREDICT(score, text), PREDICT(words, *) FROM r ORDER BY id"
    found = con.sql(query)
    assert [str(kind) for kind in found.types] == [
        "VARCHAR",
        "DOUBLE[2]",
        "DOUBLE",
        f"DOUBLE[{len(words.vocabulary_)}]",
    ]
    *rows, last = found.fetchall()
    assert last == (None, None, None, None)
    assert [row[0] for row in rows] == likes.predict(texts).tolist()
    np.testing.assert_allclose([row[1] for row in rows], likes.predict_proba(texts))
    np.testing.assert_allclose([row[2] for row in rows], score.predict(texts))
    np.testing.assert_allclose([row[3] for row in rows], words.transform(texts).toarray())
    assert con.sql("SELECT count(*) FROM r WHERE PREDICT_PROBA(likes, text)['yes'] > 0.5").fetchall() == [(3,)]
    assert (
        "TfidfVectorizer" not in con.sql(query).explain() and "Pipeline.predict on the host" in con.sql(query).explain()
    )


def test_an_array_of_nullable_elements_fails_where_one_is_null(con: tqp.Connection) -> None:
    assert con.sql("SELECT sum(len([x, 1]::FLOAT[2])) FROM t WHERE x IS NOT NULL").fetchall() == [(10,)]
    with pytest.raises(ExecutionError, match="element of a FLOAT"):
        con.sql("SELECT [x, 1]::FLOAT[2] FROM t").fetchall()


def test_many_values_are_predicted_together_too() -> None:
    calls = []

    def wide(x: torch.Tensor) -> torch.Tensor:
        calls.append(x.shape[0])
        return x * torch.arange(40, device=x.device)

    with tqp.connect(threads=1) as con:
        con.register("t", {"x": _rows(60, 1)[:, 0]}).register_model("m", wide)
        calls.clear()
        rows = con.sql("SELECT PREDICT(m, x)[2], PREDICT(m, x)[40], PREDICT(m, x) FROM t").fetchall()
        assert calls == [60]
        assert all((second, last) == (whole[1], whole[39]) for second, last, whole in rows)
        table = con.sql("SELECT * FROM ML.PREDICT(MODEL m, TABLE t)")
        assert [str(kind) for kind in table.types] == ["FLOAT", "DOUBLE[40]"]
        con.register_model("three", lambda x: x.repeat(1, 3))
        table = con.sql("SELECT * FROM ML.PREDICT(MODEL three, TABLE t)")
        assert table.columns == ["x", "predicted_1", "predicted_2", "predicted_3"] and str(table.types[1]) == "DOUBLE"


def test_null_arrays_as_missing_values() -> None:
    masked = np.ma.MaskedArray(np.ones((3, 2), np.float32), [[False] * 2, [True] * 2, [False] * 2])
    with tqp.connect(threads=1) as con:
        con.register("t", {"id": [1, 2, 3], "v": masked})
        for nulls, second in (("auto", None), ("null", None), ("missing", -1.0)):
            con.register_model("m", lambda v: v.sum(1).nan_to_num(-1.0), inputs={"v": "FLOAT[2]"}, nulls=nulls)
            assert con.sql("SELECT PREDICT(m, v) FROM t").fetchall() == [(2.0,), (second,), (2.0,)]
        with pytest.raises(ModelError, match="no value that stands for NULL"):
            con.register_model("m", lambda v: v.sum(1), inputs={"v": "INTEGER[2]"}, nulls="missing")
        with pytest.raises(ModelError, match="not asked for NULL"):
            con.register_model("m", Counted(), nulls="missing")
