"""The simulated device sees what an accelerator would refuse or wait for: tensors out of place must be caught."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch

import tqp
from tests.device import pinned
from tests.device.record import Kind, place, recording
from tqp.data.column import Column
from tqp.errors import InternalError, SourceError
from tqp.kernels import rows, waits
from tqp.operators import steps

SIM = torch.device("sim", 0)
TABLE = pa.table({"k": [1, 2, 1, None], "v": [5, 6, 7, 8], "s": ["b", "a", None, "b"]})


@pytest.fixture
def x() -> torch.Tensor:
    return torch.arange(6, device=SIM)


@pytest.fixture
def connection() -> Iterator[tqp.Connection]:
    with tqp.connect(device="sim", threads=1) as made:
        yield made.register("t", TABLE)


def test_tensors_are_elsewhere(x: torch.Tensor) -> None:
    assert x.device == SIM and not x.is_cpu
    assert (x[1:] * 2 + 1).device == SIM
    assert (x[1:] * 2 + 1).cpu().tolist() == [3, 5, 7, 9, 11]
    assert x.cpu().is_cpu and x.to("cpu").to(SIM).device == SIM


def test_an_operation_in_place_keeps_its_tensor(x: torch.Tensor) -> None:
    half = x[:3]
    assert half.add_(10) is half
    assert x.tolist() == [10, 11, 12, 3, 4, 5]


MIXES: dict[str, Callable[[torch.Tensor, torch.Tensor], Any]] = {
    "operand": lambda x, host: x + host,
    "operand without dimensions": lambda x, host: x + host[0],
    "choice": lambda x, host: torch.where(x > 1, x, host),
    "index": lambda x, host: x[host],
    "gather": lambda x, host: x.index_select(0, host),
    "scatter": lambda x, host: torch.zeros_like(x).scatter_add_(0, host, x),
    "scattered value": lambda x, host: torch.zeros_like(x).scatter_add_(0, x, host),
    "mask": lambda x, host: x[host > 1],
    "written mask": lambda x, host: x.__setitem__(host > 1, 0),
    "parts": lambda x, host: torch.cat((x, host)),
    "search": lambda x, host: torch.searchsorted(x, host),
    "out": lambda x, host: torch.cumsum(x, 0, out=host),
    "host first": lambda x, host: host.add_(x),
}


@pytest.mark.parametrize("inference", [False, True])
@pytest.mark.parametrize("name", MIXES)
def test_every_mix_of_devices_is_refused(x: torch.Tensor, name: str, inference: bool) -> None:
    with torch.inference_mode(inference), pytest.raises(RuntimeError, match="same device"):
        MIXES[name](x, torch.arange(6, device="cpu"))


READS: dict[str, Callable[[torch.Tensor], Any]] = {
    "numpy": lambda x: x.numpy(),
    "asarray": lambda x: np.asarray(x),
    "ufunc": lambda x: np.add(x, 1),
    "from_numpy": lambda x: torch.from_numpy(x),  # type: ignore[arg-type]
    "dlpack": lambda x: np.from_dlpack(x),
}


@pytest.mark.parametrize("name", READS)
def test_numpy_does_not_see_the_device(x: torch.Tensor, name: str) -> None:
    with pytest.raises(TypeError):
        READS[name](x)


def _pinned() -> torch.Tensor:
    return pinned.memory(48).view(torch.int64)


COSTS: dict[str, tuple[Kind, Callable[[torch.Tensor], Any]]] = {
    "launch": (Kind.LAUNCH, lambda x: x + 1),
    "factory": (Kind.LAUNCH, lambda x: torch.full((), 5, device=x.device)),
    "cast": (Kind.LAUNCH, lambda x: x.int()),
    "between": (Kind.LAUNCH, lambda x: x.clone().copy_(x)),
    "repeats of a known size": (Kind.LAUNCH, lambda x: torch.repeat_interleave(x, x, output_size=15)),
    "view": (Kind.VIEW, lambda x: x[2:].view(2, 2)),
    "memory": (Kind.NOTHING, lambda x: torch.empty_like(x)),
    "constant": (Kind.UPLOAD, lambda x: torch.tensor(5, device=x.device)),
    "list": (Kind.UPLOAD, lambda x: torch.tensor([1, 2], device=x.device)),
    "upload": (Kind.UPLOAD, lambda x: torch.zeros(2, device="cpu").to(x.device)),
    "number for one place": (Kind.UPLOAD, lambda x: x.__setitem__(0, 7)),
    "number for places": (Kind.UPLOAD, lambda x: x.__setitem__(torch.arange(2, device=x.device), 7)),
    "number for a slice": (Kind.LAUNCH, lambda x: x.__setitem__(slice(0, 1), 7)),
    "number for a mask": (Kind.LAUNCH, lambda x: x.__setitem__(x > 2, 7)),
    "pinned upload": (Kind.SENT, lambda x: x.copy_(_pinned(), non_blocking=True)),
    "pinned upload, waited for": (Kind.UPLOAD, lambda x: x.copy_(_pinned())),
    "pageable upload": (Kind.UPLOAD, lambda x: x.copy_(torch.zeros(6, device="cpu"), non_blocking=True)),
    "pinned download": (Kind.SENT, lambda x: _pinned().copy_(x, non_blocking=True)),
    "pageable download": (Kind.DOWNLOAD, lambda x: torch.zeros(6, device="cpu").copy_(x, non_blocking=True)),
    "arrival": (Kind.ARRIVED, lambda x: waits.arrived(x.device, "why")),
    "item": (Kind.READ, lambda x: x[0].item()),
    "int": (Kind.READ, lambda x: int(x.sum())),
    "bool": (Kind.READ, lambda x: bool((x > 3).any())),
    "if": (Kind.READ, lambda x: 1 if x.sum() > 3 else 0),
    "tolist": (Kind.DOWNLOAD, lambda x: x.tolist()),
    "cpu": (Kind.DOWNLOAD, lambda x: x.cpu()),
    "written to the host": (Kind.DOWNLOAD, lambda x: torch.zeros(6, dtype=x.dtype, device="cpu").copy_(x)),
    "nonzero": (Kind.SIZED, lambda x: x.nonzero()),
    "mask": (Kind.SIZED, lambda x: x[x > 1]),
    "written mask": (
        Kind.SIZED,
        lambda x: x.clone().__setitem__(x > 1, torch.zeros(4, dtype=x.dtype, device=x.device)),
    ),
    "unique": (Kind.SIZED, lambda x: torch.unique(x)),
    "repeats": (Kind.SIZED, lambda x: torch.repeat_interleave(x, x)),
    "equal": (Kind.SIZED, lambda x: torch.equal(x, x)),
}


@pytest.mark.parametrize("inference", [False, True])
@pytest.mark.parametrize("name", COSTS)
def test_each_cost_is_recorded(x: torch.Tensor, name: str, inference: bool) -> None:
    kind, action = COSTS[name]
    with torch.inference_mode(inference), recording() as record:
        action(x)
    assert kind in [event.kind for event in record.events]
    # What does not wait is not said to wait.
    waiting = kind not in (Kind.LAUNCH, Kind.VIEW, Kind.NOTHING, Kind.SENT)
    assert bool(record.waits) == waiting


def test_what_is_sent_to_the_host_is_there_after_the_wait(x: torch.Tensor) -> None:
    target = _pinned()
    target.copy_(x, non_blocking=True)
    x.add_(10)
    assert target.tolist() == [0] * 6
    waits.arrived(SIM, "why")
    assert target.tolist() == [0, 1, 2, 3, 4, 5]


def test_what_is_sent_from_the_host_is_read_later(x: torch.Tensor) -> None:
    source = _pinned().fill_(7)
    x.copy_(source, non_blocking=True)
    source.fill_(8)
    assert x.tolist() == [8] * 6


def test_memory_that_was_let_go_is_not_pinned() -> None:
    kept = _pinned()[3:]
    assert pinned.holds(kept) and pinned.holds(kept[:0])
    before = len(pinned._PAGES)
    del kept
    assert len(pinned._PAGES) == before - 1
    assert not pinned.holds(torch.zeros(6, device="cpu"))


def test_a_result_that_was_not_waited_for_is_caught(
    connection: tqp.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waits, "arrived", lambda device, why: None)
    assert connection.sql("SELECT v FROM t").fetchall() == [(0,)] * 4


def test_scatters_into_few_addresses_are_told_apart(x: torch.Tensor) -> None:
    with recording() as record:
        torch.zeros(4, dtype=x.dtype, device=SIM).scatter_add_(0, x % 2, x)
    assert record.crowd == 2
    with recording() as record:
        x + 1
    assert record.crowd == 0


def test_recordings_nest_and_end(x: torch.Tensor) -> None:
    with recording() as outer:
        with recording() as inner:
            x + 1
        x + 1
    x + 1
    assert (len(inner.launches), len(outer.launches)) == (1, 2)


def test_the_place_is_in_tqp(x: torch.Tensor) -> None:
    with recording() as record:
        rows.select(x > 2)
        x.nonzero()
    places = [event.place for event in record.of(Kind.SIZED)]
    assert places == ["kernels.rows.select", "?"]
    assert place() == "?"


def test_a_wait_outside_of_the_one_place_is_seen(x: torch.Tensor) -> None:
    space: dict[str, Any] = {}
    code = "def total(x): return int(x.sum())"
    exec(compile(code, str(Path(tqp.__file__).parent / "operators" / "sample.py"), "exec"), space)
    with recording() as record:
        waits.number(x.sum(), "why")
        rows.select(x > 2)
    assert len(record.waits) == 2 and not record.unannounced
    with recording() as record:
        space["total"](x)
    assert [event.place for event in record.unannounced] == ["operators.sample.total"]


def test_a_query_runs_there(connection: tqp.Connection) -> None:
    with recording() as record:
        found = connection.sql("SELECT s, sum(v) FROM t WHERE k = 1 GROUP BY s ORDER BY s").fetchall()
    assert found == [("b", 5), (None, 7)]
    assert record.launches and record.of(Kind.SENT) and record.of(Kind.ARRIVED)
    assert all(event.place != "?" for event in record.events if event.kind is not Kind.NOTHING)


def test_devices_that_are_not_there_are_refused() -> None:
    with pytest.raises(SourceError, match="sees 1 SIM device"):
        tqp.connect(device="sim:1")
    with pytest.raises(SourceError, match="not supported"):
        tqp.connect(device="meta")


def _constant_on_the_host(patch: pytest.MonkeyPatch) -> None:
    made = steps.constant
    patch.setattr(steps, "constant", lambda value, dtype, device: made(value, dtype, torch.device("cpu")))


def _column_left_on_the_host(patch: pytest.MonkeyPatch) -> None:
    def moved(columns: Sequence[Column], device: torch.device) -> list[Column]:
        return [column if column.valid is None else column.to(device) for column in columns]

    patch.setattr("tqp.data.stored.moved", moved)


def _rows_on_the_host(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("tqp.operators.filter.select", lambda mask: rows.select(mask).cpu())


def _numpy_on_the_device(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("tqp.operators.filter.select", lambda mask: torch.from_numpy(np.flatnonzero(mask.numpy())))


def _ranks_not_moved(patch: pytest.MonkeyPatch) -> None:
    def ranked(self: Column) -> Column:
        if self.dictionary is None or self.dictionary.is_sorted:
            return self
        dictionary, ranks = self.dictionary.ranked()
        return replace(self, data=ranks.index_select(0, self.data.int()), dictionary=dictionary)

    patch.setattr(Column, "ranked", ranked)


@pytest.mark.parametrize(
    ("mistake", "query"),
    [
        (_constant_on_the_host, "SELECT coalesce(k, 7) FROM t"),
        (_column_left_on_the_host, "SELECT v FROM t WHERE k > 1"),
        (_rows_on_the_host, "SELECT v FROM t WHERE k > 1"),
        (_numpy_on_the_device, "SELECT v FROM t WHERE k > 1"),
        (_ranks_not_moved, "SELECT v FROM t ORDER BY replace(s, 'a', 'c')"),
    ],
)
def test_a_misplaced_tensor_in_tqp_is_caught(
    connection: tqp.Connection,
    monkeypatch: pytest.MonkeyPatch,
    mistake: Callable[[pytest.MonkeyPatch], None],
    query: str,
) -> None:
    assert connection.sql(query).fetchall()
    connection.clear_cache()
    mistake(monkeypatch)
    with pytest.raises(InternalError, match="same device|can't convert sim"):
        connection.sql(query).fetchall()
