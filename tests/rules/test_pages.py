"""The rule pages and their corner cases are the rules' specification: each code block in them is run."""

from __future__ import annotations

import re

import pytest
from pages import Block, Page, all_blocks, all_cases, all_pages, fix_problems, lint_problems

from olympus_lint.run.engine import lint_text
from olympus_lint.run.fixing import fix_text
from olympus_rules.rules import all_rules

HEADINGS = (  # of a rule page, in this order
    "Example",
    "Use instead",
    "Why is this bad?",
    "What is flagged",
    "What is not flagged",
    "Fix",
    "Confidence",
    "Options",
    "Known limits",
    "See also",
)
OPTIONAL = {"Fix", "Confidence", "Options", "Known limits"}
MAX_ROWS = 120  # a page is read in a terminal, by somebody who has a finding
LAST_START = 25  # the row by which the mistake is shown
BLOCKS = list(all_blocks())
PAGES = all_pages()
CASES = all_cases()

by_name = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
of_both_sorts = pytest.mark.parametrize("page", PAGES + CASES, ids=lambda page: page.name)


def block_id(block: Block) -> str:
    """Return the id of a block's test."""
    return block.name


@pytest.mark.parametrize("block", BLOCKS, ids=block_id)
def test_block(block: Block) -> None:
    assert lint_problems(block, lint_text) == []


def test_every_mark_has_a_confidence() -> None:
    assert [(block.name, wanted) for block in BLOCKS for wanted in block.expectations if not wanted.confidence] == []


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.is_fix], ids=block_id)
def test_fix(block: Block) -> None:
    assert fix_problems(block, fix_text) == []


def test_each_rule_has_a_page_and_each_page_a_rule() -> None:
    rules = {(rule.name, f"{rule.name} ({code})") for code, rule in all_rules().items()}
    assert {(page.name, page.title) for page in PAGES} == rules


def test_corner_cases_belong_to_a_rule() -> None:
    titles = {page.title for page in PAGES}
    assert CASES
    for cases in CASES:
        assert cases.title in titles and cases.name == f"cases-{cases.rule}"
        assert cases.blocks


@by_name
def test_headings(page: Page) -> None:
    headings = [section.heading for section in page.sections]
    assert headings == [heading for heading in HEADINGS if heading in headings]
    assert set(HEADINGS) - OPTIONAL <= set(headings)
    assert ("Fix" in headings) == ("Fix: none" not in page.status)


@pytest.mark.parametrize("page", CASES, ids=lambda page: page.name)
def test_headings_of_corner_cases(page: Page) -> None:
    headings = [section.heading for section in page.sections]
    assert len(set(headings)) == len(headings)
    examples = [place for place, heading in enumerate(headings) if re.match(r"Example\b", heading)]
    instead = [place for place, heading in enumerate(headings) if heading.startswith("Use instead")]
    assert instead == [place + 1 for place in examples]
    for place in examples:
        assert headings[place + 1] == headings[place].replace("Example", "Use instead", 1)


@by_name
def test_a_page_is_short_and_starts_with_the_mistake(page: Page) -> None:
    assert page.rows <= MAX_ROWS
    assert page.blocks[0].row <= LAST_START
    assert page.blocks[0].expectations


@by_name
def test_summary_is_that_of_the_rule(page: Page) -> None:
    rule = next(rule for rule in all_rules().values() if rule.name == page.rule)
    assert page.summary == f"{rule.summary}."


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


@of_both_sorts
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
