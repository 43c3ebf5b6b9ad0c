r"""Regular expressions in RE2's syntax and with its linear time, run by Arrow over many strings at once.

Arrow searches, and replaces all matches, as RE2 does. It has no way to replace the first match alone that keeps what
stands around it in sight (`\b`, `$`), and it extracts named groups only: so the pattern is put into a larger one whose
groups are named as they are needed. For that its tokens are told apart here; whether it is valid, RE2 says.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from tqp.data.dictionary import Dictionary
from tqp.data.to_arrow import few_strings
from tqp.device import type_of
from tqp.functions.automata import automaton
from tqp.functions.matches import Match, all_matches, between
from tqp.functions.pattern_groups import TOKEN, always_holds, groups_of, inside, is_group, ungrouped
from tqp.functions.regular_expressions import begins_anywhere, ends_alone, spans_all
from tqp.functions.slices import Slices
from tqp.kernels import automata
from tqp.kernels.automata import SLOTS

__all__ = ["InvalidPatternError", "Options", "Regex", "UnsupportedPatternError", "compiled", "groups_of", "quoted"]

_HOST = torch.device("cpu")
_NOTHING = few_strings([""], pa.large_string())


class InvalidPatternError(ValueError):
    """What RE2 says of a pattern, or DuckDB of its options."""


class UnsupportedPatternError(InvalidPatternError):
    """A valid pattern, of which what is asked cannot be found."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the option letters of DuckDB's functions say; `everywhere` is for replacing alone."""

    flags: str = ""
    literal: bool = False
    everywhere: bool = False

    @classmethod
    def of(cls, letters: str) -> Options:
        """The options of such letters, of which later ones win; InvalidPatternError for an unknown one."""
        case, dot, literal, everywhere = "", "", False, False
        for letter in letters:
            match letter:
                case "i" | "c":
                    case = "i" if letter == "i" else ""
                case "s" | "m" | "n" | "p":
                    dot = "s" if letter == "s" else ""
                case "l":
                    literal = True
                case "g":
                    everywhere = True
                case " " | "\t" | "\n":
                    pass
                case _:
                    raise InvalidPatternError(f"there is no option {letter!r}: the options are c, i, l, m, n, p, s, g")
        return cls(case + dot, literal, everywhere)


