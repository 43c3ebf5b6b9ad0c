"""Objects of Arrow, pandas and polars, a kind each: the types and values that DuckDB reads in them."""

from __future__ import annotations

import datetime as dt
import math
import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tqp
from tqp.errors import SourceError

DAY, TIME, MOMENT = dt.date(2020, 1, 2), dt.time(1, 2, 3), dt.datetime(2020, 1, 2, 3, 4, 5)
ID = uuid.UUID(int=5)


def runs(values: pa.Array, width: pa.DataType) -> pa.Array:
    return pa.RunEndEncodedArray.from_arrays(pa.array([2, 5], width), values)


def lists(values: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays([0, 1, 2], values)


ARROW: dict[str, pa.Array | pa.ChunkedArray] = {
    "structs of other structs": pa.array([{"a": {"b": [1]}}, None]),
    "no fields": pa.array([{}, None], pa.struct([])),
    "a list of no fields": pa.array([[{}], None], pa.list_(pa.struct([]))),
    "dictionaries in lists": pa.array([["a", "b"], None, ["a", None]], pa.list_(pa.dictionary(pa.int8(), pa.string()))),
    "dictionaries in structs": pa.StructArray.from_arrays([pa.array(["a", "b"]).dictionary_encode()], names=["d"]),
    "a dictionary of integers": pa.array([1, 2, 1, None]).dictionary_encode(),
    "a dictionary of lists": pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, None]), pa.array([[1], [2, 3]])),
    "a dictionary of structs": pa.DictionaryArray.from_arrays(pa.array([0, 1, None]), pa.array([{"a": 1}, {"a": 2}])),
    "a dictionary with NULL": pa.DictionaryArray.from_arrays(pa.array([0, 1, None]), pa.array(["a", None])),
    "a dictionary that repeats": pa.DictionaryArray.from_arrays(pa.array([0, 1, None]), pa.array(["a", "a"])),
    "an empty dictionary": pa.DictionaryArray.from_arrays(pa.array([None], pa.int8()), pa.array([], pa.string())),
    "a dictionary of views": pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["b", "a"], pa.string_view())),
    "dictionaries that differ": pa.chunked_array([pa.array(["b"]).dictionary_encode(), pa.array(["a"]).dictionary_encode()]),
    "runs of texts": runs(pa.array(["a", None]), pa.int32()),
    "runs of numbers": runs(pa.array([1.5, 2]), pa.int64()).slice(1, 3),
    "runs in lists": pa.ListArray.from_arrays([0, 2, 5], runs(pa.array([1, 2]), pa.int16())),
    "runs in structs": pa.StructArray.from_arrays([runs(pa.array([1, 2]), pa.int32())], names=["r"]),
    "list views": pa.ListViewArray.from_arrays(pa.array([2, 0], pa.int32()), pa.array([1, 2], pa.int32()), pa.array([1, 2, 3])),
    "list views of views": pa.array([["a", "b"], None, []], pa.list_view(pa.string_view())),
    "large list views": pa.array([[1], None], pa.large_list_view(pa.int64())),
    "large lists": pa.array([[1, 2], None, []], pa.large_list(pa.int32())),
    "arrays of texts": pa.array([["a", None], None, ["b", "c"]], pa.list_(pa.string(), 2)),
    "arrays in lists": pa.array([[["a", "b"]], None], pa.list_(pa.list_(pa.string(), 2))),
    "views": pa.array(["a", None, "a text that is not inline"], pa.string_view()),
    "views of bytes": pa.array([b"a", None, b"bytes that are not inline"], pa.binary_view()),
    "bytes of one length": pa.array([b"ab", None], pa.binary(2)),
    "decimals of 32 bits": pa.array([Decimal("0.1"), None], pa.decimal32(4, 1)),
    "decimals of 64 bits": pa.array([Decimal("12.5"), None], pa.decimal64(18, 2)),
    "decimals in lists": pa.array([[Decimal("0.1")], None], pa.list_(pa.decimal32(4, 1))),
    "intervals": pa.array([pa.MonthDayNano([1, 2, 3000]), None], pa.month_day_nano_interval()),
    "intervals in lists": pa.array([[pa.MonthDayNano([1, 2, 3000])], None], pa.list_(pa.month_day_nano_interval())),
    **{f"lengths in {unit}": pa.array([1500, None], pa.duration(unit)) for unit in ("s", "ms", "us")},
    **{
        f"times in {unit} at {zone}": pa.array([1500000000, None], pa.timestamp(unit, zone))
        for unit in ("s", "ms", "us", "ns")
        for zone in (None, "UTC", "+02:00", "-05:30", "Europe/Berlin")
    },
    "times with an offset in lists": pa.array([[1500000000], None], pa.list_(pa.timestamp("us", "+02:00"))),
    "days in milliseconds": pa.array([86400000 * 3, None], pa.date64()),
    "NULLs in lists": pa.array([[None], None, []], pa.list_(pa.null())),
    "NULLs in structs": pa.array([{"a": None}, None], pa.struct([("a", pa.null())])),
    "NULLs in maps": pa.array([[("a", None)]], pa.map_(pa.string(), pa.null())),
    "chunks without rows": pa.chunked_array([pa.array([], pa.int64()), pa.array([1, 2]), pa.array([], pa.int64())]),
    **{
        f"no chunks of {kind}": pa.chunked_array([], kind)
        for kind in (
            pa.list_(pa.int64()), pa.struct([("a", pa.int64())]), pa.map_(pa.string(), pa.int64()), pa.string_view(),
            pa.list_view(pa.int8()), pa.month_day_nano_interval(), pa.run_end_encoded(pa.int32(), pa.string()),
        )
    },
    "maps of structs": pa.array([[("a", {"b": 1})], None], pa.map_(pa.string(), pa.struct([("b", pa.int64())]))),
    "maps of coded keys": pa.array([[("a", 1)]], pa.map_(pa.dictionary(pa.int8(), pa.string()), pa.int64())),
    "UUIDs in lists": lists(pa.array([ID.bytes, None], pa.uuid())),
    "JSON in lists": lists(pa.array(['{"a":1}', None], pa.json_())),
    "bool8 in lists": lists(pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, None], pa.int8()))),
    "opaque texts in lists": lists(pa.ExtensionArray.from_storage(pa.opaque(pa.string(), "x", "y"), pa.array(["a", None]))),
}  # fmt: skip

