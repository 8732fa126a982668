"""``--list-rules``, ``--explain`` and ``--show-settings``."""

from __future__ import annotations

import json
from dataclasses import fields

from olympus_lint.project.selection import expand
from olympus_lint.project.settings import READERS, Settings, SettingsError
from olympus_lint.reporting.pages import page_of
from olympus_rules.finding import Confidence
from olympus_rules.rules import all_rules


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
    page = page_of(name)
    if page is None:
        raise SettingsError(f"--explain: the page of {name} was not installed; install olympus-lint again.")
    return page


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
