"""`glob`, `read_text` and `read_blob`, beside DuckDB's."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
import pytest

import tqp
from tqp.errors import SourceError, TqpError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.txt").write_bytes(b"hello\n")
    (tmp_path / "b.txt").write_bytes("zwei é".encode())
    (tmp_path / "bin.dat").write_bytes(b"\xff\xfe")
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "sub" / "c.txt").write_bytes(b"x")
    os.utime(tmp_path / "a.txt", (1_600_000_000.75, 1_600_000_000.75))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "sql",
    [
        "FROM glob('*')",
        "FROM glob('./*.txt')",
        "FROM glob('./a.txt')",
        "FROM glob('**/*.txt')",
        "FROM glob('none')",
        "FROM glob('sub')",
        "FROM glob(['b*', 'a*'])",
        "SELECT count(*), min(file) FROM glob('*.txt') AS g(file) WHERE file > 'a.txt'",
        "SELECT filename, content, size FROM read_text('**/*.txt')",
        "SELECT * EXCLUDE last_modified FROM read_blob('*')",
        "SELECT epoch_us(last_modified), typeof(last_modified) FROM read_text('a.txt')",
        "SELECT * EXCLUDE last_modified FROM read_text(['b.txt', 'a.txt'])",
        "SELECT * EXCLUDE last_modified FROM read_text('none*.txt')",
        "SELECT read_text.size, t.size FROM read_text('a.txt') JOIN read_blob('*.txt') t USING (filename)",
        "SELECT length(content), octet_length(content::BLOB) FROM read_text('a.txt')",
        "SELECT string_agg(line, '|') FROM (SELECT unnest(string_split(content, ' ')) AS line FROM read_text('b.txt'))",
    ],
)
def test_files_are_rows(folder: Path, sql: str) -> None:
    mine = tqp.connect().sql(sql)
    expected = duckdb.sql(sql)
    assert mine.columns == expected.columns
    assert [str(kind) for kind in mine.types] == [str(kind) for kind in expected.types]
    assert mine.fetchall() == expected.fetchall()


@pytest.mark.parametrize(
    "sql",
    [
        "FROM read_text('bin.dat')",
        "FROM read_text('a.txt', filename = true)",
        "FROM read_blob('a.txt', compression = 'none')",
        "FROM glob(NULL)",
        "FROM read_text()",
    ],
)
def test_what_both_refuse(folder: Path, sql: str) -> None:
    with pytest.raises(duckdb.Error):
        duckdb.sql(sql).fetchall()
    with pytest.raises(TqpError):
        tqp.connect().sql(sql).fetchall()


def test_each_query_sees_the_files_of_its_time(folder: Path) -> None:
    con = tqp.connect()
    count = "SELECT count(*) FROM glob('*.txt')"
    text = "SELECT content FROM read_text('a.txt')"
    assert con.sql(count).fetchall() == [(3,)]
    assert con.sql(text).fetchall() == [("hello\n",)]
    (folder / "new.txt").write_text("!")
    (folder / "a.txt").write_text("another")
    assert con.sql(count).fetchall() == [(4,)]
    assert con.sql(text).fetchall() == [("another",)]


def test_no_file_is_read_without_access(folder: Path) -> None:
    con = tqp.connect(external_access=False)
    for call in ("glob('*')", "read_text('a.txt')", "read_blob('a.txt')"):
        with pytest.raises(TqpError, match="external_access"):
            con.sql(f"FROM {call}").fetchall()


def test_the_line_that_is_no_text(folder: Path) -> None:
    (folder / "bad.txt").write_bytes(b"fine\n\xff")
    with pytest.raises(SourceError, match="line 2 is no UTF-8"):
        tqp.connect().sql("SELECT content FROM read_text('bad.txt')").fetchall()
