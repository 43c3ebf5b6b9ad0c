"""What is said of functions where they are registered is true of them: every function is run, on columns of many types."""

from __future__ import annotations

import ast
import itertools
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import tqp.functions
from tests.functions.columns import VALUES
from tests.functions.oracle import CPU, column, evaluate, python
from tqp.data.column import Column, constant
from tqp.errors import TqpError
from tqp.functions import aggregates, registry, windows
from tqp.functions.bind import bind
from tqp.functions.registry import find
from tqp.ir import words
from tqp.ir.expr import Call, ColumnRef, Expr, Literal
from tqp.ir.words import IN_LIST
from tqp.types import DATE, INTEGER, INTERVAL, TIMESTAMP, VARCHAR, DType, decimal

PACKAGE = Path(tqp.__file__).parent

ROWS = 4


def _column(name: str) -> Column:
    dtype, values = VALUES[name]
    if dtype == INTERVAL:
        return Column(torch.tensor(values, dtype=torch.int64, device=CPU), dtype)
    return column(values, dtype)


def _calls(name: str) -> Iterator[tuple[str, ...]]:
    """Columns that a function takes and does not fail on."""
    rng = random.Random(name)
    for count in range(1, 4):
        every = list(itertools.product(VALUES, repeat=count))
        for letters in every if count < 3 else rng.sample(every, 100):
            columns = {f"{letter}{place}": _column(letter) for place, letter in enumerate(letters)}
            try:
                expr = bind(name, *(ColumnRef(symbol, c.dtype) for symbol, c in columns.items()))
                evaluate(expr, columns)
            except TqpError:
                continue
            yield letters


def _values(name: str, letters: tuple[str, ...], nulls: tuple[bool, ...]) -> list[object]:
    columns = {}
    for place, (letter, null) in enumerate(zip(letters, nulls, strict=True)):
        valid = torch.zeros(ROWS, dtype=torch.bool, device=CPU) if null else None
        columns[f"{letter}{place}"] = _column(letter).with_valid(valid)
    expr = bind(name, *(ColumnRef(symbol, c.dtype) for symbol, c in columns.items()))
    return python(evaluate(expr, columns), ROWS)


FUNCTIONS = registry.names()
ASSOCIATIVE = [name for name in FUNCTIONS if find(name).associative]
# Of these the binder lets only some arguments through: constants, or elements of some types.
CHECKED_BY_BINDER = {"unixtotime", "array_value", IN_LIST}


@pytest.mark.parametrize("name", ASSOCIATIVE)
def test_calls_among_arguments_give_way_to_theirs(name: str) -> None:
    assert len(ASSOCIATIVE) > 1
    for letters in (letters for letters in _calls(name) if len(letters) == 3):
        for nulls in itertools.product((False, True), repeat=3):
            columns = {}
            for place, (letter, null) in enumerate(zip(letters, nulls, strict=True)):
                valid = torch.arange(ROWS, device=CPU) % 2 > 0 if null else None
                columns[f"{letter}{place}"] = _column(letter).with_valid(valid)
            a, b, c = (ColumnRef(symbol, of.dtype) for symbol, of in columns.items())
            flat, *others = bind(name, a, b, c), bind(name, bind(name, a, b), c), bind(name, a, bind(name, b, c))
            for other in others:
                if other.dtype == flat.dtype:
                    assert python(evaluate(other, columns), ROWS) == python(evaluate(flat, columns), ROWS)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in CHECKED_BY_BINDER])
def test_null_arguments(name: str) -> None:
    function = find(name)
    for letters in itertools.islice(_calls(name), 12):
        for nulls in itertools.product((False, True), repeat=len(letters)):
            if function.is_null(nulls):
                assert _values(name, letters, nulls) == [None] * ROWS, (letters, nulls)
            elif not any(nulls) and function.total:
                assert None not in _values(name, letters, nulls), letters
            elif function.first_value:
                first = letters[nulls.index(False)]
                assert None not in _values(name, letters, nulls), (letters, first)


