"""Models in SQL from end to end, on real data.

    python -m benchmarks.demo_predict --sf 0.1 --threads 2

First scikit-learn's breast-cancer records: train on half, let a query predict the rest and group it by diagnosis, and hold
every single prediction against the model's own. Then the benchmark of `benchmarks.predict`: models trained on TPC-H
features, queried beside DuckDB with pandas and, for one query each, with the library as a function of DuckDB, which takes too
long for more; `--all-udf` runs that side for every query, some minutes. Two minutes on two cores. Needs scikit-learn, pandas
and DuckDB.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks import predict
from tpch.needed import names_what_is_missing, need
from tpch.run import Options

__all__ = ["breast_cancer", "main"]

FAMILIES = "logistic,histogram,forest"


def breast_cancer(threads: int) -> bool:
    """Print what a few models say about the records they were not trained on; whether all equals the models' own word."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC

    import tqp

    records = load_breast_cancer(as_frame=True)
    frame = records.data.assign(diagnosis=records.target_names[records.target], id=np.arange(len(records.data)))
    trained = frame["id"] % 2 == 0
    models: dict[str, Any] = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "svm": make_pipeline(StandardScaler(), LinearSVC(random_state=0)),
        "forest": RandomForestClassifier(50, max_depth=6, random_state=0),
        "boosting": HistGradientBoostingClassifier(max_iter=50, random_state=0),
    }
    connection = tqp.connect(threads=threads)
    connection.register("records", frame)
    features = ", ".join(f'"{name}"' for name in records.feature_names)
    right = True
    for name, model in models.items():
        model.fit(frame.loc[trained, records.feature_names], frame.loc[trained, "diagnosis"])
        connection.register_model(name, model)
        predicted = f"PREDICT({name}, {features})"
        sql = f"SELECT diagnosis, {predicted} AS predicted, count(*) AS records FROM records WHERE id % 2 = 1"
        print(f"\n{name}: SELECT diagnosis, PREDICT({name}, …) AS predicted, count(*) AS records … GROUP BY 1, 2")
        print(connection.sql(f"{sql} GROUP BY 1, 2 ORDER BY 1, 2"))
        answers = connection.sql(f"SELECT {predicted} AS label FROM records WHERE id % 2 = 1 ORDER BY id").arrow()
        expected = model.predict(frame.loc[~trained, records.feature_names])
        wrong = int((answers["label"].to_numpy() != expected).sum())
        print(f"{len(expected) - wrong} of {len(expected)} predictions equal the model's own")
        right = right and wrong == 0
    return right


@names_what_is_missing
def main(argv: Sequence[str] | None = None) -> int:
    """Run both parts; the status is 1 where an answer differs from the library's."""
    fallback = Options()
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.demo_predict",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--sf", type=float, default=0.1, help="scale factor of TPC-H (default 0.1)")
    parser.add_argument("--threads", type=int, default=fallback.threads, help="for all sides (default: all cores)")
    parser.add_argument("--repeat", type=int, default=2, help="timed runs after the first (default 2)")
    parser.add_argument("--families", default=FAMILIES, help=f"of models (default {FAMILIES})")
    parser.add_argument("--all-udf", action="store_true", help="the library as a function of DuckDB for every query")
    args = parser.parse_args(argv)
    need("sklearn", "pandas", "duckdb")
    print("Breast-cancer records: trained on the even ones, queried for the odd ones")
    right = breast_cancer(args.threads)
    print(flush=True)
    options = ["--sf", f"{args.sf}", "--threads", f"{args.threads}", "--repeat", f"{args.repeat}"]
    sampled = [] if args.all_udf else ["--sample-udf"]
    status = predict.main([*options, "--families", args.families, *sampled])
    return status if right else 1


if __name__ == "__main__":
    sys.exit(main())
