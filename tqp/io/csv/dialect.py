"""The dialect of a CSV file: what divides and quotes its values, found out from how many values the lines have.

Lines are counted on a text in which each quoted value is one mark (`masked`), so that neither delimiters nor line breaks in quotes
count. As in DuckDB the dialect is taken by which the most lines have the same number of values, and the most of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import islice
from typing import Final

import numpy as np

from tqp.errors import SourceError
from tqp.io.csv.options import CsvOptions

__all__ = [
    "MARK",
    "Dialect",
    "Found",
    "Records",
    "find_dialect",
    "goes_on",
    "is_blank",
    "is_plainly_quoted",
    "records_of",
    "uneven",
]

MARK: Final = "\udc00"
"""Stands before a quoted value: a surrogate, which is in no text, and stands for no byte that is none."""
_NO_TEXT: Final = re.compile("[\udc80-\udcff]")
_LINE_END: Final = re.compile("\r\n|\n|\r")
_DELIMITERS: Final = (",", "|", ";", "\t")
_QUOTES: Final = (('"', '"'), ('"', "\\"), ("'", "'"), ("'", "\\"), ("", ""))
_COMMENTS: Final = ("", "#")


@dataclass(frozen=True, slots=True)
class Dialect:
    """What divides values, what they may be quoted with and what escapes a quote in them, what begins a comment; '' for none."""

    delimiter: str
    quote: str
    escape: str
    comment: str


@dataclass(frozen=True)
class Records:
    """A text in lines, of which comments are cut off; `ends`: the last line ends as the others do.

    `masked` are the lines with a `MARK` for each quoted value, None for one of a comment alone, and `quoted` these values.
    """

    masked: Sequence[str | None] = ()
    quoted: Sequence[str] = ()
    delimiter: str = ""
    ends: bool = True

    @property
    def was_quoted(self) -> bool:
        """Whether there is a quoted value."""
        return bool(self.quoted)

    @cached_property
    def counts(self) -> list[int]:
        """How many values each line has; -1 for one that is None."""
        mark = self.delimiter
        return [-1 if line is None else line.count(mark) + 1 if mark else 1 for line in self.masked]

    @cached_property
    def lines(self) -> list[list[str] | None]:
        """The values of each line, a quoted one with a `MARK` before it."""
        values = iter(self.quoted)
        return [None if line is None else self._values(line, values) for line in self.masked]

    def _values(self, line: str, quoted: Iterator[str]) -> list[str]:
        found = line.split(self.delimiter) if self.delimiter else [line]
        return [MARK + next(quoted) if value == MARK else value for value in found] if MARK in line else found

    def is_text(self, place: int) -> bool:
        """Whether all bytes of a line were text."""
        return not any(_NO_TEXT.search(value) for value in self.lines[place] or ())

    def line_number(self, place: int) -> int:
        """On which line of the text, from 1 on, a record begins."""
        return 1 + place + sum(len(_LINE_END.findall(value)) for line in self.lines[:place] for value in line or ())


@dataclass(frozen=True, slots=True)
class Found:
    """The dialect of a file: its first row, which may be a header, is record `start`; a row has `width` values.

    `extra`: each row but the first has one more, which is empty.
    """

    dialect: Dialect
    records: Records
    start: int
    width: int
    extra: bool = False


@cache
def _begin(dialect: Dialect) -> re.Pattern[str]:
    """What begins a quoted value, with the end of what stands before: a set of characters if it can be, as these are found fast."""
    quote, delimiter = re.escape(dialect.quote), re.escape(dialect.delimiter)
    before = rf"[\r\n{delimiter}]" if len(dialect.delimiter) < 2 else rf"(?:[\r\n]|{delimiter})"
    return re.compile(f"({before}) *{quote}")


@cache
def _quoted(dialect: Dialect) -> re.Pattern[str]:
    """What a quoted value is, with what begins it."""
    quote, escape = re.escape(dialect.quote), re.escape(dialect.escape)
    if dialect.escape in ("", dialect.quote):
        inside = rf"[^{quote}]*(?:{quote}{quote}[^{quote}]*)*" if dialect.escape else rf"[^{quote}]*"
    else:
        inside = rf"[^{quote}{escape}]*(?:{escape}.[^{quote}{escape}]*)*"
    ends = [re.escape(mark) for mark in (dialect.delimiter, dialect.comment) if mark]
    behind = "|".join([*ends, r"[\r\n]", r"\Z"])
    return re.compile(rf"{_begin(dialect).pattern}({inside}){quote} *(?={behind})", re.DOTALL)


def records_of(text: str, dialect: Dialect, whole: bool = True) -> Records | None:
    """The lines of a text; None where a quoted value does not end, or goes on behind its quote, as the last may if not `whole`."""
    contents: list[str] = []
    # As if the first line were not the first.
    text = "\n" + text
    if dialect.quote and _begin(dialect).search(text):
        escaped = re.compile(re.escape(dialect.escape) + "(.)", re.DOTALL) if dialect.escape else None

        def taken(match: re.Match[str]) -> str:
            before, inside = match.groups()
            contents.append(escaped.sub(r"\1", inside) if escaped is not None and dialect.escape in inside else inside)
            return f"{before}{MARK}"

        text = _quoted(dialect).sub(taken, text)
        left = _begin(dialect).search(text)
        if left is not None:
            if whole or text.find(dialect.quote, left.end()) >= 0:
                return None
            text = text[: text.rfind("\n", 0, left.end()) + 1]
    text = text[1:]
    pieces = _LINE_END.split(text) if "\r" in text else text.split("\n")
    ends = pieces[-1] == ""
    if ends:
        pieces.pop()
    if not dialect.comment:
        return Records(pieces, contents, dialect.delimiter, ends)
    quoted = iter(contents)
    kept: list[str] = []
    lines = [_before_comment(piece, dialect.comment, quoted, kept) for piece in pieces]
    return Records(lines, kept, dialect.delimiter, ends)


def is_plainly_quoted(content: bytes, dialect: Dialect) -> bool:
    """Whether all quotes are as every reader takes them: around whole values without blanks, doubled where they stand in one."""
    if dialect.escape != dialect.quote:
        return False
    written = np.frombuffer(content, np.uint8)
    places = np.flatnonzero(written == ord(dialect.quote))
    if len(places) % 2:
        return False
    # One that is doubled in a value ends it and begins it again.
    begins, ends = places[::2], places[1::2]
    outside = np.zeros(256, np.bool_)
    outside[[ord(mark) for mark in ("\n", "\r", dialect.delimiter, dialect.quote)]] = True
    before = written[begins[begins > 0] - 1]
    after = written[ends[ends < len(written) - 1] + 1]
    return bool(outside[before].all() and outside[after].all())


def _before_comment(line: str, comment: str, quoted: Iterator[str], left: list[str]) -> str | None:
    """What stands before a comment, None for nothing but it; takes the line's `quoted` values and leaves those that are `left`."""
    end = line.find(comment)
    if end < 0:
        left += islice(quoted, line.count(MARK))
        return line
    values = list(islice(quoted, line.count(MARK)))
    left += values[: line.count(MARK, 0, end)]
    return line[:end] or None


