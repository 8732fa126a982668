"""The steps of the journey. Each starts with the project as it was checked out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from editor import Editor, applied
from lsprotocol import types

from .environment import TAG
from .user import User

__all__ = ["STEPS"]


def install(user: User) -> None:
    user.run("olympus-lint --version")
    user.run("olympus --version")
    user.run("olympus-lint --help")
    user.run("olympus-lint --list-rules")


def lint(user: User) -> None:
    user.run("olympus-lint .")
    user.say("The same again, as ruff's users type it, and on one line per finding")
    user.run("olympus-lint check . --output-format concise")
    user.say("Only a file without findings")
    user.run("olympus-lint denoise/checkpoint.py")
    user.say("Slips of the pen")
    user.run("olympus-lint src")
    user.run("olympus-lint --fxi .")
    user.run("olympus-lint --select OLY14 .")
    user.edit("pyproject.toml", "", '\n[tool.olympus-lint]\nextend-selct = ["OLY201"]\n')
    user.run("olympus-lint .")
    user.edit("pyproject.toml", "extend-selct", "extend-select")
    user.run("olympus-lint --quiet --output-format concise train.py")


def explain(user: User) -> None:
    user.run("olympus-lint --explain OLY104")
    user.run("olympus-lint --explain key-arithmetic | head -n 5")
    user.run("olympus-lint --explain reuse")


def baseline(user: User) -> None:
    user.run("olympus-lint --write-baseline known.json")
    user.run("olympus-lint --baseline known.json")
    user.say("A new mistake is reported, also when the old ones have moved")
    wrong = 'by one random step."""\n    print("scale", jax.random.uniform(key))\n'
    user.edit("denoise/data.py", 'by one random step."""\n', wrong)
    user.edit("denoise/data.py", "import jax\n", "import math\n\nimport jax\n")
    user.run("olympus-lint --baseline known.json")
    user.say("An old mistake is put right")
    user.run("git checkout --quiet denoise")
    user.edit("train.py", "corrupt(key + i, signals)", "corrupt(jax.random.fold_in(key, i), signals)")
    user.run("olympus-lint --baseline known.json")
    user.run("olympus-lint --write-baseline known.json")
    user.run("olympus-lint --baseline known.json")


def fix(user: User) -> None:
    user.run("olympus-lint --fix --show-fixes --output-format concise")
    user.run("olympus-lint --fix --unsafe-fixes --diff")
    user.run("olympus-lint --fix --unsafe-fixes")
    user.run("olympus-lint")
    user.run("python -m pytest -q --tb=no -p no:cacheprovider")


def suppress(user: User) -> None:
    user.say("One finding is meant")
    old = "assert jnp.array_equal(shifted(key, signals), shifted(key, signals))"
    user.edit("tests/test_denoise.py", old, f"{old}  # olympus: ignore[key-reuse] any key will do")
    user.run("olympus-lint tests")
    user.say("The others are for later")
    user.run("olympus-lint --add-noqa")
    user.run("olympus-lint")
    user.run("olympus-lint --ignore-noqa --statistics")
    user.say("One of them is put right, and the comment stays")
    user.edit("train.py", "corrupt(key + i, signals)", "corrupt(jax.random.fold_in(key, i), signals)")
    user.run("olympus-lint")
    user.run("olympus-lint --fix")


def hook(user: User) -> None:
    source = f"repos:\n  - repo: {user.environment.repository}\n    rev: {TAG}\n"
    user.edit(".pre-commit-config.yaml", "", f"{source}    hooks:\n      - id: olympus-lint-fix\n")
    user.run("pre-commit install")
    user.run("git add .pre-commit-config.yaml && git commit --quiet -m 'Use olympus-lint'")
    user.say("A commit with a reuse is stopped")
    old = "frequency_key, phase_key = jax.random.split(key)\n"
    user.edit("denoise/data.py", old, f"{old}    amplitude = jax.random.exponential(key)\n")
    user.edit("denoise/data.py", "    return jnp.sin", "    return amplitude * jnp.sin")
    user.run("git commit --quiet -a -m 'Random amplitudes'")
    user.say("All findings of the file count, and all of them are put right")
    user.edit(
        "denoise/data.py",
        "frequency_key, phase_key = jax.random.split(key)",
        "frequency_key, phase_key, amplitude_key = jax.random.split(key, 3)",
    )
    user.edit("denoise/data.py", "exponential(key)", "exponential(amplitude_key)")
    user.edit(
        "denoise/data.py",
        "    noise = 0.3 * jax.random.normal(key,",
        "    key, noise_key = jax.random.split(key)\n    noise = 0.3 * jax.random.normal(noise_key,",
    )
    user.run("git commit --quiet -a -m 'Random amplitudes'")
    user.say("A commit that a safe fix puts right is stopped once, for the person to look at it")
    user.edit(
        "tests/test_keys.py", "", "import jax\n\n\ndef test_raw():\n    assert jax.random.PRNGKey(0).shape == (2,)\n"
    )
    user.run("git add tests && git commit --quiet -m 'Test keys'")
    user.run("git add tests && git commit --quiet -m 'Test keys'")
    user.run("git log --format=%s")


