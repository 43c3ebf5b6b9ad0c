"""PRAGMA: what describes the connection, and settings in DuckDB's other spelling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

from tqp.errors import UnsupportedError
from tqp.keywords import quoted_name
from tqp.relation import Relation
from tqp.sql.sequences import path_of
from tqp.statements.caller import Caller
from tqp.statements.describe import ALL_TABLES, DATABASES, ShowTables
from tqp.statements.head import Head
from tqp.statements.needless import Nothing
from tqp.statements.registry import Statement, statement
from tqp.statements.settings import SetTo, read_value

__all__ = ["NEEDLESS"]


@dataclass(frozen=True, slots=True)
class _Ask:
    """A pragma that is a query."""

    query: str
    changes: ClassVar = False

    def run(self, caller: Caller) -> Relation:
        return caller.query(self.query)


_QUERIES: Final = {
    "collations": "FROM pragma_collations()",
    "show_tables_expanded": ALL_TABLES,
    "show_databases": DATABASES,
    "database_list": (
        "SELECT database_oid AS seq, database_name AS name, path AS file FROM duckdb_databases() WHERE NOT internal"
    ),
    "version": "FROM pragma_version()",
}
"""Pragmas without arguments, as queries."""

_SWITCHES: Final = {
    f"{word}_{setting}": (setting, value)
    for setting in ("progress_bar", "object_cache", "optimizer")
    for word, value in (("enable", "true"), ("disable", "false"))
}
"""Pragmas that set `enable_…` of what they name."""
NEEDLESS: Final = frozenset(
    """
    disable_checkpoint_on_shutdown disable_profile disable_profiling disable_verification disable_verify_parallelism
    enable_checkpoint_on_shutdown enable_verification force_checkpoint verify_parallelism""".split()
)
"""Pragmas that have nothing to do: no file has to be written, and no profile is; DuckDB's checks of itself change no answer."""


def _table_info(head: Head) -> _Ask:
    """`table_info('t')` or `table_info(t)`."""
    head.need("(")
    path = path_of(head.raw()) if head.at_text() else head.path()
    head.need(")")
    return _Ask(f"FROM pragma_table_info({'.'.join(map(quoted_name, (*path.qualifiers, path.name)))})")


_WITH_ARGUMENTS: Final[dict[str, Callable[[Head], Statement]]] = {"table_info": _table_info}


@statement("PRAGMA")
def _read(head: Head) -> Statement:
    name = head.identifier(())
    key = name.lower()
    if head.take("="):
        return read_value(head, name)
    if key in _WITH_ARGUMENTS and head.word == "(":
        return _WITH_ARGUMENTS[key](head)
    if key == "show_tables":
        return ShowTables()
    if key in _QUERIES and head.word != "(":
        return _Ask(_QUERIES[key])
    if key in _SWITCHES:
        setting, value = _SWITCHES[key]
        return SetTo(f"enable_{setting}", None, value)
    if key in NEEDLESS:
        return Nothing()
    known = sorted([*_QUERIES, *_WITH_ARGUMENTS, *_SWITCHES, *NEEDLESS])
    raise UnsupportedError(
        f"PRAGMA {name} is not supported",
        hint=f"SET, SHOW and DESCRIBE say most; pragmas: {', '.join(known)}",
        text=head.text,
    )
