"""The plan of a run as a picture: a card a pipeline, a row a step, from what EXPLAIN ANALYZE knows of them.

It is one SVG that needs nothing beside it. Cards stand above those that read their results; what a step took of all time is
a bar behind it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from os import PathLike
from pathlib import Path
from textwrap import wrap
from typing import Final

from wcwidth import wcswidth

from tqp.errors import SourceError
from tqp.ir.expr import Predict
from tqp.ir.show import printable
from tqp.ir.visit import walk
from tqp.kernels.waits import Wait
from tqp.operators.choice import Choice
from tqp.operators.operator import Stage
from tqp.operators.predict import describe
from tqp.runtime.trace import PipelineTrace, counted, milliseconds

__all__ = ["Picture", "picture"]

_CARD: Final = 480
_GAP: Final = 30
_PAD: Final = 10
_LINE: Final = 15
_TOP: Final = 18.0
"""Where the heading begins."""
_NUMBERS: Final = 110
"""Places for rows and times at the right of a card."""
_COLUMNS: Final = 3
"""Cards side by side."""
_LETTER: Final = 6.7
_BOLD: Final = 6.9
_SMALL: Final = 6.1
"""The width of a letter of a step, of a heading, and of a remark."""
_TINTS: Final = {"source": "#e7f0fb", "stage": "#ffffff", "model": "#efe6fb", "sink": "#e8f6ec", "remark": "#ffffff"}
_LINES: Final = ("#5b7fb4", "#7a9a4b", "#a7679b", "#b5834a", "#4b9a94", "#7d7f87")
_BAR: Final = "#f9b27c"
_LEGEND: Final = "A bar is the share of all time. Times of steps are those of all workers together."
_STYLE: Final = (
    ".tqp-plan text{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:11px;fill:#1c1f24;white-space:pre}"
    ".tqp-plan .small{font-size:10px;fill:#5b6470}"
    ".tqp-plan .head{font-weight:bold}"
)
_PAGE: Final = "body{background:#fbfbfc;color-scheme:light}"
"""The picture is a light one; the page around it is, too, where a browser would make it dark."""


class Picture(str):
    """A page of HTML with the picture of a plan; in a notebook it shows itself."""

    svg: str
    """The picture alone."""
    _told: str

    @staticmethod
    def of(svg: str, told: str) -> Picture:
        """The page around a picture; `told` says in a line what is on it."""
        head = f'<meta charset="utf-8">\n<title>{escape(told)}</title>\n<style>{_PAGE}</style>'
        page = f"<!DOCTYPE html>\n{head}\n<body>\n{svg}\n</body>\n"
        made = Picture(page)
        made.svg = svg
        made._told = told
        return made

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a path that ends in .html or .htm, the picture alone to one that ends in .svg.

        SourceError for other endings, and where the file cannot be written.
        """
        where = Path(path)
        written = {".html": str(self), ".htm": str(self), ".svg": self.svg}.get(where.suffix.lower())
        if written is None:
            hint = f"write .save({str(where.with_suffix('.svg'))!r}): browsers and other programs make further formats of it"
            raise SourceError(
                f"a picture is saved as .html or .svg, not as {where.suffix or 'a file without an ending'}", hint=hint
            )
        try:
            where.write_text(written, encoding="utf-8")
        except OSError as error:
            raise SourceError(f"cannot write a picture to {str(where)!r}: {error.strerror}") from error

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x: auto">{self.svg}</div>'

    def __repr__(self) -> str:
        return f"<{self._told}; .save('plan.html') writes the picture>"


