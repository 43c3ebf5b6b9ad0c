"""Pipes that a shell hands to a process, which can be read once."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tqp
from tqp.errors import SourceError

LINES = "a,b\n" + "".join(f"{number},x{number}\n" for number in range(50_000))


@contextmanager
def piped(content: bytes) -> Iterator[str]:
    """The path of a pipe that gives these bytes, more than one holds at a time."""
    reads, writes = os.pipe()

    def write() -> None:
        with open(writes, "wb") as stream:
            stream.write(content)

    writer = Thread(target=write)
    writer.start()
    try:
        yield f"/dev/fd/{reads}"
    finally:
        writer.join()
        os.close(reads)


def test_a_pipe_is_read_once_and_stays() -> None:
    con = tqp.connect(threads=1)
    with piped(LINES.encode()) as path:
        assert con.sql(f"FROM read_csv('{path}') LIMIT 2").fetchall() == [(0, "x0"), (1, "x1")]
        assert con.sql(f"SELECT count(*), sum(a) FROM read_csv('{path}')").fetchall() == [(50_000, 1_249_975_000)]
        assert con.read_csv(path).columns == ["a", "b"]


def test_packed_json_and_parquet(tmp_path: Path) -> None:
    con = tqp.connect(threads=1)
    with piped(gzip.compress(LINES.encode())) as path:
        assert len(con.read_csv(path, compression="gzip")) == 50_000
    with piped(b'{"a": [1, 2]}\n{"a": [3]}\n') as path:
        assert con.sql(f"FROM read_json('{path}')").fetchall() == [([1, 2],), ([3],)]
    pq.write_table(pa.table({"a": range(1000)}), tmp_path / "t.parquet", row_group_size=100)
    with piped((tmp_path / "t.parquet").read_bytes()) as path:
        assert con.sql(f"SELECT sum(a) FROM read_parquet('{path}') WHERE a >= 990").fetchall() == [(9945,)]


def test_standard_input_of_the_command() -> None:
    query = "SELECT count(*) AS n, max(b) AS most FROM read_csv('/dev/stdin')"
    command = [sys.executable, "-m", "tqp", "-c", query, "-c", query, "--csv"]
    done = subprocess.run(command, input=LINES, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["n,most", "50000,x9999"] * 2


def test_a_pipe_with_a_name_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "named")
    with pytest.raises(SourceError, match="named pipe") as refused:
        tqp.connect().read_csv(tmp_path / "named")
    assert refused.value.hint is not None and "/dev/stdin" in refused.value.hint
