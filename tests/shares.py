"""Which of many tests that are alike `make test` runs: a share, chosen by what they say; the others are slow.

So a case stays on its side when others come and go, and every file has some in the share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from zlib import crc32

import pytest
from _pytest.mark.structures import ParameterSet

Cases = Iterable[tuple[str, str]]
"""Names and texts."""


def is_in_share(text: str, every: int) -> bool:
    return crc32(text.encode()) % every == 0


def in_shares(cases: Cases, every: int) -> list[ParameterSet]:
    """A test for each case, which is slow except for one of `every`."""
    return [
        pytest.param(text, id=name, marks=() if is_in_share(text, every) else pytest.mark.slow) for name, text in cases
    ]


def by_share(every: int) -> pytest.MarkDecorator:
    """Two tests, of which `share` gives the cases: one of `every`, and, slow, the others."""

    def chosen(wanted: bool) -> Callable[[Cases], Iterator[tuple[str, str]]]:
        return lambda cases: ((name, text) for name, text in cases if is_in_share(text, every) is wanted)

    rest = pytest.param(chosen(False), id="rest", marks=pytest.mark.slow)
    return pytest.mark.parametrize("share", [pytest.param(chosen(True), id="share"), rest])


def cases_beyond(items: Iterable[pytest.Item], every: int) -> list[pytest.Item]:
    """The tests of SQL cases that are not in a share of one of `every`."""
    return [
        item
        for item in items
        if item.nodeid.startswith("tests/sql/test_cases.py::test_case[")
        and isinstance(item, pytest.Function)
        and not is_in_share(item.callspec.params["statement"], every)
    ]
