"""What settings of DuckDB's names say of texts: what divisions by zero and functions of floats are."""

from __future__ import annotations

from tqp.config import Semantics
from tqp.functions.domains import within
from tqp.ir.plan import Plan
from tqp.ir.rewriting import rewrite_all

__all__ = ["with_semantics"]


def with_semantics(plan: Plan, semantics: Semantics) -> Plan:
    """The plan with divisions and functions of floats as the settings say; the same one where they say what IEEE 754 does."""
    if semantics.ieee_floating_point_ops and semantics.error_on_division_by_zero:
        return plan
    return rewrite_all(plan, lambda node: None, lambda expr: within(expr, semantics))
