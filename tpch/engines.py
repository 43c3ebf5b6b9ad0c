"""The engines that run TPC-H: each takes SQL text and hands back an Arrow table.

Warm engines hold the data in memory (tqp as tensors, the others in tables of their own); cold ones are opened for every
query, straight on the Parquet files.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

__all__ = ["ENGINES", "Engine", "Setup"]


class Setup(Protocol):
    """What an engine must know of a run's options."""

    @property
    def device(self) -> str: ...
    @property
    def threads(self) -> int: ...
    @property
    def backend(self) -> str: ...


class Engine(Protocol):
    """A connection to the tables."""

    name: str
    version: str

    def run(self, sql: str) -> pa.Table:
        """The query's whole result, computed anew."""
        ...

    def close(self) -> None: ...


class Tqp:
    name = "tqp"
    version = ""

    def __init__(self, files: dict[str, Path], setup: Setup, *, resident: bool) -> None:
        import tqp

        self.version = tqp.__version__
        self.connection = tqp.connect(device=setup.device, threads=setup.threads, backend=setup.backend)
        for table, path in files.items():
            self.connection.register(table, str(path))

    def run(self, sql: str) -> pa.Table:
        return self.connection.sql(sql).arrow()

    def close(self) -> None:
        self.connection.close()


class DuckDB:
    name = "duckdb"
    version = ""

    def __init__(self, files: dict[str, Path], setup: Setup, *, resident: bool) -> None:
        _need("duckdb", "verify")
        import duckdb

        self.version = duckdb.__version__
        self.connection = duckdb.connect(config={"threads": setup.threads})
        kind = "TABLE" if resident else "VIEW"
        for table, path in files.items():
            self.connection.execute(f"CREATE {kind} {table} AS SELECT * FROM read_parquet('{path}')")

    def run(self, sql: str) -> pa.Table:
        return self.connection.sql(sql).to_arrow_table()

    def close(self) -> None:
        self.connection.close()


class Polars:
    name = "polars"
    version = ""

    def __init__(self, files: dict[str, Path], setup: Setup, *, resident: bool) -> None:
        # Read once, when polars is first imported.
        os.environ.setdefault("POLARS_MAX_THREADS", str(setup.threads))
        _need("polars", "polars")
        import polars

        self.version = polars.__version__
        frames = {table: polars.scan_parquet(path) for table, path in files.items()}
        if resident:
            frames = {table: frame.collect().lazy() for table, frame in frames.items()}
        self.context = polars.SQLContext(frames)

    def run(self, sql: str) -> pa.Table:
        return self.context.execute(sql.rstrip().rstrip(";"), eager=True).to_arrow()

    def close(self) -> None:
        pass


class DataFusion:
    name = "datafusion"
    version = ""

    def __init__(self, files: dict[str, Path], setup: Setup, *, resident: bool) -> None:
        _need("datafusion", "peers")
        import datafusion

        self.version = datafusion.__version__
        self.context = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(setup.threads))
        for table, path in files.items():
            self.context.register_parquet(table, str(path))
        if resident:
            for table in files:
                batches = self.context.table(table).collect_partitioned()
                self.context.deregister_table(table)
                self.context.register_record_batches(table, batches)

    def run(self, sql: str) -> pa.Table:
        # It has no operator for whole quotients: its division of integers is one.
        return self.context.sql(sql.replace(" // ", " / ")).to_arrow_table()

    def close(self) -> None:
        pass


def _need(engine: str, extra: str) -> None:
    # Not above: a run that asks no other engine needs none of them, and the process of a cold one imports as little as it can.
    from tqp.io.libraries import need

    need(engine, f"the engine {engine}", extra)


ENGINES: dict[str, Callable[..., Any]] = {engine.name: engine for engine in (Tqp, DuckDB, Polars, DataFusion)}
