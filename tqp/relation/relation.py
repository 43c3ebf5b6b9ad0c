"""The relation users hold."""

from __future__ import annotations

from typing import Final, NoReturn, Self

import pyarrow as pa

from tqp.api_boundary import api_boundary
from tqp.errors import BindError
from tqp.ir.plan import Plan
from tqp.query import Query
from tqp.relation.aggregates import Aggregates
from tqp.relation.combining import Combining
from tqp.relation.mapping import Mapped
from tqp.relation.showing import Showing
from tqp.relation.windows import Windows
from tqp.relation.writing import Writing
from tqp.verify import Report, verify

__all__ = ["Relation"]


INNER: Final = frozenset({"bound_query", "plan", "result", "schema", "shown", "texts"})
"""What connections and the shell ask of a relation, and users need not see where names are completed."""


@api_boundary
class Relation(Mapped, Showing, Aggregates, Windows, Combining, Writing):
    """Rows of a query. Nothing runs until rows are asked for; then the query runs once and its result is kept.

    A run may take `timeout` seconds. After a run that failed, was interrupted or took too long, the next request for rows runs
    the query again.
    """

    def __dir__(self) -> list[str]:
        return sorted(set(super().__dir__()) - INNER)

    def __copy__(self) -> Self:
        # A relation never changes.
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise BindError(
            "a relation cannot be pickled: it belongs to its connection",
            hint="its rows can: .arrow(), .df() or .torch(); in another process connect and ask again",
        )

    def verify(self, *, strict: bool = True) -> Report:
        """Run the query on DuckDB too, over the same objects, and report how the answers compare.

        Without `strict` numbers of different types may be equal.

        >>> print(orders.aggregate("customer, sum(amount)").verify())
        verified: 2 rows equal DuckDB's
        """

        def answer(plan: Plan) -> pa.Table:
            return Relation(self.connection, Query(plan)).arrow()

        return verify(self._query, self.arrow(), answer, self.connection.settings, strict=strict)
