"""Tables that say the same of every connection: what the language and the engine know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pyarrow as pa

from tqp.functions.collations import COLLATIONS
from tqp.keywords import CALLED_SPECIALLY, KEYWORDS, NO_NAMES, RESERVED
from tqp.optimizer.driver import RULES
from tqp.sql.texts import LANGUAGE

__all__ = ["FIXED_TABLES"]

Row = Mapping[str, Any]


_OF_BOTH: Final = frozenset({"COLUMNS", "GENERATED", "MAP", "STRUCT", "TRY_CAST", "TUPLE"})
"""Keywords that stand in two categories."""


def _collations() -> Iterator[Row]:
    for name in COLLATIONS:
        yield {"collname": name}


def _version() -> Iterator[Row]:
    yield {"library_version": LANGUAGE, "source_id": "tqp"}


def _keywords() -> Iterator[Row]:
    """Each keyword by where it can be a name: nowhere, as a function or type, as a column, or everywhere."""
    for word in sorted(KEYWORDS):
        if word in RESERVED:
            categories = ["reserved"]
        elif word in _OF_BOTH:
            categories = ["column_name", "type_function"]
        elif word in NO_NAMES:
            categories = ["type_function"]
        else:
            categories = ["column_name" if word in CALLED_SPECIALLY else "unreserved"]
        for category in categories:
            yield {"keyword_name": word.lower(), "keyword_category": category}


def _optimizers() -> Iterator[Row]:
    """The rules that rewrite plans, in their order."""
    for name, _ in RULES:
        yield {"name": name}


def _texts(names: str) -> Mapping[str, pa.DataType]:
    return dict.fromkeys(names.split(), pa.string())


FIXED_TABLES: Final = {
    "pragma_collations()": (_texts("collname"), _collations),
    "pragma_version()": (_texts("library_version source_id codename"), _version),
    "duckdb_keywords()": (_texts("keyword_name keyword_category"), _keywords),
    "duckdb_optimizers()": (_texts("name"), _optimizers),
}
"""For each of these tables its columns, which are texts, and what makes its rows."""
