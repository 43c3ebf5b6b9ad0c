"""How fast are functions of text that does not repeat, beside DuckDB?

    python -m benchmarks.texts                                          200,000 values of 20 bytes, ASCII
    python -m benchmarks.texts --rows 2000000 --bytes 200 --mixed       2 million long ones, with letters beyond ASCII
    python -m benchmarks.texts --repeating                              the same functions of 1,000 values that repeat
    python -m benchmarks.texts --only upper strptime --json texts.jsonl

One query a function, over a column where no value comes twice: text, JSON, dates, numbers. What it gives is summed, so that all of
it is made and nothing of it is sent. Both sides run in this process, in turns, with as many threads; each turn's query has a
constant of its own, so that no answer is remembered. `first` is the first query of a connection that has the table, `later` the
median of those after it. The numbers are milliseconds of CPU; `speed` is DuckDB's time over tqp's.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from statistics import median
from typing import Any, Final

import pyarrow as pa
import torch

import tqp
from benchmarks.timing import Record
from tpch.needed import names_what_is_missing

__all__ = ["FUNCTIONS", "column_of_texts", "main", "table"]

FUNCTIONS: Final = {
    # Slices and cases.
    "left": "strlen(left(s, 5))",
    "right": "strlen(right(s, 5))",
    "substring": "strlen(substring(s, 3, 6))",
    "upper": "strlen(upper(s))",
    "lower": "strlen(lower(s))",
    "reverse": "strlen(reverse(s))",
    "translate": "strlen(translate(s, 'abc', 'xy'))",
    "replace": "strlen(replace(s, 'ab', 'xyz'))",
    "lpad": "strlen(lpad(s, 30, '*'))",
    "rpad": "strlen(rpad(s, 30, '*'))",
    "trim": "strlen(trim(s, 'ab '))",
    "repeat": "strlen(repeat(s, 3))",
    "split_part": "strlen(split_part(s, ' ', 2))",
    "string_split": "len(string_split(s, ' '))",
    "ascii": "ascii(s)",
    "chr": "strlen(chr((n % 50000 + 32)::INTEGER))",
    "concat": "strlen(concat(s, '-', n))",
    "concat_operator": "strlen(s || '!' || s)",
    "concat_ws": "strlen(concat_ws(',', s, d))",
    "length": "length(s)",
    "strlen": "strlen(s)",
    "bit_length": "bit_length(s)",
    "length_grapheme": "length_grapheme(s)",
    "left_grapheme": "strlen(left_grapheme(s, 5))",
    "strip_accents": "strlen(strip_accents(s))",
    # Searches.
    "equal": "(s = '{word}')::INTEGER",
    "less": "(s < '{word}')::INTEGER",
    "contains": "contains(s, '{word}')::INTEGER",
    "starts_with": "starts_with(s, '{word}')::INTEGER",
    "ends_with": "ends_with(s, '{word}')::INTEGER",
    "position": "position('{word}' IN s)",
    "like_part": "(s LIKE '%{word}%')::INTEGER",
    "like_parts": "(s LIKE '%a%b%c%')::INTEGER",
    "ilike": "(s ILIKE '%{word}%')::INTEGER",
    "regexp_matches": "regexp_matches(s, '{word}[0-9]+')::INTEGER",
    "regexp_replace": "strlen(regexp_replace(s, '[aeiou]+', '-', 'g'))",
    "regexp_extract": "strlen(regexp_extract(s, '([a-z]+) ([a-z]+)', 2))",
    "string_split_regex": "len(string_split_regex(s, '[ ,]+'))",
    # Distances, hashes and encodings.
    "levenshtein": "levenshtein(left(s, 10), 'abcdefghij')",
    "jaro_winkler": "jaro_winkler_similarity(s, '{word} of many')",
    "jaccard": "jaccard(s, '{word} of many')",
    "hamming": "hamming(left(s, 5), 'abcde')",
    "hash": "(hash(s) % 1000)",
    "md5": "strlen(md5(s))",
    "sha1": "strlen(sha1(s))",
    "sha256": "strlen(sha256(s))",
    "base64": "strlen(base64(encode(s)))",
    "from_base64": "octet_length(from_base64(b))",
    "hex": "strlen(hex(s))",
    "unhex": "octet_length(unhex(h))",
    "url_encode": "strlen(url_encode(s))",
    "url_decode": "strlen(url_decode(s))",
    "bin": "strlen(bin(n))",
    # Formats.
    "printf": "strlen(printf('%05d %s', n, s))",
    "format": "strlen(format('{{}} {{:.2f}}', s, x))",
    "format_bytes": "strlen(format_bytes(n))",
    "integer_to_text": "strlen(n::VARCHAR)",
    "double_to_text": "strlen(x::VARCHAR)",
    "decimal_to_text": "strlen(p::VARCHAR)",
    "date_to_text": "strlen(day::VARCHAR)",
    "timestamp_to_text": "strlen(moment::VARCHAR)",
    "strftime": "strlen(strftime(moment, '%d/%m/%Y %H:%M:%S'))",
    # Parsing.
    "text_to_integer": "(i::INTEGER)",
    "text_to_double": "(f::DOUBLE)",
    "text_to_decimal": "(f::DECIMAL(18, 4))",
    "text_to_date": "year(left(d, 10)::DATE)",
    "text_to_timestamp": "second(d::TIMESTAMP)",
    "strptime": "second(strptime(d, '%Y-%m-%d %H:%M:%S'))",
    "strptime_names": "day(strptime(m, '%d %b %Y %I:%M %p'))",
    "try_strptime": "second(try_strptime(d, ['%d.%m.%Y', '%Y-%m-%d %H:%M:%S']))",
    # JSON.
    "json_arrow": "strlen(j->>'$.a')",
    "json_nested": "strlen(j->>'$.b.c')",
    "json_extract": "strlen(json_extract(j, '$.b')::VARCHAR)",
    "json_extract_list": "len(json_extract(j, ['$.a', '$.b.c']))",
    "json_array_length": "json_array_length(j, '$.l')",
    "json_type": "strlen(json_type(j, '$.b'))",
    "json_keys": "len(json_keys(j))",
    "json_valid": "json_valid(j)::INTEGER",
    "json_to_struct": "(j::JSON::STRUCT(id BIGINT, a VARCHAR, k BIGINT, b STRUCT(c VARCHAR, d DOUBLE), l BIGINT[])).b.d",
    "json_transform": '(json_transform(j, \'{{"k": "BIGINT"}}\')).k',
    "to_json": "strlen(to_json(s)::VARCHAR)",
}
"""Of each function, a number that its values give. `{word}` is a constant of the turn's own."""
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz ABCDE 0123456789,"
_BEYOND: Final = "äößéñçøžłπЖ漢字🙂"
_WORDS: Final = ("ab", "the", "qu", "ine", "ze", "bo", "x1", "ta")


