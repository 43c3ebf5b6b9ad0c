"""Which modules are known to answer each row by itself, told by their operations, and what only many rows show of others."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import tqp
from tqp.errors import ModelError
from tqp.models.labels import Choice
from tqp.models.model import Input
from tqp.models.tensors.binding import ways
from tqp.models.tensors.callee import callee_of
from tqp.models.tensors.operations import told_of
from tqp.models.tensors.predictor import Call, Told

pytestmark = pytest.mark.host_only("modules made on the host")


class Own(nn.Module):
    """A module that does what a function says, with a layer of its own."""

    def __init__(self, does: Callable[..., Tensor], *layers: nn.Module) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.does = does
        self.register_buffer("points", torch.linspace(-2, 2, 30).reshape(10, 3))

    def forward(self, x: Tensor) -> Tensor:
        return self.does(x, *self.layers, *([] if self.layers else [self.points][: self.does.__code__.co_argcount - 1]))


def _filled(x: Tensor) -> Tensor:
    made = torch.zeros(len(x), 4)
    made[:, 0] = x[:, 0]
    made[:, 1:] = x
    return made


def _stepped(x: Tensor) -> Tensor:
    state = torch.zeros(x.shape[0], 3)
    for place in range(3):
        state = torch.tanh(state + x[:, place : place + 1])
    return state


def _attended(x: Tensor, wide: nn.Module, mixed: nn.Module) -> Tensor:
    parts = [part.view(len(x), 3, 2, 4).transpose(1, 2) for part in mixed(wide(x[..., None])).chunk(3, -1)]
    return nn.functional.scaled_dot_product_attention(*parts).transpose(1, 2).reshape(len(x), -1)


def _attended_by_hand(x: Tensor, wide: nn.Module, mixed: nn.Module) -> Tensor:
    ours, theirs, values = [
        part.view(len(x), 3, 2, 4).transpose(1, 2) for part in mixed(wide(x[..., None])).chunk(3, -1)
    ]
    return ((ours @ theirs.transpose(-1, -2) / 2).softmax(-1) @ values).transpose(1, 2).reshape(len(x), -1)


def _with_a_token(x: Tensor, layer: nn.Module) -> Tensor:
    first = torch.ones(1, 1, 4).expand(len(x), -1, -1)
    return layer(torch.cat([first, x[..., None].expand(-1, -1, 4)], 1))[:, 0]


def _recurrent(layer: nn.Module, first: bool = True) -> Own:
    return Own(lambda x, own: own(x[..., None])[0][:, -1] if first else own(x.t()[..., None])[0][-1], layer)


APART: dict[str, nn.Module] = {
    "layers": nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.LayerNorm(8), nn.GELU(), nn.Dropout(), nn.Softmax(1)),
    "groups": nn.Sequential(nn.Linear(3, 8), nn.GroupNorm(2, 8), nn.PReLU(), nn.Hardswish()),
    "convolution": nn.Sequential(nn.Unflatten(1, (1, 3)), nn.Conv1d(1, 4, 2), nn.BatchNorm1d(4), nn.MaxPool1d(2), nn.Flatten()),
    "of pictures": nn.Sequential(nn.Unflatten(1, (3, 1, 1)), nn.Conv2d(3, 4, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten()),
    "encoder": Own(_with_a_token, nn.TransformerEncoderLayer(4, 2, batch_first=True)),
    "attention": Own(_attended, nn.Linear(1, 4), nn.Linear(4, 24)),
    "by hand": Own(_attended_by_hand, nn.Linear(1, 4), nn.Linear(4, 24)),
    "lstm": _recurrent(nn.LSTM(1, 4, 2, batch_first=True, bidirectional=True)),
    "lstm, words first": _recurrent(nn.LSTM(1, 4), first=False),
    "gru": _recurrent(nn.GRU(1, 4, batch_first=True)),
    "neighbours": Own(lambda x, points: torch.cdist(x, points).topk(3, 1, largest=False).values),
    "table": Own(lambda x, points: points[x[:, 0].abs().long().clamp(0, 9)]),
    "buckets": Own(lambda x, points: torch.bucketize(x, points[:, 0].contiguous()).double()),
    "experts": Own(lambda x, *own: torch.einsum("be,ebk->bk", own[0](x).softmax(1), torch.stack([one(x) for one in own[1:]])),
                   nn.Linear(3, 2), nn.Linear(3, 4), nn.Linear(3, 4)),
    "machine of factors": Own(lambda x, points: ((x @ points.t()) ** 2 - x**2 @ points.t() ** 2).sum(1)),
    "filled": Own(_filled), "stepped": Own(_stepped), "scaled": Own(lambda x: (x - x.mean(1, keepdim=True)) / x.std(1, keepdim=True)),
    "pairs": Own(lambda x: torch.triu(x[:, :, None] * x[:, None, :]).flatten(1)), "sorted": Own(lambda x: x.sort(1).values),
    "shown once": Own(lambda x: nn.functional.one_hot((x[:, 0] > 0).long(), 2)), "gathered": Own(lambda x: x.gather(1, (x[:, :1] > 0).long())),
    "by size": Own(lambda x: x.reshape(x.size(0), -1).expand(len(x), 3)), "unused": Own(lambda x: (x.mean(0), x * 2)[1]),
    "twice": Own(lambda x: x.unsqueeze(1).repeat(1, 2, 1).mean(1)), "near": Own(lambda x: nn.functional.cosine_similarity(x, torch.ones(3))),
}  # fmt: skip


def _set_first(x: Tensor) -> Tensor:
    made = x.clone()
    made[0] = 7
    return made


def _set_mean(x: Tensor) -> Tensor:
    made = x.clone()
    made[:, 0] = x.mean(0)[0]
    return made


def _kept(x: Tensor, layer: nn.BatchNorm1d) -> Tensor:
    assert layer.running_mean is not None
    layer.running_mean.mul_(0.999999).add_(x.mean(0), alpha=1e-9)
    return x - layer.running_mean


def _twice_from(count: int) -> Callable[[Tensor], Tensor]:
    return lambda x: x * 2 if len(x) > count else x


MEETING: dict[str, tuple[nn.Module, str]] = {
    "mean": (Own(lambda x: x - x.mean()), "mean"), "greatest": (Own(lambda x: x / x.max()), "max"),
    "shares": (Own(lambda x: x.softmax(0)), "_softmax"), "sums": (Own(lambda x: x.cumsum(0)), "cumsum"),
    "order": (Own(lambda x: x.flip(0)), "flip"), "place": (Own(lambda x: x + torch.arange(len(x))[:, None]), "arange"),
    "products": (Own(lambda x: (x @ x.T).sum(1)), "mm"), "covariance": (Own(lambda x: x @ (x.T @ x)), "mm"),
    "number": (Own(lambda x: x / len(x)), "number of rows"), "many": (Own(_twice_from(5000)), "number of rows"),
    "chunks": (Own(lambda x: torch.cat([part - part[:1] for part in x.split(128)])), "split"),
    "best": (Own(lambda x: x[:, 0] >= x[:, 0].topk(5).values[-1]), "topk"), "rolled": (Own(lambda x: x.roll(1, 0)), "roll"),
    "first": (Own(lambda x: x - x[0]), "select"), "set": (Own(_set_first), "select"), "set to the mean": (Own(_set_mean), "mean"),
    "written into a buffer": (Own(_kept, nn.BatchNorm1d(3)), "mean"), "statistics": (nn.BatchNorm1d(3, track_running_stats=False), "batch_norm"),
    "rows as words": (nn.TransformerEncoderLayer(3, 1), "attention"), "turned": (Own(lambda x: x.t().reshape(-1, 3)), "reshape|view"),
    "distances": (Own(lambda x: (x[:, None] - x[None]).abs().sum((1, 2))), "sub"), "padded": (Own(lambda x: nn.functional.pad(x, (0, 0, 1, 0))[:-1]), "pad"),
    "some": (Own(lambda x: x + (x > 1e6).any()), "any"), "norm": (Own(lambda x: x / x.norm(dim=0)), "norm"), "chosen": (Own(lambda x: x[[0] * len(x)]), "lift"),
    "drawn": (Own(lambda x: x + torch.rand(len(x), 1)), "rand"), "windows": (Own(lambda x: x.unfold(0, 1, 1)[:, :, 0]), "unfold"),
}  # fmt: skip


def told(module: nn.Module) -> Told:
    callee = callee_of(module, None)
    inputs = tuple(map(Input, "abc"))
    call = Call(callee, inputs, ways(callee, inputs)[0], Choice(), torch.float32)
    return told_of(call, [torch.zeros(4)] * 3)


@pytest.mark.parametrize("name", APART)
def test_operations_that_keep_rows_apart(name: str) -> None:
    torch.manual_seed(0)
    module = APART[name].eval()
    found = told(module)
    assert found.apart and found.meets is None
    rows = torch.randn(9, 3)
    with torch.no_grad():
        alone = torch.cat([module(row[None]) for row in rows])
        torch.testing.assert_close(module(rows), alone, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", MEETING)
def test_operations_in_which_rows_meet(name: str) -> None:
    module, operation = MEETING[name]
    found = told(module.eval())
    assert not found.apart and found.can_fail
    assert found.meets is not None and any(part in found.meets for part in operation.split("|"))


def test_nothing_is_known_of_what_decides_by_numbers() -> None:
    for decides in (lambda x: x * 2 if (x > 1e6).any() else x, lambda x: x[x[:, 0] > 0], lambda x: x - x.unique()[0]):
        assert told(Own(decides)) == Told()


class Ring(nn.Module):
    """Answers as if by itself, until a row comes after a hundred others."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[float] = []

    def forward(self, x: Tensor) -> Tensor:
        found = []
        for number in x[:, 0].tolist():
            self.seen = [*self.seen[-999:], number]
            found.append(number + (len(self.seen) >= 1000))
        return torch.tensor(found)


