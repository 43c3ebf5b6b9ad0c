"""SQL types. A `DType` says what a value means; how it is stored is `tqp.data.column`'s matter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import Any, Final

from tqp.keywords import identifier, text_constant

__all__ = [
    "ARRAY_ELEMENTS", "BIGINT", "BIGNUM", "BIT", "BLOB", "BOOLEAN", "DATE", "DOUBLE", "DType", "FLOAT", "Field", "HUGEINT",
    "INTEGER", "INTEGERS", "INTERVAL", "JSON", "Kind", "MOST_MEMBERS", "NULL", "SMALLINT", "TIME", "TIME_NS", "TIMETZ", "TIMESTAMP",
    "TIMESTAMPTZ", "TIMESTAMPTZ_NS", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP_S", "TINYINT", "UBIGINT", "UHUGEINT", "UINTEGER",
    "UNITS_A_SECOND", "USMALLINT", "UTINYINT", "UUID", "VARCHAR", "VARIANT", "array", "decimal", "enum", "integer_range", "list_of",
    "map_of", "stored_range", "struct", "union",
]  # fmt: skip


class Kind(Enum):
    """The families of SQL types."""

    # Members equal themselves alone; the hash of their names, which Enum takes, would be computed anew each time.
    __hash__ = object.__hash__

    NULL = "NULL"
    BOOLEAN = "BOOLEAN"
    TINYINT = "TINYINT"
    SMALLINT = "SMALLINT"
    INTEGER = "INTEGER"
    BIGINT = "BIGINT"
    HUGEINT = "HUGEINT"
    UTINYINT = "UTINYINT"
    USMALLINT = "USMALLINT"
    UINTEGER = "UINTEGER"
    UBIGINT = "UBIGINT"
    UHUGEINT = "UHUGEINT"
    BIGNUM = "BIGNUM"
    FLOAT = "FLOAT"
    DOUBLE = "DOUBLE"
    DECIMAL = "DECIMAL"
    DATE = "DATE"
    TIME = "TIME"
    TIME_NS = "TIME_NS"
    TIMETZ = "TIME WITH TIME ZONE"
    TIMESTAMP = "TIMESTAMP"
    TIMESTAMP_S = "TIMESTAMP_S"
    TIMESTAMP_MS = "TIMESTAMP_MS"
    TIMESTAMP_NS = "TIMESTAMP_NS"
    TIMESTAMPTZ = "TIMESTAMP WITH TIME ZONE"
    TIMESTAMPTZ_NS = "TIMESTAMPTZ_NS"
    INTERVAL = "INTERVAL"
    VARCHAR = "VARCHAR"
    JSON = "JSON"
    BLOB = "BLOB"
    BIT = "BIT"
    UUID = "UUID"
    ENUM = "ENUM"
    VARIANT = "VARIANT"
    ARRAY = "ARRAY"
    LIST = "LIST"
    STRUCT = "STRUCT"
    MAP = "MAP"
    UNION = "UNION"


_INTEGER_RANGES: Final = {
    Kind.TINYINT: (-(2**7), 2**7 - 1),
    Kind.SMALLINT: (-(2**15), 2**15 - 1),
    Kind.INTEGER: (-(2**31), 2**31 - 1),
    Kind.BIGINT: (-(2**63), 2**63 - 1),
    Kind.HUGEINT: (-(2**127), 2**127 - 1),
    Kind.UTINYINT: (0, 2**8 - 1),
    Kind.USMALLINT: (0, 2**16 - 1),
    Kind.UINTEGER: (0, 2**32 - 1),
    Kind.UBIGINT: (0, 2**64 - 1),
    # Two limbs have a sign: what needs the 128th bit is out of range.
    Kind.UHUGEINT: (0, 2**127 - 1),
}


_OTHER_UNITS: Final = {
    Kind.TIMESTAMP_S: 1,
    Kind.TIMESTAMP_MS: 1000,
    Kind.TIMESTAMP_NS: 10**9,
    Kind.TIMESTAMPTZ_NS: 10**9,
}
UNITS_A_SECOND: Final = {Kind.TIMESTAMP: 10**6, Kind.TIMESTAMPTZ: 10**6, **_OTHER_UNITS}
"""In what the stored integers of timestamps count."""
_TEMPORAL: Final = (Kind.DATE, Kind.TIME, Kind.TIME_NS, *UNITS_A_SECOND)
_BINARY: Final = (Kind.BLOB, Kind.BIGNUM)
_WITH_CHILDREN: Final = (Kind.LIST, Kind.STRUCT, Kind.MAP, Kind.UNION)


def _derived() -> Any:
    """A field that follows from the others."""
    return field(init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class DType:
    """A SQL type: its kind; of DECIMAL precision (1..38) and scale (0..precision); of ARRAY `element` and `size`; of LIST
    `element`, and `size` where all lists have so many elements (an array of what is no number); of STRUCT `fields`, whose
    names are compared without case and are all empty where it has none; of MAP as `element` the STRUCT of its `key` and
    `value`; of ENUM its `labels`, in their order; of VARCHAR its `collation`, in small letters, "" where COLLATE gave it none.

    As in DuckDB a collation says how text compares and not what it is: types that differ in that alone are equal.
    """

    kind: Kind
    precision: int = 0
    scale: int = 0
    element: DType | None = None
    size: int = 0
    fields: tuple[Field, ...] = ()
    labels: tuple[str, ...] = ()
    collation: str = field(default="", compare=False)

    # What is asked of a type wherever a column is met, found out once.
    is_integer: bool = _derived()
    is_float: bool = _derived()
    is_decimal: bool = _derived()
    is_exact: bool = _derived()
    """Stored as integers that count units of 10**-scale."""
    is_numeric: bool = _derived()
    is_text: bool = _derived()
    """VARCHAR, or JSON, which is text that is known to be JSON."""
    is_coded: bool = _derived()
    """Strings, bytes, bits, which are strings of 0 and 1, BIGNUMs, or variants, which are documents: stored as codes into a
    dictionary."""
    is_binary: bool = _derived()
    """This is a dictionary of bytes: BLOB, BIGNUM."""
    is_array: bool = _derived()
    is_list: bool = _derived()
    """A LIST or a MAP, whose entries are a list: any number of elements."""
    is_struct: bool = _derived()
    is_union: bool = _derived()
    is_record: bool = _derived()
    """Each of its columns' children has a row for each of its rows: STRUCT, UNION."""
    is_nested: bool = _derived()
    """It has values of other types in it: ARRAY, LIST, STRUCT, MAP, UNION."""
    has_children: bool = _derived()
    """These values are columns of their own: LIST, STRUCT, MAP, UNION."""
    is_temporal: bool = _derived()
    is_other_unit: bool = _derived()
    """TIMESTAMP_S, _MS, _NS or TIMESTAMPTZ_NS: kept and compared as they are; see `in_microseconds`."""
    is_collated: bool = _derived()
    """It is VARCHAR with a collation, or has values of such a type in it."""
    is_ordinal: bool = _derived()
    """Stored as integers that are in the order of the values, within `stored_range`."""
    _hash: int = _derived()

    def __post_init__(self) -> None:
        kind = self.kind
        is_integer, is_float = kind in _INTEGER_RANGES, kind in (Kind.FLOAT, Kind.DOUBLE)
        is_exact = is_integer or kind is Kind.DECIMAL
        facts = {
            "is_integer": is_integer,
            "is_float": is_float,
            "is_decimal": kind is Kind.DECIMAL,
            "is_exact": is_exact,
            "is_numeric": is_exact or is_float,
            "is_text": kind in (Kind.VARCHAR, Kind.JSON),
            "is_coded": kind in (Kind.VARCHAR, Kind.JSON, *_BINARY, Kind.BIT, Kind.VARIANT),
            "is_binary": kind in _BINARY,
            "is_array": kind is Kind.ARRAY,
            "is_list": kind in (Kind.LIST, Kind.MAP),
            "is_struct": kind is Kind.STRUCT,
            "is_union": kind is Kind.UNION,
            "is_record": kind in (Kind.STRUCT, Kind.UNION),
            "is_nested": kind in (Kind.ARRAY, *_WITH_CHILDREN),
            "has_children": kind in _WITH_CHILDREN,
            "is_temporal": kind in _TEMPORAL,
            "is_other_unit": kind in _OTHER_UNITS,
            "is_collated": bool(self.collation)
            or (self.element is not None and self.element.is_collated)
            or any(field.type.is_collated for field in self.fields),
            "is_ordinal": is_exact or kind in (*_TEMPORAL, Kind.TIMETZ, Kind.UUID, Kind.ENUM),
        }
        for name, value in facts.items():
            object.__setattr__(self, name, value)
        # Of a nested type the name is as long as it is deep.
        is_plain = self.element is None and not self.fields
        object.__setattr__(self, "_hash", hash(str(self)) if is_plain else hash(self._parts()))

    def _parts(self) -> tuple[object, ...]:
        return self.kind, self.precision, self.scale, self.element, self.size, self.fields, self.labels

    # Each node of a plan is hashed with its type and compared by it. As in DuckDB a type equals its name in SQL.

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, str):
            return str(self).lower() == other.lower()
        return isinstance(other, DType) and self._hash == other._hash and self._parts() == other._parts()

    def __reduce__(self) -> tuple[type[DType], tuple[object, ...]]:
        # A hash means nothing in another process.
        return DType, (*self._parts(), self.collation)

    def __str__(self) -> str:
        if self.kind is Kind.DECIMAL:
            return f"DECIMAL({self.precision},{self.scale})"
        if self.kind is Kind.MAP:
            assert self.element is not None
            key, value = self.element.children
            return f"MAP({_shown(key)}, {_shown(value)})"
        if self.element is not None:
            return f"{_shown(self.element)}[{self.size or ''}]"
        if self.kind is Kind.ENUM:
            return "ENUM({})".format(", ".join(map(text_constant, self.labels)))
        if self.is_struct:
            name = "TUPLE" if self.is_row else "STRUCT"
            return f"{name}({', '.join(map(str, self.fields))})" if self.fields else name
        if self.is_union:
            return f"UNION({', '.join(map(str, self.fields))})"
        return str(self.kind.value)

    @property
    def in_microseconds(self) -> DType:
        """What functions that know microseconds alone take a timestamp as; other types are themselves."""
        if not self.is_other_unit:
            return self
        return TIMESTAMPTZ if self.kind is Kind.TIMESTAMPTZ_NS else TIMESTAMP

    @property
    def counts_nanoseconds(self) -> bool:
        return UNITS_A_SECOND.get(self.kind) == 10**9

    @property
    def children(self) -> tuple[DType, ...]:
        """The types of its columns' children: of a LIST its element, of a MAP the STRUCT of an entry, of a STRUCT its fields, of a
        UNION its tag and its members."""
        if not self.has_children:
            return ()
        parts = (self.element,) if self.element is not None else tuple([field.type for field in self.fields])
        return (self.tag, *parts) if self.is_union else parts

    @property
    def is_row(self) -> bool:
        """Whether it is a STRUCT whose fields have no names, which DuckDB calls a TUPLE."""
        return self.is_struct and bool(self.fields) and not self.fields[0].name

    @property
    def tag(self) -> DType:
        """The ENUM of the names of a UNION's members, in whose order its values are."""
        return DType(Kind.ENUM, labels=tuple([field.name for field in self.fields]))

    def field(self, name: str) -> int | None:
        """The number of a STRUCT's field, or a UNION's member, of that name, whatever its case."""
        wanted = name.lower()
        return next((place for place, field in enumerate(self.fields) if field.name.lower() == wanted), None)

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a STRUCT, a member of a UNION."""

    name: str
    type: DType

    def __str__(self) -> str:
        if not self.name:
            return _shown(self.type)
        return f"{identifier(self.name)} {_shown(self.type)}"


def _shown(dtype: DType) -> str:
    """A type within another one."""
    return '"NULL"' if dtype.kind is Kind.NULL else str(dtype)


NULL: Final = DType(Kind.NULL)
BOOLEAN: Final = DType(Kind.BOOLEAN)
TINYINT: Final = DType(Kind.TINYINT)
SMALLINT: Final = DType(Kind.SMALLINT)
INTEGER: Final = DType(Kind.INTEGER)
BIGINT: Final = DType(Kind.BIGINT)
HUGEINT: Final = DType(Kind.HUGEINT)
UTINYINT: Final = DType(Kind.UTINYINT)
USMALLINT: Final = DType(Kind.USMALLINT)
UINTEGER: Final = DType(Kind.UINTEGER)
UBIGINT: Final = DType(Kind.UBIGINT)
UHUGEINT: Final = DType(Kind.UHUGEINT)
BIGNUM: Final = DType(Kind.BIGNUM)
FLOAT: Final = DType(Kind.FLOAT)
DOUBLE: Final = DType(Kind.DOUBLE)
DATE: Final = DType(Kind.DATE)
TIME: Final = DType(Kind.TIME)
TIME_NS: Final = DType(Kind.TIME_NS)
TIMETZ: Final = DType(Kind.TIMETZ)
TIMESTAMP: Final = DType(Kind.TIMESTAMP)
TIMESTAMP_S: Final = DType(Kind.TIMESTAMP_S)
TIMESTAMP_MS: Final = DType(Kind.TIMESTAMP_MS)
TIMESTAMP_NS: Final = DType(Kind.TIMESTAMP_NS)
TIMESTAMPTZ: Final = DType(Kind.TIMESTAMPTZ)
TIMESTAMPTZ_NS: Final = DType(Kind.TIMESTAMPTZ_NS)
INTERVAL: Final = DType(Kind.INTERVAL)
VARCHAR: Final = DType(Kind.VARCHAR)
JSON: Final = DType(Kind.JSON)
BLOB: Final = DType(Kind.BLOB)
BIT: Final = DType(Kind.BIT)
UUID: Final = DType(Kind.UUID)
VARIANT: Final = DType(Kind.VARIANT)

INTEGERS: Final = tuple(DType(kind) for kind in _INTEGER_RANGES)


@cache
def decimal(precision: int, scale: int) -> DType:
    """DECIMAL(precision, scale)."""
    if not 1 <= precision <= 38 or not 0 <= scale <= precision:
        raise ValueError(f"no such type: DECIMAL({precision},{scale})")
    return DType(Kind.DECIMAL, precision, scale)


ARRAY_ELEMENTS: Final = (FLOAT, DOUBLE, TINYINT, SMALLINT, INTEGER, BIGINT, UTINYINT, USMALLINT, UINTEGER)
"""What the elements of an array on one tensor may be."""


def array(element: DType, size: int) -> DType:
    """element[size], an ARRAY on one tensor or a LIST that says its size; ValueError for a size below 1."""
    if size < 1:
        raise ValueError("an array has at least one element")
    return DType(Kind.ARRAY if element in ARRAY_ELEMENTS else Kind.LIST, element=element, size=size)


def list_of(element: DType) -> DType:
    """element[]."""
    return DType(Kind.LIST, element=element)


def struct(fields: Iterable[tuple[str, DType]]) -> DType:
    """STRUCT(name type, …), or STRUCT without fields; ValueError where names repeat or only some fields have one."""
    found = tuple(Field(name, dtype) for name, dtype in fields)
    names = [field.name.lower() for field in found]
    if any(names) and (not all(names) or len(set(names)) < len(names)):
        raise ValueError("the fields of a STRUCT have names that differ, or none has a name")
    return DType(Kind.STRUCT, fields=found)


def map_of(key: DType, value: DType) -> DType:
    """MAP(key, value)."""
    return DType(Kind.MAP, element=struct([("key", key), ("value", value)]))


MOST_MEMBERS: Final = 256
"""Of a UNION, as in DuckDB."""


def union(members: Iterable[tuple[str, DType]]) -> DType:
    """UNION(name type, …); ValueError where names are empty or repeat, and where there are none or more than `MOST_MEMBERS`."""
    found = tuple(Field(name, dtype) for name, dtype in members)
    names = {field.name.lower() for field in found}
    if not 1 <= len(found) <= MOST_MEMBERS or "" in names or len(names) < len(found):
        raise ValueError(f"a UNION has 1 to {MOST_MEMBERS} members, whose names differ")
    return DType(Kind.UNION, fields=found)


def enum(labels: Iterable[str]) -> DType:
    """ENUM(labels…); ValueError where one comes twice."""
    found = tuple(labels)
    if len(set(found)) < len(found):
        raise ValueError("an ENUM has labels that differ")
    return DType(Kind.ENUM, labels=found)


def integer_range(dtype: DType) -> tuple[int, int]:
    """Smallest and largest stored integer of an exact type (DECIMAL: in units of 10**-scale)."""
    if dtype.is_decimal:
        limit = 10**dtype.precision - 1
        return -limit, limit
    return _INTEGER_RANGES[dtype.kind]


def stored_range(dtype: DType) -> tuple[int, int]:
    """Smallest and largest stored integer of an ordinal type: of 64 bits, or of 128 for UUID, which is kept less 2**127; of an
    ENUM the places of its labels."""
    if dtype.is_exact:
        return integer_range(dtype)
    if dtype.kind is Kind.ENUM:
        return 0, max(len(dtype.labels) - 1, 0)
    bits = 127 if dtype.kind is Kind.UUID else 63
    return -(2**bits), 2**bits - 1
