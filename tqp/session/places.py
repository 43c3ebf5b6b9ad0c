"""What tables that describe the connection say of whatever has a name: where it is, and under which numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeVar

import pyarrow as pa

from tqp.catalog.definitions import MAIN, TEMP
from tqp.catalog.schemas import Schemas
from tqp.oids import DATABASE_OIDS, schema_oid

__all__ = [
    "COUNT", "FLAG", "MAP", "NUMBER", "PLACE", "SYSTEM_PLACE", "TEXT", "TEXTS",
    "Row", "in_order", "named_place", "place_of", "texts",
]  # fmt: skip

Row = Mapping[str, Any]
"""The values of a row by its columns; NULL of those that it does not name."""

TEXT, NUMBER, COUNT, FLAG = pa.string(), pa.int32(), pa.int64(), pa.bool_()
TEXTS: Final = pa.list_(TEXT)
MAP: Final = pa.map_(TEXT, TEXT)

PLACE: Final = {"database_name": TEXT, "database_oid": COUNT, "schema_name": TEXT, "schema_oid": COUNT}

V = TypeVar("V")


def texts(names: str) -> dict[str, pa.DataType]:
    """Columns of texts, of these names."""
    return dict.fromkeys(names.split(), TEXT)


def named_place(database: str, schema: str) -> Row:
    """The values of the columns `PLACE`, and no tags, which nothing has."""
    return {
        "database_name": database,
        "database_oid": DATABASE_OIDS[database],
        "schema_name": schema,
        "schema_oid": schema_oid(database, schema.lower()),
        "tags": [],
    }


def place_of(schemas: Schemas, place: str) -> Row:
    """The same of what stands in that place."""
    return named_place(*schemas.shown(place))


SYSTEM_PLACE: Final = named_place("system", MAIN)
"""That of what is built in."""


def in_order(known: Mapping[tuple[str, str], V]) -> Iterator[tuple[str, V]]:
    """Things by their places and names, in DuckDB's order: what is temporary last, an underscore behind letters."""
    ordered: Iterable[tuple[tuple[str, str], V]] = sorted(known.items(), key=lambda item: _rank(*item[0]))
    for (place, _), value in ordered:
        yield place, value


def _rank(place: str, name: str) -> tuple[bool, str, str]:
    return place == TEMP, place.upper(), name.upper()
