"""What is compiled of a pipeline's aggregation, kept between its runs, and for which constants it serves.

A pipeline that only filters and projects a stored table before it aggregates into groups known ahead is a function of the table's
columns. How such a function is compiled is the business of `tqp.runtime.compile` and `tqp.runtime.rowloops`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, Generic, TypeVar
from weakref import WeakKeyDictionary

from torch import Tensor

from tqp.data.column import Column
from tqp.errors import ExecutionError
from tqp.functions.aggregates import Totals, aggregate_of
from tqp.kernels.operation import NotTraceable
from tqp.locks import Lock
from tqp.operators.filter import FilterStage, ProjectStage
from tqp.operators.grouping_sets import rows_by
from tqp.operators.operator import Run
from tqp.operators.scan import TableSource
from tqp.operators.slots import DirectAggregation
from tqp.operators.steps import Compiler
from tqp.physical.pipeline import Pipeline
from tqp.runtime.given import Given, Rehearsal
from tqp.runtime.masked import FewGroups, Masked
from tqp.runtime.sides import Side, side_of

__all__ = ["COMPILING", "Codes", "Parts", "Share", "StoredColumns", "source_of"]

Code = TypeVar("Code")
Made = TypeVar("Made")

Share = Callable[[Callable[[], Any], int], list[Any]]
"""Has work done by as many workers as there are, at most so many; gives what each of them made."""

COMPILING: Final = Lock()
"""Held by the one thread that traces, as the tracer keeps to no thread."""
_MOST_CODES: Final = 8
"""Functions that are kept for one pipeline, each for constants of other classes."""
_MOST_JOINED: Final = 16
"""Functions that are ever made for a pipeline that joins: build sides whose columns have other bounds in each run get no more."""


@dataclass(frozen=True, slots=True, eq=False)
class StoredColumns:
    """The first `rows` rows of a source's columns, and the tensors that compiled functions read in their place.

    Kept with the program, as stored columns do not change.
    """

    columns: dict[str, Column]
    tensors: list[Tensor]
    rows: int

    @staticmethod
    def of(source: TableSource, rows: int, read: Callable[[Tensor], Tensor]) -> StoredColumns:
        """Those of a table; `read` gives what is read in place of a column's numbers."""
        columns = {symbol: column.slice(0, rows) for symbol, column in source.columns.items()}
        if not columns or any(column.has_elements for column in columns.values()):
            raise NotTraceable("a column holds more than a number a row")
        tensors: list[Tensor] = []
        for column in columns.values():
            tensors += [read(column.data)] if column.valid is None else [read(column.data), column.valid]
        return StoredColumns(columns, tensors, rows)

    @property
    def nbytes(self) -> int:
        """Bytes of the tensors that are not the columns' own."""
        own = [column.data for column in self.columns.values()] + [column.valid for column in self.columns.values()]
        return sum(new.nbytes for new in self.tensors if all(new is not tensor for tensor in own))

    def over(self, tensors: Sequence[Tensor]) -> dict[str, Column]:
        """The columns on other tensors, in the order of these."""
        rest = iter(tensors)
        columns = {}
        for symbol, column in self.columns.items():
            data = next(rest)
            columns[symbol] = replace(column, data=data, valid=None if column.valid is None else next(rest))
        return columns


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """What is compiled: the pipeline in a run, the eager sink that takes its states, the columns, what is given beside them.

    `sides` are what joins look rows up in.
    """

    pipeline: Pipeline
    run: Run
    eager: FewGroups
    stored: StoredColumns
    given: Given
    sides: Sequence[Side] = ()

    def traced(self, rows: int) -> list[Tensor]:
        """What the function takes after its columns, for a trace of so many rows."""
        return [*self.given.tensors, *(part for side in self.sides for part in side.traced(rows))]

    def masked(self, tensors: Iterable[Tensor], block: int) -> Masked:
        """The pipeline's computation with constants and build sides in these tensors."""
        rest = iter(tensors)
        evaluator = self.given.evaluator(self.run.evaluator, list(islice(rest, len(self.given.tensors))))
        return Masked(self.pipeline, self.eager, evaluator, block, [side.over(rest) for side in self.sides])


def source_of(pipeline: Pipeline, rowwise: bool = False) -> TableSource:
    """The source of a pipeline that can be one function of rows, except for its joins; NotTraceable of others."""
    if not isinstance(pipeline.source, TableSource):
        raise NotTraceable("it does not read a stored table")
    plan = rows_by(pipeline.sink)
    if plan is None:
        raise NotTraceable("it does not end in an aggregation by few groups")
    for call in plan.aggregates:
        known = aggregate_of(call)
        is_total = known.totals in (Totals.COUNTS, Totals.SUMS)
        if not (is_total or (rowwise and (known.totals is Totals.MOMENTS or known.extreme is not None))):
            raise NotTraceable(f"{call.function} is not compiled")
    return pipeline.source


