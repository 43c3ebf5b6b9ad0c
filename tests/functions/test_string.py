"""Text functions against DuckDB, on random text with NULLs, empty and non-ASCII strings."""

from __future__ import annotations

import random

import duckdb
import pyarrow as pa
import pytest
import torch

import tqp
import tqp.functions.string
from tests.functions.columns import integers, texts, values
from tqp.data.column import Column, constant
from tqp.errors import BindError, ExecutionError
from tqp.functions.bind import bind
from tqp.functions.registry import find
from tqp.ir.expr import Call, ColumnRef, Literal
from tqp.kernels import slices
from tqp.types import BIGINT, INTEGER, VARCHAR

CPU = torch.device("cpu")
ALPHABET = ["a", "b", "c", "A", "B", "x", " ", "%", "_", "\\", "ñ", "é", "日", "\t", "1", ".", "ab", "abc", "ß"]


def strings(count: int, seed: int = 0) -> list[str | None]:
    rng = random.Random(seed)
    return [None if rng.random() < 0.1 else "".join(rng.choices(ALPHABET, k=rng.randint(0, 8))) for _ in range(count)]


def evaluate(name: str, *args: Column | str | int) -> Column:
    """A function on columns and literals, with the strict NULL rule that the caller of a kernel applies."""
    columns = [
        arg if isinstance(arg, Column) else constant(arg, VARCHAR if isinstance(arg, str) else BIGINT, CPU)
        for arg in args
    ]
    exprs = [
        ColumnRef(f"c{i}", column.dtype) if isinstance(arg, Column) else Literal(arg, column.dtype)
        for i, (arg, column) in enumerate(zip(args, columns, strict=True))
    ]
    call = bind(name, *exprs)
    function = find(name)
    result = function.kernel(columns, call.dtype)
    if function.strict:
        for column in columns:
            if column.valid is not None:
                result = result.with_valid(column.valid if result.valid is None else result.valid & column.valid)
    return result


def oracle(sql: str, **tables: list) -> list:
    connection = duckdb.connect()
    table = pa.table(
        {name: pa.array(data) for name, data in tables.items()} | {"i": range(len(next(iter(tables.values()))))}
    )
    connection.register("t", table)
    return [row[0] for row in connection.execute(f"SELECT {sql} FROM t ORDER BY i").fetchall()]


UNARY = {
    "upper": "upper(a)", "lower": "lower(a)", "length": "length(a)", "strlen": "strlen(a)", "reverse": "reverse(a)",
    "bitlength": "bit_length(a)", "ascii": "ascii(a)", "unicode": "unicode(a)", "ord": "ord(a)", "md5": "md5(a)",
    "hex": "hex(a)", "trim": "trim(a)", "ltrim": "ltrim(a)", "rtrim": "rtrim(a)",
}  # fmt: skip


@pytest.mark.parametrize("name", UNARY)
def test_one_argument(name):
    data = strings(400)
    assert values(evaluate(name, texts(data))) == oracle(UNARY[name], a=data)


