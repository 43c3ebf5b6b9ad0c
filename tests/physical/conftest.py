"""A connection with some tables whose joins and groups may go several ways."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest

import tqp
from tests.physical.chosen import ROWS


@pytest.fixture(scope="module")
def con() -> Iterator[tqp.Connection]:
    rows = np.arange(ROWS)
    with tqp.connect(threads=1) as connection:
        connection.register(
            "lines", {"id": rows // 4, "item": rows * 7919 % ROWS, "wide": rows * 2**40, "few": rows % 5}
        )
        connection.register("orders", {"id": np.arange(ROWS // 4), "who": np.arange(ROWS // 4) % 50})
        connection.register("picked", {"id": np.arange(20) * 100, "wide": np.arange(20) * 2**45})
        connection.register("texts", pa.table({"a": [f"{n % 9}" for n in range(100)], "b": ["x", "y"] * 50}))
        yield connection
