"""Casts to VARIANT and from it."""

from __future__ import annotations

from collections.abc import Callable

from tqp.data.column import Column
from tqp.functions.casts.variant_making import variant_of
from tqp.functions.casts.variant_reading import read
from tqp.types import VARIANT, DType

__all__ = ["cast_variant"]


def cast_variant(column: Column, to: DType, safe: bool, cast: Callable[[Column, DType, bool], Column]) -> Column:
    """Any type to VARIANT, or VARIANT to any; ExecutionError for a value that does not fit, or NULL if `safe`."""
    return variant_of(column, cast) if to == VARIANT else read(column, to, safe, cast)
