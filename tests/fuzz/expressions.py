"""Random typed expressions as SQL text, over the columns of a scope and every registered function.

A template is SQL with holes: `{int}` is an expression of a kind, `{num}` of any numeric kind, `{any}` of any kind,
`{=1}` of one kind that is the same in all holes so marked, `{pick:a,b}` one of the words,
`{pick:@name}` one of `_PICKS`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

KINDS = ("int", "dec", "float", "text", "date", "ts", "time", "interval", "bool")
NUMERIC = ("int", "dec", "float")
_PLAIN = ("int", "dec", "float", "text", "date", "ts", "bool")

_PICKS: dict[str, tuple[str, ...]] = {
    "parts": tuple("year month day quarter week dow isodow doy decade century millennium era isoyear epoch hour minute second".split()),
    "units": tuple("year month day quarter week decade hour minute second millisecond microsecond".split()),
    "formats": tuple(f"'{text}'" for text in (
        "%Y-%m-%d", "%d.%m.%y", "%H:%M:%S", "%I %p", "%j", "%A %B", "%a %b", "%-d/%-m", "%f", "%%", "%U %W", "%w", "%c", "%x",
        "%X", "%g", "%G-%V", "%S.%f", "%y %-y", "%L",
    )),
    "patterns": tuple(f"'{text}'" for text in ("a%", "%a", "%a%", "_", "__%", "", "%", "a_b", "%b_", "A%", "a\\%b", "%🙂%", "%.%", "%(%")),
    "regexes": tuple(f"'{text}'" for text in (
        "a", "^a", "b$", "[a-c]+", ".", "a.*b", "(a)(b)?", "\\d+", "", "^$", "a|b", "\\s", "[^a]", "(?i)AB",
    )),
    "ints": tuple("TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT".split()),
    "decs": ("DECIMAL(4,1)", "DECIMAL(9,2)", "DECIMAL(18,4)", "DECIMAL(38,6)", "DECIMAL(3,3)", "DECIMAL(38,0)", "DECIMAL(18,0)"),
    "floats": ("REAL", "DOUBLE"),
}  # fmt: skip
"""What `{pick:@name}` chooses from."""

TEMPLATES: dict[str, tuple[str, ...]] = {
    # A name of the registry: "kind: template", …
    "add": ("int: ({int} + {int})", "dec: ({dec} + {dec})", "dec: ({dec} + {int})", "float: ({float} + {num})",
            "date: ({date} + {int})", "ts: ({date} + {interval})", "ts: ({ts} + {interval})", "time: ({time} + {interval})",
            "interval: ({interval} + {interval})", "ts: ({date} + {time})"),
    "sub": ("int: ({int} - {int})", "dec: ({dec} - {dec})", "dec: ({int} - {dec})", "float: ({float} - {num})",
            "date: ({date} - {int})", "int: ({date} - {date})", "interval: ({ts} - {ts})", "ts: ({ts} - {interval})",
            "ts: ({date} - {interval})", "interval: ({interval} - {interval})", "time: ({time} - {interval})"),
    "mul": ("int: ({int} * {int})", "dec: ({dec} * {dec})", "dec: ({dec} * {int})", "float: ({float} * {num})",
            "interval: ({interval} * {int})"),
    "div": ("float: ({num} / {num})", "float: ({int} / {int})", "float: ({dec} / {int})"),
    "intdiv": ("int: ({int} // {int})", "float: ({float} // {float})"),
    "divide": ("int: divide({int}, {int})",),
    "mod": ("int: ({int} % {int})", "dec: ({dec} % {dec})", "float: ({float} % {float})", "int: mod({int}, {int})"),
    "neg": ("int: (-{int})", "dec: (-{dec})", "float: (-{float})", "interval: (-{interval})"),
    "bitwiseand": ("int: ({int} & {int})",),
    "bitwiseor": ("int: ({int} | {int})",),
    "xor": ("int: xor({int}, {int})",),
    "bitwisexor": ("int: xor({int}, {int})",),
    "bitwisenot": ("int: (~ {int})",),
    "bitwiseleftshift": ("int: ({int} << {small})",),
    "bitwiserightshift": ("int: ({int} >> {small})",),
    "and": ("bool: ({bool} AND {bool})",),
    "or": ("bool: ({bool} OR {bool})",),
    "not": ("bool: (NOT {bool})",),
    "is_true": ("bool: ({bool} IS TRUE)", "bool: ({bool} IS NOT TRUE)"),
    "is_false": ("bool: ({bool} IS FALSE)", "bool: ({bool} IS NOT FALSE)"),
    "is_null": ("bool: ({any} IS NULL)", "bool: ({any} IS NOT NULL)"),
    "isnull": ("bool: ({any} ISNULL)", "bool: ({any} NOTNULL)"),
    **{name: (f"bool: ({{=}} {sign} {{=}})", f"bool: ({{num}} {sign} {{num}})", f"bool: ({{date}} {sign} {{ts}})")
       for name, sign in (("eq", "="), ("neq", "<>"), ("lt", "<"), ("lte", "<="), ("gt", ">"), ("gte", ">="))},
    "nullsafeeq": ("bool: ({=} IS NOT DISTINCT FROM {=})", "bool: ({num} IS NOT DISTINCT FROM {num})"),
    "nullsafeneq": ("bool: ({=} IS DISTINCT FROM {=})",),
    "in": ("bool: ({=} IN ({=}, {=}, {=}))", "bool: ({=} NOT IN ({=}, {=}))", "bool: ({=} IN ({=}, NULL))",
           "bool: ({int} IN (1, 2, 3))", "bool: ({text} NOT IN ('a', 'b', NULL))", "bool: ({num} IN ({num}, {num}))"),
    "between": ("bool: ({=} BETWEEN {=} AND {=})", "bool: ({=} NOT BETWEEN {=} AND {=})", "bool: ({num} BETWEEN {num} AND {num})"),
    "case": ("=: CASE WHEN {bool} THEN {=} ELSE {=} END", "=: CASE WHEN {bool} THEN {=} WHEN {bool} THEN {=} END",
             "=: CASE {int} WHEN 1 THEN {=} WHEN {int} THEN {=} ELSE {=} END", "=: if({bool}, {=}, {=})",
             "dec: CASE WHEN {bool} THEN {dec} ELSE {int} END", "float: CASE WHEN {bool} THEN {num} ELSE {float} END"),
    "coalesce": ("=: coalesce({=}, {=})", "=: coalesce({=}, NULL, {=})", "dec: coalesce({dec}, {int})", "float: coalesce({int}, {float})"),
    "ifnull": ("=: ifnull({=}, {=})",),
    "nullif": ("=: nullif({=}, {=})",),
    "greatest": ("=: greatest({=}, {=}, {=})", "dec: greatest({dec}, {int})"),
    "least": ("=: least({=}, {=})", "float: least({float}, {int}, {dec})"),
    "like": ("bool: ({text} LIKE {pick:@patterns})", "bool: ({text} NOT LIKE {pick:@patterns})", "bool: ({text} LIKE {text})",
             "bool: ({text} LIKE {pick:'a!%','!_%','%!!'} ESCAPE '!')"),
    "ilike": ("bool: ({text} ILIKE {pick:@patterns})", "bool: ({text} NOT ILIKE {text})"),
    "glob": ("bool: ({text} GLOB {pick:'*a*','?','[a-c]*','[!a]*'})", "bool: ({text} NOT GLOB {text})"),
    "regexpilike": ("bool: ({text} ~* {pick:@regexes})",),
    "similarto": ("bool: ({text} SIMILAR TO {pick:@regexes})",),
    "regexplike": ("bool: regexp_matches({text}, {pick:@regexes})",),
    "regexpfullmatch": ("bool: regexp_full_match({text}, {pick:@regexes})",),
    "regexpextract": ("text: regexp_extract({text}, {pick:@regexes})", "text: regexp_extract({text}, '(a)(b)?', {pick:0,1,2})"),
    "regexpreplace": ("text: regexp_replace({text}, {pick:@regexes}, {pick:'','x','[\\0]'})",
                      "text: regexp_replace({text}, {pick:@regexes}, {pick:'','x','<\\0>'}, 'g')"),
    "dpipe": ("text: ({text} || {text})", "text: ({text} || {any})"),
    "concat": ("text: concat({any}, {text}, {any})",),
    "concatws": ("text: concat_ws({text}, {text}, {any})", "text: concat_ws('-', {any}, {any})"),
    "substring": ("text: substring({text}, {small})", "text: substring({text}, {small}, {small})", "text: substr({text}, {int})"),
    "left": ("text: left({text}, {small})",),
    "right": ("text: right({text}, {small})",),
    "lpad": ("text: lpad({text}, {small}, {pick:'x','ab','🙂'})",),
    "rpad": ("text: rpad({text}, {small}, {pick:'x','ab','é'})",),
    "repeat": ("text: repeat({text}, {small})",),
    "trim": ("text: trim({text})", "text: trim({text}, {text})", "text: trim(BOTH 'a' FROM {text})"),
    "ltrim": ("text: ltrim({text})", "text: ltrim({text}, 'ab')", "text: trim(LEADING 'a' FROM {text})"),
    "rtrim": ("text: rtrim({text})", "text: rtrim({text}, {text})"),
    "replace": ("text: replace({text}, {text}, {text})", "text: replace({text}, 'a', '')"),
    "translate": ("text: translate({text}, {text}, {text})",),
    "splitpart": ("text: split_part({text}, {pick:'a','','b',' ','.'}, {small})",),
    "chr": ("text: chr({int})", "text: chr(97 + {small})"),
    "strposition": ("int: strpos({text}, {text})", "int: position({text} IN {text})", "int: instr({text}, 'a')"),
    "startswith": ("bool: starts_with({text}, {text})",),
    "endswith": ("bool: ends_with({text}, {text})",),
    "hex": ("text: hex({text})",),
    "ord": ("int: ord({text})",),
    "strlen": ("int: strlen({text})",),
    "bitlength": ("int: bit_length({text})",),
    "round": ("dec: round({dec}, {small})", "float: round({float}, {pick:0,1,2,-1})", "dec: round({dec})", "float: round({float})",
              "int: round({int}, {small})"),
    "trunc": ("dec: trunc({dec})", "float: trunc({float})", "dec: trunc({dec}, 1)"),
    "truncate": ("float: trunc({float})",),
    "log": ("float: log({num})", "float: log(2, {num})"),
    "extract": ("int: extract({pick:@parts} FROM {ts})", "int: extract({pick:year,month,day,dow,doy,week,quarter} FROM {date})",
                "int: extract({pick:hour,minute,second} FROM {time})", "int: extract({pick:year,month,day,hour,second} FROM {interval})"),
    "date_part": ("int: date_part({pick:'year','month','doy','isodow'}, {date})",),
    "datepart": ("int: datepart({pick:'year','week'}, {ts})",),
    "date_trunc": ("ts: date_trunc('{pick:@units}', {ts})", "ts: date_trunc('{pick:@units}', {date})"),
    "datetrunc": ("ts: datetrunc('{pick:year,month,week,day}', {date})",),
    "timestamptrunc": ("ts: date_trunc('{pick:@units}', {ts})",),
    "date_diff": ("int: date_diff('{pick:@units}', {date}, {date})",),
    "datediff": ("int: datediff('{pick:@units}', {ts}, {ts})", "int: date_diff('{pick:@units}', {ts}, {ts})"),
    "datesub": ("int: datesub('{pick:@units}', {ts}, {ts})",),
    "date_sub": ("int: date_sub('{pick:@units}', {date}, {date})",),
    "date_add": ("ts: date_add({date}, {interval})",),
    "dateadd": ("ts: date_add({ts}, {interval})",),
    "age": ("interval: age({ts}, {ts})",),
    "lastday": ("date: last_day({date})", "date: last_day({ts})"),
    "datefromparts": ("date: make_date({int}, {int}, {int})", "date: make_date(2020, 1 + abs({small}), 1 + abs({small}))"),
    "timefromparts": ("time: make_time({small}, {small}, {float})",),
    "timestampfromparts": ("ts: make_timestamp(2020, 1 + abs({small}), 1 + abs({small}), 3, 4, {float})",),
    "timetostr": ("text: strftime({ts}, {pick:@formats})", "text: strftime({date}, {pick:@formats})"),
    "strftime": ("text: strftime({ts}, {pick:@formats})",),
    "strtotime": ("ts: strptime({pick:'2020-02-29','29.02.20','x'}, {pick:'%Y-%m-%d','%d.%m.%y'})",),
    "strptime": ("ts: strptime(strftime({ts}, '%Y-%m-%d %H:%M:%S'), '%Y-%m-%d %H:%M:%S')",),
    "try_strptime": ("ts: try_strptime({text}, '%Y-%m-%d')",),
    "timetounix": ("float: epoch({ts})", "float: epoch({date})", "float: epoch({interval})"),
    "unixtotime": ("text: CAST(to_timestamp({small}) AT TIME ZONE 'UTC' AS VARCHAR)",),
    "epoch_us": ("int: epoch_us({ts})", "int: epoch_ms({ts})", "int: epoch_us({date})"),
    "epoch_ns": ("int: epoch_ns({ts})",),
    "interval": ("interval: (INTERVAL ({small}) {pick:@units})", "interval: INTERVAL '{pick:1,-2,13}' {pick:@units}"),
    "julian": ("float: julian({date})", "float: julian({ts})"),
    "weekofyear": ("int: weekofyear({date})",),
    "dayofweekiso": ("int: isodow({date})",),
    "todays": ("interval: to_days({int})",),
    "to_milliseconds": ("interval: to_milliseconds({float})",),
    "to_seconds": ("interval: to_seconds({float})",),
    "greatest_common_divisor": ("int: greatest_common_divisor({int}, {int})",),
    "least_common_multiple": ("int: least_common_multiple({int}, {int})",),
    "pow": ("float: pow({num}, {num})", "float: ({num} ** {small})"),
    "cast": (*(f"{kind}: {cast}({{{source}}} AS {{pick:@{kind}s}})" for kind in NUMERIC
                  for cast in ("CAST", "TRY_CAST") for source in ("num", "text", "bool") if (kind, source) != ("dec", "bool")),
             "text: CAST({any} AS VARCHAR)", "date: {pick:CAST,TRY_CAST}({text} AS DATE)", "ts: TRY_CAST({text} AS TIMESTAMP)",
             "time: TRY_CAST({text} AS TIME)", "bool: TRY_CAST({text} AS BOOLEAN)", "bool: CAST({int} AS BOOLEAN)",
             "date: CAST({ts} AS DATE)", "ts: CAST({date} AS TIMESTAMP)", "time: CAST({ts} AS TIME)", "interval: TRY_CAST({text} AS INTERVAL)",
             "bool: CAST({num} AS BOOLEAN)", "text: TRY_CAST({any} AS VARCHAR)"),
}  # fmt: skip
"""Functions that have a syntax of their own, a name unlike the registry's, or arguments that must be of a sort."""

