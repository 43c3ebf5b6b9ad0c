"""Recursion under `deep` goes beyond a thread's stack, and leaves Python's limit alone."""

from __future__ import annotations

import contextvars
import sys
import threading

import pytest

from tqp.errors import BindError, UnsupportedError
from tqp.stack import deep, elsewhere

_NAME: contextvars.ContextVar[str] = contextvars.ContextVar("name", default="")


@deep
def total(numbers: int) -> int:
    return 0 if numbers == 0 else numbers + total(numbers - 1)


def test_deep_recursion_returns() -> None:
    limit = sys.getrecursionlimit()
    assert total(10_000) == 10_000 * 10_001 // 2
    assert sys.getrecursionlimit() == limit
    assert total(10) == 55


def test_no_thread_is_left() -> None:
    before = threading.active_count()
    total(5_000)
    assert threading.active_count() == before


def test_endless_recursion_is_refused() -> None:
    @deep
    def endless(level: int) -> int:
        return endless(level + 1)

    with pytest.raises(UnsupportedError, match="nested too deeply"):
        endless(0)


def test_errors_and_context_pass() -> None:
    @deep
    def failing(level: int) -> str:
        if level == 0:
            raise BindError(_NAME.get())
        return failing(level - 1)

    _NAME.set("inner")
    with pytest.raises(BindError, match="inner"):
        failing(1_000)


def test_a_larger_stack_is_for_one_thread_alone() -> None:
    before = threading.stack_size()
    assert elsewhere(lambda: 7, 2**26) == 7
    assert threading.stack_size() == before
