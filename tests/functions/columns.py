"""Columns from Python values and back, for tests."""

from __future__ import annotations

from decimal import Context, Decimal

import pyarrow as pa
import torch

from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.data.layout import narrowest
from tqp.functions.offset_times import stored_time
from tqp.kernels.calendar import HOUR
from tqp.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    HUGEINT,
    INTEGER,
    INTERVAL,
    TIMESTAMP,
    TIMETZ,
    VARCHAR,
    DType,
    Kind,
    decimal,
)

VALUES: dict[str, tuple[DType, list[object]]] = {
    "i": (INTEGER, [3, -7, 2, 12]),
    "b": (BIGINT, [40, 1, -5, 4]),
    "h": (HUGEINT, [30, 3, -4, 1]),
    "x": (DOUBLE, [0.5, -2.0, 3.25, 1.0]),
    "d": (decimal(9, 2), [125, -50, 300, 100]),
    "o": (BOOLEAN, [True, False, True, True]),
    "t": (VARCHAR, ["b", "Ärger", "a,b", "day"]),
    "e": (DATE, [0, 19782, 1, -40]),
    "s": (TIMESTAMP, [0, 1_700_000_000_123_456, 5, -1]),
    "v": (INTERVAL, [(1, 2, 3), (0, 0, 5), (0, 1, 0), (2, 0, 0)]),
    "z": (TIMETZ, [stored_time(0, 0), stored_time(7, 3600), stored_time(9, -60), stored_time(8 * HOUR, 7200)]),
}
"""By a letter: a type, and stored values of it."""


def _valid(data: list) -> torch.Tensor | None:
    return torch.tensor([value is not None for value in data], dtype=torch.bool) if None in data else None


def texts(data: list[str | None]) -> Column:
    """A text column over a dictionary of its distinct strings, in order of appearance."""
    distinct = list(dict.fromkeys(value for value in data if value is not None))
    codes = {value: code for code, value in enumerate(distinct)}
    tensor = torch.tensor([codes.get(value, 0) for value in data], dtype=torch.int32)
    dictionary = Dictionary(pa.array(distinct, pa.large_string()), is_sorted=distinct == sorted(distinct))
    return Column(tensor, VARCHAR, _valid(data), dictionary, (0, max(len(distinct) - 1, 0)))


def integers(data: list[int | None], dtype: DType = BIGINT) -> Column:
    """Any exact or temporal column of stored integers, in the narrowest width."""
    known = [value for value in data if value is not None] or [0]
    bounds = (min(known), max(known))
    tensor = torch.tensor([bounds[0] if value is None else value for value in data], dtype=narrowest(*bounds))
    return Column(tensor, dtype, _valid(data), None, bounds)


def values(column: Column) -> list:
    """The stored values, None for NULL; text as str, DECIMAL as Decimal."""
    data: list = column.data.tolist()
    if column.dictionary is not None:
        strings = column.dictionary.values.to_pylist()
        data = [strings[code] if strings else None for code in data]
    elif column.is_wide:
        data = [(high << 64) + (low & (2**64 - 1)) for high, low in data]
    if column.dtype.kind is Kind.DECIMAL:
        data = [Decimal(value).scaleb(-column.dtype.scale, Context(prec=80)) for value in data]
    if column.valid is None:
        return data
    return [value if valid else None for value, valid in zip(data, column.valid.tolist(), strict=True)]
