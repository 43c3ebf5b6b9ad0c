"""Importers of scikit-learn's models of nearest neighbours, and the distances that they compare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from tqp.errors import ModelError
from tqp.kernels import measures, waits
from tqp.kernels.neighbours import apart, boxes_of, closest, descends
from tqp.models.features import Feature
from tqp.models.known import labels_of, require
from tqp.models.registry import Imported, importer
from tqp.models.scores import Scored, ScoredProbabilities, blocks, greatest, identity, normalized
from tqp.models.several import chosen, texts_of_labels
from tqp.models.steps import Constant, rows_of

__all__ = ["distances"]

_WIDE: Final = 16
"""Features from which on a product and a second look cost less than all distances."""

_NUMBERS: Final = 8
"""Numbers a feature and neighbour that a row needs on its way down a tree."""
_ALIKE: Final = 2
_AROUND: Final = 16
"""Beside so many for each neighbour, so many stored rows are compared where a product leaves a doubt."""

Nearest = Callable[[Tensor], tuple[Tensor, Tensor]]


def distances(stored: Any, power: float) -> Callable[[Tensor], Tensor]:
    """The distances (b, m) of rows (b, f) float64 from the stored ones (m, f)."""
    points = Constant(stored.toarray() if hasattr(stored, "toarray") else stored)
    return lambda rows: apart(rows, points.on(rows.device), power)


def _power(estimator: Any) -> float:
    """The exponent of the distance."""
    metric = estimator.effective_metric_
    known = {"euclidean": 2.0, "manhattan": 1.0, "chebyshev": np.inf, "l1": 1.0, "l2": 2.0, "cityblock": 1.0}
    options = {key: value for key, value in (estimator.effective_metric_params_ or {}).items() if value is not None}
    if metric == "minkowski" and set(options) <= {"p"}:
        return float(options.get("p", 2))
    if metric not in known:
        raise ModelError(f"{type(estimator).__name__} with metric={metric!r} is not supported")
    return known[metric]


class _Product:
    """The `count` nearest stored rows by a matrix product in one precision, where its error leaves no doubt of them.

    Where it does, as among rows at the same distance, some more of the nearest are compared one by one.
    """

    def __init__(self, points: Constant, middle: Constant | None, count: int, exact: Constant) -> None:
        """`points` (m, f), from the `middle` (f,) of which distances are taken: single precision has no digits to spare.

        `exact`: the same points in double precision.
        """
        self._points, self._middle, self._count, self._exact = points, middle, count, exact
        host = torch.device("cpu")
        made = measures.prepared("euclidean", points.on(host), None if middle is None else middle.on(host), None)
        self.dtype = dtype = made.data.dtype
        if middle is not None:
            self._points = Constant(made.data, dtype)
        self._lengths, self._odd = Constant(made.lengths, dtype), Constant(made.odd, torch.bool)
        self._longest = Constant(made.lengths.max(), dtype)
        self.is_sound = not made.odd.any()  # host: of a fitted model

    def find(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Places (b, count) of the nearest ones of rows (b, f) of the dtype, and whether they are (b,)."""
        device = rows.device
        ours = measures.prepared("euclidean", rows, None if self._middle is None else self._middle.on(device), None)
        theirs = measures.Vectors(self._points.on(device), self._lengths.on(device), self._odd.on(device))
        scores = measures.scores("euclidean", True, ours, theirs)
        found, places = torch.topk(scores, self._count + 1, dim=1, largest=False)
        sure = self._are_apart(ours, found) & ~ours.odd
        doubtful = waits.places(~sure, "rows whose neighbours a product does not tell")
        most = min(scores.shape[1] - 1, _ALIKE * self._count + _AROUND)
        if doubtful.shape[0] and most > self._count:
            found, near = torch.topk(scores.index_select(0, doubtful), most + 1, dim=1, largest=False)
            few = measures.Vectors(*[part.index_select(0, doubtful) for part in (ours.data, ours.lengths, ours.odd)])
            enough = self._are_apart(few, found) & ~few.odd
            chosen = self._exactly(rows.index_select(0, doubtful), near[:, :-1])
            places = places[:, :-1].index_copy(0, doubtful, chosen)
            return places, sure.index_copy(0, doubtful, enough)
        return places[:, :-1], sure

    def _are_apart(self, ours: measures.Vectors, found: Tensor) -> Tensor:
        """Whether the count-th score and the last one (b,) are surely in their order."""
        return measures.are_apart(ours, self._longest.on(found.device), found[:, self._count - 1], found[:, -1])

    def _exactly(self, rows: Tensor, near: Tensor) -> Tensor:
        """The `count` nearest ones, of equally distant ones the first, among those at the places `near` (b, k)."""
        near = near.sort(dim=1).values
        points = self._exact.on(rows.device).index_select(0, near.reshape(-1)).reshape(*near.shape, -1)
        away = apart(rows.double().unsqueeze(1), points, 2.0).squeeze(1)
        return near.gather(1, away.sort(dim=1, stable=True).indices[:, : self._count])


