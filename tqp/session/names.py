"""What names mean in one query: each is looked up once, in one order, and how it was found is remembered.

A table is the relation that a query is asked of (`self`), else one that is registered, else a variable of the caller,
else a file. A model is one that is registered, else a variable of the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from tqp.catalog.catalog import Catalog
from tqp.catalog.defined import Defined
from tqp.catalog.definitions import MAIN, TEMP, Variable, View
from tqp.catalog.entries import Meaning
from tqp.catalog.transactions import Transaction
from tqp.catalog.versions import FileTables
from tqp.data.stored import StoredTable
from tqp.errors import BindError, SourceError, TransactionError, with_article
from tqp.io.files import FileCall, is_path, reads_like_path, source_of
from tqp.io.objects import cure, is_fixed, reader_of
from tqp.io.remote import Filesystems
from tqp.ir.plan import Plan
from tqp.kept import Kept
from tqp.models.model import Remembering
from tqp.relation import Relation
from tqp.relation.answer import Answer
from tqp.session.replacement import VariableTables, find_variable, variable_model, variable_models
from tqp.stack import asking_thread

if TYPE_CHECKING:
    from threading import Thread

    import torch

    from tqp.models.model import Model

__all__ = ["Access", "Names", "Namespace", "Resolved", "require_name", "type_name"]


@dataclass(frozen=True, slots=True)
class Access:
    """What queries may reach beside what is registered: files by their path, variables of the caller by their name."""

    files: bool = True
    variables: bool = True
    read_only: bool = False
    """Whether statements leave nothing behind: no table, view, macro, variable, prepared statement or open transaction."""
    systems: Filesystems = field(default_factory=Filesystems)
    """What reads paths behind protocols."""

    def require_files(self, path: object) -> None:
        """Raise SourceError where files are turned off."""
        if not self.files:
            raise SourceError(
                f"{path!r} names a file, and this connection reads none",
                hint="it was made with external_access=False: register the table itself",
            )

    def require_writing(self, word: str) -> None:
        """Raise BindError where statements, of which one begins with `word`, leave nothing behind."""
        if self.read_only:
            raise BindError(
                f"{word} changes what later queries see, and the connection is read-only",
                hint="it was made with read_only=True: ask with SELECT, and register tables in Python",
            )


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a name means: a table, a view, a model, or nothing (None).

    `owner` is the object of the caller that it was read from, a variable or the relation asked, if any. `lasting`: as long
    as the name means the identical object, so does a query with it. Else the object may have changed without a sign.
    """

    meaning: Meaning | Model | None
    owner: object = None
    lasting: bool = True


class Namespace:
    """All that names may mean on one connection."""

    def __init__(
        self,
        device: torch.device,
        access: Access,
        forget: Callable[[StoredTable], None],
        describe: Callable[[str], StoredTable | View | None],
    ) -> None:
        self._committed = Catalog()
        self._transactions: WeakKeyDictionary[Thread, Transaction] = WeakKeyDictionary()
        self.access = access
        self.files = FileTables(device, self._let_go, access.systems)
        self._forget = forget
        self._describe = describe
        """Gives the table or view of a name that describes the connection, as it is now."""
        self.variables = VariableTables(device)
        self.values: Mapping[str, Variable] = {}
        """Those of SET VARIABLE, by name in lower case. Never changed: another mapping takes its place."""
        self.prepared: Mapping[str, str] = {}
        """Texts of prepared statements, as those."""
        self._device = device

    @property
    def catalog(self) -> Catalog:
        """What names mean to the thread that asks: in its transaction, where it has one."""
        return self.transaction or self._committed

    @property
    def transaction(self) -> Transaction | None:
        """The transaction of the thread that asks."""
        return self._transactions.get(asking_thread()) if self._transactions else None

    def begin(self, read_only: bool) -> None:
        """Let the thread that asks have a transaction; TransactionError where it has one."""
        if self.transaction is not None:
            raise TransactionError(
                "a transaction began already, and none goes within it", hint="COMMIT or ROLLBACK first"
            )
        self._transactions[asking_thread()] = Transaction(self._committed, read_only)

    def end(self, commits: bool) -> Transaction:
        """End the transaction of the thread that asks, which is given; TransactionError where there is none."""
        found = self._transactions.pop(asking_thread(), None)
        if found is None:
            raise TransactionError(f"no transaction began, to {'commit' if commits else 'roll back'}", hint="BEGIN")
        if commits:
            found.commit()
        return found

    @contextmanager
    def aborting(self) -> Iterator[None]:
        """An error within leaves the transaction of the thread, if there is one, with nothing to do but end it."""
        try:
            yield
        except BaseException:
            transaction = self.transaction
            if transaction is not None:
                transaction.is_aborted = True
            raise

    def table(self, name: str, frame: FrameType | None = None, defined: Defined | None = None) -> Resolved:
        """What a table's name means. Raises BindError for a variable, SourceError for a file that is no table.

        `defined` is what there was at the time of which the query is, None for now.
        """
        if isinstance(name, FileCall):
            self.access.require_files(name.paths[0])
            return Resolved(self.files.of(name.source))
        found = self.catalog.lookup(name, defined)
        if found is not None:
            return Resolved(found)
        system = self._describe(name)
        if system is not None:
            return Resolved(system, lasting=False)
        value = find_variable(frame, name) if self.access.variables else None
        if value is not None:
            return self._variable(name, value)
        if not self.access.files:
            if reads_like_path(name):
                self.access.require_files(name)
            return Resolved(None)
        return Resolved(self.files.of(source_of(name)) if is_path(name) else None)

    def model(self, name: str, frame: FrameType | None = None) -> Resolved:
        """What a model's name means. Raises ModelError for a variable that is no model."""
        found = self.catalog.model(name)
        if found is not None:
            return Resolved(found)
        value = find_variable(frame, name) if self.access.variables else None
        if value is None:
            return Resolved(None)
        if isinstance(value, str):
            self.access.require_files(value)
        # A model can be trained on, so that a variable's is read anew for the next query.
        return Resolved(variable_model(name, value), value, lasting=False)

    def known_models(self, frame: FrameType | None) -> list[str]:
        """Names of models, for hints."""
        return [*self.catalog.model_names(), *(variable_models(frame) if self.access.variables else ())]

    def view(self, name: str, relation: Answer) -> StoredTable | Plan:
        """The rows of a relation as a table: its plan, or its result where it lives on another device."""
        if relation.connection.settings.device == str(self._device):
            return relation.plan
        reader = reader_of(relation)
        assert reader is not None
        return StoredTable(name, reader, self._device)

    def _let_go(self, table: StoredTable, stale: bool) -> None:
        self._forget(table)
        if stale:
            self._committed.let_go(table)
            self.catalog.let_go(table)

    def _variable(self, name: str, value: Any) -> Resolved:
        if isinstance(value, Relation):
            return Resolved(self.view(name, value), value)
        table = self.variables.table(name, value)
        if table is None:
            raise BindError(
                f"the variable {name} is {with_article(type_name(value))}, which is no table", hint=cure(value)
            )
        return Resolved(table, value, lasting=is_fixed(value))

    def tables(self) -> list[StoredTable]:
        """All stored tables that are known, those of files that are gone or were written since let go first."""
        self.files.sweep()
        return [*self.catalog.tables(), *self.files, *self.variables]

    def kept_answers(self) -> Iterator[Kept]:
        """What the registered models remember."""
        for model in self.catalog.models():
            if isinstance(model.predictor, Remembering) and model.predictor.nbytes:
                yield Kept("answers", model.name, model.predictor.nbytes)

    def forget_read(self) -> None:
        """Let go of all that was read of tables, and of what models remember."""
        self.files.clear()
        self.variables.clear()
        self.catalog.forget_read()
        for model in self.catalog.models():
            if isinstance(model.predictor, Remembering):
                model.predictor.forget()

    def clear(self) -> None:
        self._transactions.clear()
        self._committed.clear()
        self.files.clear()
        self.variables.clear()


