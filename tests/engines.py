"""tqp and DuckDB side by side: the same tables registered in both, every query run on both and compared."""

from __future__ import annotations

from typing import Any

import duckdb
import pyarrow as pa

import tqp
from tqp.verify.compare import compare_query
from tqp.verify.oracle import arrow_of


class Engines:
    """Call it with a query: it fails the test unless both answers agree, and returns tqp's.

    `answers` keeps what DuckDB said, by query: for tests that ask the same over the same tables in several ways.
    """

    def __init__(
        self, tables: dict[str, Any] | None = None, answers: dict[str, pa.Table] | None = None, **settings: Any
    ) -> None:
        self._answers = answers
        self.tqp = tqp.connect(**{"threads": 1, **settings})
        self.duckdb = duckdb.connect(config={"threads": 1})
        self.duckdb.execute("SET TimeZone = $zone", {"zone": self.tqp.settings.time_zone})
        for name, table in (tables or {}).items():
            self.register(name, table)

    def register(self, name: str, table: pa.Table) -> Engines:
        self.tqp.register(name, table)
        self.duckdb.register(name, table)
        return self

    def __call__(self, sql: str, params: Any = None) -> pa.Table:
        actual = self.tqp.sql(sql, params).arrow()

        def run(text: str) -> pa.Table:
            if self._answers is None or params is not None:
                return arrow_of(self.duckdb.sql(text, params=params))
            if text not in self._answers:
                self._answers[text] = arrow_of(self.duckdb.sql(text))
            return self._answers[text]

        difference = compare_query(sql, actual, run(sql), run)
        assert difference is None, f"{difference}\n{sql}"
        return actual

    def close(self) -> None:
        self.tqp.close()
        self.duckdb.close()
