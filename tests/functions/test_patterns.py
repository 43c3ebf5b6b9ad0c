"""LIKE, GLOB and regular expressions against DuckDB, with patterns and texts by chance, constant and in columns."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import duckdb
import pyarrow as pa
import pytest
from _pytest.mark.structures import ParameterSet

import tqp
from tqp.device import TYPES
from tqp.errors import BindError, TqpError
from tqp.functions.automata import automaton
from tqp.functions.patterns import like_pattern
from tqp.functions.re2 import InvalidPatternError, Options, compiled
from tqp.functions.regular_expressions import ends_alone
from tqp.kernels import automata, text
from tqp.kernels.loops.loop import mode
from tqp.limits import CPU

CHARACTERS = ["a", "b", "ab", "A", "z", "Z", " ", "\n", "1", "_", "%", ".", "-", "]", "[", "é", "日"]
ASCII = CHARACTERS[:-2]
SEEDS = range(12)


def _many(few: int, count: int) -> list[ParameterSet]:
    """Seeds, which are slow except for a few."""
    return [pytest.param(seed, marks=() if seed < few else pytest.mark.slow) for seed in range(count)]


def _text(rng: random.Random, characters: list[str] = CHARACTERS) -> str:
    return "".join(rng.choices(characters, k=rng.randint(0, 8)))


def _like(rng: random.Random) -> str:
    return "".join(
        rng.choices(["%", "_", "a", "b", "ab", "é", "日", "A", "%%", "%a%", "!", "!%", "!_", "!!"], k=rng.randint(0, 6))
    )


def _glob(rng: random.Random) -> str:
    pieces = [
        "*",
        "?",
        "a",
        "b",
        "é",
        "[ab]",
        "[!a]",
        "[a-c]",
        "[",
        "]",
        "[]a]",
        "[!]a]",
        "[a-]",
        "[-a]",
        "[b-a]",
        "\\*",
        "\\",
        "[a-c-e]",
        "??",
    ]
    return "".join(rng.choices(pieces, k=rng.randint(0, 5)))


_ATOMS = [
    "a", "b", "ab", "é", ".", r"\.", r"\d", r"\w", r"\S", r"\b", "^", "$", "[ab]", "[^a]", "[[:alpha:]]", r"[\]a(]", "[]a]",
    r"\pL", r"\Qa.\E", "(?i:Z)", "", r"\x61", "(?:a|b)", "[a-c]",
]  # fmt: skip


def _regex(rng: random.Random, depth: int = 2) -> str:
    if depth == 0 or rng.random() < 0.3:
        return rng.choice(_ATOMS)
    inner = [_regex(rng, depth - 1) for _ in range(rng.randint(1, 3))]
    form = rng.choice(["join", "join", "group", "either", "repeat", "named", "flag"])
    match form:
        case "join":
            return "".join(inner)
        case "group":
            return f"({''.join(inner)})"
        case "named":
            return f"(?P<n{rng.randint(0, 10**6)}>{''.join(inner)})"
        case "either":
            return "|".join(inner)
        case "flag":
            return f"(?{rng.choice(['i', 's', 'm', '-i', 'U'])}){''.join(inner)}"
        case _:
            return f"(?:{inner[0]}){rng.choice(['*', '+', '?', '*?', '+?', '{1,2}', '{2}'])}"


@pytest.fixture(scope="module")
def engines() -> Iterator[tuple[tqp.Connection, duckdb.DuckDBPyConnection]]:
    with tqp.connect(threads=1) as ours, duckdb.connect() as theirs:
        yield ours, theirs


def _same(engines: tuple[tqp.Connection, duckdb.DuckDBPyConnection], expressions: list[str], table: pa.Table) -> int:
    """Compare the expressions over the table, and say how many were answered; those refused are so by both."""
    ours, theirs = engines
    ours.register("t", table)
    theirs.register("t", table)
    answered = 0
    for expression in expressions:
        query = f"SELECT {expression} FROM t ORDER BY i"
        try:
            expected: object = theirs.sql(query).fetchall()
        except duckdb.Error as error:
            expected = error
        try:
            found: object = ours.sql(query).fetchall()
        except TqpError as error:
            found = error
        if isinstance(expected, duckdb.Error):
            assert isinstance(found, TqpError), (query, expected, found)
        else:
            assert found == expected, query
            answered += 1
    return answered


def _table(rng: random.Random, pattern: Callable[[random.Random], str], rows: int = 40) -> pa.Table:
    def some(make: Callable[[random.Random], str]) -> list[str | None]:
        return [None if rng.random() < 0.1 else make(rng) for _ in range(rows)]

    return pa.table({"s": some(_text), "p": some(pattern), "i": list(range(rows))})


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@pytest.mark.parametrize("seed", SEEDS)
def test_like(engines, seed):
    rng = random.Random(seed)
    constants = [_quoted(_like(rng)) for _ in range(6)]
    expressions = ["s LIKE p", "s ILIKE p", "p LIKE s", "s LIKE '%' || s || '%'"]
    expressions += [f"s {kind} {pattern}{escape}" for pattern in constants for kind, escape in (
        ("LIKE", ""), ("ILIKE", ""), ("NOT LIKE", " ESCAPE '!'"), ("ILIKE", " ESCAPE '!'"))]  # fmt: skip
    assert _same(engines, expressions, _table(rng, _like)) >= 16


@pytest.mark.parametrize("seed", SEEDS)
def test_glob(engines, seed):
    rng = random.Random(seed)
    expressions = ["s GLOB p", *(f"s GLOB {_quoted(_glob(rng))}" for _ in range(12))]
    assert _same(engines, expressions, _table(rng, _glob)) == 13


@pytest.mark.parametrize("tables", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_regular_expressions(engines, seed, tables, monkeypatch):
    monkeypatch.setitem(TYPES, "cpu", replace(TYPES["cpu"], limits=replace(CPU, tabled_strings=1 if tables else None)))
    rng = random.Random(seed)
    expressions = [
        "s SIMILAR TO p",
        "s ~ p",
        "regexp_extract(s, p)",
        "regexp_replace(s, p, '<\\0>')",
        "regexp_replace(s, p, 'x', 'g')",
    ]
    for _ in range(8):
        pattern, letters = _quoted(_regex(rng)), _quoted("".join(rng.choices("icsmnl", k=rng.randint(0, 2))))
        expressions += [
            f"regexp_matches(s, {pattern}, {letters})",
            f"regexp_full_match(s, {pattern}, {letters})",
            f"regexp_extract(s, {pattern}, {rng.randint(0, 2)}, {letters})",
            f"regexp_replace(s, {pattern}, '<\\0>', {letters})",
            f"regexp_replace(s, {pattern}, '[\\1]\\\\', 'g')",
            f"regexp_replace(s, {pattern}, '{rng.choice(['', '(', 'é', chr(92) + '1'])}')",
        ]
    assert _same(engines, expressions, _table(rng, _regex)) >= 20


@pytest.mark.parametrize("seed", _many(20, 60))
def test_groups_are_found_by_tables(engines, seed, monkeypatch):
    """Expressions that tables are made of, most of them of whole strings, with what stands for them a group or nothing."""
    found: list[object] = []
    real = automata.groups
    monkeypatch.setitem(TYPES, "cpu", replace(TYPES["cpu"], limits=replace(CPU, tabled_strings=1)))
    monkeypatch.setattr(automata, "groups", lambda *args: found.append(args) or real(*args))
    rng = random.Random(seed)
    expressions = []
    for _ in range(8):
        begin, end = rng.choice(["", "^", r"\A", "^.*?"]), rng.choice(["", "$", r"\z", ".*$", r"\$"])
        pattern = _quoted(f"{begin}({_fit(rng)}){_fit(rng)}{end}")
        letters = rng.choice(["", "s"])
        expressions += [
            f"regexp_extract(s, {pattern}, {rng.randint(0, 2)}, '{letters}')",
            f"regexp_extract(s, {pattern}, 1)",
        ]
        expressions += [f"regexp_replace(s, {pattern}, '\\{group}', '{letters}')" for group in (0, 1)]
        expressions += [
            f"regexp_replace(s, {pattern}, '{rewrite}')" for rewrite in ("", "x", "<\\1é\\0\\\\>", "\\1\\1")
        ]
        expressions += [f"regexp_replace(s, {pattern}, '\\1', 'g')", f"length(regexp_extract(s, {pattern}, 1))"]
    assert _same(engines, expressions, _table(rng, _regex, 100)) > 30
    assert found or mode() == "off"


@pytest.mark.parametrize("seed", _many(14, 40))
def test_all_matches_are_found_by_tables(engines, seed, monkeypatch):
    found: list[object] = []
    real = automata.all_groups
    monkeypatch.setitem(TYPES, "cpu", replace(TYPES["cpu"], limits=replace(CPU, tabled_strings=1)))
    monkeypatch.setattr(automata, "all_groups", lambda *args: found.append(args) or real(*args))
    rng = random.Random(seed)
    expressions = []
    for _ in range(8):
        begin, end = rng.choice(["", "", "^"]), rng.choice(["", "", "$"])
        # Every match takes a character.
        pattern = _quoted(f"{begin}({_fit(rng)}){rng.choice(['a', '[ab]', '[^b]', 'é'])}{end}")
        expressions += [f"regexp_extract_all(s, {pattern}, {group})" for group in (0, 1)]
    assert _same(engines, expressions, _table(rng, _regex, 100)) > 10
    assert found or mode() == "off"


def _fit(rng: random.Random, depth: int = 3) -> str:
    """An expression that tables may be made of."""
    if depth == 0 or rng.random() < 0.3:
        atoms = [
            "a",
            "b",
            "ab",
            "é",
            ".",
            r"\.",
            r"\d",
            r"\w",
            r"\S",
            "[ab]",
            "[^a]",
            "[]a]",
            "[a-c]",
            "[^-a]",
            r"[\d-]",
            r"[^\W]",
            "日",
        ]
        return rng.choice(atoms)
    inner = [_fit(rng, depth - 1) for _ in range(rng.randint(1, 3))]
    match rng.randint(0, 4):
        case 0 | 1:
            return "".join(inner)
        case 2:
            return f"({'|'.join(inner)})"
        case 3:
            return f"(?:{'|'.join(inner)})"
        case _:
            return f"(?:{inner[0]}){rng.choice(['*', '+', '?', '*?', '+?', '??', '{1,2}', '{2}', '{2,}', '{0,2}?'])}"


@pytest.mark.parametrize(("pattern", "fit"), [
    ("(a)b*", True), ("^a|b", False), (r"\ba", False), ("(?i)a", False), ("(a*)*", False), (r"\pL", False), ("[[:alpha:]]", False),
    ("a^b", False), ("[^é]", False), ("(a|b)" * 12 + "a(a|b)*", False), (r"a\$", True), (r"^[^/]+/(\w{2,3})", True),
])  # fmt: skip
def test_what_tables_are_made_of(pattern, fit):
    assert (automaton(pattern, (1,)) is not None) == fit


@pytest.mark.parametrize(
    ("pattern", "alone"), [("(b)$", True), (r"b\z", True), ("^(b)$", False), (r"b\$", False), ("b", False)]
)
def test_what_ends_with_the_string_alone_is_found_from_there_by_re2(pattern, alone, monkeypatch):
    assert ends_alone(pattern) == alone
    found: list[object] = []
    real = automata.groups
    monkeypatch.setattr(automata, "groups", lambda *args: found.append(args) or real(*args))
    strings = pa.array([f"{number % 9}b" for number in range(10_000)], pa.large_string())
    compiled(pattern, Options()).extract(strings, 0)
    assert bool(found) == (not alone and mode() != "off")


def test_many_parts_that_differ_are_copied(engines):
    table = pa.table({"s": [f"a{number}b{number % 7}" for number in range(30_000)], "i": range(30_000)})
    expressions = [
        r"regexp_extract(s, 'a(\d+)b', 1)",
        r"regexp_replace(s, '^a\d+b(.*)$', '\1')",
        "regexp_extract(s, 'b(x?)', 1)",
    ]
    assert _same(engines, expressions, table) == 3


def test_no_word_boundary(engines):
    """In ASCII alone: what RE2 replaces inside of a character is no text any more, and an error on both."""
    rng = random.Random(0)
    table = pa.table({"s": [_text(rng, ASCII) for _ in range(200)], "i": list(range(200))})
    patterns = [r"\B", r"\Ba", r"a\B", r"(\B)", r"b\B|^\B", r"\B.\B"]
    expressions = [
        f"regexp_replace(s, {_quoted(pattern)}, '<\\0>', '{letters}')" for pattern in patterns for letters in ("", "g")
    ]
    assert _same(engines, expressions, table) == 12
    assert (
        _same(
            engines,
            [r"regexp_extract('é', '\C')", r"regexp_replace('é', '\C', 'x')"],
            table,
        )
        == 0
    )


def test_one_by_one_as_together():
    """Few strings of a pattern are matched one by one: the same answers as Arrow's."""
    rng = random.Random(0)
    checked = 0
    for _ in range(400):
        pattern = like_pattern(_like(rng), rng.choice(["", "!"]))
        strings = [_text(rng) for _ in range(30)]
        together = pattern.matches(pa.array(strings, pa.large_string()))
        if not pattern.wild:
            assert [pattern.match(string) for string in strings] == list(map(bool, together.tolist()))
            checked += 1
    assert checked > 100


