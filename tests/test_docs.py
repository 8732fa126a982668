"""The pages of prose: their examples, what they say of settings, and their links."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from pages import plain, unmet
from tables import PAGES as PAGES_WITH_TABLES
from tables import written

from olympus_lint.commandline.options import parser
from olympus_lint.project.settings import READERS, TABLE_ONLY, Settings, from_table
from olympus_lint.reporting.formats import format_names
from olympus_lint.run.engine import lint_text
from olympus_rules.finding import Confidence
from olympus_rules.libraries import package_of, shipped

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")] + sorted(DOCS.rglob("*.md"))
PACK = DOCS / "example" / "packs" / "labkit.toml"
SETTINGS = (DOCS / "settings.md").read_text("utf-8")


def blocks(page: Path, language: str) -> Iterator[tuple[list[str], str]]:
    """Return what the fences of one language say, and what stands in them."""
    for token in MarkdownIt().parse(page.read_text("utf-8")):
        if token.type == "fence" and token.info.split()[:1] == [language]:
            yield token.info.split()[1:], token.content


CASES = sorted((ROOT / "tests" / "pages").glob("*.md"))

PAGES_WITH_EXAMPLES = (
    "comparison",
    "confidence",
    "deliberate-reuse",
    "frameworks",
    "index",
    "keys",
    "signature-packs",
    "suppressions",
)
EXAMPLES = [
    pytest.param(words, text, id=f"{name}-{number}")
    for name in PAGES_WITH_EXAMPLES
    for number, (words, text) in enumerate(blocks(DOCS / f"{name}.md", "python"))
]


@pytest.mark.parametrize(("words", "text"), EXAMPLES)
def test_examples_are_reported_as_marked(words: list[str], text: str):
    source, expected = plain(text)
    level = Confidence.POSSIBLE if "possible" in words else Confidence.LIKELY
    result = lint_text("example.py", source, Settings(min_confidence=level, signature_packs=[str(PACK)]))
    assert not result.errors
    assert unmet(expected, result.findings) == []


def test_the_pack_on_its_page_is_the_one_that_the_examples_use():
    (text,) = (text for words, text in blocks(DOCS / "signature-packs.md", "toml") if "pack" in words)
    assert text == PACK.read_text("utf-8")


def test_every_output_format_is_on_the_page():
    listed = re.findall(r"^\| `([\w-]+)` \|", SETTINGS.partition("\n### `output-format`\n")[2], re.MULTILINE)
    assert sorted(listed) == format_names()


def test_every_pack_is_on_the_page():
    listed = section(DOCS / "signature-packs.md", "Packs that come with olympus-lint")
    assert set(re.findall(r"`(\w+)`", listed)) == {package_of(path) for path in shipped()}


def test_the_tables_that_the_code_knows_are_written_anew():
    for name in PAGES_WITH_TABLES:
        assert written(name) == (DOCS / name).read_text("utf-8"), "`python -m tests.tables` writes them"


def section(page: Path, heading: str) -> str:
    """Return the text under a heading of the second level."""
    return page.read_text("utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("level", list(Confidence), ids=lambda level: level.label)
def test_examples_of_a_confidence_have_it(level: Confidence, tmp_path: Path):
    page = tmp_path / "section.md"
    page.write_text(section(DOCS / "confidence.md", level.label))
    sources = [plain(text)[0] for _, text in blocks(page, "python")]
    assert sources
    for source in sources:
        findings = lint_text("example.py", source, Settings(min_confidence=Confidence.POSSIBLE)).findings
        assert {finding.confidence for finding in findings} == {level}


def documented_settings() -> dict[str, str]:
    """Return the text about each setting by its name."""
    parts = re.split(r"^### `(.+)`$", SETTINGS, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_every_setting_is_documented():
    names = {item.name.replace("_", "-") for item in fields(Settings) if item.name in READERS}
    assert set(documented_settings()) == names


def test_each_option_of_ruff_is_in_the_table():
    """What is said to be the same is an option here, and what is said to be missing is none."""
    command = [sys.executable, "-m", "ruff", "check", "--help"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    theirs = set(re.findall(r"^ +(?:-\w, )?(--[\w-]+)", shown, re.MULTILINE)) | set(
        re.findall(r"^ +(-\w), --", shown, re.MULTILINE)
    )
    rows = re.findall(r"^\| (`-.+?) \| (.+) \|$", (DOCS / "ruff.md").read_text("utf-8"), re.MULTILINE)
    told = {option: said for options, said in rows for option in re.findall(r"`(-[\w-]+)`", options)}
    assert theirs - {"--respect-gitignore"} <= told.keys()
    ours = {option for action in parser()._actions for option in action.option_strings} | {"--respect-gitignore"}
    assert {option for option, said in told.items() if said.startswith("missing")} == told.keys() - ours


@pytest.mark.parametrize("name", documented_settings())
def test_documented_defaults_are_the_defaults(name: str):
    stated = re.search(r"^- Default: (.+)$", documented_settings()[name], re.MULTILINE)
    assert stated
    default = getattr(Settings(), name.replace("-", "_"))
    if default is None:
        assert "`" not in stated[1]
        return
    table = tomllib.loads(f"{name} = {stated[1].strip('`')}")
    (read,) = from_table(table, "", ROOT).values()
    assert read == (list(default) if isinstance(default, tuple) else default)


@pytest.mark.parametrize("name", documented_settings())
def test_examples_of_settings_are_accepted(name: str):
    example = re.search(r"```toml\n(.+?)```", documented_settings()[name], re.DOTALL)
    assert example
    table = tomllib.loads(example[1])["tool"]["olympus-lint"]
    assert from_table(table, "", DOCS / "example").keys() == {name.replace("-", "_")}


@pytest.mark.parametrize("name", [name for name in documented_settings() if name not in TABLE_ONLY])
def test_documented_options_are_options(name: str):
    options = {option for action in parser()._actions for option in action.option_strings}
    stated = re.search(r"^- Command line: (`.+`)$", documented_settings()[name], re.MULTILINE)
    spellings = {f"--{name}", f"--no-{name}"} & options
    assert set(re.findall(r"`(--[\w-]+)", stated[1] if stated else "")) == spellings


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES + CASES, ids=lambda page: page.relative_to(ROOT).with_suffix("").as_posix())
def test_links_lead_somewhere(page: Path):
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), target
