"""What the footers of Parquet files say, as rows: the files, their row groups' columns, their schemas, their keys and values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa

from tqp.errors import SourceError
from tqp.io.options import FileOptions, Known, TypeOf
from tqp.io.parquet_elements import (
    CONVERTED,
    CONVERTED_TYPE,
    LOGICAL_TYPE,
    NAME,
    NUM_CHILDREN,
    PHYSICAL,
    PRECISION,
    REPETITION,
    REPETITIONS,
    SCALE,
    TYPE,
    said,
    shown_values,
    types_of,
    word,
)
from tqp.io.parquet_options import PARQUET
from tqp.io.state import File, require_same
from tqp.io.thrift import Fields, decoded

__all__ = ["FOOTER_TABLES", "FooterOptions", "footer_table"]

Row = tuple[Any, ...]

_TEXT, _COUNT, _FLAG, _SIZE, _BYTES = pa.string(), pa.int64(), pa.bool_(), pa.uint64(), pa.binary()
_MAGIC: Final = b"PAR1"
_TAIL: Final = 8
_MALFORMED: Final = (
    LookupError,
    TypeError,
    ValueError,
    ArithmeticError,
    AttributeError,
    RuntimeError,
    pa.ArrowException,
)
"""What a footer raises that has other values in the places of those that are meant."""
_ENCODINGS: Final = (
    "PLAIN", None, "PLAIN_DICTIONARY", "RLE", "BIT_PACKED", "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY",
    "RLE_DICTIONARY", "BYTE_STREAM_SPLIT",
)  # fmt: skip
_CODECS: Final = ("UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW")
_PAGES: Final = ("DATA_PAGE", "INDEX_PAGE", "DICTIONARY_PAGE", "DATA_PAGE_V2")
_BOX: Final = ("xmin", "xmax", "ymin", "ymax", "zmin", "zmax", "mmin", "mmax")
_SHAPES: Final = (
    "point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon", "geometrycollection",
)  # fmt: skip
_DIMENSIONS: Final = ("", "_z", "_m", "_zm")
_LOGICAL: Final = {
    1: "StringType", 2: "MapType", 3: "ListType", 4: "EnumType", 5: "DecimalType", 6: "DateType", 7: "TimeType",
    8: "TimestampType", 10: "IntType", 11: "NullType", 12: "JsonType", 13: "BsonType", 14: "UUIDType", 15: "Float16Type",
}  # fmt: skip
_LEAST, _GREATEST, _LEAST_VALUE, _GREATEST_VALUE = 2, 1, 6, 5
"""Numbers of the fields that have limits: older ones, and newer ones."""
_UNITS: Final = (("MILLIS", "MilliSeconds"), ("MICROS", "MicroSeconds"), ("NANOS", "NanoSeconds"))


@dataclass(frozen=True, slots=True)
class FooterOptions:
    """What is asked of the footers, by the name of the function that asks it."""

    function: str
    files: FileOptions = field(default_factory=FileOptions)

    @staticmethod
    def of(function: str, given: Mapping[str, Any], type_of: TypeOf) -> FooterOptions:
        """No options; SourceError for any."""
        Known({}).read(function, given, type_of)
        return FooterOptions(function)

    @property
    def endings(self) -> tuple[str, ...]:
        """Of the names of the files that are read in a folder."""
        return PARQUET


@dataclass(frozen=True, slots=True)
class _Footer:
    """A file's footer, how many bytes it has, and how many the file."""

    shown: str
    fields: Fields
    size: int
    file_size: int

    @property
    def schema(self) -> list[Fields]:
        found: list[Fields] = self.fields.get(2, [])
        return found

    @property
    def groups(self) -> list[Fields]:
        found: list[Fields] = self.fields.get(4, [])
        return found


_Table = tuple[Mapping[str, pa.DataType], Callable[[_Footer], Iterator[Row]]]
"""The columns of a table, and its rows by a footer."""


def _read(file: File) -> _Footer:
    """SourceError for a file that cannot be read, or is none of Parquet."""
    require_same(file)
    try:
        with file.content().opened() as opened:
            total = opened.size()
            opened.seek(max(total - _TAIL, 0))
            tail = opened.read(_TAIL)
            size = int.from_bytes(tail[:4], "little")
            if tail[4:] != _MAGIC or size + _TAIL > total:
                raise ValueError("its last bytes are not those of such a file")
            opened.seek(total - _TAIL - size)
            fields = decoded(opened.read(size))
    except (OSError, ValueError, pa.ArrowException) as error:
        require_same(file)
        raise SourceError(f"cannot read the footer of {file.shown!r} as Parquet: {error}") from error
    require_same(file)
    return _Footer(file.shown, fields, size, total)


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode(errors="replace")


