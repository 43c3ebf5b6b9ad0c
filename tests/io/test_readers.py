"""Readers of files, frames and tensors: schema without data, values, and clear refusals."""

from __future__ import annotations

import io
import re
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
import torch

import tqp
from tqp import types
from tqp.catalog.catalog import Catalog
from tqp.connection import readers
from tqp.data.stored import StoredTable
from tqp.errors import SourceError, UnsupportedError
from tqp.io import parquet_options
from tqp.io.csv import options as csv_options
from tqp.io.csv.reader import CsvReader
from tqp.io.export import column_to_arrow
from tqp.io.files import READERS, FileCall, Paths, parquet_source
from tqp.io.json import options as json_options
from tqp.io.objects import reader_of
from tqp.io.options import Known
from tqp.io.parquet import ParquetReader
from tqp.io.python import column_to_python
from tqp.io.tensors import TensorReader
from tqp.sql.signatures import dtype_named

CPU = torch.device("cpu")


def parquet_reader(paths: Paths) -> ParquetReader:
    source = parquet_source(paths)
    reader = source.open(source.look().files)
    assert isinstance(reader, ParquetReader)
    return reader


def csv_reader(paths: Paths, **options: Any) -> CsvReader:
    source = FileCall.of("read_csv", paths, options, partial(dtype_named, named={})).source
    reader = source.open(source.look().files)
    assert isinstance(reader, CsvReader)
    return reader


def values(reader: Any, name: str) -> list[Any]:
    found: list[Any] = column_to_arrow(reader.column(name), reader.rows).to_pylist()
    return found


def test_parquet_files(tmp_path: Path) -> None:
    for part, start in (("a", 0), ("b", 3)):
        rows = range(start, start + 3)
        table = pa.table({"k": list(rows), "s": [f"s{row % 2}" for row in rows], "l": [[row] for row in rows]})
        pq.write_table(table, tmp_path / f"{part}.parquet", row_group_size=2)
    for path in (tmp_path, str(tmp_path / "*.parquet"), [tmp_path / "a.parquet", tmp_path / "b.parquet"]):
        reader = parquet_reader(path)
        assert reader.rows == 6
        assert reader.schema == (("k", types.BIGINT), ("s", types.VARCHAR), ("l", types.list_of(types.BIGINT)))
        assert values(reader, "k") == list(range(6))
        assert values(reader, "s") == ["s0", "s1", "s0", "s1", "s0", "s1"]
        assert column_to_python(reader.column("l"), 6) == [[row] for row in range(6)]


def test_parquet_refusals(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file"):
        parquet_reader(tmp_path / "none.parquet")
    with pytest.raises(SourceError, match="directory without"):
        parquet_reader(tmp_path)
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(SourceError, match="as Parquet"):
        parquet_reader(tmp_path / "bad.parquet")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "x.parquet")
    pq.write_table(pa.table({"b": [1]}), tmp_path / "y.parquet")
    pq.write_table(pa.table({"c": [1], "b": [2]}), tmp_path / "z.parquet")
    reader = parquet_reader([tmp_path / "z.parquet", tmp_path / "y.parquet"])
    assert values(reader, "b") == [2, 1]
    with pytest.raises(UnsupportedError, match=r"'c' cannot be read.*differ in their columns.*union_by_name"):
        reader.column("c")


def test_parquet_with_damaged_data(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"a": [place * 7919 % 65_537 for place in range(50_000)]}), path, use_dictionary=False)
    content = bytearray(path.read_bytes())
    content[4:5000] = b"\xff" * 4996
    path.write_bytes(content)
    with pytest.raises(SourceError, match="column 'a'"):
        parquet_reader(path).column("a")


