"""Nearest neighbours in many dimensions: a product chooses them where it leaves no doubt, and all distances where it does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import tqp
from tqp.kernels import measures
from tqp.models.features import Elements
from tqp.models.known import import_trusted
from tqp.models.sklearn import neighbours

RANDOM = np.random.default_rng(0)
STORED, ROWS, WIDTH, NEAR = 200, 300, 24, 3
TARGETS = RANDOM.permutation(STORED).astype(float)


def _normal(rows: int) -> Any:
    return RANDOM.normal(size=(rows, WIDTH))


def _small(rows: int) -> Any:
    """Many are equally distant."""
    return RANDOM.integers(0, 2, size=(rows, WIDTH)).astype(float)


def _far(rows: int) -> Any:
    """Far from 0, and close to each other."""
    return 4096 + RANDOM.integers(-3, 4, size=(rows, WIDTH)) / 64


def _huge(rows: int) -> Any:
    """Squares are beyond single precision."""
    return _small(rows) * 2.0**70


def _tiny(rows: int) -> Any:
    """Squares are 0 in single precision."""
    return _small(rows) * 2.0**-90


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many rows are compared with all stored ones."""
    seen: list[int] = []
    whole = neighbours._Neighbours._among_all

    def among_all(self: Any, rows: torch.Tensor) -> torch.Tensor:
        seen.append(rows.shape[0])
        return whole(self, rows)

    monkeypatch.setattr(neighbours._Neighbours, "_among_all", among_all)
    yield seen


def _first_nearest(stored: Any, rows: Any) -> Any:
    apart = ((rows[:, None, :] - stored[None, :, :]) ** 2).sum(axis=2)
    return np.argsort(apart, axis=1, kind="stable")[:, :NEAR]


@pytest.mark.parametrize("precision", ["highest", "medium"])
@pytest.mark.parametrize("width", [np.float32, np.float64])
@pytest.mark.parametrize("made", [_normal, _small, _far, _huge, _tiny])
def test_the_first_of_the_nearest_rows(made: Any, width: Any, precision: str) -> None:
    stored, rows = made(STORED).astype(width), made(ROWS).astype(width)
    model = KNeighborsRegressor(NEAR, algorithm="brute").fit(stored, TARGETS)
    nearest = _first_nearest(stored.astype(float), rows.astype(float))
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision(precision)
    try:
        found = import_trusted(model, WIDTH).predictor.value(Elements(torch.from_numpy(rows)))
    finally:
        torch.set_float32_matmul_precision(before)
    np.testing.assert_allclose(found, TARGETS[nearest].mean(axis=1), rtol=1e-12)


@pytest.mark.parametrize("width", [np.float32, np.float64])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_a_product_is_enough_where_rows_differ(width: Any, weights: str, compared: list[int]) -> None:
    stored, rows = _normal(STORED).astype(width), _normal(ROWS).astype(width)
    rows[5] = stored[7]
    model = KNeighborsClassifier(NEAR, weights=weights, algorithm="brute").fit(stored, TARGETS > STORED / 2)
    with tqp.connect(threads=1) as con:
        con.register("t", {"v": rows}).register_model("m", model)
        compared.clear()
        found = con.sql("SELECT PREDICT_PROBA(m, v) AS p FROM t").numpy()["p"]
    assert compared == []
    np.testing.assert_allclose(found, model.predict_proba(rows), rtol=1e-4)


def test_as_many_neighbours_as_rows() -> None:
    stored = _normal(4)
    model = KNeighborsRegressor(4, algorithm="brute").fit(stored, TARGETS[:4])
    with tqp.connect(threads=1) as con:
        con.register("t", {"v": _normal(10)}).register_model("m", model)
        found = con.sql("SELECT PREDICT(m, v) AS p FROM t").numpy()["p"]
    np.testing.assert_allclose(found, TARGETS[:4].mean())


def test_scores_that_rounding_may_exchange_are_not_apart() -> None:
    rows = torch.from_numpy(_normal(50).astype(np.float32))
    stored = torch.from_numpy(_normal(400).astype(np.float32))
    stored = torch.cat([stored, stored + 1e-6])
    ours = measures.prepared("euclidean", rows, None, None)
    theirs = measures.prepared("euclidean", stored, None, None)
    scores = measures.scores("euclidean", True, ours, theirs)
    exact = torch.cdist(rows.double(), stored.double(), compute_mode="donot_use_mm_for_euclid_dist")
    longest = theirs.lengths.max()
    apart = [measures.are_apart(ours, longest, scores[:, one], scores[:, one + 400]) for one in range(0, 400, 7)]
    assert not torch.stack(apart).any()
    order = scores.argsort(dim=1)
    first, last = order[:, :1], order[:, -1:]
    sure = measures.are_apart(ours, longest, scores.gather(1, first)[:, 0], scores.gather(1, last)[:, 0])
    assert sure.all() and (exact.gather(1, first) < exact.gather(1, last)).all()


@pytest.mark.parametrize("loops", [True, False])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize("width", [1, 3, 9])
def test_the_first_of_the_nearest_in_few_columns(
    width: int, metric: str, loops: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not loops:
        monkeypatch.setattr("tqp.kernels.neighbours.descends", lambda *_: False)
    stored, rows = (RANDOM.integers(0, 4, (count, width)).astype(float) for count in (STORED, ROWS))
    model = KNeighborsRegressor(NEAR, metric=metric).fit(stored, TARGETS)
    apart = np.abs(rows[:, None, :] - stored[None, :, :])
    measured = {"euclidean": (apart**2).sum(2), "manhattan": apart.sum(2), "chebyshev": apart.max(2)}[metric]
    nearest = np.argsort(measured, axis=1, kind="stable")[:, :NEAR]
    found = import_trusted(model, width).predictor.value(Elements(torch.from_numpy(rows)))
    np.testing.assert_allclose(found, TARGETS[nearest].mean(axis=1), rtol=1e-12)


@pytest.mark.parametrize("width", [np.float32, np.float64])
def test_rows_at_the_same_distance_are_told_apart_among_few(width: Any, compared: list[int]) -> None:
    stored, rows = _normal(STORED).astype(width), _normal(ROWS).astype(width)
    stored[::2] = stored[1::2]
    model = KNeighborsRegressor(NEAR, algorithm="brute").fit(stored, TARGETS)
    found = import_trusted(model, WIDTH).predictor.value(Elements(torch.from_numpy(rows)))
    nearest = _first_nearest(stored.astype(float), rows.astype(float))
    np.testing.assert_allclose(found, TARGETS[nearest].mean(axis=1), rtol=1e-12)
    assert sum(compared) == 0
