"""Functions of the user's own on the host: of Arrow arrays, and of Python values, once for each different combination."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.transfer import moved
from tqp.errors import ExecutionError, TqpError, counted, with_article
from tqp.functions.casts.cast import cast
from tqp.interrupt import checkpoint
from tqp.io.arrow import column_from_arrow
from tqp.io.export import arrow_type, column_to_arrow
from tqp.io.python import column_to_python
from tqp.io.values import HugeIntegers
from tqp.kernels import group
from tqp.own.calls import Rows, called
from tqp.own.mixed import column_of_mixed, is_mixed
from tqp.own.results import array_of_results
from tqp.types import DType, Kind

__all__ = ["of_arrow", "of_values"]

_CALLS = 1024
"""Calls between two looks whether the query shall stop."""


def of_arrow(name: str, f: Callable[..., Any], result: DType, device: torch.device, gives_null: bool) -> Rows:
    """`f` gets Arrow arrays and gives one as long, of the type of its result or one that is cast to it."""

    def run(args: Sequence[Column], count: int) -> Column:
        found = called(name, f, *(_one_array(column_to_arrow(arg, count)) for arg in args))
        if not isinstance(found, pa.Array | pa.ChunkedArray):
            raise ExecutionError(f"{name} gave {with_article(type(found).__name__)}, not an Arrow array")
        if len(found) != count:
            raise ExecutionError(f"{name} gave {counted(len(found), 'value')} for {counted(count, 'row')}")
        return _column(name, found, result, device, gives_null)

    return run


def of_values(
    name: str, f: Callable[..., Any], result: DType, device: torch.device, gives_null: bool, *, each: bool, safe: bool
) -> Rows:
    """`f` gets the Python values of a row; `each`: of every row, else of each different combination once.

    `safe`: NULL where it raises an exception.
    """

    def one(*values: Any) -> Any:
        try:
            return f(*values)
        except Exception:
            if safe:
                return None
            raise

    def all_of(rows: list[tuple[Any, ...]]) -> list[Any]:
        found = []
        for place, row in enumerate(rows):
            if place % _CALLS == 0:
                checkpoint()
            found.append(one(*row))
        return found

    def run(args: Sequence[Column], count: int) -> Column:
        codes, firsts = (None, None) if each or not args else _different(args)
        if codes is not None and firsts is not None:
            args, count = [arg.take(firsts) for arg in args], firsts.shape[0]
        values = [column_to_python(arg, count) for arg in args]
        rows = list(zip(*values, strict=True)) if values else [()] * count
        found = called(name, all_of, rows)
        if is_mixed(result):
            column = _of_mixed(name, found, result, device, gives_null or safe)
            return column if codes is None else column.take(codes)
        try:
            array = array_of_results(found, result)
        except TqpError as error:
            raise ExecutionError(f"{name} gave values of no type: {error.message}") from None
        if isinstance(array, HugeIntegers):
            raise ExecutionError(f"{name} gave an integer beyond 64 bits", hint="give a Decimal, or text")
        column = _column(name, array, result, device, gives_null or safe)
        return column if codes is None else column.take(codes)

    return run


def _different(args: Sequence[Column]) -> tuple[Tensor | None, Tensor | None]:
    """Of each row the number of its combination of values, and the first row of each; None where these are not looked for."""
    keys: list[Tensor] = []
    for arg in args:
        column = arg.canonical()
        data = column.data
        if data.ndim == 1:
            whole = (
                data.view(torch.int32 if data.dtype is torch.float32 else torch.int64)
                if data.is_floating_point()
                else data
            )
            keys.append(whole.to(torch.int8) if whole.dtype is torch.bool else whole)
        elif column.is_wide or column.dtype.kind is Kind.INTERVAL:
            keys += list(data.unbind(1))
        else:
            return None, None
        if column.valid is not None:
            keys[-1] = torch.where(column.valid, keys[-1], torch.zeros((), dtype=keys[-1].dtype, device=data.device))
            keys.append(column.valid.to(torch.int8))
    codes, firsts, _ = group.group_ids_multi(keys)
    return codes, firsts


def _one_array(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _column(
    name: str, found: pa.Array | pa.ChunkedArray, result: DType, device: torch.device, gives_null: bool
) -> Column:
    _require_values(name, found.null_count > 0, gives_null)
    if pa.types.is_null(found.type):
        found = pa.nulls(len(found), arrow_type(result))
    try:
        column = cast(column_from_arrow(found, name), result, False)
    except TqpError as error:
        raise ExecutionError(f"{name} gave what is no {result}: {error.message}") from None
    return moved([column], device)[0]


def _of_mixed(name: str, found: Sequence[Any], result: DType, device: torch.device, gives_null: bool) -> Column:
    _require_values(name, any(value is None for value in found), gives_null)
    try:
        column = column_of_mixed(found, result)
    except TqpError as error:
        raise ExecutionError(f"{name} gave what is no {result}: {error.message}") from None
    return moved([column], device)[0]


def _require_values(name: str, has_null: bool, gives_null: bool) -> None:
    if has_null and not gives_null:
        hint = 'null_handling="special" lets it give NULL'
        raise ExecutionError(f"{name} gave NULL where no argument is NULL", hint=hint)
