"""Transactions: several changes of the catalog that others see all at once, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeVar

from tqp.catalog.catalog import Catalog
from tqp.catalog.defined import Defined
from tqp.catalog.definitions import TEMP, Key, Path
from tqp.catalog.entries import Entries, Entry, NextVersion
from tqp.catalog.macros import Macros
from tqp.catalog.named_types import Types
from tqp.catalog.references import Relied, require_keys_of
from tqp.catalog.schemas import Schemas
from tqp.catalog.sequences import Sequences
from tqp.errors import BindError, TransactionError
from tqp.own import Own, OwnFunctions

__all__ = ["Transaction"]

_AGAIN: Final = "ROLLBACK was done: try it again"

K = TypeVar("K")
V = TypeVar("V")


class Transaction(Catalog):
    """A catalog as it was when the transaction began, with what was changed in it since; nobody else sees that before `commit`.

    Of the same table others may change something meanwhile: rows that both put there are there afterwards, and of any other two
    changes the second to be committed is an error. Models and functions of the user's are those of the catalog below, at once.
    """

    def __init__(self, below: Catalog, read_only: bool = False) -> None:
        super().__init__()
        self.defined = self._first = below.defined
        self.is_aborted = False
        """Whether something failed, so that there is nothing to do but end it."""
        self._below = below
        self._models = below._models
        self._read_only = read_only
        self._changes: dict[Key, list[NextVersion] | None] = {}
        """What was done to each name: the steps to its next versions, None for a change that relies on what it meant."""
        self._relied: set[Key] = set()
        """The tables that changes of others were checked against."""

    @property
    def own(self) -> OwnFunctions:
        return self._below.own

    def add_function(self, own: Own) -> None:
        self._below.add_function(own)

    def remove_function(self, name: str) -> None:
        self._below.remove_function(name)

    def forget_read(self) -> None:
        super().forget_read()
        self._below.forget_read()

    def require_whole(self) -> None:
        """TransactionError where something of it failed."""
        if self.is_aborted:
            raise TransactionError("the transaction is aborted: something in it failed", hint="ROLLBACK ends it")

    def commit(self) -> None:
        """Let all see what was done; TransactionError where others changed the same, or nothing was whole to begin with."""
        if self.is_aborted:
            return
        below = self._below
        while True:
            now = below.defined
            after = self._names_over(now)._replace(entries=self._entries_over(now.entries))
            self._require_relied(now.entries)
            _require_schemas(after)
            _require_references(after.entries)
            with below._lock:
                if below.defined is now:
                    below.defined = after
                    return

    def gone(self) -> Iterator[Entry]:
        """What its names meant, before it and in it, and mean no more now that it has ended."""
        now = self._below.entries
        for key in self._changes:
            for entry in (self._first.entries.get(key), self.entries.get(key)):
                if entry is not None and now.get(key) is not entry:
                    yield entry

    def _entries_over(self, now: Entries) -> Entries:
        found = dict(now)
        for key, steps in self._changes.items():
            before, current, after = self._first.entries.get(key), now.get(key), self.entries.get(key)
            if _change(before) == _change(current):
                found.pop(key, None)
                if after is not None:
                    found[key] = after
            elif steps is not None and current is not None and before is not None and current.has_rules_of(before):
                for step in steps:
                    found[key] = step(found[key])
            else:
                raise TransactionError(f"{key[1]} was changed by others while the transaction changed it", hint=_AGAIN)
        return found

    def _names_over(self, now: Defined) -> Defined:
        """Its changes of macros, types, sequences and schemas in what there is now."""
        first, own = self._first, self.defined
        macros = _over(now.macros.known, first.macros.known, own.macros.known, lambda macro: f"the macro {macro.name}")
        types = _over(now.types.known, first.types.known, own.types.known, lambda named: f"the type {named.name}")
        known = _over(now.schemas.known, first.schemas.known, own.schemas.known, lambda name: f"the schema {name}")
        sequences = self._sequences_over(now.sequences)
        if macros is now.macros.known and types is now.types.known and known is now.schemas.known:
            return now._replace(sequences=sequences)
        schemas = Schemas(known, now.schemas.search)
        return Defined(now.entries, Macros(macros, schemas), Types(types, schemas), sequences)

    def _sequences_over(self, now: Sequences) -> Sequences:
        first, own = self._first.sequences, self.sequences
        known = _over(now.known, first.known, own.known, lambda sequence: f"the sequence {sequence.name}")
        comments = _over(now.comments, first.comments, own.comments, lambda text: f"the comment {text!r}")
        return now if known is now.known and comments is now.comments else Sequences(known, comments)

    def _put_sequences(self, sequences: Sequences) -> None:
        self._require_writing(False)
        super()._put_sequences(sequences)

    def _put(self, key: Key, entry: Entry | None, step: NextVersion | None = None) -> None:
        self._require_writing(key[0] == TEMP)
        steps = self._changes.setdefault(key, [])
        if step is None or steps is None:
            self._changes[key] = None
        else:
            steps.append(step)
        super()._put(key, entry, step)

    def _rely(self, relied: Relied) -> None:
        self._relied.update(key for key, _ in relied)

    def _require_relied(self, now: Entries) -> None:
        """TransactionError where others changed a table that foreign keys were checked against."""
        for key in self._relied:
            if _change(self._first.entries.get(key)) != _change(now.get(key)):
                raise TransactionError(f"{key[1]}, which a FOREIGN KEY joins, was changed by others", hint=_AGAIN)

    def _put_macros(self, macros: Macros) -> None:
        changed = {*macros.known.values()} ^ {*self.macros.known.values()}
        self._require_writing(all(macro.place == TEMP for macro in changed))
        super()._put_macros(macros)

    def _put_types(self, types: Types) -> None:
        changed = [
            key for key in {**types.known, **self.types.known} if types.known.get(key) is not self.types.known.get(key)
        ]
        self._require_writing(all(key[0] == TEMP for key in changed))
        super()._put_types(types)

    def _put_schemas(self, schemas: Schemas) -> None:
        self._require_writing(False)
        super()._put_schemas(schemas)

    def _search(self, search: tuple[Path, ...]) -> None:
        """As in DuckDB at once, and whether or not the transaction is committed."""
        super()._search(search)
        with self._below._lock:
            self._below._search(search)

    def _require_writing(self, temporary: bool) -> None:
        if self._read_only and not temporary:
            raise TransactionError("the transaction is READ ONLY", hint="BEGIN TRANSACTION lets it write")


def _over(now: Mapping[K, V], first: Mapping[K, V], own: Mapping[K, V], shown: Callable[[V], str]) -> Mapping[K, V]:
    """What there is `now` with the changes from `first` to `own`; TransactionError where others changed the same."""
    if own is first:
        return now
    found = dict(now)
    for key in [key for key in {**first, **own} if first.get(key) is not own.get(key)]:
        if now.get(key) is not first.get(key):
            what = shown(next(one for one in (own.get(key), first.get(key)) if one is not None))
            raise TransactionError(f"{what} was changed by others while the transaction changed it", hint=_AGAIN)
        found.pop(key, None)
        if key in own:
            found[key] = own[key]
    return found


def _require_schemas(defined: Defined) -> None:
    """TransactionError where something is in a schema that others dropped."""
    for place, name, *_ in (*defined.entries, *defined.types.known, *defined.macros.known, *defined.sequences.known):
        if place != TEMP and place not in defined.schemas.known:
            raise TransactionError(f"the schema of {name} was dropped by others", hint=_AGAIN)


def _require_references(entries: Entries) -> None:
    """TransactionError where a foreign key refers to what others dropped."""
    try:
        for key in entries:
            require_keys_of(entries, key)
    except BindError as error:
        raise TransactionError(error.message, hint=_AGAIN) from None


def _change(entry: Entry | None) -> int | None:
    return None if entry is None else entry.change
