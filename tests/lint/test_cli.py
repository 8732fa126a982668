"""The command from its options to its exit status."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from programs import CLEAN, LOCAL, RAW, REUSE

import olympus_lint
from olympus_lint.reporting.formats import format_names
from olympus_rules.rules import all_rules

PROGRAM = Path(sys.executable).parent / "olympus-lint"


def test_findings_give_1_and_none_give_0(project, run):
    Path("a.py").write_text(REUSE)
    found = run("a.py")
    assert found.status == 1
    assert "a.py:6:9: OLY104 " in found.out
    assert found.out.endswith("Found 1 finding.\nNo safe fixes (1 available with `--unsafe-fixes`).\n")
    Path("a.py").write_text(CLEAN)
    quiet = run("a.py")
    assert (quiet.status, quiet.out, quiet.err) == (0, "All checks passed!\n", "")


def test_the_current_folder_is_checked_by_default(project, run):
    Path("sub").mkdir()
    Path("sub/a.py").write_text(REUSE)
    assert "sub/a.py:6:9: OLY104" in run().out


def test_quiet_prints_findings_only(project, run):
    Path("a.py").write_text(REUSE)
    assert run("-q", "--output-format", "concise", "a.py").out.count("\n") == 1


def test_verbose_names_skipped_files_and_times(project, run):
    Path("a.py").write_text(CLEAN)
    Path("b.py").write_text("x = 1\n")
    err = run("-v", ".").err
    assert "skipped: b.py (it cannot hold a key)" in err
    assert "analysed 1 of 2 files; finding files 0." in err


def test_exit_zero(project, run):
    Path("a.py").write_text(REUSE)
    assert run("--exit-zero", "a.py").status == 0
    assert run("--exit-zero", "a.py", "missing.py").status == 2


def test_select_ignore_extend_select(project, run):
    Path("a.py").write_text(RAW + REUSE.partition("\n")[2])
    codes = lambda *options: sorted(
        {found["code"] for found in json.loads(run(*options, "--output-format", "json", "a.py").out)}
    )
    assert codes() == ["OLY104"]
    assert codes("--extend-select", "legacy-constructor") == ["OLY104", "OLY201"]
    assert codes("--select", "OLY2") == ["OLY201"]
    assert codes("--select", "ALL", "--ignore", "OLY1") == ["OLY201"]
    assert codes("--ignore", "OLY104") == []
    assert codes("--per-file-ignores", "*.py:OLY104") == []
    assert codes("--per-file-ignores", "b.py:OLY104") == ["OLY104"]


def test_min_confidence(project, run):
    Path("a.py").write_text("import jax\n\n\ndef f():\n    return jax.random.normal(jax.random.key(0))\n")
    assert run("--select", "OLY107", "a.py").status == 0
    assert "OLY107" in run("--select", "OLY107", "--min-confidence", "possible", "a.py").out


def test_fix_writes_safe_fixes_only(project, run):
    Path("a.py").write_text(RAW + REUSE.partition("\n")[2])
    fixed = run("--fix", "--extend-select", "OLY201", "a.py")
    assert fixed.status == 1
    assert "Found 2 findings (1 fixed, 1 remaining)." in fixed.out
    assert Path("a.py").read_text() == (RAW + REUSE.partition("\n")[2]).replace("PRNGKey", "key")


def test_unsafe_fixes_are_written_with_fix_only(project, run):
    Path("a.py").write_text(REUSE)
    listed = run("--unsafe-fixes", "a.py")
    assert Path("a.py").read_text() == REUSE and "OLY104 [*]" in listed.out
    fixed = run("--fix", "--unsafe-fixes", "--show-fixes", "a.py")
    assert fixed.status == 0
    assert "Fixed 1 finding:\n- a.py:\n    1 × OLY104 (key-reuse)\n" in fixed.out
    assert "key, x_key = jax.random.split(key)" in Path("a.py").read_text()
    assert run("a.py").status == 0


def test_a_finding_that_takes_several_passes_is_one(project, run):
    draws = "".join(f"    x{n} = jax.random.normal(key)\n" for n in range(4))
    text = f"import jax\n\n\ndef f(key):\n{draws}    return x0 + x1 + x2 + x3\n"
    Path("a.py").write_text(text)
    assert "Found 1 finding." in run("a.py").out
    assert run("--fix", "--unsafe-fixes", "--diff", "a.py").err == "Would fix 1 finding.\n"
    assert run("--fix", "--unsafe-fixes", "a.py").out == "Found 1 finding (1 fixed, 0 remaining).\n"
    assert Path("a.py").read_text().count("split") == Path("a.py").read_text().count("split(key, 4)") == 1


def test_fix_only_and_exit_non_zero_on_fix(project, run):
    text = RAW + REUSE.partition("\n")[2]
    for options, status in (((), 0), (("--exit-non-zero-on-fix",), 1)):
        Path("a.py").write_text(text)
        fixed = run("--fix-only", "--extend-select", "OLY201", *options, "a.py")
        assert (fixed.status, fixed.out, fixed.err) == (status, "", "Fixed 1 finding.\n")
    Path("a.py").write_text(RAW)
    assert run("--fix", "--extend-select", "OLY201", "--exit-non-zero-on-fix", "a.py").status == 1


def test_diff_is_a_patch_and_writes_nothing(project, run):
    text = RAW.replace("\n", "\r\n").rstrip()
    Path("a.py").write_bytes(text.encode())
    shown = run("--diff", "--extend-select", "OLY201", "a.py")
    assert shown.status == 1
    assert shown.err == "Would fix 1 finding.\n"
    assert Path("a.py").read_bytes() == text.encode()
    Path("patch").write_bytes(shown.out.encode())
    subprocess.run(["git", "apply", "-p0", "patch"], check=True, capture_output=True)
    assert Path("a.py").read_bytes() == text.replace("PRNGKey", "key").encode()
    assert run("--diff", "--extend-select", "OLY201", "a.py").status == 0


THREE_DRAWS = """\
import jax