@dataclass(eq=False)
class _Row:
    """A step of a pipeline, or a remark on it: text, what is under it in small letters, numbers at its right, and its seconds."""

    kind: str
    text: str
    remarks: Sequence[str] = ()
    numbers: Sequence[str] = ()
    seconds: float = 0.0

    @property
    def lines(self) -> list[str]:
        return _wrapped(self.text, (self._room - _PAD) / _LETTER, 3) if self.text else []

    @property
    def small(self) -> list[str]:
        return [line for remark in self.remarks for line in _wrapped(remark, (self._room - 2 * _PAD) / _SMALL, 2)]

    @property
    def height(self) -> int:
        return _LINE * max(len(self.lines) + len(self.small), len(self.numbers)) + 6

    @property
    def _room(self) -> int:
        return _CARD - _PAD - (_NUMBERS if self.numbers else 0)


@dataclass(eq=False)
class _Card:
    """A pipeline: its heading, and its rows from the source to the sink."""

    trace: PipelineTrace
    head: str
    title: str
    rows: list[_Row]
    level: int = 0
    rank: int = 0
    x: float = 0
    y: float = 0
    inputs: list[_Card] = field(default_factory=list)
    readers: list[_Card] = field(default_factory=list)

    @property
    def height(self) -> int:
        return _LINE + 12 + sum(row.height for row in self.rows)


def picture(head: str, text: str | None, traces: Sequence[PipelineTrace], waited: Sequence[Counter[Wait]]) -> Picture:
    """The picture of a run that was watched: `head` says what it came to, `text` is the query's."""
    cards = [_card(trace, waits) for trace, waits in zip(traces, waited, strict=True)]
    by_slot = {card.trace.pipeline.writes: card for card in cards}
    for card in cards:
        for slot in card.trace.pipeline.reads:
            if slot in by_slot and by_slot[slot] is not card:
                card.inputs.append(by_slot[slot])
                by_slot[slot].readers.append(card)
    width = _level(cards)
    room = width - 2 * _GAP
    heads = _wrapped(head, room / _BOLD, 3)
    queries = [] if text is None else _wrapped(" ".join(text.split()), room / _SMALL, 3)
    top = _TOP + _LINE * (len(heads) + len(queries)) + _GAP / 2
    ranks = _place(cards, width, top)
    height = (_below(ranks[-1]) if ranks else top) + _GAP + 12
    total = sum(card.trace.seconds for card in cards) or 1.0
    steps = sum(row.seconds for card in cards for row in card.rows) or 1.0
    lines = [
        f'<text x="{_GAP}" y="{_TOP + 6 + _LINE * place:.0f}" class="head">{_safe(line)}</text>'
        for place, line in enumerate(heads)
    ]
    below = _TOP + 6 + _LINE * len(heads)
    shown = [
        f'<text x="{_GAP}" y="{below + _LINE * place:.0f}" class="small">{_safe(line)}</text>'
        for place, line in enumerate(queries)
    ]
    lines.append(f"<g><title>{_safe(text or '')}</title>{''.join(shown)}</g>" if shown else "")
    lines += [edge for number, card in enumerate(cards) for edge in _edges(number, card, ranks)]
    lines += [part for card in cards for part in _drawn(card, total, steps)]
    lines.append(f'<text x="{_GAP}" y="{height - 12:.0f}" class="small">{_LEGEND}</text>')
    told = f"plan of {counted(len(cards), 'pipeline')}: {head}"
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tqp-plan" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img"><title>{_safe(told)}</title><style>{_STYLE}</style>'
        f'<rect width="100%" height="100%" fill="#fbfbfc"/>{"".join(lines)}</svg>'
    )
    return Picture.of(svg, told)


