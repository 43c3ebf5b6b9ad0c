"""One page of HTML from the records of runs: a table and a picture for each run, nothing that it would have to fetch."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

__all__ = ["page"]

_OURS = "tqp"
_COLORS = ("#E69F00", "#0072B2", "#009E73", "#CC79A7", "#D55E00", "#56B4E9")
_SETTINGS = ("sf", "seed", "cold", "threads", "hardware", "commit")
_RESULTS = ("query", "engine", "engine_version", "device", "backend", "median_ms", "rows", "validated", "error")
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2.5rem } p { color: #555 }
table { border-collapse: collapse; font-variant-numeric: tabular-nums } td, th { padding: .15rem .8rem; text-align: right }
thead th { border-bottom: 1px solid #999 } tfoot td { border-top: 1px solid #999; font-weight: 600 }
.wide { overflow-x: auto }
.wrong { color: #b00020; font-weight: 600 } svg { max-width: 100%; height: auto } svg text { font: 11px system-ui, sans-serif }
"""

Record = Mapping[str, Any]


def page(lines: Iterable[str]) -> str:
    """The page of these JSON lines, as `python -m tpch run --json` writes them, with a section for each run.

    Raises ValueError for a line that is no such record.
    """
    runs = _runs(_record(line, number) for number, line in enumerate(lines, 1) if line.strip())
    if not runs:
        raise ValueError("there is no record in the file; python -m tpch run --json FILE writes some")
    sections = "\n".join(map(_section, runs))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>TPC-H</title>'
        f"<style>{_STYLE}</style></head>\n<body><h1>TPC-H</h1>\n{sections}\n</body></html>\n"
    )


def _runs(records: Iterable[Record]) -> list[list[Record]]:
    """A file may hold several runs, one after the other: one begins with other settings, or with what the last one has already."""
    runs: list[list[Record]] = []
    known: set[tuple[int, str]] = set()
    settings = None
    for record in records:
        place = (record["query"], record["engine"])
        now = [record[name] for name in _SETTINGS]
        if now != settings or place in known:
            runs.append([])
            known.clear()
        settings = now
        known.add(place)
        runs[-1].append(record)
    return runs


def _record(line: str, number: int) -> Record:
    try:
        record = json.loads(line)
        if record["benchmark"] == "tpch":
            # What is read below, so that a line of another kind is told here.
            _ = [record[name] for name in (*_SETTINGS, *_RESULTS)]
            found: Record = record
            return found
    except (ValueError, KeyError, TypeError):
        pass
    raise ValueError(f"line {number} is no record of python -m tpch run --json")


def _section(run: Sequence[Record]) -> str:
    by_query: dict[int, dict[str, Record]] = {}
    for record in run:
        by_query.setdefault(record["query"], {})[record["engine"]] = record
    engines = list(dict.fromkeys(record["engine"] for record in run))
    others = [engine for engine in engines if engine != _OURS and _OURS in engines]
    ratios = {engine: _ratios(by_query, engine) for engine in others}
    settings = run[0]
    state = "cold, from Parquet" if settings["cold"] else "tables resident, median of the runs after the first"
    device = next((f"{r['device']}, {r['backend']}" for r in run if r["engine"] == _OURS), None)
    versions = ", ".join(f"{r['engine']} {r['engine_version']}" for r in {r["engine"]: r for r in run}.values())
    about = [
        state,
        f"{settings['threads']} threads",
        device,
        settings["hardware"],
        versions,
        _commit(settings["commit"]),
    ]
    return (
        f"<h2>Scale factor {settings['sf']:g}</h2>\n<p>{escape('; '.join(filter(None, about)))}</p>\n"
        f"{_picture(ratios, list(by_query)) if any(ratios.values()) else ''}\n{_table(by_query, engines, ratios)}"
    )


def _commit(commit: str | None) -> str | None:
    return None if commit is None else f"commit {commit[:7]}"


def _ratios(by_query: Mapping[int, Mapping[str, Record]], engine: str) -> dict[int, float]:
    """Its time over tqp's, by query, where both have one."""
    found: dict[int, float] = {}
    for query, by_engine in by_query.items():
        theirs, ours = (by_engine.get(name, {}).get("median_ms") for name in (engine, _OURS))
        if theirs and ours:
            found[query] = theirs / ours
    return found


