"""A process beside this one, of low priority, that compiles loops into Numba's cache on disk.

Numba compiles in Python, and holds the interpreter's lock as long as it does: queries of the same process would wait for it again
and again. What the other process has compiled is read from the cache in some milliseconds.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

__all__ = ["Compiler", "load"]

_START: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from tqp.kernels.loops.child import main; main()"
)


class Compiler:
    """Starts the process when it is first asked, if this is an interpreter that can be started anew. For one thread."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def compile(self, function: Callable[..., Any], kinds: Sequence[str]) -> bool:
        """Have the function of a module compiled for arguments of these kinds: whether it is in the cache now."""
        module = sys.modules.get(function.__module__)
        path = getattr(module, "__file__", None)
        if path is None:
            return False
        try:
            process = self._process = self._process or _started()
            assert process.stdin is not None and process.stdout is not None
            print(json.dumps([function.__module__, path, function.__name__, kinds]), file=process.stdin, flush=True)
            return process.stdout.readline().strip() == "done"
        except OSError:
            return False

    def close(self) -> None:
        """Let the process go; another one is started when there is more to do."""
        if self._process is not None:
            self._process.communicate()
            self._process = None


def _started() -> subprocess.Popen[str]:
    """The process. OSError where the executable of this one is no interpreter, as within other programs."""
    if "python" not in Path(sys.executable or "").name.lower() or getattr(sys, "frozen", False):
        raise OSError("no interpreter that can be started")
    return subprocess.Popen(
        [sys.executable, "-c", _START, json.dumps([path or os.getcwd() for path in sys.path])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        # Ctrl-C is for the query.
        start_new_session=True,
        env={**os.environ, "TQP_LOOPS": "off"},
    )


def load(name: str, path: str | Path) -> Any:
    """The module of that name, from that file if it was not imported before; Numba's cache looks for it by its name."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
