"""Functions of bytes, and of how they are spelled: encode, hex, base64, digests. Computed once per distinct value."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.data.to_arrow import texts
from tqp.functions.entries import Entries, each, host_function, spread
from tqp.functions.registry import Args, Signature, TypeRule, expect, scalar
from tqp.functions.signatures import fixed
from tqp.functions.unify import of_bits
from tqp.ir.expr import Expr
from tqp.kernels import encodings
from tqp.kernels.digests import digests
from tqp.types import BIGINT, BLOB, VARCHAR, DType

__all__ = ["bytes_and_offsets", "text_or_bytes"]

_ALPHABET: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_VALUES: Final = {letter: value for value, letter in enumerate(_ALPHABET)}


def bytes_and_offsets(entries: Entries) -> tuple[Tensor, Tensor]:
    """The bytes of the first operand of entries, a text or a BLOB, and the offsets of each."""
    return Dictionary(entries.array(0), is_sorted=False).bytes_and_offsets()


def text_or_bytes(name: str, out: DType | None = None, *others: DType) -> TypeRule:
    """A signature whose first argument is a VARCHAR or a BLOB; the result is `out`, or of its type."""

    def types(args: tuple[Expr, ...]) -> Signature:
        expect(args, 1 + len(others), name)
        first = BLOB if args[0].dtype == BLOB else VARCHAR
        return fixed(name, first if out is None else out, first, *others)(args)

    return types


def _digest(*names: str) -> None:
    """Register the digest of a text, in UTF-8, or of bytes, as digits; the last is the name that it has in Python."""

    @scalar(*names, types=text_or_bytes(names[0], VARCHAR), on_distinct=True, on_host=True)
    def kernel(args: Args, out: DType) -> Column:
        entries = spread(args)
        found = digests(names[-1], *bytes_and_offsets(entries))
        size = found.shape[1]
        ends = torch.arange(0, found.size + 1, size, device="cpu")
        shown, offsets = encodings.as_hex(torch.from_numpy(found.reshape(-1)), ends)
        return entries.finish(texts(shown | _SMALL, offsets, pa.large_string()), out)


_SMALL: Final = np.uint8(ord("a") - ord("A"))
"""Digits have it as well."""

_digest("md5")
_digest("sha", "sha1")
_digest("sha256")


@host_function("encode", BLOB, VARCHAR)
def _encode(entries: Entries, strings: pa.Array) -> pa.Array:
    return strings.cast(pa.large_binary())


@host_function("tobase64 base64", VARCHAR, BLOB)
def _to_base64(entries: Entries, values: pa.Array) -> pa.Array:
    shown = encodings.as_base64(*bytes_and_offsets(entries))
    if shown is not None:
        return texts(*shown, pa.large_string())
    return each(lambda value: base64.b64encode(value).decode(), pa.large_string(), entries)


@host_function("octet_length", BIGINT, BLOB, instead=of_bits("bits_octet_length"))
def _octet_length(entries: Entries, values: pa.Array) -> pa.Array:
    return pc.binary_length(values)


_AllRead = Callable[[Tensor, Tensor], tuple[encodings.Bytes, encodings.Offsets, npt.NDArray[np.bool_]] | None]


def _reading(
    names: str,
    out: DType,
    wanted: tuple[DType, ...],
    read: Callable[..., str | bytes],
    optional: int = 0,
    read_all: _AllRead | None = None,
) -> None:
    """Register what reads a value, and raises ValueError, which says why, for one that cannot be read.

    `read_all` does so for many texts at once, where it can, and says which cannot be read.
    """

    first, *_ = names.split()

    @scalar(*names.split(), types=fixed(first, out, *wanted, optional=optional), on_distinct=True, on_host=True)
    def kernel(args: Args, out: DType) -> Column:
        entries = spread(args)
        known = None if read_all is None else read_all(*bytes_and_offsets(entries))
        if known is not None:
            data, offsets, wrong = known
            entries.check(pa.array(wrong), args, lambda row: _why(read, entries.array(0)[row].as_py()))
            return entries.finish(texts(data, offsets, pa.large_binary()), out)
        problems: dict[int, str] = {}
        place = -1

        def one(*values: Any) -> Any:
            nonlocal place
            place += 1
            try:
                return read(*values)
            except ValueError as error:
                problems[place] = str(error)
                return "" if out == VARCHAR else b""

        found = each(one, pa.large_string() if out == VARCHAR else pa.large_binary(), entries)
        if problems:
            failed = pa.array([row in problems for row in range(entries.count)])
            entries.check(failed, args, lambda row: problems[row])
        return entries.finish(found, out)


def _why(read: Callable[..., str | bytes], text: str) -> str:
    """Why it cannot be read."""
    try:
        read(text)
    except ValueError as error:
        return str(error)
    raise AssertionError(f"{text!r} can be read")


def _unhex(text: str) -> bytes:
    wrong = next((digit for digit in text if digit not in "0123456789abcdefABCDEF"), None)
    if wrong is not None:
        raise ValueError(f"Invalid input for hex digit: {wrong}")
    return bytes.fromhex(text if len(text) % 2 == 0 else f"0{text}")


def _unbin(text: str) -> bytes:
    wrong = next((digit for digit in text if digit not in "01"), None)
    if wrong is not None:
        raise ValueError(f"Invalid input for binary digit: {wrong}")
    size = -(-len(text) // 8)
    return int(text or "0", 2).to_bytes(size, "big")


def _from_base64(text: str) -> bytes:
    """Four letters at a time; `=` may stand for the last two, and nothing asks for zeros in what they leave out."""
    value = text.encode()
    if len(value) % 4:
        raise ValueError(f'Could not decode string "{text}" as base64: length must be a multiple of 4')
    if not value:
        return b""
    if value[-2:-1] == b"=" != value[-1:]:
        raise ValueError(
            f'Could not decode string "{text}" as base64: data after the padding at position {len(value) - 1}'
        )
    padding = 2 if value[-2:-1] == b"=" else 1 if value[-1:] == b"=" else 0
    bits = 0
    for place, letter in enumerate(value[: len(value) - padding]):
        found = _VALUES.get(chr(letter))
        if found is None:
            raise ValueError(
                f"Could not decode string \"{text}\" as base64: invalid byte value '{letter}' at position {place}"
            )
        bits = bits << 6 | found
    bits <<= 6 * padding
    return bits.to_bytes(len(value) // 4 * 3, "big")[: len(value) // 4 * 3 - padding]


_WHEN_WRONG: Final = ("strict", "replace", "ignore")


def _decode(value: bytes, when_wrong: str = "strict") -> str:
    if when_wrong not in _WHEN_WRONG:
        raise ValueError(f'decode error behavior specifier "{when_wrong}" not recognized')
    try:
        return value.decode()
    except UnicodeDecodeError:
        if when_wrong == "strict":
            raise ValueError("decode: the blob is no UTF-8; decode(blob, 'replace') gives ? for what is not") from None
    return value.decode(errors="ignore") if when_wrong == "ignore" else _with_question_marks(value)


def _with_question_marks(value: bytes) -> str:
    """As DuckDB does it: what a first byte announces is read as far as it goes on, and then a ? stands for each byte of it."""
    marked = bytearray(value)
    at = 0
    while at < len(value):
        first, start = value[at], at
        length = (
            1 if first < 0x80 else 2 if first >> 5 == 6 else 3 if first >> 4 == 14 else 4 if first >> 3 == 30 else 0
        )
        good = 0 < length <= len(value) - at
        while good and at < start + length - 1:
            at += 1
            good = value[at] >> 6 == 2
        at += 1
        if not good or not _is_text(value[start:at]):
            marked[start:at] = b"?" * (at - start)
    return marked.decode()


def _is_text(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


_reading("unhex", BLOB, (VARCHAR,), _unhex, read_all=encodings.of_hex)
_reading("unbin from_binary", BLOB, (VARCHAR,), _unbin)
_reading("frombase64", BLOB, (VARCHAR,), _from_base64, read_all=encodings.of_base64)
_reading("decode", VARCHAR, (BLOB, VARCHAR), _decode, optional=1)
