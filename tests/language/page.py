"""The page `docs/sql.md`: what became of each function, clause and statement of DuckDB."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from tests.language.answers import answers
from tests.language.forms import Form, forms
from tests.language.scope import LEFT_OUT
from tests.language.tried import State, Tried, has_name, is_idle, of_function, tried

__all__ = ["PAGE", "page"]

PAGE = Path(__file__).parents[2] / "docs" / "sql.md"

_KINDS = (("aggregate", "aggregates"), ("scalar", "scalar functions and macros"), ("window", "window functions"))
_LINE = 150


def page() -> str:
    """The text of the page."""
    states = [of_function(function) for function in answers().functions if function.calls]
    told = [(form, tried(form.sql, *answers().forms[form.name])) for form in forms()]
    names = {kind: {name: has_name(kind, name) for name in those} for kind, those in answers().names.items()}
    return "\n".join([*_head(states, told, names), *_functions(states), *_forms(told), *_names(names), *_left_out()])


def _head(states: list[State], told: list[tuple[Form, Tried]], names: dict[str, dict[str, bool]]) -> Iterator[str]:
    yield "# SQL"
    yield ""
    yield f"The functions, clauses and statements of DuckDB {answers().version}, and which of them tqp supports. The page is made by"
    yield "`python -m tests.language`, which runs calls that DuckDB answered, with the types of its signatures, and compares types and values; a test"
    yield "runs it again. *In part* means that some of these calls give DuckDB's answer. What tqp refuses is refused before anything runs, with the"
    yield "message shown here. ° marks functions that run on the host, once for each distinct value of their arguments, as text functions do; all"
    yield "others are tensor operations. Table functions, pragmas and settings are counted by their names. *In part* are pragmas and settings that are"
    yield "accepted, and that nothing in tqp heeds, as they change no answer; a setting of DuckDB that tqp lacks is an error."
    yield ""
    yield "| | of DuckDB's | supported | in part | refused |"
    yield "|---|---|---|---|---|"
    for kind, title in _KINDS:
        those = [state for state in states if state.function.kind == kind]
        whole = sum(state.is_supported for state in those)
        part = sum(state.is_partly_supported for state in those)
        yield _shares(title, len(those), whole, part)
    sections = {"statements": [], "clauses, operators and types": []}  # type: dict[str, list[Tried]]
    for form, one in told:
        sections["statements" if form.section == "Statements" else "clauses, operators and types"].append(one)
    for title, ones in reversed(sections.items()):
        yield _shares(title, len(ones), sum(one.is_answered for one in ones), 0)
    for kind, those in names.items():
        idle = sum(is_there and is_idle(kind, name) for name, is_there in those.items())
        yield _shares(kind, len(those), sum(those.values()) - idle, idle)
    yield ""


def _shares(title: str, count: int, whole: int, part: int) -> str:
    return (
        f"| {title} | {count} | {whole} ({whole / count:.0%}) | {part} ({part / count:.0%}) | {count - whole - part} |"
    )


def _functions(states: list[State]) -> Iterator[str]:
    for kind, title in _KINDS:
        yield f"## {title[0].upper()}{title[1:]}"
        yield ""
        those = sorted((state for state in states if state.function.kind == kind), key=_place)
        for family, members in groupby(those, lambda state: state.function.family):
            if family:
                yield f"### {family[0].upper()}{family[1:]}"
                yield ""
            yield from _family(list(members))


def _place(state: State) -> tuple[str, str]:
    return state.function.family, state.function.name


def _family(states: list[State]) -> Iterator[str]:
    whole = [_name(state) for state in states if state.is_supported]
    if whole:
        yield from _wrapped(whole)
        yield ""
    rest = [state for state in states if not state.is_supported]
    if rest:
        yield "| | state | not | because |"
        yield "|---|---|---|---|"
        for state in rest:
            missing = next(call for call in state.calls if not call.is_answered)
            share = f"{state.answered} of {len(state.calls)} calls" if state.is_partly_supported else "refused"
            yield f"| {_name(state)} | {share} | {_code(missing.sql)} | {_because(missing)} |"
        yield ""


def _name(state: State) -> str:
    return f"`{state.function.name}`{'°' if state.on_host else ''}"


def _forms(told: list[tuple[Form, Tried]]) -> Iterator[str]:
    for section, members in groupby(told, lambda one: one[0].section):
        yield f"## {section}"
        yield ""
        yield "| | example | state |"
        yield "|---|---|---|"
        for form, one in members:
            yield f"| {_cell(form.title)} | {_code(form.sql)} | {'supported' if one.is_answered else _because(one)} |"
        yield ""


def _names(names: dict[str, dict[str, bool]]) -> Iterator[str]:
    for kind, those in names.items():
        yield f"## {kind[0].upper()}{kind[1:]}"
        yield ""
        yield "Supported:"
        yield from _wrapped(f"`{name}`" for name, is_there in those.items() if is_there and not is_idle(kind, name))
        yield ""
        if idle := [f"`{name}`" for name, is_there in those.items() if is_there and is_idle(kind, name)]:
            yield "Accepted, without an effect:"
            yield from _wrapped(idle)
            yield ""
        yield "Refused:"
        yield from _wrapped(f"`{name}`" for name, is_there in those.items() if not is_there)
        yield ""


def _because(missing: Tried) -> str:
    if missing.other is not None:
        return _cell(f"another answer: {missing.other}")
    return _cell(f"{missing.refusal}; {missing.hint}" if missing.hint else str(missing.refusal))


def _left_out() -> Iterator[str]:
    yield "## Left out"
    yield ""
    yield "By their names, and not counted:"
    yield ""
    for pattern, reason in LEFT_OUT:
        yield f"- {reason}: {_code(pattern)}"
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _code(text: str) -> str:
    return f"`{_cell(text)}`" if "`" not in text else f"`` {_cell(text)} ``"


def _wrapped(words: Iterable[str]) -> Iterator[str]:
    line = ""
    for word in words:
        if line and len(line) + len(word) + 2 > _LINE:
            yield f"{line},"
            line = word
        else:
            line = f"{line}, {word}" if line else word
    yield line
