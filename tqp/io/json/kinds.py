"""The type of values of JSON, found out from a sample of them as `read_json` of DuckDB does.

Values of kinds that have no type in common are JSON. Texts are dates, times or UUIDs where all of them read as such, in one format.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from typing import Final

import pyarrow as pa

from tqp.data.to_arrow import few_strings
from tqp.functions.casts.cast import cast
from tqp.functions.json_text import Members, Number, Value
from tqp.functions.strptime import by_format
from tqp.io.json.options import JsonOptions
from tqp.io.names import distinct_names
from tqp.io.text import text_column
from tqp.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    HUGEINT,
    JSON,
    NULL,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UUID,
    VARCHAR,
    DType,
    Kind,
    list_of,
    map_of,
    struct,
)

__all__ = [
    "ISO", "ZONED", "Formats", "KeysAlike", "Path", "map_of_members", "members_of", "type_of_texts", "type_of_values",
]  # fmt: skip

Path = tuple[str, ...]
"""Where values lie within a column: names of fields, and "" for the elements of lists and the values of maps."""
Formats = MutableMapping[Path, str]
"""The formats that dates and times are written in, by where they lie; none where casts read them."""

ISO: Final = "%Y-%m-%d"
"""The format of dates that is tried first."""
_DAY: Final = r"\s*[0-9]{4,}-[0-9]{1,2}-[0-9]{1,2}"
_WORDS: Final = "(?i:-?infinity|epoch)"
_CLOCK: Final = r"[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}"
ZONED: Final = re.compile(
    rf"{_DAY}[ T][0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{{2}}(?::?[0-9]{{2}})?)|{_WORDS}"
)
"""A time with its offset, or one that has none."""
_DAYS: Final = (
    ("%y-%m-%d", r"[0-9]{2}-[0-9]{1,2}-[0-9]{1,2}"),
    ("%d-%m-%y", r"[0-9]{1,2}-[0-9]{1,2}-[0-9]{2}"),
    ("%d-%m-%Y", r"[0-9]{1,2}-[0-9]{1,2}-[0-9]{4}"),
    ("%m-%d-%y", r"[0-9]{1,2}-[0-9]{1,2}-[0-9]{2}"),
    ("%m-%d-%Y", r"[0-9]{1,2}-[0-9]{1,2}-[0-9]{4}"),
)
"""Formats of dates in the order in which they are tried; by themselves those of years take other numbers of digits, too."""
_CLOCKS: Final = {"%y": "%H:%M:%S", "%d": "%H:%M:%S", "%m": "%I:%M:%S %p"}
"""Formats of the times behind dates that begin so."""
_TEXTS: Final[Sequence[tuple[DType, str | None, re.Pattern[str]]]] = (
    (DATE, ISO, re.compile(rf"{_DAY}\s*|{_WORDS}")),
    *((DATE, day, re.compile(f"{written}|{_WORDS}")) for day, written in _DAYS),
    (TIMESTAMP, None, re.compile(rf"{_DAY}[ T][0-9]{{1,2}}:[0-9]{{2}}:[0-9]{{2}}(?:\.[0-9]{{1,6}})?|{_WORDS}")),
    *(
        (TIMESTAMP, f"{day} {_CLOCKS[day[:2]]}", re.compile(rf"{written} {_CLOCK}(?: [AaPp][Mm])?|{_WORDS}"))
        for day, written in _DAYS
    ),
    (TIME, None, re.compile(rf"\s*(?:[0-9]{{1,2}}:[0-9]{{2}}|{_CLOCK}(?:\.[0-9]+)?)\s*")),
    (TIMESTAMPTZ, None, ZONED),
    (UUID, None, re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")),
)
"""Types of texts, the formats that these are in, and how they look."""
_ALIKE: Final = 0.8
"""How alike, of 1, the types of many members are to be for a MAP."""
_WHOLE: Final = re.compile(r"-?[0-9]+")


def type_of_values(
    values: Iterable[Value], options: JsonOptions, depth: int, formats: Formats, path: Path = ()
) -> DType:
    """The type that all of the values have; `depth` is how many levels of them are looked at, -1 for all.

    `formats` gets those of dates and times in them, by their paths, which begin with `path`.
    """
    known = [value for value in values if value is not None]
    if not depth:
        return JSON
    if not known:
        return NULL
    if all(isinstance(value, Members) for value in known):
        return _of_objects([value for value in known if isinstance(value, Members)], options, depth - 1, formats, path)
    if all(isinstance(value, list) for value in known):
        items = [item for value in known if isinstance(value, list) for item in value]
        return list_of(type_of_values(items, options, depth - 1, formats, (*path, "")) if items else JSON)
    if all(isinstance(value, bool) for value in known):
        return BOOLEAN
    if all(isinstance(value, Number) for value in known):
        return _of_numbers([value for value in known if isinstance(value, Number)])
    if all(isinstance(value, str) for value in known):
        found, pattern = type_of_texts([value for value in known if isinstance(value, str)], options)
        if pattern is not None:
            formats[path] = pattern
        return found
    return JSON


def _of_objects(objects: Sequence[Members], options: JsonOptions, depth: int, formats: Formats, path: Path) -> DType:
    members = members_of(objects)
    found = map_of_members(members, len(objects), options, depth, formats, path)
    if found is not None:
        return found
    names = distinct_names(members)
    kept = [name for name, own in zip(members, names, strict=True) if name == own]
    if len(kept) < len(names) and not options.ignore_errors:
        raise KeysAlike(next((name, own) for name, own in zip(members, names, strict=True) if name != own)[0])
    return struct((name, type_of_values(members[name], options, depth, formats, (*path, name))) for name in kept)


class KeysAlike(Exception):
    """Objects in a value have keys that differ in case alone, of which no STRUCT is; the argument is one."""


def members_of(objects: Iterable[Members]) -> dict[str, list[Value]]:
    """The values of each member that one of the objects has."""
    found: dict[str, list[Value]] = {}
    for one in objects:
        for name, value in one.pairs:
            found.setdefault(name, []).append(value)
    return found


def map_of_members(
    members: Mapping[str, Sequence[Value]], objects: int, options: JsonOptions, depth: int, formats: Formats, path: Path
) -> DType | None:
    """The MAP that so many objects of these members are, or JSON of what may be none; None where each member is a field.

    As in DuckDB they are one where an object has few of them, or where they are many and of types that are alike enough.
    """
    is_off = options.map_inference_threshold < 0
    if not members:
        return JSON if is_off else map_of(VARCHAR, JSON)
    values = [value for some in members.values() for value in some]
    # No field of a STRUCT is without a name.
    if "" in members or not is_off and len(values) / objects / len(members) < options.field_appearance_threshold:
        return map_of(VARCHAR, type_of_values(values, options, depth, formats, (*path, "")))
    if is_off or len(members) < options.map_inference_threshold:
        return None
    merged = type_of_values(values, options, depth, formats, (*path, ""))
    alike = [_similarity(merged, type_of_values(some, options, depth, {}), depth) for some in members.values()]
    if min(alike) < 0 or sum(alike) / len(alike) < _ALIKE:
        return None
    return map_of(VARCHAR, merged)


def _similarity(merged: DType, one: DType, depth: int) -> float:
    """How much of a type that was made of several is in one of them; -1 where they do not go together."""
    if not depth or NULL in (merged, one):
        return 1
    if merged == JSON:
        return -1
    if one == JSON or merged == one:
        return 1
    if merged.is_struct and one.is_struct:
        parts = {field.name: field.type for field in merged.fields}
        if not all(field.name in parts for field in one.fields):
            return -1
        found = [_similarity(parts[field.name], field.type, depth - 1) for field in one.fields]
        return -1 if min(found) < 0 else sum(found) / len(parts)
    if Kind.MAP in (merged.kind, one.kind) and (merged.is_struct or one.is_struct):
        value = (one if merged.is_struct else merged).children[0].fields[1].type
        fields = [field.type for field in (merged if merged.is_struct else one).fields]
        pairs = [(part, value) if merged.is_struct else (value, part) for part in fields]
        found = [_similarity(*pair, depth - 1) for pair in pairs]
        return -1 if min(found) < 0 else sum(found) / len(found)
    if merged.kind is Kind.MAP and one.kind is Kind.MAP:
        return _similarity(merged.children[0].fields[1].type, one.children[0].fields[1].type, depth - 1)
    if merged.kind is Kind.LIST and one.kind is Kind.LIST:
        return _similarity(merged.children[0], one.children[0], depth - 1)
    return 1


def _of_numbers(numbers: Sequence[Number]) -> DType:
    kinds = {one.kind for one in numbers}
    if "DOUBLE" in kinds:
        return DOUBLE
    if kinds == {"BIGINT"} or kinds == {"UBIGINT"} and all(one.number < 2**63 for one in numbers):
        return BIGINT
    return HUGEINT


def _reads_as(texts: pa.Array, dtype: DType, pattern: str | None = None) -> bool:
    written = text_column(pa.chunked_array([texts]))
    found = cast(written, dtype, True) if pattern is None else by_format(written, pattern)
    return found.valid is None or bool(found.valid.all())  # host: on the CPU


def type_of_texts(texts: Sequence[str], options: JsonOptions) -> tuple[DType, str | None]:
    """The type that all of the texts read as, VARCHAR where that is none, and their format where casts do not read it."""
    distinct = few_strings(list(dict.fromkeys(texts)), pa.large_string())
    given = {DATE: options.dateformat, TIMESTAMP: options.timestampformat}
    for dtype, pattern in given.items():
        if pattern is not None and _reads_as(distinct, dtype, pattern):
            return dtype, pattern
    for dtype, pattern, written in _TEXTS:
        if given.get(dtype) is None and all(map(written.fullmatch, texts)) and _reads_as(distinct, dtype, pattern):
            return dtype, pattern
    if options.convert_strings_to_integers and all(map(_WHOLE.fullmatch, texts)) and _reads_as(distinct, BIGINT):
        return BIGINT, None
    return VARCHAR, None
