"""Functions of the characters of text: accents, grapheme clusters, parts that are replaced, text in URLs."""

from __future__ import annotations

import re
import unicodedata
from typing import Final
from urllib.parse import quote

from tqp.errors import ExecutionError
from tqp.functions.by_value import by_value
from tqp.functions.graphemes import clusters, is_mark
from tqp.functions.parts import left_part, right_part, slice_of
from tqp.types import BIGINT, VARCHAR

__all__: list[str] = []


@by_value("strip_accents", VARCHAR, VARCHAR)
def _strip_accents(text: str) -> str:
    if text.isascii():
        return text
    plain = "".join(character for character in unicodedata.normalize("NFD", text) if not is_mark(character))
    return unicodedata.normalize("NFC", plain)


@by_value("nfc_normalize", VARCHAR, VARCHAR)
def _nfc_normalize(text: str) -> str:
    return unicodedata.normalize("NFC", text)


# Grapheme clusters --------------------------------------------------------------------------------------------------


@by_value("length_grapheme", BIGINT, VARCHAR)
def _length_grapheme(text: str) -> int:
    return len(clusters(text))


@by_value("left_grapheme", VARCHAR, VARCHAR, BIGINT)
def _left_grapheme(text: str, count: int) -> str:
    return "".join(left_part(clusters(text), count))


@by_value("right_grapheme", VARCHAR, VARCHAR, BIGINT)
def _right_grapheme(text: str, count: int) -> str:
    return "".join(right_part(clusters(text), count))


@by_value("substring_grapheme", VARCHAR, VARCHAR, BIGINT, BIGINT, optional=1)
def _substring_grapheme(text: str, start: int, length: int | None = None) -> str:
    return "".join(slice_of(clusters(text), start, length))


# Parts that are replaced --------------------------------------------------------------------------------------------


@by_value("overlay", VARCHAR, VARCHAR, VARCHAR, BIGINT, BIGINT, optional=1)
def _overlay(text: str, other: str, start: int, length: int | None = None) -> str:
    begin = max(start - 1, 0)
    size = len(other) if length is None or length < 0 else length
    return text[:begin] + other + text[max(start - 1 + size, 0) :]


# URLs ---------------------------------------------------------------------------------------------------------------

_PERCENT: Final = re.compile(rb"%([0-9a-fA-F]{2})")


@by_value("url_encode", VARCHAR, VARCHAR)
def _url_encode(text: str) -> str:
    return quote(text, safe="~-_.")


@by_value("url_decode", VARCHAR, VARCHAR)
def _url_decode(text: str) -> str:
    decoded = _PERCENT.sub(lambda match: bytes([int(match[1], 16)]), text.encode())
    try:
        return decoded.decode()
    except UnicodeDecodeError:
        raise ExecutionError(f"{text!r} is no text in UTF-8 once it is decoded") from None
