"""query('SELECT …') and query_table('name') in FROM: a query that is given as text, which is a constant, or by names of tables."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from tqp.catalog.definitions import View
from tqp.ir.plan import Plan
from tqp.keywords import quoted_name
from tqp.sql.context import Context
from tqp.sql.file_functions import constant_of
from tqp.sql.table_functions import table_function_name
from tqp.sql.views import view_plan

__all__ = ["QUERY_FUNCTIONS", "query_plan", "table_text"]

QUERY_FUNCTIONS = ("query", "query_table")


def query_plan(context: Context, node: exp.Expr) -> Plan:
    """The plan of the query that the call gives; its names mean what they mean outside of all others.

    BindError for arguments that are none, and what the text of the query raises.
    """
    name = table_function_name(node)
    args = list(node.expressions)
    with context.at(node):
        text = _text(context, node, args) if name == "query" else _of_tables(context, node, args)
    return view_plan(context, node, View(name, text))


def _text(context: Context, node: exp.Expr, args: list[exp.Expr]) -> str:
    if len(args) != 1:
        raise context.error(node, f"query takes one text, not {len(args)} arguments", hint="query('SELECT …')")
    text = constant_of(context, args[0], "query")
    if not isinstance(text, str):
        raise context.error(node, "query takes a text", hint="query('SELECT …')")
    return text


def _of_tables(context: Context, node: exp.Expr, args: list[exp.Expr]) -> str:
    """The query of all rows of the tables, one below the other, if so asked for by the names of their columns."""
    if not 1 <= len(args) <= 2:
        raise context.error(node, "query_table takes a name, or a list of names", hint="query_table(['a', 'b'])")
    names = _names(context, args[0])
    if not names or not all(isinstance(name, str) and name for name in names):
        raise context.error(node, "query_table takes names of tables", hint="query_table(['a', 'b'])")
    by_name = constant_of(context, args[1], "query_table") if len(args) == 2 else False
    if not isinstance(by_name, bool):
        raise context.error(node, "query_table takes true or false for UNION BY NAME")
    words = " UNION ALL BY NAME " if by_name else " UNION ALL "
    return words.join(f"FROM {_quoted(context, name)}" for name in names)


def table_text(context: Context, node: exp.Expr) -> str:
    """The one table that an argument names, as text of SQL. BindError for what is no name."""
    names = _names(context, node)
    if len(names) != 1 or not isinstance(names[0], str) or not names[0]:
        raise context.error(node, "a table is given by its name")
    return _quoted(context, names[0])


def _names(context: Context, node: exp.Expr) -> list[Any]:
    if isinstance(node, exp.Column):
        return [".".join(part.name for part in node.parts)]
    if isinstance(node, exp.Array):
        return [name for part in node.expressions for name in _names(context, part)]
    found = constant_of(context, node, "query_table")
    return found if isinstance(found, list) else [found]


def _quoted(context: Context, name: str) -> str:
    parts = [name] if context.lookup(name) is not None else name.split(".")
    return ".".join(map(quoted_name, parts))
