"""Errors of tqp as those of Ibis, where Ibis has a class that says the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import ibis.common.exceptions as exc

from tqp.errors import UnsupportedError

__all__ = ["translated"]


@contextmanager
def translated() -> Iterator[None]:
    """What tqp does not support is an UnsupportedOperationError; its other errors are raised as they are."""
    try:
        yield
    except UnsupportedError as error:
        raise exc.UnsupportedOperationError(str(error)) from error