@dataclass(frozen=True, slots=True)
class Regex:
    """A valid pattern, its flags in front, with the number of its groups.

    Methods take `large_string` arrays without NULLs and give arrays, or slices, of the same length. Time is linear in the text.
    """

    pattern: str
    groups: int

    def search(self, strings: pa.Array) -> pa.Array:
        """Whether the pattern is found anywhere in each string."""
        return pc.match_substring_regex(strings, self.pattern)

    def full(self, strings: pa.Array) -> pa.Array:
        """Whether each whole string matches."""
        return pc.match_substring_regex(strings, rf"\A(?:{self.pattern})\z")

    def extract(self, strings: pa.Array, group: int) -> pa.Array | Slices:
        """What a group (0: all) holds in the first match of each string; '' without a match or such a group."""
        if group > self.groups:
            return pc.utf8_slice_codeunits(strings, start=0, stop=0)
        found = None if ends_alone(self.pattern) else self._places(strings, group)
        if found is not None:
            data, _, places = found
            nothing = places[:, 0] < 0
            return Slices(data, *(torch.where(nothing, 0, place) for place in places.unbind(1)))
        self._check_bytes(strings)
        found = pc.extract_regex(strings, self._named({group}))
        return pc.struct_field(found, f"g{group}").fill_null("").cast(pa.large_string())

    def _places(self, strings: pa.Array, *groups: int) -> tuple[Tensor, Tensor, Tensor] | None:
        """The strings' bytes and offsets, and where the groups lie in each; None where RE2 serves better."""
        few = type_of(_HOST).limits.tabled_strings
        if few is None or len(strings) < few or not automata.are_looked_for(len(strings)):
            return None
        tables = automaton(self.pattern, groups)
        if tables is None:
            return None
        data, offsets = Dictionary(strings, is_sorted=False).bytes_and_offsets()
        return data, offsets, automata.groups(data, offsets, tables)

    def replace(self, strings: pa.Array, rewrite: str, everywhere: bool) -> pa.Array | Slices:
        r"""Each string with its first match, or all that do not overlap, replaced by `rewrite` (`\1`: group 1).

        InvalidPatternError for a rewrite that is not valid.
        """
        _check_rewrite(rewrite, self.groups)
        if len(rewrite) == 2 and rewrite[0] == "\\" and rewrite[1] != "\\" and spans_all(self.pattern):
            # What replaces a whole string is a part of it, and what does not match stays.
            found = self._places(strings, int(rewrite[1]))
            if found is not None:
                data, offsets, places = found
                begins, stops = places.unbind(1)
                is_kept, nothing = begins == automata.NO_MATCH, begins == automata.NOTHING
                begins = torch.where(is_kept, offsets[:-1], torch.where(nothing, 0, begins))
                return Slices(data, begins, torch.where(is_kept, offsets[1:], torch.where(nothing, 0, stops)))
        if everywhere:
            made = pc.replace_substring_regex(strings, self.pattern, rewrite)
            if {r"\B", r"\C"}.intersection(TOKEN.findall(self.pattern)):
                _check_text(made)
            return made
        self._check_bytes(strings)
        parts = re.findall(r"\\.|[^\\]+", rewrite, flags=re.DOTALL)
        read = {int(part[1]) for part in parts if part[0] == "\\" and part[1] != "\\"}
        located = self._places(strings, *sorted({0, *read})) if 2 * len({0, *read}) <= SLOTS else None
        if located is not None:
            return _spliced(*located, parts, sorted({0, *read}))
        found = pc.extract_regex(strings, rf"\A(?P<before>(?s:.*?)){self._named(read)}(?P<after>(?s:.*))\z")
        pieces: list[Any] = [pc.struct_field(found, "before")]
        for part in parts:
            if part[0] != "\\" or part == "\\\\":
                pieces.append(pa.scalar("\\" if part[0] == "\\" else part))
            else:
                pieces.append(pc.struct_field(found, f"g{part[1]}").fill_null(""))
        pieces.append(pc.struct_field(found, "after"))
        joined = [piece.cast(pa.large_string()) for piece in pieces]
        replaced = pc.binary_join_element_wise(*joined, pa.scalar("", pa.large_string()))
        return pc.if_else(found.is_valid(), replaced, strings)

    def split(self, strings: pa.Array) -> pa.Array:
        """What stands between the matches in each string, lists of `large_string`."""
        if self.pattern == "":
            return _lists_of(strings, lambda string: list(string))
        if _matches_nothing(self.pattern):
            texts = strings.to_pylist()
            pieces = map(between, texts, self._with_empty(strings, 0))
            return pa.array(list(pieces), pa.list_(pa.large_string()))
        (mark,) = _unused(strings, 1)
        return pc.split_pattern(pc.replace_substring_regex(strings, self.pattern, mark), mark)

    def extract_all(self, strings: pa.Array, group: int) -> pa.Array:
        """What a group (0: all) holds in each match of each string, lists of `large_string`; NULL where it has no part in it.

        UnsupportedPatternError for a group that may be left out of a match, or hold nothing: RE2 does not tell these apart.
        """
        if group > self.groups and pc.any(self.search(strings)).as_py():
            raise InvalidPatternError(f"the pattern has {self.groups} groups, but no group {group}")
        if not 0 <= group <= self.groups:
            return _lists_of(strings, lambda string: [])
        is_optional = group > 0 and not always_holds(self.pattern, group)
        if is_optional and _matches_nothing(inside(self.pattern, group)):
            why = f"group {group} of {self.pattern!r} may be left out of a match, or hold no character"
            raise UnsupportedPatternError(f"{why}, which regexp_extract_all does not tell apart")
        if _matches_nothing(self.pattern):
            held = [[match.group for match in one] for one in self._with_empty(strings, group)]
            found = pa.array(held, pa.list_(pa.large_string()))
        else:
            found = self._extract_all(strings, group)
        if not is_optional:
            return found
        values = found.flatten()
        return pa.ListArray.from_arrays(found.offsets, pc.if_else(pc.equal(values, ""), None, values))

    def _with_empty(self, strings: pa.Array, group: int) -> list[list[Match]]:
        self._check_bytes(strings)
        if r"\B" in TOKEN.findall(self.pattern):
            _check_text(pc.replace_substring_regex(strings, self.pattern, _MARK))
        return all_matches(self.pattern, ungrouped(self.pattern), strings, group, _unused(strings, 3))

    def _extract_all(self, strings: pa.Array, group: int) -> pa.Array:
        """As `extract_all`, of a pattern whose matches are not empty, '' for NULL."""
        found = self._all_places(strings, group)
        if found is not None:
            return found
        mark, begin = _unused(strings, 2)
        marked = pc.replace_substring_regex(strings, self.pattern, rf"{mark}{begin}\{group}{mark}")
        pieces = pc.split_pattern(marked, mark)
        values = pieces.values
        chosen = pc.starts_with(values, begin)
        before = np.concatenate([[0], np.cumsum(chosen.to_numpy(zero_copy_only=False))])
        found = pc.utf8_slice_codeunits(values.filter(chosen), start=1)
        return pa.ListArray.from_arrays(pa.array(before[pieces.offsets.to_numpy()].astype(np.int32)), found)

    def _all_places(self, strings: pa.Array, group: int) -> pa.Array | None:
        """As `extract_all`, by tables; None where RE2 serves better."""
        few = type_of(_HOST).limits.tabled_strings
        if few is None or len(strings) < few or not begins_anywhere(self.pattern):
            return None
        tables = automaton(self.pattern, (0, group) if group else (0,))
        if tables is None or not automata.all_are_looked_for(len(strings)):
            return None
        data, offsets = Dictionary(strings, is_sorted=False).bytes_and_offsets()
        counts, begins, stops = automata.all_groups(data, offsets, tables)
        ends = np.concatenate([[0], np.cumsum(counts.numpy())])
        if int(ends[-1]) >= 2**31:
            return None
        return pa.ListArray.from_arrays(pa.array(ends.astype(np.int32)), Slices(data, begins, stops).strings())

    def _named(self, wanted: set[int]) -> str:
        """The pattern as group g0 if that is wanted, its groups that are wanted named g1, g2, …, the others
        no groups any more, for Arrow wants a name for each."""
        count = 0

        def name(token: re.Match[str]) -> str:
            nonlocal count
            if not is_group(token[0]):
                return token[0]
            count += 1
            return f"(?P<g{count}>" if count in wanted else "(?:"

        inner = TOKEN.sub(name, self.pattern)
        return f"(?P<g0>{inner})" if 0 in wanted else f"(?:{inner})"

    def _check_bytes(self, strings: pa.Array) -> None:
        if r"\C" in TOKEN.findall(self.pattern) and not pc.all(pc.string_is_ascii(strings)).as_py():
            raise InvalidPatternError(rf"{self.pattern!r} may match a part of a character, for it has a \C")


