"""Functions of the user's own: of tensors, of Arrow arrays, of Python values, and those that make tables, made for a connection.

What is made is a `Function` or an `AggregateFunction` as the built-in ones are, so that binder, rules and operators know no
difference; plans hold it under an `OwnName`. A table function is called when a query is bound.
"""

from tqp.own.aggregates import own_aggregate
from tqp.own.registered import Own, OwnFunctions, OwnTable
from tqp.own.scalars import own_function, require_callable
from tqp.own.tables import own_table_function

__all__ = ["Own", "OwnFunctions", "OwnTable", "own_aggregate", "own_function", "own_table_function", "require_callable"]
