"""Templates of expressions: those written down, and plain calls of every registered function as DuckDB types them."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb

from tests.fuzz import documents, moments, nested, own, scalars, variants
from tqp.functions.registry import find, names

_OF_SYNTAX = frozenset({
    "collation_form", "date_part_name", "fractions from above", "in list", "limit percent", "list_as_text", "list_firsts", "pair number", "sample draw",
    "sample uuid", "text_piece", "time_with_offset", "try_time_with_offset",
})  # fmt: skip
"""What the binder makes of clauses, and the optimizer of calls that are tried: `string_split(…)[n]`."""
_MADE = ("_in_zone", "_within")
"""So end the names of what they make of calls that meet a time zone, and of paths one after the other: templates of these try them."""

_ALL: dict[str, tuple[str, ...]] = {}
_KIND_OF = {
    "TINYINT": "int", "SMALLINT": "int", "INTEGER": "int", "BIGINT": "int", "HUGEINT": "int", "UTINYINT": "int", "USMALLINT": "int",
    "UINTEGER": "int", "UBIGINT": "int", "FLOAT": "float", "DOUBLE": "num", "DECIMAL": "dec", "VARCHAR": "text", "JSON": "json", "BLOB": "blob", "UUID": "uuid", "DATE": "date",
    "TIMESTAMP": "ts", "TIME": "time", "INTERVAL": "interval", "BOOLEAN": "bool", "ANY": "any",
}  # fmt: skip


def functions() -> tuple[str, ...]:
    """All registered functions that have a name in SQL, but those of arrays, whose elements may not be NULL: they have tests of their own."""
    return tuple(
        name
        for name in names()
        if not (" " in name or name in _OF_SYNTAX or name.endswith(_MADE))
        and find(name).kernel.__module__ != "tqp.functions.arrays"
    )


def every_template() -> dict[str, tuple[str, ...]]:
    """Templates by name: those written down, and for all other registered functions plain calls as DuckDB types them."""
    if not _ALL:
        for theme in (scalars, moments, documents, nested, own, variants):
            _ALL.update(theme.TEMPLATES)
        for name in functions():
            if name not in _ALL and (calls := tuple(_plain_calls(name))):
                _ALL[name] = calls
    return _ALL


def _plain_calls(name: str) -> Iterator[str]:
    rows = duckdb.execute(
        "SELECT DISTINCT parameter_types, return_type FROM duckdb_functions() WHERE function_type = 'scalar' AND function_name = ?",
        [name],
    ).fetchall()
    seen = set()
    for parameters, result in sorted(rows, key=str):
        # Most parts of an INTERVAL are an error in DuckDB, but only where the value is not NULL.
        if all(kind in _KIND_OF and kind != "INTERVAL" for kind in (*parameters, result)):
            holes = ", ".join(f"{{{_KIND_OF[kind]}}}" for kind in parameters)
            kind = _KIND_OF[result].replace("num", "float").replace("any", "=")
            seen.add(f"{kind}: {name}({holes})")
    yield from sorted(seen)
