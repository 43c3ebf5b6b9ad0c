"""`variant_comparator`: bytes that are equal, and in the order, as values of VARIANT are, with which they are compared.

They are DuckDB's: the rank of a value's kind, then what orders values of the kind. Integers and decimals are of one kind, and
so are dates and timestamps, FLOAT and DOUBLE.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Final
from uuid import UUID

import pyarrow as pa

from tqp import types
from tqp.data.column import Column
from tqp.functions.casts.cast import leaves_as_column
from tqp.functions.compared import compared_by
from tqp.functions.entries import Entries, host_function, mapped, spread
from tqp.functions.joined_text import strings
from tqp.functions.variant_documents import Document, by_type, parsed, parts, widened
from tqp.kernels import waits
from tqp.kernels.calendar import DAY
from tqp.types import BLOB, UNITS_A_SECOND, VARIANT, DType, Kind

__all__ = ["documents_of", "keys_of_leaves"]

_NULL, _BOOLEAN, _NUMBER, _REAL, _TEXT, _BLOB, _UUID, _TIMESTAMP, _ZONED, _TIME, _OFFSET, _INTERVAL = (
    16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
)  # fmt: skip
_BITS, _ARRAY, _OBJECT = 13, 14, 15
_NEGATIVE, _ZERO, _POSITIVE = 0, 1, 2
_NANOSECONDS: Final = 10**9
_MONTH: Final = 30
_END: Final = b"\0"


@host_function("variant_comparator", BLOB, VARIANT)
def _comparator(entries: Entries, texts: pa.Array | str) -> pa.Array:
    documents = mapped(parsed, entries)
    known = keys_of_leaves(documents)
    return pa.array([_of(one, known) for one in documents], pa.large_binary())


@compared_by(Kind.VARIANT)
def _form(column: Column) -> Column:
    entries = spread([column])
    return entries.finish(_comparator(entries, entries.array(0)), BLOB).with_valid(column.valid)


def documents_of(column: Column) -> list[Document | None]:
    """The distinct documents that rows of a column of variants may have."""
    return mapped(parsed, spread([column]))


def keys_of_leaves(documents: Iterable[Document | None]) -> dict[str, bytes]:
    """The bytes by which each leaf of documents is compared; of those whose texts do not tell them, by the stored numbers."""
    found: dict[str, bytes] = {}
    for dtype, leaves in by_type(documents).items():
        texts = [parts(one)[1] for one in leaves]
        of_text = _BY_TEXT.get(dtype.kind)
        if of_text is not None:
            values: Iterable[bytes] = map(of_text, texts)
        elif dtype.is_exact or dtype == types.BIGNUM:
            values = map(_of_number, texts)
        else:
            values = _of_stored(leaves_as_column(texts, dtype), dtype)
        found.update(zip(leaves, values, strict=True))
    return found


def _of(document: Document | None, known: dict[str, bytes]) -> bytes:
    if document is None:
        return bytes([_NULL])
    if isinstance(document, str):
        return known[document]
    if isinstance(document, list):
        return bytes([_ARRAY]) + b"".join([_of(item, known) for item in document]) + _END
    members = sorted((_of_text(name), _of(item, known)) for name, item in document.items())
    return bytes([_OBJECT]) + b"".join([name + value for name, value in members]) + _END


def _of_number(text: str) -> bytes:
    number = Decimal(text)
    if not number:
        return bytes([_NUMBER, _ZERO])
    sign, digits, _ = number.as_tuple()
    shown = "".join(map(str, digits)).rstrip("0")
    size = (number.adjusted() + 2**63).to_bytes(8, "big") + bytes([int(digit) + 1 for digit in shown]) + _END
    if not sign:
        return bytes([_NUMBER, _POSITIVE]) + size
    return bytes([_NUMBER, _NEGATIVE]) + bytes([255 - byte for byte in size])


def _of_real(text: str) -> bytes:
    value = float(text)
    if value != value:
        return bytes([_REAL]) + b"\xff" * 8
    if value == float("inf"):
        return bytes([_REAL]) + b"\xff" * 7 + b"\xfe"
    if value == float("-inf"):
        return bytes([_REAL]) + b"\0" * 8
    bits = int.from_bytes(struct.pack(">d", value + 0.0), "big")
    # Of negative numbers all bits are turned around, so that the larger ones come first.
    return bytes([_REAL]) + (2**64 - 1 - bits if bits >> 63 else bits + 2**63).to_bytes(8, "big")


def _of_text(text: str) -> bytes:
    return bytes([byte + 1 for byte in text.encode()]) + _END


def _of_bytes(value: bytes) -> bytes:
    return bytes([_BLOB]) + value.replace(b"\1", b"\1\1").replace(b"\0", b"\1\0") + _END


_BY_TEXT: Final[dict[Kind, Callable[[str], bytes]]] = {
    Kind.BOOLEAN: lambda text: bytes([_BOOLEAN, text == "true"]),
    Kind.FLOAT: lambda text: _of_real(widened(text)),
    Kind.DOUBLE: _of_real,
    Kind.VARCHAR: lambda text: bytes([_TEXT]) + _of_text(text),
    Kind.BIT: lambda text: bytes([_BITS]) + bytes([int(bit) + 2 for bit in text]) + _END,
    Kind.UUID: lambda text: bytes([_UUID]) + UUID(text).bytes,
}


def _of_stored(column: Column, dtype: DType) -> list[bytes]:
    """The bytes of blobs, instants, times and intervals (n,)."""
    if column.dictionary is not None:
        return [_of_bytes(one) for one in strings(column).to_pylist()]
    stored = waits.array(column.data, "what orders variants is made on the host").tolist()  # host: NumPy
    if dtype.kind is Kind.INTERVAL:
        return [bytes([_INTERVAL]) + _of_interval(*one) for one in stored]
    if dtype.kind is Kind.TIMETZ:
        return [bytes([_OFFSET]) + (one + 2**63).to_bytes(8, "big") for one in stored]
    if dtype.kind in (Kind.TIME, Kind.TIME_NS):
        unit = 1 if dtype.kind is Kind.TIME_NS else 1000
        return [bytes([_TIME]) + (one * unit + 2**63).to_bytes(8, "big") for one in stored]
    unit = DAY * 1000 if dtype == types.DATE else _NANOSECONDS // UNITS_A_SECOND[dtype.kind]
    rank = _ZONED if dtype.kind in (Kind.TIMESTAMPTZ, Kind.TIMESTAMPTZ_NS) else _TIMESTAMP
    return [bytes([rank]) + (one * unit + 2**127).to_bytes(16, "big") for one in stored]


def _of_interval(months: int, days: int, microseconds: int) -> bytes:
    days, rest = days + microseconds // DAY, microseconds % DAY
    months, days = months + days // _MONTH, days % _MONTH
    return (months + 2**31).to_bytes(4, "big") + (days + 2**31).to_bytes(4, "big") + (rest + 2**63).to_bytes(8, "big")
