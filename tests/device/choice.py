"""`pytest --device NAME`: the device of every connection that names none."""

from __future__ import annotations

import os
import sys

import pytest

from tests.device import simulated
from tqp import connection
from tqp.device import resolve

__all__ = ["choose", "leave", "skip_for_the_host"]

status = 0
"""How the tests ended."""


def choose(name: str) -> None:
    """Let connections be on the device `name` unless they say otherwise; ends the run where torch cannot have it."""
    if name == simulated.NAME:
        if not simulated.supported():
            # No failure of `make test`: tqp runs with older ones.
            pytest.exit("left out: the simulated device needs torch 2.10 or later, with devices in Python", 0)
        simulated.install()
    device = str(resolve(name))
    for function in (connection.connect, connection.Connection.__init__):
        defaults = function.__defaults__
        assert defaults is not None
        assert defaults[0] in ("cpu", device)
        function.__defaults__ = (device, *defaults[1:])


def skip_for_the_host(items: list[pytest.Item]) -> None:
    """Skip the tests marked `host_only`, with their reasons."""
    for item in items:
        marker = item.get_closest_marker("host_only")
        if marker is not None:
            (why,) = marker.args
            item.add_marker(pytest.mark.skip(reason=why))


def leave() -> None:
    """End the process: with an accelerator some hang when the interpreter is taken down, with one in Python one in twenty."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        return
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
