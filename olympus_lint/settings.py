"""The settings of a run: their names, defaults, types and meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path

from olympus.trials.specs import spec
from olympus_lint.embedded.kinds import KINDS, kinds_by_suffix
from olympus_lint.paths import Patterns, anchored
from olympus_lint.reporting import format_names
from olympus_lint.selection import expand, selected_codes
from olympus_lint.spelling import nearest
from olympus_rules.finding import Confidence
from olympus_rules.rule import Rule, all_rules
from olympus_rules.signatures import read_pack

__all__ = ["DEFAULT_EXCLUDE", "READERS", "TABLE_ONLY", "Settings", "SettingsError", "from_table", "override"]

# fmt: off
DEFAULT_EXCLUDE = (
    ".bzr", ".direnv", ".eggs", ".git", ".git-rewrite", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox",
    ".pants.d", ".pyenv", ".pytest_cache", ".pytype", ".ruff_cache", ".svn", ".tox", ".venv", ".vscode",
    "__pypackages__", "_build", "buck-out", "dist", "node_modules", "site-packages", "venv",
)
# fmt: on


class SettingsError(Exception):
    """A setting or option is wrong; the message is a sentence with the place, the cause and the next step."""


@dataclass(frozen=True)
class Settings:
    """What to check and how, as in ``[tool.olympus-lint]`` (there with hyphens).

    Attributes:
        select: selectors of the rules that are on; ``None`` for the default set.
        extend_select: selectors of rules that are on besides.
        ignore: selectors of rules that are off.
        per_file_ignores: file pattern to selectors of rules that are off there.
        exclude, extend_exclude: patterns of files and folders that are not looked for.
        respect_gitignore: whether what ``.gitignore`` names is left out.
        extension: suffixes of further files that hold Python, each with its kind: ``md:markdown``.
        force_exclude: whether excludes hold for files named on the command line, too.
        min_confidence: findings below it are not reported.
        library_roots: under which names the JAX namespace may be imported.
        signature_packs: the paths of the user's files on what library functions do with keys.
        output_format: the name of a module of :mod:`olympus_lint.reporting`.
        fix: whether safe fixes are applied.
        unsafe_fixes: whether unsafe fixes are applied besides, where fixes are.
        fix_only: whether fixes are applied and the rest is not reported.
        show_fixes: whether applied fixes are listed.
        cache_dir: the folder in which results are kept between runs; beside the settings file, or the
            current folder without one, where none is named.
        ignore_noqa: whether suppression comments are passed over.
        target_jax: the oldest release of JAX that migrated code has to run on; ``None`` for the newest.
        trace: a function, as ``pkg.mod:function``, to the arguments that it is traced with.
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
    library_roots: Sequence[str] = ("jax", "olympus")
    signature_packs: Sequence[str] = ()
    output_format: str = "full"
    fix: bool = False
    unsafe_fixes: bool = False
    fix_only: bool = False
    show_fixes: bool = False
    cache_dir: str | None = None
    ignore_noqa: bool = False
    target_jax: str | None = None
    trace: Mapping[str, Mapping[str, Sequence[str] | Mapping[str, str]]] = field(default_factory=dict)

    @cached_property
    def codes(self) -> frozenset[str]:
        """Return the codes of the rules that are on."""
        return selected_codes(self.select, self.extend_select, self.ignore)

    @cached_property
    def excluded(self) -> Patterns:
        """Return the patterns of what is not looked for."""
        return Patterns([*self.exclude, *self.extend_exclude])

    @cached_property
    def suffixes(self) -> tuple[str, ...]:
        """Return what the names of the files end with that are looked for."""
        return (".py", ".pyi", ".ipynb", *(f".{name.partition(':')[0]}" for name in self.extension))

    @cached_property
    def _kinds(self) -> dict[str, str]:
        return kinds_by_suffix(self.extension)

    def kind_of(self, filename: str) -> str:
        """Return what a file holds: ``python``, ``ipynb`` or ``markdown``."""
        return self._kinds.get(filename.rpartition(".")[2].lower(), "python")

    @cached_property
    def _ignored(self) -> list[tuple[Patterns, frozenset[str]]]:
        ignores = self.per_file_ignores.items()
        return [(Patterns([pattern]), frozenset().union(*map(expand, codes))) for pattern, codes in ignores]

    def rules_for(self, filename: str) -> list[Rule]:
        """Return the rules that are on for a file, in the order of codes."""
        codes = self.codes
        if self._ignored:
            path = Path(filename).absolute().as_posix()
            for patterns, ignored in self._ignored:
                if patterns.match(path.rpartition("/")[2], path):
                    codes -= ignored
        return [rule for code, rule in all_rules().items() if code in codes]


