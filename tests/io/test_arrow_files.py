"""Files of Arrow's own format: read column by column, several as one table, and written."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.feather as feather
import pytest
from pyarrow import ipc

import tqp
from tqp.errors import SourceChanged, SourceError, UnsupportedError

TABLE = pa.table({
    "a": [1, 2, None, 4],
    "s": pa.array(["x", None, "z", "x"]).dictionary_encode(),
    "l": [[1], [], None, [2, None]],
    "t": pa.array([1, None, 3, 4], pa.timestamp("ns")),
    "d": pa.array([None, "1.25", "0.5", "7"]).cast(pa.decimal128(9, 2)),
})  # fmt: skip


@pytest.fixture
def con(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tqp.Connection:
    monkeypatch.chdir(tmp_path)
    return tqp.connect(threads=1)


def _write(path: str, table: pa.Table = TABLE, rows: int = 3) -> None:
    with ipc.new_file(path, table.schema) as file:
        file.write_table(table, max_chunksize=rows)


@pytest.mark.parametrize("name", ["t.arrow", "t.feather", "t.ipc", "t.arrows", "compressed.feather"])
def test_all_forms_are_the_table(con: tqp.Connection, name: str) -> None:
    if name == "t.arrows":
        with ipc.new_stream(name, TABLE.schema) as stream:
            stream.write_table(TABLE, max_chunksize=3)
    elif name == "compressed.feather":
        feather.write_feather(TABLE, name, compression="zstd", chunksize=2)
    else:
        _write(name)
    con.register("t", TABLE)
    expected = con.sql("FROM t")
    found = con.sql(f"FROM '{name}'")
    assert (found.columns, found.types) == (expected.columns, expected.types)
    assert found.fetchall() == expected.fetchall()
    assert con.sql(f"SELECT count(*), sum(a) FROM read_arrow('{name}')").fetchall() == [(4, 7)]
    assert con.read_arrow(name).limit(1).fetchall() == expected.limit(1).fetchall()


def test_a_column_is_read_alone(con: tqp.Connection) -> None:
    """What stands in the other columns may be of any type, even one that tqp has not."""
    odd = TABLE.append_column("u", pa.RunEndEncodedArray.from_arrays(pa.array([4], pa.int32()), pa.array([{"a": 1}])))
    with ipc.new_stream("u.arrows", odd.schema) as stream:
        stream.write_table(odd)
    assert con.sql("SELECT sum(a) FROM 'u.arrows'").fetchall() == [(7,)]
    with pytest.raises(UnsupportedError, match="column 'u' of 'u.arrows' cannot be read"):
        con.sql("SELECT u FROM 'u.arrows'").fetchall()


def test_several_files(con: tqp.Connection) -> None:
    Path("k=1").mkdir()
    Path("k=2").mkdir()
    _write("k=1/x.arrow", TABLE.select(["a", "s"]))
    _write("k=2/x.arrow", pa.table({"s": ["q"], "a": pa.array([2.5]), "more": [True]}))
    found = con.sql("FROM read_arrow('*/x.arrow', union_by_name = true, filename = true) ORDER BY a")
    assert found.columns == ["a", "s", "more", "filename", "k"]
    assert found.fetchall()[2] == (2.5, "q", True, "k=2/x.arrow", 2)
    assert con.sql("SELECT k, count(*) FROM read_arrow('**/*.arrow') GROUP BY ALL ORDER BY ALL").fetchall() == [
        (1, 4),
        (2, 1),
    ]
    with pytest.raises(UnsupportedError, match="has no column 'more'; with union_by_name=true"):
        con.sql("SELECT more FROM read_arrow(['k=2/x.arrow', 'k=1/x.arrow'])").fetchall()


def test_errors_say_what_is_wrong(con: tqp.Connection) -> None:
    Path("bad.arrow").write_bytes(b"no file of Arrow's at all, but long enough")
    with pytest.raises(SourceError, match=r"cannot read 'bad.arrow' as Arrow"):
        con.sql("FROM 'bad.arrow'")
    _write("cut.arrow")
    content = Path("cut.arrow").read_bytes()
    Path("cut.arrow").write_bytes(content[: len(content) // 2])
    with pytest.raises(SourceError, match=r"cannot read 'cut.arrow' as Arrow"):
        con.sql("FROM 'cut.arrow'")
    Path("first.feather").write_bytes(b"FEA1 and so on")
    with pytest.raises(SourceError, match="version 1") as caught:
        con.sql("FROM 'first.feather'")
    assert "write_feather" in str(caught.value)
    with pytest.raises(SourceError, match="read_arrow has no option 'header'"):
        con.sql("FROM read_arrow('cut.arrow', header = true)")


def test_a_file_that_is_written_anew_is_read_anew(con: tqp.Connection) -> None:
    _write("t.arrow")
    assert con.sql("SELECT max(a) FROM 't.arrow'").fetchall() == [(4,)]
    _write("t.arrow", pa.table({"a": [9, 8]}))
    assert con.sql("SELECT max(a) FROM 't.arrow'").fetchall() == [(9,)]
    reader = con.read_arrow("t.arrow")
    Path("t.arrow").unlink()
    with pytest.raises((SourceChanged, SourceError)):
        reader.fetchall()


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_written_files_are_read_back(con: tqp.Connection, compression: str | None) -> None:
    con.register("t", TABLE)
    con.sql("FROM t").write_arrow("o.feather", compression=compression)
    assert feather.read_table("o.feather").num_rows == 4
    assert con.sql("FROM 'o.feather'").fetchall() == con.sql("FROM t").fetchall()
    con.sql("COPY (SELECT a, s, a % 2 AS k FROM t WHERE a > 0) TO 'parts' (FORMAT arrow, PARTITION_BY (k))")
    assert con.sql("FROM read_arrow('parts/**/*.arrow') ORDER BY a").fetchall() == [
        (1, "x", 1),
        (2, None, 0),
        (4, "x", 0),
    ]
    con.sql("CREATE TABLE u (a INTEGER, s VARCHAR, l INTEGER[], t TIMESTAMP_NS, d DECIMAL(9, 2))")
    con.sql("COPY u FROM 'o.feather'")
    assert con.sql("FROM u").fetchall() == con.sql("FROM t").fetchall()
    with pytest.raises(tqp.errors.TqpError, match=r"(?i)gzip"):
        con.sql("COPY t TO 'p.arrow' (COMPRESSION gzip)")
    assert not Path("p.arrow").exists()
