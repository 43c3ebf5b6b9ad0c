"""Arguments for operations on the bytes of strings."""

from __future__ import annotations

import torch
from hypothesis import strategies as st

from tests.kernels.arguments.drawn import Arguments
from tqp.functions.automata import automaton
from tqp.kernels import fields
from tqp.kernels.fields import Step


@st.composite
def _searched(draw: st.DrawFn) -> Arguments:
    """Strings end to end, their offsets, and the pieces of a pattern."""
    word = st.text("ab", max_size=6).map(str.encode)
    words = draw(st.sampled_from([1, 1, 1, 9])) * draw(st.lists(word, max_size=12))
    ends = [sum(map(len, words[:count])) for count in range(len(words) + 1)]
    piece = st.text("ab", max_size=2).map(str.encode)
    inner = st.lists(st.text("ab", min_size=1, max_size=2).map(str.encode), min_size=1, max_size=3)
    pieces = draw(
        st.lists(piece, min_size=1, max_size=4) | st.tuples(piece, inner, piece).map(lambda it: [it[0], *it[1], it[2]])
    )
    data = (
        torch.frombuffer(bytearray(b"".join(words)), dtype=torch.uint8)
        if ends[-1]
        else torch.empty(0, dtype=torch.uint8)
    )
    start = draw(st.integers(0, len(words) // 2))
    return data, torch.tensor(ends), pieces, start, draw(st.none() | st.integers(start, len(words)))


@st.composite
def _searched_rows(draw: st.DrawFn) -> Arguments:
    """The same for some of the strings, in any order, beside long ones, so that blocks of bytes lie within the buffer."""
    data, offsets, pieces, _, _ = draw(_searched())
    long = draw(st.integers(0, 200))
    data = torch.cat([data, torch.full((long,), ord("a"), dtype=torch.uint8)])
    offsets = torch.cat([offsets, offsets[-1:] + long])
    kind = draw(st.sampled_from([torch.int16, torch.int32, torch.int64]))
    rows = draw(st.lists(st.integers(0, len(offsets) - 2), max_size=20))
    return data, offsets, pieces, torch.tensor(rows, dtype=kind)


@st.composite
def _strings(draw: st.DrawFn) -> Arguments:
    """Strings end to end, not at the buffer's begin, and their offsets: equal ones, prefixes of others, long ones, with bytes of any kind."""
    bytes_ = st.sampled_from(
        [b"", b"\0", b"a", b"ab", b"\xc3\xa9", b"\xf0\x9f\x98\x80", b"\x7f", b"abcdefg", b"abcdefgh"]
    )
    words = draw(st.lists(st.lists(bytes_, max_size=4).map(b"".join), max_size=40))
    words += draw(st.sampled_from([0, 0, 3])) * words
    ends = [1 + sum(map(len, words[:count])) for count in range(len(words) + 1)]
    return torch.frombuffer(bytearray(b"-" + b"".join(words)), dtype=torch.uint8), torch.tensor(ends)


@st.composite
def _cut(draw: st.DrawFn) -> Arguments:
    """Strings of whole characters end to end, their offsets, and two numbers of characters."""
    words = [word.encode() for word in draw(st.lists(st.text("ab\u00e9\u65e5\U0001f600", max_size=12), max_size=20))]
    ends = [1 + sum(map(len, words[:count])) for count in range(len(words) + 1)]
    number = st.integers(-14, 14) | st.sampled_from([-(2**62), 2**62])
    data = torch.frombuffer(bytearray(b"-" + b"".join(words) + b"--"), dtype=torch.uint8)
    return data, torch.tensor(ends), draw(number), draw(number)


@st.composite
def _slices(draw: st.DrawFn) -> Arguments:
    """Bytes, and where slices of them begin and end."""
    data = bytes(draw(st.lists(st.sampled_from(b"ab\0\xff"), max_size=40))) + b"abababab" * draw(st.integers(0, 9))
    place = st.integers(0, len(data))
    pairs = draw(st.lists(st.tuples(place, place).map(sorted), max_size=40)) * draw(st.sampled_from([1, 50]))
    every = torch.tensor(pairs, dtype=torch.int64).reshape(-1, 2)
    if draw(st.booleans()):
        size = draw(st.integers(0, len(data)))
        begins = torch.arange(len(data) - size + 1)
        every = torch.stack([begins, begins + size], 1)
    bytes_ = torch.frombuffer(bytearray(data), dtype=torch.uint8) if data else torch.empty(0, dtype=torch.uint8)
    return bytes_, every[:, 0].contiguous(), every[:, 1].contiguous()


@st.composite
def _groups(draw: st.DrawFn) -> Arguments:
    """Strings end to end, their offsets, and the tables of an expression."""
    data, offsets, _, _, _ = draw(_searched())
    pattern = draw(st.sampled_from(["a(b*)", "^(a+?)(b?)", "(a|ba)*(b{1,2})$", "^(?:(a)|b)*$", "x", "()", "(a.)?"]))
    found = automaton(pattern, draw(st.sampled_from([(0,), (1,), (1, 0)])))
    assert found is not None
    return data, offsets, found


@st.composite
def _divided(draw: st.DrawFn) -> Arguments:
    """Strings, a separator that may overlap itself, and the number of a piece."""
    strings = draw(st.lists(st.text("ab", max_size=9), max_size=12)) * draw(st.sampled_from([1, 50]))
    ends = [0]
    for string in strings:
        ends.append(ends[-1] + len(string))
    data = torch.tensor([ord(char) for char in "".join(strings)], dtype=torch.uint8)
    separator = draw(st.sampled_from(["a", "aa", "ab", "aba", "c"]))
    mark = torch.tensor([ord(char) for char in separator], dtype=torch.uint8)
    bounds = torch.tensor(ends, dtype=torch.int64)
    place = draw(st.integers(-4, 4) | st.sampled_from([-(2**40), 2**40]))
    return data, bounds[:-1].contiguous(), bounds[1:].contiguous(), mark, place


_DIGITS = st.text("0123456789", min_size=1, max_size=4)
_READ = {
    fields.TEXT: (Step(fields.TEXT, texts=(b"-a",)), st.just("-a")),
    fields.BLANKS: (Step(fields.BLANKS), st.text(" \t", max_size=2)),
    fields.SEPARATOR: (Step(fields.SEPARATOR), st.sampled_from(["T", " ", "  ", ""])),
    fields.NUMBER: (Step(fields.NUMBER, 0, 3, 2, 500), _DIGITS),
    fields.FRACTION: (Step(fields.FRACTION, 1, 3), _DIGITS),
    fields.TAIL: (Step(fields.TAIL, 1, 2), st.sampled_from(["", "."]) | _DIGITS.map(".{}".format)),
    fields.NAME: (Step(fields.NAME, 0, texts=(b"ab", b"abc", b"-")), st.sampled_from(["ab", "Abc", "aBC", "-", "a"])),
    fields.OFFSET: (
        Step(fields.OFFSET, 1),
        st.sampled_from(["+01", "-0130", "+01:30", "-01:30:15", "+1", "+01:", "+01:3"]),
    ),
    fields.WORD: (Step(fields.WORD, 2), st.sampled_from(["a_Z/9+-", " x", "", "\u00e9"])),
    fields.END: (Step(fields.END), st.just("")),
}
"""By its code a step, and texts of which it reads some."""


@st.composite
def _forms(draw: st.DrawFn) -> Arguments:
    """Strings that have a form, or nearly so, the steps of that, and how many fields there are."""
    codes = draw(st.lists(st.sampled_from(sorted(_READ)), max_size=5))
    rows = []
    for _ in range(draw(st.integers(0, 12))):
        row = "".join(draw(_READ[code][1]) for code in codes)
        place = draw(st.integers(0, len(row)))
        around = draw(st.sampled_from(["", "", " "]))
        rows.append(
            (around + row[:place] + draw(st.sampled_from(["", "", "", "0", "\0", "A"])) + row[place:] + around).encode()
        )
    ends = torch.tensor([1 + sum(map(len, rows[:count])) for count in range(len(rows) + 1)], dtype=torch.int64)
    data = torch.frombuffer(bytearray(b"7" + b"".join(rows)), dtype=torch.uint8)
    return data, ends[:-1].contiguous(), ends[1:].contiguous(), [_READ[code][0] for code in codes], 4


@st.composite
def _shown(draw: st.DrawFn) -> Arguments:
    """Fields of four kinds, and steps that show them."""
    number = st.integers(-(2**63), 2**63 - 1) | st.integers(-5, 12000)
    row = st.tuples(number, st.integers(0, 99), st.integers(0, 1200), st.integers(0, 2))
    rows = draw(st.lists(row, max_size=12))
    steps = [
        Step(fields.NUMBER, 0, draw(st.integers(1, 6))), Step(fields.NUMBER, 1, 2), Step(fields.TAIL, 2, draw(st.integers(4, 9))),
        Step(fields.NAME, 3, texts=(b"", b"a", b"\xc3\xa9b")), Step(fields.TEXT, texts=(b", ",)), Step(fields.TEXT, texts=(b"",)),
    ]  # fmt: skip
    fieldwise = torch.tensor(rows, dtype=torch.int64).reshape(len(rows), 4).T.contiguous()
    return fieldwise, draw(st.lists(st.sampled_from(steps), min_size=1, max_size=7))


ARGUMENTS: dict[str, st.SearchStrategy[Arguments]] = {
    "automata.groups": _groups(),
    "fields.read": _forms(),
    "fields.written": _shown(),
    "murmur.of_texts": _strings(),
    "slices.characters": _cut(),
    "slices.pieces": _divided(),
    "slices.gathered": _slices(),
    "slices.numbered": _slices(),
    "text.first_of_equals": _strings(),
    "text.like": _searched(),
    "text.like_rows": _searched_rows(),
    "text.ranks": _strings(),
}
