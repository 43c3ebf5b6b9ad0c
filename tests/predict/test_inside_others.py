"""Clusterers, detectors of outliers and transformers of scikit-learn, alone and inside others, around columns chosen by names.

Fitted on a frame, reloaded from a pickle, and registered both ways: each answers as the library's own method, or is refused with
an error of tqp's.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import OutlierMixin, clone, is_classifier
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils import all_estimators

import tqp
from tests.predict.test_inside import ALL, FRAME, NUMBER, ROWS, TWO, around, estimators
from tests.shares import is_in_share
from tqp.errors import ModelError

pytestmark = pytest.mark.filterwarnings("ignore")

Wrap = Callable[[Any], Any]
LABELLING: dict[str, Wrap] = {
    "itself": around,
    "search": lambda m: GridSearchCV(around(m), {}, cv=2, scoring=lambda *_: 0.0),
    "search inside": lambda m: around(GridSearchCV(m, {}, cv=2, scoring=lambda *_: 0.0)),
    "pipeline": lambda m: Pipeline([("whole", around(MinMaxScaler())), ("model", m)]),
}
CHANGING: dict[str, Wrap] = {
    "itself": around,
    "before a classifier": lambda m: Pipeline([("whole", around(m)), ("model", LogisticRegression())]),
    "before a regressor": lambda m: Pipeline([("whole", around(m)), ("model", Ridge())]),
    "in a union": lambda m: around(FeatureUnion([("first", m), ("second", MinMaxScaler())])),
    "before a choice": lambda m: Pipeline([("whole", around(m)), ("chosen", SelectFromModel(Ridge()))]),
}


def labelling() -> list[Any]:
    """Clusterers and detectors of outliers that can be asked for new rows."""
    detectors = [m for m in estimators(None) if isinstance(m, OutlierMixin)]
    for model in detectors:
        if "novelty" in model.get_params():
            model.set_params(novelty=True)
    return [m for m in [*estimators("cluster"), *detectors] if hasattr(m, "predict")]


def cases(models: list[Any], wraps: dict[str, Wrap]) -> list[Any]:
    named = [(f"{type(model).__name__}, {name}", model, wrap) for model in models for name, wrap in wraps.items()]
    return [pytest.param(m, wrap, id=text) for text, m, wrap in named if ALL or is_in_share(text, 9)]


def require_same(model: Any, method: str | None, wanted: Any) -> None:
    for backend in ("auto", "host"):
        with tqp.connect(threads=1) as con:
            con.register("t", FRAME.assign(id=np.arange(ROWS)))
            try:
                con.register_model(
                    "m", model, backend=backend, method=method, check=FRAME if backend == "host" else None
                )
            except ModelError:
                assert backend == "auto" or wanted.dtype.kind not in "biuf", "the library itself can always be asked"
                continue
            found = con.sql("SELECT PREDICT(m, a, c, b, d) AS p FROM t ORDER BY id").fetchall()
        rows = np.asarray([p for (p,) in found])
        wanted = wanted[:, 0] if wanted.ndim == 2 and wanted.shape[1] == 1 else wanted
        assert rows.shape == wanted.shape
        if wanted.dtype.kind in "biuf":
            np.testing.assert_allclose(rows.astype(float), wanted.astype(float), rtol=1e-5, atol=1e-6)
        else:
            np.testing.assert_array_equal(rows, wanted)


def asked(wrap: Wrap, model: Any, target: Any, method: str) -> tuple[Any, Any]:
    """The fitted model from its pickle, and what its method gives; skipped where scikit-learn refuses."""
    try:
        fitted = pickle.loads(pickle.dumps(wrap(clone(model)).fit(FRAME, target)))
        wanted = getattr(fitted, method)(FRAME)
    except Exception as error:
        pytest.skip(f"scikit-learn: {type(error).__name__}")
    found = np.asarray(wanted.toarray() if hasattr(wanted, "toarray") else wanted)
    if not found.size:
        pytest.skip("it gives no number")
    return fitted, found


@pytest.mark.parametrize(("model", "wrap"), cases(labelling(), LABELLING))
def test_models_without_labels(model: Any, wrap: Wrap) -> None:
    fitted, wanted = asked(wrap, model, None, "predict")
    require_same(fitted, None, wanted)


@pytest.mark.parametrize(("model", "wrap"), cases(estimators("transformer"), CHANGING))
def test_transformers(model: Any, wrap: Wrap) -> None:
    last = wrap(clone(model))
    method = "predict" if hasattr(last, "predict") else "transform"
    target = TWO if is_classifier(last) else NUMBER
    fitted, wanted = asked(wrap, model, target, method)
    require_same(fitted, None if method == "predict" else "transform", wanted)


def test_all_kinds_are_tried() -> None:
    names = {type(model).__name__ for kind in ("classifier", "regressor", "transformer") for model in estimators(kind)}
    names |= {type(model).__name__ for model in labelling()}
    others = {name for name, cls in all_estimators() if hasattr(cls, "predict") and name not in names}
    # Those that take other estimators are around the others; mixtures are no clusterers to the library.
    assert not {name for name in others if not _takes_others(name)} - {"BayesianGaussianMixture", "GaussianMixture"}


def _takes_others(name: str) -> bool:
    cls = dict(all_estimators())[name]
    try:
        cls()
    except TypeError:
        return True
    return False
