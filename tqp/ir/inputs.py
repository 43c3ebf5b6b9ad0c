"""Literals that are inputs of a query: what planning learned of their values, and whether that holds of others.

An `Input` is a literal that came from the query's text or parameters, or that was computed from such. `Inputs` writes down all
that planning makes of their values while it is open:

- Who reads `.value` has built on the value: it must be the same again.
- Rules and binder look for what is there twice. Who finds two inputs equal, or compares one with a literal that is none, has
  asked a question. Inputs that differ must differ again where somebody may have met that: two nodes that are the same except for
  inputs, in a set or in a dictionary, are told apart by their hashes alone.
- `decide` asks a question: its answer must be the same again.
- `derived` computes a literal, which is an input again: other values give another one.
- `Literal.is_null` may be asked freely, as the answer is always the same again; so may `Literal.estimated`, by whoever only
  estimates.

So code that knows nothing of inputs is right: it reads `.value`, and the plan serves that value alone. `again` says whether a
plan serves other values, and with what literals; `Blank` puts these into it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from tqp.errors import InternalError
from tqp.ir.expr import Literal, Value
from tqp.ir.node import HASHED, Node, Spine
from tqp.types import BOOLEAN, DType

if TYPE_CHECKING:
    from tqp.ir.plan import Plan

__all__ = ["Blank", "Input", "Inputs", "decide", "decided", "derived", "plain", "settled"]

A = TypeVar("A", bound=Hashable)
L = TypeVar("L", bound=Literal | None)

_MOST_COMPARED: Final = 20_000
"""Inputs in all sets of those that may have been told apart: of more the plan serves no others."""
_MOST_STEPS: Final = 10_000
"""Of a query on whose inputs more hangs than this no plan is kept for other values."""


class Input(Literal):
    """A literal that may be another one when the plan is used again.

    It equals the literal of its value. `number` is its place among all of its `inputs`.
    """

    _kind = Literal
    is_input = True
    inputs: Inputs
    number: int
    literal: Literal
    """The literal of the value, for who has seen to it that nothing is built on that."""

    def __init__(self, inputs: Inputs, number: int, literal: Literal) -> None:
        fields = {"inputs": inputs, "number": number, "type": literal.type, "typed": literal.typed}
        self.__dict__.update(fields, literal=literal, _hash=hash(literal))

    @property
    def value(self) -> Value:
        """The value, on which the plan builds from now on."""
        self.inputs.fix(self.number)
        return self.literal.value

    @property
    def is_null(self) -> bool:
        return self.literal.is_null

    @property
    def estimated(self) -> Value:
        return self.literal.value

    def fix(self) -> None:
        """The plan serves this value alone."""
        self.inputs.fix(self.number)

    def parts(self) -> tuple[object, ...]:
        return self.literal.parts()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Literal) and other is not self:
            return decide(_are_equal, self, other)
        return self is other

    def __hash__(self) -> int:
        HASHED.inputs += 1
        self.inputs.sought(self.number)
        return self._hash

    def held_in(self, around: int, place: int) -> None:
        self.inputs.held(self.number, around, place)

    def taken_for(self, other: Node) -> None:
        if isinstance(other, Literal):
            decide(_are_equal, self, other)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question about inputs, and the answer that the plan builds on."""

    function: Callable[..., Hashable]
    about: tuple[int | Literal, ...]
    rest: tuple[Hashable, ...]
    answer: Hashable

    def holds(self, known: list[Literal]) -> bool:
        return self.function(*_literals(self.about, known), *self.rest) == self.answer


@dataclass(frozen=True, slots=True)
class _Made:
    """An input that is computed from others: of that type, and NULL or not as it was."""

    function: Callable[..., Literal | None]
    about: tuple[int | Literal, ...]
    rest: tuple[Hashable, ...]
    kind: tuple[type[Value], DType, bool]

    def holds(self, known: list[Literal]) -> bool:
        found = self.function(*_literals(self.about, known), *self.rest)
        if found is None or _kind(found) != self.kind:
            return False
        known.append(found)
        return True


@dataclass(frozen=True, slots=True)
class _Stays:
    """An input that is computed from such as must be the same again."""

    literal: Literal

    def holds(self, known: list[Literal]) -> bool:
        known.append(self.literal)
        return True


