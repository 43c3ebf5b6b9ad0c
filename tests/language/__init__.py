"""What of DuckDB's language tqp knows, found by trying: `docs/sql.md` is made here.

`python -m tests.language` writes the page, by calls that DuckDB answered and their answers (`answers.json`), which
`python -m tests.language --record` asks DuckDB for. Clauses and statements are those of `forms.sql`.
"""
