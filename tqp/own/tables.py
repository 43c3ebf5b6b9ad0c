"""From a callable that makes a table to a table function of SQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from tqp.data.stored import StoredTable
from tqp.errors import ExecutionError, with_article
from tqp.io.objects import cure, reader_of
from tqp.own.calls import called
from tqp.own.registered import Own, OwnTable
from tqp.types import DType

__all__ = ["own_table_function"]


def own_table_function(name: str, f: Callable[..., Any], parameters: Sequence[DType], device: torch.device) -> Own:
    """The table function `name`; see `Connection.create_table_function`."""

    def make(values: Sequence[Any]) -> StoredTable:
        found = called(name, f, *values)
        reader = reader_of(found)
        if reader is None:
            raise ExecutionError(
                f"{name} gave {with_article(type(found).__name__)}, which is no table", hint=cure(found)
            )
        return StoredTable(f"user code {name}", reader, device)

    types = tuple(parameters)
    return Own(name, "table", types, None, OwnTable(name, types, make))
