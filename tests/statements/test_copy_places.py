"""Where COPY … TO writes: names that are none, folders that take no files, devices, what a process that was killed left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from errno import EROFS
from pathlib import Path
from typing import Any

import pytest

import tqp
from tqp.errors import SourceError

ODD = {
    "a name of 300 letters": "x" * 300 + ".csv",
    "a folder of such a name": "x" * 300 + "/x.csv",
    "a path of 5000 letters": "y/" * 2500 + "x.csv",
    "a zero byte": "a\0b.parquet",
    "nothing but a zero byte": "\0",
    "this folder": ".",
    "the root": "/",
    "a folder that is a file": "file.csv/x.csv",
    "a folder that there is not": "nowhere/x.parquet",
}
WRITES: dict[str, Any] = {
    "csv": lambda con, path: con.execute(f"COPY (SELECT 1 AS a) TO '{path}' (FORMAT csv)"),
    "json": lambda con, path: con.execute(f"COPY (SELECT 1 AS a) TO '{path}' (FORMAT json)"),
    "parquet": lambda con, path: con.sql("SELECT 1 AS a").write_parquet(path),
    "arrow": lambda con, path: con.execute(f"COPY (SELECT 1 AS a) TO '{path}' (FORMAT arrow)"),
    "folder": lambda con, path: con.execute(f"COPY (SELECT 1 AS a, 2 AS b) TO '{path}' (PARTITION_BY (a))"),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("kind", ODD)
def test_places_that_are_none(kind: str, write: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file.csv").write_text("a\n1\n")
    with pytest.raises(SourceError, match="cannot write"):
        WRITES[write](tqp.connect(threads=1), ODD[kind])
    assert os.listdir() == ["file.csv"]


@pytest.mark.parametrize("kind", [kind for kind in ODD if kind not in ("this folder", "the root")])
def test_no_file_can_be_read_there(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file.csv").write_text("a\n1\n")
    con = tqp.connect(threads=1)
    for query in (
        f"FROM read_csv('{ODD[kind]}')",
        f"FROM read_parquet('{ODD[kind]}')",
        f"FROM read_json('{ODD[kind]}')",
    ):
        with pytest.raises(SourceError, match="cannot read"):
            con.sql(query)


def test_a_name_as_long_as_names_can_be(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 251 + ".csv")
    con = tqp.connect(threads=1)
    con.execute(f"COPY (SELECT 1 AS a) TO '{path}'")
    assert con.sql(f"FROM read_csv('{path}')").fetchall() == [(1,)]
    assert len(os.listdir(tmp_path)) == 1


@pytest.mark.parametrize("write", WRITES)
def test_what_hinders_to_write_is_told_though_it_hinders_to_clean_up(
    write: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a file system that can only be read."""

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(EROFS, os.strerror(EROFS))

    monkeypatch.setattr(os, "replace", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(SourceError, match="cannot write .*Read-only file system"):
        WRITES[write](tqp.connect(threads=1), str(tmp_path / "x"))


def test_a_device_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True) as reader:
        tqp.connect(threads=1).execute(f"COPY (SELECT 1 AS a) TO '{pipe}' (FORMAT csv)")
        assert reader.stdout is not None
        assert reader.stdout.read() == "a\n1\n"
    assert pipe.is_fifo()


KILLED = """
import os, signal, sys
from tqp.io.remote import Filesystems
from tqp.io.written import written
with written(sys.argv[1], Filesystems()) as beside:
    open(beside, "w").write("half of it")
    print(os.getpid(), flush=True)
    sys.stdin.read()
"""


def test_what_a_killed_process_left_is_removed_by_the_next_who_writes_there(tmp_path: Path) -> None:
    con, path = tqp.connect(threads=1), tmp_path / "x.csv"
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        process = int(other.stdout.readline())
        # What is being written is left alone, and so is what stands beside another file.
        con.execute(f"COPY (SELECT 1 AS a) TO '{path}'")
        assert len(os.listdir(tmp_path)) == 2
        os.kill(process, signal.SIGKILL)
    con.execute(f"COPY (SELECT 1 AS a) TO '{tmp_path}/y.csv'")
    assert len(os.listdir(tmp_path)) == 3
    con.execute(f"COPY (SELECT 2 AS a) TO '{path}'")
    assert sorted(os.listdir(tmp_path)) == ["x.csv", "y.csv"]
