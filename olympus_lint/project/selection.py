"""Rule selectors: codes, prefixes of codes, names, or ``ALL``."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from olympus_lint.project.spelling import nearest
from olympus_rules.rules import all_rules

PREFIX = "OLY"


class UnknownSelectorError(ValueError):
    """A selector matches no rule; the message names the nearest spelling."""

    def __init__(self, selector: str) -> None:
        """Look for the nearest code or name."""
        near = nearest(selector, [*all_rules(), *(rule.name for rule in all_rules().values())])
        hint = f"did you mean {near!r}? " if near else ""
        super().__init__(f"unknown rule {selector!r}; {hint}`olympus-lint --list-rules` lists the rules")


@cache
def expand(selector: str) -> frozenset[str]:
    """Return the codes that a selector matches.

    Raises:
        UnknownSelectorError: it matches no rule.
    """
    rules = all_rules()
    if selector == "ALL":
        return frozenset(rules)
    codes = frozenset(
        code
        for code, rule in rules.items()
        if rule.name == selector or (selector.startswith(PREFIX) and code.startswith(selector))
    )
    if not codes:
        raise UnknownSelectorError(selector)
    return codes


def selected_codes(select: Iterable[str] | None, extend_select: Iterable[str], ignore: Iterable[str]) -> frozenset[str]:
    """Return the codes of the active rules.

    The most specific selector decides (``OLY104`` before ``OLY1`` before ``ALL``); between equally specific ones,
    ``ignore`` does. If ``select`` is ``None``, the rules that are on by default are selected.

    Raises:
        UnknownSelectorError: a selector matches no rule.
    """
    on: dict[str, int] = {}
    if select is None:
        on = {code: 0 for code, rule in all_rules().items() if rule.default}
    for selector in [*(select or ()), *extend_select]:
        for code in expand(selector):
            on[code] = max(on.get(code, 0), specificity(selector))
    for selector in ignore:
        for code in expand(selector):
            if specificity(selector) >= on.get(code, 0):
                on.pop(code, None)
    return frozenset(on)


def specificity(selector: str) -> int:
    """Return how specific a selector is."""
    if selector == "ALL":
        return 0
    return len(selector) if selector.startswith(PREFIX) else len(min(expand(selector)))
