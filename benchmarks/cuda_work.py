"""What each TPC-H query asks of a GPU: kernels, waits by place, how busy it is, and the memory it takes.

    python -m benchmarks.cuda_work --device cuda --sf 1 --json work.jsonl

The first run of a query brings columns and indexes; the counts are those of the third. On the simulated device launches take the
place of kernels, and the busy share, which needs a clock there, is left out.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import torch

import tqp
from benchmarks.timing import Record, require
from tests.device import record as simulated
from tpch import data, parameters
from tpch.__main__ import queries
from tpch.needed import names_what_is_missing

__all__ = ["Work", "main"]

SHOWN = 6
"""Places where most of the waits are."""


@dataclass
class Work:
    """What one run asked for."""

    kernels: int = 0
    busy_ms: float | None = None
    peak_mb: float | None = None
    waits: Counter[str] = field(default_factory=Counter)


@contextmanager
def _warned(waits: Counter[str]) -> Iterator[None]:
    """Count torch's warnings of a wait, by the place in tqp."""
    lock = threading.Lock()

    def seen(message: Warning | str, *_: Any, **__: Any) -> None:
        if "synchroniz" in str(message):
            with lock:
                waits[simulated.place()] += 1

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = seen  # type: ignore[assignment]
        torch.cuda.set_sync_debug_mode("warn")
        try:
            yield
        finally:
            torch.cuda.set_sync_debug_mode("default")


def on_cuda(connection: tqp.Connection, text: str) -> Work:
    """Two runs: one that counts waits and memory, one under the profiler, which has waits of its own."""
    work = Work()
    torch.cuda.reset_peak_memory_stats()
    with _warned(work.waits):
        connection.sql(text).arrow()
    work.peak_mb = torch.cuda.max_memory_allocated() / 1e6
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        connection.sql(text).arrow()
        torch.cuda.synchronize()
    events = [event for event in profile.events() if event.device_type == torch.autograd.DeviceType.CUDA]
    work.kernels = len(events)
    work.busy_ms = sum(event.device_time for event in events) / 1e3
    return work


def on_sim(connection: tqp.Connection, text: str) -> Work:
    """One run, recorded."""
    with simulated.recording() as record:
        connection.sql(text).arrow()
    waits = Counter(f"{event.wait} {event.place}" for event in record.waits)
    return Work(kernels=len(record.launches), waits=waits)


@names_what_is_missing
def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cuda_work", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cuda", choices=["cuda", "sim"])
    parser.add_argument("--sf", type=float, default=1)
    parser.add_argument(
        "--queries", type=queries, default=list(parameters.QUERIES), help="such as 1,6-9 (default: all)"
    )
    parser.add_argument("--json", type=Path, help="append a JSON line each")
    args = parser.parse_args(argv)
    require(args.device)
    record = Record("cuda_work", args.json, args.device)
    measure = on_cuda if args.device == "cuda" else on_sim
    places: Counter[str] = Counter()
    with tqp.connect(device=args.device) as connection:
        for table, file in data.files(args.sf).items():
            connection.register(table, str(file))
        for number in args.queries:
            text = parameters.query(number, sf=args.sf)
            runs = [_milliseconds(connection, text) for _ in range(5)][2:]
            work = measure(connection, text)
            places += work.waits
            record.add(
                f"Q{number}",
                runs,
                kernels=work.kernels,
                waits=work.waits.total(),
                busy_share=None if work.busy_ms is None else round(work.busy_ms / median(runs), 3),
                peak_mb=None if work.peak_mb is None else round(work.peak_mb),
                places=dict(work.waits.most_common(SHOWN)),
            )
    if args.device != "cuda":
        print("busy share and peak memory were left out: they need CUDA")
    for place, count in places.most_common():
        print(f"{count:5} {place}")
    return 0


def _milliseconds(connection: tqp.Connection, text: str) -> float:
    start = time.perf_counter()
    connection.sql(text).arrow()
    return (time.perf_counter() - start) * 1e3


if __name__ == "__main__":
    sys.exit(main())
