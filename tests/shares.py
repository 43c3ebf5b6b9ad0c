"""Which of many tests that are alike `make test` runs: a share, chosen by what they say; a quarter of the others is slow.

So a case stays on its side when others come and go, and every file has some in the share. All of them run with
`TQP_ALL_CASES=1`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Final
from zlib import crc32

import pytest
from _pytest.mark.structures import ParameterSet

Cases = Iterable[tuple[str, str]]
"""Names and texts."""

_ALL: Final = os.environ.get("TQP_ALL_CASES") == "1"


def is_in_share(text: str, every: int) -> bool:
    return crc32(text.encode()) % every == 0


def is_slow(text: str, every: int) -> bool:
    """Whether a text that is not in the share runs with what is slow."""
    return not is_in_share(text, every) and (_ALL or crc32(text.encode()) // every % 4 == 0)


def in_shares(cases: Cases, every: int) -> list[ParameterSet]:
    """A test for one of `every` cases, and slow ones."""
    return [
        pytest.param(text, id=name, marks=() if is_in_share(text, every) else pytest.mark.slow)
        for name, text in cases
        if is_in_share(text, every) or is_slow(text, every)
    ]


def by_share(every: int) -> pytest.MarkDecorator:
    """Two tests, of which `share` gives the cases: one of `every`, and, slow, others."""

    def chosen(wanted: Callable[[str, int], bool]) -> Callable[[Cases], Iterator[tuple[str, str]]]:
        return lambda cases: ((name, text) for name, text in cases if wanted(text, every))

    rest = pytest.param(chosen(is_slow), id="rest", marks=pytest.mark.slow)
    return pytest.mark.parametrize("share", [pytest.param(chosen(is_in_share), id="share"), rest])


def cases_beyond(items: Iterable[pytest.Item], every: int) -> list[pytest.Item]:
    """The tests of SQL cases that are not in a share of one of `every`."""
    return [
        item
        for item in items
        if item.nodeid.startswith("tests/sql/test_cases.py::test_case[")
        and isinstance(item, pytest.Function)
        and not is_in_share(item.callspec.params["statement"], every)
    ]
