"""Halves of digests of text as numbers."""

from __future__ import annotations

import hashlib

from tqp.functions.by_value import by_value
from tqp.types import UBIGINT, VARCHAR

__all__: list[str] = []


@by_value("md5_number_lower", UBIGINT, VARCHAR)
def _md5_number_lower(text: str) -> int:
    return int.from_bytes(hashlib.md5(text.encode()).digest()[8:], "little")


@by_value("md5_number_upper", UBIGINT, VARCHAR)
def _md5_number_upper(text: str) -> int:
    return int.from_bytes(hashlib.md5(text.encode()).digest()[:8], "little")
