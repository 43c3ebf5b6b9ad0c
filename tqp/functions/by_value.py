"""Functions of Python, called once for each distinct combination of arguments, or for each row if that is less."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pyarrow as pa

from tqp.bignums import decoded, encoded
from tqp.data.column import Column
from tqp.errors import ExecutionError
from tqp.functions.casts.text import cast_text, wide_entries
from tqp.functions.entries import Entries, mapped, spread
from tqp.functions.registry import Args, TypeRule, scalar
from tqp.functions.signatures import fixed
from tqp.types import BIGINT, BIGNUM, BOOLEAN, DOUBLE, HUGEINT, TIMESTAMP, VARCHAR, DType

__all__ = ["HugeInt", "by_value", "computed", "entries_of", "python_values"]


class HugeInt(int):
    """A value of the type HUGEINT: where bits are shown, it has 128 of them."""


def by_value(
    names: str, out: DType, *wanted: DType, optional: int = 0, types: TypeRule | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function of Python values (str, int, float, bool), strict. Its ExecutionErrors are the rows' that ask for them.

    Its types are `wanted`, the last `optional` of which may be left out, or those that `types` says.
    """
    rule = types or fixed(names.split()[0], out, *wanted, optional=optional)

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        @scalar(*names.split(), types=rule, on_distinct=True, on_host=True)
        def kernel(args: Args, out: DType) -> Column:
            return computed(function, args, out, entries_of(args))

        return function

    return register


def entries_of(args: Args) -> Entries:
    """The entries of arguments of any type but nested ones: integers of more than 64 bits go by their digits."""
    return spread([cast_text(arg, VARCHAR, False) if arg.is_wide else arg for arg in args])


def computed(function: Callable[..., Any], args: Args, out: DType, entries: Entries) -> Column:
    """What the function gives for the rows; its ExecutionErrors are raised where a row without NULL asks for the entry."""
    read = [_read(arg.dtype) for arg in args]

    def tried(*values: Any) -> Any:
        try:
            return function(*(value if of is None else of(value) for of, value in zip(read, values, strict=True)))
        except ExecutionError as error:
            return error

    found = mapped(tried, entries)
    failed = [isinstance(one, ExecutionError) for one in found]
    if any(failed):
        entries.check(pa.array(failed), args, lambda entry: found[entry])
        found = [
            ([] if out.is_list else "" if out.is_coded and not out.is_binary else 0) if bad else one
            for one, bad in zip(found, failed, strict=True)
        ]
    if out.is_list:
        return entries.finish(pa.array(found, pa.list_(_ELEMENTS.get(out.element, pa.large_string()))), out)
    if out == BIGNUM:
        return entries.finish(pa.array(map(encoded, found), pa.large_binary()), out)
    if out.is_integer:
        return wide_entries(found, entries, out, None)
    return entries.finish(
        pa.array(found, pa.large_string()) if out.is_coded else np.array(found, _DTYPES[out.is_float]), out
    )


def python_values(values: pa.Array, dtype: DType) -> list[Any]:
    """The values of an operand of entries as functions of Python get them; the argument has that type."""
    read = _read(dtype)
    found: list[Any] = values.to_pylist()
    return found if read is None else [read(value) for value in found]


def _read(dtype: DType) -> Callable[[Any], Any] | None:
    return _READS.get(dtype, int if dtype.is_integer else None)


_READS: Final[dict[DType, Callable[[Any], Any]]] = {BOOLEAN: bool, HUGEINT: HugeInt, BIGNUM: decoded}
_ELEMENTS: Final[dict[DType | None, pa.DataType]] = {BIGINT: pa.int64(), DOUBLE: pa.float64(), TIMESTAMP: pa.int64()}
_DTYPES: Final = {True: np.float64, False: np.bool_}
