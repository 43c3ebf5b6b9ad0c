"""What a filter on a stored table is expected to keep, for runs to say what it does keep."""

from __future__ import annotations

from tqp.ir.conditions import conjunction
from tqp.ir.expr import Expr
from tqp.ir.plan import Scan
from tqp.limits import Limits
from tqp.operators.filter import Expected, FilterStage, in_order
from tqp.optimizer.cardinality import Estimator
from tqp.optimizer.conditions import condition_of

__all__ = ["filter_of"]


def filter_of(scan: Scan, conditions: tuple[Expr, ...], limits: Limits) -> FilterStage:
    """The stage of conditions on a scan, all of whose rows pass it."""
    expected = None
    if limits.measured_rows is not None and scan.source.rows >= limits.measured_rows:
        condition = condition_of(scan, conditions)
        if condition is not None:
            share = Estimator().selectivity(scan, conjunction(conditions))
            expected = Expected(scan.source, condition, share)
    return FilterStage(in_order(conditions), expected)
