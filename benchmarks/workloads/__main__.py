"""How fast are queries that nobody tuned for, in four states, beside other engines?

    python -m benchmarks.workloads --rows 1000000                      all workloads, tqp and DuckDB
    python -m benchmarks.workloads --only tpch --rows 6000000          TPC-H at scale factor 1 in the four states
    python -m benchmarks.workloads --only star graph --states fresh    some of them, one state
    python -m benchmarks.workloads --engines tqp duckdb polars datafusion --json workloads.jsonl

States: `first` is the first run of a query on resident columns, with what its planning and its indexes cost; `fresh` the same
query with other constants than before, `repeated` a text that ran before, `cold` a new connection straight on Parquet files.
Engines take turns, and who begins alternates. Times are from SQL text to Arrow table; ratios are DuckDB's time over tqp's,
by wall and by CPU time of all threads, so above 1 tqp is faster. Every first answer of tqp is compared with DuckDB's.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import exp, log
from pathlib import Path
from statistics import median

import pyarrow as pa

from benchmarks.timing import Record
from benchmarks.workloads.events import EVENTS
from benchmarks.workloads.families import GROUPS, JOINS, ORDER
from benchmarks.workloads.graph import GRAPH
from benchmarks.workloads.language import LANGUAGE
from benchmarks.workloads.star import STAR
from benchmarks.workloads.tpch import Tpch, TpchQuery
from benchmarks.workloads.vectors import VECTORS
from benchmarks.workloads.workload import Query, Workload
from tpch.engines import ENGINES, Engine, Tqp
from tpch.needed import names_what_is_missing
from tpch.run import Options
from tpch.validate import Oracle

STATES = ("first", "fresh", "repeated", "cold")
WORKLOADS = {workload.name: workload for workload in (STAR, EVENTS, GRAPH, GROUPS, JOINS, ORDER, LANGUAGE, VECTORS)}
NAMES = (*WORKLOADS, Tpch.name)

_OURS = "tqp"
_PEER = "duckdb"


@dataclass
class Times:
    """Milliseconds of one query on one engine in one state."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)


class Measured:
    """The times of one workload, and what went wrong."""

    def __init__(self, workload: Workload | Tpch, args: argparse.Namespace) -> None:
        self.times: dict[tuple[str, str, str], Times] = defaultdict(Times)
        self.problems: dict[tuple[str, str], str] = {}
        self._workload = workload
        self._args = args
        self._files = workload.files(args.rows)
        self._options = Options(device=args.device, threads=args.threads, backend=args.backend)

    def resident(self, oracle: Oracle) -> None:
        """Each query once for the first time, then with other constants, then the last text again."""
        for start in range(self._args.starts):
            engines = {name: self._open(name, resident=True) for name in self._args.engines}
            for turn in range(1 + self._args.repeat):
                for query in self._workload.queries:
                    text = query.sql(turn)
                    answer = self._turn(engines, query, text, "fresh" if turn else "first", start + turn)
                    if answer is not None and (start == 0 or turn == 0):
                        self._judge(query, text, answer, oracle)
            for turn in range(self._args.repeat if "repeated" in self._args.states else 0):
                for query in self._workload.queries:
                    self._turn(engines, query, query.sql(self._args.repeat), "repeated", turn)
            for engine in engines.values():
                engine.close()

    def cold(self) -> None:
        """Each query with engines that are opened for it."""
        for turn in range(self._args.repeat):
            for query in self._workload.queries:
                self._turn({}, query, query.sql(turn), "cold", turn)

    def _turn(
        self, engines: dict[str, Engine], query: Query | TpchQuery, text: str, state: str, turn: int
    ) -> pa.Table | None:
        """One run on each engine, which is opened and closed for it if it is not among `engines`; tqp's answer."""
        found = None
        for name in self._args.engines if turn % 2 else reversed(self._args.engines):
            if (query.name, name) in self.problems:
                continue
            wall, cpu = time.perf_counter(), time.process_time()
            try:
                engine = engines.get(name) or self._open(name, resident=False)
                answer = engine.run(text)
                if name not in engines:
                    engine.close()
            except Exception as error:
                self.problems[query.name, name] = f"{type(error).__name__}: {str(error)[:200]}"
                continue
            times = self.times[query.name, name, state]
            times.wall.append((time.perf_counter() - wall) * 1e3)
            times.cpu.append((time.process_time() - cpu) * 1e3)
            if name == _OURS:
                found = answer
        return found

    def _open(self, name: str, *, resident: bool) -> Engine:
        engine: Engine = ENGINES[name](self._files, self._options, resident=resident)
        if resident and isinstance(engine, Tqp):
            for table in self._files:
                stored = engine.connection.catalog.lookup(table)
                for column, _ in stored.schema:
                    stored.column(column)
        return engine

    def _judge(self, query: Query | TpchQuery, text: str, answer: pa.Table, oracle: Oracle) -> None:
        difference = oracle.difference(text, answer)
        if difference is not None:
            self.problems[query.name, _OURS] = f"not DuckDB's answer: {difference}"


