"""COMMENT ON: a text about something that has a name, which `duckdb_tables()` and its like show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from tqp.catalog.definitions import ColumnRule, Path
from tqp.catalog.entries import Entry, EntryKind
from tqp.catalog.sequences import Sequences
from tqp.errors import BindError, UnsupportedError
from tqp.keywords import quoted_name
from tqp.relation import Relation
from tqp.sql.context import near
from tqp.statements.caller import Caller
from tqp.statements.head import Head
from tqp.statements.indexes import index_named
from tqp.statements.registry import statement

__all__: list[str] = []


@dataclass(frozen=True, slots=True)
class _Comment:
    """What is said of the thing at a path by one of `_KINDS`."""

    kind: str
    path: Path
    text: str | None
    changes: ClassVar = True

    def run(self, caller: Caller) -> Relation:
        _KINDS[self.kind](caller, self.path, self.text)
        return caller.success()


def _on_entry(caller: Caller, path: Path, text: str | None) -> None:
    _exchange(caller, path, lambda entry: entry.changed(comment=text))


def _on_column(caller: Caller, path: Path, text: str | None) -> None:
    *before, table = path.qualifiers
    of = Path(table, tuple(before))

    def commented(entry: Entry) -> Entry:
        rules = _rules(caller, of, entry)
        names = [rule.name for rule in rules]
        if path.name.lower() not in map(str.lower, names):
            raise BindError(f"{entry.kind.value} {entry.name} has no column {path.name}", hint=near(path.name, names))
        changed = (replace(rule, comment=text) if rule.name.lower() == path.name.lower() else rule for rule in rules)
        return entry.changed(rules=tuple(changed))

    _exchange(caller, of, commented)


def _rules(caller: Caller, path: Path, entry: Entry) -> tuple[ColumnRule, ...]:
    """Those of a table, or of a view the columns that it has now, with what was said of them."""
    if entry.kind is EntryKind.TABLE:
        return entry.rules
    said = {rule.name: rule for rule in entry.rules}
    words = ".".join(map(quoted_name, (*path.qualifiers, path.name)))
    fields = caller.described(f"FROM {words}").schema
    return tuple(said.get(field.name) or ColumnRule(field.name, field.dtype) for field in fields)


def _exchange(caller: Caller, path: Path, commented: Callable[[Entry], Entry]) -> None:
    while True:
        found = caller.catalog.found(path)
        if found is None:
            raise BindError(f"there is no table {path}")
        place, entry = found
        if caller.catalog.exchange(place, entry, commented(entry)):
            return


def _on_index(caller: Caller, path: Path, text: str | None) -> None:
    while True:
        found = index_named(caller, path)
        assert found is not None
        place, entry, index = found
        commented = tuple(replace(one, comment=text) if one is index else one for one in entry.indexes)
        if caller.catalog.exchange(place, entry, entry.changed(indexes=commented)):
            return


def _on_sequence(caller: Caller, path: Path, text: str | None) -> None:
    def changed(sequences: Sequences) -> Sequences:
        key = next((key for key in caller.catalog.schemas.meanings(path) if key in sequences.known), None)
        if key is None:
            known = (one.name for one in sequences.known.values())
            raise BindError(f"there is no sequence {path}", hint=near(path.name, known))
        return sequences.commented(key, text)

    caller.catalog.change_sequences(changed)


def _on_type(caller: Caller, path: Path, text: str | None) -> None:
    catalog = caller.catalog
    key = next((key for key in catalog.schemas.meanings(path) if key in catalog.types.known), None)
    if key is None:
        raise BindError(f"there is no named type {path}", hint=near(path.name, catalog.types.names()))
    catalog.comment_on_type(key, text)


def _on_macro(is_table: bool) -> Callable[[Caller, Path, str | None], None]:
    def on_macro(caller: Caller, path: Path, text: str | None) -> None:
        catalog = caller.catalog
        keys = ((*key, is_table) for key in catalog.schemas.meanings(path))
        macro = next((catalog.macros.known[key] for key in keys if key in catalog.macros.known), None)
        if macro is None:
            known = (one.name for one in catalog.macros.known.values() if one.is_table is is_table)
            raise BindError(f"there is no macro {path}", hint=near(path.name, known))
        catalog.define(replace(macro, comment=text), replace=True)

    return on_macro


_KINDS: Final[dict[str, Callable[[Caller, Path, str | None], None]]] = {
    "TABLE": _on_entry,
    "VIEW": _on_entry,
    "COLUMN": _on_column,
    "INDEX": _on_index,
    "SEQUENCE": _on_sequence,
    "TYPE": _on_type,
    "MACRO": _on_macro(False),
    "MACRO TABLE": _on_macro(True),
    "FUNCTION": _on_macro(False),
}


@statement("COMMENT ON")
def _read(head: Head) -> _Comment:
    kind = "MACRO TABLE" if head.starts("MACRO", "TABLE") else head.word
    if kind not in _KINDS:
        hint = f"{', '.join(map(str.lower, _KINDS))} have comments: leave it out"
        raise UnsupportedError(f"COMMENT ON {kind} is not supported", hint=hint, text=head.text)
    head.place += len(kind.split())
    path = head.path()
    if kind == "COLUMN" and not path.qualifiers:
        raise head.wrong()
    head.need("IS")
    return _Comment(kind, path, None if head.take("NULL") else head.string())
