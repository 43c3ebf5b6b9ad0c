"""Which scans test for the keys of later joins."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

import tqp
from tqp.ir.plan import Join, Scan
from tqp.ir.visit import walk_plan
from tqp.operators.results import Slot
from tqp.physical.filtered_scans import KeyFilters


def test_a_filter_is_of_one_scan_and_of_no_equal_one() -> None:
    """Definitions may scan the same table under the same symbols, and rows of the one say nothing of those of the other."""
    with tqp.connect(threads=1) as con:
        table = pa.table({"x": list(range(50)), "y": [n % 7 for n in range(50)], "z": list(range(50))})
        con.register("a", table)
        con.register("b", table)
        plan = con.sql("SELECT a.z FROM a JOIN b ON a.x = b.x AND a.y = b.y WHERE b.z < 3 AND a.z > 1")._query.optimized
        join = next(node for node in walk_plan(plan) if isinstance(node, Join))
        scan = next(node for node in walk_plan(join.left) if isinstance(node, Scan))
        filters = KeyFilters(1)
        filters.add(join, Slot(0), tuple(ours for ours, _ in join.keys))
        assert list(filters.of(scan))
        assert replace(scan) == scan and not list(filters.of(replace(scan)))
