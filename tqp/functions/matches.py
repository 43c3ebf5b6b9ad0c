"""All matches of a pattern of RE2 in strings, where a match may be empty, as DuckDB steps through a string.

After an empty match it goes on at the next character, after any other at the match's end, where the next one may be empty.
RE2's own replacing of all matches does the same, but passes over an empty match at the end of another one: so it puts marks around
what it finds, and those that it passed over are put between.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["Match", "all_matches", "between"]


class Match(NamedTuple):
    """Where a match lies in a string, in characters, and what its group holds."""

    start: int
    stop: int
    group: str


_ANCHORED: Final = r"\A(?s:.)(?P<rest>{})"
"""A match behind one character, for what looks back."""


def all_matches(
    pattern: str, without_groups: str, strings: pa.Array, group: int, marks: Sequence[str]
) -> list[list[Match]]:
    """The matches in each of the strings, which have none of the three `marks`; what a group that has no part in it holds is ''."""
    begin, middle, end = marks
    marked = pc.replace_substring_regex(strings, pattern, rf"{begin}\{group}{middle}\0{end}").to_pylist()
    texts = strings.to_pylist()
    found: list[list[Match]] = []
    doubtful: list[tuple[int, int]] = []
    rests: list[str] = []
    for number, (text, one) in enumerate(zip(texts, marked, strict=True)):
        matches = _marked(one, begin, middle, end)
        found.append(matches)
        for match, after in zip_longest(matches, matches[1:]):
            if match.stop > match.start and (after is None or after.start > match.stop):
                doubtful.append((number, match.stop))
                rests.append(text[match.stop - 1 :])
    if rests:
        is_empty = (
            pc.extract_regex(pa.array(rests, pa.large_string()), _ANCHORED.format(without_groups))
            .is_valid()
            .to_pylist()
        )
        for (number, place), there in zip(doubtful, is_empty, strict=True):
            if there:
                found[number].append(Match(place, place, ""))
        for matches in found:
            matches.sort(key=lambda match: match[:2])
    return found


def _marked(text: str, begin: str, middle: str, end: str) -> list[Match]:
    """The matches that marks stand around."""
    before, *rest = text.split(begin)
    place, found = len(before), []
    for part in rest:
        group, both = part.split(middle)
        whole, after = both.split(end)
        found.append(Match(place, place + len(whole), group))
        place += len(whole) + len(after)
    return found


def between(text: str, matches: Sequence[Match]) -> list[str]:
    """The pieces of a text that its matches leave; an empty match parts a character from the next one."""
    found: list[str] = []
    at, size = 0, len(text)
    for match in matches:
        if at == size:
            break
        if match.stop > match.start or match.start > at:
            found.append(text[at : match.start])
            at = match.stop
        if match.stop == match.start and at < size:
            if at + 1 == size:
                break
            found.append(text[at])
            at += 1
    return [*found, text[at:]]
