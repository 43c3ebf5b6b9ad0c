"""Do models of scikit-learn over an array column cost what the library costs over the matrix?

    python -m benchmarks.predict_arrays --rows 50000 --width 384 --json arrays.jsonl

For each model, fitted on float32 rows, `SELECT PREDICT(m, v)` and the library's own `predict` take turns in one process, on one
thread each, and the answers are compared. Milliseconds of processor time, the least of the turns. Needs scikit-learn.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

import tqp
from tpch.needed import names_what_is_missing
from tpch.report import commit, hardware

__all__ = ["main"]

FITTED = 600
"""Rows that models are fitted on."""


def models(width: int) -> dict[str, Any]:
    """Models of so many columns by name, not fitted."""
    from sklearn.cluster import KMeans
    from sklearn.decomposition import PCA
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return {
        "logistic": LogisticRegression(max_iter=50),
        "ridge": Ridge(),
        "scaled": make_pipeline(StandardScaler(), LogisticRegression(max_iter=50)),
        "components": make_pipeline(PCA(min(32, width)), LogisticRegression(max_iter=50)),
        "network": MLPClassifier((64,), max_iter=5),
        "clusters": KMeans(8, n_init=1),
        "normal": GaussianNB(),
        "neighbours": KNeighborsClassifier(),
        "forest": RandomForestClassifier(10, max_depth=8),
        "histogram": HistGradientBoostingClassifier(max_iter=20),
    }


@names_what_is_missing
def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for each model; the status is 1 where an answer differs."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.predict_arrays",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(argv)
    from threadpoolctl import threadpool_limits

    torch.set_num_threads(1)
    threadpool_limits(1)
    random = np.random.default_rng(0)
    rows = random.normal(size=(options.rows, options.width)).astype(np.float32)
    labels = (rows[:, 0] + rows[:, 1] > 0).astype(int)
    differ = False
    with tqp.connect(threads=1) as con:
        con.register("t", {"v": rows})
        for name, model in models(options.width).items():
            model.fit(rows[:FITTED], labels[:FITTED])
            con.register_model("m", model)
            sides: dict[str, Callable[[], Any]] = {
                "tqp": lambda: con.sql("SELECT PREDICT(m, v) AS p FROM t").numpy()["p"],
                "library": lambda model=model: model.predict(rows),
            }
            found, least = turns(sides, options.turns)
            same = np.isclose(found["tqp"], found["library"], rtol=1e-4, atol=1e-4).mean()
            differ |= bool(same < 0.999)
            ratio = least["tqp"] / least["library"]
            print(f"{name:12}{least['tqp']:8.0f} ms{least['library']:8.0f} ms of the library{ratio:8.2f}", flush=True)
            if options.json is not None:
                line = {
                    "benchmark": "predict_arrays", "model": name, "rows": options.rows, "width": options.width, **least,
                    "same": float(same), "hardware": hardware(), "commit": commit(),
                }  # fmt: skip
                with options.json.open("a") as file:
                    file.write(json.dumps(line) + "\n")
    return int(differ)


def turns(sides: dict[str, Callable[[], Any]], count: int) -> tuple[dict[str, Any], dict[str, float]]:
    """The answers of the sides, and the least milliseconds of processor time of each; the first turn is not counted."""
    found: dict[str, Any] = {}
    least = dict.fromkeys(sides, float("inf"))
    for turn in range(count + 1):
        for name, ask in sides.items():
            start = time.process_time()
            found[name] = ask()
            if turn:
                least[name] = min(least[name], 1000 * (time.process_time() - start))
    return found, least


if __name__ == "__main__":
    raise SystemExit(main())
