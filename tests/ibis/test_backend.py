"""The backend's own methods: connections, types both ways, results, files, functions and models, and what is refused."""

from __future__ import annotations

import datetime as dt
import gc
import subprocess
import sys
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import ibis
import ibis.common.exceptions as exc
import ibis.expr.operations as ops
import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pytest
import torch
from ibis import _

import tqp
from tqp.errors import ExecutionError
from tqp.io.tensor_column import TensorColumn


def test_tqp_imports_no_ibis() -> None:
    script = "import sys, tqp; assert not any(name.partition('.')[0] == 'ibis' for name in sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)
    # Nor does the backend import DuckDB, which is an extra of its own.
    script = "import sys, ibis; ibis.tqp.connect().list_tables(); assert 'duckdb' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)


# Connections


def test_connect(con: Any) -> None:
    assert con.version == tqp.__version__ and con.name == "tqp"
    assert con.con.settings.threads == 1 and con.con.settings.time_zone == "UTC"
    url = ibis.connect("tqp://?threads=2&time_zone=Europe/Berlin&external_access=false")
    assert (url.con.settings.threads, url.con.settings.time_zone, url.con.access.files) == (2, "Europe/Berlin", False)
    with pytest.raises(exc.IbisInputError, match="no databases in files"):
        ibis.connect("tqp://folder/file.db")
    con.reconnect()
    con.disconnect()
    with pytest.raises(tqp.errors.BindError, match="closed"):
        con.sql("SELECT 1 AS a")


def test_from_connection() -> None:
    with tqp.connect(threads=1) as own:
        own.register("t", {"a": [1, 2]})
        made = ibis.tqp.from_connection(own)
        assert made.table("t").a.sum().execute() == 3
        assert made.con is own
        with pytest.raises(exc.IbisError):
            made.reconnect()
    with pytest.raises(exc.IbisInputError, match=r"tqp\.Connection"):
        ibis.tqp.from_connection("tqp")


def test_two_backends_over_one_connection() -> None:
    @ibis.udf.scalar.python
    def half(x: int) -> float:
        return x / 2

    with tqp.connect(threads=1) as own:
        both = [ibis.tqp.from_connection(own) for _place in range(2)]
        table = ibis.memtable({"a": [1, 2]})
        for made in (*both, *both):
            assert made.execute(half(table.a).sum()) == 1.5
        del table
        gc.collect()
        assert [made.list_tables() for made in both] == [[], []]
        table = ibis.memtable({"a": [1, 2]})
        assert both[0].execute(table.count()) == 2
        both[0].drop_view(table.op().name)
        del table
        gc.collect()
        assert both[0].list_tables() == []


def test_default_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ibis.options, "default_backend", None)
    ibis.set_backend("tqp")
    assert ibis.get_backend().name == "tqp"
    assert ibis.memtable({"a": [1, 2]}).a.max().execute() == 2


def test_variables_are_no_tables(con: Any) -> None:
    frame = {"a": [1]}
    assert frame
    with pytest.raises(exc.TableNotFound):
        con.table("frame")


def test_to_sql(con: Any) -> None:
    table = con.create_table("t", schema={"a": "int64"})
    assert "AVG" in str(ibis.to_sql(table.a.mean(), dialect="tqp"))
    assert table.sql("SELECT a + 1 AS b FROM t", dialect="tqp").schema() == ibis.schema({"b": "int64"})


# Types, both ways

NOW = dt.datetime(2024, 2, 29, 23, 59, 59, 123456)
TYPES: dict[str, list[Any]] = {
    "boolean": [True, False],
    "int8": [-128, 127],
    "int16": [-32768, 5],
    "int32": [2**31 - 1, 0],
    "int64": [-(2**63), 2**63 - 1],
    "uint8": [255, 0],
    "uint16": [65535, 0],
    "uint32": [2**32 - 1, 0],
    "uint64": [2**64 - 1, 0],
    "float32": [1.5, -0.0],
    "float64": [1e300, 0.1],
    "decimal(5, 2)": [Decimal("123.45"), Decimal("-0.01")],
    "decimal(38, 10)": [Decimal("1234567890123456789012345678.0123456789"), Decimal(0)],
    "string": ["", "ä🦆'\""],
    "binary": [b"\x00\xff", b""],
    "date": [dt.date(1, 1, 1), dt.date(9999, 12, 31)],
    "time": [dt.time(23, 59, 59, 999999), dt.time(0)],
    "timestamp(6)": [NOW, dt.datetime(1900, 1, 1)],
    "timestamp(0)": [NOW.replace(microsecond=0), dt.datetime(1900, 1, 1)],
    "timestamp(3)": [NOW.replace(microsecond=123000), dt.datetime(1900, 1, 1)],
    "timestamp('UTC', 6)": [NOW.replace(tzinfo=dt.UTC), dt.datetime(1900, 1, 1, tzinfo=dt.UTC)],
    "array<int64>": [[1, None], []],
    "array<array<string>>": [[["a"], None, []], []],
    "struct<a: int32, b: array<string>>": [{"a": 1, "b": ["x", None]}, {"a": None, "b": None}],
    "map<string, int64>": [[("k", 1), ("l", None)], []],
    "map<int64, struct<a: decimal(9, 2)>>": [[(1, {"a": Decimal("1.50")})], []],
}  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES)
def test_round_trip(con: Any, dtype: str) -> None:
    schema = ibis.schema({"v": dtype})
    arrow = pa.table({"v": pa.array([*TYPES[dtype], None], schema.to_pyarrow().field("v").type)})
    made = con.create_table("t", arrow, schema=schema)
    assert made.schema() == schema
    found = made.to_pyarrow()
    assert found.schema.types == schema.to_pyarrow().types and found["v"].to_pylist() == arrow["v"].to_pylist()
    with made.to_pyarrow_batches(chunk_size=2) as reader:
        assert [batch.num_rows for batch in reader] == [2, 1]
    frame = made.execute()
    assert len(frame) == 3 and pd.isna(frame.v[2])
    assert con.sql("FROM t").schema() == schema
    if "map" not in dtype:
        # Ibis turns no maps into polars.
        assert made.to_polars().height == 3


