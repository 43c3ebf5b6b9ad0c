"""What a workload is: tables that DuckDB makes of nothing, and queries whose constants change."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

from tpch.data import cache

__all__ = ["Query", "Workload"]

_STRIDE = 101
"""Turns step through the values of a constant by this, a prime, so that each comes once."""

_MACROS = """
CREATE MACRO pick(i, salt, n) AS (hash(i, salt) % n::UBIGINT)::BIGINT;
CREATE MACRO share(i, salt) AS (hash(i, salt) % 1000003::UBIGINT)::DOUBLE / 1000003.0;
CREATE MACRO tail(i, salt, n) AS least(floor(n * pow(share(i, salt), 4)), n - 1)::BIGINT;
CREATE MACRO wide(i) AS (hash(i) >> 1)::BIGINT;
"""
"""`pick`: one of n numbers, all as likely; `share`: a number in [0, 1); `tail`: one of n, the low ones far more likely; `wide`:
a number of 63 bits."""


@dataclass(frozen=True)
class Query:
    """SQL with the names of constants in braces, and the values that each may take."""

    name: str
    text: str
    constants: Mapping[str, Sequence[object]] = field(default_factory=dict)

    def sql(self, turn: int) -> str:
        """The text of this turn: other constants than those of the turns before, for as many as there are values."""
        chosen = {name: values[_STRIDE * turn % len(values)] for name, values in self.constants.items()}
        return self.text.format_map(chosen).strip()


@dataclass(frozen=True)
class Workload:
    """Tables by name, each as the SELECT that makes it from `{rows}`, later ones from earlier ones; and queries on them.

    `arrays`: columns of lists by table, and the numbers of each. Parquet's own types have no arrays, so that those who write a
    file say in its metadata that they are some; DuckDB does not.
    """

    name: str
    about: str
    tables: Mapping[str, str]
    queries: Sequence[Query]
    arrays: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def files(self, rows: int) -> dict[str, Path]:
        """The Parquet file of each table, made if it is not there yet."""
        # Other tables than before are other files.
        version = crc32("".join((_MACROS, *self.tables.values())).encode())
        home = cache() / "workloads" / f"{self.name}-{rows}-{version:08x}"
        if not home.is_dir():
            self._make(rows, home)
        return {table: home / f"{table}.parquet" for table in self.tables}

    def _make(self, rows: int, home: Path) -> None:
        import duckdb

        home.parent.mkdir(parents=True, exist_ok=True)
        making = Path(tempfile.mkdtemp(prefix=f".{home.name}-", dir=home.parent))
        print(f"Generating {self.name} of {rows:,} rows into {home}", file=sys.stderr, flush=True)
        try:
            with duckdb.connect() as connection:
                connection.execute(_MACROS)
                for table, text in self.tables.items():
                    path = making / f"{table}.parquet"
                    connection.execute(f"COPY ({text.format(rows=rows)}) TO '{path}' (FORMAT parquet)")
                    if table in self.arrays:
                        _make_arrays(path, self.arrays[table])
                    connection.execute(f"CREATE VIEW {table} AS SELECT * FROM '{path}'")
            making.rename(home)
        finally:
            shutil.rmtree(making, ignore_errors=True)


def _make_arrays(path: Path, sizes: Mapping[str, int]) -> None:
    """Say in the file that these columns of lists are arrays."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    for name, size in sizes.items():
        at = table.schema.get_field_index(name)
        values = table.column(at).combine_chunks().flatten()
        table = table.set_column(at, name, pa.FixedSizeListArray.from_arrays(values, size))
    pq.write_table(table, path)