PANDAS: dict[str, Callable[[], Any]] = {
    "days": lambda: [DAY, None],
    "days and times": lambda: [DAY, MOMENT],
    "times and days": lambda: [MOMENT, DAY],
    "times of day": lambda: [TIME, None],
    "times with a zone": lambda: [MOMENT.replace(tzinfo=dt.UTC), None],
    "lengths of time": lambda: [dt.timedelta(1), None],
    "decimals": lambda: [Decimal("1.5"), None, Decimal("2.25")],
    "decimals and integers": lambda: [Decimal("1.5"), 2],
    "integers and floats": lambda: [1, 2.5],
    "integers and NaN": lambda: [1, float("nan")],
    "integers and NA": lambda: [1, pd.NA],
    "integers and NaT": lambda: [1, pd.NaT],
    "truths and NULL": lambda: [True, None],
    "large integers": lambda: [2**70, 1],
    "UUIDs": lambda: [ID, None],
    "bytes": lambda: [b"a", None],
    "lists": lambda: [[1, 2], None, []],
    "lists of NULL": lambda: [[None], [None, 1]],
    "lists of lists": lambda: [[[1], [2]], [[]]],
    "tuples": lambda: [(1, 2), (3,)],
    "dicts": lambda: [{"a": 1}, {"a": 2}],
    "dicts of other keys": lambda: [{"a": 1}, {"b": "x"}],
    "dicts of integers": lambda: [{1: "a", 2: "b"}],
    "dicts of keys and values": lambda: [{"key": ["a", "b"], "value": [1, 2]}],
    "dicts of lists": lambda: [{"a": {"b": [1, 2]}}],
    "an empty dict and another": lambda: [{}, {"a": 1}],
    "lists of dicts": lambda: [[{"a": 1}, {"a": 2}]],
    "NumPy's days": lambda: [np.datetime64("2020-01-01"), None],
    "late NULLs": lambda: [None] * 2000 + [1.5],
    **{f"dtype {kind}": lambda kind=kind: pd.Series(["a", None, "b"], dtype=kind) for kind in ("str", "string", "category")},
    **{
        f"dtype {kind}": lambda kind=kind: pd.Series([1, None, 0], dtype=kind)
        for kind in ("Int8", "UInt64", "Float32", "boolean")
    },
    "Arrow's offsets": lambda: pd.Series([MOMENT, None], dtype=pd.ArrowDtype(pa.timestamp("us", "+02:00"))),
    "Arrow's maps": lambda: pd.Series([[("a", 1)], None], dtype=pd.ArrowDtype(pa.map_(pa.string(), pa.int64()))),
    "periods": lambda: pd.Series(pd.period_range("2020-01", periods=2, freq="M")),
    "ranges": lambda: pd.Series(pd.interval_range(0, 2)),
    "sparse": lambda: pd.Series(pd.arrays.SparseArray([0, 0, 1])),
    "times of a zone": lambda: pd.Series(pd.to_datetime(["2020-01-01", None])).dt.tz_localize("Europe/Berlin"),
    "half floats": lambda: pd.Series([1.5, None], dtype="float16"),
    "complex numbers": lambda: pd.Series([1j, 2]),
}  # fmt: skip

