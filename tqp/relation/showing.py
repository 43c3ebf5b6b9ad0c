"""What a person looks at: the first rows as a table, the plan, how the query ran."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Final, Literal, Self

from tqp.catalog.over_tables import is_of_table
from tqp.data.transfer import on_host
from tqp.display import html_table, terminal_width, text_table
from tqp.errors import BindError, TqpError
from tqp.functions.zoned_nested import cast_in_zone
from tqp.io.python import column_to_python
from tqp.ir.plan import Limit
from tqp.query import Query
from tqp.relation.answer import Answer
from tqp.relation.plans import REUSED, ShownPlan
from tqp.runtime.picture import Picture
from tqp.types import VARCHAR

__all__ = ["Showing"]

_SHOWN_ROWS: Final = 20
_SHOWN_WIDTH: Final = 40


class Showing(Answer):
    """The first rows as a table, in a terminal or a notebook, and the plan as text."""

    def show(
        self,
        max_rows: int = _SHOWN_ROWS,
        max_width: int | None = None,
        max_col_width: int = _SHOWN_WIDTH,
        null_value: str | None = None,
    ) -> None:
        """Print the first `max_rows` rows as a table, which takes `max_width` places of a line at most; 0 for as many as it needs.

        None for those that the terminal has, or 120 where output goes elsewhere. Where columns need more, those of text become
        narrower, then those in the middle are left out. Texts longer than `max_col_width` places are cut. `null_value` is shown
        for NULL.

        >>> orders.show(1)
        ┌────────┬──────────┬────────┐
        │     id │ customer │ amount │
        │ BIGINT │ VARCHAR  │ BIGINT │
        ├────────┼──────────┼────────┤
        │      1 │ ann      │     10 │
        └────────┴──────────┴────────┘
        3 rows (1 shown)
        """
        print(self.shown(max_rows, max_width, max_col_width, null_value))

    def preview(self, limit: int = 10) -> str:
        """What `show` prints of the first `limit` rows."""
        return self.shown(limit)

    def __repr__(self) -> str:
        return self.shown()

    def _repr_html_(self) -> str | None:
        try:
            shown, total = self._first(_SHOWN_ROWS)
        except TqpError:
            # A notebook asks for the text, too, and shows the error that this raises.
            return None
        texts = shown.texts(_SHOWN_ROWS if total is None else min(_SHOWN_ROWS, total))
        return html_table(self.columns, self.types, texts, total)

    def explain(
        self,
        analyze: bool | Literal["analyze", "steps", "program", "html"] = False,
        format: Literal["text", "json", "graphviz", "mermaid", "html"] = "text",
    ) -> str:
        """The optimized plan, the estimated rows of each step, and the optimizer rules that changed it.

        "steps" gives the program that is made of it: every step with what it reads and makes, how that lies in memory, and what
        was chosen; it reads the stored columns that the query reads. `True` or "analyze" runs it and tells what each step did;
        "program" runs it and lists what ran as torch code. A plan has the formats "text", "json", "graphviz" and "mermaid", what
        a run did "text", "json" and "html", a picture (`plot_plan`), which "html" alone gives, too.

        >>> print(con.sql("SELECT id FROM orders WHERE amount > 5").explain())
        Project [id]  -- ~2 rows
          Filter amount > 5  -- ~2 rows
            Scan orders [id, amount]  -- ~3 rows
        -- rules: prune
        """
        if analyze == "html":
            return self.plot_plan()
        query = self._query
        shown: dict[str, Callable[[], str]]
        if analyze is False:
            plan = ShownPlan(query.optimized, query.rules, query.is_reused)
            shown = {"text": plan.text, "json": plan.json, "graphviz": plan.graphviz, "mermaid": plan.mermaid}
        elif analyze is True or analyze == "analyze":
            shown = {"text": self._told, "json": partial(self._run, query.measured), "html": self.plot_plan}
        elif analyze in ("steps", "program"):
            shown = {"text": partial(self._run, query.steps if analyze == "steps" else query.listing)}
        else:
            raise BindError(f'explain() takes True, "steps", "program" or "html", not {analyze!r}')
        if format not in shown:
            hint = f"there {'are' if len(shown) > 1 else 'is'} {', '.join(shown)}"
            hint += (
                "; html shows a run: EXPLAIN (ANALYZE, FORMAT html)" if analyze is False and format == "html" else ""
            )
            raise BindError(f"{format} is no format of {'a plan' if analyze is False else 'what ran'}", hint=hint)
        return shown[format]()

    def _told(self) -> str:
        return self._run(self._query.trace) + (f"\n{REUSED}" if self._query.is_reused else "")

    def plot_plan(self) -> Picture:
        """Run the query and draw what each step did: rows, time, bytes, what was chosen, and why.

        A notebook shows the picture. It is text, a page of HTML, which `.save("plan.html")` writes; `.save("plan.svg")` writes SVG.

        >>> orders.filter("amount > 5").plot_plan().save("plan.svg")
        """
        return self._run(self._query.picture)

    def profile(self, path: str | PathLike[str]) -> Path:
        """Run the query under torch's profiler and write the trace to `path`: JSON that Perfetto and chrome://tracing show.

        Operations of all threads stand under the names of the pipelines and steps that called them. A path that ends in .gz is
        compressed. Returns the path; SourceError where it cannot be written.

        >>> orders.aggregate("sum(amount)").profile("trace.json").exists()
        True
        """
        return self._run(partial(self._query.profile, Path(path)))

    def texts(self, count: int) -> list[tuple[str | None, ...]]:
        """The first rows as they are shown: each value as SQL casts it to text, None for NULL."""
        columns = on_host([column.slice(0, count) for column in self.result().columns])
        shown = [column_to_python(cast_in_zone(column, VARCHAR, self._zone), count) for column in columns]
        return list(zip(*shown, strict=True)) if shown else [()] * count

    def shown(
        self,
        rows: int = _SHOWN_ROWS,
        width: int | None = None,
        column_width: int = _SHOWN_WIDTH,
        null_value: str | None = None,
    ) -> str:
        """What `show` prints."""
        limits = (("max_rows", rows, 0), ("max_width", width or 0, 0), ("max_col_width", column_width, 1))
        for name, value, least in limits:
            if value < least:
                raise BindError(f"show() takes {least} or more for {name}, not {value}")
        shown, total = self._first(rows)
        room = terminal_width() if width is None else width or None
        texts = shown.texts(rows if total is None else min(rows, total))
        if null_value is not None:
            texts = [tuple(null_value if text is None else text for text in row) for row in texts]
        return text_table(self.columns, self.types, texts, total, room, column_width)

    def _first(self, rows: int) -> tuple[Self, int | None]:
        """A relation that has the first rows of this one, and how many this one has; of plain tables not all are read for that.

        None: more than those, which nobody has counted.
        """
        if self._table is None and is_of_table(self.plan):
            own = self._query
            query = Query(Limit(self.plan, rows), own.text, disabled=own.disabled, called=own.called, places=own.places)
            first = self._of(query)
            first.result()
            (table,) = query.tables
            return first, table.rows if table.guessed_rows is None or len(first) < rows else None
        return self, len(self)
