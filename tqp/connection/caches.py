"""What a connection keeps between queries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

import pyarrow as pa
import torch

from tqp.data.stored import StoredTable
from tqp.io.readers import ArrowReader
from tqp.kept import KINDS, Kept
from tqp.relation import Relation
from tqp.session.names import Namespace
from tqp.session.plan_cache import PlanCache

__all__ = ["Caches"]


class Caches:
    """The part of a connection that lists what it keeps, and lets go of it."""

    device: torch.device
    _names: Namespace
    _plans: PlanCache

    def all_of(self, table: StoredTable) -> Relation:
        raise NotImplementedError

    def cache(self) -> Relation:
        """What the connection keeps between queries: kind, key, bytes, its bound, and when it is freed.

        Relations that the caller holds also keep their answers, and the tables that they read.

        >>> con.cache().columns
        ['kind', 'key', 'bytes', 'bound', 'until']
        """
        kept = list(self._kept())
        columns = {
            "kind": pa.array([item.kind for item in kept], pa.string()),
            "key": pa.array([item.key for item in kept], pa.string()),
            "bytes": pa.array([item.bytes for item in kept], pa.int64()),
            "bound": pa.array([KINDS[item.kind].bound for item in kept], pa.string()),
            "until": pa.array([KINDS[item.kind].until for item in kept], pa.string()),
        }
        return self.all_of(StoredTable("cache", ArrowReader(pa.table(columns)), self.device))

    def clear_cache(self) -> Self:
        """Free everything that `cache` lists; it is made again when needed. Tables and models stay registered."""
        self._plans.clear()
        self._names.forget_read()
        return self

    def _kept(self) -> Iterator[Kept]:
        """All that is kept, once whoever keeps it."""
        yield from self._names.kept_answers()
        tables = {id(table): table for table in self._names.tables()}
        for query in self._plans.queries():
            yield from query.kept()
            tables.update((id(table), table) for table in query.tables)
        for table in tables.values():
            yield from table.kept()
