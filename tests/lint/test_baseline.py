"""Baselines: what a project had before, and what is new."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Outcome
from searches import each_once
from test_manifest import FILES

Run = Callable[..., Outcome]
REUSE = FILES["pkg/reuse.py"]


@pytest.fixture(autouse=True)
def files(project: Path, run: Run) -> None:
    for name, text in FILES.items():
        path = Path(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    told = run(".", "--write-baseline", "known.json")
    assert (told.status, told.out, told.err) == (0, "", "Wrote 3 findings to known.json.\n")


@pytest.mark.parametrize("paths", [["."], ["pkg", "book.ipynb"], ["pkg/reuse.py"], [str(Path("pkg").name), "."]])
@pytest.mark.parametrize("output", ["full", "json", "sarif", "github", "gitlab"])
def test_what_is_known_is_not_reported(run: Run, paths: list[str], output: str) -> None:
    told = run(*paths, "--baseline", "known.json", "--output-format", output)
    assert told.status == 0 and "OLY104" not in told.out.replace('"id": "OLY104"', "")
    assert " in the baseline known.json, and not reported.\n" in told.err


def test_absolute_paths_are_the_same_files(run: Run, project: Path) -> None:
    assert run(str(project), "--baseline", str(project / "known.json")).status == 0
    assert run(str(project / "pkg"), "--baseline", "known.json").status == 0


def test_moved_lines_are_known(run: Run) -> None:
    Path("pkg/reuse.py").write_text("# a comment\n\n" + REUSE)
    book = json.loads(Path("book.ipynb").read_text())
    book["cells"].insert(0, {"cell_type": "markdown", "metadata": {}, "source": ["text"]})
    book["cells"][1]["source"].insert(0, "x = 1\n")
    Path("book.ipynb").write_text(json.dumps(book))
    assert run(".", "--baseline", "known.json").status == 0


def test_one_more_of_the_same_is_new(run: Run) -> None:
    Path("pkg/reuse.py").write_text(REUSE + "\n\n" + REUSE.split("\n\n\n")[1].replace("def f", "def g"))
    told = run(".", "--baseline", "known.json", "--output-format", "concise")
    assert told.status == 1 and told.out.count("OLY104") == 1
    assert "note: 3 findings are in the baseline known.json, and not reported.\n" in told.err


TWICE = """\
import jax


def f(key, other):
    x = jax.random.normal(key)
    y = jax.random.normal(key)
    return x, y
"""
AFTER = "    return x, y\n"
THIRD = "    z = jax.random.uniform(key)\n    return x, y, z\n"
LOOP = """\
import jax


def f(key, batches):
    total = 0.0
    for batch in batches:
        total += jax.random.normal(key)
    return total
