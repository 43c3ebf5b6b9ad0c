"""Columns that stand in the paths of files: `year=2024/part-0.parquet` has a column `year` (Hive partitions)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date, datetime
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import unquote

import pyarrow as pa

__all__ = ["partition_columns"]

_NULLS: Final = ("__HIVE_DEFAULT_PARTITION__", "NULL")
_PART: Final = re.compile(r"([^=]+)=(.*)")
_INTEGER: Final = re.compile(r"-?[1-9]\d{0,18}|0")
_DATE: Final = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")


def partition_columns(files: Sequence[str]) -> dict[str, list[pa.Scalar]]:
    """The columns in the paths of the files, as one value a file; none unless all files have the same ones.

    As in DuckDB a column is a DATE, TIMESTAMP or BIGINT where all its values read as one, else VARCHAR.
    """
    found = [_parts(file) for file in files]
    names = list(found[0]) if found else []
    if any(list(parts) != names for parts in found):
        return {}
    return {name: _typed([parts[name] for parts in found]) for name in names}


def _parts(file: str) -> dict[str, str | None]:
    matches = filter(None, map(_PART.fullmatch, PurePath(os.path.dirname(file)).parts))
    texts = {match[1]: unquote(match[2]) for match in matches}
    return {name: None if text in _NULLS else text for name, text in texts.items()}


def _typed(texts: list[str | None]) -> list[pa.Scalar]:
    readers: tuple[tuple[pa.DataType, Callable[[str], Any]], ...] = (
        (pa.date32(), _date),
        (pa.timestamp("us"), _timestamp),
        (pa.int64(), _integer),
    )
    for kind, read in readers:
        with suppress(ValueError, OverflowError, pa.ArrowInvalid):
            return [pa.scalar(None if text is None else read(text), kind) for text in texts]
    return [pa.scalar(text, pa.string()) for text in texts]


def _date(text: str) -> date:
    match = _DATE.fullmatch(text)
    if match is None:
        raise ValueError(text)
    return date(*map(int, match.groups()))


def _timestamp(text: str) -> datetime:
    if len(text) < len("2024-01-01 00:00:00") or "+" in text:
        raise ValueError(text)
    return datetime.fromisoformat(text)


def _integer(text: str) -> int:
    if _INTEGER.fullmatch(text) is None:
        raise ValueError(text)
    return int(text)
