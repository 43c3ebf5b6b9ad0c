"""Functions of JSON. Importing this package registers all of them."""

from tqp.functions.json import asking, changing, finding, making, structure, transforming  # noqa: F401
