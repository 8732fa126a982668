"""Measure the linter on released packages that it has never seen: see README.md beside this file."""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from packages import HERE, CorpusError, Package, load_packages, unpack
from reading import lint_all, load_findings, run_command, save_findings, show, store_mark
from snapshot import MARKS, Review, Seen, compare, load_reviews

ROOT = HERE.parent.parent
LOOKS = HERE / "first_looks"
CACHE = Path("~/.cache/olympus-lint/first-look")
ZERO_TURNS = "zero-turns"
LOOK_MARKS = (*MARKS, ZERO_TURNS)
LEVELS = ("certain", "likely")
COLUMNS = ("read", "true", "meant", "zero iterations", "false")
ANALYSIS = ("rules", "olympus_lint")  # the folders whose sources decide what is found
LARGEST_ARCHIVE = 60_000_000  # bytes
MOST_OUTSIDE, MOST_IN_TESTS = 200, 40  # findings to read
FOR_ANOTHER_PYTHON = "neither an sdist nor a wheel for this Python"  # earlier looks asked for the own one only
USES_KEYS = re.compile(r"\bjax\.random\b|\bPRNGKey\b|\bfrom jax import (?:[^\n]*\W)?random\b")
TEST_PART = re.compile(r"(?:unit_?)?tests?|tests?_.*|.*_tests?|conftest")


@dataclass
class Look:
    """One draw, and the lint that was read: ``first_looks/SEED.json``."""

    seed: int
    packages: list[dict[str, str]] = field(default_factory=list)
    passed_over: dict[str, str] = field(default_factory=dict)  # name: why it was of no use
    commit: str = ""
    digest: str = ""  # of the sources of the analysis
    found: dict[str, int] = field(default_factory=dict)  # findings outside tests and in tests
    to_read: list[str] = field(default_factory=list)

    def pinned(self) -> list[Package]:
        return [Package(**row) for row in self.packages]

    def save(self, looks: Path) -> None:
        looks.mkdir(exist_ok=True)
        (looks / f"{self.seed}.json").write_text(json.dumps(asdict(self), indent=1) + "\n", "utf-8")


