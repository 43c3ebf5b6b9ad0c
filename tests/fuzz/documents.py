"""Templates of the functions of JSON; see `expressions`."""

from __future__ import annotations

__all__ = ["TEMPLATES"]

TEMPLATES: dict[str, tuple[str, ...]] = {
    "json_extract": ("json: json_extract({pick:@documents}, {pick:@paths})", "json: json_extract('[1, [2, \"x\"], null]', {small})",
                     "json: ('[1, 2]' -> {small})", "json: ({json} -> '$.a')", "json: ({pick:@documents} -> 'a' -> {small})", "text: (({json} -> {small}) ->> '$.a')", "json: json_extract({json}, '$[*]')[1]",
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
}  # fmt: skip
