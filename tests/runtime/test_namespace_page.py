"""The page about the namespace: every Python block runs, and gives what the block of text after it shows."""

from __future__ import annotations

import io
import linecache
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from releases import KEY_DTYPE

pytest.importorskip("jax", reason="the examples run JAX")

PAGE = Path(__file__).parents[2] / "docs" / "runtime" / "namespace.md"


def blocks(page: Path) -> list[tuple[str, str, str]]:
    """Return each Python block with the file name in its fence, and the text after it that shows the result."""
    fences = [token for token in MarkdownIt().parse(page.read_text("utf-8")) if token.type == "fence"]
    found = []
    for fence, following in zip(fences, [*fences[1:], None], strict=True):
        language, _, file = fence.info.partition(" ")
        if language == "python":
            shown = following.content if following is not None and following.info == "text" else ""
            found.append((file or "example.py", fence.content, shown))
    return found


def pages(text: str) -> str:
    """Return a text with the addresses of JAX's pages as they were up to 0.10."""
    return text.replace("/latest/101/", "/latest/")


def result(file: str, code: str, variables: dict[str, object]) -> str:
    """Return what a block prints, and the exception that ends it, as the interpreter shows both."""
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    output = io.StringIO()
    try:
        with redirect_stdout(output):
            exec(compile(code, file, "exec"), variables)
    except Exception as error:
        return f"{output.getvalue()}{type(error).__name__}: {error}\n"
    finally:
        del linecache.cache[file]
    return output.getvalue()


@KEY_DTYPE
def test_examples_give_what_the_page_shows():
    variables: dict[str, object] = {}
    shown = blocks(PAGE)
    assert len(shown) > 5
    for file, code, text in shown:
        assert pages(result(file, code, variables)) == text
