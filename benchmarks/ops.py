"""What do the torch and numpy operations that kernels are made of cost?

    python -m benchmarks.ops                                  one batch and a whole column, one thread
    python -m benchmarks.ops --device cuda --rows 6000000     on a GPU
    python -m benchmarks.ops --only select --json ops.jsonl   those whose name holds a word

Choices between algorithms (compact or mask, sort or scatter) rest on these numbers: run it again on a new machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.timing import Record, milliseconds
from tqp.kernels import join
from tqp.kernels.operation import OPERATIONS
from tqp.kernels.rows import select

Case = tuple[str, Callable[[], object]]

SELECTIVITIES = (0.02, 0.2, 0.5, 0.9)
TABLE_ROWS = 200_000
GROUPS = (6, 1000, TABLE_ROWS)


def masks(rows: int, device: str) -> Iterator[Case]:
    """A filter's mask to row ids, then to the rows."""
    values = torch.randint(0, 10_000, (rows,), dtype=torch.int32, device=device)
    ids = torch.arange(rows, dtype=torch.int64, device=device)
    for share in SELECTIVITIES:
        mask = torch.rand(rows, device=device) < share
        chosen = mask.nonzero().squeeze(1)
        narrow = chosen.to(torch.int32)
        yield f"select: nonzero {share:.0%}", lambda mask=mask: mask.nonzero()
        if device == "cpu":
            yield f"select: flatnonzero {share:.0%}", lambda mask=mask: torch.from_numpy(np.flatnonzero(mask.numpy()))
        yield f"select: masked_select of ids {share:.0%}", lambda mask=mask: ids.masked_select(mask)
        yield f"select: index_select int64 ids {share:.0%}", lambda chosen=chosen: values.index_select(0, chosen)
        yield f"select: index_select int32 ids {share:.0%}", lambda narrow=narrow: values.index_select(0, narrow)
        yield f"select: x[mask] {share:.0%}", lambda mask=mask: values[mask]


def arithmetic(rows: int, device: str) -> Iterator[Case]:
    """Elementwise work by width, fresh and into a buffer."""
    for dtype in (torch.int8, torch.int16, torch.int32, torch.int64, torch.float32, torch.float64):
        kind = str(dtype).removeprefix("torch.")
        left = torch.randint(1, 10, (rows,), device=device).to(dtype)
        right = torch.randint(1, 10, (rows,), device=device).to(dtype)
        buffer = torch.empty_like(left)
        yield f"elementwise: multiply {kind}", lambda a=left, b=right: a * b
        yield f"elementwise: multiply {kind} into a buffer", lambda a=left, b=right, o=buffer: torch.mul(a, b, out=o)
        yield f"elementwise: compare {kind}", lambda a=left: a < 5
        yield f"elementwise: cast {kind} to int64", lambda a=left: a.to(torch.int64, copy=True)
        yield f"elementwise: sum {kind}", lambda a=left: a.sum()
    mask, other = torch.rand(rows, device=device) < 0.5, torch.rand(rows, device=device) < 0.5
    value = torch.randint(0, 100, (rows,), device=device)
    yield "elementwise: and of masks", lambda: mask & other
    yield "elementwise: where", lambda: torch.where(mask, value, 0)


