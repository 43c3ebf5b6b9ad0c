"""Views that every connection has: those of `information_schema` and `pg_catalog`, and some in main."""

from __future__ import annotations

from typing import Final

from tqp.catalog.definitions import MAIN, View
from tqp.catalog.schemas import BUILT_IN
from tqp.oids import FIRST_OF_SYSTEM
from tqp.session.postgres_views import POSTGRES_VIEWS
from tqp.session.standard_views import STANDARD_VIEWS

__all__ = ["SYSTEM_SCHEMAS", "SYSTEM_VIEWS", "view_named"]

_SQLITE: Final = """SELECT 'table' AS "type", table_name AS "name", table_name AS tbl_name, 0 AS rootpage, "sql"
    FROM duckdb_tables()
    UNION ALL SELECT 'view', view_name, view_name, 0, "sql" FROM duckdb_views() WHERE NOT internal
    UNION ALL SELECT 'index', index_name, table_name, 0, "sql" FROM duckdb_indexes()"""
_MADE: Final = ("columns", "databases", "schemas", "tables", "views")
"""Of these the functions tell also what nobody made."""
_ALL: Final = ("constraints", "indexes", "types")

_MAIN_VIEWS: Final = {
    **{f"duckdb_{what}": f"SELECT * FROM duckdb_{what}() WHERE NOT internal" for what in _MADE},
    **{f"duckdb_{what}": f"SELECT * FROM duckdb_{what}()" for what in _ALL},
    "pragma_database_list": """SELECT database_oid AS seq, database_name AS "name", path AS file FROM duckdb_databases()
        WHERE NOT internal ORDER BY 1""",
    **dict.fromkeys(("sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"), _SQLITE),
}

_SCHEMAS: Final = {"information_schema": STANDARD_VIEWS, MAIN: _MAIN_VIEWS, "pg_catalog": POSTGRES_VIEWS}
_BY_NAME: Final = {
    (schema, name): View(name, texts[name]) for schema, texts in _SCHEMAS.items() for name in sorted(texts)
}
SYSTEM_VIEWS: Final = tuple(
    (schema, FIRST_OF_SYSTEM + place, view) for place, ((schema, _), view) in enumerate(_BY_NAME.items())
)
"""The schema of each view, and its number."""


SYSTEM_SCHEMAS: Final = BUILT_IN | {"system"}
"""What stands before the names of such views alone."""


def view_named(name: str) -> View | None:
    """The view of a name, with or without its schema and the database "system" before it; None where there is none."""
    match name.lower().removeprefix("system.").split("."):
        case (str(view),):
            return _BY_NAME.get((MAIN, view)) or _BY_NAME.get(("pg_catalog", view))
        case (str(schema), str(view)):
            return _BY_NAME.get((schema, view))
    return None
