"""DuckDB's grammar of queries: what it refuses and sqlglot, which reads many dialects at once, lets pass.

A recognizer by recursive descent over the words, without a tree. It knows the constructs that tqp runs in full; where a query
has another one (a STRUCT, MATCH_RECOGNIZE, …), it gives up silently, as the binder refuses that anyway. On its way it notes which
operands sqlglot would cut otherwise: to DuckDB `||` and `<->` bind weaker than `&` and `+`.
"""

from tqp.sql.grammar.pivots import with_queries
from tqp.sql.grammar.queries import Reading, read_expression, read_query

__all__ = ["Reading", "read_expression", "read_query", "with_queries"]
