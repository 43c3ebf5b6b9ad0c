"""The views of `pg_catalog`, as texts of SQL over the functions that tell the facts."""

from __future__ import annotations

from typing import Final

from tqp.sql.postgres_types import oid_of_type, type_name

__all__ = ["POSTGRES_VIEWS"]


def _all(value: str, names: str) -> str:
    """Columns that all have one value."""
    return ", ".join(f"{value} AS {name}" for name in names.split())


def _relations(facts: str, **values: str) -> str:
    """The part of `pg_class` that one function tells."""
    return f"""SELECT {values["oid"]} AS oid, {values["name"]} AS relname, schema_oid AS relnamespace,
        {_all("0", "reltype reloftype relowner relam relfilenode reltablespace relpages")},
        {values.get("rows", "0")}::FLOAT AS reltuples, {_all("0", "relallvisible reltoastrelid reltoastidxid")},
        {values.get("has_index", "false")} AS relhasindex, false AS relisshared,
        {values.get("persistence", "CASE WHEN temporary THEN 't' ELSE 'p' END")} AS relpersistence,
        '{values["kind"]}' AS relkind, {values.get("columns", "0")}::BIGINT AS relnatts,
        {values.get("checks", "0")}::BIGINT AS relchecks, false AS relhasoids, {values.get("has_key", "false")} AS relhaspkey,
        {_all("false", "relhasrules relhastriggers relhassubclass relrowsecurity")}, true AS relispopulated,
        NULL AS relreplident, false AS relispartition, {_all("0", "relrewrite relfrozenxid")},
        {_all("NULL", "relminmxid relacl reloptions relpartbound")} FROM {facts}()"""


_TABLES: Final = _relations(
    "duckdb_tables", oid="table_oid", name="table_name", kind="r", rows="estimated_size", has_index="index_count > 0",
    columns="column_count", checks="check_constraint_count", has_key="has_primary_key",
)  # fmt: skip
_VIEWS: Final = _relations("duckdb_views", oid="view_oid", name="view_name", kind="v", columns="column_count")
_SEQUENCES: Final = _relations("duckdb_sequences", oid="sequence_oid", name="sequence_name", kind="S")
_INDEXES: Final = _relations(
    "duckdb_indexes", oid="index_oid", name="index_name", kind="i", columns="NULL", persistence="'t'"
)

_DESCRIPTIONS: Final = " UNION ALL ".join(
    f"""SELECT {oid} AS objoid, database_oid::VARCHAR AS classoid, {part} AS objsubid, "comment" AS description
        FROM {facts}"""
    for facts, oid, part in (
        ("duckdb_tables() WHERE NOT internal", "table_oid", "0"),
        ("duckdb_columns() WHERE NOT internal", "table_oid", "column_index"),
        ("duckdb_views() WHERE NOT internal", "view_oid", "0"),
        ("duckdb_indexes()", "index_oid", "0"),
        ("duckdb_sequences()", "sequence_oid", "0"),
        ("duckdb_types() WHERE NOT internal", "type_oid", "0"),
        ("duckdb_functions() WHERE NOT internal", "function_oid", "0"),
    )
)

