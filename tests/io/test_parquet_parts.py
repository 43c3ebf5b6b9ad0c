"""Parquet columns read in parts: the same columns, whatever the row groups, the footers and who reads which part."""

from __future__ import annotations

import datetime
import decimal
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tqp
from tqp.data import statistics
from tqp.data.column import Column
from tqp.data.stored import StoredTable
from tqp.errors import SourceError
from tqp.io import parquet
from tqp.io.arrow import column_from_arrow
from tqp.io.files import parquet_source
from tqp.io.parts import FixedColumn, has_fixed_size

KINDS: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.int8(): st.integers(-128, 127),
    pa.int32(): st.one_of(st.integers(-5, 5), st.integers(-(2**31), 2**31 - 1)),
    pa.int64(): st.one_of(st.integers(0, 200), st.integers(-(2**63), 2**63 - 1)),
    pa.uint32(): st.integers(0, 2**32 - 1),
    pa.uint64(): st.integers(0, 2**64 - 1),
    pa.decimal128(9, 2): st.integers(-(10**9) + 1, 10**9 - 1).map(lambda n: decimal.Decimal(n).scaleb(-2)),
    pa.decimal128(18, 0): st.integers(-(10**18) + 1, 10**18 - 1).map(decimal.Decimal),
    pa.decimal128(30, 3): st.integers(-(10**25), 10**25).map(lambda n: decimal.Decimal(n).scaleb(-3)),
    pa.date32(): st.dates(datetime.date(1970, 1, 1)),
    pa.timestamp("us"): st.datetimes(datetime.datetime(1900, 1, 1)),
    pa.timestamp("ms"): st.integers(-(10**12), 10**12),
    pa.timestamp("ns"): st.integers(-(2**63) + 1, 2**63 - 1),
    pa.time64("us"): st.times(),
    pa.bool_(): st.booleans(),
    pa.float32(): st.floats(width=32, allow_nan=False),
    pa.float64(): st.floats(),
    pa.string(): st.text("ab\u00e9", max_size=3),
    pa.large_string(): st.text(max_size=3),
}


def same(found: Column, expected: Column) -> None:
    assert (found.dtype, found.data.dtype, found.bounds) == (expected.dtype, expected.data.dtype, expected.bounds)
    assert (found.valid is None) == (expected.valid is None)
    if found.valid is not None and expected.valid is not None:
        assert found.valid.tolist() == expected.valid.tolist()
    assert str(found.data.tolist()) == str(expected.data.tolist())
    if expected.dictionary is not None and found.dictionary is not None:
        assert found.dictionary.values.equals(expected.dictionary.values)
    one, other = statistics.compute(found), statistics.compute(expected)
    assert one == other


@given(st.data())
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_columns_are_those_of_reading_all_at_once(tmp_path: Path, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(list(KINDS)))
    values = st.one_of(st.none(), KINDS[kind]) if data.draw(st.booleans()) else KINDS[kind]
    files = [pa.array(data.draw(st.lists(values, max_size=30)), kind) for _ in range(data.draw(st.integers(1, 3)))]
    paths = []
    for place, array in enumerate(files):
        paths.append(tmp_path / f"{place}.parquet")
        pq.write_table(
            pa.table({"other": pa.nulls(len(array)), "x": array}),
            paths[-1],
            row_group_size=data.draw(st.integers(1, 12)),
            write_statistics=data.draw(st.booleans()),
            use_dictionary=data.draw(st.booleans()),
            store_decimal_as_integer=data.draw(st.booleans()),
            store_schema=True,
        )
    source = parquet_source(paths)
    reader = source.open(source.look().files)
    assert isinstance(reader, parquet.ParquetReader)
    before = parquet._PART_ROWS
    try:
        parquet._PART_ROWS = data.draw(st.sampled_from([1, 7, 100]))  # type: ignore[misc]
        reading = reader.reading("x")
    finally:
        parquet._PART_ROWS = before  # type: ignore[misc]
    parts = list(range(len(reading.parts)))
    found: list[Any] = [None] * len(parts)
    for place in data.draw(st.permutations(parts)):
        found[place] = reading.parts[place]()
    whole = pa.chunked_array(files, kind)
    # A file counts no less than microseconds.
    whole = whole.cast(pa.timestamp("us")) if kind == pa.timestamp("ms") else whole
    same(reading.whole(found), column_from_arrow(whole, "x"))


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_partitions_and_several_files(tmp_path: Path, threads: int) -> None:
    for year in (2023, 2024):
        folder = tmp_path / f"year={year}"
        folder.mkdir()
        table = pa.table({"a": range(year, year + 50), "s": [f"{year}{place % 7}" for place in range(50)]})
        pq.write_table(table, folder / "x.parquet", row_group_size=9)
    con = tqp.connect(threads=threads)
    relation = con.sql(f"SELECT year, s, sum(a) AS total, count(*) AS n FROM '{tmp_path}' GROUP BY ALL ORDER BY ALL")
    relation.verify()
    assert len(relation.fetchall()) == 14


