"""Makes pages that are written for GitHub fit for the site."""

from __future__ import annotations

import html
import posixpath
import re
from pathlib import Path

DOCS = Path(__file__).parents[1]
SOURCE = "https://github.com/olympus-lint/olympus-lint/blob/main/"
FENCE = re.compile(r"^(?P<ticks>```|~~~)(?P<info>.*)\n(?P<text>(?:.*\n)*?)(?P=ticks)$", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?://|#)([^)\s#]+)(#[^)\s]*)?\)")
MARK = re.compile(r'\s*# error: OLY\d+(?: (?:certain|likely|possible))?(?: "[^"\n]*")?')
SAID = "A comment `# error:` marks what olympus-lint reports."  # on GitHub; the site marks the line
SHOWN = "Lines that olympus-lint reports are marked."
SCRIPTS = {'<pre class="diagram">': ("mermaid.min.js", "diagrams.js"), '<div class="playground">': ("playground.js",)}
WIDE_PAGES = ("index.md", "playground.md")
WIDE = "---\nhide: [navigation, toc]\n---\n\n"


def prepared(markdown: str, page: str, *, drawn: bool = True) -> str:
    """Change what GitHub and the site show differently: fences, links to other files, and diagrams.

    Args:
        markdown: the text of the page.
        page: its path in the folder of the pages.
        drawn: whether the site can draw diagrams; if not, their source is shown.
    """
    folder, parts, end = posixpath.dirname(page), [], 0
    for fence in FENCE.finditer(markdown):
        parts += [linked(markdown[end : fence.start()], folder), shown(fence, drawn=drawn)]
        end = fence.end()
    parts.append(linked(markdown[end:], folder))
    text = "".join(parts).replace(SAID, SHOWN)
    assets = posixpath.relpath("assets", folder or ".")
    scripts = [script for sign, names in SCRIPTS.items() if sign in text for script in names]
    text += "".join(f'\n\n<script src="{assets}/{script}"></script>' for script in scripts)
    return WIDE + text if page in WIDE_PAGES else text


def shown(fence: re.Match[str], *, drawn: bool = True) -> str:
    """Return a fence without what only tests read: the words after its language, and the marks of findings.

    A marked line is highlighted instead.
    """
    language, text = next(iter(fence["info"].split()), ""), fence["text"]
    if language == "mermaid" and drawn:
        return f'<pre class="diagram">{html.escape(text)}</pre>'
    if language == "python":
        rows = [str(row) for row, line in enumerate(text.splitlines(), 1) if MARK.search(line)]
        language += f' hl_lines="{" ".join(rows)}"' if rows else ""
        text = MARK.sub("", text)
    return f"{fence['ticks']}{language}\n{text}{fence['ticks']}"


def example(markdown: str) -> dict[str, object]:
    """Return the first program of a rule's page, and what it is an example of."""
    title = re.match(r"# (?P<name>\S+) \((?P<code>OLY\d+)\)", markdown)
    assert title is not None, markdown[:80]
    program = next(fence["text"] for fence in FENCE.finditer(markdown) if fence["info"].startswith("python"))
    return {**title.groupdict(), "on": "\nDefault: on." in markdown, "source": MARK.sub("", program)}


def linked(text: str, folder: str) -> str:
    """Let links lead to the repository where they name what is no page or picture of the site."""

    def target(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join("docs", folder, link[1]))
        file = DOCS.parent / path
        if not file.exists() or (file.is_file() and file.is_relative_to(DOCS)):
            return link[0]  # the build says which links lead nowhere
        return f"]({SOURCE}{path}{link[2] or ''})"

    return LINK.sub(target, text)
