"""Stored tables and models, and the names they go by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from tqp import statistics
from tqp.column import Column
from tqp.errors import BindError, SourceError, UnsupportedError
from tqp.ir.expr import ColumnRef
from tqp.ir.plan import Aggregate, Plan, Project, Scan, SetOp, Shared
from tqp.ir.visit import definitions, expressions, subplans, walk, walk_plan
from tqp.locks import Lock
from tqp.stack import deep
from tqp.statistics import ColumnStatistics
from tqp.types import DType

if TYPE_CHECKING:
    import torch

    from tqp.models.model import Model

__all__ = ["Catalog", "Reader", "StoredTable", "require_supported"]


class Reader(Protocol):
    """Where the columns of a table come from (`tqp.io` has them): schema and rows are known without reading data."""

    @property
    def rows(self) -> int: ...
    @property
    def schema(self) -> tuple[tuple[str, DType], ...]:
        """Names and types of all columns; what is `unsupported` has the NULL type here."""
        ...

    @property
    def unsupported(self) -> Mapping[str, str]:
        """The columns that cannot be read, and why."""
        ...

    def column(self, name: str, device: torch.device) -> Column:
        """All rows of one column on `device`; UnsupportedError for an unsupported one."""
        ...


class StoredTable:
    """A table whose columns are read on first use and then stay on one device. Safe to use from several threads.

    Compared by identity, and immutable but for what it remembers. `indexes` is a place for structures derived from
    the columns; whoever puts something there names it so that it clashes with nothing else.
    """

    def __init__(self, name: str, reader: Reader, device: torch.device) -> None:
        self.name = name
        self.device = device
        self.rows = reader.rows
        self.schema = reader.schema
        self.unsupported = reader.unsupported
        self.indexes: dict[str, object] = {}
        self._reader = reader
        self._columns: dict[str, Column] = {}
        self._statistics: dict[str, ColumnStatistics] = {}
        self._locks = {column: Lock() for column, _ in reader.schema}

    def __repr__(self) -> str:
        return f"StoredTable({self.name!r}, {self.rows} rows)"

    def column(self, name: str) -> Column:
        """The whole column `name` (as the schema spells it)."""
        column = self._columns.get(name)
        if column is not None:
            return column
        with self._locks[name]:
            column = self._columns.get(name)
            if column is None:
                column = self._reader.column(name, self.device)
                if len(column) != self.rows:
                    raise SourceError(
                        f"column {name!r} of table {self.name!r} has {len(column)} rows instead of {self.rows}",
                        hint="what it was read from has changed: register it again",
                    )
                self._columns[name] = column
        return column

    def statistics(self, column: str) -> ColumnStatistics:
        """Facts about the column; reads it if it was not used before."""
        found = self._statistics.get(column)
        if found is None:
            found = statistics.compute(self.column(column))
            self._statistics[column] = found
        return found

    def bytes(self) -> int:
        """Bytes of the columns that are resident now, dictionaries included."""
        columns = list(self._columns.values())
        dictionaries = {id(column.dictionary): column.dictionary for column in columns if column.dictionary}
        texts = sum(int(dictionary.values.nbytes) for dictionary in dictionaries.values())
        return texts + sum(column.nbytes for column in columns)


class Catalog:
    """Tables, views and models by name, whatever the case of its letters."""

    def __init__(self) -> None:
        self._entries: dict[str, tuple[str, StoredTable | Plan]] = {}
        self._models: dict[str, tuple[str, Model]] = {}

    def register(self, name: str, entry: StoredTable | Plan) -> StoredTable | Plan | None:
        """Let `name` mean `entry`; what it meant before."""
        before = self._entries.get(name.lower())
        self._entries[name.lower()] = (name, entry)
        return None if before is None else before[1]

    def unregister(self, name: str) -> StoredTable | Plan:
        """Forget the name; what it meant. SourceError where it is unknown."""
        before = self._entries.pop(name.lower(), None)
        if before is None:
            known = ", ".join(self.names()) or "none"
            raise SourceError(f"no table {name!r} is registered", hint=f"registered: {known}")
        return before[1]

    def lookup(self, name: str) -> StoredTable | Plan | None:
        entry = self._entries.get(name.lower())
        return None if entry is None else entry[1]

    def names(self) -> Iterable[str]:
        """The names as they were registered, sorted."""
        return sorted(name for name, _ in self._entries.values())

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
            case Aggregate():
                used.update(dict.fromkeys(node.keys))
            case _:
                pass
        for expr in expressions(node):
            for inner in subplans(expr):
                _trace(inner, reasons, used, known)
                used.update((field.symbol, None) for field in inner.schema)
            if not (isinstance(node, Project) and isinstance(expr, ColumnRef)):
                used.update((part.symbol, None) for part in walk(expr) if isinstance(part, ColumnRef))
