"""CatBoost's models as they come: fitted, from a pickle, from a file, bare, and with features that are no numbers."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import catboost
import numpy as np
import pandas as pd
import pytest

import tqp
from tqp.errors import ModelError

RANDOM = np.random.default_rng(0)
ROWS = 60
MATRIX = RANDOM.normal(size=(ROWS, 3)).round(3)
FRAME = pd.DataFrame(MATRIX, columns=["a", "b", "c"])
FIRST = MATRIX[:, 0] > 0
SMALL: dict[str, Any] = {"iterations": 3, "verbose": 0, "allow_writing_files": False, "thread_count": 1}
MODELS = {
    "matrix": catboost.CatBoostClassifier(**SMALL).fit(MATRIX, FIRST.astype(int)),
    "frame": catboost.CatBoostClassifier(**SMALL).fit(FRAME, FIRST),
    "three": catboost.CatBoostClassifier(**SMALL).fit(FRAME, np.digitize(MATRIX[:, 0], [-0.5, 0.5])),
    "number": catboost.CatBoostRegressor(**SMALL).fit(MATRIX, MATRIX[:, 0]),
    "numbers": catboost.CatBoostRegressor(loss_function="MultiRMSE", **SMALL).fit(MATRIX, MATRIX[:, :2]),
    "labels": catboost.CatBoostClassifier(loss_function="MultiLogloss", **SMALL).fit(
        MATRIX, (MATRIX[:, :2] > 0).astype(int)
    ),
    "rank": catboost.CatBoostRanker(**SMALL).fit(MATRIX, FIRST, group_id=np.arange(ROWS) // 10),
}


def forms(model: Any, folder: Path) -> list[Any]:
    """The model as it was fitted, pickled, read from its file, and read as a bare model."""
    path = str(folder / "model.cbm")
    model.save_model(path)
    read = (type(model)().load_model(path), catboost.CatBoost().load_model(path))
    return [model, pickle.loads(pickle.dumps(model)), *read]


def require_same(model: Any, rows: Any, backend: str, names: str) -> None:
    with tqp.connect(threads=1) as con:
        con.register("t", pd.DataFrame(rows, columns=names.split(", ")).assign(id=np.arange(ROWS)))
        con.register_model("m", model, backend=backend)
        found = con.sql(f"SELECT PREDICT(m, {names}) FROM t ORDER BY id")
        wanted = model.predict(rows)
        wanted = wanted[:, 0] if wanted.ndim == 2 and wanted.shape[1] == 1 else wanted
        kind = {"b": "BOOLEAN", "i": "BIGINT", "f": "DOUBLE"}[wanted.dtype.kind]
        assert str(found.types[0]).partition("[")[0] == kind
        np.testing.assert_allclose(np.asarray([p for (p,) in found.fetchall()], float), wanted.astype(float), rtol=1e-9)


@pytest.mark.parametrize("backend", ["tensor", "host"])
@pytest.mark.parametrize("name", MODELS)
def test_forms(name: str, backend: str, tmp_path: Path) -> None:
    for model in forms(MODELS[name], tmp_path):
        if name == "labels" and backend == "tensor" and type(model) is not catboost.CatBoost:
            with tqp.connect() as con, pytest.raises(ModelError, match="MultiLogloss"):
                con.register_model("m", model, backend=backend)
            continue
        require_same(model, FRAME if name in ("frame", "three") else MATRIX, backend, "a, b, c")


def test_text_and_categories_run_on_the_host(tmp_path: Path) -> None:
    words = [" ".join(RANDOM.choice(["old", "new", "big"], 3)) for _ in range(ROWS)]
    frame = pd.DataFrame({"words": words, "a": MATRIX[:, 0], "kind": RANDOM.choice(["u", "v"], ROWS)})
    model = catboost.CatBoostClassifier(text_features=["words"], cat_features=["kind"], **SMALL).fit(frame, FIRST)
    for form in forms(model, tmp_path):
        require_same(form, frame, "host", "words, a, kind")
        with tqp.connect() as con, pytest.raises(ModelError, match="text features is not supported") as error:
            con.register_model("m", form)
        assert 'backend="host"' in str(error.value.hint)
