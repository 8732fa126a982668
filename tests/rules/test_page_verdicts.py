"""What a witness says of the programs on the rule pages: of the findings, and of places at which there is none."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest
from pages import Block, all_pages, settings

from olympus_lint.engine import lint_text
from olympus_lint.tracing.judging import JUDGED, question

pytest.importorskip("jax", reason="a witness is traced with JAX")

from olympus.verdicts import Place, Question, Verdict
from olympus.witness.answer import answer
from olympus.witness.execution import Target

PAGES = {page.name: page for page in all_pages() if any(f"({code})" in page.title for code in JUDGED)}
UNDECIDED = {  # examples of which nobody can say what is there: an import out of sight, a parameter with a name alone
    ("key-reuse", "Example: functions out of sight"),
    ("key-arithmetic", "Known limits"),
    ("key-indexing", "Known limits"),
}

# Why a block cannot be refuted as a whole: how often a loop runs is not known, or which items of an array are meant; a
# key that is an argument may be one that is made of a number; a place in a method, in an inner function or in a handler
# may be come to again, or not at all.
LOOP = "how often a loop runs is not known"
ITEMS = "it is not known which keys are used there"
ROOTS = "it is not known whether the keys there come from one"
OTHERS = "it is not known whether a key is there"
NEVER = "no execution comes there"
LEFT = {
    ("derivation-collision", "Use instead: the same data in every pass"): {LOOP, NEVER},
    ("key-reuse", "Use instead: comprehensions"): {LOOP, NEVER},
    ("key-reuse", "Use instead: containers and unpacking"): {ITEMS, ROOTS, NEVER},
    ("key-reuse", "Use instead: loops"): {LOOP, NEVER},
    ("key-transposition", "Use instead: several arguments"): {OTHERS},
    ("key-transposition", "Use instead: transposing a key array"): {OTHERS},
}

by_page = pytest.mark.parametrize("name", PAGES)


def verdicts(block: Block, folder: Path, questions: list[Question]) -> list[Verdict]:
    """Return what a witness says of places in a block."""
    file = path(block, folder)
    file.write_text(block.source, "utf-8")
    return answer(Target(str(file), block.source, file.stem, ""), questions)


def path(block: Block, folder: Path) -> Path:
    return folder / f"{block.name.replace('-', '_')}.py"


@by_page
def test_every_example_is_confirmed(name: str, tmp_path: Path) -> None:
    asked = 0
    for block in PAGES[name].blocks:
        file = path(block, tmp_path)
        found = [f for f in lint_text(str(file), block.source, settings(block)).findings if f.code == block.code]
        asked += len(found)
        for finding, verdict in zip(found, verdicts(block, tmp_path, [question(f) for f in found]), strict=True):
            decided = (name, block.heading) not in UNDECIDED
            wanted = {"confirmed"} if decided else {"inconclusive", "not reached"}
            assert verdict.status in wanted, (block.name, finding.span, verdict.reason)
    assert asked == sum(len(block.expectations) for block in PAGES[name].blocks)


def calls(block: Block) -> list[ast.Call]:
    """Return the calls of a block that take a key, in the order of the text: of ``jax.random``, and of the block."""
    tree = ast.parse(block.source)
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    taken = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            function, argument = ast.unparse(node.func), ast.unparse(node.args[0])
            random = re.fullmatch(r"jax\.random\.(?!key\b|PRNGKey|key_data)\w+", function)
            if random or (function in own and re.fullmatch(r"\w*(key|rng)", argument)):
                taken.append(node)
    return sorted(taken, key=lambda node: (node.lineno, node.col_offset))


def pairs(block: Block, file: Path) -> Iterator[Question]:
    """Return the questions of OLY104 and OLY108 of a block: about each two calls, in both orders."""
    for first, second in permutations(calls(block), 2):
        yield Question("OLY104", place(second, file), place(first, file), certain=True)
        if {ast.unparse(node.func).rpartition(".")[2] for node in (first, second)} <= {"split", "fold_in"}:
            yield Question("OLY108", place(second, file), place(first, file), certain=True)


def words(block: Block, file: Path) -> Iterator[Question]:
    """Return the questions of OLY101 to OLY103 of a block."""
    for node in ast.walk(ast.parse(block.source)):
        match node:
            case ast.Subscript(ctx=ast.Load()):
                yield Question("OLY101", place(node, file))
            case ast.Assign(targets=[ast.Tuple() as target], value=ast.Call()):
                yield Question("OLY101", place(target, file))
            case ast.BinOp() | ast.Call(func=ast.Attribute(attr="sum" | "astype" | "max")):
                yield Question("OLY102", place(node, file))
            case ast.Call(func=ast.Call(func=ast.Attribute(attr="vmap")) | ast.Attribute(attr="swapaxes")):
                yield Question("OLY103", place(node, file))


def place(node: ast.expr, file: Path) -> Place:
    assert node.end_lineno is not None and node.end_col_offset is not None
    return Place(str(file), node.lineno, node.col_offset + 1, node.end_lineno, node.end_col_offset + 1)


@by_page
def test_what_to_use_instead_is_refuted_if_its_findings_are_forced(name: str, tmp_path: Path) -> None:
    ask = pairs if name in ("key-reuse", "derivation-collision") else words
    refuted: dict[str, int] = {}
    for block in PAGES[name].blocks:
        if block.expectations or not block.heading.startswith("Use instead"):
            continue
        asked = list(ask(block, path(block, tmp_path)))
        for each, verdict in zip(asked, verdicts(block, tmp_path, asked), strict=True):
            about = block.source.splitlines()[each.place.line - 1].strip(), each, verdict
            assert verdict.status != "confirmed", about
            if verdict.status != "refuted":
                assert verdict.reason in LEFT.get((name, block.heading), ()), about
            refuted[block.heading] = refuted.get(block.heading, 0) + (verdict.status == "refuted")
    known = [heading for page, heading in LEFT if page == name]
    assert refuted
    assert all(count for heading, count in refuted.items() if heading not in known), refuted
