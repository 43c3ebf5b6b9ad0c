"""What loops are to Numba: how they are compiled, and its types.

Imports no torch, as a process that only compiles needs none.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final

from tqp.locks import Lock

__all__ = ["OPTIONS", "cache_folder", "dispatcher", "is_cached", "signature", "stand_alone"]

OPTIONS: Final[dict[str, Any]] = {"nogil": True, "error_model": "numpy"}
"""How Numba compiles: a division by zero raises nothing, as rows that a condition leaves out may hold one. Of floats it gives
infinity or NaN, of integers zero."""

_ALONE: Final[dict[str, Any]] = {**OPTIONS, "_nrt": False, "forceinline": True}
"""The same without references that are counted, and with what it calls within it."""
_STANDING: Final[set[Callable[..., Any]]] = set()

_SCALARS: Final = {"int": "int64", "float": "float64", "bool": "boolean"}
"""Numba's names of Python's numbers."""


def stand_alone(function: Callable[..., Any]) -> None:
    """Have a function that makes no arrays compiled without counting references to those it gets."""
    _STANDING.add(function)


def cache_folder() -> Path:
    """The folder of the user's cache for loops: `$XDG_CACHE_HOME/tqp/loops`, or `~/.cache/tqp/loops`; it need not exist."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tqp" / "loops"


def dispatcher(function: Callable[..., Any]) -> Any:
    """What compiles the function. It is cached on disk in the folder of loops, or `$NUMBA_CACHE_DIR`, if that can be written.

    Nothing is written beside the modules of an installed package: an uninstall would leave it there, as a package without code that
    hides another installation.
    """
    numba = importlib.import_module("numba")
    options = _ALONE if function in _STANDING else OPTIONS
    try:
        folder = _writable(Path(numba.config.CACHE_DIR or cache_folder() / "package"))
    except OSError:
        return numba.njit(**options)(function)
    if Path(function.__code__.co_filename).parent == cache_folder():
        return _stamped(numba.njit(cache=True, **options)(function))
    with _CHOOSING:
        before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, folder
        try:
            return _stamped(numba.njit(cache=True, **options)(function))
        except RuntimeError:
            return numba.njit(**options)(function)
        finally:
            numba.config.CACHE_DIR = before


_CHOOSING: Final = Lock()
"""Numba has one folder for the whole process, which is read when a function is decorated."""


def _writable(folder: Path) -> str:
    """The folder, made; OSError where it cannot be written."""
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(folder)
    return str(folder)


def _stamped(compiled: Any) -> Any:
    """The same, which takes nothing from the cache that another text of any loop has made.

    Numba looks at the function's own file alone, and misses the parts of other files that it calls.
    """
    if hasattr(compiled._cache, "_cache_file"):
        file = compiled._cache._cache_file
        file._source_stamp = (file._source_stamp, _stamp())
    return compiled


@cache
def _stamp() -> tuple[tuple[str, float, int], ...]:
    """Names, times and sizes of the modules of loops."""
    files = [(file.name, file.stat()) for file in os.scandir(Path(__file__).parent) if file.name.endswith(".py")]
    return tuple(sorted([(name, found.st_mtime, found.st_size) for name, found in files]))


def is_cached(compiled: Any, kinds: Iterable[str]) -> bool:
    """Whether what a dispatcher makes for arguments of these kinds is in the cache on disk, which Numba has no public word for.

    Only the file is read: to make a function of it takes some milliseconds, and is done when it is compiled.
    """
    lock = importlib.import_module("numba.core.compiler_lock").global_compiler_lock
    cache = compiled._cache
    if not hasattr(cache, "_cache_file"):
        return False
    with lock:
        return cache._cache_file.load(cache._index_key(signature(kinds), compiled.targetctx.codegen())) is not None


def signature(kinds: Iterable[str]) -> tuple[Any, ...]:
    """The types of arguments: rows of numbers as torch calls their dtype, one number as Python calls its type."""
    numba = importlib.import_module("numba")
    return tuple([_type(numba, kind) for kind in kinds])


def _type(numba: Any, kind: str) -> Any:
    if kind == "torch.bool":
        return numba.types.Array(numba.types.boolean, 1, "C")
    if kind.startswith("torch."):
        return numba.types.Array(getattr(numba.types, kind.removeprefix("torch.")), 1, "C")
    return getattr(numba.types, _SCALARS[kind])
