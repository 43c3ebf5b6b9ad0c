"""BIGNUM, integers of any length, as bytes that are in the order of the numbers: DuckDB's own form of them.

Three bytes say the sign and how many bytes follow, the highest bit being 1 for numbers that are not negative; these are the
magnitude, the highest byte first. Of a negative number all bits are inverted.
"""

from __future__ import annotations

from typing import Final

from tqp.errors import ExecutionError

__all__ = ["decoded", "digits_of", "encoded", "number_of"]

_HEADER: Final = 3
_SIGN: Final = 0x800000
_INVERTED: Final = bytes(range(255, -1, -1))
_PIECE: Final = 4000
"""Python turns up to 4300 digits into a number, or a number into them."""


def encoded(number: int) -> bytes:
    """The bytes of a number. ExecutionError for one of more than 8 MiB."""
    magnitude = abs(number)
    size = max(1, -(-magnitude.bit_length() // 8))
    if size >= _SIGN:
        raise ExecutionError("a BIGNUM has at most 8,388,607 bytes")
    found = (_SIGN | size).to_bytes(_HEADER, "big") + magnitude.to_bytes(size, "big")
    return found.translate(_INVERTED) if number < 0 else found


def decoded(value: bytes) -> int:
    """The number of bytes; 0 for none, which stand for NULL in dictionaries."""
    if not value:
        return 0
    if value[0] & 0x80:
        return int.from_bytes(value[_HEADER:], "big")
    return -int.from_bytes(value[_HEADER:].translate(_INVERTED), "big")


def number_of(digits: str) -> int:
    """The number of decimal digits without a sign."""
    if len(digits) <= _PIECE:
        return int(digits)
    # In halves, so that most is done by few products of long numbers.
    high = len(digits) // 2
    unit: int = 10 ** (len(digits) - high)
    return number_of(digits[:high]) * unit + number_of(digits[high:])


def digits_of(number: int) -> str:
    """The decimal digits of a number, with the sign of a negative one."""
    return f"-{_digits(-number)}" if number < 0 else _digits(number)


def _digits(number: int) -> str:
    # A digit has 3.32 bits.
    size = number.bit_length() * 1000 // 3321
    if size <= _PIECE:
        return str(number)
    low = size // 2
    high, rest = divmod(number, 10**low)
    return f"{_digits(high)}{_digits(rest).rjust(low, '0')}"
