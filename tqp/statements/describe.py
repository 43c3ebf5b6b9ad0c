"""DESCRIBE and SHOW: the columns of tables and queries, the names of tables, the values of settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import pyarrow as pa

from tqp.catalog.definitions import ColumnRule, Path
from tqp.catalog.entries import Entries, Entry
from tqp.catalog.schemas import BUILT_IN, SEARCHES
from tqp.data.stored import Gap
from tqp.data.to_arrow import few_strings
from tqp.errors import BindError
from tqp.ir.expr import ColumnRef
from tqp.ir.lineage import lineage
from tqp.ir.plan import Aggregate, Field, Plan, Scan, Window
from tqp.relation import Relation
from tqp.session.options import SETTINGS
from tqp.session.system_columns import type_shown
from tqp.sql.names import displayed
from tqp.statements.caller import Caller
from tqp.statements.head import QUERY_STARTS, Head
from tqp.statements.registry import statement
from tqp.types import NULL

__all__ = ["ALL_TABLES", "DATABASES", "ShowTables", "query_of"]


@dataclass(frozen=True, slots=True)
class _Describe:
    """`path`: of the query of all of a table, the table."""

    query: str
    path: Path | None
    changes: ClassVar = False

    def run(self, caller: Caller) -> Relation:
        plan, entries = self._at_one_time(caller)
        fields = plan.schema
        found = [_rule(entries, plan, field) for field in fields]
        known = [None if one is None else one[1] for one in found]
        nothing = pa.nulls(len(fields), pa.string())
        return caller.rows(
            pa.table(
                {
                    "column_name": few_strings([field.name for field in fields], pa.large_string()),
                    "column_type": few_strings([_type(plan, field) for field in fields], pa.large_string()),
                    "null": few_strings(
                        ["YES" if rule is None or rule.is_nullable else "NO" for rule in known], pa.large_string()
                    ),
                    "key": few_strings([None if one is None else _key(*one) for one in found], pa.large_string()),
                    "default": few_strings(
                        [None if rule is None or rule.default is None else displayed(rule.default) for rule in known],
                        pa.large_string(),
                    ),
                    "extra": nothing,
                }
            )
        )

    def _at_one_time(self, caller: Caller) -> tuple[Plan, Entries]:
        """The query's plan, and the tables that its names meant: others may put new ones in their place meanwhile."""
        while True:
            defined = caller.catalog.defined
            plan = caller.described(self.query)
            if caller.catalog.defined is defined:
                return plan, defined.entries


def _rule(entries: Entries, plan: Plan, field: Field) -> tuple[Entry, ColumnRule] | None:
    """What CREATE TABLE says of the column that the field is, of one of these tables; None where it is none as it stands."""
    scan, name = _stored(plan, field)
    if scan is None:
        return None
    same = [entry for entry in entries.values() if entry.meaning is scan.source]
    return next(((entry, rule) for entry in same for rule in entry.rules if rule.name == name), None)


def _key(entry: Entry, rule: ColumnRule) -> str | None:
    """Which key of its table a column is in."""
    kinds = {key.is_primary for key in entry.keys if rule.name in key.columns}
    return "PRI" if True in kinds else "UNI" if kinds else None


def _type(plan: Plan, field: Field) -> str:
    """What the field's type is called: that of a column which cannot be read by what it is called where it lies."""
    if field.dtype == NULL:
        scan, name = _stored(plan, field)
        gap = getattr(scan.source, "unsupported", {}).get(name) if scan is not None else None
        if gap is not None:
            return gap.shown if isinstance(gap, Gap) else "UNKNOWN"
    return type_shown(str(field.dtype))


def _stored(plan: Plan, field: Field) -> tuple[Scan | None, str]:
    """The scan of the column that the field is, and its name there; None where it is none as it stands."""
    for node, expr in lineage(plan, field.ref):
        if isinstance(node, Aggregate | Window) or not isinstance(expr, ColumnRef):
            break
        if isinstance(node, Scan):
            columns = zip(node.columns, node.fields, strict=True)
            return node, next(column for column, own in columns if own.symbol == expr.symbol)
    return None, ""