@dataclass(frozen=True, slots=True, eq=False)
class _Taken(Generic[Code]):
    """What a program takes with build sides of this key, and the constants that it gives."""

    code: Code | NotTraceable
    given: list[Tensor]
    sides: Hashable


class Codes(Generic[Code]):
    """The functions that were compiled for a pipeline, or why none could be; and which of them the constants of a program take.

    `rowwise`: they are loops over rows, which may look these up in build sides, and keep least and greatest values.
    """

    def __init__(
        self,
        store: Callable[[TableSource, Run], StoredColumns],
        make: Callable[[Parts], Code],
        rowwise: bool = False,
    ) -> None:
        self._store = store
        self._make = make
        self._rowwise = rowwise
        self._stored: StoredColumns | None = None
        self._codes: dict[Hashable, Code | NotTraceable] = {}
        self._made = 0
        self._taken: WeakKeyDictionary[Compiler, _Taken[Code]] = WeakKeyDictionary()

    @property
    def nbytes(self) -> int | None:
        """Bytes of columns that were made for them, and of what they are given; None where there is none."""
        taken = [one for one in self._taken.values() if not isinstance(one.code, NotTraceable)]
        if self._stored is None or not taken:
            return None
        return self._stored.nbytes + sum(tensor.nbytes for one in taken for tensor in one.given)

    def of(self, pipeline: Pipeline, run: Run, eager: FewGroups) -> tuple[Code, list[Tensor]]:
        """What the run takes, and what it gives to it; NotTraceable where the pipeline does not allow it.

        Nothing is done twice for the program of a run; one with other constants goes through the pipeline once without rows.
        """
        source = source_of(pipeline, self._rowwise)
        joins = [stage for stage in pipeline.stages if not isinstance(stage, FilterStage | ProjectStage)]
        if joins and not self._rowwise:
            raise NotTraceable("it joins")
        sides = [side_of(stage, run) for stage in joins]
        key = tuple([side.key for side in sides])
        compiler = run.evaluator.compiler
        found = self._taken.get(compiler)
        if found is None or found.sides != key:
            try:
                code, given = self._found(pipeline, run, eager, source, sides, key)
            except NotTraceable as refusal:
                code, given = NotTraceable(*refusal.args), []
            found = self._taken[compiler] = _Taken(code, given, key)
        if isinstance(found.code, NotTraceable):
            raise NotTraceable(*found.code.args)
        return found.code, [*found.given, *(tensor for side in sides for tensor in side.tensors)]

    def _found(
        self,
        pipeline: Pipeline,
        run: Run,
        eager: FewGroups,
        source: TableSource,
        sides: Sequence[Side],
        sides_key: Hashable,
    ) -> tuple[Code | NotTraceable, list[Tensor]]:
        if self._stored is None:
            self._stored = self._store(source, run)
        given = _given(pipeline, run, eager, self._stored, sides)
        groups = tuple(layout.key for layout in eager.layout.layouts) if isinstance(eager, DirectAggregation) else None
        key = given.key, groups, sides_key
        code = self._codes.pop(key, None)
        if code is None:
            if sides and self._made >= _MOST_JOINED:
                raise NotTraceable("what it joins with has ever other forms")
            self._made += 1
            parts = Parts(pipeline, run, eager, self._stored, given, sides)
            code = _refusing(lambda: self._make(parts))
        self._codes[key] = code
        if len(self._codes) > _MOST_CODES:
            del self._codes[next(iter(self._codes))]
        return code, given.tensors


def _refusing(make: Callable[[], Made]) -> Made | NotTraceable:
    """What `make` gives, or its refusal, without what that was raised in, which is not to be kept."""
    try:
        return make()
    except NotTraceable as refusal:
        return NotTraceable(*refusal.args)


def _given(pipeline: Pipeline, run: Run, eager: FewGroups, stored: StoredColumns, sides: Sequence[Side]) -> Given:
    """What the run gives to the pipeline beside rows and build sides."""
    rehearsal = Rehearsal(run.evaluator)
    try:
        Masked(pipeline, eager, rehearsal, run.limits.summed_rows, sides).values(
            stored.over([tensor[:0] for tensor in stored.tensors]), 0
        )
    except ExecutionError as error:
        raise NotTraceable(f"it fails for any row: {error}") from error
    return rehearsal.given()
