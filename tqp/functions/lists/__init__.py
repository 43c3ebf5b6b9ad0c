"""Functions of lists. Importing this package registers all of them."""

from tqp.functions.lists import aggregating, applying, binning, making, ordering, searching, slicing, spelling  # noqa: F401
