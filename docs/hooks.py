"""What mkdocs does not do by itself: pages from files outside of docs/ and from notebooks, and links that are right on both sides.

On a code host README's links lead into docs/, and a page links to `../CONTRIBUTING.md`, to a folder or a notebook; on the site
these are pages.
"""

from __future__ import annotations

import json
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
    """The navigation of mkdocs.yml, with pages that it does not name at the end of its section Use, and the decisions in Inside."""
    docs = ROOT / "docs"
    named = set(re.findall(r"[\w-]+\.md", repr(config["nav"])))
    use = next(section["Use"] for section in config["nav"] if "Use" in section)
    use += [{_title(page): page.name} for page in sorted(docs.glob("*.md")) if page.name not in named]
    decisions = [{_title(page): f"decisions/{page.name}"} for page in sorted((docs / "decisions").glob("[0-9]*.md"))]
    inside = next(section["Inside"] for section in config["nav"] if "Inside" in section)
    # One level down, where they are folded up on other pages.
    inside.append({"Decisions": ["decisions/README.md", *decisions]})
    return config


def _title(page: Path) -> str:
    return page.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")


def on_files(files: Files, config: Any) -> Files:
    """The pages from files that are not in docs/."""
    for source, page in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, page, content=text))
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        page = path.relative_to(ROOT / "docs").with_suffix(".md").as_posix()
        files.append(File.generated(config, page, content=_notebook(path)))
    return files


def _notebook(path: Path) -> str:
    """A notebook as Markdown: its text, its code, and what is stored as shown."""
    parts: list[str] = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(_fenced("sql" if source.startswith("%%sql") else "python", source))
        parts += [_shown(output) for output in cell["outputs"]]
    # Below the title: where the file is.
    parts[0] += f"\n\n[Download this notebook]({path.name}){{ .md-button download }}"
    return "\n\n".join(parts) + "\n"


def _shown(output: dict[str, Any]) -> str:
    data = output.get("data", {})
    for kind in ("text/html", "image/svg+xml"):
        if kind in data:
            page = "".join(data[kind])
            # An element of its own, which Markdown leaves alone; what stands before a picture is for files.
            return f'<div class="output">{page[page.find("<svg") :] if kind != "text/html" else page}</div>'
    if output["output_type"] == "error":
        return _fenced("text", "\n".join(output["traceback"]))
    return _fenced("text", "".join(output.get("text", data.get("text/plain", ""))))


def _fenced(language: str, text: str) -> str:
    return f"```{language}\n{text.rstrip()}\n```"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Links to what is a page elsewhere, and none to what is not on the site; bars in code, which tables need not escape here."""
    return _PIPE.sub(lambda code: code[0].replace("\\|", "|"), _LINK.sub(_link, markdown))


def _link(match: re.Match[str]) -> str:
    text, (target, mark, anchor) = match[1], match[2].partition("#")
    name = target.removeprefix("../")
    if name in PAGES:
        return f"[{text}]({PAGES[name]}{mark}{anchor})"
    if name.endswith(".ipynb") and ".md-button" not in match.string[match.end() : match.end() + 20]:
        return f"[{text}]({target.removesuffix('.ipynb')}.md{mark}{anchor})"
    if target == "decisions":
        return f"[{text}](decisions/README.md)"
    return text if target in _ELSEWHERE or (target.startswith("../") and not target.endswith(".md")) else match[0]
