"""Which strings of a dictionary are equal, how they are ordered, and one dictionary of several, against Python's own."""

from __future__ import annotations

import gc
from itertools import pairwise
from weakref import ref

import pyarrow as pa
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tqp.data import dictionary
from tqp.data.dictionary import Dictionary, joined, of_strings

STRINGS = st.lists(st.text(st.sampled_from("\0aé日😀"), max_size=9), max_size=30)


def of(strings: list[str], is_sorted: bool = False) -> Dictionary:
    return Dictionary(pa.array(strings, pa.large_string()), is_sorted=is_sorted)


@given(STRINGS)
def test_equal_strings_have_one_canonical_code_and_rank(strings: list[str]) -> None:
    texts = of(strings)
    firsts = texts.firsts()
    wanted = [strings.index(string) for string in strings]
    assert (list(range(len(strings))) if firsts is None else firsts.tolist()) == wanted
    assert (firsts is None) == (len(set(strings)) == len(strings))
    ordered, ranks = texts.ranked()
    assert ordered.is_sorted and ordered.values.to_pylist() == sorted(set(strings), key=str.encode)
    assert [ordered.values[rank].as_py() for rank in ranks.tolist()] == strings


@given(STRINGS.filter(bool), st.data())
def test_a_part_is_ordered_by_itself(strings: list[str], data: st.DataObject) -> None:
    codes = data.draw(st.lists(st.integers(0, len(strings) - 1), max_size=9))
    part, own = of(strings).part(torch.tensor(codes, dtype=torch.int32))
    chosen = [strings[code] for code in codes]
    assert part.values.to_pylist() == sorted(set(chosen), key=str.encode)
    assert [part.values[code].as_py() for code in own.tolist()] == chosen


@given(st.lists(STRINGS, min_size=1, max_size=3), st.booleans())
def test_joined_dictionaries_have_all_strings(several: list[list[str]], is_sorted: bool) -> None:
    if is_sorted:
        several = [sorted(set(strings), key=str.encode) for strings in several]
    union, moves = joined([of(strings, is_sorted) for strings in several])
    values = union.values.to_pylist()
    assert union.is_sorted == is_sorted and (not is_sorted or values == sorted(set(values), key=str.encode))
    for strings, move in zip(several, moves, strict=True):
        codes = [code + move if isinstance(move, int) else move[code] for code in range(len(strings))]
        assert [values[code] for code in codes] == strings


@given(st.lists(st.text(st.sampled_from("09:a\0é"), max_size=4), max_size=4), st.booleans())
def test_a_few_strings_are_put_into_many(few: list[str], come_first: bool) -> None:
    """They are looked for one by one, and the many stay as they are where they have all of them."""
    many = sorted({f"{number % 7}{number}" for number in range(400)} | {"", "0", "é"}, key=str.encode)
    few = sorted(set(few), key=str.encode)
    both = [of(few, True), of(many, True)][:: 1 if come_first else -1]
    union, moves = joined(both)
    values = union.values.to_pylist()
    assert union.is_sorted and values == sorted({*few, *many}, key=str.encode)
    for one, move in zip(both, moves, strict=True):
        codes = [code + move if isinstance(move, int) else move[code] for code in range(len(one))]
        assert [values[code] for code in codes] == one.values.to_pylist()
    assert (union in both) == set(few).issubset(many)


def test_many_strings_that_have_a_few_keep_neither() -> None:
    many, few = of(sorted(map(str, range(400)), key=str.encode), True), of(["7"], True)
    assert many.united(few)[0] is few.united(many)[0] is many
    gone = ref(many)
    del many
    assert gone() is None


@given(STRINGS, st.text(st.sampled_from("aé"), max_size=2), st.booleans())
def test_a_dictionary_is_extended_by_what_it_lacks(strings: list[str], string: str, is_sorted: bool) -> None:
    if is_sorted:
        strings = sorted(set(strings), key=str.encode)
    texts = of(strings, is_sorted)
    assert texts.find(string) == (strings.index(string) if string in strings else None)
    longer, code = texts.extended(string)
    values = longer.values.to_pylist()
    assert values[code] == string and (longer is texts) == (string in strings)
    if longer is not texts:
        assert values[:code] + values[code + 1 :] == strings
        assert longer is texts.extended(string)[0] and longer.is_sorted == is_sorted


def test_unions_are_remembered_as_long_as_both_are_there() -> None:
    one, other = of(["b", "a", "b"]), of(["c", "a"])
    union, _ = one.united(other)
    assert one.united(other)[0] is union
    gone = ref(union)
    del union, other
    gc.collect()
    assert gone() is None
    constants = of_strings(["y", "x"])
    assert of_strings(["x", "y"]) is constants and constants.values.to_pylist() == ["x", "y"]


def test_what_is_asked_for_piecemeal_is_ranked_once_it_is_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_SMALL", 0)
    texts = of([f"{number}" for number in range(100)])
    codes = torch.arange(10, dtype=torch.int32)
    assert not texts.ranks_all(25) and texts.ranks_all(26)
    texts.part(codes)
    texts.part(codes)
    assert not texts.ranks_all(5) and texts.ranks_all(6)


@pytest.mark.filterwarnings("error")
@given(STRINGS, st.integers(0, 3))
def test_bytes_and_offsets_are_those_of_a_slice_in_memory_that_must_not_be_written_to(
    strings: list[str], start: int
) -> None:
    whole = pa.array(strings, pa.large_string())
    buffers = [None, *(pa.py_buffer(bytes(buffer or b"")) for buffer in whole.buffers()[1:])]
    values = pa.Array.from_buffers(pa.large_string(), len(strings), buffers).slice(start)
    data, offsets = Dictionary(values, is_sorted=False).bytes_and_offsets()
    ends = offsets.tolist()
    found = [bytes(data[low:high].tolist()).decode() for low, high in pairwise(ends)]
    assert found == strings[start:]