def _card(trace: PipelineTrace, waits: Counter[Wait]) -> _Card:
    """What EXPLAIN ANALYZE says of a pipeline."""
    pipeline, work = trace.pipeline, trace.work
    head = f"pipeline {pipeline.writes}: {milliseconds(trace.seconds)}, {counted(work.batches, 'batch', 'es')}"
    head += f", {counted(work.workers, 'worker')}"
    facts = [f"{milliseconds(trace.prepared)} to prepare"]
    if work.workers > 1:
        facts.append(f"{trace.busy / trace.working:.2f} cores busy" if trace.working else "")
    facts += [f"waits {count} times for {wait}" for wait, count in waits.most_common()]
    source, *stages, sink = trace.notes
    remarks = _remarks(source)
    if trace.compiled:
        remarks.append(f"compiled into one function: {counted(trace.compiled, 'row')} do not pass the steps below")
    rows = [
        _Row(
            "source",
            pipeline.source.describe(),
            remarks,
            (counted(work.rows, "row"), _size(trace.bytes_in)),
        )
    ]
    if pipeline.choices:
        counts = Counter(f"{choice.what}: {choice}" for choice in pipeline.choices)
        rows.append(_Row("remark", "", [f"{count} × {text}" if count > 1 else text for text, count in counts.items()]))
    for stage, count, notes in zip(pipeline.stages, trace.stages, stages, strict=True):
        kind = "model" if _models(stage) else "stage"
        numbers = (counted(count.rows, "row"), milliseconds(count.seconds))
        rows.append(_Row(kind, stage.describe(), [*_models(stage), *_remarks(notes)], numbers, count.seconds))
    seconds = trace.sink_seconds + trace.finish_seconds
    made = [] if trace.rows_out is None else [counted(trace.rows_out, "row")]
    made += [_size(trace.bytes_out), milliseconds(seconds)]
    rows.append(_Row("sink", pipeline.sink.describe(), _remarks(sink), made, seconds))
    return _Card(trace, head, "\n".join(filter(None, facts)), rows)


def _models(stage: Stage) -> list[str]:
    """What its models are, and what they read."""
    exprs = [expr for group in stage.expressions for expr in group]
    return list(dict.fromkeys(describe(part) for expr in exprs for part in walk(expr) if isinstance(part, Predict)))


def _remarks(notes: Sequence[Choice | str]) -> list[str]:
    return list(map(str, notes))


def _level(cards: Sequence[_Card]) -> float:
    """Say of each card how far it is from the last; the width of the picture."""
    for card in reversed(cards):
        card.level = max((reader.level + 1 for reader in card.readers), default=0)
    side_by_side = max(Counter(card.level for card in cards).values(), default=1)
    return min(side_by_side, _COLUMNS) * (_CARD + _GAP) + _GAP


def _place(cards: Sequence[_Card], width: float, top: float) -> list[list[_Card]]:
    """Put each card above all that read it; the cards that stand side by side."""
    levels: dict[int, list[_Card]] = {}
    for card in cards:
        levels.setdefault(card.level, []).append(card)
    ranks = [
        found[start : start + _COLUMNS]
        for level in sorted(levels, reverse=True)
        for found in [levels[level]]
        for start in range(0, len(found), _COLUMNS)
    ]
    y = top
    for number, rank in enumerate(ranks):
        left = (width - len(rank) * (_CARD + _GAP) + _GAP) / 2
        for place, card in enumerate(rank):
            card.rank, card.x, card.y = number, left + place * (_CARD + _GAP), y
        y = _below(rank) + _GAP + 6
    for card in cards:
        card.inputs.sort(key=lambda one: one.x)
    return ranks


def _below(rank: Sequence[_Card]) -> float:
    return max(card.y + card.height for card in rank)


def _edges(number: int, card: _Card, ranks: Sequence[Sequence[_Card]]) -> Iterator[str]:
    """Lines from a card to those that read its result, between the cards on their way."""
    colour = _LINES[number % len(_LINES)]
    for reader in card.readers:
        inputs = reader.inputs
        end = reader.x + _CARD * (inputs.index(card) + 1) / (len(inputs) + 1), reader.y - 6
        points = [(card.x + _CARD / 2, card.y + card.height)]
        for rank in ranks[card.rank + 1 : reader.rank]:
            gaps = [one.x - _GAP / 2 for one in rank] + [rank[-1].x + _CARD + _GAP / 2]
            # Lines of several cards through one gap lie side by side.
            gap = min(gaps, key=lambda gap: abs(gap - points[-1][0]) + abs(gap - end[0])) + number % 5 * 3 - 6
            points += [(gap, rank[0].y), (gap, _below(rank))]
        points.append(end)
        path = f"M{points[0][0]:.0f} {points[0][1]:.0f}"
        for (x, y), (to_x, to_y) in pairwise(points):
            bend = max((to_y - y) / 2, 12)
            path += f"C{x:.0f} {y + bend:.0f} {to_x:.0f} {to_y - bend:.0f} {to_x:.0f} {to_y:.0f}"
        yield f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
        yield f'<path d="M{end[0] - 4:.0f} {end[1]:.0f}h8l-4 6z" fill="{colour}"/>'


