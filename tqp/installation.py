"""What is installed here, as text for a report of a fault."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from typing import Final

from tqp import __version__

__all__ = ["version_report"]

_NEEDED: Final = ("torch", "sqlglot", "sqlglotc", "pyarrow", "numpy")
_OPTIONAL: Final = (
    "duckdb", "pandas", "polars", "numba", "scikit-learn", "onnx", "onnxruntime", "xgboost", "xgboost-cpu", "lightgbm", "catboost",
)  # fmt: skip


def version_report() -> str:
    """The versions of tqp, Python, what tqp needs and the optional libraries that are installed, and the devices; a line each.

    It names no user, path or host, so it may be pasted into a public report. Imports torch, and no optional library.
    """
    lines = [("tqp", __version__), ("Python", f"{platform.python_version()} ({platform.python_implementation()})")]
    lines.append(("system", f"{platform.system()} {platform.release()}, {platform.machine()}"))
    lines += [(name, _version(name) or "not installed") for name in _NEEDED]
    lines += [(name, found) for name in _OPTIONAL if (found := _version(name)) is not None]
    lines += _devices()
    width = max(len(name) for name, _ in lines)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in lines)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _devices() -> list[tuple[str, str]]:
    """The CPU with its cores and threads of torch, then each GPU that torch sees."""
    import torch

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    found = [
        ("cpu", f"{cores} cores, {torch.get_num_threads()} threads of torch, {torch.backends.cpu.get_cpu_capability()}")
    ]
    if not torch.cuda.is_available():
        return [*found, ("cuda", "not available")]
    for place in range(torch.cuda.device_count()):
        about = torch.cuda.get_device_properties(place)
        found.append(
            (f"cuda:{place}", f"{about.name}, {about.total_memory / 2**30:.0f} GiB, CUDA {torch.version.cuda}")
        )
    return found
