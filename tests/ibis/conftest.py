"""A connection of the backend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ibis
import pytest


@pytest.fixture
def con() -> Iterator[Any]:
    made = ibis.tqp.connect(threads=1)
    yield made
    made.disconnect()
