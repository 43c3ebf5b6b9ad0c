"""Functions of bytes, and of how they are spelled: encode, hex, base64, digests. Computed once per distinct value."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from tqp.data.column import Column
from tqp.functions.entries import Entries, each, host_function, spread
from tqp.functions.registry import Args, Signature, TypeRule, expect, scalar
from tqp.functions.signatures import fixed
from tqp.functions.unify import of_bits
from tqp.ir.expr import Expr
from tqp.types import BIGINT, BLOB, VARCHAR, DType

__all__ = ["text_or_bytes"]

_ALPHABET: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_VALUES: Final = {letter: value for value, letter in enumerate(_ALPHABET)}


def text_or_bytes(name: str, out: DType | None = None, *others: DType) -> TypeRule:
    """A signature whose first argument is a VARCHAR or a BLOB; the result is `out`, or of its type."""

    def types(args: tuple[Expr, ...]) -> Signature:
        expect(args, 1 + len(others), name)
        first = BLOB if args[0].dtype == BLOB else VARCHAR
        return fixed(name, first if out is None else out, first, *others)(args)

    return types


def _of_bytes(*names: str) -> Callable[[Callable[[bytes], str]], None]:
    """Register a function from a text, in UTF-8, or from bytes to text."""

    def register(function: Callable[[bytes], str]) -> None:
        @scalar(*names, types=text_or_bytes(names[0], VARCHAR), on_distinct=True, on_host=True)
        def kernel(args: Args, out: DType) -> Column:
            entries = spread(args)
            binary = Entries(
                [operand.cast(pa.large_binary()) for operand in entries.arrays()], entries.codes, entries.is_constant,
                entries.count, entries.device,
            )  # fmt: skip
            return entries.finish(each(function, pa.large_string(), binary), out)

    return register


_of_bytes("md5")(lambda value: hashlib.md5(value).hexdigest())
_of_bytes("sha", "sha1")(lambda value: hashlib.sha1(value).hexdigest())
_of_bytes("sha256")(lambda value: hashlib.sha256(value).hexdigest())


@host_function("encode", BLOB, VARCHAR)
def _encode(entries: Entries, strings: pa.Array) -> pa.Array:
    return strings.cast(pa.large_binary())


@host_function("tobase64 base64", VARCHAR, BLOB)
def _to_base64(entries: Entries, values: pa.Array) -> pa.Array:
    return each(lambda value: base64.b64encode(value).decode(), pa.large_string(), entries)


@host_function("octet_length", BIGINT, BLOB, instead=of_bits("bits_octet_length"))
def _octet_length(entries: Entries, values: pa.Array) -> pa.Array:
    return pc.binary_length(values)


def _reading(
    names: str, out: DType, wanted: tuple[DType, ...], read: Callable[..., str | bytes], optional: int = 0
) -> None:
    """Register what reads a value, and raises ValueError, which says why, for one that cannot be read."""

    first, *_ = names.split()

    @scalar(*names.split(), types=fixed(first, out, *wanted, optional=optional), on_distinct=True, on_host=True)
    def kernel(args: Args, out: DType) -> Column:
        entries = spread(args)
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


_reading("unhex", BLOB, (VARCHAR,), _unhex)
_reading("unbin from_binary", BLOB, (VARCHAR,), _unbin)
_reading("frombase64", BLOB, (VARCHAR,), _from_base64)
_reading("decode", VARCHAR, (BLOB, VARCHAR), _decode, optional=1)
