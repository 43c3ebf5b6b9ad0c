"""Modules and functions of tensors: what reaches their parameters, what their answers are, and what is refused when they are registered."""

from __future__ import annotations

import dataclasses
import functools
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import tqp
from tqp.errors import BindError, ModelError, TqpError

HOST = torch.device("cpu")
V = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], device=HOST)
W = torch.tensor([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]], device=HOST)
IDS = torch.tensor([[0, 1, 2], [3, 4, 5], [6, 7, 8]], device=HOST)
MASK = torch.tensor([[1, 1, 0], [1, 1, 1], [1, 0, 0]], device=HOST)
LARGE = 2**24 + 1


ON_THE_HOST = pytest.mark.host_only("a function that reads tensors of the host")


@pytest.fixture(autouse=True)
def made_on_the_host() -> Iterator[None]:
    """Modules are made where programs make them, wherever connections are."""
    with HOST:
        yield


@pytest.fixture
def con() -> tqp.Connection:
    made = tqp.connect(threads=1)
    columns = {"id": [LARGE, 2, 3], "d": [LARGE + 0.5, 2.5, 3.5], "v": V, "w": W, "ids": IDS, "mask": MASK}
    return made.register("t", {**columns, "b": [True, False, True]})


def rows(con: tqp.Connection, query: str) -> tuple[list[str], list[Any]]:
    """The types and the rows of a query over `t`."""
    found = con.sql(f"SELECT {query} FROM t")
    return [str(dtype) for dtype in found.types], found.fetchall()


class Weighted(nn.Module):
    def forward(self, x: Tensor, w: Tensor | None = None) -> Tensor:
        return (x if w is None else x * w).sum(1)


