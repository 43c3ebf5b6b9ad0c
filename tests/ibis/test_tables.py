"""Tables of the backend: names and catalogs, what is made, written, replaced and dropped, and tables in memory."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import ibis
import ibis.common.exceptions as exc
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest
import torch
from ibis import _

import tqp
from tqp.errors import BindError, ConstraintError


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


def test_tables_of_tensors_and_relations() -> None:
    con = ibis.tqp.connect(threads=1)
    made = con.create_table("made", {"x": torch.arange(3), "v": torch.ones(3, 2)})
    assert str(made.schema()["v"]) == "array<float32, 2>" and made.x.sum().execute() == 3
    con.insert("made", {"x": torch.tensor([7]), "v": torch.zeros(1, 2)})
    assert con.create_table("texts", con.con.sql("SELECT x::VARCHAR AS s FROM made").torch()).s.max().execute() == "7"
    assert con.create_table("again", con.con.table("texts")).count().execute() == 4


def test_databases(con: Any) -> None:
    """A database is a schema to SQL: with tables and views of its own, and dropped when there are none."""
    con.create_database("lab")
    con.create_database("lab", force=True)
    assert "lab" in con.list_databases(catalog="memory")
    rows = con.create_table("t", pd.DataFrame({"a": [1, 2]}), database="lab")
    con.insert("t", pd.DataFrame({"a": [5]}), database="lab")
    con.create_view("v", rows.filter(rows.a > 1), database="lab")
    assert con.table("v", database=("memory", "lab")).a.sum().execute() == 7
    assert con.list_tables(database="lab") == ["t", "v"]
    assert "t" not in con.list_tables()
    with pytest.raises(BindError):
        con.drop_database("lab")
    con.drop_view("v", database="lab")
    con.drop_table("t", database="lab")
    con.drop_database("lab")
    con.drop_database("lab", force=True)
    assert "lab" not in con.list_databases()
