"""The page on what typed keys break: its programs are migrated, and run with raw and with typed keys.

The blocks of a section come in pairs. The words after ``python`` in the fence of the first, ``before``:

* ``raises=NAME``: with typed keys it raises this error,
* ``differs``: with typed keys it goes on, and gives another result,
* ``same``: with typed keys it gives the same result,
* ``broken=NAME``: as it stands, it raises this error,
* ``not-run``: it needs a library that the tests do not install, and is migrated only,
* ``threefry``: it works with the default generator only; the others are run with ``rbg`` as well,
* ``rbg``: it works where ``rbg`` is the default only; with typed keys the second gives the same with any default.

And in that of the second, ``after``:

* ``migrated``: it is exactly what ``--migrate`` makes of the first, and the report says that nothing is left,
* ``noted``: the same, and the report speaks of the place,
* ``by-hand``: it is not what ``--migrate`` makes, whose report speaks of the place,
* ``unseen``: the same, and the report does not speak of it,
* ``typed-only``: it is for typed keys, and not run with raw ones,
* ``new-numbers``: it draws other numbers than the first, the same with both kinds.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from migrated import BOTH, outcome

from olympus_lint.cli import main
from olympus_lint.project.settings import Settings
from olympus_lint.run.engine import lint_text
from olympus_rules.finding import Confidence

PAGE = Path(__file__).parents[2] / "docs" / "migration-breaks.md"
BEHAVIOUR = {"raises", "differs", "same", "broken", "not-run"}
ORIGIN = {"migrated", "noted", "by-hand", "unseen"}
WORDS = {"before": BEHAVIOUR | {"threefry", "rbg"}, "after": ORIGIN | {"typed-only", "new-numbers"}}

# Each sort of code that breaks, and the section about it.
HEADINGS = {
    "B01": "The constructor",
    "B02": "The constructor as a value",
    "B03": "The constructor as a type",
    "B04": "Types that JAX has removed",
    "B05": "Classes of keys in `isinstance`",
    "B06": "The dtype as a type, and words in jaxtyping",
    "B07": "Helpers that JAX has removed",
    "B08": "A raw key of another generator",
    "B09": "A name of the project that looks like the constructor",
    "B10": "Documentation, notebooks and docstrings",
    "B11": "The shape of a batch",
    "B12": "A test for a key by its shape",
    "B13": "One key or several",
    "B14": "Length, unpacking and loops over one key",
    "B15": "A reshape that names the words",
    "B16": "A reshape that leaves the words to `-1`",
    "B17": "Copies of a key",
    "B18": "An index behind the batch",
    "B19": "A mask with an axis for the words",
    "B20": "Numbers of axes",
    "B21": "Buffers for keys",
    "B22": "Abstract keys",
    "B23": "Shardings",
    "B24": "Signatures of `vectorize`",
    "B25": "Axes that are mapped last",
    "B26": "Comparison of dtypes",
    "B27": "Functions of numpy on dtypes",
    "B28": "Names of dtypes",
    "B29": "Arithmetic, casts and views",
    "B30": "Equality",
    "B31": "Assertions",
    "B32": "Truth, bytes and lists",
    "B33": "Raw and typed keys in one value",
    "B34": "Numbers among keys",
    "B35": "Collectives and arithmetic on whole trees",
    "B36": "Trees that become one vector",
    "B37": "Gradients",
    "B38": "Keys of zeros",
    "B39": "Objects that hold a key",
    "B40": "Conversion to numpy",
    "B41": "Other generators",
    "B42": "Files",
    "B43": "Old checkpoints",
    "B44": "Pickle",
    "B45": "What is fetched and printed",
    "B46": "Callbacks",
    "B47": "Exported functions",
    "B48": "Libraries that take raw keys only",
    "B49": "Numbers in tests",
    "B50": "Code that takes both kinds",
}


@dataclass(frozen=True, slots=True)
class Block:
    """A Python block: its row, its text, and the words of its fence with what stands behind ``=``."""

    row: int
    text: str
    words: dict[str, str]


@dataclass(frozen=True, slots=True)
class Example:
    """A program for raw keys, and the one for both kinds."""

    before: Block
    after: Block

    @property
    def impls(self) -> tuple[str, ...]:
        """Return the generators that the first program works with."""
        return tuple(impl for impl in BOTH if self.only in ("", impl))

    @property
    def only(self) -> str:
        """Return the generator that has to be the default for the first program, empty if it may be any."""
        only = {"threefry": "threefry2x32", "rbg": "rbg"}
        return "".join(only[word] for word in self.before.words.keys() & only.keys())


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under a heading: its paragraphs as one text, and its examples."""

    prose: str
    examples: list[Example]


def read(text: str) -> dict[str, Section]:
    """Return the sections of a page by the headings of the third level."""
    heading, prose = "", defaultdict[str, str](str)
    blocks: dict[str, list[Block]] = {}
    tokens = MarkdownIt().parse(text)
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open":
            heading = following.content if following is not None and token.tag == "h3" else ""
            assert heading not in blocks, f"{heading}: twice on the page"
            if heading:
                blocks[heading] = []
        elif token.type == "fence":
            assert token.info.split()[0] == "python" and token.map is not None
            words = dict(word.partition("=")[::2] for word in token.info.split()[1:])
            blocks[heading].append(Block(token.map[0] + 1, token.content, words))
        elif token.type == "paragraph_open" and following is not None:
            prose[heading] += f"{following.content}\n"
    return {heading: Section(prose[heading], _paired(each)) for heading, each in blocks.items()}


