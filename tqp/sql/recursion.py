"""Recursive WITH: the seed, the step that reads what came last, and their types."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from tqp.ir.plan import Aggregate, Field, Plan, Project, Recursion, SetOp, Values, Working
from tqp.ir.visit import definitions, expressions, rename, walk_query, with_expressions
from tqp.sql.context import Context
from tqp.sql.operators import cast
from tqp.sql.query import bind_query, with_ctes
from tqp.sql.scope import Cte, Iterated
from tqp.sql.using_key import Folded, fold_of
from tqp.types import NULL

__all__ = ["bind_recursion", "working_table"]


def bind_recursion(context: Context, cte: Cte, name: str) -> Plan:
    """The plan of a query under WITH RECURSIVE that is a UNION; it is of its own columns' names.

    Types are those of the seed, to which a step's are cast, be it one that reads the query or not, and under USING KEY those of
    its aggregates. BindError where anything but the right side of the UNION reads the query itself, and for ORDER BY and
    LIMIT around it.
    """
    union = cte.query
    assert isinstance(union, exp.Union)
    for part, clause in (("order", "ORDER BY"), ("limit", "LIMIT"), ("offset", "OFFSET")):
        if union.args.get(part) is not None:
            hint = "write it where the result is read, or put the step in parentheses with it"
            raise context.error(union.args[part], f"{clause} around a recursive query is not allowed", hint=hint)
    if union.args.get("by_name"):
        raise context.error(union, "a recursive query takes UNION or UNION ALL, not BY NAME")
    key = cte.node.args.get("key_expressions")
    ctes = with_ctes(context, union, cte.scope, cte.ctes)
    within = {**ctes, name.lower(): replace(cte, circular=True)}
    seed = bind_query(context, union.this, cte.scope, within)
    columns = _named(_again(context, seed), cte.columns)
    given = Iterated(context.symbol(f"recursion_{name}"), columns, columns)
    folded = None if not key else fold_of(context, key, name, _named(seed.schema, cte.columns))
    if folded is not None:
        kept = tuple(replace(column, dtype=dtype) for column, dtype in zip(columns, folded.types, strict=True))
        given = Iterated(given.name, kept if union.args.get("distinct") else columns, kept)
    within[name.lower()] = replace(cte, iterated=given)
    step = bind_query(context, union.expression, cte.scope, within)
    if len(step.schema) != len(seed.schema):
        raise context.error(
            union.expression, f"the step of {name} has {len(step.schema)} columns, its beginning {len(seed.schema)}"
        )
    reads = _reads(step, given.name)
    for one, column in zip(step.schema, columns, strict=True):
        if column.dtype == NULL != one.dtype:
            told = (
                f"column {column.name} of {name} is NULL without a type at its beginning, and {one.dtype} in its step"
            )
            raise context.error(union.expression, told, hint=f"write CAST(NULL AS {one.dtype})")
    exprs = tuple(cast(one.ref, column.dtype) for one, column in zip(step.schema, seed.schema, strict=True))
    typed: Plan = Project(step, _again(context, seed), exprs)
    distinct = bool(union.args.get("distinct"))
    if folded is None and not reads:
        # The rows of the step come once, with those of the beginning; which are the same a recursion says.
        seed, typed = SetOp("union", True, (seed, typed), _again(context, seed)), Values(_again(context, seed), ())
        if not distinct:
            return seed
    if folded is None:
        return Recursion(given.name, seed, typed, _again(context, seed), distinct)
    fields = tuple(context.field(column.name, column.dtype) for column in given.whole)
    if not reads:
        return _folded_once(context, seed, typed, fields, folded)
    return Recursion(given.name, seed, typed, fields, distinct, folded.key, folded.calls)


def _folded_once(context: Context, seed: Plan, step: Plan, fields: tuple[Field, ...], folded: Folded) -> Plan:
    """USING KEY over rows that come once. As in DuckDB the rows of the seed are the last ones."""
    columns = _again(context, seed)
    both = SetOp("union", True, (step, seed), columns)
    keys = tuple(columns[place].symbol for place in folded.key)
    made = tuple(field for place, field in enumerate(fields) if place not in folded.key)
    names = {old.symbol: new.ref for old, new in zip(seed.schema, columns, strict=True)}
    grouped: Plan = Aggregate(both, keys, made, folded.calls)
    grouped = with_expressions(grouped, tuple(rename(expr, names) for expr in expressions(grouped)))
    exprs = (columns[place].ref if place in folded.key else field.ref for place, field in enumerate(fields))
    return Project(grouped, fields, tuple(exprs))


def working_table(context: Context, table: Iterated, whole: bool) -> Plan:
    """A use of a recursive query within its step: the rows that came last, or the `whole` of them so far."""
    columns = table.whole if whole else table.fields
    fields = tuple(context.field(column.name, column.dtype) for column in columns)
    return Working(table.name, tuple(range(len(fields))), fields, whole)


def _again(context: Context, plan: Plan) -> tuple[Field, ...]:
    return tuple(context.field(column.name, column.dtype) for column in plan.schema)


def _named(fields: tuple[Field, ...], names: tuple[str, ...]) -> tuple[Field, ...]:
    renamed = tuple(replace(field, name=name) for field, name in zip(fields, names, strict=False))
    return (*renamed, *fields[len(renamed) :])


def _reads(plan: Plan, name: str) -> bool:
    trees = (*definitions(plan), plan)
    return any(isinstance(node, Working) and node.name == name for tree in trees for node in walk_query(tree))
