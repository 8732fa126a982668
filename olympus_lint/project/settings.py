"""The settings: names, defaults, types and meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path

from olympus.trials.specs import spec
from olympus_lint.files.kinds import KINDS, kinds_by_suffix
from olympus_lint.files.problems import printable, shortened
from olympus_lint.project.paths import Patterns, anchored
from olympus_lint.project.selection import expand, selected_codes
from olympus_lint.project.spelling import nearest
from olympus_lint.reporting.formats import format_names
from olympus_rules.finding import Confidence
from olympus_rules.rule import Rule
from olympus_rules.rules import all_rules
from olympus_rules.syntax import disk
from olympus_rules.syntax.imports import DEFAULT_ROOTS

# fmt: off
DEFAULT_EXCLUDE = (
    ".bzr", ".direnv", ".eggs", ".git", ".git-rewrite", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox",
    ".pants.d", ".pyenv", ".pytest_cache", ".pytype", ".ruff_cache", ".svn", ".tox", ".venv", ".vscode",
    "__pypackages__", "_build", "buck-out", "dist", "node_modules", "site-packages", "venv",
)
# fmt: on


PRESETS = ("quiet", "all")
"""The values of ``tests``: findings that may change what a test checks, or all."""


class SettingsError(Exception):
    """A setting or option is wrong; the message is a sentence with the place, the cause and the next step."""

    def __str__(self) -> str:
        """Return the sentence; what it quotes of a file may be long, and controls no terminal."""
        return printable(shortened(super().__str__()))


@dataclass(frozen=True)
class Settings:
    """What to check and how, as in ``[tool.olympus-lint]`` (there with hyphens).

    Attributes:
        select: selectors of the rules that are on; ``None`` for the default set.
        extend_select: selectors of additional rules.
        ignore: selectors of rules that are off.
        per_file_ignores: file pattern to selectors of rules that are off there.
        exclude, extend_exclude: patterns of files and folders that discovery skips.
        respect_gitignore: whether discovery skips the files that ``.gitignore`` names.
        extension: suffixes of further files with Python, each with its kind, such as ``md:markdown``.
        force_exclude: whether files that are named on the command line can be excluded, too.
        min_confidence: findings below it are not reported.
        tests: which findings in tests are shown, one of :data:`PRESETS`.
        library_roots: the names under which the JAX namespace may be imported.
        signature_packs: the paths of the user's signature packs.
        output_format: the name of a module of :mod:`olympus_lint.reporting.formats`.
        fix: whether safe fixes are applied.
        fixable: selectors of the rules whose fixes are offered; ``None`` for all.
        unfixable: selectors of rules whose fixes are not.
        unsafe_fixes: whether unsafe fixes are applied along with safe ones.
        fix_only: whether fixes are applied and remaining findings are not reported.
        show_fixes: whether applied fixes are listed.
        baseline: the file with the findings that are not reported again; ``None`` without one.
        cache_dir: the folder of the cache; by default beside the settings file, or in the current folder without one.
        ignore_noqa: whether suppression comments are ignored.
        target_jax: the oldest release of JAX that migrated code has to run on; ``None`` for the newest.
        trace: the arguments with which a function is traced, by the function's name (``pkg.mod:function``).
    """

    select: Sequence[str] | None = None
    extend_select: Sequence[str] = ()
    ignore: Sequence[str] = ()
    per_file_ignores: Mapping[str, Sequence[str]] = field(default_factory=dict)
    exclude: Sequence[str] = DEFAULT_EXCLUDE
    extend_exclude: Sequence[str] = ()
    respect_gitignore: bool = True
    extension: Sequence[str] = ()
    force_exclude: bool = False
    min_confidence: Confidence = Confidence.LIKELY
    tests: str = "quiet"
    library_roots: Sequence[str] = DEFAULT_ROOTS
    signature_packs: Sequence[str] = ()
    output_format: str = "full"
    fix: bool = False
    fixable: Sequence[str] | None = None
    unfixable: Sequence[str] = ()
    unsafe_fixes: bool = False
    fix_only: bool = False
    show_fixes: bool = False
    cache_dir: str | None = None
    baseline: str | None = None
    ignore_noqa: bool = False
    target_jax: str | None = None
    trace: Mapping[str, Mapping[str, Sequence[str] | Mapping[str, str]]] = field(default_factory=dict)

    @cached_property
    def codes(self) -> frozenset[str]:
        """Return the codes of the rules that are on."""
        return selected_codes(self.select, self.extend_select, self.ignore)

    @cached_property
    def fixable_codes(self) -> frozenset[str]:
        """Return the codes of the rules whose fixes are offered."""
        return selected_codes(("ALL",) if self.fixable is None else self.fixable, (), self.unfixable)

    @cached_property
    def excluded(self) -> Patterns:
        """Return the patterns of excluded files and folders."""
        return Patterns([*self.exclude, *self.extend_exclude])

    @cached_property
    def suffixes(self) -> tuple[str, ...]:
        """Return the suffixes of the files that discovery finds."""
        return (".py", ".pyi", ".ipynb", *(f".{name.partition(':')[0]}" for name in self.extension))

    @cached_property
    def _kinds(self) -> dict[str, str]:
        return kinds_by_suffix(self.extension)

    def kind_of(self, filename: str) -> str:
        """Return the kind of a file: ``python``, ``ipynb`` or ``markdown``."""
        return self._kinds.get(filename.rpartition(".")[2].lower(), "python")

    @cached_property
    def _ignored(self) -> list[tuple[Patterns, frozenset[str]]]:
        ignores = self.per_file_ignores.items()
        return [(Patterns([pattern]), frozenset().union(*map(expand, codes))) for pattern, codes in ignores]

    def rules_for(self, filename: str) -> list[Rule]:
        """Return the active rules of a file, in the order of codes."""
        codes = self.codes
        if self._ignored:
            path = disk.absolute(filename).as_posix()
            for patterns, ignored in self._ignored:
                if patterns.match(path.rpartition("/")[2], path):
                    codes -= ignored
        return [rule for code, rule in all_rules().items() if code in codes]


def override(settings: Settings, given: Mapping[str, object]) -> Settings:
    """Return settings overridden by those of the command line.

    A new ``select`` replaces all lists of rules of the file. Otherwise, the other lists of rules and
    ``extend_exclude`` are added to those of the file, and a selector that the command line ignores or selects is
    removed from the opposite list of the file.
    """
    changes = dict(given)
    extend_select, ignore = strings(given.get("extend_select")), strings(given.get("ignore"))
    if "select" in given:
        changes |= {"extend_select": extend_select, "ignore": ignore}
    else:
        changes["extend_select"] = [s for s in settings.extend_select if s not in ignore] + extend_select
        changes["ignore"] = [s for s in settings.ignore if s not in extend_select] + ignore
    changes["extend_exclude"] = [*settings.extend_exclude, *strings(given.get("extend_exclude"))]
    return replace(settings, **changes)  # type: ignore[arg-type]


def strings(value: object) -> list[str]:
    """Return a value as a list of strings; :func:`read_strings` has checked it."""
    return [str(item) for item in value] if isinstance(value, list | tuple) else []


def from_table(table: Mapping[str, object], prefix: str, base: Path) -> dict[str, object]:
    """Check a table of settings and return it with the names of :class:`Settings`.

    Args:
        table: the values by setting name, with hyphens.
        prefix: the text before a setting's name in messages: ``--``, or the place of the table.
        base: the folder at which relative file patterns start.

    Raises:
        SettingsError: a name is unknown or a value has the wrong type.
    """
    names = {item.name.replace("_", "-"): item.name for item in fields(Settings) if item.name in READERS}
    read: dict[str, object] = {}
    for key, value in table.items():
        if key not in names:
            near = nearest(key, names)
            hint = f"did you mean {near!r}?" if near else f"the settings are {', '.join(sorted(names))}."
            raise SettingsError(f"{prefix}{key}: unknown setting; {hint}")
        try:
            read[names[key]] = READERS[names[key]](value, base)
        except ValueError as error:
            raise SettingsError(f"{prefix}{key}: {error}{'' if str(error).endswith('?') else '.'}") from None
    return read


def read_strings(value: object, base: Path) -> list[str]:
    """Read a list of strings."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f'expected a list of strings such as ["…"], not {value!r}')
    return value


