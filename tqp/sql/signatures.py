"""The types of functions that users make: by names, by types of Python, by annotations."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from typing import Any, Final

from sqlglot import exp
from sqlglot.errors import SqlglotError

from tqp import types
from tqp.catalog.named_types import Types
from tqp.errors import BindError
from tqp.sql.datatypes import dtype_of
from tqp.types import DType

__all__ = ["dtype_named", "result_of", "signature_of"]

_OF_PYTHON: Final[dict[Any, DType]] = {
    bool: types.BOOLEAN, int: types.BIGINT, float: types.DOUBLE, str: types.VARCHAR, date: types.DATE, time: types.TIME,
    datetime: types.TIMESTAMP, timedelta: types.INTERVAL,
}  # fmt: skip


def signature_of(name: str, f: Callable[..., Any], parameters: Iterable[Any] | None, named: Types) -> list[DType]:
    """The types of parameters: as given, else as the function's annotations say. BindError where they do not."""
    if parameters is not None:
        if isinstance(parameters, str) or not isinstance(parameters, Iterable):
            raise BindError(f"{name}: parameters are a list of types", hint='["BIGINT", "VARCHAR"]')
        return [dtype_named(name, one, named) for one in parameters]
    hints = _hints(f)
    try:
        found = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        raise BindError(f"{name}: nothing says what its parameters are", hint="parameters=[…]") from None
    if any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD, one.KEYWORD_ONLY) for one in found):
        raise BindError(f"{name}: a function of any number of arguments needs its types", hint="parameters=[…]")
    for one in found:
        if one.name not in hints:
            raise BindError(f"{name}: parameter {one.name} has no annotation", hint="parameters=[…]")
    return [dtype_named(name, hints[one.name], named) for one in found]


def result_of(name: str, f: Callable[..., Any], return_type: Any, named: Types) -> DType:
    """The type of the result, likewise."""
    if return_type is not None:
        return dtype_named(name, return_type, named)
    found = _hints(f).get("return")
    if found is None:
        raise BindError(f"{name}: nothing says what it gives", hint="return_type=…")
    return dtype_named(name, found, named)


def _hints(f: Callable[..., Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(f if inspect.isroutine(f) or inspect.isclass(f) else type(f).__call__)
    except (NameError, TypeError):
        return {}


def dtype_named(name: str, one: Any, named: Types) -> DType:
    """A type by its name in SQL, as a type of tqp or of Python, or as one of DuckDB's; those that are `named` too."""
    if isinstance(one, DType):
        return one
    if one in _OF_PYTHON if isinstance(one, type) else False:
        return _OF_PYTHON[one]
    text = one if isinstance(one, str) or type(one).__name__ == "DuckDBPyType" else None
    if text is None:
        shown = getattr(one, "__name__", repr(one))
        known = ", ".join(known.__name__ for known in _OF_PYTHON)
        raise BindError(f"{name}: {shown} is no type", hint=f'a name ("BIGINT"), a type of tqp, or {known}')
    try:
        return dtype_of(exp.DataType.build(str(text), dialect="duckdb", udt=True), named)
    except (SqlglotError, ValueError):
        raise BindError(f"{name}: {text!r} is no type", hint='such as "BIGINT", "DECIMAL(9, 2)", "FLOAT[3]"') from None