POSTGRES_VIEWS: Final = {
    "pg_am": "SELECT 0 AS oid, 'art' AS amname, NULL AS amhandler, 'i' AS amtype",
    "pg_attrdef": """SELECT column_index AS oid, table_oid AS adrelid, column_index AS adnum, column_default AS adbin
        FROM duckdb_columns() WHERE column_default IS NOT NULL""",
    "pg_attribute": f"""SELECT table_oid AS attrelid, column_name AS attname,
        coalesce({oid_of_type("data_type_id")}, data_type_id + 16384) AS atttypid, 0 AS attstattarget, NULL AS attlen,
        column_index AS attnum, 0 AS attndims, -1 AS attcacheoff,
        CASE WHEN data_type ILIKE '%decimal%' THEN numeric_precision * 1000 + numeric_scale ELSE -1 END AS atttypmod,
        false AS attbyval, {_all("NULL", "attstorage attalign")}, NOT is_nullable AS attnotnull,
        column_default IS NOT NULL AS atthasdef, false AS atthasmissing, {_all("''", "attidentity attgenerated")},
        false AS attisdropped, true AS attislocal, {_all("0", "attinhcount attcollation")},
        {_all("NULL", "attcompression attacl attoptions attfdwoptions attmissingval")} FROM duckdb_columns()""",
    "pg_class": f"{_TABLES} UNION ALL {_VIEWS} UNION ALL {_SEQUENCES} UNION ALL {_INDEXES}",
    "pg_collation": "SELECT NULL::BIGINT AS oid, NULL::VARCHAR AS collname WHERE false",
    "pg_constraint": f"""SELECT table_oid * 1000000 + constraint_index AS oid, constraint_text AS conname,
        schema_oid AS connamespace, CASE constraint_type WHEN 'CHECK' THEN 'c' WHEN 'UNIQUE' THEN 'u'
            WHEN 'PRIMARY KEY' THEN 'p' WHEN 'FOREIGN KEY' THEN 'f' ELSE 'x' END AS contype,
        {_all("false", "condeferrable condeferred")}, true AS convalidated, table_oid AS conrelid,
        {_all("0", "contypid conindid conparentid confrelid")}, {_all("NULL", "confupdtype confdeltype confmatchtype")},
        true AS conislocal, 0 AS coninhcount, false AS connoinherit, constraint_column_indexes AS conkey,
        {_all("NULL", "confkey conpfeqop conppeqop conffeqop conexclop")}, expression AS conbin FROM duckdb_constraints()""",
    "pg_database": """SELECT database_oid AS oid, database_name AS datname, true AS datallowconn, false AS datistemplate
        FROM duckdb_databases()""",
    "pg_depend": "SELECT * FROM duckdb_dependencies()",
    "pg_description": _DESCRIPTIONS,
    "pg_enum": """SELECT NULL AS oid, type_oid AS enumtypid, enumsortorder::INTEGER AS enumsortorder, enumlabel
        FROM (SELECT type_oid, unnest(labels) AS enumlabel, unnest(range(1, len(labels) + 1)) AS enumsortorder
            FROM duckdb_types() WHERE logical_type = 'ENUM' AND NOT internal)""",
    "pg_index": f"""SELECT index_oid AS indexrelid, table_oid AS indrelid, {_all("0", "indnatts indnkeyatts")},
        is_unique AS indisunique, is_primary AS indisprimary, false AS indisexclusion, true AS indimmediate,
        false AS indisclustered, true AS indisvalid, false AS indcheckxmin, {_all("true", "indisready indislive")},
        false AS indisreplident, NULL::INTEGER[] AS indkey, {_all("NULL::BIGINT[]", "indcollation indclass")},
        NULL::INTEGER[] AS indoption, expressions AS indexprs, NULL AS indpred FROM duckdb_indexes()""",
    "pg_indexes": """SELECT schema_name AS schemaname, table_name AS tablename, index_name AS indexname,
        NULL AS "tablespace", "sql" AS indexdef FROM duckdb_indexes()""",
    "pg_namespace": """SELECT oid, schema_name AS nspname, 0 AS nspowner, NULL AS nspacl
        FROM duckdb_schemas() WHERE database_name = current_database()""",
    "pg_prepared_statements": f"""SELECT "name", "statement", NULL AS prepare_time, parameter_types, result_types,
        {_all("NULL", "from_sql generic_plans custom_plans")} FROM duckdb_prepared_statements()""",
    "pg_proc": f"""SELECT f.function_oid AS oid, function_name AS proname, s.oid AS pronamespace,
        {_all("NULL", "proowner prolang")}, {_all("0", "procost prorows")}, varargs AS provariadic, 0 AS prosupport,
        CASE function_type WHEN 'aggregate' THEN 'a' ELSE 'f' END AS prokind,
        {_all("false", "prosecdef proleakproof proisstrict")}, function_type = 'table' AS proretset,
        CASE stability WHEN 'CONSISTENT' THEN 'i' WHEN 'CONSISTENT_WITHIN_QUERY' THEN 's' WHEN 'VOLATILE' THEN 'v' END
            AS provolatile,
        'u' AS proparallel, length(parameters) AS pronargs, 0 AS pronargdefaults, return_type AS prorettype,
        parameter_types AS proargtypes, {_all("NULL", "proallargtypes proargmodes")}, parameters AS proargnames,
        {_all("NULL", "proargdefaults protrftypes prosrc probin")}, macro_definition AS prosqlbody,
        {_all("NULL", "proconfig proacl")}, function_type = 'aggregate' AS proisagg
        FROM duckdb_functions() AS f LEFT JOIN duckdb_schemas() AS s USING (database_name, schema_name)""",
    "pg_sequence": """SELECT sequence_oid AS seqrelid, 0 AS seqtypid, start_value AS seqstart,
        increment_by AS seqincrement, max_value AS seqmax, min_value AS seqmin, 0 AS seqcache, "cycle" AS seqcycle
        FROM duckdb_sequences()""",
    "pg_sequences": """SELECT schema_name AS schemaname, sequence_name AS sequencename, 'duckdb' AS sequenceowner,
        0 AS data_type, start_value, min_value, max_value, increment_by, "cycle", 0 AS cache_size, last_value
        FROM duckdb_sequences()""",
    "pg_settings": """SELECT "name", "value" AS setting, description AS short_desc, CASE input_type WHEN 'VARCHAR' THEN 'string'
        WHEN 'BOOLEAN' THEN 'bool' WHEN 'BIGINT' THEN 'integer' WHEN 'UBIGINT' THEN 'integer' ELSE input_type END AS vartype
        FROM duckdb_settings()""",
    "pg_tables": """SELECT schema_name AS schemaname, table_name AS tablename, 'duckdb' AS tableowner, NULL AS "tablespace",
        index_count > 0 AS hasindexes, false AS hasrules, false AS hastriggers FROM duckdb_tables()""",
    "pg_tablespace": """SELECT 0 AS oid, 'pg_default' AS spcname, 0 AS spcowner, NULL AS spcacl, NULL AS spcoptions""",
    "pg_type": f"""SELECT CASE WHEN internal THEN {oid_of_type("type_oid")} WHEN logical_type = 'ENUM' THEN type_oid END AS oid,
        {type_name("logical_type", "type_name")} AS typname, schema_oid AS typnamespace, 0 AS typowner, type_size AS typlen,
        false AS typbyval, CASE logical_type WHEN 'ENUM' THEN 'e' ELSE 'b' END AS typtype,
        CASE type_category WHEN 'NUMERIC' THEN 'N' WHEN 'STRING' THEN 'S' WHEN 'DATETIME' THEN 'D' WHEN 'BOOLEAN' THEN 'B'
            WHEN 'COMPOSITE' THEN 'C' ELSE 'X' END AS typcategory,
        false AS typispreferred, true AS typisdefined,
        {_all("NULL", "typdelim typrelid typsubscript typelem typarray typinput typoutput typreceive typsend typmodin")},
        {_all("NULL", "typmodout typanalyze")}, 'd' AS typalign, 'p' AS typstorage,
        {_all("NULL", "typnotnull typbasetype typtypmod typndims typcollation typdefaultbin typdefault typacl")}
        FROM duckdb_types() WHERE type_oid IS NOT NULL""",
    "pg_views": """SELECT schema_name AS schemaname, view_name AS viewname, 'duckdb' AS viewowner, "sql" AS definition
        FROM duckdb_views()""",
}
"""By their names, in their order."""
