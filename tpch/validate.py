"""Every cell of an answer against DuckDB's on the same files."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from tpch.engines import DuckDB, Setup
from tqp.verify.compare import Difference, compare_query

__all__ = ["Oracle"]


class Oracle:
    """DuckDB over the files, and its answers so far."""

    def __init__(self, files: dict[str, Path], setup: Setup) -> None:
        self._duckdb = DuckDB(files, setup, resident=False)
        self._answers: dict[str, pa.Table] = {}

    def difference(self, sql: str, actual: pa.Table, *, strict: bool = True) -> Difference | None:
        """Where `actual` differs from DuckDB's answer to the query."""
        if sql not in self._answers:
            self._answers[sql] = self._duckdb.run(sql)
        return compare_query(sql, actual, self._answers[sql], self._duckdb.run, strict=strict)

    def close(self) -> None:
        self._duckdb.close()
