"""What users of DuckDB look for on a connection and do not find, and what to write instead."""

from __future__ import annotations

from typing import Final

__all__ = ["instead"]

_ROWS: Final = (
    "fetchall fetchone fetchmany fetchnumpy fetchdf fetch_df fetch_df_chunk df pl arrow torch to_arrow_table to_arrow_reader "
    "fetch_arrow_table fetch_record_batch description rowcount"
)
_HINTS: Final = {
    **{name: f"con.execute(text) gives a relation, which has it: con.execute(text).{name}" for name in _ROWS.split()},
    "rowcount": "con.execute(text) gives a relation: len(con.execute(text)) is how many rows a query has",
    "cursor": "threads share a connection, and each has transactions of its own: use con itself",
    "duplicate": "threads share a connection, and each has transactions of its own: use con itself",
    "appender": "con.append(table, rows) takes all of them at once",
    "query_progress": "connect(progress=…) shows how far queries are",
    "get_profiling_information": "con.sql(text).explain(True) runs a query and says what took how long",
    **dict.fromkeys(("install_extension", "load_extension"), "leave it out: there is nothing to load"),
    "checkpoint": "leave it out: there is no file of a database",
}


def instead(name: str) -> str:
    """What to say where a connection has no attribute of that name."""
    hint = _HINTS.get(name)
    return f"a connection of tqp has no {name!r}" + (f": {hint}" if hint else "")
