"""What a witness says of the programs of the rule pages and corner cases: findings, and places without a finding."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest
from pages import Block, Expectation, all_cases, all_pages, settings

from olympus_lint.run.engine import lint_text
from olympus_lint.tracing.judging import question
from olympus_rules.rules import all_rules

pytest.importorskip("jax", reason="a witness is traced with JAX")

from olympus.verdicts import Place, Question, Verdict
from olympus.verdicts.judge import WORDS
from olympus.verdicts.reasons import Reason
from olympus.witness.answer import answer
from olympus.witness.execution import Target

BLOCKS = {  # by rule, those of its page and of its corner cases
    page.rule: [block for each in (*all_pages(), *all_cases()) if each.rule == page.rule for block in each.blocks]
    for page in all_pages()
    if any(rule.name == page.rule and rule.events for rule in all_rules().values())
}
UNDECIDED = {  # examples of which their file alone does not say what is there: another block is the file that does
    ("key-reuse", "Example: functions out of sight"),
    ("key-arithmetic", "A parameter that is only called `key`"),
    ("key-indexing", "A parameter that is only called `key`"),
}

PARTLY = {  # a witness compares what it computes itself: no data of a caller or object, nor what a later call gets
    ("derivation-collision", "Example: a callee out of sight"),
    ("key-reuse", "Copies with names that are not known"),
    ("key-reuse", "Example: the next state"),
    ("key-reuse", "Generators out of sight"),
    ("key-reuse", "Two keys of one seed"),
}

CODES = {  # the rules whose findings are forced on what a page says to use instead
    "key-indexing": ("OLY101",),
    "key-arithmetic": ("OLY102",),
    "key-transposition": ("OLY103",),
    "key-reuse": ("OLY104",),
    "derivation-collision": ("OLY108", "OLY104"),
}

KEPT_APART = {  # examples whose branches or methods keep places apart: the key flow asks nothing about them
    "Use instead: attributes",
    "Use instead: branches",
    "Use instead: conditionals of `jax.lax`",
    "Use instead: loops",
    "Use instead: the next state",
}

OPEN = (Reason.LATER, Reason.LOOP, Reason.CHILDREN, Reason.WHICH)  # why an execution does not stand for all
OF_ANY_LENGTH = re.compile(r"\b(for|while|scan|fori_loop|while_loop|map)\b|split\(\w+, [a-z]")

by_page = pytest.mark.parametrize("name", BLOCKS)


def verdicts(block: Block, folder: Path, questions: list[Question]) -> list[Verdict]:
    """Return what a witness says of places in a block."""
    file = path(block, folder)
    file.write_text(block.source, "utf-8")
    return answer(Target(str(file), block.source, file.stem, "", folders=(folder,)), questions)


def path(block: Block, folder: Path) -> Path:
    return folder / f"{block.name.replace('-', '_')}.py"


def own(block: Block) -> list[Expectation]:
    """Return the findings of the page's rule that a block expects."""
    return [each for each in block.expectations if each.code == block.code]


def judged(block: Block, file: Path) -> list[Verdict]:
    """Return what a witness says of the findings in a file with a block's program."""
    file.write_text(block.source, "utf-8")
    found = [f for f in lint_text(str(file), block.source, settings(block)).findings if f.code == block.code]
    assert len(found) == len(own(block))
    return answer(Target(str(file), block.source, file.stem, "", folders=(file.parent,)), list(map(question, found)))


@by_page
def test_every_example_is_confirmed(name: str, tmp_path: Path) -> None:
    asked = 0
    for block in BLOCKS[name]:
        for verdict in judged(block, path(block, tmp_path)):
            decided = (name, block.heading) not in UNDECIDED
            right = {"confirmed"} if decided else {"inconclusive", "not reached"}
            right |= {"inconclusive"} if (name, block.heading) in PARTLY else set()
            assert verdict.status in right, (block, verdict)
            asked += 1
    assert asked == sum(len(own(block)) for block in BLOCKS[name])