def test_a_matcher_reads_each_segment_once():
    """What a string is asked for: one search a segment, each from where the one before ended."""
    searches: list[tuple[str, int]] = []

    class Watched(str):
        def find(self, part: str, start: int = 0, stop: int | None = None) -> int:  # type: ignore[override]
            searches.append((part, start))
            return super().find(part, start, len(self) if stop is None else stop)

    assert not like_pattern("%a" * 50 + "%b%", "").match(Watched("a" * 1000))
    assert searches == [("a", at) for at in range(50)] + [("b", 50)]


def test_strings_of_a_dictionary_are_matched_once(monkeypatch):
    """A constant pattern over a column of 100,000 rows and 3 strings looks at the 3."""
    looked = []
    real = pa.compute.match_substring_regex
    monkeypatch.setattr(
        pa.compute,
        "match_substring_regex",
        lambda strings, pattern: looked.append(len(strings)) or real(strings, pattern),
    )
    with tqp.connect(threads=1) as con:
        con.register("t", pa.table({"s": ["ab", "bc", "cd"] * 30_000}))
        assert con.sql("SELECT count(*) FROM t WHERE regexp_matches(s, 'b.*')").fetchall() == [(60_000,)]
    assert looked
    assert max(looked) <= 4


@pytest.mark.parametrize(("pattern", "groups"), [
    ("a(b)(?:c)(?P<n>d)", 2), (r"\(a[(](b)", 1), (r"\Q(a)\E(b)", 1), (r"[]()](a)", 1), ("(?i)a", 0), (r"[[:alpha:](](a)", 1), (r"\\(a)", 1),
])  # fmt: skip
def test_groups_are_counted(pattern, groups):
    assert compiled(pattern, Options()).groups == groups


