"""How much memory does a prediction over a whole table take, beside the columns that it reads?

    python -m benchmarks.predict_memory --sf 1 --threads 2 --json memory.jsonl

For each family of models, `SELECT avg(PREDICT_PROBA(…))` over all of lineitem (6 million rows at SF 1). `columns` are the
bytes of the columns read, as they are held; `above` is the process's peak resident memory during the query less what was
resident before it, the columns being there and memory that the process had freed given back; `total` is
(columns + above) / columns, and `matrix` the bytes of one float64 feature matrix, which is what a library asks for. Needs
scikit-learn.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.predict_models import FAMILIES, TASKS, missing, train
from tpch import data
from tpch.needed import names_what_is_missing
from tpch.report import commit, hardware
from tpch.run import Options, peak_rss, reset_peak_rss

__all__ = ["main"]

TABLE = "lineitem"


@names_what_is_missing
def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for each family; the status is 0."""
    fallback = Options()
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.predict_memory",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--sf", type=float, default=fallback.sf, help="scale factor (default 1)")
    parser.add_argument("--threads", type=int, default=fallback.threads, help="default: all cores")
    parser.add_argument("--families", default=",".join(FAMILIES), help="of models (default: all)")
    parser.add_argument("--json", type=Path, help="append one JSON line a family to this file")
    args = parser.parse_args(argv)
    files = data.files(args.sf)
    print(f"PREDICT over all of {TABLE}, TPC-H SF {args.sf:g}, {args.threads} threads\n{hardware()}\n")
    print(f"{'family':<11}{'columns MB':>12}{'above MB':>12}{'matrix MB':>12}{'total':>8}")
    for name in args.families.split(","):
        family = FAMILIES[name]
        if family.is_text:
            continue
        if missing(family) is not None:
            print(f"{name:<11} {missing(family)} is not installed")
            continue
        columns, above, matrix = _peak(files, name, args.threads)
        total = (columns + above) / columns
        print(f"{name:<11}{columns / 1e6:>12.1f}{above / 1e6:>12.1f}{matrix / 1e6:>12.1f}{total:>7.2f}x", flush=True)
        if args.json is not None:
            record = {"benchmark": "predict_memory", "family": name, "sf": args.sf, "threads": args.threads,
                      "column_bytes": columns, "bytes_above": above, "matrix_bytes": matrix,
                      "hardware": hardware(), "commit": commit()}  # fmt: skip
            with args.json.open("a") as file:
                file.write(json.dumps(record) + "\n")
    return 0


def _peak(files: dict[str, Path], family: str, threads: int) -> tuple[int, int, int]:
    """Bytes of the columns read, of peak memory above them, and of a feature matrix."""
    import tqp

    task = TASKS["overdue"]
    model = train(FAMILIES[family], task, files, threads)
    with tqp.connect(threads=threads) as connection:
        connection.register(TABLE, str(files[TABLE]))
        connection.register_model(task.name, model)
        arguments = ", ".join([task.name, *task.features.values()])
        sql = f"SELECT avg(PREDICT_PROBA({arguments})[2]) AS risk FROM {TABLE}"
        connection.sql(f"SELECT {', '.join(task.features.values())} FROM {TABLE} LIMIT 1").fetchall()
        _give_back()
        reset_peak_rss()
        before = peak_rss()
        connection.sql(sql).fetchall()
        above = peak_rss() - before
        stored = connection.catalog.lookup(TABLE)
        assert stored is not None
        return stored.bytes(), above, stored.rows * len(task.features) * 8


def _give_back() -> None:
    """Freed memory to the system, where the C library can; it would hide what the query takes."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


if __name__ == "__main__":
    sys.exit(main())
