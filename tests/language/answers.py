"""The recorded answers, and values as text that is the same for both systems."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

__all__ = ["FILE", "Answers", "Call", "Function", "answers", "canonical", "shown_rows"]

FILE = Path(__file__).parent / "answers.json"


@dataclass(frozen=True)
class Call:
    """A call, and DuckDB's answer: types of columns, and rows; None where these differ each time."""

    sql: str
    types: list[str]
    rows: list[list[str]] | None


@dataclass(frozen=True)
class Function:
    """A function of DuckDB, and calls of it that DuckDB answered."""

    name: str
    kind: str
    family: str
    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Answers:
    """What DuckDB of that version said: of its functions, of the forms by their titles, and what it has by name alone, by kind."""

    version: str
    functions: tuple[Function, ...]
    forms: dict[str, tuple[list[str], list[list[str]] | None]]
    names: dict[str, list[str]]


@cache
def answers() -> Answers:
    """The content of the file."""
    read = json.loads(FILE.read_text())
    functions = tuple(
        Function(one["name"], one["kind"], one["family"], tuple(Call(*call) for call in one["calls"]))
        for one in read["functions"]
    )
    return Answers(
        read["duckdb"], functions, {title: tuple(one) for title, one in read["forms"].items()}, read["names"]
    )


def canonical(dtype: object) -> str:
    """A type's name as both systems write it."""
    return re.sub(r"\s*,\s*", ",", str(dtype)).replace('"', "").replace("JSON", "VARCHAR").lower()


def shown_rows(table: pa.Table) -> list[list[str]]:
    """The rows of a table as texts."""
    columns = [[_shown(value) for value in column.to_pylist()] for column in table.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def _shown(value: Any) -> str:
    """A value as text: floats to 4 digits, for the others may depend on the order in which sums are added up."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case float():
            return f"{value:.4g}"
        case Decimal():
            # A HUGEINT is a decimal in Arrow.
            return format(value.normalize(), "f")
        case bytes() | bytearray() | memoryview():
            return bytes(value).hex()
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return f"{value.days} days {value.seconds}.{value.microseconds}"
        case dict():
            return "{" + ", ".join(f"{_shown(key)}: {_shown(one)}" for key, one in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(_shown, value)) + "]"
        case _:
            return str(value)
