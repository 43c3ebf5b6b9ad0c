"""`duckdb_sequences()`: the sequences of a connection, and where they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tqp.catalog.catalog import Catalog
from tqp.catalog.definitions import TEMP
from tqp.keywords import identifier
from tqp.session.places import COUNT, FLAG, MAP, PLACE, TEXT, Row, in_order, place_of

__all__ = ["SEQUENCE_COLUMNS", "rows_of_sequences"]

SEQUENCE_COLUMNS: Final = {
    **PLACE,
    "sequence_name": TEXT,
    "sequence_oid": COUNT,
    "comment": TEXT,
    "tags": MAP,
    "temporary": FLAG,
    **dict.fromkeys(("start_value", "min_value", "max_value", "increment_by"), COUNT),
    "cycle": FLAG,
    "last_value": COUNT,
    "sql": TEXT,
}


def rows_of_sequences(catalog: Catalog) -> Iterator[Row]:
    for place, sequence in in_order(catalog.sequences.known):
        key = place, sequence.name.lower()
        order, (last, following) = sequence.order, sequence.state
        yield {
            **place_of(catalog.schemas, place),
            "sequence_name": sequence.name,
            "sequence_oid": sequence.oid,
            "comment": catalog.sequences.comments.get(key),
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
