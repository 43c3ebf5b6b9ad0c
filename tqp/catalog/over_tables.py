"""Plans and the stored tables that they read: which these are, and the same plan over others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from tqp.data.stored import StoredTable, TableReference
from tqp.errors import SourceError
from tqp.ir.expr import Expr, Predict
from tqp.ir.plan import Plan, Project, Scan, Shared
from tqp.ir.visit import definitions, rewrite_query, subplans, walk_query
from tqp.models.model import Model, ModelReference

__all__ = ["attached", "is_of_table", "latest_plan", "references_of", "tables_of", "unread_plan"]


def tables_of(plan: Plan) -> tuple[StoredTable, ...]:
    """The stored tables that a plan reads, in subqueries and shared relations too, each once."""
    return tuple({id(source): source for source in _sources(plan) if isinstance(source, StoredTable)}.values())


def is_of_table(plan: Plan) -> bool:
    """Whether the plan has a row for each one of a stored table, which is all it reads."""
    while isinstance(plan, Project) and not any(map(subplans, plan.exprs)):
        plan = plan.input
    return isinstance(plan, Scan) and isinstance(plan.source, StoredTable)


def references_of(plan: Plan) -> tuple[TableReference, ...]:
    """The tables that an unpickled plan only names, each once."""
    return tuple({id(source): source for source in _sources(plan) if isinstance(source, TableReference)}.values())


def attached(plan: Plan, tables: Mapping[str, StoredTable], models: Mapping[str, Model] | None = None) -> Plan:
    """An unpickled plan over the tables, and with the models, of these names.

    SourceError where there is none of a name, or it is not as the plan takes it to be: an optimized plan relies on what was
    known of the columns' values, so the table must hold what the one held that the plan was made over.
    """
    found: dict[int, StoredTable] = {}
    for reference in references_of(plan):
        table = tables.get(reference.name)
        if table is None:
            raise SourceError(f"the plan reads a table {reference.name!r}, which was not given")
        part = table if reference.excerpt is None else table.excerpt_of(reference.excerpt)
        if part is None:
            raise SourceError(f"the plan reads some row groups of {reference.name!r}, which are not to be had alone")
        reference.require_same(part)
        found[id(reference)] = part

    def with_model(expr: Expr) -> Expr | None:
        if not isinstance(expr, Predict) or not isinstance(expr.model, ModelReference):
            return None
        return replace(expr, model=_model(expr.model, expr.places, models or {}))

    return _over(plan, found, with_model)


def _model(reference: ModelReference, places: tuple[int, ...], models: Mapping[str, Model]) -> Model:
    model = models.get(reference.name)
    if model is None:
        raise SourceError(f"the plan calls a model {reference.name!r}, which was not given")
    # The plan's model may have been cut to the rows of the query, and its arguments with it.
    if model.inputs != reference.inputs or not model.used_inputs() <= set(places):
        raise SourceError(
            f"model {reference.name!r} is not the one that the plan was made for", hint="plan the query anew with it"
        )
    return model


def _sources(plan: Plan) -> Iterator[object]:
    nodes = (node for tree in (*definitions(plan), plan) for node in walk_query(tree))
    return (node.source for node in nodes if isinstance(node, Scan))


def latest_plan(plan: Plan, tables: tuple[StoredTable, ...]) -> Plan:
    """The plan over what the sources of its `tables` hold now; itself where that is what they held.

    Raises SourceError where a source cannot be read any more, or has lost a column that the plan was bound to.
    """
    pairs = [(table, table.latest()) for table in tables]
    return _over(plan, {id(table): latest for table, latest in pairs if latest is not table})


def unread_plan(plan: Plan, tables: tuple[StoredTable, ...]) -> Plan:
    """The plan over the same `tables` with nothing read yet."""
    return _over(plan, {id(table): table.unread() for table in tables})


def _over(plan: Plan, tables: Mapping[int, StoredTable], within: Callable[[Expr], Expr | None] | None = None) -> Plan:
    """The plan with other tables in the place of those of these identities; `within` rewrites expressions."""
    if not tables and within is None:
        return plan

    shared: dict[Plan, Plan] = {}

    def moved(node: Plan) -> Plan | None:
        if isinstance(node, Shared):
            return Shared(shared[node.definition], node.columns, node.fields)
        if isinstance(node, Scan) and id(node.source) in tables:
            return _scan(node, tables[id(node.source)])
        return None

    for definition in definitions(plan):
        shared[definition] = rewrite_query(definition, moved, within=within)
    return rewrite_query(plan, moved, within=within)


def _scan(scan: Scan, table: StoredTable) -> Scan:
    kinds = dict((*table.schema, *table.hidden))
    known = scan.source.unsupported if isinstance(scan.source, StoredTable) else ()
    for column, field in zip(scan.columns, scan.fields, strict=True):
        if kinds.get(column) != field.dtype or column in table.unsupported and column not in known:
            found = "is gone" if column not in kinds else f"is {kinds[column]} now"
            raise SourceError(
                f"column {column!r} of {table.name!r} was {field.dtype} when the relation was made, and {found}",
                hint="make the relation, or register the view, again",
            )
    return replace(scan, source=table)
