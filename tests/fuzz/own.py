"""Functions of the user's own, the same in DuckDB and in tqp: of Python values there, here of each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import duckdb
import pyarrow.compute as pc
import torch

import tqp

TEMPLATES = {
    "own_rest": ("int: own_rest(TRY_CAST({int} AS BIGINT))", "int: own_rest({pick:1,-9,NULL})"),
    "own_half": ("float: own_half(CAST({num} AS DOUBLE))",),
    "own_back": ("text: own_back({text})", "text: own_back(own_back({text}))"),
    "own_times": ("text: own_times({text}, {pick:0,1,2,3})",),
    "own_not": ("bool: own_not({bool})",),
    "own_known": ("bool: own_known({text})",),
    "own_first": ("int: own_first(TRY_CAST({int} AS BIGINT), TRY_CAST({int} AS BIGINT))",),
}


def _first(
    a: tuple[torch.Tensor, torch.Tensor], b: tuple[torch.Tensor, torch.Tensor]
) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.where(a[1], a[0], b[0]), a[1] | b[1]


def _half(x: torch.Tensor) -> torch.Tensor:
    # DuckDB takes NaN of Python for NULL.
    return torch.where(x.isnan(), torch.zeros_like(x), x / 2)


_SPECIAL = {"null_handling": "special"}
_FUNCTIONS: tuple[tuple[str, list[str], str, Callable[..., Any], Callable[..., Any], str, dict[str, str]], ...] = (
    ("own_rest", ["BIGINT"], "BIGINT", lambda x: x % 7, lambda x: x.remainder(7), "torch", {}),
    ("own_half", ["DOUBLE"], "DOUBLE", lambda x: x / 2 if x == x else 0.0, _half, "torch", {}),
    ("own_back", ["VARCHAR"], "VARCHAR", lambda s: s[::-1], lambda s: s[::-1], "python", {}),
    ("own_times", ["VARCHAR", "BIGINT"], "VARCHAR", lambda s, n: s * n, lambda s, n: s * n, "python", {}),
    ("own_not", ["BOOLEAN"], "BOOLEAN", lambda b: not b, lambda b: pc.invert(b), "arrow", {}),
    ("own_known", ["VARCHAR"], "BOOLEAN", lambda s: s is not None, lambda s: pc.is_valid(s), "arrow", _SPECIAL),
    ("own_first", ["BIGINT", "BIGINT"], "BIGINT", lambda a, b: b if a is None else a, _first, "torch", _SPECIAL),
)  # fmt: skip


def define(oracle: duckdb.DuckDBPyConnection, connections: Iterable[tqp.Connection]) -> None:
    """Make them on all connections."""
    for name, parameters, result, there, here, kind, options in _FUNCTIONS:
        oracle.create_function(name, there, parameters, result, **options)
        for connection in connections:
            connection.create_function(name, here, parameters, result, type=kind, **options)
