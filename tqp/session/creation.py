"""The texts by which tables, views and indexes would be made anew, as DuckDB writes them."""

from __future__ import annotations

from tqp.catalog.definitions import MAIN, TEMP, Check, ColumnRule, Constraint, ForeignKey, Index, UniqueKey, View
from tqp.catalog.entries import Entry
from tqp.catalog.schemas import Schemas
from tqp.errors import TqpError
from tqp.keywords import identifier
from tqp.session.system_columns import type_shown
from tqp.sql.names import displayed

__all__ = ["constraint_text", "index_text", "query_text", "table_text", "view_text"]


def table_text(place: str, entry: Entry, schemas: Schemas) -> str:
    """CREATE TABLE: its columns with what is written beside them, and then the other constraints."""
    beside = {one.columns[0]: one for one in entry.constraints if isinstance(one, UniqueKey) and one.at_column}
    primary = {name for one in entry.keys if one.is_primary for name in one.columns}
    columns = [_column(rule, beside.get(rule.name), rule.name in primary) for rule in entry.rules]
    others = [constraint_text(place, one, schemas) for one in entry.constraints if one not in beside.values()]
    parts = ", ".join([*columns, *others])
    return f"CREATE {_temporary(place)}TABLE {_qualified(place, entry.name, schemas)}({parts});"


def view_text(place: str, name: str, view: View, schemas: Schemas) -> str:
    """CREATE VIEW with its query as DuckDB shows queries."""
    names = f" ({', '.join(map(identifier, view.columns))})" if view.columns else ""
    kind = f"{_temporary(place)}{'SECURE ' if view.secure else ''}VIEW"
    return f"CREATE {kind} {_qualified(place, name, schemas)}{names} AS {query_text(view.text)};"


def query_text(text: str) -> str:
    """A query as DuckDB shows queries."""
    try:
        return displayed(f"({text})")[1:-1]
    except TqpError:
        # Macros may have other syntax, which is as it is written.
        return text


def index_text(place: str, entry: Entry, index: Index, schemas: Schemas) -> str:
    """CREATE INDEX of a table."""
    kind = "UNIQUE INDEX" if index.is_unique else "INDEX"
    table = _qualified(place, entry.name, schemas)
    return f"CREATE {kind} {identifier(index.name)} ON {table}({', '.join(index.keys)});"


def _temporary(place: str) -> str:
    return "TEMP " if place == TEMP else ""


def _qualified(place: str, name: str, schemas: Schemas) -> str:
    """The name with its schema before it, unless that is the first one."""
    _, schema = schemas.shown(place)
    return identifier(name) if schema == MAIN else f"{identifier(schema)}.{identifier(name)}"


def _column(rule: ColumnRule, key: UniqueKey | None, is_primary: bool) -> str:
    words = [identifier(rule.name), type_shown(str(rule.dtype))]
    if rule.dtype.collation:
        words.append(f"COLLATE {rule.dtype.collation.upper()}")
    if rule.generated is not None:
        words.append(f"GENERATED ALWAYS AS({displayed(rule.generated)})")
    if rule.default is not None:
        words.append(f"DEFAULT({displayed(rule.default)})")
    if not rule.is_nullable and not is_primary:
        words.append("NOT NULL")
    if key is not None:
        words.append(_kind(key))
    return " ".join(words)


def _kind(key: UniqueKey) -> str:
    return "PRIMARY KEY" if key.is_primary else "UNIQUE"


def constraint_text(place: str, one: Constraint, schemas: Schemas) -> str:
    """A constraint of a table in that place as it is written there."""
    match one:
        case Check():
            return f"CHECK({displayed(one.text)})"
        case UniqueKey():
            return f"{_kind(one)}({_names(one.columns)})"
        case ForeignKey():
            other = _qualified(place, one.table.name, schemas)
            return f"FOREIGN KEY ({_names(one.columns)}) REFERENCES {other}({_names(one.others)})"


def _names(columns: tuple[str, ...]) -> str:
    return ", ".join(map(identifier, columns))