@dataclass(frozen=True, slots=True)
class ShowTables:
    """The names that are found without a schema, or those in the `schema`."""

    schema: Path | None = None
    changes: ClassVar = False

    def run(self, caller: Caller) -> Relation:
        schemas = caller.catalog.schemas
        places = schemas.places(Path(""))
        if self.schema is not None and self.schema.name.lower() in BUILT_IN:
            # As in DuckDB what every connection has is not listed.
            places = ()
        elif self.schema is not None:
            places = schemas.places(Path("", (*self.schema.qualifiers, self.schema.name)))[-1:]
        names = sorted(entry.name for (place, _), entry in caller.catalog.entries.items() if place in places)
        return caller.rows(pa.table({"name": few_strings(names, pa.large_string())}))


ALL_TABLES: Final = """
    SELECT table_catalog AS database, table_schema AS schema, table_name AS name,
        list(column_name ORDER BY ordinal_position) AS column_names,
        list(data_type ORDER BY ordinal_position) AS column_types, table_catalog = 'temp' AS temporary
    FROM information_schema.columns GROUP BY ALL ORDER BY database, schema, name"""
DATABASES: Final = "SELECT database_name FROM duckdb_databases() WHERE NOT internal"


@dataclass(frozen=True, slots=True)
class _ShowAll:
    """All tables and views with their columns."""

    changes: ClassVar = False

    def run(self, caller: Caller) -> Relation:
        return caller.query(ALL_TABLES)


@dataclass(frozen=True, slots=True)
class _ShowList:
    query: str
    changes: ClassVar = False

    def run(self, caller: Caller) -> Relation:
        return caller.query(self.query)


_LISTS: Final = {
    "DATABASES": DATABASES,
    "SCHEMAS": """
        SELECT database_name, schema_name, schema_name = current_schema() AS current
        FROM duckdb_schemas() WHERE database_name = current_database()""",
    "VARIABLES": "FROM duckdb_variables()",
}
"""What SHOW and DESCRIBE list by these words, whatever tables are called so."""


@dataclass(frozen=True, slots=True)
class _Show:
    """What may be a table, or a setting."""

    describe: _Describe
    changes: ClassVar = False

    def run(self, caller: Caller) -> Relation:
        assert self.describe.path is not None
        name = str(self.describe.path)
        is_setting = name.lower() in SETTINGS or name.lower() in SEARCHES
        behavior = caller.connection.settings.semantics.show_behavior.upper()
        if behavior == "SETTING" and not is_setting:
            raise BindError(f"there is no setting {name}", hint="DESCRIBE shows the columns of a table")
        if behavior != "SETTING":
            try:
                return self.describe.run(caller)
            except BindError:
                if behavior == "TABLE" or not is_setting:
                    raise
        return caller.query(f"SELECT current_setting('{name}') AS {name}")


def query_of(head: Head) -> tuple[str, Path | None]:
    """The query here, or that of all of the table that is named here, with its path."""
    if head.word in QUERY_STARTS:
        return head.query(), None
    start = head.place
    if head.at_text():
        head.place += 1
        path = None
    else:
        path = head.path()
    return head.all_of(start), path


@statement("DESCRIBE", "DESC")
def _read_describe(head: Head) -> _Describe | ShowTables | _ShowAll | _ShowList:
    if head.at_end() or head.take("ALL"):
        return _all_tables(head)
    if head.word == "TABLES":
        return _read_tables(head)
    return _list_of(head) or _Describe(*query_of(head))


@statement("SHOW")
def _read_show(head: Head) -> _Describe | ShowTables | _ShowAll | _ShowList | _Show:
    if head.word == "TABLES":
        return _read_tables(head)
    if head.at_end() or head.take("ALL"):
        return _all_tables(head)
    known = _list_of(head)
    if known is not None:
        return known
    found = _Describe(*query_of(head))
    return found if found.path is None else _Show(found)


def _list_of(head: Head) -> _ShowList | None:
    is_list = head.word in _LISTS and head.following in ("", ";")
    return _ShowList(_LISTS[head.raw().upper()]) if is_list else None


def _read_tables(head: Head) -> ShowTables:
    head.need("TABLES")
    return ShowTables(head.path() if head.take("FROM") else None)


def _all_tables(head: Head) -> _ShowAll:
    if not head.at_end():
        head.need("TABLES")
    return _ShowAll()
