"""JSON with other members and elements: set, inserted, replaced, removed where a path leads; and objects merged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Final

from tqp.errors import ExecutionError
from tqp.functions.json.registering import json_function
from tqp.functions.json_paths import ALL_MEMBERS, BEHIND, Path, Step, path_of, place_of
from tqp.functions.json_text import MISSING, Members, Missing, Value, parsed, written
from tqp.types import JSON

__all__: list[str] = []

_Steps = tuple[Step, ...]
_NO_CHANGE: Final = (Missing, type(None))


def _path(text: str) -> Path:
    # To find, a name alone is read as if in quotes; to change, it is the name as it stands.
    is_name = text[:1] not in ("$", "/", "") and text != ALL_MEMBERS
    path = Path((text,)) if is_name else path_of(text, none_back=BEHIND)
    if path.has_many:
        raise ExecutionError("a path with a wildcard says no one place to change")
    return path


def _index(items: list[Value], step: Step, is_pointer: bool) -> int | None:
    """The place of an element, or right behind the last; None of what is elsewhere."""
    place = place_of(step) if is_pointer else step
    if not isinstance(place, int) or place < -len(items):
        return None
    if place == BEHIND:
        return len(items)
    return (place + len(items) if place < 0 else place) if place <= len(items) else None


@dataclass(frozen=True, slots=True)
class _Change:
    """`new` where the steps of a path lead: what is there stays unless the change `replaces`, what is missing is made, right
    behind the last element or as a new member, if it `adds`."""

    new: Value
    is_pointer: bool
    replaces: bool
    adds: bool

    def of(self, value: Value, steps: _Steps) -> Value:
        """The changed value; the same object where nothing is."""
        if not steps:
            return self.new if self.replaces else value
        if isinstance(value, Members) and isinstance(steps[0], str):
            return self._member(value, steps[0], steps[1:])
        return self._element(value, steps[0], steps[1:]) if isinstance(value, list) else value

    def _member(self, value: Members, name: str, rest: _Steps) -> Value:
        found = value.get(name)
        if isinstance(found, Missing):
            made = self._around(rest)
            return value if isinstance(made, Missing) else Members([*value.pairs, (name, made)])
        inner = self.of(found, rest)
        if inner is found:
            return value
        first = next(place for place, (other, _) in enumerate(value.pairs) if other == name)
        others = [(other, item) for other, item in value.pairs[first + 1 :] if other != name]
        return Members([*value.pairs[:first], (name, inner), *others])

    def _element(self, value: list[Value], step: Step, rest: _Steps) -> Value:
        place = _index(value, step, self.is_pointer)
        if place is None:
            return value
        if place == len(value):
            made = self._around(rest)
            return value if isinstance(made, Missing) else [*value, made]
        inner = self.of(value[place], rest)
        return value if inner is value[place] else [*value[:place], inner, *value[place + 1 :]]

    def _around(self, steps: _Steps) -> Value | Missing:
        """The lists and objects in which the steps lead to the new value; MISSING where a place is not the first of a list."""
        if not self.adds:
            return MISSING
        if not steps:
            return self.new
        step, inner = steps[0], self._around(steps[1:])
        if isinstance(inner, Missing) or (isinstance(step, int) and step not in (0, BEHIND)):
            return MISSING
        return Members([(step, inner)]) if isinstance(step, str) else [inner]


def _changing(name: str, *, replaces: bool, adds: bool) -> None:
    @json_function(name, JSON, 3, 3, path=1)
    def changed(text: str, path: str, new: str) -> str:
        to = _path(path)
        return written(_Change(parsed(new), to.is_pointer, replaces, adds).of(parsed(text), to.steps))


_changing("json_set", replaces=True, adds=True)
_changing("json_insert", replaces=False, adds=True)
_changing("json_replace", replaces=True, adds=False)


@json_function("json_remove", JSON, 2, 2, path=1)
def _remove(text: str, path: str) -> str | None:
    to = _path(path)
    left = _without(parsed(text), to.steps, to.is_pointer)
    return None if isinstance(left, Missing) else written(left)


def _without(value: Value, steps: _Steps, is_pointer: bool) -> Value | Missing:
    """The value without what is where the steps lead, and all other members of that name; MISSING where it is the value itself."""
    if not steps:
        return MISSING
    step, rest = steps[0], steps[1:]
    if isinstance(value, Members):
        first = next((place for place, (name, _) in enumerate(value.pairs) if name == step), None)
        if first is None:
            return value
        name, found = value.pairs[first]
        left = _without(found, rest, is_pointer)
        if isinstance(left, Missing):
            return Members([pair for pair in value.pairs if pair[0] != name])
        return Members([*value.pairs[:first], (name, left), *value.pairs[first + 1 :]])
    place = _index(value, step, is_pointer) if isinstance(value, list) else None
    if not isinstance(value, list) or place is None or place == len(value):
        return value
    left = _without(value[place], rest, is_pointer)
    return [*value[:place], *([] if isinstance(left, Missing) else [left]), *value[place + 1 :]]


# Merging ----------------------------------------------------------------------------------------------------------------


def _merging(name: str, merged: Callable[[Value, Value], Value]) -> None:
    @json_function(name, JSON, 2, None, strict=False)
    def merge(*texts: str | None) -> str | None:
        """From the left; NULL stands for no object on the left, and makes what is so far NULL on the right."""
        values = [MISSING if text is None else parsed(text) for text in texts]
        found = reduce(lambda a, b: b if isinstance(a, Missing) or isinstance(b, Missing) else merged(a, b), values)
        return None if isinstance(found, Missing) else written(found)


def _patched(value: Value | Missing, patch: Value) -> Value:
    """As RFC 7396 says: members of the patch stand for those of that name, `null` removes one."""
    if not isinstance(patch, Members):
        return patch
    have = value if isinstance(value, Members) else Members([])
    kept = [(name, item) for name, item in have.pairs if isinstance(patch.get(name), Missing)]
    return Members(kept + [(name, _patched(have.get(name), item)) for name, item in patch.pairs if item is not None])


def _merge_patch(value: Value, patch: Value) -> Value:
    # What is patched onto no object stays whole, with its nulls.
    return _patched(value, patch) if isinstance(value, Members) else patch


def _deep_merge(value: Value, other: Value) -> Value:
    """As `_patched`, but `null` changes nothing."""
    if other is None:
        return value
    if not isinstance(value, Members) or not isinstance(other, Members):
        return other
    kept = [(name, item) for name, item in value.pairs if isinstance(other.get(name), _NO_CHANGE)]
    new = [(name, item) for name, item in other.pairs if item is not None]
    return Members(kept + [(name, _merged_into(value.get(name), item)) for name, item in new])


def _merged_into(value: Value | Missing, other: Value) -> Value:
    return other if isinstance(value, Missing) else _deep_merge(value, other)


_merging("json_merge_patch", _merge_patch)
_merging("json_deep_merge", _deep_merge)


@json_function("json_merge_patch_diff", JSON, 2, 2, strict=False)
def _diff(text: str | None, wanted: str | None) -> str | None:
    """The patch that makes one of the other."""
    if wanted is None:
        return None
    new = parsed(wanted)
    return written(new if text is None else _difference(parsed(text), new))


def _difference(value: Value | Missing, wanted: Value) -> Value:
    if not isinstance(value, Members) or not isinstance(wanted, Members):
        return wanted
    gone: list[tuple[str, Value]] = [(name, None) for name, _ in value.pairs if isinstance(wanted.get(name), Missing)]
    other = [(name, item) for name, item in wanted.pairs if not _same(value.get(name), item)]
    return Members(gone + [(name, _difference(value.get(name), item)) for name, item in other])


def _same(value: Value | Missing, other: Value) -> bool:
    """Whether values are equal, members in any order."""
    if isinstance(value, Members) and isinstance(other, Members):
        return len(value.pairs) == len(other.pairs) and all(_same(value.get(name), item) for name, item in other.pairs)
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(_same, value, other))
    return type(value) is type(other) and value == other
