"""Inputs that `**kwargs` take, programs exported with keywords, gaps that rows fill from each other, arrays that would lose digits."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import tqp
from tqp.errors import BindError, ModelError

pytestmark = pytest.mark.host_only("modules and functions are made on the host")
V = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
W = torch.tensor([[2.0, 1.0], [4.0, 2.0], [8.0, 3.0]])
PAIR = {"x": "FLOAT[2]", "w": "FLOAT[2]"}


@pytest.fixture
def con() -> tqp.Connection:
    return tqp.connect(threads=1).register("t", {"v": V, "w": W})


def unnamed(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def inner(*args: Any, **kwargs: Any) -> Tensor:
        return function(*args, **kwargs)

    return inner


class Divided(nn.Module):
    def forward(self, x: Tensor, *, w: Tensor) -> Tensor:
        return (x / w).sum(1)


def exported() -> Any:
    rows = torch.export.Dim("rows")
    return torch.export.export(Divided(), (V,), {"w": W}, dynamic_shapes={"x": {0: rows}, "w": {0: rows}})


@pytest.mark.parametrize("inputs", [PAIR, dict(reversed(PAIR.items()))])
@pytest.mark.parametrize(
    "model",
    [
        lambda x, **others: (x / others["w"]).sum(1), lambda x, **others: (x / others.get("w", 1)).sum(1),
        lambda x=None, **others: (x / others.get("w", 1)).sum(1), lambda **all_: (all_["x"] / all_["w"]).sum(1),
        unnamed(lambda x, w=1: (x / w).sum(1)), exported(),
    ],
)  # fmt: skip
def test_what_kwargs_take_is_bound_by_name(con: tqp.Connection, model: Any, inputs: dict[str, str]) -> None:
    con.register_model("m", model, inputs=inputs)
    assert con.sql("SELECT PREDICT(m, x := v, w := w) FROM t").fetchall() == [(v,) for v in (V / W).sum(1).tolist()]


@pytest.mark.parametrize(
    ("model", "inputs"),
    [
        (lambda x, **others: x.sum(1), PAIR), (unnamed(lambda x, **others: x.sum(1)), PAIR),
        (lambda ids=None, mask=None, **others: ids if mask is None else ids * mask, {"ids": int, "attention_mask": int}),
    ],
)  # fmt: skip
def test_what_kwargs_take_and_nobody_reads_is_refused(con: tqp.Connection, model: Any, inputs: Any) -> None:
    with pytest.raises(
        ModelError, match=r"\*\*kwargs take the input (w|attention_mask), and no answer .* depends on it"
    ):
        con.register_model("m", model, inputs=inputs)


@pytest.mark.parametrize(
    "fill",
    [
        lambda x: torch.where(x.isnan(), x.nanmean(0), x), lambda x: torch.where(x.isnan(), x.nan_to_num().amax(), x),
        lambda x: x[~x.isnan().any(1)].sum() + x[:, 0],
    ],
)  # fmt: skip
def test_gaps_that_are_filled_from_other_rows_are_refused(con: tqp.Connection, fill: Any) -> None:
    with pytest.raises(ModelError, match=r"answers a row by the rows that come with it: x=\["):
        con.register_model("m", fill, inputs={"x": "FLOAT[2]"})
    con.register_model("m", lambda x: x.nan_to_num(7).sum(1), inputs={"x": "FLOAT[2]"})
    assert con.sql("SELECT PREDICT(m, ['NaN'::FLOAT, 1]::FLOAT[2])").fetchall() == [(8,)]


@pytest.mark.parametrize("value", ["[0.5, 1.5]::DOUBLE[2]", "[0.5, 1.5]::FLOAT[2]", "[0.5, 1.5]", "v"])
def test_arrays_of_integers_take_no_fractions(con: tqp.Connection, value: str) -> None:
    con.register_model("m", lambda x: x.sum(1), inputs={"x": "BIGINT[2]"})
    assert con.sql(f"SELECT PREDICT(m, [{2**53 + 1}, 1])").fetchall() == [(2**53 + 2,)]
    with pytest.raises(BindError, match=r"input x of m is BIGINT\[2\], not (DOUBLE|FLOAT|DECIMAL)"):
        con.sql(f"SELECT PREDICT(m, {value}) FROM t").fetchall()


def test_a_logarithm_of_a_probability_is_no_logit(con: tqp.Connection) -> None:
    with pytest.raises(ModelError, match="never rises above 0, as the logarithm of a probability"):
        con.register_model("m", lambda x: nn.functional.logsigmoid(x[:, 0]), inputs=PAIR, output=["no", "yes"])


@dataclasses.dataclass
class Late(OrderedDict[str, Tensor]):
    """A mapping that keeps its answers as attributes alone."""

    logits: Tensor | None = None


def test_answers_that_are_kept_as_attributes_of_a_mapping(con: tqp.Connection) -> None:
    con.register_model("m", lambda x: Late(logits=x.sum(1)), inputs={"x": "FLOAT[2]"}, output="logits")
    assert con.sql("SELECT PREDICT(m, v) FROM t").fetchall() == [(3,), (7,), (11,)]
