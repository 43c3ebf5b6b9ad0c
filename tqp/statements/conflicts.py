"""ON CONFLICT: what becomes of new rows that have a key in common with one that is stored, or with one before them."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from tqp.catalog.definitions import UniqueKey
from tqp.catalog.entries import Entry
from tqp.catalog.references import Relied
from tqp.data.column import Column
from tqp.errors import BindError, UnsupportedError
from tqp.io.rows import Rows
from tqp.keywords import quoted_name
from tqp.sql.changes import Changes, Partner
from tqp.sql.generated import stored
from tqp.statements.assignments import column_places, read_assignments
from tqp.statements.caller import Caller
from tqp.statements.constraints import require_held, require_held_after
from tqp.statements.foreign_keys import require_partners, require_references
from tqp.statements.head import Head, Sheet
from tqp.statements.returning import ends_clause
from tqp.statements.versions import require_values, rows_of

__all__ = ["OnConflict", "read_conflict"]

_NEW = "excluded"


@dataclass(frozen=True, slots=True)
class OnConflict:
    """`keys`: the columns of the key that is meant; None: any. `query` has the new values of `columns`; None: rows are left out.

    `replaces`: these columns, or where there are none all, get the values of the new row. Of several new rows with one key
    the first one counts.
    """

    keys: tuple[str, ...] | None = None
    query: str | None = None
    columns: tuple[tuple[str, ...], ...] = ()
    replaces: bool = False

    def applied(self, caller: Caller, place: str, entry: Entry, name: str, new: Rows) -> tuple[Rows, Rows, Relied]:
        """The rows of the table with the new ones, those that were put there or changed, and the tables that these were checked
        against. Its own rows go by `name`.
        """
        keys = self._meant(entry)
        stored = rows_of(entry)
        if self.query is None and not self.replaces:
            for key in keys:
                new = new.without(_met(caller, entry, key, new, stored))
            for key in keys:
                new = new.without(_repeated(caller, key, new))
            require_values(entry.name, entry.rules, [new.column(rule.name) for rule in entry.rules])
            require_held(caller, entry, new, stored)
            return new.below(stored), new, require_partners(caller, place, entry, new, stored)
        (key,) = keys
        new = new.without(_repeated(caller, key, new))
        met = _met(caller, entry, key, new, stored)
        numbers, columns, values = self._changed(caller, entry, name, key, new)
        require_values(entry.name, [entry.rules[column] for column in columns], values)
        given = dict(zip(columns, values, strict=True))
        changed = Rows(entry.schema, (), caller.connection.device).appended(stored.chosen(numbers, given))
        after = stored.replaced(numbers, given)
        named = [entry.rules[column].name for column in columns]
        require_held_after(caller, entry, changed, after, named)
        relied = require_references(caller, place, entry, numbers, changed, named)
        added = new.without(met)
        require_values(entry.name, entry.rules, [added.column(rule.name) for rule in entry.rules])
        require_held(caller, entry, added, after)
        relied = (*relied, *require_partners(caller, place, entry, added, after))
        return added.below(after), added.below(changed), relied

    def _meant(self, entry: Entry) -> list[UniqueKey]:
        """The keys that a conflict is about; BindError where there is none, or for new values several."""
        keys = entry.unique
        if self.keys is not None:
            wanted = {column.lower() for column in self.keys}
            keys = [key for key in keys if {column.lower() for column in key.columns} == wanted]
            if not keys:
                raise BindError(f"({', '.join(self.keys)}) is no key of {entry.name}", hint="PRIMARY KEY or UNIQUE")
            return keys[:1]
        if not keys:
            raise BindError(f"{entry.name} has no key that rows could have in common", hint="PRIMARY KEY or UNIQUE")
        if len(keys) > 1 and (self.query is not None or self.replaces):
            raise BindError(f"{entry.name} has several keys", hint="ON CONFLICT (columns) names one of them")
        return keys

    def _changed(
        self, caller: Caller, entry: Entry, name: str, key: UniqueKey, new: Rows
    ) -> tuple[Tensor, list[int], list[Column]]:
        """The numbers of the stored rows that change, the places of the columns that do, and their values."""
        query, columns = self.query, self.columns
        if query is None:
            given = {column.lower() for names in self.columns for column in names}
            free = [rule.name for rule in stored(entry.rules) if rule.name not in key.columns]
            columns = tuple((column,) for column in free if not given or column.lower() in given)
            listed = ", ".join(f"{_NEW}.{quoted_name(name)}" for (name,) in columns)
            query = f"SELECT {listed or '1'}"
        table = caller.table_of(_NEW, new)
        own = caller.table_of(entry.name, rows_of(entry))
        partner = Partner(table, _NEW, keys=key.columns, is_qualified=True)
        target = Changes(own, entry.rules, "ON CONFLICT", name, columns=columns, partner=partner)
        numbers, *values = caller.part(query).changes(query, target)
        return numbers.data.long(), column_places(entry, columns), values


def _met(caller: Caller, entry: Entry, key: UniqueKey, new: Rows, stored: Rows) -> Tensor:
    """The numbers of the new rows whose key a stored one has."""
    partner = Partner(caller.table_of(entry.name, stored), entry.name, keys=key.columns)
    target = Changes(caller.table_of(_NEW, new), entry.rules, "INSERT", _NEW, partner=partner)
    return caller.without_parameters().changes("SELECT 1", target)[0].data.long()


def _repeated(caller: Caller, key: UniqueKey, new: Rows) -> Tensor:
    """The numbers of the rows whose key one before them has."""
    numbered, number = new.numbered()
    names = ", ".join(map(quoted_name, key.columns))
    known = " AND ".join(f"{quoted_name(column)} IS NOT NULL" for column in key.columns)
    text = (
        f"SELECT {quoted_name(number)} FROM {_NEW} WHERE {known} "
        f"QUALIFY row_number() OVER (PARTITION BY {names} ORDER BY {quoted_name(number)}) > 1"
    )
    own = caller.connection.all_of(caller.table_of(_NEW, numbered))
    result = caller.without_parameters().query(text, relations={_NEW: own}).result()
    return result.columns[0].expand(result.rows).data.long()


def read_conflict(head: Head, verb: int) -> OnConflict:
    """ON CONFLICT [(columns)] DO NOTHING or DO UPDATE SET …, which is passed; the statement's word is number `verb`."""
    head.need("ON", "CONFLICT")
    keys = head.identifiers() if head.word == "(" else None
    if head.word in ("WHERE", "ON"):
        hint = "ON CONFLICT (columns) names a key by its columns"
        raise UnsupportedError(f"ON CONFLICT … {head.word} is not supported", hint=hint, text=head.text)
    head.need("DO")
    if head.take("NOTHING"):
        return OnConflict(keys)
    head.need("UPDATE")
    sheet = Sheet(head)
    sheet.keep(head.first, verb)
    sheet.write("SELECT", verb)
    columns = read_assignments(head, sheet)
    if head.word == "WHERE":
        start = head.place
        head.place += 1
        head.expression(ends_clause)
        sheet.keep(start, head.place)
    return OnConflict(keys, sheet.text, columns)
