"""Type names of SQL as `DType`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from sqlglot import exp

from tqp import types
from tqp.catalog.definitions import Key
from tqp.catalog.named_types import Types
from tqp.errors import BindError, UnsupportedError
from tqp.functions.promotion import MAX_PRECISION
from tqp.sql.context import near
from tqp.sql.type_names import PLAIN_TYPES, TYPE_NAMES
from tqp.sql.unread import discard
from tqp.types import DType

__all__ = ["dtype_of", "enum_of", "types_within"]

_T = exp.DataType.Type

_PLAIN = {
    _T.BOOLEAN: types.BOOLEAN,
    _T.TINYINT: types.TINYINT,
    _T.SMALLINT: types.SMALLINT,
    _T.INT: types.INTEGER,
    _T.BIGINT: types.BIGINT,
    _T.INT128: types.HUGEINT,
    _T.UINT128: types.UHUGEINT,
    _T.BIGNUM: types.BIGNUM,
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
_NONE: Final = Types()
# What DuckDB takes DECIMAL without digits for.
_DECIMAL_DIGITS = (18, 3)


def dtype_of(node: exp.Expr, named: Types = _NONE) -> DType:
    """The type that a type name means, which may be one of the `named`.

    UnsupportedError for types of DuckDB that tqp has not, BindError for a name that nobody gave a type.
    """
    if not isinstance(node, exp.DataType):
        raise _unsupported(node)
    if isinstance(node.this, exp.Interval):
        # As in DuckDB its units mean nothing.
        discard(node.this)
        return types.INTERVAL
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
    if node.this == _T.USERDEFINED:
        return _named(node, named)
    if node.this == _T.ENUM:
        return _enum(node)
    if node.this == _T.DECIMAL:
        digits = [_whole(param) for param in node.expressions]
        precision, scale = (*digits, 0)[:2] if digits else _DECIMAL_DIGITS
        if len(digits) > 2 or not (1 <= precision <= MAX_PRECISION and scale <= precision):
            raise BindError(f"DECIMAL has 1 to {MAX_PRECISION} digits, and no more of them behind the point")
        return types.decimal(precision, scale)
    if node.this in (_T.ARRAY, _T.LIST):
        return _array(node, named)
    if node.this == _T.STRUCT:
        return _struct(node, named)
    if node.this == _T.RANGE:
        # So the grammar hands on a TUPLE.
        return types.struct([("", dtype_of(part, named)) for part in node.expressions])
    if node.this == _T.UNION:
        return _union(node, named)
    if node.this == _T.MAP:
        if len(node.expressions) != 2:
            raise BindError("MAP has a type of keys and one of values: MAP(VARCHAR, INTEGER)")
        return types.map_of(*(dtype_of(part, named) for part in node.expressions))
    raise _unsupported(node)


def types_within(node: exp.Expr, named: Types) -> tuple[Key, ...]:
    """Which of the `named` types a type is written with, each once."""
    kinds = [str(part.args.get("kind")) for part in node.find_all(exp.DataType) if part.this == _T.USERDEFINED]
    return tuple(dict.fromkeys(key for kind in kinds if (key := named.key(kind)) is not None))


def _named(node: exp.DataType, named: Types) -> DType:
    """The type of a name that the parser does not know."""
    name = str(node.args["kind"])
    key = named.key(name)
    plain = PLAIN_TYPES.get(name.lower()) if key is None else named.known[key].dtype
    if plain is None:
        if name.lower() in TYPE_NAMES:
            raise _unsupported(node)
        raise BindError(f"there is no type {name}", hint=near(name, [*named.names(), *map(str.upper, TYPE_NAMES)]))
    if node.expressions:
        raise BindError(f"the type {name} has nothing in parentheses behind it")
    return plain


def _unsupported(node: exp.Expr) -> UnsupportedError:
    return UnsupportedError(f"type {node.sql('duckdb')} is not supported")


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


def _array(node: exp.DataType, named: Types) -> DType:
    sizes = node.args.get("values")
    if not node.expressions:
        raise BindError("a list has a type of elements: INTEGER[]")
    element = dtype_of(node.expressions[0], named)
    if not sizes:
        return types.list_of(element)
    size = _whole(sizes[0])
    if not 1 <= size <= _LONGEST_ARRAY:
        raise BindError(f"an array has at least one element and at most {_LONGEST_ARRAY:,}")
    return types.array(element, size)


def _struct(node: exp.DataType, named: Types) -> DType:
    fields = []
    for item in node.expressions:
        if isinstance(item, exp.ColumnDef) and item.kind is not None:
            fields.append((item.name, dtype_of(item.kind, named)))
        else:
            fields.append(("", dtype_of(item, named)))
    try:
        return types.struct(fields)
    except ValueError as error:
        raise BindError(str(error)) from None


def _union(node: exp.DataType, named: Types) -> DType:
    members = [item for item in node.expressions if isinstance(item, exp.ColumnDef) and item.kind is not None]
    if len(members) < len(node.expressions):
        raise BindError("the members of a UNION have names: UNION(number INTEGER, word VARCHAR)")
    try:
        return types.union([(item.name, dtype_of(item.kind, named)) for item in members if item.kind is not None])
    except ValueError as error:
        raise BindError(str(error)) from None


def _enum(node: exp.DataType) -> DType:
    labels = node.expressions
    if not labels:
        raise BindError("an ENUM has labels", hint="CREATE TYPE name AS ENUM () makes one without")
    if not all(isinstance(label, exp.Literal) and label.is_string for label in labels):
        raise BindError("the labels of an ENUM are strings")
    return enum_of([label.name for label in labels])


def enum_of(labels: Collection[str]) -> DType:
    """The ENUM of these labels; BindError where one comes twice."""
    try:
        return types.enum(labels)
    except ValueError as error:
        raise BindError(str(error)) from None