@lru_cache(maxsize=1024)
def _matches_nothing(pattern: str) -> bool:
    """Whether a match may be empty: one at the beginning of some of these texts is, or one behind their first character."""
    inner = ungrouped(pattern)
    tried = [pc.extract_regex(_SHORT, rf"\A{before}(?P<all>{inner})") for before in ("", "(?s:.)")]
    return any(bool(pc.any(pc.equal(pc.struct_field(found, "all"), "")).as_py()) for found in tried)


_MARK = "\ue000"
_SHORT = few_strings(["", "a", " ", "0", "_", ".", "\n", "a\n", "\na", "a ", " a", "é"], pa.large_string())


def _unused(strings: pa.Array, count: int) -> list[str]:
    """So many characters that no string has."""
    found: list[str] = []
    code = ord(_MARK)
    while len(found) < count:
        if not pc.any(pc.match_substring(strings, chr(code))).as_py():
            found.append(chr(code))
        code += 1
    return found


def _lists_of(strings: pa.Array, pieces: Callable[[str], list[str]]) -> pa.Array:
    return pa.array(list(map(pieces, strings.to_pylist())), pa.list_(pa.large_string()))


@lru_cache(maxsize=1024)
def compiled(pattern: str, options: Options) -> Regex:
    """The pattern, ready to run; InvalidPatternError where RE2 does not take it."""
    if options.literal:
        pattern = quoted(pattern)
    tokens = TOKEN.findall(pattern)
    # Newer versions of RE2 than DuckDB's read (?<name>…) as a group, too.
    if r"(?<" in tokens:
        raise InvalidPatternError(_invalid(pattern, "invalid perl operator: (?<"))
    try:
        pc.match_substring_regex(_NOTHING, pattern)
    except pa.ArrowInvalid as error:
        raise InvalidPatternError(_invalid(pattern, str(error).removeprefix("Invalid regular expression: "))) from None
    if tokens and tokens[-1].startswith(r"\Q") and not tokens[-1][2:].endswith(r"\E"):
        pattern += r"\E"
    flags = f"(?{options.flags})" if options.flags else ""
    return Regex(flags + pattern, groups_of(pattern))


