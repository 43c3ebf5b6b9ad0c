"""Relations as files, tables and views: the files that DuckDB writes, whole or not at all."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tqp
from tqp.errors import BindError, ExecutionError, SourceError, TqpError
from tqp.verify.compare import compare

T = pa.table(
    {
        "id": [1, 2, 3],
        "s": ["a;b", None, 'q"q'],
        "d": pa.array([18000, None, 0], pa.int32()).cast(pa.date32()),
        "odd name": [1.5, 2.5, None],
    }
)


@pytest.fixture
def con() -> tqp.Connection:
    connection = tqp.connect(threads=1)
    connection.register("t", T)
    return connection


def _theirs() -> Any:
    return duckdb.connect().from_arrow(T)


CSV = [
    {},
    {"sep": ";", "na_rep": "N/A", "header": False},
    {"quotechar": "'", "escapechar": "'", "quoting": "all"},
    {"date_format": "%d.%m.%Y", "quoting": csv.QUOTE_ALL, "encoding": "UTF-8"},
    {"overwrite": True},
]


@pytest.mark.parametrize("options", CSV, ids=str)
def test_csv(con: tqp.Connection, tmp_path: Path, options: dict[str, Any]) -> None:
    con.table("t").write_csv(tmp_path / "ours.csv", **options)
    _theirs().write_csv(str(tmp_path / "theirs.csv"), **options)
    assert (tmp_path / "ours.csv").read_text() == (tmp_path / "theirs.csv").read_text()


@pytest.mark.parametrize(
    "options", [{}, {"compression": "zstd", "row_group_size": 2}, {"compression": "gzip"}], ids=str
)
def test_parquet(con: tqp.Connection, tmp_path: Path, options: dict[str, Any]) -> None:
    path = tmp_path / "it's.parquet"
    con.table("t").write_parquet(path, **options)
    assert compare(pq.read_table(path), T) is None
    assert con.read_parquet(path).fetchall() == con.table("t").fetchall()
    assert (
        pq.ParquetFile(path).metadata.row_group(0).column(0).compression == options.get("compression", "snappy").upper()
    )


def test_json(con: tqp.Connection, tmp_path: Path) -> None:
    con.table("t").write_json(tmp_path / "a.json")
    con.table("t").write_json(tmp_path / "b.json", array=True)
    oracle = duckdb.connect()
    oracle.register("t", T)
    for name, options in (("a", ""), ("b", ", ARRAY true")):
        oracle.execute(f"COPY t TO '{tmp_path / 'c'}' (FORMAT json{options})")
        assert (tmp_path / f"{name}.json").read_text() == (tmp_path / "c").read_text()


@pytest.mark.parametrize("kind", ["parquet", "csv", "json"])
def test_partitions(con: tqp.Connection, tmp_path: Path, kind: str) -> None:
    relation = con.table("t")
    write = getattr(relation, f"write_{kind}")
    write(tmp_path / "p", partition_by=["odd name", "id"])
    found = sorted(str(path.relative_to(tmp_path / "p").parent) for path in (tmp_path / "p").rglob(f"*.{kind}"))
    folders = ["odd%20name=1.5/id=1", "odd%20name=2.5/id=2", "odd%20name=__HIVE_DEFAULT_PARTITION__/id=3"]
    assert [name.replace("odd name", "odd%20name") for name in found] == folders
    with pytest.raises(SourceError, match="something already"):
        write(tmp_path / "p", partition_by=["id"])
    write(tmp_path / "p", partition_by=["odd name", "id"], overwrite=True)
    assert len(list((tmp_path / "p").rglob(f"*.{kind}"))) == 3
    if kind == "parquet":
        relation.write_parquet(
            tmp_path / "p", partition_by=["odd name", "id"], append=True, filename_pattern="x_{uuid}"
        )
        assert len(con.read_parquet(f"{tmp_path}/p/**/*.parquet")) == 6


def test_a_file_appears_whole_or_not_at_all(con: tqp.Connection, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("before")
    with pytest.raises(ExecutionError):
        con.table("t").project("s::INTEGER").write_csv(path)
    with pytest.raises(SourceError, match="there already"):
        con.table("t").write_csv(path, overwrite=False)
    for options in ({"quoting": 3}, {"encoding": "latin1"}, {"compression": "zip"}, {"partition_by": ["nope"]}):
        with pytest.raises(TqpError):
            con.table("t").write_csv(path, **options)
    assert path.read_text() == "before" and [found.name for found in tmp_path.iterdir()] == ["x.csv"]
    closed = tqp.connect(external_access=False)
    with pytest.raises(SourceError, match="external_access"):
        closed.sql("SELECT 1 AS a").write_parquet(tmp_path / "y.parquet")


def test_tables(con: tqp.Connection) -> None:
    relation = con.table("t").project("id, s").filter("id > 1")
    relation.create('a "table"')
    assert con.table('a "table"').fetchall() == relation.fetchall()
    with pytest.raises(BindError, match="there already"):
        relation.to_table('a "table"')
    relation.insert_into('main.a "table"')
    assert len(con.table('a "table"')) == 4
    con.execute("CREATE TABLE strict (a INTEGER NOT NULL, b VARCHAR)")
    with pytest.raises(TqpError):
        con.sql("SELECT NULL::INTEGER, 'x'").insert_into("strict")
    assert len(con.table("strict")) == 0
    with pytest.raises(BindError, match="name of a table"):
        relation.create("")


def test_views_are_the_query_and_not_its_rows(con: tqp.Connection) -> None:
    con.execute("CREATE TABLE base AS SELECT 1 AS a")
    relation = con.sql("SELECT a + ? AS a FROM base", params=[1])
    assert relation.create_view("v") is relation
    assert con.sql("SELECT v.a, count(*) FROM v GROUP BY ALL").fetchall() == [(2, 1)]
    assert con.table("v").verify()
    with pytest.raises(BindError):
        relation.create_view("v", replace=False)
    with pytest.raises(BindError):
        relation.create_view("base")
    con.sql("SELECT 7 AS a").create_view("v")
    assert con.table("v").fetchall() == [(7,)]
    con.execute("DROP VIEW v")
    with pytest.raises(BindError):
        con.table("v")


def test_what_a_relation_of_another_connection_has(con: tqp.Connection) -> None:
    other = tqp.connect(threads=1)
    other.register("u", {"id": [2, 3], "w": [20, 30]})
    joined = con.table("t").join(other.table("u"), "id").project("id, w").order("id")
    assert joined.fetchall() == [(2, 20), (3, 30)]
    assert con.table("t")["id"].union(other.table("u")["id"]).count("*").fetchall() == [(5,)]


def test_a_step_takes_as_long_as_its_relation(con: tqp.Connection) -> None:
    from tqp.errors import QueryTimeoutError

    slow = con.sql("SELECT a.i FROM range(3000000) a(i)", timeout=1e-6)
    with pytest.raises(QueryTimeoutError):
        slow.aggregate("sum(i % 7)").fetchall()
