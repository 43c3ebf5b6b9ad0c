"""Arrow in and out: exact round trips, narrow storage, NULLs, wide values, refusals."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any

import pandas
import pyarrow as pa
import pytest
import torch

import tqp
from tqp import types
from tqp.data.column import Column
from tqp.data.layout import Encoding
from tqp.data.table import Table
from tqp.errors import ExecutionError, SourceError, UnsupportedError
from tqp.io.arrow import column_from_arrow
from tqp.io.export import column_to_arrow, table_to_arrow

CPU = torch.device("cpu")

EXACT: list[tuple[str, pa.DataType, list[Any]]] = [
    ("bool", pa.bool_(), [True, False, True]),
    *[(str(kind), kind, [1, 0, 100]) for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64())],
    *[(str(kind), kind, [1, 0, 100]) for kind in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())],
    ("int64 limits", pa.int64(), [-(2**63), 2**63 - 1, 0]),
    ("uint8 limits", pa.uint8(), [0, 255, 128]),
    ("uint64 limits", pa.uint64(), [0, 2**64 - 1, 2**63]),
    ("float", pa.float32(), [1.5, -0.0, float("inf")]),
    ("double", pa.float64(), [1.5, -0.0, float("-inf")]),
    ("decimal", pa.decimal128(15, 2), [Decimal("1.25"), Decimal("-9999999999999.99"), Decimal(0)]),
    ("decimal 38 narrow", pa.decimal128(38, 4), [Decimal("1.2500"), Decimal("-3.0000"), Decimal(0)]),
    ("decimal 38 wide", pa.decimal128(38, 0), [Decimal(10**38 - 1), Decimal(-(10**38) + 1), Decimal(-1)]),
    ("decimal 19 edge", pa.decimal128(19, 0), [Decimal(2**63 - 1), Decimal(-(2**63)), Decimal(2**63)]),
    ("date", pa.date32(), [date(1, 1, 1), date(1970, 1, 1), date(9999, 12, 31)]),
    ("time", pa.time64("us"), [time(0), time(23, 59, 59, 999999), time(12)]),
    ("timestamp", pa.timestamp("us"), [datetime(1, 1, 1), datetime(2020, 2, 29, 1, 2, 3, 4), datetime(9999, 1, 1)]),
    ("interval", pa.month_day_nano_interval(), [(1, -2, 3000), (0, 0, 0), (-12, 5, -7_000)]),
    ("string", pa.string(), ["b", "", "ä€😀"]),
]


@pytest.mark.parametrize(("kind", "values"), [case[1:] for case in EXACT], ids=[case[0] for case in EXACT])
@pytest.mark.parametrize("nulls", ["none", "some", "all", "empty", "chunks", "sliced"])
def test_round_trip(kind: pa.DataType, values: list[Any], nulls: str) -> None:
    source = pa.chunked_array([pa.array(values, kind)])
    if nulls == "some":
        source = pa.chunked_array([pa.array([None, *values, None], kind)])
    elif nulls == "all":
        source = pa.chunked_array([pa.nulls(3, kind)])
    elif nulls == "empty":
        source = pa.chunked_array([], kind)
    elif nulls == "chunks":
        chunks = [pa.array(values[:1], kind), pa.array([], kind), pa.array([None, *values[1:]], kind)]
        source = pa.chunked_array(chunks)
    elif nulls == "sliced":
        source = pa.chunked_array([pa.array([values[0]] * 5 + [None] * 6 + values, kind).slice(9)])
    column = column_from_arrow(source)
    result = column_to_arrow(column, len(source))
    assert result.type == kind
    assert result.to_pylist() == source.to_pylist()
    result.validate(full=True)
    assert (column.valid is None) == (source.null_count == 0)


@pytest.mark.parametrize(
    ("values", "kind", "width", "bounds"),
    [
        ([-128, 127], pa.int64(), torch.int8, (-128, 127)),
        ([-129, 0], pa.int64(), torch.int16, (-129, 0)),
        ([0, 255], pa.uint8(), torch.int16, (0, 255)),
        ([None, 5, 300], pa.int32(), torch.int16, (5, 300)),
        ([None, None], pa.int64(), torch.int8, (0, 0)),
        ([2**31], pa.uint32(), torch.int64, (2**31, 2**31)),
        ([Decimal("0.07"), Decimal("0.10")], pa.decimal128(15, 2), torch.int8, (7, 10)),
        ([Decimal("1.0"), None], pa.decimal128(38, 1), torch.int8, (10, 10)),
        ([date(1992, 1, 1), date(1998, 12, 31)], pa.date32(), torch.int16, (8035, 10591)),
        ([Decimal(1)], pa.decimal32(5, 0), torch.int8, (1, 1)),
        ([Decimal(2**40)], pa.decimal64(15, 0), torch.int64, (2**40, 2**40)),
    ],
)
def test_storage_is_the_narrowest(
    values: list[Any], kind: pa.DataType, width: torch.dtype, bounds: tuple[int, int]
) -> None:
    column = column_from_arrow(pa.array(values, kind))
    assert (column.data.dtype, column.bounds) == (width, bounds)
    assert bounds[0] <= int(column.data.min()) <= int(column.data.max()) <= bounds[1]


def test_wide_values_have_limbs_and_bounds() -> None:
    column = column_from_arrow(pa.array([2**64 - 1, None, 3], pa.uint64()))
    assert column.data.tolist() == [[0, -1], [0, 3], [0, 3]]
    assert column.bounds == (3, 2**64 - 1)
    assert column.is_wide
    column = column_from_arrow(pa.array([Decimal(-(2**70)), Decimal(2**70 + 5)], pa.decimal128(38, 0)))
    assert column.data.tolist() == [[-64, 0], [64, 5]]
    assert column.bounds == (-(2**70), 2**70 + 5)


def test_text_has_a_sorted_dictionary_of_what_occurs() -> None:
    column = column_from_arrow(pa.array(["b", None, "a", "b"]))
    assert column.dictionary is not None and column.dictionary.is_sorted
    assert column.dictionary.values.to_pylist() == ["a", "b"]
    assert (column.data.tolist(), column.data.dtype, column.bounds) == ([1, 0, 0, 1], torch.int8, (0, 1))
    coded = pa.DictionaryArray.from_arrays(pa.array([2, 0, None, 2]), pa.array(["b", "unused", "a"]))
    column = column_from_arrow(coded)
    assert column.dictionary is not None and column.dictionary.values.to_pylist() == ["a", "b"]
    assert column_to_arrow(column, 4).to_pylist() == ["a", "b", None, "a"]
    repeated = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["x", None, "x"]))
    column = column_from_arrow(repeated)
    assert column_to_arrow(column, 3).to_pylist() == ["x", None, "x"]
    differing = pa.chunked_array([pa.array(["b", "a"]).dictionary_encode(), pa.array(["c", "a"]).dictionary_encode()])
    assert column_to_arrow(column_from_arrow(differing), 4).to_pylist() == ["b", "a", "c", "a"]


def test_near_unique_text_stays_in_row_order() -> None:
    values = [f"row {place}" if place % 7 else None for place in range(120_000)]
    column = column_from_arrow(pa.chunked_array([values[:50_000], values[50_000:]]))
    assert column.dictionary is not None and not column.dictionary.is_sorted
    assert column.data.dtype is torch.int32 and len(column.dictionary) == len(values)
    assert column_to_arrow(column, len(values)).to_pylist() == values
    repeating = pa.array([f"{place % 50_000}" for place in range(120_000)])
    dictionary = column_from_arrow(repeating).dictionary
    assert dictionary is not None and dictionary.is_sorted and len(dictionary) == 50_000


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
)
def test_all_kinds_of_text(kind: pa.DataType) -> None:
    values = (
        pa.array(["x", None, "y", "x"]).cast(pa.string()).dictionary_encode() if pa.types.is_dictionary(kind) else None
    )
    array = pa.array(["x", None, "y", "x"], kind) if values is None else values
    assert column_to_arrow(column_from_arrow(array), 4).to_pylist() == ["x", None, "y", "x"]


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (pa.array([1500, None, -1], pa.timestamp("s", "UTC")), [1_500_000_000, None, -1_000_000]),
        (pa.array([1500, None, -1], pa.timestamp("s")), [1500, None, -1]),
        (pa.array([1500, None, -1], pa.timestamp("ms")), [1500, None, -1]),
        (pa.array([3001, None, -1], pa.timestamp("ns")), [3001, None, -1]),
        (pa.array([1500], pa.timestamp("ms", "Europe/Berlin")), [1_500_000]),
        (pa.array([3001, None, -1], pa.timestamp("ns", "UTC")), [3001, None, -1]),
        (pa.array([7], pa.time32("s")), [7_000_000]),
        (pa.array([7001, None], pa.time64("ns")), [7001, None]),
        (pa.array([7], pa.time64("us")), [7]),
        (pa.array([86_400_000, None], pa.date64()), [1, None]),
        (pa.array([1.5, None], pa.float16()), [1.5, None]),
        (pa.DictionaryArray.from_arrays(pa.array([1, 0, None]), pa.array([10, 20])), [20, 10, None]),
    ],
)
def test_other_units(array: pa.Array, expected: list[Any]) -> None:
    column = column_from_arrow(array)
    valid = [True] * len(array) if column.valid is None else column.valid.tolist()
    assert [value if known else None for value, known in zip(column.data.tolist(), valid, strict=True)] == expected


def test_duration_is_an_interval() -> None:
    column = column_from_arrow(pa.array([5, None], pa.duration("ms")))
    assert column.dtype == types.INTERVAL
    assert column.data.tolist() == [[0, 0, 5000], [0, 0, 0]]


@pytest.mark.parametrize(
    "array",
    [
        pa.array([2**62], pa.timestamp("s", "UTC")),
        pa.array([-(2**63)], pa.timestamp("s")),
        pa.array([5], pa.duration("ns")),
    ],
)
def test_times_that_would_change_are_refused(array: pa.Array) -> None:
    with pytest.raises(SourceError, match="'when'"):
        column_from_arrow(array, "when")


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.decimal256(50, 2)),
        pa.struct([("a", pa.month_day_nano_interval()), ("b", pa.decimal256(50, 2))]),
        pa.decimal256(50, 2),
        pa.decimal128(5, -1),
    ],
)
def test_types_without_layout_are_refused(kind: pa.DataType) -> None:
    with pytest.raises(UnsupportedError, match="'odd'"):
        column_from_arrow(pa.nulls(2, kind), "odd")


def test_null_rows_in_garbage_buffers() -> None:
    values = pa.py_buffer(torch.tensor([5, -(2**60), 7], device="cpu").numpy())
    array = pa.Array.from_buffers(pa.int64(), 3, [pa.py_buffer(bytes([0b101])), values])
    column = column_from_arrow(array)
    assert column.data.dtype is torch.int8 and column.bounds == (5, 7)


def test_hugeint_beyond_38_digits() -> None:
    limbs = torch.tensor([[2**63 - 1, -1], [0, 5]], device="cpu")
    column = Column(limbs, types.HUGEINT, None, None, (5, 2**127 - 1), Encoding.WIDE)
    with pytest.raises(ExecutionError, match="38 digits"):
        column_to_arrow(column, 2)
    known = torch.tensor([False, True], device="cpu")
    assert column_to_arrow(column.with_valid(known), 2).to_pylist() == [None, Decimal(5)]


def test_constants_are_repeated_and_names_may_repeat() -> None:
    one = Column(torch.tensor(7, dtype=torch.int8, device="cpu"), types.BIGINT, None, None, (7, 7))
    table = table_to_arrow(Table(("a", "a"), (one, one), 3))
    assert table.column_names == ["a", "a"]
    assert table.column(1).to_pylist() == [7, 7, 7]


def test_nanoseconds_with_a_time_zone() -> None:
    array = pa.array([1_500_000_001, None, -1], pa.timestamp("ns", "UTC"))
    con = tqp.connect(threads=1)
    con.register("t", pa.table({"x": array}))
    assert con.sql("SELECT x FROM t").types == ["TIMESTAMPTZ_NS"]
    assert con.sql("SELECT x FROM t").arrow().column("x").combine_chunks().equals(array)
    assert con.sql("SELECT x FROM t").df()["x"].astype("int64").tolist()[::2] == [1_500_000_001, -1]
    assert con.sql("SELECT x::VARCHAR FROM t").fetchall()[0] == ("1970-01-01 00:00:01.500000001+00",)


def test_nanoseconds_of_pandas_with_a_time_zone() -> None:
    con = tqp.connect(threads=1)
    series = pandas.Series(pandas.to_datetime([3000, 5000], unit="ns", utc=True)).astype("datetime64[ns, UTC]")
    con.register("t", pandas.DataFrame({"x": series}))
    assert con.sql("SELECT x FROM t").types == ["TIMESTAMP WITH TIME ZONE"]
    assert con.sql("SELECT epoch_us(x) FROM t").fetchall() == [(3,), (5,)]
    con.register("u", pandas.DataFrame({"x": series + pandas.Timedelta(1, "ns")}))
    with pytest.raises(SourceError, match="nanoseconds"):
        con.sql("SELECT x FROM u").fetchall()


def test_times_with_an_offset() -> None:
    con = tqp.connect(threads=1)
    con.sql("CREATE TABLE t (x TIMETZ, n INTEGER)")
    con.sql("INSERT INTO t VALUES ('10:00:00.5+02:30', 1), (NULL, 2), ('24:00:00+01', 3)")
    table = con.sql("SELECT x FROM t ORDER BY n")
    early = time(10, 0, 0, 500_000, timezone(timedelta(hours=2, minutes=30)))
    assert table.types == ["TIME WITH TIME ZONE"]
    assert table.fetchall() == [(early,), (None,), ("24:00:00+01",)]
    assert table.arrow().column("x").to_pylist() == ["10:00:00.5+02:30", None, "24:00:00+01"]
    assert table.df()["x"].tolist() == [early, None, "24:00:00+01"]
    con.register("again", con.sql("SELECT x FROM t").torch())
    assert con.sql("SELECT x FROM again").types == ["TIME WITH TIME ZONE"]
    assert con.sql("SELECT count(*) FROM t JOIN again ON t.x = again.x").fetchall() == [(2,)]
    assert con.sql("SELECT n FROM t WHERE x = ?", [early]).fetchall() == [(1,)]
    assert con.sql("SELECT x FROM t").verify()


def test_offsets_where_the_session_has_a_zone() -> None:
    con = tqp.connect(threads=1, time_zone="Europe/Berlin")
    query = "SELECT TIMETZ '10:00:00-01'::VARCHAR, (TIMESTAMPTZ '2020-07-01 10:00:00+00')::TIMETZ::VARCHAR, TRY_CAST('x' AS TIMETZ)"
    assert con.sql(query).fetchall() == [("10:00:00-01", "12:00:00+02", None)]
    # Without an offset it would be that of the day of the query.
    for text in ("SELECT '10:00:00'::TIMETZ", "SELECT TRY_CAST('10:00:00' AS TIMETZ)", "SELECT ['10:00:00']::TIMETZ[]"):
        with pytest.raises(ExecutionError, match="no offset"):
            con.sql(text).fetchall()
    with pytest.raises(UnsupportedError, match="offset"):
        con.sql("SELECT TIME '10:00:00'::TIMETZ").fetchall()


def test_bits() -> None:
    con = tqp.connect(threads=1)
    con.sql("CREATE TABLE t (x BIT)")
    con.sql("INSERT INTO t VALUES ('0101'), (NULL)")
    assert con.sql("FROM t").types == ["BIT"]
    assert con.sql("FROM t").arrow().column("x").to_pylist() == ["0101", None]
    assert con.sql("FROM t").fetchall() == [("0101",), (None,)]
    con.register("again", con.sql("FROM t").torch())
    assert con.sql("SELECT ~x FROM again").fetchall() == [("1010",), (None,)]
    assert con.sql("FROM t").verify()
