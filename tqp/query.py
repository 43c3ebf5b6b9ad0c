"""A query between its text and its answer: bound, then optimized and planned once, then run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from pathlib import Path
from sys import getsizeof
from textwrap import shorten
from typing import Final, TypeVar

from tqp.catalog.entries import Meaning
from tqp.catalog.named_types import Types
from tqp.catalog.over_tables import latest_plan, tables_of
from tqp.config import Settings
from tqp.data.stored import StoredTable
from tqp.data.table import Table
from tqp.errors import ExecutionError, InternalError, SourceChanged, TqpError
from tqp.garbage import collected, uncollected
from tqp.interrupt import Interrupt
from tqp.ir.expr import Literal
from tqp.ir.inputs import Blank, Inputs
from tqp.ir.plan import Plan, Schema
from tqp.ir.visit import definitions, expressions, walk_query
from tqp.kept import Kept
from tqp.locks import Lock
from tqp.optimizer import fired, optimize
from tqp.physical.announce import announce
from tqp.physical.planner import lower
from tqp.physical.program import Program
from tqp.physical.target import Target
from tqp.runtime import executor, explain, workers
from tqp.runtime.compile import compiled_bytes
from tqp.runtime.fetch import fetch
from tqp.runtime.picture import Picture
from tqp.runtime.profile import profiling
from tqp.runtime.progress import watch
from tqp.runtime.row_groups import excerpted
from tqp.runtime.rowloops import looped_bytes
from tqp.sql import Parameters
from tqp.sql.places import Places

__all__ = ["Query"]

T = TypeVar("T")

_ATTEMPTS: Final = 3
_SHOWN_LETTERS: Final = 160
"""Of a query that Ctrl-C stopped."""
_NODE_BYTES: Final = 2048
"""What a node of a bound plan may come to once it is optimized and lowered: a rough size, for `con.cache()` to show."""


class _Planned:
    """A bound plan, and what is made of it once."""

    def __init__(
        self,
        plan: Plan,
        disabled: frozenset[str],
        inputs: Inputs | None = None,
        tables: tuple[StoredTable, ...] | None = None,
    ) -> None:
        self.schema = plan.schema
        self.tables = tables_of(plan) if tables is None else tables
        self._moving = [table for table in self.tables if table.origin is not None]
        self._bound = plan
        self._disabled = disabled
        self._inputs = inputs
        self._lock = Lock()
        self._plain: Plan | None = None
        self._optimized: Plan | None = None
        self._rules: tuple[str, ...] | None = None
        self._program: Program | None = None
        self._shared: Program | None = None
        self._blanks: tuple[Blank, Blank] | None = None

    def has_changed(self) -> bool:
        """Whether some table is not what its source holds now; SourceError where that cannot be read any more."""
        return any([table.latest() is not table for table in self._moving])

    @property
    def plan(self) -> Plan:
        """The bound plan; its literals are constants to whoever else puts it into a query."""
        with self._lock:
            if self._plain is None:
                self._plain = self._closed(self._bound)
            return self._plain

    def optimized(self) -> Plan:
        with self._lock:
            return self._closed(self._optimize())

    def rules(self) -> tuple[str, ...]:
        with self._lock:
            if self._rules is None:
                self._rules = fired(self._closed(self._bound), disabled=self._disabled)
            return self._rules

    def again(self, values: Sequence[Literal]) -> _PlannedAgain | None:
        """The same with other inputs given; None where it does not serve these, or nothing is planned yet."""
        if self._inputs is None or self._shared is None:
            return None
        literals = self._inputs.again(values)
        return None if literals is None else _PlannedAgain(self, literals)

    def blanks(self) -> tuple[Blank, Blank]:
        """The bound and the optimized plan with their inputs open."""
        with self._lock:
            if self._blanks is None:
                assert self._inputs is not None
                self._blanks = Blank(self._bound, self._inputs), Blank(self._optimize(), self._inputs)
            return self._blanks

    def program(self, target: Target) -> Program:
        """What runs."""
        with self._lock:
            if self._program is None or self._program.target != target:
                self._program = self._lower(target)
            return self._program

    def own_program(self, target: Target) -> Program:
        """What runs, as it would be planned for these inputs: to be shown."""
        return self.program(target)

    def shared(self, target: Target) -> Program | None:
        """The program that serves other inputs, if it was made for the target."""
        return self._shared if self._shared is not None and self._shared.target == target else None

    def kept(self) -> tuple[int, list[int]]:
        """Bytes of the plan, by the number of its nodes, and of each function that was compiled for it."""
        trees = (*definitions(self._bound), self._bound)
        nodes = sum(1 + len(expressions(node)) for tree in trees for node in walk_query(tree))
        pipelines = self._program.pipelines if self._program else ()
        sizes = [bytes_of(pipeline) for pipeline in pipelines for bytes_of in (compiled_bytes, looped_bytes)]
        return nodes * _NODE_BYTES, [size for size in sizes if size is not None]

    def _closed(self, plan: Plan) -> Plan:
        """One of its plans with constants for its inputs, for whom other values are none of."""
        return plan if self._inputs is None else Blank(plan, self._inputs).filled(self._inputs.literals)

    def _optimize(self, threads: int = 0) -> Plan:
        """The plan that runs; with `threads` these read at once what it will read."""
        if self._optimized is None:
            read = _collecting(partial(fetch, threads=threads)) if threads else None
            with uncollected():
                self._optimized = optimize(
                    self._bound, disabled=self._disabled, excerpt=_collecting(excerpted), pruned=read
                )
        return self._optimized

    def _lower(self, target: Target) -> Program:
        plan = self._optimize(target.threads)
        with uncollected():
            if self._inputs is None or not self._inputs.is_open:
                return lower(self._closed(plan), target)
            self._shared = lower(plan, target)
            self._inputs.close()
            return self._shared


def _collecting(read: Callable[[Plan], T]) -> Callable[[Plan], T]:
    """What reads files for a plan, which may take long: Python looks for garbage meanwhile."""

    def work(plan: Plan) -> T:
        with collected():
            return read(plan)

    return work


class _PlannedAgain(_Planned):
    """What was planned for other inputs, with these `literals` in their places."""

    def __init__(self, origin: _Planned, literals: Sequence[Literal]) -> None:
        super().__init__(origin._bound, origin._disabled, tables=origin.tables)
        self._origin = origin
        self._literals = literals

    def rules(self) -> tuple[str, ...]:
        return self._origin.rules()

    def own_program(self, target: Target) -> Program:
        return lower(self.optimized(), target)

    def _lower(self, target: Target) -> Program:
        shared = self._origin.shared(target)
        return lower(self._optimize(), target) if shared is None else shared.with_inputs(self._literals)

    def _closed(self, plan: Plan) -> Plan:
        return self._origin.blanks()[0].filled(self._literals) if plan is self._bound else plan

    def _optimize(self, threads: int = 0) -> Plan:
        if self._optimized is None:
            self._optimized = self._origin.blanks()[1].filled(self._literals)
        return self._optimized


class Query:
    """A bound query; it is optimized and planned when first needed, once for each version of the files it reads.

    One run sees one version of every file: where one was written since the query was bound, or is written while it runs,
    the query moves on to the file as it is then and starts again. It may run on several threads at once.
    """

    def __init__(
        self,
        plan: Plan,
        text: str | None = None,
        params: Parameters = None,
        disabled: frozenset[str] = frozenset(),
        read: str = "duckdb",
        names: Mapping[str, Meaning] | None = None,
        inputs: Inputs | None = None,
        called: Mapping[str, str] | None = None,
        places: Places | None = None,
        types: Types | None = None,
    ) -> None:
        self.text = text
        self.params = params
        self.read = read
        self.names = names or {}
        """What the names of tables in the text mean."""
        self.called = called or {}
        """What the text calls columns that have another symbol in the plan."""
        self.places = places
        """Where the text says the parts of the plan."""
        self.types = types or Types()
        """The named types that the text may name."""
        self.disabled = disabled
        self.is_dated = False
        """Whether the answer depends on when the query was asked."""
        self._planned = _Planned(plan, disabled, inputs)

    def again(self, values: Sequence[Literal], text: str, params: Parameters) -> Query | None:
        """The query of another text or other parameters that differ from these in their inputs alone, planned as this one was.

        None where the plan of this one does not serve those `values`, or is not made yet.
        """
        planned = self._planned.again(values)
        if planned is None:
            return None
        query = copy(self)
        query.text, query.params, query._planned = text, params, planned
        return query

    @property
    def is_reused(self) -> bool:
        """Whether the plan is that of a query with other constants."""
        return isinstance(self._planned, _PlannedAgain)

    @property
    def plan(self) -> Plan:
        """The bound plan, before optimization."""
        return self._planned.plan

    @property
    def schema(self) -> Schema:
        """The columns of the result."""
        return self._planned.schema

    @property
    def tables(self) -> tuple[StoredTable, ...]:
        """The stored tables that it reads."""
        return self._planned.tables

    @property
    def optimized(self) -> Plan:
        """The plan that runs, over what its files hold now."""
        return self._on_latest(lambda planned: planned.optimized())

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules of the optimizer that changed the plan."""
        return self._on_latest(lambda planned: planned.rules())

    def run(self, settings: Settings, interrupt: Interrupt, timeout: float | None = None) -> Table:
        """Execute the query; errors show its text. QueryInterruptedError or QueryTimeoutError as `workers.call` says."""
        watched = watch(settings, interrupt, self.text)
        if watched is None:
            return self._do(lambda program: executor.run(program, settings), settings, interrupt, timeout, shown=False)

        def run(program: Program) -> Table:
            return executor.run(program, settings, watched.counter)

        with watched:
            return self._do(run, settings, interrupt, timeout, shown=False, meanwhile=watched.look)

    def trace(self, settings: Settings, interrupt: Interrupt, timeout: float | None = None) -> str:
        """Execute the query and say what each step did."""
        return self._do(lambda program: explain.analyze(program, settings), settings, interrupt, timeout)

    def measured(self, settings: Settings, interrupt: Interrupt, timeout: float | None = None) -> str:
        """The same as JSON."""
        return self._do(lambda program: explain.measured(program, settings), settings, interrupt, timeout)

    def picture(self, settings: Settings, interrupt: Interrupt, timeout: float | None = None) -> Picture:
        """Execute the query and draw what each step did."""
        return self._do(lambda program: explain.drawn(program, settings, self.text), settings, interrupt, timeout)

    def steps(self, settings: Settings, interrupt: Interrupt, timeout: float | None = None) -> str:
        """The program as data, one line a step, with the layouts of all columns, without running it."""
        return self._do(lambda program: program.view.text(announce(program, settings)), settings, interrupt, timeout)

    def listing(self, settings: Settings, interrupt: Interrupt, timeout: float | None = None) -> str:
        """Execute the query and list what ran as torch code."""
        return self._do(lambda program: explain.program_text(program, settings), settings, interrupt, timeout)

    def profile(self, path: Path, settings: Settings, interrupt: Interrupt, timeout: float | None = None) -> Path:
        """Execute the query under torch's profiler, and write what that saw to the path."""
        with profiling(path) as observer:
            self._do(lambda program: executor.run(program, settings, observer), settings, interrupt, timeout)
        return path

    def kept(self) -> Iterator[Kept]:
        """The plan, and what was compiled for it."""
        text = " ".join((self.text or "").split())
        plan, compiled = self._planned.kept()
        yield Kept("plan", text, plan + getsizeof(self.text))
        for size in compiled:
            yield Kept("compiled", text, size)

    def _on_latest(self, action: Callable[[_Planned], T]) -> T:
        """The action over what the files hold now, again where one changes under it."""
        for _ in range(_ATTEMPTS - 1):
            try:
                return action(self._latest())
            except SourceChanged:
                continue
        return action(self._latest())

    def _latest(self) -> _Planned:
        planned = self._planned
        if planned.has_changed():
            plan = latest_plan(planned.plan, planned.tables)
            if plan is not planned.plan:
                self._planned = planned = _Planned(plan, self.disabled)
        return planned

    def _do(
        self,
        action: Callable[[Program], T],
        settings: Settings,
        interrupt: Interrupt,
        timeout: float | None,
        shown: bool = True,
        meanwhile: Callable[[], None] | None = None,
    ) -> T:
        target = Target.of(settings)

        def work() -> T:
            return self._on_latest(
                lambda planned: action(planned.own_program(target) if shown else planned.program(target))
            )

        try:
            return workers.call(work, interrupt, timeout, meanwhile)
        except TqpError as error:
            if isinstance(error, ExecutionError):
                error.within(self.called, self.text, None if self.places is None else self.places.find)
            if self.text is not None:
                error.with_text(self.text)
            raise
        except KeyboardInterrupt as error:
            if self.text is not None:
                error.add_note(f"the query: {shorten(self.text, _SHOWN_LETTERS, placeholder=' …')}")
            raise
        except Exception as error:
            message = f"tqp failed on this query: {type(error).__name__}: {error}"
            raise InternalError(message, hint="this is a bug in tqp: please report it with the query") from error
