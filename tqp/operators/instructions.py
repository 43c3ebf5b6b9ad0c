"""A program as data: instructions, each with its operation, inputs, outputs, parameters and how many rows it gives.

Every operator writes its own part (`Operator.write`), the steps of its expressions among it. A `Writer` keeps count of what is
known of the rows at hand, as a batch does in a run: a value is computed once for the same rows, and a defined column where it
is first read. Nothing here runs anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tqp.ir.expr import ColumnRef, Expr
from tqp.ir.show import printable
from tqp.operators.batch import Key
from tqp.operators.results import Result, Slot
from tqp.operators.steps import Compiler
from tqp.stack import deep

__all__ = ["Instruction", "Left", "Numbers", "Place", "Rows", "Size", "Value", "Writer"]


@dataclass(frozen=True, slots=True)
class Value:
    """The value of step `slot`: a column of the rows at hand, or a constant."""

    slot: int

    def __str__(self) -> str:
        return f"%{self.slot}"


@dataclass(frozen=True, slots=True)
class Size:
    """A number of rows that only data decide; the same size is the same number."""

    name: str

    def __str__(self) -> str:
        return self.name


Place = str | Value | Slot[Result]
"""Where something lies that an instruction reads or makes: the symbol of a column, a step's value, a pipeline's result."""

Rows = int | Size
"""How many rows there are."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One operation of a program: a function, or what an operator does.

    `parameters`: names and values that are no columns (literals are constants of the program). `rows`: how many rows the
    outputs have. `ways`: among what the run chooses once it knows sizes; none where there is but one way.
    """

    operation: str
    inputs: tuple[Place, ...]
    outputs: tuple[Place, ...]
    parameters: tuple[tuple[str, object], ...]
    rows: Rows
    ways: tuple[str, ...] = ()

    def parameter(self, name: str) -> object:
        """The value of a parameter; None where it has none of that name."""
        return dict(self.parameters).get(name)

    def __str__(self) -> str:
        targets = f"{', '.join(map(_place, self.outputs))} = " if self.outputs else ""
        told = [(name, value) for name, value in self.parameters if value is not False]
        given = [*map(_place, self.inputs), *(f"{name}={_shown(value)}" for name, value in told)]
        ways = f": {' | '.join(self.ways)}" if self.ways else ""
        return printable(f"{targets}{self.operation}({', '.join(given)})  -- {_counted(self.rows)}{ways}")


def _counted(rows: Rows) -> str:
    return f"{rows} row{'' if rows == 1 else 's'}"


def _place(place: Place) -> str:
    return f"result {place}" if isinstance(place, Slot) else str(place)


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_shown, value))})"
    if isinstance(value, float):
        return f"{value:g}"
    return str(getattr(value, "name", value))


@dataclass(frozen=True, slots=True)
class Left:
    """What a pipeline left: these columns of so many rows."""

    symbols: tuple[str, ...]
    rows: Rows


@dataclass(eq=False)
class Numbers:
    """What the writers of one program share: the sizes so far, and what pipelines left, by the numbers of their slots."""

    sizes: int = 0
    left: dict[int, Left] = field(default_factory=dict)

    def size(self, letter: str = "n") -> Size:
        """A number of rows that is not known: `n` of rows, `g` of groups."""
        self.sizes += 1
        return Size(f"{letter}{self.sizes - 1}")


def _key(key: Key) -> Place:
    return Value(key) if isinstance(key, int) else key


class Writer:
    """Writes the instructions of one pipeline, which leaves its result in `slot`."""

    def __init__(self, steps: Compiler, slot: Slot[Result], numbers: Numbers) -> None:
        self.instructions: list[Instruction] = []
        self.slot = slot
        self.rows: Rows = 1
        self._steps = steps
        self._numbers = numbers
        self._known: set[Place] = set()
        self._definitions: dict[str, Expr] = {}

    def add(
        self,
        operation: str,
        inputs: Iterable[Place] = (),
        outputs: Iterable[Place] = (),
        rows: Rows | None = None,
        ways: Sequence[str] = (),
        facts: Mapping[str, object] | None = None,
        **parameters: object,
    ) -> None:
        """One more instruction, whose parameters are `facts` and `parameters`.

        `rows`: it gives other rows than those at hand; the next instructions go on with them.
        """
        if rows is not None and rows != self.rows:
            self.rows = rows
            self._known = {place for place in self._known if isinstance(place, str)}
        made = tuple(outputs)
        self._known.update(made)
        told = (*(facts or {}).items(), *parameters.items())
        self.instructions.append(Instruction(operation, tuple(inputs), made, told, self.rows, tuple(ways)))

    def size(self, letter: str = "n") -> Size:
        """A number of rows that is not known: `n` of rows, `g` of groups."""
        return self._numbers.size(letter)

    def value(self, expr: Expr) -> Place:
        """Where the expression's value lies; its steps are written, as far as the rows at hand have none of them."""
        (place,) = self.values((expr,))
        return place

    def values(self, exprs: tuple[Expr, ...]) -> tuple[Place, ...]:
        """The same of several expressions, which are compiled together."""
        if all(isinstance(expr, ColumnRef) for expr in exprs):
            return self.read([expr.symbol for expr in exprs if isinstance(expr, ColumnRef)])
        compiled = self._steps.compile(exprs)
        self.read(compiled.loads)
        for step in compiled.order:
            place = Value(step.slot)
            if place in self._known:
                continue
            self.read(step.loads)
            ways = ("on the rows", f"on the entries of the dictionary of {step.text}") if step.text else ()
            self.add(step.operation, map(_key, step.keys), (place,), ways=ways, facts=step.parameters)
        return tuple(map(_key, compiled.roots))

    @deep
    def read(self, symbols: Iterable[str]) -> tuple[str, ...]:
        """The symbols, after what computes those that are defined and were not read yet."""
        symbols = tuple(symbols)
        for symbol in symbols:
            expr = self._definitions.get(symbol)
            if expr is not None and symbol not in self._known:
                self.add("define", (self.value(expr),), (symbol,))
        return symbols

    def define(self, definitions: Mapping[str, Expr]) -> None:
        """Columns that are computed where they are first read."""
        self._definitions.update(definitions)

    def left(self, slot: Slot[Result]) -> Left:
        """What an earlier pipeline left there."""
        return self._numbers.left[slot.number]

    def leave(self, operation: str, inputs: Iterable[Place], symbols: tuple[str, ...], **parameters: object) -> None:
        """The last instruction of a pipeline: it leaves columns for later ones."""
        self.add(operation, inputs, (self.slot,), facts=parameters)
        self._numbers.left[self.slot.number] = Left(symbols, self.rows)
