"""Does tqp's answer to a query equal DuckDB's?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tqp.compare import Difference, compare_query
from tqp.errors import BindError
from tqp.oracle import Oracle
from tqp.sql.other_dialects import in_duckdb

if TYPE_CHECKING:
    from tqp.connection import Connection
    from tqp.relation import Relation
    from tqp.sql import Parameters

__all__ = ["Report", "verify", "verify_relation"]


@dataclass(frozen=True)
class Report:
    """How a query's answers on tqp and DuckDB compare. `failure` says why DuckDB gave none."""

    text: str
    rows: int
    difference: Difference | None = None
    failure: str | None = None

    @property
    def ok(self) -> bool:
        """Whether DuckDB gave the same answer."""
        return self.difference is None and self.failure is None

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        if self.failure is not None:
            return f"not verified: DuckDB cannot run the query: {self.failure}"
        if self.difference is not None:
            return f"DuckDB's answer differs: {self.difference}"
        return f"verified: {self.rows} rows equal DuckDB's"


def verify(
    connection: Connection, text: str, params: Parameters = None, read: str = "duckdb", *, strict: bool = True
) -> Report:
    """Run the query on tqp and on DuckDB, over the same tables, and compare the answers.

    DuckDB gets the objects and files that the connection was given, and reads them by itself; of what it does not read,
    tensors say, and of views it gets the rows as tqp has them. A text in another dialect is handed to it in its own.
    Raises what tqp raises for the query, and SourceError where DuckDB is not installed.
    """
    return verify_relation(connection.sql(text, params, read), strict=strict)


def verify_relation(relation: Relation, *, strict: bool = True) -> Report:
    """As `verify`, of a relation and of what the names in its query meant when it was made."""
    query = relation.query
    if query.text is None:
        raise BindError("only the relation of a query can be verified", hint="verify a query over it")
    actual = relation.arrow()
    text = query.text if query.read == "duckdb" else in_duckdb(query.text, query.read)
    with Oracle(relation.connection, query) as oracle:
        try:
            expected = oracle.run(text)
            difference = compare_query(text, actual, expected, oracle.run, strict=strict)
        except oracle.failure as error:
            return Report(query.text, actual.num_rows, failure=str(error))
    return Report(query.text, actual.num_rows, difference)
