"""Expressions as steps: compiled with a program, for its device, then run batch by batch.

Every distinct node of a program's expressions is one step with a slot of its own, whatever expressions share it: a batch
remembers values by slot, so that what a filter has computed an aggregate finds. A step knows its kernel, where its
arguments lie, and what may spare it from being computed for the rows. Nothing is asked of an expression while batches run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Final, assert_never, cast

import torch

from tqp.data.column import Column, constant
from tqp.device import type_of
from tqp.errors import InternalError
from tqp.functions.registry import OfPairs, find
from tqp.ir.expr import (
    AggregateCall,
    Call,
    Case,
    Cast,
    ColumnRef,
    Exists,
    Expr,
    InSubquery,
    LambdaCall,
    Literal,
    Predict,
    ScalarSubquery,
)
from tqp.ir.inputs import Input, plain
from tqp.ir.node import Node, Spine
from tqp.ir.show import show_call, show_expr
from tqp.ir.visit import postorder
from tqp.limits import Limits
from tqp.locks import ReentrantLock
from tqp.operators.computing import Compute, casting, choosing, free, strict
from tqp.operators.lambdas import applying, asked_by_elements, computes_for_rows
from tqp.operators.predict import found_with, one_of, predict, reads_strings, whole

if TYPE_CHECKING:
    from tqp.operators.batch import Batch, Key, Values

__all__ = ["Compiler", "Step", "Steps"]

_REMEMBERED: Final = 64
"""Expressions of more steps forget a value after its last use, lest a long chain keep every link's."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One node of an expression.

    `compute` gives its column once the values of `keys` are there, which are slots and symbols: `inputs` are the slots of
    steps, `loads` the symbols. What may make that unnecessary (`may_be_spared`): `text`, the one column that the node reads, a
    text, on whose dictionary's entries it may run (`asks_python`: it asks a model string by string); `pairs`, what computes it
    from whole columns and row ids; `together`, the slot of a prediction of all values, of which this is one. `is_guard`: the
    node needs some arguments for some rows only, so that they may fail for others.
    """

    node: Expr
    slot: int
    keys: tuple[Key, ...]
    inputs: tuple[int, ...]
    loads: tuple[str, ...]
    compute: Compute
    text: str | None
    asks_python: bool
    pairs: OfPairs | None
    together: int | None
    is_guard: bool
    may_be_spared: bool

    @property
    def operation(self) -> str:
        """What it does: the name of a function, or `cast`, `case`, `predict`."""
        return self.node.function if isinstance(self.node, Call) else type(self.node).__name__.lower()

    @property
    def parameters(self) -> dict[str, object]:
        """What it is told beside its arguments."""
        match self.node:
            case Cast():
                return {"type": self.node.type, "safe": self.node.safe}
            case Predict():
                node = self.node
                return {
                    "model": node.model,
                    "places": node.places,
                    "output": node.output,
                    "type": node.type,
                    "distinct": node.distinct,
                    "folded": node.folded,
                }
            case LambdaCall():
                return {"type": self.node.dtype, "params": self.node.params, "body": self.node.body}
            case Call() | Case():
                return {"type": self.node.dtype}
            case ColumnRef() | Literal() | ScalarSubquery() | Exists() | InSubquery():
                raise InternalError("a column, a constant or a subquery is no step")
            case _:
                assert_never(self.node)


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Some expressions, the `roots`, as steps in an order that puts arguments first.

    `constants` are those that they read, by slot; `literals` say what they are. `loads`: roots that are columns.
    `is_straight`: all steps are simply computed one after the other. `is_guarded`: some step may do without arguments that
    fail. `drops`: for each step, the slots
    that no later one reads; none where there are few steps.
    """

    roots: tuple[Key, ...]
    order: tuple[Step, ...]
    constants: dict[Key, Column]
    literals: dict[Key, Literal]
    loads: tuple[str, ...]
    is_straight: bool
    is_guarded: bool
    drops: tuple[tuple[int, ...], ...]


