"""Functions of VARIANT. Importing this package registers all of them."""

from tqp.functions.variants import asking, comparing, extracting  # noqa: F401
