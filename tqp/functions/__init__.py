"""SQL functions. Importing this package registers all families."""

from tqp.functions import (  # noqa: F401
    aggregates,
    arithmetic,
    arrays,
    bits,
    comparison,
    conditional,
    differences,
    formats,
    logic,
    membership,
    numeric,
    patterns,
    periods,
    regexp,
    rounding,
    string,
    temporal,
)
