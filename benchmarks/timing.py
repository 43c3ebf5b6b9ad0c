"""How long a call takes, on a CPU or a GPU, and how it is written down."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import torch

from tpch.report import commit, hardware
from tqp.errors import SourceError

__all__ = ["Record", "milliseconds", "require"]


def milliseconds(call: Callable[[], object], repeat: int, device: str = "cpu") -> list[float]:
    """Times of `repeat` calls after one that is not counted; waits for a GPU to finish."""
    wait = torch.cuda.synchronize if device.startswith("cuda") else lambda: None
    call()
    times = []
    for _ in range(repeat):
        wait()
        start = time.perf_counter()
        call()
        wait()
        times.append((time.perf_counter() - start) * 1e3)
    return times


class Record:
    """Collects results: a line for people on stdout, a JSON line in a file if there is one."""

    def __init__(self, benchmark: str, path: Path | None, device: str = "cpu") -> None:
        self._common = {"benchmark": benchmark, "device": device, "hardware": hardware(device), "commit": commit()}
        self._path = path
        print(self._common["hardware"], file=sys.stderr)

    def add(self, name: str, runs: list[float], **facts: Any) -> None:
        """Write down the times of `name`, in milliseconds, and what else is known."""
        shown = "  ".join(f"{key}={value}" for key, value in facts.items() if value is not None)
        print(f"{name:<44}{median(runs):>12.3f} ms  {shown}", flush=True)
        if self._path is not None:
            times = {"median_ms": median(runs), "best_ms": min(runs), "runs_ms": [round(run, 4) for run in runs]}
            with self._path.open("a") as file:
                file.write(json.dumps({**self._common, "name": name, **times, **facts}) + "\n")

    def fact(self, name: str, **facts: Any) -> None:
        """Write down what is known without a clock."""
        print(f"{name:<12}" + "  ".join(f"{key}={value}" for key, value in facts.items()), flush=True)
        if self._path is not None:
            with self._path.open("a") as file:
                file.write(json.dumps({**self._common, "name": name, **facts}) + "\n")


def require(device: str) -> None:
    """SourceError where `device` is cuda and this machine has none."""
    if device == "cuda" and not torch.cuda.is_available():
        raise SourceError("torch sees no CUDA device", hint="--device sim rehearses the run on a simulated one")
