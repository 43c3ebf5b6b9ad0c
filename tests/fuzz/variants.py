"""Templates of the functions of UNION and VARIANT; see `expressions`."""

from __future__ import annotations

__all__ = ["TEMPLATES"]

_UNION = "UNION(n INTEGER, t VARCHAR)"
_EITHER = f"CASE WHEN {{bool}} THEN CAST({{small}} AS {_UNION}) ELSE CAST({{text}} AS {_UNION}) END"
_OBJECT = "CAST({'a': {small}, 'b': {text}} AS VARIANT)"

TEMPLATES: dict[str, tuple[str, ...]] = {
    "union_tag": (f"text: CAST(union_tag({_EITHER}) AS VARCHAR)",),
    "union_extract_at": (f"int: ({_EITHER}).n", f"text: union_extract({_EITHER}, 't')"),
    "union_put": (f"text: CAST({_EITHER} AS VARCHAR)", f"text: CAST(CAST(CAST({{small}} AS UNION(n INTEGER)) AS {_UNION}) AS VARCHAR)"),
    "union_with_value": (f"bool: ({_EITHER} {{pick:=,<,<>,>=}} CAST({{small}} AS {_UNION}))", f"bool: ({_EITHER} IS NOT DISTINCT FROM {_EITHER})"),
    "variant_typeof": ("text: variant_typeof(CAST({any} AS VARIANT))",),
    "variant_type": ("text: variant_type(CAST({any} AS VARIANT))", f"text: variant_type({_OBJECT}, {{pick:'a','b','c',''}})"),
    "variant_extract": (f"int: CAST(({_OBJECT}).a AS INTEGER)", f"text: CAST(variant_extract({_OBJECT}, 'b') AS VARCHAR)",
                        "int: CAST((CAST([{small}, {small}] AS VARIANT))[{pick:1,2,3}] AS INTEGER)"),
    "variant_extract_string": (f"text: variant_extract_string({_OBJECT}, {{pick:'a','b','c'}})",),
    "variant_keys": (f"texts: variant_keys({_OBJECT})",),
    "variant_exists": (f"bool: variant_exists({_OBJECT}, {{pick:'a','c',''}})",),
    "variant_array_length": ("int: variant_array_length(CAST([{small}, {small}] AS VARIANT))", "int: variant_array_length(CAST({any} AS VARIANT))"),
    "variant_contains": (f"bool: variant_contains({_OBJECT}, CAST({{small}} AS VARIANT))",),
    "variant_normalize": ("text: CAST(variant_normalize(CAST({int} AS VARIANT)) AS VARCHAR)",),
    "variant_comparator": ("bool: (CAST({=} AS VARIANT) {pick:=,<,<>} CAST({=} AS VARIANT))", "bool: (CAST({num} AS VARIANT) {pick:=,<,>=} CAST({num} AS VARIANT))"),
    "equi_width_bins": ("int: len(equi_width_bins({small}, {small} + 20, {pick:1,3,10}, {bool}))",),
}  # fmt: skip
