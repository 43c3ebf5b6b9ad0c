"""What loops are to Numba: how they are compiled, and its types.

Imports no torch, as a process that only compiles needs none.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any, Final

__all__ = ["OPTIONS", "dispatcher", "is_cached", "signature", "stand_alone"]

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


def dispatcher(function: Callable[..., Any]) -> Any:
    """What compiles the function; cached on disk where there is a folder that may be written to."""
    numba = importlib.import_module("numba")
    options = _ALONE if function in _STANDING else OPTIONS
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:
        return numba.njit(**options)(function)


def is_cached(compiled: Any, kinds: Iterable[str]) -> bool:
    """Whether what a dispatcher makes for arguments of these kinds is in the cache on disk, which Numba has no public word for."""
    lock = importlib.import_module("numba.core.compiler_lock").global_compiler_lock
    with lock:
        return compiled._cache.load_overload(signature(kinds), compiled.targetctx) is not None


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
