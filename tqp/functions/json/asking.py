"""What JSON is, whether it has something in it, and how it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from tqp.data.column import Column
from tqp.errors import ExecutionError
from tqp.functions.casts.json import unread
from tqp.functions.json.registering import json_function
from tqp.functions.json.slicing import Slicing, sliced
from tqp.functions.json_text import Members, Missing, Value, parsed, pretty, written
from tqp.functions.registry import Args
from tqp.types import BOOLEAN, JSON, VARCHAR, DType

__all__: list[str] = []


def _all_valid(args: Args, out: DType, one: Callable[..., Any]) -> Column:
    entries, reasons = unread(args[0])
    good = torch.ones(entries.count, dtype=torch.bool, device="cpu")
    good[list(reasons)] = False
    return Column(entries.rows(good), out)


@json_function("json_valid", BOOLEAN, at_once=_all_valid)
def _valid(text: str) -> bool:
    try:
        parsed(text)
    except ExecutionError:
        return False
    return True


@json_function("json", JSON, at_once=lambda args, out, one: sliced(args, out, Slicing(), one))
def _minified(text: str) -> str:
    return written(parsed(text))


@json_function("json_pretty", VARCHAR)
def _pretty(text: str) -> str:
    return pretty(parsed(text))


@json_function("json_normalize", VARCHAR)
def _normalize(text: str) -> str:
    return written(_sorted(parsed(text)))


def _sorted(value: Value) -> Value:
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    if isinstance(value, Members):
        return Members(sorted([(name, _sorted(item)) for name, item in value.pairs], key=lambda pair: pair[0].encode()))
    return value


@json_function("json_strip_nulls", JSON)
def _strip_nulls(text: str) -> str:
    return written(_without_nulls(parsed(text)))


def _without_nulls(value: Value) -> Value:
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    if isinstance(value, Members):
        return Members([(name, _without_nulls(item)) for name, item in value.pairs if item is not None])
    return value


@json_function("json_contains", BOOLEAN, 2, 2)
def _contains(text: str, wanted: str) -> bool:
    return _has(parsed(text), parsed(wanted))


def _has(value: Value, wanted: Value) -> bool:
    """Whether it is in the value, at any depth."""
    if _covers(value, wanted):
        return True
    if isinstance(value, list):
        return any(_has(item, wanted) for item in value)
    return isinstance(value, Members) and any(_has(item, wanted) for _, item in value.pairs)


def _covers(value: Value, wanted: Value) -> bool:
    """Whether the value is the wanted one, or has all elements or members of it."""
    if type(value) is type(wanted) and value == wanted:
        return True
    if isinstance(value, list) and isinstance(wanted, list):
        return all(any(_covers(item, one) for item in value) for one in wanted)
    if isinstance(value, Members) and isinstance(wanted, Members):
        return all(_covers_found(value.get(name), one) for name, one in wanted.pairs)
    return False


def _covers_found(value: Value | Missing, wanted: Value) -> bool:
    return not isinstance(value, Missing) and _covers(value, wanted)
