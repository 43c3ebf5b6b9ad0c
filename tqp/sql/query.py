"""Queries: WITH, brackets and VALUES; other forms register themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlglot import exp

from tqp.ir.plan import Plan, Values
from tqp.sql.context import Context
from tqp.sql.ordering import is_bare, ordered_output, with_order_of, within_brackets
from tqp.sql.scope import Cte, Scope
from tqp.sql.unread import discard, unnoticed
from tqp.sql.values import values_plan
from tqp.stack import deep

__all__ = ["Ctes", "bind_query", "query_form", "with_ctes"]

Ctes = Mapping[str, Cte]
Form = Callable[[Context, Any, Scope | None, Ctes], Plan]
_FORMS: dict[type[exp.Expr], Form] = {}


@deep
def bind_query(context: Context, node: exp.Expr, parent: Scope | None, ctes: Ctes) -> Plan:
    """The plan of a query; its schema's names are the result's column names.

    `parent` is the scope around a subquery, for correlated names. Whoever calls makes sure that gaps are raised.
    """
    form = _FORMS.get(type(node))
    if form is None:
        context.gap(node, f"{node.key.upper()} is not supported as a query")
        return Values((), ((),))
    return form(context, node, parent, ctes)


def query_form(*kinds: type[exp.Expr]) -> Callable[[Form], Form]:
    """Register what binds queries that are nodes of these kinds: a SELECT holds queries, and a query may be a SELECT."""

    def register(form: Form) -> Form:
        _FORMS.update(dict.fromkeys(kinds, form))
        return form

    return register


@query_form(exp.Values)
def _rows(context: Context, node: exp.Values, parent: Scope | None, ctes: Ctes) -> Plan:
    ctes = with_ctes(context, node, parent, ctes)
    return ordered_output(context, node, values_plan(context, node, parent, ctes), ctes)


@query_form(exp.Subquery, exp.Paren)
def _in_brackets(context: Context, node: exp.Subquery | exp.Paren, parent: Scope | None, ctes: Ctes) -> Plan:
    ctes = with_ctes(context, node, parent, ctes)
    if isinstance(node.this, exp.Select) and is_bare(node.this):
        return bind_query(context, with_order_of(node.this, node), parent, ctes)
    return ordered_output(context, node, bind_query(context, node.this, parent, ctes), ctes)


def with_ctes(context: Context, node: exp.Expr, parent: Scope | None, ctes: Ctes) -> Ctes:
    """The queries that names mean below `node`: those around it and those of its WITH."""
    clause = node.args.get("with_")
    if clause is None:
        return ctes
    known, own = dict(ctes), set[str]()
    for cte in clause.expressions:
        alias = cte.args["alias"]
        if alias.name.lower() in own:
            raise context.error(alias, f"WITH names {alias.name} twice", hint="give one of them another name")
        own.add(alias.name.lower())
        keys = cte.args.get("key_expressions")
        recursive = bool(clause.recursive) and _is_recursive(cte, alias.name, bool(keys))
        if not recursive:
            # As in DuckDB, keys mean nothing then.
            for key in keys or ():
                discard(key)
        columns = tuple(column.name for column in alias.args.get("columns") or ())
        # Each sees those before it, not itself: `known` is copied before it is added.
        known[alias.name.lower()] = Cte(cte, columns, parent, dict(known), recursive=recursive)
    return known


def _is_recursive(cte: exp.CTE, name: str, has_keys: bool) -> bool:
    """Whether it is a UNION that may read itself; BY NAME none may, which is an error where it does. To ask is not to use it."""
    with unnoticed(cte):
        union = within_brackets(cte.this)
        if not isinstance(union, exp.Union):
            return False
        tables = union.find_all(exp.Table) if union.args.get("by_name") and not has_keys else None
        return tables is None or any(table.name.lower() == name.lower() for table in tables)
