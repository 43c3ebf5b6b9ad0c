"""Texts as code points: what Python says of one text at a time, and what DuckDB says of functions over them."""

from __future__ import annotations

import random
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tqp
from tqp.functions import characters
from tqp.functions.code_points import REMOVED, are_ascii, code_points, except_for, first_code_points
from tqp.functions.graphemes import clusters, have_clusters

_SIGNS = "aZ\0\x7f\r\n\u0080é\u07ff\u0800日\uffff\U00010000🙂\U0010ffff"
_TEXTS = st.lists(st.text(_SIGNS, max_size=6), max_size=12) | st.lists(st.text("abc\0\r", max_size=6), max_size=12)
_CHANGES = st.dictionaries(st.sampled_from(_SIGNS), st.sampled_from(_SIGNS) | st.none(), max_size=6)


def _arrow(texts: list[str]) -> pa.Array:
    """Strings in the middle of others, as batches have them."""
    return pa.array(["ä-", *texts, "ö"], pa.large_string())[1:-1]


@given(_TEXTS)
def test_there_and_back(texts: list[str]) -> None:
    found = code_points(_arrow(texts))
    assert found.strings().to_pylist() == texts
    assert found.are_ascii == are_ascii(_arrow(texts)) == all(text.isascii() for text in texts)
    assert found.distinct.tolist() == sorted({ord(sign) for text in texts for sign in text})


@given(_TEXTS)
def test_first_ones(texts: list[str]) -> None:
    expected = [ord(text[0]) if text else -7 for text in texts]
    assert first_code_points(_arrow(texts), -7).tolist() == expected


@given(_TEXTS, _CHANGES)
def test_changes(texts: list[str], changes: dict[str, str | None]) -> None:
    given = {ord(sign): REMOVED if other is None else ord(other) for sign, other in changes.items()}
    expected = [text.translate(str.maketrans(changes)) for text in texts]
    assert code_points(_arrow(texts)).mapped(given).strings().to_pylist() == expected


@given(_TEXTS, st.sampled_from(_SIGNS))
def test_exceptions(texts: list[str], sign: str) -> None:
    found = code_points(_arrow(texts))
    having = found.having(found.codes == ord(sign))
    assert having.tolist() == [sign in text for text in texts]
    kept = except_for(having, _arrow(texts), _arrow(texts), lambda text: text.replace(sign, "!"))
    assert kept.to_pylist() == [text.replace(sign, "!") for text in texts]


def test_texts_without_clusters_of_several() -> None:
    """Of every character with others beside it: where none is said to have such a cluster, each character is one."""
    beside = (
        "é",
        "\u0301",
        "\u200d",
        "\r",
        "\n",
        "\U0001f1e6",
        "\u1100",
        "\u1160",
        "\u11a8",
        "\uac00",
        "\u0915",
        "\u094d",
        "❤",
    )
    codes = [*range(0x80, 0xD800, 11), *range(0xE000, 0x20000, 17), *range(0xE0000, 0xE0200, 7)]
    texts = [
        one + chr(code) + other
        for number, code in enumerate(codes)
        for one in beside
        for other in beside[number % 3 :: 3]
    ]
    several = have_clusters(code_points(pa.array(texts, pa.large_string())))
    assert several is not None
    wrong = [text for text, may in zip(texts, several, strict=True) if not may and clusters(text) != list(text)]
    assert not wrong, ascii(wrong[:5])
    assert (~several).sum() > len(texts) // 20
    assert have_clusters(code_points(pa.array(["\r\n"], pa.large_string()))) is None


def test_accents_are_taken_off_character_by_character() -> None:
    turn = random.Random(2)
    signs = "eéèẽñßØ\u0301\u0323\u1112\u1161\u11ab한하각日ﬁ\u0344\u2126\u0958🙂a"
    texts = ["".join(turn.choices(signs, k=turn.randrange(6))) for _ in range(3000)]
    strings = pa.array(texts, pa.large_string())
    found = characters._strip_accents(None, strings)
    assert found.to_pylist() == [characters._plain(text) for text in texts]
    assert duckdb.from_arrow(pa.table({"x": texts})).aggregate("list(strip_accents(x))").fetchall() == [
        (found.to_pylist(),)
    ]


_FUNCTIONS = (
    "ascii(s)", "unicode(s)", "ord(s)", "reverse(s)", "upper(s)", "lower(s)", "strip_accents(s)", "nfc_normalize(s)", "length_grapheme(s)",
    "left_grapheme(s, 3)", "left_grapheme(s, 0)", "left_grapheme(s, -2)", "left_grapheme(s, n)", "right_grapheme(s, 2)",
    "right_grapheme(s, 0)", "right_grapheme(s, -2)", "right_grapheme(s, n)", "substring_grapheme(s, 2, 2)", "substring_grapheme(s, 2)", "substring_grapheme(s, -3)",
    "substring_grapheme(s, 3, -2)", "substring_grapheme(s, n, 2)", "substring_grapheme(s, abs(n), 2)", "translate(s, 'abé', 'x日')", "translate(s, 'ab', 'x')", "translate(s, 'ab', 'yx')",
    "translate(s, left(s, 2), 'z')", "translate('abca', s, 'qé')", "chr(unicode(s || '?'))", "chr((place * 9973 % 50000 + 32)::INTEGER)",
)  # fmt: skip
_FROM_BEHIND = ("substring_grapheme(s, -3)", "substring_grapheme(s, n, 2)")
"""DuckDB finds other parts where ends of lines are in texts beyond ASCII."""


@pytest.mark.parametrize(
    "signs", ["abc \r\n", "abcéñ日🙂 ", "abé\r\n", "abé\u0301\u200d❤\U0001f1e6\u1112\u1161\u11ab한"], ids=ascii
)
@pytest.mark.parametrize("count", [40, 20_000])
def test_against_duckdb(signs: str, count: int) -> None:
    turn = random.Random(count)
    texts = [
        None
        if turn.random() < 0.1
        else "".join(turn.choices(signs, k=turn.randrange(9 if turn.random() < 0.99 else 90)))
        for _ in range(count)
    ]
    table = pa.table({"s": pa.array(texts), "n": [number % 7 - 3 for number in range(count)], "place": range(count)})
    theirs, ours = duckdb.connect(), tqp.connect()
    for engine in (theirs, ours):
        engine.register("t", table)
    for function in _FUNCTIONS:
        if "é\r" in signs and function in _FROM_BEHIND:
            continue
        query = f"SELECT s, {function} FROM t ORDER BY place"
        expected: list[Any] = theirs.sql(query).fetchall()
        wrong = [pair for pair in zip(ours.sql(query).fetchall(), expected, strict=True) if pair[0] != pair[1]]
        assert not wrong, (function, wrong[:3])