def probes(rows: int, device: str) -> Iterator[Case]:
    """Look-ups in a table and writes to one, with near and with random keys."""
    table = torch.randint(0, TABLE_ROWS, (TABLE_ROWS,), dtype=torch.int32, device=device)
    bitmap = torch.rand(TABLE_ROWS, device=device) < 0.5
    random = torch.randint(0, TABLE_ROWS, (rows,), dtype=torch.int64, device=device)
    for order, keys in (("random", random), ("sorted", random.sort().values)):
        yield f"probe: index_select int32, {order}", lambda keys=keys: table.index_select(0, keys)
        yield f"probe: bitmap, {order}", lambda keys=keys: bitmap.index_select(0, keys)
        if device == "cpu":
            yield f"probe: np.take, {order}", lambda keys=keys: np.take(table.numpy(), keys.numpy())
        ordered = table.sort().values.to(torch.int64)
        yield f"probe: searchsorted, {order}", lambda keys=keys, t=ordered: torch.searchsorted(t, keys)
    marks = torch.zeros(TABLE_ROWS, dtype=torch.bool, device=device)
    ones = torch.ones(rows, dtype=torch.bool, device=device)
    yield "build: index_copy_ into a bitmap", lambda: marks.index_copy_(0, random, ones)
    yield "build: scatter_ a tensor into a bitmap", lambda: marks.scatter_(0, random, ones)
    yield "build: scatter_ a value into a bitmap", lambda: marks.scatter_(0, random, True)
    yield "build: index_fill_ a bitmap", lambda: marks.index_fill_(0, random, True)
    counts = torch.full((rows // 4,), 4, device=device)
    yield "build: repeat_interleave x4", lambda: torch.repeat_interleave(counts, counts, output_size=len(counts) * 4)


def groups(rows: int, device: str) -> Iterator[Case]:
    """Sums by group, few and many, with near and with random groups."""
    values = torch.randint(0, 1000, (rows,), dtype=torch.int64, device=device)
    for count in GROUPS:
        random = torch.randint(0, count, (rows,), dtype=torch.int64, device=device)
        for order, ids in (("random", random), ("sorted", random.sort().values)):
            total = torch.zeros(count, dtype=torch.int64, device=device)
            name = f"{count} groups, {order}"
            yield f"group: index_add_ {name}", lambda t=total, i=ids: t.index_add_(0, i, values)
            yield f"group: scatter_add_ {name}", lambda t=total, i=ids: t.scatter_add_(0, i, values)
            yield f"group: bincount {name}", lambda i=ids, n=count: torch.bincount(i, minlength=n)
            yield (
                f"group: scatter_reduce_ amin {name}",
                lambda t=total, i=ids: t.scatter_reduce_(0, i, values, "amin"),
            )
    few = torch.randint(0, 6, (rows,), dtype=torch.int8, device=device)
    yield (
        "group: masked sums 6 groups",
        lambda: [torch.where(few == group, values, 0).sum() for group in range(6)],
    )


def orders(rows: int, device: str) -> Iterator[Case]:
    """Sorts and what stands in for them."""
    whole = torch.randint(0, rows, (rows,), dtype=torch.int64, device=device)
    for dtype in (torch.int64, torch.int32, torch.float64):
        kind = str(dtype).removeprefix("torch.")
        values = whole.to(dtype)
        yield f"order: sort {kind}", lambda values=values: values.sort()
    yield "order: stable sort int64", lambda: whole.sort(stable=True)
    yield "order: topk 10", lambda: whole.topk(10)
    yield "order: unique", lambda: whole.unique()
    yield "order: unique with inverse", lambda: whole.unique(return_inverse=True)
    ordered = whole.sort().values
    yield "order: unique_consecutive", lambda: ordered.unique_consecutive()
    yield "order: cumsum int64", lambda: whole.cumsum(0)


def calls(rows: int, device: str) -> Iterator[Case]:
    """What choosing a form costs: an operation on three rows, and its form called itself. Ten thousand calls each."""
    few = torch.zeros(3, dtype=torch.bool, device=device)
    known = OPERATIONS["rows.select"]
    forms = known.on(torch.device(device).type)
    form = forms[0].run if forms else known.plain
    yield "call: rows.select x10000", lambda: [select(few) for _ in range(10_000)]
    yield "call: its form x10000", lambda: [form(few) for _ in range(10_000)]


def forms(rows: int, device: str) -> Iterator[Case]:
    """All forms of the operations that loops serve: those of tensors beside them (decision 25). Set TQP_LOOPS=now."""
    narrow = torch.randint(0, 2**20, (rows,), device=device)
    wide = torch.randint(0, 2**62, (TABLE_ROWS,), device=device)
    keys = wide[torch.randint(0, TABLE_ROWS, (rows,), device=device)]
    arguments: dict[str, tuple[Any, ...]] = {
        "rows.order_within": (narrow, 0, 2**20),
        "group.ids_by_table": (narrow, 0, 2**20),
        "group.ids_by_key": (keys, 0, 2**62),
    }
    for name, args in arguments.items():
        known = OPERATIONS[name]
        yield f"form: {name}, plain", lambda known=known, args=args: known.plain(*args)
        for variant in known.on(torch.device(device).type):
            if variant.when is None or variant.when(*args):
                run = variant.run
                yield f"form: {name}, {run.__name__.strip('_')}", lambda run=run, args=args: run(*args)
    built = {"sorted": join.csr_sorted(wide), "by key": join.by_key(wide, None, None)}
    for how, lookup in built.items():
        yield f"form: a probe of wide keys, {how}", lambda lookup=lookup: lookup.probe(keys, None)


FAMILIES = (masks, arithmetic, probes, groups, orders, forms, calls)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rows", type=int, nargs="+", default=[2**18, 2_000_000])
    parser.add_argument("--threads", type=int, default=1, help="intra-op threads of torch")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--only", default="", help="operations whose name holds this")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    record = Record("ops", args.json, args.device)
    for rows in args.rows:
        for family in FAMILIES:
            for name, call in family(rows, args.device):
                if args.only in name:
                    runs = milliseconds(call, args.repeat, args.device)
                    per_row = round(min(runs) * 1e6 / rows, 3)
                    record.add(name, runs, rows=rows, threads=args.threads, ns_per_row=per_row)


if __name__ == "__main__":
    main()
