"""Columns of variants in Arrow tables and Parquet files, *shredded* ones put together again, as documents.

After https://github.com/apache/parquet-format/blob/master/VariantShredding.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
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
from tqp.io.arrow_types import DOCUMENTS, dtype_from_arrow
from tqp.io.variant_bytes import Encoded, decoded
from tqp.types import VARIANT

__all__ = ["as_documents", "in_parquet", "is_variant", "with_documents", "with_variants"]

_NAME: Final = {b"ARROW:extension:name": b"arrow.parquet.variant"}
_TOP: Final = re.compile(r"  \w+ .*")
_IS_VARIANT: Final = re.compile(r"  \w+ group .*\(Variant\(\d+\)\) \{")

_Part = Document | None | Missing


def is_variant(field: pa.Field) -> bool:
    """Whether a field says that its structs are variants."""
    return field.metadata is not None and _NAME.items() <= field.metadata.items() and pa.types.is_struct(field.type)


def with_variants(schema: pa.Schema, places: Sequence[int] | None = None) -> pa.Schema:
    """The schema with the type of documents for fields at these places, or where they say so."""
    chosen = [place for place, field in enumerate(schema) if is_variant(field)] if places is None else places
    for place in chosen:
        schema = schema.set(place, pa.field(schema.field(place).name, DOCUMENTS))
    return schema


def with_documents(table: pa.Table) -> pa.Table:
    """The table with documents in the columns that say that they are variants."""
    for place, field in enumerate(table.schema):
        if is_variant(field):
            chunks = [as_documents(chunk, field.name) for chunk in table.column(place).chunks]
            table = table.set_column(place, field.name, pa.chunked_array(chunks, DOCUMENTS))
    return table


def in_parquet(metadata: pq.FileMetaData) -> list[int]:
    """The places of the columns of a Parquet file that are variants: only the text of its schema says so of groups."""
    nodes = [line for line in str(metadata.schema).splitlines() if _TOP.fullmatch(line) and line[2] not in " }"]
    return [place for place, line in enumerate(nodes) if _IS_VARIANT.fullmatch(line)]


def as_documents(array: pa.Array, name: str) -> pa.Array:
    """The variants (n,), structs with `metadata` and `value` or `typed_value`, as an array of DOCUMENTS.

    SourceError, which says `name`, for bytes that are no variant. Cost: Python for each value.
    """
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
    names = [field.name for field in group.type]
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
    members = [(field.name, _parts(typed.field(place), metadata, is_there)) for place, field in enumerate(typed.type)]
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
