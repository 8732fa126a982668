"""Files that are measured: parts, copies and changed copies of the corpus, and a repository that is made up."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from olympus_lint.analysis.prefilter import worth_checking
from olympus_lint.project.settings import Settings

IN_PACKAGE = 100
"""Modules in a package of the repository that is made up."""
KEYED = 20
"""One module of so many draws random numbers."""

PLAIN = '''\
"""Part {number} of package {package}."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

{imports}

@dataclass
class Record{number}:
    name: str
    parts: list[Any] = field(default_factory=list)
    weight: float = {number}.5

    def add(self, part: Any) -> Record{number}:
        self.parts.append(part)
        return self

    def total(self, scale: float = 1.0) -> float:
        found = 0.0
        for part in self.parts:
            if isinstance(part, Record{number}):
                found += part.total(scale)
            elif isinstance(part, (int, float)):
                found += part * scale
        return found + self.weight


def read_{number}(rows: list[dict[str, Any]], default: str = "part {number}") -> dict[str, Record{number}]:
    found: dict[str, Record{number}] = {{}}
    for row in rows:
        name = str(row.get("name", default))
        record = found.setdefault(name, Record{number}(name))
        for value in row.get("values", ()):
            record.add(value if value is not None else {number})
    return found


def write_{number}(records: dict[str, Record{number}]) -> str:
    lines = [f"{{name}}: {{record.total():.3f}}" for name, record in sorted(records.items())]
    return "\\n".join(lines) or "nothing"
'''

WITH_KEYS = '''\
"""Model {number} of package {package}."""

import jax
import jax.numpy as jnp

{imports}

def init_{number}(key, sizes):
    params = []
    for rows, columns in zip(sizes[:-1], sizes[1:]):
        key, weight_key, bias_key = jax.random.split(key, 3)
        weight = jax.random.normal(weight_key, (rows, columns)) / jnp.sqrt(rows)
        params.append((weight, jax.random.uniform(bias_key, (columns,))))
    return params


def dropout_{number}(key, x, rate=0.{number}):
    keep = jax.random.bernoulli(key, 1 - rate, x.shape)
    return jnp.where(keep, x / (1 - rate), 0)


def apply_{number}(params, key, x, training=True):
    for index, (weight, bias) in enumerate(params):
        x = jnp.tanh(x @ weight + bias)
        if training:
            x = dropout_{number}(jax.random.fold_in(key, index), x)
    return x


class Trainer{number}:
    def __init__(self, key, sizes):
        key, init_key = jax.random.split(key)
        self.params = init_{number}(init_key, sizes)
        self.key = key

    def step(self, batch):
        self.key, step_key, noise_key = jax.random.split(self.key, 3)
        batch = batch + jax.random.normal(noise_key, batch.shape)
        return apply_{number}(self.params, step_key, batch)


def sample_{number}(key, params, steps):
    def body(carry, _):
        key, x = carry
        key, step_key, noise_key = jax.random.split(key, 3)
        x = {other}(step_key, x) + jax.random.normal({last}, x.shape)
        return (key, x), x

    return jax.lax.scan(body, (key, jnp.zeros(8)), None, length=steps)
'''


def python_files(folders: Iterable[Path]) -> list[Path]:
    """Return the Python files under folders, in order."""
    return [path for folder in folders for path in sorted(folder.rglob("*.py")) if path.is_file()]


def size_of(files: Iterable[Path]) -> int:
    """Return the bytes of files."""
    return sum(path.stat().st_size for path in files)


def with_keys(files: Iterable[Path]) -> list[Path]:
    """Return the files that can hold a key."""
    settings = Settings()
    return [path for path in files if worth_checking(str(path), path.read_bytes(), settings)]


def middle(files: Sequence[Path]) -> Path:
    """Return the file of median size."""
    return sorted(files, key=lambda path: (path.stat().st_size, str(path)))[len(files) // 2]


def torch_copies(files: Iterable[Path], into: Path) -> list[Path]:
    """Write copies that say `torch` for `jax`, since TorchFix passes over files without the word."""
    copies = []
    for number, path in enumerate(files):
        copy = into / f"{number:04}_{path.name}"
        copy.write_bytes(path.read_bytes().replace(b"jax", b"torch"))
        copies.append(copy)
    return copies


def copy_folders(folders: Iterable[Path], into: Path) -> list[Path]:
    """Copy folders to another one, each under its own name."""
    return [Path(shutil.copytree(folder, into / folder.name, symlinks=True)) for folder in folders]


def write_repository(into: Path, files: int) -> None:
    """Write a repository of so many modules: one project, whose packages import from each other.

    One module of 20 draws random numbers with keys, through functions of another one; one of 100 uses a key twice.
    """
    into.mkdir()
    (into / "pyproject.toml").write_text('[project]\nname = "large"\nversion = "1"\n')
    packages = -(-files // IN_PACKAGE)
    for package in range(packages):
        folder = into / f"pkg{package}"
        folder.mkdir()
        for number in range(min(IN_PACKAGE, files - package * IN_PACKAGE)):
            name = f"part{number}.py" if number else "__init__.py"
            (folder / name).write_text(module_text(package, number, packages))


def module_text(package: int, number: int, packages: int) -> str:
    """Return the text of a module of the repository."""
    if number == 0:
        return f'"""Package {package}."""\n'
    if number % KEYED != 1:
        other = number - 1 if (number - 1) % KEYED != 1 else number - 2
        imports = f"from pkg{package}.part{other} import read_{other}\n" if other > 1 else ""
        return PLAIN.format(number=number, package=package, imports=imports)
    is_first = number == 1
    source = (package + 1) % packages if is_first and package + 1 < packages else package
    other = 1 if is_first else number - KEYED
    imports = f"from pkg{source}.part{other} import dropout_{other} as inherited\n"
    own = is_first and source == package
    return WITH_KEYS.format(
        number=number,
        package=package,
        imports="" if own else imports,
        other=f"dropout_{number}" if own else "inherited",
        last="step_key" if number == IN_PACKAGE - KEYED + 1 else "noise_key",
    )