class _Neighbours:
    """The nearest stored rows (b, k) of rows (b, f), of equally distant ones the first, and their weights.

    Of a euclidean distance in many dimensions a product finds nearly all of them, in single precision first where both sides have
    it; other rows, and those for which it leaves a doubt, go down a tree of the stored ones, or are compared with all of them.
    """

    def __init__(self, estimator: Any) -> None:
        require(estimator, "weights", ("uniform", "distance", None))
        stored = estimator._fit_X
        stored = np.asarray(stored.toarray() if hasattr(stored, "toarray") else stored)
        self.rows = len(stored)
        self._power = _power(estimator)
        self._count = int(estimator.n_neighbors)
        self._by_distance = estimator.weights == "distance"
        self._points = Constant(stored)
        self._boxes = boxes_of(self._points.on(torch.device("cpu")))
        made: list[_Product] = []
        if self._power == 2.0 and stored.shape[1] >= _WIDE and self._count < self.rows:
            made.append(_Product(self._points, None, self._count, self._points))
            if stored.dtype == np.float32:
                single = torch.float32
                middle = Constant(stored.mean(axis=0), single)
                made.append(_Product(Constant(stored, single), middle, self._count, self._points))
        self._products = {product.dtype: product for product in made if product.is_sound}

    def scores(self, inputs: Sequence[Feature], of_rows: Callable[[Tensor], Tensor]) -> Tensor:
        """`of_rows` on blocks of rows, (outputs, n)."""
        rows, device = rows_of(inputs)
        needs_all = bool(self._products) or not descends(rows, device, self._boxes, self._power)
        numbers = 2 * self.rows if needs_all else _NUMBERS * (self._count + len(inputs))
        return blocks(inputs, numbers, of_rows, is_single=torch.float32 in self._products)

    def nearest(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Their places and weights."""
        places = self._places(rows)
        if not self._by_distance:
            return places, torch.ones(places.shape, dtype=torch.float64, device=rows.device)
        wide, points = rows.double(), self._points.on(rows.device)
        chosen = points.index_select(0, places.reshape(-1)).reshape(*places.shape, -1)
        away = apart(wide.unsqueeze(1), chosen, self._power).squeeze(1)
        exact = away == 0
        return places, torch.where(exact.any(dim=1, keepdim=True), exact.double(), 1 / away)

    def _places(self, rows: Tensor) -> Tensor:
        product = self._products.get(rows.dtype)
        if product is None:
            return self._among_all(rows.double())
        places, sure = product.find(rows)
        doubtful = waits.places(~sure, "rows whose neighbours a product does not tell")
        if doubtful.shape[0]:
            again = rows.index_select(0, doubtful)
            wider = rows.dtype == torch.float32 and torch.float64 in self._products
            found = self._places(again.double()) if wider else self._among_all(again.double())
            places = places.index_copy(0, doubtful, found)
        return places

    def _among_all(self, rows: Tensor) -> Tensor:
        return closest(rows, self._points.on(rows.device), self._boxes, self._count, self._power)


@importer("KNeighborsClassifier")
def neighbours_classifier(estimator: Any, features: int) -> Imported:
    """The classes of the nearest rows vote."""
    several = isinstance(estimator.classes_, list)
    each = estimator.classes_ if several else [labels_of(estimator)]
    sizes = list(map(len, each))
    near = _Neighbours(estimator)
    known = np.asarray(estimator._y).reshape(near.rows, -1)
    # The classes of one output after the other.
    member = Constant(np.concatenate([np.eye(size)[known[:, place]] for place, size in enumerate(sizes)], axis=1))

    def votes(rows: Tensor) -> Tensor:
        places, weights = near.nearest(rows)
        chosen = member.on(rows.device).index_select(0, places.reshape(-1)).reshape(*places.shape, -1)
        return (chosen * weights[:, :, None]).sum(dim=1).t()

    what = f"{estimator.n_neighbors} nearest of {near.rows} rows"
    if several:
        answer = chosen(each)

        def greatest_of_each(found: Tensor) -> Tensor:
            return answer([greatest(one) for one in torch.split(found, sizes)])

        def shares_of_each(found: Tensor) -> Tensor:
            return torch.cat([normalized(one.t()) for one in torch.split(found, sizes)], dim=1)

        scored = ScoredProbabilities(
            what, range(features), lambda inputs: near.scores(inputs, votes), greatest_of_each, shares_of_each
        )
        return Imported(scored, None, outputs=len(sizes), labels=texts_of_labels(each), shares=sum(sizes))
    predictor = ScoredProbabilities(
        what, range(features), lambda inputs: near.scores(inputs, votes), greatest, lambda found: normalized(found.t())
    )
    return Imported(predictor, each[0], kind="classifier")


@importer("KNeighborsRegressor")
def neighbours_regressor(estimator: Any, features: int) -> Imported:
    """The mean of the nearest rows."""
    near = _Neighbours(estimator)
    known = np.asarray(estimator._y, dtype=np.float64).reshape(near.rows, -1)
    values = Constant(known)

    def means(rows: Tensor) -> Tensor:
        places, weights = near.nearest(rows)
        chosen = values.on(rows.device).index_select(0, places.reshape(-1)).reshape(*places.shape, -1)
        return (chosen * weights[:, :, None]).sum(dim=1).t() / weights.sum(dim=1)

    what = f"{estimator.n_neighbors} nearest of {near.rows} rows"
    predictor = Scored(what, range(features), lambda inputs: near.scores(inputs, means), identity)
    return Imported(predictor, outputs=known.shape[1])
