"""Does tqp's answer to a query equal DuckDB's?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tqp.errors import BindError
from tqp.sql.other_dialects import in_duckdb
from tqp.verify.compare import Difference, compare_query
from tqp.verify.oracle import Answer, Oracle

if TYPE_CHECKING:
    import pyarrow as pa

    from tqp.config import Settings
    from tqp.query import Query

__all__ = ["Report", "verify"]


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
        return "verified: 1 row equals DuckDB's" if self.rows == 1 else f"verified: {self.rows:,} rows equal DuckDB's"


def verify(query: Query, actual: pa.Table, answer: Answer, settings: Settings, *, strict: bool = True) -> Report:
    """Run the query on DuckDB, over the same tables, and compare its answer with `actual`, that of tqp.

    DuckDB gets the objects and files that the connection was given, and reads them by itself; of what it does not read,
    tensors say, and of views it gets the rows as tqp has them, by `answer`. A text in another dialect is handed to it in its
    own. Without `strict` numbers of different types may be equal. Raises BindError for a query without a text, and
    SourceError where DuckDB is not installed.
    """
    if query.text is None:
        raise BindError("only the relation of a query can be verified", hint="verify a query over it")
    text = query.text if query.read == "duckdb" else in_duckdb(query.text, query.read)
    with Oracle(query, answer, settings) as oracle:
        try:
            expected = oracle.run(text)
            difference = compare_query(text, actual, expected, oracle.run, strict=strict)
        except oracle.failure as error:
            return Report(query.text, actual.num_rows, failure=str(error))
    return Report(query.text, actual.num_rows, difference)