class Compiler:
    """The steps of all expressions of a program on one device, within its limits. Safe between threads.

    Each node gets the next slot, so that programs alike have the same slots. What is compiled with the program is all that its
    runs may ask for, once the compiler is `closed`, as a whole or in part: a run makes no step and no constant.
    """

    evaluate: ClassVar[Callable[[Compiler, Expr, Batch], Column]]
    """Evaluates an expression that was compiled on a batch: `tqp.operators.evaluate`, which builds on steps, puts itself here."""

    def __init__(self, device: torch.device, limits: Limits | None = None) -> None:
        self.device = device
        self.limits = type_of(device).limits if limits is None else limits
        self.closed = False
        self.is_first = True
        """It has the constants that its program was planned for."""
        self._lock = ReentrantLock()
        self._compiled: dict[tuple[_Name, ...], Steps] = {}
        self._slots: dict[_Name, int] = {}
        self._known: dict[_Name, _Known] = {}
        self._steps: dict[Key, Step] = {}
        self._constants: dict[Key, Column] = {}
        self._literals: dict[Key, Literal] = {}
        self._inputs: dict[Key, int] = {}
        self._given: Sequence[Literal] | None = None
        """What inputs are by their numbers; None: what they were when the program was planned."""

    def compile(self, exprs: tuple[Expr, ...]) -> Steps:
        """The expressions as steps; linear in their distinct nodes, once for the same expressions.

        InternalError where they are no part of those that were compiled before the compiler was closed.
        """
        names = tuple([_name(expr) for expr in exprs])
        found = self._compiled.get(names)
        if found is None:
            with self._lock:
                found = self._compiled.get(names)
                if found is None:
                    found = self._compiled[names] = self._compile(exprs)
        return found

    @property
    def inputs(self) -> Set[Key]:
        """The slots of the constants that are inputs of the query."""
        return self._inputs.keys()

    def with_inputs(self, literals: Sequence[Literal]) -> Compiler:
        """The same steps with these literals for the inputs of the query, by their numbers; once closed."""
        assert self.closed
        other = copy(self)
        other.is_first = False
        other._given = literals
        changed = {slot: literals[number] for slot, number in self._inputs.items()}
        other._literals = self._literals | changed
        other._constants = self._constants | {
            slot: constant(literal.value, literal.dtype, self.device) for slot, literal in changed.items()
        }
        other._compiled = compiled = self._compiled.copy()
        for names, steps in list(compiled.items()):
            if not changed.keys().isdisjoint(steps.constants):
                compiled[names] = other._with_constants(steps)
        return other

    def shown(self, part: Expr | AggregateCall, names: Mapping[str, str]) -> str:
        """An expression or a call as SQL, with the constants of this program, and the `names` of columns that have one."""
        given = self._given
        if given is not None:

            def value(node: Node) -> Node:
                assert isinstance(node, Input)
                return given[node.number]

            part = cast("Expr | AggregateCall", Spine(part, lambda node: isinstance(node, Input)).rebuilt(value))
        return show_call(part, names) if isinstance(part, AggregateCall) else show_expr(part, names)

    def _with_constants(self, steps: Steps) -> Steps:
        slots = steps.constants
        return replace(
            steps,
            constants={slot: self._constants[slot] for slot in slots},
            literals={slot: self._literals[slot] for slot in slots},
        )

    def _compile(self, exprs: tuple[Expr, ...]) -> Steps:
        met: dict[Key, None] = {}
        for expr in exprs:
            for node in postorder(expr):
                name = _name(node)
                known = self._known.get(name)
                if known is None:
                    if self.closed and isinstance(node, Input) and node is not expr:
                        # What it is part of equals what was compiled, with the other input that this one equals.
                        continue
                    known = self._known[name] = self._meet(node)
                met[known.key] = None
        roots = tuple([self._known[_name(expr)].key for expr in exprs])
        needed = set(roots)
        backwards: list[Step] = []
        for key in reversed(met):
            if key in needed and key in self._steps:
                backwards.append(self._steps[key])
                needed.update(backwards[-1].keys)
        order = tuple(reversed(backwards))
        is_long = len(order) > _REMEMBERED
        is_guarded = any(step.is_guard for step in order)
        return Steps(
            roots,
            order,
            {key: self._constants[key] for key in needed if key in self._constants},
            {key: self._literals[key] for key in needed if key in self._literals},
            tuple([key for key in roots if isinstance(key, str)]),
            not (is_long or is_guarded or any(step.may_be_spared for step in order)),
            is_guarded,
            _drops(order, roots) if is_long else ((),) * len(order),
        )

    def _meet(self, node: Expr) -> _Known:
        """What is known of a node whose children are."""
        if self.closed:
            raise InternalError("a run met an expression that was not compiled with its program")
        reads: dict[str, ColumnRef] = {}
        asks = isinstance(node, Predict) and reads_strings(node)
        each_row = isinstance(node, Call) and find(node.function).each_row
        for child in node.children:
            below = self._known[_name(child)]
            asks |= below.asks_python
            each_row |= below.each_row
            reads.update((ref.symbol, ref) for ref in below.reads)
        match node:
            case ColumnRef():
                return _Known(node.symbol, (node,), False)
            case Literal():
                return _Known(self._constant(node), (), False)
            case Call() if find(node.function).strict and any(map(_is_null, node.args)):
                # The other arguments cannot matter, nor be wrong.
                return _Known(self._constant(Literal(None, node.type)), (), False)
            case Call() | Cast() | Case() | Predict() | ScalarSubquery() | Exists() | InSubquery():
                known = _Known(self._slot(node), tuple(reads.values())[:2], asks, each_row)
                self._steps[known.key] = self._step(node, known)
                return known
            case _:
                assert_never(node)

    def _slot(self, node: Expr) -> int:
        return self._slots.setdefault(_name(node), len(self._slots))

    @property
    def constants(self) -> tuple[tuple[int, Literal], ...]:
        """The constants of all expressions, with their slots."""
        return tuple([(slot, self._literals[slot]) for slot in self._slots.values() if slot in self._literals])

    def _constant(self, literal: Literal) -> Key:
        slot = self._slot(literal)
        if slot not in self._constants:
            # One for all threads and runs: what a model said of a constant is remembered by it.
            self._literals[slot] = known = plain(literal)
            self._constants[slot] = constant(known.value, known.dtype, self.device)
            if isinstance(literal, Input):
                self._inputs[slot] = literal.number
        return slot

    def _step(self, node: Expr, known: _Known) -> Step:
        keys = tuple([self._known[_name(child)].key for child in node.children])
        pairs, together = None, None
        compute: Compute
        match node:
            case LambdaCall():
                compute = applying(node, keys, self._runner(node))
                if computes_for_rows(node):
                    self.compile((asked_by_elements(node),))
            case Call():
                function = find(node.function)
                pairs = function.of_pairs if all(arg.dtype.is_array for arg in node.args) else None
                compute = (strict if function.strict else free)(function.kernel, keys, node.type)
            case Cast():
                compute = casting(keys[0], node.type, node.safe)
            case Case():
                compute = choosing(keys)
            case Predict():
                everything = whole(node)
                if everything != node:
                    together = self._slot(everything)
                compute = _predicting(node, keys, {one: self._slot(one) for one in found_with(node)}, self)
            case ScalarSubquery() | Exists() | InSubquery():
                raise InternalError("a subquery was not decorrelated")
            case ColumnRef() | Literal():
                raise InternalError("a column or a constant is no step")
            case _:
                assert_never(node)
        distinct = tuple(dict.fromkeys(keys))
        reads_text = len(known.reads) == 1 and known.reads[0].dtype.is_coded
        text = known.reads[0].symbol if reads_text and not known.each_row else None
        return Step(
            node=node,
            slot=self._slot(node),
            keys=keys,
            inputs=tuple([key for key in distinct if isinstance(key, int) and key in self._steps]),
            loads=tuple([key for key in distinct if isinstance(key, str)]),
            compute=compute,
            text=text,
            asks_python=known.asks_python,
            pairs=pairs,
            together=together,
            is_guard=_is_guard(node),
            may_be_spared=text is not None or pairs is not None or together is not None,
        )

    def _runner(self, call: LambdaCall) -> Callable[[Batch], Column]:
        """What evaluates the body of a lambda, which is compiled now, on batches of elements."""
        body = call.body
        assert body is not None
        self.compile((body,))
        return lambda batch: Compiler.evaluate(self, body, batch)