class Inputs:
    """The inputs of one query and, while it is open, what its planning builds on their values.

    Open, it is for one thread at a time.
    """

    def __init__(self) -> None:
        self.is_open = True
        self._literals: list[Literal] = []
        self._given = 0
        self._steps: list[_Asked | _Made] = []
        self._left: list[_Asked | _Made | _Stays] = []
        self._known: dict[Hashable, Any] = {}
        self._fixed: set[int] = set()
        self._sought: list[int] = []
        self._held: defaultdict[tuple[int, int], dict[int, None]] = defaultdict(dict)
        self._told_apart: list[tuple[tuple[int, ...], list[int]]] = []
        self._serves = True
        """Whether other values are asked about at all: to compare a great many with each other takes longer than a plan."""

    def given(self, literals: Iterable[Literal]) -> tuple[Input, ...]:
        """The literals that the user gave, in the order in which `again` takes others; before all else."""
        assert not self._steps
        made = tuple([self._add(literal) for literal in literals])
        self._given = len(self._literals)
        return made

    def close(self) -> None:
        """Nothing is written down any more: the program is made."""
        made = self._given
        left: list[_Asked | _Made | _Stays] = []
        for step in self._steps:
            is_fixed = all(isinstance(one, Literal) or one in self._fixed for one in step.about)
            if isinstance(step, _Made):
                if is_fixed:
                    self._fixed.add(made)
                left.append(_Stays(self._literals[made]) if is_fixed else step)
                made += 1
            elif not is_fixed:
                left.append(step)
        self._left = left
        comparable = self._comparable()
        self._serves = sum(map(len, comparable)) <= _MOST_COMPARED
        if self._serves:
            self._told_apart = [(some, _alike([self._literals[one] for one in some])) for some in comparable]
        self._sought, self._held = [], defaultdict(dict)
        self.is_open = False

    def _comparable(self) -> set[tuple[int, ...]]:
        """Sets of inputs of which two may have been told apart: those that stand at one place of nodes that are the same
        around it, and those that were looked for by themselves."""
        places = [tuple(some) for some in self._held.values()]
        by_themselves = tuple([number for number, times in enumerate(self._sought) if times])
        # What the parser has seen may be a literal in the plan that is no input.
        met = {number for some in places for number in some}.union(by_themselves)
        unseen = tuple([number for number in sorted(self._fixed) if number < self._given and number not in met])
        return {
            (*unseen, *some)
            for some in (*places, by_themselves)
            if len(some) + len(unseen) > 1 and not self._fixed.issuperset(some)
        }

    def sought(self, number: int) -> None:
        """Somebody asks for the input's hash, to look for it among others or to make that of a node that holds it."""
        if self.is_open:
            self._sought[number] += 1

    def held(self, number: int, around: int, place: int) -> None:
        """It was a node, and the input is that of this place in it."""
        if self.is_open:
            self._sought[number] -= 1
            self._held[around, place][number] = None

    def fix(self, number: int) -> None:
        """The plan serves this value of the input alone; InternalError where it is made already, and serves others."""
        if self.is_open:
            self._fixed.add(number)
        elif number not in self._fixed:
            raise InternalError("the value of an input was asked for after the program was made")

    def ask(self, function: Callable[..., A], about: tuple[Literal, ...], rest: tuple[Hashable, ...]) -> A:
        """The answer of `function` about the literals, on which the plan builds."""
        numbers = self._numbers(about)
        key = (function, numbers, rest)
        if key not in self._known:
            answer = function(*_plain(about), *rest)
            self._steps.append(_Asked(function, numbers, rest, answer))
            self._known[key] = answer
        found: A = self._known[key]
        return found

    def answer(self, function: Callable[..., A], about: tuple[Literal, ...], rest: tuple[Hashable, ...]) -> A | None:
        """The answer of `function` about the literals, if it was asked for; None else."""
        found: A | None = self._known.get((function, self._numbers(about), rest))
        return found

    def make(self, function: Callable[..., L], about: tuple[Literal, ...], rest: tuple[Hashable, ...]) -> L:
        """The literal that `function` computes of those, an input again; None where it gives none."""
        numbers = self._numbers(about)
        key = (function, numbers, rest)
        if key not in self._known:
            self._known[key] = self._make(function, about, numbers, rest)
        found: L = self._known[key]
        return found

    def _make(
        self,
        function: Callable[..., Literal | None],
        about: tuple[Literal, ...],
        numbers: tuple[int | Literal, ...],
        rest: tuple[Hashable, ...],
    ) -> Literal | None:
        found = function(*_plain(about), *rest)
        if found is None or found.type == BOOLEAN:
            # Whether there is one, and what is true, decides how a plan looks.
            self._steps.append(_Asked(function, numbers, rest, found))
            return found
        self._steps.append(_Made(function, numbers, rest, _kind(found)))
        return self._add(found)

    def again(self, values: Sequence[Literal]) -> tuple[Literal, ...] | None:
        """All literals as they are with other given ones; None where the plan does not serve these."""
        if self.is_open or not self._serves or len(values) != self._given or len(self._left) > _MOST_STEPS:
            return None
        known = list(values)
        if any(_kind(new) != _kind(old) for new, old in zip(known, self._literals, strict=False)):
            return None
        if any(known[number] != self._literals[number] for number in self._fixed if number < self._given):
            return None
        try:
            if not all(step.holds(known) for step in self._left):
                return None
        except Exception:
            # Planned anew, the query fails in the same way and says where.
            return None
        if any(known[number] != self._literals[number] for number in self._fixed if number >= self._given):
            return None
        return tuple(known) if all(_differ_again(known, *one) for one in self._told_apart) else None

    @property
    def literals(self) -> tuple[Literal, ...]:
        """All literals with the values that they have."""
        return tuple(self._literals)

    def _add(self, literal: Literal) -> Input:
        self._literals.append(literal)
        self._sought.append(0)
        return Input(self, len(self._literals) - 1, literal)

    def _numbers(self, literals: tuple[Literal, ...]) -> tuple[int | Literal, ...]:
        """Inputs by their number, so that nothing is compared here, and literals that are none of these.

        An input of others is a literal here: they serve its value alone.
        """
        for one in literals:
            if isinstance(one, Input) and one.inputs is not self and one.inputs.is_open:
                one.fix()
        return tuple([one.number if isinstance(one, Input) and one.inputs is self else plain(one) for one in literals])