def test_what_is_neither_strict_nor_said_to_be_something_else_is_known() -> None:
    """A new function that deals with NULLs itself is looked at here: what else is certain of it?"""
    open_ = {name for name in FUNCTIONS if not (find(name).strict or find(name).total or find(name).strict_first)}
    assert open_ == {
        "array_append",
        "array_cat",
        "array_concat",
        "array_contains",
        "array_has",
        "array_indexof",
        "array_intersect",
        "array_position",
        "array_prepend",
        "array_push_back",
        "array_push_front",
        "array_resize",
        "array_to_string",
        "array_value",
        "array_zip",
        "concat",
        "concatws",
        "element_at",
        "is_histogram_other_bin",
        "json_array",
        "json_deep_merge",
        "json_merge_patch",
        "json_merge_patch_diff",
        "json_object",
        "list_append",
        "list_as_text",
        "list_cat",
        "list_concat",
        "list_contains",
        "list_has",
        "list_indexof",
        "list_intersect",
        "list_position",
        "list_prepend",
        "list_resize",
        "list_value",
        "list_zip",
        "map_concat",
        "map_extract",
        "map_extract_value",
        "struct_extract_at",
        "struct_pack",
        "union_extract_at",
        "union_put",
        "variant_typeof",
    }


COMPARED = {words.EQ, words.NEQ, words.LT, words.LTE, words.GT, words.GTE, words.NULL_SAFE_EQ, "nullsafeneq"}


def test_comparisons() -> None:
    compared = [name for name in FUNCTIONS if find(name).mirrored is not None]
    assert set(compared) == COMPARED
    a = column([1, 2, 3, None, 1, None], INTEGER)
    b = column([2, 2, 1, 1, None, None], INTEGER)
    columns = {"a": a, "b": b}
    left, right = ColumnRef("a", INTEGER), ColumnRef("b", INTEGER)
    for name in compared:
        function = find(name)
        assert function.mirrored is not None and function.negated is not None
        answer = python(evaluate(bind(name, left, right), columns), 6)
        assert python(evaluate(bind(function.mirrored, right, left), columns), 6) == answer
        opposite = python(evaluate(bind(function.negated, left, right), columns), 6)
        assert opposite == [None if value is None else not value for value in answer]


BY_LAYOUT = {*COMPARED, "in"}


def test_which_ask_for_layouts_alone() -> None:
    assert {name for name in FUNCTIONS if find(name).by_layout} == BY_LAYOUT


@pytest.mark.parametrize("name", sorted(BY_LAYOUT))
def test_constants_by_their_layout(name: str) -> None:
    """A constant with the bounds of its whole width gives what it gives with its own, for all values of that width."""
    for letters in _calls(name):
        for place, letter in enumerate(letters):
            for value in VALUES[letter][1]:
                answers = []
                for bounds in (False, True):
                    columns = {f"{other}{at}": _column(other) for at, other in enumerate(letters)}
                    symbol = f"{letter}{place}"
                    own = constant(value, VALUES[letter][0], CPU)
                    if bounds and own.bounds is not None and own.dictionary is None:
                        info = torch.iinfo(own.data.dtype)
                        own = replace(own, bounds=(info.min, info.max))
                    columns[symbol] = own
                    expr = bind(name, *(ColumnRef(key, c.dtype) for key, c in columns.items()))
                    answers.append(python(evaluate(expr, columns), ROWS))
                assert answers[0] == answers[1], (letters, place, value)


def test_selectivities() -> None:
    shares = [find(name).selectivity for name in FUNCTIONS]
    assert all(share is None or 0 < share < 1 for share in shares) and any(shares)


# Names


