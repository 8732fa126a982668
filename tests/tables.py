"""Writes the tables of pages that the code knows, and the schema of the settings: ``python -m tests.tables``."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
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


def settings() -> str:
    """Return a row for each setting: its name, what it is, its default and its options."""
    rows = ""
    for name, text in parts("settings.md", r"### `(.+)`"):
        default, *option = (
            line.partition(": ")[2]
            for line in text.splitlines()
            if line.startswith(("- Default: ", "- Command line: "))
        )
        shown = default if len(default) < 60 else f"[see there](#{name})"
        rows += f"| [`{name}`](#{name}) | {first_sentence(text)} | {shown} | {''.join(option)} |\n"
    return f"\n| setting | what it is | default | command line |\n|---|---|---|---|\n{rows}"


BEHAVIOUR = {
    "same": "the same result",
    "differs": "another result",
    "raises": "`{}`",
    "broken": "`{}`, as it stands",
    "not-run": "depends on a library",
}


def breaks() -> str:
    """Return a row for each section: the code, what typed keys do to its programs, and its rules."""
    rows = ""
    for title, text in parts("migration-breaks.md", r"### (.+)"):
        does, rules = [], re.findall(r"\[(OLY\d+)\]\((.+?)\)", text)
        for word, error in re.findall(r"^```python before ([\w-]+)=?(\w*)", text, re.M):
            does.append(BEHAVIOUR[word].format(error))
        links = ", ".join(f"[{code}]({page})" for code, page in dict.fromkeys(rules))
        rows += f"| [{title}](#{slug(title)}) | {', '.join(dict.fromkeys(does))} | {links} |\n"
    return f"\n| code | with typed keys | rules |\n|---|---|---|\n{rows}"


def parts(page: str, heading: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each section of a page that has a heading of a form."""
    found = re.split(rf"^{heading}$", (DOCS / page).read_text("utf-8"), flags=re.M)[1:]
    for name, text in zip(found[::2], found[1::2], strict=True):
        yield name, re.split(r"^## ", text, flags=re.M)[0]


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, without links and without its end."""
    line = re.sub(r"\[(.+?)\]\(.+?\)", r"\1", text.strip().splitlines()[0])
    return re.split(r"\.(?: |$)", line)[0]


def slug(heading: str) -> str:
    """Return the anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


PAGES: dict[str, Callable[[], str]] = {
    "rules.md": rules,
    "command-line.md": options,
    "settings.md": settings,
    "migration-breaks.md": breaks,
}


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
    from tests import settings_schema

    settings_schema.FILE.write_text(settings_schema.text(), "utf-8")