def override(settings: Settings, given: Mapping[str, object]) -> Settings:
    """Return settings with those of the command line put over them.

    A new ``select`` starts afresh: what the file selects and ignores no longer counts. The other lists of
    rules and ``extend_exclude`` add to those of the file; a selector that the command line ignores or selects
    is taken out of the opposite list of the file.
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
    """Return a list of strings that was checked when it was read."""
    return [str(item) for item in value] if isinstance(value, list | tuple) else []


def from_table(table: Mapping[str, object], prefix: str, base: Path) -> dict[str, object]:
    """Check a table of settings and return it with the names of :class:`Settings`.

    Args:
        table: setting name, with hyphens, to value.
        prefix: what stands before a setting's name in messages: ``--``, or the place of the table.
        base: the folder that relative file patterns start at.

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
            raise SettingsError(f"{prefix}{key}: {error}.") from None
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
    """Read a list of suffixes, each with what files of that name hold where that is not clear."""
    read = []
    known = kinds_by_suffix(())
    for text in read_strings(value, base):
        name, colon, kind = text.partition(":")
        name = name.removeprefix(".").lower()
        if not colon and name not in known:
            raise ValueError(f"what a file named *.{name} holds is not known; write '{name}:markdown'")
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


def read_folder(value: object, base: Path) -> str:
    """Read a folder, which starts at that of the settings."""
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError(f"expected the path of a folder, not {value!r}")
    return str(base.absolute() / Path(value).expanduser())


def read_roots(value: object, base: Path) -> list[str]:
    """Read the names under which the JAX namespace may be imported."""
    roots = read_strings(value, base)
    for root in roots:
        if not all(part.isidentifier() for part in root.split(".")):
            raise ValueError(f"expected module names, not {root!r}")
    return roots


def read_packs(value: object, base: Path) -> list[str]:
    """Read the paths of signature packs, and the packs themselves, so that what is wrong with one is said at once."""
    paths = [str(base / path) for path in read_strings(value, base)]
    for path in paths:
        read_pack(Path(path))
    return paths


def read_confidence(value: object, base: Path) -> Confidence:
    """Read a confidence by its label."""
    return {level.label: level for level in Confidence}[read_choice(value, [level.label for level in Confidence])]


def read_format(value: object, base: Path) -> str:
    """Read the name of an output format."""
    return read_choice(value, format_names())


def read_version(value: object, base: Path) -> str:
    """Read a release such as ``0.4.30``."""
    if not isinstance(value, str) or not all(part.isdecimal() for part in value.split(".")):
        raise ValueError(f'expected a release of JAX such as "0.4.30", not {value!r}')
    return value


def read_traced(value: object, base: Path) -> dict[str, dict[str, list[str] | dict[str, str]]]:
    """Read a table from function to the arguments that it is traced with."""
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
    """Read one of a few words."""
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
    "library_roots": read_roots,
    "signature_packs": read_packs,
    "output_format": read_format,
    "fix": read_bool,
    "unsafe_fixes": read_bool,
    "fix_only": read_bool,
    "show_fixes": read_bool,
    "cache_dir": read_folder,
    "target_jax": read_version,
    "trace": read_traced,
}

TABLE_ONLY = frozenset({"trace"})
"""Settings that an option of the same name does not give."""
