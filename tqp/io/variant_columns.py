"""Columns of variants in Arrow tables and Parquet files, *shredded* ones put together again, as documents.

After https://github.com/apache/parquet-format/blob/master/VariantShredding.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tqp.errors import SourceError
from tqp.functions.casts.cast import cast
from tqp.functions.joined_text import strings
from tqp.functions.json_text import MISSING, Missing
from tqp.functions.variant_documents import Document, parsed, written_or_null
from tqp.io.arrow import column_from_arrow
from tqp.io.arrow_types import DOCUMENTS, dtype_from_arrow, has_documents
from tqp.io.variant_bytes import Encoded, decoded
from tqp.types import VARIANT

__all__ = ["as_documents", "with_documents", "with_parquets", "with_variants"]

_NAME: Final = {b"ARROW:extension:name": b"arrow.parquet.variant"}
_NODE: Final = re.compile(r" *(?:required|optional|repeated) ")
_IS_VARIANT: Final = re.compile(r"^ *\w+ group .*\(Variant\(\d+\)\) \{$")

_Part = Document | None | Missing


@dataclass(slots=True)
class _Group:
    """A column of a Parquet file, or a part of one: what it is, and what is in it."""

    is_variant: bool
    parts: list[_Group] = field(default_factory=list)


def with_variants(schema: pa.Schema) -> pa.Schema:
    """The schema with DOCUMENTS for the fields that say that their structs are variants, at any depth."""
    for place, one in enumerate(schema):
        kind = _of_field(one)
        if kind != one.type:
            schema = schema.set(place, pa.field(one.name, kind))
    return schema


def _of_field(one: pa.Field) -> pa.DataType:
    is_variant = one.metadata is not None and _NAME.items() <= one.metadata.items() and pa.types.is_struct(one.type)
    return DOCUMENTS if is_variant else _with_parts(one.type, [_of_field(part) for part in _parts_of(one.type)])


def with_documents(table: pa.Table) -> pa.Table:
    """The table with documents where fields say that they are variants."""
    for place, one in enumerate(table.schema):
        kind = _of_field(one)
        if kind != one.type:
            chunks = [as_documents(chunk, kind, one.name) for chunk in table.column(place).chunks]
            table = table.set_column(place, one.name, pa.chunked_array(chunks, kind))
    return table


def with_parquets(schema: pa.Schema, metadata: pq.FileMetaData) -> pa.Schema:
    """The Arrow schema of a Parquet file with DOCUMENTS for groups that are variants: only the text of its own schema says so."""
    groups = _groups(str(metadata.schema))
    if len(groups) != len(schema):
        return schema
    for place, (one, group) in enumerate(zip(schema, groups, strict=True)):
        kind = _of_group(one.type, group)
        if kind != one.type:
            schema = schema.set(place, pa.field(one.name, kind))
    return schema


def _groups(text: str) -> list[_Group]:
    """The columns that the text of a Parquet schema lists."""
    open_groups = [_Group(False)]
    for line in text.splitlines():
        depth = (len(line) - len(line.lstrip(" "))) // 2
        if not _NODE.match(line) or not 0 < depth <= len(open_groups):
            continue
        made = _Group(_IS_VARIANT.search(line) is not None)
        open_groups[depth - 1].parts.append(made)
        open_groups[depth:] = [made]
    return open_groups[0].parts


def _of_group(kind: pa.DataType, group: _Group) -> pa.DataType:
    if group.is_variant and pa.types.is_struct(kind):
        return DOCUMENTS
    # What is in a list or a map is in a group of its own.
    inner = group.parts if pa.types.is_struct(kind) or len(group.parts) != 1 else group.parts[0].parts
    parts = _parts_of(kind)
    if len(inner) != len(parts):
        return kind
    return _with_parts(kind, [_of_group(one.type, part) for one, part in zip(parts, inner, strict=True)])


def _parts_of(kind: pa.DataType) -> list[pa.Field]:
    """The fields of a struct, the key and value of a map, the elements of a list; of other types none."""
    if pa.types.is_map(kind):
        return [kind.key_field, kind.item_field]
    if pa.types.is_struct(kind):
        return list(kind)
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    return [kind.value_field] if is_list else []


def _with_parts(kind: pa.DataType, kinds: list[pa.DataType]) -> pa.DataType:
    """A type with others of the parts that it has; itself where they are the same."""
    parts = _parts_of(kind)
    if [one.type for one in parts] == kinds:
        return kind
    fields = [one.with_type(found) for one, found in zip(parts, kinds, strict=True)]
    if pa.types.is_map(kind):
        return pa.map_(*fields)
    if pa.types.is_struct(kind):
        return pa.struct(fields)
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(fields[0], kind.list_size)
    return pa.large_list(fields[0]) if pa.types.is_large_list(kind) else pa.list_(fields[0])


def as_documents(array: pa.Array, kind: pa.DataType, name: str) -> pa.Array:
    """The values (n,) in the type that has DOCUMENTS for the structs which are variants; as they are where nothing differs.

    SourceError, which says `name`, for bytes that are no variant. Cost: Python for each variant.
    """
    if kind == DOCUMENTS:
        return _documents(array, name)
    if not has_documents(kind):
        return array
    if array.offset:
        array = pa.concat_arrays([array.slice(0, 0), array])
    missing = array.is_null()
    if pa.types.is_struct(kind):
        parts = [as_documents(array.field(place), one.type, name) for place, one in enumerate(kind)]
        return pa.StructArray.from_arrays(parts, fields=list(kind), mask=missing)
    if pa.types.is_map(kind):
        keys, items = as_documents(array.keys, kind.key_type, name), as_documents(array.items, kind.item_type, name)
        return pa.MapArray.from_arrays(array.offsets, keys, items, type=kind, mask=missing)
    elements = as_documents(array.values, kind.value_type, name)
    if pa.types.is_fixed_size_list(kind):
        return pa.FixedSizeListArray.from_arrays(elements, type=kind, mask=missing)
    made = pa.LargeListArray if pa.types.is_large_list(kind) else pa.ListArray
    return made.from_arrays(array.offsets, elements, type=kind, mask=missing)


def _documents(array: pa.Array, name: str) -> pa.Array:
    """The variants (n,), structs with `metadata` and `value` or `typed_value`, as an array of DOCUMENTS."""
    if not len(array):
        return pa.ExtensionArray.from_storage(DOCUMENTS, pa.array([], pa.large_string()))
    metadata = array.field("metadata").to_pylist()
    known = array.is_valid().to_pylist()
    try:
        parts = _parts(array, metadata, known)
    except SourceError as error:
        raise SourceError(f"column {name!r}: {error.message}") from error
    texts = [None if isinstance(part, Missing) else written_or_null(part) for part in parts]
    return pa.ExtensionArray.from_storage(DOCUMENTS, pa.array(texts, pa.large_string()))


def _parts(group: pa.StructArray, metadata: Sequence[bytes], known: Sequence[bool]) -> list[_Part]:
    """What each group (n,) of `value` and `typed_value` says, where it is `known`."""
    names = [one.name for one in group.type]
    found: list[_Part] = [MISSING] * len(group)
    if "value" in names:
        values = group.field("value").to_pylist()
        places = [place for place, value in enumerate(values) if value is not None and known[place]]
        pairs: list[Encoded] = [(metadata[place], values[place]) for place in places]
        distinct = dict.fromkeys(pairs)
        documents = dict(zip(distinct, decoded(list(distinct)), strict=True))
        for place, pair in zip(places, pairs, strict=True):
            found[place] = documents[pair]
    if "typed_value" not in names:
        return found
    typed = group.field("typed_value")
    is_there = [here and one for here, one in zip(known, typed.is_valid().to_pylist(), strict=True)]
    if pa.types.is_struct(typed.type):
        return _objects(typed, metadata, is_there, found)
    if pa.types.is_list(typed.type) or pa.types.is_large_list(typed.type):
        return _arrays(typed, metadata, is_there, found)
    dtype = dtype_from_arrow(typed.type)
    if dtype is None or dtype.is_nested:
        raise SourceError(f"a VARIANT has values of the type {typed.type}")
    texts = strings(cast(column_from_arrow(typed), VARIANT, False).expand(len(typed))).to_pylist()
    documents_of = {text: parsed(text) for text in dict.fromkeys(texts) if text is not None}
    return [
        documents_of[text] if here and text is not None else part
        for part, text, here in zip(found, texts, is_there, strict=True)
    ]


def _objects(
    typed: pa.StructArray, metadata: Sequence[bytes], is_there: Sequence[bool], found: list[_Part]
) -> list[_Part]:
    """Objects, some of whose members are columns of their own; `found` has the others."""
    members = [(one.name, _parts(typed.field(place), metadata, is_there)) for place, one in enumerate(typed.type)]
    result: list[_Part] = []
    for place, (part, here) in enumerate(zip(found, is_there, strict=True)):
        if not here:
            result.append(part)
            continue
        whole: dict[str, Document | None] = dict(part) if isinstance(part, dict) else {}
        for name, parts in members:
            member = parts[place]
            if not isinstance(member, Missing):
                whole[name] = member
        result.append(whole)
    return result


def _arrays(
    typed: pa.ListArray | pa.LargeListArray, metadata: Sequence[bytes], is_there: Sequence[bool], found: list[_Part]
) -> list[_Part]:
    """Arrays, whose elements are groups."""
    offsets = typed.offsets.to_numpy().astype(np.int64)
    elements = typed.values.slice(int(offsets[0]), int(offsets[-1] - offsets[0]))
    sizes = np.diff(offsets)
    owners = np.repeat(np.arange(len(typed)), sizes).tolist()  # host: NumPy
    parts = _parts(elements, [metadata[owner] for owner in owners], [is_there[owner] for owner in owners])
    result: list[_Part] = []
    first = 0
    for part, here, size in zip(found, is_there, sizes.tolist(), strict=True):  # host: NumPy
        items = [None if isinstance(one, Missing) else one for one in parts[first : first + size]]
        result.append(list(items) if here else part)
        first += size
    return result
