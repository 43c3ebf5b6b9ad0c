r"""How bytes are spelled in text: ASCII as it is, `\xAA` for others; a UUID, bits and a BIGNUM by their digits."""

from __future__ import annotations

import re
from typing import Final

from tqp.bignums import encoded, number_of

__all__ = ["bignum_of", "bits_of_text", "bytes_of", "shown", "uuid_of"]

_ESCAPED: Final = re.compile(r"(?:[^\\\u0080-\U0010ffff]|\\x[0-9a-fA-F]{2})*")
_BYTE: Final = re.compile(r"\\x(..)")
_PLAIN: Final = frozenset(range(32, 127)) - frozenset(b"\\'\"")
_SPELLED: Final = tuple(chr(byte) if byte in _PLAIN else f"\\x{byte:02X}" for byte in range(256))


def bytes_of(string: str) -> bytes | None:
    r"""The bytes that a text spells: ASCII, `\xAA` for others; None where it spells none."""
    if _ESCAPED.fullmatch(string) is None:
        return None
    return _BYTE.sub(lambda found: chr(int(found[1], 16)), string).encode("latin-1")


def shown(value: bytes) -> str:
    """The text of bytes, which `bytes_of` reads."""
    return "".join([_SPELLED[byte] for byte in value])


_DIGITS: Final = re.compile(r"(?:-*[0-9a-fA-F]){32}-*")


def uuid_of(string: str) -> int | None:
    """The stored number of a UUID, whose 32 digits may have dashes anywhere, and braces around them; None where it is none."""
    inner = string[1:-1] if string[:1] == "{" and string[-1:] == "}" else string
    return None if _DIGITS.fullmatch(inner) is None else int(inner.replace("-", ""), 16) - 2**127


def bits_of_text(text: str) -> str | None:
    """The bits that a text spells, which of an empty one are 0; None where it has anything but 0 and 1."""
    return (text or "0") if set(text) <= {"0", "1"} else None


_NUMBER: Final = re.compile(r"([+-]?)(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?")


def bignum_of(text: str) -> bytes | None:
    """The BIGNUM that a text spells, without blanks or an exponent; None where it spells none."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    sign, whole, fraction = match.groups()
    number = number_of(whole or "0") + (bool(fraction) and fraction[0] >= "5")
    return encoded(-number if sign == "-" else number)
