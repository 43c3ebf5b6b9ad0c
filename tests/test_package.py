"""What is installed: all of the package's files, and that it is typed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

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
