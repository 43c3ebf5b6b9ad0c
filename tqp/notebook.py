"""`%load_ext tqp`: queries as lines and cells of IPython and Jupyter.

    %sql [--con NAME | --device DEVICE] [--timeout SECONDS] [name <<] query

and `%%sql` the same, with the query below. Tables are variables of the notebook, `$name` in a query is the value of a variable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from tqp.bars import is_notebook, teller
from tqp.catalog.over_tables import is_of_table
from tqp.connection import Connection
from tqp.connection.default import default_connection
from tqp.errors import BindError, ParseError, QueryInterruptedError
from tqp.io.libraries import need
from tqp.relation import Relation
from tqp.sql.written import named_parameters

need("IPython", "%sql", extra="notebook")

from IPython.core.interactiveshell import InteractiveShell  # noqa: E402
from IPython.core.magic import (  # noqa: E402
    Magics,
    line_cell_magic,
    magics_class,
    needs_local_scope,
    no_var_expand,
)

__all__ = ["SqlMagics", "load"]

_OPTION: Final = re.compile(r"\s*--(\w+)(?:[ \t]*=[ \t]*|[ \t]+)?(\S+)?")
_OPTIONS: Final = "--con NAME, --device DEVICE, --timeout SECONDS"
_INTO: Final = re.compile(r"\s*([^\W\d]\w*)[ \t]*<<(?!=)")
_OTHERS: Final = re.compile(r"(?:(?<![\w:]):|\{\{?\s*)([^\W\d]\w*)(?:\s*\}?\})?")
"""How other magics write the value of a variable."""
_CALL: Final = "__tqp_call__"


def load(shell: InteractiveShell) -> None:
    """Give the shell `%sql` and `%%sql`."""
    shell.register_magics(SqlMagics(shell))


@magics_class
class SqlMagics(Magics):
    """The magics, and the connection that they ask: the default one until a line names another and has no query."""

    shell: InteractiveShell

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell)
        self._connection: Connection | None = None
        self._by_device: dict[str, Connection] = {}

    @needs_local_scope
    @no_var_expand
    @line_cell_magic
    def sql(self, line: str, cell: str | None = None, local_ns: Mapping[str, Any] | None = None) -> Relation | None:
        """Run a query and show its result: `%sql SELECT 1`, or a cell that begins with `%%sql`.

        `name <<` before the query gives the result to a variable instead. `--con NAME` asks the connection that is called so,
        `--device cuda` one of its own on that device; without a query behind it that is for all queries that follow. `--timeout`
        is in seconds.
        """
        variables = self.shell.user_ns if not local_ns else {**self.shell.user_ns, **local_ns}
        options, text = _options(line)
        into = _INTO.match(text)
        if into is not None:
            text = text[into.end() :].lstrip()
        text = text if cell is None else f"{text}\n{cell}" if text else cell
        connection = self._asked(options, variables)
        if not text.strip():
            if into is not None or not options.keys() & {"con", "device"}:
                raise BindError("there is no query", hint=f"%sql [options] [name <<] query; options are {_OPTIONS}")
            self._connection = connection
            return None
        timeout = _seconds(options.get("timeout"))
        relation = self._run(connection, text, timeout, local_ns or {}, variables, is_whole=into is not None)
        if into is not None:
            self.shell.user_ns[into[1]] = relation
        # What a statement like SET gives is nothing to look at.
        return None if into is not None or relation.columns == ["Success"] else relation

    def _asked(self, options: Mapping[str, str], variables: Mapping[str, Any]) -> Connection:
        """The connection that the options name."""
        if "con" in options and "device" in options:
            raise BindError("--con and --device name two connections", hint="leave one of them out")
        if "con" in options:
            found = variables.get(options["con"])
            if not isinstance(found, Connection):
                known = [name for name, value in variables.items() if isinstance(value, Connection) and name[0] != "_"]
                hint = f"connections are {', '.join(known)}" if known else f"{options['con']} = tqp.connect()"
                raise BindError(f"there is no connection called {options['con']}", hint=hint)
            return found
        if "device" in options:
            device = options["device"]
            if device not in self._by_device:
                self._by_device[device] = _showing_progress(Connection(device))
            return self._by_device[device]
        if self._connection is None:
            self._connection = _showing_progress(default_connection())
        return self._connection

    def _run(
        self,
        connection: Connection,
        text: str,
        timeout: float | None,
        local_ns: Mapping[str, Any],
        variables: Mapping[str, Any],
        is_whole: bool,
    ) -> Relation:
        """The query's relation, which has run: of rows of one table, unless `is_whole`, the first ones, which are shown."""
        names = named_parameters(text)
        for name in names:
            if name not in variables:
                raise BindError(f"there is no variable for the parameter ${name}", hint=f"{name} = …", text=text)
        params = {name: variables[name] for name in names} or None

        def call() -> Relation:
            return connection.sql(text, params, timeout=timeout)

        meant = next((one for one in _OTHERS.finditer(text) if one[1] in variables), None)
        try:
            # Tables are looked for among the variables of the frame that calls: here one of the notebook.
            relation: Relation = eval(f"{_CALL}()", self.shell.user_ns, {**local_ns, _CALL: call})
            if is_whole or not is_of_table(relation.plan):
                relation.result()
            else:
                repr(relation)  # an error is the cell's here, where it is shown once
        except ParseError as error:
            if meant is not None and (error.hint is None or meant[0].startswith(":")):
                error.hint = f"the value of the variable {meant[1]} is written ${meant[1]}, not {meant[0]}"
            raise
        except KeyboardInterrupt as stopped:
            notes = "\n".join(getattr(stopped, "__notes__", ()))
            raise QueryInterruptedError(notes or "the query was interrupted") from None
        return relation


def _options(line: str) -> tuple[dict[str, str], str]:
    """What stands before the query as `--name value`, and the rest of the line."""
    found: dict[str, str] = {}
    while (option := _OPTION.match(line)) is not None:
        name, value = option[1], option[2]
        if name not in ("con", "device", "timeout"):
            raise BindError(f"there is no option --{name}", hint=f"options are {_OPTIONS}")
        if value is None:
            raise BindError(f"--{name} has no value", hint=f"options are {_OPTIONS}")
        found[name] = value
        line = line[option.end() :]
    return found, line.strip()


def _seconds(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        raise BindError(f"--timeout {text} is not a number of seconds") from None


def _showing_progress(connection: Connection) -> Connection:
    """The connection, with a bar for long queries where there is a page to show it on."""
    if is_notebook() and connection.settings.progress_to is None:
        bar = teller(True)
        connection.change(lambda settings: replace(settings, progress=True, progress_to=bar))
    return connection