class Blank:
    """A plan with its inputs open, to be filled in."""

    def __init__(self, plan: Plan, inputs: Inputs) -> None:
        self._spine = Spine(plan, lambda node: isinstance(node, Input) and node.inputs is inputs)

    def filled(self, literals: Sequence[Literal]) -> Plan:
        """The plan with these literals, by the numbers of its inputs; parts that are shared stay shared."""

        def value(node: Node) -> Node:
            assert isinstance(node, Input)
            return literals[node.number]

        return cast("Plan", self._spine.rebuilt(value))


def settled(plan: Plan) -> Plan:
    """The plan with constants for its inputs, on whose values another one builds, as its rows are asked for now."""

    def value(node: Node) -> Node:
        assert isinstance(node, Input)
        node.fix()
        return node.literal

    return cast("Plan", Spine(plan, lambda node: isinstance(node, Input) and node.inputs.is_open).rebuilt(value))


def decide(question: Callable[..., A], *about: Literal, rest: tuple[Hashable, ...] = ()) -> A:
    """The answer of `question(*about, *rest)`, which is all that the plan may build on: not on the literals' values.

    The question is a function of a module: by it, and by `rest`, questions are told apart.
    """
    inputs = _inputs_of(about)
    return question(*about, *rest) if inputs is None else inputs.ask(question, about, rest)


def decided(question: Callable[..., A], *about: Literal, rest: tuple[Hashable, ...] = ()) -> A | None:
    """The answer that the plan builds on, for who asks when it is made; None where nobody asked `decide` before."""
    inputs = next((one.inputs for one in about if isinstance(one, Input)), None)
    return question(*about, *rest) if inputs is None else inputs.answer(question, about, rest)


def derived(make: Callable[..., L], *about: Literal, rest: tuple[Hashable, ...] = ()) -> L:
    """The literal `make(*about, *rest)`; where one of those is an input, so is this one. `make` as for `decide`."""
    inputs = _inputs_of(about)
    return make(*about, *rest) if inputs is None else inputs.make(make, about, rest)


def _are_equal(one: Literal, other: Literal) -> bool:
    return plain(one) == plain(other)


def _alike(literals: Sequence[Literal]) -> list[int]:
    """For each literal the place of the first that equals it."""
    firsts: dict[Literal, int] = {}
    return [firsts.setdefault(literal, place) for place, literal in enumerate(literals)]


def _differ_again(known: Sequence[Literal], numbers: tuple[int, ...], alike: list[int]) -> bool:
    """Whether those of the inputs `numbers` differ that did when they were `alike`."""
    firsts: dict[Literal, int] = {}
    return all(firsts.setdefault(known[number], first) == first for number, first in zip(numbers, alike, strict=True))


def plain(literal: Literal) -> Literal:
    """The literal of the value that an input has, for who takes others in its place, too."""
    return literal.literal if isinstance(literal, Input) else literal


def _inputs_of(literals: tuple[Literal, ...]) -> Inputs | None:
    for one in literals:
        if isinstance(one, Input) and one.inputs.is_open:
            return one.inputs
    return None


def _plain(literals: tuple[Literal, ...]) -> tuple[Literal, ...]:
    return tuple([plain(one) for one in literals])


def _literals(about: tuple[int | Literal, ...], known: list[Literal]) -> list[Literal]:
    return [known[one] if isinstance(one, int) else one for one in about]


def _kind(literal: Literal) -> tuple[type[Value], DType, bool]:
    """What of a literal may be asked freely: the type of its value in Python, its own, and whether it was asked for."""
    return type(literal.value), literal.type, literal.typed