TAME: tuple[str, ...] = (
    "int: ({int} + {int})", "int: ({int} - 1)", "int: ({int} * 2)", "int: (-{int})", "int: abs({int})", "int: length({text})",
    "int: ({int} % 3)", "int: strpos({text}, 'a')", "int: extract({pick:year,month,day,dow} FROM {date})", "dec: ({dec} + {int})",
    "dec: ({dec} * {dec})", "dec: ({dec} - {dec})", "dec: round({dec}, 1)", "float: ({float} + {num})", "float: ({float} * 0.5)",
    "float: ({num} / 2)", "float: CAST({int} AS DOUBLE)", "dec: CAST({int} AS DECIMAL(18,2))", "text: ({text} || {text})",
    "text: upper({text})", "text: substring({text}, 1, 2)", "text: concat({text}, '-', {int})", "text: CAST({int} AS VARCHAR)",
    "text: left({text}, 1)", "text: trim({text})", "int: TRY_CAST({text} AS INTEGER)", "date: ({date} + {small})", "date: last_day({date})",
    "date: CAST({ts} AS DATE)", "ts: date_trunc('{pick:year,month,day}', {date})", "ts: CAST({date} AS TIMESTAMP)",
    "int: ({date} - {date})", "int: date_diff('{pick:year,month,day}', {date}, {date})", "interval: ({ts} - {ts})",
    "bool: (NOT {bool})", "bool: ({bool} AND {bool})", "bool: ({bool} OR {bool})", "bool: ({any} IS NULL)", "bool: ({any} IS NOT NULL)",
    "bool: ({=} = {=})", "bool: ({=} < {=})", "bool: ({=} >= {=})", "bool: ({=} <> {=})", "bool: ({num} <= {num})", "bool: ({num} > {num})",
    "bool: ({=} IS DISTINCT FROM {=})", "bool: ({=} IN ({=}, {=}))", "bool: ({int} NOT IN (1, 2, NULL))", "bool: ({int} IN (0, 1, 2, 3))",
    "bool: ({=} BETWEEN {=} AND {=})", "bool: ({text} LIKE {pick:'a%','%b%','_'})", "bool: ({text} ILIKE 'A%')", "bool: ({bool} IS TRUE)",
    "=: CASE WHEN {bool} THEN {=} ELSE {=} END", "=: CASE WHEN {bool} THEN {=} END", "=: coalesce({=}, {=})", "=: nullif({=}, {=})",
    "=: greatest({=}, {=})", "=: least({=}, {=})",
)  # fmt: skip
"""What cannot fail on small values, so that a whole query has an answer."""