POLARS: dict[str, Callable[[], pl.Series]] = {
    "categories": lambda: pl.Series(["a", None], dtype=pl.Categorical),
    "enums": lambda: pl.Series(["a", None], dtype=pl.Enum(["b", "a"])),
    "lists of categories": lambda: pl.Series([["a"], None], dtype=pl.List(pl.Categorical)),
    "structs": lambda: pl.Series([{"a": 1, "b": [1]}, None]),
    "no fields": lambda: pl.Series([{}], dtype=pl.Struct([])),
    "arrays": lambda: pl.Series([[1, 2], None], dtype=pl.Array(pl.Int64, 2)),
    "arrays of arrays": lambda: pl.Series([[[1, 2], [3, 4]]], dtype=pl.Array(pl.Int64, (2, 2))),
    "decimals": lambda: pl.Series([Decimal("1.5"), None]),
    "times of day": lambda: pl.Series([TIME, None]),
    "lengths of time": lambda: pl.Series([dt.timedelta(1), None]),
    "times of a zone": lambda: pl.Series([MOMENT, None], dtype=pl.Datetime("ns", "Europe/Berlin")),
    "bytes": lambda: pl.Series([b"a", None]),
    "NULLs": lambda: pl.Series([None, None]),
}


def plain(value: Any) -> Any:
    """A value that equals itself."""
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


def told(side: Any, table: Any) -> tuple[list[str], Any] | str:
    """The types and the rows; or that there is an error."""
    try:
        side.register("t", table)
        found = side.sql("FROM t")
        return [str(kind).replace('"NULL"', "NULL") for kind in found.types], plain(found.fetchall())
    except (duckdb.Error, tqp.errors.TqpError) as error:
        assert "bug" not in str(error)
        return "an error"


def same(table: Any) -> None:
    with duckdb.connect() as oracle, tqp.connect(threads=1) as con:
        oracle.execute("SET TimeZone = 'UTC'")
        con.execute("SET TimeZone = 'UTC'")
        assert told(con, table) == told(oracle, table)


@pytest.mark.parametrize("kind", ARROW)
def test_arrow(kind: str) -> None:
    same(pa.table({"x": ARROW[kind]}))


@pytest.mark.parametrize("kind", PANDAS)
def test_pandas(kind: str) -> None:
    values = PANDAS[kind]()
    same(pd.DataFrame({"x": values if isinstance(values, pd.Series) else pd.Series(values, dtype=object)}))


@pytest.mark.parametrize("kind", POLARS)
def test_polars(kind: str) -> None:
    same(pl.DataFrame({"x": POLARS[kind]()}))


@pytest.mark.parametrize("kind", ["Arrow", "Parquet", "lists of maps"])
def test_maps_of_keys_that_repeat(kind: str, tmp_path: Any) -> None:
    maps = pa.array([[("a", 1), ("b", 2)], None, [("a", 1), ("a", 2)]], pa.map_(pa.string(), pa.int64()))
    values = pa.ListArray.from_arrays([0, 1, 2, 3], maps) if kind == "lists of maps" else maps
    table = pa.table({"x": values, "y": [1, 2, 3]})
    con = tqp.connect(threads=1)
    if kind == "Parquet":
        pq.write_table(table, tmp_path / "x.parquet")
        con.sql(f"FROM '{tmp_path}/x.parquet'").create_view("t")
    else:
        con.register("t", table)
    assert con.sql("SELECT max(y) FROM t").fetchall() == [(3,)]
    with pytest.raises(SourceError, match="'x.*' cannot be read: the keys of a map are not all different"):
        con.sql("SELECT x FROM t").fetchall()
