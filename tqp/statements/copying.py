"""What COPY … TO and COPY … FROM have in common: a table or query, a file, and options."""

from __future__ import annotations

from typing import Final

from tqp.catalog.definitions import Path
from tqp.errors import ParseError
from tqp.keywords import quoted_name
from tqp.statements.copy_from import CopyFrom
from tqp.statements.copy_to import FORMATS, CopyTo
from tqp.statements.file_names import FileName
from tqp.statements.head import QUERY_STARTS, Head
from tqp.statements.options import Braces, Options
from tqp.statements.registry import statement

__all__: list[str] = []


@statement("COPY")
def _read(head: Head) -> CopyTo | CopyFrom:
    path: Path | None = None
    columns: tuple[str, ...] | None = None
    if head.word == "(":
        query = head.in_parentheses()
    else:
        start = head.place
        path = head.path()
        query = head.all_of(start)
        if head.word == "(":
            columns = head.identifiers()
    if path is not None and head.take("FROM"):
        return CopyFrom(path, columns, _file(head), _options(head))
    head.need("TO")
    if columns is not None:
        query = f"{query} SELECT {', '.join(map(quoted_name, columns))}"
    return CopyTo(query, _file(head), _options(head))


def _file(head: Head) -> FileName:
    """The name of a file: a constant, or an expression in parentheses."""
    if head.word != "(":
        return FileName(head.string())
    if head.following in QUERY_STARTS - {"("}:
        head.need("(")
        raise head.wrong()
    return FileName(head.in_parentheses(), is_computed=True)


def _options(head: Head) -> Options:
    found: dict[str, tuple[str, ...]] = {}
    head.take("WITH")
    inside = head.take("(")
    while not head.at_end() and head.word != ")":
        name = head.raw().lower()
        name = _OTHER_NAMES.get(name, name)
        if name in FORMATS and not inside:
            values: tuple[str, ...] = (name,)
            name = "format"
        else:
            if not inside:
                head.take("AS")
            values = _values(head, inside)
        if name in found:
            raise ParseError(f"the option {name} of COPY stands twice", text=head.text)
        found[name] = values
        if inside and head.word != ")":
            head.need(",")
    if inside:
        head.need(")")
    return Options(found)


_OTHER_NAMES: Final = {
    "delim": "delimiter", "sep": "delimiter", "nullstr": "null", "codec": "compression", "chunk_size": "row_group_size",
    "date_format": "dateformat", "timestamp_format": "timestampformat",
}  # fmt: skip


def _values(head: Head, inside: bool) -> tuple[str, ...]:
    """The values of an option: none, one, which may be a struct in braces, or several in parentheses."""
    if head.word == "(":
        found: list[str] = []
        head.need("(")
        head.listed(lambda: found.append(head.raw()))
        head.need(")")
        return tuple(found)
    if inside and head.word == "{":
        return (Braces(head.in_braces()),)
    if head.word in (",", ")") or head.at_end():
        return ()
    if not inside and not (head.at_text() or head.at_number() or head.word in ("TRUE", "FALSE")):
        return ()
    return (head.raw(),)