def _table(
    by_query: Mapping[int, Mapping[str, Record]], engines: Sequence[str], ratios: Mapping[str, Mapping[int, float]]
) -> str:
    is_validated = any(record["validated"] is not None for by in by_query.values() for record in by.values())
    titles = [
        "query",
        "rows",
        *(f"{engine} ms" for engine in engines),
        *(f"{engine} / {_OURS}" for engine in ratios),
        *(["right"] if is_validated else []),
    ]
    head = "".join(f"<th>{escape(name)}</th>" for name in titles)
    body = []
    for query, by_engine in by_query.items():
        ours = by_engine.get(_OURS) or next(iter(by_engine.values()))
        cells = [f"Q{query}", "" if ours["rows"] is None else str(ours["rows"])]
        cells += [_time(by_engine.get(engine)) for engine in engines]
        cells += [f"{found[query]:.2f}" if query in found else "" for found in ratios.values()]
        if is_validated:
            cells.append({True: "yes", False: '<span class="wrong">NO</span>', None: ""}[ours["validated"]])
        body.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    complete = [by for by in by_query.values() if all(engine in by and by[engine]["median_ms"] for engine in engines)]
    totals = [f"{sum(by[engine]['median_ms'] for by in complete):.1f}" for engine in engines]
    means = [f"{_mean(found.values()):.2f}" if found else "" for found in ratios.values()]
    about = "total" if len(complete) == len(by_query) else f"total of {len(complete)}"
    foot = "".join(f"<td>{cell}</td>" for cell in (about, "", *totals, *means, *([""] if is_validated else [])))
    names = " and ".join(f"{escape(engine)} / {_OURS}" for engine in ratios)
    note = f"<p>{names}: above 1 {_OURS} is faster; the last line has the geometric mean.</p>"
    rows = "\n".join(body)
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>'
        f"<tfoot><tr>{foot}</tr></tfoot></table></div>\n"
        f"{note if ratios else ''}"
    )


def _time(record: Record | None) -> str:
    if record is None:
        return ""
    if record["median_ms"] is not None:
        return f"{record['median_ms']:.1f}"
    return f'<span class="wrong" title="{escape(record["error"] or "")}">error</span>'


def _mean(ratios: Iterable[float]) -> float:
    logs = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logs) / len(logs))


def _picture(ratios: Mapping[str, Mapping[int, float]], queries: Sequence[int]) -> str:
    """The ratios by query as SVG, on a logarithmic axis, with a line at 1."""
    width, height, left, top, bottom = 900, 300, 46, 34, 24
    every = [ratio for found in ratios.values() for ratio in found.values()]
    marks = [mark * 10**power for power in range(-4, 6) for mark in (1, 2, 5)]
    low = max(mark for mark in (marks[0], *marks) if mark <= min(*every, 1))
    high = min(mark for mark in (*marks, marks[-1]) if mark >= max(*every, 1))
    scale = (height - top - bottom) / (math.log(high / low) or 1)
    step = (width - left) / len(queries)

    def across(place: float) -> float:
        return round(left + (place + 0.5) * step, 1)

    def up(ratio: float) -> float:
        return round(height - bottom - math.log(ratio / low) * scale, 1)

    parts = []
    for mark in marks:
        if low <= mark <= high:
            color = "#000" if mark == 1 else "#ddd"
            parts.append(f'<line x1="{left}" x2="{width}" y1="{up(mark)}" y2="{up(mark)}" stroke="{color}"/>')
            parts.append(f'<text x="{left - 6}" y="{up(mark) + 4}" text-anchor="end">{mark:g}</text>')
    for place, query in enumerate(queries):
        parts.append(f'<text x="{across(place)}" y="{height - 6}" text-anchor="middle">Q{query}</text>')
    for number, (engine, found) in enumerate(ratios.items()):
        color = _COLORS[number % len(_COLORS)]
        shift = (number - (len(ratios) - 1) / 2) * 0.22
        for place, query in enumerate(queries):
            if query in found:
                x, y = across(place + shift), up(found[query])
                parts.append(f'<line x1="{x}" x2="{x}" y1="{up(1)}" y2="{y}" stroke="{color}" stroke-opacity=".5"/>')
                about = f"Q{query}: {escape(engine)} / {_OURS} {found[query]:.2f}"
                parts.append(f'<circle cx="{x}" cy="{y}" r="3.5" fill="{color}"><title>{about}</title></circle>')
        x = left + number * 140
        parts.append(f'<circle cx="{x + 5}" cy="12" r="4" fill="{color}"/>')
        parts.append(f'<text x="{x + 14}" y="16">{escape(engine)} / {_OURS}</text>')
    return f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="ratios by query">{"".join(parts)}</svg>'
