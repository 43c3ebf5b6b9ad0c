"""What a run prints: a table for people, JSON lines for machines."""

from __future__ import annotations

import json
import math
import os
import platform
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tpch.run import Options, Result

__all__ = ["commit", "footer", "hardware", "header", "json_line", "line"]

_BASE = "tqp"
_PEER = "duckdb"


def header(options: Options) -> str:
    """What is run, then the names of the columns."""
    state = (
        "cold from Parquet" if options.cold else "warm, tables resident; tqp keeps plans and indexes of earlier runs"
    )
    about = (
        f"TPC-H SF {options.sf:g}, {state}, {options.threads} threads, device {options.device}, "
        f"backend {options.backend}, median of {options.repeat}\n{hardware(options.device)}"
    )
    times = "".join(f"{engine + ' ms':>15}" for engine in options.engines)
    return f"{about}\n\n{'query':>5}{'rows':>9}{times}{'ratio':>8}  validated"


def line(results: Sequence[Result], known: set[str]) -> str:
    """One query: rows, times, DuckDB's time over tqp's, and whether tqp's answer is right.

    Below it what went wrong, unless it is among the `known` lines; they are added to.
    """
    ours = next((result for result in results if result.engine == _BASE), results[0])
    times = "".join(f"{_time(result):>15}" for result in results)
    ratio = _ratio(results)
    text = f"{'Q' + str(ours.query):>5}{'' if ours.rows is None else ours.rows:>9}{times}"
    text += f"{'' if ratio is None else f'{ratio:.2f}x':>8}  {_verdict(ours)}"
    problems = [f"      {result.engine}: {_indented(result.problem)}" for result in results if result.problem]
    news = [problem for problem in problems if problem not in known]
    known.update(news)
    return "\n".join([text, *news])


def footer(all_results: Sequence[Sequence[Result]], options: Options) -> str:
    """Totals, the geometric mean of the ratios, and how many answers are right.

    Totals are over the queries that all engines ran; an engine that ran none has no total and does not count.
    """
    ran = {result.engine for results in all_results for result in results if result.median_ms is not None}
    complete = [rs for rs in all_results if all(result.median_ms is not None for result in rs if result.engine in ran)]
    totals = [
        f"{sum(results[place].median_ms or 0 for results in complete):.1f}" if engine in ran else "-"
        for place, engine in enumerate(options.engines)
    ]
    ratios = [ratio for results in all_results if (ratio := _ratio(results)) is not None]
    text = f"{'total':>5}{'':>9}{''.join(f'{total:>15}' for total in totals)}"
    if len(complete) < len(all_results):
        text += f"   over {len(complete)} of {len(all_results)} queries"
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        text += f"{mean:>7.2f}x  geometric mean of {_PEER} / {_BASE}"
    ours = [result for results in all_results for result in results if result.engine == _BASE]
    if options.validate and ours:
        right = sum(result.validated is True for result in ours)
        text += f"\n{right} of {len(ours)} answers of {_BASE} equal DuckDB's in every cell"
    return text


def json_line(result: Result, options: Options, benchmark: str = "tpch") -> str:
    """The result with all that is needed to read it later."""
    record: dict[str, Any] = {
        "benchmark": benchmark,
        "query": result.query,
        "engine": result.engine,
        "engine_version": result.version,
        "sf": options.sf,
        "seed": options.seed,
        "device": options.device if result.engine == _BASE else "cpu",
        "backend": options.backend if result.engine == _BASE else None,
        "threads": options.threads,
        "cold": options.cold,
        "median_ms": result.median_ms,
        "runs_ms": [round(run, 3) for run in result.runs_ms],
        "rows": result.rows,
        "validated": result.validated,
        "peak_rss_bytes": result.peak_rss_bytes,
        "hardware": hardware(options.device),
        "commit": commit(),
        "error": result.problem,
    }
    return json.dumps(record)


@cache
def hardware(device: str = "cpu") -> str:
    """The processor, its cores for this process, the memory, and the GPU if one is used."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((found.partition(":")[2].strip() for found in lines if found.startswith("model name")), model)
    except OSError:
        pass
    gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    text = f"{model}, {len(os.sched_getaffinity(0))} cores, {gib:.0f} GiB"
    if device.startswith("cuda"):
        import torch

        text += f", {torch.cuda.get_device_name(torch.device(device))}"
    return text


@cache
def commit() -> str | None:
    """The commit that the checkout is on; None outside of one. Reads files only, so it takes no lock of git's."""
    home = Path(__file__).parents[1] / ".git"
    try:
        if home.is_file():
            home = (home.parent / home.read_text().partition(":")[2].strip()).resolve()
        head = (home / "HEAD").read_text().strip()
        if not head.startswith("ref: "):
            return head
        ref = head.removeprefix("ref: ")
        if (home / ref).is_file():
            return (home / ref).read_text().strip()
        packed = (home / "packed-refs").read_text().splitlines()
    except OSError:
        return None
    return next((known.partition(" ")[0] for known in packed if known.endswith(f" {ref}")), None)


def _ratio(results: Sequence[Result]) -> float | None:
    times = {result.engine: result.median_ms for result in results}
    ours, theirs = times.get(_BASE), times.get(_PEER)
    return None if not ours or not theirs else theirs / ours


def _time(result: Result) -> str:
    if result.median_ms is not None:
        return f"{result.median_ms:.1f}"
    return "error" if result.problem else "-"


def _verdict(result: Result) -> str:
    if result.validated is None:
        return "error" if result.problem else "-"
    return "yes" if result.validated else "NO"


def _indented(text: str | None) -> str:
    return (text or "").strip().replace("\n", "\n        ")
