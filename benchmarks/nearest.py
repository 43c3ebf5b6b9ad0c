"""The nearest rows of vectors: JOIN … NEAREST and LATERAL with an order and a LIMIT, beside DuckDB.

    python -m benchmarks.nearest --threads 1 --json nearest.jsonl

Both sides answer in one process, in turns; the least CPU time of the rounds counts, and that both give the same pairs is checked.
`above` is tqp's peak resident memory during the query less what was resident before it. A line is of a size at which DuckDB is
not asked. The last ones are of APPROX, over vectors anywhere and over vectors in clusters, beside EXACT: `built` is what the first
query takes, which makes the lists, `recall` the share of the pairs of EXACT.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import torch

import tqp
from tpch.report import commit, hardware
from tpch.run import peak_rss, reset_peak_rss

__all__ = ["main"]

FUNCTIONS = {
    "array_distance": "DISTANCE",
    "array_negative_inner_product": "DISTANCE",
    "array_cosine_similarity": "SIMILARITY",
    "abs(q.id - b.id)": "DISTANCE",
}
_LARGE = (1000, 1_000_000)
_NEAR = (100, 200_000)
_CLUSTERS = 1000
_MOST_PAIRS = 10**8


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for each query; the status is 0."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.nearest", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--size", type=int, default=128, help="numbers of a vector (default 128)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--small", action="store_true", help="without the large size")
    parser.add_argument("--json", type=Path, help="append one JSON line a query to this file")
    args = parser.parse_args(argv)
    print(f"nearest 10 rows of vectors of {args.size}, {args.threads} threads\n{hardware()}\n")
    print(f"{'queries':>8}{'rows':>10}  {'form':<8}{'by':<30}{'tqp s':>9}{'DuckDB s':>10}{'times':>7}{'above MB':>10}")
    for queries, rows in ((200, 20_000), *(() if args.small else (_LARGE,))):
        for record in _measured(queries, rows, args.size, args.threads, args.rounds):
            _tell(record, args.json)
    head = f"{'EXACT s':>9}{'DuckDB s':>10}{'APPROX s':>9}{'built':>7}{'recall':>8}"
    print(f"\n{'queries':>8}{'rows':>10}  {'vectors':<11}{'by':<27}{head}")
    every = ("array_distance", "array_cosine_similarity")
    for sizes, is_clustered, functions in ((_NEAR, False, every), (_NEAR, True, every), (_LARGE, True, every[:1])):
        if sizes is _NEAR or not args.small:
            for record in _near(*sizes, args.size, args.threads, is_clustered, functions):
                _tell(record, args.json)
    return 0


def _tell(record: dict, path: Path | None) -> None:
    theirs = record["duckdb"]
    head = f"{record['queries']:>8}{record['rows']:>10}  "
    if "recall" in record:
        print(
            f"{head}{record['vectors']:<11}{record['by']:<27}{record['exact']:>9.3f}"
            f"{'' if theirs is None else format(theirs, '.2f'):>10}{record['tqp']:>9.3f}{record['built']:>7.2f}"
            f"{record['recall']:>8.3f}",
            flush=True,
        )
    else:
        beside = f"{theirs:>10.2f}{theirs / record['tqp']:>7.0f}" if theirs is not None else f"{'':>17}"
        print(
            f"{head}{record['form']:<8}{record['by']:<30}{record['tqp']:>9.3f}{beside}{record['above'] / 1e6:>10.0f}",
            flush=True,
        )
    if path is not None:
        versions = {"duckdb_version": duckdb.__version__, "torch": torch.__version__, "machine": hardware()}
        with path.open("a") as file:
            file.write(json.dumps({"benchmark": "nearest", "commit": commit(), **versions, **record}) + "\n")


def _near(
    queries: int, rows: int, size: int, threads: int, is_clustered: bool, functions: Sequence[str]
) -> Iterator[dict]:
    """What APPROX takes and finds."""
    rng = np.random.default_rng(0)
    centers = rng.standard_normal((_CLUSTERS, size), dtype=np.float32) if is_clustered else None
    tables = {"q": _vectors(rng, queries, size, centers), "b": _vectors(rng, rows, size, centers)}
    with tqp.connect(threads=threads) as ours, duckdb.connect(config={"threads": threads}) as theirs:
        compares = queries * rows <= _MOST_PAIRS
        _open(tables, size, ours, theirs if compares else None)
        for by in functions:
            exact = f"SELECT q.id, b.id AS b FROM q JOIN b NEAREST 10 BY {FUNCTIONS[by]} {by}(q.v, b.v)"
            near = exact.replace("JOIN b", "JOIN b APPROX")
            ours.sql(exact).fetchall()
            seconds = {"exact": float("inf"), "duckdb": None, "tqp": float("inf")}
            built = max(_timed(lambda text=near: ours.sql(text).fetchall())[0] for _ in range(2))
            for _ in range(2):
                taken, all_of = _timed(lambda text=exact: ours.sql(text).fetchall())
                seconds["exact"] = min(seconds["exact"], taken)
                taken, some = _timed(lambda text=near: ours.sql(text).fetchall())
                seconds["tqp"] = min(seconds["tqp"], taken)
            if compares:
                seconds["duckdb"], _ = _timed(lambda text=exact: theirs.execute(text).fetchall())
            yield {
                "queries": queries, "rows": rows, "size": size, "threads": threads, "form": "APPROX", "by": by,
                "vectors": "clustered" if is_clustered else "anywhere", **seconds, "built": built,
                "recall": len(set(all_of) & set(some)) / len(all_of),
            }  # fmt: skip


def _open(
    tables: dict[str, pa.Table], size: int, ours: tqp.Connection, theirs: duckdb.DuckDBPyConnection | None
) -> None:
    for name, table in tables.items():
        ours.register(name, table)
        if theirs is not None:
            theirs.register("given", table)
            theirs.execute(f"CREATE TABLE {name} AS SELECT id, v::FLOAT[{size}] AS v FROM given")


def _measured(queries: int, rows: int, size: int, threads: int, rounds: int) -> list[dict]:
    rng = np.random.default_rng(0)
    tables = {"q": _vectors(rng, queries, size), "b": _vectors(rng, rows, size)}
    ours = tqp.connect(threads=threads)
    compares = queries * rows <= _MOST_PAIRS
    theirs = duckdb.connect(config={"threads": threads}) if compares else None
    _open(tables, size, ours, theirs)
    records = []
    for by, direction in FUNCTIONS.items():
        rank = by if "(" in by else f"{by}(q.v, b.v)"
        down = " DESC" if direction == "SIMILARITY" else ""
        forms = {
            "NEAREST": f"SELECT q.id, b.id AS b FROM q JOIN b NEAREST 10 BY {direction} {rank}",
            "LATERAL": f"SELECT q.id, l.id AS b FROM q, LATERAL (SELECT b.id FROM b ORDER BY {rank}{down} LIMIT 10) l",
        }
        for form, query in forms.items():
            if not compares and ("(" in by or form == "LATERAL"):
                continue
            least, above, answers = [float("inf"), float("inf")], 0, [None, None]
            for turn in range(rounds if compares else 1):
                if turn == 0:
                    reset_peak_rss()
                    before = peak_rss()
                seconds, answers[0] = _timed(lambda text=query: ours.sql(text).fetchall())
                above = max(above, peak_rss() - before) if turn == 0 else above
                least[0] = min(least[0], seconds)
                if theirs is not None:
                    seconds, answers[1] = _timed(lambda text=query: theirs.execute(text).fetchall())
                    least[1] = min(least[1], seconds)
            same = theirs is None or by not in FUNCTIONS or "(" in by or sorted(answers[0]) == sorted(answers[1])
            if not same:
                raise SystemExit(f"other rows than DuckDB's: {query}")
            records.append(
                {"queries": queries, "rows": rows, "size": size, "threads": threads, "form": form, "by": by, "tqp": least[0],
                 "duckdb": least[1] if theirs is not None else None, "above": above}
            )  # fmt: skip
    return records


def _vectors(rng: np.random.Generator, rows: int, size: int, centers: np.ndarray | None = None) -> pa.Table:
    """Normal ones, about a center each where there are some."""
    values = rng.standard_normal((rows, size), dtype=np.float32)
    if centers is not None:
        values = centers[rng.integers(0, len(centers), rows)] + np.float32(0.6) * values
    return pa.table({"id": np.arange(rows), "v": pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), size)})


def _timed(run: Callable[[], list]) -> tuple[float, list]:
    start = time.process_time()
    found = run()
    return time.process_time() - start, found


if __name__ == "__main__":
    sys.exit(main())
