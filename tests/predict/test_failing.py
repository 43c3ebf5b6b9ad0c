"""Which torch modules can be an error for a row: told by their operations, never by running them on more rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import tqp
from tqp.errors import ModelError


class Own(nn.Module):
    """A module that does what a function says."""

    def __init__(self, does: Callable[[Own, Tensor], Tensor]) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.does = does
        self.last: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        return self.does(self, x)


def _checked(self: Own, x: Tensor) -> Tensor:
    if (x > 1e6).any():
        raise ValueError("too large")
    return self.layer(x)


def _looked_at(self: Own, x: Tensor) -> Tensor:
    if (x.numpy() > 1e6).any():
        raise ValueError("too large")
    return self.layer(x)


def _asserted(self: Own, x: Tensor) -> Tensor:
    torch._assert_async((x < 1e6).all())
    return self.layer(x)


def _remembered(self: Own, x: Tensor) -> Tensor:
    self.last = x
    return self.layer(x)


SURE: dict[str, nn.Module] = {
    "linear": nn.Linear(3, 1),
    "layers": nn.Sequential(
        nn.Linear(3, 8), nn.GELU(), nn.LayerNorm(8), nn.Dropout(), nn.BatchNorm1d(8), nn.Softmax(1)
    ),
    "convolution": nn.Sequential(nn.Unflatten(1, (1, 3)), nn.Conv1d(1, 4, 2), nn.ReLU(), nn.Flatten()),
    "attention": nn.Sequential(
        nn.Linear(3, 8), nn.Unflatten(1, (2, 4)), nn.TransformerEncoderLayer(4, 2, batch_first=True), nn.Flatten()
    ),
    "half": nn.Linear(3, 1).half(),
    "choice": Own(lambda self, x: torch.where(x > 0, self.layer(x), -x)),
    "mask": Own(lambda self, x: x.masked_fill(x > 0, 0).sum(1)),
    "division": Own(lambda self, x: x // (x.abs() + 1)),
    "remembered": Own(_remembered),
}
UNSURE: dict[str, nn.Module] = {
    "checked": Own(_checked),
    "looked at": Own(_looked_at),
    "asserted": Own(_asserted),
    "index": Own(lambda self, x: self.layer.weight[x[:, 0].long().clamp(0, 2)]),
    "gather": Own(lambda self, x: x.gather(1, x[:, :1].long().clamp(0, 2))),
    "scatter": Own(lambda self, x: torch.zeros_like(x).scatter(1, x[:, :1].long().clamp(0, 2), 1.0)),
    "integer division": Own(lambda self, x: (1 // (x[:, 0].long() * 0 + 1)).double()),
    "remainder": Own(lambda self, x: (1 % (x[:, 0].long() * 0 + 1)).double()),
    "own kernel": Own(lambda self, x: torch.from_numpy(x.detach().numpy() * 2)),
    "script": torch.jit.script(nn.Linear(3, 1)),
}


def _can_fail(model: Any, **options: Any) -> bool:
    with tqp.connect(threads=1) as con:
        con.register_model("m", model, **{"inputs": ["a", "b", "c"], **options})
        found = con.catalog.model("m")
        assert found is not None
        return found.can_fail


@pytest.mark.parametrize("name", SURE)
def test_arithmetic_is_no_error(name: str) -> None:
    assert not _can_fail(SURE[name])


@pytest.mark.parametrize("name", UNSURE)
def test_what_looks_at_numbers_may_be_one(name: str) -> None:
    assert _can_fail(UNSURE[name])


def test_functions_and_embeddings_may_be_one() -> None:
    assert _can_fail(lambda a, b, c: a + b + c)
    assert _can_fail(nn.Sequential(nn.Embedding(5, 2), nn.Flatten()), inputs={"v": "BIGINT[3]"})
    # A place that is none of a label is an error.
    assert _can_fail(Own(lambda self, x: (x[:, 0] > 0).long()), output=["no", "yes"])
    assert not _can_fail(nn.Linear(3, 2), output=["no", "yes"])


def test_rows_without_values_stay_nowhere() -> None:
    module = Own(_remembered)
    for trains in (True, False):
        assert not _can_fail(module.train(trains))
        assert module.last is None or type(module.last) is Tensor


def test_a_row_that_a_join_drops_is_not_asked_for() -> None:
    rows = {"id": [0, 1, 2], "a": [1.0, 1e9, 2.0]}
    with tqp.connect(threads=1) as con:
        con.register("t", rows).register("kept", {"id": [0, 2, 2, 2, 2, 2]})
        con.register_model("m", Own(lambda self, x: _checked(self, x.expand(-1, 3))[:, 0]), inputs=["a"])
        assert len(con.sql("SELECT PREDICT(m, a) FROM t JOIN kept USING (id)").fetchall()) == 6
        with pytest.raises(ModelError, match="too large"):
            con.sql("SELECT PREDICT(m, a) FROM t").fetchall()