def f(key):
    key, unused = jax.random.split(key)
    return jax.random.normal(key) + jax.random.normal(key)


def g(key):
    return jax.random.normal(key) + jax.random.normal(key) + jax.random.normal(key)
"""


def test_the_numbers_of_a_check_and_of_its_fixes_add_up(project, run):
    """Two findings have a fix: one needs it twice, and the other's fix uses the key that the third is about."""
    every = ("--select", "ALL", "a.py")
    concise = ("--output-format", "concise")
    Path("a.py").write_text(THREE_DRAWS)
    assert run(*concise, *every).out.endswith(
        "\nFound 3 findings.\nNo safe fixes (2 available with `--unsafe-fixes`).\n"
    )
    unsafe = ("--unsafe-fixes", *every)
    assert run("--diff", *unsafe).err == "Would fix 3 findings (1 of them with the fix of another one).\n"
    assert run("--fix", *unsafe).out == "Found 3 findings (3 fixed, 0 remaining).\n"
    Path("a.py").write_text(THREE_DRAWS.replace("key, unused = jax.random.split(key)", "pass"))
    assert run("--diff", *unsafe).err == "Would fix 2 findings.\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--trace", "--select-verdict", "confirmd"), "not 'confirmd'; did you mean confirmed?"),
        (("--migrate", "--output-format", "jso"), "markdown, json with --migrate, not 'jso'; did you mean json?"),
        (("--check", "pytest"), "--check has no effect without --migrate; add it."),
        (("--jobs", "0"), "expected a number above 0, not '0'; see `olympus-lint --help`."),
    ],
)
def test_an_error_has_one_next_step(project, run, options: tuple[str, ...], said: str):
    ran = run(*options)
    assert ran.status == 2
    assert ran.err.startswith("error: ")
    assert ran.err.endswith(f"{said}\n")
    assert ran.err.count("\n") == 1


