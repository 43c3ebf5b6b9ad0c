"""What Python functions give for a VARIANT or a UNION: values of types of their own, each of which becomes one of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa
import torch

from tqp.data.column import Column, constant
from tqp.errors import UnsupportedError, with_article
from tqp.functions.align import concat
from tqp.functions.casts.cast import cast
from tqp.io.arrow import column_from_arrow
from tqp.io.values import HugeIntegers, array_of_objects
from tqp.types import VARIANT, DType

__all__ = ["column_of_mixed", "is_mixed"]

_CPU: Final = torch.device("cpu")
_ONE_TYPE: Final = (bool, float, str, bytes)
"""Classes whose values all have the same type in SQL."""
_INTEGER_BITS: Final = (31, 63)


def is_mixed(result: DType) -> bool:
    """Whether values of a type may be of several types."""
    return result == VARIANT or result.is_union


def column_of_mixed(values: Sequence[Any], result: DType) -> Column:
    """The values (n,), None for NULL, as VARIANT or the UNION `result`, on the CPU.

    An integer is the first of INTEGER, BIGINT and HUGEINT that holds it; one that is a VARIANT by itself is no INTEGER, as in
    DuckDB. Raises UnsupportedError for a value of no type, and BindError or ExecutionError for one that no member takes.
    Cost: a column for each type.
    """
    groups: dict[object, list[int]] = {}
    for place, value in enumerate(values):
        groups.setdefault(_kind(value), []).append(place)
    parts = [_column([values[place] for place in places], result) for places in groups.values()]
    order = torch.tensor([place for places in groups.values() for place in places], dtype=torch.int64, device=_CPU)
    if not parts:
        return constant(None, result, _CPU).expand(0)
    return concat(parts, [len(places) for places in groups.values()]).take(torch.argsort(order))


def _kind(value: Any) -> object:
    """What is equal of values that have one type."""
    if value is None:
        return None
    if type(value) is int:
        return next((bits for bits in _INTEGER_BITS if -(2**bits) <= value < 2**bits), 127)
    if type(value) in _ONE_TYPE:
        return type(value)
    try:
        return str(pa.infer_type([value]))
    except (pa.ArrowException, OverflowError):
        what = with_article(type(value).__name__)
        raise UnsupportedError(f"{what} is no value of SQL, or has values of several types in it") from None


def _column(values: list[Any], result: DType) -> Column:
    """Values of one type."""
    array = array_of_objects(values)
    if isinstance(array, HugeIntegers):
        return cast(array.column(), result, False)
    if pa.types.is_null(array.type):
        return constant(None, result, _CPU).expand(len(values))
    if result != VARIANT or not pa.types.is_int64(array.type):
        array = _narrowed(array)
    return cast(column_from_arrow(array), result, False).expand(len(values))


def _narrowed(array: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Integers, also those within lists and structs, as INTEGER where they fit, as DuckDB has those of Python."""
    try:
        return array.cast(_in_32_bits(array.type))
    except pa.ArrowException:
        return array


def _in_32_bits(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_int64(kind):
        return pa.int32()
    if pa.types.is_list(kind):
        return pa.list_(_in_32_bits(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([one.with_type(_in_32_bits(one.type)) for one in kind])
    return kind
