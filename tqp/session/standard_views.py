"""The views of `information_schema`, as texts of SQL over the functions that tell the facts."""

from __future__ import annotations

from typing import Final

__all__ = ["STANDARD_VIEWS"]


def _nulls(dtype: str, names: str) -> str:
    """Columns that have no value."""
    return ", ".join(f"NULL::{dtype} AS {name}" for name in names.split())


_TABLE: Final = "database_name AS table_catalog, schema_name AS table_schema, table_name"
_CONSTRAINT: Final = "database_name AS constraint_catalog, schema_name AS constraint_schema, constraint_name"
_KEYS: Final = "constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')"

STANDARD_VIEWS: Final = {
    "character_sets": """SELECT NULL::VARCHAR AS character_set_catalog, NULL::VARCHAR AS character_set_schema,
        'UTF8' AS character_set_name, 'UCS' AS character_repertoire, 'UTF8' AS form_of_use,
        current_database() AS default_collate_catalog, 'pg_catalog' AS default_collate_schema,
        'ucs_basic' AS default_collate_name""",
    "check_constraints": f"""SELECT {_CONSTRAINT},
        CASE constraint_type WHEN 'CHECK' THEN constraint_text ELSE constraint_column_names[1] || ' IS NOT NULL' END
            AS check_clause
        FROM duckdb_constraints() WHERE constraint_type IN ('CHECK', 'NOT NULL')""",
    "columns": f"""SELECT {_TABLE}, column_name, column_index AS ordinal_position, column_default,
        CASE WHEN is_nullable THEN 'YES' ELSE 'NO' END AS is_nullable, data_type, character_maximum_length,
        {_nulls("INTEGER", "character_octet_length")}, numeric_precision, numeric_precision_radix, numeric_scale,
        {_nulls("INTEGER", "datetime_precision")}, {_nulls("VARCHAR", "interval_type")},
        {_nulls("INTEGER", "interval_precision")},
        {_nulls("VARCHAR", "character_set_catalog character_set_schema character_set_name collation_catalog")},
        {_nulls("VARCHAR", "collation_schema collation_name domain_catalog domain_schema domain_name udt_catalog")},
        {_nulls("VARCHAR", "udt_schema udt_name scope_catalog scope_schema scope_name")},
        {_nulls("BIGINT", "maximum_cardinality")}, {_nulls("VARCHAR", "dtd_identifier")},
        {_nulls("BOOLEAN", "is_self_referencing is_identity")},
        {_nulls("VARCHAR", "identity_generation identity_start identity_increment identity_maximum identity_minimum")},
        {_nulls("BOOLEAN", "identity_cycle")},
        CASE WHEN is_generated THEN 'ALWAYS' ELSE 'NEVER' END AS is_generated, generation_expression,
        {_nulls("BOOLEAN", "is_updatable")}, "comment" AS "COLUMN_COMMENT"
        FROM duckdb_columns() WHERE NOT internal""",
    "constraint_column_usage": f"""SELECT {_TABLE}, column_name, {_CONSTRAINT}, constraint_type, constraint_text
        FROM (SELECT *, unnest(constraint_column_names) AS column_name FROM duckdb_constraints()
            WHERE constraint_type <> 'NOT NULL')""",
    "constraint_table_usage": f"""SELECT {_TABLE}, {_CONSTRAINT}, constraint_type
        FROM duckdb_constraints() WHERE constraint_type <> 'NOT NULL'""",
    "key_column_usage": f"""SELECT {_CONSTRAINT}, {_TABLE}, column_name, ordinal_position,
        CASE constraint_type WHEN 'FOREIGN KEY' THEN ordinal_position END AS position_in_unique_constraint
        FROM (SELECT *, unnest(constraint_column_names) AS column_name,
            unnest(range(1, len(constraint_column_names) + 1)) AS ordinal_position
            FROM duckdb_constraints() WHERE {_KEYS})""",
    "referential_constraints": """SELECT f.database_name AS constraint_catalog, f.schema_name AS constraint_schema,
        f.constraint_name, k.database_name AS unique_constraint_catalog, k.schema_name AS unique_constraint_schema,
        k.constraint_name AS unique_constraint_name, 'NONE' AS match_option, 'NO ACTION' AS update_rule,
        'NO ACTION' AS delete_rule
        FROM duckdb_constraints() AS f JOIN duckdb_constraints() AS k
            ON f.schema_oid = k.schema_oid AND lower(f.referenced_table) = lower(k.table_name)
            AND lower(f.referenced_column_names::VARCHAR) = lower(k.constraint_column_names::VARCHAR)
        WHERE f.constraint_type = 'FOREIGN KEY' AND k.constraint_type IN ('PRIMARY KEY', 'UNIQUE')""",
    "schemata": f"""SELECT database_name AS catalog_name, schema_name, 'duckdb' AS schema_owner,
        {_nulls("VARCHAR", "default_character_set_catalog default_character_set_schema default_character_set_name")},
        "sql" AS sql_path FROM duckdb_schemas()""",
    "table_constraints": f"""SELECT {_CONSTRAINT}, {_TABLE},
        CASE constraint_type WHEN 'NOT NULL' THEN 'CHECK' ELSE constraint_type END AS constraint_type,
        'NO' AS is_deferrable, 'NO' AS initially_deferred, 'YES' AS enforced, 'YES' AS nulls_distinct
        FROM duckdb_constraints()""",
    "tables": f"""SELECT {_TABLE},
        CASE WHEN is_view THEN 'VIEW' WHEN temporary THEN 'LOCAL TEMPORARY' ELSE 'BASE TABLE' END AS table_type,
        {_nulls("VARCHAR", "self_referencing_column_name reference_generation user_defined_type_catalog")},
        {_nulls("VARCHAR", "user_defined_type_schema user_defined_type_name")},
        CASE WHEN is_view THEN 'NO' ELSE 'YES' END AS is_insertable_into, 'NO' AS is_typed,
        CASE WHEN temporary AND NOT is_view THEN 'PRESERVE' END AS commit_action, "comment" AS "TABLE_COMMENT"
        FROM (SELECT database_name, schema_name, table_name, temporary, "comment", false AS is_view FROM duckdb_tables()
            UNION ALL SELECT database_name, schema_name, view_name, temporary, "comment", true
            FROM duckdb_views() WHERE NOT internal)""",
    "views": """SELECT database_name AS table_catalog, schema_name AS table_schema, view_name AS table_name,
        "sql" AS view_definition, 'NONE' AS check_option, 'NO' AS is_updatable, 'NO' AS is_insertable_into,
        'NO' AS is_trigger_updatable, 'NO' AS is_trigger_deletable, 'NO' AS is_trigger_insertable_into
        FROM duckdb_views()""",
}
"""By their names, in their order."""
