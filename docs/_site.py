"""Makes pages that are written for GitHub fit for the site: a hook of MkDocs."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
SOURCE = "https://github.com/olympus-lint/olympus-lint/blob/main/"
FENCE = re.compile(r"^(```|~~~)(\w*).*?^\1$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?://|#)([^)\s#]+)(#[^)\s]*)?\)")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Change what GitHub and MkDocs understand differently: the words of fences, and links to other files."""
    folder = posixpath.dirname(page.file.src_uri)
    parts: list[str] = []
    end = 0
    for fence in FENCE.finditer(markdown):
        parts += [linked(markdown[end : fence.start()], folder), bare(fence[0])]
        end = fence.end()
    return "".join([*parts, linked(markdown[end:], folder)])


def bare(fence: str) -> str:
    """Leave the language of a fence only: the words after it are for the tests, and MkDocs takes none."""
    first, _, rest = fence.partition("\n")
    return f"{first.split()[0]}\n{rest}"


def linked(text: str, folder: str) -> str:
    """Let links lead to the repository where they name what is no page or picture of the site."""

    def target(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join("docs", folder, link[1]))
        file = DOCS.parent / path
        if not file.exists() or (file.is_file() and file.is_relative_to(DOCS)):
            return link[0]  # MkDocs says which links lead nowhere
        return f"]({SOURCE}{path}{link[2] or ''})"

    return LINK.sub(target, text)
