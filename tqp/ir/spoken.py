"""What SQL calls the functions that plans call by the keys of their syntax nodes."""

from __future__ import annotations

from typing import Final

__all__ = ["SPOKEN", "UNSPOKEN"]

SPOKEN: Final[dict[str, str]] = {
    "bitlength": "bit_length",
    "bitwisexor": "xor",
    "concatws": "concat_ws",
    "cosinedistance": "array_cosine_distance",
    "datefromparts": "make_date",
    "dayofweekiso": "isodow",
    "endswith": "ends_with",
    "euclideandistance": "array_distance",
    "frombase64": "from_base64",
    "jarowinklersimilarity": "jaro_winkler_similarity",
    "lastday": "last_day",
    "logical_and": "bool_and",
    "logical_or": "bool_or",
    "regexpextract": "regexp_extract",
    "regexpfullmatch": "regexp_full_match",
    "regexplike": "regexp_matches",
    "regexpreplace": "regexp_replace",
    "regexpsplit": "string_split_regex",
    "splitpart": "split_part",
    "startswith": "starts_with",
    "strposition": "strpos",
    "strtotime": "strptime",
    "timefromparts": "make_time",
    "timestampfromparts": "make_timestamp",
    "timestamptrunc": "date_trunc",
    "timetostr": "strftime",
    "timetounix": "epoch",
    "tobase64": "to_base64",
    "tobinary": "to_binary",
    "todays": "to_days",
    "truncate": "trunc",
    "unixtotime": "to_timestamp",
    "variance_pop": "var_pop",
    "min of several rows": "min",
    "max of several rows": "max",
    "arg_min of several rows": "arg_min",
    "arg_max of several rows": "arg_max",
    "arg_min_nulls_last of several rows": "arg_min_nulls_last",
    "arg_max_nulls_last of several rows": "arg_max_nulls_last",
}

UNSPOKEN: Final = frozenset({"date_part_name"})
"""Calls that no text writes, made of parts of others: an error has the place of these, and no text of the call."""
