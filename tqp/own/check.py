"""What a function of tensors must be, found out by small runs: of its type, of as many rows, and row by row.

Batches are cut as the engine likes, so what a row gives may depend on this row alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.errors import BindError, ExecutionError
from tqp.models.check.row_choices import row_choices
from tqp.own.calls import called, given, inputs
from tqp.own.types import limits_of, tensor_dtype
from tqp.types import DType

__all__ = ["require_groups", "require_rows", "sample"]

_ROWS: Final = 48
_GROUPS: Final = 5
_HINT: Final = "pass sample=[…], values of its arguments that it takes"


def sample(
    name: str, parameters: Sequence[DType], given_values: Sequence[Any] | None, device: torch.device
) -> list[Column]:
    """Arguments to try the function with: those of the caller, or small numbers made up."""
    if given_values is not None:
        if len(given_values) != len(parameters):
            raise BindError(f"{name}: sample has {len(given_values)} columns for {len(parameters)} parameters")
        return _as_given(name, parameters, given_values, device)
    generator = torch.Generator(device="cpu").manual_seed(1)
    columns = []
    for parameter in parameters:
        width = tensor_dtype(parameter, name)
        shape = (_ROWS, parameter.size) if parameter.is_array else (_ROWS,)
        if width.is_floating_point:
            data = torch.rand(shape, generator=generator, dtype=width, device="cpu") * 4
        else:
            high = 2 if width is torch.bool else min((limits_of(parameter) or (0, 9))[1], 9)
            data = torch.randint(0, high, shape, generator=generator, device="cpu").to(width)
        columns.append(Column(data.to(device), parameter))
    return columns


def _as_given(name: str, parameters: Sequence[DType], values: Sequence[Any], device: torch.device) -> list[Column]:
    columns = []
    for parameter, one in zip(parameters, values, strict=True):
        try:
            data = torch.as_tensor(one).to(device=device, dtype=tensor_dtype(parameter, name))
        except (TypeError, ValueError, RuntimeError) as error:
            raise BindError(f"{name}: sample has values that are no {parameter}: {error}") from None
        columns.append(Column(data, parameter))
    if len({len(column) for column in columns}) > 1 or (columns and len(columns[0]) < 2):
        raise BindError(f"{name}: sample has columns of one length, of two rows at least")
    return columns


def require_rows(
    name: str,
    f: Callable[..., Any],
    columns: Sequence[Column],
    result: DType,
    device: torch.device,
    special: bool,
    pure: bool,
) -> None:
    """BindError unless the function gives a value of its type for each row, by this row alone, and leaves its arguments alone.

    Of a function that is not `pure` only shapes and types are looked at.
    """
    count = len(columns[0]) if columns else 1

    def run(chosen: Tensor) -> Column:
        parts = [column.take(chosen) for column in columns]
        tensors = inputs(parts, [part.dtype for part in parts], name, special)
        try:
            return given(name, called(name, f, *tensors), result, chosen.shape[0], device, special)
        except ExecutionError as error:
            hint = error.hint or _HINT
            raise BindError(f"{error.message} (tried with {chosen.shape[0]} rows)", hint=hint) from error

    own = torch.arange(count, device=device)
    whole = run(own)
    for chosen in row_choices(own) if columns else ():
        found = run(chosen)
        if pure and not _are_close(found, whole.take(chosen)):
            raise BindError(
                f"{name} gives another value for a row when other rows come with it, or in another order",
                hint="each value may depend on the arguments of its row alone; side_effects=True is for random ones",
            )


def _are_close(a: Column, b: Column) -> bool:
    """Whether the values are the same, floats except for what another length of vectors rounds."""
    valid = torch.ones_like(a.data, dtype=torch.bool)
    for column in (a, b):
        if column.valid is not None:
            valid &= column.valid.unsqueeze(-1) if valid.ndim == 2 else column.valid
    if (a.valid is None) != (b.valid is None) or (
        a.valid is not None and b.valid is not None and bool((a.valid != b.valid).any())  # host: once, when it is made
    ):
        return _all_valid(a) and _all_valid(b) and _are_close(a.with_valid(None), b.with_valid(None))
    if not a.data.is_floating_point():
        return bool(((a.data == b.data) | ~valid).all())  # host: once, when it is made
    digits = 1e-4 if a.data.dtype is torch.float32 else 1e-9
    close = torch.isclose(a.data, b.data, rtol=digits, atol=digits, equal_nan=True)
    return bool((close | ~valid).all())  # host: once, when it is made


def _all_valid(column: Column) -> bool:
    return column.valid is None or bool(column.valid.all())  # host: once, when it is made


def require_groups(
    name: str, run: Callable[[Sequence[Column], Tensor, int], Column], columns: Sequence[Column], device: torch.device
) -> None:
    """BindError unless an aggregate gives a value for each group, by its rows alone, whatever their order and number."""
    count = len(columns[0])
    own = torch.arange(count, device=device)
    ids = own % _GROUPS
    wrong = BindError(
        f"{name} gives another value for a group when its rows come in another order, or with other groups",
        hint="a value may depend on the rows of its group alone, not on their order or on the group's number",
    )

    def tried(rows: Tensor, groups: Tensor, number: int) -> Column:
        try:
            return run([column.take(rows) for column in columns], groups, number)
        except ExecutionError as error:
            hint = error.hint or _HINT
            raise BindError(f"{error.message} (tried with {rows.shape[0]} rows)", hint=hint) from error

    whole = tried(own, ids, _GROUPS)
    if not _are_close(tried(own.flip(0), ids.flip(0), _GROUPS), whole):
        raise wrong
    if not _are_close(tried(own, _GROUPS - 1 - ids, _GROUPS), whole.take(torch.arange(_GROUPS, device=device).flip(0))):
        raise wrong
    some = own[ids < 2]
    if not _are_close(tried(some, ids[ids < 2], 2), whole.take(torch.arange(2, device=device))):
        raise wrong
