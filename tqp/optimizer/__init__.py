"""Plan -> Plan: the same relation, cheaper to run, without subqueries."""

from __future__ import annotations

from tqp.optimizer.driver import RULES, fired, optimize

__all__ = ["RULES", "fired", "optimize"]
