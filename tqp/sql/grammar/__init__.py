"""DuckDB's grammar of queries: what it refuses and sqlglot, which reads many dialects at once, lets pass.

A recognizer by recursive descent over the words, without a tree. It knows the constructs that tqp runs in full; where a query
has another one (a STRUCT, PIVOT, …), it gives up silently, as the binder refuses that anyway.
"""

from tqp.sql.grammar.queries import wrong_word

__all__ = ["wrong_word"]
