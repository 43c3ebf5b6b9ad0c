"""TPC-H: its 22 queries, its data, and a runner that checks every cell against DuckDB; see `python -m tpch --help`."""
