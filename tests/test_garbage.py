"""Python's search for garbage goes on as before around imports, and has nothing to go through twice."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref
from collections.abc import Iterator
from importlib import import_module
from threading import Event, Thread

import pytest

import tqp
from tqp.garbage import collected, importing, uncollected
from tqp.ir.plan import Plan
from tqp.physical.planner import lower
from tqp.physical.program import Program
from tqp.physical.target import Target


class Node:
    """Something that may refer to itself."""

    me: Node


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Nothing is frozen, as it is in programs; the suite's own modules and tests are (conftest.py)."""
    gc.unfreeze()
    yield
    gc.enable()
    gc.unfreeze()
    gc.freeze()


def cycle() -> weakref.ref[Node]:
    node = Node()
    node.me = node
    return weakref.ref(node)


def test_what_is_imported_is_old_and_garbage_is_found() -> None:
    before = cycle()
    with importing():
        assert not gc.isenabled()
        made = [Node() for _ in range(1000)]
        inside = cycle()
    assert gc.isenabled() and gc.get_freeze_count() == 0
    old = {id(one) for one in gc.get_objects(generation=2)}
    assert all(id(one) in old for one in made)
    gc.collect()
    assert before() is None and inside() is None


def test_who_has_frozen_objects_keeps_them_frozen() -> None:
    gc.freeze()
    count = gc.get_freeze_count()
    with importing():
        pass
    assert gc.get_freeze_count() == count > 0


@pytest.mark.parametrize("around", [importing, uncollected])
def test_who_looks_for_no_garbage_goes_on_so(around: type) -> None:
    gc.disable()
    with around():
        pass
    assert not gc.isenabled()
    gc.enable()
    with pytest.raises(ZeroDivisionError), around():
        _ = 1 / 0
    assert gc.isenabled()


def test_what_takes_long_within_is_gone_through_after_all() -> None:
    with collected():
        assert gc.isenabled()
    with uncollected():
        with collected():
            assert gc.isenabled()
            with uncollected():
                assert not gc.isenabled()
            assert gc.isenabled()
        assert not gc.isenabled()
        with pytest.raises(ZeroDivisionError), collected():
            _ = 1 / 0
        assert not gc.isenabled()
    assert gc.isenabled()


def test_who_looks_for_none_is_not_made_to_by_a_query_within() -> None:
    gc.disable()
    with uncollected(), collected():
        assert not gc.isenabled()


def test_one_thread_does_not_end_the_pause_of_another() -> None:
    begun, ended = Event(), Event()

    def other() -> None:
        with uncollected():
            begun.set()
            ended.wait(60)

    thread = Thread(target=other)
    thread.start()
    begun.wait(60)
    with uncollected():
        ended.set()
        thread.join()
        assert not gc.isenabled()
        with collected():
            assert gc.isenabled()
    assert gc.isenabled()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_does_not_wait_for_threads_that_it_does_not_have() -> None:
    begun, ended = Event(), Event()

    def other() -> None:
        with uncollected():
            begun.set()
            ended.wait(60)

    thread = Thread(target=other)
    thread.start()
    begun.wait(60)
    child = os.fork()
    if child == 0:
        os._exit(0 if gc.isenabled() else 1)
    ended.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_query_is_planned_without_a_search_and_asks_others_with_one(monkeypatch: pytest.MonkeyPatch) -> None:
    con = tqp.connect(threads=1)
    seen: list[tuple[str, bool]] = []

    def asked(value: int) -> int:
        seen.append(("run", gc.isenabled()))
        return value

    def planned(plan: Plan, target: Target) -> Program:
        seen.append(("plan", gc.isenabled()))
        return lower(plan, target)

    con.create_function("asked", asked, ["BIGINT"], "BIGINT", side_effects=True)
    seen.clear()
    monkeypatch.setattr(import_module("tqp.query"), "lower", planned)
    con.sql("PIVOT (SELECT asked(i) AS i FROM range(2) t(i)) ON i USING count(*)").fetchall()
    assert {("run", True), ("plan", False)} == set(seen)


@pytest.mark.parametrize(
    "first",
    ["tqp.connect", "import tqp.shell.main; tqp.shell.main.main(['-c', 'SET threads = 1'])"],
    ids=["attribute", "command"],
)
def test_the_package_leaves_no_young_objects(first: str) -> None:
    """The hundreds of thousands that torch makes are gone through neither while they are made nor by the first queries."""
    code = (
        f"import gc, tqp\n{first}\n"
        "print(sum(len(gc.get_objects(generation=one)) for one in (0, 1)), gc.get_stats()[2]['collections'], gc.isenabled())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    young, searches, is_enabled = run.stdout.split()
    assert int(young) < 20_000 and int(searches) <= 1 and is_enabled == "True"
