"""What is installed: all of the package's files, and that it is typed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import tqp

ROOT = Path(__file__).parents[1]


def test_a_wheel_holds_every_file(tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(ROOT / "tqp", source / "tqp", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    code = f"from setuptools import build_meta; print(build_meta.build_wheel({str(tmp_path)!r}))"
    built = subprocess.run([sys.executable, "-c", code], cwd=source, capture_output=True, text=True, check=True)
    with ZipFile(tmp_path / built.stdout.splitlines()[-1]) as wheel:
        (commands,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
        assert b"tqp = tqp.shell.main:main" in wheel.read(commands)
        packed = {name for name in wheel.namelist() if name.startswith("tqp/")}
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tqp").rglob("*") if path.is_file()}
    assert packed == {name for name in files if "__pycache__" not in name}
    assert "tqp/py.typed" in packed


def test_first_queries_import_nothing_that_they_do_not_need(tmp_path: Path) -> None:
    """pyarrow imports pandas when `pa.array` is first called, and with `pyarrow.dataset`; Numba comes in the background."""
    rows = "SELECT i AS a, i / 3 AS b, i * 1.5 AS c, DATE '2020-01-01' + i::INTEGER AS d, 't' || i AS e, NULL AS f"
    for ending in ("parquet", "csv", "json"):
        tqp.sql(f"COPY ({rows} FROM range(5) t(i)) TO '{tmp_path}/x.{ending}'")
    run = subprocess.run(
        [sys.executable, "-c", _FIRST.format(folder=str(tmp_path))],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TQP_LOOPS": "off"},
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[-1] == "[]"


_FIRST = """
import sys
import torch
known = set(sys.modules)
import tqp
tqp.sql("SELECT 42").show()
t = {{"a": torch.arange(5), "b": torch.tensor([True, False, True, False, True]), "c": torch.rand(5)}}
tqp.sql("SELECT a, a + 1 AS n, b, 'x' AS s FROM t WHERE a > 2 ORDER BY a DESC").show()
tqp.sql("SELECT a % 2 AS k, count(*), sum(a) FROM t GROUP BY ALL").show()
for ending in ("parquet", "csv", "json"):
    file = {folder!r} + "/x." + ending
    tqp.sql(f"FROM '{{file}}' LIMIT 2").show()
    repr(tqp.sql(f"FROM '{{file}}' WHERE a = 3"))
    tqp.sql(f"SELECT e, count(*), filename FROM '{{file}}' GROUP BY ALL ORDER BY e").fetchall()
    tqp.sql(f"DESCRIBE FROM '{{file}}'").show()
heavy = {{"pandas", "polars", "numba", "duckdb", "sklearn", "onnx", "onnxruntime", "IPython", "rich", "pyarrow.dataset"}}
print(sorted(heavy & (set(sys.modules) - known)))
"""
