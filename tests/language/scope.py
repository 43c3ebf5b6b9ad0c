"""Which of DuckDB's functions the page counts, and to which family each belongs. All by rules, none by a list of what is there."""

from __future__ import annotations

import re

__all__ = ["FAMILIES", "LEFT_OUT", "family_of", "reason_to_leave_out"]

LEFT_OUT: tuple[tuple[str, str], ...] = (
    (r"\W", "operators, which stand among the clauses"),
    (r"^__", "what DuckDB calls itself (`__…`)"),
    (r"^(icu_)?collate_|^icu_sort_key$", "collations"),
    (r"^st_|^vertex_extract$", "geometry"),
    (r"^variant_(bytes_)?to_|^json_to_variant$|_to_variant$", "forms of VARIANT in files"),
    (r"^(pg_(?!typeof|size_pretty)|has_.*privilege$|inet_|.*_description$|format_type$|format_pg_type$|map_to_pg_oid$)",
     "PostgreSQL's catalogue"),
    (r"^(current_setting|getvariable|set_config)$", "settings and variables"),
    (r"^(hive_partition_component|in_search_path|get_block_size|index_key|read_\w*log|path_join_internal)$", "storage and files"),
    (r"^(combine|combine_aggr|finalize|to_aggregate_state|sum_no_overflow|count_star)$",
     "states of aggregates, and what the optimizer makes of others"),
    (r"^(create_sort_key|stats|vector_type|remap_struct|make_type|get_type|cast_to_type|switch|"
     r"json_copy_strftime.*|array_to_string_comma_default|unpivot_list|.*_byte_comparable)$",
     "parts of DuckDB's own plans and tests"),
    (r"^(write_log|parse_duckdb_log_message|sleep_ms|current_(connection|query|transaction)_id|txid_current)$",
     "logs, and states of a session"),
    (r"^(nextval|currval|setval)$", "sequences, which statements make"),
    (r"^json_(de)?serialize_|^json_execute", "plans and queries as JSON"),
)  # fmt: skip
"""Names that do not count, and what they are."""

FAMILIES: tuple[tuple[str, str], ...] = (
    (r"^json|_json$|^(from|to)_json|_to_json$", "JSON"),
    (r"^variant_", "VARIANT"),
    (r"^map(_|$)|^(cardinality|element_at)$", "maps"),
    (r"^(struct|union)_|^row$", "structs and unions"),
    (r"^(array|list)_|^(len|range|generate_series|generate_subscripts|flatten|filter|apply|reduce|aggregate|grade_up)$", "lists and arrays"),
    (r"^(reg)?exp?_.*(match|replace|extract|escape|split)|regex|like_escape$", "patterns"),
    (r"^enum_", "enumerations"),
    (r"^(md5|md5_number|sha\d+|length|char_length|character_length|contains|repeat)$", "text"),
    (r"^(pi|random)$", "numbers"),
    (r"uuid", "UUIDs"),
    (r"^(en|de)code$|base64|binary$|hex$|bin$|^octet_length$", "bytes"),
    (r"bit|^xor$", "bits"),
    (r"^current_(?!date|time|localtime)|^(version|user|session_user|typeof|pg_typeof|alias|can_cast_implicitly)$", "sessions and types"),
    (r"^(coalesce|nullif|if|ifnull|constant_or_null|error|assert_true|greatest|least|hash)$", "conditions"),
    (r"date|time|^(age|ago|now|today|julian|era|epoch|century|decade|millenn|year|quarter|month|week|day|hour|minute|second|milli|micro|nano|"
     r"isodow|isoyear|last_day|to_(year|month|week|day|hour|minute|second|milli|micro|centur|decade|millenn|quarter)|normalized_interval|"
     r"days_in_month|transaction)|^(to_microseconds|strftime|strptime|isfinite|dayname)$", "dates and times"),
)  # fmt: skip
"""The first rule that a name meets gives its family; the others are text or numbers, by their types."""


def reason_to_leave_out(name: str, schema: str = "main") -> str | None:
    """What a function is that the page does not count; None for the others."""
    if schema == "pg_catalog" and name not in ("pg_typeof", "pg_size_pretty"):
        return "PostgreSQL's catalogue"
    return next((reason for pattern, reason in LEFT_OUT if re.search(pattern, name)), None)


def family_of(name: str, types: list[str]) -> str:
    """The family of a scalar function, by its name, else by the types of its arguments."""
    found = next((family for pattern, family in FAMILIES if re.search(pattern, name)), None)
    if found is not None:
        return found
    return "text" if "VARCHAR" in types[:1] or not types or name in _TEXT else "numbers"


_TEXT = frozenset({"bar", "chr", "concat", "concat_ws", "format_bytes", "to_base", "md5_number_lower", "md5_number_upper",
                   "split_part", "pg_size_pretty", "formatReadableSize", "formatReadableDecimalSize"})  # fmt: skip