def read_selectors(value: object, base: Path) -> list[str]:
    """Read a list of rule selectors."""
    selectors = read_strings(value, base)
    for selector in selectors:
        expand(selector)
    return selectors


def read_extension(value: object, base: Path) -> list[str]:
    """Read a list of suffixes, each with the kind of these files if it is not a known one."""
    read = []
    known = kinds_by_suffix(())
    for text in read_strings(value, base):
        name, colon, kind = text.partition(":")
        name = name.removeprefix(".").lower()
        if not colon and name not in known:
            raise ValueError(f"the kind of files named *.{name} is unknown; write '{name}:markdown'")
        read.append(f"{name}:{read_choice(kind if colon else known[name], KINDS)}")
    return read


def read_patterns(value: object, base: Path) -> list[str]:
    """Read a list of file patterns."""
    return [anchored(pattern, base) for pattern in read_strings(value, base)]


def read_ignores(value: object, base: Path) -> dict[str, list[str]]:
    """Read a table from file pattern to rule selectors."""
    if not isinstance(value, dict):
        raise ValueError(f'expected a table such as {{"tests/*" = ["OLY104"]}}, not {value!r}')
    return {anchored(pattern, base): read_selectors(codes, base) for pattern, codes in value.items()}


def read_bool(value: object, base: Path) -> bool:
    """Read a truth value."""
    if not isinstance(value, bool):
        raise ValueError(f"expected true or false, not {value!r}")
    return value


