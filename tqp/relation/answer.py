"""A query and its result: run when first asked for, and then kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

from tqp.config import Settings
from tqp.data.table import Table
from tqp.interrupt import Interrupt, Running
from tqp.ir.plan import Plan, Schema
from tqp.locks import Lock
from tqp.query import Query
from tqp.types import DType

if TYPE_CHECKING:
    import torch

    from tqp.catalog.schemas import Schemas
    from tqp.data.stored import StoredTable
    from tqp.io.remote import Storage
    from tqp.sql import Parameters

__all__ = ["Answer", "Session"]

T = TypeVar("T")


class Session(Protocol):
    """What a relation asks of its connection."""

    device: torch.device

    @property
    def settings(self) -> Settings: ...
    @property
    def schemas(self) -> Schemas: ...
    @property
    def running(self) -> Running: ...
    def derived(self, text: str, params: Parameters, relations: Mapping[str, Answer]) -> Query: ...
    def done(self, text: str, relations: Mapping[str, Answer], storage: Storage | None = None) -> None: ...
    def of_object(self, name: str, value: object) -> Answer: ...
    def all_of(self, table: StoredTable) -> Answer: ...


class Answer:
    """A query on a connection, the one run of it, and what is known of its columns before that."""

    def __init__(
        self, connection: Session, query: Query, timeout: float | None = None, table: Table | None = None
    ) -> None:
        """`table` is the query's result where that is there already."""
        self.connection = connection
        self._query = query
        self._timeout = timeout
        self._table = table
        self._lock = Lock()
        self._running = Running()

    def _of(self, query: Query) -> Self:
        """Another query on the same connection, which takes as long and stops with this one."""
        made = type(self)(self.connection, query, self._timeout)
        made._running = self._running
        return made

    @property
    def bound_query(self) -> Query:
        """The query behind the relation."""
        return self._query

    @property
    def plan(self) -> Plan:
        """The bound plan, before optimization."""
        return self._query.plan

    @property
    def schema(self) -> Schema:
        """The columns as the plan has them, with their names and types."""
        return self._query.schema

    @property
    def columns(self) -> list[str]:
        """Column names; they may repeat.

        >>> orders.columns
        ['id', 'customer', 'amount']
        """
        return [field.name for field in self.schema]

    @property
    def types(self) -> list[DType]:
        """SQL types of the columns.

        >>> orders.types
        [BIGINT, VARCHAR, BIGINT]
        """
        return [field.dtype for field in self.schema]

    @property
    def dtypes(self) -> list[DType]:
        """The same as `types`."""
        return self.types

    @property
    def description(self) -> list[tuple[str, DType, None, None, None, None, None]]:
        """Name and type of each column, as in the DB-API."""
        return [(field.name, field.dtype, None, None, None, None, None) for field in self.schema]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns; runs the query.

        >>> orders.shape
        (3, 3)
        """
        return len(self), len(self.schema)

    def result(self) -> Table:
        """The columns on the connection's device; runs the query if it has not run."""
        with self._lock:
            if self._table is None:
                self._table = self._run(self._query.run)
            return self._table

    def materialize(self) -> Self:
        """The same relation, after its query has run; it keeps the rows by itself.

        >>> orders.aggregate("sum(amount)").materialize().fetchall()
        [(22,)]
        """
        self.result()
        return self

    def interrupt(self) -> None:
        """Stop the run in progress, from another thread: who waits for its rows gets QueryInterruptedError.

        It stops after the current operation on a batch or column. Without a run in progress nothing happens.
        """
        self._running.stop()

    def _run(self, action: Callable[[Settings, Interrupt, float | None], T]) -> T:
        interrupt = Interrupt()
        own, all_ = self._running, self.connection.running
        own.add(interrupt)
        all_.add(interrupt)
        try:
            return action(self.connection.settings, interrupt, self._timeout)
        finally:
            all_.remove(interrupt)
            own.remove(interrupt)

    def __len__(self) -> int:
        return self.result().rows

    def __bool__(self) -> bool:
        # Without this the truth of a relation would be its length, and asking would run the query.
        return True

    @property
    def _zone(self) -> str:
        return self.connection.settings.time_zone