def _spliced(data: Tensor, offsets: Tensor, places: Tensor, parts: list[str], read: list[int]) -> pa.Array:
    """Strings with the match replaced by parts of a rewrite; `places` are those of the match and of the groups `read`."""
    is_match = places[:, 0] >= 0
    text = "".join("\\" if part == "\\\\" else part for part in parts if part[0] != "\\" or part == "\\\\").encode()
    at = data.shape[0]
    if text:
        data = torch.cat([data, torch.frombuffer(bytearray(text), dtype=torch.uint8)])
    begins, stops = [offsets[:-1]], [torch.where(is_match, places[:, 0], offsets[1:])]
    for part in parts:
        if part[0] == "\\" and part != "\\\\":
            place = 2 * read.index(int(part[1]))
            # Where it holds nothing both are alike.
            begins.append(places[:, place].clamp(0))
            stops.append(places[:, place + 1].clamp(0))
        else:
            size = 1 if part == "\\\\" else len(part.encode())
            begins.append(torch.full_like(offsets[1:], at))
            stops.append(begins[-1] + is_match * size)
            at += size
    begins.append(torch.where(is_match, places[:, 1], offsets[1:]))
    stops.append(offsets[1:])
    return Slices(data, torch.stack(begins, 1).reshape(-1), torch.stack(stops, 1).reshape(-1)).joined(len(begins))


def _check_text(made: pa.Array) -> None:
    # RE2 finds a place that is no word boundary, and an arbitrary byte, inside of characters, too.
    try:
        made.validate(full=True)
    except pa.ArrowInvalid:
        raise InvalidPatternError(
            r"a match of \B or \C stands inside of a character, and replacing it leaves no text"
        ) from None


def _invalid(pattern: str, why: str) -> str:
    return f"{pattern!r} is no regular expression: {why} (RE2 knows no look-around and no references to groups)"


def _check_rewrite(rewrite: str, groups: int) -> None:
    for part in re.findall(r"\\.?", rewrite, flags=re.DOTALL):
        if part[1:].isdecimal() and part[1:].isascii():
            if int(part[1:]) > groups:
                raise InvalidPatternError(f"the replacement asks for group {part[1:]}, the pattern has {groups}")
        elif part != "\\\\":
            raise InvalidPatternError("a backslash in the replacement must stand before a digit or a backslash")


def quoted(text: str) -> str:
    """A pattern that matches `text` itself, as RE2's QuoteMeta and DuckDB's `regexp_escape` make it."""
    return re.sub(r"[\x00-\x7f]", lambda char: _quoted(char[0]), text)


def _quoted(char: str) -> str:
    if char == "\0":
        return r"\x00"
    return char if char.isalnum() or char == "_" else f"\\{char}"