def _files(footer: _Footer) -> Iterator[Row]:
    fields = footer.fields
    orders = [
        f"ColumnOrder(TYPE_ORDER={'TypeDefinedOrder()' if 1 in order else '<null>'})" for order in fields.get(7, [])
    ]
    numbers = fields.get(3), len(footer.groups), fields.get(1)
    key = _text(fields.get(9))
    yield footer.shown, _text(fields.get(6)), *numbers, None, key, footer.file_size, footer.size, orders


def _pairs(fields: Sequence[Fields]) -> list[tuple[bytes, bytes | None]]:
    return [(pair.get(1, b""), pair.get(2)) for pair in fields]


def _keys(footer: _Footer) -> Iterator[Row]:
    for key, value in _pairs(footer.fields.get(5, [])):
        yield footer.shown, key, value


def _elements(footer: _Footer) -> Iterator[Row]:
    for place, (element, dtype) in enumerate(zip(footer.schema, types_of(footer.schema), strict=True)):
        length = element.get(2)
        yield (
            footer.shown,
            _text(element.get(NAME)),
            word(PHYSICAL, element.get(TYPE)),
            None if length is None else str(length),
            word(REPETITIONS, element.get(REPETITION)),
            element.get(NUM_CHILDREN),
            word(CONVERTED, element.get(CONVERTED_TYPE)),
            element.get(SCALE),
            element.get(PRECISION),
            element.get(9),
            _logical(element) if LOGICAL_TYPE in element else None,
            str(dtype) if place and dtype is not None else None,
            place,
        )


def _logical(element: Fields) -> str | None:
    """What is said of an element's values, as Thrift prints it."""
    kind, about = said(element)
    name = _LOGICAL.get(kind)
    match name:
        case None:
            return None
        case "DecimalType":
            return f"{name}(scale={about.get(1)}, precision={about.get(2)})"
        case "TimeType" | "TimestampType":
            units = (
                (unit, f"{struct}()" if place in about.get(2, {}) else "<null>")
                for place, (unit, struct) in enumerate(_UNITS, 1)
            )
            shown = ", ".join(f"{unit}={value}" for unit, value in units)
            return f"{name}(isAdjustedToUTC={int(about.get(1, False))}, unit=TimeUnit({shown}))"
        case "IntType":
            # Thrift prints a byte as the character that it is.
            return f"{name}(bitWidth={chr(about.get(1, 0))}, isSigned={int(about.get(2, False))})"
        case _:
            return f"{name}()"


def _chunks(footer: _Footer) -> Iterator[Row]:
    """The columns of each row group."""
    leaves = [
        (element, dtype)
        for element, dtype in zip(footer.schema, types_of(footer.schema), strict=True)
        if not element.get(NUM_CHILDREN)
    ]
    limits = [
        [
            shown_values([_about(group[1][place]).get(which) for group in footer.groups], element, dtype)
            for which in (_LEAST, _GREATEST, _LEAST_VALUE, _GREATEST_VALUE)
        ]
        for place, (element, dtype) in enumerate(leaves)
    ]
    for number, group in enumerate(footer.groups):
        of_group = number, group.get(3), len(group[1]), group.get(2)
        for place, chunk in enumerate(group[1]):
            shown = [values[number] for values in limits[place]]
            yield footer.shown, *of_group, place, *_chunk(group, chunk, shown)


def _about(chunk: Fields) -> Fields:
    """What is said of the values of a column in a row group."""
    found: Fields = chunk.get(3, {}).get(12, {})
    return found


def _chunk(group: Fields, chunk: Fields, limits: Sequence[str | None]) -> Row:
    said_of, about = chunk.get(3, {}), _about(chunk)
    places = said_of.get(17, {})
    box = places.get(1)
    return (
        chunk.get(2) if 5 in group else None,
        said_of.get(5),
        ", ".join(part.decode(errors="replace") for part in said_of.get(3, [])),
        word(PHYSICAL, said_of.get(1)),
        *limits[:2],
        about.get(3),
        about.get(4),
        *limits[2:],
        word(_CODECS, said_of.get(4)),
        ", ".join(word(_ENCODINGS, one) or str(one) for one in said_of.get(2, [])),
        said_of.get(10),
        said_of.get(11),
        said_of.get(9),
        said_of.get(7),
        said_of.get(6),
        _pairs(said_of.get(8, [])),
        said_of.get(14),
        said_of.get(15),
        about.get(8),
        about.get(7),
        group.get(6),
        None if box is None else {name: box.get(place) for place, name in enumerate(_BOX, 1)},
        [_shape(one) for one in places[2]] if 2 in places else None,
        [_pages(one) for one in said_of[13]] if 13 in said_of else None,
        about.get(9),
        *map(chunk.get, (6, 7, 4, 5)),
    )