def column_of_texts(turn: random.Random, rows: int, size: int, *, is_mixed: bool) -> list[str]:
    """So many texts of about `size` bytes, each with its number; mixed ones have a letter beyond ASCII in three of four."""
    made = []
    pool = "".join(turn.choices(_LETTERS, k=1 << 16))
    beyond = "".join(turn.choices(_LETTERS + _BEYOND * 2, k=1 << 16))
    for number in range(rows):
        tail = f" {number}"
        source = beyond if is_mixed and number % 4 else pool
        start = turn.randrange((1 << 16) - size)
        made.append(source[start : start + max(size - len(tail), 1)] + tail)
    return made


def table(rows: int, size: int, distinct: int, *, is_mixed: bool) -> pa.Table:
    """The columns that the functions read, of `distinct` rows that come again and again.

    s text; n BIGINT; x DOUBLE; p DECIMAL(18, 4); day DATE; moment TIMESTAMP; and texts: i, f numbers, d instants, m with the
    names of months, b base64, h hexadecimal, j JSON.
    """
    import duckdb

    turn = random.Random(20)
    texts = column_of_texts(turn, distinct, size, is_mixed=is_mixed)
    with duckdb.connect() as source:
        source.register("texts", pa.table({"n": range(distinct), "s": texts}))
        made = source.sql(
            "SELECT s, n, n * 7919 % 1000003 / 64 + n AS x, (n * 31 / 10000)::DECIMAL(18, 4) AS p,"
            " DATE '1970-01-01' + (n % 20000)::INTEGER AS day, TIMESTAMP '1990-01-01' + INTERVAL (n * 397) SECOND AS moment,"
            " n::VARCHAR AS i, (n * 7919 % 1000003 / 64 + n)::DECIMAL(18, 4)::VARCHAR AS f,"
            " strftime(moment, '%Y-%m-%d %H:%M:%S') AS d, strftime(moment, '%d %b %Y %I:%M %p') AS m,"
            " base64(encode(s)) AS b, hex(s) AS h,"
            " json_object('id', n, 'a', s, 'k', n * 3, 'b', json_object('c', s, 'd', n / 4), 'l', [n, n + 1, n % 7])::VARCHAR AS j"
            " FROM texts ORDER BY n"
        ).to_arrow_table()
    if distinct == rows:
        return made
    places = [turn.randrange(distinct) for _ in range(rows)]
    return made.take(pa.array(places))


