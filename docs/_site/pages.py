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
DRAWN = '\n\n<script src="{assets}/mermaid.min.js"></script>\n<script src="{assets}/diagrams.js"></script>\n'
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
    if '<pre class="diagram">' in text:
        text += DRAWN.format(assets=posixpath.relpath("assets", folder or "."))
    return WIDE + text if page == "index.md" else text


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


def linked(text: str, folder: str) -> str:
    """Let links lead to the repository where they name what is no page or picture of the site."""

    def target(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join("docs", folder, link[1]))
        file = DOCS.parent / path
        if not file.exists() or (file.is_file() and file.is_relative_to(DOCS)):
            return link[0]  # the build says which links lead nowhere
        return f"]({SOURCE}{path}{link[2] or ''})"

    return LINK.sub(target, text)
