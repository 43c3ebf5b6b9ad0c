"""Characters as people count them: grapheme clusters (Unicode's UAX 29, version 15.1), and what of them are accents."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from tqp.functions.code_points import CODES, CodePoints

__all__ = ["clusters", "have_clusters", "is_mark"]

_Ranges = tuple[tuple[int, int], ...]

_LATER_MARKS: Final[_Ranges] = (
    (0xCF3, 0xCF3), (0xECE, 0xECE), (0x10EFD, 0x10EFF), (0x11241, 0x11241), (0x11F00, 0x11F01), (0x11F03, 0x11F03),
    (0x11F34, 0x11F3A), (0x11F3E, 0x11F42), (0x13440, 0x13440), (0x13447, 0x13455), (0x1E08F, 0x1E08F), (0x1E4EC, 0x1E4EF),
)  # fmt: skip
"""Marks that Python's own tables may be too old to know."""
_WITH_MARKS: Final = (range(0x300, 0x20000), range(0xE0100, 0xE0200))
"""All marks are among these."""
_OTHER_EXTENDERS: Final[_Ranges] = (
    (0x200C, 0x200C), (0xFF9E, 0xFF9F), (0x1F3FB, 0x1F3FF), (0xE0020, 0xE007F),
)  # fmt: skip
"""What is no mark, and goes with the character before it nevertheless; as the joiner does (U+200D)."""
_SPACING: Final[_Ranges] = ((0xE33, 0xE33), (0xEB3, 0xEB3))
_MARKS_APART: Final[_Ranges] = (
    (0x102B, 0x102C), (0x1038, 0x1038), (0x1062, 0x1064), (0x1067, 0x106D), (0x1083, 0x1083), (0x1087, 0x108C), (0x108F, 0x108F),
    (0x109A, 0x109C), (0x1A61, 0x1A61), (0x1A63, 0x1A64), (0xAA7B, 0xAA7B), (0xAA7D, 0xAA7D), (0x11720, 0x11721),
)  # fmt: skip
"""Marks that stand on their own."""
_CONTROLS: Final[_Ranges] = (
    (0x0, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x61C, 0x61C), (0x180E, 0x180E), (0x200B, 0x200B), (0x200E, 0x200F), (0x2028, 0x202E),
    (0x2060, 0x2064), (0x2066, 0x206F), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB), (0x13430, 0x1343F), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0001, 0xE0001),
)  # fmt: skip
_PREPENDED: Final[_Ranges] = (
    (0x600, 0x605), (0x6DD, 0x6DD), (0x70F, 0x70F), (0x890, 0x891), (0x8E2, 0x8E2), (0xD4E, 0xD4E), (0x110BD, 0x110BD),
    (0x110CD, 0x110CD), (0x111C2, 0x111C3), (0x1193F, 0x1193F), (0x11941, 0x11941), (0x11A3A, 0x11A3A), (0x11A84, 0x11A89),
    (0x11D46, 0x11D46), (0x11F02, 0x11F02),
)  # fmt: skip
_PICTOGRAMS: Final[_Ranges] = (
    (0xA9, 0xA9), (0xAE, 0xAE), (0x203C, 0x203C), (0x2049, 0x2049), (0x2122, 0x2122), (0x2139, 0x2139), (0x2194, 0x2199),
    (0x21A9, 0x21AA), (0x231A, 0x231B), (0x2328, 0x2328), (0x2388, 0x2388), (0x23CF, 0x23CF), (0x23E9, 0x23F3),
    (0x23F8, 0x23FA), (0x24C2, 0x24C2), (0x25AA, 0x25AB), (0x25B6, 0x25B6), (0x25C0, 0x25C0), (0x25FB, 0x25FE),
    (0x2600, 0x2605), (0x2607, 0x2612), (0x2614, 0x2685), (0x2690, 0x2705), (0x2708, 0x2712), (0x2714, 0x2714),
    (0x2716, 0x2716), (0x271D, 0x271D), (0x2721, 0x2721), (0x2728, 0x2728), (0x2733, 0x2734), (0x2744, 0x2744),
    (0x2747, 0x2747), (0x274C, 0x274C), (0x274E, 0x274E), (0x2753, 0x2755), (0x2757, 0x2757), (0x2763, 0x2767),
    (0x2795, 0x2797), (0x27A1, 0x27A1), (0x27B0, 0x27B0), (0x27BF, 0x27BF), (0x2934, 0x2935), (0x2B05, 0x2B07),
    (0x2B1B, 0x2B1C), (0x2B50, 0x2B50), (0x2B55, 0x2B55), (0x3030, 0x3030), (0x303D, 0x303D), (0x3297, 0x3297),
    (0x3299, 0x3299), (0x1F000, 0x1F02B), (0x1F030, 0x1F093), (0x1F0A0, 0x1F0AE), (0x1F0B1, 0x1F0BF), (0x1F0C1, 0x1F0CF),
    (0x1F0D1, 0x1F0F5), (0x1F10D, 0x1F10F), (0x1F12F, 0x1F12F), (0x1F16C, 0x1F171), (0x1F17E, 0x1F17F), (0x1F18E, 0x1F18E),
    (0x1F191, 0x1F19A), (0x1F1AD, 0x1F1AD), (0x1F201, 0x1F202), (0x1F21A, 0x1F21A), (0x1F22F, 0x1F22F), (0x1F232, 0x1F23A),
    (0x1F250, 0x1F251), (0x1F260, 0x1F265), (0x1F300, 0x1F3FA), (0x1F400, 0x1F53D), (0x1F546, 0x1F64F), (0x1F680, 0x1F6D7),
    (0x1F6DC, 0x1F6EC), (0x1F6F0, 0x1F6FC), (0x1F774, 0x1F776), (0x1F77B, 0x1F77F), (0x1F7D5, 0x1F7D9), (0x1F7E0, 0x1F7EB),
    (0x1F7F0, 0x1F7F0), (0x1F8B0, 0x1F8B1), (0x1F90C, 0x1F93A), (0x1F93C, 0x1F945), (0x1F947, 0x1FA53), (0x1FA60, 0x1FA6D),
    (0x1FA70, 0x1FA7C), (0x1FA80, 0x1FA88), (0x1FA90, 0x1FABD), (0x1FABF, 0x1FAC5), (0x1FACE, 0x1FADB), (0x1FAE0, 0x1FAE8),
    (0x1FAF0, 0x1FAF8),
)  # fmt: skip
_CONSONANTS: Final[_Ranges] = (
    (0x915, 0x939), (0x958, 0x95F), (0x978, 0x97F), (0x995, 0x9A8), (0x9AA, 0x9B0), (0x9B2, 0x9B2), (0x9B6, 0x9B9), (0x9DC, 0x9DD),
    (0x9DF, 0x9DF), (0x9F0, 0x9F1), (0xA95, 0xAA8), (0xAAA, 0xAB0), (0xAB2, 0xAB3), (0xAB5, 0xAB9), (0xAF9, 0xAF9), (0xB15, 0xB28),
    (0xB2A, 0xB30), (0xB32, 0xB33), (0xB35, 0xB39), (0xB5C, 0xB5D), (0xB5F, 0xB5F), (0xB71, 0xB71), (0xC15, 0xC28), (0xC2A, 0xC39),
    (0xC58, 0xC5A), (0xD15, 0xD3A),
)  # fmt: skip
"""Of scripts that join consonants by a sign between them, one of the next."""
_JOINERS: Final[_Ranges] = tuple((code, code) for code in (0x94D, 0x9CD, 0xACD, 0xB4D, 0xC4D, 0xD4D))
_LEADS: Final[_Ranges] = ((0x1100, 0x115F), (0xA960, 0xA97C))
_VOWELS: Final[_Ranges] = ((0x1160, 0x11A7), (0xD7B0, 0xD7C6))
_TAILS: Final[_Ranges] = ((0x11A8, 0x11FF), (0xD7CB, 0xD7FB))
_FLAGS: Final[_Ranges] = ((0x1F1E6, 0x1F1FF),)
_BEFORE_OTHERS: Final[_Ranges] = ((0xD, 0xD), (0x200D, 0x200D))
"""The carriage return, and the joiner."""
_SYLLABLES: Final = range(0xAC00, 0xD7A4)
_WITHOUT_TAIL: Final = 28
"""Each so many syllables one has no tail."""


