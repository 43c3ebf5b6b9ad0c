"""The physical form of a column: how values of its SQL type lie in a tensor.

| encoding | values of | tensor of n rows |
|---|---|---|
| FLAT | exact numbers, dates, times, UUIDs | `(n,)` of any signed integer dtype that holds them |
| FLAT | BOOLEAN; FLOAT; DOUBLE; NULL | `(n,)` bool; float32; float64; bool, all invalid |
| WIDE | exact numbers and UUIDs that need more than 64 bits | `(n, 2)` int64: the signed high half, the low half's bits |
| CODES | VARCHAR, JSON, BLOB, BIT, BIGNUM, VARIANT | `(n,)` integer codes into a dictionary |
| SPAN | INTERVAL | `(n, 3)` int64: months, days, microseconds |
| ARRAY | ARRAY | `(n, size)` of the element's dtype; an element is never NULL, only the whole |
| RANGES | LIST, MAP | `(n, 2)` int64: where the elements begin in the column's one child, and how many there are |
| PLACES | STRUCT, UNION | `(n,)` int64: the row of each of the column's children, one a field |

What ranges and places point into, `Column.children`, stays where it is when rows are chosen or put into another order. The child
of a MAP is a column of STRUCTs. The first child of a UNION is its tag, an ENUM of the names of its members, whose columns are the
others: NULL in all rows but those of which the tag names them. A NULL points at range (0, 0), or at any place, even where children
have no rows.

Exact numbers are integers and DECIMAL (as scaled integers); dates are days, other instants microseconds. How many bits a
number takes, its *width*, is storage and not type.

A *constant* column holds one value for all rows and lacks the row dimension: `()`, wide `(2,)`, interval `(3,)`, array
`(size,)`.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

import torch

from tqp import types
from tqp.types import DType, Kind

__all__ = ["ELEMENTS", "FLAT_FORMS", "OWN", "Bounds", "Encoding", "clipped", "narrowest", "problem"]

Bounds = tuple[int, int]
"""Proven inclusive limits of stored integers."""

ELEMENTS: Final = {
    types.FLOAT: torch.float32,
    types.DOUBLE: torch.float64,
    types.TINYINT: torch.int8,
    types.SMALLINT: torch.int16,
    types.INTEGER: torch.int32,
    types.BIGINT: torch.int64,
    types.UTINYINT: torch.int16,
    types.USMALLINT: torch.int32,
    types.UINTEGER: torch.int64,
}
"""The dtypes of the elements of arrays."""


class Encoding(Enum):
    """How one value lies in a tensor; see the module's text."""

    __hash__ = object.__hash__

    FLAT = "flat"
    WIDE = "wide"
    CODES = "codes"
    SPAN = "span"
    ARRAY = "array"
    RANGES = "ranges"
    PLACES = "places"

    dimensions: int
    """Of one value: 1 where it is several elements, else 0."""


for _encoding in Encoding:
    _encoding.dimensions = int(_encoding in (Encoding.WIDE, Encoding.SPAN, Encoding.ARRAY, Encoding.RANGES))


_INTEGERS: Final = frozenset({torch.int8, torch.int16, torch.int32, torch.int64})
OWN: Final = {
    Kind.VARCHAR: Encoding.CODES,
    Kind.JSON: Encoding.CODES,
    Kind.BLOB: Encoding.CODES,
    Kind.BIGNUM: Encoding.CODES,
    Kind.BIT: Encoding.CODES,
    Kind.VARIANT: Encoding.CODES,
    Kind.INTERVAL: Encoding.SPAN,
    Kind.ARRAY: Encoding.ARRAY,
    Kind.LIST: Encoding.RANGES,
    Kind.MAP: Encoding.RANGES,
    Kind.STRUCT: Encoding.PLACES,
    Kind.UNION: Encoding.PLACES,
}
"""The encodings of types that are not FLAT."""
_WIDTHS: Final = {
    Kind.BOOLEAN: frozenset({torch.bool}),
    Kind.NULL: frozenset({torch.bool}),
    Kind.FLOAT: frozenset({torch.float32}),
    Kind.DOUBLE: frozenset({torch.float64}),
    Kind.STRUCT: frozenset({torch.int64}),
    Kind.UNION: frozenset({torch.int64}),
}


FLAT_FORMS: Final = frozenset({
    (kind, width, dimensions) for kind in Kind for width in _WIDTHS.get(kind, _INTEGERS) for dimensions in (0, 1)
})  # fmt: skip
"""Of values that are one element each: the kind of their type, the dtype and the dimensions of tensors that hold them."""


def problem(
    dtype: DType, encoding: Encoding, width: torch.dtype, shape: tuple[int, ...], bounds: Bounds | None
) -> str | None:
    """Why no column of the type has a tensor of such dtype and shape, encoding and bounds; None where one may."""
    if not encoding.dimensions:
        if (dtype.kind, width, len(shape)) not in FLAT_FORMS:
            return f"the shape {tuple(shape)}" if (dtype.kind, width, 1) in FLAT_FORMS else f"elements of {width}"
    else:
        element, size = _parts(dtype, encoding)
        if width is not element:
            return f"elements of {width}"
        if len(shape) not in (1, 2) or shape[-1] != size:
            return f"the shape {tuple(shape)}"
    if bounds is not None:
        low, high = bounds
        if low > high or (-(2**63) <= low and high < 2**63) == (encoding is Encoding.WIDE):
            return f"the bounds {low} to {high}"
    return None


def _parts(dtype: DType, encoding: Encoding) -> tuple[torch.dtype | None, int]:
    """Dtype and number of the elements of one value; no dtype where the type has no such encoding."""
    match encoding:
        case Encoding.WIDE:
            return torch.int64 if dtype.is_ordinal and not dtype.is_temporal else None, 2
        case Encoding.SPAN:
            return torch.int64, 3
        case Encoding.RANGES:
            return torch.int64, 2
        case _:
            return None if dtype.element is None else ELEMENTS[dtype.element], dtype.size


def narrowest(low: int, high: int) -> torch.dtype | None:
    """The narrowest signed integer dtype that holds low..high; None where 64 bits do not suffice."""
    for dtype, limit in ((torch.int8, 2**7), (torch.int16, 2**15), (torch.int32, 2**31), (torch.int64, 2**63)):
        if -limit <= low and high < limit:
            return dtype
    return None


def clipped(bounds: Bounds, allowed: Bounds) -> Bounds:
    """The part of `bounds` within `allowed`: the limits of values that were checked to lie there.

    Where there is no such part no value passed the check: all rows are NULL, or there are none. The nearest end of
    `allowed` is then as true as any, and keeps the limits in order.
    """
    low, high = max(bounds[0], allowed[0]), min(bounds[1], allowed[1])
    if low > high:
        low = high = allowed[0] if bounds[1] < allowed[0] else allowed[1]
    return low, high
