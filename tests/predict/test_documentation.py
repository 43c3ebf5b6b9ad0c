"""The page on models names only what there is."""

from __future__ import annotations

import re
from pathlib import Path

from tqp.models import registry
from tqp.optimizer import RULES

PAGE = (Path(__file__).parents[2] / "docs" / "predict.md").read_text()


def test_classes_of_scikit_learn_are_known() -> None:
    from sklearn.linear_model import LinearRegression
    from sklearn.preprocessing import StandardScaler

    # Any class of the library brings its importers.
    registry.import_predictor(LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0]), 1)
    registry.import_transform(StandardScaler().fit([[0.0], [1.0]]), 1)
    rows = [
        row
        for row in PAGE.splitlines()
        if row.startswith(("| scikit-learn, linear", "| trees", "| others", "| meta-estimators", "| preprocessing"))
    ]
    names = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert len(rows) == 5
    assert len(names) > 40
    assert names <= set(registry._PREDICTORS) | set(registry._TRANSFORMS)


def test_rules_are_known() -> None:
    named = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    assert len(named) == 9
    assert named <= {name for name, _ in RULES}
