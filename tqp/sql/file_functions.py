"""Functions of FROM that read files: their paths and options are constants, which are computed while the query is bound."""

from __future__ import annotations

from functools import partial
from typing import Any

from sqlglot import exp

from tqp.io.files import FileCall
from tqp.ir.expr import Literal
from tqp.ir.visit import symbols
from tqp.sql.context import Context
from tqp.sql.expr import ExprBinder
from tqp.sql.scope import Scope
from tqp.sql.signatures import dtype_named
from tqp.sql.table_functions import table_function_name
from tqp.types import BOOLEAN

__all__ = ["constant_of", "file_call"]


def file_call(context: Context, node: exp.Func) -> FileCall:
    """What the call reads. BindError where there is no path, SourceError or UnsupportedError for options that are none."""
    function = table_function_name(node)
    paths: list[Any] = []
    options: dict[str, Any] = {}
    for part in [node.this, *node.expressions] if isinstance(node.this, exp.Expr) else node.expressions:
        if not isinstance(part, exp.EQ | exp.PropertyEQ | exp.Kwarg):
            paths.append(constant_of(context, _words(part), function))
            continue
        name = part.this.name.lower()
        if name in options:
            raise context.error(node, f"{function} is given {name} twice")
        options[name] = constant_of(context, _words(part.expression), f"{function}, {name}")
    if len(paths) != 1:
        raise context.error(
            node,
            f"{function} takes one path or one list of paths, not {len(paths)} arguments",
            hint=f"{function}(['a', 'b'], option = value)",
        )
    with context.at(node):
        return FileCall.of(function, paths[0], options, partial(dtype_named, named=context.session.types))


def _words(node: exp.Expr) -> exp.Expr:
    """The argument with names that stand alone as texts, as in `hive_types = {'year': INTEGER}`: there are no columns here."""
    if any(node.find_all(exp.Lambda, exp.Comprehension, exp.Query)):
        return node

    def word(part: exp.Expr) -> exp.Expr:
        is_name = isinstance(part, exp.Column) and isinstance(part.this, exp.Identifier) and not part.table
        return exp.Literal.string(part.name) if is_name else part

    return node.transform(word)


def constant_of(context: Context, node: exp.Expr, what: str) -> Any:
    """The value of a constant that `what` takes; BindError for what only rows can tell."""
    if any(node.find_all(exp.Query)):
        raise context.error(node, f"{what} takes constants alone", hint="run the query first, and pass what it gives")
    expr = ExprBinder(context, Scope(None), {}, what).bind(node)
    if isinstance(expr, Literal) and (expr.dtype.is_text or expr.dtype == BOOLEAN):
        return expr.value
    if any(symbols(expr)):
        raise context.error(node, f"{what} takes constants alone")
    return context.value(node, expr)
