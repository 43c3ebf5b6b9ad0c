"""Where the trees of boosters split numbers, read from the models' own JSON: the libraries' tables of it need pandas."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

__all__ = ["lightgbm_splits", "xgboost_splits"]


def xgboost_splits(booster: Any) -> Iterator[tuple[int, float]]:
    """The place of an input and a threshold of it, for each split of an `xgboost.Booster` that is none by categories."""
    trained = json.loads(bytes(booster.save_raw("json")))["learner"]["gradient_booster"]
    for tree in trained.get("gbtree", trained)["model"].get("trees", []):
        columns = (tree[name] for name in ("split_indices", "split_conditions", "left_children", "split_type"))
        for place, threshold, left, kind in zip(*columns, strict=True):
            if left >= 0 and not kind:
                yield int(place), float(threshold)


def lightgbm_splits(booster: Any) -> Iterator[tuple[int, float]]:
    """The place of an input and a threshold of it, for each split of a `lightgbm.Booster` that is none by categories."""
    for info in booster.dump_model()["tree_info"]:
        waiting = [info["tree_structure"]]
        while waiting:
            node = waiting.pop()
            if "split_feature" in node:
                waiting += [node["right_child"], node["left_child"]]
                if node["decision_type"] == "<=":
                    yield int(node["split_feature"]), float(node["threshold"])
