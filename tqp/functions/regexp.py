r"""Regular expressions (`regexp_matches`, `regexp_replace`, SIMILAR TO …) with RE2's syntax, as in DuckDB.

A constant pattern that is not valid is an error before the query runs, one in a column when a row needs it. Strings in
dictionaries are matched once each; a column of patterns is matched pattern by pattern. Option letters and the number of a
group are constant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import torch

from tqp.data.column import Column
from tqp.errors import BindError, ExecutionError, UnsupportedError
from tqp.functions.align import merge_rows
from tqp.functions.entries import Entries, each, host_function, spread
from tqp.functions.re2 import InvalidPatternError, Options, Regex, UnsupportedPatternError, compiled, quoted
from tqp.functions.registry import Args, Signature, find, scalar
from tqp.functions.signatures import fixed
from tqp.functions.slices import Slices
from tqp.ir.expr import ColumnRef, Exists, Expr, InSubquery, Literal, ScalarSubquery
from tqp.ir.visit import walk
from tqp.types import BOOLEAN, INTEGER, VARCHAR, DType, list_of

__all__: list[str] = []


@dataclass(frozen=True, slots=True)
class _Regexp:
    """A function of strings, patterns, perhaps one argument more, and option letters.

    `run(regex, strings, options, *others)` computes it for strings that share one pattern and all else; it raises
    InvalidPatternError for what no row may ask for. The last `optional` arguments may be left out.
    """

    names: str
    out: DType
    run: Callable[..., pa.Array | Slices]
    other: tuple[DType, ...] = ()
    optional: int = 1
    letters: str = ""
    everywhere: bool = False

    def types(self, args: tuple[Expr, ...]) -> Signature:
        """The signature; BindError for a constant pattern, options or a group that are not valid."""
        wanted = (VARCHAR, VARCHAR, *self.other, *[VARCHAR] * (self.optional > 0))
        signature = fixed(self.names.split()[0], self.out, *wanted, optional=self.optional)(args)
        for place, arg in enumerate(args[2:], 2):
            if place == 2 and self.other == (VARCHAR,):
                continue  # what replaces
            if any(isinstance(node, ColumnRef | ScalarSubquery | Exists | InSubquery) for node in walk(arg)):
                raise BindError(f"argument {place + 1} of {self.names.split()[0]} must be constant")
        values = [arg.value if isinstance(arg, Literal) else ... for arg in args]
        try:
            options = self._options(values)
            if self.other == (INTEGER,) and not self.out.is_list and len(values) > 2 and isinstance(values[2], int):
                _check_group(values[2])
            if options is not None and isinstance(values[1], str):
                regex = compiled(values[1], options)
                others = values[2 : 2 + len(self.other)]
                if self.out.is_list and not any(one is ... or one is None for one in others):
                    # Of no strings: what it cannot do shows before the query runs.
                    self.run(regex, pa.array([], pa.large_string()), options, *others)
        except UnsupportedPatternError as error:
            raise UnsupportedError(str(error), hint="regexp_extract gives the first match") from None
        except InvalidPatternError as error:
            raise BindError(str(error)) from None
        return signature

    def kernel(self, args: Args, out: DType) -> Column:
        """The values of rows; ExecutionError where a row asks for what is not valid."""
        entries = spread(args)
        try:
            options = self._options(entries.operands)
        except InvalidPatternError as error:
            raise ExecutionError(str(error)) from None
        assert options is not None
        strings, kind = entries.array(0), _KINDS.get(out, pa.large_string())
        blank = pa.scalar(_BLANKS[kind], kind)
        pieces, places = [pa.array([], kind)], [np.empty(0, np.int64)]
        problems: list[str] = []
        problem = np.full(entries.count, -1)
        for (pattern, *others), rows in entries.alike(*range(1, min(len(args), 2 + len(self.other)))):
            places.append(np.arange(entries.count) if rows is None else rows)
            those = strings if rows is None else strings.take(pa.array(rows))
            try:
                found = self.run(compiled(pattern, options), those, options, *others)
                pieces.append(found.strings() if isinstance(found, Slices) and rows is not None else found)
            except (InvalidPatternError, pa.ArrowInvalid) as error:
                problem[places[-1]] = len(problems)
                problems.append(str(error))
                pieces.append(pa.repeat(blank, len(those)))
        entries.check(pa.array(problem >= 0), args, lambda row: problems[problem[row]])
        if len(pieces) == 2:
            return entries.finish(pieces[1], out)
        back = np.argsort(np.concatenate(places))
        return entries.finish(pa.concat_arrays(pieces).take(pa.array(back)), out)

    def _options(self, values: list[Any]) -> Options | None:
        """The options among the values of the arguments; None where they are not known yet."""
        letters = values[2 + len(self.other)] if len(values) > 2 + len(self.other) else self.letters
        if letters is ...:
            return None
        if letters is None:
            raise InvalidPatternError("the options of a regular expression may not be NULL")
        options = Options.of(letters)
        if options.everywhere and not self.everywhere:
            raise InvalidPatternError("option 'g' is for regexp_replace alone")
        return options


def _check_group(group: int) -> None:
    if not 0 <= group <= 9:
        raise InvalidPatternError(f"a group is a number from 0 to 9, not {group}")


def _search(regex: Regex, strings: pa.Array, options: Options) -> pa.Array:
    return regex.search(strings)


def _full(regex: Regex, strings: pa.Array, options: Options) -> pa.Array:
    return regex.full(strings)


def _extract(regex: Regex, strings: pa.Array, options: Options, group: int = 0) -> pa.Array | Slices:
    _check_group(group)
    return regex.extract(strings, group)


def _extract_all(regex: Regex, strings: pa.Array, options: Options, group: int = 0) -> pa.Array:
    return regex.extract_all(strings, group)


def _split(regex: Regex, strings: pa.Array, options: Options) -> pa.Array:
    return regex.split(strings)


def _replace(regex: Regex, strings: pa.Array, options: Options, rewrite: str) -> pa.Array | Slices:
    return regex.replace(strings, rewrite, options.everywhere)


_TEXTS = list_of(VARCHAR)
_KINDS: dict[DType, pa.DataType] = {BOOLEAN: pa.bool_(), _TEXTS: pa.list_(pa.large_string())}
_BLANKS: dict[pa.DataType, Any] = {pa.bool_(): False, pa.list_(pa.large_string()): [], pa.large_string(): ""}

for _function in (
    _Regexp("regexp_matches regexplike", BOOLEAN, _search),
    _Regexp("regexpilike", BOOLEAN, _search, optional=0, letters="i"),
    _Regexp("regexp_full_match regexpfullmatch", BOOLEAN, _full),
    _Regexp("similarto", BOOLEAN, _full, optional=0),
    _Regexp("regexp_extract regexpextract", VARCHAR, _extract, (INTEGER,), optional=2),
    _Regexp("regexp_extract_all", _TEXTS, _extract_all, (INTEGER,), optional=2),
    _Regexp("regexp_replace regexpreplace", VARCHAR, _replace, (VARCHAR,), everywhere=True),
):
    scalar(*_function.names.split(), types=_function.types, on_distinct=True, on_host=True)(_function.kernel)


_SPLIT = _Regexp("string_split_regex str_split_regex regexp_split_to_array regexpsplit", _TEXTS, _split)


@scalar(*_SPLIT.names.split(), types=_SPLIT.types, strict=False, strict_first=1, on_host=True)
def _string_split_regex(args: Args, out: DType) -> Column:
    """The parts of each text; all of it where the pattern is NULL."""
    text, pattern = args[:2]
    found = _SPLIT.kernel(args, out)
    if pattern.valid is not None:
        nothing = Column(pattern.data, VARCHAR, torch.zeros_like(pattern.valid), pattern.dictionary, pattern.bounds)
        found = merge_rows(pattern.valid, found, find("string_split").kernel((text, nothing), out))
    if text.valid is None:
        return found
    valid = text.valid.expand(found.data.shape[: 0 if found.is_constant else 1])
    return found.with_valid(valid)


@host_function("regexp_escape", VARCHAR, VARCHAR)
def _escape(entries: Entries, strings: Any) -> pa.Array:
    return each(quoted, pa.large_string(), entries)
