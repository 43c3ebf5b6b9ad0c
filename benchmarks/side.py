"""A process that is asked for times, so that one side of a comparison has a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

__all__ = ["HOME", "Side"]

HOME = Path(__file__).parents[1]


class Side:
    """A running command that answers a line of JSON with milliseconds of wall and of CPU time. Close it by `with`."""

    def __init__(self, command: Sequence[str], tree: Path = HOME, environment: Mapping[str, str] | None = None) -> None:
        self.tree = tree
        self._process = subprocess.Popen(
            command,
            cwd=tree,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.communicate()

    def asked(self, request: object) -> tuple[float, float]:
        """Wall and CPU time of what the request names."""
        assert self._process.stdin is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        wall, cpu = json.loads(self.line())
        return wall, cpu

    def line(self) -> str:
        """The next line that the process writes."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"a process of the benchmark ended with {self._process.wait()}: its error is above")
        return str(line.strip())
