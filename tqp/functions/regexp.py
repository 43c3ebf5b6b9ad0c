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

from tqp.data.column import Column
from tqp.errors import BindError, ExecutionError
from tqp.functions.entries import Entries, Slices, each, fixed, host_function, spread
from tqp.functions.re2 import InvalidPatternError, Options, Regex, compiled, quoted
from tqp.functions.registry import Args, Signature, scalar
from tqp.ir.expr import ColumnRef, Exists, Expr, InSubquery, Literal, ScalarSubquery
from tqp.ir.visit import walk
from tqp.types import BOOLEAN, INTEGER, VARCHAR, DType

__all__: list[str] = []


@dataclass(frozen=True, slots=True)
class _Regexp:
    """A function of strings, patterns, perhaps one argument more, and option letters.

    `run(regex, strings, options, *others)` computes it for strings that share one pattern and all else; it raises
    InvalidPatternError for what no row may ask for. The last `optional` arguments may be left out.
    """

    name: str
    out: DType
    run: Callable[..., pa.Array | Slices]
    other: tuple[DType, ...] = ()
    optional: int = 1
    letters: str = ""
    everywhere: bool = False

    def types(self, args: tuple[Expr, ...]) -> Signature:
        """The signature; BindError for a constant pattern, options or a group that are not valid."""
        wanted = (VARCHAR, VARCHAR, *self.other, *[VARCHAR] * (self.optional > 0))
        signature = fixed(self.name, self.out, *wanted, optional=self.optional)(args)
        for place, arg in enumerate(args[2:], 2):
            if place == 2 and self.other == (VARCHAR,):
                continue  # what replaces
            if any(isinstance(node, ColumnRef | ScalarSubquery | Exists | InSubquery) for node in walk(arg)):
                raise BindError(f"argument {place + 1} of {self.name} must be constant")
        values = [arg.value if isinstance(arg, Literal) else ... for arg in args]
        try:
            options = self._options(values)
            if self.other == (INTEGER,) and len(values) > 2 and isinstance(values[2], int):
                _check_group(values[2])
            if options is not None and isinstance(values[1], str):
                compiled(values[1], options)
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
        strings, kind = entries.array(0), pa.large_string() if out.is_text else pa.bool_()
        blank = pa.scalar("" if out.is_text else False, kind)
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


def _replace(regex: Regex, strings: pa.Array, options: Options, rewrite: str) -> pa.Array | Slices:
    return regex.replace(strings, rewrite, options.everywhere)


for _function in (
    _Regexp("regexplike", BOOLEAN, _search),
    _Regexp("regexpilike", BOOLEAN, _search, optional=0, letters="i"),
    _Regexp("regexpfullmatch", BOOLEAN, _full),
    _Regexp("similarto", BOOLEAN, _full, optional=0),
    _Regexp("regexpextract", VARCHAR, _extract, (INTEGER,), optional=2),
    _Regexp("regexpreplace", VARCHAR, _replace, (VARCHAR,), everywhere=True),
):
    scalar(_function.name, types=_function.types, on_distinct=True)(_function.kernel)


@host_function("regexp_escape", VARCHAR, VARCHAR)
def _escape(entries: Entries, strings: Any) -> pa.Array:
    return each(quoted, pa.large_string(), entries)
