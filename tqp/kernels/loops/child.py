"""What runs in the process that `tqp.kernels.loops.beside` starts.

Imports torch for loops of the package alone: texts that were written need none.
"""

from __future__ import annotations

import importlib
import json
import os
import sys

from tqp.kernels.loops.beside import load
from tqp.kernels.loops.compiling import dispatcher, signature

__all__ = ["main"]


def main() -> None:
    """Compile what each line of the standard input names, until it ends; say "done" or "failed" for each."""
    if hasattr(os, "nice"):
        os.nice(19)
    for line in sys.stdin:
        name, path, function, kinds = json.loads(line)
        try:
            _compile(name, path, function, kinds)
            print("done", flush=True)
        except Exception:
            print("failed", flush=True)


def _compile(name: str, path: str, function: str, kinds: list[str]) -> None:
    if name.partition(".")[0] == __name__.partition(".")[0]:
        importlib.import_module(name)
        importlib.import_module("tqp.kernels.loops.loop").register_parts()
        found = getattr(sys.modules[name], function).function
    else:
        found = getattr(load(name, path), function)
    dispatcher(found).compile(signature(kinds))
