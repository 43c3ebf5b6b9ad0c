"""Rows that callers hand in: objects, values, calls of table functions as relations, objects and parameters as rows of tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

from tqp.catalog.schemas import Schemas
from tqp.errors import BindError, QueryInterruptedError, TqpError, with_article
from tqp.expressions.constants import constant
from tqp.io.remote import Storage
from tqp.keywords import identifier
from tqp.relation import Relation
from tqp.relation.answer import Answer
from tqp.relation.writing import path_of
from tqp.session.names import type_name
from tqp.sql import Parameters
from tqp.statements import holds_statements
from tqp.statements.many import chunks

__all__ = ["Objects"]


class Objects:
    """The part of a connection that takes rows of callers."""

    def done(self, text: str, relations: Mapping[str, Answer], storage: Storage | None = None) -> None:
        raise NotImplementedError

    def of_object(self, name: str, value: object) -> Relation:
        raise NotImplementedError

    def _asked(self, text: str) -> Relation:
        raise NotImplementedError

    def execute(self, query: str, parameters: Parameters = None) -> Relation:
        raise NotImplementedError

    @property
    def in_transaction(self) -> bool:
        raise NotImplementedError

    @property
    def schemas(self) -> Schemas:
        raise NotImplementedError

    def from_df(self, df: Any) -> Relation:
        """All rows of a frame, or of anything else that `register` takes but a path, without a name.

        >>> con.from_df({"x": [1, 2]}).filter("x > 1").fetchall()
        [(2,)]
        """
        return self.of_object("an object", df)

    def from_arrow(self, arrow_object: Any) -> Relation:
        """The same as `from_df`."""
        return self.of_object("an object", arrow_object)

    def values(self, *args: Any) -> Relation:
        """Rows of these values: one of several arguments or of a list, or a tuple for each row.

        >>> con.values((1, "a"), (2, "b")).fetchall()
        [(1, 'a'), (2, 'b')]
        """
        is_list = len(args) == 1 and isinstance(args[0], list)
        rows = tuple(args[0]) if is_list else args
        several = bool(rows) and not is_list and all(isinstance(row, tuple) for row in rows)
        if not rows or (several and len({len(row) for row in rows}) > 1):
            raise BindError("values() takes values, or tuples of one length", hint='con.values((1, "a"), (2, "b"))')
        listed = [f"({', '.join(map(constant, row))})" for row in (rows if several else (rows,))]
        names = ", ".join(f"col{place}" for place in range(len(rows[0] if several else rows)))
        return self._asked(f"SELECT * FROM (VALUES {', '.join(listed)}) v({names})")

    def table_function(self, name: str, parameters: Sequence[object] | None = None) -> Relation:
        """The rows of a table function, called with these values.

        >>> con.table_function("range", [1, 7, 2]).fetchall()
        [(1,), (3,), (5,)]
        """
        parameters = () if parameters is None else parameters
        if isinstance(parameters, str) or not isinstance(parameters, Sequence):
            raise BindError(f"the arguments of {name} are a list, not {parameters!r}", hint="[1, 7, 2]")
        return self._asked(f"SELECT * FROM {identifier(name)}({', '.join(map(constant, parameters))})")

    def append(self, table_name: str, df: Any, *, by_name: bool = False) -> Self:
        """Put the rows of a frame, or of anything else that `register` takes but a path, below those of a table.

        Columns go by their places, or `by_name`: then those that the object has not take their default.

        >>> _ = con.execute("CREATE TABLE ages(name VARCHAR, age INTEGER DEFAULT 7)")
        >>> con.append("ages", {"name": ["tom"]}, by_name=True).table("ages").fetchall()
        [('tom', 7)]
        """
        rows = self.of_object("rows given", df)
        self.done(
            f"INSERT INTO {path_of(table_name, self.schemas)} {'BY NAME ' if by_name else ''}FROM rows_given",
            {"rows_given": rows},
        )
        return self

    def executemany(self, query: str, parameters: Iterable[Sequence[object] | Mapping[str, object]]) -> Self:
        """Run a statement with one set of parameters after the other.

        Rows before one that fails stay done, unless a transaction began.

        >>> _ = con.execute("CREATE TABLE pets(name VARCHAR, age INTEGER)")
        >>> con.executemany("INSERT INTO pets VALUES (?, ?)", [("tom", 3), ("kit", 1)]).table("pets").fetchall()
        [('tom', 3), ('kit', 1)]
        """
        for _ in self.each_executed(query, parameters):
            pass
        return self

    def each_executed(self, text: str, rows: Iterable[Sequence[object] | Mapping[str, object]]) -> Iterator[Relation]:
        """What a statement gives for sets of parameters, run one after the other as they are asked for.

        Of an INSERT several rows may go in together; where that fails, each goes in by itself, up to the one that fails.
        """
        if isinstance(text, str) and not holds_statements(text):
            raise BindError("executemany() is for statements such as INSERT", hint="execute() runs a query")
        if isinstance(rows, str | bytes | Mapping) or not isinstance(rows, Iterable):
            raise BindError(
                f"executemany() takes several sets of parameters, not {with_article(type_name(rows))}",
                hint="[(1, 'a'), (2, 'b')]",
            )
        for statement, parameters, taken in chunks(text, rows):
            try:
                done = self.execute(statement, parameters)
            except TqpError as error:
                if len(taken) == 1 or self.in_transaction or isinstance(error, QueryInterruptedError):
                    raise
            else:
                yield done
                continue
            yield from (self.execute(text, row) for row in taken)
