"""Texts of queries with a word dropped, doubled, moved or put in."""

from __future__ import annotations

import random
import re
from bisect import bisect
from collections.abc import Iterable, Iterator
from pathlib import Path
from zlib import crc32

from tqp.sql.dialect import dialect_named
from tqp.sql.words import words

ROOT = Path(__file__).parents[2]
CASES = Path(__file__).parent / "cases"
_DIALECT = dialect_named("duckdb")


def texts() -> list[str]:
    """The statements of the case files and of TPC-H."""
    found: list[str] = []
    for file in sorted(CASES.glob("*.sql")):
        lines = [line for line in file.read_text().splitlines() if not line.startswith("--")]
        found += re.split(r";\s*(?:\n|$)", "\n".join(lines))
    for file in sorted((ROOT / "tpch" / "queries").glob("*.sql")):
        found.append(re.sub(r":\d+", "1", file.read_text()).rstrip("; \n"))
    return [text for text in found if text.strip()]


class _Ring:
    """Texts on a ring, by their hash: those that are added or taken away change few draws of the others."""

    def __init__(self, texts: Iterable[str]) -> None:
        placed = sorted((crc32(text.encode()), text) for text in set(texts))
        self._places = [place for place, _ in placed]
        self._texts = [text for _, text in placed]

    def draw(self, rng: random.Random) -> str:
        return self._texts[bisect(self._places, rng.getrandbits(32)) % len(self._texts)]


class Mutations:
    """Makes texts that are nearly SQL; one seed gives one sequence, of which new case files change little."""

    def __init__(self) -> None:
        self._texts = _Ring(texts())
        self._words = _Ring(word for text in texts() for word in _words(text))

    def of(self, seed: int, count: int) -> Iterator[str]:
        """`count` texts."""
        for number in range(count):
            rng = random.Random(f"{seed} {number}")
            changed = _words(self._texts.draw(rng))
            for _ in range(rng.choice([1, 1, 1, 2])):
                self._change(rng, changed)
            yield " ".join(changed)

    def _change(self, rng: random.Random, words: list[str]) -> None:
        place = rng.randrange(len(words))
        match rng.randrange(5):
            case 0 if len(words) > 1:
                del words[place]
            case 1:
                words.insert(place, words[place])
            case 2 if place + 1 < len(words):
                words[place], words[place + 1] = words[place + 1], words[place]
            case 3:
                words[place] = rng.choice(words)
            case _:
                words.insert(place, self._words.draw(rng))


def _words(text: str) -> list[str]:
    return [text[token.start : token.end + 1] for token in words(_DIALECT, text)]