class Classifier(nn.Module):
    """As those of transformers: every parameter has a default, and the answer is an ordered mapping."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.embedding = nn.Embedding(30, 4)
        self.head = nn.Linear(4, 2)

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        inputs_embeds: Tensor | None = None,
        return_dict: bool = True,
    ) -> OrderedDict[str, Tensor]:
        if inputs_embeds is not None:
            return OrderedDict(logits=self.head(inputs_embeds))
        assert input_ids is not None
        hidden = self.embedding(input_ids)
        mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        pooled = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return OrderedDict(logits=self.head(pooled), hidden=hidden)


# --- which input goes where


@pytest.mark.parametrize(
    ("inputs", "arguments", "expected"),
    [
        ({"x": "FLOAT[2]", "w": "FLOAT[2]"}, "v, w", [3, 14, 33]), ({"w": "FLOAT[2]", "x": "FLOAT[2]"}, "w, v", [3, 14, 33]),
        ({"x": "FLOAT[2]"}, "v", [3, 7, 11]), ({"other": "FLOAT[2]"}, "v", [3, 7, 11]), (["a", "b"], "id, id", [LARGE * 2, 4, 6]),
    ],
)  # fmt: skip
def test_inputs_go_to_the_parameters_of_their_names(
    con: tqp.Connection, inputs: Any, arguments: str, expected: list[float]
) -> None:
    con.register_model("m", Weighted(), inputs=inputs)
    assert rows(con, f"PREDICT(m, {arguments})")[1] == [(number,) for number in expected]


@pytest.mark.parametrize(
    "inputs",
    [
        {"x": "FLOAT[2]", "y": "FLOAT[2]"}, {"a": "FLOAT[2]", "b": "FLOAT[2]"}, ["x", "y"], ["w"],
        {"a": float, "v": "FLOAT[2]"},
    ],
)  # fmt: skip
def test_what_does_not_match_is_an_error_that_lists_both(con: tqp.Connection, inputs: Any) -> None:
    names = ", ".join(inputs)
    with pytest.raises(ModelError, match=f"inputs {names} do not match the parameters of Weighted: x, w=None"):
        con.register_model("m", Weighted(), inputs=inputs)


def test_a_mask_with_a_default_is_received(con: tqp.Connection) -> None:
    model = Classifier()
    types = {"input_ids": "BIGINT[3]", "attention_mask": "BIGINT[3]"}
    con.register_model("m", model, inputs=types, output="logits")
    shown, found = rows(con, "PREDICT(m, ids, mask)")
    assert shown == ["FLOAT[2]"]
    np.testing.assert_allclose([one for (one,) in found], model(IDS, MASK)["logits"].detach(), rtol=1e-5)
    con.register_model("m", model, inputs=types, output={"logits": ["no", "yes"]})
    shown, found = rows(con, "PREDICT(m, ids, mask), PREDICT_PROBA(m, ids, mask)")
    chances = model(IDS, MASK)["logits"].double().softmax(1)
    assert [label for label, _ in found] == [("no", "yes")[place] for place in chances.argmax(1).tolist()]
    np.testing.assert_allclose([one for _, one in found], chances.detach(), rtol=1e-5)
    lists = con.sql("SELECT PREDICT(m, ids::BIGINT[], mask::BIGINT[]) FROM t").fetchall()
    assert lists == con.sql("SELECT PREDICT(m, ids, mask) FROM t").fetchall()
    con.register_model("m", model, inputs={"inputs_embeds": "FLOAT[4]"}, output="logits")
    np.testing.assert_allclose(
        rows(con, "PREDICT(m, [1, 2, 3, 4])")[1][0][0], model.head(torch.tensor([1.0, 2, 3, 4])).detach(), 1e-5
    )


class Scores:
    def score(self, a: Tensor, b: Tensor) -> Tensor:
        return a - b

    def __call__(self, a: Tensor, b: Tensor) -> Tensor:
        return b - a


@pytest.mark.parametrize(
    ("model", "inputs", "expected"),
    [
        (lambda a, b: a - b, None, -1), (lambda a, b: a - b, ["x", "y"], -1), (lambda a, b: a - b, ["b", "a"], 1),
        (lambda a, b=1: a - b, ["b", "a"], 1), (lambda *, a, b: a - b, None, -1), (lambda a, *, b=2: a - b, ["b", "a"], 1),
        (lambda *args: args[0] - args[1], ["x", "y"], -1), (lambda **named: named["x"] - named["y"], ["x", "y"], -1),
        (lambda a, /, b=0: a - b, ["a", "b"], -1), (functools.partial(lambda a, b, c: c * (a - b), c=2), ["a", "b"], -2),
        (Scores().score, None, -1), (Scores(), None, 1), (torch.sub, ["x", "y"], -1),
        (lambda *args, **named: torch.sub(*args, **named), ["x", "y"], -1),(lambda x: x[:, 0] - x[:, 1], ["x", "y"], -1),
    ],
)  # fmt: skip
def test_functions_of_all_kinds(con: tqp.Connection, model: Any, inputs: Any, expected: Any) -> None:
    con.register_model("m", model, inputs=inputs)
    assert rows(con, "PREDICT(m, id, id + 1)")[1] == [(expected,)] * 3


@ON_THE_HOST
def test_modules_in_all_their_coats(con: tqp.Connection) -> None:
    torch.manual_seed(0)
    layer = nn.Linear(2, 1)
    expected = [(pytest.approx(number, rel=1e-5),) for number in layer(V)[:, 0].tolist()]
    dropping = nn.Sequential(layer, nn.Dropout(0.5))
    coats = [
        layer, dropping, nn.DataParallel(layer), torch.compile(layer), torch.jit.script(dropping), torch.jit.trace(layer, V),
        layer.forward, functools.partial(dropping.forward), functools.partial(dropping),
        torch.optim.swa_utils.AveragedModel(layer), nn.utils.parametrizations.weight_norm(nn.Linear(2, 1)),
    ]  # fmt: skip
    for coat in coats[:-1]:
        con.register_model("m", coat, inputs={"input": "FLOAT[2]"})
        assert rows(con, "PREDICT(m, v)")[1] == expected, coat
    con.register_model("m", coats[-1])
    assert dropping.training
    con.register_model("m", layer, method="forward")
    assert rows(con, "PREDICT(m, v)")[1] == expected


# --- in which dtype


@pytest.mark.parametrize("model", [lambda x: x, nn.Identity()])
def test_no_number_is_rounded_unless_it_is_asked_for(con: tqp.Connection, model: Any) -> None:
    name = "x" if not isinstance(model, nn.Module) else "input"
    for declared, argument, dtype, first in (
        (int, "id", "BIGINT", LARGE), ("BIGINT", "id", "BIGINT", LARGE), (torch.int64, "b", "BIGINT", 1),
        (float, "id", "DOUBLE", LARGE), ("DOUBLE", "d", "DOUBLE", LARGE + 0.5), ("FLOAT", "id", "FLOAT", LARGE - 1),
        (bool, "b", "BOOLEAN", True), ("BIGINT[3]", f"[id, 2, {2**53 + 1}]", "BIGINT[3]", (LARGE, 2, 2**53 + 1)),
    ):  # fmt: skip
        con.register_model("m", model, inputs={name: declared})
        shown, found = rows(con, f"PREDICT(m, {argument})")
        assert (shown, found[0]) == ([dtype], (first,)), declared
    con.register_model("m", model, inputs=[name])
    assert rows(con, "PREDICT(m, id), PREDICT(m, d)")[1][0] == (LARGE, LARGE + 0.5)
    con.register_model("m", model, inputs={name: int})
    large = 2**63 - 1
    assert rows(con, f"PREDICT(m, {large}), PREDICT(m, NULL), PREDICT(m, nullif(id, 2))")[1][1] == (large, None, None)
    for argument in ("d", "1.5", "'a'"):
        with pytest.raises(BindError, match="is BIGINT, not|is a number, not"):
            con.sql(f"SELECT PREDICT(m, {argument}) FROM t")
    con.register_model("m", model, inputs={name: bool})
    with pytest.raises(BindError, match="is BOOLEAN, not"):
        con.sql("SELECT PREDICT(m, id) FROM t")


@pytest.mark.parametrize(
    ("dtype", "shown"),
    [
        (torch.float64, "DOUBLE"), (torch.float32, "FLOAT"), (torch.float16, "FLOAT"), (torch.bfloat16, "FLOAT"),
    ],
)  # fmt: skip
def test_modules_get_what_their_parameters_have(con: tqp.Connection, dtype: torch.dtype, shown: str) -> None:
    torch.manual_seed(0)
    layer = nn.Linear(2, 1).to(dtype)
    expected = layer(V.to(dtype))[:, 0].double().tolist()
    con.register_model("m", layer)
    con.register_model("whole", layer, inputs={"v": "FLOAT[2]"})
    found = rows(con, "PREDICT(whole, v), PREDICT(m, v), PREDICT(m, v[1], v[2])")
    assert found == ([shown] * 3, [(number,) * 3 for number in expected])


@ON_THE_HOST
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_many_rows_are_answered_as_one_by_one(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.LayerNorm(16), nn.Linear(16, 1)).to(dtype)
    count = 200_003
    table = {
        "id": torch.arange(count),
        "v": torch.randn(count, 2),
        "d": torch.randn(count).double(),
        "n": torch.arange(count) % 50,
    }
    with tqp.connect(threads=2) as con, torch.no_grad():
        con.register("many", table).register_model("m", model, inputs={"v": "FLOAT[2]", "d": float, "n": float})
        found = con.sql("SELECT id, PREDICT(m, v, d, n) AS p FROM many WHERE n % 7 < 3 ORDER BY id").torch()
        rows = torch.cat([table["v"], table["d"][:, None], table["n"][:, None]], 1).to(dtype)
        wanted = model(rows[found["id"]])[:, 0]
        some = torch.randperm(len(wanted))[:50]
        alone = torch.cat([model(rows[row : row + 1])[:, 0] for row in found["id"][some].tolist()])
        close = {torch.float64: 1e-12, torch.float32: 1e-5}.get(dtype, 2e-2)
        torch.testing.assert_close(found["p"].double(), wanted.double(), rtol=0, atol=close)
        torch.testing.assert_close(found["p"][some].double(), alone.double(), rtol=0, atol=close)


def test_labels_of_scores_are_exact(con: tqp.Connection) -> None:
    for labels, shown in (
        ([2**60, 2**60 + 1], "BIGINT"),
        ([True, False], "BOOLEAN"),
        (["", "ß"], "VARCHAR"),
        ([0.5, 2.5], "DOUBLE"),
    ):
        con.register_model("m", lambda v: (v[:, 0] > 2).long(), inputs={"v": "FLOAT[2]"}, output=labels)
        assert rows(con, "PREDICT(m, v)") == ([shown], [(labels[0],), (labels[1],), (labels[1],)])
    with pytest.raises(ModelError, match="is no BIGINT"):
        con.register_model("m", lambda v: (v[:, 0] > 2).long(), inputs={"v": "FLOAT[2]"}, output=[2**63, 1])


@ON_THE_HOST
def test_a_type_that_the_parameters_do_not_have_is_refused(con: tqp.Connection) -> None:
    with pytest.raises(ModelError, match="(?s)must have the same dtype.*declare FLOAT"):
        con.register_model("m", nn.Linear(2, 1), inputs={"v": "DOUBLE[2]"})
    with pytest.raises(ModelError, match="(?s)embeddings take whole numbers: inputs="):
        con.register_model("m", nn.Embedding(5, 2), inputs=["i"])
    layer = nn.Linear(2, 1)
    con.register_model("m", lambda a, b: layer(torch.stack([a, b], 1)))
    assert "float32" in con.sql("SELECT PREDICT(m, id, d) FROM t").explain()


def test_indices_of_embeddings(con: tqp.Connection) -> None:
    table = nn.Embedding(5, 2)
    bag = nn.EmbeddingBag(9, 2)
    con.register_model("m", table, inputs={"i": int}).register_model("bag", bag, inputs={"i": "INTEGER[3]"})
    found = rows(con, "PREDICT(m, id % 5), PREDICT(bag, ids)")[1]
    np.testing.assert_allclose([one for one, _ in found], table(torch.tensor([2, 2, 3])).detach())
    np.testing.assert_allclose([one for _, one in found], bag(IDS).detach())
    with pytest.raises(ModelError, match="m failed: IndexError"):
        rows(con, "PREDICT(m, id)")


@ON_THE_HOST
def test_rows_that_nobody_could_make_up_are_handed_in(con: tqp.Connection) -> None:
    known = torch.arange(100.0)

    def looked_up(i: Tensor) -> Tensor:
        if (i < 60).any():
            raise ValueError("no such key")
        return known[i - 50]

    with pytest.raises(ModelError, match="(?s)fails on 48 rows made up.*no such key.*check= hands in rows"):
        con.register_model("m", looked_up, inputs={"i": int})
    con.register_model("m", looked_up, inputs={"i": int}, check={"i": [60, 70, 61]})
    assert rows(con, "PREDICT(m, 65)")[1] == [(15,)] * 3
    con.register_model("m", nn.Linear(2, 1), inputs={"v": "FLOAT[2]"}, check={"v": V})
    con.register_model("m", nn.Linear(2, 1), inputs={"v": "FLOAT[2]"}, check=con.table("t").df())
    for check, text in (
        ({"i": [3]}, "fails on the sample"),
        ({"x": [1]}, "no column i"),
        ({"i": ["a"]}, "not of numbers"),
    ):
        with pytest.raises(ModelError, match=text):
            con.register_model("m", looked_up, inputs={"i": int}, check=check)


# --- a row's answer is its own


def _dropping(v: Tensor) -> Tensor:
    return nn.functional.dropout(v, 0.5)


MIXING = {
    "mean": lambda x: x - x.mean(), "first": lambda x: x - x[0], "norm": lambda x: x / x.norm(dim=0), "order": lambda x: x.cumsum(0),
    "place": lambda x: x + torch.arange(len(x), device=x.device)[:, None], "softmax": lambda x: x.softmax(0), "rank": lambda x: x.argsort(0),
    "attention": nn.TransformerEncoderLayer(8, 2), "with batch_first": nn.TransformerEncoderLayer(8, 2, batch_first=True),
    "recurrent": nn.RNN(8, 2), "statistics": nn.BatchNorm1d(8, track_running_stats=False),
    "normalised": lambda x: nn.functional.batch_norm(x, None, None, training=True), "most": lambda x: x == x.amax(0),
    "weakly": lambda x: x + 0.01 * x.mean(), "in doubles": lambda x: (x.double() + 1e-6 * x.double().mean()),
}  # fmt: skip


@pytest.mark.parametrize("case", MIXING)
def test_rows_that_see_each_other_are_refused_with_the_row(con: tqp.Connection, case: str) -> None:
    name = "src" if isinstance(MIXING[case], nn.TransformerEncoderLayer) else "x"
    with pytest.raises(ModelError, match=rf"answers a row by the rows that come with it: {name}=\["):
        con.register_model(
            "m", MIXING[case], inputs={name: "DOUBLE[8]" if case == "in doubles" else "FLOAT[8]"}, output=_part(case)
        )
    assert con.models() == []


def _part(case: str) -> int | None:
    return 0 if case == "recurrent" else None


@ON_THE_HOST
def test_models_that_only_round_differently_pass(con: tqp.Connection) -> None:
    torch.manual_seed(0)
    deep = nn.Sequential(
        *[nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Linear(64, 16), nn.LayerNorm(16)) for _ in range(8)]
    )
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        con.register_model("m", deep.to(dtype), inputs={"v": "FLOAT[16]"})
    convolution = nn.Sequential(
        nn.Unflatten(1, (1, 8, 8)), nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.Flatten(), nn.Linear(144, 3)
    )
    con.register_model("m", convolution, inputs={"image": "FLOAT[64]"}, output=["a", "b", "c"])
    layer = nn.TransformerEncoderLayer(4, 2, batch_first=True)
    con.register_model("m", lambda v: layer.eval()(v.reshape(-1, 3, 4)).mean(1), inputs={"v": "FLOAT[12]"})


@ON_THE_HOST
def test_chance_is_refused_unless_declared(con: tqp.Connection) -> None:
    with pytest.raises(
        ModelError, match=r"(?s)other answers when it is called again with the same rows: v=\[.*side_effects=True"
    ):
        con.register_model("m", _dropping, inputs={"v": "FLOAT[2]"})
    torch.manual_seed(7)
    first = torch.rand(1)
    torch.manual_seed(7)
    con.register_model("m", lambda x: x[:, 0] + torch.rand(len(x)), side_effects=True)
    assert torch.rand(1) == first, "registration draws nothing of what the program draws"
    found = rows(con, "PREDICT(m, 0), PREDICT(m, b::INT)")[1]
    assert {0 <= chance < 1 for chance, _ in found} == {True}
    con.register("many", {"k": torch.zeros(1000, dtype=torch.int64)})
    assert con.sql("SELECT count(DISTINCT PREDICT(m, k)) > 900 FROM many").fetchall() == [(True,)]
    assert con.sql(
        "SELECT count(*) FROM (SELECT PREDICT(m, k) AS p FROM many) WHERE p > 0.5 AND p <= 0.5"
    ).fetchall() == [(0,)]
    with pytest.raises(ModelError, match="side_effects=True is for torch models"):
        con.register_model("m", Counter(), inputs={"text": str}, side_effects=True)


class Counter:
    def encode(self, texts: list[str]) -> list[float]:
        return [float(len(text)) for text in texts]


def test_a_model_that_writes_into_its_arguments_changes_no_table(con: tqp.Connection) -> None:
    con.register_model("m", lambda v: v.mul_(2), inputs={"v": "FLOAT[2]"})
    con.register_model("n", lambda i: i.add_(1), inputs={"i": int})
    assert rows(con, "PREDICT(m, v), PREDICT(n, id)")[1][1] == ((6, 8), 3)
    assert rows(con, "v, id")[1][1] == ((3, 4), 2)

    def sometimes(v: Tensor) -> Tensor:
        return v.mul_(2) if bool((v == 12345).any()) else v

    con.register_model("m", sometimes, inputs={"v": "FLOAT[2]"})
    con.register("u", {"v": V + 12340})
    with pytest.raises(ModelError, match="writes into its arguments"):
        con.sql("SELECT PREDICT(m, v) FROM u").fetchall()


@ON_THE_HOST
def test_one_row_is_answered_by_what_was_made_for_more(con: tqp.Connection) -> None:
    program = torch.export.export(
        nn.Linear(2, 3), (torch.zeros(4, 2),), dynamic_shapes=({0: torch.export.Dim("rows", min=2)},)
    )
    con.register_model("program", program, inputs=["a", "b"])
    con.register_model("squeezed", lambda v: (v @ torch.ones(2, 1)).squeeze(), inputs={"v": "FLOAT[2]"})
    three = rows(con, "PREDICT(program, v), PREDICT(squeezed, v)")[1]
    one = con.sql("SELECT PREDICT(program, v), PREDICT(squeezed, v) FROM t WHERE id = 2").fetchall()
    assert one[0][0] == pytest.approx(three[1][0]) and one[0][1] == three[1][1] == 7


# --- what it gives


class Named(NamedTuple):
    first: Tensor
    second: Tensor


@dataclasses.dataclass
class Output:
    first: Tensor
    second: Tensor
    third: Tensor | None = None


@pytest.mark.parametrize(
    "give",
    [
        lambda a, b: (a, b), lambda a, b: [a, b], lambda a, b: {"first": a, "second": b}, Named, Output,
        lambda a, b: OrderedDict(first=a, second=b),
    ],
)  # fmt: skip
def test_one_of_several_parts_is_chosen(con: tqp.Connection, give: Any) -> None:
    def model(v: Tensor) -> Any:
        return give(v.sum(1), v)

    with pytest.raises(
        ModelError, match=r"(?s)it gives an? \w+ of '?(0|first)'? \(48,\), '?(1|second)'? \(48, 2\).*chooses one"
    ):
        con.register_model("m", model, inputs={"v": "FLOAT[2]"})
    con.register_model("m", model, inputs={"v": "FLOAT[2]"}, output=1)
    assert rows(con, "PREDICT(m, v)") == (["FLOAT[2]"], [((1, 2),), ((3, 4),), ((5, 6),)])
    con.register_model("m", model, inputs={"v": "FLOAT[2]"}, output={-1: ["a", "b"]})
    assert rows(con, "PREDICT(m, v)")[1] == [("b",)] * 3
    if not isinstance(give(V, V), list) and type(give(V, V)) is not tuple:
        con.register_model("m", model, inputs={"v": "FLOAT[2]"}, output="first")
        assert rows(con, "PREDICT(m, v)") == (["FLOAT"], [(3,), (7,), (11,)])
    with pytest.raises(ModelError, match="is no tensor of them"):
        con.register_model("m", model, inputs={"v": "FLOAT[2]"}, output="third")
    con.register_model("m", lambda v: {"loss": None, "logits": v}, inputs={"v": "FLOAT[2]"})


@pytest.mark.parametrize(
    ("give", "dtype", "first"),
    [
        (lambda v: v[:, 0] > 2, "BOOLEAN", False), (lambda v: v < 2, "BOOLEAN[2]", (True, False)), (lambda v: v[:, :1] < 2, "BOOLEAN", True), (lambda v: v[:, 0].long(), "BIGINT", 1),
        (lambda v: v[:, 0].to(torch.uint8), "BIGINT", 1), (lambda v: v.int(), "BIGINT[2]", (1, 2)), (lambda v: v[:, 0].half(), "FLOAT", 1.0),
        (lambda v: v[:, 0].double() / 3, "DOUBLE", 1 / 3),
    ],
)  # fmt: skip
def test_answers_have_the_type_that_they_are_of(con: tqp.Connection, give: Any, dtype: str, first: Any) -> None:
    con.register_model("m", give, inputs={"v": "FLOAT[2]"})
    shown, found = rows(con, "PREDICT(m, v), PREDICT(m, NULL::FLOAT[2])")
    assert shown == [dtype] * 2 and found[0] == (first, None)


@ON_THE_HOST
def test_one_score_of_two_labels(con: tqp.Connection) -> None:
    layer = nn.Linear(2, 1)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[1.0, -2.0]]))
        layer.bias.fill_(7)
    chances = layer(V).sigmoid().double()[:, 0].tolist()
    for model in (layer, nn.Sequential(layer, nn.Sigmoid()), lambda v: layer(v).sigmoid()[:, 0]):
        con.register_model(
            "m", model, inputs={"v" if not isinstance(model, nn.Module) else "input": "FLOAT[2]"}, output=["no", "yes"]
        )
        found = rows(con, "PREDICT(m, v), PREDICT_PROBA(m, v)['yes'], PREDICT_PROBA(m, v)[1]")[1]
        assert [label for label, *_ in found] == ["yes", "yes", "no"]
        np.testing.assert_allclose([one for _, one, _ in found], chances, rtol=1e-5)
        np.testing.assert_allclose([one for *_, one in found], 1 - np.array(chances), rtol=1e-4)


def test_a_sample_of_few_rows_makes_no_probability_of_a_logit(con: tqp.Connection) -> None:
    layer = nn.Linear(2, 1)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[1.0, 0.0]]))
        layer.bias.zero_()
    con.register_model("m", layer, inputs=["a", "b"], output=["no", "yes"], check={"a": [0.25, 0.5], "b": [0.0, 1.0]})
    assert rows(con, "PREDICT(m, 0.25, 0)")[1] == [("yes",)] * 3


def test_probabilities_are_taken_once(con: tqp.Connection) -> None:
    layer = nn.Linear(2, 3)
    expected = layer(V).double().softmax(1).detach()
    for last in (nn.Identity(), nn.Softmax(1), nn.LogSoftmax(1)):
        con.register_model("m", nn.Sequential(layer, last), inputs={"input": "FLOAT[2]"}, output=["a", "b", "c"])
        found = rows(con, "PREDICT(m, v), PREDICT_PROBA(m, v)")[1]
        np.testing.assert_allclose([one for _, one in found], expected, rtol=1e-5)
        assert [label for label, _ in found] == ["abc"[place] for place in expected.argmax(1).tolist()]
    con.register_model("m", nn.Sequential(layer, nn.Sigmoid()), inputs={"input": "FLOAT[2]"}, output=["a", "b", "c"])
    assert [label for (label,) in rows(con, "PREDICT(m, v)")[1]] == [
        "abc"[place] for place in expected.argmax(1).tolist()
    ]
    with pytest.raises(BindError, match="gives no probabilities"):
        con.sql("SELECT PREDICT_PROBA(m, v) FROM t")


def test_places_of_labels(con: tqp.Connection) -> None:
    con.register_model("m", lambda v: (v[:, 0] > 2).long(), inputs={"v": "FLOAT[2]"}, output=[10, 20])
    con.register_model("far", lambda v: (v[:, 0] > 2).long() * 5, inputs={"v": "FLOAT[2]"}, output=range(6))
    assert rows(con, "PREDICT(m, v), PREDICT(far, v)")[1] == [(10, 0), (20, 5), (20, 5)]
    with pytest.raises(ModelError, match="no places of the 2 labels"):
        con.register_model("m", lambda v: (v[:, 0] > 2).long() * 5, inputs={"v": "FLOAT[2]"}, output=[10, 20])


@pytest.mark.parametrize(
    ("output", "text"),
    [
        (["a", "b"], "3 scores a row, and output= names 2 labels"), (["a", "b", "c", "d"], "names 4 labels"), (["a", "a", "b"], "different"),
        (["a"], "different labels"), ([None, "a", "b"], "labels are texts"), (object(), "output= is an object"), ("logits", "is no part"),
        (2, "is no part"), ({}, "output= is"), ({"a": 1}, "output= is an int"), (True, "output= is a bool"),
    ],
)  # fmt: skip
def test_what_output_cannot_say(con: tqp.Connection, output: Any, text: str) -> None:
    with pytest.raises(ModelError, match=text):
        con.register_model("m", nn.Linear(2, 3), output=output)


# --- parameters


@ON_THE_HOST
def test_parameters_are_kept_once_and_read_anew(con: tqp.Connection) -> None:
    layer = nn.Linear(2, 1)
    module = nn.Sequential(layer, nn.Dropout(0.5))
    con.register_model("m", module, inputs={"input": "FLOAT[2]"})
    con.register_model("method", module.forward, inputs={"input": "FLOAT[2]"})
    called = con.catalog.model("m").predictor._call.callee.on(HOST)
    assert called is not module and called[0].weight is layer.weight and not called.training
    query = "PREDICT(m, v), PREDICT(method, v)"
    for change in (
        lambda: layer.weight.zero_(), lambda: layer.load_state_dict({"weight": torch.ones(1, 2), "bias": torch.zeros(1)}),
        lambda: setattr(layer, "weight", nn.Parameter(torch.tensor([[3.0, 4.0]]))), lambda: layer.weight.data.mul_(2), module.eval,
        module.train,
    ):  # fmt: skip
        with torch.no_grad():
            change()
        expected = nn.functional.linear(V, layer.weight, layer.bias)[:, 0].tolist()
        assert rows(con, query)[1] == [(pytest.approx(one),) * 2 for one in expected]
    assert module.training
    module[0] = nn.Linear(2, 3)
    with pytest.raises(ModelError, match="(?s)3 × FLOAT a row, and gave 1.*register it again"):
        rows(con, query)


def test_an_encoder_is_asked_again_when_its_parameters_have_changed(con: tqp.Connection) -> None:
    class Encoder(nn.Module):
        tokenizer = None

        def __init__(self) -> None:
            super().__init__()
            self.scale = nn.Parameter(torch.ones(1))

        def encode(self, texts: list[str]) -> Tensor:
            return torch.tensor([[float(len(text))] for text in texts]) * self.scale

    class Wrapper:
        def __init__(self, model: nn.Module) -> None:
            self.model = model

        def encode(self, texts: list[str]) -> Tensor:
            return self.model.encode(texts)

    encoder = Encoder()
    con.register("s", {"s": ["a", "bb"]}).register_model("m", encoder).register_model("w", Wrapper(encoder))
    query = "SELECT PREDICT(m, s), PREDICT(w, s) FROM s ORDER BY s"
    assert con.sql(query).fetchall() == [(1, 1), (2, 2)]
    with torch.no_grad():
        encoder.scale.mul_(10)
    assert con.sql(query).fetchall() == [(10, 10), (20, 20)]


# --- nothing but errors of tqp


class Broken(nn.Module):
    def forward(self, *args: Any) -> Any:
        raise KeyError("no")


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (Broken(), {"inputs": ["a"]}), (nn.Module(), {"inputs": ["a"]}), (len, {"inputs": ["a"]}), (len, {}), (nn.Linear, {"inputs": ["a"]}),
        (lambda: 1, {}), (lambda a: 1, {}), (lambda a: None, {}), (lambda a: a.numpy().tolist(), {}), (lambda a: a.sum(), {}),
        (lambda a: a[None], {}), (lambda a: torch.complex(a, a), {}), (lambda a: a.to_sparse(), {}), (lambda a: a[:, :0], {}),
        (lambda a: a.view(-1, 1, 1), {}), (lambda a: a if len(a) == 48 else 1 / 0, {}), (nn.Linear(2, 1), {"inputs": ["a"]}),
        (nn.Linear(2, 1), {"inputs": [["a"], "b"]}), (nn.Linear(2, 1), {"inputs": 5}), (nn.Linear(2, 1), {"inputs": []}),
        (nn.Linear(2, 1), {"inputs": {"a": []}}), (nn.Linear(2, 1), {"method": "nope"}), (nn.Linear(2, 1), {"method": "weight"}),
        (nn.Linear(2, 1), {"check": 3}), (nn.Linear(2, 1), {"backend": "host"}), (nn.Linear(2, 1), {"inputs": {"a": int, "b": int}}),
        (nn.MultiheadAttention(2, 1), {"inputs": ["a", "b"]}), (nn.ReLU(), {}), (object(), {}), (3, {}), (None, {}), ([1], {}),
        (lambda a: np.ones(len(a)), {}), (np.add, {"inputs": ["a"]}), (lambda a: (_ for _ in ()), {}),
    ],
)  # fmt: skip
def test_what_cannot_be_registered_is_an_error_of_tqp(con: tqp.Connection, model: Any, options: dict[str, Any]) -> None:
    with pytest.raises(TqpError):
        con.register_model("m", model, **options)
    assert con.models() == []