def test_other_types(con: Any) -> None:
    found = con.sql(
        "SELECT 'b'::ENUM('b', 'a') AS e, 5::HUGEINT AS h, uuid '00000000-0000-0000-0000-00000000000a' AS u, '[1]'::JSON AS j, "
        "INTERVAL '1 month 2 days 3 hours' AS i, NULL AS n, [1, 2]::INTEGER[2] AS a"
    )
    assert str(found.schema()["h"]) == "decimal(38, 0)" and found.schema()["a"].length == 2
    row = found.execute().iloc[0]
    assert (row.e, row.h, row.u, row.j, row.n) == ("b", 5, uuid.UUID(int=10), [1], None)
    assert row.i == pd.Timedelta(days=32, hours=3) and list(row.a) == [1, 2]
    arrow = found.to_pyarrow()
    assert arrow["i"].to_pylist() == [dt.timedelta(days=32, hours=3)] and arrow["e"].type == pa.string()


def test_results(con: Any) -> None:
    table = con.create_table("t", {"a": [3, 1, 2], "s": ["x", None, "z"]})
    assert table.a.execute().tolist() == [3, 1, 2] and table.a.sum().execute() == 6
    assert table.a.to_pyarrow().to_pylist() == [3, 1, 2] and table.a.max().to_pyarrow().as_py() == 3
    assert table.a.execute(limit=2).tolist() == [3, 1]
    factor = ibis.param("int64")
    assert (table.a * factor).execute(params={factor: 5}).tolist() == [15, 5, 10]
    tensors = table.mutate(b=_.a * 2).to_torch()
    assert torch.equal(tensors["b"], torch.tensor([6, 2, 4]))
    text = tensors["s"]
    assert isinstance(text, TensorColumn) and text.valid is not None and text.valid.tolist() == [True, False, True]
    assert table.limit(0).execute().empty and table.limit(0).to_pyarrow().num_rows == 0
    assert con.raw_sql("SELECT 1, 'a'").fetchall() == [(1, "a")]


def test_memtables_are_let_go(con: Any) -> None:
    table = ibis.memtable({"a": [1, 2]})
    assert con.execute(table.count()) == 2 and con.list_tables() == [table.op().name]
    view = con.create_view("v", ibis.memtable({"a": [1, 2, 3]}))
    del table
    for _place in range(3):
        assert con.execute(ibis.memtable({"b": [1]}).count()) == 1
        gc.collect()
    assert len(con.con.tables()) <= 3 and view.count().execute() == 3


# Files


def test_files(con: Any, tmp_path: Path) -> None:
    table = con.create_table("t", {"a": [1, 2], "s": ["x", None]})
    table.to_parquet(tmp_path / "t.parquet", compression="zstd")
    table.to_csv(tmp_path / "t.csv", sep=";")
    con.to_json(table, tmp_path / "t.json")
    assert (tmp_path / "t.csv").read_text().splitlines() == ["a;s", "1;x", "2;"]
    for read in (
        con.read_parquet(tmp_path / "t.parquet"),
        con.read_parquet([tmp_path / "t.parquet"], table_name="named"),
        con.read_csv(tmp_path / "t.csv", types={"a": "int64"}),
        con.read_csv(str(tmp_path / "t.csv"), columns={"a": "BIGINT", "s": ibis.dtype("string")}),
        con.read_json(tmp_path / "t.json"),
    ):
        assert read.schema() == table.schema()
        assert read.order_by("a").to_pyarrow().to_pylist() == [{"a": 1, "s": "x"}, {"a": 2, "s": None}]
    assert "named" in con.list_tables()
    with pytest.raises(tqp.errors.SourceError):
        con.read_parquet(tmp_path / "nothing.parquet")
    closed = ibis.tqp.connect(external_access=False)
    with pytest.raises(tqp.errors.SourceError, match="external_access=False"):
        closed.read_csv(tmp_path / "t.csv")


