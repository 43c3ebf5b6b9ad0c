"""Window functions that are no aggregates, a file for each family; importing this package registers them all.

A new one is a function under `@window_function(name, …)`, from what it sees of the window (`Over`) to a column.
"""

from tqp.functions.windows import fill, ranks, values  # noqa: F401
from tqp.functions.windows.registry import (
    Order,
    Over,
    WindowFunction,
    bind_window,
    find_window,
    names,
    window_by_syntax,
    window_function,
)

__all__ = [
    "Order", "Over", "WindowFunction", "bind_window", "find_window", "names", "window_by_syntax", "window_function",
]  # fmt: skip
