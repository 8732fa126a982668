"""What the playground runs in the browser: one text is checked, and its findings become HTML."""

from html import escape

from olympus_lint.project.settings import Settings
from olympus_lint.reporting.formats.html import card
from olympus_lint.run.engine import lint_text
from olympus_rules.finding import Finding

NAME = "example.py"


def checked(text: str, everything: bool) -> str:
    """Return the findings in a text, each in its code.

    Args:
        text: the program.
        everything: whether all rules run, and not only those that are on by default.
    """
    result = lint_text(NAME, text, Settings(select=["ALL"] if everything else None))
    lines = {(NAME, None): text.split("\n")}
    cards = [part for number, each in enumerate(result.findings, 1) for part in card(number, each, lines, has_way)]
    problems = [f"<p>{escape(each.message)}</p>" for each in result.errors]
    style = pictures_style() if any(map(has_way, result.findings)) else ""
    return "".join([style, *problems, *cards]) or "<p>No findings.</p>"


def has_way(finding: Finding) -> bool:
    """Return whether the way of its key is known."""
    return bool(finding.lineage)


def pictures_style() -> str:
    """Return the style of the pictures, which follows the colours that are chosen for the page."""
    from olympus.graphs.shapes import DARK, LIGHT

    return f'<style>.lineage {{ {LIGHT} }}\n[data-md-color-scheme="slate"] .lineage {{ {DARK} }}</style>'