"""
MORE = {
    "after the pair": (TWICE, TWICE.replace(AFTER, THIRD), ["8 6"]),
    "two more": (TWICE, TWICE.replace(AFTER, f"    w = jax.random.bits(key)\n{THIRD}"), ["8 6 9"]),
    "between": (TWICE, TWICE.replace("    y =", "    z = jax.random.uniform(key)\n    y ="), ["7 6"]),
    "before the first use": (TWICE, TWICE.replace("    x =", "    w = jax.random.bits(key)\n    x ="), ["7 6"]),
    "with the same text": (TWICE, TWICE.replace(AFTER, f"    y = jax.random.normal(key)\n{AFTER}"), ["8 6"]),
    "another first use": (TWICE, TWICE.replace("x = jax.random.normal", "x = jax.random.bits"), []),
    "other names": (TWICE, TWICE.replace("other", "unrelated").replace("x =", "first ="), []),
    "moved lines": (TWICE, TWICE.replace("    x =", "    print(1)\n\n    x ="), []),
    "another key": (
        TWICE,
        TWICE.replace(AFTER, "    return jax.random.bits(other), jax.random.normal(other)\n"),
        ["8 8"],
    ),
    "in a call of several lines": (
        TWICE,
        TWICE.replace(AFTER, "    z = jax.random.uniform(\n        key,\n    )\n    return x, y, z\n"),
        ["8 6"],
    ),
    "after a loop": (LOOP, LOOP.replace("return total", "return total + jax.random.bits(key)"), ["9 8"]),
    "in a loop": (LOOP, LOOP.replace("    return", "        total += jax.random.uniform(key)\n    return"), ["9 8"]),
}


@pytest.mark.parametrize(("change", "kind"), each_once(MORE, ["python", "notebook", "merge", "cache", "python"]))
def test_a_further_place_is_new(run: Run, change: str, kind: str) -> None:
    """A baseline knows the places that consume a key again, and not the key."""
    before, after, wanted = MORE[change]
    name = "book.ipynb" if kind == "notebook" else "pkg/reuse.py"

    def write(text: str) -> None:
        cell = {**json.loads(FILES["book.ipynb"])["cells"][0], "source": ["\n", *text.splitlines(True)]}
        book = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
        Path(name).write_text(book if kind == "notebook" else "\n" + text)

    write(before)
    run(name, "--write-baseline", "known.json")
    assert run(name, "--baseline", "known.json").status == 0
    write(after)
    arguments = [name]
    if kind == "merge":
        run(name, "--output-format", "json", "-o", "1.json")
        arguments = ["--merge", "1.json"]
    elif kind == "cache":
        run(name)
    told = run(*arguments, "--baseline", "known.json", "--output-format", "json")
    rows = [
        " ".join(str(place["location"]["row"]) for place in (each, *each["related"])) for each in json.loads(told.out)
    ]
    assert rows == wanted
    said = [each["message"] for each in json.loads(told.out)]
    assert [f"on line {each.split()[1]}" in text for each, text in zip(wanted, said, strict=True)] == [True] * len(said)
    run(name, "--write-baseline", "known.json")
    assert run(name, "--baseline", "known.json").status == 0


def test_what_is_gone_is_told(run: Run) -> None:
    Path("pkg/reuse.py").write_text("x = 1\n")
    Path("book.ipynb").unlink()
    told = run(".", "--baseline", "known.json")
    gone = "note: 2 findings of the baseline known.json are gone; take them out with --write-baseline known.json.\n"
    assert told.status == 0 and gone in told.err
    assert "gone" not in run("pkg/uses.py", "--baseline", "known.json", "-q").err
    assert "note: 1 finding of the baseline known.json is gone; take it out" in (
        run("pkg/uses.py", "--baseline", "known.json").err  # the notebook is, and the other file was not checked
    )
    assert "Wrote 1 finding to known.json." in run(".", "--write-baseline", "known.json").err
    assert "gone" not in run(".", "--baseline", "known.json").err


def test_the_setting(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("olympus-lint.toml").write_text("baseline = 'known.json'\n")
    assert run(".").status == 0
    monkeypatch.chdir("pkg")
    told = run(".")
    assert told.status == 0 and "in the baseline ../known.json" in told.err
    assert run(".", "--isolated").status == 1


def test_invalid_syntax_is_always_reported(run: Run) -> None:
    Path("pkg/broken.py").write_text("import jax\ndef def\n")
    run(".", "--write-baseline", "known.json")
    told = run(".", "--baseline", "known.json")
    assert told.status == 1 and "OLY902" in told.out and "OLY104" not in told.out


def test_with_shards_and_merge(run: Run) -> None:
    for number in (1, 2):
        run(".", "--shard", f"{number}/2", "--output-format", "json", "-o", f"{number}.json")
    assert run("--merge", "1.json", "2.json", "--baseline", "known.json").status == 0


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 2, "findings": []}', '{"version": 1, "findings": [3]}'])
def test_what_is_no_baseline_is_named(run: Run, text: str) -> None:
    Path("known.json").write_text(text)
    told = run(".", "--baseline", "known.json")
    assert told.status == 2 and told.err.startswith("error: baseline: ")
    assert told.err.endswith("write it again with --write-baseline.\n")


def test_files_that_cannot_be_read_or_written(run: Run) -> None:
    assert run(".", "--baseline", "no.json").err.startswith("error: baseline: ")
    told = run(".", "--write-baseline", "no/such/folder.json")
    assert told.status == 2 and "cannot be written (No such file or directory); name another file." in told.err


def test_names_of_files_may_be_any(run: Run) -> None:
    Path(os.fsdecode(b"caf\xe9.py")).write_text(REUSE)
    Path("schlüssel 鍵.py").write_text(REUSE)
    assert "Wrote 5 findings" in run(".", "--write-baseline", "known.json").err
    assert run(".", "--baseline", "known.json").status == 0


def test_the_same_findings_give_the_same_bytes(run: Run) -> None:
    before = Path("known.json").read_bytes()
    run("book.ipynb", "pkg", "--write-baseline", "known.json")
    assert Path("known.json").read_bytes() == before
