"""Functions of the user over all rows of a relation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self, cast

from tqp.errors import BindError, ExecutionError, SourceError
from tqp.io.libraries import need
from tqp.own.calls import called
from tqp.relation.exporting import Exporting
from tqp.types import DType

if TYPE_CHECKING:
    import pandas

__all__ = ["Mapped"]


class Mapped(Exporting):
    """What code of the user makes of the rows."""

    def map(
        self, map_function: Callable[[pandas.DataFrame], Any], *, schema: Mapping[str, str | DType] | None = None
    ) -> Self:
        """The table that a function makes of all rows as one pandas frame; it is called at once, and once.

        The function gives a frame, or anything else that `Connection.register` takes but a path; EXPLAIN calls that "user code".
        `schema` are the columns and types that it has to have. ExecutionError where the function fails or gives other ones.

        >>> orders.map(lambda frame: frame.assign(share=frame.amount / frame.amount.sum())).project("share").limit(1).fetchall()
        [(0.45454545454545453,)]
        """
        if not callable(map_function):
            raise BindError(f"map() takes a function of a pandas frame, not {map_function!r}")
        name = getattr(map_function, "__name__", type(map_function).__name__)
        need("pandas", ".map()")
        given = called(name, map_function, self.df())
        try:
            found = self.connection.of_object(f"user code {name}", given)
        except SourceError as error:
            raise ExecutionError(f"{name} gave what is no table: {error.message}", hint=error.hint) from error
        if schema is not None:
            has = {field.name: str(field.dtype) for field in found.schema}
            wanted = {column: str(kind).upper() for column, kind in schema.items()}
            if list(has.items()) != list(wanted.items()):
                listed = [", ".join(f"{column} {kind}" for column, kind in one.items()) for one in (has, wanted)]
                raise ExecutionError(f"{name} gave the columns {listed[0]} instead of {listed[1]}")
        return cast(Self, found)