def _from(threshold: float) -> Callable[[Tensor], Tensor]:
    return lambda x: x[:, 0] / torch.where(x.abs().max() > threshold, x.abs().max(), 1.0)


def _counted(x: Tensor) -> Tensor:
    _, places, counts = x[:, 0].unique(return_inverse=True, return_counts=True)
    return x[:, 0] * (counts[places] > 5)


def _filled_from_others(x: Tensor) -> Tensor:
    return torch.where(x.isinf(), x[~x.isinf()].mean(), x)[:, 0]


def _in_chunks(size: int) -> Callable[[Tensor], Tensor]:
    def mixed(x: Tensor) -> Tensor:
        return torch.cat([part[:, 0] - (part[:, 0].mean() if len(part) == size else 0) for part in x.split(size)])

    return mixed


SELDOM: dict[str, Any] = {
    "best hundred": lambda x: (x.sum(1) >= x.sum(1).topk(min(100, len(x))).values[-1]).float(),
    "large": _from(1e4), "very large": _from(1e8), "rare": lambda x: x[:, 0] + (x[:, 0] < -1e7).any(),
    "chunks of 128": _in_chunks(128), "chunks of 256": _in_chunks(256), "chunks of 1024": _in_chunks(1024),
    "after 128": lambda x: x[:, 0] + (torch.arange(len(x)) >= 128), "often": _counted, "infinite": _filled_from_others,
    "statistics of many": lambda x: nn.functional.batch_norm(x, None, None, training=True)[:, 0] if len(x) > 200 else x[:, 0],
    "order of many": lambda x: (x.sort(0).values if len(x) > 500 else x)[:, 0], "ring": Ring(),
}  # fmt: skip


