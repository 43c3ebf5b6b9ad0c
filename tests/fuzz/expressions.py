"""Random typed expressions as SQL text, over the columns of a scope and every registered function.

A template is SQL with holes: `{int}` is an expression of a kind, `{num}` of any numeric kind, `{any}` of any kind,
`{=1}` of one kind that is the same in all holes so marked, `{pick:a,b}` one of the words,
`{pick:@name}` one of `PICKS`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass

from tests.fuzz.data import ENUM
from tests.fuzz.holes import KINDS, NUMERIC, PICKS, PLAIN
from tests.fuzz.literals import GIVEN, LITERALS, ODD_LITERALS

TAME: tuple[str, ...] = (
    "int: ({int} + {int})", "int: ({int} - 1)", "int: ({int} * 2)", "int: (-{int})", "int: abs({int})", "int: length({text})",
    "int: ({int} % 3)", "int: strpos({text}, 'a')", "int: extract({pick:year,month,day,dow} FROM {date})", "dec: ({dec} + {int})",
    "dec: ({dec} * {dec})", "dec: ({dec} - {dec})", "dec: round({dec}, 1)", "float: ({float} + {num})", "float: ({float} * 0.5)",
    "float: ({num} / 2)", "float: CAST({int} AS DOUBLE)", "dec: CAST({int} AS DECIMAL(18,2))", "text: ({text} || {text})",
    "text: upper({text})", "text: ({text}).lower()", "int: ({text}).upper().length()", "int: (@ ({int}))", "int: (+ {int})", "text: substring({text}, 1, 2)", "text: concat({text}, '-', {int})", "text: CAST({int} AS VARCHAR)",
    "text: left({text}, 1)", "text: trim({text})", "int: TRY_CAST({text} AS INTEGER)", "date: ({date} + {small})", "date: last_day({date})",
    "date: CAST({ts} AS DATE)", "ts: date_trunc('{pick:year,month,day}', {date})", "ts: CAST({date} AS TIMESTAMP)",
    "int: ({date} - {date})", "int: date_diff('{pick:year,month,day}', {date}, {date})", "interval: ({ts} - {ts})",
    "text: CAST({json} AS VARCHAR)", "json: CAST({list} AS JSON)", "int: CAST(CAST({small} AS JSON) AS INTEGER)", "text: ({json})::VARCHAR",
    "int: TRY_CAST({json} AS INTEGER)", "list: TRY_CAST({json} AS INTEGER[])", "struct: TRY_CAST({json} AS STRUCT(a INTEGER, b VARCHAR))",
    "bool: (NOT {bool})", "bool: ({bool} AND {bool})", "bool: ({bool} OR {bool})", "bool: ({any} IS NULL)", "bool: ({any} IS NOT NULL)",
    "bool: ({=} = {=})", "bool: ({=} < {=})", "bool: ({=} >= {=})", "bool: ({=} <> {=})", "bool: ({num} <= {num})", "bool: ({num} > {num})",
    "bool: ({ts} < localtimestamp)", "bool: (current_date >= {date})", "bool: (age({date}) IS NULL)", "bool: ({ts}::TIMESTAMP < now())",
    "bool: ({=} IS DISTINCT FROM {=})", "bool: ({=} IN ({=}, {=}))", "bool: ({int} NOT IN (1, 2, NULL))", "bool: ({int} IN (0, 1, 2, 3))",
    "bool: ({=} BETWEEN {=} AND {=})", "bool: ({text} LIKE {pick:'a%','%b%','_'})", "bool: ({text} ILIKE 'A%')", "bool: ({bool} IS TRUE)",
    f"enum: TRY_CAST({{text}} AS {ENUM})", "text: ({enum})::VARCHAR", "bool: ({enum} {pick:<,=} {text})", "zoned: ({zoned} + INTERVAL 1 DAY)",
    "zoned: date_trunc('{pick:year,day,hour}', {zoned})", "text: ({zoned})::VARCHAR", "int: cardinality({map})", "int: ({map})['a']",
    "=: CASE WHEN {bool} THEN {=} ELSE {=} END", "=: CASE WHEN {bool} THEN {=} END", "=: coalesce({=}, {=})", "=: nullif({=}, {=})",
    "=: greatest({=}, {=})", "=: least({=}, {=})", "text: ({text})[{small}:{small}]", "text: typeof({any})", "int: TRY(2 % {small})",
    "int: levenshtein({text}, {text})", "text: format('{}-{:>3}', {text}, {int})",
)  # fmt: skip
"""What cannot fail on small values, so that a whole query has an answer."""

_HOLE = re.compile(r"\{(=|pick:[^}]*|[a-z]+)\}")


@dataclass(frozen=True)
class Reference:
    """How a column is written, and its kind."""

    text: str
    kind: str


class Expressions:
    """Makes expressions over the columns of a scope. Some literals become parameters where `given` takes their values."""

    def __init__(
        self,
        rng: random.Random,
        scope: Iterable[Reference],
        templates: Iterable[str],
        odd: bool,
        given: dict[str, object] | None = None,
    ) -> None:
        self.rng = rng
        self.given = given
        self.scope = tuple(scope)
        self.odd = odd
        self.templates: dict[str, list[str]] = {}
        for template in templates:
            kind, text = template.split(": ", 1)
            self.templates.setdefault(kind, []).append(text)

    def make(self, kind: str, depth: int) -> str:
        """An expression of the kind, no deeper than `depth` calls."""
        rng = self.rng
        if kind == "num":
            kind = rng.choice(NUMERIC)
        elif kind == "any":
            kind = rng.choice(PLAIN)
        if depth <= 0 or kind == "small" or rng.random() < 0.15:
            return self.leaf(kind)
        choices = [
            *self.templates.get(kind, ()),
            *(rng.sample(self.templates["="], 1) if "=" in self.templates else ()),
        ]
        return self.fill(rng.choice(choices), kind, depth) if choices else self.leaf(kind)

    def reading(self, kind: str, depth: int) -> str | None:
        """An expression of the kind that reads a column of it; None where the scope has none."""
        if all(reference.kind != kind for reference in self.scope):
            return None
        while True:
            made = self.make(kind, depth)
            if any(reference.text in made for reference in self.scope):
                return made

    def fill(self, template: str, kind: str | None, depth: int) -> str:
        """A template with its holes filled; `kind` is that of the holes `{=}`, where the result's is theirs."""
        same = kind if kind in KINDS and not self._fixed(template) else self.rng.choice(PLAIN)

        def hole(match: re.Match[str]) -> str:
            word = match[1]
            if word == "=":
                return self.make(same, depth - 1)
            if word.startswith("pick:"):
                return self.rng.choice(PICKS[word[6:]] if word[5] == "@" else word[5:].split(","))
            return self.make(word, depth - 1)

        return _HOLE.sub(hole, template)

    def _fixed(self, template: str) -> bool:
        return template not in self.templates.get("=", ())

    def leaf(self, kind: str) -> str:
        """A column or a literal."""
        columns = [reference.text for reference in self.scope if reference.kind == kind]
        if columns and self.rng.random() < 0.8:
            return self.rng.choice(columns)
        if self.given is not None and kind in GIVEN and self.rng.random() < 0.3:
            value, dtype = self.rng.choice(GIVEN[kind])
            name = f"p{len(self.given) + 1}"
            self.given[name] = value
            return f"CAST(${name} AS {dtype})"
        odd = ODD_LITERALS.get(kind, ()) if self.odd and self.rng.random() < 0.3 else ()
        return self.rng.choice(odd or LITERALS[kind])
