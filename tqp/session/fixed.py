"""Tables that say the same of every connection: what the language and the engine know."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import pyarrow as pa

from tqp.functions.collations import COLLATIONS
from tqp.keywords import CALLED_SPECIALLY, KEYWORDS, NO_NAMES, RESERVED
from tqp.optimizer.driver import RULES
from tqp.session.places import COUNT, FLAG, MAP, PLACE, TEXT, TEXTS, Row, texts
from tqp.sql.texts import LANGUAGE

__all__ = ["EXTENSIONS", "FIXED_TABLES"]

EXTENSIONS: Final = {
    "core_functions": "Core function library",
    "httpfs": "Adds support for reading and writing files over a HTTP(S) connection",
    "icu": "Adds support for time zones and collations using the ICU library",
    "json": "Adds support for JSON operations",
    "parquet": "Adds support for reading and writing parquet files",
}
"""Extensions of DuckDB whose functions and formats tqp has, and what they say they are."""

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


def _extensions() -> Iterator[Row]:
    for name, description in EXTENSIONS.items():
        yield {
            "extension_name": name,
            "loaded": True,
            "installed": True,
            "install_path": "(BUILT-IN)",
            "description": description,
            "aliases": [],
            "extension_version": LANGUAGE,
            "install_mode": "STATICALLY_LINKED",
            "installed_from": "",
        }


def _nothing() -> Iterator[Row]:
    """No rows, of what tqp never has."""
    yield from ()


FIXED_TABLES: Final[dict[str, tuple[Mapping[str, pa.DataType], Callable[[], Iterable[Row]]]]] = {
    "pragma_collations()": (texts("collname"), _collations),
    "pragma_version()": (texts("library_version source_id codename"), _version),
    "duckdb_extensions()": (
        {
            "extension_name": TEXT,
            **dict.fromkeys(("loaded", "installed"), FLAG),
            **texts("install_path description"),
            "aliases": TEXTS,
            **texts("extension_version install_mode installed_from signature_key_fingerprint"),
        },
        _extensions,
    ),
    "duckdb_keywords()": (texts("keyword_name keyword_category"), _keywords),
    "duckdb_optimizers()": (texts("name"), _optimizers),
    "duckdb_secrets()": (
        {**texts("name type provider"), "persistent": FLAG, "storage": TEXT, "scope": TEXTS, "secret_string": TEXT},
        _nothing,
    ),
    "duckdb_temporary_files()": ({"path": TEXT, "size": COUNT}, _nothing),
    "duckdb_triggers()": (
        {
            **PLACE,
            "trigger_name": TEXT,
            "trigger_oid": COUNT,
            **texts("table_name action_timing event_manipulation"),
            "columns": TEXTS,
            **texts("for_each comment"),
            "tags": MAP,
            "temporary": FLAG,
            "sql": TEXT,
        },
        _nothing,
    ),
}
"""For each of these tables its columns, and what makes its rows."""
