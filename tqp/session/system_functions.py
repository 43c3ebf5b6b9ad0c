"""`duckdb_functions()`: what queries may call."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Final

from tqp.catalog.catalog import Catalog
from tqp.catalog.definitions import MAIN, TEMP, Macro
from tqp.functions import aggregates, registry, windows
from tqp.functions.tables import table_functions
from tqp.oids import FIRST_OF_SYSTEM
from tqp.session.creation import query_text
from tqp.session.places import COUNT, FLAG, MAP, SYSTEM_PLACE, TEXTS, Row, in_order, named_place, place_of, texts
from tqp.sql.names import displayed

__all__ = ["FUNCTION_COLUMNS", "rows_of_functions"]

FUNCTION_COLUMNS: Final = {
    # The number of the database is text here, as in DuckDB.
    **texts("database_name database_oid schema_name function_name alias_of function_type description comment"),
    "tags": MAP,
    **texts("return_type"),
    "parameters": TEXTS,
    "parameter_types": TEXTS,
    **texts("varargs macro_definition"),
    "has_side_effects": FLAG,
    "internal": FLAG,
    **texts("extension_name"),
    "function_oid": COUNT,
    "examples": TEXTS,
    **texts("stability"),
    "categories": TEXTS,
}


def rows_of_functions(catalog: Catalog) -> Iterator[Row]:
    """A row for each function, and for each definition of a macro."""
    for row in _rows(catalog):
        yield {**row, "database_oid": str(row["database_oid"]), "examples": [], "categories": []}


def _rows(catalog: Catalog) -> Iterator[Row]:
    numbers = count(FIRST_OF_SYSTEM)
    for kind, names in (
        ("scalar", registry.names()),
        ("aggregate", aggregates.names()),
        ("window", windows.names()),
        ("table", table_functions()),
    ):
        for name in sorted(names):
            yield {
                **SYSTEM_PLACE,
                "function_name": name,
                "function_type": kind,
                "internal": True,
                "function_oid": next(numbers),
            }
    for own in sorted(catalog.own, key=lambda own: own.name):
        yield {
            **named_place(TEMP, MAIN),
            "function_name": own.name,
            "function_type": own.type,
            "return_type": None if own.result is None else str(own.result),
            "parameters": [f"col{place}" for place in range(len(own.parameters))],
            "parameter_types": list(map(str, own.parameters)),
            "has_side_effects": own.side_effects,
            "internal": False,
            "function_oid": own.oid,
        }
    for is_table in (False, True):
        kept = {(place, name): one for (place, name, kind), one in catalog.macros.known.items() if kind is is_table}
        for place, macro in in_order(kept):
            yield from _macro(macro, place_of(catalog.schemas, place))


def _macro(macro: Macro, place: Row) -> Iterator[Row]:
    for overload in macro.overloads:
        yield {
            **place,
            "function_name": macro.name,
            "function_type": "table_macro" if macro.is_table else "macro",
            "comment": macro.comment,
            "parameters": [parameter.name for parameter in overload.parameters],
            "parameter_types": [parameter.type for parameter in overload.parameters],
            "macro_definition": query_text(overload.text) if macro.is_table else displayed(overload.text),
            "internal": False,
            "function_oid": macro.oid,
        }
