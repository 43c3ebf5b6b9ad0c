"""What users of DuckDB look for on a relation and do not find, and what to write instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["RELATION", "instead"]

RELATION: Final[Mapping[str, str]] = {
    "bitstring_agg": "there is no type BIT",
    "sql_query": "several steps are no single text; explain() shows the plan",
    "tf": "numpy() gives arrays, which TensorFlow takes",
    **dict.fromkeys(("fetch_df", "to_pandas"), "df() gives a pandas frame"),
    "to_polars": "pl() gives a polars frame",
    **dict.fromkeys(
        ("collect", "execute", "compute"), "materialize() runs the query; fetchall(), df(), torch() give its rows"
    ),
    "where": "filter(condition)",
    **dict.fromkeys(("groupby", "agg"), 'aggregate("k, sum(x)") or group_by("k").agg("sum(x)")'),
    **dict.fromkeys(("order_by", "sort_values"), 'order("a DESC") or sort("a", "b")'),
    **dict.fromkeys(("withColumn", "with_column", "assign"), 'with_columns(b="a + 1")'),
    "merge": 'join(other, "key", how="left")',
    "except_all": "except_(other) keeps duplicates, as EXCEPT ALL",
    "cursor": "tqp.dbapi has connections with cursors",
}
"""By the names that DuckDB, pandas, polars and Spark have."""


def instead(owner: str, name: str, known: Mapping[str, str]) -> str:
    """What to say where somebody has no attribute of that name."""
    hint = known.get(name)
    return f"{owner} has no attribute {name!r}" + (f": {hint}" if hint else "")
