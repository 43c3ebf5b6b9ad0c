"""A picture has all that EXPLAIN ANALYZE tells of steps, is XML whatever names and texts hold, and no card lies upon another."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression

import tqp
from tqp.errors import BindError, SourceError
from tqp.runtime.picture import _CARD, Picture

SVG = "{http://www.w3.org/2000/svg}"
ROWS = 5000

STEPS = ", ".join(f"sum(a + {place}) OVER (PARTITION BY b % {place} ORDER BY a) AS w{place}" for place in range(2, 12))
QUERIES = {
    "one value": "SELECT 42",
    "no rows": "SELECT a FROM t WHERE a < 0 ORDER BY a",
    "join": "SELECT u.name, sum(a) FROM t JOIN u USING (b) WHERE a % 3 = 1 GROUP BY u.name ORDER BY 2 LIMIT 3",
    "many steps": f"SELECT {STEPS} FROM t WHERE a > 10 QUALIFY w2 > 5 ORDER BY ALL LIMIT 5",
    "many pipelines": " UNION ALL ".join(
        f"(SELECT b, count(*) FROM t JOIN u USING (b) WHERE a > {place} GROUP BY b ORDER BY 2 LIMIT {place})" for place in range(1, 9)
    ),
    "shared": "WITH c AS MATERIALIZED (SELECT b, sum(a) AS s FROM t GROUP BY b) SELECT * FROM c AS x JOIN c AS y ON x.s = y.s + 1 WHERE x.b IN (SELECT b FROM u)",
    "recursion": "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT sum(n) FROM r",
}  # fmt: skip


@pytest.fixture(params=["eager", "compile"])
def con(request: pytest.FixtureRequest) -> tqp.Connection:
    connection = tqp.connect(threads=2, backend=request.param)
    connection.register("t", pa.table({"a": range(ROWS), "b": [place % 9 for place in range(ROWS)]}))
    connection.register("u", {"b": list(range(9)), "name": [f"n{place % 4}" for place in range(9)]})
    return connection


def texts(picture: Picture) -> list[str]:
    return ["".join(node.itertext()) for node in ElementTree.fromstring(picture.svg).iter()]


@pytest.mark.parametrize("name", QUERIES)
def test_all_steps_are_there(con: tqp.Connection, name: str) -> None:
    relation = con.sql(QUERIES[name])
    picture = relation.plot_plan()
    found = texts(picture)
    steps = [line for line in relation.explain(True).splitlines()[1:] if re.search(r": [\d,]+ (row|bytes)", line)]
    assert steps
    for line in steps:
        step = re.sub(r": [\d,]+ (rows?|bytes)\b.*", "", line.strip())
        assert any(text.startswith(step) for text in found), step
    heads = re.findall(r"^(pipeline \d+): ", relation.explain(True), re.MULTILINE)
    assert [head for head in heads if not any(text.startswith(f"{head}: ") for text in found)] == []
    assert any(text.startswith(f"{len(relation):,} row") for text in found)


@pytest.mark.parametrize("name", QUERIES)
def test_cards_lie_side_by_side(con: tqp.Connection, name: str) -> None:
    root = ElementTree.fromstring(con.sql(QUERIES[name]).plot_plan().svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    cards = [
        (float(node.attrib["x"]), float(node.attrib["y"]), float(node.attrib["height"]))
        for node in root.iter(f"{SVG}rect")
        if node.attrib.get("stroke") and node.attrib["width"] == str(_CARD)
    ]
    assert cards
    for (x, y, high), (other_x, other_y, other_high) in combinations(cards, 2):
        assert x + _CARD < other_x or other_x + _CARD < x or y + high < other_y or other_y + other_high < y
    assert all(x >= 0 and x + _CARD <= width and y >= 0 and y + high <= height for x, y, high in cards)


@pytest.mark.parametrize("name", QUERIES)
def test_texts_stay_within_the_picture(con: tqp.Connection, name: str) -> None:
    root = ElementTree.fromstring(con.sql(QUERIES[name]).plot_plan().svg)
    width = float(root.attrib["width"])
    for node in root.iter(f"{SVG}text"):
        letter = 6.2 if node.attrib.get("class") == "small" else 6.9
        size, x = letter * len(node.text or ""), float(node.attrib["x"])
        left = x - size if node.attrib.get("text-anchor") == "end" else x
        assert left >= 0 and left + size <= width, node.text


def test_the_whole_query_is_behind_its_beginning(con: tqp.Connection) -> None:
    query = QUERIES["many pipelines"]
    assert any(text.startswith(query) for text in texts(con.sql(query).plot_plan()))


def test_what_was_chosen_for_many_joins_is_said_once(con: tqp.Connection) -> None:
    joins = " ".join(f"JOIN u AS u{place} ON u{place - 1}.b = u{place}.b" for place in range(1, 9))
    picture = con.sql(f"SELECT count(*), max(u8.name) FROM u AS u0 {joins}").plot_plan()
    root = ElementTree.fromstring(picture.svg)
    chosen = [node.text or "" for node in root.iter(f"{SVG}text") if "inner join: index" in (node.text or "")]
    assert len(chosen) == 1 and re.match(r"[78] × inner join: index", chosen[0]), chosen


def test_that_a_recursion_is_counted_once_is_said(con: tqp.Connection) -> None:
    relation = con.sql(QUERIES["recursion"])
    said = "numbers of the first round alone"
    assert relation.explain(True).count(said) == 1 and said in relation.plot_plan()


def test_a_plan_of_thirty_steps_is_a_picture(con: tqp.Connection) -> None:
    picture = con.sql(QUERIES["many pipelines"]).plot_plan()
    rows = [node for node in ElementTree.fromstring(picture.svg).iter(f"{SVG}g")]
    assert len(rows) >= 30 and len(picture) < 200_000


def test_names_and_texts_are_escaped() -> None:
    con = tqp.connect()
    evil = '</svg><script>alert("1")</script>&\x00\x1b\u202e'
    con.register("t", {'a<b>&"c': [1, 2], "s": [evil, "x"]})
    picture = con.sql('SELECT "a<b>&""c" AS "<i>" FROM t WHERE s <> $evil', params={"evil": evil}).plot_plan()
    ElementTree.fromstring(picture.svg)
    assert "<script" not in picture and "<i>" not in picture and "\x1b" not in picture and "\u202e" not in picture


def test_models_are_in_it() -> None:
    rng = np.random.default_rng(0)
    rows = rng.random((200, 2))
    con = tqp.connect()
    con.register("people", {"age": rows[:, 0], "spend": rows[:, 1]})
    con.register_model("churn", LogisticRegression().fit(rows, rows.sum(1) > 1), inputs=["age", "spend"])
    picture = con.sql("SELECT count(*) FROM people WHERE PREDICT(churn, age, spend)").plot_plan()
    assert any(
        "PREDICT(churn, age, spend)\nchurn: linear" in text and "reads 2 of 2" in text for text in texts(picture)
    )


def test_it_shows_itself_and_is_written(tmp_path: Path) -> None:
    relation = tqp.connect().sql("SELECT 42 AS a")
    picture = relation.explain("html")
    assert isinstance(picture, Picture) and picture.startswith("<!DOCTYPE html>") and picture.svg in picture
    assert picture.svg in picture._repr_html_() and "http://" not in picture.replace("http://www.w3.org/2000/svg", "")
    assert re.fullmatch(r"<plan of 1 pipeline: 1 row in .*; \.save\('plan\.html'\) writes the picture>", repr(picture))
    picture.save(str(tmp_path / "plan.svg"))
    picture.save(str(tmp_path / "plan.html"))
    assert (tmp_path / "plan.svg").read_text() == picture.svg and (tmp_path / "plan.html").read_text() == picture
    with pytest.raises(SourceError, match="cannot write a picture"):
        picture.save(str(tmp_path / "nowhere" / "plan.svg"))
    for name in ("plan.png", "plan"):
        with pytest.raises(SourceError, match=r"saved as \.html or \.svg, not as (\.png|a file without)"):
            picture.save(tmp_path / name)
        assert not (tmp_path / name).exists()
    with pytest.raises(BindError, match='"html"'):
        relation.explain("picture")  # type: ignore[arg-type]