def _drawn(card: _Card, total: float, steps: float) -> Iterator[str]:
    x, y = card.x, card.y
    yield f'<rect x="{x:.0f}" y="{y:.0f}" width="{_CARD}" height="{card.height}" rx="5" fill="#ffffff"/>'
    share = min(card.trace.seconds / total, 1.0)
    yield f'<rect x="{x:.0f}" y="{y:.0f}" width="{_CARD}" height="{_LINE + 8}" rx="5" fill="#dfe4ea"/>'
    yield f'<rect x="{x:.0f}" y="{y:.0f}" width="{_CARD * share:.1f}" height="{_LINE + 8}" rx="5" fill="{_BAR}"/>'
    yield (
        f'<g><title>{_safe(card.title)}</title><text x="{x + _PAD:.0f}" y="{y + 16:.0f}" class="head">{_safe(card.head)}</text>'
        f'<text x="{x + _CARD - _PAD:.0f}" y="{y + 16:.0f}" text-anchor="end">{share:.0%}</text></g>'
    )
    y += _LINE + 10
    for row in card.rows:
        yield from _drawn_row(row, x, y, steps)
        y += row.height
    yield (
        f'<rect x="{card.x:.0f}" y="{card.y:.0f}" width="{_CARD}" height="{card.height}" rx="5" fill="none" '
        'stroke="#8894a5"/>'
    )


def _drawn_row(row: _Row, x: float, y: float, steps: float) -> Iterator[str]:
    full = "\n".join(filter(None, (row.text, *row.remarks)))
    yield f"<g><title>{_safe(full)}</title>"
    yield f'<rect x="{x + 1:.0f}" y="{y:.0f}" width="{_CARD - 2}" height="{row.height - 1}" fill="{_TINTS[row.kind]}"/>'
    if row.seconds > 0:
        bar = (_CARD - 2) * min(row.seconds / steps, 1.0)
        yield f'<rect x="{x + 1:.0f}" y="{y:.0f}" width="{bar:.1f}" height="{row.height - 1}" fill="{_BAR}"/>'
    for place, line in enumerate(row.lines):
        yield f'<text x="{x + _PAD:.0f}" y="{y + 13 + _LINE * place:.0f}">{_safe(line)}</text>'
    for place, number in enumerate(row.numbers):
        at = f'x="{x + _CARD - _PAD:.0f}" y="{y + 13 + _LINE * place:.0f}"'
        yield f'<text {at} text-anchor="end">{_safe(number)}</text>'
    below = y + _LINE * len(row.lines)
    for place, line in enumerate(row.small):
        yield f'<text x="{x + 2 * _PAD:.0f}" y="{below + 13 + _LINE * place:.0f}" class="small">{_safe(line)}</text>'
    yield "</g>"


def _wrapped(text: str, places: float, most: int) -> list[str]:
    """The text in up to so many lines of letters of one width; wide ones take two of the places."""
    shown = printable(text)
    wide = max(wcswidth(shown) / max(len(shown), 1), 1.0)
    return wrap(shown, max(int(places / wide), 8), max_lines=most, placeholder=" …")


def _safe(text: str) -> str:
    return escape("\n".join(map(printable, text.split("\n"))))


def _size(count: int) -> str:
    size = float(count)
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{count:,} bytes" if unit == "bytes" else f"{size:,.1f} {unit}"
