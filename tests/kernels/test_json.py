"""`tqp.kernels.json` against Python's own reader."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tqp.kernels.json import (
    ARRAY,
    BOOLEAN,
    INTEGER,
    MISSING,
    NULL,
    OBJECT,
    ODD,
    REAL,
    STRING,
    are_json,
    are_read,
    find,
)  # fmt: skip

pytestmark = pytest.mark.skipif(not are_read(1), reason="loops are not compiled")

NAMES = st.sampled_from(["a", "b", "", "ü", 'q"', "a\\"])
SCALARS = (
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([0, -1, 0.5, -2.25, 1e-7, 123456.75, 0.00001]) | st.text("aü\"\\\n😀", max_size=4)
)  # fmt: skip
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=12
)
STEPS = st.lists(NAMES | st.integers(0, 3), max_size=3)
MISSED = object()


def _found(texts: list[str], steps: list[str | int]) -> list[tuple[int, str]]:
    raw = [text.encode() for text in texts]
    data = torch.from_numpy(np.frombuffer(b"".join(raw) or b" ", np.uint8).copy())
    offsets = torch.tensor([0, *np.cumsum([len(one) for one in raw])], dtype=torch.int64)
    there, *found = find(data, offsets[:-1], offsets[1:], steps)
    kinds, firsts, lasts = (tensor.tolist() for tensor in found)
    whole = bytes(there.tolist())
    return [(kind, whole[first:last].decode()) for kind, first, last in zip(kinds, firsts, lasts, strict=True)]


def _wanted(value: Any, steps: list[str | int]) -> Any:
    for step in steps:
        if (
            isinstance(value, dict)
            and isinstance(step, str)
            and step in value
            or isinstance(value, list)
            and isinstance(step, int)
            and step < len(value)
        ):
            value = value[step]
        else:
            return MISSED
    return value


def _kind(value: Any) -> int:
    for kind, code in ((bool, BOOLEAN), (int, INTEGER), (float, REAL), (str, STRING), (list, ARRAY), (dict, OBJECT)):
        if isinstance(value, kind):
            return code
    return NULL if value is None else MISSING


@given(VALUES, STEPS, st.booleans(), st.booleans())
def test_what_is_found_is_what_is_there(value: Any, steps: list[str | int], spaced: bool, escaped: bool) -> None:
    separators = (", ", ": ") if spaced else (",", ":")
    text = json.dumps(value, ensure_ascii=escaped, separators=separators, indent=2 if spaced and escaped else None)
    wanted = _wanted(value, steps)
    # Between other texts, whose bytes are none of its own.
    before, (kind, found), after = _found(["[1,2", text, '"a'], steps)
    assert before[0] == after[0] == ODD
    if kind == ODD:
        assert "\\" in text or "e" in text or isinstance(wanted, int | float | list | dict)
        return
    assert kind == _kind(wanted)
    if kind != MISSING:
        assert json.loads(found) == wanted
        assert found == json.dumps(wanted, ensure_ascii=False, separators=(",", ":")), "it is written the shortest way"


def _varied(value: Any, random: Random) -> Any:
    """The same value with other scalars."""
    if isinstance(value, dict):
        return {name: _varied(item, random) for name, item in value.items()}
    if isinstance(value, list):
        return [_varied(item, random) for item in value]
    return random.choice([None, True, 7, -10, 0.5, 1e-7, 10**18, "", "ab", "abcdefgh", "ü" * 9, 'x"\\', value])


@given(st.lists(VALUES, min_size=1, max_size=3), STEPS, st.randoms(use_true_random=False), st.booleans())
def test_a_text_is_read_as_if_no_other_was_of_its_shape(
    values: list[Any], steps: list[str | int], random: Random, spaced: bool
) -> None:
    separators = (", ", ": ") if spaced else (",", ":")
    texts = [
        json.dumps(_varied(value, random), ensure_ascii=False, separators=separators)
        for value in random.choices(values, k=12)
    ]
    for place in range(0, len(texts), 3):
        at = random.randrange(len(texts[place]) + 1)
        texts[place] = texts[place][:at] + random.choice(["", ",", "]", " ", '"', "0", "\t"]) + texts[place][at + 1 :]
    alone = [_found([text], steps)[0] for text in texts]
    # The last ones have no whole word behind them.
    together = _found([*texts, "[" * 9], steps)[:-1]
    for one, (kind, found) in zip(alone, together, strict=True):
        assert one[0] == kind
        assert one[1] == found or kind in (ODD, MISSING)


def test_texts_of_many_shapes_and_of_one_with_too_many_scalars() -> None:
    texts = [json.dumps({f"k{place % 150}": place, "a": {"b": place}}) for place in range(400)]
    assert _found(texts, ["a", "b"]) == [(INTEGER, str(place)) for place in range(400)]
    for count in (63, 64, 65, 66, 200):
        assert _found([json.dumps(list(range(count)))] * 3, [count - 1]) == [(INTEGER, str(count - 1))] * 3
    long = [json.dumps({"k" * 600: place, "a": [place, {}]}) for place in range(4)]
    assert _found(long, ["a"]) == [(ARRAY, f"[{place},{{}}]") for place in range(4)]


@given(VALUES, st.booleans())
def test_what_is_certainly_json(value: Any, escaped: bool) -> None:
    texts = [json.dumps(value, ensure_ascii=escaped).encode(), b"[1, 2.50, -0]", b"[1", b'{"a"}', b"", b"nul"]
    data = torch.from_numpy(np.frombuffer(b"".join(texts), np.uint8).copy())
    offsets = torch.tensor([0, *np.cumsum(list(map(len, texts)))], dtype=torch.int64)
    one, *others = are_json(data, offsets[:-1], offsets[1:]).tolist()
    assert one or b"\\u" in texts[0] or b"e" in texts[0]
    assert others == [True, False, False, False, False]


@given(VALUES, st.data())
def test_what_is_no_json_is_odd(value: Any, data: st.DataObject) -> None:
    text = json.dumps(value)
    place = data.draw(st.integers(0, len(text)))
    changed = (
        text[:place]
        + data.draw(st.sampled_from(["", ",", "]", "}", '"', "0", "\t", "x", "-", ":"]))
        + text[place + 1 :]
    )
    try:
        json.loads(changed, parse_constant=float.fromhex)
    except ValueError:
        assert _found([changed], [])[0][0] == ODD


@pytest.mark.parametrize(
    ("text", "steps", "wanted"),
    [
        ('{"a":1,"a":2}', ["a"], (INTEGER, "1")),
        ('{"a":3,"a":{"b":2}}', ["a", "b"], (MISSING, "")),
        ('{"b":{"a":1},"a":[7,{"c":"x"}]}', ["a", 1, "c"], (STRING, '"x"')),
        ('{"b":[9,9],"a":[7,8]}', ["a", 1], (INTEGER, "8")),
        ("[[1],[2,3]]", [1, 0], (INTEGER, "2")),
        ("[]", [0], (MISSING, "")),
        (" [ 1 , 2 ] ", [1], (INTEGER, "2")),
        (' { "a" : { } } ', ["a"], (OBJECT, "{}")),
        ('{"a": [ 1 ,\n "x\\\\" , { "b c" : " " } ]}', ["a"], (ODD, "")),
        ('{"a": [ 1 ,\n "x y" , { "b c" : " " } ]}', ["a"], (ARRAY, '[1,"x y",{"b c":" "}]')),
        ('{"a":{}}', ["a"], (OBJECT, "{}")),
        ('{"a":null}', ["a"], (NULL, "null")),
        ('{"x":"\\n","a":true}', ["a"], (BOOLEAN, "true")),
        ('{"x":"\\u0041","a":true}', ["a"], (ODD, "")),
        ("-0", [], (ODD, "")),
        ("-0.0", [], (REAL, "-0.0")),
        ("0.10", [], (ODD, "")),
        ("0.1", [], (REAL, "0.1")),
        ("1e5", [], (ODD, "")),
        ("01", [], (ODD, "")),
        ("1 2", [], (ODD, "")),
        ("", [], (ODD, "")),
        ("[1,]", [], (ODD, "")),
        ('{"a":1,}', ["a"], (ODD, "")),
        ("[" * 300 + "]" * 300, [], (ODD, "")),
    ],
)  # fmt: skip
def test_texts(text: str, steps: list[str | int], wanted: tuple[int, str]) -> None:
    assert _found([text], steps) == [wanted]
