"""The rows of `duckdb_types()`: the types that there are by their names, and those that CREATE TYPE named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from tqp.catalog.definitions import MAIN
from tqp.catalog.named_types import NamedType, Types
from tqp.catalog.schemas import DATABASE
from tqp.oids import DATABASE_OIDS
from tqp.session.places import COUNT, FLAG, MAP, PLACE, TEXT, TEXTS, Row, in_order, named_place, place_of, texts
from tqp.sql.type_names import PLAIN_TYPES
from tqp.types import DType, Kind

__all__ = ["TYPE_COLUMNS", "rows_of_types", "type_id"]

TYPE_COLUMNS: Final = {
    **PLACE,
    "type_oid": COUNT,
    "type_name": TEXT,
    "type_size": COUNT,
    **texts("logical_type type_category comment"),
    "tags": MAP,
    "internal": FLAG,
    "extension_name": TEXT,
    "labels": TEXTS,
    "parameters": TEXTS,
    "parameter_types": TEXTS,
    "varargs": TEXT,
}

_OTHERS: Final = {
    "array": Kind.ARRAY, "list": Kind.LIST, "map": Kind.MAP, "struct": Kind.STRUCT, "row": Kind.STRUCT, "union": Kind.UNION,
    "enum": Kind.ENUM, "decimal": Kind.DECIMAL, "dec": Kind.DECIMAL, "numeric": Kind.DECIMAL, "null": Kind.NULL,
    "time with time zone": Kind.TIMETZ, "timestamp with time zone": Kind.TIMESTAMPTZ,
}  # fmt: skip
"""The names that say more behind them or are more than a word, and what they are."""

_LENGTH, _COLLATION, _PRECISION = {"length": "BIGINT"}, {"collation": "VARCHAR"}, {"precision": "UTINYINT"}
_WIDTHS: Final = {"width": "UTINYINT", "scale": "UTINYINT"}
_WITHOUT: Final[Mapping[str, str]] = {}
_PARAMETERS: Final[Mapping[str, tuple[Mapping[str, str], ...]]] = {
    "array": ({"child": "TYPE", "size": "BIGINT"},),
    "list": ({"child": "TYPE"},),
    "map": ({"key": "TYPE", "value": "TYPE"},),
    "float": (_WITHOUT, {"precision": "BIGINT"}),
    **dict.fromkeys(("datetime", "interval", "timestamp"), (_WITHOUT, _PRECISION)),
    **dict.fromkeys(("dec", "decimal", "numeric"), (_WITHOUT, _WIDTHS)),
    **dict.fromkeys(("bit", "bitstring"), (_WITHOUT, _LENGTH)),
    **dict.fromkeys(("bpchar", "char", "nvarchar", "string", "text", "varchar"), (_WITHOUT, _LENGTH, _COLLATION)),
}
"""What may stand in parentheses behind a name, in each of its forms."""
_VARARGS: Final = {"enum": "VARCHAR", **dict.fromkeys(("row", "struct", "tuple", "union"), "TYPE")}
"""Of what there may be any number there."""

_NUMBERS: Final = {
    Kind.TINYINT: 1, Kind.SMALLINT: 2, Kind.INTEGER: 4, Kind.BIGINT: 8, Kind.HUGEINT: 16, Kind.UTINYINT: 1, Kind.USMALLINT: 2,
    Kind.UINTEGER: 4, Kind.UBIGINT: 8, Kind.UHUGEINT: 16, Kind.FLOAT: 4, Kind.DOUBLE: 8,
}  # fmt: skip
_TIMES: Final = {
    Kind.DATE: 4, Kind.TIME: 8, Kind.TIME_NS: 8, Kind.TIMETZ: 8, Kind.TIMESTAMP: 8, Kind.TIMESTAMP_S: 8, Kind.TIMESTAMP_MS: 8,
    Kind.TIMESTAMP_NS: 8, Kind.TIMESTAMPTZ: 8, Kind.TIMESTAMPTZ_NS: 8, Kind.INTERVAL: 16,
}  # fmt: skip
_CATEGORIES: Final[tuple[tuple[str | None, Mapping[Kind, int]], ...]] = (
    ("NUMERIC", _NUMBERS),
    ("DATETIME", _TIMES),
    ("COMPOSITE", {Kind.ARRAY: 0, Kind.STRUCT: 0, Kind.UNION: 0, Kind.LIST: 16, Kind.MAP: 16}),
    ("STRING", {Kind.VARCHAR: 16, Kind.JSON: 16}),
    ("BOOLEAN", {Kind.BOOLEAN: 1}),
    ("VARIANT", {Kind.VARIANT: 0}),
    (None, {Kind.BLOB: 16, Kind.BIT: 16, Kind.BIGNUM: 16, Kind.UUID: 16, Kind.NULL: 4}),
)
"""What DuckDB calls groups of types, and how many bytes a value of each has there."""
_DIGITS: Final = ((2, 4), (4, 9), (8, 18), (16, 38))
"""The bytes of a DECIMAL, by the digits that it may have."""

_IDS: Final = {
    Kind.NULL: 1, Kind.BOOLEAN: 10, Kind.TINYINT: 11, Kind.SMALLINT: 12, Kind.INTEGER: 13, Kind.BIGINT: 14, Kind.DATE: 15,
    Kind.TIME: 16, Kind.TIMESTAMP_S: 17, Kind.TIMESTAMP_MS: 18, Kind.TIMESTAMP: 19, Kind.TIMESTAMP_NS: 20, Kind.DECIMAL: 21,
    Kind.FLOAT: 22, Kind.DOUBLE: 23, Kind.VARCHAR: 25, Kind.JSON: 25, Kind.BLOB: 26, Kind.INTERVAL: 27, Kind.UTINYINT: 28,
    Kind.USMALLINT: 29, Kind.UINTEGER: 30, Kind.UBIGINT: 31, Kind.TIMESTAMPTZ: 32, Kind.TIMESTAMPTZ_NS: 33, Kind.TIMETZ: 34,
    Kind.TIME_NS: 35, Kind.BIT: 36, Kind.BIGNUM: 39, Kind.UHUGEINT: 49, Kind.HUGEINT: 50, Kind.UUID: 54, Kind.STRUCT: 100,
    Kind.LIST: 101, Kind.MAP: 102, Kind.ENUM: 104, Kind.UNION: 107, Kind.ARRAY: 108, Kind.VARIANT: 109,
}  # fmt: skip
"""The numbers that DuckDB has for kinds of types."""
_TUPLE, _ID_OF_TUPLES = "tuple", 110
_SAID_OF_TUPLES: Final[Mapping[str, Any]] = {"type_size": 0, "logical_type": "TUPLE"}


def type_id(dtype: DType) -> int:
    """The number that DuckDB has for types of that kind."""
    if dtype.is_struct and dtype.fields and not dtype.fields[0].name:
        return _ID_OF_TUPLES
    return _IDS[_kind(dtype)]


def rows_of_types(types: Types) -> Iterator[Row]:
    """A row for each form of each name in each database, and for each named type, in the order of their names.

    Of the names of a kind that the own database has, the first one has its number.
    """
    own = [(place_of(types.schemas, place), named) for place, named in in_order(types.known)]
    for database in sorted(DATABASE_OIDS):
        place = named_place(database, MAIN)
        rows = [
            *_built_in(place),
            *(_named(where, named) for where, named in own if where["database_name"] == database),
        ]
        yield from sorted(rows, key=lambda row: (row["schema_name"].upper(), row["type_name"].upper()))


def _built_in(place: Row) -> Iterator[Row]:
    numbered: set[int] = set()
    for name in sorted({*PLAIN_TYPES, *_OTHERS, _TUPLE}, key=str.upper):
        if name == _TUPLE:
            number, said = _ID_OF_TUPLES, _SAID_OF_TUPLES
        else:
            kind = PLAIN_TYPES[name].kind if name in PLAIN_TYPES else _OTHERS[name]
            number, said = _IDS[kind], _of(kind, None)
            if kind is Kind.JSON:
                # An extension brings it.
                if place["database_name"] != "system":
                    continue
                name = name.upper()
        for form in _PARAMETERS.get(name, (_WITHOUT,)):
            is_first = place["database_name"] == DATABASE and number not in numbered
            numbered.add(number)
            yield {
                **place,
                "type_oid": number if is_first else None,
                "type_name": name,
                "internal": True,
                "extension_name": "json" if name == "JSON" else None,
                "parameters": list(form),
                "parameter_types": list(form.values()),
                "varargs": _VARARGS.get(name),
                **said,
            }


def _named(place: Row, named: NamedType) -> Row:
    dtype = named.dtype
    return {
        **place,
        "type_oid": named.oid,
        "type_name": named.name,
        "comment": named.comment,
        "internal": False,
        "labels": list(dtype.labels) if dtype.kind is Kind.ENUM else None,
        "parameters": [],
        "parameter_types": [],
        **_of(_kind(dtype), dtype),
    }


def _kind(dtype: DType) -> Kind:
    """The kind of a type, ARRAY for lists of one length."""
    return Kind.ARRAY if dtype.size else dtype.kind


def _of(kind: Kind, dtype: DType | None) -> Mapping[str, Any]:
    """What is said of a kind of types, or of one type of it."""
    if kind is Kind.DECIMAL:
        size = None if dtype is None else next(size for size, most in _DIGITS if dtype.precision <= most)
        return {"type_size": size, "logical_type": "DECIMAL", "type_category": "NUMERIC"}
    if kind is Kind.ENUM:
        size = None if dtype is None else next(size for size in (1, 2, 4) if len(dtype.labels) < 2 ** (8 * size))
        return {"type_size": size, "logical_type": "ENUM"}
    category, sizes = next((category, sizes) for category, sizes in _CATEGORIES if kind in sizes)
    shown = Kind.VARCHAR if kind is Kind.JSON else kind
    return {"type_size": sizes[kind], "logical_type": shown.value, "type_category": category}
