"""Plan -> Plan: the same relation, cheaper to run, without subqueries."""

from __future__ import annotations

from tqp.optimizer.driver import optimize

__all__ = ["optimize"]
