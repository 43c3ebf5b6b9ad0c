"""`make docs`: the pages build without a warning, and reading them fetches nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tqp
from tqp.connection import connection
from tqp.relation import relation

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=quiet)
    assert run.returncode == 0, run.stderr
    return folder


def test_every_page_is_there(site: Path) -> None:
    pages = {path.relative_to(ROOT / "docs").with_suffix(".html").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    pages = {page.replace("README.html", "index.html") for page in pages}
    notebooks = {path.relative_to(ROOT / "docs") for path in (ROOT / "docs" / "notebooks").glob("*.ipynb")}
    pages |= {path.with_suffix(".html").as_posix() for path in notebooks}
    assert notebooks and all((site / path).exists() for path in notebooks)
    made = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    assert made == pages | {"index.html", "contributing.html", "changelog.html", "404.html"}
    assert 'class="mermaid"' not in "".join(path.read_text() for path in site.rglob("*.html"))


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        text = path.read_text()
        fetched = re.findall(r"<(?:script|img|iframe|source)[^>]*\ssrc=[\"']?([^\"'\s>]+)", text)
        fetched += re.findall(
            r"<link[^>]*rel=\"?(?:stylesheet|icon|preconnect|preload)\"?[^>]*href=[\"']?([^\"'\s>]+)", text
        )
        assert not [address for address in fetched if "//" in address], path
    for path in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?(?:https?:)?//", path.read_text()), path


def test_links_between_readme_and_pages(site: Path) -> None:
    start = (site / "index.html").read_text()
    for target in ("performance.html", "contributing.html", "decisions/index.html", "pictures/predictions.svg"):
        assert target in start and (site / target).exists()
    assert 'href="contributing.html#where-a-new-thing-goes"' in (site / "architecture.html").read_text()


def test_notebooks_are_pages(site: Path) -> None:
    """Text, code and what it shows, tables and pictures as they are; links lead to pages, and one to the file."""
    text = (site / "notebooks" / "afternoon.html").read_text()
    article = text.partition("<article")[2].partition("</article")[0]
    assert '<h2 id="pivots">' in article and "Hint: did you mean minutes?" in article
    assert (
        article.count('<div class="output">') > 10 and article.count("<svg xmlns:xlink") == 2 and "<?xml" not in article
    )
    assert '<a class="md-button" download href="afternoon.ipynb">' in article
    assert (
        'href="models.html"' in article
        and 'href="../notebook.html"' in article
        and 'href="models.ipynb"' not in article
    )
    assert "```" not in article and "&lt;div" not in article
    assert 'href="notebooks/afternoon.html"' in (site / "index.html").read_text()


def test_docstrings_are_there(site: Path) -> None:
    text = (site / "api.html").read_text()
    for name in (
        "tqp.connection.connect",
        "tqp.connection.Connection.sql",
        "tqp.relation.Relation.torch",
        "tqp.errors.BindError",
    ):
        assert f'id="{name}"' in text, name
    for name in ("connection.Connection.bound", "relation.Relation.texts", "errors.caret"):
        assert f'id="tqp.{name}"' not in text, f"{name} is for tqp itself"


def test_lists_are_lists(site: Path) -> None:
    """A list without an empty line above it is one on a code host, and a paragraph here."""
    for path in site.rglob("*.html"):
        article = path.read_text().partition("<article")[2].partition("</article")[0]
        article = re.sub(r"<(pre|table)\b.*?</\1>", "", article, flags=re.DOTALL)
        assert not re.search(r"\n *(- |\d+\. )", article), path


@pytest.mark.parametrize(
    ("page", "kind", "inner"),
    [
        ("tqp.connection.Connection", tqp.Connection, connection.INNER),
        ("tqp.relation.Relation", tqp.Relation, relation.INNER),
    ],
)
def test_what_is_not_for_users_is_neither_on_the_page_nor_completed(
    page: str, kind: type, inner: frozenset[str]
) -> None:
    text = (ROOT / "docs" / "api.md").read_text()
    filters = re.findall(r'"!\^\(([^)]*)\)\$"', text.split(f"::: {page}\n")[1].split(":::")[0])
    assert {name for names in filters for name in names.split("|")} == inner
    con = tqp.connect(threads=1)
    made = con if kind is tqp.Connection else con.sql("SELECT 1")
    assert isinstance(made, kind) and not inner & set(dir(made)) and all(hasattr(made, name) for name in inner)