@pytest.mark.parametrize(("name", "heading"), sorted(UNDECIDED))
def test_what_one_file_leaves_open_is_confirmed_in_a_project(name: str, heading: str, tmp_path: Path) -> None:
    blocks = [block for block in BLOCKS[name] if block.heading == heading]
    (beside,) = [block for block in blocks if block.beside]
    (tmp_path / "pyproject.toml").write_text("", "utf-8")
    (tmp_path / beside.beside).write_text(beside.source, "utf-8")
    examples = [block for block in blocks if block.expectations]
    assert examples
    for block in examples:
        statuses = [verdict.status for verdict in judged(block, tmp_path / "example.py")]
        assert statuses == ["confirmed"] * len(block.expectations), block


def calls(block: Block) -> list[ast.Call]:
    """Return the calls of a block that take a key, in the order of the text."""
    tree, taken = ast.parse(block.source), []
    classes = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = ast.unparse(node.func)
            given = [ast.unparse(each) for each in (*node.args, *(keyword.value for keyword in node.keywords))]
            random = re.fullmatch(r"jax\.random\.(?!key\b|PRNGKey|key_data)\w+", function)
            named = any(re.fullmatch(r"\w*(key|rng)", each) for each in given)
            if random or (isinstance(node.func, ast.Name) and function not in classes and named):
                taken.append(node)
    return sorted(taken, key=lambda node: (node.lineno, node.col_offset))


def uses(block: Block, code: str, file: Path) -> Iterator[Question]:
    """Return the questions of OLY104 or OLY108: about each two calls, in both orders."""
    for first, second in permutations(calls(block), 2):
        derived = {ast.unparse(node.func).rpartition(".")[2] for node in (first, second)} <= {"split", "fold_in"}
        if code == "OLY104" or derived:
            yield Question(code, place(second, file), place(first, file), certain=True)


def words(block: Block, code: str, file: Path) -> Iterator[Question]:
    """Return the questions of OLY101 to OLY103: about what such a rule looks at; without that, about calls."""
    found: list[ast.expr] = []
    for node in ast.walk(ast.parse(block.source)):
        match code, node:
            case "OLY101", ast.Subscript(ctx=ast.Load()):
                found.append(node)
            case "OLY101", ast.Assign(targets=[ast.Tuple() as target], value=ast.Call()):
                found.append(target)
            case "OLY102", ast.BinOp() | ast.Call(func=ast.Attribute(attr="sum" | "astype" | "max" | "set")):
                found.append(node)
            case "OLY103", ast.Call(func=ast.Call() | ast.Attribute(attr="moveaxis" | "swapaxes")):
                found.append(node)
    yield from (Question(code, place(node, file)) for node in found or calls(block))


def place(node: ast.expr, file: Path) -> Place:
    assert node.end_lineno is not None and node.end_col_offset is not None
    return Place(str(file), node.lineno, node.col_offset + 1, node.end_lineno, node.end_col_offset + 1)


@by_page
def test_forced_findings_on_what_to_use_instead_are_refuted_or_left_open_by_lengths(name: str, tmp_path: Path) -> None:
    for block in BLOCKS[name]:
        if block.expectations or not block.heading.startswith("Use instead"):
            continue
        ask = words if CODES[name][0] in WORDS else uses
        asked = [each for code in CODES[name] for each in ask(block, code, path(block, tmp_path))]
        assert asked or len(calls(block)) < 2, "two calls with keys could be taken for a reuse"
        for each, verdict in zip(asked, verdicts(block, tmp_path, asked), strict=True):
            about = block.source.splitlines()[each.place.line - 1].strip(), each, verdict
            apart = verdict.status == "not reached" and each.other is not None and block.heading in KEPT_APART
            undecided = verdict.status in ("inconclusive", "not reached")
            left_open = undecided and (verdict.reason in OPEN or OF_ANY_LENGTH.search(block.source))
            assert verdict.status == "refuted" or apart or left_open, about
