"""The backend's own methods: connections, tables, types both ways, results, files, functions and models, and what is refused."""

from __future__ import annotations

import datetime as dt
import gc
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import ibis
import ibis.common.exceptions as exc
import ibis.expr.operations as ops
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest
import torch
from ibis import _

import tqp
from tqp.errors import ConstraintError, ExecutionError
from tqp.io.tensor_column import TensorColumn


@pytest.fixture
def con() -> Iterator[Any]:
    made = ibis.tqp.connect(threads=1)
    yield made
    made.disconnect()


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


# Tables


def test_catalogs(con: Any) -> None:
    assert (con.current_catalog, con.current_database) == ("memory", "main")
    assert {"memory", "temp"} <= set(con.list_catalogs())
    assert con.list_databases(catalog="temp") == ["main"]
    con.create_table("a", schema={"x": "int64"})
    con.create_table("b", schema={"x": "int64"}, temp=True)
    assert con.list_tables() == ["a", "b"] and con.list_tables(like="^b") == ["b"]
    assert con.list_tables(database=("memory", "main")) == ["a"] and con.list_tables(database="temp.main") == ["b"]
    assert con.list_tables(database="nowhere") == []


@pytest.mark.parametrize("name", ["plain", "two words", 'qu"ote', "Größe", "select", "a.b", "semi;colon"])
def test_names(con: Any, name: str) -> None:
    made = con.create_table(name, {name: [1, 2]})
    assert con.list_tables() == [name]
    assert made.columns == (name,) and con.table(name)[name].sum().execute() == 3
    con.create_view(f"{name} v", made.filter(_[name] > 1))
    assert con.table(f"{name} v").count().execute() == 1
    con.insert(name, {name: [3]})
    con.truncate_table(name)
    assert made.count().execute() == 0
    con.drop_view(f"{name} v")
    con.drop_table(name)
    assert con.list_tables() == []


def test_create_table(con: Any) -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", None]})
    for obj in (
        frame,
        pa.Table.from_pandas(frame),
        pl.from_pandas(frame),
        ibis.memtable(frame),
        {"a": [1, 2], "b": ["x", None]},
    ):
        made = con.create_table("t", obj, overwrite=True)
        assert made.schema() == ibis.schema({"a": "int64", "b": "string"})
        assert made.b.execute().isna().tolist() == [False, True]
    with pytest.raises(tqp.errors.TqpError, match="already"):
        con.create_table("t", frame)
    # It may read the table in whose place it comes.
    made = con.create_table("t", made.mutate(c=_.a * 2), overwrite=True)
    assert made.c.execute().tolist() == [2, 4]
    cast = con.create_table("t", frame, schema={"b": "string", "a": "float32"}, overwrite=True)
    assert cast.schema() == ibis.schema({"b": "string", "a": "float32"}) and cast.a.execute().tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="must be specified"):
        con.create_table("u")
    with pytest.raises(exc.IbisTypeError, match="other than NULL: n"):
        con.create_table("u", schema={"n": "null"})
    with pytest.raises(exc.UnsupportedArgumentError, match="catalog temp"):
        con.create_table("u", frame, database="memory.main", temp=True)


def test_not_null(con: Any) -> None:
    schema = ibis.schema({"a": "!int64", "b": "string"})
    made = con.create_table("t", {"a": [1], "b": ["x"]}, schema=schema)
    assert made.schema() == schema
    with pytest.raises(ConstraintError):
        con.create_table("t", {"a": [None, 1], "b": ["x", "y"]}, schema=schema, overwrite=True)
    with pytest.raises(ConstraintError):
        con.insert("t", pd.DataFrame({"a": [None], "b": ["x"]}), overwrite=True)
    assert made.execute().to_dict("list") == {"a": [1], "b": ["x"]}
    assert con.list_tables() == ["t"]


def test_others_see_a_change_at_once_or_not_at_all(con: Any) -> None:
    """Whoever reads while rows take the place of a NOT NULL table's, or the table is made anew, sees one version of it."""
    schema = ibis.schema({"k": "!int64", "version": "!int64"})

    def rows(version: int) -> dict[str, list[int]]:
        return {"k": list(range(20)), "version": [version] * 20}

    con.create_table("t", rows(0), schema=schema)
    con.con.execute("CREATE VIEW v AS SELECT count(*) AS n, min(version) AS low, max(version) AS high FROM t")
    held = con.con.sql("FROM v")
    done = threading.Event()

    def read() -> int:
        seen = 0
        while not done.is_set() or not seen:
            ((count, low, high),) = con.con.sql("FROM v").fetchall()
            assert count == 20 and low == high
            assert con.get_schema("t") == schema
            seen += 1
        return seen

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        try:
            for version in range(1, 12):
                con.insert("t", rows(version), overwrite=True)
                con.create_table("t", rows(version), schema=schema, overwrite=True)
                con.upsert("t", rows(version + 1), on="k")
                with pytest.raises(ConstraintError):
                    con.insert("t", {"k": [1, None], "version": [0, 0]}, overwrite=True)
                with pytest.raises(ConstraintError):
                    con.upsert("t", {"k": [1, 99], "version": [0, None]}, on="k")
        finally:
            done.set()
        assert all(reader.result() for reader in readers)
    assert held.fetchall() == [(20, 0, 0)]
    assert con.con.sql("FROM v").fetchall() == [(20, 12, 12)]


