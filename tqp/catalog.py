"""Stored tables and models by name, and whether a plan may read its tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from tqp.errors import BindError, SourceError, UnsupportedError
from tqp.ir.expr import ColumnRef
from tqp.ir.plan import (
    Aggregate,
    Filter,
    GroupingSets,
    Join,
    Limit,
    Plan,
    Project,
    Scan,
    SetOp,
    Shared,
    Sort,
    TopN,
    Values,
    Window,
)
from tqp.ir.visit import definitions, expressions, subplans, walk, walk_plan
from tqp.locks import Lock
from tqp.stack import deep
from tqp.stored import StoredTable, latest_plan, tables_of, unread_plan

if TYPE_CHECKING:
    from tqp.models.model import Model

__all__ = ["Catalog", "StoredTable", "require_supported"]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A table or view by the name it was registered under."""

    name: str
    meaning: StoredTable | Plan
    tables: tuple[StoredTable, ...]
    """All stored tables that it reads."""

    @staticmethod
    def of(name: str, meaning: StoredTable | Plan) -> _Entry:
        return _Entry(name, meaning, (meaning,) if isinstance(meaning, StoredTable) else tables_of(meaning))

    def latest(self) -> _Entry:
        """The same over what the sources hold now."""
        if isinstance(self.meaning, StoredTable):
            meaning: StoredTable | Plan = self.meaning.latest()
        else:
            meaning = latest_plan(self.meaning, self.tables)
        return self if meaning is self.meaning else _Entry.of(self.name, meaning)

    def unread(self) -> _Entry:
        """The same with nothing read yet."""
        if isinstance(self.meaning, StoredTable):
            return _Entry.of(self.name, self.meaning.unread())
        return _Entry.of(self.name, unread_plan(self.meaning, self.tables))


class Catalog:
    """Tables, views and models by name, whatever the case of its letters."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._models: dict[str, tuple[str, Model]] = {}
        self._lock = Lock()

    def register(self, name: str, entry: StoredTable | Plan) -> StoredTable | Plan | None:
        """Let `name` mean `entry`; what it meant before."""
        made = _Entry.of(name, entry)
        with self._lock:
            before = self._entries.get(name.lower())
            self._entries[name.lower()] = made
        return None if before is None else before.meaning

    def unregister(self, name: str) -> StoredTable | Plan:
        """Forget the name; what it meant. SourceError where it is unknown."""
        before = self._entries.pop(name.lower(), None)
        if before is None:
            known = ", ".join(self.names()) or "none"
            raise SourceError(f"no table {name!r} is registered", hint=f"registered: {known}")
        return before.meaning

    def lookup(self, name: str) -> StoredTable | Plan | None:
        """What the name means, over its files as they are now; SourceError where they cannot be read any more."""
        key = name.lower()
        entry = self._entries.get(key)
        if entry is None:
            return None
        try:
            latest = entry.latest()
        except SourceError:
            # What was read of files that are gone is of no use to anybody.
            self._replace(key, entry, entry.unread())
            raise
        if latest is not entry:
            self._replace(key, entry, latest)
        return latest.meaning

    def names(self) -> Iterable[str]:
        """The names as they were registered, sorted."""
        return sorted(entry.name for entry in list(self._entries.values()))

    def tables(self) -> list[StoredTable]:
        """All tables that a name means or a view reads, as they were last looked up."""
        return [table for entry in list(self._entries.values()) for table in entry.tables]

    def models(self) -> list[Model]:
        """The registered models."""
        return [model for _, model in list(self._models.values())]

    def forget_read(self) -> None:
        """Let go of all that was read of the tables; it is read anew when it is used again."""
        for key, entry in list(self._entries.items()):
            self._replace(key, entry, entry.unread())

    def let_go(self, table: StoredTable) -> None:
        """Let go of what was read of a table whose files do not hold it any more."""
        for key, entry in list(self._entries.items()):
            if any(one is table for one in entry.tables):
                self._replace(key, entry, entry.unread())

    def _replace(self, key: str, before: _Entry, after: _Entry) -> None:
        # Unless the name was given another meaning in between.
        with self._lock:
            if self._entries.get(key) is before:
                self._entries[key] = after

    def register_model(self, name: str, model: Model) -> Model | None:
        """Let `name` mean `model` in PREDICT; what it meant there before."""
        before = self._models.get(name.lower())
        self._models[name.lower()] = (name, model)
        return None if before is None else before[1]

    def unregister_model(self, name: str) -> Model:
        """Forget a model; what it was. BindError where there is none of that name."""
        before = self._models.pop(name.lower(), None)
        if before is None:
            known = ", ".join(self.model_names()) or "none"
            raise BindError(f"no model {name!r} is registered", hint=f"registered: {known}")
        return before[1]

    def model(self, name: str) -> Model | None:
        entry = self._models.get(name.lower())
        return None if entry is None else entry[1]

    def model_names(self) -> list[str]:
        """The names of the models as they were registered, sorted."""
        return sorted(name for name, _ in self._models.values())

    def clear(self) -> None:
        self._entries.clear()
        self._models.clear()


def require_supported(plan: Plan, text: str | None = None) -> None:
    """Raise one UnsupportedError that lists all columns which the plan reads but no reader can give.

    Only to pass such a column on and drop it further up is no use of it.
    """
    found: dict[str, None] = {}
    known: dict[Plan, dict[str, str]] = {}
    for tree in (*definitions(plan), plan):
        reasons: dict[str, str] = {}
        used: dict[str, None] = {}
        _trace(tree, reasons, used, known)
        if tree is plan:
            used.update((field.symbol, None) for field in plan.schema)
        known[tree] = reasons
        found.update(dict.fromkeys(reasons[symbol] for symbol in used if symbol in reasons))
    if found:
        raise UnsupportedError(
            "; ".join(found),
            hint="leave these columns out of the query, or cast them before they are handed in",
            text=text,
        )


@deep
def _trace(plan: Plan, reasons: dict[str, str], used: dict[str, None], known: Mapping[Plan, dict[str, str]]) -> None:
    """Add to `reasons` the symbols that stand for columns which cannot be read, to `used` the symbols looked at.

    `known` has the reasons within shared definitions.
    """
    for node in reversed(list(walk_plan(plan))):
        match node:
            case Scan():
                gaps: Mapping[str, str] = getattr(node.source, "unsupported", {})
                for column, field in zip(node.columns, node.fields, strict=True):
                    if column in gaps:
                        where = f"column {column!r} of {node.source.name!r}"
                        reasons[field.symbol] = f"{where} cannot be read: {gaps[column]}"
            case Shared():
                below = known[node.definition]
                pairs = zip(node.columns, node.fields, strict=True)
                reasons.update((field.symbol, below[column]) for column, field in pairs if column in below)
            case Project():
                for field, expr in zip(node.fields, node.exprs, strict=True):
                    if isinstance(expr, ColumnRef) and expr.symbol in reasons:
                        reasons[field.symbol] = reasons[expr.symbol]
            case SetOp():
                used.update((field.symbol, None) for side in node.children for field in side.schema)
            case Aggregate() | GroupingSets():
                used.update(dict.fromkeys(node.keys))
            case Values() | Filter() | Join() | Window() | Sort() | Limit() | TopN():
                pass
            case _:
                assert_never(node)
        for expr in expressions(node):
            for inner in subplans(expr):
                _trace(inner, reasons, used, known)
                used.update((field.symbol, None) for field in inner.schema)
            if not (isinstance(node, Project) and isinstance(expr, ColumnRef)):
                used.update((part.symbol, None) for part in walk(expr) if isinstance(part, ColumnRef))