@pytest.mark.parametrize("pattern", ["(", "a**", "(?=a)", "(?<n>a)", r"\1", "a{1001}", "[b-a]", r"\Z", "(?x)a"])
def test_invalid_patterns_are_said_to_be(pattern):
    with pytest.raises(InvalidPatternError, match=re.escape(repr(pattern))):
        compiled(pattern, Options())


def test_an_invalid_pattern_is_an_error_before_anything_runs():
    with tqp.connect() as con, pytest.raises(BindError, match="no look-around"):
        con.register("t", pa.table({"s": ["a"]}))
        con.sql("SELECT s FROM t WHERE s ~ 'a(?=b)'").explain()


@pytest.mark.parametrize("seed", SEEDS[:3])
@pytest.mark.parametrize("chosen", ["", " WHERE n % 3 = 0", " WHERE n BETWEEN 3000 AND 14000"])
def test_like_of_many_strings_that_differ(engines, seed, chosen, monkeypatch):
    """Of a column whose strings hardly repeat, whole batches and chosen rows are searched where the strings lie."""
    rng = random.Random(seed)
    rows = 20_000
    strings = [None if rng.random() < 0.05 else f"{_text(rng)}{_text(rng)}{number}" for number in range(rows)]
    table = pa.table({"s": strings, "n": range(rows)})
    searched: list[str] = []
    for name in ("like", "like_rows"):
        monkeypatch.setattr(text, name, _noting(searched, name, getattr(text, name)))
    ours, theirs = engines
    ours.register("many", table)
    theirs.register("many", table)
    patterns = [
        _quoted("".join(rng.choices(["%", "a", "b", "é", "1", "7%", "%日"], k=rng.randint(1, 5)))) for _ in range(8)
    ]
    conditions = [f"s {kind} {pattern}" for pattern in patterns for kind in ("LIKE", "NOT LIKE")]
    conditions += [
        f"{name}(s, {_quoted(rng.choice(['a', '1', 'é', '']))})" for name in ("contains", "prefix", "suffix")
    ]
    query = f"SELECT {', '.join(f'sum(n) FILTER (WHERE {one}), count({one})' for one in conditions)} FROM many{chosen}"
    assert ours.sql(query).fetchall() == theirs.sql(query).fetchall()
    # An accelerator has all entries of a dictionary looked at, however few rows come.
    assert ("like_rows" if "%" in chosen and str(ours.settings.device) == "cpu" else "like") in searched


def _noting(met: list[str], name: str, function: Callable[..., object]) -> Callable[..., object]:
    def noted(*args: object) -> object:
        met.append(name)
        return function(*args)

    return noted
