"""Functions of the user over the rows of a relation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self, cast

from tqp.data.stored import StoredTable
from tqp.errors import BindError, ExecutionError, SourceError
from tqp.io.libraries import need
from tqp.io.rows import Rows
from tqp.own.calls import called
from tqp.relation.answer import Answer
from tqp.relation.batches import Batches
from tqp.types import DType

if TYPE_CHECKING:
    import pandas

__all__ = ["Mapped"]

_MapFunction = Callable[["pandas.DataFrame"], Any]


class Mapped(Batches):
    """What code of the user makes of the rows."""

    def map(
        self,
        map_function: _MapFunction,
        *,
        schema: Mapping[str, str | DType] | None = None,
        batch_size: int | None = None,
    ) -> Self:
        """The table that a function returns for all rows as one pandas frame; it is called immediately, and once.

        The function gives a frame, or anything else that `Connection.register` takes but a path; EXPLAIN calls that "user code".
        `schema` are the columns and types that it has to have. ExecutionError where the function fails or gives other ones.

        With `batch_size` it is called with so many rows after the other, the last ones fewer, and once where there are none. What
        it gives each time stands below what it gave before and has the same columns and types. No frame is larger than that.

        >>> orders.map(lambda frame: frame.assign(share=frame.amount / frame.amount.sum())).project("share").limit(1).fetchall()
        [(0.45454545454545453,)]
        >>> orders.map(lambda frame: frame[["amount"]] * 2, batch_size=2).fetchall()
        [(20,), (16,), (8,)]
        """
        if not callable(map_function):
            raise BindError(f"map() takes a function of a pandas frame, not {map_function!r}")
        if batch_size is not None and (
            isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1
        ):
            raise BindError(f"batch_size={batch_size!r} is no number of rows", hint="1 or more")
        name = getattr(map_function, "__name__", type(map_function).__name__)
        need("pandas", ".map()")
        wanted = None if schema is None else {column: str(kind).upper() for column, kind in schema.items()}
        if batch_size is None or len(self) <= batch_size:
            return cast(Self, self._made(name, called(name, map_function, self.df()), wanted))
        rows: Rows | None = None
        for start in range(0, len(self), batch_size):
            found = self._made(name, called(name, map_function, self._frame(start, start + batch_size)), wanted)
            wanted = _columns(found)
            if rows is None:
                rows = Rows([(field.name, field.dtype) for field in found.schema], (), self.connection.device)
            rows = rows.appended(found.result())
        assert rows is not None
        table = StoredTable(f"user code {name}", rows, self.connection.device, is_held=True)
        return cast(Self, self.connection.all_of(table))

    def _made(self, name: str, given: object, wanted: Mapping[str, str] | None) -> Mapped:
        """What the function gave as a relation, which has the columns that are wanted."""
        try:
            found: Answer = self.connection.of_object(f"user code {name}", given)
        except SourceError as error:
            raise ExecutionError(f"{name} gave what is no table: {error.message}", hint=error.hint) from error
        assert isinstance(found, Mapped)
        has = _columns(found)
        if wanted is not None and list(has.items()) != list(wanted.items()):
            listed = [", ".join(f"{column} {kind}" for column, kind in one.items()) for one in (has, wanted)]
            raise ExecutionError(f"{name} gave the columns {listed[0]} instead of {listed[1]}")
        return found


def _columns(relation: Answer) -> dict[str, str]:
    return {field.name: str(field.dtype) for field in relation.schema}
