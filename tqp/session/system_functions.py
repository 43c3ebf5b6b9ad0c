"""The rows of `duckdb_functions()`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tqp.catalog.catalog import Catalog
from tqp.catalog.definitions import Macro
from tqp.functions import aggregates, registry, windows
from tqp.functions.tables import table_functions
from tqp.sql.names import displayed

__all__ = ["rows_of_functions"]


def rows_of_functions(catalog: Catalog) -> Iterator[Mapping[str, Any]]:
    """A row for each function, and for each definition of a macro."""
    for kind, names in (
        ("scalar", registry.names()),
        ("aggregate", aggregates.names()),
        ("window", windows.names()),
        ("table", table_functions()),
    ):
        for name in sorted(names):
            yield {
                "database_name": "system",
                "schema_name": "main",
                "function_name": name,
                "function_type": kind,
                "internal": True,
            }
    for own in sorted(catalog.own, key=lambda own: own.name):
        yield {
            "database_name": "temp",
            "schema_name": "main",
            "function_name": own.name,
            "function_type": own.type,
            "return_type": None if own.result is None else str(own.result),
            "parameters": [f"col{place}" for place in range(len(own.parameters))],
            "parameter_types": list(map(str, own.parameters)),
            "has_side_effects": own.side_effects,
            "internal": False,
        }
    for macro in sorted(catalog.macros.known.values(), key=lambda macro: macro.name):
        yield from _macro(macro, *catalog.schemas.shown(macro.place))


def _macro(macro: Macro, database: str, schema: str) -> Iterator[Mapping[str, Any]]:
    for overload in macro.overloads:
        yield {
            "database_name": database,
            "schema_name": schema,
            "function_name": macro.name,
            "function_type": "table_macro" if macro.is_table else "macro",
            "parameters": [parameter.name for parameter in overload.parameters],
            "macro_definition": overload.text if macro.is_table else displayed(overload.text),
            "internal": False,
        }
