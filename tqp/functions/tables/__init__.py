"""Table functions: what may stand in FROM and gives rows for its arguments."""

from tqp.functions.tables import json, lists, repeats, series
from tqp.functions.tables.registry import (
    Asked,
    Generated,
    TableFunction,
    TableSignature,
    find_table_function,
    table_functions,
)

__all__ = ["Asked", "Generated", "TableFunction", "TableSignature", "find_table_function", "table_functions"]

# Imported so that they register their functions.
assert all(module.__name__ for module in (json, lists, repeats, series))
