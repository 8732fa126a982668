"""Input that the search of `tests/benchmarks/fuzz.py` found, and its like: a sentence and exit status 2, or ignored."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from programs import REUSE

DEEP = "[" * 100_000
LONG = "x" * 100_000


@pytest.fixture(autouse=True)
def file(project):
    Path("a.py").write_text(REUSE)


def refused(ran, *words):
    """Return whether a run has ended with one sentence, which is short and controls no terminal."""
    lines = ran.err.splitlines()
    return (
        ran.status == 2
        and len(lines) == 1
        and lines[0].startswith("error: ")
        and lines[0].endswith((".", "?"))
        and len(lines[0]) < 1500
        and "\x1b" not in ran.err
        and all(word in ran.err for word in words)
    )


SETTINGS = {
    "nests too deeply": (f"select = {DEEP}", "is not TOML (it nests too deeply)"),
    "long number": (f"select = {'9' * 5000}", "is not TOML"),
    "long value": (f"select = '{LONG}'", "expected a list of strings"),
    "long name": (f"{LONG} = 1", "unknown setting"),
    "control characters": ('"\\u001b[31m" = 1', "unknown setting"),
    "home of nobody": ('cache-dir = "~nobody-here/x"', "no home directory"),
    "home of nobody for a baseline": ('baseline = "~nobody-here/x"', "no home directory"),
    "home of nobody for another file": ('extend = "~nobody-here/x"', "no home directory"),
    "null character": ('extend = "a\\u0000b"', "expected the path of a settings file"),
    "null character in a pack": ('signature-packs = ["a\\u0000b"]', "null"),
    "billions of patterns": (f"exclude = ['{'**/x/' * 40}']", "at most"),
    "billions of patterns for ignores": (f"per-file-ignores = {{'{'**/x/' * 40}' = ['ALL']}}", "at most"),
    "long pattern": (f"exclude = ['{DEEP}']", "at most 1000"),
    "endless file": ('extend = "/dev/zero"', "cannot be read (File too large)"),
    "endless pack": ('signature-packs = ["/dev/zero"]', "cannot be read (File too large)"),
    "endless baseline": ('baseline = "/dev/zero"', "cannot be read (File too large)"),
    "long path": (f'baseline = "{LONG}"', "baseline"),
}


@pytest.mark.parametrize(("text", "cause"), SETTINGS.values(), ids=SETTINGS)
def test_settings(run, text, cause):
    Path("olympus-lint.toml").write_text(text)
    assert refused(run("."), cause)


@pytest.mark.parametrize("text", [f"select = {DEEP}", f"select = {'9' * 5000}", f"line-length = '{LONG}'", LONG + " ="])
def test_settings_in_the_command_line(run, text):
    assert refused(run(".", "--config", text), "--config")


@pytest.mark.parametrize("text", [f"roots = {DEEP}", f"roots = {'9' * 5000}", f'roots = "{LONG}"', f"{LONG} = 1"])
def test_signature_packs(run, text):
    Path("lab.toml").write_text(text)
    Path("olympus-lint.toml").write_text('signature-packs = ["lab.toml"]')
    assert refused(run("."), "lab.toml")


@pytest.mark.parametrize(
    "data",
    [
        DEEP,
        '{"version": 1, "findings": [' + DEEP,
        '{"version": 1, "findings": {"a": 1}}',
        json.dumps({"version": "x" * 100_000, "findings": []}),
    ],
)
def test_baselines(run, data):
    Path("known.json").write_text(data)
    assert refused(run(".", "--baseline", "known.json"), "known.json is no baseline")


@pytest.mark.parametrize("path", [LONG, "a\0b", "\ud800", "../" * 2000])
def test_paths_in_baselines(run, path):
    """A path that no file has is that of a file that is gone."""
    row = {"name": "n", "path": path, "finding": "OLY104 m"}
    Path("known.json").write_text(json.dumps({"version": 1, "findings": [row]}))
    ran = run(".", "--baseline", "known.json", "-v")
    assert ran.status == 1 and "OLY104" in ran.out and "Traceback" not in ran.err


def report(run, **changes):
    """Return a report of one finding with other values."""
    (found,) = json.loads(run("a.py", "--output-format", "json", "--no-cache").out)
    return json.dumps([found | changes])


WRONG = {
    "effect": {"effect": ["same-draw"]},
    "effect of another type": {"effect": 3},
    "confidence": {"confidence": "sure"},
    "cell": {"cell": "1"},
    "row": {"location": {"row": float("inf"), "column": 1}},
    "row below the first": {"location": {"row": 0, "column": -4}},
    "row of another type": {"location": {"row": "7", "column": 1}},
    "related": {"related": [{"message": "m", "filename": "a.py", "cell": [], "location": 1, "end_location": 1}]},
    "verdict": {"verdict": {"status": [], "tier": {}, "evidence": 3, "reason": 4}},
    "message": {"message": ["x"]},
    "fix": {"fix": {"applicability": "safe", "message": 1, "edits": [1]}},
}


@pytest.mark.parametrize("changes", WRONG.values(), ids=WRONG)
def test_reports(run, changes):
    Path("one.json").write_text(report(run, **changes))
    for name in ("json", "full", "html"):
        assert refused(run("--merge", "one.json", "--output-format", name), "one.json is not a report")


@pytest.mark.parametrize("text", [DEEP, '{"code":' * 100_000, "[" + "9" * 5000 + "]"])
def test_reports_that_are_none(run, text):
    Path("one.json").write_text(text)
    assert refused(run("--merge", "one.json"), "one.json is not a report")


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/stdin", "\0", "x" * 5000, "\ud800.py", "."])
@pytest.mark.parametrize("output", ["full", "json", "html", "sarif", "gitlab", "junit", "concise"])
def test_reports_name_no_file_that_is_read_without_end(run, name, output):
    Path("one.json").write_text(report(run, filename=name))
    ran = run("--merge", "one.json", "--output-format", output)
    assert ran.status == 1 and "Traceback" not in ran.err


def test_a_damaged_cache_is_ignored(run):
    told = run("a.py", "--cache-dir", ".cache")
    with closing(sqlite3.connect(".cache/cache.sqlite3")) as connection:
        rows = connection.execute("SELECT key, value FROM entries").fetchall()
        for number, old in enumerate(rows):
            key, value = old
            for damaged in (value.replace('"OLY104"', "7"), value.replace('"a.py"', '["a.py"]'), value[:-1], DEEP):
                with connection:
                    connection.execute("UPDATE entries SET value = ? WHERE key = ?", (damaged, key))
                again = run("a.py", "--cache-dir", ".cache")
                assert (again.status, again.out, again.err) == (told.status, told.out, told.err), number
