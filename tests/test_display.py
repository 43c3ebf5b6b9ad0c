"""How rows are shown: boxes whose lines are of one width whatever is in them, HTML in which nothing escapes, Markdown."""

from __future__ import annotations

import os
import pty
import sys
import termios
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import iter_graphemes, wcswidth

import tqp
from tqp.display import html_table, markdown_table, terminal_width, text_table
from tqp.errors import BindError
from tqp.types import BIGINT, VARCHAR

ODD = """
    SELECT 'NULL' AS s, NULL AS n, 0.1::FLOAT AS f, [0.1::FLOAT, NULL] AS l, {'a': 'x', 'b': NULL} AS st, '日本語' AS j,
        '👨‍👩‍👧 a' AS e, E'a\\nb' AS nl, '' AS empty, 0.0000001::DECIMAL(18, 7) AS d, '0044-03-15 (BC)'::DATE AS dt
    UNION ALL SELECT '''NULL''', 7, 16777216, [], NULL, '…', '🇩🇪❤️', E'\\t\\x1b[31m', ' ', -1, NULL
"""


def _width(line: str) -> int:
    return sum(wcswidth(cluster) for cluster in iter_graphemes(line))


def _box(names: list[str], rows: list[tuple[str | None, ...]], width: int | None = None, cell: int = 40) -> list[str]:
    return text_table(names, [VARCHAR] * len(names), rows, len(rows), width, cell).splitlines()


def test_odd_values(capsys: pytest.CaptureFixture[str]) -> None:
    tqp.sql(ODD).show(max_width=0)
    assert capsys.readouterr().out == SHOWN


def test_a_width_leaves_out_columns_in_the_middle(capsys: pytest.CaptureFixture[str]) -> None:
    relation = tqp.sql(ODD)
    relation.show(max_width=60)
    assert capsys.readouterr().out == NARROW
    for width in range(12, 200):
        relation.show(max_width=width)
        *box, _ = capsys.readouterr().out.splitlines()
        assert {_width(line) for line in box} == {_width(box[0])}
        assert _width(box[0]) <= width or width < 20


@pytest.mark.parametrize("width", [1, 7])
def test_the_first_column_stays(width: int) -> None:
    shown = text_table(["first", "b", "c"], [BIGINT, VARCHAR, VARCHAR], [("12345", "x", None)], 1, width)
    assert "│ 12345 │ … │" in shown, "no part of a number"
    assert shown.endswith("1 row, 3 columns (1 shown)")


def test_room_that_is_left_goes_to_texts() -> None:
    box = _box(["a", "b", "c"], [("a" * 100, "b" * 30, "c")], 80)
    assert {len(line) for line in box[:-1]} == {80}
    assert "a" * 31 + "…" in box[4] and "b" * 30 in box[4]
    assert "…" not in _box(["a"], [("a" * 100,)], 200, cell=100)[4]


def test_rows_that_are_not_shown() -> None:
    shown = text_table(["a"], [BIGINT], [("1",)], 12_345)
    assert shown.endswith("12,345 rows (1 shown)")
    assert text_table([], [], [(), ()], 2) == "2 rows"
    assert text_table(["a"], [BIGINT], [], 0).splitlines()[3:] == ["├────────┤", "└────────┘", "0 rows"]


@given(st.lists(st.lists(st.none() | st.text(max_size=60), min_size=3, max_size=3), max_size=4), st.integers(1, 90))
def test_all_lines_are_of_one_width(rows: list[list[str | None]], width: int) -> None:
    names = ["a", "日本", "c" * 30]
    box = _box(names, [tuple(row) for row in rows], width)
    assert len(box) == 4 + len(rows) + 2, "each row is one line"
    assert {_width(line) for line in box[:-1]} == {_width(box[0])}
    for line in _box(names, [tuple(row) for row in rows])[:-1]:
        assert _width(line) == _width(_box(names, [tuple(row) for row in rows])[0])


def test_every_letter_has_a_width_or_is_escaped() -> None:
    texts = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    part = 997
    rows = [("".join(texts[start : start + part]),) for start in range(0, len(texts), part)]
    *box, _ = text_table(["a"], [VARCHAR], rows, len(rows), cell=40 * part).split("\n")
    assert len(box) == len(rows) + 5
    assert len({_width(line) for line in box}) == 1


def test_texts_are_told_from_null() -> None:
    texts = ["NULL", "'NULL'", "''NULL''", "null", "'NULL", None]
    cells = [line.strip("│ ") for line in _box(["a"], [(text,) for text in texts])[4:-2]]
    assert cells == ["'NULL'", "'''NULL'''", "'''''NULL'''''", "null", "'''NULL'", "NULL"]


def test_marks_without_end_and_wide_letters_are_cut() -> None:
    texts = ["e" + "\u0301" * 300, "日" * 40, "👨‍👩‍👧" * 30, "e\u0301" * 60, "\u0903" + "x" * 40]
    lines = _box(["a"], [(text,) for text in texts])[4:-2]
    assert all(line.rstrip("│ ").endswith("…") and _width(line) == 44 for line in lines), "a mark may begin a text"
    assert all(len(line) < 250 for line in lines)
    assert lines[2].count("👨‍👩‍👧") == 19, "no family is parted"