def load_look(looks: Path, seed: int) -> Look:
    """Read a look.

    Raises:
        CorpusError: it was never drawn.
    """
    path = looks / f"{seed}.json"
    if not path.exists():
        raise CorpusError(f"{path.name} is missing; run `first_look.py draw --seed {seed}` first")
    return Look(**json.loads(path.read_text("utf-8")))


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return 0 when all is well, 1 when findings wait for a mark, 2 on an error."""
    return run_command(_parser(), arguments)


def _parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--seed", type=int, required=True, help="the look")
    shared.add_argument("--cache", type=Path, default=CACHE, help="where packages lie (%(default)s)")
    shared.add_argument("--looks", type=Path, default=LOOKS, help="the recorded looks")
    parser = argparse.ArgumentParser(prog="first_look.py", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    command = commands.add_parser("draw", parents=[shared], help="draw, download and unpack packages")
    command.add_argument("--packages", type=int, default=20, help="how many (default: 20)")
    command.set_defaults(run=run_draw)

    command = commands.add_parser("lint", parents=[shared], help="lint them, and choose the findings to read")
    command.set_defaults(run=run_lint)

    command = commands.add_parser("review", parents=[shared], help="show findings without a mark")
    command.add_argument("--package", help="only of this package")
    command.add_argument("--lines", type=int, default=25, help="source lines around each place (default: 25)")
    command.add_argument("--limit", type=int, default=10, help="findings to show (default: 10)")
    command.set_defaults(run=run_review)

    command = commands.add_parser("mark", parents=[shared], help="store a mark")
    command.add_argument("ids", nargs="+", metavar="ID", help="as printed by review")
    command.add_argument("mark", choices=LOOK_MARKS)
    command.add_argument("sentence", help="why")
    command.set_defaults(run=run_mark)

    command = commands.add_parser("close", parents=[shared], help="append the row of the look to the table")
    command.set_defaults(run=run_close)
    return parser


# Drawing.


def run_draw(options: argparse.Namespace) -> int:
    options.cache.mkdir(parents=True, exist_ok=True)
    if (options.looks / f"{options.seed}.json").exists():
        for package in load_look(options.looks, options.seed).pinned():
            fetch(package, options.cache)
        return 0
    look = Look(options.seed)
    for name in order(options.seed, candidates(options.looks), seen_before(options.looks)):
        if len(look.packages) == options.packages:
            break
        try:
            package = take(name, options.cache)
        except CorpusError as error:
            look.passed_over[name] = str(error).replace(str(options.cache), "the cache")
            print(f"{name}: passed over: {error}")
        else:
            look.packages.append(asdict(package))
            print(package.requirement, flush=True)
    look.save(options.looks)
    if len(look.packages) < options.packages:
        raise CorpusError(f"only {len(look.packages)} of {options.packages} packages; the candidates are used up")
    return 0


def candidates(looks: Path) -> list[str]:
    rows = (looks / "candidates.txt").read_text("utf-8").splitlines()
    return [row for row in rows if row and not row.startswith("#")]


def seen_before(looks: Path) -> set[str]:
    """Return the packages of the corpus and those that an earlier look has drawn or passed over for what they are."""
    seen = {package.name for package in load_packages()}
    for path in looks.glob("*.json"):
        look = Look(**json.loads(path.read_text("utf-8")))
        seen |= {package.name for package in look.pinned()}
        seen |= {name for name, why in look.passed_over.items() if why != FOR_ANOTHER_PYTHON}
    return seen


def order(seed: int, names: Iterable[str], seen: set[str]) -> list[str]:
    """Return the names that are not seen before, in the order of the seed."""
    left = sorted(set(names) - seen)
    random.Random(seed).shuffle(left)
    return left


def take(name: str, cache: Path) -> Package:
    """Download and unpack the newest release of a package.

    Raises:
        CorpusError: the package is of no use for a look.
    """
    package, folder = _unpacked(name, None, cache)
    if not any(uses_keys(path) for path in folder.rglob("*.py") if not in_tests(path.relative_to(folder).as_posix())):
        raise CorpusError("no source outside tests that uses jax.random")
    return package


def fetch(package: Package, cache: Path) -> None:
    """Download and unpack a pinned package, unless it is there.

    Raises:
        CorpusError: it is not to be had, or the download is not the pinned file.
    """
    try:
        package.folder(cache)
    except CorpusError:
        _unpacked(package.name, package.version, cache, package.sha256)


def _unpacked(name: str, version: str | None, cache: Path, sha256: str | None = None) -> tuple[Package, Path]:
    """Download a release, check its SHA-256 if that is known, and unpack it unless it is there."""
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix=".draw-") as scratch:
        archive, version = download(name, version, Path(scratch))
        package = Package(name, version, hashlib.sha256(archive.read_bytes()).hexdigest())
        if sha256 not in (None, package.sha256):
            raise CorpusError(f"{package.requirement}: the download differs from the pinned SHA-256")
        try:
            return package, package.folder(cache)
        except CorpusError:
            unpack(archive, cache)
    return package, package.folder(cache)


def download(name: str, version: str | None, folder: Path) -> tuple[Path, str]:
    """Download an sdist as pip finds it, with pip's settings, and return its path and version.

    Where there is none, it is a wheel. ``pip download`` builds the metadata of an sdist, which runs code of the
    package and installs what that needs. A look needs the source only.

    Raises:
        CorpusError: there is neither, or it is too large.
    """
    from pip._internal.commands import create_command
    from pip._vendor.packaging.specifiers import SpecifierSet

    pinned = SpecifierSet(f"=={version}") if version else None
    for kind, suffix in (("--no-binary", ".tar.gz"), ("--only-binary", ".whl")):
        command: Any = create_command("download")
        with command.main_context():
            options, _ = command.parse_args([kind, ":all:", name])
            session = command.get_default_session(options)
            finder = command._build_package_finder(options, session, ignore_requires_python=True)  # it is only read
            best = finder.find_best_candidate(name, pinned).best_candidate
            if best is None or not best.link.filename.endswith(suffix):
                continue
            answer = session.get(best.link.url_without_fragment, stream=True)
            answer.raise_for_status()
            size = int(answer.headers.get("Content-Length", 0))
            if size > LARGEST_ARCHIVE:
                raise CorpusError(f"the archive has {size / 1e6:.0f} MB")
            path = folder / best.link.filename
            path.write_bytes(answer.content)
            return path, str(best.version)
    raise CorpusError("neither an sdist nor a wheel that fits")


def uses_keys(path: Path) -> bool:
    return path.is_file() and USES_KEYS.search(path.read_text("utf-8", errors="replace")) is not None


def in_tests(file: str) -> bool:
    """Return whether a file is a test by its name or by that of a folder that it lies in."""
    return any(TEST_PART.fullmatch(part) for part in Path(file).with_suffix("").parts)


# Linting.


def run_lint(options: argparse.Namespace) -> int:
    look = load_look(options.looks, options.seed)
    if (options.looks / f"{look.seed}.jsonl").exists():
        raise CorpusError("this look has marks; lint another seed")
    look.commit, look.digest = commit(), digest()
    findings, _ = lint_all(look.pinned(), options.cache)
    outside = [finding for finding in findings if not in_tests(finding.file)]
    tests = [finding for finding in findings if in_tests(finding.file)]
    look.found = {"outside": len(outside), "tests": len(tests)}
    look.to_read = sorted(
        {f.id for f in sample(look.seed, outside, MOST_OUTSIDE) + sample(look.seed, tests, MOST_IN_TESTS)}
    )
    save_findings(_findings_path(options.cache, look.seed), findings)
    look.save(options.looks)
    print(f"{len(outside)} findings outside tests, {len(tests)} in tests, {len(look.to_read)} to read")
    return int(bool(look.to_read))


def commit() -> str:
    """Return the last commit that changed the analysis.

    Raises:
        CorpusError: its sources differ from the commit.
    """

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    if git("status", "--porcelain", "--", *ANALYSIS):
        raise CorpusError(f"{' and '.join(ANALYSIS)} hold changes that no commit has; commit them first")
    return git("log", "-1", "--format=%h", "--abbrev=12", "--", *ANALYSIS)


def digest() -> str:
    """Return a digest of the sources that decide what is found."""
    total = hashlib.sha256()
    for path in sorted(
        path for part in ANALYSIS for path in (ROOT / part).rglob("*") if path.suffix in {".py", ".toml"}
    ):
        total.update(f"{path.relative_to(ROOT).as_posix()}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()[:16]


def sample(seed: int, findings: Sequence[Seen], most: int) -> list[Seen]:
    """Return the findings, or as many of them as are to be read, chosen by the seed."""
    return list(findings) if len(findings) <= most else random.Random(seed).sample(findings, most)


def _findings_path(cache: Path, seed: int) -> Path:
    return cache / f"findings-{seed}.json"


def findings_to_read(look: Look, cache: Path) -> list[Seen]:
    """Return the findings of the last lint that are to be read.

    Raises:
        CorpusError: there was no lint.
    """
    findings = load_findings(_findings_path(cache, look.seed), f"first_look.py lint --seed {look.seed}")
    return [finding for finding in findings if finding.id in look.to_read]


# Reading.


def run_review(options: argparse.Namespace) -> int:
    look = load_look(options.looks, options.seed)
    waiting = [finding for finding in _unread(look, options) if options.package in (None, finding.package)]
    folders = {package.name: package.folder(options.cache) for package in look.pinned()}
    return show(waiting, folders, options)


def _unread(look: Look, options: argparse.Namespace) -> list[Seen]:
    marks = load_reviews(options.looks / f"{look.seed}.jsonl", LOOK_MARKS)
    return compare(findings_to_read(look, options.cache), marks, ()).unreviewed


def run_mark(options: argparse.Namespace) -> int:
    look = load_look(options.looks, options.seed)
    if digest() != look.digest:
        raise CorpusError("the analysis has changed since the lint: a mark that is given now is no first look")
    path = options.looks / f"{look.seed}.jsonl"
    known = {finding.id: finding for finding in findings_to_read(look, options.cache)}
    return store_mark(options, path, load_reviews(path, LOOK_MARKS), known)


# The table.


def run_close(options: argparse.Namespace) -> int:
    look = load_look(options.looks, options.seed)
    waiting = _unread(look, options)
    if waiting:
        raise CorpusError(f"{len(waiting)} findings wait for a mark")
    rows = load_table(options.looks)
    if any(row["seed"] == look.seed for row in rows):
        raise CorpusError(f"the table has a row of the look {look.seed}, and rows are not changed")
    marks = load_reviews(options.looks / f"{look.seed}.jsonl", LOOK_MARKS).values()
    rows.append(summarise(look, marks, datetime.date.today().isoformat()))
    lines = [json.dumps(row) for row in rows]
    (options.looks / "table.jsonl").write_text("".join(line + "\n" for line in lines), "utf-8")
    print(markdown(rows), by_confidence(rows[-1]), sentence(rows[-1]), sep="\n")
    print(so_far(rows, load_reviews(HERE / "snapshot.jsonl").values()))
    return 0


def load_table(looks: Path = LOOKS) -> list[dict[str, Any]]:
    path = looks / "table.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def summarise(look: Look, marks: Iterable[Review], date: str) -> dict[str, Any]:
    """Return the row of a look: how many findings have which mark, by place and confidence."""
    counts = Counter(
        ("tests" if in_tests(review.finding.file) else "outside", review.finding.confidence, review.mark)
        for review in marks
    )
    row: dict[str, Any] = {"seed": look.seed, "date": date, "commit": look.commit, "packages": len(look.packages)}
    row["found"] = look.found
    for place in ("outside", "tests"):
        row[place] = {level: {mark: counts[place, level, mark] for mark in LOOK_MARKS} for level in LEVELS}
    return row


def totals(
    row: dict[str, Any], levels: Sequence[str] = LEVELS, places: Sequence[str] = ("outside", "tests")
) -> Counter[str]:
    """Return how many findings of a row have each mark, and under ``read`` how many there are."""
    counts: Counter[str] = Counter()
    for place in places:
        for level in levels:
            counts.update(row[place][level])
    counts["read"] = counts.total()
    return counts


def markdown(rows: Sequence[dict[str, Any]]) -> str:
    """Return the table of all looks."""
    titles = ["date", "commit", "seed", "packages", "found outside tests", "found in tests", *COLUMNS]
    lines = [_line(titles), _line(["---"] * len(titles)).replace(" ", "")]
    for row in rows:
        cells = [row["date"], f"`{row['commit']}`", row["seed"], row["packages"], *row["found"].values()]
        lines.append(_line([*cells, *_cells(totals(row))]))
    return "".join(lines)


def by_confidence(row: dict[str, Any]) -> str:
    """Return the table of one look by place and confidence."""
    titles = ["where", "confidence", *COLUMNS]
    lines = [_line(titles), _line(["---"] * len(titles)).replace(" ", "")]
    for place, where in (("outside", "outside tests"), ("tests", "in tests")):
        for level in LEVELS:
            lines.append(_line([where, f"`{level}`", *_cells(totals(row, [level], [place]))]))
    return "".join(lines)


def _line(cells: Iterable[object]) -> str:
    return "| " + " | ".join(map(str, cells)) + " |\n"


def _cells(counts: Counter[str]) -> list[object]:
    shares = [f"{counts[mark]} ({share(counts, mark)})" if counts[mark] else 0 for mark in (ZERO_TURNS, "false-alarm")]
    return [counts["read"], counts["true"], counts["intended"], *shares]


def share(counts: Counter[str], mark: str) -> str:
    return f"{counts[mark] / max(counts['read'], 1):.1%}".replace("%", " %")


def sentence(row: dict[str, Any]) -> str:
    """Return what the page on confidence says of a look."""
    counts, certain = totals(row), totals(row, ["certain"])
    return (
        f"The last first look ({row['date']}, commit `{row['commit']}`) drew {row['packages']} released packages that "
        f"the analysis was never tuned on, and {counts['read']} findings were read: {counts['true']} are true, "
        f"{counts['intended']} are meant, {counts[ZERO_TURNS]} ({share(counts, ZERO_TURNS)}) are true only if a loop "
        f"runs zero times, and {counts['false-alarm']} ({share(counts, 'false-alarm')}) are false. Of the "
        f"{certain['read']} that are `certain`, {certain['false-alarm']} ({share(certain, 'false-alarm')}) are false."
    )


def so_far(rows: Sequence[dict[str, Any]], reviews: Iterable[Review]) -> str:
    """Return what the page on confidence says of all that was read so far.

    Args:
        rows: the looks.
        reviews: the reviews of the corpus.
    """
    looks = sum(totals(row)["true"] for row in rows)
    corpus = sum(review.mark == "true" for review in reviews if review.finding.confidence in LEVELS)
    return f"So far {looks + corpus} findings were read and are true: {looks} in first looks, {corpus} in the corpus."


if __name__ == "__main__":
    sys.exit(main())