def _seconds(ask: Callable[[str], Any], text: str) -> tuple[float, Any]:
    start = time.process_time()
    answer = ask(text).fetchall()
    return time.process_time() - start, answer


def _alike(ours: Any, theirs: Any) -> bool:
    return all(
        one == other or isinstance(one, float) and math.isclose(one, other, rel_tol=1e-9)
        for one, other in zip(ours[0], theirs[0], strict=True)
    )


def _measured(record: Record, name: str, source: pa.Table, repeat: int, threads: int) -> float:
    import duckdb

    ours, theirs = tqp.connect(threads=threads), duckdb.connect(config={"threads": threads})
    ours.register("t", source)
    theirs.register("source", source)
    theirs.execute("CREATE TABLE t AS FROM source")
    turns = random.Random(name)
    times: dict[str, list[float]] = {"tqp": [], "duckdb": []}
    for _ in range(repeat + 1):
        number = FUNCTIONS[name].format(word=turns.choice(_WORDS))
        text = f"SELECT sum({number}), count(*) FROM t WHERE n >= {turns.randrange(50)}"
        mine, answer = _seconds(ours.sql, text)
        other, right = _seconds(theirs.sql, text)
        if not _alike(answer, right):
            raise SystemExit(f"{name}: {answer} is not {right}: {text}")
        times["tqp"].append(mine)
        times["duckdb"].append(other)
    ours.close()
    theirs.close()
    mine, other = median(times["tqp"][1:]), median(times["duckdb"][1:])
    record.add(
        name, [one * 1e3 for one in times["tqp"][1:]], duckdb_ms=round(other * 1e3, 2), speed=round(other / mine, 3),
        first_ms=round(times["tqp"][0] * 1e3, 2), threads=threads,
    )  # fmt: skip
    return other / mine


@names_what_is_missing
def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line a function, and the geometric mean of all."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.texts", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--bytes", type=int, default=20, help="of a text")
    parser.add_argument("--mixed", action="store_true", help="texts with letters beyond ASCII")
    parser.add_argument("--repeating", action="store_true", help="1,000 values that repeat")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=3, help="queries after the first on each side")
    parser.add_argument("--only", nargs="+", choices=FUNCTIONS, default=list(FUNCTIONS))
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(arguments)
    record = Record("texts", args.json)
    record.fact(
        "versions", python=python_version(), torch=torch.__version__, duckdb=version("duckdb"), rows=args.rows, bytes=args.bytes,
        mixed=args.mixed, repeating=args.repeating,
    )  # fmt: skip
    source = table(args.rows, args.bytes, 1000 if args.repeating else args.rows, is_mixed=args.mixed)
    speeds = [_measured(record, name, source, args.repeat, args.threads) for name in args.only]
    mean = math.exp(sum(map(math.log, speeds)) / len(speeds))
    record.fact("all", geometric_mean=round(mean, 3), least=round(min(speeds), 3), functions=len(speeds))


if __name__ == "__main__":
    main()
