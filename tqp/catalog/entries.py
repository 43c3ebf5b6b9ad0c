"""What a name stands for: a table or view, in one version, with its rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from tqp.catalog.definitions import ColumnRule, Constraint, ForeignKey, Index, Key, Path, UniqueKey, View
from tqp.catalog.over_tables import latest_plan, tables_of, unread_plan
from tqp.data.stored import StoredTable
from tqp.errors import BindError
from tqp.ir.plan import Plan
from tqp.oids import new_oid

if TYPE_CHECKING:
    from tqp.types import DType

__all__ = ["Entries", "Entry", "EntryKind", "Meaning", "NextVersion", "require_free"]


Meaning = StoredTable | Plan | View


_CHANGES: Final = count()


class EntryKind(Enum):
    """What a name stands for, by who defined it."""

    REGISTERED = "registered"
    TABLE = "table"
    VIEW = "view"

    @property
    def shown(self) -> str:
        """As SQL calls it: what is registered is a view of something else."""
        return "TABLE" if self is EntryKind.TABLE else "VIEW"

    @property
    def noun(self) -> str:
        """As errors call it."""
        return "registered object" if self is EntryKind.REGISTERED else self.value


@dataclass(frozen=True, slots=True)
class Entry:
    """A table or view by the name it was given, in one version.

    `rules`, `constraints` and `indexes` are of a table that a statement made.
    """

    name: str
    meaning: Meaning
    kind: EntryKind = EntryKind.REGISTERED
    rules: tuple[ColumnRule, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    indexes: tuple[Index, ...] = ()
    comment: str | None = None
    change: int = field(default_factory=_CHANGES.__next__)
    """Which change made it; the same over other files, or with nothing read."""
    oid: int = field(default_factory=new_oid)
    tables: tuple[StoredTable, ...] = field(init=False, default=())
    """All stored tables that it holds."""

    def __post_init__(self) -> None:
        match self.meaning:
            case StoredTable():
                object.__setattr__(self, "tables", (self.meaning,))
            case View():
                pass
            case _:
                object.__setattr__(self, "tables", tables_of(self.meaning))

    @property
    def schema(self) -> list[tuple[str, DType]]:
        """The columns of a table that a statement made."""
        return [(rule.name, rule.dtype) for rule in self.rules]

    @property
    def keys(self) -> list[UniqueKey]:
        """Its primary key and UNIQUE, in the order in which they are written."""
        return [one for one in self.constraints if isinstance(one, UniqueKey)]

    @property
    def unique(self) -> list[UniqueKey]:
        """What no two rows have in common: its keys, and behind them its unique indexes."""
        return [*self.keys, *(UniqueKey(one.columns, name=one.name) for one in self.indexes if one.is_unique)]

    @property
    def foreign_keys(self) -> list[ForeignKey]:
        """Its foreign keys, in the order in which they are written."""
        return [one for one in self.constraints if isinstance(one, ForeignKey)]

    def latest(self) -> Entry:
        """The same over what the sources hold now."""
        match self.meaning:
            case StoredTable():
                return self._meaning(self.meaning.latest())
            case View():
                return self
            case _:
                return self._meaning(latest_plan(self.meaning, self.tables))

    def unread(self) -> Entry:
        """The same with nothing read yet."""
        match self.meaning:
            case StoredTable():
                return self._meaning(self.meaning.unread())
            case View():
                return self
            case _:
                return self._meaning(unread_plan(self.meaning, self.tables))

    def _meaning(self, meaning: Meaning) -> Entry:
        return self if meaning is self.meaning else replace(self, meaning=meaning)

    def changed(self, **changes: Any) -> Entry:
        """What a statement makes of it: with these fields instead of its own, as another change."""
        return replace(self, change=next(_CHANGES), **changes)

    def renamed(self, name: str) -> Entry:
        """The same under another name, which its foreign keys to itself have, too."""
        constraints = tuple(
            replace(one, table=Path(name, one.table.qualifiers))
            if isinstance(one, ForeignKey) and one.table.name.lower() == self.name.lower()
            else one
            for one in self.constraints
        )
        return self.changed(name=name, constraints=constraints)

    def has_rules_of(self, other: Entry) -> bool:
        """Whether it takes the same rows as another version of the table."""
        return self.rules is other.rules and self.constraints is other.constraints and self.indexes is other.indexes


Entries = Mapping[Key, Entry]
"""All tables and views at one time."""


NextVersion = Callable[[Entry], Entry]
"""From a version of a table to the next one, whichever it is: rows below those that are there."""


def require_free(entry: Entry, before: Entry, *, replace: bool, keep: bool) -> None:
    """BindError where `entry` cannot take the name of `before`, which has it, and need not either."""
    if before.kind.shown != entry.kind.shown:
        if keep:
            return
        raise BindError(
            f"{entry.name} is a {before.kind.noun} already", hint=f"DROP {before.kind.shown} {entry.name} first"
        )
    if not (replace or keep):
        raise BindError(f"a {before.kind.noun} {entry.name} is there already", hint="CREATE OR REPLACE")
