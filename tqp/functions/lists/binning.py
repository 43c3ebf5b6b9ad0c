"""Functions about the bins of histograms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from tqp.data.column import Column
from tqp.errors import BindError
from tqp.functions.align import concat
from tqp.functions.bins import for_others
from tqp.functions.lists.rows import list_function
from tqp.functions.order import value_digits
from tqp.functions.registry import Signature
from tqp.ir.expr import Expr
from tqp.types import BOOLEAN, DType, Kind

__all__: list[str] = []


def _types(args: tuple[Expr, ...]) -> Signature:
    if len(args) != 1:
        raise BindError(f"is_histogram_other_bin takes one argument, not {len(args)}")
    return (args[0].dtype,), BOOLEAN


@list_function("is_histogram_other_bin", types=_types, strict=False)
def _is_other(args: Sequence[Column], out: DType) -> Column:
    """Whether a value is what `histogram` gives for the values in no bin.

    NULL of NULL, but false where the type has no such value, as DuckDB has it.
    """
    (column,) = args
    rows = len(column)
    other = for_others(column.dtype, column.device)
    same = torch.full((rows,), other is not None, dtype=torch.bool, device=column.device)
    if other is not None:
        both = concat([replace(column, valid=None), other], [rows, 1])
        for digit in value_digits(both):
            same &= digit[:-1] == digit[-1:]
    has_none = other is None and column.dtype.kind is not Kind.NULL
    return Column(same, out, valid=None if has_none else column.valid)
