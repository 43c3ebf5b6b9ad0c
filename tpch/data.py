"""TPC-H tables as Parquet files, generated once a scale factor and kept outside the checkout.

They lie in `$TQP_DATA`, or `~/.cache/tqp/tpch` without it, one folder a scale factor.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["TABLES", "Missing", "cache", "files", "folder", "generate"]

TABLES = ("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem")


class Missing(RuntimeError):
    """The program that makes the data is not installed."""


def cache() -> Path:
    """The folder of all generated data."""
    chosen = os.environ.get("TQP_DATA")
    return Path(chosen).expanduser() if chosen else Path.home() / ".cache" / "tqp" / "tpch"


def folder(sf: float) -> Path:
    """Where the files of scale factor `sf` are, or will be."""
    return cache() / f"sf{sf:g}"


def files(sf: float) -> dict[str, Path]:
    """The Parquet file of each table; generates them if they are not there yet."""
    home = generate(sf)
    return {table: home / f"{table}.parquet" for table in TABLES}


def generate(sf: float) -> Path:
    """The folder of scale factor `sf`, complete: made whole elsewhere, then renamed into place."""
    home = folder(sf)
    if home.is_dir():
        return home
    home.parent.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(prefix=f".{home.name}-", dir=home.parent))
    print(f"Generating TPC-H SF {sf:g} into {home}", file=sys.stderr, flush=True)
    try:
        subprocess.run(
            [_generator(), "parquet", "--scale-factor", f"{sf:g}", "--output-dir", str(making)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        missing = [table for table in TABLES if not (making / f"{table}.parquet").is_file()]
        if missing:
            raise RuntimeError(f"tpchgen-cli wrote no file for {', '.join(missing)} in {making}")
        try:
            making.rename(home)
        except OSError:
            # Another process was faster; its files are the same.
            if not home.is_dir():
                raise
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return home


def _generator() -> str:
    beside = Path(sys.executable).with_name("tpchgen-cli")
    found = str(beside) if beside.is_file() else shutil.which("tpchgen-cli")
    if found is None:
        raise Missing("tpchgen-cli is not installed\nHint: pip install tpchgen-cli, or run `make .venv`")
    return found
