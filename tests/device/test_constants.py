"""Calls of constants alone, whose columns have no row dimension: on the device as well, and waited for where waits are announced."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import tqp
from tests.device.record import recording
from tests.language.answers import Function, answers
from tqp.errors import InternalError, TqpError

SCALARS = [function for function in answers().functions if function.kind == "scalar" and function.calls]


@pytest.fixture(scope="module")
def connection() -> Iterator[tqp.Connection]:
    with tqp.connect(device="sim", threads=1) as connected:
        yield connected


def unannounced(connection: tqp.Connection, sql: str) -> list[tuple[str, str]]:
    """Waits elsewhere than in `tqp.kernels.waits`; a query may be refused, but not fail."""
    with recording() as record:
        try:
            connection.sql(sql).arrow()
        except InternalError:
            raise
        except TqpError:
            pass
    return [(event.name, event.place) for event in record.unannounced]


@pytest.mark.parametrize("function", [pytest.param(function, id=function.name) for function in SCALARS])
def test_call(connection: tqp.Connection, function: Function) -> None:
    assert not unannounced(connection, f"SELECT {function.calls[0].sql}")


def test_they_meet_what_is_computed(connection: tqp.Connection) -> None:
    connection.sql(
        "SELECT pi() + x, [pi(), x], abs(gamma(0.5) - sqrt(pi())) < x FROM range(3) t(x) WHERE x < pi()"
    ).arrow()
    assert not unannounced(connection, "SELECT hash(7, 'abc'), age(TIMESTAMPTZ '2024-02-29 10:20:30.5+00')")
