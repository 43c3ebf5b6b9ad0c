"""What mkdocs does not do by itself: pages from files outside of docs/, and links that are right on both sides.

On a code host README's links lead into docs/, and a page links to `../CONTRIBUTING.md` or to a folder; on the site these are pages.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
_ELSEWHERE = ("CITATION.cff",)
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
_PIPE = re.compile(r"`[^`\n]*\\\|[^`\n]*`")
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")


def on_config(config: Any) -> Any:
    """The navigation of mkdocs.yml, with pages that it does not name at the end of its section Use, and then the decisions."""
    docs = ROOT / "docs"
    named = set(re.findall(r"[\w-]+\.md", repr(config["nav"])))
    use = next(section["Use"] for section in config["nav"] if "Use" in section)
    use += [{_title(page): page.name} for page in sorted(docs.glob("*.md")) if page.name not in named]
    decisions = [{_title(page): f"decisions/{page.name}"} for page in sorted((docs / "decisions").glob("[0-9]*.md"))]
    config["nav"].append({"Decisions": ["decisions/README.md", *decisions]})
    return config


def _title(page: Path) -> str:
    return page.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")


def on_files(files: Files, config: Any) -> Files:
    """The pages from files that are not in docs/."""
    for source, page in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Links to what is a page elsewhere, and none to what is not on the site; bars in code, which tables need not escape here."""
    return _PIPE.sub(lambda code: code[0].replace("\\|", "|"), _LINK.sub(_link, markdown))


def _link(match: re.Match[str]) -> str:
    text, (target, mark, anchor) = match[1], match[2].partition("#")
    name = target.removeprefix("../")
    if name in PAGES:
        return f"[{text}]({PAGES[name]}{mark}{anchor})"
    if target == "decisions":
        return f"[{text}](decisions/README.md)"
    return text if target in _ELSEWHERE or (target.startswith("../") and not target.endswith(".md")) else match[0]
