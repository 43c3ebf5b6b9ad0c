"""Variants in Arrow tables: of equal ones the bytes may differ, by names that no member has, or by their order."""

from __future__ import annotations

import pyarrow as pa

from tqp.functions.variant_documents import written
from tqp.io.variant_bytes import decoded

__all__ = ["with_readable_variants"]

_NAME = {b"ARROW:extension:name": b"arrow.parquet.variant"}


def with_readable_variants(table: pa.Table) -> pa.Table:
    """The table with a text instead of each variant that is a column, the same one for equal values of the same types."""
    for place, field in enumerate(table.schema):
        if field.metadata is not None and _NAME.items() <= field.metadata.items():
            rows = table.column(place).to_pylist()
            found = decoded([(row["metadata"], row["value"]) for row in rows if row is not None])
            documents = iter(found)
            texts = [None if row is None or (one := next(documents)) is None else written(one) for row in rows]
            table = table.set_column(place, pa.field(field.name, pa.string()), pa.array(texts, pa.string()))
    return table
