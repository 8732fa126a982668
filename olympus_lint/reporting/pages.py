"""The pages of the rules, as they are installed."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urljoin

import olympus_rules
from olympus_lint.reporting.phrases import rule_url


def page_of(name: str) -> str | None:
    """Return the Markdown page of a rule for readers anywhere, ``None`` if it was not installed."""
    package = Path(olympus_rules.__file__).parent
    for folder in (package / "pages", package.parents[1] / "docs" / "rules"):  # in an installation, or in a checkout
        page = folder / f"{name}.md"
        if page.is_file():
            return for_readers(page.read_text(encoding="utf-8"), rule_url(name))
    return None


def for_readers(page: str, address: str) -> str:
    """Return a rule's page without what only its test reads, and with links that lead somewhere from anywhere."""
    page = re.sub(r"^(```\w+) .*", r"\1", page, flags=re.M)  # what the test does with a block
    page = re.sub(r'( # error: OLY\d+(?: \w+)?) "[^"\n]*"', r"\1", page)  # parts of the message
    return re.sub(r"\]\((?!\w+:)([^)\s]+)\)", lambda link: f"]({urljoin(address, link[1])})", page)
