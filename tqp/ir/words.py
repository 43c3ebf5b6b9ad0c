"""The functions that plans speak themselves: those that the binder and rules build, or look for by name.

A rule writes `Call(words.EQ, …)` and matches `case Call(function=words.EQ)`. What else must be known of a function, whether it
is NULL where an argument is, or which one is its NOT, stands where it is registered (`tqp.functions`).
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "ADD", "AND", "ANY_VALUE", "COALESCE", "COUNT", "COUNT_STAR", "EQ", "FIRST", "GT", "GTE", "HAS_VALUE", "IN",
    "IN_LIST", "IS_NULL", "LAST", "LT", "LTE", "MAX", "MIN", "MUL", "NEG", "NEQ", "NOT", "NULL_SAFE_EQ", "OR", "ROW_NUMBER",
    "SUB", "SUM",
]  # fmt: skip

AND: Final = "and"
OR: Final = "or"
NOT: Final = "not"
IS_NULL: Final = "is_null"
COALESCE: Final = "coalesce"
IN: Final = "in"
IN_LIST: Final = "in list"
"""Of a value and a constant list of many others, which are `Members`."""
EQ: Final = "eq"
NEQ: Final = "neq"
LT: Final = "lt"
LTE: Final = "lte"
GT: Final = "gt"
GTE: Final = "gte"
NULL_SAFE_EQ: Final = "nullsafeeq"
HAS_VALUE: Final = "union_with_value"
"""Of a UNION: itself, NULL where the member that it is is NULL, so that it equals nothing."""
ADD: Final = "add"
SUB: Final = "sub"
NEG: Final = "neg"
MUL: Final = "mul"
SUM: Final = "sum"
MIN: Final = "min"
MAX: Final = "max"
FIRST: Final = "first"
LAST: Final = "last"
COUNT: Final = "count"
COUNT_STAR: Final = "count_star"
ANY_VALUE: Final = "any_value"
ROW_NUMBER: Final = "row_number"
