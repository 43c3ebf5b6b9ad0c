"""The words of MERGE: what a table is merged with, and what each WHEN does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from tqp.errors import ParseError, UnsupportedError
from tqp.keywords import quoted_name
from tqp.sql.fragments import source_name
from tqp.statements.assignments import read_assignments
from tqp.statements.head import Head, Sheet
from tqp.statements.returning import ends_clause

__all__ = ["Action", "Source", "read_actions", "read_source"]

_Kind = Literal["matched", "target", "source"]
_SHOWN: Final[dict[_Kind, str]] = {
    "matched": "WHEN MATCHED",
    "target": "WHEN NOT MATCHED",
    "source": "WHEN NOT MATCHED BY SOURCE",
}


@dataclass(frozen=True, slots=True)
class Source:
    """What a table is merged with: a query of all of it, and its `name` in the statement.

    Rows are pairs where they have the values of `keys` in common, or else where what words `on` say is true.
    """

    query: str
    name: str
    keys: tuple[str, ...]
    on: tuple[int, int]

    def column(self, name: str) -> str:
        """One of its columns, as it is written."""
        return f"{quoted_name(self.name)}.{quoted_name(name)}"


@dataclass(frozen=True, slots=True)
class Action:
    """What one WHEN does, for pairs (matched), rows of the other table alone (target), or of the table alone (source).

    `query` is a SELECT of what is true of pairs, of the conditions of the WHENs of its kind before it, of which there are
    `refused`, of its own, and of `values` for `columns` (none: all of them), where these are `given` as written. `conditions` are
    those but that of pairs; `has_parts`: there are some at all.
    """

    kind: _Kind
    word: str
    query: str
    columns: tuple[tuple[str, ...], ...]
    given: Literal["written", "places", "names", "defaults"]
    refused: int
    conditions: int
    values: int
    has_parts: bool

    @property
    def shown(self) -> str:
        return _SHOWN[self.kind]


def read_source(head: Head, verb: int) -> Source:
    """USING and what stands behind it, up to the first WHEN; they are passed."""
    head.need("USING")
    sheet, start = Sheet(head), head.place
    head.to(lambda head: head.word in ("ON", "USING", "WHEN"))
    if head.word not in ("ON", "USING"):
        raise head.wrong()
    sheet.keep(head.first, verb)
    sheet.keep(start, head.place)
    sheet.write("FROM", start - 1)
    name = source_name(sheet.text)
    if not name:
        what = "MERGE with a join, or what has no name, is not supported"
        raise UnsupportedError(what, hint="USING (SELECT …) AS s", text=head.text)
    if head.take("USING"):
        return Source(sheet.text, name, head.identifiers(), (0, 0))
    head.need("ON")
    start = head.place
    head.expression(lambda head: head.word == "WHEN")
    return Source(sheet.text, name, (), (start, head.place))


def read_actions(head: Head, verb: int, source: Source) -> tuple[Action, ...]:
    """Each WHEN, up to RETURNING or the end; they are passed."""
    actions: list[Action] = []
    before: dict[_Kind, list[tuple[int, int]]] = {"matched": [], "target": [], "source": []}
    closed = set[_Kind]()
    while head.word == "WHEN":
        head.place += 1
        kind = _read_kind(head)
        if kind in closed:
            raise ParseError(f"syntax error: nothing is left for a second {_SHOWN[kind]}", text=head.text)
        sheet = Sheet(head)
        sheet.keep(head.first, verb)
        sheet.write("SELECT", verb)
        parts = [*([] if source.keys else [source.on]), *before[kind]]
        if head.take("AND"):
            start = head.place
            head.expression(lambda head: head.word == "THEN")
            parts.append((start, head.place))
        else:
            closed.add(kind)
        for place, (start, stop) in enumerate(parts):
            sheet.keep(start, stop)
            if place:
                sheet.write(",", start - 1)
        head.need("THEN")
        refused = len(before[kind])
        conditions = len(parts) - (not source.keys)
        if conditions > refused:
            before[kind].append(parts[-1])
        if parts:
            sheet.write(",", head.place - 1)
        actions.append(_read_action(head, kind, sheet, refused, conditions, bool(parts)))
    if not actions:
        raise head.wrong()
    return tuple(actions)


def _read_kind(head: Head) -> _Kind:
    if head.take("MATCHED"):
        return "matched"
    head.need("NOT", "MATCHED")
    if not head.take("BY"):
        return "target"
    if head.take("SOURCE"):
        return "source"
    head.need("TARGET")
    return "target"


def _read_action(head: Head, kind: _Kind, sheet: Sheet, refused: int, conditions: int, has_parts: bool) -> Action:
    """What stands behind THEN."""
    columns: tuple[tuple[str, ...], ...] = ()
    given: Literal["written", "places", "names", "defaults"] = "written"
    word, values = head.word, 0
    if word not in ("UPDATE", "INSERT", "DELETE", "DO", "ERROR"):
        raise head.wrong()
    wrong = kind == "target" and word in ("UPDATE", "DELETE")
    if wrong or (kind, word) == ("source", "INSERT"):
        raise ParseError(f"syntax error: {_SHOWN[kind]} has no row that {word} could take", text=head.text)
    head.place += 1
    if word == "DO":
        head.need("NOTHING")
        word = "NOTHING"
    elif word == "UPDATE":
        columns, given = _read_update(head, sheet)
    elif word == "INSERT":
        columns, given, values = _read_insert(head, sheet)
    elif word == "ERROR" and head.word not in ("WHEN", "RETURNING", ""):
        head.expression(lambda head: head.word == "WHEN" or ends_clause(head))
    if word == "INSERT" and kind == "matched":
        raise UnsupportedError("WHEN MATCHED THEN INSERT is not supported", hint="INSERT INTO … SELECT", text=head.text)
    text = sheet.text.rstrip().removesuffix(",")
    return Action(kind, word, text, columns, given, refused, conditions, values, has_parts)


def _read_update(head: Head, sheet: Sheet) -> tuple[tuple[tuple[str, ...], ...], Literal["written", "places", "names"]]:
    if head.starts("SET", "*"):
        head.place += 2
        return (), "places"
    if head.word == "SET":
        return read_assignments(head, sheet), "written"
    return (), _read_by(head)


def _read_by(head: Head) -> Literal["places", "names"]:
    if not head.take("BY"):
        return "places"
    if head.take("NAME"):
        return "names"
    head.need("POSITION")
    return "places"


def _read_insert(
    head: Head, sheet: Sheet
) -> tuple[tuple[tuple[str, ...], ...], Literal["written", "places", "names", "defaults"], int]:
    """The columns of INSERT, which values they get, and how many of these are written."""
    if head.starts("DEFAULT", "VALUES"):
        head.place += 2
        return (), "defaults", 0
    by = _read_by(head)
    columns = tuple((name,) for name in head.identifiers()) if head.word == "(" else ()
    if head.take("*") or head.word != "VALUES":
        return columns, by, 0
    head.place += 1
    head.need("(")
    start = head.place
    count = 0

    def value() -> None:
        nonlocal count
        count += 1
        head.expression(lambda head: head.word == ",")

    head.listed(value)
    sheet.keep(start, head.place)
    head.need(")")
    return columns, "written", count
