"""Aggregates of the bits of integers: bit_and, bit_or, bit_xor."""

from __future__ import annotations

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.errors import BindError
from tqp.functions import exact
from tqp.functions.aggregates.folds import Fold, folded
from tqp.functions.aggregates.signatures import Types
from tqp.functions.unify import of_bits, untyped
from tqp.ir.expr import Expr
from tqp.kernels import fold, wide
from tqp.kernels.fold import State
from tqp.types import BIGINT, NULL, DType, integer_range

__all__: list[str] = []


def _types(args: tuple[Expr, ...]) -> Types:
    args = untyped(args)
    if len(args) != 1 or not (args[0].dtype.is_integer or args[0].dtype == NULL):
        raise BindError(
            f"bit_and, bit_or and bit_xor take one integer, not {', '.join(str(arg.dtype) for arg in args)}",
            hint="cast the argument to an integer type",
        )
    dtype = BIGINT if args[0].dtype == NULL else args[0].dtype
    return (dtype,), dtype


def _bits(which: int) -> Fold:
    """States: whether there are values, and their bits in two limbs; one pass over the lower limb where rows have no other."""
    operator, neutral = fold.BITS[which]

    def start(args: tuple[Column, ...]) -> State:
        (column,) = args
        limbs = exact.as_wide(column)
        some = torch.ones_like(limbs[:, 0])
        if column.valid is not None:
            some = column.valid.long()
            limbs = torch.where(column.valid.unsqueeze(-1), limbs, neutral)
        return some, limbs[:, 0], limbs[:, 1]

    def combine(a: State, b: State) -> State:
        return a[0] | b[0], operator(a[1], b[1]), operator(a[2], b[2])

    def finish(states: State, dtype: DType) -> Column:
        some, high, low = states
        valid = some > 0
        limbs = torch.where(valid.unsqueeze(-1), wide.of(high, low), 0)
        return exact.wide_column(limbs, dtype, integer_range(dtype)).with_valid(valid)

    def of_limbs(high: Tensor | None, low: Tensor, valid: Tensor | None, ids: Tensor, groups: int) -> State:
        some, found = fold.bits(low, valid, ids, groups, which)
        # Narrow numbers have their sign there, also what changes no bits.
        above = found >> 63 if high is None else fold.bits(high, valid, ids, groups, which)[1]
        return some.long(), above, found

    def grouped(states: State, ids: Tensor, groups: int) -> State:
        some, high, low = states
        return of_limbs(high, low, some > 0, ids, groups)

    def of_rows(args: tuple[Column, ...], ids: Tensor, groups: int) -> State:
        (column,) = args
        data = column.data
        if column.is_wide:
            return of_limbs(data[:, 0], data[:, 1], column.valid, ids, groups)
        return of_limbs(None, data, column.valid, ids, groups)

    return Fold((0, neutral, neutral), start, combine, finish, grouped, of_rows)


folded(
    "bit_and", types=_types, fold=_bits(0), syntax="bitwiseandagg", duplicate_free=True,
    idempotent=True, instead=of_bits("bit_and of bits"),
)  # fmt: skip
folded(
    "bit_or", types=_types, fold=_bits(1), syntax="bitwiseoragg", duplicate_free=True,
    idempotent=True, instead=of_bits("bit_or of bits"),
)  # fmt: skip
folded("bit_xor", types=_types, fold=_bits(2), syntax="bitwisexoragg", instead=of_bits("bit_xor of bits"))
