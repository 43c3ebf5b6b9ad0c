"""Which SQL type an Arrow type is."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from tqp import types
from tqp.data.stored import Gap
from tqp.io.names import distinct_names
from tqp.keywords import identifier
from tqp.types import DType

__all__ = ["DOCUMENTS", "dtype_from_arrow", "has_documents", "has_fixed_bytes", "unsupported_reason", "with_fixed_size"]

_PLAIN: Final[dict[pa.DataType, DType]] = {
    pa.bool_(): types.BOOLEAN,
    pa.int8(): types.TINYINT,
    pa.int16(): types.SMALLINT,
    pa.int32(): types.INTEGER,
    pa.int64(): types.BIGINT,
    pa.uint8(): types.UTINYINT,
    pa.uint16(): types.USMALLINT,
    pa.uint32(): types.UINTEGER,
    pa.uint64(): types.UBIGINT,
    pa.float16(): types.FLOAT,
    pa.float32(): types.FLOAT,
    pa.float64(): types.DOUBLE,
    pa.date32(): types.DATE,
    pa.date64(): types.DATE,
    pa.month_day_nano_interval(): types.INTERVAL,
    pa.string(): types.VARCHAR,
    pa.large_string(): types.VARCHAR,
    pa.string_view(): types.VARCHAR,
    pa.binary(): types.BLOB,
    pa.large_binary(): types.BLOB,
    pa.binary_view(): types.BLOB,
    pa.null(): types.NULL,
}

_MOST_DIGITS: Final = 38
"""Decimals of more are none of SQL, however many bits keep those of fewer."""
_LISTS: Final = (
    pa.types.is_list, pa.types.is_large_list, pa.types.is_list_view, pa.types.is_large_list_view,
    pa.types.is_fixed_size_list,
)  # fmt: skip


_TIMESTAMPS: Final = {
    "s": types.TIMESTAMP_S, "ms": types.TIMESTAMP_MS, "us": types.TIMESTAMP, "ns": types.TIMESTAMP_NS,
}  # fmt: skip
"""Those without a time zone."""


class _Documents(pa.ExtensionType):  # type: ignore[misc]
    """Variants that were read: the texts of their documents."""

    def __init__(self) -> None:
        super().__init__(pa.large_string(), "tqp.documents")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type: pa.DataType, serialized: bytes) -> _Documents:
        return cls()


DOCUMENTS: Final = _Documents()
"""What columns of variants are as Arrow arrays on their way to a column."""

_EXTENSIONS: Final = {
    "arrow.json": types.JSON, "arrow.uuid": types.UUID, "arrow.bool8": types.BOOLEAN, DOCUMENTS.extension_name: types.VARIANT,
}  # fmt: skip
"""Types that Arrow calls extensions, by their names; all others are what they are stored as."""


_BIGNUM: Final = ("bignum", "DuckDB")
"""What DuckDB calls the bytes of a BIGNUM, and itself."""


def dtype_from_arrow(kind: pa.DataType) -> DType | None:
    """The SQL type of an Arrow type; None where tqp has none."""
    if isinstance(kind, pa.BaseExtensionType):
        # Types of others may have no hash, or raise where they are compared.
        if isinstance(kind, pa.OpaqueType) and (kind.type_name, kind.vendor_name) == _BIGNUM:
            return types.BIGNUM
        return _EXTENSIONS.get(kind.extension_name) or dtype_from_arrow(kind.storage_type)
    plain = _PLAIN.get(kind)
    if plain is not None:
        return plain
    if pa.types.is_dictionary(kind):
        return dtype_from_arrow(kind.value_type)
    if pa.types.is_run_end_encoded(kind):
        found = dtype_from_arrow(kind.value_type)
        return None if found is None or found.has_children else found
    if pa.types.is_fixed_size_binary(kind):
        return types.BLOB
    if pa.types.is_timestamp(kind):
        if kind.tz is not None:
            return types.TIMESTAMPTZ_NS if kind.unit == "ns" else types.TIMESTAMPTZ
        return _TIMESTAMPS[kind.unit]
    if pa.types.is_time(kind):
        return types.TIME_NS if kind.unit == "ns" else types.TIME
    if pa.types.is_duration(kind):
        return types.INTERVAL
    if pa.types.is_fixed_size_list(kind) and kind.list_size:
        element = dtype_from_arrow(kind.value_type)
        return None if element is None else types.array(element, kind.list_size)
    if any(is_kind(kind) for is_kind in _LISTS):
        element = dtype_from_arrow(kind.value_type)
        return None if element is None else types.list_of(element)
    if pa.types.is_map(kind):
        key, value = dtype_from_arrow(kind.key_type), dtype_from_arrow(kind.item_type)
        return None if key is None or value is None else types.map_of(key, value)
    if pa.types.is_struct(kind):
        return _struct(kind)
    if pa.types.is_union(kind):
        return _union(kind)
    if pa.types.is_decimal(kind) and kind.precision <= _MOST_DIGITS and 0 <= kind.scale <= kind.precision:
        return types.decimal(kind.precision, kind.scale)
    return None


def _struct(kind: pa.StructType) -> DType | None:
    kinds = [dtype for one in kind if (dtype := dtype_from_arrow(one.type)) is not None]
    if len(kinds) < kind.num_fields:
        return None
    names = [one.name for one in kind]
    try:
        return types.struct(zip(distinct_names(names) if any(names) else names, kinds, strict=True))
    except ValueError:
        return None


def _union(kind: pa.UnionType) -> DType | None:
    """The UNION of the members, which are called as DuckDB calls them: one without a name by its number."""
    kinds = [dtype for one in kind if (dtype := dtype_from_arrow(one.type)) is not None]
    names = [one.name or str(place) for place, one in enumerate(kind)]
    try:
        return types.union(zip(distinct_names(names), kinds, strict=True)) if len(kinds) == kind.num_fields else None
    except ValueError:
        return None


def has_fixed_bytes(kind: pa.DataType) -> bool:
    """Whether it is bytes of one length, or has them in it."""
    return bool(pa.types.is_fixed_size_binary(kind)) or any(map(has_fixed_bytes, _inside(kind)))


def has_documents(kind: pa.DataType) -> bool:
    """Whether it is DOCUMENTS, or has them in it."""
    if isinstance(kind, pa.BaseExtensionType):
        return bool(kind.extension_name == DOCUMENTS.extension_name)
    return any(map(has_documents, _inside(kind)))


def _inside(kind: pa.DataType) -> list[pa.DataType]:
    """The types that are parts of one."""
    is_own = isinstance(kind, pa.BaseExtensionType)
    return [] if is_own else [kind.field(place).type for place in range(kind.num_fields)]


def unsupported_reason(kind: pa.DataType) -> Gap | None:
    """Why columns of an Arrow type cannot be read; None where they can."""
    if dtype_from_arrow(kind) is not None:
        return None
    return Gap(f"its Arrow type {kind} has no tensor layout yet", _shown(kind))


def _shown(kind: pa.DataType) -> str:
    """What DuckDB calls the type, as far as it has one."""
    dtype = dtype_from_arrow(kind)
    if dtype is not None:
        return str(dtype)
    if isinstance(kind, pa.BaseExtensionType):
        return _shown(kind.storage_type)
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return _shown(kind.value_type)
    if pa.types.is_fixed_size_list(kind):
        return f"{_shown(kind.value_type)}[{kind.list_size}]"
    if any(is_kind(kind) for is_kind in _LISTS):
        return f"{_shown(kind.value_type)}[]"
    if pa.types.is_map(kind):
        return f"MAP({_shown(kind.key_type)}, {_shown(kind.item_type)})"
    if pa.types.is_struct(kind) or pa.types.is_union(kind):
        parts = [f"{identifier(one.name)} {_shown(one.type)}" for one in kind]
        name = "STRUCT" if pa.types.is_struct(kind) else "UNION"
        return f"{name}({', '.join(parts)})" if parts else name
    if pa.types.is_decimal(kind):
        return f"DECIMAL({kind.precision},{kind.scale})"
    return str(kind).upper()


def with_fixed_size(array: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of lists of FLOAT or DOUBLE that are all of one length, as embeddings are, and have no NULL in them, as a column
    of arrays; any other column as it is."""
    kind = array.type
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        return array
    if not pa.types.is_floating(kind.value_type) or pc.list_flatten(array).null_count:
        return array
    limits = pc.min_max(pc.list_value_length(array)).as_py()
    fixed = pa.list_(kind.value_type, limits["max"] or 0)
    if limits["min"] != limits["max"] or dtype_from_arrow(fixed) is None:
        return array
    return array.cast(fixed)