def test_the_parts_are_read_before_the_first_statistics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a query reads is known when columns it does not read are gone, and read then, together; nothing else is."""
    table = pa.table({"k": range(1000), "v": [1.5] * 1000, "unread": ["x"] * 1000})
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=100)
    os.utime(tmp_path / "x.parquet", (1_600_000_000, 1_600_000_000))
    held: list[str] = []
    hold = StoredTable.hold

    def watched(self: StoredTable, name: str, column: Column) -> None:
        held.append(name)
        hold(self, name, column)

    monkeypatch.setattr(StoredTable, "hold", watched)
    con = tqp.connect(threads=2)
    con.register("x", str(tmp_path / "x.parquet"))
    text = "SELECT a.k, sum(b.v) FROM x AS a JOIN x AS b ON a.k = b.k WHERE a.k < 10 GROUP BY a.k"
    assert len(con.sql(text).fetchall()) == 10
    assert sorted(set(held)) == ["k", "v"]
    held.clear()
    assert len(con.sql(text + " HAVING sum(b.v) > 0").fetchall()) == 10
    assert not held


def test_an_error_in_a_part_is_that_of_the_query(tmp_path: Path) -> None:
    """The row that is refused counts from the table's first, whichever part it is in; the connection lives on."""
    bad = pa.array([0] * 150 + [25 * 3_600_000_000] + [0] * 49, pa.int64()).view(pa.time64("us"))
    pq.write_table(pa.table({"t": bad, "a": range(200)}), tmp_path / "x.parquet", row_group_size=40)
    con = tqp.connect(threads=2)
    with pytest.raises(SourceError, match="column 't', row 150"):
        con.sql(f"SELECT min(t), sum(a) FROM '{tmp_path}/x.parquet'").fetchall()
    assert con.sql(f"SELECT sum(a) FROM '{tmp_path}/x.parquet'").fetchall() == [(19900,)]


@pytest.mark.parametrize("is_known", [True, False])
def test_decimals_that_fit_are_decoded_to_64_bits(tmp_path: Path, is_known: bool) -> None:
    values = [decimal.Decimal("1.25"), None, decimal.Decimal("-7.50")]
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"d": pa.array(values, pa.decimal128(15, 2))}), path, store_decimal_as_integer=is_known)
    source = parquet_source(path)
    reader = source.open(source.look().files)
    assert isinstance(reader, parquet.ParquetReader)
    (chunk,) = reader._decoded("d", next(iter(reader._spans())))
    assert chunk.type.bit_width == (64 if is_known else 128)
    same(reader.column("d"), column_from_arrow(pa.array(values, pa.decimal128(15, 2))))


def test_expected_limits_only_choose_a_width() -> None:
    """Values beyond what was expected are seen, and the column is read another way then."""
    array = pa.array([1, 300, None])
    made = FixedColumn(array.type, 3, "x", (0, 10))
    assert made.column([made.fill(0, [array])]) is None
    made = FixedColumn(array.type, 3, "x", (-(10**12), 10**12))
    column = made.column([made.fill(0, [array])])
    assert column is not None
    same(column, column_from_arrow(array))


def test_footers_without_limits_or_with_some(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits of a column are expected where all row groups with values tell them, and then the first width is the last."""
    array = pa.array([1, 2, None, None, 3, 100])
    widths: list[tuple[int, int] | None] = []
    make = FixedColumn.__init__

    def watched(self: FixedColumn, kind: pa.DataType, rows: int, name: str, expected: tuple[int, int] | None) -> None:
        widths.append(expected)
        make(self, kind, rows, name, expected)

    monkeypatch.setattr(FixedColumn, "__init__", watched)
    for place, is_written in enumerate((True, False)):
        path = tmp_path / f"{place}.parquet"
        pq.write_table(pa.table({"x": array}), path, row_group_size=2, write_statistics=is_written)
        source = parquet_source(path)
        same(source.open(source.look().files).column("x"), column_from_arrow(array))
    assert widths == [(1, 100), None]


@pytest.mark.parametrize(
    "kind", [pa.uint64(), pa.timestamp("ns", "UTC"), pa.float16(), pa.decimal128(19, 0), pa.string()]
)
def test_other_types_are_read_whole(kind: pa.DataType) -> None:
    assert not has_fixed_size(kind)


def test_dictionaries_with_bad_text_are_refused_with_their_row(tmp_path: Path) -> None:
    """The strings of a row group are looked at once each; an entry that no row has is no fault of the rows."""
    bad = pa.Array.from_buffers(pa.string(), 3, [*pa.array(["a", "b", "c"]).buffers()[:2], pa.py_buffer(b"a\xffc")])
    indices = pa.array([0, 2, 0, 2, 1, 0] * 50, pa.int32())
    column = pa.DictionaryArray.from_arrays(indices, bad, safe=False)
    pq.write_table(pa.table({"s": column}), tmp_path / "x.parquet", row_group_size=100, store_schema=False)
    with pytest.raises(SourceError, match="column 's', row 4: its text is no valid UTF-8"):
        tqp.connect(threads=2).sql(f"SELECT s FROM '{tmp_path}/x.parquet'").fetchall()


def test_files_that_keep_a_type_differently_are_read_whole(tmp_path: Path) -> None:
    """Also where a value is refused in one of them, after which all are read at once."""
    kind = pa.decimal128(9, 2)
    values = [pa.array([decimal.Decimal("1.25")], kind), pa.array([decimal.Decimal("-7.50"), None], kind)]
    for place, array in enumerate(values):
        pq.write_table(pa.table({"d": array}), tmp_path / f"{place}.parquet", store_decimal_as_integer=place == 0)
    source = parquet_source(tmp_path)
    reader = source.open(source.look().files)
    assert isinstance(reader, parquet.ParquetReader)
    expected = column_from_arrow(pa.chunked_array(values, kind))
    same(reader.column("d"), expected)
    same(reader._whole("d"), expected)