_LITERALS: dict[str, tuple[str, ...]] = {
    "int": ("0", "1", "2", "-1", "3", "7", "NULL::INTEGER", "5::BIGINT", "2::HUGEINT", "3::UTINYINT"),
    "dec": ("0.0", "1.5", "-2.25", "0.5", "10.00", "NULL::DECIMAL(9,2)", "3::DECIMAL(18,3)"),
    "float": ("0.5::DOUBLE", "2e0", "-1.5e0", "0.25::REAL", "NULL::DOUBLE", "1e1"),
    "text": ("''", "'a'", "'b'", "'Ab'", "NULL::VARCHAR", "'a b'", "'é'", "'3'"),
    "date": ("DATE '2020-02-29'", "DATE '2021-01-01'", "'2020-03-01'::DATE"),
    "ts": ("TIMESTAMP '2020-02-29 12:00:00'", "TIMESTAMP '1999-12-31 23:59:59.999999'"),
    "time": ("TIME '12:00:00'", "NULL::TIME"),
    "interval": (
        "INTERVAL 1 DAY",
        "INTERVAL '-3' MONTH",
        "INTERVAL 90 MINUTE",
        "INTERVAL '1 year 2 days'",
        "NULL::INTERVAL",
    ),
    "bool": ("true", "false", "NULL::BOOLEAN"),
    "small": ("0", "1", "2", "3", "-1", "-2", "5"),
}
_ODD_LITERALS: dict[str, tuple[str, ...]] = {
    "int": ("127::TINYINT", "(-128)::TINYINT", "100::TINYINT", "9223372036854775807", "-9223372036854775808", "170141183460469231731687303715884105727",
            "18446744073709551615::UBIGINT", "2147483647"),
    "dec": ("999.9", "99999999999999.9999", "99999999999999999999999999999999.999999", "0.000001"),
    "float": ("'nan'::DOUBLE", "'inf'::DOUBLE", "'-inf'::REAL", "1e308", "-0e0"),
    "text": ("'%'", "'🙂'", "' x '", "'2020-02-29'", "'1.5'", "'NaN'", "'\\'", "''''"),
    "date": ("DATE '0001-01-01'", "DATE '9999-12-31'", "DATE '-0044-03-15'", "DATE '5874897-12-31'"),
    "ts": ("TIMESTAMP '0001-01-01 00:00:00'", "TIMESTAMP '9999-12-31 23:59:59'"),
    "interval": ("INTERVAL 200 YEAR", "INTERVAL '-1' MICROSECOND"),
}  # fmt: skip

