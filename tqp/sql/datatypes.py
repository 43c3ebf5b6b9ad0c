"""Type names of SQL as `DType`."""

from __future__ import annotations

from difflib import get_close_matches
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
    _T.UINT128: types.UHUGEINT,
    _T.UTINYINT: types.UTINYINT,
    _T.USMALLINT: types.USMALLINT,
    _T.UINT: types.UINTEGER,
    _T.UBIGINT: types.UBIGINT,
    _T.FLOAT: types.FLOAT,
    _T.DOUBLE: types.DOUBLE,
    _T.DATE: types.DATE,
    _T.TIME: types.TIME,
    _T.TIME_NS: types.TIME_NS,
    _T.TIMETZ: types.TIMETZ,
    _T.TIMESTAMP: types.TIMESTAMP,
    _T.TIMESTAMPNTZ: types.TIMESTAMP,
    _T.DATETIME: types.TIMESTAMP,
    _T.TIMESTAMP_S: types.TIMESTAMP_S,
    _T.TIMESTAMP_MS: types.TIMESTAMP_MS,
    _T.TIMESTAMP_NS: types.TIMESTAMP_NS,
    _T.TIMESTAMPTZ: types.TIMESTAMPTZ,
    _T.TIMESTAMPLTZ: types.TIMESTAMPTZ_NS,
    _T.INTERVAL: types.INTERVAL,
    _T.TEXT: types.VARCHAR,
    _T.VARCHAR: types.VARCHAR,
    _T.CHAR: types.VARCHAR,
    _T.NCHAR: types.VARCHAR,
    _T.NVARCHAR: types.VARCHAR,
    _T.BPCHAR: types.VARCHAR,
    _T.BINARY: types.BLOB,
    _T.VARBINARY: types.BLOB,
    _T.BLOB: types.BLOB,
    _T.BIT: types.BIT,
    _T.JSON: types.JSON,
    _T.UUID: types.UUID,
    _T.VARIANT: types.VARIANT,
}
# DuckDB's names that sqlglot takes for types of the user.
_NAMED = {
    "INTEGRAL": types.INTEGER, "UINT8": types.UTINYINT, "UINT16": types.USMALLINT, "UINT32": types.UINTEGER,
    "UINT64": types.UBIGINT, "TIMESTAMPTZ_NS": types.TIMESTAMPTZ_NS,
}  # fmt: skip
# What DuckDB takes DECIMAL without digits for.
_DECIMAL_DIGITS = (18, 3)


def _unknown(node: exp.Expr) -> UnsupportedError:
    written = node.sql("duckdb")
    near = get_close_matches(written.upper(), [kind.value for kind in types.Kind], n=1, cutoff=0.75)
    hint = f"did you mean {near[0]}?" if near else None
    return UnsupportedError(f"type {written} is not supported", hint=hint)


def dtype_of(node: exp.Expr) -> DType:
    """The type that a type name means; UnsupportedError for types tqp has not."""
    if not isinstance(node, exp.DataType):
        raise _unknown(node)
    plain = _PLAIN.get(node.this)
    if plain is not None:
        if plain == types.TIMESTAMP and node.expressions:
            return _timestamp(_whole(node.expressions[0]))
        if plain == types.FLOAT and node.expressions:
            return _float(_whole(node.expressions[0]))
        if plain.is_text or plain == types.BIT:
            # As in DuckDB the length of VARCHAR(10) means nothing.
            for part in node.args.get("expressions") or ():
                part.args.get("this")
                part.this.args.get("this")
        return plain
    if node.this == _T.USERDEFINED and str(node.args.get("kind")).upper() in _NAMED:
        return _NAMED[str(node.args["kind"]).upper()]
    if node.this == _T.ENUM:
        return _enum(node)
    if node.this == _T.DECIMAL:
        digits = [_whole(param) for param in node.expressions]
        precision, scale = (*digits, 0)[:2] if digits else _DECIMAL_DIGITS
        if len(digits) > 2 or not (1 <= precision <= MAX_PRECISION and scale <= precision):
            raise BindError(f"DECIMAL has 1 to {MAX_PRECISION} digits, and no more of them behind the point")
        return types.decimal(precision, scale)
    if node.this in (_T.ARRAY, _T.LIST):
        return _array(node)
    if node.this == _T.STRUCT:
        return _struct(node)
    if node.this == _T.UNION:
        return _union(node)
    if node.this == _T.MAP:
        if len(node.expressions) != 2:
            raise BindError("MAP has a type of keys and one of values: MAP(VARCHAR, INTEGER)")
        return types.map_of(*map(dtype_of, node.expressions))
    raise _unknown(node)


def _timestamp(digits: int) -> DType:
    """TIMESTAMP(n), of so many digits behind the second."""
    of_digits = ((0, types.TIMESTAMP_S), (3, types.TIMESTAMP_MS), (6, types.TIMESTAMP))
    return next((dtype for most, dtype in of_digits if digits <= most), types.TIMESTAMP_NS)


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
    if not node.expressions:
        raise BindError("a list has a type of elements: INTEGER[]")
    element = dtype_of(node.expressions[0])
    if not sizes:
        return types.list_of(element)
    size = _whole(sizes[0])
    if not 1 <= size <= _LONGEST_ARRAY:
        raise BindError(f"an array has at least one element and at most {_LONGEST_ARRAY:,}")
    return types.array(element, size)


def _struct(node: exp.DataType) -> DType:
    fields = []
    for item in node.expressions:
        if isinstance(item, exp.ColumnDef) and item.kind is not None:
            fields.append((item.name, dtype_of(item.kind)))
        else:
            fields.append(("", dtype_of(item)))
    if not fields:
        raise BindError("a STRUCT has fields: STRUCT(a INTEGER)")
    try:
        return types.struct(fields)
    except ValueError as error:
        raise BindError(str(error)) from None


def _union(node: exp.DataType) -> DType:
    members = [item for item in node.expressions if isinstance(item, exp.ColumnDef) and item.kind is not None]
    if len(members) < len(node.expressions):
        raise BindError("the members of a UNION have names: UNION(number INTEGER, word VARCHAR)")
    try:
        return types.union([(item.name, dtype_of(item.kind)) for item in members if item.kind is not None])
    except ValueError as error:
        raise BindError(str(error)) from None


def _enum(node: exp.DataType) -> DType:
    labels = node.expressions
    if not all(isinstance(label, exp.Literal) and label.is_string for label in labels):
        raise BindError("the labels of an ENUM are strings")
    try:
        return types.enum(label.name for label in labels)
    except ValueError as error:
        raise BindError(str(error)) from None
