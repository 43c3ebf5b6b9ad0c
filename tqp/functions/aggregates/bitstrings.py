"""Aggregates that give BIT: bit_and, bit_or and bit_xor of BIT, and the set of a group's integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Final

import pyarrow as pa

from tqp.data.column import Column
from tqp.errors import BindError, ExecutionError
from tqp.functions import exact
from tqp.functions.aggregates.grouped import Grouped
from tqp.functions.aggregates.on_host import in_groups, of_groups, strings
from tqp.functions.aggregates.registry import collected
from tqp.functions.aggregates.signatures import Types
from tqp.ir.expr import Expr, Literal
from tqp.ir.visit import symbols
from tqp.kernels import wide
from tqp.types import BIT, NULL

__all__: list[str] = []

_WHY: Final = "bits are put together on the host"
_MOST: Final = 1_000_000_000
"""So many bits one value has at most, as in DuckDB."""


def _types(args: tuple[Expr, ...]) -> Types:
    if len(args) != 1:
        raise BindError(f"bit_and, bit_or and bit_xor take one argument, not {len(args)}")
    return (BIT,), BIT


def _combined(name: str, both: Callable[[int, int], int]) -> None:
    @collected(name, types=_types)
    def combined(rows: Grouped) -> Column:
        if not rows.rows:
            return rows.nothing()
        found = [_of(group) for group in in_groups(rows, strings(rows, _WHY), _WHY)]
        return of_groups(rows, pa.array(found, pa.large_string()), BIT)

    def _of(texts: Sequence[str]) -> str:
        if not texts:
            return "0"
        size = len(texts[0])
        if any(len(text) != size for text in texts):
            raise ExecutionError("bit strings of different sizes cannot be combined")
        return f"{reduce(both, [int(text, 2) for text in texts]):0{size}b}"


_combined("bit_and of bits", int.__and__)
_combined("bit_or of bits", int.__or__)
_combined("bit_xor of bits", int.__xor__)


def _set_types(args: tuple[Expr, ...]) -> Types:
    if len(args) == 1:
        raise BindError(
            "bitstring_agg needs the least and the greatest value", hint="write bitstring_agg(x, least, greatest)"
        )
    if len(args) != 3:
        raise BindError(f"bitstring_agg takes a value, the least and the greatest one, not {len(args)} arguments")
    dtype = args[0].dtype
    if not dtype.is_integer and dtype != NULL:
        raise BindError(f"bitstring_agg takes integers, not {dtype}", hint="cast the argument to an integer type")
    if symbols(args[1]) or symbols(args[2]):
        raise BindError("the limits of bitstring_agg must be constants")
    if any(isinstance(arg, Literal) and arg.is_null for arg in args[1:]):
        raise BindError("the limits of bitstring_agg are no NULLs")
    return (dtype,) * 3, BIT


@collected("bitstring_agg", types=_set_types, duplicate_free=True)
def _set(rows: Grouped) -> Column:
    """A bit for each integer from the least to the greatest one, which says whether the group has it."""
    if not rows.rows:
        return rows.nothing()
    low, high = (_integers(column.slice(0, 1))[0] for column in rows.args[1:])
    if high < low:
        raise ExecutionError(f"the greatest value of bitstring_agg, {high}, is below the least, {low}")
    if high - low >= _MOST:
        raise ExecutionError(f"bitstring_agg from {low} to {high} would have too many bits")
    found = []
    for numbers in in_groups(rows, _integers(rows.args[0].take(rows.sequence)), _WHY):
        outside = next((number for number in numbers if not low <= number <= high), None)
        if outside is not None:
            raise ExecutionError(f"value {outside} is outside of the range of bitstring_agg, {low} to {high}")
        bits = bytearray(b"0" * (high - low + 1))
        for number in numbers:
            bits[number - low] = ord("1")
        found.append(bits.decode())
    return of_groups(rows, pa.array(found, pa.large_string()), BIT)


def _integers(column: Column) -> list[int]:
    return wide.to_python(exact.as_wide(column))