def is_blank(line: list[str] | None) -> bool:
    """Whether it is a line without anything."""
    return line == [""]


def goes_on(line: Sequence[str], width: int) -> bool:
    """Whether a value of a line stands behind its first ones; empty ones there are none."""
    return any(value not in ("", MARK) for value in line[width:])


def find_dialect(text: str, whole: bool, options: CsvOptions, shown: str) -> Found:
    """The dialect that fits the options and the text, which may be only the beginning of a file.

    SourceError where lines have different numbers of values in each dialect.
    """
    best: Found | None = None
    rows = 0
    for dialect in _candidates(text, options):
        if best is not None and best.width > 1 and not options.columns and dialect.delimiter not in text:
            # Rows of one value each never win over wider ones.
            continue
        records = records_of(text, dialect, whole)
        fitted = None if records is None else _fitted(records, dialect, options, whole)
        if fitted is None:
            continue
        found, fitting = fitted
        if best is not None:
            from_one = best.width < 2 < found.width + 1
            more = fitting > rows and found.width >= best.width or fitting == rows and found.width > best.width
            if best.records.was_quoted != found.records.was_quoted:
                if best.records.was_quoted:
                    continue
            elif not (from_one or more):
                continue
        best, rows = found, fitting
    if best is None:
        raise _no_dialect(text, whole, options, shown)
    if best.dialect.delimiter and any(best.dialect.delimiter in null for null in options.nullstr):
        raise SourceError(f"nullstr has the delimiter {best.dialect.delimiter!r} in it")
    return best


