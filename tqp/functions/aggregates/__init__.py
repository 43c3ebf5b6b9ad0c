"""Aggregate functions, a file for each family; importing this package registers them all.

A new one is a class under `@aggregate(name, types=…)` in the file of its family: how rows are added to the states of groups
(`update`), states put together (`merge`, `pick`), results made (`finish`), what it is over the frames of a window, and all
that the binder and the optimizer may know of it (`AggregateFunction`). Nothing elsewhere lists aggregates by name.
"""

from tqp.functions.aggregates import (  # noqa: F401
    bignums,
    bits,
    bitstrings,
    comoments,
    compensated,
    counts,
    estimated_quantiles,
    extremes,
    frequencies,
    histograms,
    intervals,
    json,
    lists,
    moments,
    offset_times,
    picks,
    products,
    quantiles,
    sampling,
    shapes,
    sketches,
    sums,
    texts,
    variants,
)
from tqp.functions.aggregates.accumulator import Accumulator
from tqp.functions.aggregates.registry import (
    AggregateFunction,
    FrameForm,
    Totals,
    aggregate_of,
    bind_aggregate,
    find_aggregate,
    find_by_syntax,
    names,
)

__all__ = [
    "Accumulator", "AggregateFunction", "FrameForm", "Totals", "aggregate_of", "bind_aggregate", "find_aggregate",
    "find_by_syntax", "names",
]  # fmt: skip
