"""Keys of joins and groups as integers, against pairs and sets of plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pyarrow as pa
import pytest
import torch

import tqp
from tests.functions.columns import texts
from tests.functions.oracle import column
from tqp.data.column import Column
from tqp.data.dictionary import Dictionary
from tqp.io import text
from tqp.kernels import join
from tqp.limits import CPU as LIMITS
from tqp.operators.keys import GroupLayout, JoinCodec
from tqp.types import BIGINT, BOOLEAN, DOUBLE, HUGEINT, INTEGER, VARCHAR, DType

WIDE = 2**70


def found(build: Sequence[Column], probe: Sequence[Column]) -> set[tuple[int, int]]:
    """Pairs of (probe row, build row) that the codec and a lookup of its codes find."""
    codec = JoinCodec(build, LIMITS)
    lookup = join.build(codec.codes, codec.low, codec.high)
    codes, valid, digits = codec.encode(probe)
    if isinstance(lookup, join.UniqueLookup):
        pairs = [(row, place) for row, place in enumerate(lookup.probe(codes, valid, False).tolist()) if place >= 0]
    else:
        starts, counts = lookup.probe(codes, valid)
        order = range(len(codec.codes)) if lookup.order is None else lookup.order.tolist()
        spans = enumerate(zip(starts.tolist(), counts.tolist(), strict=True))
        pairs = [(row, order[place]) for row, (start, count) in spans for place in range(start, start + count)]
    checks = list(zip(digits, codec.checks, strict=True))
    return {(row, place) for row, place in pairs if all(int(d[row]) == int(c[place]) for d, c in checks)}


def expected(build: list[tuple[Any, ...]], probe: list[tuple[Any, ...]]) -> set[tuple[int, int]]:
    return {
        (i, j) for i, left in enumerate(probe) for j, right in enumerate(build) if left == right and None not in left
    }


@pytest.mark.parametrize(
    ("dtypes", "build", "probe"),
    [
        # one key: its own code
        ((INTEGER,), [(5,), (7,), (6,)], [(7,), (8,), (4,), (None,), (5,)]),
        ((BIGINT,), [(2**62,), (-(2**62),), (0,)], [(0,), (2**62,), (1,), (-(2**63),)]),
        ((DOUBLE,), [(0.0,), (1.5,), (-2.5,)], [(-2.5,), (0.0,), (3.0,), (None,)]),
        ((VARCHAR,), [("b",), ("a",), ("c",)], [("c",), ("d",), (None,), ("a",)]),
        # packed: the ranges' product fits a table
        ((INTEGER, INTEGER), [(1, 10), (2, 10), (1, 11)], [(1, 11), (2, 11), (2, 10), (3, 9), (0, 12), (1, None)]),
        ((BOOLEAN, VARCHAR), [(True, "x"), (False, "y")], [(False, "y"), (True, "y"), (True, "x"), (None, "x")]),
        # looked up by the leading digit, the other checked
        ((BIGINT, INTEGER), [(2**40, 1), (0, 2), (5, 3), (2**40, 3)], [(2**40, 3), (0, 1), (5, 3), (None, 3), (0, 2)]),
        ((INTEGER, INTEGER), [(1, 0), (2000, 1_000_000), (3, 5)], [(3, 5), (3, 6), (2000, 1_000_000), (1, None)]),
        ((HUGEINT, INTEGER), [(WIDE, 1), (WIDE + 1, 2), (3, 1)], [(WIDE, 1), (WIDE, 2), (3, 1), (None, 1)]),
        # no digit fits a table, nor does their product fit 64 bits
        ((BIGINT, BIGINT), [(2**62, -(2**62)), (0, 0), (-(2**62), 2**62)], [(0, 0), (2**62, 0), (-(2**62), 2**62)]),
        ((DOUBLE, BIGINT), [(1.5, 2**50), (-1.5, 0)], [(1.5, 2**50), (1.5, 0), (-1.5, 0), (None, 0)]),
    ],
)  # fmt: skip
def test_join_codec(dtypes: tuple[DType, ...], build: list[tuple[Any, ...]], probe: list[tuple[Any, ...]]) -> None:
    def columns(rows: list[tuple[Any, ...]]) -> list[Column]:
        parts = zip(*rows, strict=True)
        return [column(list(part), dtype) for part, dtype in zip(parts, dtypes, strict=True)]

    assert found(columns(build), columns(probe)) == expected(build, probe)
    twice = [*build, *build]
    assert found(columns(twice), columns(probe)) == expected(twice, probe)


@pytest.mark.parametrize("low", [-(2**31), -1, 0, 2**30, 2**31 - 2])
def test_packed_codes_do_not_wrap_into_the_range(low: int) -> None:
    """Codes of 32 bits, and probe keys as far from the build's as 32 and 64 bits allow."""
    build = [(low, 0), (low + 1, 700), (low + 1, -300)]
    ends = [-(2**31), -(2**31) + 1, -1, 0, 1, 2**30, 2**31 - 2, 2**31 - 1]
    for far in ([], [-(2**63) + 1, 2**32 + low, low - 2**32, 2**63 - 1]):
        probe = [*build, *product([*ends, *far], [*ends, 700, -300])]
        keys = [[column([row[place] for row in rows], BIGINT) for place in range(2)] for rows in (build, probe)]
        assert JoinCodec(keys[0], LIMITS).codes.dtype == (torch.int32 if low <= 2**30 else torch.int64)
        assert found(*keys) == expected(build, probe)


