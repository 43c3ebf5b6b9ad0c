"""Which input goes to which parameter: by name, or all numbers side by side to the one that takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from inspect import Parameter

import torch

from tqp.errors import ModelError, with_article
from tqp.models.model import Input
from tqp.models.tensors.callee import Callee

__all__ = ["Argument", "input_names", "ways"]

_BY_PLACE = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of the call: the places of the inputs that it is made of, and the keyword, None where it goes by place.

    `is_matrix`: numbers come as (n, inputs), even one; else one input comes as it is, a number as (n,). `is_caught`: no
    parameter has the name, `**kwargs` take it, which read it or do not.
    """

    places: tuple[int, ...]
    keyword: str | None = None
    is_matrix: bool = False
    is_caught: bool = False


def input_names(callee: Callee) -> list[str]:
    """The names of the inputs where none are given: the parameters without a default, or x1, x2, … of a first linear layer."""
    needed = [one.name for one in callee.parameters or () if _is_needed(one)]
    module = callee.module
    if len(needed) > 1 or needed and module is None:
        return needed
    parts = () if module is None else module.modules()
    first = next((part for part in parts if isinstance(part, torch.nn.Linear)), None)
    if first is None:
        kind = callee.kind if module is None else with_article(callee.kind)
        raise ModelError(f"the inputs of {kind} are not known", hint="name them: inputs=['age', 'income']")
    return [f"x{place}" for place in range(1, first.in_features + 1)]


def ways(callee: Callee, inputs: Sequence[Input]) -> list[tuple[Argument, ...]]:
    """The ways in which it may be called, to be tried one after the other; several where its signature says nothing.

    ModelError where inputs and parameters do not match.
    """
    every = range(len(inputs))
    matrix = (Argument(tuple(every), is_matrix=True),)
    by_place = tuple(Argument((place,)) for place in every)
    kinds = None if callee.parameters is None else {one.kind for one in callee.parameters}
    if kinds is None:
        return [matrix, by_place]
    if kinds == {Parameter.VAR_POSITIONAL}:
        return [by_place, matrix]
    if kinds == {Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD}:
        caught = tuple(Argument((place,), inputs[place].name, is_caught=True) for place in every)
        return [caught, by_place, matrix]
    found = _bound(callee, callee.parameters or (), inputs)
    if len(inputs) == 1 and inputs[0].array is None and found[0].is_matrix:
        return [found, (replace(found[0], is_matrix=False),)]
    return [found]


def _bound(callee: Callee, parameters: Sequence[Parameter], inputs: Sequence[Input]) -> tuple[Argument, ...]:
    """The arguments of a call, those by place first. ModelError, which lists both, where inputs and parameters do not match.

    Inputs are bound by name where they are names of parameters, and cover those that have no default. Where none is one, as many
    inputs as such parameters go by place, and any number of inputs to a single one, side by side.
    """
    every = tuple(range(len(inputs)))
    matrix = (Argument(every, is_matrix=True),)
    arrays = sum(input_.type is not None and input_.type.is_array for input_ in inputs)
    named = [one for one in parameters if one.kind in (*_BY_PLACE, Parameter.KEYWORD_ONLY)]
    spread = any(one.kind is Parameter.VAR_POSITIONAL for one in parameters)
    if len(parameters) == len(named) == 1 and named[0].kind in _BY_PLACE:
        return matrix
    by_name = _by_name(parameters, named, [input_.name for input_ in inputs])
    if by_name is not None:
        return (replace(by_name[0], is_matrix=True),) if len(by_name) == 1 else by_name
    needed = [one for one in named if _is_needed(one)]
    if not {input_.name for input_ in inputs} & {one.name for one in named}:
        by_place = all(one.kind in _BY_PLACE for one in needed)
        if by_place and (spread and len(inputs) >= len(needed) or len(needed) == len(inputs) > 1):
            return tuple(Argument((place,)) for place in every)
        if by_place and len(needed) == 1 and (len(inputs) == 1 or not arrays):
            return matrix
    raise ModelError(
        f"the inputs {', '.join(input_.name for input_ in inputs)} do not match the parameters of {callee.kind}: "
        f"{', '.join(map(_shown, parameters)) or 'none'}",
        hint="inputs= names the parameters that PREDICT passes, in any order; others need a default",
    )


def _by_name(
    parameters: Sequence[Parameter], named: Sequence[Parameter], inputs: Sequence[str]
) -> tuple[Argument, ...] | None:
    """Each input as the parameter of its name; None where an input is none, or a parameter without a default is left."""
    places = {name: place for place, name in enumerate(inputs)}
    takes_others = any(one.kind is Parameter.VAR_KEYWORD for one in parameters)
    known = {one.name for one in named}
    if not (takes_others or known.issuperset(places)) or any(
        _is_needed(one) and one.name not in places for one in named
    ):
        return None
    found: list[Argument] = []
    is_leading = True
    for one in named:
        if one.name not in places:
            is_leading = False
        elif is_leading and one.kind in _BY_PLACE:
            found.append(Argument((places[one.name],)))
        elif one.kind is Parameter.POSITIONAL_ONLY:
            return None
        else:
            found.append(Argument((places[one.name],), one.name))
    caught = [Argument((place,), name, is_caught=True) for name, place in places.items() if name not in known]
    return (*found, *caught)


def _is_needed(one: Parameter) -> bool:
    return one.default is Parameter.empty and one.kind in (*_BY_PLACE, Parameter.KEYWORD_ONLY)


def _shown(one: Parameter) -> str:
    text = str(one.replace(annotation=Parameter.empty))
    return f"{text} (keyword)" if one.kind is Parameter.KEYWORD_ONLY else text
