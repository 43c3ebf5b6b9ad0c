"""Freed memory stays with the process, unless its user says otherwise, or the process grows by holes alone."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tqp.runtime import allocation

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


_HOLES = """
import sys
import tqp
from tqp.runtime import allocation

def most():
    # What getrusage tells includes what the parent had when it started this process.
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

allocation._GROWN, allocation._LOOKED_AFTER = int(sys.argv[1]), 0.0
con = tqp.connect(threads=1)
con.sql("SELECT count(*) FROM range(3) AS l, range(3) AS r GROUP BY l.range").fetchall()
before = most()
steps = "WITH RECURSIVE s(a) AS (SELECT 0 FROM range(3) UNION ALL SELECT a + 12 FROM s WHERE a < 40000)"
found = con.sql(f"{steps} SELECT count(*), sum(n) FROM (SELECT r.a, count(*) AS n FROM s AS l, s AS r GROUP BY r.a)").fetchall()
assert found == [(3335, 10005**2)], found
print(most() - before)
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
@pytest.mark.slow
def test_a_repeated_query_finds_its_memory_again() -> None:
    # Mapped anew for each call, what this query makes comes to thousands of pages a run.
    assert _faults() < 2_000
    assert _faults(MALLOC_MMAP_THRESHOLD_="65536") > 5_000


@pytest.mark.skipif(allocation._glibc() is None, reason="another C library")
@pytest.mark.host_only("the memory of the host")
@pytest.mark.slow
def test_results_that_stay_pin_no_large_columns() -> None:
    """Two million pairs at a time leave some hundred groups each, which lie where their columns were."""
    # The compiler of loops takes memory of its own.
    settings = {**os.environ, "TQP_LOOPS": "off"}

    def most(grown: int) -> int:
        """The most memory of the query where so many bytes are worth a walk."""
        command = [sys.executable, "-c", _HOLES, str(grown)]
        return int(subprocess.run(command, env=settings, capture_output=True, text=True, check=True).stdout)

    assert most(2**26) < 0.75 * most(2**60)


def test_growth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allocation, "_GROWN", 100)
    sizes: list[int] = []
    trims: list[int] = []
    growth = allocation.Growth(sizes.pop, lambda: trims.append(1))

    def look(before: int, after: int | None = None) -> int:
        sizes[:] = [before] if after is None else [after, before]
        growth.look()
        return len(trims)

    assert look(1000) == 0  # the first look
    assert look(1100) == 0
    assert look(1101, 1001) == 1
    assert look(1100) == 1
    assert look(500) == 1
    assert look(601, 600) == 2
    # What is in use is not walked through again.
    assert look(700) == 2
    assert look(701, 701) == 3