def _paired(blocks: list[Block]) -> list[Example]:
    pairs = [Example(*pair) for pair in zip(blocks[::2], blocks[1::2], strict=True)]
    for pair in pairs:
        for role, block in (("before", pair.before), ("after", pair.after)):
            row, words = block.row, block.words.keys() - {role}
            assert role in block.words and words <= WORDS[role], f"row {row}: wrong words in the fence"
            assert len(words & (BEHAVIOUR | ORIGIN)) == 1, f"row {row}: one word of what it does, or is, is needed"
    return pairs


SECTIONS = read(PAGE.read_text("utf-8"))
EXAMPLES = [
    pytest.param(example, id=f"{re.sub(r'[^a-z0-9]+', '-', heading.lower()).strip('-')}-{example.before.row}")
    for heading, section in SECTIONS.items()
    for example in section.examples
]


def test_each_sort_of_break_has_its_section() -> None:
    assert list(HEADINGS) == [f"B{number:02}" for number in range(1, 51)]
    assert sorted(HEADINGS.values()) == sorted(SECTIONS)
    assert all(section.prose and section.examples for section in SECTIONS.values())


@pytest.mark.parametrize("section", SECTIONS.values(), ids=[example.replace(" ", "-") for example in SECTIONS])
def test_a_section_says_how_its_programs_break(section: Section) -> None:
    for before in (example.before.words for example in section.examples):
        error = before.get("raises") or before.get("broken")
        assert error is None or f"`{error}`" in section.prose
        assert "differs" not in before or re.search("without an error|silently", section.prose)


@pytest.mark.parametrize("section", SECTIONS.values(), ids=[example.replace(" ", "-") for example in SECTIONS])
def test_the_rules_of_a_section_speak_of_its_programs(section: Section) -> None:
    settings = Settings(select=("OLY",), min_confidence=Confidence.POSSIBLE)
    texts = [example.before.text for example in section.examples]
    spoken = {finding.code for text in texts for finding in lint_text("program.py", text, settings).findings}
    assert set(re.findall(r"\[(OLY\d{3})\]", section.prose)) <= spoken
    breaks = any(example.before.words.keys() & {"raises", "differs"} for example in section.examples)
    seen = any("unseen" not in example.after.words for example in section.examples)
    assert "[OLY" in section.prose or not (breaks and seen)


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_migration_gives_what_the_page_shows(example: Example, tmp_path: Path) -> None:
    new, is_reported = migrated(example.before.text, tmp_path)
    (origin,) = example.after.words.keys() & ORIGIN
    assert is_reported == (origin in ("noted", "by-hand"))
    assert (new == example.after.text) == (origin in ("migrated", "noted")), new


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_form_for_both_kinds_has_nothing_left_to_migrate(example: Example, tmp_path: Path) -> None:
    new, _ = migrated(example.after.text, tmp_path)
    assert new == example.after.text
    assert not re.search(r"\b(random|jr)\.PRNGKey", new)


def migrated(text: str, folder: Path) -> tuple[str, bool]:
    """Return what the command makes of a program, and whether its report has something that is left."""
    program, report = folder / "program.py", folder / "report.json"
    program.write_text(text, "utf-8")
    status = main(["--migrate", "--fix", "--output-format", "json", "--output-file", str(report), str(program)])
    told = json.loads(report.read_text("utf-8"))
    is_reported = bool(told["left"]) or any(each["held_back_by"] + each["to_check"] for each in told["constructors"])
    assert status in (0, 1)
    return program.read_text("utf-8"), is_reported


@pytest.mark.parametrize("example", [each for each in EXAMPLES if "not-run" not in each.values[0].before.words])
def test_the_programs_do_what_the_page_says(example: Example) -> None:
    pytest.importorskip("jax", reason="needs JAX, the extra `trace`")
    before, after = example.before, example.after
    for impl in example.impls:
        old = outcome(before.text, typed=False, impl=impl)
        results = results_after(after, impl)
        expected = results[0] if "broken" in before.words or "new-numbers" in after.words else old
        assert not isinstance(expected, Exception), expected
        assert all(result == expected for result in results), results
        assert "new-numbers" not in after.words or expected != old
        assert_breaks(before, impl)
        if example.only == "rbg":
            assert isinstance(outcome(before.text, typed=False), Exception)
            assert outcome(after.text, typed=False) == expected


def results_after(block: Block, impl: str) -> list[list[object] | Exception]:
    """Run a program for both kinds with typed keys, with raw ones, and with ``PRNGKey`` that makes typed ones."""
    found = [outcome(block.text, typed=False, impl=impl)]
    if "typed-only" not in block.words:
        old = re.sub(r"\b(random|jr)\.key\b", r"\1.PRNGKey", block.text)
        assert "PRNGKey" in old
        found += [outcome(old, typed=typed, impl=impl) for typed in (False, True)]
    return found


def assert_breaks(block: Block, impl: str) -> None:
    """Assert that a program for raw keys does with typed ones what its fence says."""
    raw, typed = (outcome(block.text, typed=typed, impl=impl) for typed in (False, True))
    if "broken" in block.words:
        assert type(raw).__name__ == block.words["broken"]
        return
    assert not isinstance(raw, Exception), raw
    if "raises" in block.words:
        assert type(typed).__name__ == block.words["raises"]
    elif "differs" in block.words:
        assert not isinstance(typed, Exception), typed
        assert typed != raw
    else:
        assert typed == raw
