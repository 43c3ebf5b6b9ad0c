"""How much models take at once is a limit of the device, and changes no answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor

import tqp
from tests.predict.inputs import numeric, trees_of
from tqp.config import Settings
from tqp.device import limits_on, within
from tqp.kernels.loops.loop import mode
from tqp.limits import CPU
from tqp.models import scores
from tqp.models.registry import import_predictor
from tqp.models.sklearn import others
from tqp.models.trees import bits, blocks, walk
from tqp.physical.planner import lower
from tqp.physical.target import Target
from tqp.runtime.executor import run

ROWS = np.random.default_rng(0).normal(size=(1000, 3))
VALUE = ROWS @ np.array([1.0, -2.0, 0.5])


def _counted(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> list[None]:
    """A list that grows with every call of a module's function."""
    calls: list[None] = []
    function: Callable[..., Any] = getattr(module, name)

    def counting(*args: Any, **options: Any) -> Any:
        calls.append(None)
        return function(*args, **options)

    monkeypatch.setattr(module, name, counting)
    return calls


@pytest.mark.parametrize(("kernel", "module"), [("BitVector", bits), ("Traversal", walk)])
@pytest.mark.parametrize(
    ("limits", "blocks"),
    [({"tree_rows": 300}, 4), ({"tree_rows": None, "tree_bytes": 2**28}, 1), ({"tree_rows": 1000, "tree_bytes": 1}, 1)],
)
def test_trees(
    monkeypatch: pytest.MonkeyPatch, kernel: str, module: Any, limits: dict[str, int | None], blocks: int
) -> None:
    trees = trees_of(import_predictor(RandomForestRegressor(10, max_depth=3).fit(ROWS, VALUE), 3).predictor)
    made = bits.BitVector(trees, "and", "") if kernel == "BitVector" else walk.Traversal(trees, "")
    whole = made.scores(numeric(ROWS))
    calls = _counted(monkeypatch, module, "locate_block")
    with within(replace(CPU, **limits)):  # type: ignore[arg-type]
        assert torch.equal(made.scores(numeric(ROWS)), whole)
    assert len(calls) == len(made.places) * blocks


@pytest.mark.host_only("a loop")
@pytest.mark.skipif(mode() == "off", reason="needs Numba")
@pytest.mark.parametrize("looped", [True, False])
def test_loops_of_trees(monkeypatch: pytest.MonkeyPatch, looped: bool) -> None:
    predictor = import_predictor(RandomForestRegressor(10, max_depth=3).fit(ROWS, VALUE), 3).predictor
    loops = _counted(monkeypatch, blocks, "add_leaves_")
    with within(replace(CPU, tree_loops=looped, tree_rows=300)):
        found = predictor.value(numeric(ROWS))
    assert len(loops) == (4 if looped else 0)
    assert torch.equal(found, predictor.value(numeric(ROWS)))


@pytest.mark.parametrize("rows", [1, 333, None])
def test_layers(monkeypatch: pytest.MonkeyPatch, rows: int | None) -> None:
    predictor = import_predictor(MLPRegressor(hidden_layer_sizes=(8, 4), max_iter=20).fit(ROWS, VALUE), 3).predictor
    whole = predictor.value(numeric(ROWS))
    products = _counted(monkeypatch, others.torch, "addmm")
    with within(replace(CPU, layer_rows=rows)):
        torch.testing.assert_close(predictor.value(numeric(ROWS)), whole)
    assert len(products) == 3 * {1: 1000, 333: 4, None: 1}[rows]


@pytest.mark.parametrize("rows", [7, None])
def test_sums_of_many_outputs(rows: int | None) -> None:
    target = (np.arange(1000) * 7) % 9
    wide = np.hstack([ROWS, ROWS * 2, ROWS**2])
    predictor = import_predictor(LogisticRegression(max_iter=10).fit(wide, target), 9).predictor
    whole = predictor.probabilities(numeric(wide))
    with within(replace(CPU, layer_rows=rows)):
        again = predictor.probabilities(numeric(wide))
    assert whole is not None and again is not None
    torch.testing.assert_close(again, whole)


def test_distances(monkeypatch: pytest.MonkeyPatch) -> None:
    # So many columns that they go down no tree.
    rows = np.hstack([ROWS**power for power in range(1, 7)])
    predictor = import_predictor(KNeighborsRegressor(3).fit(rows, VALUE), rows.shape[1]).predictor
    whole = predictor.value(numeric(rows))
    stacked = _counted(monkeypatch, scores.torch, "stack")
    with within(replace(CPU, model_numbers=250_000)):
        torch.testing.assert_close(predictor.value(numeric(rows)), whole)
    assert len(stacked) > 3


def test_limits_are_those_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("a", "b", "c")
    with tqp.connect(device="cpu", threads=1) as con:
        con.register("t", dict(zip(names, ROWS.T.copy(), strict=True)))
        con.register_model("layers", MLPRegressor(hidden_layer_sizes=(8, 4), max_iter=20).fit(ROWS, VALUE))
        query = con.sql("SELECT PREDICT(layers, a, b, c) AS p FROM t")._query
        settings = Settings(threads=1)
        target = Target.of(settings)
        products = _counted(monkeypatch, others.torch, "addmm")
        answers = []
        for limits, blocks in ((target.limits, 1), (replace(CPU, layer_rows=300), 4)):
            products.clear()
            found = run(lower(query.optimized, replace(target, limits=limits)), settings)
            answers.append(found.columns[0].data)
            assert len(products) == 3 * blocks
        torch.testing.assert_close(*answers)
        assert limits_on(torch.device("cpu")) is CPU
