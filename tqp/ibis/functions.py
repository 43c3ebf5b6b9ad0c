"""Functions in expressions: those of Python that Ibis wraps, and models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, Signature
from typing import Any, Final
from weakref import WeakKeyDictionary

import ibis
import ibis.common.exceptions as exc
import ibis.expr.operations as ops
import ibis.expr.types as ir
from ibis.expr.operations.udf import InputType

from tqp.connection import Connection
from tqp.ibis.types import ibis_type, type_name
from tqp.keywords import text_constant
from tqp.locks import Lock

__all__ = ["Functions", "prediction"]

_TYPES: Final[Mapping[Any, str]] = {InputType.PYTHON: "python", InputType.PYARROW: "arrow"}
_KNOWN: Final[WeakKeyDictionary[Connection, dict[str, Callable[..., Any]]]] = WeakKeyDictionary()
_MAKING: Final = Lock()


class Functions:
    """The scalar functions of Ibis that a connection has been given, by the names that Ibis makes for them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        # Backends over one connection have its functions in common.
        self._known = _KNOWN.setdefault(connection, {})

    def need(self, expression: ir.Expr) -> None:
        """Make those that the expression calls, once each: a name of Ibis belongs to one function."""
        for node in expression.op().find(ops.ScalarUDF):
            kind = node.__input_type__
            if kind is InputType.BUILTIN:
                continue
            if kind not in _TYPES:
                raise exc.UnsupportedOperationError(
                    f"{node.__func_name__} is a {kind.name.lower()} function, which tqp does not run; "
                    "write it as ibis.udf.scalar.pyarrow or ibis.udf.scalar.python"
                )
            name = type(node).__name__
            with _MAKING:
                if self._known.get(name) is not node.__func__:
                    self._make(name, node, _TYPES[kind])
                    self._known[name] = node.__func__

    def _make(self, name: str, node: ops.ScalarUDF, kind: str) -> None:
        options = dict(node.__config__)
        parameters = [type_name(given.annotation.pattern.dtype) for given in node.__signature__.parameters.values()]
        self._connection.create_function(
            name, node.__func__, parameters, type_name(node.dtype), type=options.pop("type", kind), **options
        )


def prediction(connection: Connection, function: str, model: str, inputs: tuple[Any, ...]) -> ir.Value:
    """`function` (PREDICT or PREDICT_PROBA) of a registered model on columns, of the type that tqp gives it.

    A table in the place of columns stands for those of its columns that are called as the model's inputs.
    """
    known = connection.catalog.model(model)
    if known is None:
        names = ", ".join(connection.models()) or "none"
        raise exc.IbisInputError(f"no model {model!r} is registered; there are: {names}")
    if len(inputs) == 1 and isinstance(inputs[0], ir.Table):
        table = inputs[0]
        inputs = tuple(table[column.name] for column in known.inputs)
    values = [given if isinstance(given, ir.Value) else ibis.literal(given) for given in inputs]
    types = [value.type() for value in values]
    nulls = "".join(f", CAST(NULL AS {type_name(dtype)})" for dtype in types)
    (result,) = connection.sql(f"SELECT {function}({text_constant(model)}{nulls})").types
    called = ibis.udf.scalar.builtin(_named(function, len(types)), signature=(("string", *types), ibis_type(result)))
    made: ir.Value = called(model, *values)
    return made


def _named(function: str, inputs: int) -> Callable[..., Any]:
    """What Ibis reads the name and the number of arguments of a function of the engine from."""

    def called() -> None: ...

    names = ["model", *(f"input_{place}" for place in range(inputs))]
    called.__name__ = function
    called.__signature__ = Signature([Parameter(name, Parameter.POSITIONAL_ONLY) for name in names])  # type: ignore[attr-defined]
    return called
