"""A share of Ibis' own suite: all that fails in it has a reason in `failing.txt`, or fails on DuckDB as well."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

FILES = (
    "test_array.py", "test_asof_join.py", "test_expr_caching.py", "test_json.py", "test_set_ops.py", "test_sql.py", "test_string.py",
    "test_struct.py", "test_udf.py", "test_uuid.py", "test_window.py",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.host_only("the suite makes its own connections")
def test_share_of_the_suite() -> None:
    # In a process of its own: its conftest is not that of these tests.
    command = [sys.executable, "-m", "tests.ibis", *FILES]
    run = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    rows = {
        cells[0]: cells[1:]
        for cells in map(str.split, run.stdout.splitlines())
        if cells and cells[0] in ("all", *FILES)
    }
    assert rows.keys() == {"all", *FILES}
    passed, known, _, _, failed, share = rows["all"]
    assert int(passed) > 400 and (int(known), int(failed), share) == (0, 0, "100.0%")


def test_reasons() -> None:
    """Every test that is known to fail is one of the suite, and stands once."""
    import ibis.backends.tests

    listed = [
        line for line in Path(__file__).with_name("failing.txt").read_text().splitlines() if not line.startswith("#")
    ]
    names = [line.partition(": ")[0] for line in listed]
    assert len(names) == len(set(names)) and all(line.partition(": ")[2] for line in listed)
    folder = Path(ibis.backends.tests.__file__).parent
    for name in names:
        found = re.fullmatch(r"([\w/]+\.py)::(\w+)\[tqp[^\]]*\]", name)
        assert found is not None and f"def {found[2]}(" in (folder / found[1]).read_text(), name
