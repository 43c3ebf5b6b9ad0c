"""CAST and TRY_CAST: the dispatcher, and casts among numbers and BOOLEAN."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from tqp.data.column import Column, constant
from tqp.errors import ExecutionError
from tqp.functions import decimals, exact
from tqp.functions.casts.bignums import cast_bignum
from tqp.functions.casts.bits import cast_bits
from tqp.functions.casts.blobs import cast_blob
from tqp.functions.casts.enums import cast_enum
from tqp.functions.casts.hints import NULL_INSTEAD
from tqp.functions.casts.instants import cast_temporal
from tqp.functions.casts.json import cast_json
from tqp.functions.casts.nested import cast_nested
from tqp.functions.casts.nested_text import texts_of
from tqp.functions.casts.text import cast_text
from tqp.functions.casts.uuids import cast_uuid
from tqp.functions.casts.variants import cast_variant
from tqp.functions.offset_times import cast_offset_time
from tqp.kernels import waits
from tqp.types import BIGNUM, BIT, BLOB, JSON, TIMETZ, TINYINT, UUID, VARIANT, DType, Kind, integer_range

__all__ = ["cast", "leaves_as_column"]

_FLOATS = {Kind.FLOAT: torch.float32, Kind.DOUBLE: torch.float64}


def cast(column: Column, to: DType, safe: bool) -> Column:
    """The values as `to`, NULLs kept. A value that does not fit raises ExecutionError, or becomes NULL if `safe`.

    Exact numbers round half away from zero, floats half to even on the way to integers. Costs nothing where only the
    SQL type changes. UnsupportedError for a pair of types that has no cast.
    """
    have = column.dtype
    if have == to:
        return column
    if have.is_integer and to.is_integer and not column.is_wide:
        # The most frequent of all, and known before anything is asked of the other types.
        (low, high), allowed = exact.limits(column), integer_range(to)
        if allowed[0] <= low and high <= allowed[1]:
            return Column(column.data, to, column.valid, None, (low, high))
    if have.kind is Kind.NULL:
        return _typed_null(column, to)
    if VARIANT in (have, to):
        return cast_variant(column, to, safe, cast)
    if JSON in (have, to):
        return cast_json(column, to, safe, cast)
    if BIT in (have, to) and not (have.is_nested or to.is_nested):
        return cast_bits(column, to, safe)
    if have.is_nested or to.is_nested:
        return cast_nested(column, to, safe, cast)
    if Kind.ENUM in (have.kind, to.kind):
        return cast_enum(column, to, safe, cast)
    if BIGNUM in (have, to):
        return cast_bignum(column, to, safe)
    if UUID in (have, to):
        return cast_uuid(column, to, safe)
    if BLOB in (have, to):
        return cast_blob(column, to, safe)
    if have.is_text or to.is_text:
        return cast_text(column, to, safe)
    if TIMETZ in (have, to):
        return cast_offset_time(column, to, safe)
    if have.is_temporal or to.is_temporal or Kind.INTERVAL in (have.kind, to.kind):
        return cast_temporal(column, to, safe)
    if to.kind is Kind.BOOLEAN:
        return _to_boolean(column, to)
    if have.kind is Kind.BOOLEAN:
        return _from_boolean(column, to, safe)
    if have.is_exact and to.is_exact:
        result, bad = decimals.rescale(column, to, to.scale - have.scale)
        return _checked(column, result, bad, safe)
    if have.is_exact:
        return Column(decimals.to_float(column, _FLOATS[to.kind]), to, column.valid)
    if to.is_exact:
        result, bad = decimals.from_float(column.data, to)
        return _checked(column, result, bad, safe)
    return _between_floats(column, to, safe)


def leaves_as_column(texts: Sequence[str], dtype: DType) -> Column:
    """Texts of leaves of variants, all of one type, as a column (n,) of it on the CPU."""
    return cast(texts_of(texts, torch.device("cpu")), dtype, False)


def _typed_null(column: Column, to: DType) -> Column:
    null = constant(None, to, column.device)
    if column.is_constant:
        return null
    return null.expand(len(column))


def _to_boolean(column: Column, to: DType) -> Column:
    column = exact.narrowed(column)
    if column.dtype.is_exact and column.is_wide:
        return Column((column.data != 0).any(dim=-1), to, column.valid)
    return Column(column.data != 0, to, column.valid)


def _from_boolean(column: Column, to: DType, safe: bool) -> Column:
    if to.is_float:
        return Column(column.data.to(_FLOATS[to.kind]), to, column.valid)
    digit = Column(column.data.to(torch.int8), TINYINT, column.valid, None, (0, 1))
    return _checked(column, *decimals.rescale(digit, to, to.scale), safe)


def _between_floats(column: Column, to: DType, safe: bool) -> Column:
    data = column.data.to(_FLOATS[to.kind])
    if to.kind is Kind.DOUBLE:
        return Column(data, to, column.valid)
    bad = torch.isinf(data) & ~torch.isinf(column.data)
    return _checked(column, Column(data, to), bad, safe)


def _checked(source: Column, result: Column, bad: Tensor | None, safe: bool) -> Column:
    """`result` with the source's NULLs, and an error or more NULLs where it is bad."""
    if bad is None:
        return replace(result, valid=source.valid)
    if safe:
        good = ~bad
        return replace(result, valid=good if source.valid is None else good & source.valid)
    row = exact.first_bad(bad, (source,))
    if row is not None:
        raise ExecutionError(
            f"Could not cast value {_shown(source, row)} to {result.dtype}: it is out of range",
            hint=NULL_INSTEAD,
        )
    return replace(result, valid=source.valid)


def _shown(column: Column, row: int) -> str:
    if column.dtype.is_float:
        value = column.data if column.is_constant else column.data[row]
        return repr(waits.real(value, "the value for a message"))
    number = exact.value_at(column, row)
    scale = column.dtype.scale
    if scale == 0:
        return str(number)
    digits = str(abs(number)).rjust(scale + 1, "0")
    return f"{'-' if number < 0 else ''}{digits[:-scale]}.{digits[-scale:]}"
