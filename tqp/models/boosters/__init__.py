"""Importers of gradient boosting libraries: XGBoost, LightGBM, CatBoost and treelite, each in a module of its own.

They read the library's own dump of the fitted model, so none of the libraries is imported.
"""

from __future__ import annotations

from typing import Any

from tqp.errors import ModelError
from tqp.models.boosters import catboost, treelite
from tqp.models.boosters.lightgbm import lightgbm_booster
from tqp.models.boosters.xgboost import xgboost_booster
from tqp.models.registry import Imported, importer

__all__ = ["booster", "catboost", "treelite"]


@importer("Booster")
def booster(estimator: Any, features: int) -> Imported:
    """The class of this name of XGBoost or LightGBM: values as its `predict` gives them, no labels."""
    library = type(estimator).__module__.partition(".")[0]
    if library == "xgboost":
        return xgboost_booster(estimator, features)
    if library == "lightgbm":
        return lightgbm_booster(estimator, features)
    raise ModelError(f"a Booster of {library} is not supported")
