"""Statements beside queries: what defines tables, views and macros, fills, describes and copies them.

A kind of statement is one file: a function under `@statement(its first words)` reads the words and gives what runs. Nothing of a
text is ignored, as the words that nobody reads are an error. Tables are immutable versions: a statement puts the next version of
one table in the place of the last, all at once, or leaves everything as it was.
"""

from __future__ import annotations

from tqp.statements import (
    alter,
    call,
    comment,
    copying,
    create_macro,
    create_schema,
    create_table,
    create_type,
    create_view,
    delete,
    describe,
    drop,
    explain,
    indexes,
    insert,
    leading_with,
    merge,
    needless,
    pragma,
    prepare,
    refused,
    sequences,
    settings,
    summarize,
    transactions,
    truncate,
    update,
    variables,
)
from tqp.statements.caller import Caller
from tqp.statements.head import blank
from tqp.statements.script import Ran, each_statement, holds_statements, is_ended, is_open, run_script, with_read_signs

__all__ = [
    "Caller",
    "Ran",
    "blank",
    "each_statement",
    "holds_statements",
    "is_ended",
    "is_open",
    "run_script",
    "with_read_signs",
]

# Imported so that they register what their words mean.
assert all(
    module.__name__
    for module in (
        alter, call, comment, copying, create_macro, create_schema, create_table, create_type, create_view, delete, describe,
        drop, explain, indexes, insert, leading_with, merge, needless, pragma, prepare, refused, sequences, settings, summarize,
        transactions, truncate, update, variables,
    )
)  # fmt: skip
