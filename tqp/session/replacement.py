"""Tables and models that nobody registered: Python variables of the caller.

A name that the catalog does not know is looked for among the variables of the code that called tqp. Arrow tables, which cannot
change in place, are kept and found again; anything else is read anew for every query, so that no stale value is ever served.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from inspect import isroutine
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from tqp.data.stored import StoredTable
from tqp.errors import ModelError
from tqp.io.objects import is_fixed, reader_of

if TYPE_CHECKING:
    import torch

    from tqp.models.model import Model

__all__ = ["VariableTables", "caller_frame", "find_variable", "variable_model", "variable_models"]


def caller_frame() -> FrameType | None:
    """The innermost frame outside of this package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module != "tqp" and not module.startswith("tqp."):
            return frame
        frame = frame.f_back
    return None


def find_variable(frame: FrameType | None, name: str) -> Any:
    """The local, else global variable of that frame with exactly that name; None where there is none."""
    if frame is None:
        return None
    found = frame.f_locals.get(name)
    return frame.f_globals.get(name) if found is None else found


def variable_model(name: str, value: Any) -> Model:
    """The model that a variable holds; ModelError where it is none.

    A function is none: a query would call any function in sight by its name.
    """
    if isroutine(value) or isinstance(value, type | partial | np.ufunc):
        raise ModelError(
            f"the variable {name} is a function or class, which is no model until it is registered",
            hint=f'con.register_model("{name}", {name})',
        )
    from tqp.models.registration import prepare

    return prepare(name, value)


def variable_models(frame: FrameType | None) -> list[str]:
    """The variables of that frame that look like models, for hints: estimators, and modules of torch."""
    if frame is None:
        return []
    seen = {**frame.f_globals, **frame.f_locals}
    return [
        name
        for name, value in seen.items()
        if not isinstance(value, type)
        and any(callable(getattr(type(value), method, None)) for method in ("predict", "forward"))
    ]


class VariableTables:
    """Stored tables of Arrow objects found by name, for as long as the objects live."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._tables: dict[int, tuple[weakref.ref[Any], StoredTable]] = {}

    def __len__(self) -> int:
        return len(self._tables)

    def __iter__(self) -> Iterator[StoredTable]:
        return iter([table for _, table in list(self._tables.values())])

    def table(self, name: str, value: Any) -> StoredTable | None:
        """The table of an object; None where it is no kind of table."""
        if not is_fixed(value):
            reader = reader_of(value)
            return None if reader is None else StoredTable(name, reader, self._device)
        key = id(value)
        known = self._tables.get(key)
        if known is not None and known[0]() is value:
            return known[1]
        reader = reader_of(value)
        assert reader is not None
        table = StoredTable(name, reader, self._device)
        self._tables[key] = (weakref.ref(value, self._forget(key)), table)
        return table

    def _forget(self, key: int) -> Callable[[weakref.ref[Any]], None]:
        tables = self._tables

        def forget(dead: weakref.ref[Any]) -> None:
            known = tables.get(key)
            if known is not None and known[0] is dead:
                del tables[key]

        return forget

    def clear(self) -> None:
        self._tables.clear()
