"""SQL types. A `DType` says what a value means; how it is stored is `tqp.data.column`'s matter."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import Any, Final

__all__ = [
    "ARRAY_ELEMENTS", "BIGINT", "BOOLEAN", "DATE", "DOUBLE", "DType", "FLOAT", "HUGEINT", "INTEGER", "INTEGERS",
    "INTERVAL", "Kind", "NULL", "SMALLINT", "TIME", "TIMESTAMP", "TIMESTAMPTZ", "TINYINT",
    "UBIGINT", "UINTEGER", "USMALLINT", "UTINYINT", "VARCHAR", "array", "decimal", "integer_range",
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
    FLOAT = "FLOAT"
    DOUBLE = "DOUBLE"
    DECIMAL = "DECIMAL"
    DATE = "DATE"
    TIME = "TIME"
    TIMESTAMP = "TIMESTAMP"
    TIMESTAMPTZ = "TIMESTAMP WITH TIME ZONE"
    INTERVAL = "INTERVAL"
    VARCHAR = "VARCHAR"
    ARRAY = "ARRAY"
    LIST = "LIST"


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
}


def _derived() -> Any:
    """A field that follows from the others."""
    return field(init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class DType:
    """A SQL type: its kind; of DECIMAL precision (1..38) and scale (0..precision); of ARRAY `element` and `size`.

    LIST is the type of a list as it is written, `[1, 2]`, of `size` elements. It lasts until the list takes another
    type: no column has it.
    """

    kind: Kind
    precision: int = 0
    scale: int = 0
    element: DType | None = None
    size: int = 0

    # What is asked of a type wherever a column is met, found out once.
    is_integer: bool = _derived()
    is_float: bool = _derived()
    is_decimal: bool = _derived()
    is_exact: bool = _derived()
    """Stored as integers that count units of 10**-scale."""
    is_numeric: bool = _derived()
    is_text: bool = _derived()
    is_array: bool = _derived()
    is_nested: bool = _derived()
    """An ARRAY or a written list."""
    is_temporal: bool = _derived()

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
            "is_text": kind is Kind.VARCHAR,
            "is_array": kind is Kind.ARRAY,
            "is_nested": self.element is not None,
            "is_temporal": kind in (Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ),
        }
        for name, value in facts.items():
            object.__setattr__(self, name, value)

    def __str__(self) -> str:
        if self.kind is Kind.DECIMAL:
            return f"DECIMAL({self.precision},{self.scale})"
        if self.element is not None:
            return f"{self.element}[{self.size if self.is_array else ''}]"
        return str(self.kind.value)

    def __repr__(self) -> str:
        return str(self)


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
FLOAT: Final = DType(Kind.FLOAT)
DOUBLE: Final = DType(Kind.DOUBLE)
DATE: Final = DType(Kind.DATE)
TIME: Final = DType(Kind.TIME)
TIMESTAMP: Final = DType(Kind.TIMESTAMP)
TIMESTAMPTZ: Final = DType(Kind.TIMESTAMPTZ)
INTERVAL: Final = DType(Kind.INTERVAL)
VARCHAR: Final = DType(Kind.VARCHAR)

INTEGERS: Final = tuple(DType(kind) for kind in _INTEGER_RANGES)


@cache
def decimal(precision: int, scale: int) -> DType:
    """DECIMAL(precision, scale)."""
    if not 1 <= precision <= 38 or not 0 <= scale <= precision:
        raise ValueError(f"no such type: DECIMAL({precision},{scale})")
    return DType(Kind.DECIMAL, precision, scale)


ARRAY_ELEMENTS: Final = (FLOAT, DOUBLE, TINYINT, SMALLINT, INTEGER, BIGINT, UTINYINT, USMALLINT, UINTEGER)
"""What the elements of a stored array may be."""


def array(element: DType, size: int) -> DType:
    """element[size]; ValueError for a size below 1."""
    if size < 1:
        raise ValueError("an array has at least one element")
    return DType(Kind.ARRAY, element=element, size=size)


def integer_range(dtype: DType) -> tuple[int, int]:
    """Smallest and largest stored integer of an exact type (DECIMAL: in units of 10**-scale)."""
    if dtype.is_decimal:
        limit = 10**dtype.precision - 1
        return -limit, limit
    return _INTEGER_RANGES[dtype.kind]
