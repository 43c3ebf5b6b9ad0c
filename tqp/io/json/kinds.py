"""The type of values of JSON, found out from a sample of them as `read_json` of DuckDB does.

Values of kinds that have no type in common are JSON. Texts are dates, times or UUIDs where all of them read as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

import pyarrow as pa

from tqp.data.to_arrow import few_strings
from tqp.functions.casts.cast import cast
from tqp.functions.json_text import Members, Number, Value
from tqp.functions.strptime import by_format
from tqp.io.json.options import JsonOptions
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
    list_of,
    map_of,
    struct,
)

__all__ = ["ZONED", "distinct_names", "type_of_texts", "type_of_values"]

_DAY: Final = r"\s*[0-9]{4,}-[0-9]{1,2}-[0-9]{1,2}"
ZONED: Final = re.compile(
    rf"{_DAY}[ T][0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{{2}}(?::?[0-9]{{2}})?)"
)
"""A time with its offset."""
_TEXTS: Final = (
    (DATE, re.compile(rf"{_DAY}\s*")),
    (TIMESTAMP, re.compile(rf"{_DAY}[ T][0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]+)?)?")),
    (TIME, re.compile(r"[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?")),
    (TIMESTAMPTZ, ZONED),
    (UUID, re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")),
)
_WHOLE: Final = re.compile(r"-?[0-9]+")


def type_of_values(values: Iterable[Value], options: JsonOptions, depth: int) -> DType:
    """The type that all of the values have; `depth` is how many levels of them are looked at, -1 for all."""
    known = [value for value in values if value is not None]
    if not depth:
        return JSON
    if not known:
        return NULL
    if all(isinstance(value, Members) for value in known):
        return _of_objects([value for value in known if isinstance(value, Members)], options, depth - 1)
    if all(isinstance(value, list) for value in known):
        items = [item for value in known if isinstance(value, list) for item in value]
        return list_of(type_of_values(items, options, depth - 1) if items else JSON)
    if all(isinstance(value, bool) for value in known):
        return BOOLEAN
    if all(isinstance(value, Number) for value in known):
        return _of_numbers([value for value in known if isinstance(value, Number)])
    if all(isinstance(value, str) for value in known):
        return type_of_texts([value for value in known if isinstance(value, str)], options)
    return JSON


def _of_objects(objects: Sequence[Members], options: JsonOptions, depth: int) -> DType:
    fields: dict[str, list[Value]] = {}
    for one in objects:
        for name, value in one.pairs:
            fields.setdefault(name, []).append(value)
    if not fields:
        return map_of(VARCHAR, JSON)
    # No field of a STRUCT is without a name.
    if "" in fields or 0 <= options.map_inference_threshold <= len(fields):
        return map_of(VARCHAR, type_of_values([value for some in fields.values() for value in some], options, depth))
    kinds = [type_of_values(some, options, depth) for some in fields.values()]
    return struct(zip(distinct_names(fields), kinds, strict=True))


def distinct_names(names: Iterable[str]) -> list[str]:
    """The names, with a number behind one that differs from another in its letters' case alone."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        own = name
        while own.lower() in seen:
            seen[name.lower()] += 1
            own = f"{name}_{seen[name.lower()]}"
        seen[own.lower()] = 0
        found.append(own)
    return found


def _of_numbers(numbers: Sequence[Number]) -> DType:
    kinds = {one.kind for one in numbers}
    if "DOUBLE" in kinds:
        return DOUBLE
    if kinds == {"BIGINT"} or kinds == {"UBIGINT"} and all(one.number < 2**63 for one in numbers):
        return BIGINT
    return HUGEINT


def _reads_as(texts: pa.Array, dtype: DType) -> bool:
    found = cast(text_column(pa.chunked_array([texts])), dtype, True)
    return found.valid is None or bool(found.valid.all())  # host: on the CPU


def type_of_texts(texts: Sequence[str], options: JsonOptions) -> DType:
    """The type that all of the texts read as; VARCHAR where that is none."""
    distinct = few_strings(list(dict.fromkeys(texts)), pa.large_string())
    for dtype, pattern in ((DATE, options.dateformat), (TIMESTAMP, options.timestampformat)):
        if pattern is not None:
            found = by_format(text_column(pa.chunked_array([distinct])), pattern)
            if found.valid is None or bool(found.valid.all()):  # host: on the CPU
                return dtype
    given = {DATE: options.dateformat, TIMESTAMP: options.timestampformat}
    for dtype, written in _TEXTS:
        if given.get(dtype) is None and all(map(written.fullmatch, texts)) and _reads_as(distinct, dtype):
            return dtype
    if options.convert_strings_to_integers and all(map(_WHOLE.fullmatch, texts)) and _reads_as(distinct, BIGINT):
        return BIGINT
    return VARCHAR
