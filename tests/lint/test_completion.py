"""The scripts of ``--generate-shell-completion``, sourced by the shells that are here."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Outcome

from olympus_lint.commandline.options import SHELLS
from olympus_lint.reporting.formats import format_names
from olympus_rules.rules import all_rules

Run = Callable[..., Outcome]

COMPLETE = """
source "./$1"; shift
complete -p olympus-lint | grep -q -- '-F _shtab_olympus_lint olympus-lint' || exit 3
COMP_WORDS=(olympus-lint "$@"); COMP_CWORD=$#
_shtab_olympus_lint
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def completed(run: Run, project: Path) -> Callable[..., list[str]]:
    """Return a function that lets bash complete the last of some words."""
    pytest.importorskip("shtab", reason="it writes the scripts")
    if shutil.which("bash") is None:
        pytest.skip("there is no bash")
    Path("script").write_text(run("--generate-shell-completion", "bash").out)

    def call(*words: str) -> list[str]:
        command = ["bash", "-c", COMPLETE, "bash", "script", *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()

    return call


def test_options(completed: Callable[..., list[str]]) -> None:
    assert completed("--out") == ["--output-format", "--output-file"]
    assert completed("--fix", "--sel") == ["--select", "--select-verdict"]
    assert "--trace" in completed("src", "--tr")


@pytest.mark.parametrize("option", ["--select", "--ignore", "--extend-select", "--fixable", "--unfixable", "--explain"])
def test_rules(completed: Callable[..., list[str]], option: str) -> None:
    assert completed(option, "OLY3") == ["OLY301", "OLY302", "OLY3"]
    assert completed(option, "key-r") == ["key-reuse"]
    assert {*all_rules(), "ALL"} < set(completed(option, ""))


def test_other_values(completed: Callable[..., list[str]]) -> None:
    assert completed("--output-format", "") == format_names()
    assert completed("--min-confidence", "l") == ["likely"]
    assert completed("--color", "a") == ["auto", "always"]


def test_files(completed: Callable[..., list[str]]) -> None:
    for name in ("model.py", "models"):
        Path(name).touch()
    assert sorted(completed("mod")) == sorted(completed("--fix", "mod")) == ["model.py", "models"]
    assert sorted(completed("--baseline", "mod")) == ["model.py", "models"]
    assert sorted(completed("--migrate", "mod")) == ["model.py", "models"]  # its style is a part of the word


IN_FISH = 'source ./script; complete -C "$argv[1]" | string replace -r "\\t.*" ""'
IN_POWERSHELL = """
. ./script.ps1
$line = $args[0]
[System.Management.Automation.CommandCompletion]::CompleteInput($line, $line.Length, $null).CompletionMatches |
  ForEach-Object { $_.CompletionText }
"""
LINES = {
    "olympus-lint --out": {"--output-format", "--output-file"},
    "olympus-lint --fix --sel": {"--select", "--select-verdict"},
    "olympus-lint --select OLY3": {"OLY301", "OLY302", "OLY3"},
    "olympus-lint --ignore key-r": {"key-reuse"},
    "olympus-lint --min-confidence l": {"likely"},
    "olympus-lint src --color a": {"auto", "always"},
}


@pytest.mark.parametrize("line", LINES)
def test_fish(run: Run, project: Path, line: str) -> None:
    pytest.importorskip("shtab", reason="it writes the scripts")
    if shutil.which("fish") is None:
        pytest.skip("there is no fish")
    Path("script").write_text(run("--generate-shell-completion", "fish").out)
    command = ["fish", "--no-config", "-c", IN_FISH, line]
    assert set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()) == LINES[line]


@pytest.mark.parametrize("line", LINES)
def test_powershell(run: Run, project: Path, line: str) -> None:
    pytest.importorskip("shtab", reason="it writes the scripts")
    if shutil.which("pwsh") is None:
        pytest.skip("there is no PowerShell")
    Path("script.ps1").write_text(run("--generate-shell-completion", "powershell").out)
    Path("complete.ps1").write_text(IN_POWERSHELL)
    command = ["pwsh", "-NoProfile", "-File", "complete.ps1", line]
    assert set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()) == LINES[line]


def test_the_script_for_powershell_has_the_values_of_the_options(run: Run) -> None:
    pytest.importorskip("shtab", reason="it writes the scripts")
    script = run("--generate-shell-completion", "powershell").out
    assert "Register-ArgumentCompleter -Native -CommandName olympus-lint" in script.replace("'", "").replace('"', "")
    assert "'_shtab_olympus_lint___min_confidence' = @('possible', 'likely', 'certain')" in script
    assert "'_shtab_olympus_lint___baseline' = '_shtab_powershell_compgen_files'" in script
    assert "'_shtab_olympus_lint___migrate' = '0'" in script


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_gets_a_script_with_the_options(run: Run, shell: str) -> None:
    pytest.importorskip("shtab", reason="it writes the scripts")
    ran = run("--generate-shell-completion", shell)
    assert (ran.status, ran.err) == (0, "")
    assert all(option in ran.out for option in ("unsafe-fixes", "generate-shell-completion", "OLY104"))


def test_a_missing_library_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    ran = run("--generate-shell-completion", "bash")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == (
        "error: --generate-shell-completion: `shtab` is not installed here; "
        "install it with `pip install 'olympus-lint[completion]'`.\n"
    )


def test_a_library_that_is_too_old_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    shtab = pytest.importorskip("shtab", reason="it writes the scripts")
    monkeypatch.setattr(shtab, "SUPPORTED_SHELLS", ["bash", "zsh", "tcsh"])
    ran = run("--generate-shell-completion", "fish")
    assert ran.status == 2 and ran.err == (
        "error: --generate-shell-completion: this `shtab` writes no script for fish; "
        "upgrade it with `pip install --upgrade 'olympus-lint[completion]'`.\n"
    )


def test_a_check_loads_nothing_of_it(project: Path) -> None:
    Path("a.py").write_text("import jax\n\n\ndef f(key):\n    return jax.random.normal(key)\n")
    program = (
        "import sys\nfrom olympus_lint.cli import main\nassert main(['a.py']) == 0\n"
        "print({'shtab', 'olympus_lint.commandline.completion'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "All checks passed!\nset()\n"
