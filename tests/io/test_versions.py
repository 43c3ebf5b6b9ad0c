"""Files that are written between and during queries: one query sees one version of a source, or is refused."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

import tqp
from tqp.errors import SourceChanged, SourceError, TqpError
from tqp.io import parquet
from tqp.io.files import parquet_source

ROWS = 1000

Write = Callable[[Path, int], None]


def table(version: int, rows: int = ROWS) -> pa.Table:
    """Every cell of a row names the version; the text is of one length, so that files are of one size."""
    return pa.table({"a": [version] * rows, "b": [version] * rows, "s": [f"v{version}"] * rows})


def write_parquet(path: Path, version: int) -> None:
    pq.write_table(table(version), path)


def write_csv(path: Path, version: int) -> None:
    pyarrow.csv.write_csv(table(version), path)


def swap_parquet(path: Path, version: int) -> None:
    """As a careful writer does: a new file takes the place of the old one."""
    pq.write_table(table(version), path.with_suffix(".new"))
    os.replace(path.with_suffix(".new"), path)


@pytest.fixture
def con() -> tqp.Connection:
    return tqp.connect(threads=1)


KINDS = [("x.parquet", write_parquet), ("x.parquet", swap_parquet), ("x.csv", write_csv)]


@pytest.mark.parametrize(("name", "write"), KINDS)
def test_a_file_written_between_queries_is_read_anew_as_a_whole(
    con: tqp.Connection, tmp_path: Path, name: str, write: Write
) -> None:
    path = tmp_path / name
    write(path, 1)
    con.register("t", path)
    matched = f"{tmp_path}/*{path.suffix}"
    globbed = con.sql(f"SELECT min(a), max(b), min(s) FROM '{matched}'")
    made = con.read_parquet(path) if name == "x.parquet" else con.read_csv(path)
    assert con.sql("SELECT max(a) FROM t").fetchall() == [(1,)]
    early = con.sql("SELECT max(a), max(b), max(s) FROM t")
    view = con.sql("SELECT a, b, s FROM t WHERE a > 0")
    con.register("v", view)
    for version in (2, 3):
        write(path, version)
        expected = [(version, version, f"v{version}")]
        whole = "SELECT max(a), max(b), max(s) FROM"
        assert con.sql(f"{whole} t").fetchall() == expected
        assert con.sql(f"{whole} '{path}'").fetchall() == expected
        assert con.sql(f"{whole} v").fetchall() == expected
        assert made.sql(f"{whole} self").fetchall() == expected
        # One that was bound before, and other spellings, do not meet another version in one query.
        sides = f"(SELECT max(a) a FROM t), (SELECT max(b) b FROM '{path}'), (SELECT max(s) s FROM v)"
        assert con.sql(f"SELECT a, b, s FROM {sides}").fetchall() == expected
    assert early.fetchall() == [(3, 3, "v3")]
    assert globbed.fetchall() == [(3, 3, "v3")]
    assert early.fetchall() == [(3, 3, "v3")], "an answer that was given stays"
    write(path, 4)
    assert early.fetchall() == [(3, 3, "v3")]


@pytest.mark.parametrize("columns", ["a, b, s", "s, b, a"])
@pytest.mark.parametrize("write", [write_parquet, swap_parquet])
def test_a_file_written_between_two_columns(
    con: tqp.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: str, write: Write
) -> None:
    path = tmp_path / "x.parquet"
    write(path, 1)
    read = parquet.ParquetReader._decoded
    calls = []

    def then_written(
        self: parquet.ParquetReader, name: str, span: parquet._Span, coded: bool = False
    ) -> list[pa.Array]:
        found = read(self, name, span, coded)
        calls.append(name)
        if len(calls) == 1:
            write(path, 2)
        return found

    monkeypatch.setattr(parquet.ParquetReader, "_decoded", then_written)
    answer = con.sql(f"SELECT DISTINCT {columns} FROM '{path}'").fetchall()
    assert [sorted(map(str, row)) for row in answer] == [["2", "2", "v2"]]
    assert len(calls) > 3, "the first version gave at least one column, the second all"


def test_a_file_that_never_rests_is_refused(
    con: tqp.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.parquet"
    write_parquet(path, 1)
    read = parquet.ParquetReader._decoded
    versions = iter(range(2, 100))

    def then_written(
        self: parquet.ParquetReader, name: str, span: parquet._Span, coded: bool = False
    ) -> list[pa.Array]:
        write_parquet(path, next(versions))
        return read(self, name, span, coded)

    monkeypatch.setattr(parquet.ParquetReader, "_decoded", then_written)
    with pytest.raises(SourceChanged, match="changed while it was read"):
        con.sql(f"SELECT a, b FROM '{path}'").fetchall()
    monkeypatch.undo()
    assert len(con.sql(f"SELECT DISTINCT a FROM '{path}'").fetchall()) == 1


def test_a_change_without_another_date_or_size_shows_in_the_footer(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    write_parquet(path, 1)
    source = parquet_source(path)
    first = source.look()
    reader = source.open(first.files)
    write_parquet(path, 2)
    (file,) = source.look().files
    assert file.state.size == first.files[0].state.size
    # As if both were written within one tick of the clock.
    reader._files = [(file, *rest) for _, *rest in reader._files]  # type: ignore[union-attr]
    with pytest.raises(SourceChanged):
        reader.column("a")


def test_what_was_opened_just_after_a_change_is_not_trusted(con: tqp.Connection, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    write_csv(path, 1)
    assert not parquet_source(path).look().settled
    assert con.sql(f"SELECT max(a) FROM '{path}'").fetchall() == [(1,)]
    write_csv(path, 2)
    assert con.sql(f"SELECT max(a) FROM '{path}'").fetchall() == [(2,)]
    old = 1_600_000_000
    os.utime(path, (old, old))
    assert parquet_source(path).look().settled
    query = f"SELECT max(a) FROM '{path}'"
    assert con.sql(query)._query is con.sql(query)._query


@pytest.mark.parametrize("spelled", ["", "/*.parquet", "/**/*.parquet"])
def test_files_added_to_and_removed_from_a_folder(con: tqp.Connection, tmp_path: Path, spelled: str) -> None:
    folder = tmp_path / "data"
    (folder / "year=1").mkdir(parents=True)
    write_parquet(folder / "one.parquet", 1)
    path = f"{folder}{spelled}"
    con.register("t", path)
    made = con.read_parquet(path)
    count = "SELECT count(*), sum(b), min(s), max(s) FROM"

    def check(*versions: int) -> None:
        expected = [(ROWS * len(versions), ROWS * sum(versions), f"v{min(versions)}", f"v{max(versions)}")]
        assert con.sql(f"{count} t").fetchall() == expected
        assert con.sql(f"{count} '{path}'").fetchall() == expected
        assert made.sql(f"{count} self").fetchall() == expected

    check(1)
    write_parquet(folder / "two.parquet", 2)
    check(1, 2)
    (folder / "one.parquet").unlink()
    check(2)
    write_parquet(folder / "two.parquet", 5)
    check(5)


def test_hive_folders_added_and_renamed(con: tqp.Connection, tmp_path: Path) -> None:
    (tmp_path / "year=1").mkdir()
    write_parquet(tmp_path / "year=1" / "x.parquet", 1)
    con.register("t", tmp_path)
    query = "SELECT DISTINCT year, a FROM t ORDER BY 1"
    assert con.sql(query).fetchall() == [(1, 1)]
    early = con.sql(query)
    (tmp_path / "year=2").mkdir()
    write_parquet(tmp_path / "year=2" / "x.parquet", 2)
    assert con.sql(query).fetchall() == [(1, 1), (2, 2)]
    assert early.fetchall() == [(1, 1), (2, 2)]
    early = con.sql(query)
    (tmp_path / "year=2").rename(tmp_path / "year=new")
    assert con.sql(query).fetchall() == [("1", 1), ("new", 2)]
    with pytest.raises(SourceError, match="column 'year' .* was BIGINT when the relation was made, and is VARCHAR now"):
        early.fetchall()


def test_a_schema_that_changes(con: tqp.Connection, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    write_parquet(path, 1)
    con.register("t", path)
    star, one = con.sql("SELECT * FROM t"), con.sql("SELECT count(*), max((SELECT max(b) FROM t)) FROM t")
    con.register("v", star)
    pq.write_table(pa.table({"c": [7.5], "b": [5], "a": [6], "s": ["x"]}), path)
    assert con.sql("SELECT * FROM t").fetchall() == [(7.5, 5, 6, "x")]
    assert star.fetchall() == [(6, 5, "x")], "the columns that the relation promised"
    assert con.sql("FROM v").fetchall() == [(6, 5, "x")]
    assert one.fetchall() == [(1, 5)]
    late = con.sql("SELECT a FROM t")
    pq.write_table(pa.table({"b": ["text"]}), path)
    with pytest.raises(SourceError, match="column 'c' .* is gone"):
        late.fetchall()
    with pytest.raises(SourceError, match="register the view, again"):
        con.sql("FROM v")
    assert con.sql("SELECT * FROM t").fetchall() == [("text",)]
    write_parquet(path, 3)
    assert con.sql("SELECT max(a) FROM v").fetchall() == [(3,)]


def test_files_that_go(con: tqp.Connection, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    write_parquet(path, 1)
    con.register("t", path).register("other", pa.table({"a": [1]}))
    early, kept = con.sql("SELECT max(b) FROM t"), con.sql("SELECT max(a) FROM t")
    assert kept.fetchall() == [(1,)]
    path.unlink()
    for again in range(2):
        for run in (lambda: con.sql("SELECT max(a) FROM t"), early.fetchall, lambda: con.sql(f"FROM '{path}'")):
            with pytest.raises(SourceError, match="no such file"):
                run()
        if again == 0:
            path.mkdir()
            with pytest.raises(SourceError, match="directory without such files"):
                con.sql("SELECT max(a) FROM t")
            path.rmdir()
    assert kept.fetchall() == [(1,)] and con.tables() == ["other", "t"]
    assert con.sql("SELECT a FROM other").fetchall() == [(1,)]
    write_parquet(path, 2)
    assert con.sql("SELECT max(a), max(b) FROM t").fetchall() == [(2, 2)] == [early.fetchall()[0] * 2]


def test_a_dataset_whose_files_were_written_is_refused(con: tqp.Connection, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    write_parquet(path, 1)
    con.register("t", pyarrow.dataset.dataset(path))
    assert con.sql("SELECT max(a) FROM t").fetchall() == [(1,)]
    write_parquet(path, 2)
    with pytest.raises(SourceError, match="changed"):
        con.sql("SELECT max(a), max(b) FROM t").fetchall()
    con.register("t", pyarrow.dataset.dataset(path))
    assert con.sql("SELECT max(a), max(b) FROM t").fetchall() == [(2, 2)]


def test_relative_paths_stay_where_they_were_registered(
    con: tqp.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version, name in ((1, "one"), (2, "two")):
        (tmp_path / name).mkdir()
        write_parquet(tmp_path / name / "x.parquet", version)
    monkeypatch.chdir(tmp_path / "one")
    con.register("t", "x.parquet")
    relation = con.read_parquet("x.parquet")
    query = "SELECT max(a) FROM 'x.parquet'"
    assert con.sql(query).fetchall() == [(1,)]
    monkeypatch.chdir(tmp_path / "two")
    assert con.sql(query).fetchall() == [(2,)]
    assert con.sql("SELECT max(a) FROM t").fetchall() == [(1,)]
    assert relation.sql("SELECT max(b) FROM self").fetchall() == [(1,)]


def test_a_writer_beside_readers_never_mixes_rows(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    write_parquet(path, 0)
    con = tqp.connect(threads=1)
    done = threading.Event()
    answers: list[tuple[int, ...]] = []
    refused: list[BaseException] = []

    def read() -> None:
        while not done.is_set():
            try:
                answers.append(con.sql(f"SELECT min(a), max(a), min(b), max(b) FROM '{path}'").fetchall()[0])
            except SourceError as error:
                refused.append(error)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    version = 0
    while version < 60 or (len(answers) < 10 and version < 5000):
        version += 1
        swap_parquet(path, version) if version % 2 else write_parquet(path, version)
        if version % 10 == 0:
            time.sleep(0.05)
    done.set()
    for reader in readers:
        reader.join()
    assert answers and all(len(set(row)) == 1 for row in answers)
    assert all(isinstance(error, TqpError) for error in refused)
    assert con.sql(f"SELECT min(a), max(b) FROM '{path}'").fetchall() == [(version, version)]


@pytest.mark.parametrize("write", [write_parquet, swap_parquet])
def test_one_file_is_known_again_by_its_state(tmp_path: Path, write: Write) -> None:
    """What may be several files is looked at as a whole."""
    path = tmp_path / "x.parquet"
    write(path, 1)
    one, many = parquet_source(path), parquet_source(tmp_path / "*.parquet")
    look = one.look()
    assert one.is_still(look)
    assert many.look().files and not many.is_still(many.look())
    write(path, 2)
    assert not one.is_still(look) and one.is_still(one.look())
    path.unlink()
    assert not one.is_still(look)
