"""Time TPC-H queries on several engines, turn by turn, and check tqp's answers against DuckDB's.

A time is from SQL text to Arrow table in hand. Warm, an engine has run the query once before; cold, each run opens the
engine anew on the Parquet files and its time includes that.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import pyarrow as pa

from tpch import data, parameters
from tpch.engines import ENGINES, Engine
from tpch.validate import Oracle

__all__ = ["Options", "Result", "measure", "peak_rss", "reset_peak_rss", "run"]


def _cores() -> int:
    return len(os.sched_getaffinity(0))


@dataclass(frozen=True)
class Options:
    """What to run and how."""

    sf: float = 1
    queries: Sequence[int] = parameters.QUERIES
    engines: Sequence[str] = ("tqp", "duckdb")
    device: str = "cpu"
    threads: int = field(default_factory=_cores)
    backend: str = "eager"
    repeat: int = 5
    cold: bool = False
    validate: bool = True
    seed: int | None = None


@dataclass
class Result:
    """One query on one engine. `validated` is None where nothing was compared; `problem` says what was wrong."""

    query: int | str
    engine: str
    version: str
    runs_ms: list[float] = field(default_factory=list)
    rows: int | None = None
    validated: bool | None = None
    peak_rss_bytes: int = 0
    problem: str | None = None

    @property
    def name(self) -> str:
        return self.query if isinstance(self.query, str) else f"Q{self.query}"

    @property
    def median_ms(self) -> float | None:
        return median(self.runs_ms) if self.runs_ms and self.problem is None else None


def run(options: Options, progress: Callable[[str], None] = lambda step: None) -> Iterator[list[Result]]:
    """The results of each query in turn, one an engine; `progress` hears what comes next."""
    files = data.files(options.sf)
    warm: dict[str, Engine] = {}
    failures: dict[str, str] = {}
    for name in options.engines:
        try:
            progress(f"{name}: load")
            engine = ENGINES[name](files, options, resident=not options.cold)
        except Exception as error:
            failures[name] = _message(error)
            continue
        warm[name] = engine
    if options.cold:
        for engine in warm.values():
            engine.close()
    oracle = Oracle(files, options) if options.validate else None
    for number in options.queries:
        sql = parameters.query(number, sf=options.sf, seed=options.seed)
        results = {name: Result(number, name, getattr(warm.get(name), "version", "")) for name in options.engines}
        for name, failure in failures.items():
            results[name].problem = failure
        answers = measure(sql, options, warm, results, progress, files)
        for name, tables in answers.items():
            _judge(sql, results[name], tables, oracle)
        yield list(results.values())
    if oracle is not None:
        oracle.close()


def measure(
    sql: str,
    options: Options,
    warm: Mapping[str, Engine],
    results: dict[str, Result],
    progress: Callable[[str], None] = lambda step: None,
    files: Mapping[str, Path] | None = None,
) -> dict[str, list[pa.Table]]:
    """Fill in the times, engine by engine in turns; returns the first and the last answer of each.

    `files` are what engines are opened on in a cold run.
    """
    answers: dict[str, list[pa.Table]] = {}
    for turn in range(options.repeat + 1):
        for name, result in results.items():
            if result.problem is not None:
                continue
            progress(f"{result.name} {name} {turn or 'first'}")
            try:
                reset_peak_rss()
                start = time.perf_counter()
                table = _cold(name, sql, files or {}, options) if options.cold else warm[name].run(sql)
                elapsed = (time.perf_counter() - start) * 1e3
            except Exception as error:
                result.problem = _message(error)
                continue
            answers[name] = [*answers.get(name, [])[:1], table]
            result.peak_rss_bytes = max(result.peak_rss_bytes, peak_rss())
            if turn:
                result.runs_ms.append(elapsed)
    return answers


def _cold(name: str, sql: str, files: Mapping[str, Path], options: Options) -> pa.Table:
    engine = ENGINES[name](files, options, resident=False)
    try:
        return engine.run(sql)
    finally:
        engine.close()


def _judge(sql: str, result: Result, tables: list[pa.Table], oracle: Oracle | None) -> None:
    result.rows = tables[-1].num_rows
    if oracle is None or result.problem is not None:
        return
    # Types of peers are their own matter; tqp promises DuckDB's.
    differences = [oracle.difference(sql, table, strict=result.engine == "tqp") for table in tables]
    found = next((difference for difference in differences if difference is not None), None)
    result.validated = found is None
    if found is not None:
        result.problem = str(found)


def _message(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def reset_peak_rss() -> None:
    """Let the kernel forget the process's peak memory so far."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def peak_rss() -> int:
    """Peak resident bytes of the process, the data of all engines included; 0 where the kernel does not say."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM")), 0)