def _candidates(text: str, options: CsvOptions) -> Iterator[Dialect]:
    """Dialects that the options allow and the text may be in, those first that DuckDB tries first."""
    delimiters = _DELIMITERS if options.delimiter is None else (options.delimiter,)
    found = (comment for comment in _COMMENTS if comment in text)
    comments = tuple(found) if options.comment is None else (options.comment,)
    quotes = (
        _QUOTES
        if options.quote is None
        else tuple(dict.fromkeys([(options.quote, options.quote), (options.quote, "\\")]))
    )
    if options.escape is not None:
        quotes = tuple(dict.fromkeys((quote, options.escape if quote else "") for quote, _ in quotes))
    if not options.auto_detect:
        delimiters, comments, quotes = delimiters[:1], comments[:1], quotes[:1]
    for quote, escape in quotes:
        # What does not occur makes no difference.
        is_idle = quote and quote not in text or escape == "\\" and escape not in text
        if is_idle and (quote, escape) != quotes[0]:
            continue
        # Of those that do not occur one stands for all: each line is one value.
        absent = next((delimiter for delimiter in delimiters if delimiter not in text), None)
        for delimiter in delimiters:
            if delimiter in text or delimiter == absent:
                yield from (Dialect(delimiter, quote, escape, comment) for comment in comments)


def _fitted(records: Records, dialect: Dialect, options: CsvOptions, whole: bool) -> tuple[Found, int] | None:
    """The rows of a dialect, and how many have the same number of values; None where that does not fit all lines."""
    lines = records.masked[options.skip :]
    if options.skip > len(records.masked) > 0 or not lines and (len(options.columns) > 1 or not records.ends):
        return None
    written = [place for place, line in enumerate(lines) if line]
    has_comments = None in lines
    counts = [records.counts[options.skip + place] for place in written]
    wanted = len(options.columns)
    if wanted and not options.auto_detect:
        behind = [(lines[place] or "").rstrip(dialect.delimiter).count(dialect.delimiter) + 1 for place in written]
        counts = [min(count, max(wanted, more)) for count, more in zip(counts, behind, strict=True)]
    elif (
        whole
        and counts[1:]
        and counts[-1] == max(counts[:-1]) + 1
        and (lines[written[-1]] or "").endswith(dialect.delimiter)
    ):
        # As in DuckDB an empty value behind the last row is none.
        counts[-1] -= 1
    rest = [lines[place] or "" for place in written[1:]]
    extra = bool(rest) and _ends_empty(rest, counts[1:], (wanted or counts[0]) + 1, dialect.delimiter)
    if not written:
        start, width = 0, wanted or 1
    elif options.ignore_errors:
        width = wanted or Counter(counts).most_common(1)[0][0]
        start = next((place for place, count in zip(written, counts, strict=True) if count == width), 0)
    elif wanted or options.skip and not has_comments or extra:
        start, width = written[0], wanted or counts[0]
    elif options.null_padding:
        start, width = written[0], max(counts)
    else:
        width = max(counts)
        start = written[counts.index(width)]
    fitting = [count for place, count in zip(written, counts, strict=True) if place >= start]
    if not (options.ignore_errors or extra) and any(
        count > width or count < width and not options.null_padding for count in fitting
    ):
        return None
    if has_comments and options.comment is None and width == 1:
        return None
    return Found(dialect, records, options.skip + start, width, extra), len(fitting)


def _ends_empty(lines: Sequence[str], counts: Sequence[int], count: int, delimiter: str) -> bool:
    """Whether all lines have so many values, of which the last is empty."""
    return all(one == count for one in counts) and all(line.endswith(delimiter) for line in lines)


def _no_dialect(text: str, whole: bool, options: CsvOptions, shown: str) -> SourceError:
    lenient = replace(options, ignore_errors=True)
    for dialect in _candidates(text, options):
        records = records_of(text, dialect, whole)
        fitted = None if records is None else _fitted(records, dialect, lenient, whole)
        if records is not None and fitted is not None:
            return uneven(records, options.skip, fitted[0].width, shown)
        if records is not None and options.skip >= len(records.masked):
            return SourceError(
                f"cannot read {shown!r} as CSV: it has {len(records.masked)} lines, and skip={options.skip}"
            )
    return SourceError(
        f"cannot read {shown!r} as CSV: a quoted value does not end as it should", hint="quote='' for none"
    )


def uneven(records: Records, start: int, width: int, shown: str) -> SourceError:
    """The error of a file whose lines have different numbers of values."""
    place = next(
        (
            place
            for place, line in enumerate(records.lines)
            if place >= start and line and (len(line) < width or goes_on(line, width)) and not is_blank(line)
        ),
        start,
    )
    count = len(records.lines[place] or ()) if place < len(records.lines) else 0
    return SourceError(
        f"cannot read {shown!r} as CSV: line {records.line_number(place)} has {count} values instead of {width}",
        hint="null_padding=true fills up short rows with NULL, ignore_errors=true leaves such rows out, or say delimiter and quote",
    )
