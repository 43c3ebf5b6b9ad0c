"""Paths into JSON: `$.a[0]`, `/a/0`, a name, a place; with wildcards, `$.*`, `$[*]` and `$..a`, they find many values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tqp.errors import ExecutionError
from tqp.functions.json_text import MISSING, Members, Missing, Value

__all__ = ["ALL_MEMBERS", "BEHIND", "Path", "Step", "has_many", "path_of", "place_of"]


@dataclass(frozen=True, slots=True)
class Every:
    """A step to many values: all members where `step` is `*`, all elements where it is `[*]`, with `is_deep` also those of what
    lies deeper; a name or a place `step` at any depth. `**` is the value itself and all that lies in it."""

    step: str | int
    is_deep: bool


ALL_MEMBERS, ALL_ELEMENTS, ALL_VALUES = "*", "[*]", "**"
BEHIND: Final = 2**64
"""The place right behind the last element, `[#]`, where nothing is."""
_MOST_DIGITS: Final = 19
"""A place written with more digits is an error."""

Step = str | int | Every
"""A text is a member's name, an integer the place of an element, from the end below 0."""


@dataclass(frozen=True, slots=True)
class Path:
    """Where in a value. Of a pointer (`/a/0`) a step is a name or a place, by what it meets."""

    steps: tuple[Step, ...]
    is_pointer: bool = False

    @property
    def has_many(self) -> bool:
        """Whether it has a wildcard, so that it finds any number of values."""
        return any(isinstance(step, Every) for step in self.steps)

    def find(self, value: Value) -> Value | Missing:
        """What is there, for a path to one value."""
        found: Value | Missing = value
        for step in self.steps:
            found = self.next(found, step)
        return found

    def find_all(self, value: Value) -> list[Value]:
        """What is there: by depth, where depths differ, else in the order of the text."""
        found = [value]
        for step in self.steps:
            if isinstance(step, Every):
                found = [one for of in found for one in _every(of, step)]
            else:
                steps = [self.next(of, step) for of in found]
                found = [one for one in steps if not isinstance(one, Missing)]
        return found

    def next(self, found: Value | Missing, step: Step) -> Value | Missing:
        """One step on."""
        if isinstance(found, Members) and isinstance(step, str):
            return found.get(step)
        if isinstance(found, list):
            return _element(found, place_of(step) if self.is_pointer else step)
        return MISSING


def _every(value: Value, every: Every) -> Iterator[Value]:
    waiting = [value]
    for of in waiting:
        # What is deeper waits behind all that is not.
        inner = of if isinstance(of, list) else [one for _, one in of.pairs] if isinstance(of, Members) else []
        if every.is_deep:
            waiting += inner
        if every.step == ALL_VALUES:
            yield of
        elif every.step == ALL_MEMBERS and (every.is_deep or isinstance(of, Members)):
            yield from inner
        elif every.step == ALL_ELEMENTS:
            yield from inner if isinstance(of, list) else []
        elif isinstance(of, Members) and isinstance(every.step, str):
            yield from [one for name, one in of.pairs if name == every.step][:1]
        elif isinstance(of, list) and isinstance(every.step, int):
            found = _element(of, every.step)
            yield from [] if isinstance(found, Missing) else [found]


def place_of(step: Step) -> Step:
    """The place that a step of a pointer says, or the step as it is."""
    if step == "-":
        return BEHIND
    is_number = isinstance(step, str) and re.fullmatch("0|[1-9][0-9]*", step) is not None
    return int(str(step)) if is_number else step


def _element(items: list[Value], place: Step) -> Value | Missing:
    if not isinstance(place, int) or not -len(items) <= place < len(items):
        return MISSING
    return items[place]


_STEP: Final = re.compile(
    r'(?P<deep>\.\.?)?(?:(?P<all>(?<=\.)\*)|(?<=\.)"(?P<quoted>(?:[^"\\]|\\.)+)"|(?<=\.)(?P<plain>[^".\[*][^.\[]*)'
    r"|\[(?P<number>-?[0-9]+)\]|\[#(?P<last>-[0-9]+)?\]|(?P<each>\[\*\]))",
    re.DOTALL,
)
_ANYWHERE: Final = ".**"
"""At the end of a path it is `..*`."""
_ESCAPED: Final = re.compile(r'\\(["\\])')
"""In a quoted name; a backslash before anything else stands for itself."""


def has_many(path: str) -> bool:
    """Whether a text is a path with a wildcard."""
    try:
        return path_of(path).has_many
    except ExecutionError:
        return False


@lru_cache(maxsize=1024)
def path_of(text: str | int, none_back: int = 0) -> Path:
    """The path that a text or an integer says; ExecutionError where it says none.

    `none_back` is the place that `[#-0]` means, which depends on what is done there.
    A name alone is one in quotes, where `\\"` and `\\\\` are escapes; with quotes in it, it is a pointer.
    """
    if isinstance(text, int):
        return Path((text,))
    if not text:
        return Path(())
    if text.startswith("/"):
        return Path(tuple([name.replace("~1", "/").replace("~0", "~") for name in text[1:].split("/")]), True)
    if not text.startswith("$") and '"' in text:
        return path_of(f"/{text}")
    return Path(tuple(_steps(text if text.startswith("$") else f'$."{text}"', none_back)))


def _steps(text: str, none_back: int) -> Iterator[Step]:
    place = 1
    while place < len(text):
        if text.startswith(_ANYWHERE, place):
            place += len(_ANYWHERE)
            yield Every(ALL_VALUES if place < len(text) else ALL_MEMBERS, True)
            continue
        found = _STEP.match(text, place)
        if found is None or (found["deep"] == "." and text[found.end("deep")] == "["):
            raise ExecutionError(f"JSON path error near '{text[place:]}'")
        place = found.end()
        is_deep = found["deep"] == ".."
        if found["all"] or found["each"]:
            yield Every(ALL_MEMBERS if found["all"] else ALL_ELEMENTS, is_deep)
            continue
        name = _ESCAPED.sub(r"\1", found["quoted"]) if found["quoted"] else found["plain"]
        step: str | int = name or BEHIND
        if number := found["number"] or found["last"]:
            step = int(number)
            if len(number.lstrip("-")) > _MOST_DIGITS:
                raise ExecutionError(f"JSON path error near '{text[found.start() :].removeprefix('[#')}'")
            if found["last"]:
                step = step or none_back
        yield Every(step, True) if is_deep else step
