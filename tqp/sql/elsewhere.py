"""What to write for functions that are not there: those of other systems, and of what tqp does not have."""

from __future__ import annotations

from typing import Final

__all__ = ["INSTEAD"]

_NOW: Final = "now(), or current_date for the day alone"
_FIRST_PLACE: Final = "strpos(text, part)"
_MOVED: Final = "value + INTERVAL 1 DAY, or to_days(n) for a column n"

INSTEAD: Final[dict[str, str]] = {
    "add_months": "value + to_months(n)",
    "approx_distinct": "approx_count_distinct(x)",
    "array_size": "len(list)",
    "average": "avg(x)",
    "charindex": _FIRST_PLACE,
    "collect_list": "list(x)",
    "collect_set": "list(DISTINCT x)",
    "convert": "CAST(value AS type)",
    "count_distinct": "count(DISTINCT x)",
    "curdate": "current_date",
    "date_format": "strftime(value, format)",
    "date_from_parts": "make_date(year, month, day)",
    "dateadd": _MOVED,
    "datefromparts": "make_date(year, month, day)",
    "datename": "dayname(value), monthname(value) or strftime(value, format)",
    "explode": "unnest(list)",
    "from_unixtime": "to_timestamp(seconds)",
    "get_json_object": "json_extract_string(json, path)",
    "getdate": _NOW,
    "iif": "if(condition, a, b)",
    "isnull": "x IS NULL, or coalesce(x, y)",
    "isnumeric": "TRY_CAST(x AS DOUBLE) IS NOT NULL",
    "locate": _FIRST_PLACE,
    "mid": "substring(text, start, length)",
    "months_between": "datediff('month', start, end)",
    "nvl": "coalesce(x, y)",
    "nvl2": "if(x IS NOT NULL, a, b)",
    "parse_json": "CAST(text AS JSON)",
    "percentile": "quantile_cont(x, fraction)",
    "rand": "random()",
    "regexp_like": "regexp_matches(text, regex)",
    "replicate": "repeat(text, n)",
    "safe_cast": "TRY_CAST(value AS type)",
    "size": "len(list)",
    "space": "repeat(' ', n)",
    "stdev": "stddev(x)",
    "stdevp": "stddev_pop(x)",
    "str_to_date": "strptime(text, format)",
    "stuff": "overlay(text PLACING new FROM start FOR length)",
    "substring_index": "split_part(text, separator, n)",
    "sysdate": _NOW,
    "to_char": "strftime(value, format)",
    "to_date": "CAST(text AS DATE), or strptime(text, format)::DATE",
    "to_number": "CAST(text AS DOUBLE)",
    "to_varchar": "CAST(value AS VARCHAR)",
    "try_convert": "TRY_CAST(value AS type)",
    "unix_timestamp": "epoch(value)",
    "utc_timestamp": _NOW,
    "varp": "var_pop(x)",
    "zeroifnull": "coalesce(x, 0)",
}
"""By names in lower case."""
