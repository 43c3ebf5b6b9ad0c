"""SQL text to plans. sqlglot parses; what names mean and which types things have is decided here."""

from __future__ import annotations

from tqp.sql.bind import BoundQuery, Lookup, Models, Parameters, bind

__all__ = ["BoundQuery", "Lookup", "Models", "Parameters", "bind"]
