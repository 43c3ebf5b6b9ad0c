"""EXPLAIN: the plan of a query, or of the query that a statement holds, and with ANALYZE what a run of a query did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeGuard

import pyarrow as pa

from tqp.errors import BindError, UnsupportedError
from tqp.relation import Relation
from tqp.statements.caller import Caller
from tqp.statements.head import Head
from tqp.statements.registry import Asks, reader_of, statement

__all__: list[str] = []

Format = Literal["text", "json", "graphviz", "mermaid", "html"]

_FORMATS: Final = ("text", "json", "graphviz", "mermaid", "html")
_OTHERS: Final = frozenset({"query_tree", "query_tree_optimizer", "no_output", "yaml", "compact"})
"""Formats that DuckDB has beside these."""


@dataclass(frozen=True, slots=True)
class _Explain:
    asked: str | Asks
    """A query, or a statement that holds one."""
    analyze: bool
    format: Format
    changes: ClassVar = False

    def run(self, caller: Caller) -> Relation:
        asked = caller.query(self.asked) if isinstance(self.asked, str) else self.asked.asked(caller)
        key = "analyzed_plan" if self.analyze else "physical_plan"
        shown = asked.explain(self.analyze, self.format)
        return caller.rows(pa.table({"explain_key": [key], "explain_value": [shown]}))


@statement("EXPLAIN")
def _read(head: Head) -> _Explain:
    analyze = head.take("ANALYZE")
    format: Format = "text"
    # What stands in parentheses may be a query, too.
    if head.word == "(" and head.following in ("FORMAT", "ANALYZE", "ANALYSE", "VERBOSE", "COSTS"):
        start, options = head.place, _read_options(head)
        analyze = analyze or "analyze" in options
        format = _format(head, start, options["format"], analyze) if "format" in options else "text"
    head.first = head.place
    reader = reader_of(head)
    found = None if reader is None else reader(head)
    if found is None:
        head.place = head.first
        return _Explain(head.query(), analyze, format)
    what = f"EXPLAIN {'ANALYZE ' if analyze else ''}of {head.words[head.first]}"
    if not isinstance(found, Asks):
        raise UnsupportedError(f"{what} is not supported", hint="EXPLAIN a query", text=head.text)
    if analyze:
        raise UnsupportedError(
            f"{what} is not supported", hint="EXPLAIN shows its plan; ANALYZE the query in it", text=head.text
        )
    return _Explain(found, analyze, format)


def _read_options(head: Head) -> dict[str, str]:
    """`(FORMAT name, ANALYZE)`, which is passed: the options with their values, "" for none."""
    options: dict[str, str] = {}
    head.need("(")
    while not options or head.take(","):
        where, name = head.at(head.place), head.raw().lower()
        if name == "analyse":
            name = "analyze"
        if name not in ("format", "analyze"):
            hint = "there are FORMAT and ANALYZE"
            raise UnsupportedError(f"EXPLAIN has no option {name}", hint=hint, location=where, text=head.text)
        if name in options:
            raise BindError(f"EXPLAIN has {name.upper()} twice", location=where, text=head.text)
        options[name] = "" if head.word in (",", ")") else head.raw().lower()
    head.need(")")
    return options


def _format(head: Head, start: int, name: str, analyze: bool) -> Format:
    """The format of that name, if there is such a one of a plan, or with `analyze` of what a run did.

    It is said in the words from number `start` to here.
    """
    known = ("text", "json", "html") if analyze else _FORMATS[:-1]
    name = "text" if name == "default" else name
    if _is_format(name) and name in known:
        return name
    hint = f"there are {', '.join(known)}"
    where = head.at(head.words.index("FORMAT", start) + bool(name))
    if _is_format(name) or name in _OTHERS:
        if name == "html":
            hint += "; html shows a run: EXPLAIN (ANALYZE, FORMAT html)"
        what = f"{'EXPLAIN ANALYZE' if analyze else 'EXPLAIN'} with FORMAT {name} is not supported"
        raise UnsupportedError(what, hint=hint, location=where, text=head.text)
    what = f"there is no FORMAT {name}" if name else "FORMAT has no name"
    raise BindError(what, hint=hint, location=where, text=head.text)


def _is_format(name: str) -> TypeGuard[Format]:
    return name in _FORMATS
