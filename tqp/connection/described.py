"""The tables and views that describe a connection."""

from __future__ import annotations

import pyarrow as pa
import torch

from tqp.catalog.catalog import Catalog
from tqp.catalog.definitions import TEMP, View
from tqp.catalog.entries import Entry
from tqp.config import Settings
from tqp.data.stored import StoredTable
from tqp.errors import TqpError
from tqp.io.readers import ArrowReader
from tqp.ir.plan import Schema
from tqp.keywords import quoted_name
from tqp.query import Query
from tqp.session.all_types import ALL_TYPES, AllTypes
from tqp.session.binding import Asked
from tqp.session.names import Namespace
from tqp.session.system import System, described

__all__ = ["Described"]


class Described:
    """The part of a connection that tells what it holds as tables."""

    device: torch.device
    settings: Settings
    _names: Namespace

    @property
    def catalog(self) -> Catalog:
        raise NotImplementedError

    def bound(self, asked: Asked) -> Query:
        raise NotImplementedError

    def _described(self, name: str) -> StoredTable | View | None:
        """The table or view of that name that describes the connection, as it is now."""
        if name.lower() == ALL_TYPES:
            return StoredTable(name, AllTypes(), self.device)
        names = self._names
        system = System(
            self.catalog, self.settings, self._schema_of, names.values, names.prepared, self._schema_of_query
        )
        found = described(name, system)
        return StoredTable(name, ArrowReader(found), self.device) if isinstance(found, pa.Table) else found

    def _schema_of(self, place: str, entry: Entry) -> Schema:
        """The columns of a table or view; none of one that does not fit what it reads any more."""
        qualifier = "temp" if place == TEMP else f"memory.{quoted_name(place)}"
        return self._schema_of_query(f"FROM {qualifier}.{quoted_name(entry.name)}")

    def _schema_of_query(self, text: str) -> Schema:
        """The columns of a query; none of one that cannot be bound now."""
        try:
            return self.bound(Asked(text)).schema
        except TqpError:
            return ()
