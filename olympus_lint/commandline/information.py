"""``--list-rules``, ``--explain`` and ``--show-settings``."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from urllib.parse import urljoin

import olympus_rules
from olympus_lint.project.selection import expand
from olympus_lint.project.settings import READERS, Settings, SettingsError
from olympus_lint.reporting.phrases import rule_url
from olympus_rules.finding import Confidence
from olympus_rules.rules import all_rules

__all__ = ["list_rules", "rule_page", "show_settings"]


def list_rules() -> str:
    """Return a table of all rules."""
    rules = all_rules().values()
    width = max(len(rule.name) for rule in rules)
    lines = (
        f"{rule.code}  {rule.name:<{width}}  {'on ' if rule.default else 'off'}  "
        f"{rule.fix.value if rule.fix else '-':<6}  {rule.summary}\n"
        for rule in rules
    )
    return f"{'code':<6}  {'name':<{width}}  on   fix     what it flags\n{''.join(lines)}"


def rule_page(selector: str) -> str:
    """Return the Markdown page of a rule by its code or name.

    Raises:
        SettingsError: there is no such rule, or no page was installed.
    """
    try:
        codes = expand(selector)
    except ValueError as error:
        raise SettingsError(f"--explain: {error}.") from None
    if len(codes) > 1:
        raise SettingsError(f"--explain: {selector!r} stands for several rules; name one of them.")
    name = all_rules()[min(codes)].name
    package = Path(olympus_rules.__file__).parent
    for folder in (package / "pages", package.parents[1] / "docs" / "rules"):  # in an installation, or in a checkout
        page = folder / f"{name}.md"
        if page.is_file():
            return for_readers(page.read_text(encoding="utf-8"), rule_url(name))
    raise SettingsError(f"--explain: the page of {name} was not installed; install olympus-lint again.")


def for_readers(page: str, address: str) -> str:
    """Return a rule's page without what only its test reads, and with links that lead somewhere from anywhere."""
    page = re.sub(r"^(```\w+) .*", r"\1", page, flags=re.M)  # what the test does with a block
    page = re.sub(r'( # error: \w+)(?: "[^"\n]*")+', r"\1", page)  # parts of the message
    return re.sub(r"\]\((?!\w+:)([^)\s]+)\)", lambda link: f"]({urljoin(address, link[1])})", page)


def show_settings(settings: Settings) -> str:
    """Return settings as TOML, with the active rules in a comment."""
    lines = [
        f"{item.name.replace('_', '-')} = {toml(getattr(settings, item.name))}\n"
        for item in fields(settings)
        if item.name in READERS and getattr(settings, item.name) is not None
    ]
    return f"# rules that are on: {', '.join(sorted(settings.codes))}\n{''.join(lines)}"


def toml(value: object) -> str:
    """Return the value of a setting as TOML."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(key)} = {toml(each)}' for key, each in value.items())}}}"
    if isinstance(value, Confidence):
        return json.dumps(value.label)
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
