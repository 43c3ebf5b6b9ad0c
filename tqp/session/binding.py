"""From a text to a query that is bound: anew, or by the plan of one that was asked before."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING

from tqp.catalog.schemas import SEARCHES, Schemas
from tqp.errors import BindError, with_article
from tqp.garbage import collected, uncollected
from tqp.ir.expr import Literal
from tqp.ir.inputs import Input, Inputs
from tqp.ir.plan import Plan
from tqp.query import Query
from tqp.relation import Relation
from tqp.relation.answer import Answer
from tqp.session.names import Names, type_name
from tqp.session.options import literal_of
from tqp.session.plan_cache import REUSE, PlanCache
from tqp.session.transactions import Transactions
from tqp.session.unreadable import require_supported
from tqp.sql import Models, Parameters, bind
from tqp.sql.gathering import Scattered
from tqp.sql.parameters import Given, fixed, given, given_key, inputs_of, with_inputs
from tqp.sql.session import Session, now
from tqp.sql.written import written
from tqp.types import VARCHAR

if TYPE_CHECKING:
    import torch

    from tqp.catalog.definitions import Macro
    from tqp.config import Settings
    from tqp.data.stored import StoredTable
    from tqp.interrupt import Running
    from tqp.io.remote import Storage
    from tqp.own.randoms import Randoms
    from tqp.sql.assign import Target

__all__ = ["Asked", "Binding"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A text with what its caller gave: values of its parameters, and what names mean beside all that the connection knows.

    With a `target` it is asked for rows of that table; `macro` is one more macro, for this text alone; not `is_read`: it is asked
    for its columns alone. These are for texts in DuckDB's dialect, as statements hold them.
    """

    text: str
    params: Parameters = None
    frame: FrameType | None = None
    relations: Mapping[str, Answer] = field(default_factory=dict)
    read: str = "duckdb"
    target: Target | None = None
    macro: Macro | None = None
    is_read: bool = True


class Binding(Transactions):
    """The part of a connection that binds what it is asked. Safe to use from several threads."""

    settings: Settings
    device: torch.device
    running: Running
    _plans: PlanCache
    _randoms: Randoms

    def tables(self) -> list[str]:
        raise NotImplementedError

    def derived(self, text: str, params: Parameters, relations: Mapping[str, Answer]) -> Query:
        raise NotImplementedError

    def done(self, text: str, relations: Mapping[str, Answer], storage: Storage | None = None) -> None:
        raise NotImplementedError

    def of_object(self, name: str, value: object) -> Relation:
        raise NotImplementedError

    def all_of(self, table: StoredTable) -> Relation:
        raise NotImplementedError

    @property
    def schemas(self) -> Schemas:
        """The schemas that names may say."""
        return self._names.catalog.schemas

    def bound(self, asked: Asked) -> Query:
        """The query of a text; with a `target` that of the rows of that table."""
        self._require_open()
        self.require_whole()
        text, read = asked.text, asked.read
        if not isinstance(text, str):
            raise BindError(f"a query is text, not {with_article(type_name(text))}")
        if not isinstance(read, str):
            raise BindError(f"a dialect is a name, not {with_article(type_name(read))}", hint='read="postgres"')
        names = Names(self._names, asked.frame, asked.relations)
        if asked.target is not None or asked.macro is not None or not asked.is_read:
            return self._bound_once(asked, names)
        params = fixed(asked.params)
        values = given(params)
        over = tuple((name, id(relation)) for name, relation in asked.relations.items())
        around = (
            over,
            names.macros.version,
            names.types.version,
            names.sequences.version,
            names.own.version,
            self.settings,
            self._randoms.is_seeded,
        )
        key = (text, given_key(values), read, around)
        cached = self._plans.get(key, names)
        if cached is not None and not cached.is_dated:
            return cached
        try:
            return self._bound_anew(asked, params, values, names, around, key, gathers=True)
        except Scattered:
            return self._bound_anew(asked, params, values, names, around, key, gathers=False)

    def _bound_anew(
        self,
        asked: Asked,
        params: Parameters,
        values: Given,
        names: Names,
        around: tuple[Hashable, ...],
        key: Hashable,
        gathers: bool,
    ) -> Query:
        """The query, by the plan of another one of its shape where there is one; `gathers`: see `bind`."""
        text, read = asked.text, asked.read
        moment = now()
        reuses = read == "duckdb" and REUSE not in self.settings.disabled_rules
        with uncollected():
            words = written(text, gathers) if reuses else None
        shape: Hashable = None
        inputs = Inputs()
        made: tuple[Input, ...] = ()
        if words is not None:
            kinds, constants = inputs_of(values)
            constants = [*words.literals, *constants, moment]
            shape = (words.shape, kinds, around)
            again = self._plans.again(shape, constants, names, text, params)
            if again is not None:
                self._plans.put(key, again, names)
                return again
            made = inputs.given(constants)
            values = with_inputs(values, made[len(words.literals) : -1])
        session = self._session(names, made[-1] if made else moment)
        models = Models(names.model, names.known_models)
        with uncollected():
            bound = bind(
                text, names.table, values, read, self.tables, models, words, made, self._rows, session, gathers=gathers
            )
            require_supported(bound.plan, text)
        query = Query(
            bound.plan,
            text,
            params,
            self.settings.disabled_rules,
            read,
            names.meanings(),
            inputs,
            bound.called,
            bound.places,
            names.types,
        )
        query.is_dated = bound.is_dated
        if bound.lasting:
            self._plans.put(key, query, names, shape)
        return query

    def _bound_once(self, asked: Asked, names: Names) -> Query:
        """The query of what nobody asks again in the same words."""
        params = fixed(asked.params)
        if asked.macro is not None:
            names.macros = names.macros.having(asked.macro)
        bound = bind(
            asked.text,
            names.table,
            given(params),
            known=self.tables,
            models=Models(names.model, names.known_models),
            run=self._rows,
            session=self._session(names, now()),
            target=asked.target,
        )
        require_supported(bound.plan, asked.text, asked.is_read)
        return Query(
            bound.plan,
            asked.text,
            params,
            self.settings.disabled_rules,
            names=names.meanings(),
            called=bound.called,
            places=bound.places,
            types=names.types,
        )

    def _session(self, names: Names, moment: Literal) -> Session:
        settings = self.settings
        setting = partial(_setting, settings, names.types.schemas)
        own, value = names.own, names.value
        return Session(
            moment,
            settings.time_zone,
            names.macros,
            setting,
            own,
            value,
            settings.order,
            names.types,
            names.sequences,
            names.schema_of,
            self.device,
            self._randoms,
            settings.semantics,
        )

    def _rows(self, plan: Plan) -> Relation:
        """What a query must know before it is bound."""
        require_supported(plan, "")
        found = Relation(self, Query(plan, disabled=self.settings.disabled_rules))
        with collected():
            found.result()
        return found


def _setting(settings: Settings, schemas: Schemas, name: str) -> Literal:
    """The value of a setting; `schema` and `search_path` are kept with the names that they are about."""
    if name in SEARCHES:
        return Literal(schemas.known[schemas.current] if name == "schema" else schemas.searched(), VARCHAR, typed=True)
    return literal_of(settings, name)
