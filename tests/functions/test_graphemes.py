"""Grapheme clusters and accents against DuckDB, over all characters and over texts of all their kinds."""

from __future__ import annotations

import random

import duckdb
import pyarrow as pa
import pytest

from tqp.functions.graphemes import clusters, is_mark

_KINDS = ("a", "\u0301", "\u200d", "\u200c", "\u2764", "\U0001f3fb", "\U0001f1e6", "\u1100", "\u1160", "\u11a8", "\uac00", "\uac01",
          "\u0903", "\u0600", "\u00ad", "\r\n", "\u0e33", "\u102b", "\U0001f926", "\u0915", "\u094d", "\u093c", "\u0cc1", "\U000e0020")  # fmt: skip


def test_texts_of_all_kinds() -> None:
    rng = random.Random(1)
    texts = ["".join(rng.choices(_KINDS, k=rng.randint(1, 8))) + "é" for _ in range(20_000)]
    con = duckdb.connect()
    con.register("t", pa.table({"text": texts}))
    found = con.sql("SELECT text, reverse(text) AS backwards, length_grapheme(text) AS size FROM t").fetchall()
    for text, backwards, size in found:
        assert (len(clusters(text)), "".join(reversed(clusters(text)))) == (size, backwards), ascii(text)


@pytest.mark.parametrize("step", [17, pytest.param(1, marks=pytest.mark.slow)])
def test_every_character(step: int) -> None:
    rows = duckdb.sql(f"""
        SELECT code, length_grapheme('a' || chr(code)), length_grapheme(chr(code) || 'a'), strip_accents(chr(code)) = ''
        FROM (SELECT code::INT AS code FROM range(1, 1114112, {step}) t(code) WHERE code NOT BETWEEN 55296 AND 57343)
    """).fetchall()
    for code, before, after, is_accent in rows:
        text = chr(code)
        if not text.isascii():
            assert (len(clusters("a" + text)), len(clusters(text + "a"))) == (before, after), hex(code)
            assert is_mark(text) == is_accent, hex(code)
