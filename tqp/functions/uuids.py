"""Functions of UUIDs: what is written in them."""

from __future__ import annotations

import torch

from tqp.data.column import Column
from tqp.errors import ExecutionError
from tqp.functions import exact
from tqp.functions.registry import Args, scalar
from tqp.functions.signatures import fixed
from tqp.types import TIMESTAMPTZ, UINTEGER, UUID, DType

__all__: list[str] = []

_TIMED = 7
"""The version whose first 48 bits are milliseconds since 1970."""


def _version(column: Column) -> torch.Tensor:
    """The four bits of the version, int64."""
    return (exact.as_wide(column)[..., 0] >> 12) & 15


@scalar("uuid_extract_version", types=fixed("uuid_extract_version", UINTEGER, UUID))
def _extract_version(args: Args, out: DType) -> Column:
    # DuckDB counts the signs from 0 to f by their places in ASCII, where letters are far behind digits.
    version = _version(args[0])
    return Column(torch.where(version > 9, version + 39, version), out, None, None, (0, 54))


@scalar("uuid_extract_timestamp", types=fixed("uuid_extract_timestamp", TIMESTAMPTZ, UUID))
def _extract_timestamp(args: Args, out: DType) -> Column:
    """When a UUID of version 7 was made; ExecutionError for one of another version."""
    (column,) = args
    if exact.first_bad(_version(column) != _TIMED, (column,)) is not None:
        raise ExecutionError(f"a UUID is not of version {_TIMED}, which alone has a time")
    # The sign of the stored number is that of 2**127.
    high = exact.as_wide(column)[..., 0] ^ -(2**63)
    return Column(((high >> 16) & (2**48 - 1)) * 1000, out, None, None, (0, (2**48 - 1) * 1000))
