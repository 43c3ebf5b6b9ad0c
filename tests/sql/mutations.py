"""Texts of queries with a word dropped, doubled, moved or put in."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

from tqp.sql.dialect import dialect_named
from tqp.sql.words import words

ROOT = Path(__file__).parents[2]
CASES = Path(__file__).parent / "cases"


def texts() -> list[str]:
    """The statements of the case files and of TPC-H."""
    found: list[str] = []
    for file in sorted(CASES.glob("*.sql")):
        lines = [line for line in file.read_text().splitlines() if not line.startswith("--")]
        found += re.split(r";\s*(?:\n|$)", "\n".join(lines))
    for file in sorted((ROOT / "tpch" / "queries").glob("*.sql")):
        found.append(re.sub(r":\d+", "1", file.read_text()).rstrip("; \n"))
    return [text for text in found if text.strip()]


class Mutations:
    """Makes texts that are nearly SQL; one seed gives one sequence."""

    def __init__(self) -> None:
        dialect = dialect_named("duckdb")
        self._words = [[text[token.start : token.end + 1] for token in words(dialect, text)] for text in texts()]
        self._all = sorted({word for words in self._words for word in words})

    def of(self, seed: int, count: int) -> Iterator[str]:
        """`count` texts."""
        rng = random.Random(seed)
        for _ in range(count):
            changed = list(rng.choice(self._words))
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
                words.insert(place, rng.choice(self._all))
