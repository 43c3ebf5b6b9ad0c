"""Loops are compiled where they are met, behind the scenes, or not at all."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest
import torch

from tqp.errors import SourceError
from tqp.kernels.loops import generated as module_of_texts
from tqp.kernels.loops import loop as module
from tqp.kernels.loops.generated import generated
from tqp.kernels.loops.hashing import find_numbers, number_keys
from tqp.kernels.loops.loop import Loop, mode, part
from tqp.kernels.loops.matching import BLOCK, lowest, same_bytes

MANY = 2**20
KINDS = (torch.int64, int)


def _added(key: np.ndarray, number: int) -> int:
    total = 0
    for row in range(key.size):
        total += key[row] + number
    return total


@pytest.fixture
def adding() -> Loop:
    return Loop(_added, ())


@part
def _plus(number: int, more: int) -> int:
    return number + more


def _added_by_part(key: np.ndarray, number: int) -> int:
    total = 0
    for row in range(key.size):
        total = _plus(total, _plus(key[row], number))
    return total


def _wait() -> None:
    for thread in threading.enumerate():
        if thread.name == "tqp-loops":
            thread.join()


def test_compiled_where_it_is_met(adding: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MODE", "now")
    assert adding.ready(1, *KINDS)
    assert adding(np.arange(4), 10) == 46


def test_a_part_is_compiled_with_the_loops_that_call_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MODE", "now")
    for function in (_added_by_part, lambda key, number: _plus(len(key), number)):
        adding = Loop(function, ())
        assert adding.ready(1, *KINDS)
        assert adding(np.arange(4), 10) == function(np.arange(4), 10)
    assert _plus(1, 2) == 3, "it stays a plain function"


def _slid(key: np.ndarray, number: int) -> int:
    own, total = key[1:], 0
    for row in range(own.size):
        total = _plus(total, _plus(own[row], number))
    return total


def test_a_loop_that_stands_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MODE", "now")
    monkeypatch.setattr(module, "_LOOPS", [])
    sliding = module.loop(KINDS, alone=True)(_slid)
    assert sliding.ready(1, *KINDS)
    assert sliding(np.arange(4), 10) == _slid(np.arange(4), 10)
    assert sliding._compiled.targetoptions["_nrt"] is False


def test_compiled_behind_the_scenes(adding: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MODE", "background")
    assert not adding.ready(1, *KINDS)
    _wait()
    assert not adding.ready(1, *KINDS), "few rows are not worth it"
    adding.ready(MANY, *KINDS)
    _wait()
    assert adding.ready(1, *KINDS)
    assert adding(np.arange(4), 10) == 46


def test_never_compiled(adding: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MODE", "off")
    assert not adding.ready(MANY, *KINDS)
    _wait()
    assert not adding.ready(MANY, *KINDS)


def test_other_types_are_an_error_and_no_wait(adding: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MODE", "now")
    assert adding.ready(1, *KINDS)
    with pytest.raises(TypeError, match="No matching definition"):
        adding(np.arange(4, dtype=np.int8), 10)


def test_a_wrong_mode_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TQP_LOOPS", "always")
    with pytest.raises(SourceError, match="'always'.*\n?.*background"):
        mode()


def test_a_process_ends_while_loops_are_compiled() -> None:
    text = "from tqp.kernels import group; from tqp.kernels.loops.loop import prepare; prepare(10**6); print('end')"
    environment = {**os.environ, "TQP_LOOPS": "background", "NUMBA_CACHE_DIR": "/nonexistent"}
    found = subprocess.run(
        [sys.executable, "-c", text], check=False, env=environment, capture_output=True, text=True, timeout=60
    )
    assert (found.returncode, found.stdout) == (0, "end\n"), found.stderr


TEXT = "def loop(number):\n    return number + {number}\n"


def _made(number: int) -> Loop:
    made = generated(TEXT.format(number=number))
    made.compile((int,))
    return made


def test_texts_are_kept_as_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(module_of_texts, "_MOST", 2)
    assert _made(3)(4) == 7
    assert _made(3)(5) == 8
    folder = tmp_path / "tqp" / "loops"
    assert len(list(folder.glob("*.py"))) == 1 and list(folder.glob("__pycache__/*.nbi"))
    for number in range(4, 8):
        assert _made(number)(1) == number + 1
    assert len(list(folder.glob("*.py"))) == 2
    assert len(list(folder.glob("__pycache__/*.nbi"))) == 2


def test_a_text_is_one_loop_as_long_as_somebody_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made = _made(11)
    assert generated(TEXT.format(number=11)) is made
    assert generated(TEXT.format(number=12)) is not made
    known = weakref.ref(made)
    del made
    assert known() is None


def test_a_text_that_was_tampered_with_is_written_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    _made(3)
    (path,) = tmp_path.glob("tqp/loops/*.py")
    path.write_text(TEXT.format(number=1000))
    assert _made(3)(4) == 7


def test_without_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert _made(3)(4) == 7


@pytest.mark.skipif(mode() == "off", reason="needs Numba")
@pytest.mark.parametrize("distinct", [1, 1000, 20_000])
def test_a_table_grows(distinct: int) -> None:
    assert number_keys.ready(MANY, torch.int64, torch.int64, torch.int64)
    assert find_numbers.ready(MANY, torch.int64, torch.int32, torch.int64, torch.int32)
    values = np.random.default_rng(distinct).integers(-(2**63), 2**63 - 1, distinct)
    key = values[np.random.default_rng(1).integers(0, distinct, 50_000)]
    # Half of it is of few values, so that the rest surprises.
    key[:25_000] = values[:1]
    ids, firsts = np.empty(key.size, np.int64), np.empty(key.size, np.int64)
    slots, keys, count, reach = number_keys(key, ids, firsts)
    assert count == len(np.unique(key)) and 2 * count <= slots.size
    assert (keys[ids] == key).all() and (ids[firsts[:count]] == np.arange(count)).all()
    found = np.empty(key.size, np.int32)
    find_numbers(key, slots, keys, found)
    assert (found == ids).all()
    places = np.flatnonzero(slots >= 0)
    own = (keys[slots[places]].astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(
        65 - slots.size.bit_length()
    )
    assert ((places - own.astype(np.int64)) % slots.size).max() == reach


def test_who_compiles_yields_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other threads that want the interpreter wait less while loops are compiled, and as before after that."""
    monkeypatch.setattr(module, "_MODE", "background")
    before = sys.getswitchinterval()
    found: list[float] = []
    module.behind("a question", lambda: found.append(sys.getswitchinterval()))
    _wait()
    assert found[0] < before == sys.getswitchinterval()