def test_add_noqa(project, run):
    Path("a.py").write_text(REUSE)
    added = run("--add-noqa", "a.py")
    assert (added.status, added.err) == (0, "Suppressed 1 finding.\n")
    assert "    y = jax.random.uniform(key)  # noqa: OLY104\n" in Path("a.py").read_text()
    assert run("a.py").status == 0
    assert run("--ignore-noqa", "a.py").status == 1


def test_add_noqa_says_what_it_cannot_suppress(project, run):
    Path("a.py").write_text("import jax.random\nx = = 1\n")
    added = run("--add-noqa", "a.py")
    assert added.status == 0
    assert "Suppressed 0 findings.\nThese findings cannot be suppressed in their line:\na.py:2:5: OLY902" in added.err


@pytest.mark.parametrize("name", format_names())
def test_each_format_reports_to_a_file(project, run, name):
    Path("a.py").write_text(REUSE)
    ran = run("--output-format", name, "--output-file", "report", "a.py")
    assert (ran.status, ran.out, ran.err) == (1, "", "Wrote 1 finding to report.\n")
    assert "OLY104" in Path("report").read_text()
    assert run("--output-format", name, "--output-file", "report", "--quiet", "a.py").err == ""


def test_statistics(project, run):
    Path("a.py").write_text(REUSE + "\n\n" + REUSE.partition("\n")[2])
    assert run("--statistics", "-q", "a.py").out == "2  OLY104  [ ] key-reuse\n"
    counted = run("--statistics", "--unsafe-fixes", "--output-format", "json", "a.py")
    assert json.loads(counted.out) == [{"code": "OLY104", "name": "key-reuse", "count": 2, "fixable": 2}]
    refused = run("--statistics", "--output-format", "sarif", "a.py")
    assert refused.status == 2
    assert refused.err.startswith("error: --statistics: the format sarif has none; use concise, full, grouped or json.")


def test_show_files(project, run):
    for name in ("b.py", "a.pyi", "c.txt"):
        Path(name).write_text("x = 1\n")
    assert run("--show-files").out == "a.pyi\nb.py\n"


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ([], "a.py\nsub/b.py\n"),
        (["--exclude", "sub"], ".venv/c.py\na.py\n"),
        (["--exclude", "sub,.venv", "--exclude", "a.py"], ""),
        (["--extend-exclude", "sub/b.py"], "a.py\n"),
        (["--no-respect-gitignore"], "a.py\ngen.py\nsub/b.py\n"),
        (["--config", "ci.toml"], "sub/b.py\n"),
        ([".venv/c.py"], ".venv/c.py\n"),
        (["--force-exclude", ".venv/c.py"], ""),
    ],
)
def test_file_selection(project, run, options, shown):
    for name in ("sub/b.py", ".venv/c.py", "a.py", "gen.py"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("x = 1\n")
    Path(".gitignore").write_text("gen.py\n")
    Path("ci.toml").write_text('extend-exclude = ["a.py"]\n')
    assert run("--show-files", *options).out == shown


def test_jobs(project, run):
    for name in ("a.py", "b.py", "c.py"):
        Path(name).write_text(REUSE)
    alone, together = (run("--output-format", "concise", "--jobs", jobs) for jobs in ("1", "2"))
    assert alone == together and "Found 3 findings." in alone.out


def test_show_settings_is_toml_that_gives_the_same_settings(project, run):
    Path("olympus-lint.toml").write_text(
        'ignore = ["OLY2"]\nmin-confidence = "certain"\nper-file-ignores = {"t/*" = ["OLY104"]}\n'
    )
    shown = run("--show-settings").out
    assert shown.startswith("# rules that are on: OLY101, ")
    assert "OLY202" not in shown.partition("\n")[0]
    Path("olympus-lint.toml").write_text(shown)
    assert run("--show-settings").out == shown
    assert run("--show-settings", "missing").status == 2


def test_explain(project, run):
    page = run("--explain", "OLY901")
    assert page.status == 0
    assert page.out.startswith("# unused-suppression (OLY901)\n")
    assert run("--explain", "unused-suppression").out == page.out
    assert "](https://github.com/olympus-lint/olympus-lint/blob/main/docs/suppressions.md)" in page.out
    assert "](../" not in page.out
    unknown = run("--explain", "OLY991")
    assert unknown.status == 2 and unknown.err.startswith("error: --explain: unknown rule 'OLY991'; did you mean")
    assert "stands for several rules" in run("--explain", "OLY1").err


@pytest.mark.parametrize("name", sorted(rule.name for rule in all_rules().values()))
def test_an_explanation_has_nothing_that_only_tests_read(run, name):
    page = run("--explain", name).out
    assert re.findall(r'```\w+ .*|# error: [\w ]+ "|\]\((?!https://)[^)]*\)', page) == []


def test_list_rules(run):
    listed = run("--list-rules")
    assert listed.status == 0
    assert "OLY104  key-reuse                   on   unsafe  " in listed.out
    assert "OLY201  legacy-constructor          off  safe    " in listed.out


def test_standard_input(project, run, monkeypatch):
    given = lambda text: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    given(REUSE)
    assert "pkg/a.py:6:9: OLY104" in run("-", "--stdin-filename", "pkg/a.py").out
    given(CLEAN)
    assert run("-").status == 0
    given(LOCAL)
    assert "+    key = jax.random.key(0)\n" in run("-", "--diff", "--extend-select", "OLY201").out
    given(REUSE)
    ignored = run("-", "--stdin-filename", "pkg/a.py", "--per-file-ignores", "pkg/*:OLY104")
    assert ignored.status == 0
    given(REUSE)
    assert run("-", "--stdin-filename", ".venv/a.py").status == 1
    given(REUSE)
    assert run("-", "--stdin-filename", ".venv/a.py", "--force-exclude").status == 0


def test_standard_input_is_fixed_to_standard_output(project):
    command = [PROGRAM, "-", "--fix", "--extend-select", "OLY201"]
    text = (LOCAL + REUSE.partition("\n")[2]).replace("\n", "\r\n")
    done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=60)
    assert done.stdout == text.replace("PRNGKey", "key").encode()
    assert b"OLY104" in done.stderr and done.returncode == 1


