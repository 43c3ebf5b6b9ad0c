"""Random small tables: every type, NULLs or none, duplicates and skew, empty ones, and values at the edges of types."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc

Draw = Callable[[random.Random], Any]

_EPOCH = datetime(1970, 1, 1)
_WORDS = ("", "a", "b", "ab", "Ab", "AB", "abc", "banana", " a ", "x y", "a%b", "a_b", "10", "-3", "2.5", "1e2", "true")
_ODD_WORDS = (
    *_WORDS, "é", "e\u0301", "ß", "ÄÖ", "日本語", "🙂", "👨‍👩‍👧", "\t", "a\nb", "'", '"', "\\", "%", "_", ".", "(", "a.b",
    "2024-02-29", "1e400", "nan", "NULL", "9223372036854775808", "12:34:56", "null", "İ", "ﬁ", "a" * 20, "\u00a0",
)  # fmt: skip
_TAME_DAYS = tuple(date(2020, 2, 27) + timedelta(days) for days in (0, 1, 2, 3, 40, 366))
_ODD_DAYS = (*_TAME_DAYS, date(1, 1, 1), date(9999, 12, 31), date(1970, 1, 2), date(1969, 12, 31), date(1900, 2, 28))
_TAME_MOMENTS = (*(datetime(2020, 2, 28, hour, 30, 15, 250000) for hour in (0, 11, 23)), datetime(2020, 2, 29))
_ODD_MOMENTS = (
    *_TAME_MOMENTS, _EPOCH, _EPOCH - timedelta(microseconds=1), datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999),
    datetime(2000, 12, 31, 23, 59, 59, 999999), datetime(1582, 10, 15),
)  # fmt: skip
_UUIDS = tuple(UUID(int=value) for value in (2**126, 2**127, 2**127 + 5, 7 << 76, 0, 1, 2**128 - 1, 2**127 - 1, 2**64))
_TIMES = (time(0), time(12, 34, 56), time(23, 59, 59, 999999), time(0, 0, 0, 1))


@dataclass(frozen=True)
class ColumnType:
    """What a column holds. `kind` is the family that expressions know it by; odd values are those at the edges."""

    kind: str
    arrow: pa.DataType
    tame: Draw
    odd: Draw


def _integer(bits: int, signed: bool = True) -> ColumnType:
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    edges = (low, low + 1, high, high - 1, 0, 1, high // 2, high // 3)
    kind = getattr(pa, f"{'' if signed else 'u'}int{bits}")()
    return ColumnType(
        "int",
        kind,
        lambda rng: rng.randint(-3 if signed else 0, 6),
        lambda rng: rng.choice((*edges, rng.randint(0, 9))),
    )


def _decimal(precision: int, scale: int) -> ColumnType:
    edge = 10**precision - 1

    def units(rng: random.Random, odd: bool) -> Decimal:
        value = rng.choice((edge, -edge, 0, 1, -1, 5 * 10**scale // 10, 15 * 10**scale // 10)) if odd else None
        if value is None:
            value = rng.randint(-30, 60) * 10**scale // 10
        return Decimal(f"{value}e-{scale}")

    return ColumnType(
        "dec",
        pa.decimal128(precision, scale),
        lambda rng: units(rng, False),
        lambda rng: units(rng, rng.random() < 0.5),
    )


_FLOATS = (math.nan, math.inf, -math.inf, -0.0, 0.0, 0.5, 1.5, -2.5, 1e15, -1e-5, 3.75, 100.0)
_SINGLES = (math.nan, math.inf, -math.inf, -0.0, 0.0, 0.5, 1.5, -2.5, 1e9, 16777217.0, 3.75)


def _some(*values: Any) -> Draw:
    return lambda rng: rng.choice(values)


def _quarters(rng: random.Random) -> float:
    return rng.choice((math.nan, math.inf, -0.0)) if rng.random() < 0.05 else rng.randint(-8, 16) / 4


_STRUCT = pa.struct([("a", pa.int32()), ("b", pa.string())])


def _list_of(draw: Draw) -> Draw:
    return lambda rng: [draw(rng) for _ in range(rng.choice((0, 1, 2, 2, 3)))]


def _struct(a: Draw, b: Draw) -> Draw:
    return lambda rng: {"a": a(rng), "b": b(rng)}


def _map(rng: random.Random) -> list[tuple[str, int | None]]:
    return [(key, rng.choice((0, 1, None))) for key in rng.sample(("a", "b", ""), rng.choice((0, 1, 1, 2)))]


def _in_utc(*values: datetime) -> Draw:
    return _some(*(value.replace(tzinfo=UTC) for value in values))


LABELS = ("b", "a", "", "ab")
ENUM = f"ENUM({', '.join(repr(label) for label in LABELS)})"
"""The type of columns that Arrow has as dictionaries, which DuckDB takes for VARCHAR."""

TYPES: dict[str, ColumnType] = {
    "i8": _integer(8), "i16": _integer(16), "i32": _integer(32), "i64": _integer(64),
    "u8": _integer(8, False), "u16": _integer(16, False), "u32": _integer(32, False), "u64": _integer(64, False),
    "d4": _decimal(4, 1), "d9": _decimal(9, 2), "d18": _decimal(18, 4), "d38": _decimal(38, 6),
    "f4": ColumnType("float", pa.float32(), _quarters, _some(*_SINGLES)),
    "f8": ColumnType("float", pa.float64(), _quarters, _some(*_FLOATS, 1e300, -1e300, 5e-324)),
    "s": ColumnType("text", pa.string(), _some(*_WORDS), _some(*_ODD_WORDS)),
    "x": ColumnType("blob", pa.binary(), _some(b"", b"a", b"ab", b"\xff"), _some(b"", b"\x00", b"'\\", b"\xc3\xa4", b"\xc3", b"a" * 20)),
    "w": ColumnType("uuid", pa.uuid(), _some(*_UUIDS[:4]), _some(*_UUIDS)),
    "dt": ColumnType("date", pa.date32(), _some(*_TAME_DAYS), _some(*_ODD_DAYS)),
    "ts": ColumnType("ts", pa.timestamp("us"), _some(*_TAME_MOMENTS), _some(*_ODD_MOMENTS)),
    "sec": ColumnType("ts", pa.timestamp("s"), _some(*(moment.replace(microsecond=0) for moment in _TAME_MOMENTS)),
                      _some(*(moment.replace(microsecond=0) for moment in _TAME_MOMENTS), _EPOCH, datetime(1969, 12, 31, 23, 59, 59), datetime(1700, 1, 1))),
    "ns": ColumnType("ts", pa.timestamp("ns"), _some(*_TAME_MOMENTS), _some(*_TAME_MOMENTS, *range(1, 10**9, 10**8 + 7))),
    "tm": ColumnType("time", pa.time64("us"), _some(*_TIMES), _some(*_TIMES)),
    "l": ColumnType("list", pa.list_(pa.int32()), _list_of(_some(0, 1, 2, None)), _list_of(_some(0, 2**31 - 1, -(2**31), None))),
    "n": ColumnType("texts", pa.list_(pa.string()), _list_of(_some("a", "b", "", None)), _list_of(_some(*_ODD_WORDS, None))),
    "r": ColumnType("struct", _STRUCT, _struct(_some(1, 2, None), _some("x", "y")), _struct(_some(-(2**31), 0, None), _some(*_ODD_WORDS))),
    "m": ColumnType("map", pa.map_(pa.string(), pa.int32()), _map, _map),
    "e": ColumnType("enum", pa.dictionary(pa.int8(), pa.string()), _some(*LABELS), _some(*LABELS)),
    "z": ColumnType("zoned", pa.timestamp("us", "UTC"), _in_utc(*_TAME_MOMENTS), _in_utc(*_ODD_MOMENTS[:-1])),
    "b": ColumnType("bool", pa.bool_(), _some(True, False), _some(True, False)),
}  # fmt: skip


@dataclass(frozen=True)
class RandomTable:
    """A table and the kinds of its columns."""

    name: str
    data: pa.Table
    kinds: dict[str, str]


def odd_table(rng: random.Random, name: str = "t", rows: int = 12) -> RandomTable:
    """A row number `id` and a column of each type, many of the values at the edge."""
    columns = {"id": pa.array(range(rows), pa.int32())}
    for column, kind in TYPES.items():
        columns[column] = _array(rng, kind.odd, kind.arrow, rows, rng.choice((0.0, 0.2)))
    return RandomTable(name, pa.table(columns), {column: kind.kind for column, kind in TYPES.items()})


def tame_table(rng: random.Random, name: str, *, enums: bool = False) -> RandomTable:
    """A key `k` and some other columns, of small values that repeat."""
    rows = rng.choice((0, 1, 2, 5, 9, 9, 20, 30))
    chosen = rng.sample(
        [column for column in TYPES if column[0] not in "iu" and (enums or column != "e")], rng.randint(2, 5)
    )
    chosen += rng.sample(["i8", "i16", "i32", "i64", "u8", "u32"], rng.randint(1, 2))
    key = TYPES[rng.choice(("i8", "i32", "i32", "i64", "u16", "d9", "s"))]
    distinct = rng.random() < 0.3 and key.kind == "int"
    nulls = rng.choice((0.0, 0.0, 0.2))
    drawn = rng.sample(range(60), rows) if distinct else [key.tame(rng) for _ in range(rows)]
    drawn = [None if rng.random() < nulls else value for value in drawn]
    columns = {"k": pa.array(drawn, key.arrow)}
    kinds = {"k": key.kind}
    for column in chosen:
        kind = TYPES[column]
        columns[column] = _array(rng, kind.tame, kind.arrow, rows, rng.choice((0.0, 0.0, 0.25, 0.25, 0.5, 1.0)))
        kinds[column] = kind.kind
    return RandomTable(name, pa.table(columns), kinds)


def ordered(rng: random.Random, table: RandomTable, keys: Sequence[str] = ()) -> RandomTable:
    """The table with its rows in the order of one of its columns, or of these `keys`."""
    order = rng.choice(("ascending", "descending"))
    nulls = rng.choice(("at_start", "at_end"))
    try:
        places = pc.sort_indices(table.data, sort_keys=[(rng.choice(keys or list(table.kinds)), order, nulls)])
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return table
    return RandomTable(table.name, table.data.take(places), table.kinds)


def storable(table: RandomTable) -> RandomTable:
    """The table with types that a Parquet file keeps: it knows no times in seconds."""
    fields = [
        field.with_type(pa.timestamp("us")) if field.type == pa.timestamp("s") else field for field in table.data.schema
    ]
    return RandomTable(table.name, table.data.cast(pa.schema(fields)), table.kinds)


def refilled(rng: random.Random, table: RandomTable) -> RandomTable:
    """A table of the same columns with other rows."""
    by_type = {kind.arrow: kind for kind in TYPES.values()}
    rows = rng.choice((0, 1, 5, 12))
    columns = {
        field.name: _array(rng, by_type[field.type].tame, field.type, rows, rng.choice((0.0, 0.3, 1.0)))
        for field in table.data.schema
    }
    return RandomTable(table.name, pa.table(columns), table.kinds)


def _array(rng: random.Random, draw: Draw, kind: pa.DataType, rows: int, nulls: float) -> pa.Array:
    few = [draw(rng) for _ in range(rng.choice((1, 3, 3)))]
    skewed = rng.random() < 0.4
    values = [rng.choice(few) if skewed else draw(rng) for _ in range(rows)]
    return pa.array([None if rng.random() < nulls else value for value in values], kind)