@pytest.mark.parametrize("name", SELDOM)
def test_what_shows_among_many_or_extreme_rows_only_is_refused(name: str) -> None:
    does = SELDOM[name]
    for model in (does, Own(does)) if not isinstance(does, nn.Module) else (does,):
        with tqp.connect(threads=1) as con, pytest.raises(ModelError, match="by the rows that come with it|again"):
            con.register_model("m", model, inputs=["a", "b", "c"])


def test_what_overflows_among_extreme_rows_is_no_other_answer() -> None:
    for does in (lambda x: (x**3).sum(1), lambda x: x.exp().sum(1), lambda x: 1 / x[:, 0], lambda x: x.logsumexp(1)):
        with tqp.connect(threads=1) as con:
            con.register_model("m", does, inputs=["a", "b", "c"])


def test_explain_names_the_operation() -> None:
    halves = Own(lambda x: torch.cat([part * 2 for part in x.split(7)]))
    with tqp.connect(threads=1) as con:
        con.register_model("m", halves, inputs=["a", "b", "c"]).register_model("n", nn.Linear(3, 1))
        shown = con.sql("SELECT PREDICT(m, 1, 2, 3), PREDICT(n, 1, 2, 3)").explain()
        assert "rows tried together, as split may mix them" in shown and shown.count("may mix them") == 1


def test_many_kinds_of_products_and_shapes() -> None:
    """Sequences of operations, each of which is told apart only where brute force agrees."""
    steps: dict[str, Callable[[Tensor], Tensor]] = {
        "t": lambda x: x.transpose(0, -1), "flat": lambda x: x.reshape(-1, x.shape[-1]), "sum": lambda x: x.sum(0, keepdim=True).expand_as(x),
        "rows": lambda x: x - x.mean(-1, keepdim=True), "wide": lambda x: x[..., None].expand(*x.shape, 2), "half": lambda x: x[..., :2],
        "first": lambda x: x[:3], "stack": lambda x: torch.stack([x, x]), "cat": lambda x: torch.cat([x, x], -1), "back": lambda x: x.reshape(3, -1).t(),
    }  # fmt: skip
    rows = torch.randn(5, 3, generator=torch.Generator().manual_seed(1))
    known = 0
    for chosen in itertools.product(steps.values(), repeat=3):
        does = _one_after_the_other(chosen)
        try:
            whole = does(rows)
            alone = torch.cat([does(row[None]) for row in rows])
        except RuntimeError:
            continue
        if told(Own(does)).apart:
            known += 1
            torch.testing.assert_close(whole, alone)
    assert known > 30


def _one_after_the_other(steps: Sequence[Callable[[Tensor], Tensor]]) -> Callable[[Tensor], Tensor]:
    def does(x: Tensor) -> Tensor:
        for step in steps:
            x = step(x)
        return x.reshape(len(x), -1)

    return does
