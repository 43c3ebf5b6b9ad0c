"""Queries that were bound before, for as long as all their names mean what they meant."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tqp.catalog.definitions import Variable
from tqp.errors import TqpError
from tqp.garbage import uncollected
from tqp.ir.expr import Literal
from tqp.locks import ReentrantLock
from tqp.query import Query
from tqp.session.names import Names, Resolved
from tqp.sql import Parameters

__all__ = ["REUSE", "PlanCache"]

_QUERIES: Final = 256
_SHAPES: Final = 128
_PLANS_A_SHAPE: Final = 4

REUSE: Final = "reuse_plans"
"""What to name among `disabled_rules` to plan every text anew."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A bound query, what its names meant, and the callers' objects that it must not outlive."""

    query: Query
    tables: dict[str, Resolved]
    models: dict[str, Resolved]
    values: dict[str, Variable | None]
    owners: tuple[weakref.ref[Any], ...]

    def holds(self, names: Names) -> bool:
        """Whether all names mean the same again; a name that now raises does not."""
        try:
            for name, seen in self.tables.items():
                if names.table(name) is not seen.meaning:
                    return False
            for name, seen in self.models.items():
                if names.model(name) is not seen.meaning:
                    return False
            for name, value in self.values.items():
                if names.value(name) != value:
                    return False
        except TqpError:
            return False
        return True

    def means(self, meaning: object) -> bool:
        found = (*self.tables.values(), *self.models.values())
        return any(seen.meaning is meaning for seen in found) or any(table is meaning for table in self.query.tables)


class PlanCache:
    """The last queries by text, parameters and dialect, and by their shapes. Safe to use from several threads.

    What has the shape of a query that was planned, which is all but its numbers and strings, runs by that one's plan with its
    own constants, where the plan serves these. Of a shape the last few plans are kept that do not serve the same constants.

    A query is forgotten when 256 others were used since, when a name of it comes to mean something else, and when an object of
    the caller that it reads is gone: a plan keeps its tables alive, which nobody else could name any more.
    """

    def __init__(self) -> None:
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._shapes: OrderedDict[Hashable, tuple[_Entry, ...]] = OrderedDict()
        self._lock = ReentrantLock()
        self.reused = 0
        """How many queries were planned by the plan of another one."""

    def __len__(self) -> int:
        return len(self._entries)

    def queries(self) -> list[Query]:
        """All queries that are kept."""
        with self._lock:
            entries = [*self._entries.values(), *(entry for some in self._shapes.values() for entry in some)]
        return list({id(entry.query): entry.query for entry in entries}.values())

    def get(self, key: Hashable, names: Names) -> Query | None:
        """The query of `key` if all its names mean the same in `names`."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        if not entry.holds(names):
            self._drop(lambda found: found is entry)
            return None
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
        return entry.query

    def again(
        self, shape: Hashable, values: Sequence[Literal], names: Names, text: str, params: Parameters
    ) -> Query | None:
        """The query of that text by the plan of another one of its shape, `values` being its constants; None where none serves."""
        for entry in self._shapes.get(shape, ()):
            query = entry.query.again(values, text, params)
            if query is None or not entry.holds(names):
                continue
            with self._lock:
                if shape in self._shapes:
                    self._shapes.move_to_end(shape)
                self.reused += 1
            return query
        return None

    def put(self, key: Hashable, query: Query, names: Names, shape: Hashable | None = None) -> None:
        """Remember the query that was bound with `names`, if they are such as will mean the same for sure.

        With a `shape`, also for other queries of that one.
        """
        found = [*names.tables.values(), *names.models.values()]
        if not all(resolved.lasting for resolved in found):
            return
        owners = tuple(
            weakref.ref(resolved.owner, self._forget_owner) for resolved in found if resolved.owner is not None
        )
        tables = {name: Resolved(seen.meaning) for name, seen in names.tables.items()}
        models = {name: Resolved(seen.meaning) for name, seen in names.models.items()}
        entry = _Entry(query, tables, models, dict(names.values), owners)
        with self._lock:
            self._entries[key] = entry
            while len(self._entries) > _QUERIES:
                self._entries.popitem(last=False)
            if shape is not None:
                self._shapes[shape] = (entry, *self._shapes.get(shape, ())[: _PLANS_A_SHAPE - 1])
                self._shapes.move_to_end(shape)
                while len(self._shapes) > _SHAPES:
                    self._shapes.popitem(last=False)

    def forget(self, meaning: object) -> None:
        """Let go of all queries over a table, view or model that its name does not mean any more."""
        self._drop(lambda entry: entry.means(meaning))

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
            self._shapes.clear()

    def _forget_owner(self, dead: weakref.ref[Any]) -> None:
        self._drop(lambda entry: any(dead is owner for owner in entry.owners))

    def _drop(self, condition: Callable[[_Entry], bool]) -> None:
        with self._lock:
            # What is let go may free an owner, which drops others in between.
            with uncollected():
                entries, shapes = list(self._entries.items()), list(self._shapes)
            for key, entry in entries:
                if condition(entry):
                    self._entries.pop(key, None)
            for key in shapes:
                left = tuple(entry for entry in self._shapes.get(key, ()) if not condition(entry))
                if left:
                    self._shapes[key] = left
                else:
                    self._shapes.pop(key, None)
