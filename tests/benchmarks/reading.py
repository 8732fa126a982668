"""What the commands that have findings read by a person share: linting packages, showing findings, storing marks."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from packages import CorpusError, Package, program
from snapshot import Review, Seen, read_findings, save_reviews, source_lines


def run_command(parser: argparse.ArgumentParser, arguments: list[str] | None) -> int:
    """Run the command that is asked for; return its exit status, 2 on an error."""
    options = parser.parse_args(arguments)
    options.cache = options.cache.expanduser()
    try:
        status: int = options.run(options)
    except (CorpusError, ValueError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    return status


def lint_all(packages: Sequence[Package], cache: Path) -> tuple[list[Seen], bool]:
    """Lint packages, and print how many findings each has.

    Returns:
        The findings, and whether the linter failed on something.
    """
    findings: list[Seen] = []
    failed = False
    for package in packages:
        found, errors = lint(package.name, package.folder(cache))
        findings += found
        failed |= bool(errors)
        print(f"{package.requirement}: {len(found)} findings", flush=True)
        if errors:
            print(errors, file=sys.stderr)
    return findings, failed


def lint(name: str, folder: Path) -> tuple[list[Seen], str]:
    """Lint one package.

    Returns:
        Its findings, and what the linter printed when it failed on something, else an empty string.
    """
    command = [program("olympus-lint"), "--output-format", "json", "--no-cache", "--no-respect-gitignore"]
    command += ["--tests", "all"]  # the reviews are of all findings
    command += ["--extend-exclude", "*.ipynb", "."]  # the reviews know no cells
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)
    errors = f"{name}: olympus-lint ended with exit status {done.returncode}\n{done.stderr}"
    try:
        findings = read_findings(name, folder, done.stdout)
    except ValueError:
        return [], errors
    return findings, "" if done.returncode in (0, 1) else errors


def save_findings(path: Path, findings: Sequence[Seen]) -> None:
    """Write the findings of a lint."""
    path.write_text(json.dumps([asdict(finding) for finding in findings]), "utf-8")


def load_findings(path: Path, command: str) -> list[Seen]:
    """Read the findings of a lint.

    Raises:
        CorpusError: there was none; the message names the command to run.
    """
    if not path.exists():
        raise CorpusError(f"{path} is missing; run `{command}` first")
    return [
        Seen(**row | {"related": tuple((file, at) for file, at in row["related"])})
        for row in json.loads(path.read_text("utf-8"))
    ]


def show(waiting: Sequence[Seen], folders: Mapping[str, Path], options: argparse.Namespace) -> int:
    """Print findings that wait for a mark; return 1 if there are any."""
    for finding in waiting[: options.limit]:
        print(headline(finding))
        print(excerpts(finding, folders[finding.package], options.lines))
    print(f"{len(waiting)} findings wait for a mark")
    return int(bool(waiting))


def headline(finding: Seen) -> str:
    place = f"{finding.package}/{finding.file}:{finding.row}"
    return f"{finding.id} {place} {finding.code} ({finding.confidence}) {finding.message}"


def excerpts(finding: Seen, folder: Path, around: int) -> str:
    """Return the source around the finding and its related places, the rows in question marked with ``>``."""
    rows: dict[str, set[int]] = {}
    for file, row in [*finding.related, (finding.file, finding.row)]:
        rows.setdefault(file, set()).add(row)
    parts = []
    for file, marked in rows.items():
        lines = source_lines(folder / file)
        shown = {near for row in marked for near in range(row - around, row + around + 1) if 1 <= near <= len(lines)}
        parts.append(f"  {file}")
        last = min(shown, default=1) - 1
        for number in sorted(shown):
            if number != last + 1:
                parts.append("        ...")
            parts.append(f"  {'>' if number in marked else ' '} {number:5} {lines[number - 1]}")
            last = number
    return "\n".join(parts) + "\n"


def store_mark(options: argparse.Namespace, path: Path, marks: dict[str, Review], known: Mapping[str, Seen]) -> int:
    """Store one mark for the findings whose ids the user gave.

    Args:
        options: has the ids, the mark, and why.
        path: the file of marks.
        marks: what it holds.
        known: the findings that may get one, by id.

    Raises:
        CorpusError: an id is not known.
    """
    unknown = [id_ for id_ in options.ids if id_ not in known]
    if unknown:
        raise CorpusError(f"no finding of the last run has the id {', '.join(unknown)}")
    for id_ in options.ids:
        marks[id_] = Review(known[id_], options.mark, options.sentence)
    save_reviews(path, marks.values())
    return 0
