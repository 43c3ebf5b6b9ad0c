"""`tqp.kernels.json` against Python's own reader."""

from __future__ import annotations

import json
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
    there, *found = find(data, offsets, steps)
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