WITH_CONSTANTS = [
    *(("substring", f"substring(a, {start}, {length})", (start, length))
      for start in (-9, -3, -1, 0, 1, 2, 7, 20) for length in (-3, -1, 0, 1, 2, 9)),
    *(("substring", f"substring(a, {start})", (start,)) for start in (-9, -3, 0, 1, 3, 20)),
    *((side, f"{side}(a, {count})", (count,)) for side in ("left", "right") for count in (-9, -2, -1, 0, 1, 3, 20)),
    ("trim", "trim(a, 'ab')", ("ab",)), ("ltrim", "ltrim(a, 'ñ ')", ("ñ ",)), ("rtrim", "rtrim(a, '')", ("",)),
    ("replace", "replace(a, 'ab', 'é')", ("ab", "é")), ("replace", "replace(a, '', 'x')", ("", "x")),
    ("repeat", "repeat(a, 3)", (3,)), ("repeat", "repeat(a, -1)", (-1,)),
    ("lpad", "lpad(a, 5, 'xñ')", (5, "xñ")), ("rpad", "rpad(a, 5, 'xñ')", (5, "xñ")), ("lpad", "lpad(a, -1, 'x')", (-1, "x")),
    ("splitpart", "split_part(a, 'a', 2)", ("a", 2)), ("splitpart", "split_part(a, 'a', -1)", ("a", -1)),
    ("splitpart", "split_part(a, '', 1)", ("", 1)), ("splitpart", "split_part(a, 'a', 0)", ("a", 0)),
    ("translate", "translate(a, 'abca', 'xy')", ("abca", "xy")),
    ("strposition", "strpos(a, 'b')", ("b",)), ("strposition", "strpos(a, '')", ("",)),
    ("contains", "contains(a, 'ab')", ("ab",)), ("contains", "contains(a, '')", ("",)),
    ("startswith", "starts_with(a, 'a')", ("a",)), ("endswith", "ends_with(a, 'é')", ("é",)),
    ("dpipe", "a || 'x'", ("x",)), ("concat", "concat(a, 'x')", ("x",)),
    ("regexplike", "regexp_matches(a, 'a.b')", ("a.b",)), ("regexplike", "regexp_matches(a, 'AB', 'i')", ("AB", "i")),
    ("similarto", "a SIMILAR TO 'a.*'", ("a.*",)), ("regexpfullmatch", "regexp_full_match(a, '[abc]+')", ("[abc]+",)),
    ("regexpreplace", r"regexp_replace(a, '(a)(.)', '\2\1')", ("(a)(.)", r"\2\1")),
    ("regexpreplace", "regexp_replace(a, '[ab]', '-', 'g')", ("[ab]", "-", "g")),
    ("regexpextract", "regexp_extract(a, '[ab]+')", ("[ab]+", 0)),
    ("regexpextract", "regexp_extract(a, '([ab])(c)?', 2)", ("([ab])(c)?", 2)),
    ("regexpextract", r"regexp_extract(a, '[(](a)', 1)", ("[(](a)", 1)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "sql", "args"), WITH_CONSTANTS)
@pytest.mark.parametrize("rows", [300, 20])
def test_constant_arguments(name, sql, args, rows):
    data = strings(300)
    column = texts(data).slice(0, rows)
    assert values(evaluate(name, column, *args)) == oracle(sql, a=data[:rows])


PATTERNS = ["%", "", "a%", "%a", "%a%", "a_c%", "%ab%c%", "_", "__%", "%a%a%", "a", "a%b", "%\\%", "%ñ%", "%%", "%a%%b"]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("count", [200, 9000])
def test_like(pattern, count):
    data = strings(count)
    assert values(evaluate("like", texts(data), pattern)) == oracle(f"a LIKE '{pattern}'", a=data)
    assert values(evaluate("ilike", texts(data), pattern.upper())) == oracle(f"a ILIKE '{pattern.upper()}'", a=data)


def test_like_escape_and_columns():
    data, others = strings(300), [None if s is None else s.replace("\\", "") for s in strings(300, 1)]
    assert values(evaluate("like", texts(data), "%x%%", "x")) == oracle("a LIKE '%x%%' ESCAPE 'x'", a=data)
    assert values(evaluate("like", texts(data), texts(others))) == oracle("a LIKE b", a=data, b=others)
    with pytest.raises(ExecutionError, match="escape"):
        evaluate("like", texts(data), "%a", "a")


@pytest.mark.parametrize("distinct", [5, 300])
def test_several_columns(distinct):
    pool, other = strings(distinct), strings(distinct, 1)
    rng = random.Random(1)
    a, b = rng.choices(pool, k=300), rng.choices(other, k=300)
    n = [rng.choice([None, -3, -1, 0, 1, 2, 5]) for _ in a]
    ta, tb, tn = texts(a), texts(b), integers(n)
    assert values(evaluate("dpipe", ta, tb)) == oracle("a || b", a=a, b=b)
    assert values(evaluate("concat", ta, "-", tb)) == oracle("concat(a, '-', b)", a=a, b=b)
    assert values(evaluate("concatws", ",", ta, tb)) == oracle("concat_ws(',', a, b)", a=a, b=b)
    assert values(evaluate("concatws", ta, tb, "z")) == oracle("concat_ws(a, b, 'z')", a=a, b=b)
    assert values(evaluate("strposition", ta, tb)) == oracle("strpos(a, b)", a=a, b=b)
    assert values(evaluate("contains", ta, tb)) == oracle("contains(a, b)", a=a, b=b)
    assert values(evaluate("replace", ta, tb, "é")) == oracle("replace(a, b, 'é')", a=a, b=b)
    assert values(evaluate("substring", ta, tn)) == oracle("substring(a, n)", a=a, n=n)
    assert values(evaluate("substring", ta, tn, 2)) == oracle("substring(a, n, 2)", a=a, n=n)
    assert values(evaluate("left", ta, tn)) == oracle("left(a, n)", a=a, n=n)
    assert values(evaluate("right", "abcdef", tn)) == oracle("right('abcdef', n)", n=n)
    assert values(evaluate("regexplike", ta, "[" + "abc" + "]")) == oracle("regexp_matches(a, '[abc]')", a=a)


