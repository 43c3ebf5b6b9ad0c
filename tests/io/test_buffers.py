"""What Arrow's threads read is Arrow's own."""

from __future__ import annotations

import pytest

from tqp.io.buffers import owned_by_arrow


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", bytes(range(256)) * 1000])
def test_bytes_are_copied(content: bytes) -> None:
    given = bytearray(content)
    made = owned_by_arrow(given)
    given.append(0)  # BufferError while somebody holds what it had
    assert made.to_pybytes() == content