def _is_guard(node: Expr) -> bool:
    if isinstance(node, Call) and not isinstance(node, LambdaCall):
        function = find(node.function)
        return function.first_value or function.catches
    return isinstance(node, Case) or (isinstance(node, LambdaCall) and computes_for_rows(node))


_Name = Expr | int


def _name(node: Expr) -> _Name:
    """What a node is known by: an input by its number, as one that equals it now need not do so in another run."""
    return node.number if isinstance(node, Input) else node


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """Of a node: where its value lies, the columns that it reads (of more than one some two), whether a model reads strings.

    `each_row`: it has a function that is computed for each row.
    """

    key: Key
    reads: tuple[ColumnRef, ...]
    asks_python: bool
    each_row: bool = False


def _is_null(expr: Expr) -> bool:
    return isinstance(expr, Literal) and expr.is_null


def _drops(order: Sequence[Step], roots: Sequence[Key]) -> tuple[tuple[int, ...], ...]:
    last = {slot: place for place, step in enumerate(order) for slot in step.inputs if slot not in roots}
    ending: list[list[int]] = [[] for _ in order]
    for slot, place in last.items():
        ending[place].append(slot)
    return tuple([tuple(slots) for slots in ending])


def _predicting(expr: Predict, keys: tuple[Key, ...], slots: dict[Expr, int], compiler: Compiler) -> Compute:
    device, limits = compiler.device, compiler.limits
    own, together = slots[expr], slots[whole(expr)]

    def compute(batch: Batch, values: Values) -> Column:
        # It may have come with another output of the model, in this very run.
        if (known := values.get(own)) is not None:
            return known
        if (known := values.get(together)) is not None:
            return one_of(known, expr)
        found = predict(expr, tuple(map(values.__getitem__, keys)), batch.rows, device, limits)
        for other, column in found.items():
            values[slots[other]] = column
        return found[expr]

    return compute
