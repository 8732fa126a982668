"""``--generate-shell-completion``."""

from __future__ import annotations

from olympus_lint.commandline.options import parser
from olympus_lint.project.settings import SettingsError
from olympus_lint.reporting.formats import format_names
from olympus_rules.finding import Confidence
from olympus_rules.rules import all_rules

FILES = ("paths", "output_file", "baseline", "write_baseline", "trace_events", "config", "python", "stdin_filename")
"""The arguments that name a file; the paths may be folders."""
FOLDERS = ("cache_dir",)
RULES = ("select", "ignore", "extend_select", "fixable", "unfixable", "explain")
"""The options that take rules."""


def completion(shell: str) -> str:
    """Return a script with which a shell completes the command.

    Args:
        shell: one of the shells of the option.

    Raises:
        SettingsError: the library that writes such scripts is not installed, or too old.
    """
    try:
        import shtab
    except ModuleNotFoundError:
        hint = "install it with `pip install 'olympus-lint[completion]'`"
        raise SettingsError(f"--generate-shell-completion: `shtab` is not installed here; {hint}.") from None
    if shell not in shtab.SUPPORTED_SHELLS:
        hint = "upgrade it with `pip install --upgrade 'olympus-lint[completion]'`"
        raise SettingsError(f"--generate-shell-completion: this `shtab` writes no script for {shell}; {hint}.")
    made = parser()
    values = {
        **dict.fromkeys(RULES, rule_words()),
        "output_format": format_names(),
        "min_confidence": [level.label for level in Confidence],
    }
    for action in made._actions:
        if action.dest == "migrate":  # its style is a part of the word, and the next word is a path
            action.nargs, action.choices = 0, None
        if action.dest in values:
            action.choices = values[action.dest]
        if action.dest in (*FILES, *FOLDERS):
            action.complete = shtab.FILE if action.dest in FILES else shtab.DIRECTORY  # type: ignore[attr-defined]
    script: str = shtab.complete(made, shell)
    return script


def rule_words() -> list[str]:
    """Return what selects rules: codes, the groups of codes, names and ``ALL``."""
    rules = all_rules()
    groups = sorted({code[:4] for code in rules})
    return [*rules, *groups, *(rule.name for rule in rules.values()), "ALL"]
