"""The binary form that Parquet and Arrow have of variants: a metadata, which is the names of members, and a value.

After https://github.com/apache/parquet-format/blob/master/VariantEncoding.md.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final
from uuid import UUID

import numpy as np
import torch

from tqp import types
from tqp.data.column import Column
from tqp.errors import ExecutionError, SourceError
from tqp.functions.casts.bytes import shown as shown_bytes
from tqp.functions.casts.cast import cast, leaves_as_column
from tqp.functions.casts.text import decimal_as_text, float_as_text
from tqp.functions.joined_text import strings
from tqp.functions.variant_documents import Document, by_type, kind_of, leaf, parts
from tqp.kernels import waits
from tqp.types import VARCHAR, DType, Kind, decimal

__all__ = ["NULL_VALUE", "Encoded", "decoded", "encoded"]

Encoded = tuple[bytes, bytes]
"""A metadata and a value."""

_PRIMITIVE, _SHORT, _OBJECT, _ARRAY = range(4)
_TRUE, _FALSE = 1, 2
_DOUBLE, _DATE, _FLOAT, _BINARY, _STRING, _UUID = 7, 11, 14, 15, 16, 20
_INTEGERS: Final = {
    3: ("<b", types.TINYINT),
    4: ("<h", types.SMALLINT),
    5: ("<i", types.INTEGER),
    6: ("<q", types.BIGINT),
}
_DECIMALS: Final = {8: (4, 9), 9: (8, 18), 10: (16, 38)}
"""The bytes of the number, and the most digits that it has."""
_INSTANTS: Final = {
    12: types.TIMESTAMPTZ, 13: types.TIMESTAMP, 17: types.TIME, 18: types.TIMESTAMPTZ_NS, 19: types.TIMESTAMP_NS,
}  # fmt: skip
_OF_INSTANT: Final = {dtype: number for number, dtype in _INSTANTS.items()}
_AS_INTEGER: Final = {
    types.TINYINT: 3, types.UTINYINT: 4, types.SMALLINT: 4, types.USMALLINT: 5, types.INTEGER: 5, types.UINTEGER: 6,
    types.BIGINT: 6, types.UBIGINT: 6, types.HUGEINT: 6, types.UHUGEINT: 6,
}  # fmt: skip
_SHORTEST: Final = 64
_WORD: Final = 8
NULL_VALUE: Final = b"\0"


# Out ----------------------------------------------------------------------------------------------------------------


def encoded(documents: Sequence[Document]) -> list[Encoded]:
    """The metadata and value of each; ExecutionError for a value of a type that Parquet has not, or beyond 64 bits."""
    known: dict[str, bytes] = {}
    for dtype, leaves in by_type(documents).items():
        known.update(zip(leaves, _leaves(dtype, leaves), strict=True))
    return [_encoded(document, known) for document in documents]


def _encoded(document: Document, known: dict[str, bytes]) -> Encoded:
    names = sorted(set(_names(document)), key=str.encode)
    texts = [name.encode() for name in names]
    size = sum(map(len, texts))
    width = _width(max(size, len(texts)))
    ends = [0]
    for text in texts:
        ends.append(ends[-1] + len(text))
    head = bytes([1 | (width - 1) << 6]) + len(texts).to_bytes(width, "little")
    metadata = head + b"".join([end.to_bytes(width, "little") for end in ends]) + b"".join(texts)
    return metadata, _value(document, known, {name: place for place, name in enumerate(names)})


def _names(document: Document | None) -> Iterable[str]:
    if isinstance(document, dict):
        yield from document
    if isinstance(document, dict | list):
        for item in document.values() if isinstance(document, dict) else document:
            yield from _names(item)


def _width(most: int) -> int:
    return max(1, (most.bit_length() + 7) // 8)


def _value(document: Document | None, known: dict[str, bytes], places: dict[str, int]) -> bytes:
    if document is None:
        return NULL_VALUE
    if isinstance(document, str):
        return known[document]
    pairs = sorted(document.items(), key=lambda pair: pair[0].encode()) if isinstance(document, dict) else None
    items = [_value(item, known, places) for item in (document if pairs is None else [item for _, item in pairs])]
    ends = [0]
    for item in items:
        ends.append(ends[-1] + len(item))
    width, is_large = _width(ends[-1]), len(items) > 255
    count = len(items).to_bytes(4 if is_large else 1, "little")
    offsets = b"".join([end.to_bytes(width, "little") for end in ends])
    if pairs is None:
        return bytes([_ARRAY | (width - 1 | is_large << 2) << 2]) + count + offsets + b"".join(items)
    numbers = [places[name] for name, _ in pairs]
    size = _width(max(numbers, default=0))
    head = bytes([_OBJECT | (width - 1 | size - 1 << 2 | is_large << 4) << 2])
    return head + count + b"".join([one.to_bytes(size, "little") for one in numbers]) + offsets + b"".join(items)


def _primitive(number: int, data: bytes = b"") -> bytes:
    return bytes([number << 2]) + data


def _leaves(dtype: DType, leaves: Sequence[str]) -> list[bytes]:
    texts = [parts(one)[1] for one in leaves]
    if dtype.is_integer:
        return [_integer(int(text), dtype) for text in texts]
    if dtype.is_decimal:
        return [_decimal(Decimal(text), dtype) for text in texts]
    match dtype.kind:
        case Kind.BOOLEAN:
            return [_primitive(_TRUE if text == "true" else _FALSE) for text in texts]
        case Kind.FLOAT:
            return [_primitive(_FLOAT, struct.pack("<f", float(text))) for text in texts]
        case Kind.DOUBLE:
            return [_primitive(_DOUBLE, struct.pack("<d", float(text))) for text in texts]
        case Kind.VARCHAR:
            return [_text(text.encode()) for text in texts]
        case Kind.UUID:
            return [_primitive(_UUID, UUID(text).bytes) for text in texts]
    column = leaves_as_column(texts, dtype)
    if dtype.kind is Kind.BLOB:
        return [_primitive(_BINARY, struct.pack("<I", len(one)) + one) for one in strings(column).to_pylist()]
    number = _DATE if dtype == types.DATE else _OF_INSTANT.get(dtype)
    if number is None:
        shown = kind_of(leaves[0], whole=False)
        raise ExecutionError(
            f"Parquet and Arrow have no VARIANT of {shown}", hint="cast it to VARCHAR or to JSON before"
        )
    stored = waits.array(column.data, "a result leaves").tolist()  # host: NumPy
    return [_primitive(number, struct.pack("<i" if number == _DATE else "<q", one)) for one in stored]


def _text(text: bytes) -> bytes:
    if len(text) < _SHORTEST:
        return bytes([_SHORT | len(text) << 2]) + text
    return _primitive(_STRING, struct.pack("<I", len(text)) + text)


def _integer(value: int, dtype: DType) -> bytes:
    number = _AS_INTEGER[dtype]
    if not -(2**63) <= value < 2**63:
        hint = "cast it to DOUBLE or VARCHAR before"
        raise ExecutionError(
            f"the {dtype} {value} is beyond the 64 bits that integers in a VARIANT of Parquet have", hint=hint
        )
    return _primitive(number, struct.pack(_INTEGERS[number][0], value))


def _decimal(value: Decimal, dtype: DType) -> bytes:
    number, (size, _) = next((number, one) for number, one in _DECIMALS.items() if dtype.precision <= one[1])
    sign, digits, _ = value.as_tuple()
    whole = int("".join(map(str, digits))) * (-1 if sign else 1)
    return _primitive(number, bytes([dtype.scale]) + whole.to_bytes(size, "little", signed=True))


# In -----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Stored:
    """An instant by the number that is stored of it."""

    dtype: DType
    number: int


_Raw = str | _Stored | list["_Raw | None"] | dict[str, "_Raw | None"]


def decoded(values: Sequence[Encoded]) -> list[Document | None]:
    """The documents of metadata and values, None of `null`; SourceError for what is none."""
    try:
        raw = [_decoded(value, 0, _dictionary(metadata)) for metadata, value in values]
    except (IndexError, KeyError, ValueError, struct.error) as error:
        raise SourceError("a VARIANT is damaged: its bytes do not follow Parquet's form") from error
    found: dict[DType, dict[int, str]] = {}
    for one in _stored_in(raw):
        found.setdefault(one.dtype, {})[one.number] = ""
    for dtype, numbers in found.items():
        data = torch.tensor(list(numbers), dtype=torch.int64, device="cpu")
        texts = strings(cast(Column(data, dtype), VARCHAR, False)).to_pylist()
        found[dtype] = dict(zip(numbers, texts, strict=True))
    return [_settled(one, found) for one in raw]


def _dictionary(metadata: bytes) -> list[str]:
    width = (metadata[0] >> 6) + 1
    if metadata[0] & 15 != 1:
        raise ValueError
    count = int.from_bytes(metadata[1 : 1 + width], "little")
    start = 1 + width
    ends = [
        int.from_bytes(metadata[start + one * width : start + (one + 1) * width], "little") for one in range(count + 1)
    ]
    data = metadata[start + (count + 1) * width :]
    return [data[first:last].decode() for first, last in itertools.pairwise(ends)]


def _decoded(data: bytes, at: int, names: list[str]) -> _Raw | None:
    basic, head = data[at] & 3, data[at] >> 2
    at += 1
    if basic == _PRIMITIVE:
        return _of_primitive(head, data, at)
    if basic == _SHORT:
        return leaf(VARCHAR, data[at : at + head].decode())
    width = (head & 3) + 1
    is_large = head >> (4 if basic == _OBJECT else 2) & 1
    size = 4 if is_large else 1
    count = int.from_bytes(data[at : at + size], "little")
    at += size
    keys: list[str] = []
    if basic == _OBJECT:
        of_key = (head >> 2 & 3) + 1
        keys = [
            names[int.from_bytes(data[at + one * of_key : at + (one + 1) * of_key], "little")] for one in range(count)
        ]
        at += count * of_key
    starts = [int.from_bytes(data[at + one * width : at + (one + 1) * width], "little") for one in range(count)]
    at += (count + 1) * width
    items = [_decoded(data, at + start, names) for start in starts]
    return dict(zip(keys, items, strict=True)) if basic == _OBJECT else items


def _of_primitive(number: int, data: bytes, at: int) -> _Raw | None:
    if number == 0:
        return None
    if number in (_TRUE, _FALSE):
        return leaf(types.BOOLEAN, "true" if number == _TRUE else "false")
    if number in _INTEGERS:
        form, dtype = _INTEGERS[number]
        return leaf(dtype, str(struct.unpack_from(form, data, at)[0]))
    if number in _DECIMALS:
        size, most = _DECIMALS[number]
        whole, scale = int.from_bytes(data[at + 1 : at + 1 + size], "little", signed=True), data[at]
        # As in DuckDB a number of up to 64 bits is of as many digits as it has.
        digits = most if size > _WORD else max(len(str(abs(whole))), scale)
        return leaf(decimal(digits, scale), decimal_as_text(whole, decimal(digits, scale)))
    if number in _INSTANTS:
        return _Stored(_INSTANTS[number], struct.unpack_from("<q", data, at)[0])
    match number:
        case 7:
            return leaf(types.DOUBLE, float_as_text(np.float64(struct.unpack_from("<d", data, at)[0])))
        case 11:
            return _Stored(types.DATE, struct.unpack_from("<i", data, at)[0])
        case 14:
            return leaf(types.FLOAT, float_as_text(np.float32(struct.unpack_from("<f", data, at)[0])))
        case 15 | 16:
            (size,) = struct.unpack_from("<I", data, at)
            found = data[at + 4 : at + 4 + size]
            return leaf(types.BLOB, shown_bytes(found)) if number == _BINARY else leaf(VARCHAR, found.decode())
        case 20:
            return leaf(types.UUID, str(UUID(bytes=data[at : at + 16])))
        case _:
            raise ValueError


def _stored_in(raw: Iterable[_Raw | None]) -> Iterable[_Stored]:
    for one in raw:
        if isinstance(one, _Stored):
            yield one
        elif isinstance(one, list | dict):
            yield from _stored_in(one.values() if isinstance(one, dict) else one)


def _settled(raw: _Raw | None, found: dict[DType, dict[int, str]]) -> Document | None:
    if isinstance(raw, _Stored):
        return leaf(raw.dtype, found[raw.dtype][raw.number])
    if isinstance(raw, list):
        return [_settled(one, found) for one in raw]
    if isinstance(raw, dict):
        return {name: _settled(one, found) for name, one in raw.items()}
    return raw
