"""Random queries over random tables, on tqp and on DuckDB."""
