"""Writes the tables of pages that the code knows: ``python -m tests.tables``."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path

from olympus_lint.commandline.options import parser
from olympus_rules.rules import all_rules

DOCS = Path(__file__).parents[1] / "docs"
TABLES = re.compile(
    r"(?<=<!-- The tables of this page are written by `python -m tests\.tables`\. -->\n).*(?=<!-- /)", re.S
)
GROUPS = {
    "OLY1": "Misuse of keys",
    "OLY2": "Typed keys",
    "OLY3": "Objects with `__jax_array__`",
    "OLY9": "Suppressions and files",
}


def rule_rows(folder: str, group: str = "OLY") -> list[str]:
    """Return a row for each rule of a group, with a link to its page in a folder."""
    return [
        f"| [{code}]({folder}/{rule.name}.md) | {rule.name} | {rule.summary} | "
        f"{'on' if rule.default else 'off'} | {rule.fix.value if rule.fix else 'none'} |"
        for code, rule in all_rules().items()
        if code.startswith(group)
    ]


def rules() -> str:
    """Return a section for each group of rules."""
    head = "| code | name | what it flags | default | fix |\n|---|---|---|---|---|\n"
    return "".join(
        f"\n## {title}\n\n{head}" + "\n".join(rule_rows("rules", group)) + "\n" for group, title in GROUPS.items()
    )


def spelling(action: argparse.Action) -> str:
    """Return the spellings of an option, with its value."""
    value = ""
    if action.nargs != 0:
        value = action.metavar if isinstance(action.metavar, str) else "{" + ",".join(action.choices or ()) + "}"
    joined = value if value.startswith("[") or not value else f" {value}"
    return ", ".join(f"`{option}{joined}`" for option in action.option_strings)


def options() -> str:
    """Return a section for each group of options."""
    text = ""
    for group in parser()._action_groups:
        actions = [action for action in group._group_actions if action.option_strings]
        if not actions:
            continue
        title = "General" if group.title == "options" else group.title
        rows = "".join(f"| {spelling(action)} | {shown(action)} |\n" for action in actions)
        text += f"\n## {title}\n\n| option | what it does |\n|---|---|\n{rows}"
    return text


def shown(action: argparse.Action) -> str:
    """Return the help of an option as the cell of a table."""
    return (action.help or "").replace("|", "\\|")


PAGES: dict[str, Callable[[], str]] = {"rules.md": rules, "command-line.md": options}


def written(name: str) -> str:
    """Return a page with its tables as the code gives them.

    Raises:
        ValueError: the page has no place for them.
    """
    text, number = TABLES.subn(lambda _: f"{PAGES[name]()}\n", (DOCS / name).read_text("utf-8"))
    if number != 1:
        raise ValueError(f"{name}: no comments around the tables")
    return text


if __name__ == "__main__":
    for page in PAGES:
        (DOCS / page).write_text(written(page), "utf-8")
