"""Answers beside DuckDB's: DuckDB as the oracle, the comparator, and the report of `verify()`."""

from tqp.verify.report import Report, verify

__all__ = ["Report", "verify"]
