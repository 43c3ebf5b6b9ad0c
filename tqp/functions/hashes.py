"""hash(…): a number of 64 bits for values of any type, the same in every run, and DuckDB's.

That of a struct is that of its fields one after the other, that of a list of its elements; of a list without any that of NULL.
"""

from __future__ import annotations

import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.copies import placed
from tqp.data.dictionary import Dictionary
from tqp.data.nested import elements, field, lengths
from tqp.errors import BindError
from tqp.functions import exact
from tqp.functions.compared import compared
from tqp.functions.registry import Args, Compared, Signature, scalar
from tqp.interrupt import checkpoint
from tqp.ir.expr import Expr
from tqp.kernels import murmur, waits
from tqp.kernels.calendar import DAY
from tqp.kernels.rows import select
from tqp.types import FLOAT, UBIGINT, DType, Kind, integer_range

__all__: list[str] = []

_BITS_OF_DECIMALS = ((9, 32), (18, 64))
_DAYS_OF_MONTH = 30
_NARROW = (Kind.BOOLEAN, Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.DATE)
"""What is hashed as a number of 32 bits."""
_WIDE = (Kind.HUGEINT, Kind.UHUGEINT, Kind.UUID)
"""What is hashed as a number of 128 bits."""


def _types(args: tuple[Expr, ...]) -> Signature:
    if not args:
        raise BindError("hash takes at least 1 argument")
    return tuple(arg.dtype for arg in args), UBIGINT


@scalar("hash", types=_types, strict=False, total=True, of_keys=Compared.ARGUMENTS)
def _hash(args: Args, out: DType) -> Column:
    rows = next((len(arg) for arg in args if not arg.is_constant), None)
    is_nested = any(arg.dtype.is_nested for arg in args)
    found = None
    for arg in args:
        found = _behind(found, arg.expand(1 if rows is None else rows) if is_nested else arg)
    assert found is not None
    found = found[0] if is_nested and rows is None else found
    return exact.wide_column(torch.stack([torch.zeros_like(found), found], -1), out, integer_range(out))


def _behind(before: Tensor | None, column: Column) -> Tensor:
    """The hashes of values behind what has the hashes `before`, or of them alone; a nested column is (n,)."""
    column = compared(column)
    dtype = column.dtype
    if dtype.is_record:
        for place in range(len(column.children)):
            before = _behind(before, field(column, place))
        # As DuckDB's: a struct without fields changes nothing behind what was there.
        return torch.full_like(column.data, murmur.EMPTY) if before is None else before
    if dtype.is_nested:
        return _behind_elements(before, column)
    found = _of_values(column)
    if column.valid is not None:
        found = torch.where(column.valid, found, murmur.NULL)
    return found if before is None else murmur.combined(before, found)


def _behind_elements(before: Tensor | None, column: Column) -> Tensor:
    """Of lists and arrays (n,). Cost: as many steps as the longest has elements, each over the rows that have so many."""
    device = column.device
    if column.dtype.is_array:
        counts = torch.full((len(column),), column.dtype.size, dtype=torch.int64, device=device)
        counts = counts if column.valid is None else torch.where(column.valid, counts, 0)
        assert column.dtype.element is not None
        hashes = _behind(None, Column(column.data.reshape(-1), column.dtype.element))
        starts = torch.arange(len(column), dtype=torch.int64, device=device) * column.dtype.size
    else:
        counts = lengths(column)
        hashes = _behind(None, elements(column)[1])
        starts = torch.cumsum(counts, 0) - counts
    found = torch.full_like(counts, murmur.NULL) if before is None else before.clone()
    longest = waits.number(counts.max(), "how long the longest list is") if len(counts) else 0
    for step in range(longest):
        checkpoint()
        rows = select(counts > step)
        here = hashes.index_select(0, starts.index_select(0, rows) + step)
        if step or before is not None:
            here = murmur.combined(found.index_select(0, rows), here)
        found.index_copy_(0, rows, here)
    return found


def _of_values(column: Column) -> Tensor:
    dtype, data = column.dtype, column.data
    if dtype.kind is Kind.NULL:
        return torch.full(data.shape, murmur.NULL, dtype=torch.int64, device=data.device)
    if column.dictionary is not None:
        # No `table[codes]`: for the value of an index without dimensions the host would wait.
        return placed(_of_strings(column.dictionary), data.device).take(data.long())
    if dtype.is_float:
        # One hash for both zeros and for all NaNs.
        plain = torch.where(data.isnan(), torch.nan, data + 0.0)
        return murmur.hashed(plain.view(torch.int32).long() & 0xFFFFFFFF if dtype == FLOAT else plain.view(torch.int64))
    if dtype.kind is Kind.INTERVAL:
        months, days, micros = data.unbind(-1)
        # Equal intervals have one form: less than a day of microseconds, and than a month of days.
        days = days + torch.div(micros, DAY, rounding_mode="floor")
        months = months + torch.div(days, _DAYS_OF_MONTH, rounding_mode="floor")
        parts = months, days.remainder(_DAYS_OF_MONTH), micros.remainder(DAY)
        return murmur.hashed(parts[0]) ^ murmur.hashed(parts[1]) ^ murmur.hashed(parts[2])
    if dtype.kind in _WIDE or dtype.is_decimal and dtype.precision > _BITS_OF_DECIMALS[-1][0]:
        high, low = exact.as_wide(column).unbind(-1)
        return murmur.hashed(low) ^ murmur.hashed(high)
    words = exact.as_wide(column)[..., 1] if column.is_wide else data.long()
    is_narrow = dtype.kind in _NARROW or dtype.is_decimal and dtype.precision <= _BITS_OF_DECIMALS[0][0]
    return murmur.hashed(words & 0xFFFFFFFF if is_narrow else words)


def _of_strings(dictionary: Dictionary) -> Tensor:
    """The hash of each entry, on the host; one of none where there is no entry, for the codes of NULLs."""
    found = murmur.of_texts(*dictionary.bytes_and_offsets())
    return found if found.shape[0] else torch.zeros(1, dtype=torch.int64, device=found.device)
