"""The rule pages are the rules' specification: each code block on them is run."""

from __future__ import annotations

import re

import pytest
from pages import Block, Page, all_blocks, all_pages, fix_problems, lint_problems

from olympus_lint.engine import fix_text, lint_text
from olympus_rules.rule import all_rules

FIRST = ("What it does", "Why is this bad?", "Example", "Use instead")
LAST = ("Known limits", "References")
BLOCKS = list(all_blocks())
PAGES = all_pages()

by_name = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def block_id(block: Block) -> str:
    """Return the id of a block's test."""
    return block.name


@pytest.mark.parametrize("block", BLOCKS, ids=block_id)
def test_block(block: Block) -> None:
    assert lint_problems(block, lint_text) == []


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.is_fix], ids=block_id)
def test_fix(block: Block) -> None:
    assert fix_problems(block, fix_text) == []


def test_each_rule_has_a_page_and_each_page_a_rule() -> None:
    rules = {(rule.name, f"{rule.name} ({code})") for code, rule in all_rules().items()}
    assert {(page.name, page.title) for page in PAGES} == rules


@by_name
def test_headings(page: Page) -> None:
    headings = tuple(section.heading for section in page.sections)
    assert headings[:4] == FIRST
    assert headings[-2:] == LAST
    pairs = headings[4:-2]
    for example, instead in zip(pairs[::2], pairs[1::2], strict=True):
        assert example.startswith("Example: ")
        assert instead == example.replace("Example", "Use instead", 1)
    assert len(set(headings)) == len(headings)


@by_name
def test_status_agrees_with_the_rule(page: Page) -> None:
    rule = next(rule for rule in all_rules().values() if rule.name == page.name)
    fix = rule.fix.value if rule.fix else "none"
    assert page.status == f"Default: {'on' if rule.default else 'off'}. Fix: {fix}."


@by_name
def test_a_rule_with_a_fix_shows_it(page: Page) -> None:
    fixes = {word for block in page.blocks for word in block.words & {"fix", "unsafe-fix"}}
    if "Fix: none" in page.status:
        assert not fixes
    else:
        assert ("fix" if "Fix: safe" in page.status else "unsafe-fix") in fixes


@by_name
def test_sections_show_what_they_say(page: Page) -> None:
    for section in page.sections:
        blocks = [block for block in page.blocks if block.heading == section.heading]
        marked = any(block.expectations for block in blocks)
        if section.heading.startswith("Use instead"):
            assert blocks and not marked, section.heading
        if re.match(r"Example\b", section.heading):
            assert marked, section.heading


def test_the_page_names_its_own_code_in_an_error_comment() -> None:
    silent = [p.name for p in PAGES if not any(e.code in p.title for b in p.blocks for e in b.expectations)]
    assert silent == []