@pytest.mark.parametrize("is_enabled", [True, False])
def test_garbage_is_not_looked_for_while_loops_are_compiled(is_enabled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MODE", "background")
    found: list[bool] = []

    def fails() -> None:
        found.append(gc.isenabled())
        raise ValueError("as compiling may")

    if not is_enabled:
        gc.disable()
    try:
        with pytest.warns(UserWarning, match="as compiling may"):
            module.behind("a question", fails)
            _wait()
        assert found == [False] and gc.isenabled() == is_enabled
    finally:
        gc.enable()


def _looked_at(data: np.ndarray, byte: int, words: np.ndarray, places: np.ndarray) -> None:
    for at in range(words.size):
        words[at] = same_bytes(data, at, byte)
        places[at] = lowest(words[at])


@pytest.mark.skipif(mode() == "off", reason="needs Numba")
def test_what_the_processor_does_is_what_python_says() -> None:
    looking = Loop(_looked_at, ())
    looking.compile((torch.uint8, int, torch.uint64, torch.int64))
    data = np.random.default_rng(0).integers(0, 3, 4 * BLOCK).astype(np.uint8)
    data[BLOCK : 2 * BLOCK] = 0
    for byte in (0, 2, 200):
        words, places = np.zeros(3 * BLOCK, np.uint64), np.zeros(3 * BLOCK, np.int64)
        looking(data, byte, words, places)
        expected = [same_bytes(data, at, byte) for at in range(3 * BLOCK)]
        assert words.tolist() == expected
        assert places.tolist() == [lowest(word) for word in expected]