def test_module_and_version():
    done = subprocess.run(
        [sys.executable, "-m", "olympus_lint", "--version"], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, f"olympus-lint {olympus_lint.__version__}\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--fxi"], "error: unrecognized arguments: --fxi; did you mean --fix?"),
        (["--xyzzy"], "error: unrecognized arguments: --xyzzy; see `olympus-lint --help`."),
        (["--jobs", "0"], "error: argument --jobs: expected a number above 0, not '0'"),
        (["--select", "OLY140"], "error: --select: unknown rule 'OLY140'; did you mean 'OLY104'?"),
        (["--ignore", "key-resue"], "error: --ignore: unknown rule 'key-resue'; did you mean 'key-reuse'?"),
        (["--output-format", "jsno"], "error: --output-format: expected one of azure, concise, full"),
        (["--min-confidence", "sure"], "error: --min-confidence: expected one of possible, likely, certain"),
        (["--per-file-ignores", "a.py"], "error: --per-file-ignores: expected PATTERN:RULE, not 'a.py'."),
        (["--config", "missing.toml"], "error: missing.toml: cannot be read (No such file or directory);"),
        (["--output-file", "no/such/folder"], "error: --output-file: no/such/folder cannot be written"),
        (["-", "a.py"], "error: `-` stands for standard input and cannot be combined with other paths"),
        (["--diff", "--add-noqa"], "error: --diff cannot be combined with --add-noqa"),
        (["-q", "-v"], "error: argument -v/--verbose: not allowed with argument -q/--quiet"),
    ],
)
def test_wrong_options_are_one_sentence_and_2(project, run, options, message):
    Path("a.py").write_text(REUSE)
    ran = run(*options)
    assert ran.status == 2
    assert ran.err.startswith(message)
    assert ran.err.count("\n") == 1


def test_no_files_is_a_warning(project, run):
    ran = run()
    assert ran.status == 0
    assert ran.err == "warning: no Python files found under the given paths\n"
