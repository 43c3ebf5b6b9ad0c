"""The forms of calls that errors show are DuckDB's."""

from __future__ import annotations

import duckdb

from tqp.functions.forms import _forms, call_forms


def test_forms_have_the_arguments_of_duckdbs() -> None:
    theirs: dict[str, set[int]] = {}
    rows = duckdb.sql("SELECT function_name, len(parameters) FROM duckdb_functions() WHERE function_type <> 'table'")
    for name, count in rows.fetchall():
        theirs.setdefault(name.lower(), set()).add(count)
    assert len(_forms()) > 500
    for name, forms in _forms().items():
        counts = {len(form.split(",")) if form else 0 for form in forms if "…" not in form}
        assert counts <= theirs[name], name


def test_a_form_is_a_call() -> None:
    assert call_forms("round") == "round(x) or round(x, precision)"
    assert call_forms("pi") == "pi()" and call_forms("nothing_of_that_name") is None
