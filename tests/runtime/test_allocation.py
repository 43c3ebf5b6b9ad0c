"""Freed memory stays with the process, unless its user says otherwise."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

_COUNT = """
import resource
import torch, tqp
con = tqp.connect(threads=1)
con.register("t", {"a": torch.arange(2_000_000), "b": torch.arange(2_000_000) % 7})
query = "SELECT b, sum(a * 3), sum(a + b) FROM t GROUP BY b"
for _ in range(3):
    con.sql(query).result()
faults = []
for _ in range(5):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(5):
        con.sql(query).result()
    faults.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
print(min(faults))  # a heap may still grow a while
"""


def _faults(**environment: str) -> int:
    settings = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_"))}
    # A compiled loop would make no columns at all.
    settings["TQP_LOOPS"] = "off"
    done = subprocess.run(
        [sys.executable, "-c", _COUNT], env={**settings, **environment}, capture_output=True, text=True, check=True
    )
    return int(done.stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc alone has these settings")
def test_a_repeated_query_finds_its_memory_again() -> None:
    # Mapped anew for each call, what this query makes comes to thousands of pages a run.
    assert _faults() < 2_000
    assert _faults(MALLOC_MMAP_THRESHOLD_="65536") > 5_000