def test_html() -> None:
    relation = tqp.sql(
        """SELECT '<b>&' AS "<i>", NULL AS n, 'NULL' AS t, {'<u>': 1} AS s, 'x'::ENUM('x', '<script>') AS e, E'\\x1b' AS c"""
    )
    html = relation._repr_html_()
    assert "&lt;b&gt;&amp;" in html and html.count('<em style="opacity:0.5">NULL</em>') == 1 and ">NULL</td>" in html
    assert not any(mark in html for mark in ("<b>", "<i>", "<u>", "<script>", "\x1b"))
    assert "STRUCT(&quot;&lt;u&gt;&quot; INTEGER)" in html and html.endswith("<p>1 row</p>")
    assert unescape(html).count("ENUM('x', '<script>')") == 1


def test_html_of_many_columns_and_long_texts() -> None:
    names, row = [f"c{place}" for place in range(100)], tuple("x" * 1000 for _ in range(100))
    html = html_table(names, [VARCHAR] * 100, [row], 1)
    assert html.count("<td") == html.count("<th ") == 31 and "c14<" in html and "c85<" in html and "c15<" not in html
    assert "x" * 199 + "…" in html and "x" * 200 not in html
    assert html.endswith("<p>1 row, 100 columns (30 shown)</p>")
    assert "…" not in html_table(names[:30], [VARCHAR] * 30, [("x",) * 30], 1)


def test_markdown() -> None:
    rows = [("a|b", "1"), ("*x* _y_ snake_case\nnext", None), ("<b>&`", "NULL"), ("\x1b[0m", "~")]
    assert markdown_table(["a_b", "n"], [VARCHAR, BIGINT], rows) == "\n".join(
        [
            "| a_b | n |",
            "| :--- | ---: |",
            "| a\\|b | 1 |",
            "| \\*x\\* \\_y\\_ snake_case<br>next | NULL |",
            "| &lt;b&gt;&amp;\\` | 'NULL' |",
            "| \\x1b\\[0m | \\~ |",
        ]
    )


def test_what_show_takes(capsys: pytest.CaptureFixture[str]) -> None:
    relation = tqp.sql("SELECT range AS a, repeat('x', 60) AS b FROM range(3)")
    relation.show(0)
    assert capsys.readouterr().out.endswith("3 rows (0 shown)\n")
    relation.show(2, max_col_width=8)
    assert "xxxxxxx… │" in capsys.readouterr().out
    relation.sql("SELECT NULL AS n, 'NULL' AS s FROM self LIMIT 1").show(null_value="-")
    assert "│ -    │ 'NULL'  │" in capsys.readouterr().out
    assert relation.preview(1).endswith("3 rows (1 shown)")
    for bad in ({"max_rows": -1}, {"max_width": -1}, {"max_col_width": 0}):
        with pytest.raises(BindError, match=next(iter(bad))):
            relation.show(**bad)


def test_the_width_is_the_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    assert terminal_width() == 120, "captured output is no terminal"
    main, side = pty.openpty()
    with os.fdopen(main, "rb", 0), os.fdopen(side, "w") as terminal:
        monkeypatch.setattr(sys, "stdout", terminal)
        assert terminal_width() == 120, "of no size"
        termios.tcsetwinsize(side, (24, 57))
        assert terminal_width() == 57
        relation = tqp.sql(f"SELECT {', '.join(f'{place} AS c{place}' for place in range(20))}")
        assert all(len(line) <= 57 for line in repr(relation).splitlines())
    monkeypatch.setattr(sys, "stdout", object())
    assert terminal_width() == 120


SHOWN = """\
┌────────────┬─────────┬────────────┬─────────────┬─────────────────────────────┬─────────┬─────────┬────────────┬─────────┬───────────────┬─────────────────┐
│ s          │       n │          f │ l           │ st                          │ j       │ e       │ nl         │ empty   │             d │ dt              │
│ VARCHAR    │ INTEGER │      FLOAT │ FLOAT[]     │ STRUCT(a VARCHAR, b "NULL") │ VARCHAR │ VARCHAR │ VARCHAR    │ VARCHAR │ DECIMAL(18,7) │ DATE            │
├────────────┼─────────┼────────────┼─────────────┼─────────────────────────────┼─────────┼─────────┼────────────┼─────────┼───────────────┼─────────────────┤
│ 'NULL'     │    NULL │        0.1 │ [0.1, NULL] │ {'a': x, 'b': NULL}         │ 日本語  │ 👨‍👩‍👧 a    │ a\\nb       │         │     0.0000001 │ 0044-03-15 (BC) │
│ '''NULL''' │       7 │ 16777216.0 │ []          │ NULL                        │ …       │ 🇩🇪❤️    │ \\t\\x1b[31m │         │    -1.0000000 │ NULL            │
└────────────┴─────────┴────────────┴─────────────┴─────────────────────────────┴─────────┴─────────┴────────────┴─────────┴───────────────┴─────────────────┘
2 rows
"""

NARROW = """\
┌────────────┬─────────┬───┬─────────────────┐
│ s          │       n │ … │ dt              │
│ VARCHAR    │ INTEGER │ … │ DATE            │
├────────────┼─────────┼───┼─────────────────┤
│ 'NULL'     │    NULL │ … │ 0044-03-15 (BC) │
│ '''NULL''' │       7 │ … │ NULL            │
└────────────┴─────────┴───┴─────────────────┘
2 rows, 11 columns (3 shown)
"""
