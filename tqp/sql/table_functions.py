"""Calls of table functions in FROM: from syntax to a plan that gives their rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from tqp.errors import UnsupportedError
from tqp.functions.tables import TableFunction, find_table_function
from tqp.ir.expr import Expr
from tqp.ir.own import OwnName
from tqp.ir.plan import Generate, Plan, Scan, Values
from tqp.ir.visit import symbols
from tqp.own import OwnTable
from tqp.sql.context import Context, near
from tqp.sql.expr import ExprBinder
from tqp.sql.operators import cast
from tqp.sql.refusals import functions_of_from
from tqp.sql.scope import Cte, Relation, Scope
from tqp.types import BIGINT

__all__ = ["bind_table_function", "renamed_by_alias", "table_function_name"]

_ONE_ROW = Values((), ((),))


def table_function_name(node: exp.Expr) -> str:
    """The SQL name of the function that a node of FROM calls, in lower case."""
    if isinstance(node, exp.GenerateSeries):
        return "range" if node.args.get("is_end_exclusive") else "generate_series"
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    if isinstance(node, exp.Explode):
        return "unnest"
    return node.sql_name().lower() if isinstance(node, exp.Func) else node.key.lower()


def bind_table_function(
    context: Context, node: exp.Expr, around: Scope | None, ctes: Mapping[str, Cte], numbered: bool
) -> tuple[Plan, Relation]:
    """The rows of the call `node`, whose arguments see the columns of `around`, and their columns under the function's name.

    `numbered`: WITH ORDINALITY. Raises UnsupportedError for a function that is not there, BindError for arguments that do not fit.
    """
    name = table_function_name(node)
    if isinstance(name, OwnName):
        return _own_rows(context, node, name, ExprBinder(context, Scope(around), ctes, f"{name}(…)"), numbered)
    with context.at(node):
        try:
            function = find_table_function(name)
        except UnsupportedError as error:
            known = sorted(functions_of_from())
            error.hint = near(name, known) or f"table functions: {', '.join(known)}"
            raise
        args = _arguments(context, node, function, ExprBinder(context, Scope(around), ctes, f"{name}(…)"))
        if name == "unnest" and len(args) != 1:
            raise context.error(
                node, f"unnest in FROM takes one list, not {len(args)}", hint="SELECT unnest(a), unnest(b)"
            )
        types, columns = function.types(args)
        if not function.correlated and any(map(symbols, args)):
            raise context.error(
                node,
                f"the arguments of {name} in FROM may not be columns",
                hint="range and generate_series take columns of tables before them",
            )
    fields = tuple(context.field(column, dtype) for column, dtype in columns)
    if numbered:
        fields = (*fields, context.field("ordinality", BIGINT))
    plan = Generate(_ONE_ROW, name, tuple(map(cast, args, types)), fields, numbered)
    hidden = tuple(column for column in fields if column.name in function.hidden)
    return plan, Relation(name, tuple(column for column in fields if column not in hidden), hidden=hidden)


def _own_rows(
    context: Context, node: exp.Expr, name: OwnName, binder: ExprBinder, numbered: bool
) -> tuple[Plan, Relation]:
    """The table that a function of the user's own makes of constants: now, and anew for each query."""
    own = name.function
    with context.at(node):
        if not isinstance(own, OwnTable):
            raise UnsupportedError(f"{name} gives no table", hint="only table functions stand in FROM")
        if numbered:
            raise UnsupportedError(f"WITH ORDINALITY of {name} is not supported", hint="row_number() OVER ()")
        args = [binder.bind(part) for part in node.expressions]
        if len(args) != len(own.parameters):
            plural = "" if len(own.parameters) == 1 else "s"
            raise context.error(node, f"{name} takes {len(own.parameters)} argument{plural}, not {len(args)}")
        if any(map(symbols, args)):
            raise context.error(node, f"the arguments of {name} in FROM may not be columns")
        values = [context.value(node, cast(arg, dtype)) for arg, dtype in zip(args, own.parameters, strict=True)]
        table = own.make(values)
    context.read_rows = True
    fields = tuple(context.field(column, dtype) for column, dtype in table.schema)
    return Scan(table, tuple(column for column, _ in table.schema), fields), Relation(str(name), fields)


def renamed_by_alias(relation: Relation, name: str, alias: str) -> Relation:
    """The columns of the function `name` under an alias that lists no columns; it names the one column of some functions."""
    first, *others = relation.fields
    if isinstance(name, OwnName):
        return Relation(alias, relation.fields)
    if not find_table_function(name).named_by_alias:
        return Relation(alias, relation.fields, hidden=relation.hidden)
    return Relation(alias, (replace(first, name=alias), *others), unaliased=(first,))


def _arguments(context: Context, node: exp.Expr, function: TableFunction, binder: ExprBinder) -> tuple[Expr, ...]:
    """The arguments by position, then those by name, in the order of the function's options."""
    if isinstance(node, exp.GenerateSeries):
        given = [node.args.get("start"), node.args.get("end"), node.args.get("step")]
    elif isinstance(node, exp.Anonymous | exp.Unnest):
        given = list(node.expressions)
    else:
        given = [node.args.get(part) for part in node.arg_types]
    by_position, by_name = [], dict[str, exp.Expr]()
    for part in given:
        if isinstance(part, exp.EQ | exp.PropertyEQ) and function.options:
            by_name[part.this.name.lower()] = part.expression
        elif isinstance(part, exp.Expr):
            by_position.append(part)
    unknown = by_name.keys() - set(function.options)
    if unknown:
        options = ", ".join(function.options)
        raise context.error(
            node, f"{function.name} has no option {', '.join(sorted(unknown))}", hint=f"it has {options}"
        )
    missing = [option for option in function.options if option not in by_name]
    if missing:
        raise context.error(node, f"{function.name} needs {missing[0]}", hint=f"{function.name}(…, {missing[0]} = …)")
    return tuple(binder.bind(part) for part in (*by_position, *(by_name[option] for option in function.options)))
