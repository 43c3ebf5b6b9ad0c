"""Templates of the functions of lists, structs and maps; see `expressions`.

A `list` is of integers, `texts` are a list of texts, a `struct` has the fields `a` (an integer) and `b` (a text), and a `map` is
from texts to integers. What DuckDB gives in an order of its hash tables is sorted.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["TEMPLATES"]


def _each(names: str, templates: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The templates, which hold `NAME`, of each of the names, which mean the same."""
    chosen = tuple(templates)
    return {name: tuple(template.replace("NAME", name) for template in chosen) for name in names.split()}


TEMPLATES: dict[str, tuple[str, ...]] = {
    "list_value": ("list: [{small}, {int}]", "list: [{int}, NULL, {small}]", "texts: [{text}, {text}]", "texts: [{text}]"),
    "array_extract": ("int: ({list})[{small}]", "text: ({texts})[{small}]"),
    "hash_of_nested": ("int: hash({list})", "int: hash({text}, {struct})", "int: hash({texts}, {small})", "int: hash([{list}, {list}])"),
    "synonyms_of_lists": ("list: filter({list}, lambda x: x > {small})", "list: apply({list}, lambda x: x % 7)", "texts: ({texts}) + ({texts})",
                          "int: reduce({list}, lambda a, b: greatest(a, b), {small})", "map: list_histogram({texts})"),
    "nested_casts": ("text: ({list})::VARCHAR", "text: ({struct})::VARCHAR", "texts: ({list})::VARCHAR[]", "text: ({map})::VARCHAR",
                     "list: (({list})::VARCHAR)::HUGEINT[]", "texts: (({texts})::VARCHAR)::VARCHAR[]",
                     "struct: (({struct})::VARCHAR)::STRUCT(a HUGEINT, b VARCHAR)", "list: TRY_CAST({text} AS BIGINT[])",
                     "texts: TRY_CAST('[' || {text} || ', x]' AS VARCHAR[])", "map: TRY_CAST('{' || {text} || '=1}' AS MAP(VARCHAR, INTEGER))",
                     "text: ([{date}, NULL])::VARCHAR", "text: ({'a': {ts}})::VARCHAR",
                     "texts: [{text}, {text}]::VARCHAR[2]::VARCHAR[]", "text: (array_value({text}, {text}))[{pick:1,2,-1,3}]",
                     "bool: [{text}]::VARCHAR[1] {pick:=,<,>=} array_value({text})", "text: (array_value({date}, {date}))::VARCHAR"),
    "list_transform": ("list: list_transform({list}, lambda x: x % 7)", "texts: list_transform({texts}, lambda x: x || {text})",
                       "list: list_transform({list}, lambda x, i: i + {small})", "list: [x // 2 for x in {list} if x > {small}]"),
    "list_filter": ("list: list_filter({list}, lambda x: x > {small})", "texts: list_filter({texts}, lambda x: x <> {text})"),
    "list_reduce": ("text: list_reduce({texts}, lambda a, b: a || coalesce(b, ''), {text})",),
    "products_of_lists": ("float: {pick:list_dot_product,list_distance,list_cosine_similarity,list_negative_inner_product}({list}, {list})",
                          "float: list_distance(list_transform({list}, lambda x: 2), [{small}, {small}])"),
    "array_to_string": ("text: array_to_string({texts}, ',')", "text: array_to_string({list}, '')"),
    "array_length": ("int: len({list})", "int: len({texts})"),
    "list_joined": ("list: ({list} || {list})", "texts: ({texts} || {texts})"),
    "list_repeat": ("list: repeat({list}, {small})", "texts: repeat({texts}, {small})"),
    # DuckDB takes `'' IN l` of a list of texts for true, as if it were asked of a text.
    "list_membership": ("bool: ({small} IN {list})", "bool: (nullif({text}, '') NOT IN {texts})", "bool: ({small} {pick:=,<>,<,>=} ANY({list}))",
                        "bool: ({text} {pick:=,<>,>,<=} ALL({texts}))"),
    "list_sum": ("int: list_sum({list})", "int: list_count({list})", "int: list_max({list})", "text: list_min({texts})",
                 "float: list_avg({list})", "text: list_first({texts})"),
    **_each("list_slice array_slice", ("list: NAME({list}, {small}, {small})", "texts: NAME({texts}, {small}, {small})",
                                       "list: ({list})[{small}:{small}]", "texts: ({texts})[{small}:]", "list: ({list})[{small}:{small}:2]")),
    **_each("list_concat list_cat array_concat array_cat",
            ("list: NAME({list}, {list})", "texts: NAME({texts}, {texts}, {texts})")),
    **_each("list_append array_append array_push_back", ("list: NAME({list}, {small})", "texts: NAME({texts}, {text})")),
    **_each("list_prepend array_prepend", ("list: NAME({small}, {list})", "texts: NAME({text}, {texts})")),
    "array_push_front": ("list: array_push_front({list}, {small})", "texts: array_push_front({texts}, {text})"),
    **_each("list_contains list_has array_contains array_has", ("bool: NAME({list}, {small})", "bool: NAME({texts}, {text})")),
    **_each("list_position list_indexof array_position array_indexof", ("int: NAME({list}, {small})", "int: NAME({texts}, {text})")),
    **_each("list_has_any array_has_any list_has_all array_has_all", ("bool: NAME({list}, {list})", "bool: NAME({texts}, {texts})")),
    **_each("list_intersect array_intersect", ("list: list_sort(NAME({list}, {list}))", "texts: list_sort(NAME({texts}, {texts}))")),
    **_each("list_distinct array_distinct", ("list: list_sort(NAME({list}))", "texts: list_sort(NAME({texts}))")),
    **_each("list_unique array_unique", ("int: NAME({list})", "int: NAME({texts})")),
    **_each("list_sort array_sort", ("list: NAME({list})", "texts: NAME({texts}, '{pick:ASC,DESC}')", "list: NAME({list}, 'DESC', 'NULLS LAST')")),
    **_each("list_reverse_sort array_reverse_sort", ("texts: NAME({texts})", "list: NAME({list}, '{pick:NULLS FIRST,NULLS LAST}')")),
    **_each("list_grade_up array_grade_up grade_up", ("list: NAME([3, {small} * 10, NULL])", "list: NAME(['b', {text} || 'x', NULL], 'DESC')")),
    **_each("list_reverse array_reverse array_pop_back array_pop_front", ("list: NAME({list})", "texts: NAME({texts})")),
    **_each("list_resize array_resize", ("list: NAME({list}, {pick:0,1,3})", "texts: NAME({texts}, 2, {text})")),
    **_each("list_where array_where", ("list: NAME({list}, [{pick:true,false}, {pick:true,false}])", "texts: NAME({texts}, [{small} > 1])")),
    **_each("list_select array_select", ("list: NAME({list}, [{small}, {small}])", "texts: NAME({texts}, [1, {small}])")),
    **_each("list_aggregate list_aggr array_aggregate array_aggr aggregate", (
        "int: NAME({list}, '{pick:max,min,count,first,last}')", "text: NAME({texts}, '{pick:max,min,first,any_value}')")),
    **_each("list_zip array_zip", ("int: (NAME({list}, {texts}))[{small}][1]", "int: len(NAME({list}, {list}, {pick:true,false}))")),
    "flatten": ("list: flatten([{list}, {list}])", "texts: flatten([{texts}])"),
    **_each("range generate_series", ("list: NAME({small})", "list: NAME({small}, {small})", "list: NAME({small}, {small}, {pick:1,2,-1})",
                                      "int: len(NAME({date}, {date} + INTERVAL 5 DAY, INTERVAL {pick:1,2} DAY))")),
    "struct_pack": ("struct: {'a': {small}, 'b': {text}}", "struct: struct_pack(a := {small}, b := {text})"),
    "struct_extract_at": ("int: ({struct}).a", "text: ({struct}).b", "text: ({struct})['b']", "int: struct_extract({struct}, 'a')"),
    "struct_insert": ("bool: (struct_insert({struct}, c := {bool})).c", "int: (struct_insert({struct}, c := 1)).a"),
    "struct_keys": ("texts: struct_keys({struct})",),
    "struct_values": ("text: (struct_values({struct}))[2]", "int: (struct_values({struct}))[1]"),
    **_each("struct_contains struct_has", ("bool: NAME(row({small}, {small}), {small})",)),
    **_each("struct_position struct_indexof", ("int: NAME(row({text}, {text}), {text})",)),
    "map": ("map: MAP([{text} || '1', {text} || '2'], [{small}, {small}])", "map: MAP {'a': {small}, 'b': NULL}", "map: MAP(['x'], [length({text})::INTEGER])"),
    **_each("map_extract_value", ("int: NAME({map}, {text})", "int: ({map})[{text}]")),
    **_each("map_extract element_at", ("list: NAME({map}, {text})", "int: (NAME({map}, 'a'))[1]")),
    "map_keys": ("texts: map_keys({map})",),
    "map_values": ("list: map_values({map})",),
    "map_entries": ("text: (map_entries({map}))[1].key", "int: len(map_entries({map}))"),
    "map_from_entries": ("map: map_from_entries([{'k': 'a', 'v': {small}}, {'k': {text} || 'b', 'v': {small}}])",
                         "map: map_from_entries(map_entries({map}))"),
    "map_concat": ("map: map_concat({map}, {map})",),
    "cardinality": ("int: cardinality({map})", "int: cardinality({list})"),
}  # fmt: skip
