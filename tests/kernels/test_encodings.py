"""`tqp.kernels.encodings` and `tqp.kernels.digests` against Python's own, a string at a time."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random
from urllib.parse import quote, unquote_to_bytes

import numpy as np
import pytest
import torch
from torch import Tensor

from tqp.kernels import encodings
from tqp.kernels.digests import digests
from tqp.kernels.loops.loop import Loop

needs_loops = pytest.mark.skipif(
    encodings.as_url(torch.zeros(1, dtype=torch.uint8), torch.tensor([0, 1])) is None, reason="loops are not compiled"
)


def _strings(
    letters: Sequence[int], seed: int, sizes: Sequence[int] = (*range(10), 20, 55, 56, 63, 64, 65, 130, 1000)
) -> list[bytes]:
    turn = Random(seed)
    return [bytes(turn.choices(letters, k=turn.choice(sizes))) for _ in range(300)]


def _packed(strings: list[bytes]) -> tuple[Tensor, Tensor]:
    """The strings behind one another, between other bytes."""
    ends = [1 + sum(map(len, strings[:count])) for count in range(len(strings) + 1)]
    return torch.frombuffer(bytearray(b"." + b"".join(strings) + b"."), dtype=torch.uint8), torch.tensor(ends)


def _cut(data: np.ndarray, offsets: np.ndarray) -> list[bytes]:
    assert offsets[0] == 0 and offsets[-1] == len(data)
    return [data[begin:stop].tobytes() for begin, stop in pairwise(offsets)]


def _tried(read: Callable[[bytes], bytes], strings: list[bytes]) -> tuple[list[bytes], list[bool]]:
    found, wrong = [], []
    for string in strings:
        try:
            found.append(read(string))
            wrong.append(False)
        except ValueError:
            found.append(b"")
            wrong.append(True)
    return found, wrong


@pytest.mark.parametrize("has_loops", [True, False])
def test_digits_and_digests_of_bytes(has_loops: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not has_loops:
        monkeypatch.setattr(Loop, "ready", lambda *args: False)
    strings = _strings(range(256), 1)
    packed = _packed(strings)
    assert _cut(*encodings.as_hex(*packed)) == [string.hex().upper().encode() for string in strings]
    assert _cut(*encodings.as_bits(*packed)) == ["".join(f"{byte:08b}" for byte in one).encode() for one in strings]
    for name in ("md5", "sha1", "sha256"):
        assert [one.tobytes() for one in digests(name, *packed)] == [hashlib.new(name, one).digest() for one in strings]
        assert len(digests(name, *_packed([]))) == 0


@needs_loops
def test_base64() -> None:
    strings = _strings(range(256), 2)
    coded = [base64.b64encode(string) for string in strings]
    assert _cut(*encodings.as_base64(*_packed(strings))) == coded
    data, offsets, wrong = encodings.of_base64(*_packed(coded))
    assert _cut(data, offsets) == strings and not wrong.any()


@needs_loops
def test_what_is_no_base64() -> None:
    # Python's reader goes on behind padding, and has other letters for its own.
    strings = [
        one for one in _strings(b"AQgw+/=!", 3, range(10)) if b"=" not in one[:-2] and one[-2:-1] != b"=" != one[-1:]
    ]
    found, wrong = _tried(lambda string: base64.b64decode(string, validate=True), strings)
    data, offsets, is_wrong = encodings.of_base64(*_packed(strings))
    assert is_wrong.tolist() == wrong and 20 < sum(wrong) < len(strings) - 20
    assert _cut(data, offsets) == found
    for odd in (b"A===", b"QQ=A", b"QQ==QQ==", b"=QQQ", b"===="):
        assert encodings.of_base64(*_packed([b"QQ==", odd]))[2].tolist() == [False, True], odd


@needs_loops
def test_hexadecimal_digits_are_read() -> None:
    strings = _strings(b"0123456789abcdefABCDEF" * 4 + b"g", 4)
    found, wrong = _tried(lambda string: bytes.fromhex((b"0" * (len(string) % 2) + string).decode()), strings)
    data, offsets, is_wrong = encodings.of_hex(*_packed(strings))
    assert is_wrong.tolist() == wrong and 20 < sum(wrong) < len(strings) - 20
    assert _cut(data, offsets) == found


@needs_loops
def test_urls() -> None:
    strings = _strings(range(256), 5)
    coded = [quote(string, safe="-._~").encode() for string in strings]
    assert _cut(*encodings.as_url(*_packed(strings))) == coded
    data, offsets, is_beyond = encodings.of_url(*_packed(coded))
    assert _cut(data, offsets) == strings and is_beyond
    strings = _strings(b"%%%0123456789abcdefABCDEFg+", 6)
    assert _cut(*encodings.of_url(*_packed(strings))[:2]) == [unquote_to_bytes(string) for string in strings]
    assert not encodings.of_url(*_packed([b"%7f%", b"%2", b"%zz"]))[2]


def _numbers() -> np.ndarray:
    turn = Random(7)
    ends = [0, 1, -1, 9, 10, -10, 2**63 - 1, -(2**63)]
    return np.array(
        ends + [turn.choice([-1, 1]) * turn.getrandbits(turn.randrange(1, 64)) for _ in range(400)], np.int64
    )


@needs_loops
def test_digits_to_a_base() -> None:
    words = _numbers().view(np.uint64)
    for bits, spelled in ((4, "X"), (1, "b")):
        assert _cut(*encodings.as_digits(words.reshape(-1, 1), bits)) == [
            format(int(one), spelled).encode() for one in words
        ]
        pairs = [int(high) << 64 | int(low) for high, low in words.reshape(-1, 2)]
        assert _cut(*encodings.as_digits(words.reshape(-1, 2), bits)) == [
            format(one, spelled).encode() for one in pairs
        ]


@needs_loops
@pytest.mark.parametrize(("scale", "least"), [(0, 1), (4, 5), (4, 4), (18, 18), (37, 38), (38, 38)])
def test_decimals(scale: int, least: int) -> None:
    def spelled(number: int) -> bytes:
        digits = str(abs(number)).rjust(least, "0")
        whole = len(digits) - scale
        return ("-" * (number < 0) + digits[:whole] + "." * (scale > 0) + digits[whole:]).encode()

    assert _cut(*encodings.as_decimals(_numbers(), scale, least)) == [spelled(int(one)) for one in _numbers()]