def test_the_widest_digit_that_fits_a_table_leads() -> None:
    codec = JoinCodec([column([0, 2**40], BIGINT), column([1, 1000], INTEGER), column([1, 3000], INTEGER)], LIMITS)
    assert (codec.low, codec.high) == (1, 3000)
    assert [check.tolist() for check in codec.checks] == [[0, 2**40], [1, 1000]]


def test_a_digit_of_few_values_does_not_lead() -> None:
    """A thousand rows of each would be compared for every probe."""
    few, many = [row % 5 for row in range(9000)], [row * 10**6 for row in range(9000)]
    codec = JoinCodec([column(few, INTEGER), column(many, BIGINT)], LIMITS)
    assert not codec.checks and len(set(codec.codes.tolist())) == 9000
    outliers = [row if row < 5 else row % 5 for row in range(36_000)]
    outliers[7] = 30_000
    codec = JoinCodec([column(outliers, INTEGER), column(many * 4, BIGINT)], LIMITS)
    assert not codec.checks, "its range is wide, but a sample says that its values are few"


@pytest.mark.parametrize("rows", [0, 1, 300])
def test_keys_too_wide_for_64_bits_are_hashed_and_compared(rows: int) -> None:
    build = [((row % 7) * 2**55, -(row % 11) * 2**54, (row % 3) * 2**53 + row // 99) for row in range(rows)]
    probe = [*build[::3], (2**55, 0, 0), (0, 0, 2**53), (None, 0, 0)]
    # In the pattern of 64 bits these add up to the same.
    probe += [(2**63 - 1, -(2**63), 1), (-1, 0, 1)]
    keys = [[column([row[place] for row in side], BIGINT) for place in range(3)] for side in (build, probe)]
    codec = JoinCodec(keys[0], LIMITS)
    if rows > 1:
        assert len(codec.checks) == 3 and codec.key is None
    assert found(*keys) == expected(build, probe)


def test_text_of_an_unsorted_dictionary() -> None:
    build, probe = texts(["z", "a", "m"]), texts(["m", "q", None, "z"])
    assert found([build], [probe]) == {(0, 2), (3, 0)}


@pytest.mark.parametrize("nullable", [False, True])
def test_group_layout_encodes_and_decodes(nullable: bool) -> None:
    domains: list[tuple[DType, list[Any]]] = [
        (INTEGER, [-3, 0, 4]),
        (BOOLEAN, [False, True]),
        (VARCHAR, ["", "a", "b"]),
    ]
    rows = list(product(*([*domain, None] if nullable else domain for _, domain in domains)))
    columns = [column([row[place] for row in rows], dtype) for place, (dtype, _) in enumerate(domains)]
    layout = GroupLayout([part.layout for part in columns])
    assert layout.size == (9 * 3 * 4 if nullable else 8 * 2 * 3)
    codes = layout.encode(columns)
    assert len(set(codes.tolist())) == len(rows) and 0 <= int(codes.min()) and int(codes.max()) < layout.size
    for part, again in zip(columns, layout.decode(codes), strict=True):
        valid = [True] * len(rows) if part.valid is None else part.valid.tolist()
        assert valid == ([True] * len(rows) if again.valid is None else again.valid.tolist())
        both = zip(part.data.tolist(), again.data.tolist(), valid, strict=True)
        assert all(a == b for a, b, known in both if known)
        assert again.dictionary is part.ranked().dictionary


@pytest.mark.parametrize(
    ("low", "high"), [(-128, -1), (-128, -3), (-127, 0), (1, 127), (-100, 100), (-128, 127), (5, 5), (-200, -80)]
)
@pytest.mark.parametrize("nullable", [False, True])
def test_codes_of_keys_as_wide_as_their_storage(low: int, high: int, nullable: bool) -> None:
    """The step from a value to its code is taken in the key's own width only where that holds it."""
    data = torch.tensor([low, high, (low + high) // 2, low], dtype=torch.int8 if low >= -128 else torch.int16)
    valid = torch.tensor([True, True, False, True]) if nullable else None
    key = Column(data, BIGINT, valid, None, (low, high))
    layout = GroupLayout([key.layout])
    codes = layout.encode([key])
    known = [value - low + nullable for value in data.tolist()]
    assert codes.dtype is torch.int64
    assert codes.tolist() == ([known[0], known[1], 0, known[3]] if nullable else known)
    assert layout.decode(codes)[0].data[:2].tolist() == [low, high]


def test_group_layout_that_does_not_fit() -> None:
    far = column([-(2**62), 2**62], BIGINT)
    assert GroupLayout([far.layout]).size is None
    assert GroupLayout([column([1.0], DOUBLE).layout]).size is None


def test_strings_that_repeat_in_an_unsorted_dictionary_are_one_group() -> None:
    texts = Dictionary(pa.array(["b", "a", "b", "c"], pa.large_string()), is_sorted=False)
    column = Column(torch.tensor([3, 2, 1, 0, 2], dtype=torch.int32), VARCHAR, None, texts, (0, 3))
    layout = GroupLayout([column.layout])
    assert layout.size == 4
    codes = layout.encode([column])
    assert codes.tolist() == [3, 0, 1, 0, 0]
    (found,) = layout.decode(torch.unique(codes))
    assert found.dictionary is texts
    assert [texts.values[code].as_py() for code in found.data.tolist()] == ["b", "a", "c"]


def test_groups_of_text_that_is_nearly_unique(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "_ALWAYS_ENCODED", 1000)
    names = [f"name {place}" for place in range(30_000)] + ["name 7", "name 8"]
    with tqp.connect(threads=1) as con:
        con.register("t", pa.table({"id": range(len(names)), "name": names}))
        con.register("u", pa.table({"id": range(0, len(names), 2)}))
        stored = con.catalog.lookup("t")
        assert stored is not None
        dictionary = stored.column("name").dictionary
        assert dictionary is not None and len(dictionary) > len(set(names))
        counted = con.sql("SELECT name, count(*) AS c FROM t GROUP BY name HAVING c > 1 ORDER BY name").fetchall()
        assert counted == [("name 7", 2), ("name 8", 2)]
        joined = con.sql(
            "SELECT count(*) FROM (SELECT name, count(*) FROM t JOIN u ON t.id = u.id GROUP BY name) s"
        ).fetchall()
        assert joined == [(len({names[place] for place in range(0, len(names), 2)}),)]


@pytest.mark.parametrize(
    "build",
    [
        [(5,), (7,), (6,)],
        [(1, -10), (2, 10), (1, 11)],  # packed
        [(1, 2**40), (2, -(2**60)), (3, 7), (3, 9)],  # by the leading digit
        [(2**62, 2**61, 5), (-(2**62), 3, -5), (0, -(2**61), 2**50)],  # hashed
        [(1,) * 3, (2**20,) * 3, (-(2**20),) * 3],
    ],
)
def test_codes_tell_the_keys(build: list[tuple[int, ...]]) -> None:
    codec = JoinCodec([column(list(values), BIGINT) for values in zip(*build, strict=True)], LIMITS)
    for place, values in enumerate(zip(*build, strict=True)):
        told = codec.values(place, codec.codes)
        assert told is not None and told.tolist() == list(values)


def test_codes_of_several_digits_tell_nothing() -> None:
    codec = JoinCodec([column([1, 2], BIGINT), column([WIDE, 1], HUGEINT)], LIMITS)
    assert codec.values(0, codec.codes) is None
