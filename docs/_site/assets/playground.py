"""What the playground runs in the browser: one text is checked, and its findings become HTML."""

from html import escape

from olympus_lint.project.settings import Settings
from olympus_lint.reporting.formats.html import card
from olympus_lint.run.engine import lint_text

NAME = "example.py"


def checked(text: str, everything: bool) -> str:
    """Return the findings in a text, each in its code.

    Args:
        text: the program.
        everything: whether all rules run, and not only those that are on by default.
    """
    result = lint_text(NAME, text, Settings(select=["ALL"] if everything else None))
    lines = {(NAME, None): text.split("\n")}
    cards = (part for number, each in enumerate(result.findings, 1) for part in card(number, each, lines))
    problems = (f"<p>{escape(each.message)}</p>" for each in result.errors)
    return "".join([*problems, *cards]) or "<p>No findings.</p>"
