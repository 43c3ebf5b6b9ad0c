"""Plan -> Plan: the same relation, cheaper to run, without subqueries."""

from __future__ import annotations

from tqp.optimizer.driver import EXCERPTS, NEEDED, RULES, fired, optimize

__all__ = ["EXCERPTS", "NEEDED", "RULES", "fired", "optimize"]
