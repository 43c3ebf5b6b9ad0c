"""How functions are called: the names of their arguments, for errors that must say what works."""

from __future__ import annotations

from functools import cache
from typing import Final

__all__ = ["call_forms"]

_FORMS: Final = """
    abs: x; acos: x; acosh: x; add: x|… / left, right; age: timestamp / timestamp1, timestamp2; aggregate: list,
    function_name, …; ago: i; alias: expr; any_value: arg; apply: list, lambda; approx_count_distinct: any;
    approx_quantile: x, pos; approx_top_k: val, k; arbitrary: arg; arg_max: arg, val / arg, val, N;
    arg_max_null: arg, val; arg_max_nulls_last: arg, val / arg, val, N; arg_min: arg, val / arg, val, N;
    arg_min_null: arg, val; arg_min_nulls_last: arg, val / arg, val, N; argmax: arg, val / arg, val, N; argmin:
    arg, val / arg, val, N; array_agg: arg; array_aggr: list, function_name, …; array_aggregate: list,
    function_name, …; array_append: arr, el; array_apply: list, lambda; array_cat: …; array_concat: …;
    array_contains: list, element; array_cosine_distance: array1, array2; array_cosine_similarity: array1,
    array2; array_cross_product: array1, array2; array_distance: array1, array2; array_distinct: list;
    array_dot_product: array1, array2; array_extract: list|string|struct|tuple, index|entry; array_filter: list,
    lambda; array_grade_up: list / list, sort_order / list, sort_order, null_order; array_has: list, element;
    array_has_all: list1, list2; array_has_any: list1, list2; array_indexof: list, element; array_inner_product:
    array1, array2; array_intersect: list1, list2; array_length: list / list, dimension;
    array_negative_dot_product: array1, array2; array_negative_inner_product: array1, array2; array_pop_back:
    arr; array_pop_front: arr; array_position: list, element; array_prepend: el, arr; array_push_back: arr, e;
    array_push_front: arr, e; array_reduce: list, lambda / list, lambda, initial_value; array_resize: list, size
    / list, size, value; array_reverse: l; array_reverse_sort: list / list, null_order; array_select:
    value_list, index_list; array_slice: list, begin, end / list, begin, end, step; array_sort: list / list,
    sort_order / list, sort_order, null_order; array_to_json: …; array_to_string: arr, sep;
    array_to_string_comma_default: arr, sep; array_transform: list, lambda; array_unique: list; array_value: …;
    array_where: value_list, mask_list; array_zip: …; ascii: string; asin: x; asinh: x; assert_true: condition /
    condition, message; atan: x; atan2: y, x; atanh: x; avg: x; bar: x, min, max / x, min, max, width; base64:
    blob; bin: string|value; binom: n, k; bit_and: arg; bit_count: x; bit_length: bit|string; bit_or: arg;
    bit_xor: arg; bool_and: arg; bool_or: arg; can_cast_implicitly: source_type, target_type; cardinality: map,
    …; cbrt: x; ceil: x; ceiling: x; century: ts; char_length: bit|list|string; character_length:
    bit|list|string; chr: code_point; concat: value, …; concat_ws: separator, string, …; constant_or_null: arg1,
    arg2, …; contains: list|map|string|struct, element|key|search_string|entry; corr: y, x; cos: x; cosh: x;
    cot: x; count: / arg; count_if: arg; count_star:; countif: arg; covar_pop: y, x; covar_samp: y, x;
    cume_dist:; damerau_levenshtein: s1, s2; date_add: date, interval; date_diff: part, startdate, enddate;
    date_part: part|part_list, ts; date_sub: part, startdate, enddate; date_trunc: part, timestamp; datediff:
    part, startdate, enddate; datepart: part|part_list, ts; datesub: part, startdate, enddate; datetrunc: part,
    timestamp; day: ts; dayname: ts; dayofmonth: ts; dayofweek: ts; dayofyear: ts; days_in_month: date; decade:
    ts; decode: blob / blob, error_option; degrees: x; dense_rank:; divide: left, right; editdist3: s1, s2;
    element_at: map, key; encode: string; ends_with: string, search_string; entropy: x; enum_code: enum;
    enum_first: enum; enum_last: enum; enum_range: enum; enum_range_boundary: start, end; epoch: temporal|ts;
    epoch_ms: temporal; epoch_ns: temporal; epoch_us: temporal; era: ts; error: message; even: x; exp: x;
    factorial: x; favg: x; fdiv: x, y; fill: expr; filter: list, lambda; first: arg; first_value: expr; flatten:
    nested_list; floor: x; fmod: x, y; format: format, …; format_bytes: integer; formatreadabledecimalsize:
    integer; formatreadablesize: integer; from_base64: string; from_binary: value; from_hex: value; from_json:
    json, structure; from_json_strict: json, structure; fsum: arg; gamma: x; gcd: x, y; gen_random_uuid:;
    generate_series: stop / start, stop / start, stop, step; generate_subscripts: arr, dim; geomean: x;
    geometric_mean: x; get_current_time:; get_current_timestamp:; getvariable: variable_name; grade_up: list /
    list, sort_order / list, sort_order, null_order; greatest: arg1, …; greatest_common_divisor: x, y;
    group_concat: str / str, arg; hamming: s1, s2; hash: value, …; hex: blob|string|value; histogram: arg / arg,
    bins; histogram_exact: arg, bins; hour: ts; if: a, b, c; ilike_escape: string, like_specifier,
    escape_character; instr: string, search_string; is distinct from: left, right; is not distinct from: left,
    right; isfinite: x; isinf: x; isnan: x; isodow: ts; isoyear: ts; jaccard: s1, s2; jaro_similarity: s1, s2 /
    s1, s2, score_cutoff; jaro_winkler_similarity: s1, s2 / s1, s2, score_cutoff; json: x; json_array: …;
    json_array_length: json / json, path; json_contains: haystack, needle; json_deep_merge: json1, json2, …;
    json_exists: json, path; json_extract: json, index|path; json_extract_path: json, index|path;
    json_extract_path_text: json, index|path; json_extract_string: json, index|path; json_group_array: x;
    json_group_object: n, v; json_group_structure: x; json_insert: json, path, value; json_keys: json / json,
    path; json_merge_patch: json1, json2, …; json_merge_patch_diff: old, new; json_normalize: json; json_object:
    …; json_pretty: json; json_quote: …; json_remove: json, path; json_replace: json, path, value; json_set:
    json, path, value; json_strip_nulls: json; json_structure: json; json_transform: json, structure;
    json_transform_strict: json, structure; json_type: json / json, path; json_valid: json; json_value: json,
    index|path; julian: ts; kahan_sum: arg; kurtosis: x; kurtosis_pop: x; lag: col, offset, default; last: arg;
    last_day: ts; last_value: expr; lcase: string; lcm: x, y; lead: col, offset, default; least: arg1, …;
    least_common_multiple: x, y; left: string, count; left_grapheme: string, count; len: bit|list|string;
    length: bit|list|string; length_grapheme: string; levenshtein: s1, s2; lgamma: x; like_escape: string,
    like_specifier, escape_character; list: arg; list_aggr: list, function_name, …; list_aggregate: list,
    function_name, …; list_any_value: l; list_append: l, e; list_apply: list, lambda;
    list_approx_count_distinct: l; list_avg: l; list_bit_and: l; list_bit_or: l; list_bit_xor: l; list_bool_and:
    l; list_bool_or: l; list_cat: …; list_concat: …; list_contains: list, element; list_cosine_distance: list1,
    list2; list_cosine_similarity: list1, list2; list_count: l; list_distance: list1, list2; list_distinct:
    list; list_dot_product: list1, list2; list_element: list|string, index; list_entropy: l; list_extract:
    list|string, index; list_filter: list, lambda; list_first: l; list_grade_up: list / list, sort_order / list,
    sort_order, null_order; list_has: list, element; list_has_all: list1, list2; list_has_any: list1, list2;
    list_histogram: l; list_indexof: list, element; list_inner_product: list1, list2; list_intersect: list1,
    list2; list_kurtosis: l; list_kurtosis_pop: l; list_last: l; list_mad: l; list_max: l; list_median: l;
    list_min: l; list_mode: l; list_negative_dot_product: list1, list2; list_negative_inner_product: list1,
    list2; list_pack: / value, …; list_position: list, element; list_prepend: e, l; list_product: l;
    list_reduce: list, lambda / list, lambda, initial_value; list_resize: list, size / list, size, value;
    list_reverse: l; list_reverse_sort: list / list, null_order; list_select: value_list, index_list; list_sem:
    l; list_skewness: l; list_slice: list, begin, end / list, begin, end, step; list_sort: list / list,
    sort_order / list, sort_order, null_order; list_stddev_pop: l; list_stddev_samp: l; list_string_agg: l;
    list_sum: l; list_transform: list, lambda; list_unique: list; list_value: / value, …; list_var_pop: l;
    list_var_samp: l; list_where: value_list, mask_list; list_zip: …; listagg: str / str, arg; ln: x; log: x /
    b, x; log10: x; log2: x; lower: string; lpad: string, count, character; ltrim: string / string, characters;
    lttb: x, y, n; mad: x; make_date: date-struct|days / year, month, day; make_time: hour, minute, seconds;
    make_timestamp: micros / year, month, day, hour, minute, seconds; make_timestamp_ms: nanos;
    make_timestamp_ns: nanos; make_timestamptz: micros / year, month, day, hour, minute, seconds / year, month,
    day, hour, minute, seconds, timezone; map: / keys, values; map_concat: …; map_contains: map, key;
    map_contains_entry: map, key, value; map_contains_value: map, value; map_entries: map; map_extract: map,
    key; map_extract_value: map, key; map_from_entries: map; map_keys: map; map_values: map; max: arg / arg, n;
    max_by: arg, val / arg, val, N; md5: blob|string; mean: x; median: x; microsecond: ts; millennium: ts;
    millisecond: ts; min: arg / arg, n; min_by: arg, val / arg, val, N; minute: ts; mismatches: s1, s2; mod:
    left, right; mode: x; month: ts; monthname: ts; multiply: left, right; nanosecond: tsns; nextafter: x, y;
    nfc_normalize: string; not_ilike_escape: string, like_specifier, escape_character; not_like_escape: string,
    like_specifier, escape_character; now:; nth_value: expr, n; ntile: num_buckets; nullif: a, b; octet_length:
    bitstring|blob; ord: string; overlay: string, replacement, start / string, replacement, start, count;
    parse_dirname: path / path, separator; parse_dirpath: path / path, separator; parse_filename: string /
    string, separator|trim_extension / string, trim_extension, separator; parse_formatted_bytes: string;
    parse_path: path / path, separator; path_join: path, …; percent_rank:; pi:; position: string, search_string;
    pow: x, y; power: x, y; prefix: string, search_string; printf: format, …; product: arg; quantile: x / x,
    quantile; quantile_cont: x, quantile; quantile_disc: x / x, quantile; quarter: ts; radians: x; random:;
    range: stop / start, stop / start, stop, step; rank:; rank_dense:; reduce: list, lambda / list, lambda,
    initial_value; regexp_escape: string; regexp_extract: string, regex / string, regex, group|name_list|options
    / string, regex, group|name_list, options; regexp_extract_all: string, regex / string, regex,
    group|name_list / string, regex, group|name_list, options; regexp_full_match: string, regex / string, regex,
    options; regexp_matches: string, regex / string, regex, options; regexp_replace: string, regex, replacement
    / string, regex, replacement, options; regexp_split_to_array: string, regex / string, regex, options;
    regexp_split_to_table: text, pattern; regr_avgx: y, x; regr_avgy: y, x; regr_count: y, x; regr_intercept: y,
    x; regr_r2: y, x; regr_slope: y, x; regr_sxx: y, x; regr_sxy: y, x; regr_syy: y, x; repeat:
    blob|list|string, count; replace: string, source, target; reservoir_quantile: x, quantile, sample_size;
    reverse: string; right: string, count; right_grapheme: string, count; round: x / x, precision; round_even:
    x, precision; roundbankers: x, precision; row: …; row_number:; row_to_json: …; rpad: string, count,
    character; rtrim: string / string, characters; second: ts; sem: x; sha1: blob|value; sha256: blob|value;
    sign: x; signbit: x; sin: x; sinh: x; skewness: x; split: string, separator; split_part: string, delimiter,
    position; sqrt: x; starts_with: string, search_string; stddev: x; stddev_pop: x; stddev_samp: x; str_split:
    string, separator; str_split_regex: string, regex / string, regex, options; strftime: data|format,
    format|data; string_agg: str / str, arg; string_split: string, separator; string_split_regex: string, regex
    / string, regex, options; string_to_array: string, separator; strip_accents: string; strlen: string; strpos:
    string, search_string; strptime: text, format|format-list; struct_concat: …; struct_contains: struct, entry;
    struct_extract: struct|tuple, entry|index; struct_extract_at: struct, index; struct_has: struct, entry;
    struct_indexof: struct, entry; struct_keys: struct; struct_pack: …; struct_position: struct, entry;
    struct_update: struct, …; struct_values: struct; substr: string, start / string, start, length; substring:
    string, start / string, start, length; substring_grapheme: string, start / string, start, length; subtract:
    x / left, right; suffix: string, search_string; sum: arg; sumkahan: arg; tan: x; tanh: x; time_bucket:
    bucket_width, timestamp / bucket_width, timestamp, offset|origin|timezone; timezone: ts / offset|timezone,
    time_tz|timestamp; timezone_hour: ts; timezone_minute: ts; to_base: number, radix, min_length; to_base64:
    blob; to_binary: string|value; to_centuries: integer; to_days: integer; to_decades: integer; to_hex:
    blob|string|value; to_hours: integer; to_json: …; to_microseconds: integer; to_millennia: integer;
    to_milliseconds: double; to_minutes: integer; to_months: integer; to_quarters: integer; to_seconds: double;
    to_timestamp: sec; to_weeks: integer; to_years: integer; today:; translate: string, from, to; trim: string /
    string, characters; trunc: x / x, precision; try_strptime: text, format; typeof: expression; ucase: string;
    unbin: value; unhex: value; unicode: string; upper: string; url_decode: string; url_encode: string; uuid:;
    uuid_extract_timestamp: uuid; uuid_extract_version: uuid; uuidv4:; uuidv7:; var_pop: x; var_samp: x;
    variance: x; version:; wavg: value, weight; week: ts; weekday: ts; weekofyear: ts; weighted_avg: value,
    weight; xor: left, right; year: ts; yearweek: ts
    """
"""As `duckdb_functions()` of DuckDB 2.0 has them: after its name the arguments of each form, `a|b` where these differ in kind."""


def call_forms(name: str) -> str | None:
    """The calls that there are, such as `round(x) or round(x, precision)`; None for a function that is not listed."""
    forms = _forms().get(name.lower())
    return None if forms is None else " or ".join(f"{name}({form})" for form in forms)


@cache
def _forms() -> dict[str, list[str]]:
    entries = [entry.split(":") for entry in " ".join(_FORMS.split()).split(";")]
    return {name.strip(): [form.strip() for form in forms.split("/")] for name, forms in entries}