def report(record: Record, workload: Workload | Tpch, measured: Measured, args: argparse.Namespace) -> None:
    """A line for each query and state, then one for each state: the geometric means and the lowest."""
    common = {"rows": args.rows, "threads": args.threads, "backend": args.backend}
    for state in args.states:
        ratios: dict[str, tuple[float, float]] = {}
        for query in workload.queries:
            by_engine = {name: measured.times.get((query.name, name, state)) for name in args.engines}
            ours, peer = by_engine.get(_OURS), by_engine.get(_PEER)
            if ours is None or (query.name, _OURS) in measured.problems:
                continue
            facts: dict[str, float] = {}
            for name, times in by_engine.items():
                if times is not None:
                    facts[f"{name}_wall_ms"] = round(median(times.wall), 3)
                    facts[f"{name}_cpu_ms"] = round(median(times.cpu), 3)
            if peer is not None:
                one = median(peer.wall) / median(ours.wall), median(peer.cpu) / max(median(ours.cpu), 1e-3)
                ratios[query.name] = one
                facts |= {"wall_ratio": round(one[0], 3), "cpu_ratio": round(one[1], 3)}
            record.add(f"{workload.name} {state}: {query.name}", ours.wall, **facts, **common)
        if ratios:
            lowest = min(ratios, key=lambda name: ratios[name][0])
            record.fact(
                f"{workload.name} {state}, {len(ratios)} queries of {len(workload.queries)}:",
                wall_ratio=_mean(ratios.values(), 0),
                cpu_ratio=_mean(ratios.values(), 1),
                lowest=round(ratios[lowest][0], 3),
                lowest_query=lowest,
                **common,
            )
    for (query_name, engine), problem in measured.problems.items():
        record.fact(f"{workload.name}: {query_name}, {engine}", problem=problem, **common)


def _mean(ratios: Iterator[tuple[float, float]] | Sequence[tuple[float, float]], place: int) -> float:
    logs = [log(ratio[place]) for ratio in ratios]
    return round(exp(sum(logs) / len(logs)), 3)


@names_what_is_missing
def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--only", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--states", nargs="+", choices=STATES, default=list(STATES))
    parser.add_argument("--engines", nargs="+", choices=list(ENGINES), default=[_OURS, _PEER])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--backend", default="eager")
    parser.add_argument("--threads", type=int, default=Options().threads)
    parser.add_argument("--repeat", type=int, default=3, help="runs of each state but the first")
    parser.add_argument("--starts", type=int, default=2, help="connections, each with a first run of its own")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(arguments)
    if "polars" in args.engines:
        # Read once, when polars is first imported, which registering a table does.
        os.environ.setdefault("POLARS_MAX_THREADS", str(args.threads))
    record = Record("workloads", args.json, args.device)
    wrong = False
    for name in args.only:
        workload = WORKLOADS.get(name) or Tpch(args.rows)
        measured = Measured(workload, args)
        if set(args.states) - {"cold"}:
            oracle = Oracle(workload.files(args.rows), Options(threads=args.threads))
            measured.resident(oracle)
            oracle.close()
        if "cold" in args.states:
            measured.cold()
        report(record, workload, measured, args)
        wrong |= any(engine == _OURS for _, engine in measured.problems)
    return int(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
