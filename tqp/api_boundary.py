"""What users call: an error that leaves it begins there, and not deep inside of tqp."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from inspect import getattr_static
from types import FunctionType
from typing import Final, ParamSpec, TypeVar

from tqp.errors import InternalError, TqpError

__all__ = ["api_boundary"]

P = ParamSpec("P")
T = TypeVar("T")
C = TypeVar("C", bound=type)

_IS_FULL: Final = os.environ.get("TQP_TRACEBACKS", "short") == "full"
_SPECIAL: Final = frozenset({"__getitem__", "__len__", "__repr__", "__arrow_c_stream__"})


def api_boundary(kind: C) -> C:
    """A class that users hold, whose public methods leave out of errors' tracebacks what is within tqp.

    The message says what is wrong; the hundred lines between the caller and the kernel that found it do not. A bug in tqp shows all
    of them, as everything does where TQP_TRACEBACKS=full is in the environment.
    """
    for name in dir(kind):
        method = getattr_static(kind, name)
        if isinstance(method, FunctionType) and (not name.startswith("_") or name in _SPECIAL):
            setattr(kind, name, _shortened(method))
    return kind


def _shortened(method: Callable[P, T]) -> Callable[P, T]:
    @wraps(method)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return method(*args, **kwargs)
        except (TqpError, KeyboardInterrupt) as error:
            if not (_IS_FULL or isinstance(error, InternalError)):
                error.__traceback__ = None
            raise

    return called
