"""Along which dimension of each tensor the rows lie, followed through the operations of a module, and where they meet.

An operation either keeps the rows apart, as arithmetic, a product with weights or a reduction of each row does, or lets them
meet, as a reduction over the rows does. Rows may lie in a dimension together with others: of (rows, words, k) as a matrix it is
(rows · words, k).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import torch
from torch import Tensor

__all__ = ["Along", "Given", "Met", "Rows", "Rules", "State", "arguments_of", "tensors_in"]


@dataclass(frozen=True, slots=True)
class Along:
    """The rows lie along `dim`, whose size is outer · rows · inner; what a row has there is made of this row alone."""

    dim: int = 0
    outer: int = 1
    inner: int = 1

    def at(self, dim: int) -> Along:
        return replace(self, dim=dim)


@dataclass(frozen=True, slots=True)
class Met:
    """What a row has may be made of others, too, since the operation `by`."""

    by: str


State = Along | Met | None
"""None: the same for all rows, without a dimension of them."""
Given = Mapping[str, Any]
Rule = Callable[["Rows", str, Given, Tensor], State]
"""From an operation's name without the underscore of one in place, its arguments and a result to where the rows of this lie."""

_RESHAPING: Final = frozenset("transpose t squeeze unsqueeze detach".split())
"""In place they write no number."""


class Rules:
    """The rules of operations, by their names."""

    def __init__(self) -> None:
        self._known: dict[str, Rule] = {}
        self._new: set[str] = set()

    def of(self, names: str, is_new: bool = False) -> Callable[[Rule], Rule]:
        """The operations of torch that a function is the rule of; `is_new`: no number of their arguments is in their results.

        The name "pointwise" stands for all that torch says this of, and "unknown" for those without a rule.
        """

        def keep(rule: Rule) -> Rule:
            self._known.update(dict.fromkeys(names.split(), rule))
            self._new.update(names.split() if is_new else ())
            return rule

        return keep

    def find(self, name: str, function: Any) -> Rule:
        """The rule of an operation."""
        return self._known.get(name) or self._known["pointwise" if torch.Tag.pointwise in function.tags else "unknown"]

    def is_new(self, name: str) -> bool:
        """Whether the results have no number of the arguments."""
        return name in self._new


class Rows:
    """Where the rows of each tensor lie, of a run with `count` rows: a prime that is no size of anything else."""

    def __init__(self, count: int, inputs: Sequence[Tensor], rules: Rules) -> None:
        self.count = count
        self._rules = rules
        # With the tensors, so that no other takes their identity.
        self._states: dict[int, tuple[Tensor, State]] = {id(one): (one, Along()) for one in inputs}
        self._met: dict[int, Met] = {}
        """Memory into which some rows were written where others lie."""
        self._kept: list[Tensor] = []

    def of(self, one: Tensor) -> State:
        """Where its rows lie."""
        return self._met.get(_memory(one)) or self._states.get(id(one), (one, None))[1]

    def follow(self, function: Any, arguments: Given, found: Any) -> None:
        """An operation has run: what it gave, or wrote into."""
        name = function._schema.name.partition("::")[2]
        is_in_place = name.endswith("_") and not name.endswith("__")
        plain = name.rstrip("_") if is_in_place else name
        rule = self._rules.find(plain, function)
        met = None if self._rules.is_new(plain) else next(self._all_met(arguments), None)
        written = arguments.get("self") if is_in_place else arguments.get("out")
        for result in tensors_in(found):
            state = met or rule(self, plain, arguments, result)
            if isinstance(state, Along) and not self._lies(state, result):
                state = Met(plain)
            if state is None and self.count in result.shape:
                # As arange does: what a row has there is told by its place.
                state = Met(plain)
            if isinstance(written, Tensor) and plain not in _RESHAPING:
                self._write(written, state)
            self._states[id(result)] = (result, state)

    def _lies(self, state: Along, one: Tensor) -> bool:
        return 0 <= state.dim < one.ndim and one.shape[state.dim] == state.outer * self.count * state.inner

    def _all_met(self, arguments: Given) -> Iterator[Met]:
        return (state for one in tensors_in(arguments.values()) if isinstance(state := self.of(one), Met))

    def _write(self, into: Tensor, state: State) -> None:
        if isinstance(state, Met) or state != self.of(into):
            self._met[_memory(into)] = state if isinstance(state, Met) else Met("a write across rows")
            self._kept.append(into)

    def aligned(self, tensors: Sequence[Tensor], name: str, to: int) -> State:
        """Where the rows of a result of `to` dimensions lie, of tensors that are broadcast together."""
        places = {(s.dim - one.ndim, s.outer, s.inner) for one in tensors if isinstance(s := self.of(one), Along)}
        if not places:
            return None
        if len(places) > 1:
            return Met(name)
        ((back, outer, inner),) = places
        alike = all(one.ndim < -back or one.shape[back] == 1 for one in tensors if self.of(one) is None)
        return Along(to + back, outer, inner) if alike else Met(name)


def arguments_of(function: Any, args: Sequence[Any], kwargs: Given) -> Given:
    """The arguments of an operation by name, those left out with their defaults."""
    schema = function._schema.arguments
    given = {one.name: one.default_value for one in schema if one.has_default_value()}
    given.update(zip([one.name for one in schema], args, strict=False))
    given.update(kwargs)
    return given


def tensors_in(value: Any) -> Iterator[Tensor]:
    """All tensors in what an operation takes or gives."""
    if isinstance(value, Tensor):
        yield value
    elif not isinstance(value, str | int | float | None | torch.dtype | torch.device):
        try:
            parts = iter(value)
        except TypeError:
            return
        for part in parts:
            yield from tensors_in(part)


def _memory(one: Tensor) -> int:
    return int(one.untyped_storage()._cdata)
