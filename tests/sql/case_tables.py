"""The tiny tables that the case files query: NULLs, duplicates, ties, decimals, dates, text, and no rows at all."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import pyarrow as pa


def _table(schema: dict[str, pa.DataType], rows: list[tuple[Any, ...]]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(schema)
    arrays = [pa.array(values, kind) for values, kind in zip(columns, schema.values(), strict=True)]
    return pa.table(arrays, names=list(schema))


def _money(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)


TABLES: dict[str, pa.Table] = {
    "emp": _table(
        {
            "id": pa.int32(), "dept": pa.int32(), "boss": pa.int32(), "name": pa.string(),
            "salary": pa.decimal128(10, 2), "hired": pa.date32(), "score": pa.float64(), "active": pa.bool_(),
        },
        [
            (1, 10, None, "Ada", _money("9000.50"), date(2019, 1, 31), 4.5, True),
            (2, 10, 1, "bob", _money("4000.00"), date(2020, 2, 29), 3.25, True),
            (3, 20, 1, "Cyd", _money("4000.00"), date(2020, 2, 29), None, False),
            (4, 20, 3, "dee", None, date(2021, 12, 31), -1.5, None),
            (5, None, 3, "Eve", _money("1234.56"), None, 0.0, True),
            (6, 30, 2, None, _money("-10.05"), date(2018, 6, 15), 3.25, False),
            (7, 99, 2, "Gus", _money("0.00"), date(1969, 12, 31), float("nan"), True),
            (8, 10, 1, "Ada", _money("4000.00"), date(2020, 3, 1), 4.5, False),
        ],
    ),
    "docs": _table(
        {"id": pa.int32(), "doc": pa.string(), "word": pa.string()},
        [
            (1, '{"a": 1}', "x"), (2, "[1, 2]", "[1]"), (3, None, "2"), (4, '"s"', "q"),
            (5, '{"a": {"b": [1, null]}, "c": 2.50}', None), (6, "null", '"'), (7, " [1, 2]", "null"), (8, "[1, 2]", "x"),
        ],
    ),
    "dept": _table(
        {"id": pa.int32(), "title": pa.string(), "city": pa.string(), "budget": pa.int64()},
        [
            (10, "Research", "Oslo", 100000), (20, "Sales", None, 5000), (30, "Ärger", "Köln", None),
            (40, "Nobody", "Oslo", 0), (None, "Ghost", "Rome", 7),
        ],
    ),
    "n": _table(
        {"k": pa.int32(), "v": pa.int64()},
        [(1, 10), (1, 10), (1, None), (2, 20), (2, 21), (3, None), (None, 5), (None, None), (4, -7)],
    ),
    "m": _table(
        {"k": pa.int64(), "w": pa.string()},
        [(1, "a"), (1, "b"), (2, "b"), (None, "z"), (5, "e"), (3, None), (2, "b")],
    ),
    "empty": _table({"k": pa.int32(), "v": pa.string(), "d": pa.decimal128(8, 2)}, []),
    "big": _table(
        {"id": pa.int32(), "x": pa.decimal128(38, 4), "y": pa.decimal128(18, 2), "z": pa.int64()},
        [
            (1, _money("123456789012345678901234567890.1234"), _money("9999999999999999.99"), 2**62),
            (2, _money("-123456789012345678901234567890.1234"), _money("-9999999999999999.99"), -(2**62)),
            (3, _money("0.0001"), _money("0.01"), 1),
            (4, None, None, None),
            (5, _money("9999999999999999999999.9999"), _money("9999999999999999.99"), 2**62),
            (6, _money("-0.5000"), _money("2.50"), 2**62 - 1),
        ],
    ),
    # One value a column, at times beside NULL, or NULL alone.
    "flat": _table(
        {
            "id": pa.int32(), "huge": pa.decimal128(38, 10), "least": pa.int64(), "small": pa.uint16(), "none": pa.int32(),
            "nothing": pa.uint32(), "word": pa.string(),
        },
        [
            (1, _money("1e25"), None, 7, None, None, "a"), (2, _money("1e25"), -(2**63), 7, None, None, "a"),
            (3, _money("1e25"), -(2**63), 7, None, None, "a"),
        ],
    ),
    "events": _table(
        {"id": pa.int32(), "day": pa.date32(), "moment": pa.timestamp("us"), "kind": pa.string(), "amount": pa.float32()},
        [
            (1, date(2024, 2, 29), datetime(2024, 2, 29, 23, 59, 59, 999999), "open", 1.5),
            (2, date(2024, 12, 31), datetime(2024, 12, 31, 0, 0, 0), "close", -2.25),
            (3, date(1970, 1, 1), datetime(1970, 1, 1, 0, 0, 1), "open", 0.0),
            (4, date(1899, 12, 31), datetime(1899, 12, 31, 12, 30, 0), "", None),
            (5, None, None, None, 100.0),
            (6, date(2023, 3, 31), datetime(2023, 3, 31, 8, 5, 3, 250000), "open_close", 7.0),
            (7, date(2024, 2, 29), datetime(2024, 2, 29, 0, 0, 0), "100%", 7.0),
        ],
    ),
    # Bytes, and what text spells of them.
    "raw": _table(
        {"id": pa.int32(), "b": pa.binary(), "c": pa.binary(2), "s": pa.string(), "n": pa.int64(), "u": pa.uint64()},
        [
            (1, b"abc", b"ab", "a", 1, 1), (2, b"\xff\x00", b"cd", None, 2, 2), (3, None, None, "\\xAB", 3, None),
            (4, b"", b"zz", "zz", -1, 0), (5, b"abc", b"ab", "x", None, 7), (6, b"z'\\", b"aa", "abc", 300, 2**64 - 1),
            (7, b"\xe2\x82b\xf0\x9f", None, "\u00e9", -(2**63), 2**63), (8, b"\xc3\xa4", b"\xc3\xa4", "6162", 2**63 - 1, 15),
        ],
    ),
    # The same 128 bits twice, the least, the greatest, and some that fit 64 bits less 2**127.
    "tags": _table(
        {"id": pa.int32(), "u": pa.uuid(), "s": pa.string(), "k": pa.string()},
        [
            (1, UUID("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"), "{A0EEBC99-9c0b-4ef8-bb6d-6bb9bd380a11}", "a"),
            (2, UUID(int=0), "ffffffffffffffffffffffffffffffff", "b"), (3, None, "x", "a"), (4, UUID(int=2**128 - 1), None, "b"),
            (5, UUID("019482e4-1441-7aad-8127-eec99573b0a0"), "80000000-0000-0000-0000-000000000005", "a"),
            (6, UUID("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"), "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1", "b"),
            (7, UUID(int=2**127 + 5), "-80000000-0000-0000-0000-00000-0000-005-", None),
        ],
    ),
    "vec": _table(
        {
            "id": pa.int32(), "k": pa.int32(), "v": pa.list_(pa.float32(), 3), "w": pa.list_(pa.float64(), 3),
            "n": pa.list_(pa.int32(), 3),
        },
        [
            (1, 1, [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1, 2, 3]),
            (2, 1, None, [0.0, 0.0, 0.0], [4, 5, 6]),
            (3, 2, [0.0, 0.0, 0.0], None, None),
            (4, 2, [float("nan"), 1.0, 2.0], [1.0, float("inf"), 2.0], [7, 8, 9]),
            (5, 3, [1.0, 2.0, 3.0], [-1.5, 0.25, 8.0], [1, 2, 3]),
            (6, None, [-0.0, 0.0, 0.0], [1e-200, 1e200, 0.0], [-3, 0, 2]),
            (7, 3, [1e30, 1.0, -1e30], [1.0, 2.0, 2.5], [1, 2, 4]),
        ],
    ),
    "q": _table(
        {"qid": pa.int32(), "v": pa.list_(pa.float32(), 3)}, [(1, [1.0, 0.0, 0.0]), (2, [0.5, -1.0, 2.0]), (3, None)]
    ),
}  # fmt: skip
