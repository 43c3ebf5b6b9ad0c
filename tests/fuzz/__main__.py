"""Random queries for a given time: `python -m tests.fuzz --minutes 10 --seed 1 --kinds shapes,columns`.

Prints each disagreement, made as small as it goes, and at the end how many queries of each kind had which outcome. The exit
status is 1 where tqp and DuckDB disagreed.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from datetime import UTC, datetime

# As under pytest: tables this small would never ask for a loop.
os.environ.setdefault("TQP_LOOPS", "now")

from tests.fuzz.check import FAILURES, Outcome
from tests.fuzz.kinds import KINDS_OF_RUN, SLOW_KINDS
from tests.fuzz.report import Report

_SLOW_EVERY = 50
"""So many seeds of the other kinds come before one of a slow kind."""


_TODAY = int(datetime.now(UTC).strftime("%Y%m%d"))
"""Such as 20240229."""


def main() -> int:
    kinds = {**KINDS_OF_RUN, **SLOW_KINDS}
    parser = argparse.ArgumentParser(description="Random queries on tqp and DuckDB.")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument(
        "--seed", type=int, default=_TODAY, help="the first seed, today's date unless given; the others follow it"
    )
    parser.add_argument("--kinds", default=",".join(kinds), help=f"of {', '.join(kinds)}")
    chosen = parser.parse_args()
    names = chosen.kinds.split(",")
    reports = {name: Report() for name in names}
    end = time.monotonic() + 60 * chosen.minutes
    seed = chosen.seed
    while time.monotonic() < end:
        for name in names:
            if name in SLOW_KINDS and len(names) > 1 and (seed - chosen.seed) % _SLOW_EVERY:
                continue
            report = kinds[name](seed)
            for failure in report.failures:
                print(failure, "\n", flush=True)
            reports[name].add(report)
        seed += 1
    print(f"seeds {chosen.seed} to {seed - 1}")
    print(table(reports))
    return int(any(report.failures for report in reports.values()))


def table(reports: dict[str, Report]) -> str:
    """How many queries of each kind had which outcome."""
    lines = [["", *reports, "all"]]
    for outcome in Outcome:
        counts = [report.outcomes[outcome] for report in reports.values()]
        if sum(counts) or outcome in FAILURES:
            lines.append([outcome.value, *map(str, counts), str(sum(counts))])
    totals = [report.outcomes.total() for report in reports.values()]
    lines.append(["queries", *map(str, totals), str(sum(totals))])
    widths = [max(len(line[place]) for line in lines) for place in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if not place else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )


if __name__ == "__main__":
    sys.exit(main())
