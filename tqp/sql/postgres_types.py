"""How Postgres numbers and names types, as texts of SQL over what `duckdb_types()` and `duckdb_columns()` say of them."""

from __future__ import annotations

from typing import Final

__all__ = ["oid_of_name", "oid_of_type", "type_name"]

_OIDS: Final = {
    10: 16, 12: 21, 13: 23, 14: 20, 15: 1082, 16: 1083, 19: 1114, 21: 1700, 22: 700, 23: 701, 25: 1043, 26: 17, 27: 1186,
    32: 1184, 34: 1266, 36: 1560, 54: 2950,
}  # fmt: skip
"""Postgres' numbers of types, by DuckDB's."""

_OIDS_OF_NAMES: Final = {
    "bool": 16, "int16": 21, "int": 23, "bigint": 20, "date": 1082, "time": 1083, "datetime": 1114, "dec": 1700, "float": 700,
    "double": 701, "bpchar": 1043, "binary": 17, "interval": 1186, "timestamptz": 1184, "timestamp with time zone": 1184,
    "timetz": 1266, "time with time zone": 1266, "bit": 1560, "guid": 2950,
}  # fmt: skip

_NAMES: Final = {
    "FLOAT": "float4", "DOUBLE": "float8", "DECIMAL": "numeric", "VARCHAR": "varchar", "BLOB": "bytea", "TIMESTAMP": "timestamp",
    "TIME": "time", "TIMESTAMP WITH TIME ZONE": "timestamptz", "TIME WITH TIME ZONE": "timetz", "SMALLINT": "int2",
    "INTEGER": "int4", "BIGINT": "int8", "BOOLEAN": "bool",
}  # fmt: skip
"""What Postgres calls types, by DuckDB's names of their kinds; others are called as there, in small letters."""


def oid_of_type(number: str) -> str:
    """Postgres' number of a type, of DuckDB's; NULL where it has none."""
    return f"CASE {number} {' '.join(f'WHEN {own} THEN {oid}' for own, oid in _OIDS.items())} END"


def oid_of_name(name: str) -> str:
    """The same of DuckDB's first name of a type."""
    forms = " ".join(f"WHEN '{own}' THEN {oid}" for own, oid in _OIDS_OF_NAMES.items())
    return f"CASE {name} {forms} END"


def type_name(kind: str, name: str) -> str:
    """What Postgres calls a type of that kind; an ENUM by its own name."""
    forms = " ".join(f"WHEN '{own}' THEN '{other}'" for own, other in _NAMES.items())
    return f"CASE upper({kind}) WHEN 'ENUM' THEN lower({name}) {forms} ELSE lower({kind}) END"
