"""DuckDB's settings that nothing in tqp heeds, as they change no answer: how it chooses, stores, caches and checks.

Scripts set them. Their values are checked as DuckDB does, and kept for `current_setting` and `duckdb_settings()`. What would
change an answer, a file, what is printed or what a query may use is not among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from tqp.config import memory_bytes
from tqp.errors import BindError
from tqp.types import BIGINT, BOOLEAN, DOUBLE, UBIGINT, VARCHAR, DType

__all__ = ["GLOBAL", "IDLE", "OPTIMIZERS", "Idle", "flag", "one_of", "size_shown", "whole"]


@dataclass(frozen=True, slots=True)
class Idle:
    """`first` is the value at first; `read` gives that of what was written, raises BindError where it is none."""

    dtype: DType
    first: object
    read: Callable[[str, object], object]


def flag(name: str, value: object) -> bool:
    """A truth value as SET takes it: a number, true or false, or a word for these."""
    word = str(value).lower()
    if isinstance(value, bool) or word in _TRUE or word in _FALSE:
        return word in _TRUE
    if isinstance(value, int):
        return value != 0
    raise BindError(f"{name}={value!r} is neither true nor false")


_TRUE: Final = frozenset({"true", "t", "yes", "y", "1"})
_FALSE: Final = frozenset({"false", "f", "no", "n", "0"})


def whole(name: str, value: object) -> int:
    try:
        return int(str(value))
    except ValueError:
        raise BindError(f"{name}={value!r} is no whole number") from None


def size_shown(limit: int | None) -> str | None:
    """A number of bytes as DuckDB shows it."""
    if limit is None:
        return None
    unit, size = "bytes", 1
    for larger in ("KiB", "MiB", "GiB", "TiB", "PiB"):
        if limit < 1024 * size:
            break
        unit, size = larger, 1024 * size
    tenths = limit * 10 // size
    return f"{limit} bytes" if size == 1 else f"{tenths // 10}.{tenths % 10} {unit}"


def _within(least: float, most: float) -> Callable[[str, object], object]:
    def read(name: str, value: object) -> int:
        number = whole(name, value)
        if not least <= number <= most:
            raise BindError(f"{name}={value!r} is not between {int(least)} and {int(most)}")
        return number

    return read


def _share(name: str, value: object) -> float:
    try:
        found = float(str(value))
    except ValueError:
        found = -1.0
    if not 0 <= found <= 1:
        raise BindError(f"{name}={value!r} is no number between 0 and 1")
    return found


def _size(name: str, value: object) -> str | None:
    if str(value).lower() == "none":
        return size_shown(2**64 - 1)
    try:
        if not str(value).upper().endswith("B"):
            raise BindError("a size has a unit")
        return size_shown(memory_bytes(str(value)))
    except BindError:
        raise BindError(f"{name}={value!r} is not a size", hint='use text such as "4GB"') from None


def _text(name: str, value: object) -> str:
    return str(value)


def one_of(words: Iterable[str]) -> Callable[[str, object], object]:
    """What reads a word in any case as it is written; BindError for others."""
    known = frozenset(words)

    def read(name: str, value: object) -> str:
        if str(value).upper() not in known:
            raise BindError(f"there is no {name} {value!r}", hint=f"choose {', '.join(sorted(known))}")
        return str(value)

    return read


def _version(name: str, value: object) -> str:
    release = str(value)
    if release not in _RELEASES:
        raise BindError(f"{name}={value!r} is no version of DuckDB", hint="such as 'v1.0.0', or 'latest'")
    return release


_RELEASES: Final = frozenset(
    """
    v0.0.4 v0.1.0 v0.1.1 v0.1.2 v0.1.3 v0.1.4 v0.1.5 v0.1.6 v0.1.7 v0.1.8 v0.1.9 v0.2.0 v0.2.1 v0.2.2 v0.2.3 v0.2.4 v0.2.5
    v0.2.6 v0.2.7 v0.2.8 v0.2.9 v0.3.0 v0.3.1 v0.3.2 v0.3.3 v0.3.4 v0.3.5 v0.4.0 v0.5.0 v0.5.1 v0.6.0 v0.6.1 v0.7.0 v0.7.1
    v0.8.0 v0.8.1 v0.9.0 v0.9.1 v0.9.2 v0.10.0 v0.10.1 v0.10.2 v0.10.3 v1.0.0 v1.1.0 v1.1.1 v1.1.2 v1.1.3 v1.2.0 v1.2.1
    v1.2.2 v1.3.0 v1.3.1 v1.3.2 v1.4.0 v1.4.1 v1.4.2 v1.4.3 v1.4.4 v1.4.5 v1.5.0 v1.5.1 v1.5.2 v1.5.3 v1.5.4 v1.5.5 v1.5.6
    v2.0.0 v2.0.1 latest""".split()
)


def _flags(names: str, first: bool) -> dict[str, Idle]:
    return {name: Idle(BOOLEAN, first, flag) for name in names.split()}


def _counts(**firsts: int) -> dict[str, Idle]:
    return {name: Idle(UBIGINT, first, _within(0, 2**64 - 1)) for name, first in firsts.items()}


def _numbers(**firsts: int) -> dict[str, Idle]:
    return {name: Idle(BIGINT, first, _within(-1, 2**63 - 1)) for name, first in firsts.items()}


def _sizes(**firsts: str) -> dict[str, Idle]:
    return {name: Idle(VARCHAR, first, _size) for name, first in firsts.items()}


def _texts(**firsts: str) -> dict[str, Idle]:
    return {name: Idle(VARCHAR, first, _text) for name, first in firsts.items()}


def _choices(first: str, **words: str) -> dict[str, Idle]:
    return {name: Idle(VARCHAR, first, one_of(known.split())) for name, known in words.items()}


IDLE: Final[Mapping[str, Idle]] = {
    # Which algorithms a query takes, and from how many rows on.
    **_counts(
        approximate_join_order_threshold=12, asof_loop_join_threshold=64, dynamic_or_filter_threshold=50,
        index_scan_max_count=2048, late_materialization_max_rows=50, merge_join_threshold=1000, nested_loop_join_threshold=5,
        pivot_filter_threshold=20,
    ),
    "ordered_aggregate_threshold": Idle(UBIGINT, 262144, _within(1, 2**64 - 1)),
    "index_scan_percentage": Idle(DOUBLE, 0.001, _share),
    "perfect_ht_threshold": Idle(UBIGINT, 12, _within(0, 32)),
    **_flags("prefer_range_joins enable_fsst_vectors scheduler_process_partial", False),
    **_flags("enable_optimizer", True),
    # Memory and threads beside those of `memory_limit` and `threads`; files that would hold what memory does not.
    **_flags("allocator_background_threads temp_file_encryption", False),
    "async_threads": Idle(BIGINT, 8, _within(0, 2**63 - 1)),
    **_counts(
        partitioned_write_flush_threshold=524288, partitioned_write_max_open_files=100,
        write_buffer_row_group_count=5,
    ),
    **_choices("auto", pin_threads="AUTO ON OFF"),
    **_sizes(
        allocator_bulk_deallocation_flush_threshold="512.0 MiB", max_temp_directory_size="90% of available disk space"
    ),
    **_texts(temp_directory=".tmp"),
    # How a database lies on disk.
    **_flags("immediate_transaction_mode", False),
    **_flags("enable_optimistic_write", True),
    **_counts(
        auto_checkpoint_skip_wal_threshold=100000, max_vacuum_tasks=100, wal_autocheckpoint_entries=0, zstd_min_string_length=4096,
    ),
    **_numbers(geometry_minimum_shredding_size=30000, variant_minimum_shredding_size=30000),
    **_sizes(checkpoint_threshold="16.0 MiB", wal_autocheckpoint="16.0 MiB"),
    "storage_compatibility_version": Idle(VARCHAR, "latest", _version),
    **_choices("DEFAULT", checkpoint_on_detach="DEFAULT ENABLED DISABLED"),
    **_choices("STANDARD", fsync_mode="STANDARD NONE FULL"),
    **_choices("REMOTE_ONLY", storage_block_prefetch="REMOTE_ONLY NEVER ALWAYS_PREFETCH DEBUG_FORCE_ALWAYS"),
    # How files are read ahead and kept.
    **_flags("cache_local_files disable_parquet_prefetching enable_http_metadata_cache enable_object_cache", False),
    **_flags("external_file_cache_spill parquet_metadata_cache prefetch_all_parquet_files", False),
    **_flags("enable_external_file_cache parquet_use_page_index", True),
    **_numbers(read_ahead_depth=-1),
    **_choices("AUTO", external_file_cache_request_sizing="AUTO GRID EXACT"),
    # Extensions, which tqp does not take.
    **_flags("autoinstall_known_extensions autoload_known_extensions", True),
    **_texts(autoinstall_extension_repository="", custom_extension_repository=""),
    # What DuckDB's own tests turn on.
    **_flags(
        "debug_asof_iejoin debug_disable_optimizer debug_force_external debug_force_fetch_row debug_force_no_cross_product "
        "debug_force_update_to_del_and_insert debug_skip_checkpoint_on_commit debug_verification_projection "
        "debug_verify_aggregate_state_export debug_verify_blocks debug_verify_column_bindings "
        "debug_verify_serializer debug_verify_stats",
        False,
    ),
    **_flags("debug_enable_caching_operators", True),
    **_counts(
        debug_checkpoint_scan_sleep_ms=0, debug_checkpoint_sleep_ms=0, debug_eviction_queue_sleep_micro_seconds=0,
        debug_local_file_system_delay_ms=0,
    ),
    **_choices(
        "NONE",
        debug_checkpoint_abort="NONE BEFORE_TRUNCATE BEFORE_HEADER AFTER_FREE_LIST_WRITE BEFORE_WAL_FINISH BEFORE_MOVING_RECOVERY "
        "BEFORE_DELETING_CHECKPOINT_WAL BEFORE_HEADER_NON_FATAL IN_MEMORY_CHECKPOINT BEFORE_WAL_FLUSH",
        debug_verify_statement="NONE COPY_STATEMENT REPARSE_STATEMENT SERIALIZE_STATEMENT PREPARED_STATEMENT EXPLAIN_STATEMENT "
        "EXPLAIN_SQL EXPLAIN_SQL_STRICT",
        debug_verify_vector="NONE DICTIONARY_EXPRESSION DICTIONARY_OPERATOR CONSTANT_OPERATOR SEQUENCE_OPERATOR NESTED_SHUFFLE "
        "VARIANT_VECTOR SHREDDED_VECTOR",
    ),
    **_choices(
        "DEFAULT",
        debug_physical_table_scan_execution_strategy="DEFAULT TASK_EXECUTOR SYNCHRONOUS TASK_EXECUTOR_BUT_FORCE_SYNC_CHECKS",
    ),
    **_choices("AUTO", debug_force_bitpacking_mode="AUTO CONSTANT CONSTANT_DELTA DELTA_FOR FOR"),
    **_choices("none", debug_order_verification="NONE CREATE_SORT_KEY VARIANT"),
    **_choices("WINDOW", debug_window_mode="WINDOW COMBINE SEPARATE"),
}  # fmt: skip
"""By name, in lower case."""

OPTIMIZERS: Final = frozenset(
    """
    aggregate_function_rewriter aggregate_reuse build_side_probe_side column_lifetime common_aggregate common_subexpressions
    common_subplan compressed_materialization cte_filter_pusher cte_inlining deliminator distinct_aggregate_rewrite duplicate_groups
    empty_result_pullup expression_rewriter extension filter_pullup filter_pushdown grouping_sets in_clause join_elimination
    join_filter_pushdown join_order late_materialization limit_pushdown materialized_cte outer_join_simplification
    partial_aggregate_pushdown partitioned_execution projection_placement projection_pullup redundant_order_keys regex_range
    remote_pushdown reorder_filter row_group_pruner sampling_pushdown scalar_fn_pushdown self_join_aggregate statistics_propagation
    top_n top_n_window_elimination type_pushdown unnest_rewriter unused_columns window_rewriter window_self_join""".split()
)
"""DuckDB's optimizers, which `disabled_optimizers` names; those that no rule of tqp is called alike have nothing to turn off."""

GLOBAL: Final = frozenset(
    """
    allocator_bulk_deallocation_flush_threshold async_threads autoinstall_extension_repository autoinstall_known_extensions
    autoload_known_extensions cache_local_files checkpoint_threshold custom_extension_repository
    debug_eviction_queue_sleep_micro_seconds debug_force_bitpacking_mode debug_local_file_system_delay_ms
    debug_order_verification enable_external_file_cache enable_fsst_vectors external_file_cache_request_sizing
    external_file_cache_spill fsync_mode geometry_minimum_shredding_size max_temp_directory_size max_vacuum_tasks pin_threads
    scheduler_process_partial storage_block_prefetch storage_compatibility_version temp_directory temp_file_encryption
    variant_minimum_shredding_size wal_autocheckpoint zstd_min_string_length""".split()
)
"""Those that SET SESSION does not take."""
