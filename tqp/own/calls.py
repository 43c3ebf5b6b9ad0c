"""Calls of functions of the user's own: the rows that they get, what they may give, and their errors."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import torch
from torch import Tensor

from tqp.data.column import Column, Layout, constant, empty
from tqp.data.dictionary import Dictionary
from tqp.errors import ExecutionError, TqpError, with_article
from tqp.functions.measured import by_values
from tqp.interrupt import checkpoint
from tqp.kernels import rows, waits
from tqp.kernels.operation import refuse_tracing
from tqp.own.types import limits_of, tensor_dtype
from tqp.types import DType

__all__ = ["Rows", "blank", "called", "given", "inputs", "known_rows", "of_rows"]

_GAVE = "what a function of the user's own gave is looked at"

Rows = Callable[[Sequence[Column], int], Column]
"""From argument columns (n,) and n > 0 to the column of the results."""


def called(name: str, f: Callable[..., Any], *args: Any) -> Any:
    """f(*args); ExecutionError, which says where it happened, for what it raises."""
    checkpoint()
    refuse_tracing("a function of the user's own is not part of a compiled function")
    try:
        with torch.no_grad():
            return f(*args)
    except TqpError:
        raise
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)[1:]
        # Of what the function calls, a library says less than the line that calls it.
        own = [frame for frame in frames if "site-packages" not in frame.filename] or frames
        where = f" ({own[-1].filename}:{own[-1].lineno})" if own else ""
        raise ExecutionError(f"{name} failed: {type(error).__name__}: {error}{where}") from error


def known_rows(args: Sequence[Column]) -> Tensor | None:
    """The rows (m,) int64 in which no argument (n,) is NULL; None: all."""
    known: Tensor | None = None
    for arg in args:
        if arg.valid is not None:
            known = arg.valid if known is None else known & arg.valid
    return None if known is None else rows.select(known)


def inputs(args: Sequence[Column], parameters: Sequence[DType], name: str, special: bool) -> list[Any]:
    """The arguments (n,) as tensors that are the function's own to change; `special`: each with which rows are not NULL."""
    found: list[Any] = []
    for arg, parameter in zip(args, parameters, strict=True):
        data = arg.data.to(tensor_dtype(parameter, name), copy=True, memory_format=torch.contiguous_format)
        if not special:
            found.append(data)
            continue
        valid = torch.ones(len(arg), dtype=torch.bool, device=data.device) if arg.valid is None else arg.valid.clone()
        blank = valid.unsqueeze(-1) if data.ndim == 2 else valid
        found.append((torch.where(blank, data, torch.zeros((), dtype=data.dtype, device=data.device)), valid))
    return found


def given(name: str, found: Any, result: DType, count: int, device: torch.device, special: bool) -> Column:
    """What a function of tensors gave for `count` rows as a column; ExecutionError where it is none of its type."""
    valid: Tensor | None = None
    if isinstance(found, tuple):
        if not special or len(found) != 2:
            hint = 'null_handling="special" lets it give (values, valid)'
            raise ExecutionError(f"{name} gave {len(found)} values, not one tensor", hint=hint)
        found, valid = found
        _require(name, valid, torch.bool, (count,), device)
        if waits.truth(valid.all(), _GAVE):
            valid = None
    shape = (count, result.size) if result.is_array else (count,)
    _require(name, found, tensor_dtype(result, name), shape, device)
    found = found.detach().contiguous()
    limits = limits_of(result)
    if limits is not None:
        wrong = (found < limits[0]) | (found > limits[1])
        wrong = wrong if valid is None else wrong & valid
        if waits.truth(wrong.any(), _GAVE):
            raise ExecutionError(f"{name} gave a number that is no {result}")
    return Column(found, result, valid)


def _require(name: str, found: Any, dtype: torch.dtype, shape: tuple[int, ...], device: torch.device) -> None:
    if not isinstance(found, Tensor):
        raise ExecutionError(f"{name} gave {with_article(type(found).__name__)}, not a tensor")
    if tuple(found.shape) != shape:
        raise ExecutionError(f"{name} gave a tensor of shape {tuple(found.shape)}, not {shape}")
    if found.dtype != dtype:
        raise ExecutionError(f"{name} gave {found.dtype}, not {dtype}", hint=f"result.to({dtype})")
    if found.device.type != device.type:
        raise ExecutionError(f"{name} gave a tensor on {found.device}, not on {device}")


def of_rows(args: Sequence[Column], result: DType, run: Rows, device: torch.device, known_alone: bool) -> Column:
    """`run` for the rows of a batch: all constant arguments are one row, no rows are none, and `known_alone` leaves out NULLs."""
    is_constant = all(arg.is_constant for arg in args)
    count = 1 if is_constant else next(len(arg) for arg in args if not arg.is_constant)
    columns = [arg.expand(count) for arg in args]
    chosen = known_rows(columns) if known_alone else None
    if chosen is None or chosen.shape[0] == count:
        found = run(columns, count) if count else blank(result, 0, device)
    elif chosen.shape[0] == 0:
        found = blank(result, count, device)
    else:
        part = run([column.take(chosen) for column in columns], chosen.shape[0])
        places = torch.zeros(count, dtype=torch.int64, device=device)
        places.index_copy_(0, chosen, torch.arange(chosen.shape[0], device=device))
        there = torch.zeros(count, dtype=torch.bool, device=device).index_fill_(0, chosen, True)
        found = part.take(places)
        found = found.with_valid(there if found.valid is None else there & found.valid)
    return found.map(lambda tensor: tensor[0]) if is_constant else found


def blank(dtype: DType, count: int, device: torch.device) -> Column:
    """So many NULLs; without rows a column as wide as any of its type."""
    if count:
        return constant(None, dtype, device).expand(count)
    by_values()
    if not dtype.is_coded:
        return empty(Layout.of_type(dtype), device)
    # A dictionary of its own: each batch has one.
    none = torch.empty(0, dtype=torch.int32, device=device)
    kind = pa.large_binary() if dtype.is_binary else pa.large_string()
    return Column(none, dtype, none.bool(), Dictionary(pa.array([], kind), is_sorted=True))
