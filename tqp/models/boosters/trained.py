"""What boosters know of the frames that they were trained on: the categories of columns, in the order of their codes."""

from __future__ import annotations

import json
from typing import Any

from tqp.models.boosters.lightgbm import frame_categories as of_lightgbm
from tqp.models.boosters.xgboost import frame_categories as of_xgboost

__all__ = ["categories_of"]


def categories_of(estimator: Any) -> dict[int, Any]:
    """The categories, texts or numbers, of the columns of pandas' type category by their place; {} of other models."""
    library = {kind.__module__.partition(".")[0] for kind in type(estimator).__mro__}
    if "xgboost" in library:
        booster = estimator.get_booster() if hasattr(estimator, "get_booster") else estimator
        return of_xgboost(json.loads(bytes(booster.save_raw("json")))["learner"])
    if "lightgbm" in library:
        return of_lightgbm(getattr(estimator, "booster_", estimator))
    return {}
