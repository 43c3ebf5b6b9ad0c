"""Type names of SQL as `DType`."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from tqp import types
from tqp.errors import BindError, UnsupportedError
from tqp.functions.promotion import MAX_PRECISION
from tqp.types import DType

__all__ = ["dtype_of"]

_T = exp.DataType.Type

_PLAIN = {
    _T.BOOLEAN: types.BOOLEAN,
    _T.TINYINT: types.TINYINT,
    _T.SMALLINT: types.SMALLINT,
    _T.INT: types.INTEGER,
    _T.BIGINT: types.BIGINT,
    _T.INT128: types.HUGEINT,
    _T.UTINYINT: types.UTINYINT,
    _T.USMALLINT: types.USMALLINT,
    _T.UINT: types.UINTEGER,
    _T.UBIGINT: types.UBIGINT,
    _T.FLOAT: types.FLOAT,
    _T.DOUBLE: types.DOUBLE,
    _T.DATE: types.DATE,
    _T.TIME: types.TIME,
    _T.TIMESTAMP: types.TIMESTAMP,
    _T.TIMESTAMPNTZ: types.TIMESTAMP,
    _T.DATETIME: types.TIMESTAMP,
    _T.TIMESTAMPTZ: types.TIMESTAMPTZ,
    _T.INTERVAL: types.INTERVAL,
    _T.TEXT: types.VARCHAR,
    _T.VARCHAR: types.VARCHAR,
    _T.CHAR: types.VARCHAR,
    _T.NCHAR: types.VARCHAR,
    _T.NVARCHAR: types.VARCHAR,
    _T.BPCHAR: types.VARCHAR,
}
# DuckDB's names that sqlglot takes for types of the user.
_NAMED = {
    "INTEGRAL": types.INTEGER, "UINT8": types.UTINYINT, "UINT16": types.USMALLINT, "UINT32": types.UINTEGER,
    "UINT64": types.UBIGINT,
}  # fmt: skip
_MICROSECONDS = "TIMESTAMP keeps microseconds; date_trunc('second', x) cuts them off"
# What DuckDB takes DECIMAL without digits for.
_DECIMAL_DIGITS = (18, 3)


def dtype_of(node: exp.Expr) -> DType:
    """The type that a type name means; UnsupportedError for types tqp has not."""
    if not isinstance(node, exp.DataType):
        raise UnsupportedError(f"type {node.sql('duckdb')} is not supported")
    plain = _PLAIN.get(node.this)
    if plain is not None:
        if plain == types.TIMESTAMP and node.expressions:
            _require_microseconds(_whole(node.expressions[0]))
        if plain == types.FLOAT and node.expressions:
            return _float(_whole(node.expressions[0]))
        if plain.is_text:
            # As in DuckDB the length of VARCHAR(10) means nothing.
            node.args.get("expressions")
        return plain
    if node.this == _T.USERDEFINED and str(node.args.get("kind")).upper() in _NAMED:
        return _NAMED[str(node.args["kind"]).upper()]
    if node.this == _T.DECIMAL:
        digits = [_whole(param) for param in node.expressions]
        precision, scale = (*digits, 0)[:2] if digits else _DECIMAL_DIGITS
        if len(digits) > 2 or not (1 <= precision <= MAX_PRECISION and scale <= precision):
            raise BindError(f"DECIMAL has 1 to {MAX_PRECISION} digits, and no more of them behind the point")
        return types.decimal(precision, scale)
    if node.this == _T.ARRAY:
        return _array(node)
    hint = _MICROSECONDS if node.this in (_T.TIMESTAMP_S, _T.TIMESTAMP_MS, _T.TIMESTAMP_NS) else None
    raise UnsupportedError(f"type {node.sql('duckdb')} is not supported", hint=hint)


def _require_microseconds(digits: int) -> None:
    """TIMESTAMP(4) to TIMESTAMP(6) are microseconds, as in DuckDB; the others are types of their own there."""
    if not 4 <= digits <= 6:
        raise UnsupportedError(f"type TIMESTAMP({digits}) is not supported", hint=_MICROSECONDS)


def _float(bits: int) -> DType:
    """FLOAT(n), by the binary digits that are wanted."""
    if not 1 <= bits <= 53:
        raise BindError(f"there is no FLOAT({bits})", hint="it has 1 to 53 binary digits")
    return types.FLOAT if bits <= 24 else types.DOUBLE


def _whole(node: exp.Expr) -> int:
    if not node.name.isdecimal():
        raise BindError("a type takes whole numbers in its parentheses and brackets")
    return int(node.name)


_LONGEST_ARRAY: Final = 100_000
"""As in DuckDB."""


def _array(node: exp.DataType) -> DType:
    sizes = node.args.get("values")
    if not sizes:
        raise UnsupportedError(f"type {node.sql('duckdb')} is not supported", hint="arrays have a size: FLOAT[3]")
    element = dtype_of(node.expressions[0])
    if element not in types.ARRAY_ELEMENTS:
        known = ", ".join(map(str, types.ARRAY_ELEMENTS))
        raise UnsupportedError(f"arrays of {element} are not supported", hint=f"elements may be {known}")
    size = _whole(sizes[0])
    if not 1 <= size <= _LONGEST_ARRAY:
        raise BindError(f"an array has at least one element and at most {_LONGEST_ARRAY:,}")
    return types.array(element, size)
