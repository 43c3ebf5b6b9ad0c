"""Ibis' own suite of tests of backends on tqp, and what part of it passes: `python -m tests.ibis [files] [options of pytest]`.

    python -m tests.ibis                              # all of it, some minutes
    python -m tests.ibis test_string.py -k regex      # what pytest selects of a file
    TQP_IBIS_BACKEND=duckdb python -m tests.ibis      # Ibis' DuckDB backend on the same tables

A file's line has how many tests passed, how many failed for a reason that `failing.txt` has, failed as Ibis expects it of DuckDB
too (xfailed), were skipped, and failed. The share is that of those that passed, without the xfailed and skipped.
"""

from __future__ import annotations

import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

OUTCOMES = ("passed", "known", "xfailed", "skipped", "failed")


class Counted:
    """The outcome of each test, by its file."""

    def __init__(self) -> None:
        self.files: dict[str, Counter[str]] = {}
        self.failures: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call" and report.outcome == "passed":
            return
        expected = hasattr(report, "wasxfail")
        outcome = report.outcome
        if expected and report.outcome == "skipped":
            outcome = "known" if str(report.wasxfail).removeprefix("reason: ").startswith("known: ") else "xfailed"
        self.files.setdefault(report.location[0].partition("backends/tests/")[2], Counter())[outcome] += 1
        if outcome == "failed":
            self.failures.append(report.nodeid.rpartition("/")[2])

    def table(self) -> str:
        rows = [("file", *OUTCOMES, "share")]
        total: Counter[str] = Counter()
        for name, counts in sorted(self.files.items()):
            rows.append(_row(name, counts))
            total += counts
        rows.append(_row("all", total))
        widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def _row(name: str, counts: Counter[str]) -> tuple[str, ...]:
    """A file's outcomes; its share is that of the tests that may pass."""
    asked = counts["passed"] + counts["known"] + counts["failed"]
    share = f"{counts['passed'] / asked:.1%}" if asked else "-"
    return (name, *(str(counts[outcome]) for outcome in OUTCOMES), share)


def main(arguments: list[str]) -> int:
    spec = find_spec("ibis.backends.tests")
    assert spec is not None and spec.origin is not None, "pip install 'tensor-query-processor[ibis]'"
    folder = Path(spec.origin).parent
    chosen = [argument for argument in arguments if argument.partition("::")[0].endswith(".py")]
    options = [argument for argument in arguments if argument not in chosen]
    counted = Counted()
    root = folder.parents[2]
    paths = [str(folder / name) for name in chosen] or [str(folder)]
    # Imported here, so that it chooses the backend before pytest collects.
    from tests.ibis import plugin

    fixed = [
        "-c",
        str(Path(__file__).with_name("suite.ini")),
        "--rootdir",
        str(root),
        "-m",
        plugin.BACKEND,
        "-q",
        "--tb=short",
    ]
    status = pytest.main([*fixed, "-p", "tests.ibis.plugin", *paths, *options], plugins=[counted])
    print("\n" + counted.table())
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