_GIVEN: dict[str, tuple[tuple[object, str], ...]] = {
    "int": ((1, "INTEGER"), (-2, "BIGINT"), (3, "TINYINT"), (None, "INTEGER"), (2**62, "BIGINT")),
    "dec": ((Decimal("1.5"), "DECIMAL(4,1)"), (Decimal("-0.25"), "DECIMAL(18,4)"), (None, "DECIMAL(9,2)")),
    "float": ((0.5, "DOUBLE"), (-1.5, "DOUBLE"), (None, "REAL")),
    "text": (("a", "VARCHAR"), ("", "VARCHAR"), ("é'%", "VARCHAR"), (None, "VARCHAR")),
    "date": ((date(2020, 2, 29), "DATE"), (None, "DATE")),
    "ts": ((datetime(2020, 2, 29, 12), "TIMESTAMP"),),
    "bool": ((True, "BOOLEAN"), (False, "BOOLEAN"), (None, "BOOLEAN")),
}
"""Values of parameters and the types that they are cast to."""

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
            kind = rng.choice(_PLAIN)
        if depth <= 0 or kind == "small" or rng.random() < 0.15:
            return self.leaf(kind)
        choices = [
            *self.templates.get(kind, ()),
            *(rng.sample(self.templates["="], 1) if "=" in self.templates else ()),
        ]
        return self.fill(rng.choice(choices), kind, depth) if choices else self.leaf(kind)

    def fill(self, template: str, kind: str | None, depth: int) -> str:
        """A template with its holes filled; `kind` is that of the holes `{=}`, where the result's is theirs."""
        same = kind if kind in KINDS and not self._fixed(template) else self.rng.choice(_PLAIN)

        def hole(match: re.Match[str]) -> str:
            word = match[1]
            if word == "=":
                return self.make(same, depth - 1)
            if word.startswith("pick:"):
                return self.rng.choice(_PICKS[word[6:]] if word[5] == "@" else word[5:].split(","))
            return self.make(word, depth - 1)

        return _HOLE.sub(hole, template)

    def _fixed(self, template: str) -> bool:
        return template not in self.templates.get("=", ())

    def leaf(self, kind: str) -> str:
        """A column or a literal."""
        columns = [reference.text for reference in self.scope if reference.kind == kind]
        if columns and self.rng.random() < 0.8:
            return self.rng.choice(columns)
        if self.given is not None and kind in _GIVEN and self.rng.random() < 0.3:
            value, dtype = self.rng.choice(_GIVEN[kind])
            name = f"p{len(self.given) + 1}"
            self.given[name] = value
            return f"CAST(${name} AS {dtype})"
        odd = _ODD_LITERALS.get(kind, ()) if self.odd and self.rng.random() < 0.3 else ()
        return self.rng.choice(odd or _LITERALS[kind])
