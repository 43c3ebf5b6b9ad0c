"""Parts of a query that callers put together in Python, as text of SQL."""
