"""The relation users hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from tqp.interrupt import seconds
from tqp.ir.plan import Plan
from tqp.query import Query
from tqp.relation.exporting import Exporting
from tqp.relation.fetching import Fetching
from tqp.relation.showing import Showing
from tqp.verify import Report, verify

if TYPE_CHECKING:
    from tqp.sql import Parameters

__all__ = ["Relation"]


class Relation(Exporting, Fetching, Showing):
    """Rows of a query. Nothing runs until rows are asked for; then the query runs once and its result is kept.

    A run may take `timeout` seconds. One that failed, was interrupted or took too long leaves no trace: whoever asks for
    rows next runs the query again.
    """

    def sql(self, text: str, params: Parameters = None, alias: str = "self", timeout: float | None = None) -> Relation:
        """A query over this relation, which it calls by `alias`, `self` or `this`; `timeout` as for `Connection.sql`."""
        limit = seconds(timeout)
        return Relation(self.connection, self.connection.derived(text, params, self, alias), limit)

    def verify(self, *, strict: bool = True) -> Report:
        """Run the query on DuckDB too, over the same objects, and report how the answers compare.

        Without `strict` numbers of different types may be equal.
        """

        def answer(plan: Plan) -> pa.Table:
            return Relation(self.connection, Query(plan)).arrow()

        return verify(self._query, self.arrow(), answer, self.connection.settings, strict=strict)
