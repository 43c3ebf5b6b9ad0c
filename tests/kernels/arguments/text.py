"""Arguments for operations on the bytes of strings."""

from __future__ import annotations

import torch
from hypothesis import strategies as st

from tests.kernels.arguments.drawn import Arguments
from tqp.functions.automata import automaton


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


ARGUMENTS: dict[str, st.SearchStrategy[Arguments]] = {
    "automata.groups": _groups(),
    "slices.characters": _cut(),
    "slices.pieces": _divided(),
    "slices.gathered": _slices(),
    "slices.numbered": _slices(),
    "text.first_of_equals": _strings(),
    "text.like": _searched(),
    "text.like_rows": _searched_rows(),
    "text.ranks": _strings(),
}