def read_path(value: object, base: Path, what: str) -> str:
    """Read a path, relative to the folder of the settings; `~` is the home of a user."""
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError(f"expected the path of a {what}, not {value!r}")
    try:
        return str(base.absolute() / Path(value).expanduser())
    except RuntimeError:
        raise ValueError(f"{value!r} has no home directory; write the path from the root") from None


def read_roots(value: object, base: Path) -> list[str]:
    """Read the names under which the JAX namespace may be imported."""
    roots = read_strings(value, base)
    for root in roots:
        if not all(part.isidentifier() for part in root.split(".")):
            raise ValueError(f"expected module names, not {root!r}")
    return roots


def read_packs(value: object, base: Path) -> list[str]:
    """Read the paths of signature packs, and the packs, so that errors in them are reported early."""
    paths = [str(base / path) for path in read_strings(value, base)]
    if paths:
        from olympus_rules.libraries import read_pack

        for path in paths:
            read_pack(Path(path))
    return paths


def read_confidence(value: object, base: Path) -> Confidence:
    """Read a confidence by its label."""
    return {level.label: level for level in Confidence}[read_choice(value, [level.label for level in Confidence])]


def read_version(value: object, base: Path) -> str:
    """Read a release such as ``0.4.30``."""
    if not isinstance(value, str) or not all(part.isdecimal() for part in value.split(".")):
        raise ValueError(f'expected a release of JAX such as "0.4.30", not {value!r}')
    return value


def read_traced(value: object, base: Path) -> dict[str, dict[str, list[str] | dict[str, str]]]:
    """Read a table of functions and the arguments with which they are traced."""
    if not isinstance(value, dict):
        raise ValueError(f'expected a table such as {{"pkg.mod:function" = {{args = ["key"]}}}}, not {value!r}')
    read = {}
    for function, table in value.items():
        parts = function.split(":")
        if len(parts) != 2 or not all(name.isidentifier() for part in parts for name in part.split(".")):
            raise ValueError(f"{function!r} names no function; write 'pkg.mod:function'")
        if not isinstance(table, dict):
            raise ValueError(f'{function}: expected a table such as {{args = ["key"]}}, not {table!r}')
        for name in table:
            if name != "args":
                hint = "did you mean 'args'?" if nearest(name, ["args"]) else "write 'args'"
                raise ValueError(f"{function}: unknown name {name!r}; {hint}")
        read[function] = {"args": read_arguments(table.get("args"), function)}
    return read


def read_arguments(value: object, function: str) -> list[str] | dict[str, str]:
    """Read the arguments of a function: in the order of its parameters, or by name."""
    texts = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError(f'{function}: expected a list of texts such as args = ["key", "f32[3,4]"], not {value!r}')
    for text in texts:
        try:
            spec(text)
        except ValueError as error:
            raise ValueError(f"{function}: {text}: {error}") from None
    return value if isinstance(value, dict) else texts


def read_choice(value: object, choices: Sequence[str]) -> str:
    """Read one of several words."""
    if not isinstance(value, str) or value not in choices:
        near = nearest(value, choices) if isinstance(value, str) else None
        hint = f"; did you mean {near!r}?" if near else ""
        raise ValueError(f"expected one of {', '.join(choices)}, not {value!r}{hint}")
    return value


READERS: dict[str, Callable[[object, Path], object]] = {
    "select": read_selectors,
    "extend_select": read_selectors,
    "ignore": read_selectors,
    "per_file_ignores": read_ignores,
    "exclude": read_patterns,
    "extend_exclude": read_patterns,
    "respect_gitignore": read_bool,
    "extension": read_extension,
    "force_exclude": read_bool,
    "min_confidence": read_confidence,
    "tests": lambda value, _: read_choice(value, PRESETS),
    "library_roots": read_roots,
    "signature_packs": read_packs,
    "output_format": lambda value, _: read_choice(value, format_names()),
    "fix": read_bool,
    "fixable": read_selectors,
    "unfixable": read_selectors,
    "unsafe_fixes": read_bool,
    "fix_only": read_bool,
    "show_fixes": read_bool,
    "cache_dir": lambda value, base: read_path(value, base, "folder"),
    "baseline": lambda value, base: read_path(value, base, "file"),
    "target_jax": read_version,
    "trace": read_traced,
}

TABLE_ONLY = frozenset({"trace"})
"""Settings without an option of the same kind."""
