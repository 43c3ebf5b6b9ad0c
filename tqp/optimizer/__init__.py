"""Plan -> Plan: the same relation, cheaper to run, without subqueries."""

from __future__ import annotations

from tqp.optimizer.driver import RULES, optimize

__all__ = ["RULES", "optimize"]