def editor(user: User) -> None:
    command = (str(user.environment.programs / "olympus-lint"), "--server")

    async def session() -> None:
        async with Editor(user.folder, command, user.environment.variables) as opened:
            await edited(user, opened)

    asyncio.run(session())


async def edited(user: User, opened: Editor) -> None:
    name = "denoise/data.py"
    user.note(f"The user opens {name}.", *shown(await opened.open(name)), "")
    text = (user.folder / name).read_text("utf-8")
    row = next(row for row, line in enumerate(text.splitlines()) if "kept = " in line)
    hover = await opened.hover(name, row, text.splitlines()[row].index("(key") + 1)
    user.note("The pointer rests on `key` in the line of the finding.", *indented(hover), "")
    user.note("The pointer rests on `corrupt`.", *indented(await opened.hover(name, row - 3, 5)), "")
    actions = await opened.actions(name, row, text.splitlines()[row].index("jax.random"))
    user.note("The user asks for the quick fixes of the finding.", *(f"    {each.title}" for each in actions), "")
    for action in actions:
        new = applied(text, action)
        found = await opened.change(name, new)
        user.note(f"The user takes: {action.title}")
        write(user, name, new)
        user.note("The editor shows:", *shown(found), "")
        await opened.change(name, text)
        write(user, name, text, quietly=True)
    name = "train.py"
    user.note(f"The user opens {name}.", *shown(await opened.open(name)), "")
    (action,) = await opened.actions(name, 0, 0, "source.fixAll")
    user.note(f"The user saves the file, and the editor applies: {action.title}")
    write(user, name, applied((user.folder / name).read_text("utf-8"), action))


def write(user: User, name: str, text: str, *, quietly: bool = False) -> None:
    (user.folder / name).write_text(text, "utf-8")
    lines = len(user.transcript)
    user.changes()
    if quietly:
        del user.transcript[lines:]


def shown(found: list[types.Diagnostic]) -> list[str]:
    """Return the lines that an editor shows of diagnostics; rows and columns start at 1."""
    lines = []
    for each in found:
        place = f"{each.range.start.line + 1}:{each.range.start.character + 1}"
        lines.append(f"    {place} {types.DiagnosticSeverity(each.severity or 1).name} {each.code} {each.message}")
        for other in each.related_information or []:
            row = other.location.range.start
            lines.append(f"        {Path(other.location.uri).name}:{row.line + 1}:{row.character + 1} {other.message}")
    return lines or ["    nothing"]


def indented(text: str) -> list[str]:
    return [f"    {line}".rstrip() for line in text.splitlines()] or ["    nothing"]


def report(user: User) -> None:
    user.run("olympus-lint --statistics")
    user.run("olympus-lint --output-format html --output-file report.html")
    user.run("olympus-lint --output-format sarif --output-file report.sarif denoise/model.py")
    user.run("olympus-lint --output-format json denoise/model.py")
    user.run("olympus-lint --output-format github")


def migrate(user: User) -> None:
    user.run("python train.py > ../before.txt && rm checkpoint.npz")
    user.run("olympus-lint --migrate --diff")
    user.run("olympus-lint --migrate")
    user.run("olympus-lint --migrate --fix")
    user.say("The user puts right what is left")
    user.edit(
        "denoise/checkpoint.py",
        'return jnp.asarray(stored["key"], dtype=jnp.uint32)',
        'return jax.random.wrap_key_data(jnp.asarray(stored["key"]))',
    )
    user.run("git commit --quiet -a -m 'Move to typed keys' && olympus-lint --migrate")
    user.say("The dtypes of two keys are compared, which is right for both kinds; so the constructor is renamed, too")
    user.run("olympus-lint --migrate --fix --unsafe-fixes")
    user.run("olympus-lint --migrate")
    user.say("The tests pass, and the training computes the same numbers")
    user.run("python -m pytest -q --tb=no -p no:cacheprovider")
    user.run("python train.py > ../after.txt && diff -s ../before.txt ../after.txt")


def trace(user: User) -> None:
    user.run("olympus-lint --trace")
    user.run("olympus-lint --trace --select-verdict confirmed --output-format concise")
    user.run("olympus lineage denoise/data.py:corrupt --arg signals=f32[4,32]")
    user.run("olympus trace denoise/data.py:corrupt --arg signals=f32[4,32]")


STEPS: list[Callable[[User], None]] = [
    install, lint, explain, baseline, fix, suppress, hook, editor, report, migrate, trace
]  # fmt: skip
"""In the order of the journey, which is that of the snapshots."""
