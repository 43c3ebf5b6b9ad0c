"""How queries run: the settings of a connection."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from tqp.errors import BindError

__all__ = ["DefaultOrder", "Semantics", "Settings", "cores", "memory_bytes"]

_UNITS: Final = {
    "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30,
    "TIB": 2**40,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DefaultOrder:
    """The order that is meant where ORDER BY or a function that sorts does not say it.

    `nulls` says where NULLs come, by the words of the setting `default_null_order`. `collation` is that of text that has none.
    """

    descending: bool = False
    nulls: str = "NULLS_LAST"
    collation: str = ""

    def nulls_first(self, descending: bool) -> bool:
        """Whether NULLs come first in an order that descends or does not."""
        return self.nulls == "NULLS_FIRST" or f"FIRST_ON_{'DESC' if descending else 'ASC'}" in self.nulls


@dataclass(frozen=True, slots=True)
class Semantics:
    """What texts mean where settings of DuckDB's names say it.

    With `integer_division` `/` is read as `//`. Without `ieee_floating_point_ops` what floats have no number for is an error, as
    `ln(0)`, and so is `x / 0`. Without `error_on_division_by_zero` a division that would be an error by its zero is NULL. Without
    `scalar_subquery_error_on_multiple_rows` a subquery in the place of a value is that of its first row. `x -> x + 1` is a lambda
    where `lambda_syntax` is ENABLE_SINGLE_ARROW. `show_behavior` says whether `SHOW x` is about a TABLE, a SETTING, or, with AUTO,
    a setting where there is no table x.
    """

    integer_division: bool = False
    ieee_floating_point_ops: bool = True
    error_on_division_by_zero: bool = True
    scalar_subquery_error_on_multiple_rows: bool = True
    lambda_syntax: str = "DEFAULT"
    show_behavior: str = "AUTO"

    @property
    def has_arrow_lambdas(self) -> bool:
        return self.lambda_syntax.upper() == "ENABLE_SINGLE_ARROW"


@dataclass(frozen=True, slots=True)
class Settings:
    """Where and how a program runs.

    `device` is what `torch.device` reads ("cpu", "cuda", "cuda:1"). `threads` workers take batches of up to `batch_rows` rows,
    None for as many as suit the device. `backend` names how stages run ("eager", …). `memory_limit` is in bytes, None for no
    limit but the machine's. `disabled_rules` names rules of `tqp.optimizer.RULES` that queries go without. `time_zone` is the
    name of the zone that a TIMESTAMP WITH TIME ZONE is shown and taken apart in.

    With `lock_configuration` no statement changes a setting. `preserve_insertion_order` is what scripts set: rows keep their order
    either way. `order` is what is meant where a query does not say in which direction it sorts, and where NULLs come;
    `semantics` what texts mean otherwise.

    `idle` are values of settings that nothing heeds (`tqp/session/idle.py`), by name, where they were set.

    With `progress` runs that take longer than `progress_after` seconds tell `progress_to` how far they are (`tqp.bars`).
    """

    device: str = "cpu"
    threads: int = 1
    backend: str = "eager"
    memory_limit: int | None = None
    batch_rows: int | None = None
    disabled_rules: frozenset[str] = frozenset()
    time_zone: str = "UTC"
    progress: bool = False
    progress_after: float = 1.0
    lock_configuration: bool = False
    preserve_insertion_order: bool = True
    order: DefaultOrder = DefaultOrder()
    semantics: Semantics = Semantics()
    idle: frozenset[tuple[str, object]] = frozenset()
    progress_to: Callable[[Any], None] | None = field(default=None, compare=False)


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory_bytes(limit: int | str | None) -> int | None:
    """Bytes of a limit such as 4_000_000_000 or "4GB"; BindError where it is no positive size."""
    if limit is None:
        return None
    text = str(limit).replace(" ", "").upper()
    number = text.rstrip("KMGTIB")
    try:
        size = int(float(number) * _UNITS[text[len(number) :] or "B"])
    except (ValueError, KeyError, OverflowError):
        size = 0
    if size <= 0:
        raise BindError(f"memory_limit={limit!r} is not a size", hint='use bytes or text such as "4GB"')
    return size