def is_mark(character: str) -> bool:
    """Whether it is an accent or another mark of the character before it."""
    return unicodedata.category(character)[0] == "M" or _is_in(ord(character), _LATER_MARKS)


def clusters(text: str) -> list[str]:
    """The grapheme clusters of a text, of which it is made end to end."""
    return list(text) if text.isascii() else _pattern().findall(text)


def have_clusters(texts: CodePoints) -> npt.NDArray[np.bool_] | None:
    """Which of the texts (n,) may have clusters of several code points, (n,) bool; None where none has."""
    if texts.are_ascii:
        return None
    flags = _joining()[texts.codes]
    return texts.having(flags) if flags.any() else None


@cache
def _joining() -> npt.NDArray[np.bool_]:
    """Which code points are, or may be, in a cluster with those beside them, (CODES,) bool."""
    found = np.zeros(CODES, np.bool_)
    found[_marks()] = True
    for low, high in (*_OTHER_EXTENDERS, *_SPACING, *_PREPENDED, *_LEADS, *_VOWELS, *_TAILS, *_FLAGS, *_BEFORE_OTHERS):
        found[low : high + 1] = True
    return found


@cache
def _marks() -> list[int]:
    return [code for part in _WITH_MARKS for code in part if is_mark(chr(code))]


@cache
def _pattern() -> re.Pattern[str]:
    marks = [code for code in _marks() if not _is_in(code, _MARKS_APART)]
    extend = f"[{''.join(map(_escaped, marks))}{_class(_OTHER_EXTENDERS)}{_class(_SPACING)}\\u200d]"
    # Between pictograms that a joiner makes one, there are no marks that take space.
    inside = "".join(_escaped(code) for code in marks if unicodedata.category(chr(code)) != "Mc") + _class(
        _OTHER_EXTENDERS
    )
    control, pictogram = _class(_CONTROLS), _class(_PICTOGRAMS)
    leads, vowels, tails = map(_class, (_LEADS, _VOWELS, _TAILS))
    open_ones = "".join(_escaped(code) for code in _SYLLABLES[::_WITHOUT_TAIL])
    syllable = f"[{_escaped(_SYLLABLES[0])}-{_escaped(_SYLLABLES[-1])}]"
    hangul = f"[{leads}]*(?:(?:[{open_ones}][{vowels}]*|{syllable}|[{vowels}]+)[{tails}]*)|[{leads}]+|[{tails}]+"
    flags = f"[{_class(_FLAGS)}]{{2}}"
    emoji = f"[{pictogram}](?:[{inside}]*\\u200d[{pictogram}])*"
    between = "".join(_escaped(code) for code in marks if unicodedata.combining(chr(code))) + "\\u200d"
    consonant = f"[{_class(_CONSONANTS)}]"
    joined = f"{consonant}(?:[{between}]*[{_class(_JOINERS)}][{between}]*{consonant})*"
    core = f"(?:{flags}|{hangul}|{emoji}|{joined}|[^{control}])"
    return re.compile(rf"\r\n|[{control}]|[{_class(_PREPENDED)}]*{core}{extend}*|.", re.DOTALL)


def _class(ranges: _Ranges) -> str:
    return "".join(f"{_escaped(low)}-{_escaped(high)}" for low, high in ranges)


def _escaped(code: int) -> str:
    return f"\\U{code:08x}"


def _is_in(code: int, ranges: _Ranges) -> bool:
    return any(low <= code <= high for low, high in ranges)