def _shape(number: int) -> str:
    shape, dimensions = number % 1000 - 1, number // 1000
    return f"{word(_SHAPES, shape)}{word(_DIMENSIONS, dimensions)}"


def _pages(told: Fields) -> dict[str, Any]:
    return {"page_type": word(_PAGES, told.get(1)), "encoding": word(_ENCODINGS, told.get(2)), "count": told.get(3)}


def _all_of(footer: _Footer) -> Iterator[Row]:
    """The four tables of a file, each as one list of rows."""
    found = []
    for columns, rows in _PARTS.values():
        found.append([dict(zip(columns, row, strict=True)) for row in rows(footer)])
    yield tuple(found)


def _columns(kind: pa.DataType, names: str) -> dict[str, pa.DataType]:
    return dict.fromkeys(names.split(), kind)


_FILE_COLUMNS: Final = {
    **_columns(_TEXT, "file_name created_by"), **_columns(_COUNT, "num_rows num_row_groups format_version"),
    **_columns(_TEXT, "encryption_algorithm footer_signing_key_metadata"), **_columns(_SIZE, "file_size_bytes footer_size"),
    "column_orders": pa.list_(_TEXT),
}  # fmt: skip
_CHUNK_COLUMNS: Final = {
    "file_name": _TEXT,
    **_columns(_COUNT, "row_group_id row_group_num_rows row_group_num_columns row_group_bytes column_id file_offset num_values"),
    **_columns(_TEXT, "path_in_schema type stats_min stats_max"),
    **_columns(_COUNT, "stats_null_count stats_distinct_count"),
    **_columns(_TEXT, "stats_min_value stats_max_value compression encodings"),
    **_columns(
        _COUNT, "index_page_offset dictionary_page_offset data_page_offset total_compressed_size total_uncompressed_size"
    ),
    "key_value_metadata": pa.map_(_BYTES, _BYTES),
    **_columns(_COUNT, "bloom_filter_offset bloom_filter_length"),
    **_columns(_FLAG, "min_is_exact max_is_exact"),
    "row_group_compressed_bytes": _COUNT,
    "geo_bbox": pa.struct([(name, pa.float64()) for name in _BOX]),
    "geo_types": pa.list_(_TEXT),
    "encoding_stats": pa.list_(pa.struct([("page_type", _TEXT), ("encoding", _TEXT), ("count", pa.int32())])),
    **_columns(_COUNT, "stats_nan_count column_index_offset column_index_length offset_index_offset offset_index_length"),
}  # fmt: skip
_SCHEMA_COLUMNS: Final = {
    **_columns(_TEXT, "file_name name type type_length repetition_type"), "num_children": _COUNT, "converted_type": _TEXT,
    **_columns(_COUNT, "scale precision field_id"), **_columns(_TEXT, "logical_type duckdb_type"), "column_id": _COUNT,
}  # fmt: skip
_KEY_COLUMNS: Final = {"file_name": _TEXT, "key": _BYTES, "value": _BYTES}

_PARTS: Final[dict[str, _Table]] = {
    "parquet_file_metadata": (_FILE_COLUMNS, _files),
    "parquet_metadata": (_CHUNK_COLUMNS, _chunks),
    "parquet_schema": (_SCHEMA_COLUMNS, _elements),
    "parquet_kv_metadata": (_KEY_COLUMNS, _keys),
}
_WHOLE: Final = {name: pa.list_(pa.struct(list(columns.items()))) for name, (columns, _) in _PARTS.items()}
_TABLES: Final[Mapping[str, _Table]] = {**_PARTS, "parquet_full_metadata": (_WHOLE, _all_of)}

FOOTER_TABLES: Final = {name: columns for name, (columns, _) in _TABLES.items()}
"""The columns of each table that footers tell, by the name of the function that gives it."""


def footer_table(function: str, files: Sequence[File]) -> pa.Table:
    """What the footers of the files say, by the name of the function. SourceError for a file that cannot be read."""
    columns, rows = _TABLES[function]
    schema = pa.schema(list(columns.items()))
    found = [schema.empty_table()]
    for file in files:
        footer = _read(file)
        try:
            listed = [dict(zip(columns, row, strict=True)) for row in rows(footer)]
            found.append(pa.Table.from_pylist(listed, schema))
        except _MALFORMED as error:
            raise SourceError(f"cannot read the footer of {file.shown!r} as Parquet: it says what cannot be") from error
    return pa.concat_tables(found)
