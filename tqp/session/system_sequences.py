"""`duckdb_sequences()`: the sequences of a connection, and where they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pyarrow as pa

from tqp.catalog.catalog import Catalog
from tqp.catalog.definitions import TEMP
from tqp.keywords import identifier

__all__ = ["SEQUENCE_COLUMNS", "rows_of_sequences"]

_TEXT, _NUMBER, _FLAG = pa.string(), pa.int64(), pa.bool_()
SEQUENCE_COLUMNS: Final = {
    **dict.fromkeys(("database_name", "schema_name", "sequence_name", "comment"), _TEXT),
    "temporary": _FLAG,
    **dict.fromkeys(("start_value", "min_value", "max_value", "increment_by"), _NUMBER),
    "cycle": _FLAG,
    "last_value": _NUMBER,
    "sql": _TEXT,
}


def rows_of_sequences(catalog: Catalog) -> Iterator[Mapping[str, Any]]:
    for (place, _), sequence in sorted(catalog.sequences.known.items()):
        database, schema = catalog.schemas.shown(place)
        order, (last, following) = sequence.order, sequence.state
        yield {
            "database_name": database,
            "schema_name": schema,
            "sequence_name": sequence.name,
            "temporary": place == TEMP,
            "start_value": order.start,
            "min_value": order.least,
            "max_value": order.most,
            "increment_by": order.increment,
            "cycle": order.cycles,
            "last_value": last,
            # One that is made so goes on where this one is.
            "sql": f"CREATE SEQUENCE {identifier(sequence.name)} INCREMENT BY {order.increment} MINVALUE {order.least} "
            f"MAXVALUE {order.most} START {following} {'CYCLE' if order.cycles else 'NO CYCLE'};",
        }