def test_upserts_of_several_threads_all_count(con: Any) -> None:
    con.create_table("t", {"k": [0], "n": [0]}, schema={"k": "!int64", "n": "int64"})

    def upsert(thread: int) -> None:
        for number in range(5):
            con.upsert("t", {"k": [10 * thread + number + 1], "n": [thread]}, on="k")

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(upsert, range(3)))
    assert sorted(con.table("t").k.to_pyarrow().to_pylist()) == [0, *range(1, 6), *range(11, 16), *range(21, 26)]


def test_within_a_transaction(con: Any) -> None:
    con.create_table("t", {"k": [1]}, schema={"k": "!int64"})
    con.con.begin()
    con.insert("t", {"k": [2, 3]}, overwrite=True)
    con.create_table("u", {"k": [4]}, schema={"k": "!int64"})
    con.con.rollback()
    assert con.table("t").k.to_pyarrow().to_pylist() == [1] and con.list_tables() == ["t"]


def test_insert_truncate(con: Any) -> None:
    made = con.create_table("t", schema={"a": "int64", "b": "string"})
    con.insert("t", [(1, "x"), (2, "y")])
    con.insert("t", pd.DataFrame({"b": ["z"]}))
    assert made.order_by("b").a.to_pyarrow().to_pylist() == [1, 2, None]
    con.insert("t", made.filter(_.a > 1), overwrite=True)
    assert made.a.execute().tolist() == [2]
    con.truncate_table("t")
    assert made.count().execute() == 0 and made.schema() == con.table("t").schema()


def test_upsert(con: Any) -> None:
    made = con.create_table("t", {"k": [1, 2, None], "a": ["x", "y", "z"], "n": [1.0, 2.0, 3.0]})
    con.upsert("t", pd.DataFrame({"a": ["Y", "new"], "k": [2, 5]}), on="k")
    rows = made.to_pyarrow().sort_by("a").to_pylist()
    assert rows == [
        {"k": 2, "a": "Y", "n": 2.0},
        {"k": 5, "a": "new", "n": None},
        {"k": 1, "a": "x", "n": 1.0},
        {"k": None, "a": "z", "n": 3.0},
    ]
    con.upsert("t", made.filter(_.k == 1).mutate(a=ibis.null("string")), on="k")
    assert made.filter(_.k == 1).to_pyarrow().to_pylist() == [{"k": 1, "a": None, "n": 1.0}]
    with pytest.raises(exc.IbisInputError, match="whose k is 2"):
        con.upsert("t", {"k": [2, 2], "a": ["p", "q"]}, on="k")
    for wrong in ({"k": [1]}, {"a": ["x"]}, {"k": [1], "other": [2]}):
        with pytest.raises(exc.IbisInputError, match="upsert takes 'k'"):
            con.upsert("t", wrong, on="k")
    assert made.count().execute() == 4


def test_drop_and_views(con: Any) -> None:
    table = con.create_table("t", {"a": [1, 2, 3]})
    view = con.create_view("v", table.filter(_.a > 1))
    con.insert("t", {"a": [9]})
    assert view.count().execute() == 3
    with pytest.raises(tqp.errors.TqpError):
        con.create_view("v", table)
    assert con.create_view("v", table, overwrite=True).count().execute() == 4
    con.drop_view("v")
    con.drop_table("nothing", force=True)
    for missing in (lambda: con.drop_table("nothing"), lambda: con.drop_view("v")):
        with pytest.raises(tqp.errors.BindError):
            missing()
    with pytest.raises(exc.TableNotFound, match="v"):
        con.table("v")


def test_register_tensors(con: Any) -> None:
    table = con.register("points", {"x": torch.tensor([1.5, 2.5]), "v": torch.ones(2, 3)})
    assert table.schema() == ibis.schema({"x": "float32", "v": ibis.dtype("array<float32>").copy(length=3)})
    assert table.x.sum().execute() == 4.0


def test_memtables(con: Any) -> None:
    frame = pd.DataFrame({"a": [1, 2]})
    data = pa.Table.from_pandas(frame)
    for obj in (frame, data, pl.from_pandas(frame), pa.dataset.dataset(data)):
        assert con.execute(ibis.memtable(obj).a.sum()) == 3
    left, right = ibis.memtable({"a": [1, 2]}), ibis.memtable({"a": [2, 3], "b": ["x", "y"]})
    assert con.execute(left.join(right, "a")).to_dict("list") == {"a": [2], "b": ["x"]}


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
    with pytest.raises(exc.UnsupportedOperationError, match="UPDATE is not supported"):
        con.raw_sql("UPDATE t SET a = 2")
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


def test_tables_of_tensors_and_relations() -> None:
    con = ibis.tqp.connect(threads=1)
    made = con.create_table("made", {"x": torch.arange(3), "v": torch.ones(3, 2)})
    assert str(made.schema()["v"]) == "array<float32, 2>" and made.x.sum().execute() == 3
    con.insert("made", {"x": torch.tensor([7]), "v": torch.zeros(1, 2)})
    assert con.create_table("texts", con.con.sql("SELECT x::VARCHAR AS s FROM made").torch()).s.max().execute() == "7"
    assert con.create_table("again", con.con.table("texts")).count().execute() == 4