class Names:
    """The names of one query. One met twice is one table, even if its object must be read anew for the next query."""

    def __init__(
        self, space: Namespace, frame: FrameType | None, relations: Mapping[str, Answer] | None = None
    ) -> None:
        self._space = space
        self._frame = frame
        self._relations = {name.lower(): relation for name, relation in (relations or {}).items()}
        self._defined = space.catalog.defined
        self.macros = self._defined.macros
        """The macros, as the tables, types and sequences, at the time when the query was asked."""
        self.types = self._defined.types
        self.sequences = self._defined.sequences
        self.tables: dict[str, Resolved] = {}
        """Every name of a table looked up so far."""
        self.models: dict[str, Resolved] = {}
        """Every name of a model looked up so far."""
        self._values = space.values
        self.values: dict[str, Variable | None] = {}
        """Every name of a value of SET VARIABLE looked up so far."""
        self.own = space.catalog.own
        """The functions that the user made, at one time."""

    def meanings(self) -> dict[str, Meaning]:
        """The tables and views looked up so far, by name."""
        found = ((name, resolved.meaning) for name, resolved in self.tables.items())
        return {name: meaning for name, meaning in found if isinstance(meaning, (StoredTable, Plan, View))}

    def table(self, name: str) -> Meaning | None:
        """The table or view of that name; None where there is none."""
        if name not in self.tables:
            relation = self._relations.get(name.lower())
            if relation is None:
                self.tables[name] = self._space.table(name, self._frame, self._defined)
            else:
                self.tables[name] = Resolved(self._space.view(name, relation), relation)
        found = self.tables[name].meaning
        assert found is None or isinstance(found, StoredTable | Plan | View)
        return found

    def schema_of(self, name: str) -> str:
        """The schema of the table or view that a name means; main where that is temporary, or no table of a statement's."""
        key = self._defined.key(name)
        return MAIN if key is None or key[0] == TEMP else key[0]

    def model(self, name: str) -> Model | None:
        """The model of that name; None where there is none."""
        if name not in self.models:
            self.models[name] = self._space.model(name, self._frame)
        return self.models[name].meaning  # type: ignore[return-value]

    def value(self, name: str) -> Variable | None:
        """What SET VARIABLE gave that name; None where there is none."""
        found = self.values[name.lower()] = self._values.get(name.lower())
        return found

    def known_models(self) -> list[str]:
        """Names of models, for hints."""
        return self._space.known_models(self._frame)


def require_name(name: object, kind: str) -> str:
    """The name; BindError where it is none that a query could write."""
    if not isinstance(name, str):
        raise BindError(f"the name of a {kind} is text, not {with_article(type_name(name))}")
    if not name:
        raise BindError(f"the name of a {kind} is empty")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise BindError(f"the name {name!r} of a {kind} is no valid text: it has half of a character") from None
    return str.__str__(name)


def type_name(value: object) -> str:
    """The type of a value, as its module calls it."""
    return f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
