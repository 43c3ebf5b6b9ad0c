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

KINDS = (
    "int",
    "dec",
    "float",
    "text",
    "blob",
    "uuid",
    "date",
    "ts",
    "time",
    "interval",
    "bool",
    "list",
    "texts",
    "struct",
    "map",
    "json",
)
NUMERIC = ("int", "dec", "float")
_PLAIN = ("int", "dec", "float", "text", "blob", "uuid", "date", "ts", "bool", "list", "texts", "struct", "json")

_PICKS: dict[str, tuple[str, ...]] = {
    "documents": tuple(f"'{text}'" for text in (
        '{"a": {"b": [1, 2.50, "x"]}}', '{"a": null, "b": true}', "[[1, 2], {}, -3]", '"text"', "null", "12345678901234567890123",
        '{"a": 1, "a": [2,], "": 3, "a.b": "\\u00e9"}', "[1e20, 1e21, 0.000001, -0.0, 1e-7]", "{}", "[]",
    )),
    "paths": ("'a'", "'$.a'", "'$.a.b[1]'", "'$.a.b[#-1]'", "'/a/b/2'", "'/0/1'", "'$[0][1]'", "'$[-1]'", "'a.b'", "''", "'$'", "'/'", "NULL"),
    "places": ("'a'", "'$.a.b'", "'$.c.d'", "'$[0]'", "'$[#]'", "'$.a.b[3]'", "'/a/b/-'", "'$[-1]'", "NULL"),
    "structures": ('{"a": "INTEGER", "b": "VARCHAR"}',),
    "parts": tuple("year month day quarter week dow isodow doy decade century millennium era isoyear epoch hour minute second".split()),
    "zones": ("'UTC'", "'Europe/Berlin'", "'America/New_York'", "'Asia/Kolkata'", "'Australia/Lord_Howe'"),
    "widths": ("INTERVAL 1 DAY", "INTERVAL '7' DAY", "INTERVAL 15 MINUTE", "INTERVAL '36 hours 1 second'", "INTERVAL 1 MONTH",
               "INTERVAL '5 years'", "INTERVAL 0 DAY"),
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
    "enum_code": ("int: enum_code(TRY_CAST({text} AS ENUM('b', 'a', '', 'ab')))", "bool: (TRY_CAST({text} AS ENUM('b', 'a', 'ab')) {pick:<,=,>=} {text})",
                  "bool: (TRY_CAST({text} AS ENUM('b', 'a', '', 'ab')) {pick:<,=,>=,<>} TRY_CAST({text} AS ENUM('b', 'a', '', 'ab')))",
                  "text: CAST(TRY_CAST({text} AS ENUM('b', 'a', 'Ab')) AS VARCHAR)", "text: coalesce(TRY_CAST({text} AS ENUM('b', 'a')), {text})",
                  "text: upper(TRY_CAST({text} AS ENUM('b', 'a', '10')))", "text: greatest(TRY_CAST({text} AS ENUM('b', 'a')), 'a'::ENUM('b', 'a'))::VARCHAR"),
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
    "dpipe": ("text: ({text} || {text})", "text: ({text} || {any})", "blob: ({blob} || {blob})"),
    "concat": ("text: concat({any}, {text}, {any})",),
    "concatws": ("text: concat_ws({text}, {text}, {any})", "text: concat_ws('-', {any}, {any})"),
    "substring": ("text: substring({text}, {small})", "text: substring({text}, {small}, {small})", "text: substr({text}, {int})"),
    "left": ("text: left({text}, {small})",),
    "right": ("text: right({text}, {small})",),
    "lpad": ("text: lpad({text}, {small}, {pick:'x','ab','🙂'})",),
    "rpad": ("text: rpad({text}, {small}, {pick:'x','ab','é'})",),
    "repeat": ("text: repeat({text}, {small})", "blob: repeat({blob}, {small})"),
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
    "hex": ("text: hex({text})", "text: hex({blob})", "text: hex({int})"),
    "tobinary": ("text: bin({text})", "text: bin({int})"),
    "tobase64": ("text: to_base64({blob})",),
    "decode": ("text: decode({blob}, 'replace')", "text: decode({blob})", "text: decode(encode({text}))"),
    "unhex": ("blob: unhex(hex({any}))", "blob: unhex({text})"),
    "frombase64": ("blob: from_base64(to_base64({blob}))", "blob: from_base64({text})"),
    "sha": ("text: sha1({text})", "text: sha1({blob})"),
    "divide": ("int: divide({int}, {pick:1,2,7,-3})",),
    "factorial": ("int: factorial({small})", "int: ({small})!", "int: factorial(20 + {small})"),
    "binom": ("int: binom({small}, {small})", "int: binom(60 + {small}, 20 + {small})"),
    "bit_count": ("int: bit_count({int})",),
    "gcd": ("int: gcd({int}, {int})",),
    "lcm": ("int: lcm({int}, {small})",),
    "even": ("float: even({num})",),
    "signbit": ("bool: signbit({float})",),
    "nextafter": ("float: nextafter({float}, {num})",),
    "gamma": ("float: gamma({small})", "float: gamma({float})"),
    "round_even": ("dec: round_even({dec}, {pick:0,1,-1})", "float: round_even({float}, {pick:0,1,2,-1})", "int: round_even({int}, {small})"),
    "roundbankers": ("dec: roundbankers({dec}, 0)",),
    "plus": ("int: add({int})", "dec: add({dec})", "int: subtract({int})", "int: multiply({int}, {int})", "float: fdiv({num}, {num})",
             "float: fmod({num}, {num})"),
    "to_base": ("text: to_base({int}, {pick:2,7,36})", "text: to_base({int}, 10, {small})"),
    "ord": ("int: ord({text})",),
    "strlen": ("int: strlen({text})",),
    "bitlength": ("int: bit_length({text})",),
    "text_slice": ("text: ({text})[{small}:{small}]", "text: ({text})[:{small}]", "text: ({text})[{small}:]"),
    "text_place": ("text: ({text})[{small}]",),
    "try": ("int: TRY(CAST({text} AS INTEGER) + 1)", "int: TRY({small} % {small})"),
    "error": ("bool: (error(NULL::VARCHAR) IS NULL)",),
    "overlay": ("text: overlay({text} PLACING {text} FROM {small} FOR {small})", "text: overlay({text}, {text}, {small})"),
    "format": ("text: format('{} {:>5}', {any}, {text})", "text: format('{:,} {:x}', {int}, {small})", "text: format('{:.2f}', {dec})"),
    "printf": ("text: printf('%s|%5s', {text}, {text})", "text: printf('%d %,d %x', {int}, {int}, {small})", "text: printf('%.2f', {dec})"),
    "hash": ("int: CAST(hash({text}, {int}, {date}) % 1000 AS INTEGER)", "int: CAST(hash({dec}, {ts}, {interval}, {bool}) % 1000 AS INTEGER)"),
    "jarowinklersimilarity": ("float: jaro_winkler_similarity({text}, {text})", "float: jaro_winkler_similarity({text}, {text}, 0.8)"),
    "hamming": ("int: hamming(left(md5({text}), 4), 'abcd')",),
    "jaccard": ("float: jaccard({text} || 'a', {text} || 'b')",),
    **{name: (f"int: len({name}({{text}}, {{pick:'a',' ','','b'}}))", f"text: {name}({{text}}, {{text}})[{{small}}]")
       for name in ("string_split", "split", "str_split", "string_to_array")},
    **{name: (f"int: len({name}({{text}}, {{pick:'[ab]','a+','b$'}}))",)
       for name in ("string_split_regex", "str_split_regex", "regexp_split_to_array")},
    "regexp_extract_all": ("int: len(regexp_extract_all({text}, {pick:'[ab]','a.','(a)(b)'}))", "text: regexp_extract_all({text}, '(.)a', 1)[1]"),
    "json_extract": ("json: json_extract({pick:@documents}, {pick:@paths})", "json: json_extract('[1, [2, \"x\"], null]', {small})",
                     "json: ('[1, 2]' -> {small})", "json: ({json} -> '$.a')", "json: json_extract({json}, '$[*]')[1]",
                     "json: json_extract({json}, ['a', '$[0]'])[{small}]"),
    "json_extract_string": ("text: ({pick:@documents} ->> {pick:@paths})", "text: json_extract_path_text({pick:@documents}, {pick:@paths})",
                            "text: json_extract_string('{\"a\": \"' || {text} || '\"}', 'a')", "texts: ({json} ->> '$.*')"),
    "json_value": ("text: json_value({pick:@documents}, {pick:@paths})",),
    "json_exists": ("bool: json_exists({pick:@documents}, {pick:@paths})", "bool: json_exists({pick:@documents}, {text})"),
    "json_type": ("text: json_type({pick:@documents}, {pick:@paths})", "text: json_type(CAST({int} AS VARCHAR))"),
    "json_array_length": ("int: json_array_length({pick:@documents}, {pick:@paths})",),
    "json_keys": ("int: len(json_keys({pick:@documents}, {pick:@paths}))",),
    "json_valid": ("bool: json_valid(replace({text}, 'nan', '1'))", "bool: json_valid('[' || replace({text}, 'nan', '1') || ']')"),
    "json": ("json: json({pick:@documents})", "json: json('[' || {int} || ',' || {dec} || ']')"),
    "to_json": ("json: to_json({any})", "json: to_json([{=}, {=}])", "json: to_json({'k': {any}, 'l': [{any}]})", "json: to_json({map})"),
    **{name: (f"json: {name}({{json}}, {{pick:@places}}, to_json({{any}}))", f"json: {name}({{pick:@documents}}, {{pick:@places}}, {{json}})")
       for name in ("json_set", "json_insert", "json_replace")},
    "json_remove": ("json: json_remove({json}, {pick:@places})", "json: json_remove({pick:@documents}, {pick:@places})"),
    **{name: (f"json: {name}({{pick:@documents}}, {{json}})", f"json: {name}({{json}}, {{pick:@documents}})")
       for name in ("json_merge_patch", "json_deep_merge", "json_merge_patch_diff")},
    "json_structure": ("json: json_structure({json})", "json: json_structure({pick:@documents})"),
    **{name: (f"struct: {name}({{json}}, '{{pick:@structures}}')", f"int: ({name}({{pick:@documents}}, '{{pick:@structures}}')).a")
       for name in ("json_transform",)},
    "json_transform_strict": ("texts: json_transform_strict(json_array({text}), '[\"VARCHAR\"]')",),
    "text of JSON": ("json: json_array()", "json: json_object()"),
    "json_quote": ("json: json_quote({any})",),
    "array_to_json": ("json: array_to_json({list})", "json: array_to_json([{=}, {=}])"),
    "row_to_json": ("json: row_to_json({struct})", "json: row_to_json({'k': {any}})"),
    "json_array": ("json: json_array({any}, {any})", "json: json_array({json})"),
    "json_object": ("json: json_object('k', {any})", "json: json_object(coalesce({text}, 'k'), {any}, 'l', {json})"),
    "json_pretty": ("text: json_pretty({pick:@documents})",),
    "json_normalize": ("text: json_normalize({pick:@documents})",),
    "json_strip_nulls": ("json: json_strip_nulls({pick:@documents})",),
    "json_contains": ("bool: json_contains({pick:@documents}, {pick:@documents})", "bool: json_contains('[1, 2, 3]', CAST({small} AS VARCHAR))"),
    "regexpsplit": ("int: len(regexp_split_to_array({text}, {pick:'[ab]','a+'}))",),
    "split_part": ("text: split_part({text}, {pick:'a','','b',' ','.'}, {small})",),
    "md5_number_lower": ("bool: (md5_number_lower({text}) > md5_number_upper({text}))",),
    "md5_number_upper": ("bool: (md5_number_upper({text}) = md5_number_upper({text}))",),
    **{name: (f"text: {name}({{int}})", f"text: {name}({{small}} * 1000)")
       for name in ("formatreadablesize", "formatreadabledecimalsize", "pg_size_pretty")},
    "parse_path": ("int: len(parse_path({text} || '/x'))", "text: parse_path({text})[{small}]"),
    "bar": ("text: bar({small}, {small}, 5, 10)", "text: bar({int}, 0, {small}, 8)"),
    "parse_filename": ("text: parse_filename({text}, {bool})", "text: parse_filename({text} || '/a.b', true, 'system')"),
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
    "time_bucket": (*(f"{kind}: time_bucket({{pick:@widths}}, {{{kind}}}{origin})" for kind in ("date", "ts", "time")
                      for origin in ("", f", {{{kind}}}", ", {interval}")), "ts: time_bucket({interval}, {ts})"),
    "days_in_month": ("int: days_in_month({date})", "int: days_in_month({ts})"),
    "normalized_interval": ("interval: normalized_interval({interval})",),
    "nanosecond": ("int: nanosecond({ts})", "int: nanosecond({time})"),
    "make_timestamp_ns": ("ts: make_timestamp_ns({int})",),
    **{f"to_{unit}": (f"interval: to_{unit}({{small}})", f"interval: to_{unit}({{int}})") for unit in (
        "centuries", "millennia", "years", "months", "quarters", "decades", "weeks", "hours", "minutes", "microseconds", "days")},
    "uuid_extract_timestamp": ("ts: (uuid_extract_timestamp(uuid '019f1a2b-7000-7abc-8def-000000000000') AT TIME ZONE {pick:@zones})",),
    "make_timestamp_ms": ("ts: make_timestamp_ms({int})",),
    "row random": ("bool: (random() < 1)", "bool: (random() >= 0)"),
    "row uuid": ("bool: (uuid() IS NULL)", "int: uuid_extract_version(gen_random_uuid())"),
    "make_timestamptz": ("ts: make_timestamptz({int}, {small}, {small}, {small}, {small}, {float}) AT TIME ZONE {pick:@zones}",),
    "timezone": ("ts: (({ts}::TIMESTAMP AT TIME ZONE {pick:@zones}) AT TIME ZONE {pick:@zones})", "int: hour({ts}::TIMESTAMP AT TIME ZONE {pick:@zones})",
                 "ts: ((({ts}::TIMESTAMP AT TIME ZONE {pick:@zones}) + {interval}) AT TIME ZONE 'UTC')",
                 "text: CAST({ts}::TIMESTAMP AT TIME ZONE {pick:@zones} AS VARCHAR)", "text: strftime({ts}::TIMESTAMPTZ, {pick:@formats})",
                 "interval: (({ts}::TIMESTAMP AT TIME ZONE {pick:@zones}) - {ts}::TIMESTAMPTZ)",
                 "int: date_diff('{pick:day,week,month,year}', {ts}::TIMESTAMP AT TIME ZONE {pick:@zones}, {ts}::TIMESTAMPTZ)",
                 "ts: CAST(date_trunc('{pick:year,month,week,day}', {ts}::TIMESTAMP AT TIME ZONE {pick:@zones}) AS TIMESTAMP)",
                 "bool: ({ts}::TIMESTAMPTZ < {ts})", "ts: timezone({pick:@zones}, TRY_CAST({text} AS TIMESTAMPTZ))"),
    "age": ("interval: age({ts}, {ts})",),
    "lastday": ("date: last_day({date})", "date: last_day({ts})"),
    "datefromparts": ("date: make_date({int}, {int}, {int})", "date: make_date(CAST({int} AS INTEGER))", "date: make_date(2020, 1 + abs({small}), 1 + abs({small}))"),
    "timefromparts": ("time: make_time({small}, {small}, {float})", "time: make_time(abs({small}), 10 + {small}, {pick:0,59.5,7.000001})"),
    "timestampfromparts": ("ts: make_timestamp(2020, 1 + abs({small}), 1 + abs({small}), 3, 4, {pick:0,59.5,60,7.000001})",
                           "ts: make_timestamp({int})"),
    **{name: (f"int: {name}({{ts}}::TIMESTAMP AT TIME ZONE {{pick:@zones}})",) for name in ("timezone_hour", "timezone_minute")},
    **{name: (f"blob: {name}(bin({{text}}))",) for name in ("unbin", "from_binary")},
    "parse_formatted_bytes": ("int: parse_formatted_bytes(({small} + 3) || {pick:' KB','MiB',' bytes'})",),
    "regexp_extract": ("text: regexp_extract({text}, {text})", "text: regexp_extract({text}, '(a)(b)?', {pick:1,2}, {pick:'i','s',''})"),
    "regexp_full_match": ("bool: regexp_full_match({text}, {pick:@regexes}, {pick:'i','c'})",),
    "regexp_matches": ("bool: regexp_matches({text}, {pick:@regexes}, {pick:'i','c','s'})",),
    "regexp_replace": ("text: regexp_replace({text}, {pick:@regexes}, {text}, {pick:'g','i','gi'})",),
    "timetostr": ("text: strftime({ts}, {pick:@formats})", "text: strftime({date}, {pick:@formats})"),
    "strftime": ("text: strftime({ts}, {pick:@formats})",),
    "strtotime": ("ts: strptime({pick:'2020-02-29','29.02.20','x'}, {pick:'%Y-%m-%d','%d.%m.%y'})",),
    "strptime": ("ts: strptime(strftime({ts}, '%Y-%m-%d %H:%M:%S'), '%Y-%m-%d %H:%M:%S')", *(
        f"ts: {name}(strftime({{ts}}, '{form}'), '{form}')" for name in ("strptime", "try_strptime")
        for form in ("%G-W%V-%u", "%Y %j", "%Y %U %w", "%W/%Y", "%c", "%x %X", "%d %B %Y %I:%M %p", "%y%m%d", "%H %M.%g", "%Y %G %u"))),
    "try_strptime": ("ts: try_strptime({text}, '%Y-%m-%d')",),
    "timetounix": ("float: epoch({ts})", "float: epoch({date})", "float: epoch({interval})"),
    "unixtotime": ("text: CAST(to_timestamp({small}) AT TIME ZONE 'UTC' AS VARCHAR)",),
    "epoch_us": ("int: epoch_us({ts})", "int: epoch_ms({ts})", "int: epoch_us({date})", "int: epoch_us({interval})",
                 "int: epoch_ms({interval})", "int: epoch_ms({time})"),
    "epoch_ns": ("int: epoch_ns({ts})", "int: epoch_ns({interval})"),
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
    "cast": (*(f"{kind}: {cast}({source} AS {{pick:@{kind}s}})" for kind in NUMERIC for cast, source in (
                 ("CAST", "{num}"), ("TRY_CAST", "{num}"), ("TRY_CAST", "{text}"), ("CAST", "CAST({num} AS VARCHAR)"), ("CAST", "{bool}"))
                 if (kind, source) != ("dec", "{bool}")),
             "text: CAST({any} AS VARCHAR)", "blob: CAST({text} AS BLOB)", "uuid: TRY_CAST({any} AS UUID)", "uuid: CAST(CAST({uuid} AS VARCHAR) AS UUID)", "blob: CAST({uuid} AS BLOB)", "blob: TRY_CAST({any} AS BLOB)", "date: {pick:CAST,TRY_CAST}({text} AS DATE)", "ts: TRY_CAST({text} AS TIMESTAMP)",
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
    "=: CASE WHEN {bool} THEN {=} ELSE {=} END", "=: CASE WHEN {bool} THEN {=} END", "=: coalesce({=}, {=})", "=: nullif({=}, {=})",
    "=: greatest({=}, {=})", "=: least({=}, {=})", "text: ({text})[{small}:{small}]", "text: typeof({any})", "int: TRY(2 % {small})",
    "int: levenshtein({text}, {text})", "text: format('{}-{:>3}', {text}, {int})",
)  # fmt: skip
"""What cannot fail on small values, so that a whole query has an answer."""

_LITERALS: dict[str, tuple[str, ...]] = {
    "int": ("0", "1", "2", "-1", "3", "7", "NULL::INTEGER", "5::BIGINT", "2::HUGEINT", "3::UTINYINT"),
    "dec": ("0.0", "1.5", "-2.25", "0.5", "10.00", "NULL::DECIMAL(9,2)", "3::DECIMAL(18,3)"),
    "float": ("0.5::DOUBLE", "2e0", "-1.5e0", "0.25::REAL", "NULL::DOUBLE", "1e1"),
    "text": ("''", "'a'", "'b'", "'Ab'", "NULL::VARCHAR", "'a b'", "'é'", "'3'"),
    "uuid": (
        "uuid '40000000-0000-0000-0000-000000000000'",
        "uuid '80000000-0000-0000-0000-000000000005'",
        "NULL::UUID",
    ),
    "blob": ("''::BLOB", "x'FF00'", "'a'::BLOB", "NULL::BLOB"),
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
    "list": ("[1, 2]", "[]::INTEGER[]", "[NULL, 3]", "NULL::INTEGER[]", "range(3)", "[5]"),
    "texts": ("['a', 'b']", "[]::VARCHAR[]", "['x', NULL, '']", "NULL::VARCHAR[]"),
    "struct": ("{'a': 1, 'b': 'x'}", "{'a': NULL::INTEGER, 'b': 'y'}", "(NULL::STRUCT(a INTEGER, b VARCHAR))"),
    "map": ("MAP {'a': 1, 'b': 2}", "MAP {'': NULL::INTEGER}", "NULL::MAP(VARCHAR, INTEGER)"),
    "json": ("'[1]'::JSON", "'{\"a\": [2, null]}'::JSON", "' 3 '::JSON", "NULL::JSON", "'\"x\"'::JSON"),
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
