"""The mark by which Parquet tells variants from structs, written into the footer of a file that Arrow wrote without it."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Final

from tqp.io.laid_out import laid_out
from tqp.io.thrift import Placed, structs_in
from tqp.types import VARIANT, DType, Kind

__all__ = ["mark_variants"]

_MAGIC: Final = b"PAR1"
_TAIL: Final = 8
"""The footer's length and the magic stand behind the footer."""
_ELEMENTS, _CHILDREN, _LOGICAL = 2, 5, 10
"""Fields of the footer and of its elements: the schema, how many columns are in one, what its values mean."""
_STRUCT: Final = 12
_VARIANT: Final = b"\x0c\x20\x13\1\0\0"
"""The union of what values mean with its field 16, the struct of variants, of version 1."""


def mark_variants(path: str, dtypes: Sequence[DType]) -> None:
    """Mark the variants in a local Parquet file, whose columns are of these types, as VARIANT. No page of the file is written."""
    with open(path, "r+b") as file:
        file.seek(-_TAIL, 2)
        (size,) = struct.unpack("<I", file.read(4))
        file.seek(-_TAIL - size, 2)
        footer = _marked(file.read(size), dtypes)
        file.seek(-_TAIL - size, 2)
        file.write(footer + struct.pack("<I", len(footer)) + _MAGIC)


def _marked(footer: bytes, dtypes: Sequence[DType]) -> bytes:
    """The footer with the mark at the end of the elements that are variants."""
    elements = iter(structs_in(footer, _ELEMENTS))
    next(elements)
    parts, done = [], 0
    for one in [found for dtype in dtypes for found in _variants(laid_out(dtype), elements)]:
        last = max(one.fields)
        parts += [footer[done : one.end], bytes([_LOGICAL - last << 4 | _STRUCT]), _VARIANT]
        done = one.end
    return b"".join([*parts, footer[done:]])


def _variants(dtype: DType, elements: Iterator[Placed]) -> Iterator[Placed]:
    """The elements of variants among those of a column, which are taken one after the other as they nest."""
    element = next(elements)
    if dtype == VARIANT:
        yield element
    if dtype == VARIANT or not dtype.children:
        _skip(element, elements)
        return
    if not dtype.is_struct:
        # What is in a list or a map is in a group of its own.
        next(elements)
    parts = dtype.element.children if dtype.kind is Kind.MAP and dtype.element is not None else dtype.children
    for part in parts:
        yield from _variants(part, elements)


def _skip(element: Placed, elements: Iterator[Placed]) -> None:
    """Take what is in an element."""
    for _ in range(element.fields.get(_CHILDREN, 0)):
        _skip(next(elements), elements)