# Functions and models


def test_functions(con: Any) -> None:
    calls = []

    @ibis.udf.scalar.python
    def twice(x: int) -> int:
        calls.append(x)
        return 2 * x

    @ibis.udf.scalar.pyarrow
    def longer(s: str) -> int:
        return pa.compute.add(pa.compute.utf8_length(s), 1).cast(pa.int64())

    @ibis.udf.scalar.python(type="torch")
    def root(x: float) -> float:
        return x.sqrt()

    @ibis.udf.scalar.builtin
    def damerau_levenshtein(a: str, b: str) -> int: ...

    table = con.create_table("t", {"x": [1, 1, None], "s": ["a", None, "abc"], "f": [4.0, 9.0, 16.0]})
    expression = table.select(a=twice(_.x.cast("int64")), b=longer(_.s), c=root(_.f), d=damerau_levenshtein(_.s, "b"))
    expected = {"a": [2, 2, None], "b": [2, None, 4], "c": [2.0, 3.0, 4.0], "d": [1, None, 2]}
    assert expression.to_pyarrow().to_pydict() == expected and calls == [1]
    assert expression.to_pyarrow().to_pydict() == expected
    # A name that is defined anew is another function.

    @ibis.udf.scalar.python
    def twice(x: int) -> int:
        return 3 * x

    assert table.select(a=twice(_.x.cast("int64"))).to_pyarrow().to_pydict() == {"a": [3, 3, None]}

    @ibis.udf.scalar.pandas
    def never(x: int) -> int: ...

    with pytest.raises(exc.UnsupportedOperationError, match="pandas function"):
        table.select(a=never(_.x.cast("int64"))).execute()

    @ibis.udf.scalar.python
    def fails(x: int) -> int:
        raise ValueError("no such luck")

    with pytest.raises(ExecutionError, match="no such luck"):
        table.select(a=fails(_.x.cast("int64"))).execute()


def test_models(con: Any) -> None:
    con.con.register_model("line", lambda x, y: 2 * x + y, inputs={"x": "DOUBLE", "y": "DOUBLE"})
    con.con.register_model("it's", lambda x: x, inputs={"x": "DOUBLE"})
    table = con.create_table("t", {"y": [1.0, 2.0], "x": [10.0, None], "z": ["a", "b"]})
    expected = [21.0, None]
    assert con.predict("line", table.x, table.y).to_pyarrow().to_pylist() == expected
    assert con.predict("line", table).to_pyarrow().to_pylist() == expected
    assert con.predict("it's", table.x).to_pyarrow().to_pylist() == [10.0, None]
    assert table.filter(con.predict("line", table.x, 1) > 20).count().execute() == 1
    with pytest.raises(exc.IbisInputError, match="no model 'curve' is registered; there are: it's, line"):
        con.predict("curve", table.x)
    with pytest.raises(tqp.errors.BindError):
        con.predict("line", table.x)
    with pytest.raises(exc.IbisInputError, match="knows no classes|register"):
        con.predict("nothing at all")


# What is refused


def test_refused(con: Any) -> None:
    table = con.create_table("t", {"a": [1], "s": ["x"]})
    with pytest.raises(exc.OperationNotDefinedError, match="RowID"):
        table.rowid().execute()
    assert not con.has_operation(ops.GeoArea) and con.has_operation(ops.ArrayMap)
    with pytest.raises(exc.UnsupportedOperationError, match="nanoseconds"):
        table.select(x=ibis.interval(nanoseconds=1)).execute()
    with pytest.raises(exc.UnsupportedOperationError, match="ATTACH is not supported"):
        con.raw_sql("ATTACH 'other.db'")
    with pytest.raises(exc.IbisInputError, match="raw_sql runs statements"):
        con.sql("DROP TABLE t")
    with pytest.raises(tqp.errors.BindError):
        con.sql("SELECT nothing FROM t")
    assert con.list_tables() == ["t"]


def test_arrays_without_elements_join_to_null(con: Any) -> None:
    table = con.create_table("t", {"l": [["a", "b"], []]})
    assert table.l.join("-").to_pyarrow().to_pylist() == ["a-b", None]


def test_hash_is_signed(con: Any) -> None:
    table = con.create_table("t", {"s": ["a", "b", "c", "d", "a", None]})
    found = table.select(h=_.s.hash(), raw=_.s.hash()).execute()
    assert found.h.dtype == "int64" and found.h[0] == found.h[4] and found.h.nunique() >= 4
    unsigned = [one for (one,) in con.raw_sql("SELECT hash(s) FROM t").fetchall()]
    assert [int(one) % 2**64 for one in found.h] == unsigned
