"""A process beside this one compiles loops into the cache; what it cannot do is done here."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import torch

from tqp.kernels.loops import beside
from tqp.kernels.loops import loop as module
from tqp.kernels.loops.beside import Compiler
from tqp.kernels.loops.compiling import dispatcher, is_cached, signature
from tqp.kernels.loops.generated import generated
from tqp.kernels.loops.hashing import number_by_range

KINDS = ("torch.int64", "int")
TEXT = """
def loop(key, number):
    total = 0
    for row in range(key.size):
        total += key[row] * number + {place}
    return total
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(module, "_MODE", "background")


def _loop(place: int) -> module.Loop:
    """One that no other test compiles, as modules stay by their names."""
    return generated(TEXT.format(place=place))


def _wait() -> None:
    for thread in threading.enumerate():
        if thread.name == "tqp-loops":
            thread.join()


def test_the_other_process_compiles_and_this_one_reads() -> None:
    made = _loop(os.getpid())
    compiled = dispatcher(made.function)
    assert not is_cached(compiled, KINDS)
    there = Compiler()
    assert there.compile(made.function, KINDS)
    assert is_cached(compiled, KINDS) and not is_cached(compiled, ("torch.int8", "int"))
    compiled.compile(signature(KINDS))
    assert sum(compiled.stats.cache_hits.values()) == 1 and not sum(compiled.stats.cache_misses.values())
    there.close()
    assert compiled(np.arange(3), 2) == 6 + 3 * os.getpid()


def test_loops_of_the_package_with_their_parts() -> None:
    there = Compiler()
    assert there.compile(number_by_range.function, ["torch.int8", "int", "torch.int32", "torch.int64", "torch.int64"])
    assert not there.compile(number_by_range.function, ["torch.int8"]), "too few arguments"
    assert there.compile(_loop(os.getpid() + 1).function, KINDS), "it goes on after a failure"
    there.close()


def test_behind_the_scenes() -> None:
    made = _loop(os.getpid() + 2)
    assert not made.ready(2**20, torch.int64, int)
    _wait()
    assert made.ready(2**20, torch.int64, int) and made(np.arange(3), 1) == 3 + 3 * (os.getpid() + 2)
    assert sum(made._compiled.stats.cache_hits.values()) == 1


@pytest.mark.parametrize("executable", [None, "/usr/bin/uwsgi", "/nonexistent/python3"])
def test_without_an_interpreter_to_start(executable: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    made = _loop(os.getpid() + 3 + len(executable or ""))
    assert not Compiler().compile(made.function, KINDS)
    assert not made.ready(2**20, torch.int64, int)
    _wait()
    assert made.ready(2**20, torch.int64, int), "compiled by a thread of this process"


def test_a_process_that_dies_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "_START", "import sys; sys.stdin.readline()")
    there = Compiler()
    assert not there.compile(_loop(os.getpid() + 100).function, KINDS)
    assert not there.compile(_loop(os.getpid() + 101).function, KINDS)
    there.close()


def test_what_another_text_of_a_loop_made_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop calls parts of other modules, which may be newer than what is cached of it."""
    made = _loop(-os.getpid())
    dispatcher(made.function).compile(signature(KINDS))
    assert is_cached(dispatcher(made.function), KINDS)
    monkeypatch.setattr("tqp.kernels.loops.compiling._stamp", lambda: (("slices.py", 0.0, 1),))
    assert not is_cached(dispatcher(made.function), KINDS)


def test_what_has_no_file_is_left() -> None:
    space: dict[str, object] = {"__name__": "nowhere"}
    exec("def loop(key): return 1", space)
    assert not Compiler().compile(space["loop"], ["torch.int64"])  # type: ignore[arg-type]


def test_nothing_is_written_beside_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies beside the modules of an installed package would stay there, and hide another installation, once that is gone."""
    function = number_by_range.function
    package = Path(function.__code__.co_filename).parent
    assert package not in Path(dispatcher(function)._cache.cache_path).parents
    assert tmp_path / "tqp" / "loops" in Path(dispatcher(function)._cache.cache_path).parents
    own = tmp_path / "own"
    monkeypatch.setattr("numba.config.CACHE_DIR", str(own))
    assert own in Path(dispatcher(function)._cache.cache_path).parents
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setattr("numba.config.CACHE_DIR", str(blocked / "below"))
    assert type(dispatcher(function)._cache).__name__ == "NullCache"