def test_constants_give_a_constant():
    result = evaluate("upper", "abc")
    assert result.is_constant and values(result.expand(2)) == ["ABC", "ABC"]
    assert evaluate("length", "ñab").data.item() == 3
    assert values(evaluate("concat", "a", constant(None, VARCHAR, CPU)).expand(1)) == ["a"]


def test_chr():
    assert values(evaluate("chr", integers([65, 241, 0, None]))) == ["A", "ñ", "\0", None]
    with pytest.raises(ExecutionError, match="-1"):
        evaluate("chr", integers([65, -1]))


def test_small_results_are_ranked():
    result = evaluate("substring", texts(["b1", "a2", "b3"]), 1, 1)
    assert result.dictionary.is_sorted and result.dictionary.values.to_pylist() == ["a", "b"]


def test_no_rows_and_all_null():
    assert values(evaluate("upper", texts([]))) == []
    assert values(evaluate("like", texts([None, None]), "a%")) == [None, None]


def test_wrong_types_are_refused():
    with pytest.raises(BindError, match="argument 1 of upper is INTEGER"):
        bind("upper", Literal(1, INTEGER))
    assert isinstance(bind("upper", Literal("a", VARCHAR)), Call)


@pytest.mark.parametrize(
    "sql",
    [
        *[f"splitpart(a, '{part}', {index})" for part in ("a", "ab", "é", "日", ".", " ", "aa") for index in (-2, -1, 1, 2, 3, 9)],
        *[f"{side}pad(a, {length}, '{fill}')" for side in "lr" for length in (-3, 0, 1, 4, 11) for fill in ("x", "é", "日")],
        *[f"strposition(a, '{part}')" for part in ("a", "ab", "é", "日", "", "aa")],
        *[f"splitpart(a, 'a', {index})" for index in (2**40, -(2**40))],
    ],
)  # fmt: skip
def test_constants_beside_a_column(sql: str) -> None:
    """What Arrow does for all strings at once: the parts, the padding and the places of some characters of several bytes."""
    data = [*strings(300, 5), "", "a", "aaa", "éa日", "a" * 12, "日aéaa"]
    name, rest = sql.split("(", 1)
    wanted = oracle(sql.replace("splitpart", "split_part").replace("strposition", "strpos"), a=data)
    args = [int(one) if one.strip("-").isdigit() else one.strip("'") for one in rest[:-1].split(", ")[1:]]
    if name in ("lpad", "rpad"):
        args[0] = int(args[0])
    assert values(evaluate(name, texts(data), *args)) == wanted


@pytest.mark.parametrize("expression", [
    "substring(s, 1, 2)", "substring(s, -3, 1)", "substring(s, 4, -2)", "substring(s, 0, 2)", "left(s, 2)", "left(s, -6)", "right(s, 1)",
    "right(s, -100)", "substring(s, 3)",
])  # fmt: skip
def test_parts_of_many_strings_are_slices(expression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where few of the parts differ no string is made of each: but of `substring(s, 3)`, which differ."""
    rng = random.Random(expression)
    starts = ["é", "日本", "ab", "x", "😀", ""]
    strings = [f"{rng.choice(starts)}{rng.randint(10, 30)}{rng.choice('aé')}{n}" for n in range(40_000)]
    table = pa.table({"s": [None if rng.random() < 0.05 else one for one in strings], "i": range(len(strings))})
    numbered: list[int] = []
    real = slices.numbered
    monkeypatch.setattr(slices, "numbered", lambda *args: numbered.append(len(args[1])) or real(*args))
    query = f"SELECT {expression} AS k, count(*), min(i) FROM t WHERE i % 7 <> 3 GROUP BY 1 ORDER BY ALL"
    with tqp.connect(threads=1) as ours, duckdb.connect() as theirs:
        ours.register("t", table)
        theirs.register("t", table)
        assert ours.sql(query).fetchall() == theirs.sql(query).fetchall()
    assert bool(numbered) == (expression != "substring(s, 3)")
