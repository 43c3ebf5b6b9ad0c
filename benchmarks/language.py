"""How fast is the analytic language beside DuckDB?

    python -m benchmarks.language                        5 million rows, 2 threads, fresh constants each time
    python -m benchmarks.language --rows 1000000 --json language.jsonl

Quantiles, texts put together, DISTINCT aggregates, sets of groups, windows of each kind, regular expressions: the workload
`language` of `benchmarks.workloads`, which takes all of these options and says how times are taken.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchmarks.workloads.__main__ import main as workloads

__all__ = ["main"]

_DEFAULTS = ["--only", "language", "--rows", "5000000", "--threads", "2", "--states", "fresh"]


def main(args: Sequence[str]) -> int:
    """Measure it; of an option that is given twice the last one counts. The exit code is that of `benchmarks.workloads`."""
    return workloads([*_DEFAULTS, *args])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
