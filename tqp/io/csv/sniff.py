"""What a CSV file is, found out from its first lines: dialect, header, names and types."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from typing import Final

from tqp.errors import SourceError
from tqp.functions.string import SPACES
from tqp.io.csv.dialect import MARK, Dialect, Found, find_dialect, is_blank
from tqp.io.csv.kinds import CsvType, found_type, found_types
from tqp.io.csv.options import CsvOptions
from tqp.keywords import CALLED_SPECIALLY, KEYWORDS
from tqp.types import TIMESTAMPTZ, VARCHAR, DType, Kind

__all__ = ["Sniffed", "require_typed", "sniffed"]


@dataclass(frozen=True, slots=True)
class Sniffed:
    """A file's dialect and columns, as its first lines tell them.

    `first` is the record of its first row of values, which begins on that `line`, and `rows` how many there are; `extra`: each has
    one value more, which is empty. `has_blanks`: of the lines before it one is blank. `is_empty`: there is no line.
    `skipped` lines, comments aside, stand before the header, or that row. `was_escaped`: a quote stands within a quoted value.
    `line_end` is how the first line ends, as it is written in SQL.
    """

    dialect: Dialect
    names: tuple[str, ...]
    types: tuple[CsvType, ...]
    extra: bool
    first: int
    line: int
    rows: int
    has_blanks: bool
    is_empty: bool
    has_header: bool
    skipped: int
    was_quoted: bool
    was_escaped: bool
    line_end: str

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.names)


def sniffed(text: str, whole: bool, options: CsvOptions, shown: str) -> Sniffed:
    """What the text is, which is the whole file or its beginning. SourceError for one that no dialect fits."""
    found = find_dialect(text, whole, options, shown)
    width = found.width
    names_given = options.names or tuple(name for name, _ in options.columns)
    if len(names_given) > width:
        raise SourceError(f"{len(names_given)} names are given, and {shown!r} has {width} columns")
    read = found.records.lines
    lines = [
        line
        for place in range(found.start, len(read))
        if (line := read[place]) is not None and (options.keeps_blank(width) or not is_blank(line))
        if not options.ignore_errors or found.records.is_text(place)
    ]
    if options.sampled > 0:
        lines = lines[: options.sampled]
    if options.ignore_errors:
        lines = [line for line in lines if len(line) in (width, width + found.extra)]
    if all(map(is_blank, lines)):
        lines = []
    columns = list(islice(zip_longest(*lines), width))
    columns += [(None,) * len(lines)] * (width - len(columns))
    first = [None if value is None else value_of(value, options) for value, *_ in columns] if lines else []
    types = _types(columns, 1 if len(lines) > 1 else 0, options)
    given = [CsvType(dtype) for _, dtype in options.columns]
    if options.header is None:
        has_header = options.auto_detect and _has_header(first, given or types, options)
    else:
        has_header = options.header
    head = lines[0] if lines else []
    named = [_name(value) for value in head[:width]] if has_header else []
    names = _names(named, width, names_given, options)
    if given:
        types = [_given(one.dtype, found) for one, found in zip(given, types, strict=True)]
    else:
        if not has_header and options.header is False or not has_header and len(lines) > 1:
            types = _types(columns, 0, options)
        if has_header and len(lines) == 1:
            types = [CsvType(VARCHAR, is_blank=True)] * width
        types = _as_given(types, names, options, shown)
    records = found.records
    head_at = _header(found, options) if has_header and lines else found.start
    start = head_at + 1 if has_header and lines else found.start if lines else len(records.masked)
    return Sniffed(
        found.dialect,
        tuple(names),
        tuple(types),
        found.extra,
        start,
        records.line_number(start),
        sum(map(bool, records.masked[start:])),
        "" in records.masked[:start],
        not any(records.masked),
        has_header and bool(lines),
        records.line_number(head_at) - 1 - records.masked[:head_at].count(None) if lines else options.skip,
        records.was_quoted,
        any(found.dialect.quote in value for value in records.quoted) if found.dialect.quote else False,
        _line_end(text),
    )


def _line_end(text: str) -> str:
    r"""How the first line ends, as `\n` and the like."""
    end = re.search("\r\n|\n|\r", text)
    return "\\n" if end is None else end[0].replace("\r", "\\r").replace("\n", "\\n")


def _header(found: Found, options: CsvOptions) -> int:
    """The record of the first row."""
    lines = found.records.masked
    return next(
        place
        for place in range(found.start, len(lines))
        if (line := lines[place]) or line is not None and options.keeps_blank(found.width)
        if not options.ignore_errors or found.records.is_text(place)
    )


def value_of(value: str, options: CsvOptions) -> str | None:
    """A value without its mark, None for NULL."""
    if value.startswith(MARK):
        value = value[1:]
        return None if options.allow_quoted_nulls and value in options.nullstr else value
    return None if value in options.nullstr else value


def _types(columns: Sequence[Sequence[str | None]], start: int, options: CsvOptions) -> list[CsvType]:
    """The types of columns by their values from a row on."""
    values = []
    for column in columns:
        distinct = dict.fromkeys(islice(column, start, None))
        distinct.pop(None, None)
        values.append([value for one in distinct if one is not None and (value := value_of(one, options)) is not None])
    return found_types(values, options)


def _has_header(first: Sequence[str | None], types: Sequence[CsvType], options: CsvOptions) -> bool:
    """Whether the first row is one: values of other types than those below, texts above texts, or values above none."""
    if not first:
        return False
    names = [name.lower() for name, _ in options.columns]
    if names and [_name(str(value)).lower() for value in first] == names:
        return True
    if all(kind.dtype.is_text and not kind.is_blank for kind in types):
        return not names and not all(value is None for value in first)
    if all(value is None for value in first):
        return True
    return not all(
        value is None or not kind.is_blank and (kind.dtype.is_text or _fits(value, kind, options))
        for value, kind in zip(first, types, strict=True)
    )


def _fits(value: str, kind: CsvType, options: CsvOptions) -> bool:
    narrowed = replace(
        options, auto_type_candidates=(kind.dtype,), dateformat=kind.format or options.dateformat,
        timestampformat=kind.format or options.timestampformat,
    )  # fmt: skip
    return found_type([value], narrowed, {Kind.DATE: (), Kind.TIMESTAMP: ()}).dtype == kind.dtype


def _name(value: str) -> str:
    """The name that a value of the header is: without its mark, and without blanks around it."""
    return value.removeprefix(MARK).strip(SPACES)


_NO_WORD: Final = re.compile(r"[^a-zA-Z0-9_]")


def _names(named: Sequence[str], width: int, given: Sequence[str], options: CsvOptions) -> list[str]:
    """The names of the columns: given ones, those of the header, and numbers; each once."""
    names = [named[place] if place < len(named) and named[place] else f"column{place}" for place in range(width)]
    if options.normalize_names:
        names = [_normal(name) for name in names]
    seen: dict[str, int] = {}
    found = []
    for name in names:
        own = name
        while own.lower() in seen:
            seen[name.lower()] = seen.get(name.lower(), 0) + 1
            own = f"{name}_{seen[name.lower()]}"
        seen.setdefault(own.lower(), 0)
        found.append(own)
    found[: len(given)] = given
    repeated = next((name for name in found[len(given) :] if name.lower() in map(str.lower, given)), None)
    if repeated is not None:
        raise SourceError(f"names: there is a column {repeated!r} besides", hint="names for all columns")
    return found


def _normal(name: str) -> str:
    """The name in lower case, of letters, digits and underscores alone, and no word of SQL."""
    words = _NO_WORD.sub("", re.sub(r"\s+", "_", name.strip())).lower()
    return f"_{words}" if not words or words[0].isdigit() or words.upper() in _WORDS else words


# Words of SQL, but for those that are special only where something is called by them.
_WORDS: Final = KEYWORDS - CALLED_SPECIALLY | {"COLUMNS", "GENERATED", "STRUCT", "TRY_CAST", "TUPLE"}


def _as_given(types: Sequence[CsvType], names: Sequence[str], options: CsvOptions, shown: str) -> list[CsvType]:
    """The types with those that the options say."""
    found = [CsvType(VARCHAR)] * len(types) if options.all_varchar else list(types)
    lowered = [name.lower() for name in names]
    if len(options.types) > len(types):
        raise SourceError(f"{len(options.types)} types are given, and {shown!r} has {len(types)} columns")
    for place, given in enumerate(options.types):
        if isinstance(given, DType):
            found[place] = _given(given, found[place])
            continue
        name, dtype = given
        if name.lower() in lowered:
            place = lowered.index(name.lower())
            found[place] = _given(dtype, found[place])
    if not options.files.union_by_name:
        require_typed(names, options, shown)
    for name in options.force_not_null:
        if name.lower() not in lowered:
            raise _unknown("force_not_null", name, names, shown)
    return found


def _given(dtype: DType, found: CsvType) -> CsvType:
    """The type that an option says, in the format that values were found to be in."""
    return found if found.dtype == dtype else CsvType(dtype, is_local=dtype == TIMESTAMPTZ)


def require_typed(names: Sequence[str], options: CsvOptions, shown: str) -> None:
    """SourceError where none of the names is one that a type is given for; with `ignore_errors` such a type says nothing."""
    if options.ignore_errors:
        return
    lowered = [name.lower() for name in names]
    for given in options.types:
        if not isinstance(given, DType) and given[0].lower() not in lowered:
            raise _unknown("types", given[0], names, shown)


def _unknown(option: str, name: str, names: Sequence[str], shown: str) -> SourceError:
    return SourceError(f"{option}: {shown!r} has no column {name!r}", hint=f"columns are {', '.join(names)}")