EXEMPT = {
    "functions": "where they are",
    "sql": "where a name is syntax",
    "kernels": "tensors alone: its own functions have such names",
    "models": "other libraries' words",
    "io": "other libraries' words",
    "data": "no calls here",
    "statements": "options of COPY, and columns that statements show",
    "session/all_types.py": "columns that it shows",
    "session/options.py": "names of settings",
    "session/system_types.py": "names of types",
    "session/system_sequences.py": "columns that it shows",
    "runtime/profile.py": "an encoding",
    "runtime/rowtrace.py": "torch's own functions",
    "runtime/trace.py": "what a run is, as JSON",
    "shell": "formats and commands",
    "__init__.py": "names of the module, like __all__",
    "expressions": "methods by the names of the functions that they call; attributes of Python's times",
    "relation": "methods by the names of the functions that they call",
    "ir/words.py": "the names that plans speak",
    "ir/notation.py": "how plans are written",
    "ir/spoken.py": "how SQL writes what plans call",
    "runtime/spelling.py": "how Python's operators are written",
    "runtime/recorder.py": "Python's operators",
    "session/fixed.py": "names of DuckDB's extensions",
}
OTHER_MEANINGS = {"timezone", "left", "right", "floor", "trunc", "contains", "range", "aggregate"}


def test_no_function_is_named_elsewhere() -> None:
    known = {*registry.names(), *aggregates.names(), *windows.names()} - OTHER_MEANINGS
    assert {"sum", "coalesce", "row_number"} <= known
    found = []
    for file in sorted(PACKAGE.rglob("*.py")):
        path = file.relative_to(PACKAGE).as_posix()
        if any(path == exempt or path.startswith(f"{exempt}/") for exempt in EXEMPT):
            continue
        tree = ast.parse(file.read_text())
        exported = {id(item) for node in tree.body if isinstance(node, ast.Assign) for item in ast.walk(node.value)
                    if any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets)}  # fmt: skip
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and node.value in known and id(node) not in exported:
                found.append(f"{path}:{node.lineno}: {node.value!r}")
    assert not found, "a fact of a function belongs where it is registered; else write tqp.ir.words:\n" + "\n".join(
        found
    )


def test_words_are_functions() -> None:
    known = {*registry.names(), *aggregates.names(), *windows.names()}
    assert {getattr(words, word) for word in words.__all__} <= known


@pytest.mark.parametrize("name", [name for name in registry.names() if find(name).rises is not None])
def test_what_rises_never_falls(name: str) -> None:
    """With one of the arguments that it is said to rise with, in ascending order, and constants beside."""
    rng = random.Random(name)
    ascending = {
        INTEGER: sorted(rng.sample(range(-(10**6), 10**6), 50)),
        decimal(9, 2): sorted(rng.sample(range(-(10**6), 10**6), 50)),
        DATE: sorted(rng.sample(range(-800_000, 100_000), 300)),
        # Many years, and the hours of some days at the end of a month.
        TIMESTAMP: sorted(
            rng.sample(range(-6 * 10**16, 10**16), 300) + rng.sample(range(10**15, 10**15 + 10**13), 300)
        ),
    }
    beside: list[tuple[DType, object]] = [(INTEGER, -7), (decimal(9, 2), 25), (DATE, 19_000), (INTERVAL, (-1, 3, 5))]
    beside += [(VARCHAR, part) for part in ("year", "month", "decade", "isoyear", "century", "day", "week", "quarter")]
    seen = 0
    for dtype, values in ascending.items():
        for place in (0, 1):
            for other in (None, *beside):
                args: list[Expr] = [] if other is None else [Literal(other[1], other[0])]
                args.insert(place, ColumnRef("a", dtype))
                try:
                    expr = bind(name, *args)
                    found = python(evaluate(expr, {"a": column(values, dtype)}), len(values))
                except TqpError:
                    continue
                assert isinstance(expr, Call)
                rises = find(name).rises
                plain = expr.dtype.is_exact or expr.dtype in (DATE, TIMESTAMP)
                if rises is None or place not in rises(expr.args) or place >= len(args) or not plain:
                    continue
                there = [value for value in found if value is not None]
                assert there == sorted(there), (name, dtype, place, other)
                seen += 1
    assert seen
