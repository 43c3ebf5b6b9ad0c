"""What the 22 TPC-H queries ask of an accelerator: a golden file for each, of launches, waits and copies that nobody waits for.

The counts are those of the simulated device at scale factor 0.01, in the second run of the same text, when columns and indexes
are on the device already; a line says what the first run took. Waits are listed with the place in tqp that asks. As torch
counts among what decides, they hold for the torch of `constraints.txt`.

`pytest --device sim tests/device --update-golden` writes them anew; read the difference: it is what a change does to a GPU.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import torch

import tqp
from tests.device.record import Kind, Record, recording
from tpch import data, parameters

SF = 0.01
HERE = Path(__file__).parent / "golden"
CONSTRAINTS = Path(__file__).parents[2] / "constraints.txt"


def _version(text: str) -> str:
    """Major and minor of the torch version in `text`."""
    found = re.search(r"^(?:torch==)?(\d+\.\d+)", text, re.MULTILINE)
    assert found is not None
    return found[1]


@pytest.fixture(scope="module")
def connection(tpch_dir: Callable[[float], Path]) -> Iterator[tqp.Connection]:
    folder = tpch_dir(SF)
    with tqp.connect(device="sim", threads=1) as connected:
        for table in data.TABLES:
            connected.register(table, pq.read_table(folder / f"{table}.parquet"))
        yield connected


def _total(record: Record) -> str:
    uploads, sent = len(record.of(Kind.UPLOAD)), len(record.of(Kind.SENT))
    return f"{len(record.launches)} launches, {len(record.waits)} waits, {uploads} of them for uploads, copies without a wait: {sent}"


def _table(title: str, rows: dict[tuple[str, ...], int]) -> Iterator[str]:
    yield f"\n{title}"
    for name, count in sorted(rows.items(), key=lambda row: (-row[1], row[0])):
        yield f"{count:4} {'  '.join(name)}"


def _report(number: int, first: Record, again: Record) -> str:
    lines = [
        f"TPC-H Q{number} at scale factor {SF} on the simulated device",
        f"first run: {_total(first)}",
        f"then: {_total(again)}; kernels touch {again.nbytes / 1e6:.1f} MB",
        f"most rows that a scatter has for one address: {again.crowd}",
        *_table("launches", Record.count(again.launches, "name")),
        *_table("waits", Record.count(again.waits, "wait", "place")),
    ]
    return "\n".join(lines) + "\n"


@pytest.mark.skipif(
    _version(torch.__version__) != _version(CONSTRAINTS.read_text()), reason="the counts are of another torch"
)
@pytest.mark.parametrize("number", parameters.QUERIES)
def test_launches_and_waits(connection: tqp.Connection, request: pytest.FixtureRequest, number: int) -> None:
    text = parameters.query(number, sf=SF)
    # Other queries leave columns and indexes on the device.
    connection.clear_cache()
    with recording() as first:
        expected = connection.sql(text).arrow()
    with recording() as again:
        assert connection.sql(text).arrow() == expected
    assert not [(event.name, event.place) for event in (*first.unannounced, *again.unannounced)]
    report = _report(number, first, again)
    file = HERE / f"q{number:02}.txt"
    if request.config.getoption("--update-golden"):
        file.write_text(report)
    assert report == file.read_text(), f"Q{number} asks otherwise now; if that is meant: --device sim --update-golden"
