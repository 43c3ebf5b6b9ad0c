"""The constants of a cost model of a GPU: what a launch, a wait, a pass, a scatter and a copy take.

    python -m benchmarks.cuda_micro --device cuda --json micro.jsonl

Each line has two times a call: of the device, by its own events, and of the host until it may go on. Where nobody waits the
host's is that of the launches, and the greater of both is what a program pays. The last line draws the constants from them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import torch

from benchmarks.timing import Record, require
from tpch.needed import names_what_is_missing

__all__ = ["main"]

Case = tuple[str, Callable[[], object], int, int]
"""Its name, what is called, how often, and the bytes that a call must at least move."""

ROWS = 60_000_000
REHEARSED = 20_000
GROUPS = (1, 4, 16, 64, 256, 1024, 4096, 65_536, 15_000_000)
LANES = (16, 64, 256)
GRAPHED = 200
"""Launches of one graph."""


@dataclass(frozen=True)
class Times:
    """Microseconds a call; `device` is None where only a GPU could say."""

    device: float | None
    host: float


def _measured(call: Callable[[], object], repeat: int, cuda: bool) -> Times:
    for _ in range(3):
        call()
    if not cuda:
        start = time.perf_counter()
        for _ in range(repeat):
            call()
        return Times(None, (time.perf_counter() - start) / repeat * 1e6)
    torch.cuda.synchronize()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start = time.perf_counter()
    begin.record()
    for _ in range(repeat):
        call()
    host = time.perf_counter() - start
    end.record()
    torch.cuda.synchronize()
    return Times(begin.elapsed_time(end) / repeat * 1e3, host / repeat * 1e6)


def small(device: str) -> Iterator[Case]:
    """What has no size: launches, constants and answers to the host."""
    few = torch.zeros(8, device=device)
    yield "launch", lambda: few + 1, 1000, 0
    yield "constant by torch.tensor", lambda: torch.tensor(5, device=device), 300, 0
    yield "constant by torch.full", lambda: torch.full((), 5, device=device), 300, 0
    yield "item", lambda: few[0].item(), 300, 0
    yield "tolist of 2", lambda: torch.stack(torch.aminmax(few)).tolist(), 300, 0
    yield "nonzero of 8", lambda: few.nonzero(), 300, 0
    yield "nonzero_static of 8", lambda: torch.nonzero_static(few, size=8), 300, 0
    yield "sort of 8", lambda: torch.sort(few), 300, 0


def streams(rows: int, device: str) -> Iterator[Case]:
    """Passes over all rows, in order."""
    narrow = torch.randint(0, 1000, (rows,), device=device, dtype=torch.int32)
    wide = narrow.long()
    mask = narrow > 900
    yield "compare int32", lambda: narrow > 500, 10, 5 * rows
    yield "add int64", lambda: wide + wide, 10, 24 * rows
    yield "sum int64", lambda: wide.sum(), 10, 8 * rows
    yield "cumsum int64", lambda: torch.cumsum(wide, 0), 5, 16 * rows
    yield "nonzero of a tenth", lambda: mask.nonzero(), 10, rows
    yield "nonzero_static of a tenth", lambda: torch.nonzero_static(mask, size=rows // 8), 10, rows
    yield "count_nonzero", lambda: torch.count_nonzero(mask), 10, rows


def scatters(rows: int, device: str) -> Iterator[Case]:
    """Sums by group: atomics on the groups, over several addresses each, and without atomics."""
    values = torch.randint(0, 1000, (rows,), device=device, dtype=torch.int64)
    row = torch.arange(rows, device=device)
    for groups in (groups for groups in GROUPS if groups <= rows):
        ids = torch.randint(0, groups, (rows,), device=device)
        yield f"scatter into {groups}", lambda ids=ids, n=groups: _sums(ids, values, n), 3, 16 * rows
        for lanes in LANES:
            if 1 < groups * lanes <= 2**16:
                yield (
                    f"scatter into {groups} over {lanes} addresses",
                    lambda ids=ids, n=groups, lanes=lanes: (
                        _sums(ids * lanes + (row & (lanes - 1)), values, n * lanes).view(n, lanes).sum(1)
                    ),
                    3,
                    16 * rows,
                )
        if groups <= 16:
            yield f"masked sums of {groups}", lambda ids=ids, n=groups: _masked(ids, values, n), 3, 16 * rows


def _sums(ids: torch.Tensor, values: torch.Tensor, groups: int) -> torch.Tensor:
    return torch.zeros(groups, dtype=values.dtype, device=values.device).scatter_add_(0, ids, values)


def _masked(ids: torch.Tensor, values: torch.Tensor, groups: int) -> torch.Tensor:
    return torch.stack([torch.where(ids == group, values, 0).sum() for group in range(groups)])


def gathers(rows: int, device: str) -> Iterator[Case]:
    """Rows by their ids: at random, in order, and from a table that fits the cache."""
    values = torch.randint(0, 1000, (rows,), device=device, dtype=torch.int32)
    places = torch.randint(0, rows, (rows,), device=device)
    order, near = torch.arange(rows, device=device), places % 1_000_000
    for name, ids in (("at random", places), ("in order", order), ("from a million", near)):
        narrow = ids.int()
        yield f"gather {name}, int64 ids", lambda ids=ids: values.index_select(0, ids), 5, 16 * rows
        yield f"gather {name}, int32 ids", lambda ids=narrow: values.index_select(0, ids), 5, 12 * rows


def sorts(rows: int, device: str) -> Iterator[Case]:
    """Orders of integers."""
    wide = torch.randint(0, rows, (rows,), device=device)
    narrow = wide.int()
    yield "sort int32", lambda: torch.sort(narrow, stable=True), 3, 12 * rows
    yield "sort int64", lambda: torch.sort(wide, stable=True), 3, 16 * rows
    yield "unique int64", lambda: torch.unique(wide), 2, 8 * rows
    yield "search int64", lambda: torch.searchsorted(wide[:1000].sort().values, wide), 3, 16 * rows


def copies(rows: int, device: str) -> Iterator[Case]:
    """Between host and device, from memory that may be moved and from pinned memory."""
    host = torch.zeros(rows, dtype=torch.int32, device="cpu")
    there = host.to(device)
    yield "upload pageable", lambda: host.to(device), 3, 4 * rows
    yield "download pageable", lambda: there.cpu(), 3, 4 * rows
    if device != "cuda":
        return
    pinned = host.pin_memory()
    yield "upload pinned", lambda: pinned.to(device, non_blocking=True), 3, 4 * rows
    yield "download pinned", lambda: pinned.copy_(there, non_blocking=True), 3, 4 * rows
    yield "pinning", lambda: host.pin_memory(), 2, 4 * rows


def graphs(rows: int, device: str) -> Iterator[Case]:
    """Launches that were captured once."""
    if device != "cuda":
        return
    line = torch.zeros(1000, device=device)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(GRAPHED):
            line = line + 1
    yield f"graph of {GRAPHED} launches", graph.replay, 50, 0


FAMILIES = (small, scatters, streams, gathers, sorts, copies, graphs)


def _constants(times: dict[str, Times]) -> dict[str, float]:
    """What the model asks for, in microseconds, or in billions a second."""

    def device(name: str) -> float:
        found = times[name].device
        return times[name].host if found is None else found

    graph = times.get(f"graph of {GRAPHED} launches")
    return {
        "launch_us": times["launch"].host,
        "constant_us": times["constant by torch.tensor"].host,
        "item_us": times["item"].host,
        "nonzero_us": times["nonzero of 8"].host,
        **({} if graph is None or graph.device is None else {"graphed_launch_us": graph.device / GRAPHED}),
        "scatter_into_one_us": device("scatter into 1"),
        "sort_int32_us": device("sort int32"),
    }


@names_what_is_missing
def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cuda_micro",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--device", default="cuda", choices=["cuda", "sim"])
    parser.add_argument("--rows", type=int, help=f"of a column (default {ROWS:,}; {REHEARSED:,} where nothing is fast)")
    parser.add_argument("--json", type=Path, help="append a JSON line each")
    args = parser.parse_args(argv)
    require(args.device)
    cuda = args.device == "cuda"
    rows = args.rows or (ROWS if cuda else REHEARSED)
    record = Record("cuda_micro", args.json, args.device)
    times: dict[str, Times] = {}
    for family in FAMILIES:
        cases = small(args.device) if family is small else family(rows, args.device)  # type: ignore[operator]
        for name, call, repeat, nbytes in cases:
            found = times[name] = _measured(call, repeat if cuda else 2, cuda)
            speed = None if found.device is None or not nbytes else round(nbytes / found.device / 1e3, 1)
            record.fact(
                name,
                device_us=None if found.device is None else round(found.device, 2),
                host_us=round(found.host, 2),
                gb_per_s=speed,
            )
    if not cuda:
        print("pinned copies and graphs were left out: they need CUDA")
    record.fact("constants", rows=rows, **{name: round(value, 2) for name, value in _constants(times).items()})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
