"""The nearest rows of vectors: JOIN … NEAREST and LATERAL with an order and a LIMIT, beside DuckDB.

    python -m benchmarks.nearest --threads 1 --json nearest.jsonl

Both sides answer in one process, in turns; the least CPU time of the rounds counts, and that both give the same pairs is checked.
`above` is tqp's peak resident memory during the query less what was resident before it. The last line is of a size at which
DuckDB is not asked.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

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
            theirs = record["duckdb"]
            beside = f"{theirs:>10.2f}{theirs / record['tqp']:>7.0f}" if theirs is not None else f"{'':>17}"
            print(
                f"{queries:>8}{rows:>10}  {record['form']:<8}{record['by']:<30}{record['tqp']:>9.3f}{beside}"
                f"{record['above'] / 1e6:>10.0f}",
                flush=True,
            )
            if args.json is not None:
                with args.json.open("a") as file:
                    file.write(json.dumps({"benchmark": "nearest", "commit": commit(), **record}) + "\n")
    return 0


def _measured(queries: int, rows: int, size: int, threads: int, rounds: int) -> list[dict]:
    rng = np.random.default_rng(0)
    tables = {"q": _vectors(rng, queries, size), "b": _vectors(rng, rows, size)}
    ours = tqp.connect(threads=threads)
    compares = queries * rows <= _MOST_PAIRS
    theirs = duckdb.connect(config={"threads": threads}) if compares else None
    for name, table in tables.items():
        ours.register(name, table)
        if theirs is not None:
            theirs.register("given", table)
            theirs.execute(f"CREATE TABLE {name} AS SELECT id, v::FLOAT[{size}] AS v FROM given")
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


def _vectors(rng: np.random.Generator, rows: int, size: int) -> pa.Table:
    values = pa.array(rng.standard_normal((rows, size), dtype=np.float32).ravel())
    return pa.table({"id": np.arange(rows), "v": pa.FixedSizeListArray.from_arrays(values, size)})


def _timed(run: Callable[[], list]) -> tuple[float, list]:
    start = time.process_time()
    found = run()
    return time.process_time() - start, found


if __name__ == "__main__":
    sys.exit(main())