def test_csv(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('a,b,d\n1,,2020-01-01\n2,"x,y",2020-01-02\n')
    reader = csv_reader(path)
    assert reader.schema == (("a", types.BIGINT), ("b", types.VARCHAR), ("d", types.DATE))
    assert values(reader, "b") == [None, "x,y"]
    path.write_text("1|x\n2|y\n")
    reader = csv_reader(path, delimiter="|", header=False)
    assert [name for name, _ in reader.schema] == ["column0", "column1"]
    reader = csv_reader(path, delimiter="|", header=False, names=["a", "b"], types={"a": "DECIMAL(5, 2)"})
    assert reader.schema[0] == ("a", types.decimal(5, 2))
    path.write_text("a,b\n1\n")
    with pytest.raises(SourceError, match="as CSV"):
        csv_reader(path, delimiter=",")


def test_pandas() -> None:
    frame = pd.DataFrame({
        "f": [1.5, np.nan],
        "s": ["x", None],
        "c": pd.Categorical(["b", "a"]),
        "t": pd.to_datetime(["2020-01-01", None]).astype("datetime64[ns]"),
        "o": np.array([1, None], object),
        3: [True, False],
    })  # fmt: skip
    before = frame.copy()
    reader = reader_of(frame)
    assert reader is not None
    assert [name for name, _ in reader.schema] == ["f", "s", "c", "t", "o", "3"]
    assert values(reader, "f") == [1.5, None]
    assert values(reader, "s") == ["x", None]
    assert values(reader, "c") == ["b", "a"]
    assert values(reader, "t")[1] is None
    assert values(reader, "o") == [1, None]
    pd.testing.assert_frame_equal(frame, before)
    mixed = reader_of(pd.DataFrame({"m": np.array([1, "x"], object), "i": [1, 2]}))
    assert mixed is not None and values(mixed, "i") == [1, 2]
    with pytest.raises(UnsupportedError, match="'m'.*mixes objects of the types int, str"):
        mixed.column("m")
    twice = reader_of(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    assert twice is not None and [name for name, _ in twice.schema] == ["a", "a_1"]


def test_polars_arrow_and_streams() -> None:
    frame = pl.DataFrame({"a": [1, None], "s": ["x", "y"]})
    for value in (
        frame,
        frame.lazy(),
        frame.to_arrow(),
        frame.to_arrow().to_reader(),
        pa.dataset.dataset(frame.to_arrow()),
    ):
        reader = reader_of(value)
        assert reader is not None and reader.rows == 2
        assert values(reader, "a") == [1, None]
        assert values(reader, "s") == ["x", "y"]
    assert reader_of(5) is None
    assert reader_of({}) is None
    twice = reader_of(pa.table([[1], [2]], names=["a", "A"]))
    assert twice is not None and [name for name, _ in twice.schema] == ["a", "A_1"]


def test_tensors() -> None:
    reader = TensorReader({
        "i": np.arange(3),
        "m": np.ma.array([1.5, 2.5, 3.5], mask=[False, True, False]),
        "u": np.array(["x", "yy", ""]),
        "t": torch.tensor([0, 255, 7], dtype=torch.uint8, device="cpu"),
        "h": torch.tensor([0.5, 1.5, 2.5], dtype=torch.bfloat16, device="cpu"),
        "b": torch.tensor([True, False, True], device="cpu"),
        "w": np.array(["2020-01-01", "NaT", "2020-01-03"], "datetime64[D]"),
        "e": np.array([1, 2, 3], ">i4"),
        "z": np.array([1j, 2, 3]),
        "d": torch.zeros(3, 2, 0, device="cpu"),
        "l": [1, None, 3],
    })  # fmt: skip
    assert values(reader, "i") == [0, 1, 2]
    assert values(reader, "m") == [1.5, None, 3.5]
    assert values(reader, "u") == ["x", "yy", ""]
    assert values(reader, "t") == [0, 255, 7]
    assert values(reader, "h") == [0.5, 1.5, 2.5]
    assert values(reader, "b") == [True, False, True]
    assert values(reader, "w")[1] is None
    assert values(reader, "e") == [1, 2, 3]
    assert values(reader, "l") == [1, None, 3]
    for name, why in (("z", "complex128"), ("d", "shape")):
        with pytest.raises(UnsupportedError, match=f"'{name}'.*{why}"):
            reader.column(name)
    with pytest.raises(SourceError, match="differ in length: a 1, b 2"):
        TensorReader({"a": [1], "b": [1, 2]})
    assert [name for name, _ in TensorReader({"a": [1], "A": [1]}).schema] == ["a", "A_1"]


def test_stored_table_keeps_its_columns() -> None:
    reader = reader_of(pa.table({"a": [1, 2, 3], "s": ["x", "y", "x"]}))
    assert reader is not None
    table = StoredTable("t", reader, CPU)
    assert table.bytes() == 0
    assert table.column("a") is table.column("a")
    assert table.statistics("a") is table.statistics("a")
    assert table.bytes() == 3
    assert table.column("s").dictionary is not None
    assert table.bytes() > 6


def test_catalog_ignores_case_and_says_what_a_name_meant() -> None:
    reader = reader_of(pa.table({"a": [1]}))
    assert reader is not None
    table = StoredTable("T", reader, CPU)
    catalog = Catalog()
    assert catalog.register("Tab", table) is None
    assert catalog.lookup("tAB") is table
    assert list(catalog.names()) == ["Tab"]
    assert catalog.register("tab", table) is table
    assert catalog.unregister("TAB") is table
    assert catalog.lookup("tab") is None
    with pytest.raises(SourceError, match="no table"):
        catalog.unregister("tab")


@pytest.mark.parametrize("kind", ["parquet", "csv", "json"])
def test_every_option_is_a_parameter_that_editors_complete(kind: str) -> None:
    module = {"parquet": parquet_options, "csv": csv_options, "json": json_options}[kind]
    (known,) = [value for value in vars(module).values() if isinstance(value, Known)]
    for owner in (tqp.Connection, tqp):
        parameters = signature(getattr(owner, f"read_{kind}")).parameters
        assert {*known.checks} <= {*parameters}
        assert {*parameters} <= {
            *known.checks,
            *known.idle,
            *known.refused,
            *known.aliases,
            *readers._OF_PYTHON,
            "self",
            "path",
            "storage_options",
        }
        assert not any(one.kind is one.VAR_KEYWORD for one in parameters.values())


def test_options_by_their_names_in_python(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("not read\na;b;d\n'1';NA;02.01.2020\n'2,5';x;03.01.2020\n")
    ours = tqp.connect(threads=1)
    options: dict[str, Any] = {
        "sep": ";",
        "quotechar": "'",
        "escapechar": "'",
        "na_values": "NA",
        "skiprows": 1,
        "decimal": ",",
    }
    options |= {"dtype": {"a": "DOUBLE"}, "date_format": "%d.%m.%Y"}
    found, theirs = ours.read_csv(path, **options), duckdb.connect().read_csv(str(path), **options)
    assert found.columns == theirs.columns and list(map(str, found.types)) == list(map(str, theirs.types))
    assert found.fetchall() == theirs.fetchall()
    for twice in ({"quote": "'", "quotechar": "'"}, {"sep": ";", "delimiter": ";"}):
        with pytest.raises(SourceError, match="one option"):
            ours.read_csv(path, **twice)


def test_header_as_in_pandas(tmp_path: Path) -> None:
    """The number of the header's line, which DuckDB's Python takes from there; in SQL 0 is false."""
    path = tmp_path / "x.csv"
    path.write_text("1,2\n3,4\n")
    con = tqp.connect(threads=1)
    assert con.read_csv(path, header=0).columns == duckdb.read_csv(str(path), header=0).columns == ["1", "2"]
    query = f"FROM read_csv('{path}', header = 0)"
    assert con.sql(query).columns == duckdb.sql(query).columns == ["column0", "column1"]
    with pytest.raises(SourceError, match="header=True, and skip="):
        con.read_csv(path, header=1)


def test_options_of_duckdb_that_change_no_answer_or_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a\n1\n")
    con = tqp.connect(threads=1)
    idle = con.read_csv(path, parallel=False, buffer_size=10**7, files_to_sniff=1, strict_mode=True)
    assert idle.fetchall() == [(1,)]
    for refused in ({"store_rejects": True}, {"rejects_table": "r"}, {"strict_mode": False}):
        with pytest.raises(UnsupportedError, match="ignore_errors=true|null_padding=true"):
            con.read_csv(path, **refused)


@pytest.mark.parametrize("opened", [io.StringIO("a\n1\n"), io.BytesIO(b"a\n1\n")])
def test_open_files_are_refused_with_what_works(opened: Any) -> None:
    with pytest.raises(SourceError, match=r"open file(.|\n)*pandas.read_csv"):
        tqp.connect(threads=1).read_csv(opened)


@pytest.mark.parametrize("function", sorted(READERS))
def test_each_option_of_duckdb_is_known_or_refused_by_name(function: str) -> None:
    told = duckdb.sql(
        "SELECT DISTINCT unnest(parameters) FROM duckdb_functions() WHERE function_type = 'table' AND function_name = ?",
        params=[function],
    ).fetchall()

    def no_type(name: str, given: Any) -> types.DType:
        raise SourceError(f"{name}={given!r} is no type")

    for (name,) in told:
        if name in ("path", "paths", "pattern", "col0"):
            continue
        try:
            READERS[function](function, {name: object()}, no_type)
        except UnsupportedError as error:
            assert name in error.message and error.hint
        except SourceError as error:
            assert "has no option" not in error.message, error.message


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("read_csv('x', strict_mode = false)", "strict_mode=false.*null_padding"),
        ("read_csv('x', store_rejects = true)", "store_rejects.*ignore_errors"),
        ("read_csv('x', column_statistics = 1)", "column_statistics.*leave it out"),
        ("read_json('x', case_insensitive_keys = true)", "case_insensitive_keys=true.*coalesce"),
        ("read_json('x', geojson = true)", "geojson=true.*features"),
        ("read_json_objects('x', schema = 1)", "schema.*columns"),
        ("sniff_csv('x', force_match = true)", "force_match.*always"),
    ],
)
def test_options_that_are_refused_say_what_works(call: str, said: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        tqp.connect(threads=1).sql(f"FROM {call}")
    assert re.search(said, str(caught.value).replace("\n", " ")), str(caught.value)
    assert "line 1, column 6" in str(caught.value)
